/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CONN_H
#define TL_CONN_H

#include <linux/compiler.h>
#include <linux/list_nulls.h>

#include "core/link.h"
#include "lock.h"
#include "memory.h"
#include "send.h"

struct sock;
struct tl_tier;

enum tl_side { TL_SERVER, TL_CLIENT };

/* A connection in the table; its lock protects everything from sk on. */
struct tl_conn {
	struct tl_pool_item item;
	struct hlist_nulls_node node;
	raw_spinlock_t lock; /* order: a client's before a server's */
	struct sock *sk; /* NULL: in the pool */
	u8 side; /* enum tl_side; that of the pool, never changes */
	struct tl_send send;
};

/*
 * A connection that was accepted here, and its request; or an errand, which has
 * no socket: see errand.c.
 */
struct tl_server {
	struct tl_conn conn;
	struct tl_tier *tier;
	struct tl_client *caller; /* the other end if it is known, see join.c */
	u64 caller_id;
	struct tl_request request;
	struct {
		u32 parent;
		u32 class;
		u32 node; /* 0: none */
	} last; /* that was looked for in the tree of paths */
	u32 uses; /* of an errand */
	u8 join_tries;
	bool shut; /* nothing can be answered any more */
	bool unread; /* when the request was answered, more bytes were there */
	bool rest; /* which the request that is there now began with */
	u32 asked_to; /* their end, by its number in the stream */
};

/* A connection that was opened from here, and its call. */
struct tl_client {
	struct tl_conn conn;
	struct tl_call call;
	u8 join_tries;
	bool joined;
	bool published; /* under its bucket's lock, like the next two */
	struct list_head join_node;
	u64 join_key;
	raw_spinlock_t link_lock; /* protects the rest; inside all connections' locks */
	u64 id; /* another one for each socket */
	struct tl_link link;
};

/* How many entries are in use. */
struct tl_conn_count {
	unsigned int servers;
	unsigned int clients;
	unsigned int errands;
};

static inline struct tl_server *tl_server(struct tl_conn *conn)
{
	return container_of(conn, struct tl_server, conn);
}

static inline struct tl_client *tl_client(struct tl_conn *conn)
{
	return container_of(conn, struct tl_client, conn);
}

static inline void tl_conn_unlock(struct tl_conn *conn)
{
	tl_spin_unlock(&conn->lock);
}

/**
 * tl_conn_lock_peeked() - Lock what was peeked
 * @conn: of tl_conn_peek(), may be NULL
 * @sk: the socket, held by the caller
 *
 * Context: task, interrupts off.
 * Return: the locked connection, or NULL if it is another socket's by now.
 */
static inline struct tl_conn *tl_conn_lock_peeked(struct tl_conn *conn,
						  const struct sock *sk)
{
	if (!conn)
		return NULL;
	tl_spin_lock(&conn->lock);
	if (likely(conn->sk == sk))
		return conn;
	tl_spin_unlock(&conn->lock);
	return NULL;
}

/**
 * tl_conn_lock_request() - Lock the request that a reference means
 * @ref: the reference
 *
 * Context: task, interrupts off; at most one client's lock held.
 * Return: the request, its connection locked; NULL if it has ended.
 */
static __always_inline struct tl_request *tl_conn_lock_request(struct tl_request_ref ref)
{
	struct tl_server *server;

	if (!ref.request)
		return NULL;
	server = container_of(ref.request, struct tl_server, request);
	tl_spin_lock(&server->conn.lock);
	if (tl_request_alive(&ref))
		return ref.request;
	tl_spin_unlock(&server->conn.lock);
	return NULL;
}

/* @request: of tl_conn_lock_request() */
static inline void tl_conn_unlock_request(struct tl_request *request)
{
	if (request)
		tl_conn_unlock(&container_of(request, struct tl_server, request)->conn);
}

int tl_conn_init(void);
void tl_conn_exit(void);
struct tl_conn *tl_conn_lock(struct sock *sk);
struct tl_conn *tl_conn_peek(const struct sock *sk);
struct tl_conn *tl_conn_add_lock(struct sock *sk, enum tl_side side);
void tl_conn_remove_unlock(struct tl_conn *conn);
struct tl_server *tl_conn_errand(void);
void tl_conn_errand_free(struct tl_server *server);
void tl_conn_for_each(void (*visit)(struct tl_conn *conn, void *arg), void *arg);
void tl_conn_count(struct tl_conn_count *count);
void tl_conn_reserve(unsigned int nservers, unsigned int nclients);

#endif
