/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_PUSH_QUEUE_H
#define TL_DAEMON_PUSH_QUEUE_H

#include "hist.h"

struct tl_error;
struct tl_queue;

#define TL_RECORD_HEAD 32
#define TL_QUEUE_SLOTS 16
#define TL_QUEUE_MB_LEAST 4
#define TL_QUEUE_MB_MOST 100000

enum tl_record_kind { TL_RECORD_SERIES, TL_RECORD_VALUES, TL_RECORD_END, TL_RECORD_KINDS };

/**
 * struct tl_record - What is kept together
 * @samples: that are lost with it
 * @last_ms: last time of which it tells, since the epoch
 * @byte: [@n] what it says, behind TL_RECORD_HEAD of the queue's; of one that was read until the next one is
 */
struct tl_record {
	enum tl_record_kind kind;
	u32 samples;
	u64 last_ms;
	u8 *byte;
	size_t n;
};

/* A place in it: before which record of which slot. */
struct tl_queue_at {
	u64 slot;
	u32 offset, index;
};

static inline bool tl_queue_at_equal(const struct tl_queue_at *a, const struct tl_queue_at *b)
{
	return a->slot == b->slot && a->offset == b->offset;
}

/**
 * struct tl_queue_cursor - How far all was sent, as it stands in the file
 * @to: end of what is being sent together, its slot 0 for nothing
 * @slice: so many parts of that were sent
 */
struct tl_queue_cursor {
	struct tl_queue_at at, to;
	u32 slice;
};

/**
 * struct tl_queue_figures - How it is
 * @lost: intervals and samples that had to make room for newer ones
 * @damaged_samples: that could not be read any more
 * @torn: its head could not be read, and what waited then is lost: of that, one interval is counted
 * @reserved: whatever else becomes of the disk, there is room for it
 */
struct tl_queue_figures {
	u64 bytes, size, intervals, samples, lost_intervals, lost_samples, damaged_samples;
	bool torn, reserved;
};

int tl_queue_open(struct tl_queue **queue, const char *file, u64 bytes, struct tl_error *err);
void tl_queue_close(struct tl_queue *queue);
int tl_queue_put(struct tl_queue *queue, struct tl_record *record, size_t n);
void tl_queue_turn(struct tl_queue *queue);
void tl_queue_drop(struct tl_queue *queue, u64 after_ms, u64 *intervals, u64 *samples);
bool tl_queue_is_broken(struct tl_queue *queue);
bool tl_queue_has(struct tl_queue *queue, const struct tl_queue_at *at);
u64 tl_queue_last_ms(const struct tl_queue *queue);
int tl_queue_sync(struct tl_queue *queue);
void tl_queue_cursor(struct tl_queue *queue, struct tl_queue_cursor *cursor);
int tl_queue_get(struct tl_queue *queue, struct tl_queue_at *at, struct tl_record *record);
void tl_queue_pass(struct tl_queue *queue, struct tl_queue_at *at);
int tl_queue_mark(struct tl_queue *queue, const struct tl_queue_cursor *cursor, u64 intervals, u64 samples);
void tl_queue_figures(struct tl_queue *queue, struct tl_queue_figures *figures);

#endif
