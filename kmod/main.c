// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens: where the time of a multi-tier service goes. */
#include <linux/init.h>
#include <linux/module.h>

#include <tierlens-version.h>

#include "conn.h"
#include "control.h"
#include "interval.h"
#include "netlink.h"
#include "probe.h"
#include "stats.h"
#include "thread.h"
#include "track.h"

static const struct tl_interval_ops interval_ops = {
	.sweep = tl_track_sweep,
	.probes_missed = tl_probe_missed,
	.closed = tl_netlink_notify,
};

static int __init tierlens_init(void)
{
	int ret;

	tl_stats_init();
	ret = tl_thread_init();
	if (ret)
		return ret;
	ret = tl_conn_init();
	if (ret)
		goto err_thread;
	ret = tl_interval_init(&interval_ops);
	if (ret)
		goto err_conn;
	ret = tl_probe_init();
	if (ret)
		goto err_interval;
	ret = tl_netlink_init();
	if (ret)
		goto err_probe;
	return 0;

err_probe:
	tl_probe_exit();
err_interval:
	tl_interval_exit();
err_conn:
	tl_conn_exit();
err_thread:
	tl_thread_exit();
	return ret;
}

static void __exit tierlens_exit(void)
{
	/* First nobody can ask any more, then nothing is seen any more. */
	tl_netlink_exit();
	tl_control_disable();
	tl_probe_exit();
	tl_interval_exit();
	tl_conn_exit();
	tl_thread_exit();
}

module_init(tierlens_init);
module_exit(tierlens_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The tierlens authors");
MODULE_DESCRIPTION("Times of black-box multi-tier services, summed in the kernel");
MODULE_VERSION(TIERLENS_VERSION);
