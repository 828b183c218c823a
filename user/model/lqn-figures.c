// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What becomes of a layered queueing network: figures, and what any must fulfil
 *
 * Saturation by arrivals can be told without solving. A processor is asked for
 * Σ λ_e D_e / m of its servers. A thread is held at least for as long as its request
 * would take if nobody waited for a queue anywhere: its own demands, and for each call
 * that it waits for those of the called, and of whom that one forwards to. If
 * Σ λ_e h_e / threads is 1 or more there is no steady state.
 */
#include "lqn-figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int figures_new(struct tl_lqn_figures *figures, const struct tl_lqn *lqn)
{
	figures->entry = calloc(lqn->entries + 1, sizeof(*figures->entry));
	figures->task = calloc(lqn->tasks + 1, sizeof(*figures->task));
	figures->processor = calloc(lqn->processors + 1, sizeof(*figures->processor));
	return figures->entry && figures->task && figures->processor ? 0 : -ENOMEM;
}

static void figures_free(struct tl_lqn_figures *figures)
{
	free(figures->entry);
	free(figures->task);
	free(figures->processor);
}

/**
 * tl_lqn_solution_new() - Make room for a solution
 * @solution: filled with zeroes
 * @lqn: network
 *
 * Return: 0 or -ENOMEM; tl_lqn_solution_free() frees it in any case.
 */
int tl_lqn_solution_new(struct tl_lqn_solution *solution, const struct tl_lqn *lqn)
{
	*solution = (struct tl_lqn_solution){ 0 };
	return figures_new(&solution->value, lqn) || figures_new(&solution->half95, lqn) ?
		       -ENOMEM : 0;
}

/**
 * tl_lqn_solution_free() - Free a solution
 * @solution: solution
 */
void tl_lqn_solution_free(struct tl_lqn_solution *solution)
{
	figures_free(&solution->value);
	figures_free(&solution->half95);
}

/**
 * tl_lqn_has_figures() - Whether there is anything but a verdict
 * @solution: solution
 *
 * Return: whether its figures may be shown.
 */
bool tl_lqn_has_figures(const struct tl_lqn_solution *solution)
{
	return solution->verdict == TL_LQN_OK || solution->verdict == TL_LQN_NOT_CONVERGED;
}

/**
 * tl_lqn_replies() - How long it takes from requests to their replies
 * @lqn: network
 * @value: what becomes of it
 * @reply_s: [entries] set: waiting and phase 1, and the same of whoever it is forwarded to
 */
void tl_lqn_replies(const struct tl_lqn *lqn, const struct tl_lqn_figures *value,
		    double *reply_s)
{
	size_t i, k;

	for (i = lqn->entries; i-- > 0;) {
		size_t e = lqn->order[i];
		const struct tl_lqn_entry *entry = &lqn->entry[e];

		reply_s[e] = value->entry[e].waiting_s + value->entry[e].service_s[0];
		for (k = entry->first_forward; k < entry->first_forward + entry->forwards; k++)
			reply_s[e] += lqn->call[k].mean * reply_s[lqn->call[k].to];
	}
}

static double phase_hold(const struct tl_lqn *lqn, size_t e, size_t p,
			 const struct tl_lqn_hold *hold)
{
	const struct tl_lqn_phase *phase = &lqn->entry[e].phase[p];
	double time = tl_lqn_demand_s(lqn, e, p) + phase->think_s;
	size_t k;

	for (k = phase->first_call; k < phase->first_call + phase->calls; k++)
		if (lqn->call[k].kind == TL_LQN_SYNC)
			time += lqn->call[k].mean * hold[lqn->call[k].to].reply_s;
	return time;
}

/**
 * tl_lqn_holds() - How long executions take if nobody waits
 * @lqn: network
 * @hold: [entries] set
 */
void tl_lqn_holds(const struct tl_lqn *lqn, struct tl_lqn_hold *hold)
{
	size_t i, k;

	for (i = lqn->entries; i-- > 0;) {
		size_t e = lqn->order[i];
		const struct tl_lqn_entry *entry = &lqn->entry[e];

		hold[e].reply_s = phase_hold(lqn, e, 0, hold);
		hold[e].thread_s = hold[e].reply_s + phase_hold(lqn, e, 1, hold);
		for (k = entry->first_forward; k < entry->first_forward + entry->forwards; k++)
			hold[e].reply_s += lqn->call[k].mean * hold[lqn->call[k].to].reply_s;
	}
}

static void saturated(struct tl_lqn_solution *solution, enum tl_lqn_verdict verdict,
		      size_t culprit, double asked, uint32_t has)
{
	double offered = has == TL_LQN_UNLIMITED ? 0 : asked / has;

	if (offered < 1 || offered <= solution->offered)
		return;
	solution->verdict = verdict;
	solution->culprit = culprit;
	solution->offered = offered;
}

/**
 * tl_lqn_offered() - Whether arrivals ask for more than there is
 * @lqn: network
 * @solution: verdict, culprit and what is offered are set, if so
 *
 * Return: 0 or -ENOMEM.
 */
int tl_lqn_offered(const struct tl_lqn *lqn, struct tl_lqn_solution *solution)
{
	struct tl_lqn_hold *hold = calloc(lqn->entries + 1, sizeof(*hold));
	double *flow = calloc(lqn->entries + 1, sizeof(*flow));
	double *asked = calloc(lqn->tasks + lqn->processors + 1, sizeof(*asked));
	int code = hold && flow && asked ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !code && i < lqn->entries; i++)
		flow[i] = lqn->entry[i].arrivals_per_s;
	if (!code) {
		tl_lqn_flow(lqn, flow);
		tl_lqn_holds(lqn, hold);
	}
	for (i = 0; !code && i < lqn->entries; i++) {
		size_t t = lqn->entry[i].task;

		asked[t] += flow[i] * hold[i].thread_s;
		asked[lqn->tasks + lqn->task[t].processor] +=
			flow[i] * (tl_lqn_demand_s(lqn, i, 0) + tl_lqn_demand_s(lqn, i, 1));
	}
	for (i = 0; !code && i < lqn->processors; i++)
		saturated(solution, TL_LQN_SATURATED, i, asked[lqn->tasks + i],
			  lqn->processor[i].servers);
	for (i = 0; !code && i < lqn->tasks; i++)
		saturated(solution, TL_LQN_TASK_SATURATED, i, asked[i], lqn->task[i].threads);
	free(hold);
	free(flow);
	free(asked);
	return code;
}

static double relative(double a, double b)
{
	double most = fmax(fabs(a), fabs(b));

	return most > 0 ? fabs(a - b) / most : 0;
}

/* Little's law where it says something new: threads held against throughput times time. */
static double little_off(const struct tl_lqn *lqn, const struct tl_lqn_figures *value)
{
	double most = 0, sum;
	size_t t, e;

	for (t = 0; t < lqn->tasks; t++) {
		const struct tl_lqn_task *task = &lqn->task[t];

		for (sum = 0, e = task->first_entry; e < task->first_entry + task->entries; e++)
			sum += value->entry[e].throughput_per_s *
			       (value->entry[e].service_s[0] + value->entry[e].service_s[1]);
		if (task->threads != TL_LQN_UNLIMITED)
			sum /= task->threads;
		most = fmax(most, relative(sum, value->task[t].utilisation));
	}
	return most;
}

/* @busy: [processors] zeroes */
static double utilisation_off(const struct tl_lqn *lqn, const struct tl_lqn_figures *value,
			      double *busy)
{
	double most = 0;
	size_t e, i;

	for (e = 0; e < lqn->entries; e++)
		busy[lqn->task[lqn->entry[e].task].processor] +=
			value->entry[e].throughput_per_s *
			(tl_lqn_demand_s(lqn, e, 0) + tl_lqn_demand_s(lqn, e, 1));
	for (i = 0; i < lqn->processors; i++) {
		if (lqn->processor[i].servers != TL_LQN_UNLIMITED)
			busy[i] /= lqn->processor[i].servers;
		most = fmax(most, relative(busy[i], value->processor[i]));
	}
	return most;
}

/* @flow: [entries] zeroes. As a part of the largest: a seldom call is off by chance. */
static double flow_off(const struct tl_lqn *lqn, const struct tl_lqn_figures *value,
		       double *flow)
{
	double most = 0, largest = 0;
	size_t e, k;

	for (e = 0; e < lqn->entries; e++) {
		const struct tl_lqn_entry *entry = &lqn->entry[e];

		flow[e] += entry->arrivals_per_s;
		if (lqn->task[entry->task].reference)
			flow[e] += value->entry[e].throughput_per_s;
		for (k = entry->phase[0].first_call; k < entry->first_forward + entry->forwards; k++)
			flow[lqn->call[k].to] += lqn->call[k].mean *
						 value->entry[e].throughput_per_s;
		largest = fmax(largest, value->entry[e].throughput_per_s);
	}
	for (e = 0; e < lqn->entries; e++)
		most = fmax(most, fabs(flow[e] - value->entry[e].throughput_per_s));
	return largest > 0 ? most / largest : 0;
}

/**
 * tl_lqn_checks() - Hold a solution against what any must fulfil
 * @lqn: network
 * @solution: its figures; @checks is set
 *
 * Return: 0 or -ENOMEM.
 */
int tl_lqn_checks(const struct tl_lqn *lqn, struct tl_lqn_solution *solution)
{
	double *sums = calloc(lqn->processors + lqn->entries + 1, sizeof(*sums));

	if (!sums)
		return -ENOMEM;
	solution->checks.little = little_off(lqn, &solution->value);
	solution->checks.utilisation = utilisation_off(lqn, &solution->value, sums);
	solution->checks.flow = flow_off(lqn, &solution->value, sums + lqn->processors);
	free(sums);
	return 0;
}
