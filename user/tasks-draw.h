/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TASKS_DRAW_H
#define TL_TASKS_DRAW_H

#include "model/tasks-tree.h"
#include "tasks-names.h"

#include <jansson.h>
#include <stdio.h>

struct tl_bytes;
struct tl_error;
struct tl_tasks_found;
struct tl_tasks_diff;

#define TL_TASKS_RARE 0.02 /* of a type's jobs: what fewer have is not drawn by itself */
#define TL_TASKS_TYPES_MAX 6 /* types of jobs that are drawn */
#define TL_TASKS_PATH_MAX 64 /* levels: each has two leaves at least below the one above it */

/**
 * struct tl_tasks_box - A leaf task in the picture: once for each type of jobs
 * @type: of the jobs
 * @class: of the leaves
 * @node: the node that it stands at, of those that it has in the hierarchy
 * @sums: over all of these
 * @path: it is the slowest
 * @shown: drawn by itself, not together with others
 */
struct tl_tasks_box {
	uint32_t type, class, node;
	struct tl_task_sums sums;
	bool path, shown;
};

/**
 * struct tl_tasks_view - The hierarchy of tasks, as it is shown
 * @child: [tree.n] nodes, those within one after each other, by the time that they took
 * @begin: [tree.n + 1] where those within a node begin, and where they end
 * @root: [@roots] types of jobs, by time
 * @box: [@boxes] by type and class
 * @box_of: [tree.n] box of each leaf, or TL_TASK_NONE
 * @path: [@steps] nodes, from a type down to the slowest leaf
 * @busy_ns: of all jobs, without what threads waited for the next
 */
struct tl_tasks_view {
	const struct tl_tasks_found *found;
	struct tl_task_tree tree;
	struct tl_tasks_names names;
	uint32_t *child, *root, *box_of;
	size_t *begin, roots, boxes, steps;
	struct tl_tasks_box *box;
	uint32_t path[TL_TASKS_PATH_MAX];
	int64_t busy_ns;
};

/* tasks-view.c */
int tl_tasks_view_make(struct tl_tasks_view *view, const struct tl_tasks_found *found);
void tl_tasks_view_free(struct tl_tasks_view *view);
int64_t tl_task_busy_ns(const struct tl_task_sums *sums);
bool tl_tasks_is_leaf(const struct tl_tasks_view *view, uint32_t node);
char *tl_tasks_node_name(const struct tl_tasks_view *view, uint32_t node);
void tl_tasks_percent(FILE *to, double part);
double tl_tasks_share(const struct tl_tasks_view *view, const struct tl_task_sums *sums);

/* tasks-dot.c */
void tl_tasks_dot(const struct tl_tasks_view *view, const struct tl_tasks_diff *diff, uint32_t only,
		  FILE *to);

/* tasks-draw-out.c */
json_t *tl_tasks_view_json(const struct tl_tasks_view *view);
void tl_tasks_view_print(const struct tl_tasks_view *view, FILE *to);

/* tasks-page.c */
int tl_tasks_page(const struct tl_tasks_view *view, const struct tl_tasks_diff *diff,
		  struct tl_bytes *page, struct tl_error *err);

#endif
