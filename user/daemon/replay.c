// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tierlensd without a kernel: it tells of what was recorded, as it would have told of it then
 *
 * All is read at once, decided upon as tierlens adapt --dry-run does, kept in the history if there is to be one, and then
 * served until a signal comes. Nothing is asked of this host: the recording may be another's.
 */
#include "daemon/replay.h"

#include "adapt-play.h"
#include "daemon/history.h"
#include "daemon/log.h"
#include "daemon/notify.h"
#include "daemon/service.h"
#include "error.h"
#include "feed.h"
#include "recording.h"
#include "signals.h"
#include "table.h"

#include <errno.h>
#include <time.h>

#define NEWEST TL_BOARD_INTERVALS /* that those who ask get */
#define HOUR_NS 3600000000000ULL

/**
 * struct replay - A recording that is read
 * @held: the newest, [@n], the oldest at @first: until it is known that they are, nobody needs lines of them
 */
struct replay {
	const struct tl_daemon *daemon;
	struct tl_adapt_play play;
	struct tl_feed feed;
	struct tl_interval *held[NEWEST];
	size_t first, n;
	bool keep;
};

static void decided(json_t *row, void *arg)
{
	const struct replay *replay = arg;

	if (row)
		tl_log_row(replay->daemon->log, row);
}

/* The oldest of those that are held. */
static int pass_on(struct replay *replay, struct tl_error *err)
{
	struct tl_interval *interval = replay->held[replay->first];
	int code;

	replay->first = (replay->first + 1) % NEWEST;
	replay->n--;
	tl_gap_look(&replay->feed.gap, interval);
	replay->feed.interval_ms = (u32)(interval->length_ns / 1000000);
	replay->feed.processors = (u32)replay->play.feed.processors;
	tl_service_turn(replay->daemon->service, &replay->feed);
	code = tl_service_interval(replay->daemon->service, interval, replay->feed.gap.missed, err);
	tl_interval_free(interval);
	return code;
}

static int take(struct replay *replay, struct tl_interval *interval, struct tl_error *err)
{
	int code = replay->n == NEWEST ? pass_on(replay, err) : 0;

	if (replay->keep)
		tl_history_add(replay->daemon->history, interval);
	if (!code && tl_adapt_play_add(&replay->play, interval))
		code = tl_error_no_memory(err);
	replay->held[(replay->first + replay->n++) % NEWEST] = interval;
	return code;
}

static int read_all(struct replay *replay, const char *file, struct tl_error *err)
{
	struct tl_recording *recording;
	struct tl_interval *interval;
	const char *said;
	int code = tl_recording_open(&recording, file, err), more = 1;

	if (code)
		return code;
	while (!code && !tl_signals_stopped() && (more = tl_recording_next(recording, &interval, err)) > 0)
		code = take(replay, interval, err);
	said = tl_recording_warning(recording);
	if (said)
		tl_log_text(replay->daemon->log, (double)time(NULL), "note", NULL, NULL, said);
	tl_recording_close(recording);
	return code ? code : min(more, 0);
}

static int newest_tell(struct replay *replay, struct tl_error *err)
{
	struct tl_line *line[1];
	struct tl_board *board = &replay->daemon->service->board;
	size_t n = tl_board_lines(board, &board->intervals, 1, line);
	int code = 0;

	/* Whoever asks is told of these, all of them. */
	while (n)
		tl_line_put(line[--n]);
	while (!code && replay->n)
		code = pass_on(replay, err);
	return code;
}

/* Of a history that is years long the last hour is what would be live. */
static int last_hour(const char *file, struct tl_error *err)
{
	sqlite3_int64 end_ns = 0;
	struct tl_base base;
	int code = tl_base_open(&base, &tl_history_kind, file, SQLITE_OPEN_READONLY, 3000, err);

	code = code ? code : tl_base_check(&base, false, err);
	code = code ? code : tl_base_number(&base, "SELECT coalesce(max(end_ns), 0) FROM raw", &end_ns, err);
	tl_base_close(&base);
	if (!code && (u64)end_ns > HOUR_NS)
		tl_recording_while.from_ns = (u64)end_ns - HOUR_NS;
	return code;
}

static int play(struct replay *replay, const char *file, struct tl_error *err)
{
	int code = tl_service_begin(replay->daemon->service, err);

	code = code ? code : read_all(replay, file, err);
	code = code ? code : newest_tell(replay, err);
	if (!code && replay->keep)
		code = tl_history_flush(replay->daemon->history, err);
	while (!code && !tl_signals_stopped()) {
		tl_service_turn(replay->daemon->service, &replay->feed);
		tl_signals_sleep(1);
	}
	return code;
}

/**
 * tl_daemon_replay() - Tell of a recording until a signal ends it
 * @daemon: what to go by
 * @file: recording, or a history, of which the last hour is read
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_daemon_replay(const struct tl_daemon *daemon, const char *file, struct tl_error *err)
{
	struct replay replay = { .daemon = daemon, .feed.enabled = true, .keep = daemon->history != NULL };
	int code = tl_history_is(file) ? last_hour(file, err) : 0;

	if (code)
		return code;
	tl_signals_catch();
	if (tl_adapt_play_begin(&replay.play, &daemon->adapt, 0, decided, &replay))
		return tl_error_no_memory(err);
	code = play(&replay, file, err);
	tl_notify("STOPPING=1");
	while (replay.n)
		tl_interval_free(replay.held[(replay.first + --replay.n) % NEWEST]);
	tl_adapt_play_end(&replay.play);
	return code;
}
