/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_OLS_H
#define TL_MODEL_OLS_H

#include "model/estimate.h"

struct tl_design_out;

/**
 * struct tl_ols_in - A linear regression
 * @design: counts per second, taken apart
 * @target: [windows] what they are to explain, per second
 * @values_only: errors, intervals and verdicts but that of absence are not wanted
 */
struct tl_ols_in {
	const struct tl_design_out *design;
	const double *target;
	bool values_only;
};

/**
 * struct tl_ols_out - What came of it; ridge and NNLS give the same
 * @coefficient: [columns] the caller's; the last is the background's if there is one
 * @residual: [windows] the caller's
 * @r2: part of the target's variance that is explained, 1 at most
 * @residual_sd: standard deviation of the residuals, in units of the target
 * @autocorrelation: of a residual with the next one, -1 … 1
 * @degrees: of freedom
 * @newey_west: errors allow for autocorrelation, not only for unequal variances
 */
struct tl_ols_out {
	struct tl_estimate *coefficient;
	double *residual, r2, residual_sd, autocorrelation, degrees;
	bool newey_west;
};

int tl_ols(const struct tl_ols_in *in, struct tl_ols_out *out);
void tl_ols_residuals(const struct tl_ols_in *in, struct tl_ols_out *out);
void tl_ols_meat(const struct tl_ols_in *in, const struct tl_ols_out *out, double *meat);
double tl_ols_variance(size_t p, const double *meat, const double *row);

#endif
