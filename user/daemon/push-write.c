// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Figures on their way into the queue
 *
 * Series seldom change: they are written once, and values as what has been added since the record before, a byte or two
 * each, of which zstd leaves a third. That is a fiftieth of what will be sent, so that much more time of an outage has
 * room, and it costs the loop little. Each slot of the queue begins with the series and with whole values.
 */
#include "daemon/push-write.h"

#include "daemon/push-series.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS_NS 1000000

static bool matches(const struct tl_push_naming *naming, const struct tl_sample *sample)
{
	char name[128];
	size_t i;

	snprintf(name, sizeof(name), "%s%s", sample->family->name, sample->suffix);
	for (i = 0; i < naming->skips; i++)
		if (!fnmatch(naming->skip[i], name, 0))
			return true;
	return false;
}

/* Samples of one name follow each other. */
static bool is_skipped(struct tl_push_writer *w, const struct tl_sample *sample)
{
	if (!w->naming->skips)
		return false;
	if (w->family != sample->family || w->suffix != sample->suffix)
		w->skipped = matches(w->naming, sample);
	w->family = sample->family;
	w->suffix = sample->suffix;
	return w->skipped;
}

static void text_put(struct tl_code_to *to, const char *text)
{
	tl_code_put_bytes(to, text, strlen(text) + 1);
}

/* Names are put together in place. */
static void name_put(struct tl_code_to *to, const struct tl_sample *sample)
{
	tl_code_put_bytes(to, sample->family->name, strlen(sample->family->name));
	text_put(to, sample->suffix);
}

static bool grows(const struct tl_sample *sample)
{
	return sample->family->type == TL_METRIC_COUNTER || sample->family->type == TL_METRIC_HISTOGRAM;
}

static int series_put(const struct tl_sample *sample, void *arg)
{
	struct tl_push_writer *w = arg;
	size_t i;

	if (is_skipped(w, sample))
		return 0;
	tl_code_put(&w->to, (u64)sample->form | (grows(sample) ? TL_PUSH_GROWS : 0));
	name_put(&w->to, sample);
	tl_code_put(&w->to, sample->labels);
	for (i = 0; i < sample->labels; i++) {
		text_put(&w->to, sample->name[i]);
		text_put(&w->to, sample->value[i]);
	}
	return 0;
}

static u64 bits_of(const struct tl_sample *sample)
{
	u64 bits;

	if (sample->form != TL_FORM_REAL)
		return sample->exact.n;
	memcpy(&bits, &sample->number, sizeof(bits));
	return bits;
}

/* Which columns of a row are known can change without the row; the labels of rows stay where they are. */
static u64 shape_of(u64 shape, const struct tl_sample *sample)
{
	u64 more = (u64)(uintptr_t)sample->family + (u64)(uintptr_t)sample->suffix;

	if (sample->labels)
		more += (u64)(uintptr_t)sample->value[sample->labels - 1];
	return (shape ^ more) * 0x9e3779b97f4a7c15ULL;
}

static int grow(struct tl_push_writer *w)
{
	size_t room = w->room ? 2 * w->room : 1024;
	u64 *next = reallocarray(w->next, room, sizeof(*next)), *base;

	if (!next)
		return -ENOMEM;
	w->next = next;
	base = reallocarray(w->base, room, sizeof(*base));
	if (!base)
		return -ENOMEM;
	w->base = base;
	w->room = room;
	return 0;
}

static int value_take(const struct tl_sample *sample, void *arg)
{
	struct tl_push_writer *w = arg;

	if (is_skipped(w, sample))
		return 0;
	if (w->n == w->room && grow(w))
		return -ENOMEM;
	w->next[w->n++] = bits_of(sample);
	w->shape = shape_of(w->shape, sample);
	return 0;
}

/* Series, if they are to be written, and what needs them go together, or not at all. */
static int put(struct tl_push_writer *w, const struct tl_code_to *series, enum tl_record_kind kind, u32 samples,
	       u64 last_ms)
{
	struct tl_record record[] = {
		{ TL_RECORD_SERIES, 0, 0, series->byte, series->n },
		{ kind, samples, last_ms, w->to.byte, w->to.n },
	};

	if (w->to.failed || series->failed)
		return -ENOMEM;
	return series->n ? tl_queue_put(w->queue, record, 2) : tl_queue_put(w->queue, record + 1, 1);
}

static void begin(struct tl_push_writer *w)
{
	static const u8 head[TL_RECORD_HEAD];

	w->to.n = 0;
	w->to.failed = false;
	w->family = NULL;
	tl_code_put_bytes(&w->to, head, sizeof(head));
}

/* They are far more than values, and come seldom: they have bytes of their own. */
static struct tl_code_to series_make(struct tl_push_writer *w, const struct tl_metrics *metrics, enum tl_push_begin how)
{
	const struct tl_push_naming *naming = w->naming;
	struct tl_code_to values = w->to, series;
	size_t i;

	w->to = (struct tl_code_to){ 0 };
	begin(w);
	tl_code_put(&w->to, how);
	tl_code_put(&w->to, naming->labels);
	for (i = 0; i < naming->labels; i++) {
		text_put(&w->to, naming->label[i].name);
		text_put(&w->to, naming->label[i].value);
	}
	tl_code_put(&w->to, w->n);
	tl_metrics_each(metrics, series_put, w);
	series = w->to;
	w->to = values;
	return series;
}

/* Less than before is written as very much more: numbers go round. */
static int values_write(struct tl_push_writer *w, const struct tl_code_to *series, u64 zero_ms, u64 end_ms)
{
	size_t i;
	u64 more;

	begin(w);
	tl_code_put(&w->to, end_ms);
	tl_code_put(&w->to, zero_ms);
	tl_code_put(&w->to, w->n);
	for (i = 0; i < w->n; i++) {
		more = w->next[i] - w->base[i];
		tl_code_put(&w->to, more << 1 ^ (more >> 63 ? ~0ULL : 0));
	}
	return put(w, series, TL_RECORD_VALUES, (u32)w->n, end_ms);
}

/* Return: -EAGAIN if it needs another slot. */
static int both_write(struct tl_push_writer *w, const struct tl_metrics *metrics, enum tl_push_begin how, u64 zero_ms,
		      u64 end_ms)
{
	struct tl_code_to series = { 0 };
	int code;

	if (w->again) {
		memset(w->base, 0, w->n * sizeof(*w->base));
		series = series_make(w, metrics, how);
	}
	code = values_write(w, &series, zero_ms, end_ms);
	free(series.byte);
	w->again &= !!code;
	return code;
}

static int take(struct tl_push_writer *w, const struct tl_metrics *metrics, bool *changed)
{
	u64 shape = w->shape;
	size_t n = w->n;
	int code;

	w->n = 0;
	w->shape = 0;
	w->family = NULL;
	code = tl_metrics_each(metrics, value_take, w);
	if (code)
		return code;
	*changed = !w->known || w->changes != metrics->changes || w->shape != shape || w->n != n;
	w->changes = metrics->changes;
	return 0;
}

/**
 * tl_push_write() - Put the figures at the end of an interval into the queue
 * @writer: writer; all zero but its queue and naming at the beginning, to be given to tl_push_writer_free()
 * @metrics: figures
 * @start_ns: beginning of the interval, since the epoch
 * @end_ns: end of it
 *
 * Return: 0; -ESTALE if there were figures of a later time before; -EFBIG if there are more series than the queue can
 * hold; or another negative errno: then they are lost, and later ones tell of all that is in their sums.
 */
int tl_push_write(struct tl_push_writer *writer, const struct tl_metrics *metrics, u64 start_ns, u64 end_ns)
{
	struct tl_push_writer *w = writer;
	u64 last_ms = tl_queue_last_ms(w->queue), end_ms = end_ns / MS_NS, *base;
	u64 zero_ms = max(start_ns / MS_NS, last_ms) + 1;
	enum tl_push_begin how;
	bool changed;
	int code;

	if (end_ms <= zero_ms)
		return -ESTALE;
	code = take(w, metrics, &changed);
	if (code) {
		/* Sums have gone on: what comes next is no beginning. */
		w->again = true;
		return code;
	}
	how = !w->known ? TL_PUSH_FIRST : w->renamed ? TL_PUSH_RENAMED : TL_PUSH_CHANGED;
	w->again |= changed || w->renamed || tl_queue_is_broken(w->queue);
	w->known = true;
	code = both_write(w, metrics, how, zero_ms, end_ms);
	if (code == -EAGAIN) {
		tl_queue_turn(w->queue);
		w->again = true;
		code = both_write(w, metrics, how, zero_ms, end_ms);
	}
	if (code) {
		/* Whatever of it is there, the next one is to need nothing of it. */
		w->again = true;
		w->known &= how != TL_PUSH_FIRST;
		return code;
	}
	w->renamed = false;
	base = w->base;
	w->base = w->next;
	w->next = base;
	return 0;
}

/**
 * tl_push_write_end() - From now on there are no figures
 * @writer: writer
 *
 * Return: 0 or a negative errno: then whoever has the series waits for more of them, for some minutes.
 */
int tl_push_write_end(struct tl_push_writer *writer)
{
	const struct tl_code_to none = { 0 };
	u64 end_ms = tl_queue_last_ms(writer->queue) + 1;

	if (!writer->known)
		return 0;
	begin(writer);
	tl_code_put(&writer->to, end_ms);
	writer->known = false;
	return put(writer, &none, TL_RECORD_END, (u32)writer->n, end_ms);
}

/**
 * tl_push_writer_free() - Free what it has
 * @writer: writer
 */
void tl_push_writer_free(struct tl_push_writer *writer)
{
	free(writer->base);
	free(writer->next);
	free(writer->to.byte);
	memset(writer, 0, sizeof(*writer));
}
