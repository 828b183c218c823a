// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Did the load vary, or only counts by chance?
 *
 * Where clients wait for answers before they ask again, a window whose requests happen
 * to be costly has fewer of them: counts and residuals depend on each other, against
 * which no standard error helps (W. H. Greene, Econometric Analysis, 2012, ch. 8: least
 * squares is inconsistent). It is harmless if something else makes the load vary by much
 * more. What counting alone makes of the variance of Σ_i c_i n_i / T is
 * Σ_i c_i² n_i / T², that of independent arrivals: clients that wait have less. Lagged
 * counts as instruments would help only if the load varied, and slowly.
 *
 * What remains certain without any variation is the utilisation law over all windows
 * together: u T = b_0 T + Σ_i c_i n_i, where nothing is below zero, so that no class
 * costs more than all that was used, divided by its requests.
 */
#include "chance.h"

#include "model/estimate.h"

#include <math.h>

/* Where nothing costs anything, requests are counted. */
static double load_of(const struct tl_chance_in *in, const struct tl_estimate *coefficient,
		      size_t w, bool any, double *chance)
{
	double load = 0, rate, cost;
	size_t i;

	for (i = 0; i < in->classes; i++) {
		rate = in->count[w * in->classes + i] / in->seconds[w];
		cost = any ? coefficient[i].value : 1;
		load += rate * cost;
		*chance += rate / in->seconds[w] * cost * cost;
	}
	return load;
}

/* Costs that hardly vary leave no residual that counts could depend on. */
static bool is_chance(const struct tl_chance_in *in, const struct tl_estimate *coefficient)
{
	double chance = 0, mean = 0, squares = 0, off = 0, load, variance;
	bool any = false;
	size_t w, i;

	for (i = 0; i < in->classes; i++)
		any |= coefficient[i].value != 0;

	for (w = 0; w < in->windows; w++) {
		load = load_of(in, coefficient, w, any, &chance);
		mean += load / (double)in->windows;
		squares += load * load;
		off += in->residual[w] * in->residual[w];
	}
	variance = squares - (double)in->windows * mean * mean;
	return chance >= TL_CHANCE_MAX * variance &&
	       (!any || off >= TL_CHANCE_MAX * TL_CHANCE_MAX * variance);
}

/* All that was used, and two standard errors of it. */
static double total_of(const struct tl_chance_in *in)
{
	double total = 0, square = 0;
	size_t w;

	for (w = 0; w < in->windows; w++) {
		total += in->target[w] * in->seconds[w];
		square += pow(in->residual[w] * in->seconds[w], 2);
	}
	return total + 2 * sqrt(square);
}

/**
 * tl_chance_judge() - Withdraw estimates that rest on nothing but chance
 * @in: regression
 * @coefficient: [classes] its estimates; those of which something was said get an interval
 *               that does not rest on the regression, and a verdict
 *
 * Return: whether they were.
 */
bool tl_chance_judge(const struct tl_chance_in *in, struct tl_estimate *coefficient)
{
	double total = total_of(in), requests;
	size_t w, i;

	if (!is_chance(in, coefficient))
		return false;
	for (i = 0; i < in->classes; i++) {
		struct tl_estimate *e = &coefficient[i];

		if (e->verdict == TL_VERDICT_INSEPARABLE || e->verdict == TL_VERDICT_ABSENT)
			continue;
		for (w = 0, requests = 0; w < in->windows; w++)
			requests += in->count[w * in->classes + i];
		e->low95 = 0;
		e->high95 = requests > 0 ? fmax(total, 0) / requests : 0;
		e->verdict = TL_VERDICT_CHANCE;
	}
	return true;
}
