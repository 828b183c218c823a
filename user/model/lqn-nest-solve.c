// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Networks within networks: solved from the inmost to the top, then spread back
 *
 * Upwards: each context's network for every number of works that its threads admit; the
 * throughputs are the speed of that task for who calls it. Downwards: how many works
 * are at each station of the top, so how many hold threads, so how many are at each
 * station within. In product form this is exact for customers of one kind; with threads
 * that are a limit it takes departures from them to depend on their number only.
 *
 * Work that nobody waits for (second phases while a thread is held, and at the top what
 * was called asynchronously) is in the same network as if its caller did it, with as
 * many works more as go on alone in the mean: N + X R.
 */
#include "lqn-nest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORKS_MAX 200000 /* of a network; going on alone included */
#define CHANCE_MIN 1e-14
#define WEIGHT_MAX 1e200

/* ---- upwards -------------------------------------------------------------------- */

static int network_solve(struct nest *nest, size_t context, size_t works)
{
	struct nest_context *c = &nest->context[context];
	struct tl_convolution_station *station = calloc(c->stations + 1, sizeof(*station));
	struct tl_convolution_in in = { .customers = works, .stations = c->stations,
					.delay_s = c->delay, .station = station };
	int code = station ? 0 : -ENOMEM;
	size_t s;

	for (s = 0; !code && s < c->stations; s++) {
		code = nest_speeds_fill(nest, context, &c->station[s], works);
		station[s].demand_s = nest_asked(context, c->station[s].demand, NEST_CLOSED);
		station[s].speed = c->station[s].speed;
		station[s].speeds = c->station[s].speeds;
	}
	tl_convolution_free(&c->net);
	if (!code)
		code = tl_convolution(&in, &c->net);
	free(station);
	return code;
}

/* Mean number of a station's works that wait, and that are served, of so many. */
static void number_split(const struct nest *nest, const struct nest_context *c, size_t s,
			 size_t works, double *waiting, double *served)
{
	const struct nest_station *station = &c->station[s];
	double limit = station->pool ? nest->context[nest->context_of[station->of]].limit : 0;
	size_t n;

	*waiting = *served = 0;
	for (n = 1; n <= works; n++) {
		double chance = tl_convolution_chance(&c->net, s, n, works);
		double beyond = station->pool ? fmax((double)n - limit, 0) : 0;

		*waiting += chance * beyond;
		*served += chance * ((double)n - beyond);
	}
}

static double part(double of, double all)
{
	return all > 0 ? of / all : 0;
}

/* How many of so many works nobody waits for. */
static double alone(const struct nest *nest, size_t context, size_t works)
{
	const struct nest_context *c = &nest->context[context];
	double sum = 0, waiting, served, async, after;
	size_t s;

	for (s = 0; s < c->stations; s++) {
		const struct nest_station *st = &c->station[s];

		async = context == NEST_TOP ? part(st->visits_per_s[NEST_ASYNC],
						   nest_asked(context, st->visits_per_s,
							      NEST_CLOSED)) : 0;
		after = part(st->after_s, nest_asked(context, st->held_s, NEST_CLOSED));
		if (!st->pool)
			after = context == NEST_TOP ? part(st->demand[NEST_ASYNC],
							   nest_asked(context, st->demand,
								      NEST_CLOSED)) : 0;
		if (!(async > 0) && !(after > 0))
			continue;
		number_split(nest, c, s, works, &waiting, &served);
		sum += async * waiting + after * served;
	}
	return sum;
}

static bool any_alone(const struct nest *nest, size_t context)
{
	const struct nest_context *c = &nest->context[context];
	size_t s;

	for (s = 0; s < c->stations; s++)
		if (c->station[s].after_s > 0 ||
		    (context == NEST_TOP && c->station[s].demand[NEST_ASYNC] > 0))
			return true;
	return false;
}

/* Works of which so many, and no more, are waited for; between whole numbers. */
static double works_for(const struct nest *nest, size_t context, double wanted)
{
	size_t low = 0, high = nest->context[context].net.customers, middle;
	double at_low = 0, at_high = (double)high - alone(nest, context, high), at;

	if (at_high <= wanted)
		return (double)high;
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		at = (double)middle - alone(nest, context, middle);
		if (at <= wanted) {
			low = middle;
			at_low = at;
		} else {
			high = middle;
			at_high = at;
		}
	}
	return (double)low + (at_high > at_low ? (wanted - at_low) / (at_high - at_low) : 0);
}

/* Solve for as many works that so many are waited for. -EOVERFLOW: there is no such number. */
static int network_fit(struct nest *nest, size_t context, double wanted)
{
	size_t works = (size_t)ceil(wanted), last = works;
	double left, before = -1;
	int code;

	/* As many as it took the last time. */
	if (any_alone(nest, context) && nest->context[context].net.customers > works)
		works = nest->context[context].net.customers;
	code = network_solve(nest, context, works);
	while (!code && any_alone(nest, context)) {
		left = (double)works - alone(nest, context, works);
		if (left >= wanted)
			break;
		if (works >= WORKS_MAX || works > 20 * last + 2000 || (left - before < 1e-9 * wanted && works > 4 * last))
			return -EOVERFLOW;
		before = left;
		works = works + works / 8 + 2;
		code = network_solve(nest, context, works);
	}
	return code;
}

static double between(const double *of, double works)
{
	size_t low = (size_t)works;
	double over = works - (double)low;

	return over > 0 ? of[low] + over * (of[low + 1] - of[low]) : of[low];
}

static int inside_solve(struct nest *nest, size_t context)
{
	struct nest_context *c = &nest->context[context];
	bool is_alone;
	int code;
	size_t k;

	if (!c->works) {
		c->works = calloc(c->limit + 1, sizeof(*c->works));
		c->speed = calloc(c->limit + 1, sizeof(*c->speed));
		c->chance = calloc(c->limit + 1, sizeof(*c->chance));
	}
	if (!c->works || !c->speed || !c->chance)
		return -ENOMEM;
	code = network_fit(nest, context, c->limit);
	if (code && code != -EOVERFLOW)
		return code;
	is_alone = any_alone(nest, context);
	for (k = 1; k <= c->limit; k++) {
		c->works[k] = is_alone ? works_for(nest, context, (double)k) : (double)k;
		c->speed[k - 1] = between(c->net.throughput_per_s, c->works[k]);
	}
	return 0;
}

static int top_solve(struct nest *nest)
{
	struct nest_context *c = &nest->context[NEST_TOP];
	int code;

	if (!c->works)
		c->works = calloc(1, sizeof(*c->works));
	if (!c->works)
		return -ENOMEM;
	code = network_fit(nest, NEST_TOP, nest->customers);
	if (!code)
		*c->works = any_alone(nest, NEST_TOP) ?
			    works_for(nest, NEST_TOP, nest->customers) : nest->customers;
	return code;
}

/* Whether anything within its threads takes time. */
static bool context_used(const struct nest *nest, size_t context)
{
	const struct nest_context *c = &nest->context[context];
	double sum = c->delay;
	size_t s;

	for (s = 0; s < c->stations; s++)
		sum += nest_asked(context, c->station[s].demand, NEST_CLOSED);
	return sum > 0;
}

/**
 * nest_solve() - Solve the networks, the inmost first
 * @nest: network, with its flow
 * @culprit: context of a network that has no solution
 *
 * Return: 0, -ENOMEM, -EDOM or -EOVERFLOW if arrivals or what customers leave behind pile
 * up, or -ERANGE if numbers are out of range.
 */
int nest_solve(struct nest *nest, size_t *culprit)
{
	size_t c;
	int code = 0;

	for (c = nest->contexts; !code && c-- > 0;) {
		*culprit = c;
		if (c == NEST_TOP)
			code = top_solve(nest);
		else if (context_used(nest, c))
			code = inside_solve(nest, c);
	}
	return code;
}

/* ---- downwards ------------------------------------------------------------------ */

/* Chances of numbers of works in a context's network. @mix: [works + 1] zeroes */
static void mix_add(double *mix, double works, double chance)
{
	size_t low = (size_t)works;
	double over = works - (double)low;

	mix[low] += chance * (1 - over);
	if (over > 0)
		mix[low + 1] += chance * over;
}

static void mix_fill(const struct nest *nest, size_t context, double *mix)
{
	const struct nest_context *c = &nest->context[context];
	size_t k;

	if (context == NEST_TOP) {
		mix_add(mix, c->works[0], 1);
		return;
	}
	for (k = 0; k <= c->limit; k++)
		mix_add(mix, k ? c->works[k] : 0, c->chance[k]);
}

/* @chance: [works + 1] of so many at the station */
static void station_chances(const struct tl_convolution *net, size_t s, const double *mix,
			    double *chance)
{
	size_t works, n;

	memset(chance, 0, (net->customers + 1) * sizeof(*chance));
	for (works = 0; works <= net->customers; works++)
		for (n = 0; mix[works] > CHANCE_MIN && n <= works; n++)
			chance[n] += mix[works] * tl_convolution_chance(net, s, n, works);
}

/* Where works are counted that wait for a processor: at the gate, if there is one. */
static double *chances_of(struct nest *nest, const struct nest_station *station)
{
	struct nest_context *inside = &nest->context[nest->context_of[station->of]];

	if (!station->pool)
		return nest->general[station->of].gate == NEST_TOP ?
		       nest->general[station->of].chance : NULL;
	return inside->gate == TL_LQN_NONE ? inside->queue.chance :
					     nest->general[inside->gate].chance;
}

static void chance_add(struct nest *nest, const struct nest_station *station, double works,
		       double chance)
{
	double *chances = chances_of(nest, station);

	if (chances)
		chances[works <= NEST_LEVELS ? (size_t)works : NEST_LEVELS + 1] += chance;
}

static double station_share(const struct nest_station *station)
{
	return station->pool ? station->demand[NEST_SYNC] + station->demand[NEST_ASYNC] +
			       station->demand[NEST_OPEN] : 0;
}

/* What numbers at a station are made of. */
struct spread {
	size_t context;
	struct nest_station *station;
	double open; /* part of the others that is the context's arrivals */
	double closed; /* part of them that are closed works of other contexts */
};

/* So many works are at the station, so many are of others, by this chance. */
static void number_add(struct nest *nest, const struct spread *spread, double n, double others,
		       double chance)
{
	struct nest_station *station = spread->station;
	struct nest_context *inside = &nest->context[nest->context_of[station->of]];
	double works = n + others, beyond;

	station->number[NEST_CLOSED] += chance * n;
	station->number[!NEST_CLOSED] += chance * others * spread->open;
	station->others_there += chance * others * spread->closed;
	chance_add(nest, station, works, chance);
	if (!station->pool || !inside->chance)
		return;
	beyond = works > 0 ? chance * fmax(works - (double)inside->limit, 0) / works : 0;
	station->waiting[NEST_CLOSED] += beyond * n;
	station->waiting[!NEST_CLOSED] += beyond * others * spread->open;
	mix_add(inside->chance, fmin(works, (double)inside->limit),
		chance * station_share(station));
}

/*
 * The same with all of others that may be there, by their weights in nest_speeds_fill().
 * Where arrivals ask for nearly all that there is these are very many: whoever takes too
 * long has no solution.
 */
static void numbers_add(struct nest *nest, const struct spread *spread, double n, double chance)
{
	double weight, sum = 0, size = 0, left, ratio, k; /* a weight is exp(size) times as much */
	unsigned int pass;
	bool huge = false;

	if (!(spread->open > 0) && !(spread->closed > 0) &&
	    !(nest_arrivals(spread->context, spread->station) > 0)) {
		number_add(nest, spread, n, 0, chance);
		return;
	}
	/* If nobody asks for the chances of their number, its mean is all that is needed. */
	if (spread->closed > 0 && !spread->station->pool && !chances_of(nest, spread->station)) {
		number_add(nest, spread, n, spread->station->beside[(size_t)n], chance);
		return;
	}
	for (pass = 0; pass < 2; pass++) {
		size = pass ? -size - log(sum) : 0;
		weight = pass ? exp(size) : 1;
		for (k = 0, left = 1, ratio = 0; left > CHANCE_MIN || ratio >= 1; k++) {
			if (nest->effort++ > NEST_EFFORT_MAX)
				return;
			if (pass)
				number_add(nest, spread, n, k, chance * weight);
			else
				sum += weight;
			ratio = nest_others_ratio(nest, spread->station, n, k);
			weight *= ratio;
			if (pass && huge) {
				/* What is too small at first may grow. */
				size += ratio > 0 ? log(ratio) : -INFINITY;
				weight = exp(size);
			} else if (weight > WEIGHT_MAX) {
				huge = true;
				size += log(weight);
				sum /= weight;
				weight = 1;
			}
			left = weight / (pass ? 1 : sum + weight) / fmax(1 - ratio, 1e-12);
		}
	}
}

static void busy_take(size_t context, double throughput, struct nest_station *station)
{
	size_t i;

	for (i = 0; i < NEST_PARTS; i++) {
		double busy = nest_asked(context, station->demand, i) *
			      (i == NEST_CLOSED ? throughput : 1);

		if (i != NEST_CLOSED && context != NEST_TOP)
			break;
		station->waiting[i] = fmax(station->number[i] - busy, 0);
	}
}

/* What comes through to the threads' own context. */
static void throughput_pass(struct nest *nest, size_t context,
			    const struct nest_station *station)
{
	size_t i;

	for (i = 0; i < (context == NEST_TOP ? NEST_PARTS : 1); i++)
		nest->context[nest->context_of[station->of]].throughput +=
			nest_asked(context, station->demand, i) *
			(i == NEST_CLOSED ? nest->context[context].throughput : 1);
}

static void station_spread(struct nest *nest, size_t context, size_t s, const double *mix,
			   double *chance)
{
	struct nest_context *c = &nest->context[context];
	struct nest_station *station = &c->station[s];
	struct spread spread = { .context = context, .station = station };
	double asked = nest_arrivals(context, station) + station->strength;
	size_t n;

	if (asked > 0) {
		spread.closed = station->strength / asked;
		spread.open = (nest_arrivals(context, station) - station->others[!NEST_CLOSED]) / asked;
	}
	station->others_there = 0;
	memset(station->number, 0, sizeof(station->number));
	memset(station->waiting, 0, sizeof(station->waiting));
	station_chances(&c->net, s, mix, chance);
	for (n = 0; n <= c->net.customers; n++)
		if (chance[n] > CHANCE_MIN)
			numbers_add(nest, &spread, (double)n, chance[n]);
	if (station->pool)
		throughput_pass(nest, context, station);
	else
		busy_take(context, c->throughput, station);
}

static int context_spread(struct nest *nest, size_t context)
{
	struct nest_context *c = &nest->context[context];
	size_t room = c->net.customers + 2, s;
	double *mix = calloc(2 * room, sizeof(*mix));

	if (!mix)
		return -ENOMEM;
	mix_fill(nest, context, mix);
	if (context == NEST_TOP)
		c->throughput = between(c->net.throughput_per_s, *c->works);
	for (s = 0; s < c->stations; s++)
		station_spread(nest, context, s, mix, mix + room);
	free(mix);
	return 0;
}

static void chances_clear(struct nest_general *general)
{
	if (general->chance)
		memset(general->chance, 0, (NEST_LEVELS + 2) * sizeof(*general->chance));
}

/**
 * nest_spread() - Where works are, from the top down
 * @nest: solved network; numbers at stations and chances are filled in
 *
 * Return: 0 or -ENOMEM.
 */
int nest_spread(struct nest *nest)
{
	size_t c, k;
	int code = 0;

	for (c = 1; c < nest->contexts; c++) {
		chances_clear(&nest->context[c].queue);
		nest->context[c].throughput = 0;
		for (k = 0; nest->context[c].chance && k <= nest->context[c].limit; k++)
			nest->context[c].chance[k] = 0;
	}
	for (c = 0; c < nest->lqn->processors; c++)
		chances_clear(&nest->general[c]);
	for (c = 0; !code && c < nest->contexts; c++)
		if (c == NEST_TOP || nest->context[c].chance)
			code = context_spread(nest, c);
	return code;
}
