// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Customer behaviour model graphs in graphviz's language
 *
 * A state's fill is the more solid, the larger its part of all requests; a line is the
 * thicker, the more sessions go that way. Ways that few go would hide the others: they are
 * left out, and the picture says how much that is.
 */
#include "cbmg-graph.h"

#include "dot.h"

#include <math.h>
#include <string.h>

#define FILL "#2f6db5"
#define LINE "#5b6b7b"

struct drawing {
	const struct tl_cbmg_graph *graph;
	const struct tl_cbmg_type *type;
	size_t number; /* of the type, so that its states have names of their own */
	double least, total; /* @total: ways per session, or per request */
	FILE *to;
};

/* How often a state is left, per session; of graphs without an end, part of the requests. */
static double left_of(const struct drawing *d, size_t i)
{
	const struct tl_cbmg_fit *fit = &d->type->fit;

	if (!tl_cbmg_has(fit, i) || i == TL_CBMG_EXIT)
		return 0;
	if (i == TL_CBMG_START)
		return fit->verdict == TL_CBMG_OK;
	return fit->verdict == TL_CBMG_OK ? fit->visits[i].value : fit->mix[i].value;
}

static double flow_of(const struct drawing *d, size_t i, size_t k)
{
	const struct tl_cbmg_fit *fit = &d->type->fit;

	return left_of(d, i) * fit->p[i * fit->n + k].value;
}

static void state_print(const struct drawing *d, size_t i)
{
	const struct tl_cbmg_fit *fit = &d->type->fit;
	double mix = fit->mix[i].value;

	fprintf(d->to, "\t\"%zu %zu\" [label=\"", d->number, i);
	tl_dot_text(d->to, d->graph->name[i]);
	if (i < TL_CBMG_FIRST) {
		fprintf(d->to, "\", shape=plaintext];\n");
		return;
	}
	fprintf(d->to, "\\n%.3g %% of requests", 100 * mix);
	if (fit->visits[i].known != TL_CBMG_UNKNOWN)
		fprintf(d->to, "\\n%.3g visits", fit->visits[i].value);
	if (fit->think[i].known != TL_CBMG_UNKNOWN) {
		fprintf(d->to, "\\nthink ");
		tl_dot_time(d->to, fit->think[i].value);
	}
	fprintf(d->to, "\", style=\"rounded,filled\", fillcolor=\"" FILL "%02x\"];\n",
		(unsigned int)(8 + 150 * mix));
}

static void way_print(const struct drawing *d, size_t i, size_t k)
{
	double part = flow_of(d, i, k) / d->total;

	fprintf(d->to, "\t\"%zu %zu\" -> \"%zu %zu\" [label=\"%.2g\", penwidth=%.2f];\n", d->number, i,
		d->number, k, d->type->fit.p[i * d->type->fit.n + k].value,
		0.6 + 6 * sqrt(part));
}

/* A way that few go is drawn all the same if a state would hang in the air without it. */
static bool is_drawn(const struct drawing *d, size_t i, size_t k)
{
	double flow = flow_of(d, i, k);
	size_t n = d->type->fit.n, j;
	bool most_in = true, most_out = true;

	if (!(flow > 0))
		return false;
	for (j = 0; j < n; j++) {
		most_in = most_in && flow_of(d, j, k) <= flow;
		most_out = most_out && flow_of(d, i, j) <= flow;
	}
	return flow >= d->least * d->total || most_in || most_out;
}

static void label_print(const struct drawing *d, double hidden)
{
	fprintf(d->to, "\tsubgraph cluster%zu {\n\tcolor=none;\n\tlabel=\"", d->number);
	if (d->type->name)
		tl_dot_text(d->to, d->type->name);
	if (d->type->name && d->graph->types && d->type->share >= 0)
		fprintf(d->to, ", %.3g %% of all", 100 * d->type->share);
	if (hidden > 1e-9)
		fprintf(d->to, "%s%.2g %% of all steps are not drawn", d->type->name ? "\\n" : "",
			100 * hidden);
	fprintf(d->to, "\";\n");
}

static void type_draw(struct drawing *d)
{
	const struct tl_cbmg_fit *fit = &d->type->fit;
	double hidden = 0;
	size_t i, k;

	if (!tl_cbmg_has_figures(d->graph, d->type))
		return;
	for (i = 0, d->total = 0; i < fit->n; i++)
		d->total += left_of(d, i);
	for (i = 0; i < fit->n; i++)
		for (k = 0; k < fit->n; k++)
			hidden += is_drawn(d, i, k) ? 0 : flow_of(d, i, k) / d->total;
	label_print(d, hidden);
	for (i = 0; i < d->graph->n; i++) {
		k = d->graph->order[i];
		/* Where nobody comes back to, only a session's begin is to be seen. */
		if (tl_cbmg_has(fit, k) && (k != TL_CBMG_START || left_of(d, k) > 0))
			state_print(d, k);
	}
	for (i = 0; i < fit->n; i++)
		for (k = 0; k < fit->n; k++)
			if (is_drawn(d, i, k))
				way_print(d, i, k);
	fputs("\t}\n", d->to);
}

/**
 * tl_cbmg_dot() - Print graphs in graphviz's language
 * @graph: graphs
 * @least: part of all steps that a way must have to be drawn
 * @to: where they go
 *
 * Types of users stand beside each other; without any, everybody together is drawn.
 */
void tl_cbmg_dot(const struct tl_cbmg_graph *graph, double least, FILE *to)
{
	struct drawing d = { .graph = graph, .least = least, .to = to, .type = &graph->all };

	fputs("digraph cbmg {\n"
	      "\tgraph [bgcolor=white, nodesep=0.35, ranksep=0.5, pad=0.2, fontname=\"Helvetica\", "
	      "fontsize=13];\n"
	      "\tnode [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=11, color=\"" LINE "\", "
	      "margin=\"0.18,0.1\"];\n"
	      "\tedge [fontname=\"Helvetica\", fontsize=10, color=\"" LINE "\", arrowsize=0.7];\n", to);
	if (!graph->types)
		type_draw(&d);
	for (; d.number < graph->types; d.number++) {
		d.type = &graph->type[d.number];
		type_draw(&d);
	}
	fputs("}\n", to);
}
