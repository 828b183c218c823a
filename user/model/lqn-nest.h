/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The analytic solver's parts, of which lqn-solve.c makes one. */
#ifndef TL_MODEL_LQN_NEST_H
#define TL_MODEL_LQN_NEST_H

#include "convolution.h"
#include "lqn.h"

#define NEST_TOP 0
#define NEST_CLOSED 0 /* of what is kept for closed and open work apart */
#define NEST_PARTS 2

/* Somebody of the customers waits for it; it was asked for by one of them; by arrivals. */
enum nest_kind { NEST_SYNC, NEST_ASYNC, NEST_OPEN, NEST_KINDS };

/**
 * struct nest_use - Executions of an entry by requests that hold the same threads
 * @entry: index
 * @context: who asks, and what is held while it waits
 * @kind: whether anybody waits for it
 * @chain: whose, of the kinds of customers; nobody's if nobody waits
 * @next: use of the same entry, or TL_LQN_NONE
 * @rate_per_s: how many
 * @waiting_s: in the task's queue
 * @service_s: length of the phases
 * @reply_s: from the request to the reply, whoever gives it
 */
struct nest_use {
	size_t entry, context;
	enum nest_kind kind;
	size_t chain, next;
	double rate_per_s, waiting_s, service_s[TL_LQN_PHASES], reply_s;
};

/**
 * struct nest_chain - What a kind of customers does at a station
 * @work: seconds of demand per second
 * @visits: what waiting is shared out by: seconds where servers are, else visits
 * @number: mean number there
 * @factor: by how much it waits longer than the mean of all
 */
struct nest_chain {
	double work, visits, number, factor;
};

/**
 * struct nest_station - Where works of a context queue: a processor, or a task's threads
 * @pool: whether it is a task
 * @of: index of the processor or task
 * @visits_per_s: requests to it
 * @demand: work per second that is asked of it: of processors seconds, of tasks the part
 *          of their executions
 * @held_s: seconds per second that threads are held, @after_s of them with nobody waiting
 * @others: work per second that other contexts ask of it, closed works and arrivals
 * @open: arrivals, as far as they can be borne
 * @sources: how many closed works of others there may be
 * @counted: whether these are counted, or taken for arrivals
 * @strength: work per second that these would ask for if none of them was there
 * @others_there: mean number of them there
 * @speed: [speeds] what the network is solved with
 * @beside: [speeds + 1] mean number of others' works and arrivals beside 0, 1, ... works, if
 *          others' closed works are among them
 * @number: mean number of works there, closed and open
 * @waiting: those of them that queue for a thread or a server
 * @of_chain: [chains + 1] what each kind of customers does there, last what is nobody's
 */
struct nest_station {
	bool pool;
	size_t of;
	double visits_per_s[NEST_KINDS], demand[NEST_KINDS];
	double held_s[NEST_KINDS], after_s;
	double others[NEST_PARTS], open, sources, strength, others_there;
	bool counted;
	double *speed, *beside;
	size_t speeds;
	double number[NEST_PARTS], waiting[NEST_PARTS];
	struct nest_chain *of_chain;
};

#define NEST_EFFORT_MAX 20000000 /* chances of numbers, some tenths of a second */
#define NEST_LEVELS 256 /* works at a processor that are told apart */

/**
 * struct nest_general - A processor that serves one by one
 * @speed: [n] with 1, 2, ... works, if it is not exponential
 * @n: how many; 0 if it is
 * @gate: context of threads that do nothing but one visit each, and nobody else makes
 *        any: who waits for such a thread waits for the processor; NEST_TOP if none
 * @chance: [NEST_LEVELS + 2] of so many works, those that wait for such threads included
 */
struct nest_general {
	double *speed;
	size_t n, gate;
	double *chance;
};

/**
 * struct nest_context - The works that hold the same threads, and where they queue
 * @task: whose threads; none for the top, where nobody holds any
 * @gate: processor whose @gate this is, or TL_LQN_NONE
 * @limit: how many works there are at most
 * @delay: seconds per second of pauses and of processors without a limit
 * @station: [stations]
 * @room: how many there may be
 * @net: solved for as many works as may be
 * @works: [limit + 1] how many works the network is to be solved with, that so many hold
 *         a thread; more than those, if some go on alone; at the top one number
 * @speed: [limit] throughput with 1, 2, ..., as a multiple of the rates
 * @chance: [limit + 1] of so many works
 * @throughput: the mean, as a multiple of the rates
 * @queue: how its speed changes by how many wait, if requests differ: by this factor with
 *         all threads in use, with one more, ...
 */
struct nest_context {
	size_t task, gate, limit;
	double delay;
	struct nest_station *station;
	size_t stations, room;
	struct tl_convolution net;
	double *works, *speed, *chance, throughput;
	struct nest_general queue;
};

/**
 * struct nest - A layered network as networks within networks
 * @lqn: it
 * @use: [uses] callers before those that they call
 * @use_of: [entries] the first use of each
 * @context: [contexts] the top, then those with a limit, callers before the called
 * @context_of: [tasks] the one of its threads; NEST_TOP if they are no limit
 * @station_of: [processors + tasks] station at the top
 * @general: [processors]
 * @chains: how many kinds of customers are told apart
 * @customers: how many
 * @cycles_per_s: [tasks] of customers
 * @effort: chances of numbers of others' works that were looked at
 */
struct nest {
	const struct tl_lqn *lqn;
	struct nest_use *use;
	size_t uses, use_room;
	size_t *use_of;
	struct nest_context *context;
	size_t contexts;
	size_t *context_of, *station_of;
	struct nest_general *general;
	size_t chains;
	double customers;
	double *cycles_per_s;
	uint64_t effort;
};

int nest_new(struct nest *nest, const struct tl_lqn *lqn, const bool *idle);
void nest_free(struct nest *nest);
int nest_flow(struct nest *nest);
size_t nest_threads_of(const struct nest *nest, const struct nest_use *use);
size_t nest_use_find(const struct nest *nest, size_t entry, size_t context,
		     enum nest_kind kind, size_t chain);
size_t nest_chain_of(const struct nest *nest, size_t task);
size_t nest_inside(const struct nest *nest, const struct nest_use *use, size_t phase,
		   enum nest_kind *kind);
struct nest_station *nest_station_find(const struct nest *nest, size_t context, bool pool,
				       size_t of);

double nest_asked(size_t context, const double *of_kinds, size_t part);

/* lqn-nest-speed.c */
double nest_own_speed(const struct nest *nest, const struct nest_station *station, double works);
double nest_processor_speed(const struct nest *nest, size_t processor, double works);
double nest_arrivals(size_t context, const struct nest_station *station);
double nest_others_ratio(const struct nest *nest, const struct nest_station *station, double n,
			 double k);
int nest_speeds_fill(const struct nest *nest, size_t context, struct nest_station *station,
		     size_t works);

/* lqn-nest-solve.c */
int nest_solve(struct nest *nest, size_t *culprit);
int nest_spread(struct nest *nest);

/* lqn-nest-general.c */
int nest_general(struct nest *nest, double damping, bool *first);

/* lqn-nest-chain.c */
void nest_chains_clear(struct nest *nest);
void nest_chains_share(struct nest *nest, double damping, double *change);
int nest_chains_exact(struct nest *nest, bool *exact);

/* lqn-nest-times.c */
void nest_times_idle(struct nest *nest);
void nest_times(struct nest *nest);

#endif
