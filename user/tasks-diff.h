/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TASKS_DIFF_H
#define TL_TASKS_DIFF_H

#include "model/tasks-compare.h"
#include "tasks-draw.h"

/**
 * struct tl_tasks_row - The same task, or type of jobs, in two recordings
 * @node: one of its nodes in each one's hierarchy; TL_TASK_NONE where it is not
 * @pair: index of the types of jobs that it is in
 * @level: 0 for leaves, TL_TASK_NONE for a type of jobs
 * @sample: before and after
 * @change: of each quantity
 * @only: if it is in one of them only, TL_TASK_NEW, TL_TASK_GONE, or TL_TASK_TOO_FEW if
 *        that may be chance, else TL_TASK_INCOMPARABLE
 */
struct tl_tasks_row {
	uint32_t node[2], pair, level;
	struct tl_task_sample sample[2];
	struct tl_task_change change[TL_TASK_QUANTITIES];
	enum tl_task_verdict only;
};

/* Types of jobs that are taken for the same; TL_TASK_NONE for what has none like it. */
struct tl_tasks_pair {
	uint32_t type[2];
	double likeness;
};

/**
 * struct tl_tasks_diff - Two recordings, task by task
 * @view: before and after
 * @row: [@rows] by what it takes of jobs' time, the largest first
 * @pair: [@pairs]
 * @row_of: [2][tree.n] row of each node, or TL_TASK_NONE
 * @comparisons: how many there are, all of which hold together in 95 of 100 cases
 * @rare: types that are not compared, as there are too many
 */
struct tl_tasks_diff {
	const struct tl_tasks_view *view[2];
	struct tl_tasks_row *row;
	struct tl_tasks_pair *pair;
	uint32_t *row_of[2];
	size_t rows, pairs, comparisons, rare[2];
};

extern const char *const tl_task_verdicts[TL_TASK_VERDICTS];

/* tasks-diff.c */
int tl_tasks_diff_make(struct tl_tasks_diff *diff, const struct tl_tasks_view *before,
		       const struct tl_tasks_view *after);
void tl_tasks_diff_free(struct tl_tasks_diff *diff);
const struct tl_tasks_row *tl_tasks_diff_row(const struct tl_tasks_diff *diff, int side, uint32_t node);
enum tl_task_verdict tl_tasks_row_verdict(const struct tl_tasks_row *row);
char *tl_tasks_row_name(const struct tl_tasks_diff *diff, const struct tl_tasks_row *row);

/* tasks-pairs.c */
int tl_tasks_pairs_find(struct tl_tasks_diff *diff, uint32_t *const id[2]);

/* tasks-same.c */
int tl_tasks_same(const struct tl_tasks_found *const found[2], uint32_t *const id[2]);

/* tasks-diff-out.c */
uint32_t *tl_tasks_diff_order(const struct tl_tasks_diff *diff);
bool tl_tasks_change_told(const struct tl_task_change *change);
extern const char *const tl_task_quantities[TL_TASK_QUANTITIES];
json_t *tl_tasks_diff_json(const struct tl_tasks_diff *diff);
void tl_tasks_diff_print(const struct tl_tasks_diff *diff, FILE *to);

#endif
