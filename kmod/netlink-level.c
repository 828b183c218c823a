// SPDX-License-Identifier: GPL-2.0-or-later
/* Levels of tiers, and the functions that are probed, over netlink. */
#include <linux/file.h>
#include <linux/slab.h>

#include "control.h"
#include "level.h"
#include "method.h"
#include "netlink-gen.h"
#include "netlink-put.h"

static u32 get_u32(const struct genl_info *info, int type)
{
	return info->attrs[type] ? nla_get_u32(info->attrs[type]) : 0;
}

static int get_lease(struct genl_info *info, struct tl_level_ask *ask)
{
	struct nlattr *attr = info->attrs[TIERLENS_A_TIER_LEASE_MS];

	if (!attr)
		return 0;
	ask->lease_ms = nla_get_u32(attr);
	if (ask->lease_ms < TIERLENS_LEASE_MS_MIN || ask->lease_ms > TIERLENS_LEASE_MS_MAX) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "the lease is too short or too long: give 100 ms to ten minutes");
		return -ERANGE;
	}
	if (!ask->own) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "a lease is for a level: give that, too");
		return -EINVAL;
	}
	return 0;
}

static int get_level(struct genl_info *info, struct tl_level_ask *ask)
{
	int ret = tl_nl_refuse_twice(info->nlhdr, info->extack);

	if (!ret)
		ret = tl_nl_get_string(info, TIERLENS_A_TIER_NAME, &ask->tier);
	if (ret)
		return ret;
	ask->who = info->snd_portid;
	ask->own = info->attrs[TIERLENS_A_TIER_LEVEL];
	ask->level = get_u32(info, TIERLENS_A_TIER_LEVEL);
	if (!*ask->tier)
		ask->tier = NULL;
	if (!ask->tier && !ask->own) {
		NL_SET_ERR_MSG(info->extack,
			       "neither a tier nor a level is given: give one at least");
		return -EINVAL;
	}
	if (!ask->tier && ask->level == TIERLENS_LEVEL_METHOD) {
		NL_SET_ERR_MSG(info->extack,
			       "method is a level of single tiers: give the tier's name");
		return -EINVAL;
	}
	return get_lease(info, ask);
}

int tierlens_nl_level_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct tl_level_ask ask = {};
	int ret = get_level(info, &ask);

	return ret ? ret : tl_control_set_level(&ask, info->extack);
}

static int refuse_missing(struct genl_info *info)
{
	NL_SET_ERR_MSG(info->extack,
		       "a function's file, program or offset is missing: give all three");
	return -EINVAL;
}

static int get_files(struct genl_info *info, struct tl_method_ask *ask)
{
	if (!info->attrs[TIERLENS_A_FUNCTION_FILE] || !info->attrs[TIERLENS_A_FUNCTION_PROGRAM] ||
	    !info->attrs[TIERLENS_A_FUNCTION_OFFSET])
		return refuse_missing(info);
	ask->offset = nla_get_u64(info->attrs[TIERLENS_A_FUNCTION_OFFSET]);
	ask->rate_max = get_u32(info, TIERLENS_A_FUNCTION_RATE_MAX);
	ask->file = fget(get_u32(info, TIERLENS_A_FUNCTION_FILE));
	ask->program = fget(get_u32(info, TIERLENS_A_FUNCTION_PROGRAM));
	if (ask->file && ask->program)
		return 0;
	NL_SET_ERR_MSG(info->extack,
		       "the function's file or its program is not open: open both for reading");
	return -EBADF;
}

static void put_files(const struct tl_method_ask *ask)
{
	if (ask->file)
		fput(ask->file);
	if (ask->program)
		fput(ask->program);
}

static int reply_id(struct genl_info *info, u32 id)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *head;

	if (!skb)
		return -ENOMEM;
	head = tl_nl_reply_put(skb, info, TIERLENS_CMD_FUNCTION_NEW);
	if (!head || nla_put_u32(skb, TIERLENS_A_FUNCTION_ID, id)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return genlmsg_reply(skb, info);
}

int tierlens_nl_function_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct tl_method_ask ask = {};
	u32 id = 0;
	int ret;

	/* As the kernel has it: a probe in the midst of an instruction would break a program. */
	if (!tl_nl_may_perfmon(skb)) {
		NL_SET_ERR_MSG(info->extack,
			       "probing functions needs CAP_PERFMON or CAP_SYS_ADMIN, too");
		return -EPERM;
	}
	ret = tl_nl_refuse_twice(info->nlhdr, info->extack);
	if (!ret)
		ret = tl_nl_get_name(info, TIERLENS_A_FUNCTION_TIER, &ask.tier);
	if (!ret)
		ret = tl_nl_get_name(info, TIERLENS_A_FUNCTION_NAME, &ask.name);
	if (!ret)
		ret = get_files(info, &ask);
	if (!ret)
		ret = tl_control_probe(&ask, &id, info->extack);
	put_files(&ask);
	return ret ? ret : reply_id(info, id);
}

int tierlens_nl_function_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	const char *tier;
	int ret;

	ret = tl_nl_refuse_twice(info->nlhdr, info->extack);
	if (!ret)
		ret = tl_nl_get_name(info, TIERLENS_A_FUNCTION_TIER, &tier);
	if (!ret)
		ret = tl_control_probe_no_more(tier, get_u32(info, TIERLENS_A_FUNCTION_ID),
					       info->extack);
	return ret;
}

static int put_function(struct sk_buff *skb, const struct tl_method_view *function)
{
	if (nla_put_u32(skb, TIERLENS_A_FUNCTION_ID, function->id) ||
	    nla_put_string(skb, TIERLENS_A_FUNCTION_TIER, function->tier) ||
	    nla_put_string(skb, TIERLENS_A_FUNCTION_NAME, function->name) ||
	    tl_nl_put_u64(skb, TIERLENS_A_FUNCTION_OFFSET, function->offset) ||
	    nla_put_u32(skb, TIERLENS_A_FUNCTION_STATE, function->state) ||
	    tl_nl_put_u64(skb, TIERLENS_A_FUNCTION_HITS, function->hits) ||
	    tl_nl_put_u64(skb, TIERLENS_A_FUNCTION_LOST, function->lost) ||
	    nla_put_u32(skb, TIERLENS_A_FUNCTION_RATE_MAX, function->rate_max))
		return -EMSGSIZE;
	return 0;
}

int tierlens_nl_function_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct tl_method_view function;
	void *head;

	for (; tl_method_get(cb->args[0], &function); cb->args[0]++) {
		if (!function.id)
			continue;
		head = tl_nl_dump_put(skb, cb, TIERLENS_CMD_FUNCTION_GET);
		if (!head)
			break;
		if (put_function(skb, &function)) {
			genlmsg_cancel(skb, head);
			break;
		}
		genlmsg_end(skb, head);
	}
	return skb->len;
}
