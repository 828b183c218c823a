// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the rounds of a thread begin that makes work for others
 *
 * Nothing is handed to it that would tell. Cut wherever an operation on some object comes
 * again, its sync points fall into rounds; cut at the right one, rounds are alike, as each
 * makes one job: there are as many sets of sync points as types of jobs, and more if rounds
 * have the end of one job and the beginning of the next. So of all operations the one is
 * taken for the head that makes the fewest different sets; of those, the one with the longest
 * time before it, as threads sleep or wait for their clients between rounds. No round begins
 * while a mutex is held, or with a wait.
 */
#include "tasks-match.h"

#include "ids.h"

#include <errno.h>
#include <stdlib.h>

#define CANDIDATES 16 /* operations of a thread that are tried, the first that it does */

/* What cutting at a place makes of a thread. */
struct cut {
	uint32_t place;
	uint64_t sets, rounds;
	int64_t before_ns;
};

struct rounds {
	const struct tl_tasks *tasks;
	const struct tl_task_places *places;
	uint32_t *point; /* [events] operation and stack, by number */
	uint32_t *stamp; /* [points] the round that had it last */
	uint32_t round;
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 31)) * 0x7fb5d329728ea185ULL;
	x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44dULL;
	return x ^ (x >> 33);
}

/* The thread's event after this one, or TL_TASK_NONE. */
static uint32_t after(const struct tl_tasks *tasks, uint32_t event)
{
	uint32_t leaf = tasks->begins[event];

	return leaf == TL_TASK_NONE ? TL_TASK_NONE : tasks->leaf[leaf].last;
}

static int round_end(struct rounds *r, struct tl_ids *sets, uint64_t *set)
{
	uint32_t unused;

	r->round++;
	if (tl_ids_of(sets, set, sizeof(*set), &unused))
		return -ENOMEM;
	*set = 0;
	return 0;
}

static void point_add(struct rounds *r, uint32_t event, uint64_t *set)
{
	uint32_t point = r->point[event];

	if (tl_task_pause(r->tasks, event) || r->stamp[point] == r->round)
		return;
	r->stamp[point] = r->round;
	*set += mix(point + 1);
}

/* The last round is not whole, and counts for nothing; nor does what is before the first. */
static int cut_try(struct rounds *r, uint32_t first, struct cut *cut)
{
	const struct tl_task_event *event = r->tasks->trace->event;
	bool handed = false, begun = false;
	uint32_t e, before = first;
	struct tl_ids sets = { 0 };
	uint64_t set = 0;
	int code = 0;

	for (e = first; e != TL_TASK_NONE && !code; before = e, e = after(r->tasks, e)) {
		if (r->places->place[e] == cut->place && (handed || !begun)) {
			cut->before_ns += event[e].time_ns - event[before].time_ns;
			cut->rounds += begun;
			if (begun)
				code = round_end(r, &sets, &set);
			begun = true;
			handed = false;
		}
		if (begun)
			point_add(r, e, &set);
		handed |= r->places->gives[e];
	}
	r->round++;
	cut->sets = sets.n;
	tl_ids_free(&sets);
	return code;
}

static bool better(const struct cut *a, const struct cut *b)
{
	if (!a->rounds || !b->rounds)
		return a->rounds > b->rounds;
	if (a->sets != b->sets)
		return a->sets < b->sets;
	return (double)a->before_ns / (double)a->rounds > (double)b->before_ns / (double)b->rounds;
}

static size_t candidates(const struct rounds *r, uint32_t first, struct cut *cut)
{
	const struct tl_tasks *tasks = r->tasks;
	size_t n = 0, i;
	uint32_t e;

	for (e = first; e != TL_TASK_NONE && n < CANDIDATES; e = after(tasks, e)) {
		if (tasks->guarded[e] || tl_task_takes(tasks->trace->event[e].op) ||
		    tasks->trace->event[e].op == TL_TASK_UNLOCK || tl_task_pause(tasks, e))
			continue;
		for (i = 0; i < n && cut[i].place != r->places->place[e]; i++)
			;
		if (i == n)
			cut[n++] = (struct cut){ .place = r->places->place[e] };
	}
	return n;
}

static int thread_head(struct rounds *r, uint32_t first, uint32_t *head)
{
	struct cut cut[CANDIDATES];
	size_t n = candidates(r, first, cut), best = 0, i;
	int code = 0;

	for (i = 0; i < n && !code; i++) {
		code = cut_try(r, first, &cut[i]);
		best = better(&cut[i], &cut[best]) ? i : best;
	}
	*head = n && cut[best].rounds ? cut[best].place : TL_TASK_NONE;
	return code;
}

static int points(struct rounds *r)
{
	const struct tl_task_trace *t = r->tasks->trace;
	struct tl_ids ids = { 0 };
	int code = 0;
	size_t i;

	for (i = 0; i < t->n && !code; i++) {
		const uint32_t key[2] = { t->event[i].op, t->event[i].stack };

		code = tl_ids_of(&ids, key, sizeof(key), &r->point[i]);
	}
	r->stamp = code ? NULL : calloc(ids.n + 1, sizeof(*r->stamp));
	tl_ids_free(&ids);
	return r->stamp ? 0 : -ENOMEM;
}

/**
 * tl_task_heads() - Find the operations that the rounds of threads begin with
 * @tasks: has leaves and hand-offs
 * @places: what was done where, and which of it hands on
 * @head: [threads] written: the place, TL_TASK_NONE if there are no rounds
 *
 * Return: 0 or -ENOMEM.
 */
int tl_task_heads(const struct tl_tasks *tasks, const struct tl_task_places *places,
		  uint32_t *head)
{
	struct rounds r = { .tasks = tasks, .places = places, .round = 1 };
	int code = -ENOMEM;
	size_t i;

	for (i = 0; i < tasks->trace->threads; i++)
		head[i] = TL_TASK_NONE;
	r.point = calloc(tasks->trace->n + 1, sizeof(*r.point));
	if (r.point)
		code = points(&r);
	/* A thread's first event is the one that no leaf ends with. */
	for (i = 0; i < tasks->trace->n && !code; i++)
		if (tasks->ends[i] == TL_TASK_NONE)
			code = thread_head(&r, (uint32_t)i, &head[tasks->trace->event[i].thread]);
	free(r.point);
	free(r.stamp);
	return code;
}
