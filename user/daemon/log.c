// SPDX-License-Identifier: GPL-2.0-or-later
/* What tierlensd has decided, found and could not do: an object a line. */
#include "daemon/log.h"

#include "error.h"
#include "out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
	return log->to ? 0 : tl_error_write(err, -errno, file);
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
	clearerr(log->to);
	if (!log->failing)
		tl_out_error("%s: cannot write (%s): decisions go on, and are not in it", log->name, strerror(code));
	log->failing = true;
}

static void works_again(struct tl_log *log)
{
	tl_out_error("%s: is written again, %llu rows are missing", log->name, log->lost);
	log->failing = false;
}

/**
 * tl_log_row() - Write a row
 * @log: log
 * @row: object, of which one reference is consumed; NULL without memory
 */
void tl_log_row(struct tl_log *log, json_t *row)
{
	char *line = row ? json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(16)) : NULL;

	if (line && log->also)
		log->also(log->arg, row, line);
	json_decref(row);
	errno = line ? 0 : ENOMEM;
	if (!line || fprintf(log->to, "%s\n", line) < 0 || fflush(log->to))
		failed(log, errno ? errno : EIO);
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
