/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TASKS_OUT_H
#define TL_TASKS_OUT_H

#include "model/tasks-mine.h"
#include "model/tasks-path.h"

#include <jansson.h>
#include <stdio.h>

struct tl_tasks_trace;

/**
 * struct tl_tasks_found - What is known of a process's tasks
 * @figures: [classes]
 * @mining: what a higher task is
 * @waits: where threads wait for each other
 * @path: [types]
 */
struct tl_tasks_found {
	const struct tl_tasks_trace *trace;
	const struct tl_tasks *tasks;
	const struct tl_task_figures *figures;
	const struct tl_task_mining *mining;
	const struct tl_task_mined *mined;
	const struct tl_task_waits *waits;
	const struct tl_task_path *path;
};

extern const char *const tl_tasks_uses[TL_TASK_USES];

char *tl_tasks_label(const struct tl_tasks_found *found, uint32_t entry, uint32_t exit);
int tl_tasks_json(const struct tl_tasks_found *found, FILE *to);
void tl_tasks_contention_json(const struct tl_tasks_found *found, uint32_t index, json_t *object);
json_t *tl_tasks_steps_json(const struct tl_tasks_found *found);
json_t *tl_tasks_paths_json(const struct tl_tasks_found *found);
void tl_tasks_waits_print(const struct tl_tasks_found *found, FILE *to);
void tl_tasks_print(const struct tl_tasks_found *found, FILE *to);

#endif
