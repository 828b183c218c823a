/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TASKS_TRACE_H
#define TL_TASKS_TRACE_H

#include "lqn-faults.h"
#include "model/ids.h"
#include "model/tasks.h"

#define TL_TASKS_EVENTS_MAX 20000000 /* beyond, memory for all of it would not be there */

struct tl_error;

/**
 * struct tl_tasks_trace - Sync points of a process, from a file
 * @trace: what is inferred from
 * @threads: names by index, as of @objects, @ends and @stacks
 * @notes: what was strange
 * @cpu: whether processor time is known, as of @wait
 */
struct tl_tasks_trace {
	struct tl_task_trace trace;
	struct tl_ids threads, objects, ends, stacks;
	struct tl_faults notes;
	bool cpu, wait;
};

extern const char *const tl_tasks_ops[TL_TASK_OPS];

int tl_tasks_trace_read(struct tl_tasks_trace *trace, const char *file, struct tl_error *err);
void tl_tasks_trace_free(struct tl_tasks_trace *trace);

#endif
