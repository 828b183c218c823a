// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a model may know beside the counts: times of the classes, utilisations of a tier
 *
 * Processor time that a recording has measured for each class is the truth that the
 * regressions are held against. Only the service demand law may share out by it.
 */
#include "demand-times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/**
 * tl_times_gather() - Σ time of each class in each used window
 * @d: demands
 * @kind: own time, processor time or response time
 * @tier: index; TL_NOWHERE for response times
 *
 * Return: [n_used][classes], to be freed by the caller; NULL if it is not known of all
 * classes that came, if nothing was spent there, or without memory.
 */
double *tl_times_gather(const struct tl_demand *d, enum tl_column_kind kind, size_t tier)
{
	size_t p = d->windows->classes.n, w, i;
	double *times = calloc(d->n_used * p + 1, sizeof(*times)), sum = 0;

	for (i = 0; times && i < p; i++) {
		const struct tl_column *column =
			tl_windows_find(d->windows, kind, i, tier, TL_NOWHERE);

		/* A class of a recording that never came to the tier spent nothing there. */
		if (!column && !d->windows->recorded && d->counts.scale[i] > 0)
			break;
		for (w = 0; column && w < d->n_used; w++) {
			double value = column->value[d->used[w]];

			times[w * p + i] = isnan(value) ? 0 : value;
			sum += times[w * p + i];
		}
	}
	if (times && i == p && sum > 0)
		return times;
	free(times);
	return NULL;
}

/**
 * tl_target_is_processor() - Whether a resource is the processors
 * @windows: table of figures
 * @target: target with a resource
 *
 * Return: true for "cpu" and "<tier>.cpu".
 */
bool tl_target_is_processor(const struct tl_windows *windows,
			    const struct tl_target *target)
{
	const char *name = tl_target_name(windows, target), *dot = strrchr(name, '.');

	return !strcmp(dot ? dot + 1 : name, "cpu");
}

/**
 * tl_tier_resources() - The targets that are resources of a tier
 * @d: demands
 * @tier: index
 * @targets: set to the indices; room for all targets
 *
 * Return: how many there are.
 */
size_t tl_tier_resources(const struct tl_demand *d, size_t tier, size_t *targets)
{
	size_t i, n = 0;

	for (i = 0; i < d->n_targets; i++)
		if (d->target[i].resource != TL_NOWHERE && d->target[i].tier == tier)
			targets[n++] = i;
	return n;
}

/**
 * tl_tier_busiest() - How busy the busiest resource of a target's tier became
 * @d: demands
 * @target: own time, or a resource
 *
 * Return: a utilisation, 0 if the tier has no resource.
 */
double tl_tier_busiest(const struct tl_demand *d, const struct tl_target *target)
{
	double busy = 0;
	size_t i, w;

	for (i = 0; i < d->n_targets; i++) {
		const struct tl_target *other = &d->target[i];

		if (other->resource == TL_NOWHERE || other->tier != target->tier)
			continue;
		for (w = 0; w < d->n_used; w++)
			busy = fmax(busy, other->value[w]);
	}
	return busy;
}

/**
 * tl_busy_gather() - Utilisations of some targets
 * @d: demands
 * @targets: their indices
 * @n: how many
 *
 * Return: [n_used][n], to be freed by the caller; NULL without memory.
 */
double *tl_busy_gather(const struct tl_demand *d, const size_t *targets, size_t n)
{
	double *busy = calloc(d->n_used * n + 1, sizeof(*busy));
	size_t w, r;

	for (w = 0; busy && w < d->n_used; w++)
		for (r = 0; r < n; r++)
			busy[w * n + r] = d->target[targets[r]].value[w];
	return busy;
}

static double *outside_gather(const struct tl_demand *d, size_t tier)
{
	const struct tl_column *column = tl_windows_find(d->windows, TL_COLUMN_OUTSIDE,
							 TL_NOWHERE, tier, TL_NOWHERE);
	double *part = column && d->windows->processors > 0 ?
		       tl_demand_gather(d, column) : NULL;
	size_t w;

	for (w = 0; part && w < d->n_used; w++)
		part[w] = isnan(part[w]) ? 0 :
			  part[w] / d->seconds[w] / d->windows->processors;
	return part;
}

/**
 * tl_target_is_alone() - Whether all of a response is spent at a resource, as far as is known
 * @d: demands
 * @target: the resource
 *
 * Return: true if there is one tier at most, and no resource but processors beside it.
 */
bool tl_target_is_alone(const struct tl_demand *d, const struct tl_target *target)
{
	bool processor = tl_target_is_processor(d->windows, target);
	size_t i;

	for (i = 0; i < d->n_targets; i++)
		if (d->target[i].resource != TL_NOWHERE && &d->target[i] != target &&
		    !(processor && tl_target_is_processor(d->windows, &d->target[i])))
			return false;
	return d->windows->tiers.n < 2;
}

/**
 * tl_times_apportion() - What tells who used a resource
 * @d: demands
 * @target: the resource; its @by or @unfit is set
 * @times: set to [n_used][classes], NULL if nothing tells; to be freed by the caller
 * @outside: set to the measured utilisation for no request, NULL if it was not measured;
 *           to be freed by the caller
 *
 * Processor time if it was measured; own times at the tier if it has one resource only,
 * because nothing tells how they divide among several; response times if there is no
 * tier but one, and nothing else at which they could be spent.
 */
void tl_times_apportion(const struct tl_demand *d, struct tl_target *target,
			double **times, double **outside)
{
	size_t in_tier[d->n_targets + 1], n;

	*times = *outside = NULL;
	n = tl_tier_resources(d, target->tier, in_tier);
	if (target->tier != TL_NOWHERE && tl_target_is_processor(d->windows, target)) {
		*times = tl_times_gather(d, TL_COLUMN_CPU, target->tier);
		target->by = "cpu_s";
		if (*times)
			*outside = outside_gather(d, target->tier);
	}
	if (!*times && target->tier != TL_NOWHERE && n == 1) {
		*times = tl_times_gather(d, TL_COLUMN_OWN, target->tier);
		target->by = "own_s";
	}
	if (!*times && n == 1 && tl_target_is_alone(d, target)) {
		*times = tl_times_gather(d, TL_COLUMN_RESPONSE, TL_NOWHERE);
		target->by = "response_s";
	}
	if (*times)
		return;
	target->by = NULL;
	target->unfit = n > 1 ? "times at it are not known apart from those at the other "
				"resources" :
				"times of all classes at it are not known";
}
