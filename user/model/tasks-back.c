// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits that are for room, not for work
 *
 * Who fills a queue that has an end waits until somebody has taken something out. He is told so
 * by whom he gives work to, and goes on with his own. A thread's waits for an object are such
 * if most of them are ended by threads that take from queues what it puts there, and put
 * nothing into queues that it takes from.
 */
#include "tasks-match.h"

#include "ids.h"

#include <errno.h>
#include <stdlib.h>

struct back {
	const struct tl_tasks *tasks;
	struct tl_ids feeds; /* (thread, thread): those of queues are the first */
	size_t fed;
	struct tl_ids waits; /* (thread, object) */
	uint32_t *wait; /* [events] which it is */
	uint64_t *count[2]; /* [waits] that are ended by others, and so */
};

static const struct tl_task_event *event_of(const struct back *b, uint32_t event)
{
	return &b->tasks->trace->event[event];
}

static int feed(struct back *b, uint32_t from, uint32_t to, uint32_t *id)
{
	const uint32_t key[2] = { from, to };

	return tl_ids_of(&b->feeds, key, sizeof(key), id) ? -ENOMEM : 0;
}

static int feeds_find(struct back *b)
{
	const struct tl_tasks *t = b->tasks;
	uint32_t unused;
	int code = 0;
	size_t i;

	for (i = 0; i < t->handoffs && !code; i++) {
		const struct tl_task_event *from = event_of(b, t->handoff[i].from);
		enum tl_task_use use = t->object[from->object].use;

		if (use == TL_TASK_USE_QUEUE || use == TL_TASK_USE_GUARDED)
			code = feed(b, from->thread, event_of(b, t->handoff[i].to)->thread, &unused);
	}
	b->fed = b->feeds.n;
	return code;
}

static int waits_find(struct back *b)
{
	const struct tl_task_trace *t = b->tasks->trace;
	int code = 0;
	size_t i;

	for (i = 0; i < t->n && !code; i++) {
		const uint32_t key[2] = { t->event[i].thread, t->event[i].object };

		if (t->event[i].op == TL_TASK_WAIT)
			code = tl_ids_of(&b->waits, key, sizeof(key), &b->wait[i]);
	}
	b->count[0] = calloc(b->waits.n + 1, sizeof(*b->count[0]));
	b->count[1] = calloc(b->waits.n + 1, sizeof(*b->count[1]));
	return b->count[0] && b->count[1] ? code : -ENOMEM;
}

static int ended_by(struct back *b, const struct tl_task_handoff *handoff)
{
	const struct tl_task_event *from = event_of(b, handoff->from), *to = event_of(b, handoff->to);
	uint32_t there, back;
	int code = 0;

	if (to->op != TL_TASK_WAIT || from->thread == to->thread)
		return 0;
	code = feed(b, to->thread, from->thread, &there);
	code = code ? code : feed(b, from->thread, to->thread, &back);
	if (!code)
		b->count[there < b->fed && back >= b->fed][b->wait[handoff->to]]++;
	return code;
}

static int find(struct back *b, bool *backward)
{
	const struct tl_task_trace *t = b->tasks->trace;
	int code = feeds_find(b);
	size_t i;

	code = code ? code : waits_find(b);
	for (i = 0; i < b->tasks->handoffs && !code; i++)
		code = ended_by(b, &b->tasks->handoff[i]);
	for (i = 0; i < t->n && !code; i++)
		backward[i] = t->event[i].op == TL_TASK_WAIT &&
			      b->count[1][b->wait[i]] > b->count[0][b->wait[i]];
	return code;
}

/**
 * tl_task_backward() - Find waits for room
 * @tasks: has hand-offs
 * @backward: [events] written: whether it is one
 *
 * Return: 0 or -ENOMEM.
 */
int tl_task_backward(const struct tl_tasks *tasks, bool *backward)
{
	struct back b = { .tasks = tasks };
	int code = -ENOMEM;

	b.wait = calloc(tasks->trace->n + 1, sizeof(*b.wait));
	if (b.wait)
		code = find(&b, backward);
	tl_ids_free(&b.feeds);
	tl_ids_free(&b.waits);
	free(b.wait);
	free(b.count[0]);
	free(b.count[1]);
	return code;
}
