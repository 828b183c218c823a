// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests, plans, CPU work and the end of a run: the same in every mode. */
#include "tier.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static uint32_t pick(const struct tier *t, const struct frame_request *r,
		     enum frame_knob k)
{
	return r->knob[k][0] == FRAME_UNSET ? t->knob[k] : r->knob[k][0];
}

/* Return: NN of a class cNN, -1 for any other. */
static int class_number(const char *class)
{
	char *end;
	long v = strtol(class + 1, &end, 10);

	return *class == 'c' && class[1] >= '0' && class[1] <= '9' && !*end && v < 1000
		       ? v
		       : -1;
}

static void plan_targets(struct tier *t, const struct frame_request *r,
			 struct tier_plan *p)
{
	int nr = class_number(r->class);

	p->first = 0;
	p->targets = t->n_next;
	if (!t->per_class)
		return;
	p->targets = nr >= 0 && nr < (int)t->n_next;
	if (p->targets)
		p->first = nr;
	else
		tier_complain(t, "no endpoint for class", r->class, -ENOENT);
}

static void plan(struct tier *t, const struct frame_request *r, struct tier_plan *p)
{
	unsigned int slices;

	plan_targets(t, r, p);
	p->work_us = pick(t, r, FRAME_WORK);
	p->sleep_us = pick(t, r, FRAME_SLEEP);
	p->calls = pick(t, r, FRAME_CALLS);
	p->size = pick(t, r, FRAME_SIZE);
	p->sends = pick(t, r, FRAME_SENDS);
	p->gap_us = pick(t, r, FRAME_GAP);
	p->parallel = pick(t, r, FRAME_PARALLEL);
	if (p->calls == FRAME_UNSET || !p->targets)
		p->calls = p->targets;
	if (!p->sends)
		p->sends = 1;
	if (p->parallel && p->calls > TIER_LANES)
		p->calls = TIER_LANES;
	slices = p->parallel && p->calls ? 2 : p->calls + 1;
	p->slice_us = p->work_us / slices;
	p->last_us = p->work_us - p->slice_us * (slices - 1);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Burns @us of this thread's CPU time. Return: nanoseconds burnt, a bit more. */
static uint64_t burn(uint64_t us)
{
	static _Thread_local volatile uint64_t sink;
	uint64_t from, now;

	if (!us)
		return 0;
	from = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	do {
		uint64_t x = sink + 1;

		for (int i = 0; i < 500; i++)
			x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		sink = x;
		now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	} while (now - from < us * 1000);
	return now - from;
}

static uint64_t tick_ns, tick_phase_ns;

/*
 * How long it is from one tick of the kernel to the next, and when they come. The coarse clock moves
 * with a tick while somebody runs, but what it shows then is the beginning of a period of its own.
 */
static void tick_find(void)
{
	uint64_t shown, moved, late, least = UINT64_MAX;
	struct timespec ts;

	clock_getres(CLOCK_MONOTONIC_COARSE, &ts);
	tick_ns = ts.tv_nsec;
	for (int i = 0; i < 4; i++) {
		shown = clock_ns(CLOCK_MONOTONIC_COARSE);
		while (shown == clock_ns(CLOCK_MONOTONIC_COARSE))
			;
		moved = clock_ns(CLOCK_MONOTONIC);
		late = moved - clock_ns(CLOCK_MONOTONIC_COARSE);
		/* Who was held up has seen it move too late. */
		if (late < least) {
			least = late;
			tick_phase_ns = moved % tick_ns;
		}
	}
}

/* Sleeps to just after the next tick. Return: microseconds, of those to the one after it less than half. */
static uint64_t tick_wait(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint64_t until, now;
	struct timespec ts;

	pthread_once(&once, tick_find);
	do {
		now = clock_ns(CLOCK_MONOTONIC);
		until = now - (now + tick_ns - tick_phase_ns) % tick_ns + tick_ns + tick_ns / 16;
		ts.tv_sec = until / 1000000000;
		ts.tv_nsec = until % 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	} while (clock_ns(CLOCK_MONOTONIC) > until + tick_ns / 4);
	return tick_ns / 2500;
}

/**
 * tier_burn() - Work
 * @t: the tier
 * @us: of this thread's CPU time
 *
 * With --between-ticks it is done in pieces that no tick of the kernel falls into.
 *
 * Return: nanoseconds of CPU time, a bit more.
 */
uint64_t tier_burn(const struct tier *t, uint32_t us)
{
	uint64_t burnt = 0, left, room;

	if (!t->between_ticks)
		return burn(us);
	while (burnt < us * 1000ULL) {
		left = us - burnt / 1000;
		room = tick_wait();
		burnt += burn(left < room ? left : room);
	}
	return burnt;
}

void tier_sleep(uint32_t us)
{
	struct timespec ts = {us / 1000000, us % 1000000 * 1000L};

	if (us)
		while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
			;
}

/* Return: NULL, or the word for why the run ends now. */
const char *tier_told_to_end(struct tier *t)
{
	struct pollfd p[2] = {{t->signal_fd, POLLIN, 0}, {t->full_fd, POLLIN, 0}};

	if (poll(p, 2, 0) > 0)
		return p[0].revents ? "signal" : "requests";
	return truth_now_ns() >= t->deadline_ns ? "seconds" : NULL;
}

/* @p: TIER_PORTS + 2 of them. Return: how many are set, the listening ones first. */
unsigned int tier_poll_set(const struct tier *t, struct pollfd *p)
{
	unsigned int n = t->n_listen;

	for (unsigned int i = 0; i < n; i++)
		p[i] = (struct pollfd){t->listen_fd[i], POLLIN, 0};
	p[n++] = (struct pollfd){t->signal_fd, POLLIN, 0};
	p[n++] = (struct pollfd){t->full_fd, POLLIN, 0};
	return n;
}

/* Counts an error; the first ones are also explained. */
void tier_complain(struct tier *t, const char *what, const char *where, int err)
{
	unsigned long long n = atomic_fetch_add(&t->truth.errors, 1);

	if (n < 10)
		fprintf(stderr, "tierserver %s: %s %s: %s\n", t->name, what, where,
			err ? strerror(-err) : "the other side closed");
}

/* --- connections --- */

void tier_accepted(struct tier *t, int fd)
{
	atomic_fetch_add(&t->truth.accepts, 1);
	addr_nodelay(fd);
}

/* Return: a client's descriptor, or a negative errno also when another was first. */
int tier_accept(struct tier *t, unsigned int endpoint, int flags)
{
	int fd = accept4(t->listen_fd[endpoint], NULL, NULL, SOCK_CLOEXEC | flags);

	if (fd < 0)
		return -errno;
	tier_accepted(t, fd);
	return fd;
}

void tier_conn_ready(struct tier_conn *c)
{
	truth_open(&c->q);
	frame_next(&c->in);
}

/* @c: zeroed, or closed. */
void tier_conn_init(struct tier_conn *c, int fd, unsigned int endpoint)
{
	c->fd = fd;
	c->endpoint = endpoint;
	c->in.have = 0;
	c->answer.has_pipe = false;
	tier_conn_ready(c);
}

void tier_conn_close(struct tier_conn *c)
{
	close(c->fd);
	c->fd = -1;
	if (c->answer.has_pipe) {
		close(c->answer.pipe[0]);
		close(c->answer.pipe[1]);
	}
	c->answer.has_pipe = false;
}

/*
 * Takes in what a recv has put into frame_space(). A client that waits to be asked for
 * the body is asked; few bytes into an empty buffer, so that no mode need wait for them.
 * Return: 1 when the request is whole, 0 when more must come, negative errno.
 */
int tier_conn_take(struct tier_conn *c, ssize_t n)
{
	uint64_t start;
	int ret;

	if (n <= 0)
		return n ? n : -ECONNRESET;
	truth_recv(&c->q, truth_now_ns());
	ret = frame_take(&c->in, n);
	if (ret || !frame_wants_body(&c->in))
		return ret;
	start = truth_now_ns();
	n = send(c->fd, FRAME_CONTINUE, sizeof(FRAME_CONTINUE) - 1, MSG_NOSIGNAL);
	if (n < 0)
		return -errno;
	truth_send(&c->q, start, n);
	return 0;
}

/*
 * The request that came along with the last one opens now, and others may disagree.
 * Return: as tier_conn_take().
 */
int tier_conn_pipelined(struct tier *t, struct tier_conn *c)
{
	if (!c->in.have)
		return 0;
	atomic_fetch_add(&t->truth.pipelined, 1);
	truth_recv(&c->q, truth_now_ns());
	return frame_take(&c->in, 0);
}

/* Parses the request that is whole now, and plans it. Return: 0 or a negative errno. */
int tier_conn_begin(struct tier *t, struct tier_conn *c)
{
	int ret = frame_request_parse(&c->req, c->in.line);
	int nr;

	if (ret) {
		tier_complain(t, "request", c->in.line, ret);
		return ret;
	}
	c->q.row.bytes_in = c->in.bytes;
	c->q.row.id = c->req.id;
	strcpy(c->q.row.class, c->req.class);
	nr = class_number(c->req.class);
	if (t->n_listen > 1 && nr >= 0 && nr != (int)c->endpoint)
		atomic_fetch_add(&t->truth.misplaced, 1);
	plan(t, &c->req, &c->plan);
	return 0;
}

/* Return: where in next[] the request's call number @call goes. */
unsigned int tier_conn_target(const struct tier_conn *c, unsigned int call)
{
	return c->plan.first + call % c->plan.targets;
}

/* The request has been answered, or could not be because of @err. */
void tier_conn_done(struct tier *t, struct tier_conn *c, int err)
{
	if (err == -EPIPE || err == -ECONNRESET)
		atomic_fetch_add(&t->truth.gone, 1);
	else if (err)
		tier_complain(t, "answering", "a client", err);
	if (truth_commit(&t->truth, &c->q))
		eventfd_write(t->full_fd, 1);
}
