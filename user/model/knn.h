/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_KNN_H
#define TL_MODEL_KNN_H

#include <stdbool.h>
#include <stddef.h>

#define TL_KNN_MAX 32 /* neighbours */

/**
 * struct tl_knn - What is known
 * @samples: how many
 * @features: how many
 * @x: [@samples][@features]
 * @clip: differences above it, weighted, are taken for it: one feature that is wrong does
 *        not hide that all others agree. 0 for never
 */
struct tl_knn {
	size_t samples, features;
	const double *x;
	double clip;
};

/**
 * struct tl_knn_query - What is asked
 * @x: [features]
 * @weight: [features] what a difference counts; 0 for a feature that is not known
 * @skip: samples from @skip to before @skip_end do not count
 * @use: [samples] which do; NULL: all
 */
struct tl_knn_query {
	const double *x, *weight;
	size_t skip, skip_end;
	const bool *use;
};

/**
 * struct tl_knn_near - The nearest samples, nearest first
 * @sample: which
 * @square: squares of distances
 */
struct tl_knn_near {
	size_t n, sample[TL_KNN_MAX];
	double square[TL_KNN_MAX];
};

void tl_knn_near(const struct tl_knn *knn, const struct tl_knn_query *query, size_t k,
		 struct tl_knn_near *near);
double tl_knn_mean(const struct tl_knn_near *near, size_t k, const double *y, size_t stride);
size_t tl_knn_choose(const struct tl_knn *knn, const double *weight, const double *y,
		     size_t stride, size_t gap);

#endif
