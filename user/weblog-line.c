// SPDX-License-Identifier: GPL-2.0-or-later
/* A line of an access log, taken apart: fields of text, or keys of a JSON object. */
#include "weblog.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool is_there(const char *text)
{
	return text && *text && strcmp(text, "-");
}

/* ---- text -------------------------------------------------------------------------- */

/* Where the next text stands; what has a backslash before it is a part of the field. */
static char *text_find(char *from, const char *text)
{
	size_t len = strlen(text);

	for (; *from; from++) {
		if (*from == '\\' && from[1])
			from++;
		else if (!strncmp(from, text, len))
			return from;
	}
	return NULL;
}

/* The last field of a format ends with its word. */
static char *word_end(char *from)
{
	return from + strcspn(from, " \t");
}

static void value_keep(const struct tl_weblog_format *format, size_t part, char *value,
		       struct tl_weblog_line *line)
{
	int role;

	for (role = 0; role < TL_WEBLOG_ROLES; role++)
		if (format->at[role] == part && is_there(value))
			line->value[role] = value;
}

static const char *text_read(const struct tl_weblog_format *format, char *text,
			     struct tl_weblog_line *line)
{
	size_t i, len = format->parts ? strlen(format->part[0].text) : 0;
	char *at = text, *end;

	if (strncmp(at, format->part[0].text, len))
		return "does not begin as the format does";
	for (i = 0; i < format->parts && format->part[i].name; i++) {
		at += len;
		end = i + 1 < format->parts ? text_find(at, format->part[i + 1].text) : word_end(at);
		if (!end)
			return "ends before the format does";
		len = i + 1 < format->parts ? strlen(format->part[i + 1].text) : 0;
		/* Where no text follows that could be overwritten, the line has ended. */
		if (*end)
			*end = '\0';
		value_keep(format, i, at, line);
		at = end;
	}
	return NULL;
}

/* ---- JSON -------------------------------------------------------------------------- */

/* A key, or, with points, one of an object in it. */
static json_t *key_find(const json_t *object, const char *name)
{
	json_t *found = json_object_get(object, name);
	const char *point = strchr(name, '.');
	char outer[64];

	if (found || !point || (size_t)(point - name) >= sizeof(outer))
		return found;
	memcpy(outer, name, (size_t)(point - name));
	outer[point - name] = '\0';
	return key_find(json_object_get(object, outer), point + 1);
}

static const char *value_text(const json_t *value, char *room, size_t size)
{
	if (json_is_string(value))
		return json_string_value(value);
	if (json_is_integer(value))
		snprintf(room, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		snprintf(room, size, "%.17g", json_real_value(value));
	else if (json_is_boolean(value))
		snprintf(room, size, "%s", json_is_true(value) ? "true" : "false");
	else
		return NULL;
	return room;
}

static void role_read(const struct tl_weblog_format *format, const json_t *object, int role,
		      struct tl_weblog_line *line)
{
	const char *name, *text;
	int rank;

	for (rank = 0; (name = tl_weblog_usual(format, role, rank)); rank++) {
		text = value_text(key_find(object, name), line->room[role],
				  sizeof(line->room[role]));
		if (is_there(text)) {
			line->value[role] = text;
			if (role == TL_WEBLOG_RESPONSE)
				line->response_unit_s = tl_weblog_unit_s(format, rank);
			return;
		}
	}
}

static const char *json_read(const struct tl_weblog_format *format, const char *text,
			     size_t len, struct tl_weblog_line *line)
{
	json_t *object = json_loadb(text, len, 0, NULL);
	int role;

	if (!json_is_object(object)) {
		json_decref(object);
		return object ? "is no JSON object" : "is no JSON";
	}
	line->owner = object;
	for (role = 0; role < TL_WEBLOG_ROLES; role++)
		role_read(format, object, role, line);
	return NULL;
}

/* ---- both -------------------------------------------------------------------------- */

/* "a=b; c=d": the value of one of them. Quotes around it do not count. */
static void cookie_find(const char *cookies, const char *name, struct tl_weblog_line *line)
{
	char *room = line->room[TL_WEBLOG_COOKIES];
	size_t len = strlen(name), n;
	const char *at = cookies;

	while (at && *at) {
		at += strspn(at, "; \t\"");
		if (!strncmp(at, name, len) && at[len] == '=') {
			at += len + 1;
			n = strcspn(at, "; \t\"");
			if (!n)
				return;
			/* What is too long for the room is told apart by its end. */
			if (n >= sizeof(line->room[0])) {
				at += n - (sizeof(line->room[0]) - 1);
				n = sizeof(line->room[0]) - 1;
			}
			memcpy(room, at, n);
			room[n] = '\0';
			line->value[TL_WEBLOG_SESSION] = room;
			return;
		}
		at = strchr(at, ';');
	}
}

/**
 * tl_weblog_line_read() - Take a line apart
 * @format: how
 * @text: the line, without its end and without NUL bytes in it, followed by one; written to
 * @len: its length
 * @line: set to the fields; to be given to tl_weblog_line_free() in any case
 *
 * Return: NULL, or what is wrong with the line.
 */
const char *tl_weblog_line_read(const struct tl_weblog_format *format, char *text, size_t len,
				struct tl_weblog_line *line)
{
	const char *wrong;

	memset(line->value, 0, sizeof(line->value));
	line->owner = NULL;
	line->response_unit_s = tl_weblog_unit_s(format, format->response_rank);
	wrong = format->json ? json_read(format, text, len, line) : text_read(format, text, line);
	if (!wrong && format->cookie && !line->value[TL_WEBLOG_SESSION] &&
	    line->value[TL_WEBLOG_COOKIES])
		cookie_find(line->value[TL_WEBLOG_COOKIES], format->cookie, line);
	return wrong;
}

/**
 * tl_weblog_line_free() - Free what a line's fields are in
 * @line: line
 */
void tl_weblog_line_free(struct tl_weblog_line *line)
{
	json_decref(line->owner);
	line->owner = NULL;
}

/* Digits, and what they are behind a point. Return: behind them. */
static const char *fraction_read(const char *text, double *t_s, bool *whole)
{
	char *end;

	*whole = *text != '.' && *text != ',';
	if (*whole)
		return text;
	for (end = (char *)text + 1; *end >= '0' && *end <= '9'; end++)
		*t_s += (*end - '0') * pow(10, (double)(text - end));
	return end;
}

/* Seconds since the epoch, or thousandths or millionths of them: nobody logs year 5138. */
static bool number_read(const char *text, double *t_s, bool *whole)
{
	char *end;

	*t_s = strtod(text, &end);
	*whole = !memchr(text, '.', (size_t)(end - text));
	if (*t_s > 1e14) {
		*t_s /= 1e6;
		*whole = false;
	} else if (*t_s > 1e11) {
		*t_s /= 1e3;
		*whole = false;
	}
	return end != text && !*end && *t_s >= 1 && *t_s <= 1e11;
}

/**
 * tl_weblog_time() - Read a time
 * @text: "22/Nov/2026:02:29:15 +0000", "2026-11-22T02:29:15.25Z", or seconds, ms or µs
 *        since the epoch. A time without a zone is one of UTC
 * @t_s: set to seconds since the epoch
 * @whole: set to whether it is known to the second only
 *
 * Return: whether it is one.
 */
bool tl_weblog_time(const char *text, double *t_s, bool *whole)
{
	static const char *const forms[] = { "%d/%b/%Y:%H:%M:%S", "%Y-%m-%dT%H:%M:%S",
					     "%Y-%m-%d %H:%M:%S" };
	struct tm tm = { 0 };
	const char *at = NULL;
	double fraction = 0;
	size_t i;

	text += *text == '[';
	if (strspn(text, "0123456789.eE+") == strlen(text))
		return number_read(text, t_s, whole);
	for (i = 0; i < sizeof(forms) / sizeof(*forms) && !at; i++) {
		tm = (struct tm){ 0 };
		at = strptime(text, forms[i], &tm);
	}
	if (!at)
		return false;
	at = fraction_read(at, &fraction, whole);
	tm.tm_gmtoff = 0;
	if (*at && *at != ']') {
		/* strptime() keeps what it reads of the zone in tm_gmtoff only. */
		at = strptime(at, "%z", &tm);
		if (!at)
			return false;
	}
	*t_s = (double)(timegm(&(struct tm){ .tm_sec = tm.tm_sec, .tm_min = tm.tm_min,
					     .tm_hour = tm.tm_hour, .tm_mday = tm.tm_mday,
					     .tm_mon = tm.tm_mon, .tm_year = tm.tm_year }) -
			tm.tm_gmtoff) + fraction;
	return (!*at || (*at == ']' && !at[1])) && *t_s >= 1 && *t_s <= 1e11;
}
