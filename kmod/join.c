// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which two sockets of this host are the two ends of one connection?
 *
 * When a call begins, its first byte has a place in both streams: what the caller
 * has sent before and what it has received before. The callee that takes this
 * byte finds the same two sequence numbers in its own socket. They began at
 * random, so 64 bits agree by chance never, and they are the same whatever
 * addresses, network namespaces and translations lie between, and however old the
 * connection is. Addresses are not compared at all.
 *
 * The two ends of a UNIX socket know each other.
 *
 * A caller publishes the place when it begins a call, until the other end has
 * found it or after some calls it is clear that there is none here. From then on
 * the ends share the caller's link, see core/link.c.
 */
#include <linux/hash.h>
#include <linux/tcp.h>
#include <net/af_unix.h>

#include "join.h"
#include "lock.h"
#include "peer.h"
#include "tier.h"

#define TABLE_BITS 10
#define TRIES 16 /* calls, after which the other end is taken to be elsewhere */
#define CHAIN_MAX 32 /* published in a bucket, for whoever looks there holds its lock */

static struct join_bucket {
	struct list_head chain; /* the newest first */
	unsigned int n;
	raw_spinlock_t lock; /* protects the chain; inside a connection's lock */
} *table;

int tl_join_init(void)
{
	unsigned int i;

	table = tl_memory_zalloc(sizeof(*table) << TABLE_BITS);
	if (!table)
		return -ENOMEM;
	for (i = 0; i < 1U << TABLE_BITS; i++) {
		INIT_LIST_HEAD(&table[i].chain);
		raw_spin_lock_init(&table[i].lock);
	}
	return 0;
}

void tl_join_exit(void)
{
	tl_memory_free(table, sizeof(*table) << TABLE_BITS);
	table = NULL;
}

static struct join_bucket *join_bucket(u64 key)
{
	return &table[hash_64(key, TABLE_BITS)];
}

static u64 key_of(u32 to_callee, u32 to_caller)
{
	return (u64)to_callee << 32 | to_caller;
}

/**
 * tl_join_new_client() - A client's entry is used for another socket
 * @client: the client, locked
 *
 * Context: interrupts off.
 */
void tl_join_new_client(struct tl_client *client)
{
	client->join_tries = 0;
	WRITE_ONCE(client->joined, false);
	tl_spin_lock(&client->link_lock);
	client->id++;
	memset(&client->link, 0, sizeof(client->link));
	tl_spin_unlock(&client->link_lock);
}

static void unpublish(struct join_bucket *bucket, struct tl_client *client)
{
	lockdep_assert_held(&bucket->lock);
	list_del(&client->join_node);
	client->published = false;
	bucket->n--;
}

/**
 * tl_join_withdraw() - A client is not looked for any more
 * @client: the client, locked
 *
 * Context: interrupts off.
 */
void tl_join_withdraw(struct tl_client *client)
{
	struct join_bucket *bucket = join_bucket(client->join_key);

	tl_spin_lock(&bucket->lock);
	if (client->published)
		unpublish(bucket, client);
	tl_spin_unlock(&bucket->lock);
}

/**
 * tl_join_publish() - The first byte of a call is about to be sent
 * @client: the caller, locked
 *
 * Context: interrupts off.
 */
tl_inline void tl_join_publish(struct tl_client *client)
{
	const struct tcp_sock *tp = tcp_sk(client->conn.sk);
	struct join_bucket *bucket;

	if (client->conn.sk->sk_family == AF_UNIX)
		return;
	if (READ_ONCE(client->joined) || client->join_tries >= TRIES)
		return;
	tl_join_withdraw(client);
	if (++client->join_tries == TRIES)
		return;
	client->join_key = key_of(READ_ONCE(tp->write_seq), READ_ONCE(tp->copied_seq));
	bucket = join_bucket(client->join_key);
	tl_spin_lock(&bucket->lock);
	/* Whose other end was not found for so long is hardly here; else its next call is found. */
	if (bucket->n == CHAIN_MAX)
		unpublish(bucket, list_last_entry(&bucket->chain, struct tl_client, join_node));
	list_add(&client->join_node, &bucket->chain);
	client->published = true;
	bucket->n++;
	tl_spin_unlock(&bucket->lock);
}

static void find_unix(struct tl_server *server)
{
	/* Held by the other as long as it is open, whatever becomes of this one. */
	const struct sock *sk = READ_ONCE(unix_sk(server->conn.sk)->peer);
	struct tl_conn *conn = sk ? tl_conn_peek(sk) : NULL;
	struct tl_client *client;

	if (!conn || conn->side != TL_CLIENT)
		return;
	client = tl_client(conn);
	tl_spin_lock(&client->link_lock);
	if (READ_ONCE(conn->sk) == sk) {
		server->caller = client;
		server->caller_id = client->id;
		WRITE_ONCE(client->joined, true);
	}
	tl_spin_unlock(&client->link_lock);
}

/**
 * tl_join_find() - The first bytes of a request were received
 * @server: the callee, locked; it does not know its caller
 * @bytes: how many
 *
 * Context: interrupts off.
 */
void tl_join_find(struct tl_server *server, u64 bytes)
{
	const struct tcp_sock *tp = tcp_sk(server->conn.sk);
	struct tl_client *client, *found = NULL;
	struct join_bucket *bucket;
	u32 peer = 0;
	u64 key;

	if (server->join_tries >= TRIES)
		return;
	server->join_tries++;
	if (server->conn.sk->sk_family == AF_UNIX) {
		find_unix(server);
		return;
	}
	key = key_of(READ_ONCE(tp->copied_seq) - (u32)bytes, READ_ONCE(tp->write_seq));
	bucket = join_bucket(key);
	tl_spin_lock(&bucket->lock);
	list_for_each_entry(client, &bucket->chain, join_node)
		if (client->join_key == key) {
			found = client;
			break;
		}
	if (found) {
		server->caller = found;
		server->caller_id = found->id;
		/* It stays what it was when it was published. */
		peer = found->call.peer;
		unpublish(bucket, found);
		WRITE_ONCE(found->joined, true);
	}
	tl_spin_unlock(&bucket->lock);
	tl_peer_joined(peer, server->tier->id);
}

/**
 * tl_join_lock() - Lock the link of the other end
 * @server: the callee, locked
 *
 * Context: interrupts off.
 * Return: the caller, for tl_join_unlock(); NULL if there is none, or none any more.
 */
tl_inline struct tl_client *tl_join_lock(struct tl_server *server)
{
	struct tl_client *client = server->caller;

	if (!client)
		return NULL;
	tl_spin_lock(&client->link_lock);
	if (likely(client->id == server->caller_id))
		return client;
	tl_spin_unlock(&client->link_lock);
	server->caller = NULL;
	return NULL;
}

void tl_join_unlock(struct tl_client *client)
{
	tl_spin_unlock(&client->link_lock);
}

/**
 * tl_join_count() - How many callers are looked for
 *
 * Context: any, it may be out of date.
 */
unsigned int tl_join_count(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < 1U << TABLE_BITS; i++)
		n += READ_ONCE(table[i].n);
	return n;
}
