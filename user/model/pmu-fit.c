// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a record itself says of what is foretold of it
 *
 * Whether the known runs are of this program at all: they are not, for an event, if they foretell
 * what was counted worse than the intervals beside it do, y(t) by (y(t-1) + y(t+1)) / 2, and worse
 * than where it was tried. Both are held against the same counts, and both miss what counting now
 * and then adds, so that nothing needs to be known of that. What is unlike is used for nothing, and the event is judged by its
 * own record.
 *
 * How far off what is foretold is: as far as it was where it was tried, or farther, if the record
 * says so. Residuals r(t) = y(t) - p(t) that have a cause that lasts go together,
 *
 *	4 cov(r(t), r(t+1)) = var(r(t) + r(t+1)) - var(r(t) - r(t+1)),
 *
 * those of counting now and then do not.
 *
 * And v, by how much events scatter within an interval: what r² has above that, and not more than
 * half the squares of steps from one interval to the next, of which the program has a part itself.
 */
#include "median.h"
#include "pmu-work.h"

#include <math.h>

/* Too few values to say anything of them. */
#define FEW 8

#define BESIDE 2 /* intervals to either side, of which the nearest that was counted is taken */

/*
 * What known runs and the intervals beside foretell is compared by what that part is not farther
 * off than; less than a few hundredths are no matter. If known runs are worse for so large a part
 * of the events, they are not of this program; for one event alone, if they are so much worse.
 */
#define WORSE_PART 0.8
#define WORSE_TRIED 1.8 /* deviations: normal ones have that part within 1.28 */
#define WORSE_MIN 0.03
#define UNLIKE_PART 0.3
#define UNLIKE_ALONE 1.5

/* Half of the middle of squared steps between neighbours, as of normal deviates. */
/**
 * tl_pmu_steps() - The most that v of an event can be
 * @s: the work
 * @event: which
 *
 * Return: v, if the program itself never changed.
 */
double tl_pmu_steps(const struct tl_pmu_work *s, size_t event)
{
	double part = 0;
	size_t n = 0, t, last = 0;
	bool any = false;

	for (t = 0; t < s->record->intervals; t++) {
		size_t cell = t * s->events + event;
		double f = tl_pmu_running(s, cell);

		if (f <= 0 || s->record->count[cell] <= 0)
			continue;
		if (any && f < TL_PMU_FULL) {
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

/* How far what was counted is off what was foretold; NAN if there is nothing to compare. */
static double residual(const struct tl_pmu_work *s, size_t cell)
{
	return s->said[cell] && tl_pmu_running(s, cell) > 0 ? s->y[cell] - s->told[cell].value : NAN;
}

/* Two thirds of some of them are not farther from zero: a deviation, whatever the rest is. */
static double square_of(struct tl_pmu_work *s, size_t n)
{
	return pow(tl_quantile(s->room, n, 0.6827), 2);
}

/*
 * What has a cause that lasts is no matter of what was counted when: the covariance of residuals
 * that follow each other, as a quarter of the variance of sums above that of differences.
 */
static double lasting(struct tl_pmu_work *s, size_t event)
{
	double sum = 0, last = NAN, off;
	size_t t, n, sign;

	for (sign = 0; sign < 2; sign++) {
		for (t = 0, n = 0; t < s->record->intervals; t++, last = off) {
			off = residual(s, t * s->events + event);
			if (t && !isnan(off) && !isnan(last))
				s->room[n++] = fabs(sign ? off - last : off + last);
		}
		if (n < FEW)
			return 0;
		sum += (sign ? -1 : 1) * square_of(s, n);
	}
	return sum / 4;
}

/* The nearest interval in a direction in which an event was counted, of the next few; or none. */
static bool beside(const struct tl_pmu_work *s, size_t cell, bool on, double *y)
{
	size_t step = s->events, left;

	for (left = BESIDE; left; left--) {
		if (on ? cell + step >= s->cells : cell < step)
			return false;
		cell = on ? cell + step : cell - step;
		*y = s->y[cell];
		if (tl_pmu_running(s, cell) > 0)
			return true;
	}
	return false;
}

/*
 * How much worse known runs foretell what was counted than the intervals beside do, and than they
 * did where it was tried; below 0 if that cannot be told. All miss what counting now and then adds.
 */
static double worse(struct tl_pmu_work *s, size_t event)
{
	double before, behind, off, far, tried;
	size_t n = 0, t, cell;

	for (t = 0; t < s->record->intervals; t++) {
		cell = t * s->events + event;
		if (isnan(residual(s, cell)) || !beside(s, cell, false, &before) ||
		    !beside(s, cell, true, &behind))
			continue;
		s->room[n] = fabs(s->y[cell] - (before + behind) / 2);
		s->room[s->cells + n] = s->told[cell].variance;
		s->room[2 * s->cells + n++] = fabs(residual(s, cell));
	}
	if (n < FEW)
		return -1;
	far = tl_quantile(s->room, n, WORSE_PART);
	tried = WORSE_TRIED * sqrt(tl_median(s->room + s->cells, n));
	off = tl_quantile(s->room + 2 * s->cells, n, WORSE_PART);
	return off / (fmax(far, tried) + WORSE_MIN);
}

/* Nothing that is known is used of such an event: neither for it nor for others. */
static void unlike_set(struct tl_pmu_work *s, size_t event)
{
	size_t t, cell;

	s->out->event[event].unlike = true;
	s->out->unlike++;
	tl_pmu_event_own(s->in, event, &s->out->event[event]);
	for (t = 0; t < s->record->intervals; t++) {
		cell = t * s->events + event;
		s->bad[cell] = tl_pmu_running(s, cell) <= 0 || tl_pmu_above(s, cell);
		s->now.value[cell] = s->y[cell];
		s->now.variance[cell] = INFINITY;
		if (s->out->action[cell] != TL_PMU_ABSENT)
			s->out->action[cell] = tl_pmu_running(s, cell) < TL_PMU_FULL ? TL_PMU_SCALED : TL_PMU_KEPT;
	}
}

/* Events that known runs are not like; if these are many, it is not the program that is known. */
static void guard(struct tl_pmu_work *s)
{
	size_t tried = 0, unlike = 0, e;
	bool now[s->events];
	double by;

	for (e = 0; e < s->events; e++) {
		by = s->f.trials[e] ? worse(s, e) : -1;
		now[e] = by > UNLIKE_ALONE && !s->out->event[e].unlike;
		unlike += by > 1 || s->out->event[e].unlike;
		tried += by >= 0 || s->out->event[e].unlike;
	}
	for (e = 0; e < s->events; e++)
		if (now[e] || (unlike > UNLIKE_PART * (double)tried && !s->out->event[e].unlike &&
			       s->out->event[e].known))
			unlike_set(s, e);
}

/*
 * v of an event: what its scaled values are farther off what was foretold than the truth is. And
 * how many deviations off are 95 of 100 of them: more than of normal ones.
 */
static void scatter_fit(struct tl_pmu_work *s, size_t event)
{
	double part = 0, square, q, v, off;
	size_t n = 0, t, i, cell;

	s->wide[event] = TL_PMU_NORMAL95;
	for (t = 0; t < s->record->intervals; t++) {
		double f = tl_pmu_running(s, t * s->events + event);

		cell = t * s->events + event;
		off = residual(s, cell);
		if (isnan(off) || f >= TL_PMU_FULL || s->record->count[cell] <= 0)
			continue;
		s->room[n] = fabs(off);
		s->room[s->cells + n] = s->room[2 * s->cells + n] = s->told[cell].variance;
		part += (1 - f) / f;
		n++;
	}
	if (n < FEW)
		return;
	q = tl_quantile(s->room + 2 * s->cells, n, 0.6827);
	part /= (double)n;
	for (i = 0; i < n; i++)
		s->room[2 * s->cells + i] = s->room[i];
	square = square_of(s, n);
	v = fmin(tl_pmu_steps(s, event), fmax(square - q, q / 16) / part);
	s->scatter[event] = v;
	for (i = 0; i < n; i++)
		s->room[i] = s->room[i + 2 * s->cells] / sqrt(s->room[s->cells + i] + v * part);
	s->wide[event] = fmin(fmax(TL_PMU_NORMAL95, tl_quantile(s->room, n, 0.95)), 2 * TL_PMU_NORMAL95);
}

/* Where the record says that what is foretold is farther off than where it was tried, it is. */
static void widen(struct tl_pmu_work *s, size_t event)
{
	double more = lasting(s, event), q;
	size_t n = 0, t;

	for (t = 0; t < s->record->intervals; t++)
		if (!isnan(residual(s, t * s->events + event)))
			s->room[n++] = s->told[t * s->events + event].variance;
	q = tl_quantile(s->room, n, 0.6827);
	if (!n || more <= q)
		return;
	tl_foretell_widen(&s->f, event, more / q);
	for (t = 0; t < s->record->intervals; t++)
		s->told[t * s->events + event].variance *= more / q;
}

/**
 * tl_pmu_fit() - Find out what what is foretold is worth
 * @s: the work, in which it was foretold
 */
void tl_pmu_fit(struct tl_pmu_work *s)
{
	size_t e;

	guard(s);
	for (e = 0; e < s->events; e++) {
		if (!s->f.trials[e] || s->out->event[e].unlike)
			continue;
		widen(s, e);
		scatter_fit(s, e);
	}
}
