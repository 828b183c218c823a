// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of the adaptor, read back
 *
 * They may come from a file that anybody wrote: what is not as it should be is no row, and texts have an end. Control
 * characters in them are the printer's business, as of all names.
 */
#include "adapt-row.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES_MAX 1024
#define TEXT_BYTES_MAX 4096
#define LAST_S 253402300800.0 /* the year 10000 */

/* Return: whether it is a text that is not too long, or @may_lack and absent or null. */
static bool text_of(const json_t *object, const char *key, size_t most, bool may_lack, const char **text)
{
	const json_t *found = json_object_get(object, key);

	*text = NULL;
	if (!found || json_is_null(found))
		return may_lack;
	if (!json_is_string(found) || json_string_length(found) > most)
		return false;
	*text = json_string_value(found);
	return true;
}

static bool level_of(const json_t *object, const char *key, enum tl_at *level)
{
	const char *name;

	if (!text_of(object, key, NAME_BYTES_MAX, false, &name))
		return false;
	*level = tl_at_read(name);
	return *level != TL_AT_UNKNOWN;
}

static bool time_of(const json_t *object, const char *key, double *s)
{
	const json_t *found = json_object_get(object, key);

	*s = json_number_value(found);
	return json_is_number(found) && isfinite(*s) && *s >= 0;
}

static bool is_held(const char *why)
{
	static const char *const held[] = { "held", "pinned", "between" };
	size_t i;

	for (i = 0; why && i < sizeof(held) / sizeof(held[0]); i++)
		if (!strcmp(why, held[i]))
			return true;
	return false;
}

/**
 * tl_adapt_row_read() - Read a row
 * @row: filled in, to be given to tl_adapt_row_free(); all zero after an error
 * @json: anything; one reference is taken if it is a row
 *
 * Return: 0, -ENOENT if it is a row of another kind, or -EINVAL if it is none.
 */
int tl_adapt_row_read(struct tl_adapt_row *row, json_t *json)
{
	struct tl_adapt_row r = { 0 };
	const char *kind;
	bool good;

	memset(row, 0, sizeof(*row));
	if (!json_is_object(json) || !text_of(json, "kind", NAME_BYTES_MAX, false, &kind))
		return -EINVAL;
	r.finding = !strcmp(kind, "finding");
	if (!r.finding && strcmp(kind, "decision"))
		return -ENOENT;
	good = time_of(json, "t", &r.t_s) && tl_adapt_time_ok(r.t_s) &&
	       text_of(json, "path", TEXT_BYTES_MAX, true, &r.path) &&
	       text_of(json, "tier", NAME_BYTES_MAX, false, &r.tier) &&
	       text_of(json, "function", TEXT_BYTES_MAX, true, &r.function) &&
	       text_of(json, "text", TEXT_BYTES_MAX, false, &r.text);
	if (r.finding)
		good = good && time_of(json, "extra_s", &r.extra_s) && time_of(json, "more_in_function_s", &r.more_s);
	else
		good = good && level_of(json, "from", &r.from) && level_of(json, "to", &r.to) &&
		       text_of(json, "why", NAME_BYTES_MAX, true, &r.why);
	if (!good)
		return -EINVAL;
	r.held = !r.finding && r.from == r.to && is_held(r.why);
	r.json = json_incref(json);
	*row = r;
	return 0;
}

/**
 * tl_adapt_row_free() - Let go of a row
 * @row: row
 */
void tl_adapt_row_free(struct tl_adapt_row *row)
{
	json_decref(row->json);
	memset(row, 0, sizeof(*row));
}

/**
 * tl_adapt_row_changed() - Is it a decision that changed a level?
 * @row: row
 *
 * Return: whether it is.
 */
bool tl_adapt_row_changed(const struct tl_adapt_row *row)
{
	return !row->finding && row->from != row->to;
}

/**
 * tl_adapt_row_change() - What a row says of the level
 * @to: filled in
 * @room: size of @to in bytes, 32 is plenty
 * @row: row
 */
void tl_adapt_row_change(char *to, size_t room, const struct tl_adapt_row *row)
{
	if (row->finding)
		snprintf(to, room, "found");
	else if (row->from == row->to)
		snprintf(to, room, "%s", tl_at_name(row->from));
	else
		snprintf(to, room, "%s to %s", tl_at_name(row->from), tl_at_name(row->to));
}

/**
 * tl_adapt_row_share() - How much of the extra time a finding's function has
 * @row: row
 *
 * Return: 0 … 1; negative without a function.
 */
double tl_adapt_row_share(const struct tl_adapt_row *row)
{
	if (!row->finding || !row->function || !(row->extra_s > 0))
		return -1;
	return fmin(row->more_s / row->extra_s, 1);
}

/**
 * tl_adapt_time_ok() - Is that a time that a calendar has?
 * @t_s: since the epoch
 *
 * Return: whether it is.
 */
bool tl_adapt_time_ok(double t_s)
{
	return t_s >= 0 && t_s < LAST_S;
}

/**
 * tl_adapt_time_text() - A time on the reader's clock
 * @to: filled in
 * @room: size of @to in bytes
 * @t_s: since the epoch
 * @format: of strftime
 */
void tl_adapt_time_text(char *to, size_t room, double t_s, const char *format)
{
	time_t at = (time_t)t_s;
	struct tm tm;

	if (!localtime_r(&at, &tm) || !strftime(to, room, format, &tm))
		*to = '\0';
}
