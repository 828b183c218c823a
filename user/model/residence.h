/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_RESIDENCE_H
#define TL_MODEL_RESIDENCE_H

#include "model/estimate.h"

/**
 * struct tl_residence_in - Times of the classes at a tier
 * @windows: how many
 * @classes: how many
 * @resources: that the tier has
 * @count: [windows][classes] requests completed
 * @time_s: [windows][classes] Σ their times at the tier
 * @seconds: [windows] lengths
 * @busy: [windows][resources] utilisations, below 1
 */
struct tl_residence_in {
	size_t windows, classes, resources;
	const double *count, *time_s, *seconds, *busy;
};

/**
 * struct tl_residence_out - What of the times is no waiting
 * @service: [classes] the caller's; seconds per request
 * @factor: how much longer requests wait than the law says; exactly 1 where the windows
 *          cannot tell
 * @degrees: of freedom of the errors
 */
struct tl_residence_out {
	struct tl_estimate *service, factor;
	double degrees;
};

double tl_residence_waiting(size_t resources, const double *busy);
int tl_residence(const struct tl_residence_in *in, struct tl_residence_out *out);

#endif
