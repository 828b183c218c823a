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
#include "tree.h"

#include <errno.h>
#include <stdio.h>
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

static struct tl_link *link_find(struct tl_graph *graph, size_t from, size_t to)
{
	struct tl_link *grown;
	size_t i;

	for (i = 0; i < graph->n_links; i++)
		if (graph->link[i].from == from && graph->link[i].to == to)
			return &graph->link[i];
	grown = reallocarray(graph->link, i + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	graph->link = grown;
	grown[i] = (struct tl_link){ .from = from, .to = to };
	graph->n_links++;
	return &grown[i];
}

/* @edge: what the calls were, or NULL if nobody saw them. */
static int link_add(struct tl_graph *graph, int from, int to, u64 calls,
		    const struct tl_edge *edge)
{
	struct tl_link *link = from < 0 || to < 0 ? NULL :
			       link_find(graph, (size_t)from, (size_t)to);

	if (!link)
		return -ENOMEM;
	link->calls += calls;
	if (edge) {
		link->time_ns += edge->time_ns;
		tl_sums_add(link->sum, edge->sum, TL_EDGE_SUMS);
	}
	return 0;
}

static int tiers_add(struct tl_graph *graph, const struct tl_interval *interval)
{
	struct tl_cell sum;
	double own = 0;
	size_t i;
	int at;

	for (i = 0; i < interval->n_tiers; i++) {
		if (!interval->tiers[i].n_cells)
			continue;
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
		graph->node[at].own_s = tl_cell_own_s(&sum);
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
		if (link_add(graph, from, to, e->calls, e))
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
			     (u64)(requests - called + 0.5), NULL))
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

static int path_add(struct tl_graph *graph, const struct tl_tree *tree,
		    const struct tl_tree_row *row, double own_ns)
{
	const struct tl_path *path = row->path;
	struct tl_node *node;
	char id[16];
	int at, code;

	snprintf(id, sizeof(id), "%u", path->id);
	at = node_add(graph, TL_NODE_PATH, id);
	if (at < 0)
		return -ENOMEM;
	node = &graph->node[at];
	node->rate = row->rate;
	node->response_s = row->response_s;
	node->own_s = row->own_s;
	node->own_share = own_ns > 0 ? (double)path->own_ns / own_ns : 0;
	node->json = tl_tree_row_json(tree, row);
	if (!path->tier)
		code = asprintf(&node->label, "more paths");
	else if (!strcmp(path->class, "other"))
		code = asprintf(&node->label, "%s", path->tier);
	else
		code = asprintf(&node->label, "%s: %s", path->tier, path->class);
	if (code < 0)
		node->label = NULL;
	if (code < 0 || !node->json)
		return -ENOMEM;
	if (!path->tier)
		return 0;
	snprintf(id, sizeof(id), "%u", path->parent);
	/* A parent stands before its children. */
	return link_add(graph, path->up ? node_find(graph, TL_NODE_PATH, id) :
					  node_add(graph, TL_NODE_CLIENTS, "clients"),
			at, path->count, NULL);
}

/**
 * tl_graph_paths() - Make the graph of the paths of an interval
 * @graph: filled in, to be given to tl_graph_free(), after an error too
 * @interval: one interval, or the sum of several
 *
 * Return: 0 or -ENOMEM.
 */
int tl_graph_paths(struct tl_graph *graph, const struct tl_interval *interval)
{
	struct tl_tree tree;
	double own_ns = 0;
	size_t i;
	int code;

	memset(graph, 0, sizeof(*graph));
	graph->seconds = tl_ns_to_s(interval->length_ns);
	code = tl_tree_make(&tree, interval);
	for (i = 0; i < interval->n_paths; i++)
		own_ns += (double)interval->paths[i].own_ns;
	for (i = 0; i < interval->n_paths && !code; i++)
		code = path_add(graph, &tree, &tree.row[i], own_ns);
	tl_tree_free(&tree);
	return code;
}

/**
 * tl_graph_free() - Free what tl_graph_make() allocated
 * @graph: the graph
 */
void tl_graph_free(struct tl_graph *graph)
{
	size_t i;

	for (i = 0; i < graph->n_nodes; i++) {
		free(graph->node[i].name);
		free(graph->node[i].label);
		free(graph->node[i].host);
		json_decref(graph->node[i].json);
	}
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
		[TL_NODE_PATH] = "path",
	};

	if (node->json)
		return json_pack("{s:s, s:s, s:O}", "name", node->name, "kind",
				 kinds[node->kind], "path", node->json);
	if (node->kind != TL_NODE_TIER)
		return json_pack("{s:s, s:s}", "name", node->name, "kind",
				 kinds[node->kind]);
	return json_pack("{s:s, s:s, s:f, s:f, s:o, s:f, s:s*}", "name", node->name, "kind",
			 kinds[node->kind], "rate", node->rate, "mean_response_s",
			 node->response_s, "mean_own_s", tl_known_json(node->own_s), "own_share",
			 node->own_share, "host", node->host);
}

static json_t *link_json(const struct tl_graph *graph, const struct tl_link *link)
{
	double calls = (double)link->calls;
	enum tl_node_kind kind = graph->node[link->from].kind;
	bool timed = kind != TL_NODE_CLIENTS && kind != TL_NODE_PATH && link->calls;
	json_t *mean_s = timed ? json_real(tl_ns_to_s(link->time_ns) / calls) : json_null();

	return json_pack("{s:s, s:s, s:I, s:f, s:o, s:o}",
			 "from", graph->node[link->from].name,
			 "to", graph->node[link->to].name,
			 "calls", (json_int_t)link->calls,
			 "rate", calls / graph->seconds,
			 "mean_time_s", mean_s,
			 "mean_transit_s", tl_known_json(tl_transit_s(link->sum)));
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
