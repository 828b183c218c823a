// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The client is strict on purpose: what the ABI promises about a dump (the head in
 * every part, events and losses in the first, one end, a histogram that holds what
 * is counted) is checked while reading. Attributes that it does not know it skips.
 */
#include "interval.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SET_MAX 32

struct set {
	const struct nlattr *attrs[SET_MAX];
};

const char *const interval_event_names[] = {
	[TIERLENS_A_EVENTS_SEEN] = "seen",
	[TIERLENS_A_EVENTS_ATTRIBUTED] = "attributed",
	[TIERLENS_A_EVENTS_UNATTRIBUTED] = "unattributed",
	[TIERLENS_A_EVENTS_IGNORED] = "ignored",
	[TIERLENS_A_EVENTS_MAX + 1] = NULL,
};

const char *const interval_loss_names[] = {
	[TIERLENS_A_LOSSES_CONNECTIONS_FULL] = "connections_full",
	[TIERLENS_A_LOSSES_THREADS_FULL] = "threads_full",
	[TIERLENS_A_LOSSES_CELLS_FULL] = "cells_full",
	[TIERLENS_A_LOSSES_TIERS_FULL] = "tiers_full",
	[TIERLENS_A_LOSSES_PEERS_FULL] = "peers_full",
	[TIERLENS_A_LOSSES_CALLS_FULL] = "calls_full",
	[TIERLENS_A_LOSSES_LATE] = "late",
	[TIERLENS_A_LOSSES_QUIET] = "quiet",
	[TIERLENS_A_LOSSES_UNANSWERED] = "unanswered",
	[TIERLENS_A_LOSSES_PUSH] = "push",
	[TIERLENS_A_LOSSES_PROBES_MISSED] = "probes_missed",
	[TIERLENS_A_LOSSES_MAX + 1] = NULL,
};

static const char *const cell_names[] = {
	[TIERLENS_A_CELL_TIER] = "tier",
	[TIERLENS_A_CELL_TIER_NAME] = "tier_name",
	[TIERLENS_A_CELL_CLASS] = "class",
	[TIERLENS_A_CELL_COUNT] = "count",
	[TIERLENS_A_CELL_RESPONSE_NS] = "response_ns",
	[TIERLENS_A_CELL_OWN_NS] = "own_ns",
	[TIERLENS_A_CELL_OWN_SQ_HI] = "own_sq_hi",
	[TIERLENS_A_CELL_OWN_SQ_LO] = "own_sq_lo",
	[TIERLENS_A_CELL_CARRIED] = "carried",
	[TIERLENS_A_CELL_BYTES_IN] = "bytes_in",
	[TIERLENS_A_CELL_BYTES_OUT] = "bytes_out",
};

static const char *const edge_names[] = {
	[TIERLENS_A_EDGE_TIER] = "tier",
	[TIERLENS_A_EDGE_TIER_NAME] = "tier_name",
	[TIERLENS_A_EDGE_CLASS] = "class",
	[TIERLENS_A_EDGE_PEER_PORT] = "peer_port",
	[TIERLENS_A_EDGE_PEER_TIER] = "peer_tier",
	[TIERLENS_A_EDGE_CALLS] = "calls",
	[TIERLENS_A_EDGE_TIME_NS] = "time_ns",
	[TIERLENS_A_EDGE_BY_THREAD] = "by_thread",
	[TIERLENS_A_EDGE_BY_OWNER] = "by_owner",
	[TIERLENS_A_EDGE_BY_HANDOFF] = "by_handoff",
	[TIERLENS_A_EDGE_BY_LOOKBACK] = "by_lookback",
};

static void parse(const struct nlattr *nest, struct set *set)
{
	const struct nlattr *attr;

	memset(set, 0, sizeof(*set));
	mnl_attr_for_each_nested (attr, nest)
		if (mnl_attr_get_type(attr) < SET_MAX)
			set->attrs[mnl_attr_get_type(attr)] = attr;
}

static uint64_t number(const struct nlattr *attr)
{
	uint64_t value = 0;

	/* On some architectures a u64 is aligned to four bytes only. */
	if (attr)
		memcpy(&value, mnl_attr_get_payload(attr),
		       mnl_attr_get_payload_len(attr) == 8 ? 8 : 4);
	return value;
}

static bool is_text(const char *name)
{
	return !strcmp(name, "tier_name") || !strcmp(name, "peer_tier");
}

/* All named attributes of a nest that are there, without brackets. */
void interval_attributes(struct json *json, const struct nlattr *nest,
			 const char *const *names, unsigned int n)
{
	struct set set;
	unsigned int i;

	parse(nest, &set);
	for (i = 0; i < n; i++) {
		if (!names[i] || !set.attrs[i])
			continue;
		if (is_text(names[i]))
			json_text(json, names[i], mnl_attr_get_str(set.attrs[i]));
		else
			json_u64(json, names[i], number(set.attrs[i]));
	}
}

/* Returns how much the histogram holds in all; -1 if it is no histogram. */
static int64_t print_hist(struct json *json, const char *key, const struct nlattr *attr)
{
	uint32_t pair[2], before = 0;
	int64_t sum = 0;
	size_t at, length;

	if (!attr || mnl_attr_get_payload_len(attr) % sizeof(pair))
		return -1;
	length = mnl_attr_get_payload_len(attr);
	json_open(json, key, '[');
	for (at = 0; at < length; at += sizeof(pair)) {
		memcpy(pair, (const char *)mnl_attr_get_payload(attr) + at, sizeof(pair));
		if ((at && pair[0] <= before) || !pair[1])
			return -1;
		before = pair[0];
		sum += pair[1];
		json_open(json, NULL, '[');
		json_u64(json, NULL, pair[0]);
		json_u64(json, NULL, pair[1]);
		json_close(json, ']');
	}
	json_close(json, ']');
	return sum;
}

static const char *print_cell(struct json *json, const struct nlattr *nest)
{
	const char *wrong = NULL;
	struct set set;
	int64_t count;
	unsigned int i;

	parse(nest, &set);
	for (i = TIERLENS_A_CELL_TIER; i <= TIERLENS_A_CELL_MAX; i++)
		if (!set.attrs[i])
			return "a cell lacks an attribute";
	count = number(set.attrs[TIERLENS_A_CELL_COUNT]);
	json_open(json, NULL, '{');
	interval_attributes(json, nest, cell_names, MNL_ARRAY_SIZE(cell_names));
	if (print_hist(json, "hist_response", set.attrs[TIERLENS_A_CELL_HIST_RESPONSE]) !=
		    count ||
	    print_hist(json, "hist_own", set.attrs[TIERLENS_A_CELL_HIST_OWN]) != count)
		wrong = "a histogram does not hold what the cell counts";
	json_close(json, '}');
	if (!count || number(set.attrs[TIERLENS_A_CELL_CARRIED]) > (uint64_t)count)
		wrong = "a cell counts nothing, or has more carried than counted";
	if (number(set.attrs[TIERLENS_A_CELL_OWN_NS]) >
	    number(set.attrs[TIERLENS_A_CELL_RESPONSE_NS]))
		wrong = "own time is more than response time";
	return wrong;
}

static const char *print_edge(struct json *json, const struct nlattr *nest)
{
	const struct nlattr *addr;
	char text[INET6_ADDRSTRLEN];
	struct set set;
	uint64_t by = 0;
	unsigned int i;

	parse(nest, &set);
	if (!set.attrs[TIERLENS_A_EDGE_TIER] || !set.attrs[TIERLENS_A_EDGE_CALLS] ||
	    !set.attrs[TIERLENS_A_EDGE_TIME_NS])
		return "an edge lacks an attribute";
	json_open(json, NULL, '{');
	interval_attributes(json, nest, edge_names, MNL_ARRAY_SIZE(edge_names));
	addr = set.attrs[TIERLENS_A_EDGE_PEER_ADDR];
	if (addr && inet_ntop(mnl_attr_get_payload_len(addr) == 4 ? AF_INET : AF_INET6,
			      mnl_attr_get_payload(addr), text, sizeof(text)))
		json_text(json, "peer_addr", text);
	json_close(json, '}');
	for (i = TIERLENS_A_EDGE_BY_THREAD; i <= TIERLENS_A_EDGE_BY_LOOKBACK; i++)
		by += number(set.attrs[i]);
	if (number(set.attrs[TIERLENS_A_EDGE_TIER]) &&
	    by != number(set.attrs[TIERLENS_A_EDGE_CALLS]))
		return "an edge's calls are not the sum of its kinds";
	return NULL;
}

static void list_open(struct interval_list *list)
{
	list->json.out = open_memstream(&list->text, &list->size);
	list->json.comma = false;
	if (!list->json.out)
		abort();
}

static void list_free(struct interval_list *list)
{
	fclose(list->json.out);
	free(list->text);
}

/* Events and losses are in the first part and in no other. */
static const char *begin(struct interval_reader *reader, const struct set *set)
{
	const struct nlattr *events = set->attrs[TIERLENS_A_INTERVAL_EVENTS];
	const struct nlattr *losses = set->attrs[TIERLENS_A_INTERVAL_LOSSES];
	struct json *json = &reader->head.json;

	if (!events || !losses)
		return "the first part has no events or no losses";
	if (number(set->attrs[TIERLENS_A_INTERVAL_GENERATION]) <= reader->generation)
		return "generations do not rise";
	reader->generation = number(set->attrs[TIERLENS_A_INTERVAL_GENERATION]);
	reader->start_ns = number(set->attrs[TIERLENS_A_INTERVAL_START_NS]);
	reader->length_ns = number(set->attrs[TIERLENS_A_INTERVAL_LENGTH_NS]);
	reader->open = true;
	reader->parts = 0;
	list_open(&reader->head);
	list_open(&reader->cells);
	list_open(&reader->edges);
	json_u64(json, "generation", reader->generation);
	json_u64(json, "start_ns", reader->start_ns);
	json_u64(json, "length_ns", reader->length_ns);
	json_open(json, "events", '{');
	interval_attributes(json, events, interval_event_names,
			    MNL_ARRAY_SIZE(interval_event_names));
	json_close(json, '}');
	json_open(json, "losses", '{');
	interval_attributes(json, losses, interval_loss_names,
			    MNL_ARRAY_SIZE(interval_loss_names));
	json_close(json, '}');
	return NULL;
}

static const char *go_on(struct interval_reader *reader, const struct set *set)
{
	if (set->attrs[TIERLENS_A_INTERVAL_EVENTS] ||
	    set->attrs[TIERLENS_A_INTERVAL_LOSSES])
		return "events or losses in a later part";
	if (number(set->attrs[TIERLENS_A_INTERVAL_GENERATION]) != reader->generation ||
	    number(set->attrs[TIERLENS_A_INTERVAL_START_NS]) != reader->start_ns ||
	    number(set->attrs[TIERLENS_A_INTERVAL_LENGTH_NS]) != reader->length_ns)
		return "the parts of an interval have different heads";
	return NULL;
}

static void end(struct interval_reader *reader)
{
	struct json *json = &reader->head.json;

	fflush(reader->cells.json.out);
	fflush(reader->edges.json.out);
	json_open(json, "cells", '[');
	json_raw(json, NULL, reader->cells.text);
	json_close(json, ']');
	json_open(json, "edges", '[');
	json_raw(json, NULL, reader->edges.text);
	json_close(json, ']');
	if (reader->show_parts)
		json_u64(json, "parts", reader->parts);
	fflush(json->out);
	fprintf(reader->out, "{%s}\n", reader->head.text);
	fflush(reader->out);
	list_free(&reader->head);
	list_free(&reader->cells);
	list_free(&reader->edges);
	reader->open = false;
	reader->printed++;
}

/**
 * interval_part() - Take one message of a dump of intervals
 * @nlh: the message
 * @arg: the struct interval_reader
 *
 * Prints the interval when its last part has come.
 *
 * Return: 0, or -EPROTO if the reader->wrong has something to say.
 */
int interval_part(const struct nlmsghdr *nlh, void *arg)
{
	struct interval_reader *reader = arg;
	const struct nlattr *attr;
	struct set set = {0};

	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) < SET_MAX)
			set.attrs[mnl_attr_get_type(attr)] = attr;
	if (!set.attrs[TIERLENS_A_INTERVAL_GENERATION] ||
	    !set.attrs[TIERLENS_A_INTERVAL_START_NS] ||
	    !set.attrs[TIERLENS_A_INTERVAL_LENGTH_NS])
		reader->wrong = "a part without its head";
	else
		reader->wrong = reader->open ? go_on(reader, &set) : begin(reader, &set);
	if (!reader->wrong)
		reader->parts++;
	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr)) {
		if (reader->wrong)
			return -EPROTO;
		if (mnl_attr_get_type(attr) == TIERLENS_A_INTERVAL_CELL)
			reader->wrong = print_cell(&reader->cells.json, attr);
		if (mnl_attr_get_type(attr) == TIERLENS_A_INTERVAL_EDGE)
			reader->wrong = print_edge(&reader->edges.json, attr);
	}
	if (reader->wrong)
		return -EPROTO;
	if (set.attrs[TIERLENS_A_INTERVAL_LAST])
		end(reader);
	return 0;
}
