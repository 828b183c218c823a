/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_TASKS_FIGURES_H
#define TL_MODEL_TASKS_FIGURES_H

#include "tasks.h"

/**
 * struct tl_task_figures - What leaves took
 * @count: leaves
 * @time_ns: Σ from first to last event
 * @cpu_ns: Σ of processor time, of @cpu_count leaves of which it is known
 * @wait_ns: Σ of sleep before the last event, of @wait_count leaves of which it is known
 * @handoff_ns: Σ of the time from what was handed on to their first event, of
 *              @handoff_count leaves that begin with it
 */
struct tl_task_figures {
	uint64_t count, cpu_count, wait_count, handoff_count;
	int64_t time_ns, cpu_ns, wait_ns, handoff_ns;
};

void tl_task_figures_add(const struct tl_tasks *tasks, const struct tl_task_leaf *leaf,
			 struct tl_task_figures *figures);
void tl_task_figures_sum(struct tl_task_figures *to, const struct tl_task_figures *from);
void tl_tasks_figures(const struct tl_tasks *tasks, struct tl_task_figures *figures);
double tl_task_concurrency(const struct tl_tasks *tasks, const struct tl_task_figures *figures);

#endif
