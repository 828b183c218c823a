/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_INTERVAL_H
#define TL_INTERVAL_H

#include <linux/refcount.h>
#include <uapi/linux/tierlens.h>

#include "core/cell.h"
#include "memory.h"
#include "peer.h"
#include "stats.h"

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

/* A closed interval. It does not change any more. */
struct tl_interval {
	refcount_t refs;
	u64 generation;
	u64 start_ns; /* CLOCK_REALTIME */
	u64 length_ns;
	struct tl_totals totals;
	struct tl_cell *cells;
	struct tl_edge *edges;
};

int tl_interval_init(void (*closed)(const struct tl_interval *interval));
void tl_interval_exit(void);
void tl_interval_start(u32 interval_ms, u32 quiet_ms);
void tl_interval_stop(void);

void tl_interval_deposit(const struct tl_ended *ended);
void tl_interval_deposit_stray(const struct tl_call_sum *sum);

struct tl_interval *tl_interval_get(u64 after);
struct tl_interval *tl_interval_get_exact(u64 generation);
void tl_interval_put(struct tl_interval *interval);
void tl_interval_kept(u64 *oldest, u64 *newest);

#endif
