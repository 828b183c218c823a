// SPDX-License-Identifier: GPL-2.0-or-later
/* What may be said of demands, in words. */
#include "demand-out.h"
#include "demand-times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static char *members_text(const struct tl_demand *demand, size_t set, size_t columns)
{
	char *text = NULL;
	bool first = true;
	size_t i, len;
	FILE *to = open_memstream(&text, &len);

	for (i = 0; to && i < columns; i++) {
		if (demand->counts.set[i] != set)
			continue;
		fprintf(to, "%s%s", first ? "" : ", ", tl_demand_column(demand, i));
		first = false;
	}
	if (!to || fclose(to))
		return NULL;
	return text;
}

/**
 * tl_demand_set_text() - Names of the columns of a set that cannot be told apart
 * @demand: demands
 * @set: number, from 1
 *
 * Return: "a, b".
 */
char *tl_demand_set_text(const struct tl_demand *demand, size_t set)
{
	return members_text(demand, set, demand->counts.columns);
}

/**
 * tl_demand_remedy() - Which other mixes would tell a set apart
 * @demand: demands
 * @set: number, from 1
 *
 * Return: the sentence.
 */
char *tl_demand_remedy(const struct tl_demand *demand, size_t set)
{
	const struct tl_design_out *counts = &demand->counts;
	char *text = NULL, *names = members_text(demand, set, counts->classes);
	bool background = counts->columns > counts->classes &&
			  counts->set[counts->classes] == set;
	size_t i, members = 0;
	int len = -1;

	for (i = 0; i < counts->classes; i++)
		members += counts->set[i] == set;
	if (names && background && members == 1)
		len = asprintf(&text, "measure windows with much more and much less of %s",
			       names);
	else if (names && background)
		len = asprintf(&text, "measure windows with much less load altogether, and "
			       "others in which the proportions of %s differ", names);
	else if (names)
		len = asprintf(&text, "measure windows in which the proportions of %s differ, "
			       "best some with only one of them", names);
	free(names);
	return len < 0 ? NULL : text;
}

/**
 * tl_estimate_known() - Whether a value may be printed as a fact
 * @e: estimate
 */
bool tl_estimate_known(const struct tl_estimate *e)
{
	return e->verdict <= TL_VERDICT_AT_MOST;
}

/**
 * tl_estimate_bounded() - Whether an interval may be printed
 * @e: estimate
 */
bool tl_estimate_bounded(const struct tl_estimate *e)
{
	return tl_estimate_known(e) || e->verdict == TL_VERDICT_CHANCE ||
	       e->verdict == TL_VERDICT_ZERO;
}

static char *inseparable_text(const struct tl_demand *demand, size_t column)
{
	char *set, *text = NULL;

	if (!demand->counts.set[column])
		return strdup("not identifiable: neither times nor counts tell the tier's "
			      "resources apart");
	set = tl_demand_set_text(demand, demand->counts.set[column]);
	if (!set || asprintf(&text, "not identifiable: classes %s", set) < 0)
		text = NULL;
	free(set);
	return text;
}

/**
 * tl_estimate_verdict() - What may be said of a demand
 * @demand: demands
 * @target: of which
 * @column: class, or the background behind them
 *
 * Return: the verdict.
 */
char *tl_estimate_verdict(const struct tl_demand *demand, const struct tl_target *target,
			  size_t column)
{
	const struct tl_estimate *e = &target->coefficient[column];
	char *text = NULL;

	switch (e->verdict) {
	case TL_VERDICT_OK:
		return strdup("ok");
	case TL_VERDICT_UNCERTAIN:
		return strdup("uncertain: the interval is wider than the value");
	case TL_VERDICT_CHANCE:
		return strdup("not known: the load varied by little more than chance, which tells "
			      "nothing where clients wait for answers: only bounds");
	case TL_VERDICT_AT_MOST:
		return strdup(target->resource == TL_NOWHERE ?
			      "at most: what requests wait for each other is in it" :
			      "at most: what works without requests is in it");
	case TL_VERDICT_ZERO:
		return strdup("not told from zero");
	case TL_VERDICT_NEGATIVE:
		return strdup("negative: the model does not fit");
	case TL_VERDICT_ABSENT:
		return strdup("not identifiable: the class never came");
	case TL_VERDICT_INSEPARABLE:
		return inseparable_text(demand, column);
	default:
		if (asprintf(&text, "contradicted: these demands make up %.0f %% of what was "
			     "measured", 100 * target->explained) < 0)
			return NULL;
		return text;
	}
}

static const struct tl_target *worst_of(const struct tl_demand *demand, size_t *class)
{
	const struct tl_target *worst = NULL;
	enum tl_verdict most = TL_VERDICT_OK;
	size_t i, k;

	for (i = 0; i < demand->n_targets; i++)
		for (k = 0; k < demand->windows->classes.n; k++) {
			const struct tl_target *target = &demand->target[i];
			enum tl_verdict verdict = target->coefficient[k].verdict;

			if (target->unfit || verdict == TL_VERDICT_ABSENT ||
			    verdict == TL_VERDICT_ZERO ||
			    verdict == TL_VERDICT_UNCERTAIN || verdict <= most)
				continue;
			most = verdict;
			worst = target;
			*class = k;
		}
	return worst;
}

static bool knows_any(const struct tl_demand *demand)
{
	size_t i, k;

	for (i = 0; i < demand->n_targets; i++)
		for (k = 0; !demand->target[i].unfit && k < demand->windows->classes.n; k++)
			if (tl_estimate_known(&demand->target[i].coefficient[k]))
				return true;
	return false;
}

/**
 * tl_demand_verdict() - What may be said of all demands together
 * @demand: demands
 *
 * Return: the verdict, the worst of all.
 */
char *tl_demand_verdict(const struct tl_demand *demand)
{
	size_t i, class = 0;
	const struct tl_target *worst = worst_of(demand, &class);
	char key[300], *text = NULL;

	if (worst)
		return tl_estimate_verdict(demand, worst, class);
	for (i = 0; i < demand->n_targets; i++) {
		if (!demand->target[i].unfit)
			continue;
		tl_target_key(demand->windows, &demand->target[i], key, sizeof(key));
		if (asprintf(&text, "incomplete: nothing is known of %s: %s", key,
			     demand->target[i].unfit) < 0)
			return NULL;
		return text;
	}
	if (!knows_any(demand))
		return strdup("uncertain: no demand is told from zero: measure more windows, or "
			      "with more load");
	if (demand->n_used < 2 * demand->windows->classes.n)
		return strdup("uncertain: fewer windows than twice the classes");
	return strdup("ok");
}

/**
 * tl_target_check() - What the residuals of a target tell against its model
 * @demand: demands
 * @target: one that was fitted
 *
 * Return: the sentence; NULL if there is nothing to tell, or without memory.
 */
char *tl_target_check(const struct tl_demand *demand, const struct tl_target *target)
{
	double limit = 1.96 / sqrt((double)demand->n_used), busy = 0;
	char *text = NULL;
	int len = 0;

	if (target->resource == TL_NOWHERE && target->waiting == TL_WAITING_NONE)
		busy = tl_tier_busiest(demand, target);
	if (busy >= TL_WAITING_MIN)
		len = asprintf(&text, "includes waiting: the tier was busy up to %.0f %%",
			       100 * busy);
	else if (target->method == TL_METHOD_SDL && target->resource != TL_NOWHERE &&
		 !target->background)
		return strdup("the load varied too little to tell what works without "
			      "requests: it is counted to them");
	else if (target->autocorrelation > limit)
		len = asprintf(&text, "residuals resemble their neighbours (%.2f): something "
			       "that was not measured drifts; the errors allow for it",
			       target->autocorrelation);
	else if (target->r2 < 0)
		len = asprintf(&text, "explains less than the mean would");
	return len < 0 ? NULL : text;
}
