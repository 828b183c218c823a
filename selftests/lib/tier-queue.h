/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers from one thread to whichever of several takes them, in the ways that servers do
 * it. They differ in what the kernel sees of it: a futex, an eventfd or a pipe.
 */
#ifndef TL_TEST_TIER_QUEUE_H
#define TL_TEST_TIER_QUEUE_H

#include <pthread.h>
#include <stdint.h>

#define TIER_QUEUE_MAX 32768 /* entries, a power of two */

enum tier_queue_kind { TIER_QUEUE_FUTEX, TIER_QUEUE_EVENTFD, TIER_QUEUE_PIPE };

/* Which entry is taken first: the oldest, the newest, any. A pipe has the oldest first. */
enum tier_queue_order { TIER_ORDER_FIFO, TIER_ORDER_LIFO, TIER_ORDER_RANDOM };

struct tier_queue {
	enum tier_queue_kind kind;
	int fd[2];	      /* eventfd: [0]; pipe: its ends */
	enum tier_queue_order order;
	pthread_mutex_t lock; /* protects the rest */
	pthread_cond_t filled;
	unsigned int in, out;
	unsigned int ends; /* how often -1 was put, which comes after all others */
	unsigned int seed;
	int32_t ring[TIER_QUEUE_MAX];
};

int tier_queue_open(struct tier_queue *q, enum tier_queue_kind kind,
		    enum tier_queue_order order);
void tier_queue_close(struct tier_queue *q);
void tier_queue_put(struct tier_queue *q, int32_t nr);
int32_t tier_queue_take(struct tier_queue *q);
int32_t tier_queue_try(struct tier_queue *q);

#endif
