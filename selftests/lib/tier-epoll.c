// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One thread for everything: clients, the calls to the next tiers over a pool of kept
 * connections, and timers. Many requests interleave; an upstream connection serves one
 * call at a time, and calls wait in a queue while all are busy. A waiting call is sent
 * when the event that freed its connection has been dealt with, as event-driven proxies
 * do.
 */
#include "tier-epoll.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void front_go_on(struct loop *l, struct front *f);
static void front_answer(struct loop *l, struct front *f);

static int watch(struct loop *l, struct source *s, int op, uint32_t events)
{
	struct epoll_event ev = {.events = events, .data.ptr = s};

	return epoll_ctl(l->epoll_fd, op, s->fd, &ev);
}

/* A connection is masked only when something happens on it while its request is served.
 */
static void front_watch(struct loop *l, struct front *f, uint32_t events)
{
	if (f->events == events)
		return;
	f->events = events;
	watch(l, &f->s, EPOLL_CTL_MOD, events);
}

static void front_close(struct loop *l, struct front *f)
{
	if (f->state != FRONT_READ)
		l->busy--;
	truth_charge(NULL);
	tier_conn_close(&f->conn);
	f->s.fd = -1;
}

/* --- timers: few sleepers at a time, so the earliest is found by looking at all --- */

static void timer_arm(struct loop *l)
{
	struct itimerspec its = {0};
	uint64_t first = UINT64_MAX;

	for (unsigned int i = 0; i < l->n_fronts; i++)
		if (l->fronts[i]->s.fd >= 0 && l->fronts[i]->wake_ns &&
		    l->fronts[i]->wake_ns < first)
			first = l->fronts[i]->wake_ns;
	if (first == l->armed_ns)
		return;
	l->armed_ns = first;
	if (first != UINT64_MAX) {
		its.it_value.tv_sec = first / 1000000000;
		its.it_value.tv_nsec = first % 1000000000;
	}
	timerfd_settime(l->timer.fd, TFD_TIMER_ABSTIME, &its, NULL);
}

static void front_sleep(struct loop *l, struct front *f, uint32_t us)
{
	f->wake_ns = truth_now_ns() + us * 1000ULL;
	timer_arm(l);
}

static void timer_fired(struct loop *l)
{
	uint64_t now = truth_now_ns(), ticks;

	if (read(l->timer.fd, &ticks, sizeof(ticks)) < 0)
		return;
	l->armed_ns = UINT64_MAX;
	for (unsigned int i = 0; i < l->n_fronts; i++) {
		struct front *f = l->fronts[i];

		if (f->s.fd < 0 || !f->wake_ns || f->wake_ns > now)
			continue;
		f->wake_ns = 0;
		truth_charge(&f->conn.q);
		if (f->state == FRONT_ANSWER)
			front_answer(l, f);
		else
			front_go_on(l, f);
	}
	timer_arm(l);
}

/* --- upstream connections --- */

static void up_close(struct up *u)
{
	if (u->s.fd >= 0)
		close(u->s.fd);
	u->s.fd = -1;
}

/* The call on @u has ended; its connection goes back to the pool. */
static void up_done(struct loop *l, struct up *u, int err)
{
	struct front *f = u->owner;

	if (err) {
		tier_complain(l->tier, "calling", l->tier->next[u->target].text, err);
		f->failed = true;
		up_close(u);
	}
	u->owner = NULL;
	f->calls_out--;
	front_go_on(l, f);
}

static void up_send(struct loop *l, struct up *u)
{
	struct front *f = u->owner;
	ssize_t n;

	truth_charge(&f->conn.q);
	if (u->connecting)
		watch(l, &u->s, EPOLL_CTL_MOD, EPOLLIN);
	u->connecting = false;
	u->begin_ns = truth_now_ns();
	truth_call_begin(&f->conn.q, u->begin_ns);
	/* A few hundred bytes into an empty socket buffer: all or an error. */
	n = send(u->s.fd, f->line, f->line_len, MSG_NOSIGNAL);
	if (n != (ssize_t)f->line_len) {
		truth_call_end(&f->conn.q, u->begin_ns, truth_now_ns());
		up_done(l, u, n < 0 ? -errno : -EPIPE);
	}
}

static void up_begin(struct loop *l, struct up *u, struct front *f)
{
	u->owner = f;
	frame_next(&u->in);
	u->in.have = 0;
	if (u->s.fd >= 0) {
		up_send(l, u);
		return;
	}
	u->s.fd = addr_connect(&l->tier->next[u->target], SOCK_NONBLOCK);
	if (u->s.fd < 0) {
		up_done(l, u, u->s.fd);
		return;
	}
	atomic_fetch_add(&l->tier->truth.connects, 1);
	u->connecting = true;
	if (watch(l, &u->s, EPOLL_CTL_ADD, EPOLLOUT))
		up_done(l, u, -errno);
}

static void up_connected(struct loop *l, struct up *u)
{
	int err = 0;
	socklen_t len = sizeof(err);

	getsockopt(u->s.fd, SOL_SOCKET, SO_ERROR, &err, &len);
	if (err)
		up_done(l, u, -err);
	else
		up_send(l, u);
}

static void up_readable(struct loop *l, struct up *u)
{
	size_t room;
	void *space = frame_space(&u->in, &room);
	ssize_t n = recv(u->s.fd, space, room, MSG_DONTWAIT);
	uint64_t now = truth_now_ns();
	int ret;

	if (n < 0 && errno == EAGAIN)
		return;
	if (!u->owner) {
		/* Idle: the other side closed, or says what nobody asked for. */
		up_close(u);
		return;
	}
	truth_charge(&u->owner->conn.q);
	ret = n > 0 ? frame_take(&u->in, n) : n ? -errno : -ECONNRESET;
	if (!ret)
		return;
	truth_call_end(&u->owner->conn.q, u->begin_ns, now);
	if (ret > 0)
		ret = u->in.have || strncmp(u->in.line, "OK ", 3) ? -EPROTO : 0;
	up_done(l, u, ret);
}

/*
 * Those that were never used come last and are nothing but zero: there may be thousands, and
 * writing to each would keep the first request waiting.
 */
static struct up *up_idle(struct loop *l, unsigned int target)
{
	struct up *u = l->ups + target * l->tier->pool, *best = NULL;

	for (unsigned int i = 0; i < l->tier->pool; i++) {
		if (!u[i].used && best)
			break;
		if (!u[i].used) {
			u[i].s = (struct source){SOURCE_UP, -1};
			u[i].target = target;
			u[i].used = true;
			return &u[i];
		}
		if (u[i].owner)
			continue;
		if (u[i].s.fd >= 0)
			return &u[i];
		if (!best)
			best = &u[i];
	}
	return best;
}

/* --- calls that wait for a connection --- */

static void line_put(struct loop *l, struct front *f, unsigned int target)
{
	struct waiting *w = &f->waiting[f->calls_started % TIER_LANES];
	struct line *line = &l->lines[target];

	*w = (struct waiting){f, NULL};
	if (line->first)
		line->last->next = w;
	else
		line->first = w;
	line->last = w;
	atomic_fetch_add(&l->tier->truth.queued, 1);
}

static void lines_dispatch(struct loop *l)
{
	for (unsigned int i = 0; i < l->tier->n_next; i++) {
		struct waiting *w;
		struct up *u;

		while ((w = l->lines[i].first) && (u = up_idle(l, i))) {
			l->lines[i].first = w->next;
			up_begin(l, u, w->front);
		}
	}
}

static void call_start(struct loop *l, struct front *f)
{
	unsigned int target = tier_conn_target(&f->conn, f->calls_started);
	struct up *u = l->lines[target].first ? NULL : up_idle(l, target);

	f->calls_out++;
	if (!u)
		line_put(l, f, target);
	f->calls_started++;
	if (u)
		up_begin(l, u, f);
}

/* --- requests --- */

static void front_burn(struct loop *l, struct front *f, uint32_t us)
{
	f->conn.q.row.work_ns += tier_burn(l->tier, us);
}

/*
 * Starts the calls that may start, and answers after the last. A call can fail at once
 * and come back here, then the outer round does the rest.
 */
static void front_go_on(struct loop *l, struct front *f)
{
	if (f->going_on)
		return;
	f->going_on = true;
	while (f->calls_started < f->conn.plan.calls && !f->failed &&
	       (f->conn.plan.parallel || !f->calls_out)) {
		if (!f->conn.plan.parallel || !f->calls_started)
			front_burn(l, f, f->conn.plan.slice_us);
		call_start(l, f);
	}
	f->going_on = false;
	if (f->calls_out)
		return;
	front_burn(l, f, f->conn.plan.last_us);
	f->state = FRONT_ANSWER;
	tier_answer_init(l->tier, &f->conn, f->failed ? "call failed" : NULL);
	front_answer(l, f);
}

static void front_begin(struct loop *l, struct front *f)
{
	l->busy++;
	f->state = FRONT_CALLS;
	if (tier_conn_begin(l->tier, &f->conn)) {
		front_close(l, f);
		return;
	}
	f->line_len = frame_request_print(f->line, sizeof(f->line), &f->conn.req, 1);
	f->calls_started = 0;
	f->failed = false;
	if (f->conn.plan.sleep_us)
		front_sleep(l, f, f->conn.plan.sleep_us);
	else
		front_go_on(l, f);
}

/* @ret: what tier_conn_take() says. */
static void front_taken(struct loop *l, struct front *f, int ret)
{
	if (ret > 0)
		front_begin(l, f);
	else if (ret < 0 && ret != -EAGAIN)
		front_close(l, f);
}

static void front_done(struct loop *l, struct front *f)
{
	tier_conn_done(l->tier, &f->conn, 0);
	if (l->ending) {
		front_close(l, f);
		return;
	}
	l->busy--;
	f->state = FRONT_READ;
	tier_conn_ready(&f->conn);
	front_watch(l, f, EPOLLIN);
	front_taken(l, f, tier_conn_pipelined(l->tier, &f->conn));
}

static void front_answer(struct loop *l, struct front *f)
{
	struct tier_answer *a = &f->conn.answer;
	int ret;

	truth_charge(&f->conn.q);
	do {
		ret = tier_answer_send(&f->conn, &l->sender);
		if (ret > 0 && a->sent < a->total && f->conn.plan.gap_us) {
			front_sleep(l, f, f->conn.plan.gap_us);
			return;
		}
	} while (ret > 0 && a->sent < a->total);
	if (ret < 0) {
		tier_conn_done(l->tier, &f->conn, ret);
		front_close(l, f);
	} else if (a->sent < a->total) {
		front_watch(l, f, EPOLLOUT);
	} else {
		front_done(l, f);
	}
}

static void front_readable(struct loop *l, struct front *f)
{
	size_t room;
	void *space = frame_space(&f->conn.in, &room);
	ssize_t n = recv(f->conn.fd, space, room, MSG_DONTWAIT);

	front_taken(l, f, tier_conn_take(&f->conn, n < 0 ? -errno : n));
}

static void front_event(struct loop *l, struct front *f, uint32_t events)
{
	if (f->s.fd < 0)
		return;
	if (f->state == FRONT_READ)
		front_readable(l, f);
	else if (f->state == FRONT_ANSWER && !f->wake_ns && (events & EPOLLOUT))
		front_answer(l, f);
	else if (events & (EPOLLHUP | EPOLLERR))
		/* Gone while we work for it: its answer will fail. */
		epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, f->s.fd, NULL);
	else
		front_watch(l, f, 0);
}

static struct front *front_slot(struct loop *l)
{
	for (unsigned int i = 0; i < l->n_fronts; i++)
		if (l->fronts[i]->s.fd < 0)
			return l->fronts[i];
	if (l->n_fronts == TIER_CLIENTS)
		return NULL;
	l->fronts[l->n_fronts] = calloc(1, sizeof(struct front));
	return l->fronts[l->n_fronts] ? l->fronts[l->n_fronts++] : NULL;
}

static void front_accept(struct loop *l, unsigned int endpoint)
{
	int fd = tier_accept(l->tier, endpoint, SOCK_NONBLOCK);
	struct front *f;

	if (fd < 0)
		return;
	f = front_slot(l);
	if (!f) {
		tier_complain(l->tier, "accepting", "one more connection", -EMFILE);
		close(fd);
		return;
	}
	f->s = (struct source){SOURCE_FRONT, fd};
	f->state = FRONT_READ;
	f->wake_ns = 0;
	f->events = EPOLLIN;
	tier_conn_init(&f->conn, fd, endpoint);
	watch(l, &f->s, EPOLL_CTL_ADD, EPOLLIN);
}

/* --- the loop --- */

static void dispatch(struct loop *l, struct source *s, uint32_t events)
{
	struct up *u = (struct up *)s;

	switch (s->kind) {
	case SOURCE_LISTEN:
		front_accept(l, s - l->listen);
		break;
	case SOURCE_TIMER:
		timer_fired(l);
		break;
	case SOURCE_FRONT:
		front_event(l, (struct front *)s, events);
		break;
	case SOURCE_UP:
		if (s->fd >= 0 && u->connecting)
			up_connected(l, u);
		else if (s->fd >= 0)
			up_readable(l, u);
		break;
	case SOURCE_END:
		l->told = true;
		break;
	}
	lines_dispatch(l);
	truth_charge(NULL);
}

static int loop_open(struct loop *l, struct tier *t)
{
	int bad = 0;

	l->tier = t;
	l->sender.io = t->io;
	l->armed_ns = UINT64_MAX;
	l->end[0] = (struct source){SOURCE_END, t->signal_fd};
	l->end[1] = (struct source){SOURCE_END, t->full_fd};
	l->timer.kind = SOURCE_TIMER;
	l->timer.fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	l->ups = calloc(t->n_next * t->pool + 1, sizeof(*l->ups));
	if (!l->ups)
		return -ENOMEM;
	for (unsigned int i = 0; i < t->n_listen; i++) {
		l->listen[i] = (struct source){SOURCE_LISTEN, t->listen_fd[i]};
		bad |= watch(l, &l->listen[i], EPOLL_CTL_ADD, EPOLLIN);
	}
	bad |= watch(l, &l->timer, EPOLL_CTL_ADD, EPOLLIN);
	bad |= watch(l, &l->end[0], EPOLL_CTL_ADD, EPOLLIN);
	bad |= watch(l, &l->end[1], EPOLL_CTL_ADD, EPOLLIN);
	return bad ? -errno : 0;
}

static void loop_close(struct loop *l)
{
	for (unsigned int i = 0; i < l->n_fronts; i++) {
		if (l->fronts[i]->s.fd >= 0)
			tier_conn_close(&l->fronts[i]->conn);
		free(l->fronts[i]);
	}
	for (unsigned int i = 0; i < l->tier->n_next; i++)
		for (unsigned int k = i * l->tier->pool;
		     k < (i + 1) * l->tier->pool && l->ups[k].used; k++)
			up_close(&l->ups[k]);
	free(l->ups);
	close(l->timer.fd);
	close(l->epoll_fd);
	free(l);
}

static void loop_turn(struct loop *l)
{
	struct epoll_event ev[64];
	int n = epoll_wait(l->epoll_fd, ev, 64, 1000);

	for (int i = 0; i < n; i++)
		dispatch(l, ev[i].data.ptr, ev[i].events);
}

/* Requests in flight get their answers, new ones are not accepted. */
static void loop_drain(struct loop *l)
{
	uint64_t limit = truth_now_ns() + TIER_GRACE_NS;

	l->ending = true;
	for (unsigned int i = 0; i < l->tier->n_listen; i++)
		epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, l->listen[i].fd, NULL);
	epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, l->end[0].fd, NULL);
	epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, l->end[1].fd, NULL);
	for (unsigned int i = 0; i < l->n_fronts; i++)
		if (l->fronts[i]->s.fd >= 0 && l->fronts[i]->state == FRONT_READ)
			front_close(l, l->fronts[i]);
	while (l->busy && truth_now_ns() < limit)
		loop_turn(l);
}

const char *tier_serve_epoll(struct tier *t)
{
	struct loop *l = calloc(1, sizeof(*l));
	const char *why = "error";

	if (!l)
		return why;
	if (!loop_open(l, t)) {
		while (!l->told && truth_now_ns() < t->deadline_ns)
			loop_turn(l);
		why = tier_told_to_end(t);
		loop_drain(l);
	}
	loop_close(l);
	return why;
}
