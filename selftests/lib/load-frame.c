// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests and answers in the line protocol, and the ways in which clients behave. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load.h"
#include "truth.h"

/* What is sent before an answer is waited for. */
struct outgoing {
	char head[LOAD_PIPELINE * FRAME_LINE]; /* the lines of all requests */
	size_t head_len;
	uint64_t body; /* bytes after them */
};

/* Sends bytes @from to @to in one call. */
static bool send_part(struct load_conn *c, const struct outgoing *out, size_t from,
		      size_t to, struct load_answer *a)
{
	struct iovec iov[FRAME_IOV];
	struct msghdr msg = {.msg_iov = iov};
	ssize_t n;

	msg.msg_iovlen = frame_iov(iov, out->head, out->head_len, from, to);
	n = sendmsg(c->fd, &msg, MSG_NOSIGNAL);
	if (n == (ssize_t)(to - from))
		return true;
	load_fail(a, "sending the request", n < 0 ? errno : EPIPE);
	return false;
}

static bool send_pieces(struct load_conn *c, const struct load_manner *m,
			const struct outgoing *out, size_t from, size_t to,
			struct load_answer *a)
{
	unsigned int pieces = m->pieces ? m->pieces : 1;
	size_t len = to - from;

	for (unsigned int i = 0; i < pieces; i++) {
		if (i)
			load_sleep(m->piece_gap_ms / 1e3);
		if (!send_part(c, out, from + len * i / pieces,
			       from + len * (i + 1) / pieces, a))
			return false;
	}
	return true;
}

static bool add_request(struct outgoing *out, struct load_exchange *x,
			struct frame_request *r)
{
	char *line = out->head + out->head_len;
	size_t len;

	if (frame_request_parse(r, x->text)) {
		load_fail(&x->answer, "not a request of the line protocol", 0);
		return false;
	}
	r->id = x->id;
	len = frame_request_print(line, FRAME_LINE, r, 0);
	if (r->body)
		len = frame_request_body(line, FRAME_LINE, len, r->body, r->expect);
	if (len >= FRAME_LINE) {
		load_fail(&x->answer, "the request line is too long", 0);
		return false;
	}
	out->head_len += len;
	out->body += r->body;
	return true;
}

/* Waits for the line that asks for the body. */
static bool wait_continue(struct load_conn *c, struct load_answer *a)
{
	static const char want[] = FRAME_CONTINUE;
	size_t have = 0, n;

	while (have < sizeof(want) - 1) {
		n = load_recv(c, c->buf + have, sizeof(want) - 1 - have, a);
		if (!n)
			return false;
		have += n;
	}
	if (!memcmp(c->buf, want, have))
		return true;
	load_fail(a, "something else than the demand for the body", 0);
	return false;
}

/* All lines in one go; a body can follow only the last of them. */
static bool send_requests(struct load_conn *c, const struct load_options *o,
			  struct load_exchange *x, unsigned int n,
			  struct frame_request *r)
{
	static _Thread_local struct outgoing out;
	struct load_answer *a = &x[0].answer;
	uint64_t start;
	bool sent;

	out.head_len = out.body = 0;
	for (unsigned int i = 0; i < n; i++) {
		if (!add_request(&out, &x[i], &r[i]))
			return false;
		if (n > 1 && r[i].body) {
			load_fail(a, "no body goes with --pipeline", 0);
			return false;
		}
	}
	start = truth_now_ns();
	for (unsigned int i = 0; i < n; i++)
		x[i].answer.start_ns = start;
	if (r[0].expect && r[0].body)
		sent = send_pieces(c, &o->manner, &out, 0, out.head_len, a) &&
		       wait_continue(c, a) &&
		       send_pieces(c, &o->manner, &out, out.head_len,
				   out.head_len + out.body, a);
	else
		sent = send_pieces(c, &o->manner, &out, 0, out.head_len + out.body, a);
	if (sent && x[n - 1].last)
		shutdown(c->fd, SHUT_WR);
	return sent;
}

/* The other side gets an RST, also for what it has still to send. */
static void reset(struct load_conn *c, struct load_answer *a)
{
	struct linger now = {.l_onoff = 1};

	setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(c->fd);
	c->fd = -1;
	a->reset = true;
}

static int read_some(struct load_conn *c, const struct load_manner *m,
		     struct frame_reader *in, struct load_answer *a)
{
	size_t room, n;
	void *space = frame_space(in, &room);

	if (m->read_bytes && room > m->read_bytes)
		room = m->read_bytes;
	n = load_recv(c, space, room, a);
	if (!n)
		return -ECONNRESET;
	if (m->read_bytes)
		load_sleep(m->read_gap_ms / 1e3);
	return frame_take(in, n);
}

static void check_answer(const struct load_options *o, const struct load_exchange *x,
			 const struct frame_request *r, const char *line,
			 struct load_answer *a)
{
	struct load_check check = {.min_bytes = o->check.min_bytes};
	struct load_body b = {0};
	unsigned long long id, size;

	if (sscanf(line, "OK %llu %llu", &id, &size) != 2 || id != x->id) {
		snprintf(a->error, sizeof(a->error), "wrong answer '%.100s'", line);
		return;
	}
	b.bytes = size;
	if (r->knob[FRAME_SIZE][0] != FRAME_UNSET && r->knob[FRAME_SIZE][0] != size)
		load_fail(a, "wrong length", 0);
	load_body_check(&b, &check, a);
}

/* Return: whether the next answer can be read. */
static bool read_answer(struct load_conn *c, const struct load_options *o,
			struct load_exchange *x, const struct frame_request *r,
			struct frame_reader *in)
{
	struct load_answer *a = &x->answer;
	int ret;

	frame_next(in);
	ret = in->have ? frame_take(in, 0) : 0;
	while (!ret) {
		ret = read_some(c, &o->manner, in, a);
		if (x->reset && ret >= 0) {
			reset(c, a);
			return false;
		}
	}
	a->end_ns = a->end_ns ? a->end_ns : truth_now_ns();
	if (ret < 0)
		load_fail(a, "not an answer of the line protocol", 0);
	else
		check_answer(o, x, r, in->line, a);
	return !a->error[0];
}

/* After the last answer the server ends the connection too. */
static void read_end(struct load_conn *c, struct load_answer *a)
{
	char byte;

	if (recv(c->fd, &byte, 1, 0))
		load_fail(a, "the server did not end the connection", 0);
	a->closed = true;
}

void load_ask_frame(struct load_conn *c, const struct load_options *o,
		    struct load_exchange *x, unsigned int n)
{
	static _Thread_local struct frame_reader in;
	struct frame_request r[LOAD_PIPELINE];
	unsigned int i = 0;

	if (send_requests(c, o, x, n, r)) {
		in.have = 0;
		while (i < n && read_answer(c, o, &x[i], &r[i], &in))
			i++;
		if (i == n && in.have)
			load_fail(&x[n - 1].answer, "bytes after the last answer", 0);
		if (i == n && x[n - 1].last)
			read_end(c, &x[n - 1].answer);
	}
	/* After one that failed none gets an answer. */
	for (unsigned int k = i; k < n; k++) {
		if (x[i].answer.reset)
			x[k].answer.reset = true;
		else
			load_fail(&x[k].answer, "the connection failed before", 0);
	}
}
