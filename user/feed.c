// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Following the kernel's intervals
 *
 * Always asks for all that is kept after the last generation seen, on a hint or
 * when an interval's time has passed without one. So a lost hint costs a moment,
 * a reader that was stopped for less than the kernel keeps loses nothing, and one
 * that was stopped for longer learns which generations it missed.
 */
#include "feed.h"

#include "error.h"

#define WAIT_MS_MAX 1000

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
	if (code) {
		tl_feed_close(feed);
		return code;
	}
	feed->enabled = module.enabled;
	feed->interval_ms = module.interval_ms;
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
	feed->list.n = 0; /* all were handed out: only the array is left */
	tl_intervals_free(&feed->list);
	feed->next = 0;
	return tl_ctl_intervals(feed->ctl, TL_WHICH_SINCE, feed->last, &feed->list, err);
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
	if (feed->next == feed->list.n) {
		code = fetch(feed, err);
		if (code)
			return code;
	}
	if (feed->next == feed->list.n) {
		code = tl_ctl_wait(feed->ctl,
				   feed->interval_ms < WAIT_MS_MAX ?
					   (int)feed->interval_ms :
					   WAIT_MS_MAX,
				   err);
		return code < 0 ? code : look_at_module(feed, err);
	}
	*interval = feed->list.interval[feed->next++];
	tl_gap_look(&feed->gap, *interval);
	feed->last = (*interval)->generation;
	return 1;
}
