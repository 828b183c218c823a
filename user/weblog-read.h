/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_WEBLOG_READ_H
#define TL_WEBLOG_READ_H

#include "sessions.h"
#include "weblog.h"
#include "weblog-states.h"

#define TL_WEBLOG_BROKEN_KEPT 3

/**
 * struct tl_weblog - Access logs, read
 * @format: how lines are taken apart; names are set by the caller
 * @format_text: what the caller wants it to be, or NULL for what the lines are
 * @states: which requests are which state
 * @sessions: what they did
 * @type: [types] names of the users' types, none if they are all of one
 * @lines: how many there were, empty ones not counted
 * @broken: of these, those that could not be read
 * @broken_part: of all, so many are let pass; the caller's
 * @where: the first of the broken ones and what is wrong with them; owned
 * @embedded: requests for what pages are made up of
 * @left_out: requests that rules leave out
 * @no_request: lines without one, such as of clients that said nothing
 * @no_session: requests of which nobody can tell whose they were
 * @timed: requests with their response time
 */
struct tl_weblog {
	struct tl_weblog_format format;
	const char *format_text;
	struct tl_weblog_states states;
	struct tl_sessions sessions;
	char *type[TL_SESSIONS_TYPES];
	size_t types;
	uint64_t lines, broken, embedded, left_out, no_request, no_session, timed;
	double broken_part;
	char *where[TL_WEBLOG_BROKEN_KEPT], *back_where;
};

int tl_weblog_read(struct tl_weblog *log, char *const *files, size_t n, struct tl_error *err);
void tl_weblog_free(struct tl_weblog *log);

#endif
