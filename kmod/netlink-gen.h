/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/tierlens.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_TIERLENS_GEN_H
#define _LINUX_TIERLENS_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/tierlens.h>

/* Common nested types */
extern const struct nla_policy tierlens_sync_probe_nl_policy[TIERLENS_A_SYNC_PROBE_FUNCTION + 1];

/* Ops table for tierlens */
extern const struct genl_split_ops tierlens_nl_ops[19];

int tierlens_nl_interval_get_start(struct netlink_callback *cb);
int tierlens_nl_interval_get_done(struct netlink_callback *cb);

int tierlens_nl_module_get_doit(struct sk_buff *skb, struct genl_info *info);
int tierlens_nl_enable_doit(struct sk_buff *skb, struct genl_info *info);
int tierlens_nl_disable_doit(struct sk_buff *skb, struct genl_info *info);
int tierlens_nl_tier_new_doit(struct sk_buff *skb, struct genl_info *info);
int tierlens_nl_tier_del_doit(struct sk_buff *skb, struct genl_info *info);
int tierlens_nl_tier_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb);
int tierlens_nl_class_new_doit(struct sk_buff *skb, struct genl_info *info);
int tierlens_nl_class_del_doit(struct sk_buff *skb, struct genl_info *info);
int tierlens_nl_class_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int tierlens_nl_hook_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb);
int tierlens_nl_interval_get_dumpit(struct sk_buff *skb,
				    struct netlink_callback *cb);
int tierlens_nl_pmu_new_doit(struct sk_buff *skb, struct genl_info *info);
int tierlens_nl_pmu_del_doit(struct sk_buff *skb, struct genl_info *info);
int tierlens_nl_pmu_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int tierlens_nl_sync_start_doit(struct sk_buff *skb, struct genl_info *info);
int tierlens_nl_level_set_doit(struct sk_buff *skb, struct genl_info *info);
int tierlens_nl_function_new_doit(struct sk_buff *skb, struct genl_info *info);
int tierlens_nl_function_del_doit(struct sk_buff *skb, struct genl_info *info);
int tierlens_nl_function_get_dumpit(struct sk_buff *skb,
				    struct netlink_callback *cb);

enum {
	TIERLENS_NLGRP_INTERVAL,
};

#endif /* _LINUX_TIERLENS_GEN_H */
