/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A coroutine that serves a connection as a thread would, on whichever thread resumes it.
 * What waits does so in coro_yield(); the engine that resumes it knows for what.
 */
#ifndef TL_TEST_CORO_H
#define TL_TEST_CORO_H

#include <ucontext.h>

#include "tier.h"

struct coro {
	struct tier_worker worker;
	struct tier_conn conn;
	bool taken; /* a slot's memory is that of the next connection */
	bool ended;
	int result; /* of what it waited for */
	int wait_fd;
	uint32_t wait_events;
	int timer_fd; /* -1: none yet */
	void *stack;
	ucontext_t context;
	ucontext_t *home; /* of the thread that it runs on */
};

/* All of an engine's. Protection: the engine's. */
struct coro_table {
	struct tier *tier;
	struct coro *slots[TIER_CLIENTS];
	unsigned int active;
};

struct coro *coro_start(struct coro_table *table, int fd, unsigned int endpoint);
void coro_release(struct coro_table *table, struct coro *c);
void coro_stop_reading(struct coro_table *table);
void coro_free_all(struct coro_table *table);
void coro_resume(struct coro *c);
void coro_yield(struct coro *c);

static inline struct coro *coro_of(struct tier_worker *w)
{
	return (struct coro *)((char *)w - offsetof(struct coro, worker));
}

#endif
