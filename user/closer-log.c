// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tierlensd's log, of the time of a recording
 *
 * A log may have been written by several daemons, of which one died in the middle of a line: lines that are no rows are
 * counted and left out. A file in which there is no row at all is no log.
 */
#include "closer.h"

#include "error.h"
#include "table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LINE_BYTES_MAX (64 << 10)
#define SLACK_S 1e-3

struct reader {
	struct tl_closer *closer;
	FILE *from;
	char line[LINE_BYTES_MAX];
	u64 rows;
};

/**
 * tl_closer_row() - Keep a decision or a finding, if it is one
 * @closer: where
 * @json: row; a reference is taken
 */
void tl_closer_row(struct tl_closer *closer, json_t *json)
{
	struct tl_adapt_row row;
	struct tl_closer_rows *to;

	if (tl_adapt_row_read(&row, json))
		return;
	to = row.finding ? &closer->findings : &closer->decisions;
	to->all++;
	if (to->kept < TL_CLOSER_ROWS)
		to->row[to->kept++] = row;
	else
		tl_adapt_row_free(&row);
}

/* A decision is made at the end of the interval that it is of. */
static bool is_of_the_time(const struct tl_closer *c, double t_s)
{
	return t_s > tl_ns_to_s(c->from_ns) + SLACK_S && t_s < tl_ns_to_s(c->until_ns) + SLACK_S;
}

static void line_take(struct reader *r, size_t len)
{
	json_t *json = len <= LINE_BYTES_MAX ? json_loadb(r->line, len, JSON_REJECT_DUPLICATES, NULL) : NULL;
	struct tl_adapt_row row;
	int code = tl_adapt_row_read(&row, json);

	r->rows += code != -EINVAL;
	r->closer->broken += code == -EINVAL;
	if (!code && is_of_the_time(r->closer, row.t_s))
		tl_closer_row(r->closer, json);
	tl_adapt_row_free(&row);
	json_decref(json);
}

/* Lines of any length; what is too much of one is not kept. */
static void lines_take(struct reader *r)
{
	size_t len = 0;
	int c;

	do {
		c = getc_unlocked(r->from);
		if (c != '\n' && c != EOF) {
			if (len < LINE_BYTES_MAX)
				r->line[len] = (char)c;
			len += len <= LINE_BYTES_MAX;
			continue;
		}
		if (len)
			line_take(r, len);
		len = 0;
	} while (c != EOF);
}

static int file_open(struct reader *r, struct tl_error *err)
{
	const char *file = r->closer->log;
	struct stat stat;

	r->from = fopen(file, "re");
	if (!r->from)
		return tl_error_set(err, -errno, "%s: cannot read (%s): give a file that tierlensd --log wrote", file,
				    strerror(errno));
	if (!fstat(fileno(r->from), &stat) && S_ISDIR(stat.st_mode))
		return tl_error_set(err, -EISDIR, "%s: is a directory: give a file that tierlensd --log wrote", file);
	return 0;
}

/**
 * tl_closer_log() - Read tierlensd's log
 * @closer: to which all intervals were added
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_closer_log(struct tl_closer *closer, struct tl_error *err)
{
	struct reader *r = calloc(1, sizeof(*r));
	int code;

	if (!r)
		return tl_error_no_memory(err);
	r->closer = closer;
	code = file_open(r, err);
	if (!code) {
		lines_take(r);
		if (ferror(r->from))
			code = tl_error_set(err, -EIO, "%s: cannot read (%s): copy it to a sound disk", closer->log,
					    strerror(errno));
		else if (!r->rows && closer->broken)
			code = tl_error_set(err, -EINVAL, "%s: has no row of tierlensd's: give a file that tierlensd --log wrote",
					    closer->log);
	}
	if (r->from)
		fclose(r->from);
	free(r);
	return code;
}
