/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_TASKS_TREE_H
#define TL_MODEL_TASKS_TREE_H

#include "ids.h"
#include "tasks-mine.h"

/**
 * struct tl_task_sums - What a task took where it stands in the hierarchy
 * @figures: its count is occurrences of the task; of a job type, jobs
 * @idle_ns: of its time, what threads waited for their next job
 * @sent: events whose bytes are known, as of @received
 * @sent_bytes: Σ over its leaves' last events, as of @received_bytes
 */
struct tl_task_sums {
	struct tl_task_figures figures;
	int64_t idle_ns;
	uint64_t sent, received;
	int64_t sent_bytes, received_bytes;
};

/**
 * struct tl_task_node - A task in the hierarchy
 * @up: the node that it is within, an index below its own; TL_TASK_NONE for a type of jobs
 * @task: its number; of a type of jobs the type
 * @type: of the jobs; the number of types for leaves that are part of no job
 * @sums: what it took; of a higher task or a type Σ of its leaves'
 */
struct tl_task_node {
	uint32_t up, task, type;
	struct tl_task_sums sums;
};

/* A way that some jobs go: between nodes that are leaf tasks. */
struct tl_task_way {
	uint32_t from, to, kind; /* TL_TASK_LINK_THREAD or TL_TASK_LINK_HANDOFF */
	uint64_t count;
};

/**
 * struct tl_task_tree - Types of jobs, the tasks in them, the tasks in these, and so on
 * @node: [@n] those that are within others after these
 * @way: [@ways]
 * @at: [leaves] index of each leaf's node
 */
struct tl_task_tree {
	struct tl_task_node *node;
	struct tl_task_way *way;
	size_t n, ways;
	uint32_t *at;
};

/**
 * typedef tl_task_visit_fn - Is told of each leaf and of all that it is within
 * @arg: the caller's
 * @node: the leaf's, or one above it
 * @leaf: the leaf
 * @job: which of the jobs of its type it is in, from 0
 * @begins: it is the first one of this occurrence of the node
 */
typedef void tl_task_visit_fn(void *arg, uint32_t node, uint32_t leaf, uint64_t job, bool begins);

int tl_task_tree_make(struct tl_task_tree *tree, const struct tl_tasks *tasks,
		      const struct tl_task_mined *mined);
int tl_task_tree_visit(const struct tl_task_tree *tree, const struct tl_tasks *tasks,
		       const struct tl_task_mined *mined, tl_task_visit_fn *visit, void *arg);
int64_t tl_task_idle_ns(const struct tl_tasks *tasks, const struct tl_task_leaf *leaf);
void tl_task_tree_free(struct tl_task_tree *tree);

#endif
