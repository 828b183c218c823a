/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_SHARE_H
#define TL_MODEL_SHARE_H

#include "model/estimate.h"

/**
 * struct tl_share_in - A resource, window by window
 * @windows: how many, in the order of time
 * @classes: how many
 * @count: [windows][classes] requests completed
 * @time_s: [windows][classes] Σ of the time by which the resource is shared out
 * @seconds: [windows] lengths
 * @busy: [windows] utilisation of the resource, 0 … 1
 */
struct tl_share_in {
	size_t windows, classes;
	const double *count, *time_s, *seconds, *busy;
};

int tl_share(const struct tl_share_in *in, struct tl_estimate *demand);

#endif
