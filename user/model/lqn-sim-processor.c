// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processors of the simulator
 *
 * Shared ones give each of n works min(1, m / n) of a server. What a work has had is
 * the same for all that came at the same time, so one clock for each processor counts
 * the service of a work that is always there; a work is done when that clock shows what
 * it did when the work came, plus its demand. Coming and leaving are O(log n).
 */
#include "lqn-sim.h"

#include <math.h>
#include <stdlib.h>

#define CLOCK_MAX 1e6 /* times a demand: beyond, digits of it would be lost */

static double servers_of(const struct tl_lqn_processor *p)
{
	return p->servers == TL_LQN_UNLIMITED ? INFINITY : p->servers;
}

/**
 * sim_processor_flush() - Add up to now how busy a processor was
 * @sim: network at work
 * @processor: index
 */
void sim_processor_flush(struct sim *sim, size_t processor)
{
	struct sim_processor *p = &sim->processor[processor];
	double busy = fmin(p->busy, servers_of(&sim->lqn->processor[processor]));

	sim->sum[sim_processor_column(sim->lqn, processor)] +=
		busy * (sim->now_s - p->changed_s);
	p->changed_s = sim->now_s;
}

/* ---- shared ------------------------------------------------------------------- */

static double rate(const struct sim *sim, size_t processor)
{
	return fmin(1, sim->lqn->processor[processor].servers /
			       (double)sim->processor[processor].busy);
}

static void clock_advance(struct sim *sim, size_t processor)
{
	struct sim_processor *p = &sim->processor[processor];

	p->had_s = p->busy ? p->had_s + (sim->now_s - p->had_at_s) * rate(sim, processor) : 0;
	p->had_at_s = sim->now_s;
}

static void clock_reset(struct sim_processor *p)
{
	size_t i;

	for (i = 0; i < p->busy; i++)
		p->job[i].tag_s -= p->had_s;
	p->had_s = 0;
}

static void job_put(struct sim_processor *p, size_t at, struct sim_job job)
{
	for (; at && p->job[(at - 1) / 2].tag_s > job.tag_s; at = (at - 1) / 2)
		p->job[at] = p->job[(at - 1) / 2];
	p->job[at] = job;
}

static void job_first_take(struct sim_processor *p)
{
	struct sim_job last = p->job[--p->busy];
	size_t at = 0, child;

	while (2 * at + 1 < p->busy) {
		child = 2 * at + 1;
		if (child + 1 < p->busy && p->job[child + 1].tag_s < p->job[child].tag_s)
			child++;
		if (p->job[child].tag_s >= last.tag_s)
			break;
		p->job[at] = p->job[child];
		at = child;
	}
	p->job[at] = last;
}

static double first_done_s(const struct sim *sim, size_t processor)
{
	const struct sim_processor *p = &sim->processor[processor];

	return sim->now_s + fmax(0, p->job[0].tag_s - p->had_s) / rate(sim, processor);
}

static void job_add(struct sim *sim, size_t processor, uint32_t work, double demand_s)
{
	struct sim_processor *p = &sim->processor[processor];

	if (p->busy == p->room) {
		size_t room = p->room ? 2 * p->room : 16;
		struct sim_job *more = reallocarray(p->job, room, sizeof(*more));

		if (!more) {
			sim->no_memory = true;
			return;
		}
		p->job = more;
		p->room = room;
	}
	clock_advance(sim, processor);
	if (p->had_s > CLOCK_MAX * demand_s)
		clock_reset(p);
	p->busy++;
	job_put(p, p->busy - 1, (struct sim_job){ p->had_s + demand_s, work });
	if (p->busy == 1)
		sim_event_add(sim, first_done_s(sim, processor), SIM_SHARED, (uint32_t)processor);
	else
		sim_event_move(sim, p->heap_at, first_done_s(sim, processor));
}

/**
 * sim_processor_done() - The first work of a shared processor is done
 * @sim: network at work
 * @processor: index; its event has been taken
 *
 * Return: the work.
 */
uint32_t sim_processor_done(struct sim *sim, size_t processor)
{
	struct sim_processor *p = &sim->processor[processor];
	uint32_t work = p->job[0].work;

	sim_processor_flush(sim, processor);
	clock_advance(sim, processor);
	job_first_take(p);
	if (p->busy)
		sim_event_add(sim, first_done_s(sim, processor), SIM_SHARED, (uint32_t)processor);
	return work;
}

/* ---- all ---------------------------------------------------------------------- */

/**
 * sim_processor_ask() - Have a processor work
 * @sim: network at work
 * @processor: index
 * @work: for whom; it goes on with SIM_SERVED when that is done
 * @demand_s: for how long, if it were alone
 */
void sim_processor_ask(struct sim *sim, size_t processor, uint32_t work, double demand_s)
{
	struct sim_processor *p = &sim->processor[processor];
	const struct tl_lqn_processor *is = &sim->lqn->processor[processor];

	sim->work[work].step = SIM_SERVED;
	if (is->discipline == TL_LQN_FCFS && p->busy == is->servers) {
		sim->work[work].demand_s = demand_s;
		sim_queue_add(sim, &p->queue, work);
		return;
	}
	sim_processor_flush(sim, processor);
	if (is->discipline == TL_LQN_PS) {
		job_add(sim, processor, work, demand_s);
		return;
	}
	p->busy++;
	sim_event_add(sim, sim->now_s + demand_s, SIM_WORK, work);
}

/**
 * sim_processor_leave() - A work is done at a processor that is not shared
 * @sim: network at work
 * @processor: index; the next one that waits for it begins
 */
void sim_processor_leave(struct sim *sim, size_t processor)
{
	struct sim_processor *p = &sim->processor[processor];
	uint32_t work;

	if (sim->lqn->processor[processor].discipline == TL_LQN_PS)
		return;
	if (!p->queue.n) {
		sim_processor_flush(sim, processor);
		p->busy--;
		return;
	}
	work = sim_queue_take(sim, &p->queue);
	sim_event_add(sim, sim->now_s + sim->work[work].demand_s, SIM_WORK, work);
}
