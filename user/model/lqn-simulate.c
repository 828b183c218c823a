// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long to simulate, and what comes of it
 *
 * What a model is asked for are the customers' throughput and response, and the response
 * to arrivals. When these are as precise as wanted, the batches after the warm-up show
 * no correlation of successive ones (within 2.33 standard deviations of none), and
 * queues do not grow, it is enough. That is looked at when there are 48 batches and
 * when there are 64: seldom, because whoever looks often stops too early by chance.
 *
 * Where there is work that nobody waits for, queues grow without end if the number of works
 * rises from each quarter of the run to the next, by half from the second to the last, and
 * by more than one in 200 of the requests from outside.
 */
#include "lqn-simulate.h"

#include "lqn-batch.h"
#include "lqn-sim.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define REQUESTS_A_BATCH 1000 /* from outside, at most, at first */
#define CORRELATION_MAX 2.33
#define GROWTH_MAX 0.005
#define STUCK_CYCLES 100 /* that each customer could have made one by one */
#define PROGRESS_STEPS 2000000

struct run {
	const struct tl_lqn_simulate_in *in;
	struct tl_lqn_simulate_out *out;
	struct sim sim;
	struct tl_batches batches;
	double rate_per_s; /* requests from outside, at most */
	double correlation; /* of successive batches, the largest */
};

/* ---- figures from sums ---------------------------------------------------------- */

/* A sum of columns over each batch, or the length of each. */
struct column {
	size_t at[3], n; /* n 0: length of the batch */
};

static void column_fill(const struct run *r, const struct column *column, double *value)
{
	const struct tl_batches *b = &r->batches;
	size_t i, k;

	for (i = 0; i < b->n; i++) {
		value[i] = column->n ? 0 : b->length_s;
		for (k = 0; k < column->n; k++)
			value[i] += b->sum[i * b->columns + column->at[k]];
	}
}

static struct tl_batch_estimate ratio(const struct run *r, struct column numerator,
				      struct column denominator)
{
	double a[TL_BATCHES_MAX], b[TL_BATCHES_MAX];
	struct tl_batch_estimate estimate;

	column_fill(r, &numerator, a);
	column_fill(r, &denominator, b);
	tl_batches_ratio(&r->batches, a, b, &estimate);
	return estimate;
}

#define TIME ((struct column){ .n = 0 })
#define SUM(...) \
	((struct column){ .at = { __VA_ARGS__ }, .n = sizeof((size_t[]){ __VA_ARGS__ }) / \
						      sizeof(size_t) })

/* Both places of a figure, @scale times what the batches have. */
static void figure(struct tl_batch_estimate estimate, double scale, double *value,
		   double *half95)
{
	*value = scale * estimate.value;
	*half95 = scale * estimate.half95;
}

static double share(uint32_t n)
{
	return n == TL_LQN_UNLIMITED ? 1 : 1.0 / n;
}

static void entry_figures(const struct run *r, size_t e)
{
	struct tl_lqn_entry_figures *value = &r->out->solution.value.entry[e];
	struct tl_lqn_entry_figures *half = &r->out->solution.half95.entry[e];
	const struct tl_lqn *lqn = r->in->lqn;
	struct column n = SUM(sim_entry_column(e, SIM_N));
	size_t p1 = sim_entry_column(e, SIM_PHASE1), p2 = sim_entry_column(e, SIM_PHASE2);

	figure(ratio(r, n, TIME), 1, &value->throughput_per_s, &half->throughput_per_s);
	figure(ratio(r, SUM(p1), n), 1, &value->service_s[0], &half->service_s[0]);
	figure(ratio(r, SUM(p2), n), 1, &value->service_s[1], &half->service_s[1]);
	figure(ratio(r, SUM(sim_entry_column(e, SIM_WAITING)), n), 1, &value->waiting_s,
	       &half->waiting_s);
	figure(ratio(r, SUM(p1, p2), TIME), share(lqn->task[lqn->entry[e].task].threads),
	       &value->utilisation, &half->utilisation);
}

/* Cycles of customers without the think time. */
static struct tl_batch_estimate cycles(const struct run *r, size_t task)
{
	size_t e = r->in->lqn->task[task].first_entry;

	return ratio(r, SUM(sim_entry_column(e, SIM_PHASE1), sim_entry_column(e, SIM_PHASE2)),
		     SUM(sim_entry_column(e, SIM_N)));
}

static void task_figures(const struct run *r, size_t t)
{
	struct tl_lqn_task_figures *value = &r->out->solution.value.task[t];
	struct tl_lqn_task_figures *half = &r->out->solution.half95.task[t];
	const struct tl_lqn_task *task = &r->in->lqn->task[t];
	double square = 0;
	size_t e;

	figure(ratio(r, SUM(sim_task_column(r->in->lqn, t, SIM_HELD)), TIME),
	       share(task->threads), &value->utilisation, &half->utilisation);
	for (e = task->first_entry; e < task->first_entry + task->entries; e++) {
		value->throughput_per_s += r->out->solution.value.entry[e].throughput_per_s;
		square += pow(r->out->solution.half95.entry[e].throughput_per_s, 2);
	}
	half->throughput_per_s = sqrt(square);
	if (task->reference)
		figure(cycles(r, t), 1, &value->response_s, &half->response_s);
}

static int watched_fill(const struct run *r)
{
	int code = 0;
	size_t i;

	for (i = 0; !code && i < r->in->watches; i++)
		code = sim_watch_fill(&r->batches, sim_watch_column(r->in->lqn, i),
				      r->in->watch[i].part, &r->out->watched[i]);
	return code;
}

static void figures_fill(const struct run *r)
{
	const struct tl_lqn *lqn = r->in->lqn;
	size_t i;

	for (i = 0; i < lqn->entries; i++)
		entry_figures(r, i);
	for (i = 0; i < lqn->tasks; i++)
		task_figures(r, i);
	for (i = 0; i < lqn->processors; i++)
		figure(ratio(r, SUM(sim_processor_column(lqn, i)), TIME),
		       share(lqn->processor[i].servers), &r->out->solution.value.processor[i],
		       &r->out->solution.half95.processor[i]);
}

/* ---- whether it is enough ------------------------------------------------------- */

/* The columns whose warm-up counts: what is asked for. */
static void warm_up(struct run *r)
{
	const struct tl_lqn *lqn = r->in->lqn;
	size_t warm = tl_batches_warm(&r->batches, sim_live_column(lqn)), t, n;

	for (t = 0; t < lqn->tasks; t++) {
		if (!lqn->task[t].reference)
			continue;
		n = tl_batches_warm(&r->batches, sim_task_column(lqn, t, SIM_HELD));
		warm = n > warm ? n : warm;
	}
	r->batches.first = warm;
}

static void residual_see(struct run *r, struct tl_batch_estimate estimate)
{
	double *residual = &r->out->solution.residual;

	*residual = fmax(*residual, estimate.value > 0 ? estimate.half95 / estimate.value : 1);
	r->correlation = fmax(r->correlation, estimate.correlation);
}

/* What is asked for: how precise it is, and whether batches are independent. */
static void residual_set(struct run *r)
{
	const struct tl_lqn *lqn = r->in->lqn;
	size_t t, e;

	r->out->solution.residual = 0;
	r->correlation = 0;
	for (t = 0; t < lqn->tasks; t++) {
		e = lqn->task[t].first_entry;
		if (!lqn->task[t].reference)
			continue;
		residual_see(r, ratio(r, SUM(sim_entry_column(e, SIM_N)), TIME));
		residual_see(r, cycles(r, t));
	}
	for (e = 0; e < lqn->entries; e++)
		if (lqn->entry[e].arrivals_per_s > 0)
			residual_see(r, ratio(r, SUM(sim_entry_column(e, SIM_WAITING),
						     sim_entry_column(e, SIM_PHASE1)),
					      SUM(sim_entry_column(e, SIM_N))));
	r->out->factor = tl_batches_factor(&r->batches, r->in->confidence);
	r->out->solution.residual *= r->out->factor;
}

static double mean_live(const struct run *r, size_t quarter)
{
	const struct tl_batches *b = &r->batches;
	size_t first = quarter * b->n / 4, end = (quarter + 1) * b->n / 4, i;
	double sum = 0;

	for (i = first; i < end; i++)
		sum += b->sum[i * b->columns + sim_live_column(r->in->lqn)];
	return sum / (b->length_s * (double)(end - first));
}

/* Whether there is work that nobody waits for. Without, customers are all that there is. */
static bool may_grow(const struct tl_lqn *lqn)
{
	bool may = false;
	size_t i;

	for (i = 0; i < lqn->entries; i++)
		may = may || lqn->entry[i].arrivals_per_s > 0 ||
		      tl_lqn_phase_used(&lqn->entry[i].phase[1]);
	for (i = 0; i < lqn->calls; i++)
		may = may || lqn->call[i].kind == TL_LQN_ASYNC;
	return may;
}

static bool growing(const struct run *r)
{
	double span_s = r->batches.length_s * (double)r->batches.n / 2;
	double before = mean_live(r, 1), late = mean_live(r, 2), end = mean_live(r, 3);

	return may_grow(r->in->lqn) && mean_live(r, 0) < before && before < late && late < end && end > 1.5 * before &&
	       end - before > GROWTH_MAX * r->rate_per_s * span_s;
}

static size_t longest_queue(const struct run *r)
{
	size_t t, longest = 0;

	for (t = 1; t < r->in->lqn->tasks; t++)
		if (r->sim.task[t].queue.n + (uint64_t)r->sim.task[t].busy >
		    r->sim.task[longest].queue.n + (uint64_t)r->sim.task[longest].busy)
			longest = t;
	return longest;
}

static void verdict(struct run *r, enum tl_lqn_verdict what, size_t culprit)
{
	r->out->solution.verdict = what;
	r->out->solution.culprit = culprit;
}

/* Whether all customers have been at it for so long that they wait for each other. */
static int stuck_see(struct run *r, size_t task)
{
	struct tl_lqn_hold *hold = calloc(r->in->lqn->entries + 1, sizeof(*hold));
	const struct tl_lqn_task *t = &r->in->lqn->task[task];
	double span_s = r->batches.length_s * (double)r->batches.n / 2;
	bool long_enough;

	if (!hold)
		return -ENOMEM;
	tl_lqn_holds(r->in->lqn, hold);
	long_enough = span_s > STUCK_CYCLES * t->threads * hold[t->first_entry].thread_s;
	free(hold);
	verdict(r, long_enough && r->sim.task[task].busy == t->threads ? TL_LQN_STUCK :
									 TL_LQN_TOO_SHORT,
		task);
	return 0;
}

/* Customers of whom none came through a cycle in the second half of the run have no
 * figures. */
static int cycles_see(struct run *r)
{
	const struct tl_lqn *lqn = r->in->lqn;
	size_t t, i, column;
	double sum;

	for (t = 0; t < lqn->tasks; t++) {
		if (!lqn->task[t].reference)
			continue;
		column = sim_entry_column(lqn->task[t].first_entry, SIM_N);
		for (sum = 0, i = r->batches.n / 2; i < r->batches.n; i++)
			sum += r->batches.sum[i * r->batches.columns + column];
		if (!(sum > 0))
			return stuck_see(r, t);
	}
	return 0;
}

/* Return: whether to stop. */
static bool enough(struct run *r)
{
	if (r->batches.n != 3 * TL_BATCHES_MAX / 4 && r->batches.n != TL_BATCHES_MAX)
		return false;
	if (growing(r)) {
		verdict(r, TL_LQN_UNSTABLE, longest_queue(r));
		return true;
	}
	warm_up(r);
	residual_set(r);
	return r->in->precision > 0 && r->out->solution.residual <= r->in->precision &&
	       r->correlation < CORRELATION_MAX;
}

/* ---- the run --------------------------------------------------------------------- */

/* Requests from outside at an entry per second, if nobody had to wait: at least as many
 * as there are. */
static double rate_most(const struct tl_lqn *lqn, size_t entry)
{
	const struct tl_lqn_task *task = &lqn->task[lqn->entry[entry].task];
	double cycle_s = task->think_s + tl_lqn_demand_s(lqn, entry, 0) +
			 tl_lqn_demand_s(lqn, entry, 1);

	if (task->reference)
		return cycle_s > 0 ? task->threads / cycle_s : 0;
	return lqn->entry[entry].arrivals_per_s;
}

/* Steps for all that comes of a request from outside, in the mean. @flow: [entries] */
static double steps_a_request(struct run *r, double *flow)
{
	const struct tl_lqn *lqn = r->in->lqn;
	double steps = 0;
	size_t e, p;

	for (e = 0; e < lqn->entries; e++) {
		flow[e] = rate_most(lqn, e);
		r->rate_per_s += flow[e];
	}
	tl_lqn_flow(lqn, flow);
	for (e = 0; e < lqn->entries; e++)
		for (p = 0; p < TL_LQN_PHASES; p++)
			if (!p || tl_lqn_phase_used(&lqn->entry[e].phase[p]))
				steps += flow[e] *
					 (1 + 3 * (1 + lqn->entry[e].phase[p].calls_mean));
	return r->rate_per_s > 0 ? steps / r->rate_per_s : 1;
}

/* Of the first batches, so that there is time for as many as a run has and more. */
static int batch_length_set(struct run *r, double *length_s)
{
	double *flow = calloc(r->in->lqn->entries + 1, sizeof(*flow)), requests;

	if (!flow)
		return -ENOMEM;
	requests = (double)r->in->steps_max / (4 * TL_BATCHES_MAX * steps_a_request(r, flow));
	requests = fmin(REQUESTS_A_BATCH, requests);
	*length_s = r->rate_per_s > 0 ? requests / r->rate_per_s : 1e-9;
	if (r->in->time_s > 0)
		*length_s = fmin(*length_s, r->in->time_s / TL_BATCHES_MAX);
	free(flow);
	return 0;
}

static void progress(const struct run *r)
{
	double done = (double)r->sim.steps / (double)r->in->steps_max;

	if (r->in->time_s > 0)
		done = fmax(done, r->sim.now_s / r->in->time_s);
	if (r->in->progress)
		r->in->progress(r->in->arg, r->out->solution.residual, done);
}

/* One batch. Return: whether it was completed. */
static bool batch(struct run *r)
{
	double until_s = r->sim.now_s + r->batches.length_s;
	uint64_t steps;
	bool reached;

	r->sim.sum = tl_batches_row(&r->batches);
	do {
		steps = r->sim.steps + PROGRESS_STEPS;
		steps = steps < r->in->steps_max ? steps : r->in->steps_max;
		reached = sim_go(&r->sim, until_s, steps);
		progress(r);
	} while (!reached && r->sim.steps >= steps && steps < r->in->steps_max);
	sim_sums_flush(&r->sim);
	if (reached)
		tl_batches_next(&r->batches);
	return reached;
}

static bool decided(const struct run *r)
{
	return r->out->solution.verdict != TL_LQN_OK;
}

static int finish(struct run *r)
{
	int code = 0;

	if (!r->sim.heap.n && !r->sim.n_ready)
		verdict(r, TL_LQN_STUCK, longest_queue(r));
	else if (!decided(r) && r->batches.n < 2 * TL_BATCHES_MIN)
		verdict(r, TL_LQN_TOO_SHORT, 0);
	if (!decided(r))
		code = cycles_see(r);
	if (!code && !decided(r) && growing(r))
		verdict(r, TL_LQN_UNSTABLE, longest_queue(r));
	if (code || decided(r))
		return code;
	warm_up(r);
	residual_set(r);
	figures_fill(r);
	code = watched_fill(r);
	if (r->in->precision > 0 && (r->out->solution.residual > r->in->precision ||
				     r->correlation >= CORRELATION_MAX))
		verdict(r, TL_LQN_NOT_CONVERGED, 0);
	return code;
}

static int go(struct run *r)
{
	const struct tl_lqn_simulate_in *in = r->in;
	int code = sim_start(&r->sim);

	while (!code && batch(r) && !enough(r)) {
		if (in->time_s > 0 && r->sim.now_s >= in->time_s * (1 - 1e-9))
			break;
		if (r->batches.n == TL_BATCHES_MAX)
			tl_batches_join(&r->batches);
	}
	return code ? code : r->sim.no_memory ? -ENOMEM : 0;
}

/**
 * tl_lqn_simulate() - Simulate a network
 * @in: network and how well
 * @out: filled in; the caller gives it to tl_lqn_simulated_free() in any case
 *
 * Return: 0, whatever the verdict is; -ENOMEM; -E2BIG if there are more customers or
 * requests at once than fit.
 */
int tl_lqn_simulate(const struct tl_lqn_simulate_in *in, struct tl_lqn_simulate_out *out)
{
	struct run r = { .in = in, .out = out };
	double length_s = 0;
	int code;

	*out = (struct tl_lqn_simulate_out){ .factor = 1 };
	code = tl_lqn_solution_new(&out->solution, in->lqn);
	code = code ? code : tl_lqn_offered(in->lqn, &out->solution);
	if (code || out->solution.verdict != TL_LQN_OK)
		return code;
	code = sim_new(&r.sim, in->lqn, in->seed);
	r.sim.watch = in->watch;
	r.sim.watches = in->watches;
	code = code ? code : batch_length_set(&r, &length_s);
	code = code ? code : tl_batches_new(&r.batches, sim_columns(&r.sim), length_s);
	if (!code) {
		r.sim.sum = tl_batches_row(&r.batches);
		code = go(&r);
	}
	code = code ? code : finish(&r);
	out->time_s = r.sim.now_s;
	out->warm_s = (double)r.batches.first * r.batches.length_s;
	out->batches = r.batches.n - r.batches.first;
	out->steps = r.sim.steps;
	if (!code && tl_lqn_has_figures(&out->solution))
		code = tl_lqn_checks(in->lqn, &out->solution);
	sim_free(&r.sim);
	tl_batches_free(&r.batches);
	return code;
}

/**
 * tl_lqn_simulated_free() - Free what came of a simulation
 * @out: result of tl_lqn_simulate()
 */
void tl_lqn_simulated_free(struct tl_lqn_simulate_out *out)
{
	size_t i;

	tl_lqn_solution_free(&out->solution);
	for (i = 0; i < TL_LQN_WATCHES_MAX; i++)
		free(out->watched[i].count);
}
