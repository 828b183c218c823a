// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requests of remote write: as much of a batch as goes into one
 *
 * The labels of a series are packed already. What is around them - lengths, values, times - is all that differs
 * between one request and the next, and is written here: protobuf-c would look at every label again. selftests/unit/test-user-push.c holds it against what protobuf-c reads.
 */
#include "daemon/push-batch.h"

#include "daemon/metrics.h"

#include <math.h>
#include <string.h>

/* Field numbers and wire types of remote-write.proto. */
enum { TAG_TIMESERIES = 1 << 3 | 2, TAG_SAMPLES = 2 << 3 | 2, TAG_VALUE = 1 << 3 | 1, TAG_TIMESTAMP = 2 << 3 | 0 };

/* "A stale marker": the protocol's NaN for a series that has ended. */
#define STALE 0x7ff0000000000002ULL
#define SAMPLE_MOST (2 + 1 + 8 + 1 + 10)

static u64 bits_of(u8 form, u64 value)
{
	double number;
	u64 bits;

	if ((form & TL_PUSH_FORM) == TL_FORM_REAL)
		return value;
	number = (form & TL_PUSH_FORM) == TL_FORM_NS ? tl_ns_to_s(value) : (double)value;
	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static u8 *number_put(u8 *to, u64 value)
{
	for (; value > 127; value >>= 7)
		*to++ = (u8)(value | 128);
	*to++ = (u8)value;
	return to;
}

/* A value of zero is left out, as the format has it. */
static u8 *sample_put(u8 *to, u64 bits, u64 ms)
{
	u8 *len = to + 1;
	int i;

	*to = TAG_SAMPLES;
	to += 2;
	if (bits)
		*to++ = TAG_VALUE;
	for (i = 0; bits && i < 8; i++)
		*to++ = (u8)(bits >> 8 * i);
	*to++ = TAG_TIMESTAMP;
	to = number_put(to, ms);
	*len = (u8)(to - len - 1);
	return to;
}

static void labels_and_samples(const struct tl_push_series *series, size_t i, const u8 *samples, size_t n,
			       struct tl_code_to *to)
{
	size_t labels = series->at[i + 1] - series->at[i];

	tl_code_put(to, TAG_TIMESERIES);
	tl_code_put(to, labels + n);
	tl_code_put_bytes(to, series->byte + series->at[i], labels);
	tl_code_put_bytes(to, samples, n);
}

static u64 series_put(const struct tl_push_reader *reader, size_t i, struct tl_code_to *to)
{
	const struct tl_push_batch *batch = &reader->batch;
	u8 samples[SAMPLE_MOST * (TL_BATCH_INTERVALS + 1)], *end = samples;
	u64 n = batch->n;
	size_t k;

	if (batch->begins && reader->fresh[i]) {
		end = sample_put(end, 0, batch->zero_ms);
		n++;
	}
	for (k = 0; k < batch->n; k++)
		end = sample_put(end, bits_of(reader->series.form[i], batch->value[k * reader->series.n + i]),
				 batch->end_ms[k]);
	labels_and_samples(&reader->series, i, samples, (size_t)(end - samples), to);
	return n;
}

static u64 gone_put(const struct tl_push_reader *reader, size_t i, struct tl_code_to *to)
{
	u8 sample[SAMPLE_MOST];

	if (!reader->gone[i])
		return 0;
	labels_and_samples(&reader->before, i, sample, (size_t)(sample_put(sample, STALE, reader->batch.gone_ms) - sample),
			   to);
	return 1;
}

/**
 * tl_push_part() - Make the next request of a batch
 * @reader: reader with a batch
 * @part: the one before, all zero for none; set to this one
 * @to: its bytes, before they are compressed
 *
 * The same batch has always the same parts.
 *
 * Return: false if there are no more.
 */
bool tl_push_part(const struct tl_push_reader *reader, struct tl_push_part *part, struct tl_code_to *to)
{
	size_t series = reader->batch.n ? reader->series.n : 0, gone = reader->batch.gone_ms ? reader->before.n : 0;
	size_t i = part->to;

	to->n = 0;
	part->from = i;
	part->samples = 0;
	for (; i < series + gone && to->n < TL_PART_BYTES; i++)
		part->samples += i < series ? series_put(reader, i, to) : gone_put(reader, i - series, to);
	part->to = i;
	return part->samples;
}
