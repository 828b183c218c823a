// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What looking costs, and how much of it there may be
 *
 *	share = (hook_s + hook_hits trap + function_s + function_hits function_trap) / (seconds processors)
 *
 * Above the budget, what has to go goes at once, so that the next window is below it: functions first, those that
 * are called most, as many as take the share to ROOM of the budget; if that is not enough, levels: the busiest tiers
 * go to trace, which is taken to halve what their hooks cost, then off. They may come back after a while,
 * longer each time.
 *
 * How often a function is called is not known before it is looked at. A tier begins with few of them, and each has a
 * rate above which the kernel drops it by itself; there are more later, if there is room and none of them
 * explains what was found.
 */
#include "adapt-work.h"

#include <math.h>

#define ROOM 0.7 /* of the budget that is used at most, by intention */
#define HOLD 0.8 /* above that nothing is added */
#define FIRST 16 /* functions */
#define HANDLER_S 5e-7 /* of an entry or a return, before it is measured */
#define TOGETHER 4 /* functions that may use their rates at the same time */
#define RATE_LEAST 10
#define CAP_FOR 60 /* windows */
#define CAP_MOST 3600
#define HALF 0.5

static double hooks_s(const struct tl_adapt_cost *c)
{
	return c->hook_s + c->hook_hits * c->trap_s;
}

static double functions_s(const struct tl_adapt_cost *c)
{
	return c->function_s + c->function_hits * c->function_trap_s;
}

static double room_s(const struct tl_adapt *a, const struct tl_adapt_in *in)
{
	return a->options.budget * in->seconds * fmax(in->processors, 1);
}

/* How much of the processors it was. */
void tl_adapt_measure(struct tl_adapt *a, const struct tl_adapt_in *in)
{
	double spent_s = hooks_s(&in->cost) + functions_s(&in->cost);

	a->share = in->cost.known && isfinite(spent_s) ? spent_s / (in->seconds * fmax(in->processors, 1)) : -1;
}

bool tl_adapt_affords(const struct tl_adapt *a)
{
	return a->share < HOLD * a->options.budget;
}

/* A tier comes to method. */
void tl_adapt_allow(struct tl_adapt *a, const struct tl_adapt_in *in, size_t tier)
{
	const struct tl_adapt_cost *c = &in->cost;
	double each_s = c->function_hits > 0 ? c->function_s / c->function_hits : HANDLER_S;
	double left_s = fmax(ROOM * room_s(a, in) - fmax(a->share, 0) * in->seconds * fmax(in->processors, 1),
			     0.1 * room_s(a, in));
	double calls = left_s / in->seconds / (2 * (each_s + c->function_trap_s) + 1e-9);

	a->place[tier].functions = a->options.functions < FIRST ? a->options.functions : FIRST;
	a->place[tier].rate_max = floor(fmin(fmax(calls / TOGETHER, RATE_LEAST), 1e9));
}

/* ---- functions --------------------------------------------------------------------------- */

static bool is_dropped(const struct tl_adapt *a, size_t function)
{
	size_t i;

	for (i = 0; i < a->drops; i++)
		if (a->drop[i] == function)
			return true;
	return false;
}

static double calls_of(const struct tl_adapt_in *in, size_t function)
{
	double count = 0;
	size_t i;

	for (i = 0; i < in->calls; i++)
		if (in->call[i].function == function)
			count += in->call[i].count;
	return count;
}

/* The one that is called most and not dropped yet; its calls, 0 if there is none. */
static double hottest(const struct tl_adapt *a, const struct tl_adapt_in *in, size_t *function, size_t *tier)
{
	double most = 0, count;
	size_t i;

	for (i = 0; i < in->calls; i++) {
		if (is_dropped(a, in->call[i].function))
			continue;
		count = calls_of(in, in->call[i].function);
		if (count > most) {
			most = count;
			*function = in->call[i].function;
			*tier = in->call[i].tier;
		}
	}
	return most;
}

/* Return: what is left of @over_s to be saved. Entries and returns that were counted for nobody are shared out. */
static double drop_hot(struct tl_adapt *a, const struct tl_adapt_in *in, double over_s)
{
	double all = 0, most;
	size_t i, function = 0, tier = 0, n;

	for (i = 0; i < in->calls; i++)
		all += in->call[i].count;
	while (over_s > 0 && all > 0) {
		most = hottest(a, in, &function, &tier);
		n = a->drops;
		if (most <= 0)
			break;
		a->drop = tl_adapt_grow(a, a->drop, &a->drops, sizeof(*a->drop));
		if (a->drops == n)
			break;
		a->drop[n] = function;
		over_s -= most / all * functions_s(&in->cost);
		a->place[tier].functions -= a->place[tier].functions > 1;
		tl_adapt_decide(a, &(struct tl_adapt_decision){
			.node = TL_ADAPT_NONE, .cell = TL_ADAPT_NONE, .tier = tier, .from = a->place[tier].level,
			.to = a->place[tier].level, .why = TL_ADAPT_DEAR, .function = function });
	}
	return over_s;
}

/* ---- levels ------------------------------------------------------------------------------ */

static double all_requests(const struct tl_adapt *a)
{
	double all = 0;
	size_t i;

	for (i = 0; i < a->places; i++)
		all += a->place[i].requests;
	return all;
}

static size_t busiest(const struct tl_adapt *a, const struct tl_adapt_in *in, enum tl_at cap)
{
	size_t i, at = TL_ADAPT_NONE;

	for (i = 0; i < a->places; i++) {
		const struct tl_adapt_place *place = &a->place[i];
		bool pinned = in->pinned && i < in->tiers && in->pinned[i];

		if (pinned || place->cap <= cap || place->level <= cap || !(place->requests > 0))
			continue;
		if (at == TL_ADAPT_NONE || place->requests > a->place[at].requests)
			at = i;
	}
	return at;
}

static void cap_set(struct tl_adapt *a, size_t tier, enum tl_at cap)
{
	struct tl_adapt_place *place = &a->place[tier];
	enum tl_at from = place->level;

	place->cap = cap;
	place->cap_for = place->cap_for ? place->cap_for * 2 < CAP_MOST ? place->cap_for * 2 : CAP_MOST : CAP_FOR;
	place->capped = place->cap_for;
	if (place->level <= cap)
		return;
	place->level = cap;
	tl_adapt_decide(a, &(struct tl_adapt_decision){ .node = TL_ADAPT_NONE, .cell = TL_ADAPT_NONE, .tier = tier,
							.from = from, .to = cap, .why = TL_ADAPT_DEAR,
							.function = TL_ADAPT_NONE });
}

/* Functions are gone with the level method; hooks cost half at trace, and nothing off. */
static void lower_busy(struct tl_adapt *a, const struct tl_adapt_in *in, double over_s)
{
	double all = all_requests(a), hook_s = hooks_s(&in->cost), share;
	enum tl_at cap;
	size_t i;

	for (i = 0; i < a->places; i++)
		if (a->place[i].level == TL_AT_METHOD && functions_s(&in->cost) > 0 && over_s > 0) {
			cap_set(a, i, TL_AT_SERVER);
			over_s -= functions_s(&in->cost);
		}
	for (cap = TL_AT_TRACE; cap >= TL_AT_OFF && all > 0; cap--)
		while (over_s > 0 && (i = busiest(a, in, cap)) != TL_ADAPT_NONE) {
			share = a->place[i].requests / all;
			over_s -= HALF * share * hook_s;
			cap_set(a, i, cap);
		}
}

/* What would the hooks cost if the caps were not there? They are taken to be half of what is saved. */
static void caps_age(struct tl_adapt *a)
{
	size_t i;

	for (i = 0; i < a->places; i++) {
		struct tl_adapt_place *place = &a->place[i];

		if (place->cap == TL_AT_METHOD || place->capped-- > 1)
			continue;
		place->capped = 0;
		place->cap = TL_AT_METHOD;
	}
}

/* Below the budget, what is wanted is had; above it, what has to go goes. */
void tl_adapt_economise(struct tl_adapt *a, const struct tl_adapt_in *in)
{
	double room = room_s(a, in), spent_s = a->share * in->seconds * fmax(in->processors, 1);
	double over_s = spent_s - ROOM * room;
	size_t i;

	caps_age(a);
	if (a->share > a->options.budget) {
		over_s = drop_hot(a, in, over_s);
		if (over_s > (1 - ROOM) * room)
			lower_busy(a, in, over_s);
	}
	for (i = 0; i < a->places; i++)
		if (a->place[i].want > a->place[i].cap && a->place[i].cell == TL_ADAPT_NONE)
			a->place[i].want = a->place[i].cap;
}
