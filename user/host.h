/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_HOST_H
#define TL_HOST_H

#include "hist.h"

#include <stdbool.h>

struct tl_host;
struct tl_interval;

/* More than there can be ends of intervals between a beginning and its figures. */
#define TL_HOST_SAMPLES 16

/* A counter that only grows, of something, or of time if @whole is 0. */
struct tl_host_counter {
	char *name;
	u64 value, whole;
	double unit;
};

struct tl_host_sample {
	u64 real_ns, mono_ns;
	struct tl_host_counter *counter;
	size_t n;
};

/**
 * struct tl_host_samples - Counters of the host at the ends of intervals
 * @root: where proc and sys are mounted, "" but for tests
 * @sample: the last ones, in a ring
 * @n: how many were taken
 */
struct tl_host_samples {
	const char *root;
	struct tl_host_sample sample[TL_HOST_SAMPLES];
	size_t n;
};

void tl_host_look(struct tl_host_samples *samples, u64 real_ns, u64 mono_ns);
int tl_host_add(const struct tl_host_samples *samples, struct tl_interval *interval);
int tl_host_tiers(struct tl_interval *interval, u32 processors);
void tl_host_processors(const struct tl_interval *interval, const struct tl_host *host,
			double *cpu_s, double *room_s);
void tl_host_free(struct tl_host_samples *samples);
u64 tl_host_slack_ns(u64 length_ns);

#endif
