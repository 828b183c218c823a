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
 * @sent_bytes: Σ over leaves that end with sending, @sent_count of which it is known
 * @received_bytes: and over those that end with receiving
 * @read_bytes: Σ of what was read from storage, of @storage_count leaves of which it is known
 * @written_bytes: and written
 */
struct tl_task_figures {
	uint64_t count, cpu_count, wait_count, handoff_count, sent_count, received_count, storage_count;
	int64_t time_ns, cpu_ns, wait_ns, handoff_ns, sent_bytes, received_bytes, read_bytes, written_bytes;
};

int64_t tl_task_ns_sum(int64_t a, int64_t b);

void tl_task_figures_add(const struct tl_tasks *tasks, const struct tl_task_leaf *leaf,
			 struct tl_task_figures *figures);
void tl_task_figures_sum(struct tl_task_figures *to, const struct tl_task_figures *from);
void tl_tasks_figures(const struct tl_tasks *tasks, struct tl_task_figures *figures);
double tl_task_concurrency(const struct tl_tasks *tasks, const struct tl_task_figures *figures);

#endif
