/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_BOTTLENECK_H
#define TL_MODEL_BOTTLENECK_H

#include "lqn-solve.h"

/**
 * struct tl_bottleneck_place - A processor or the threads of a task, of which there is a limit
 * @pool: whether it is a task
 * @of: index of it
 * @count: servers or threads
 * @utilisation: part of them
 * @gain: by how much throughput would rise with twice as many, relative; if there are no
 *        customers, by how much less requests there would be: before / after - 1
 * @known: whether that has a solution
 */
struct tl_bottleneck_place {
	bool pool;
	size_t of;
	uint32_t count;
	double utilisation, gain;
	bool known;
};

/**
 * struct tl_bottleneck_wait - Who waits where
 * @layer: of each task: the longest chain of calls to it; 0 is customers, [tasks]
 * @threads: mean number of requests that wait for threads of each task, [tasks]
 * @processor: mean number of those that have one and wait for its processor, [tasks]
 * @layers: [n_layers] sums over the tasks of each layer
 */
struct tl_bottleneck_wait {
	size_t *layer, n_layers;
	double *threads, *processor, *layers;
};

/**
 * struct tl_bottleneck_out - What came of it
 * @solved: the network as it is; no figures if it has no solution
 * @place: [places] with the largest gain first
 * @wait: of @solved
 * @customers: whether gains are of their throughput
 * @relieved: number of servers or threads of place[0] from which on another is the
 *            bottleneck; 0 if none ever is
 * @next: which that is, and its figures then; @known is false if nothing is
 * @total_gain: of so many of place[0], relative; 0 if the network has no solution as it is
 * @stable_from: of so many of place[0] there is a steady state; 0 if there is one anyway
 */
struct tl_bottleneck_out {
	struct tl_lqn_solve_out solved;
	struct tl_bottleneck_place *place;
	size_t places;
	struct tl_bottleneck_wait wait;
	bool customers;
	uint32_t relieved;
	struct tl_bottleneck_place next;
	double total_gain;
	uint32_t stable_from;
};

#define TL_BOTTLENECK_WEAK 0.001 /* a gain below this is none */

int tl_bottleneck(const struct tl_lqn *lqn, struct tl_bottleneck_out *out);
void tl_bottleneck_free(struct tl_bottleneck_out *out);
void tl_bottleneck_relieve(struct tl_lqn *lqn, const struct tl_bottleneck_place *place,
			   uint32_t count);

/* bottleneck-wait.c */
int tl_bottleneck_wait(const struct tl_lqn *lqn, const struct tl_lqn_figures *value,
		       struct tl_bottleneck_wait *wait);
void tl_bottleneck_wait_free(struct tl_bottleneck_wait *wait);

#endif
