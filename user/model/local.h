/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_LOCAL_H
#define TL_MODEL_LOCAL_H

#include <stddef.h>

struct tl_knn_near;

/**
 * struct tl_local - A plane that is laid through the nearest samples
 * @x: [samples][@features]
 * @features: how many
 * @event: the feature that is foretold
 * @query: [@features] where
 * @variance: [@features] of @query; infinite: not known
 */
struct tl_local {
	const double *x;
	size_t features, event;
	const double *query, *variance;
};

/**
 * struct tl_local_out - What it says
 * @value: of the event at the query
 * @variance: of the truth about it, as far as the samples tell
 */
struct tl_local_out {
	double value, variance;
};

int tl_local(const struct tl_local *in, const struct tl_knn_near *near,
	     struct tl_local_out *out);

#endif
