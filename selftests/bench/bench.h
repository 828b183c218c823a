/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is measured, and how it is asked for. */
#ifndef BENCH_H
#define BENCH_H

#include "port.h"

#define BENCH_SIZES 6

/* One thing that is measured, at some sizes. Names and sizes are what two results are compared by. */
struct bench {
	const char *name;
	const char *of; /* one what is counted: "event" */
	const char *size_is; /* what the size is a number of; NULL: nothing grows */
	u64 sizes[BENCH_SIZES]; /* 0 after the last */
	u64 ops; /* of it in a run, about: a tenth of a second or more */
	bool many; /* also on all processors at once, each with its part of the size */
	void (*prepare)(u64 size, unsigned int cpus);
	/* Does at least @ops of it as processor @cpu. Return: how many it did. */
	u64 (*run)(unsigned int cpu, u64 ops);
	bool children; /* processes that it runs do it */
};

extern const struct bench bench_core[], bench_module[], bench_models[];
extern const struct bench *const bench_lists[]; /* of a program; NULL after the last */

/* Requests that are under way at once on a processor, each with a connection of its own. */
#define BENCH_UNDER_WAY 64

u64 bench_random(u64 *state);
u64 bench_pair(u64 *state, u64 pairs, unsigned int under_way, unsigned int k);
void *bench_alloc(size_t bytes);
void bench_keep(u64 value); /* so that nothing is left out as having no use */
void bench_processor(unsigned int cpu);

#endif
