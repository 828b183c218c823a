// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What threads do after what they did, where it is certain that nothing was lost between
 *
 * Threads go through the same code again and again, so that what comes after two sync points is
 * nearly always one of very few. It is learned where no number of an event is missing from the
 * first to the last. That is so less often the more events of others are between, by 1 - lost
 * for each, so each counts for as many as were missed on the average: else what takes
 * long would seem to be rare.
 */
#include "tasks-habits.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define WEIGHT_MAX 1000 /* that one counts for at most */
#define BACK_OFF 2 /* times that what follows one point counts beside what follows two */
#define NEVER 1e-5 /* what was not seen is this likely */
#define ANY UINT32_MAX

/**
 * tl_task_missing() - How many events are missing between two
 * @trace: events
 * @from: one of them
 * @to: a later one
 *
 * Return: how many.
 */
uint64_t tl_task_missing(const struct tl_task_trace *trace, uint32_t from, uint32_t to)
{
	return trace->event[to].seq - trace->event[from].seq - (to - from);
}

static int points_find(struct tl_task_habits *h)
{
	const struct tl_task_trace *t = h->trace;
	struct tl_ids ids = { 0 };
	int code = 0;
	size_t i;

	for (i = 0; i < t->n && !code; i++) {
		const uint32_t key[3] = { t->event[i].op, t->event[i].object, t->event[i].stack };

		code = tl_ids_of(&ids, key, sizeof(key), &h->point[i]);
	}
	h->points = ids.n;
	tl_ids_free(&ids);
	h->example = calloc(h->points + 1, sizeof(*h->example));
	h->usual = calloc(h->points + 1, TL_TASK_USUAL * sizeof(*h->usual));
	if (code || !h->example || !h->usual)
		return -ENOMEM;
	for (i = 0; i < t->n; i++)
		h->example[h->point[i]] = (uint32_t)i;
	return 0;
}

static int befores_find(struct tl_task_habits *h)
{
	uint32_t *last = calloc(h->trace->threads + 1, sizeof(*last));
	size_t i;

	if (!last)
		return -ENOMEM;
	for (i = 0; i < h->trace->threads; i++)
		last[i] = TL_TASK_NONE;
	for (i = 0; i < h->trace->n; i++) {
		h->before[i] = last[h->trace->event[i].thread];
		last[h->trace->event[i].thread] = (uint32_t)i;
	}
	free(last);
	return 0;
}

/* ---- counts -------------------------------------------------------------------------- */

static int weight_add(double **weight, size_t *room, uint32_t at, double add)
{
	size_t larger = *room ? 2 * *room : 256, i;
	double *grown;

	if (at >= *room) {
		grown = reallocarray(*weight, larger, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		for (i = *room; i < larger; i++)
			grown[i] = 0;
		*weight = grown;
		*room = larger;
	}
	(*weight)[at] += add;
	return 0;
}

/* @before: ANY for what follows one point alone. */
static int habit_add(struct tl_task_habits *h, uint32_t before, uint32_t point, uint32_t after,
		     double weight)
{
	const uint32_t key[2] = { before, point };
	uint32_t context, pair;

	if (tl_ids_of(&h->contexts, key, sizeof(key), &context) ||
	    weight_add(&h->total, &h->total_room, context, weight))
		return -ENOMEM;
	const uint32_t both[2] = { context, after };

	if (tl_ids_of(&h->pairs, both, sizeof(both), &pair))
		return -ENOMEM;
	return weight_add(&h->weight, &h->weight_room, pair, weight);
}

/* How many such there are for one that was seen whole. */
static double weight_of(const struct tl_task_habits *h, uint32_t events)
{
	double weight = exp(-(double)events * log1p(-h->lost));

	return weight < WEIGHT_MAX ? weight : WEIGHT_MAX;
}

/* Keep the most usual ones, in order; of others the rarest goes. */
static void usual_add(struct tl_task_habit *usual, uint32_t point, double weight, double ns)
{
	struct tl_task_habit keep;
	size_t i;

	for (i = 0; i < TL_TASK_USUAL - 1 && usual[i].weight > 0 && usual[i].point != point; i++)
		;
	if (usual[i].weight > 0 && usual[i].point != point)
		usual[i] = (struct tl_task_habit){ 0 }; /* the last place is for newcomers */
	usual[i].point = point;
	usual[i].ns += weight * ns;
	usual[i].weight += weight;
	usual[i].seen++;
	for (; i > 0 && usual[i - 1].weight < usual[i].weight; i--) {
		keep = usual[i];
		usual[i] = usual[i - 1];
		usual[i - 1] = keep;
	}
}

static int event_add(struct tl_task_habits *h, uint32_t event)
{
	const struct tl_task_event *e = h->trace->event;
	uint32_t before = h->before[event], first;
	double weight;

	if (before == TL_TASK_NONE || tl_task_missing(h->trace, before, event))
		return 0;
	weight = weight_of(h, event - before - 1);
	usual_add(h->usual + TL_TASK_USUAL * h->point[before], h->point[event], weight,
		  (double)(e[event].time_ns - e[before].time_ns));
	if (habit_add(h, ANY, h->point[before], h->point[event], weight))
		return -ENOMEM;
	first = h->before[before];
	if (first == TL_TASK_NONE || tl_task_missing(h->trace, first, before))
		return 0;
	return habit_add(h, h->point[first], h->point[before], h->point[event],
			 weight_of(h, event - first - 2));
}

static double share(const struct tl_task_habits *h, uint32_t before, uint32_t point, uint32_t after,
		    double *total)
{
	const uint32_t key[2] = { before, point };
	uint32_t context, pair;

	*total = 0;
	if (!tl_ids_find(&h->contexts, key, sizeof(key), &context))
		return 0;
	*total = h->total[context];
	const uint32_t both[2] = { context, after };

	return tl_ids_find(&h->pairs, both, sizeof(both), &pair) ? h->weight[pair] : 0;
}

/**
 * tl_task_likely() - How likely a thread does something next
 * @habits: what they do
 * @before: point before the last one, or TL_TASK_NONE
 * @point: the last one
 * @after: the next one
 *
 * Return: the probability, above 0.
 */
double tl_task_likely(const struct tl_task_habits *habits, uint32_t before, uint32_t point,
		      uint32_t after)
{
	double one, one_total, two = 0, two_total = 0, first;

	one = share(habits, ANY, point, after, &one_total);
	if (before != TL_TASK_NONE)
		two = share(habits, before, point, after, &two_total);
	first = one / (one_total + 1) + NEVER;
	return (two + BACK_OFF * first) / (two_total + BACK_OFF);
}

/**
 * tl_task_habits_find() - Learn what threads do after what they did
 * @trace: what was seen
 * @habits: written; to be freed by tl_task_habits_free(), also after a failure
 *
 * Return: 0 or -ENOMEM.
 */
int tl_task_habits_find(const struct tl_task_trace *trace, struct tl_task_habits *habits)
{
	uint64_t lost = trace->n ? tl_task_missing(trace, 0, (uint32_t)trace->n - 1) : 0;
	int code = -ENOMEM;
	size_t i;

	*habits = (struct tl_task_habits){ .trace = trace };
	habits->lost = (double)lost / (double)(lost + trace->n + 1);
	habits->point = calloc(trace->n + 1, sizeof(*habits->point));
	habits->before = calloc(trace->n + 1, sizeof(*habits->before));
	if (habits->point && habits->before)
		code = points_find(habits);
	code = code ? code : befores_find(habits);
	for (i = 0; i < trace->n && !code; i++)
		code = event_add(habits, (uint32_t)i);
	return code;
}

/**
 * tl_task_habits_free() - Free habits
 * @habits: they
 */
void tl_task_habits_free(struct tl_task_habits *habits)
{
	free(habits->point);
	free(habits->before);
	free(habits->example);
	free(habits->total);
	free(habits->weight);
	free(habits->usual);
	tl_ids_free(&habits->contexts);
	tl_ids_free(&habits->pairs);
	*habits = (struct tl_task_habits){ 0 };
}
