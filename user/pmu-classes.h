/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What events counted for requests, by tier and class. */
#ifndef TL_PMU_CLASSES_H
#define TL_PMU_CLASSES_H

#include <jansson.h>
#include <stdio.h>

struct tl_interval;
struct tl_pmu_info;

int tl_pmu_classes_print(const struct tl_interval *total, const struct tl_pmu_info *event, size_t n,
			 FILE *to);
json_t *tl_pmu_classes_json(const struct tl_interval *total, const struct tl_pmu_info *event, size_t n);
json_t *tl_pmu_outside_json(const struct tl_interval *total, const struct tl_pmu_info *event, size_t n);

#endif
