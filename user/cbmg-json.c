// SPDX-License-Identifier: GPL-2.0-or-later
/* Customer behaviour model graphs for programs. */
#include "cbmg-graph.h"

#include "lqn-out.h"
#include "out.h"
#include "weblog-read.h"

#include <string.h>

struct view {
	const struct tl_cbmg_graph *graph;
	const struct tl_cbmg_fit *fit;
	bool interval; /* of the figures, not the figures */
};

static json_t *figure_json(const struct view *v, const struct tl_cbmg_figure *f)
{
	if (f->known == TL_CBMG_UNKNOWN || (v->interval && f->known != TL_CBMG_INTERVAL))
		return json_null();
	return v->interval ? json_pack("[f, f]", f->low95, f->high95) : json_real(f->value);
}

/* By name, of transactions; null if nothing is known of any. */
static json_t *by_name(const struct view *v, const struct tl_cbmg_figure *figure)
{
	json_t *object = json_object();
	bool any = false;
	size_t i, at;

	for (i = 0; i < v->graph->n; i++) {
		at = v->graph->order[i];
		if (at < TL_CBMG_FIRST || !tl_cbmg_has(v->fit, at))
			continue;
		any = any || figure[at].known != TL_CBMG_UNKNOWN;
		json_object_set_new(object, v->graph->name[at], figure_json(v, &figure[at]));
	}
	if (any)
		return object;
	json_decref(object);
	return json_null();
}

/* What fills in the cell of a row and a column. */
typedef json_t *(*cell_fn)(const struct view *v, size_t i, size_t k);

static json_t *p_cell(const struct view *v, size_t i, size_t k)
{
	/* The end's row is that of the paper: nothing comes after it. */
	if (i == TL_CBMG_EXIT && !v->interval)
		return json_real(0);
	return figure_json(v, &v->fit->p[i * v->fit->n + k]);
}

static json_t *between_cell(const struct view *v, size_t i, size_t k)
{
	return figure_json(v, &v->fit->between[i * v->fit->n + k]);
}

static json_t *count_cell(const struct view *v, size_t i, size_t k)
{
	return json_integer((json_int_t)v->fit->count[i * v->fit->n + k]);
}

static json_t *square_json(const struct view *v, cell_fn cell)
{
	const struct tl_cbmg_graph *g = v->graph;
	json_t *rows = json_array(), *row;
	size_t i, k;

	for (i = 0; i < g->n; i++) {
		if (!tl_cbmg_has(v->fit, g->order[i]))
			continue;
		row = json_array();
		for (k = 0; k < g->n; k++)
			if (tl_cbmg_has(v->fit, g->order[k]))
				json_array_append_new(row, cell(v, g->order[i], g->order[k]));
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *states_json(const struct view *v)
{
	json_t *list = json_array();
	size_t i, at;

	for (i = 0; i < v->graph->n; i++) {
		at = v->graph->order[i];
		if (tl_cbmg_has(v->fit, at))
			json_array_append_new(list, json_string(v->graph->name[at]));
	}
	return list;
}

static json_t *spread_json(const struct view *v)
{
	json_t *object = json_object();
	size_t i, at;

	for (i = 0; i < v->graph->n; i++) {
		at = v->graph->order[i];
		if (tl_cbmg_has(v->fit, at) && v->fit->spread[at] > 1)
			json_object_set_new(object, v->graph->name[at],
					    json_real(v->fit->spread[at]));
	}
	return object;
}

static json_t *figures_json(const struct view *v)
{
	const struct tl_cbmg_fit *fit = v->fit;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "P", square_json(v, p_cell),
			 "visits", by_name(v, fit->visits),
			 "think_s", by_name(v, fit->think),
			 "mix", by_name(v, fit->mix),
			 "wait_s", by_name(v, fit->wait),
			 "think_between_s", square_json(v, between_cell),
			 "requests_per_session", figure_json(v, &fit->requests),
			 "think_per_session_s", figure_json(v, &fit->session_think));
}

static void counts_set(json_t *object, const struct tl_cbmg_graph *g,
		       const struct tl_cbmg_type *type)
{
	struct view intervals = { g, &type->fit, true };

	if (!g->log) {
		json_object_set_new(object, "sessions", json_null());
		return;
	}
	json_object_set_new(object, "sessions", json_integer((json_int_t)type->sessions));
	json_object_set_new(object, "requests", json_integer((json_int_t)type->requests));
	json_object_set_new(object, "transitions", square_json(&intervals, count_cell));
	json_object_set_new(object, "spread", spread_json(&intervals));
	json_object_set_new(object, "ci95", figures_json(&intervals));
}

/* All keys, null if there are no figures. */
static json_t *type_json(const struct tl_cbmg_graph *g, const struct tl_cbmg_type *type,
			 bool figures)
{
	struct view values = { g, &type->fit, false };
	json_t *object = json_object(), *value;

	if (figures) {
		json_object_set_new(object, "states", states_json(&values));
		value = figures_json(&values);
		json_object_update(object, value);
		json_decref(value);
		json_object_set_new(object, "residual", json_real(type->fit.residual));
		counts_set(object, g, type);
		return object;
	}
	value = json_pack("{s:n, s:n, s:n, s:n, s:n}", "states", "P", "visits", "think_s", "mix");
	json_object_update(object, value);
	json_decref(value);
	json_object_set_new(object, "sessions", g->log ? json_integer((json_int_t)type->sessions) :
							 json_null());
	return object;
}

static json_t *types_json(const struct tl_cbmg_graph *g)
{
	json_t *object = json_object(), *one;
	size_t i;

	for (i = 0; i < g->types; i++) {
		const struct tl_cbmg_type *type = &g->type[i];

		one = type_json(g, type, tl_cbmg_has_figures(g, type));
		json_object_set_new(one, "verdict", json_string(tl_cbmg_type_verdict(g, type)));
		json_object_set_new(one, "share", type->share < 0 ? json_null() :
						  json_real(type->share));
		json_object_set_new(object, type->name, one);
	}
	return object;
}

static json_t *log_json(const struct tl_weblog *log)
{
	const struct tl_sessions *s = &log->sessions;

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, "
			 "s:b}",
			 "lines", (json_int_t)log->lines, "broken", (json_int_t)log->broken,
			 "embedded", (json_int_t)log->embedded,
			 "left_out", (json_int_t)log->left_out,
			 "without_request", (json_int_t)log->no_request,
			 "without_session", (json_int_t)log->no_session,
			 "with_response_time", (json_int_t)log->timed,
			 "overlapping", (json_int_t)s->overlaps,
			 "clock_back", (json_int_t)s->back,
			 "ended_early", (json_int_t)s->crowded,
			 "begin_unknown", (json_int_t)s->cut[0],
			 "end_unknown", (json_int_t)s->cut[1],
			 "t", s->first_s, "seconds", s->last_s - s->first_s, "gap_s", s->gap_s,
			 "whole", (int)(s->whole == TL_SESSIONS_WHOLE));
}

/**
 * tl_cbmg_json() - Graphs for programs
 * @graph: graphs
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_cbmg_json(const struct tl_cbmg_graph *graph)
{
	json_t *object = json_pack("{s:o, s:s, s:o}", "file", tl_out_name(graph->notes.file),
				   "verdict", graph->verdict,
				   "notes", tl_faults_json(graph->notes.note, graph->notes.notes));
	json_t *all;

	if (!object)
		return NULL;
	all = type_json(graph, &graph->all, graph->figures && graph->pooled);
	json_object_update(object, all);
	json_decref(all);
	if (graph->types)
		json_object_set_new(object, "types", types_json(graph));
	if (graph->log)
		json_object_set_new(object, "log", log_json(graph->log));
	return object;
}
