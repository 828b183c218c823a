/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CORE_CELL_H
#define TL_CORE_CELL_H

#include "hist.h"
#include "request.h"

/* Sums of one (tier, class) over one interval. */
struct tl_cell_sums {
	u64 count;
	u64 response_ns;
	u64 own_ns;
	u64 own_sq_hi; /* sum of squares, 128 bits: one own time of 5 s fills 64 */
	u64 own_sq_lo;
	u64 traced; /* of count, those without an own time: it is in no sum */
	u64 carried; /* of count, those that began before the interval */
	u64 bytes_in;
	u64 bytes_out;
	u64 queue_ns; /* over queue_count requests */
	u64 queue_count;
	struct tl_used used;
	u32 hist_response[TL_HIST_BUCKETS];
	u32 hist_own[TL_HIST_BUCKETS];
};

/* Sums of one (tier, class, peer) over one interval. */
struct tl_edge_sums {
	u64 by[TL_BY_KINDS]; /* calls */
	u64 joined;
	u64 time_ns;
	u64 transit_ns;
	u64 bytes_out;
	u64 bytes_in;
};

/* Sums of one node of the tree of paths over one interval. */
struct tl_path_sums {
	u64 count;
	u64 traced; /* of count, as above */
	u64 response_ns;
	u64 own_ns;
	u64 cpu_ns;
};

void tl_cell_add(struct tl_cell_sums *cell, const struct tl_request *ended, u64 start_ns);
void tl_cell_merge(struct tl_cell_sums *into, const struct tl_cell_sums *from);
void tl_edge_add(struct tl_edge_sums *edge, const struct tl_call_sum *sum);
void tl_edge_merge(struct tl_edge_sums *into, const struct tl_edge_sums *from);
void tl_path_add(struct tl_path_sums *path, const struct tl_request *ended);
void tl_path_merge(struct tl_path_sums *into, const struct tl_path_sums *from);

#endif
