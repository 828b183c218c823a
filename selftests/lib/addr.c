// SPDX-License-Identifier: GPL-2.0-or-later
#include "addr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Writes the port that the kernel chose for port 0 back into @a. */
static void learn_port(struct addr *a, int fd)
{
	a->len = sizeof(a->sa);
	if (getsockname(fd, (void *)&a->sa, &a->len))
		return;
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
