/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_HISTORY_H
#define TL_DAEMON_HISTORY_H

#include "past.h"

struct tl_history;

/**
 * struct tl_history_limits - How much is kept
 * @bytes: of the file and what SQLite has beside it, whatever happens; what is finest goes first, as long as it
 *         has more than its share
 * @age_ns: of each level, what is older goes
 * @part: of each level, the share of @bytes that the others leave it
 * @rows: of the log
 * @queue_bytes: intervals in memory, as long as the file cannot be written
 */
struct tl_history_limits {
	u64 bytes, age_ns[TL_HISTORY_LEVELS];
	double part[TL_HISTORY_LEVELS];
	u64 rows, queue_bytes;
};

#define TL_HISTORY_MB_LEAST 32

extern const struct tl_history_limits tl_history_limits;

int tl_history_open(struct tl_history **history, const char *file, const struct tl_history_limits *limits,
		    struct tl_error *err);
void tl_history_close(struct tl_history *history);
void tl_history_add(struct tl_history *history, const struct tl_interval *interval);
void tl_history_row(struct tl_history *history, double t_s, const char *json);
void tl_history_turn(struct tl_history *history);
int tl_history_flush(struct tl_history *history, struct tl_error *err);
bool tl_history_news(struct tl_history *history, char *text, size_t room);
u64 tl_history_lost(const struct tl_history *history);
int tl_history_each(struct tl_history *history, const struct tl_history_query *query, tl_history_point_fn *fn,
		    void *arg, struct tl_error *err);
int tl_history_rows(struct tl_history *history, double from_s, double to_s, tl_history_row_fn *fn, void *arg,
		    struct tl_error *err);

#endif
