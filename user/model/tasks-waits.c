// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where threads wait for each other: who is in the way, and who is in step (paper 002, 5.2)
 *
 * A sleep is the time before an event that the trace says the thread slept for. With N(t)
 * threads asleep for an object, a leaf that holds it from a to b costs the others ∫ N dt
 * over [a, b]: the class for which the sum of it is largest is what they wait for.
 *
 * Threads are in step if they stand still at the same times, at one place for one object: asleep for
 * it or, if it is locked, until they unlock it, as one of those who stand still there
 * together holds it. With f the part of the time T that each one stands still, T f_i f_j of
 * a pair's times would be common if neither knew of the other, and T min(f_i, f_j) are if one
 * never does without the other. Over all pairs
 *
 *   together = (∫ N (N - 1) / 2 dt - T Σ f_i f_j) / (T Σ min(f_i, f_j) - T Σ f_i f_j)
 *
 * is 1 for threads that are in step, 0 for independent ones, and below for those that take
 * turns. It does not depend on how many threads there are, nor on how long they stand still. A
 * mutex that is merely busy gives little: what comes between two uses is each thread's own.
 */
#include "tasks-waits.h"

#include "tasks-figures.h"

#include <errno.h>
#include <stdlib.h>

#define STEP_SLEEPS 5 /* of a thread, at least: fewer may fall together by chance */
#define STEP_TOGETHER 0.5
#define STEP_SHARE 0.01 /* of the trace, below which nobody is held up */
#define HELD_LEAVES 1000 /* that are looked at while a thread holds an object */

struct sleep {
	int64_t begin, end, until; /* sleeps, and stands still */
	uint32_t event, object, class, thread;
};

/* A time at which a thread falls asleep or wakes; with what is true from there on. */
struct edge {
	int64_t time;
	double area; /* ∫ N dt until it */
	int32_t change, level;
};

struct waiter {
	const struct tl_tasks *tasks;
	struct tl_task_waits *waits;
	struct sleep *sleep; /* [n] */
	size_t n;
	struct edge *edge; /* [2 n] */
	size_t edges;
	uint32_t *at; /* [n]: events of an object */
	size_t *begin; /* [objects + 1] in by_object */
	uint32_t *by_object; /* [events] */
	double *cost; /* [classes] ns */
	uint32_t *touched; /* [classes] */
	uint32_t *mark; /* [threads] */
	double *share; /* [threads] */
};

/* ---- sleeps -------------------------------------------------------------------------- */

static int64_t trace_begin(const struct tl_task_trace *t)
{
	return t->n ? t->event[0].time_ns : 0;
}

static int64_t trace_ns(const struct tl_task_trace *t)
{
	return t->n ? t->event[t->n - 1].time_ns - t->event[0].time_ns : 0;
}

static int sleep_compare(const void *a, const void *b)
{
	const struct sleep *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* When a leaf ends, or its thread falls asleep: a condition gives the mutex back. */
static int64_t awake_until(const struct tl_task_event *last)
{
	return last->op == TL_TASK_WAIT && last->wait_ns > 0 ? last->time_ns - last->wait_ns : last->time_ns;
}

/* When the thread does anything to the object again, or sleeps for something else. */
static int64_t held_until(const struct tl_tasks *tasks, uint32_t event)
{
	const struct tl_task_event *e = tasks->trace->event;
	uint32_t leaf = tasks->begins[event], last = event;
	size_t n;

	for (n = 0; leaf != TL_TASK_NONE && n < HELD_LEAVES; n++) {
		last = tasks->leaf[leaf].last;
		if (e[last].object == e[event].object || e[last].op == TL_TASK_WAIT)
			break;
		leaf = tasks->leaf[leaf].next;
	}
	return awake_until(&e[last]);
}

/* Of locks those are taken, too, that nobody slept for. */
static void sleep_add(struct waiter *w, uint32_t event)
{
	const struct tl_task_trace *t = w->tasks->trace;
	const struct tl_task_event *e = &t->event[event];
	uint32_t leaf = w->tasks->ends[event];
	int64_t begin = e->time_ns, first = trace_begin(t), until = e->time_ns;

	if (leaf != TL_TASK_NONE)
		first = t->event[w->tasks->leaf[leaf].first].time_ns;
	if (e->wait_ns > 0 && first < e->time_ns)
		begin = e->time_ns - e->wait_ns > first ? e->time_ns - e->wait_ns : first;
	if (e->op == TL_TASK_LOCK)
		until = held_until(w->tasks, event);
	if (begin >= until)
		return;
	w->sleep[w->n++] = (struct sleep){
		.begin = begin, .end = e->time_ns, .until = until, .event = event, .object = e->object,
		.class = leaf == TL_TASK_NONE ? TL_TASK_NONE : w->tasks->leaf[leaf].class,
		.thread = e->thread };
}

/* By object, class, thread and time. A sleep begins no earlier than its leaf. */
static void sleeps_find(struct waiter *w)
{
	const struct tl_task_trace *t = w->tasks->trace;
	size_t i;

	for (i = 0; i < t->n; i++) {
		w->waits->known |= t->event[i].wait_ns >= 0;
		sleep_add(w, (uint32_t)i);
	}
	if (w->n)
		qsort(w->sleep, w->n, sizeof(*w->sleep), sleep_compare);
}

/* ---- how many sleep ------------------------------------------------------------------ */

static int edge_compare(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static void edge_add(struct waiter *w, int64_t begin, int64_t end)
{
	if (begin >= end)
		return;
	w->edge[w->edges++] = (struct edge){ .time = begin, .change = 1 };
	w->edge[w->edges++] = (struct edge){ .time = end, .change = -1 };
}

/* Return: the time during which so many at least do. */
static int64_t edges_order(struct waiter *w, int32_t least)
{
	int64_t waited = 0;
	int32_t level = 0;
	double area = 0;
	size_t i;

	if (w->edges)
		qsort(w->edge, w->edges, sizeof(*w->edge), edge_compare);
	for (i = 0; i < w->edges; i++) {
		int64_t since = i ? w->edge[i].time - w->edge[i - 1].time : 0;

		area += (double)level * (double)since;
		waited += level >= least ? since : 0;
		level += w->edge[i].change;
		w->edge[i].area = area;
		w->edge[i].level = level;
	}
	return waited;
}

/* Σ of sleep until a time. */
static double area_until(const struct waiter *w, int64_t time)
{
	size_t low = 0, high = w->edges, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (w->edge[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	return w->edge[low - 1].area + (double)w->edge[low - 1].level * (double)(time - w->edge[low - 1].time);
}

/* Σ over pairs of the time that both sleep. */
static double pairs_asleep(const struct waiter *w)
{
	double sum = 0;
	size_t i;

	for (i = 1; i < w->edges; i++) {
		double level = w->edge[i - 1].level;

		sum += level * (level - 1) / 2 * (double)(w->edge[i].time - w->edge[i - 1].time);
	}
	return sum;
}

/* ---- who is in the way --------------------------------------------------------------- */

/* Leaves from one that locks to the one that does anything to the object again. */
static size_t held_add(struct waiter *w, uint32_t event, size_t touched)
{
	const struct tl_task_event *e = w->tasks->trace->event;
	uint32_t leaf = w->tasks->begins[event];
	size_t n;

	for (n = 0; leaf != TL_TASK_NONE && n < HELD_LEAVES; n++) {
		const struct tl_task_leaf *l = &w->tasks->leaf[leaf];
		double cost = area_until(w, awake_until(&e[l->last])) - area_until(w, e[l->first].time_ns);

		if (cost > 0) {
			if (w->cost[l->class] <= 0)
				w->touched[touched++] = l->class;
			w->cost[l->class] += cost;
		}
		if (e[l->last].object == e[event].object)
			break;
		leaf = l->next;
	}
	return touched;
}

static void holder_find(struct waiter *w, uint32_t object, struct tl_task_contention *c)
{
	size_t touched = 0, i;

	for (i = w->begin[object]; i < w->begin[object + 1]; i++)
		if (w->tasks->trace->event[w->by_object[i]].op == TL_TASK_LOCK)
			touched = held_add(w, w->by_object[i], touched);
	for (i = 0; i < touched; i++) {
		double *cost = &w->cost[w->touched[i]];

		c->held_ns += *cost;
		if (*cost > c->holder_ns) {
			c->holder_ns = *cost;
			c->holder = w->touched[i];
		}
		*cost = 0;
	}
}

static void object_add(struct waiter *w, const struct sleep *sleep, size_t n)
{
	struct tl_task_contention *c = &w->waits->object[sleep->object];
	size_t i;

	w->edges = 0;
	for (i = 0; i < n; i++) {
		if (sleep[i].begin >= sleep[i].end)
			continue;
		edge_add(w, sleep[i].begin, sleep[i].end);
		c->waits++;
		c->wait_ns = tl_task_ns_sum(c->wait_ns, sleep[i].end - sleep[i].begin);
		c->threads += w->mark[sleep[i].thread] != sleep->object;
		w->mark[sleep[i].thread] = sleep->object;
	}
	c->waited_ns = edges_order(w, 1);
	if (w->edges)
		holder_find(w, sleep->object, c);
}

/* ---- who is in step ------------------------------------------------------------------ */

static int share_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* @share: [n] part of the time that each thread sleeps; sorted. */
static double together(const struct waiter *w, double *share, size_t n)
{
	double ns = (double)trace_ns(w->tasks->trace), sum = 0, squares = 0, most = 0, chance;
	size_t i;

	qsort(share, n, sizeof(*share), share_compare);
	for (i = 0; i < n; i++) {
		sum += share[i];
		squares += share[i] * share[i];
		most += share[i] * (double)(n - 1 - i);
	}
	chance = (sum * sum - squares) / 2;
	return most - chance > 1e-9 ? (pairs_asleep(w) / ns - chance) / (most - chance) : 0;
}

/* Whether a thread may have slept for a job: its next leaf is part of another. */
static bool another_job(const struct tl_tasks *tasks, uint32_t event)
{
	uint32_t before = tasks->ends[event], after = tasks->begins[event];

	if (tasks->trace->event[event].op == TL_TASK_LOCK)
		return false;
	return before == TL_TASK_NONE || after == TL_TASK_NONE ||
	       tasks->leaf[before].job != tasks->leaf[after].job;
}

static int step_room(struct tl_task_waits *waits, size_t threads)
{
	size_t steps = waits->step_room ? 2 * waits->step_room : 16;
	size_t room = 2 * waits->thread_room + threads;
	struct tl_task_step *step;
	uint32_t *thread;

	if (waits->steps == waits->step_room) {
		step = reallocarray(waits->step, steps, sizeof(*step));
		if (!step)
			return -ENOMEM;
		waits->step = step;
		waits->step_room = steps;
	}
	if (waits->threads + threads > waits->thread_room) {
		thread = reallocarray(waits->thread, room, sizeof(*thread));
		if (!thread)
			return -ENOMEM;
		waits->thread = thread;
		waits->thread_room = room;
	}
	return 0;
}

/* How many sleeps from the first on are the same thread's. */
static size_t thread_sleeps(const struct sleep *sleep, size_t n)
{
	size_t i;

	for (i = 1; i < n && sleep[i].thread == sleep->thread; i++)
		;
	return i;
}

/* Leave those of threads that sleep too seldom. Return: how many threads are left. */
static size_t threads_keep(struct waiter *w, struct sleep *sleep, size_t *n)
{
	double ns = (double)trace_ns(w->tasks->trace);
	size_t i, k, one, kept = 0, threads = 0;

	for (i = 0; i < *n; i += one) {
		one = thread_sleeps(sleep + i, *n - i);
		if (one < STEP_SLEEPS)
			continue;
		w->share[threads] = 0;
		w->mark[threads++] = sleep[i].thread;
		for (k = i; k < i + one; k++) {
			w->share[threads - 1] += (double)(sleep[k].until - sleep[k].begin) / ns;
			sleep[kept++] = sleep[k];
		}
	}
	*n = kept;
	return threads;
}

/* @sleep: [n] of one class for one object, by thread; what is no part of a step is lost. */
static int step_add(struct waiter *w, struct sleep *sleep, size_t n)
{
	struct tl_task_step step = { .object = sleep->object, .class = sleep->class,
				     .thread = w->waits->threads };
	double least = STEP_SHARE * (double)trace_ns(w->tasks->trace);
	size_t i, another = 0;

	step.threads = sleep->class == TL_TASK_NONE ? 0 : threads_keep(w, sleep, &n);
	if (step.threads < 2)
		return 0;
	w->edges = 0;
	for (i = 0; i < n; i++)
		edge_add(w, sleep[i].begin, sleep[i].until);
	step.waited_ns = edges_order(w, 2);
	step.together = together(w, w->share, step.threads);
	if (step.together < STEP_TOGETHER || (double)step.waited_ns < least ||
	    (double)w->waits->object[sleep->object].waited_ns < least)
		return 0;
	for (i = 0; i < n; i++)
		another += another_job(w->tasks, sleep[i].event);
	step.between_jobs = 2 * another > n;
	if (step_room(w->waits, step.threads))
		return -ENOMEM;
	for (i = 0; i < step.threads; i++)
		w->waits->thread[w->waits->threads++] = w->mark[i];
	w->waits->step[w->waits->steps++] = step;
	return 0;
}

/* ---- all of them --------------------------------------------------------------------- */

static size_t same(const struct waiter *w, size_t from, bool class)
{
	size_t i;

	for (i = from + 1; i < w->n && w->sleep[i].object == w->sleep[from].object &&
			   (!class || w->sleep[i].class == w->sleep[from].class); i++)
		;
	return i - from;
}

static int all_add(struct waiter *w)
{
	size_t i, n;
	int code = 0;

	tl_tasks_by_object(w->tasks->trace, w->by_object, w->begin);
	sleeps_find(w);
	for (i = 0; i < w->tasks->trace->objects; i++)
		w->waits->object[i].holder = TL_TASK_NONE;
	for (i = 0; i < w->tasks->trace->threads; i++)
		w->mark[i] = TL_TASK_NONE;
	for (i = 0; i < w->n; i += n) {
		n = same(w, i, false);
		object_add(w, w->sleep + i, n);
	}
	for (i = 0; i < w->n && trace_ns(w->tasks->trace) > 0 && !code; i += n) {
		n = same(w, i, true);
		code = step_add(w, w->sleep + i, n);
	}
	return code;
}

/**
 * tl_tasks_waits() - Find where threads wait for each other
 * @tasks: has leaves and jobs
 * @waits: written; to be freed by tl_tasks_waits_free(), also after a failure
 *
 * Return: 0 or -ENOMEM.
 */
int tl_tasks_waits(const struct tl_tasks *tasks, struct tl_task_waits *waits)
{
	const struct tl_task_trace *t = tasks->trace;
	struct waiter w = { .tasks = tasks, .waits = waits };
	int code = -ENOMEM;

	*waits = (struct tl_task_waits){ .object = calloc(t->objects + 1, sizeof(*waits->object)) };
	w.sleep = calloc(t->n + 1, sizeof(*w.sleep));
	w.edge = calloc(2 * t->n + 1, sizeof(*w.edge));
	w.begin = calloc(t->objects + 2, sizeof(*w.begin));
	w.by_object = calloc(t->n + 1, sizeof(*w.by_object));
	w.cost = calloc(tasks->classes + 1, sizeof(*w.cost));
	w.touched = calloc(tasks->classes + 1, sizeof(*w.touched));
	w.mark = calloc(t->threads + 1, sizeof(*w.mark));
	w.share = calloc(t->threads + 1, sizeof(*w.share));
	if (waits->object && w.sleep && w.edge && w.begin && w.by_object && w.cost && w.touched &&
	    w.mark && w.share)
		code = all_add(&w);
	free(w.sleep);
	free(w.edge);
	free(w.begin);
	free(w.by_object);
	free(w.cost);
	free(w.touched);
	free(w.mark);
	free(w.share);
	return code;
}

/**
 * tl_tasks_waits_free() - Free what was found of waits
 * @waits: they
 */
void tl_tasks_waits_free(struct tl_task_waits *waits)
{
	free(waits->object);
	free(waits->step);
	free(waits->thread);
	*waits = (struct tl_task_waits){ 0 };
}
