// SPDX-License-Identifier: GPL-2.0-or-later
/* What the self test has found, for programs. */
#include "selftest/findings.h"

#include "cmd.h"
#include "out.h"
#include "selftest/judge.h"
#include "selftest/session.h"

#include <sys/utsname.h>

static json_t *integer(u64 value)
{
	return json_integer((json_int_t)value);
}

static json_t *by_json(const struct tl_trial *trial)
{
	json_t *by = json_object();
	int i;

	for (i = 0; i < TL_BY_KINDS; i++)
		json_object_set_new(by, tl_by_names[i], integer(trial->by[i]));
	return by;
}

static void calls_put(json_t *object, const struct tl_trial *trial)
{
	const struct {
		const char *name, *low, *high;
		u64 n;
	} parts[] = {
		{ "right", "right_low95", "right_high95", trial->right },
		{ "wrong", "wrong_low95", "wrong_high95", trial->wrong },
		{ "unattributed", "unattributed_low95", "unattributed_high95", trial->absent },
	};
	double low, high;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		tl_judge_bounds(parts[i].n, trial->calls, &low, &high);
		json_object_set_new(object, parts[i].name, integer(parts[i].n));
		json_object_set_new(object, parts[i].low, json_real(low));
		json_object_set_new(object, parts[i].high, json_real(high));
	}
	json_object_set_new(object, "by", by_json(trial));
}

static json_t *chain_json(const struct tl_trial *trial)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "front_response_ns", integer(trial->front_ns),
			 "own_ns", integer(trial->own_ns),
			 "transit_ns", integer(trial->transit_ns),
			 "tiers_rest_ns", integer(trial->rest_ns),
			 "calls", integer(trial->chain_calls),
			 "joined", integer(trial->joined),
			 "requests", integer(trial->chain_requests),
			 "front_requests", integer(trial->counted));
}

static json_t *trial_json(const struct tl_trial *trial)
{
	const struct tl_bar *bar = trial->shape->bar;
	enum tl_verdict verdict = tl_judge_verdict(trial);
	json_t *object = json_pack("{s:s, s:i, s:s, s:o, s:o, s:f, s:o, s:f, s:f, s:f}",
				   "shape", trial->shape->name,
				   "connections", (int)trial->connections,
				   "verdict", tl_verdict_names[verdict],
				   "warm_up", integer(trial->warm_up),
				   "requests", integer(trial->requests),
				   "seconds", trial->seconds,
				   "calls", integer(trial->calls),
				   "wanted_right", bar->right,
				   "wanted_wrong", bar->wrong,
				   "must_right", tl_shape_right(trial->shape, trial->connections));

	if (*trial->why)
		json_object_set_new(object, "why", tl_out_name(trial->why));
	if (trial->state == TL_TRIAL_RUN)
		calls_put(object, trial);
	if (trial->state == TL_TRIAL_RUN && trial->shape->flags & TL_SHAPE_CHAIN)
		json_object_set_new(object, "conservation", chain_json(trial));
	return object;
}

static json_t *cost_json(const struct tl_cost *cost)
{
	if (!cost->able)
		return json_pack("{s:s, s:s}", "operation", cost->name, "verdict",
				 tl_verdict_names[TL_VERDICT_ABSENT]);
	return json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:s, s:f, s:o}",
			 "operation", cost->name,
			 "verdict", tl_cost_in_noise(cost) ? "within noise" : "measured",
			 "off_ns", cost->off_ns,
			 "cost_ns", cost->cost_ns,
			 "cost_low_ns", cost->low_ns,
			 "cost_high_ns", cost->high_ns,
			 "hits", cost->hits,
			 "hooks", cost->hooks,
			 "cost_share", cost->cost_ns / cost->off_ns,
			 "cost_per_hit_ns", cost->hits >= 0.5 ?
					    json_real(cost->cost_ns / cost->hits) : json_null());
}

static json_t *counters_json(const char *const *names, const u64 *before, const u64 *after,
			     int n)
{
	json_t *object = json_object();
	int i;

	for (i = 0; i < n; i++)
		json_object_set_new(object, names[i], integer(after[i] - before[i]));
	return object;
}

static json_t *trials_json(const struct tl_session *s)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < s->n_trials; i++)
		json_array_append_new(array, trial_json(&s->trials[i]));
	return array;
}

static json_t *kinds_json(const struct tl_session *s)
{
	struct tl_kind kinds[TL_KINDS];
	size_t n = tl_judge_kinds(kinds, s->trials, s->n_trials), i;
	json_t *array = json_array();
	double low, high;

	for (i = 0; i < n; i++) {
		tl_judge_bounds(kinds[i].wrong, kinds[i].calls, &low, &high);
		json_array_append_new(array, json_pack(
			"{s:s, s:s, s:o, s:o, s:o, s:o, s:f, s:f, s:f, s:o}",
			"kind", kinds[i].bar->kind,
			"verdict", tl_verdict_names[tl_judge_kind(&kinds[i])],
			"trials", integer(kinds[i].trials),
			"calls", integer(kinds[i].calls),
			"right", integer(kinds[i].right),
			"wrong", integer(kinds[i].wrong),
			"wrong_low95", low,
			"wrong_high95", high,
			"wanted_wrong", kinds[i].bar->wrong,
			"calls_needed", integer(tl_judge_needed(kinds[i].bar->wrong))));
	}
	return array;
}

static json_t *costs_json(const struct tl_costs *costs)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < costs->n; i++)
		json_array_append_new(array, cost_json(&costs->cost[i]));
	return array;
}

/**
 * tl_findings_json() - What was found, for programs
 * @s: a run that came to its end
 *
 * Return: exit status of printing.
 */
int tl_findings_json(const struct tl_session *s)
{
	struct utsname kernel = { .release = "" };

	uname(&kernel);
	return tl_out_json(json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:i, s:o}",
			"version", s->before.version,
			"kernel", kernel.release,
			"trials", trials_json(s),
			"kinds", kinds_json(s),
			"events", counters_json(tl_event_names, s->before.events,
						s->after.events, TL_EVENTS),
			"losses", counters_json(tl_loss_names, s->before.losses,
						s->after.losses, TL_LOSSES),
			"events_rest", (json_int_t)tl_session_events_rest(s),
			"cost_pairs", TL_COST_PAIRS,
			"cost", costs_json(&s->costs)));
}
