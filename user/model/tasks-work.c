// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits in the midst of work
 *
 * Who has received something on a connection and next answers there works on that. If the last time that
 * it waits meanwhile is for a lock of its program's own making, it is told by whoever gave that back, and
 * if it is for a time by nobody; but it goes on with what it has received.
 */
#include "tasks-match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The stream that we are asked on or answer on, by @op. */
static uint32_t served(const struct tl_task_trace *t, const struct tl_task_event *event, enum tl_task_op op)
{
	return event->op == op && event->end != TL_TASK_NONE && event->end == t->server ? event->object : TL_TASK_NONE;
}

/**
 * tl_task_is_answer() - Whether something is sent to who has asked
 * @t: what was seen
 * @event: what was done
 *
 * Return: whether it is, if it is known which end asks.
 */
bool tl_task_is_answer(const struct tl_task_trace *t, const struct tl_task_event *event)
{
	return served(t, event, TL_TASK_SEND) != TL_TASK_NONE;
}

static bool is_stream(const struct tl_task_event *event)
{
	return event->op == TL_TASK_SEND || event->op == TL_TASK_RECV;
}

/* Of waits that are the last before an answer the stream of that, else TL_TASK_NONE. */
static void answers(const struct tl_task_trace *t, uint32_t *next, uint32_t *answer)
{
	size_t i;

	for (i = t->n; i-- > 0;) {
		const struct tl_task_event *event = &t->event[i];

		answer[i] = event->op == TL_TASK_WAIT ? next[event->thread] : TL_TASK_NONE;
		if (is_stream(event))
			next[event->thread] = served(t, event, TL_TASK_SEND);
		else if (event->op == TL_TASK_WAIT)
			next[event->thread] = TL_TASK_NONE;
	}
}

/* Of the same waits the event that what is answered was received by. */
static void questions(const struct tl_task_trace *t, uint32_t *last, uint32_t *answer)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		const struct tl_task_event *event = &t->event[i];
		uint32_t asked = last[event->thread];

		if (is_stream(event))
			last[event->thread] = served(t, event, TL_TASK_RECV) == TL_TASK_NONE ? TL_TASK_NONE : (uint32_t)i;
		if (asked == TL_TASK_NONE || answer[i] != t->event[asked].object)
			answer[i] = TL_TASK_NONE;
		else
			answer[i] = asked;
	}
}

/**
 * tl_task_at_work() - Find waits between what is received on a connection and the answer
 * @t: what was seen
 * @at_work: [events] written: of such a wait the receiving, else TL_TASK_NONE
 *
 * Return: 0 or -ENOMEM.
 */
int tl_task_at_work(const struct tl_task_trace *t, uint32_t *at_work)
{
	size_t bytes = (t->threads + 1) * sizeof(uint32_t);
	uint32_t *thread = malloc(bytes);

	if (!thread)
		return -ENOMEM;
	memset(thread, 0xff, bytes);
	answers(t, thread, at_work);
	memset(thread, 0xff, bytes);
	questions(t, thread, at_work);
	free(thread);
	return 0;
}
