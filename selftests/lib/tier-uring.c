// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * I/O by io_uring, in two ways: one thread and one ring for all connections, each served
 * by a coroutine that waits for its completions; and a thread for each connection that
 * waits for each operation on a ring of its own.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "coro.h"

#ifdef TIER_URING
#include <liburing.h>

/* What a completion belongs to that is no coroutine, whose addresses are above these. */
enum { NR_NONE = TIER_PORTS, NR_END, NR_LIMIT, NR_MAX };

struct loop {
	struct io_uring ring;
	struct coro_table table;
	unsigned int accepts; /* in flight */
	bool told, ending, over;
	struct __kernel_timespec limit;
};

static struct loop loop;

/* --- operations --- */

static struct io_uring_sqe *sqe_get(struct io_uring *ring)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	if (sqe)
		return sqe;
	io_uring_submit(ring);
	return io_uring_get_sqe(ring);
}

static bool is_sync(const struct tier_worker *w)
{
	return w->io == &tier_io_uring_sync;
}

static struct io_uring_sqe *op_begin(struct tier_worker *w)
{
	return sqe_get(is_sync(w) ? w->io_data : &loop.ring);
}

static int wait_sync(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	int ret;

	do {
		ret = io_uring_submit_and_wait(ring, 1);
	} while (ret == -EINTR);
	if (ret < 0)
		return ret;
	ret = io_uring_peek_cqe(ring, &cqe);
	if (ret)
		return ret;
	ret = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return ret;
}

static int op_end(struct tier_worker *w, struct io_uring_sqe *sqe)
{
	struct coro *c;

	if (is_sync(w))
		return wait_sync(w->io_data);
	c = coro_of(w);
	io_uring_sqe_set_data(sqe, c);
	coro_yield(c);
	return c->result;
}

static ssize_t uring_recv(struct tier_worker *w, int fd, void *to, size_t room)
{
	struct io_uring_sqe *sqe = op_begin(w);

	io_uring_prep_recv(sqe, fd, to, room, 0);
	return op_end(w, sqe);
}

static ssize_t uring_send(struct tier_worker *w, int fd, struct msghdr *msg)
{
	struct io_uring_sqe *sqe = op_begin(w);

	io_uring_prep_sendmsg(sqe, fd, msg, msg->msg_flags | MSG_NOSIGNAL);
	return op_end(w, sqe);
}

static void uring_wait(struct tier_worker *w, int fd, uint32_t events)
{
	struct io_uring_sqe *sqe = op_begin(w);

	io_uring_prep_poll_add(sqe, fd, events);
	op_end(w, sqe);
}

static void uring_sleep(struct tier_worker *w, uint32_t us)
{
	struct __kernel_timespec ts = {us / 1000000, us % 1000000 * 1000LL};
	struct io_uring_sqe *sqe;

	if (!us)
		return;
	sqe = op_begin(w);
	io_uring_prep_timeout(sqe, &ts, 0, 0);
	op_end(w, sqe);
}

static int sync_open(struct tier_worker *w)
{
	struct io_uring *ring = calloc(1, sizeof(*ring));
	int ret = ring ? io_uring_queue_init(4, ring, 0) : -ENOMEM;

	if (ret)
		free(ring);
	w->io_data = ring;
	return ret;
}

static void sync_close(struct tier_worker *w)
{
	io_uring_queue_exit(w->io_data);
	free(w->io_data);
}

const struct tier_io tier_io_uring = {
	.recv = uring_recv,
	.send = uring_send,
	.wait = uring_wait,
	.sleep = uring_sleep,
};

const struct tier_io tier_io_uring_sync = {
	.open = sync_open,
	.close = sync_close,
	.recv = uring_recv,
	.send = uring_send,
	.wait = uring_wait,
	.sleep = uring_sleep,
};

/* --- the loop --- */

static void await(struct io_uring_sqe *sqe, uintptr_t nr)
{
	io_uring_sqe_set_data(sqe, (void *)nr);
}

static void await_accept(unsigned int endpoint)
{
	struct io_uring_sqe *sqe = sqe_get(&loop.ring);

	io_uring_prep_accept(sqe, loop.table.tier->listen_fd[endpoint], NULL, NULL,
			     SOCK_CLOEXEC);
	await(sqe, endpoint);
	loop.accepts++;
}

static void await_readable(int fd)
{
	struct io_uring_sqe *sqe = sqe_get(&loop.ring);

	io_uring_prep_poll_add(sqe, fd, POLLIN);
	await(sqe, NR_END);
}

static void await_time(uint64_t ns)
{
	struct io_uring_sqe *sqe = sqe_get(&loop.ring);

	loop.limit.tv_sec = ns / 1000000000;
	loop.limit.tv_nsec = ns % 1000000000;
	io_uring_prep_timeout(sqe, &loop.limit, 0, 0);
	await(sqe, NR_LIMIT);
}

static void go_on(struct coro *c)
{
	coro_resume(c);
	if (c->ended)
		coro_release(&loop.table, c);
}

static void accepted(unsigned int endpoint, int fd)
{
	struct coro *c;

	loop.accepts--;
	if (loop.ending) {
		if (fd >= 0)
			close(fd);
		return;
	}
	await_accept(endpoint);
	if (fd < 0)
		return;
	tier_accepted(loop.table.tier, fd);
	c = coro_start(&loop.table, fd, endpoint);
	if (c)
		go_on(c);
}

static void dispatch(uintptr_t data, int result)
{
	struct coro *c;

	if (data < TIER_PORTS) {
		accepted(data, result);
	} else if (data == NR_END) {
		loop.told = true;
	} else if (data == NR_LIMIT) {
		loop.told = true;
		loop.over = loop.ending;
	} else if (data >= NR_MAX) {
		c = (void *)data;
		c->result = result;
		go_on(c);
	}
}

static void loop_turn(void)
{
	struct io_uring_cqe *cqe;
	uintptr_t data;
	int result;

	if (io_uring_submit_and_wait(&loop.ring, 1) < 0)
		return;
	while (!io_uring_peek_cqe(&loop.ring, &cqe)) {
		data = (uintptr_t)io_uring_cqe_get_data(cqe);
		result = cqe->res;
		io_uring_cqe_seen(&loop.ring, cqe);
		dispatch(data, result);
	}
}

/*
 * What the kernel has in hand when the ring is closed keeps its sockets for a while: the
 * next server would find the ports taken. So the accepts are ended as well.
 */
static void loop_drain(void)
{
	struct tier *t = loop.table.tier;

	loop.ending = true;
	for (unsigned int i = 0; i < t->n_listen; i++)
		shutdown(t->listen_fd[i], SHUT_RDWR);
	coro_stop_reading(&loop.table);
	await_time(TIER_GRACE_NS);
	while ((loop.table.active || loop.accepts) && !loop.over)
		loop_turn();
}

const char *tier_serve_uring(struct tier *t)
{
	uint64_t now = truth_now_ns();
	const char *why;
	int ret = io_uring_queue_init(512, &loop.ring, 0);

	if (ret) {
		tier_complain(t, "opening", "a ring", ret);
		return "error";
	}
	loop.table.tier = t;
	for (unsigned int i = 0; i < t->n_listen; i++)
		await_accept(i);
	await_readable(t->signal_fd);
	await_readable(t->full_fd);
	await_time(t->deadline_ns > now ? t->deadline_ns - now : 0);
	while (!loop.told)
		loop_turn();
	why = tier_told_to_end(t);
	loop_drain();
	io_uring_queue_exit(&loop.ring);
	if (!loop.table.active)
		coro_free_all(&loop.table);
	return why ? why : "seconds";
}

#else

const struct tier_io tier_io_uring, tier_io_uring_sync;

const char *tier_serve_uring(struct tier *t)
{
	tier_complain(t, "built without", "liburing", -ENOSYS);
	return "error";
}

#endif
