// SPDX-License-Identifier: GPL-2.0-or-later
/* Demands for programs. */
#include "demand-out.h"

#include <stdlib.h>

static json_t *number(bool known, double value)
{
	return known ? json_real(value) : json_null();
}

/* Takes over the text. */
static json_t *owned_text(char *text)
{
	json_t *string = text ? json_string(text) : json_null();

	free(text);
	return string;
}

static json_t *estimate_json(const struct tl_demand *demand,
			     const struct tl_target *target, size_t class)
{
	const struct tl_windows *windows = demand->windows;
	const struct tl_estimate *e = &target->coefficient[class];
	double measured_s = tl_demand_measured_s(demand, target, class);
	bool known = tl_estimate_known(e), bounded = tl_estimate_bounded(e);
	json_t *object = json_pack(
		"{s:s, s:s?, s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:s?, s:o}",
		"class", windows->classes.name[class], "tier",
		target->tier == TL_NOWHERE ? NULL : windows->tiers.name[target->tier],
		"resource", tl_target_name(windows, target),
		"value_s", number(known, e->value),
		"stderr_s", number(bounded, e->error),
		"low95_s", number(bounded, e->low95),
		"high95_s", number(bounded, e->high95),
		"t", number(known && e->error > 0, e->value / e->error),
		"method", tl_method_names[target->method],
		"apportioned_by", target->by,
		"verdict", owned_text(tl_estimate_verdict(demand, target, class)));

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

static json_t *remedies_json(const struct tl_demand *demand)
{
	json_t *list = json_array();
	size_t k;

	for (k = 1; k <= demand->counts.sets; k++)
		json_array_append_new(list, owned_text(tl_demand_remedy(demand, k)));
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

		if (target->unfit || !target->background)
			continue;
		json_array_append_new(
			list, json_pack("{s:s, s:o, s:o, s:o}", "resource",
					tl_target_name(demand->windows, target), "value",
					number(known, e->value), "stderr",
					number(known, e->error), "verdict",
					owned_text(tl_estimate_verdict(demand, target, p))));
	}
	return list;
}

static json_t *factors_json(const struct tl_demand *demand,
			    const struct tl_target *target)
{
	json_t *object = json_object();
	size_t i;

	for (i = 0; target->waiting == TL_WAITING_QUEUE && i < demand->n_targets; i++)
		if (demand->target[i].resource != TL_NOWHERE &&
		    demand->target[i].tier == target->tier)
			json_object_set_new(
				object, tl_target_name(demand->windows, &demand->target[i]),
				json_real(target->factor[demand->target[i].resource]));
	if (target->waiting == TL_WAITING_SLOWDOWN)
		json_object_set_new(object, "busiest", json_real(target->factor[0]));
	return object;
}

static json_t *check_json(const struct tl_demand *demand, const struct tl_target *target)
{
	return json_pack("{s:s, s:f, s:f, s:f, s:f, s:o, s:o}",
			 "method", tl_method_names[target->method],
			 "explained", target->explained,
			 "residual_sd", target->residual_sd,
			 "autocorrelation", target->autocorrelation,
			 "degrees", target->degrees,
			 "waiting_factor", factors_json(demand, target),
			 "remark", owned_text(tl_target_check(demand, target)));
}

static void targets_json(const struct tl_demand *demand, json_t *r2, json_t *checks,
			 json_t *unfit)
{
	char key[300];
	size_t i;

	for (i = 0; i < demand->n_targets; i++) {
		const struct tl_target *target = &demand->target[i];

		tl_target_key(demand->windows, target, key, sizeof(key));
		if (target->unfit) {
			json_object_set_new(unfit, key, json_string(target->unfit));
			continue;
		}
		json_object_set_new(r2, key, json_real(target->r2));
		json_object_set_new(checks, key, check_json(demand, target));
	}
}

/**
 * tl_demand_json() - Demands for programs
 * @demand: demands
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_demand_json(const struct tl_demand *demand)
{
	json_t *r2 = json_object(), *checks = json_object(), *unfit = json_object();
	const struct tl_windows *windows = demand->windows;

	targets_json(demand, r2, checks, unfit);
	return json_pack(
		"{s:s, s:s, s:s, s:I, s:I, s:o, s:f, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, "
		"s:o}",
		"file", windows->file,
		"method", tl_method_names[demand->method],
		"why", demand->why,
		"windows_used", (json_int_t)demand->n_used,
		"windows_needed", (json_int_t)(2 * windows->classes.n),
		"windows_left_out", left_out_json(windows),
		"condition", demand->counts.condition,
		"rank", (json_int_t)demand->counts.rank,
		"inseparable", sets_json(demand),
		"separate_by", remedies_json(demand),
		"demands", demands_json(demand),
		"intercepts", intercepts_json(demand),
		"r2", r2, "checks", checks, "not_fitted", unfit,
		"processors", windows->processors,
		"verdict", owned_text(tl_demand_verdict(demand)));
}
