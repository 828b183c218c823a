/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the netlink family share; nobody else includes this. */
#ifndef TL_NETLINK_PUT_H
#define TL_NETLINK_PUT_H

#include <linux/capability.h>
#include <net/genetlink.h>
#include <uapi/linux/tierlens.h>

struct tl_events;
struct tl_interval;
struct tl_totals;

static inline int tl_nl_put_u64(struct sk_buff *skb, int type, u64 value)
{
	/* Every attribute set has its pad as number one. */
	return nla_put_u64_64bit(skb, type, value, TIERLENS_A_MODULE_PAD);
}

/* As perfmon_capable(), but of who has opened the socket, too, if it is written to like a file. */
static inline bool tl_nl_may_perfmon(const struct sk_buff *skb)
{
	return netlink_capable(skb, CAP_PERFMON) || netlink_capable(skb, CAP_SYS_ADMIN);
}

int tl_nl_get_name(struct genl_info *info, int type, const char **name);
int tl_nl_get_string(struct genl_info *info, int type, const char **text);
int tl_nl_refuse_twice(const struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
int tl_nl_put_events(struct sk_buff *skb, int type, const struct tl_events *events);
int tl_nl_put_losses(struct sk_buff *skb, int type, const struct tl_totals *totals);
int tl_nl_put_cost(struct sk_buff *skb, int type, const struct tl_totals *totals);
int tl_nl_put_interval_head(struct sk_buff *skb, const struct tl_interval *interval);
void *tl_nl_reply_put(struct sk_buff *skb, struct genl_info *info, u8 cmd);
void *tl_nl_dump_put(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd);

#endif
