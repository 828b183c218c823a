// SPDX-License-Identifier: GPL-2.0-or-later
/* Nearest neighbours against all distances sorted; k against what is best; local medians. */
#include "tap.h"

#include "sim.h"

#include "model/knn.h"
#include "model/median.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SAMPLES 300
#define FEATURES 5

static double x[SAMPLES * FEATURES], y[SAMPLES], weight[FEATURES];
static bool use[SAMPLES];

struct far {
	double square;
	size_t sample;
};

static int nearer(const void *a, const void *b)
{
	const struct far *l = a, *r = b;

	return l->square < r->square ? -1 : l->square > r->square;
}

static size_t sorted(const struct tl_knn *knn, const struct tl_knn_query *q, struct far *all)
{
	size_t n = 0, s, f;

	for (s = 0; s < SAMPLES; s++) {
		if ((s >= q->skip && s < q->skip_end) || (q->use && !q->use[s]))
			continue;
		all[n] = (struct far){ 0, s };
		for (f = 0; f < FEATURES; f++) {
			double d = weight[f] * pow(x[s * FEATURES + f] - q->x[f], 2);

			all[n].square += knn->clip > 0 ? fmin(d, knn->clip * knn->clip) : d;
		}
		n++;
	}
	qsort(all, n, sizeof(*all), nearer);
	return n;
}

static void against_sorting(struct sim *r)
{
	struct far all[SAMPLES];
	struct tl_knn_near near;
	size_t trial, wrong = 0, i, n;

	for (trial = 0; trial < 500; trial++) {
		struct tl_knn knn = { SAMPLES, FEATURES, x, trial % 2 ? 0.5 : 0 };
		double at[FEATURES];
		struct tl_knn_query q = { at, weight, 10, trial % 3 ? 10 : 299, trial % 5 ? NULL : use };
		size_t k = 1 + trial % TL_KNN_MAX;

		for (i = 0; i < SAMPLES * FEATURES; i++)
			x[i] = sim_normal(r);
		for (i = 0; i < SAMPLES; i++)
			use[i] = sim_uniform(r) < 0.5;
		for (i = 0; i < FEATURES; i++) {
			at[i] = sim_normal(r);
			weight[i] = i == trial % FEATURES ? 0 : sim_uniform(r);
		}
		n = sorted(&knn, &q, all);
		tl_knn_near(&knn, &q, k, &near);
		wrong += near.n != (n < k ? n : k);
		for (i = 0; i < near.n; i++)
			wrong += fabs(near.square[i] - all[i].square) > 1e-12;
	}
	is_u64(wrong, 0, "500 queries: the nearest are those of all distances sorted");
}

/* y is a line without noise: one neighbour. y is noise alone: as many as there can be. */
static void chooses(struct sim *r)
{
	struct tl_knn knn = { SAMPLES, FEATURES, x, 0 };
	size_t i, sharp, blunt;

	for (i = 0; i < SAMPLES * FEATURES; i++)
		x[i] = 0;
	for (i = 0; i < FEATURES; i++)
		weight[i] = 1;
	for (i = 0; i < SAMPLES; i++) {
		x[i * FEATURES] = (double)(i % 10);
		y[i] = pow(x[i * FEATURES], 2);
	}
	sharp = tl_knn_choose(&knn, weight, y, 1, 0);
	ok(sharp <= 29, "30 of a kind, no noise: not more neighbours than there are alike (%zu)", sharp);
	for (i = 0; i < SAMPLES; i++)
		y[i] = sim_normal(r);
	blunt = tl_knn_choose(&knn, weight, y, 1, 0);
	ok(blunt > 10, "nothing but noise: many neighbours (%zu)", blunt);
}

static void medians(void)
{
	double value[] = { 1, 2, 900, 3, 4, 5, 0, 7 }, median = 0;
	bool bad[] = { false, false, true, false, false, false, true, false };
	struct tl_median_in in = { value, bad, 8, 1, 2, 2 };

	bad[0] = tl_median_local(&in, &median);
	ok(!bad[0] && median == 2.5, "median of two to each side (%g)", median);
	in.bad = NULL;
	in.at = 3;
	bad[0] = tl_median_local(&in, &median);
	ok(!bad[0] && median == 4.5, "all are good (%g)", median);
	in.n = 1;
	in.at = 0;
	ok(tl_median_local(&in, &median) == -ENODATA, "a single value has no neighbours");
	ok(tl_median(value, 0) == 0, "of nothing it is nothing");
}

int main(void)
{
	struct sim random = { 0 };

	sim_seed(&random, 11);
	against_sorting(&random);
	chooses(&random);
	medians();
	return done();
}
