/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_STATE_H
#define TL_DAEMON_STATE_H

#include "adaptor.h"

struct tl_control;
struct tl_log;

/**
 * struct tl_state - A file with what the daemon is doing now
 * @file: its name; NULL for none
 * @row: [@rows] the last decisions and findings, the oldest first; owned
 * @text: what stands in the file; owned
 * @began_s: when the daemon began, since the epoch
 * @failed: it was told that it cannot be written
 */
struct tl_state {
	char *file;
	json_t *row[TL_ADAPTOR_ROWS];
	size_t rows;
	char *text;
	double began_s;
	bool failed;
};

void tl_state_begin(struct tl_state *state, const char *file);
void tl_state_row(struct tl_state *state, json_t *row);
void tl_state_write(struct tl_state *state, const struct tl_control *control);
void tl_state_end(struct tl_state *state);

#endif
