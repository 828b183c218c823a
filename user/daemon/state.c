// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the daemon is doing now, for others to look at: tl_adaptor_look() reads it
 *
 * Written whole, and only when something is another than it was. What probes cost is rounded to a hundredth of a per cent for
 * that. It names classes and functions, which only those may see who may measure: others cannot read it.
 */
#include "daemon/state.h"

#include "daemon/control.h"
#include "daemon/log.h"
#include "error.h"
#include "out.h"
#include "process.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <tierlens-version.h>

#define SHARE_STEP 1e-4
#define MODE 0640

/**
 * tl_state_begin() - Nothing has been done yet
 * @state: filled in, to be given to tl_state_end()
 * @file: where to write; NULL for nowhere
 */
void tl_state_begin(struct tl_state *state, const char *file)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	*state = (struct tl_state){ .file = file ? strdup(file) : NULL, .began_s = (double)now.tv_sec };
}

/**
 * tl_state_row() - A row of the log, if it is one that others want to see
 * @state: state
 * @json: row; a reference is taken
 */
void tl_state_row(struct tl_state *state, json_t *json)
{
	struct tl_adapt_row row;
	bool wanted = !tl_adapt_row_read(&row, json) && (row.finding || row.held || tl_adapt_row_changed(&row));

	tl_adapt_row_free(&row);
	if (!wanted)
		return;
	if (state->rows == TL_ADAPTOR_ROWS) {
		json_decref(state->row[0]);
		memmove(state->row, state->row + 1, --state->rows * sizeof(*state->row));
	}
	state->row[state->rows++] = json_incref(json);
}

static json_t *levels_json(const struct tl_control *control)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < control->n; i++)
		if (control->held[i].level)
			json_array_append_new(list, json_pack("{s:s, s:s, s:f}", "tier", control->feed.tiers.name[i].text,
							      "level", tl_at_name(control->held[i].level), "since",
							      control->held[i].since_s));
	return list;
}

static json_t *state_json(const struct tl_state *state, const struct tl_control *control)
{
	struct tl_process self = { 0 };
	json_t *rows = json_array();
	double share = control->share;
	size_t i;

	for (i = 0; i < state->rows; i++)
		json_array_append(rows, state->row[i]);
	tl_process_read((u32)getpid(), &self);
	return json_pack("{s:i, s:s, s:I, s:I, s:f, s:f, s:o, s:o, s:o}", "format", TL_ADAPTOR_FORMAT, "version",
			 TIERLENS_VERSION, "pid", (json_int_t)getpid(), "started", (json_int_t)self.started, "began",
			 state->began_s, "budget", control->options.budget, "share",
			 share < 0 ? json_null() : json_real(round(share / SHARE_STEP) * SHARE_STEP), "levels",
			 levels_json(control), "rows", rows);
}

/* Only the last folder: /run is there. */
static void folder_make(const char *file)
{
	const char *end = strrchr(file, '/');
	char *folder = end && end > file ? strndup(file, (size_t)(end - file)) : NULL;

	if (folder)
		mkdir(folder, 0755);
	free(folder);
}

static int file_write(struct tl_state *state, const char *text, struct tl_error *err)
{
	struct stat is;
	char *part;
	FILE *to;
	int code;

	/* The loop would wait for a reader. */
	if (!stat(state->file, &is) && S_ISFIFO(is.st_mode))
		return tl_error_set(err, -ESPIPE, "%s: is a pipe, in which nothing stays: write to a file", state->file);
	folder_make(state->file);
	to = tl_out_begin(state->file, &part, err);
	if (!to)
		return -EIO;
	/* Before anything stands in it; a device is as it is. */
	code = fstat(fileno(to), &is) || (S_ISREG(is.st_mode) && fchmod(fileno(to), MODE)) ?
		       tl_error_write(err, -errno, state->file) : 0;
	if (!code)
		fprintf(to, "%s\n", text);
	return tl_out_end(to, state->file, part, code, err);
}

/**
 * tl_state_write() - Have the file say what is so now
 * @state: state
 * @control: what is done, and whose log it is told in, once, if it cannot be written
 */
void tl_state_write(struct tl_state *state, const struct tl_control *control)
{
	json_t *json = state->file ? state_json(state, control) : NULL;
	char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(16)) : NULL;
	struct tl_error err;

	json_decref(json);
	if (!text || (state->text && !strcmp(text, state->text))) {
		free(text);
		return;
	}
	free(state->text);
	state->text = NULL;
	if (!file_write(state, text, &err)) {
		state->text = text;
		return;
	}
	free(text);
	if (!state->failed)
		tl_log_text(control->log, control->feed.in.t_s, "note", NULL, NULL, err.text);
	state->failed = true;
}

/* A link, or a device, is somebody else's. */
static bool is_ours(const char *file)
{
	struct tl_adaptor now = { .file = file };
	struct stat stat;
	bool ours = false;

	if (!lstat(file, &stat) && S_ISREG(stat.st_mode)) {
		tl_adaptor_look(&now);
		ours = now.alive && now.pid == (u32)getpid();
	}
	tl_adaptor_free(&now);
	return ours;
}

/**
 * tl_state_end() - Take the file away, unless another daemon has put its own there
 * @state: state
 */
void tl_state_end(struct tl_state *state)
{
	size_t i;

	if (state->file && is_ours(state->file))
		unlink(state->file);
	for (i = 0; i < state->rows; i++)
		json_decref(state->row[i]);
	free(state->text);
	free(state->file);
	state->text = state->file = NULL;
	state->rows = 0;
}
