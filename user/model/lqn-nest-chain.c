// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Customers of several kinds
 *
 * The networks are solved for all works together. Who arrives sees all but himself: of
 * kind c, Q - Q_c / N_c (P. Schweitzer). What all wait in the mean is shared out by that,
 * so that the sum stays. In product form mean values are exact instead, as long as the
 * numbers of customers can be counted through.
 */
#include "lqn-nest.h"

#include "mva.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define STATES_MAX 1000000.0 /* some ten milliseconds */

/**
 * nest_chains_clear() - Forget what each kind of customers does
 * @nest: network
 */
void nest_chains_clear(struct nest *nest)
{
	size_t c, s, k;

	for (c = 0; c < nest->contexts; c++)
		for (s = 0; s < nest->context[c].stations; s++)
			for (k = 0; k <= nest->chains; k++) {
				struct nest_chain *chain = &nest->context[c].station[s].of_chain[k];

				chain->work = chain->visits = chain->number = 0;
			}
}

/* @task: set to the next reference task from there on */
static bool next_customers(const struct nest *nest, size_t *task)
{
	while (*task < nest->lqn->tasks && !nest->lqn->task[*task].reference)
		++*task;
	return *task < nest->lqn->tasks;
}

/* What a kind of customers sees of all. */
static double seen(const struct nest *nest, const struct nest_station *station, size_t chain,
		   double customers)
{
	double all = 0;
	size_t k;

	for (k = 0; k <= nest->chains; k++)
		all += station->of_chain[k].number;
	return fmax(all - (customers > 0 ? station->of_chain[chain].number / customers : 0),
		    1e-9 * all);
}

static void station_share(const struct nest *nest, struct nest_station *station, double damping,
			  double *change)
{
	struct nest_chain *nobody = &station->of_chain[nest->chains];
	double sum = nobody->visits * seen(nest, station, nest->chains, 0);
	double visits = nobody->visits, factor;
	size_t k, t;

	for (k = t = 0; next_customers(nest, &t); k++, t++) {
		visits += station->of_chain[k].visits;
		sum += station->of_chain[k].visits *
		       seen(nest, station, k, nest->lqn->task[t].threads);
	}
	if (!(visits > 0) || !(sum > 0))
		return;
	for (k = t = 0; k <= nest->chains; k++, t++) {
		struct nest_chain *chain = &station->of_chain[k];

		factor = seen(nest, station, k, next_customers(nest, &t) ?
			      nest->lqn->task[t].threads : 0) * visits / sum;
		if (chain->visits > 0)
			*change = fmax(*change, fabs(factor - chain->factor));
		chain->factor = fmax(chain->factor + damping * (factor - chain->factor),
				     factor / 2);
	}
}

/**
 * nest_chains_share() - Share out waiting among kinds of customers
 * @nest: network with its times
 * @damping: how much of the difference to take
 * @change: raised to the largest one
 */
void nest_chains_share(struct nest *nest, double damping, double *change)
{
	size_t c, s;

	for (c = 0; nest->chains > 1 && c < nest->contexts; c++)
		for (s = 0; s < nest->context[c].stations; s++)
			station_share(nest, &nest->context[c].station[s], damping, change);
}

/* ---- exactly -------------------------------------------------------------------- */

/* Whether services at a processor that serves one by one are all the same exponential. */
static bool alike(const struct nest *nest, double *first_s)
{
	const struct tl_lqn *lqn = nest->lqn;
	size_t e, p;

	for (e = 0; e < lqn->entries; e++)
		for (p = 0; p < TL_LQN_PHASES; p++) {
			const struct tl_lqn_phase *phase = &lqn->entry[e].phase[p];
			size_t processor = lqn->task[lqn->entry[e].task].processor;
			double mean_s = tl_lqn_demand_s(lqn, e, p) / (1 + phase->calls_mean);

			if (lqn->processor[processor].discipline != TL_LQN_FCFS ||
			    !(mean_s > 0) || nest->use_of[e] == TL_LQN_NONE)
				continue;
			if (first_s[processor] == 0)
				first_s[processor] = mean_s;
			if (fabs(phase->cv2 - 1) > 1e-9 ||
			    fabs(mean_s / first_s[processor] - 1) > 1e-9)
				return false;
		}
	return true;
}

static int product_form(const struct nest *nest, bool *is)
{
	double *first_s = calloc(nest->lqn->processors + 1, sizeof(*first_s));
	size_t u;

	*is = nest->contexts == 1;
	for (u = 0; u < nest->uses; u++)
		*is = *is && nest->use[u].kind == NEST_SYNC;
	if (first_s)
		*is = *is && alike(nest, first_s);
	free(first_s);
	return first_s ? 0 : -ENOMEM;
}

struct chains {
	struct tl_mva_in in;
	struct tl_mva_out out;
	uint32_t *number; /* of customers, then of servers */
	double *room;
};

static int chains_new(const struct nest *nest, struct chains *x)
{
	size_t classes = nest->chains, stations = nest->context->stations;

	x->number = calloc(classes + stations + 1, sizeof(*x->number));
	x->room = calloc(2 * classes + 3 * classes * stations + 1, sizeof(*x->room));
	if (!x->number || !x->room)
		return -ENOMEM;
	x->in = (struct tl_mva_in){ .classes = classes, .stations = stations,
				    .customers = x->number, .servers = x->number + classes,
				    .think_s = x->room, .demand_s = x->room + 2 * classes };
	x->out.throughput_per_s = x->room + classes;
	x->out.residence_s = x->room + 2 * classes + classes * stations;
	x->out.number = x->out.residence_s + classes * stations;
	return 0;
}

static void chains_fill(const struct nest *nest, struct chains *x)
{
	const struct nest_context *top = &nest->context[NEST_TOP];
	double *demand_s = x->room + 2 * nest->chains, *think_s = x->room;
	size_t k, t, s, u;

	for (s = 0; s < top->stations; s++)
		x->number[nest->chains + s] = nest->lqn->processor[top->station[s].of].servers;
	for (k = t = 0; next_customers(nest, &t); k++, t++) {
		u = nest_use_find(nest, nest->lqn->task[t].first_entry, NEST_TOP, NEST_SYNC, k);
		x->number[k] = nest->lqn->task[t].threads;
		think_s[k] = nest->lqn->task[t].think_s + nest->use[u].service_s[0] +
			     nest->use[u].service_s[1];
		for (s = 0; s < top->stations; s++) {
			demand_s[k * top->stations + s] =
				top->station[s].of_chain[k].work / nest->use[u].rate_per_s;
			think_s[k] -= demand_s[k * top->stations + s];
		}
		think_s[k] = fmax(think_s[k], 0);
	}
}

static void chains_take(struct nest *nest, const struct chains *x)
{
	struct nest_context *top = &nest->context[NEST_TOP];
	size_t s, k, at;

	top->throughput = 1;
	for (s = 0; s < top->stations; s++) {
		struct nest_station *station = &top->station[s];
		double work = nest_asked(NEST_TOP, station->demand, NEST_CLOSED), longer;

		station->number[NEST_CLOSED] = 0;
		for (k = 0; k < nest->chains; k++)
			station->number[NEST_CLOSED] += x->out.number[k * top->stations + s];
		longer = station->number[NEST_CLOSED] / work - 1;
		station->waiting[NEST_CLOSED] = fmax(station->number[NEST_CLOSED] - work, 0);
		for (k = 0; k < nest->chains; k++) {
			at = k * top->stations + s;
			station->of_chain[k].factor =
				x->in.demand_s[at] > 0 && longer > 0 ?
				(x->out.residence_s[at] / x->in.demand_s[at] - 1) / longer : 1;
		}
	}
}

/**
 * nest_chains_exact() - Solve a network in product form
 * @nest: network when nobody waits; its times are filled in if it is one
 * @exact: whether it is, and of several kinds of customers
 *
 * Return: 0 or -ENOMEM.
 */
int nest_chains_exact(struct nest *nest, bool *exact)
{
	struct chains x = { 0 };
	size_t k, t;
	int code = product_form(nest, exact);

	if (code || !*exact || nest->chains < 2)
		*exact = false;
	if (!code && *exact)
		code = chains_new(nest, &x);
	if (!code && *exact)
		code = nest_flow(nest);
	if (!code && *exact) {
		nest_times_idle(nest);
		nest_times(nest);
		chains_fill(nest, &x);
		*exact = tl_mva_states(&x.in) <= STATES_MAX;
	}
	if (!code && *exact)
		code = tl_mva_exact(&x.in, &x.out);
	for (k = t = 0; !code && *exact && next_customers(nest, &t); k++, t++)
		nest->cycles_per_s[t] = x.out.throughput_per_s[k];
	if (!code && *exact)
		code = nest_flow(nest);
	if (!code && *exact) {
		chains_take(nest, &x);
		nest_times(nest);
	}
	free(x.number);
	free(x.room);
	return code;
}
