// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How many groups a sample is of, by evidence
 *
 * A group is a hump: a density that grows up to its mode and falls behind it, of whatever form, heavy
 * tails too. The density of m humps that is likeliest is known without any parameter: between two
 * cuts the isotonic regression of the counts of bins, rising up to the best mode and falling from there
 * on, and the best cuts by dynamic programming. One hump more is believed if the log likelihood
 *
 *	L = sum over bins of n_b log p_b
 *
 * grows by more than a bound. What chance gives one that is not there hardly depends on how many
 * values there are, nor on their distribution: 1 to 5 for samples of 200 to 6000 of normal,
 * exponential, log-normal, t and Pareto distributions, while a group of one in twenty that stands
 * off gives hundreds (selftests/model/test-anomaly.c).
 *
 * Cuts that are as likely as the best one lie side by side where nothing is; the middle one is
 * taken, of the first, on demand, the lowest that loses little.
 *
 * Sources: M. Ayer and others, Ann. Math. Stat. 26 (1955), adjacent violators; E. J. Wegman, Ann. Math.
 * Stat. 41 (1970), the density with one mode; J. A. Hartigan, P. M. Hartigan, Ann. Stat. 13 (1985).
 */
#include "humps.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINS TL_HUMPS_BINS
#define SAME 1e-9 /* log likelihoods that only rounding tells apart */

struct work {
	size_t bins;
	double low, width, count[BINS];
	double rise[BINS][BINS + 1]; /* of bins i to i + m - 1, rising: [i][m] */
	double fall[BINS + 1][BINS + 1]; /* of bins j - m to j - 1, falling: [j][m] */
	double hump[BINS][BINS + 1]; /* of bins i to j - 1: [i][j] */
	double best[TL_HUMPS_MAX][BINS + 1]; /* of the first j, k + 1 humps */
};

static double likelihood(double count, double bins)
{
	return count > 0 ? count * log(count / bins) : 0;
}

/* Of each beginning of a row of bins, rising; step -1 goes backwards. */
static void rising(const double *count, size_t n, int step, double *sum)
{
	double c[BINS], w[BINS], total = 0;
	size_t blocks = 0, i;

	sum[0] = 0;
	for (i = 0; i < n; i++, count += step) {
		c[blocks] = *count;
		w[blocks++] = 1;
		total += likelihood(*count, 1);
		while (blocks > 1 && c[blocks - 2] * w[blocks - 1] > c[blocks - 1] * w[blocks - 2]) {
			blocks--;
			total -= likelihood(c[blocks - 1], w[blocks - 1]) + likelihood(c[blocks], w[blocks]);
			c[blocks - 1] += c[blocks];
			w[blocks - 1] += w[blocks];
			total += likelihood(c[blocks - 1], w[blocks - 1]);
		}
		sum[i + 1] = total;
	}
}

static void humps_fill(struct work *w)
{
	size_t i, j, m;

	for (i = 0; i < w->bins; i++)
		rising(w->count + i, w->bins - i, 1, w->rise[i]);
	for (j = 1; j <= w->bins; j++)
		rising(w->count + j - 1, j, -1, w->fall[j]);
	for (i = 0; i < w->bins; i++)
		for (j = i + 1; j <= w->bins; j++) {
			w->hump[i][j] = -DBL_MAX;
			for (m = 0; m <= j - i; m++)
				w->hump[i][j] = fmax(w->hump[i][j], w->rise[i][m] + w->fall[j][j - i - m]);
		}
}

/* Of the first j bins, k + 1 humps, the last of which begins at i. */
static double with_cut(const struct work *w, size_t k, size_t i, size_t j)
{
	return w->best[k - 1][i] + w->hump[i][j];
}

static void best_fill(struct work *w, size_t most)
{
	size_t i, j, k;

	for (j = 1; j <= w->bins; j++)
		w->best[0][j] = w->hump[0][j];
	for (k = 1; k < most; k++)
		for (j = 1; j <= w->bins; j++) {
			w->best[k][j] = -DBL_MAX;
			for (i = k; i < j; i++)
				w->best[k][j] = fmax(w->best[k][j], with_cut(w, k, i, j));
		}
}

/* The middle of the cuts that are as likely as any; less by @slack: the lowest of them. */
static size_t cut_of(const struct work *w, size_t k, size_t j, double slack)
{
	double least = w->best[k][j] - fmax(slack, SAME * (1 + fabs(w->best[k][j])));
	size_t first = 0, last = 0, i;

	for (i = k; i < j; i++) {
		if (with_cut(w, k, i, j) < least)
			continue;
		first = first ? first : i;
		last = i;
	}
	return slack > 0 ? first : (first + last) / 2;
}

static void cuts_find(const struct work *w, double slack, struct tl_humps_out *out)
{
	size_t j = w->bins, k;

	for (k = out->humps - 1; k; k--) {
		j = cut_of(w, k, j, k == 1 ? slack : 0);
		out->cut[k - 1] = w->low + w->width * (double)j;
	}
}

static void work_fill(struct work *w, const struct tl_humps_in *in)
{
	double high = in->value[0];
	size_t i, bin;

	w->low = in->value[0];
	for (i = 1; i < in->n; i++) {
		w->low = fmin(w->low, in->value[i]);
		high = fmax(high, in->value[i]);
	}
	w->width = fmax(in->width, (high - w->low) / (BINS - 1));
	w->bins = (size_t)((high - w->low) / w->width) + 1;
	for (i = 0; i < in->n; i++) {
		bin = (size_t)((in->value[i] - w->low) / w->width);
		w->count[bin < w->bins ? bin : w->bins - 1]++;
	}
}

/**
 * tl_humps() - How many groups a sample is of, and where they begin
 * @in: the sample
 * @out: filled in
 *
 * Return: 0, -EINVAL for no values, or -ENOMEM.
 */
int tl_humps(const struct tl_humps_in *in, struct tl_humps_out *out)
{
	struct work *w;
	size_t most, k;
	double gain;

	memset(out, 0, sizeof(*out));
	if (!in->n || !(in->width > 0))
		return -EINVAL;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	work_fill(w, in);
	most = w->bins < TL_HUMPS_MAX ? w->bins : TL_HUMPS_MAX;
	humps_fill(w);
	best_fill(w, most);
	out->humps = 1;
	for (k = 1; k < most; k++) {
		gain = w->best[k][w->bins] - w->best[k - 1][w->bins];
		out->next = gain;
		if (gain <= in->least)
			break;
		out->gain[k - 1] = gain;
		out->next = 0;
		out->humps++;
	}
	cuts_find(w, in->slack, out);
	free(w);
	return 0;
}
