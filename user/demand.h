/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DEMAND_H
#define TL_DEMAND_H

#include "model/design.h"
#include "model/estimate.h"
#include "windows.h"

enum tl_method {
	TL_METHOD_AUTO,
	TL_METHOD_BASELINE,
	TL_METHOD_OLS,
	TL_METHOD_NNLS,
	TL_METHOD_RIDGE,
	TL_METHOD_QUEUE,
	TL_METHOD_RESIDENCE,
	TL_METHOD_SDL,
	TL_METHODS
};

/* What the utilisation law may find more or less than the demands make up. */
#define TL_EXPLAINED_OFF 0.1

extern const char *const tl_method_names[TL_METHODS];

/* How waiting comes to a tier's own time. */
enum tl_waiting {
	TL_WAITING_NONE,
	TL_WAITING_QUEUE, /* added: Σ factor u² / (1 - u) */
	TL_WAITING_SLOWDOWN, /* multiplied: 1 + factor u / (1 - u) of the busiest */
};

/**
 * struct tl_target - Something that requests are to explain, and how they do
 * @tier: index of the tier whose own time it is, or to which the resource belongs;
 *        TL_NOWHERE for a resource of no tier
 * @resource: index of the resource, TL_NOWHERE for own time
 * @method: by which it was fitted
 * @by: what it was shared out by, NULL if it was regressed on counts
 * @unfit: why it was not fitted, NULL if it was
 * @value: [used windows] as measured: own time per second, or utilisation
 * @residual: [used windows] measured less fitted
 * @coefficient: [classes + 1] seconds per request; the last is the background
 * @factor: [resources] how much longer requests wait there than the law says
 * @explained: part of the utilisation that the demands and the background make up
 * @r2: part of its variance that is explained
 * @residual_sd: standard deviation of the residuals
 * @autocorrelation: of a residual with the next one
 * @degrees: of freedom of the errors
 * @background: is there a background? Else the last coefficient is none
 */
struct tl_target {
	size_t tier, resource;
	enum tl_method method;
	enum tl_waiting waiting;
	const char *by, *unfit;
	double *value, *residual, *factor;
	struct tl_estimate *coefficient;
	double explained, r2, residual_sd, autocorrelation, degrees;
	bool background;
};

/**
 * struct tl_demand - What requests cost
 * @windows: what it was computed from; the caller's
 * @method: that was asked for
 * @used: [n_used] indices of the windows that were used
 * @count: [n_used][classes]
 * @seconds: [n_used]
 * @counts: the counts, taken apart, with a background
 * @own: the same without
 * @target: own times of the tiers, then resources
 * @apart: [tiers] demands [resources][classes + 1] of a tier with several resources, NULL
 *         until somebody asks for them
 * @why: the reason for the methods, if they were chosen
 * @values_only: errors and intervals are not wanted
 */
struct tl_demand {
	const struct tl_windows *windows;
	enum tl_method method;
	size_t *used, n_used;
	double *count, *seconds;
	struct tl_design_out counts, own;
	struct tl_target *target;
	size_t n_targets;
	struct tl_estimate **apart;
	char why[1000];
	bool values_only;
};

int tl_demand_fit(struct tl_demand *demand, const struct tl_windows *windows,
		  enum tl_method method, struct tl_error *err);
int tl_demand_prepare(struct tl_demand *demand, const struct tl_windows *windows,
		      const size_t *used, size_t n_used);
int tl_demand_refit(struct tl_demand *demand, enum tl_method method);
void tl_demand_free(struct tl_demand *demand);
const char *tl_target_name(const struct tl_windows *windows,
			   const struct tl_target *target);
void tl_target_key(const struct tl_windows *windows, const struct tl_target *target,
		   char *key, size_t room);
double tl_demand_measured_s(const struct tl_demand *demand,
			    const struct tl_target *target, size_t class);

/* demand-target.c, demand-apart.c: one target. 0, or a negative errno of which only -ENOMEM is no answer */
int tl_target_fit(struct tl_demand *demand, struct tl_target *target,
		  enum tl_method method);
int tl_target_fit_apart(struct tl_demand *demand, struct tl_target *target,
			enum tl_method method);
double *tl_demand_gather(const struct tl_demand *demand, const struct tl_column *column);

/* demand-auto.c */
int tl_demand_choose(struct tl_demand *demand);

#endif
