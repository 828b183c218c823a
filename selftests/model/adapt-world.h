/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A made-up service of three tiers and two classes, for tests of the adaptor. */
#ifndef ADAPT_WORLD_H
#define ADAPT_WORLD_H

#include "model/adapt.h"

#define TIERS 3
#define CLASSES 2
#define CELLS (TIERS * CLASSES)
#define FUNCTIONS 8 /* of a tier; the fault is in the third */
#define FAULTY 2

enum shape { EXPONENTIAL, LOGNORMAL_HALF, LOGNORMAL_1, LOGNORMAL_2, PARETO, SHAPES };

extern const char *const shape_names[SHAPES];

/**
 * struct world - A service
 * @requests: of each class in a window, on the average
 * @swing: of load in @period windows, and of times with it; @noise: of times from window to window
 * @tier: where the fault is, @class: of whose requests; CLASSES for all
 * @times: as many times as long its own times are; 1 for no fault
 * @timeouts: part of its requests that take 5 s
 * @network: what lies between the first two tiers takes so long, seconds
 * @bytes: of an answer, on the average; with it, times grow by @per_byte
 * @calls: of each of a tier's functions a request, @trap_s: what each costs; hooks cost @hook_s a request
 * @late: part of a tier's first window at method in whose requests calls are not seen yet
 * @level: obeyed, as is @others, of tiers that there are not
 */
struct world {
	enum shape shape;
	double requests, swing, period, noise;
	size_t tier, class;
	double times, timeouts, network, bytes, per_byte, calls, trap_s, hook_s, late;
	enum tl_at level[TIERS], others;
	size_t functions[TIERS];
	enum tl_at pinned[TIERS];
	bool dropped[TIERS][FUNCTIONS], fresh[TIERS], no_paths, no_cost;
	uint64_t random;
	/* what it makes */
	double t_s, share;
	uint64_t response[CELLS][TL_HIST_BUCKETS], own[CELLS][TL_HIST_BUCKETS];
	struct tl_adapt_cell cell[CELLS];
	struct tl_adapt_node node[CELLS];
	struct tl_adapt_call call[TIERS * FUNCTIONS * CLASSES];
	struct tl_adapt_in in;
};

void world_init(struct world *w, enum shape shape, double requests, uint64_t seed);
const struct tl_adapt_in *world_window(struct world *w);
void world_obey(struct world *w, const struct tl_adapt_out *out);

#endif
