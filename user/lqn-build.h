/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LQN_BUILD_H
#define TL_LQN_BUILD_H

#include "demand-model.h"
#include "lqn-built.h"

#include <stddef.h>

struct tl_error;
struct tl_interval;
struct tl_path;

#define TL_BUILD_THREADS_MAX 1000
#define TL_BUILD_TYPES_MAX 100 /* of users */

/**
 * struct tl_build_in - What a network is to be built from
 * @recording: file that it was measured in
 * @demands: file with demands, NULL for those of the recording
 * @cbmg: file with a customer behaviour model graph, NULL for the recording's mix
 * @front: name of the tier that customers come to, NULL for the busiest that nobody calls
 * @customers: 0 if it is not said how many
 * @think_s: below 0 if it is not said how long they think
 * @processors: of the host, 0 for those of the recording
 * @threads: [n_threads] "TIER=N"
 */
struct tl_build_in {
	const char *recording, *demands, *cbmg, *front;
	unsigned int customers;
	double think_s;
	unsigned int processors;
	const char *threads[TL_BUILD_THREADS_MAX];
	size_t n_threads;
};

/**
 * struct tl_build_node - What becomes of a path
 * @root: index of the front tier's path above it
 * @entry: index, TL_LQN_NONE for a path that is in no network
 * @task: index
 * @known_s: own time that is in its demand, or in its pause as neither working nor ready
 */
struct tl_build_node {
	size_t root, entry, task;
	double known_s;
};

/**
 * struct tl_build - A network while it is built
 * @in: from what
 * @built: what comes of it
 * @windows: the recording's, window by window
 * @fit: demands from it
 * @given: demands from a file
 * @demand: one of both, or NULL
 * @total: sum of the windows that are not left out
 * @node: [total->n_paths]
 * @seconds: their length
 * @processors: of the host
 * @host: index of the host's processors in @built
 * @front: index of the tier in @total that customers come to
 * @rest_s: processor time per request that no tier is charged with
 */
struct tl_build {
	const struct tl_build_in *in;
	struct tl_built *built;
	struct tl_windows windows;
	struct tl_demand fit;
	struct tl_model given;
	const struct tl_demand *demand;
	struct tl_interval *total;
	struct tl_build_node *node;
	double seconds, processors;
	size_t host, front;
	struct tl_built_number rest_s;
};

/* lqn-build.c */
int tl_lqn_build(const struct tl_build_in *in, struct tl_built *built, struct tl_error *err);

/* lqn-build-demand.c */
int tl_build_demands(struct tl_build *b, struct tl_error *err);

/* lqn-build-load.c */
int tl_build_load(struct tl_build *b, struct tl_error *err);

#endif
