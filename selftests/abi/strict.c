// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Is the client as strict as it says? Intervals that are right but for one thing, which
 * no kernel should send. Prints TAP; needs no kernel.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "interval.h"

/* One interval: a cell of the front, one at the back, a call between them. */
struct made {
	/* attribute numbers to leave out, by nest */
	int no_cell, no_edge, no_path, no_call, no_cost;
	uint64_t traced, call_count;
	uint32_t level;
	bool two_calls;
	bool no_events, no_last;
	uint64_t queue_count, carried, own_ns, hist;
	uint64_t joined, transit_ns, by_owner;
	uint32_t edge_tier, parent, parent_of_front, path_tier;
	uint64_t path_count, path_own_ns, path_cpu_ns;
	uint64_t request_cpu_ns, elapsed_ns;
	uint64_t later_ns; /* of a second usage */
	uint32_t usage_tier;
	int no_count;
	uint32_t count_cpu;
	uint64_t enabled_ns, running_ns;
	int no_counted;
	unsigned int n_counted; /* events that a cell has counted */
	bool same_counted, counted_twice, short_counted, unended_counted;
	uint64_t generation;
	bool two_parts, two_heads, other_start, later_losses; /* of a second message */
	bool short_number, short_addr, long_name, odd_hist;
	bool two_cells, two_paths, two_usages, two_counts, two_endpoints, storage_half, cell_twice;
	const char *name;
};

static const struct made right = {
	.queue_count = 2,
	.carried = 1,
	.own_ns = 600,
	.hist = 3,
	.joined = 3,
	.transit_ns = 90,
	.by_owner = 1,
	.edge_tier = 1,
	.parent = 2,
	.path_tier = 1,
	.path_count = 3,
	.path_own_ns = 600,
	.path_cpu_ns = 50,
	.request_cpu_ns = 100,
	.elapsed_ns = 1000,
	.usage_tier = 1,
	.count_cpu = 1,
	.enabled_ns = 1000,
	.running_ns = 700,
	.n_counted = 4,
	.generation = 9,
	.level = TIERLENS_LEVEL_SERVER,
	.call_count = 3,
	.name = "front",
};

static char bytes[8192];
static struct nlmsghdr *nlh;

static void put_u32(int type, int leave_out, uint32_t value)
{
	if (type != leave_out)
		mnl_attr_put_u32(nlh, type, value);
}

static void put_u64(int type, int leave_out, uint64_t value)
{
	if (type != leave_out)
		mnl_attr_put_u64(nlh, type, value);
}

static void put_name(int type, int leave_out, const char *name)
{
	if (type != leave_out)
		mnl_attr_put_strz(nlh, type, name);
}

static void put_hist(int type, int leave_out, uint32_t holds)
{
	uint32_t pairs[4] = {3, 1, 9, holds - 1};

	if (type != leave_out)
		mnl_attr_put(nlh, type, sizeof(pairs), pairs);
}

static void put_numbers(int nest, int last)
{
	struct nlattr *start = mnl_attr_nest_start(nlh, nest);
	int i;

	for (i = 2; i <= last; i++)
		mnl_attr_put_u64(nlh, i, 0);
	mnl_attr_nest_end(nlh, start);
}

static void put_counted(const struct made *made)
{
	static const char *const names[] = {"cycles", "misses", "faults", "switches"};
	struct nlattr *nest;
	unsigned int i;

	for (i = 0; i < made->n_counted; i++) {
		nest = mnl_attr_nest_start(nlh, TIERLENS_A_CELL_COUNTED);
		if (made->unended_counted)
			mnl_attr_put(nlh, TIERLENS_A_COUNTED_NAME, 6, names[i]);
		else
			put_name(TIERLENS_A_COUNTED_NAME, made->no_counted,
				 names[made->same_counted ? 0 : i]);
		if (made->short_counted)
			mnl_attr_put(nlh, TIERLENS_A_COUNTED_VALUE, 3, "abc");
		else
			put_u64(TIERLENS_A_COUNTED_VALUE, made->no_counted, UINT64_MAX);
		if (made->counted_twice)
			put_u64(TIERLENS_A_COUNTED_VALUE, 0, 5);
		mnl_attr_nest_end(nlh, nest);
	}
}

static void put_cell(const struct made *made, uint32_t tier, const char *name,
		     uint64_t own_ns)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, TIERLENS_A_INTERVAL_CELL);
	int no = made->no_cell, i;

	put_u32(TIERLENS_A_CELL_TIER, no, tier);
	if (made->long_name)
		mnl_attr_put(nlh, TIERLENS_A_CELL_TIER_NAME, 9, "front\0and");
	else
		put_name(TIERLENS_A_CELL_TIER_NAME, no, name);
	put_u32(TIERLENS_A_CELL_CLASS, no, 0);
	put_name(TIERLENS_A_CELL_CLASS_NAME, no, "other");
	put_u64(TIERLENS_A_CELL_COUNT, no, 3);
	put_u64(TIERLENS_A_CELL_RESPONSE_NS, no, 1000);
	put_u64(TIERLENS_A_CELL_OWN_NS, no, own_ns);
	for (i = TIERLENS_A_CELL_OWN_SQ_HI; i <= TIERLENS_A_CELL_BYTES_OUT; i++)
		put_u64(i, no, i == TIERLENS_A_CELL_CARRIED ? made->carried : 5);
	put_u64(TIERLENS_A_CELL_CPU_NS, no, 50);
	put_u64(TIERLENS_A_CELL_TRACED, no, made->traced);
	put_u32(TIERLENS_A_CELL_LEVEL, no, made->level);
	put_u64(TIERLENS_A_CELL_QUEUE_NS, no, 7);
	put_u64(TIERLENS_A_CELL_QUEUE_COUNT, no, made->queue_count);
	if (made->storage_half)
		put_u64(TIERLENS_A_CELL_STORAGE_READ, no, 0);
	if (made->cell_twice)
		put_u64(TIERLENS_A_CELL_COUNT, no, 3);
	put_counted(made);
	put_hist(TIERLENS_A_CELL_HIST_RESPONSE, no, 3);
	if (made->odd_hist)
		mnl_attr_put(nlh, TIERLENS_A_CELL_HIST_OWN, 12, "not of pairs");
	else
		put_hist(TIERLENS_A_CELL_HIST_OWN, no, made->hist);
	mnl_attr_nest_end(nlh, nest);
}

static void put_edge(const struct made *made)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, TIERLENS_A_INTERVAL_EDGE);
	int no = made->no_edge;

	put_u32(TIERLENS_A_EDGE_TIER, no, made->edge_tier);
	put_name(TIERLENS_A_EDGE_TIER_NAME, no, "front");
	put_u32(TIERLENS_A_EDGE_CLASS, no, 0);
	put_name(TIERLENS_A_EDGE_CLASS_NAME, no, "other");
	if (made->short_addr)
		mnl_attr_put(nlh, TIERLENS_A_EDGE_PEER_ADDR, 5, "abcde");
	put_name(TIERLENS_A_EDGE_PEER_PATH, no, "/run/back.sock");
	if (made->two_endpoints)
		mnl_attr_put(nlh, TIERLENS_A_EDGE_PEER_ADDR, 4, "abcd");
	if (made->two_endpoints)
		put_u32(TIERLENS_A_EDGE_PEER_PORT, no, 80);
	if (made->short_number)
		mnl_attr_put(nlh, TIERLENS_A_EDGE_CALLS, 2, "ab");
	else
		put_u64(TIERLENS_A_EDGE_CALLS, no, 3);
	put_u64(TIERLENS_A_EDGE_TIME_NS, no, 400);
	put_u64(TIERLENS_A_EDGE_BY_THREAD, no, 2);
	put_u64(TIERLENS_A_EDGE_BY_OWNER, no, made->by_owner);
	put_u64(TIERLENS_A_EDGE_BY_HANDOFF, no, 0);
	put_u64(TIERLENS_A_EDGE_BY_LOOKBACK, no, 0);
	put_u64(TIERLENS_A_EDGE_JOINED, no, made->joined);
	put_u64(TIERLENS_A_EDGE_TRANSIT_NS, no, made->transit_ns);
	put_u64(TIERLENS_A_EDGE_BYTES_OUT, no, 5);
	put_u64(TIERLENS_A_EDGE_BYTES_IN, no, 5);
	put_u64(TIERLENS_A_EDGE_BY_ORDER, no, 0);
	mnl_attr_nest_end(nlh, nest);
}

static void put_path(const struct made *made, uint32_t id, uint32_t parent,
		     uint64_t count, uint64_t own_ns)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, TIERLENS_A_INTERVAL_PATH);
	int no = made->no_path;

	put_u32(TIERLENS_A_PATH_ID, no, id);
	if (parent)
		put_u32(TIERLENS_A_PATH_PARENT, no, parent);
	put_u32(TIERLENS_A_PATH_TIER, no, made->path_tier);
	put_name(TIERLENS_A_PATH_TIER_NAME, no, "tier");
	put_u32(TIERLENS_A_PATH_CLASS, no, 0);
	put_name(TIERLENS_A_PATH_CLASS_NAME, no, "other");
	put_u64(TIERLENS_A_PATH_COUNT, no, count);
	put_u64(TIERLENS_A_PATH_RESPONSE_NS, no, 1000);
	put_u64(TIERLENS_A_PATH_OWN_NS, no, own_ns);
	put_u64(TIERLENS_A_PATH_CPU_NS, no, made->path_cpu_ns);
	put_u64(TIERLENS_A_PATH_TRACED, no, 0);
	mnl_attr_nest_end(nlh, nest);
}

static void put_usage(const struct made *made, uint64_t elapsed_ns)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, TIERLENS_A_INTERVAL_USAGE);

	put_u32(TIERLENS_A_USAGE_TIER, 0, made->usage_tier);
	put_name(TIERLENS_A_USAGE_TIER_NAME, 0, "front");
	put_u32(TIERLENS_A_USAGE_PROCESSES, 0, 1);
	put_u64(TIERLENS_A_USAGE_CPU_NS, 0, 100);
	put_u64(TIERLENS_A_USAGE_REQUEST_CPU_NS, 0, made->request_cpu_ns);
	put_u64(TIERLENS_A_USAGE_ELAPSED_NS, 0, elapsed_ns);
	mnl_attr_nest_end(nlh, nest);
}

static void put_count(const struct made *made)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, TIERLENS_A_INTERVAL_COUNT);
	int no = made->no_count;

	put_name(TIERLENS_A_COUNT_NAME, no, "cycles");
	put_u32(TIERLENS_A_COUNT_CPU, no, made->count_cpu);
	put_u64(TIERLENS_A_COUNT_VALUE, no, 5);
	put_u64(TIERLENS_A_COUNT_ENABLED_NS, no, made->enabled_ns);
	put_u64(TIERLENS_A_COUNT_RUNNING_NS, no, made->running_ns);
	mnl_attr_nest_end(nlh, nest);
}

static void put_call(const struct made *made)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, TIERLENS_A_INTERVAL_CALL);
	int no = made->no_call, i;

	put_u32(TIERLENS_A_FUNCTION_CALL_FUNCTION, no, 4);
	put_name(TIERLENS_A_FUNCTION_CALL_NAME, no, "lookup");
	put_u32(TIERLENS_A_FUNCTION_CALL_TIER, no, 1);
	put_name(TIERLENS_A_FUNCTION_CALL_TIER_NAME, no, "front");
	put_u32(TIERLENS_A_FUNCTION_CALL_CLASS, no, 0);
	put_name(TIERLENS_A_FUNCTION_CALL_CLASS_NAME, no, "other");
	put_u64(TIERLENS_A_FUNCTION_CALL_COUNT, no, made->call_count);
	for (i = TIERLENS_A_FUNCTION_CALL_TOTAL_NS; i <= TIERLENS_A_FUNCTION_CALL_CPU_NS; i++)
		put_u64(i, no, 5);
	mnl_attr_nest_end(nlh, nest);
}

static void put_cost(const struct made *made)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, TIERLENS_A_INTERVAL_COST);
	int i;

	for (i = TIERLENS_A_COST_HOOK_HITS; i <= TIERLENS_A_COST_HOOK_WAY_NS; i++)
		put_u64(i, made->no_cost, 5);
	mnl_attr_nest_end(nlh, nest);
}

static void put_lists(const struct made *made)
{
	put_cell(made, 1, made->name, made->own_ns);
	put_cell(made, made->two_cells ? 1 : 2, "back", 1000);
	put_edge(made);
	put_path(made, 2, made->parent_of_front, made->path_count, made->path_own_ns);
	put_path(made, made->two_paths ? 2 : 3, made->parent, 3, 1000);
	put_usage(made, made->elapsed_ns);
	if (made->two_usages)
		put_usage(made, made->elapsed_ns + made->later_ns);
	put_count(made);
	if (made->two_counts)
		put_count(made);
	put_call(made);
	if (made->two_calls)
		put_call(made);
}

static void begin_part(const struct made *made, uint64_t start_ns)
{
	nlh = mnl_nlmsg_put_header(bytes);
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct genlmsghdr));
	mnl_attr_put_u64(nlh, TIERLENS_A_INTERVAL_GENERATION, made->generation);
	if (made->two_heads)
		mnl_attr_put_u64(nlh, TIERLENS_A_INTERVAL_GENERATION, made->generation);
	mnl_attr_put_u64(nlh, TIERLENS_A_INTERVAL_START_NS, start_ns);
	mnl_attr_put_u64(nlh, TIERLENS_A_INTERVAL_LENGTH_NS, 1000000000);
}

static const char *read_made(const struct made *made, bool lossy)
{
	struct interval_reader reader = {
		.lossy = lossy, .processors = 2, .generation = 8};

	reader.out = fopen("/dev/null", "w");
	begin_part(made, 9);
	if (!made->no_events)
		put_numbers(TIERLENS_A_INTERVAL_EVENTS, TIERLENS_A_EVENTS_MAX);
	put_numbers(TIERLENS_A_INTERVAL_LOSSES, TIERLENS_A_LOSSES_MAX);
	put_cost(made);
	if (made->two_parts) {
		interval_part(nlh, &reader);
		begin_part(made, made->other_start ? 10 : 9);
		if (made->later_losses)
			put_numbers(TIERLENS_A_INTERVAL_LOSSES, TIERLENS_A_LOSSES_MAX);
	}
	put_lists(made);
	if (!made->no_last)
		mnl_attr_put(nlh, TIERLENS_A_INTERVAL_LAST, 0, NULL);
	interval_part(nlh, &reader);
	if (!reader.wrong && !made->no_last && reader.printed != 1)
		reader.wrong = "it was not printed";
	interval_free(&reader);
	fclose(reader.out);
	return reader.wrong;
}

static unsigned int points, failed;

/* @wanted is in what it says, or NULL if nothing is wrong. */
static void point(const char *said, const char *wanted, const char *name)
{
	bool good = wanted ? said && strstr(said, wanted) : !said;

	points++;
	failed += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", points, name);
	if (!good)
		printf("# it says '%s'\n", said ? said : "nothing");
}

#define WRONG(wanted, ...)                                            \
	do {                                                          \
		struct made made = right;                             \
		__VA_ARGS__;                                          \
		point(read_made(&made, false), wanted, #__VA_ARGS__); \
	} while (0)

static void calls(void)
{
	int i;

	for (i = TIERLENS_A_FUNCTION_CALL_FUNCTION; i <= TIERLENS_A_FUNCTION_CALL_CPU_NS; i++)
		if (i != TIERLENS_A_FUNCTION_CALL_CLASS &&
		    i != TIERLENS_A_FUNCTION_CALL_CLASS_NAME)
			WRONG("calls lack", made.no_call = i);
	WRONG("half a class", made.no_call = TIERLENS_A_FUNCTION_CALL_CLASS);
	WRONG("half a class", made.no_call = TIERLENS_A_FUNCTION_CALL_CLASS_NAME);
	WRONG("was not called", made.call_count = 0);
	WRONG("calls are there twice", made.two_calls = true);
	for (i = TIERLENS_A_COST_HOOK_HITS; i <= TIERLENS_A_COST_HOOK_WAY_NS; i++)
		WRONG("the cost lacks", made.no_cost = i);
}

static void cells(void)
{
	int i;

	for (i = TIERLENS_A_CELL_TIER; i <= TIERLENS_A_CELL_QUEUE_COUNT; i++)
		if (i != TIERLENS_A_CELL_RUN_WAIT_NS)
			WRONG("a cell lacks", made.no_cell = i);
	for (i = TIERLENS_A_COUNTED_NAME; i <= TIERLENS_A_COUNTED_MAX; i++)
		WRONG("what a cell counted lacks", made.no_counted = i);
	WRONG(NULL, made.n_counted = 0);
	WRONG("counted an event twice", made.same_counted = true);
	WRONG("an attribute is there twice", made.counted_twice = true);
	WRONG("a number is not", made.short_counted = true);
	WRONG("end with its attribute", made.unended_counted = true);
	WRONG("a cell is there twice", made.two_cells = true);
	WRONG("a cell lacks", made.no_cell = TIERLENS_A_CELL_TRACED);
	WRONG("a cell lacks", made.no_cell = TIERLENS_A_CELL_LEVEL);
	WRONG("more traced than counted", made.traced = 4, made.hist = 0);
	WRONG("no level that there is", made.level = 4);
	WRONG("a histogram", made.traced = 1);
	WRONG("an attribute is there twice", made.cell_twice = true);
	WRONG("carried", made.carried = 4);
	WRONG("own time is more", made.own_ns = 1001);
	WRONG("histogram", made.hist = 4);
	WRONG("histogram", made.hist = 1);
	WRONG("queued", made.queue_count = 4);
	WRONG("queued", made.queue_count = 0);
	WRONG("one direction of storage", made.storage_half = true);
	WRONG("printable", made.name = "fr\x1bont");
	WRONG("printable", made.name = "fr\xc3\xb6nt");
}

static void edges(void)
{
	int i;

	for (i = TIERLENS_A_EDGE_TIER; i <= TIERLENS_A_EDGE_BY_ORDER; i++)
		if (i < TIERLENS_A_EDGE_PEER_ADDR || i == TIERLENS_A_EDGE_CALLS ||
		    i == TIERLENS_A_EDGE_TIME_NS ||
		    (i > TIERLENS_A_EDGE_BY_LOOKBACK && i != TIERLENS_A_EDGE_PEER_PATH &&
		     i != TIERLENS_A_EDGE_BY_ORDER))
			WRONG("an edge lacks", made.no_edge = i);
	WRONG("kinds", made.no_edge = TIERLENS_A_EDGE_BY_HANDOFF);
	WRONG("kinds", made.no_edge = TIERLENS_A_EDGE_BY_ORDER);
	WRONG("kinds", made.edge_tier = 0);
	WRONG("sum of its kinds", made.by_owner = 2);
	WRONG("joined", made.joined = 4);
	WRONG("joined", made.joined = 0);
	WRONG("transit is more", made.transit_ns = 401);
	WRONG("endpoint", made.two_endpoints = true);
}

static void paths(void)
{
	int i;

	for (i = TIERLENS_A_PATH_ID; i <= TIERLENS_A_PATH_MAX; i++)
		if (i != TIERLENS_A_PATH_PARENT)
			WRONG("a path lacks", made.no_path = i);
	WRONG("parent is not there", made.parent = 4);
	WRONG("more paths", made.parent = 1);
	WRONG("its own ancestor", made.parent = 3);
	WRONG("its own ancestor", made.parent_of_front = 3);
	WRONG("a path is there twice", made.two_paths = true);
	WRONG("no tier", made.path_tier = 0);
	WRONG("own time is more", made.path_own_ns = 1001);
	WRONG("yet has times", made.path_count = 0);
	WRONG("do not sum up", made.path_count = 2);
	WRONG("do not sum up", made.path_own_ns = 599);
	WRONG("do not sum up", made.path_cpu_ns = 51);
}

static void counts(void)
{
	int i;

	for (i = TIERLENS_A_COUNT_NAME; i <= TIERLENS_A_COUNT_MAX; i++)
		WRONG("a count lacks", made.no_count = i);
	WRONG("not to count", made.enabled_ns = 0, made.running_ns = 0);
	WRONG("for longer", made.running_ns = 1001);
	WRONG("while it did not", made.running_ns = 0);
	WRONG("no processor", made.count_cpu = 2);
	WRONG("a count is there twice", made.two_counts = true);
}

static void whole(void)
{
	struct made made = right;

	WRONG("no events", made.no_events = true);
	WRONG("do not rise", made.generation = 8);
	WRONG("an attribute twice", made.two_heads = true);
	WRONG(NULL, made.two_parts = true);
	WRONG("different heads", made.two_parts = true, made.other_start = true);
	WRONG("in a later part", made.two_parts = true, made.later_losses = true);
	WRONG("a number is not", made.short_number = true);
	WRONG("an address is not", made.short_addr = true);
	WRONG("end with its attribute", made.long_name = true);
	WRONG("a histogram is none", made.odd_hist = true);
	WRONG("a usage of no tier", made.usage_tier = 0);
	WRONG("a usage is there twice", made.two_usages = true);
	WRONG("a usage over no time", made.elapsed_ns = 0);
	WRONG("not over that of the others", made.two_usages = true, made.later_ns = 1);
	WRONG("more processor time", made.request_cpu_ns = UINT64_MAX / 2);
	made.path_count = 2;
	point(read_made(&made, true), NULL,
	      "sums that need not agree, for some are lost");
	made = right;
	made.no_last = true;
	point(read_made(&made, false), NULL, "an interval that goes on");
}

int main(void)
{
	point(read_made(&right, false), NULL, "nothing wrong");
	cells();
	calls();
	edges();
	paths();
	counts();
	whole();
	printf("1..%u\n", points);
	return failed > 0;
}
