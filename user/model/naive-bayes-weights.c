// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each feature's vote is worth, for features that are not independent
 *
 * Of examples that were judged by others (never by counts that they are part of) the log likelihoods
 * x_ifc of feature f for class c are known, and so is their class y_i. Weights w are the likeliest with
 *
 *   P(c | i) = exp(Σ_f w_f x_ifc) / Σ_c' exp(Σ_f w_f x_ifc'),   w_f ≥ 0,
 *
 * where examples of one group are alike and count as one together, and a penalty r (w_f - 1)² that keeps them at 1, plain naive Bayes, where there is nothing to know. It is convex:
 * one weight after the other goes by Newton's step until none moves. Without it a classifier is much surer than it is
 * right, for it hears the same thing several times.
 *
 * Cost: 100 sweeps at most, each examples x features² x classes.
 */
#include "naive-bayes.h"

#include <math.h>

#define SWEEPS 100
#define STEP_LEAST 1e-6
#define PENALTY 2.0
#define WEIGHT_MOST 4.0

static double part_of(const struct tl_bayes_out *out, size_t features, size_t f, size_t c)
{
	return f < features ? out->part[f][c] : out->prior[c];
}

/* Classes without examples had no posterior, and get none. */
static void posteriors(const struct tl_bayes *bayes, const struct tl_bayes_out *out, double *p)
{
	double most = -INFINITY, sum = 0;
	size_t f, c;

	for (c = 0; c < bayes->classes; c++) {
		p[c] = 0;
		for (f = 0; f <= bayes->features; f++)
			p[c] += bayes->weight[f] * part_of(out, bayes->features, f, c);
		if (out->posterior[c] > 0)
			most = fmax(most, p[c]);
	}
	for (c = 0; c < bayes->classes; c++) {
		p[c] = out->posterior[c] > 0 ? exp(p[c] - most) : 0;
		sum += p[c];
	}
	for (c = 0; c < bayes->classes; c++)
		p[c] /= sum;
}

/* Newton's step of one weight. */
static double step(const struct tl_bayes *bayes, const struct tl_bayes_out *out, const size_t *class, size_t n, size_t f,
		   double penalty)
{
	double slope = 2 * penalty * (bayes->weight[f] - 1), bend = 2 * penalty, p[TL_BAYES_CLASSES], x, mean, square;
	size_t i, c;

	for (i = 0; i < n; i++) {
		if (!out[i].known || !(out[i].posterior[class[i]] > 0))
			continue;
		posteriors(bayes, &out[i], p);
		for (c = 0, mean = 0, square = 0; c < bayes->classes; c++) {
			x = part_of(&out[i], bayes->features, f, c);
			mean += p[c] * x;
			square += p[c] * x * x;
		}
		slope += mean - part_of(&out[i], bayes->features, f, class[i]);
		bend += square - mean * mean;
	}
	return -slope / bend;
}

/**
 * tl_bayes_weigh() - Find what each feature's vote is worth
 * @out: [@n] what examples were judged to be, with all weights 1, by counts that they are no part of
 * @class: [@n] what they are
 * @n: how many
 * @groups: of how many groups, 1 or more
 * @bayes: its weights are set
 */
void tl_bayes_weigh(const struct tl_bayes_out *out, const size_t *class, size_t n, size_t groups, struct tl_bayes *bayes)
{
	double before, most = 1, penalty = PENALTY * (double)n / (double)groups;
	size_t f;
	int sweep;

	for (sweep = 0; n && sweep < SWEEPS && most > STEP_LEAST; sweep++)
		for (f = 0, most = 0; f <= bayes->features; f++) {
			before = bayes->weight[f];
			bayes->weight[f] = fmin(fmax(before + step(bayes, out, class, n, f, penalty), 0), WEIGHT_MOST);
			most = fmax(most, fabs(bayes->weight[f] - before));
		}
}
