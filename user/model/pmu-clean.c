// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cleaning what the multiplexed PMU gives
 *
 * Of each event in each interval there are two opinions: what was counted, scaled by the time
 * that it was counted, y with variance v (1 - f) / f where it ran for the part f and n where it ran
 * all the time; and what the other events and the intervals beside say, p with variance q, from the
 * known runs of the program (pmu-foretell.c). The second is all there is where nothing was counted,
 * where a zero cannot have been one, and where a value that was counted all the time is farther
 * above p than any was that is known. Else, with v' = v (1 - f) / f or n, both are weighed, by
 *
 *	m = (q y + v' p) / (q + v'),	h = φ / (φ + a),	φ = φ(y - p; 0, q + v'),
 *
 * where h is how likely it is that they are of the same: normal against flat density. If they are
 * not, and y is above p, what was counted in part of the time is certain, and the rest is p; below
 * p nothing stands alone. So what is believed is
 *
 *	x = log(h e^m + (1 - h) (f e^y + (1 - f) e^p))	above p,	x = m	below.
 *
 * Of what was counted all the time it is h m + (1 - h) y; to foretell others by, it stays y: what
 * they say of each other should not come back to them. Nor is a zero that is held for none anything
 * to foretell others by: those of a time in which nothing happens would all be filled, each by
 * what the others were filled with.
 *
 * All is done again with what came of it: others foretell better once they are better known
 * themselves. Whether the known runs are of use at all, and q: pmu-fit.c; v and n: pmu-noise.c.
 * Peaks that are faults whatever is foretold: pmu-peaks.c. An event that none is of: pmu-alone.c.
 *
 * Sources: paper 003, 2.2 and 2.3. What was counted with what was not: R. M. Royall, On finite
 * population sampling theory, Biometrika 57 (1970). The weights are those of the best linear
 * estimate, C. F. Gauss (1821), or see C. R. Rao, Linear Statistical Inference (1973), 4a.
 */
#include "median.h"
#include "pmu-work.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PASSES 3

/*
 * A value is an outlier that is so many times farther up than that part of the known ones, twofold
 * at least, and above all that is like it.
 */
#define FAR 1.5
#define FAR_PART 0.985
#define FAR_MIN 0.7

/* A zero is none where TL_PMU_COUNTS are foretold, and that part of it by all that is like it. */
#define ZERO_PART 0.2

/**
 * tl_pmu_running() - The part of the time that an event was counted
 * @s: the work
 * @cell: interval times events plus event
 *
 * Return: it, 0 to 1.
 */
double tl_pmu_running(const struct tl_pmu_work *s, size_t cell)
{
	const struct tl_pmu_record *r = s->record;

	return r->enabled_s[cell] > 0 ? fmin(r->running_s[cell] / r->enabled_s[cell], 1) : 0;
}

/**
 * tl_pmu_above() - Whether a value is an outlier whatever is beside it
 * @s: the work
 * @cell: interval times events plus event
 *
 * Return: whether it is above the threshold of its event.
 */
bool tl_pmu_above(const struct tl_pmu_work *s, size_t cell)
{
	return tl_pmu_rate(s->record, cell) > s->out->event[cell % s->events].threshold;
}

/* How far what was counted is off: by what is within an interval, and by counting a few. */
static double noise(const struct tl_pmu_work *s, size_t cell)
{
	double f = tl_pmu_running(s, cell), v = s->scatter[cell];

	if (f >= TL_PMU_FULL)
		return s->jitter[cell % s->events];
	return (1 - f) / f * v + (1 - f) / (s->record->count[cell] + 1);
}

/* What is believed before anything was foretold. */
static void start(struct tl_pmu_work *s)
{
	size_t cell, e;
	double v;

	for (cell = 0; cell < s->cells; cell++)
		s->y[cell] = log(tl_pmu_rate(s->record, cell) + s->f.offset[cell % s->events]);
	for (e = 0; e < s->events; e++) {
		v = tl_pmu_steps(s, e);
		for (cell = e; cell < s->cells; cell += s->events)
			s->scatter[cell] = v;
		s->wide[e] = TL_PMU_NORMAL95;
	}
	for (cell = 0; cell < s->cells; cell++) {
		s->now.value[cell] = s->y[cell];
		s->bad[cell] = tl_pmu_running(s, cell) <= 0 || tl_pmu_above(s, cell);
		s->now.variance[cell] = s->bad[cell] || s->record->count[cell] <= 0 ?
					INFINITY : noise(s, cell);
	}
}

/* What was foretold, in counts while it was counted. */
static double counts_of(const struct tl_pmu_work *s, size_t cell, double value)
{
	return fmax(exp(value) - s->f.offset[cell % s->events], 0) * s->record->running_s[cell];
}

/* Zero, where all that is like it was far from zero. */
static bool is_false_zero(const struct tl_pmu_work *s, size_t cell, const struct tl_foretold *p)
{
	double foretold = counts_of(s, cell, p->value), least = counts_of(s, cell, p->least);

	return s->record->count[cell] <= 0 && foretold >= TL_PMU_COUNTS &&
	       least > ZERO_PART * foretold && least > TL_PMU_COUNTS / 4;
}

/*
 * Of a value that was scaled, twice what is known is asked for: weighing does the rest. And where
 * next to nothing is foretold, that is what most programs do before they do something.
 */
static bool is_outlier(const struct tl_pmu_work *s, size_t cell, const struct tl_foretold *p)
{
	double far = FAR * p->spread * tl_foretell_off(&s->f, cell % s->events, FAR_PART);
	double above = fmax(s->y[cell] - p->most, 0);

	if (tl_pmu_above(s, cell) || s->peak[cell])
		return true;
	return tl_pmu_running(s, cell) >= TL_PMU_FULL && above > FAR_MIN &&
	       counts_of(s, cell, p->value) >= TL_PMU_COUNTS / 4 &&
	       s->record->count[cell] >= TL_PMU_COUNTS &&
	       s->y[cell] - p->value > fmax(far, FAR_MIN);
}

/*
 * What was counted tells of what was not, as far as it varies within an interval. Or it stands
 * alone, above p, which is right of the rest. Below p nothing does, so that q must have room for
 * what is foretold and does not come.
 */
static void join(struct tl_pmu_work *s, size_t cell, const struct tl_foretold *p)
{
	double f = tl_pmu_running(s, cell), off = s->y[cell] - p->value;
	double q = off > 0 ? p->variance : fmax(p->variance, p->even);
	double seen = f * exp(s->y[cell]), rest = (1 - f) * exp(p->value), v = noise(s, cell);
	double alike = off > 0 ? tl_pmu_alike(off, q + v) : 1, mixed = p->value + q / (q + v) * off;
	double alone = log(seen + rest), value;

	value = log(fmax(alike * exp(mixed) + (1 - alike) * exp(alone), seen));
	rest /= seen + rest;
	s->next.value[cell] = value;
	s->next.variance[cell] = alike * (q * v / (q + v) + pow(mixed - value, 2)) +
				 (1 - alike) * (rest * rest * q + pow(alone - value, 2));
}

/* What is to be believed of a cell of which p is foretold. */
static enum tl_pmu_action weigh(struct tl_pmu_work *s, size_t cell, const struct tl_foretold *p)
{
	double f = tl_pmu_running(s, cell);
	bool outlier = f > 0 && is_outlier(s, cell, p);

	s->next.value[cell] = p->value;
	s->next.variance[cell] = fmax(p->variance, p->even);
	if (f <= 0)
		return TL_PMU_MISSING;
	if (is_false_zero(s, cell, p)) {
		s->next.variance[cell] = INFINITY;
		return TL_PMU_ZERO;
	}
	if (outlier && f >= TL_PMU_FULL)
		return TL_PMU_OUTLIER;
	if (f < TL_PMU_FULL) {
		join(s, cell, p);
		return outlier ? TL_PMU_OUTLIER : TL_PMU_CORRECTED;
	}
	s->next.value[cell] = s->y[cell];
	s->next.variance[cell] = noise(s, cell);
	return TL_PMU_KEPT;
}

static void cell_pass(struct tl_pmu_work *s, size_t cell)
{
	s->next.value[cell] = s->now.value[cell];
	s->next.variance[cell] = s->now.variance[cell];
	if (s->out->action[cell] == TL_PMU_ABSENT || s->out->event[cell % s->events].unlike)
		return;
	if (s->said[cell]) {
		s->out->action[cell] = weigh(s, cell, &s->told[cell]);
		s->spread[cell] = s->told[cell].spread;
	}
}

static int pass(struct tl_pmu_work *s)
{
	struct tl_foretell_state swap;
	size_t cell;
	int code = tl_foretell_try(&s->f, &s->now);

	if (code)
		return code;
	for (cell = 0; cell < s->cells; cell++)
		s->said[cell] = !s->out->event[cell % s->events].unlike &&
				tl_foretell(&s->f, cell / s->events, cell % s->events,
					    &s->told[cell]);
	tl_pmu_fit(s);
	code = tl_pmu_peaks(s);
	for (cell = 0; !code && cell < s->cells; cell++)
		cell_pass(s, cell);
	tl_pmu_ways_choose(s);
	swap = s->now;
	s->now = s->next;
	s->next = swap;
	return code;
}

static double to_count(const struct tl_pmu_work *s, size_t cell, double value)
{
	return fmax(exp(value) - s->f.offset[cell % s->events], 0) * s->record->enabled_s[cell];
}

/*
 * A value that was weighed is known to its own errors; one that was foretold to those tried. What
 * would be an outlier is in no interval.
 */
static void interval_set(struct tl_pmu_work *s, size_t cell, double low, double high)
{
	double most = s->out->event[cell % s->events].threshold * s->record->enabled_s[cell];

	s->out->low95[cell] = to_count(s, cell, low);
	s->out->high95[cell] = fmax(fmin(to_count(s, cell, high), most), s->out->count[cell]);
}

/* A count that was taken all the time, by the noise that the record has. */
static void smooth(struct tl_pmu_work *s, size_t cell)
{
	double n = s->jitter[cell % s->events], q = s->told[cell].variance;
	double off = s->y[cell] - s->told[cell].value, alike = tl_pmu_alike(off, q + n);

	if (s->out->action[cell] != TL_PMU_KEPT || n <= 0 || !s->said[cell] ||
	    s->record->count[cell] <= 0)
		return;
	s->out->action[cell] = TL_PMU_CORRECTED;
	s->now.value[cell] = s->y[cell] - alike * n / (q + n) * off;
	s->now.variance[cell] = alike * q * n / (q + n) + (1 - alike) * n;
}

static void answer(struct tl_pmu_work *s, size_t cell)
{
	size_t event = cell % s->events;
	double spread = s->spread[cell], value, sd;

	smooth(s, cell);
	value = s->now.value[cell];
	sd = s->wide[event] * sqrt(s->now.variance[cell]);
	if (s->out->action[cell] <= TL_PMU_SCALED || s->out->action[cell] == TL_PMU_ABSENT)
		return;
	s->out->count[cell] = to_count(s, cell, value);
	if (s->out->action[cell] == TL_PMU_CORRECTED ||
	    (s->out->action[cell] == TL_PMU_OUTLIER && tl_pmu_running(s, cell) < TL_PMU_FULL))
		interval_set(s, cell, value - sd, value + sd);
	else
		interval_set(s, cell,
			     value + spread * fmin(tl_foretell_off(&s->f, event, 0.025), 0),
			     value + spread * fmax(tl_foretell_off(&s->f, event, 0.975), 0));
}

static int work_init(struct tl_pmu_work *s)
{
	double *memory;

	s->cells = s->record->intervals * s->events;
	memory = calloc(10 * s->cells + 2 * s->events, sizeof(*memory));
	s->y = memory;
	s->bad = calloc(3 * s->cells, sizeof(*s->bad));
	s->told = calloc(s->cells, sizeof(*s->told));
	if (!memory || !s->bad || !s->told)
		return -ENOMEM;
	s->said = s->bad + s->cells;
	s->peak = s->said + s->cells;
	s->spread = memory + s->cells;
	s->now = (struct tl_foretell_state){ s->record->intervals, memory + 2 * s->cells,
					     memory + 3 * s->cells };
	s->next = (struct tl_foretell_state){ s->record->intervals, memory + 4 * s->cells,
					      memory + 5 * s->cells };
	s->room = memory + 6 * s->cells;
	s->scatter = memory + 9 * s->cells;
	s->wide = s->scatter + s->cells;
	s->jitter = s->wide + s->events;
	return tl_foretell_init(&s->f, s->in);
}

/* The middle of how far off what is foretold is. */
static double typical(const struct tl_pmu_work *s, size_t event)
{
	size_t t;

	for (t = 0; t < s->record->intervals; t++)
		s->room[t] = s->spread[t * s->events + event];
	return sqrt(s->f.variance[event]) * tl_median(s->room, t);
}

static void finish(struct tl_pmu_work *s)
{
	size_t cell, event;

	for (cell = 0; cell < s->cells; cell++) {
		event = cell % s->events;
		if (s->f.trials[event] && !s->out->event[event].unlike)
			answer(s, cell);
		else
			tl_pmu_alone(s, cell);
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
	struct tl_pmu_work s = { .in = in, .record = in->record, .out = out,
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
	free(s.told);
	return code;
}
