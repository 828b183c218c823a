// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums of open intervals, one shard a CPU
 *
 * A CPU has several intervals open at once, in a ring by generation: a request
 * that ends now goes into the newest, one whose end is found out later into that
 * of its last byte. Requests for an interval that has gone are counted as late
 * and go into the oldest open one: sums over time stay right.
 */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/timekeeping.h>

#include "shard.h"
#include "stats.h"
#include "tier.h"

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

static struct shard __percpu *shards;
static struct tl_pool cell_pool;
static struct tl_pool edge_pool;
static struct tl_grid grid;
static struct set merged;

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
	u64 generation = tl_grid_generation(&grid, ns);

	lockdep_assert_held(&shard->lock);
	if (likely(generation - shard->base < OPEN))
		return generation;
	/* Closed already; or the closing is far behind (a stopped machine). */
	this_cpu_inc(tl_stats.loss[TL_LOSS_LATE]);
	return generation < shard->base ? shard->base : shard->base + OPEN - 1;
}

/**
 * tl_shard_deposit() - Sum up a request that ended
 * @ended: the request
 *
 * Context: any but NMI; interrupts are off; a connection's lock may be held.
 */
void tl_shard_deposit(const struct tl_ended *ended)
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
		tl_cell_add(&cell->sums, ended, tl_grid_start_ns(&grid, generation));
	else
		this_cpu_inc(tl_stats.loss[TL_LOSS_CELLS_FULL]);
	for (i = 0; i < ended->sums_used; i++)
		edge_add(set, ended->tier, ended->class, &ended->sums[i]);
	raw_spin_unlock(&shard->lock);
}

/**
 * tl_shard_deposit_stray() - Sum up a call that has no request
 * @sum: the call
 *
 * It goes into the interval of now: no request's end is there to choose by.
 *
 * Context: any but NMI; interrupts are off; a connection's lock may be held.
 */
void tl_shard_deposit_stray(const struct tl_call_sum *sum)
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
static void take_merged(struct tl_cell **cells, struct tl_edge **edges)
{
	struct tl_cell *cell, *next_cell;
	struct tl_edge *edge, *next_edge;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		for (cell = merged.cells[i]; cell; cell = next_cell) {
			next_cell = cell->next;
			tl_tier_name(cell->tier, cell->tier_name);
			cell->next = *cells;
			*cells = cell;
		}
		for (edge = merged.edges[i]; edge; edge = next_edge) {
			next_edge = edge->next;
			name_edge(edge);
			edge->next = *edges;
			*edges = edge;
		}
	}
	memset(&merged, 0, sizeof(merged));
}

/**
 * tl_shard_take() - Take what all CPUs have summed up for a generation
 * @generation: the oldest open one; it is open no longer
 * @cells: set to a list, for tl_shard_give_back()
 * @edges: the same
 *
 * Context: process, one caller at a time.
 */
void tl_shard_take(u64 generation, struct tl_cell **cells, struct tl_edge **edges)
{
	int cpu;

	*cells = NULL;
	*edges = NULL;
	for_each_possible_cpu(cpu)
		take_shard(per_cpu_ptr(shards, cpu), generation);
	take_merged(cells, edges);
}

/**
 * tl_shard_give_back() - Free what was taken
 * @cells: a list
 * @edges: a list
 *
 * Context: process.
 */
void tl_shard_give_back(struct tl_cell *cells, struct tl_edge *edges)
{
	cells_free(cells);
	edges_free(edges);
}

/**
 * tl_shard_start() - Begin to sum up by a grid
 * @new_grid: the grid
 *
 * Context: process; the hooks are not armed, all that was open has been taken.
 */
void tl_shard_start(const struct tl_grid *new_grid)
{
	int cpu;

	grid = *new_grid;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(shards, cpu)->base = grid.first;
}

/**
 * tl_shard_init() - Make the shards and pools
 *
 * Return: 0 or -ENOMEM.
 */
int tl_shard_init(void)
{
	int cpu;

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
		tl_shard_exit();
		return -ENOMEM;
	}
	return 0;
}

void tl_shard_exit(void)
{
	tl_pool_exit(&edge_pool);
	tl_pool_exit(&cell_pool);
	free_percpu(shards);
	shards = NULL;
	tl_memory_uncharge(SHARDS_BYTES);
}
