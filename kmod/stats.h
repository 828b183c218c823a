/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_STATS_H
#define TL_STATS_H

#include <linux/percpu.h>
#include <linux/seqlock.h>

#include "core/correlate.h"

/*
 * What became of the events, one CPU's part. seen is counted when a hook begins
 * to look at an event, the others by what the correlation decided, so that the
 * identity seen = attributed + unattributed + ignored says something.
 */
struct tl_events {
	u64 seen;
	u64 attributed;
	u64 unattributed;
	u64 ignored;
};

struct tl_stats {
	seqcount_t seq; /* lets readers take events as they were between two events */
	struct tl_events events;
	u64 loss[TL_LOSS_KINDS];
};

struct tl_totals {
	struct tl_events events;
	u64 loss[TL_LOSS_KINDS];
	u64 probes_missed;
};

DECLARE_PER_CPU(struct tl_stats, tl_stats);

void tl_stats_init(void);
void tl_stats_begin(void);
void tl_stats_end(enum tl_outcome outcome);
void tl_stats_decided(enum tl_outcome outcome, u64 n);
void tl_stats_sum(struct tl_totals *totals, u64 probes_missed);
void tl_stats_since(struct tl_totals *diff, const struct tl_totals *now,
		    const struct tl_totals *then);

#endif
