/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TRACK_H
#define TL_TRACK_H

#include "thread.h"

void tl_track_accepted(struct sock *sk);
void tl_track_connecting(struct sock *sk);
void tl_track_older(struct sock *sk, const char *comm);
void tl_track_sent(struct sock *sk, size_t bytes, const struct tl_class_bytes *first);
void tl_track_still_sending(struct sock *sk, u64 part, bool nowait);
void tl_track_receiving(struct sock *sk, bool peek, const void __user *base, size_t room);
void tl_track_received(struct sock *sk, int copied);
void tl_track_received_part(const struct sk_buff *skb, unsigned int offset, int bytes);
void tl_track_dispatched(bool always);
void tl_track_ring(void);
void tl_track_wrote(const void *object, u64 bytes);
void tl_track_reads(const void *object, u64 bytes);
void tl_track_futex(enum tl_futex futex);
void tl_track_woken(struct task_struct *woken);
void tl_track_released(const void *object);
void tl_track_shutdown(struct sock *sk);
void tl_track_closed(struct sock *sk);
void tl_track_exit(void);
void tl_track_forget_calls(void);
void tl_track_cut_to_trace(u32 tier);
void tl_track_forget_all(void);

#endif
