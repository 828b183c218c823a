// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Following the kernel's intervals
 *
 * Always asks for what is kept after the last generation seen, some at a time, on a hint or
 * when an interval's time has passed without one. So a lost hint costs a moment,
 * a reader that was stopped for less than the kernel keeps loses nothing, and one
 * that was stopped for longer learns which generations it missed.
 *
 * It also wakes up when an interval ends, a quiet time before its figures are there,
 * to look at the host's counters at that moment.
 */
#include "feed.h"

#include "clock.h"
#include "error.h"

#include <poll.h>

#define WAIT_MS_MAX 1000

static void end_learn(struct tl_feed *feed, const struct tl_interval *interval)
{
	feed->end_ns = interval->start_ns + interval->length_ns;
	feed->length_ns = interval->length_ns;
}

/* Time since the last end of an interval. All are as long, until the next is read. */
static u64 since_end(const struct tl_feed *feed, u64 real_ns)
{
	if (real_ns >= feed->end_ns)
		return (real_ns - feed->end_ns) % feed->length_ns;
	return feed->length_ns - 1 - (feed->end_ns - real_ns - 1) % feed->length_ns;
}

static int wait_ms(const struct tl_feed *feed)
{
	u64 ms = min(feed->interval_ms, (u32)WAIT_MS_MAX), left_ns;

	if (feed->no_hosts && !feed->glances)
		return (int)min(2 * ms, (u64)WAIT_MS_MAX);
	if (feed->glances)
		ms = max(ms / feed->glances, (u64)1);
	if (!feed->length_ns)
		return (int)ms;
	left_ns = feed->length_ns - since_end(feed, tl_clock_ns(CLOCK_REALTIME));
	return (int)min(ms, left_ns / 1000000 + 1);
}

/**
 * tl_feed_into_ns() - Where in its interval the kernel is
 * @feed: feed
 *
 * Return: ns since it began; 0, too, if no interval is known yet.
 */
u64 tl_feed_into_ns(const struct tl_feed *feed)
{
	return feed->length_ns ? since_end(feed, tl_clock_ns(CLOCK_REALTIME)) : 0;
}

/* Once an interval, if we are there in time. */
static void look_at_host(struct tl_feed *feed)
{
	u64 real_ns = tl_clock_ns(CLOCK_REALTIME), mono_ns = tl_clock_ns(CLOCK_MONOTONIC), slack_ns;

	slack_ns = tl_host_slack_ns(feed->length_ns);
	if (!feed->length_ns || feed->no_hosts || since_end(feed, real_ns) > slack_ns ||
	    mono_ns - feed->looked_ns <= slack_ns)
		return;
	tl_host_look(&feed->hosts, real_ns, mono_ns);
	feed->looked_ns = mono_ns;
}

/* When intervals end, from the newest one. That none is kept is no error yet. */
static int look_at_newest(struct tl_feed *feed, struct tl_error *err)
{
	struct tl_intervals list;
	int code = tl_ctl_intervals(feed->ctl, TL_WHICH_NEWEST, 0, &list, err);

	if (!code && list.n)
		end_learn(feed, list.interval[list.n - 1]);
	tl_intervals_free(&list);
	return code;
}

/**
 * tl_feed_open() - Begin to follow
 * @feed: filled in, to be given to tl_feed_close()
 * @kept: begin with the intervals that the kernel still keeps, instead of the
 *        first one that closes from now on
 * @err: the sentence if it fails
 *
 * Return: 0, also while measuring is off; or a negative errno.
 */
int tl_feed_open(struct tl_feed *feed, bool kept, struct tl_error *err)
{
	struct tl_module module;
	int code;

	memset(feed, 0, sizeof(*feed));
	code = tl_ctl_open(&feed->ctl, err);
	code = code ? code : tl_ctl_module(feed->ctl, &module, err);
	if (!code && module.enabled && module.newest)
		code = look_at_newest(feed, err);
	if (code) {
		tl_feed_close(feed);
		return code;
	}
	feed->enabled = module.enabled;
	feed->interval_ms = module.interval_ms;
	feed->processors = module.processors;
	feed->last = module.newest;
	if (kept)
		feed->last = module.oldest ? module.oldest - 1 : 0;
	return 0;
}

/**
 * tl_feed_close() - Stop following
 * @feed: feed that was opened
 */
void tl_feed_close(struct tl_feed *feed)
{
	for (; feed->next < feed->list.n; feed->next++)
		tl_interval_free(feed->list.interval[feed->next]);
	feed->list.n = 0;
	tl_intervals_free(&feed->list);
	tl_host_free(&feed->hosts);
	tl_ctl_close(feed->ctl);
	feed->ctl = NULL;
}

static int look_at_module(struct tl_feed *feed, struct tl_error *err)
{
	struct tl_module module;
	int code = tl_ctl_module(feed->ctl, &module, err);

	if (code)
		return code;
	feed->enabled = module.enabled;
	feed->interval_ms = module.interval_ms;
	return 0;
}

static int fetch(struct tl_feed *feed, struct tl_error *err)
{
	int code;

	feed->list.n = 0; /* all were handed out: only the array is left */
	tl_intervals_free(&feed->list);
	feed->next = 0;
	code = tl_ctl_intervals(feed->ctl, TL_WHICH_NEXT, feed->last, &feed->list, err);
	feed->fetched = !feed->list.more;
	return code;
}

/* Return: as tl_ctl_wait(). A hint that came before we looked is there to be found. */
static int wait_for_more(struct tl_feed *feed, struct tl_error *err)
{
	int ms = wait_ms(feed);

	if (feed->seldom_ms) {
		poll(NULL, 0, (int)feed->seldom_ms);
		ms = 0;
	}
	return tl_ctl_wait(feed->ctl, ms, err);
}

/**
 * tl_feed_next() - The next closed interval, or a turn of waiting for it
 * @feed: feed
 * @interval: set to the interval, to be given to tl_interval_free(), or to NULL
 * @err: the sentence if it fails
 *
 * Waits for a second at most, less after a signal, so that the caller can look at
 * the clock, the terminal and @feed->enabled.
 *
 * Return: 1 for an interval, 0 if there is none yet, or a negative errno.
 */
int tl_feed_next(struct tl_feed *feed, struct tl_interval **interval,
		 struct tl_error *err)
{
	int code;

	*interval = NULL;
	if (feed->next == feed->list.n && (!feed->fetched || feed->impatient)) {
		code = fetch(feed, err);
		if (code)
			return code;
	}
	if (feed->next == feed->list.n && feed->impatient)
		return 0;
	if (feed->next == feed->list.n) {
		look_at_host(feed);
		code = wait_for_more(feed, err);
		look_at_host(feed);
		feed->fetched = false;
		/* What closes intervals is on, as it was. */
		if (code < 0 || (code && feed->enabled))
			return min(code, 0);
		return look_at_module(feed, err);
	}
	*interval = feed->list.interval[feed->next++];
	tl_gap_look(&feed->gap, *interval);
	feed->last = (*interval)->generation;
	end_learn(feed, *interval);
	if (!feed->no_hosts && (tl_host_add(&feed->hosts, *interval) ||
				tl_host_tiers(*interval, feed->processors))) {
		tl_interval_free(*interval);
		*interval = NULL;
		return tl_error_no_memory(err);
	}
	return 1;
}
