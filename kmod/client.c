// SPDX-License-Identifier: GPL-2.0-or-later
/* A connection that was opened from here: its calls. */
#include <linux/err.h>
#include <net/sock.h>

#include "client.h"
#include "errand.h"
#include "join.h"
#include "peer.h"
#include "server.h"
#include "shard.h"
#include "stats.h"
#include "thread.h"
#include "turn.h"

#define IDLE_NS (60 * NSEC_PER_SEC) /* after which nobody asks for a call any more */

/* Not on each handler's stack. Used with interrupts off. */
static DEFINE_PER_CPU(struct tl_call_sum, stray_call);

/**
 * tl_client_add() - Put a client-side socket into the table
 * @sk: the socket
 *
 * Context: task, interrupts off.
 * Return: the connection, locked; NULL if there is no place, which is counted, or
 * it is there already.
 */
struct tl_conn *tl_client_add(struct sock *sk)
{
	struct tl_conn *conn = tl_conn_add_lock(sk, TL_CLIENT);

	if (IS_ERR(conn))
		return NULL; /* the snapshot was faster, and knows as much */
	if (!conn) {
		tl_losses()[TL_LOSS_CONNECTIONS_FULL]++;
		return NULL;
	}
	memset(&tl_client(conn)->call, 0, sizeof(tl_client(conn)->call));
	tl_join_new_client(tl_client(conn));
	return conn;
}

/* The call is over; its owner is not used by it any more. */
static void call_done(struct tl_call *call)
{
	struct tl_call_sum *stray = this_cpu_ptr(&stray_call);

	if (tl_correlate_call_done(call, stray))
		tl_shard_deposit_stray(stray);
}

/* What was not taken of the last send was not asked; it is counted with the reply. */
static void settle_call(struct tl_client *client)
{
	client->call.bytes_out -= tl_send_refused(&client->conn.send, client->conn.sk);
}

static void drop_owner(struct tl_call *call)
{
	struct tl_request_ref owner = call->owner;

	call->owner.request = NULL;
	tl_errand_put(owner);
}

/**
 * tl_client_forget_call() - Nobody follows calls any more
 * @client: the connection, locked
 *
 * What comes of one that is under way is not seen.
 */
void tl_client_forget_call(struct tl_client *client)
{
	call_done(&client->call);
	drop_owner(&client->call);
	client->call.state = TL_CALL_NONE;
}

/**
 * tl_client_remove() - Before it leaves the table
 * @client: the connection, locked
 */
void tl_client_remove(struct tl_client *client)
{
	tl_client_forget_call(client);
	tl_join_withdraw(client);
	/* Nobody at the other end means this socket by it any more. */
	tl_join_new_client(client);
}

/* An errand that has found its request is that from now on. */
static __always_inline void follow_errand(struct tl_call *call)
{
	struct tl_request_ref became;

	if (!call->owner.request || !READ_ONCE(call->owner.request->errand))
		return;
	became = tl_errand_adopter(call->owner);
	if (became.request == call->owner.request)
		return;
	tl_errand_put(call->owner);
	call->owner = became;
}

/**
 * tl_client_sweep() - Keep no errand for a connection on which nothing happens
 * @client: the connection, locked
 * @now_ns: time
 *
 * Context: interrupts off.
 */
void tl_client_sweep(struct tl_client *client, u64 now_ns)
{
	struct tl_request_ref owner;

	follow_errand(&client->call);
	owner = client->call.owner;
	if (tl_correlate_call_idle(&client->call, now_ns, IDLE_NS))
		tl_errand_put(owner);
}

static struct tl_request *lock_new_errand(struct tl_task *task, u64 now_ns)
{
	tl_turn_errand(task, now_ns);
	if (!task->errand.request)
		tl_losses()[TL_LOSS_HANDOFFS_DROPPED]++;
	return tl_conn_lock_request(task->errand);
}

/*
 * The current request, an errand if none is open and there should be one. Locked; NULL
 * if there is none that goes on.
 */
static __always_inline struct tl_request *lock_current(struct tl_task *task, u64 now_ns)
{
	struct tl_request *now = tl_conn_lock_request(task->thread.current_request);

	/* Who has waited may have taken another job. */
	if (now && now->state == TL_REQUEST_OPEN && !(now->errand && task->waited))
		return now;
	if (task->thread.mixed || !tl_correlate_serves(&task->thread))
		return now;
	tl_conn_unlock_request(now);
	return lock_new_errand(task, now_ns);
}

/**
 * tl_client_connecting() - The current thread begins to connect
 * @client: the connection, locked
 * @task: the current thread
 * @now_ns: time
 */
void tl_client_connecting(struct tl_client *client, struct tl_task *task, u64 now_ns)
{
	struct tl_request *owner = lock_current(task, now_ns);
	bool errand = owner && owner->errand;

	if (errand)
		tl_errand_use(owner);
	tl_correlate_connected(&client->call, owner, now_ns);
	/* Not all owners are taken. */
	if (errand && !client->call.owner.request)
		tl_errand_unuse(owner);
	tl_conn_unlock_request(owner);
}

/* The other end is told before it can see the first byte; of no errand, which has no path. */
static __always_inline void
tell_callee(struct tl_client *client, struct tl_request *caller, u64 now_ns)
{
	if (caller)
		tl_server_node(caller);
	tl_spin_lock(&client->link_lock);
	tl_link_called(&client->link, caller, now_ns);
	tl_spin_unlock(&client->link_lock);
	tl_join_publish(client);
}

/* To turn to a call of it was for it. */
static void claim_current(struct tl_task *task, struct tl_request *owner)
{
	if (owner && task->thread.current_request.request == owner)
		tl_turn_claim(task, owner);
}

/* Once a connection, for a table that is full stays so: else each call would wait for its lock. */
static __always_inline void ask_peer(struct tl_client *client, struct tl_task *task)
{
	struct tl_call *call = &client->call;

	if (call->peer)
		return;
	if (call->state != TL_CALL_REPLYING)
		call->peer = tl_peer_number(client->conn.sk, &task->peer);
	if (!call->peer)
		tl_losses()[TL_LOSS_PEERS_FULL]++;
}

/* The first byte of a call. */
static __always_inline enum tl_outcome
begin(struct tl_client *client, struct tl_task *task, u64 now_ns, u64 bytes)
{
	struct tl_call *call = &client->call;
	struct tl_request_ref before = call->owner;
	struct tl_request *owner;
	enum tl_outcome outcome;
	bool errand, taken;

	call_done(call);
	ask_peer(client, task);
	if (call->state == TL_CALL_CONNECTED)
		owner = tl_conn_lock_request(tl_correlate_call_owner(call, &task->thread));
	else
		owner = lock_current(task, now_ns);
	/* It stays one, or none, as long as it is locked. */
	errand = owner && owner->errand;
	if (errand)
		tl_errand_use(owner);
	outcome = tl_correlate_call_sent(call, &task->thread, owner, now_ns, bytes);
	claim_current(task, owner);
	taken = call->owner.request;
	if (errand && !taken)
		tl_errand_unuse(owner);
	tell_callee(client, taken && !errand ? owner : NULL, now_ns);
	tl_conn_unlock_request(owner);
	/* Last, for both may be the same. */
	tl_errand_put(before);
	return outcome;
}

/*
 * The first bytes of a call by who serves nobody: the other end is told when that was, and not
 * much else is to be known, not how much of what was offered is taken. But who serves somebody
 * by the time of the answer has made a call that no request is found for.
 */
static __always_inline bool
sent_outside(struct tl_client *client, const struct tl_task *task, u64 now_ns, u64 bytes)
{
	struct tl_call *call = &client->call;

	if (call->state != TL_CALL_REPLYING || !tl_correlate_outside(call, &task->thread))
		return false;
	call->state = TL_CALL_SENDING;
	call->start_ns = now_ns;
	call->last_ns = now_ns;
	call->bytes_out = bytes;
	call->bytes_in = 0;
	client->conn.send.offered = 0;
	tell_callee(client, NULL, now_ns);
	return true;
}

/**
 * tl_client_sent() - Bytes of a call are sent
 * @client: the connection, locked
 * @task: the current thread
 * @now_ns: time
 * @bytes: how many are offered
 *
 * Return: what became of the event.
 */
tl_inline enum tl_outcome
tl_client_sent(struct tl_client *client, struct tl_task *task, u64 now_ns, u64 bytes)
{
	struct tl_call *call = &client->call;
	struct tl_request *owner;
	enum tl_outcome outcome;

	if (sent_outside(client, task, now_ns, bytes))
		return TL_IGNORED;
	settle_call(client);
	follow_errand(call);
	if (call->state != TL_CALL_SENDING) {
		outcome = begin(client, task, now_ns, bytes);
	} else {
		owner = tl_conn_lock_request(call->owner);
		outcome = tl_correlate_call_sent(call, &task->thread, owner, now_ns, bytes);
		claim_current(task, owner);
		tl_conn_unlock_request(owner);
	}
	tl_send_begin(&client->conn.send, client->conn.sk, bytes);
	return outcome;
}

static noinline bool reads_interim(const struct tl_task *task, u64 bytes)
{
	struct tl_class_bytes where;

	tl_thread_landed(task, bytes, &where);
	return tl_class_interim(NULL, &where, bytes);
}

/* Where the other end is elsewhere, the bytes tell; else it will know better. */
static bool interim(const struct tl_client *client, const struct tl_task *task, u64 bytes)
{
	return client->call.state == TL_CALL_SENDING && !READ_ONCE(client->joined) &&
	       tl_class_reads() && reads_interim(task, bytes);
}

/**
 * tl_client_shut() - Nothing more will be sent
 * @client: the connection, locked
 *
 * The end of the stream takes a place in it, too, which is none of the send's.
 */
void tl_client_shut(struct tl_client *client)
{
	settle_call(client);
}

/* An answer to who serves nobody, and all that is to be known of it: that it is here. */
static bool received_outside(struct tl_client *client, const struct tl_task *task)
{
	struct tl_call *call = &client->call;

	/* After an interim answer the call goes on. */
	if (call->state < TL_CALL_SENDING || !tl_correlate_outside(call, &task->thread) ||
	    READ_ONCE(client->link.interim))
		return false;
	call->state = TL_CALL_REPLYING;
	return true;
}

/**
 * tl_client_received() - Bytes of an answer were received
 * @client: the connection, locked
 * @task: the current thread
 * @now_ns: time
 * @bytes: how many
 *
 * Return: what became of the event.
 */
tl_inline enum tl_outcome
tl_client_received(struct tl_client *client, struct tl_task *task, u64 now_ns, u64 bytes)
{
	struct tl_call *call = &client->call;
	struct tl_request *owner;
	enum tl_outcome outcome;

	if (received_outside(client, task))
		return TL_IGNORED;
	settle_call(client);
	follow_errand(call);
	owner = tl_conn_lock_request(call->owner);
	tl_turn_claim(task, owner);
	tl_spin_lock(&client->link_lock);
	outcome = tl_correlate_call_received(call, &task->thread, owner, &client->link,
					     owner && interim(client, task, bytes), now_ns,
					     bytes, tl_losses());
	tl_spin_unlock(&client->link_lock);
	tl_conn_unlock_request(owner);
	return outcome;
}
