// SPDX-License-Identifier: GPL-2.0-or-later
/* What the self test has found, for people. */
#include "selftest/findings.h"

#include "cmd.h"
#include "out.h"
#include "selftest/judge.h"
#include "selftest/session.h"

#include <inttypes.h>
#include <math.h>

static void trial_add(struct tl_grid *grid, const struct tl_trial *trial)
{
	const struct tl_bar *bar = trial->shape->bar;
	double low, high, unused;

	tl_grid_add(grid, "%s", trial->shape->name);
	tl_grid_add(grid, "%u", trial->connections);
	tl_grid_add(grid, "%" PRIu64, trial->warm_up);
	if (trial->state == TL_TRIAL_RUN && trial->calls) {
		tl_judge_bounds(trial->right, trial->calls, &low, &unused);
		tl_judge_bounds(trial->wrong, trial->calls, &unused, &high);
		tl_grid_add(grid, "%" PRIu64, trial->calls);
		tl_grid_add(grid, "%.2f", 100 * tl_judge_share(trial->right, trial->calls));
		tl_grid_add(grid, "> %.2f", 100 * low);
		tl_grid_add(grid, "%.2f", 100 * tl_judge_share(trial->wrong, trial->calls));
		tl_grid_add(grid, "< %.2f", 100 * high);
		tl_grid_add(grid, "%.2f", 100 * tl_judge_share(trial->absent, trial->calls));
		tl_grid_add(grid, "%g, %g", 100 * bar->right, 100 * bar->wrong);
	} else {
		tl_grid_add(grid, "%" PRIu64, trial->calls);
		for (int i = 0; i < 6; i++)
			tl_grid_add(grid, "-");
	}
	tl_grid_add(grid, "%s", tl_verdict_names[tl_judge_verdict(trial)]);
}

/* What a verdict does not say by itself. */
static void trial_explain(const struct tl_trial *trial)
{
	const struct tl_bar *bar = trial->shape->bar;

	printf("%s, %u at once: ", trial->shape->name, trial->connections);
	switch (tl_judge_verdict(trial)) {
	case TL_VERDICT_NOT_YET:
		printf("%g %% right are wanted and known not to be reached always, at least %g %% "
		       "are: what cannot be told apart is unattributed\n", 100 * bar->right,
		       100 * tl_shape_right(trial->shape, trial->connections));
		break;
	case TL_VERDICT_MISSED:
		printf("at least %g %% right and at most %g %% wrong are wanted\n",
		       100 * tl_shape_right(trial->shape, trial->connections),
		       100 * bar->wrong);
		break;
	case TL_VERDICT_LOST:
		printf("%" PRIu64 " requests asked, %" PRIu64 " counted; %" PRIu64 " calls "
		       "more than were made; front tier %" PRIu64 " ns, own times %" PRIu64
		       " ns, transit %" PRIu64 " ns\n", trial->requests, trial->counted,
		       trial->more, trial->front_ns, trial->own_ns, trial->transit_ns);
		break;
	default:
		printf("%s\n", *trial->why ? trial->why : trial->requests ? "no call was made" :
								     "no request was answered");
	}
}

static void trials_print(const struct tl_session *s)
{
	struct tl_grid *grid = tl_grid_new("shape|>at once|>warm-up|>calls|>right %|>95 %|>wrong %|"
					   ">95 %|>unattributed %|>wanted %|verdict");
	u64 warm_up = 0;
	size_t i;

	for (i = 0; i < s->n_trials; i++) {
		trial_add(grid, &s->trials[i]);
		warm_up += s->trials[i].warm_up;
	}
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
	if (warm_up)
		puts("The calls of the warm-up are not judged: where an order has to be learnt, that is "
		     "what a\nservice has behind it that has run for a while.");
	for (i = 0; i < s->n_trials; i++)
		if (tl_judge_verdict(&s->trials[i]) != TL_VERDICT_MET)
			trial_explain(&s->trials[i]);
}

/* What wrong attribution all trials of a kind together rule out. */
static void kinds_print(const struct tl_session *s)
{
	struct tl_kind kinds[TL_KINDS];
	size_t n = tl_judge_kinds(kinds, s->trials, s->n_trials), i;
	struct tl_grid *grid;
	double unused, high;

	if (!n)
		return;
	putchar('\n');
	grid = tl_grid_new("all of a kind|>trials|>calls|>wrong|>wrong %|>ruled out %|>wanted %|"
			   ">takes calls|verdict");
	for (i = 0; i < n; i++) {
		tl_judge_bounds(kinds[i].wrong, kinds[i].calls, &unused, &high);
		tl_grid_add(grid, "%s", kinds[i].bar->kind);
		tl_grid_add(grid, "%" PRIu64, kinds[i].trials);
		tl_grid_add(grid, "%" PRIu64, kinds[i].calls);
		tl_grid_add(grid, "%" PRIu64, kinds[i].wrong);
		tl_grid_add(grid, "%.3f", 100 * tl_judge_share(kinds[i].wrong, kinds[i].calls));
		tl_grid_add(grid, "> %.3f", 100 * high);
		tl_grid_add(grid, "<= %g", 100 * kinds[i].bar->wrong);
		tl_grid_add(grid, "%" PRIu64, tl_judge_needed(kinds[i].bar->wrong));
		tl_grid_add(grid, "%s", tl_verdict_names[tl_judge_kind(&kinds[i])]);
	}
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
	puts("Ruled out, with 95 %, is that more than so many are wrong; to rule out more than is\n"
	     "wanted takes so many calls, none of them wrong: give --seconds and --requests.");
}

static void identities_print(const struct tl_session *s)
{
	u64 chains = 0, losses[TL_LOSSES], ns = 0;
	char text[1100];
	size_t i;

	for (i = 0; i < s->n_trials; i++) {
		if (s->trials[i].state != TL_TRIAL_RUN || !s->trials[i].front_ns ||
		    tl_judge_verdict(&s->trials[i]) == TL_VERDICT_LOST)
			continue;
		ns += s->trials[i].front_ns;
		chains++;
	}
	if (chains)
		printf("\nresponse of the front tier = own times + transit, to the nanosecond: in "
		       "%" PRIu64 " chains of tiers, over %.3f s\n", chains, tl_ns_to_s(ns));
	printf("%sevents: %" PRIu64 " seen = %" PRIu64 " attributed + %" PRIu64
	       " unattributed + %" PRIu64 " ignored%s\n", chains ? "" : "\n",
	       s->after.events[TL_EVENT_SEEN] - s->before.events[TL_EVENT_SEEN],
	       s->after.events[TL_EVENT_ATTRIBUTED] - s->before.events[TL_EVENT_ATTRIBUTED],
	       s->after.events[TL_EVENT_UNATTRIBUTED] - s->before.events[TL_EVENT_UNATTRIBUTED],
	       s->after.events[TL_EVENT_IGNORED] - s->before.events[TL_EVENT_IGNORED],
	       tl_session_events_rest(s) ? ": which does NOT add up" : "");
	for (i = 0; i < TL_LOSSES; i++)
		losses[i] = s->after.losses[i] - s->before.losses[i];
	tl_losses_text(text, sizeof(text), losses);
	printf("losses: %s\n", text);
}

static void cost_add(struct tl_grid *grid, const struct tl_cost *cost)
{
	bool noise = tl_cost_in_noise(cost);

	tl_grid_add(grid, "%s", cost->name);
	tl_grid_add(grid, "%.0f", cost->off_ns);
	tl_grid_add(grid, "%.0f", round(cost->cost_ns) + 0.0); /* no -0 */
	tl_grid_add(grid, "%.0f to %.0f", round(cost->low_ns) + 0.0,
		    round(cost->high_ns) + 0.0);
	tl_grid_add(grid, "%.1f", 100 * cost->cost_ns / cost->off_ns);
	if (cost->hits >= 0.5)
		tl_grid_add(grid, "%.0f", cost->cost_ns / cost->hits);
	else
		tl_grid_add(grid, "-");
	tl_grid_add(grid, "%s%s%s", cost->hooks, noise && *cost->hooks ? "; " : "",
		    noise ? "within noise" : "");
}

static void costs_print(const struct tl_costs *costs)
{
	struct tl_grid *grid = tl_grid_new("operation|>ns|>measuring adds ns|>interval|>adds %|"
					   ">ns per hit|hits of hooks");
	size_t i;

	for (i = 0; i < costs->n; i++)
		if (costs->cost[i].able)
			cost_add(grid, &costs->cost[i]);
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
	for (i = 0; i < costs->n; i++)
		if (!costs->cost[i].able)
			printf("%s: cannot run here\n", costs->cost[i].name);
	printf("medians of %d pairs, measuring off and on in turn; the interval holds the median "
	       "with %.0f %%.\nA request and its answer also wake two processes and switch "
	       "between them twice, which hits no hook that counts.\n", TL_COST_PAIRS,
	       100 * (1 - 2.0 / (1 << TL_COST_PAIRS)));
}

/**
 * tl_findings_print() - What was found, for people
 * @s: a run that came to its end
 */
void tl_findings_print(const struct tl_session *s)
{
	if (s->n_trials) {
		trials_print(s);
		kinds_print(s);
		identities_print(s);
	}
	if (s->n_trials && s->costs.n)
		putchar('\n');
	if (s->costs.n)
		costs_print(&s->costs);
}

/* Return: how many kinds have too many wrong calls, after a sentence on each. */
static size_t kinds_status(const struct tl_session *s)
{
	struct tl_kind kinds[TL_KINDS];
	size_t n = tl_judge_kinds(kinds, s->trials, s->n_trials), i, missed = 0;

	for (i = 0; i < n; i++) {
		if (tl_judge_kind(&kinds[i]) == TL_VERDICT_MET)
			continue;
		tl_out_error("%s: %" PRIu64 " of %" PRIu64 " calls of all trials are wrong, which is "
			     "more than wanted: do not believe the attribution of such servers "
			     "here", kinds[i].bar->kind, kinds[i].wrong, kinds[i].calls);
		missed++;
	}
	return missed;
}

/**
 * tl_findings_status() - Was all as good as wanted?
 * @s: a run that came to its end
 *
 * Return: the exit status, after a sentence if something was not.
 */
int tl_findings_status(const struct tl_session *s)
{
	char names[400] = "";
	size_t i, used = 0, n = 0, kinds = kinds_status(s);

	for (i = 0; i < s->n_trials; i++) {
		if (tl_judge_verdict(&s->trials[i]) < TL_VERDICT_MISSED)
			continue;
		if (used < sizeof(names) - 40)
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s with %u",
						 n ? ", " : "", s->trials[i].shape->name,
						 s->trials[i].connections);
		n++;
	}
	if (n)
		tl_out_error("%zu of %zu trials are not as good as wanted (%s): do not believe "
			     "the attribution of such servers here", n, s->n_trials, names);
	if (s->n_trials && tl_session_events_rest(s))
		tl_out_error("the kernel's events do not add up: do not believe its figures");
	return n || kinds || (s->n_trials && tl_session_events_rest(s)) ? TL_EXIT_FAILED : TL_EXIT_OK;
}

static int shapes_json(void)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < tl_shapes_n; i++)
		json_array_append_new(array, json_pack(
			"{s:s, s:s, s:i, s:b, s:b, s:f, s:f, s:s}",
			"shape", tl_shapes[i].name,
			"kind", tl_shapes[i].bar->kind,
			"tiers", (int)tl_shapes[i].depth,
			"chain", !!(tl_shapes[i].flags & TL_SHAPE_CHAIN),
			"not_yet", !!(tl_shapes[i].flags & TL_SHAPE_PARTLY),
			"wanted_right", tl_shapes[i].bar->right,
			"wanted_wrong", tl_shapes[i].bar->wrong,
			"options", tl_shapes[i].options));
	return tl_out_json(json_pack("{s:o}", "shapes", array));
}

/**
 * tl_findings_shapes() - The list of shapes
 * @json: for programs
 *
 * Return: exit status.
 */
int tl_findings_shapes(bool json)
{
	struct tl_grid *grid;
	size_t i;

	if (json)
		return shapes_json();
	grid = tl_grid_new("shape|kind|>tiers|>right %|>wrong %|test server");
	for (i = 0; i < tl_shapes_n; i++) {
		tl_grid_add(grid, "%s", tl_shapes[i].name);
		tl_grid_add(grid, "%s", tl_shapes[i].bar->kind);
		tl_grid_add(grid, "%u", tl_shapes[i].depth);
		tl_grid_add(grid, ">= %g", 100 * tl_shapes[i].bar->right);
		tl_grid_add(grid, "<= %g", 100 * tl_shapes[i].bar->wrong);
		tl_grid_add(grid, "%s%s", tl_shapes[i].options,
			    tl_shapes[i].flags & TL_SHAPE_ON_UNIX ? " --listen unix:..." : "");
	}
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
	printf("pools with --answer io alone: with more than %d connections >= %g %% right, the rest "
	       "is unattributed\n", TL_SHAPE_FEW, 100 * TL_SHAPE_FLOOR);
	puts("and cost, which is no shape: what the hooks add to operations here");
	return TL_EXIT_OK;
}
