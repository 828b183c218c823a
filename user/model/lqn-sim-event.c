// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What will happen, by time; and chance
 *
 * A heap with four children each: it is half as deep as one with two, and the four are
 * beside each other in memory. A shared processor has one event, whose place is known,
 * because it moves whenever somebody comes.
 *
 * Times have a mean and a squared coefficient of variation c²: fixed for 0, gamma below
 * 1, exponential for 1, and above it hyperexponential with balanced means: with
 * probability p of mean m / 2p, else m / 2(1 - p), p = (1 + √((c² - 1) / (c² + 1))) / 2
 * (H. C. Tijms, Stochastic Models, 1994).
 */
#define HAVE_INLINE
#include "lqn-sim.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

static void put(struct sim *sim, size_t at, struct sim_event event)
{
	sim->heap.event[at] = event;
	if (event.kind == SIM_SHARED)
		sim->processor[event.id].heap_at = at;
}

static size_t rise(struct sim *sim, size_t at, struct sim_event event)
{
	struct sim_event *e = sim->heap.event;

	for (; at && e[(at - 1) / 4].at_s > event.at_s; at = (at - 1) / 4)
		put(sim, at, e[(at - 1) / 4]);
	return at;
}

static size_t sink(struct sim *sim, size_t at, struct sim_event event)
{
	struct sim_event *e = sim->heap.event;
	size_t n = sim->heap.n, least, i, end;

	for (; 4 * at + 1 < n; at = least) {
		least = 4 * at + 1;
		end = least + 4 < n ? least + 4 : n;
		for (i = least + 1; i < end; i++)
			if (e[i].at_s < e[least].at_s)
				least = i;
		if (e[least].at_s >= event.at_s)
			break;
		put(sim, at, e[least]);
	}
	return at;
}

/**
 * sim_event_add() - Have something happen
 * @sim: network at work
 * @at_s: when
 * @kind: what
 * @id: to which work, processor or entry
 */
void sim_event_add(struct sim *sim, double at_s, enum sim_kind kind, uint32_t id)
{
	struct sim_event event = { at_s, id, kind };
	struct sim_heap *heap = &sim->heap;

	if (heap->n == heap->room) {
		size_t room = heap->room ? 2 * heap->room : 256;
		struct sim_event *more = reallocarray(heap->event, room, sizeof(*more));

		if (!more) {
			sim->no_memory = true;
			return;
		}
		heap->event = more;
		heap->room = room;
	}
	heap->n++;
	put(sim, rise(sim, heap->n - 1, event), event);
}

/**
 * sim_event_move() - Have something happen at another time
 * @sim: network at work
 * @at: where it is in the heap
 * @at_s: when
 */
void sim_event_move(struct sim *sim, size_t at, double at_s)
{
	struct sim_event event = sim->heap.event[at];

	event.at_s = at_s;
	at = rise(sim, at, event);
	put(sim, sink(sim, at, event), event);
}

/**
 * sim_event_take() - What happens next
 * @sim: network at work, with an event at least
 *
 * Return: the event, which is not there any more.
 */
struct sim_event sim_event_take(struct sim *sim)
{
	struct sim_event first = sim->heap.event[0], last;

	last = sim->heap.event[--sim->heap.n];
	if (sim->heap.n)
		put(sim, sink(sim, 0, last), last);
	return first;
}

/**
 * sim_draw_exponential() - An exponential time
 * @sim: network at work
 * @mean: its mean
 *
 * Return: the time.
 */
double sim_draw_exponential(struct sim *sim, double mean)
{
	return -mean * log(gsl_rng_uniform_pos(sim->random));
}

static double draw_hyper(struct sim *sim, double mean, double cv2)
{
	double p = 0.5 * (1 + sqrt((cv2 - 1) / (cv2 + 1)));

	if (gsl_rng_uniform(sim->random) >= p)
		p = 1 - p;
	return sim_draw_exponential(sim, mean / (2 * p));
}

/**
 * sim_draw() - A time
 * @sim: network at work
 * @mean: its mean
 * @cv2: its squared coefficient of variation
 *
 * Return: the time.
 */
double sim_draw(struct sim *sim, double mean, double cv2)
{
	if (cv2 == 1)
		return sim_draw_exponential(sim, mean);
	if (cv2 > 1)
		return draw_hyper(sim, mean, cv2);
	return cv2 > 0 ? gsl_ran_gamma(sim->random, 1 / cv2, mean * cv2) : mean;
}
