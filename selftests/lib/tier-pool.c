// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One thread reads the requests of all connections and hands each over a queue to a pool
 * of threads; the one that takes it makes the calls and sends the answer itself.
 */
#include "tier.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * A connection: the reader's until it is queued, then a worker's until it is armed again.
 * The way back takes no lock, so that nobody is woken who is not given a request.
 */
struct client {
	int fd;		   /* -1: free */
	atomic_bool armed; /* hands what follows back to the reader */
	struct frame_reader in;
	struct truth_request q;
};

static struct client *clients[TIER_CLIENTS];
static unsigned int queue[TIER_CLIENTS]; /* slots of clients[], as a ring */
static unsigned int queue_in, queue_out;
static bool stopping;
static int epoll_fd;
/* lock: protects queue*, stopping, clients[]->fd */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;

static void client_close(unsigned int slot)
{
	int fd = clients[slot]->fd;

	pthread_mutex_lock(&lock);
	clients[slot]->fd = -1;
	pthread_mutex_unlock(&lock);
	close(fd);
}

static void client_arm(unsigned int slot, int op)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLONESHOT, .data.u32 = slot};
	int fd = clients[slot]->fd;

	atomic_store_explicit(&clients[slot]->armed, true, memory_order_release);
	if (epoll_ctl(epoll_fd, op, fd, &ev))
		client_close(slot);
}

static void queue_put(struct tier *t, unsigned int slot)
{
	pthread_mutex_lock(&lock);
	queue[queue_in++ % TIER_CLIENTS] = slot;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&lock);
	atomic_fetch_add(&t->truth.queued, 1);
}

/* Return: a slot, or -1 when there is nothing left to do before the end. */
static int queue_take(void)
{
	int slot = -1;

	pthread_mutex_lock(&lock);
	while (queue_in == queue_out && !stopping)
		pthread_cond_wait(&filled, &lock);
	if (queue_in != queue_out)
		slot = queue[queue_out++ % TIER_CLIENTS];
	pthread_mutex_unlock(&lock);
	return slot;
}

static void client_ready(struct client *c)
{
	truth_open(&c->q);
	frame_next(&c->in);
}

struct worker {
	struct tier *tier;
	pthread_t thread;
	unsigned int number;
	bool running;
};

/* Serves what was read; a request that came along with it is served here as well. */
static int client_serve(struct worker *w, struct tier_upstreams *u, struct client *c)
{
	int ret;

	do {
		c->q.row.thread = w->number;
		c->q.row.bytes_in = c->in.bytes;
		ret = tier_serve_request(w->tier, u, c->fd, &c->in, &c->q);
		client_ready(c);
		if (ret || !c->in.have)
			return ret;
		atomic_fetch_add(&w->tier->truth.pipelined, 1);
		truth_recv(&c->q, truth_now_ns());
		ret = frame_take(&c->in, 0);
	} while (ret > 0);
	return ret;
}

static void *worker_run(void *arg)
{
	struct worker *w = arg;
	struct tier_upstreams *u = calloc(1, sizeof(*u));
	int slot;

	if (!u)
		return NULL;
	tier_upstreams_init(u);
	while ((slot = queue_take()) >= 0) {
		if (client_serve(w, u, clients[slot]))
			client_close(slot);
		else
			client_arm(slot, EPOLL_CTL_MOD);
	}
	tier_upstreams_close(u);
	free(u);
	return NULL;
}

static void client_read(struct tier *t, unsigned int slot)
{
	struct client *c = clients[slot];
	size_t room;
	void *space;
	ssize_t n;
	int ret = 0;

	if (!atomic_exchange_explicit(&c->armed, false, memory_order_acquire))
		return;
	space = frame_space(&c->in, &room);
	n = recv(c->fd, space, room, MSG_DONTWAIT);
	if (n > 0) {
		truth_recv(&c->q, truth_now_ns());
		ret = frame_take(&c->in, n);
	} else if (!n || errno != EAGAIN) {
		ret = -ECONNRESET;
	}
	if (ret > 0)
		queue_put(t, slot);
	else if (ret < 0)
		client_close(slot);
	else
		client_arm(slot, EPOLL_CTL_MOD);
}

static int slot_take(int fd)
{
	int slot = -1;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < TIER_CLIENTS && slot < 0; i++)
		if (!clients[i] || clients[i]->fd < 0)
			slot = i;
	if (slot >= 0 && !clients[slot])
		clients[slot] = calloc(1, sizeof(struct client));
	if (slot >= 0 && clients[slot])
		clients[slot]->fd = fd;
	else
		slot = -1;
	pthread_mutex_unlock(&lock);
	return slot;
}

static void accept_one(struct tier *t)
{
	int fd = accept4(t->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	int slot;

	if (fd < 0)
		return;
	atomic_fetch_add(&t->truth.accepts, 1);
	addr_nodelay(fd);
	slot = slot_take(fd);
	if (slot < 0) {
		tier_complain(t, "accepting", "one more connection", -EMFILE);
		close(fd);
		return;
	}
	clients[slot]->in.have = 0;
	client_ready(clients[slot]);
	client_arm(slot, EPOLL_CTL_ADD);
}

/* The descriptors that are not clients have slot numbers above theirs. */
static int watch(int fd, uint32_t slot)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = slot};

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ev);
}

static struct worker *workers_start(struct tier *t)
{
	struct worker *w = calloc(t->pool, sizeof(*w));

	for (unsigned int i = 0; w && i < t->pool; i++) {
		w[i].tier = t;
		w[i].number = i;
		w[i].running = !pthread_create(&w[i].thread, NULL, worker_run, &w[i]);
	}
	return w;
}

/* A worker that is still busy when the grace is over dies with the process. */
static void workers_stop(struct tier *t, struct worker *w)
{
	struct timespec until;
	bool all = true;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += TIER_GRACE_NS / 1000000000;
	pthread_mutex_lock(&lock);
	stopping = true;
	pthread_cond_broadcast(&filled);
	pthread_mutex_unlock(&lock);
	for (unsigned int i = 0; i < t->pool; i++)
		if (w[i].running && pthread_timedjoin_np(w[i].thread, NULL, &until))
			all = false;
	if (!all)
		return;
	free(w);
	for (int i = 0; i < TIER_CLIENTS; i++) {
		if (clients[i] && clients[i]->fd >= 0)
			close(clients[i]->fd);
		free(clients[i]);
	}
}

const char *tier_serve_pool(struct tier *t)
{
	struct epoll_event ev[64];
	struct worker *w;
	bool told = false;
	int n;

	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0 || watch(t->listen_fd, TIER_CLIENTS) ||
	    watch(t->signal_fd, TIER_CLIENTS + 1) || watch(t->full_fd, TIER_CLIENTS + 1))
		return "error";
	w = workers_start(t);
	if (!w)
		return "error";
	while (!told && truth_now_ns() < t->deadline_ns) {
		n = epoll_wait(epoll_fd, ev, 64, 1000);
		for (int i = 0; i < n; i++) {
			if (ev[i].data.u32 < TIER_CLIENTS)
				client_read(t, ev[i].data.u32);
			else if (ev[i].data.u32 == TIER_CLIENTS)
				accept_one(t);
			else
				told = true;
		}
	}
	workers_stop(t, w);
	close(epoll_fd);
	return tier_told_to_end(t);
}
