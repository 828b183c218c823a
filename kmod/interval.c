// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intervals
 *
 * Time is cut on a fixed grid from the moment of enabling. All sums of a request
 * go into the interval in which its last byte was sent, whenever that is found
 * out, so an interval can be closed only when no request can still turn out to
 * have ended in it: a quiet time after its end. Then answered requests that were
 * silent for the quiet time are swept up, handlers that were under way are waited
 * for, and every CPU's sums for that interval are taken and merged (shard.c).
 */
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "interval.h"

static struct tl_grid grid;
static u64 quiet_ns;
static const struct tl_interval_ops *ops;

static struct tl_interval *kept[TIERLENS_INTERVALS_KEPT]; /* in turn */
static unsigned int kept_next; /* where the next one goes */
static u64 newest; /* closed; 0: none yet */
static DEFINE_MUTEX(kept_lock); /* protects kept, kept_next, newest */

static u64 open_base; /* oldest open generation, of the work item only */
static u64 last_generation;
static struct tl_totals totals_before;
static struct delayed_work close_work;

static void keep(struct tl_interval *interval)
{
	struct tl_interval *gone;

	mutex_lock(&kept_lock);
	gone = kept[kept_next];
	kept[kept_next] = interval;
	kept_next = (kept_next + 1) % TIERLENS_INTERVALS_KEPT;
	newest = interval->generation;
	mutex_unlock(&kept_lock);
	if (gone)
		tl_interval_put(gone);
}

/* Everything that belongs into @generation has been deposited. */
static void close_generation(u64 generation, u64 end_ns)
{
	/* Both clocks at once: what follows takes its time. */
	u64 now_ns = ktime_get_mono_fast_ns(), real_ns = ktime_get_real_ns();
	struct tl_interval *interval;
	struct tl_totals totals;

	/* It is small, and must not fail under the cap: not counted. */
	interval = kzalloc(sizeof(*interval), GFP_KERNEL | __GFP_NOFAIL);
	ops->add_usage();
	ops->add_counts(generation);
	tl_shard_take(generation, &interval->sums);
	refcount_set(&interval->refs, 1);
	interval->generation = generation;
	interval->start_ns = real_ns - (now_ns - tl_grid_start_ns(&grid, generation));
	interval->length_ns = end_ns - tl_grid_start_ns(&grid, generation);
	tl_stats_sum(&totals, ops->probes_missed());
	tl_stats_since(&interval->totals, &totals, &totals_before);
	totals_before = totals;
	last_generation = generation;
	keep(interval);
	ops->closed(interval);
}

static void close_due(struct work_struct *work)
{
	u64 now_ns = ktime_get_mono_fast_ns(), next_ns;

	if (tl_grid_start_ns(&grid, open_base + 1) + quiet_ns <= now_ns) {
		/*
		 * A handler that looked at the clock before that, and then was held up,
		 * has answered its request now; the sweep would not have seen it.
		 */
		synchronize_rcu();
		ops->sweep(now_ns, quiet_ns);
		/* A handler that took its decision before the sweep is done now. */
		synchronize_rcu();
	}
	while (tl_grid_start_ns(&grid, open_base + 1) + quiet_ns <= now_ns) {
		close_generation(open_base, tl_grid_start_ns(&grid, open_base + 1));
		open_base++;
	}
	next_ns = tl_grid_start_ns(&grid, open_base + 1) + quiet_ns;
	now_ns = ktime_get_mono_fast_ns();
	queue_delayed_work(system_unbound_wq, &close_work,
			   next_ns > now_ns ? nsecs_to_jiffies(next_ns - now_ns) + 1 : 0);
}

/**
 * tl_interval_start() - Begin to cut time
 * @interval_ms: length of an interval
 * @quiet_ms: quiet time; at most twice the interval
 *
 * Context: process; the hooks are not armed yet.
 */
void tl_interval_start(u32 interval_ms, u32 quiet_ms)
{
	grid.length_ns = (u64)interval_ms * NSEC_PER_MSEC;
	quiet_ns = (u64)quiet_ms * NSEC_PER_MSEC;
	grid.start_ns = ktime_get_mono_fast_ns();
	/*
	 * Sixteen a second is more than there can be, so that the next load of
	 * the module begins above all that this one has used.
	 */
	grid.first = max_t(u64, ktime_get_real_seconds() << 4, last_generation + 1);
	open_base = grid.first;
	tl_shard_start(&grid);
	tl_stats_sum(&totals_before, ops->probes_missed());
	ops->begin(&grid);
	queue_delayed_work(system_unbound_wq, &close_work,
			   nsecs_to_jiffies(grid.length_ns + quiet_ns) + 1);
}

/**
 * tl_interval_cancel() - Close no interval by itself any more
 *
 * Context: process; tl_interval_stop() follows.
 */
void tl_interval_cancel(void)
{
	cancel_delayed_work_sync(&close_work);
	ops->end();
}

/**
 * tl_interval_stop() - Close what is open; the last interval is cut short
 *
 * Context: process; the hooks are disarmed and all requests have ended.
 */
void tl_interval_stop(void)
{
	u64 now_ns, end_ns;

	now_ns = ktime_get_mono_fast_ns();
	for (; tl_grid_start_ns(&grid, open_base) < now_ns; open_base++) {
		end_ns = min(tl_grid_start_ns(&grid, open_base + 1), now_ns);
		close_generation(open_base, end_ns);
	}
	ops->over();
}

/**
 * tl_interval_init() - Get ready to cut time
 * @interval_ops: what closing needs of others
 *
 * Return: 0 or -ENOMEM.
 */
int tl_interval_init(const struct tl_interval_ops *interval_ops)
{
	ops = interval_ops;
	INIT_DELAYED_WORK(&close_work, close_due);
	return tl_shard_init();
}

void tl_interval_exit(void)
{
	unsigned int i;

	for (i = 0; i < TIERLENS_INTERVALS_KEPT; i++) {
		if (kept[i])
			tl_interval_put(kept[i]);
		kept[i] = NULL;
	}
	tl_shard_exit();
}

void tl_interval_put(struct tl_interval *interval)
{
	if (!refcount_dec_and_test(&interval->refs))
		return;
	tl_shard_give_back(&interval->sums);
	kfree(interval);
}

/* Generations may have been skipped between two enables, so compare them all. */
static struct tl_interval *oldest_after(u64 after)
{
	struct tl_interval *found = NULL;
	unsigned int i;

	lockdep_assert_held(&kept_lock);
	for (i = 0; i < TIERLENS_INTERVALS_KEPT; i++)
		if (kept[i] && kept[i]->generation > after &&
		    (!found || kept[i]->generation < found->generation))
			found = kept[i];
	return found;
}

/**
 * tl_interval_get() - The oldest kept interval after a generation
 * @after: the generation
 *
 * Context: process.
 * Return: the interval, for tl_interval_put(); NULL if there is none.
 */
struct tl_interval *tl_interval_get(u64 after)
{
	struct tl_interval *interval;

	mutex_lock(&kept_lock);
	interval = oldest_after(after);
	if (interval)
		refcount_inc(&interval->refs);
	mutex_unlock(&kept_lock);
	return interval;
}

/**
 * tl_interval_get_exact() - The kept interval of a generation
 * @generation: the generation; 0 for the newest
 *
 * Context: process.
 * Return: the interval, for tl_interval_put(); NULL if it is not kept.
 */
struct tl_interval *tl_interval_get_exact(u64 generation)
{
	struct tl_interval *interval = NULL;

	mutex_lock(&kept_lock);
	if (!generation)
		generation = newest;
	if (generation)
		interval = oldest_after(generation - 1);
	if (interval && interval->generation == generation)
		refcount_inc(&interval->refs);
	else
		interval = NULL;
	mutex_unlock(&kept_lock);
	return interval;
}

/**
 * tl_interval_kept() - Which generations can be read
 * @oldest: set; 0 if none
 * @newest_kept: set; 0 if none
 *
 * Context: process.
 */
void tl_interval_kept(u64 *oldest, u64 *newest_kept)
{
	struct tl_interval *interval;

	mutex_lock(&kept_lock);
	interval = oldest_after(0);
	*oldest = interval ? interval->generation : 0;
	*newest_kept = newest;
	mutex_unlock(&kept_lock);
}
