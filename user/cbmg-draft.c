// SPDX-License-Identifier: GPL-2.0-or-later
/* A matrix as a file has it: names, sums of rows, start and end, ways out. */
#include "cbmg-graph.h"

#include "error.h"
#include "hist.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define STATES_MAX 1000
#define SUM_OFF_MAX 1e-3 /* three decimals of a few ways */

/**
 * tl_cbmg_draft_new() - Make room for a matrix
 * @draft: set to one of unnamed states
 * @place: where it stands, for sentences
 * @n: states
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_cbmg_draft_new(struct tl_cbmg_draft *draft, const char *place, size_t n,
		      struct tl_error *err)
{
	size_t i;

	draft->start = draft->exit = TL_CBMG_NONE;
	if (!n)
		return tl_error_set(err, -EINVAL, "%s: no states: give their names and a row of "
				    "probabilities for each", place);
	if (n > STATES_MAX)
		return tl_error_set(err, -E2BIG, "%s: %zu states: give %d at most", place, n,
				    STATES_MAX);
	draft->n = n;
	draft->name = calloc(n, sizeof(*draft->name));
	draft->p = calloc(n * n, sizeof(*draft->p));
	draft->think_s = calloc(n * n, sizeof(*draft->think_s));
	draft->row = calloc(n, sizeof(*draft->row));
	if (!draft->name || !draft->p || !draft->think_s || !draft->row)
		return tl_error_no_memory(err);
	for (i = 0; i < n * n; i++)
		draft->think_s[i] = -1;
	return 0;
}

/**
 * tl_cbmg_draft_find() - Find a state
 * @draft: matrix
 * @name: of the state
 *
 * Return: its index, or TL_CBMG_NONE.
 */
size_t tl_cbmg_draft_find(const struct tl_cbmg_draft *draft, const char *name)
{
	size_t i;

	for (i = 0; i < draft->n; i++)
		if (draft->name[i] && !strcmp(draft->name[i], name))
			return i;
	return TL_CBMG_NONE;
}

/**
 * tl_cbmg_draft_name() - Name a state
 * @draft: matrix
 * @place: where it stands, for sentences
 * @at: index
 * @name: its name
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_cbmg_draft_name(struct tl_cbmg_draft *draft, const char *place, size_t at,
		       const char *name, struct tl_error *err)
{
	char *copy = tl_text_utf8(name, strlen(name));
	size_t twin = copy ? tl_cbmg_draft_find(draft, copy) : TL_CBMG_NONE;

	draft->name[at] = copy;
	if (!copy)
		return tl_error_no_memory(err);
	if (!*copy)
		return tl_error_set(err, -EINVAL, "%s: state %zu has no name: give it one", place,
				    at + 1);
	if (twin != TL_CBMG_NONE)
		return tl_error_set(err, -EEXIST, "%s: states %zu and %zu are both called \"%s\": "
				    "give them names of their own", place, twin + 1, at + 1, copy);
	return 0;
}

/* ---- where sessions start and end ----------------------------------------------------- */

static const char *const starts[] = { "(start)", "start", "init", "(init)", "begin", "entry" };
static const char *const exits[] = { "(exit)", "exit", "end", "(end)" };

static int place_find(const struct tl_cbmg_draft *d, const char *wanted, const char *file,
		      const char *const *usual, size_t n, size_t *at, struct tl_error *err)
{
	size_t i, k;

	if (wanted) {
		*at = tl_cbmg_draft_find(d, wanted);
		return *at != TL_CBMG_NONE ? 0 :
		       tl_error_set(err, -ENOENT, "%s: there is no state \"%s\" to start or end in: "
				    "name one of the matrix", file, wanted);
	}
	for (k = 0; k < n; k++)
		for (i = 0; i < d->n && *at == TL_CBMG_NONE; i++)
			if (!strcasecmp(d->name[i], usual[k]))
				*at = i;
	return 0;
}

static double row_sum(const struct tl_cbmg_draft *d, size_t i)
{
	double sum = 0;
	size_t k;

	for (k = 0; k < d->n; k++)
		sum += d->p[i * d->n + k];
	return sum;
}

static double column_sum(const struct tl_cbmg_draft *d, size_t k)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < d->n; i++)
		sum += d->p[i * d->n + k];
	return sum;
}

/* Without a name that says so, sessions start where nobody goes to, if that is one. */
static void start_guess(struct tl_cbmg_draft *d)
{
	size_t k, found = TL_CBMG_NONE, n = 0;

	for (k = 0; k < d->n; k++)
		if (k != d->exit && column_sum(d, k) == 0) {
			found = k;
			n++;
		}
	if (n == 1)
		d->start = found;
}

static int ends_find(struct tl_cbmg_draft *d, const struct tl_cbmg_matrix_in *in,
		     const char *place, struct tl_error *err)
{
	int code = place_find(d, in->exit, place, exits, ARRAY_SIZE(exits), &d->exit, err);

	code = code ? code : place_find(d, in->start, place, starts, ARRAY_SIZE(starts), &d->start,
					err);
	if (code)
		return code;
	if (d->start == TL_CBMG_NONE)
		start_guess(d);
	if (d->exit == TL_CBMG_NONE)
		return 0;
	if (d->start == TL_CBMG_NONE)
		return tl_error_set(err, -EINVAL, "%s: sessions end in \"%s\", but where do they start? "
				    "Call that state \"(start)\", or say --start NAME", place,
				    d->name[d->exit]);
	if (d->start == d->exit)
		return tl_error_set(err, -EINVAL, "%s: sessions cannot start and end in \"%s\": name "
				    "two states", place, d->name[d->exit]);
	return 0;
}

/* ---- rows ----------------------------------------------------------------------------- */

static void row_place(const struct tl_cbmg_draft *d, const char *file, size_t i, char *place,
		      size_t size)
{
	if (d->row[i])
		snprintf(place, size, "%s:%lu", file, d->row[i]);
	else if (d->type)
		snprintf(place, size, "%s: type \"%s\"", file, d->type);
	else
		snprintf(place, size, "%s", file);
}

static bool near_one(double sum)
{
	return fabs(sum - 1) <= SUM_OFF_MAX;
}

/*
 * Columns add up to one, but for that of a state that leads nowhere, and rows do not. That
 * one row is empty may as well be an end that nobody has named.
 */
static bool looks_transposed(const struct tl_cbmg_draft *d)
{
	bool rows_off = false;
	size_t k;

	for (k = 0; k < d->n; k++) {
		if (!near_one(column_sum(d, k)) && column_sum(d, k) != 0)
			return false;
		rows_off = rows_off || (!near_one(row_sum(d, k)) && row_sum(d, k) != 0);
	}
	return rows_off;
}

static int row_fault(const struct tl_cbmg_draft *d, size_t i, double sum, const char *place,
		     struct tl_error *err)
{
	if (looks_transposed(d))
		return tl_error_set(err, -EINVAL, "%s: looks transposed: columns add up to one, but "
				    "row \"%s\" to %.6g: a row has the ways from a state", place,
				    d->name[i], sum);
	if (sum == 0)
		return tl_error_set(err, -EINVAL, "%s: no way leads out of state \"%s\": give it one, "
				    "or call it \"(exit)\", or say --exit NAME, if sessions end there",
				    place, d->name[i]);
	return tl_error_set(err, -EINVAL, "%s: row \"%s\" adds up to %.6g, not to one: mend it",
			    place, d->name[i], sum);
}

static int value_check(const struct tl_cbmg_draft *d, size_t i, size_t k, const char *place,
		       struct tl_error *err)
{
	double p = d->p[i * d->n + k];

	if (p >= 0 && p <= 1 + SUM_OFF_MAX)
		return 0;
	return tl_error_set(err, -EINVAL, "%s: row \"%s\", column \"%s\": %.6g is no probability: give "
			    "0 to 1", place, d->name[i], d->name[k], p);
}

/* The end leads nowhere, or, as others write it, to itself. */
static int exit_check(const struct tl_cbmg_draft *d, double sum, const char *place,
		      struct tl_error *err)
{
	double self = d->p[d->exit * d->n + d->exit];

	if (sum == 0 || (near_one(sum) && near_one(self)))
		return 0;
	return tl_error_set(err, -EINVAL, "%s: ways lead out of \"%s\", where sessions end: take them "
			    "out, or say --exit NAME if it is another", place, d->name[d->exit]);
}

static int row_check(struct tl_cbmg_draft *d, const char *file, size_t i, struct tl_error *err)
{
	double sum = row_sum(d, i);
	char place[300];
	size_t k;
	int code = 0;

	row_place(d, file, i, place, sizeof(place));
	if (i == d->exit)
		code = exit_check(d, sum, place, err);
	else if (!near_one(sum))
		code = row_fault(d, i, sum, place, err);
	for (k = 0; k < d->n && !code; k++) {
		if (i == d->exit)
			d->p[i * d->n + k] = 0;
		else
			d->p[i * d->n + k] /= sum;
	}
	return code;
}

/**
 * tl_cbmg_draft_check() - See whether a matrix is one, and find its start and end
 * @draft: matrix; what decimals have lost of its rows is made up for
 * @in: names of start and end
 * @err: the sentence if it is none
 *
 * Return: 0 or a negative errno.
 */
int tl_cbmg_draft_check(struct tl_cbmg_draft *draft, const struct tl_cbmg_matrix_in *in,
			struct tl_error *err)
{
	struct tl_cbmg_draft *d = draft;
	char place[300];
	size_t i, k;
	int code = 0;

	for (i = 0; i < d->n && !code; i++) {
		row_place(d, in->file, i, place, sizeof(place));
		for (k = 0; k < d->n && !code; k++)
			code = value_check(d, i, k, place, err);
	}
	if (d->type)
		snprintf(place, sizeof(place), "%s: type \"%s\"", in->file, d->type);
	else
		snprintf(place, sizeof(place), "%s", in->file);
	code = code ? code : ends_find(d, in, place, err);
	for (i = 0; i < d->n && !code; i++)
		code = row_check(d, in->file, i, err);
	return code;
}

/**
 * tl_cbmg_draft_free() - Free a matrix
 * @draft: matrix
 */
void tl_cbmg_draft_free(struct tl_cbmg_draft *draft)
{
	size_t i;

	for (i = 0; draft->name && i < draft->n; i++)
		free(draft->name[i]);
	free(draft->name);
	free(draft->type);
	free(draft->p);
	free(draft->think_s);
	free(draft->row);
}
