// SPDX-License-Identifier: GPL-2.0-or-later
/* Hands what requests are to explain to a model, with what that model may know. */
#include "demand-times.h"

#include "model/baseline.h"
#include "model/chance.h"
#include "model/nnls.h"
#include "model/ols.h"
#include "model/queue.h"
#include "model/residence.h"
#include "model/ridge.h"
#include "model/sdl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_own(const struct tl_target *target)
{
	return target->resource == TL_NOWHERE;
}

static void quality_take(struct tl_target *target, const struct tl_ols_out *out)
{
	target->r2 = out->r2;
	target->residual_sd = out->residual_sd;
	target->autocorrelation = out->autocorrelation;
	target->degrees = out->degrees;
}

/* Regressions on counts rest on a load that varies; own times have waiting in them. */
static void look_at_load(const struct tl_demand *d, struct tl_target *target)
{
	struct tl_chance_in in = { d->n_used, d->windows->classes.n, d->count, d->seconds,
				   target->value, target->residual };
	size_t i;

	if (d->values_only || tl_chance_judge(&in, target->coefficient) || !is_own(target) ||
	    target->waiting != TL_WAITING_NONE || tl_tier_busiest(d, target) < TL_WAITING_MIN)
		return;
	for (i = 0; i < in.classes; i++)
		tl_estimate_at_most(&target->coefficient[i]);
}

static int fit_linear(struct tl_demand *d, struct tl_target *target, enum tl_method method)
{
	static int (*const models[TL_METHODS])(const struct tl_ols_in *,
					       struct tl_ols_out *) = {
		[TL_METHOD_BASELINE] = tl_baseline,
		[TL_METHOD_OLS] = tl_ols,
		[TL_METHOD_NNLS] = tl_nnls_regression,
		[TL_METHOD_RIDGE] = tl_ridge,
	};
	struct tl_ols_in in = { is_own(target) ? &d->own : &d->counts, target->value,
				d->values_only };
	struct tl_ols_out out = { .coefficient = target->coefficient,
				  .residual = target->residual };
	int code = models[method](&in, &out);

	target->method = method;
	target->background = !is_own(target);
	if (code)
		return code;
	quality_take(target, &out);
	look_at_load(d, target);
	return 0;
}

/* Own time with the waiting taken off; resources do not wait, they are regressed on. */
static int fit_queue(struct tl_demand *d, struct tl_target *target)
{
	size_t resources[d->n_targets + 1], r, n;
	struct tl_estimate factor[d->n_targets + 1];
	struct tl_queue_in in = { { &d->own, target->value, d->values_only }, &d->counts, 0,
				  NULL };
	struct tl_queue_out out = {
		{ .coefficient = target->coefficient, .residual = target->residual }, factor
	};
	double *busy;
	int code;

	n = is_own(target) ? tl_tier_resources(d, target->tier, resources) : 0;
	if (!n)
		return fit_linear(d, target, TL_METHOD_NNLS);
	target->method = TL_METHOD_QUEUE;
	busy = tl_busy_gather(d, resources, n);
	if (!busy)
		return -ENOMEM;
	in.resources = n;
	in.busy = busy;
	code = tl_queue(&in, &out);
	free(busy);
	if (code)
		return code;
	quality_take(target, &out.regression);
	target->waiting = TL_WAITING_QUEUE;
	for (r = 0; r < n; r++)
		target->factor[d->target[resources[r]].resource] = factor[r].value;
	look_at_load(d, target);
	return 0;
}

/* Residuals of the tier's own time, as its requests and their waiting make it up. */
static void slowdown_residuals(const struct tl_demand *d, struct tl_target *target,
			       const double *busy, size_t resources, double factor)
{
	size_t p = d->windows->classes.n, n = d->n_used, w, i;
	double mean = 0, ss = 0, all = 0, products = 0, slow;

	for (w = 0; w < n; w++)
		mean += target->value[w] / (double)n;
	for (w = 0; w < n; w++) {
		slow = 1 + factor * tl_residence_waiting(resources, busy + w * resources);
		target->residual[w] = target->value[w];
		for (i = 0; i < p; i++)
			target->residual[w] -= slow * d->count[w * p + i] / d->seconds[w] *
					       target->coefficient[i].value;
		ss += pow(target->residual[w], 2);
		all += pow(target->value[w] - mean, 2);
		products += w ? target->residual[w] * target->residual[w - 1] : 0;
	}
	target->residual_sd = sqrt(ss / (double)n);
	target->r2 = all > 0 ? 1 - ss / all : 0;
	target->autocorrelation = ss > 0 ? products / ss : 0;
}

static int residence_take(const struct tl_demand *d, struct tl_target *target,
			  const struct tl_residence_in *in)
{
	struct tl_residence_out out = { .service = target->coefficient };
	struct tl_ols_in rest = { &d->counts, target->value, true };
	struct tl_ols_out quality = { .coefficient = target->coefficient,
				      .residual = target->residual };
	int code = tl_residence(in, &out);

	target->degrees = out.degrees;
	if (code)
		return code;
	if (is_own(target)) {
		target->waiting = in->resources ? TL_WAITING_SLOWDOWN : TL_WAITING_NONE;
		target->factor[0] = out.factor.value;
		slowdown_residuals(d, target, in->busy, in->resources, out.factor.value);
		return 0;
	}
	target->coefficient[in->classes] = (struct tl_estimate){ 0 };
	tl_ols_residuals(&rest, &quality);
	quality.degrees = out.degrees;
	quality_take(target, &quality);
	return 0;
}

static int fit_residence(struct tl_demand *d, struct tl_target *target)
{
	size_t resources[d->n_targets + 1], n;
	struct tl_residence_in in = { d->n_used, d->windows->classes.n, 0, d->count, NULL,
				      d->seconds, NULL };
	double *times, *busy;
	int code = -ENOMEM;

	target->method = TL_METHOD_RESIDENCE;
	n = tl_tier_resources(d, target->tier, resources);
	if (n > 1 && target->tier != TL_NOWHERE && !is_own(target))
		return tl_target_fit_apart(d, target, TL_METHOD_RESIDENCE);
	target->by = "own_s";
	times = target->tier == TL_NOWHERE ? NULL :
		tl_times_gather(d, TL_COLUMN_OWN, target->tier);
	if (!times && n == 1 && !is_own(target) && tl_target_is_alone(d, target)) {
		times = tl_times_gather(d, TL_COLUMN_RESPONSE, TL_NOWHERE);
		target->by = "response_s";
	}
	if (!times) {
		target->unfit = "times of all classes at it are not known";
		target->by = NULL;
		return -ENODATA;
	}
	busy = tl_busy_gather(d, resources, n);
	in.resources = n;
	in.time_s = times;
	in.busy = busy;
	if (busy)
		code = residence_take(d, target, &in);
	free(times);
	free(busy);
	return code;
}

static int fit_shared(struct tl_demand *d, struct tl_target *target)
{
	size_t p = d->windows->classes.n;
	struct tl_sdl_in in = { d->n_used, p, d->count, NULL, d->seconds, target->value,
				NULL };
	struct tl_sdl_out out = { .demand = target->coefficient,
				  .residual = target->residual };
	size_t resources[d->n_targets + 1];
	double *times, *outside;
	int code;

	target->method = TL_METHOD_SDL;
	tl_times_apportion(d, target, &times, &outside);
	if (!times && target->tier != TL_NOWHERE &&
	    tl_tier_resources(d, target->tier, resources) > 1)
		return tl_target_fit_apart(d, target, TL_METHOD_SDL);
	if (!times)
		return -ENODATA;
	in.time_s = times;
	in.background = outside;
	code = tl_sdl(&in, &out);
	free(times);
	free(outside);
	target->background = out.background_known;
	target->coefficient[p] = out.background;
	target->r2 = out.r2;
	target->residual_sd = out.residual_sd;
	target->degrees = out.degrees;
	return code;
}

/* Do the demands, with the background, make up what was measured? */
static void explained_find(const struct tl_demand *d, struct tl_target *target)
{
	double measured = 0, off = 0;
	size_t w;

	for (w = 0; w < d->n_used; w++) {
		measured += target->value[w] * d->seconds[w];
		off += target->residual[w] * d->seconds[w];
	}
	target->explained = measured > 0 ? 1 - off / measured : 1;
}

/* Residence times know nothing of the utilisation law, so that may contradict them. */
static void contradict(const struct tl_demand *d, struct tl_target *target)
{
	size_t i;

	if (target->method != TL_METHOD_RESIDENCE ||
	    fabs(target->explained - 1) < TL_EXPLAINED_OFF)
		return;
	for (i = 0; i < d->windows->classes.n; i++)
		if (target->coefficient[i].verdict <= TL_VERDICT_CHANCE)
			target->coefficient[i].verdict = TL_VERDICT_CONTRADICTED;
}

/**
 * tl_target_fit() - Fit one target
 * @demand: demands; all its targets have their values
 * @target: the target; @unfit says why it has no answer, if it has none
 * @method: how; not auto
 *
 * Return: 0 or -ENOMEM.
 */
int tl_target_fit(struct tl_demand *demand, struct tl_target *target,
		  enum tl_method method)
{
	int code;

	target->unfit = target->by = NULL;
	target->waiting = TL_WAITING_NONE;
	target->background = false;
	target->autocorrelation = 0;
	if (method == TL_METHOD_QUEUE)
		code = fit_queue(demand, target);
	else if (method == TL_METHOD_RESIDENCE ||
		 (method == TL_METHOD_SDL && is_own(target)))
		code = fit_residence(demand, target);
	else if (method == TL_METHOD_SDL)
		code = fit_shared(demand, target);
	else
		code = fit_linear(demand, target, method);
	if (!code) {
		target->unfit = NULL;
		explained_find(demand, target);
		contradict(demand, target);
	} else if (code == -ERANGE) {
		target->unfit = "there are fewer windows than classes";
	} else if (!target->unfit) {
		target->unfit = "the computation does not converge";
	}
	return code == -ENOMEM ? code : 0;
}
