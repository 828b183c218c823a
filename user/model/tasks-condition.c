// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who woke whom that waited for a condition
 *
 * A signal wakes who has waited longest, as the kernel's queues are in order, and nobody if
 * nobody waits. A thread waits from its sync point before, at which it locked the mutex, until
 * the wait is seen, which is when it has come back.
 *
 * Where events were lost, a wait that is missing gives its signal to the next who waits, who
 * comes back only with a later one; so does the next after it, until nobody waits. What
 * shows it is that somebody takes much longer to come back than is usual there.
 */
#include "tasks-match.h"

#include <errno.h>
#include <stdlib.h>

#define LATE_TIMES 4 /* the median, from signal to return */

struct waiter {
	uint32_t since, step; /* event after which it waited; where its wait stands */
};

static int waiter_compare(const void *a, const void *b)
{
	const struct waiter *x = a, *y = b;

	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	return x->step < y->step ? -1 : x->step > y->step;
}

/* Who waits at all, those first that began to first. */
static size_t waiters(const uint32_t *before, const struct tl_task_channel *channel,
		      struct waiter *waiter)
{
	size_t i, n = 0;

	for (i = 0; i < channel->n; i++) {
		uint32_t event = channel->step[i], since = before[event];

		if (!tl_task_gives(channel->trace->event[event].op))
			waiter[n++] = (struct waiter){ since == TL_TASK_NONE ? 0 : since, (uint32_t)i };
	}
	if (n)
		qsort(waiter, n, sizeof(*waiter), waiter_compare);
	return n;
}

/* The queue of those who wait, and of those of them who were woken and may not have come back. */
struct condition {
	const struct tl_task_event *event;
	struct tl_task_channel *channel;
	struct waiter *waiter;
	uint32_t *woken;
	size_t n, head, first, n_woken; /* woken: those from the first to before n_woken */
	int64_t late_ns; /* who comes back later than this was perhaps not woken; 0 for never */
	uint32_t last; /* signal */
	bool doubt; /* events were lost since all who were woken had come back */
};

static int64_t since_woken(const struct condition *c, uint32_t waiter, uint32_t event)
{
	uint32_t signal = c->channel->from[c->waiter[waiter].step];

	return c->event[event].time_ns - c->event[signal].time_ns;
}

static bool lost_between(const struct tl_task_event *event, uint32_t a, uint32_t b)
{
	return event[b].seq - event[a].seq > b - a;
}

static bool lost_in(const struct tl_task_channel *channel)
{
	return channel->n && lost_between(channel->trace->event, channel->step[0],
					  channel->step[channel->n - 1]);
}

/*
 * The first who was woken long ago and has not come back, where events were lost: it was
 * another who was woken, and whose wait is one of the lost. Without this, each later waiter
 * would get the signal of the one before, until nobody waits. Who was woken first is late
 * first, so nobody behind needs to be looked at.
 */
static uint32_t mistaken(struct condition *c, size_t step)
{
	uint32_t event = c->channel->step[step], waiter;

	while (c->first < c->n_woken && c->waiter[c->woken[c->first]].step < step)
		c->first++;
	c->doubt = c->first < c->n_woken && (c->doubt || lost_between(c->event, c->last, event));
	c->last = event;
	if (!c->doubt || !c->late_ns)
		return TL_TASK_NONE;
	waiter = c->woken[c->first];
	return since_woken(c, waiter, event) > c->late_ns ? waiter : TL_TASK_NONE;
}

static void wake(struct condition *c, size_t step)
{
	uint32_t waiter = mistaken(c, step);

	if (waiter != TL_TASK_NONE) {
		c->channel->corrections++;
		c->channel->from[c->waiter[waiter].step] = c->channel->step[step];
		c->first++;
		c->woken[c->n_woken++] = waiter;
		return;
	}
	while (c->head < c->n && c->waiter[c->head].step < step)
		c->head++; /* woken by nobody that was seen */
	if (c->head == c->n || c->waiter[c->head].since >= c->channel->step[step])
		return;
	c->channel->from[c->waiter[c->head].step] = c->channel->step[step];
	c->woken[c->n_woken++] = (uint32_t)c->head++;
}

static void wake_all(struct condition *c)
{
	size_t i;

	c->head = c->first = c->n_woken = 0;
	c->last = c->channel->n ? c->channel->step[0] : 0;
	c->doubt = false;
	for (i = 0; i < c->channel->n; i++)
		c->channel->from[i] = TL_TASK_NONE;
	for (i = 0; i < c->channel->n; i++)
		if (tl_task_gives(c->event[c->channel->step[i]].op))
			wake(c, i);
}

static int ns_compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Several times the median from signal to return, which a few mistakes do not change. */
static int64_t late(const struct condition *c, int64_t *took)
{
	size_t i, n = 0;

	for (i = 0; i < c->n; i++)
		if (c->channel->from[c->waiter[i].step] != TL_TASK_NONE)
			took[n++] = since_woken(c, (uint32_t)i, c->channel->step[c->waiter[i].step]);
	if (!n)
		return 0;
	qsort(took, n, sizeof(*took), ns_compare);
	return LATE_TIMES * took[n / 2] + 1;
}

/**
 * tl_task_condition() - Match those who waited for a condition with who woke them
 * @before: [events] the thread's event before, or TL_TASK_NONE
 * @channel: signals and waits; gets who gave what
 *
 * Return: 0 or -ENOMEM.
 */
int tl_task_condition(const uint32_t *before, struct tl_task_channel *channel)
{
	struct condition c = { .event = channel->trace->event, .channel = channel };
	int64_t *took = calloc(channel->n + 1, sizeof(*took));
	int code = -ENOMEM;

	c.waiter = calloc(channel->n + 1, sizeof(*c.waiter));
	c.woken = calloc(channel->n + 1, sizeof(*c.woken));
	if (took && c.waiter && c.woken) {
		c.n = waiters(before, channel, c.waiter);
		wake_all(&c);
		c.late_ns = lost_in(channel) ? late(&c, took) : 0;
		if (c.late_ns)
			wake_all(&c);
		code = 0;
	}
	free(took);
	free(c.waiter);
	free(c.woken);
	return code;
}
