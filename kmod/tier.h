/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TIER_H
#define TL_TIER_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <uapi/linux/tierlens.h>

struct netlink_ext_ack;

#define TL_TIERS 256 /* at once; id 0 is nobody */

/* A listening endpoint. Its place in the table, and so its id, is its own until
 * the hooks are disarmed.
 */
struct tl_tier {
	u32 id; /* 0: free */
	u32 netns; /* 0: a rule for any */
	u32 found_netns; /* where it was discovered */
	u16 port;
	u8 source; /* enum tierlens_tier_source */
	char name[TIERLENS_NAME_MAX + 1];
	char found[TIERLENS_NAME_MAX + 1]; /* name by discovery, empty if never met */
	atomic_t connections;
};

struct tl_tier *tl_tier_find(u32 netns, u16 port);
struct tl_tier *tl_tier_discover(u32 netns, u16 port, const char *comm);
void tl_tier_name(u32 id, char *name);
int tl_tier_add_rule(const char *name, u16 port, u32 netns, struct netlink_ext_ack *extack);
int tl_tier_del_rule(const char *name, struct netlink_ext_ack *extack);
void tl_tier_forget_found(void);
unsigned int tl_tier_count(void);
bool tl_tier_get(unsigned int i, struct tl_tier *copy);

#endif
