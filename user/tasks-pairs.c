// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which types of jobs of two recordings are the same
 *
 * A type is described by the leaf tasks that its jobs have, each by the part of the jobs
 * that has it: lost events and what the scheduler does make some that few have. Two types
 * are as like as Σ min / Σ max of these parts (Ruzicka); the most alike are taken for
 * the same, then the most alike of the others, down to a half.
 */
#include "tasks-diff.h"

#include "tasks-out.h"

#include <errno.h>
#include <stdlib.h>

#define TYPES_MAX 100 /* of each recording, those with the most jobs */
#define LIKE_MIN 0.5

struct part {
	uint32_t type, id;
	double part;
};

struct kinds {
	struct part *part; /* [begin[types]] by type and number of the task */
	size_t *begin;
	uint64_t *jobs; /* [types] */
	bool *taken; /* [types] */
	uint32_t *common; /* [n] types with the most jobs */
	size_t n;
};

static int by_type_and_id(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int job_compare(const void *a, const void *b, void *arg)
{
	const uint64_t *jobs = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (jobs[x] != jobs[y])
		return jobs[x] > jobs[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* An entry for each leaf's first in its job; then equal ones are counted together. */
static size_t parts_fill(const struct tl_tasks *t, const uint32_t *id, const uint32_t *sorted,
			 const size_t *begin, uint32_t *last, struct part *part)
{
	size_t n = 0, kept = 0, i, k;

	for (i = 0; i < t->classes; i++)
		last[i] = TL_TASK_NONE;
	for (i = 0; i < t->jobs; i++)
		for (k = begin[i]; k < begin[i + 1]; k++) {
			uint32_t class = t->leaf[sorted[k]].class;

			if (last[class] == i)
				continue;
			last[class] = (uint32_t)i;
			part[n++] = (struct part){ t->job[i].type, id[class], 1 };
		}
	if (n)
		qsort(part, n, sizeof(*part), by_type_and_id);
	for (i = 0; i < n; i++) {
		if (kept && !by_type_and_id(&part[kept - 1], &part[i]))
			part[kept - 1].part++;
		else
			part[kept++] = part[i];
	}
	return kept;
}

static void types_count(struct kinds *kinds, const struct tl_tasks *t, size_t parts)
{
	size_t i;

	for (i = 0; i < t->jobs; i++)
		kinds->jobs[t->job[i].type]++;
	for (i = 0; i < parts; i++) {
		kinds->begin[kinds->part[i].type + 1]++;
		kinds->part[i].part /= (double)kinds->jobs[kinds->part[i].type];
	}
	for (i = 0; i < t->types; i++) {
		kinds->begin[i + 1] += kinds->begin[i];
		kinds->common[i] = (uint32_t)i;
	}
	if (t->types)
		qsort_r(kinds->common, t->types, sizeof(*kinds->common), job_compare, kinds->jobs);
	kinds->n = t->types < TYPES_MAX ? t->types : TYPES_MAX;
}

static int kinds_make(struct kinds *kinds, const struct tl_tasks *t, const uint32_t *id)
{
	uint32_t *sorted = calloc(t->leaves + 1, sizeof(*sorted));
	uint32_t *last = calloc(t->classes + 1, sizeof(*last));
	size_t *begin = calloc(t->jobs + 2, sizeof(*begin));
	bool good;

	kinds->part = calloc(t->leaves + 1, sizeof(*kinds->part));
	kinds->begin = calloc(t->types + 2, sizeof(*kinds->begin));
	kinds->jobs = calloc(t->types + 1, sizeof(*kinds->jobs));
	kinds->taken = calloc(t->types + 1, sizeof(*kinds->taken));
	kinds->common = calloc(t->types + 1, sizeof(*kinds->common));
	good = sorted && last && begin && kinds->part && kinds->begin && kinds->jobs &&
	       kinds->taken && kinds->common;
	if (good) {
		tl_tasks_by_job(t, sorted, begin);
		types_count(kinds, t, parts_fill(t, id, sorted, begin, last, kinds->part));
	}
	free(sorted);
	free(last);
	free(begin);
	return good ? 0 : -ENOMEM;
}

static void kinds_free(struct kinds *kinds)
{
	free(kinds->part);
	free(kinds->begin);
	free(kinds->jobs);
	free(kinds->taken);
	free(kinds->common);
}

static double likeness(const struct kinds *a, uint32_t x, const struct kinds *b, uint32_t y)
{
	size_t i = a->begin[x], k = b->begin[y];
	double both = 0, all = 0;

	while (i < a->begin[x + 1] || k < b->begin[y + 1]) {
		double p = 0, q = 0;
		uint32_t u = i < a->begin[x + 1] ? a->part[i].id : UINT32_MAX;
		uint32_t v = k < b->begin[y + 1] ? b->part[k].id : UINT32_MAX;

		if (u <= v)
			p = a->part[i++].part;
		if (v <= u)
			q = b->part[k++].part;
		both += p < q ? p : q;
		all += p < q ? q : p;
	}
	return all > 0 ? both / all : 0;
}

static bool best_pair(const struct kinds *kinds, const double *like, struct tl_tasks_pair *pair)
{
	size_t i, k;

	*pair = (struct tl_tasks_pair){ .likeness = 0 };
	for (i = 0; i < kinds[0].n; i++)
		for (k = 0; k < kinds[1].n; k++) {
			uint32_t x = kinds[0].common[i], y = kinds[1].common[k];
			double l = like[i * TYPES_MAX + k];

			if (!kinds[0].taken[x] && !kinds[1].taken[y] && l >= LIKE_MIN && l > pair->likeness)
				*pair = (struct tl_tasks_pair){ { x, y }, l };
		}
	return pair->likeness > 0;
}

static void alone_add(struct tl_tasks_diff *diff, const struct kinds *kinds, int side)
{
	size_t i;

	for (i = 0; i < kinds[side].n; i++) {
		struct tl_tasks_pair *pair = &diff->pair[diff->pairs];

		if (kinds[side].taken[kinds[side].common[i]])
			continue;
		pair->type[side] = kinds[side].common[i];
		pair->type[!side] = TL_TASK_NONE;
		diff->pairs++;
	}
}

static void pairs_take(struct tl_tasks_diff *diff, struct kinds *kinds, double *like)
{
	size_t i, k;

	for (i = 0; i < kinds[0].n; i++)
		for (k = 0; k < kinds[1].n; k++)
			like[i * TYPES_MAX + k] = likeness(&kinds[0], kinds[0].common[i], &kinds[1],
							   kinds[1].common[k]);
	while (best_pair(kinds, like, &diff->pair[diff->pairs])) {
		kinds[0].taken[diff->pair[diff->pairs].type[0]] = true;
		kinds[1].taken[diff->pair[diff->pairs].type[1]] = true;
		diff->pairs++;
	}
	alone_add(diff, kinds, 0);
	alone_add(diff, kinds, 1);
	/* Last, what is part of no job. */
	diff->pair[diff->pairs++] = (struct tl_tasks_pair){
		{ (uint32_t)diff->view[0]->found->tasks->types,
		  (uint32_t)diff->view[1]->found->tasks->types }, 1 };
}

/**
 * tl_tasks_pairs_find() - Find which types of jobs are the same
 * @diff: has the views; gets the pairs
 * @id: of each recording, the number of each task that is the same in both
 *
 * Return: 0 or -ENOMEM.
 */
int tl_tasks_pairs_find(struct tl_tasks_diff *diff, uint32_t *const id[2])
{
	struct kinds kinds[2] = { 0 };
	double *like = calloc((size_t)TYPES_MAX * TYPES_MAX, sizeof(*like));
	int code = like ? 0 : -ENOMEM, side;

	diff->pair = calloc(2 * TYPES_MAX + 2, sizeof(*diff->pair));
	for (side = 0; side < 2 && !code; side++) {
		const struct tl_tasks *t = diff->view[side]->found->tasks;

		code = kinds_make(&kinds[side], t, id[side]);
		diff->rare[side] = t->types > TYPES_MAX ? t->types - TYPES_MAX : 0;
	}
	if (!code && diff->pair)
		pairs_take(diff, kinds, like);
	for (side = 0; side < 2; side++)
		kinds_free(&kinds[side]);
	free(like);
	return diff->pair ? code : -ENOMEM;
}
