// SPDX-License-Identifier: GPL-2.0-or-later
/* What tierlensd has decided, found and could not do: an object a line. */
#include "daemon/log.h"

#include "error.h"
#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Who wrote it before may have had no room for its last row, or died within it. Where nobody can tell, it is whole. */
static bool ends_within_row(const char *file)
{
	struct stat stats;
	char last = '\n';
	int fd;

	if (stat(file, &stats) || !S_ISREG(stats.st_mode) || !stats.st_size)
		return false;
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (pread(fd, &last, 1, stats.st_size - 1) != 1)
		last = '\n';
	close(fd);
	return last != '\n';
}

/**
 * tl_log_open() - Begin to write rows
 * @log: filled in, to be given to tl_log_close()
 * @file: appended to; NULL for standard output
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_log_open(struct tl_log *log, const char *file, struct tl_error *err)
{
	*log = (struct tl_log){ .to = stdout, .name = "standard output" };
	if (!file)
		return 0;
	log->name = file;
	log->to = fopen(file, "ae");
	if (!log->to)
		return tl_error_write(err, -errno, file);
	log->cut = ends_within_row(file);
	return 0;
}

/**
 * tl_log_close() - End it
 * @log: log
 * @err: the sentence if rows are missing
 *
 * Return: 0 or a negative errno.
 */
int tl_log_close(struct tl_log *log, struct tl_error *err)
{
	int code = 0;

	if (!log->to)
		return 0;
	if (log->to == stdout ? fflush(stdout) : fclose(log->to))
		log->failed = errno;
	if (log->failed)
		code = tl_error_write(err, -log->failed, log->name);
	log->to = NULL;
	return code;
}

/* Decisions go on without it, so that has to be said where it can be. */
static void failed(struct tl_log *log, int code)
{
	log->failed = code;
	log->lost++;
	if (!log->failing)
		tl_out_error("%s: cannot write (%s): decisions go on, and are not in it", log->name, strerror(code));
	log->failing = true;
}

static void works_again(struct tl_log *log)
{
	tl_out_error("%s: is written again, %llu rows are missing", log->name, log->lost);
	log->failing = false;
}

/*
 * Where a disk was full, the beginning of a row may stand: what follows begins on a line of its own, and readers leave
 * out what is no row. It is not taken away, since others may append to the file, or truncate it, at any time.
 *
 * Return: 0 or an errno.
 */
static int line_write(struct tl_log *log, const char *line)
{
	size_t len, at = 0;
	ssize_t n = 1;
	char *whole;
	int code;

	if (asprintf(&whole, "%s%s\n", log->cut ? "\n" : "", line) < 0)
		return ENOMEM;
	len = strlen(whole);
	while (at < len && n > 0) {
		n = write(fileno(log->to), whole + at, len - at);
		at += n > 0 ? (size_t)n : 0;
	}
	code = at == len ? 0 : n < 0 ? errno : EIO;
	if (at)
		log->cut = whole[at - 1] != '\n';
	free(whole);
	return code;
}

/**
 * tl_log_row() - Write a row
 * @log: log
 * @row: object, of which one reference is consumed; NULL without memory
 */
void tl_log_row(struct tl_log *log, json_t *row)
{
	char *line = row ? json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(16)) : NULL;
	int code;

	if (line && log->also)
		log->also(log->arg, row, line);
	json_decref(row);
	code = line ? line_write(log, line) : ENOMEM;
	if (code)
		failed(log, code);
	else if (log->failing)
		works_again(log);
	free(line);
}

/**
 * tl_log_text() - Write a row that is a sentence
 * @log: log
 * @t_s: when
 * @kind: what it is
 * @tier: of which tier, or NULL
 * @function: and function, or NULL
 * @text: sentence
 */
void tl_log_text(struct tl_log *log, double t_s, const char *kind, const char *tier, const char *function,
		 const char *text)
{
	tl_log_row(log, json_pack("{s:s, s:f, s:s?, s:o, s:o}", "kind", kind, "t", t_s, "tier", tier, "function",
				  function ? tl_out_name(function) : json_null(), "text", tl_out_name(text)));
}
