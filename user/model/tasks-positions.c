// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who sent what was received, by where its bytes are in the stream
 *
 * What is received was sent by all whose bytes are in it. Nothing is lost by events that are
 * missing: the others' places are the same. Places that overlap among what was sent, or among
 * what was received, are none (numbers that began anew, a look at what is not taken): then all
 * is left to be matched in order.
 */
#include "tasks-match.h"

#include <errno.h>
#include <stdlib.h>

struct span {
	int64_t begin, end;
	uint32_t at; /* in the channel */
};

/**
 * tl_task_position_known() - Whether it is known which bytes of a stream an event is about
 * @event: sending, or receiving
 *
 * Return: whether it is.
 */
bool tl_task_position_known(const struct tl_task_event *event)
{
	return event->position >= 0 && event->bytes >= 0;
}

static int span_compare(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Those of one direction that have bytes, by place. */
static size_t spans_find(const struct tl_task_channel *channel, bool give, struct span *span)
{
	size_t i, n = 0;

	for (i = 0; i < channel->n; i++) {
		const struct tl_task_event *event = &channel->trace->event[channel->step[i]];

		if (tl_task_gives(event->op) == give && tl_task_position_known(event) && event->bytes)
			span[n++] = (struct span){ event->position, event->position + event->bytes,
						   (uint32_t)i };
	}
	if (n)
		qsort(span, n, sizeof(*span), span_compare);
	return n;
}

static bool disjoint(const struct span *span, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (span[i].begin < span[i - 1].end)
			return false;
	return true;
}

static int spans_match(struct tl_tasks *tasks, struct tl_task_channel *channel,
		       const struct span *sent, size_t n_sent, const struct span *received, size_t n)
{
	size_t head = 0, i, k;
	int code = 0;

	for (i = 0; i < n && !code; i++) {
		uint32_t *from = &channel->from[received[i].at];

		while (head < n_sent && sent[head].end <= received[i].begin)
			head++;
		for (k = head; k < n_sent && sent[k].begin < received[i].end && !code; k++) {
			if (sent[k].at > received[i].at)
				continue;
			if (*from == TL_TASK_NONE)
				*from = channel->step[sent[k].at];
			else
				code = tl_task_handoff_add(tasks, channel->step[sent[k].at],
							   channel->step[received[i].at]);
		}
	}
	return code;
}

/**
 * tl_task_positions() - Match what is received with what was sent, by positions
 * @tasks: get hand-offs beyond the first of each
 * @channel: the steps; gets who gave what
 * @left: set to how many steps have no position; to all if positions make no sense
 *
 * Return: 0 or -ENOMEM.
 */
int tl_task_positions(struct tl_tasks *tasks, struct tl_task_channel *channel, size_t *left)
{
	struct span *sent = calloc(channel->n + 1, sizeof(*sent));
	struct span *received = calloc(channel->n + 1, sizeof(*received));
	size_t i, n_sent, n;
	int code = sent && received ? 0 : -ENOMEM;

	if (!code) {
		n_sent = spans_find(channel, true, sent);
		n = spans_find(channel, false, received);
		*left = channel->n;
		if (disjoint(sent, n_sent) && disjoint(received, n)) {
			for (i = 0; i < channel->n; i++)
				*left -= tl_task_position_known(&channel->trace->event[channel->step[i]]);
			code = spans_match(tasks, channel, sent, n_sent, received, n);
		}
	}
	free(sent);
	free(received);
	return code;
}
