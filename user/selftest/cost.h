/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SELFTEST_COST_H
#define TL_SELFTEST_COST_H

#include "hist.h"

struct tl_ctl;
struct tl_error;

#define TL_COST_PAIRS 6
#define TL_COSTS 16

/**
 * struct tl_cost - What measuring adds to an operation
 * @name: of the operation
 * @off_ns: what it takes with measuring off
 * @cost_ns: what measuring adds, the median over the pairs of blocks
 * @low_ns: the smallest over the pairs
 * @high_ns: the largest: the median lies between the two with 1 - 2^(1 - pairs)
 * @hits: of hooks by an operation; those on tracepoints are not counted
 * @hooks: which hooks, and how often each
 * @able: it can be done here
 */
struct tl_cost {
	const char *name;
	double off_ns, cost_ns, low_ns, high_ns, hits;
	char hooks[160];
	bool able;
};

struct tl_costs {
	struct tl_cost cost[TL_COSTS];
	size_t n;
};

bool tl_cost_in_noise(const struct tl_cost *cost);
int tl_costs_measure(struct tl_costs *costs, struct tl_ctl *ctl, struct tl_error *err);

#endif
