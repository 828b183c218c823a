/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DEMAND_OUT_H
#define TL_DEMAND_OUT_H

#include "demand.h"

#include <jansson.h>
#include <stdio.h>

/* demand-text.c: all texts are to be freed by the caller, NULL without memory */
char *tl_demand_set_text(const struct tl_demand *demand, size_t set);
char *tl_demand_remedy(const struct tl_demand *demand, size_t set);
char *tl_estimate_verdict(const struct tl_demand *demand, const struct tl_target *target,
			  size_t column);
char *tl_demand_verdict(const struct tl_demand *demand);
char *tl_target_check(const struct tl_demand *demand, const struct tl_target *target);
const char *tl_demand_column(const struct tl_demand *demand, size_t column);
bool tl_estimate_known(const struct tl_estimate *e);
bool tl_estimate_bounded(const struct tl_estimate *e);

json_t *tl_demand_json(const struct tl_demand *demand);
void tl_demand_print(const struct tl_demand *demand, FILE *to);

#endif
