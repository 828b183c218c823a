/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_LISTEN_H
#define TL_DAEMON_LISTEN_H

#include <stdbool.h>
#include <sys/socket.h>

#define TL_LISTEN_DEFAULT "127.0.0.1:19477"
#define TL_LISTEN_NONE "none"

struct tl_error;

/* Where to listen; @len is 0 for nowhere. */
struct tl_listen {
	struct sockaddr_storage addr;
	socklen_t len;
};

int tl_listen_read(struct tl_listen *to, const char *text, struct tl_error *err);
bool tl_listen_is_loopback(const struct tl_listen *to);
bool tl_listen_equal(const struct tl_listen *a, const struct tl_listen *b);
int tl_listen_open(const struct tl_listen *to, struct tl_error *err);
unsigned int tl_listen_port(int fd);
void tl_listen_print(char *to, size_t room, int fd);

#endif
