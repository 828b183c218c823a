// SPDX-License-Identifier: GPL-2.0-or-later
#include "addr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/un.h>
#include <unistd.h>

static int parse_port(const char *text, in_port_t *port)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	if (end == text || *end || v > 65535)
		return -EINVAL;
	*port = htons(v);
	return 0;
}

static int parse_unix(struct addr *a, const char *path)
{
	struct sockaddr_un *un = (void *)&a->sa;

	if (!*path || strlen(path) >= sizeof(un->sun_path))
		return -EINVAL;
	un->sun_family = AF_UNIX;
	strcpy(un->sun_path, path);
	a->len = sizeof(*un);
	return 0;
}

static int parse_v6(struct addr *a, char *host)
{
	struct sockaddr_in6 *in6 = (void *)&a->sa;
	char *end = strstr(host, "]:");

	if (!end)
		return -EINVAL;
	*end = '\0';
	in6->sin6_family = AF_INET6;
	a->len = sizeof(*in6);
	if (inet_pton(AF_INET6, host, &in6->sin6_addr) != 1)
		return -EINVAL;
	return parse_port(end + 2, &in6->sin6_port);
}

/* A port alone means 127.0.0.1, so that nothing is reachable from outside by mistake. */
static int parse_v4(struct addr *a, char *host)
{
	struct sockaddr_in *in = (void *)&a->sa;
	char *colon = strrchr(host, ':');

	in->sin_family = AF_INET;
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	a->len = sizeof(*in);
	if (!colon)
		return parse_port(host, &in->sin_port);
	*colon = '\0';
	if (inet_pton(AF_INET, host, &in->sin_addr) != 1)
		return -EINVAL;
	return parse_port(colon + 1, &in->sin_port);
}

int addr_parse(struct addr *a, const char *text)
{
	char copy[sizeof(a->text)];

	memset(a, 0, sizeof(*a));
	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	strcpy(a->text, text);
	strcpy(copy, text);
	if (!strncmp(text, "unix:", 5))
		return parse_unix(a, text + 5);
	return copy[0] == '[' ? parse_v6(a, copy + 1) : parse_v4(a, copy);
}

void addr_nodelay(int fd)
{
	int one = 1;

	/* Fails on a UNIX socket, which has no such delay. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static in_port_t *port_of(struct addr *a)
{
	switch (a->sa.ss_family) {
	case AF_INET:
		return &((struct sockaddr_in *)&a->sa)->sin_port;
	case AF_INET6:
		return &((struct sockaddr_in6 *)&a->sa)->sin6_port;
	default:
		return NULL;
	}
}

static void print_port(struct addr *a)
{
	if (a->sa.ss_family == AF_INET) {
		struct sockaddr_in *in = (void *)&a->sa;

		snprintf(a->text, sizeof(a->text), "%s:%u", inet_ntoa(in->sin_addr),
			 ntohs(in->sin_port));
	} else if (a->sa.ss_family == AF_INET6) {
		struct sockaddr_in6 *in6 = (void *)&a->sa;
		char host[INET6_ADDRSTRLEN];

		inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof(host));
		snprintf(a->text, sizeof(a->text), "[%s]:%u", host,
			 ntohs(in6->sin6_port));
	}
}

/*
 * The @n-th address of a range, from 0: that many ports on, or the path with ".NN" after
 * it. Return: 0 or -EINVAL when there is none.
 */
int addr_nth(struct addr *a, const struct addr *base, unsigned int n)
{
	char text[sizeof(a->text) + 16];
	in_port_t *port;

	*a = *base;
	port = port_of(a);
	if (!port) {
		snprintf(text, sizeof(text), "%s.%02u", base->text, n);
		return addr_parse(a, text);
	}
	if (ntohs(*port) + n > 65535)
		return -EINVAL;
	*port = htons(ntohs(*port) + n);
	print_port(a);
	return 0;
}

/* Writes the port that the kernel chose for port 0 back into @a. */
static void learn_port(struct addr *a, int fd)
{
	a->len = sizeof(a->sa);
	if (!getsockname(fd, (void *)&a->sa, &a->len))
		print_port(a);
}

/* Return: a listening, non-blocking socket or a negative errno. */
int addr_listen(struct addr *a)
{
	int one = 1, err;
	int fd = socket(a->sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (a->sa.ss_family == AF_UNIX)
		unlink(((struct sockaddr_un *)&a->sa)->sun_path);
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (void *)&a->sa, a->len) || listen(fd, 1024)) {
		err = -errno;
		close(fd);
		return err;
	}
	if (a->sa.ss_family != AF_UNIX)
		learn_port(a, fd);
	return fd;
}

static int listen_range_at(const struct addr *base, unsigned int n, int *fds)
{
	struct addr a;

	for (unsigned int i = 0; i < n; i++) {
		fds[i] = addr_nth(&a, base, i);
		if (!fds[i])
			fds[i] = addr_listen(&a);
		if (fds[i] >= 0)
			continue;
		for (unsigned int k = 0; k < i; k++)
			close(fds[k]);
		return fds[i];
	}
	return 0;
}

/*
 * Listens on the @n addresses from @base on. Instead of port 0 it takes ports at random
 * below those that the kernel gives to connections, of which many lie about after a load.
 * Return: 0 and their sockets in @fds, or a negative errno.
 */
int addr_listen_range(struct addr *base, unsigned int n, int *fds)
{
	in_port_t *port = port_of(base);
	uint16_t random = 0;
	int ret = 0;

	if (!port || *port)
		return listen_range_at(base, n, fds);
	for (int tries = 0; tries < 100; tries++) {
		if (getrandom(&random, sizeof(random), 0) < 0)
			return -errno;
		*port = htons(10000 + random % 20000);
		ret = listen_range_at(base, n, fds);
		if (!ret)
			break;
	}
	print_port(base);
	return ret;
}

/*
 * @type_flags: 0 or SOCK_NONBLOCK; a non-blocking connection may still be in progress.
 * Return: a connected socket or a negative errno.
 */
int addr_connect(const struct addr *a, int type_flags)
{
	int err;
	int fd = socket(a->sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC | type_flags, 0);

	if (fd < 0)
		return -errno;
	addr_nodelay(fd);
	if (connect(fd, (const void *)&a->sa, a->len) && errno != EINPROGRESS) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}
