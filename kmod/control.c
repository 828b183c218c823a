// SPDX-License-Identifier: GPL-2.0-or-later
/* On and off. */
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/string.h>

#include "class.h"
#include "control.h"
#include "handoff.h"
#include "interval.h"
#include "path.h"
#include "peer.h"
#include "probe.h"
#include "process.h"
#include "snapshot.h"
#include "tier.h"
#include "track.h"

#define QUIET_MS_DEFAULT 250

static struct tl_settings now = { .interval_ms = 1000, .quiet_ms = QUIET_MS_DEFAULT };
static DEFINE_MUTEX(lock); /* protects now, and serialises switching */

/* The hooks are disarmed. */
static void forget(void)
{
	tl_interval_cancel();
	tl_process_usage();
	tl_track_forget_all();
	tl_handoff_forget_all();
	tl_interval_stop();
	tl_tier_forget_found();
	tl_peer_forget_all();
	tl_path_forget_all();
	tl_class_forget_names();
}

static void disable(void)
{
	if (!now.enabled)
		return;
	tl_probe_disarm();
	forget();
	now.enabled = false;
}

static int enable(void)
{
	int ret;

	tl_process_usage_start();
	tl_interval_start(now.interval_ms, now.quiet_ms);
	ret = tl_probe_arm();
	if (ret) {
		/* Those that were armed before the one that failed have seen things. */
		forget();
		return ret;
	}
	tl_snapshot();
	now.enabled = true;
	return 0;
}

/**
 * tl_control_enable() - Measure; begin anew if the settings change
 * @interval_ms: length of an interval; 0 for what it was
 * @quiet_ms: quiet time; 0 for what it was, made to fit the interval
 * @extack: told why not
 *
 * Context: process.
 * Return: 0, -EINVAL, or the kernel's error in arming probes.
 */
int tl_control_enable(u32 interval_ms, u32 quiet_ms, struct netlink_ext_ack *extack)
{
	int ret = 0;

	mutex_lock(&lock);
	if (!interval_ms)
		interval_ms = now.interval_ms;
	if (!quiet_ms)
		quiet_ms = min(now.quiet_ms, interval_ms);
	if (quiet_ms > 2 * interval_ms) {
		NL_SET_ERR_MSG(extack,
			       "the quiet time may be at most twice the interval: choose a shorter one or longer intervals");
		ret = -EINVAL;
		goto out;
	}
	if (now.enabled && interval_ms == now.interval_ms && quiet_ms == now.quiet_ms)
		goto out;
	disable();
	now.interval_ms = interval_ms;
	now.quiet_ms = quiet_ms;
	ret = enable();
	if (ret)
		NL_SET_ERR_MSG(extack,
			       "the kernel refused to arm a probe: is /proc/sys/debug/kprobes-optimization or ftrace_enabled switched off?");
out:
	mutex_unlock(&lock);
	return ret;
}

void tl_control_disable(void)
{
	mutex_lock(&lock);
	disable();
	/* Also if nothing was measured: names may have been used up. */
	tl_class_forget_names();
	mutex_unlock(&lock);
}

void tl_control_get(struct tl_settings *settings)
{
	mutex_lock(&lock);
	*settings = now;
	mutex_unlock(&lock);
}
