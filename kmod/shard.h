/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SHARD_H
#define TL_SHARD_H

#include <linux/math64.h>
#include <uapi/linux/tierlens.h>

#include "core/cell.h"
#include "memory.h"
#include "path.h"
#include "peer.h"

/* How time is cut. */
struct tl_grid {
	u64 start_ns; /* of generation first */
	u64 length_ns;
	u64 first;
};

static inline u64 tl_grid_generation(const struct tl_grid *grid, u64 ns)
{
	if (ns <= grid->start_ns)
		return grid->first;
	return grid->first + div64_u64(ns - grid->start_ns, grid->length_ns);
}

static inline u64 tl_grid_start_ns(const struct tl_grid *grid, u64 generation)
{
	return grid->start_ns + (generation - grid->first) * grid->length_ns;
}

/* What is summed up over an interval, apart from each other. */
enum tl_sums {
	TL_SUMS_CELL, TL_SUMS_EDGE, TL_SUMS_PATH, TL_SUMS_USAGE, TL_SUMS_COUNT,
	TL_SUMS_FUNCTION, TL_SUMS
};

/* First member of each of them. */
struct tl_entry {
	struct tl_pool_item item;
	struct tl_entry *next;
	u32 key[3];
};

/* Key: tier, class. The names of all are those when the interval was closed. */
struct tl_cell {
	struct tl_entry entry;
	char tier_name[TIERLENS_NAME_MAX + 1];
	char class_name[TIERLENS_NAME_MAX + 1];
	char counted[TL_USED_COUNTS][TIERLENS_NAME_MAX + 1]; /* of what event; "": of none */
	u8 level; /* the tier's */
	struct tl_cell_sums sums;
};

/* Key: tier (0: unattributed calls), class, peer's number (0: more peers). */
struct tl_edge {
	struct tl_entry entry;
	struct tl_peer peer;
	char tier_name[TIERLENS_NAME_MAX + 1];
	char class_name[TIERLENS_NAME_MAX + 1];
	char peer_tier_name[TIERLENS_NAME_MAX + 1]; /* empty: none here */
	struct tl_edge_sums sums;
};

/* Key: node. */
struct tl_path {
	struct tl_entry entry;
	struct tl_cell *cell; /* in the same set, of who was on this path last; or NULL */
	struct tl_path_node node; /* zero: TL_PATH_MORE */
	char tier_name[TIERLENS_NAME_MAX + 1];
	char class_name[TIERLENS_NAME_MAX + 1];
	struct tl_path_sums sums;
};

/* What the processes of a tier used over an interval. */
struct tl_usage_sums {
	u32 processes;
	u64 cpu_ns;
	u64 request_cpu_ns;
	u64 elapsed_ns; /* in which that was used */
};

/* Key: tier. */
struct tl_usage {
	struct tl_entry entry;
	char tier_name[TIERLENS_NAME_MAX + 1];
	struct tl_usage_sums sums;
};

/* What a counter counted, how long it was to count, and how long it did. */
struct tl_count {
	u64 value;
	u64 enabled_ns;
	u64 running_ns;
};

/* Key: event, processor. */
struct tl_counted {
	struct tl_entry entry;
	char name[TIERLENS_NAME_MAX + 1];
	struct tl_count count;
};

/* Whose calls of a function are summed up. */
struct tl_call_key {
	u32 function;
	u32 class;
	bool outside; /* of requests: there is no class */
	u32 tier; /* the function's */
};

/* See function-call in the netlink spec. */
struct tl_call_sums {
	u64 count;
	u64 total_ns;
	u64 own_ns;
	u64 cpu_ns;
};

/* Key: function, class, whether outside. */
struct tl_called {
	struct tl_entry entry;
	u32 tier;
	char name[TIERLENS_FUNCTION_NAME_MAX + 1];
	char tier_name[TIERLENS_NAME_MAX + 1];
	char class_name[TIERLENS_NAME_MAX + 1];
	struct tl_call_sums sums;
};

/* The lists of a closed interval. */
struct tl_taken {
	struct tl_entry *list[TL_SUMS];
};

int tl_shard_init(void);
void tl_shard_exit(void);
void tl_shard_start(const struct tl_grid *grid);
void tl_shard_deposit(const struct tl_request *ended);
void tl_shard_deposit_used(u32 tier, u32 class, u32 node, const struct tl_used *used);
void tl_shard_deposit_function(const struct tl_call_key *key, const char *name,
			       const struct tl_call_sums *sums);
void tl_shard_deposit_stray(const struct tl_call_sum *sum);
void tl_shard_merge_usage(u32 tier, const struct tl_usage_sums *sums);
void tl_shard_reserve_counts(unsigned int n);
void tl_shard_merge_count(u32 event, u32 cpu, const char *name, const struct tl_count *count);
void tl_shard_take(u64 generation, struct tl_taken *taken);
void tl_shard_give_back(struct tl_taken *taken);
unsigned int tl_shard_count(void);

#endif
