// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How much of a send was taken?
 *
 * A probe at a function's entry sees what is offered. Who does not want to wait has
 * less taken, and offers the rest again; so what was counted too much is taken back
 * before the next event of the connection is counted. A TCP socket's write sequence
 * tells exactly. It can be asked only where somebody holds the socket, which at the
 * end of the quiet time nobody does; but who gives up has come past
 * sk_stream_wait_memory() with no time left, where it was noted.
 *
 * A UNIX socket asks for room part by part. Whether there is any, is compared here as
 * the kernel does right after. If the other side takes something in between, the next
 * part tells that this one was taken.
 */
#include <linux/tcp.h>
#include <net/sock.h>

#include "send.h"

static u32 tcp_taken(const struct tl_send *send, const struct sock *sk)
{
	return READ_ONCE(tcp_sk(sk)->write_seq) - send->seq;
}

/**
 * tl_send_begin() - A send begins, and is counted
 * @send: the connection's, settled
 * @sk: its socket
 * @bytes: how many are offered
 *
 * Context: task that sends, the connection locked.
 */
void tl_send_begin(struct tl_send *send, const struct sock *sk, u64 bytes)
{
	send->offered = bytes;
	send->taken = bytes;
	send->parts = 0;
	if (sk->sk_family != AF_UNIX)
		send->seq = READ_ONCE(tcp_sk(sk)->write_seq);
}

/**
 * tl_send_goes_on() - The send wants room for more
 * @send: the connection's
 * @sk: its socket
 * @part: for how much, of a UNIX socket; 0: of pages, and it is not known
 * @nowait: if there is none it ends here
 *
 * Context: task that sends, the connection locked.
 */
void tl_send_goes_on(struct tl_send *send, const struct sock *sk, u64 part, bool nowait)
{
	u64 before = send->parts;

	if (sk->sk_family == AF_UNIX) {
		send->parts += part ? part : send->offered;
		if (sk_wmem_alloc_get(sk) < READ_ONCE(sk->sk_sndbuf))
			nowait = false;
		send->taken = nowait ? min(before, send->offered) : send->offered;
	} else if (nowait) {
		send->taken = tcp_taken(send, sk);
	}
}

/**
 * tl_send_refused() - Settle what was not taken of the last send
 * @send: the connection's
 * @sk: its socket; NULL if nobody holds it here, so that it must not be asked
 *
 * Two threads may send at once: then one's bytes may be found with the other's, and
 * what is returned is "negative".
 *
 * Context: the connection is locked.
 * Return: how many bytes were counted too much; 0 when asked again.
 */
u64 tl_send_refused(struct tl_send *send, const struct sock *sk)
{
	u64 offered = send->offered;

	send->offered = 0;
	if (!offered)
		return 0;
	if (sk && sk->sk_family != AF_UNIX)
		return offered - tcp_taken(send, sk);
	return offered - send->taken;
}
