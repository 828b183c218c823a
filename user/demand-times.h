/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DEMAND_TIMES_H
#define TL_DEMAND_TIMES_H

#include "demand.h"

double *tl_times_gather(const struct tl_demand *d, enum tl_column_kind kind, size_t tier);
bool tl_target_is_processor(const struct tl_windows *windows,
			    const struct tl_target *target);
/* Below that requests hardly wait for each other. */
#define TL_WAITING_MIN 0.2

bool tl_target_is_alone(const struct tl_demand *d, const struct tl_target *target);
double tl_tier_busiest(const struct tl_demand *d, const struct tl_target *target);
size_t tl_tier_resources(const struct tl_demand *d, size_t tier, size_t *targets);
double *tl_busy_gather(const struct tl_demand *d, const size_t *targets, size_t n);
void tl_times_apportion(const struct tl_demand *d, struct tl_target *target,
			double **times, double **outside);

#endif
