/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_STATS_H
#define TL_STATS_H

#include <linux/percpu.h>
#include <linux/seqlock.h>

#include "core/correlate.h"
#include "cost.h"

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
	struct tl_cost cost[TL_COST_KINDS]; /* the ns of all, from the sample */
};

DECLARE_PER_CPU(struct tl_stats, tl_stats);

/* This CPU's counters by enum tl_loss. Context: interrupts off. */
static inline u64 *tl_losses(void)
{
	return this_cpu_ptr(&tl_stats)->loss;
}

/**
 * tl_stats_begin() - An event is looked at
 *
 * Context: interrupts are off until tl_stats_end().
 */
static inline void tl_stats_begin(void)
{
	struct tl_stats *stats = this_cpu_ptr(&tl_stats);

	lockdep_assert_irqs_disabled();
	raw_write_seqcount_begin(&stats->seq);
	stats->events.seen++;
}

/**
 * tl_stats_end() - What became of it
 * @outcome: as the correlation said
 *
 * Context: interrupts have been off since tl_stats_begin().
 */
static inline void tl_stats_end(enum tl_outcome outcome)
{
	struct tl_stats *stats = this_cpu_ptr(&tl_stats);

	switch (outcome) {
	case TL_ATTRIBUTED:
		stats->events.attributed++;
		break;
	case TL_UNATTRIBUTED:
		stats->events.unattributed++;
		break;
	case TL_IGNORED:
		stats->events.ignored++;
		break;
	case TL_DEFERRED:
		/* It is counted when it is decided. */
		stats->events.seen--;
		break;
	}
	raw_write_seqcount_end(&stats->seq);
}

void tl_stats_init(void);
void tl_stats_decided(enum tl_outcome outcome, u64 n);
void tl_stats_sum(struct tl_totals *totals, u64 probes_missed);
void tl_stats_since(struct tl_totals *diff, const struct tl_totals *now,
		    const struct tl_totals *then);

#endif
