// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Demands at a tier with several resources
 *
 * Its classes' own times and its resources' utilisations tell together what neither tells
 * alone (model/split.c). How requests wait at a resource is a guess that the times can be
 * wrong about in ways that no error of theirs shows; the counts know nothing of that. So
 * an interval never excludes what the counts do not.
 */
#include "demand-times.h"

#include "model/nnls.h"
#include "model/ols.h"
#include "model/split.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* By what the counts alone have of the resource. */
static int widen(const struct tl_demand *d, const struct tl_target *target,
		 struct tl_estimate *demand)
{
	size_t p = d->windows->classes.n, i;
	struct tl_estimate *counts = calloc(p + 1, sizeof(*counts));
	double *residual = calloc(d->n_used + 1, sizeof(*residual));
	struct tl_ols_in in = { &d->counts, target->value, false };
	struct tl_ols_out out = { .coefficient = counts, .residual = residual };
	int code = counts && residual ? tl_nnls_regression(&in, &out) : -ENOMEM;

	for (i = 0; !code && i < p; i++) {
		struct tl_estimate *e = &demand[i];

		if (d->counts.set[i] || e->verdict == TL_VERDICT_ABSENT)
			continue;
		if (e->verdict == TL_VERDICT_INSEPARABLE) {
			*e = counts[i];
			continue;
		}
		e->low95 = fmin(e->low95, counts[i].low95);
		e->high95 = fmax(e->high95, counts[i].high95);
		tl_estimate_judge(e);
		if (e->value <= 0)
			e->verdict = TL_VERDICT_ZERO;
	}
	if (d->counts.set[p])
		demand[p].verdict = TL_VERDICT_INSEPARABLE;
	free(counts);
	free(residual);
	return code;
}

static int apart_make(struct tl_demand *d, size_t tier, const size_t *resources, size_t n)
{
	size_t p = d->windows->classes.n, r;
	struct tl_estimate *demand = calloc(n * (p + 1), sizeof(*demand));
	double *times = tl_times_gather(d, TL_COLUMN_OWN, tier), factor[n];
	double *busy = tl_busy_gather(d, resources, n);
	struct tl_split_in in = { d->n_used, p, n, d->count, times, d->seconds, busy };
	struct tl_split_out out = { .demand = demand, .factor = factor };
	int code = !demand || !busy ? -ENOMEM : times ? tl_split(&in, &out) : -ENODATA;

	for (r = 0; !code && !d->values_only && r < n; r++)
		code = widen(d, &d->target[resources[r]], demand + r * (p + 1));
	free(times);
	free(busy);
	if (code)
		free(demand);
	else
		d->apart[tier] = demand;
	return code;
}

/**
 * tl_target_fit_apart() - Fit one of several resources of a tier
 * @demand: demands; all its targets have their values
 * @target: the resource
 * @method: what to call it
 *
 * Return: 0 or a negative errno, for which @unfit may have the reason.
 */
int tl_target_fit_apart(struct tl_demand *demand, struct tl_target *target,
			enum tl_method method)
{
	size_t p = demand->windows->classes.n, resources[demand->n_targets + 1], n, r;
	struct tl_ols_in rest = { &demand->counts, target->value, true };
	struct tl_ols_out quality = { .coefficient = target->coefficient,
				      .residual = target->residual };
	int code = 0;

	n = tl_tier_resources(demand, target->tier, resources);
	target->method = method;
	if (!demand->apart[target->tier])
		code = apart_make(demand, target->tier, resources, n);
	if (code == -ENODATA)
		target->unfit = "own times of all classes at it are not known";
	if (code)
		return code;
	for (r = 0; &demand->target[resources[r]] != target; r++)
		;
	memcpy(target->coefficient, demand->apart[target->tier] + r * (p + 1),
	       (p + 1) * sizeof(*target->coefficient));
	tl_ols_residuals(&rest, &quality);
	target->by = "own_s";
	target->background = true;
	target->r2 = quality.r2;
	target->residual_sd = quality.residual_sd;
	target->autocorrelation = quality.autocorrelation;
	target->degrees = fmax((double)demand->n_used - (double)(p + n) - 1, 1);
	return 0;
}
