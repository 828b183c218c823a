/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_LQN_WATCH_H
#define TL_MODEL_LQN_WATCH_H

#include "lqn-batch.h"

#define TL_LQN_WATCHES_MAX 16
#define TL_LQN_WATCH_BUCKETS 1920

/**
 * struct tl_lqn_watch - Requests whose times are to be told in full
 * @entry: [entries] those to these entries, whoever asks; NULL for those that come from
 *         outside: the calls that customers wait for, and arrivals
 * @part: of the requests that a quantile is wanted of, 0 to 1
 */
struct tl_lqn_watch {
	const bool *entry;
	double part;
};

/**
 * struct tl_lqn_watched - Times from request to reply
 * @requests: how many; 0: nothing else is known
 * @mean_s: mean
 * @quantile_s: @part of them take no longer
 * @shape: @quantile_s / @mean_s
 * @shape_half95: half the width of its 95 % interval
 * @count: [TL_LQN_WATCH_BUCKETS] how many took how long
 *
 * Who waits for a reply has that of whoever it is forwarded to. If nobody waits, it is the
 * time until the entry's phase 1 is over.
 */
struct tl_lqn_watched {
	double requests, mean_s, quantile_s, shape, shape_half95;
	double *count;
};

double tl_lqn_watch_quantile(const double *count, double part);
double tl_lqn_watch_above(const double *count, double time_s);

/* For the simulator: what a watch has in a batch's row. */
enum sim_watch_sum { SIM_WATCH_N, SIM_WATCH_TIME, SIM_WATCH_BUCKET,
		     SIM_WATCH_SUMS = SIM_WATCH_BUCKET + TL_LQN_WATCH_BUCKETS };

void sim_watch_add(double *sums, double time_s);
int sim_watch_fill(const struct tl_batches *batches, size_t column, double part,
		   struct tl_lqn_watched *watched);

#endif
