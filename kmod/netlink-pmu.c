// SPDX-License-Identifier: GPL-2.0-or-later
/* Which events are counted, over netlink. */
#include "netlink-gen.h"
#include "netlink-put.h"
#include "pmu.h"

static u64 get_u64(const struct genl_info *info, int type)
{
	return info->attrs[type] ? nla_get_u64(info->attrs[type]) : 0;
}

int tierlens_nl_pmu_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct tl_pmu_view event = { 0 };
	const char *name;
	int ret;

	/* As the kernel has it of counters for all processors: they tell of others' work. */
	if (!tl_nl_may_perfmon(skb)) {
		NL_SET_ERR_MSG(info->extack,
			       "counting events needs CAP_PERFMON or CAP_SYS_ADMIN, too");
		return -EPERM;
	}
	ret = tl_nl_refuse_twice(info->nlhdr, info->extack);
	if (!ret)
		ret = tl_nl_get_name(info, TIERLENS_A_PMU_NAME, &name);
	if (ret)
		return ret;
	if (!info->attrs[TIERLENS_A_PMU_TYPE]) {
		NL_SET_ERR_MSG(info->extack, "the event's type is missing: give one");
		return -EINVAL;
	}
	strscpy(event.name, name, sizeof(event.name));
	event.type = nla_get_u32(info->attrs[TIERLENS_A_PMU_TYPE]);
	event.config = get_u64(info, TIERLENS_A_PMU_CONFIG);
	event.config1 = get_u64(info, TIERLENS_A_PMU_CONFIG1);
	event.charged = nla_get_flag(info->attrs[TIERLENS_A_PMU_CHARGED]);
	return tl_pmu_add(&event, info->extack);
}

int tierlens_nl_pmu_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	const char *name = "";
	int ret;

	ret = tl_nl_refuse_twice(info->nlhdr, info->extack);
	if (!ret && info->attrs[TIERLENS_A_PMU_NAME])
		ret = tl_nl_get_name(info, TIERLENS_A_PMU_NAME, &name);
	return ret ? ret : tl_pmu_del(name, info->extack);
}

static int put_event(struct sk_buff *skb, const struct tl_pmu_view *event)
{
	if (nla_put_u32(skb, TIERLENS_A_PMU_ID, event->id) ||
	    nla_put_string(skb, TIERLENS_A_PMU_NAME, event->name) ||
	    nla_put_u32(skb, TIERLENS_A_PMU_TYPE, event->type) ||
	    tl_nl_put_u64(skb, TIERLENS_A_PMU_CONFIG, event->config) ||
	    tl_nl_put_u64(skb, TIERLENS_A_PMU_CONFIG1, event->config1) ||
	    nla_put_u32(skb, TIERLENS_A_PMU_CPUS, event->cpus) ||
	    (event->charged && nla_put_flag(skb, TIERLENS_A_PMU_CHARGED)))
		return -EMSGSIZE;
	return 0;
}

int tierlens_nl_pmu_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct tl_pmu_view event;
	void *head;

	for (; tl_pmu_get(cb->args[0], &event); cb->args[0]++) {
		if (!event.id)
			continue;
		head = tl_nl_dump_put(skb, cb, TIERLENS_CMD_PMU_GET);
		if (!head)
			break;
		if (put_event(skb, &event)) {
			genlmsg_cancel(skb, head);
			break;
		}
		genlmsg_end(skb, head);
	}
	return skb->len;
}
