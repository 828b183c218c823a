/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_SPLIT_H
#define TL_MODEL_SPLIT_H

#include "model/estimate.h"

/**
 * struct tl_split_in - A tier with several resources
 * @windows: how many
 * @classes: how many
 * @resources: how many
 * @count: [windows][classes] requests completed
 * @time_s: [windows][classes] Σ their own times at the tier
 * @seconds: [windows] lengths
 * @busy: [windows][resources] utilisations, below 1
 */
struct tl_split_in {
	size_t windows, classes, resources;
	const double *count, *time_s, *seconds, *busy;
};

/**
 * struct tl_split_out - What each of them is used for
 * @demand: [resources][classes + 1] the caller's; seconds per request; the last of each is
 *          the utilisation without requests
 * @factor: [resources] the caller's; how much longer requests wait than the law says
 * @degrees: of freedom of the errors
 */
struct tl_split_out {
	struct tl_estimate *demand;
	double *factor, degrees;
};

int tl_split(const struct tl_split_in *in, struct tl_split_out *out);

#endif
