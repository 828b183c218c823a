/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SYNC_WATCH_H
#define TL_SYNC_WATCH_H

#include "maps.h"
#include "model/ids.h"

struct tierlens_sync_record;

#define TL_SYNC_COMM 16

/* A thread that was seen, @comm: as it called itself last, "" if that is not known. */
struct tl_sync_thread {
	u32 process, thread;
	char comm[TL_SYNC_COMM];
};

/**
 * struct tl_sync_watch - What must be found out while processes are there
 * @maps: of them
 * @threads: numbers of those that were seen, by process and thread
 * @thread: [@threads.n]
 * @processes: numbers of theirs
 * @made: threads that were seen to be made, each with the process that made it
 * @no_memory: something could not be kept
 */
struct tl_sync_watch {
	struct tl_maps maps;
	struct tl_ids threads, processes, made;
	struct tl_sync_thread *thread;
	size_t n;
	bool no_memory;
};

int tl_sync_watch_process(struct tl_sync_watch *watch, u32 pid);
void tl_sync_watch_record(void *watch, const struct tierlens_sync_record *record);
void tl_sync_watch_end(struct tl_sync_watch *watch);
const struct tl_sync_thread *tl_sync_watch_thread(struct tl_sync_watch *watch, u32 process, u32 thread);
void tl_sync_watch_free(struct tl_sync_watch *watch);

#endif
