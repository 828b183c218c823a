// SPDX-License-Identifier: GPL-2.0-or-later
/* Plans, answers, CPU work and the end of a run: the same in every mode. */
#include "tier.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

static uint32_t pick(const struct tier *t, const struct frame_request *r,
		     enum frame_knob k)
{
	return r->knob[k][0] == FRAME_UNSET ? t->knob[k] : r->knob[k][0];
}

void tier_plan(const struct tier *t, const struct frame_request *r, struct tier_plan *p)
{
	unsigned int slices;

	p->work_us = pick(t, r, FRAME_WORK);
	p->sleep_us = pick(t, r, FRAME_SLEEP);
	p->calls = pick(t, r, FRAME_CALLS);
	p->size = pick(t, r, FRAME_SIZE);
	p->sends = pick(t, r, FRAME_SENDS);
	p->gap_us = pick(t, r, FRAME_GAP);
	p->parallel = pick(t, r, FRAME_PARALLEL);
	if (p->calls == FRAME_UNSET)
		p->calls = t->n_next;
	if (!t->n_next)
		p->calls = 0;
	if (!p->sends)
		p->sends = 1;
	if (p->parallel && p->calls > TIER_UPSTREAMS)
		p->calls = TIER_UPSTREAMS;
	slices = p->parallel && p->calls ? 2 : p->calls + 1;
	p->slice_us = p->work_us / slices;
	p->last_us = p->work_us - p->slice_us * (slices - 1);
}

/* Burns @us of this thread's CPU time. Return: nanoseconds burnt, a bit more. */
uint64_t tier_burn(uint32_t us)
{
	static _Thread_local volatile uint64_t sink;
	struct timespec ts;
	uint64_t from, now;

	if (!us)
		return 0;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	from = ts.tv_sec * 1000000000ULL + ts.tv_nsec;
	do {
		uint64_t x = sink + 1;

		for (int i = 0; i < 500; i++)
			x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		sink = x;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
		now = ts.tv_sec * 1000000000ULL + ts.tv_nsec;
	} while (now - from < us * 1000ULL);
	return now - from;
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

/* Call once a request has been answered. */
void tier_commit(struct tier *t, const struct truth_request *q)
{
	if (truth_commit(&t->truth, q))
		eventfd_write(t->full_fd, 1);
}

/* Counts an error; the first ones are also explained. */
void tier_complain(struct tier *t, const char *what, const char *where, int err)
{
	unsigned long long n = atomic_fetch_add(&t->truth.errors, 1);

	if (n < 10)
		fprintf(stderr, "tierserver %s: %s %s: %s\n", t->name, what, where,
			err ? strerror(-err) : "the other side closed");
}

/* @error: NULL or one line that the client gets instead of an answer. */
void tier_answer_init(struct tier_answer *a, const struct frame_request *r,
		      const struct tier_plan *p, const char *error)
{
	unsigned long long id = r->id;

	if (error) {
		a->head_len =
			snprintf(a->head, sizeof(a->head), "ERR %llu %s\n", id, error);
		a->total = a->head_len;
		a->sends = 1;
	} else {
		a->head_len =
			snprintf(a->head, sizeof(a->head), "OK %llu %u\n", id, p->size);
		a->total = a->head_len + p->size;
		a->sends = p->sends;
	}
	a->sent = 0;
	a->sends_done = 0;
}

/*
 * Makes one send call: the next part of the answer.
 * Return: 1 the part is out, 0 the socket took only some of it, negative errno.
 */
int tier_answer_send(struct tier_answer *a, int fd, struct truth_request *q)
{
	size_t part_end = a->total * (a->sends_done + 1ULL) / a->sends;
	struct iovec iov[FRAME_IOV];
	struct msghdr msg = {.msg_iov = iov};
	uint64_t start;
	ssize_t n;

	msg.msg_iovlen = frame_iov(iov, a->head, a->head_len, a->sent, part_end);
	start = truth_now_ns();
	n = sendmsg(fd, &msg, MSG_NOSIGNAL);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	truth_send(q, start, n);
	a->sent += n;
	if (a->sent < part_end)
		return 0;
	a->sends_done++;
	return 1;
}
