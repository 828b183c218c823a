// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the adaptor wants, done: levels that are leased, and asked for again each interval
 *
 * A level that is not what tiers have without us is leased for a few intervals only: if this daemon is no more,
 * however it ended, the kernel forgets it. What somebody else holds, by hand or by a lease, is let alone; so a
 * level is given back by a lease, too, which the kernel refuses where it is not ours any more.
 */
#include "daemon/control.h"

#include "adapt-out.h"
#include "clock.h"
#include "ctl.h"
#include "daemon/log.h"
#include "daemon/state.h"
#include "error.h"
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct tl_control *c, size_t tier)
{
	return c->feed.tiers.name[tier].text;
}

static int held_grow(struct tl_control *c, struct tl_error *err)
{
	struct tl_held *grown = reallocarray(c->held, c->feed.tiers.n + 1, sizeof(*grown));

	if (!grown)
		return tl_error_no_memory(err);
	c->held = grown;
	for (; c->n < c->feed.tiers.n; c->n++)
		memset(&grown[c->n], 0, sizeof(*grown));
	return 0;
}

/* @told: what was told before; @tier: NULL for all that have no level of their own. */
static void tell_once(struct tl_control *c, char told[200], const char *tier, const char *text)
{
	if (!strncmp(told, text, 199))
		return;
	snprintf(told, 200, "%.199s", text);
	tl_log_text(c->log, c->feed.in.t_s, "refused", tier, NULL, text);
}

static void tell_refused(struct tl_control *c, size_t tier, const char *text)
{
	tell_once(c, c->held[tier].refused, name_of(c, tier), text);
}

/* A lease that goes on is not of somebody who has died. */
static void others_look(struct tl_control *c, size_t tier, bool leased)
{
	struct tl_held *held = &c->held[tier];

	held->others = leased && !held->level ? held->others + 1 : 0;
	if (held->others * c->feed.in.seconds * 1000 > c->lease_ms)
		tell_refused(c, tier, "another controller has the level of this tier and keeps it, so it is let alone: end one of the two");
}

/* Our lease was over before we asked again: the kernel has let go of level and functions. What was found holds. */
static void lapse_look(struct tl_held *held, const struct tl_tier_info *tier)
{
	bool named = held->named;

	if (!held->level || tier->own_level)
		return;
	held->level = TL_AT_UNKNOWN;
	tl_control_forget(held);
	held->named = named;
}

/* Who has a level that is not ours. One whose lease we let go is nobody's. */
static void pins_look(struct tl_control *c, const struct tl_tier_info *tiers, size_t n)
{
	size_t i, k;

	for (i = 0; i < c->n; i++)
		for (k = 0; k < n; k++) {
			if (strcmp(tiers[k].name, name_of(c, i)) || tl_own_is(&c->own, name_of(c, i)))
				continue;
			others_look(c, i, tiers[k].own_level && tiers[k].leased);
			c->feed.pinned[i] = tiers[k].own_level && (!tiers[k].leased || !c->held[i].level) ?
						    tiers[k].level : TL_AT_UNKNOWN;
			lapse_look(&c->held[i], &tiers[k]);
			if (c->feed.pinned[i] && c->held[i].level) {
				c->held[i].level = TL_AT_UNKNOWN;
				tl_control_forget(&c->held[i]);
			}
		}
}

/* Not "auto", which would take away what somebody has set by hand meanwhile. */
static int give_back(struct tl_control *c, size_t tier, enum tl_at without, struct tl_error *err)
{
	return tl_ctl_level_set(c->ctl, name_of(c, tier), without, TIERLENS_LEASE_MS_MIN, err);
}

/*
 * Tiers that have no level of their own, or are not known yet: hooks that any of them asks for are armed. Where it is
 * refused, the tiers that are known are seen to one by one.
 */
static void others_hold(struct tl_control *c, const struct tl_module *module, enum tl_at wanted)
{
	enum tl_at usual = module->leased_from ? module->leased_from : module->level;
	bool lower = wanted && wanted < usual;
	struct tl_error err;

	c->without = module->level ? module->level : TL_AT_SERVER;
	if (!lower && !c->others_held)
		return;
	if (tl_ctl_level_set(c->ctl, NULL, lower ? wanted : usual, lower ? c->lease_ms : TIERLENS_LEASE_MS_MIN, &err)) {
		tell_once(c, c->others_refused, NULL, err.text);
		c->others_held = false;
		return;
	}
	*c->others_refused = '\0';
	c->others_held = lower;
	c->without = lower ? wanted : usual;
}

static void level_is(const struct tl_control *c, struct tl_held *held, enum tl_at level)
{
	if (held->level != level)
		held->since_s = c->feed.in.t_s;
	held->level = level;
}

/* Return: whether the tier has that level now, by us or by itself. */
static bool level_hold(struct tl_control *c, size_t tier, enum tl_at level, enum tl_at without)
{
	struct tl_held *held = &c->held[tier];
	struct tl_error err;
	int code = 0;

	if (level != without)
		code = tl_ctl_level_set(c->ctl, name_of(c, tier), level, c->lease_ms, &err);
	else if (held->level)
		code = give_back(c, tier, without, &err);
	if (code) {
		tell_refused(c, tier, err.text);
		if (code == -EBUSY || code == -ENOENT)
			held->level = TL_AT_UNKNOWN;
	} else {
		*held->refused = '\0';
		level_is(c, held, level == without ? TL_AT_UNKNOWN : level);
	}
	if (code || level != TL_AT_METHOD)
		tl_control_forget(held);
	return !code;
}

static void tell_row(struct tl_control *c, json_t *row)
{
	tl_state_row(c->state, row);
	tl_log_row(c->log, row);
}

static void tell(struct tl_control *c, double t_s, const struct tl_adapt_out *out)
{
	size_t i;

	for (i = 0; i < out->decisions; i++)
		tell_row(c, tl_adapt_decision_json(&c->feed, &out->decision[i], t_s, c->options.budget));
	for (i = 0; i < out->findings; i++) {
		c->held[out->finding[i].tier].named |= out->finding[i].function != TL_ADAPT_NONE;
		tell_row(c, tl_adapt_finding_json(&c->feed, &out->finding[i], t_s));
	}
	c->share = out->share;
}

static void act(struct tl_control *c, const struct tl_adapt_out *out, const struct tl_tier_info *tiers, size_t n)
{
	size_t i;

	for (i = 0; i < out->drops; i++)
		tl_control_drop(c, out->drop[i]);
	for (i = 0; i < c->n && i < out->tiers; i++) {
		if (c->feed.pinned[i] || tl_own_is(&c->own, name_of(c, i)))
			continue;
		if (level_hold(c, i, out->tier[i].level, c->without) && out->tier[i].level == TL_AT_METHOD)
			tl_control_functions(c, i, &out->tier[i], tiers, n);
	}
}

/**
 * tl_control_step() - One interval more
 * @control: control
 * @interval: that was closed
 * @err: the sentence if the kernel does not answer any more; what it refuses is only told
 *
 * Return: 0 or a negative errno.
 */
int tl_control_step(struct tl_control *control, const struct tl_interval *interval, struct tl_error *err)
{
	struct tl_control *c = control;
	struct tl_tier_info *tiers = NULL;
	struct tl_adapt_out out = { 0 };
	struct tl_module module;
	size_t n = 0;
	int code = tl_ctl_module(c->ctl, &module, err);

	code = code ? code : tl_ctl_tiers(c->ctl, &tiers, &n, err);
	if (!code && tl_adapt_feed(&c->feed, interval))
		code = tl_error_no_memory(err);
	code = code ? code : held_grow(c, err);
	if (!code) {
		c->before = c->before ? c->before : module.newest;
		c->feed.in.cost.known &= interval->generation > c->before;
		pins_look(c, tiers, n);
		code = tl_adapt_step(c->adapt, &c->feed.in, &out);
		if (code == -ENOMEM)
			tl_error_no_memory(err);
		else if (code)
			tl_error_set(err, code, "interval %llu has figures that are none: update the kernel module",
				     (unsigned long long)interval->generation);
	}
	if (!code) {
		tell(c, c->feed.in.t_s, &out);
		tl_control_called(c, interval);
		others_hold(c, &module, out.others);
		act(c, &out, tiers, n);
		tl_state_write(c->state, c);
		code = tl_control_look(c, err);
	}
	free(tiers);
	return code;
}

/**
 * tl_control_glance() - See to it that a window that costs too much is the only one
 * @control: control
 * @window: where in its window the kernel is; it may be asked as often as somebody wakes up
 *
 * What fails is told; the next interval shows whether the kernel answers at all.
 */
void tl_control_glance(struct tl_control *control, const struct tl_window *window)
{
	struct tl_control *c = control;
	struct tl_adapt_in in = c->feed.in;
	struct tl_tier_info *tiers = NULL;
	struct tl_adapt_cost total;
	struct tl_adapt_out out;
	struct tl_module module;
	struct tl_window here = *window;
	struct tl_error err;
	size_t n;

	if (!window->length_ns || tl_ctl_module(c->ctl, &module, &err))
		return;
	here.quiet_ns = (u64)module.quiet_ms * 1000000;
	total = tl_adapt_cost(&c->feed, module.cost);
	in.t_s = tl_clock_s(CLOCK_REALTIME);
	in.seconds = tl_ns_to_s(window->length_ns);
	in.processors = c->feed.processors;
	if (!total.known || !tl_glance(&c->glance, tl_clock_ns(CLOCK_MONOTONIC), &here, &total,
				       c->options.budget * in.seconds * fmax(in.processors, 1), &in.cost))
		return;
	if (!tl_adapt_hurry(c->adapt, &in, &out))
		return;
	tell(c, in.t_s, &out);
	others_hold(c, &module, out.others);
	if (tl_ctl_tiers(c->ctl, &tiers, &n, &err))
		tell_once(c, c->others_refused, NULL, err.text);
	else
		act(c, &out, tiers, n);
	free(tiers);
	tl_state_write(c->state, c);
}

/**
 * tl_control_end() - Give back all that is held, and forget the rest
 * @control: control
 */
void tl_control_end(struct tl_control *control)
{
	struct tl_module module;
	struct tl_error err;
	size_t i;

	if (control->others_held && !tl_ctl_module(control->ctl, &module, &err))
		others_hold(control, &module, TL_AT_UNKNOWN);
	for (i = 0; i < control->n; i++) {
		/* If it is refused, the lease ends by itself. */
		if (control->held[i].level)
			give_back(control, i, control->without, &err);
		tl_control_forget(&control->held[i]);
	}
	tl_own_end(&control->own, control->ctl);
	free(control->held);
	tl_adapt_feed_free(&control->feed);
	tl_adapt_free(control->adapt);
}
