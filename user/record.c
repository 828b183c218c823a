// SPDX-License-Identifier: GPL-2.0-or-later
/* Closed intervals, written as they come, until somebody has had enough of them. */
#include "record.h"

#include "clock.h"
#include "cmd.h"
#include "error.h"
#include "feed.h"
#include "out.h"
#include "signals.h"
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/tierlens.h>
#include <sys/resource.h>

struct session {
	struct tl_record *record;
	struct tl_feed feed;
	FILE *to;
	const char *name;
	double began_s;
	bool told_off;
};

static void tell_gap(struct session *s)
{
	char text[120];

	s->record->missed += s->feed.gap.missed;
	tl_gap_print(text, sizeof(text), &s->feed.gap);
	if (*text)
		tl_out_error("%s: the recording has a gap", text);
}

/* Somebody may turn it on again: the recording goes on, but not without a word. */
static void tell_off(struct session *s)
{
	if (!s->feed.enabled && !s->told_off)
		tl_out_error("measuring was turned off, waiting: tierlens enable");
	s->told_off = !s->feed.enabled;
}

static bool has_all(const struct session *s)
{
	return s->record->n && s->record->written >= s->record->n;
}

static double seconds_left(const struct session *s)
{
	return s->record->seconds - (tl_clock_s(CLOCK_MONOTONIC) - s->began_s);
}

/* Not longer than those take that are wanted. */
static u32 seldom_ms(const struct session *s)
{
	const struct tl_record *record = s->record;
	double ms = record->seldom_ms;

	if (record->n)
		ms = min(ms, (double)(record->n - record->written) * s->feed.interval_ms);
	if (record->seconds > 0)
		ms = min(ms, seconds_left(s) * 1e3 + 1);
	return s->feed.interval_ms < ms ? (u32)ms : 0;
}

static bool done(const struct session *s)
{
	if (tl_signals_stopped())
		return true;
	return s->record->seconds > 0 && seconds_left(s) <= 0;
}

/* Once there was one the clock may be set. */
static bool too_early(const struct session *s, const struct tl_interval *interval)
{
	return !s->record->written && interval->start_ns < s->record->since_ns;
}

static int loop(struct session *s, struct tl_error *err)
{
	/* What was closed before the time was over, or we were told to stop, is still ours: what the feed has read of
	 * what the kernel kept, and what that keeps by now. */
	int rest = 2 * TIERLENS_INTERVALS_KEPT, code;
	struct tl_interval *interval;

	while (!has_all(s) && rest > 0) {
		s->feed.impatient = done(s);
		s->feed.seldom_ms = s->feed.impatient ? 0 : seldom_ms(s);
		rest -= s->feed.impatient;
		code = tl_feed_next(&s->feed, &interval, err);
		if (code < 0)
			return code;
		tell_off(s);
		if (!interval && s->feed.impatient)
			return 0;
		if (interval && too_early(s, interval)) {
			tl_interval_free(interval);
			interval = NULL;
		}
		if (!interval)
			continue;
		tell_gap(s);
		code = s->record->write(s->to, s->name, interval, s->record->arg, err);
		tl_interval_free(interval);
		if (code) /* a reader that stood still when we were told to stop */
			return code == -EINTR && tl_signals_stopped() ? 0 : code;
		s->record->written++;
		tl_out_progress("%" PRIu64 " intervals recorded", s->record->written);
	}
	return 0;
}

/*
 * Where a thousand threads want the processor our turn may come when the kernel keeps those
 * intervals no longer. Who has set another priority, or does not allow this one, knows why.
 */
static void be_in_time(void)
{
	errno = 0;
	if (!getpriority(PRIO_PROCESS, 0) && !errno)
		setpriority(PRIO_PROCESS, 0, -20);
}

static int session(struct session *s)
{
	struct tl_error err;
	int status = TL_EXIT_OK;

	tl_signals_catch();
	s->began_s = tl_clock_s(CLOCK_MONOTONIC);
	if (loop(s, &err))
		status = tl_out_failed(&err);
	tl_out_progress_end();
	if (!s->record->file)
		return status;
	if (tl_out_close(s->to, s->name, &err) && status == TL_EXIT_OK)
		status = tl_out_failed(&err);
	return status;
}

/**
 * tl_record() - Write intervals until it is enough, or a signal says so, before others
 * @record: how; @written and @missed are filled in
 *
 * Return: exit status; what is wrong has been printed.
 */
int tl_record(struct tl_record *record)
{
	struct session s = { .record = record, .to = stdout, .name = "standard output" };
	struct tl_error err;
	int status;

	if (tl_feed_open(&s.feed, record->kept, &err))
		return tl_out_failed(&err);
	s.feed.no_hosts = record->no_hosts;
	if (!s.feed.enabled) {
		tl_feed_close(&s.feed);
		tl_out_error("measuring is off: tierlens enable");
		return TL_EXIT_FAILED;
	}
	if (record->file) {
		s.name = record->file;
		s.to = fopen(record->file, "we");
	}
	if (s.to) {
		be_in_time();
		record->begun = true;
		status = session(&s);
	} else {
		tl_error_write(&err, -errno, record->file);
		status = tl_out_failed(&err);
	}
	tl_feed_close(&s.feed);
	return status;
}
