// SPDX-License-Identifier: GPL-2.0-or-later
/* The C library, as libnl sees it: netlink sockets are ends of socket pairs. */
#include "user-fake.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FDS 64

static int far_end[FDS]; /* of our sockets; 0 for those that are not ours */

/* A message to whoever has that socket. */
void deliver(int fd, struct message *m)
{
	((struct nlmsghdr *)m->bytes)->nlmsg_len = (uint32_t)m->len;
	(void)!write(far_end[fd], m->bytes, m->len);
}

#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static bool ours(int fd)
{
	return fd >= 0 && fd < FDS && far_end[fd];
}

int socket(int domain, int type, int protocol)
{
	int pair[2], bytes = 4 << 20;

	if (domain != AF_NETLINK)
		return REAL(socket)(domain, type, protocol);
	if (socketpair(AF_UNIX, SOCK_DGRAM | (type & SOCK_CLOEXEC), 0, pair))
		return -1;
	if (pair[0] >= FDS)
		abort();
	/* A dump is answered before it is read: it must fit. */
	REAL(setsockopt)(pair[1], SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
	REAL(setsockopt)(pair[0], SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	far_end[pair[0]] = pair[1];
	return pair[0];
}

int bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	return ours(fd) ? 0 : REAL(bind)(fd, addr, len);
}

int getsockname(int fd, struct sockaddr *restrict addr, socklen_t *restrict len)
{
	struct sockaddr_nl name = { .nl_family = AF_NETLINK,
				    .nl_pid = (uint32_t)getpid() };

	if (!ours(fd))
		return REAL(getsockname)(fd, addr, len);
	memcpy(addr, &name, sizeof(name));
	*len = sizeof(name);
	return 0;
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t len)
{
	if (!ours(fd) || level != SOL_NETLINK)
		return REAL(setsockopt)(fd, level, option, value, len);
	if (option == NETLINK_ADD_MEMBERSHIP && plays("hints"))
		announce_begin(fd);
	return 0;
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	if (!ours(fd))
		return REAL(sendmsg)(fd, msg, flags);
	respond(fd, msg->msg_iov[0].iov_base);
	return (ssize_t)msg->msg_iov[0].iov_len;
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	void *name = msg->msg_name;
	ssize_t got;

	if (!ours(fd))
		return REAL(recvmsg)(fd, msg, flags);
	msg->msg_name = NULL;
	got = REAL(recvmsg)(fd, msg, flags);
	msg->msg_name = name;
	msg->msg_namelen = sizeof(kernel);
	if (name)
		memcpy(name, &kernel, sizeof(kernel));
	return got;
}

int close(int fd)
{
	if (ours(fd)) {
		REAL(close)(far_end[fd]);
		far_end[fd] = 0;
	}
	return REAL(close)(fd);
}
