// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is shown of the hierarchy of tasks, and where
 *
 * The hierarchy has a leaf task once in each higher task that it is within: jobs of one type
 * go different ways, and each way may have higher tasks of its own. That unfolds well, but
 * is no picture. There each leaf stands once for each type of jobs, in the higher
 * task that took most of the time; what that has no place for stands in the next one.
 *
 * The path to the slowest part begins with the type of jobs that took most time, and goes
 * on with what took most of it within that, down to a leaf (paper 002, 5.2). Time that
 * threads waited for their next job is nobody's.
 */
#include "tasks-draw.h"

#include "tasks-out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_MAX 72 /* leaves in a picture */

/**
 * tl_task_busy_ns() - Time that is a task's, without what threads waited for the next job
 * @sums: of the task
 *
 * Return: Σ, ns.
 */
int64_t tl_task_busy_ns(const struct tl_task_sums *sums)
{
	return sums->figures.time_ns - sums->idle_ns;
}

/**
 * tl_tasks_share() - Part of the time of all jobs
 * @view: all
 * @sums: of a task
 *
 * Return: 0 to 1.
 */
double tl_tasks_share(const struct tl_tasks_view *view, const struct tl_task_sums *sums)
{
	return view->busy_ns > 0 ? (double)tl_task_busy_ns(sums) / (double)view->busy_ns : 0;
}

/**
 * tl_tasks_percent() - Print a part for people
 * @to: where
 * @part: 0 to 1
 */
void tl_tasks_percent(FILE *to, double part)
{
	if (part > 0 && part < 1e-4)
		fputs("under 0.01", to);
	else
		fprintf(to, "%.3g", 100 * part);
}

/**
 * tl_tasks_is_leaf() - Whether a node of the hierarchy is a leaf task
 * @view: hierarchy
 * @node: index
 *
 * Return: true or false.
 */
bool tl_tasks_is_leaf(const struct tl_tasks_view *view, uint32_t node)
{
	return view->tree.node[node].up != TL_TASK_NONE &&
	       view->tree.node[node].task < view->found->tasks->classes;
}

/**
 * tl_tasks_node_name() - Name of a node of the hierarchy
 * @view: hierarchy
 * @node: index
 *
 * Return: to be freed by the caller; NULL without memory.
 */
char *tl_tasks_node_name(const struct tl_tasks_view *view, uint32_t node)
{
	const struct tl_task_node *n = &view->tree.node[node];
	size_t classes = view->found->tasks->classes;
	const struct tl_task_higher *higher;
	char *name;

	if (n->up == TL_TASK_NONE && n->type == view->found->tasks->types)
		return strdup("part of no job");
	if (n->up == TL_TASK_NONE)
		return asprintf(&name, "jobs of type %u", n->type) < 0 ? NULL : name;
	if (n->task < classes)
		return tl_tasks_name(&view->names, n->task, n->task);
	higher = &view->found->mined->higher[n->task - classes];
	return tl_tasks_name(&view->names, higher->entry, higher->exit);
}

/* ---- order --------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b, void *arg)
{
	const struct tl_tasks_view *view = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct tl_task_node *n = view->tree.node;
	int64_t s = tl_task_busy_ns(&n[x].sums), t = tl_task_busy_ns(&n[y].sums);

	if (n[x].up == TL_TASK_NONE && (n[x].type == view->found->tasks->types) !=
				       (n[y].type == view->found->tasks->types))
		return n[x].type == view->found->tasks->types ? 1 : -1;
	if (s != t)
		return s > t ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void children_sort(struct tl_tasks_view *view)
{
	const struct tl_task_tree *tree = &view->tree;
	size_t i;

	for (i = 0; i < tree->n; i++) {
		if (tree->node[i].up == TL_TASK_NONE)
			view->root[view->roots++] = (uint32_t)i;
		else
			view->begin[tree->node[i].up + 1]++;
	}
	for (i = 0; i < tree->n; i++)
		view->begin[i + 1] += view->begin[i];
	for (i = 0; i < tree->n; i++)
		if (tree->node[i].up != TL_TASK_NONE)
			view->child[view->begin[tree->node[i].up]++] = (uint32_t)i;
	for (i = tree->n; i > 0; i--)
		view->begin[i] = view->begin[i - 1];
	view->begin[0] = 0;
	if (view->roots)
		qsort_r(view->root, view->roots, sizeof(*view->root), by_time, view);
	for (i = 0; i < tree->n; i++)
		if (view->begin[i + 1] > view->begin[i])
			qsort_r(view->child + view->begin[i], view->begin[i + 1] - view->begin[i],
				sizeof(*view->child), by_time, view);
}

/* Nobody is slow where nothing took any time, nor among what is part of no job. */
static void path_find(struct tl_tasks_view *view)
{
	const struct tl_task_node *node = view->tree.node;
	uint32_t at = view->roots ? view->root[0] : TL_TASK_NONE;

	if (at != TL_TASK_NONE && node[at].type == view->found->tasks->types)
		return;
	while (at != TL_TASK_NONE && tl_task_busy_ns(&node[at].sums) > 0 && view->steps < TL_TASKS_PATH_MAX) {
		view->path[view->steps++] = at;
		at = view->begin[at + 1] > view->begin[at] ? view->child[view->begin[at]] : TL_TASK_NONE;
	}
}

static void busy_sum(struct tl_tasks_view *view)
{
	size_t i;

	for (i = 0; i < view->roots; i++)
		if (view->tree.node[view->root[i]].type < view->found->tasks->types)
			view->busy_ns += tl_task_busy_ns(&view->tree.node[view->root[i]].sums);
}

/* ---- boxes --------------------------------------------------------------------------- */

static void sums_join(struct tl_task_sums *to, const struct tl_task_sums *from)
{
	tl_task_figures_sum(&to->figures, &from->figures);
	to->idle_ns += from->idle_ns;
	to->sent += from->sent;
	to->received += from->received;
	to->sent_bytes += from->sent_bytes;
	to->received_bytes += from->received_bytes;
}

/* @of_class: [classes] the type's boxes, TL_TASK_NONE at first. Deep first, by time. */
static void boxes_place(struct tl_tasks_view *view, uint32_t node, uint32_t *of_class)
{
	const struct tl_task_node *n = &view->tree.node[node];
	uint32_t *box;
	size_t i;

	if (!tl_tasks_is_leaf(view, node)) {
		for (i = view->begin[node]; i < view->begin[node + 1]; i++)
			boxes_place(view, view->child[i], of_class); /* as deep as levels */
		return;
	}
	box = &of_class[n->task];
	if (*box == TL_TASK_NONE) {
		*box = (uint32_t)view->boxes++;
		view->box[*box] = (struct tl_tasks_box){ .type = n->type, .class = n->task, .node = node };
	}
	sums_join(&view->box[*box].sums, &n->sums);
	view->box_of[node] = *box;
}

static int boxes_make(struct tl_tasks_view *view)
{
	size_t classes = view->found->tasks->classes, i;
	uint32_t *of_class = calloc(classes + 1, sizeof(*of_class));
	size_t first, k;

	if (!of_class)
		return -ENOMEM;
	for (i = 0; i < classes; i++)
		of_class[i] = TL_TASK_NONE;
	for (i = 0; i < view->tree.n; i++)
		view->box_of[i] = TL_TASK_NONE;
	for (i = 0; i < view->roots; i++) {
		first = view->boxes;
		boxes_place(view, view->root[i], of_class);
		for (k = first; k < view->boxes; k++)
			of_class[view->box[k].class] = TL_TASK_NONE;
	}
	free(of_class);
	return 0;
}

static int box_by_time(const void *a, const void *b, void *arg)
{
	const struct tl_tasks_view *view = arg;
	const struct tl_tasks_box *x = &view->box[*(const uint32_t *)a], *y = &view->box[*(const uint32_t *)b];
	int64_t s = tl_task_busy_ns(&x->sums), t = tl_task_busy_ns(&y->sums);

	if (x->path != y->path)
		return x->path ? -1 : 1;
	if (s != t)
		return s > t ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool type_shown(const struct tl_tasks_view *view, uint32_t type)
{
	size_t i;

	for (i = 0; i < view->roots && i < TL_TASKS_TYPES_MAX; i++)
		if (view->tree.node[view->root[i]].type == type)
			return type < view->found->tasks->types;
	return false;
}

static void path_mark(struct tl_tasks_view *view)
{
	uint32_t last = view->steps ? view->path[view->steps - 1] : TL_TASK_NONE;

	if (last != TL_TASK_NONE && view->box_of[last] != TL_TASK_NONE)
		view->box[view->box_of[last]].path = true;
}

/* What few jobs of its type have hides what the others do; so do leaves of lost events. */
static bool *rare_find(const struct tl_tasks_view *view)
{
	double *jobs = calloc(view->found->tasks->types + 1, sizeof(*jobs));
	bool *rare = calloc(view->boxes + 1, sizeof(*rare));
	size_t i;

	for (i = 0; i < view->roots && jobs; i++) {
		const struct tl_task_node *root = &view->tree.node[view->root[i]];

		jobs[root->type] = (double)root->sums.figures.count;
	}
	for (i = 0; i < view->boxes && jobs && rare; i++)
		rare[i] = !view->box[i].path && (double)view->box[i].sums.figures.count <
						TL_TASKS_RARE * jobs[view->box[i].type];
	free(jobs);
	if (jobs)
		return rare;
	free(rare);
	return NULL;
}

/* The slowest leaves of the slowest types; a type is shown by one of its own at least. */
static int boxes_choose(struct tl_tasks_view *view)
{
	uint32_t *order = calloc(view->boxes + 1, sizeof(*order));
	bool *has = calloc(view->found->tasks->types + 1, sizeof(*has)), *rare = rare_find(view);
	size_t shown = 0, i, round;

	for (i = 0; i < view->boxes && order; i++)
		order[i] = (uint32_t)i;
	if (view->boxes && order)
		qsort_r(order, view->boxes, sizeof(*order), box_by_time, view);
	for (round = 0; round < 2 && order && has && rare; round++)
		for (i = 0; i < view->boxes && shown < SHOWN_MAX; i++) {
			struct tl_tasks_box *box = &view->box[order[i]];

			if (box->shown || !type_shown(view, box->type) ||
			    (round ? rare[order[i]] : has[box->type]))
				continue;
			box->shown = has[box->type] = true;
			shown++;
		}
	free(order);
	free(has);
	free(rare);
	return order && has && rare ? 0 : -ENOMEM;
}

/**
 * tl_tasks_view_make() - See what is shown of tasks
 * @view: written; to be freed by tl_tasks_view_free(), also after a failure
 * @found: tasks; kept
 *
 * Return: 0 or -ENOMEM.
 */
int tl_tasks_view_make(struct tl_tasks_view *view, const struct tl_tasks_found *found)
{
	struct tl_task_tree *tree = &view->tree;
	int code;

	*view = (struct tl_tasks_view){ .found = found };
	code = tl_task_tree_make(tree, found->tasks, found->mined);
	code = code ? code : tl_tasks_names_make(&view->names, found);
	if (code)
		return code;
	view->child = calloc(tree->n + 1, sizeof(*view->child));
	view->root = calloc(tree->n + 1, sizeof(*view->root));
	view->box_of = calloc(tree->n + 1, sizeof(*view->box_of));
	view->begin = calloc(tree->n + 2, sizeof(*view->begin));
	view->box = calloc(tree->n + 1, sizeof(*view->box));
	if (!view->child || !view->root || !view->box_of || !view->begin || !view->box)
		return -ENOMEM;
	children_sort(view);
	path_find(view);
	busy_sum(view);
	code = boxes_make(view);
	path_mark(view);
	return code ? code : boxes_choose(view);
}

/**
 * tl_tasks_view_free() - Free what is shown
 * @view: it
 */
void tl_tasks_view_free(struct tl_tasks_view *view)
{
	tl_task_tree_free(&view->tree);
	tl_tasks_names_free(&view->names);
	free(view->child);
	free(view->root);
	free(view->box_of);
	free(view->begin);
	free(view->box);
	*view = (struct tl_tasks_view){ 0 };
}
