// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's messages as plain structs
 *
 * Each reader takes the attributes of one message. What is absent stays zero:
 * the ABI number, compared when connecting, is what says that both sides mean
 * the same.
 */
#include "ctl-read.h"

#include "ctl.h"
#include "text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/tierlens.h>
#include <netlink/attr.h>
#include <stdio.h>
#include <stdlib.h>

/* A member of a plain struct that holds one attribute. */
struct field {
	int attr;
	size_t offset, size;
};

#define FIELD(attr, type, member) \
	{ attr, offsetof(type, member), sizeof(((type *)0)->member) }

static void read_fields(struct nlattr **attrs, const struct field *fields, size_t n,
			void *to)
{
	size_t i, len;

	for (i = 0; i < n; i++) {
		const struct nlattr *attr = attrs[fields[i].attr];

		if (!attr)
			continue;
		len = (size_t)nla_len(attr);
		memcpy((char *)to + fields[i].offset, nla_data(attr),
		       len < fields[i].size ? len : fields[i].size);
	}
}

/**
 * tl_ctl_read_text() - Copy a text of the kernel's
 * @to: filled with valid UTF-8, cut where it does not fit
 * @room: size of @to in bytes
 * @attr: attribute or NULL, which gives ""
 */
void tl_ctl_read_text(char *to, size_t room, const struct nlattr *attr)
{
	char *text = attr ? tl_text_utf8(nla_data(attr), (size_t)nla_len(attr)) : NULL;

	snprintf(to, room, "%s", text ? text : "");
	free(text);
}

/* Attributes 2 … n + 1 of a nest are u64 counters in the order of our enums. */
static void read_counters(const struct nlattr *nest, u64 *counters, int n)
{
	struct nlattr *attr;
	int left;

	if (!nest)
		return;
	nla_for_each_nested(attr, nest, left)
		if (nla_type(attr) >= 2 && nla_type(attr) < n + 2 &&
		    nla_len(attr) == sizeof(u64))
			counters[nla_type(attr) - 2] = nla_get_u64(attr);
}

static_assert(TIERLENS_A_EVENTS_MAX == TL_EVENTS + 1, "an event counter is missing");
static_assert(TIERLENS_A_LOSSES_MAX == TL_LOSSES + 1, "a loss counter is missing");

/**
 * tl_ctl_read_module() - Reader of a module-get reply
 * @first: first attribute
 * @len: bytes of attributes
 * @arg: struct tl_module, zeroed
 *
 * Return: 0 or -EBADMSG.
 */
int tl_ctl_read_module(struct nlattr *first, int len, void *arg)
{
	static const struct field fields[] = {
		FIELD(TIERLENS_A_MODULE_ABI, struct tl_module, abi),
		FIELD(TIERLENS_A_MODULE_ENABLED, struct tl_module, enabled),
		FIELD(TIERLENS_A_MODULE_INTERVAL_MS, struct tl_module, interval_ms),
		FIELD(TIERLENS_A_MODULE_QUIET_MS, struct tl_module, quiet_ms),
		FIELD(TIERLENS_A_MODULE_OLDEST, struct tl_module, oldest),
		FIELD(TIERLENS_A_MODULE_NEWEST, struct tl_module, newest),
		FIELD(TIERLENS_A_MODULE_MEMORY_USED, struct tl_module, memory_used),
		FIELD(TIERLENS_A_MODULE_MEMORY_CAP, struct tl_module, memory_cap),
		FIELD(TIERLENS_A_MODULE_CONNECTIONS, struct tl_module, connections),
		FIELD(TIERLENS_A_MODULE_THREADS, struct tl_module, threads),
		FIELD(TIERLENS_A_MODULE_TIERS, struct tl_module, tiers),
	};
	struct nlattr *attrs[TIERLENS_A_MODULE_MAX + 1];
	struct tl_module *module = arg;

	if (nla_parse(attrs, TIERLENS_A_MODULE_MAX, first, len, NULL) < 0)
		return -EBADMSG;
	read_fields(attrs, fields, ARRAY_SIZE(fields), module);
	tl_ctl_read_text(module->version, sizeof(module->version),
		  attrs[TIERLENS_A_MODULE_VERSION]);
	read_counters(attrs[TIERLENS_A_MODULE_EVENTS], module->events, TL_EVENTS);
	read_counters(attrs[TIERLENS_A_MODULE_LOSSES], module->losses, TL_LOSSES);
	return 0;
}

/* One more zeroed row. */
static void *rows_add(struct tl_ctl_rows *rows)
{
	char *grown = reallocarray(rows->row, rows->n + 1, rows->size);

	if (!grown)
		return NULL;
	rows->row = grown;
	return memset(grown + rows->n++ * rows->size, 0, rows->size);
}

/**
 * tl_ctl_read_tier() - Reader of one message of a tier-get dump
 * @first: first attribute
 * @len: bytes of attributes
 * @arg: struct tl_ctl_rows of struct tl_tier_info
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int tl_ctl_read_tier(struct nlattr *first, int len, void *arg)
{
	static const struct field fields[] = {
		FIELD(TIERLENS_A_TIER_ID, struct tl_tier_info, id),
		FIELD(TIERLENS_A_TIER_PORT, struct tl_tier_info, port),
		FIELD(TIERLENS_A_TIER_NETNS, struct tl_tier_info, netns),
		FIELD(TIERLENS_A_TIER_SOURCE, struct tl_tier_info, source),
		FIELD(TIERLENS_A_TIER_CONNECTIONS, struct tl_tier_info, connections),
	};
	struct nlattr *attrs[TIERLENS_A_TIER_MAX + 1];
	struct tl_tier_info *tier;

	if (nla_parse(attrs, TIERLENS_A_TIER_MAX, first, len, NULL) < 0)
		return -EBADMSG;
	tier = rows_add(arg);
	if (!tier)
		return -ENOMEM;
	read_fields(attrs, fields, ARRAY_SIZE(fields), tier);
	tl_ctl_read_text(tier->name, sizeof(tier->name), attrs[TIERLENS_A_TIER_NAME]);
	return 0;
}

/**
 * tl_ctl_read_hook() - Reader of one message of a hook-get dump
 * @first: first attribute
 * @len: bytes of attributes
 * @arg: struct tl_ctl_rows of struct tl_hook
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int tl_ctl_read_hook(struct nlattr *first, int len, void *arg)
{
	static const struct field fields[] = {
		FIELD(TIERLENS_A_HOOK_STATE, struct tl_hook, state),
		FIELD(TIERLENS_A_HOOK_REQUIRED, struct tl_hook, required),
		FIELD(TIERLENS_A_HOOK_HITS, struct tl_hook, hits),
		FIELD(TIERLENS_A_HOOK_MISSED, struct tl_hook, missed),
	};
	struct nlattr *attrs[TIERLENS_A_HOOK_MAX + 1];
	struct tl_hook *hook;

	if (nla_parse(attrs, TIERLENS_A_HOOK_MAX, first, len, NULL) < 0)
		return -EBADMSG;
	hook = rows_add(arg);
	if (!hook)
		return -ENOMEM;
	read_fields(attrs, fields, ARRAY_SIZE(fields), hook);
	tl_ctl_read_text(hook->name, sizeof(hook->name), attrs[TIERLENS_A_HOOK_NAME]);
	tl_ctl_read_text(hook->symbol, sizeof(hook->symbol),
			 attrs[TIERLENS_A_HOOK_SYMBOL]);
	return 0;
}

/* Class numbers get names together with the rules that make them. */
static void class_name(char *to, size_t room, u32 class)
{
	if (class)
		snprintf(to, room, "%u", class);
	else
		snprintf(to, room, "other");
}

/* Pairs of u32, bucket and count. */
static int read_hist(const struct nlattr *attr, u64 *hist)
{
	size_t i, n = attr ? (size_t)nla_len(attr) / (2 * sizeof(u32)) : 0;
	u32 pair[2];

	for (i = 0; i < n; i++) {
		memcpy(pair, (char *)nla_data(attr) + i * sizeof(pair), sizeof(pair));
		if (pair[0] >= TL_HIST_BUCKETS)
			return -EBADMSG;
		hist[pair[0]] += pair[1];
	}
	return 0;
}

struct cell_fields {
	u32 class;
	u64 count, response_ns, own_ns, own_sq_hi, own_sq_lo, carried, bytes_in,
		bytes_out;
};

/* Sums of all that the message says; the same cell is not sent twice. */
static void cell_add(struct tl_cell *cell, const struct cell_fields *f)
{
	cell->count += f->count;
	cell->response_ns += f->response_ns;
	cell->own_ns += f->own_ns;
	cell->own_sq_s2 += (double)(((long double)f->own_sq_hi * 0x1p64L + f->own_sq_lo) /
				    1e18L);
	cell->carried += f->carried;
	cell->bytes_in += f->bytes_in;
	cell->bytes_out += f->bytes_out;
}

static int read_cell(struct nlattr *nest, struct tl_interval *interval)
{
	static const struct field fields[] = {
		FIELD(TIERLENS_A_CELL_CLASS, struct cell_fields, class),
		FIELD(TIERLENS_A_CELL_COUNT, struct cell_fields, count),
		FIELD(TIERLENS_A_CELL_RESPONSE_NS, struct cell_fields, response_ns),
		FIELD(TIERLENS_A_CELL_OWN_NS, struct cell_fields, own_ns),
		FIELD(TIERLENS_A_CELL_OWN_SQ_HI, struct cell_fields, own_sq_hi),
		FIELD(TIERLENS_A_CELL_OWN_SQ_LO, struct cell_fields, own_sq_lo),
		FIELD(TIERLENS_A_CELL_CARRIED, struct cell_fields, carried),
		FIELD(TIERLENS_A_CELL_BYTES_IN, struct cell_fields, bytes_in),
		FIELD(TIERLENS_A_CELL_BYTES_OUT, struct cell_fields, bytes_out),
	};
	struct nlattr *attrs[TIERLENS_A_CELL_MAX + 1];
	struct cell_fields f = { 0 };
	char tier[64], class[16];
	struct tl_cell *cell;
	int code;

	if (nla_parse_nested(attrs, TIERLENS_A_CELL_MAX, nest, NULL) < 0)
		return -EBADMSG;
	read_fields(attrs, fields, ARRAY_SIZE(fields), &f);
	tl_ctl_read_text(tier, sizeof(tier), attrs[TIERLENS_A_CELL_TIER_NAME]);
	class_name(class, sizeof(class), f.class);
	cell = tl_interval_cell(interval, tier, class);
	if (!cell)
		return -ENOMEM;
	cell_add(cell, &f);
	code = read_hist(attrs[TIERLENS_A_CELL_HIST_RESPONSE], cell->response_hist);
	return code ? code : read_hist(attrs[TIERLENS_A_CELL_HIST_OWN], cell->own_hist);
}

/* "127.0.0.1:9000", "[::1]:80"; IPv4 in IPv6 clothes is shown as what it is. */
static void peer_name(char *to, size_t room, const struct nlattr *addr, u32 port)
{
	static const u8 mapped[12] = { [10] = 0xff, [11] = 0xff };
	const u8 *bytes = addr ? nla_data(addr) : NULL;
	char text[INET6_ADDRSTRLEN] = "";

	if (addr && nla_len(addr) == 16 && !memcmp(bytes, mapped, sizeof(mapped))) {
		inet_ntop(AF_INET, bytes + sizeof(mapped), text, sizeof(text));
		snprintf(to, room, "%s:%u", text, port);
	} else if (addr && nla_len(addr) == 16) {
		inet_ntop(AF_INET6, bytes, text, sizeof(text));
		snprintf(to, room, "[%s]:%u", text, port);
	} else if (addr && nla_len(addr) == 4) {
		inet_ntop(AF_INET, bytes, text, sizeof(text));
		snprintf(to, room, "%s:%u", text, port);
	} else {
		snprintf(to, room, "more");
	}
}

struct edge_fields {
	u32 tier, class, port;
	u64 calls, time_ns, by[TL_BY_KINDS];
};

static int read_edge(struct nlattr *nest, struct tl_interval *interval)
{
	static const struct field fields[] = {
		FIELD(TIERLENS_A_EDGE_TIER, struct edge_fields, tier),
		FIELD(TIERLENS_A_EDGE_CLASS, struct edge_fields, class),
		FIELD(TIERLENS_A_EDGE_PEER_PORT, struct edge_fields, port),
		FIELD(TIERLENS_A_EDGE_CALLS, struct edge_fields, calls),
		FIELD(TIERLENS_A_EDGE_TIME_NS, struct edge_fields, time_ns),
		FIELD(TIERLENS_A_EDGE_BY_THREAD, struct edge_fields, by[TL_BY_THREAD]),
		FIELD(TIERLENS_A_EDGE_BY_OWNER, struct edge_fields, by[TL_BY_OWNER]),
		FIELD(TIERLENS_A_EDGE_BY_HANDOFF, struct edge_fields, by[TL_BY_HANDOFF]),
		FIELD(TIERLENS_A_EDGE_BY_LOOKBACK, struct edge_fields,
		      by[TL_BY_LOOKBACK]),
	};
	struct nlattr *attrs[TIERLENS_A_EDGE_MAX + 1];
	char tier[64], class[16], peer[64], peer_tier[64];
	struct edge_fields f = { 0 };
	struct tl_edge *edge;
	int i;

	if (nla_parse_nested(attrs, TIERLENS_A_EDGE_MAX, nest, NULL) < 0)
		return -EBADMSG;
	read_fields(attrs, fields, ARRAY_SIZE(fields), &f);
	tl_ctl_read_text(tier, sizeof(tier), attrs[TIERLENS_A_EDGE_TIER_NAME]);
	tl_ctl_read_text(peer_tier, sizeof(peer_tier), attrs[TIERLENS_A_EDGE_PEER_TIER]);
	class_name(class, sizeof(class), f.class);
	peer_name(peer, sizeof(peer), attrs[TIERLENS_A_EDGE_PEER_ADDR], f.port);
	edge = tl_interval_edge(interval, &(struct tl_edge){
		.tier = f.tier ? tier : NULL,
		.class = class,
		.peer = peer,
		.peer_tier = peer_tier[0] ? peer_tier : NULL,
	});
	if (!edge)
		return -ENOMEM;
	edge->calls += f.calls;
	edge->time_ns += f.time_ns;
	for (i = 0; i < TL_BY_KINDS; i++)
		edge->by[i] += f.by[i];
	return 0;
}

/* The interval that a message belongs to: the open one, or a new one. */
static struct tl_interval *interval_of(struct tl_ctl_interval_reader *reader,
				       u64 generation)
{
	struct tl_intervals *list = reader->list;
	struct tl_interval **grown;

	if (reader->open)
		return list->interval[list->n - 1];
	grown = reallocarray(list->interval, list->n + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	list->interval = grown;
	grown[list->n] = tl_interval_new();
	if (!grown[list->n])
		return NULL;
	grown[list->n]->generation = generation;
	return grown[list->n++];
}

/**
 * tl_ctl_read_interval() - Reader of one message of an interval-get dump
 * @first: first attribute
 * @len: bytes of attributes
 * @arg: struct tl_ctl_interval_reader
 *
 * Return: 0, -ENOMEM, or -EBADMSG if messages of two intervals are mixed.
 */
int tl_ctl_read_interval(struct nlattr *first, int len, void *arg)
{
	static const struct field fields[] = {
		FIELD(TIERLENS_A_INTERVAL_GENERATION, struct tl_interval, generation),
		FIELD(TIERLENS_A_INTERVAL_START_NS, struct tl_interval, start_ns),
		FIELD(TIERLENS_A_INTERVAL_LENGTH_NS, struct tl_interval, length_ns),
	};
	struct nlattr *attrs[TIERLENS_A_INTERVAL_MAX + 1], *attr;
	struct tl_ctl_interval_reader *reader = arg;
	struct tl_interval head = { 0 }, *interval;
	int left, code = 0;

	if (nla_parse(attrs, TIERLENS_A_INTERVAL_MAX, first, len, NULL) < 0)
		return -EBADMSG;
	read_fields(attrs, fields, ARRAY_SIZE(fields), &head);
	interval = interval_of(reader, head.generation);
	if (!interval)
		return -ENOMEM;
	if (interval->generation != head.generation)
		return -EBADMSG;
	interval->start_ns = head.start_ns;
	interval->length_ns = head.length_ns;
	read_counters(attrs[TIERLENS_A_INTERVAL_EVENTS], interval->events, TL_EVENTS);
	read_counters(attrs[TIERLENS_A_INTERVAL_LOSSES], interval->losses, TL_LOSSES);
	nla_for_each_attr(attr, first, len, left) {
		if (nla_type(attr) == TIERLENS_A_INTERVAL_CELL)
			code = read_cell(attr, interval);
		else if (nla_type(attr) == TIERLENS_A_INTERVAL_EDGE)
			code = read_edge(attr, interval);
		if (code)
			return code;
	}
	reader->open = !attrs[TIERLENS_A_INTERVAL_LAST];
	return 0;
}

static const char *name_of(const char *const *names, u32 n, u32 value)
{
	return value < n && names[value] ? names[value] : "unknown";
}

/**
 * tl_tier_source_name() - How a tier came to be
 * @source: of struct tl_tier_info
 *
 * Return: a word.
 */
const char *tl_tier_source_name(u32 source)
{
	static const char *const names[] = {
		[TIERLENS_TIER_SOURCE_NONE] = "none",
		[TIERLENS_TIER_SOURCE_RULE] = "rule",
		[TIERLENS_TIER_SOURCE_DISCOVERED] = "discovered",
	};

	return name_of(names, ARRAY_SIZE(names), source);
}

/**
 * tl_hook_state_name() - State of a hook
 * @state: of struct tl_hook
 *
 * Return: a word.
 */
const char *tl_hook_state_name(u32 state)
{
	static const char *const names[] = {
		[TIERLENS_HOOK_STATE_ABSENT] = "absent",
		[TIERLENS_HOOK_STATE_IDLE] = "idle",
		[TIERLENS_HOOK_STATE_ACTIVE] = "active",
	};

	return name_of(names, ARRAY_SIZE(names), state);
}
