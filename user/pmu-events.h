/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_PMU_EVENTS_H
#define TL_PMU_EVENTS_H

#include "ctl.h"

#define TL_PMU_DEVICES "/sys/bus/event_source/devices"

struct tl_error;

/**
 * struct tl_pmu_names - Events that this machine names
 * @event: [n] their type and configuration
 * @device: [n] who counts them; owned
 */
struct tl_pmu_names {
	struct tl_pmu_info *event;
	char **device;
	size_t n;
};

/**
 * struct tl_pmu_cap - One thing that a device tells about its counters
 * @device: whose
 * @name: as the kernel calls it
 * @value: the same
 */
struct tl_pmu_cap {
	char device[64], name[64], value[128];
};

int tl_pmu_events_find(const char *devices, const char *text, struct tl_pmu_info *event,
		       struct tl_error *err);
int tl_pmu_events_list(const char *devices, struct tl_pmu_names *names, struct tl_error *err);
void tl_pmu_events_free(struct tl_pmu_names *names);
bool tl_pmu_events_core(const char *devices, u32 type);
int tl_pmu_events_caps(const char *devices, struct tl_pmu_cap **caps, size_t *n,
		       struct tl_error *err);

#endif
