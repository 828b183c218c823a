// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An event that no known run has, or of which the known runs are not: what was counted stays
 *
 * but for its outliers, those above mean + n sd, n = 5, if they stand alone: among its neighbours,
 * and with no other event up at that time, as those are when it is the program that has a peak.
 * They are replaced by the local median, and so is what was not counted at all, or is a zero among
 * counts that are far from it. What was counted for a part of the time stays as equation 1 has it:
 * whether the program did for all of the time what stands out in that part, nothing tells, and
 * to do nothing must not have been better.
 *
 * Source: paper 003, 2.3.
 */
#include "median.h"
#include "pmu-work.h"

#include <math.h>

/* A peak of another event is so many times all that is near it. */
#define ALSO 1.3

/* The least and the most of an event around an interval, without it. */
static bool around(const struct tl_pmu_work *s, size_t cell, double *least, double *most)
{
	size_t t = cell / s->events, at = t < TL_MEDIAN_REACH ? 0 : t - TL_MEDIAN_REACH, near;
	double rate;

	*least = INFINITY;
	*most = 0;
	for (; at <= t + TL_MEDIAN_REACH && at < s->record->intervals; at++) {
		near = at * s->events + cell % s->events;
		if (near == cell || tl_pmu_running(s, near) <= 0)
			continue;
		rate = tl_pmu_rate(s->record, near);
		*least = fmin(*least, rate);
		*most = fmax(*most, rate);
	}
	return isfinite(*least);
}

/* Whether another event has a peak in that interval: then the program has one, not the counter. */
static bool have_others(const struct tl_pmu_work *s, size_t cell)
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
static bool is_lone(const struct tl_pmu_work *s, size_t cell)
{
	double rate = tl_pmu_rate(s->record, cell), least, most;

	if (!around(s, cell, &least, &most))
		return false;
	if (rate <= 0)
		return least * s->record->running_s[cell] >= TL_PMU_COUNTS;
	return tl_pmu_above(s, cell) && rate > TL_PMU_MAX * most && !have_others(s, cell);
}

/**
 * tl_pmu_alone() - Clean a cell by what is around it
 * @s: the work
 * @cell: interval times events plus event
 */
void tl_pmu_alone(struct tl_pmu_work *s, size_t cell)
{
	double *sorted = s->room, median;
	struct tl_median_in in = { s->out->count + cell % s->events, s->bad + cell % s->events,
				   s->record->intervals, s->events, cell / s->events,
				   TL_MEDIAN_REACH };
	enum tl_pmu_action action = TL_PMU_MISSING;
	size_t n = 0, t, at;

	if (s->out->action[cell] == TL_PMU_ABSENT)
		return;
	if (tl_pmu_running(s, cell) > 0)
		action = tl_pmu_above(s, cell) ? TL_PMU_OUTLIER : TL_PMU_ZERO;
	if (action != TL_PMU_MISSING && tl_pmu_running(s, cell) < TL_PMU_FULL)
		return;
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

