// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cleaning what the multiplexed PMU gives
 *
 * Of each event in each interval there are two opinions: what was counted, scaled by the time
 * that it was counted, y with variance v (1 - f) / f where it ran for the part f; and what the
 * other events and the intervals beside say, p with variance q, from the known runs of the
 * program. The second is all there is where nothing was counted, where a zero cannot have been
 * one, and where a value is farther above p than any was that is known. Else they are weighed:
 *
 *	x = (q y + v' p) / (q + v'),	v' = v (1 - f) / f,	var x = q v' / (q + v')
 *
 * and a count that was taken all the time stays as it is. q is measured on what is known; v is
 * what (y - p)² has above q, and not more than half the squares of steps from one interval to
 * the next, of which the program has a part itself. All is in logarithms of rates, and done
 * again with what came of it: others foretell better once they are better known themselves.
 *
 * An event that no known run has keeps what was counted. Its outliers are those above mean + n sd,
 * n = 5, if they stand alone: among its neighbours, and with no other event up at that time, as
 * those are when it is the program that has a peak. They are replaced by the local median, and so
 * is what was not counted at all, or is a zero among counts that are far from it.
 *
 * Sources: paper 003, 2.2 and 2.3; the weights are those of the best linear estimate, C. F.
 * Gauss (1821), or see C. R. Rao, Linear Statistical Inference (1973), 4a.
 */
#include "median.h"
#include "pmu-foretell.h"
#include "pmu.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PASSES 3
#define FULL 0.999 /* counted all the time */
#define NORMAL95 1.959964

/*
 * A value is an outlier that is so many times farther up than that part of the known ones, twofold
 * at least, and above all that is like it.
 */
#define FAR 1.5
#define FAR_PART 0.995
#define FAR_MIN 0.7

/* A peak of another event is so many times all that is near it. */
#define ALSO 1.3

/* A zero where so many were foretold, of which the least likely tenth had that part. */
#define ZERO_COUNTS 12.0
#define ZERO_PART 0.2

struct work {
	const struct tl_pmu_in *in;
	const struct tl_pmu_record *record;
	struct tl_pmu_out *out;
	struct tl_foretell f;
	struct tl_foretell_state now, next;
	size_t events, cells;
	double *y, *spread, *scatter, *wide, *room; /* [cells] 2; [events] v, deviations of 95 %; sorting */
	bool *bad; /* [cells] not to be looked at, for local medians */
};

static double running(const struct work *s, size_t cell)
{
	const struct tl_pmu_record *r = s->record;

	return r->enabled_s[cell] > 0 ? fmin(r->running_s[cell] / r->enabled_s[cell], 1) : 0;
}

/* (1 - f) / f, and what counting alone makes of a few. */
static double noise(const struct work *s, size_t cell)
{
	double f = running(s, cell), v = s->scatter[cell % s->events];

	if (f >= FULL)
		return 0;
	return (1 - f) / f * v + (1 - f) / (s->record->count[cell] + 1);
}

/* Half of the middle of squared steps between neighbours, as of normal deviates. */
static double steps(const struct work *s, size_t event)
{
	double part = 0;
	size_t n = 0, t, last = 0;
	bool any = false;

	for (t = 0; t < s->record->intervals; t++) {
		size_t cell = t * s->events + event;
		double f = running(s, cell);

		if (f <= 0 || s->record->count[cell] <= 0)
			continue;
		if (any && f < FULL) {
			s->room[n++] = fabs(s->y[cell] - s->y[last]);
			part += (1 - f) / f;
		}
		any = true;
		last = cell;
	}
	if (!n)
		return 0;
	return pow(tl_quantile(s->room, n, 0.6827), 2) / 2 / (part / (double)n);
}

static bool is_above(const struct work *s, size_t cell)
{
	return tl_pmu_rate(s->record, cell) > s->out->event[cell % s->events].threshold;
}

/* What is believed before anything was foretold. */
static void start(struct work *s)
{
	size_t cell, e;

	for (cell = 0; cell < s->cells; cell++)
		s->y[cell] = log(tl_pmu_rate(s->record, cell) + s->f.offset[cell % s->events]);
	for (e = 0; e < s->events; e++)
		s->scatter[e] = steps(s, e);
	for (cell = 0; cell < s->cells; cell++) {
		s->now.value[cell] = s->y[cell];
		s->bad[cell] = running(s, cell) <= 0 || is_above(s, cell);
		s->now.variance[cell] = s->bad[cell] || s->record->count[cell] <= 0 ?
					INFINITY : noise(s, cell);
	}
}

/* What was foretold, in counts while it was counted. */
static double counts_of(const struct work *s, size_t cell, double value)
{
	return fmax(exp(value) - s->f.offset[cell % s->events], 0) * s->record->running_s[cell];
}

/* Zero, where all that is like it was far from zero. */
static bool is_false_zero(const struct work *s, size_t cell, const struct tl_foretold *p)
{
	double foretold = counts_of(s, cell, p->value), least = counts_of(s, cell, p->least);

	return s->record->count[cell] <= 0 && foretold >= ZERO_COUNTS &&
	       least > ZERO_PART * foretold && least > ZERO_COUNTS / 4;
}

/* Of a value that was scaled, twice what is known is asked for: weighing does the rest. */
static bool is_outlier(const struct work *s, size_t cell, const struct tl_foretold *p)
{
	double far = FAR * p->spread * tl_foretell_off(&s->f, cell % s->events, FAR_PART);
	double above = fmax(s->y[cell] - p->most, 0);

	if (is_above(s, cell))
		return true;
	return running(s, cell) >= FULL && above > FAR_MIN &&
	       s->y[cell] - p->value > fmax(far, FAR_MIN);
}

/* What is to be believed of a cell of which p is foretold. */
static enum tl_pmu_action weigh(struct work *s, size_t cell, const struct tl_foretold *p)
{
	double q = p->variance, v = noise(s, cell), ratio;

	s->next.value[cell] = p->value;
	s->next.variance[cell] = q;
	if (running(s, cell) <= 0)
		return TL_PMU_MISSING;
	if (is_false_zero(s, cell, p))
		return TL_PMU_ZERO;
	if (is_outlier(s, cell, p))
		return TL_PMU_OUTLIER;
	s->next.value[cell] = (q * s->y[cell] + v * p->value) / (q + v);
	/* Opinions that contradict each other are both worth less: R. T. Birge, Phys. Rev. 40 (1932). */
	ratio = pow(s->y[cell] - p->value, 2) / (q + v);
	s->next.variance[cell] = q * v / (q + v) * fmax(ratio, 1);
	return running(s, cell) >= FULL ? TL_PMU_KEPT : TL_PMU_CORRECTED;
}

static void cell_pass(struct work *s, size_t cell)
{
	struct tl_foretold p;

	s->next.value[cell] = s->now.value[cell];
	s->next.variance[cell] = s->now.variance[cell];
	if (s->out->action[cell] == TL_PMU_ABSENT)
		return;
	if (tl_foretell(&s->f, &s->now, cell / s->events, cell % s->events, &p)) {
		s->out->action[cell] = weigh(s, cell, &p);
		s->spread[cell] = p.spread;
	}
}

/*
 * v of an event: what its scaled values are farther off what was foretold than the truth is. And
 * how many deviations off are 95 of 100 of them: more than of normal ones.
 */
static void scatter_fit(struct work *s, size_t event)
{
	double part = 0, q = 0, square, v;
	struct tl_foretold p;
	size_t n = 0, t, i;

	for (t = 0; t < s->record->intervals; t++) {
		size_t cell = t * s->events + event;
		double f = running(s, cell);

		if (f <= 0 || f >= FULL || s->record->count[cell] <= 0 ||
		    !tl_foretell(&s->f, &s->now, t, event, &p))
			continue;
		s->room[n] = fabs(s->y[cell] - p.value);
		s->room[s->cells + n++] = p.variance;
		part += (1 - f) / f;
	}
	s->wide[event] = NORMAL95;
	if (n < 8)
		return;
	for (i = 0; i < n; i++)
		s->room[i + 2 * s->cells] = s->room[i];
	square = pow(tl_quantile(s->room, n, 0.6827), 2);
	for (i = 0; i < n; i++)
		s->room[i] = s->room[s->cells + i];
	q = tl_quantile(s->room, n, 0.6827);
	part /= (double)n;
	v = fmin(steps(s, event), fmax(square - q, q / 16) / part);
	s->scatter[event] = v;
	for (i = 0; i < n; i++)
		s->room[i] = s->room[i + 2 * s->cells] / sqrt(s->room[s->cells + i] + v * part);
	s->wide[event] = fmin(fmax(NORMAL95, tl_quantile(s->room, n, 0.95)), 2 * NORMAL95);
}

static int pass(struct work *s)
{
	struct tl_foretell_state swap;
	size_t cell, e;
	int code = tl_foretell_try(&s->f, &s->now);

	if (code)
		return code;
	for (e = 0; e < s->events; e++)
		scatter_fit(s, e);
	for (cell = 0; cell < s->cells; cell++)
		cell_pass(s, cell);
	swap = s->now;
	s->now = s->next;
	s->next = swap;
	return 0;
}

static double to_count(const struct work *s, size_t cell, double value)
{
	return fmax(exp(value) - s->f.offset[cell % s->events], 0) * s->record->enabled_s[cell];
}

/*
 * A value that was weighed is known to its own errors; one that was foretold to those tried. What
 * would be an outlier is in no interval.
 */
static void interval_set(struct work *s, size_t cell, double low, double high)
{
	double most = s->out->event[cell % s->events].threshold * s->record->enabled_s[cell];

	s->out->low95[cell] = to_count(s, cell, low);
	s->out->high95[cell] = fmax(fmin(to_count(s, cell, high), most), s->out->count[cell]);
}

static void answer(struct work *s, size_t cell)
{
	size_t event = cell % s->events;
	double value = s->now.value[cell], sd = s->wide[event] * sqrt(s->now.variance[cell]);
	double spread = s->spread[cell];

	if (s->out->action[cell] <= TL_PMU_SCALED || s->out->action[cell] == TL_PMU_ABSENT)
		return;
	s->out->count[cell] = to_count(s, cell, value);
	if (s->out->action[cell] == TL_PMU_CORRECTED)
		interval_set(s, cell, value - sd, value + sd);
	else
		interval_set(s, cell,
			     value + spread * fmin(tl_foretell_off(&s->f, event, 0.025), 0),
			     value + spread * fmax(tl_foretell_off(&s->f, event, 0.975), 0));
}

/* The least and the most of an event around an interval, without it. */
static bool around(const struct work *s, size_t cell, double *least, double *most)
{
	size_t t = cell / s->events, at = t < TL_MEDIAN_REACH ? 0 : t - TL_MEDIAN_REACH, near;
	double rate;

	*least = INFINITY;
	*most = 0;
	for (; at <= t + TL_MEDIAN_REACH && at < s->record->intervals; at++) {
		near = at * s->events + cell % s->events;
		if (near == cell || running(s, near) <= 0)
			continue;
		rate = tl_pmu_rate(s->record, near);
		*least = fmin(*least, rate);
		*most = fmax(*most, rate);
	}
	return isfinite(*least);
}

/* Whether another event has a peak in that interval: then the program has one, not the counter. */
static bool have_others(const struct work *s, size_t cell)
{
	size_t other = cell - cell % s->events, end = other + s->events;
	double least, most;

	for (; other < end; other++)
		if (other != cell && around(s, other, &least, &most) &&
		    tl_pmu_rate(s->record, other) > ALSO * most)
			return true;
	return false;
}

/*
 * Of an event that is not known: zero is missing where nothing near it is, and what is far up is
 * an outlier where nothing near it is as much as half of it, and no other event is up.
 */
static bool is_lone(const struct work *s, size_t cell)
{
	double rate = tl_pmu_rate(s->record, cell), least, most;

	if (!around(s, cell, &least, &most))
		return false;
	if (rate <= 0)
		return least * s->record->running_s[cell] >= ZERO_COUNTS;
	return is_above(s, cell) && rate > TL_PMU_MAX * most && !have_others(s, cell);
}

static void fall_back(struct work *s, size_t cell)
{
	double *sorted = s->room, median;
	struct tl_median_in in = { s->out->count + cell % s->events, s->bad + cell % s->events,
				   s->record->intervals, s->events, cell / s->events,
				   TL_MEDIAN_REACH };
	enum tl_pmu_action action = TL_PMU_MISSING;
	size_t n = 0, t, at;

	if (s->out->action[cell] == TL_PMU_ABSENT)
		return;
	if (running(s, cell) > 0)
		action = is_above(s, cell) ? TL_PMU_OUTLIER : TL_PMU_ZERO;
	if ((action != TL_PMU_MISSING && !is_lone(s, cell)) || tl_median_local(&in, &median))
		return;
	for (t = 0; t < s->record->intervals; t++) {
		at = t * s->events + cell % s->events;
		if (!s->bad[at])
			sorted[n++] = tl_pmu_rate(s->record, at) * s->record->enabled_s[cell];
	}
	s->out->action[cell] = action;
	s->out->count[cell] = median;
	s->out->low95[cell] = fmin(tl_quantile(sorted, n, 0.025), median);
	s->out->high95[cell] = fmax(tl_quantile(sorted, n, 0.975), median);
}

static int work_init(struct work *s)
{
	double *memory;

	s->cells = s->record->intervals * s->events;
	memory = calloc(9 * s->cells + 2 * s->events, sizeof(*memory));
	s->y = memory;
	s->bad = calloc(s->cells, sizeof(*s->bad));
	if (!memory || !s->bad)
		return -ENOMEM;
	s->spread = memory + s->cells;
	s->now = (struct tl_foretell_state){ s->record->intervals, memory + 2 * s->cells,
					     memory + 3 * s->cells };
	s->next = (struct tl_foretell_state){ s->record->intervals, memory + 4 * s->cells,
					      memory + 5 * s->cells };
	s->room = memory + 6 * s->cells;
	s->scatter = memory + 9 * s->cells;
	s->wide = s->scatter + s->events;
	return tl_foretell_init(&s->f, s->in);
}

/* The middle of how far off what is foretold is. */
static double typical(const struct work *s, size_t event)
{
	size_t t;

	for (t = 0; t < s->record->intervals; t++)
		s->room[t] = s->spread[t * s->events + event];
	return sqrt(s->f.variance[event]) * tl_median(s->room, t);
}

static void finish(struct work *s)
{
	size_t cell, event;

	for (cell = 0; cell < s->cells; cell++) {
		event = cell % s->events;
		if (s->out->event[event].known && s->f.trials[event])
			answer(s, cell);
		else
			fall_back(s, cell);
		s->out->event[event].done[s->out->action[cell]]++;
	}
	for (event = 0; event < s->events; event++)
		if (s->f.trials[event]) {
			s->out->event[event].neighbours = s->f.k[event];
			s->out->event[event].foretold = typical(s, event);
		}
}

/**
 * tl_pmu_clean() - Clean a record
 * @in: record, and what is known of the program
 * @out: filled in; to be freed, however it ends
 *
 * Time: intervals times known intervals times three times the square of the events.
 *
 * Return: 0; -EINVAL, -ENODATA as tl_pmu_check(); -ENOMEM.
 */
int tl_pmu_clean(const struct tl_pmu_in *in, struct tl_pmu_out *out)
{
	struct work s = { .in = in, .record = in->record, .out = out,
			  .events = in->record->events };
	int code = tl_pmu_out_init(in, out), i;

	if (code)
		return code;
	code = work_init(&s);
	if (!code) {
		start(&s);
		for (i = 0; !code && in->runs && i < PASSES; i++)
			code = pass(&s);
	}
	if (!code)
		finish(&s);
	tl_foretell_free(&s.f);
	free(s.y);
	free(s.bad);
	return code;
}
