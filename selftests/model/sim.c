// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A simulation of discrete events: requests of several classes pass stations in turn
 *
 * A station serves one request after the other or all of them at once, each at its
 * share of the speed. It knows nothing of the models: what is measured is counted as
 * a kernel would, when a request is completed, and a utilisation while it lasts.
 */
#include "sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JOBS 8192

struct job {
	size_t class, at; /* station */
	double born_s, came_s, left_s; /* @left_s: service that it still needs */
	double own_s[SIM_STATIONS];
	bool used;
	struct job *behind; /* in a queue */
};

struct queue {
	struct job *first, *last;
	size_t n;
};

struct run {
	struct sim *sim;
	double now_s, next_arrival_s[SIM_CLASSES], *wakes_s;
	size_t first; /* client to wake; one more than there are, if none sleeps */
	size_t *before; /* [client] class that it asked for */
	struct queue queue[SIM_STATIONS];
	struct job job[JOBS];
	size_t window;
};

/* xoshiro256**, by D. Blackman and S. Vigna, 2018. */
static uint64_t rotate(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

static uint64_t random_u64(struct sim *sim)
{
	uint64_t *s = sim->random, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

void sim_seed(struct sim *sim, uint64_t seed)
{
	size_t i;

	for (i = 0; i < 4; i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15ULL;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
		sim->random[i] = z ^ (z >> 31);
	}
}

/* Above 0, below 1. */
double sim_uniform(struct sim *sim)
{
	return ((double)(random_u64(sim) >> 11) + 0.5) / 9007199254740992.0;
}

static double exponential(struct sim *sim, double mean)
{
	return -mean * log(sim_uniform(sim));
}

double sim_normal(struct sim *sim)
{
	return sqrt(-2 * log(sim_uniform(sim))) * cos(2 * M_PI * sim_uniform(sim));
}

static double service(struct sim *sim, double mean)
{
	double sigma2 = log(1 + 2 * 2); /* coefficient of variation 2 */

	if (sim->service == SIM_FIXED)
		return mean;
	if (sim->service == SIM_EXPONENTIAL)
		return exponential(sim, mean);
	return mean * exp(sqrt(sigma2) * sim_normal(sim) - sigma2 / 2);
}

static void enter(struct run *r, struct job *job);

/* Clients are many and wake one by one: who is next is kept, not searched. */
static void sleep_until(struct run *r, size_t client, double wakes_s)
{
	r->wakes_s[client] = wakes_s;
	if (wakes_s < r->wakes_s[r->first])
		r->first = client;
}

static void first_find(struct run *r)
{
	size_t i;

	for (i = 0; i < r->sim->clients; i++)
		if (r->wakes_s[i] < r->wakes_s[r->first])
			r->first = i;
}

static void finish(struct run *r, struct job *job)
{
	struct sim *sim = r->sim;
	size_t k, w = r->window;

	sim->count[w][job->class]++;
	sim->response_s[w][job->class] += r->now_s - job->born_s;
	for (k = 0; k < sim->tiers; k++)
		sim->own_s[w][k][job->class] += job->own_s[k];
	if (sim->follows[job->class] >= 0) {
		size_t next = (size_t)sim->follows[job->class];

		*job = (struct job){ .class = next, .born_s = r->now_s, .used = true };
		enter(r, job);
		return;
	}
	job->used = false;
	if (sim->clients)
		sleep_until(r, (size_t)(job - r->job),
			    r->now_s + exponential(sim, sim->think_s));
}

static double demand_of(const struct run *r, size_t station, size_t class)
{
	double change = r->sim->change[r->window][station][class];

	return r->sim->station[station].demand_s[class] * (change > 0 ? change : 1);
}

/* The next station that the class needs anything of. */
static void enter(struct run *r, struct job *job)
{
	struct sim *sim = r->sim;
	struct queue *queue;

	while (job->at < sim->stations && sim->station[job->at].demand_s[job->class] <= 0)
		job->at++;
	if (job->at == sim->stations) {
		finish(r, job);
		return;
	}
	job->came_s = r->now_s;
	job->left_s = service(sim, demand_of(r, job->at, job->class));
	job->behind = NULL;
	queue = &r->queue[job->at];
	if (queue->last)
		queue->last->behind = job;
	else
		queue->first = job;
	queue->last = job;
	queue->n++;
}

static void leave(struct run *r, struct job *job)
{
	struct queue *queue = &r->queue[job->at];
	struct job **at = &queue->first, *before = NULL;

	while (*at != job) {
		before = *at;
		at = &(*at)->behind;
	}
	*at = job->behind;
	if (queue->last == job)
		queue->last = before;
	queue->n--;
	job->own_s[r->sim->station[job->at].tier] += r->now_s - job->came_s;
	job->at++;
	enter(r, job);
}

static bool is_shared(const struct run *r, size_t station)
{
	return r->sim->station[station].discipline == SIM_SHARED;
}

/* What runs without requests takes its share of the time all the while. */
static double speed(const struct run *r, size_t station)
{
	return 1 - r->sim->station[station].background;
}

/* When the next request leaves a station; which one to *@who. */
static double departure(const struct run *r, size_t station, struct job **who)
{
	const struct queue *queue = &r->queue[station];
	struct job *job;

	*who = queue->first;
	if (!queue->first)
		return INFINITY;
	if (!is_shared(r, station))
		return r->now_s + queue->first->left_s / speed(r, station);
	for (job = queue->first; job; job = job->behind)
		if (job->left_s < (*who)->left_s)
			*who = job;
	return r->now_s + (*who)->left_s * (double)queue->n / speed(r, station);
}

static void work(struct run *r, double until_s)
{
	double dt = until_s - r->now_s;
	struct job *job;
	size_t k;

	for (k = 0; k < r->sim->stations; k++) {
		struct queue *queue = &r->queue[k];

		if (!queue->first)
			continue;
		r->sim->busy[r->window][k] += dt;
		if (is_shared(r, k))
			for (job = queue->first; job; job = job->behind)
				job->left_s -= dt * speed(r, k) / (double)queue->n;
		else
			queue->first->left_s -= dt * speed(r, k);
	}
	r->now_s = until_s;
}

static double rate_of(const struct run *r, size_t class)
{
	return r->sim->rate[r->window][class];
}

static void arrivals_draw(struct run *r)
{
	size_t i;

	for (i = 0; i < r->sim->classes; i++)
		r->next_arrival_s[i] = rate_of(r, i) > 0 ?
			r->now_s + exponential(r->sim, 1 / rate_of(r, i)) : INFINITY;
}

static int arrive(struct run *r, size_t class)
{
	size_t i;

	r->next_arrival_s[class] = r->now_s + exponential(r->sim, 1 / rate_of(r, class));
	for (i = 0; i < JOBS && r->job[i].used; i++)
		;
	if (i == JOBS)
		return -1;
	r->job[i] = (struct job){ .class = class, .born_s = r->now_s, .used = true };
	enter(r, &r->job[i]);
	return 0;
}

/* What a client asks for next. */
static size_t class_draw(struct run *r, size_t client)
{
	const struct sim_walk *walk = r->sim->walk[r->window];
	const double *weight = walk ? walk->next[r->before[client]] : r->sim->rate[r->window];
	double total = 0, draw;
	size_t i;

	for (i = 0; i < r->sim->classes; i++)
		total += weight[i];
	draw = total * sim_uniform(r->sim);
	for (i = 0; i + 1 < r->sim->classes && draw >= weight[i]; i++)
		draw -= weight[i];
	return r->before[client] = i;
}

static void wake(struct run *r, size_t client)
{
	r->wakes_s[client] = INFINITY;
	first_find(r);
	if (r->sim->active[r->window] && client >= r->sim->active[r->window]) {
		sleep_until(r, client, r->sim->seconds * (double)(r->window + 1) +
				       exponential(r->sim, r->sim->think_s));
		return;
	}
	r->job[client] = (struct job){ .class = class_draw(r, client), .born_s = r->now_s,
				       .used = true };
	enter(r, &r->job[client]);
}

/* One event, or the end of the window. */
static int step(struct run *r, double end_s)
{
	struct job *who = NULL, *candidate;
	size_t i, arrival = SIM_CLASSES, client = JOBS;
	double next_s = end_s, at_s;

	for (i = 0; i < r->sim->stations; i++) {
		at_s = departure(r, i, &candidate);
		if (at_s < next_s) {
			next_s = at_s;
			who = candidate;
		}
	}
	for (i = 0; !r->sim->clients && i < r->sim->classes; i++)
		if (r->next_arrival_s[i] < next_s) {
			next_s = r->next_arrival_s[i];
			arrival = i;
		}
	if (r->wakes_s[r->first] < next_s) {
		next_s = r->wakes_s[r->first];
		client = r->first;
	}
	work(r, next_s);
	if (client < JOBS)
		wake(r, client);
	else if (arrival < SIM_CLASSES)
		return arrive(r, arrival);
	else if (who)
		leave(r, who);
	return 0;
}

static void measure(struct run *r)
{
	struct sim *sim = r->sim;
	size_t k;

	for (k = 0; k < sim->stations; k++) {
		double *busy = &sim->busy[r->window][k];

		*busy = *busy / sim->seconds * speed(r, k) + sim->station[k].background +
			sim->noise * sim_normal(sim);
		*busy = fmin(fmax(*busy, 0), 1);
	}
}

/* Return: 0, or -1 if more requests pile up than there is room for. */
int sim_run(struct sim *sim)
{
	struct run *r = calloc(1, sizeof(*r));
	int code = 0;
	size_t i;

	r->sim = sim;
	r->wakes_s = calloc(sim->clients + 1, sizeof(double));
	r->wakes_s[sim->clients] = INFINITY;
	r->first = sim->clients;
	r->before = calloc(sim->clients + 1, sizeof(*r->before));
	memset(sim->count, 0, sizeof(sim->count));
	memset(sim->own_s, 0, sizeof(sim->own_s));
	memset(sim->response_s, 0, sizeof(sim->response_s));
	memset(sim->busy, 0, sizeof(sim->busy));
	for (i = 0; i < sim->clients; i++) {
		r->before[i] = SIM_CLASSES;
		sleep_until(r, i, exponential(sim, sim->think_s));
	}
	for (r->window = 0; r->window < sim->windows && !code; r->window++) {
		double end_s = sim->seconds * (double)(r->window + 1);

		arrivals_draw(r);
		while (r->now_s < end_s && !code)
			code = step(r, end_s);
		measure(r);
	}
	free(r->wakes_s);
	free(r->before);
	free(r);
	return code;
}
