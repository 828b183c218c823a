// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two recordings, task by task
 *
 * Time and sleep are without what threads waited for their next job: that tells how
 * busy the process is, not how fast. How often jobs have a higher task is shown but not
 * judged: which of several that fit becomes one depends on what else there is.
 */
#include "tasks-diff.h"

#include "tasks-out.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FALSE_MAX 0.05 /* chance that any of all differences that are told is none */

const char *const tl_task_verdicts[TL_TASK_VERDICTS] = {
	[TL_TASK_INCOMPARABLE] = "not known", [TL_TASK_TOO_FEW] = "too few", [TL_TASK_ALIKE] = "as before",
	[TL_TASK_LESS] = "less", [TL_TASK_MORE] = "more", [TL_TASK_GONE] = "gone", [TL_TASK_NEW] = "new",
};

/* ---- rows ---------------------------------------------------------------------------- */

static uint32_t pair_of(const struct tl_tasks_diff *diff, int side, uint32_t type)
{
	size_t i;

	for (i = 0; i < diff->pairs; i++)
		if (diff->pair[i].type[side] == type)
			return (uint32_t)i;
	return TL_TASK_NONE;
}

static uint32_t level_of(const struct tl_tasks_found *found, const struct tl_task_node *node)
{
	if (node->up == TL_TASK_NONE)
		return TL_TASK_NONE;
	return node->task < found->tasks->classes ? 0 :
	       found->mined->higher[node->task - found->tasks->classes].level;
}

static int row_find(struct tl_tasks_diff *diff, struct tl_ids *keys, int side, uint32_t node,
		    const uint32_t *id, size_t *room)
{
	const struct tl_task_node *n = &diff->view[side]->tree.node[node];
	const uint32_t key[2] = { pair_of(diff, side, n->type),
				  n->up == TL_TASK_NONE ? TL_TASK_NONE : id[n->task] };
	struct tl_tasks_row *grown;

	diff->row_of[side][node] = TL_TASK_NONE;
	if (key[0] == TL_TASK_NONE)
		return 0;
	if (tl_ids_of(keys, key, sizeof(key), &diff->row_of[side][node]))
		return -ENOMEM;
	if (keys->n > *room) {
		*room = 2 * keys->n;
		grown = reallocarray(diff->row, *room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		diff->row = grown;
	}
	if (keys->n > diff->rows)
		diff->row[diff->rows++] = (struct tl_tasks_row){
			.node = { TL_TASK_NONE, TL_TASK_NONE }, .pair = key[0],
			.level = level_of(diff->view[side]->found, n) };
	diff->row[diff->row_of[side][node]].node[side] = node;
	return 0;
}

static int rows_find(struct tl_tasks_diff *diff, uint32_t *const id[2])
{
	struct tl_ids keys = { 0 };
	size_t room = 0, i;
	int code = 0, side;

	for (side = 0; side < 2 && !code; side++) {
		size_t n = diff->view[side]->tree.n;

		diff->row_of[side] = calloc(n + 1, sizeof(*diff->row_of[side]));
		code = diff->row_of[side] ? 0 : -ENOMEM;
		for (i = 0; i < n && !code; i++)
			code = row_find(diff, &keys, side, (uint32_t)i, id[side], &room);
	}
	tl_ids_free(&keys);
	return code;
}

/* ---- samples ------------------------------------------------------------------------- */

struct sampler {
	struct tl_tasks_diff *diff;
	int side;
	uint64_t *jobs; /* [types + 1] */
};

static void sleep_add(const struct tl_tasks *t, const struct tl_task_leaf *leaf, int64_t idle,
		      struct tl_task_sample *sample, size_t batch)
{
	const struct tl_task_event *first = &t->trace->event[leaf->first];
	const struct tl_task_event *last = &t->trace->event[leaf->last];
	int64_t cpu_ns = last->cpu_ns - first->cpu_ns, wait_ns = last->wait_ns - idle;

	if (first->cpu_ns >= 0 && last->cpu_ns >= 0) {
		sample->known[TL_TASK_CPU] = true;
		sample->sum[TL_TASK_CPU][batch] += cpu_ns > 0 ? (double)cpu_ns : 0;
	}
	if (last->wait_ns >= 0) {
		sample->known[TL_TASK_SLEEP] = true;
		sample->sum[TL_TASK_SLEEP][batch] += wait_ns > 0 ? (double)wait_ns : 0;
	}
}

static void sample_add(void *arg, uint32_t node, uint32_t leaf, uint64_t job, bool begins)
{
	const struct sampler *s = arg;
	const struct tl_tasks *t = s->diff->view[s->side]->found->tasks;
	const struct tl_task_node *n = &s->diff->view[s->side]->tree.node[node];
	const struct tl_task_leaf *l = &t->leaf[leaf];
	uint32_t at = s->diff->row_of[s->side][node];
	int64_t idle = tl_task_idle_ns(t, l), ns;
	struct tl_task_sample *sample;
	size_t batch;

	if (at == TL_TASK_NONE)
		return;
	sample = &s->diff->row[at].sample[s->side];
	batch = tl_task_batch(job, s->jobs[n->type]);
	ns = t->trace->event[l->last].time_ns - t->trace->event[l->first].time_ns;
	sample->count += begins;
	sample->sum[TL_TASK_COUNT][batch] += begins;
	sample->sum[TL_TASK_TIME][batch] += ns > idle ? (double)(ns - idle) : 0;
	sleep_add(t, l, idle, sample, batch);
}

/* How many jobs there are is known of what is part of one, and how often they have it of leaves. */
static void sample_finish(const struct tl_tasks_diff *diff, int side, const uint64_t *jobs,
			  struct tl_tasks_row *row)
{
	uint32_t type = diff->pair[row->pair].type[side];
	struct tl_task_sample *sample = &row->sample[side];
	uint64_t i;

	if (type == TL_TASK_NONE)
		return;
	sample->known[TL_TASK_TIME] = sample->count;
	/* All that is part of no job has nothing in common. */
	if (type == diff->view[side]->found->tasks->types) {
		if (row->level == TL_TASK_NONE)
			memset(sample->known, 0, sizeof(sample->known));
		return;
	}
	sample->jobs = jobs[type];
	sample->known[TL_TASK_COUNT] = row->level != TL_TASK_NONE;
	for (i = 0; i < jobs[type]; i++)
		sample->of[tl_task_batch(i, jobs[type])]++;
}

static int samples_make(struct tl_tasks_diff *diff, int side)
{
	const struct tl_tasks_view *view = diff->view[side];
	const struct tl_tasks *t = view->found->tasks;
	struct sampler s = { .diff = diff, .side = side };
	size_t i;
	int code;

	s.jobs = calloc(t->types + 1, sizeof(*s.jobs));
	if (!s.jobs)
		return -ENOMEM;
	for (i = 0; i < t->jobs; i++)
		s.jobs[t->job[i].type]++;
	s.jobs[t->types] = t->alone;
	code = tl_task_tree_visit(&view->tree, t, view->found->mined, sample_add, &s);
	for (i = 0; i < diff->rows && !code; i++)
		sample_finish(diff, side, s.jobs, &diff->row[i]);
	free(s.jobs);
	return code;
}

/* ---- judgement ----------------------------------------------------------------------- */

static bool compared(const struct tl_tasks_row *row, int quantity)
{
	if (row->node[0] == TL_TASK_NONE || row->node[1] == TL_TASK_NONE ||
	    (quantity == TL_TASK_COUNT && row->level))
		return false;
	return row->sample[0].known[quantity] && row->sample[1].known[quantity];
}

/* Whether it can be told that a task in one recording only is not there by chance. */
static bool only_compared(const struct tl_tasks_diff *diff, const struct tl_tasks_row *row)
{
	int side = row->node[0] == TL_TASK_NONE;

	if (row->node[0] != TL_TASK_NONE && row->node[1] != TL_TASK_NONE)
		return false;
	return row->level == TL_TASK_NONE || (!row->level && diff->pair[row->pair].type[!side] != TL_TASK_NONE);
}

/* A type is seldom if few of all jobs are of it. */
static void only_judge(const struct tl_tasks_diff *diff, struct tl_tasks_row *row, double chance)
{
	int side = row->node[0] == TL_TASK_NONE;
	const struct tl_task_sample *seen = &row->sample[side];
	double other = (double)row->sample[!side].jobs;

	row->only = TL_TASK_TOO_FEW;
	if (!only_compared(diff, row))
		return;
	if (row->level == TL_TASK_NONE)
		row->only = tl_task_only_one((double)seen->jobs, (double)diff->view[side]->found->tasks->jobs,
					     (double)diff->view[!side]->found->tasks->jobs, chance);
	else
		row->only = tl_task_only_one(fmin((double)seen->count, (double)seen->jobs),
					     (double)seen->jobs, other, chance);
	if (row->only == TL_TASK_NEW && !side)
		row->only = TL_TASK_GONE;
}

static void judge(struct tl_tasks_diff *diff)
{
	double chance;
	size_t i, q;

	for (i = 0; i < diff->rows; i++) {
		struct tl_tasks_row *row = &diff->row[i];

		for (q = 0; q < TL_TASK_QUANTITIES; q++)
			diff->comparisons += compared(row, (int)q);
		diff->comparisons += only_compared(diff, row);
	}
	chance = FALSE_MAX / (double)(diff->comparisons ? diff->comparisons : 1);
	for (i = 0; i < diff->rows; i++) {
		struct tl_tasks_row *row = &diff->row[i];

		for (q = 0; q < TL_TASK_QUANTITIES; q++) {
			tl_task_compare(&row->sample[0], &row->sample[1], q, chance, &row->change[q]);
			if (!compared(row, (int)q))
				row->change[q].verdict = TL_TASK_INCOMPARABLE;
		}
		if (row->node[0] == TL_TASK_NONE || row->node[1] == TL_TASK_NONE)
			only_judge(diff, row, chance);
	}
}

/**
 * tl_tasks_row_verdict() - What is to be said of a task first
 * @row: the task
 *
 * Return: whether it is new, gone, slower (TL_TASK_MORE), faster (TL_TASK_LESS) or none of it.
 */
enum tl_task_verdict tl_tasks_row_verdict(const struct tl_tasks_row *row)
{
	return row->only != TL_TASK_INCOMPARABLE ? row->only : row->change[TL_TASK_TIME].verdict;
}

/**
 * tl_tasks_row_name() - Name of a task that is compared
 * @diff: comparison
 * @row: the task
 *
 * Return: as it is called after, or before if it is not there; to be freed by the caller;
 * NULL without memory.
 */
char *tl_tasks_row_name(const struct tl_tasks_diff *diff, const struct tl_tasks_row *row)
{
	int side = row->node[1] != TL_TASK_NONE;

	return tl_tasks_node_name(diff->view[side], row->node[side]);
}

/**
 * tl_tasks_diff_row() - What is known of a node
 * @diff: comparison, or NULL
 * @side: 0 for a node of the first recording, 1 of the second
 * @node: index
 *
 * Return: the row, or NULL.
 */
const struct tl_tasks_row *tl_tasks_diff_row(const struct tl_tasks_diff *diff, int side, uint32_t node)
{
	uint32_t row = diff ? diff->row_of[side][node] : TL_TASK_NONE;

	return row == TL_TASK_NONE ? NULL : &diff->row[row];
}

/**
 * tl_tasks_diff_make() - Compare two recordings
 * @diff: written; to be freed by tl_tasks_diff_free(), also after a failure
 * @before: the first; kept
 * @after: the second; kept
 *
 * Return: 0 or -ENOMEM.
 */
int tl_tasks_diff_make(struct tl_tasks_diff *diff, const struct tl_tasks_view *before,
		       const struct tl_tasks_view *after)
{
	const struct tl_tasks_found *const found[2] = { before->found, after->found };
	uint32_t *id[2];
	int code = 0, side;

	*diff = (struct tl_tasks_diff){ .view = { before, after } };
	for (side = 0; side < 2; side++) {
		id[side] = calloc(found[side]->tasks->classes + found[side]->mined->n + 1, sizeof(*id[side]));
		code = id[side] ? code : -ENOMEM;
	}
	code = code ? code : tl_tasks_same(found, id);
	code = code ? code : tl_tasks_pairs_find(diff, id);
	code = code ? code : rows_find(diff, id);
	for (side = 0; side < 2; side++) {
		code = code ? code : samples_make(diff, side);
		free(id[side]);
	}
	if (!code)
		judge(diff);
	return code;
}

/**
 * tl_tasks_diff_free() - Free a comparison
 * @diff: comparison
 */
void tl_tasks_diff_free(struct tl_tasks_diff *diff)
{
	free(diff->row);
	free(diff->pair);
	free(diff->row_of[0]);
	free(diff->row_of[1]);
	*diff = (struct tl_tasks_diff){ 0 };
}
