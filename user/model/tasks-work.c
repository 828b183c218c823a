// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits in the midst of work
 *
 * Who has received something on a connection and then answers there has worked on that in between:
 * if it waits meanwhile, for a lock of its program's own making, or for a time, it goes on with the
 * same job after it, whoever told it that it may.
 */
#include "tasks-match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The stream that was asked on or is answered on, if that is the other side of those that our own program asks. */
static uint32_t served(const struct tl_task_trace *t, const struct tl_task_event *event, enum tl_task_op op)
{
	return event->op == op && event->end != TL_TASK_NONE && event->end != t->client ? event->object : TL_TASK_NONE;
}

static bool is_stream(const struct tl_task_event *event)
{
	return event->op == TL_TASK_SEND || event->op == TL_TASK_RECV;
}

/* Of each wait the stream that its thread answers on next, if it does. */
static void answers(const struct tl_task_trace *t, uint32_t *stream, uint32_t *answer)
{
	size_t i;

	for (i = t->n; i-- > 0;) {
		const struct tl_task_event *event = &t->event[i];

		if (is_stream(event))
			stream[event->thread] = served(t, event, TL_TASK_SEND);
		answer[i] = event->op == TL_TASK_WAIT ? stream[event->thread] : TL_TASK_NONE;
	}
}

static void questions(const struct tl_task_trace *t, uint32_t *stream, const uint32_t *answer, bool *own)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		const struct tl_task_event *event = &t->event[i];

		if (is_stream(event))
			stream[event->thread] = served(t, event, TL_TASK_RECV);
		own[i] |= answer[i] != TL_TASK_NONE && answer[i] == stream[event->thread];
	}
}

/**
 * tl_task_at_work() - Find waits between what is received on a connection and the answer
 * @t: what was seen
 * @own: [events] set where it is one
 *
 * Return: 0 or -ENOMEM.
 */
int tl_task_at_work(const struct tl_task_trace *t, bool *own)
{
	size_t bytes = (t->threads + 1) * sizeof(uint32_t);
	uint32_t *stream = malloc(bytes), *answer = malloc((t->n + 1) * sizeof(*answer));
	int code = stream && answer ? 0 : -ENOMEM;

	if (!code) {
		memset(stream, 0xff, bytes);
		answers(t, stream, answer);
		memset(stream, 0xff, bytes);
		questions(t, stream, answer, own);
	}
	free(stream);
	free(answer);
	return code;
}
