// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Delayed messages and timeouts while they come
 *
 * What is normal is found from the last @window messages, anew after each tenth of them, and a message is
 * judged by what was known before it. What was is forgotten with the window: a service that has become
 * slower for good is normal again when more than half of the window is so.
 */
#include "anomaly-stream.h"

#include <errno.h>
#include <stdlib.h>

#define PARTS 10 /* of the window, after which it is looked at again */

static int fit(struct tl_anomaly_stream *s)
{
	size_t n = s->seen < s->window ? s->seen : s->window;
	struct tl_anomaly_in in = { s->size, s->time_ms, n, s->mtu };
	size_t step = s->window / PARTS;

	/* While little is known, sooner. */
	if (n < s->window && step > n / 2)
		step = n / 2;
	s->fit_at = s->seen + (step ? step : 1);
	return tl_anomaly(&in, &s->model);
}

/**
 * tl_anomaly_next() - A message
 * @stream: where it comes
 * @size: bytes, finite, from 0
 * @time_ms: what it took, finite, from 0
 * @kind: set; normal as long as nothing is known
 *
 * Return: 0, or as tl_anomaly(), what is known stays.
 */
int tl_anomaly_next(struct tl_anomaly_stream *stream, double size, double time_ms, enum tl_anomaly *kind)
{
	size_t at;

	if (!stream->size) {
		stream->size = calloc(2 * stream->window, sizeof(*stream->size));
		if (!stream->size)
			return -ENOMEM;
		stream->time_ms = stream->size + stream->window;
		stream->fit_at = TL_ANOMALY_LEAST;
	}
	*kind = tl_anomaly_judge(&stream->model, size, time_ms);
	at = stream->seen++ % stream->window;
	stream->size[at] = size;
	stream->time_ms[at] = time_ms;
	return stream->seen >= stream->fit_at ? fit(stream) : 0;
}

/**
 * tl_anomaly_stream_free() - Free what is remembered
 * @stream: it
 */
void tl_anomaly_stream_free(struct tl_anomaly_stream *stream)
{
	free(stream->size);
	stream->size = stream->time_ms = NULL;
}
