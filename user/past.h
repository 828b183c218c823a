/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_PAST_H
#define TL_PAST_H

#include "base.h"
#include "history-code.h"

struct tl_error;
struct tl_interval;
struct tl_past;

/**
 * struct tl_history_level - How closely a table of the history tells
 * @table: its name; a row of it is the sum of rows of the table before
 * @name: for people
 * @step_ns: what begins in the same step is added up; 0 for intervals as they were closed
 */
struct tl_history_level {
	const char *table, *name;
	u64 step_ns;
};

#define TL_HISTORY_LEVELS 6
extern const struct tl_history_level tl_history_level[TL_HISTORY_LEVELS];
extern const struct tl_base_kind tl_history_kind;

/**
 * struct tl_history_query - What is wanted of the history
 * @from_ns: what ends after this, @to_ns: and begins before that; 0 for no bound
 * @points: at most so many, each the sum of what is in it, as closely as can be read in a moment; 0 for all
 *          there is, as closely as it is still known
 * @tier: of one tier only its cells, and the edges from and to it; NULL for everything
 * @no_hists: histograms are not wanted, and left empty
 * @cells: it is for tl_past_cells()
 */
struct tl_history_query {
	u64 from_ns, to_ns;
	size_t points;
	const char *tier;
	bool no_hists, cells;
};

/**
 * struct tl_history_point - What is known of a time
 * @interval: sums
 * @start_ns: beginning, @end_ns: end; if it is longer than the interval, there are gaps in it
 * @n: closed intervals in it
 * @missed: intervals that are known to be missing before or in it
 * @gap_ns: time before or in it of which there is no interval, whatever the reason
 */
struct tl_history_point {
	struct tl_interval *interval;
	u64 start_ns, end_ns, n, missed, gap_ns;
};

/* Takes a point that stays the caller's; 0 or a negative errno. */
typedef int tl_history_point_fn(const struct tl_history_point *point, void *arg);
/* Takes a row of what the daemon decided: JSON, as in its log. */
typedef int tl_history_row_fn(double t_s, const char *json, void *arg);

/**
 * struct tl_past_reader - Who reads cells alone
 * @row: told of a row before its cells, of which @point that it belongs to, counted from 0; its interval is NULL
 * @cell: told of each cell of it, without histograms; what it is given is there until it returns
 * @lost: told of a row that cannot be read instead, all of its time being in its @gap_ns; after @row and perhaps some
 *        cells if its checksum is right and what it guards makes no sense
 * @arg: for all of them; @row and @cell return 0 or -ENOMEM
 */
struct tl_past_reader {
	int (*row)(const struct tl_history_point *row, size_t point, void *arg);
	tl_history_cell_fn *cell;
	void (*lost)(const struct tl_history_point *row, size_t point, void *arg);
	void *arg;
};

bool tl_history_is(const char *file);
bool tl_history_is_ours(const char *file);
int tl_past_open(struct tl_past **past, const char *file, struct tl_error *err);
int tl_past_of(struct tl_past **past, struct tl_base *base, struct tl_error *err);
void tl_past_close(struct tl_past *past);
int tl_past_begin(struct tl_past *past, const struct tl_history_query *query, struct tl_error *err);
int tl_past_next(struct tl_past *past, struct tl_history_point *point, struct tl_error *err);
u64 tl_past_missing(const struct tl_past *past);
int tl_past_each(struct tl_past *past, const struct tl_history_query *query, tl_history_point_fn *fn, void *arg,
		 struct tl_error *err);
int tl_past_cells(struct tl_past *past, const struct tl_history_query *query, const struct tl_past_reader *reader,
		  struct tl_error *err);
int tl_past_rows(struct tl_past *past, double from_s, double to_s, tl_history_row_fn *fn, void *arg,
		 struct tl_error *err);

/* What reading for a query with points may take. */
#define TL_HISTORY_LOOK_US 70000.0
#define TL_HISTORY_CELLS_US 35000.0 /* of cells, which somebody writes out then */

/* past-plan.c: which rows tell of a time, each interval in one of them. */
struct tl_plan_row {
	u64 start_ns, end_ns;
	sqlite3_int64 id;
	unsigned int level;
};

struct tl_plan {
	struct tl_plan_row *row;
	size_t n;
	u64 width_ns;
};

int tl_plan_make(struct tl_plan *plan, struct tl_base *base, const struct tl_history_query *query, struct tl_error *err);

#endif
