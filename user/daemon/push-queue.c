// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records on disk that wait to be sent: one file of a fixed size
 *
 * The file is two pages, each with the cursor, and sixteen slots, which are filled one after the other, round and
 * round. Its room is taken when it is made, so a disk that becomes full later takes nothing from it. A record is a frame
 * in which stand the number of its slot and its own in there: what is of an earlier round, or was written half, is not
 * taken for one. So nothing has to be kept of how far the file is written. A record may need those before it in its
 * slot, and none of another one: the oldest slot goes as a whole when there is no room.
 *
 * What was written survives the end of the process, however that comes; tl_queue_sync() is for the end of the machine.
 * One thread writes, one reads. The lock is held for memory, never while the file is read or written.
 */
#include "daemon/push-queue.h"

#include "daemon/push-frame.h"
#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096
#define CURSORS 2 /* pages for it, in turn: one of them is whole */
#define HEAD (CURSORS * PAGE)
#define MAGIC 0x72706c74 /* "tlpr" */

/* Stands before what a record says, within the frame. */
struct head {
	u64 slot, last_ms;
	u32 index, kind, samples, magic;
};

static_assert(sizeof(struct head) == TL_RECORD_HEAD, "callers leave room for it");

/* The same for the cursor. */
struct mark {
	u64 turn, slot_bytes;
	struct tl_queue_cursor cursor;
	u32 magic, pad;
};

/*
 * @last_ms: of all its records; @end: bytes that are written, @index: records; @intervals and @samples: that were not
 * sent yet
 */
struct slot {
	u64 seq, last_ms, intervals, samples;
	u32 end, index;
};

/**
 * struct tl_queue - A queue
 * @lock: protects @slot, @newest, @mark, @broken and @figures
 * @slot_bytes: size of a slot
 * @newest: number of the slot that is written; slots are numbered from 1 and never again
 * @last_ms: last time of which any record tells
 * @broken: what is written next is not to need what is before it
 * @records: for records, @marks: for cursors, @frames: reads both
 */
struct tl_queue {
	pthread_mutex_t lock;
	int fd;
	u32 slot_bytes;
	struct slot slot[TL_QUEUE_SLOTS];
	u64 newest, last_ms;
	struct mark mark;
	struct tl_queue_figures figures;
	bool broken;
	struct tl_pen records, marks;
	struct tl_frames frames;
};

/* ---- slots --------------------------------------------------------------- */

static struct slot *slot_of(struct tl_queue *q, u64 seq)
{
	return &q->slot[seq % TL_QUEUE_SLOTS];
}

static u64 place_of(const struct tl_queue *q, u64 seq, u32 offset)
{
	return HEAD + seq % TL_QUEUE_SLOTS * q->slot_bytes + offset;
}

/* Return: 0 with @head and what is in @q->frames.plain, [@n]; -ENOENT if there is no record of this slot; or -ENOMEM. */
static int record_take(struct tl_queue *q, struct tl_queue_at *at, struct head *head, size_t *n)
{
	int len = tl_frame_take(&q->frames, place_of(q, at->slot, at->offset), q->slot_bytes - at->offset, n);

	if (len == -ENOMEM)
		return len;
	if (!len || *n < sizeof(*head))
		return -ENOENT;
	memcpy(head, q->frames.plain, sizeof(*head));
	if (head->magic != MAGIC || head->slot != at->slot || head->index != at->index || head->kind >= TL_RECORD_KINDS)
		return -ENOENT;
	at->offset += (u32)len;
	at->index++;
	return 0;
}

/* What is in a slot, as it was left; of what is behind @from it is counted what was not sent. */
static int slot_scan(struct tl_queue *q, struct slot *slot, const struct tl_queue_at *from)
{
	struct tl_queue_at at = { .slot = slot->seq };
	struct head head;
	bool waits;
	size_t n;
	int code;

	for (;;) {
		waits = from->slot < slot->seq || (from->slot == slot->seq && at.offset >= from->offset);
		code = record_take(q, &at, &head, &n);
		if (code)
			break;
		slot->last_ms = max(slot->last_ms, head.last_ms);
		slot->intervals += waits && head.kind == TL_RECORD_VALUES;
		slot->samples += waits ? head.samples : 0;
	}
	slot->end = at.offset;
	slot->index = at.index;
	q->last_ms = max(q->last_ms, slot->last_ms);
	return code == -ENOMEM ? code : 0;
}

/* The first record of a slot says which it is. */
static int slots_find(struct tl_queue *q)
{
	struct head head;
	size_t n;
	int len;
	u64 i;

	for (i = 0; i < TL_QUEUE_SLOTS; i++) {
		len = tl_frame_take(&q->frames, place_of(q, i, 0), q->slot_bytes, &n);
		if (len == -ENOMEM)
			return len;
		if (!len || n < sizeof(head))
			continue;
		memcpy(&head, q->frames.plain, sizeof(head));
		if (head.magic == MAGIC && !head.index && head.slot % TL_QUEUE_SLOTS == i) {
			q->slot[i].seq = head.slot;
			q->newest = max(q->newest, head.slot);
		}
	}
	return 0;
}

/* ---- the cursor ---------------------------------------------------------- */

static int mark_write(struct tl_queue *q)
{
	int len;

	q->mark.turn++;
	len = tl_frame_make(&q->marks, 0, &q->mark, sizeof(q->mark));
	if (len < 0)
		return len;
	return tl_frame_write(q->fd, q->marks.frame, (size_t)len, q->mark.turn % CURSORS * PAGE);
}

static int mark_read(struct tl_queue *q)
{
	struct mark mark;
	size_t i, n;
	int len;

	for (i = 0; i < CURSORS; i++) {
		len = tl_frame_take(&q->frames, i * PAGE, PAGE, &n);
		if (len == -ENOMEM)
			return len;
		if (!len || n != sizeof(mark))
			continue;
		memcpy(&mark, q->frames.plain, sizeof(mark));
		if (mark.magic == MAGIC && mark.turn >= q->mark.turn)
			q->mark = mark;
	}
	return 0;
}

/* A file that was made and never written has zeros there. */
static bool is_torn(const struct tl_queue *q)
{
	u8 head[HEAD] = { 0 };
	size_t i;

	tl_frame_read(q->fd, head, sizeof(head), 0);
	for (i = 0; i < sizeof(head) && !head[i]; i++)
		;
	return i < sizeof(head);
}

/* ---- open and close ------------------------------------------------------ */

static void reserve(struct tl_queue *q)
{
	q->figures.reserved = !fallocate(q->fd, 0, 0, (off_t)q->figures.size);
}

static int fresh(struct tl_queue *q, u64 bytes)
{
	memset(q->slot, 0, sizeof(q->slot));
	q->newest = 1;
	q->slot_bytes = (u32)min((bytes - HEAD) / TL_QUEUE_SLOTS, (u64)INT32_MAX);
	q->mark = (struct mark){ .slot_bytes = q->slot_bytes, .magic = MAGIC, .cursor.at.slot = 1 };
	q->slot[1].seq = 1;
	if (ftruncate(q->fd, 0))
		return -errno;
	return 0;
}

/* What an earlier life has left, or nothing. One of another size is used up first. */
static int take_over(struct tl_queue *q, u64 bytes)
{
	struct tl_queue_at *at = &q->mark.cursor.at;
	u32 wanted = (u32)min((bytes - HEAD) / TL_QUEUE_SLOTS, (u64)INT32_MAX);
	int code = mark_read(q);
	u64 i, waiting = 0;

	if (code)
		return code;
	if (q->mark.slot_bytes < PAGE || q->mark.slot_bytes > INT32_MAX) {
		q->figures.torn = is_torn(q);
		q->figures.lost_intervals = q->figures.torn;
		return fresh(q, bytes);
	}
	q->slot_bytes = (u32)q->mark.slot_bytes;
	code = slots_find(q);
	for (i = 0; !code && i < TL_QUEUE_SLOTS; i++) {
		if (q->slot[i].seq)
			code = slot_scan(q, &q->slot[i], at);
		waiting += q->slot[i].samples;
	}
	if (code)
		return code;
	if (!q->newest || at->slot > q->newest)
		return fresh(q, bytes);
	if (!waiting && wanted != q->slot_bytes)
		return fresh(q, bytes);
	return 0;
}

static int ready(struct tl_queue *q, u64 bytes)
{
	int code = take_over(q, bytes);

	if (code)
		return code;
	q->figures.size = HEAD + (u64)q->slot_bytes * TL_QUEUE_SLOTS;
	reserve(q);
	/* A disk that is full now may have room later. */
	code = mark_write(q);
	return code == -ENOSPC || code == -EDQUOT || code == -EFBIG ? 0 : code;
}

/**
 * tl_queue_open() - Open a queue
 * @queue: set, to be given to tl_queue_close()
 * @file: its name; made if there is none
 * @bytes: its size; one of another size that is not empty stays as it is
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno, with *@queue then NULL.
 */
int tl_queue_open(struct tl_queue **queue, const char *file, u64 bytes, struct tl_error *err)
{
	struct tl_queue *q = calloc(1, sizeof(*q));
	int code;

	*queue = NULL;
	if (!q)
		return tl_error_no_memory(err);
	pthread_mutex_init(&q->lock, NULL);
	q->fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (q->fd < 0)
		code = tl_error_set(err, -errno, "%s: cannot be opened (%s): name a file in a folder that is there", file,
				    strerror(errno));
	else if (flock(q->fd, LOCK_EX | LOCK_NB))
		code = tl_error_set(err, -EBUSY, "%s: another tierlensd has it: end that, or name another file", file);
	else if (!tl_pen_begin(&q->records) || !tl_pen_begin(&q->marks) || tl_frames_begin(&q->frames, q->fd))
		code = tl_error_no_memory(err);
	else
		code = ready(q, bytes);
	if (code == -ENOMEM)
		tl_error_no_memory(err);
	else if (q->fd >= 0 && code && code != -EBUSY)
		tl_error_write(err, code, file);
	if (!code)
		*queue = q;
	else
		tl_queue_close(q);
	return code;
}

/**
 * tl_queue_close() - Close it; what waits stays there
 * @queue: queue or NULL
 */
void tl_queue_close(struct tl_queue *queue)
{
	if (!queue)
		return;
	if (queue->fd >= 0)
		close(queue->fd);
	tl_pen_end(&queue->records);
	tl_pen_end(&queue->marks);
	tl_frames_end(&queue->frames);
	pthread_mutex_destroy(&queue->lock);
	free(queue);
}

/* ---- writing ------------------------------------------------------------- */

/* A record whose end is not written is none, and is written over by the next. */
static int record_write(struct tl_queue *q, const struct slot *slot, int len)
{
	u64 place = place_of(q, slot->seq, slot->end);
	u32 none = 0;
	int code = 0;

	/* What an earlier round has left behind it is no record of this one: its numbers say so. */
	if (slot->end + (u32)len + sizeof(none) <= q->slot_bytes)
		code = tl_frame_write(q->fd, (u8 *)&none, sizeof(none), place + (u32)len);
	return code ? code : tl_frame_write(q->fd, q->records.frame, (size_t)len, place);
}

/* Return: length of all of them, or a negative errno. */
static int records_make(struct tl_queue *q, const struct slot *slot, const struct tl_record *record, size_t n)
{
	struct head head;
	size_t i;
	int len = 0;

	for (i = 0; i < n && len >= 0; i++) {
		head = (struct head){ slot->seq, record[i].last_ms, slot->index + (u32)i, record[i].kind,
				      record[i].samples, MAGIC };
		memcpy(record[i].byte, &head, sizeof(head));
		len = tl_frame_make(&q->records, (size_t)len, record[i].byte, record[i].n);
	}
	return len;
}

static void records_count(struct tl_queue *q, struct slot *slot, const struct tl_record *record, size_t n)
{
	for (; n; n--, record++) {
		slot->index++;
		slot->intervals += record->kind == TL_RECORD_VALUES;
		slot->samples += record->samples;
		slot->last_ms = max(slot->last_ms, record->last_ms);
	}
	q->last_ms = max(q->last_ms, slot->last_ms);
}

/**
 * tl_queue_put() - Add records, all or none of them
 * @queue: queue
 * @record: [@n] records; the first TL_RECORD_HEAD of their bytes are written over
 * @n: how many, which are to stand in one slot
 *
 * Context: the thread that writes.
 * Return: 0; -EAGAIN if the slot is full: then the next one has to be begun with tl_queue_turn(); -EFBIG if no slot is
 * so large, which is known before one is begun for it; or another negative errno: it cannot be written now.
 */
int tl_queue_put(struct tl_queue *queue, struct tl_record *record, size_t n)
{
	struct tl_queue *q = queue;
	struct slot *slot = slot_of(q, q->newest);
	int len = records_make(q, slot, record, n), code;

	if (len < 0)
		return len;
	if ((u32)len > q->slot_bytes - slot->end)
		return (u32)len > q->slot_bytes ? -EFBIG : -EAGAIN;
	if (!q->figures.reserved)
		reserve(q);
	code = record_write(q, slot, len);
	if (tl_pen_renew(&q->records, record->n) || code)
		return code ? code : -ENOMEM;
	pthread_mutex_lock(&q->lock);
	slot->end += (u32)len;
	records_count(q, slot, record, n);
	pthread_mutex_unlock(&q->lock);
	return 0;
}

/**
 * tl_queue_turn() - Begin another slot; what was not sent of the oldest is lost if there is none
 * @queue: queue
 *
 * Context: the thread that writes.
 */
void tl_queue_turn(struct tl_queue *queue)
{
	struct slot *slot;

	pthread_mutex_lock(&queue->lock);
	slot = slot_of(queue, ++queue->newest);
	queue->figures.lost_intervals += slot->intervals;
	queue->figures.lost_samples += slot->samples;
	*slot = (struct slot){ .seq = queue->newest };
	pthread_mutex_unlock(&queue->lock);
}

/**
 * tl_queue_drop() - Forget what tells of a later time, and all that is in the same slots
 * @queue: queue
 * @after_ms: later than that
 * @intervals: set to how many of them were not sent yet, and @samples
 *
 * Context: the thread that writes.
 */
void tl_queue_drop(struct tl_queue *queue, u64 after_ms, u64 *intervals, u64 *samples)
{
	struct tl_queue *q = queue;
	const u32 none = 0;
	bool turns;
	size_t i;

	*intervals = *samples = 0;
	pthread_mutex_lock(&q->lock);
	q->last_ms = 0;
	for (i = 0; i < TL_QUEUE_SLOTS; i++) {
		if (q->slot[i].last_ms > after_ms) {
			*intervals += q->slot[i].intervals;
			*samples += q->slot[i].samples;
			q->slot[i] = (struct slot){ 0 };
		}
		q->last_ms = max(q->last_ms, q->slot[i].last_ms);
	}
	turns = slot_of(q, q->newest)->seq != q->newest;
	pthread_mutex_unlock(&q->lock);
	/* Else the next life would find them. If that fails it does, and drops them again. */
	for (i = 0; i < TL_QUEUE_SLOTS; i++)
		if (!q->slot[i].seq)
			tl_frame_write(q->fd, (const u8 *)&none, sizeof(none), place_of(q, i, 0));
	if (turns)
		tl_queue_turn(q);
}

/**
 * tl_queue_is_broken() - Was something that records to come may need found to be damaged?
 * @queue: queue; it forgets that it was
 *
 * Return: true or false.
 */
bool tl_queue_is_broken(struct tl_queue *queue)
{
	bool broken;

	pthread_mutex_lock(&queue->lock);
	broken = queue->broken;
	queue->broken = false;
	pthread_mutex_unlock(&queue->lock);
	return broken;
}

/**
 * tl_queue_last_ms() - The last time of which there was any record
 * @queue: queue
 *
 * Context: the thread that writes.
 * Return: since the epoch; 0 for never.
 */
u64 tl_queue_last_ms(const struct tl_queue *queue)
{
	return queue->last_ms;
}

/**
 * tl_queue_sync() - Have what was written survive the end of the machine
 * @queue: queue
 *
 * Context: any thread that may wait for the disk.
 * Return: 0 or a negative errno.
 */
int tl_queue_sync(struct tl_queue *queue)
{
	return fdatasync(queue->fd) ? -errno : 0;
}

/* ---- reading ------------------------------------------------------------- */

/**
 * tl_queue_cursor() - How far all was sent
 * @queue: queue
 * @cursor: filled in
 */
void tl_queue_cursor(struct tl_queue *queue, struct tl_queue_cursor *cursor)
{
	pthread_mutex_lock(&queue->lock);
	*cursor = queue->mark.cursor;
	pthread_mutex_unlock(&queue->lock);
}

static u64 oldest_of(const struct tl_queue *q)
{
	return q->newest > TL_QUEUE_SLOTS - 1 ? q->newest - (TL_QUEUE_SLOTS - 1) : 1;
}

/**
 * tl_queue_has() - Is what was read there still, or did it have to make room?
 * @queue: queue
 * @at: where it ended
 *
 * Return: true or false.
 */
bool tl_queue_has(struct tl_queue *queue, const struct tl_queue_at *at)
{
	bool has;

	pthread_mutex_lock(&queue->lock);
	has = at->slot >= oldest_of(queue) && slot_of(queue, at->slot)->seq == at->slot;
	pthread_mutex_unlock(&queue->lock);
	return has;
}

/* Return: 1 if there is a record at @at, 0 if none yet, -ESTALE if it is gone: then @at is the oldest. */
static int at_look(struct tl_queue *q, struct tl_queue_at *at)
{
	struct slot *slot;

	if (at->slot < oldest_of(q)) {
		*at = (struct tl_queue_at){ .slot = oldest_of(q) };
		return -ESTALE;
	}
	for (;;) {
		slot = slot_of(q, at->slot);
		if (slot->seq == at->slot && at->offset < slot->end)
			return 1;
		if (at->slot >= q->newest)
			return 0;
		*at = (struct tl_queue_at){ .slot = at->slot + 1 };
	}
}

/**
 * tl_queue_pass() - Pass over what cannot be read
 * @queue: queue
 * @at: where tl_queue_get() said so; set to where there may be more
 *
 * The rest of its slot means nothing without it: all of that counts as lost, so what was read before has to be marked.
 *
 * Context: the thread that reads.
 */
void tl_queue_pass(struct tl_queue *queue, struct tl_queue_at *at)
{
	struct tl_queue *q = queue;
	struct slot *slot = slot_of(q, at->slot);

	pthread_mutex_lock(&q->lock);
	if (slot->seq == at->slot) {
		q->figures.lost_intervals += slot->intervals;
		q->figures.damaged_samples += slot->samples;
		slot->intervals = slot->samples = 0;
		if (at->slot == q->newest) {
			q->broken = true;
			at->offset = slot->end;
			at->index = slot->index;
		} else {
			*at = (struct tl_queue_at){ .slot = at->slot + 1 };
		}
	}
	pthread_mutex_unlock(&q->lock);
}

/**
 * tl_queue_get() - Read a record
 * @queue: queue
 * @at: where; set behind it, or to where the next one will be
 * @record: filled in
 *
 * Context: the thread that reads.
 * Return: 1; 0 if there is none yet; -ESTALE if what was there is gone, and @at is at what there is instead; -EBADMSG if
 * it cannot be read: tl_queue_pass() goes on behind it; or -ENOMEM.
 */
int tl_queue_get(struct tl_queue *queue, struct tl_queue_at *at, struct tl_record *record)
{
	struct head head;
	size_t n;
	int code;

	pthread_mutex_lock(&queue->lock);
	code = at_look(queue, at);
	pthread_mutex_unlock(&queue->lock);
	if (code <= 0)
		return code;
	code = record_take(queue, at, &head, &n);
	if (code)
		return code == -ENOENT ? -EBADMSG : code;
	*record = (struct tl_record){ head.kind, head.samples, head.last_ms, queue->frames.plain, n };
	return 1;
}

/**
 * tl_queue_mark() - So far all was sent
 * @queue: queue
 * @cursor: how far
 * @intervals: more that need not be sent again, and @samples
 *
 * Context: the thread that reads.
 * Return: 0 or a negative errno: then some would be sent again if we began anew now.
 */
int tl_queue_mark(struct tl_queue *queue, const struct tl_queue_cursor *cursor, u64 intervals, u64 samples)
{
	struct slot *slot = slot_of(queue, queue->mark.cursor.at.slot);
	u64 i;

	pthread_mutex_lock(&queue->lock);
	for (i = queue->mark.cursor.at.slot; i < cursor->at.slot && i + TL_QUEUE_SLOTS > cursor->at.slot; i++)
		if (slot_of(queue, i)->seq == i)
			slot_of(queue, i)->intervals = slot_of(queue, i)->samples = 0;
	slot = slot_of(queue, cursor->at.slot);
	if (slot->seq == cursor->at.slot) {
		slot->intervals -= min(intervals, slot->intervals);
		slot->samples -= min(samples, slot->samples);
	}
	queue->mark.cursor = *cursor;
	pthread_mutex_unlock(&queue->lock);
	return mark_write(queue);
}

/**
 * tl_queue_figures() - How it is
 * @queue: queue
 * @figures: filled in
 */
void tl_queue_figures(struct tl_queue *queue, struct tl_queue_figures *figures)
{
	const struct slot *slot;
	size_t i;

	pthread_mutex_lock(&queue->lock);
	*figures = queue->figures;
	for (i = 0; i < TL_QUEUE_SLOTS; i++) {
		slot = &queue->slot[i];
		figures->intervals += slot->intervals;
		figures->samples += slot->samples;
		if (slot->seq > queue->mark.cursor.at.slot)
			figures->bytes += slot->end;
		else if (slot->seq == queue->mark.cursor.at.slot)
			figures->bytes += slot->end - min(slot->end, queue->mark.cursor.at.offset);
	}
	pthread_mutex_unlock(&queue->lock);
}
