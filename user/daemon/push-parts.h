/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_PUSH_PARTS_H
#define TL_DAEMON_PUSH_PARTS_H

/* For push.c and push-send.c, the loop's and the thread's half of remote write. */
#include "daemon/news.h"
#include "daemon/push-batch.h"
#include "daemon/push.h"

#include <pthread.h>

#define TL_PUSH_REFUSALS 100 /* 400 to 499 */

/**
 * struct tl_push - Remote write
 * @lock: protects all up to @news
 * @wake: of the thread: there is more, or something else
 * @plan: where to, @renewed: it is another one, @stale: which sending does not know yet; @naming of the writer is the
 *        loop's
 * @end_ns: when it is over, on the monotonic clock; 0 for not yet; @ended: nothing is sent any more
 * @told: statuses that were told of; @failing: that nothing is taken was, @unwritable: that nothing can be written,
 *        @telling_lost: that the queue is full, @lost_said: with so many intervals lost by then
 * @unwritten: intervals that never were in the queue
 * @writer: the loop's
 * @reader: the thread's, as is all behind it; @from_ns: since when there is something in the batch
 */
struct tl_push {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct tl_push_plan plan;
	struct tl_push_figures figures;
	bool renewed, stale, more, failing, telling_lost, unwritable, ended;
	u64 end_ns, lost_said, unwritten;
	bool told[TL_PUSH_REFUSALS];
	struct tl_news news;

	struct tl_queue *queue;
	struct tl_push_writer writer;

	pthread_t thread;
	bool running;
	struct tl_post *post;
	struct tl_push_reader reader;
	struct tl_queue_cursor cursor;
	struct tl_code_to body;
	char *packed;
	size_t packed_room;
	u64 from_ns, synced_ns, back_off_ns;
	bool unsure;
};

bool tl_push_is_over(void *push);
void *tl_push_run(void *push);

#endif
