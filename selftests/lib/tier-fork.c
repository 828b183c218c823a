// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process for each connection, in three ways: processes that all accept, one connection
 * after the other; a child forked for each connection; and processes that get accepted
 * connections from another one over a UNIX socket. The truth is in memory that they
 * share.
 */
#include "tier.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of a child only; the handler uses them. */
static volatile sig_atomic_t told, serving_fd = -1;

struct serving {
	struct tier_worker worker;
	struct tier_conn conn;
};

/* A child that waits for a request sees the end of its input, a busy one after its
 * answer. */
static void on_term(int sig)
{
	int err = errno;

	(void)sig;
	told = 1;
	if (serving_fd >= 0)
		shutdown(serving_fd, SHUT_RD);
	errno = err;
}

static void serve(struct serving *s, int fd, unsigned int endpoint)
{
	tier_conn_init(&s->conn, fd, endpoint);
	serving_fd = fd;
	if (!told)
		tier_worker_serve(&s->worker, &s->conn);
	serving_fd = -1;
	tier_conn_close(&s->conn);
}

/*
 * Return: 0 in the child, with what it serves with in @s; the child in the parent; or a
 * negative errno. The child dies with the parent and ends well when told to.
 */
static pid_t start_child(struct tier *t, unsigned int number, struct serving **s)
{
	struct sigaction on = {.sa_handler = on_term};
	sigset_t term;
	pid_t pid = fork();

	if (pid)
		return pid < 0 ? -errno : pid;
	sigaction(SIGTERM, &on, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	*s = calloc(1, sizeof(**s));
	if (!*s || tier_worker_init(&(*s)->worker, t, number))
		_exit(1);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &term, NULL);
	return 0;
}

/* --- the parent's children --- */

static pid_t children[TIER_CLIENTS];
static unsigned int n_children; /* slots ever used */

static unsigned int child_slot(void)
{
	for (unsigned int i = 0; i < n_children; i++)
		if (!children[i])
			return i;
	return n_children;
}

static void child_add(unsigned int slot, pid_t pid)
{
	children[slot] = pid;
	if (slot == n_children)
		n_children++;
}

static unsigned int children_reap(void)
{
	unsigned int left = 0;

	for (unsigned int i = 0; i < n_children; i++) {
		if (children[i] && waitpid(children[i], NULL, WNOHANG))
			children[i] = 0;
		left += !!children[i];
	}
	return left;
}

static void children_signal(int sig)
{
	for (unsigned int i = 0; i < n_children; i++)
		if (children[i])
			kill(children[i], sig);
}

static void children_stop(void)
{
	uint64_t limit = truth_now_ns() + TIER_GRACE_NS;

	children_signal(SIGTERM);
	while (children_reap() && truth_now_ns() < limit)
		tier_sleep(2000);
	children_signal(SIGKILL);
}

/* Sleeps until the end. */
static const char *wait_for_end(struct tier *t)
{
	struct pollfd p[2] = {{t->signal_fd, POLLIN, 0}, {t->full_fd, POLLIN, 0}};
	const char *why;

	while (!(why = tier_told_to_end(t)))
		poll(p, 2, 1000);
	return why;
}

/* --- prefork --- */

static void accept_and_serve(struct tier *t, struct serving *s)
{
	struct pollfd p[TIER_PORTS + 2];
	int fd;

	tier_poll_set(t, p);
	while (!told) {
		if (poll(p, t->n_listen, 1000) <= 0)
			continue;
		for (unsigned int i = 0; i < t->n_listen; i++) {
			fd = p[i].revents ? tier_accept(t, i, 0) : -EAGAIN;
			if (fd >= 0)
				serve(s, fd, i);
		}
	}
}

const char *tier_serve_prefork(struct tier *t)
{
	struct serving *s;
	const char *why;
	pid_t pid;

	for (unsigned int i = 0; i < t->pool; i++) {
		pid = start_child(t, i, &s);
		if (!pid) {
			accept_and_serve(t, s);
			_exit(0);
		}
		if (pid < 0)
			tier_complain(t, "starting", "a process", pid);
		else
			child_add(i, pid);
	}
	why = wait_for_end(t);
	children_stop();
	return why;
}

/* --- fork after accept --- */

static void accept_and_fork(struct tier *t, unsigned int endpoint)
{
	unsigned int slot = child_slot();
	int fd = tier_accept(t, endpoint, 0);
	struct serving *s;
	pid_t pid = -EMFILE;

	if (fd < 0)
		return;
	if (slot < TIER_CLIENTS)
		pid = start_child(t, slot, &s);
	if (!pid) {
		serve(s, fd, endpoint);
		tier_worker_close(&s->worker);
		_exit(0);
	}
	if (pid < 0)
		tier_complain(t, "starting", "a process", pid);
	else
		child_add(slot, pid);
	close(fd);
}

const char *tier_serve_fork(struct tier *t)
{
	struct pollfd p[TIER_PORTS + 2];
	unsigned int n = tier_poll_set(t, p);
	const char *why;

	while (!(why = tier_told_to_end(t))) {
		children_reap();
		if (poll(p, n, 1000) <= 0)
			continue;
		for (unsigned int i = 0; i < t->n_listen; i++)
			if (p[i].revents)
				accept_and_fork(t, i);
	}
	children_stop();
	return why;
}

/* --- connections passed to another process --- */

union passed {
	char space[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

/* One byte, which says to which endpoint it was connected, goes with each descriptor. */
static void pass(struct tier *t, int to, int fd, unsigned char endpoint)
{
	union passed u = {0};
	struct iovec iov = {&endpoint, 1};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &u,
			     .msg_controllen = sizeof(u)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (sendmsg(to, &msg, MSG_NOSIGNAL) != 1)
		tier_complain(t, "passing", "a connection", -errno);
	close(fd);
}

/* Return: a descriptor, or -1 at the end. */
static int passed(int from, unsigned char *endpoint)
{
	union passed u;
	struct iovec iov = {endpoint, 1};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &u,
			     .msg_controllen = sizeof(u)};
	struct cmsghdr *c;
	int fd = -1;

	if (recvmsg(from, &msg, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	c = CMSG_FIRSTHDR(&msg);
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static void accept_and_pass(struct tier *t, int to, const char **why)
{
	struct pollfd p[TIER_PORTS + 2];
	unsigned int n = tier_poll_set(t, p);
	int fd;

	while (!(*why = tier_told_to_end(t))) {
		if (poll(p, n, 1000) <= 0)
			continue;
		for (unsigned int i = 0; i < t->n_listen; i++) {
			fd = p[i].revents ? tier_accept(t, i, 0) : -EAGAIN;
			if (fd >= 0)
				pass(t, to, fd, i);
		}
	}
}

static void __attribute__((noreturn)) serve_passed(struct serving *s, const int *pair)
{
	unsigned char endpoint;
	int fd;

	close(pair[0]);
	while (!told && (fd = passed(pair[1], &endpoint)) >= 0)
		serve(s, fd, endpoint);
	_exit(0);
}

/* The children wait on one socket together, and see its end when it is closed. */
const char *tier_serve_passfd(struct tier *t)
{
	const char *why = "error";
	struct serving *s;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return why;
	for (unsigned int i = 0; i < t->pool; i++) {
		pid = start_child(t, i, &s);
		if (!pid)
			serve_passed(s, pair);
		if (pid < 0)
			tier_complain(t, "starting", "a process", pid);
		else
			child_add(i, pid);
	}
	close(pair[1]);
	accept_and_pass(t, pair[0], &why);
	close(pair[0]);
	children_stop();
	return why;
}
