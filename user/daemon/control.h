/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_CONTROL_H
#define TL_DAEMON_CONTROL_H

#include "adapt-feed.h"
#include "choose.h"
#include "daemon/glance.h"
#include "daemon/own.h"

struct tl_ctl;
struct tl_error;
struct tl_interval;
struct tl_log;
struct tl_module;
struct tl_state;
struct tl_tier_info;

/* @called: it was, in one of @windows. @listed: the kernel has it. */
struct tl_held_function {
	char *name;
	const struct tl_chosen *chosen;
	u32 id;
	unsigned int windows;
	bool called, listed;
};

/**
 * struct tl_held - What the daemon holds of a tier
 * @level: that it has leased, TL_AT_UNKNOWN for none; @since_s: since when
 * @others: windows in turn in which somebody else had leased it
 * @choice: functions that it may look at, @next: the first that it has not tried
 * @chosen: it was looked for them; @hot: names of those that were dropped
 * @named: one of them takes the time
 * @refused: sentence of the last refusal that was told
 */
struct tl_held {
	enum tl_at level;
	double since_s;
	unsigned int others;
	struct tl_choice choice;
	size_t next, functions, hots;
	bool chosen, named;
	struct tl_held_function *function;
	char **hot, refused[200];
};

/**
 * struct tl_control - Decisions of the adaptor put into effect
 * @state: where others see it
 * @held: [@n] by ids of tiers
 * @without: level of tiers that have none of their own; @others_held: it is leased by us
 * @others_refused: sentence of why it could not be, that was told
 * @before: the last interval that was there when it began: what probes cost until then is not for it to judge
 * @lease_ms: for how long a level holds without us
 * @own: this daemon itself, which is not for the adaptor
 * @share: part of the processors that probes took, negative if it is not known
 * @glance: what they have taken since
 */
struct tl_control {
	struct tl_ctl *ctl;
	struct tl_log *log;
	struct tl_state *state;
	struct tl_adapt *adapt;
	struct tl_adapt_options options;
	struct tl_choose_options choose;
	struct tl_adapt_feed feed;
	struct tl_held *held;
	size_t n;
	enum tl_at without;
	bool others_held;
	char others_refused[200];
	u32 lease_ms;
	struct tl_own own;
	u64 before;
	double share;
	struct tl_glance glance;
};

void tl_control_glance(struct tl_control *control, const struct tl_window *window);
int tl_control_step(struct tl_control *control, const struct tl_interval *interval, struct tl_error *err);
void tl_control_end(struct tl_control *control);

/* control-functions.c */
void tl_control_functions(struct tl_control *control, size_t tier, const struct tl_adapt_tier *wanted,
			  const struct tl_tier_info *tiers, size_t n);
void tl_control_called(struct tl_control *control, const struct tl_interval *interval);
int tl_control_look(struct tl_control *control, struct tl_error *err);
void tl_control_drop(struct tl_control *control, size_t function);
void tl_control_forget(struct tl_held *held);

#endif
