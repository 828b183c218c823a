/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_RESIDENCE_H
#define TL_MODEL_RESIDENCE_H

#include "model/estimate.h"

/**
 * struct tl_residence_in - Times of the classes at a tier
 * @windows: how many
 * @classes: how many
 * @count: [windows][classes] requests completed
 * @time_s: [windows][classes] Σ their times at the tier
 * @busy: [windows] utilisation of what they waited for there, 0 … 1; NULL to leave the
 *        waiting in
 */
struct tl_residence_in {
	size_t windows, classes;
	const double *count, *time_s, *busy;
};

/**
 * struct tl_residence_out - Mean times of service
 * @demand: [classes] the caller's; seconds per request
 * @degrees: of freedom of their errors
 */
struct tl_residence_out {
	struct tl_estimate *demand;
	double degrees;
};

int tl_residence(const struct tl_residence_in *in, struct tl_residence_out *out);

#endif
