// SPDX-License-Identifier: GPL-2.0-or-later
/* Demands for people and for programs. */
#include "demand.h"

#include "out.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

/**
 * tl_demand_set_text() - Names of the columns of a set
 * @demand: demands
 * @set: number, from 1
 *
 * Return: "a, b", to be freed by the caller; NULL without memory.
 */
char *tl_demand_set_text(const struct tl_demand *demand, size_t set)
{
	const struct tl_design_out *counts = &demand->counts;
	char *text = NULL, *longer;
	size_t i;
	int len;

	for (i = 0; i < counts->columns; i++) {
		if (counts->set[i] != set)
			continue;
		len = asprintf(&longer, "%s%s%s", text ? text : "", text ? ", " : "",
			       tl_demand_column(demand, i));
		free(text);
		if (len < 0)
			return NULL;
		text = longer;
	}
	return text;
}

/**
 * tl_estimate_verdict() - What may be said of a demand
 * @demand: demands
 * @e: one of them
 * @column: class, or the background behind them
 *
 * Return: the verdict, to be freed by the caller; NULL without memory.
 */
char *tl_estimate_verdict(const struct tl_demand *demand, const struct tl_estimate *e,
			  size_t column)
{
	static const char *const plain[] = {
		[TL_VERDICT_OK] = "ok",
		[TL_VERDICT_UNCERTAIN] = "uncertain: the interval is wider than the value",
		[TL_VERDICT_ZERO] = "not told from zero",
		[TL_VERDICT_NEGATIVE] = "negative: the model does not fit",
		[TL_VERDICT_INSEPARABLE] = "not identifiable",
		[TL_VERDICT_ABSENT] = "not identifiable: the class never came",
	};
	char *set, *text = NULL;

	if (e->verdict != TL_VERDICT_INSEPARABLE || !demand->counts.set[column])
		return strdup(plain[e->verdict]);
	set = tl_demand_set_text(demand, demand->counts.set[column]);
	if (!set || asprintf(&text, "not identifiable: classes %s", set) < 0)
		text = NULL;
	free(set);
	return text;
}

static bool is_known(const struct tl_estimate *e)
{
	return e->verdict == TL_VERDICT_OK || e->verdict == TL_VERDICT_UNCERTAIN;
}

/* A bound may still be said where a value may not. */
static bool is_bounded(const struct tl_estimate *e)
{
	return is_known(e) || e->verdict == TL_VERDICT_ZERO;
}

static bool all_known(const struct tl_demand *demand)
{
	size_t i, k;

	for (i = 0; i < demand->n_targets; i++) {
		const struct tl_target *target = &demand->target[i];

		if (target->unfit)
			return false;
		for (k = 0; k < demand->windows->classes.n; k++)
			if (target->coefficient[k].verdict == TL_VERDICT_INSEPARABLE ||
			    target->coefficient[k].verdict == TL_VERDICT_NEGATIVE)
				return false;
	}
	return true;
}

/**
 * tl_demand_verdict() - What may be said of all demands together
 * @demand: demands
 *
 * Return: the verdict, to be freed by the caller; NULL without memory.
 */
char *tl_demand_verdict(const struct tl_demand *demand)
{
	size_t i, k;

	if (all_known(demand))
		return strdup("ok");
	for (i = 0; i < demand->n_targets; i++)
		for (k = 0; k < demand->windows->classes.n; k++) {
			const struct tl_estimate *e = &demand->target[i].coefficient[k];

			if (e->verdict == TL_VERDICT_INSEPARABLE ||
			    e->verdict == TL_VERDICT_NEGATIVE)
				return tl_estimate_verdict(demand, e, k);
		}
	return strdup("incomplete: not everything that was measured could be explained");
}

static json_t *number(bool known, double value)
{
	return known ? json_real(value) : json_null();
}

/* Takes over the text. */
static json_t *owned_text(char *text)
{
	json_t *string = text ? json_string(text) : NULL;

	free(text);
	return string;
}

static json_t *estimate_json(const struct tl_demand *demand,
			     const struct tl_target *target, size_t class)
{
	const struct tl_estimate *e = &target->coefficient[class];
	double measured_s = tl_demand_measured_s(demand, target, class);
	json_t *object = json_pack(
		"{s:s, s:s?, s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:s?, s:o}",
		"class", demand->windows->classes.name[class], "tier",
		target->tier == TL_NOWHERE ? NULL : demand->windows->tiers.name[target->tier],
		"resource", tl_target_name(demand, target),
		"value_s", number(is_known(e), e->value),
		"stderr_s", number(is_bounded(e), e->error),
		"low95_s", number(is_bounded(e), e->low95),
		"high95_s", number(is_bounded(e), e->high95),
		"t", number(is_known(e) && e->error > 0, e->value / e->error),
		"method", tl_method_names[target->method],
		"apportioned_by", target->by,
		"verdict", owned_text(tl_estimate_verdict(demand, e, class)));

	if (object && measured_s >= 0)
		json_object_set_new(object, "measured_s", json_real(measured_s));
	return object;
}

static json_t *demands_json(const struct tl_demand *demand)
{
	json_t *list = json_array();
	size_t i, k;

	for (i = 0; i < demand->n_targets; i++)
		for (k = 0; !demand->target[i].unfit && k < demand->windows->classes.n; k++)
			json_array_append_new(list,
					      estimate_json(demand, &demand->target[i], k));
	return list;
}

static json_t *left_out_json(const struct tl_windows *windows)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < windows->n; i++)
		if (windows->left_out[i])
			json_array_append_new(list, json_pack("{s:f, s:s}", "t",
							      windows->t_s[i], "why",
							      windows->left_out[i]));
	return list;
}

static json_t *sets_json(const struct tl_demand *demand)
{
	json_t *list = json_array(), *set;
	size_t i, k;

	for (k = 1; k <= demand->counts.sets; k++) {
		set = json_array();
		for (i = 0; i < demand->counts.columns; i++)
			if (demand->counts.set[i] == k)
				json_array_append_new(
					set, json_string(tl_demand_column(demand, i)));
		json_array_append_new(list, set);
	}
	return list;
}

static json_t *intercepts_json(const struct tl_demand *demand)
{
	size_t i, p = demand->windows->classes.n;
	json_t *list = json_array();

	for (i = 0; i < demand->n_targets; i++) {
		const struct tl_target *target = &demand->target[i];
		const struct tl_estimate *e = &target->coefficient[p];
		bool known = e->verdict != TL_VERDICT_INSEPARABLE;

		if (!target->unfit && target->background)
			json_array_append_new(
				list, json_pack("{s:s, s:o, s:o, s:s}", "resource",
						tl_target_name(demand, target), "value",
						number(known, e->value), "stderr",
						number(known, e->error), "verdict",
						known ? "ok" : "not identifiable"));
	}
	return list;
}

static void key_of(const struct tl_demand *demand, const struct tl_target *target,
		   char *key, size_t room)
{
	if (target->resource == TL_NOWHERE)
		snprintf(key, room, "%s.own", demand->windows->tiers.name[target->tier]);
	else
		snprintf(key, room, "%s", tl_target_name(demand, target));
}

static json_t *r2_json(const struct tl_demand *demand)
{
	json_t *object = json_object();
	char key[300];
	size_t i;

	for (i = 0; i < demand->n_targets; i++) {
		key_of(demand, &demand->target[i], key, sizeof(key));
		if (!demand->target[i].unfit)
			json_object_set_new(object, key, json_real(demand->target[i].r2));
	}
	return object;
}

static json_t *unfit_json(const struct tl_demand *demand)
{
	json_t *object = json_object();
	char key[300];
	size_t i;

	for (i = 0; i < demand->n_targets; i++) {
		key_of(demand, &demand->target[i], key, sizeof(key));
		if (demand->target[i].unfit)
			json_object_set_new(object, key,
					    json_string(demand->target[i].unfit));
	}
	return object;
}

/**
 * tl_demand_json() - Demands for programs
 * @demand: demands
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_demand_json(const struct tl_demand *demand)
{
	const struct tl_windows *windows = demand->windows;

	return json_pack(
		"{s:s, s:s, s:I, s:I, s:o, s:f, s:I, s:o, s:o, s:o, s:o, s:o, s:f, s:o}",
		"file", windows->file,
		"method", tl_method_names[demand->method],
		"windows_used", (json_int_t)demand->n_used,
		"windows_needed", (json_int_t)(2 * windows->classes.n),
		"windows_left_out", left_out_json(windows),
		"condition", demand->counts.condition,
		"rank", (json_int_t)demand->counts.rank,
		"inseparable", sets_json(demand),
		"demands", demands_json(demand),
		"intercepts", intercepts_json(demand),
		"r2", r2_json(demand),
		"not_fitted", unfit_json(demand),
		"processors", windows->processors,
		"verdict", owned_text(tl_demand_verdict(demand)));
}

static void row_print(const struct tl_demand *demand, const struct tl_target *target,
		      struct tl_grid *grid, size_t class)
{
	const struct tl_estimate *e = &target->coefficient[class];
	char *verdict = tl_estimate_verdict(demand, e, class), value[24] = "-", t[24] = "-";
	char interval[60] = "-", error[24] = "-";

	if (is_known(e)) {
		snprintf(value, sizeof(value), "%.3f", 1e3 * e->value);
		if (e->error > 0)
			snprintf(t, sizeof(t), "%.1f", e->value / e->error);
	}
	if (is_bounded(e)) {
		snprintf(error, sizeof(error), "%.3f", 1e3 * e->error);
		snprintf(interval, sizeof(interval), "%.3f ... %.3f", 1e3 * e->low95,
			 1e3 * e->high95);
	}
	tl_grid_add(grid, "%s", target->tier == TL_NOWHERE ?
		    "-" : demand->windows->tiers.name[target->tier]);
	tl_grid_add(grid, "%s", tl_target_name(demand, target));
	tl_grid_add(grid, "%s", demand->windows->classes.name[class]);
	tl_grid_add(grid, "%s", value);
	tl_grid_add(grid, "%s", error);
	tl_grid_add(grid, "%s", interval);
	tl_grid_add(grid, "%s", t);
	tl_grid_add(grid, "%s", verdict ? verdict : "");
	free(verdict);
}

static void head_print(const struct tl_demand *demand, FILE *to)
{
	const struct tl_windows *windows = demand->windows;
	char *set;
	size_t i;

	fprintf(to, "%zu of %zu windows, %zu classes (at least %zu windows are wanted); "
		"condition of the counts %.3g, rank %zu of %zu\n", demand->n_used, windows->n,
		windows->classes.n, 2 * windows->classes.n, demand->counts.condition,
		demand->counts.rank, demand->counts.columns - demand->counts.absent);
	for (i = 0; i < windows->n; i++)
		if (windows->left_out[i])
			fprintf(to, "left out: window at %.3f s: %s\n", windows->t_s[i],
				windows->left_out[i]);
	for (i = 1; i <= demand->counts.sets; i++) {
		set = tl_demand_set_text(demand, i);
		fprintf(to, "by their counts alone cannot be told apart: %s\n",
			set ? set : "");
		free(set);
	}
}

/**
 * tl_demand_print() - Demands for people
 * @demand: demands
 * @to: where
 */
void tl_demand_print(const struct tl_demand *demand, FILE *to)
{
	struct tl_grid *grid = tl_grid_new(
		"tier|resource|class|>demand ms|>error|>95 %|>t|verdict");
	size_t i, k;

	head_print(demand, to);
	for (i = 0; grid && i < demand->n_targets; i++)
		for (k = 0; !demand->target[i].unfit && k < demand->windows->classes.n; k++)
			row_print(demand, &demand->target[i], grid, k);
	if (grid)
		tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
}
