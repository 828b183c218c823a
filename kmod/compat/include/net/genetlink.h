/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Split operations for kernels before 6.2; see tl_compat_family_ops(). */
#ifndef TL_COMPAT_NET_GENETLINK_H
#define TL_COMPAT_NET_GENETLINK_H

#include_next <net/genetlink.h>

#ifndef TL_HAVE_GENL_SPLIT_OPS
struct genl_split_ops {
	union {
		struct {
			int (*pre_doit)(const struct genl_split_ops *ops,
					struct sk_buff *skb, struct genl_info *info);
			int (*doit)(struct sk_buff *skb, struct genl_info *info);
			void (*post_doit)(const struct genl_split_ops *ops,
					  struct sk_buff *skb, struct genl_info *info);
		};
		struct {
			int (*start)(struct netlink_callback *cb);
			int (*dumpit)(struct sk_buff *skb, struct netlink_callback *cb);
			int (*done)(struct netlink_callback *cb);
		};
	};
	const struct nla_policy *policy;
	unsigned int maxattr;
	u8 cmd;
	u8 internal_flags;
	u8 flags;
	u8 validate;
};
#endif

#endif
