// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Jobs: the leaves that one piece of work caused, and of which type they are
 *
 * A thread works on the job that was handed to it last: a leaf that begins with a wait, a
 * taking out or a receiving that is matched is part of the giver's job, any other leaf of the
 * job of the one before it; so is one that begins with a wait for room in a queue
 * (tasks-back.c). One that begins with the last wait between what was received on a connection and the
 * answer is of the job of what was received (tasks-work.c), but for who is told by a job that he has begun
 * himself and not answered. A job begins
 *
 * - with something received or taken out that nobody was seen to give: it came from outside.
 *   Not so the first receiving of who was handed something or waited before, as it was for this; not
 *   the rest of a message, received before anything was handed on, and a connection that is accepted is
 *   none; and not the answer to what was sent, if it is known who asks on the connection;
 * - with a wait that nobody was seen to end: a timer, or a signal that was lost;
 * - with a thread that goes on in a new round. In the thread that a job began in, not from
 *   outside, and after the job was handed on there, an operation on an object that the round
 *   had before begins the next, unless the thread holds a mutex: a loop that makes jobs has
 *   nothing else to show where one ends. If the operation itself hands on, what led to it is part of the new job.
 *
 * What is sent is handed on, also to those who are not seen. What handed nothing on and did not
 * come from outside is no job: clocks, and noise.
 *
 * Two jobs are of the same type if they have the same sync points (operations with their
 * stacks, at least once each) but for waits, which only tell who was early, the mutexes that
 * are given back meanwhile, and those that are locked to take something. Lost events and
 * the ends of the trace break jobs: a set of points that few jobs have belongs to the type
 * most like it, if half of all their points are common, or nine in ten of its own are.
 */
#include "tasks-match.h"

#include "ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RARE_SHARE 50 /* less than one in so many jobs, or of two, is rare */

/* While they are found: where a job began, and what it did there. */
struct found {
	uint32_t thread, round, leaves;
	bool outside, handed, answered;
};

struct finder {
	struct tl_tasks *tasks;
	struct found *found; /* [leaves] */
	size_t jobs;
	struct tl_task_places places;
	uint32_t *head; /* [threads] the place that rounds begin with */
	uint32_t *seen; /* [places] the round that had it last */
	bool *backward; /* [events] waits for room, which hand nothing on */
	uint32_t *at_work; /* [events] what a wait in the midst of work was received by, or TL_TASK_NONE */
	uint32_t *asked; /* [events] the sending that a receiving is the answer to, or TL_TASK_NONE */
	bool *fresh; /* [threads] has received nothing from outside since it waited or was handed something */
	uint32_t *message; /* [threads] the stream that it has received from since it handed something on */
	bool *whole; /* [objects] what is received there is no part of anything: connections */
	uint32_t rounds;
};

/* ---- jobs ---------------------------------------------------------------------------- */

static int answers(struct finder *f)
{
	const struct tl_task_trace *t = f->tasks->trace;
	uint32_t *sent = malloc((t->objects + 1) * sizeof(*sent)); /* the last one by who asks */
	size_t i;

	if (!sent)
		return -ENOMEM;
	memset(sent, 0xff, (t->objects + 1) * sizeof(*sent));
	for (i = 0; i < t->n; i++) {
		const struct tl_task_event *event = &t->event[i];
		bool asks = event->end != TL_TASK_NONE && event->end == t->client;

		f->asked[i] = asks && event->op == TL_TASK_RECV ? sent[event->object] : TL_TASK_NONE;
		if (asks && event->op == TL_TASK_SEND)
			sent[event->object] = (uint32_t)i;
	}
	free(sent);
	return 0;
}

/* A connection has no length, where others are told; it is received from what nothing is ever sent to. */
static void wholes(struct finder *f)
{
	const struct tl_task_trace *t = f->tasks->trace;
	bool told = false;
	size_t i;

	for (i = 0; i < t->n; i++)
		if (t->event[i].op == TL_TASK_RECV) {
			f->whole[t->event[i].object] = true;
			told |= t->event[i].bytes != TL_TASK_UNKNOWN;
		}
	for (i = 0; i < t->n; i++)
		if (t->event[i].op == TL_TASK_SEND ||
		    (t->event[i].op == TL_TASK_RECV && (!told || t->event[i].bytes != TL_TASK_UNKNOWN)))
			f->whole[t->event[i].object] = false;
}

static int places(struct finder *f)
{
	const struct tl_task_trace *t = f->tasks->trace;
	struct tl_ids ids = { 0 };
	int code = 0;
	size_t i;

	for (i = 0; i < t->n && !code; i++) {
		const uint32_t key[4] = { t->event[i].thread, t->event[i].object, t->event[i].op,
					  tl_task_pause(f->tasks, (uint32_t)i) };

		code = tl_ids_of(&ids, key, sizeof(key), &f->places.place[i]);
	}
	f->places.n = ids.n;
	tl_ids_free(&ids);
	for (i = 0; i < t->n; i++)
		f->places.gives[i] = t->event[i].op == TL_TASK_SEND;
	for (i = 0; i < f->tasks->handoffs; i++)
		f->places.gives[f->tasks->handoff[i].from] = true;
	f->seen = code ? NULL : calloc(f->places.n + 1, sizeof(*f->seen));
	f->head = code ? NULL : calloc(t->threads + 1, sizeof(*f->head));
	f->fresh = code ? NULL : calloc(t->threads + 1, sizeof(*f->fresh));
	f->message = code ? NULL : malloc((t->threads + 1) * sizeof(*f->message));
	f->asked = code ? NULL : malloc((t->n + 1) * sizeof(*f->asked));
	f->backward = code ? NULL : calloc(t->n + 1, sizeof(*f->backward));
	f->at_work = code ? NULL : malloc((t->n + 1) * sizeof(*f->at_work));
	f->whole = code ? NULL : calloc(t->objects + 1, sizeof(*f->whole));
	if (!f->seen || !f->head || !f->fresh || !f->message || !f->asked || !f->backward || answers(f) ||
	    !f->at_work || !f->whole || tl_task_backward(f->tasks, f->backward) || tl_task_at_work(t, f->at_work))
		return -ENOMEM;
	memset(f->message, 0xff, (t->threads + 1) * sizeof(*f->message));
	wholes(f);
	return tl_task_heads(f->tasks, &f->places, f->head);
}

static uint32_t job_new(struct finder *f, uint32_t thread, bool outside)
{
	f->found[f->jobs] = (struct found){ .thread = thread, .round = ++f->rounds,
					    .outside = outside };
	return (uint32_t)f->jobs++;
}

/* The job of what was handed to an event, TL_TASK_NONE without. */
static uint32_t handed_job(const struct tl_tasks *tasks, uint32_t event)
{
	uint32_t giver = tasks->giver[event], leaf;

	if (giver == TL_TASK_NONE)
		return TL_TASK_NONE;
	leaf = tasks->ends[tasks->handoff[giver].from];
	return leaf == TL_TASK_NONE ? TL_TASK_NONE : tasks->leaf[leaf].job;
}

static bool may_end(const struct found *job, uint32_t thread)
{
	return thread == job->thread && !job->outside && job->handed;
}

static bool head_at(const struct finder *f, uint32_t event)
{
	return f->places.place[event] == f->head[f->tasks->trace->event[event].thread];
}

/* Whether a leaf ends with what begins a round, and hands on: then it led to it. */
static bool leads(const struct finder *f, const struct found *job, uint32_t event)
{
	return f->places.gives[event] &&
	       (head_at(f, event) || (!f->tasks->guarded[event] &&
				      f->seen[f->places.place[event]] == job->round));
}

/* The job that something from outside was received for, TL_TASK_NONE if it begins one. */
static uint32_t received_job(struct finder *f, uint32_t event, uint32_t before)
{
	const struct tl_task_event *all = f->tasks->trace->event;
	uint32_t asked = f->asked[event];

	if (asked != TL_TASK_NONE && all[asked].thread != all[event].thread)
		before = f->tasks->ends[asked];
	else if (asked == TL_TASK_NONE && !f->fresh[all[event].thread] &&
		 f->message[all[event].thread] != all[event].object)
		return TL_TASK_NONE;
	if (before == TL_TASK_NONE)
		return TL_TASK_NONE;
	if (asked == TL_TASK_NONE)
		f->found[f->tasks->leaf[before].job].outside = true;
	return f->tasks->leaf[before].job;
}

static bool from_outside(enum tl_task_op op)
{
	return op == TL_TASK_DEQ || op == TL_TASK_RECV;
}

/* That a thread has begun, and handed to somebody who tells it now that it may be answered. */
static bool comes_back(const struct finder *f, uint32_t job, uint32_t thread)
{
	return job != TL_TASK_NONE && f->found[job].thread == thread && !f->found[job].answered;
}

/*
 * The job that a thread is at work on after a wait: that of what it has received, unless another one
 * comes back. TL_TASK_NONE: that is no such wait, which @f knows after that.
 */
static uint32_t work_of(struct finder *f, uint32_t event, uint32_t handed)
{
	const struct tl_tasks *tasks = f->tasks;
	uint32_t leaf = f->at_work[event] == TL_TASK_NONE ? TL_TASK_NONE : tasks->begins[f->at_work[event]];

	if (leaf != TL_TASK_NONE && !comes_back(f, handed, tasks->trace->event[event].thread))
		return tasks->leaf[leaf].job;
	f->at_work[event] = TL_TASK_NONE;
	return TL_TASK_NONE;
}

/* @led: set to whether the leaf is only what led to a round's first operation. */
static uint32_t job_of(struct finder *f, const struct tl_task_leaf *leaf, bool *led)
{
	const struct tl_task_event *event = &f->tasks->trace->event[leaf->first];
	uint32_t before = f->tasks->ends[leaf->first], handed, job;
	bool takes = tl_task_takes(event->op) && !f->backward[leaf->first];

	*led = false;
	handed = f->backward[leaf->first] ? TL_TASK_NONE : handed_job(f->tasks, leaf->first);
	job = work_of(f, leaf->first, handed);
	if (job != TL_TASK_NONE)
		return job;
	if (handed != TL_TASK_NONE)
		return handed;
	if (event->op == TL_TASK_RECV && before != TL_TASK_NONE) {
		job = received_job(f, leaf->first, before);
		if (job != TL_TASK_NONE)
			return job;
	}
	if (takes || before == TL_TASK_NONE)
		return job_new(f, event->thread, from_outside(event->op));
	job = f->tasks->leaf[before].job;
	if (!may_end(&f->found[job], event->thread))
		return job;
	*led = !head_at(f, leaf->first) && leads(f, &f->found[job], leaf->last);
	return *led || (head_at(f, leaf->first) && !f->places.gives[leaf->first]) ?
	       job_new(f, event->thread, false) : job;
}

/* After a leaf that begins with an event. */
static void freshen(struct finder *f, uint32_t event)
{
	const struct tl_task_event *e = &f->tasks->trace->event[event];

	if (f->places.gives[event])
		f->message[e->thread] = TL_TASK_NONE;
	else if (e->op == TL_TASK_RECV)
		f->message[e->thread] = f->whole[e->object] ? TL_TASK_NONE : e->object;
	if (f->backward[event] || f->asked[event] != TL_TASK_NONE || f->at_work[event] != TL_TASK_NONE)
		return;
	if (tl_task_takes(e->op) || f->tasks->giver[event] != TL_TASK_NONE)
		f->fresh[e->thread] = e->op != TL_TASK_RECV;
}

static void jobs_find(struct finder *f)
{
	size_t i;

	for (i = 0; i < f->tasks->leaves; i++) {
		struct tl_task_leaf *leaf = &f->tasks->leaf[i];
		const struct tl_task_event *event = &f->tasks->trace->event[leaf->first];
		struct found *job;
		bool led;

		leaf->job = job_of(f, leaf, &led);
		freshen(f, leaf->first);
		job = &f->found[leaf->job];
		job->leaves++;
		if (event->thread == job->thread && !led)
			f->seen[f->places.place[leaf->first]] = job->round;
		job->answered |= tl_task_is_answer(f->tasks->trace, event);
		job->handed |= f->places.gives[leaf->first] || f->places.gives[leaf->last];
	}
}

/* Keep what are jobs, in the order in which they began. */
static int jobs_keep(struct finder *f)
{
	struct tl_tasks *tasks = f->tasks;
	uint32_t *number = calloc(f->jobs + 1, sizeof(*number));
	size_t i;

	tasks->job = calloc(f->jobs + 1, sizeof(*tasks->job));
	for (i = 0; i < f->jobs && number && tasks->job; i++) {
		number[i] = TL_TASK_NONE;
		if (!f->found[i].handed && !f->found[i].outside) {
			tasks->alone += f->found[i].leaves;
			continue;
		}
		number[i] = (uint32_t)tasks->jobs;
		tasks->job[tasks->jobs++].leaves = f->found[i].leaves;
	}
	for (i = 0; i < tasks->leaves && number; i++)
		tasks->leaf[i].job = number[tasks->leaf[i].job];
	free(number);
	return number && tasks->job ? 0 : -ENOMEM;
}

/* ---- types --------------------------------------------------------------------------- */

struct kinds {
	struct tl_ids sets; /* of points, as keys */
	uint64_t *jobs; /* [sets.n] that have one */
	uint32_t *type; /* [sets.n] */
	uint32_t common[RARE_SHARE]; /* sets that are not rare */
	size_t n_common;
};

static int number_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static size_t unique(uint32_t *number, size_t n)
{
	size_t i, kept = 0;

	if (n)
		qsort(number, n, sizeof(*number), number_compare);
	for (i = 0; i < n; i++)
		if (!kept || number[kept - 1] != number[i])
			number[kept++] = number[i];
	return kept;
}

/* The points of all jobs, one after the other; begin[job] is where each one's begin. */
static void points_by_job(const struct tl_tasks *tasks, uint32_t *point, size_t *begin)
{
	size_t i;

	tl_tasks_by_job(tasks, point, begin);
	for (i = 0; i < begin[tasks->jobs]; i++) {
		uint32_t first = tasks->leaf[point[i]].first;
		const struct tl_task_event *event = &tasks->trace->event[first];

		point[i] = tl_task_pause(tasks, first) || tasks->taking[first] ? TL_TASK_NONE :
			   event->stack * TL_TASK_OPS + (uint32_t)event->op;
	}
}

/* Waits are the highest of all points. */
static int sets_find(struct tl_tasks *tasks, struct kinds *kinds, uint32_t *point,
		     const size_t *begin)
{
	int code = 0;
	size_t i;

	for (i = 0; i < tasks->jobs && !code; i++) {
		size_t n = unique(point + begin[i], begin[i + 1] - begin[i]);

		n -= n && point[begin[i] + n - 1] == TL_TASK_NONE;
		code = tl_ids_of(&kinds->sets, point + begin[i], n * sizeof(*point),
				 &tasks->job[i].type);
	}
	kinds->jobs = code ? NULL : calloc(kinds->sets.n + 1, sizeof(*kinds->jobs));
	kinds->type = code ? NULL : calloc(kinds->sets.n + 1, sizeof(*kinds->type));
	for (i = 0; i < tasks->jobs && kinds->jobs; i++)
		kinds->jobs[tasks->job[i].type]++;
	return kinds->jobs && kinds->type ? 0 : -ENOMEM;
}

static uint32_t set_point(const struct kinds *kinds, uint32_t set, size_t at)
{
	uint32_t point;

	memcpy(&point, tl_ids_key(&kinds->sets, set, NULL) + at * sizeof(point), sizeof(point));
	return point;
}

static size_t set_size(const struct kinds *kinds, uint32_t set)
{
	size_t len;

	tl_ids_key(&kinds->sets, set, &len);
	return len / sizeof(uint32_t);
}

/* Common points as a part of all; 0 unless they are half of all or nearly all of the first's. */
static double likeness(const struct kinds *kinds, uint32_t a, uint32_t b)
{
	size_t n = set_size(kinds, a), m = set_size(kinds, b), i = 0, k = 0, common = 0;

	while (i < n && k < m) {
		uint32_t x = set_point(kinds, a, i), y = set_point(kinds, b, k);

		common += x == y;
		i += x <= y;
		k += y <= x;
	}
	if (!common || (3 * common < n + m && 10 * common < 9 * n))
		return 0;
	return (double)common / (double)(n + m - common);
}

static bool rare(const struct kinds *kinds, size_t jobs, uint32_t set)
{
	return kinds->jobs[set] <= 2 || kinds->jobs[set] * RARE_SHARE < jobs;
}

/* The set most like a rare one among those that are not; itself if none is. */
static uint32_t nearest(const struct kinds *kinds, uint32_t set)
{
	double most = 0, like;
	uint32_t best = set;
	size_t i;

	for (i = 0; i < kinds->n_common; i++) {
		like = likeness(kinds, set, kinds->common[i]);
		if (like > most) {
			best = kinds->common[i];
			most = like;
		}
	}
	return best;
}

static void types_number(struct tl_tasks *tasks, struct kinds *kinds)
{
	uint32_t set, like;

	/* Those that stay first, so that all others can be told theirs. */
	for (set = 0; set < kinds->sets.n; set++) {
		if (rare(kinds, tasks->jobs, set))
			continue;
		kinds->type[set] = (uint32_t)tasks->types++;
		kinds->common[kinds->n_common++] = set;
	}
	for (set = 0; set < kinds->sets.n; set++) {
		if (!rare(kinds, tasks->jobs, set))
			continue;
		like = nearest(kinds, set);
		kinds->type[set] = like == set ? (uint32_t)tasks->types++ : kinds->type[like];
	}
}

static int types(struct tl_tasks *tasks)
{
	uint32_t *point = calloc(tasks->leaves + 1, sizeof(*point));
	size_t *begin = calloc(tasks->jobs + 2, sizeof(*begin)), i;
	struct kinds kinds = { 0 };
	int code = -ENOMEM;

	if (point && begin) {
		points_by_job(tasks, point, begin);
		code = sets_find(tasks, &kinds, point, begin);
	}
	if (!code)
		types_number(tasks, &kinds);
	for (i = 0; i < tasks->jobs && !code; i++)
		tasks->job[i].type = kinds.type[tasks->job[i].type];
	tl_ids_free(&kinds.sets);
	free(kinds.jobs);
	free(kinds.type);
	free(point);
	free(begin);
	return code;
}

/**
 * tl_tasks_jobs() - Divide leaves into jobs, and jobs into types
 * @tasks: has its leaves and hand-offs; gets the jobs
 *
 * Return: 0 or -ENOMEM.
 */
int tl_tasks_jobs(struct tl_tasks *tasks)
{
	struct finder f = { .tasks = tasks };
	int code = -ENOMEM;

	f.found = calloc(tasks->leaves + 1, sizeof(*f.found));
	f.places.place = calloc(tasks->trace->n + 1, sizeof(*f.places.place));
	f.places.gives = calloc(tasks->trace->n + 1, sizeof(*f.places.gives));
	if (f.found && f.places.place && f.places.gives)
		code = places(&f);
	if (!code) {
		jobs_find(&f);
		code = jobs_keep(&f);
	}
	free(f.found);
	free(f.places.place);
	free(f.places.gives);
	free(f.seen);
	free(f.head);
	free(f.backward);
	free(f.asked);
	free(f.message);
	free(f.at_work);
	free(f.whole);
	free(f.fresh);
	return code ? code : types(tasks);
}
