/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numeric socket addresses: PORT, HOST:PORT, [V6]:PORT and unix:PATH. */
#ifndef TL_TEST_ADDR_H
#define TL_TEST_ADDR_H

#include <sys/socket.h>

struct addr {
	struct sockaddr_storage sa;
	socklen_t len;
	char text[128];
};

int addr_parse(struct addr *a, const char *text);
int addr_nth(struct addr *a, const struct addr *base, unsigned int n);
int addr_listen(struct addr *a);
int addr_listen_range(struct addr *base, unsigned int n, int *fds);
int addr_connect(const struct addr *a, int type_flags);
void addr_nodelay(int fd);

#endif
