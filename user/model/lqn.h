/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_LQN_H
#define TL_MODEL_LQN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TL_LQN_UNLIMITED UINT32_MAX /* servers of a delay, threads of an infinite task */
#define TL_LQN_PHASES 2
#define TL_LQN_NONE ((size_t)-1)

enum tl_lqn_discipline { TL_LQN_FCFS, TL_LQN_PS, TL_LQN_DELAY };

/* What the caller does: wait for the reply, go on, or leave the reply to the called. */
enum tl_lqn_kind { TL_LQN_SYNC, TL_LQN_ASYNC, TL_LQN_FORWARD };

/**
 * struct tl_lqn_processor - What executes
 * @name: as the file has it
 * @discipline: TL_LQN_DELAY if and only if @servers is TL_LQN_UNLIMITED
 * @servers: how many share its queue
 * @speed: seconds of demand that one server does in a second
 * @line: of the file, 0 for a model that comes from none; here and below
 */
struct tl_lqn_processor {
	char *name;
	enum tl_lqn_discipline discipline;
	uint32_t servers;
	double speed;
	size_t line;
};

/**
 * struct tl_lqn_task - Threads or processes that serve one queue, or customers
 * @name: as the file has it
 * @reference: customers, each of whom thinks, has the entry executed, and begins anew;
 *             such a task has one entry, which nobody calls
 * @threads: how many, or how many customers; TL_LQN_UNLIMITED without a limit
 * @processor: index of the processor that executes it
 * @think_s: mean think time of customers, exponential
 * @first_entry: its entries are @entries successive ones from here
 * @entries: how many, at least one
 */
struct tl_lqn_task {
	char *name;
	bool reference;
	uint32_t threads;
	size_t processor;
	double think_s;
	size_t first_entry, entries;
	size_t line;
};

/**
 * struct tl_lqn_phase - What an entry does before its reply, or after it
 * @demand_s: mean demand in all, on a processor of speed 1
 * @cv2: squared coefficient of variation of a slice, see below
 * @think_s: mean pause when the phase begins, exponential, the thread is kept
 * @exact: each call is made exactly as often as it says, in their order; else after
 *         each slice the phase ends, or makes one of its calls, by chance
 * @first_call: its calls are @calls successive ones from here, synchronous or not
 * @calls: how many
 * @calls_mean: Σ of their means, Y
 *
 * The demand is cut into slices by the calls, 1 + Y in the mean, each of the mean
 * @demand_s / (1 + Y). By chance the number of all calls is geometric, and so is that
 * of each one.
 */
struct tl_lqn_phase {
	double demand_s, cv2, think_s;
	bool exact;
	size_t first_call, calls;
	double calls_mean;
};

/**
 * struct tl_lqn_entry - A service that a task offers
 * @name: as the file has it
 * @task: index of the task
 * @phase: before the reply and after it; of asynchronous requests simply one after
 *         the other
 * @arrivals_per_s: open arrivals, a Poisson stream of asynchronous requests; 0 for none
 * @first_forward: its forwarded calls are @forwards successive ones from here
 * @forwards: how many; their means are probabilities and add up to 1 at most
 */
struct tl_lqn_entry {
	char *name;
	size_t task;
	struct tl_lqn_phase phase[TL_LQN_PHASES];
	double arrivals_per_s;
	size_t first_forward, forwards;
	size_t line;
};

/**
 * struct tl_lqn_call - Requests from one entry to another
 * @kind: what it does to the caller
 * @to: index of the called entry, of another task
 * @mean: mean number in an execution of the phase, above 0; a probability if forwarded
 */
struct tl_lqn_call {
	enum tl_lqn_kind kind;
	size_t to;
	double mean;
	size_t line;
};

/**
 * struct tl_lqn - A layered queueing network
 * @title: what the file says about itself, or NULL
 * @processor: [processors]
 * @task: [tasks]
 * @entry: [entries]
 * @call: [calls] by entry; of an entry those of phase 1, of phase 2, and the forwarded
 * @order: [entries] indexes of entries, callers before those that they call
 * @measured_per_s: least and most cycles of customers and arrivals per second with which
 *                  its numbers were measured; 0 if it does not say
 *
 * What tl_lqn_read() gives is sound: the calls of entries go round in no circle (those of
 * tasks may, from one entry to another), indexes are within bounds, numbers are finite
 * and not negative, customers spend some time on each cycle.
 */
struct tl_lqn {
	char *title;
	struct tl_lqn_processor *processor;
	struct tl_lqn_task *task;
	struct tl_lqn_entry *entry;
	struct tl_lqn_call *call;
	size_t processors, tasks, entries, calls;
	size_t *order;
	double measured_per_s[2];
};

int tl_lqn_copy(struct tl_lqn *copy, const struct tl_lqn *lqn);
void tl_lqn_free(struct tl_lqn *lqn);
int tl_lqn_sort(struct tl_lqn *lqn, size_t *in_circle);
bool tl_lqn_phase_used(const struct tl_lqn_phase *phase);
double tl_lqn_demand_s(const struct tl_lqn *lqn, size_t entry, size_t phase);
void tl_lqn_flow(const struct tl_lqn *lqn, double *per_s);

#endif
