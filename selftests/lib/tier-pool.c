// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One thread reads the requests of all connections and hands each over a queue to a pool
 * of threads. The one that takes it makes the calls, and sends the answer itself or gives
 * it back to the first thread, which then does.
 */
#include "tier-crew.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* What is no client has numbers above theirs: the listening ones, and then these. */
#define NR_END (TIER_CLIENTS + TIER_PORTS)
#define NR_DONE (NR_END + 1)

enum client_state { CLIENT_FREE, CLIENT_READ, CLIENT_WORK, CLIENT_ANSWER };

/*
 * A connection is the reader's while it is read or answered, a worker's between. A worker
 * that answers gives it back through the state and epoll, which take no lock, so that
 * nobody is woken who is not given a request.
 */
struct client {
	_Atomic enum client_state state;
	int failed; /* by the worker: negative errno */
	struct tier_conn conn;
};

struct pool {
	struct tier *tier;
	int epoll_fd, done_fd;
	struct client *clients[TIER_CLIENTS];
	struct tier_crew crew;	/* to which connections are handed over */
	struct tier_queue done; /* results, where the reader answers */
	struct tier_worker sender;
	bool told;
};

static void client_close(struct client *c)
{
	truth_charge(NULL);
	tier_conn_close(&c->conn);
	atomic_store_explicit(&c->state, CLIENT_FREE, memory_order_release);
}

/* From here on it is the reader's, who may be at it before this returns. */
static void client_arm(struct pool *p, unsigned int nr, enum client_state state,
		       uint32_t events)
{
	struct client *c = p->clients[nr];
	struct epoll_event ev = {.events = events | EPOLLONESHOT, .data.u32 = nr};
	int fd = c->conn.fd;

	truth_charge(NULL);
	atomic_store_explicit(&c->state, state, memory_order_release);
	if (epoll_ctl(p->epoll_fd, EPOLL_CTL_MOD, fd, &ev))
		client_close(c);
}

/* @ret: what tier_conn_take() says. Return: whether there is a request to serve. */
static bool client_taken(struct pool *p, unsigned int nr, int ret)
{
	if (!ret || ret == -EAGAIN)
		client_arm(p, nr, CLIENT_READ, EPOLLIN);
	else if (ret < 0)
		client_close(p->clients[nr]);
	return ret > 0;
}

/* --- workers --- */

/* Serves what was read; a request that came along with it is served here as well. */
static void serve_and_answer(struct pool *p, struct tier_worker *w, unsigned int nr)
{
	struct tier_conn *c = &p->clients[nr]->conn;
	int ret;

	do {
		truth_charge(&c->q);
		if (tier_worker_work(w, c) || tier_worker_answer(w, c)) {
			client_close(p->clients[nr]);
			return;
		}
		tier_conn_ready(c);
		ret = tier_conn_pipelined(p->tier, c);
	} while (client_taken(p, nr, ret));
}

static void serve_and_give_back(struct pool *p, struct tier_worker *w, unsigned int nr)
{
	struct client *c = p->clients[nr];

	truth_charge(&c->conn.q);
	c->failed = tier_worker_work(w, &c->conn);
	truth_charge(NULL);
	tier_queue_put(&p->done, nr);
	eventfd_write(p->done_fd, 1);
}

static void serve(struct tier_crew *crew, struct tier_worker *w, uint32_t nr)
{
	if (crew->tier->answer_io)
		serve_and_give_back(crew->data, w, nr);
	else
		serve_and_answer(crew->data, w, nr);
}

/* --- the thread that reads --- */

static void queue_put(struct pool *p, unsigned int nr)
{
	atomic_store_explicit(&p->clients[nr]->state, CLIENT_WORK, memory_order_relaxed);
	tier_crew_put(&p->crew, nr);
}

static void client_read(struct pool *p, unsigned int nr)
{
	struct tier_conn *c = &p->clients[nr]->conn;
	size_t room;
	void *space = frame_space(&c->in, &room);
	ssize_t n = recv(c->fd, space, room, MSG_DONTWAIT);

	if (client_taken(p, nr, tier_conn_take(c, n < 0 ? -errno : n)))
		queue_put(p, nr);
}

/* Sends what the socket takes; there are no pauses between the parts here. */
static void client_answer(struct pool *p, unsigned int nr)
{
	struct tier_conn *c = &p->clients[nr]->conn;
	int ret;

	truth_charge(&c->q);
	do {
		ret = tier_answer_send(c, &p->sender);
	} while (ret > 0 && c->answer.sent < c->answer.total);
	if (!ret) {
		client_arm(p, nr, CLIENT_ANSWER, EPOLLOUT);
		return;
	}
	tier_conn_done(p->tier, c, ret < 0 ? ret : 0);
	if (ret < 0) {
		client_close(p->clients[nr]);
		return;
	}
	tier_conn_ready(c);
	if (client_taken(p, nr, tier_conn_pipelined(p->tier, c)))
		queue_put(p, nr);
}

static void answer_done(struct pool *p)
{
	eventfd_t n;
	int32_t nr;

	eventfd_read(p->done_fd, &n);
	while ((nr = tier_queue_try(&p->done)) >= 0) {
		if (p->clients[nr]->failed)
			client_close(p->clients[nr]);
		else
			client_answer(p, nr);
	}
}

static int slot_find(struct pool *p)
{
	for (int i = 0; i < TIER_CLIENTS; i++) {
		if (!p->clients[i])
			p->clients[i] = calloc(1, sizeof(struct client));
		if (!p->clients[i])
			return -1;
		if (atomic_load_explicit(&p->clients[i]->state, memory_order_acquire) ==
		    CLIENT_FREE)
			return i;
	}
	return -1;
}

static int watch(struct pool *p, int fd, uint32_t nr, uint32_t events)
{
	struct epoll_event ev = {.events = events, .data.u32 = nr};

	return epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

static void accept_one(struct pool *p, unsigned int endpoint)
{
	int fd = tier_accept(p->tier, endpoint, p->tier->answer_io ? SOCK_NONBLOCK : 0);
	int nr;

	if (fd < 0)
		return;
	nr = slot_find(p);
	if (nr < 0) {
		tier_complain(p->tier, "accepting", "one more connection", -EMFILE);
		close(fd);
		return;
	}
	tier_conn_init(&p->clients[nr]->conn, fd, endpoint);
	p->clients[nr]->state = CLIENT_READ;
	if (watch(p, fd, nr, EPOLLIN | EPOLLONESHOT))
		client_close(p->clients[nr]);
}

static void client_event(struct pool *p, unsigned int nr)
{
	switch (atomic_load_explicit(&p->clients[nr]->state, memory_order_acquire)) {
	case CLIENT_READ:
		client_read(p, nr);
		break;
	case CLIENT_ANSWER:
		client_answer(p, nr);
		break;
	default:
		break;
	}
}

static void dispatch(struct pool *p, uint32_t nr)
{
	if (nr < TIER_CLIENTS)
		client_event(p, nr);
	else if (nr < NR_END)
		accept_one(p, nr - TIER_CLIENTS);
	else if (nr == NR_DONE)
		answer_done(p);
	else
		p->told = true;
	truth_charge(NULL);
}

/* --- start and end --- */

static int pool_open(struct pool *p, struct tier *t)
{
	int bad;

	p->tier = t;
	p->sender.io = t->io;
	p->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	p->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	bad = tier_queue_open(&p->done, TIER_QUEUE_FUTEX, t->results);
	for (unsigned int i = 0; i < t->n_listen; i++)
		bad |= watch(p, t->listen_fd[i], TIER_CLIENTS + i, EPOLLIN);
	bad |= watch(p, t->signal_fd, NR_END, EPOLLIN);
	bad |= watch(p, t->full_fd, NR_END, EPOLLIN);
	bad |= watch(p, p->done_fd, NR_DONE, EPOLLIN);
	return bad;
}

static void pool_close(struct pool *p)
{
	for (int i = 0; i < TIER_CLIENTS && p->clients[i]; i++) {
		if (p->clients[i]->state != CLIENT_FREE)
			tier_conn_close(&p->clients[i]->conn);
		free(p->clients[i]);
	}
	tier_queue_close(&p->done);
	close(p->done_fd);
	close(p->epoll_fd);
	free(p);
}

static void pool_run(struct pool *p)
{
	struct epoll_event ev[64];
	int n;

	while (!p->told && truth_now_ns() < p->tier->deadline_ns) {
		n = epoll_wait(p->epoll_fd, ev, 64, 1000);
		for (int i = 0; i < n; i++)
			dispatch(p, ev[i].data.u32);
	}
}

static const char *serve_pool(struct tier *t, enum tier_queue_kind kind)
{
	struct pool *p = calloc(1, sizeof(*p));
	const char *why = "error";

	if (!p || pool_open(p, t))
		return why;
	p->crew = (struct tier_crew){.tier = t, .serve = serve, .data = p};
	if (tier_crew_start(&p->crew, kind))
		return why;
	pool_run(p);
	why = tier_told_to_end(t);
	if (!tier_crew_stop(&p->crew))
		return why;
	answer_done(p);
	pool_close(p);
	return why;
}

const char *tier_serve_pool(struct tier *t)
{
	return serve_pool(t, TIER_QUEUE_FUTEX);
}

const char *tier_serve_pool_eventfd(struct tier *t)
{
	return serve_pool(t, TIER_QUEUE_EVENTFD);
}

const char *tier_serve_pool_pipe(struct tier *t)
{
	return serve_pool(t, TIER_QUEUE_PIPE);
}
