/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a test service knows about its own requests, by the words of tierlens:
 *
 *   response  return of the request's first recv .. start of the answer's last send
 *   call      start of its first send .. return of its last recv
 *   own       response - union of the calls' intervals
 *   cpu       of the threads that worked for it, first recv's return .. last send's
 *
 * CPU time is CLOCK_THREAD_CPUTIME_ID, of which getrusage(RUSAGE_THREAD) is the
 * microseconds: one thread may serve many requests between two readings of the latter.
 * All other times are CLOCK_MONOTONIC nanoseconds. Rows go to a fixed array that forked
 * processes share; nothing is written while the service serves.
 */
#ifndef TL_TEST_TRUTH_H
#define TL_TEST_TRUTH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "frame.h"

struct truth_row {
	uint64_t id;
	uint64_t open_ns, close_ns;
	uint64_t done_ns;     /* return of the last send; a sendfile may take long */
	uint64_t call_ns;     /* union of the calls */
	uint64_t call_sum_ns; /* more than the union when they overlap */
	uint64_t work_ns;     /* CPU time burnt on purpose */
	uint64_t cpu_ns;      /* all CPU time */
	uint64_t bytes_in, bytes_out;
	uint32_t calls, recvs, sends, thread;
	char class[FRAME_CLASS];
};

/* A request being served. Protection: only its own thread touches it. */
struct truth_request {
	struct truth_row row;
	uint64_t union_from_ns;
	uint32_t calls_open;
};

struct truth {
	struct truth_row *rows;
	uint64_t max_rows;
	atomic_ullong count; /* may pass max_rows; what is above was not kept */
	atomic_ullong accepts, connects, errors, pipelined, queued;
	atomic_ullong gone; /* clients that did not wait for their answer */
	atomic_ullong
		misplaced; /* requests of class cNN on another port than the NN-th */
};

uint64_t truth_now_ns(void);
int truth_init(struct truth *t, uint64_t max_rows);
void truth_free(struct truth *t);

void truth_open(struct truth_request *q);
void truth_call_begin(struct truth_request *q, uint64_t now_ns);
void truth_call_end(struct truth_request *q, uint64_t begin_ns, uint64_t now_ns);
void truth_recv(struct truth_request *q, uint64_t now_ns);
void truth_send(struct truth_request *q, uint64_t start_ns, uint64_t bytes);
struct truth_request *truth_charge(struct truth_request *q);
bool truth_commit(struct truth *t, struct truth_request *q);

int truth_write_json(struct truth *t, FILE *f, const char *tier, const char *mode,
		     const char *ended, bool with_rows);
int truth_write_csv(struct truth *t, FILE *f);

#endif
