// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How far what was counted is off what happened
 *
 * Of the part f of an interval: by what an event varies within it. That is less where nothing
 * changes and more where the program goes from one thing to another, as intervals themselves do:
 * with d, half the mean square of how the nearest known samples change from interval to interval,
 *
 *	var(y - x) = c d (1 - f) / f,
 *
 * of which c is near 1/2 for what changes at any time. Of all of an interval: by the noise of
 * counting, n, which is that of the values themselves, whatever the event and the time.
 *
 * Both are what makes the residuals r = y - p most likely, of which q is known, normal ones but
 * for a few that tell nothing,
 *
 *	Π (φ(r; 0, q + var) + a),
 *
 * by trying out powers of the square root of two. n is that of all events, and each may be somewhat
 * off it. There is none unless it is much likelier than none, and none is more than what the
 * quietest quarter of an event is off the middle of its neighbours in time: what a program does
 * that known runs do not may last, and noise does not.
 * An event that seldom happens, of which that cannot be told, says nothing of the n of all, and has it.
 *
 * Sources: R. A. Fisher, Phil. Trans. A 222 (1922), of what is likeliest; J. W. Tukey, in
 * Contributions to Probability and Statistics (1960), of the few.
 */
#include "median.h"
#include "pmu-work.h"

#include <math.h>

#define STEP_MIN 1e-4 /* nothing is taken to vary less than by a hundredth */

/* c is tried from SCATTER on, and thought to be so many doublings around a half. */
#define SCATTER (1.0 / 256)
#define SCATTERS 24
#define SCATTER_USUAL 0.5
#define DOUBLINGS 3.0

/* So is n: an event's own is so many doublings off that of all. */
#define JITTER 1e-5
#define JITTERS 22
#define JITTER_DOUBLINGS 1.0
#define JITTER_LIKELIER 0.1 /* than none, in logarithms a value */

/* A quarter of normal deviates are within so many of zero; of what is off the middle of two. */
#define QUARTER 0.3186
#define MIDDLE_OF_TWO 1.5

static double power(double first, size_t i)
{
	return first * exp2((double)i / 2);
}

/* What a value costs that is so many doublings off what is usual, of normal ones. */
static double cost(double doublings, double usual)
{
	return doublings * doublings / (2 * usual * usual);
}

/**
 * tl_pmu_normal() - Density of a normal deviate
 * @off: how far from its mean
 * @variance: its variance, above zero
 *
 * Return: it.
 */
double tl_pmu_normal(double off, double variance)
{
	return exp(-off * off / (2 * variance)) / sqrt(2 * M_PI * variance);
}

/**
 * tl_pmu_alike() - How likely it is that two values differ by their errors only
 * @off: by how much
 * @variance: of the errors, above zero
 *
 * Return: it; else the difference is what tells nothing, of the density %TL_PMU_ALONE.
 */
double tl_pmu_alike(double off, double variance)
{
	double normal = tl_pmu_normal(off, variance);

	return normal / (normal + TL_PMU_ALONE);
}

/**
 * tl_pmu_steps() - The most that an event can vary within an interval
 * @s: the work
 * @event: which
 *
 * Half of the middle of squared steps between neighbours, as of normal deviates.
 *
 * Return: variance of half an interval, if the program itself never changed.
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

/* Residuals of what was counted for a part, what of them is known, and what c is multiplied by. */
static size_t parts(struct tl_pmu_work *s, size_t event)
{
	double *off = s->room, *known = off + s->cells, *varies = known + s->cells, f;
	size_t n = 0, cell;

	for (cell = event; cell < s->cells; cell += s->events) {
		f = tl_pmu_running(s, cell);
		if (isnan(tl_pmu_residual(s, cell)) || f >= TL_PMU_FULL || s->record->count[cell] <= 0)
			continue;
		off[n] = tl_pmu_residual(s, cell);
		known[n] = s->told[cell].variance + (1 - f) / (s->record->count[cell] + 1);
		varies[n++] = (s->told[cell].step + STEP_MIN) * (1 - f) / f;
	}
	return n;
}

static double parts_likely(const struct tl_pmu_work *s, size_t n, double c)
{
	const double *off = s->room, *known = off + s->cells, *varies = known + s->cells;
	double sum = -cost(log2(c / SCATTER_USUAL), DOUBLINGS);
	size_t i;

	for (i = 0; i < n; i++)
		sum += log(tl_pmu_normal(off[i], known[i] + c * varies[i]) + TL_PMU_ALONE);
	return sum;
}

/* How many deviations off are 95 of 100: more than of normal ones. */
static double wide_of(struct tl_pmu_work *s, size_t n, double c)
{
	double *off = s->room, *known = off + s->cells, *varies = known + s->cells;
	size_t i;

	if (n < TL_PMU_FEW)
		return TL_PMU_NORMAL95;
	for (i = 0; i < n; i++)
		off[i] = fabs(off[i]) / sqrt(known[i] + c * varies[i]);
	return fmin(fmax(TL_PMU_NORMAL95, tl_quantile(off, n, 0.95)), 2 * TL_PMU_NORMAL95);
}

static void scatter_fit(struct tl_pmu_work *s, size_t event)
{
	size_t n = parts(s, event), i, cell;
	double c = SCATTER_USUAL, best = -INFINITY, sum;

	for (i = 0; n >= TL_PMU_FEW && i < SCATTERS; i++) {
		sum = parts_likely(s, n, power(SCATTER, i));
		if (sum > best) {
			best = sum;
			c = power(SCATTER, i);
		}
	}
	for (cell = event; cell < s->cells; cell += s->events)
		s->scatter[cell] = c * (s->told[cell].step + STEP_MIN);
	s->wide[event] = wide_of(s, n, c);
}

static bool is_counted(const struct tl_pmu_work *s, size_t cell)
{
	return tl_pmu_running(s, cell) >= TL_PMU_FULL && s->record->count[cell] > 0;
}

/*
 * The quietest quarter of what is off the middle of both neighbours: so much noise at most. Infinite
 * if there are too few.
 */
static double quiet(struct tl_pmu_work *s, size_t event)
{
	size_t n = 0, cell, step = s->events;

	for (cell = event + step; cell + step < s->cells; cell += step)
		if (is_counted(s, cell) && is_counted(s, cell - step) && is_counted(s, cell + step))
			s->room[n++] = fabs(s->y[cell] - (s->y[cell - step] + s->y[cell + step]) / 2);
	return n < TL_PMU_FEW ? INFINITY : pow(tl_quantile(s->room, n, 0.25) / QUARTER, 2) / MIDDLE_OF_TWO;
}

static double jitter_likely(const struct tl_pmu_work *s, size_t event, double n)
{
	double sum = 0, off;
	size_t cell;

	for (cell = event; cell < s->cells; cell += s->events) {
		off = tl_pmu_residual(s, cell);
		if (is_counted(s, cell) && !isnan(off))
			sum += log(tl_pmu_normal(off, s->told[cell].variance + n) + TL_PMU_ALONE);
	}
	return sum;
}

/*
 * An event's own n, by how likely each is and how far off that of all. It is no more than that:
 * where residuals are, it is the program that does what known runs do not.
 */
static double jitter_of(const double *likely, size_t all, double most)
{
	double best = -INFINITY, sum, own = 0;
	size_t i;

	for (i = 1; i <= all; i++) {
		sum = likely[i] - cost(((double)i - (double)all) / 2, JITTER_DOUBLINGS);
		if (sum > best) {
			best = sum;
			own = fmin(power(JITTER, i), most);
		}
	}
	return own;
}

static bool is_known(const struct tl_pmu_work *s, size_t event)
{
	return s->f.trials[event] && !s->out->event[event].unlike;
}

/* The first that is tried is none. */
static void jitter_fit(struct tl_pmu_work *s)
{
	double likely[s->events][JITTERS], sum[JITTERS] = { 0 }, most[s->events], more = 0;
	size_t e, i, all = 0;

	for (e = 0; e < s->events; e++) {
		s->jitter[e] = 0;
		most[e] = is_known(s, e) ? quiet(s, e) : 0;
		for (i = 0; most[e] > 0 && i < JITTERS; i++) {
			likely[e][i] = jitter_likely(s, e, i ? fmin(power(JITTER, i), most[e]) : 0);
			sum[i] += isfinite(most[e]) ? likely[e][i] : 0;
		}
		more += most[e] > 0 && isfinite(most[e]) ? JITTER_LIKELIER * (double)s->record->intervals : 0;
	}
	for (i = 1; i < JITTERS; i++)
		if (sum[i] > sum[all] + (all ? 0 : more))
			all = i;
	for (e = 0; all && e < s->events; e++)
		if (most[e] > 0)
			s->jitter[e] = jitter_of(likely[e], all, most[e]);
}

/**
 * tl_pmu_noise_fit() - Find out what what was counted is worth
 * @s: the work, in which it was foretold, and how far that is off is known
 */
void tl_pmu_noise_fit(struct tl_pmu_work *s)
{
	size_t e;

	for (e = 0; e < s->events; e++)
		if (is_known(s, e))
			scatter_fit(s, e);
	jitter_fit(s);
}
