// SPDX-License-Identifier: GPL-2.0-or-later
/* One request served by one thread that blocks: used by the threads and by the pool. */
#include "tier.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void tier_upstreams_init(struct tier_upstreams *u)
{
	for (int i = 0; i < TIER_UPSTREAMS; i++)
		u->fd[i] = -1;
	u->reader.have = 0;
}

static void upstream_close(struct tier_upstreams *u, unsigned int i)
{
	if (u->fd[i] >= 0)
		close(u->fd[i]);
	u->fd[i] = -1;
	u->reader.have = 0;
}

void tier_upstreams_close(struct tier_upstreams *u)
{
	for (int i = 0; i < TIER_UPSTREAMS; i++)
		upstream_close(u, i);
}

static ssize_t recv_some(int fd, struct frame_reader *in)
{
	size_t room;
	void *space = frame_space(in, &room);
	ssize_t n;

	do {
		n = recv(fd, space, room, 0);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/*
 * Reads a request from a blocking @fd, or goes on with one in @in.
 * Return: 1, 0 when the client has closed between two requests, negative errno.
 */
int tier_read_request(struct tier *t, int fd, struct frame_reader *in,
		      struct truth_request *q)
{
	ssize_t n = 0;
	int ret;

	truth_open(q);
	frame_next(in);
	if (in->have) {
		/* It came with the last one: it opens now, and others may disagree. */
		atomic_fetch_add(&t->truth.pipelined, 1);
		truth_recv(q, truth_now_ns());
	}
	while (!(ret = frame_take(in, n))) {
		n = recv_some(fd, in);
		if (n < 0)
			return n;
		if (!n)
			return q->row.recvs ? -ECONNRESET : 0;
		truth_recv(q, truth_now_ns());
	}
	q->row.bytes_in = in->bytes;
	return ret;
}

/* A call in progress on upstream connection @i. */
struct call {
	unsigned int i;
	uint64_t begin_ns;
};

static int call_send(struct tier *t, struct tier_upstreams *u, struct call *c,
		     const char *line, size_t len, struct truth_request *q)
{
	const struct addr *to = &t->next[c->i % t->n_next];
	ssize_t n;

	if (u->fd[c->i] < 0) {
		struct timeval limit = {60, 0};

		u->fd[c->i] = addr_connect(to, 0);
		if (u->fd[c->i] < 0)
			return u->fd[c->i];
		setsockopt(u->fd[c->i], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
		atomic_fetch_add(&t->truth.connects, 1);
	}
	c->begin_ns = truth_now_ns();
	truth_call_begin(q, c->begin_ns);
	n = send(u->fd[c->i], line, len, MSG_NOSIGNAL);
	if (n == (ssize_t)len)
		return 0;
	n = n < 0 ? -errno : -EPIPE;
	truth_call_end(q, c->begin_ns, truth_now_ns());
	return n;
}

static int call_recv(struct tier_upstreams *u, const struct call *c,
		     struct truth_request *q)
{
	struct frame_reader *in = &u->reader;
	uint64_t now;
	ssize_t n;
	int ret;

	frame_next(in);
	in->have = 0;
	do {
		n = recv_some(u->fd[c->i], in);
		now = truth_now_ns();
		ret = n > 0 ? frame_take(in, n) : n ? n : -ECONNRESET;
	} while (!ret);
	truth_call_end(q, c->begin_ns, now);
	if (ret < 0)
		return ret;
	return in->have || strncmp(in->line, "OK ", 3) ? -EPROTO : 0;
}

/* A failed connection is closed, so that a late answer cannot be taken for another one.
 */
static int call_failed(struct tier *t, struct tier_upstreams *u, unsigned int i, int err)
{
	upstream_close(u, i);
	tier_complain(t, "calling", t->next[i % t->n_next].text, err);
	return err;
}

static int calls_in_turn(struct tier *t, struct tier_upstreams *u, struct tier_plan *p,
			 const char *line, size_t len, struct truth_request *q)
{
	struct call c;
	int ret;

	for (uint32_t k = 0; k < p->calls; k++) {
		q->row.work_ns += tier_burn(p->slice_us);
		c.i = k % t->n_next;
		ret = call_send(t, u, &c, line, len, q);
		if (!ret)
			ret = call_recv(u, &c, q);
		if (ret)
			return call_failed(t, u, c.i, ret);
	}
	return 0;
}

static int calls_at_once(struct tier *t, struct tier_upstreams *u, struct tier_plan *p,
			 const char *line, size_t len, struct truth_request *q)
{
	struct call c[TIER_UPSTREAMS];
	int ret, bad = 0;
	uint32_t sent;

	q->row.work_ns += tier_burn(p->slice_us);
	for (sent = 0; sent < p->calls && !bad; sent++) {
		c[sent].i = sent;
		bad = call_send(t, u, &c[sent], line, len, q);
		if (bad)
			call_failed(t, u, sent, bad);
	}
	if (bad)
		sent--;
	for (uint32_t k = 0; k < sent; k++) {
		ret = call_recv(u, &c[k], q);
		if (ret)
			bad = call_failed(t, u, k, ret);
	}
	return bad;
}

static int make_calls(struct tier *t, struct tier_upstreams *u, struct tier_plan *p,
		      const struct frame_request *r, struct truth_request *q)
{
	char line[FRAME_LINE];
	size_t len;

	if (!p->calls)
		return 0;
	len = frame_request_print(line, sizeof(line), r, 1);
	return p->parallel ? calls_at_once(t, u, p, line, len, q)
			   : calls_in_turn(t, u, p, line, len, q);
}

/*
 * Does what the request in @in asks for, and answers it on @fd.
 * Return: 0 or a negative errno after which the connection is of no more use.
 */
int tier_serve_request(struct tier *t, struct tier_upstreams *u, int fd,
		       struct frame_reader *in, struct truth_request *q)
{
	struct frame_request r;
	struct tier_answer a;
	struct tier_plan p;
	const char *error = NULL;
	int ret;

	ret = frame_request_parse(&r, in->line);
	if (ret) {
		tier_complain(t, "request", in->line, ret);
		return ret;
	}
	q->row.id = r.id;
	strcpy(q->row.class, r.class);
	tier_plan(t, &r, &p);
	tier_sleep(p.sleep_us);
	if (make_calls(t, u, &p, &r, q))
		error = "call failed";
	q->row.work_ns += tier_burn(p.last_us);
	tier_answer_init(&a, &r, &p, error);
	while (a.sent < a.total) {
		ret = tier_answer_send(&a, fd, q);
		if (ret < 0)
			break;
		if (ret && a.sent < a.total)
			tier_sleep(p.gap_us);
	}
	tier_commit(t, q);
	if (ret < 0)
		tier_complain(t, "answering", "the client", ret);
	return ret < 0 ? ret : 0;
}
