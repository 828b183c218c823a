// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a file descriptor leads to, as far as threads wait for each other there
 *
 * Objects of the kernel get a number that is the same for all processes, made of their
 * address by a keyed hash: no address leaves the kernel. Both ends of a connection have
 * the same number, made of both.
 */
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/net.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/string.h>
#include <linux/tcp.h>
#include <net/af_unix.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "compat/compat.h"
#include "socket.h"
#include "sync-file.h"

static siphash_key_t key;

/* A new recording has other numbers. Context: process. */
void tl_sync_file_init(void)
{
	get_random_bytes(&key, sizeof(key));
}

/* A number for a pair of things. Context: any. */
u64 tl_sync_file_number(u64 a, u64 b)
{
	return siphash_2u64(a, b, &key);
}

static void set(struct tl_sync_point *point, u8 kind, const void *object)
{
	point->kind = kind;
	point->object = tl_sync_file_number((uintptr_t)object, 0);
}

/* ---- sockets ---------------------------------------------------------------------- */

struct endpoint {
	u64 address[2];
	u64 port;
};

/* Kernels give one of these to who connects without asking for one. */
static bool is_clients(u64 port)
{
	return port >= 32768;
}

static u64 endpoint_number(const struct endpoint *at)
{
	return siphash_3u64(at->address[0], at->address[1], at->port, &key);
}

static void endpoints(const struct sock *sk, struct endpoint *own, struct endpoint *other)
{
	memset(own, 0, sizeof(*own));
	memset(other, 0, sizeof(*other));
	own->port = sk->sk_num;
	other->port = ntohs(sk->sk_dport);
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6 && !ipv6_addr_v4mapped(&sk->sk_v6_daddr)) {
		memcpy(own->address, &sk->sk_v6_rcv_saddr, sizeof(own->address));
		memcpy(other->address, &sk->sk_v6_daddr, sizeof(other->address));
		return;
	}
#endif
	own->address[0] = (__force u32)sk->sk_rcv_saddr;
	other->address[0] = (__force u32)sk->sk_daddr;
}

static void tcp_of(const struct sock *sk, bool gives, struct tl_sync_point *point)
{
	struct endpoint own, other;
	u64 a, b;

	if (READ_ONCE(sk->sk_state) == TCP_LISTEN) {
		set(point, TIERLENS_SYNC_LISTENER, sk);
		return;
	}
	endpoints(sk, &own, &other);
	a = endpoint_number(&own);
	b = endpoint_number(&other);
	point->kind = TIERLENS_SYNC_TCP;
	point->object = tl_sync_file_number(min(a, b), max(a, b));
	point->end = own.port == other.port ? a > b : own.port < other.port;
	if (is_clients(own.port) != is_clients(other.port))
		point->flags |= TIERLENS_SYNC_ROLES;
	if (gives)
		point->position = READ_ONCE(tcp_sk(sk)->write_seq);
}

static void unix_of(struct sock *sk, struct tl_sync_point *point)
{
	/* Only compared, so it may go meanwhile. */
	const struct sock *peer = READ_ONCE(unix_sk(sk)->peer);
	uintptr_t a = (uintptr_t)sk, b = (uintptr_t)peer;

	if (READ_ONCE(sk->sk_state) == TCP_LISTEN) {
		set(point, TIERLENS_SYNC_LISTENER, sk);
		return;
	}
	point->kind = TIERLENS_SYNC_UNIX;
	point->object = tl_sync_file_number(min(a, b), max(a, b));
	point->end = a > b;
}

static void socket_of(const struct socket *socket, bool gives, struct tl_sync_point *point)
{
	struct sock *sk = socket->sk;

	point->op = gives ? TIERLENS_SYNC_SEND : TIERLENS_SYNC_RECV;
	if (sk->sk_family == AF_UNIX)
		unix_of(sk, point);
	else if (tl_socket_is_tcp(sk))
		tcp_of(sk, gives, point);
	else
		set(point, TIERLENS_SYNC_OTHER, sk);
}

/* ---- other files -------------------------------------------------------------------- */

static bool is_named(const struct file *file, const char *name)
{
	return !strncmp(file->f_path.dentry->d_name.name, name, strlen(name));
}

/* Files of no file system: eventfd, eventpoll, timerfd, inotify. */
static bool anonymous_of(struct file *file, bool gives, struct tl_sync_point *point)
{
	if (is_named(file, "[eventfd")) {
		point->op = gives ? TIERLENS_SYNC_SIGNAL : TIERLENS_SYNC_WAIT;
		set(point, TIERLENS_SYNC_EVENTFD, file->private_data);
		return true;
	}
	if (gives)
		return false;
	point->op = TIERLENS_SYNC_WAIT;
	set(point, is_named(file, "[eventpoll") ? TIERLENS_SYNC_EPOLL : TIERLENS_SYNC_OTHER,
	    file->private_data);
	return true;
}

static bool kind_of(struct file *file, bool gives, struct tl_sync_point *point)
{
	const struct inode *inode = file_inode(file);
	struct socket *socket;

	if (S_ISSOCK(inode->i_mode)) {
		socket = tl_compat_sock_from_file(file);
		if (!socket || !socket->sk)
			return false;
		socket_of(socket, gives, point);
		return true;
	}
	if (S_ISFIFO(inode->i_mode)) {
		point->op = gives ? TIERLENS_SYNC_SEND : TIERLENS_SYNC_RECV;
		point->end = !gives;
		set(point, TIERLENS_SYNC_PIPE, inode);
		return true;
	}
	return inode->i_sb->s_magic == ANON_INODE_FS_MAGIC && anonymous_of(file, gives, point);
}

/**
 * tl_sync_file_of() - Whether threads wait for each other there
 * @fd: of the current thread
 * @gives: whether it writes or sends
 * @point: if so its op, kind, object, end and position are set
 *
 * Context: task, may be with preemption off.
 */
bool tl_sync_file_of(unsigned int fd, bool gives, struct tl_sync_point *point)
{
	struct file *file = fget(fd);
	bool is;

	if (!file)
		return false;
	is = kind_of(file, gives, point);
	fput(file);
	return is;
}

/* Where in the stream what was received is; its bytes are known. Context: as above. */
void tl_sync_file_taken(unsigned int fd, struct tl_sync_point *point)
{
	struct socket *socket;
	struct file *file;

	if (point->kind != TIERLENS_SYNC_TCP)
		return;
	file = fget(fd);
	if (!file)
		return;
	socket = S_ISSOCK(file_inode(file)->i_mode) ? tl_compat_sock_from_file(file) : NULL;
	if (socket && socket->sk && tl_socket_is_tcp(socket->sk))
		point->position = (u32)(READ_ONCE(tcp_sk(socket->sk)->copied_seq) - point->bytes);
	fput(file);
}
