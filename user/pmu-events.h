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

int tl_pmu_events_find(const char *devices, const char *text, struct tl_pmu_info *event,
		       struct tl_error *err);
int tl_pmu_events_list(const char *devices, struct tl_pmu_names *names, struct tl_error *err);
void tl_pmu_events_free(struct tl_pmu_names *names);

#endif
