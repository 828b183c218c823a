// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Between the loop and those who ask
 *
 * The loop writes, the thread of the HTTP server reads. A slow client holds no lock: whatever it is sent is its own,
 * or counted by references. What the loop may have to wait for is a page that is being made, some milliseconds; and
 * since a page is made once for each change, it does not matter how many ask.
 */
#include "daemon/board.h"

#include "clock.h"
#include "daemon/where.h"
#include "feed.h"
#include "out.h"
#include "recording.h"

#include <errno.h>
#include <linux/tierlens.h>
#include <stdlib.h>
#include <tierlens-version.h>

#define JSON_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(16))
#define ALIVE_NS 60000000000ULL

/**
 * tl_line_put() - No more need of a line
 * @line: line
 */
void tl_line_put(struct tl_line *line)
{
	if (atomic_fetch_sub(&line->refs, 1) == 1)
		free(line);
}

static void oldest_drop(struct tl_lines *lines)
{
	struct tl_line *line = lines->line[lines->first];

	lines->bytes -= line->len;
	lines->first = (lines->first + 1) % TL_BOARD_DECISIONS;
	lines->n--;
	tl_line_put(line);
}

static void line_add(struct tl_lines *lines, struct tl_line *line)
{
	while (lines->n && (lines->n == lines->most || lines->bytes + line->len > TL_BOARD_BYTES))
		oldest_drop(lines);
	lines->line[(lines->first + lines->n++) % TL_BOARD_DECISIONS] = line;
	lines->bytes += line->len;
}

static struct tl_line *line_new(const char *text)
{
	size_t len = strlen(text);
	struct tl_line *line = malloc(sizeof(*line) + len + 1);

	if (!line)
		return NULL;
	atomic_init(&line->refs, 1);
	line->len = len + 1;
	memcpy(line->text, text, len);
	line->text[len] = '\n';
	return line;
}

static struct tl_metric_row *of_daemon(struct tl_board *board)
{
	return board->metrics.rows[TL_ROWS_DAEMON].row[0];
}

/**
 * tl_board_begin() - Begin with nothing on it
 * @board: filled in, to be given to tl_board_end()
 * @cap: series that there may be
 *
 * Return: 0 or -ENOMEM.
 */
int tl_board_begin(struct tl_board *board, size_t cap)
{
	memset(board, 0, sizeof(*board));
	pthread_mutex_init(&board->lock, NULL);
	board->intervals.most = TL_BOARD_INTERVALS;
	board->decisions.most = TL_BOARD_DECISIONS;
	board->began_s = tl_ns_to_s(tl_clock_ns(CLOCK_REALTIME));
	board->turn_ns = tl_clock_ns(CLOCK_MONOTONIC);
	board->version = 1;
	if (tl_metrics_begin(&board->metrics, cap))
		return -ENOMEM;
	tl_metric_gauge(of_daemon(board), TL_OF_UP, 0);
	return 0;
}

/**
 * tl_board_end() - Free what is on it
 * @board: board that nobody reads any more
 */
void tl_board_end(struct tl_board *board)
{
	while (board->intervals.n)
		oldest_drop(&board->intervals);
	while (board->decisions.n)
		oldest_drop(&board->decisions);
	tl_interval_free(board->newest);
	tl_metrics_end(&board->metrics);
	pthread_mutex_destroy(&board->lock);
}

/**
 * tl_board_turn() - The loop has come round
 * @board: board
 * @feed: whether the module is measuring
 */
void tl_board_turn(struct tl_board *board, const struct tl_feed *feed)
{
	pthread_mutex_lock(&board->lock);
	board->turn_ns = tl_clock_ns(CLOCK_MONOTONIC);
	if (board->enabled != feed->enabled) {
		tl_metric_gauge(of_daemon(board), TL_OF_UP, feed->enabled);
		board->version++;
	}
	board->enabled = feed->enabled;
	board->interval_ms = feed->interval_ms;
	if (board->processors != feed->processors) {
		tl_metric_gauge(of_daemon(board), TL_OF_PROCESSORS, feed->processors);
		board->version++;
	}
	board->processors = feed->processors;
	pthread_mutex_unlock(&board->lock);
}

/**
 * tl_board_where() - By what others know this host
 * @board: board
 * @where: its addresses, and where its tiers listen
 *
 * Return: 0 or -ENOMEM.
 */
int tl_board_where(struct tl_board *board, const struct tl_where *where)
{
	int code;

	pthread_mutex_lock(&board->lock);
	code = tl_where_show(where, &board->metrics, tl_clock_ns(CLOCK_MONOTONIC));
	board->version++;
	pthread_mutex_unlock(&board->lock);
	return code;
}

/* As in a recording. */
static struct tl_line *interval_line(const struct tl_interval *interval)
{
	json_t *object = tl_interval_json(interval);
	char *text = object ? json_dumps(object, JSON_FLAGS) : NULL;
	struct tl_line *line = text ? line_new(text) : NULL;

	json_decref(object);
	free(text);
	return line;
}

static struct tl_interval *copy(const struct tl_interval *interval)
{
	struct tl_interval *new = tl_interval_new();

	if (!new || !tl_interval_add(new, interval))
		return new;
	tl_interval_free(new);
	return NULL;
}

/* Lines cost more than all else of an interval: where nobody asks for them, a copy of the last one has to do. */
static int interval_keep(struct tl_board *board, const struct tl_interval *interval)
{
	bool asked = board->unasked < TL_BOARD_INTERVALS && (board->asked || board->intervals.bytes < TL_BOARD_BYTES_UNASKED);
	struct tl_interval *newest = asked ? NULL : copy(interval);
	struct tl_line *line = asked ? interval_line(interval) : NULL;

	if (!newest && !line)
		return -ENOMEM;
	board->unasked += asked;
	tl_interval_free(board->newest);
	board->newest = newest;
	if (line)
		line_add(&board->intervals, line);
	while (newest && board->intervals.n)
		oldest_drop(&board->intervals);
	return 0;
}

/**
 * tl_board_known() - What others have of an earlier life is not to be counted again
 * @board: board without any interval
 * @end_ns: end of the last interval that they have, since the epoch
 */
void tl_board_known(struct tl_board *board, u64 end_ns)
{
	board->metrics.known_ns = end_ns;
	board->metrics.known = TIERLENS_INTERVALS_KEPT;
}

/**
 * tl_board_pushed() - How remote write is
 * @board: board
 * @figures: how it is
 */
void tl_board_pushed(struct tl_board *board, const struct tl_push_figures *figures)
{
	pthread_mutex_lock(&board->lock);
	tl_metrics_pushed(&board->metrics, figures);
	board->version++;
	pthread_mutex_unlock(&board->lock);
}

/**
 * tl_board_interval() - There is another interval
 * @board: board
 * @interval: interval
 * @missed: so many before it were not read
 *
 * Return: 0 or -ENOMEM.
 */
int tl_board_interval(struct tl_board *board, const struct tl_interval *interval, u64 missed)
{
	int code;

	pthread_mutex_lock(&board->lock);
	/* Where nobody can ask, nothing is kept. */
	code = *board->address ? interval_keep(board, interval) : 0;
	board->generation = interval->generation;
	board->start_ns = interval->start_ns;
	board->length_ns = interval->length_ns;
	code = code ? code : tl_metrics_add(&board->metrics, interval, missed, tl_clock_ns(CLOCK_MONOTONIC));
	board->version++;
	pthread_mutex_unlock(&board->lock);
	return code;
}

/**
 * tl_board_row() - There is another row of the log
 * @board: board
 * @row: row, of which decisions and findings are counted
 * @line: the same as text
 */
void tl_board_row(struct tl_board *board, json_t *row, const char *line)
{
	const char *kind = json_string_value(json_object_get(row, "kind"));
	const char *why = json_string_value(json_object_get(row, "why"));
	struct tl_line *new;

	if (!kind || (strcmp(kind, "decision") && strcmp(kind, "finding")))
		return;
	new = line_new(line);
	if (!new)
		return;
	pthread_mutex_lock(&board->lock);
	line_add(&board->decisions, new);
	tl_metrics_decided(&board->metrics, kind, why ? why : "");
	board->version++;
	pthread_mutex_unlock(&board->lock);
}

/**
 * tl_board_cap() - From now on there may be so many series
 * @board: board
 * @cap: series
 */
void tl_board_cap(struct tl_board *board, size_t cap)
{
	pthread_mutex_lock(&board->lock);
	board->metrics.cap = cap;
	pthread_mutex_unlock(&board->lock);
}

/**
 * tl_board_reloaded() - The configuration was read
 * @board: board
 * @well: without a mistake
 */
void tl_board_reloaded(struct tl_board *board, bool well)
{
	pthread_mutex_lock(&board->lock);
	tl_metric_gauge(of_daemon(board), TL_OF_RELOAD, well);
	if (well)
		tl_metric_gauge(of_daemon(board), TL_OF_RELOADED, tl_ns_to_s(tl_clock_ns(CLOCK_REALTIME)));
	board->version++;
	pthread_mutex_unlock(&board->lock);
}

/**
 * tl_board_address() - Where it listens now
 * @board: board
 * @address: "" for nowhere
 * @tls: encrypted
 */
void tl_board_address(struct tl_board *board, const char *address, bool tls)
{
	pthread_mutex_lock(&board->lock);
	snprintf(board->address, sizeof(board->address), "%s", address);
	board->tls = tls;
	pthread_mutex_unlock(&board->lock);
}

/* Somebody asks for intervals again. */
static void ask(struct tl_board *board)
{
	struct tl_line *line = board->newest ? interval_line(board->newest) : NULL;

	board->unasked = 0;
	board->asked = true;
	if (!line)
		return;
	line_add(&board->intervals, line);
	tl_interval_free(board->newest);
	board->newest = NULL;
}

/**
 * tl_board_lines() - The newest lines, the oldest of them first
 * @board: board
 * @of: its intervals or decisions
 * @last: so many at most
 * @to: [@last] filled in, each to be given to tl_line_put()
 *
 * Return: how many there are.
 */
size_t tl_board_lines(struct tl_board *board, struct tl_lines *of, size_t last, struct tl_line **to)
{
	size_t i, n;

	pthread_mutex_lock(&board->lock);
	if (of == &board->intervals)
		ask(board);
	n = min(last, of->n);
	for (i = 0; i < n; i++) {
		to[i] = of->line[(of->first + of->n - n + i) % TL_BOARD_DECISIONS];
		atomic_fetch_add(&to[i]->refs, 1);
	}
	pthread_mutex_unlock(&board->lock);
	return n;
}

/* Null as long as nothing is to be sent. */
static json_t *push_json(const struct tl_board *board)
{
	const struct tl_metric_rows *rows = &board->metrics.rows[TL_ROWS_PUSH];
	const union tl_metric_value *value = rows->n ? rows->row[0]->value : NULL;
	u64 lost = 0;
	unsigned int i;

	if (!value)
		return json_null();
	for (i = 0; i < TL_PUSH_LOSSES; i++)
		lost += value[TL_OF_PUSH_LOST + i].n;
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:b}", "samples", (json_int_t)value[TL_OF_SENT].n, "samples_lost",
			 (json_int_t)lost, "intervals_lost", (json_int_t)value[TL_OF_PUSH_INTERVALS].n, "pending_intervals",
			 (json_int_t)value[TL_OF_PUSH_WAITING].real, "queue_bytes", (json_int_t)value[TL_OF_PUSH_BYTES].real,
			 "queue_limit_bytes", (json_int_t)value[TL_OF_PUSH_SIZE].real, "last_sent_t",
			 tl_out_real(value[TL_OF_PUSH_LAST].real), "up", value[TL_OF_PUSH_UP].real > 0);
}

/**
 * tl_board_status() - How the daemon is, as JSON
 * @board: board
 *
 * Return: a line, to be freed by the caller; NULL without memory.
 */
char *tl_board_status(struct tl_board *board)
{
	const union tl_metric_value *value;
	json_t *object, *last = json_null();
	char *text;

	pthread_mutex_lock(&board->lock);
	value = of_daemon(board)->value;
	if (board->generation)
		last = json_pack("{s:I, s:f, s:f}", "generation", (json_int_t)board->generation, "t",
				 tl_ns_to_s(board->start_ns), "seconds", tl_ns_to_s(board->length_ns));
	object = json_pack("{s:s, s:f, s:b, s:f, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:{s:s, s:b}, s:o}",
			   "version",
			   TIERLENS_VERSION, "began_t", board->began_s, "measuring", (int)board->enabled, "interval_s",
			   board->interval_ms / 1e3, "processors", (json_int_t)board->processors, "last_interval", last,
			   "intervals", (json_int_t)value[TL_OF_INTERVALS].n, "intervals_missed",
			   (json_int_t)value[TL_OF_MISSED].n, "intervals_kept", (json_int_t)board->intervals.n,
			   "decisions_kept", (json_int_t)board->decisions.n, "series",
			   (json_int_t)board->metrics.series, "series_most", (json_int_t)board->metrics.cap, "history",
			   board->history != NULL, "replay", board->replay != NULL, "listen",
			   "address", board->address, "tls", (int)board->tls, "remote_write", push_json(board));
	pthread_mutex_unlock(&board->lock);
	text = object ? json_dumps(object, JSON_FLAGS) : NULL;
	json_decref(object);
	return text;
}

/**
 * tl_board_metrics() - The page of metrics
 * @board: board
 * @open: OpenMetrics 1.0, else Prometheus 0.0.4
 * @len: set to its length
 * @version: of which it is; if the page in hand is of it already, nothing is made
 *
 * Return: the page, to be freed by the caller; NULL if @version is that of the board, or without memory.
 */
char *tl_board_metrics(struct tl_board *board, bool open, size_t *len, u64 *version)
{
	char *page = NULL;

	pthread_mutex_lock(&board->lock);
	if (*version != board->version) {
		page = tl_metrics_text(&board->metrics, open, len);
		*version = page ? board->version : *version;
	}
	pthread_mutex_unlock(&board->lock);
	return page;
}

/**
 * tl_board_is_ready() - Are there figures?
 * @board: board
 * @why: set to a sentence if not
 *
 * Return: true or false.
 */
bool tl_board_is_ready(struct tl_board *board, const char **why)
{
	pthread_mutex_lock(&board->lock);
	*why = !board->enabled	   ? "measuring is off: tierlens enable" :
	       !board->generation ? "no interval was read yet: wait for the end of the first" :
				    NULL;
	pthread_mutex_unlock(&board->lock);
	return !*why;
}

/**
 * tl_board_is_alive() - Does the loop come round?
 * @board: board
 *
 * Return: true or false.
 */
bool tl_board_is_alive(struct tl_board *board)
{
	u64 ago_ns;

	pthread_mutex_lock(&board->lock);
	ago_ns = tl_clock_ns(CLOCK_MONOTONIC) - board->turn_ns;
	pthread_mutex_unlock(&board->lock);
	return ago_ns < ALIVE_NS;
}
