// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads of a layered queueing network, and where it is saturated
 *
 * With few customers, throughput is what it would be if nobody waited, n / (Z + h); with
 * many, that which the first resource allows. Where both lines cross is the load N* from
 * which on somebody must wait (P. J. Denning, J. P. Buzen, The operational analysis of
 * queueing network models, 1978): a processor with m servers of which a request needs D
 * has N* = m (Z + h) / D; m threads that are held h' without any waiting for them or
 * below have N* = m (Z + h) / h', and may be saturated much earlier. Customers and arrivals
 * that do not vary take what they would if nobody waited.
 */
#include "capacity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static bool varies(const struct tl_capacity_in *in, size_t task)
{
	return !in->arrivals && in->vary[task];
}

static double base(const struct tl_capacity_in *in)
{
	double sum = 0;
	size_t i;

	for (i = 0; in->arrivals && i < in->lqn->entries; i++)
		sum += in->vary[i] ? in->lqn->entry[i].arrivals_per_s : 0;
	for (i = 0; !in->arrivals && i < in->lqn->tasks; i++)
		sum += in->vary[i] ? in->lqn->task[i].threads : 0;
	return sum;
}

/**
 * tl_capacity_load_least() - The least load there is
 * @in: what varies
 *
 * Return: one customer of each kind; of arrivals 0.
 */
double tl_capacity_load_least(const struct tl_capacity_in *in)
{
	double kinds = 0;
	size_t t;

	for (t = 0; t < in->lqn->tasks; t++)
		kinds += varies(in, t);
	return kinds;
}

/* The kind that has least of its part, if one is to be added, or most. */
static size_t kind_next(const struct tl_capacity_in *in, double n, const struct tl_lqn *lqn,
			double sign)
{
	double all = base(in), most = -INFINITY, part;
	size_t t, at = TL_LQN_NONE;

	for (t = 0; t < lqn->tasks; t++) {
		part = sign * (n * in->lqn->task[t].threads / all - lqn->task[t].threads);
		if (!varies(in, t) || part <= most || (sign < 0 && lqn->task[t].threads < 2))
			continue;
		most = part;
		at = t;
	}
	return at;
}

/* Parts rounded down, and what is left by largest remainders. At least one of each. */
static void customers_set(const struct tl_capacity_in *in, double n, struct tl_lqn *lqn)
{
	double all = base(in), left = n;
	size_t t;

	for (t = 0; t < lqn->tasks; t++) {
		if (!varies(in, t))
			continue;
		lqn->task[t].threads = (uint32_t)fmax(1, floor(n * in->lqn->task[t].threads / all));
		left -= lqn->task[t].threads;
	}
	for (; left >= 1; left--)
		lqn->task[kind_next(in, n, lqn, 1)].threads++;
	for (; left <= -1 && kind_next(in, n, lqn, -1) != TL_LQN_NONE; left++)
		lqn->task[kind_next(in, n, lqn, -1)].threads--;
}

/**
 * tl_capacity_load() - Put a load onto a network
 * @in: what varies, in which proportions
 * @n: load, whole if it is a number of customers
 * @lqn: a copy of @in's network, changed
 */
void tl_capacity_load(const struct tl_capacity_in *in, double n, struct tl_lqn *lqn)
{
	double all = base(in);
	size_t e;

	if (!in->arrivals)
		customers_set(in, n, lqn);
	for (e = 0; in->arrivals && e < lqn->entries; e++)
		if (in->vary[e])
			lqn->entry[e].arrivals_per_s = n * in->lqn->entry[e].arrivals_per_s / all;
}

/* Requests from outside at an entry if nobody waits: of those that vary for a load of one,
 * or of the others. */
static double source(const struct tl_capacity_in *in, size_t e, const struct tl_lqn_hold *hold,
		     bool varying)
{
	const struct tl_lqn_entry *entry = &in->lqn->entry[e];
	const struct tl_lqn_task *task = &in->lqn->task[entry->task];
	double part = varying ? 1 / base(in) : 1;

	if (!task->reference)
		return (in->arrivals && in->vary[e]) == varying ? part * entry->arrivals_per_s : 0;
	return varies(in, entry->task) == varying ?
		       part * task->threads / (task->think_s + hold[e].thread_s) : 0;
}

/* Servers and threads that are in use, as parts of those there are: processors, then tasks.
 * @flow: [entries] requests per second; @use: [processors + tasks] */
static void use_fill(const struct tl_lqn *lqn, const struct tl_lqn_hold *hold,
		     const double *flow, double *use)
{
	size_t e, t;

	for (e = 0; e < lqn->entries; e++) {
		const struct tl_lqn_task *task = &lqn->task[lqn->entry[e].task];
		uint32_t servers = lqn->processor[task->processor].servers;

		t = lqn->entry[e].task;
		if (servers != TL_LQN_UNLIMITED)
			use[task->processor] += flow[e] / servers * (tl_lqn_demand_s(lqn, e, 0) +
								    tl_lqn_demand_s(lqn, e, 1));
		if (!task->reference && task->threads != TL_LQN_UNLIMITED)
			use[lqn->processors + t] += flow[e] * hold[e].thread_s / task->threads;
	}
}

static void cross(const struct tl_lqn *lqn, const double *one, const double *others,
		  struct tl_capacity_asymptote *at)
{
	size_t i;
	double n;

	for (i = 0; i < lqn->processors + lqn->tasks; i++) {
		n = one[i] > 0 ? fmax(1 - others[i], 0) / one[i] : INFINITY;
		if (n >= at->n)
			continue;
		at->n = n;
		at->pool = i >= lqn->processors;
		at->of = at->pool ? i - lqn->processors : i;
	}
}

/**
 * tl_capacity_asymptote() - Where the network is saturated
 * @in: network and what varies
 * @at: filled in
 *
 * Return: 0 or -ENOMEM.
 */
int tl_capacity_asymptote(const struct tl_capacity_in *in, struct tl_capacity_asymptote *at)
{
	const struct tl_lqn *lqn = in->lqn;
	size_t resources = lqn->processors + lqn->tasks, e;
	struct tl_lqn_hold *hold = calloc(lqn->entries + 1, sizeof(*hold));
	double *flow = calloc(2 * (lqn->entries + resources) + 1, sizeof(*flow));
	double *others = flow + lqn->entries, *use = others + lqn->entries, rate = 0;

	*at = (struct tl_capacity_asymptote){ .n = INFINITY };
	if (!hold || !flow) {
		free(hold);
		free(flow);
		return -ENOMEM;
	}
	tl_lqn_holds(lqn, hold);
	for (e = 0; e < lqn->entries; e++) {
		flow[e] = source(in, e, hold, true);
		others[e] = source(in, e, hold, false);
		rate += flow[e];
	}
	tl_lqn_flow(lqn, flow);
	tl_lqn_flow(lqn, others);
	use_fill(lqn, hold, flow, use);
	use_fill(lqn, hold, others, use + resources);
	cross(lqn, use, use + resources, at);
	at->throughput_per_s = isfinite(at->n) ? rate * at->n : 0;
	free(hold);
	free(flow);
	return 0;
}
