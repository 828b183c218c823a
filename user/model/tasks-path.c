// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Critical paths: what a job could not have been faster than (paper 002, 5.2: from the top
 * down to what is slowest)
 *
 * The path goes back from the job's end: from a leaf that begins with what was handed to it to
 * the leaf that ended with giving it, from any other to the one before in its thread, as
 * long as they are part of the job. So it is without gaps: leaves, and the time that what
 * was handed on lay there.
 *
 * A job ends with the last leaf after which its thread goes on in it, or ends: what a thread does
 * after that is to wait for the next job, or to make it. Sleep for a lock is not the sleeper's
 * doing: it counts for the class that holds the lock while others sleep for it.
 */
#include "tasks-path.h"

#include "tasks-figures.h"

#include <errno.h>
#include <stdlib.h>

struct walker {
	const struct tl_tasks *tasks;
	const struct tl_task_waits *waits;
	uint32_t *sorted; /* [leaves] by job */
	size_t *begin; /* [jobs + 1] in it */
	int64_t *own, *held; /* [classes] */
	uint32_t *touched; /* [classes] */
	size_t n_touched;
};

static const struct tl_task_event *event_of(const struct walker *w, uint32_t event)
{
	return &w->tasks->trace->event[event];
}

static int64_t at_least_0(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

/* What a leaf takes until it is done or, on the way to who was handed something on, has given it. */
static int64_t leaf_ns(const struct walker *w, const struct tl_task_leaf *leaf, bool gives)
{
	const struct tl_task_event *last = event_of(w, leaf->last);
	int64_t end = gives ? tl_task_given_ns(last) : last->time_ns;

	return at_least_0(end - event_of(w, leaf->first)->time_ns);
}

static bool goes_on(const struct tl_tasks *tasks, const struct tl_task_leaf *leaf)
{
	return leaf->next == TL_TASK_NONE || tasks->leaf[leaf->next].job == leaf->job;
}

/* The last of a job's leaves that is work for it; of none, the last of all. */
static uint32_t end_of(const struct walker *w, const uint32_t *leaf, size_t n)
{
	const struct tl_tasks *t = w->tasks;
	uint32_t best = TL_TASK_NONE;
	size_t i;

	for (i = 0; i < n; i++)
		if (goes_on(t, &t->leaf[leaf[i]]) &&
		    (best == TL_TASK_NONE || t->leaf[leaf[i]].last > t->leaf[best].last))
			best = leaf[i];
	return best == TL_TASK_NONE ? leaf[n - 1] : best;
}

/* The latest giver in the job; @from: set to the event. */
static uint32_t giver_of(const struct tl_tasks *t, const struct tl_task_leaf *leaf, uint32_t *from)
{
	uint32_t best = TL_TASK_NONE;
	size_t i;

	for (i = t->giver[leaf->first]; i < t->handoffs && t->handoff[i].to == leaf->first; i++) {
		uint32_t giver = t->ends[t->handoff[i].from];

		if (giver == TL_TASK_NONE || t->leaf[giver].job != leaf->job)
			continue;
		best = giver;
		*from = t->handoff[i].from;
	}
	return best;
}

static void spent(struct walker *w, uint32_t class, int64_t ns, bool held)
{
	if (ns <= 0)
		return;
	if (!w->own[class] && !w->held[class])
		w->touched[w->n_touched++] = class;
	if (held)
		w->held[class] = tl_task_ns_sum(w->held[class], ns);
	else
		w->own[class] = tl_task_ns_sum(w->own[class], ns);
}

static void leaf_spent(struct walker *w, const struct tl_task_leaf *leaf, int64_t ns)
{
	const struct tl_task_event *last = event_of(w, leaf->last);
	int64_t slept = 0;
	uint32_t holder = w->waits->object[last->object].holder;

	if (last->op == TL_TASK_LOCK && holder != TL_TASK_NONE && last->wait_ns > 0)
		slept = last->wait_ns < ns ? last->wait_ns : ns;
	spent(w, leaf->class, ns - slept, false);
	spent(w, holder, slept, true);
}

static void job_walk(struct walker *w, const uint32_t *leaves, size_t n, struct tl_task_path *path)
{
	const struct tl_tasks *t = w->tasks;
	uint32_t at = end_of(w, leaves, n), before, from = 0;
	bool gives = false;
	int64_t ns;

	path->jobs++;
	while (at != TL_TASK_NONE) {
		const struct tl_task_leaf *leaf = &t->leaf[at];

		ns = leaf_ns(w, leaf, gives);
		leaf_spent(w, leaf, ns);
		path->time_ns = tl_task_ns_sum(path->time_ns, ns);
		before = giver_of(t, leaf, &from);
		gives = before != TL_TASK_NONE;
		if (gives) {
			ns = at_least_0(event_of(w, leaf->first)->time_ns - tl_task_given_ns(event_of(w, from)));
			path->time_ns = tl_task_ns_sum(path->time_ns, ns);
			path->handoff_ns = tl_task_ns_sum(path->handoff_ns, ns);
		} else {
			before = t->ends[leaf->first];
			if (before != TL_TASK_NONE && t->leaf[before].job != leaf->job)
				before = TL_TASK_NONE;
		}
		at = before;
	}
}

/* The class that has most; all are 0 again after it. */
static void slowest_find(struct walker *w, struct tl_task_path *path)
{
	size_t i;

	path->slowest = TL_TASK_NONE;
	for (i = 0; i < w->n_touched; i++) {
		uint32_t class = w->touched[i];
		int64_t ns = tl_task_ns_sum(w->own[class], w->held[class]);

		if (ns > path->slowest_ns || (ns == path->slowest_ns && class < path->slowest)) {
			path->slowest = class;
			path->slowest_ns = ns;
			path->held_ns = w->held[class];
		}
		w->own[class] = w->held[class] = 0;
	}
	w->n_touched = 0;
}

/* Job numbers by type; begin[type] is where each one's begin. */
static void by_type(const struct tl_tasks *t, uint32_t *job, size_t *begin)
{
	size_t i;

	for (i = 0; i < t->jobs; i++)
		begin[t->job[i].type + 1]++;
	for (i = 0; i < t->types; i++)
		begin[i + 1] += begin[i];
	for (i = 0; i < t->jobs; i++)
		job[begin[t->job[i].type]++] = (uint32_t)i;
	for (i = t->types; i > 0; i--)
		begin[i] = begin[i - 1];
	begin[0] = 0;
}

static void types_walk(struct walker *w, const uint32_t *job, const size_t *begin,
		       struct tl_task_path *path)
{
	size_t type, i;

	tl_tasks_by_job(w->tasks, w->sorted, w->begin);
	for (type = 0; type < w->tasks->types; type++) {
		path[type] = (struct tl_task_path){ 0 };
		for (i = begin[type]; i < begin[type + 1]; i++)
			job_walk(w, w->sorted + w->begin[job[i]],
				 w->begin[job[i] + 1] - w->begin[job[i]], &path[type]);
		slowest_find(w, &path[type]);
	}
}

/**
 * tl_tasks_paths() - Find what the jobs of each type spend their time with
 * @tasks: has the jobs
 * @waits: who was in the way
 * @path: [types] written
 *
 * Return: 0 or -ENOMEM.
 */
int tl_tasks_paths(const struct tl_tasks *tasks, const struct tl_task_waits *waits,
		   struct tl_task_path *path)
{
	struct walker w = { .tasks = tasks, .waits = waits };
	uint32_t *job = calloc(tasks->jobs + 1, sizeof(*job));
	size_t *begin = calloc(tasks->types + 2, sizeof(*begin));
	int code = -ENOMEM;

	w.sorted = calloc(tasks->leaves + 1, sizeof(*w.sorted));
	w.begin = calloc(tasks->jobs + 2, sizeof(*w.begin));
	w.own = calloc(tasks->classes + 1, sizeof(*w.own));
	w.held = calloc(tasks->classes + 1, sizeof(*w.held));
	w.touched = calloc(tasks->classes + 1, sizeof(*w.touched));
	if (job && begin && w.sorted && w.begin && w.own && w.held && w.touched) {
		by_type(tasks, job, begin);
		types_walk(&w, job, begin, path);
		code = 0;
	}
	free(job);
	free(begin);
	free(w.sorted);
	free(w.begin);
	free(w.own);
	free(w.held);
	free(w.touched);
	return code;
}
