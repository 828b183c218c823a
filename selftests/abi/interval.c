// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The client is strict on purpose: what the ABI promises about a dump (the head in
 * every part, events and losses in the first, one end, a histogram that holds what
 * is counted, a path's parent beside it, paths that sum up to the cells) is checked
 * while reading. Attributes that it does not know it skips.
 */
#include "interval.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NODE_MORE 1 /* "more paths" */
/*
 * Processes are asked one after the other, which may be held up; and a request is
 * charged when its thread comes by, for what it has used since it came by before.
 */
#define CPU_SLACK_NS 5000000000ULL

/* clang-format off */
const struct fields interval_events = {
	"the events lack an attribute", {
	[TIERLENS_A_EVENTS_SEEN] = {.name = "seen"},
	[TIERLENS_A_EVENTS_ATTRIBUTED] = {.name = "attributed"},
	[TIERLENS_A_EVENTS_UNATTRIBUTED] = {.name = "unattributed"},
	[TIERLENS_A_EVENTS_IGNORED] = {.name = "ignored"},
}};

const struct fields interval_losses = {
	"the losses lack an attribute", {
	[TIERLENS_A_LOSSES_CONNECTIONS_FULL] = {.name = "connections_full"},
	[TIERLENS_A_LOSSES_THREADS_FULL] = {.name = "threads_full"},
	[TIERLENS_A_LOSSES_CELLS_FULL] = {.name = "cells_full"},
	[TIERLENS_A_LOSSES_TIERS_FULL] = {.name = "tiers_full"},
	[TIERLENS_A_LOSSES_PEERS_FULL] = {.name = "peers_full"},
	[TIERLENS_A_LOSSES_CALLS_FULL] = {.name = "calls_full"},
	[TIERLENS_A_LOSSES_LATE] = {.name = "late"},
	[TIERLENS_A_LOSSES_QUIET] = {.name = "quiet"},
	[TIERLENS_A_LOSSES_UNANSWERED] = {.name = "unanswered"},
	[TIERLENS_A_LOSSES_PUSH] = {.name = "push"},
	[TIERLENS_A_LOSSES_AMBIGUOUS] = {.name = "ambiguous"},
	[TIERLENS_A_LOSSES_PATHS_FULL] = {.name = "paths_full"},
	[TIERLENS_A_LOSSES_HANDOFFS_DROPPED] = {.name = "handoffs_dropped"},
	[TIERLENS_A_LOSSES_PROBES_MISSED] = {.name = "probes_missed"},
}};

const struct fields interval_cost = {
	"the cost lacks an attribute", {
	[TIERLENS_A_COST_HOOK_HITS] = {.name = "hook_hits"},
	[TIERLENS_A_COST_HOOK_NS] = {.name = "hook_ns"},
	[TIERLENS_A_COST_FUNCTION_HITS] = {.name = "function_hits"},
	[TIERLENS_A_COST_FUNCTION_NS] = {.name = "function_ns"},
	[TIERLENS_A_COST_HOOK_WAY_NS] = {.name = "hook_way_ns"},
}};

static const struct fields head_fields = {
	"a part without its head", {
	[TIERLENS_A_INTERVAL_GENERATION] = {.name = "generation"},
	[TIERLENS_A_INTERVAL_START_NS] = {.name = "start_ns"},
	[TIERLENS_A_INTERVAL_LENGTH_NS] = {.name = "length_ns"},
	[TIERLENS_A_INTERVAL_EVENTS] = {"events", FIELD_NEST, true, &interval_events},
	[TIERLENS_A_INTERVAL_LOSSES] = {"losses", FIELD_NEST, true, &interval_losses},
	[TIERLENS_A_INTERVAL_COST] = {"cost", FIELD_NEST, true, &interval_cost},
}};

static const struct fields counted_fields = {
	"what a cell counted lacks an attribute", {
	[TIERLENS_A_COUNTED_NAME] = {"event", FIELD_NAME},
	[TIERLENS_A_COUNTED_VALUE] = {.name = "value"},
}};

static const struct fields cell_fields = {
	"a cell lacks an attribute", {
	[TIERLENS_A_CELL_TIER] = {.name = "tier"},
	[TIERLENS_A_CELL_TIER_NAME] = {"tier_name", FIELD_NAME},
	[TIERLENS_A_CELL_CLASS] = {.name = "class"},
	[TIERLENS_A_CELL_CLASS_NAME] = {"class_name", FIELD_NAME},
	[TIERLENS_A_CELL_COUNT] = {.name = "count"},
	[TIERLENS_A_CELL_RESPONSE_NS] = {.name = "response_ns"},
	[TIERLENS_A_CELL_OWN_NS] = {.name = "own_ns"},
	[TIERLENS_A_CELL_OWN_SQ_HI] = {.name = "own_sq_hi"},
	[TIERLENS_A_CELL_OWN_SQ_LO] = {.name = "own_sq_lo"},
	[TIERLENS_A_CELL_CARRIED] = {.name = "carried"},
	[TIERLENS_A_CELL_BYTES_IN] = {.name = "bytes_in"},
	[TIERLENS_A_CELL_BYTES_OUT] = {.name = "bytes_out"},
	[TIERLENS_A_CELL_CPU_NS] = {.name = "cpu_ns"},
	[TIERLENS_A_CELL_RUN_WAIT_NS] = {.name = "run_wait_ns", .optional = true},
	[TIERLENS_A_CELL_QUEUE_NS] = {.name = "queue_ns"},
	[TIERLENS_A_CELL_QUEUE_COUNT] = {.name = "queue_count"},
	[TIERLENS_A_CELL_STORAGE_READ] = {.name = "storage_read", .optional = true},
	[TIERLENS_A_CELL_STORAGE_WRITE] = {.name = "storage_write", .optional = true},
	[TIERLENS_A_CELL_HIST_RESPONSE] = {"hist_response", FIELD_HIST},
	[TIERLENS_A_CELL_HIST_OWN] = {"hist_own", FIELD_HIST},
	[TIERLENS_A_CELL_TRACED] = {.name = "traced"},
	[TIERLENS_A_CELL_LEVEL] = {.name = "level"},
	[TIERLENS_A_CELL_COUNTED] = {"counted", FIELD_NESTS, true, &counted_fields},
}};

static const struct fields edge_fields = {
	"an edge lacks an attribute", {
	[TIERLENS_A_EDGE_TIER] = {.name = "tier"},
	[TIERLENS_A_EDGE_TIER_NAME] = {"tier_name", FIELD_NAME},
	[TIERLENS_A_EDGE_CLASS] = {.name = "class"},
	[TIERLENS_A_EDGE_CLASS_NAME] = {"class_name", FIELD_NAME},
	[TIERLENS_A_EDGE_PEER_ADDR] = {"peer_addr", FIELD_ADDR, true},
	[TIERLENS_A_EDGE_PEER_PORT] = {.name = "peer_port", .optional = true},
	[TIERLENS_A_EDGE_PEER_PATH] = {"peer_path", FIELD_PATH, true},
	[TIERLENS_A_EDGE_PEER_TIER] = {"peer_tier", FIELD_NAME, true},
	[TIERLENS_A_EDGE_CALLS] = {.name = "calls"},
	[TIERLENS_A_EDGE_TIME_NS] = {.name = "time_ns"},
	[TIERLENS_A_EDGE_BY_THREAD] = {.name = "by_thread", .optional = true},
	[TIERLENS_A_EDGE_BY_OWNER] = {.name = "by_owner", .optional = true},
	[TIERLENS_A_EDGE_BY_HANDOFF] = {.name = "by_handoff", .optional = true},
	[TIERLENS_A_EDGE_BY_LOOKBACK] = {.name = "by_lookback", .optional = true},
	[TIERLENS_A_EDGE_JOINED] = {.name = "joined"},
	[TIERLENS_A_EDGE_TRANSIT_NS] = {.name = "transit_ns"},
	[TIERLENS_A_EDGE_BYTES_OUT] = {.name = "bytes_out"},
	[TIERLENS_A_EDGE_BYTES_IN] = {.name = "bytes_in"},
	[TIERLENS_A_EDGE_BY_ORDER] = {.name = "by_order", .optional = true},
}};

static const struct fields path_fields = {
	"a path lacks an attribute", {
	[TIERLENS_A_PATH_ID] = {.name = "id"},
	[TIERLENS_A_PATH_PARENT] = {.name = "parent", .optional = true},
	[TIERLENS_A_PATH_TIER] = {.name = "tier"},
	[TIERLENS_A_PATH_TIER_NAME] = {"tier_name", FIELD_NAME},
	[TIERLENS_A_PATH_CLASS] = {.name = "class"},
	[TIERLENS_A_PATH_CLASS_NAME] = {"class_name", FIELD_NAME},
	[TIERLENS_A_PATH_COUNT] = {.name = "count"},
	[TIERLENS_A_PATH_RESPONSE_NS] = {.name = "response_ns"},
	[TIERLENS_A_PATH_OWN_NS] = {.name = "own_ns"},
	[TIERLENS_A_PATH_CPU_NS] = {.name = "cpu_ns"},
	[TIERLENS_A_PATH_TRACED] = {.name = "traced"},
}};

static const struct fields usage_fields = {
	"a usage lacks an attribute", {
	[TIERLENS_A_USAGE_TIER] = {.name = "tier"},
	[TIERLENS_A_USAGE_TIER_NAME] = {"tier_name", FIELD_NAME},
	[TIERLENS_A_USAGE_PROCESSES] = {.name = "processes"},
	[TIERLENS_A_USAGE_CPU_NS] = {.name = "cpu_ns"},
	[TIERLENS_A_USAGE_REQUEST_CPU_NS] = {.name = "request_cpu_ns"},
	[TIERLENS_A_USAGE_ELAPSED_NS] = {.name = "elapsed_ns"},
}};

static const struct fields count_fields = {
	"a count lacks an attribute", {
	[TIERLENS_A_COUNT_NAME] = {"event", FIELD_NAME},
	[TIERLENS_A_COUNT_CPU] = {.name = "cpu"},
	[TIERLENS_A_COUNT_VALUE] = {.name = "value"},
	[TIERLENS_A_COUNT_ENABLED_NS] = {.name = "enabled_ns"},
	[TIERLENS_A_COUNT_RUNNING_NS] = {.name = "running_ns"},
}};

static const struct fields call_fields = {
	"a function's calls lack an attribute", {
	[TIERLENS_A_FUNCTION_CALL_FUNCTION] = {.name = "function"},
	[TIERLENS_A_FUNCTION_CALL_NAME] = {"name", FIELD_NAME},
	[TIERLENS_A_FUNCTION_CALL_TIER] = {.name = "tier"},
	[TIERLENS_A_FUNCTION_CALL_TIER_NAME] = {"tier_name", FIELD_NAME},
	[TIERLENS_A_FUNCTION_CALL_CLASS] = {.name = "class", .optional = true},
	[TIERLENS_A_FUNCTION_CALL_CLASS_NAME] = {"class_name", FIELD_NAME, true},
	[TIERLENS_A_FUNCTION_CALL_COUNT] = {.name = "count"},
	[TIERLENS_A_FUNCTION_CALL_TOTAL_NS] = {.name = "total_ns"},
	[TIERLENS_A_FUNCTION_CALL_OWN_NS] = {.name = "own_ns"},
	[TIERLENS_A_FUNCTION_CALL_CPU_NS] = {.name = "cpu_ns"},
}};
/* clang-format on */

static uint64_t number(const struct field_set *set, unsigned int type)
{
	return field_number(set->attrs[type]);
}

/* Returns false if there is one already. */
static bool key_add(struct interval_keys *keys, struct interval_key key)
{
	unsigned int i;

	for (i = 0; i < keys->n; i++)
		if (keys->key[i].a == key.a && keys->key[i].b == key.b)
			return false;
	if (keys->n == keys->room) {
		keys->room = keys->room ? 2 * keys->room : 64;
		keys->key = realloc(keys->key, keys->room * sizeof(key));
		if (!keys->key)
			abort();
	}
	keys->key[keys->n++] = key;
	return true;
}

static const char *event_of(const struct nlattr *counted)
{
	struct field_set set;

	field_set_nest(&set, counted);
	return mnl_attr_get_str(set.attrs[TIERLENS_A_COUNTED_NAME]);
}

static const char *check_counted(const struct nlattr *cell)
{
	const struct nlattr *a, *b;

	mnl_attr_for_each_nested (a, cell)
		mnl_attr_for_each_nested (b, cell)
			if (a < b && mnl_attr_get_type(a) == TIERLENS_A_CELL_COUNTED &&
			    mnl_attr_get_type(b) == TIERLENS_A_CELL_COUNTED &&
			    !strcmp(event_of(a), event_of(b)))
				return "a cell has counted an event twice";
	return NULL;
}

static const char *check_cell(struct interval_reader *reader, const struct field_set *set)
{
	struct interval_key key = {number(set, TIERLENS_A_CELL_TIER),
				   number(set, TIERLENS_A_CELL_CLASS), 0};
	uint64_t count = number(set, TIERLENS_A_CELL_COUNT);
	uint64_t queued = number(set, TIERLENS_A_CELL_QUEUE_COUNT);
	uint64_t traced = number(set, TIERLENS_A_CELL_TRACED);

	if (traced > count || number(set, TIERLENS_A_CELL_LEVEL) > TIERLENS_LEVEL_METHOD)
		return "a cell has more traced than counted, or no level that there is";
	if ((uint64_t)field_hist(set->attrs[TIERLENS_A_CELL_HIST_RESPONSE]) != count ||
	    (uint64_t)field_hist(set->attrs[TIERLENS_A_CELL_HIST_OWN]) != count - traced)
		return "a histogram does not hold what the cell counts";
	if (number(set, TIERLENS_A_CELL_CARRIED) > count)
		return "a cell has more carried than counted";
	if (!count && (number(set, TIERLENS_A_CELL_RESPONSE_NS) |
		       number(set, TIERLENS_A_CELL_BYTES_OUT)))
		return "a cell counts nothing and yet has times or bytes";
	if (number(set, TIERLENS_A_CELL_OWN_NS) >
	    number(set, TIERLENS_A_CELL_RESPONSE_NS))
		return "own time is more than response time";
	if (queued > count || (!queued && number(set, TIERLENS_A_CELL_QUEUE_NS)))
		return "more requests have queued than there are, or none and for some "
		       "time";
	if (!set->attrs[TIERLENS_A_CELL_STORAGE_READ] !=
	    !set->attrs[TIERLENS_A_CELL_STORAGE_WRITE])
		return "a cell tells of one direction of storage only";
	reader->cells.count += count;
	reader->cells.response_ns += number(set, TIERLENS_A_CELL_RESPONSE_NS);
	reader->cells.own_ns += number(set, TIERLENS_A_CELL_OWN_NS);
	reader->cells.cpu_ns += number(set, TIERLENS_A_CELL_CPU_NS);
	if (!key_add(&reader->keys[LIST_CELLS], key))
		return "a cell is there twice";
	return check_counted(set->nest);
}

static const char *check_edge(struct interval_reader *reader, const struct field_set *set)
{
	const struct nlattr *const *attrs = set->attrs;
	uint64_t calls = number(set, TIERLENS_A_EDGE_CALLS), by = 0;
	uint64_t joined = number(set, TIERLENS_A_EDGE_JOINED);
	uint64_t transit_ns = number(set, TIERLENS_A_EDGE_TRANSIT_NS);
	unsigned int i, kinds = 0;

	(void)reader;
	for (i = TIERLENS_A_EDGE_BY_THREAD; i <= TIERLENS_A_EDGE_BY_ORDER; i++) {
		if (i > TIERLENS_A_EDGE_BY_LOOKBACK && i != TIERLENS_A_EDGE_BY_ORDER)
			continue;
		kinds += !!attrs[i];
		by += number(set, i);
	}
	if (kinds != (number(set, TIERLENS_A_EDGE_TIER) ? 5 : 0))
		return "an edge of no tier has kinds, or one of a tier lacks some";
	if (kinds && by != calls)
		return "an edge's calls are not the sum of its kinds";
	if (joined > calls || (!joined && transit_ns))
		return "an edge has more calls joined than there are, or none and "
		       "transit";
	if (transit_ns > number(set, TIERLENS_A_EDGE_TIME_NS))
		return "an edge's transit is more than its time";
	if (!attrs[TIERLENS_A_EDGE_PEER_ADDR] != !attrs[TIERLENS_A_EDGE_PEER_PORT] ||
	    (attrs[TIERLENS_A_EDGE_PEER_ADDR] && attrs[TIERLENS_A_EDGE_PEER_PATH]))
		return "an edge has half an endpoint, or two";
	return NULL;
}

static const char *check_path(struct interval_reader *reader, const struct field_set *set)
{
	struct interval_key key = {number(set, TIERLENS_A_PATH_ID), 0,
				   number(set, TIERLENS_A_PATH_PARENT)};
	uint64_t count = number(set, TIERLENS_A_PATH_COUNT);
	uint64_t response_ns = number(set, TIERLENS_A_PATH_RESPONSE_NS);
	uint64_t own_ns = number(set, TIERLENS_A_PATH_OWN_NS);
	uint64_t cpu_ns = number(set, TIERLENS_A_PATH_CPU_NS);

	if (set->attrs[TIERLENS_A_PATH_PARENT] &&
	    (!key.parent || key.parent == NODE_MORE || key.a == NODE_MORE))
		return "a path's parent is none, or \"more paths\" is or has one";
	if (!key.a || (key.a == NODE_MORE) != !number(set, TIERLENS_A_PATH_TIER))
		return "a path has no node or no tier, or \"more paths\" has one";
	if (!count && (response_ns | own_ns))
		return "a path counts nothing and yet has times";
	if (own_ns > response_ns)
		return "a path's own time is more than its response time";
	reader->paths.count += count;
	reader->paths.response_ns += response_ns;
	reader->paths.own_ns += own_ns;
	reader->paths.cpu_ns += cpu_ns;
	return key_add(&reader->keys[LIST_PATHS], key) ? NULL : "a path is there twice";
}

static const char *check_usage(struct interval_reader *reader,
			       const struct field_set *set)
{
	struct interval_key key = {number(set, TIERLENS_A_USAGE_TIER), 0, 0};
	uint64_t elapsed_ns = number(set, TIERLENS_A_USAGE_ELAPSED_NS);

	if (!key.a)
		return "a usage of no tier";
	if (!elapsed_ns || (reader->elapsed_ns && reader->elapsed_ns != elapsed_ns))
		return "a usage over no time, or not over that of the others";
	reader->elapsed_ns = elapsed_ns;
	reader->cpu_ns += number(set, TIERLENS_A_USAGE_CPU_NS);
	reader->request_cpu_ns += number(set, TIERLENS_A_USAGE_REQUEST_CPU_NS);
	return key_add(&reader->keys[LIST_USAGE], key) ? NULL : "a usage is there twice";
}

/* FNV-1a: enough to tell a few names apart. */
static uint32_t hash(const char *text)
{
	uint32_t h = 2166136261U;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619U;
	return h;
}

static const char *check_count(struct interval_reader *reader,
			       const struct field_set *set)
{
	const char *event = mnl_attr_get_str(set->attrs[TIERLENS_A_COUNT_NAME]);
	struct interval_key key = {hash(event), number(set, TIERLENS_A_COUNT_CPU), 0};
	uint64_t enabled_ns = number(set, TIERLENS_A_COUNT_ENABLED_NS);
	uint64_t running_ns = number(set, TIERLENS_A_COUNT_RUNNING_NS);

	if (!enabled_ns)
		return "a counter that was not to count";
	if (running_ns > enabled_ns)
		return "a counter counted for longer than it was to";
	if (!running_ns && number(set, TIERLENS_A_COUNT_VALUE))
		return "a counter has counted while it did not";
	if (reader->processors && key.b >= reader->processors)
		return "a counter of no processor";
	return key_add(&reader->keys[LIST_COUNTS], key) ? NULL : "a count is there twice";
}

static const char *check_call(struct interval_reader *reader, const struct field_set *set)
{
	bool outside = !set->attrs[TIERLENS_A_FUNCTION_CALL_CLASS];
	struct interval_key key = {number(set, TIERLENS_A_FUNCTION_CALL_FUNCTION),
				   outside ? UINT32_MAX :
					     number(set, TIERLENS_A_FUNCTION_CALL_CLASS), 0};

	if (outside != !set->attrs[TIERLENS_A_FUNCTION_CALL_CLASS_NAME])
		return "a function's calls have half a class";
	if (!number(set, TIERLENS_A_FUNCTION_CALL_COUNT))
		return "calls of a function that was not called";
	return key_add(&reader->keys[LIST_CALLS], key) ? NULL :
							 "a function's calls are there twice";
}

static const struct list {
	const char *name;
	const struct fields *fields;
	const char *(*check)(struct interval_reader *reader, const struct field_set *set);
	int type;
} lists[INTERVAL_LISTS] = {
	{"cells", &cell_fields, check_cell, TIERLENS_A_INTERVAL_CELL},
	{"edges", &edge_fields, check_edge, TIERLENS_A_INTERVAL_EDGE},
	{"paths", &path_fields, check_path, TIERLENS_A_INTERVAL_PATH},
	{"usage", &usage_fields, check_usage, TIERLENS_A_INTERVAL_USAGE},
	{"counts", &count_fields, check_count, TIERLENS_A_INTERVAL_COUNT},
	{"calls", &call_fields, check_call, TIERLENS_A_INTERVAL_CALL},
};

/* Which list an attribute is an entry of; NULL: of none. */
static const struct list *list_of(const struct nlattr *attr)
{
	unsigned int i;

	for (i = 0; i < INTERVAL_LISTS; i++)
		if (lists[i].type == mnl_attr_get_type(attr))
			return &lists[i];
	return NULL;
}

static const char *take_entry(struct interval_reader *reader, const struct list *list,
			      const struct nlattr *attr)
{
	struct json *json = &reader->lists[list - lists].json;
	struct field_set set;
	const char *wrong;

	field_set_nest(&set, attr);
	json_open(json, NULL, '{');
	wrong = fields_print(json, list->fields, &set);
	json_close(json, '}');
	return wrong ? wrong : list->check(reader, &set);
}

/* ---- the whole ----------------------------------------------------------------- */

static const struct interval_key *find_node(const struct interval_keys *keys, uint32_t id)
{
	unsigned int i;

	for (i = 0; i < keys->n; i++)
		if (keys->key[i].a == id)
			return &keys->key[i];
	return NULL;
}

static const char *check_parents(const struct interval_keys *keys)
{
	const struct interval_key *node;
	unsigned int i, steps;

	for (i = 0; i < keys->n; i++) {
		node = &keys->key[i];
		for (steps = 0; node && node->parent; steps++) {
			if (steps > keys->n)
				return "a path is its own ancestor";
			node = find_node(keys, node->parent);
		}
		if (!node)
			return "a path's parent is not there";
	}
	return NULL;
}

static const char *check_whole(struct interval_reader *reader)
{
	uint64_t most_ns = reader->processors * (reader->elapsed_ns + CPU_SLACK_NS);
	const char *wrong = NULL;

	if (reader->processors &&
	    (reader->cpu_ns > most_ns || reader->request_cpu_ns > most_ns)) {
		snprintf(reader->told, sizeof(reader->told),
			 "more processor time than there is: %" PRIu64 " ns, %" PRIu64
			 " ns of requests, in %" PRIu64 " ns",
			 reader->cpu_ns, reader->request_cpu_ns, reader->elapsed_ns);
		return reader->told;
	}
	if (reader->lossy)
		return NULL;
	wrong = check_parents(&reader->keys[LIST_PATHS]);
	if (!wrong && memcmp(&reader->paths, &reader->cells, sizeof(reader->paths)))
		wrong = "the paths do not sum up to the cells";
	return wrong;
}

static void text_open(struct interval_text *text)
{
	text->json.out = open_memstream(&text->text, &text->size);
	text->json.comma = false;
	if (!text->json.out)
		abort();
}

static void text_free(struct interval_text *text)
{
	fclose(text->json.out);
	free(text->text);
}

static void open_interval(struct interval_reader *reader, const struct field_set *set)
{
	unsigned int i;

	reader->generation = number(set, TIERLENS_A_INTERVAL_GENERATION);
	reader->start_ns = number(set, TIERLENS_A_INTERVAL_START_NS);
	reader->length_ns = number(set, TIERLENS_A_INTERVAL_LENGTH_NS);
	reader->open = true;
	reader->parts = 0;
	reader->cpu_ns = 0;
	reader->request_cpu_ns = 0;
	reader->elapsed_ns = 0;
	memset(&reader->cells, 0, sizeof(reader->cells));
	memset(&reader->paths, 0, sizeof(reader->paths));
	text_open(&reader->head);
	for (i = 0; i < INTERVAL_LISTS; i++) {
		reader->keys[i].n = 0;
		text_open(&reader->lists[i]);
	}
}

static void close_interval(struct interval_reader *reader)
{
	unsigned int i;

	text_free(&reader->head);
	for (i = 0; i < INTERVAL_LISTS; i++)
		text_free(&reader->lists[i]);
	reader->open = false;
}

/* Events and losses are in the first part and in no other. */
static const char *begin(struct interval_reader *reader, const struct field_set *set)
{
	struct field_set losses;
	const char *wrong;

	if (!set->attrs[TIERLENS_A_INTERVAL_EVENTS] ||
	    !set->attrs[TIERLENS_A_INTERVAL_LOSSES])
		return "the first part has no events or no losses";
	if (number(set, TIERLENS_A_INTERVAL_GENERATION) <= reader->generation)
		return "generations do not rise";
	open_interval(reader, set);
	wrong = fields_print(&reader->head.json, &head_fields, set);
	field_set_nest(&losses, set->attrs[TIERLENS_A_INTERVAL_LOSSES]);
	/* What was lost by now is missing in this interval or in one that follows. */
	if (number(&losses, TIERLENS_A_LOSSES_CELLS_FULL))
		reader->lossy = true;
	return wrong;
}

static const char *go_on(struct interval_reader *reader, const struct field_set *set)
{
	if (set->attrs[TIERLENS_A_INTERVAL_EVENTS] ||
	    set->attrs[TIERLENS_A_INTERVAL_LOSSES])
		return "events or losses in a later part";
	if (number(set, TIERLENS_A_INTERVAL_GENERATION) != reader->generation ||
	    number(set, TIERLENS_A_INTERVAL_START_NS) != reader->start_ns ||
	    number(set, TIERLENS_A_INTERVAL_LENGTH_NS) != reader->length_ns)
		return "the parts of an interval have different heads";
	return NULL;
}

static const char *end(struct interval_reader *reader)
{
	struct json *json = &reader->head.json;
	const char *wrong = check_whole(reader);
	unsigned int i;

	if (wrong)
		return wrong;
	for (i = 0; i < INTERVAL_LISTS; i++) {
		fflush(reader->lists[i].json.out);
		json_open(json, lists[i].name, '[');
		json_raw(json, NULL, reader->lists[i].text);
		json_close(json, ']');
	}
	if (reader->show_parts)
		json_u64(json, "parts", reader->parts);
	fflush(json->out);
	fprintf(reader->out, "{%s}\n", reader->head.text);
	fflush(reader->out);
	close_interval(reader);
	reader->printed++;
	return NULL;
}

static const char *take_part(struct interval_reader *reader, const struct nlmsghdr *nlh)
{
	struct field_set set = {0};
	const struct nlattr *attr;
	const char *wrong;

	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr))
		if (!list_of(attr))
			field_set_add(&set, attr);
	if (!set.attrs[TIERLENS_A_INTERVAL_GENERATION] ||
	    !set.attrs[TIERLENS_A_INTERVAL_START_NS] ||
	    !set.attrs[TIERLENS_A_INTERVAL_LENGTH_NS])
		return head_fields.lacks;
	if (set.twice)
		return "a part has an attribute twice";
	wrong = reader->open ? go_on(reader, &set) : begin(reader, &set);
	reader->parts++;
	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr))
		if (!wrong && list_of(attr))
			wrong = take_entry(reader, list_of(attr), attr);
	if (!wrong && set.attrs[TIERLENS_A_INTERVAL_LAST])
		wrong = end(reader);
	return wrong;
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

	reader->wrong = take_part(reader, nlh);
	return reader->wrong ? -EPROTO : 0;
}

/* Ends a reader, perhaps in the middle of an interval. */
void interval_free(struct interval_reader *reader)
{
	unsigned int i;

	if (reader->open)
		close_interval(reader);
	for (i = 0; i < INTERVAL_LISTS; i++) {
		free(reader->keys[i].key);
		memset(&reader->keys[i], 0, sizeof(reader->keys[i]));
	}
}
