/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests by sequences made by hand: what the reference says of them. */
#ifndef TL_CORE_TAP_H
#define TL_CORE_TAP_H

#include "core-model.h"
#include "tap.h"

static inline void is_as_reference(struct world *world, const char *name)
{
	static struct result want;
	char why[256] = "";

	model_run(world->log, world->log_used, &want);
	if (!ok(model_agrees(&world->result, &want, world->log, world->log_used,
			     MODEL_EXACT, 0, why, sizeof(why)),
		"%s: as the reference says", name))
		printf("# %s\n", why);
}

#endif
