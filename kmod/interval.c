// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intervals
 *
 * Time is cut on a fixed grid from the moment of enabling. All sums of a request
 * go into the interval in which its last byte was sent, whenever that is found
 * out, so an interval can be closed only when no request can still turn out to
 * have ended in it: a quiet time after its end. Then answered requests that were
 * silent for the quiet time are swept up, handlers that were under way are waited
 * for, and every CPU's sums for that interval are taken and merged.
 *
 * A CPU therefore has several intervals open at once, in a ring by generation.
 * Requests for one that has gone are counted as late and go into the oldest open
 * one: sums over time stay right.
 */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "interval.h"
#include "tier.h"
#include "track.h"

#define OPEN 4 /* intervals open at once, a power of two */
#define BUCKETS 64

/* The cells and edges of one interval. */
struct set {
	struct tl_cell *cells[BUCKETS];
	struct tl_edge *edges[BUCKETS];
};

struct shard {
	raw_spinlock_t lock; /* protects base, sets; inside a connection's lock */
	u64 base; /* oldest open generation */
	struct set sets[OPEN];
};

#define SHARDS_BYTES (sizeof(struct shard) * num_possible_cpus())

static struct {
	u64 start_ns; /* of generation first */
	u64 length_ns;
	u64 quiet_ns;
	u64 first;
} grid;

static struct shard __percpu *shards;
static struct tl_pool cell_pool;
static struct tl_pool edge_pool;
static void (*on_closed)(const struct tl_interval *interval);

static struct tl_interval *kept[TIERLENS_INTERVALS_KEPT]; /* in turn */
static unsigned int kept_next; /* where the next one goes */
static u64 newest; /* closed; 0: none yet */
static DEFINE_MUTEX(kept_lock); /* protects kept, kept_next, newest */

static u64 open_base; /* oldest open generation, of the work item only */
static u64 last_generation;
static struct tl_totals totals_before;
static struct set merged;
static struct delayed_work close_work;

static u64 generation_of(u64 ns)
{
	if (ns <= grid.start_ns)
		return grid.first;
	return grid.first + div64_u64(ns - grid.start_ns, grid.length_ns);
}

static u64 start_of(u64 generation)
{
	return grid.start_ns + (generation - grid.first) * grid.length_ns;
}

static unsigned int bucket_of(u32 tier, u32 class, u32 peer)
{
	return (tier * 31 + class * 7 + peer) % BUCKETS;
}

static struct tl_cell *cell_find(struct set *set, u32 tier, u32 class)
{
	struct tl_cell *cell;

	for (cell = set->cells[bucket_of(tier, class, 0)]; cell; cell = cell->next)
		if (cell->tier == tier && cell->class == class)
			return cell;
	return NULL;
}

static void cell_link(struct set *set, struct tl_cell *cell)
{
	struct tl_cell **head = &set->cells[bucket_of(cell->tier, cell->class, 0)];

	cell->next = *head;
	*head = cell;
}

static struct tl_cell *cell_get(struct set *set, u32 tier, u32 class)
{
	struct tl_cell *cell = cell_find(set, tier, class);

	if (likely(cell))
		return cell;
	cell = tl_pool_get(&cell_pool);
	if (!cell)
		return NULL;
	cell->tier = tier;
	cell->class = class;
	memset(&cell->sums, 0, sizeof(cell->sums));
	cell_link(set, cell);
	return cell;
}

static struct tl_edge *edge_find(struct set *set, u32 tier, u32 class, u32 peer)
{
	struct tl_edge *edge;

	for (edge = set->edges[bucket_of(tier, class, peer)]; edge; edge = edge->next)
		if (edge->tier == tier && edge->class == class &&
		    edge->peer_number == peer)
			return edge;
	return NULL;
}

static void edge_link(struct set *set, struct tl_edge *edge)
{
	struct tl_edge **head =
		&set->edges[bucket_of(edge->tier, edge->class, edge->peer_number)];

	edge->next = *head;
	*head = edge;
}

static void edge_add(struct set *set, u32 tier, u32 class, const struct tl_call_sum *sum)
{
	struct tl_edge *edge = edge_find(set, tier, class, sum->peer);

	if (!edge) {
		edge = tl_pool_get(&edge_pool);
		if (!edge) {
			this_cpu_inc(tl_stats.loss[TL_LOSS_CELLS_FULL]);
			return;
		}
		edge->tier = tier;
		edge->class = class;
		edge->peer_number = sum->peer;
		memset(&edge->sums, 0, sizeof(edge->sums));
		edge_link(set, edge);
	}
	tl_edge_add(&edge->sums, sum);
}

/* The interval that an end at @ns goes into. */
static u64 choose(const struct shard *shard, u64 ns)
{
	u64 generation = generation_of(ns);

	lockdep_assert_held(&shard->lock);
	if (likely(generation - shard->base < OPEN))
		return generation;
	/* Closed already; or the closing is far behind (a stopped machine). */
	this_cpu_inc(tl_stats.loss[TL_LOSS_LATE]);
	return generation < shard->base ? shard->base : shard->base + OPEN - 1;
}

/**
 * tl_interval_deposit() - Sum up a request that ended
 * @ended: the request
 *
 * Context: any but NMI; interrupts are off; a connection's lock may be held.
 */
void tl_interval_deposit(const struct tl_ended *ended)
{
	struct shard *shard = this_cpu_ptr(shards);
	struct tl_cell *cell;
	struct set *set;
	unsigned int i;
	u64 generation;

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&shard->lock);
	generation = choose(shard, ended->closed_ns);
	set = &shard->sets[generation % OPEN];
	cell = cell_get(set, ended->tier, ended->class);
	if (cell)
		tl_cell_add(&cell->sums, ended, start_of(generation));
	else
		this_cpu_inc(tl_stats.loss[TL_LOSS_CELLS_FULL]);
	for (i = 0; i < ended->sums_used; i++)
		edge_add(set, ended->tier, ended->class, &ended->sums[i]);
	raw_spin_unlock(&shard->lock);
}

/**
 * tl_interval_deposit_stray() - Sum up a call that has no request
 * @sum: the call
 *
 * It goes into the interval of now: no request's end is there to choose by.
 *
 * Context: any but NMI; interrupts are off; a connection's lock may be held.
 */
void tl_interval_deposit_stray(const struct tl_call_sum *sum)
{
	struct shard *shard = this_cpu_ptr(shards);

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&shard->lock);
	edge_add(&shard->sets[choose(shard, ktime_get_mono_fast_ns()) % OPEN], 0, 0, sum);
	raw_spin_unlock(&shard->lock);
}

static void cells_free(struct tl_cell *cells)
{
	struct tl_cell *next;
	unsigned long flags;

	for (; cells; cells = next) {
		next = cells->next;
		local_irq_save(flags);
		tl_pool_put(&cell_pool, cells);
		local_irq_restore(flags);
	}
}

static void edges_free(struct tl_edge *edges)
{
	struct tl_edge *next;
	unsigned long flags;

	for (; edges; edges = next) {
		next = edges->next;
		local_irq_save(flags);
		tl_pool_put(&edge_pool, edges);
		local_irq_restore(flags);
	}
}

/* Chains of one CPU move into merged, or are added to what is there. */
static void merge_cells(struct tl_cell *cells)
{
	struct tl_cell *next, *into;

	for (; cells; cells = next) {
		next = cells->next;
		into = cell_find(&merged, cells->tier, cells->class);
		if (into) {
			tl_cell_merge(&into->sums, &cells->sums);
			cells->next = NULL;
			cells_free(cells);
		} else {
			cell_link(&merged, cells);
		}
	}
}

static void merge_edges(struct tl_edge *edges)
{
	struct tl_edge *next, *into;

	for (; edges; edges = next) {
		next = edges->next;
		into = edge_find(&merged, edges->tier, edges->class, edges->peer_number);
		if (into) {
			tl_edge_merge(&into->sums, &edges->sums);
			edges->next = NULL;
			edges_free(edges);
		} else {
			edge_link(&merged, edges);
		}
	}
}

static void take_shard(struct shard *shard, u64 generation)
{
	struct set *set = &shard->sets[generation % OPEN];
	struct tl_cell *cells[BUCKETS];
	struct tl_edge *edges[BUCKETS];
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&shard->lock, flags);
	memcpy(cells, set->cells, sizeof(cells));
	memcpy(edges, set->edges, sizeof(edges));
	memset(set, 0, sizeof(*set));
	shard->base = generation + 1;
	raw_spin_unlock_irqrestore(&shard->lock, flags);
	for (i = 0; i < BUCKETS; i++) {
		merge_cells(cells[i]);
		merge_edges(edges[i]);
	}
}

static void name_edge(struct tl_edge *edge)
{
	struct tl_tier *tier;

	tl_tier_name(edge->tier, edge->tier_name);
	edge->peer_tier_name[0] = '\0';
	if (!tl_peer_get(edge->peer_number, &edge->peer)) {
		memset(&edge->peer, 0, sizeof(edge->peer));
		return;
	}
	tier = edge->peer.local ? tl_tier_find(edge->peer.netns, edge->peer.port) : NULL;
	if (tier)
		tl_tier_name(tier->id, edge->peer_tier_name);
}

/* What is in merged becomes the interval's. */
static void take_merged(struct tl_interval *interval)
{
	struct tl_cell *cell, *next_cell;
	struct tl_edge *edge, *next_edge;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		for (cell = merged.cells[i]; cell; cell = next_cell) {
			next_cell = cell->next;
			tl_tier_name(cell->tier, cell->tier_name);
			cell->next = interval->cells;
			interval->cells = cell;
		}
		for (edge = merged.edges[i]; edge; edge = next_edge) {
			next_edge = edge->next;
			name_edge(edge);
			edge->next = interval->edges;
			interval->edges = edge;
		}
	}
	memset(&merged, 0, sizeof(merged));
}

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
	u64 age_ns = ktime_get_mono_fast_ns() - start_of(generation);
	struct tl_interval *interval;
	struct tl_totals totals;
	int cpu;

	/* It is small, and must not fail under the cap: not counted. */
	interval = kzalloc(sizeof(*interval), GFP_KERNEL | __GFP_NOFAIL);
	for_each_possible_cpu(cpu)
		take_shard(per_cpu_ptr(shards, cpu), generation);
	take_merged(interval);
	refcount_set(&interval->refs, 1);
	interval->generation = generation;
	interval->start_ns = ktime_get_real_ns() - age_ns;
	interval->length_ns = end_ns - start_of(generation);
	tl_stats_sum(&totals);
	tl_stats_since(&interval->totals, &totals, &totals_before);
	totals_before = totals;
	last_generation = generation;
	keep(interval);
	on_closed(interval);
}

static void close_due(struct work_struct *work)
{
	u64 now_ns = ktime_get_mono_fast_ns(), next_ns;

	if (start_of(open_base + 1) + grid.quiet_ns <= now_ns) {
		tl_track_sweep(now_ns, grid.quiet_ns);
		/* A handler that took its decision before the sweep is done now. */
		synchronize_rcu();
	}
	while (start_of(open_base + 1) + grid.quiet_ns <= now_ns) {
		close_generation(open_base, start_of(open_base + 1));
		open_base++;
	}
	next_ns = start_of(open_base + 1) + grid.quiet_ns;
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
	unsigned int cpu;

	grid.length_ns = (u64)interval_ms * NSEC_PER_MSEC;
	grid.quiet_ns = (u64)quiet_ms * NSEC_PER_MSEC;
	grid.start_ns = ktime_get_mono_fast_ns();
	/*
	 * Sixteen a second is more than there can be, so that the next load of
	 * the module begins above all that this one has used.
	 */
	grid.first = max_t(u64, ktime_get_real_seconds() << 4, last_generation + 1);
	open_base = grid.first;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(shards, cpu)->base = grid.first;
	tl_stats_sum(&totals_before);
	queue_delayed_work(system_unbound_wq, &close_work,
			   nsecs_to_jiffies(grid.length_ns + grid.quiet_ns) + 1);
}

/**
 * tl_interval_stop() - Close what is open; the last interval is cut short
 *
 * Context: process; the hooks are disarmed and all requests have ended.
 */
void tl_interval_stop(void)
{
	u64 now_ns, end_ns;

	cancel_delayed_work_sync(&close_work);
	now_ns = ktime_get_mono_fast_ns();
	for (; start_of(open_base) < now_ns; open_base++) {
		end_ns = min(start_of(open_base + 1), now_ns);
		close_generation(open_base, end_ns);
	}
}

/**
 * tl_interval_init() - Make the shards and pools
 * @closed: called with each interval as it is closed, in process context
 *
 * Return: 0 or -ENOMEM.
 */
int tl_interval_init(void (*closed)(const struct tl_interval *interval))
{
	int cpu;

	on_closed = closed;
	INIT_DELAYED_WORK(&close_work, close_due);
	if (!tl_memory_charge(SHARDS_BYTES))
		return -ENOMEM;
	shards = alloc_percpu(struct shard);
	if (!shards) {
		tl_memory_uncharge(SHARDS_BYTES);
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu)
		raw_spin_lock_init(&per_cpu_ptr(shards, cpu)->lock);
	if (tl_pool_init(&cell_pool, "cells", sizeof(struct tl_cell), 64, NULL) ||
	    tl_pool_init(&edge_pool, "edges", sizeof(struct tl_edge), 64, NULL)) {
		tl_interval_exit();
		return -ENOMEM;
	}
	return 0;
}

void tl_interval_exit(void)
{
	unsigned int i;

	for (i = 0; i < TIERLENS_INTERVALS_KEPT; i++) {
		if (kept[i])
			tl_interval_put(kept[i]);
		kept[i] = NULL;
	}
	tl_pool_exit(&edge_pool);
	tl_pool_exit(&cell_pool);
	free_percpu(shards);
	shards = NULL;
	tl_memory_uncharge(SHARDS_BYTES);
}

void tl_interval_put(struct tl_interval *interval)
{
	if (!refcount_dec_and_test(&interval->refs))
		return;
	cells_free(interval->cells);
	edges_free(interval->edges);
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
