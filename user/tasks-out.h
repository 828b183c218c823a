/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TASKS_OUT_H
#define TL_TASKS_OUT_H

#include "model/tasks-mine.h"

#include <stdio.h>

struct tl_tasks_trace;

/**
 * struct tl_tasks_found - What is known of a process's tasks
 * @figures: [classes]
 * @mining: what a higher task is
 */
struct tl_tasks_found {
	const struct tl_tasks_trace *trace;
	const struct tl_tasks *tasks;
	const struct tl_task_figures *figures;
	const struct tl_task_mining *mining;
	const struct tl_task_mined *mined;
};

char *tl_tasks_label(const struct tl_tasks_found *found, uint32_t entry, uint32_t exit);
int tl_tasks_json(const struct tl_tasks_found *found, FILE *to);
void tl_tasks_print(const struct tl_tasks_found *found, FILE *to);

#endif
