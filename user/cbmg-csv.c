// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A matrix of transition probabilities from CSV: a head line with the names of the states,
 * then a line for each state: its name, and the probability of each to be the next. The
 * end of a session needs no line.
 */
#include "cbmg-graph.h"

#include "csv-rows.h"
#include "error.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct tl_cbmg_draft *draft;
	struct tl_error *err;
	const char *file;
};

/* The corner says nothing. */
static int head_read(struct reader *r, unsigned long line, char *const *field, size_t n)
{
	char place[300];
	size_t i;
	int code;

	snprintf(place, sizeof(place), "%s:%lu", r->file, line);
	code = tl_cbmg_draft_new(r->draft, place, n - 1, r->err);
	for (i = 1; i < n && !code; i++)
		code = tl_cbmg_draft_name(r->draft, place, i - 1, field[i], r->err);
	return code;
}

/* An empty field is no way. */
static int number_read(struct reader *r, unsigned long line, size_t at, size_t k,
		       const char *text)
{
	struct tl_cbmg_draft *d = r->draft;
	double *p = &d->p[at * d->n + k];
	char *end = NULL;

	if (!*text)
		return 0;
	/* strtod() takes nan, infinity and hexadecimal too. */
	if (strspn(text, "-+0123456789.eE") == strlen(text))
		*p = strtod(text, &end);
	if (end && end != text && !*end && isfinite(*p))
		return 0;
	return tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu (%s): \"%.60s\" is no number: give a "
			    "probability such as 0.25", r->file, line, k + 2, d->name[k], text);
}

static int row_read(void *arg, unsigned long line, char *const *field, size_t n)
{
	struct reader *r = arg;
	struct tl_cbmg_draft *d = r->draft;
	size_t at, k;
	int code = 0;

	if (!d->n)
		return head_read(r, line, field, n);
	at = tl_cbmg_draft_find(d, field[0]);
	if (at == TL_CBMG_NONE)
		return tl_error_set(r->err, -ENOENT, "%s:%lu: the head line has no state \"%.100s\": "
				    "mend the name", r->file, line, field[0]);
	if (d->row[at])
		return tl_error_set(r->err, -EEXIST, "%s:%lu: row \"%.100s\" is there twice, first in "
				    "line %lu: delete one", r->file, line, field[0], d->row[at]);
	d->row[at] = line;
	if (n != d->n + 1)
		return tl_error_set(r->err, -EINVAL, "%s:%lu: row \"%s\" has %zu numbers, but there are "
				    "%zu states: mend it", r->file, line, d->name[at], n - 1, d->n);
	for (k = 0; k < d->n && !code; k++)
		code = number_read(r, line, at, k, field[k + 1]);
	return code;
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
	struct reader r = { .draft = draft, .err = err, .file = in->file };
	struct tl_csv_rows rows = { "an access log or a matrix", row_read, &r };
	int code = tl_csv_rows_read(&rows, in->file, err);

	if (!code && !draft->n)
		return tl_error_set(err, -ENODATA, "%s: the file is empty: give a head line with the names "
				    "of the states, and a row for each", in->file);
	if (!code && in->only)
		return tl_error_set(err, -ENOENT, "%s: there is no type \"%s\" of users in a table: leave "
				    "--only out", in->file, in->only);
	return code ? code : tl_cbmg_draft_check(draft, in, err);
}
