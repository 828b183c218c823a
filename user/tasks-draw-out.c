// SPDX-License-Identifier: GPL-2.0-or-later
/* The hierarchy of tasks as text and as JSON: types of jobs, and the way down to the slowest. */
#include "tasks-draw.h"

#include "lqn-out.h"
#include "out.h"
#include "tasks-out.h"
#include "tasks-trace.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- programs ------------------------------------------------------------------------ */

static json_t *seconds(int64_t ns, uint64_t known)
{
	return known ? json_real((double)ns / 1e9) : json_null();
}

static json_t *number(int64_t value, uint64_t known)
{
	return known ? json_integer(value) : json_null();
}

static json_t *index_json(uint32_t index)
{
	return number(index, index != TL_TASK_NONE);
}

static json_t *level_json(const struct tl_tasks_view *view, const struct tl_task_node *node)
{
	size_t classes = view->found->tasks->classes;

	if (node->up == TL_TASK_NONE)
		return json_null();
	return json_integer(node->task < classes ? 0 : view->found->mined->higher[node->task - classes].level);
}

static json_t *node_json(const struct tl_tasks_view *view, uint32_t at)
{
	const struct tl_task_node *n = &view->tree.node[at];
	const struct tl_task_sums *s = &n->sums;
	const struct tl_task_figures *f = &s->figures;
	bool alone = n->type == view->found->tasks->types;

	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "id", (json_int_t)at, "up", index_json(n->up),
			 "type", index_json(alone ? TL_TASK_NONE : n->type),
			 "task", index_json(n->up == TL_TASK_NONE ? TL_TASK_NONE : n->task),
			 "level", level_json(view, n),
			 "label", tl_out_text(tl_tasks_node_name(view, at)),
			 "count", (json_int_t)f->count,
			 "time_s", seconds(f->time_ns, 1), "idle_s", seconds(s->idle_ns, 1),
			 "cpu_s", seconds(f->cpu_ns, f->cpu_count),
			 "wait_s", seconds(f->wait_ns, f->wait_count),
			 "handoff_s", seconds(f->handoff_ns, f->handoff_count),
			 "sent_bytes", number(s->sent_bytes, s->sent),
			 "received_bytes", number(s->received_bytes, s->received),
			 "share", alone ? json_null() : json_real(tl_tasks_share(view, s)));
}

static json_t *way_json(const struct tl_task_way *way)
{
	return json_pack("{s:I, s:I, s:s, s:I}", "from", (json_int_t)way->from, "to", (json_int_t)way->to,
			 "kind", way->kind == TL_TASK_LINK_HANDOFF ? "handoff" : "thread",
			 "count", (json_int_t)way->count);
}

/**
 * tl_tasks_view_json() - The hierarchy for programs
 * @view: hierarchy
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_tasks_view_json(const struct tl_tasks_view *view)
{
	const struct tl_tasks_found *found = view->found;
	const struct tl_faults *notes = &found->trace->notes;
	json_t *nodes = json_array(), *edges = json_array(), *path = json_array();
	size_t i;

	for (i = 0; i < view->tree.n; i++)
		json_array_append_new(nodes, node_json(view, (uint32_t)i));
	for (i = 0; i < view->tree.ways; i++)
		json_array_append_new(edges, way_json(&view->tree.way[i]));
	for (i = 0; i < view->steps; i++)
		json_array_append_new(path, json_integer(view->path[i]));
	return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:b, s:I, s:f, s:o, s:o, s:o}",
			 "file", tl_out_name(notes->file), "notes", tl_faults_json(notes->note, notes->notes),
			 "events", (json_int_t)found->tasks->trace->n, "lost", (json_int_t)found->tasks->lost,
			 "jobs", (json_int_t)found->tasks->jobs, "types", (json_int_t)found->tasks->types,
			 "cut", found->mined->cut, "jobs_left_out", (json_int_t)found->mined->left_out,
			 "busy_s", (double)view->busy_ns / 1e9, "nodes", nodes, "edges", edges, "path", path);
}

/* ---- people -------------------------------------------------------------------------- */

static void types_print(const struct tl_tasks_view *view, FILE *to)
{
	struct tl_grid *grid = tl_grid_new("jobs|>count|>ms|>idle ms|>% of time");
	size_t i;

	for (i = 0; i < view->roots && i < TL_LQN_ROWS_MAX; i++) {
		const struct tl_task_node *n = &view->tree.node[view->root[i]];
		double count = (double)n->sums.figures.count;
		char *name = tl_tasks_node_name(view, view->root[i]);

		if (n->type < view->found->tasks->types) {
			tl_grid_add(grid, "%s", name ? name : "");
			tl_grid_add(grid, "%" PRIu64, n->sums.figures.count);
			tl_grid_add(grid, "%.4g", (double)tl_task_busy_ns(&n->sums) / count / 1e6);
			tl_grid_add(grid, "%.4g", (double)n->sums.idle_ns / count / 1e6);
			tl_grid_add(grid, "%.1f", 100 * tl_tasks_share(view, &n->sums));
		}
		free(name);
	}
	tl_lqn_grid_end(grid, view->found->tasks->types, to);
}

static void step_print(const struct tl_tasks_view *view, size_t step, FILE *to)
{
	const struct tl_task_node *n = &view->tree.node[view->path[step]];
	double each_ms = (double)tl_task_busy_ns(&n->sums) / (double)n->sums.figures.count / 1e6;
	char *name = tl_tasks_node_name(view, view->path[step]), *line = NULL;
	size_t len;
	FILE *text = open_memstream(&line, &len);

	if (text && step)
		fprintf(text, "%*s%s (task %" PRIu32 ")", (int)(2 * step), "", name ? name : "", n->task);
	else if (text)
		fprintf(text, "most time in %s", name ? name : "");
	if (text)
		fprintf(text, ": %" PRIu64 " times, %.4g ms each, %.1f %%\n", n->sums.figures.count, each_ms,
			100 * tl_tasks_share(view, &n->sums));
	if (text && !fclose(text))
		tl_text_lines(to, line);
	free(line);
	free(name);
}

/**
 * tl_tasks_view_print() - The way down to the slowest part, for people
 * @view: hierarchy
 * @to: where
 */
void tl_tasks_view_print(const struct tl_tasks_view *view, FILE *to)
{
	const struct tl_tasks *t = view->found->tasks;
	size_t i;

	if (t->jobs)
		types_print(view, to);
	fputc('\n', to);
	for (i = 0; i < view->steps; i++)
		step_print(view, i, to);
	if (!view->steps)
		fputs("no job took any time\n", to);
	fprintf(to, "%zu jobs of %zu types, %zu leaf tasks of %zu kinds, %zu higher tasks; %" PRIu64
		" events were lost\n", t->jobs, t->types, t->leaves, t->classes, view->found->mined->n, t->lost);
}
