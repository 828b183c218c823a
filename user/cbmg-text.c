// SPDX-License-Identifier: GPL-2.0-or-later
/* Customer behaviour model graphs for people. */
#include "cbmg-graph.h"

#include "out.h"
#include "text.h"
#include "weblog-read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WAYS_MAX 400

static void figure_add(struct tl_grid *grid, const struct tl_cbmg_figure *f, double scale)
{
	if (f->known == TL_CBMG_INTERVAL)
		tl_grid_add(grid, "%.4g [%.3g, %.3g]", scale * f->value, scale * f->low95,
			    scale * f->high95);
	else if (f->known == TL_CBMG_VALUE)
		tl_grid_add(grid, "%.4g", scale * f->value);
	else
		tl_grid_add(grid, "-");
}

static void states_print(const struct tl_cbmg_graph *g, const struct tl_cbmg_fit *fit, FILE *to)
{
	struct tl_grid *grid = tl_grid_new(g->log ? "state|>requests|>mix %|>visits|>think s|>W s" :
						    "state|>mix %|>visits|>think s|>W s");
	size_t i, at;

	for (i = 0; i < g->n; i++) {
		at = g->order[i];
		if (at < TL_CBMG_FIRST || !tl_cbmg_has(fit, at))
			continue;
		tl_grid_add(grid, "%s", g->name[at]);
		if (g->log)
			tl_grid_add(grid, "%" PRIu64, fit->asked[at]);
		figure_add(grid, &fit->mix[at], 100);
		figure_add(grid, &fit->visits[at], 1);
		figure_add(grid, &fit->think[at], 1);
		figure_add(grid, &fit->wait[at], 1);
	}
	tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
	fputc('\n', to);
}

static void way_add(struct tl_grid *grid, const struct tl_cbmg_graph *g,
		    const struct tl_cbmg_fit *fit, size_t i, size_t k)
{
	tl_grid_add(grid, "%s", g->name[i]);
	tl_grid_add(grid, "%s", g->name[k]);
	if (g->log)
		tl_grid_add(grid, "%" PRIu64, fit->count[i * fit->n + k]);
	figure_add(grid, &fit->p[i * fit->n + k], 1);
	figure_add(grid, &fit->between[i * fit->n + k], 1);
}

static void ways_print(const struct tl_cbmg_graph *g, const struct tl_cbmg_fit *fit, FILE *to)
{
	struct tl_grid *grid = tl_grid_new(g->log ? "from|to|>requests|>probability|>think s" :
						    "from|to|>probability|>think s");
	size_t i, k, n = 0;

	for (i = 0; i < g->n; i++)
		for (k = 0; k < g->n; k++) {
			size_t from = g->order[i], at = g->order[k];

			if (!tl_cbmg_has(fit, from) || !tl_cbmg_has(fit, at) ||
			    fit->p[from * fit->n + at].value == 0)
				continue;
			if (n++ < WAYS_MAX)
				way_add(grid, g, fit, from, at);
		}
	tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
	if (n > WAYS_MAX)
		fprintf(to, "... %zu more: --json has all\n", n - WAYS_MAX);
	fputc('\n', to);
}

static void interval_print(const struct tl_cbmg_figure *f, const char *unit, FILE *to)
{
	fprintf(to, "%.4g%s", f->value, unit);
	if (f->known == TL_CBMG_INTERVAL)
		fprintf(to, " [%.4g, %.4g]", f->low95, f->high95);
}

static void session_print(const struct tl_cbmg_graph *g, const struct tl_cbmg_type *type,
			  FILE *to)
{
	const struct tl_cbmg_fit *fit = &type->fit;

	if (g->log)
		fprintf(to, "%" PRIu64 " sessions, %" PRIu64 " requests; ", type->sessions,
			type->requests);
	if (fit->requests.known != TL_CBMG_UNKNOWN) {
		fputs("requests of a session: ", to);
		interval_print(&fit->requests, "", to);
		fputs("; ", to);
	}
	if (fit->session_think.known != TL_CBMG_UNKNOWN) {
		fputs("its think time: ", to);
		interval_print(&fit->session_think, " s", to);
		fputs("; ", to);
	}
	fprintf(to, "V = V P + v0 is off by %.2g\n", fit->residual);
}

static void type_print(const struct tl_cbmg_graph *g, const struct tl_cbmg_type *type, FILE *to)
{
	if (!tl_cbmg_has_figures(g, type)) {
		fprintf(to, "%s\n", tl_cbmg_type_verdict(g, type));
		return;
	}
	states_print(g, &type->fit, to);
	ways_print(g, &type->fit, to);
	session_print(g, type, to);
}

static void head_print(const struct tl_cbmg_type *type, FILE *to)
{
	char *name = tl_text_printable(type->name);

	fprintf(to, "\ntype %s", name ? name : "");
	if (type->share >= 0)
		fprintf(to, ", %.3g %% of all", 100 * type->share);
	fputs("\n\n", to);
	free(name);
}

/**
 * tl_cbmg_print() - Graphs for people
 * @graph: graphs
 * @to: where they go
 */
void tl_cbmg_print(const struct tl_cbmg_graph *graph, FILE *to)
{
	char *verdict = tl_text_printable(graph->verdict);
	size_t i;

	if (graph->figures && graph->pooled)
		type_print(graph, &graph->all, to);
	for (i = 0; i < graph->types && graph->figures; i++) {
		head_print(&graph->type[i], to);
		type_print(graph, &graph->type[i], to);
	}
	tl_text_print(to, verdict ? verdict : "out of memory", 0);
	free(verdict);
}
