// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Closed intervals, dumped over netlink
 *
 * A dump takes as many messages as its lists need; each carries the interval's
 * head, so that it can be told whose part it is.
 */
#include "compat/compat.h"
#include "interval.h"
#include "netlink-gen.h"
#include "netlink-put.h"
#include "usage.h"

/* The largest cell, with its message's head, fits into this. */
#define DUMP_BYTES 8192

/* Where a dump of intervals stands; lives in the callback's args. */
struct interval_dump {
	struct tl_interval *interval; /* held */
	const struct tl_entry *entry; /* next to send */
	u64 generation; /* sent last */
	u8 sums; /* enum tl_sums, which list the entry is in */
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
	dump->sums = 0;
	dump->entry = interval->sums.list[0];
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
	int ret = tl_nl_refuse_twice(cb->nlh, cb->extack);

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

static int put_used(struct sk_buff *skb, const struct tl_used *used)
{
	/* What this kernel cannot tell is absent, not zero. */
	if (tl_nl_put_u64(skb, TIERLENS_A_CELL_CPU_NS, used->cpu_ns))
		return -EMSGSIZE;
	if (TL_HAS_RUN_WAIT &&
	    tl_nl_put_u64(skb, TIERLENS_A_CELL_RUN_WAIT_NS, used->run_wait_ns))
		return -EMSGSIZE;
	if (TL_HAS_STORAGE &&
	    (tl_nl_put_u64(skb, TIERLENS_A_CELL_STORAGE_READ, used->storage_read) ||
	     tl_nl_put_u64(skb, TIERLENS_A_CELL_STORAGE_WRITE, used->storage_write)))
		return -EMSGSIZE;
	return 0;
}

static int put_counted(struct sk_buff *skb, const struct tl_cell *cell)
{
	struct nlattr *nest;
	unsigned int i;

	for (i = 0; i < TL_USED_COUNTS; i++) {
		if (!*cell->counted[i])
			continue;
		nest = nla_nest_start(skb, TIERLENS_A_CELL_COUNTED);
		if (!nest || nla_put_string(skb, TIERLENS_A_COUNTED_NAME, cell->counted[i]) ||
		    tl_nl_put_u64(skb, TIERLENS_A_COUNTED_VALUE, cell->sums.used.counts[i]))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

static int put_cell(struct sk_buff *skb, const struct tl_entry *entry)
{
	const struct tl_cell *cell = container_of(entry, struct tl_cell, entry);
	const struct tl_cell_sums *sums = &cell->sums;

	if (nla_put_u32(skb, TIERLENS_A_CELL_TIER, entry->key[0]) ||
	    nla_put_string(skb, TIERLENS_A_CELL_TIER_NAME, cell->tier_name) ||
	    nla_put_u32(skb, TIERLENS_A_CELL_CLASS, entry->key[1]) ||
	    nla_put_string(skb, TIERLENS_A_CELL_CLASS_NAME, cell->class_name) ||
	    tl_nl_put_u64(skb, TIERLENS_A_CELL_COUNT, sums->count) ||
	    tl_nl_put_u64(skb, TIERLENS_A_CELL_RESPONSE_NS, sums->response_ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_CELL_OWN_NS, sums->own_ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_CELL_OWN_SQ_HI, sums->own_sq_hi) ||
	    tl_nl_put_u64(skb, TIERLENS_A_CELL_OWN_SQ_LO, sums->own_sq_lo) ||
	    tl_nl_put_u64(skb, TIERLENS_A_CELL_CARRIED, sums->carried) ||
	    tl_nl_put_u64(skb, TIERLENS_A_CELL_TRACED, sums->traced) ||
	    nla_put_u32(skb, TIERLENS_A_CELL_LEVEL, cell->level) ||
	    tl_nl_put_u64(skb, TIERLENS_A_CELL_BYTES_IN, sums->bytes_in) ||
	    tl_nl_put_u64(skb, TIERLENS_A_CELL_BYTES_OUT, sums->bytes_out) ||
	    tl_nl_put_u64(skb, TIERLENS_A_CELL_QUEUE_NS, sums->queue_ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_CELL_QUEUE_COUNT, sums->queue_count) ||
	    put_used(skb, &sums->used) || put_counted(skb, cell) ||
	    put_hist(skb, TIERLENS_A_CELL_HIST_RESPONSE, sums->hist_response) ||
	    put_hist(skb, TIERLENS_A_CELL_HIST_OWN, sums->hist_own))
		return -EMSGSIZE;
	return 0;
}

static int put_peer(struct sk_buff *skb, const struct tl_edge *edge)
{
	const struct tl_peer *peer = &edge->peer;

	if (peer->path[0] && nla_put_string(skb, TIERLENS_A_EDGE_PEER_PATH, peer->path))
		return -EMSGSIZE;
	if (peer->addr_len &&
	    (nla_put(skb, TIERLENS_A_EDGE_PEER_ADDR, peer->addr_len, peer->addr) ||
	     nla_put_u32(skb, TIERLENS_A_EDGE_PEER_PORT, peer->port)))
		return -EMSGSIZE;
	if (!edge->peer_tier_name[0])
		return 0;
	return nla_put_string(skb, TIERLENS_A_EDGE_PEER_TIER, edge->peer_tier_name);
}

static int put_by(struct sk_buff *skb, const struct tl_edge *edge)
{
	static const u8 by[TL_BY_KINDS] = {
		[TL_BY_THREAD] = TIERLENS_A_EDGE_BY_THREAD,
		[TL_BY_OWNER] = TIERLENS_A_EDGE_BY_OWNER,
		[TL_BY_HANDOFF] = TIERLENS_A_EDGE_BY_HANDOFF,
		[TL_BY_LOOKBACK] = TIERLENS_A_EDGE_BY_LOOKBACK,
		[TL_BY_ORDER] = TIERLENS_A_EDGE_BY_ORDER,
	};
	u64 calls = 0;
	unsigned int i;

	for (i = 0; i < TL_BY_KINDS; i++) {
		calls += edge->sums.by[i];
		if (edge->entry.key[0] && tl_nl_put_u64(skb, by[i], edge->sums.by[i]))
			return -EMSGSIZE;
	}
	return tl_nl_put_u64(skb, TIERLENS_A_EDGE_CALLS, calls);
}

static int put_edge(struct sk_buff *skb, const struct tl_entry *entry)
{
	const struct tl_edge *edge = container_of(entry, struct tl_edge, entry);
	const struct tl_edge_sums *sums = &edge->sums;

	if (nla_put_u32(skb, TIERLENS_A_EDGE_TIER, entry->key[0]) ||
	    nla_put_string(skb, TIERLENS_A_EDGE_TIER_NAME, edge->tier_name) ||
	    nla_put_u32(skb, TIERLENS_A_EDGE_CLASS, entry->key[1]) ||
	    nla_put_string(skb, TIERLENS_A_EDGE_CLASS_NAME, edge->class_name) ||
	    put_by(skb, edge) ||
	    tl_nl_put_u64(skb, TIERLENS_A_EDGE_TIME_NS, sums->time_ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_EDGE_JOINED, sums->joined) ||
	    tl_nl_put_u64(skb, TIERLENS_A_EDGE_TRANSIT_NS, sums->transit_ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_EDGE_BYTES_OUT, sums->bytes_out) ||
	    tl_nl_put_u64(skb, TIERLENS_A_EDGE_BYTES_IN, sums->bytes_in) ||
	    put_peer(skb, edge))
		return -EMSGSIZE;
	return 0;
}

static int put_path(struct sk_buff *skb, const struct tl_entry *entry)
{
	const struct tl_path *path = container_of(entry, struct tl_path, entry);

	if (nla_put_u32(skb, TIERLENS_A_PATH_ID, entry->key[0]) ||
	    (path->node.parent &&
	     nla_put_u32(skb, TIERLENS_A_PATH_PARENT, path->node.parent)) ||
	    nla_put_u32(skb, TIERLENS_A_PATH_TIER, path->node.tier) ||
	    nla_put_string(skb, TIERLENS_A_PATH_TIER_NAME, path->tier_name) ||
	    nla_put_u32(skb, TIERLENS_A_PATH_CLASS, path->node.class) ||
	    nla_put_string(skb, TIERLENS_A_PATH_CLASS_NAME, path->class_name) ||
	    tl_nl_put_u64(skb, TIERLENS_A_PATH_COUNT, path->sums.count) ||
	    tl_nl_put_u64(skb, TIERLENS_A_PATH_RESPONSE_NS, path->sums.response_ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_PATH_OWN_NS, path->sums.own_ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_PATH_TRACED, path->sums.traced) ||
	    tl_nl_put_u64(skb, TIERLENS_A_PATH_CPU_NS, path->sums.cpu_ns))
		return -EMSGSIZE;
	return 0;
}

static int put_usage(struct sk_buff *skb, const struct tl_entry *entry)
{
	const struct tl_usage *usage = container_of(entry, struct tl_usage, entry);

	if (nla_put_u32(skb, TIERLENS_A_USAGE_TIER, entry->key[0]) ||
	    nla_put_string(skb, TIERLENS_A_USAGE_TIER_NAME, usage->tier_name) ||
	    nla_put_u32(skb, TIERLENS_A_USAGE_PROCESSES, usage->sums.processes) ||
	    tl_nl_put_u64(skb, TIERLENS_A_USAGE_CPU_NS, usage->sums.cpu_ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_USAGE_REQUEST_CPU_NS, usage->sums.request_cpu_ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_USAGE_ELAPSED_NS, usage->sums.elapsed_ns))
		return -EMSGSIZE;
	return 0;
}

static int put_count(struct sk_buff *skb, const struct tl_entry *entry)
{
	const struct tl_counted *counted = container_of(entry, struct tl_counted, entry);

	if (nla_put_string(skb, TIERLENS_A_COUNT_NAME, counted->name) ||
	    nla_put_u32(skb, TIERLENS_A_COUNT_CPU, entry->key[1]) ||
	    tl_nl_put_u64(skb, TIERLENS_A_COUNT_VALUE, counted->count.value) ||
	    tl_nl_put_u64(skb, TIERLENS_A_COUNT_ENABLED_NS, counted->count.enabled_ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_COUNT_RUNNING_NS, counted->count.running_ns))
		return -EMSGSIZE;
	return 0;
}

static int put_function(struct sk_buff *skb, const struct tl_entry *entry)
{
	const struct tl_called *function = container_of(entry, struct tl_called, entry);
	const struct tl_call_sums *sums = &function->sums;

	if (nla_put_u32(skb, TIERLENS_A_FUNCTION_CALL_FUNCTION, entry->key[0]) ||
	    nla_put_string(skb, TIERLENS_A_FUNCTION_CALL_NAME, function->name) ||
	    nla_put_u32(skb, TIERLENS_A_FUNCTION_CALL_TIER, function->tier) ||
	    nla_put_string(skb, TIERLENS_A_FUNCTION_CALL_TIER_NAME, function->tier_name) ||
	    tl_nl_put_u64(skb, TIERLENS_A_FUNCTION_CALL_COUNT, sums->count) ||
	    tl_nl_put_u64(skb, TIERLENS_A_FUNCTION_CALL_TOTAL_NS, sums->total_ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_FUNCTION_CALL_OWN_NS, sums->own_ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_FUNCTION_CALL_CPU_NS, sums->cpu_ns))
		return -EMSGSIZE;
	/* Outside of requests there is no class. */
	if (entry->key[2])
		return 0;
	if (nla_put_u32(skb, TIERLENS_A_FUNCTION_CALL_CLASS, entry->key[1]) ||
	    nla_put_string(skb, TIERLENS_A_FUNCTION_CALL_CLASS_NAME, function->class_name))
		return -EMSGSIZE;
	return 0;
}

static const struct {
	int type;
	int (*put)(struct sk_buff *skb, const struct tl_entry *entry);
} lists[TL_SUMS] = {
	[TL_SUMS_CELL] = { TIERLENS_A_INTERVAL_CELL, put_cell },
	[TL_SUMS_EDGE] = { TIERLENS_A_INTERVAL_EDGE, put_edge },
	[TL_SUMS_PATH] = { TIERLENS_A_INTERVAL_PATH, put_path },
	[TL_SUMS_USAGE] = { TIERLENS_A_INTERVAL_USAGE, put_usage },
	[TL_SUMS_COUNT] = { TIERLENS_A_INTERVAL_COUNT, put_count },
	[TL_SUMS_FUNCTION] = { TIERLENS_A_INTERVAL_CALL, put_function },
};

static int put_entry(struct sk_buff *skb, const struct tl_entry *entry, enum tl_sums sums)
{
	struct nlattr *nest = nla_nest_start(skb, lists[sums].type);

	if (!nest || lists[sums].put(skb, entry)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

int tl_nl_put_interval_head(struct sk_buff *skb, const struct tl_interval *interval)
{
	if (tl_nl_put_u64(skb, TIERLENS_A_INTERVAL_GENERATION, interval->generation) ||
	    tl_nl_put_u64(skb, TIERLENS_A_INTERVAL_START_NS, interval->start_ns) ||
	    tl_nl_put_u64(skb, TIERLENS_A_INTERVAL_LENGTH_NS, interval->length_ns))
		return -EMSGSIZE;
	return 0;
}

/* As much as fits; the dump moves on by what was put. */
static int put_interval(struct sk_buff *skb, struct interval_dump *dump)
{
	const struct tl_interval *interval = dump->interval;

	if (tl_nl_put_interval_head(skb, interval))
		return -EMSGSIZE;
	if (!dump->begun &&
	    (tl_nl_put_events(skb, TIERLENS_A_INTERVAL_EVENTS, &interval->totals.events) ||
	     tl_nl_put_losses(skb, TIERLENS_A_INTERVAL_LOSSES, &interval->totals) ||
	     tl_nl_put_cost(skb, TIERLENS_A_INTERVAL_COST, &interval->totals)))
		return -EMSGSIZE;
	dump->begun = true;
	for (;;) {
		for (; dump->entry; dump->entry = dump->entry->next)
			if (put_entry(skb, dump->entry, dump->sums))
				return 0;
		if (dump->sums == TL_SUMS - 1)
			break;
		dump->entry = interval->sums.list[++dump->sums];
	}
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
	head = tl_nl_dump_put(skb, cb, TIERLENS_CMD_INTERVAL_GET);
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

