/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_DTW_H
#define TL_MODEL_DTW_H

#include <stdbool.h>
#include <stddef.h>

#define TL_DTW_FULL ((size_t)-1) /* no band */

/**
 * struct tl_dtw_in - Two series
 * @a: [@n]
 * @b: [@m]
 * @band: how many places of the longer series may lie between two values that are matched,
 *        beyond what the lengths are different; at least 1, TL_DTW_FULL for any
 * @limit: give up as soon as it is certain that the distance is above it; 0 for never
 */
struct tl_dtw_in {
	const double *a, *b;
	size_t n, m, band;
	double limit;
};

/**
 * struct tl_dtw_out - How far they are apart
 * @distance: Σ |a_i - b_j| over the matched values; if @abandoned, it is at least that
 */
struct tl_dtw_out {
	double distance;
	bool abandoned;
};

int tl_dtw(const struct tl_dtw_in *in, struct tl_dtw_out *out);

#endif
