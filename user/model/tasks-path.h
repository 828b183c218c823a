/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_TASKS_PATH_H
#define TL_MODEL_TASKS_PATH_H

#include "tasks-waits.h"

/**
 * struct tl_task_path - What the jobs of a type spend their time with
 * @jobs: of the type
 * @time_ns: Σ of their critical paths, from the first event to the last
 * @handoff_ns: of it, between what was handed on and who began with it
 * @slowest: class of leaf that has most of it, TL_TASK_NONE if none has any
 * @slowest_ns: and how much; with what others waited for on these paths while it held it
 * @held_ns: of it, these others' sleeps
 */
struct tl_task_path {
	uint64_t jobs;
	int64_t time_ns, handoff_ns, slowest_ns, held_ns;
	uint32_t slowest;
};

int tl_tasks_paths(const struct tl_tasks *tasks, const struct tl_task_waits *waits,
		   struct tl_task_path *path);

#endif
