/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SYNC_FEED_H
#define TL_SYNC_FEED_H

#include "hist.h"

#include <linux/tierlens-sync.h>
#include <stdbool.h>

struct tl_error;

/**
 * struct tl_sync_feed - What the kernel records, into a file that has no name
 * @fd: what is read from; the caller's
 * @seconds: how long it goes on
 * @limit: bytes that are kept at most
 * @seen: called for each record when it has come, if not NULL, with @arg
 * @spool: the file
 * @bytes: in it, @records: as many
 * @damaged: reads of which the rest was no record
 * @next: the number that the next event would have had, 0 if the kernel did not say
 * @full: it ended because @limit was reached
 */
struct tl_sync_feed {
	int fd, spool;
	double seconds;
	u64 limit, bytes, records, damaged, next;
	void (*seen)(void *arg, const struct tierlens_sync_record *record);
	void *arg;
	bool full;
};

/* A record and its place in the order of events. */
struct tl_sync_event {
	u64 seq;
	const struct tierlens_sync_record *record;
};

/**
 * struct tl_sync_events - All records in the order of events
 * @event: [@n] by seq, each once
 * @lost: numbers that are missing, @doubled: that came twice
 * @at: where the file is mapped, @bytes
 */
struct tl_sync_events {
	struct tl_sync_event *event;
	size_t n;
	u64 lost, doubled;
	void *at;
	size_t bytes;
};

int tl_sync_feed_open(struct tl_sync_feed *feed, const char *file, struct tl_error *err);
int tl_sync_feed_read(struct tl_sync_feed *feed, struct tl_error *err);
void tl_sync_feed_close(struct tl_sync_feed *feed);
int tl_sync_events_read(const struct tl_sync_feed *feed, struct tl_sync_events *events,
			struct tl_error *err);
void tl_sync_events_free(struct tl_sync_events *events);
const struct tierlens_sync_record *tl_sync_record(const void *at, size_t left);

static inline const u64 *tl_sync_registers(const struct tierlens_sync_record *record)
{
	return (const u64 *)(record + 1);
}

#endif
