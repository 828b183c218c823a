/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_MEDIAN_H
#define TL_MODEL_MEDIAN_H

#include <stdbool.h>
#include <stddef.h>

#define TL_MEDIAN_REACH 5 /* places to each side */

/**
 * struct tl_median_in - A series, of which some values are no good
 * @value: [@n][@stride], of which the first of each row is meant
 * @bad: the same; not to be used. NULL: all are good
 * @at: around where
 * @want: look further until there are so many to each side, or the series ends
 */
struct tl_median_in {
	const double *value;
	const bool *bad;
	size_t n, stride, at, want;
};

double tl_median(double *value, size_t n);
double tl_quantile(double *value, size_t n, double part);
int tl_median_local(const struct tl_median_in *in, double *median);

#endif
