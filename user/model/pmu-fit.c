// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a record itself says of what is foretold of it
 *
 * Whether the known runs are of this program at all: they are not, for an event, if they foretell
 * what was counted worse than the intervals beside it do, y(t) by (y(t-1) + y(t+1)) / 2, and worse
 * than where it was tried. Both are held against the same counts, and both miss what counting now
 * and then adds, so that nothing needs to be known of that. What is unlike is used for nothing, and
 * the event is judged by its own record.
 *
 * How far off what is foretold is: as far as it was where it was tried, or farther, if the record
 * says so. Residuals r(t) = y(t) - p(t) that have a cause that lasts go together,
 *
 *	4 cov(r(t), r(t+1)) = var(r(t) + r(t+1)) - var(r(t) - r(t+1)),
 *
 * those of counting now and then do not.
 *
 * Of how many ways the mean is foretold the next time (pmu-foretell.c): of that many of which it is
 * nearest to what was counted, which none of them has seen. Trials cannot tell that of a record that is of
 * another machine, or has bursts.
 *
 * How far what was counted is off: pmu-noise.c.
 */
#include "median.h"
#include "pmu-work.h"

#include <math.h>

#define BESIDE 2 /* intervals to either side, of which the nearest that was counted is taken */

/*
 * What known runs and the intervals beside foretell is compared by what that part is not farther
 * off than; less than a few hundredths are no matter. If known runs are worse for so large a part
 * of the events, they are not of this program; for one event alone, if they are so much worse, and
 * that is certain: of the few intervals in which one of many events was counted, the part that
 * known runs are far off in may be so large by chance.
 */
#define WORSE_PART 0.8
#define WORSE_TRIED 1.8 /* deviations: normal ones have that part within 1.28 */
#define WORSE_MIN 0.03
#define UNLIKE_PART 0.3
#define UNLIKE_ALONE 1.5
#define CERTAIN 1.645 /* deviations: one of twenty is beyond that, on one side */

/**
 * tl_pmu_residual() - How far what was counted is off what was foretold
 * @s: the work
 * @cell: interval times events plus event
 *
 * Return: it, in logarithms; NAN if there is nothing to compare.
 */
double tl_pmu_residual(const struct tl_pmu_work *s, size_t cell)
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
			off = tl_pmu_residual(s, t * s->events + event);
			if (t && !isnan(off) && !isnan(last))
				s->room[n++] = fabs(sign ? off - last : off + last);
		}
		if (n < TL_PMU_FEW)
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
 * @least: set to how much it is for certain: the quantile of n values has the variance p (1 - p) / n
 * in parts of them.
 */
static double worse(struct tl_pmu_work *s, size_t event, double *least)
{
	double before, behind, far, tried, *off = s->room + 2 * s->cells;
	size_t n = 0, t, cell;

	for (t = 0; t < s->record->intervals; t++) {
		cell = t * s->events + event;
		if (isnan(tl_pmu_residual(s, cell)) || !beside(s, cell, false, &before) ||
		    !beside(s, cell, true, &behind))
			continue;
		s->room[n] = fabs(s->y[cell] - (before + behind) / 2);
		s->room[s->cells + n] = s->told[cell].even;
		off[n++] = fabs(tl_pmu_residual(s, cell));
	}
	*least = -1;
	if (n < TL_PMU_FEW)
		return -1;
	far = tl_quantile(s->room, n, WORSE_PART);
	tried = WORSE_TRIED * sqrt(tl_median(s->room + s->cells, n));
	far = fmax(far, tried) + WORSE_MIN;
	*least = tl_quantile(off, n, WORSE_PART - CERTAIN * sqrt(WORSE_PART * (1 - WORSE_PART) / (double)n)) /
		 far;
	return tl_quantile(off, n, WORSE_PART) / far;
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
			s->out->action[cell] = tl_pmu_running(s, cell) < TL_PMU_FULL ?
						TL_PMU_SCALED : TL_PMU_KEPT;
	}
}

/* Events that known runs are not like; if these are many, it is not the program that is known. */
static void guard(struct tl_pmu_work *s)
{
	size_t tried = 0, unlike = 0, e;
	bool now[s->events];
	double by, least;

	for (e = 0; e < s->events; e++) {
		by = least = -1;
		if (s->f.trials[e])
			by = worse(s, e, &least);
		now[e] = least > UNLIKE_ALONE && !s->out->event[e].unlike;
		unlike += by > 1 || s->out->event[e].unlike;
		tried += by >= 0 || s->out->event[e].unlike;
	}
	for (e = 0; e < s->events; e++)
		if (now[e] || (unlike > UNLIKE_PART * (double)tried && !s->out->event[e].unlike &&
			       s->out->event[e].known))
			unlike_set(s, e);
}

/* Where the record says that what is foretold is farther off than where it was tried, it is. */
static void widen(struct tl_pmu_work *s, size_t event)
{
	double more = lasting(s, event), q;
	size_t n = 0, t;

	for (t = 0; t < s->record->intervals; t++)
		if (!isnan(tl_pmu_residual(s, t * s->events + event)))
			s->room[n++] = s->told[t * s->events + event].variance;
	q = tl_quantile(s->room, n, 0.6827);
	if (!n || more <= q)
		return;
	tl_foretell_widen(&s->f, event, more / q);
	for (t = 0; t < s->record->intervals; t++) {
		s->told[t * s->events + event].variance *= more / q;
		s->told[t * s->events + event].even *= more / q;
	}
}

/* Which mean of ways was nearest to what was counted, on an average. */
static size_t ways_of(const struct tl_pmu_work *s, size_t event)
{
	double off[TL_FORETELL_WAYS] = { 0 };
	size_t cell, best = 0, n;

	for (cell = event; cell < s->cells; cell += s->events)
		for (n = 0; !isnan(tl_pmu_residual(s, cell)) && n < TL_FORETELL_WAYS; n++)
			off[n] += fabs(s->y[cell] - s->told[cell].by[n]);
	for (n = 1; n < TL_FORETELL_WAYS; n++)
		if (off[n] < off[best])
			best = n;
	return best + 1;
}

/**
 * tl_pmu_fit() - Find out what what is foretold is worth
 * @s: the work, in which it was foretold
 */
void tl_pmu_fit(struct tl_pmu_work *s)
{
	size_t e;

	guard(s);
	for (e = 0; e < s->events; e++)
		if (s->f.trials[e] && !s->out->event[e].unlike)
			widen(s, e);
	tl_pmu_noise_fit(s);
}

/**
 * tl_pmu_ways_choose() - Choose of how many ways the mean is foretold from now on
 * @s: the work, in which it was foretold
 */
void tl_pmu_ways_choose(struct tl_pmu_work *s)
{
	size_t e;

	for (e = 0; e < s->events; e++)
		s->f.ways[e] = ways_of(s, e);
}
