// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A matrix of transition probabilities from CSV: a head line with the names of the states,
 * then a line for each state: its name, and the probability of each to be the next. The
 * end of a session needs no line.
 */
#include "cbmg-graph.h"

#include "error.h"
#include "hist.h"

#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES_MAX (1U << 20)

struct reader {
	struct tl_cbmg_draft *draft;
	struct csv_parser csv;
	struct tl_error *err;
	const char *file;
	unsigned long line;
	size_t field, at; /* @at: state of the row */
	bool head;
	char **name; /* [names] of the head line */
	size_t names;
	int code;
};

static int head_field(struct reader *r, const char *text)
{
	char **grown;

	if (!r->field)
		return 0; /* the corner */
	grown = reallocarray(r->name, r->names + 1, sizeof(*grown));
	if (!grown)
		return tl_error_no_memory(r->err);
	r->name = grown;
	r->name[r->names] = strdup(text);
	return r->name[r->names++] ? 0 : tl_error_no_memory(r->err);
}

static int row_begin(struct reader *r, const char *text)
{
	r->at = tl_cbmg_draft_find(r->draft, text);
	if (r->at == TL_CBMG_NONE)
		return tl_error_set(r->err, -ENOENT, "%s:%lu: the head line has no state \"%.100s\": "
				    "mend the name", r->file, r->line, text);
	if (r->draft->row[r->at])
		return tl_error_set(r->err, -EEXIST, "%s:%lu: row \"%.100s\" is there twice, first in "
				    "line %lu: delete one", r->file, r->line, text,
				    r->draft->row[r->at]);
	r->draft->row[r->at] = r->line;
	return 0;
}

/* An empty field is no way. */
static int row_field(struct reader *r, const char *text)
{
	struct tl_cbmg_draft *d = r->draft;
	double *p = &d->p[r->at * d->n + r->field - 1];
	char *end = NULL;

	if (!*text)
		return 0;
	/* strtod() takes nan, infinity and hexadecimal too. */
	if (strspn(text, "-+0123456789.eE") == strlen(text))
		*p = strtod(text, &end);
	if (end && end != text && !*end && isfinite(*p))
		return 0;
	return tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu (%s): \"%.60s\" is no number: give a "
			    "probability such as 0.25", r->file, r->line, r->field + 1,
			    d->name[r->field - 1], text);
}

static void on_field(void *text, size_t len, void *arg)
{
	struct reader *r = arg;

	if (r->code)
		return;
	if (strlen(text) != len)
		r->code = tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu: a NUL byte: is this a CSV "
				       "file?", r->file, r->line, r->field + 1);
	else if (r->head)
		r->code = head_field(r, text);
	else if (!r->field)
		r->code = row_begin(r, text);
	else if (r->field > r->draft->n)
		r->code = tl_error_set(r->err, -EINVAL, "%s:%lu: more than the %zu states of the head "
				       "line: mend the row", r->file, r->line, r->draft->n);
	else
		r->code = row_field(r, text);
	r->field++;
}

static int head_end(struct reader *r)
{
	char place[300];
	size_t i;
	int code;

	snprintf(place, sizeof(place), "%s:%lu", r->file, r->line);
	r->head = false;
	code = tl_cbmg_draft_new(r->draft, place, r->names, r->err);
	for (i = 0; i < r->names && !code; i++)
		code = tl_cbmg_draft_name(r->draft, place, i, r->name[i], r->err);
	return code;
}

static void on_row(int terminator, void *arg)
{
	struct reader *r = arg;

	(void)terminator;
	if (r->code)
		return;
	if (r->head)
		r->code = head_end(r);
	else if (r->field != r->draft->n + 1)
		r->code = tl_error_set(r->err, -EINVAL, "%s:%lu: row \"%s\" has %zu numbers, but there "
				       "are %zu states: mend it", r->file, r->line,
				       r->draft->name[r->at], r->field - 1, r->draft->n);
	r->field = 0;
}

static void delimiter_set(struct reader *r, const char *text)
{
	size_t semicolons = 0, commas = 0, tabs = 0;

	for (; *text; text++) {
		semicolons += *text == ';';
		commas += *text == ',';
		tabs += *text == '\t';
	}
	csv_set_delim(&r->csv, tabs > commas && tabs > semicolons ? '\t' :
			       semicolons > commas ? ';' : ',');
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
		delimiter_set(r, text);
	}
	if (csv_parse(&r->csv, text, len, on_field, on_row, r) != len && !r->code)
		r->code = tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu: a quote in the middle of a "
				       "field, or no memory: mend the row", r->file, r->line,
				       r->field + 1);
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
	if (!r->code && r->head)
		return tl_error_set(r->err, -ENODATA, "%s: the file is empty: give a head line with the "
				    "names of the states, and a row for each", r->file);
	return r->code;
}

/**
 * tl_cbmg_csv() - Read a matrix from CSV
 * @draft: empty; filled in and checked
 * @in: file and names of start and end
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_cbmg_csv(struct tl_cbmg_draft *draft, const struct tl_cbmg_matrix_in *in,
		struct tl_error *err)
{
	struct reader r = { .draft = draft, .err = err, .file = in->file, .head = true };
	FILE *from = fopen(in->file, "re");
	size_t i;
	int code;

	if (!from)
		return tl_error_set(err, -errno, "%s: cannot read (%s): give an access log or a "
				    "matrix", in->file, strerror(errno));
	if (csv_init(&r.csv, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL)) {
		fclose(from);
		return tl_error_no_memory(err);
	}
	code = lines_read(&r, from);
	csv_free(&r.csv);
	fclose(from);
	for (i = 0; i < r.names; i++)
		free(r.name[i]);
	free(r.name);
	if (!code && in->only)
		return tl_error_set(err, -ENOENT, "%s: there is no type \"%s\" of users in a table: leave "
				    "--only out", in->file, in->only);
	return code ? code : tl_cbmg_draft_check(draft, in, err);
}
