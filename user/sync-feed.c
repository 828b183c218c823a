// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sync points as the kernel hands them out
 *
 * They are only put aside while they come, into a file that goes with us however we end: what
 * is done with them takes longer than the recorded processes should wait for, or have to share
 * the processors with. The kernel hands out whole records, each processor's by itself, so
 * their order is that of their numbers.
 */
#include "sync-feed.h"

#include "clock.h"
#include "error.h"
#include "out.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define READ_BYTES ((size_t)1 << 20)
#define PAUSE_S 0.02
#define LATE_S 2 /* the kernel says when the time is over; if it does not, it is over all the same */
#define DRAIN_S 1

/**
 * tl_sync_record() - The record at a place
 * @at: aligned to 8 bytes
 * @left: bytes that there are from there on
 *
 * Return: it, or NULL if what is there is none, or not whole.
 */
const struct tierlens_sync_record *tl_sync_record(const void *at, size_t left)
{
	const struct tierlens_sync_record *record = at;

	if (left < sizeof(*record) || record->size < sizeof(*record) || record->size > left || record->size % 8)
		return NULL;
	if (record->registers * sizeof(u64) + (u64)record->stack > record->size - sizeof(*record))
		return NULL;
	return record;
}

/* In the folder of the result, which has the room that it needs, unless TMPDIR says else. */
static int spool_open(const char *file)
{
	const char *folder = getenv("TMPDIR"), *slash = strrchr(file, '/');
	char *name = NULL;
	int fd = -1, len;

	if (folder && *folder)
		len = asprintf(&name, "%s/tierlens-XXXXXX", folder);
	else if (slash)
		len = asprintf(&name, "%.*s/tierlens-XXXXXX", (int)(slash - file), file);
	else
		len = asprintf(&name, "./tierlens-XXXXXX");
	if (len < 0)
		return -ENOMEM;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	else
		unlink(name);
	free(name);
	return fd;
}

/**
 * tl_sync_feed_open() - Make room for what will be recorded
 * @feed: @limit is set
 * @file: what will come of it; the room is beside it
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_sync_feed_open(struct tl_sync_feed *feed, const char *file, struct tl_error *err)
{
	feed->spool = spool_open(file);
	if (feed->spool >= 0)
		return 0;
	return tl_error_set(err, feed->spool, "cannot put records aside beside %s (%s): write elsewhere, or set "
			    "TMPDIR to a folder with room", file, strerror(-feed->spool));
}

static int spool_write(struct tl_sync_feed *feed, const char *from, size_t n, struct tl_error *err)
{
	ssize_t put;

	while (n) {
		put = write(feed->spool, from, n);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return tl_error_set(err, -errno, "cannot put records aside (%s): make room, record for a shorter "
					    "time, or set TMPDIR to a folder with room", strerror(errno));
		feed->bytes += (u64)put;
		from += put;
		n -= (size_t)put;
	}
	return 0;
}

/* How much of what was read are records that there is room for. */
static size_t records_of(struct tl_sync_feed *feed, const char *from, size_t n)
{
	const struct tierlens_sync_record *record;
	size_t at = 0;

	while (!feed->full && (record = tl_sync_record(from + at, n - at))) {
		if (record->op == TIERLENS_SYNC_END)
			feed->next = record->seq;
		if (feed->bytes + at + record->size > feed->limit) {
			feed->full = true;
			break;
		}
		if (feed->seen && record->op < TIERLENS_SYNC_VOID)
			feed->seen(feed->arg, record);
		feed->records++;
		at += record->size;
	}
	return at;
}

/*
 * What there is now. A record of which the end is still to come stays at the beginning of the
 * buffer. Return: 1 if all was read, 0 if it is over, or a negative errno.
 */
static int drain(struct tl_sync_feed *feed, char *buffer, size_t *have, double until_s, struct tl_error *err)
{
	ssize_t got;
	size_t used;
	int code;

	while (!feed->full && tl_clock_s(CLOCK_MONOTONIC) < until_s) {
		got = read(feed->fd, buffer + *have, READ_BYTES - *have);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return 1;
		if (got < 0)
			return tl_error_set(err, -errno, "cannot read the recording (%s): see dmesg", strerror(errno));
		if (!got)
			break;
		*have += (size_t)got;
		used = records_of(feed, buffer, *have);
		code = spool_write(feed, buffer, used, err);
		if (code)
			return code;
		*have -= used;
		memmove(buffer, buffer + used, *have);
		/* No record is so long: what is there is none. */
		if (!feed->full && *have == READ_BYTES) {
			feed->damaged++;
			*have = 0;
		}
	}
	return tl_clock_s(CLOCK_MONOTONIC) >= until_s;
}

/* Until the time is over, somebody says so, or there is no more room. */
static int loop(struct tl_sync_feed *feed, char *buffer, struct tl_error *err)
{
	double began_s = tl_clock_s(CLOCK_MONOTONIC), end_s = began_s + feed->seconds + LATE_S;
	bool stopped = false;
	size_t have = 0;
	u64 before;
	int code = 1;

	while (code > 0 && !stopped && tl_clock_s(CLOCK_MONOTONIC) < end_s) {
		stopped = tl_signals_stopped();
		before = feed->bytes;
		if (stopped)
			ioctl(feed->fd, TIERLENS_SYNC_STOP);
		code = drain(feed, buffer, &have, stopped ? tl_clock_s(CLOCK_MONOTONIC) + DRAIN_S : end_s, err);
		tl_out_progress("%.0f of %g s, %" PRIu64 " events", min(tl_clock_s(CLOCK_MONOTONIC) - began_s, feed->seconds),
				feed->seconds, feed->records);
		/* Where much comes, buffers would be full before the pause is over. */
		if (code > 0 && !stopped && feed->bytes - before < READ_BYTES)
			tl_signals_sleep(PAUSE_S);
	}
	feed->damaged += !feed->full && have;
	return min(code, 0);
}

/**
 * tl_sync_feed_read() - Read until the recording is over, or a signal ends it
 * @feed: to read
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno; what was read before is kept.
 */
int tl_sync_feed_read(struct tl_sync_feed *feed, struct tl_error *err)
{
	char *buffer = aligned_alloc(8, READ_BYTES);
	int code = buffer ? loop(feed, buffer, err) : tl_error_no_memory(err);

	tl_out_progress_end();
	free(buffer);
	return code;
}

/**
 * tl_sync_feed_close() - Forget what was put aside
 * @feed: feed
 */
void tl_sync_feed_close(struct tl_sync_feed *feed)
{
	if (feed->spool >= 0)
		close(feed->spool);
	feed->spool = -1;
}

/* ---- in order -------------------------------------------------------------------------------- */

static int seq_compare(const void *a, const void *b)
{
	const struct tl_sync_event *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Each once, and what is missing from the first, which has number 1, to the last that there was. */
static void numbers_check(struct tl_sync_events *events, u64 next)
{
	size_t i, kept = 0;

	for (i = 0; i < events->n; i++) {
		if (kept && events->event[kept - 1].seq == events->event[i].seq)
			events->doubled++;
		else
			events->event[kept++] = events->event[i];
	}
	events->n = kept;
	if (kept && events->event[kept - 1].seq >= next)
		next = events->event[kept - 1].seq + 1;
	events->lost = next > kept ? next - 1 - kept : 0;
}

/**
 * tl_sync_events_read() - What was put aside, in the order of events
 * @feed: what was read
 * @events: written; to be freed by tl_sync_events_free(), also after a failure
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_sync_events_read(const struct tl_sync_feed *feed, struct tl_sync_events *events, struct tl_error *err)
{
	const struct tierlens_sync_record *record;
	size_t at = 0;

	*events = (struct tl_sync_events){ .bytes = feed->bytes, .lost = feed->next ? feed->next - 1 : 0 };
	if (!feed->bytes)
		return 0;
	events->event = calloc(feed->records, sizeof(*events->event));
	events->at = mmap(NULL, events->bytes, PROT_READ, MAP_PRIVATE, feed->spool, 0);
	if (events->at == MAP_FAILED)
		events->at = NULL;
	if (!events->event || !events->at)
		return tl_error_no_memory(err);
	while ((record = tl_sync_record((char *)events->at + at, events->bytes - at))) {
		at += record->size;
		if (record->op != TIERLENS_SYNC_END)
			events->event[events->n++] = (struct tl_sync_event){ record->seq, record };
	}
	qsort(events->event, events->n, sizeof(*events->event), seq_compare);
	numbers_check(events, feed->next);
	return 0;
}

/**
 * tl_sync_events_free() - Free them
 * @events: events
 */
void tl_sync_events_free(struct tl_sync_events *events)
{
	free(events->event);
	if (events->at)
		munmap(events->at, events->bytes);
	*events = (struct tl_sync_events){ 0 };
}
