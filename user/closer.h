/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CLOSER_H
#define TL_CLOSER_H

#include "adapt-play.h"
#include "adapt-row.h"

#define TL_CLOSER_ROWS 50 /* on a page */

struct tl_error;

/**
 * struct tl_closer_span - A tier at a level
 * @tier: index of its name
 * @from_ns, @until_ns: since the epoch
 */
struct tl_closer_span {
	size_t tier;
	enum tl_at level;
	u64 from_ns, until_ns;
};

/**
 * struct tl_closer_tier - A tier of a recording
 * @name: owned
 * @level: that it was at last
 * @last: its last span, index plus 1; 0 for none, or if that found no room
 * @other: it was at another level than server
 */
struct tl_closer_tier {
	char *name;
	enum tl_at level;
	size_t last;
	bool other;
};

/**
 * struct tl_closer_rows - Decisions, or findings
 * @row: [@kept] the first of them
 * @all: how many there are
 */
struct tl_closer_rows {
	struct tl_adapt_row row[TL_CLOSER_ROWS];
	size_t kept;
	u64 all;
};

/**
 * struct tl_closer - Where tiers were looked at more closely while something was recorded, and why
 * @log: tierlensd's, which decisions and findings are from; NULL: they are what would have been decided
 * @from_ns, @until_ns: of the recording
 * @spans_more: levels that found no room
 * @broken: lines of the log that are none, which were left out
 */
struct tl_closer {
	const char *log;
	struct tl_adapt_play play;
	struct tl_closer_tier *tier;
	struct tl_closer_span *span;
	size_t tiers, spans, hint;
	u64 from_ns, until_ns, spans_more, broken;
	struct tl_closer_rows findings, decisions;
	bool no_memory;
};

int tl_closer_begin(struct tl_closer *closer, const char *log);
int tl_closer_add(struct tl_closer *closer, const struct tl_interval *interval);
int tl_closer_end(struct tl_closer *closer, struct tl_error *err);
void tl_closer_free(struct tl_closer *closer);
bool tl_closer_shows(const struct tl_closer *closer, const struct tl_closer_span *span);
json_t *tl_closer_json(const struct tl_closer *closer);

/* closer-log.c */
int tl_closer_log(struct tl_closer *closer, struct tl_error *err);
void tl_closer_row(struct tl_closer *closer, json_t *json);

#endif
