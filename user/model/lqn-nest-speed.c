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
 * Works of other contexts are taken for arrivals, too, but of sources that are so many: while
 * one of them is there it asks for nothing more. With k of M there the others ask for
 * a (1 - k / M), as customers do who think (the machine repairman).
 */
#include "lqn-nest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define TERMS_MAX 1000000
#define TERMS_FEW 0.9 /* part of the speed that is asked for: terms fall off fast below */
#define ARRIVALS_MOST 0.9999 /* part of a station's speed */
#define POOL_BUSY 0.7 /* of a task's threads; from there on others at them are counted */
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
 * nest_arrivals() - What comes to a station however many are there
 * @context: index
 * @station: of the context
 *
 * Return: work per second.
 */
double nest_arrivals(size_t context, const struct nest_station *station)
{
	return station->others[!NEST_CLOSED] +
	       (context == NEST_TOP ? station->demand[NEST_OPEN] : 0);
}

/**
 * nest_others_ratio() - How the chance of others' works at a station grows with their number
 * @nest: network
 * @station: of a context, after nest_speeds_fill()
 * @n: closed works of the context that are there
 * @k: works of others, and arrivals
 *
 * Return: chance of @k + 1 of them as a multiple of that of @k.
 */
double nest_others_ratio(const struct nest *nest, const struct nest_station *station, double n,
			 double k)
{
	double open = station->open, closed = station->strength;
	double own = nest_own_speed(nest, station, n + k + 1), asked = 0, there;

	if (closed > 0) {
		/* Of those that are there, so many are of them. */
		there = station->counted ? k * closed / (closed + open) / station->sources : 0;
		asked = closed * fmax(1 - there, 0);
	}
	return (n + k + 1) / (k + 1) * (asked + open) / own;
}

/* How fast a context's works are served beside others', and how many these are. */
static double shared_speed(const struct nest *nest, const struct nest_station *station, double n,
			   double *beside)
{
	double sum = 0, mine = 0, others = 0, weight = 1, ratio, k;

	for (k = 0; k < TERMS_MAX; k++) {
		sum += weight;
		others += weight * k;
		if (n > 0)
			mine += weight * n / (n + k) * nest_own_speed(nest, station, n + k);
		ratio = nest_others_ratio(nest, station, n, k);
		weight *= ratio;
		if (ratio < 1 && weight < 1e-15 * sum * (1 - ratio))
			break;
		if (weight > 1e250) {
			weight *= 1e-250;
			sum *= 1e-250;
			mine *= 1e-250;
			others *= 1e-250;
		}
	}
	*beside = others / sum;
	return mine / sum;
}

/* One number after the other at first, then ever longer steps, with lines between. */
static void shared_fill(const struct nest *nest, struct nest_station *station)
{
	double speed[2] = { 0 }, *beside = station->beside, part;
	size_t n = 0, next, i;

	shared_speed(nest, station, 0, &beside[0]);
	while (n < station->speeds) {
		next = n + 1 + n / 32;
		next = next < station->speeds ? next : station->speeds;
		speed[1] = shared_speed(nest, station, (double)next, &beside[next]);
		for (i = n + 1; i <= next; i++) {
			part = (double)(i - n) / (double)(next - n);
			station->speed[i - 1] = speed[0] + part * (speed[1] - speed[0]);
			beside[i] = beside[n] + part * (beside[next] - beside[n]);
		}
		n = next;
		speed[0] = speed[1];
	}
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
	double asked = nest_arrivals(context, station), most = nest_own_speed(nest, station, 1e18);
	size_t n;

	if (asked >= most)
		return -EDOM;
	/*
	 * At a task's threads arrivals keep Little's law to the last digit, because every context sees
	 * the same of them; where there would be too many to be true, that is given up, for good.
	 */
	station->counted = station->counted || !station->pool ||
			   asked + station->others[NEST_CLOSED] +
			   nest_asked(context, station->demand, NEST_CLOSED) > POOL_BUSY * most;
	/* Nearer to all there is, their number has no end. */
	station->open = fmin(asked, ARRIVALS_MOST * most);
	station->speeds = station->strength > 0 ? works :
			  speeds_of(nest, station, works) + (asked > 0 ? 1 : 0);
	station->speeds = station->speeds ? station->speeds : 1;
	free(station->speed);
	free(station->beside);
	station->speed = calloc(station->speeds, sizeof(*station->speed));
	station->beside = calloc(station->speeds + 1, sizeof(*station->beside));
	if (!station->speed || !station->beside)
		return -ENOMEM;
	for (n = 1; n <= station->speeds; n++)
		station->speed[n - 1] = nest_own_speed(nest, station, (double)n);
	if (station->strength > 0)
		shared_fill(nest, station);
	else if (asked > 0)
		arrivals_take(nest, station, station->open);
	return 0;
}
