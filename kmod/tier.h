/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TIER_H
#define TL_TIER_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <uapi/linux/tierlens.h>

struct netlink_ext_ack;

#define TL_TIERS 256 /* at once; id 0 is nobody */

/* Where somebody listens. */
struct tl_endpoint {
	u32 netns; /* inode; 0 in a rule: any; TIERLENS_NETNS_GONE */
	u16 port; /* 0: a UNIX socket */
	char path[TIERLENS_SUN_PATH_MAX + 1]; /* "@" begins an abstract name */
};

/* A listening endpoint. Its place in the table, and so its id, is its own until
 * the hooks are disarmed.
 */
struct tl_tier {
	u32 id; /* 0: free */
	struct tl_endpoint at;
	u32 found_netns; /* where it was discovered */
	u8 source; /* enum tierlens_tier_source */
	u32 name_hash; /* tl_tier_hash() of the next */
	char name[TIERLENS_NAME_MAX + 1];
	char found[TIERLENS_NAME_MAX + 1]; /* name by discovery, empty if never met */
	atomic_t connections;
	/* see level.c; changed by who holds control.c's lock */
	u8 level; /* enum tierlens_level */
	bool own_level; /* it was set for this tier */
	u32 leased_to; /* whoever set it for a time; else 0 */
	u64 lease_ns; /* when that is over; 0: it was set for good */
	bool switches_stacks; /* so that functions must not be probed, see method.c */
};

struct sock;

u32 tl_tier_hash(const char *name);
int tl_tier_init(void);
void tl_tier_exit(void);
bool tl_endpoint_local(struct tl_endpoint *at, const struct sock *sk);
struct tl_tier *tl_tier_find(const struct tl_endpoint *at);
struct tl_tier *tl_tier_discover(const struct tl_endpoint *at, const char *comm);
bool tl_tier_is_gone(u32 id);
void tl_tier_name(u32 id, char *name);
int tl_tier_add_rule(const char *name, const struct tl_endpoint *at,
		     struct netlink_ext_ack *extack);
int tl_tier_del_rule(const char *name, bool *gone, struct netlink_ext_ack *extack);
void tl_tier_forget_found(void);
u8 tl_tier_level(u32 id);
u8 tl_tier_level_max(void);
unsigned int tl_tier_end(void);
struct tl_tier *tl_tier_at(unsigned int i);
struct tl_tier *tl_tier_named(const char *name);
unsigned int tl_tier_count(void);
bool tl_tier_get(unsigned int i, struct tl_tier *copy);

#endif
