/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_PUSH_BATCH_H
#define TL_DAEMON_PUSH_BATCH_H

#include "daemon/push-series.h"
#include "history-code.h"

#define TL_BATCH_INTERVALS 16
#define TL_BATCH_SAMPLES (32 << 10) /* no more intervals than make so many */
#define TL_PART_BYTES (256 << 10) /* of a request, before it is compressed; more only for one series */

/**
 * struct tl_push_batch - What is sent together: some intervals of the same series
 * @at: where it begins in the queue, @to: where it ends
 * @value: [@n][series] as they are kept
 * @end_ms: [@n] when intervals ended
 * @zero_ms: time of the zeros of series that begin with it, @begins: whether there may be any
 * @gone_ms: time at which series ended, 0 for none
 */
struct tl_push_batch {
	struct tl_queue_at at, to;
	size_t n;
	u64 *value;
	u64 end_ms[TL_BATCH_INTERVALS], zero_ms, gone_ms;
	bool begins;
};

/**
 * struct tl_push_reader - Takes figures out of a queue
 * @at: behind what was taken
 * @series: of the values at @at, @before: those that were before them, as long as no values have come
 * @base: [@series.n] the last values
 * @fresh: [@series.n] whether a series begins with the batch, @gone: [@before.n] whether it ended
 * @turned: no values of @series have come yet
 * @room: samples that @batch.value can hold
 */
struct tl_push_reader {
	struct tl_queue *queue;
	struct tl_queue_at at;
	struct tl_push_series series, before;
	u64 *base;
	u8 *fresh, *gone;
	bool turned;
	size_t room;
	struct tl_push_batch batch;
};

/* Part of a batch that makes a request. */
struct tl_push_part {
	size_t from, to;
	u64 samples;
};

int tl_push_reader_begin(struct tl_push_reader *reader, struct tl_queue *queue);
void tl_push_reader_end(struct tl_push_reader *reader);
int tl_push_reader_batch(struct tl_push_reader *reader, const struct tl_queue_at *to);
void tl_push_reader_done(struct tl_push_reader *reader);

/* push-request.c */
bool tl_push_part(const struct tl_push_reader *reader, struct tl_push_part *part, struct tl_code_to *to);

#endif
