// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processors that serve one by one, whose services are not all the same exponential
 *
 * A service is that of any of the entries, by how often they come. As many servers are taken for one of
 * their speed in all as soon as works wait, and for what they are before.
 */
#include "lqn-nest.h"

#include "general.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define PHASES_MAX 64 /* of a service; if there are more, it is taken by two moments */
#define JOINED_MAX 20 /* what such a one needs */
#define SELDOM 1e-7 /* a chance from which nothing can be told */
#define SAME 1e-9
#define SAME_SPEED 1e-6

struct services {
	double weight, sum_s, sum_s2; /* moments */
	bool alike, joined;
	double first_s;
	struct tl_general_phase *phase;
	size_t phases;
};

/* Of each processor: [processors] */
static struct services *services_new(const struct nest *nest)
{
	struct services *of = calloc(nest->lqn->processors + 1, sizeof(*of));
	size_t i;

	for (i = 0; of && i < nest->lqn->processors; i++)
		of[i].alike = true;
	return of;
}

static void services_free(const struct nest *nest, struct services *of)
{
	size_t i;

	for (i = 0; of && i < nest->lqn->processors; i++)
		free(of[i].phase);
	free(of);
}

/* A kind of service: an entry's phase. */
struct kind {
	size_t processor;
	double weight, mean_s, cv2;
};

static struct kind kind_of(const struct nest *nest, size_t entry, size_t p)
{
	const struct tl_lqn *lqn = nest->lqn;
	const struct tl_lqn_phase *phase = &lqn->entry[entry].phase[p];
	struct kind kind = { .processor = lqn->task[lqn->entry[entry].task].processor,
			     .cv2 = phase->cv2 };
	size_t u;

	if (lqn->processor[kind.processor].discipline != TL_LQN_FCFS || !(phase->demand_s > 0))
		return kind;
	for (u = nest->use_of[entry]; u != TL_LQN_NONE; u = nest->use[u].next)
		kind.weight += nest->use[u].rate_per_s * (1 + phase->calls_mean);
	kind.mean_s = tl_lqn_demand_s(lqn, entry, p) / (1 + phase->calls_mean);
	return kind;
}

static void kind_count(struct services *s, const struct kind *kind)
{
	s->first_s = s->weight > 0 ? s->first_s : kind->mean_s;
	s->alike = s->alike && fabs(kind->cv2 - 1) < SAME &&
		   fabs(kind->mean_s - s->first_s) < SAME * s->first_s;
	s->weight += kind->weight;
	s->sum_s += kind->weight * kind->mean_s;
	s->sum_s2 += kind->weight * kind->mean_s * kind->mean_s * (1 + kind->cv2);
	s->phases += tl_general_phases(kind->cv2);
}

/* One service of the same first two moments, where kinds are too many. */
static void kinds_join(struct services *s)
{
	double mean_s = s->sum_s / s->weight;

	s->joined = true;
	s->phases = tl_general_add(s->phase, 1, mean_s,
				   s->sum_s2 / s->weight / (mean_s * mean_s) - 1);
}

static int services_room(struct services *s, size_t most)
{
	bool many = s->phases > most;

	if (!(s->weight > 0) || s->alike)
		return 0;
	s->phase = calloc(many ? JOINED_MAX : s->phases, sizeof(*s->phase));
	if (!s->phase)
		return -ENOMEM;
	s->phases = 0;
	if (many)
		kinds_join(s);
	return 0;
}

static void kind_add(struct services *s, const struct kind *kind)
{
	if (s->phase && !s->joined)
		s->phases += tl_general_add(s->phase + s->phases, kind->weight / s->weight,
					    kind->mean_s, kind->cv2);
	else if (!s->phase)
		kind_count(s, kind);
}

/* First what there is, then, with room for it, what it is made of. */
static int services_fill(const struct nest *nest, struct services *of)
{
	size_t e, p, i, pass;
	int code = 0;

	for (pass = 0; !code && pass < 2; pass++) {
		for (e = 0; e < nest->lqn->entries; e++)
			for (p = 0; p < TL_LQN_PHASES; p++) {
				struct kind kind = kind_of(nest, e, p);

				if (kind.weight > 0)
					kind_add(&of[kind.processor], &kind);
			}
		for (i = 0; !code && !pass && i < nest->lqn->processors; i++)
			code = services_room(&of[i], PHASES_MAX);
	}
	return code;
}

/* How many works at a processor are told apart: as many as there ever are. */
static size_t levels_of(const struct nest_general *general)
{
	size_t levels = NEST_LEVELS;

	while (levels > 1 && !(general->chance[levels] > SELDOM))
		levels--;
	return levels;
}

/*
 * Rates of arrival while 0, 1, ... works are there, [levels + 1], since as many come to
 * be there as cease to. What is too seldom to tell is as its neighbour.
 */
static void arrivals_fill(const struct nest *nest, size_t p, size_t levels, double mean_s,
			  double *per_s)
{
	const double *chance = nest->general[p].chance;
	size_t n, first = 0;

	while (first < levels && !(chance[first] > SELDOM))
		first++;
	for (n = first; n <= levels; n++)
		per_s[n] = chance[n] > SELDOM ?
			   chance[n + 1] * nest_processor_speed(nest, p, (double)(n + 1)) /
			   (chance[n] * mean_s) : n ? per_s[n - 1] : 0;
	for (n = 0; n < first; n++)
		per_s[n] = per_s[first];
}

/* @speed: [levels] */
static int speeds_general(const struct services *s, uint32_t servers, size_t levels,
			  const double *arrivals_per_s, double *speed)
{
	struct tl_general_phase *phase = calloc(s->phases, sizeof(*phase));
	size_t few = servers - 1 < levels ? servers - 1 : levels, i;
	struct tl_general_in in = { .phases = s->phases, .phase = phase, .levels = levels - few,
				    .arrivals_per_s = arrivals_per_s + few };
	int code = phase ? 0 : -ENOMEM;

	for (i = 0; phase && i < s->phases; i++) {
		phase[i] = s->phase[i];
		phase[i].rate_per_s *= servers;
	}
	for (i = 0; i < few; i++)
		speed[i] = (double)(i + 1);
	if (!code)
		code = tl_general(&in, speed + few);
	for (i = few; i < levels; i++)
		speed[i] *= s->sum_s / s->weight;
	free(phase);
	return code;
}

/*
 * Take so much of the difference. Return: whether there was nothing before. How much
 * changes is not asked: what matters of it is seen in the times.
 */
static bool general_take(struct nest_general *general, double *speed, size_t levels,
			 double damping)
{
	bool first = !general->n;
	size_t n;

	for (n = 0; n < levels && n < general->n; n++)
		speed[n] = fmax(general->speed[n] + damping * (speed[n] - general->speed[n]),
				speed[n] / 2);
	/* The last holds for more: no need to tell apart what is the same. */
	while (levels > 1 && fabs(speed[levels - 2] - speed[levels - 1]) < SAME_SPEED)
		levels--;
	free(general->speed);
	general->speed = speed;
	general->n = levels;
	return first;
}

static int processor_general(struct nest *nest, size_t p, const struct services *services,
			     double damping, bool *first)
{
	size_t levels = levels_of(&nest->general[p]);
	double *arrivals_per_s = calloc(levels + 2, sizeof(*arrivals_per_s));
	double *speed = calloc(levels + 1, sizeof(*speed));
	int code = arrivals_per_s && speed ? 0 : -ENOMEM;

	if (!code) {
		arrivals_fill(nest, p, levels, services->sum_s / services->weight,
			      arrivals_per_s);
		code = speeds_general(services, nest->lqn->processor[p].servers, levels,
				      arrivals_per_s, speed);
	}
	free(arrivals_per_s);
	if (code)
		free(speed);
	else
		*first = general_take(&nest->general[p], speed, levels, damping) || *first;
	return code;
}

/* ---- threads -------------------------------------------------------------------- */

static void requests_add(const struct nest *nest, const struct nest_context *c,
			 double faster, struct services *s)
{
	const struct tl_lqn_task *task = &nest->lqn->task[c->task];
	size_t e, u;

	for (e = task->first_entry; e < task->first_entry + task->entries; e++)
		for (u = nest->use_of[e]; u != TL_LQN_NONE; u = nest->use[u].next) {
			const struct nest_use *use = &nest->use[u];
			struct kind kind = { .weight = use->rate_per_s, .cv2 = 1 };

			kind.mean_s = (use->service_s[0] + use->service_s[1]) / faster;
			if (kind.weight > 0 && kind.mean_s > 0)
				kind_add(s, &kind);
		}
}

/*
 * Requests of a task as services one by one, which take the parts of the time that they
 * hold threads for: in all as long as the threads need, when all are in use.
 */
static int requests_fill(const struct nest *nest, const struct nest_context *c,
			 struct services *s)
{
	struct services held = { .alike = true };
	int code;

	requests_add(nest, c, 1, &held);
	if (!(held.sum_s > 0))
		return 0;
	*s = (struct services){ .alike = true };
	requests_add(nest, c, held.sum_s * c->speed[c->limit - 1], s);
	code = services_room(s, 2);
	if (!code && s->phase)
		requests_add(nest, c, held.sum_s * c->speed[c->limit - 1], s);
	return code;
}

/* Rates of arrival of requests, from when all threads are in use. @per_s: [levels + 1] */
static void requests_arrive(const struct nest_context *c, size_t levels, double *per_s)
{
	const double *chance = c->queue.chance + c->limit;
	size_t n;

	for (n = 0; n < levels; n++) {
		double slower = !c->queue.n ? 1 :
			c->queue.speed[n + 1 < c->queue.n ? n + 1 : c->queue.n - 1];

		per_s[n + 1] = chance[n] > SELDOM ? c->speed[c->limit - 1] * slower *
			       chance[n + 1] / chance[n] : per_s[n];
	}
}

static int context_general(struct nest *nest, struct nest_context *c, double damping,
			   bool *first)
{
	size_t levels = NEST_LEVELS - c->limit, i;
	double *per_s = calloc(levels + 2, sizeof(*per_s));
	double *speed = calloc(levels + 1, sizeof(*speed));
	struct services s = { .alike = true };
	int code = per_s && speed ? requests_fill(nest, c, &s) : -ENOMEM;

	while (levels > 1 && !(c->queue.chance[c->limit + levels - 1] > SELDOM))
		levels--;
	if (!code && s.phase) {
		requests_arrive(c, levels, per_s);
		/* In cycles, not requests: one after another as many as there are in each. */
		for (i = 0; i <= levels; i++)
			per_s[i] *= s.weight;
		code = speeds_general(&s, 1, levels, per_s, speed);
	}
	if (!code && s.phase)
		*first = general_take(&c->queue, speed, levels, damping) || *first;
	else
		free(speed);
	free(per_s);
	free(s.phase);
	return code;
}

/**
 * nest_general() - Speeds of processors that are not exponential
 * @nest: network whose works are spread; what it is to be solved with next is filled in
 * @damping: how much of the difference to take
 * @first: set if there was nothing before
 *
 * Return: 0 or -ENOMEM.
 */
int nest_general(struct nest *nest, double damping, bool *first)
{
	struct services *of = services_new(nest);
	int code = of ? services_fill(nest, of) : -ENOMEM;
	size_t p;

	for (p = 0; !code && p < nest->lqn->processors; p++)
		if (of[p].phase)
			code = processor_general(nest, p, &of[p], damping, first);
	for (p = 1; !code && p < nest->contexts; p++) {
		struct nest_context *c = &nest->context[p];

		if (c->gate == TL_LQN_NONE && c->speed && c->limit < NEST_LEVELS &&
		    c->queue.chance[c->limit] > SELDOM)
			code = context_general(nest, c, damping, first);
	}
	services_free(nest, of);
	return code;
}
