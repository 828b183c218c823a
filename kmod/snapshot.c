// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sockets that are older than the armed hooks
 *
 * Nobody saw them being accepted or connected. All processes' files are looked
 * through twice: listening sockets tell where the tiers are, then each connected
 * socket is a server's if a tier listens on its port, else a client's.
 */
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <net/af_unix.h>
#include <net/inet_sock.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "compat/compat.h"
#include "conn.h"
#include "snapshot.h"
#include "socket.h"
#include "tier.h"
#include "track.h"

enum pass { LISTENERS, COUNT, CONNECTIONS };

struct walk {
	const char *comm;
	enum pass pass;
	unsigned int found[2]; /* by enum tl_side */
};

#define CONNECTED \
	(TCPF_ESTABLISHED | TCPF_SYN_SENT | TCPF_CLOSE_WAIT | TCPF_FIN_WAIT1 | TCPF_FIN_WAIT2)

/* Those of a pair have no name at either end, and no tier. */
static bool is_pair(const struct sock *sk)
{
	const struct sock *other = READ_ONCE(unix_sk(sk)->peer);

	return !READ_ONCE(unix_sk(sk)->addr) && (!other || !READ_ONCE(unix_sk(other)->addr));
}

/* A listener of MPTCP hands out plain TCP sockets to plain TCP clients. */
static bool is_mptcp(const struct sock *sk)
{
	return (sk->sk_family == AF_INET || sk->sk_family == AF_INET6) &&
	       sk->sk_protocol == IPPROTO_MPTCP;
}

static int look(const void *arg, struct file *file, unsigned int fd)
{
	struct socket *sock = tl_compat_sock_from_file(file);
	struct walk *walk = (struct walk *)arg;
	struct sock *sk = sock ? sock->sk : NULL;
	struct tl_endpoint at;
	unsigned long flags;
	unsigned int state;
	bool bound;

	if (!sk || !(tl_socket_is_tcp(sk) || tl_socket_is_unix_stream(sk) ||
		     (walk->pass == LISTENERS && is_mptcp(sk))))
		return 0;
	state = 1U << READ_ONCE(sk->sk_state);
	bound = tl_endpoint_local(&at, sk);
	if (walk->pass == LISTENERS) {
		if (!(state & TCPF_LISTEN) || !bound)
			return 0;
		local_irq_save(flags);
		tl_tier_discover(&at, walk->comm);
		local_irq_restore(flags);
		return 0;
	}
	if (!(state & CONNECTED) || (tl_socket_is_unix_stream(sk) && is_pair(sk)))
		return 0;
	if (walk->pass == COUNT)
		walk->found[bound && tl_tier_find(&at) ? TL_SERVER : TL_CLIENT]++;
	else
		tl_track_older(sk, walk->comm);
	return 0;
}

static void walk_all(struct walk *walk, enum pass pass)
{
	struct task_struct *process, *thread;
	struct files_struct *before = NULL;

	walk->pass = pass;
	rcu_read_lock();
	for_each_process_thread(process, thread) {
		task_lock(thread);
		/* Threads share their files as a rule; look once. */
		if (thread->files && thread->files != before) {
			walk->comm = thread->comm;
			iterate_fd(thread->files, 0, look, walk);
			before = thread->files;
		}
		task_unlock(thread);
	}
	rcu_read_unlock();
}

/**
 * tl_snapshot() - Enter the sockets that are there
 *
 * Context: process; the hooks are armed.
 */
void tl_snapshot(void)
{
	struct walk walk = {};

	walk_all(&walk, LISTENERS);
	/* Nothing can be allocated during the walk, so have it ready. */
	walk_all(&walk, COUNT);
	tl_conn_reserve(walk.found[TL_SERVER], walk.found[TL_CLIENT]);
	walk_all(&walk, CONNECTIONS);
}
