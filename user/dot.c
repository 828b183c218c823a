// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Graphs in graphviz's language, and through graphviz as SVG
 *
 * A tier's fill is the more solid, the larger its part of all own time; being
 * translucent it suits a light and a dark page.
 */
#include "dot.h"

#include "child.h"
#include "error.h"
#include "graph.h"
#include "out.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>

#define FILL "#2f6db5"
#define LINE "#5b6b7b"

/**
 * tl_dot_text() - Print a text to stand between double quotes
 * @to: where
 * @text: anything; what graphviz would take as its own is disarmed
 */
void tl_dot_text(FILE *to, const char *text)
{
	char *printable = tl_text_printable(text), *p;

	for (p = printable; p && *p; p++) {
		if (*p == '"' || *p == '\\')
			fputc('\\', to);
		fputs(*p == '&' ? "&amp;" : (char []){ *p, '\0' }, to);
	}
	free(printable);
}

/**
 * tl_dot_time() - Print a time as people read it
 * @to: where
 * @s: seconds
 */
void tl_dot_time(FILE *to, double s)
{
	if (s >= 1)
		fprintf(to, "%.2f s", s);
	else if (s >= 1e-3)
		fprintf(to, "%.2f ms", 1e3 * s);
	else if (s >= 1e-5 || s <= 0)
		fprintf(to, "%.0f \u00b5s", 1e6 * s);
	else if (s >= 1e-6)
		fprintf(to, "%.1f \u00b5s", 1e6 * s);
	else
		fprintf(to, "%.0f ns", 1e9 * s);
}

static void rate_print(FILE *to, double rate)
{
	fprintf(to, rate < 10 ? "%.2f/s" : "%.0f/s", rate);
}

static void tier_print(FILE *to, const struct tl_node *node)
{
	fprintf(to, "\\n");
	rate_print(to, node->rate);
	fprintf(to, "\\nresponse ");
	tl_dot_time(to, node->response_s);
	if (node->own_s >= 0) {
		fprintf(to, "\\nown ");
		tl_dot_time(to, node->own_s);
	}
	fprintf(to,
		"\\n%.0f %% of all own time\", class=\"tier\", style=\"rounded,filled\", "
		"fillcolor=\"" FILL "%02x\"",
		100 * node->own_share, (unsigned int)(8 + 150 * node->own_share));
}

/* Its kind before the name: a tier may be called what we call something else. */
static void id_print(FILE *to, const struct tl_node *node)
{
	static const char *const kinds[] = {
		[TL_NODE_CLIENTS] = "from",
		[TL_NODE_TIER] = "tier",
		[TL_NODE_OUTSIDE] = "outside",
		[TL_NODE_UNATTRIBUTED] = "unattributed",
		[TL_NODE_PATH] = "path",
	};

	fprintf(to, "\"%s ", kinds[node->kind]);
	tl_dot_text(to, node->name);
	fputc('"', to);
}

static void node_print(FILE *to, const struct tl_node *node)
{
	fputc('\t', to);
	id_print(to, node);
	fprintf(to, " [label=\"");
	tl_dot_text(to, node->label ? node->label : node->name);
	if (node->kind == TL_NODE_TIER || node->kind == TL_NODE_PATH)
		tier_print(to, node);
	else if (node->kind == TL_NODE_CLIENTS)
		fprintf(to, "\", class=\"clients\", shape=plaintext");
	else if (node->kind == TL_NODE_OUTSIDE)
		fprintf(to, "\\noutside\", class=\"outside\", style=\"rounded,dashed\"");
	else
		fprintf(to, "\", class=\"unattributed\", style=\"rounded,dotted\"");
	fprintf(to, "];\n");
}

static void link_print(FILE *to, const struct tl_graph *graph, const struct tl_link *link)
{
	const struct tl_node *from = &graph->node[link->from];
	double calls = (double)link->calls, requests = from->rate * graph->seconds;
	double transit_s = tl_transit_s(link->sum);

	fputc('\t', to);
	id_print(to, from);
	fprintf(to, " -> ");
	id_print(to, &graph->node[link->to]);
	fprintf(to, " [label=\"");
	rate_print(to, calls / graph->seconds);
	if (from->kind != TL_NODE_CLIENTS && from->kind != TL_NODE_PATH) {
		fprintf(to, "\\n");
		tl_dot_time(to, (double)link->time_ns / 1e9 / calls);
		fprintf(to, " per call");
	}
	if (transit_s >= 0) {
		fprintf(to, "\\n");
		tl_dot_time(to, transit_s);
		fprintf(to, " of it in transit");
	}
	if (from->kind != TL_NODE_CLIENTS && requests > 0)
		fprintf(to, "\\n%.2f per request", calls / requests);
	fprintf(to, "\"%s];\n",
		from->kind == TL_NODE_UNATTRIBUTED ? ", style=dotted" : "");
}

static bool is_first(const struct tl_graph *graph, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (graph->node[i].host && !strcmp(graph->node[i].host, graph->node[at].host))
			return false;
	return true;
}

/* All tiers of a node's host, in a frame. */
static void host_print(FILE *to, const struct tl_graph *graph, size_t at)
{
	const char *host = graph->node[at].host;
	size_t i;

	fprintf(to, "\tsubgraph \"cluster ");
	tl_dot_text(to, host);
	fprintf(to, "\" {\n\tlabel=\"");
	tl_dot_text(to, host);
	fprintf(to, "\";\n\tclass=\"host\";\n\tcolor=\"" LINE "60\";\n\tfontname=\"Helvetica\";\n\tfontsize=11;\n");
	for (i = at; i < graph->n_nodes; i++)
		if (graph->node[i].host && !strcmp(graph->node[i].host, host))
			node_print(to, &graph->node[i]);
	fprintf(to, "\t}\n");
}

/**
 * tl_dot_print() - Print a graph in graphviz's language
 * @to: where
 * @graph: the graph
 */
void tl_dot_print(FILE *to, const struct tl_graph *graph)
{
	size_t i;

	fprintf(to,
		"digraph tierlens {\n"
		"\tgraph [rankdir=LR, bgcolor=white, nodesep=0.4, ranksep=0.6, pad=0.2];\n"
		"\tnode [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=11, "
		"color=\"" LINE "\", margin=\"0.18,0.1\"];\n"
		"\tedge [fontname=\"Helvetica\", fontsize=10, color=\"" LINE "\", "
		"arrowsize=0.7];\n");
	for (i = 0; i < graph->n_nodes; i++)
		if (!graph->node[i].host)
			node_print(to, &graph->node[i]);
	for (i = 0; i < graph->n_nodes; i++)
		if (graph->node[i].host && is_first(graph, i))
			host_print(to, graph, i);
	for (i = 0; i < graph->n_links; i++)
		link_print(to, graph, &graph->link[i]);
	fprintf(to, "}\n");
}

static int draw(const struct tl_bytes *dot, struct tl_bytes *svg, struct tl_error *err)
{
	static const char *const argv[] = { "dot", "-Tsvg", NULL };

	return tl_child_filter(argv, dot, svg, "install graphviz or use --dot", err);
}

/**
 * tl_dot_svg() - Draw a graph
 * @graph: the graph
 * @svg: set to the picture; data to be freed by the caller
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_dot_svg(const struct tl_graph *graph, struct tl_bytes *svg, struct tl_error *err)
{
	struct tl_bytes dot = { 0 };
	FILE *to = open_memstream(&dot.data, &dot.len);
	int code;

	if (!to)
		return tl_error_no_memory(err);
	tl_dot_print(to, graph);
	if (fclose(to))
		code = tl_error_no_memory(err);
	else
		code = draw(&dot, svg, err);
	free(dot.data);
	return code;
}

/**
 * tl_dot_write() - Write a picture, or what graphviz would draw it from
 * @output: file, NULL or "-" for standard output
 * @svg: the picture; else in graphviz's language
 * @print: prints that
 * @arg: given to @print
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_dot_write(const char *output, bool svg, void (*print)(const void *arg, FILE *to),
		 const void *arg, struct tl_error *err)
{
	struct tl_bytes dot = { 0 }, picture = { 0 };
	FILE *to = open_memstream(&dot.data, &dot.len);
	int code = 0;

	if (to)
		print(arg, to);
	if (!to || fclose(to))
		code = tl_error_no_memory(err);
	else if (svg)
		code = draw(&dot, &picture, err);
	code = code ? code : tl_out_file(output, svg ? &picture : &dot, err);
	free(picture.data);
	free(dot.data);
	return code;
}
