/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_BOARD_H
#define TL_DAEMON_BOARD_H

#include "daemon/metrics.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

#define TL_BOARD_INTERVALS 60 /* the newest that are kept, and */
#define TL_BOARD_DECISIONS 200
#define TL_BOARD_BYTES (8UL << 20) /* so much of each at most */
#define TL_BOARD_BYTES_UNASKED (256UL << 10) /* of intervals, as long as nobody has ever asked */

struct tl_feed;
struct tl_where;
struct tl_studies;

/**
 * struct tl_line - A row of JSON with its newline, for several readers
 * @refs: the last one who puts it back frees it
 */
struct tl_line {
	atomic_uint refs;
	size_t len;
	char text[];
};

/* The newest lines: @line[(@first + i) % TL_BOARD_DECISIONS], @n of @most. */
struct tl_lines {
	struct tl_line *line[TL_BOARD_DECISIONS];
	size_t first, n, most, bytes;
};

/**
 * struct tl_board - What the loop shows to whoever asks, on other threads
 * @lock: protects all else; held for memory only, never while somebody is waited for
 * @unasked: intervals since somebody asked for intervals; after so many as are kept no lines are made of them,
 *           only @newest is, for whoever comes
 * @version: counts changes, so that a page is made once for all who ask
 * @turn_ns: when the loop came round last, on the monotonic clock
 * @generation: of the last interval, 0 for none; it began @start_ns and took @length_ns
 * @began_s: when the daemon began, since the epoch
 * @asked: somebody ever did
 * @enabled: the module is measuring, @interval_ms: in intervals of that length
 * @address: where it listens, "" for nowhere
 * @history: file of the history, NULL for none; @replay: that of a recording that is told of instead of the kernel.
 *           Both and @studies are set before anybody can ask, and stay
 */
struct tl_board {
	pthread_mutex_t lock;
	struct tl_metrics metrics;
	struct tl_lines intervals, decisions;
	struct tl_interval *newest;
	unsigned int unasked;
	u64 version, turn_ns, generation, start_ns, length_ns;
	double began_s;
	u32 processors, interval_ms;
	bool enabled, tls, asked;
	char address[80];
	const char *history, *replay;
	struct tl_studies *studies;
};

int tl_board_begin(struct tl_board *board, size_t cap);
void tl_board_end(struct tl_board *board);
void tl_board_turn(struct tl_board *board, const struct tl_feed *feed);
void tl_board_known(struct tl_board *board, u64 end_ns);
void tl_board_pushed(struct tl_board *board, const struct tl_push_figures *figures);
int tl_board_where(struct tl_board *board, const struct tl_where *where);
int tl_board_interval(struct tl_board *board, const struct tl_interval *interval, u64 missed);
void tl_board_row(struct tl_board *board, json_t *row, const char *line);
void tl_board_cap(struct tl_board *board, size_t cap);
void tl_board_reloaded(struct tl_board *board, bool well);
void tl_board_address(struct tl_board *board, const char *address, bool tls);

/* For readers. */
size_t tl_board_lines(struct tl_board *board, struct tl_lines *of, size_t last, struct tl_line **to);
void tl_line_put(struct tl_line *line);
char *tl_board_status(struct tl_board *board);
char *tl_board_metrics(struct tl_board *board, bool open, size_t *len, u64 *version);
bool tl_board_is_ready(struct tl_board *board, const char **why);
bool tl_board_is_alive(struct tl_board *board);

#endif
