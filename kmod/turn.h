/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TURN_H
#define TL_TURN_H

#include <linux/jiffies.h>

#include "errand.h"
#include "level.h"
#include "thread.h"

#define TL_TURN_CHARGE (HZ / 20) /* a thread at work is charged at least so often */

struct tl_task *tl_turn_task(u64 now_ns);
void tl_turn_forget(struct tl_task *task);
void tl_turn_settle(struct tl_task *task, u64 now_ns);
void tl_turn_begin(struct tl_task *task, u64 now_ns);
void tl_turn_charge(struct tl_task *task, u64 now_ns);
void tl_turn_charge_locked(struct tl_task *task, struct tl_request *request, u64 now_ns);
void tl_turn_errand(struct tl_task *task, u64 now_ns);
void tl_turn_drop_errand(struct tl_task *task);
void tl_turn_accepted(struct tl_task *task);
void tl_turn_receiving(struct tl_task *task, const struct sock *sk);
void tl_turn_waits(struct tl_task *task);
void tl_turn_answered(struct tl_task *task, struct tl_request *request, bool own);
void tl_turn_rest(struct tl_task *task, struct tl_request *request);
void tl_turn_charge_unclaimed(struct tl_task *task, struct tl_request *request);
void tl_turn_dispatched(struct tl_task *task);

/* What the thread knows is of now. */
static inline struct tl_task *tl_turn_up_to_date(struct tl_task *task)
{
	if (task && unlikely(task->epoch != READ_ONCE(tl_level_epoch)))
		tl_turn_forget(task);
	return task;
}

/* Nothing is kept of what the thread has used. */
static inline void tl_turn_begin_anew(struct tl_task *task)
{
	if (task->has_unclaimed)
		tl_used_clear(&task->unclaimed);
	task->has_unclaimed = false;
	task->answered.request = NULL;
	task->idle = false;
}

/**
 * tl_turn_claim() - It is known whom the thread has worked for since it waited
 * @task: the current thread, of tl_turn_task()
 * @request: the request or errand, locked; NULL: for nobody
 *
 * Context: task, interrupts off.
 */
static inline void tl_turn_claim(struct tl_task *task, struct tl_request *request)
{
	if (request && task->has_unclaimed)
		tl_turn_charge_unclaimed(task, request);
	tl_turn_begin_anew(task);
}

/* It is known, at least, that the thread does not work for whom it did. */
static inline void tl_turn_for_nobody(struct tl_task *task)
{
	task->thread.current_request.request = NULL;
	tl_turn_claim(task, NULL);
}

/*
 * The same, for it works on something that nobody wants to see followed: until it takes a
 * request that is, what it asks for is nobody's errand, and what it tells others no end of one.
 */
static inline void tl_turn_not_followed(struct tl_task *task)
{
	tl_turn_for_nobody(task);
	task->thread.serves = 0;
	task->hands_back = false;
}

/* What the thread does next is not part of its errand, if it runs one. */
static inline void tl_turn_end_errand(struct tl_task *task)
{
	struct tl_request_ref *now = &task->thread.current_request;

	if (now->request && READ_ONCE(now->request->errand))
		now->request = NULL;
}

/**
 * tl_turn_drop_adopted() - Drop the errand if it is known whose it was, or that it is nobody's
 * @task: the current thread
 *
 * Who answers and then waits for his next job might keep it for long, and who is not followed any
 * more for good.
 *
 * Context: task, interrupts off; no connection's lock is held.
 */
static inline void tl_turn_drop_adopted(struct tl_task *task)
{
	struct tl_request_ref errand = task->errand;

	if (errand.request && (tl_errand_became(errand).request != errand.request ||
			       !tl_correlate_serves(&task->thread)))
		tl_turn_drop_errand(task);
}

/**
 * tl_turn_stays() - Whether the thread works on an open request, and on nothing else
 * @task: the current thread
 *
 * As long as that is so, and its next event leaves it so, what it uses can be charged
 * later: it is the same request's. Not much later, for what the tier's requests have used
 * is held against what its processes have, interval by interval.
 *
 * Context: task, interrupts off. A hint without a lock: at worst it is charged to whom it
 * works for next, or to nobody.
 */
static inline bool tl_turn_stays(const struct tl_task *task)
{
	const struct tl_request_ref *now = &task->thread.current_request;

	return now->request && !task->idle && !task->reading &&
	       jiffies - task->charged_jiffies < TL_TURN_CHARGE &&
	       READ_ONCE(now->request->state) == TL_REQUEST_OPEN &&
	       READ_ONCE(now->request->seq) == now->seq;
}

/**
 * tl_turn_is_for() - Whether the thread works on a request
 * @task: the current thread
 * @request: the request, locked
 */
static inline bool tl_turn_is_for(const struct tl_task *task, const struct tl_request *request)
{
	const struct tl_request_ref *now = &task->thread.current_request;

	return now->request == request && now->seq == request->seq;
}

/**
 * tl_turn_outside() - Whether the thread's turn is nobody's
 * @task: the current thread, which calls somebody or asks for what to do next
 *
 * Context: task, interrupts off.
 * Return: true, and what it has used is forgotten; false if it may be for a request.
 */
static inline bool tl_turn_outside(struct tl_task *task)
{
	if (tl_correlate_serves(&task->thread) || task->reading)
		return false;
	task->outside = true;
	task->futex = TL_FUTEX_NOT;
	return true;
}

#endif
