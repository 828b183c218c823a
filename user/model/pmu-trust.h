/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far off what is foretold is, by how far apart the nearest samples are. */
#ifndef TL_MODEL_PMU_TRUST_H
#define TL_MODEL_PMU_TRUST_H

#include <stddef.h>

#define TL_TRUST_STEPS 8

/**
 * struct tl_trust - What the variance is, in units of that of all trials
 * @at: [TL_TRUST_STEPS] logarithms of how far the nearest are apart, rising
 * @factor: [TL_TRUST_STEPS] logarithms of the factor there
 * @steps: how many are used; 0: it is 1 everywhere
 */
struct tl_trust {
	double at[TL_TRUST_STEPS], factor[TL_TRUST_STEPS];
	size_t steps;
};

/**
 * struct tl_trust_trial - What came of one
 * @spread: how far the nearest were apart, a deviation, above zero
 * @off: how far the truth was above what was foretold
 */
struct tl_trust_trial {
	double spread, off;
};

void tl_trust_fit(struct tl_trust *trust, struct tl_trust_trial *trial, size_t n, double variance);
double tl_trust_factor(const struct tl_trust *trust, double spread);

#endif
