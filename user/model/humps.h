/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_HUMPS_H
#define TL_MODEL_HUMPS_H

#include <stddef.h>

#define TL_HUMPS_MAX 5
#define TL_HUMPS_BINS 256 /* what is wider than so many is counted in the last */

/**
 * struct tl_humps_in - A sample that may be of several groups
 * @value: [@n] finite
 * @width: of a bin, above 0
 * @least: log likelihood that one group more must gain
 * @slack: log likelihood that the first cut may give away to be lower
 */
struct tl_humps_in {
	const double *value;
	size_t n;
	double width, least, slack;
};

/**
 * struct tl_humps_out - Where groups begin
 * @humps: how many there are, at least 1
 * @cut: [@humps - 1] least value of each but the first
 * @gain: [@humps - 1] what each brought; @next: what one more would have brought
 */
struct tl_humps_out {
	size_t humps;
	double cut[TL_HUMPS_MAX - 1], gain[TL_HUMPS_MAX - 1], next;
};

int tl_humps(const struct tl_humps_in *in, struct tl_humps_out *out);

#endif
