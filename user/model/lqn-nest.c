// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A layered queueing network as networks within networks
 *
 * A task with a limit to its threads is a queue whose server is a network of its own:
 * the works that hold its threads, at processors and at the queues of the tasks that
 * they call. Works that hold the same threads are a context; at the top nobody holds
 * any. A task without a limit is no queue: what it does and calls belongs to the context
 * that it is called from. Whom nobody waits for goes on at the top: asynchronous calls,
 * and second phases where no thread is held.
 *
 * An entry may be executed in several contexts; each is a use of it, with its own rate.
 */
#include "lqn-nest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define CHAINS_MAX 64 /* kinds of customers that are told apart; if more, none are */
#define ALONE_MAX 4096 /* works beyond customers for which there are always threads */

/* ---- contexts ------------------------------------------------------------------- */

/* Whether anything goes on that no customer waits for. */
static bool goes_on_alone(const struct tl_lqn *lqn)
{
	size_t i;

	for (i = 0; i < lqn->calls; i++)
		if (lqn->call[i].kind == TL_LQN_ASYNC)
			return true;
	for (i = 0; i < lqn->entries; i++)
		if (lqn->entry[i].arrivals_per_s > 0 ||
		    (tl_lqn_phase_used(&lqn->entry[i].phase[1]) &&
		     !lqn->task[lqn->entry[i].task].reference))
			return true;
	return false;
}

static bool limits(const struct nest *nest, size_t t, bool alone, const bool *idle)
{
	const struct tl_lqn_task *task = &nest->lqn->task[t];

	return !task->reference && task->threads != TL_LQN_UNLIMITED && !(idle && idle[t]) &&
	       task->threads < nest->customers + (alone ? ALONE_MAX : 0);
}

/* Calls for whose reply threads may be held. */
static bool held_over(const struct tl_lqn_call *call)
{
	return call->kind != TL_LQN_ASYNC;
}

static void callers_count(const struct tl_lqn *lqn, size_t *callers)
{
	size_t k;

	for (k = 0; k < lqn->calls; k++)
		if (held_over(&lqn->call[k]))
			callers[lqn->entry[lqn->call[k].to].task]++;
}

static void callees_free(const struct tl_lqn *lqn, size_t t, size_t *callers, size_t *queue,
			 size_t *n)
{
	const struct tl_lqn_entry *first = &lqn->entry[lqn->task[t].first_entry];
	const struct tl_lqn_entry *last = first + lqn->task[t].entries - 1;
	size_t k, to;

	for (k = first->phase[0].first_call; k < last->first_forward + last->forwards; k++) {
		to = lqn->entry[lqn->call[k].to].task;
		if (held_over(&lqn->call[k]) && callers[to] && !--callers[to])
			queue[(*n)++] = to;
	}
}

/*
 * Tasks by layers, callers first. Where calls come back to a task whose threads are held
 * there is no such order: it begins somewhere in the circle, and see nest_threads_of().
 */
static void layers_sort(const struct tl_lqn *lqn, size_t *callers, size_t *queue)
{
	size_t n = 0, done = 0, t;

	for (t = 0; t < lqn->tasks; t++)
		if (!callers[t])
			queue[n++] = t;
	for (t = 0; done < lqn->tasks;) {
		if (done < n) {
			callees_free(lqn, queue[done++], callers, queue, &n);
			continue;
		}
		while (!callers[t])
			t++;
		callers[t] = 0;
		queue[n++] = t;
	}
}

/* Whether an execution is one visit to the processor, and the thread is free. */
static bool one_visit(const struct tl_lqn_entry *entry)
{
	return !entry->phase[0].calls && !(entry->phase[0].think_s > 0) &&
	       !tl_lqn_phase_used(&entry->phase[1]);
}

/*
 * The processor that a task is nothing but a gate to: first come, first served there and
 * here is the same as one queue. TL_LQN_NONE if it is more, or not alone.
 */
static size_t gate_of(const struct tl_lqn *lqn, size_t t)
{
	size_t p = lqn->task[t].processor, i;

	if (lqn->processor[p].discipline != TL_LQN_FCFS ||
	    lqn->processor[p].servers > lqn->task[t].threads)
		return TL_LQN_NONE;
	for (i = lqn->task[t].first_entry; i < lqn->task[t].first_entry + lqn->task[t].entries; i++)
		if (!one_visit(&lqn->entry[i]))
			return TL_LQN_NONE;
	for (i = 0; i < lqn->tasks; i++)
		if (i != t && lqn->task[i].processor == p)
			return TL_LQN_NONE;
	return p;
}

static int contexts_new(struct nest *nest, const bool *idle)
{
	const struct tl_lqn *lqn = nest->lqn;
	size_t *callers = calloc(2 * lqn->tasks + 1, sizeof(*callers)), *queue, i;
	bool alone = goes_on_alone(lqn);

	nest->context = calloc(lqn->tasks + 1, sizeof(*nest->context));
	if (!callers || !nest->context) {
		free(callers);
		return -ENOMEM;
	}
	queue = callers + lqn->tasks;
	callers_count(lqn, callers);
	layers_sort(lqn, callers, queue);
	nest->context[nest->contexts++] = (struct nest_context){ .task = TL_LQN_NONE,
								 .gate = TL_LQN_NONE };
	for (i = 0; i < lqn->tasks; i++) {
		if (!limits(nest, queue[i], alone, idle))
			continue;
		nest->context_of[queue[i]] = nest->contexts;
		nest->context[nest->contexts++] = (struct nest_context){
			.task = queue[i], .limit = lqn->task[queue[i]].threads,
			.gate = gate_of(lqn, queue[i]) };
	}
	for (i = 1; i < nest->contexts; i++)
		if (nest->context[i].gate != TL_LQN_NONE)
			nest->general[nest->context[i].gate].gate = i;
	free(callers);
	return 0;
}

static int generals_new(struct nest *nest)
{
	size_t p;

	for (p = 0; p < nest->lqn->processors; p++) {
		if (nest->lqn->processor[p].discipline != TL_LQN_FCFS)
			continue;
		nest->general[p].chance = calloc(NEST_LEVELS + 2, sizeof(double));
		if (!nest->general[p].chance)
			return -ENOMEM;
	}
	for (p = 1; p < nest->contexts; p++) {
		nest->context[p].queue.chance = calloc(NEST_LEVELS + 2, sizeof(double));
		if (!nest->context[p].queue.chance)
			return -ENOMEM;
	}
	return 0;
}

/* ---- stations ------------------------------------------------------------------- */

static size_t station_index(const struct nest *nest, size_t context, bool pool, size_t of)
{
	const struct nest_context *c = &nest->context[context];
	size_t i;

	if (context == NEST_TOP)
		return nest->station_of[of + (pool ? nest->lqn->processors : 0)];
	for (i = 0; i < c->stations; i++)
		if (c->station[i].pool == pool && c->station[i].of == of)
			return i;
	return TL_LQN_NONE;
}

struct nest_station *nest_station_find(const struct nest *nest, size_t context, bool pool,
				       size_t of)
{
	size_t i = station_index(nest, context, pool, of);

	return i == TL_LQN_NONE ? NULL : &nest->context[context].station[i];
}

/* Return: NULL without memory. */
static struct nest_station *station_get(struct nest *nest, size_t context, bool pool, size_t of)
{
	struct nest_context *c = &nest->context[context];
	struct nest_station *more = nest_station_find(nest, context, pool, of);
	size_t i;

	if (more)
		return more;
	if (c->stations == c->room) {
		c->room = c->room ? 2 * c->room : 8;
		more = reallocarray(c->station, c->room, sizeof(*more));
		if (!more)
			return NULL;
		c->station = more;
	}
	c->station[c->stations] = (struct nest_station){
		.pool = pool, .of = of,
		.of_chain = calloc(nest->chains + 1, sizeof(struct nest_chain)) };
	if (!c->station[c->stations].of_chain)
		return NULL;
	for (i = 0; i <= nest->chains; i++)
		c->station[c->stations].of_chain[i].factor = 1;
	if (context == NEST_TOP)
		nest->station_of[of + (pool ? nest->lqn->processors : 0)] = c->stations;
	return &c->station[c->stations++];
}

/**
 * nest_chain_of() - Which kind of customers a task is
 * @nest: network
 * @task: index of a reference task
 *
 * Return: index.
 */
size_t nest_chain_of(const struct nest *nest, size_t task)
{
	size_t t, chain = 0;

	for (t = 0; nest->chains > 1 && t < task; t++)
		chain += nest->lqn->task[t].reference;
	return chain;
}

/* ---- uses ----------------------------------------------------------------------- */

size_t nest_use_find(const struct nest *nest, size_t entry, size_t context,
		     enum nest_kind kind, size_t chain)
{
	size_t u;

	for (u = nest->use_of[entry]; u != TL_LQN_NONE; u = nest->use[u].next)
		if (nest->use[u].context == context && nest->use[u].kind == kind &&
		    nest->use[u].chain == chain)
			break;
	return u;
}

static int use_add(struct nest *nest, size_t entry, size_t context, enum nest_kind kind,
		   size_t chain, double rate_per_s)
{
	size_t u = nest_use_find(nest, entry, context, kind, chain);
	struct nest_use *more;

	if (u != TL_LQN_NONE) {
		nest->use[u].rate_per_s += rate_per_s;
		return 0;
	}
	if (nest->uses == nest->use_room) {
		nest->use_room = nest->use_room ? 2 * nest->use_room : 64;
		more = reallocarray(nest->use, nest->use_room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		nest->use = more;
	}
	nest->use[nest->uses] = (struct nest_use){ .entry = entry, .context = context,
						   .kind = kind, .chain = chain,
						   .rate_per_s = rate_per_s,
						   .next = nest->use_of[entry] };
	nest->use_of[entry] = nest->uses++;
	return 0;
}

/**
 * nest_threads_of() - The context of the threads that a use waits for
 * @nest: network
 * @use: executions of an entry
 *
 * A call that comes back to threads which it holds is taken as if they were no limit.
 *
 * Return: context, NEST_TOP if they are no limit.
 */
size_t nest_threads_of(const struct nest *nest, const struct nest_use *use)
{
	size_t context = nest->context_of[nest->lqn->entry[use->entry].task];

	return context > use->context ? context : NEST_TOP;
}

/**
 * nest_inside() - Where a phase of a use is executed
 * @nest: network
 * @use: execution of an entry
 * @phase: 0 or 1
 * @kind: set to whether anybody waits
 *
 * Return: context.
 */
size_t nest_inside(const struct nest *nest, const struct nest_use *use, size_t phase,
		   enum nest_kind *kind)
{
	size_t task = nest->lqn->entry[use->entry].task;

	*kind = use->kind;
	if (nest_threads_of(nest, use) != NEST_TOP)
		return nest_threads_of(nest, use);
	if (!phase || nest->lqn->task[task].reference)
		return use->context;
	*kind = use->kind == NEST_OPEN ? NEST_OPEN : NEST_ASYNC;
	return NEST_TOP;
}

static int call_flow(struct nest *nest, const struct tl_lqn_call *call, size_t context,
		     enum nest_kind kind, size_t chain, double rate_per_s)
{
	if (call->kind == TL_LQN_ASYNC) {
		context = NEST_TOP;
		kind = kind == NEST_OPEN ? NEST_OPEN : NEST_ASYNC;
	}
	return use_add(nest, call->to, context, kind, kind == NEST_SYNC ? chain : nest->chains,
		       rate_per_s * call->mean);
}

/* Work for the processor, without whom it calls. */
static int demand_flow(struct nest *nest, size_t context, enum nest_kind kind, size_t entry,
		       size_t p, double rate_per_s)
{
	const struct tl_lqn_phase *phase = &nest->lqn->entry[entry].phase[p];
	size_t processor = nest->lqn->task[nest->lqn->entry[entry].task].processor;
	double work = rate_per_s * tl_lqn_demand_s(nest->lqn, entry, p);
	bool delays = context != NEST_TOP || kind == NEST_SYNC;
	struct nest_station *station;

	if (delays)
		nest->context[context].delay += rate_per_s * phase->think_s;
	if (!(work > 0))
		return 0;
	if (nest->lqn->processor[processor].servers == TL_LQN_UNLIMITED) {
		if (delays)
			nest->context[context].delay += work;
		return 0;
	}
	station = station_get(nest, context, false, processor);
	if (!station)
		return -ENOMEM;
	station->demand[kind] += work;
	station->visits_per_s[kind] += rate_per_s * (1 + phase->calls_mean);
	return 0;
}

static int phase_flow(struct nest *nest, size_t u, size_t p)
{
	const struct nest_use use = nest->use[u]; /* uses may move */
	const struct tl_lqn_phase *phase = &nest->lqn->entry[use.entry].phase[p];
	enum nest_kind kind;
	size_t context = nest_inside(nest, &use, p, &kind), k;
	int code = demand_flow(nest, context, kind, use.entry, p, use.rate_per_s);

	for (k = phase->first_call; !code && k < phase->first_call + phase->calls; k++)
		code = call_flow(nest, &nest->lqn->call[k], context, kind, use.chain,
				 use.rate_per_s);
	return code;
}

static int pool_flow(struct nest *nest, const struct nest_use *use)
{
	size_t task = nest->lqn->entry[use->entry].task;
	double held_s = use->rate_per_s * (use->service_s[0] + use->service_s[1]);
	struct nest_station *station;

	if (nest_threads_of(nest, use) == NEST_TOP)
		return 0;
	station = station_get(nest, use->context, true, task);
	if (!station)
		return -ENOMEM;
	station->visits_per_s[use->kind] += use->rate_per_s;
	station->held_s[use->kind] += held_s;
	if (use->context == NEST_TOP && use->kind == NEST_ASYNC)
		station->after_s += held_s;
	else if (use->context != NEST_TOP || use->kind == NEST_SYNC)
		station->after_s += use->rate_per_s * use->service_s[1];
	return 0;
}

static int use_flow(struct nest *nest, size_t u)
{
	const struct tl_lqn_entry *entry = &nest->lqn->entry[nest->use[u].entry];
	int code = pool_flow(nest, &nest->use[u]);
	size_t p, k;

	for (p = 0; !code && p < TL_LQN_PHASES; p++)
		code = phase_flow(nest, u, p);
	for (k = entry->first_forward; !code && k < entry->first_forward + entry->forwards; k++)
		code = call_flow(nest, &nest->lqn->call[k], nest->use[u].context,
				 nest->use[u].kind, nest->use[u].chain,
				 nest->use[u].rate_per_s);
	return code;
}

static void flow_clear(struct nest *nest)
{
	size_t i, s, k;

	for (i = 0; i < nest->uses; i++)
		nest->use[i].rate_per_s = 0;
	for (i = 0; i < nest->contexts; i++) {
		nest->context[i].delay = 0;
		for (s = 0; s < nest->context[i].stations; s++) {
			struct nest_station *station = &nest->context[i].station[s];

			for (k = 0; k < NEST_KINDS; k++)
				station->visits_per_s[k] = station->demand[k] =
					station->held_s[k] = 0;
			station->after_s = 0;
		}
	}
}

static int sources_flow(struct nest *nest)
{
	const struct tl_lqn *lqn = nest->lqn;
	size_t i;
	int code = 0;

	for (i = 0; !code && i < lqn->tasks; i++)
		if (lqn->task[i].reference) {
			code = use_add(nest, lqn->task[i].first_entry, NEST_TOP, NEST_SYNC,
				       nest_chain_of(nest, i), nest->cycles_per_s[i]);
			nest->context[NEST_TOP].delay +=
				nest->cycles_per_s[i] * lqn->task[i].think_s;
		}
	for (i = 0; !code && i < lqn->entries; i++)
		if (lqn->entry[i].arrivals_per_s > 0)
			code = use_add(nest, i, NEST_TOP, NEST_OPEN, nest->chains,
				       lqn->entry[i].arrivals_per_s);
	return code;
}

/* Of the threads' time, what each context and kind asks for. @all: [tasks] zeroes */
static void shares_fill(struct nest *nest, double *all)
{
	size_t c, s, k;

	for (c = 0; c < nest->contexts; c++)
		for (s = 0; s < nest->context[c].stations; s++)
			for (k = 0; k < NEST_KINDS && nest->context[c].station[s].pool; k++)
				all[nest->context[c].station[s].of] +=
					nest->context[c].station[s].held_s[k];
	for (c = 0; c < nest->contexts; c++)
		for (s = 0; s < nest->context[c].stations; s++) {
			struct nest_station *station = &nest->context[c].station[s];

			for (k = 0; k < NEST_KINDS && station->pool; k++)
				station->demand[k] = all[station->of] > 0 ?
					station->held_s[k] / all[station->of] : 0;
		}
}

/**
 * nest_flow() - How often everything is done, from the customers' cycles and arrivals
 * @nest: network; cycles and the uses' service times are given
 *
 * Return: 0 or -ENOMEM.
 */
int nest_flow(struct nest *nest)
{
	double *all = calloc(nest->lqn->tasks + 1, sizeof(*all));
	size_t i, u;
	int code = all ? 0 : -ENOMEM;

	flow_clear(nest);
	if (!code)
		code = sources_flow(nest);
	for (i = 0; i < nest->lqn->entries; i++)
		for (u = nest->use_of[nest->lqn->order[i]]; !code && u != TL_LQN_NONE;
		     u = nest->use[u].next)
			code = use_flow(nest, u);
	if (!code)
		shares_fill(nest, all);
	free(all);
	return code;
}

/**
 * nest_asked() - What is asked for in a context
 * @context: index
 * @of_kinds: [NEST_KINDS] of a station
 * @part: closed or open; in threads there is no such difference, all is closed
 *
 * Return: the sum.
 */
double nest_asked(size_t context, const double *of_kinds, size_t part)
{
	if (context != NEST_TOP)
		return of_kinds[NEST_SYNC] + of_kinds[NEST_ASYNC] + of_kinds[NEST_OPEN];
	return part == NEST_CLOSED ? of_kinds[NEST_SYNC] + of_kinds[NEST_ASYNC] :
				     of_kinds[NEST_OPEN];
}

/* ---- beginning and end ---------------------------------------------------------- */

static void none_fill(size_t *index, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		index[i] = TL_LQN_NONE;
}

/**
 * nest_new() - Take a layered network apart
 * @nest: filled in
 * @lqn: layered network
 * @idle: [tasks] of which threads are always idle, that is no limit; NULL if not known
 *
 * Return: 0 or -ENOMEM; nest_free() frees it in any case.
 */
int nest_new(struct nest *nest, const struct tl_lqn *lqn, const bool *idle)
{
	size_t t;

	*nest = (struct nest){ .lqn = lqn };
	nest->use_of = calloc(lqn->entries + 1, sizeof(*nest->use_of));
	nest->context_of = calloc(lqn->tasks + 1, sizeof(*nest->context_of));
	nest->station_of = calloc(lqn->processors + lqn->tasks + 1, sizeof(*nest->station_of));
	nest->cycles_per_s = calloc(lqn->tasks + 1, sizeof(*nest->cycles_per_s));
	nest->general = calloc(lqn->processors + 1, sizeof(*nest->general));
	if (!nest->general || !nest->use_of || !nest->context_of || !nest->station_of || !nest->cycles_per_s)
		return -ENOMEM;
	none_fill(nest->use_of, lqn->entries);
	none_fill(nest->station_of, lqn->processors + lqn->tasks);
	for (t = 0; t < lqn->tasks; t++)
		if (lqn->task[t].reference) {
			nest->customers += lqn->task[t].threads;
			nest->chains++;
		}
	nest->chains = nest->chains < CHAINS_MAX ? nest->chains : 1;
	return contexts_new(nest, idle) ? -ENOMEM : generals_new(nest);
}

/**
 * nest_free() - Free it
 * @nest: network
 */
void nest_free(struct nest *nest)
{
	size_t c, s;

	for (c = 0; c < nest->contexts; c++) {
		struct nest_context *context = &nest->context[c];

		for (s = 0; s < context->stations; s++) {
			free(context->station[s].speed);
			free(context->station[s].beside);
			free(context->station[s].of_chain);
		}
		free(context->station);
		free(context->works);
		free(context->speed);
		free(context->chance);
		free(context->queue.speed);
		free(context->queue.chance);
		tl_convolution_free(&context->net);
	}
	free(nest->context);
	free(nest->use);
	free(nest->use_of);
	free(nest->context_of);
	free(nest->station_of);
	free(nest->cycles_per_s);
	for (s = 0; nest->general && s < nest->lqn->processors; s++) {
		free(nest->general[s].speed);
		free(nest->general[s].chance);
	}
	free(nest->general);
}
