// SPDX-License-Identifier: GPL-2.0-or-later
/* One thread for each connection, which blocks in recv between requests. */
#include "tier.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct serving {
	struct tier *tier;
	bool taken;
	struct tier_worker worker;
	struct tier_conn conn;
};

/* Kept once they were needed: a slot's memory is that of the next connection. */
static struct serving *slots[TIER_CLIENTS];
static unsigned int active;
/* lock: protects slots[], their taken and conn.fd, active */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void slot_done(struct serving *s)
{
	pthread_mutex_lock(&lock);
	tier_conn_close(&s->conn);
	s->taken = false;
	active--;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static void *serve(void *arg)
{
	struct serving *s = arg;
	int err = tier_worker_init(&s->worker, s->tier, s->worker.number);

	if (err) {
		tier_complain(s->tier, "starting", "a thread", err);
	} else {
		tier_worker_serve(&s->worker, &s->conn);
		tier_worker_close(&s->worker);
	}
	slot_done(s);
	return NULL;
}

static struct serving *slot_take(struct tier *t, int fd, unsigned int endpoint)
{
	struct serving *s = NULL;
	unsigned int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < TIER_CLIENTS; i++)
		if (!slots[i] || !slots[i]->taken)
			break;
	if (i < TIER_CLIENTS && !slots[i])
		slots[i] = calloc(1, sizeof(*s));
	s = i < TIER_CLIENTS ? slots[i] : NULL;
	if (s) {
		s->tier = t;
		s->taken = true;
		s->worker.number = i;
		tier_conn_init(&s->conn, fd, endpoint);
		active++;
	}
	pthread_mutex_unlock(&lock);
	return s;
}

static void accept_one(struct tier *t, unsigned int endpoint, const pthread_attr_t *attr)
{
	int fd = tier_accept(t, endpoint, 0), err;
	struct serving *s;
	pthread_t thread;

	if (fd < 0)
		return;
	s = slot_take(t, fd, endpoint);
	if (!s) {
		tier_complain(t, "accepting", "one more connection", -EMFILE);
		close(fd);
		return;
	}
	err = pthread_create(&thread, attr, serve, s);
	if (err) {
		tier_complain(t, "starting", "a thread", -err);
		slot_done(s);
	}
}

/* Idle threads see the end of their input at once, busy ones after their answer. */
static void workers_stop(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += TIER_GRACE_NS / 1000000000;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < TIER_CLIENTS && slots[i]; i++)
		if (slots[i]->taken)
			shutdown(slots[i]->conn.fd, SHUT_RD);
	while (active && !pthread_cond_timedwait(&changed, &lock, &until))
		;
	for (int i = 0; i < TIER_CLIENTS && !active; i++)
		free(slots[i]);
	pthread_mutex_unlock(&lock);
}

const char *tier_serve_threads(struct tier *t)
{
	struct pollfd p[TIER_PORTS + 2];
	pthread_attr_t attr;
	const char *why;
	unsigned int n = tier_poll_set(t, p);

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	while (!(why = tier_told_to_end(t))) {
		if (poll(p, n, 1000) <= 0)
			continue;
		for (unsigned int i = 0; i < t->n_listen; i++)
			if (p[i].revents)
				accept_one(t, i, &attr);
	}
	workers_stop();
	pthread_attr_destroy(&attr);
	return why;
}
