// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of small tables in CSV, as lists of fields with the line that they end in. */
#include "csv-rows.h"

#include "error.h"

#include <csv.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES_MAX (1U << 20)

struct reader {
	const struct tl_csv_rows *rows;
	struct csv_parser csv;
	struct tl_error *err;
	const char *file;
	unsigned long line;
	char **field;
	size_t n, room;
	int code;
};

static void on_field(void *text, size_t len, void *arg)
{
	struct reader *r = arg;
	size_t room = r->room ? 2 * r->room : 16;
	char **grown;

	if (!r->code && strlen(text) != len)
		r->code = tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu: a NUL byte: is this a CSV "
				       "file?", r->file, r->line, r->n + 1);
	if (r->code)
		return;
	if (r->n == r->room) {
		grown = reallocarray(r->field, room, sizeof(*grown));
		if (!grown) {
			r->code = tl_error_no_memory(r->err);
			return;
		}
		r->field = grown;
		r->room = room;
	}
	r->field[r->n] = strdup(text);
	if (r->field[r->n])
		r->n++;
	else
		r->code = tl_error_no_memory(r->err);
}

static void fields_free(struct reader *r)
{
	while (r->n)
		free(r->field[--r->n]);
}

static void on_row(int terminator, void *arg)
{
	struct reader *r = arg;

	(void)terminator;
	if (!r->code)
		r->code = r->rows->row(r->rows->arg, r->line, r->field, r->n);
	fields_free(r);
}

/* Spreadsheets of half of Europe write semicolons, databases write tabs. */
static unsigned char delimiter_of(const char *text)
{
	size_t semicolons = 0, commas = 0, tabs = 0;

	for (; *text; text++) {
		semicolons += *text == ';';
		commas += *text == ',';
		tabs += *text == '\t';
	}
	return tabs > commas && tabs > semicolons ? '\t' : semicolons > commas ? ';' : ',';
}

static int line_read(struct reader *r, char *text, size_t len)
{
	static const char bom[] = "\xef\xbb\xbf";

	if (len > LINE_BYTES_MAX)
		return tl_error_set(r->err, -E2BIG, "%s:%lu: line of more than 1 MiB: is this a CSV "
				    "file?", r->file, r->line);
	if (r->line == 1) {
		if (len >= 3 && !memcmp(text, bom, 3)) {
			text += 3;
			len -= 3;
		}
		csv_set_delim(&r->csv, delimiter_of(text));
	}
	if (csv_parse(&r->csv, text, len, on_field, on_row, r) != len && !r->code)
		r->code = tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu: a quote in the middle of a "
				       "field, or no memory: mend the row", r->file, r->line, r->n + 1);
	return r->code;
}

static int lines_read(struct reader *r, FILE *from)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t len;

	while (!r->code && (len = getline(&text, &room, from)) > 0) {
		r->line++;
		r->code = line_read(r, text, (size_t)len);
	}
	free(text);
	if (!r->code && ferror(from))
		return tl_error_set(r->err, -EIO, "%s: cannot read (%s): copy it to a sound disk",
				    r->file, strerror(errno));
	if (!r->code && csv_fini(&r->csv, on_field, on_row, r) && !r->code)
		return tl_error_set(r->err, -EINVAL, "%s:%lu: a quote is not closed: mend it", r->file,
				    r->line);
	return r->code;
}

/**
 * tl_csv_rows_read() - Read a CSV file row by row
 * @rows: what is done with them
 * @file: its name; fields are separated by comma, semicolon or tab
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_csv_rows_read(const struct tl_csv_rows *rows, const char *file, struct tl_error *err)
{
	struct reader r = { .rows = rows, .err = err, .file = file };
	FILE *from = fopen(file, "re");
	int code;

	if (!from)
		return tl_error_set(err, -errno, "%s: cannot read (%s): give %s", file, strerror(errno),
				    rows->give);
	if (csv_init(&r.csv, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL)) {
		fclose(from);
		return tl_error_no_memory(err);
	}
	code = lines_read(&r, from);
	csv_free(&r.csv);
	fclose(from);
	fields_free(&r);
	free(r.field);
	return code;
}
