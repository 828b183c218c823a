// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of figures
 *
 * One type for what a recording holds and for what anybody else measured and wrote
 * as CSV, so that no model knows where its figures come from. Sums, not means: they
 * can be added up over time.
 */
#include "windows.h"

#include "error.h"
#include "recording.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Near saturation queues grow without bound, and a window no longer holds the work of
 * the requests that it counts. */
#define BUSY_MAX 0.95
#define UNKNOWN_MAX 3 /* one window in so many may lack a resource */

/**
 * tl_names_find() - Index of a name
 * @names: list
 * @name: name
 *
 * Return: the index, TL_NOWHERE without one.
 */
size_t tl_names_find(const struct tl_names *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		if (!strcmp(names->name[i], name))
			return i;
	return TL_NOWHERE;
}

/**
 * tl_names_index() - Index of a name, which is added if it is new
 * @names: list
 * @name: name, copied
 *
 * Return: the index, TL_NOWHERE without memory.
 */
size_t tl_names_index(struct tl_names *names, const char *name)
{
	size_t at = tl_names_find(names, name);
	char **grown;

	if (at != TL_NOWHERE)
		return at;
	grown = reallocarray(names->name, names->n + 1, sizeof(*grown));
	if (!grown)
		return TL_NOWHERE;
	names->name = grown;
	grown[names->n] = strdup(name);
	return grown[names->n] ? names->n++ : TL_NOWHERE;
}

static void names_free(struct tl_names *names)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		free(names->name[i]);
	free(names->name);
}

/**
 * tl_windows_free() - Free what a table holds
 * @windows: table
 */
void tl_windows_free(struct tl_windows *windows)
{
	size_t i;

	for (i = 0; i < windows->n_columns; i++)
		free(windows->column[i].value);
	for (i = 0; windows->left_out && i < windows->room; i++)
		free(windows->left_out[i]);
	names_free(&windows->classes);
	names_free(&windows->tiers);
	names_free(&windows->resources);
	free(windows->column);
	free(windows->left_out);
	free(windows->seconds);
	free(windows->t_s);
	free(windows->file);
	memset(windows, 0, sizeof(*windows));
}

/* What was not said is unknown, but for sums, to which nothing was added. */
static double initial(enum tl_column_kind kind)
{
	return kind == TL_COLUMN_BUSY || kind == TL_COLUMN_CPU || kind == TL_COLUMN_OUTSIDE ?
	       NAN : 0;
}

static int values_grow(double **values, size_t from, size_t room, double fill)
{
	double *grown = reallocarray(*values, room, sizeof(**values));
	size_t i;

	if (!grown)
		return -ENOMEM;
	for (i = from; i < room; i++)
		grown[i] = fill;
	*values = grown;
	return 0;
}

/**
 * tl_windows_grow() - Add a window
 * @windows: table; @n counts it afterwards
 *
 * Return: 0 or -ENOMEM.
 */
int tl_windows_grow(struct tl_windows *windows)
{
	size_t room = windows->room ? 2 * windows->room : 64, i;
	char **left_out;

	if (windows->n < windows->room) {
		windows->n++;
		return 0;
	}
	for (i = 0; i < windows->n_columns; i++)
		if (values_grow(&windows->column[i].value, windows->room, room,
				initial(windows->column[i].kind)))
			return -ENOMEM;
	if (values_grow(&windows->t_s, windows->room, room, 0) ||
	    values_grow(&windows->seconds, windows->room, room, 0))
		return -ENOMEM;
	left_out = reallocarray(windows->left_out, room, sizeof(*left_out));
	if (!left_out)
		return -ENOMEM;
	memset(left_out + windows->room, 0, (room - windows->room) * sizeof(*left_out));
	windows->left_out = left_out;
	windows->room = room;
	windows->n++;
	return 0;
}

/**
 * tl_windows_find() - Find a column
 * @windows: table
 * @kind: what it holds
 * @class: index or TL_NOWHERE
 * @tier: index or TL_NOWHERE
 * @resource: index or TL_NOWHERE
 *
 * Return: the column, NULL if there is none.
 */
const struct tl_column *tl_windows_find(const struct tl_windows *windows,
					enum tl_column_kind kind, size_t class,
					size_t tier, size_t resource)
{
	size_t i;

	for (i = 0; i < windows->n_columns; i++) {
		const struct tl_column *c = &windows->column[i];

		if (c->kind == kind && c->class == class && c->tier == tier &&
		    c->resource == resource)
			return c;
	}
	return NULL;
}

/**
 * tl_windows_column() - Find a column, or add it
 * @windows: table
 * @kind: what it holds
 * @class: index or TL_NOWHERE
 * @tier: index or TL_NOWHERE
 * @resource: index or TL_NOWHERE
 *
 * Return: the column, valid until the next one is added; NULL without memory.
 */
struct tl_column *tl_windows_column(struct tl_windows *windows, enum tl_column_kind kind,
				    size_t class, size_t tier, size_t resource)
{
	const struct tl_column *found = tl_windows_find(windows, kind, class, tier, resource);
	struct tl_column *grown, new = { kind, class, tier, resource, NULL };

	if (found)
		return &windows->column[found - windows->column];
	grown = reallocarray(windows->column, windows->n_columns + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	windows->column = grown;
	if (values_grow(&new.value, 0, windows->room ? windows->room : 1, initial(kind)))
		return NULL;
	grown[windows->n_columns] = new;
	return &grown[windows->n_columns++];
}

/**
 * tl_windows_leave_out() - Say why a window is not to be used; the first reason stays
 * @windows: table
 * @window: index
 * @fmt: printf format of the reason
 *
 * Return: 0 or -ENOMEM.
 */
int tl_windows_leave_out(struct tl_windows *windows, size_t window, const char *fmt, ...)
{
	va_list args;
	int len;

	if (windows->left_out[window])
		return 0;
	va_start(args, fmt);
	len = vasprintf(&windows->left_out[window], fmt, args);
	va_end(args);
	if (len < 0)
		windows->left_out[window] = NULL;
	return len < 0 ? -ENOMEM : 0;
}

/**
 * tl_windows_tier_of() - The tier that a resource belongs to, by its name
 * @windows: table
 * @resource: index
 *
 * Return: index of the tier "web" for "web.cpu"; TL_NOWHERE for a plain name.
 */
size_t tl_windows_tier_of(const struct tl_windows *windows, size_t resource)
{
	const char *name = windows->resources.name[resource], *dot = strrchr(name, '.');
	size_t i;

	for (i = 0; dot && i < windows->tiers.n; i++) {
		const char *tier = windows->tiers.name[i];

		if (strlen(tier) == (size_t)(dot - name) && !strncmp(tier, name, strlen(tier)))
			return i;
	}
	return TL_NOWHERE;
}

/**
 * tl_windows_used() - How many windows are to be used
 * @windows: table
 *
 * Return: their number.
 */
size_t tl_windows_used(const struct tl_windows *windows)
{
	size_t i, n = 0;

	for (i = 0; i < windows->n; i++)
		n += !windows->left_out[i];
	return n;
}

/**
 * tl_windows_note() - Add something that a reader should know
 * @windows: table
 * @fmt: printf format of it
 */
void tl_windows_note(struct tl_windows *windows, const char *fmt, ...)
{
	size_t len = strlen(windows->note);
	va_list args;

	if (len)
		len += (size_t)snprintf(windows->note + len, sizeof(windows->note) - len, "; ");
	if (len >= sizeof(windows->note))
		return;
	va_start(args, fmt);
	vsnprintf(windows->note + len, sizeof(windows->note) - len, fmt, args);
	va_end(args);
}

/* One that is mostly unknown, because nobody was there to read it, would take the
 * windows with it in which all else is known. */
static bool drop_unknown(struct tl_windows *windows, size_t column)
{
	struct tl_column *c = &windows->column[column];
	size_t i, unknown = 0;

	for (i = 0; i < windows->n; i++)
		unknown += isnan(c->value[i]);
	if (unknown * UNKNOWN_MAX <= windows->n)
		return false;
	tl_windows_note(windows, "%s is not known in %zu of %zu windows and is not used",
			windows->resources.name[c->resource], unknown, windows->n);
	free(c->value);
	memmove(c, c + 1, (--windows->n_columns - column) * sizeof(*c));
	return true;
}

/* Windows in which something is unknown or at its limit. */
static int look_at_busy(struct tl_windows *windows, const struct tl_column *column)
{
	const char *name = windows->resources.name[column->resource];
	size_t i;
	int code = 0;

	for (i = 0; i < windows->n && !code; i++) {
		if (isnan(column->value[i]))
			code = tl_windows_leave_out(windows, i, "%s is not known", name);
		else if (column->value[i] > BUSY_MAX)
			code = tl_windows_leave_out(windows, i, "saturated: %s is %.3g",
						    name, column->value[i]);
	}
	return code;
}

/* Means that are empty though there were requests, and sums that are. */
static int look_at_times(struct tl_windows *windows, const struct tl_column *column)
{
	size_t i;
	int code = 0;

	for (i = 0; i < windows->n && !code; i++)
		if (isnan(column->value[i]))
			code = tl_windows_leave_out(
				windows, i, "the time of %s is not known",
				column->class == TL_NOWHERE ?
				windows->tiers.name[column->tier] :
				windows->classes.name[column->class]);
	return code;
}

static bool is_time(enum tl_column_kind kind)
{
	return kind == TL_COLUMN_RESPONSE || kind == TL_COLUMN_OWN ||
	       kind == TL_COLUMN_TIER_OWN;
}

/**
 * tl_windows_is_table() - Whether a file is a table of figures, by its name
 * @file: name
 *
 * Return: true if it ends with .csv; else it is a recording.
 */
bool tl_windows_is_table(const char *file)
{
	size_t len = strlen(file);

	return len >= 4 && !strcmp(file + len - 4, ".csv");
}

/**
 * tl_windows_read() - Read a recording or a CSV file, by its name
 * @windows: filled in, to be given to tl_windows_free(), after an error too
 * @file: its name; what does not end with .csv is a recording
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_windows_read(struct tl_windows *windows, const char *file, struct tl_error *err)
{
	size_t i;
	int code;

	memset(windows, 0, sizeof(*windows));
	windows->file = tl_text_utf8(file, strlen(file));
	if (!windows->file)
		return tl_error_no_memory(err);
	windows->recorded = !tl_windows_is_table(file);
	if (!windows->recorded && (tl_recording_while.from_ns || tl_recording_while.to_ns))
		return tl_error_set(err, -EINVAL, "%s: --from and --to are for recordings and the history: leave them out, "
				    "or cut the table", windows->file);
	code = (windows->recorded ? tl_windows_read_recording : tl_windows_read_csv)(
		windows, file, err);
	if (code)
		return code;
	for (i = windows->n_columns; i-- > 0 && !code;)
		if (windows->column[i].kind == TL_COLUMN_BUSY && !drop_unknown(windows, i))
			code = look_at_busy(windows, &windows->column[i]);
	for (i = 0; i < windows->n_columns && !code; i++)
		if (is_time(windows->column[i].kind))
			code = look_at_times(windows, &windows->column[i]);
	return code ? tl_error_no_memory(err) : 0;
}
