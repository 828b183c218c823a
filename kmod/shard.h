/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SHARD_H
#define TL_SHARD_H

#include <linux/math64.h>
#include <uapi/linux/tierlens.h>

#include "core/cell.h"
#include "memory.h"
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

struct tl_cell {
	struct tl_pool_item item;
	struct tl_cell *next;
	u32 tier;
	u32 class;
	char tier_name[TIERLENS_NAME_MAX + 1]; /* when the interval was closed */
	struct tl_cell_sums sums;
};

struct tl_edge {
	struct tl_pool_item item;
	struct tl_edge *next;
	u32 tier; /* 0: unattributed calls */
	u32 class;
	u32 peer_number; /* 0: more peers */
	struct tl_peer peer; /* this and the names are filled when it is closed */
	char tier_name[TIERLENS_NAME_MAX + 1];
	char peer_tier_name[TIERLENS_NAME_MAX + 1]; /* empty: none here */
	struct tl_edge_sums sums;
};

int tl_shard_init(void);
void tl_shard_exit(void);
void tl_shard_start(const struct tl_grid *grid);
void tl_shard_deposit(const struct tl_ended *ended);
void tl_shard_deposit_stray(const struct tl_call_sum *sum);
void tl_shard_take(u64 generation, struct tl_cell **cells, struct tl_edge **edges);
void tl_shard_give_back(struct tl_cell *cells, struct tl_edge *edges);

#endif
