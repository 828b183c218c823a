/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_TASKS_WAITS_H
#define TL_MODEL_TASKS_WAITS_H

#include "tasks.h"

/**
 * struct tl_task_contention - What threads waited for at an object
 * @waits: how often a thread slept for it
 * @threads: how many threads did
 * @wait_ns: Σ of all sleeps
 * @waited_ns: time during which at least one slept
 * @held_ns: Σ of the sleeps during which a thread was seen to hold it, if it is locked
 * @holder: class of the leaves that were under way there for most of @held_ns; TL_TASK_NONE
 *          if none was seen
 * @holder_ns: and for how much of it
 */
struct tl_task_contention {
	uint64_t waits, threads;
	int64_t wait_ns, waited_ns;
	double held_ns, holder_ns;
	uint32_t holder;
};

/**
 * struct tl_task_step - Threads that stand still at the same times, at one place for one object
 * @class: of the leaves that they sleep in
 * @thread: their indices begin there in those of all steps
 * @together: 1: of each two, the one that stands still for less time never does alone; 0: as
 *            if they knew nothing of each other
 * @waited_ns: time during which at least two of them stood still
 * @between_jobs: most sleeps are followed by another job: they may have had nothing to do
 */
struct tl_task_step {
	uint32_t object, class;
	size_t thread, threads;
	double together;
	int64_t waited_ns;
	bool between_jobs;
};

/**
 * struct tl_task_waits - Where threads wait for each other
 * @object: [objects]
 * @step: [@steps]
 * @thread: [@threads]
 * @known: whether the trace tells of any sleep
 */
struct tl_task_waits {
	struct tl_task_contention *object;
	struct tl_task_step *step;
	uint32_t *thread;
	size_t steps, threads, step_room, thread_room;
	bool known;
};

int tl_tasks_waits(const struct tl_tasks *tasks, struct tl_task_waits *waits);
void tl_tasks_waits_free(struct tl_task_waits *waits);

#endif
