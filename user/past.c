// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading the history, also while it is written
 *
 * Each row is read by itself, so that a reader that takes its time (tierlens replay) holds nothing up:
 * what is dropped meanwhile is told of as missing.
 */
#include "past.h"

#include "error.h"
#include "history-code.h"
#include "table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WAIT_MS 3000

struct tl_past {
	struct tl_base *base, own;
	struct tl_packer *packer;
	struct tl_history_query query;
	char *tier;
	struct tl_plan plan;
	size_t next;
	u64 missing, lost_ns; /* lost_ns: before the row that is read next */
	sqlite3_stmt *read[TL_HISTORY_LEVELS];
};

/* The name of a file that nobody changes, as SQLite wants it. */
static char *unchanged_name(const char *file)
{
	char *uri = malloc(3 * strlen(file) + 40), *to;

	if (!uri)
		return NULL;
	for (to = uri + sprintf(uri, "file:"); *file; file++)
		to += sprintf(to, strchr("?#%", *file) ? "%%%02X" : "%c", (unsigned char)*file);
	strcpy(to, "?immutable=1");
	return uri;
}

static bool has_log(const char *file)
{
	char *name;
	bool has = asprintf(&name, "%s-wal", file) < 0;

	if (has)
		return true;
	has = !access(name, F_OK);
	free(name);
	return has;
}

static int open_as(struct tl_past *past, const char *name, int flags, struct tl_error *err)
{
	int code = tl_base_open(&past->own, &tl_history_kind, name, flags, WAIT_MS, err);

	return code ? code : tl_base_check(&past->own, false, err);
}

/* Where no file can be made, nobody writes either, and SQLite needs to look for no one. */
static int open_file(struct tl_past *past, const char *file, struct tl_error *err)
{
	int code = open_as(past, file, SQLITE_OPEN_READONLY, err);
	struct tl_error again;
	char *name;

	if ((code != -ENOENT && code != -EROFS) || access(file, R_OK) || has_log(file))
		return code;
	name = unchanged_name(file);
	if (!name)
		return tl_error_no_memory(err);
	tl_base_close(&past->own);
	if (!open_as(past, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, &again))
		code = 0;
	free(name);
	return code;
}

/**
 * tl_past_of() - Read the history that is open
 * @past: set, to be given to tl_past_close()
 * @base: of the history; stays the caller's
 * @err: the sentence if it fails
 *
 * Return: 0 or -ENOMEM, with *@past then NULL.
 */
int tl_past_of(struct tl_past **past, struct tl_base *base, struct tl_error *err)
{
	*past = calloc(1, sizeof(**past));
	if (*past)
		(*past)->packer = tl_packer_new();
	if (*past && (*past)->packer) {
		(*past)->base = base;
		return 0;
	}
	free(*past);
	*past = NULL;
	return tl_error_no_memory(err);
}

/**
 * tl_past_open() - Open a history to read it
 * @past: set, to be given to tl_past_close()
 * @file: its name
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno, with *@past then NULL.
 */
int tl_past_open(struct tl_past **past, const char *file, struct tl_error *err)
{
	int code = tl_past_of(past, NULL, err);

	if (code)
		return code;
	(*past)->base = &(*past)->own;
	code = open_file(*past, file, err);
	if (!code)
		return 0;
	tl_past_close(*past);
	*past = NULL;
	return code;
}

static void query_end(struct tl_past *past)
{
	int i;

	for (i = 0; i < TL_HISTORY_LEVELS; i++) {
		sqlite3_finalize(past->read[i]);
		past->read[i] = NULL;
	}
	free(past->plan.row);
	free(past->tier);
	past->plan = (struct tl_plan){ 0 };
	past->tier = NULL;
}

/**
 * tl_past_close() - Close it
 * @past: past or NULL
 */
void tl_past_close(struct tl_past *past)
{
	if (!past)
		return;
	query_end(past);
	tl_packer_free(past->packer);
	tl_base_close(&past->own);
	free(past);
}

/**
 * tl_past_begin() - Begin to read what a query wants
 * @past: past
 * @query: what is wanted; copied
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_past_begin(struct tl_past *past, const struct tl_history_query *query, struct tl_error *err)
{
	query_end(past);
	past->query = *query;
	past->tier = query->tier ? strdup(query->tier) : NULL;
	past->query.tier = past->tier;
	past->next = 0;
	past->missing = 0;
	past->lost_ns = 0;
	if (query->tier && !past->tier)
		return tl_error_no_memory(err);
	return tl_plan_make(&past->plan, past->base, &past->query, err);
}

static sqlite3_stmt *statement(struct tl_past *past, unsigned int level)
{
	char sql[160];

	if (past->read[level])
		return past->read[level];
	snprintf(sql, sizeof(sql), "SELECT start_ns, end_ns, intervals, missed, gap_ns, sums%s FROM %s WHERE id = ?",
		 past->query.no_hists || past->query.cells ? "" : ", hists", tl_history_level[level].table);
	past->read[level] = tl_base_ask(past->base, sql, "");
	return past->read[level];
}

static int unpack(struct tl_past *past, sqlite3_stmt *st, struct tl_history_point *row,
		  const struct tl_past_reader *reader, size_t point)
{
	int i, parts = past->query.no_hists || reader ? 1 : TL_CODE_PARTS, code;
	struct tl_packed packed = { 0 };

	row->start_ns = (u64)sqlite3_column_int64(st, 0);
	row->end_ns = (u64)sqlite3_column_int64(st, 1);
	row->n = (u64)sqlite3_column_int64(st, 2);
	row->missed = (u64)sqlite3_column_int64(st, 3);
	row->gap_ns = (u64)sqlite3_column_int64(st, 4);
	/* They stay SQLite's until the next step. */
	for (i = 0; i < parts; i++) {
		packed.byte[i] = (u8 *)sqlite3_column_blob(st, 5 + i);
		packed.n[i] = (size_t)sqlite3_column_bytes(st, 5 + i);
		if (!packed.byte[i])
			return -EBADMSG;
	}
	if (!reader)
		return tl_packer_unpack(past->packer, &packed, past->query.tier, &row->interval);
	/* Nobody is told of a row as one of figures before it is known that there are any. */
	code = tl_packer_sums(past->packer, &packed);
	code = code ? code : reader->row(row, point, reader->arg);
	return code ? code : tl_packer_cells(past->packer, past->query.tier, reader->cell, reader->arg);
}

/*
 * Its time becomes a gap, as where the daemon adds rows up. Of one that is gone only what the plan says of it is known;
 * of one that is damaged what was missing before or in it is told, too.
 */
static void row_lose(struct tl_past *past, const struct tl_plan_row *which, struct tl_history_point *row)
{
	past->missing++;
	*row = (struct tl_history_point){ .start_ns = which->start_ns, .end_ns = which->end_ns, .gap_ns = row->gap_ns };
	if (row->end_ns > row->start_ns)
		row->gap_ns += row->end_ns - row->start_ns;
}

/* Return: 1 for a row, 0 if it is damaged or gone, with @row then a gap, or a negative errno. */
static int row_read(struct tl_past *past, const struct tl_plan_row *which, struct tl_history_point *row,
		    const struct tl_past_reader *reader, size_t point, struct tl_error *err)
{
	sqlite3_stmt *st = statement(past, which->level);
	int step = SQLITE_ERROR, code;

	*row = (struct tl_history_point){ 0 };
	if (st) {
		sqlite3_bind_int64(st, 1, which->id);
		step = sqlite3_step(st);
	}
	if (step == SQLITE_ROW)
		code = unpack(past, st, row, reader, point);
	else
		code = step == SQLITE_DONE ? -EBADMSG : tl_base_failed(past->base, err);
	if (st)
		sqlite3_reset(st);
	if (code == -ENOMEM)
		return tl_error_no_memory(err);
	/* What is left of a damaged file is read as far as it goes. */
	if (code == -EBADMSG || code == -EUCLEAN) {
		row_lose(past, which, row);
		return 0;
	}
	return code ? code : 1;
}

static int add(struct tl_history_point *to, struct tl_history_point *row, struct tl_error *err)
{
	int code = tl_interval_add(to->interval, row->interval);

	to->end_ns = max(to->end_ns, row->end_ns);
	to->n += row->n;
	to->missed += row->missed;
	to->gap_ns += row->gap_ns;
	tl_interval_free(row->interval);
	return code ? tl_error_no_memory(err) : 0;
}

static u64 place_of(const struct tl_past *past, const struct tl_plan_row *row)
{
	return past->plan.width_ns ? row->start_ns / past->plan.width_ns : 0;
}

/**
 * tl_past_next() - Read the next point
 * @past: past, after tl_past_begin()
 * @point: filled in; its interval is to be given to tl_interval_free()
 * @err: the sentence if it fails
 *
 * Return: 1 for a point, 0 at the end, or a negative errno.
 */
int tl_past_next(struct tl_past *past, struct tl_history_point *point, struct tl_error *err)
{
	const struct tl_plan *plan = &past->plan;
	struct tl_history_point row;
	u64 place = 0;
	int code = 0;

	*point = (struct tl_history_point){ 0 };
	while (past->next < plan->n && code >= 0) {
		const struct tl_plan_row *which = &plan->row[past->next];

		if (point->interval && (!plan->width_ns || place_of(past, which) != place))
			break;
		past->next++;
		code = row_read(past, which, &row, NULL, 0, err);
		if (code <= 0) {
			past->lost_ns += row.gap_ns;
			continue;
		}
		row.gap_ns += past->lost_ns;
		past->lost_ns = 0;
		place = place_of(past, which);
		if (point->interval)
			code = add(point, &row, err);
		else
			*point = row;
	}
	if (code >= 0 && point->interval)
		return 1;
	tl_interval_free(point->interval);
	point->interval = NULL;
	return min(code, 0);
}

/**
 * tl_past_missing() - What could not be read
 * @past: past
 *
 * Return: rows that were damaged, or dropped before they were read, since tl_past_begin().
 */
u64 tl_past_missing(const struct tl_past *past)
{
	return past->missing;
}

/**
 * tl_past_each() - Read all that a query wants
 * @past: past
 * @query: what is wanted
 * @fn: called for each point, in order of time
 * @arg: for @fn
 * @err: the sentence if it fails, but for what @fn returns
 *
 * Return: 0, a negative errno, or what @fn returned if that was not 0.
 */
int tl_past_each(struct tl_past *past, const struct tl_history_query *query, tl_history_point_fn *fn, void *arg,
		 struct tl_error *err)
{
	struct tl_history_point point;
	int code = tl_past_begin(past, query, err);

	if (code)
		return code;
	while ((code = tl_past_next(past, &point, err)) > 0) {
		code = fn(&point, arg);
		tl_interval_free(point.interval);
		if (code)
			break;
	}
	query_end(past);
	return code;
}

/**
 * tl_past_cells() - Read the cells alone of all that a query wants
 * @past: past
 * @query: what is wanted, with its @cells set
 * @reader: told of them, in order of time
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_past_cells(struct tl_past *past, const struct tl_history_query *query, const struct tl_past_reader *reader,
		  struct tl_error *err)
{
	int code = tl_past_begin(past, query, err);
	const struct tl_plan_row *which;
	struct tl_history_point row;
	size_t point = 0;

	for (; !code && past->next < past->plan.n; past->next++) {
		which = &past->plan.row[past->next];
		point += past->next && (!past->plan.width_ns || place_of(past, which) != place_of(past, which - 1));
		code = row_read(past, which, &row, reader, point, err);
		if (!code)
			reader->lost(&row, point, reader->arg);
		code = min(code, 0);
	}
	query_end(past);
	return code;
}

/**
 * tl_past_rows() - Read what the daemon decided
 * @past: past
 * @from_s: since when, @to_s: until when; since the epoch
 * @fn: called for each row of its log, in order of time
 * @arg: for @fn
 * @err: the sentence if it fails, but for what @fn returns
 *
 * Return: 0, a negative errno, or what @fn returned if that was not 0.
 */
int tl_past_rows(struct tl_past *past, double from_s, double to_s, tl_history_row_fn *fn, void *arg,
		 struct tl_error *err)
{
	sqlite3_stmt *st = tl_base_ask(past->base, "SELECT t, row FROM log WHERE t >= ? AND t < ? ORDER BY t, id", "dd",
				       from_s, to_s);
	int step = SQLITE_ERROR, code = 0;

	while (st && !code && (step = sqlite3_step(st)) == SQLITE_ROW) {
		const char *json = (const char *)sqlite3_column_text(st, 1);

		if (json)
			code = fn(sqlite3_column_double(st, 0), json, arg);
	}
	if (!code && step != SQLITE_DONE)
		code = tl_base_failed(past->base, err);
	sqlite3_finalize(st);
	return code;
}
