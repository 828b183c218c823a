/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CLIENT_H
#define TL_CLIENT_H

#include "conn.h"

struct tl_task;

struct tl_conn *tl_client_add(struct sock *sk);
void tl_client_forget_call(struct tl_client *client);
void tl_client_remove(struct tl_client *client);
void tl_client_sweep(struct tl_client *client, u64 now_ns);
void tl_client_connecting(struct tl_client *client, struct tl_task *task, u64 now_ns);
enum tl_outcome tl_client_sent(struct tl_client *client, struct tl_task *task, u64 now_ns,
			       u64 bytes);
void tl_client_shut(struct tl_client *client);
enum tl_outcome tl_client_received(struct tl_client *client, struct tl_task *task,
				   u64 now_ns, u64 bytes);

#endif
