// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which rows of the history tell of a time
 *
 * Rows of a table are numbered in the order in which they came, and each row of a coarser one knows
 * the first and the last of those that it is the sum of. So for whichever table is read, the rows of
 * coarser ones tell of what it has no more, those of finer ones of what it has not yet, and every
 * interval is told of once. That holds also if the clock was set back: time is only what rows are
 * sorted and chosen by.
 */
#include "past.h"

#include "error.h"
#include "table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define HOUR_NS 3600000000000ULL
#define ALL INT64_MAX

/* Rows of a table, by number: after @after, up to @upto. */
struct span {
	sqlite3_int64 after, upto;
};

struct planner {
	struct tl_base *base;
	const struct tl_history_query *query;
	struct span span[TL_HISTORY_LEVELS];
	struct tl_error *err;
};

/* The first number that a query gives. Return: 1 for one, 0 for none, a negative errno. */
static int numbers(struct planner *p, const char *sql, const char *table, sqlite3_int64 with, sqlite3_int64 *to, int n)
{
	char text[200];
	sqlite3_stmt *st;
	int step, i, code;

	snprintf(text, sizeof(text), sql, table);
	st = tl_base_ask(p->base, text, "i", with);
	step = st ? sqlite3_step(st) : SQLITE_ERROR;
	for (i = 0; step == SQLITE_ROW && i < n; i++)
		to[i] = sqlite3_column_int64(st, i);
	code = step == SQLITE_ROW ? 1 : step == SQLITE_DONE ? 0 : tl_base_failed(p->base, p->err);
	sqlite3_finalize(st);
	return code;
}

/* What the table @level has no more, from the one after it. */
static int older(struct planner *p, unsigned int level)
{
	const char *coarse = tl_history_level[level + 1].table;
	sqlite3_int64 oldest, row[3]; /* id, first, last */
	int code = numbers(p, "SELECT id FROM %s WHERE id > ? ORDER BY id LIMIT 1", tl_history_level[level].table,
			   p->span[level].after, &oldest, 1);

	p->span[level + 1] = (struct span){ 0, ALL };
	if (code <= 0)
		return code;
	code = numbers(p, "SELECT id, first, last FROM %s WHERE last >= ? ORDER BY last LIMIT 1", coarse, oldest, row, 3);
	if (code <= 0)
		return code;
	if (row[1] < oldest) {
		/* Of some of what is in it there are no rows any more. */
		p->span[level + 1].upto = row[0];
		p->span[level].after = row[2];
	} else {
		p->span[level + 1].upto = row[0] - 1;
	}
	return 0;
}

/* What has not yet become a row of the table @level + 1. */
static int newer(struct planner *p, unsigned int level)
{
	sqlite3_int64 added = 0;
	char sql[100];
	int code;

	snprintf(sql, sizeof(sql), "SELECT value FROM state WHERE key = 'added_%s' AND ?", tl_history_level[level].table);
	code = numbers(p, sql, "", 1, &added, 1);
	p->span[level] = (struct span){ added, ALL };
	return min(code, 0);
}

static int spans(struct planner *p, unsigned int level)
{
	unsigned int i;
	int code = 0;

	p->span[level] = (struct span){ 0, ALL };
	for (i = level; !code && i + 1 < TL_HISTORY_LEVELS; i++)
		code = older(p, i);
	for (i = level; !code && i-- > 0;)
		code = newer(p, i);
	return code;
}

static sqlite3_int64 ns_of(u64 ns)
{
	return ns > INT64_MAX ? INT64_MAX : (sqlite3_int64)ns;
}

/* @what: columns. Of a row that begins before, a part may be wanted. */
static sqlite3_stmt *rows_ask(struct planner *p, unsigned int level, const char *what)
{
	const struct tl_history_level *l = &tl_history_level[level];
	const struct tl_history_query *q = p->query;
	u64 before_ns = l->step_ns + HOUR_NS;
	char sql[300];

	snprintf(sql, sizeof(sql), "SELECT %s FROM %s INDEXED BY %s_time WHERE start_ns >= ? AND start_ns < ? AND "
		 "end_ns > ? AND id > ? AND id <= ?", what, l->table, l->table);
	return tl_base_ask(p->base, sql, "iiiii", ns_of(q->from_ns > before_ns ? q->from_ns - before_ns : 0),
			   q->to_ns ? ns_of(q->to_ns) : INT64_MAX, ns_of(q->from_ns), p->span[level].after,
			   p->span[level].upto);
}

/* Microseconds that it takes to read so much, as measured (bench-history) of rows of any size. */
static double cost_us(const struct tl_history_query *q, double rows, double bytes)
{
	if (q->cells)
		return rows * 12 + bytes * 0.001;
	if (q->tier)
		return rows * 90 + bytes * 0.0013;
	return q->no_hists ? rows * 170 + bytes * 0.0005 : rows * 200 + bytes * 0.0026;
}

static int cost(struct planner *p, double *us)
{
	double rows = 0, bytes = 0;
	sqlite3_stmt *st;
	unsigned int i;
	int code = 0;

	for (i = 0; i < TL_HISTORY_LEVELS && !code; i++) {
		st = rows_ask(p, i, "count(*), sum(bytes)");
		if (!st || sqlite3_step(st) != SQLITE_ROW)
			code = tl_base_failed(p->base, p->err);
		rows += code ? 0 : (double)sqlite3_column_int64(st, 0);
		bytes += code ? 0 : (double)sqlite3_column_int64(st, 1);
		sqlite3_finalize(st);
	}
	*us = cost_us(p->query, rows, bytes);
	return code;
}

static int rows_add(struct planner *p, unsigned int level, struct tl_plan *plan)
{
	sqlite3_stmt *st = rows_ask(p, level, "id, start_ns, end_ns");
	int step = SQLITE_ERROR, code = 0;
	struct tl_plan_row *row;

	while (st && !code && (step = sqlite3_step(st)) == SQLITE_ROW) {
		row = tl_array_append((void **)&plan->row, &plan->n, sizeof(*row));
		if (!row)
			code = tl_error_no_memory(p->err);
		else
			*row = (struct tl_plan_row){ (u64)sqlite3_column_int64(st, 1), (u64)sqlite3_column_int64(st, 2),
						     sqlite3_column_int64(st, 0), level };
	}
	if (!code && step != SQLITE_DONE)
		code = tl_base_failed(p->base, p->err);
	sqlite3_finalize(st);
	return code;
}

/* At the same time, what came first: coarser ones are older. */
static int by_time(const void *a, const void *b)
{
	const struct tl_plan_row *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->level != y->level)
		return x->level > y->level ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Points begin at multiples of a width that is one of the step's, so that all have as many rows. */
static u64 width(const struct tl_plan *plan, const struct tl_history_query *q, u64 step_ns)
{
	u64 from_ns = max(q->from_ns, plan->row[0].start_ns), to_ns = plan->row[plan->n - 1].start_ns + 1, wide_ns;

	if (q->points < 2)
		return UINT64_MAX;
	wide_ns = (to_ns > from_ns ? to_ns - from_ns : 1) / (q->points - 1) + 1;
	step_ns = max(step_ns, (u64)1);
	return (wide_ns + step_ns - 1) / step_ns * step_ns;
}

static int level_choose(struct planner *p, unsigned int *level)
{
	double us = 0;
	int code = 0;

	for (*level = 0;; (*level)++) {
		code = spans(p, *level);
		if (code || !p->query->points || *level + 1 == TL_HISTORY_LEVELS)
			return code;
		code = cost(p, &us);
		if (code || us <= (p->query->cells ? TL_HISTORY_CELLS_US : TL_HISTORY_LOOK_US))
			return code;
	}
}

/**
 * tl_plan_make() - Choose the rows for a query
 * @plan: filled in; @plan->row to be freed, however it ends
 * @base: of the history
 * @query: what is wanted
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_plan_make(struct tl_plan *plan, struct tl_base *base, const struct tl_history_query *query, struct tl_error *err)
{
	struct planner p = { .base = base, .query = query, .err = err };
	unsigned int level, i;
	int code;

	memset(plan, 0, sizeof(*plan));
	/* All of it from one moment, though somebody writes. */
	code = tl_base_do(base, "SAVEPOINT plan", err);
	if (code)
		return code;
	code = level_choose(&p, &level);
	for (i = 0; i < TL_HISTORY_LEVELS && !code; i++)
		code = rows_add(&p, i, plan);
	sqlite3_exec(base->db, "RELEASE plan", NULL, NULL, NULL);
	if (code || !plan->n)
		return code;
	qsort(plan->row, plan->n, sizeof(*plan->row), by_time);
	if (query->points && plan->n > query->points)
		plan->width_ns = width(plan, query, tl_history_level[level].step_ns);
	return 0;
}
