// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Demands per class, tier and resource, from a table of figures
 *
 * Hands each figure that requests are to explain to a model, with what that model may
 * know. Processor time that a recording has measured for each class is the truth that
 * the regressions are held against, so they never see it; the service demand law may
 * share out by it.
 */
#include "demand.h"

#include "error.h"
#include "model/nnls.h"
#include "model/ols.h"
#include "model/residence.h"
#include "model/sdl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const tl_method_names[TL_METHODS] = {
	[TL_METHOD_AUTO] = "auto",
	[TL_METHOD_OLS] = "ols",
	[TL_METHOD_NNLS] = "nnls",
	[TL_METHOD_SDL] = "sdl",
};

/**
 * tl_target_name() - What a target is called in the output
 * @demand: demands
 * @target: one of its targets
 *
 * Return: "own" or the resource's name.
 */
const char *tl_target_name(const struct tl_demand *demand,
			   const struct tl_target *target)
{
	return target->resource == TL_NOWHERE ?
	       "own" : demand->windows->resources.name[target->resource];
}

/**
 * tl_demand_column() - What a column of the counts is called
 * @demand: demands
 * @column: class, or the one behind them
 *
 * Return: name of the class, or what stands for the background.
 */
const char *tl_demand_column(const struct tl_demand *demand, size_t column)
{
	return column < demand->windows->classes.n ?
	       demand->windows->classes.name[column] : "(background)";
}

/* The values of a column in the windows that are used; NULL without memory. */
static double *gather(const struct tl_demand *d, const struct tl_column *column)
{
	double *values = calloc(d->n_used + 1, sizeof(*values));
	size_t w;

	for (w = 0; values && w < d->n_used; w++)
		values[w] = column->value[d->used[w]];
	return values;
}

/* Σ time of each class at a tier, or its responses for TL_NOWHERE; NULL if it is not
 * known of all classes that came. */
static double *gather_times(const struct tl_demand *d, enum tl_column_kind kind,
			    size_t tier)
{
	size_t p = d->windows->classes.n, w, i;
	double *times = calloc(d->n_used * p + 1, sizeof(*times));

	for (i = 0; times && i < p; i++) {
		const struct tl_column *column =
			tl_windows_find(d->windows, kind, i, tier, TL_NOWHERE);

		/* A class of a recording that never came to the tier spent nothing there. */
		if (!column && d->windows->recorded)
			continue;
		for (w = 0; column && w < d->n_used; w++) {
			double value = column->value[d->used[w]];

			times[w * p + i] = isnan(value) && kind == TL_COLUMN_CPU ? 0 : value;
		}
		if (!column && d->counts.scale[i] > 0) {
			free(times);
			return NULL;
		}
	}
	return times;
}

static bool any(const double *values, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (values[i] > 0)
			return true;
	return false;
}

static bool is_processor(const struct tl_demand *d, const struct tl_target *target)
{
	const char *name = tl_target_name(d, target), *dot = strrchr(name, '.');

	return !strcmp(dot ? dot + 1 : name, "cpu");
}

/* What tells who used a resource: processor time if it was measured, own times at its
 * tier, or response times if there is one tier only. */
static double *apportion(const struct tl_demand *d, struct tl_target *target)
{
	size_t n = d->n_used * d->windows->classes.n;
	double *times = NULL;

	if (target->tier != TL_NOWHERE && is_processor(d, target)) {
		times = gather_times(d, TL_COLUMN_CPU, target->tier);
		target->by = "cpu_s";
	}
	if (times && any(times, n))
		return times;
	free(times);
	times = NULL;
	if (target->tier != TL_NOWHERE) {
		times = gather_times(d, TL_COLUMN_OWN, target->tier);
		target->by = "own_s";
	}
	if (times && any(times, n))
		return times;
	free(times);
	times = NULL;
	if (d->windows->tiers.n < 2) {
		times = gather_times(d, TL_COLUMN_RESPONSE, TL_NOWHERE);
		target->by = "response_s";
	}
	if (times && any(times, n))
		return times;
	free(times);
	target->by = NULL;
	return NULL;
}

static int fit_linear(const struct tl_demand *d, struct tl_target *target)
{
	bool own = target->resource == TL_NOWHERE;
	struct tl_ols_in in = { own ? &d->own : &d->counts, target->value };
	struct tl_ols_out out = { .coefficient = target->coefficient,
				  .residual = target->residual };
	int code = (target->method == TL_METHOD_NNLS ? tl_nnls_regression : tl_ols)(&in, &out);

	target->background = !own;
	target->r2 = out.r2;
	target->residual_sd = out.residual_sd;
	target->autocorrelation = out.autocorrelation;
	target->degrees = out.degrees;
	return code;
}

/* Utilisation of a tier's processors for no request; NULL if it was not measured. */
static double *gather_outside(const struct tl_demand *d, size_t tier)
{
	const struct tl_column *column = tl_windows_find(d->windows, TL_COLUMN_OUTSIDE,
							 TL_NOWHERE, tier, TL_NOWHERE);
	double *part = column && d->windows->processors > 0 ? gather(d, column) : NULL;
	size_t w;

	for (w = 0; part && w < d->n_used; w++)
		part[w] = isnan(part[w]) ? 0 : part[w] / d->seconds[w] / d->windows->processors;
	return part;
}

static int fit_shared(const struct tl_demand *d, struct tl_target *target,
		      const double *times)
{
	size_t p = d->windows->classes.n;
	struct tl_sdl_in in = { d->n_used, p, d->count, times, d->seconds, target->value,
				NULL };
	struct tl_sdl_out out = { .demand = target->coefficient,
				  .residual = target->residual };
	double *outside = NULL;
	int code;

	if (!strcmp(target->by, "cpu_s"))
		outside = gather_outside(d, target->tier);
	in.background = outside;
	code = tl_sdl(&in, &out);
	free(outside);
	target->background = out.background_known;
	target->coefficient[p] = out.background;
	target->r2 = out.r2;
	target->residual_sd = out.residual_sd;
	target->degrees = out.degrees;
	return code;
}

/* Own time needs no law: it is the classes' own. What is predicted is their sum. */
static int fit_own(const struct tl_demand *d, struct tl_target *target,
		   const double *times)
{
	struct tl_residence_in in = { d->n_used, d->windows->classes.n, d->count, times,
				      NULL };
	struct tl_residence_out out = { .demand = target->coefficient };
	struct tl_ols_in regression = { &d->own, target->value };
	struct tl_ols_out rest = { .coefficient = target->coefficient,
				   .residual = target->residual };
	int code = tl_residence(&in, &out);

	if (code)
		return code;
	tl_ols_residuals(&regression, &rest);
	target->r2 = rest.r2;
	target->residual_sd = rest.residual_sd;
	target->autocorrelation = rest.autocorrelation;
	target->degrees = out.degrees;
	return 0;
}

static int fit_by_share(const struct tl_demand *d, struct tl_target *target)
{
	bool own = target->resource == TL_NOWHERE;
	double *times = own ? gather_times(d, TL_COLUMN_OWN, target->tier) :
			      apportion(d, target);
	int code;

	if (!times)
		return -ENODATA;
	if (own)
		target->by = "own_s";
	code = (own ? fit_own : fit_shared)(d, target, times);
	free(times);
	return code;
}

static int fit_target(struct tl_demand *d, struct tl_target *target)
{
	int code = -ENODATA;

	target->method = d->method;
	if (d->method == TL_METHOD_AUTO || d->method == TL_METHOD_SDL) {
		target->method = TL_METHOD_SDL;
		code = fit_by_share(d, target);
		if (code == -ENODATA && d->method == TL_METHOD_AUTO) {
			target->method = TL_METHOD_NNLS;
			target->by = NULL;
			code = fit_linear(d, target);
		}
	} else {
		code = fit_linear(d, target);
	}
	if (code == -ENODATA)
		target->unfit = "no times of the classes there to share it out by";
	else if (code == -ERANGE)
		target->unfit = "fewer windows than classes";
	else if (code && code != -ENOMEM)
		target->unfit = "the computation does not converge";
	return code == -ENOMEM ? code : 0;
}

static struct tl_target *target_add(struct tl_demand *d, const struct tl_column *column)
{
	struct tl_target *target = &d->target[d->n_targets++];

	target->tier = column->kind == TL_COLUMN_BUSY ?
		       tl_windows_tier_of(d->windows, column->resource) : column->tier;
	target->resource = column->resource;
	target->value = gather(d, column);
	target->residual = calloc(d->n_used + 1, sizeof(*target->residual));
	target->coefficient = calloc(d->windows->classes.n + 1,
				     sizeof(*target->coefficient));
	return target->value && target->residual && target->coefficient ? target : NULL;
}

static int targets_make(struct tl_demand *d)
{
	static const enum tl_column_kind kinds[] = { TL_COLUMN_TIER_OWN, TL_COLUMN_BUSY };
	size_t i, k, w;

	d->target = calloc(d->windows->n_columns + 1, sizeof(*d->target));
	if (!d->target)
		return -ENOMEM;
	for (k = 0; k < 2; k++)
		for (i = 0; i < d->windows->n_columns; i++) {
			const struct tl_column *column = &d->windows->column[i];
			struct tl_target *target;

			if (column->kind != kinds[k])
				continue;
			target = target_add(d, column);
			if (!target)
				return -ENOMEM;
			for (w = 0; !k && w < d->n_used; w++)
				target->value[w] /= d->seconds[w];
		}
	return 0;
}

static int counts_make(struct tl_demand *d)
{
	size_t p = d->windows->classes.n, w, i;
	struct tl_design_in in = { .windows = d->n_used, .classes = p };
	int code;

	d->count = calloc(d->n_used * p + 1, sizeof(*d->count));
	d->seconds = calloc(d->n_used + 1, sizeof(*d->seconds));
	if (!d->count || !d->seconds)
		return -ENOMEM;
	for (w = 0; w < d->n_used; w++)
		d->seconds[w] = d->windows->seconds[d->used[w]];
	for (i = 0; i < p; i++) {
		const struct tl_column *column = tl_windows_find(
			d->windows, TL_COLUMN_COUNT, i, TL_NOWHERE, TL_NOWHERE);

		for (w = 0; column && w < d->n_used; w++)
			d->count[w * p + i] = column->value[d->used[w]];
	}
	in.count = d->count;
	in.seconds = d->seconds;
	code = tl_design(&in, &d->own);
	in.background = true;
	return code ? code : tl_design(&in, &d->counts);
}

static int used_make(struct tl_demand *d, struct tl_error *err)
{
	const struct tl_windows *windows = d->windows;
	size_t i;

	d->used = calloc(windows->n + 1, sizeof(*d->used));
	if (!d->used)
		return tl_error_no_memory(err);
	for (i = 0; i < windows->n; i++)
		if (!windows->left_out[i])
			d->used[d->n_used++] = i;
	if (d->n_used >= 2)
		return 0;
	for (i = 0; i < windows->n && !windows->left_out[i]; i++)
		;
	return tl_error_set(err, -ENODATA,
			    "%s: of %zu windows %zu can be used, the first is left out because "
			    "%s: measure more", windows->file, windows->n, d->n_used,
			    i < windows->n ? windows->left_out[i] : "there are none");
}

/* At least one answer, or the sentence why not. */
static int check(const struct tl_demand *d, struct tl_error *err)
{
	size_t i;

	for (i = 0; i < d->n_targets; i++)
		if (!d->target[i].unfit)
			return 0;
	return tl_error_set(err, -EDOM,
			    "%s: no demand can be estimated by %s from %zu windows of %zu "
			    "classes: %s: measure at least %zu windows with different mixes",
			    d->windows->file, tl_method_names[d->method], d->n_used,
			    d->windows->classes.n,
			    d->n_targets ? d->target[0].unfit : "no target",
			    2 * d->windows->classes.n + 2);
}

/**
 * tl_demand_fit() - Estimate demands
 * @demand: filled in, to be given to tl_demand_free(), after an error too
 * @windows: table of figures; must outlive @demand
 * @method: how
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_demand_fit(struct tl_demand *demand, const struct tl_windows *windows,
		  enum tl_method method, struct tl_error *err)
{
	size_t i;
	int code;

	memset(demand, 0, sizeof(*demand));
	demand->windows = windows;
	demand->method = method;
	code = used_make(demand, err);
	if (code)
		return code;
	code = counts_make(demand);
	code = code ? code : targets_make(demand);
	for (i = 0; i < demand->n_targets && !code; i++)
		code = fit_target(demand, &demand->target[i]);
	if (code)
		return code == -ENOMEM ? tl_error_no_memory(err) :
		       tl_error_set(err, code, "%s: the counts cannot be taken apart: are "
				    "there requests in them?", windows->file);
	return check(demand, err);
}

/**
 * tl_demand_free() - Free what tl_demand_fit() allocated
 * @demand: demands
 */
void tl_demand_free(struct tl_demand *demand)
{
	size_t i;

	for (i = 0; i < demand->n_targets; i++) {
		free(demand->target[i].value);
		free(demand->target[i].residual);
		free(demand->target[i].coefficient);
	}
	free(demand->target);
	tl_design_free(&demand->counts);
	tl_design_free(&demand->own);
	free(demand->used);
	free(demand->count);
	free(demand->seconds);
}

/**
 * tl_demand_measured_s() - What a recording measured of a demand
 * @demand: demands
 * @target: of which
 * @class: index
 *
 * Return: processor time per request as a part of all processors, seconds; negative if it
 * was not measured.
 */
double tl_demand_measured_s(const struct tl_demand *demand,
			    const struct tl_target *target, size_t class)
{
	const struct tl_windows *windows = demand->windows;
	double cpu_s = 0, requests = 0;
	const struct tl_column *cpu;
	size_t w;

	if (target->resource == TL_NOWHERE || target->tier == TL_NOWHERE ||
	    !windows->processors || !is_processor(demand, target))
		return -1;
	cpu = tl_windows_find(windows, TL_COLUMN_CPU, class, target->tier, TL_NOWHERE);
	for (w = 0; cpu && w < demand->n_used; w++) {
		double value = cpu->value[demand->used[w]];

		cpu_s += isnan(value) ? 0 : value;
		requests += demand->count[w * windows->classes.n + class];
	}
	return cpu && requests > 0 ? cpu_s / requests / windows->processors : -1;
}
