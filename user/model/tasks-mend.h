/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_TASKS_MEND_H
#define TL_MODEL_TASKS_MEND_H

#include "tasks.h"

/**
 * struct tl_task_mended - A trace with what its threads must have done, but was lost
 * @trace: all of it; those that were put in have numbers that were missing
 * @seen: [trace.n] the event's index in what was seen; TL_TASK_NONE if it was put in
 * @added: how many were
 * @cut: so many are missing that it would have taken too long to look at all of them, or that
 *       nothing can be known of them
 */
struct tl_task_mended {
	struct tl_task_trace trace;
	uint32_t *seen;
	size_t added;
	bool cut;
};

int tl_tasks_mend(const struct tl_task_trace *trace, struct tl_task_mended *mended);
void tl_tasks_mended_free(struct tl_task_mended *mended);

#endif
