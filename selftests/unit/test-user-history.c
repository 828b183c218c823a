// SPDX-License-Identifier: GPL-2.0-or-later
/* The daemon's history: what goes in comes out, sums are sums, and it is as large as it may be. */
#include "made-history.h"

#include <sys/stat.h>

/* ---- sums ---------------------------------------------------------------------------------- */

/* Rows of a level as they are in the file, each compared with the sum of those of another that it is of. */
static unsigned int sums_compare(const char *coarse, const char *fine, struct tl_packer *packer)
{
	unsigned int same_rows = 0;
	sqlite3_stmt *rows, *parts;
	char sql[200];
	sqlite3 *db;

	if (sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
		return 0;
	snprintf(sql, sizeof(sql), "SELECT first, last, sums, hists FROM %s ORDER BY id", coarse);
	sqlite3_prepare_v2(db, sql, -1, &rows, NULL);
	snprintf(sql, sizeof(sql), "SELECT sums, hists FROM %s WHERE id BETWEEN ? AND ? ORDER BY id", fine);
	sqlite3_prepare_v2(db, sql, -1, &parts, NULL);
	while (sqlite3_step(rows) == SQLITE_ROW) {
		struct tl_interval *total = tl_interval_new(), *row, *part;

		sqlite3_bind_int64(parts, 1, sqlite3_column_int64(rows, 0));
		sqlite3_bind_int64(parts, 2, sqlite3_column_int64(rows, 1));
		while (sqlite3_step(parts) == SQLITE_ROW) {
			struct tl_packed p = { { (u8 *)sqlite3_column_blob(parts, 0), (u8 *)sqlite3_column_blob(parts, 1) },
					       { (size_t)sqlite3_column_bytes(parts, 0), (size_t)sqlite3_column_bytes(parts, 1) } };

			if (tl_packer_unpack(packer, &p, NULL, &part))
				abort();
			tl_interval_add(total, part);
			tl_interval_free(part);
		}
		sqlite3_reset(parts);
		if (!tl_packer_unpack(packer, &(struct tl_packed){
				      { (u8 *)sqlite3_column_blob(rows, 2), (u8 *)sqlite3_column_blob(rows, 3) },
				      { (size_t)sqlite3_column_bytes(rows, 2), (size_t)sqlite3_column_bytes(rows, 3) } }, NULL, &row)) {
			same_rows += made_same(row, total);
			tl_interval_free(row);
		}
		tl_interval_free(total);
	}
	sqlite3_finalize(rows);
	sqlite3_finalize(parts);
	sqlite3_close(db);
	return same_rows;
}

static void test_sums(void)
{
	struct tl_history_limits limits = tl_history_limits;
	struct tl_history *history = history_of(&limits);
	struct tl_packer *packer = tl_packer_new();
	static const size_t points[] = { 0, 1, 2, 7, 100, 480 };
	struct tl_interval *first = made(1, BEGIN_NS);
	struct told told;
	u64 count;
	size_t i;

	tl_history_add(history, first);
	count = count_of(first) + feed(history, 2, 7999, BEGIN_NS + S, 10);
	is_u64((u64)number("SELECT count(*) FROM raw"), 8000, "8000 intervals");
	is_u64((u64)number("SELECT count(*) FROM minute"), 133, "minutes");
	is_u64((u64)number("SELECT count(*) FROM ten_minutes"), 13, "ten minutes");
	is_u64((u64)number("SELECT count(*) FROM hour"), 2, "hours");
	is_u64(sums_compare("minute", "raw", packer), 133, "a minute is what adding up its intervals gives, to the bit");
	is_u64(sums_compare("ten_minutes", "minute", packer), 13, "ten minutes are what adding up their minutes gives");
	is_u64(sums_compare("hour", "ten_minutes", packer), 2, "and hours");
	for (i = 0; i < ARRAY_SIZE(points); i++) {
		told = told_of(history, 0, 0, points[i]);
		ok(told.count == count && told.n == 8000 && told.in_order && !told.gap_ns && !told.missed &&
			   (!points[i] || told.points <= points[i]) && (points[i] != 480 || told.points > 100),
		   "at most %zu points: every interval in one of %" PRIu64, points[i], told.points);
	}
	told = told_of(history, BEGIN_NS + 600 * S, BEGIN_NS + 660 * S, 60);
	ok(told.n == 60 && told.points == 60, "a minute is told of in its intervals");
	told = told_of(history, 0, 0, 0);
	is_u64(told.points, 8000, "all of it");
	tl_history_close(history);
	history = history_of(&limits);
	tl_history_add(history, first);
	feed(history, 7990, 20, BEGIN_NS + 7989 * S, 10);
	is_u64((u64)number("SELECT count(*) FROM raw"), 8009, "what a daemon that begins again is given twice is there once");
	tl_interval_free(first);
	tl_history_close(history);
	tl_packer_free(packer);
}

/* ---- cells alone --------------------------------------------------------------------------- */

struct looked {
	u64 count, own_ns, n, point, points, cells, lost;
	bool in_order;
};

static int looked_row(const struct tl_history_point *row, size_t point, void *arg)
{
	struct looked *looked = arg;

	looked->in_order &= !looked->points || point == looked->point || point == looked->point + 1;
	looked->points = point + 1;
	looked->point = point;
	looked->n += row->n;
	return 0;
}

static int looked_cell(const char *tier, const struct tl_cell *cell, void *arg)
{
	struct looked *looked = arg;

	looked->cells += *tier && *cell->class;
	looked->count += cell->count;
	looked->own_ns += cell->own_ns;
	return 0;
}

static void looked_lost(const struct tl_history_point *row, size_t point, void *arg)
{
	struct looked *looked = arg;

	looked->lost += row->start_ns || point;
}

static int own_add(const struct tl_history_point *point, void *arg)
{
	u64 *own_ns = arg;
	size_t i, k;

	for (i = 0; i < point->interval->n_tiers; i++)
		for (k = 0; k < point->interval->tiers[i].n_cells; k++)
			*own_ns += point->interval->tiers[i].cells[k].own_ns;
	return 0;
}

static void test_cells(void)
{
	struct tl_history *history = history_of(&tl_history_limits);
	static const size_t points[] = { 0, 2, 7, 100, 480 };
	u64 count = feed(history, 1, 3000, BEGIN_NS, 50), own_ns = 0, one_ns = 0;
	struct tl_history_query query = { .cells = true };
	struct tl_past *past;
	size_t i;
	int code;

	tl_history_each(history, &(struct tl_history_query){ 0 }, own_add, &own_ns, &err);
	tl_history_each(history, &(struct tl_history_query){ .tier = "service-1:8001" }, own_add, &one_ns, &err);
	ok(own_ns && one_ns && one_ns < own_ns && !tl_past_open(&past, file, &err), "there is something to read");
	for (i = 0; i <= ARRAY_SIZE(points); i++) {
		struct looked looked = { .in_order = true };
		struct tl_past_reader reader = { looked_row, looked_cell, looked_lost, &looked };

		query.points = points[i % ARRAY_SIZE(points)];
		query.tier = i == ARRAY_SIZE(points) ? "service-1:8001" : NULL;
		code = tl_past_cells(past, &query, &reader, &err);
		ok(!code && looked.in_order && looked.n == 3000 && looked.cells && !looked.lost &&
			   looked.own_ns == (query.tier ? one_ns : own_ns) && (query.tier || looked.count == count) &&
			   (!query.points || looked.points <= query.points + 1),
		   "cells alone, %s, at most %zu points: the same sums, in %" PRIu64, query.tier ? "of a tier" : "all", query.points,
		   looked.points);
	}
	tl_past_close(past);
	tl_history_close(history);
}

/* ---- how much ------------------------------------------------------------------------------ */

static u64 bytes_in_dir(void)
{
	static const char *const beside[] = { "", "-wal", "-shm" };
	struct stat stats;
	u64 bytes = 0;
	char name[170];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(beside); i++) {
		snprintf(name, sizeof(name), "%s%s", file, beside[i]);
		bytes += stat(name, &stats) ? 0 : (u64)stats.st_size;
	}
	return bytes;
}

static void test_age(void)
{
	struct tl_history_limits limits = tl_history_limits;
	struct tl_history *history;
	struct told told;
	u64 count;

	limits.age_ns[0] = 300 * S;
	limits.age_ns[1] = 1800 * S;
	history = history_of(&limits);
	count = feed(history, 1, 6000, BEGIN_NS, 10);
	ok(number("SELECT count(*) FROM raw") >= 300 && number("SELECT count(*) FROM raw") <= 300 + 130, "intervals of five minutes: %lld",
	   number("SELECT count(*) FROM raw"));
	ok(number("SELECT count(*) FROM minute") >= 30 && number("SELECT count(*) FROM minute") <= 30 + 22,
	   "minutes of half an hour: %lld", number("SELECT count(*) FROM minute"));
	told = told_of(history, 0, 0, 0);
	ok(told.count == count && told.n == 6000 && told.in_order && !told.gap_ns, "all are told of once, the old ones by coarser rows");
	told = told_of(history, BEGIN_NS, BEGIN_NS + 5 * S, 0);
	ok(told.points == 1 && told.n == 600, "what is only known of ten minutes is told of as ten minutes");
	/* A clock that is far ahead, for a moment. */
	feed(history, 6001, 10, BEGIN_NS + 3000 * 86400 * S, 5);
	count += feed(history, 6011, 10, BEGIN_NS + 6010 * S, 5);
	ok(number("SELECT count(*) FROM minute") >= 20, "a clock that was ahead has not emptied it: %lld minutes",
	   number("SELECT count(*) FROM minute"));
	tl_history_close(history);
}

static void test_size(void)
{
	struct tl_history_limits limits = tl_history_limits;
	struct tl_history *history;
	u64 i, count = 0, most = 0, start_ns = BEGIN_NS;
	struct told told;

	limits.bytes = 18ULL << 20;
	history = history_of(&limits);
	for (i = 0; i < 1600; i++, start_ns += 60 * S) {
		struct tl_interval *interval = made_interval(i + 1, start_ns, 60 * S, 10, 5, 2.5);

		count += count_of(interval);
		tl_history_add(history, interval);
		tl_interval_free(interval);
		if (i % 5)
			continue;
		tl_history_flush(history, &err);
		most = max(most, bytes_in_dir());
	}
	told = told_of(history, 0, 0, 0);
	ok(most <= limits.bytes && most > limits.bytes / 2, "never more than %" PRIu64 " bytes: %" PRIu64, limits.bytes, most);
	ok(told.count == count && told.n == 1600, "of what had to go coarser rows tell");
	ok(number("SELECT min(start_ns) FROM raw") > number("SELECT min(start_ns) FROM hour") &&
		   number("SELECT count(*) FROM hour") >= 20 && number("SELECT count(*) FROM minute") > 100,
	   "the finest has gone first");
	tl_history_close(history);
	limits.bytes = 17ULL << 20;
	most = bytes_in_dir();
	history = history_of(&limits);
	for (i = 0; i < 20; i++)
		feed(history, 3000 + i, 1, start_ns + i * S, 1);
	tl_history_close(history);
	ok(bytes_in_dir() <= limits.bytes && bytes_in_dir() < most, "with less to be had it shrinks: %" PRIu64, bytes_in_dir());
}

static int row_count(double t_s, const char *json, void *arg)
{
	u64 *n = arg;

	*n += t_s > 0 && !strcmp(json, "{\"kind\":\"decision\"}");
	return 0;
}

static void test_log(void)
{
	struct tl_history_limits limits = tl_history_limits;
	struct tl_history *history;
	u64 i, n = 0;

	limits.rows = 1000;
	history = history_of(&limits);
	for (i = 0; i < 2500; i++) {
		tl_history_row(history, 1000 + (double)i, "{\"kind\":\"decision\"}");
		if (i % 50 == 49)
			tl_history_flush(history, &err);
	}
	tl_history_rows(history, 0, 1e9, row_count, &n, &err);
	ok(n <= 1000 && n >= 875, "%" PRIu64 " decisions are kept", n);
	n = 0;
	ok(!tl_history_rows(history, 3490, 3495, row_count, &n, &err) && n == 5, "those of a time");
	tl_history_close(history);
}
int main(void)
{
	static void (*const tests[])(void) = { test_sums, test_cells, test_age, test_size, test_log };

	return history_tests(tests, ARRAY_SIZE(tests));
}
