// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast a station works for a context, by how many of its works are there
 *
 * A processor of m servers works at min(n, m), or as tl_general_speeds() says if it
 * serves one by one. A task's threads work at the throughput of the network within them
 * with so many works: its flow equivalent (P. J. Courtois, Decomposability, 1977).
 *
 * Where arrivals ask for ρ, the chance of n works of customers has
 * the weights F(n) = Σ_k C(n + k, k) ρ^k / Π_{j ≤ n + k} speed(j), which is as if its
 * speed were F(n - 1) / F(n), and of arrivals there are (n + 1) ρ F(n + 1) / F(n) then
 * (exact in product form, C. H. Sauer, Computational Algorithms for State-Dependent
 * Queueing Networks, ACM Transactions on Computer Systems 1, 1983).
 * Works of other contexts are taken for arrivals, too.
 */
#include "lqn-nest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define TERMS_MAX 1000000
#define TERMS_FEW 0.9 /* part of the speed that is asked for: terms fall off fast below */
#define NO_TIME 1e30 /* speed of threads that have nothing to do */

/* Of an array by number of works from 1 on, between its elements and beyond. */
static double between(const double *speed, size_t n, double works)
{
	size_t low = (size_t)works;
	double below;

	if (works >= (double)n)
		return speed[n - 1];
	below = low ? speed[low - 1] : 0;
	return below + (works - (double)low) * (speed[low] - below);
}

/**
 * nest_processor_speed() - How fast a processor works
 * @nest: network
 * @processor: index
 * @works: how many are there
 *
 * Return: seconds of demand per second.
 */
double nest_processor_speed(const struct nest *nest, size_t processor, double works)
{
	const struct nest_general *general = &nest->general[processor];

	return general->n ? between(general->speed, general->n, works) :
			    fmin(works, nest->lqn->processor[processor].servers);
}

static double speed_for(const struct nest *nest, const struct nest_station *station,
			double works)
{
	const struct nest_context *inside = &nest->context[nest->context_of[station->of]];

	if (!station->pool)
		return nest_processor_speed(nest, station->of, works);
	if (!inside->speed)
		return works * NO_TIME;
	if (inside->gate != TL_LQN_NONE)
		return nest_processor_speed(nest, inside->gate, works) /
		       nest_asked(nest->context_of[station->of], inside->station->demand,
				  NEST_CLOSED);
	if (inside->queue.n && works >= (double)inside->limit)
		return inside->speed[inside->limit - 1] *
		       between(inside->queue.speed, inside->queue.n,
			       works - (double)inside->limit + 1);
	return between(inside->speed, inside->limit, works);
}

/**
 * nest_own_speed() - How fast a station works
 * @nest: network
 * @station: station
 * @works: how many are there, whoever's
 *
 * Return: work per second.
 */
double nest_own_speed(const struct nest *nest, const struct nest_station *station, double works)
{
	return works > 0 ? speed_for(nest, station, works) : 0;
}

/* From how many works on the speed is the same. */
static size_t speeds_of(const struct nest *nest, const struct nest_station *station,
			size_t works)
{
	const struct nest_context *inside = &nest->context[nest->context_of[station->of]];
	size_t processor = station->pool ? inside->gate : station->of, n;

	if (processor == TL_LQN_NONE)
		n = inside->limit + inside->queue.n;
	else if (nest->general[processor].n)
		n = nest->general[processor].n;
	else
		n = nest->lqn->processor[processor].servers;
	n = n < works ? n : works;
	return n ? n : 1;
}

/*
 * log F(n), F as a multiple of its first term. From @same works on the speed is the same
 * and ρ of it is asked for: terms are T C(n + k, k) ρ^k from there on, with one T, and of
 * these all together are (1 - ρ)^-(n + 1). Summing them up one by one would take very
 * many where ρ is nearly 1.
 */
static double arrivals_weight(const struct nest *nest, const struct nest_station *station,
			      size_t n, double asked, size_t same)
{
	double part = asked / nest_own_speed(nest, station, (double)same);
	double term = 1, sum = 1, ratio = 0, plain = 1, plains = 1, rest;
	bool closed = part > TERMS_FEW;
	size_t k;

	for (k = 1; closed ? n + k < same :
		    k < TERMS_MAX && (term > 1e-15 * sum * (1 - ratio) || ratio >= 1); k++) {
		ratio = (double)(n + k) / (double)k * asked /
			nest_own_speed(nest, station, (double)(n + k));
		term *= ratio;
		sum += term;
		plain *= (double)(n + k) / (double)k * part;
		plains += plain;
	}
	if (!closed)
		return log(sum);
	rest = log(term / plain) - (double)(n + 1) * log1p(-part);
	return rest + log1p((sum - term / plain * plains) * exp(-rest));
}

static void arrivals_take(const struct nest *nest, struct nest_station *station, double asked)
{
	size_t same = speeds_of(nest, station, SIZE_MAX), n;
	double before = arrivals_weight(nest, station, 0, asked, same), weight;

	for (n = 1; n <= station->speeds; n++, before = weight) {
		weight = arrivals_weight(nest, station, n, asked, same);
		station->speed[n - 1] = nest_own_speed(nest, station, (double)n) *
					exp(before - weight);
	}
}

/**
 * nest_others() - What is asked of a station by others than a context's closed works
 * @context: index
 * @station: of the context
 *
 * Return: work per second.
 */
double nest_others(size_t context, const struct nest_station *station)
{
	return station->others + (context == NEST_TOP ? station->demand[NEST_OPEN] : 0);
}

/**
 * nest_speeds_fill() - What a context's network is to be solved with
 * @nest: network; speeds within the threads that the context calls are known
 * @context: index
 * @station: of the context; @speed is filled in
 * @works: how many works there are at most
 *
 * Return: 0, -ENOMEM, or -EDOM if arrivals ask for more than the station can do.
 */
int nest_speeds_fill(const struct nest *nest, size_t context, struct nest_station *station,
		     size_t works)
{
	double asked = nest_others(context, station), most = nest_own_speed(nest, station, 1e18);
	size_t n;

	/* What arrives from outside is too much; what others ask for only so far. */
	if (context == NEST_TOP && station->demand[NEST_OPEN] >= most)
		return -EDOM;
	asked = fmin(asked, NEST_MOST * most);
	station->speeds = speeds_of(nest, station, works) + (asked > 0 ? 1 : 0);
	free(station->speed);
	station->speed = calloc(station->speeds, sizeof(*station->speed));
	if (!station->speed)
		return -ENOMEM;
	for (n = 1; n <= station->speeds; n++)
		station->speed[n - 1] = nest_own_speed(nest, station, (double)n);
	if (asked > 0)
		arrivals_take(nest, station, asked);
	return 0;
}
