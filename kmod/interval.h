/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_INTERVAL_H
#define TL_INTERVAL_H

#include <linux/refcount.h>
#include <uapi/linux/tierlens.h>

#include "shard.h"
#include "stats.h"

/* A closed interval. It does not change any more. */
struct tl_interval {
	refcount_t refs;
	u64 generation;
	u64 start_ns; /* CLOCK_REALTIME */
	u64 length_ns;
	struct tl_totals totals;
	struct tl_taken sums;
};

/* What closing an interval needs of others; all are called in process context. */
struct tl_interval_ops {
	void (*sweep)(u64 now_ns, u64 quiet_ns); /* end the requests that went quiet */
	void (*begin)(const struct tl_grid *grid);
	void (*end)(void); /* time is cut no longer */
	void (*over)(void); /* no interval is open */
	void (*add_usage)(void); /* tell tl_shard_merge_usage() of all processes */
	void (*add_counts)(u64 generation); /* tell tl_shard_merge_count() of all counters */
	u64 (*probes_missed)(void);
	void (*closed)(const struct tl_interval *interval);
};

int tl_interval_init(const struct tl_interval_ops *ops);
void tl_interval_exit(void);
void tl_interval_start(u32 interval_ms, u32 quiet_ms);
void tl_interval_cancel(void);
void tl_interval_stop(void);

struct tl_interval *tl_interval_get(u64 after);
struct tl_interval *tl_interval_get_exact(u64 generation);
void tl_interval_put(struct tl_interval *interval);
void tl_interval_kept(u64 *oldest, u64 *newest);

#endif
