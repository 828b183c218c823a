// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a hook saw, told to the correlation
 *
 * This is the layer between probes, which know registers, and the core, which
 * knows neither locks nor sockets: look up, lock, ask the core, deposit. All of
 * it runs with interrupts off in the context of the task that uses the socket;
 * what happens in softirq or in kernel threads has no request and is ignored.
 */
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <net/sock.h>

#include "client.h"
#include "level.h"
#include "server.h"
#include "stats.h"
#include "thread.h"
#include "tier.h"
#include "track.h"
#include "track-who.h"
#include "turn.h"

/* Turns interrupts off and locks a connection; if it is not known, they are on again. */
static struct tl_conn *enter_conn(struct sock *sk, unsigned long *flags)
{
	struct tl_conn *conn;

	local_irq_save(*flags);
	conn = tl_conn_lock(sk);
	if (!conn)
		local_irq_restore(*flags);
	return conn;
}

static void leave_conn(struct tl_conn *conn, unsigned long flags)
{
	tl_conn_unlock(conn);
	local_irq_restore(flags);
}

static void remove_unlock(struct tl_conn *conn)
{
	if (conn->side == TL_SERVER)
		tl_server_remove(tl_server(conn));
	else
		tl_client_remove(tl_client(conn));
	tl_conn_remove_unlock(conn);
}

/* The same for an entry whose socket may be gone. */
static void forget_unlock(struct tl_conn *conn)
{
	if (conn->side == TL_SERVER)
		tl_server_forget_socket(tl_server(conn));
	remove_unlock(conn);
}

/* An entry for a socket that is new can only be of an earlier one at its place. */
static void forget_stale(struct sock *sk)
{
	struct tl_conn *conn = tl_conn_lock(sk);

	if (conn)
		forget_unlock(conn);
}

/**
 * tl_track_accepted() - A connection was accepted
 * @sk: its socket
 *
 * Context: task; like all of tl_track_*() safe to call with any of the kernel's
 * locks held.
 */
void tl_track_accepted(struct sock *sk)
{
	struct tl_task *task;
	struct tl_conn *conn;
	unsigned long flags;

	if (!has_requests())
		return;
	local_irq_save(flags);
	forget_stale(sk);
	task = known_turn();
	if (task)
		tl_turn_accepted(task);
	conn = tl_server_add(sk, current->comm);
	if (conn)
		tl_conn_unlock(conn);
	local_irq_restore(flags);
}

/**
 * tl_track_connecting() - The current task begins to connect
 * @sk: its socket
 */
void tl_track_connecting(struct sock *sk)
{
	struct tl_task *task;
	struct tl_conn *conn;
	unsigned long flags;
	u64 now_ns;

	if (!has_requests() || !tl_level_nests())
		return;
	local_irq_save(flags);
	forget_stale(sk);
	now_ns = ktime_get_mono_fast_ns();
	task = tl_turn_task(now_ns);
	conn = tl_client_add(sk);
	if (conn && task)
		tl_client_connecting(tl_client(conn), task, now_ns);
	if (conn)
		tl_conn_unlock(conn);
	local_irq_restore(flags);
}

/**
 * tl_track_older() - A socket that is older than the armed hooks
 * @sk: a connected or connecting socket that its file keeps alive
 * @comm: command name of a process that has it
 *
 * Context: process, after all listening sockets were told to tl_tier_discover().
 */
void tl_track_older(struct sock *sk, const char *comm)
{
	struct tl_endpoint at;
	struct tl_conn *conn;
	unsigned long flags;

	local_irq_save(flags);
	conn = tl_conn_lock(sk);
	if (!conn) {
		if (tl_endpoint_local(&at, sk) && tl_tier_find(&at))
			conn = tl_server_add(sk, comm);
		else
			conn = tl_client_add(sk);
	}
	if (conn)
		tl_conn_unlock(conn);
	local_irq_restore(flags);
}

/* A socket's connection, not locked; it mostly is the one that the thread has used last. */
static struct tl_conn *peek(struct tl_task *task, const struct sock *sk)
{
	if (!task)
		return tl_conn_peek(sk);
	if (!task->conn || READ_ONCE(task->conn->sk) != sk)
		task->conn = tl_conn_peek(sk);
	return task->conn;
}

/*
 * Whether the current thread works on for the same request when it receives: more of that
 * request, or a part of an answer that it waits for.
 */
static bool receives_on(const struct tl_task *task, struct tl_conn *conn)
{
	const struct tl_request_ref *now = &task->thread.current_request, *owner;

	if (conn->side == TL_SERVER)
		return now->request == &tl_server(conn)->request;
	owner = &tl_client(conn)->call.owner;
	return READ_ONCE(owner->request) == now->request && READ_ONCE(owner->seq) == now->seq;
}

/* The same when it sends: its next call, or another part of one. To answer is the end. */
static bool sends_on(const struct tl_task *task, struct tl_conn *conn)
{
	const struct tl_call *call = &tl_client(conn)->call;

	if (conn->side == TL_SERVER)
		return false;
	/* Who has waited may have taken another job. */
	if (call->state == TL_CALL_NONE || call->state == TL_CALL_REPLYING)
		return !(task->waited && task->thread.current_request.request->errand);
	return receives_on(task, conn);
}

/* The current thread is at an event on a connection, which was peeked. */
static __always_inline void
turn_at(struct tl_task *task, struct tl_conn *conn, u64 now_ns,
	bool (*goes_on)(const struct tl_task *task, struct tl_conn *conn))
{
	if (unlikely(!tl_level_nests()))
		return;
	if (conn && tl_turn_stays(task) && goes_on(task, conn))
		task->futex = TL_FUTEX_NOT;
	else if (!conn || conn->side == TL_SERVER || !tl_turn_outside(task))
		tl_turn_settle(task, now_ns);
}

/*
 * The same and lock it, where the thread answers what it works on, as it mostly does: then what
 * it has used can be charged under the lock that the answer takes. NULL: one after the other.
 */
static __always_inline struct tl_conn *
turn_to_answer(struct tl_task *task, struct tl_conn *conn, const struct sock *sk, u64 now_ns)
{
	const struct tl_request_ref *now = &task->thread.current_request;

	if (!conn || conn->side != TL_SERVER || now->request != &tl_server(conn)->request ||
	    task->idle || task->outside || task->reading || !tl_level_nests())
		return NULL;
	conn = tl_conn_lock_peeked(conn, sk);
	if (!conn)
		return NULL;
	if (unlikely(!tl_request_alive(now))) {
		tl_conn_unlock(conn);
		return NULL;
	}
	tl_turn_charge_locked(task, now->request, now_ns);
	task->futex = TL_FUTEX_NOT;
	return conn;
}

/*
 * A socket that slipped through; known only if it is on a tier's port. If nothing is to be
 * seen of that, it is known, at least, that the thread turns to it.
 */
static noinline struct tl_conn *add_late(struct sock *sk, struct tl_task *task)
{
	const struct tl_tier *tier;
	struct tl_endpoint at;
	struct tl_conn *conn;

	if (sk->sk_state != TCP_ESTABLISHED || !tl_endpoint_local(&at, sk))
		return NULL;
	tier = tl_tier_find(&at);
	if (!tier)
		return NULL;
	conn = tl_server_add(sk, current->comm);
	if (conn || !task)
		return conn;
	if (READ_ONCE(tier->level) == TIERLENS_LEVEL_OFF)
		tl_turn_not_followed(task);
	else
		tl_turn_for_nobody(task);
	return NULL;
}

static struct tl_conn *lock_or_add(struct sock *sk, struct tl_conn *peeked, struct tl_task *task)
{
	struct tl_conn *conn = tl_conn_lock_peeked(peeked, sk);

	return likely(conn) ? conn : add_late(sk, task);
}

/* Whether nothing of a send will go out: the other side has reset or closed. */
static bool is_dead(const struct sock *sk)
{
	return READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN;
}

static enum tl_outcome sent(struct sock *sk, size_t bytes,
			    const struct tl_class_bytes *first)
{
	enum tl_outcome outcome = TL_IGNORED;
	struct tl_conn *peeked, *conn = NULL;
	struct tl_task *task;
	bool own = true;
	u64 now_ns;

	if (!has_requests())
		return TL_IGNORED;
	now_ns = ktime_get_mono_fast_ns();
	task = any_task();
	peeked = peek(task, sk);
	if (task && likely(!is_dead(sk)))
		conn = turn_to_answer(task, peeked, sk, now_ns);
	if (!conn) {
		if (task)
			turn_at(task, peeked, now_ns, sends_on);
		if (is_dead(sk))
			return TL_IGNORED;
		conn = lock_or_add(sk, peeked, NULL);
		if (!conn)
			return TL_IGNORED;
		own = conn->side == TL_SERVER && task &&
		      tl_turn_is_for(task, &tl_server(conn)->request);
	}
	if (conn->side == TL_SERVER)
		outcome = tl_server_sent(tl_server(conn), task, own, now_ns, bytes, first);
	else if (task && tl_level_nests())
		outcome = tl_client_sent(tl_client(conn), task, now_ns, bytes);
	else if (!task)
		this_cpu_inc(tl_stats.loss[TL_LOSS_THREADS_FULL]);
	tl_conn_unlock(conn);
	if (task)
		tl_turn_drop_adopted(task);
	return outcome;
}

/**
 * tl_track_sent() - The current task sends
 * @sk: the socket
 * @bytes: how much is offered
 * @first: where the first of it can be looked at; NULL: nowhere
 */
void tl_track_sent(struct sock *sk, size_t bytes, const struct tl_class_bytes *first)
{
	unsigned long flags;

	if (!bytes)
		return;
	local_irq_save(flags);
	tl_stats_begin();
	tl_stats_end(sent(sk, bytes, first));
	local_irq_restore(flags);
}

/**
 * tl_track_still_sending() - A send wants more room in the socket's buffer
 * @sk: the socket
 * @part: for how many bytes, of a UNIX socket
 * @nowait: without waiting for it
 *
 * A large response ends with its last byte, not when the send began.
 */
void tl_track_still_sending(struct sock *sk, u64 part, bool nowait)
{
	struct tl_conn *conn;
	unsigned long flags;

	conn = has_requests() ? enter_conn(sk, &flags) : NULL;
	if (!conn)
		return;
	tl_send_goes_on(&conn->send, sk, part, nowait);
	if (conn->side == TL_SERVER)
		tl_server_still_sending(tl_server(conn), ktime_get_mono_fast_ns());
	leave_conn(conn, flags);
}

/**
 * tl_track_receiving() - The current task begins to receive
 * @sk: the socket; NULL if what it takes is reported in one piece
 * @peek: the bytes will stay in the socket
 * @base: where they will be; NULL if that cannot be read
 * @room: how many of them will be there
 */
void tl_track_receiving(struct sock *sk, bool peek, const void __user *base, size_t room)
{
	unsigned long flags;
	struct tl_task *task = enter(any_task, &flags);

	if (!task)
		return;
	tl_turn_receiving(task, sk);
	task->recv_sk = sk;
	task->recv_bytes = 0;
	task->recv_peek = peek;
	task->recv_base = base;
	task->recv_room = room;
	task->recv_ring = task->ring_receives;
	task->ring_receives = false;
	local_irq_restore(flags);
}

/* recvmsg() reports all that it has copied so far, perhaps several times. */
static u64 new_bytes(struct tl_task *task, const struct sock *sk, u64 copied)
{
	u64 before = task->recv_bytes;

	if (task->recv_sk != sk) {
		/* Not by recvmsg(): there is no buffer to look into. */
		task->recv_base = NULL;
		return copied;
	}
	if (task->recv_peek)
		return 0;
	task->recv_bytes = copied;
	return copied >= before ? copied - before : copied;
}

static __always_inline enum tl_outcome
received(struct sock *sk, struct tl_conn *conn, struct tl_task *task, u64 now_ns, u64 bytes)
{
	enum tl_outcome outcome = TL_IGNORED;

	conn = lock_or_add(sk, conn, task);
	if (!conn)
		return TL_IGNORED;
	if (conn->side == TL_SERVER)
		outcome = tl_server_received(tl_server(conn), task, now_ns, bytes);
	else if (tl_level_nests())
		outcome = tl_client_received(tl_client(conn), task, now_ns, bytes);
	tl_conn_unlock(conn);
	return outcome;
}

/*
 * A ring receives when it suits it, and its user submits what follows from all of
 * that later, at once. Who received for two requests, neither of them answered yet,
 * may go on with either.
 */
static noinline void ring_received(struct tl_task *task)
{
	struct tl_request_ref before = task->ring, now = task->thread.current_request;

	if (now.request)
		task->ring = now;
	/* A hint, so that no lock is needed: its storage stays a request's. */
	task->thread.mixed = tl_request_alive(&before) &&
			     before.request->state == TL_REQUEST_OPEN &&
			     (before.request != now.request || before.seq != now.seq);
	if (task->thread.mixed)
		task->thread.current_request.request = NULL;
}

/* Bytes that were received by who has no requests, or no place in the table. */
static noinline void count_nobodys(void)
{
	tl_stats_begin();
	if (has_requests())
		this_cpu_inc(tl_stats.loss[TL_LOSS_THREADS_FULL]);
	tl_stats_end(TL_IGNORED);
}

/* @conn: was peeked */
static __always_inline void count_received(struct sock *sk, struct tl_conn *conn,
					   struct tl_task *task, u64 now_ns, u64 bytes)
{
	tl_stats_begin();
	tl_stats_end(received(sk, conn, task, now_ns, bytes));
	task->thread.mixed = 0;
	if (unlikely(task->recv_ring))
		ring_received(task);
}

/**
 * tl_track_received() - Bytes have reached the current task
 * @sk: the socket
 * @copied: how many, since the receiving call began
 */
void tl_track_received(struct sock *sk, int copied)
{
	struct tl_conn *conn;
	struct tl_task *task;
	unsigned long flags;
	u64 now_ns, bytes;

	if (copied <= 0)
		return;
	local_irq_save(flags);
	now_ns = ktime_get_mono_fast_ns();
	task = has_requests() ? any_task() : NULL;
	if (likely(task)) {
		conn = peek(task, sk);
		turn_at(task, conn, now_ns, receives_on);
		bytes = new_bytes(task, sk, copied);
		if (bytes)
			count_received(sk, conn, task, now_ns, bytes);
	} else {
		count_nobodys();
	}
	local_irq_restore(flags);
}

/**
 * tl_track_received_part() - A part of what the current task receives is handed out
 * @skb: it comes from here; NULL if that cannot be looked at
 * @offset: where it begins in it
 * @bytes: how many
 *
 * The socket is the one that tl_track_receiving() was told.
 */
void tl_track_received_part(const struct sk_buff *skb, unsigned int offset, int bytes)
{
	struct tl_conn *conn;
	struct tl_task *task;
	unsigned long flags;
	u64 now_ns;

	if (bytes <= 0 || !has_requests())
		return;
	local_irq_save(flags);
	task = any_task();
	if (unlikely(!task)) {
		/* It may be a look, or no request's: nobody knows the socket. */
		count_nobodys();
		local_irq_restore(flags);
		return;
	}
	conn = task->recv_sk ? peek(task, task->recv_sk) : NULL;
	now_ns = ktime_get_mono_fast_ns();
	turn_at(task, conn, now_ns, receives_on);
	if (task->recv_sk && !task->recv_peek) {
		task->recv_bytes += bytes;
		/* It has not reached the program's buffer yet. */
		task->recv_base = NULL;
		task->recv_skb = skb;
		task->recv_offset = offset;
		count_received(task->recv_sk, conn, task, now_ns, bytes);
		task->recv_skb = NULL;
	}
	local_irq_restore(flags);
}

/**
 * tl_track_dispatched() - The current task asks for what to do next
 * @always: it is an event loop that does; else only if it has shown to be one
 */
void tl_track_dispatched(bool always)
{
	unsigned long flags;
	struct tl_task *task = enter(known_task, &flags);

	if (!task)
		return;
	always |= task->thread.multiplexes;
	if (!tl_turn_outside(task) && (always || !tl_turn_stays(task)))
		tl_turn_begin(task, ktime_get_mono_fast_ns());
	task->futex = TL_FUTEX_NOT;
	if (always)
		tl_turn_dispatched(task);
	local_irq_restore(flags);
}

/* An io_uring is about to receive for the current task. */
void tl_track_ring(void)
{
	unsigned long flags;
	struct tl_task *task = enter(any_task, &flags);

	if (!task)
		return;
	task->ring_receives = true;
	local_irq_restore(flags);
}

/**
 * tl_track_shutdown() - The current task will send no more
 * @sk: the socket
 */
void tl_track_shutdown(struct sock *sk)
{
	struct tl_conn *conn;
	unsigned long flags;

	conn = in_task() ? enter_conn(sk, &flags) : NULL;
	if (!conn)
		return;
	if (conn->side == TL_SERVER)
		tl_server_shut(tl_server(conn));
	else
		tl_client_shut(tl_client(conn));
	leave_conn(conn, flags);
}

/**
 * tl_track_closed() - A socket is closed, or disconnected for another use
 * @sk: the socket
 */
void tl_track_closed(struct sock *sk)
{
	struct tl_conn *conn;
	unsigned long flags;

	if (!in_task())
		return;
	local_irq_save(flags);
	/* What the thread did for its request until now is still charged to it. */
	if (has_requests())
		known_turn();
	conn = tl_conn_lock(sk);
	if (conn)
		remove_unlock(conn);
	local_irq_restore(flags);
}

/*
 * The current task exits, and is marked so already: what it still does, to close its
 * files or for an io_uring, makes no new entry, which nobody would forget.
 */
void tl_track_exit(void)
{
	unsigned long flags;

	local_irq_save(flags);
	if (known_turn())
		tl_thread_forget(current);
	local_irq_restore(flags);
}

static void forget_one(struct tl_conn *conn, void *arg)
{
	unsigned long flags;

	local_irq_save(flags);
	tl_spin_lock(&conn->lock);
	if (conn->sk)
		forget_unlock(conn);
	else
		tl_spin_unlock(&conn->lock);
	/* Paths are forgotten, too, and what has just ended had one. */
	if (conn->side == TL_SERVER)
		tl_server(conn)->last.node = 0;
	local_irq_restore(flags);
}

/* Context: as below. */
static void forget_call(struct tl_conn *conn, void *arg)
{
	unsigned long flags;

	if (conn->side != TL_CLIENT)
		return;
	raw_spin_lock_irqsave(&conn->lock, flags);
	if (conn->sk)
		tl_client_forget_call(tl_client(conn));
	raw_spin_unlock_irqrestore(&conn->lock, flags);
}

/**
 * tl_track_forget_calls() - Nobody follows calls any more
 *
 * Context: process; the hooks of level "server" are not armed.
 */
void tl_track_forget_calls(void)
{
	tl_conn_for_each(forget_call, NULL);
}

static void cut_to_trace(struct tl_conn *conn, void *arg)
{
	const struct tl_request *request = &tl_server(conn)->request;
	const u32 *tier = arg;
	unsigned long flags;

	if (conn->side != TL_SERVER)
		return;
	raw_spin_lock_irqsave(&conn->lock, flags);
	/* Where it is the end for all, what was answered keeps what is known of it. */
	if (conn->sk && (*tier ? request->tier == *tier : request->state == TL_REQUEST_OPEN))
		tl_server_cut_to_trace(tl_server(conn));
	raw_spin_unlock_irqrestore(&conn->lock, flags);
}

/**
 * tl_track_cut_to_trace() - Look only at the ends of a tier's requests that go on
 * @tier: its number, 0: of all; those that begin are looked at so already
 *
 * Context: process.
 */
void tl_track_cut_to_trace(u32 tier)
{
	tl_conn_for_each(cut_to_trace, &tier);
}

/**
 * tl_track_forget_all() - End everything and empty the tables
 *
 * Context: process; no hook is armed.
 */
void tl_track_forget_all(void)
{
	tl_conn_for_each(forget_one, NULL);
	tl_thread_forget_all();
}
