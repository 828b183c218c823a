/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A history in a folder of its own, with intervals that were made up, and what is told of them. */
#ifndef TL_MADE_HISTORY_H
#define TL_MADE_HISTORY_H

#include "made-intervals.h"
#include "tap.h"

#include "daemon/history-json.h"
#include "daemon/history.h"
#include "error.h"
#include "history-code.h"

#include <stdlib.h>
#include <unistd.h>

#define S 1000000000ULL
#define BEGIN_NS (1763683200ULL * S) /* a midnight */

static char dir[] = "/tmp/made-history.XXXXXX", file[150];
static struct tl_error err;

static inline struct tl_interval *made(u64 generation, u64 start_ns)
{
	return made_interval(generation, start_ns, S, 3, 2, 4);
}

static inline void begin_anew(void)
{
	char command[200];

	snprintf(command, sizeof(command), "rm -rf %s/*", dir);
	if (system(command))
		abort();
}

static inline struct tl_history *history_of(const struct tl_history_limits *limits)
{
	struct tl_history *history = NULL;

	if (tl_history_open(&history, file, limits, &err))
		printf("# %s\n", err.text);
	return history;
}

static inline u64 count_of(const struct tl_interval *interval)
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

static inline sqlite3_int64 number(const char *sql)
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

struct told {
	u64 count, n, missed, gap_ns, last_start_ns, points;
	bool in_order;
};

static inline int told_add(const struct tl_history_point *point, void *arg)
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

static inline struct told told_of(struct tl_history *history, u64 from_ns, u64 to_ns, size_t points)
{
	struct told told = { .in_order = true };

	if (tl_history_each(history, &(struct tl_history_query){ .from_ns = from_ns, .to_ns = to_ns, .points = points },
			    told_add, &told, &err))
		printf("# %s\n", err.text);
	return told;
}

/* Sums of all that was fed. */
static inline u64 feed(struct tl_history *history, u64 from, u64 n, u64 start_ns, unsigned int batch)
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

/* Each of them begins with no history. Return: what main() should. */
static inline int history_tests(void (*const tests[])(void), size_t n)
{
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!mkdtemp(dir))
		return 1;
	snprintf(file, sizeof(file), "%s/h.db", dir);
	for (i = 0; i < n; i++) {
		tests[i]();
		begin_anew();
	}
	rmdir(dir);
	return done();
}

#endif
