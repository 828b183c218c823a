/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a test service knows about its own requests, by the words of tierlens:
 *
 *   response  start of the last send of the answer - return of the first recv of the
 * request call      start of its first send .. return of its last recv own       response
 * - union of the calls' intervals
 *
 * All times are CLOCK_MONOTONIC nanoseconds. Rows go to a fixed array; nothing is written
 * while the service serves.
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
	uint64_t call_ns; /* union of the calls */
	uint64_t
		call_sum_ns; /* sum of the calls: more than the union when they overlap */
	uint64_t work_ns;    /* CPU time burnt on purpose */
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
};

uint64_t truth_now_ns(void);
int truth_init(struct truth *t, uint64_t max_rows);
void truth_free(struct truth *t);

void truth_open(struct truth_request *q);
void truth_call_begin(struct truth_request *q, uint64_t now_ns);
void truth_call_end(struct truth_request *q, uint64_t begin_ns, uint64_t now_ns);
void truth_recv(struct truth_request *q, uint64_t now_ns);
void truth_send(struct truth_request *q, uint64_t start_ns, uint64_t bytes);
bool truth_commit(struct truth *t, const struct truth_request *q);

int truth_write_json(struct truth *t, FILE *f, const char *tier, const char *mode,
		     const char *ended, bool with_rows);
int truth_write_csv(struct truth *t, FILE *f);

#endif
