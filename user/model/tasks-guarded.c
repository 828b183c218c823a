// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Queues that nobody sees: things that are put and taken with a mutex held, and a condition
 * that is waited for while there are none
 *
 * Who finds something there takes it without waiting, so that no signal tells what he has
 * and from whom. But he comes by the same way as who has to wait: a visit is what a thread does
 * from locking the mutex to unlocking it for good, and those that lock it with the stack of one that
 * waited take one thing each. What is signalled with the mutex held, or right after, was
 * put. Visits exclude each other, so the order of both is known, and the first thing put is the
 * first one taken.
 *
 * That this is what the condition is for shows in two ways: nothing is taken that was not put,
 * and who begins to wait does so when there is nothing. If more than a few do otherwise, it is
 * something else. What was lost makes the count wrong until the next one waits, who tells
 * that it is zero.
 *
 * Who was woken may find that another one was quicker, and go without anything to begin again. Then a
 * thread that has taken something leaves by another way than one that has not: if not all visits can
 * have taken something, those that end with one stack are looked at by themselves.
 *
 * Where several conditions have one mutex, one may be for room, which is signalled and taken in
 * the same way, but for that there is some at first: then nothing may look wrong. What is seen
 * to be put and taken needs no such guess.
 */
#include "tasks-match.h"

#include "ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WRONG_SHARE 100 /* one of so many takings may look wrong, and a few */
#define WRONG_FEW 2
#define WAYS_MAX 4 /* that visits may end, the most frequent ones */
#define SEEN_SHARE 10 /* one of so many may take from a queue that is seen as well */

enum what { PUT, TAKE, EMPTY };

/* What happened to the things, in order. */
struct step {
	uint32_t at, event; /* event that gives its place; and the one that hands on or is handed to */
	uint32_t lock, unlock; /* that the visit began and ended with */
	enum what what;
};

/* A thread's visit. */
struct visit {
	uint32_t lock, wait; /* TL_TASK_NONE: it is none, it has not waited */
	uint32_t last; /* lock of the mutex, after which it holds that to its end */
	uint32_t unlocked; /* at the end of the one before, or TL_TASK_NONE */
};

struct guarded {
	const struct tl_tasks *tasks;
	const struct tl_task_event *event;
	uint32_t mutex, condition;
	struct visit *visit; /* [threads] */
	struct step *step;
	size_t n;
	bool *place; /* [stacks] from which somebody has waited */
	uint32_t *thing; /* put and not taken yet: those from the head on */
	size_t head, things, takes, wrong;
	size_t seen; /* takings from a queue that is seen */
	size_t early; /* visits that had begun before the recording, and may have taken something */
	bool others; /* conditions have this mutex */
	uint32_t way; /* the stack that a visit ends with that has taken something, TL_TASK_NONE: all have */
};

static uint32_t leaf_end(const struct guarded *g, uint32_t leaf, bool first)
{
	if (leaf == TL_TASK_NONE)
		return TL_TASK_NONE;
	return first ? g->tasks->leaf[leaf].first : g->tasks->leaf[leaf].last;
}

static bool waits(const struct guarded *g, uint32_t event, uint32_t object)
{
	return event != TL_TASK_NONE && g->event[event].op == TL_TASK_WAIT &&
	       (object == TL_TASK_NONE || g->event[event].object == object);
}

static void add(struct guarded *g, enum what what, uint32_t at, uint32_t event, uint32_t lock)
{
	g->step[g->n++] = (struct step){ at, event, lock, at, what };
}

/* ---- what happened --------------------------------------------------------------------- */

static void locks(struct guarded *g, uint32_t e)
{
	struct visit *visit = &g->visit[g->event[e].thread];

	visit->last = e;
	/* After a wait it goes on. */
	if (visit->lock != TL_TASK_NONE && waits(g, leaf_end(g, g->tasks->ends[e], true), TL_TASK_NONE))
		return;
	visit->lock = e;
	visit->wait = TL_TASK_NONE;
}

static bool takes_seen(const struct guarded *g, uint32_t lock)
{
	uint32_t next = leaf_end(g, g->tasks->begins[lock], false);

	return next != TL_TASK_NONE && (g->event[next].op == TL_TASK_DEQ || g->event[next].op == TL_TASK_RECV);
}

/* Whether it is a condition's wait that gave the mutex back: who waits for something else goes on elsewhere. */
static bool gives_back(const struct guarded *g, uint32_t wait)
{
	uint32_t next = leaf_end(g, g->tasks->begins[wait], false);

	return next != TL_TASK_NONE && g->event[next].op == TL_TASK_LOCK &&
	       g->event[next].object == g->mutex && g->event[next].stack == g->event[wait].stack;
}

static void unlocks(struct guarded *g, uint32_t e)
{
	struct visit *visit = &g->visit[g->event[e].thread];
	uint32_t next = leaf_end(g, g->tasks->begins[e], false);

	if (visit->lock == TL_TASK_NONE) {
		g->early += visit->unlocked == TL_TASK_NONE;
		visit->unlocked = e;
		return;
	}
	if (waits(g, next, g->condition)) {
		add(g, EMPTY, e, e, visit->lock);
		return;
	}
	if (waits(g, next, TL_TASK_NONE) && gives_back(g, next)) {
		g->others |= g->event[next].object != g->mutex;
		return;
	}
	/* Who is not seen again, or ends, may wait. */
	if (next == TL_TASK_NONE || g->event[next].op == TL_TASK_EXIT) {
		visit->lock = TL_TASK_NONE;
		return;
	}
	add(g, TAKE, e, visit->wait == TL_TASK_NONE ? visit->lock : visit->wait, visit->lock);
	g->seen += takes_seen(g, visit->last);
	visit->lock = TL_TASK_NONE;
	visit->unlocked = e;
}

static void signals(struct guarded *g, uint32_t e)
{
	const struct visit *visit = &g->visit[g->event[e].thread];
	uint32_t before = leaf_end(g, g->tasks->ends[e], true);
	bool right_after = visit->lock == TL_TASK_NONE && before != TL_TASK_NONE && before == visit->unlocked;

	add(g, PUT, right_after ? before : e, e, TL_TASK_NONE);
}

static void waited(struct guarded *g, uint32_t e)
{
	struct visit *visit = &g->visit[g->event[e].thread];

	if (visit->lock == TL_TASK_NONE)
		return;
	visit->wait = e;
	g->place[g->event[visit->lock].stack] = true;
}

static void look(struct guarded *g, uint32_t e)
{
	enum tl_task_op op = g->event[e].op;

	if (g->event[e].object == g->mutex && op == TL_TASK_LOCK)
		locks(g, e);
	else if (g->event[e].object == g->mutex && op == TL_TASK_UNLOCK)
		unlocks(g, e);
	else if (g->event[e].object == g->condition && op == TL_TASK_SIGNAL)
		signals(g, e);
	else if (g->event[e].object == g->condition && op == TL_TASK_WAIT)
		waited(g, e);
}

static int step_compare(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	/* A visit that gives right after it does not take what it gives. */
	return x->what == y->what ? 0 : x->what == TAKE ? -1 : y->what == TAKE ? 1 : (int)x->what - (int)y->what;
}

/* Events of both objects by time. */
static void look_at_all(struct guarded *g, const struct tl_task_of *mutex, const struct tl_task_of *condition)
{
	size_t i = 0, k = 0;

	while (i < mutex->n || k < condition->n) {
		if (k == condition->n || (i < mutex->n && mutex->at[i] < condition->at[k]))
			look(g, mutex->at[i++]);
		else
			look(g, condition->at[k++]);
	}
	if (g->n)
		qsort(g->step, g->n, sizeof(*g->step), step_compare);
}

/* ---- who took what ----------------------------------------------------------------------- */

static bool comes_to_take(const struct guarded *g, const struct step *step)
{
	return step->what == TAKE && g->place[g->event[step->lock].stack];
}

/* Return: who put what is taken, or TL_TASK_NONE. */
static uint32_t take(struct guarded *g, const struct step *step)
{
	if (!comes_to_take(g, step) || (g->way != TL_TASK_NONE && g->event[step->unlock].stack != g->way))
		return TL_TASK_NONE;
	g->takes++;
	if (g->head < g->things)
		return g->thing[g->head++];
	g->wrong++;
	return TL_TASK_NONE;
}

static void follow(struct guarded *g, uint32_t *giver)
{
	size_t i;

	g->head = g->things = g->takes = g->wrong = 0;
	for (i = 0; i < g->n; i++) {
		const struct step *step = &g->step[i];

		giver[i] = TL_TASK_NONE;
		if (step->what == PUT) {
			g->thing[g->things++] = step->event;
		} else if (step->what == TAKE) {
			giver[i] = take(g, step);
		} else {
			/* Now nothing is there. */
			g->wrong += g->head < g->things;
			g->head = g->things;
		}
	}
}

static bool believed(const struct guarded *g)
{
	double lost = (double)g->tasks->lost / (double)(g->tasks->lost + g->tasks->trace->n);
	double few = g->others ? 0 : (double)g->takes / WRONG_SHARE + WRONG_FEW + (double)g->early;

	return g->takes && g->seen * SEEN_SHARE <= g->takes &&
	       (double)g->wrong <= (double)g->takes * 4 * lost + few;
}

/* Of the stacks that visits end with, the most frequent ones. Return: how many. */
static size_t ways(const struct guarded *g, uint32_t way[WAYS_MAX])
{
	struct { uint32_t stack; size_t n; } seen[4 * WAYS_MAX] = { 0 }, next;
	size_t n = 0, i, k;

	for (i = 0; i < g->n; i++) {
		uint32_t stack = g->event[g->step[i].unlock].stack;

		if (!comes_to_take(g, &g->step[i]))
			continue;
		for (k = 0; k < n && seen[k].stack != stack; k++)
			;
		if (k == n && n < sizeof(seen) / sizeof(*seen))
			seen[n++].stack = stack;
		if (k < n)
			seen[k].n++;
		/* The most frequent ones stay in front. */
		for (; k < n && k && seen[k - 1].n < seen[k].n; k--) {
			next = seen[k];
			seen[k] = seen[k - 1];
			seen[k - 1] = next;
		}
	}
	n = n < WAYS_MAX ? n : WAYS_MAX;
	for (i = 0; i < n; i++)
		way[i] = seen[i].stack;
	return n;
}

/* Whether it is a queue, and in @giver who put what. */
static bool find(struct guarded *g, uint32_t *giver)
{
	uint32_t way[WAYS_MAX];
	size_t n, i;

	g->way = TL_TASK_NONE;
	follow(g, giver);
	if (believed(g))
		return true;
	n = ways(g, way);
	for (i = 0; i < n && n > 1; i++) {
		g->way = way[i];
		follow(g, giver);
		if (believed(g))
			return true;
	}
	return false;
}

static void mark_taking(const struct guarded *g, struct tl_tasks *tasks, const struct tl_task_of *mutex)
{
	size_t i;

	for (i = 0; i < mutex->n; i++) {
		const struct tl_task_event *event = &g->event[mutex->at[i]];

		tasks->taking[mutex->at[i]] |= event->op == TL_TASK_LOCK && g->place[event->stack];
	}
}

static int hand_on(struct guarded *g, struct tl_tasks *tasks, const uint32_t *giver, struct tl_task_object *object)
{
	size_t i;
	int code = 0;

	object->use = TL_TASK_USE_GUARDED;
	object->given = g->things;
	object->taken = g->takes;
	object->corrections = g->wrong;
	for (i = 0; i < g->n && !code; i++) {
		const struct step *step = &g->step[i];

		if (giver[i] == TL_TASK_NONE)
			continue;
		object->matched++;
		code = tl_task_handoff_add(tasks, giver[i], step->event);
	}
	return code;
}

/**
 * tl_task_guarded() - Match what is put and taken with a mutex held
 * @tasks: tasks
 * @mutex: events of the mutex that is given back by those who wait for the condition
 * @condition: events of the condition
 * @is: set to whether that is what it is for; else nothing was done
 *
 * Return: 0 or -ENOMEM.
 */
int tl_task_guarded(struct tl_tasks *tasks, const struct tl_task_of *mutex, const struct tl_task_of *condition,
		    bool *is)
{
	const struct tl_task_trace *t = tasks->trace;
	struct guarded g = { .tasks = tasks, .event = t->event, .mutex = mutex->object, .condition = condition->object };
	uint32_t *giver = calloc(mutex->n + condition->n + 1, sizeof(*giver));
	int code = -ENOMEM;
	size_t i;

	*is = false;
	g.visit = calloc(t->threads + 1, sizeof(*g.visit));
	g.step = calloc(mutex->n + condition->n + 1, sizeof(*g.step));
	g.place = calloc(t->stacks + 1, sizeof(*g.place));
	g.thing = calloc(condition->n + 1, sizeof(*g.thing));
	if (giver && g.visit && g.step && g.place && g.thing) {
		for (i = 0; i < t->threads; i++)
			g.visit[i] = (struct visit){ TL_TASK_NONE, TL_TASK_NONE, TL_TASK_NONE, TL_TASK_NONE };
		look_at_all(&g, mutex, condition);
		*is = find(&g, giver);
		if (*is)
			mark_taking(&g, tasks, mutex);
		code = *is ? hand_on(&g, tasks, giver, &tasks->object[condition->object]) : 0;
	}
	free(giver);
	free(g.visit);
	free(g.step);
	free(g.place);
	free(g.thing);
	return code;
}
