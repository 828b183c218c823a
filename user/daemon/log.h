/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_LOG_H
#define TL_DAEMON_LOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct tl_error;

/**
 * struct tl_log - Rows of JSON, one a line, as they come
 * @to: not written to through its buffer: how much of a row has come to the file has to be known
 * @cut: what was written last is no whole row
 * @name: what to call it in a sentence
 * @failed: a row could not be written, for that reason; @failing: nor could the last one
 * @lost: so many
 * @also: gets each row, too, with @arg, as an object and as a line; NULL for nobody
 */
struct tl_log {
	FILE *to;
	bool cut;
	const char *name;
	int failed;
	bool failing;
	unsigned long long lost;
	void (*also)(void *arg, json_t *row, const char *line);
	void *arg;
};

int tl_log_open(struct tl_log *log, const char *file, struct tl_error *err);
int tl_log_close(struct tl_log *log, struct tl_error *err);
void tl_log_row(struct tl_log *log, json_t *row);
void tl_log_text(struct tl_log *log, double t_s, const char *kind, const char *tier, const char *function,
		 const char *text);

#endif
