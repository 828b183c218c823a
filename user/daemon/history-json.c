// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The history as a page draws it: columns of sums, one for each tier and class
 *
 * It is read with a bounded effort (past-plan.c), cells alone, and written without a tree of JSON in between: for 20 tiers
 * and 10 classes that would take longer than all else.
 */
#include "daemon/history-json.h"

#include "error.h"
#include "past.h"
#include "table.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#define SUMS_MOST (1U << 22) /* 32 MiB; who has more series is told of the first */

enum figure { COUNT, TRACED, OWN, RESPONSE, FIGURES };

static const char *const figure_names[] = { "count", "traced", "own_ns", "response_ns" };

/* Of a tier and class: @sum[FIGURES][points]. */
struct series {
	char *tier, *class;
	u64 own_ns, *sum;
};

/* @start_ns: of the first row that was read; without one, of the first that was to be, and @end_ns is the same. */
struct point {
	u64 start_ns, end_ns, gap_ns;
	bool read;
};

/* @hint: where the next cell is likely to be, since those of an interval come in the same order. */
struct chart {
	const struct tl_history_ask *ask;
	struct point *point;
	size_t room, points, now;
	struct series *series;
	size_t n, hint;
};

static struct point *point_of(struct chart *chart, const struct tl_history_point *row, size_t at)
{
	struct point *point;

	chart->now = min(at, chart->room - 1);
	point = &chart->point[chart->now];
	if (chart->now >= chart->points) {
		chart->points = chart->now + 1;
		point->start_ns = point->end_ns = row->start_ns;
	}
	point->gap_ns += row->gap_ns;
	return point;
}

static int row_take(const struct tl_history_point *row, size_t at, void *arg)
{
	struct point *point = point_of(arg, row, at);

	if (!point->read)
		point->start_ns = row->start_ns;
	point->read = true;
	point->end_ns = max(point->end_ns, row->end_ns);
	return 0;
}

/* A gap has its place, too: what is drawn goes by points. */
static void lost_take(const struct tl_history_point *row, size_t at, void *arg)
{
	point_of(arg, row, at);
}

static bool is_of(const struct series *series, const char *tier, const char *class)
{
	return !strcmp(series->tier, tier) && !strcmp(series->class, class);
}

static struct series *series_new(struct chart *chart, const char *tier, const char *class)
{
	struct series *series = tl_array_append((void **)&chart->series, &chart->n, sizeof(*series));

	if (!series)
		return NULL;
	*series = (struct series){ strdup(tier), strdup(class), 0, calloc(chart->room * FIGURES, sizeof(*series->sum)) };
	return series->tier && series->class && series->sum ? series : NULL;
}

static bool is_full(const struct chart *chart)
{
	return (chart->n + 1) * chart->room * FIGURES > SUMS_MOST;
}

/* Return: NULL without memory, or if it is full. */
static struct series *series_of(struct chart *chart, const char *tier, const char *class)
{
	size_t i, at;

	for (i = 0; i < chart->n; i++) {
		at = (chart->hint + i) % chart->n;
		if (is_of(&chart->series[at], tier, class)) {
			chart->hint = at + 1;
			return &chart->series[at];
		}
	}
	chart->hint = chart->n + 1;
	return is_full(chart) ? NULL : series_new(chart, tier, class);
}

static int cell_take(const char *tier, const struct tl_cell *cell, void *arg)
{
	struct chart *chart = arg;
	struct series *series;
	u64 *sum;

	if ((chart->ask->class && strcmp(chart->ask->class, cell->class)) || !cell->count)
		return 0;
	series = series_of(chart, tier, cell->class);
	if (!series)
		return is_full(chart) ? 0 : -ENOMEM;
	sum = series->sum + chart->now;
	sum[COUNT * chart->room] += cell->count;
	sum[TRACED * chart->room] += cell->traced;
	sum[OWN * chart->room] += cell->own_ns;
	sum[RESPONSE * chart->room] += cell->response_ns;
	series->own_ns += cell->own_ns;
	return 0;
}

static int by_own(const void *a, const void *b)
{
	const struct series *x = a, *y = b;
	int order;

	if (x->own_ns != y->own_ns)
		return x->own_ns > y->own_ns ? -1 : 1;
	order = strcmp(x->tier, y->tier);
	return order ? order : strcmp(x->class, y->class);
}

/* What is beyond the series that are wanted becomes one. */
static void rest_add(struct chart *chart, struct series *rest, const struct series *of)
{
	size_t i;

	rest->own_ns += of->own_ns;
	for (i = 0; i < FIGURES * chart->room; i++)
		rest->sum[i] += of->sum[i];
}

/* A text that is not in a table of ours; jansson knows how to write it. */
static void text_write(FILE *to, const char *text)
{
	json_t *string = json_string(text);
	char *written = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;

	fputs(written ? written : "\"\"", to);
	free(written);
	json_decref(string);
}

static void numbers_write(FILE *to, const u64 *number, size_t n)
{
	char digits[20], *at;
	size_t i;
	u64 left;

	fputc('[', to);
	for (i = 0; i < n; i++) {
		at = digits + sizeof(digits);
		left = number[i];
		do
			*--at = (char)('0' + left % 10);
		while (left /= 10);
		if (i)
			fputc(',', to);
		fwrite(at, 1, (size_t)(digits + sizeof(digits) - at), to);
	}
	fputc(']', to);
}

static void series_write(FILE *to, const struct chart *chart, const struct series *series)
{
	size_t i;

	if (series->tier) {
		fputs("{\"tier\":", to);
		text_write(to, series->tier);
		fputs(",\"class\":", to);
		text_write(to, series->class);
	} else {
		fputs("{\"tier\":null,\"class\":null", to);
	}
	for (i = 0; i < FIGURES; i++) {
		fprintf(to, ",\"%s\":", figure_names[i]);
		numbers_write(to, series->sum + i * chart->room, chart->points);
	}
	fputc('}', to);
}

static void times_write(FILE *to, const struct chart *chart)
{
	size_t i;

	fputs("{\"t\":[", to);
	for (i = 0; i < chart->points; i++)
		fprintf(to, "%s%.3f", i ? "," : "", tl_ns_to_s(chart->point[i].start_ns));
	fputs("],\"seconds\":[", to);
	for (i = 0; i < chart->points; i++)
		fprintf(to, "%s%.3f", i ? "," : "", tl_ns_to_s(chart->point[i].end_ns - chart->point[i].start_ns));
	fputs("],\"gap_s\":[", to);
	for (i = 0; i < chart->points; i++)
		fprintf(to, "%s%.3f", i ? "," : "", tl_ns_to_s(chart->point[i].gap_ns));
	fputc(']', to);
}

static int chart_write(struct chart *chart, u64 missing, char **json)
{
	size_t shown = min(chart->ask->series, chart->n), i, len;
	struct series rest = { .sum = calloc(chart->room * FIGURES, sizeof(*rest.sum)) };
	FILE *to = rest.sum ? open_memstream(json, &len) : NULL;
	bool failed;

	if (!to) {
		free(rest.sum);
		return -ENOMEM;
	}
	if (chart->n)
		qsort(chart->series, chart->n, sizeof(*chart->series), by_own);
	for (i = shown; i < chart->n; i++)
		rest_add(chart, &rest, &chart->series[i]);
	times_write(to, chart);
	fputs(",\"series\":[", to);
	for (i = 0; i < shown; i++) {
		if (i)
			fputc(',', to);
		series_write(to, chart, &chart->series[i]);
	}
	fprintf(to, "],\"rest_n\":%zu,\"rest\":", chart->n - shown);
	if (chart->n > shown)
		series_write(to, chart, &rest);
	else
		fputs("null", to);
	fprintf(to, ",\"missing\":%llu}", (unsigned long long)missing);
	failed = ferror(to);
	failed = fclose(to) || failed;
	free(rest.sum);
	if (!failed)
		return 0;
	free(*json);
	return -ENOMEM;
}

static void chart_free(struct chart *chart)
{
	size_t i;

	for (i = 0; i < chart->n; i++) {
		free(chart->series[i].tier);
		free(chart->series[i].class);
		free(chart->series[i].sum);
	}
	free(chart->series);
	free(chart->point);
}

/**
 * tl_history_series() - Sums over time, by tier and class
 * @ask: what is wanted
 * @json: set to the text, to be freed by the caller
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno, with *@json then NULL.
 */
int tl_history_series(const struct tl_history_ask *ask, char **json, struct tl_error *err)
{
	struct tl_history_query query = { .from_ns = ask->from_ns, .to_ns = ask->to_ns, .points = ask->points,
					  .tier = ask->tier, .cells = true };
	struct chart chart = { .ask = ask, .room = ask->points + 2 };
	struct tl_past_reader reader = { row_take, cell_take, lost_take, &chart };
	struct tl_past *past;
	u64 missing;
	int code = tl_past_open(&past, ask->file, err);

	*json = NULL;
	if (code)
		return code;
	chart.point = calloc(chart.room, sizeof(*chart.point));
	code = chart.point ? tl_past_cells(past, &query, &reader, err) : tl_error_no_memory(err);
	missing = tl_past_missing(past);
	tl_past_close(past);
	if (!code && chart_write(&chart, missing, json)) {
		*json = NULL;
		code = tl_error_no_memory(err);
	}
	chart_free(&chart);
	return code;
}

/* ---- histograms ---------------------------------------------------------- */

struct sum {
	const struct tl_history_ask *ask;
	struct tl_cell cell;
	u64 from_ns, to_ns, missing;
};

static int sum_take(const struct tl_history_point *point, void *arg)
{
	struct sum *sum = arg;
	size_t i, k;

	sum->from_ns = sum->from_ns ? min(sum->from_ns, point->start_ns) : point->start_ns;
	sum->to_ns = max(sum->to_ns, point->end_ns);
	for (i = 0; i < point->interval->n_tiers; i++)
		for (k = 0; k < point->interval->tiers[i].n_cells; k++) {
			const struct tl_cell *cell = &point->interval->tiers[i].cells[k];

			if (!sum->ask->class || !strcmp(sum->ask->class, cell->class))
				tl_cell_add(&sum->cell, cell);
		}
	return 0;
}

static json_t *hist_json(const u64 *hist)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < TL_HIST_BUCKETS; i++)
		if (hist[i])
			json_array_append_new(list, json_pack("[I, I]", (json_int_t)i, (json_int_t)hist[i]));
	return list;
}

/* Null if nothing was read: it is not 1970. */
static json_t *time_json(u64 ns)
{
	return ns ? json_real(tl_ns_to_s(ns)) : json_null();
}

static json_t *sum_json(const struct sum *sum)
{
	const struct tl_cell *cell = &sum->cell;

	return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:I}", "from_t", time_json(sum->from_ns), "to_t",
			 time_json(sum->to_ns), "count", (json_int_t)cell->count, "traced", (json_int_t)cell->traced,
			 "response_ns", (json_int_t)cell->response_ns, "own_ns", (json_int_t)cell->own_ns, "response",
			 hist_json(cell->response_hist), "own", hist_json(cell->own_hist), "missing",
			 (json_int_t)sum->missing);
}

/**
 * tl_history_histogram() - How long requests of a tier took, all of a time together
 * @ask: what is wanted; its tier must be there
 * @json: set to the text, to be freed by the caller
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno, with *@json then NULL.
 */
int tl_history_histogram(const struct tl_history_ask *ask, char **json, struct tl_error *err)
{
	struct tl_history_query query = { .from_ns = ask->from_ns, .to_ns = ask->to_ns, .points = 1, .tier = ask->tier };
	struct sum *sum = calloc(1, sizeof(*sum));
	struct tl_past *past;
	json_t *object;
	int code;

	*json = NULL;
	if (!sum)
		return tl_error_no_memory(err);
	sum->ask = ask;
	code = tl_past_open(&past, ask->file, err);
	if (!code) {
		code = tl_past_each(past, &query, sum_take, sum, err);
		sum->missing = tl_past_missing(past);
		tl_past_close(past);
	}
	if (!code) {
		object = sum_json(sum);
		*json = object ? json_dumps(object, JSON_COMPACT) : NULL;
		json_decref(object);
		code = *json ? 0 : tl_error_no_memory(err);
	}
	free(sum);
	return code;
}
