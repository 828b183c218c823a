// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers: a head from memory, and a body from memory or from a file. */
#include "tier.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIPE_BYTES 65536

/* @error: NULL or one line that the client gets instead of an answer. */
void tier_answer_init(struct tier *t, struct tier_conn *c, const char *error)
{
	struct tier_answer *a = &c->answer;
	unsigned long long id = c->req.id;

	if (error) {
		a->head_len =
			snprintf(a->head, sizeof(a->head), "ERR %llu %s\n", id, error);
		a->total = a->head_len;
		a->sends = 1;
	} else {
		a->head_len = snprintf(a->head, sizeof(a->head), "OK %llu %u\n", id,
				       c->plan.size);
		a->total = a->head_len + c->plan.size;
		a->sends = c->plan.sends;
	}
	a->how = t->how;
	a->body_fd = t->body_fd;
	a->sent = 0;
	a->sends_done = 0;
	a->piped = 0;
}

/* One step of what is left before @end. *@want: the bytes that it tries to send. */
static ssize_t send_memory(struct tier_conn *c, struct tier_worker *w, size_t end,
			   int flags, size_t *want)
{
	struct tier_answer *a = &c->answer;
	struct iovec iov[FRAME_IOV];
	struct msghdr msg = {.msg_iov = iov, .msg_flags = flags};

	msg.msg_iovlen = frame_iov(iov, a->head, a->head_len, a->sent, end);
	*want = end - a->sent;
	return w->io->send(w, c->fd, &msg);
}

/* Where in the file the next byte of the body is, and how many can follow it. */
static size_t file_part(const struct tier_answer *a, size_t end, off_t *from)
{
	size_t at = (a->sent - a->head_len) % TIER_BODY_BYTES, left = end - a->sent;

	*from = at;
	return left < TIER_BODY_BYTES - at ? left : TIER_BODY_BYTES - at;
}

static ssize_t send_file(struct tier_conn *c, size_t end, size_t *want)
{
	off_t from;
	ssize_t n;

	*want = file_part(&c->answer, end, &from);
	n = sendfile(c->fd, c->answer.body_fd, &from, *want);
	return n < 0 ? -errno : n;
}

static ssize_t send_splice(struct tier_conn *c, size_t end, size_t *want)
{
	struct tier_answer *a = &c->answer;
	off_t from;
	ssize_t n;

	if (!a->has_pipe && pipe2(a->pipe, O_CLOEXEC))
		return -errno;
	a->has_pipe = true;
	if (!a->piped) {
		*want = file_part(a, end, &from);
		if (*want > PIPE_BYTES)
			*want = PIPE_BYTES;
		n = splice(a->body_fd, &from, a->pipe[1], NULL, *want, SPLICE_F_MOVE);
		if (n < 0)
			return -errno;
		a->piped = n;
	}
	*want = a->piped;
	n = splice(a->pipe[0], NULL, c->fd, NULL, a->piped,
		   SPLICE_F_MOVE | (a->sent + a->piped < end ? SPLICE_F_MORE : 0));
	if (n < 0)
		return -errno;
	a->piped -= n;
	return n;
}

static ssize_t send_step(struct tier_conn *c, struct tier_worker *w, size_t end,
			 size_t *want)
{
	struct tier_answer *a = &c->answer;

	if (a->how == TIER_SEND || end <= a->head_len)
		return send_memory(c, w, end, 0, want);
	if (a->sent < a->head_len)
		return send_memory(c, w, a->head_len, MSG_MORE, want);
	return a->how == TIER_SENDFILE ? send_file(c, end, want)
				       : send_splice(c, end, want);
}

/*
 * Sends the next part of the answer: from memory in one call, from a file in as many as
 * it takes.
 *
 * Return: 1 the part is out, 0 the socket took only some of it, negative errno.
 */
int tier_answer_send(struct tier_conn *c, struct tier_worker *w)
{
	struct tier_answer *a = &c->answer;
	size_t end = a->total * (a->sends_done + 1ULL) / a->sends, want;
	uint64_t start;
	ssize_t n;

	while (a->sent < end) {
		start = truth_now_ns();
		n = send_step(c, w, end, &want);
		if (n < 0)
			return n == -EAGAIN ? 0 : n;
		truth_send(&c->q, start, n);
		a->sent += n;
		if ((size_t)n < want)
			return 0;
	}
	a->sends_done++;
	return 1;
}

/* Return: a file of as much filler as one sendfile takes, or a negative errno. */
int tier_body_open(void)
{
	struct iovec iov[FRAME_IOV];
	int fd = memfd_create("tierserver-body", MFD_CLOEXEC);
	unsigned int n;

	if (fd < 0)
		return -errno;
	n = frame_iov(iov, NULL, 0, 0, TIER_BODY_BYTES);
	if (writev(fd, iov, n) == TIER_BODY_BYTES)
		return fd;
	close(fd);
	return -EIO;
}
