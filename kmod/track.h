/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TRACK_H
#define TL_TRACK_H

#include <linux/types.h>

struct sock;

void tl_track_accepted(struct sock *sk);
void tl_track_connecting(struct sock *sk);
void tl_track_older(struct sock *sk, const char *comm);
void tl_track_sent(struct sock *sk, size_t bytes);
void tl_track_still_sending(struct sock *sk);
void tl_track_receiving(struct sock *sk, bool peek);
void tl_track_received(struct sock *sk, int copied);
void tl_track_shutdown(struct sock *sk);
void tl_track_closed(struct sock *sk);
void tl_track_exit(void);
void tl_track_sweep(u64 now_ns, u64 quiet_ns);
void tl_track_forget_all(void);

#endif
