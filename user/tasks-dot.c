// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks in graphviz's language: higher tasks are frames around what they are made of
 *
 * A leaf's fill is the more solid, the larger its part of all jobs' time. Solid lines stay
 * within a thread, dashed ones are hand-offs. The slowest part is framed in red, and so is all that
 * it is within. Of two recordings the second is drawn, and fill tells the difference.
 */
#include "tasks-diff.h"

#include "dot.h"
#include "tasks-out.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FILL "#2f6db5"
#define LINE "#5b6b7b"
#define PATH "#c9504c"
#define MORE "#d9822b"
#define LESS FILL
#define ONLY "#8a4fbf"
#define NAME_WIDTH 40
#define GONE_MAX 12

struct drawing {
	const struct tl_tasks_view *view;
	const struct tl_tasks_diff *diff;
	uint32_t only; /* type of jobs, or TL_TASK_NONE for all */
	uint32_t *below; /* [tree.n] leaves that are drawn within it */
	bool *path; /* [tree.n] */
	double most; /* largest share of a leaf */
	size_t rare, folded; /* lines that are left out */
	FILE *to;
};

/* ---- text ---------------------------------------------------------------------------- */

static void name_print(const char *before, const char *name, FILE *to)
{
	char *cut = tl_tasks_name_cut(name, NAME_WIDTH);

	fputs(before, to);
	tl_dot_text(to, cut ? cut : "");
	free(cut);
}

static void each_print(FILE *to, const char *what, int64_t ns, uint64_t count)
{
	fputs(what, to);
	tl_dot_time(to, count ? (double)ns / (double)count / 1e9 : 0);
}

static void share_print(const struct drawing *d, double part)
{
	fputs(", ", d->to);
	tl_tasks_percent(d->to, part);
	fputs(" %", d->to);
}

static void bytes_print(FILE *to, const char *what, int64_t bytes, uint64_t n)
{
	if (n)
		fprintf(to, "\\n%s %.4g bytes each", what, (double)bytes / (double)n);
}

/* "126 × 40 µs, 12 %", and a line for each of what else is known. */
static void sums_print(const struct drawing *d, const struct tl_task_sums *sums)
{
	const struct tl_task_figures *f = &sums->figures;
	FILE *to = d->to;

	fprintf(to, "%" PRIu64 " \u00d7 ", f->count);
	each_print(to, "", tl_task_busy_ns(sums), f->count);
	share_print(d, tl_tasks_share(d->view, sums));
	if (f->cpu_count)
		each_print(to, "\\nprocessor ", f->cpu_ns, f->count);
	if (f->wait_count && f->wait_ns > sums->idle_ns)
		each_print(to, "\\nasleep ", f->wait_ns - sums->idle_ns, f->count);
	if (sums->idle_ns > 0)
		each_print(to, "\\nidle ", sums->idle_ns, f->count);
	bytes_print(to, "sent", sums->sent_bytes, sums->sent);
	bytes_print(to, "received", sums->received_bytes, sums->received);
}

/* What it took before, and whether that is another time. */
static void change_print(const struct drawing *d, const struct tl_tasks_row *row)
{
	const struct tl_task_change *c = row ? &row->change[TL_TASK_TIME] : NULL;
	FILE *to = d->to;

	/* Of jobs of a type that there was not before, no task was. */
	if (!row || (d->diff->pair[row->pair].type[0] == TL_TASK_NONE && row->level != TL_TASK_NONE))
		return;
	if (row->only != TL_TASK_INCOMPARABLE) {
		fprintf(to, "\\n%s", row->only != TL_TASK_TOO_FEW ? tl_task_verdicts[row->only] :
			row->level ? "not found before" : "not before, may be chance");
		return;
	}
	if (!isfinite(c->mean[0]) || (c->mean[0] <= 0 && c->mean[1] <= 0))
		return;
	fputs("\\nbefore ", to);
	tl_dot_time(to, c->mean[0] / 1e9);
	if ((c->verdict == TL_TASK_MORE || c->verdict == TL_TASK_LESS) && c->mean[0] > 0)
		fprintf(to, ": %+.3g %%", 100 * (c->mean[1] / c->mean[0] - 1));
}

/* ---- what differs -------------------------------------------------------------------- */

static const char *change_colour(const struct tl_tasks_row *row)
{
	switch (row ? tl_tasks_row_verdict(row) : TL_TASK_INCOMPARABLE) {
	case TL_TASK_MORE:
		return MORE;
	case TL_TASK_LESS:
		return LESS;
	case TL_TASK_NEW:
	case TL_TASK_GONE:
		return ONLY;
	default:
		return NULL;
	}
}

/* Twice as long, or half as long, is the strongest. */
static unsigned int change_strength(const struct tl_tasks_row *row)
{
	const struct tl_task_change *c = &row->change[TL_TASK_TIME];
	double much = c->mean[0] > 0 && c->mean[1] > 0 ? fabs(log2(c->mean[1] / c->mean[0])) : 0;

	return (unsigned int)(60 + 130 * (much > 1 ? 1 : much));
}

static void fill_print(const struct drawing *d, const struct tl_tasks_row *row,
		       const struct tl_task_sums *sums)
{
	const char *colour = d->diff ? change_colour(row) : FILL;
	double part = d->most > 0 ? fmax(0, tl_tasks_share(d->view, sums) / d->most) : 0;

	if (d->diff && !colour)
		fputs(", style=\"rounded\"", d->to);
	else
		fprintf(d->to, ", style=\"rounded,filled\", fillcolor=\"%s%02x\"", colour,
			d->diff ? change_strength(row) : (unsigned int)(8 + 150 * part));
}

/* ---- leaves -------------------------------------------------------------------------- */

static void box_print(const struct drawing *d, size_t at)
{
	const struct tl_tasks_box *box = &d->view->box[at];
	const struct tl_tasks_row *row = tl_tasks_diff_row(d->diff, 1, box->node);
	char before[32];

	fprintf(d->to, "\tleaf%zu [label=\"", at);
	snprintf(before, sizeof(before), "%" PRIu32 "  ", box->class);
	name_print(before, d->view->names.begin[box->class], d->to);
	name_print("\\n\u2192 ", d->view->names.end[box->class], d->to);
	fputs("\\n", d->to);
	sums_print(d, &box->sums);
	change_print(d, row);
	fputs("\"", d->to);
	fill_print(d, row, &box->sums);
	if (box->path)
		fputs(", class=\"path\", color=\"" PATH "\", penwidth=2.5", d->to);
	fputs("];\n", d->to);
}

/* All leaves of a type that are not drawn by themselves. */
static void rest_print(const struct drawing *d, uint32_t type)
{
	struct tl_task_figures all = { 0 };
	int64_t busy_ns = 0;
	size_t n = 0, i;

	for (i = 0; i < d->view->boxes; i++) {
		const struct tl_tasks_box *box = &d->view->box[i];

		if (box->type != type || box->shown)
			continue;
		tl_task_figures_sum(&all, &box->sums.figures);
		busy_ns += tl_task_busy_ns(&box->sums);
		n++;
	}
	if (!n)
		return;
	fprintf(d->to, "\trest%" PRIu32 " [label=\"%zu more leaf tasks\\n%" PRIu64 " times", type, n, all.count);
	share_print(d, d->view->busy_ns > 0 ? (double)busy_ns / (double)d->view->busy_ns : 0);
	fputs("\", style=\"rounded,dashed\"];\n", d->to);
}

/* ---- frames -------------------------------------------------------------------------- */

static void frame_begin(const struct drawing *d, uint32_t node)
{
	const struct tl_task_node *n = &d->view->tree.node[node];
	const struct tl_tasks_row *row = tl_tasks_diff_row(d->diff, 1, node);
	const char *colour = d->diff ? change_colour(row) : NULL;

	fprintf(d->to, "\tsubgraph cluster%" PRIu32 " {\n\tlabel=\"", node);
	if (n->up == TL_TASK_NONE)
		fprintf(d->to, "jobs of type %" PRIu32 ": ", n->type);
	else
		fprintf(d->to, "task %" PRIu32 ": ", n->task);
	fprintf(d->to, "%" PRIu64 " \u00d7 ", n->sums.figures.count);
	each_print(d->to, "", tl_task_busy_ns(&n->sums), n->sums.figures.count);
	share_print(d, tl_tasks_share(d->view, &n->sums));
	change_print(d, row);
	fprintf(d->to, "\"; color=\"%s\"; fontcolor=\"%s\"; penwidth=%s; bgcolor=transparent;\n", d->path[node] ? PATH : LINE,
		colour ? colour : "black", d->path[node] ? "2" : "0.8");
}

/* A frame around a single leaf tells nothing, unless the slowest is in it. */
static bool framed(const struct drawing *d, uint32_t node)
{
	return d->view->tree.node[node].up == TL_TASK_NONE || d->below[node] > 1 || d->path[node];
}

/* Leaves of a type that there are no more. */
static void gone_print(const struct drawing *d, uint32_t type)
{
	size_t n = 0, i;

	for (i = 0; d->diff && i < d->diff->rows; i++) {
		const struct tl_tasks_row *row = &d->diff->row[i];
		char *name;

		if (row->only != TL_TASK_GONE || row->level || d->diff->pair[row->pair].type[1] != type || n++ >= GONE_MAX)
			continue;
		name = tl_tasks_row_name(d->diff, row);
		fprintf(d->to, "\tgone%zu [label=\"", i);
		name_print("", name ? name : "", d->to);
		fprintf(d->to, "\\n%" PRIu64 " before, now gone\", style=\"rounded,dotted,filled\", fillcolor=\"" ONLY
			"3c\"];\n", row->sample[0].count);
		free(name);
	}
	if (n > GONE_MAX)
		fprintf(d->to, "\tgonetype%" PRIu32 " [label=\"%zu more leaf tasks are gone\", style=\"rounded,dotted\"];\n",
			type, n - GONE_MAX);
}

static void node_print(const struct drawing *d, uint32_t node)
{
	const struct tl_tasks_view *view = d->view;
	size_t i;

	if (!d->below[node])
		return;
	if (tl_tasks_is_leaf(view, node)) {
		box_print(d, view->box_of[node]);
		return;
	}
	if (framed(d, node))
		frame_begin(d, node);
	for (i = view->begin[node]; i < view->begin[node + 1]; i++)
		node_print(d, view->child[i]); /* as deep as levels */
	if (view->tree.node[node].up == TL_TASK_NONE) {
		rest_print(d, view->tree.node[node].type);
		gone_print(d, view->tree.node[node].type);
	}
	if (framed(d, node))
		fputs("\t}\n", d->to);
}

static bool drawn(const struct drawing *d, const struct tl_tasks_box *box)
{
	return box->shown && (d->only == TL_TASK_NONE || d->only == box->type);
}

static void below_count(struct drawing *d)
{
	const struct tl_tasks_view *view = d->view;
	uint32_t at;
	size_t i;

	for (i = 0; i < view->boxes; i++) {
		if (!drawn(d, &view->box[i]))
			continue;
		d->most = fmax(d->most, tl_tasks_share(view, &view->box[i].sums));
		for (at = view->box[i].node; at != TL_TASK_NONE; at = view->tree.node[at].up)
			d->below[at]++;
	}
	for (i = 0; i < view->steps; i++)
		d->path[view->path[i]] = true;
}

/* Types that are not drawn, in one. */
static void types_rest(const struct drawing *d)
{
	const struct tl_tasks_view *view = d->view;
	uint64_t jobs = 0;
	int64_t busy_ns = 0;
	size_t types = 0, i;

	for (i = 0; i < view->roots; i++) {
		const struct tl_task_node *n = &view->tree.node[view->root[i]];

		if (d->below[view->root[i]] || n->type == view->found->tasks->types)
			continue;
		types++;
		jobs += n->sums.figures.count;
		busy_ns += tl_task_busy_ns(&n->sums);
	}
	if (!types)
		return;
	fprintf(d->to, "\ttypes [label=\"%zu more types of jobs\\n%" PRIu64 " jobs", types, jobs);
	share_print(d, view->busy_ns > 0 ? (double)busy_ns / (double)view->busy_ns : 0);
	fputs("\", style=\"rounded,dashed\"];\n", d->to);
}

/* Types of jobs that there are no more. */
static void types_gone(const struct drawing *d)
{
	size_t i;

	for (i = 0; d->diff && i < d->diff->rows; i++) {
		const struct tl_tasks_row *row = &d->diff->row[i];

		if (row->only == TL_TASK_GONE && row->level == TL_TASK_NONE)
			fprintf(d->to, "\tgone%zu [label=\"%" PRIu64 " jobs of what was type %" PRIu32 ", now gone\", "
				"style=\"rounded,dotted,filled\", fillcolor=\"" ONLY "3c\"];\n", i, row->sample[0].count,
				d->diff->pair[row->pair].type[0]);
	}
}

/* ---- lines --------------------------------------------------------------------------- */

struct line {
	uint32_t from, to; /* boxes */
	uint32_t kind, type;
	uint64_t count;
};

static int line_compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* The lines between boxes that are drawn. */
static size_t lines_join(struct drawing *d, struct line *line)
{
	const struct tl_task_tree *tree = &d->view->tree;
	size_t n = 0, kept = 0, i;

	for (i = 0; i < tree->ways; i++) {
		const struct tl_task_way *way = &tree->way[i];
		uint32_t from = d->view->box_of[way->from], to = d->view->box_of[way->to];

		if (drawn(d, &d->view->box[from]) && drawn(d, &d->view->box[to]))
			line[n++] = (struct line){ from, to, way->kind, tree->node[way->from].type, way->count };
		else
			d->folded += drawn(d, &d->view->box[from]) || drawn(d, &d->view->box[to]);
	}
	if (n)
		qsort(line, n, sizeof(*line), line_compare);
	for (i = 0; i < n; i++) {
		if (kept && !line_compare(&line[kept - 1], &line[i]))
			line[kept - 1].count += line[i].count;
		else
			line[kept++] = line[i];
	}
	return kept;
}

static uint64_t jobs_of(const struct tl_tasks_view *view, uint32_t type)
{
	size_t i;

	for (i = 0; i < view->roots; i++)
		if (view->tree.node[view->root[i]].type == type)
			return view->tree.node[view->root[i]].sums.figures.count;
	return 0;
}

static void line_print(struct drawing *d, const struct line *l)
{
	double part = (double)l->count / (double)jobs_of(d->view, l->type);

	if (part < TL_TASKS_RARE) {
		d->rare++;
		return;
	}
	fprintf(d->to, "\tleaf%" PRIu32 " -> leaf%" PRIu32 " [label=\"%" PRIu64 "\", penwidth=%.2f%s];\n", l->from,
		l->to, l->count, 0.6 + 1.6 * sqrt(part > 1 ? 1 : part),
		l->kind == TL_TASK_LINK_HANDOFF ? ", style=dashed, class=\"handoff\"" : "");
}

static void lines_print(struct drawing *d)
{
	struct line *line = calloc(d->view->tree.ways + 1, sizeof(*line));
	size_t n = line ? lines_join(d, line) : 0, i;

	for (i = 0; i < n; i++)
		line_print(d, &line[i]);
	free(line);
}

/* ---- all ----------------------------------------------------------------------------- */

static void caption_print(const struct drawing *d)
{
	fputs("\tlabelloc=b; label=\"solid: within a thread, dashed: handed on between threads; red: down to "
	      "the slowest part", d->to);
	if (d->diff)
		fputs("\\norange: slower than before, blue: faster, violet: only in one of both; "
		      "without colour: no difference that is more than chance", d->to);
	else
		fputs("\\nthe more colour, the larger the share of all jobs' time", d->to);
	if (d->folded)
		fputs("\\nlines to and from tasks that are not drawn by themselves are not drawn either", d->to);
	if (d->rare)
		fprintf(d->to, "\\n%zu lines that fewer than %g %% of a type's jobs have are not drawn", d->rare,
			100 * TL_TASKS_RARE);
	fputs("\";\n", d->to);
}

/**
 * tl_tasks_dot() - Print tasks in graphviz's language
 * @view: what is shown; of two recordings the second
 * @diff: how it differs from the first; or NULL
 * @only: type of jobs; TL_TASK_NONE for all
 * @to: where
 */
void tl_tasks_dot(const struct tl_tasks_view *view, const struct tl_tasks_diff *diff, uint32_t only,
		  FILE *to)
{
	struct drawing d = { .view = view, .diff = diff, .only = only, .to = to };
	size_t i;

	d.below = calloc(view->tree.n + 1, sizeof(*d.below));
	d.path = calloc(view->tree.n + 1, sizeof(*d.path));
	fputs("digraph tasks {\n"
	      "\tgraph [bgcolor=white, nodesep=0.3, ranksep=0.4, pad=0.2, style=rounded, "
	      "fontname=\"Helvetica\", fontsize=11];\n"
	      "\tnode [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=11, color=\"" LINE "\", "
	      "margin=\"0.13,0.07\"];\n"
	      "\tedge [fontname=\"Helvetica\", fontsize=10, color=\"" LINE "\", arrowsize=0.7];\n", to);
	if (d.below && d.path) {
		below_count(&d);
		for (i = 0; i < view->roots; i++)
			node_print(&d, view->root[i]);
		if (only == TL_TASK_NONE) {
			types_rest(&d);
			types_gone(&d);
		}
		lines_print(&d);
	}
	caption_print(&d);
	fputs("}\n", to);
	free(d.below);
	free(d.path);
}
