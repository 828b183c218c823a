// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A coroutine for each connection, and some threads that share an epoll: whichever is
 * free goes on with the coroutine whose bytes have come. A request so begins on one
 * thread, calls from a second and is answered by a third.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "coro.h"

static struct coro_table table;
/* lock: protects table */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int epoll_fd, stop_fd;

/* --- how a coroutine waits --- */

static void coro_wait(struct tier_worker *w, int fd, uint32_t events)
{
	struct coro *c = coro_of(w);

	c->wait_fd = fd;
	c->wait_events = events;
	coro_yield(c);
}

/* Not inlined, since the address of errno is this thread's only until the next wait. */
static ssize_t __attribute__((noinline)) try_recv(int fd, void *to, size_t room)
{
	ssize_t n = recv(fd, to, room, MSG_DONTWAIT);

	return n < 0 ? -errno : n;
}

static ssize_t coro_recv(struct tier_worker *w, int fd, void *to, size_t room)
{
	ssize_t n;

	while ((n = try_recv(fd, to, room)) == -EAGAIN)
		coro_wait(w, fd, EPOLLIN);
	return n;
}

static ssize_t coro_send(struct tier_worker *w, int fd, struct msghdr *msg)
{
	msg->msg_flags |= MSG_DONTWAIT;
	return tier_io_plain.send(w, fd, msg);
}

static void coro_sleep(struct tier_worker *w, uint32_t us)
{
	struct itimerspec its = {{0}, {us / 1000000, us % 1000000 * 1000L}};
	struct coro *c = coro_of(w);
	uint64_t ticks;

	if (!us)
		return;
	if (c->timer_fd < 0)
		c->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	timerfd_settime(c->timer_fd, 0, &its, NULL);
	while (read(c->timer_fd, &ticks, sizeof(ticks)) < 0)
		coro_wait(w, c->timer_fd, EPOLLIN);
}

const struct tier_io tier_io_coro = {
	.recv = coro_recv,
	.send = coro_send,
	.wait = coro_wait,
	.sleep = coro_sleep,
};

/* --- the threads --- */

static int watch(int op, int fd, uint32_t events, void *data)
{
	struct epoll_event ev = {.events = events, .data.ptr = data};

	return epoll_ctl(epoll_fd, op, fd, &ev) ? -errno : 0;
}

/* Once it is armed, another thread may be at it before this returns. */
static void arm(struct coro *c)
{
	uint32_t events = c->wait_events | EPOLLONESHOT;

	if (watch(EPOLL_CTL_MOD, c->wait_fd, events, c) == -ENOENT)
		watch(EPOLL_CTL_ADD, c->wait_fd, events, c);
}

static void go_on(struct coro *c)
{
	coro_resume(c);
	if (!c->ended) {
		arm(c);
		return;
	}
	pthread_mutex_lock(&lock);
	coro_release(&table, c);
	pthread_mutex_unlock(&lock);
}

static void *run(void *arg)
{
	struct epoll_event ev;
	int n;

	(void)arg;
	do {
		n = epoll_wait(epoll_fd, &ev, 1, -1);
		if (n > 0 && ev.data.ptr)
			go_on(ev.data.ptr);
	} while (n < 1 || ev.data.ptr);
	return NULL;
}

static void accept_one(unsigned int endpoint)
{
	int fd = tier_accept(table.tier, endpoint, SOCK_NONBLOCK);
	struct coro *c;

	if (fd < 0)
		return;
	pthread_mutex_lock(&lock);
	c = coro_start(&table, fd, endpoint);
	pthread_mutex_unlock(&lock);
	if (!c)
		return;
	c->wait_fd = c->conn.fd;
	c->wait_events = EPOLLIN;
	arm(c);
}

static unsigned int left(void)
{
	unsigned int n;

	pthread_mutex_lock(&lock);
	n = table.active;
	pthread_mutex_unlock(&lock);
	return n;
}

/* A coroutine that is still busy when the grace is over ends with the process. */
static void stop(struct tier *t, const pthread_t *threads, unsigned int n_threads)
{
	uint64_t limit = truth_now_ns() + TIER_GRACE_NS;

	pthread_mutex_lock(&lock);
	coro_stop_reading(&table);
	pthread_mutex_unlock(&lock);
	while (left() && truth_now_ns() < limit)
		tier_sleep(2000);
	if (left()) {
		tier_complain(t, "ending", "a request", -ETIMEDOUT);
		return;
	}
	eventfd_write(stop_fd, 1);
	for (unsigned int i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	coro_free_all(&table);
}

const char *tier_serve_coro(struct tier *t)
{
	pthread_t *threads = calloc(t->pool, sizeof(*threads));
	struct pollfd p[TIER_PORTS + 2];
	unsigned int n = tier_poll_set(t, p), n_threads = 0;
	const char *why = "error";

	table.tier = t;
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	stop_fd = eventfd(0, EFD_CLOEXEC);
	if (!threads || watch(EPOLL_CTL_ADD, stop_fd, EPOLLIN, NULL))
		return why;
	while (n_threads < t->pool &&
	       !pthread_create(&threads[n_threads], NULL, run, NULL))
		n_threads++;
	while (n_threads && !(why = tier_told_to_end(t))) {
		if (poll(p, n, 1000) <= 0)
			continue;
		for (unsigned int i = 0; i < t->n_listen; i++)
			if (p[i].revents)
				accept_one(i);
	}
	stop(t, threads, n_threads);
	free(threads);
	return why;
}
