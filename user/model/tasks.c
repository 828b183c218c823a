// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What happens inside a process, from its sync points (paper 002, 2.2 to 2.4)
 *
 * A leaf task is what a thread does between two successive sync points. Its class is the
 * pair of them: what was done there, and the call stacks. Leaves hang together within their
 * threads, one after the other, and between threads where one hands something to another
 * (tasks-match.c). What hangs together is divided into the pieces of work that caused it
 * (tasks-jobs.c).
 */
#include "tasks.h"

#include "ids.h"
#include "tasks-project.h"

#include <errno.h>
#include <stdlib.h>

#define MEND_MAX 4000000 /* events: more would take gigabytes */

static struct tl_task_class class_of(const struct tl_task_event *first,
				     const struct tl_task_event *last)
{
	return (struct tl_task_class){ .first_op = first->op, .last_op = last->op,
				       .first_stack = first->stack, .last_stack = last->stack };
}

/* The leaf that begins with an event ends with its thread's next one. */
static void boundaries(struct tl_tasks *tasks, uint32_t *last_of)
{
	const struct tl_task_event *event = tasks->trace->event;
	size_t e, leaf;

	for (e = 0; e < tasks->trace->threads; e++)
		last_of[e] = TL_TASK_NONE;
	for (e = tasks->trace->n; e-- > 0;) {
		tasks->begins[e] = last_of[event[e].thread];
		last_of[event[e].thread] = (uint32_t)e;
		tasks->ends[e] = tasks->giver[e] = TL_TASK_NONE;
	}
	for (e = 0, leaf = 0; e < tasks->trace->n; e++) {
		if (tasks->begins[e] == TL_TASK_NONE)
			continue;
		tasks->leaf[leaf] = (struct tl_task_leaf){
			.first = (uint32_t)e, .last = tasks->begins[e],
			.next = TL_TASK_NONE, .job = TL_TASK_NONE };
		tasks->ends[tasks->begins[e]] = (uint32_t)leaf;
		tasks->begins[e] = (uint32_t)leaf++;
	}
	tasks->leaves = leaf;
	for (leaf = 0; leaf < tasks->leaves; leaf++)
		tasks->leaf[leaf].next = tasks->begins[tasks->leaf[leaf].last];
}

static int classes(struct tl_tasks *tasks)
{
	const struct tl_task_event *event = tasks->trace->event;
	struct tl_ids ids = { 0 };
	int code = 0;
	size_t i;

	for (i = 0; i < tasks->leaves && !code; i++) {
		struct tl_task_class class = class_of(&event[tasks->leaf[i].first],
						      &event[tasks->leaf[i].last]);

		code = tl_ids_of(&ids, &class, sizeof(class), &tasks->leaf[i].class);
	}
	tasks->classes = ids.n;
	tasks->class = code ? NULL : calloc(ids.n + 1, sizeof(*tasks->class));
	for (i = 0; i < tasks->leaves && tasks->class; i++)
		tasks->class[tasks->leaf[i].class] = class_of(&event[tasks->leaf[i].first],
							      &event[tasks->leaf[i].last]);
	tl_ids_free(&ids);
	return tasks->class ? 0 : -ENOMEM;
}

/**
 * tl_tasks_leaves() - Find the leaf tasks of a trace, and their classes
 * @tasks: has the trace; gets the rest
 *
 * Return: 0 or -ENOMEM.
 */
int tl_tasks_leaves(struct tl_tasks *tasks)
{
	const struct tl_task_trace *t = tasks->trace;
	uint32_t *last_of = calloc(t->threads + 1, sizeof(*last_of));
	int code = -ENOMEM;

	tasks->begins = calloc(t->n + 1, sizeof(*tasks->begins));
	tasks->ends = calloc(t->n + 1, sizeof(*tasks->ends));
	tasks->giver = calloc(t->n + 1, sizeof(*tasks->giver));
	tasks->guarded = calloc(t->n + 1, sizeof(*tasks->guarded));
	tasks->taking = calloc(t->n + 1, sizeof(*tasks->taking));
	tasks->leaf = calloc(t->n + 1, sizeof(*tasks->leaf));
	tasks->object = calloc(t->objects + 1, sizeof(*tasks->object));
	if (last_of && tasks->begins && tasks->ends && tasks->giver && tasks->guarded &&
	    tasks->taking && tasks->leaf && tasks->object) {
		boundaries(tasks, last_of);
		code = classes(tasks);
	}
	if (t->n)
		tasks->lost = t->event[t->n - 1].seq - t->event[0].seq - (t->n - 1);
	free(last_of);
	return code;
}

/* With what was lost put in where it is known; then without it. */
static int mended(struct tl_tasks *tasks)
{
	struct tl_task_mended m = { .added = 0 };
	struct tl_tasks whole = { .trace = &m.trace };
	int code = tl_tasks_mend(tasks->trace, &m);

	code = code ? code : tl_tasks_leaves(&whole);
	code = code ? code : tl_tasks_match(&whole);
	code = code ? code : tl_tasks_jobs(&whole);
	code = code ? code : tl_tasks_project(&whole, &m, tasks);
	tl_tasks_free(&whole);
	tl_tasks_mended_free(&m);
	return code;
}

/**
 * tl_tasks_infer() - Infer the tasks of a trace
 * @trace: what was seen; kept
 * @tasks: written; to be freed by tl_tasks_free(), also after a failure
 *
 * Return: 0 or -ENOMEM.
 */
int tl_tasks_infer(const struct tl_task_trace *trace, struct tl_tasks *tasks)
{
	int code;

	*tasks = (struct tl_tasks){ .trace = trace };
	code = tl_tasks_leaves(tasks);
	if (!code && tasks->lost && trace->n <= MEND_MAX)
		return mended(tasks);
	tasks->mend_cut = tasks->lost;
	code = code ? code : tl_tasks_match(tasks);
	return code ? code : tl_tasks_jobs(tasks);
}

/**
 * tl_tasks_by_job() - The leaves of each job
 * @tasks: has jobs
 * @sorted: [leaves] written: leaves of the first job, of the second, …, by time
 * @begin: [jobs + 1], all zero; written: where each job's begin, and where the last one's end
 */
void tl_tasks_by_job(const struct tl_tasks *tasks, uint32_t *sorted, size_t *begin)
{
	size_t i;

	for (i = 0; i < tasks->jobs; i++)
		begin[i + 1] = begin[i] + tasks->job[i].leaves;
	for (i = 0; i < tasks->leaves; i++)
		if (tasks->leaf[i].job != TL_TASK_NONE)
			sorted[begin[tasks->leaf[i].job]++] = (uint32_t)i;
	for (i = tasks->jobs; i > 0; i--)
		begin[i] = begin[i - 1];
	begin[0] = 0;
}

/**
 * tl_tasks_by_object() - The events of each object
 * @trace: trace
 * @sorted: [events] written: events of the first object, of the second, …, by seq
 * @begin: [objects + 2], all zero; written: where each object's begin, and where the last one's end
 */
void tl_tasks_by_object(const struct tl_task_trace *trace, uint32_t *sorted, size_t *begin)
{
	size_t i;

	for (i = 0; i < trace->n; i++)
		begin[trace->event[i].object + 1]++;
	for (i = 0; i < trace->objects; i++)
		begin[i + 1] += begin[i];
	for (i = 0; i < trace->n; i++)
		sorted[begin[trace->event[i].object]++] = (uint32_t)i;
	for (i = trace->objects; i > 0; i--)
		begin[i] = begin[i - 1];
	begin[0] = 0;
}

/**
 * tl_tasks_free() - Free what was inferred
 * @tasks: tasks
 */
void tl_tasks_free(struct tl_tasks *tasks)
{
	free(tasks->leaf);
	free(tasks->class);
	free(tasks->handoff);
	free(tasks->object);
	free(tasks->job);
	free(tasks->begins);
	free(tasks->ends);
	free(tasks->giver);
	free(tasks->guarded);
	free(tasks->taking);
	*tasks = (struct tl_tasks){ 0 };
}
