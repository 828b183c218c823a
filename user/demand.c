// SPDX-License-Identifier: GPL-2.0-or-later
/* Demands per class, tier and resource, from a table of figures. */
#include "demand-times.h"

#include "error.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const tl_method_names[TL_METHODS] = {
	[TL_METHOD_AUTO] = "auto",
	[TL_METHOD_BASELINE] = "baseline",
	[TL_METHOD_OLS] = "ols",
	[TL_METHOD_NNLS] = "nnls",
	[TL_METHOD_RIDGE] = "ridge",
	[TL_METHOD_QUEUE] = "queue",
	[TL_METHOD_RESIDENCE] = "residence",
	[TL_METHOD_SDL] = "sdl",
};

/**
 * tl_target_name() - What a target is called in the output
 * @windows: table of figures
 * @target: target
 *
 * Return: "own" or the resource's name.
 */
const char *tl_target_name(const struct tl_windows *windows,
			   const struct tl_target *target)
{
	return target->resource == TL_NOWHERE ? "own" :
						windows->resources.name[target->resource];
}

/**
 * tl_target_key() - A name that no other target has
 * @windows: table of figures
 * @target: target
 * @key: set to "web.own" or the resource's name
 * @room: size of @key in bytes
 */
void tl_target_key(const struct tl_windows *windows, const struct tl_target *target,
		   char *key, size_t room)
{
	if (target->resource == TL_NOWHERE)
		snprintf(key, room, "%s.own", windows->tiers.name[target->tier]);
	else
		snprintf(key, room, "%s", tl_target_name(windows, target));
}

/**
 * tl_demand_gather() - The values of a column in the windows that are used
 * @demand: demands
 * @column: column
 *
 * Return: one a window, to be freed by the caller; NULL without memory.
 */
double *tl_demand_gather(const struct tl_demand *demand, const struct tl_column *column)
{
	double *values = calloc(demand->n_used + 1, sizeof(*values));
	size_t w;

	for (w = 0; values && w < demand->n_used; w++)
		values[w] = column->value[demand->used[w]];
	return values;
}

static struct tl_target *target_add(struct tl_demand *d, const struct tl_column *column)
{
	struct tl_target *target = &d->target[d->n_targets++];

	target->tier = column->kind == TL_COLUMN_BUSY ?
		       tl_windows_tier_of(d->windows, column->resource) : column->tier;
	target->resource = column->resource;
	target->value = tl_demand_gather(d, column);
	target->residual = calloc(d->n_used + 1, sizeof(*target->residual));
	target->factor = calloc(d->windows->resources.n + 1, sizeof(*target->factor));
	target->coefficient = calloc(d->windows->classes.n + 1,
				     sizeof(*target->coefficient));
	return target->value && target->residual && target->coefficient && target->factor ?
	       target : NULL;
}

static int targets_make(struct tl_demand *d)
{
	static const enum tl_column_kind kinds[] = { TL_COLUMN_TIER_OWN, TL_COLUMN_BUSY };
	size_t i, k, w;

	d->target = calloc(d->windows->n_columns + 1, sizeof(*d->target));
	d->apart = calloc(d->windows->tiers.n + 1, sizeof(*d->apart));
	if (!d->target || !d->apart)
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

static int used_make(const struct tl_windows *windows, size_t **used, size_t *n,
		     struct tl_error *err)
{
	size_t i;

	*n = 0;
	*used = calloc(windows->n + 1, sizeof(**used));
	if (!*used)
		return tl_error_no_memory(err);
	for (i = 0; i < windows->n; i++)
		if (!windows->left_out[i])
			(*used)[(*n)++] = i;
	if (*n >= 2)
		return 0;
	for (i = 0; i < windows->n && !windows->left_out[i]; i++)
		;
	return tl_error_set(err, -ENODATA,
			    "%s: of %zu windows %zu can be used, the first is left out because "
			    "%s: measure more", windows->file, windows->n, *n,
			    i < windows->n ? windows->left_out[i] : "there are none");
}

/* At least one answer, or the sentence why not. */
static int check(const struct tl_demand *d, struct tl_error *err)
{
	bool few;
	size_t i;

	for (i = 0; i < d->n_targets; i++)
		if (!d->target[i].unfit)
			return 0;
	few = d->n_used <= d->windows->classes.n + 1;
	return tl_error_set(err, -EDOM, few ?
			    "%s: no demand can be estimated by %s from %zu windows of %zu "
			    "classes: %s: measure at least %zu windows with different mixes" :
			    "%s: no demand can be estimated by %s from %zu windows of %zu "
			    "classes: %s: add columns with them, or take --method auto",
			    d->windows->file, tl_method_names[d->method], d->n_used,
			    d->windows->classes.n,
			    d->n_targets ? d->target[0].unfit : "no target",
			    2 * d->windows->classes.n + 2);
}

/**
 * tl_demand_prepare() - Take the counts of some of the windows apart
 * @demand: filled in but for what is fitted, to be given to tl_demand_free(), after an
 *          error too
 * @windows: table of figures; must outlive @demand
 * @used: indices of the windows, rising
 * @n_used: how many
 *
 * Return: 0 or a negative errno.
 */
int tl_demand_prepare(struct tl_demand *demand, const struct tl_windows *windows,
		      const size_t *used, size_t n_used)
{
	int code;

	memset(demand, 0, sizeof(*demand));
	demand->windows = windows;
	demand->n_used = n_used;
	demand->used = calloc(n_used + 1, sizeof(*used));
	if (!demand->used)
		return -ENOMEM;
	memcpy(demand->used, used, n_used * sizeof(*used));
	code = counts_make(demand);
	return code ? code : targets_make(demand);
}

/**
 * tl_demand_refit() - Estimate demands, by whatever method they were before
 * @demand: from tl_demand_prepare()
 * @method: how
 *
 * Return: 0 or -ENOMEM.
 */
int tl_demand_refit(struct tl_demand *demand, enum tl_method method)
{
	size_t i;
	int code = 0;

	demand->method = method;
	if (method == TL_METHOD_AUTO)
		return tl_demand_choose(demand);
	for (i = 0; i < demand->n_targets && !code; i++)
		code = tl_target_fit(demand, &demand->target[i], method);
	return code;
}

/**
 * tl_demand_fit() - Estimate demands from all windows that can be used
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
	size_t *used, n;
	int code = used_make(windows, &used, &n, err);

	memset(demand, 0, sizeof(*demand));
	if (code) {
		free(used);
		return code;
	}
	code = tl_demand_prepare(demand, windows, used, n);
	free(used);
	if (!code && demand->own.absent < windows->classes.n)
		code = tl_demand_refit(demand, method);
	if (!code && demand->own.absent == windows->classes.n)
		return tl_error_set(err, -ENODATA, "%s: there is no request in any window: "
				    "measure while there is load", windows->file);
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
		free(demand->target[i].factor);
		free(demand->target[i].coefficient);
	}
	free(demand->target);
	for (i = 0; demand->apart && i < demand->windows->tiers.n; i++)
		free(demand->apart[i]);
	free(demand->apart);
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
	    !windows->processors || !tl_target_is_processor(windows, target))
		return -1;
	cpu = tl_windows_find(windows, TL_COLUMN_CPU, class, target->tier, TL_NOWHERE);
	for (w = 0; cpu && w < demand->n_used; w++) {
		double value = cpu->value[demand->used[w]];

		cpu_s += isnan(value) ? 0 : value;
		requests += demand->count[w * windows->classes.n + class];
	}
	return cpu && requests > 0 ? cpu_s / requests / windows->processors : -1;
}
