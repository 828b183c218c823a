// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What holds a layered queueing network back
 *
 * The bottleneck is that of which more makes more: of every processor and every pool of
 * threads the network is solved again with twice as many. Being busy proves nothing: a
 * pool is all in use when what is below it is slow, and more threads would only wait
 * there; while a pool that is too small keeps the processors below it idle.
 *
 * Threads that do nothing but use a processor cannot make use of a second one. Where
 * those that there are on a processor are too few for twice as many servers, they are
 * doubled with it, and what the processor adds to what they gain alone is its gain.
 *
 * What is next is found by giving the bottleneck more until another one gains more.
 *
 * With customers the gain is in throughput. Without, throughput is what arrives, and it
 * is in the number of requests that are there. A network without steady state is held
 * back by what makes it have one.
 */
#include "bottleneck.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define IDLE 0.02 /* what is busy for less is not tried */
#define TRIED_MAX 500 /* the fullest of them, if there are more places */
#define DOUBLINGS 12
#define COUNT_MAX 1000000000.0

struct search {
	struct tl_bottleneck_out *out;
	struct tl_lqn work; /* as far as it is relieved */
	struct tl_lqn trial;
};

/* ---- solutions ------------------------------------------------------------------ */

/* What is to be large: throughput of customers, or the inverse of how many requests there
 * are. 0 without steady state, negative if that is not known. */
static double merit(const struct tl_lqn *lqn, const struct tl_lqn_solve_out *solved)
{
	const struct tl_lqn_figures *value = &solved->solution.value;
	double throughput = 0, inside = 0;
	bool customers = false;
	size_t i;

	if (solved->solution.verdict != TL_LQN_OK)
		return solved->solution.verdict == TL_LQN_NOT_CONVERGED ? -1 : 0;
	for (i = 0; i < lqn->tasks; i++) {
		customers = customers || lqn->task[i].reference;
		throughput += lqn->task[i].reference ? value->task[i].throughput_per_s : 0;
	}
	for (i = 0; i < lqn->entries; i++)
		inside += lqn->entry[i].arrivals_per_s *
			  (value->entry[i].waiting_s + value->entry[i].service_s[0]);
	return customers ? throughput : inside > 0 ? 1 / inside : 1;
}

/* Return: 0 or -ENOMEM. */
static int merit_of(const struct tl_lqn *lqn, double *is)
{
	struct tl_lqn_solve_out solved;
	int code = tl_lqn_solve(lqn, &solved);

	*is = code ? -1 : merit(lqn, &solved);
	tl_lqn_solution_free(&solved.solution);
	return code == -ENOMEM ? code : 0;
}

/* ---- relief ---------------------------------------------------------------------- */

static uint32_t times(uint32_t count, double factor)
{
	return count == TL_LQN_UNLIMITED ? count : (uint32_t)fmin(count * factor, COUNT_MAX);
}

/* How many threads there are on a processor, with a limit all of them or without. */
static double threads_on(const struct tl_lqn *lqn, size_t processor)
{
	double sum = 0;
	size_t t;

	for (t = 0; t < lqn->tasks; t++)
		if (lqn->task[t].processor == processor)
			sum += lqn->task[t].threads == TL_LQN_UNLIMITED ? INFINITY :
									  lqn->task[t].threads;
	return sum;
}

static void pools_multiply(struct tl_lqn *lqn, size_t processor, double factor)
{
	size_t t;

	for (t = 0; t < lqn->tasks; t++)
		if (lqn->task[t].processor == processor && !lqn->task[t].reference)
			lqn->task[t].threads = times(lqn->task[t].threads, factor);
}

static bool pools_too_few(const struct tl_lqn *lqn, const struct tl_bottleneck_place *place,
			  uint32_t count)
{
	return !place->pool && threads_on(lqn, place->of) < count;
}

/**
 * tl_bottleneck_relieve() - Give more servers or threads to a place
 * @lqn: network, changed
 * @place: which
 * @count: how many it has then; threads that are too few to use so many servers are made
 *         more by as much
 */
void tl_bottleneck_relieve(struct tl_lqn *lqn, const struct tl_bottleneck_place *place,
			   uint32_t count)
{
	if (place->pool) {
		lqn->task[place->of].threads = count;
		return;
	}
	if (pools_too_few(lqn, place, count))
		pools_multiply(lqn, place->of,
			       ceil(count / (double)lqn->processor[place->of].servers));
	lqn->processor[place->of].servers = count;
}

static void numbers_copy(struct tl_lqn *to, const struct tl_lqn *from)
{
	size_t i;

	for (i = 0; i < from->tasks; i++)
		to->task[i].threads = from->task[i].threads;
	for (i = 0; i < from->processors; i++)
		to->processor[i].servers = from->processor[i].servers;
}

static uint32_t count_of(const struct tl_lqn *lqn, const struct tl_bottleneck_place *place)
{
	return place->pool ? lqn->task[place->of].threads : lqn->processor[place->of].servers;
}

/* What twice as many of it would gain, from the network as it is now. */
static int gain_find(struct search *s, double now, struct tl_bottleneck_place *place)
{
	uint32_t twice = times(count_of(&s->work, place), 2);
	double with, without = now;
	int code = 0;

	numbers_copy(&s->trial, &s->work);
	if (pools_too_few(&s->trial, place, twice)) {
		pools_multiply(&s->trial, place->of, 2);
		code = merit_of(&s->trial, &without);
		numbers_copy(&s->trial, &s->work);
	}
	if (code)
		return code;
	tl_bottleneck_relieve(&s->trial, place, twice);
	code = merit_of(&s->trial, &with);
	place->known = now > 0 && with > 0 && without >= 0;
	place->gain = place->known ? (with - fmax(without, now)) / now : 0;
	/* Without steady state before, having one is the gain. */
	if (!(now > 0) && !now && with > 0) {
		place->known = true;
		place->gain = INFINITY;
	}
	return code;
}

/* ---- places ---------------------------------------------------------------------- */

static int by_gain(const void *a, const void *b)
{
	const struct tl_bottleneck_place *x = a, *y = b;

	if (x->gain != y->gain)
		return x->gain < y->gain ? 1 : -1;
	return (x->utilisation < y->utilisation) - (x->utilisation > y->utilisation);
}

static void place_add(struct tl_bottleneck_out *out, bool pool, size_t of, uint32_t count,
		      double utilisation)
{
	if (count != TL_LQN_UNLIMITED)
		out->place[out->places++] = (struct tl_bottleneck_place){
			.pool = pool, .of = of, .count = count, .utilisation = utilisation };
}

/* Where there is a limit, and anybody comes. */
static int places_fill(const struct tl_lqn *lqn, struct tl_bottleneck_out *out)
{
	const struct tl_lqn_figures *value = &out->solved.solution.value;
	size_t i;

	out->place = calloc(lqn->processors + lqn->tasks + 1, sizeof(*out->place));
	if (!out->place)
		return -ENOMEM;
	for (i = 0; i < lqn->processors; i++)
		place_add(out, false, i, lqn->processor[i].servers, value->processor[i]);
	for (i = 0; i < lqn->tasks; i++)
		if (!lqn->task[i].reference)
			place_add(out, true, i, lqn->task[i].threads, value->task[i].utilisation);
	return 0;
}

/* Gains of all places from the network as it is now; the largest first. @busier: how many
 * times as busy as @utilisation says places may be. */
static int gains_find(struct search *s, struct tl_bottleneck_place *place, size_t n, double now,
		      double busier)
{
	int code = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		place[i].gain = 0;
		place[i].known = true;
	}
	qsort(place, n, sizeof(*place), by_gain); /* by utilisation, that is */
	for (i = 0; !code && i < n && i < TRIED_MAX; i++) {
		if (isfinite(busier) && place[i].utilisation * busier < IDLE)
			continue;
		code = gain_find(s, now, &place[i]);
	}
	qsort(place, n, sizeof(*place), by_gain);
	return code;
}

static bool same(const struct tl_bottleneck_place *a, const struct tl_bottleneck_place *b)
{
	return a->pool == b->pool && a->of == b->of;
}

/* ---- what is next ----------------------------------------------------------------- */

/* The network with so many of the bottleneck. */
static int relieved(struct search *s, const struct tl_lqn *lqn, uint32_t count, double *now)
{
	numbers_copy(&s->work, lqn);
	tl_bottleneck_relieve(&s->work, &s->out->place[0], count);
	return merit_of(&s->work, now);
}

/* Whether, with so many of the first, @rival gains more than even more of the first. */
static int overtaken(struct search *s, const struct tl_lqn *lqn, uint32_t count,
		     const struct tl_bottleneck_place *rival, bool *is)
{
	struct tl_bottleneck_place first = s->out->place[0], second = *rival;
	double now;
	int code = relieved(s, lqn, count, &now);

	*is = false;
	if (code || now <= 0)
		return code;
	code = gain_find(s, now, &first);
	if (!code && rival->known)
		code = gain_find(s, now, &second);
	*is = rival->known ? second.gain >= first.gain : first.gain < TL_BOTTLENECK_WEAK;
	return code;
}

/* The least number of the first from which on @rival is the bottleneck. */
static int turn_find(struct search *s, const struct tl_lqn *lqn, uint32_t low, uint32_t high,
		     const struct tl_bottleneck_place *rival)
{
	uint32_t middle;
	bool is = true;
	int code = 0;

	while (!code && high - low > 1) {
		middle = low + (high - low) / 2;
		code = overtaken(s, lqn, middle, rival, &is);
		if (is)
			high = middle;
		else
			low = middle;
	}
	s->out->relieved = high;
	return code;
}

/* The bottleneck with so many of the first; @known is false if there is none any more. */
static int second_find(struct search *s, double before, double now,
		       struct tl_bottleneck_place *second)
{
	struct tl_bottleneck_place *place = calloc(s->out->places + 1, sizeof(*place));
	size_t i;
	int code = place ? 0 : -ENOMEM;

	for (i = 0; place && i < s->out->places; i++) {
		place[i] = s->out->place[i];
		place[i].count = count_of(&s->work, &place[i]);
		place[i].utilisation = before > 0 ? place[i].utilisation : 1;
	}
	if (!code)
		code = gains_find(s, place, s->out->places, now,
				  before > 0 ? fmax(now / before, 1) : 1);
	if (!code)
		*second = place[0];
	if (!code && !(place[0].gain >= TL_BOTTLENECK_WEAK))
		second->known = false;
	free(place);
	return code;
}

/* The least number of the first with which there is a steady state. */
static int stable_find(struct search *s, const struct tl_lqn *lqn, uint32_t low, uint32_t high)
{
	double now;
	int code = 0;

	while (!code && high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		code = relieved(s, lqn, middle, &now);
		if (now > 0)
			high = middle;
		else
			low = middle;
	}
	s->out->stable_from = high;
	return code;
}

/* How busy a place is in the network as far as it is relieved. */
static int use_find(struct search *s, struct tl_bottleneck_place *place)
{
	struct tl_lqn_solve_out solved;
	int code = tl_lqn_solve(&s->work, &solved);
	const struct tl_lqn_figures *value = &solved.solution.value;

	if (!code && tl_lqn_has_figures(&solved.solution))
		place->utilisation = place->pool ? value->task[place->of].utilisation :
						   value->processor[place->of];
	tl_lqn_solution_free(&solved.solution);
	return code == -ENOMEM ? code : 0;
}

static int next_find(struct search *s, const struct tl_lqn *lqn, double now)
{
	struct tl_bottleneck_out *out = s->out;
	uint32_t before = out->place[0].count, count = before;
	double stable = now > 0 ? now : 0, after = 0;
	unsigned int i;
	int code = 0;

	for (i = 0; !code && i < DOUBLINGS && !out->relieved; i++, before = count) {
		struct tl_bottleneck_place second;

		count = times(count, 2);
		code = relieved(s, lqn, count, &after);
		if (!code && after > 0 && !(stable > 0) && !out->stable_from) {
			code = stable_find(s, lqn, before, count);
			before = out->stable_from;
			code = code ? code : relieved(s, lqn, count, &after);
		}
		if (code || after <= 0)
			continue;
		code = second_find(s, stable, after, &second);
		if (code || (second.known && same(&second, &out->place[0])))
			continue;
		out->next = second;
		code = turn_find(s, lqn, before, count, &second);
	}
	if (!code && out->relieved)
		code = relieved(s, lqn, out->relieved, &after);
	if (!code && out->relieved && out->next.known)
		code = use_find(s, &out->next);
	if (stable > 0 && after > 0)
		out->total_gain = after / stable - 1;
	return code;
}

/* Of arrivals that ask for too much: what the verdict is about comes first. */
static void culprit_first(const struct tl_lqn_solution *solution, struct tl_bottleneck_out *out)
{
	bool pool = solution->verdict == TL_LQN_TASK_SATURATED;
	struct tl_bottleneck_place first;
	size_t i;

	if (solution->verdict != TL_LQN_SATURATED && !pool)
		return;
	for (i = 0; i < out->places; i++)
		if (out->place[i].pool == pool && out->place[i].of == solution->culprit) {
			first = out->place[i];
			out->place[i] = out->place[0];
			out->place[0] = first;
		}
}

static int find(struct search *s, const struct tl_lqn *lqn)
{
	struct tl_bottleneck_out *out = s->out;
	double now = merit(lqn, &out->solved);
	int code = 0;
	size_t i;

	for (i = 0; i < lqn->tasks; i++)
		out->customers = out->customers || lqn->task[i].reference;
	if (now < 0 || !out->places)
		return 0;
	code = gains_find(s, out->place, out->places, now, now > 0 ? 1 : INFINITY);
	culprit_first(&out->solved.solution, out);
	if (!code && now > 0)
		code = tl_bottleneck_wait(lqn, &out->solved.solution.value, &out->wait);
	if (!code && (out->place[0].gain >= TL_BOTTLENECK_WEAK || !(now > 0)))
		code = next_find(s, lqn, now);
	return code;
}

/**
 * tl_bottleneck() - Find what holds a network back
 * @lqn: network
 * @out: filled in; tl_bottleneck_free() frees it in any case
 *
 * Return: 0 whatever the verdict, -ENOMEM, or -ERANGE if numbers are out of range.
 */
int tl_bottleneck(const struct tl_lqn *lqn, struct tl_bottleneck_out *out)
{
	struct search s = { .out = out };
	int code;

	*out = (struct tl_bottleneck_out){ 0 };
	code = tl_lqn_solve(lqn, &out->solved);
	code = code ? code : tl_lqn_copy(&s.work, lqn);
	code = code ? code : tl_lqn_copy(&s.trial, lqn);
	code = code ? code : places_fill(lqn, out);
	code = code ? code : find(&s, lqn);
	tl_lqn_free(&s.work);
	tl_lqn_free(&s.trial);
	return code;
}

/**
 * tl_bottleneck_free() - Free what was found
 * @out: result of tl_bottleneck()
 */
void tl_bottleneck_free(struct tl_bottleneck_out *out)
{
	tl_lqn_solution_free(&out->solved.solution);
	tl_bottleneck_wait_free(&out->wait);
	free(out->place);
}
