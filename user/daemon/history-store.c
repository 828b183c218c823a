// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The history's file, written
 *
 * Everything of a batch is one transaction: the intervals, the sums that they complete, what has to go
 * for them, and how far all that is. So whenever the writer ends, the file is of one moment, and nothing
 * has to be remembered beside it.
 */
#include "daemon/history-store.h"

#include "error.h"
#include "table.h"

#include <errno.h>
#include <stdio.h>

#define WAIT_MS 20 /* the kernel's intervals wait as well */
#define PAGES_OF_LOG 500 /* before what is written goes to its place */

/* Debian's SQLite would write over all that is deleted; it is no secret, and costs as much as writing it. */
static const char pragmas[] =
	"PRAGMA synchronous = NORMAL; PRAGMA secure_delete = OFF; PRAGMA cache_size = -1500; PRAGMA temp_store = MEMORY;"
	"PRAGMA journal_size_limit = 4194304;";

/* What stands in the file decides what may be done to it, before anything is. */
static int look(struct tl_store *store, sqlite3_int64 *tables, struct tl_error *err)
{
	int code = tl_base_number(&store->base, "SELECT count(*) FROM sqlite_master", tables, err);

	if (!code && *tables)
		code = tl_base_check(&store->base, false, err);
	return code;
}

static int make(struct tl_store *store, struct tl_error *err)
{
	int code = tl_base_do(&store->base, "BEGIN IMMEDIATE", err);

	return code ? code : tl_store_end(store, tl_base_check(&store->base, true, err), err);
}

/*
 * All of it is looked at once: SQLite itself sees only what it comes by, and does not always say so. Also
 * that each row is in each index: else what is behind a key that is damaged would be missing without a word.
 */
static int whole(struct tl_store *store, struct tl_error *err)
{
	sqlite3_int64 is = 0;
	int code = tl_base_number(&store->base, "SELECT integrity_check = 'ok' FROM pragma_integrity_check(1)", &is, err);

	if (code || is)
		return code;
	return tl_error_set(err, -EUCLEAN, "%s: it is damaged: %s", store->base.name, tl_history_kind.anew);
}

static int prepare(struct tl_store *store, struct tl_error *err)
{
	sqlite3_int64 tables = 0;
	char most[80];
	int code = look(store, &tables, err);

	if (!code && tables && !store->looked_at)
		code = whole(store, err);
	if (!code && !tables)
		code = tl_base_do(&store->base, "PRAGMA auto_vacuum = INCREMENTAL", err);
	code = code ? code : tl_base_do(&store->base, "PRAGMA journal_mode = WAL", err);
	code = code ? code : tl_base_do(&store->base, pragmas, err);
	sqlite3_wal_autocheckpoint(store->base.db, PAGES_OF_LOG);
	if (!code && !tables)
		code = make(store, err);
	/* One batch may stand above what there may be until the oldest has gone for it. */
	snprintf(most, sizeof(most), "PRAGMA max_page_count = %lld", tl_store_pages(store) * 5 / 4 + 1000);
	return code ? code : tl_base_do(&store->base, most, err);
}

/**
 * tl_store_open() - Open the file, or make it
 * @store: with its limits and packer; the rest is filled in. To be closed, however it ends
 * @file: its name
 * @err: the sentence if it fails
 *
 * Return: 0; -EINVAL if it is something else; -EUCLEAN if it is damaged; another negative errno.
 */
int tl_store_open(struct tl_store *store, const char *file, struct tl_error *err)
{
	int code = tl_base_open(&store->base, &tl_history_kind, file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
				WAIT_MS, err);

	return code ? code : prepare(store, err);
}

/**
 * tl_store_close() - Close it
 * @store: store
 */
void tl_store_close(struct tl_store *store)
{
	tl_base_close(&store->base);
}

static int state_get(struct tl_store *store, const char *key, sqlite3_int64 *value, struct tl_error *err)
{
	sqlite3_stmt *st = tl_base_ask(&store->base, "SELECT value FROM state WHERE key = ?", "t", key);
	int step = st ? sqlite3_step(st) : SQLITE_ERROR, code = 0;

	*value = step == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		code = tl_base_failed(&store->base, err);
	sqlite3_finalize(st);
	return code;
}

static int state_set(struct tl_store *store, const char *key, sqlite3_int64 value, struct tl_error *err)
{
	return tl_base_end(&store->base, tl_base_ask(&store->base, "INSERT OR REPLACE INTO state VALUES(?, ?)", "ti", key,
						     value), err);
}

static void added_key(char *key, size_t room, unsigned int level)
{
	snprintf(key, room, "added_%s", tl_history_level[level].table);
}

static int level_load(struct tl_store *store, unsigned int level, struct tl_error *err)
{
	char sql[100], key[40];
	sqlite3_int64 bytes = 0;
	int code;

	snprintf(sql, sizeof(sql), "SELECT coalesce(sum(bytes), 0) FROM %s", tl_history_level[level].table);
	code = tl_base_number(&store->base, sql, &bytes, err);
	store->bytes[level] = (u64)bytes;
	added_key(key, sizeof(key), level);
	return code ? code : state_get(store, key, &store->added[level], err);
}

/* The last interval of all. */
static int gap_load(struct tl_store *store, struct tl_error *err)
{
	sqlite3_int64 last[3] = { 0 };
	int code = state_get(store, "last_generation", &last[0], err);

	code = code ? code : state_get(store, "last_end_ns", &last[1], err);
	code = code ? code : state_get(store, "last_length_ns", &last[2], err);
	store->gap = (struct tl_gap){ .generation = (u64)last[0], .end_ns = (u64)last[1], .length_ns = (u64)last[2] };
	return code;
}

static int load(struct tl_store *store, struct tl_error *err)
{
	sqlite3_int64 lost = 0, rows = 0, bytes = 0, damaged = 0;
	unsigned int i;
	int code = 0;

	for (i = 0; i < TL_HISTORY_LEVELS && !code; i++)
		code = level_load(store, i, err);
	code = code ? code : gap_load(store, err);
	code = code ? code : state_get(store, "lost", &lost, err);
	code = code ? code : state_get(store, "damaged", &damaged, err);
	code = code ? code : state_get(store, "log_rows", &rows, err);
	code = code ? code : state_get(store, "log_bytes", &bytes, err);
	store->lost = (u64)lost;
	store->damaged = (u64)damaged;
	store->log_rows = (u64)rows;
	store->log_bytes = (u64)bytes;
	return code;
}

/**
 * tl_store_save() - Keep how far all is
 * @store: store, in a batch, at its end
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_store_save(struct tl_store *store, struct tl_error *err)
{
	unsigned int i;
	char key[40];
	int code = 0;

	for (i = 0; i < TL_HISTORY_LEVELS && !code; i++) {
		added_key(key, sizeof(key), i);
		code = state_set(store, key, store->added[i], err);
	}
	code = code ? code : state_set(store, "last_generation", (sqlite3_int64)store->gap.generation, err);
	code = code ? code : state_set(store, "last_end_ns", (sqlite3_int64)store->gap.end_ns, err);
	code = code ? code : state_set(store, "last_length_ns", (sqlite3_int64)store->gap.length_ns, err);
	code = code ? code : state_set(store, "lost", (sqlite3_int64)store->lost, err);
	code = code ? code : state_set(store, "damaged", (sqlite3_int64)store->damaged, err);
	code = code ? code : state_set(store, "log_rows", (sqlite3_int64)store->log_rows, err);
	return code ? code : state_set(store, "log_bytes", (sqlite3_int64)store->log_bytes, err);
}

/**
 * tl_store_begin() - Begin a batch
 * @store: store
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno; tl_store_end() is to be called only for 0.
 */
int tl_store_begin(struct tl_store *store, struct tl_error *err)
{
	int code = tl_base_do(&store->base, "BEGIN IMMEDIATE", err);

	if (code)
		return code;
	code = load(store, err);
	if (code)
		sqlite3_exec(store->base.db, "ROLLBACK", NULL, NULL, NULL);
	return code;
}

/**
 * tl_store_end() - End it
 * @store: store
 * @code: 0 for what went well, all else is taken back
 * @err: the sentence if it fails now; as it is if it had failed
 *
 * Return: 0, @code or a negative errno.
 */
int tl_store_end(struct tl_store *store, int code, struct tl_error *err)
{
	code = code ? code : tl_base_do(&store->base, "COMMIT", err);
	/* Of some failures SQLite itself has taken it back. */
	if (code && !sqlite3_get_autocommit(store->base.db))
		sqlite3_exec(store->base.db, "ROLLBACK", NULL, NULL, NULL);
	return code;
}

/**
 * tl_store_put() - Write a row
 * @store: store, in a batch
 * @level: of which table
 * @row: the row
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_store_put(struct tl_store *store, unsigned int level, const struct tl_store_row *row, struct tl_error *err)
{
	const struct tl_packed *packed = &row->packed;
	u64 bytes = packed->n[TL_CODE_SUMS] + packed->n[TL_CODE_HISTS];
	sqlite3_stmt *st;
	char sql[200];

	snprintf(sql, sizeof(sql), "INSERT INTO %s(start_ns, end_ns, generation, intervals, missed, gap_ns, first, last, "
		 "bytes, sums, hists) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", tl_history_level[level].table);
	st = tl_base_ask(&store->base, sql, "iiiiiiiii", row->start_ns, row->end_ns, row->generation, row->intervals,
			 row->missed, row->gap_ns, row->first, row->last, bytes);
	if (st) {
		sqlite3_bind_blob64(st, 10, packed->byte[TL_CODE_SUMS], packed->n[TL_CODE_SUMS], SQLITE_STATIC);
		sqlite3_bind_blob64(st, 11, packed->byte[TL_CODE_HISTS], packed->n[TL_CODE_HISTS], SQLITE_STATIC);
	}
	store->bytes[level] += bytes;
	return tl_base_end(&store->base, st, err);
}

/* A daemon that begins again is given what the kernel still keeps. */
static int is_there(struct tl_store *store, const struct tl_store_row *row, struct tl_error *err)
{
	sqlite3_stmt *st = tl_base_ask(&store->base, "SELECT 1 FROM raw WHERE start_ns = ? AND end_ns = ? AND "
				       "generation = ?", "iii", row->start_ns, row->end_ns, row->generation);
	int step = st ? sqlite3_step(st) : SQLITE_ERROR, code;

	code = step == SQLITE_ROW ? 1 : step == SQLITE_DONE ? 0 : tl_base_failed(&store->base, err);
	sqlite3_finalize(st);
	return code;
}

static void gap_look(struct tl_store *store, struct tl_store_row *row)
{
	struct tl_interval interval = { .generation = row->generation, .start_ns = row->start_ns,
					.length_ns = row->length_ns };
	u64 before_ns = store->gap.end_ns;

	tl_gap_look(&store->gap, &interval);
	row->missed = store->gap.missed;
	/* Ends and beginnings are stamped one after the other. */
	if (before_ns && row->start_ns > before_ns + row->length_ns / 2)
		row->gap_ns = row->start_ns - before_ns;
}

/**
 * tl_store_interval() - Write an interval, unless it is there
 * @store: store, in a batch
 * @row: the row; what is missing before it is filled in
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_store_interval(struct tl_store *store, struct tl_store_row *row, struct tl_error *err)
{
	int there = is_there(store, row, err);

	if (there)
		return min(there, 0);
	row->missed = row->gap_ns = 0;
	gap_look(store, row);
	return tl_store_put(store, 0, row, err);
}

/**
 * tl_store_log() - Write a row of the log
 * @store: store, in a batch
 * @t_s: when
 * @json: what
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_store_log(struct tl_store *store, double t_s, const char *json, struct tl_error *err)
{
	store->log_rows++;
	store->log_bytes += strlen(json);
	return tl_base_end(&store->base, tl_base_ask(&store->base, "INSERT INTO log(t, row) VALUES(?, ?)", "dt", t_s, json),
			   err);
}
