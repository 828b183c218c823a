// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the current thread works on, from one event to the next
 *
 * At every event what the thread has used since the last one is charged to the
 * request that was current: the same rule serves one thread per request and event
 * loops. What a thread uses while it has none is outside of requests.
 */
#include <linux/sched.h>

#include "conn.h"
#include "errand.h"
#include "handoff.h"
#include "turn.h"
#include "usage.h"

static void charge(struct tl_task *task)
{
	struct tl_request *request;
	struct tl_used used;

	tl_usage_since(&task->last, &used);
	/* Another thread may have answered meanwhile. */
	task->thread.current_request = tl_errand_became(task->thread.current_request);
	request = tl_conn_lock_request(task->thread.current_request);
	if (!request)
		return;
	tl_used_add(&request->used, &used);
	/* An errand's are charged when it is known whose it is. */
	if (!request->errand)
		tl_usage_charge(request->tier, used.cpu_ns);
	tl_conn_unlock_request(request);
}

/**
 * tl_turn_task() - The current thread at an event, with its past settled
 *
 * Context: task, interrupts off; no connection's lock is held.
 * Return: its entry, or NULL if there is no memory left for it.
 */
struct tl_task *tl_turn_task(void)
{
	struct tl_task *task = tl_thread_get(current);

	if (!task)
		return NULL;
	charge(task);
	if (task->reading)
		tl_handoff_took(task);
	task->futex = TL_FUTEX_NOT;
	return task;
}

/**
 * tl_turn_errand() - The thread begins work whose request is not known
 * @task: the current thread
 * @now_ns: time
 *
 * Context: task, interrupts off; no server's lock is held.
 */
void tl_turn_errand(struct tl_task *task, u64 now_ns)
{
	tl_turn_drop_errand(task);
	task->errand = tl_errand_new(now_ns);
	task->hands_back = true;
	task->waited = false;
	task->thread.current_request = task->errand;
	task->thread.by = TL_BY_LOOKBACK;
}

/* The thread does not work on its errand any more; calls of it may go on. */
void tl_turn_drop_errand(struct tl_task *task)
{
	struct tl_request_ref errand = task->errand;

	task->errand.request = NULL;
	tl_errand_put(errand);
}

/**
 * tl_turn_drop_adopted() - The same if it is known by now whose it was
 * @task: the current thread
 *
 * Who answers and then waits for his next job might keep it for long.
 *
 * Context: task, interrupts off; no connection's lock is held.
 */
void tl_turn_drop_adopted(struct tl_task *task)
{
	struct tl_request_ref errand = task->errand;

	if (errand.request && tl_errand_became(errand).request != errand.request)
		tl_turn_drop_errand(task);
}

/**
 * tl_turn_dispatched() - The thread asks for what to do next
 * @task: the current thread, of tl_turn_task()
 *
 * Context: task, interrupts off; no connection's lock is held.
 */
void tl_turn_dispatched(struct tl_task *task)
{
	tl_handoff_settle(task);
	tl_correlate_dispatched(&task->thread);
	tl_turn_drop_errand(task);
}
