/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the core should say of a log of events: slow, and written from the words. */
#ifndef TL_CORE_MODEL_H
#define TL_CORE_MODEL_H

#include "core-world.h"

void model_run(const struct event *log, unsigned int log_used, struct result *result);

enum model_precision {
	MODEL_EXACT, /* but where the model says that calls overlap an errand unknown how
		      */
	MODEL_MANY_CALLS, /* own time may be too large where CALLS_FULL was counted */
	MODEL_CLOCKS /* times run backwards: own time may be off by as much an event */
};

/* False: they differ; the first difference is in @why, in words. Sorts the strays. */
bool model_agrees(struct result *got, struct result *want, const struct event *log,
		  unsigned int log_used, enum model_precision precision, u64 backwards_ns,
		  char *why, size_t size);

#endif
