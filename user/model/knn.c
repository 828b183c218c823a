// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Regression on the nearest neighbours
 *
 *	ŷ(x) = 1/k Σ y_s over the k samples with the least Σ_f w_f (x_f - x_sf)²
 *
 * k is chosen by leaving samples out in turn: the one with the least mean |ŷ - y|. In series
 * the samples beside the one that is left out are nearly the same, so they are left out,
 * too. Sources: E. Fix, J. L. Hodges (1951); T. M. Cover, IEEE Trans. IT 14 (1968); paper
 * 003, 2.3, steps 3 and 4.
 */
#include "knn.h"

#include <gsl/gsl_sort.h>
#include <math.h>

#define TRIALS 200

/*
 * Counts for something only where it is among the nearest: most are given up early, the earlier
 * if what counts most comes first.
 */
static double distance(const struct tl_knn *knn, const struct tl_knn_query *query,
		       const size_t *order, size_t features, const double *x, double most)
{
	double sum = 0, clip = knn->clip * knn->clip, square;
	size_t i, f;

	for (i = 0; i < features && sum < most; i++) {
		f = order[i];
		square = x[f] - query->x[f];
		square *= square * query->weight[f];
		sum += clip > 0 && square > clip ? clip : square;
	}
	return sum;
}

/* Features by what they count; how many count at all. */
static size_t ordered(const struct tl_knn *knn, const struct tl_knn_query *query, size_t *order)
{
	size_t n = 0, f;

	gsl_sort_index(order, query->weight, 1, knn->features);
	for (f = 0; f < knn->features / 2; f++) {
		size_t last = knn->features - 1 - f, swap = order[f];

		order[f] = order[last];
		order[last] = swap;
	}
	while (n < knn->features && query->weight[order[n]] > 0)
		n++;
	return n;
}

static void insert(struct tl_knn_near *near, size_t k, size_t sample, double square)
{
	size_t at = near->n < k ? near->n++ : k - 1;

	for (; at && near->square[at - 1] > square; at--) {
		near->square[at] = near->square[at - 1];
		near->sample[at] = near->sample[at - 1];
	}
	near->square[at] = square;
	near->sample[at] = sample;
}

/**
 * tl_knn_near() - The nearest samples
 * @knn: what is known
 * @query: to what
 * @k: how many, 1 to TL_KNN_MAX
 * @near: filled in; less, if there are less
 */
void tl_knn_near(const struct tl_knn *knn, const struct tl_knn_query *query, size_t k,
		 struct tl_knn_near *near)
{
	size_t order[knn->features + 1], features = ordered(knn, query, order), s;
	double most = INFINITY, square;

	near->n = 0;
	for (s = 0; s < knn->samples; s++) {
		if ((s >= query->skip && s < query->skip_end) || (query->use && !query->use[s]))
			continue;
		square = distance(knn, query, order, features,
				  knn->x + s * knn->features, most);
		if (square >= most)
			continue;
		insert(near, k, s, square);
		if (near->n == k)
			most = near->square[k - 1];
	}
}

/**
 * tl_knn_mean() - Mean of what the nearest have
 * @near: they
 * @k: of how many of them
 * @y: [samples][@stride], the first of each row is meant
 * @stride: see @y
 *
 * Return: it; 0 if there are none.
 */
double tl_knn_mean(const struct tl_knn_near *near, size_t k, const double *y, size_t stride)
{
	double sum = 0;
	size_t n = k < near->n ? k : near->n, i;

	for (i = 0; i < n; i++)
		sum += y[near->sample[i] * stride];
	return n ? sum / (double)n : 0;
}

/**
 * tl_knn_choose() - The number of neighbours that foretells best
 * @knn: what is known
 * @weight: [features]
 * @y: [samples][@stride], the first of each row is meant
 * @stride: see @y
 * @gap: so many samples to each side of one are left out with it
 *
 * Return: it, 1 to TL_KNN_MAX.
 */
size_t tl_knn_choose(const struct tl_knn *knn, const double *weight, const double *y,
		     size_t stride, size_t gap)
{
	double off[TL_KNN_MAX] = { 0 };
	struct tl_knn_near near;
	size_t step = knn->samples / TRIALS + 1, best = 0, s, k;

	for (s = 0; s < knn->samples; s += step) {
		struct tl_knn_query query = { knn->x + s * knn->features, weight,
					      s < gap ? 0 : s - gap, s + gap + 1, NULL };

		tl_knn_near(knn, &query, TL_KNN_MAX, &near);
		for (k = 0; k < TL_KNN_MAX; k++)
			off[k] += fabs(tl_knn_mean(&near, k + 1, y, stride) - y[s * stride]);
	}
	for (k = 1; k < TL_KNN_MAX; k++)
		if (off[k] < off[best])
			best = k;
	return best + 1;
}
