// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of a level added up to rows of the next
 *
 * A row of a coarser level is the sum, by tl_interval_add(), of those that came one after the other and
 * began in the same step of time. It is made when one has come that began in another: so a clock that was
 * set back only ends a sum earlier, and nothing is ever added to what has been written.
 */
#include "daemon/history-store.h"

#include "error.h"
#include "table.h"

#include <errno.h>
#include <stdio.h>

#define EFFORT 3 /* zstd's; more than that gains a hundredth and takes twice as long */

struct sum {
	struct tl_store *store;
	unsigned int level; /* of what is written */
	u64 step;
	struct tl_interval *total;
	struct tl_store_row row;
	struct tl_error *err;
};

static u64 step_of(const struct sum *sum, u64 start_ns)
{
	return start_ns / tl_history_level[sum->level].step_ns;
}

static int finish(struct sum *sum)
{
	struct tl_store_row *row = &sum->row;
	int code = 0;

	if (!row->last)
		return 0;
	if (sum->total) {
		row->generation = sum->total->generation;
		code = tl_packer_pack(sum->store->packer, sum->total, EFFORT, &row->packed);
		code = code ? tl_error_no_memory(sum->err) : tl_store_put(sum->store, sum->level, row, sum->err);
		tl_packed_free(&row->packed);
		tl_interval_free(sum->total);
		sum->total = NULL;
	}
	sum->store->added[sum->level - 1] = row->last;
	*row = (struct tl_store_row){ 0 };
	return code;
}

static int add(struct sum *sum, struct tl_interval *part)
{
	int code = 0;

	if (!sum->total)
		sum->total = tl_interval_new();
	if (!sum->total || tl_interval_add(sum->total, part))
		code = tl_error_no_memory(sum->err);
	tl_interval_free(part);
	return code;
}

/* Columns: id, start_ns, end_ns, intervals, missed, gap_ns, sums, hists. */
static int row_add(struct sum *sum, sqlite3_stmt *st)
{
	struct tl_packed packed = {
		.byte = { (u8 *)sqlite3_column_blob(st, 6), (u8 *)sqlite3_column_blob(st, 7) },
		.n = { (size_t)sqlite3_column_bytes(st, 6), (size_t)sqlite3_column_bytes(st, 7) },
	};
	u64 start_ns = (u64)sqlite3_column_int64(st, 1), end_ns = (u64)sqlite3_column_int64(st, 2);
	struct tl_store_row *row = &sum->row;
	struct tl_interval *part = NULL;
	int code = -EBADMSG;

	if (packed.byte[0] && packed.byte[1])
		code = tl_packer_unpack(sum->store->packer, &packed, NULL, &part);
	if (code == -ENOMEM)
		return tl_error_no_memory(sum->err);
	row->last = sqlite3_column_int64(st, 0);
	row->first = row->first ? row->first : row->last;
	row->missed += (u64)sqlite3_column_int64(st, 4);
	row->gap_ns += (u64)sqlite3_column_int64(st, 5);
	if (code) {
		/* A disk has lost it: that is said once, and it is a gap from now on. */
		sum->store->damaged++;
		row->gap_ns += end_ns > start_ns ? end_ns - start_ns : 0;
		return 0;
	}
	row->intervals += (u64)sqlite3_column_int64(st, 3);
	row->start_ns = sum->total ? min(row->start_ns, start_ns) : start_ns;
	row->end_ns = max(row->end_ns, end_ns);
	return add(sum, part);
}

/* Return: whether there is a row to be made; a negative errno. */
static int is_due(struct sum *sum)
{
	const char *table = tl_history_level[sum->level - 1].table;
	sqlite3_stmt *st;
	char sql[300];
	int step, code;

	snprintf(sql, sizeof(sql), "SELECT a.start_ns, b.start_ns FROM %s a, %s b WHERE a.id = (SELECT min(id) FROM %s "
		 "WHERE id > ?) AND b.id = (SELECT max(id) FROM %s)", table, table, table, table);
	st = tl_base_ask(&sum->store->base, sql, "i", sum->store->added[sum->level - 1]);
	step = st ? sqlite3_step(st) : SQLITE_ERROR;
	if (step == SQLITE_ROW)
		code = step_of(sum, (u64)sqlite3_column_int64(st, 0)) != step_of(sum, (u64)sqlite3_column_int64(st, 1));
	else
		code = step == SQLITE_DONE ? 0 : tl_base_failed(&sum->store->base, sum->err);
	sqlite3_finalize(st);
	return code;
}

static int rows_add(struct sum *sum)
{
	sqlite3_stmt *st;
	int step = SQLITE_ERROR, code = 0;
	char sql[200];
	u64 at;

	snprintf(sql, sizeof(sql), "SELECT id, start_ns, end_ns, intervals, missed, gap_ns, sums, hists FROM %s "
		 "WHERE id > ? ORDER BY id", tl_history_level[sum->level - 1].table);
	st = tl_base_ask(&sum->store->base, sql, "i", sum->store->added[sum->level - 1]);
	while (st && !code && (step = sqlite3_step(st)) == SQLITE_ROW) {
		at = step_of(sum, (u64)sqlite3_column_int64(st, 1));
		if (sum->row.last && at != sum->step)
			code = finish(sum);
		sum->step = at;
		code = code ? code : row_add(sum, st);
	}
	if (!code && step != SQLITE_DONE)
		code = tl_base_failed(&sum->store->base, sum->err);
	sqlite3_finalize(st);
	return code;
}

/**
 * tl_store_sum() - Make the rows of all coarser levels that are complete
 * @store: store, in a batch
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_store_sum(struct tl_store *store, struct tl_error *err)
{
	struct sum sum = { .store = store, .err = err };
	int code = 0;

	for (sum.level = 1; sum.level < TL_HISTORY_LEVELS && !code; sum.level++) {
		code = is_due(&sum);
		if (code > 0)
			code = rows_add(&sum);
		tl_interval_free(sum.total);
		sum.total = NULL;
		sum.row = (struct tl_store_row){ 0 };
	}
	return code;
}
