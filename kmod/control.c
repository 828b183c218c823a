// SPDX-License-Identifier: GPL-2.0-or-later
/* On and off. */
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "class.h"
#include "control.h"
#include "handoff.h"
#include "interval.h"
#include "level.h"
#include "method.h"
#include "path.h"
#include "peer.h"
#include "process.h"
#include "tier.h"
#include "track.h"

#define QUIET_MS_DEFAULT 250

static struct tl_settings now = { .interval_ms = 1000, .quiet_ms = QUIET_MS_DEFAULT };
static DEFINE_MUTEX(lock); /* serialises switching; now changes with both */
static DEFINE_SPINLOCK(now_lock); /* protects now: who asks does not wait for switching */

/* It is, or is to be, as @settings say. */
static void set_now(struct tl_settings settings)
{
	lockdep_assert_held(&lock);
	spin_lock(&now_lock);
	now = settings;
	spin_unlock(&now_lock);
}

static void set_enabled(bool enabled)
{
	set_now((struct tl_settings){ enabled, now.interval_ms, now.quiet_ms });
}

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
	tl_level_disarm();
	forget();
	set_enabled(false);
}

static int enable(void)
{
	int ret;

	tl_process_usage_start();
	tl_interval_start(now.interval_ms, now.quiet_ms);
	ret = tl_level_arm();
	if (ret) {
		/* Those that were armed before the one that failed have seen things. */
		forget();
		return ret;
	}
	set_enabled(true);
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
	set_now((struct tl_settings){ false, interval_ms, quiet_ms });
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

/* Leases that are over are ended when their time has come. */
static void end_leases(struct work_struct *work);
static DECLARE_DELAYED_WORK(lease_work, end_leases);

static void look_at_leases(void)
{
	u64 next_ns;

	lockdep_assert_held(&lock);
	if (tl_level_expire(now.enabled, &next_ns))
		mod_delayed_work(system_unbound_wq, &lease_work,
				 nsecs_to_jiffies(tl_level_lease_left_ns(next_ns)) + 1);
}

static void end_leases(struct work_struct *work)
{
	mutex_lock(&lock);
	look_at_leases();
	mutex_unlock(&lock);
}

/**
 * tl_control_set_level() - Set the level of a tier, or of all that have none of their own
 * @ask: which
 * @extack: told why not
 *
 * Context: process.
 * Return: as tl_level_set().
 */
int tl_control_set_level(const struct tl_level_ask *ask, struct netlink_ext_ack *extack)
{
	int ret;

	mutex_lock(&lock);
	ret = tl_level_set(ask, now.enabled, extack);
	look_at_leases();
	mutex_unlock(&lock);
	return ret;
}

/**
 * tl_control_probe() - Probe one more function of a tier
 * @ask: which
 * @id: set to its number
 * @extack: told why not
 *
 * Context: process.
 * Return: as tl_method_add(), or -EINVAL if nothing is measured.
 */
int tl_control_probe(const struct tl_method_ask *ask, u32 *id, struct netlink_ext_ack *extack)
{
	int ret = -EINVAL;

	mutex_lock(&lock);
	if (now.enabled)
		ret = tl_method_add(ask, id, extack);
	else
		NL_SET_ERR_MSG(extack, "nothing is measured: enable that first");
	mutex_unlock(&lock);
	return ret;
}

/* The opposite, see tl_method_del(). */
int tl_control_probe_no_more(const char *tier, u32 id, struct netlink_ext_ack *extack)
{
	int ret;

	mutex_lock(&lock);
	ret = tl_method_del(tier, id, extack);
	mutex_unlock(&lock);
	return ret;
}

/**
 * tl_control_del_tier() - Delete a tier's rule
 * @name: the tier's name
 * @extack: told why not
 *
 * Context: process.
 * Return: as tl_tier_del_rule().
 */
int tl_control_del_tier(const char *name, struct netlink_ext_ack *extack)
{
	struct tl_tier *tier;
	bool gone;
	u32 id;
	int ret;

	mutex_lock(&lock);
	tier = tl_tier_named(name);
	id = tier ? tier->id : 0;
	ret = tl_tier_del_rule(name, &gone, extack);
	/* Another one may be at its place already. */
	if (!ret && gone)
		tl_level_tier_gone(tier, id, now.enabled);
	mutex_unlock(&lock);
	return ret;
}

/* The module goes. Context: process; nobody can ask for anything any more. */
void tl_control_exit(void)
{
	cancel_delayed_work_sync(&lease_work);
	tl_control_disable();
	tl_method_wait();
}

/**
 * tl_control_get() - What is set, or was until the change that is under way
 * @settings: filled in
 *
 * Does not wait for a change: that waits for every processor, and for memory.
 *
 * Context: process.
 */
void tl_control_get(struct tl_settings *settings)
{
	spin_lock(&now_lock);
	*settings = now;
	spin_unlock(&now_lock);
}
