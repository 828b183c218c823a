// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Endpoints that calls go to, numbered
 *
 * A client connection's peer is looked up once, at its first send, found or not. Numbers stay
 * what they are until all are forgotten with the hooks disarmed.
 */
#include <linux/in.h>
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/string.h>
#include <net/af_unix.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>

#include "lock.h"
#include "memory.h"
#include "peer.h"
#include "tier.h"

/* What tells one endpoint from others: only that of a UNIX socket has a path. */
#define INET_BYTES offsetof(struct tl_peer, path)
#define UNIX_BYTES offsetof(struct tl_peer, joined)
#define SEVERAL U32_MAX /* tiers are behind one endpoint */

static struct tl_peer *peers; /* open addressing; [0] stays free */
static u32 seed; /* of the hash: who may choose endpoints is not to choose places */
static unsigned int used;
static DEFINE_RAW_SPINLOCK(lock); /* protects peers, used */

int tl_peer_init(void)
{
	peers = tl_memory_zalloc(TL_PEERS * sizeof(*peers));
	seed = get_random_u32();
	return peers ? 0 : -ENOMEM;
}

void tl_peer_exit(void)
{
	tl_memory_free(peers, TL_PEERS * sizeof(*peers));
	peers = NULL;
}

/* An accepted socket has its listener's name. */
static void fill_unix(struct tl_peer *peer, const struct sock *sk)
{
	const struct sock *other = READ_ONCE(unix_sk(sk)->peer);
	struct tl_endpoint at;

	peer->local = true;
	peer->port = 0;
	/* Compared as memory: what follows the string is zero. */
	if (other && tl_endpoint_local(&at, other))
		strscpy(peer->path, at.path, sizeof(peer->path));
}

/* An own address is reached from itself, unless the caller bound another. */
static bool is_local_v4(const struct sock *sk)
{
	return ipv4_is_loopback(sk->sk_daddr) || sk->sk_daddr == sk->sk_rcv_saddr;
}

static void fill_v4(struct tl_peer *peer, const struct sock *sk)
{
	peer->addr_len = 4;
	memcpy(peer->addr, &sk->sk_daddr, 4);
	peer->local = is_local_v4(sk);
}

static void fill(struct tl_peer *peer, const struct sock *sk)
{
	memset(peer, 0, sizeof(*peer));
	peer->used = true;
	peer->netns = sock_net(sk)->ns.inum;
	if (sk->sk_family == AF_UNIX) {
		fill_unix(peer, sk);
		return;
	}
	peer->port = ntohs(sk->sk_dport);
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6 && !ipv6_addr_v4mapped(&sk->sk_v6_daddr)) {
		peer->addr_len = 16;
		memcpy(peer->addr, &sk->sk_v6_daddr, 16);
		peer->local = ipv6_addr_loopback(&sk->sk_v6_daddr) ||
			      ipv6_addr_equal(&sk->sk_v6_daddr, &sk->sk_v6_rcv_saddr);
		return;
	}
#endif
	fill_v4(peer, sk);
}

static noinline u32 find_or_add(const struct sock *sk)
{
	struct tl_peer peer;
	size_t bytes;
	u32 i;

	fill(&peer, sk);
	bytes = peer.addr_len ? INET_BYTES : UNIX_BYTES;
	i = jhash(&peer, bytes, seed) % TL_PEERS;
	tl_spin_lock(&lock);
	for (;; i = (i + 1) % TL_PEERS) {
		if (!i)
			continue;
		if (!memcmp(&peers[i], &peer, bytes))
			break;
		if (peers[i].used)
			continue;
		/* A quarter stays free, which bounds the search. */
		if (used >= TL_PEERS / 4 * 3) {
			i = 0;
			break;
		}
		peers[i] = peer;
		used++;
		break;
	}
	tl_spin_unlock(&lock);
	return i;
}

/* Whether that is what a socket's peer is filled with; only of IPv4's, which is cheap. */
static bool is_v4_peer(const struct tl_peer *peer, const struct sock *sk)
{
	return sk->sk_family == AF_INET && peer->used && peer->addr_len == 4 &&
	       !memcmp(peer->addr, &sk->sk_daddr, 4) && peer->port == ntohs(sk->sk_dport) &&
	       peer->netns == sock_net(sk)->ns.inum && peer->local == is_local_v4(sk);
}

/**
 * tl_peer_number() - The number of a client socket's peer
 * @sk: a connected socket
 * @last: the number that the caller had last, 0 or of an earlier time; brought up to date
 *
 * Context: any but NMI; interrupts are off.
 * Return: the number, or 0 if the table is full.
 */
u32 tl_peer_number(const struct sock *sk, u32 *last)
{
	/* What was found stays what it is, and 0 is no peer's. */
	if (!is_v4_peer(&peers[*last], sk))
		*last = find_or_add(sk);
	return *last;
}

/**
 * tl_peer_get() - The endpoint behind a number
 * @number: the number
 * @copy: filled
 *
 * Return: false if it means no endpoint.
 */
bool tl_peer_get(u32 number, struct tl_peer *copy)
{
	unsigned long flags;

	if (!number || number >= TL_PEERS)
		return false;
	raw_spin_lock_irqsave(&lock, flags);
	*copy = peers[number];
	raw_spin_unlock_irqrestore(&lock, flags);
	return copy->used;
}

/**
 * tl_peer_joined() - A call to an endpoint has reached a tier of this host
 * @number: the endpoint's
 * @tier: the tier's id
 *
 * Context: any but NMI; interrupts are off.
 */
void tl_peer_joined(u32 number, u32 tier)
{
	struct tl_peer *peer = &peers[number];

	if (!number || READ_ONCE(peer->joined) == tier)
		return;
	tl_spin_lock(&lock);
	if (!peer->joined || tl_tier_is_gone(peer->joined))
		peer->joined = tier;
	else if (peer->joined != tier)
		peer->joined = SEVERAL;
	tl_spin_unlock(&lock);
}

/**
 * tl_peer_tier() - The tier at an endpoint, if it is on this host for certain
 * @peer: the endpoint
 *
 * In another network namespace the endpoint has another name, if addresses are
 * translated; then only the calls' other ends tell.
 *
 * Return: its id, or 0.
 */
u32 tl_peer_tier(const struct tl_peer *peer)
{
	struct tl_endpoint at = { .netns = peer->netns, .port = peer->port };
	const struct tl_tier *tier = NULL;

	if (peer->joined && peer->joined != SEVERAL)
		return peer->joined;
	strscpy(at.path, peer->path, sizeof(at.path));
	if (peer->local && (at.port || at.path[0]))
		tier = tl_tier_find(&at);
	return tier ? tier->id : 0;
}

/**
 * tl_peer_forget_all() - Empty the table
 *
 * Context: process; no hook is armed, no interval names a peer by number.
 */
void tl_peer_forget_all(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	memset(peers, 0, TL_PEERS * sizeof(*peers));
	used = 0;
	raw_spin_unlock_irqrestore(&lock, flags);
}

unsigned int tl_peer_count(void)
{
	return READ_ONCE(used);
}
