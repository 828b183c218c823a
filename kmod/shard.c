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

#include "class.h"
#include "lock.h"
#include "scoped.h"
#include "shard.h"
#include "stats.h"
#include "tier.h"

#define OPEN 8 /* intervals open at once, a power of two: a busy machine closes late */
#define BUCKETS 64
#define EDGES_MAX 4096 /* of a CPU in an interval: whoever calls waits for as long as chains are */

/* Everything of one interval. */
struct set {
	u64 start_ns; /* once a request went into it */
	struct tl_entry *chain[TL_SUMS][BUCKETS];
	unsigned int edges; /* of one endpoint each */
};

struct shard {
	raw_spinlock_t lock; /* protects the rest; inside a connection's lock */
	u64 base; /* oldest open generation */
	struct set *newest; /* of the open ones that have requests: mostly the next's; or NULL */
	struct set sets[OPEN];
};

#define SHARDS_BYTES (sizeof(struct shard) * num_possible_cpus())

static struct shard __percpu *shards;
static struct tl_grid grid;
static struct set taken_set, merged; /* of the interval that is being taken */

static struct tl_entry **chain_of(struct set *set, enum tl_sums kind, u32 a, u32 b, u32 c)
{
	return &set->chain[kind][(a * 31 + b * 7 + c) % BUCKETS];
}

static __always_inline struct tl_entry *
find_entry(struct set *set, enum tl_sums kind, u32 a, u32 b, u32 c)
{
	struct tl_entry *entry = *chain_of(set, kind, a, b, c);
	bool one = kind == TL_SUMS_PATH || kind == TL_SUMS_USAGE; /* the others are 0 in all */

	while (entry && (entry->key[0] != a ||
			 (!one && (entry->key[1] != b || entry->key[2] != c))))
		entry = entry->next;
	return entry;
}

static void cell_merge(struct tl_entry *into, const struct tl_entry *from)
{
	tl_cell_merge(&container_of(into, struct tl_cell, entry)->sums,
		      &container_of(from, struct tl_cell, entry)->sums);
}

static void edge_merge(struct tl_entry *into, const struct tl_entry *from)
{
	tl_edge_merge(&container_of(into, struct tl_edge, entry)->sums,
		      &container_of(from, struct tl_edge, entry)->sums);
}

static void path_merge(struct tl_entry *into, const struct tl_entry *from)
{
	tl_path_merge(&container_of(into, struct tl_path, entry)->sums,
		      &container_of(from, struct tl_path, entry)->sums);
}

static u64 taking; /* generation, by tl_shard_take() */

static void cell_name(struct tl_entry *entry)
{
	struct tl_cell *cell = container_of(entry, struct tl_cell, entry);
	unsigned int i;

	tl_tier_name(entry->key[0], cell->tier_name);
	cell->level = tl_tier_level(entry->key[0]);
	tl_class_name(entry->key[1], cell->class_name);
	for (i = 0; i < TL_USED_COUNTS; i++)
		tl_scoped_name(i, taking, cell->sums.used.counts[i], cell->counted[i]);
}

static void edge_name(struct tl_entry *entry)
{
	struct tl_edge *edge = container_of(entry, struct tl_edge, entry);
	u32 tier;

	tl_tier_name(entry->key[0], edge->tier_name);
	tl_class_name(entry->key[1], edge->class_name);
	edge->peer_tier_name[0] = '\0';
	if (!tl_peer_get(entry->key[2], &edge->peer)) {
		memset(&edge->peer, 0, sizeof(edge->peer));
		return;
	}
	tier = tl_peer_tier(&edge->peer);
	if (tier)
		tl_tier_name(tier, edge->peer_tier_name);
}

static void path_name(struct tl_entry *entry)
{
	struct tl_path *path = container_of(entry, struct tl_path, entry);

	if (!tl_path_get(entry->key[0], &path->node))
		memset(&path->node, 0, sizeof(path->node));
	/* There was no memory for it, which is counted: better a root than an orphan. */
	if (!find_entry(&merged, TL_SUMS_PATH, path->node.parent, 0, 0))
		path->node.parent = 0;
	tl_tier_name(path->node.tier, path->tier_name);
	tl_class_name(path->node.class, path->class_name);
}

static void usage_name(struct tl_entry *entry)
{
	tl_tier_name(entry->key[0], container_of(entry, struct tl_usage, entry)->tier_name);
}

static void function_merge(struct tl_entry *into, const struct tl_entry *from)
{
	struct tl_call_sums *sum = &container_of(into, struct tl_called, entry)->sums;
	const struct tl_call_sums *part = &container_of(from, struct tl_called, entry)->sums;

	sum->count += part->count;
	sum->total_ns += part->total_ns;
	sum->own_ns += part->own_ns;
	sum->cpu_ns += part->cpu_ns;
}

static void function_name(struct tl_entry *entry)
{
	struct tl_called *function = container_of(entry, struct tl_called, entry);

	tl_tier_name(function->tier, function->tier_name);
	tl_class_name(entry->key[1], function->class_name);
}

/* It has brought its name: the event may have gone. */
static void count_name(struct tl_entry *entry)
{
}

/* What differs between them. */
static struct kind {
	const char *name;
	size_t size;
	void (*merge)(struct tl_entry *into, const struct tl_entry *from);
	void (*set_names)(struct tl_entry *entry);
	struct tl_pool pool;
} kinds[TL_SUMS] = {
	[TL_SUMS_CELL] = { "cells", sizeof(struct tl_cell), cell_merge, cell_name },
	[TL_SUMS_EDGE] = { "edges", sizeof(struct tl_edge), edge_merge, edge_name },
	[TL_SUMS_PATH] = { "paths", sizeof(struct tl_path), path_merge, path_name },
	[TL_SUMS_USAGE] = { "usages", sizeof(struct tl_usage), NULL, usage_name },
	[TL_SUMS_COUNT] = { "counts", sizeof(struct tl_counted), NULL, count_name },
	[TL_SUMS_FUNCTION] = { "functions", sizeof(struct tl_called), function_merge,
			       function_name },
};

static void link_entry(struct set *set, enum tl_sums kind, struct tl_entry *entry)
{
	struct tl_entry **head = chain_of(set, kind, entry->key[0], entry->key[1],
					  entry->key[2]);

	entry->next = *head;
	*head = entry;
}

/* The slow part of get(). */
static noinline struct tl_entry *new_entry(struct set *set, enum tl_sums kind, u32 a, u32 b, u32 c)
{
	struct tl_entry *entry = tl_pool_get(&kinds[kind].pool);

	if (!entry) {
		this_cpu_inc(tl_stats.loss[TL_LOSS_CELLS_FULL]);
		return NULL;
	}
	memset(entry, 0, kinds[kind].size);
	entry->key[0] = a;
	entry->key[1] = b;
	entry->key[2] = c;
	link_entry(set, kind, entry);
	return entry;
}

/* The entry of a key, a new one being zero; NULL and counted if there is no memory. */
static __always_inline struct tl_entry *
get(struct set *set, enum tl_sums kind, u32 a, u32 b, u32 c)
{
	struct tl_entry *entry = find_entry(set, kind, a, b, c);

	return likely(entry) ? entry : new_entry(set, kind, a, b, c);
}

/* The slow part of add_edge(). */
static noinline struct tl_entry *new_edge(struct set *set, u32 tier, u32 class,
					  const struct tl_call_sum *sum)
{
	struct tl_entry *entry;
	unsigned int i;

	if (!sum->peer)
		return new_entry(set, TL_SUMS_EDGE, tier, class, 0);
	if (set->edges < EDGES_MAX) {
		entry = new_entry(set, TL_SUMS_EDGE, tier, class, sum->peer);
		set->edges += !!entry;
		return entry;
	}
	for (i = 0; i < ARRAY_SIZE(sum->by); i++)
		tl_losses()[TL_LOSS_PEERS_FULL] += sum->by[i];
	return get(set, TL_SUMS_EDGE, tier, class, 0);
}

static void add_edge(struct set *set, u32 tier, u32 class, const struct tl_call_sum *sum)
{
	struct tl_entry *entry = find_entry(set, TL_SUMS_EDGE, tier, class, sum->peer);

	if (unlikely(!entry))
		entry = new_edge(set, tier, class, sum);
	if (entry)
		tl_edge_add(&container_of(entry, struct tl_edge, entry)->sums, sum);
}

/* Almost always all on a path are of one cell, but where the tree was full. */
static __always_inline struct tl_cell *
cell_of(struct set *set, struct tl_path *path, const struct tl_request *ended)
{
	struct tl_cell *cell = path ? path->cell : NULL;
	struct tl_entry *entry;

	if (likely(cell && cell->entry.key[0] == ended->tier &&
		   cell->entry.key[1] == ended->class))
		return cell;
	entry = get(set, TL_SUMS_CELL, ended->tier, ended->class, 0);
	cell = entry ? container_of(entry, struct tl_cell, entry) : NULL;
	if (path)
		path->cell = cell;
	return cell;
}

static noinline void add_edges(struct set *set, const struct tl_request *ended)
{
	unsigned int i;

	for (i = 0; i < ended->sums_used; i++)
		add_edge(set, ended->tier, ended->class, &ended->sums[i]);
}

static __always_inline void
add_request(struct set *set, const struct tl_request *ended)
{
	struct tl_entry *entry = get(set, TL_SUMS_PATH, ended->node, 0, 0);
	struct tl_path *path = entry ? container_of(entry, struct tl_path, entry) : NULL;
	struct tl_cell *cell = cell_of(set, path, ended);

	if (cell)
		tl_cell_add(&cell->sums, ended, set->start_ns);
	if (path)
		tl_path_add(&path->sums, ended);
	if (ended->sums_used)
		add_edges(set, ended);
}

/*
 * The interval that an end at @ns goes into. Its own one may be closed already, or the
 * closing is far behind (a stopped machine).
 */
static u64 choose(const struct shard *shard, u64 ns, bool *late)
{
	u64 generation = tl_grid_generation(&grid, ns);

	lockdep_assert_held(&shard->lock);
	*late = generation - shard->base >= OPEN;
	if (likely(!*late))
		return generation;
	return generation < shard->base ? shard->base : shard->base + OPEN - 1;
}

/* The same, and another one than its own is counted. */
static u64 choose_own(const struct shard *shard, u64 ns)
{
	u64 generation;
	bool late;

	generation = choose(shard, ns, &late);
	if (unlikely(late))
		this_cpu_inc(tl_stats.loss[TL_LOSS_LATE]);
	return generation;
}

/* The slow part of set_of(). */
static noinline struct set *choose_set(struct shard *shard, u64 ns)
{
	u64 generation = choose_own(shard, ns);
	struct set *set = &shard->sets[generation % OPEN];

	set->start_ns = tl_grid_start_ns(&grid, generation);
	if (!shard->newest || set->start_ns > shard->newest->start_ns)
		shard->newest = set;
	return set;
}

/* Where a request goes. */
static __always_inline struct set *set_of(struct shard *shard, u64 ns)
{
	struct set *set = shard->newest;

	return likely(set && ns - set->start_ns < grid.length_ns) ? set : choose_set(shard, ns);
}

/**
 * tl_shard_deposit() - Sum up a request that ended
 * @ended: the request
 *
 * Context: any but NMI; interrupts are off; a connection's lock may be held.
 */
tl_inline void tl_shard_deposit(const struct tl_request *ended)
{
	struct shard *shard = this_cpu_ptr(shards);

	lockdep_assert_irqs_disabled();
	tl_spin_lock(&shard->lock);
	add_request(set_of(shard, ended->last_send_ns), ended);
	tl_spin_unlock(&shard->lock);
}

/**
 * tl_shard_deposit_used() - Sum up what a request has caused that is not counted
 * @tier: its tier
 * @class: its class
 * @node: its place in the tree of paths
 * @used: what was used, by one that has ended before or was never answered
 *
 * It goes into the interval of now, or one near to it: what counts is that it is counted.
 *
 * Context: any but NMI; interrupts are off; a connection's lock may be held.
 */
void tl_shard_deposit_used(u32 tier, u32 class, u32 node, const struct tl_used *used)
{
	struct shard *shard = this_cpu_ptr(shards);
	struct tl_entry *entry;
	struct set *set;
	bool late;

	lockdep_assert_irqs_disabled();
	tl_spin_lock(&shard->lock);
	set = &shard->sets[choose(shard, ktime_get_mono_fast_ns(), &late) % OPEN];
	entry = get(set, TL_SUMS_CELL, tier, class, 0);
	if (entry)
		tl_used_add(&container_of(entry, struct tl_cell, entry)->sums.used, used);
	entry = get(set, TL_SUMS_PATH, node, 0, 0);
	if (entry)
		container_of(entry, struct tl_path, entry)->sums.cpu_ns += used->cpu_ns;
	tl_spin_unlock(&shard->lock);
}

/**
 * tl_shard_deposit_function() - Sum up a call of a function
 * @key: whose
 * @name: the function's, which it keeps also if it is probed no longer
 * @sums: the call
 *
 * It goes into the interval of now.
 *
 * Context: any but NMI; interrupts are off.
 */
void tl_shard_deposit_function(const struct tl_call_key *key, const char *name,
			       const struct tl_call_sums *sums)
{
	struct shard *shard = this_cpu_ptr(shards);
	struct tl_called *function;
	struct tl_entry *entry;
	struct set *set;

	lockdep_assert_irqs_disabled();
	tl_spin_lock(&shard->lock);
	set = &shard->sets[choose_own(shard, ktime_get_mono_fast_ns()) % OPEN];
	entry = get(set, TL_SUMS_FUNCTION, key->function, key->class, key->outside);
	if (entry) {
		function = container_of(entry, struct tl_called, entry);
		if (!function->tier) {
			function->tier = key->tier;
			strscpy(function->name, name, sizeof(function->name));
		}
		function->sums.count += sums->count;
		function->sums.total_ns += sums->total_ns;
		function->sums.own_ns += sums->own_ns;
		function->sums.cpu_ns += sums->cpu_ns;
	}
	tl_spin_unlock(&shard->lock);
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
	tl_spin_lock(&shard->lock);
	add_edge(&shard->sets[choose_own(shard, ktime_get_mono_fast_ns()) % OPEN], 0, 0, sum);
	tl_spin_unlock(&shard->lock);
}

static void free_list(enum tl_sums kind, struct tl_entry *entry)
{
	struct tl_entry *next;
	unsigned long flags;

	for (; entry; entry = next) {
		next = entry->next;
		local_irq_save(flags);
		tl_pool_put(&kinds[kind].pool, entry);
		local_irq_restore(flags);
	}
}

/* A chain of one CPU moves into merged, or is added to what is there. */
static void merge_chain(enum tl_sums kind, struct tl_entry *entry)
{
	struct tl_entry *next, *into;

	for (; entry; entry = next) {
		next = entry->next;
		into = find_entry(&merged, kind, entry->key[0], entry->key[1], entry->key[2]);
		if (into) {
			kinds[kind].merge(into, entry);
			entry->next = NULL;
			free_list(kind, entry);
		} else {
			link_entry(&merged, kind, entry);
		}
	}
}

static void take_shard(struct shard *shard, u64 generation)
{
	struct set *set = &shard->sets[generation % OPEN];
	unsigned int kind, i;
	unsigned long flags;

	/*
	 * All kinds at once: from now on the place is that of a later interval, and who is late
	 * in closing them finds requests going into that one already.
	 */
	raw_spin_lock_irqsave(&shard->lock, flags);
	shard->base = generation + 1;
	if (shard->newest == set)
		shard->newest = NULL;
	taken_set = *set;
	memset(set, 0, sizeof(*set));
	raw_spin_unlock_irqrestore(&shard->lock, flags);
	for (kind = 0; kind < TL_SUMS; kind++)
		for (i = 0; i < BUCKETS; i++)
			merge_chain(kind, taken_set.chain[kind][i]);
}

/* A path's ancestors are in the interval, too, so that it can be read by itself. */
static void add_ancestors(void)
{
	struct tl_path_node node;
	struct tl_entry *entry;
	unsigned long flags;
	unsigned int i;
	u32 id;

	for (i = 0; i < BUCKETS; i++)
		for (entry = merged.chain[TL_SUMS_PATH][i]; entry; entry = entry->next)
			for (id = entry->key[0]; tl_path_get(id, &node) && node.parent;
			     id = node.parent) {
				local_irq_save(flags);
				get(&merged, TL_SUMS_PATH, node.parent, 0, 0);
				local_irq_restore(flags);
			}
}

/* What is in merged becomes the interval's. */
static void take_merged(struct tl_taken *taken)
{
	struct tl_entry *entry, *next;
	unsigned int kind, i;

	/* Names look into merged, so they come first. */
	for (kind = 0; kind < TL_SUMS; kind++)
		for (i = 0; i < BUCKETS; i++)
			for (entry = merged.chain[kind][i]; entry; entry = entry->next)
				kinds[kind].set_names(entry);
	for (kind = 0; kind < TL_SUMS; kind++) {
		taken->list[kind] = NULL;
		for (i = 0; i < BUCKETS; i++)
			for (entry = merged.chain[kind][i]; entry; entry = next) {
				next = entry->next;
				entry->next = taken->list[kind];
				taken->list[kind] = entry;
			}
	}
	memset(&merged, 0, sizeof(merged));
}

/**
 * tl_shard_merge_usage() - Add what a process used to the interval being taken
 * @tier: the tier that it serves
 * @sums: what it used
 *
 * Context: interrupts off, perhaps in an RCU read-side section; before
 * tl_shard_take(), by its caller.
 */
void tl_shard_merge_usage(u32 tier, const struct tl_usage_sums *sums)
{
	struct tl_entry *entry = get(&merged, TL_SUMS_USAGE, tier, 0, 0);
	struct tl_usage_sums *into;

	if (!entry)
		return;
	into = &container_of(entry, struct tl_usage, entry)->sums;
	into->processes += sums->processes;
	into->cpu_ns += sums->cpu_ns;
	into->request_cpu_ns += sums->request_cpu_ns;
	into->elapsed_ns = sums->elapsed_ns; /* that of all of them */
}

/**
 * tl_shard_reserve_counts() - Have room for what counters counted
 * @n: how many of them there are
 *
 * Context: process, may sleep; before tl_shard_merge_count().
 */
void tl_shard_reserve_counts(unsigned int n)
{
	tl_pool_reserve(&kinds[TL_SUMS_COUNT].pool, n);
}

/**
 * tl_shard_merge_count() - Add what a counter counted to the interval being taken
 * @event: number of the event
 * @cpu: the processor
 * @name: the event's
 * @count: what it counted
 *
 * Context: interrupts off; before tl_shard_take(), by its caller.
 */
void tl_shard_merge_count(u32 event, u32 cpu, const char *name, const struct tl_count *count)
{
	struct tl_entry *entry = get(&merged, TL_SUMS_COUNT, event, cpu, 0);
	struct tl_counted *counted;

	if (!entry)
		return;
	counted = container_of(entry, struct tl_counted, entry);
	strscpy(counted->name, name, sizeof(counted->name));
	counted->count = *count;
}

/**
 * tl_shard_take() - Take what all CPUs have summed up for a generation
 * @generation: the oldest open one; it is open no longer
 * @taken: filled, for tl_shard_give_back()
 *
 * Context: process, one caller at a time.
 */
void tl_shard_take(u64 generation, struct tl_taken *taken)
{
	int cpu;

	taking = generation;
	for_each_possible_cpu(cpu)
		take_shard(per_cpu_ptr(shards, cpu), generation);
	add_ancestors();
	take_merged(taken);
}

/**
 * tl_shard_give_back() - Free what was taken
 * @taken: the lists
 *
 * Context: process.
 */
void tl_shard_give_back(struct tl_taken *taken)
{
	unsigned int kind;

	for (kind = 0; kind < TL_SUMS; kind++)
		free_list(kind, taken->list[kind]);
}

/**
 * tl_shard_start() - Begin to sum up by a grid
 * @new_grid: the grid
 *
 * Context: process; the hooks are not armed, all that was open has been taken.
 */
void tl_shard_start(const struct tl_grid *new_grid)
{
	struct shard *shard;
	int cpu;

	grid = *new_grid;
	for_each_possible_cpu(cpu) {
		shard = per_cpu_ptr(shards, cpu);
		shard->base = grid.first;
		shard->newest = NULL;
	}
}

/**
 * tl_shard_init() - Make the shards and pools
 *
 * Return: 0 or -ENOMEM.
 */
int tl_shard_init(void)
{
	unsigned int kind;
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
	for (kind = 0; kind < TL_SUMS; kind++)
		if (tl_pool_init(&kinds[kind].pool, kinds[kind].name, kinds[kind].size, 64,
				 NULL)) {
			tl_shard_exit();
			return -ENOMEM;
		}
	return 0;
}

void tl_shard_exit(void)
{
	unsigned int kind;

	for (kind = 0; kind < TL_SUMS; kind++)
		tl_pool_exit(&kinds[kind].pool);
	free_percpu(shards);
	shards = NULL;
	tl_memory_uncharge(SHARDS_BYTES);
}

/* How many sums there are, in open intervals and in those that are kept. */
unsigned int tl_shard_count(void)
{
	unsigned int kind, n = 0;

	for (kind = 0; kind < TL_SUMS; kind++)
		n += tl_pool_used(&kinds[kind].pool);
	return n;
}
