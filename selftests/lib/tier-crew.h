/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that take jobs, which are numbers, from one queue. */
#ifndef TL_TEST_TIER_CREW_H
#define TL_TEST_TIER_CREW_H

#include "tier.h"

struct tier_crew;
struct tier_member;

typedef void tier_crew_fn(struct tier_crew *crew, struct tier_worker *w, uint32_t job);

struct tier_crew {
	struct tier *tier;
	tier_crew_fn *serve;	 /* does a job, in one of the threads */
	void *data;		 /* for it */
	struct tier_queue queue; /* -1: to end */
	struct tier_member *members;
};

int tier_crew_start(struct tier_crew *crew, enum tier_queue_kind kind);
void tier_crew_put(struct tier_crew *crew, uint32_t job);
bool tier_crew_stop(struct tier_crew *crew);

#endif
