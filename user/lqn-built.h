/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LQN_BUILT_H
#define TL_LQN_BUILT_H

#include "lqn-faults.h"
#include "model/lqn.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * A layered queueing network of which each number says where it comes from. Nothing is
 * checked here: what is written is read again, and that tells whether it is sound.
 */

/* A number, and its origin for people; owned, NULL for what has the value of none. */
struct tl_built_number {
	double value;
	char *origin;
};

/**
 * struct tl_built_call - A call that is made in phase 1
 * @to: index of the called entry
 * @async: the caller does not wait
 * @mean: in an execution of the entry
 */
struct tl_built_call {
	size_t to;
	bool async;
	struct tl_built_number mean;
};

/**
 * struct tl_built_entry - What a task does for one kind of request
 * @name: its own
 * @task: index
 * @demand_s: on the task's processor
 * @half95_s: half of the 95 % interval of the demand; below 0 unknown
 * @pause_s: thread held, nobody else used
 * @arrivals_per_s: from nowhere
 * @call: [calls]
 */
struct tl_built_entry {
	char *name;
	size_t task;
	struct tl_built_number demand_s, pause_s, arrivals_per_s;
	double half95_s;
	struct tl_built_call *call;
	size_t calls;
};

/**
 * struct tl_built_task - A tier, customers, or what helps to say something
 * @name: its own
 * @processor: index
 * @reference: customers
 * @threads: or customers; TL_LQN_UNLIMITED without a limit
 * @think_s: of customers
 */
struct tl_built_task {
	char *name;
	size_t processor;
	bool reference;
	struct tl_built_number threads, think_s;
};

/**
 * struct tl_built_processor - Servers that share time
 * @name: its own
 * @servers: TL_LQN_UNLIMITED where nobody waits for another
 * @speed: seconds of demand that one does in a second
 */
struct tl_built_processor {
	char *name;
	struct tl_built_number servers, speed;
};

/**
 * struct tl_built - A network, and where its numbers come from; all zero at first
 * @title: what it is of, for people
 * @verdict: "ok", or how far it is to be believed
 * @measured_per_s: least and most requests per second that it was measured with
 * @notes: what should be known of it
 * @no_memory: something is missing
 */
struct tl_built {
	char *title, *verdict;
	double measured_per_s[2];
	struct tl_built_processor *processor;
	struct tl_built_task *task;
	struct tl_built_entry *entry;
	size_t processors, tasks, entries;
	struct tl_faults notes;
	bool no_memory;
};

#define TL_BUILT_PRINTF(n) __attribute__((format(printf, n, n + 1)))

void tl_built_number(struct tl_built *built, struct tl_built_number *number, double value,
		     const char *fmt, ...) TL_BUILT_PRINTF(4);
void tl_built_origin(struct tl_built *built, struct tl_built_number *number, const char *fmt,
		     ...) TL_BUILT_PRINTF(3);
size_t tl_built_processor(struct tl_built *built, const char *name);
size_t tl_built_task(struct tl_built *built, size_t processor, const char *fmt, ...)
	TL_BUILT_PRINTF(3);
size_t tl_built_entry(struct tl_built *built, size_t task, const char *fmt, ...)
	TL_BUILT_PRINTF(3);
struct tl_built_call *tl_built_call(struct tl_built *built, size_t from, size_t to);
void tl_built_free(struct tl_built *built);

/* lqn-built-out.c */
void tl_built_print(const struct tl_built *built, FILE *to);
json_t *tl_built_json(const struct tl_built *built);

#endif
