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

#include "compat/compat.h"
#include "conn.h"
#include "control.h"
#include "interval.h"
#include "memory.h"
#include "netlink-gen.h"
#include "netlink.h"
#include "probe.h"
#include "stats.h"
#include "thread.h"
#include "tier.h"

/* The largest cell, with its message's head, fits into this. */
#define DUMP_BYTES 8192

static const struct genl_multicast_group groups[] = {
	[TIERLENS_NLGRP_INTERVAL] = { .name = TIERLENS_MCGRP_INTERVAL },
};

static struct genl_family family __ro_after_init = {
	.name = TIERLENS_GENL_NAME,
	.version = TIERLENS_GENL_VERSION,
	.module = THIS_MODULE,
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
};

static bool registered;

static int refuse_twice(const struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
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

static int put_u64(struct sk_buff *skb, int type, u64 value)
{
	/* Every attribute set has its pad as number one. */
	return nla_put_u64_64bit(skb, type, value, TIERLENS_A_MODULE_PAD);
}

static int put_events(struct sk_buff *skb, int type, const struct tl_events *events)
{
	struct nlattr *nest = nla_nest_start(skb, type);

	if (!nest || put_u64(skb, TIERLENS_A_EVENTS_SEEN, events->seen) ||
	    put_u64(skb, TIERLENS_A_EVENTS_ATTRIBUTED, events->attributed) ||
	    put_u64(skb, TIERLENS_A_EVENTS_UNATTRIBUTED, events->unattributed) ||
	    put_u64(skb, TIERLENS_A_EVENTS_IGNORED, events->ignored))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_losses(struct sk_buff *skb, int type, const struct tl_totals *totals)
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
	};
	struct nlattr *nest = nla_nest_start(skb, type);
	unsigned int i;

	if (!nest || put_u64(skb, TIERLENS_A_LOSSES_PROBES_MISSED, totals->probes_missed))
		return -EMSGSIZE;
	for (i = 0; i < TL_LOSS_KINDS; i++)
		if (put_u64(skb, names[i], totals->loss[i]))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_module(struct sk_buff *skb)
{
	struct tl_settings settings;
	struct tl_totals totals;
	u64 oldest, newest;

	tl_control_get(&settings);
	tl_interval_kept(&oldest, &newest);
	tl_stats_sum(&totals, tl_probe_missed());
	if (nla_put_string(skb, TIERLENS_A_MODULE_VERSION, TIERLENS_VERSION) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_ABI, TIERLENS_ABI) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_ENABLED, settings.enabled) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_INTERVAL_MS, settings.interval_ms) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_QUIET_MS, settings.quiet_ms) ||
	    put_u64(skb, TIERLENS_A_MODULE_OLDEST, oldest) ||
	    put_u64(skb, TIERLENS_A_MODULE_NEWEST, newest) ||
	    put_u64(skb, TIERLENS_A_MODULE_MEMORY_USED, tl_memory_used()) ||
	    put_u64(skb, TIERLENS_A_MODULE_MEMORY_CAP, tl_memory_cap()) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_CONNECTIONS, tl_conn_count()) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_THREADS, tl_thread_count()) ||
	    nla_put_u32(skb, TIERLENS_A_MODULE_TIERS, tl_tier_count()) ||
	    put_events(skb, TIERLENS_A_MODULE_EVENTS, &totals.events) ||
	    put_losses(skb, TIERLENS_A_MODULE_LOSSES, &totals))
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
	head = genlmsg_put_reply(reply, info, &family, 0, TIERLENS_CMD_MODULE_GET);
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
	int ret = refuse_twice(info->nlhdr, info->extack);

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

static int get_name(struct genl_info *info, const char **name)
{
	struct nlattr *attr = info->attrs[TIERLENS_A_TIER_NAME];
	const char *p;

	if (!attr) {
		NL_SET_ERR_MSG(info->extack, "the tier's name is missing: give one");
		return -EINVAL;
	}
	*name = nla_data(attr);
	if (strlen(*name) + 1 != nla_len(attr)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "the tier's name has bytes after its end: send one string");
		return -EINVAL;
	}
	/* Names go to terminals, pages and JSON, which half a UTF-8 character would break. */
	for (p = *name; *p; p++)
		if ((u8)*p < ' ' || (u8)*p >= 0x7f)
			break;
	if (*p || p == *name) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "the tier's name is empty or not of printable ASCII characters: choose another");
		return -EINVAL;
	}
	return 0;
}

int tierlens_nl_tier_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	const char *name;
	u32 port;
	int ret;

	ret = refuse_twice(info->nlhdr, info->extack);
	if (!ret)
		ret = get_name(info, &name);
	if (ret)
		return ret;
	port = get_u32(info, TIERLENS_A_TIER_PORT);
	if (!port || port > TIERLENS_PORT_MAX) {
		NL_SET_ERR_MSG(info->extack,
			       "the tier's port is missing or out of range: give 1 to 65535");
		return port ? -ERANGE : -EINVAL;
	}
	return tl_tier_add_rule(name, port, get_u32(info, TIERLENS_A_TIER_NETNS),
				info->extack);
}

int tierlens_nl_tier_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	const char *name;
	int ret;

	ret = refuse_twice(info->nlhdr, info->extack);
	if (!ret)
		ret = get_name(info, &name);
	return ret ? ret : tl_tier_del_rule(name, info->extack);
}

static void *dump_put(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &family,
			   NLM_F_MULTI, cmd);
}

static int put_tier(struct sk_buff *skb, const struct tl_tier *tier)
{
	if (nla_put_u32(skb, TIERLENS_A_TIER_ID, tier->id) ||
	    nla_put_string(skb, TIERLENS_A_TIER_NAME, tier->name) ||
	    nla_put_u32(skb, TIERLENS_A_TIER_PORT, tier->port) ||
	    nla_put_u32(skb, TIERLENS_A_TIER_NETNS, tier->netns) ||
	    nla_put_u32(skb, TIERLENS_A_TIER_SOURCE, tier->source) ||
	    nla_put_u32(skb, TIERLENS_A_TIER_CONNECTIONS, atomic_read(&tier->connections)))
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
		head = dump_put(skb, cb, TIERLENS_CMD_TIER_GET);
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

static int put_hook(struct sk_buff *skb, const struct tl_hook_view *hook)
{
	if (nla_put_string(skb, TIERLENS_A_HOOK_NAME, hook->name) ||
	    nla_put_string(skb, TIERLENS_A_HOOK_SYMBOL, hook->symbol) ||
	    nla_put_u32(skb, TIERLENS_A_HOOK_STATE, hook->state) ||
	    nla_put_u32(skb, TIERLENS_A_HOOK_REQUIRED, hook->required) ||
	    put_u64(skb, TIERLENS_A_HOOK_HITS, hook->hits) ||
	    put_u64(skb, TIERLENS_A_HOOK_MISSED, hook->missed))
		return -EMSGSIZE;
	return 0;
}

int tierlens_nl_hook_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct tl_hook_view hook;
	void *head;

	for (; tl_probe_get(cb->args[0], &hook); cb->args[0]++) {
		head = dump_put(skb, cb, TIERLENS_CMD_HOOK_GET);
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

/* Where a dump of intervals stands; lives in the callback's args. */
struct interval_dump {
	struct tl_interval *interval; /* held */
	const struct tl_cell *cell; /* next to send */
	const struct tl_edge *edge;
	u64 generation; /* sent last */
	u8 all; /* go on with the next generation */
	u8 begun; /* the interval's first message is out */
	u8 chosen;
};

static struct interval_dump *interval_dump(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct interval_dump) > sizeof(cb->args));
	return (struct interval_dump *)cb->args;
}

static void dump_begin(struct interval_dump *dump, struct tl_interval *interval)
{
	dump->interval = interval;
	dump->generation = interval->generation;
	dump->cell = interval->cells;
	dump->edge = interval->edges;
	dump->begun = false;
}

int tierlens_nl_interval_get_start(struct netlink_callback *cb)
{
	memset(interval_dump(cb), 0, sizeof(struct interval_dump));
	cb->min_dump_alloc = DUMP_BYTES;
	return 0;
}

/*
 * What to send. Not in start(): older kernels hand that no extack, and every
 * refusal shall have its sentence.
 */
static int dump_choose(struct interval_dump *dump, struct netlink_callback *cb)
{
	struct nlattr **attrs = tl_compat_dump_attrs(cb);
	struct tl_interval *interval;
	u64 generation = 0; /* the newest */
	int ret = refuse_twice(cb->nlh, cb->extack);

	if (ret)
		return ret;
	dump->chosen = true;
	if (attrs[TIERLENS_A_INTERVAL_SINCE]) {
		if (attrs[TIERLENS_A_INTERVAL_GENERATION]) {
			NL_SET_ERR_MSG(cb->extack,
				       "generation and since exclude each other: give one");
			return -EINVAL;
		}
		dump->all = true;
		dump->generation = nla_get_u64(attrs[TIERLENS_A_INTERVAL_SINCE]);
		return 0;
	}
	if (attrs[TIERLENS_A_INTERVAL_GENERATION])
		generation = nla_get_u64(attrs[TIERLENS_A_INTERVAL_GENERATION]);
	interval = tl_interval_get_exact(generation);
	if (!interval) {
		NL_SET_ERR_MSG(cb->extack,
			       "no such interval is kept: status tells the oldest and newest generation");
		return -ENOENT;
	}
	dump_begin(dump, interval);
	return 0;
}

int tierlens_nl_interval_get_done(struct netlink_callback *cb)
{
	struct interval_dump *dump = interval_dump(cb);

	if (dump->interval)
		tl_interval_put(dump->interval);
	dump->interval = NULL;
	return 0;
}

static int put_hist(struct sk_buff *skb, int type, const u32 *hist)
{
	struct nlattr *attr;
	unsigned int i, filled = 0;
	u32 *pair;

	for (i = 0; i < TL_HIST_BUCKETS; i++)
		filled += !!hist[i];
	attr = nla_reserve(skb, type, filled * 2 * sizeof(u32));
	if (!attr)
		return -EMSGSIZE;
	pair = nla_data(attr);
	for (i = 0; i < TL_HIST_BUCKETS; i++)
		if (hist[i]) {
			*pair++ = i;
			*pair++ = hist[i];
		}
	return 0;
}

static int put_cell(struct sk_buff *skb, const struct tl_cell *cell)
{
	const struct tl_cell_sums *sums = &cell->sums;
	struct nlattr *nest = nla_nest_start(skb, TIERLENS_A_INTERVAL_CELL);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, TIERLENS_A_CELL_TIER, cell->tier) ||
	    nla_put_string(skb, TIERLENS_A_CELL_TIER_NAME, cell->tier_name) ||
	    nla_put_u32(skb, TIERLENS_A_CELL_CLASS, cell->class) ||
	    put_u64(skb, TIERLENS_A_CELL_COUNT, sums->count) ||
	    put_u64(skb, TIERLENS_A_CELL_RESPONSE_NS, sums->response_ns) ||
	    put_u64(skb, TIERLENS_A_CELL_OWN_NS, sums->own_ns) ||
	    put_u64(skb, TIERLENS_A_CELL_OWN_SQ_HI, sums->own_sq_hi) ||
	    put_u64(skb, TIERLENS_A_CELL_OWN_SQ_LO, sums->own_sq_lo) ||
	    put_u64(skb, TIERLENS_A_CELL_CARRIED, sums->carried) ||
	    put_u64(skb, TIERLENS_A_CELL_BYTES_IN, sums->bytes_in) ||
	    put_u64(skb, TIERLENS_A_CELL_BYTES_OUT, sums->bytes_out) ||
	    put_hist(skb, TIERLENS_A_CELL_HIST_RESPONSE, sums->hist_response) ||
	    put_hist(skb, TIERLENS_A_CELL_HIST_OWN, sums->hist_own)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int put_peer(struct sk_buff *skb, const struct tl_edge *edge)
{
	const struct tl_peer *peer = &edge->peer;

	if (!peer->addr_len)
		return 0;
	if (nla_put(skb, TIERLENS_A_EDGE_PEER_ADDR, peer->addr_len, peer->addr) ||
	    nla_put_u32(skb, TIERLENS_A_EDGE_PEER_PORT, peer->port))
		return -EMSGSIZE;
	if (!edge->peer_tier_name[0])
		return 0;
	return nla_put_string(skb, TIERLENS_A_EDGE_PEER_TIER, edge->peer_tier_name);
}

static int put_edge(struct sk_buff *skb, const struct tl_edge *edge)
{
	static const u8 by[TL_BY_KINDS] = {
		[TL_BY_THREAD] = TIERLENS_A_EDGE_BY_THREAD,
		[TL_BY_OWNER] = TIERLENS_A_EDGE_BY_OWNER,
		[TL_BY_HANDOFF] = TIERLENS_A_EDGE_BY_HANDOFF,
		[TL_BY_LOOKBACK] = TIERLENS_A_EDGE_BY_LOOKBACK,
	};
	struct nlattr *nest = nla_nest_start(skb, TIERLENS_A_INTERVAL_EDGE);
	u64 calls = 0;
	unsigned int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < TL_BY_KINDS; i++) {
		calls += edge->sums.by[i];
		if (edge->tier && put_u64(skb, by[i], edge->sums.by[i]))
			goto full;
	}
	if (nla_put_u32(skb, TIERLENS_A_EDGE_TIER, edge->tier) ||
	    nla_put_string(skb, TIERLENS_A_EDGE_TIER_NAME, edge->tier_name) ||
	    nla_put_u32(skb, TIERLENS_A_EDGE_CLASS, edge->class) ||
	    put_u64(skb, TIERLENS_A_EDGE_CALLS, calls) ||
	    put_u64(skb, TIERLENS_A_EDGE_TIME_NS, edge->sums.time_ns) ||
	    put_peer(skb, edge))
		goto full;
	nla_nest_end(skb, nest);
	return 0;
full:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

static int put_interval_head(struct sk_buff *skb, const struct tl_interval *interval)
{
	if (put_u64(skb, TIERLENS_A_INTERVAL_GENERATION, interval->generation) ||
	    put_u64(skb, TIERLENS_A_INTERVAL_START_NS, interval->start_ns) ||
	    put_u64(skb, TIERLENS_A_INTERVAL_LENGTH_NS, interval->length_ns))
		return -EMSGSIZE;
	return 0;
}

/* As much as fits; the dump moves on by what was put. */
static int put_interval(struct sk_buff *skb, struct interval_dump *dump)
{
	const struct tl_interval *interval = dump->interval;

	if (put_interval_head(skb, interval))
		return -EMSGSIZE;
	if (!dump->begun &&
	    (put_events(skb, TIERLENS_A_INTERVAL_EVENTS, &interval->totals.events) ||
	     put_losses(skb, TIERLENS_A_INTERVAL_LOSSES, &interval->totals)))
		return -EMSGSIZE;
	dump->begun = true;
	for (; dump->cell; dump->cell = dump->cell->next)
		if (put_cell(skb, dump->cell))
			return 0;
	for (; dump->edge; dump->edge = dump->edge->next)
		if (put_edge(skb, dump->edge))
			return 0;
	if (nla_put_flag(skb, TIERLENS_A_INTERVAL_LAST))
		return 0;
	tl_interval_put(dump->interval);
	dump->interval = NULL;
	return 0;
}

/* One message a call: the kernel asks again until nothing is added. */
int tierlens_nl_interval_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct interval_dump *dump = interval_dump(cb);
	struct tl_interval *next;
	void *head;
	int ret;

	if (!dump->chosen) {
		ret = dump_choose(dump, cb);
		if (ret)
			return ret;
	}
	if (!dump->interval) {
		next = dump->all ? tl_interval_get(dump->generation) : NULL;
		if (!next) {
			dump->all = false;
			return 0;
		}
		dump_begin(dump, next);
	}
	head = dump_put(skb, cb, TIERLENS_CMD_INTERVAL_GET);
	if (!head)
		return -EMSGSIZE;
	ret = put_interval(skb, dump);
	if (ret) {
		genlmsg_cancel(skb, head);
		return ret;
	}
	genlmsg_end(skb, head);
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
	if (!head || put_interval_head(skb, interval)) {
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
int __init tl_netlink_init(void)
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
