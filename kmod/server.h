/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SERVER_H
#define TL_SERVER_H

#include "conn.h"

struct tl_class_bytes;
struct tl_task;

struct tl_conn *tl_server_add(struct sock *sk, const char *comm);
void tl_server_remove(struct tl_server *server);
enum tl_outcome tl_server_received(struct tl_server *server, struct tl_task *task,
				   u64 now_ns, u64 bytes);
void tl_server_cut_to_trace(struct tl_server *server);
enum tl_outcome tl_server_sent(struct tl_server *server, struct tl_task *task, bool own,
			       u64 now_ns, size_t bytes, const struct tl_class_bytes *first);
void tl_server_still_sending(struct tl_server *server, u64 now_ns);
void tl_server_forget_socket(struct tl_server *server);
void tl_server_end(struct tl_server *server);
void tl_server_charge_late(struct tl_request *request, const struct tl_used *used);
bool tl_server_used_late(struct tl_request_ref ref, const struct tl_used *used);
u32 tl_server_node(struct tl_request *request);
void tl_server_shut(struct tl_server *server);

#endif
