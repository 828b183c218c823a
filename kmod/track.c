// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a hook saw, told to the correlation
 *
 * This is the layer between probes, which know registers, and the core, which
 * knows neither locks nor sockets: look up, lock, ask the core, deposit. All of
 * it runs with interrupts off in the context of the task that uses the socket;
 * what happens in softirq or in kernel threads has no request and is ignored.
 */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/tcp.h>
#include <linux/timekeeping.h>
#include <net/inet_sock.h>
#include <net/net_namespace.h>

#include "conn.h"
#include "peer.h"
#include "shard.h"
#include "stats.h"
#include "thread.h"
#include "tier.h"
#include "track.h"

static u64 *losses(void)
{
	return this_cpu_ptr(&tl_stats)->loss;
}

static bool has_requests(void)
{
	/* One that exits has been forgotten, and nobody would forget it again. */
	return in_task() && !(current->flags & (PF_KTHREAD | PF_EXITING));
}

static struct tl_conn *add_server(struct sock *sk, const char *comm)
{
	struct tl_tier *tier;
	struct tl_conn *conn;

	tier = tl_tier_discover(sock_net(sk)->ns.inum, sk->sk_num, comm);
	if (!tier) {
		losses()[TL_LOSS_TIERS_FULL]++;
		return NULL;
	}
	conn = tl_conn_add_lock(sk, TL_SERVER);
	if (IS_ERR(conn))
		return tl_conn_lock(sk);
	if (!conn) {
		losses()[TL_LOSS_CONNECTIONS_FULL]++;
		return NULL;
	}
	atomic_inc(&tier->connections);
	tl_server(conn)->tier = tier;
	tl_server(conn)->unsettled_bytes = 0;
	tl_server(conn)->shut = false;
	tl_server(conn)->request.tier = tier->id;
	tl_server(conn)->request.state = TL_REQUEST_NONE;
	return conn;
}

static struct tl_conn *add_client(struct sock *sk)
{
	struct tl_conn *conn = tl_conn_add_lock(sk, TL_CLIENT);

	if (IS_ERR(conn))
		return NULL; /* the snapshot was faster, and knows as much */
	if (!conn) {
		losses()[TL_LOSS_CONNECTIONS_FULL]++;
		return NULL;
	}
	memset(&tl_client(conn)->call, 0, sizeof(tl_client(conn)->call));
	return conn;
}

/*
 * The last send was counted by what was asked for; the socket's write sequence
 * tells how much of it was taken.
 */
static void settle(struct tl_server *server)
{
	u32 sent = READ_ONCE(tcp_sk(server->conn.sk)->write_seq) - server->sent_seq;

	if (!server->unsettled_bytes)
		return;
	if (sent < server->unsettled_bytes && server->request.state == TL_REQUEST_ANSWERED)
		server->request.bytes_out -= server->unsettled_bytes - sent;
	server->unsettled_bytes = 0;
}

static void end_request(struct tl_server *server)
{
	struct tl_ended ended;

	if (tl_request_end(&server->request, &ended, losses()))
		tl_shard_deposit(&ended);
}

static void end_call(struct tl_client *client)
{
	struct tl_call_sum stray;

	if (tl_correlate_call_done(&client->call, &stray))
		tl_shard_deposit_stray(&stray);
	client->call.state = TL_CALL_NONE;
}

static void remove_unlock(struct tl_conn *conn)
{
	if (conn->side == TL_SERVER) {
		end_request(tl_server(conn));
		atomic_dec(&tl_server(conn)->tier->connections);
	} else {
		end_call(tl_client(conn));
	}
	tl_conn_remove_unlock(conn);
}

/* An entry for a socket that is new can only be of an earlier one at its place. */
static void forget_stale(struct sock *sk)
{
	struct tl_conn *conn = tl_conn_lock(sk);

	if (conn)
		remove_unlock(conn);
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
	struct tl_conn *conn;
	unsigned long flags;

	if (!has_requests())
		return;
	local_irq_save(flags);
	forget_stale(sk);
	conn = add_server(sk, current->comm);
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
	struct tl_request *owner;
	struct tl_task *task;
	struct tl_conn *conn;
	unsigned long flags;

	if (!has_requests())
		return;
	local_irq_save(flags);
	forget_stale(sk);
	task = tl_thread_get(current);
	conn = add_client(sk);
	if (conn && task) {
		owner = tl_conn_lock_request(task->thread.current_request);
		tl_correlate_connected(&tl_client(conn)->call, owner,
				       ktime_get_mono_fast_ns());
		tl_conn_unlock_request(owner);
	}
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
	struct tl_conn *conn;
	unsigned long flags;

	local_irq_save(flags);
	conn = tl_conn_lock(sk);
	if (!conn) {
		if (tl_tier_find(sock_net(sk)->ns.inum, sk->sk_num))
			conn = add_server(sk, comm);
		else
			conn = add_client(sk);
	}
	if (conn)
		tl_conn_unlock(conn);
	local_irq_restore(flags);
}

/* A socket that slipped through; known only if it is on a tier's port. */
static struct tl_conn *lock_or_add(struct sock *sk)
{
	struct tl_conn *conn = tl_conn_lock(sk);

	if (likely(conn))
		return conn;
	if (sk->sk_state != TCP_ESTABLISHED ||
	    !tl_tier_find(sock_net(sk)->ns.inum, sk->sk_num))
		return NULL;
	return add_server(sk, current->comm);
}

static enum tl_outcome response_sent(struct tl_server *server, u64 now_ns, size_t bytes)
{
	enum tl_outcome outcome;

	settle(server);
	outcome = tl_correlate_response_sent(&server->request, now_ns, bytes, losses());
	if (outcome == TL_ATTRIBUTED) {
		server->sent_seq = READ_ONCE(tcp_sk(server->conn.sk)->write_seq);
		server->unsettled_bytes = bytes;
	}
	return outcome;
}

static enum tl_outcome call_sent(struct tl_client *client, u64 now_ns)
{
	struct tl_task *task = tl_thread_get(current);
	struct tl_call *call = &client->call;
	struct tl_call_sum stray;
	struct tl_request *owner;
	enum tl_outcome outcome;

	if (!task) {
		losses()[TL_LOSS_THREADS_FULL]++;
		return TL_IGNORED;
	}
	if (!call->peer)
		call->peer = tl_peer_number(client->conn.sk);
	if (!call->peer)
		losses()[TL_LOSS_PEERS_FULL]++;
	if (tl_correlate_call_done(call, &stray))
		tl_shard_deposit_stray(&stray);
	owner = tl_conn_lock_request(tl_correlate_call_owner(call, &task->thread));
	outcome = tl_correlate_call_sent(call, &task->thread, owner, now_ns);
	tl_conn_unlock_request(owner);
	return outcome;
}

static enum tl_outcome sent(struct sock *sk, size_t bytes)
{
	u64 now_ns = ktime_get_mono_fast_ns();
	enum tl_outcome outcome;
	struct tl_conn *conn;

	if (!has_requests())
		return TL_IGNORED;
	conn = lock_or_add(sk);
	if (!conn)
		return TL_IGNORED;
	if (conn->side == TL_SERVER)
		outcome = response_sent(tl_server(conn), now_ns, bytes);
	else
		outcome = call_sent(tl_client(conn), now_ns);
	tl_conn_unlock(conn);
	return outcome;
}

/**
 * tl_track_sent() - The current task sends
 * @sk: the socket
 * @bytes: how much is offered
 */
void tl_track_sent(struct sock *sk, size_t bytes)
{
	unsigned long flags;

	if (!bytes)
		return;
	local_irq_save(flags);
	tl_stats_begin();
	tl_stats_end(sent(sk, bytes));
	local_irq_restore(flags);
}

/**
 * tl_track_still_sending() - A send has filled the socket's buffer and waits
 * @sk: the socket
 *
 * A large response ends with its last byte, not when the send began.
 */
void tl_track_still_sending(struct sock *sk)
{
	struct tl_conn *conn;
	unsigned long flags;

	if (!has_requests())
		return;
	local_irq_save(flags);
	conn = tl_conn_lock(sk);
	if (conn && conn->side == TL_SERVER)
		tl_correlate_response_sent(&tl_server(conn)->request,
					   ktime_get_mono_fast_ns(), 0, losses());
	if (conn)
		tl_conn_unlock(conn);
	local_irq_restore(flags);
}

/**
 * tl_track_receiving() - The current task begins to receive
 * @sk: the socket; NULL if what it takes is reported in one piece
 * @peek: the bytes will stay in the socket
 */
void tl_track_receiving(struct sock *sk, bool peek)
{
	struct tl_task *task;
	unsigned long flags;

	if (!has_requests())
		return;
	local_irq_save(flags);
	task = tl_thread_get(current);
	if (task) {
		task->recv_sk = sk;
		task->recv_bytes = 0;
		task->recv_peek = peek;
	}
	local_irq_restore(flags);
}

/* recvmsg() reports all that it has copied so far, perhaps several times. */
static u64 new_bytes(struct tl_task *task, const struct sock *sk, u64 copied)
{
	u64 before = task->recv_bytes;

	if (task->recv_sk != sk)
		return copied;
	if (task->recv_peek)
		return 0;
	task->recv_bytes = copied;
	return copied >= before ? copied - before : copied;
}

static enum tl_outcome request_received(struct tl_server *server, struct tl_task *task,
					u64 now_ns, u64 bytes)
{
	struct tl_ended ended;

	/* The rest of what was asked for, drained before the close. */
	if (server->shut)
		return TL_IGNORED;
	settle(server);
	if (tl_correlate_request_received(&server->request, &task->thread, now_ns, bytes,
					  &ended, losses()))
		tl_shard_deposit(&ended);
	return TL_ATTRIBUTED;
}

static enum tl_outcome call_received(struct tl_client *client, struct tl_task *task,
				     u64 now_ns)
{
	struct tl_request *owner = tl_conn_lock_request(client->call.owner);
	enum tl_outcome outcome;

	outcome = tl_correlate_call_received(&client->call, &task->thread, owner, now_ns,
					     losses());
	tl_conn_unlock_request(owner);
	return outcome;
}

static enum tl_outcome received(struct sock *sk, struct tl_task *task, u64 bytes)
{
	u64 now_ns = ktime_get_mono_fast_ns();
	enum tl_outcome outcome;
	struct tl_conn *conn;

	conn = lock_or_add(sk);
	if (!conn)
		return TL_IGNORED;
	if (conn->side == TL_SERVER)
		outcome = request_received(tl_server(conn), task, now_ns, bytes);
	else
		outcome = call_received(tl_client(conn), task, now_ns);
	tl_conn_unlock(conn);
	return outcome;
}

/**
 * tl_track_received() - Bytes have reached the current task
 * @sk: the socket
 * @copied: how many, since the receiving call began
 */
void tl_track_received(struct sock *sk, int copied)
{
	struct tl_task *task;
	unsigned long flags;
	u64 bytes;

	if (copied <= 0)
		return;
	local_irq_save(flags);
	task = has_requests() ? tl_thread_get(current) : NULL;
	bytes = task ? new_bytes(task, sk, copied) : copied;
	if (bytes) {
		tl_stats_begin();
		if (!task && has_requests())
			losses()[TL_LOSS_THREADS_FULL]++;
		tl_stats_end(task ? received(sk, task, bytes) : TL_IGNORED);
	}
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

	if (!in_task())
		return;
	local_irq_save(flags);
	conn = tl_conn_lock(sk);
	if (conn && conn->side == TL_SERVER) {
		settle(tl_server(conn));
		end_request(tl_server(conn));
		tl_server(conn)->shut = true;
	}
	if (conn)
		tl_conn_unlock(conn);
	local_irq_restore(flags);
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
	conn = tl_conn_lock(sk);
	if (conn) {
		if (conn->side == TL_SERVER)
			settle(tl_server(conn));
		remove_unlock(conn);
	}
	local_irq_restore(flags);
}

/* The current task exits. */
void tl_track_exit(void)
{
	unsigned long flags;

	local_irq_save(flags);
	tl_thread_forget(current);
	local_irq_restore(flags);
}

struct sweep {
	u64 now_ns;
	u64 quiet_ns;
};

static bool quiet(const struct tl_request *request, const struct sweep *sweep)
{
	u64 last_ns = READ_ONCE(request->last_send_ns);

	return READ_ONCE(request->state) == TL_REQUEST_ANSWERED && last_ns < sweep->now_ns &&
	       sweep->now_ns - last_ns >= sweep->quiet_ns;
}

static void sweep_one(struct tl_conn *conn, void *arg)
{
	const struct sweep *sweep = arg;
	struct tl_server *server;
	unsigned long flags;

	if (conn->side != TL_SERVER || !quiet(&tl_server(conn)->request, sweep))
		return;
	server = tl_server(conn);
	raw_spin_lock_irqsave(&conn->lock, flags);
	if (conn->sk && quiet(&server->request, sweep)) {
		losses()[TL_LOSS_QUIET]++;
		end_request(server);
	}
	raw_spin_unlock_irqrestore(&conn->lock, flags);
}

/**
 * tl_track_sweep() - End the answered requests that went quiet
 * @now_ns: time
 * @quiet_ns: how long nothing must have been sent
 *
 * Context: process.
 */
void tl_track_sweep(u64 now_ns, u64 quiet_ns)
{
	struct sweep sweep = { now_ns, quiet_ns };

	tl_conn_for_each(sweep_one, &sweep);
}

static void forget_one(struct tl_conn *conn, void *arg)
{
	unsigned long flags;

	local_irq_save(flags);
	raw_spin_lock(&conn->lock);
	if (conn->sk)
		remove_unlock(conn);
	else
		raw_spin_unlock(&conn->lock);
	local_irq_restore(flags);
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
