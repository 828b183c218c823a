// SPDX-License-Identifier: GPL-2.0-or-later
/* One thread for each connection, which blocks in recv between requests. */
#include "tier.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct worker {
	struct tier *tier;
	int fd; /* -1: the slot is free */
};

static struct worker workers[TIER_CLIENTS];
static unsigned int active;
/* lock: protects workers[].fd, active */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void worker_done(struct worker *w)
{
	pthread_mutex_lock(&lock);
	close(w->fd);
	w->fd = -1;
	active--;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static void *worker_run(void *arg)
{
	struct worker *w = arg;
	struct tier *t = w->tier;
	struct frame_reader *in = calloc(1, sizeof(*in));
	struct tier_upstreams *u = calloc(1, sizeof(*u));
	struct truth_request q;
	int ret = -ENOMEM;

	if (!in || !u)
		goto out;
	tier_upstreams_init(u);
	while ((ret = tier_read_request(t, w->fd, in, &q)) > 0) {
		q.row.thread = w - workers;
		if (tier_serve_request(t, u, w->fd, in, &q))
			break;
	}
	tier_upstreams_close(u);
out:
	if (ret < 0 && ret != -ECONNRESET)
		tier_complain(t, "reading from", "a client", ret);
	free(u);
	free(in);
	worker_done(w);
	return NULL;
}

static struct worker *slot_take(int fd)
{
	struct worker *w = NULL;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < TIER_CLIENTS && !w; i++)
		if (workers[i].fd < 0)
			w = &workers[i];
	if (w) {
		w->fd = fd;
		active++;
	}
	pthread_mutex_unlock(&lock);
	return w;
}

static void accept_one(struct tier *t, const pthread_attr_t *attr)
{
	int fd = accept4(t->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	struct worker *w;
	pthread_t thread;
	int err;

	if (fd < 0)
		return;
	atomic_fetch_add(&t->truth.accepts, 1);
	addr_nodelay(fd);
	w = slot_take(fd);
	if (!w) {
		tier_complain(t, "accepting", "one more connection", -EMFILE);
		close(fd);
		return;
	}
	w->tier = t;
	err = pthread_create(&thread, attr, worker_run, w);
	if (err) {
		tier_complain(t, "starting", "a thread", -err);
		worker_done(w);
	}
}

/* Idle threads see the end of their input at once, busy ones after their answer. */
static void workers_stop(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += TIER_GRACE_NS / 1000000000;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < TIER_CLIENTS; i++)
		if (workers[i].fd >= 0)
			shutdown(workers[i].fd, SHUT_RD);
	while (active && !pthread_cond_timedwait(&changed, &lock, &until))
		;
	pthread_mutex_unlock(&lock);
}

const char *tier_serve_threads(struct tier *t)
{
	struct pollfd p[] = {{t->listen_fd, POLLIN, 0},
			     {t->signal_fd, POLLIN, 0},
			     {t->full_fd, POLLIN, 0}};
	pthread_attr_t attr;
	const char *why;

	for (int i = 0; i < TIER_CLIENTS; i++)
		workers[i].fd = -1;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	while (!(why = tier_told_to_end(t)))
		if (poll(p, 3, 1000) > 0 && p[0].revents)
			accept_one(t, &attr);
	workers_stop();
	pthread_attr_destroy(&attr);
	return why;
}
