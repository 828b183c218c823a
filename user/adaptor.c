// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What tierlensd is doing now
 *
 * It keeps a small file for others to look at. Who reads it takes nothing on trust: not that it is tierlensd's, nor that
 * it is whole, nor that the process is still the one that wrote it. A file that was left behind by one that died is as good
 * as none.
 */
#include "adaptor.h"

#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX (1 << 20)
#define LEVELS_MAX 256
#define NAME_BYTES_MAX 1024

static void forget(struct tl_adaptor *a)
{
	size_t i;

	for (i = 0; i < a->rows; i++)
		tl_adapt_row_free(&a->row[i]);
	free(a->level);
	json_decref(a->json);
	a->json = NULL;
	a->level = NULL;
	a->levels = a->rows = 0;
	a->alive = false;
	*a->wrong = '\0';
}

static int wrong(struct tl_adaptor *a, const char *why)
{
	snprintf(a->wrong, sizeof(a->wrong), "%.150s: is no state of tierlensd (%.100s): give the file of its --state",
		 a->file, why);
	return -EINVAL;
}

/* ---- the file ---------------------------------------------------------------------------- */

/* All of it, if it is a file of a size that can be. Return: its length, 0 if there is none, or a negative errno. */
static ssize_t all_read(struct tl_adaptor *a, int fd, char *to)
{
	struct stat stat;
	ssize_t len = 0, got = 1;

	if (fstat(fd, &stat) || !S_ISREG(stat.st_mode))
		return wrong(a, "not a file");
	while (got > 0 && len <= FILE_BYTES_MAX) {
		got = read(fd, to + len, (size_t)(FILE_BYTES_MAX + 1 - len));
		len += got > 0 ? got : 0;
	}
	if (got < 0)
		return wrong(a, strerror(errno));
	return len <= FILE_BYTES_MAX ? len : wrong(a, "more than 1 MiB");
}

static int file_read(struct tl_adaptor *a)
{
	/* A pipe would have us wait. */
	int fd = open(a->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	json_error_t where;
	ssize_t len;
	char *text;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? -ENOENT : wrong(a, strerror(errno));
	text = malloc(FILE_BYTES_MAX + 2);
	len = text ? all_read(a, fd, text) : wrong(a, "out of memory");
	close(fd);
	if (len >= 0) {
		a->json = json_loadb(text, (size_t)len, JSON_REJECT_DUPLICATES, &where);
		if (!a->json)
			len = wrong(a, where.text);
	}
	free(text);
	return len < 0 ? (int)len : 0;
}

/* ---- what stands in it -------------------------------------------------------------------- */

static bool number_of(const json_t *object, const char *key, double most, double *value)
{
	const json_t *found = json_object_get(object, key);

	*value = json_number_value(found);
	return json_is_number(found) && *value >= 0 && *value <= most;
}

static bool whole_of(const json_t *object, const char *key, u64 most, u64 *value)
{
	const json_t *found = json_object_get(object, key);

	if (!json_is_integer(found) || json_integer_value(found) < 0)
		return false;
	*value = (u64)json_integer_value(found);
	return *value <= most;
}

static int head_read(struct tl_adaptor *a, u64 *started)
{
	u64 format, pid;

	if (!json_is_object(a->json) || !whole_of(a->json, "format", UINT32_MAX, &format))
		return wrong(a, "it has no format");
	if (format != TL_ADAPTOR_FORMAT)
		return wrong(a, "its format is another one");
	if (!whole_of(a->json, "pid", INT32_MAX, &pid) || !pid || !whole_of(a->json, "started", INT64_MAX, started))
		return wrong(a, "it names no process");
	a->pid = (u32)pid;
	if (!number_of(a->json, "began", 1e11, &a->began_s) || !tl_adapt_time_ok(a->began_s) ||
	    !number_of(a->json, "budget", 1, &a->budget))
		return wrong(a, "it has no beginning, or no budget");
	if (json_is_null(json_object_get(a->json, "share")))
		a->share = -1;
	else if (!number_of(a->json, "share", 1e3, &a->share))
		return wrong(a, "its share is no number");
	return 0;
}

static int levels_read(struct tl_adaptor *a)
{
	const json_t *list = json_object_get(a->json, "levels"), *item;
	size_t i, n = json_array_size(list);

	if (!json_is_array(list) || n > LEVELS_MAX)
		return wrong(a, "its levels are no list");
	a->level = calloc(n + 1, sizeof(*a->level));
	if (!a->level)
		return wrong(a, "out of memory");
	json_array_foreach(list, i, item) {
		struct tl_adaptor_level *to = &a->level[i];
		const json_t *tier = json_object_get(item, "tier"), *level = json_object_get(item, "level");

		if (!json_is_string(tier) || json_string_length(tier) > NAME_BYTES_MAX || !json_is_string(level) ||
		    !number_of(item, "since", 1e11, &to->since_s) || !tl_adapt_time_ok(to->since_s))
			return wrong(a, "a level is none");
		to->tier = json_string_value(tier);
		to->level = tl_at_read(json_string_value(level));
		if (to->level == TL_AT_UNKNOWN)
			return wrong(a, "a level is none");
		a->levels++;
	}
	return 0;
}

static int rows_read(struct tl_adaptor *a)
{
	json_t *list = json_object_get(a->json, "rows"), *item;
	size_t i;

	if (!json_is_array(list) || json_array_size(list) > TL_ADAPTOR_ROWS)
		return wrong(a, "its rows are no list, or too many");
	json_array_foreach(list, i, item) {
		if (tl_adapt_row_read(&a->row[a->rows], item))
			return wrong(a, "a row is none");
		a->rows++;
	}
	return 0;
}

/**
 * tl_adaptor_look() - See what tierlensd is doing
 * @adaptor: all zero but for its file at first, then as it was; to be given to tl_adaptor_free()
 *
 * Return: whether it is something else than before.
 */
bool tl_adaptor_look(struct tl_adaptor *adaptor)
{
	struct tl_adaptor *a = adaptor;
	json_t *before = json_incref(a->json);
	bool was_alive = a->alive, same;
	struct tl_process process;
	u64 started = 0;
	int code;

	forget(a);
	code = file_read(a);
	code = code ? code : head_read(a, &started);
	code = code ? code : levels_read(a);
	code = code ? code : rows_read(a);
	if (!code)
		a->alive = tl_process_read(a->pid, &process) && process.started == started && !tl_process_ended(&process);
	same = a->alive == was_alive && (!a->alive || json_equal(before, a->json));
	json_decref(before);
	return !same;
}

/**
 * tl_adaptor_free() - Forget it
 * @adaptor: that was looked at
 */
void tl_adaptor_free(struct tl_adaptor *adaptor)
{
	forget(adaptor);
}

/**
 * tl_adaptor_json() - The same for programs
 * @adaptor: that was looked at
 *
 * Return: what stands in the file, null if there is no daemon; a new reference.
 */
json_t *tl_adaptor_json(const struct tl_adaptor *adaptor)
{
	return adaptor->alive ? json_incref(adaptor->json) : json_null();
}
