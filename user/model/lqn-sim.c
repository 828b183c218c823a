// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Layered queueing networks, simulated event by event
 *
 * A work is an execution of an entry: it waits in the task's queue for a thread, holds
 * it through its phases, with slices on the processor and calls between them, and
 * leaves. Whoever called synchronously waits, its own thread held, until phase 1 is
 * over, or until that of whoever it is forwarded to. Customers are works that stay.
 *
 * All goes by indexes into arrays, without recursion: a work that can go on at the same
 * time is put aside as ready, so that chains of calls may be as long as they like.
 */
#define HAVE_INLINE
#include "lqn-sim.h"

#include "lqn-simulate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define STEPS_AT_ONCE 10000 /* of one work, before others are looked at */

/* ---- sums ---------------------------------------------------------------------- */

size_t sim_entry_column(size_t entry, enum sim_entry_sum what)
{
	return entry * SIM_ENTRY_SUMS + what;
}

size_t sim_task_column(const struct tl_lqn *lqn, size_t task, enum sim_task_sum what)
{
	return lqn->entries * SIM_ENTRY_SUMS + task * SIM_TASK_SUMS + what;
}

size_t sim_processor_column(const struct tl_lqn *lqn, size_t processor)
{
	return lqn->entries * SIM_ENTRY_SUMS + lqn->tasks * SIM_TASK_SUMS + processor;
}

/* Works that are there and no customers. */
size_t sim_live_column(const struct tl_lqn *lqn)
{
	return sim_processor_column(lqn, lqn->processors);
}

size_t sim_watch_column(const struct tl_lqn *lqn, size_t watch)
{
	return sim_live_column(lqn) + 1 + watch * SIM_WATCH_SUMS;
}

size_t sim_columns(const struct sim *sim)
{
	return sim_watch_column(sim->lqn, sim->watches);
}

static void task_flush(struct sim *sim, size_t task)
{
	struct sim_task *t = &sim->task[task];
	double span_s = sim->now_s - t->changed_s;

	sim->sum[sim_task_column(sim->lqn, task, SIM_HELD)] += t->busy * span_s;
	sim->sum[sim_task_column(sim->lqn, task, SIM_QUEUED)] += t->queue.n * span_s;
	t->changed_s = sim->now_s;
}

/**
 * sim_sums_flush() - Add up all that lasts, up to now
 * @sim: network at work
 */
void sim_sums_flush(struct sim *sim)
{
	size_t i;

	for (i = 0; i < sim->lqn->tasks; i++)
		task_flush(sim, i);
	for (i = 0; i < sim->lqn->processors; i++)
		sim_processor_flush(sim, i);
}

/* ---- works --------------------------------------------------------------------- */

void sim_queue_add(struct sim *sim, struct sim_queue *queue, uint32_t work)
{
	if (queue->n++)
		sim->work[queue->last].next = work;
	else
		queue->first = work;
	queue->last = work;
}

uint32_t sim_queue_take(struct sim *sim, struct sim_queue *queue)
{
	uint32_t work = queue->first;

	queue->n--;
	queue->first = sim->work[work].next;
	return work;
}

static bool works_grow(struct sim *sim)
{
	size_t room = sim->works ? 2 * sim->works : 256, i;
	struct sim_work *more;

	more = room <= SIM_WORKS_MAX ? reallocarray(sim->work, room, sizeof(*more)) : NULL;
	if (!more)
		return false;
	sim->work = more;
	for (i = sim->works; i < room; i++)
		more[i].next = i + 1 < room ? (uint32_t)(i + 1) : SIM_NONE;
	sim->free = (uint32_t)sim->works;
	sim->works = room;
	return true;
}

/* Return: the work, or SIM_NONE. */
static uint32_t work_new(struct sim *sim, size_t entry, uint32_t caller)
{
	uint32_t work = sim->free;

	if (work == SIM_NONE) {
		if (!works_grow(sim)) {
			sim->no_memory = true;
			return SIM_NONE;
		}
		work = sim->free;
	}
	sim->free = sim->work[work].next;
	sim->live++;
	sim->work[work] = (struct sim_work){ .entry = (uint32_t)entry, .caller = caller,
					     .asked_s = sim->now_s, .next = SIM_NONE };
	return work;
}

static void work_free(struct sim *sim, uint32_t work)
{
	sim->work[work].next = sim->free;
	sim->free = work;
	sim->live--;
}

/**
 * sim_ready() - Have a work go on, before time does
 * @sim: network at work
 * @work: the work
 */
void sim_ready(struct sim *sim, uint32_t work)
{
	if (sim->n_ready == sim->ready_room) {
		size_t room = sim->ready_room ? 2 * sim->ready_room : 256;
		uint32_t *more = reallocarray(sim->ready, room, sizeof(*more));

		if (!more) {
			sim->no_memory = true;
			return;
		}
		sim->ready = more;
		sim->ready_room = room;
	}
	sim->ready[sim->n_ready++] = work;
}

/* A thread takes the request. */
static void begin(struct sim *sim, uint32_t work)
{
	struct sim_work *w = &sim->work[work];

	w->waited_s = sim->now_s - w->asked_s;
	w->step = SIM_BEGIN;
	sim_ready(sim, work);
}

static void request(struct sim *sim, size_t entry, uint32_t caller, bool outside)
{
	size_t task = sim->lqn->entry[entry].task;
	struct sim_task *t = &sim->task[task];
	uint32_t work = work_new(sim, entry, caller);

	if (work == SIM_NONE)
		return;
	sim->work[work].outside = outside;
	task_flush(sim, task);
	if (t->busy < sim->lqn->task[task].threads) {
		t->busy++;
		begin(sim, work);
	} else {
		sim_queue_add(sim, &t->queue, work);
	}
}

static void record(struct sim *sim, const struct sim_work *w)
{
	double *sum = &sim->sum[sim_entry_column(w->entry, SIM_N)];

	sum[SIM_N]++;
	sum[SIM_PHASE1] += w->service_s[0];
	sum[SIM_PHASE2] += w->service_s[1];
	sum[SIM_WAITING] += w->waited_s;
}

/* A customer thinks, or comes back at once. */
static void think(struct sim *sim, uint32_t work)
{
	struct sim_work *w = &sim->work[work];
	const struct tl_lqn_task *task = &sim->lqn->task[sim->lqn->entry[w->entry].task];

	w->step = SIM_BEGIN;
	w->phase = 0;
	w->waited_s = w->service_s[0] = w->service_s[1] = 0;
	if (task->think_s > 0)
		sim_event_add(sim, sim->now_s + sim_draw_exponential(sim, task->think_s), SIM_WORK,
			      work);
	else
		sim_ready(sim, work);
}

/* The thread is free for the next request. */
static void finish(struct sim *sim, uint32_t work)
{
	size_t task = sim->lqn->entry[sim->work[work].entry].task;
	struct sim_task *t = &sim->task[task];

	record(sim, &sim->work[work]);
	task_flush(sim, task);
	if (sim->lqn->task[task].reference) {
		t->busy--;
		think(sim, work);
		return;
	}
	work_free(sim, work);
	if (t->queue.n)
		begin(sim, sim_queue_take(sim, &t->queue));
	else
		t->busy--;
}

/* @outside: whether a customer or an arrival asked. */
static void watch(struct sim *sim, size_t entry, bool outside, double time_s)
{
	size_t i;

	for (i = 0; i < sim->watches; i++)
		if (sim->watch[i].entry ? sim->watch[i].entry[entry] : outside)
			sim_watch_add(&sim->sum[sim_watch_column(sim->lqn, i)], time_s);
}

static void replied(struct sim *sim, uint32_t work)
{
	const struct sim_work *w = &sim->work[work], *caller;

	if (w->caller == SIM_NONE) {
		watch(sim, w->entry, w->outside, sim->now_s - w->asked_s);
		return;
	}
	caller = &sim->work[w->caller];
	watch(sim, caller->called, sim->lqn->task[sim->lqn->entry[caller->entry].task].reference,
	      sim->now_s - caller->called_s);
}

/* The reply goes to who waits for it, or somebody else is to give it. */
static void answer(struct sim *sim, uint32_t work)
{
	const struct tl_lqn_entry *entry = &sim->lqn->entry[sim->work[work].entry];
	uint32_t caller = sim->work[work].caller;
	double u = entry->forwards ? gsl_rng_uniform(sim->random) : 1;
	size_t k;

	for (k = entry->first_forward; k < entry->first_forward + entry->forwards; k++) {
		u -= sim->lqn->call[k].mean;
		if (u >= 0)
			continue;
		if (caller == SIM_NONE)
			replied(sim, work);
		request(sim, sim->lqn->call[k].to, caller, false);
		return;
	}
	replied(sim, work);
	if (caller != SIM_NONE)
		sim_ready(sim, caller);
}

/* ---- a work's steps: each returns whether it goes on at once ------------------ */

static const struct tl_lqn_phase *phase_of(const struct sim *sim, const struct sim_work *w)
{
	return &sim->lqn->entry[w->entry].phase[w->phase];
}

static bool step_begin(struct sim *sim, uint32_t work)
{
	struct sim_work *w = &sim->work[work];
	const struct tl_lqn_phase *phase = phase_of(sim, w);
	size_t task = sim->lqn->entry[w->entry].task;

	if (!w->phase && sim->lqn->task[task].reference) {
		task_flush(sim, task);
		sim->task[task].busy++;
	}
	w->begun_s = sim->now_s;
	w->call = 0;
	w->made = 0;
	w->step = SIM_SLICE;
	if (!(phase->think_s > 0))
		return true;
	sim_event_add(sim, sim->now_s + sim_draw_exponential(sim, phase->think_s), SIM_WORK,
		      work);
	return false;
}

static bool step_slice(struct sim *sim, uint32_t work)
{
	struct sim_work *w = &sim->work[work];
	const struct tl_lqn_phase *phase = phase_of(sim, w);
	size_t processor = sim->lqn->task[sim->lqn->entry[w->entry].task].processor;
	double mean_s;

	w->step = SIM_NEXT;
	if (!(phase->demand_s > 0))
		return true;
	mean_s = phase->demand_s / sim->lqn->processor[processor].speed / (1 + phase->calls_mean);
	sim_processor_ask(sim, processor, work, sim_draw(sim, mean_s, phase->cv2));
	return false;
}

static bool step_served(struct sim *sim, uint32_t work)
{
	struct sim_work *w = &sim->work[work];

	sim_processor_leave(sim, sim->lqn->task[sim->lqn->entry[w->entry].task].processor);
	w->step = SIM_NEXT;
	return true;
}

/* Index of the next call, or TL_LQN_NONE when there are no more. */
static size_t call_exact(struct sim_work *w, const struct tl_lqn *lqn,
			 const struct tl_lqn_phase *phase)
{
	while (w->call < phase->calls && w->made >= lqn->call[phase->first_call + w->call].mean) {
		w->call++;
		w->made = 0;
	}
	w->made++;
	return w->call < phase->calls ? phase->first_call + w->call : TL_LQN_NONE;
}

static size_t call_chance(struct sim *sim, const struct tl_lqn_phase *phase)
{
	double u = gsl_rng_uniform(sim->random) * (1 + phase->calls_mean);
	size_t low = phase->first_call, high = low + phase->calls, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (u < sim->chance[middle])
			high = middle;
		else
			low = middle + 1;
	}
	return low < phase->first_call + phase->calls ? low : TL_LQN_NONE;
}

static bool phase_end(struct sim *sim, uint32_t work)
{
	struct sim_work *w = &sim->work[work];
	bool second = !w->phase && tl_lqn_phase_used(&sim->lqn->entry[w->entry].phase[1]);

	w->service_s[w->phase] = sim->now_s - w->begun_s;
	if (!w->phase)
		answer(sim, work); /* which may move the works */
	if (!second) {
		finish(sim, work);
		return false;
	}
	sim->work[work].phase = 1;
	sim->work[work].step = SIM_BEGIN;
	return true;
}

static bool step_next(struct sim *sim, uint32_t work)
{
	struct sim_work *w = &sim->work[work];
	const struct tl_lqn_phase *phase = phase_of(sim, w);
	size_t call = !phase->calls ? TL_LQN_NONE :
		      phase->exact  ? call_exact(w, sim->lqn, phase) : call_chance(sim, phase);
	bool sync;

	if (call == TL_LQN_NONE)
		return phase_end(sim, work);
	w->step = SIM_SLICE;
	sync = sim->lqn->call[call].kind == TL_LQN_SYNC;
	if (sync) {
		w->called = (uint32_t)sim->lqn->call[call].to;
		w->called_s = sim->now_s;
	}
	request(sim, sim->lqn->call[call].to, sync ? work : SIM_NONE, false);
	return !sync;
}

static void go_on(struct sim *sim, uint32_t work)
{
	static bool (*const steps[])(struct sim *sim, uint32_t work) = {
		[SIM_BEGIN] = step_begin, [SIM_SLICE] = step_slice,
		[SIM_SERVED] = step_served, [SIM_NEXT] = step_next,
	};
	unsigned int n = 0;
	bool more = true;

	while (more && n++ < STEPS_AT_ONCE)
		more = steps[sim->work[work].step](sim, work);
	sim->steps += n;
	if (more)
		sim_ready(sim, work);
}

/* ---- events --------------------------------------------------------------------- */

static void arrival(struct sim *sim, uint32_t entry)
{
	sim_event_add(sim, sim->now_s +
		      sim_draw_exponential(sim, 1 / sim->lqn->entry[entry].arrivals_per_s),
		      SIM_ARRIVAL, entry);
}

static void happen(struct sim *sim, const struct sim_event *event)
{
	sim->sum[sim_live_column(sim->lqn)] += sim->live * (event->at_s - sim->now_s);
	sim->now_s = event->at_s;
	if (event->kind == SIM_WORK) {
		go_on(sim, event->id);
	} else if (event->kind == SIM_SHARED) {
		go_on(sim, sim_processor_done(sim, event->id));
	} else {
		request(sim, event->id, SIM_NONE, true);
		arrival(sim, event->id);
	}
}

/**
 * sim_go() - Go on
 * @sim: network at work
 * @until_s: up to this time
 * @steps_max: or until so much was done in all
 *
 * Return: whether @until_s was reached; if not, too much was done, there is no memory,
 * or nothing will ever happen.
 */
bool sim_go(struct sim *sim, double until_s, uint64_t steps_max)
{
	struct sim_event event;

	while (!sim->no_memory && sim->steps < steps_max) {
		if (sim->n_ready) {
			go_on(sim, sim->ready[--sim->n_ready]);
			continue;
		}
		if (!sim->heap.n)
			return false;
		if (sim->heap.event[0].at_s > until_s) {
			sim->sum[sim_live_column(sim->lqn)] += sim->live * (until_s - sim->now_s);
			sim->now_s = until_s;
			return true;
		}
		event = sim_event_take(sim);
		happen(sim, &event);
	}
	return false;
}

/* ---- beginning and end ---------------------------------------------------------- */

static void chances_fill(struct sim *sim)
{
	size_t e, p, k;

	for (e = 0; e < sim->lqn->entries; e++)
		for (p = 0; p < TL_LQN_PHASES; p++) {
			const struct tl_lqn_phase *phase = &sim->lqn->entry[e].phase[p];
			double sum = 0;

			for (k = phase->first_call; k < phase->first_call + phase->calls; k++)
				sim->chance[k] = sum += sim->lqn->call[k].mean;
		}
}

/**
 * sim_new() - Make a network that can be put to work
 * @sim: filled in
 * @lqn: what it is
 * @seed: of chance; the same gives the same
 *
 * Return: 0 or -ENOMEM; sim_free() frees it in any case.
 */
int sim_new(struct sim *sim, const struct tl_lqn *lqn, uint64_t seed)
{
	*sim = (struct sim){ .lqn = lqn, .free = SIM_NONE };
	sim->random = gsl_rng_alloc(gsl_rng_mt19937);
	sim->processor = calloc(lqn->processors + 1, sizeof(*sim->processor));
	sim->task = calloc(lqn->tasks + 1, sizeof(*sim->task));
	sim->chance = calloc(lqn->calls + 1, sizeof(*sim->chance));
	if (!sim->random || !sim->processor || !sim->task || !sim->chance)
		return -ENOMEM;
	gsl_rng_set(sim->random, seed);
	chances_fill(sim);
	return 0;
}

/**
 * sim_start() - Let customers think and requests arrive
 * @sim: network; @sum is where sums go
 *
 * Return: 0, -ENOMEM, or -E2BIG if there are too many customers.
 */
int sim_start(struct sim *sim)
{
	const struct tl_lqn *lqn = sim->lqn;
	double customers = 0;
	uint32_t i, work;
	size_t t, e;

	for (t = 0; t < lqn->tasks; t++)
		customers += lqn->task[t].reference ? lqn->task[t].threads : 0;
	if (customers > TL_LQN_CUSTOMERS_MAX)
		return -E2BIG;
	for (t = 0; t < lqn->tasks; t++)
		for (i = 0; lqn->task[t].reference && i < lqn->task[t].threads; i++) {
			work = work_new(sim, lqn->task[t].first_entry, SIM_NONE);
			if (work == SIM_NONE)
				return -ENOMEM;
			think(sim, work);
		}
	for (e = 0; e < lqn->entries; e++)
		if (lqn->entry[e].arrivals_per_s > 0)
			arrival(sim, (uint32_t)e);
	sim->live = 0;
	return sim->no_memory ? -ENOMEM : 0;
}

/**
 * sim_free() - Free a network at work
 * @sim: network
 */
void sim_free(struct sim *sim)
{
	size_t i;

	for (i = 0; sim->processor && i < sim->lqn->processors; i++)
		free(sim->processor[i].job);
	if (sim->random)
		gsl_rng_free(sim->random);
	free(sim->heap.event);
	free(sim->work);
	free(sim->ready);
	free(sim->processor);
	free(sim->task);
	free(sim->chance);
}
