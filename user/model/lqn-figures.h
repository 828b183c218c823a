/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_LQN_FIGURES_H
#define TL_MODEL_LQN_FIGURES_H

#include "lqn.h"

/**
 * struct tl_lqn_entry_figures - What becomes of an entry
 * @throughput_per_s: executions
 * @service_s: mean length of each phase, with all waiting for those below
 * @waiting_s: mean time in the task's queue before
 * @utilisation: part of the task's threads that execute it; their mean number if they
 *               have no limit
 */
struct tl_lqn_entry_figures {
	double throughput_per_s, service_s[TL_LQN_PHASES], waiting_s, utilisation;
};

/**
 * struct tl_lqn_task_figures - What becomes of a task
 * @throughput_per_s: executions of all its entries; of customers: cycles
 * @utilisation: part of its threads that are held, or their mean number
 * @response_s: of customers: mean length of a cycle without the think time
 */
struct tl_lqn_task_figures {
	double throughput_per_s, utilisation, response_s;
};

/**
 * struct tl_lqn_figures - What becomes of a network
 * @entry: [entries]
 * @task: [tasks]
 * @processor: [processors] part of its servers that work, or their mean number if they
 *             have no limit
 */
struct tl_lqn_figures {
	struct tl_lqn_entry_figures *entry;
	struct tl_lqn_task_figures *task;
	double *processor;
};

/**
 * struct tl_lqn_checks - How far off a solution is from what holds for any
 * @little: number at a task against its throughput times time there
 * @utilisation: of a processor against the throughputs times the demands
 * @flow: throughput of an entry against its callers' throughputs times the calls
 *
 * Relative, the largest there is; simulations are off by chance, too.
 */
struct tl_lqn_checks {
	double little, utilisation, flow;
};

/* TL_LQN_SATURATED: a processor is asked for more than it has, or a task; by arrivals.
 * TL_LQN_UNSTABLE: queues grow without end. TL_LQN_STUCK: nobody goes on. */
enum tl_lqn_verdict { TL_LQN_OK, TL_LQN_NOT_CONVERGED, TL_LQN_TOO_SHORT, TL_LQN_SATURATED,
		      TL_LQN_TASK_SATURATED, TL_LQN_UNSTABLE, TL_LQN_STUCK };

/**
 * struct tl_lqn_solution - What a solver says of a network
 * @value: the figures; to be believed if the verdict is TL_LQN_OK, good for a look if
 *         TL_LQN_NOT_CONVERGED, not there else
 * @half95: half the width of their 95 % intervals, if it is a simulation
 * @checks: what the figures must fulfil
 * @verdict: whether it is a solution
 * @culprit: index of the processor or task that the verdict is about
 * @offered: what is asked of it, as a part of what it has
 * @residual: what convergence is measured by; of a simulation the largest relative
 *            half width of what it is about: customers' figures, response to arrivals
 */
struct tl_lqn_solution {
	struct tl_lqn_figures value, half95;
	struct tl_lqn_checks checks;
	enum tl_lqn_verdict verdict;
	size_t culprit;
	double offered, residual;
};

/**
 * struct tl_lqn_hold - How long an execution of an entry takes if nobody waits
 * @thread_s: until its thread is free, that is both phases with all that they wait for
 * @reply_s: until who called has the reply, that of whom it is forwarded to, too
 */
struct tl_lqn_hold {
	double thread_s, reply_s;
};

void tl_lqn_replies(const struct tl_lqn *lqn, const struct tl_lqn_figures *value,
		    double *reply_s);
void tl_lqn_holds(const struct tl_lqn *lqn, struct tl_lqn_hold *hold);
int tl_lqn_solution_new(struct tl_lqn_solution *solution, const struct tl_lqn *lqn);
void tl_lqn_solution_free(struct tl_lqn_solution *solution);
bool tl_lqn_has_figures(const struct tl_lqn_solution *solution);
int tl_lqn_offered(const struct tl_lqn *lqn, struct tl_lqn_solution *solution);
int tl_lqn_checks(const struct tl_lqn *lqn, struct tl_lqn_solution *solution);

#endif
