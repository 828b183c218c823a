/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SEND_H
#define TL_SEND_H

#include <linux/types.h>

struct sock;

/* The last send of a connection, which was counted by what was offered. */
struct tl_send {
	u64 offered; /* bytes; 0: settled */
	u64 taken; /* of them, as far as can be told without the socket */
	u64 parts; /* of a UNIX socket: bytes for which it wanted room so far */
	u32 seq; /* of a TCP socket: its write sequence before */
};

void tl_send_begin(struct tl_send *send, const struct sock *sk, u64 bytes);
void tl_send_goes_on(struct tl_send *send, const struct sock *sk, u64 part, bool nowait);
u64 tl_send_refused(struct tl_send *send, const struct sock *sk);

#endif
