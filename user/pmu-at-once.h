/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events are on a processor's counters at once, as the kernel has it. */
#ifndef TL_PMU_AT_ONCE_H
#define TL_PMU_AT_ONCE_H

#include <stddef.h>

struct perf_event_attr;
struct tl_error;
struct tl_pmu_info;

/* More than any processor has counters: who takes so many has no limit. */
#define TL_PMU_AT_ONCE_ANY 32

/**
 * struct tl_pmu_at_once - How an event goes onto counters
 * @at_once: so many of it are counted at the same time, TL_PMU_AT_ONCE_ANY without limit; 0: none
 * @cpu: on this processor, the first one that counts it
 * @unavailable: why none is; NULL if some are
 */
struct tl_pmu_at_once {
	unsigned int at_once;
	int cpu;
	const char *unavailable;
};

int tl_pmu_at_once(const struct tl_pmu_info *event, struct tl_pmu_at_once *fit, struct tl_error *err);
int tl_pmu_groups(const char *devices, const struct tl_pmu_info *event, size_t n,
		  size_t *group, struct tl_error *err);

/* perf_event_open(2), of all threads of @cpu. Tests put their own counters here. */
extern int (*tl_pmu_perf_open)(struct perf_event_attr *attr, int cpu, int leader);

#endif
