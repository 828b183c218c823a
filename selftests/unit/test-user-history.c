// SPDX-License-Identifier: GPL-2.0-or-later
/* The daemon's history: what goes in comes out, sums are sums, it is as large as it may be, and nothing is lost. */
#include "made-intervals.h"
#include "tap.h"

#include "daemon/history-json.h"
#include "daemon/history.h"
#include "error.h"
#include "history-code.h"
#include "recording.h"

#include <errno.h>
#include <stdlib.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define S 1000000000ULL
#define BEGIN_NS (1763683200ULL * S) /* a midnight */

static char dir[] = "/tmp/test-user-history.XXXXXX", file[150];
static struct tl_error err;

static struct tl_interval *made(u64 generation, u64 start_ns)
{
	return made_interval(generation, start_ns, S, 3, 2, 4);
}

static void begin_anew(void)
{
	char command[200];

	snprintf(command, sizeof(command), "rm -rf %s/*", dir);
	if (system(command))
		abort();
}

static struct tl_history *history_of(const struct tl_history_limits *limits)
{
	struct tl_history *history = NULL;

	if (tl_history_open(&history, file, limits, &err))
		printf("# %s\n", err.text);
	return history;
}

static u64 count_of(const struct tl_interval *interval)
{
	u64 n = 0, hist = 0;
	size_t i, k;
	u32 b;

	for (i = 0; i < interval->n_tiers; i++)
		for (k = 0; k < interval->tiers[i].n_cells; k++) {
			n += interval->tiers[i].cells[k].count;
			for (b = 0; b < TL_HIST_BUCKETS; b++)
				hist += interval->tiers[i].cells[k].response_hist[b];
		}
	return n == hist ? n : 0;
}

/* ---- sums ---------------------------------------------------------------------------------- */

static sqlite3_int64 number(const char *sql)
{
	sqlite3_int64 value = -1;
	sqlite3_stmt *st;
	sqlite3 *db;

	if (sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
	    sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK) {
		if (sqlite3_step(st) == SQLITE_ROW)
			value = sqlite3_column_int64(st, 0);
		sqlite3_finalize(st);
	}
	sqlite3_close(db);
	return value;
}

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

struct told {
	u64 count, n, missed, gap_ns, last_start_ns, points;
	bool in_order;
};

static int told_add(const struct tl_history_point *point, void *arg)
{
	struct told *told = arg;

	told->count += count_of(point->interval);
	told->n += point->n;
	told->missed += point->missed;
	told->gap_ns += point->gap_ns;
	told->in_order &= point->start_ns >= told->last_start_ns;
	told->last_start_ns = point->start_ns;
	told->points++;
	return 0;
}

static struct told told_of(struct tl_history *history, u64 from_ns, u64 to_ns, size_t points)
{
	struct told told = { .in_order = true };

	if (tl_history_each(history, &(struct tl_history_query){ .from_ns = from_ns, .to_ns = to_ns, .points = points },
			    told_add, &told, &err))
		printf("# %s\n", err.text);
	return told;
}

/* Sums of all that was fed. */
static u64 feed(struct tl_history *history, u64 from, u64 n, u64 start_ns, unsigned int batch)
{
	u64 count = 0, i;

	for (i = 0; i < n; i++) {
		struct tl_interval *interval = made(from + i, start_ns + i * S);

		count += count_of(interval);
		tl_history_add(history, interval);
		tl_interval_free(interval);
		if (i % batch == batch - 1)
			tl_history_flush(history, &err);
	}
	tl_history_flush(history, &err);
	return count;
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

/* ---- what goes wrong ----------------------------------------------------------------------- */

static void test_kill(void)
{
	unsigned int round, good = 0;
	u64 said = 0, next = 1;

	for (round = 0; round < 8; round++) {
		struct tl_history *history;
		int pipes[2], status;
		u64 upto = next - 1;
		struct told told;
		pid_t child;

		if (pipe(pipes))
			abort();
		child = fork();
		if (!child) {
			history = history_of(&tl_history_limits);
			for (;; next += 10) {
				feed(history, next, 10, BEGIN_NS + next * S, 10);
				if (write(pipes[1], &(u64){ next + 9 }, sizeof(u64)) < 0)
					_exit(1);
			}
		}
		while (upto < next + 100 + round * 17 && read(pipes[0], &upto, sizeof(upto)) == sizeof(upto))
			;
		usleep(1000 * (useconds_t)round);
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		close(pipes[1]);
		while (read(pipes[0], &upto, sizeof(upto)) == sizeof(upto))
			;
		close(pipes[0]);
		said = upto;
		history = history_of(&tl_history_limits);
		told = told_of(history, 0, 0, 0);
		good += WIFSIGNALED(status) && told.n >= said && told.n <= said + 10 && told.points == told.n &&
			number("SELECT max(generation) FROM raw") == (sqlite3_int64)told.n;
		next = told.n + 1;
		tl_history_close(history);
	}
	ok(good == round, "killed %u times while it wrote: all that was written is there (%" PRIu64 " intervals)", good, said);
	ok(number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'") == 1, "and the file is whole");
}

static bool told_news(struct tl_history *history, const char *part)
{
	char text[600];
	bool found = false;

	while (tl_history_news(history, text, sizeof(text))) {
		found |= strstr(text, part) != NULL;
		if (!strstr(text, part))
			printf("# also: %s\n", text);
	}
	return found;
}

static void test_locked(void)
{
	struct tl_history_limits limits = tl_history_limits;
	struct tl_history *history;
	sqlite3 *other;
	u64 lost;

	limits.queue_bytes = 400000;
	history = history_of(&limits);
	feed(history, 1, 10, BEGIN_NS, 10);
	sqlite3_open(file, &other);
	sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
	feed(history, 11, 100, BEGIN_NS + 10 * S, 10);
	ok(told_news(history, "another process is writing to it"), "locked by another process: said");
	is_u64((u64)number("SELECT 1"), 1, "(it can be opened)");
	sqlite3_exec(other, "COMMIT", NULL, NULL, NULL);
	feed(history, 111, 10, BEGIN_NS + 110 * S, 10);
	ok(told_news(history, "is written again") && told_of(history, 0, 0, 0).n == 120 && !tl_history_lost(history),
	   "then all intervals are there");
	sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
	feed(history, 121, 1000, BEGIN_NS + 120 * S, 100);
	sqlite3_exec(other, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(other);
	feed(history, 1121, 10, BEGIN_NS + 1120 * S, 10);
	lost = tl_history_lost(history);
	ok(lost > 100 && lost < 900 && told_of(history, 0, 0, 0).n == 1130 - lost, "more than fit: %" PRIu64 " are lost", lost);
	ok(told_news(history, "found no place in memory meanwhile, and are lost"), "said");
	is_u64((u64)number("SELECT value FROM state WHERE key = 'lost'"), lost, "counted in the file");
	ok(told_of(history, 0, 0, 0).missed == lost && told_of(history, 0, 0, 0).gap_ns == lost * S, "and a gap in it");
	tl_history_close(history);
	sqlite3_open(file, &other);
	sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
	history = history_of(&limits);
	ok(history, "locked when it is opened: it begins all the same");
	feed(history, 2001, 20, BEGIN_NS + 2000 * S, 10);
	sqlite3_close(other);
	feed(history, 2021, 10, BEGIN_NS + 2020 * S, 10);
	is_u64(told_of(history, BEGIN_NS + 2000 * S, 0, 0).n, 30, "and has them when it can");
	tl_history_close(history);
}

/* A disk of two megabytes, of which a file takes what is left. */
static void test_full(void)
{
	char small[120], filler[140], keep[150];
	struct tl_history *history;
	FILE *to;

	snprintf(small, sizeof(small), "%s/small", dir);
	snprintf(filler, sizeof(filler), "%s/filler", small);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mkdir(small, 0700) ||
	    mount("none", small, "tmpfs", 0, "size=2m")) {
		ok(true, "a full disk # SKIP no disk can be mounted here");
		return;
	}
	strcpy(keep, file);
	snprintf(file, sizeof(file), "%s/h.db", small);
	history = history_of(&tl_history_limits);
	feed(history, 1, 20, BEGIN_NS, 10);
	to = fopen(filler, "w");
	while (to && fputc('x', to) != EOF && !fflush(to))
		;
	feed(history, 21, 200, BEGIN_NS + 20 * S, 10);
	ok(told_news(history, "the disk is full"), "a full disk: said");
	ok(!tl_history_lost(history), "nothing is lost");
	if (to)
		fclose(to);
	unlink(filler);
	feed(history, 221, 10, BEGIN_NS + 220 * S, 10);
	ok(told_news(history, "is written again") && told_of(history, 0, 0, 0).n == 230 && told_of(history, 0, 0, 0).missed == 0,
	   "with room again all are there");
	tl_history_close(history);
	strcpy(file, keep);
	umount(small);
}

static void test_clock(void)
{
	struct tl_history *history = history_of(&tl_history_limits);
	struct told told;
	u64 count;

	count = feed(history, 1, 1800, BEGIN_NS + 7200 * S, 10);
	count += feed(history, 1801, 3000, BEGIN_NS + 5400 * S, 10);
	told = told_of(history, 0, 0, 0);
	ok(told.n == 4800 && told.count == count && told.in_order && !told.missed, "a clock set back: every interval is there, in order of time");
	told = told_of(history, 0, 0, 20);
	ok(told.n == 4800 && told.count == count && told.points <= 20, "and in few points");
	/* Suspended for an hour; then the module is loaded anew. */
	feed(history, 4801, 10, BEGIN_NS + 12000 * S, 10);
	feed(history, 1, 10, BEGIN_NS + 12100 * S, 10);
	told = told_of(history, BEGIN_NS + 8500 * S, 0, 0);
	ok(told.gap_ns == 3600 * S + 90 * S && !told.missed, "what was not measured is a gap: %" PRIu64 " s", (uint64_t)(told.gap_ns / S));
	feed(history, 15, 10, BEGIN_NS + 12114 * S, 10);
	told = told_of(history, BEGIN_NS + 12105 * S, 0, 1);
	ok(told.missed == 4 && told.gap_ns == 4 * S, "and what was missed is missed");
	tl_history_close(history);
}

static void sql(const char *what)
{
	sqlite3 *db;

	sqlite3_open(file, &db);
	if (sqlite3_exec(db, what, NULL, NULL, NULL) != SQLITE_OK)
		abort();
	sqlite3_close(db);
}

static void test_foreign(void)
{
	struct tl_history *history;
	struct stat before, after;
	FILE *to;

	sql("CREATE TABLE mine(a)");
	stat(file, &before);
	ok(!(history = history_of(&tl_history_limits)) && strstr(err.text, "a database, but no history"), "another's database");
	stat(file, &after);
	ok(before.st_size == after.st_size && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec, "is let alone");
	begin_anew();
	to = fopen(file, "w");
	fprintf(to, "%0600d\n", 7);
	fclose(to);
	ok(!(history = history_of(&tl_history_limits)) && strstr(err.text, "no history"), "a file that is none: %s", err.text);
	ok(!stat(file, &after) && after.st_size == 601, "is let alone");
	begin_anew();
	tl_history_close(history_of(&tl_history_limits));
	sql("PRAGMA user_version = 9");
	ok(!history_of(&tl_history_limits) && strstr(err.text, "made by a newer tierlens (version 9, this one has 1)"),
	   "a newer one's");
	snprintf(file, sizeof(file), "%s/no/h.db", dir);
	ok(!history_of(&tl_history_limits) && strstr(err.text, "cannot open (No such file"), "no such folder");
	snprintf(file, sizeof(file), "%s/h.db", dir);
}

/* Bytes anywhere, of a page, of many; also all of the end gone. */
static void file_damage(const char *from, unsigned int seed)
{
	char command[400];
	struct stat stats;
	unsigned int i, n = seed % 4 == 3 ? 400 : seed % 4 * 4 + 1;
	FILE *to;

	snprintf(command, sizeof(command), "cp %s %s", from, file);
	if (system(command) || stat(file, &stats))
		abort();
	to = fopen(file, "r+");
	for (i = 0; i < n; i++) {
		double part = made_part() * (seed % 3 ? 1 : 0.05);

		fseek(to, 72 + (long)(part * (double)(stats.st_size - 72)), SEEK_SET);
		fputc((int)(made_part() * 256), to);
	}
	fclose(to);
	if (seed % 7 == 6 && truncate(file, stats.st_size / 2 + 100))
		abort();
}

static void test_damaged(void)
{
	unsigned int i, good = 0, aside = 0, refused = 0, rounds = 60;
	char from[160], command[400];

	snprintf(from, sizeof(from), "%s.good", file);
	snprintf(command, sizeof(command), "mv %s %s", file, from);
	tl_history_close(({ struct tl_history *h = history_of(&tl_history_limits); feed(h, 1, 700, BEGIN_NS, 50); h; }));
	if (system(command))
		abort();
	for (i = 0; i < rounds; i++) {
		struct tl_history *history;
		struct told told = { 0 };

		file_damage(from, i);
		history = history_of(&tl_history_limits);
		if (!history) {
			refused += strlen(err.text) > 0;
			continue;
		}
		err.text[0] = '\0';
		tl_history_each(history, &(struct tl_history_query){ .points = 50 }, told_add, &told, &err);
		feed(history, 701, 150, BEGIN_NS + 700 * S, 50);
		aside += told_news(history, "was damaged: it is");
		told = told_of(history, BEGIN_NS + 700 * S, BEGIN_NS + 850 * S, 0);
		good += told.n >= 150 && told.n < 250;
		if (told.n < 150)
			printf("# round %u: %" PRIu64 " of 150: %s\n", i, told.n, err.text);
		tl_history_close(history);
	}
	ok(good + refused == rounds && refused < rounds / 10 && aside > rounds / 10,
	   "damaged %u times: in %u it went on, %u of them with a new file, %u were refused", rounds, good, aside, refused);
}

/* ---- rows that cannot be read -------------------------------------------------------------- */

#define LOST_ROWS 100
#define LOST_FIRST 30 /* of those that are gone */
#define LOST_LAST 60

/* The last bytes of a frame are its checksum. */
static void checksum_spoil(sqlite3_int64 id)
{
	sqlite3_blob *blob;
	sqlite3 *db;
	int last;
	u8 byte;

	sqlite3_open(file, &db);
	if (sqlite3_blob_open(db, "main", "raw", "sums", id, 1, &blob) != SQLITE_OK)
		abort();
	last = sqlite3_blob_bytes(blob) - 1;
	sqlite3_blob_read(blob, &byte, 1, last);
	byte ^= 1;
	if (sqlite3_blob_write(blob, &byte, 1, last) != SQLITE_OK)
		abort();
	sqlite3_blob_close(blob);
	sqlite3_close(db);
}

/* As one that is dropped while it is read: when rows are chosen, by the index, it is there, and then it is not. */
static void rows_take(void)
{
	char add[300], drop[100];

	snprintf(add, sizeof(add), "PRAGMA writable_schema = 1; INSERT INTO sqlite_master VALUES('index', 'raw_time', "
		 "'raw', %lld, 'CREATE INDEX raw_time ON raw(start_ns, end_ns, bytes)')",
		 (long long)number("SELECT rootpage FROM sqlite_master WHERE name = 'raw_time'"));
	snprintf(drop, sizeof(drop), "DELETE FROM raw WHERE id BETWEEN %d AND %d OR id = %d", LOST_FIRST, LOST_LAST,
		 LOST_ROWS);
	sql("PRAGMA writable_schema = 1; DELETE FROM sqlite_master WHERE name = 'raw_time'");
	sql(drop);
	sql(add);
}

static bool is_lost(size_t row)
{
	return row == 1 || row == 10 || (row >= LOST_FIRST && row <= LOST_LAST) || row == LOST_ROWS;
}

static json_t *asked_json(int (*make)(const struct tl_history_ask *ask, char **json, struct tl_error *err),
			  const struct tl_history_ask *ask)
{
	char *text = NULL;
	json_t *json = make(ask, &text, &err) ? NULL : json_loads(text, 0, NULL);

	if (!json)
		printf("# %s\n", text ? text : err.text);
	free(text);
	return json;
}

static double real_at(const json_t *json, const char *name, size_t at)
{
	return json_number_value(json_array_get(json_object_get(json, name), at));
}

static u64 counts_at(const json_t *json, size_t at)
{
	const json_t *series;
	u64 count = 0;
	size_t i;

	json_array_foreach(json_object_get(json, "series"), i, series)
		count += (u64)json_integer_value(json_array_get(json_object_get(series, "count"), at));
	return count;
}

static bool near_s(double a, double b)
{
	return a - b < 0.002 && b - a < 0.002;
}

/* Each row a point: those that were lost have their place, and are gaps. */
static void lost_each(const u64 *count, u64 lost)
{
	const struct tl_history_ask ask = { .file = file, .points = 200, .series = 100 };
	json_t *json = asked_json(tl_history_series, &ask);
	size_t n = json_array_size(json_object_get(json, "t")), i, wrong = 0;

	for (i = 0; i < n && i < LOST_ROWS; i++) {
		bool gap = is_lost(i + 1);
		bool right = near_s(real_at(json, "t", i), (double)(BEGIN_NS / S + i)) &&
			     near_s(real_at(json, "seconds", i), !gap) && near_s(real_at(json, "gap_s", i), gap) &&
			     counts_at(json, i) == (gap ? 0 : count[i + 1]);

		if (!right && !wrong++)
			printf("# row %zu: t %.3f, seconds %.3f, gap_s %.3f, count %" PRIu64 "\n", i + 1,
			       real_at(json, "t", i), real_at(json, "seconds", i), real_at(json, "gap_s", i),
			       counts_at(json, i));
	}
	ok(n == LOST_ROWS && !wrong, "rows that cannot be read are gaps with their times: %zu of %zu points are not so",
	   wrong, n);
	is_u64((u64)json_integer_value(json_object_get(json, "missing")), lost, "and so many are said to be missing");
	json_decref(json);
}

/* Several rows a point, of one of which there is none left. */
static void lost_few(u64 all, u64 lost)
{
	const struct tl_history_ask ask = { .file = file, .points = 10, .series = 100 };
	json_t *json = asked_json(tl_history_series, &ask);
	size_t n = json_array_size(json_object_get(json, "t")), i, none = 0, wrong = 0;
	u64 count = 0;
	double gap_s = 0;

	for (i = 0; i < n; i++) {
		double before_s = i ? real_at(json, "t", i - 1) : (double)(BEGIN_NS / S);

		wrong += real_at(json, "t", i) <= before_s ||
			 (!real_at(json, "seconds", i) && !real_at(json, "gap_s", i));
		none += !real_at(json, "seconds", i) && !counts_at(json, i);
		count += counts_at(json, i);
		gap_s += real_at(json, "gap_s", i);
	}
	ok(n > 5 && n <= 10 && none && !wrong,
	   "few points: of %zu there is nothing left in %zu, which stand where they were", n, none);
	ok(near_s(gap_s, (double)lost) && count == all, "what is lost is in none and in their gaps: %.3f s", gap_s);
	json_decref(json);
}

static void lost_histogram(u64 lost)
{
	struct tl_history_ask ask = { .file = file, .points = 1, .tier = "service-1:8001" };
	json_t *json = asked_json(tl_history_histogram, &ask);

	ok(near_s(json_number_value(json_object_get(json, "from_t")), (double)(BEGIN_NS / S + 1)) &&
		   near_s(json_number_value(json_object_get(json, "to_t")), (double)(BEGIN_NS / S + 99)) &&
		   (u64)json_integer_value(json_object_get(json, "missing")) == lost &&
		   json_integer_value(json_object_get(json, "count")) > 0, "a histogram says so, too");
	json_decref(json);
	ask.from_ns = BEGIN_NS + LOST_FIRST * S;
	ask.to_ns = BEGIN_NS + (LOST_FIRST + 3) * S;
	json = asked_json(tl_history_histogram, &ask);
	ok(json_is_null(json_object_get(json, "from_t")) && json_is_null(json_object_get(json, "to_t")) &&
		   json_integer_value(json_object_get(json, "missing")) == 3 &&
		   !json_integer_value(json_object_get(json, "count")), "and one of nothing else has no time");
	json_decref(json);
}

static void test_lost(void)
{
	struct tl_history *history = history_of(&tl_history_limits);
	u64 count[LOST_ROWS + 1] = { 0 }, all = 0, lost = 0, i;
	struct told told = { .in_order = true };
	struct tl_past *past;

	for (i = 1; i <= LOST_ROWS; i++) {
		count[i] = feed(history, i, 1, BEGIN_NS + (i - 1) * S, 1);
		all += is_lost(i) ? 0 : count[i];
		lost += is_lost(i);
	}
	tl_history_close(history);
	checksum_spoil(1);
	checksum_spoil(10);
	rows_take();
	lost_each(count, lost);
	lost_few(all, lost);
	lost_histogram(lost);
	if (tl_past_open(&past, file, &err) ||
	    tl_past_each(past, &(struct tl_history_query){ 0 }, told_add, &told, &err))
		printf("# %s\n", err.text);
	/* After the last row there is no point whose gap it could be. */
	ok(told.count == all && told.n == LOST_ROWS - lost && told.gap_ns == (lost - 1) * S &&
		   tl_past_missing(past) == lost,
	   "nor has anybody who reads rows figures of them: %" PRIu64 " s are gaps", (uint64_t)(told.gap_ns / S));
	tl_past_close(past);
}

int main(void)
{
	static void (*const tests[])(void) = { test_sums, test_cells, test_age, test_size, test_log, test_kill,
					       test_locked, test_clock, test_foreign, test_damaged, test_lost,
					       test_full };
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!mkdtemp(dir))
		return 1;
	snprintf(file, sizeof(file), "%s/h.db", dir);
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		tests[i]();
		begin_anew();
	}
	rmdir(dir);
	return done();
}
