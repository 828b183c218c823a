// SPDX-License-Identifier: GPL-2.0-or-later
/* What messages took by their size: size_bytes,time_ms, a row a message; path if there are several. */
#include "messages.h"

#include "csv-rows.h"
#include "error.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST 20000000 /* rows: 2 GB */
#define LARGEST 1e15 /* bytes, or ms: differences are still told */

enum column { SIZE, TIME, PATH, KNOWN };

static const char *const names[KNOWN] = { "size_bytes", "time_ms", "path" };

struct reader {
	struct tl_messages *messages;
	const char *file;
	struct tl_error *err;
	size_t at[KNOWN], room;
};

static bool has(const struct reader *r, enum column c)
{
	return r->at[c] < r->messages->columns;
}

static char **copy(char *const *field, size_t n, char **to)
{
	size_t i;

	for (i = 0; i < n; i++) {
		to[i] = strdup(field[i]);
		if (!to[i])
			break;
	}
	if (i == n)
		return to;
	while (i)
		free(to[--i]);
	return NULL;
}

static int head_read(struct reader *r, char *const *field, size_t n)
{
	struct tl_messages *m = r->messages;
	size_t c, i;

	for (c = 0; c < KNOWN; c++) {
		for (i = 0; i < n && strcmp(field[i], names[c]); i++)
			;
		if (i == n && c != PATH)
			return tl_error_set(r->err, -EINVAL, "%s:1: no column \"%s\": give size_bytes,time_ms and, if "
					    "there are several, path", r->file, names[c]);
		r->at[c] = i;
	}
	m->head = calloc(n, sizeof(*m->head));
	if (!m->head || !copy(field, n, m->head))
		return tl_error_no_memory(r->err);
	m->columns = n;
	return 0;
}

/* strtod() takes nan, infinity and hexadecimal, too. */
static int number_read(const struct reader *r, unsigned long line, enum column c, const char *text, double *value)
{
	char *end = NULL;

	if (*text && strspn(text, "0123456789+-.eE") == strlen(text))
		*value = strtod(text, &end);
	if (!end || *end)
		return tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu: %s \"%.40s\" is no number: mend the row", r->file,
				    line, r->at[c] + 1, names[c], text);
	if (!(*value >= 0 && *value <= LARGEST))
		return tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu: %s %.40s is out of range: give one from 0 to %g",
				    r->file, line, r->at[c] + 1, names[c], text, LARGEST);
	return 0;
}

static int grow(struct reader *r)
{
	struct tl_messages *m = r->messages;
	size_t room = r->room ? 2 * r->room : 1024;
	double *size, *time;
	char **field;
	u32 *path;

	if (m->n < r->room)
		return 0;
	if (m->n >= MOST)
		return tl_error_set(r->err, -E2BIG, "%s: more than %d messages: cut it up", r->file, MOST);
	size = reallocarray(m->size, room, sizeof(*size));
	m->size = size ? size : m->size;
	time = reallocarray(m->time_ms, room, sizeof(*time));
	m->time_ms = time ? time : m->time_ms;
	path = reallocarray(m->path, room, sizeof(*path));
	m->path = path ? path : m->path;
	field = reallocarray(m->field, room * m->columns, sizeof(*field));
	m->field = field ? field : m->field;
	if (!size || !time || !path || !field)
		return tl_error_no_memory(r->err);
	r->room = room;
	return 0;
}

static int row_read(void *arg, unsigned long line, char *const *field, size_t n)
{
	struct reader *r = arg;
	struct tl_messages *m = r->messages;
	const char *path;
	int code;

	if (!m->columns)
		return head_read(r, field, n);
	if (n != m->columns)
		return tl_error_set(r->err, -EINVAL, "%s:%lu: %zu fields, the head has %zu: mend the row", r->file, line, n,
				    m->columns);
	code = grow(r);
	code = code ? code : number_read(r, line, SIZE, field[r->at[SIZE]], &m->size[m->n]);
	code = code ? code : number_read(r, line, TIME, field[r->at[TIME]], &m->time_ms[m->n]);
	if (code)
		return code;
	path = has(r, PATH) ? field[r->at[PATH]] : "";
	if (tl_ids_of(&m->paths, path, strlen(path), &m->path[m->n]) ||
	    !copy(field, n, m->field + m->n * m->columns))
		return tl_error_no_memory(r->err);
	m->n++;
	return 0;
}

/**
 * tl_messages_read() - Read what messages took
 * @messages: filled in; to be freed, however it ends
 * @file: its name
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_messages_read(struct tl_messages *messages, const char *file, struct tl_error *err)
{
	struct reader r = { .messages = messages, .file = file, .err = err };
	struct tl_csv_rows rows = { "messages as CSV: size_bytes,time_ms", row_read, &r };
	int code;

	*messages = (struct tl_messages){ 0 };
	code = tl_csv_rows_read(&rows, file, err);
	if (!code && !messages->columns)
		return tl_error_set(err, -ENODATA, "%s: the file is empty: give messages as CSV: size_bytes,time_ms", file);
	if (!code && !messages->n)
		return tl_error_set(err, -ENODATA, "%s: no row but the head: give messages", file);
	return code;
}

/**
 * tl_messages_free() - Give back what tl_messages_read() has allocated
 * @messages: filled in
 */
void tl_messages_free(struct tl_messages *messages)
{
	size_t i;

	for (i = 0; i < messages->n * messages->columns; i++)
		free(messages->field[i]);
	for (i = 0; i < messages->columns; i++)
		free(messages->head[i]);
	free(messages->head);
	free(messages->field);
	free(messages->size);
	free(messages->time_ms);
	free(messages->path);
	tl_ids_free(&messages->paths);
}
