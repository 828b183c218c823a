// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a mended trace tells of what was seen
 *
 * A leaf that was seen is part of the job that its first event is. Hand-offs are those of which
 * both ends were seen; jobs and types those that have leaves that were.
 */
#include "tasks-project.h"

#include <errno.h>
#include <stdlib.h>

struct projector {
	const struct tl_tasks *whole;
	const struct tl_task_mended *mended;
	struct tl_tasks *tasks;
	uint32_t *at; /* [events seen] index in the mended trace */
	uint32_t *job, *type; /* [whole's] what they are here */
};

static bool counted(enum tl_task_use use, enum tl_task_op op)
{
	switch (use) {
	case TL_TASK_USE_NONE:
	case TL_TASK_USE_MUTEX:
		return false;
	case TL_TASK_USE_QUEUE:
		return op == TL_TASK_ENQ || op == TL_TASK_DEQ;
	case TL_TASK_USE_STREAM:
		return op == TL_TASK_SEND || op == TL_TASK_RECV;
	default:
		return op == TL_TASK_SIGNAL || op == TL_TASK_WAIT;
	}
}

/* What was put in was not seen to be given or taken: it is a correction. */
static void objects(struct projector *p)
{
	size_t i;

	for (i = 0; i < p->tasks->trace->objects; i++) {
		p->tasks->object[i] = p->whole->object[i];
		p->tasks->object[i].matched = 0;
	}
	for (i = 0; i < p->mended->trace.n; i++) {
		const struct tl_task_event *event = &p->mended->trace.event[i];
		struct tl_task_object *object = &p->tasks->object[event->object];

		if (p->mended->seen[i] != TL_TASK_NONE || !counted(object->use, event->op))
			continue;
		object->corrections++;
		object->given -= tl_task_gives(event->op);
		object->taken -= tl_task_takes(event->op);
	}
}

static int handoffs(struct projector *p)
{
	struct tl_tasks *t = p->tasks;
	int code = 0;
	size_t i;

	for (i = 0; i < p->whole->handoffs && !code; i++) {
		uint32_t from = p->mended->seen[p->whole->handoff[i].from];
		uint32_t to = p->mended->seen[p->whole->handoff[i].to];

		if (from == TL_TASK_NONE || to == TL_TASK_NONE)
			continue;
		t->object[t->trace->event[to].object].matched += t->giver[to] == TL_TASK_NONE;
		if (t->giver[to] == TL_TASK_NONE)
			t->giver[to] = (uint32_t)t->handoffs;
		code = tl_task_handoff_add(t, from, to);
	}
	return code;
}

static uint32_t job_of(const struct projector *p, const struct tl_task_leaf *leaf)
{
	return p->whole->leaf[p->whole->begins[p->at[leaf->first]]].job;
}

/* In the order in which they have them; of types, too. */
static void numbers(struct projector *p)
{
	struct tl_tasks *t = p->tasks;
	size_t i;

	for (i = 0; i < p->whole->jobs; i++) {
		uint32_t *type = &p->type[p->whole->job[i].type];

		if (p->job[i] == TL_TASK_NONE)
			continue;
		if (*type == TL_TASK_NONE)
			*type = (uint32_t)t->types++;
		p->job[i] = (uint32_t)t->jobs;
		t->job[t->jobs++].type = *type;
	}
	for (i = 0; i < t->leaves; i++) {
		uint32_t job = job_of(p, &t->leaf[i]);

		t->leaf[i].job = job == TL_TASK_NONE ? TL_TASK_NONE : p->job[job];
		if (job == TL_TASK_NONE)
			t->alone++;
		else
			t->job[p->job[job]].leaves++;
	}
}

static void jobs(struct projector *p)
{
	size_t i;

	for (i = 0; i < p->whole->jobs; i++)
		p->job[i] = TL_TASK_NONE;
	for (i = 0; i < p->whole->types; i++)
		p->type[i] = TL_TASK_NONE;
	for (i = 0; i < p->tasks->leaves; i++) {
		uint32_t job = job_of(p, &p->tasks->leaf[i]);

		if (job != TL_TASK_NONE)
			p->job[job] = 0; /* there is one */
	}
	numbers(p);
}

static int project(struct projector *p)
{
	size_t i;

	for (i = 0; i < p->mended->trace.n; i++) {
		if (p->mended->seen[i] == TL_TASK_NONE)
			continue;
		p->at[p->mended->seen[i]] = (uint32_t)i;
		p->tasks->guarded[p->mended->seen[i]] = p->whole->guarded[i];
	}
	objects(p);
	if (handoffs(p))
		return -ENOMEM;
	jobs(p);
	p->tasks->mended = p->mended->added;
	p->tasks->mend_cut = p->mended->cut;
	return 0;
}

/**
 * tl_tasks_project() - Tell of what was seen what is known of the whole
 * @whole: tasks of the mended trace
 * @mended: the trace
 * @tasks: has the leaves of what was seen; gets hand-offs, objects and jobs
 *
 * Return: 0 or -ENOMEM.
 */
int tl_tasks_project(const struct tl_tasks *whole, const struct tl_task_mended *mended,
		     struct tl_tasks *tasks)
{
	struct projector p = { .whole = whole, .mended = mended, .tasks = tasks };
	int code = -ENOMEM;

	p.at = calloc(tasks->trace->n + 1, sizeof(*p.at));
	p.job = calloc(whole->jobs + 1, sizeof(*p.job));
	p.type = calloc(whole->types + 1, sizeof(*p.type));
	tasks->job = calloc(whole->jobs + 1, sizeof(*tasks->job));
	if (p.at && p.job && p.type && tasks->job)
		code = project(&p);
	free(p.at);
	free(p.job);
	free(p.type);
	return code;
}
