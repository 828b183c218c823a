// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlensd's one loop: each interval that the kernel closes, in order, none twice, none lost unsaid. */
#include "daemon/loop.h"

#include "clock.h"
#include "daemon/control.h"
#include "daemon/history.h"
#include "daemon/log.h"
#include "daemon/state.h"
#include "daemon/notify.h"
#include "daemon/service.h"
#include "error.h"
#include "feed.h"
#include "probe-cost.h"
#include "signals.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <tierlens-version.h>
#include <time.h>

#define LEASE_MS_LEAST 1000
#define TURN_S 0.5 /* without the module */
#define GLANCES 4 /* at what probes cost, in an interval */
#define DEVICES "/sys/bus/event_source/devices"

static void begin_tell(const struct tl_daemon *daemon, const struct tl_probe_cost *cost, const struct tl_feed *feed)
{
	tl_log_row(daemon->log, json_pack("{s:s, s:s, s:I, s:f, s:f, s:f, s:b, s:s?}", "kind", "begin", "version",
					  TIERLENS_VERSION, "processors", (json_int_t)feed->processors, "interval_s",
					  feed->interval_ms / 1e3, "budget", daemon->adapt.budget, "function_trap_s",
					  cost->both_s / 2, "measured", (int)cost->measured, "why_not",
					  *cost->why ? cost->why : NULL));
}

/* Measuring has to be on; with another interval it begins anew. */
static int enable(const struct tl_daemon *daemon, struct tl_feed *feed, struct tl_error *err)
{
	int code;

	if (feed->enabled && (!daemon->interval_ms || daemon->interval_ms == feed->interval_ms))
		return 0;
	code = tl_ctl_enable(feed->ctl, daemon->interval_ms, 0, err);
	if (code)
		return code;
	feed->enabled = true;
	if (daemon->interval_ms)
		feed->interval_ms = daemon->interval_ms;
	return 0;
}

static void lease_set(struct tl_control *control, const struct tl_feed *feed)
{
	control->lease_ms = max(TL_DAEMON_LEASE_INTERVALS * feed->interval_ms, (u32)LEASE_MS_LEAST);
}

static void own_hold(const struct tl_daemon *daemon, struct tl_control *control)
{
	tl_own_hold(&control->own, control->ctl, tl_service_port(daemon->service), control->lease_ms);
}

/* Who asks there at once is to be in no figure, either. Without the module there are none. */
static void on_bound(unsigned int port, void *arg)
{
	struct tl_control *control = arg;

	if (control->ctl)
		tl_own_hold(&control->own, control->ctl, port, control->lease_ms);
}

/* Longer ones would outlast any lease. */
static int interval_check(const struct tl_feed *feed, struct tl_error *err)
{
	if (feed->interval_ms <= TL_DAEMON_INTERVAL_MS_MOST)
		return 0;
	return tl_error_set(err, -ERANGE, "intervals last %g s, and tierlensd takes %g s at most: give --interval",
			    feed->interval_ms / 1e3, TL_DAEMON_INTERVAL_MS_MOST / 1e3);
}

/* @interval: the next one, or NULL. What becomes of the history never ends the loop. */
static void keep(const struct tl_daemon *daemon, const struct tl_interval *interval)
{
	char text[600];

	if (!daemon->history)
		return;
	if (interval)
		tl_history_add(daemon->history, interval);
	else
		tl_history_turn(daemon->history);
	while (tl_history_news(daemon->history, text, sizeof(text)))
		tl_log_text(daemon->log, (double)time(NULL), "history", NULL, NULL, text);
}

/* How busy the host is costs more than the rest to find out, and the history is to have it. */
static bool wants_hosts(const struct tl_daemon *daemon)
{
	return daemon->hosts || daemon->history;
}

static int control_begin(const struct tl_daemon *daemon, const struct tl_feed *feed, struct tl_control *control,
			 struct tl_error *err)
{
	struct tl_adapt_feed fresh = { .processors = feed->processors,
				       .function_trap_s = control->feed.function_trap_s };
	struct tl_own own = control->own;

	/* The name stays: we are asked meanwhile. */
	control->own.port = 0;
	tl_control_end(control);
	*control = (struct tl_control){ .ctl = feed->ctl, .log = daemon->log, .state = control->state, .own = own,
					.options = daemon->adapt, .choose = daemon->choose, .share = -1, .feed = fresh,
					.adapt = tl_adapt_new(&daemon->adapt) };
	lease_set(control, feed);
	own_hold(daemon, control);
	return control->adapt ? 0 : tl_error_no_memory(err);
}

/* Other settings. What the adaptor has learnt goes only if it is to go by something else. */
static int renew(const struct tl_daemon *daemon, struct tl_feed *feed, struct tl_control *control, struct tl_error *err)
{
	struct tl_error refused;

	feed->no_hosts = !wants_hosts(daemon);
	control->choose = daemon->choose;
	if (enable(daemon, feed, &refused))
		tl_log_text(daemon->log, control->feed.in.t_s, "refused", NULL, NULL, refused.text);
	if (!memcmp(&control->options, &daemon->adapt, sizeof(daemon->adapt)))
		return 0;
	return control_begin(daemon, feed, control, err);
}

static int follow(const struct tl_daemon *daemon, struct tl_feed *feed, struct tl_control *control, struct tl_error *err)
{
	int code = tl_feed_open(feed, true, err);

	if (code)
		return code;
	feed->no_hosts = !wants_hosts(daemon);
	feed->glances = GLANCES;
	/* Before anything is measured: others may ask us already. */
	control->ctl = feed->ctl;
	lease_set(control, feed);
	own_hold(daemon, control);
	code = enable(daemon, feed, err);
	code = code ? code : interval_check(feed, err);
	if (code) {
		tl_own_end(&control->own, control->ctl);
		control->ctl = NULL;
		tl_feed_close(feed);
	}
	return code;
}

/*
 * The module is gone, and with it all that was asked of it. What others are told goes on, until it is loaded again or
 * a signal ends it.
 */
static int outlast(const struct tl_daemon *daemon, struct tl_feed *feed, struct tl_control *control, struct tl_error *err)
{
	struct tl_feed gone = { .interval_ms = feed->interval_ms, .processors = feed->processors };
	struct tl_interval *interval;
	struct tl_error later;
	int code = -ENODEV;

	tl_log_text(daemon->log, tl_clock_s(CLOCK_REALTIME), "note", NULL, NULL, err->text);
	/* What was read before is told. */
	while (feed->next < feed->list.n && tl_feed_next(feed, &interval, &later) > 0) {
		keep(daemon, interval);
		tl_service_interval(daemon->service, interval, feed->gap.missed, &later);
		tl_interval_free(interval);
	}
	gone.gap = feed->gap;
	tl_control_end(control);
	*control = (struct tl_control){ .log = daemon->log, .state = control->state, .options = daemon->adapt,
					.share = -1, .feed.function_trap_s = control->feed.function_trap_s };
	tl_feed_close(feed);
	*feed = gone;
	while (code == -ENODEV && !tl_signals_stopped()) {
		tl_service_turn(daemon->service, &gone);
		keep(daemon, NULL);
		tl_signals_sleep(TURN_S);
		code = follow(daemon, feed, control, err);
	}
	if (code)
		return tl_signals_stopped() ? 0 : code;
	feed->gap = gone.gap;
	tl_log_text(daemon->log, tl_clock_s(CLOCK_REALTIME), "note", NULL, NULL, "the kernel module is there again");
	return control_begin(daemon, feed, control, err);
}

static int take(const struct tl_daemon *daemon, struct tl_feed *feed, struct tl_control *control,
		const struct tl_interval *interval, struct tl_error *err)
{
	struct tl_error later;
	int code, told = 0;
	char gap[120];

	tl_gap_print(gap, sizeof(gap), &feed->gap);
	if (*gap)
		tl_log_text(daemon->log, tl_ns_to_s(interval->start_ns), "gap", NULL, NULL, gap);
	lease_set(control, feed);
	own_hold(daemon, control);
	code = interval_check(feed, err);
	code = code ? code : tl_control_step(control, interval, err);
	/* What was measured is told, even if the module has just gone. */
	if (!code || code == -ENODEV)
		told = tl_service_interval(daemon->service, interval, feed->gap.missed, &later);
	if (told)
		*err = later;
	return told ? told : code;
}

static int intervals(const struct tl_daemon *daemon, struct tl_feed *feed, struct tl_control *control,
		     struct tl_error *err)
{
	struct tl_interval *interval;
	bool off = false;
	u64 done = 0;
	int code = 0;

	while (!code && !tl_signals_stopped() && (!daemon->n || done < daemon->n)) {
		code = tl_feed_next(feed, &interval, err);
		if (code == -ENODEV) {
			code = outlast(daemon, feed, control, err);
			/* A signal has ended it before there was a module again. */
			if (!feed->ctl)
				return code;
		}
		if (code < 0)
			return code;
		code = tl_service_turn(daemon->service, feed) ? renew(daemon, feed, control, err) : 0;
		if (off != !feed->enabled)
			tl_log_text(daemon->log, control->feed.in.t_s, "note", NULL, NULL,
				    off ? "measuring is on again" : "measuring was turned off: tierlens enable");
		off = !feed->enabled;
		keep(daemon, interval);
		if (!interval) {
			tl_control_glance(control, &(struct tl_window){ .into_ns = tl_feed_into_ns(feed),
									.length_ns = feed->length_ns });
			continue;
		}
		code = code ? code : take(daemon, feed, control, interval, err);
		if (code == -ENODEV)
			code = outlast(daemon, feed, control, err);
		tl_interval_free(interval);
		done++;
	}
	return code;
}

/**
 * tl_daemon_loop() - Look at the kernel's intervals, and adapt what is looked at, until a signal ends it
 * @daemon: what to go by
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno; levels are given back in any case.
 */
int tl_daemon_loop(const struct tl_daemon *daemon, struct tl_error *err)
{
	struct tl_state state;
	struct tl_control control = { .state = &state };
	struct tl_probe_cost cost;
	struct tl_feed feed;
	int code;

	/* It takes a while, and intervals are kept for sixteen only. */
	tl_probe_cost_measure(&cost, DEVICES);
	code = follow(daemon, &feed, &control, err);
	if (code)
		return code;
	tl_signals_catch();
	tl_state_begin(&state, daemon->state);
	control.feed.function_trap_s = cost.both_s / 2;
	code = control_begin(daemon, &feed, &control, err);
	if (!code) {
		begin_tell(daemon, &cost, &feed);
		tl_state_write(&state, &control);
		daemon->service->bound = on_bound;
		daemon->service->bound_arg = &control;
		code = tl_service_begin(daemon->service, err);
		/* Where it does serve: the port may be somebody else's. */
		own_hold(daemon, &control);
	}
	code = code ? code : intervals(daemon, &feed, &control, err);
	daemon->service->bound = NULL;
	tl_notify("STOPPING=1");
	tl_state_end(&state);
	tl_control_end(&control);
	tl_feed_close(&feed);
	return code;
}
