/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_TASKS_H
#define TL_MODEL_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TL_TASK_NONE UINT32_MAX
#define TL_TASK_UNKNOWN (-1) /* of times and bytes */

enum tl_task_op {
	TL_TASK_LOCK, TL_TASK_UNLOCK, TL_TASK_SIGNAL, TL_TASK_WAIT, TL_TASK_ENQ, TL_TASK_DEQ,
	TL_TASK_SEND, TL_TASK_RECV, TL_TASK_START, TL_TASK_EXIT, TL_TASK_OPS
};

/**
 * struct tl_task_event - What a thread did at a sync point
 * @seq: number of the event among all; what is missing was lost
 * @time_ns: when it was done
 * @given_ns: when that was given which it gives, if before @time_ns, or TL_TASK_UNKNOWN
 * @cpu_ns: what the thread had used of processors until then, or TL_TASK_UNKNOWN
 * @wait_ns: for how long it slept before it was done, or TL_TASK_UNKNOWN
 * @bytes: sent or received, or TL_TASK_UNKNOWN
 * @position: of the first of them in the stream, or TL_TASK_UNKNOWN
 * @read_bytes: what the thread had read from storage until then, or TL_TASK_UNKNOWN
 * @written_bytes: and written
 * @thread: index, as @object, @end (of a connection; or TL_TASK_NONE) and @stack
 */
struct tl_task_event {
	uint64_t seq;
	int64_t time_ns, given_ns, cpu_ns, wait_ns, bytes, position, read_bytes, written_bytes;
	uint32_t thread, object, end, stack;
	enum tl_task_op op;
};

/* When what it gives was given: a send that slept for want of room has told the other end before. */
static inline int64_t tl_task_given_ns(const struct tl_task_event *event)
{
	return event->given_ns >= 0 && event->given_ns < event->time_ns ? event->given_ns : event->time_ns;
}

/**
 * struct tl_task_trace - What was seen of a process
 * @event: [@n] by @seq, which is different for each
 * @threads: how many, as @objects and @stacks
 * @client: the end of connections that asks, or TL_TASK_NONE if it is not known
 * @server: and the one that answers
 */
struct tl_task_trace {
	struct tl_task_event *event;
	size_t n, threads, objects, stacks;
	uint32_t client, server;
};

/**
 * struct tl_task_leaf - What a thread did between two successive sync points
 * @first: index of the event that it begins with
 * @last: and of the one that it ends with
 * @class: index; those whose boundaries have the same operations and stacks have the same
 * @next: the leaf after it in its thread, or TL_TASK_NONE
 * @job: index of the job that it is part of, or TL_TASK_NONE
 */
struct tl_task_leaf {
	uint32_t first, last, class, next, job;
};

/* Two leaves are in the same class if and only if these are the same. */
struct tl_task_class {
	enum tl_task_op first_op, last_op;
	uint32_t first_stack, last_stack;
};

/**
 * struct tl_task_handoff - What one thread's sync point told another's
 * @from: event, which a leaf ends with
 * @to: event, which a leaf begins with
 */
struct tl_task_handoff {
	uint32_t from, to;
};

/* How an object is used, told from its use. */
enum tl_task_use {
	TL_TASK_USE_NONE, TL_TASK_USE_MUTEX, TL_TASK_USE_CONDITION, TL_TASK_USE_GUARDED, TL_TASK_USE_BROADCAST,
	TL_TASK_USE_COUNTER, TL_TASK_USE_EVENTS, TL_TASK_USE_QUEUE, TL_TASK_USE_STREAM, TL_TASK_USES
};

/**
 * struct tl_task_object - An object of synchronisation
 * @use: how it is used
 * @given: signals, what was put in, sent
 * @taken: waits, what was taken out, received
 * @matched: of @taken, those of which it is known by whom they were given
 * @corrections: places at which events had been lost and the counts were set right
 */
struct tl_task_object {
	enum tl_task_use use;
	uint64_t given, taken, matched, corrections;
};

/**
 * struct tl_task_job - Leaves that one piece of work caused
 * @type: index
 * @leaves: how many
 */
struct tl_task_job {
	uint32_t type;
	uint32_t leaves;
};

/**
 * struct tl_tasks - A process's leaf tasks, and how they hang together
 * @begins: [events] the leaf that begins with an event, or TL_TASK_NONE
 * @ends: [events] the leaf that ends with it, or TL_TASK_NONE
 * @giver: [events] index of the first hand-off to it, or TL_TASK_NONE
 * @guarded: [events] whether the thread held a mutex before it
 * @taking: [events] whether it locks a mutex to take what is put with that held
 * @handoff: [@handoffs] by @to
 * @alone: leaves of jobs that nothing is handed on in: part of no job
 * @lost: events
 * @mended: of them, those of which it is known what they were (tasks-mend.c)
 * @mend_cut: not all of them were looked at, as there are too many
 */
struct tl_tasks {
	const struct tl_task_trace *trace;
	struct tl_task_leaf *leaf;
	struct tl_task_class *class;
	struct tl_task_handoff *handoff;
	struct tl_task_object *object;
	struct tl_task_job *job;
	uint32_t *begins, *ends, *giver;
	bool *guarded, *taking;
	size_t leaves, classes, handoffs, handoff_room, jobs, types;
	uint64_t lost, mended, alone;
	bool mend_cut;
};

int tl_tasks_infer(const struct tl_task_trace *trace, struct tl_tasks *tasks);
void tl_tasks_by_object(const struct tl_task_trace *trace, uint32_t *sorted, size_t *begin);
void tl_tasks_by_job(const struct tl_tasks *tasks, uint32_t *sorted, size_t *begin);
void tl_tasks_free(struct tl_tasks *tasks);

/* Its parts, in this order. */
int tl_tasks_leaves(struct tl_tasks *tasks);
int tl_tasks_match(struct tl_tasks *tasks);
int tl_tasks_jobs(struct tl_tasks *tasks);

#endif
