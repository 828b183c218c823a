// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings: what is written is read back to the nanosecond; what is broken is told. */
#include "tap.h"

#include "child.h"
#include "dot.h"
#include "error.h"
#include "graph.h"
#include "html.h"
#include "recording.h"
#include "table.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define HOSTILE "x\"\\</script>\n\x1b[2J&'\xc3\xa9"

static char path[] = "/tmp/test-user-recording.XXXXXX";

static u64 any(void)
{
	return (u64)rand() << 24 ^ (u64)rand();
}

/* What may be absent: all of it in one place, none or a part in another. */
static void fill_rests(struct tl_interval *interval)
{
	struct tl_cell *cell = tl_interval_cell(interval, HOSTILE, "other");
	struct tl_path *node;
	int i;

	for (i = 0; i < TL_CELL_SUMS; i++)
		tl_sum_set(&cell->sum[i], any());
	tl_sum_set(&tl_interval_cell(interval, "web", "other")->sum[TL_CELL_CPU], 0);
	for (i = 0; i < TL_EDGE_SUMS; i++)
		tl_sum_set(&interval->edges[0].sum[i], any());
	for (i = 0; i < TL_USAGE_SUMS; i++)
		tl_sum_set(&interval->tiers[0].usage[i], any());
	node = tl_interval_path(interval, HOSTILE, "7");
	node->id = 9;
	node->parent = 4;
	node->count = any();
	node->traced = node->count / 3;
	node->response_ns = any();
	node->own_ns = any();
	tl_sum_set(&node->sum[TL_PATH_CPU], any());
	tl_interval_path(interval, "web", "other")->id = 4;
	tl_interval_path(interval, NULL, "other")->id = 1;
	tl_paths_link(interval);
	tl_interval_count(interval, &(struct tl_count){ HOSTILE, 3, any(), any(), any() });
	tl_interval_charge(interval, &(struct tl_charge){ (char *)HOSTILE, (char *)"7",
							  (char *)HOSTILE, 1ULL << 62 });
	tl_interval_charge(interval, &(struct tl_charge){ (char *)"web", (char *)"other",
							  (char *)HOSTILE, 0 });
	tl_interval_called(interval, &(struct tl_called){ 7, (char *)HOSTILE, (char *)"7", (char *)HOSTILE,
							  any(), any(), any(), any() });
	tl_interval_called(interval, &(struct tl_called){ 7, (char *)HOSTILE, NULL, (char *)HOSTILE, 1, 2, 3, 4 });
	for (i = 0; i < TL_COST_SUMS; i++)
		tl_sum_set(&interval->cost[i], any());
	interval->cost[TL_COST_FUNCTION].state = TL_SUM_UNKNOWN;
	interval->cost[TL_COST_FUNCTION].value = 0;
	tl_interval_host(interval, "cpu", 1.0 / 7, interval->length_ns);
	tl_interval_host(interval, HOSTILE ".cpu", 0, interval->length_ns);
}

static struct tl_interval *sample(u64 generation)
{
	struct tl_interval *interval = tl_interval_new();
	struct tl_cell *cell;
	struct tl_edge *edge;
	int i;

	interval->generation = generation;
	interval->start_ns = 1763700000123456789 + generation;
	interval->length_ns = 1000000007;
	cell = tl_interval_cell(interval, HOSTILE, "other");
	cell->count = any();
	cell->response_ns = any();
	cell->own_ns = any();
	cell->own_sq_s2 = 1.0 / 3;
	cell->carried = any();
	cell->count = any() + cell->carried;
	cell->traced = cell->count / 3;
	cell->level = TL_AT_METHOD;
	cell->bytes_in = any();
	cell->bytes_out = any();
	cell->response_hist[0] = 1;
	cell->response_hist[TL_HIST_BUCKETS - 1] = 99;
	cell->own_hist[17] = 3;
	tl_interval_cell(interval, HOSTILE, "7")->count = 1;
	tl_interval_cell(interval, "web", "other");
	edge = tl_interval_edge(interval, &(struct tl_edge){
		.tier = (char *)HOSTILE, .class = (char *)"7", .peer = (char *)"[::1]:80",
		.peer_tier = (char *)"web" });
	edge->calls = any();
	edge->time_ns = any();
	for (i = 0; i < TL_BY_KINDS; i++)
		edge->by[i] = any();
	edge = tl_interval_edge(interval, &(struct tl_edge){
		.class = (char *)"other", .peer = (char *)"more" });
	edge->calls = 1;
	fill_rests(interval);
	for (i = 0; i < TL_EVENTS; i++)
		interval->events[i] = any();
	for (i = 0; i < TL_LOSSES; i++)
		interval->losses[i] = any();
	return interval;
}

static char *as_text(const struct tl_interval *interval)
{
	json_t *object = tl_interval_json(interval);
	char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(16));

	json_decref(object);
	return text;
}

static void test_round_trip(void)
{
	struct tl_interval *before = sample(42), *after = NULL;
	char *first = as_text(before), *second = NULL;
	struct tl_error err = { "" };
	const struct tl_cell *a, *b;

	ok(!tl_recording_parse(first, strlen(first), "f:1", &after, &err),
	       "an interval is read back: %s", err.text);
	second = after ? as_text(after) : NULL;
	ok(second && !strcmp(first, second), "and written again it is the same line");
	a = tl_interval_cell(before, HOSTILE, "other");
	b = after ? tl_interval_cell(after, HOSTILE, "other") : NULL;
	ok(b && a->response_ns == b->response_ns && a->own_ns == b->own_ns &&
		   before->start_ns == after->start_ns &&
		   before->length_ns == after->length_ns &&
		   before->edges[0].time_ns == after->edges[0].time_ns &&
		   !memcmp(a->response_hist, b->response_hist,
			   sizeof(a->response_hist)) &&
		   !memcmp(a->own_hist, b->own_hist, sizeof(a->own_hist)),
	   "exact to the nanosecond");
	ok(after && !after->edges[1].tier && !after->edges[1].peer_tier,
	       "an absent caller stays absent");
	b = after ? tl_interval_cell(after, "web", "other") : NULL;
	ok(b && tl_sum_known(&b->sum[TL_CELL_CPU]) && !b->sum[TL_CELL_CPU].value &&
		   !tl_sum_known(&b->sum[TL_CELL_RUN_WAIT]) &&
		   !tl_sum_known(&after->edges[1].sum[TL_EDGE_JOINED]) &&
		   tl_sum_known(&after->tiers[0].usage[TL_USAGE_CPU]) &&
		   !tl_sum_known(&after->tiers[1].usage[TL_USAGE_CPU]),
	   "a sum of 0 stays 0, an unknown one unknown");
	ok(after && after->n_paths == 3 && after->paths[2].up == 2 &&
		   after->paths[2].id == 9 && !after->paths[0].tier,
	   "paths stand below their parents");
	ok(after && after->paths[2].traced == after->paths[2].count / 3 &&
		   tl_path_known(&after->paths[2]) == (double)(after->paths[2].count - after->paths[2].traced) &&
		   !after->paths[1].traced,
	   "traced requests of a path");
	ok(after && after->n_hosts == 2 && fabs(after->hosts[0].value - 1.0 / 7) < 1e-15 &&
		   after->hosts[0].length_ns == before->length_ns,
	   "utilisations of the host");
	b = after ? tl_interval_cell(after, HOSTILE, "other") : NULL;
	ok(b && b->traced == a->traced && b->level == TL_AT_METHOD &&
		   tl_interval_cell(after, HOSTILE, "7")->level == TL_AT_UNKNOWN,
	   "traced requests, and levels that are known");
	ok(after && after->n_called == 2 && !strcmp(after->called[0].class, "7") && !after->called[1].class &&
		   after->called[0].own_ns == before->called[0].own_ns && after->called[1].cpu_ns == 4,
	   "calls of functions, in requests and outside of any");
	ok(after && after->cost[TL_COST_HOOK].value == before->cost[TL_COST_HOOK].value &&
		   tl_sum_known(&after->cost[TL_COST_FUNCTION_HITS]) &&
		   !tl_sum_known(&after->cost[TL_COST_FUNCTION]),
	   "what probes cost, as far as it is known");
	ok(after && after->n_counts == 1 && after->counts[0].cpu == 3 &&
		   after->counts[0].running_ns == before->counts[0].running_ns,
	   "what counters counted");
	ok(after && after->n_charged == 2 && after->charged[0].value == 1ULL << 62 &&
		   !strcmp(after->charged[0].class, "7") && !after->charged[1].value &&
		   !strcmp(after->charged[1].tier, "web"),
	   "what was charged to requests; a 0 is there, too");
	free(first);
	free(second);
	tl_interval_free(before);
	tl_interval_free(after);
}

static void file_set(const char *text, size_t len)
{
	FILE *file = fopen(path, "w");

	fwrite(text, 1, len, file);
	fclose(file);
}

struct outcome {
	int code;
	unsigned int n;
	char warning[400];
	struct tl_error err;
};

static int count(const struct tl_interval *interval, void *arg)
{
	(void)interval;
	++*(unsigned int *)arg;
	return 0;
}

static struct outcome read_file(const char *text, size_t len)
{
	struct outcome out = { 0 };

	file_set(text, len);
	out.code = tl_recording_each(path, count, &out.n, out.warning,
				     sizeof(out.warning), &out.err);
	return out;
}

/* Wherever a recording is cut, the lines before are used and the cut is told. */
static void test_cut(void)
{
	struct tl_interval *a = sample(1), *b = sample(2);
	char *first = as_text(a), *second = as_text(b), *text;
	size_t len, i, wrong = 0, from = strlen(first) + 1;
	struct outcome out;

	len = (size_t)asprintf(&text, "%s\n%s\n", first, second);
	for (i = from; i <= len; i++) {
		bool whole = i >= len - 1, bare = i == from;

		out = read_file(text, i);
		if (out.code || out.n != (whole ? 2 : 1) ||
		    !*out.warning != (whole || bare))
			wrong++;
	}
	ok(!wrong, "cut at each of %zu places: complete lines used, cut told (%zu wrong)",
	       len - from + 1, wrong);
	out = read_file(text, len - 9);
	snprintf(out.err.text, sizeof(out.err.text), "%s:2: ", path);
	ok(strstr(out.warning, out.err.text) == out.warning,
	   "the warning names file and line: %s", out.warning + strlen(path));
	out = read_file(text, 20);
	ok(out.code == -ENODATA && !out.n, "cut in the first line: %s", out.err.text);
	free(first);
	free(second);
	free(text);
	tl_interval_free(a);
	tl_interval_free(b);
}

static void refused(const char *name, const char *text, int code, const char *says)
{
	struct outcome out = read_file(text, strlen(text));

	ok(out.code == code && strstr(out.err.text, says), "%s: %d %s", name, out.code,
	       out.err.text);
}

#define HEAD "{\"format\":1,\"generation\":1,\"t\":1.5,\"seconds\":1,"

#define PATHS(parent) \
	"\"paths\":[{\"id\":2,\"parent\":" parent "},{\"id\":3,\"parent\":2}]"
#define ORPHAN "\"paths\" must be a list of nodes with ids of their own"

#define TOO_LONG "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define CHARGE(tier, class, event) \
	"\"charged\":[{\"tier\":" tier ",\"class\":" class ",\"event\":" event
#define VALUE(value) ",\"value\":" value "}]}\n"
#define MUST_HAVE "\"charged\" must be a list of objects with tier, class, event and value"

static void test_refused(void)
{
	struct outcome out;

	refused("newer format", "{\"format\":2,\"hosts\":{}}\n", -EPROTO,
		":1: format 2 is newer than this tierlens (1): update tierlens");
	refused("broken line",
		HEAD "\"tiers\":[]}\n{\"format\":1,,}\n" HEAD "\"tiers\":[]}\n", -EBADMSG,
		":2:13: broken line");
	refused("empty", "", -ENODATA, "is empty");
	refused("blank lines", "\n\n", -ENODATA, "is empty");
	refused("other JSON", "{\"a\":1}\n", -EINVAL, ":1: not a recording");
	refused("a list", "[1]\n", -EINVAL, ":1: not a recording");
	refused("negative count",
		HEAD "\"tiers\":[{\"name\":\"a\",\"cells\":[{\"count\":-1}]}]}\n",
		-EINVAL, "\"count\" must be a whole number");
	refused("wrong bucket", HEAD "\"tiers\":[{\"name\":\"a\",\"cells\":[{\"count\":1,"
		"\"hist\":{\"own\":[[99999,1]]}}]}]}\n", -EINVAL, "\"own\" must be");
	refused("no length", "{\"format\":1,\"t\":1}\n", -EINVAL, "\"seconds\" must be");
	refused("nameless tier", HEAD "\"tiers\":[{}]}\n", -EINVAL, "\"name\" must be");
	refused("text for a list", HEAD "\"tiers\":\"x\"}\n", -EINVAL,
		"\"tiers\" must be a list");
	refused("negative utilisation", HEAD "\"hosts\":{\"cpu\":-1}}\n", -EINVAL,
		"\"cpu\" must be a number");
	refused("a number for hosts", HEAD "\"hosts\":1}\n", -EINVAL,
		"\"hosts\" must be an object");
	refused("a number for usage", HEAD "\"tiers\":[{\"name\":\"a\",\"usage\":1}]}\n",
		-EINVAL, "\"usage\" must be an object");
	refused("negative time", HEAD "\"tiers\":[{\"name\":\"a\",\"cells\":[{"
		"\"cpu_ns\":-1}]}]}\n", -EINVAL, "\"cpu_ns\" must be a whole number");
	refused("a path's parent is missing", HEAD PATHS("7") "}\n", -EINVAL, ORPHAN);
	refused("a path of which more was traced than there was",
		HEAD "\"paths\":[{\"id\":2,\"count\":1,\"traced\":2}]}\n", -EINVAL, "\"traced\" must be at most the count");
	refused("paths in a circle", HEAD PATHS("3") "}\n", -EINVAL, ORPHAN);
	refused("two nodes of one id", HEAD "\"paths\":[{\"id\":2},{\"id\":2}]}\n", -EINVAL,
		ORPHAN);
	refused("a count of a name that no event has", HEAD "\"counts\":[{\"event\":\"" TOO_LONG "\",\"cpu\":0}]}\n", -EINVAL,
		"\"event\" must be at most 63 bytes");
	refused("charges of nothing", HEAD "\"charged\":[1]}\n", -EINVAL,
		"\"charged\" must be a list of objects:");
	refused("a charge without a value", HEAD CHARGE("\"w\"", "\"c\"", "\"e\"") "}]}\n", -EINVAL,
		MUST_HAVE);
	refused("a charge of no event", HEAD CHARGE("\"w\"", "\"c\"", "null") VALUE("1"), -EINVAL,
		MUST_HAVE);
	refused("a charge of no tier", HEAD CHARGE("null", "\"c\"", "\"e\"") VALUE("1"), -EINVAL,
		MUST_HAVE);
	refused("a charge of no class", HEAD CHARGE("\"w\"", "null", "\"e\"") VALUE("1"), -EINVAL,
		MUST_HAVE);
	refused("a charge of a class that is a number", HEAD CHARGE("\"w\"", "7", "\"e\"") VALUE("1"),
		-EINVAL, "\"class\" must be a text");
	refused("a negative charge", HEAD CHARGE("\"w\"", "\"c\"", "\"e\"") VALUE("-1"), -EINVAL,
		"\"value\" must be a whole number");
	refused("half a charge", HEAD CHARGE("\"w\"", "\"c\"", "\"e\"") VALUE("0.5"), -EINVAL,
		"\"value\" must be a whole number");
	out = read_file(HEAD "\"tiers\":[],\"later\":[1]}\n\n", strlen(HEAD) + 26);
	ok(!out.code && out.n == 1,
	   "unknown keys and a blank line at the end are let pass");
	out = read_file("a\0b\n", 4);
	ok(out.code == -EBADMSG, "NUL bytes are a broken line");
}

static void test_seconds_only(void)
{
	static const char line[] = HEAD
		"\"tiers\":[{\"name\":\"a\",\"cells\":[{\"class\":\"other\",\"count\":1,"
		"\"response_s\":0.000000123,\"own_s\":2}]}]}";
	struct tl_interval *interval = NULL;
	struct tl_error err = { "" };
	struct tl_cell *cell;

	if (ok(!tl_recording_parse(line, strlen(line), "f:1", &interval, &err),
		   "a recording with seconds only is read: %s", err.text)) {
		cell = tl_interval_cell(interval, "a", "other");
		ok(cell->response_ns == 123 && cell->own_ns == 2000000000 &&
		       interval->start_ns == 1500000000, "and rounded to nanoseconds");
	}
	tl_interval_free(interval);
}

static void test_hostile(void)
{
	struct tl_interval *interval = sample(1);
	struct tl_bytes dot = { 0 }, svg = { 0 }, html = { 0 };
	struct tl_error err = { "" };
	struct tl_graph graph;
	FILE *to;

	tl_graph_make(&graph, interval);
	to = open_memstream(&dot.data, &dot.len);
	tl_dot_print(to, &graph);
	fclose(to);
	ok(strstr(dot.data, "\"tier x\\\"\\\\</script>??[2J&amp;'\xc3\xa9\"") != NULL,
	       "a hostile name is one word of graphviz's language");
	if (access("/usr/bin/dot", X_OK)) {
		ok(true, "graphviz draws it # SKIP graphviz is not installed");
	} else {
		ok(!tl_dot_svg(&graph, &svg, &err) && !strstr(svg.data, "</script>"),
		       "graphviz draws it: %s", err.text);
	}
	to = open_memstream(&html.data, &html.len);
	tl_html_text(to, HOSTILE);
	fclose(to);
	ok(!strcmp(html.data, "x&quot;\\&lt;/script&gt;??[2J&amp;&#39;\xc3\xa9"),
	       "and nothing but text on a page");
	free(dot.data);
	free(svg.data);
	free(html.data);
	tl_graph_free(&graph);
	tl_interval_free(interval);
}

static void test_child(void)
{
	static const char *const cat[] = { "cat", NULL };
	static const char *const fails[] = { "false", NULL };
	static const char *const absent[] = { "no-such-program", NULL };
	struct tl_bytes in = { .len = 1 << 20 }, out = { 0 };
	struct tl_error err = { "" };

	in.data = calloc(1, in.len);
	memset(in.data, 'x', in.len);
	ok(!tl_child_filter(cat, &in, &out, "", &err) && out.len == in.len &&
	       !memcmp(in.data, out.data, in.len), "a megabyte through a filter");
	free(out.data);
	ok(tl_child_filter(fails, &in, &out, "", &err) &&
		   strstr(err.text, "false failed") && !out.data,
	   "a filter that fails: %s", err.text);
	ok(tl_child_filter(absent, &in, &out, "install it", &err) == -ENOENT &&
		   strstr(err.text, "not installed: install it"),
	   "an absent one: %s", err.text);
	free(in.data);
}

int main(void)
{
	close(mkstemp(path));
	srand(3);
	/* As main does: a filter may end before it has read everything. */
	signal(SIGPIPE, SIG_IGN);
	test_round_trip();
	test_cut();
	test_refused();
	test_seconds_only();
	test_hostile();
	test_child();
	unlink(path);
	return done();
}
