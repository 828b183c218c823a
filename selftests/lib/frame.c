// SPDX-License-Identifier: GPL-2.0-or-later
#include "frame.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
	const char *name;
	uint32_t max;
} knobs[FRAME_KNOBS] = {
	[FRAME_WORK] = { "work", 10000000 },
	[FRAME_SLEEP] = { "sleep", 60000000 },
	[FRAME_CALLS] = { "calls", 1000 },
	[FRAME_SIZE] = { "size", FRAME_SIZE_MAX },
	[FRAME_SENDS] = { "sends", 64 },
	[FRAME_GAP] = { "gap", 60000000 },
	[FRAME_PARALLEL] = { "parallel", 1 },
};
/* clang-format on */

static const char filler[65536] = {[0 ... 65535] = 'x'};

const char *frame_knob_name(enum frame_knob k)
{
	return knobs[k].name;
}

uint32_t frame_knob_max(enum frame_knob k)
{
	return knobs[k].max;
}

static int parse_u64(const char *text, uint64_t max, uint64_t *v)
{
	char *end;

	errno = 0;
	*v = strtoull(text, &end, 10);
	if (end == text || *end || errno || *text == '-' || *v > max)
		return -EBADMSG;
	return 0;
}

static int parse_list(uint32_t *list, uint32_t max, char *text)
{
	unsigned int n = 0;
	uint64_t v;
	char *item;

	while ((item = strsep(&text, ","))) {
		if (n == FRAME_DEPTH)
			return -EBADMSG;
		if (*item && strcmp(item, "-")) {
			if (parse_u64(item, max, &v))
				return -EBADMSG;
			list[n] = v;
		}
		n++;
	}
	return 0;
}

static int parse_word(struct frame_request *r, char *word)
{
	char *value = strchr(word, '=');

	if (!value)
		return -EBADMSG;
	*value++ = '\0';
	if (!strcmp(word, "id"))
		return parse_u64(value, UINT64_MAX, &r->id);
	if (!strcmp(word, "body"))
		return parse_u64(value, FRAME_SIZE_MAX, &r->body);
	if (!strcmp(word, "expect"))
		return parse_u64(value, 1, &r->expect);
	for (int k = 0; k < FRAME_KNOBS; k++)
		if (!strcmp(word, knobs[k].name))
			return parse_list(r->knob[k], knobs[k].max, value);
	return -EBADMSG;
}

/* @line: without its newline. Return: 0 or -EBADMSG. */
int frame_request_parse(struct frame_request *r, const char *line)
{
	char copy[FRAME_LINE], *rest = copy, *word;

	memset(r, 0, sizeof(*r));
	memset(r->knob, 0xff, sizeof(r->knob));
	if (strlen(line) >= sizeof(copy))
		return -EBADMSG;
	strcpy(copy, line);
	word = strsep(&rest, " ");
	if (!*word || strlen(word) >= sizeof(r->class) || word[strcspn(word, "\"\\,")])
		return -EBADMSG;
	strcpy(r->class, word);
	while ((word = strsep(&rest, " ")))
		if (*word && parse_word(r, word))
			return -EBADMSG;
	return 0;
}

static size_t print_list(char *buf, size_t size, const char *name, const uint32_t *list,
			 unsigned int drop)
{
	unsigned int last = FRAME_DEPTH;
	size_t n;

	while (last > drop && list[last - 1] == FRAME_UNSET)
		last--;
	if (last <= drop)
		return 0;
	n = snprintf(buf, size, " %s=", name);
	for (unsigned int i = drop; i < last && n < size; i++) {
		const char *comma = i > drop ? "," : "";

		if (list[i] == FRAME_UNSET)
			n += snprintf(buf + n, size - n, "%s-", comma);
		else
			n += snprintf(buf + n, size - n, "%s%u", comma, list[i]);
	}
	return n;
}

/*
 * Prints @r with its newline, each list without its first @drop values. The body is the
 * sender's business and not sent on.
 * Return: its length, which is below @size for every request that was parsed.
 */
size_t frame_request_print(char *buf, size_t size, const struct frame_request *r,
			   unsigned int drop)
{
	size_t n = snprintf(buf, size, "%s id=%llu", r->class, (unsigned long long)r->id);

	for (int k = 0; k < FRAME_KNOBS && n < size; k++)
		n += print_list(buf + n, size - n, knobs[k].name, r->knob[k], drop);
	if (n < size)
		n += snprintf(buf + n, size - n, "\n");
	return n;
}

/*
 * Says in the request printed in @buf, of @len bytes, that a body follows it.
 * Return: its new length; @size if it does not fit.
 */
size_t frame_request_body(char *buf, size_t size, size_t len, uint64_t body, bool expect)
{
	int n = snprintf(buf + len - 1, size - len + 1, " body=%llu%s\n",
			 (unsigned long long)body, expect ? " expect=1" : "");

	return len - 1 + n < size ? len - 1 + n : size;
}

/* The bytes after a line: a response says it in its third word, a request in body=. */
static int body_length(const char *line, uint64_t *len)
{
	unsigned long long v = 0;
	const char *p;

	*len = 0;
	if (!strncmp(line, "ERR ", 4))
		return 0;
	if (!strncmp(line, "OK ", 3)) {
		if (sscanf(line, "OK %*u %llu", &v) != 1)
			return -EBADMSG;
	} else {
		p = strstr(line, " body=");
		if (p)
			v = strtoull(p + 6, NULL, 10);
	}
	if (v > FRAME_SIZE_MAX)
		return -EBADMSG;
	*len = v;
	return 0;
}

/* Makes ready for the next message; bytes that came with the last one stay. */
void frame_next(struct frame_reader *r)
{
	r->has_line = false;
	r->asked = false;
	r->body_left = 0;
	r->bytes = 0;
}

void *frame_space(struct frame_reader *r, size_t *room)
{
	*room = sizeof(r->buf) - r->have;
	return r->buf + r->have;
}

static void drop_front(struct frame_reader *r, size_t n)
{
	r->have -= n;
	r->bytes += n;
	memmove(r->buf, r->buf + n, r->have);
}

static int take_line(struct frame_reader *r)
{
	char *end = memchr(r->buf, '\n', r->have);
	size_t len;

	if (!end)
		return r->have < FRAME_LINE ? 0 : -EBADMSG;
	len = end - r->buf;
	if (len >= FRAME_LINE)
		return -EBADMSG;
	memcpy(r->line, r->buf, len);
	r->line[len] = '\0';
	if (body_length(r->line, &r->body_left))
		return -EBADMSG;
	drop_front(r, len + 1);
	r->has_line = true;
	return 1;
}

/*
 * Takes in the @n bytes that a recv has put into frame_space().
 * Return: 1 when the message is whole, 0 when more must come, -EBADMSG.
 */
int frame_take(struct frame_reader *r, size_t n)
{
	size_t take;
	int ret;

	r->have += n;
	if (!r->has_line) {
		ret = take_line(r);
		if (ret <= 0)
			return ret;
	}
	take = r->have < r->body_left ? r->have : r->body_left;
	r->body_left -= take;
	drop_front(r, take);
	return r->body_left == 0;
}

/* Return: true once for a message whose sender waits to be asked for the rest of it. */
bool frame_wants_body(struct frame_reader *r)
{
	if (!r->has_line || !r->body_left || r->asked)
		return false;
	r->asked = true;
	return strstr(r->line, " expect=1");
}

/*
 * Describes bytes @from to @to of a message of @head and as much filler as it takes.
 * Return: the number of vectors used; what does not fit into FRAME_IOV is left out.
 */
unsigned int frame_iov(struct iovec *iov, const char *head, size_t head_len, size_t from,
		       size_t to)
{
	unsigned int n = 0;

	if (from < head_len) {
		size_t end = to < head_len ? to : head_len;

		iov[n++] = (struct iovec){(void *)(head + from), end - from};
		from = end;
	}
	while (from < to && n < FRAME_IOV) {
		size_t len = to - from < sizeof(filler) ? to - from : sizeof(filler);

		iov[n++] = (struct iovec){(void *)filler, len};
		from += len;
	}
	return n;
}
