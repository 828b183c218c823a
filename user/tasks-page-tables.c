// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of a page of tasks: leaves, higher tasks, objects, and what differs. */
#include "tasks-page.h"

#include "html.h"
#include "tasks-diff.h"
#include "tasks-out.h"
#include "tasks-trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define ROWS_MAX 200

static void more_print(size_t n, FILE *to)
{
	fputs("</table></div>\n", to);
	if (n > ROWS_MAX)
		fprintf(to, "<p class=\"soft\">%zu more rows: <code>--json</code> has all.</p>\n", n - ROWS_MAX);
}

/* A number that may be unknown. */
static void cell(FILE *to, double value)
{
	if (isfinite(value))
		fprintf(to, "<td>%.4g</td>", value);
	else
		fputs("<td class=\"soft\">–</td>", to);
}

static void each_cell(FILE *to, int64_t ns, uint64_t known, uint64_t count)
{
	cell(to, known && count ? (double)ns / (double)count / 1e6 : NAN);
}

static void text_cell(FILE *to, const char *text)
{
	fputs("<td class=\"text\">", to);
	tl_html_text(to, text ? text : "");
	fputs("</td>", to);
}

/* ---- leaves -------------------------------------------------------------------------- */

static int box_by_time(const void *a, const void *b, void *arg)
{
	const struct tl_tasks_view *view = arg;
	const struct tl_tasks_box *x = &view->box[*(const uint32_t *)a], *y = &view->box[*(const uint32_t *)b];
	bool p = x->type == view->found->tasks->types, q = y->type == view->found->tasks->types;
	int64_t s = tl_task_busy_ns(&x->sums), t = tl_task_busy_ns(&y->sums);

	if (p != q)
		return p ? 1 : -1;
	if (s != t)
		return s > t ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void box_row(const struct tl_tasks_view *view, const struct tl_tasks_box *box, FILE *to)
{
	const struct tl_task_sums *s = &box->sums;
	const struct tl_task_figures *f = &s->figures;
	bool alone = box->type == view->found->tasks->types;
	char *name = tl_tasks_name(&view->names, box->class, box->class);

	fprintf(to, "<tr><td>%" PRIu32 "</td>", box->class);
	if (alone)
		fputs("<td class=\"soft\">–</td>", to);
	else
		fprintf(to, "<td>%" PRIu32 "</td>", box->type);
	text_cell(to, name);
	free(name);
	fprintf(to, "<td>%" PRIu64 "</td>", f->count);
	each_cell(to, tl_task_busy_ns(s), 1, f->count);
	each_cell(to, f->cpu_ns, f->cpu_count, f->count);
	each_cell(to, f->wait_ns > s->idle_ns ? f->wait_ns - s->idle_ns : 0, f->wait_count, f->count);
	each_cell(to, s->idle_ns, 1, f->count);
	each_cell(to, f->handoff_ns, f->handoff_count, f->handoff_count);
	cell(to, s->sent || s->received ? (double)(s->sent_bytes + s->received_bytes) /
					  (double)(s->sent + s->received) : NAN);
	cell(to, alone ? NAN : 100 * tl_tasks_share(view, s));
	fputs("</tr>\n", to);
}

static void leaves_print(const struct tl_tasks_view *view, FILE *to)
{
	uint32_t *order = calloc(view->boxes + 1, sizeof(*order));
	size_t i;

	for (i = 0; i < view->boxes && order; i++)
		order[i] = (uint32_t)i;
	if (view->boxes && order)
		qsort_r(order, view->boxes, sizeof(*order), box_by_time, (void *)view);
	fputs("<h2>Leaf tasks</h2>\n<div class=\"wide\"><table><tr><th>task</th><th>jobs of<br>type</th>"
	      "<th class=\"left\">begins → ends</th><th>count</th><th>ms</th><th>processor<br>ms</th>"
	      "<th>asleep<br>ms</th><th>idle<br>ms</th><th>handed<br>on, ms</th><th>bytes</th><th>% of<br>time</th></tr>\n",
	      to);
	for (i = 0; i < view->boxes && i < ROWS_MAX && order; i++)
		box_row(view, &view->box[order[i]], to);
	more_print(view->boxes, to);
	free(order);
}

/* ---- higher tasks -------------------------------------------------------------------- */

static int higher_by_time(const void *a, const void *b, void *arg)
{
	const struct tl_task_mined *mined = arg;
	const struct tl_task_higher *x = &mined->higher[*(const uint32_t *)a], *y = &mined->higher[*(const uint32_t *)b];

	if (x->figures.time_ns != y->figures.time_ns)
		return x->figures.time_ns > y->figures.time_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void higher_row(const struct tl_tasks_view *view, uint32_t index, FILE *to)
{
	const struct tl_task_mined *mined = view->found->mined;
	const struct tl_task_higher *h = &mined->higher[index];
	const struct tl_task_figures *f = &h->figures;
	char *name = tl_tasks_name(&view->names, h->entry, h->exit);
	size_t i;

	fprintf(to, "<tr><td>%zu</td><td>%" PRIu32 "</td>", view->found->tasks->classes + index, h->level);
	text_cell(to, name);
	fputs("<td class=\"left\">", to);
	for (i = 0; i < h->members; i++)
		fprintf(to, "%s%" PRIu32, i ? " " : "", mined->member[h->member + i]);
	fprintf(to, "</td><td>%" PRIu64 "</td>", h->support);
	each_cell(to, f->time_ns, 1, f->count);
	each_cell(to, f->cpu_ns, f->cpu_count, f->count);
	each_cell(to, f->wait_ns, f->wait_count, f->count);
	fputs("</tr>\n", to);
	free(name);
}

static void higher_print(const struct tl_tasks_view *view, FILE *to)
{
	const struct tl_task_mined *mined = view->found->mined;
	uint32_t *order = calloc(mined->n + 1, sizeof(*order));
	size_t i;

	for (i = 0; i < mined->n && order; i++)
		order[i] = (uint32_t)i;
	if (mined->n && order)
		qsort_r(order, mined->n, sizeof(*order), higher_by_time, (void *)mined);
	fprintf(to, "<h2>Higher tasks</h2>\n<p>What occurs %" PRIu64 " times at least and is made of %zu tasks at most. Times "
		"are with idleness.</p>\n<div class=\"wide\"><table><tr><th>task</th><th>level</th>"
		"<th class=\"left\">begins → ends</th><th class=\"left\">made of</th><th>count</th><th>ms</th>"
		"<th>processor<br>ms</th><th>waited<br>ms</th></tr>\n", view->found->mining->support,
		view->found->mining->size);
	for (i = 0; i < mined->n && i < ROWS_MAX && order; i++)
		higher_row(view, order[i], to);
	more_print(mined->n, to);
	free(order);
}

/* ---- objects ------------------------------------------------------------------------- */

static void objects_print(const struct tl_tasks_view *view, FILE *to)
{
	const struct tl_tasks_found *found = view->found;
	size_t n = 0, i;

	fputs("<h2>Objects</h2>\n<p>What was handed on, and what was taken that nobody was seen to give.</p>\n"
	      "<div class=\"wide\"><table><tr><th>object</th><th class=\"left\">used as</th><th>given</th><th>taken</th>"
	      "<th>by nobody</th><th>set right<br>after losses</th></tr>\n", to);
	for (i = 0; i < found->trace->trace.objects; i++) {
		const struct tl_task_object *o = &found->tasks->object[i];

		if (o->use == TL_TASK_USE_NONE || o->use == TL_TASK_USE_MUTEX || n++ >= ROWS_MAX)
			continue;
		fputs("<tr><td class=\"text\">", to);
		tl_html_text(to, tl_ids_key(&found->trace->objects, (uint32_t)i, NULL));
		fprintf(to, "</td><td class=\"left\">%s</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%"
			PRIu64 "</td></tr>\n", tl_tasks_uses[o->use], o->given, o->taken, o->taken - o->matched, o->corrections);
	}
	more_print(n, to);
}

/**
 * tl_tasks_page_tables() - Print the tables of a page
 * @view: what is shown
 * @to: where
 */
void tl_tasks_page_tables(const struct tl_tasks_view *view, FILE *to)
{
	leaves_print(view, to);
	higher_print(view, to);
	objects_print(view, to);
}

/* ---- what differs -------------------------------------------------------------------- */

static const char *class_of(enum tl_task_verdict verdict)
{
	switch (verdict) {
	case TL_TASK_MORE:
		return "more";
	case TL_TASK_LESS:
		return "less";
	case TL_TASK_NEW:
	case TL_TASK_GONE:
		return "only";
	default:
		return "soft";
	}
}

static void where_cells(const struct tl_tasks_diff *diff, const struct tl_tasks_row *row, FILE *to)
{
	int side = row->node[1] != TL_TASK_NONE;
	const struct tl_task_node *n = &diff->view[side]->tree.node[row->node[side]];
	char *name = tl_tasks_row_name(diff, row);

	if (row->level == TL_TASK_NONE)
		fputs("<tr><td class=\"soft\">–</td>", to);
	else
		fprintf(to, "<tr><td>%" PRIu32 "</td>", n->task);
	if (n->type == diff->view[side]->found->tasks->types)
		fputs("<td class=\"soft\">–</td>", to);
	else
		fprintf(to, "<td>%" PRIu32 "</td>", n->type);
	text_cell(to, name);
	free(name);
}

/* In percent of what it was before. */
static double percent(double difference, double of)
{
	return of > 0 ? 100 * difference / of : NAN;
}

static void change_row(const struct tl_tasks_diff *diff, const struct tl_tasks_row *row, int quantity, FILE *to)
{
	const struct tl_task_change *c = &row->change[quantity];
	double unit = quantity == TL_TASK_COUNT ? 1 : 1e6;

	where_cells(diff, row, to);
	fprintf(to, "<td class=\"left\">%s</td>", tl_task_quantities[quantity]);
	cell(to, c->mean[0] / unit);
	cell(to, c->mean[1] / unit);
	cell(to, percent(c->mean[1] - c->mean[0], c->mean[0]));
	cell(to, percent(c->low, c->mean[0]));
	cell(to, percent(c->high, c->mean[0]));
	fprintf(to, "<td class=\"left\"><b class=\"%s\">%s</b></td></tr>\n", class_of(c->verdict),
		tl_task_verdicts[c->verdict]);
}

static void only_row(const struct tl_tasks_diff *diff, const struct tl_tasks_row *row, FILE *to)
{
	where_cells(diff, row, to);
	fprintf(to, "<td class=\"left\">count</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td>", row->sample[0].count,
		row->sample[1].count);
	cell(to, NAN);
	cell(to, NAN);
	cell(to, NAN);
	fprintf(to, "<td class=\"left\"><b class=\"%s\">%s</b></td></tr>\n", class_of(row->only),
		row->only == TL_TASK_TOO_FEW ? "may be chance" : tl_task_verdicts[row->only]);
}

/* Return: how many there are, of which ROWS_MAX are printed; @told: those that are told, or the others. */
static size_t rows_print(const struct tl_tasks_diff *diff, const uint32_t *order, bool told, FILE *to)
{
	size_t n = 0, i;
	int q;

	for (i = 0; i < diff->rows; i++) {
		const struct tl_tasks_row *row = &diff->row[order[i]];
		bool only = row->only != TL_TASK_INCOMPARABLE;

		if (only && (row->only != TL_TASK_TOO_FEW) == told && n++ < ROWS_MAX)
			only_row(diff, row, to);
		for (q = 0; q < TL_TASK_QUANTITIES && !only; q++)
			if (row->change[q].verdict != TL_TASK_INCOMPARABLE &&
			    tl_tasks_change_told(&row->change[q]) == told && n++ < ROWS_MAX)
				change_row(diff, row, q, to);
	}
	return n;
}

static void table_begin(FILE *to)
{
	fputs("<div class=\"wide\"><table><tr><th>task</th><th>jobs of<br>type</th><th class=\"left\">begins → ends</th>"
	      "<th class=\"left\">what</th><th>before</th><th>after</th><th>change<br>%</th><th>from<br>%</th><th>to<br>%</th>"
	      "<th class=\"left\">verdict</th></tr>\n", to);
}

/**
 * tl_tasks_page_changes() - Print what differs between two recordings
 * @diff: comparison
 * @to: where
 */
void tl_tasks_page_changes(const struct tl_tasks_diff *diff, FILE *to)
{
	uint32_t *order = tl_tasks_diff_order(diff);

	if (!order)
		return;
	fputs("<h2>What differs</h2>\n<p>More than chance makes, what matters most first.</p>\n", to);
	table_begin(to);
	if (!rows_print(diff, order, true, to))
		fputs("<tr><td colspan=\"10\" class=\"left\">Nothing that could not be chance.</td></tr>\n", to);
	fputs("</table></div>\n<details><summary>What does not, or cannot be told</summary>\n", to);
	table_begin(to);
	more_print(rows_print(diff, order, false, to), to);
	fputs("</details>\n", to);
	free(order);
}
