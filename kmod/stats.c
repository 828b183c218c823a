// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of events and losses, per CPU. */
#include <linux/cpumask.h>

#include "stats.h"

DEFINE_PER_CPU(struct tl_stats, tl_stats);
DEFINE_PER_CPU(struct tl_cost, tl_cost[TL_COST_KINDS]);
u32 tl_cost_clock_ns;

void tl_stats_init(void)
{
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		seqcount_init(&per_cpu_ptr(&tl_stats, cpu)->seq);
		for (i = 0; i < TL_COST_KINDS; i++)
			per_cpu(tl_cost[i].next, cpu) = TL_COST_SAMPLE;
	}
}

/* A hit that is in the sample: for itself, so that others need not save what it changes. */
void tl_cost_time(enum tl_cost_kind kind, struct tl_hook_hits __percpu *of,
		  void (*handler)(struct pt_regs *regs), struct pt_regs *regs)
{
	u64 began = local_clock();

	handler(regs);
	tl_cost_end(kind, of, began);
}

/**
 * tl_stats_decided() - What became of events that had been deferred
 * @outcome: attributed or unattributed
 * @n: how many
 *
 * Context: interrupts are off; perhaps between tl_stats_begin() and
 * tl_stats_end().
 */
void tl_stats_decided(enum tl_outcome outcome, u64 n)
{
	struct tl_stats *stats = this_cpu_ptr(&tl_stats);
	bool within = raw_read_seqcount(&stats->seq) & 1;

	lockdep_assert_irqs_disabled();
	if (!within)
		raw_write_seqcount_begin(&stats->seq);
	stats->events.seen += n;
	stats->events.became[outcome] += n;
	if (!within)
		raw_write_seqcount_end(&stats->seq);
}

static void add_cpu(struct tl_totals *totals, const struct tl_stats *stats)
{
	struct tl_events events;
	unsigned int seq, i;

	do {
		seq = raw_read_seqcount(&stats->seq);
		events = stats->events;
	} while ((seq & 1) || read_seqcount_retry(&stats->seq, seq));
	totals->events.seen += events.seen;
	for (i = 0; i < TL_DEFERRED; i++)
		totals->events.became[i] += events.became[i];
	for (i = 0; i < TL_LOSS_KINDS; i++)
		totals->loss[i] += READ_ONCE(stats->loss[i]);
}

static void add_cost(struct tl_totals *totals, const struct tl_cost *cost)
{
	unsigned int i;

	for (i = 0; i < TL_COST_KINDS; i++) {
		totals->cost[i].hits += READ_ONCE(cost[i].hits);
		totals->cost[i].ns += READ_ONCE(cost[i].ns) * TL_COST_SAMPLE;
	}
}

/**
 * tl_stats_sum() - Totals since the module was loaded
 * @totals: filled
 * @probes_missed: goes with them; only the probes know it
 *
 * Context: process.
 */
void tl_stats_sum(struct tl_totals *totals, u64 probes_missed)
{
	int cpu;

	memset(totals, 0, sizeof(*totals));
	for_each_possible_cpu(cpu) {
		add_cpu(totals, per_cpu_ptr(&tl_stats, cpu));
		add_cost(totals, per_cpu_ptr(tl_cost, cpu));
	}
	totals->probes_missed = probes_missed;
}

void tl_stats_since(struct tl_totals *diff, const struct tl_totals *now,
		    const struct tl_totals *then)
{
	unsigned int i;

	diff->events.seen = now->events.seen - then->events.seen;
	for (i = 0; i < TL_DEFERRED; i++)
		diff->events.became[i] = now->events.became[i] - then->events.became[i];
	for (i = 0; i < TL_LOSS_KINDS; i++)
		diff->loss[i] = now->loss[i] - then->loss[i];
	diff->probes_missed = now->probes_missed - then->probes_missed;
	for (i = 0; i < TL_COST_KINDS; i++) {
		diff->cost[i].hits = now->cost[i].hits - then->cost[i].hits;
		diff->cost[i].ns = now->cost[i].ns - then->cost[i].ns;
	}
}
