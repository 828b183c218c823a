// SPDX-License-Identifier: GPL-2.0-or-later
#include "tier-queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* An eventfd that each read takes one from: so many readers wake as there are entries. */
int tier_queue_open(struct tier_queue *q, enum tier_queue_kind kind,
		    enum tier_queue_order order)
{
	q->kind = kind;
	q->order = order;
	q->in = q->out = q->ends = 0;
	q->seed = 1;
	q->fd[0] = q->fd[1] = -1;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->filled, NULL);
	switch (kind) {
	case TIER_QUEUE_EVENTFD:
		q->fd[0] = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
		return q->fd[0] < 0 ? -errno : 0;
	case TIER_QUEUE_PIPE:
		return pipe2(q->fd, O_CLOEXEC) ? -errno : 0;
	default:
		return 0;
	}
}

void tier_queue_close(struct tier_queue *q)
{
	for (int i = 0; i < 2; i++)
		if (q->fd[i] >= 0)
			close(q->fd[i]);
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->filled);
}

void tier_queue_put(struct tier_queue *q, int32_t nr)
{
	if (q->kind == TIER_QUEUE_PIPE) {
		while (write(q->fd[1], &nr, sizeof(nr)) < 0 && errno == EINTR)
			;
		return;
	}
	pthread_mutex_lock(&q->lock);
	if (nr < 0)
		q->ends++;
	else
		q->ring[q->in++ % TIER_QUEUE_MAX] = nr;
	if (q->kind == TIER_QUEUE_FUTEX)
		pthread_cond_signal(&q->filled);
	pthread_mutex_unlock(&q->lock);
	if (q->kind == TIER_QUEUE_EVENTFD)
		eventfd_write(q->fd[0], 1);
}

/* The lock is held, and there is an entry. */
static int32_t take(struct tier_queue *q)
{
	int32_t *first = &q->ring[q->out % TIER_QUEUE_MAX], *any, nr;

	if (q->order == TIER_ORDER_LIFO)
		return q->ring[--q->in % TIER_QUEUE_MAX];
	if (q->order == TIER_ORDER_RANDOM) {
		any = &q->ring[(q->out + rand_r(&q->seed) % (q->in - q->out)) %
			       TIER_QUEUE_MAX];
		nr = *any;
		*any = *first;
		*first = nr;
	}
	q->out++;
	return *first;
}

/* Return: an entry, or -1 when there is none. */
int32_t tier_queue_try(struct tier_queue *q)
{
	int32_t nr = -1;

	pthread_mutex_lock(&q->lock);
	if (q->in != q->out)
		nr = take(q);
	pthread_mutex_unlock(&q->lock);
	return nr;
}

static int32_t take_futex(struct tier_queue *q)
{
	int32_t nr = -1;

	pthread_mutex_lock(&q->lock);
	while (q->in == q->out && !q->ends)
		pthread_cond_wait(&q->filled, &q->lock);
	if (q->in != q->out)
		nr = take(q);
	else
		q->ends--;
	pthread_mutex_unlock(&q->lock);
	return nr;
}

/* Waits for an entry. Return: it, or -1 if that is what was put. */
int32_t tier_queue_take(struct tier_queue *q)
{
	eventfd_t one;
	int32_t nr;

	switch (q->kind) {
	case TIER_QUEUE_EVENTFD:
		while (eventfd_read(q->fd[0], &one))
			if (errno != EINTR)
				return -1;
		return tier_queue_try(q);
	case TIER_QUEUE_PIPE:
		/* A pipe's readers take turns, so that the four bytes stay together. */
		while (read(q->fd[0], &nr, sizeof(nr)) != sizeof(nr))
			if (errno != EINTR)
				return -1;
		return nr;
	default:
		return take_futex(q);
	}
}
