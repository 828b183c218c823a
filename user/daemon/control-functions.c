// SPDX-License-Identifier: GPL-2.0-or-later
/* Which functions of a tier at method are probed. */
#include "daemon/control.h"

#include "ctl.h"
#include "daemon/log.h"
#include "error.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define IDLE_WINDOWS 2 /* without a call */
#define REFUSED_MOST 20 /* functions that are told of, one by one */

static bool is_held(const struct tl_held *held, const struct tl_chosen *chosen)
{
	size_t i;

	for (i = 0; i < held->functions; i++)
		if (held->function[i].chosen == chosen)
			return true;
	return false;
}

static bool is_hot(const struct tl_held *held, const char *name)
{
	size_t i;

	for (i = 0; i < held->hots; i++)
		if (!strcmp(held->hot[i], name))
			return true;
	return false;
}

/* Not to be chosen again as long as the tier is at method. */
static void hot_add(struct tl_held *held, const char *name)
{
	char **to = is_hot(held, name) ? NULL : tl_array_append((void **)&held->hot, &held->hots, sizeof(*to));

	if (!to)
		return;
	*to = strdup(name);
	if (!*to)
		held->hots--;
}

/* The tier is at method no longer: the kernel has let go of its functions. */
void tl_control_forget(struct tl_held *held)
{
	size_t i;

	for (i = 0; i < held->functions; i++)
		free(held->function[i].name);
	for (i = 0; i < held->hots; i++)
		free(held->hot[i]);
	free(held->function);
	free(held->hot);
	tl_choice_free(&held->choice);
	held->function = NULL;
	held->hot = NULL;
	held->functions = held->hots = held->next = 0;
	held->chosen = held->named = false;
}

static const char *name_of(const struct tl_control *c, size_t tier)
{
	return c->feed.tiers.name[tier].text;
}

static void choose(struct tl_control *c, size_t tier, const struct tl_tier_info *tiers, size_t n)
{
	struct tl_held *held = &c->held[tier];
	struct tl_error err;

	held->chosen = true;
	if (tl_choose(&held->choice, &c->choose, tiers, n, name_of(c, tier), &err))
		tl_log_text(c->log, c->feed.in.t_s, "refused", name_of(c, tier), NULL, err.text);
	else if (*held->choice.note)
		tl_log_text(c->log, c->feed.in.t_s, "note", name_of(c, tier), NULL, held->choice.note);
}

/* Return: a negative errno if no other one will do either. */
static int probe(struct tl_control *c, size_t tier, const struct tl_chosen *chosen, double rate_max)
{
	struct tl_held *held = &c->held[tier];
	struct tl_held_function *to;
	struct tl_error err;
	u32 id;
	int code = tl_choice_probe(&held->choice, chosen, c->ctl, name_of(c, tier), (u32)rate_max, &id, &err);

	if (code) {
		if (held->next <= REFUSED_MOST)
			tl_log_text(c->log, c->feed.in.t_s, "refused", name_of(c, tier), chosen->name, err.text);
		return tl_choice_is_over(code) ? code : 0;
	}
	to = tl_array_append((void **)&held->function, &held->functions, sizeof(*to));
	if (!to)
		return -ENOMEM;
	*to = (struct tl_held_function){ .name = strdup(chosen->name), .chosen = chosen, .id = id };
	return to->name ? 0 : -ENOMEM;
}

/**
 * tl_control_called() - See which functions were called
 * @control: control
 * @interval: in which
 */
void tl_control_called(struct tl_control *control, const struct tl_interval *interval)
{
	size_t i, k, l;

	for (i = 0; i < control->n; i++)
		for (k = 0; k < control->held[i].functions; k++) {
			struct tl_held_function *function = &control->held[i].function[k];

			function->windows++;
			for (l = 0; l < interval->n_called && !function->called; l++)
				function->called = interval->called[l].id == function->id &&
						   !strcmp(interval->called[l].tier, name_of(control, i));
		}
}

static void let_go(struct tl_control *c, size_t tier, size_t at)
{
	struct tl_held *held = &c->held[tier];
	struct tl_error err;

	if (tl_ctl_function_del(c->ctl, name_of(c, tier), held->function[at].id, &err))
		tl_log_text(c->log, c->feed.in.t_s, "refused", name_of(c, tier), held->function[at].name, err.text);
	free(held->function[at].name);
	held->function[at] = held->function[--held->functions];
}

/* As long as nothing is found, those that nobody calls make room for others. */
static void idle_go(struct tl_control *c, size_t tier)
{
	struct tl_held *held = &c->held[tier];
	size_t i, others = held->choice.functions - held->next;

	for (i = 0; i < held->functions && others && !held->named;) {
		if (held->function[i].called || held->function[i].windows < IDLE_WINDOWS) {
			i++;
			continue;
		}
		let_go(c, tier, i);
		others--;
	}
}

/**
 * tl_control_functions() - See that as many functions are probed as are wanted
 * @control: control
 * @tier: id of a tier at method
 * @wanted: how many, and how often they may be called
 * @tiers: [@n] all
 */
void tl_control_functions(struct tl_control *control, size_t tier, const struct tl_adapt_tier *wanted,
			  const struct tl_tier_info *tiers, size_t n)
{
	struct tl_held *held = &control->held[tier];
	size_t before;
	int code = 0;

	if (!held->chosen)
		choose(control, tier, tiers, n);
	idle_go(control, tier);
	before = held->functions;
	while (!code && held->functions < wanted->functions && held->next < held->choice.functions) {
		const struct tl_chosen *chosen = &held->choice.function[held->next++];

		if (!is_hot(held, chosen->name) && !is_held(held, chosen))
			code = probe(control, tier, chosen, wanted->rate_max);
	}
	if (held->functions > before)
		tl_log_row(control->log, json_pack("{s:s, s:f, s:s, s:I, s:I, s:f}", "kind", "functions", "t",
						   control->feed.in.t_s, "tier", name_of(control, tier), "probed",
						   (json_int_t)held->functions, "known",
						   (json_int_t)held->choice.functions, "rate_max", wanted->rate_max));
}

/* The index of the function among those that are held of *@tier, SIZE_MAX if it is none of them. */
static size_t function_of(const struct tl_control *c, const struct tl_function_info *info, size_t *tier)
{
	size_t i, k;

	for (i = 0; i < c->n; i++)
		for (k = 0; !strcmp(name_of(c, i), info->tier) && k < c->held[i].functions; k++)
			if (c->held[i].function[k].id == info->id) {
				*tier = i;
				return k;
			}
	return SIZE_MAX;
}

/* What the kernel has dropped is not chosen again. */
static void dropped_go(struct tl_control *c, size_t tier, size_t at, u32 state)
{
	const char *name = c->held[tier].function[at].name;

	hot_add(&c->held[tier], name);
	tl_log_text(c->log, c->feed.in.t_s, tl_function_state_name(state), name_of(c, tier), name,
		    state == TIERLENS_FUNCTION_STATE_HOT ?
		    "it was called more often than is allowed, and is probed no longer" :
		    "the program goes on with other stacks, as coroutines do, or has a shadow stack, and is probed no longer");
	let_go(c, tier, at);
}

/* What the kernel has no more: measuring was turned off meanwhile, or somebody took it away. */
static void gone_forget(struct tl_held *held)
{
	size_t i;

	for (i = 0; i < held->functions;) {
		if (held->function[i].listed) {
			held->function[i++].listed = false;
			continue;
		}
		free(held->function[i].name);
		held->function[i] = held->function[--held->functions];
		/* To be chosen again, those that are held by then excepted. */
		held->next = 0;
	}
}

/**
 * tl_control_look() - See which functions the kernel still has, and tell of those that it has dropped
 * @control: control
 * @err: the sentence if it fails
 *
 * What is gone, or is called too often, makes room for others.
 *
 * Return: 0 or a negative errno.
 */
int tl_control_look(struct tl_control *control, struct tl_error *err)
{
	struct tl_function_info *functions = NULL;
	size_t i, at, tier = 0, n = 0;
	int code = 0;

	for (i = 0; i < control->n; i++)
		n += control->held[i].functions;
	if (!n)
		return 0;
	code = tl_ctl_functions(control->ctl, &functions, &n, err);
	for (i = 0; !code && i < n; i++) {
		at = function_of(control, &functions[i], &tier);
		/* What leaves is nobody's any more. */
		if (at == SIZE_MAX || functions[i].state == TIERLENS_FUNCTION_STATE_LEAVING)
			continue;
		control->held[tier].function[at].listed = true;
		if (functions[i].state != TIERLENS_FUNCTION_STATE_PROBED)
			dropped_go(control, tier, at, functions[i].state);
	}
	for (i = 0; !code && i < control->n; i++)
		gone_forget(&control->held[i]);
	free(functions);
	return code;
}

/**
 * tl_control_drop() - Probe a function no longer
 * @control: control
 * @function: id among the names of the feed
 */
void tl_control_drop(struct tl_control *control, size_t function)
{
	const struct tl_adapt_name *name = &control->feed.functions.name[function];
	struct tl_held *held = &control->held[name->of];
	size_t i;

	for (i = 0; i < held->functions;) {
		if (strcmp(held->function[i].name, name->text)) {
			i++;
			continue;
		}
		hot_add(held, name->text);
		let_go(control, name->of, i);
	}
}
