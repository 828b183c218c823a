/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the modes of the test server share. */
#ifndef TL_TEST_TIER_H
#define TL_TEST_TIER_H

#include <stdbool.h>
#include <stdint.h>

#include "addr.h"
#include "frame.h"
#include "tier-queue.h"
#include "truth.h"

#define TIER_NEXT 64	   /* endpoints below */
#define TIER_PORTS 64	   /* to listen on */
#define TIER_LANES 16	   /* parallel calls */
#define TIER_CLIENTS 16384 /* connections at a time */
#define TIER_BODY_BYTES (1 << 20)
#define TIER_GRACE_NS 5000000000ULL /* for requests in flight when told to stop */

struct pollfd;
struct tier_conn;
struct tier_io;
struct tier_worker;

enum tier_how { TIER_SEND, TIER_SENDFILE, TIER_SPLICE };

/* In memory that forked processes share, for the truth's sake. */
struct tier {
	const char *name;
	struct addr listen; /* the first of n_listen */
	unsigned int n_listen;
	struct addr next[TIER_NEXT];
	unsigned int n_next;
	bool per_class;		    /* class cNN calls next[NN] and nothing else */
	uint32_t knob[FRAME_KNOBS]; /* defaults for what a request leaves open */
	unsigned int pool; /* upstream connections of the proxy; threads; processes */
	unsigned int max_seconds;
	unsigned int patience; /* seconds that an answer from below is waited for */
	enum tier_how how; /* the bodies are sent */
	bool between_ticks; /* work is done where no tick sees it */
	bool answer_io;	   /* the pool's I/O thread answers, not the worker */
	enum tier_queue_order jobs, results; /* of the pool: which is taken first */
	uint32_t expect;   /* bytes of the body that a call sends when it is asked for it */
	const struct tier_io *io;
	/* By other threads than the one that serves; NULL: tier_worker_work() */
	int (*work)(struct tier_worker *w, struct tier_conn *c);
	struct truth truth;
	int listen_fd[TIER_PORTS];
	int body_fd;   /* a file of filler */
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
	unsigned int first, targets; /* of next[]; calls go to them in turn */
};

/* The answer to a request, kept while it is sent. */
struct tier_answer {
	char head[64];
	size_t head_len, total, sent;
	uint32_t sends, sends_done;
	enum tier_how how;
	int body_fd;
	int pipe[2]; /* for splice */
	bool has_pipe;
	size_t piped; /* bytes in it */
};

/* A client's connection and its request. */
struct tier_conn {
	int fd;		       /* -1: closed */
	unsigned int endpoint; /* which of the listening ones */
	struct frame_reader in;
	struct frame_request req;
	struct tier_plan plan;
	struct tier_answer answer;
	struct truth_request q;
};

/* How a worker that serves one request at a time waits. All but sleep return -errno. */
struct tier_io {
	int (*open)(struct tier_worker *w);
	void (*close)(struct tier_worker *w);
	ssize_t (*recv)(struct tier_worker *w, int fd, void *to, size_t room);
	ssize_t (*send)(struct tier_worker *w, int fd, struct msghdr *msg);
	void (*wait)(struct tier_worker *w, int fd,
		     uint32_t events); /* for what blocked */
	void (*sleep)(struct tier_worker *w, uint32_t us);
};

/* A thread, process or coroutine, with its own connections to the next tiers. */
struct tier_worker {
	struct tier *tier;
	const struct tier_io *io;
	void *io_data;
	unsigned int number;
	int up[TIER_NEXT][TIER_LANES];
	struct frame_reader reader; /* answers are read one after the other */
};

/* Each mode serves until it is told to end; it returns why: a static word. */
typedef const char *tier_serve_fn(struct tier *t);
tier_serve_fn tier_serve_threads, tier_serve_executor, tier_serve_epoll;
tier_serve_fn tier_serve_prefork, tier_serve_fork, tier_serve_passfd;
tier_serve_fn tier_serve_pool, tier_serve_pool_eventfd, tier_serve_pool_pipe;

tier_serve_fn tier_serve_coro, tier_serve_uring;

extern const struct tier_io tier_io_plain, tier_io_coro, tier_io_uring,
	tier_io_uring_sync;

uint64_t tier_burn(const struct tier *t, uint32_t us);
void tier_sleep(uint32_t us);
unsigned int tier_poll_set(const struct tier *t, struct pollfd *p);
const char *tier_told_to_end(struct tier *t);
void tier_complain(struct tier *t, const char *what, const char *where, int err);

void tier_accepted(struct tier *t, int fd);
int tier_accept(struct tier *t, unsigned int endpoint, int flags);
void tier_conn_init(struct tier_conn *c, int fd, unsigned int endpoint);
void tier_conn_close(struct tier_conn *c);
void tier_conn_ready(struct tier_conn *c);
int tier_conn_pipelined(struct tier *t, struct tier_conn *c);
int tier_conn_take(struct tier_conn *c, ssize_t n);
int tier_conn_begin(struct tier *t, struct tier_conn *c);
unsigned int tier_conn_target(const struct tier_conn *c, unsigned int call);
void tier_conn_done(struct tier *t, struct tier_conn *c, int err);

void tier_answer_init(struct tier *t, struct tier_conn *c, const char *error);
int tier_answer_send(struct tier_conn *c, struct tier_worker *w);
int tier_body_open(void);

int tier_worker_init(struct tier_worker *w, struct tier *t, unsigned int number);
void tier_worker_close(struct tier_worker *w);
int tier_worker_read(struct tier_worker *w, struct tier_conn *c);
int tier_worker_work(struct tier_worker *w, struct tier_conn *c);
int tier_worker_answer(struct tier_worker *w, struct tier_conn *c);
void tier_worker_serve(struct tier_worker *w, struct tier_conn *c);

#endif
