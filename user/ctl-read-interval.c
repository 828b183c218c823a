// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's messages of closed intervals. */
#include "ctl-read.h"

#include "ctl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/tierlens.h>
#include <netlink/attr.h>
#include <stdio.h>
#include <stdlib.h>

#define PATH_MORE 1 /* the node of all paths that found no place */

/* The name of its rules; 0 is "other", and what has no name has a number. */
static void class_name(char *to, size_t room, const struct nlattr *name, u32 class)
{
	tl_ctl_read_text(to, room, name);
	if (!class)
		snprintf(to, room, "other");
	else if (!*to)
		snprintf(to, room, "%u", class);
}

/* What is absent is unknown, not zero. */
static void read_sums(struct nlattr **attrs, const int *which, int n, struct tl_sum *sums)
{
	struct tl_sum read;
	int i;

	for (i = 0; i < n; i++) {
		const struct nlattr *attr = attrs[which[i]];

		read = (struct tl_sum){ .state = TL_SUM_UNKNOWN };
		if (attr && nla_len(attr) == sizeof(u64))
			tl_sum_set(&read, nla_get_u64(attr));
		else if (attr && nla_len(attr) == sizeof(u32))
			tl_sum_set(&read, nla_get_u32(attr));
		tl_sums_add(&sums[i], &read, 1);
	}
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
	u64 count, response_ns, own_ns, own_sq_hi, own_sq_lo, carried, traced, bytes_in,
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
	cell->traced += f->traced;
	cell->bytes_in += f->bytes_in;
	cell->bytes_out += f->bytes_out;
}

static int read_counted(struct nlattr *nest, char *tier, char *class,
			struct tl_interval *interval)
{
	static const struct tl_ctl_field fields[] = {
		FIELD(TIERLENS_A_COUNTED_VALUE, struct tl_charge, value),
	};
	struct nlattr *attrs[TIERLENS_A_COUNTED_MAX + 1];
	struct tl_charge charge = { .tier = tier, .class = class };
	char event[64];

	if (nla_parse_nested(attrs, TIERLENS_A_COUNTED_MAX, nest, NULL) < 0)
		return -EBADMSG;
	tl_ctl_read_fields(attrs, fields, ARRAY_SIZE(fields), &charge);
	tl_ctl_read_text(event, sizeof(event), attrs[TIERLENS_A_COUNTED_NAME]);
	charge.event = event;
	return tl_interval_charge(interval, &charge);
}

/* What events counted for the requests of a cell, one nest each. */
static int read_all_counted(struct nlattr *cell, char *tier, char *class,
			    struct tl_interval *interval)
{
	struct nlattr *attr;
	int left, code = 0;

	nla_for_each_nested(attr, cell, left) {
		if (nla_type(attr) == TIERLENS_A_CELL_COUNTED)
			code = read_counted(attr, tier, class, interval);
		if (code)
			break;
	}
	return code;
}

static int read_cell(struct nlattr *nest, struct tl_interval *interval)
{
	static const struct tl_ctl_field fields[] = {
		FIELD(TIERLENS_A_CELL_CLASS, struct cell_fields, class),
		FIELD(TIERLENS_A_CELL_COUNT, struct cell_fields, count),
		FIELD(TIERLENS_A_CELL_RESPONSE_NS, struct cell_fields, response_ns),
		FIELD(TIERLENS_A_CELL_OWN_NS, struct cell_fields, own_ns),
		FIELD(TIERLENS_A_CELL_OWN_SQ_HI, struct cell_fields, own_sq_hi),
		FIELD(TIERLENS_A_CELL_OWN_SQ_LO, struct cell_fields, own_sq_lo),
		FIELD(TIERLENS_A_CELL_CARRIED, struct cell_fields, carried),
		FIELD(TIERLENS_A_CELL_TRACED, struct cell_fields, traced),
		FIELD(TIERLENS_A_CELL_BYTES_IN, struct cell_fields, bytes_in),
		FIELD(TIERLENS_A_CELL_BYTES_OUT, struct cell_fields, bytes_out),
	};
	static const int sums[TL_CELL_SUMS] = {
		[TL_CELL_CPU] = TIERLENS_A_CELL_CPU_NS,
		[TL_CELL_RUN_WAIT] = TIERLENS_A_CELL_RUN_WAIT_NS,
		[TL_CELL_QUEUE] = TIERLENS_A_CELL_QUEUE_NS,
		[TL_CELL_QUEUE_COUNT] = TIERLENS_A_CELL_QUEUE_COUNT,
		[TL_CELL_STORAGE_READ] = TIERLENS_A_CELL_STORAGE_READ,
		[TL_CELL_STORAGE_WRITE] = TIERLENS_A_CELL_STORAGE_WRITE,
	};
	struct nlattr *attrs[TIERLENS_A_CELL_MAX + 1];
	struct cell_fields f = { 0 };
	char tier[64], class[64];
	struct tl_cell *cell;
	int code;

	if (nla_parse_nested(attrs, TIERLENS_A_CELL_MAX, nest, NULL) < 0)
		return -EBADMSG;
	tl_ctl_read_fields(attrs, fields, ARRAY_SIZE(fields), &f);
	tl_ctl_read_text(tier, sizeof(tier), attrs[TIERLENS_A_CELL_TIER_NAME]);
	class_name(class, sizeof(class), attrs[TIERLENS_A_CELL_CLASS_NAME], f.class);
	cell = tl_interval_cell(interval, tier, class);
	if (!cell)
		return -ENOMEM;
	cell_add(cell, &f);
	cell->level = tl_ctl_read_level(attrs[TIERLENS_A_CELL_LEVEL]);
	read_sums(attrs, sums, TL_CELL_SUMS, cell->sum);
	code = read_hist(attrs[TIERLENS_A_CELL_HIST_RESPONSE], cell->response_hist);
	code = code ? code : read_hist(attrs[TIERLENS_A_CELL_HIST_OWN], cell->own_hist);
	return code ? code : read_all_counted(nest, tier, class, interval);
}

/*
 * "127.0.0.1:9000", "[::1]:80", "/run/app.sock"; IPv4 in IPv6 clothes is shown as
 * what it is.
 */
static void peer_name(char *to, size_t room, const struct nlattr *addr, u32 port,
		      const struct nlattr *path)
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
	} else if (path) {
		tl_ctl_read_text(to, room, path);
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
	static const struct tl_ctl_field fields[] = {
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
		FIELD(TIERLENS_A_EDGE_BY_ORDER, struct edge_fields, by[TL_BY_ORDER]),
	};
	static const int sums[TL_EDGE_SUMS] = {
		[TL_EDGE_JOINED] = TIERLENS_A_EDGE_JOINED,
		[TL_EDGE_TRANSIT] = TIERLENS_A_EDGE_TRANSIT_NS,
		[TL_EDGE_BYTES_OUT] = TIERLENS_A_EDGE_BYTES_OUT,
		[TL_EDGE_BYTES_IN] = TIERLENS_A_EDGE_BYTES_IN,
	};
	struct nlattr *attrs[TIERLENS_A_EDGE_MAX + 1];
	char tier[64], class[64], peer[128], peer_tier[64];
	struct edge_fields f = { 0 };
	struct tl_edge *edge;
	int i;

	if (nla_parse_nested(attrs, TIERLENS_A_EDGE_MAX, nest, NULL) < 0)
		return -EBADMSG;
	tl_ctl_read_fields(attrs, fields, ARRAY_SIZE(fields), &f);
	tl_ctl_read_text(tier, sizeof(tier), attrs[TIERLENS_A_EDGE_TIER_NAME]);
	tl_ctl_read_text(peer_tier, sizeof(peer_tier), attrs[TIERLENS_A_EDGE_PEER_TIER]);
	class_name(class, sizeof(class), attrs[TIERLENS_A_EDGE_CLASS_NAME], f.class);
	peer_name(peer, sizeof(peer), attrs[TIERLENS_A_EDGE_PEER_ADDR], f.port,
		  attrs[TIERLENS_A_EDGE_PEER_PATH]);
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
	read_sums(attrs, sums, TL_EDGE_SUMS, edge->sum);
	return 0;
}

static int read_path(struct nlattr *nest, struct tl_interval *interval)
{
	static const struct tl_ctl_field fields[] = {
		FIELD(TIERLENS_A_PATH_ID, struct tl_path, id),
		FIELD(TIERLENS_A_PATH_PARENT, struct tl_path, parent),
		FIELD(TIERLENS_A_PATH_COUNT, struct tl_path, count),
		FIELD(TIERLENS_A_PATH_TRACED, struct tl_path, traced),
		FIELD(TIERLENS_A_PATH_RESPONSE_NS, struct tl_path, response_ns),
		FIELD(TIERLENS_A_PATH_OWN_NS, struct tl_path, own_ns),
	};
	static const int sums[TL_PATH_SUMS] = { [TL_PATH_CPU] = TIERLENS_A_PATH_CPU_NS };
	struct nlattr *attrs[TIERLENS_A_PATH_MAX + 1], *number;
	char tier[64], class[64];
	struct tl_path *path;

	if (nla_parse_nested(attrs, TIERLENS_A_PATH_MAX, nest, NULL) < 0)
		return -EBADMSG;
	number = attrs[TIERLENS_A_PATH_CLASS];
	tl_ctl_read_text(tier, sizeof(tier), attrs[TIERLENS_A_PATH_TIER_NAME]);
	class_name(class, sizeof(class), attrs[TIERLENS_A_PATH_CLASS_NAME],
		   number ? nla_get_u32(number) : 0);
	number = attrs[TIERLENS_A_PATH_ID];
	path = number && nla_get_u32(number) == PATH_MORE ?
		       tl_interval_path(interval, NULL, "other") :
		       tl_interval_path(interval, tier, class);
	if (!path)
		return -ENOMEM;
	tl_ctl_read_fields(attrs, fields, ARRAY_SIZE(fields), path);
	read_sums(attrs, sums, TL_PATH_SUMS, path->sum);
	return 0;
}

static int read_usage(struct nlattr *nest, struct tl_interval *interval)
{
	static const int sums[TL_USAGE_SUMS] = {
		[TL_USAGE_PROCESSES] = TIERLENS_A_USAGE_PROCESSES,
		[TL_USAGE_CPU] = TIERLENS_A_USAGE_CPU_NS,
		[TL_USAGE_REQUEST_CPU] = TIERLENS_A_USAGE_REQUEST_CPU_NS,
		[TL_USAGE_ELAPSED] = TIERLENS_A_USAGE_ELAPSED_NS,
	};
	struct nlattr *attrs[TIERLENS_A_USAGE_MAX + 1];
	struct tl_tier *tier;
	char name[64];

	if (nla_parse_nested(attrs, TIERLENS_A_USAGE_MAX, nest, NULL) < 0)
		return -EBADMSG;
	tl_ctl_read_text(name, sizeof(name), attrs[TIERLENS_A_USAGE_TIER_NAME]);
	tier = tl_interval_tier(interval, name);
	if (!tier)
		return -ENOMEM;
	read_sums(attrs, sums, TL_USAGE_SUMS, tier->usage);
	return 0;
}

static int read_count(struct nlattr *nest, struct tl_interval *interval)
{
	/* An interval has each event of a processor once. */
	struct tl_count *count = tl_interval_count_new(interval);
	struct nlattr *attr;
	int left;

	if (!count)
		return -ENOMEM;
	/* Without a table of what is there, which takes twice as long: ten times a second for dozens of events. */
	nla_for_each_nested(attr, nest, left)
		switch (nla_type(attr)) {
		case TIERLENS_A_COUNT_NAME:
			tl_ctl_read_text(count->event, sizeof(count->event), attr);
			break;
		case TIERLENS_A_COUNT_CPU:
			if (nla_len(attr) >= (int)sizeof(count->cpu))
				count->cpu = nla_get_u32(attr);
			break;
		case TIERLENS_A_COUNT_VALUE:
			count->value = nla_get_u64(attr);
			break;
		case TIERLENS_A_COUNT_ENABLED_NS:
			count->enabled_ns = nla_get_u64(attr);
			break;
		case TIERLENS_A_COUNT_RUNNING_NS:
			count->running_ns = nla_get_u64(attr);
			break;
		}
	return 0;
}

static int read_call(struct nlattr *nest, struct tl_interval *interval)
{
	static const struct tl_ctl_field fields[] = {
		FIELD(TIERLENS_A_FUNCTION_CALL_FUNCTION, struct tl_called, id),
		FIELD(TIERLENS_A_FUNCTION_CALL_COUNT, struct tl_called, count),
		FIELD(TIERLENS_A_FUNCTION_CALL_TOTAL_NS, struct tl_called, total_ns),
		FIELD(TIERLENS_A_FUNCTION_CALL_OWN_NS, struct tl_called, own_ns),
		FIELD(TIERLENS_A_FUNCTION_CALL_CPU_NS, struct tl_called, cpu_ns),
	};
	struct nlattr *attrs[TIERLENS_A_FUNCTION_CALL_MAX + 1], *number;
	char name[3 * TIERLENS_FUNCTION_NAME_MAX + 1], tier[64], class[64];
	struct tl_called called = { .tier = tier, .name = name };

	if (nla_parse_nested(attrs, TIERLENS_A_FUNCTION_CALL_MAX, nest, NULL) < 0)
		return -EBADMSG;
	tl_ctl_read_fields(attrs, fields, ARRAY_SIZE(fields), &called);
	tl_ctl_read_text(name, sizeof(name), attrs[TIERLENS_A_FUNCTION_CALL_NAME]);
	tl_ctl_read_text(tier, sizeof(tier), attrs[TIERLENS_A_FUNCTION_CALL_TIER_NAME]);
	number = attrs[TIERLENS_A_FUNCTION_CALL_CLASS];
	if (number) {
		class_name(class, sizeof(class), attrs[TIERLENS_A_FUNCTION_CALL_CLASS_NAME],
			   nla_get_u32(number));
		called.class = class;
	}
	return tl_interval_called(interval, &called);
}

/**
 * tl_ctl_read_cost() - What probes have cost
 * @nest: attribute
 * @cost: [TL_COST_SUMS]
 *
 * Return: 0 or -EBADMSG.
 */
int tl_ctl_read_cost(struct nlattr *nest, struct tl_sum *cost)
{
	static const int sums[TL_COST_SUMS] = {
		[TL_COST_HOOK_HITS] = TIERLENS_A_COST_HOOK_HITS,
		[TL_COST_HOOK] = TIERLENS_A_COST_HOOK_NS,
		[TL_COST_FUNCTION_HITS] = TIERLENS_A_COST_FUNCTION_HITS,
		[TL_COST_FUNCTION] = TIERLENS_A_COST_FUNCTION_NS,
		[TL_COST_HOOK_WAY] = TIERLENS_A_COST_HOOK_WAY_NS,
	};
	struct nlattr *attrs[TIERLENS_A_COST_MAX + 1];

	if (nla_parse_nested(attrs, TIERLENS_A_COST_MAX, nest, NULL) < 0)
		return -EBADMSG;
	read_sums(attrs, sums, TL_COST_SUMS, cost);
	return 0;
}

static int read_item(struct nlattr *attr, struct tl_interval *interval)
{
	switch (nla_type(attr)) {
	case TIERLENS_A_INTERVAL_CELL:
		return read_cell(attr, interval);
	case TIERLENS_A_INTERVAL_EDGE:
		return read_edge(attr, interval);
	case TIERLENS_A_INTERVAL_PATH:
		return read_path(attr, interval);
	case TIERLENS_A_INTERVAL_USAGE:
		return read_usage(attr, interval);
	case TIERLENS_A_INTERVAL_COUNT:
		return read_count(attr, interval);
	case TIERLENS_A_INTERVAL_CALL:
		return read_call(attr, interval);
	case TIERLENS_A_INTERVAL_COST:
		return tl_ctl_read_cost(attr, interval->cost);
	default:
		return 0;
	}
}

/* After its last message. */
static int interval_end(struct tl_interval *interval)
{
	int code = tl_paths_link(interval);

	tl_usage_settle(interval);
	return code == -EINVAL ? -EBADMSG : code;
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

/* Another one than those that are wanted now. */
static bool is_beyond(const struct tl_ctl_interval_reader *reader, u64 generation)
{
	const struct tl_intervals *list = reader->list;

	return reader->most && !reader->open && list->n && reader->bytes >= reader->most &&
	       list->interval[list->n - 1]->generation != generation;
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
	static const struct tl_ctl_field fields[] = {
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
	tl_ctl_read_fields(attrs, fields, ARRAY_SIZE(fields), &head);
	if (is_beyond(reader, head.generation)) {
		reader->list->more = true;
		return 0;
	}
	interval = interval_of(reader, head.generation);
	if (!interval)
		return -ENOMEM;
	if (interval->generation != head.generation)
		return -EBADMSG;
	reader->bytes += (size_t)len;
	interval->start_ns = head.start_ns;
	interval->length_ns = head.length_ns;
	tl_ctl_read_counters(attrs[TIERLENS_A_INTERVAL_EVENTS], interval->events, TL_EVENTS);
	tl_ctl_read_counters(attrs[TIERLENS_A_INTERVAL_LOSSES], interval->losses, TL_LOSSES);
	nla_for_each_attr(attr, first, len, left) {
		code = read_item(attr, interval);
		if (code)
			return code;
	}
	reader->open = !attrs[TIERLENS_A_INTERVAL_LAST];
	return reader->open ? 0 : interval_end(interval);
}
