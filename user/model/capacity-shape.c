// SPDX-License-Identifier: GPL-2.0-or-later
/* How times are spread with a load, and whether it has a steady state, by simulation. */
#include "capacity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define REQUESTS_MIN 10 /* that take longer than a quantile, for it to be told */
#define PRECISE 0.002 /* nobody waits for it: as many steps as there may be */

static int shape_add(struct tl_capacity_out *out, double n, struct tl_lqn_watched *watched,
		     const struct tl_capacity_watches *watches)
{
	struct tl_capacity_shape *more = reallocarray(out->shape, out->shapes + 1, sizeof(*more));
	size_t at = out->shapes, i;

	if (!more)
		return -ENOMEM;
	out->shape = more;
	for (; at && more[at - 1].n > n; at--)
		more[at] = more[at - 1];
	more[at] = (struct tl_capacity_shape){ .n = n };
	for (i = 0; i < watches->n; i++) {
		more[at].watched[watches->limit[i]] = watched[i];
		watched[i].count = NULL; /* it is there now */
	}
	out->shapes++;
	return 0;
}

/**
 * tl_capacity_watches() - The requests that limits are about
 * @in: limits
 * @watches: filled in; tl_capacity_watches_free() frees it in any case
 *
 * Return: 0 or -ENOMEM.
 */
int tl_capacity_watches(const struct tl_capacity_in *in, struct tl_capacity_watches *watches)
{
	size_t i;

	*watches = (struct tl_capacity_watches){ 0 };
	watches->entry = calloc(in->limits * in->lqn->entries + 1, sizeof(*watches->entry));
	if (!watches->entry)
		return -ENOMEM;
	for (i = 0; i < in->limits; i++) {
		bool *of = watches->entry + watches->n * in->lqn->entries;

		if (!tl_limit_is_simulated(&in->limit[i]))
			continue;
		if (in->limit[i].entry != TL_LQN_NONE)
			of[in->limit[i].entry] = true;
		watches->watch[watches->n] = (struct tl_lqn_watch){
			.entry = in->limit[i].entry == TL_LQN_NONE ? NULL : of,
			.part = tl_limit_part(&in->limit[i]),
		};
		watches->limit[watches->n++] = i;
	}
	return 0;
}

/**
 * tl_capacity_watches_free() - Free what tl_capacity_watches() allocated
 * @watches: its result
 */
void tl_capacity_watches_free(struct tl_capacity_watches *watches)
{
	free(watches->entry);
}

/* Enough requests of each to tell. */
static bool seen(const struct tl_lqn_simulate_out *simulated,
		 const struct tl_capacity_watches *watches)
{
	size_t i;

	for (i = 0; i < watches->n; i++)
		if (!(simulated->watched[i].requests * (1 - watches->watch[i].part) >=
		      REQUESTS_MIN))
			return false;
	return true;
}

/**
 * tl_capacity_simulate() - Find out how times are spread with a load
 * @in: what is asked
 * @work: a copy of its network, which gets the load
 * @n: load
 * @out: a shape is added; the verdict is TL_CAPACITY_UNKNOWN if simulation does not tell
 *
 * Return: 0 or -ENOMEM.
 */
int tl_capacity_simulate(const struct tl_capacity_in *in, struct tl_lqn *work, double n,
			 struct tl_capacity_out *out)
{
	struct tl_capacity_watches watches;
	struct tl_lqn_simulate_in how = { .lqn = work, .seed = in->seed, .confidence = 0.95,
					  .precision = PRECISE, .steps_max = in->steps_max,
					  .watch = watches.watch };
	struct tl_lqn_simulate_out simulated = { 0 };
	int code = tl_capacity_watches(in, &watches);

	how.watches = watches.n;
	tl_capacity_load(in, n, work);
	code = code ? code : tl_lqn_simulate(&how, &simulated);
	out->simulation = code ? TL_LQN_TOO_SHORT : simulated.solution.verdict;
	if (!code && tl_lqn_has_figures(&simulated.solution) && seen(&simulated, &watches))
		code = shape_add(out, n, simulated.watched, &watches);
	else
		out->verdict = TL_CAPACITY_UNKNOWN;
	tl_lqn_simulated_free(&simulated);
	tl_capacity_watches_free(&watches);
	return code == -ENOMEM ? code : 0;
}

/**
 * tl_capacity_steady() - Whether a load has a steady state
 * @in: what is asked
 * @work: a copy of its network, which gets the load
 * @n: load
 * @steady: set to whether a simulation has one
 *
 * Return: 0 or -ENOMEM.
 */
int tl_capacity_steady(const struct tl_capacity_in *in, struct tl_lqn *work, double n,
		       bool *steady)
{
	struct tl_lqn_simulate_in how = { .lqn = work, .seed = in->seed, .confidence = 0.95,
					  .precision = PRECISE, .steps_max = in->steps_max };
	struct tl_lqn_simulate_out simulated;
	int code;

	tl_capacity_load(in, n, work);
	code = tl_lqn_simulate(&how, &simulated);
	*steady = !code && tl_lqn_has_figures(&simulated.solution);
	tl_lqn_simulated_free(&simulated);
	return code == -ENOMEM ? code : 0;
}
