/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_STATS_H
#define TL_STATS_H

#include <linux/kcsan-checks.h>
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
	u64 became[TL_DEFERRED]; /* by enum tl_outcome; what is deferred is not seen yet */
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
 * As raw_write_seqcount_begin() does, but where a processor can count in its own memory by one
 * instruction there is no pointer to keep.
 *
 * Context: interrupts are off until tl_stats_end().
 */
static inline void tl_stats_begin(void)
{
	lockdep_assert_irqs_disabled();
	kcsan_nestable_atomic_begin();
	raw_cpu_inc(tl_stats.seq.sequence);
	smp_wmb(); /* odd before anything is counted; with a reader's read_seqcount_retry() */
	raw_cpu_inc(tl_stats.events.seen);
}

/**
 * tl_stats_end() - What became of it
 * @outcome: as the correlation said
 *
 * Context: interrupts have been off since tl_stats_begin().
 */
static inline void tl_stats_end(enum tl_outcome outcome)
{
	/* What is deferred is counted when it is decided. */
	if (unlikely(outcome == TL_DEFERRED))
		raw_cpu_dec(tl_stats.events.seen);
	else
		raw_cpu_inc(tl_stats.events.became[outcome]);
	smp_wmb(); /* all is counted before it is even again; with a reader's raw_read_seqcount() */
	raw_cpu_inc(tl_stats.seq.sequence);
	kcsan_nestable_atomic_end();
}

void tl_stats_init(void);
void tl_stats_decided(enum tl_outcome outcome, u64 n);
void tl_stats_sum(struct tl_totals *totals, u64 probes_missed);
void tl_stats_since(struct tl_totals *diff, const struct tl_totals *now,
		    const struct tl_totals *then);

#endif
