/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_TASKS_SHAPES_H
#define TL_MODEL_TASKS_SHAPES_H

#include "tasks-figures.h"

#define TL_TASK_SHAPE_NODES 200000 /* of all shapes together */

enum { TL_TASK_LINK_THREAD = 1, TL_TASK_LINK_HANDOFF = 2 }; /* or'ed */

struct tl_task_link {
	uint32_t from, to, kinds;
};

/**
 * struct tl_task_shape - What the causal graphs of some jobs look like
 * @jobs: how many have it
 * @first: nodes of all shapes before it
 * @label: [@n] number of a task each
 * @sum: [@n] what these tasks took, over all jobs
 * @link: [@links] between them, each pair once a direction
 */
struct tl_task_shape {
	uint64_t jobs;
	size_t first, n, links;
	uint32_t *label;
	struct tl_task_figures *sum;
	struct tl_task_link *link;
};

/**
 * struct tl_task_shapes - All of them
 * @nodes: Σ n
 * @left_out: jobs that are of none, as there would be too many
 * @by_time: jobs whose graphs are told apart by the order of time, too, as they are too large
 *           or too hard for canon.c
 * @node: [leaves] what each is among the nodes of all shapes, or TL_TASK_NONE
 */
struct tl_task_shapes {
	struct tl_task_shape *shape;
	size_t n, room, nodes;
	uint64_t left_out, by_time;
	uint32_t *node;
};

int tl_task_shapes_find(const struct tl_tasks *tasks, struct tl_task_shapes *shapes);
size_t tl_task_links_join(struct tl_task_link *link, size_t n);
void tl_task_shape_free(struct tl_task_shape *shape);
void tl_task_shapes_free(struct tl_task_shapes *shapes);

#endif
