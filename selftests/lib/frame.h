/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line protocol of the test services.
 *
 * Request:   "CLASS id=N [KNOB=V,V,…]… [body=BYTES [expect=1]]\n" and BYTES more bytes
 * Response:  "OK ID BYTES\n" and BYTES more bytes, or "ERR ID REASON\n"
 * Between:   FRAME_CONTINUE, after a request's line that expects it before its body
 *
 * A knob's first value is for the tier that reads it; it sends the rest on. "-" or
 * nothing leaves the tier's own default. The class comes first so that a rule on a
 * request's first bytes can tell the classes apart.
 */
#ifndef TL_TEST_FRAME_H
#define TL_TEST_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define FRAME_LINE 512 /* longest line with its newline */
#define FRAME_DEPTH 8
#define FRAME_CLASS 32
#define FRAME_BUF 32768
#define FRAME_IOV 1024
#define FRAME_UNSET UINT32_MAX
#define FRAME_SIZE_MAX (32U << 20)
#define FRAME_CONTINUE "HTTP/1.1 100 Continue\r\n\r\n" /* what others know, too */

enum frame_knob {
	FRAME_WORK,	/* CPU microseconds */
	FRAME_SLEEP,	/* microseconds */
	FRAME_CALLS,	/* to the next tiers, in turn */
	FRAME_SIZE,	/* response body bytes */
	FRAME_SENDS,	/* the response is cut into so many sends */
	FRAME_GAP,	/* microseconds between those sends */
	FRAME_PARALLEL, /* 1: all calls at once */
	FRAME_KNOBS
};

struct frame_request {
	char class[FRAME_CLASS];
	uint64_t id;
	uint64_t body;
	uint64_t expect; /* 1: the body comes when it was asked for */
	uint32_t knob[FRAME_KNOBS][FRAME_DEPTH];
};

/* Cuts a byte stream into messages of one line and a body that is counted and dropped. */
struct frame_reader {
	uint64_t body_left;
	uint64_t bytes; /* of this message so far */
	size_t have;
	bool has_line, asked; /* asked: for the body, by frame_wants_body() */
	char line[FRAME_LINE];
	char buf[FRAME_BUF];
};

const char *frame_knob_name(enum frame_knob k);
uint32_t frame_knob_max(enum frame_knob k);
int frame_request_parse(struct frame_request *r, const char *line);
size_t frame_request_print(char *buf, size_t size, const struct frame_request *r,
			   unsigned int drop);
size_t frame_request_body(char *buf, size_t size, size_t len, uint64_t body, bool expect);

void frame_next(struct frame_reader *r);
void *frame_space(struct frame_reader *r, size_t *room);
int frame_take(struct frame_reader *r, size_t n);
bool frame_wants_body(struct frame_reader *r);

unsigned int frame_iov(struct iovec *iov, const char *head, size_t head_len, size_t from,
		       size_t to);

#endif
