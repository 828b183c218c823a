// SPDX-License-Identifier: GPL-2.0-or-later
/* An address and a port to listen on. */
#include "daemon/listen.h"

#include "error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BACKLOG 64

static int refuse(const char *text, struct tl_error *err)
{
	return tl_error_set(err, -EINVAL, "\"%.100s\" is no address to listen on: give one such as 127.0.0.1:19477 or "
			    "[::1]:19477, or none", text);
}

/* "127.0.0.1:80" or "[::1]:80", cut in two. */
static bool cut(char *text, char **host, char **port)
{
	char *colon = strrchr(text, ':');

	if (!colon || colon == text)
		return false;
	*colon = '\0';
	*port = colon + 1;
	*host = text;
	if (*text != '[')
		return !strchr(text, ':');
	if (colon[-1] != ']')
		return false;
	colon[-1] = '\0';
	*host = text + 1;
	return true;
}

/**
 * tl_listen_read() - Read an address
 * @to: filled in
 * @text: ADDRESS:PORT, both numbers, or "none"
 * @err: the sentence if it is none
 *
 * Return: 0 or -EINVAL.
 */
int tl_listen_read(struct tl_listen *to, const char *text, struct tl_error *err)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
					.ai_socktype = SOCK_STREAM };
	char copy[128], *host, *port;
	struct addrinfo *found;

	memset(to, 0, sizeof(*to));
	if (!strcmp(text, TL_LISTEN_NONE))
		return 0;
	if (strlen(text) >= sizeof(copy) || strspn(text, "0123456789abcdefABCDEF.:[]%") != strlen(text))
		return refuse(text, err);
	strcpy(copy, text);
	if (!cut(copy, &host, &port) || !*host || !*port || strspn(port, "0123456789") != strlen(port) ||
	    strlen(port) > 5 || atoi(port) > 65535 || getaddrinfo(host, port, &hints, &found))
		return refuse(text, err);
	memcpy(&to->addr, found->ai_addr, found->ai_addrlen);
	to->len = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}

/**
 * tl_listen_is_loopback() - Can only this host reach it?
 * @to: address
 *
 * Return: true or false.
 */
bool tl_listen_is_loopback(const struct tl_listen *to)
{
	const struct in6_addr *six = &((const struct sockaddr_in6 *)&to->addr)->sin6_addr;

	if (to->addr.ss_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)&to->addr)->sin_addr.s_addr) >> 24 == 127;
	return IN6_IS_ADDR_LOOPBACK(six) || (IN6_IS_ADDR_V4MAPPED(six) && six->s6_addr[12] == 127);
}

/* One that is to be chosen by the kernel is as good as any. */
bool tl_listen_equal(const struct tl_listen *a, const struct tl_listen *b)
{
	return a->len == b->len && !memcmp(&a->addr, &b->addr, a->len);
}

static int prepare(int fd, const struct tl_listen *to)
{
	int on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, (const struct sockaddr *)&to->addr, to->len) || listen(fd, BACKLOG))
		return -errno;
	return 0;
}

/**
 * tl_listen_open() - Listen
 * @to: where
 * @err: the sentence if it fails
 *
 * Return: the socket or a negative errno.
 */
int tl_listen_open(const struct tl_listen *to, struct tl_error *err)
{
	int fd = socket(to->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int code = fd < 0 ? -errno : prepare(fd, to);
	char host[INET6_ADDRSTRLEN] = "", port[8] = "";

	if (!code)
		return fd;
	if (fd >= 0)
		close(fd);
	getnameinfo((const struct sockaddr *)&to->addr, to->len, host, sizeof(host), port, sizeof(port),
		    NI_NUMERICHOST | NI_NUMERICSERV);
	return tl_error_set(err, code, "cannot listen on %s, port %s (%s): choose another address with --listen, or none",
			    host, port, strerror(-code));
}

/**
 * tl_listen_print() - Where a socket listens
 * @to: filled in, as --listen takes it
 * @room: bytes of it
 * @fd: socket
 */
void tl_listen_print(char *to, size_t room, int fd)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	char host[INET6_ADDRSTRLEN], port[8];

	*to = '\0';
	if (getsockname(fd, (struct sockaddr *)&addr, &len) ||
	    getnameinfo((const struct sockaddr *)&addr, len, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	snprintf(to, room, addr.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

/**
 * tl_listen_port() - The port at which a socket listens
 * @fd: socket
 *
 * Return: 1 to 65535, or 0 if it has none.
 */
unsigned int tl_listen_port(int fd)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);

	if (getsockname(fd, (struct sockaddr *)&addr, &len))
		return 0;
	if (addr.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&addr)->sin6_port);
	return addr.ss_family == AF_INET ? ntohs(((struct sockaddr_in *)&addr)->sin_port) : 0;
}
