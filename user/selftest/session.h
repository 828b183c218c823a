/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SELFTEST_SESSION_H
#define TL_SELFTEST_SESSION_H

#include "ctl.h"
#include "gap.h"
#include "selftest/cost.h"
#include "selftest/keep.h"
#include "selftest/program.h"
#include "selftest/trial.h"

#define TL_SESSION_S 80.0 /* of all trials together, if nobody says otherwise */

/**
 * struct tl_session_options - What the self test is asked to do
 * @programs: directory of the test programs, NULL for where they are by rights
 * @shapes: which shapes
 * @n_shapes: how many; may be 0 if there is @cost
 * @connections: at once, a trial for each
 * @n_connections: how many
 * @requests: of each trial
 * @seconds: of each trial at most; 0 if they share TL_SESSION_S
 * @cost: measure the hooks' cost, too
 */
struct tl_session_options {
	const char *programs;
	const struct tl_shape *shapes[TL_SHAPES_MAX];
	u64 connections[16];
	size_t n_shapes, n_connections;
	u64 requests;
	double seconds;
	bool cost, json;
};

/**
 * struct tl_session - A run of the self test
 * @run: first, so that a trial's turn is the session's
 * @all: sums over all trials
 * @before: the module before them
 * @after: and after them
 * @last: generation of the interval that was read last
 * @beside_s: what the trials so far took beside their loads
 */
struct tl_session {
	struct tl_trial_run run;
	const struct tl_session_options *options;
	struct tl_ctl *ctl;
	struct tl_programs programs;
	struct tl_program back;
	struct tl_keep keep;
	struct tl_interval *all;
	struct tl_module before, after;
	struct tl_gap gap;
	struct tl_trial *trials;
	size_t n_trials, now;
	u64 last, missed, turns;
	double beside_s;
	struct tl_costs costs;
};

int tl_session_run(struct tl_session *session, struct tl_error *err);
void tl_session_free(struct tl_session *session);
s64 tl_session_events_rest(const struct tl_session *session);

#endif
