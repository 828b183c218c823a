/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SYNC_TABLE_H
#define TL_SYNC_TABLE_H

#include "hist.h"
#include "lqn-faults.h"

#include <stdio.h>

struct tl_error;
struct tl_sync_events;
struct tl_sync_watch;

/**
 * struct tl_sync_table - Sync points as a table
 * @events: what was recorded
 * @watch: what is known of its processes
 * @written: lines
 * @strange: events that nothing is known about
 * @stacks: of so many there was a copy, @cut: not unwound to where the thread began
 * @unwind_s: what that took
 * @threads: that did something, one that has the number of one that has ended by itself
 * @notes: what was strange; its file is set by the caller
 */
struct tl_sync_table {
	const struct tl_sync_events *events;
	struct tl_sync_watch *watch;
	u64 written, strange, stacks, cut;
	double unwind_s;
	size_t threads;
	struct tl_faults notes;
};

int tl_sync_table_write(struct tl_sync_table *table, FILE *to, struct tl_error *err);

#endif
