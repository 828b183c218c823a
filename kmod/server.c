// SPDX-License-Identifier: GPL-2.0-or-later
/* A connection that was accepted here: its requests. */
#include <linux/err.h>
#include <linux/tcp.h>
#include <net/sock.h>

#include "class.h"
#include "errand.h"
#include "join.h"
#include "ledger.h"
#include "level.h"
#include "path.h"
#include "server.h"
#include "shard.h"
#include "stats.h"
#include "thread.h"
#include "tier.h"
#include "turn.h"
#include "usage.h"

#define REST_NS (10 * NSEC_PER_SEC)

static bool is_tcp(const struct tl_server *server)
{
	return server->conn.sk->sk_family != AF_UNIX;
}

/**
 * tl_server_add() - Put a server-side socket into the table
 * @sk: the socket
 * @comm: command name of who serves it
 *
 * Context: task, interrupts off.
 * Return: the connection, locked; NULL if there is no place, which is counted.
 */
struct tl_conn *tl_server_add(struct sock *sk, const char *comm)
{
	struct tl_endpoint at;
	struct tl_server *server;
	struct tl_tier *tier;
	struct tl_conn *conn;

	/* A UNIX socket without a name is one of a pair. */
	if (!tl_endpoint_local(&at, sk))
		return NULL;
	tier = tl_tier_discover(&at, comm);
	if (!tier) {
		tl_losses()[TL_LOSS_TIERS_FULL]++;
		return NULL;
	}
	if (READ_ONCE(tier->level) == TIERLENS_LEVEL_OFF)
		return NULL;
	conn = tl_conn_add_lock(sk, TL_SERVER);
	if (IS_ERR(conn))
		return tl_conn_lock(sk);
	if (!conn) {
		tl_losses()[TL_LOSS_CONNECTIONS_FULL]++;
		return NULL;
	}
	atomic_inc(&tier->connections);
	server = tl_server(conn);
	/* The place's last connection was mostly like this one. */
	if (server->tier != tier)
		server->last.node = 0;
	server->tier = tier;
	server->caller = NULL;
	server->join_tries = 0;
	server->shut = false;
	server->unread = false;
	server->rest = false;
	/* Whoever means the last request at this place does not mean this one's. */
	server->request.seq++;
	server->request.tier = tier->id;
	server->request.state = TL_REQUEST_NONE;
	server->request.last_send_ns = 0;
	return conn;
}

/* What was not taken of the last send was not answered. */
static void settle(struct tl_server *server, const struct sock *sk)
{
	u64 refused = tl_send_refused(&server->conn.send, sk);

	if (server->request.state != TL_REQUEST_NONE)
		server->request.bytes_out -= refused;
}

/* Nobody holds the socket here: it must not be asked how much of a send it took. */
void tl_server_forget_socket(struct tl_server *server)
{
	settle(server, NULL);
}

static noinline void look_up_node(struct tl_server *server)
{
	const struct tl_request *request = &server->request;

	server->last.parent = request->parent;
	server->last.class = request->class;
	server->last.node = tl_path_find(request->parent, request->tier, request->class);
}

/**
 * tl_server_node() - A request's place in the tree of paths, once its class is known
 * @request: the request, locked; no errand
 *
 * Mostly it is that of the request before.
 */
u32 tl_server_node(struct tl_request *request)
{
	struct tl_server *server = container_of(request, struct tl_server, request);

	if (request->node)
		return request->node;
	if (unlikely(!server->last.node || server->last.parent != request->parent ||
		     server->last.class != request->class))
		look_up_node(server);
	request->node = server->last.node;
	return request->node;
}

static __always_inline void deposit(struct tl_request *ended)
{
	if (tl_server_node(ended) == TL_PATH_MORE)
		tl_losses()[TL_LOSS_PATHS_FULL]++;
	tl_shard_deposit(ended);
}

/* To the sums of its class and path, for its own account is closed. */
static void deposit_used(struct tl_request *request, const struct tl_used *used)
{
	tl_shard_deposit_used(request->tier, request->class, tl_server_node(request), used);
}

/**
 * tl_server_end() - The request ends, if there is one
 * @server: the connection, locked
 */
void tl_server_end(struct tl_server *server)
{
	struct tl_request *request = &server->request;
	bool open = request->state == TL_REQUEST_OPEN;

	settle(server, server->conn.sk);
	if (tl_request_end(request, tl_losses()))
		deposit(request);
	else if (open)
		deposit_used(request, &request->used);
}

/**
 * tl_server_charge_late() - Charge a request that has ended
 * @request: the request, locked
 * @used: what was used
 *
 * Context: task, interrupts off.
 */
void tl_server_charge_late(struct tl_request *request, const struct tl_used *used)
{
	deposit_used(request, used);
	tl_usage_charge(request->tier, used->cpu_ns);
}

/**
 * tl_server_used_late() - Charge what a request has caused after its end
 * @ref: the request
 * @used: what was used
 *
 * Context: task, interrupts off; no server's lock is held.
 * Return: false if it has not ended, or another one has begun at its place.
 */
bool tl_server_used_late(struct tl_request_ref ref, const struct tl_used *used)
{
	struct tl_server *server;
	bool ended;

	if (!ref.request)
		return false;
	server = container_of(ref.request, struct tl_server, request);
	tl_spin_lock(&server->conn.lock);
	/* An errand has no tier. */
	ended = ref.request->seq == ref.seq && ref.request->state == TL_REQUEST_NONE &&
		ref.request->tier;
	if (ended)
		tl_server_charge_late(ref.request, used);
	tl_spin_unlock(&server->conn.lock);
	return ended;
}

/**
 * tl_server_remove() - Before it leaves the table
 * @server: the connection, locked
 */
void tl_server_remove(struct tl_server *server)
{
	tl_server_end(server);
	atomic_dec(&server->tier->connections);
}

void tl_server_shut(struct tl_server *server)
{
	tl_server_end(server);
	server->shut = true;
}

/* Of a request that begins. Return: false if nobody is there to ask. */
static __always_inline bool ask_caller(struct tl_server *server, u64 bytes)
{
	struct tl_client *caller;

	if (!server->caller)
		tl_join_find(server, bytes);
	caller = tl_join_lock(server);
	if (!caller)
		return false;
	tl_link_opened(&caller->link, &server->request);
	tl_join_unlock(caller);
	return true;
}

/* @class, @parent: of the request before. */
static __always_inline void
learn_caller(struct tl_server *server, u64 bytes, u32 class, u32 parent)
{
	bool had_caller = server->caller;

	/* Callers tell nothing now. */
	if (!tl_level_nests())
		return;
	/* Who said good-bye and has gone is who asked before. */
	if (!ask_caller(server, bytes) && had_caller) {
		server->request.class = class;
		server->request.parent = parent;
	}
}

static noinline void classify(struct tl_server *server, struct tl_task *task, u64 bytes, bool first)
{
	struct tl_request *request = &server->request;
	struct tl_class_bytes where;
	u32 class;

	tl_thread_landed(task, bytes, &where);
	class = request->class;
	tl_class_first_bytes(&request->match, server->tier, &where, first, &class);
	tl_request_classify(request, class);
}

/* Whether only the ends of what these bytes belong to are looked at. */
static bool is_coarse(const struct tl_server *server)
{
	if (server->request.state == TL_REQUEST_OPEN)
		return server->request.coarse;
	return READ_ONCE(server->tier->level) < TIERLENS_LEVEL_SERVER || !tl_level_follows_new();
}

/* Whether they would begin a request that nobody wants to see. */
static bool is_off(const struct tl_server *server)
{
	return server->request.state != TL_REQUEST_OPEN &&
	       READ_ONCE(server->tier->level) == TIERLENS_LEVEL_OFF;
}

/*
 * A request that began with what lay unread when the one before was answered, and all of it was
 * taken before any of these bytes had come: it was the end of what was asked then (FastCGI's empty
 * input, read when somebody waits for the next request). What begins the request comes now.
 * What has done anything, or is known for what it asks, is one that was sent ahead, in pieces.
 */
static bool began_with_rest(const struct tl_server *server, u64 bytes)
{
	const struct tl_request *request = &server->request;

	return server->rest && request->state == TL_REQUEST_OPEN && !request->sums_used &&
	       !request->slots_used && !request->bytes_out && !request->match.found &&
	       (s32)(READ_ONCE(tcp_sk(server->conn.sk)->copied_seq) - (u32)bytes -
		     server->asked_to) >= 0;
}

/* Where the caller was so quick that its call was there already, what begins now serves it. */
static void unopen(struct tl_server *server)
{
	struct tl_client *caller = tl_level_nests() ? tl_join_lock(server) : NULL;

	if (caller) {
		tl_link_unopened(&caller->link, &server->request);
		tl_join_unlock(caller);
	}
	server->request.state = TL_REQUEST_NONE;
}

/* Bytes are a request's. If it is followed, what the thread did to look for them was for it. */
static __always_inline void
take(struct tl_server *server, struct tl_task *task, u64 now_ns, u64 bytes)
{
	struct tl_request *request = &server->request;

	if (unlikely(is_coarse(server))) {
		tl_turn_not_followed(task);
		tl_correlate_request_traced(request, &task->thread, now_ns, bytes);
	} else {
		tl_correlate_request_received(request, &task->thread, now_ns, bytes);
		tl_turn_claim(task, request);
	}
}

/* What began with the rest of the one before begins now; what it has used was for it. */
static noinline void
take_anew(struct tl_server *server, struct tl_task *task, u64 now_ns, u64 bytes)
{
	struct tl_used used = server->request.used;

	unopen(server);
	take(server, task, now_ns, bytes);
	if (!server->request.coarse)
		tl_used_add(&server->request.used, &used);
}

/**
 * tl_server_received() - Bytes of a request were received
 * @server: the connection, locked
 * @task: the current thread
 * @now_ns: time
 * @bytes: how many
 *
 * Return: what became of the event.
 */
tl_inline enum tl_outcome
tl_server_received(struct tl_server *server, struct tl_task *task, u64 now_ns, u64 bytes)
{
	struct tl_request *request = &server->request;
	u32 class = request->class, parent = request->parent;
	bool again = unlikely(began_with_rest(server, bytes));
	u64 seq = request->seq;

	/* The rest of what was asked for, drained before the close. */
	if (server->shut)
		return TL_IGNORED;
	settle(server, server->conn.sk);
	if (unlikely(is_off(server))) {
		tl_server_end(server);
		tl_turn_not_followed(task);
		return TL_IGNORED;
	}
	if (tl_correlate_request_ends(request, tl_losses()))
		deposit(request);
	if (unlikely(again))
		take_anew(server, task, now_ns, bytes);
	else
		take(server, task, now_ns, bytes);
	if (request->seq != seq) {
		request->ambiguous = server->unread;
		server->rest = server->unread;
		server->unread = false;
		if (task->process)
			WRITE_ONCE(task->process->tier, server->tier->id);
		learn_caller(server, bytes, class, parent);
	}
	/* The caller's end is asked before the bytes: rules of one's own go first. */
	if (tl_class_reads())
		classify(server, task, bytes, request->seq != seq);
	return TL_ATTRIBUTED;
}

/*
 * More of the stream is here already, while this is being answered. It may be the
 * end of what was asked; if it is answered, too, it was another request.
 */
static bool unread(const struct tl_server *server)
{
	const struct tcp_sock *tp = tcp_sk(server->conn.sk);

	return READ_ONCE(tp->rcv_nxt) != READ_ONCE(tp->copied_seq) &&
	       server->conn.sk->sk_state == TCP_ESTABLISHED;
}

static __always_inline void answered(struct tl_server *server, bool interim)
{
	struct tl_client *caller = tl_level_nests() ? tl_join_lock(server) : NULL;

	if (!caller)
		return;
	if (interim)
		tl_link_promised(&caller->link);
	else
		tl_link_answered(&caller->link, &server->request);
	tl_join_unlock(caller);
}

/* Who answers knows whose the work was that it has just done. */
static __always_inline void
answers(struct tl_server *server, struct tl_task *task, bool own, u64 now_ns)
{
	struct tl_request *request = &server->request;
	struct tl_thread *thread = &task->thread;
	struct tl_request_ref now = thread->current_request;

	if (own) {
		/* Its own, unless somebody was so quick that it is still the last. */
		if (!request->sums_used && !task->hands_back)
			tl_ledger_answers(task, request, true, now_ns);
		return;
	}
	if (now.request && READ_ONCE(now.request->errand) &&
	    tl_errand_adopt(server, now, TL_BY_LOOKBACK)) {
		thread->current_request.request = request;
		thread->current_request.seq = request->seq;
		thread->answers = 1;
		return;
	}
	/* Refused: what it does next is not part of that errand, either. */
	tl_turn_end_errand(task);
	tl_ledger_answers(task, request, false, now_ns);
}

/*
 * Who answers what is looked at from end to end only does not matter, but what he did for it
 * is not for the next one, unless he works on something else: that he has only helped out with.
 */
static void answers_coarse(const struct tl_request *request, struct tl_task *task)
{
	if (!task)
		return;
	tl_turn_end_errand(task);
	if (!task->thread.current_request.request || tl_turn_is_for(task, request))
		tl_turn_not_followed(task);
}

/*
 * Whether it may be the rest of an answer that has ended already. Who speaks first has not been
 * asked before, and who was asked long ago speaks of something else.
 */
static bool is_rest(const struct tl_request *request, u64 now_ns)
{
	return request->state == TL_REQUEST_NONE && request->last_send_ns &&
	       now_ns - request->last_send_ns < REST_NS;
}

/**
 * tl_server_cut_to_trace() - Look only at the end of what goes on
 * @server: the connection, locked
 */
void tl_server_cut_to_trace(struct tl_server *server)
{
	server->request.coarse = 1;
}

/**
 * tl_server_sent() - Bytes of a response are sent
 * @server: the connection, locked
 * @task: the current thread; NULL if there is no memory left for it
 * @own: whether that is what it works on: tl_turn_is_for()
 * @now_ns: time
 * @bytes: how many are offered
 * @first: where the first of them can be looked at; NULL: nowhere
 *
 * Return: what became of the event.
 */
tl_inline enum tl_outcome
tl_server_sent(struct tl_server *server, struct tl_task *task, bool own, u64 now_ns,
	       size_t bytes, const struct tl_class_bytes *first)
{
	struct tl_request *request = &server->request;
	bool open = request->state == TL_REQUEST_OPEN;
	bool interim = open && first && tl_class_interim(server->tier, first, bytes);
	enum tl_outcome outcome;

	if (unlikely(request->coarse)) {
		answers_coarse(request, task);
		task = NULL;
	}
	settle(server, server->conn.sk);
	/* What it was asked was not looked at. */
	if (unlikely(request->state == TL_REQUEST_NONE) && is_off(server))
		return TL_IGNORED;
	if (open && !interim) {
		server->unread = is_tcp(server) && unread(server);
		server->asked_to = server->unread ? READ_ONCE(tcp_sk(server->conn.sk)->rcv_nxt) : 0;
		if (task)
			answers(server, task, own, now_ns);
	}
	outcome = tl_correlate_response_sent(request, now_ns, bytes, interim, tl_losses());
	if (task && is_rest(request, now_ns)) {
		request->last_send_ns = now_ns;
		tl_turn_rest(task, request);
	}
	if (outcome != TL_ATTRIBUTED)
		return outcome;
	/* Until then more of its first bytes may tell its class. */
	if (!interim)
		tl_server_node(request);
	if (task && !interim)
		tl_turn_answered(task, request, own);
	answered(server, interim);
	tl_send_begin(&server->conn.send, server->conn.sk, bytes);
	return outcome;
}

/**
 * tl_server_still_sending() - A send has filled the socket's buffer and waits
 * @server: the connection, locked
 * @now_ns: time
 */
void tl_server_still_sending(struct tl_server *server, u64 now_ns)
{
	if (tl_correlate_response_sent(&server->request, now_ns, 0, false, tl_losses()) ==
	    TL_ATTRIBUTED)
		answered(server, false);
}
