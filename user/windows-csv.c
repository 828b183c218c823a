// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table of figures from CSV
 *
 * libcsv takes the fields apart. It does not tell where they stood, so it is given
 * one line at a time. Means are turned into sums when a row is complete, because the
 * count that they are the mean of may stand behind them.
 */
#include "windows.h"

#include "csv-head.h"
#include "error.h"
#include "text.h"

#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES_MAX (1U << 20)
#define VALUE_MAX 1e12 /* beyond, sums of squares lose what they are for */
#define VALUE_MIN 1e-6 /* of what is divided by; nobody measures windows of less */

struct reader {
	struct tl_windows *windows;
	struct tl_csv_head head;
	struct csv_parser csv;
	struct tl_error *err;
	const char *file;
	unsigned long line, row_line; /* @row_line: where the row began */
	size_t field; /* of the row, or how many there were */
	double *row; /* one a field */
	int code;
};

static const char *name_of(const struct reader *r, size_t field)
{
	return r->head.field[field].name;
}

static int fault(struct reader *r, size_t field, const char *what, const char *remedy)
{
	r->code = tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu (%s): %s: %s", r->file,
			       r->line, field + 1, name_of(r, field), what, remedy);
	return r->code;
}

static bool has_comma(const char *text)
{
	return strchr(text, ',') && strspn(text, "-+0123456789,.eE") == strlen(text);
}

/* NAN for an empty field, which is one that is not known. */
static int number(struct reader *r, const char *text, double *value)
{
	char what[120], *end = NULL;

	*value = NAN;
	if (!*text)
		return 0;
	/* strtod() takes nan, infinity and hexadecimal too. */
	if (strspn(text, "-+0123456789.eE") == strlen(text))
		*value = strtod(text, &end);
	if (end && end != text && !*end && isfinite(*value))
		return 0;
	snprintf(what, sizeof(what), "\"%.60s\" is not a number", text);
	return fault(r, r->field, what, has_comma(text) ?
		     "write decimals with a point" :
		     "leave the field empty where it is not known");
}

static int value_fault(struct reader *r, double value, const char *is, const char *remedy)
{
	char what[80];

	snprintf(what, sizeof(what), "%g is %s", value, is);
	return fault(r, r->field, what, remedy);
}

static int check(struct reader *r, enum tl_csv_kind kind, double value)
{
	if (value < 0 && kind != TL_CSV_T)
		return value_fault(r, value, "negative",
				   kind == TL_CSV_COUNT ? "a count of requests is 0 or more" :
				   kind == TL_CSV_BUSY ? "a utilisation is 0 to 1" :
							 "a time is 0 or more");
	if (fabs(value) > VALUE_MAX)
		return value_fault(r, value, "too large", "mend the row");
	if (kind == TL_CSV_BUSY && value > 1)
		return value_fault(r, value, "above 1",
				   "a utilisation is 0 to 1: divide percentages by 100");
	if (value > 0 && value < VALUE_MIN &&
	    (kind == TL_CSV_SECONDS || kind == TL_CSV_COUNT))
		return value_fault(r, value, "too small", kind == TL_CSV_COUNT ?
				   "a count of requests is 0, or 1 or more" :
				   "delete the row or mend its length");
	if (kind == TL_CSV_SECONDS && value == 0)
		return fault(r, r->field, "the window has no length",
			     "delete the row or mend its length");
	if (isnan(value) && (kind == TL_CSV_COUNT || kind == TL_CSV_T ||
			     kind == TL_CSV_SECONDS))
		return fault(r, r->field, "the field is empty",
			     "every window needs its time, its length and its counts");
	return 0;
}

static void field_read(struct reader *r, const char *text)
{
	double value;

	if (r->field >= r->head.n) {
		r->code = tl_error_set(r->err, -EINVAL,
				       "%s:%lu: more than the %zu fields of the head line: mend "
				       "the row", r->file, r->line, r->head.n);
		return;
	}
	if (r->head.field[r->field].kind == TL_CSV_OTHER)
		return;
	if (!number(r, text, &value) && !check(r, r->head.field[r->field].kind, value))
		r->row[r->field] = value;
}

static void on_field(void *text, size_t len, void *arg)
{
	struct reader *r = arg;

	if (r->code)
		return;
	if (strlen(text) != len)
		r->code = tl_error_set(r->err, -EINVAL,
				       "%s:%lu: column %zu: a NUL byte: is this a CSV file?",
				       r->file, r->line, r->field + 1);
	else if (!r->row)
		r->code = tl_csv_head_add(&r->head, text, r->file, r->err);
	else
		field_read(r, text);
	r->field++;
}

static double mean_to_sum(double mean, double count)
{
	return count == 0 ? 0 : mean * count;
}

static double value_of(const struct reader *r, const struct tl_csv_field *field, size_t at)
{
	double value = r->row[at];

	if (field->kind == TL_CSV_RESPONSE || field->kind == TL_CSV_OWN)
		return mean_to_sum(value, r->row[field->count_at]);
	return value;
}

/* Windows come one after the other and do not overlap, but for what clocks are slewed. */
static int check_time(struct reader *r, const struct tl_windows *w)
{
	double before = w->t_s[w->n - 2], now = w->t_s[w->n - 1];
	const char *what = now == before ? "the window is there twice" :
			   now < before ? "the clock goes back" :
					  "the window begins before the last one ended";

	if (now > before && now - before >= 0.5 * w->seconds[w->n - 2])
		return 0;
	return fault(r, r->head.t_at, what, "sort the rows, delete what is there twice");
}

static int row_end(struct reader *r)
{
	struct tl_windows *w = r->windows;
	size_t i;

	if (r->field != r->head.n)
		return r->code = tl_error_set(r->err, -EINVAL,
					      "%s:%lu: %zu fields, but the head line has %zu: mend "
					      "the row", r->file, r->line, r->field, r->head.n);
	if (tl_windows_grow(w))
		return r->code = tl_error_no_memory(r->err);
	for (i = 0; i < r->head.n; i++) {
		const struct tl_csv_field *field = &r->head.field[i];

		if (field->kind == TL_CSV_T)
			w->t_s[w->n - 1] = r->row[i];
		else if (field->kind == TL_CSV_SECONDS)
			w->seconds[w->n - 1] = r->row[i];
		else if (field->kind != TL_CSV_OTHER)
			w->column[field->column].value[w->n - 1] = value_of(r, field, i);
	}
	if (r->head.t_at == TL_NOWHERE)
		w->t_s[w->n - 1] = w->n > 1 ? w->t_s[w->n - 2] + w->seconds[w->n - 2] : 0;
	else if (w->n > 1)
		check_time(r, w);
	return r->code;
}

static void on_row(int terminator, void *arg)
{
	struct reader *r = arg;

	(void)terminator;
	if (r->code)
		return;
	if (r->row) {
		row_end(r);
	} else {
		r->code = tl_csv_head_end(&r->head, r->windows, r->file, r->err);
		r->row = r->code ? NULL : calloc(r->head.n, sizeof(*r->row));
		if (!r->code && !r->row)
			r->code = tl_error_no_memory(r->err);
	}
	r->field = 0;
}

/* Spreadsheets of half of Europe write semicolons, databases write tabs. */
static unsigned char delimiter_of(const char *head, size_t len)
{
	static const char candidates[] = ",;\t";
	size_t count[sizeof(candidates)] = { 0 }, i, best = 0;
	const char *at;

	for (i = 0; i < len; i++) {
		at = head[i] ? strchr(candidates, head[i]) : NULL;
		if (at)
			count[at - candidates]++;
	}
	for (i = 1; i < sizeof(candidates) - 1; i++)
		if (count[i] > count[best])
			best = i;
	return (unsigned char)candidates[best];
}

static int parse(struct reader *r, const char *text, size_t len)
{
	if (csv_parse(&r->csv, text, len, on_field, on_row, r) != len && !r->code)
		r->code = csv_error(&r->csv) == CSV_ENOMEM ? tl_error_no_memory(r->err) :
			tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu: a quote in the middle "
				     "of a field: write it twice, and one around the field",
				     r->file, r->line, r->field + 1);
	return r->code;
}

static int line_read(struct reader *r, const char *text, size_t len)
{
	static const char bom[] = "\xef\xbb\xbf";

	if (len > LINE_BYTES_MAX)
		return tl_error_set(r->err, -E2BIG,
				    "%s:%lu: line of more than 1 MiB: is this a CSV file?",
				    r->file, r->line);
	if (r->line == 1) {
		if (len >= 3 && !memcmp(text, bom, 3)) {
			text += 3;
			len -= 3;
		}
		csv_set_delim(&r->csv, delimiter_of(text, len));
	}
	return parse(r, text, len);
}

static int lines_read(struct reader *r, FILE *from)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t len;

	while (!r->code && (len = getline(&text, &room, from)) > 0) {
		r->line++;
		if (!r->field && !r->csv.quoted)
			r->row_line = r->line;
		r->code = line_read(r, text, (size_t)len);
	}
	if (!r->code && ferror(from))
		r->code = tl_error_set(r->err, -EIO, "%s: cannot read (%s): copy it to a sound "
				       "disk", r->file, strerror(errno));
	free(text);
	if (!r->code && csv_fini(&r->csv, on_field, on_row, r) && !r->code)
		r->code = tl_error_set(r->err, -EINVAL,
				       "%s:%lu: column %zu: a quote is not closed: mend it",
				       r->file, r->row_line, r->field + 1);
	return r->code;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Without a column of lengths a window is as long as most steps of the time are. */
static int lengths_guess(struct reader *r, struct tl_windows *w)
{
	double *step = calloc(w->n, sizeof(*step)), seconds;
	size_t i;

	if (!step)
		return tl_error_no_memory(r->err);
	for (i = 1; i < w->n; i++)
		step[i - 1] = w->t_s[i] - w->t_s[i - 1];
	qsort(step, w->n - 1, sizeof(*step), compare);
	seconds = step[(w->n - 1) / 2];
	free(step);
	if (seconds < VALUE_MIN)
		return tl_error_set(r->err, -EINVAL, "%s:1: column %zu (%s): most steps are %g "
				    "s, which is too small: give seconds, or add a column "
				    "\"seconds\"", r->file, r->head.t_at + 1,
				    name_of(r, r->head.t_at), seconds);
	for (i = 0; i < w->n; i++)
		w->seconds[i] = seconds;
	tl_windows_note(w, "%s: no column \"seconds\": windows are taken to be %g s long, as "
			"most steps of t are", r->file, seconds);
	return 0;
}

static int finish(struct reader *r)
{
	struct tl_windows *w = r->windows;

	if (!r->row)
		return tl_error_set(r->err, -ENODATA, "%s: the file is empty: give one with a "
				    "head line", r->file);
	if (w->n < 2)
		return tl_error_set(r->err, -ENODATA,
				    "%s: %zu window%s: measure more of them", r->file, w->n,
				    w->n == 1 ? "" : "s");
	if (r->head.seconds_at == TL_NOWHERE && lengths_guess(r, w))
		return -ENOMEM;
	return tl_csv_head_derive(&r->head, w) ? tl_error_no_memory(r->err) : 0;
}

/**
 * tl_windows_read_csv() - Read a table of figures
 * @windows: empty; filled in
 * @file: name of the CSV file
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_windows_read_csv(struct tl_windows *windows, const char *file,
			struct tl_error *err)
{
	struct reader r = { .windows = windows, .err = err, .file = file };
	FILE *from = fopen(file, "re");
	int code;

	if (!from)
		return tl_error_set(err, -errno, "%s: cannot read (%s): give a CSV file or a "
				    "recording", file, strerror(errno));
	if (csv_init(&r.csv, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL)) {
		fclose(from);
		return tl_error_no_memory(err);
	}
	tl_csv_head_init(&r.head);
	code = lines_read(&r, from);
	code = code ? code : finish(&r);
	csv_free(&r.csv);
	fclose(from);
	tl_csv_head_free(&r.head);
	free(r.row);
	return code;
}
