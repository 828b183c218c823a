/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SELFTEST_TRIAL_H
#define TL_SELFTEST_TRIAL_H

#include "selftest/keep.h"
#include "selftest/shape.h"
#include "table.h"

struct tl_ctl;
struct tl_error;
struct tl_programs;

#define TL_TRIAL_CHAIN_CLASSES 4 /* a tier in the kernel's table for each, at each depth */
#define TL_TRIAL_CLASSES (TL_KEEP_CLASSES - 1) /* of trials that are no chains ... */
#define TL_TRIAL_WARM_UP_CLASS (TL_KEEP_CLASSES - 1) /* ... and of their warm-up */

enum tl_trial_state { TL_TRIAL_FAILED, TL_TRIAL_ABSENT, TL_TRIAL_RUN };

/**
 * struct tl_tier_place - Where a tier of a trial listens, one endpoint a class
 * @address: of the first endpoint
 * @port: its port, 0 for a UNIX socket
 * @endpoints: how many ports from that one on
 * @tier: what the kernel calls the tiers that it sees there
 * @calls: that the tier has made, by its own word
 */
struct tl_tier_place {
	char address[120], tier[TL_KEEP_CLASSES][64];
	u32 port, endpoints;
	u64 calls;
};

/**
 * struct tl_trial - A shape of servers under so many connections, and what came of it
 * @why: a sentence, if it did not run
 * @place: from the front tier down
 * @warm_up: requests before those that are judged
 * @requests: that the load got right answers to
 * @seconds: that the load took
 *
 * The judge's: @calls made, of them @right, @wrong, @absent, @by; @more: calls that the
 * kernel counted and nobody made. Over a chain: @front_ns, the response time of the
 * front tier; @own_ns, @transit_ns of all; @rest_ns, what is missing between response,
 * own and calls at single tiers; @chain_calls, @joined, @chain_requests, @counted.
 */
struct tl_trial {
	const struct tl_shape *shape;
	unsigned int connections;
	enum tl_trial_state state;
	char why[300];
	struct tl_tier_place place[TL_SHAPE_DEPTH];
	u64 warm_up, requests;
	double seconds;
	u64 calls, right, wrong, absent, more, by[TL_BY_KINDS];
	u64 front_ns, own_ns, transit_ns, rest_ns, chain_calls, joined, chain_requests, counted;
};

/**
 * struct tl_trial_run - What trials are run with
 * @back: the tier that those without a chain of their own call
 * @requests: of each trial
 * @seconds: of each trial, at most
 * @taken: ports that a trial has had, a bit each
 * @turn: called now and then meanwhile; returns a negative errno to give up
 */
struct tl_trial_run {
	struct tl_ctl *ctl;
	struct tl_programs *programs;
	struct tl_tier_place back;
	u64 requests;
	double seconds;
	u8 taken[65536 / 8];
	int (*turn)(struct tl_trial_run *run, struct tl_error *err);
};

struct tl_program;
bool tl_trial_ports_take(struct tl_trial_run *run, const struct tl_tier_place *place);
int tl_trial_back(struct tl_trial_run *run, struct tl_program *back, u64 calls, u64 seconds,
		  struct tl_error *err);
int tl_trial_run(struct tl_trial_run *run, struct tl_trial *trial, struct tl_error *err);

#endif
