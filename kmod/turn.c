// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the current thread works on, from one event to the next
 *
 * At every event what the thread has used since the last one is charged to the
 * request that was current: the same rule serves one thread per request and event
 * loops. What a thread uses while it has none is outside of requests.
 *
 * A thread that answers what another one has received takes its next job out of the
 * program's memory, which no event tells, and so does one that waits with nothing open.
 * What it uses from then on is kept for the first thing that it does for a request: the
 * errand that it begins, what it answers, or what it receives. If it waits before, it has
 * only ended its answer; if it waits again, it was for nobody.
 *
 * A request may end before the thread is done with it: its connection is closed, or its
 * time is over. What the thread uses until it turns to something else is charged to the
 * request's class nevertheless.
 *
 * Who only asks and serves nobody, as a load generator does, is outside: there is no request
 * that what it uses could be charged to.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/tcp.h>
#include <net/sock.h>

#include "conn.h"
#include "errand.h"
#include "handoff.h"
#include "ledger.h"
#include "scoped.h"
#include "server.h"
#include "turn.h"
#include "usage.h"

/* The request's lock is held. */
static void charge_to(struct tl_request *request, const struct tl_used *used)
{
	tl_used_add(&request->used, used);
	/* An errand's are charged when it is known whose it is. */
	if (!request->errand)
		tl_usage_charge(request->tier, used->cpu_ns);
}

/* To a request that has ended, or else it is not known to whom. */
static noinline void charge_late(struct tl_task *task, u64 now_ns)
{
	struct tl_used used = {};

	tl_usage_add(&used, task, now_ns);
	if (!tl_server_used_late(task->thread.current_request, &used))
		tl_used_add(&task->unclaimed, &used);
	task->has_unclaimed = true;
}

/* What it has used before is charged to nobody. */
static void begin_account(struct tl_task *task, u64 now_ns)
{
	task->outside = false;
	memset(task->counted, 0, sizeof(task->counted));
	if (static_branch_unlikely(&tl_scoped_on))
		tl_scoped_skip();
	tl_usage_now(&task->last, now_ns);
	task->charged_jiffies = jiffies;
}

/**
 * tl_turn_charge_locked() - Charge what the current thread has used to a request
 * @task: its entry
 * @request: what it works on, locked
 * @now_ns: time
 *
 * Context: task, interrupts off.
 */
tl_inline void
tl_turn_charge_locked(struct tl_task *task, struct tl_request *request, u64 now_ns)
{
	u64 cpu_ns = tl_usage_add(&request->used, task, now_ns);

	task->charged_jiffies = jiffies;
	/* An errand's is charged when it is known whose it is. */
	if (likely(!request->errand))
		tl_usage_charge(request->tier, cpu_ns);
}

/**
 * tl_turn_charge() - Charge what the current thread has used to what it works on
 * @task: its entry
 * @now_ns: time
 *
 * Context: task, interrupts off; no connection's lock is held.
 */
tl_inline void tl_turn_charge(struct tl_task *task, u64 now_ns)
{
	struct tl_request_ref *now = &task->thread.current_request;
	struct tl_request *request;

	if (unlikely(task->outside)) {
		begin_account(task, now_ns);
		return;
	}
	task->charged_jiffies = jiffies;
	/* Another thread may have answered meanwhile. */
	if (now->request && READ_ONCE(now->request->errand))
		*now = tl_errand_became(*now);
	if (task->idle || !now->request) {
		tl_usage_add(&task->unclaimed, task, now_ns);
		task->has_unclaimed = true;
		return;
	}
	request = tl_conn_lock_request(*now);
	if (!request) {
		charge_late(task, now_ns);
		return;
	}
	tl_turn_charge_locked(task, request, now_ns);
	tl_conn_unlock_request(request);
}

/* The slow part of tl_turn_claim(). */
void tl_turn_charge_unclaimed(struct tl_task *task, struct tl_request *request)
{
	charge_to(request, &task->unclaimed);
}

/*
 * What it has used since it answered was the end of that. If the next request has come
 * on that connection meanwhile, it was outside.
 */
static void end_answer(struct tl_task *task)
{
	struct tl_request *request = tl_conn_lock_request(task->answered);

	if (!request && tl_server_used_late(task->answered, &task->unclaimed))
		tl_turn_begin_anew(task);
	else
		tl_turn_claim(task, request);
	tl_conn_unlock_request(request);
}

/**
 * tl_turn_waits() - The thread waits, perhaps for its next job
 * @task: the current thread, of tl_turn_task()
 *
 * With an open request of its own it waits for a part of that.
 *
 * Context: task, interrupts off; no connection's lock is held.
 */
void tl_turn_waits(struct tl_task *task)
{
	struct tl_request *request = tl_conn_lock_request(task->thread.current_request);
	bool open = request && request->state == TL_REQUEST_OPEN;

	/* An errand's thread that has waited for a futex may have another job. */
	open = open && !(request->errand && task->waited);
	tl_conn_unlock_request(request);
	if (open)
		return;
	end_answer(task);
	task->idle = true;
}

/**
 * tl_turn_answered() - The thread answers a request
 * @task: the current thread, of tl_turn_task()
 * @request: the request, locked
 * @own: the thread knew that it works for it
 *
 * Context: task, interrupts off.
 */
tl_inline void tl_turn_answered(struct tl_task *task, struct tl_request *request, bool own)
{
	const struct tl_request_ref *now = &task->thread.current_request;
	struct tl_request_ref ref = { request, request->seq };

	/* Another part of the answer: who has answered for another has it as his own since. */
	if (task->answered.request == ref.request && task->answered.seq == ref.seq)
		own = false;
	tl_turn_claim(task, request);
	if (own) {
		/* A worker takes requests from nobody; taken for one, it works for itself. */
		if (!task->thread.dispatches)
			task->hands_back = false;
		return;
	}
	/* A hint, so that no lock of the other connection is needed: it goes on with that. */
	if (now->request != request && tl_request_alive(now) &&
	    now->request->state == TL_REQUEST_OPEN)
		return;
	task->answered = ref;
	task->idle = true;
}

/**
 * tl_turn_forget() - What the current thread knows is of an earlier epoch
 * @task: its entry
 *
 * Where it is in receiving goes on to be true.
 *
 * Context: task, interrupts off; no connection's lock is held.
 */
void tl_turn_forget(struct tl_task *task)
{
	struct tl_thread *process = task->thread.process;

	tl_turn_drop_errand(task);
	tl_ledger_forget(task);
	memset(&task->thread, 0, sizeof(task->thread));
	task->thread.process = process;
	tl_turn_begin_anew(task);
	task->ring.request = NULL;
	task->reading = NULL;
	task->futex = TL_FUTEX_NOT;
	task->told_ns = 0;
	task->waited = false;
	task->hands_back = false;
	task->ring_receives = false;
	begin_account(task, ktime_get_mono_fast_ns());
	task->epoch = READ_ONCE(tl_level_epoch);
}

/**
 * tl_turn_settle() - The current thread is at an event: settle its past
 * @task: its entry
 * @now_ns: time
 *
 * Context: task, interrupts off; no connection's lock is held; calls are followed.
 */
tl_inline void tl_turn_settle(struct tl_task *task, u64 now_ns)
{
	tl_turn_charge(task, now_ns);
	if (task->reading)
		tl_handoff_took(task);
	task->futex = TL_FUTEX_NOT;
}

/* The same, if they are. */
void tl_turn_begin(struct tl_task *task, u64 now_ns)
{
	if (likely(tl_level_nests()))
		tl_turn_settle(task, now_ns);
}

/**
 * tl_turn_rest() - The thread sends the rest of an answer that has ended already
 * @task: the current thread, of tl_turn_task()
 * @request: the request, locked; it has ended
 *
 * What it has used for that, and uses until it turns to something else, is the request's.
 *
 * Context: task, interrupts off.
 */
void tl_turn_rest(struct tl_task *task, struct tl_request *request)
{
	const struct tl_request_ref *now = &task->thread.current_request;

	/* It was charged already; a hint, so that no lock of another connection is needed. */
	if (now->request == request || tl_request_alive(now))
		return;
	tl_server_charge_late(request, &task->unclaimed);
	tl_turn_begin_anew(task);
	task->answered.request = request;
	task->answered.seq = request->seq;
	task->idle = true;
}

/**
 * tl_turn_task() - The current thread at an event, with its past settled
 * @now_ns: time
 *
 * Context: task, interrupts off; no connection's lock is held.
 * Return: its entry, or NULL if there is no memory left for it.
 */
struct tl_task *tl_turn_task(u64 now_ns)
{
	struct tl_task *task = tl_turn_up_to_date(tl_thread_get());

	if (task)
		tl_turn_begin(task, now_ns);
	return task;
}

/**
 * tl_turn_receiving() - The thread may be about to wait for what it works on next
 * @task: the current thread
 * @sk: what it receives from; NULL: it is not known
 *
 * The time that ends an answer would pass meanwhile. Where something is there already it does
 * not wait, and what it has used is charged when it has it.
 *
 * Context: task, interrupts off; no connection's lock is held.
 */
tl_inline void tl_turn_receiving(struct tl_task *task, const struct sock *sk)
{
	const struct tl_request_ref *now = &task->thread.current_request;

	if (unlikely(!tl_level_nests()))
		return;
	/* A hint, so that no lock is needed. */
	if (!now->request || READ_ONCE(now->request->state) == TL_REQUEST_OPEN)
		return;
	if (!sk || sk->sk_family == AF_UNIX ||
	    READ_ONCE(tcp_sk(sk)->rcv_nxt) == READ_ONCE(tcp_sk(sk)->copied_seq))
		tl_turn_charge(task, ktime_get_mono_fast_ns());
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
	struct tl_request *errand;

	tl_turn_drop_errand(task);
	task->errand = tl_errand_new(now_ns);
	errand = tl_conn_lock_request(task->errand);
	tl_turn_claim(task, errand);
	tl_conn_unlock_request(errand);
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
 * tl_turn_accepted() - The thread has accepted a connection
 * @task: the current thread, of tl_turn_task()
 *
 * What it does from now on is not for what it did last.
 *
 * Context: task, interrupts off; no connection's lock is held.
 */
void tl_turn_accepted(struct tl_task *task)
{
	struct tl_request *request = tl_conn_lock_request(task->thread.current_request);

	tl_conn_unlock_request(request);
	if (request)
		return;
	task->thread.current_request.request = NULL;
	end_answer(task);
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
	end_answer(task);
	tl_turn_drop_errand(task);
}
