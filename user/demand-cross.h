/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DEMAND_CROSS_H
#define TL_DEMAND_CROSS_H

#include "demand.h"

#define TL_FOLDS 5

/**
 * struct tl_folds - Windows without each fifth of them in turn, for any method to fit
 * @whole: all of them; the caller's
 * @part: without one fifth; none of them until tl_folds_make()
 */
struct tl_folds {
	const struct tl_demand *whole;
	struct tl_demand part[TL_FOLDS];
};

/**
 * struct tl_cross - How well a method predicts windows that it has not seen
 * @targets: how many there are
 * @square: [targets][TL_FOLDS] mean squared error in each fold; INFINITY without answer
 * @relative: [targets] Σ of what windows are off, relative to the Σ measured
 */
struct tl_cross {
	size_t targets;
	double *square, *relative;
};

int tl_folds_make(struct tl_folds *folds, const struct tl_demand *demand);
void tl_folds_free(struct tl_folds *folds);
int tl_cross_make(struct tl_cross *cross, struct tl_folds *folds, enum tl_method method);
void tl_cross_free(struct tl_cross *cross);

#endif
