// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Table of connections, by socket
 *
 * An entry appears when a socket is accepted or connected (or is met at enable)
 * and goes when it is closed, always in the context of a task that holds the
 * socket. Look-ups walk the hash chain without a lock; memory is type-stable until
 * the module goes, so a chain may change under a reader, who notices by its end
 * marker and starts again, and who checks the key once more under the entry's lock.
 * No grace period is waited for. Only adding and removing take the bucket's lock.
 *
 * Servers and clients come from pools of their own: a reference to a request is
 * a pointer into a server entry and a sequence number, and may be followed at
 * any time later, which is only safe if what it points to is still a server.
 */
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/rculist.h>
#include <linux/rculist_nulls.h>

#include "conn.h"

#define CONNS_LOW 512

struct conn_bucket {
	struct hlist_nulls_head head;
	raw_spinlock_t lock; /* protects the chain */
};

static struct conn_bucket *by_sock;
static unsigned int table_bits;
static struct tl_pool servers;
static struct tl_pool clients;

static void server_construct(void *object)
{
	struct tl_server *server = object;

	/* A line of its own for each side gives lockdep its two classes. */
	raw_spin_lock_init(&server->conn.lock);
	server->conn.side = TL_SERVER;
}

static void client_construct(void *object)
{
	struct tl_client *client = object;

	raw_spin_lock_init(&client->conn.lock);
	raw_spin_lock_init(&client->link_lock);
	client->conn.side = TL_CLIENT;
}

static size_t table_bytes(void)
{
	return sizeof(*by_sock) << table_bits;
}

/**
 * tl_conn_init() - Make the table and its pools
 *
 * Return: 0 or -ENOMEM.
 */
int tl_conn_init(void)
{
	unsigned int i;

	/* As many buckets as the cap could ever hold connections, about. */
	table_bits = ilog2(tl_memory_cap() / 1024);
	by_sock = tl_memory_zalloc(table_bytes());
	if (!by_sock)
		return -ENOMEM;
	for (i = 0; i < 1U << table_bits; i++) {
		INIT_HLIST_NULLS_HEAD(&by_sock[i].head, i);
		raw_spin_lock_init(&by_sock[i].lock);
	}
	if (tl_pool_init(&servers, "servers", sizeof(struct tl_server), CONNS_LOW,
			 server_construct) ||
	    tl_pool_init(&clients, "clients", sizeof(struct tl_client), CONNS_LOW,
			 client_construct)) {
		tl_conn_exit();
		return -ENOMEM;
	}
	return 0;
}

void tl_conn_exit(void)
{
	tl_pool_exit(&clients);
	tl_pool_exit(&servers);
	tl_memory_free(by_sock, table_bytes());
	by_sock = NULL;
}

static struct conn_bucket *conn_bucket(const struct sock *sk)
{
	return &by_sock[hash_ptr(sk, table_bits)];
}

/* Without the lock the answer is a hint. */
static struct tl_conn *find_conn(struct conn_bucket *bucket, const struct sock *sk)
{
	struct hlist_nulls_node *node;
	struct tl_conn *conn;

restart:
	hlist_nulls_for_each_entry_rcu(conn, node, &bucket->head, node)
		if (READ_ONCE(conn->sk) == sk)
			return conn;
	if (get_nulls_value(node) != (unsigned long)(bucket - by_sock))
		goto restart;
	return NULL;
}

/**
 * tl_conn_peek() - Find a socket's connection and do not lock it
 * @sk: the socket
 *
 * Context: task, interrupts off.
 * Return: the connection, which may be of another socket already; or NULL.
 */
struct tl_conn *tl_conn_peek(const struct sock *sk)
{
	return find_conn(conn_bucket(sk), sk);
}

/**
 * tl_conn_lock() - Find a socket's connection and lock it
 * @sk: the socket, held by the caller
 *
 * Context: task, interrupts off.
 * Return: the locked connection, or NULL if it is not in the table.
 */
struct tl_conn *tl_conn_lock(struct sock *sk)
{
	lockdep_assert_irqs_disabled();
	return tl_conn_lock_peeked(tl_conn_peek(sk), sk);
}

/**
 * tl_conn_add_lock() - Put a socket into the table
 * @sk: the socket, held by the caller
 * @side: which end it is
 *
 * What the entry held for an earlier socket is still in it, request.seq must
 * stay; the caller sets the rest.
 *
 * Context: task, interrupts off.
 * Return: the new connection, locked; NULL if there is no memory left for it;
 * ERR_PTR(-EEXIST) if another CPU has put the socket in meanwhile.
 */
struct tl_conn *tl_conn_add_lock(struct sock *sk, enum tl_side side)
{
	struct conn_bucket *bucket = conn_bucket(sk);
	struct tl_pool *pool = side == TL_SERVER ? &servers : &clients;
	struct tl_conn *conn, *other;

	conn = tl_pool_get(pool);
	if (!conn)
		return NULL;
	tl_spin_lock(&conn->lock);
	tl_spin_lock(&bucket->lock);
	other = find_conn(bucket, sk);
	if (!other) {
		conn->send.offered = 0;
		WRITE_ONCE(conn->sk, sk);
		hlist_nulls_add_head_rcu(&conn->node, &bucket->head);
	}
	tl_spin_unlock(&bucket->lock);
	if (likely(!other))
		return conn;
	tl_spin_unlock(&conn->lock);
	tl_pool_put(pool, conn);
	return ERR_PTR(-EEXIST);
}

/**
 * tl_conn_remove_unlock() - Take a connection out of the table
 * @conn: the connection, locked; not to be touched afterwards
 *
 * Context: task, interrupts off.
 */
void tl_conn_remove_unlock(struct tl_conn *conn)
{
	struct conn_bucket *bucket = conn_bucket(conn->sk);

	lockdep_assert_held(&conn->lock);
	tl_spin_lock(&bucket->lock);
	hlist_nulls_del_rcu(&conn->node);
	tl_spin_unlock(&bucket->lock);
	WRITE_ONCE(conn->sk, NULL);
	tl_spin_unlock(&conn->lock);
	tl_pool_put(conn->side == TL_SERVER ? &servers : &clients, conn);
}

/**
 * tl_conn_errand() - Storage for an errand
 *
 * Context: task, interrupts off.
 * Return: a server without a socket, or NULL if there is no memory left for it.
 */
struct tl_server *tl_conn_errand(void)
{
	return tl_pool_get(&servers);
}

void tl_conn_errand_free(struct tl_server *server)
{
	tl_pool_put(&servers, server);
}

struct visitor {
	void (*visit)(struct tl_conn *conn, void *arg);
	void *arg;
};

static void visit_conn(void *object, void *arg)
{
	const struct visitor *visitor = arg;

	visitor->visit(object, visitor->arg);
}

/**
 * tl_conn_for_each() - Visit all storage that a connection ever had, in use or not
 * @visit: called without a lock; an entry is in use if its sk is set
 * @arg: handed on
 *
 * Context: process.
 */
void tl_conn_for_each(void (*visit)(struct tl_conn *conn, void *arg), void *arg)
{
	struct visitor visitor = { visit, arg };

	tl_pool_for_each(&servers, visit_conn, &visitor);
	tl_pool_for_each(&clients, visit_conn, &visitor);
}

static void count_errand(void *object, void *arg)
{
	const struct tl_server *server = object;
	unsigned int *n = arg;

	*n += !!READ_ONCE(server->request.errand);
}

/**
 * tl_conn_count() - How many entries are in use
 * @count: filled
 *
 * What came from the pool and is no errand counts as a connection, so that an entry
 * that nobody gives back shows.
 *
 * Context: process.
 */
void tl_conn_count(struct tl_conn_count *count)
{
	unsigned int used = tl_pool_used(&servers);

	count->errands = 0;
	tl_pool_for_each(&servers, count_errand, &count->errands);
	count->servers = used > count->errands ? used - count->errands : 0;
	count->clients = tl_pool_used(&clients);
}

void tl_conn_reserve(unsigned int nservers, unsigned int nclients)
{
	tl_pool_reserve(&servers, nservers + CONNS_LOW);
	tl_pool_reserve(&clients, nclients + CONNS_LOW);
}
