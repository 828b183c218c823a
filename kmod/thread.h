/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_THREAD_H
#define TL_THREAD_H

#include <linux/list_nulls.h>

#include "core/correlate.h"
#include "memory.h"

struct sock;
struct task_struct;

/* A thread that has used TCP. Only the thread itself touches its entry. */
struct tl_task {
	struct tl_pool_item item;
	struct hlist_nulls_node node;
	const void *key; /* the task; NULL: in the pool */
	struct tl_thread thread;
	struct sock *recv_sk; /* the socket that it is in recvmsg() on, or was last */
	u64 recv_bytes; /* what that call has reported so far */
	struct tl_task *process; /* holds a use of it; NULL: on its own */
	unsigned int uses; /* of a process, by its threads; under the bucket's lock */
	bool recv_peek; /* it only looks, the bytes stay */
};

int tl_thread_init(void);
void tl_thread_exit(void);
struct tl_task *tl_thread_get(struct task_struct *task);
void tl_thread_forget(struct task_struct *task);
void tl_thread_forget_all(void);
unsigned int tl_thread_count(void);

#endif
