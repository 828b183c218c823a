/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_LOOP_H
#define TL_DAEMON_LOOP_H

#include "choose.h"
#include "ctl.h"
#include "model/adapt.h"

struct tl_error;
struct tl_history;
struct tl_log;
struct tl_service;

#define TL_DAEMON_LEASE_INTERVALS 3
#define TL_DAEMON_INTERVAL_MS_MOST (TIERLENS_LEASE_MS_MAX / TL_DAEMON_LEASE_INTERVALS)

/**
 * struct tl_daemon - What tierlensd goes by
 * @interval_ms: length of an interval, 0 to leave it
 * @history: where intervals and decisions are kept; NULL for nowhere
 * @n: intervals after which it ends, 0 for never
 * @state: file that tells others what it is doing; NULL for none
 * @hosts: find out how busy the host is, too
 * @service: what others are told; it may change all of this between two intervals
 */
struct tl_daemon {
	struct tl_adapt_options adapt;
	struct tl_choose_options choose;
	struct tl_log *log;
	const char *state;
	struct tl_history *history;
	struct tl_service *service;
	u32 interval_ms;
	bool hosts;
	u64 n;
};

int tl_daemon_loop(const struct tl_daemon *daemon, struct tl_error *err);

#endif
