// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long executions take, from how many works are at each station
 *
 * By Little's law: a shared processor makes each second of demand number / busy times as
 * long; at one that serves one by one, and for threads, each visit waits waiting / visits.
 * The called come first, so that callers' times are sums of what is known.
 */
#include "lqn-nest.h"

#include <math.h>

/**
 * nest_times_idle() - Let nobody wait for anybody
 * @nest: network with its flow; numbers at stations are filled in
 */
void nest_times_idle(struct nest *nest)
{
	size_t c, s, i;

	for (c = 0; c < nest->contexts; c++) {
		nest->context[c].throughput = 1;
		for (s = 0; s < nest->context[c].stations; s++)
			for (i = 0; i < NEST_PARTS; i++) {
				struct nest_station *station = &nest->context[c].station[s];

				station->number[i] = nest_asked(c, station->demand, i);
				station->waiting[i] = 0;
			}
	}
}

/* What is done of it in a second, of what is asked for. */
static double done(const struct nest *nest, size_t context, const double *of_kinds, size_t part)
{
	double asked = nest_asked(context, of_kinds, part);

	return part == NEST_CLOSED ? asked * nest->context[context].throughput : asked;
}

static size_t part_of(size_t context, enum nest_kind kind)
{
	return context == NEST_TOP && kind == NEST_OPEN ? !NEST_CLOSED : NEST_CLOSED;
}

/* Keep what a use does at a station, and tell how much longer it waits than others. */
static double chain_take(struct nest_station *station, const struct nest_use *use, size_t part,
			 double visits, double work)
{
	struct nest_chain *chain = &station->of_chain[use->chain];

	if (part != NEST_CLOSED)
		return 1;
	chain->visits += visits;
	chain->work += work;
	return chain->factor;
}

static double processor_s(const struct nest *nest, const struct nest_use *use, size_t p,
			  size_t context, size_t part)
{
	const struct tl_lqn *lqn = nest->lqn;
	size_t processor = lqn->task[lqn->entry[use->entry].task].processor;
	double demand_s = tl_lqn_demand_s(lqn, use->entry, p), work, time_s, visits;
	struct nest_station *station;

	if (!(demand_s > 0) || lqn->processor[processor].servers == TL_LQN_UNLIMITED)
		return demand_s;
	station = nest_station_find(nest, context, false, processor);
	if (lqn->processor[processor].discipline == TL_LQN_PS) {
		work = done(nest, context, station->demand, part);
		visits = demand_s;
		time_s = station->number[part] - work;
	} else {
		work = done(nest, context, station->visits_per_s, part);
		visits = 1 + lqn->entry[use->entry].phase[p].calls_mean;
		time_s = station->waiting[part];
	}
	time_s = demand_s + chain_take(station, use, part, use->rate_per_s * visits,
				       use->rate_per_s * demand_s) *
		 (work > 0 ? visits * fmax(time_s, 0) / work : 0);
	station->of_chain[use->chain].number += use->rate_per_s * time_s;
	return time_s;
}

static double reply_s(const struct nest *nest, size_t entry, size_t context,
		      enum nest_kind kind, size_t chain)
{
	return nest->use[nest_use_find(nest, entry, context, kind, chain)].reply_s;
}

static double phase_s(const struct nest *nest, const struct nest_use *use, size_t p)
{
	const struct tl_lqn_phase *phase = &nest->lqn->entry[use->entry].phase[p];
	enum nest_kind kind;
	size_t context = nest_inside(nest, use, p, &kind), k;
	size_t chain = kind == NEST_SYNC ? use->chain : nest->chains;
	double time_s = phase->think_s + processor_s(nest, use, p, context,
						     part_of(context, kind));

	for (k = phase->first_call; k < phase->first_call + phase->calls; k++)
		if (nest->lqn->call[k].kind == TL_LQN_SYNC)
			time_s += nest->lqn->call[k].mean *
				  reply_s(nest, nest->lqn->call[k].to, context, kind, chain);
	return time_s;
}

static double waiting_s(const struct nest *nest, const struct nest_use *use)
{
	size_t task = nest->lqn->entry[use->entry].task;
	size_t part = part_of(use->context, use->kind);
	struct nest_station *station;
	double visits, time_s;

	if (nest_threads_of(nest, use) == NEST_TOP)
		return 0;
	station = nest_station_find(nest, use->context, true, task);
	visits = done(nest, use->context, station->visits_per_s, part);
	time_s = chain_take(station, use, part, use->rate_per_s, 0) *
		 (visits > 0 ? station->waiting[part] / visits : 0);
	station->of_chain[use->chain].number +=
		use->rate_per_s * (time_s + use->service_s[0] + use->service_s[1]);
	return time_s;
}

static void use_times(const struct nest *nest, struct nest_use *use)
{
	const struct tl_lqn_entry *entry = &nest->lqn->entry[use->entry];
	size_t p, k;

	for (p = 0; p < TL_LQN_PHASES; p++)
		use->service_s[p] = phase_s(nest, use, p);
	use->waiting_s = waiting_s(nest, use);
	use->reply_s = use->waiting_s + use->service_s[0];
	for (k = entry->first_forward; k < entry->first_forward + entry->forwards; k++)
		use->reply_s += nest->lqn->call[k].mean *
				reply_s(nest, nest->lqn->call[k].to, use->context, use->kind,
					use->chain);
}

/**
 * nest_times() - Lengths of all executions
 * @nest: network with numbers at stations; those of the uses are filled in
 */
void nest_times(struct nest *nest)
{
	size_t i, u;

	nest_chains_clear(nest);
	for (i = nest->lqn->entries; i-- > 0;)
		for (u = nest->use_of[nest->lqn->order[i]]; u != TL_LQN_NONE; u = nest->use[u].next)
			use_times(nest, &nest->use[u]);
}
