// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The netlink family
 *
 * Spec: Documentation/netlink/specs/tierlens.yaml; netlink-gen.[ch] come from it.
 * Every refusal carries a sentence. What a policy cannot say is checked here: an
 * attribute that is missing, or given twice.
 */
#include <linux/module.h>
#include <net/genetlink.h>
#include <tierlens-version.h>

#include "class.h"
#include "compat/compat.h"
#include "conn.h"
#include "control.h"
#include "handoff.h"
#include "ledger.h"
#include "interval.h"
#include "level.h"
#include "method.h"
#include "join.h"
#include "memory.h"
#include "netlink-gen.h"
#include "netlink-put.h"
#include "netlink.h"
#include "path.h"
#include "peer.h"
#include "probe.h"
#include "shard.h"
#include "stats.h"
#include "thread.h"
#include "tier.h"
#include "usage.h"
#include "way.h"

static const struct genl_multicast_group groups[] = {
	[TIERLENS_NLGRP_INTERVAL] = { .name = TIERLENS_MCGRP_INTERVAL },
};

static struct genl_family family __ro_after_init = {
	.name = TIERLENS_GENL_NAME,
	.version = TIERLENS_GENL_VERSION,
	.module = THIS_MODULE,
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
	/* To disable waits for all tasks of the host; all families would wait with it. */
	.parallel_ops = true,
};

static bool registered;

int tl_nl_refuse_twice(const struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	u64 seen = 0;
	int rest;

	nlmsg_for_each_attr(attr, nlh, GENL_HDRLEN, rest) {
		u64 bit = BIT_ULL(nla_type(attr) & 63);

		if (seen & bit) {
			NL_SET_ERR_MSG_ATTR(extack, attr,
					    "an attribute is there twice: send each once");
			return -EINVAL;
		}
		seen |= bit;
	}
	return 0;
}

int tl_nl_put_events(struct sk_buff *skb, int type, const struct tl_events *events)
{
	struct nlattr *nest = nla_nest_start(skb, type);

	if (!nest || tl_nl_put_u64(skb, TIERLENS_A_EVENTS_SEEN, events->seen) ||
	    tl_nl_put_u64(skb, TIERLENS_A_EVENTS_ATTRIBUTED, events->became[TL_ATTRIBUTED]) ||
	    tl_nl_put_u64(skb, TIERLENS_A_EVENTS_UNATTRIBUTED, events->became[TL_UNATTRIBUTED]) ||
	    tl_nl_put_u64(skb, TIERLENS_A_EVENTS_IGNORED, events->became[TL_IGNORED]))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int tl_nl_put_losses(struct sk_buff *skb, int type, const struct tl_totals *totals)
{
	static const u8 names[TL_LOSS_KINDS] = {
		[TL_LOSS_CONNECTIONS_FULL] = TIERLENS_A_LOSSES_CONNECTIONS_FULL,
		[TL_LOSS_THREADS_FULL] = TIERLENS_A_LOSSES_THREADS_FULL,
		[TL_LOSS_CELLS_FULL] = TIERLENS_A_LOSSES_CELLS_FULL,
		[TL_LOSS_TIERS_FULL] = TIERLENS_A_LOSSES_TIERS_FULL,
		[TL_LOSS_PEERS_FULL] = TIERLENS_A_LOSSES_PEERS_FULL,
		[TL_LOSS_CALLS_FULL] = TIERLENS_A_LOSSES_CALLS_FULL,
		[TL_LOSS_LATE] = TIERLENS_A_LOSSES_LATE,
		[TL_LOSS_QUIET] = TIERLENS_A_LOSSES_QUIET,
		[TL_LOSS_UNANSWERED] = TIERLENS_A_LOSSES_UNANSWERED,
		[TL_LOSS_PUSH] = TIERLENS_A_LOSSES_PUSH,
		[TL_LOSS_AMBIGUOUS] = TIERLENS_A_LOSSES_AMBIGUOUS,
		[TL_LOSS_PATHS_FULL] = TIERLENS_A_LOSSES_PATHS_FULL,
		[TL_LOSS_HANDOFFS_DROPPED] = TIERLENS_A_LOSSES_HANDOFFS_DROPPED,
	};
	struct nlattr *nest = nla_nest_start(skb, type);
	unsigned int i;

	if (!nest || tl_nl_put_u64(skb, TIERLENS_A_LOSSES_PROBES_MISSED, totals->probes_missed))
		return -EMSGSIZE;
	for (i = 0; i < TL_LOSS_KINDS; i++)
		if (tl_nl_put_u64(skb, names[i], totals->loss[i]))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int tl_nl_put_cost(struct sk_buff *skb, int type, const struct tl_totals *totals)
{
	const struct tl_cost *function = &totals->cost[TL_COST_FUNCTION];
	struct nlattr *nest = nla_nest_start(skb, type);
	u64 hits = 0, ns = 0, way_ns = 0;
	unsigned int i;

	for (i = 0; i < TL_COST_FUNCTION; i++) {
		hits += totals->cost[i].hits;
		ns += totals->cost[i].ns;
		way_ns += totals->cost[i].hits * tl_way_ns(i);
	}
	if (!nest || tl_nl_put_u64(skb, TIERLENS_A_COST_HOOK_HITS, hits) ||
	    tl_nl_put_u64(skb, TIERLENS_A_COST_HOOK_NS, ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_COST_HOOK_WAY_NS, way_ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_COST_FUNCTION_HITS, function->hits) ||
	    tl_nl_put_u64(skb, TIERLENS_A_COST_FUNCTION_NS, function->ns))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_lease(struct sk_buff *skb)
{
	u8 from;
	u64 left_ns = tl_level_default_lease(&from);

	if (!left_ns)
		return 0;
	if (nla_put_u32(skb, TIERLENS_A_MODULE_LEASE_MS,
			DIV_ROUND_UP_ULL(left_ns, NSEC_PER_MSEC)) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_LEASED_FROM, from))
		return -EMSGSIZE;
	return 0;
}

static int put_occupancy(struct sk_buff *skb, int type, const struct tl_conn_count *conns)
{
	struct nlattr *nest = nla_nest_start(skb, type);

	if (!nest || tl_nl_put_u64(skb, TIERLENS_A_OCCUPANCY_SERVERS, conns->servers) ||
	    tl_nl_put_u64(skb, TIERLENS_A_OCCUPANCY_CLIENTS, conns->clients) ||
	    tl_nl_put_u64(skb, TIERLENS_A_OCCUPANCY_ERRANDS, conns->errands) ||
	    tl_nl_put_u64(skb, TIERLENS_A_OCCUPANCY_THREADS, tl_thread_count()) ||
	    tl_nl_put_u64(skb, TIERLENS_A_OCCUPANCY_PROCESSES, tl_process_count()) ||
	    tl_nl_put_u64(skb, TIERLENS_A_OCCUPANCY_LEDGERS, tl_ledger_count()) ||
	    tl_nl_put_u64(skb, TIERLENS_A_OCCUPANCY_HANDOFFS, tl_handoff_count()) ||
	    tl_nl_put_u64(skb, TIERLENS_A_OCCUPANCY_OFFERS, tl_join_count()) ||
	    tl_nl_put_u64(skb, TIERLENS_A_OCCUPANCY_TIERS, tl_tier_count()) ||
	    tl_nl_put_u64(skb, TIERLENS_A_OCCUPANCY_PEERS, tl_peer_count()) ||
	    tl_nl_put_u64(skb, TIERLENS_A_OCCUPANCY_PATHS, tl_path_count()) ||
	    tl_nl_put_u64(skb, TIERLENS_A_OCCUPANCY_SUMS, tl_shard_count()))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_module(struct sk_buff *skb)
{
	struct tl_conn_count conns;
	struct tl_settings settings;
	struct tl_totals totals;
	u64 oldest, newest;

	tl_control_get(&settings);
	tl_interval_kept(&oldest, &newest);
	tl_stats_sum(&totals, tl_probe_missed());
	tl_conn_count(&conns);
	if (nla_put_string(skb, TIERLENS_A_MODULE_VERSION, TIERLENS_VERSION) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_ABI, TIERLENS_ABI) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_ENABLED, settings.enabled) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_INTERVAL_MS, settings.interval_ms) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_QUIET_MS, settings.quiet_ms) ||
	    tl_nl_put_u64(skb, TIERLENS_A_MODULE_OLDEST, oldest) ||
	    tl_nl_put_u64(skb, TIERLENS_A_MODULE_NEWEST, newest) ||
	    tl_nl_put_u64(skb, TIERLENS_A_MODULE_MEMORY_USED, tl_memory_used()) ||
	    tl_nl_put_u64(skb, TIERLENS_A_MODULE_MEMORY_CAP, tl_memory_cap()) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_CONNECTIONS, conns.servers + conns.clients) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_THREADS, tl_thread_count()) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_TIERS, tl_tier_count()) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_CLASS_RULES, tl_class_count()) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_PATHS, tl_path_count()) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_PROCESSORS, num_possible_cpus()) ||
	    tl_nl_put_events(skb, TIERLENS_A_MODULE_EVENTS, &totals.events) ||
	    tl_nl_put_losses(skb, TIERLENS_A_MODULE_LOSSES, &totals) ||
	    put_occupancy(skb, TIERLENS_A_MODULE_OCCUPANCY, &conns) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_LEVEL, tl_level_default()) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_FUNCTIONS, tl_method_count()) ||
	    tl_nl_put_cost(skb, TIERLENS_A_MODULE_COST, &totals) || put_lease(skb))
		return -EMSGSIZE;
	return 0;
}

int tierlens_nl_module_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *reply;
	void *head;
	int ret = -EMSGSIZE;

	reply = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;
	head = tl_nl_reply_put(reply, info, TIERLENS_CMD_MODULE_GET);
	if (head)
		ret = put_module(reply);
	if (ret) {
		nlmsg_free(reply);
		return ret;
	}
	genlmsg_end(reply, head);
	return genlmsg_reply(reply, info);
}

static u32 get_u32(struct genl_info *info, int type)
{
	return info->attrs[type] ? nla_get_u32(info->attrs[type]) : 0;
}

int tierlens_nl_enable_doit(struct sk_buff *skb, struct genl_info *info)
{
	u32 interval_ms = get_u32(info, TIERLENS_A_MODULE_INTERVAL_MS);
	int ret = tl_nl_refuse_twice(info->nlhdr, info->extack);

	if (ret)
		return ret;
	if (interval_ms > TIERLENS_INTERVAL_MS_MAX) {
		NL_SET_ERR_MSG(info->extack, "the interval is too long: give 100 ms to one hour");
		return -ERANGE;
	}
	return tl_control_enable(interval_ms, get_u32(info, TIERLENS_A_MODULE_QUIET_MS),
				 info->extack);
}

int tierlens_nl_disable_doit(struct sk_buff *skb, struct genl_info *info)
{
	tl_control_disable();
	return 0;
}

/* Names go to terminals, pages and JSON, which half a UTF-8 character would break. */
static bool printable(const char *text)
{
	for (; *text; text++)
		if ((u8)*text < ' ' || (u8)*text >= 0x7f)
			return false;
	return true;
}

int tl_nl_get_string(struct genl_info *info, int type, const char **text)
{
	struct nlattr *attr = info->attrs[type];

	*text = attr ? nla_data(attr) : "";
	if (attr && strlen(*text) + 1 != nla_len(attr)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "a string has bytes after its end: send one string");
		return -EINVAL;
	}
	if (attr && (!**text || !printable(*text))) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "a string is empty or not of printable ASCII characters: choose another");
		return -EINVAL;
	}
	return 0;
}

int tl_nl_get_name(struct genl_info *info, int type, const char **name)
{
	if (!info->attrs[type]) {
		NL_SET_ERR_MSG(info->extack, "the name is missing: give one");
		return -EINVAL;
	}
	return tl_nl_get_string(info, type, name);
}

/* A port or a path, of which one must be there. */
static int get_endpoint(struct genl_info *info, struct tl_endpoint *at)
{
	u32 port = get_u32(info, TIERLENS_A_TIER_PORT);
	const char *path;
	int ret = tl_nl_get_string(info, TIERLENS_A_TIER_PATH, &path);

	if (ret)
		return ret;
	if (!*path && (!port || port > TIERLENS_PORT_MAX)) {
		NL_SET_ERR_MSG(info->extack,
			       "the tier's port is missing or out of range: give 1 to 65535, or a path");
		return port ? -ERANGE : -EINVAL;
	}
	if (*path && (port || (*path != '/' && *path != '@'))) {
		NL_SET_ERR_MSG(info->extack,
			       "a tier has either a port or a path, which begins with / or @: give one");
		return -EINVAL;
	}
	at->port = port;
	at->netns = get_u32(info, TIERLENS_A_TIER_NETNS);
	strscpy(at->path, path, sizeof(at->path));
	return 0;
}

int tierlens_nl_tier_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct tl_endpoint at;
	const char *name;
	int ret;

	ret = tl_nl_refuse_twice(info->nlhdr, info->extack);
	if (!ret)
		ret = tl_nl_get_name(info, TIERLENS_A_TIER_NAME, &name);
	if (!ret)
		ret = get_endpoint(info, &at);
	return ret ? ret : tl_tier_add_rule(name, &at, info->extack);
}

int tierlens_nl_tier_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	const char *name;
	int ret;

	ret = tl_nl_refuse_twice(info->nlhdr, info->extack);
	if (!ret)
		ret = tl_nl_get_name(info, TIERLENS_A_TIER_NAME, &name);
	return ret ? ret : tl_control_del_tier(name, info->extack);
}

/* What both commands about a rule are given. */
struct class_request {
	const char *name;
	const char *tier;
	const void *prefix; /* NULL: none */
	unsigned int len;
};

static int get_class(struct genl_info *info, struct class_request *request)
{
	struct nlattr *prefix = info->attrs[TIERLENS_A_CLASS_PREFIX];
	int ret;

	ret = tl_nl_refuse_twice(info->nlhdr, info->extack);
	if (!ret)
		ret = tl_nl_get_name(info, TIERLENS_A_CLASS_NAME, &request->name);
	if (!ret)
		ret = tl_nl_get_string(info, TIERLENS_A_CLASS_TIER, &request->tier);
	if (ret)
		return ret;
	request->prefix = prefix ? nla_data(prefix) : NULL;
	request->len = prefix ? nla_len(prefix) : 0;
	if (prefix && (!request->len || request->len > TIERLENS_PREFIX_MAX)) {
		NL_SET_ERR_MSG_ATTR(info->extack, prefix,
				    "the prefix is empty or too long: give 1 to 64 bytes");
		return -ERANGE;
	}
	return 0;
}

int tierlens_nl_class_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct class_request request;
	int ret = get_class(info, &request);

	if (ret)
		return ret;
	if (!request.prefix) {
		NL_SET_ERR_MSG(info->extack, "the prefix is missing: give 1 to 64 bytes");
		return -EINVAL;
	}
	if (!strcmp(request.name, "other")) {
		NL_SET_ERR_MSG(info->extack,
			       "\"other\" is what no rule matches: choose another name");
		return -EINVAL;
	}
	return tl_class_add(request.name, request.prefix, request.len, request.tier,
			    info->extack);
}

int tierlens_nl_class_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct class_request request;
	int ret = get_class(info, &request);

	if (ret)
		return ret;
	/* It would delete the class's rules for all the other tiers, too. */
	if (!request.prefix && *request.tier) {
		NL_SET_ERR_MSG(info->extack,
			       "a tier without a prefix: give the prefix, too, or neither to delete the class");
		return -EINVAL;
	}
	return tl_class_del(request.name, request.prefix, request.len, request.tier,
			    info->extack);
}

/* The head of an answer to one request. */
void *tl_nl_reply_put(struct sk_buff *skb, struct genl_info *info, u8 cmd)
{
	return genlmsg_put_reply(skb, info, &family, 0, cmd);
}

void *tl_nl_dump_put(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &family,
			   NLM_F_MULTI, cmd);
}

static int put_tier(struct sk_buff *skb, const struct tl_tier *tier)
{
	u64 left_ns = tl_level_lease_left_ns(tier->lease_ns);

	if (nla_put_u32(skb, TIERLENS_A_TIER_ID, tier->id) ||
	    nla_put_string(skb, TIERLENS_A_TIER_NAME, tier->name) ||
	    nla_put_u32(skb, TIERLENS_A_TIER_PORT, tier->at.port) ||
	    nla_put_u32(skb, TIERLENS_A_TIER_NETNS, tier->at.netns) ||
	    (!tier->at.port && nla_put_string(skb, TIERLENS_A_TIER_PATH, tier->at.path)) ||
	    nla_put_u32(skb, TIERLENS_A_TIER_SOURCE, tier->source) ||
	    nla_put_u32(skb, TIERLENS_A_TIER_CONNECTIONS, atomic_read(&tier->connections)) ||
	    nla_put_u32(skb, TIERLENS_A_TIER_LEVEL, tier->level) ||
	    (left_ns && nla_put_u32(skb, TIERLENS_A_TIER_LEASE_MS,
				    DIV_ROUND_UP_ULL(left_ns, NSEC_PER_MSEC))) ||
	    (tier->own_level && nla_put_flag(skb, TIERLENS_A_TIER_OWN_LEVEL)))
		return -EMSGSIZE;
	return 0;
}

int tierlens_nl_tier_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct tl_tier tier;
	void *head;

	for (; tl_tier_get(cb->args[0] + 1, &tier); cb->args[0]++) {
		if (!tier.id)
			continue;
		head = tl_nl_dump_put(skb, cb, TIERLENS_CMD_TIER_GET);
		if (!head)
			break;
		if (put_tier(skb, &tier)) {
			genlmsg_cancel(skb, head);
			break;
		}
		genlmsg_end(skb, head);
	}
	return skb->len;
}

static int put_class(struct sk_buff *skb, const struct tl_class_view *rule)
{
	if (nla_put_u32(skb, TIERLENS_A_CLASS_ID, rule->id) ||
	    nla_put_string(skb, TIERLENS_A_CLASS_NAME, rule->name) ||
	    nla_put(skb, TIERLENS_A_CLASS_PREFIX, rule->len, rule->prefix) ||
	    (rule->tier[0] && nla_put_string(skb, TIERLENS_A_CLASS_TIER, rule->tier)) ||
	    tl_nl_put_u64(skb, TIERLENS_A_CLASS_HITS, rule->hits))
		return -EMSGSIZE;
	return 0;
}

int tierlens_nl_class_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct tl_class_view rule;
	void *head;

	for (; tl_class_get(cb->args[0], &rule); cb->args[0]++) {
		if (!rule.len)
			continue;
		head = tl_nl_dump_put(skb, cb, TIERLENS_CMD_CLASS_GET);
		if (!head)
			break;
		if (put_class(skb, &rule)) {
			genlmsg_cancel(skb, head);
			break;
		}
		genlmsg_end(skb, head);
	}
	return skb->len;
}

static int put_hook(struct sk_buff *skb, const struct tl_hook_view *hook)
{
	if (nla_put_string(skb, TIERLENS_A_HOOK_NAME, hook->name) ||
	    nla_put_string(skb, TIERLENS_A_HOOK_SYMBOL, hook->symbol) ||
	    nla_put_u32(skb, TIERLENS_A_HOOK_STATE, hook->state) ||
	    nla_put_u32(skb, TIERLENS_A_HOOK_REQUIRED, hook->required) ||
	    tl_nl_put_u64(skb, TIERLENS_A_HOOK_HITS, hook->of.hits) ||
	    tl_nl_put_u64(skb, TIERLENS_A_HOOK_MISSED, hook->missed) ||
	    tl_nl_put_u64(skb, TIERLENS_A_HOOK_TIMED, hook->of.timed) ||
	    tl_nl_put_u64(skb, TIERLENS_A_HOOK_TIMED_NS, hook->of.ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_HOOK_FLOOR_NS, hook->floor_ns))
		return -EMSGSIZE;
	return 0;
}

int tierlens_nl_hook_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct tl_hook_view hook;
	void *head;

	for (; tl_probe_get(cb->args[0], &hook); cb->args[0]++) {
		head = tl_nl_dump_put(skb, cb, TIERLENS_CMD_HOOK_GET);
		if (!head)
			break;
		if (put_hook(skb, &hook)) {
			genlmsg_cancel(skb, head);
			break;
		}
		genlmsg_end(skb, head);
	}
	return skb->len;
}

/**
 * tl_netlink_notify() - Tell who listens that an interval was closed
 * @interval: the interval
 *
 * Context: process.
 */
void tl_netlink_notify(const struct tl_interval *interval)
{
	struct sk_buff *skb;
	void *head;

	if (!READ_ONCE(registered))
		return;
	skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!skb)
		return;
	head = genlmsg_put(skb, 0, 0, &family, 0, TIERLENS_CMD_INTERVAL_NTF);
	if (!head || tl_nl_put_interval_head(skb, interval)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, head);
	genlmsg_multicast(&family, skb, 0, TIERLENS_NLGRP_INTERVAL, GFP_KERNEL);
}

/**
 * tl_netlink_init() - Register the family
 *
 * Return: 0 or the kernel's error.
 */
int tl_netlink_init(void)
{
	int ret = tl_compat_family_ops(&family, tierlens_nl_ops, ARRAY_SIZE(tierlens_nl_ops));

	if (!ret)
		ret = genl_register_family(&family);
	if (!ret)
		WRITE_ONCE(registered, true);
	return ret;
}

void tl_netlink_exit(void)
{
	WRITE_ONCE(registered, false);
	genl_unregister_family(&family);
}
