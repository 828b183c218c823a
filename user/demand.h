/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DEMAND_H
#define TL_DEMAND_H

#include "model/design.h"
#include "model/estimate.h"
#include "windows.h"

#include <jansson.h>
#include <stdio.h>

enum tl_method {
	TL_METHOD_AUTO,
	TL_METHOD_OLS,
	TL_METHOD_NNLS,
	TL_METHOD_SDL,
	TL_METHODS
};

extern const char *const tl_method_names[TL_METHODS];

/**
 * struct tl_target - Something that requests are to explain, and how they do
 * @tier: index of the tier whose own time it is, or to which the resource belongs;
 *        TL_NOWHERE for a resource of no tier
 * @resource: index of the resource, TL_NOWHERE for own time
 * @method: by which it was fitted
 * @by: what it was apportioned by, NULL if it was regressed on counts
 * @value: [used windows] as measured: own time per second, or utilisation
 * @coefficient: [classes + 1] seconds per request; the last is the background
 * @residual: [used windows] measured less fitted
 * @r2: part of its variance that is explained
 * @residual_sd: standard deviation of the residuals
 * @autocorrelation: of a residual with the next one
 * @degrees: of freedom of the errors
 * @background: is there a background? Else the last coefficient is none
 * @unfit: why it was not fitted, NULL if it was
 */
struct tl_target {
	size_t tier, resource;
	enum tl_method method;
	const char *by, *unfit;
	double *value, *residual;
	struct tl_estimate *coefficient;
	double r2, residual_sd, autocorrelation, degrees;
	bool background;
};

/**
 * struct tl_demand - What requests cost
 * @windows: what it was computed from; the caller's
 * @method: that was asked for
 * @used: [n_used] indices of the windows that were used
 * @counts: the counts, taken apart, with a background
 * @target: own times of the tiers, then resources
 * @why: the reason for the methods, if they were chosen
 */
struct tl_demand {
	const struct tl_windows *windows;
	enum tl_method method;
	size_t *used, n_used;
	double *count, *seconds;
	struct tl_design_out counts, own;
	struct tl_target *target;
	size_t n_targets;
	char why[300];
};

int tl_demand_fit(struct tl_demand *demand, const struct tl_windows *windows,
		  enum tl_method method, struct tl_error *err);
void tl_demand_free(struct tl_demand *demand);
const char *tl_target_name(const struct tl_demand *demand,
			   const struct tl_target *target);
char *tl_demand_verdict(const struct tl_demand *demand);
char *tl_estimate_verdict(const struct tl_demand *demand, const struct tl_estimate *e,
			  size_t column);
char *tl_demand_set_text(const struct tl_demand *demand, size_t set);
const char *tl_demand_column(const struct tl_demand *demand, size_t column);
double tl_demand_measured_s(const struct tl_demand *demand,
			    const struct tl_target *target, size_t class);

json_t *tl_demand_json(const struct tl_demand *demand);
void tl_demand_print(const struct tl_demand *demand, FILE *to);

#endif
