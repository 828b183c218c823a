// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Levels: how much is seen of a tier
 *
 * A tier has a level of its own, or that of all who have none. Handlers read it where a
 * request begins, so that each is seen at one level from its first byte on. What was
 * begun at a higher level goes on to be counted from end to end, and says that its own
 * time is not known.
 *
 * Hooks are armed for the highest level of all. Those of "trace" stay armed while those of
 * "server" come and go; what threads know from before they went is of an earlier epoch,
 * and forgotten by each of them when it is seen next.
 *
 * Who sets a level for a time only (a controller) has to ask again before that is over.
 * If it dies, the tier has no level of its own any more, and no function is probed. The level
 * of those that have none of their own can be leased, too: only if no tier, those included that
 * are not known yet, asks for a hook, that costs nothing.
 *
 * All of this is serialised by who calls, see control.c.
 */
#include <linux/bitmap.h>
#include <linux/netlink.h>
#include <linux/rcupdate.h>
#include <linux/timekeeping.h>

#include "handoff.h"
#include "level.h"
#include "method.h"
#include "probe.h"
#include "process.h"
#include "snapshot.h"
#include "tier.h"
#include "track.h"
#include "usage.h"

u32 tl_level_epoch; /* odd while tl_level_nests() */
bool tl_level_follows; /* the same, and all sockets are known that calls go through */

static u8 armed = TIERLENS_LEVEL_OFF; /* or TRACE, or SERVER */
static u8 by_default = TIERLENS_LEVEL_SERVER;

static struct {
	u8 level; /* that is set for good, and comes back when the lease is over */
	u64 lease_ns; /* its end; 0: there is none */
	u32 leased_to;
} basic = { TIERLENS_LEVEL_SERVER };

u8 tl_level_default(void)
{
	return READ_ONCE(by_default);
}

/**
 * tl_level_default_lease() - Whether the level of those that have none is leased
 * @level: set to what it will be after that
 *
 * Context: any, it may be out of date.
 * Return: ns that are left of the lease; 0: there is none.
 */
u64 tl_level_default_lease(u8 *level)
{
	*level = READ_ONCE(basic.level);
	return tl_level_lease_left_ns(READ_ONCE(basic.lease_ns));
}

static void next_epoch(void)
{
	WRITE_ONCE(tl_level_epoch, tl_level_epoch + 1);
}

/* ---- what is armed ------------------------------------------------------------------ */

static int arm_trace(void)
{
	int ret = tl_probe_arm(TIERLENS_LEVEL_TRACE);

	if (ret)
		return ret;
	armed = TIERLENS_LEVEL_TRACE;
	return 0;
}

static int arm_server(void)
{
	int ret;

	tl_usage_start();
	ret = tl_probe_arm(TIERLENS_LEVEL_SERVER);
	if (ret)
		return ret;
	next_epoch();
	armed = TIERLENS_LEVEL_SERVER;
	return 0;
}

/* What threads and connections know of a tier that is at trace or off from now on; 0: of all. */
static void forget_tier(u32 id)
{
	tl_process_serve_no_more(id);
	tl_track_cut_to_trace(id);
}

/* Of what goes on, and of what begins, only the ends are looked at. */
static void follow_no_more(void)
{
	WRITE_ONCE(tl_level_follows, false);
	/* Handlers that have asked before are done. */
	synchronize_rcu();
	forget_tier(0);
}

static void disarm_server(void)
{
	follow_no_more();
	next_epoch();
	/* Handlers that were begun in the last one are done. */
	synchronize_rcu();
	tl_probe_disarm(TIERLENS_LEVEL_SERVER);
	armed = TIERLENS_LEVEL_TRACE;
}

static void disarm_trace(void)
{
	tl_probe_disarm(TIERLENS_LEVEL_TRACE);
	armed = TIERLENS_LEVEL_OFF;
}

/* Nobody follows calls any more: what was under way is not known to end. */
static void forget_calls(void)
{
	tl_usage_start();
	tl_track_forget_calls();
	tl_handoff_forget_all();
}

/* Of all tiers, those included that will be discovered. */
static u8 highest(void)
{
	u8 level = max_t(u8, by_default, tl_tier_level_max());

	return min_t(u8, level, TIERLENS_LEVEL_SERVER);
}

static int raise_to(u8 level)
{
	u8 before = armed;
	int ret = 0;

	if (armed < TIERLENS_LEVEL_TRACE && level >= TIERLENS_LEVEL_TRACE) {
		tl_process_seen_from_now();
		ret = arm_trace();
	}
	if (!ret && armed < TIERLENS_LEVEL_SERVER && level >= TIERLENS_LEVEL_SERVER)
		ret = arm_server();
	/* Sockets that nobody has looked at meanwhile. */
	if (armed > before)
		tl_snapshot();
	if (armed == TIERLENS_LEVEL_SERVER && !tl_level_follows) {
		/* Who sees that it follows sees the new epoch, too. */
		synchronize_rcu();
		WRITE_ONCE(tl_level_follows, true);
	}
	return ret;
}

static void lower_to(u8 level)
{
	if (armed > TIERLENS_LEVEL_TRACE && level <= TIERLENS_LEVEL_TRACE) {
		disarm_server();
		forget_calls();
	}
	if (armed > TIERLENS_LEVEL_OFF && level == TIERLENS_LEVEL_OFF) {
		disarm_trace();
		tl_process_usage_keep();
		tl_track_forget_all();
	}
}

/**
 * tl_level_arm() - Begin to see what the levels ask for
 *
 * Context: process; nothing is armed.
 * Return: 0, or the kernel's error, and nothing is.
 */
int tl_level_arm(void)
{
	int ret = raise_to(highest());

	if (ret)
		tl_level_disarm();
	return ret;
}

/**
 * tl_level_disarm() - See nothing any more
 *
 * Context: process. When it returns, no handler is running.
 */
void tl_level_disarm(void)
{
	tl_method_forget_all();
	if (armed == TIERLENS_LEVEL_SERVER)
		disarm_server();
	if (armed == TIERLENS_LEVEL_TRACE)
		disarm_trace();
}

/* ---- levels of tiers ---------------------------------------------------------------- */

/* Return: whether its requests are followed no longer, which is for the caller to see to. */
static bool put_level(struct tl_tier *tier, u8 level)
{
	u8 before = tier->level;

	WRITE_ONCE(tier->level, level);
	if (before == TIERLENS_LEVEL_METHOD && level != before)
		tl_method_forget(tier->id);
	return before >= TIERLENS_LEVEL_SERVER && level < TIERLENS_LEVEL_SERVER;
}

static void apply(struct tl_tier *tier, u8 level)
{
	if (!put_level(tier, level))
		return;
	/* Handlers that have read the level before are done. */
	synchronize_rcu();
	forget_tier(tier->id);
}

static void apply_default(u8 level)
{
	DECLARE_BITMAP(lowered, TL_TIERS) = {};
	struct tl_tier *tier;
	unsigned int i;

	WRITE_ONCE(by_default, level);
	/* Whoever is adding a tier with the one before is done. */
	synchronize_rcu();
	for (i = 1; (tier = tl_tier_at(i)); i++)
		if (READ_ONCE(tier->id) && !tier->own_level && put_level(tier, level))
			__set_bit(i, lowered);
	if (bitmap_empty(lowered, TL_TIERS))
		return;
	/* As above. */
	synchronize_rcu();
	for_each_set_bit(i, lowered, TL_TIERS)
		forget_tier(i);
}

/**
 * tl_level_lease_left_ns() - How much of a lease is left
 * @until_ns: its end; 0: there is none
 *
 * Return: at least 1 if there is one that was not ended yet; else 0.
 */
u64 tl_level_lease_left_ns(u64 until_ns)
{
	u64 now_ns = ktime_get_mono_fast_ns();

	if (!until_ns)
		return 0;
	return until_ns > now_ns ? until_ns - now_ns : 1;
}

static u64 lease_end_ns(const struct tl_level_ask *ask)
{
	return ask->lease_ms ? ktime_get_mono_fast_ns() + ask->lease_ms * (u64)NSEC_PER_MSEC : 0;
}

static void settle(struct tl_tier *tier, const struct tl_level_ask *ask)
{
	tier->own_level = ask->own;
	tier->lease_ns = ask->own ? lease_end_ns(ask) : 0;
	tier->leased_to = tier->lease_ns ? ask->who : 0;
	apply(tier, ask->own ? ask->level : by_default);
}

/* What was set for good is somebody's will, and of two controllers one is too many. */
static int check(const struct tl_tier *tier, const struct tl_level_ask *ask,
		 struct netlink_ext_ack *extack)
{
	bool leases = ask->lease_ms || (!ask->own && tier->leased_to == ask->who);

	if (tier->own_level && !tier->lease_ns && leases) {
		NL_SET_ERR_MSG(extack,
			       "the tier's level was set for good: take that back first (tierlens level TIER auto)");
		return -EBUSY;
	}
	if (tier->lease_ns && leases && tier->leased_to != ask->who) {
		NL_SET_ERR_MSG(extack,
			       "another controller holds the tier's level: end that one, or wait until its lease is over");
		return -EBUSY;
	}
	return 0;
}

static int set_default(const struct tl_level_ask *ask, bool enabled,
		       struct netlink_ext_ack *extack)
{
	int ret;

	if (basic.lease_ns && ask->lease_ms && basic.leased_to != ask->who) {
		NL_SET_ERR_MSG(extack,
			       "another controller holds the level of all tiers: end that one, or wait until its lease is over");
		return -EBUSY;
	}
	ret = enabled ? raise_to(min_t(u8, ask->level, TIERLENS_LEVEL_SERVER)) : 0;
	if (ret)
		return ret;
	if (!ask->lease_ms)
		WRITE_ONCE(basic.level, ask->level);
	WRITE_ONCE(basic.lease_ns, lease_end_ns(ask));
	basic.leased_to = ask->who;
	if (ask->level != by_default)
		apply_default(ask->level);
	return 0;
}

static int set_tier(const struct tl_level_ask *ask, bool enabled,
		    struct netlink_ext_ack *extack)
{
	struct tl_tier *tier = tl_tier_named(ask->tier);
	int ret;

	if (!tier) {
		NL_SET_ERR_MSG(extack, "no tier has that name: see the list of tiers");
		return -ENOENT;
	}
	ret = check(tier, ask, extack);
	if (!ret && enabled)
		ret = raise_to(min_t(u8, ask->own ? ask->level : by_default,
				     TIERLENS_LEVEL_SERVER));
	if (!ret)
		settle(tier, ask);
	return ret;
}

/**
 * tl_level_set() - Set the level of a tier, or of all that have none of their own
 * @ask: which
 * @enabled: the module measures, so that hooks are armed as it takes
 * @extack: told why not
 *
 * Context: process.
 * Return: 0, -ENOENT, -EBUSY, or the kernel's error in arming hooks, and nothing has changed.
 */
int tl_level_set(const struct tl_level_ask *ask, bool enabled, struct netlink_ext_ack *extack)
{
	int ret = ask->tier ? set_tier(ask, enabled, extack) : set_default(ask, enabled, extack);

	if (enabled)
		lower_to(highest());
	return ret;
}

/* Return: whether the lease on the default goes on. */
static bool expire_default(u64 now_ns)
{
	if (basic.lease_ns > now_ns)
		return true;
	if (basic.lease_ns) {
		WRITE_ONCE(basic.lease_ns, 0);
		apply_default(basic.level);
	}
	return false;
}

/**
 * tl_level_expire() - End the leases that are over
 * @enabled: as above
 * @next_ns: set to when the next one will be
 *
 * Context: process.
 * Return: whether there is a next one.
 */
bool tl_level_expire(bool enabled, u64 *next_ns)
{
	static const struct tl_level_ask none;
	u64 now_ns = ktime_get_mono_fast_ns();
	struct tl_tier *tier;
	bool more = expire_default(now_ns);
	unsigned int i;

	*next_ns = basic.lease_ns;
	for (i = 1; (tier = tl_tier_at(i)); i++) {
		if (!READ_ONCE(tier->id) || !tier->lease_ns)
			continue;
		if (tier->lease_ns <= now_ns) {
			settle(tier, &none);
			continue;
		}
		*next_ns = more ? min(*next_ns, tier->lease_ns) : tier->lease_ns;
		more = true;
	}
	if (enabled)
		raise_to(highest());
	if (enabled)
		lower_to(highest());
	return more;
}

/**
 * tl_level_tier_gone() - A tier is no more whose rule was all that there was of it
 * @tier: its place
 * @id: the number that it had
 * @enabled: as above
 *
 * Context: process; whoever is discovered at its place has no level of its own.
 */
void tl_level_tier_gone(struct tl_tier *tier, u32 id, bool enabled)
{
	tier->own_level = false;
	tier->lease_ns = 0;
	tier->leased_to = 0;
	tl_method_forget(id);
	if (enabled)
		lower_to(highest());
}
