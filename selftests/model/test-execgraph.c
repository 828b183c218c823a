// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Execution graphs: the paper's example, its loop, and of random traces that ways are those
 * of traces, that executions are conserved, that no way has a service too often, and that
 * the order of the traces does not matter.
 */
#include "tap.h"

#include "sim.h"

#include "model/execgraph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SERVICES 6
#define DEEP 12

static const size_t ranks[SERVICES] = { 0, 1, 2, 3, 4, 5 };

/* "014" is a way from the root; a small letter ahead of a call makes it asynchronous. */
static size_t way_add(struct tl_exec_graph *graph, const char *way, uint64_t count)
{
	size_t at = TL_EXEC_NONE;
	enum tl_exec_kind kind = TL_EXEC_SYNC;

	for (; *way; way++) {
		if (*way == 'a') {
			kind = TL_EXEC_ASYNC;
			continue;
		}
		/* All but the last have been counted before. */
		tl_exec_add(graph, at, (size_t)(*way - '0'), kind, way[1] ? 0 : count, &at);
		kind = TL_EXEC_SYNC;
	}
	return at;
}

static size_t find(const struct tl_exec_graph *graph, size_t parent, size_t service,
		   enum tl_exec_kind kind)
{
	size_t at = parent == TL_EXEC_NONE ? graph->root : graph->node[parent].child;

	while (at != TL_EXEC_NONE &&
	       (graph->node[at].service != service || graph->node[at].kind != kind))
		at = graph->node[at].next;
	return at;
}

static size_t way_find(const struct tl_exec_graph *graph, const char *way)
{
	size_t at = TL_EXEC_NONE;

	for (; *way; way++) {
		enum tl_exec_kind kind = *way == 'a' ? TL_EXEC_ASYNC : TL_EXEC_SYNC;

		way += *way == 'a';
		at = find(graph, at, (size_t)(*way - '0'), kind);
		if (at == TL_EXEC_NONE)
			break;
	}
	return at;
}

static uint64_t count_of(const struct tl_exec_graph *graph, const char *way)
{
	size_t at = way_find(graph, way);

	return at == TL_EXEC_NONE ? 0 : graph->node[at].count;
}

/* Five traces of e0, after figure 3: e1 is called by e0 and by e4, and calls e3 only there. */
static void test_paper(void)
{
	struct tl_exec_graph graph = { 0 };

	way_add(&graph, "0", 5);
	way_add(&graph, "01", 3);
	way_add(&graph, "013", 2);
	way_add(&graph, "04", 2);
	way_add(&graph, "041", 4);
	way_add(&graph, "0a2", 1);
	way_add(&graph, "02", 7);
	tl_exec_fold(&graph, SERVICES, ranks, 1);
	ok(count_of(&graph, "013") == 2 && count_of(&graph, "041") == 4 && count_of(&graph, "01") == 3,
	   "e0 calls e1, which calls e3, and e4, which calls e1");
	ok(way_find(&graph, "0413") == TL_EXEC_NONE, "e0, e4, e1, e3 is no way that a trace went");
	ok(count_of(&graph, "0a2") == 1 && count_of(&graph, "02") == 7,
	   "an asynchronous call is another than a synchronous one");
	tl_exec_free(&graph);
}

/* Figure 4: e0, e1, e3, e1, e3. */
static void test_loop(void)
{
	static const unsigned int thetas[] = { 1, 2, 3 };
	size_t i;

	for (i = 0; i < 3; i++) {
		struct tl_exec_graph graph = { 0 };
		const struct tl_exec_node *node;
		size_t at;

		way_add(&graph, "0", 1);
		way_add(&graph, "01", 1);
		way_add(&graph, "013", 2);
		way_add(&graph, "0131", 2);
		way_add(&graph, "01313", 3);
		way_add(&graph, "013132", 1);
		tl_exec_fold(&graph, SERVICES, ranks, thetas[i]);
		at = way_find(&graph, "01");
		node = &graph.node[at];
		if (thetas[i] == 1)
			ok(node->visits == 2 && node->count == 1 && node->inner == 7 &&
			   node->visit[0].count + node->visit[1].count == 8 &&
			   find(&graph, at, 3, TL_EXEC_SYNC) == TL_EXEC_NONE &&
			   count_of(&graph, "012") == 1,
			   "θ 1: e1 and e3 are one node, what they call is called by it");
		else
			ok(node->visits == 1 && count_of(&graph, "01313") == 3 &&
			   count_of(&graph, "013132") == 1, "θ %u: the loop is not so deep",
			   thetas[i]);
		tl_exec_free(&graph);
	}
}

static void test_deep_loop(void)
{
	struct tl_exec_graph graph = { 0 };
	size_t at = TL_EXEC_NONE, i;
	const struct tl_exec_node *node;

	/* e0, then e1 and e3 by turns, a hundred of each. */
	tl_exec_add(&graph, at, 0, TL_EXEC_SYNC, 1, &at);
	for (i = 0; i < 200; i++)
		tl_exec_add(&graph, at, i % 2 ? 3 : 1, TL_EXEC_SYNC, 1, &at);
	tl_exec_fold(&graph, SERVICES, ranks, 2);
	at = way_find(&graph, "0131");
	node = &graph.node[at];
	ok(at != TL_EXEC_NONE && node->child == TL_EXEC_NONE && node->visits == 2 &&
	   node->count == 1 && node->inner == 197, "a loop of a hundred, θ 2: one way, then one node");
	tl_exec_free(&graph);
	graph = (struct tl_exec_graph){ 0 };
	for (i = 0, at = TL_EXEC_NONE; i < TL_EXEC_DEPTH_MAX; i++)
		tl_exec_add(&graph, at, i == 7, TL_EXEC_ASYNC, 1, &at);
	ok(!tl_exec_fold(&graph, SERVICES, ranks, 1) && graph.node[graph.root].visits == 2 &&
	   graph.node[graph.root].inner == TL_EXEC_DEPTH_MAX - 1 &&
	   graph.node[graph.root].child == TL_EXEC_NONE,
	   "as deep as may be, a service that calls itself");
	tl_exec_free(&graph);
	graph = (struct tl_exec_graph){ 0 };
	ok(tl_exec_fold(&graph, 0, NULL, 0) == -EINVAL && !tl_exec_fold(&graph, 0, NULL, 1),
	   "a threshold of 0; no traces");
}

/* ---- random traces ------------------------------------------------------------------- */

struct traces {
	char way[400][DEEP + 1];
	size_t n;
	uint64_t executed[SERVICES];
};

/* Trees: each way is one that was there, and one more. */
static void draw(struct sim *r, struct traces *traces)
{
	size_t i, from, len;

	memset(traces, 0, sizeof(*traces));
	for (i = 0; i < 400; i++) {
		char *way = memset(traces->way[traces->n], 0, DEEP + 1);

		from = traces->n ? (size_t)(sim_uniform(r) * (double)traces->n) : 0;
		if (traces->n && sim_uniform(r) < 0.97)
			strcpy(way, traces->way[from]);
		len = strlen(way);
		if (len + 1 >= DEEP)
			continue;
		way[len] = (char)('0' + (int)(sim_uniform(r) * SERVICES));
		traces->executed[way[len] - '0']++;
		traces->n++;
	}
}

static void build(struct tl_exec_graph *graph, const struct traces *traces, bool backwards)
{
	size_t i;

	*graph = (struct tl_exec_graph){ 0 };
	for (i = 0; i < traces->n; i++)
		way_add(graph, traces->way[backwards ? traces->n - 1 - i : i], 1);
}

/* Every way of the graph is the begin of one that a trace went. */
static bool ways_real(const struct tl_exec_graph *graph, const struct traces *traces)
{
	char way[DEEP + 1];
	size_t i, k, at, len;

	for (i = 0; i < graph->n; i++) {
		for (at = i, len = 0; at != TL_EXEC_NONE; at = graph->node[at].parent)
			way[DEEP - ++len] = (char)('0' + graph->node[at].service);
		for (k = 0; k < traces->n; k++)
			if (!strncmp(traces->way[k], way + DEEP - len, len))
				break;
		if (k == traces->n)
			return false;
	}
	return true;
}

static bool conserved(const struct tl_exec_graph *graph, const struct traces *traces)
{
	uint64_t executed[SERVICES] = { 0 };
	size_t i, k;

	for (i = 0; i < graph->n; i++) {
		const struct tl_exec_node *node = &graph->node[i];
		uint64_t visits = 0;

		for (k = 0; k < node->visits && !node->folded; k++) {
			executed[node->visit[k].service] += node->visit[k].count;
			visits += node->visit[k].count;
		}
		if (!node->folded && visits != node->count + node->inner)
			return false;
	}
	return !memcmp(executed, traces->executed, sizeof(executed));
}

/* How often a service stands in a way, of all ways the most. */
static unsigned int most_often(const struct tl_exec_graph *graph)
{
	unsigned int most = 0, times[SERVICES];
	size_t i, k, at;

	for (i = 0; i < graph->n; i++) {
		memset(times, 0, sizeof(times));
		for (at = i; at != TL_EXEC_NONE && !graph->node[i].folded; at = graph->node[at].parent)
			for (k = 0; k < graph->node[at].visits; k++)
				if (++times[graph->node[at].visit[k].service] > most)
					most++;
	}
	return most;
}

static bool same(const struct tl_exec_graph *a, size_t x, const struct tl_exec_graph *b, size_t y)
{
	size_t i, k;

	for (; x != TL_EXEC_NONE && y != TL_EXEC_NONE; x = a->node[x].next, y = b->node[y].next) {
		const struct tl_exec_node *p = &a->node[x], *q = &b->node[y];

		/* Children are in order, so that people find them. */
		if (p->next != TL_EXEC_NONE && a->node[p->next].service < p->service)
			return false;
		if (p->service != q->service || p->kind != q->kind || p->count != q->count ||
		    p->inner != q->inner || p->visits != q->visits)
			return false;
		for (i = 0; i < p->visits; i++) {
			for (k = 0; k < q->visits; k++)
				if (q->visit[k].service == p->visit[i].service &&
				    q->visit[k].count == p->visit[i].count)
					break;
			if (k == q->visits)
				return false;
		}
		if (!same(a, p->child, b, q->child))
			return false;
	}
	return x == y;
}

static void test_random(struct sim *r, unsigned int repeats)
{
	bool real = true, all = true, once = true, equal = true, folds = false;
	struct traces *traces = malloc(sizeof(*traces));
	unsigned int n, theta;

	for (n = 0; n < repeats; n++) {
		struct tl_exec_graph forth, back;

		draw(r, traces);
		build(&forth, traces, false);
		real = real && ways_real(&forth, traces) && conserved(&forth, traces);
		tl_exec_free(&forth);
		for (theta = 1; theta <= 3; theta++) {
			build(&forth, traces, false);
			build(&back, traces, true);
			folds = folds || most_often(&forth) > 3;
			tl_exec_fold(&forth, SERVICES, ranks, theta);
			tl_exec_fold(&back, SERVICES, ranks, theta);
			all = all && conserved(&forth, traces);
			once = once && most_often(&forth) <= theta;
			equal = equal && same(&forth, forth.root, &back, back.root);
			tl_exec_free(&forth);
			tl_exec_free(&back);
		}
	}
	ok(real, "%u random sets of traces: every way is one that a trace went", repeats);
	ok(folds && all, "loops folded: executions of each service are conserved");
	ok(once, "no way has a service more than θ times");
	ok(equal, "the order of the traces does not matter");
	free(traces);
}

int main(void)
{
	const char *text = getenv("MODEL_REPEATS");
	struct sim *r = calloc(1, sizeof(*r));

	sim_seed(r, 11);
	test_paper();
	test_loop();
	test_deep_loop();
	test_random(r, text ? (unsigned int)atoi(text) : 300);
	free(r);
	return done();
}
