// SPDX-License-Identifier: GPL-2.0-or-later
/* Execution graphs for people, for programs, and in graphviz's language. */
#include "execgraph-out.h"

#include "dot.h"
#include "lqn-out.h"
#include "out.h"
#include "text.h"
#include "traces.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define LINE "#5b6b7b"
#define ROWS_MAX 2000

/* The next node, from a root down and from one root to the next. */
static size_t node_next(const struct tl_exec_graph *g, size_t at, size_t *depth)
{
	if (g->node[at].child != TL_EXEC_NONE) {
		++*depth;
		return g->node[at].child;
	}
	while (at != TL_EXEC_NONE && g->node[at].next == TL_EXEC_NONE) {
		at = g->node[at].parent;
		--*depth;
	}
	return at == TL_EXEC_NONE ? at : g->node[at].next;
}

/* Calls of a node for each call of the one above it: R. */
static double per_call(const struct tl_exec_graph *g, size_t at)
{
	const struct tl_exec_node *node = &g->node[at];
	const struct tl_exec_node *up = node->parent == TL_EXEC_NONE ? NULL : &g->node[node->parent];

	return up && up->count ? (double)node->count / (double)up->count : 0;
}

static const char *kind_of(const struct tl_exec_node *node)
{
	return node->kind == TL_EXEC_ASYNC ? "async" : "sync";
}

/* ---- programs ------------------------------------------------------------------------ */

static json_t *services_json(const struct tl_traces *traces, const struct tl_exec_node *node)
{
	json_t *object = json_object();
	size_t i;

	for (i = 0; i < node->visits; i++)
		json_object_set_new(object, traces->name[node->visit[i].service],
				    json_integer((json_int_t)node->visit[i].count));
	return object;
}

static json_t *node_json(const struct tl_traces *traces, size_t at, size_t depth)
{
	const struct tl_exec_node *node = &traces->graph.node[at];
	bool root = node->parent == TL_EXEC_NONE;

	return json_pack("{s:I, s:o, s:s, s:I, s:I, s:I, s:o, s:o, s:o}",
			 "id", (json_int_t)at,
			 "parent", root ? json_null() : json_integer((json_int_t)node->parent),
			 "service", traces->name[node->service],
			 "depth", (json_int_t)depth,
			 "count", (json_int_t)node->count,
			 "inner_calls", (json_int_t)node->inner,
			 "services", services_json(traces, node),
			 "kind", root ? json_null() : json_string(kind_of(node)),
			 "calls_per_parent", root ? json_null() :
						    json_real(per_call(&traces->graph, at)));
}

static json_t *edge_json(const struct tl_exec_graph *g, size_t at)
{
	const struct tl_exec_node *node = &g->node[at];

	return json_pack("{s:I, s:I, s:s, s:I, s:f}", "from", (json_int_t)node->parent,
			 "to", (json_int_t)at, "kind", kind_of(node),
			 "calls", (json_int_t)node->count, "calls_per_parent", per_call(g, at));
}

static void graph_set(json_t *object, const struct tl_traces *traces)
{
	const struct tl_exec_graph *g = &traces->graph;
	json_t *roots = json_array(), *nodes = json_array(), *edges = json_array();
	size_t at, depth = 0;

	for (at = g->n ? g->root : TL_EXEC_NONE; at != TL_EXEC_NONE; at = node_next(g, at, &depth)) {
		json_array_append_new(nodes, node_json(traces, at, depth));
		if (g->node[at].parent == TL_EXEC_NONE)
			json_array_append_new(roots, json_integer((json_int_t)at));
		else
			json_array_append_new(edges, edge_json(g, at));
	}
	json_object_set_new(object, "roots", roots);
	json_object_set_new(object, "nodes", nodes);
	json_object_set_new(object, "edges", edges);
}

/**
 * tl_execgraph_json() - A graph for programs
 * @graph: graph
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_execgraph_json(const struct tl_execgraph *graph)
{
	const struct tl_traces *t = graph->traces;
	json_t *object = json_pack("{s:o, s:s, s:o, s:i, s:I, s:I, s:{s:I, s:I, s:I, s:I, s:I}, s:n, s:n, "
				   "s:n}", "file", tl_out_name(graph->notes.file),
				   "verdict", graph->verdict,
				   "notes", tl_faults_json(graph->notes.note, graph->notes.notes),
				   "theta", (int)graph->theta,
				   "traces", (json_int_t)t->traces,
				   "executions", (json_int_t)t->executions,
				   "left_out",
				   "without_parent", (json_int_t)t->orphans,
				   "twice", (json_int_t)t->twins,
				   "in_circles", (json_int_t)t->circles,
				   "too_deep", (json_int_t)t->deep,
				   "broken", (json_int_t)t->broken,
				   "roots", "nodes", "edges");

	if (object && graph->figures)
		graph_set(object, t);
	return object;
}

/* ---- people -------------------------------------------------------------------------- */

#define NAMES_MAX 4

/* "e1", or "e1, e3" for a loop that was folded. */
static void label_print(FILE *to, const struct tl_traces *traces, const struct tl_exec_node *node)
{
	size_t i;

	for (i = 0; i < node->visits && i < NAMES_MAX; i++)
		fprintf(to, i ? ", %s" : "%s", traces->name[node->visit[i].service]);
	if (node->visits > NAMES_MAX)
		fprintf(to, " and %zu more", node->visits - NAMES_MAX);
}

static void row_add(struct tl_grid *grid, const struct tl_traces *traces, size_t at, size_t depth)
{
	const struct tl_exec_node *node = &traces->graph.node[at];
	char *label = NULL;
	size_t len;
	FILE *to = open_memstream(&label, &len);

	if (to) {
		label_print(to, traces, node);
		fclose(to);
	}
	tl_grid_add(grid, "%*s%s", (int)(2 * (depth < 60 ? depth : 60)), "", label ? label : "");
	free(label);
	tl_grid_add(grid, "%s", node->parent == TL_EXEC_NONE ? "" : kind_of(node));
	tl_grid_add(grid, "%" PRIu64, node->count);
	if (node->parent == TL_EXEC_NONE)
		tl_grid_add(grid, "-");
	else
		tl_grid_add(grid, "%.4g", per_call(&traces->graph, at));
	if (node->inner)
		tl_grid_add(grid, "%" PRIu64, node->inner);
	else
		tl_grid_add(grid, "-");
}

/**
 * tl_execgraph_print() - A graph for people
 * @graph: graph
 * @to: where it goes
 */
void tl_execgraph_print(const struct tl_execgraph *graph, FILE *to)
{
	const struct tl_exec_graph *g = &graph->traces->graph;
	char *verdict = tl_text_printable(graph->verdict);
	struct tl_grid *grid = tl_grid_new("service|call|>executions|>per caller's|>calls within");
	size_t at = graph->figures && g->n ? g->root : TL_EXEC_NONE, depth = 0, n = 0;

	for (; at != TL_EXEC_NONE; at = node_next(g, at, &depth))
		if (n++ < ROWS_MAX)
			row_add(grid, graph->traces, at, depth);
	if (n)
		tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
	if (n > ROWS_MAX)
		fprintf(to, "... %zu more: --json has all\n", n - ROWS_MAX);
	if (n)
		fprintf(to, "\n%" PRIu64 " traces, %" PRIu64 " executions, %zu nodes\n",
			graph->traces->traces, graph->traces->executions, n);
	tl_text_print(to, verdict ? verdict : "out of memory", 0);
	free(verdict);
}

/* ---- graphviz ------------------------------------------------------------------------ */

static void node_print(const struct tl_traces *traces, size_t at, FILE *to)
{
	const struct tl_exec_node *node = &traces->graph.node[at];
	size_t i;

	fprintf(to, "\t%zu [label=\"", at);
	tl_dot_text(to, traces->name[node->service]);
	fprintf(to, "\\n%" PRIu64, node->count);
	if (node->visits > 1 || node->inner)
		fprintf(to, " from outside\\n%" PRIu64 " calls within", node->inner);
	for (i = 0; i < node->visits && node->visits > 1; i++) {
		fputs("\\n", to);
		tl_dot_text(to, traces->name[node->visit[i].service]);
		fprintf(to, " %" PRIu64, node->visit[i].count);
	}
	fprintf(to, "\"%s];\n", node->inner ? ", peripheries=2" : "");
}

static void edge_print(const struct tl_exec_graph *g, size_t at, uint64_t most, FILE *to)
{
	const struct tl_exec_node *node = &g->node[at];

	fprintf(to, "\t%zu -> %zu [label=\"%.3g\", penwidth=%.2f%s];\n", node->parent, at,
		per_call(g, at), 0.6 + 3 * sqrt((double)node->count / (double)most),
		node->kind == TL_EXEC_ASYNC ? ", style=dashed" : "");
}

/**
 * tl_execgraph_dot() - Print a graph in graphviz's language
 * @graph: graph
 * @least: nodes with less than that part of all calls of a node are left out, with what is
 *         below them
 * @to: where it goes
 *
 * Asynchronous calls are dashed, folded loops have a double line around them.
 */
void tl_execgraph_dot(const struct tl_execgraph *graph, double least, FILE *to)
{
	const struct tl_exec_graph *g = &graph->traces->graph;
	size_t at, depth = 0, hidden = 0;
	bool *shown = calloc(g->n + 1, sizeof(*shown));
	uint64_t most = 1;

	for (at = 0; at < g->n; at++)
		if (!g->node[at].folded && g->node[at].count > most)
			most = g->node[at].count;
	fputs("digraph execution {\n"
	      "\tgraph [bgcolor=white, rankdir=LR, nodesep=0.25, ranksep=0.5, pad=0.2, "
	      "fontname=\"Helvetica\", fontsize=12];\n"
	      "\tnode [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=11, color=\"" LINE "\", "
	      "margin=\"0.15,0.08\"];\n"
	      "\tedge [fontname=\"Helvetica\", fontsize=10, color=\"" LINE "\", arrowsize=0.7];\n", to);
	for (at = g->n && shown ? g->root : TL_EXEC_NONE; at != TL_EXEC_NONE;
	     at = node_next(g, at, &depth)) {
		size_t up = g->node[at].parent;

		shown[at] = (up == TL_EXEC_NONE || shown[up]) &&
			    (double)g->node[at].count >= least * (double)most;
		hidden += !shown[at];
		if (!shown[at])
			continue;
		node_print(graph->traces, at, to);
		if (up != TL_EXEC_NONE)
			edge_print(g, at, most, to);
	}
	if (hidden)
		fprintf(to, "\tlabel=\"%zu rare nodes are not drawn\";\n", hidden);
	fputs("}\n", to);
	free(shown);
}
