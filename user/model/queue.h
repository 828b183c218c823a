/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_QUEUE_H
#define TL_MODEL_QUEUE_H

#include "model/ols.h"

/**
 * struct tl_queue_in - A tier's own time, and its resources
 * @regression: counts without a background, and the own time, per second
 * @counts: counts with a background, by which utilisations are smoothed; NULL to take
 *          them as they are
 * @resources: how many the tier has
 * @busy: [windows][resources] their utilisation, below 1
 */
struct tl_queue_in {
	struct tl_ols_in regression;
	const struct tl_design_out *counts;
	size_t resources;
	const double *busy;
};

/**
 * struct tl_queue_out - Service times without the waiting
 * @regression: coefficients, residuals and what they tell
 * @factor: [resources] the caller's; how much longer requests wait than the law says, as
 *          the windows have it; exactly 1 where they cannot tell
 */
struct tl_queue_out {
	struct tl_ols_out regression;
	struct tl_estimate *factor;
};

double tl_queue_waiting(double busy);
int tl_queue(const struct tl_queue_in *in, struct tl_queue_out *out);

#endif
