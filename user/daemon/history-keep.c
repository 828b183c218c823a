// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How much of the history is kept
 *
 * What goes, goes in wholes: all that a row of the next level is the sum of. By age, as it was some
 * intervals ago, and a few of them a batch, so that a clock that was far ahead for a moment has not
 * emptied the history when it is right again. By bytes, until there is room: of the finest level that has more than its share of what all
 * have; so a small service keeps intervals for long, and a large one still has its days.
 */
#include "daemon/history-store.h"

#include "error.h"

#include <stdio.h>

#define WHOLES_BY_AGE 4 /* of each level, a batch */
#define NOW_BEFORE 100 /* intervals for which the clock has to have been where it is */
#define BESIDE_BYTES (8ULL << 20) /* what SQLite has beside the file, and a batch that comes before what goes */
#define LOG_PART 24 /* the log's part of all */
#define VACUUM_PAGES 2000

/**
 * tl_store_pages() - How many pages there may be
 * @store: store
 *
 * Return: the number.
 */
sqlite3_int64 tl_store_pages(const struct tl_store *store)
{
	u64 bytes = store->limits->bytes > 2 * BESIDE_BYTES ? store->limits->bytes - BESIDE_BYTES : BESIDE_BYTES;

	return (sqlite3_int64)(bytes / 4096);
}

static int pages_used(struct tl_store *store, sqlite3_int64 *pages, struct tl_error *err)
{
	sqlite3_int64 size = 4096, all = 0, unused = 0;
	int code = tl_base_number(&store->base, "PRAGMA page_count", &all, err);

	code = code ? code : tl_base_number(&store->base, "PRAGMA freelist_count", &unused, err);
	code = code ? code : tl_base_number(&store->base, "PRAGMA page_size", &size, err);
	*pages = (all - unused) * (size / 512) / 8;
	return code;
}

/* Columns of a row. Return: 1 if there is one, 0 if not, a negative errno. */
static int first_of(struct tl_store *store, const char *sql, sqlite3_int64 with, sqlite3_int64 *value)
{
	sqlite3_stmt *st = tl_base_ask(&store->base, sql, "i", with);
	int step = st ? sqlite3_step(st) : SQLITE_ERROR;

	if (step == SQLITE_ROW)
		*value = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return step == SQLITE_ROW ? 1 : step == SQLITE_DONE ? 0 : -1;
}

/* The last of those that go with the oldest one. Return: as above. */
static int whole_of(struct tl_store *store, unsigned int level, sqlite3_int64 oldest, sqlite3_int64 *last)
{
	char sql[120];

	*last = oldest;
	if (level + 1 == TL_HISTORY_LEVELS)
		return 1;
	snprintf(sql, sizeof(sql), "SELECT last FROM %s WHERE last >= ? ORDER BY last LIMIT 1",
		 tl_history_level[level + 1].table);
	return first_of(store, sql, oldest, last);
}

static int rows_drop(struct tl_store *store, unsigned int level, sqlite3_int64 last, struct tl_error *err)
{
	const char *table = tl_history_level[level].table;
	sqlite3_int64 bytes = 0;
	sqlite3_stmt *st;
	char sql[120];

	snprintf(sql, sizeof(sql), "SELECT sum(bytes) FROM %s WHERE id <= ?", table);
	if (first_of(store, sql, last, &bytes) < 0)
		return tl_base_failed(&store->base, err);
	store->bytes[level] -= min(store->bytes[level], (u64)bytes);
	snprintf(sql, sizeof(sql), "DELETE FROM %s WHERE id <= ?", table);
	st = tl_base_ask(&store->base, sql, "i", last);
	return tl_base_end(&store->base, st, err);
}

/* The oldest whole, if it ended before. Return: 1 if it went, 0 if there is none, a negative errno. */
static int whole_drop(struct tl_store *store, unsigned int level, u64 before_ns, struct tl_error *err)
{
	sqlite3_int64 oldest, last, end_ns = 0;
	char sql[100];
	int found, code;

	snprintf(sql, sizeof(sql), "SELECT min(id) FROM %s WHERE ? HAVING min(id) IS NOT NULL", tl_history_level[level].table);
	found = first_of(store, sql, 1, &oldest);
	if (found > 0)
		found = whole_of(store, level, oldest, &last);
	if (found > 0) {
		snprintf(sql, sizeof(sql), "SELECT end_ns FROM %s WHERE id = ?", tl_history_level[level].table);
		found = first_of(store, sql, last, &end_ns);
	}
	if (found < 0)
		return tl_base_failed(&store->base, err);
	if (!found || (u64)end_ns >= before_ns)
		return 0;
	code = rows_drop(store, level, last, err);
	return code ? code : 1;
}

static int now_look(struct tl_store *store, u64 *now_ns, struct tl_error *err)
{
	sqlite3_int64 before = 0;
	int found = first_of(store, "SELECT end_ns FROM raw WHERE id >= (SELECT max(id) FROM raw) - ? ORDER BY id LIMIT 1",
			     NOW_BEFORE, &before);

	*now_ns = found > 0 ? min(store->gap.end_ns, (u64)before) : store->gap.end_ns;
	return found < 0 ? tl_base_failed(&store->base, err) : 0;
}

static int keep_young(struct tl_store *store, struct tl_error *err)
{
	u64 now_ns, age_ns;
	unsigned int level, n;
	int code = now_look(store, &now_ns, err);

	for (level = 0; level < TL_HISTORY_LEVELS && code >= 0; level++) {
		age_ns = store->limits->age_ns[level];
		for (n = 0, code = 1; n < WHOLES_BY_AGE && code > 0 && now_ns > age_ns; n++)
			code = whole_drop(store, level, now_ns - age_ns, err);
	}
	return min(code, 0);
}

/* Nothing was added up yet of all that there is: the oldest row alone, and it is lost. */
static int single_drop(struct tl_store *store, struct tl_error *err)
{
	unsigned int level, most = 0;
	sqlite3_int64 oldest = 0;
	char sql[100];

	for (level = 1; level < TL_HISTORY_LEVELS; level++)
		if (store->bytes[level] > store->bytes[most])
			most = level;
	snprintf(sql, sizeof(sql), "SELECT id, intervals FROM %s WHERE ? ORDER BY id LIMIT 1", tl_history_level[most].table);
	if (first_of(store, sql, 1, &oldest) <= 0)
		return 0;
	store->lost++;
	if (rows_drop(store, most, oldest, err))
		return tl_base_failed(&store->base, err);
	return 1;
}

/* Return: 1 if something went, 0 if there is nothing, a negative errno. */
static int room_make(struct tl_store *store, struct tl_error *err)
{
	u64 total = 0;
	unsigned int i;
	int code = 0;

	for (i = 0; i < TL_HISTORY_LEVELS; i++)
		total += store->bytes[i];
	for (i = 0; i < TL_HISTORY_LEVELS && !code; i++)
		if ((double)store->bytes[i] > store->limits->part[i] * (double)total)
			code = whole_drop(store, i, UINT64_MAX, err);
	for (i = 0; i < TL_HISTORY_LEVELS && !code; i++)
		code = whole_drop(store, i, UINT64_MAX, err);
	return code ? code : single_drop(store, err);
}

static int log_keep(struct tl_store *store, struct tl_error *err)
{
	u64 bytes = store->limits->bytes / LOG_PART;
	sqlite3_int64 left[2];
	sqlite3_stmt *st;
	int code;

	if (store->log_rows <= store->limits->rows && store->log_bytes <= bytes)
		return 0;
	/* An eighth at once: it is counted anew then. */
	st = tl_base_ask(&store->base, "DELETE FROM log WHERE id IN (SELECT id FROM log ORDER BY id LIMIT ?)", "i",
			 (sqlite3_int64)(store->log_rows / 8 + 1));
	code = tl_base_end(&store->base, st, err);
	code = code ? code : tl_base_number(&store->base, "SELECT count(*) FROM log", &left[0], err);
	code = code ? code : tl_base_number(&store->base, "SELECT coalesce(sum(length(CAST(row AS BLOB))), 0) FROM log",
					    &left[1], err);
	if (code)
		return code;
	store->log_rows = (u64)left[0];
	store->log_bytes = (u64)left[1];
	return 0;
}

/**
 * tl_store_keep() - Let go what is too old, and the oldest if there is too much
 * @store: store, in a batch
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_store_keep(struct tl_store *store, struct tl_error *err)
{
	sqlite3_int64 pages = 0;
	int code = log_keep(store, err);

	code = code ? code : keep_young(store, err);
	while (!code) {
		code = pages_used(store, &pages, err);
		if (code || pages <= tl_store_pages(store))
			break;
		code = room_make(store, err);
		if (!code)
			break;
		code = min(code, 0);
	}
	return code;
}

/**
 * tl_store_shrink() - Give back pages that are above what there may be, as after a change of the limits
 * @store: store, in no batch
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_store_shrink(struct tl_store *store, struct tl_error *err)
{
	sqlite3_int64 all = 0;
	char sql[60];
	int code = tl_base_number(&store->base, "PRAGMA page_count", &all, err);

	if (code || all <= tl_store_pages(store))
		return code;
	snprintf(sql, sizeof(sql), "PRAGMA incremental_vacuum(%lld)", min(all - tl_store_pages(store), (sqlite3_int64)VACUUM_PAGES));
	return tl_base_do(&store->base, sql, err);
}
