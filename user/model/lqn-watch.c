// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How times of simulated requests are spread
 *
 * Counted in buckets of which each power of two has 32, so none is wider than a 32nd of its
 * times; quantiles go straight from one bound to the next within. Each batch has its own
 * counts.
 *
 * A quantile by itself is as uncertain as the mean is, and in a busy network that means
 * much: whether a run has seen many customers at once is chance. Most of that is the same
 * chance, though: their ratio, the shape, is known several times better. Its interval is
 * that of the ratio of the batches' own quantiles and means.
 */
#include "lqn-watch.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 32 /* of a power of two */
#define EXPONENT_FIRST (-30) /* a nanosecond */

static size_t bucket_of(double time_s)
{
	int exponent;
	double part = frexp(time_s, &exponent), at;

	at = (exponent - EXPONENT_FIRST) * STEPS + floor((part - 0.5) * 2 * STEPS);
	return !(time_s > 0) || at <= 0 ? 0 : at < TL_LQN_WATCH_BUCKETS ? (size_t)at : TL_LQN_WATCH_BUCKETS - 1;
}

static double bound_s(size_t bucket)
{
	if (!bucket)
		return 0;
	return ldexp(0.5 + (double)(bucket % STEPS) / (2 * STEPS),
		     (int)(bucket / STEPS) + EXPONENT_FIRST);
}

/**
 * sim_watch_add() - Count a request
 * @sums: [SIM_WATCH_SUMS] of its watch
 * @time_s: from the request to the reply
 */
void sim_watch_add(double *sums, double time_s)
{
	sums[SIM_WATCH_N]++;
	sums[SIM_WATCH_TIME] += time_s;
	sums[SIM_WATCH_BUCKET + bucket_of(time_s)]++;
}

static double sum_of(const double *count)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < TL_LQN_WATCH_BUCKETS; i++)
		sum += count[i];
	return sum;
}

/**
 * tl_lqn_watch_quantile() - The time that a part of the requests does not exceed
 * @count: [TL_LQN_WATCH_BUCKETS] how many took how long
 * @part: 0 to 1
 *
 * Return: seconds; 0 if there are no requests.
 */
double tl_lqn_watch_quantile(const double *count, double part)
{
	double left = part * sum_of(count);
	size_t i;

	for (i = 0; i + 1 < TL_LQN_WATCH_BUCKETS; i++) {
		if (count[i] > 0 && left <= count[i])
			return bound_s(i) + (bound_s(i + 1) - bound_s(i)) * left / count[i];
		left -= count[i];
	}
	return sum_of(count) > 0 ? bound_s(i) : 0;
}

/**
 * tl_lqn_watch_above() - The part of the requests that take longer
 * @count: [TL_LQN_WATCH_BUCKETS] how many took how long
 * @time_s: than this
 *
 * Return: 0 to 1.
 */
double tl_lqn_watch_above(const double *count, double time_s)
{
	size_t at = bucket_of(time_s), i;
	double sum = sum_of(count), above = 0, width = bound_s(at + 1) - bound_s(at);

	for (i = at + 1; i < TL_LQN_WATCH_BUCKETS; i++)
		above += count[i];
	above += count[at] * fmin(fmax((bound_s(at + 1) - time_s) / width, 0), 1);
	return sum > 0 ? above / sum : 0;
}

/**
 * sim_watch_fill() - What a watch has seen
 * @batches: batches of a run that is over, the warm-up told
 * @column: of the watch's first sum
 * @part: of the quantile
 * @watched: filled in; @count is freed by the caller
 *
 * Return: 0 or -ENOMEM.
 */
int sim_watch_fill(const struct tl_batches *batches, size_t column, double part,
		   struct tl_lqn_watched *watched)
{
	double quantile[TL_BATCHES_MAX], mean[TL_BATCHES_MAX], time_s = 0;
	struct tl_batch_estimate estimate;
	size_t i, k;

	watched->count = calloc(TL_LQN_WATCH_BUCKETS, sizeof(*watched->count));
	if (!watched->count)
		return -ENOMEM;
	for (i = 0; i < batches->n; i++) {
		const double *sums = &batches->sum[i * batches->columns + column];
		double n = sums[SIM_WATCH_N];

		mean[i] = n > 0 ? sums[SIM_WATCH_TIME] / n : 0;
		quantile[i] = tl_lqn_watch_quantile(sums + SIM_WATCH_BUCKET, part);
		if (i < batches->first)
			continue;
		watched->requests += n;
		time_s += sums[SIM_WATCH_TIME];
		for (k = 0; k < TL_LQN_WATCH_BUCKETS; k++)
			watched->count[k] += sums[SIM_WATCH_BUCKET + k];
	}
	if (!(time_s > 0))
		return 0;
	watched->mean_s = time_s / watched->requests;
	watched->quantile_s = tl_lqn_watch_quantile(watched->count, part);
	watched->shape = watched->quantile_s / watched->mean_s;
	tl_batches_ratio(batches, quantile, mean, &estimate);
	watched->shape_half95 = estimate.half95;
	return 0;
}
