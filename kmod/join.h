/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_JOIN_H
#define TL_JOIN_H

#include "conn.h"

int tl_join_init(void);
void tl_join_exit(void);
void tl_join_new_client(struct tl_client *client);
void tl_join_publish(struct tl_client *client);
void tl_join_withdraw(struct tl_client *client);
void tl_join_find(struct tl_server *server, u64 bytes);

struct tl_client *tl_join_lock(struct tl_server *server);
void tl_join_unlock(struct tl_client *client);

unsigned int tl_join_count(void);

#endif
