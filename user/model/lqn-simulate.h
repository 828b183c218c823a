/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_LQN_SIMULATE_H
#define TL_MODEL_LQN_SIMULATE_H

#include "lqn-figures.h"
#include "lqn-watch.h"

#define TL_LQN_CUSTOMERS_MAX (1U << 23)

/**
 * struct tl_lqn_simulate_in - What to simulate, and how well
 * @lqn: network
 * @seed: of chance; the same gives the same
 * @confidence: of the intervals that @precision is about, 0 to 1
 * @precision: relative half width to go on for; 0: until @time_s is over
 * @time_s: simulated seconds at most; 0 for no limit
 * @steps_max: how much may be done at most; what is counted are steps of works
 * @progress: called now and then with the relative half width so far (0: not known) and
 *            the part of what may be done that is done; NULL for nobody
 * @arg: for @progress
 * @watch: [watches] requests whose times are wanted in full, no more than
 *         TL_LQN_WATCHES_MAX
 */
struct tl_lqn_simulate_in {
	const struct tl_lqn *lqn;
	uint64_t seed;
	double confidence, precision, time_s;
	uint64_t steps_max;
	void (*progress)(void *arg, double half_width, double done);
	void *arg;
	const struct tl_lqn_watch *watch;
	size_t watches;
};

/**
 * struct tl_lqn_simulate_out - What came of it
 * @solution: figures and their intervals
 * @watched: of each watch
 * @factor: of intervals of the wanted confidence to those of 95 %
 * @time_s: simulated seconds in all
 * @warm_s: of those, what was left out at the beginning
 * @batches: how many the rest was cut into
 * @steps: how much was done
 */
struct tl_lqn_simulate_out {
	struct tl_lqn_solution solution;
	struct tl_lqn_watched watched[TL_LQN_WATCHES_MAX];
	double factor, time_s, warm_s;
	size_t batches;
	uint64_t steps;
};

int tl_lqn_simulate(const struct tl_lqn_simulate_in *in, struct tl_lqn_simulate_out *out);
void tl_lqn_simulated_free(struct tl_lqn_simulate_out *out);

#endif
