// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tiers and the calls between them as a graph
 *
 * Calls of all classes, and to all addresses of the same tier, are one link.
 * Endpoints outside the host are nodes of their own as long as they are few; the
 * many with the fewest calls share one.
 */
#include "graph.h"

#include "figures.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>

#define OUTSIDE_MAX 12
#define MORE "more endpoints"

/* Requests may begin in one span and end in the next: that is no client's doing. */
#define CLIENTS_PART_MIN 0.02

static int node_find(const struct tl_graph *graph, enum tl_node_kind kind,
		     const char *name)
{
	size_t i;

	for (i = 0; i < graph->n_nodes; i++)
		if (graph->node[i].kind == kind && !strcmp(graph->node[i].name, name))
			return (int)i;
	return -1;
}

/* Return: the node's index, or -1 without memory. */
static int node_add(struct tl_graph *graph, enum tl_node_kind kind, const char *name)
{
	int found = node_find(graph, kind, name);
	struct tl_node *grown;
	char *copy;

	if (found >= 0)
		return found;
	copy = strdup(name);
	grown = reallocarray(graph->node, graph->n_nodes + 1, sizeof(*grown));
	if (grown)
		graph->node = grown;
	if (!copy || !grown) {
		free(copy);
		return -1;
	}
	grown[graph->n_nodes] = (struct tl_node){ .kind = kind, .name = copy };
	return (int)graph->n_nodes++;
}

static int link_add(struct tl_graph *graph, int from, int to, u64 calls, u64 time_ns)
{
	struct tl_link *grown;
	size_t i;

	if (from < 0 || to < 0)
		return -ENOMEM;
	for (i = 0; i < graph->n_links; i++)
		if (graph->link[i].from == (size_t)from &&
		    graph->link[i].to == (size_t)to)
			break;
	if (i == graph->n_links) {
		grown = reallocarray(graph->link, i + 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		graph->link = grown;
		grown[graph->n_links++] =
			(struct tl_link){ (size_t)from, (size_t)to, 0, 0 };
	}
	graph->link[i].calls += calls;
	graph->link[i].time_ns += time_ns;
	return 0;
}

static int tiers_add(struct tl_graph *graph, const struct tl_interval *interval)
{
	struct tl_cell sum;
	double own = 0;
	size_t i;
	int at;

	for (i = 0; i < interval->n_tiers; i++) {
		at = node_add(graph, TL_NODE_TIER, interval->tiers[i].name);
		if (at < 0)
			return -ENOMEM;
		tl_tier_sum(&interval->tiers[i], &sum);
		own += tl_ns_to_s(sum.own_ns);
		if (!sum.count)
			continue;
		graph->node[at].rate = (double)sum.count / graph->seconds;
		graph->node[at].response_s =
			tl_ns_to_s(sum.response_ns) / (double)sum.count;
		graph->node[at].own_s = tl_ns_to_s(sum.own_ns) / (double)sum.count;
		graph->node[at].own_share = tl_ns_to_s(sum.own_ns);
	}
	for (i = 0; i < graph->n_nodes; i++)
		graph->node[i].own_share = own > 0 ? graph->node[i].own_share / own : 0;
	return 0;
}

/* Is this outside endpoint among those with the most calls? */
static bool is_busy(const struct tl_interval *interval, const char *peer, u64 calls)
{
	size_t i, busier = 0;

	for (i = 0; i < interval->n_edges; i++)
		busier += !interval->edges[i].peer_tier &&
			  interval->edges[i].calls > calls &&
			  strcmp(interval->edges[i].peer, peer) != 0;
	return busier < OUTSIDE_MAX;
}

static int edges_add(struct tl_graph *graph, const struct tl_interval *interval)
{
	int from, to;
	size_t i;

	for (i = 0; i < interval->n_edges; i++) {
		const struct tl_edge *e = &interval->edges[i];

		if (!e->calls)
			continue;
		from = e->tier ?
			       node_add(graph, TL_NODE_TIER, e->tier) :
			       node_add(graph, TL_NODE_UNATTRIBUTED, "no request found");
		if (e->peer_tier)
			to = node_add(graph, TL_NODE_TIER, e->peer_tier);
		else if (strcmp(e->peer, "more") && is_busy(interval, e->peer, e->calls))
			to = node_add(graph, TL_NODE_OUTSIDE, e->peer);
		else
			to = node_add(graph, TL_NODE_OUTSIDE, MORE);
		if (link_add(graph, from, to, e->calls, e->time_ns))
			return -ENOMEM;
	}
	return 0;
}

/* Requests that no call from this host explains came in through the front door. */
static int clients_add(struct tl_graph *graph)
{
	size_t i, k, n = graph->n_nodes;
	double requests, called;

	for (i = 0; i < n; i++) {
		if (graph->node[i].kind != TL_NODE_TIER)
			continue;
		requests = graph->node[i].rate * graph->seconds;
		for (k = 0, called = 0; k < graph->n_links; k++)
			if (graph->link[k].to == i)
				called += (double)graph->link[k].calls;
		if (requests - called <= CLIENTS_PART_MIN * requests)
			continue;
		if (link_add(graph, node_add(graph, TL_NODE_CLIENTS, "clients"), (int)i,
			     (u64)(requests - called + 0.5), 0))
			return -ENOMEM;
	}
	return 0;
}

/**
 * tl_graph_make() - Make the graph of an interval
 * @graph: filled in, to be given to tl_graph_free(), after an error too
 * @interval: one interval, or the sum of several
 *
 * Return: 0 or -ENOMEM.
 */
int tl_graph_make(struct tl_graph *graph, const struct tl_interval *interval)
{
	int code;

	memset(graph, 0, sizeof(*graph));
	graph->seconds = tl_ns_to_s(interval->length_ns);
	code = tiers_add(graph, interval);
	code = code ? code : edges_add(graph, interval);
	return code ? code : clients_add(graph);
}

/**
 * tl_graph_free() - Free what tl_graph_make() allocated
 * @graph: the graph
 */
void tl_graph_free(struct tl_graph *graph)
{
	size_t i;

	for (i = 0; i < graph->n_nodes; i++)
		free(graph->node[i].name);
	free(graph->node);
	free(graph->link);
	memset(graph, 0, sizeof(*graph));
}

static json_t *node_json(const struct tl_node *node)
{
	static const char *const kinds[] = {
		[TL_NODE_CLIENTS] = "clients",
		[TL_NODE_TIER] = "tier",
		[TL_NODE_OUTSIDE] = "outside",
		[TL_NODE_UNATTRIBUTED] = "unattributed",
	};

	if (node->kind != TL_NODE_TIER)
		return json_pack("{s:s, s:s}", "name", node->name, "kind",
				 kinds[node->kind]);
	return json_pack("{s:s, s:s, s:f, s:f, s:f, s:f}", "name", node->name, "kind",
			 kinds[node->kind], "rate", node->rate, "mean_response_s",
			 node->response_s, "mean_own_s", node->own_s, "own_share",
			 node->own_share);
}

static json_t *link_json(const struct tl_graph *graph, const struct tl_link *link)
{
	double calls = (double)link->calls;
	bool timed = graph->node[link->from].kind != TL_NODE_CLIENTS && link->calls;
	json_t *mean_s = timed ? json_real(tl_ns_to_s(link->time_ns) / calls) : json_null();

	return json_pack("{s:s, s:s, s:I, s:f, s:o}",
			 "from", graph->node[link->from].name,
			 "to", graph->node[link->to].name,
			 "calls", (json_int_t)link->calls,
			 "rate", calls / graph->seconds,
			 "mean_time_s", mean_s);
}

/**
 * tl_graph_json() - A graph for programs
 * @graph: the graph
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_graph_json(const struct tl_graph *graph)
{
	json_t *nodes = json_array(), *links = json_array();
	int failed = 0;
	size_t i;

	for (i = 0; i < graph->n_nodes; i++)
		failed |= json_array_append_new(nodes, node_json(&graph->node[i]));
	for (i = 0; i < graph->n_links; i++)
		failed |= json_array_append_new(links, link_json(graph, &graph->link[i]));
	if (failed) {
		json_decref(nodes);
		json_decref(links);
		return NULL;
	}
	return json_pack("{s:f, s:o, s:o}", "seconds", graph->seconds, "nodes", nodes,
			 "edges", links);
}
