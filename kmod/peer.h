/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_PEER_H
#define TL_PEER_H

#include <linux/types.h>
#include <uapi/linux/tierlens.h>

struct sock;

#define TL_PEERS 1024 /* at once; number 0 is "more peers" */

/* The endpoint that a call goes to. */
struct tl_peer {
	u8 addr[16];
	u8 addr_len; /* 4 or 16; 0: a UNIX socket */
	u8 used;
	u8 local; /* on this host, for certain */
	u16 port;
	u32 netns; /* of the caller */
	char path[TIERLENS_SUN_PATH_MAX + 1];
	u32 joined; /* last: no part of the endpoint. The tier that calls have reached */
};

int tl_peer_init(void);
void tl_peer_exit(void);

u32 tl_peer_number(const struct sock *sk, u32 *last);
bool tl_peer_get(u32 number, struct tl_peer *copy);
u32 tl_peer_tier(const struct tl_peer *peer);
void tl_peer_joined(u32 number, u32 tier);
void tl_peer_forget_all(void);
unsigned int tl_peer_count(void);

#endif
