/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LEVEL_H
#define TL_LEVEL_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <uapi/linux/tierlens.h>

struct netlink_ext_ack;
struct tl_tier;

/**
 * struct tl_level_ask - What is asked of a level
 * @tier: name of the tier; NULL: all that have none of their own
 * @own: a level is given; else the tier has none of its own any more
 * @level: enum tierlens_level
 * @lease_ms: for how long it holds; 0: until it is changed
 * @who: the port of who asks, nobody else may change what he leases
 */
struct tl_level_ask {
	const char *tier;
	bool own;
	u8 level;
	u32 lease_ms;
	u32 who;
};

extern u32 tl_level_epoch;
extern bool tl_level_follows;

/**
 * tl_level_nests() - Whether it is followed what requests wait for
 *
 * If no tier asks for it, the hooks that it takes are not armed, and what threads and
 * connections know of it is of an earlier epoch.
 */
static inline bool tl_level_nests(void)
{
	return READ_ONCE(tl_level_epoch) & 1;
}

/**
 * tl_level_follows_new() - Whether requests that begin can be followed to their end
 *
 * Not yet, or not any more, where hooks come and go, or sockets are not known that calls go
 * through: what began then would have its calls' time for its own.
 */
static inline bool tl_level_follows_new(void)
{
	return READ_ONCE(tl_level_follows);
}

int tl_level_arm(void);
void tl_level_disarm(void);
u8 tl_level_default(void);
u64 tl_level_default_lease(u8 *level);
int tl_level_set(const struct tl_level_ask *ask, bool enabled, struct netlink_ext_ack *extack);
bool tl_level_expire(bool enabled, u64 *next_ns);
u64 tl_level_lease_left_ns(u64 until_ns);
void tl_level_tier_gone(struct tl_tier *tier, u32 id, bool enabled);

#endif
