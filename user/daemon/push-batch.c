// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Figures on their way out of the queue
 *
 * Several intervals of the same series make a batch, so that labels are sent once for all of them. A batch ends where
 * series change, and with its slot. Series that the ones before had and these have not are told to have ended; counters
 * that were not there before begin with zero, when their first interval began: else what was counted in it would be
 * taken for what had always been there.
 */
#include "daemon/push-batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void flags_free(struct tl_push_reader *r)
{
	free(r->fresh);
	free(r->gone);
	r->fresh = r->gone = NULL;
}

/* ---- series -------------------------------------------------------------- */

static int series_take(struct tl_push_reader *r, const struct tl_record *record)
{
	struct tl_push_series new;
	int code = tl_push_series_read(&new, record);
	u64 *base = code ? NULL : calloc(new.n + 1, sizeof(*base));

	if (!base) {
		tl_push_series_free(&new);
		return code ? code : -ENOMEM;
	}
	free(r->base);
	r->base = base;
	if (r->turned) {
		tl_push_series_free(&r->series);
	} else {
		tl_push_series_free(&r->before);
		r->before = r->series;
	}
	r->turned = true;
	r->series = new;
	return 0;
}

/* The first values of series. */
static int series_compare(struct tl_push_reader *r)
{
	u8 *fresh = calloc(r->series.n + 1, 1), *gone = calloc(r->before.n + 1, 1);
	size_t i;

	if (!fresh || !gone || (r->before.n && tl_push_series_differ(&r->before, &r->series, gone, fresh))) {
		free(fresh);
		free(gone);
		return -ENOMEM;
	}
	flags_free(r);
	r->turned = false;
	r->fresh = fresh;
	r->gone = gone;
	if (r->series.begin != TL_PUSH_CHANGED)
		memset(r->fresh, r->series.begin == TL_PUSH_FIRST, r->series.n);
	for (i = 0; i < r->series.n; i++)
		r->fresh[i] &= !!(r->series.form[i] & TL_PUSH_GROWS);
	return 0;
}

/* Nothing of the series before is needed any more. */
static void before_forget(struct tl_push_reader *r)
{
	tl_push_series_free(&r->before);
	flags_free(r);
}

/* ---- values -------------------------------------------------------------- */

static int batch_room(struct tl_push_reader *r)
{
	size_t wanted = (r->batch.n + 1) * max(r->series.n, (size_t)1);
	u64 *grown;

	if (wanted <= r->room)
		return 0;
	grown = reallocarray(r->batch.value, wanted, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	r->batch.value = grown;
	r->room = wanted;
	return 0;
}

/* To @value; what is known of the values before stays, as it may come to nothing. */
static int values_read(const struct tl_push_reader *r, const struct tl_record *record, u64 *end_ms, u64 *zero_ms,
		       u64 *value)
{
	struct tl_code_from from = { record->byte, record->n, TL_RECORD_HEAD, false };
	size_t i, n;
	u64 more;

	*end_ms = tl_code_get(&from);
	*zero_ms = tl_code_get(&from);
	n = tl_code_get_n(&from, 1);
	if (from.bad || !n || n != r->series.n)
		return -EINVAL;
	for (i = 0; i < n && !from.bad; i++) {
		more = tl_code_get(&from);
		value[i] = r->base[i] + (more >> 1 ^ -(more & 1));
	}
	return from.bad ? -EINVAL : 0;
}

static int values_take(struct tl_push_reader *r, const struct tl_record *record)
{
	struct tl_push_batch *batch = &r->batch;
	u64 end_ms, zero_ms, *value;
	int code = batch_room(r);

	if (code)
		return code;
	value = batch->value + batch->n * r->series.n;
	code = values_read(r, record, &end_ms, &zero_ms, value);
	if (!code && r->turned) {
		code = series_compare(r);
		if (code)
			return code;
		batch->begins = true;
		batch->zero_ms = zero_ms;
		batch->gone_ms = r->before.n ? end_ms : 0;
	}
	if (code)
		return code;
	memcpy(r->base, value, r->series.n * sizeof(*r->base));
	batch->end_ms[batch->n++] = end_ms;
	return 0;
}

/* All of them have ended. */
static int end_take(struct tl_push_reader *r, const struct tl_record *record)
{
	struct tl_code_from from = { record->byte, record->n, TL_RECORD_HEAD, false };
	u8 *fresh = calloc(1, 1), *gone = malloc(r->series.n + 1);

	if (!fresh || !gone) {
		free(fresh);
		free(gone);
		return -ENOMEM;
	}
	before_forget(r);
	r->before = r->series;
	r->series = (struct tl_push_series){ 0 };
	r->turned = false;
	r->fresh = fresh;
	r->gone = gone;
	memset(r->gone, 1, r->before.n);
	r->batch.gone_ms = tl_code_get(&from);
	return 0;
}

static int record_take(struct tl_push_reader *r, const struct tl_record *record)
{
	switch (record->kind) {
	case TL_RECORD_SERIES:
		return series_take(r, record);
	case TL_RECORD_VALUES:
		return values_take(r, record);
	default:
		return end_take(r, record);
	}
}

/* ---- batches ------------------------------------------------------------- */

static bool is_full(const struct tl_push_reader *r)
{
	return r->batch.n == TL_BATCH_INTERVALS || (r->batch.n + 1) * r->series.n > TL_BATCH_SAMPLES;
}

/* Whether the batch ends before this record. */
static bool ends_before(const struct tl_push_reader *r, const struct tl_record *record)
{
	return r->batch.n && (record->kind != TL_RECORD_VALUES || is_full(r));
}

/**
 * tl_push_reader_done() - The batch was sent
 * @reader: reader; its batch is empty now
 */
void tl_push_reader_done(struct tl_push_reader *reader)
{
	if (reader->batch.n || reader->batch.gone_ms)
		before_forget(reader);
	reader->batch.n = 0;
	reader->batch.gone_ms = 0;
	reader->batch.begins = false;
	reader->batch.at = reader->batch.to = reader->at;
}

/* What is gone from the queue, or cannot be read, is passed over; series then come before values again. */
static void forget(struct tl_push_reader *r)
{
	tl_push_reader_done(r);
	if (r->turned)
		tl_push_series_free(&r->series);
	else
		r->before = r->series;
	r->series = (struct tl_push_series){ 0 };
	r->turned = true;
}

/**
 * tl_push_reader_batch() - Take more into the batch
 * @reader: reader
 * @to: end of a batch that was begun before, or NULL
 *
 * What cannot be read is passed over up to the next slot; the queue counts it.
 *
 * Return: 1 if the batch is full, 0 if more may come, or -ENOMEM.
 */
int tl_push_reader_batch(struct tl_push_reader *reader, const struct tl_queue_at *to)
{
	struct tl_push_reader *r = reader;
	struct tl_queue_at at;
	struct tl_record record;
	int code;

	for (;;) {
		if (to && tl_queue_at_equal(&r->at, to))
			return 1;
		at = r->at;
		code = tl_queue_get(r->queue, &at, &record);
		if (code == -ENOMEM)
			return code;
		/* What came before it is sound. */
		if (code == -EBADMSG && (r->batch.n || r->batch.gone_ms))
			return 1;
		if (code == -EBADMSG)
			tl_queue_pass(r->queue, &at);
		if (code < 0) {
			r->at = at;
			forget(r);
			continue;
		}
		if (!code)
			return r->batch.n || r->batch.gone_ms ? is_full(r) || r->batch.gone_ms : 0;
		if (r->batch.gone_ms && !r->batch.n)
			return 1;
		if (r->batch.n && (at.slot != r->at.slot || ends_before(r, &record)))
			return 1;
		code = record_take(r, &record);
		if (code == -ENOMEM)
			return code;
		r->at = at;
		if (!code)
			r->batch.to = at;
	}
}

/**
 * tl_push_reader_begin() - Begin where sending ended
 * @reader: filled in, to be given to tl_push_reader_end()
 * @queue: queue
 *
 * Return: 0 or -ENOMEM, and then it holds nothing.
 */
int tl_push_reader_begin(struct tl_push_reader *reader, struct tl_queue *queue)
{
	struct tl_push_reader *r = reader;
	struct tl_queue_cursor cursor;
	struct tl_record record;
	struct tl_queue_at at;
	int code = 0;

	memset(r, 0, sizeof(*r));
	r->queue = queue;
	tl_queue_cursor(queue, &cursor);
	r->at.slot = cursor.at.slot;
	/* What was sent already says what the rest means. */
	while (r->at.offset < cursor.at.offset) {
		at = r->at;
		code = tl_queue_get(queue, &at, &record);
		if (code != -ENOMEM && (code <= 0 || at.slot != r->at.slot))
			break;
		code = code < 0 ? code : record_take(r, &record);
		if (code == -ENOMEM) {
			tl_push_reader_end(r);
			return code;
		}
		if (record.kind != TL_RECORD_SERIES)
			tl_push_reader_done(r);
		r->at = at;
	}
	tl_push_reader_done(r);
	return 0;
}

/**
 * tl_push_reader_end() - Free what it has
 * @reader: reader
 */
void tl_push_reader_end(struct tl_push_reader *reader)
{
	flags_free(reader);
	tl_push_series_free(&reader->series);
	tl_push_series_free(&reader->before);
	free(reader->base);
	free(reader->batch.value);
	memset(reader, 0, sizeof(*reader));
}
