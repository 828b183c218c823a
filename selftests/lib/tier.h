/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the modes of the test server share. */
#ifndef TL_TEST_TIER_H
#define TL_TEST_TIER_H

#include <stdbool.h>
#include <stdint.h>

#include "addr.h"
#include "frame.h"
#include "truth.h"

#define TIER_NEXT 8	  /* downstream tiers */
#define TIER_UPSTREAMS 16 /* kept connections of one worker, and parallel calls */
#define TIER_CLIENTS 1024 /* connections at a time */
#define TIER_GRACE_NS 5000000000ULL /* for requests in flight when told to stop */

struct tier {
	const char *name;
	struct addr listen;
	struct addr next[TIER_NEXT];
	unsigned int n_next;
	uint32_t knob[FRAME_KNOBS]; /* defaults for what a request leaves open */
	unsigned int pool; /* upstream connections of the proxy, or pool threads */
	unsigned int max_seconds;
	struct truth truth;
	int listen_fd;
	int signal_fd; /* readable: told to end */
	int full_fd;   /* readable: the wanted number of requests was served */
	uint64_t deadline_ns;
};

/* What one request asks of this tier. */
struct tier_plan {
	uint32_t work_us, sleep_us, calls, size, sends, gap_us;
	bool parallel;
	uint32_t slice_us; /* the work is cut: before each call and after the last */
	uint32_t last_us;
};

/* The answer to a request, kept while it is sent. */
struct tier_answer {
	char head[64];
	size_t head_len, total, sent;
	uint32_t sends, sends_done;
};

/* One worker's own connections to the next tiers. */
struct tier_upstreams {
	int fd[TIER_UPSTREAMS];
	struct frame_reader reader; /* answers are read one after the other */
};

/* Each mode serves until it is told to end; it returns why: a static word. */
typedef const char *tier_serve_fn(struct tier *t);
const char *tier_serve_threads(struct tier *t);
const char *tier_serve_pool(struct tier *t);
const char *tier_serve_epoll(struct tier *t);

void tier_plan(const struct tier *t, const struct frame_request *r, struct tier_plan *p);
uint64_t tier_burn(uint32_t us);
void tier_sleep(uint32_t us);
const char *tier_told_to_end(struct tier *t);
void tier_commit(struct tier *t, const struct truth_request *q);
void tier_complain(struct tier *t, const char *what, const char *where, int err);

void tier_answer_init(struct tier_answer *a, const struct frame_request *r,
		      const struct tier_plan *p, const char *error);
int tier_answer_send(struct tier_answer *a, int fd, struct truth_request *q);

void tier_upstreams_init(struct tier_upstreams *u);
void tier_upstreams_close(struct tier_upstreams *u);
int tier_read_request(struct tier *t, int fd, struct frame_reader *in,
		      struct truth_request *q);
int tier_serve_request(struct tier *t, struct tier_upstreams *u, int fd,
		       struct frame_reader *in, struct truth_request *q);

#endif
