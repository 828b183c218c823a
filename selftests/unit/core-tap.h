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

/* Everybody goes, and the next sequence begins in an empty world. */
static inline void finish_world(struct world *world, const char *name)
{
	world_close_all(world);
	is_as_reference(world, name);
	is_u64(world_taken(world), WORLD_SERVERS, "%s: all storage is free", name);
	is_u64(world->result.events[TL_ATTRIBUTED] + world->result.events[TL_UNATTRIBUTED] +
		       world->result.events[TL_IGNORED],
	       world->log_used, "%s: all events are decided", name);
	world_init(world);
}

#endif
