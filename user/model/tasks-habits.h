/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_TASKS_HABITS_H
#define TL_MODEL_TASKS_HABITS_H

#include "ids.h"
#include "tasks.h"

#define TL_TASK_USUAL 6 /* what comes after a point, the most usual first */

/**
 * struct tl_task_habit - What comes after a point
 * @weight: how often
 * @seen: how often nothing was lost between, of which that is told
 * @ns: Σ of how much later, by weight
 */
struct tl_task_habit {
	uint32_t point;
	double weight, ns;
	uint64_t seen;
};

/**
 * struct tl_task_habits - What threads do after what they did
 * @point: [events] operation, object and stack, by number
 * @before: [events] the thread's event before, or TL_TASK_NONE
 * @example: [@points] an event of each
 * @lost: part of all events
 */
struct tl_task_habits {
	const struct tl_task_trace *trace;
	uint32_t *point, *before, *example;
	size_t points;
	double lost;
	struct tl_ids contexts, pairs; /* (point before, point); (context, point after) */
	double *total, *weight; /* [contexts.n], [pairs.n] */
	size_t total_room, weight_room;
	struct tl_task_habit *usual; /* [points][TL_TASK_USUAL] */
};

int tl_task_habits_find(const struct tl_task_trace *trace, struct tl_task_habits *habits);
uint64_t tl_task_missing(const struct tl_task_trace *trace, uint32_t from, uint32_t to);
double tl_task_likely(const struct tl_task_habits *habits, uint32_t before, uint32_t point,
		      uint32_t after);
void tl_task_habits_free(struct tl_task_habits *habits);

#endif
