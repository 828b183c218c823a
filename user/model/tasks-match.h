/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_TASKS_MATCH_H
#define TL_MODEL_TASKS_MATCH_H

#include "tasks.h"

/**
 * struct tl_task_channel - What goes one way over an object
 * @step: [@n] events that give or take, by seq
 * @from: [@n] room for what each that takes was given by, or TL_TASK_NONE
 * @corrections: counted
 */
struct tl_task_channel {
	const struct tl_task_trace *trace;
	const uint32_t *step;
	uint32_t *from;
	size_t n;
	uint64_t corrections;
};

/**
 * struct tl_task_places - What was done where, by whom
 * @n: how many different (thread, object, operation, pause or not) there are
 * @place: [events] which it is
 * @gives: [events] whether something is handed on
 */
struct tl_task_places {
	size_t n;
	uint32_t *place;
	bool *gives;
};

/* Events of one object: @at [@n] by seq. */
struct tl_task_of {
	uint32_t object;
	const uint32_t *at;
	size_t n;
};

bool tl_task_gives(enum tl_task_op op);
bool tl_task_takes(enum tl_task_op op);
bool tl_task_pause(const struct tl_tasks *tasks, uint32_t event);
int tl_task_guarded(struct tl_tasks *tasks, const struct tl_task_of *mutex,
		    const struct tl_task_of *condition, bool *is);
int tl_task_condition(const uint32_t *before, struct tl_task_channel *channel);
bool tl_task_position_known(const struct tl_task_event *event);
int tl_task_positions(struct tl_tasks *tasks, struct tl_task_channel *channel, size_t *left);
int tl_task_handoff_add(struct tl_tasks *tasks, uint32_t from, uint32_t to);
int tl_task_in_order(struct tl_task_channel *channel);
int tl_task_backward(const struct tl_tasks *tasks, bool *backward);
bool tl_task_is_answer(const struct tl_task_trace *t, const struct tl_task_event *event);
int tl_task_at_work(const struct tl_task_trace *t, uint32_t *at_work);
int tl_task_heads(const struct tl_tasks *tasks, const struct tl_task_places *places,
		  uint32_t *head);

#endif
