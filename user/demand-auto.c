// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The choice of a method, for each target
 *
 * First by what the file holds: measured times of the classes tell who used a resource
 * without any help from how the counts vary, which is what regression lives on. That is
 * not left to cross-validation, because a regression can predict a utilisation well
 * from demands that are far off, as long as the mixes stay what they were.
 *
 * Between methods that know the same, cross-validation over blocks of time decides:
 * single windows would leave their neighbours, which resemble them, in the fit. The
 * simpler method stays unless the other one is better by more than one standard error.
 */
#include "demand-cross.h"
#include "demand-times.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONDITION_HARMS 30 /* Belsley, Kuh and Welsch, 1980 */

struct choice {
	struct tl_demand *demand;
	struct tl_folds folds;
	struct tl_cross cross[TL_METHODS];
	bool tried[TL_METHODS];
};

static int cross_of(struct choice *c, enum tl_method method)
{
	if (c->tried[method])
		return 0;
	c->tried[method] = true;
	if (tl_folds_make(&c->folds, c->demand))
		return -ENOMEM;
	return tl_cross_make(&c->cross[method], &c->folds, method);
}

/* Is the other one better by more than one standard error of the difference? */
static bool better(const struct choice *c, size_t target, enum tl_method method,
		   enum tl_method other)
{
	const double *a = c->cross[method].square + target * TL_FOLDS;
	const double *b = c->cross[other].square + target * TL_FOLDS;
	double mean = 0, ss = 0;
	size_t k;

	for (k = 0; k < TL_FOLDS; k++)
		mean += (a[k] - b[k]) / TL_FOLDS;
	for (k = 0; k < TL_FOLDS; k++)
		ss += pow(a[k] - b[k] - mean, 2);
	return isfinite(mean) && mean > sqrt(ss / TL_FOLDS / (TL_FOLDS - 1));
}

static int by_regression(struct choice *c, size_t target)
{
	struct tl_demand *d = c->demand;
	bool own = d->target[target].resource == TL_NOWHERE;
	enum tl_method other = own ? TL_METHOD_QUEUE : TL_METHOD_RIDGE;
	enum tl_method method = TL_METHOD_NNLS;

	/* Ridge is for counts that depend on each other: else it is least squares. */
	if (d->n_used >= 3 * TL_FOLDS && (own || d->counts.condition > CONDITION_HARMS)) {
		if (cross_of(c, method) || cross_of(c, other))
			return -ENOMEM;
		if (better(c, target, method, other))
			method = other;
	}
	return tl_target_fit(d, &d->target[target], method);
}

/* Several resources slow a class's requests down each in its own way, which the own
 * time of a whole tier does not tell. To take them apart takes long, and its intervals are
 * not narrower than those of the counts. */
static bool is_mixed(const struct choice *c, const struct tl_target *target)
{
	size_t resources[c->demand->n_targets + 1];
	double *times, *outside;
	bool mixed;

	if (target->tier == TL_NOWHERE ||
	    tl_tier_resources(c->demand, target->tier, resources) < 2)
		return false;
	if (target->resource == TL_NOWHERE)
		return true;
	tl_times_apportion(c->demand, &c->demand->target[target - c->demand->target], &times,
			   &outside);
	mixed = !times;
	free(times);
	free(outside);
	return mixed;
}

static int choose(struct choice *c, size_t target)
{
	struct tl_target *t = &c->demand->target[target];
	bool mixed = is_mixed(c, t);
	const char *unfit;
	int code = mixed ? 0 : tl_target_fit(c->demand, t, TL_METHOD_SDL);

	if (code || (!mixed && !t->unfit))
		return code;
	code = by_regression(c, target);
	if (code || !t->unfit)
		return code;
	/* Better half an answer than none, if there are too few windows for this. */
	unfit = t->unfit;
	code = tl_target_fit(c->demand, t, TL_METHOD_SDL);
	if (t->unfit)
		t->unfit = unfit;
	return code;
}

static void reason(struct tl_demand *d)
{
	size_t by[TL_METHODS] = { 0 }, i, used = 0;
	static const char *const why[TL_METHODS] = {
		[TL_METHOD_SDL] = "measured times tell who used it",
		[TL_METHOD_RESIDENCE] = "own times of the classes were measured",
		[TL_METHOD_NNLS] = "times of the classes there are not known, and no other "
				   "regression promises more or predicts windows left out "
				   "better",
		[TL_METHOD_RIDGE] = "times of the classes there are not known, and it "
				    "predicts windows left out better than nnls",
		[TL_METHOD_QUEUE] = "own times of the classes are not known or are those of "
				    "several resources, and with waiting windows left out "
				    "are predicted better than by nnls",
	};

	for (i = 0; i < d->n_targets; i++)
		by[d->target[i].method]++;
	for (i = 0; i < TL_METHODS && used < sizeof(d->why); i++)
		if (by[i] && why[i])
			used += (size_t)snprintf(d->why + used, sizeof(d->why) - used,
						 "%s%s for %zu of %zu: %s", used ? "; " : "",
						 tl_method_names[i], by[i], d->n_targets, why[i]);
}

/**
 * tl_demand_choose() - Fit each target by the method that suits what is known of it
 * @demand: demands, nothing fitted
 *
 * Return: 0 or -ENOMEM.
 */
int tl_demand_choose(struct tl_demand *demand)
{
	struct choice c = { .demand = demand };
	size_t i;
	int code = 0;

	for (i = 0; i < demand->n_targets && !code; i++)
		code = choose(&c, i);
	for (i = 0; i < TL_METHODS; i++)
		tl_cross_free(&c.cross[i]);
	tl_folds_free(&c.folds);
	reason(demand);
	return code;
}
