/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SOCKET_H
#define TL_SOCKET_H

#include <net/sock.h>

/* Not every kernel has sk_is_tcp(), and some count MPTCP's subflows otherwise. */
static inline bool tl_socket_is_tcp(const struct sock *sk)
{
	return (sk->sk_family == AF_INET || sk->sk_family == AF_INET6) &&
	       sk->sk_protocol == IPPROTO_TCP;
}

static inline bool tl_socket_is_unix_stream(const struct sock *sk)
{
	return sk->sk_family == AF_UNIX && sk->sk_type == SOCK_STREAM;
}

#endif
