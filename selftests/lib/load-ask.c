// SPDX-License-Identifier: GPL-2.0-or-later
/* A request and its whole answer over a blocking connection: HTTP/1.1, and what the line
 * protocol shares with it. */
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "truth.h"

void load_fail(struct load_answer *a, const char *what, int err)
{
	if (!a->error[0])
		snprintf(a->error, sizeof(a->error), "%s%s%s", what, err ? ": " : "",
			 err ? strerror(err) : "");
}

static bool send_all(struct load_conn *c, const char *text, size_t len,
		     struct load_answer *a)
{
	ssize_t n;

	a->start_ns = truth_now_ns();
	n = send(c->fd, text, len, MSG_NOSIGNAL);
	if (n == (ssize_t)len)
		return true;
	load_fail(a, "sending the request", n < 0 ? errno : EPIPE);
	return false;
}

/* Return: bytes received, 0 after the end or an error, which is then in @a. */
size_t load_recv(struct load_conn *c, char *to, size_t room, struct load_answer *a)
{
	ssize_t n;

	do {
		n = recv(c->fd, to, room, 0);
	} while (n < 0 && errno == EINTR);
	a->end_ns = truth_now_ns();
	if (n > 0)
		return n;
	load_fail(a,
		  n ? "receiving the answer"
		    : "the server closed before the answer was whole",
		  n ? errno : 0);
	return 0;
}

static void body_add(struct load_body *b, const char *p, size_t n)
{
	size_t keep = sizeof(b->tail);

	b->bytes += n;
	if (n >= keep) {
		memcpy(b->tail, p + n - keep, keep);
	} else {
		memmove(b->tail, b->tail + n, keep - n);
		memcpy(b->tail + keep - n, p, n);
	}
}

void load_body_check(const struct load_body *b, const struct load_check *check,
		     struct load_answer *a)
{
	size_t len = check->tail ? strlen(check->tail) : 0;

	a->bytes = b->bytes;
	if (b->bytes < check->min_bytes)
		load_fail(a, "the answer is too short", 0);
	if (len && memcmp(b->tail + sizeof(b->tail) - len, check->tail, len))
		load_fail(a, "the answer does not end as it should", 0);
}

/* --- HTTP --- */

struct head {
	int status;
	long long length; /* -1: not given */
	bool chunked, closed;
};

/* @text: the head with its empty line, terminated. */
static bool parse_head(char *text, struct head *h)
{
	char *line, *rest = text;

	*h = (struct head){.length = -1};
	if (sscanf(text, "HTTP/1.%*d %d", &h->status) != 1)
		return false;
	h->closed = !strncmp(text, "HTTP/1.0", 8);
	while ((line = strsep(&rest, "\n"))) {
		if (!strncasecmp(line, "content-length:", 15))
			h->length = atoll(line + 15);
		else if (!strncasecmp(line, "transfer-encoding: chunked", 26))
			h->chunked = true;
		else if (!strncasecmp(line, "connection: close", 17))
			h->closed = true;
	}
	return h->length >= 0 || h->chunked;
}

/* Return: bytes of the buffer in use; *@body: where the body begins; 0 on error. */
static size_t read_head(struct load_conn *c, struct head *h, size_t *body,
			struct load_answer *a)
{
	size_t have = 0, n;
	char *end = NULL, keep;

	while (!end) {
		if (have == LOAD_BUF - 1) {
			load_fail(a, "the answer's head is too long", 0);
			return 0;
		}
		n = load_recv(c, c->buf + have, LOAD_BUF - 1 - have, a);
		if (!n)
			return 0;
		have += n;
		end = memmem(c->buf, have, "\r\n\r\n", 4);
	}
	*body = end + 4 - c->buf;
	keep = *(end + 4);
	*(end + 4) = '\0';
	if (!parse_head(c->buf, h)) {
		load_fail(a, "not an HTTP answer of known length", 0);
		return 0;
	}
	*(end + 4) = keep;
	return have;
}

static bool read_plain(struct load_conn *c, uint64_t length, size_t from, size_t have,
		       struct load_body *b, struct load_answer *a)
{
	body_add(b, c->buf + from, have - from);
	while (b->bytes < length) {
		have = load_recv(c, c->buf, LOAD_BUF, a);
		if (!have)
			return false;
		body_add(b, c->buf, have);
	}
	if (b->bytes == length)
		return true;
	load_fail(a, "more bytes than Content-Length says", 0);
	return false;
}

/* Return: whether there are @need bytes at @from; compacts the buffer and receives. */
static bool fill(struct load_conn *c, size_t need, size_t *from, size_t *have,
		 struct load_answer *a)
{
	size_t n;

	if (*from + need > LOAD_BUF) {
		memmove(c->buf, c->buf + *from, *have - *from);
		*have -= *from;
		*from = 0;
	}
	while (*have - *from < need) {
		n = load_recv(c, c->buf + *have, LOAD_BUF - *have, a);
		if (!n)
			return false;
		*have += n;
	}
	return true;
}

static bool read_chunk_size(struct load_conn *c, size_t *from, size_t *have,
			    unsigned long *size, struct load_answer *a)
{
	char *end, *stop;
	size_t need = 3; /* "0\r\n" */

	for (;; need = *have - *from + 1) {
		if (!fill(c, need, from, have, a))
			return false;
		end = memmem(c->buf + *from, *have - *from, "\r\n", 2);
		if (end || need > 100)
			break;
	}
	if (end) {
		*size = strtoul(c->buf + *from, &stop, 16);
		*from = end + 2 - c->buf;
		if (stop == end || *stop == ';')
			return true;
	}
	load_fail(a, "bad chunk size", 0);
	return false;
}

static bool read_chunked(struct load_conn *c, size_t from, size_t have,
			 struct load_body *b, struct load_answer *a)
{
	unsigned long size, part;

	do {
		if (!read_chunk_size(c, &from, &have, &size, a))
			return false;
		for (unsigned long left = size; left; left -= part) {
			if (from == have && !fill(c, 1, &from, &have, a))
				return false;
			part = have - from < left ? have - from : left;
			body_add(b, c->buf + from, part);
			from += part;
		}
		if (!fill(c, 2, &from, &have, a))
			return false;
		from += 2;
	} while (size);
	if (from == have)
		return true;
	load_fail(a, "bytes after the last chunk", 0);
	return false;
}

void load_ask_http(struct load_conn *c, const struct load_options *o,
		   struct load_exchange *x, unsigned int n)
{
	struct load_answer *a = &x->answer;
	char request[LOAD_TEXT + 200];
	struct load_body b = {0};
	struct head h;
	size_t have, from;
	bool whole;
	int len;

	(void)n; /* always 1 */
	len = snprintf(request, sizeof(request),
		       "GET %s HTTP/1.1\r\nHost: localhost\r\nUser-Agent: load\r\n"
		       "Accept: */*\r\n\r\n",
		       x->text);
	if (!send_all(c, request, len, a))
		return;
	have = read_head(c, &h, &from, a);
	if (!have)
		return;
	whole = h.chunked ? read_chunked(c, from, have, &b, a)
			  : read_plain(c, h.length, from, have, &b, a);
	a->closed = h.closed;
	if (h.status != 200) {
		snprintf(a->error, sizeof(a->error), "status %d", h.status);
		a->closed |= !whole;
	} else if (whole) {
		load_body_check(&b, &o->check, a);
	}
}
