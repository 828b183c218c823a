// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What looking costs, and how much of it there may be
 *
 *	share = (hook_s + function_s + function_hits function_trap) / (seconds processors)
 *
 * Above the budget, what has to go goes at once, so that the next window is below it: functions first, those that
 * are called most, as many as take the share to ROOM of the budget; if that is not enough, levels: all of them, those of
 * tiers that are not known yet included. For what a hook costs hardly depends on whose event it sees, only on whether
 * it is armed (nginx, php-fpm and MariaDB, by instructions: all at server 1; all three off while those to come are at
 * server 0.86; all at trace 0.59, off 0). They may come back after a while, longer each time,
 * but soon enough that something is known of a service that is always busy.
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
#define CAP_MOST 480
#define TRACE_SAVES 0.33 /* of what hooks cost at server; 0.36 to 0.41 was measured */
#define TRACE_ROOM 0.9 /* of the budget, at most, is what hooks should cost then */

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
	double spent_s = in->cost.hook_s + functions_s(&in->cost);

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

static bool is_pinned(const struct tl_adapt_in *in, size_t tier)
{
	return in->pinned && tier < in->tiers && in->pinned[tier];
}

static void cap_set(struct tl_adapt *a, const struct tl_adapt_in *in, enum tl_at cap)
{
	size_t i;

	if (cap >= a->cap)
		return;
	/* Lower still: it is the same trouble as before. */
	if (a->cap == TL_AT_METHOD)
		a->cap_for = a->cap_for ? a->cap_for * 2 < CAP_MOST ? a->cap_for * 2 : CAP_MOST : CAP_FOR;
	a->cap = cap;
	a->capped = a->cap_for;
	for (i = 0; i < a->places; i++) {
		struct tl_adapt_place *place = &a->place[i];
		enum tl_at from = place->level;

		if (is_pinned(in, i) || from <= cap)
			continue;
		place->level = cap;
		tl_adapt_decide(a, &(struct tl_adapt_decision){ .node = TL_ADAPT_NONE, .cell = TL_ADAPT_NONE,
								.tier = i, .from = from, .to = cap,
								.why = TL_ADAPT_DEAR, .function = TL_ADAPT_NONE });
	}
}

static void lower(struct tl_adapt *a, const struct tl_adapt_in *in)
{
	double room = room_s(a, in), hook_s = in->cost.hook_s;

	if (hook_s <= room)
		cap_set(a, in, TL_AT_SERVER);
	else if (a->cap > TL_AT_TRACE && (1 - TRACE_SAVES) * hook_s <= TRACE_ROOM * room)
		cap_set(a, in, TL_AT_TRACE);
	else
		cap_set(a, in, TL_AT_OFF);
}

/* Now, whatever it takes: levels cannot be tried when the next window has begun. */
void tl_adapt_cut(struct tl_adapt *a, const struct tl_adapt_in *in)
{
	cap_set(a, in, in->cost.hook_s <= room_s(a, in) ? TL_AT_SERVER : TL_AT_OFF);
}

static void cap_age(struct tl_adapt *a)
{
	if (a->cap == TL_AT_METHOD || a->capped-- > 1)
		return;
	a->capped = 0;
	a->cap = TL_AT_METHOD;
}

/* Below the budget, what is wanted is had; above it, what has to go goes. */
void tl_adapt_economise(struct tl_adapt *a, const struct tl_adapt_in *in)
{
	double room = room_s(a, in), spent_s = a->share * in->seconds * fmax(in->processors, 1);
	size_t i;

	cap_age(a);
	if (a->share > a->options.budget && drop_hot(a, in, spent_s - ROOM * room) > (1 - ROOM) * room)
		lower(a, in);
	for (i = 0; i < a->places; i++)
		if (a->place[i].want > a->cap && a->place[i].cell == TL_ADAPT_NONE)
			a->place[i].want = a->cap;
}
