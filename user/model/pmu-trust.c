// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How far off what is foretold is, by how far apart the nearest samples are
 *
 * Where the nearest are all alike, what is foretold is mostly right to next to nothing, and now and
 * then wrong by far; where they are apart, it is off by less than they are. One variance in units
 * of how far they are apart is made by the few that were wrong by far, and then far too large for
 * all others. So trials are taken in steps, by how far their nearest were apart, each as many;
 * between the middles of steps logarithms go straight.
 *
 * In a step it is the variance q s², s being how far they are apart, with which the trials are
 * likeliest, of which each may be one that tells nothing, of a density that is the same everywhere,
 * as what is weighed may be (TL_PMU_ALONE).
 *
 * Source: A. P. Dempster, N. M. Laird, D. B. Rubin, J. R. Statist. Soc. B 39 (1977).
 */
#include "pmu-trust.h"

#include "pmu-work.h"

#include <math.h>
#include <stdlib.h>

#define LEAST 1e-4 /* variance, in units of how far they are apart */
#define TIMES 30
#define ENOUGH 8 /* trials in a step */

static int by_spread(const void *a, const void *b)
{
	const struct tl_trust_trial *one = a, *other = b;

	return (one->spread > other->spread) - (one->spread < other->spread);
}

/* Begun with what all of them have, from which it comes down. */
static double likeliest(const struct tl_trust_trial *trial, size_t n)
{
	double q = 0, all, sum, w, s;
	size_t i;
	int times;

	for (i = 0; i < n; i++)
		q += pow(trial[i].off / trial[i].spread, 2) / (double)n;
	q = fmax(q, LEAST);
	for (times = 0; times < TIMES; times++, q = fmax(sum / all, LEAST)) {
		for (all = 0, sum = 0, i = 0; i < n; i++) {
			s = trial[i].spread;
			w = tl_pmu_alike(trial[i].off, q * s * s);
			all += w;
			sum += w * pow(trial[i].off / s, 2);
		}
		/* None belongs: nothing better is known. */
		if (all < 1)
			break;
	}
	return q;
}

/**
 * tl_trust_fit() - Find out how far off trials were
 * @trust: filled in
 * @trial: sorted by @trial->spread then
 * @n: how many
 * @variance: of all of them, in units of how far their nearest are apart; above zero
 */
void tl_trust_fit(struct tl_trust *trust, struct tl_trust_trial *trial, size_t n, double variance)
{
	size_t step, from, to, i;
	double at;

	trust->steps = n < ENOUGH * TL_TRUST_STEPS ? 0 : TL_TRUST_STEPS;
	qsort(trial, n, sizeof(*trial), by_spread);
	for (step = 0; step < trust->steps; step++) {
		from = step * n / trust->steps;
		to = (step + 1) * n / trust->steps;
		for (at = 0, i = from; i < to; i++)
			at += log(trial[i].spread) / (double)(to - from);
		trust->at[step] = at;
		trust->factor[step] = log(likeliest(trial + from, to - from) / variance);
	}
}

/**
 * tl_trust_factor() - What the variance is, where the nearest are so far apart
 * @trust: of tl_trust_fit()
 * @spread: how far, above zero
 *
 * Return: it, in units of that of all trials.
 */
double tl_trust_factor(const struct tl_trust *trust, double spread)
{
	double x = log(spread), between;
	size_t i = 0;

	if (!trust->steps)
		return 1;
	while (i < trust->steps && trust->at[i] <= x)
		i++;
	if (!i || i == trust->steps)
		return exp(trust->factor[i ? i - 1 : 0]);
	between = (x - trust->at[i - 1]) / (trust->at[i] - trust->at[i - 1]);
	return exp(trust->factor[i - 1] + between * (trust->factor[i] - trust->factor[i - 1]));
}
