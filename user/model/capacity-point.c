// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What becomes of a layered queueing network with one load, and whether limits hold
 *
 * Solutions have means. How times are spread is from simulations with loads nearby: a
 * quantile is the solution's mean of these requests times the ratio of quantile and mean
 * that was simulated (lqn-watch.c), interpolated between two simulated loads, and
 * -ln (1 - p), that of exponential times, before there is any. Errors are the part of the
 * requests above the timeout, by the same: limiting that part to e is limiting the
 * quantile of 1 - e to the timeout.
 */
#include "capacity.h"

#include "lqn-solve.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHAPE_SAME 1.1 /* times a load: times are spread much the same */
#define SHARE_SURE 1.001 /* of the largest throughput that was measured */

/**
 * tl_limit_is_simulated() - Whether only simulations tell what is limited
 * @limit: limit
 *
 * Return: whether it is about how times are spread.
 */
bool tl_limit_is_simulated(const struct tl_limit *limit)
{
	return limit->what == TL_LIMIT_PERCENTILE || limit->what == TL_LIMIT_ERRORS;
}

/**
 * tl_limit_part() - The part of the requests that a limit is about
 * @limit: of a percentile or of errors
 *
 * Return: the part that must be answered in time.
 */
double tl_limit_part(const struct tl_limit *limit)
{
	return limit->what == TL_LIMIT_ERRORS ? 1 - limit->most : limit->part;
}

/**
 * tl_limit_is_known() - Whether what is limited may be shown at a point
 * @in: limits
 * @out: the simulations
 * @point: solved and judged
 * @limit: index
 *
 * Return: whether it is a solution's, or between loads that were simulated, or nearly so.
 */
bool tl_limit_is_known(const struct tl_capacity_in *in, const struct tl_capacity_out *out,
		       const struct tl_capacity_point *point, size_t limit)
{
	if (point->verdict != TL_LQN_OK)
		return false;
	return !tl_limit_is_simulated(&in->limit[limit]) ||
	       (out->shapes && point->n >= out->shape[0].n / SHAPE_SAME &&
		point->n <= out->shape[out->shapes - 1].n * SHAPE_SAME);
}

/* Time until phase 1 is over. */
static double own_reply_s(const struct tl_lqn_figures *value, size_t e)
{
	return value->entry[e].waiting_s + value->entry[e].service_s[0];
}

/* Requests of others that wait for a reply, per second, by an entry or by customers. */
static double asked_per_s(const struct tl_lqn *lqn, const struct tl_lqn_figures *value,
			  size_t e, bool customers, const double *reply, double *time)
{
	const struct tl_lqn_entry *entry = &lqn->entry[e];
	double rate = 0, this;
	size_t p, k;

	for (p = 0; p < TL_LQN_PHASES && lqn->task[entry->task].reference == customers; p++)
		for (k = entry->phase[p].first_call;
		     k < entry->phase[p].first_call + entry->phase[p].calls; k++) {
			if (lqn->call[k].kind != TL_LQN_SYNC)
				continue;
			this = value->entry[e].throughput_per_s * lqn->call[k].mean;
			rate += this;
			*time += this * reply[lqn->call[k].to];
		}
	return rate;
}

/* Mean time of all requests from outside. */
static double outside_s(const struct tl_lqn *lqn, const struct tl_lqn_figures *value,
			const double *reply)
{
	double rate = 0, time = 0;
	size_t e;

	for (e = 0; e < lqn->entries; e++) {
		rate += asked_per_s(lqn, value, e, true, reply, &time);
		rate += lqn->entry[e].arrivals_per_s;
		time += lqn->entry[e].arrivals_per_s * own_reply_s(value, e);
	}
	return rate > 0 ? time / rate : 0;
}

static bool waited_for(const struct tl_lqn *lqn, size_t e)
{
	size_t k;

	for (k = 0; k < lqn->calls; k++)
		if (lqn->call[k].to == e && lqn->call[k].kind == TL_LQN_SYNC)
			return true;
	return false;
}

/* The longest of customers' cycles and of responses to arrivals. */
static double longest_s(const struct tl_lqn *lqn, const struct tl_lqn_figures *value)
{
	double most = 0;
	size_t i;

	for (i = 0; i < lqn->tasks; i++)
		if (lqn->task[i].reference)
			most = fmax(most, value->task[i].response_s);
	for (i = 0; i < lqn->entries; i++)
		if (lqn->entry[i].arrivals_per_s > 0)
			most = fmax(most, own_reply_s(value, i));
	return most;
}

static double busiest(const struct tl_lqn *lqn, const struct tl_lqn_figures *value)
{
	double most = 0;
	size_t p;

	for (p = 0; p < lqn->processors; p++)
		if (lqn->processor[p].servers != TL_LQN_UNLIMITED)
			most = fmax(most, value->processor[p]);
	return most;
}

/* What a solution says of a limit; of one that simulations tell, the mean. */
static double limited(const struct tl_lqn *lqn, const struct tl_limit *limit,
		      const struct tl_lqn_figures *value, const double *reply)
{
	if (limit->what == TL_LIMIT_UTILISATION) {
		if (limit->task != TL_LQN_NONE)
			return value->task[limit->task].utilisation;
		if (limit->processor != TL_LQN_NONE)
			return value->processor[limit->processor];
		return busiest(lqn, value);
	}
	if (limit->entry != TL_LQN_NONE)
		return waited_for(lqn, limit->entry) ? reply[limit->entry] :
						       own_reply_s(value, limit->entry);
	if (limit->what == TL_LIMIT_RESPONSE)
		return longest_s(lqn, value);
	return outside_s(lqn, value, reply);
}

/* Throughput and mean response of what varies, or of everything from outside. */
static void load_figures(const struct tl_capacity_in *in, const struct tl_lqn *lqn,
			 const struct tl_lqn_figures *value, struct tl_capacity_point *point)
{
	double time = 0, rate;
	size_t i;

	for (i = 0; i < lqn->tasks; i++) {
		rate = lqn->task[i].reference ? value->task[i].throughput_per_s : 0;
		point->outside_per_s += rate;
		if (in->arrivals || !in->vary[i])
			continue;
		point->throughput_per_s += rate;
		time += rate * value->task[i].response_s;
	}
	for (i = 0; i < lqn->entries; i++) {
		rate = lqn->entry[i].arrivals_per_s;
		point->outside_per_s += rate;
		if (!in->arrivals || !in->vary[i])
			continue;
		point->throughput_per_s += rate;
		time += rate * own_reply_s(value, i);
	}
	point->response_s = point->throughput_per_s > 0 ? time / point->throughput_per_s : 0;
}

static int figures_keep(const struct tl_capacity_in *in, const struct tl_lqn *lqn,
			const struct tl_lqn_solution *s, struct tl_capacity_point *point)
{
	double *reply = calloc(lqn->entries + 1, sizeof(*reply));
	size_t i;

	if (!reply)
		return -ENOMEM;
	tl_lqn_replies(lqn, &s->value, reply);
	load_figures(in, lqn, &s->value, point);
	for (i = 0; i < lqn->processors; i++)
		point->processor[i] = s->value.processor[i];
	for (i = 0; i < lqn->tasks; i++)
		point->task[i] = s->value.task[i].utilisation;
	for (i = 0; i < in->limits; i++)
		point->mean_s[i] = limited(lqn, &in->limit[i], &s->value, reply);
	point->checks = s->checks;
	free(reply);
	return 0;
}

/**
 * tl_capacity_solve() - Find out what becomes of the network with a load
 * @in: network and what varies
 * @work: a copy of it, which gets the load
 * @n: load
 * @point: filled in but for what tl_capacity_judge() does; its arrays are freed by the
 *         caller in any case
 *
 * Return: 0 or -ENOMEM.
 */
int tl_capacity_solve(const struct tl_capacity_in *in, struct tl_lqn *work, double n,
		      struct tl_capacity_point *point)
{
	struct tl_lqn_solve_out out;
	int code;

	*point = (struct tl_capacity_point){ .n = n };
	point->processor = calloc(work->processors + 1, sizeof(*point->processor));
	point->task = calloc(work->tasks + 1, sizeof(*point->task));
	if (!point->processor || !point->task)
		return -ENOMEM;
	tl_capacity_load(in, n, work);
	code = tl_lqn_solve(work, &out);
	point->verdict = code ? TL_LQN_NOT_CONVERGED : out.solution.verdict;
	point->residual = code ? INFINITY : out.solution.residual;
	point->culprit = out.solution.culprit;
	if (!code && point->verdict == TL_LQN_OK)
		code = figures_keep(in, work, &out.solution, point);
	tl_lqn_solution_free(&out.solution);
	return code == -ENOMEM ? code : 0;
}

/* ---- judgement ------------------------------------------------------------------ */

/* A figure of the simulated loads on both sides, interpolated. */
static double between(const struct tl_capacity_out *out, double n,
		      double (*figure)(const struct tl_lqn_watched *watched, double arg),
		      size_t limit, double arg)
{
	const struct tl_capacity_shape *low = NULL, *high = NULL;
	size_t i;
	double a;

	for (i = 0; i < out->shapes; i++) {
		if (out->shape[i].n <= n)
			low = &out->shape[i];
		else if (!high)
			high = &out->shape[i];
	}
	if (!low || !high)
		return figure(&(low ? low : high)->watched[limit], arg);
	a = figure(&low->watched[limit], arg);
	return a + (figure(&high->watched[limit], arg) - a) * (n - low->n) / (high->n - low->n);
}

/* @tilt: which end of its interval. */
static double shape(const struct tl_lqn_watched *watched, double tilt)
{
	return watched->shape + tilt * watched->shape_half95;
}

/* @timeout: as a multiple of the mean. */
static double above(const struct tl_lqn_watched *watched, double timeout)
{
	return tl_lqn_watch_above(watched->count, timeout * watched->mean_s);
}

/* Quantile of the part that must be in time. */
static double quantile_s(const struct tl_capacity_in *in, const struct tl_capacity_out *out,
			 const struct tl_capacity_point *point, size_t limit, int tilt)
{
	double mean_s = point->mean_s[limit];

	if (!out->shapes)
		return -log1p(-tl_limit_part(&in->limit[limit])) * mean_s;
	return between(out, point->n, shape, limit, tilt) * mean_s;
}

static double errors(const struct tl_capacity_in *in, const struct tl_capacity_out *out,
		     const struct tl_capacity_point *point, size_t limit)
{
	double mean_s = point->mean_s[limit], timeout_s = in->limit[limit].timeout_s;

	if (!(mean_s > 0))
		return 0;
	if (!out->shapes)
		return exp(-timeout_s / mean_s);
	return between(out, point->n, above, limit, timeout_s / mean_s);
}

/* Return: whether the limit holds. */
static bool limit_judge(const struct tl_capacity_in *in, const struct tl_capacity_out *out,
			int tilt, struct tl_capacity_point *point, size_t i)
{
	const struct tl_limit *limit = &in->limit[i];

	switch (limit->what) {
	case TL_LIMIT_PERCENTILE:
		point->value[i] = quantile_s(in, out, point, i, tilt);
		return point->value[i] <= limit->most;
	case TL_LIMIT_ERRORS:
		point->value[i] = errors(in, out, point, i);
		return quantile_s(in, out, point, i, tilt) <= limit->timeout_s;
	default:
		point->value[i] = point->mean_s[i];
		return point->value[i] <= limit->most;
	}
}

static bool believed(const struct tl_capacity_in *in, const struct tl_capacity_point *point)
{
	const struct tl_lqn *lqn = in->lqn;
	const double *measured = lqn->measured_per_s;
	size_t p;

	for (p = 0; p < lqn->processors; p++)
		if (lqn->processor[p].servers != TL_LQN_UNLIMITED &&
		    point->processor[p] > in->trusted)
			return false;
	return !(measured[1] > 0) || (point->outside_per_s * SHARE_SURE >= measured[0] &&
				      point->outside_per_s <= measured[1] * SHARE_SURE);
}

/**
 * tl_capacity_judge() - See whether limits hold at a point
 * @in: limits
 * @out: the simulations so far
 * @tilt: 0, or -1 or 1 for the lower and upper ends of what they say
 * @point: solved; its judgement is filled in
 */
void tl_capacity_judge(const struct tl_capacity_in *in, const struct tl_capacity_out *out,
		       int tilt, struct tl_capacity_point *point)
{
	bool holds = true, unknown;
	size_t i;

	if (point->verdict != TL_LQN_OK) {
		unknown = point->verdict == TL_LQN_NOT_CONVERGED ||
			  (out->steady && point->verdict == TL_LQN_UNSTABLE);
		point->state = unknown ? TL_POINT_UNKNOWN : TL_POINT_UNSTABLE;
		point->believed = false;
		return;
	}
	for (i = 0; i < in->limits; i++)
		holds = limit_judge(in, out, tilt, point, i) && holds;
	point->state = holds ? TL_POINT_HOLDS : TL_POINT_BREAKS;
	point->believed = believed(in, point);
}
