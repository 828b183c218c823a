// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * First in, first out: who gave what is taken, also where events were lost
 *
 * A taking that was lost leaves a thing in the count for ever, and all after it would be
 * taken for the one before; a giving that was lost makes all after it be taken for the next,
 * until the queue is empty. Numbers of events that are missing tell where something was
 * lost, and the count between two such gaps tells what:
 *
 * - below zero: so many givings were lost in the gap before, or before the trace began;
 * - never down to zero, though it comes down to the same number again and again: so many
 *   takings were lost, as who takes faster than things are given comes down to nothing. But a
 *   queue that has an end and is full comes down to nothing never: there the count must have come
 *   to more than there ever was in it.
 *
 * The count is set right at the gap, by no more than was lost there.
 */
#include "tasks-match.h"

#include <errno.h>
#include <stdlib.h>

#define FLOOR_TAKINGS 32 /* that are looked at for the lowest count */
#define FLOOR_STEPS 1024 /* beyond which they are too far apart to tell anything */
#define FLOOR_SHARE 8 /* one in so many must leave it, and 3 at least */

#define FULL_GIVINGS 32 /* that are looked at for whether it is full */
#define FULL_SHARE 4 /* one in so many must leave it so */

struct queue {
	struct tl_task_channel *channel;
	uint32_t *thing;
	size_t head, tail;
	uint64_t unseen; /* given where nobody saw it, ahead of all others */
	int64_t after[FULL_GIVINGS], most; /* counts after givings, of late and ever */
	uint64_t givings;
};

static bool gives(const struct queue *q, size_t at)
{
	return tl_task_gives(q->channel->trace->event[q->channel->step[at]].op);
}

/* Events that were lost between a step and the one before it. */
static uint64_t lost_before(const struct queue *q, size_t at)
{
	const uint32_t *step = q->channel->step;
	const struct tl_task_event *event = q->channel->trace->event;

	return at ? event[step[at]].seq - event[step[at - 1]].seq - (step[at] - step[at - 1]) :
		    UINT64_MAX;
}

static int64_t level(const struct queue *q)
{
	return (int64_t)(q->tail - q->head) + (int64_t)q->unseen;
}

/* How far below zero the count comes before the next gap. */
static uint64_t short_by(const struct queue *q, size_t at)
{
	int64_t count = level(q), least = 0;
	size_t i;

	for (i = at; i < q->channel->n && (i == at || !lost_before(q, i)); i++) {
		count += gives(q, i) ? 1 : -1;
		least = count < least ? count : least;
	}
	return (uint64_t)-least;
}

/* Whether it was as full as it ever was, often. */
static bool full(const struct queue *q)
{
	size_t i, times = 0;

	for (i = 0; i < FULL_GIVINGS; i++)
		times += q->after[i] == q->most;
	return q->givings >= FULL_GIVINGS && q->most > 1 && times * FULL_SHARE >= FULL_GIVINGS;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The number that the count comes down to, 0 if there is none above zero. */
static uint64_t floor_of(const struct queue *q, size_t at)
{
	int64_t count = level(q), least = INT64_MAX, highest = 0;
	size_t takings = 0, times = 0, i;

	for (i = at; i < q->channel->n && i - at < FLOOR_STEPS && takings < FLOOR_TAKINGS; i++) {
		count += gives(q, i) ? 1 : -1;
		highest = count > highest ? count : highest;
		if (gives(q, i))
			continue;
		takings++;
		times = count < least ? 1 : times + (count == least);
		least = count < least ? count : least;
	}
	if (takings < FLOOR_TAKINGS || times < 3 || times * FLOOR_SHARE < takings || least <= 0)
		return 0;
	if (!full(q))
		return (uint64_t)least;
	return highest > q->most ? least_of((uint64_t)least, (uint64_t)(highest - q->most)) : 0;
}

static void set_right(struct queue *q, size_t at, uint64_t lost)
{
	uint64_t add = least_of(short_by(q, at), lost), take = least_of(floor_of(q, at), lost);

	q->channel->corrections += at && (add || take);
	q->unseen += add;
	for (; take; take--) {
		if (q->unseen)
			q->unseen--;
		else if (q->head < q->tail)
			q->head++;
	}
}

static void given(struct queue *q, uint32_t event)
{
	q->thing[q->tail++] = event;
	q->after[q->givings++ % FULL_GIVINGS] = level(q);
	q->most = level(q) > q->most ? level(q) : q->most;
}

static uint32_t taken(struct queue *q)
{
	if (q->unseen) {
		q->unseen--;
		return TL_TASK_NONE;
	}
	return q->head < q->tail ? q->thing[q->head++] : TL_TASK_NONE;
}

/**
 * tl_task_in_order() - Match what is taken with what was given, the oldest first
 * @channel: the steps; gets who gave what
 *
 * Return: 0 or -ENOMEM.
 */
int tl_task_in_order(struct tl_task_channel *channel)
{
	struct queue q = { .channel = channel };
	uint64_t lost;
	size_t i;

	q.thing = calloc(channel->n + 1, sizeof(*q.thing));
	if (!q.thing)
		return -ENOMEM;
	for (i = 0; i < channel->n; i++) {
		lost = lost_before(&q, i);
		if (lost)
			set_right(&q, i, lost);
		if (gives(&q, i))
			given(&q, channel->step[i]);
		else
			channel->from[i] = taken(&q);
	}
	free(q.thing);
	return 0;
}
