// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Figures since the daemon began: rows, and how many there may be
 *
 * A row has all figures with the same labels. If another one would be too much, what belongs there goes to the row
 * whose class, peer or function is "other", for which a tenth is kept free, and when that is full to one row of each
 * kind that is "other" in all. So nothing is lost of a sum, and whatever names there are, memory and the size of a
 * page are bounded.
 */
#include "daemon/metrics.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#define OTHER "other"
#define FORGET_NS 3600000000000ULL

static_assert(TL_OF_CELL_COLUMNS <= 64 && TL_OF_DAEMON_COLUMNS <= 64, "a bit for each column");

static int compare(const void *a, const void *b)
{
	const struct tl_metric_row *one = a, *two = b;
	unsigned int i;
	int order = 0;

	for (i = 0; i < one->labels && !order; i++)
		order = strcmp(one->label[i], two->label[i]);
	return order;
}

static struct tl_metric_row *find(const struct tl_metric_rows *rows, const struct tl_metric_row *key)
{
	void *node = tfind(key, &rows->tree, compare);

	return node ? *(struct tl_metric_row **)node : NULL;
}

/* The labels' texts stand behind the columns. */
static struct tl_metric_row *row_new(const struct tl_metric_row *key, unsigned int columns)
{
	size_t texts = 0;
	struct tl_metric_row *row;
	unsigned int i;
	char *text;

	for (i = 0; i < key->labels; i++)
		texts += strlen(key->label[i]) + 1;
	row = calloc(1, sizeof(*row) + columns * sizeof(*row->value) + texts);
	if (!row)
		return NULL;
	text = (char *)(row->value + columns);
	row->labels = key->labels;
	for (i = 0; i < key->labels; i++) {
		row->label[i] = text;
		text = stpcpy(text, key->label[i]) + 1;
	}
	return row;
}

static struct tl_metric_row *add(struct tl_metrics *metrics, enum tl_rows_kind kind, const struct tl_metric_row *key)
{
	struct tl_metric_rows *rows = &metrics->rows[kind];
	struct tl_metric_row *row = row_new(key, tl_rows_shapes[kind].columns), **to;

	if (!row || !tsearch(row, &rows->tree, compare)) {
		free(row);
		return NULL;
	}
	to = tl_array_append((void **)&rows->row, &rows->n, sizeof(*to));
	if (!to) {
		tdelete(row, &rows->tree, compare);
		free(row);
		return NULL;
	}
	*to = row;
	row->at = rows->n - 1;
	metrics->changes++;
	return row;
}

/* Which label goes to "other" first: the last one, of a call class and peer. */
static void others_set(struct tl_metric_row *key, enum tl_rows_kind kind, bool all)
{
	unsigned int i, from = kind == TL_ROWS_CHARGE || kind == TL_ROWS_EDGE ? 1 : key->labels - 1;
	unsigned int end = kind == TL_ROWS_CHARGE ? 2 : key->labels;

	for (i = all ? 0 : from; i < (all ? key->labels : end); i++)
		key->label[i] = OTHER;
	if (kind == TL_ROWS_EDGE)
		key->label[3] = "";
}

static struct tl_metric_row *find_or_add(struct tl_metrics *metrics, enum tl_rows_kind kind,
					 const struct tl_metric_row *key, size_t most, size_t costs, bool *full)
{
	struct tl_metric_row *row = find(&metrics->rows[kind], key);

	*full = false;
	if (row)
		return row;
	*full = metrics->series + costs > most;
	if (*full)
		return NULL;
	row = add(metrics, kind, key);
	if (!row)
		return NULL;
	row->costs = costs;
	metrics->series += costs;
	return row;
}

/**
 * tl_metrics_row() - The row with these labels
 * @metrics: metrics
 * @kind: of the row
 * @labels: as many as the kind has
 *
 * Return: the row, or that of others if there would be too many; NULL without memory.
 */
struct tl_metric_row *tl_metrics_row(struct tl_metrics *metrics, enum tl_rows_kind kind, const char *const *labels)
{
	struct tl_metric_row key = { .labels = tl_rows_shapes[kind].labels }, *row;
	size_t costs = tl_rows_series(kind);
	bool full;

	memcpy(key.label, labels, key.labels * sizeof(*labels));
	row = find_or_add(metrics, kind, &key, metrics->cap - metrics->cap / 10, costs, &full);
	if (full) {
		tl_metric_count(metrics->rows[TL_ROWS_DAEMON].row[0], TL_OF_CAPPED, 1);
		others_set(&key, kind, false);
		row = find_or_add(metrics, kind, &key, metrics->cap, costs, &full);
	}
	if (full) {
		/* Its place is kept. */
		others_set(&key, kind, true);
		row = find_or_add(metrics, kind, &key, SIZE_MAX, 0, &full);
	}
	if (row)
		row->at_ns = metrics->now_ns;
	return row;
}

static void drop(struct tl_metrics *metrics, struct tl_metric_rows *rows, size_t at)
{
	struct tl_metric_row *row = rows->row[at];

	tdelete(row, &rows->tree, compare);
	rows->row[at] = rows->row[--rows->n];
	rows->row[at]->at = at;
	metrics->series -= row->costs;
	metrics->changes++;
	free(row);
}

/* Is its tier, the first label, in no interval any more? A row without one goes by itself. */
static bool is_gone(const struct tl_metrics *metrics, enum tl_rows_kind kind, const struct tl_metric_row *row)
{
	struct tl_metric_row key = { .labels = 1, .label = { row->label[0] } }, *tier;

	if (kind == TL_ROWS_HOST || kind == TL_ROWS_RATE)
		return metrics->now_ns != row->at_ns;
	if (metrics->now_ns - row->at_ns <= FORGET_NS)
		return false;
	tier = tl_rows_shapes[kind].forget ? NULL : find(&metrics->rows[TL_ROWS_TIER], &key);
	return !tier || metrics->now_ns - tier->at_ns > FORGET_NS;
}

/**
 * tl_metrics_forget() - Drop what is gone
 * @metrics: metrics
 *
 * That is: rows of tiers that were in no interval for an hour, functions and events that were in none, and what the
 * host did not have in the last one.
 */
void tl_metrics_forget(struct tl_metrics *metrics)
{
	/* Tiers last: the others' rows are looked at by theirs. */
	static const enum tl_rows_kind kinds[] = { TL_ROWS_CELL,  TL_ROWS_EDGE, TL_ROWS_FUNCTION, TL_ROWS_CHARGE,
						   TL_ROWS_COUNT, TL_ROWS_HOST, TL_ROWS_RATE,	  TL_ROWS_TIER };
	struct tl_metric_rows *rows;
	size_t i, k;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		rows = &metrics->rows[kinds[k]];
		for (i = rows->n; i-- > 0;)
			if (is_gone(metrics, kinds[k], rows->row[i]))
				drop(metrics, rows, i);
	}
}

/**
 * tl_metrics_drop_old() - Drop rows that were not asked for just now
 * @metrics: metrics
 * @kind: of the rows
 */
void tl_metrics_drop_old(struct tl_metrics *metrics, enum tl_rows_kind kind)
{
	struct tl_metric_rows *rows = &metrics->rows[kind];
	size_t i;

	for (i = rows->n; i-- > 0;)
		if (rows->row[i]->at_ns != metrics->now_ns)
			drop(metrics, rows, i);
}

static void bounds_print(struct tl_metrics *metrics)
{
	unsigned int i;

	for (i = 0; i < TL_METRIC_BOUNDS; i++)
		snprintf(metrics->bound[i], sizeof(metrics->bound[i]), "%.11g",
			 tl_ns_to_s(1ULL << (i + TL_METRIC_FIRST_EXP)));
	strcpy(metrics->bound[TL_METRIC_BOUNDS], "+Inf");
}

/**
 * tl_metrics_begin() - Begin with nothing
 * @metrics: filled in, to be given to tl_metrics_end()
 * @cap: series that there may be
 *
 * Return: 0 or -ENOMEM.
 */
int tl_metrics_begin(struct tl_metrics *metrics, size_t cap)
{
	struct tl_metric_row *row;
	int kind;

	*metrics = (struct tl_metrics){ .cap = cap };
	bounds_print(metrics);
	for (kind = 0; kind < TL_ROWS_KINDS; kind++)
		metrics->series += tl_rows_series(kind);
	row = add(metrics, TL_ROWS_DAEMON, &(struct tl_metric_row){ 0 });
	if (!row)
		return -ENOMEM;
	tl_metric_count(row, TL_OF_INTERVALS, 0);
	tl_metric_count(row, TL_OF_MISSED, 0);
	tl_metric_count(row, TL_OF_CAPPED, 0);
	tl_metric_gauge(row, TL_OF_BUILD, 1);
	tl_metric_gauge(row, TL_OF_SERIES, (double)metrics->series);
	return 0;
}

static void nothing(void *row)
{
	(void)row;
}

/**
 * tl_metrics_end() - Free all rows
 * @metrics: metrics
 */
void tl_metrics_end(struct tl_metrics *metrics)
{
	size_t i;
	int kind;

	for (kind = 0; kind < TL_ROWS_KINDS; kind++) {
		tdestroy(metrics->rows[kind].tree, nothing);
		for (i = 0; i < metrics->rows[kind].n; i++)
			free(metrics->rows[kind].row[i]);
		free(metrics->rows[kind].row);
	}
	memset(metrics, 0, sizeof(*metrics));
}

/**
 * tl_metric_count() - Let a counter grow
 * @row: row
 * @column: of it
 * @more: by so much
 */
void tl_metric_count(struct tl_metric_row *row, unsigned int column, u64 more)
{
	row->value[column].n += more;
	row->seen |= 1ULL << column;
}

/**
 * tl_metric_gauge() - Set a gauge
 * @row: row
 * @column: of it
 * @value: what it is now; not finite if it is not known
 */
void tl_metric_gauge(struct tl_metric_row *row, unsigned int column, double value)
{
	row->value[column].real = value;
	if (isfinite(value))
		row->seen |= 1ULL << column;
	else
		row->seen &= ~(1ULL << column);
}

/* A counter that somebody else counts. */
static void count_set(struct tl_metric_row *row, unsigned int column, u64 n)
{
	tl_metric_count(row, column, n - row->value[column].n);
}

/**
 * tl_metrics_pushed() - How remote write is
 * @metrics: metrics
 * @figures: how it is
 */
void tl_metrics_pushed(struct tl_metrics *metrics, const struct tl_push_figures *figures)
{
	struct tl_metric_row *row = tl_metrics_row(metrics, TL_ROWS_PUSH, (const char *const[]){ NULL });
	unsigned int i;

	if (!row)
		return;
	count_set(row, TL_OF_SENT, figures->sent);
	count_set(row, TL_OF_REPEATED, figures->repeated);
	for (i = 0; i < TL_PUSH_LOSSES; i++)
		count_set(row, TL_OF_PUSH_LOST + i, figures->lost[i]);
	count_set(row, TL_OF_PUSH_INTERVALS, figures->lost_intervals);
	for (i = 0; i < TL_PUSH_OUTCOMES; i++)
		count_set(row, TL_OF_PUSH_REQUESTS + i, figures->requests[i]);
	tl_metric_gauge(row, TL_OF_PUSH_WAITING, (double)figures->waiting);
	tl_metric_gauge(row, TL_OF_PUSH_BYTES, (double)figures->bytes);
	tl_metric_gauge(row, TL_OF_PUSH_SIZE, (double)figures->size);
	tl_metric_gauge(row, TL_OF_PUSH_LAST, figures->sent_ms ? (double)figures->sent_ms / 1e3 : NAN);
	tl_metric_gauge(row, TL_OF_PUSH_UP, figures->up);
}

/**
 * tl_metrics_decided() - Count a decision or a finding of the adaptor
 * @metrics: metrics
 * @kind: "decision" or "finding"
 * @why: reason of a decision, ""
 *
 * Return: 0 or -ENOMEM.
 */
int tl_metrics_decided(struct tl_metrics *metrics, const char *kind, const char *why)
{
	struct tl_metric_row *row = tl_metrics_row(metrics, TL_ROWS_DECISION, (const char *const[]){ kind, why });

	if (!row)
		return -ENOMEM;
	tl_metric_count(row, 0, 1);
	return 0;
}
