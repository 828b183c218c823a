// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What measuring adds to operations on this machine
 *
 * All operations are done in a block, with measuring off, on, off, on and so on. Each
 * block with measuring on is held against the mean of the two beside it, so that what
 * drifts slowly cancels out; what jumps is left to the median. The interval is that of
 * the smallest and largest difference: the median of what they are drawn from lies
 * outside only if all of them fall on one side of it, 2 * 2^-pairs, whatever their
 * distribution. If it is not all above none, the hooks cost less than can be shown here.
 *
 * A block's figure is the median of a few times some repetitions, because now and then
 * something else runs in between.
 */
#include "selftest/cost.h"

#include "clock.h"
#include "ctl.h"
#include "error.h"
#include "out.h"
#include "selftest/operation.h"
#include "signals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS (2 * TL_COST_PAIRS + 1)
#define TIMES 7
#define TIME_NS 1500000.0 /* of one time */
#define CALM_S 0.05 /* after switching, which leaves the kernel work */
#define HOOKS 64

struct run {
	struct tl_ctl *ctl;
	struct tl_rig *rig;
	u64 n[TL_COSTS]; /* repetitions */
	double ns[TL_COSTS][BLOCKS];
	double hits[TL_COSTS][HOOKS]; /* least of all blocks: what others do comes on top */
	char hook[HOOKS][64];
	size_t n_hooks;
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* How long one takes, in ns; negative if it cannot be done. @done grows. */
static double time_once(struct tl_rig *rig, const struct tl_operation *op, u64 n, u64 *done)
{
	u64 begin_ns = tl_clock_ns(CLOCK_MONOTONIC);
	u64 times = op->repeat(rig, n);

	*done += times;
	return times ? (double)(tl_clock_ns(CLOCK_MONOTONIC) - begin_ns) / (double)times : -1;
}

static double time_op(struct tl_rig *rig, const struct tl_operation *op, u64 n, u64 *done)
{
	double ns[TIMES];
	int i;

	for (i = 0; i < TIMES; i++) {
		ns[i] = time_once(rig, op, n, done);
		if (ns[i] < 0)
			return -1;
	}
	return median(ns, TIMES);
}

static void make_ready(struct tl_rig *rig, const struct tl_operation *op, u64 n)
{
	if (op->prepare)
		op->prepare(rig, n);
}

static void clear(struct tl_rig *rig, const struct tl_operation *op, u64 n)
{
	if (op->clear)
		op->clear(rig, n);
}

/* How many repetitions take the time that one time should take. */
static void calibrate(struct run *run)
{
	u64 n, done;
	double ns;
	size_t i;

	for (i = 0; i < tl_operations_n; i++) {
		for (n = 16, done = 0;; n *= 4) {
			make_ready(run->rig, &tl_operations[i], n);
			ns = time_once(run->rig, &tl_operations[i], n, &done);
			clear(run->rig, &tl_operations[i], n);
			if (ns * (double)n * 4 > TIME_NS || n * 4 > TL_OPERATION_MAX)
				break;
		}
		run->n[i] = ns > 0 ? n : 0;
	}
}

static int hits_read(struct run *run, u64 *hits, struct tl_error *err)
{
	struct tl_hook *hooks = NULL;
	size_t n = 0, i;
	int code = tl_ctl_hooks(run->ctl, &hooks, &n, err);

	run->n_hooks = min(n, (size_t)HOOKS);
	for (i = 0; !code && i < run->n_hooks; i++) {
		strcpy(run->hook[i], hooks[i].name);
		hits[i] = hooks[i].hits;
	}
	free(hooks);
	return code;
}

static void hits_take(struct run *run, size_t op, const u64 *before, const u64 *after,
		      u64 done)
{
	double hits;
	size_t i;

	for (i = 0; i < run->n_hooks && done; i++) {
		hits = (double)(after[i] - before[i]) / (double)done;
		if (run->hits[op][i] < 0 || hits < run->hits[op][i])
			run->hits[op][i] = hits;
	}
}

static int op_run(struct run *run, size_t i, unsigned int block, struct tl_error *err)
{
	const struct tl_operation *op = &tl_operations[i];
	u64 before[HOOKS] = { 0 }, after[HOOKS] = { 0 }, done = 0;
	int code;

	make_ready(run->rig, op, TIMES * run->n[i]);
	code = hits_read(run, before, err);
	if (!code)
		run->ns[i][block] = time_op(run->rig, op, run->n[i], &done);
	code = code ? code : hits_read(run, after, err);
	clear(run->rig, op, TIMES * run->n[i]);
	if (run->ns[i][block] < 0)
		run->n[i] = 0;
	if (block % 2)
		hits_take(run, i, before, after, done);
	return code;
}

/* Measuring is off in the first block, on in the second, and so on. */
static int block_run(struct run *run, unsigned int block, struct tl_error *err)
{
	int code = 0;
	size_t i;

	if (block % 2)
		code = tl_ctl_enable(run->ctl, 0, 0, err);
	else if (block)
		code = tl_ctl_disable(run->ctl, err);
	tl_signals_sleep(CALM_S);
	for (i = 0; !code && i < tl_operations_n; i++)
		if (run->n[i])
			code = op_run(run, i, block, err);
	return code;
}

static void hooks_write(struct tl_cost *cost, const struct run *run, size_t op)
{
	size_t i, used = 0;

	for (i = 0; i < run->n_hooks; i++) {
		/* Others' are seldom, and mean nothing here. */
		if (run->hits[op][i] < 0.5 || used >= sizeof(cost->hooks) - 80)
			continue;
		cost->hits += run->hits[op][i];
		used += (size_t)snprintf(cost->hooks + used, sizeof(cost->hooks) - used,
					 "%s%s %.3g", used ? ", " : "", run->hook[i],
					 run->hits[op][i]);
	}
}

static void cost_take(struct tl_cost *cost, const struct run *run, size_t op)
{
	const double *ns = run->ns[op];
	double difference[TL_COST_PAIRS], off[TL_COST_PAIRS + 1];
	unsigned int i;

	cost->name = tl_operations[op].name;
	cost->able = run->n[op];
	for (i = 0; i < TL_COST_PAIRS; i++)
		difference[i] = ns[2 * i + 1] - (ns[2 * i] + ns[2 * i + 2]) / 2;
	for (i = 0; i <= TL_COST_PAIRS; i++)
		off[i] = ns[2 * i];
	cost->off_ns = median(off, TL_COST_PAIRS + 1);
	cost->cost_ns = median(difference, TL_COST_PAIRS);
	cost->low_ns = difference[0];
	cost->high_ns = difference[TL_COST_PAIRS - 1];
	hooks_write(cost, run, op);
}

/**
 * tl_cost_in_noise() - Whether what measuring adds could not be told from nothing
 * @cost: cost that was measured
 *
 * Return: true if so.
 */
bool tl_cost_in_noise(const struct tl_cost *cost)
{
	return cost->low_ns <= 0;
}

static int blocks_run(struct run *run, struct tl_error *err)
{
	unsigned int block;
	int code = 0;

	for (block = 0; !code && block < BLOCKS; block++) {
		tl_out_progress("cost: block %u of %u", block + 1, BLOCKS);
		if (tl_signals_stopped())
			return tl_error_set(err, -ECANCELED, "interrupted");
		code = block_run(run, block, err);
	}
	return code;
}

/**
 * tl_costs_measure() - Measure what the hooks cost here
 * @costs: filled in
 * @ctl: connection; measuring is off and will be
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_costs_measure(struct tl_costs *costs, struct tl_ctl *ctl, struct tl_error *err)
{
	struct run *run = calloc(1, sizeof(*run));
	size_t i, k;
	int code;

	if (!run)
		return tl_error_no_memory(err);
	run->ctl = ctl;
	for (i = 0; i < TL_COSTS; i++)
		for (k = 0; k < HOOKS; k++)
			run->hits[i][k] = -1;
	code = tl_rig_open(&run->rig, err);
	if (!code) {
		calibrate(run);
		code = blocks_run(run, err);
	}
	tl_rig_close(run->rig);
	for (i = 0; !code && i < tl_operations_n; i++)
		cost_take(&costs->cost[i], run, i);
	costs->n = code ? 0 : tl_operations_n;
	free(run);
	return code;
}
