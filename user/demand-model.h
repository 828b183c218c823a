/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DEMAND_MODEL_H
#define TL_DEMAND_MODEL_H

#include "demand.h"

#include <jansson.h>

#define TL_MODEL_FORMAT 1

/**
 * struct tl_model - Demands, as far as they are needed to predict
 * @names: classes, tiers and resources; no windows
 * @demand: of which nothing of single windows is there
 */
struct tl_model {
	struct tl_windows names;
	struct tl_demand demand;
};

json_t *tl_model_json(const struct tl_demand *demand);
int tl_model_read(struct tl_model *model, const char *file, struct tl_error *err);
void tl_model_free(struct tl_model *model);

#endif
