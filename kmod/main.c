// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens: where the time of a multi-tier service goes. */
#include <linux/init.h>
#include <linux/module.h>

#include <tierlens-version.h>

#include "class.h"
#include "conn.h"
#include "control.h"
#include "counter.h"
#include "frames.h"
#include "handoff.h"
#include "interval.h"
#include "join.h"
#include "method.h"
#include "netlink.h"
#include "path.h"
#include "peer.h"
#include "pmu.h"
#include "probe.h"
#include "stats.h"
#include "process.h"
#include "sweep.h"
#include "thread.h"
#include "tier.h"
#include "track.h"
#include "usage.h"
#include "way.h"

static const struct tl_interval_ops interval_ops = {
	.sweep = tl_sweep,
	.begin = tl_pmu_start,
	.end = tl_pmu_stop,
	.over = tl_pmu_over,
	.add_usage = tl_process_usage_close,
	.add_counts = tl_counter_deposit,
	.probes_missed = tl_probe_missed,
	.closed = tl_netlink_notify,
};

static int init_intervals(void)
{
	return tl_interval_init(&interval_ops);
}

/* In this order; the reverse takes them down. */
static const struct part {
	int (*init)(void);
	void (*exit)(void);
} parts[] = {
	{ tl_usage_init, tl_usage_exit },
	{ tl_tier_init, tl_tier_exit },
	{ tl_peer_init, tl_peer_exit },
	{ tl_path_init, tl_path_exit },
	{ tl_join_init, tl_join_exit },
	{ tl_handoff_init, tl_handoff_exit },
	{ tl_frames_init, tl_frames_exit },
	{ tl_method_init, tl_method_exit },
	{ tl_process_init, tl_process_exit },
	{ tl_thread_init, tl_thread_exit },
	{ tl_conn_init, tl_conn_exit },
	{ init_intervals, tl_interval_exit },
	{ tl_pmu_init, tl_pmu_exit },
	{ tl_way_init, NULL },
	{ tl_probe_init, tl_probe_exit },
	{ tl_netlink_init, NULL },
};

static void exit_parts(unsigned int n)
{
	while (n--)
		if (parts[n].exit)
			parts[n].exit();
}

static int __init tierlens_init(void)
{
	unsigned int i;
	int ret;

	tl_stats_init();
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		ret = parts[i].init();
		if (ret) {
			exit_parts(i);
			return ret;
		}
	}
	return 0;
}

static void __exit tierlens_exit(void)
{
	/* First nobody can ask any more, then nothing is seen any more. */
	tl_netlink_exit();
	tl_control_exit();
	exit_parts(ARRAY_SIZE(parts));
	tl_class_exit();
}

module_init(tierlens_init);
module_exit(tierlens_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The tierlens authors");
MODULE_DESCRIPTION("Times of black-box multi-tier services, summed in the kernel");
MODULE_VERSION(TIERLENS_VERSION);
