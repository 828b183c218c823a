/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulator's parts, of which lqn-simulate.c makes one. */
#ifndef TL_MODEL_LQN_SIM_H
#define TL_MODEL_LQN_SIM_H

#include "lqn.h"
#include "lqn-watch.h"

#include <gsl/gsl_rng.h>

#define SIM_NONE UINT32_MAX
#define SIM_WORKS_MAX (1U << 24)

/* What happens at a time: a work goes on, the first of a shared processor is done, or
 * there is an arrival at an entry. */
enum sim_kind { SIM_WORK, SIM_SHARED, SIM_ARRIVAL };

struct sim_event {
	double at_s;
	uint32_t id;
	enum sim_kind kind;
};

/**
 * struct sim_heap - Events by time
 * @event: four children each
 * @n: how many
 * @room: how many there may be
 */
struct sim_heap {
	struct sim_event *event;
	size_t n, room;
};

/* What a work does next. */
enum sim_step { SIM_BEGIN, SIM_SLICE, SIM_SERVED, SIM_NEXT };

/**
 * struct sim_work - An execution of an entry, from the request to the last phase's end
 * @step: what comes next
 * @phase: 0 or 1
 * @entry: index
 * @caller: the work that waits for the reply, or SIM_NONE
 * @next: in the queue that it is in, or in the list of free works
 * @call: of exact calls the one that is being made
 * @made: how many of it
 * @demand_s: what the processor is to do, while it waits for it
 * @asked_s: when the request came
 * @begun_s: when the phase began
 * @waited_s: in the task's queue
 * @service_s: length of the phases that are over
 * @outside: whether it is an arrival
 * @called: entry of the call that it waits for
 * @called_s: when that was made
 */
struct sim_work {
	uint8_t step, phase;
	bool outside;
	uint32_t called;
	double called_s;
	uint32_t entry, caller, next, call;
	double made, demand_s, asked_s, begun_s, waited_s, service_s[TL_LQN_PHASES];
};

struct sim_queue {
	uint32_t first, last, n;
};

/* A job on a shared processor is done when each job has had @tag_s of service. */
struct sim_job {
	double tag_s;
	uint32_t work;
};

/**
 * struct sim_processor - A processor at work
 * @busy: how many works it serves
 * @queue: of works that wait, if it serves one by one
 * @job: heap of jobs, if it is shared; @busy of them
 * @room: how many jobs there may be
 * @had_s: service that a job has had that was there since the processor was empty
 * @had_at_s: when that was so
 * @heap_at: where its event is among the events
 * @changed_s: since when @busy is what it is
 */
struct sim_processor {
	uint32_t busy;
	struct sim_queue queue;
	struct sim_job *job;
	size_t room;
	double had_s, had_at_s;
	size_t heap_at;
	double changed_s;
};

/* Threads that are held, requests that wait, since when. */
struct sim_task {
	uint32_t busy;
	struct sim_queue queue;
	double changed_s;
};

/* Sums of a batch, in its row. Of an entry: executions, and over them phases and waiting. */
enum sim_entry_sum { SIM_N, SIM_PHASE1, SIM_PHASE2, SIM_WAITING, SIM_ENTRY_SUMS };
enum sim_task_sum { SIM_HELD, SIM_QUEUED, SIM_TASK_SUMS };

/**
 * struct sim - A network at work
 * @lqn: what it is
 * @random: where chance comes from
 * @now_s: time
 * @steps: how much was done
 * @heap: what will happen
 * @work: [works]
 * @free: list of works that are not used
 * @live: how many are used
 * @ready: [n_ready] works that go on now
 * @chance: [calls] of a phase by chance: Σ of the means up to this call
 * @watch: [watches] requests whose times are counted
 * @sum: the row of sums that is being filled
 * @no_memory: something could not be kept
 */
struct sim {
	const struct tl_lqn *lqn;
	gsl_rng *random;
	double now_s;
	uint64_t steps;
	struct sim_heap heap;
	struct sim_work *work;
	size_t works;
	uint32_t free, live;
	uint32_t *ready;
	size_t n_ready, ready_room;
	struct sim_processor *processor;
	struct sim_task *task;
	double *chance;
	const struct tl_lqn_watch *watch;
	size_t watches;
	double *sum;
	bool no_memory;
};

/* lqn-sim.c */
int sim_new(struct sim *sim, const struct tl_lqn *lqn, uint64_t seed);
void sim_free(struct sim *sim);
int sim_start(struct sim *sim);
bool sim_go(struct sim *sim, double until_s, uint64_t steps_max);
void sim_sums_flush(struct sim *sim);
size_t sim_columns(const struct sim *sim);
size_t sim_watch_column(const struct tl_lqn *lqn, size_t watch);
size_t sim_entry_column(size_t entry, enum sim_entry_sum what);
size_t sim_task_column(const struct tl_lqn *lqn, size_t task, enum sim_task_sum what);
size_t sim_processor_column(const struct tl_lqn *lqn, size_t processor);
size_t sim_live_column(const struct tl_lqn *lqn);
void sim_ready(struct sim *sim, uint32_t work);
void sim_queue_add(struct sim *sim, struct sim_queue *queue, uint32_t work);
uint32_t sim_queue_take(struct sim *sim, struct sim_queue *queue);

/* lqn-sim-processor.c */
void sim_processor_ask(struct sim *sim, size_t processor, uint32_t work, double demand_s);
void sim_processor_leave(struct sim *sim, size_t processor);
uint32_t sim_processor_done(struct sim *sim, size_t processor);
void sim_processor_flush(struct sim *sim, size_t processor);

/* lqn-sim-event.c */
void sim_event_add(struct sim *sim, double at_s, enum sim_kind kind, uint32_t id);
void sim_event_move(struct sim *sim, size_t at, double at_s);
struct sim_event sim_event_take(struct sim *sim);
double sim_draw(struct sim *sim, double mean, double cv2);
double sim_draw_exponential(struct sim *sim, double mean);

#endif
