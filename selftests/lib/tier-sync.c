// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One worker that serves one request at a time from its first byte to its last: a thread,
 * a process, or a coroutine. How it waits is its tier_io's business.
 */
#include "tier.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static ssize_t plain_recv(struct tier_worker *w, int fd, void *to, size_t room)
{
	ssize_t n = recv(fd, to, room, 0);

	(void)w;
	return n < 0 ? -errno : n;
}

static ssize_t plain_send(struct tier_worker *w, int fd, struct msghdr *msg)
{
	ssize_t n = sendmsg(fd, msg, msg->msg_flags | MSG_NOSIGNAL);

	(void)w;
	return n < 0 ? -errno : n;
}

static void plain_wait(struct tier_worker *w, int fd, uint32_t events)
{
	struct pollfd p = {fd, events, 0};

	(void)w;
	poll(&p, 1, 1000);
}

static void plain_sleep(struct tier_worker *w, uint32_t us)
{
	(void)w;
	tier_sleep(us);
}

/* For threads and processes; with a non-blocking descriptor also for event loops. */
const struct tier_io tier_io_plain = {
	.recv = plain_recv,
	.send = plain_send,
	.wait = plain_wait,
	.sleep = plain_sleep,
};

/* Return: 0 or a negative errno; after that tier_worker_close() is not wanted. */
int tier_worker_init(struct tier_worker *w, struct tier *t, unsigned int number)
{
	w->tier = t;
	w->io = t->io;
	w->number = number;
	w->reader.have = 0;
	memset(w->up, 0xff, sizeof(w->up));
	return w->io->open ? w->io->open(w) : 0;
}

void tier_worker_close(struct tier_worker *w)
{
	for (int i = 0; i < TIER_NEXT; i++)
		for (int k = 0; k < TIER_LANES; k++)
			if (w->up[i][k] >= 0)
				close(w->up[i][k]);
	if (w->io->close)
		w->io->close(w);
}

static ssize_t recv_some(struct tier_worker *w, int fd, struct frame_reader *in)
{
	size_t room;
	void *space = frame_space(in, &room);
	ssize_t n;

	do {
		n = w->io->recv(w, fd, space, room);
	} while (n == -EINTR);
	return n;
}

/* Return: 1, 0 when the client has closed between two requests, negative errno. */
int tier_worker_read(struct tier_worker *w, struct tier_conn *c)
{
	int ret;

	tier_conn_ready(c);
	ret = tier_conn_pipelined(w->tier, c);
	while (!ret) {
		ssize_t n = recv_some(w, c->fd, &c->in);

		if (!n && !c->q.row.recvs)
			return 0;
		ret = tier_conn_take(c, n);
	}
	return ret;
}

/* A call in progress. */
struct call {
	unsigned int target;
	int *fd;
	uint64_t begin_ns;
};

static int call_connect(struct tier_worker *w, struct call *c)
{
	struct timeval limit = {w->tier->patience, 0};

	*c->fd = addr_connect(&w->tier->next[c->target], 0);
	if (*c->fd < 0)
		return *c->fd;
	setsockopt(*c->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	atomic_fetch_add(&w->tier->truth.connects, 1);
	return 0;
}

static int call_send(struct tier_worker *w, struct call *c, struct iovec *line,
		     struct truth_request *q)
{
	struct msghdr msg = {.msg_iov = line, .msg_iovlen = 1};
	ssize_t n;

	if (*c->fd < 0 && call_connect(w, c))
		return *c->fd;
	c->begin_ns = truth_now_ns();
	truth_call_begin(q, c->begin_ns);
	/* A few hundred bytes into an empty socket buffer: all or an error. */
	n = w->io->send(w, *c->fd, &msg);
	if (n == (ssize_t)line->iov_len)
		return 0;
	truth_call_end(q, c->begin_ns, truth_now_ns());
	return n < 0 ? n : -EPIPE;
}

/* Return: 0 once the callee has asked for the body, or a negative errno. */
static int wait_continue(struct tier_worker *w, const struct call *c)
{
	char got[sizeof(FRAME_CONTINUE) - 1];
	size_t have = 0;
	ssize_t n;

	while (have < sizeof(got)) {
		n = w->io->recv(w, *c->fd, got + have, sizeof(got) - have);
		if (n <= 0 && n != -EINTR)
			return n ? n : -ECONNRESET;
		have += n > 0 ? n : 0;
	}
	return memcmp(got, FRAME_CONTINUE, have) ? -EPROTO : 0;
}

static int send_body(struct tier_worker *w, const struct call *c)
{
	size_t size = w->tier->expect, sent = 0;
	struct iovec iov[FRAME_IOV];
	struct msghdr msg = {.msg_iov = iov};
	ssize_t n;

	while (sent < size) {
		msg.msg_iovlen = frame_iov(iov, NULL, 0, sent, size);
		n = w->io->send(w, *c->fd, &msg);
		if (n < 0)
			return n;
		sent += n;
	}
	return 0;
}

static int call_recv(struct tier_worker *w, const struct call *c, struct truth_request *q)
{
	struct frame_reader *in = &w->reader;
	uint64_t now;
	ssize_t n;
	int ret;

	frame_next(in);
	in->have = 0;
	do {
		n = recv_some(w, *c->fd, in);
		now = truth_now_ns();
		ret = n > 0 ? frame_take(in, n) : n ? n : -ECONNRESET;
	} while (!ret);
	truth_call_end(q, c->begin_ns, now);
	if (ret < 0)
		return ret;
	return in->have || strncmp(in->line, "OK ", 3) ? -EPROTO : 0;
}

/* A failed connection is closed, so that a late answer is not taken for another one. */
static int call_failed(struct tier_worker *w, struct call *c, int err)
{
	if (*c->fd >= 0)
		close(*c->fd);
	*c->fd = -1;
	tier_complain(w->tier, "calling", w->tier->next[c->target].text, err);
	return err;
}

static void call_init(struct tier_worker *w, struct call *c, const struct tier_conn *of,
		      unsigned int nr)
{
	c->target = tier_conn_target(of, nr);
	c->fd = &w->up[c->target][of->plan.parallel ? nr / of->plan.targets : 0];
}

static int calls_in_turn(struct tier_worker *w, struct tier_conn *c, struct iovec *line)
{
	struct call call;
	int ret;

	for (uint32_t k = 0; k < c->plan.calls; k++) {
		c->q.row.work_ns += tier_burn(w->tier, c->plan.slice_us);
		call_init(w, &call, c, k);
		ret = call_send(w, &call, line, &c->q);
		if (!ret && w->tier->expect)
			ret = wait_continue(w, &call);
		if (!ret && w->tier->expect)
			ret = send_body(w, &call);
		if (!ret)
			ret = call_recv(w, &call, &c->q);
		if (ret)
			return call_failed(w, &call, ret);
	}
	return 0;
}

static int calls_at_once(struct tier_worker *w, struct tier_conn *c, struct iovec *line)
{
	struct call call[TIER_LANES];
	int ret, bad = 0;
	uint32_t sent;

	c->q.row.work_ns += tier_burn(w->tier, c->plan.slice_us);
	for (sent = 0; sent < c->plan.calls && !bad; sent++) {
		call_init(w, &call[sent], c, sent);
		bad = call_send(w, &call[sent], line, &c->q);
		if (bad)
			call_failed(w, &call[sent], bad);
	}
	if (bad)
		sent--;
	for (uint32_t k = 0; k < sent; k++) {
		ret = call_recv(w, &call[k], &c->q);
		if (ret)
			bad = call_failed(w, &call[k], ret);
	}
	return bad;
}

static int make_calls(struct tier_worker *w, struct tier_conn *c)
{
	char text[FRAME_LINE];
	struct iovec line = {.iov_base = text};

	if (!c->plan.calls)
		return 0;
	line.iov_len = frame_request_print(text, sizeof(text), &c->req, 1);
	if (w->tier->expect)
		line.iov_len = frame_request_body(text, sizeof(text), line.iov_len,
						  w->tier->expect, true);
	return c->plan.parallel ? calls_at_once(w, c, &line) : calls_in_turn(w, c, &line);
}

/*
 * Does all that the request that is whole now asks for, but the answer.
 * Return: 0 or a negative errno after which the connection is of no more use.
 */
int tier_worker_work(struct tier_worker *w, struct tier_conn *c)
{
	const char *error = NULL;
	int ret = tier_conn_begin(w->tier, c);

	if (ret)
		return ret;
	c->q.row.thread = w->number;
	if (c->plan.sleep_us)
		w->io->sleep(w, c->plan.sleep_us);
	if (make_calls(w, c))
		error = "call failed";
	c->q.row.work_ns += tier_burn(w->tier, c->plan.last_us);
	tier_answer_init(w->tier, c, error);
	return 0;
}

/* Return: as above. */
int tier_worker_answer(struct tier_worker *w, struct tier_conn *c)
{
	int ret = 0;

	while (ret >= 0 && c->answer.sent < c->answer.total) {
		ret = tier_answer_send(c, w);
		if (!ret)
			w->io->wait(w, c->fd, POLLOUT);
		else if (ret > 0 && c->answer.sent < c->answer.total && c->plan.gap_us)
			w->io->sleep(w, c->plan.gap_us);
	}
	tier_conn_done(w->tier, c, ret < 0 ? ret : 0);
	return ret < 0 ? ret : 0;
}

/* Serves a connection until its end. */
void tier_worker_serve(struct tier_worker *w, struct tier_conn *c)
{
	int (*work)(struct tier_worker *, struct tier_conn *) =
		w->tier->work ? w->tier->work : tier_worker_work;
	int ret;

	while ((ret = tier_worker_read(w, c)) > 0)
		if (work(w, c) || tier_worker_answer(w, c))
			break;
	if (ret < 0 && ret != -ECONNRESET)
		tier_complain(w->tier, "reading from", "a client", ret);
	truth_charge(NULL);
}
