/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_HISTORY_STORE_H
#define TL_DAEMON_HISTORY_STORE_H

#include "daemon/history.h"
#include "gap.h"
#include "history-code.h"

/**
 * struct tl_store - The history's file, and what is known of it
 * @bytes: of each level, packed
 * @added: of each level, the last row that is in one of the next level
 * @lost: intervals that found no place, in all
 * @damaged: rows that could not be read when they were added up
 * @gap: between intervals
 * @looked_at: the file was found to be whole by this process
 */
struct tl_store {
	struct tl_base base;
	const struct tl_history_limits *limits;
	struct tl_packer *packer;
	u64 bytes[TL_HISTORY_LEVELS], log_bytes, log_rows;
	sqlite3_int64 added[TL_HISTORY_LEVELS];
	u64 lost, damaged;
	struct tl_gap gap;
	bool looked_at;
};

/* A row to be written. @first, @last: those of the level before that are in it. */
struct tl_store_row {
	u64 start_ns, end_ns, length_ns, generation, intervals, missed, gap_ns;
	sqlite3_int64 first, last;
	struct tl_packed packed;
};

int tl_store_open(struct tl_store *store, const char *file, struct tl_error *err);
void tl_store_close(struct tl_store *store);
int tl_store_begin(struct tl_store *store, struct tl_error *err);
int tl_store_end(struct tl_store *store, int code, struct tl_error *err);
int tl_store_save(struct tl_store *store, struct tl_error *err);
int tl_store_put(struct tl_store *store, unsigned int level, const struct tl_store_row *row, struct tl_error *err);
int tl_store_interval(struct tl_store *store, struct tl_store_row *row, struct tl_error *err);
int tl_store_log(struct tl_store *store, double t_s, const char *json, struct tl_error *err);

/* history-sum.c */
int tl_store_sum(struct tl_store *store, struct tl_error *err);
/* history-keep.c */
int tl_store_keep(struct tl_store *store, struct tl_error *err);
int tl_store_shrink(struct tl_store *store, struct tl_error *err);
sqlite3_int64 tl_store_pages(const struct tl_store *store);

#endif
