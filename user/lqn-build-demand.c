// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What requests take of the processors, for a network
 *
 * A tier's demand of a class of requests is that of `tierlens demand`: what the tier used,
 * shared out by the processor time that the kernel charged to them, without what the tier
 * uses if nobody asks (user/demand.h). Of all the paths on which requests of the class come
 * to the tier, each gets its part by what was charged there.
 *
 * What the host used and no tier did is of two parts, by a line through the windows: what
 * grows with the requests (the kernel's own threads, programs that help, clients on the
 * same host), and what is always there. The latter makes the processors slower: so sharing
 * with it is exact for one processor that is shared evenly.
 */
#include "lqn-build.h"

#include "demand-out.h"
#include "demand-times.h"
#include "error.h"
#include "figures.h"
#include "table.h"

#include <errno.h>
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REST_WINDOWS_MIN 10

/* ---- tiers ---------------------------------------------------------------------- */

static const struct tl_target *target_of(const struct tl_build *b, const char *tier)
{
	const struct tl_windows *names = b->demand ? b->demand->windows : NULL;
	size_t at = names ? tl_names_find(&names->tiers, tier) : TL_NOWHERE, i;

	for (i = 0; at != TL_NOWHERE && i < b->demand->n_targets; i++) {
		const struct tl_target *target = &b->demand->target[i];

		if (!target->unfit && target->tier == at && target->resource != TL_NOWHERE &&
		    tl_target_is_processor(names, target))
			return target;
	}
	return NULL;
}

/* With several front tiers a class is known with the name of its own. */
static size_t class_of(const struct tl_windows *names, const struct tl_path *root)
{
	size_t at = TL_NOWHERE;
	char *both;

	if (asprintf(&both, "%s/%s", root->tier, root->class) >= 0) {
		at = tl_names_find(&names->classes, both);
		free(both);
	}
	return at != TL_NOWHERE ? at : tl_names_find(&names->classes, root->class);
}

/* What is known of a class at a tier, if it is good enough to be built with. */
static const struct tl_estimate *estimate_of(const struct tl_build *b, size_t node,
					     const struct tl_target **target)
{
	const struct tl_path *path = &b->total->paths[node];
	const struct tl_estimate *e;
	size_t class;

	*target = target_of(b, path->tier);
	class = *target ? class_of(b->demand->windows, &b->total->paths[b->node[node].root]) : TL_NOWHERE;
	if (class == TL_NOWHERE)
		return NULL;
	e = &(*target)->coefficient[class];
	switch (e->verdict) {
	case TL_VERDICT_OK:
	case TL_VERDICT_UNCERTAIN:
	case TL_VERDICT_AT_MOST:
	case TL_VERDICT_CHANCE:
		return e->value >= 0 ? e : NULL;
	default:
		return NULL;
	}
}

static double cpu_of(const struct tl_path *path)
{
	return tl_sum_known(&path->sum[TL_PATH_CPU]) ? tl_ns_to_s(path->sum[TL_PATH_CPU].value) : 0;
}

/* The part of what a class takes at a tier that is taken on this path. */
static double part_of(const struct tl_build *b, size_t node)
{
	const struct tl_path *path = &b->total->paths[node];
	double cpu = 0, count = 0;
	size_t i;

	for (i = 0; i < b->total->n_paths; i++)
		if (b->node[i].entry != TL_LQN_NONE && b->node[i].root == b->node[node].root &&
		    !strcmp(b->total->paths[i].tier, path->tier)) {
			cpu += cpu_of(&b->total->paths[i]);
			count += (double)b->total->paths[i].count;
		}
	return cpu > 0 ? cpu_of(path) / cpu : (double)path->count / count;
}

/* What else is said of an estimate goes along with the number that is made of it. */
static void verdict_say(struct tl_build *b, const struct tl_target *target,
			const struct tl_estimate *e, struct tl_built_number *number)
{
	char *verdict;

	if (e->verdict == TL_VERDICT_OK)
		return;
	verdict = tl_estimate_verdict(b->demand, target, (size_t)(e - target->coefficient));
	b->built->no_memory |= !verdict;
	if (verdict)
		tl_built_origin(b->built, number, "%s", verdict);
	free(verdict);
}

static void demand_estimated(struct tl_build *b, size_t node, const struct tl_target *target,
			     const struct tl_estimate *e)
{
	const struct tl_path *path = &b->total->paths[node];
	const struct tl_path *root = &b->total->paths[b->node[node].root];
	struct tl_built_entry *entry = &b->built->entry[b->node[node].entry];
	double part = part_of(b, node);
	double factor = b->processors * part * (double)root->count / (double)path->count;

	/* What is at most so much may be much less. */
	entry->half95_s = b->in->demands || e->verdict == TL_VERDICT_AT_MOST ?
			  -1 : factor * (e->high95 - e->low95) / 2;
	if (b->in->demands)
		tl_built_number(b->built, &entry->demand_s, factor * e->value, "%s", b->in->demands);
	else if (entry->half95_s < 0)
		tl_built_number(b->built, &entry->demand_s, factor * e->value, "%.2g to %.2g, %s of what %s used",
				factor * e->low95, factor * e->high95, tl_method_names[target->method], path->tier);
	else
		tl_built_number(b->built, &entry->demand_s, factor * e->value, "± %.2g, %s of what %s used",
				entry->half95_s, tl_method_names[target->method], path->tier);
	if (part < 1)
		tl_built_origin(b->built, &entry->demand_s, "%.3g %% of what class %s needs there", 100 * part,
				root->class);
	verdict_say(b, target, e, &entry->demand_s);
}

/* No regression knew it: what was charged, and the tier's other work in proportion. */
static bool demand_charged(struct tl_build *b, size_t node)
{
	const struct tl_path *path = &b->total->paths[node];
	struct tl_built_entry *entry = &b->built->entry[b->node[node].entry];
	int tier = tl_tier_index(b->total, path->tier);
	const struct tl_sum *usage = tier < 0 ? NULL : b->total->tiers[tier].usage;
	double more = 1;

	if (!tl_sum_known(&path->sum[TL_PATH_CPU]))
		return false;
	if (usage && tl_sum_known(&usage[TL_USAGE_CPU]) && tl_sum_known(&usage[TL_USAGE_REQUEST_CPU]) &&
	    usage[TL_USAGE_REQUEST_CPU].value)
		more = (double)usage[TL_USAGE_CPU].value / (double)usage[TL_USAGE_REQUEST_CPU].value;
	tl_built_number(b->built, &entry->demand_s, more * cpu_of(path) / (double)path->count,
			"charged to %llu requests", (unsigned long long)path->count);
	if (more > 1)
		tl_built_origin(b->built, &entry->demand_s, "%.3g %% more, as the tier used outside of requests",
				100 * (more - 1));
	return true;
}

static int demand_set(struct tl_build *b, size_t node, struct tl_error *err)
{
	const struct tl_target *target;
	const struct tl_estimate *e = estimate_of(b, node, &target);

	if (e)
		demand_estimated(b, node, target, e);
	else if (!demand_charged(b, node))
		return tl_error_set(err, -ENODATA, "%s: the processor time of requests at %s is not known, and "
				    "no demand of class %s there: give a file with one with --demands",
				    b->in->recording, b->total->paths[node].tier,
				    b->total->paths[b->node[node].root].class);
	return 0;
}

static int demands_read(struct tl_build *b, struct tl_error *err)
{
	struct tl_error why;
	int code;

	if (b->in->demands) {
		code = tl_model_read(&b->given, b->in->demands, err);
		b->demand = &b->given.demand;
		return code;
	}
	/* Without it there is still what was charged. */
	code = tl_demand_fit(&b->fit, &b->windows, TL_METHOD_SDL, &why);
	if (code == -ENOMEM)
		return tl_error_no_memory(err);
	if (!code)
		b->demand = &b->fit;
	return 0;
}

/* ---- the rest of the host --------------------------------------------------------- */

/* Part of all processors' time that tiers do not use, of a window; NAN if it is unknown. */
static double rest_of(const struct tl_windows *w, size_t host, size_t window)
{
	double rest = NAN;
	size_t i;

	for (i = 0; i < w->n_columns; i++)
		if (w->column[i].kind == TL_COLUMN_BUSY && w->column[i].resource == host)
			rest = w->column[i].value[window];
	for (i = 0; i < w->resources.n; i++) {
		const struct tl_column *busy = tl_windows_find(w, TL_COLUMN_BUSY, TL_NOWHERE, TL_NOWHERE, i);
		const char *dot = strrchr(w->resources.name[i], '.');

		if (busy && dot && !strcmp(dot, ".cpu"))
			rest -= busy->value[window];
	}
	return rest;
}

static double requests_of(const struct tl_windows *w, size_t window)
{
	double count = 0;
	size_t c;

	for (c = 0; c < w->classes.n; c++) {
		const struct tl_column *n = tl_windows_find(w, TL_COLUMN_COUNT, c, TL_NOWHERE, TL_NOWHERE);

		count += n && !isnan(n->value[window]) ? n->value[window] : 0;
	}
	return count;
}

/* rest = a + b requests, neither below 0; windows count by their length. */
static void line_fit(const double *x, const double *y, const double *length, size_t n, double *a,
		     double *slope)
{
	double cov00, cov01, cov11, chisq, mean = 0, all = 0;
	size_t i;

	gsl_fit_wlinear(x, 1, length, 1, y, 1, n, a, slope, &cov00, &cov01, &cov11, &chisq);
	for (i = 0; i < n; i++) {
		mean += length[i] * y[i];
		all += length[i];
	}
	if (!(*slope > 0)) {
		*slope = 0;
		*a = fmax(0, mean / all);
	} else if (*a < 0) {
		*a = 0;
		gsl_fit_wmul(x, 1, length, 1, y, 1, n, slope, &cov11, &chisq);
	}
}

/* Tiers' work without requests, a part of all processors' time. */
static double idle_of(const struct tl_build *b)
{
	double busy = 0;
	size_t i;

	for (i = 0; i < b->total->n_tiers; i++) {
		const struct tl_target *target = target_of(b, b->total->tiers[i].name);

		if (target && target->background)
			busy += fmax(0, target->coefficient[b->demand->windows->classes.n].value);
	}
	return busy;
}

static void rest_fit(struct tl_build *b, double *always, double *each_s)
{
	const struct tl_windows *w = &b->windows;
	double *x = calloc(3 * w->n + 1, sizeof(*x)), *y, *length, rest;
	size_t host = tl_names_find(&w->resources, "cpu"), n = 0, i;

	b->built->no_memory |= !x;
	if (!x)
		return;
	y = x + w->n;
	length = y + w->n;
	for (i = 0; i < w->n && host != TL_NOWHERE; i++) {
		rest = w->left_out[i] ? NAN : rest_of(w, host, i);
		if (isnan(rest))
			continue;
		x[n] = requests_of(w, i) / w->seconds[i];
		y[n] = rest;
		length[n++] = w->seconds[i];
	}
	if (n >= REST_WINDOWS_MIN)
		line_fit(x, y, length, n, always, each_s);
	else
		tl_faults_note(&b->built->notes, 0, "what the host did beside its tiers is not in the network: %zu "
			       "intervals tell it, %d are wanted", n, REST_WINDOWS_MIN);
	free(x);
}

/* What is always there, and what comes with each request. */
static void rest_set(struct tl_build *b)
{
	struct tl_built_number *speed = &b->built->processor[b->host].speed;
	double always = 0, each_s = 0, idle = idle_of(b);

	rest_fit(b, &always, &each_s);
	if (each_s > 0)
		tl_built_number(b->built, &b->rest_s, each_s * b->processors,
				"the host's processors beside its tiers, what grows with the requests");
	always = fmin(always + idle, 0.99);
	tl_built_number(b->built, speed, 1 - always, "%.3g %% of the processors' time goes where no request is, "
			"%.3g %% of it in tiers; their utilisation is that of the rest", 100 * always,
			always > 0 ? 100 * fmin(idle / always, 1) : 0);
}

/**
 * tl_build_demands() - Set the demands of all entries, and what the host does beside
 * @b: what is built, with an entry for each path that has one
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_build_demands(struct tl_build *b, struct tl_error *err)
{
	int code = demands_read(b, err);
	size_t i;

	for (i = 0; i < b->total->n_paths && !code; i++)
		if (b->node[i].entry != TL_LQN_NONE)
			code = demand_set(b, i, err);
	if (!code)
		rest_set(b);
	return code;
}
