// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which series the values of a queue belong to
 *
 * A record of series has the labels that all of them have, and those of each, as texts; the values of the records
 * behind it are in the same order. Labels are packed once, when the record is read (protobuf-c), and copied into each
 * request: they are nine tenths of it.
 */
#include "daemon/push-series.h"

#include "history-code.h"
#include "remote-write.pb-c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *text_get(struct tl_code_from *from)
{
	const u8 *end = from->at < from->n ? memchr(from->byte + from->at, '\0', from->n - from->at) : NULL;

	if (!end) {
		from->bad = true;
		return "";
	}
	return (const char *)tl_code_get_bytes(from, (size_t)(end + 1 - (from->byte + from->at)));
}

/* Labels in the order of their names; of two with one name the first is meant. */
struct labels {
	Remote__Label label[TL_PUSH_LABELS], *sorted[TL_PUSH_LABELS];
	size_t n;
};

static void label_add(struct labels *labels, const char *name, const char *value)
{
	size_t i = labels->n;

	if (i == TL_PUSH_LABELS || !*value)
		return;
	labels->label[i] = (Remote__Label)REMOTE__LABEL__INIT;
	labels->label[i].name = (char *)name;
	labels->label[i].value = (char *)value;
	for (; i && strcmp(labels->sorted[i - 1]->name, name) > 0; i--)
		labels->sorted[i] = labels->sorted[i - 1];
	labels->sorted[i] = &labels->label[labels->n++];
}

static void labels_get(struct tl_code_from *from, struct labels *labels)
{
	size_t n = tl_code_get_n(from, 2);
	const char *name, *value;

	for (; n && !from->bad; n--) {
		name = text_get(from);
		value = text_get(from);
		if (!from->bad)
			label_add(labels, name, value);
	}
}

static void one_get(struct tl_code_from *from, const struct labels *common, u8 *form, struct tl_code_to *to)
{
	struct labels labels = { .n = 0 };
	Remote__TimeSeries message = REMOTE__TIME_SERIES__INIT;
	size_t i, size;
	u8 *room;

	*form = (u8)tl_code_get(from);
	label_add(&labels, "__name__", text_get(from));
	labels_get(from, &labels);
	for (i = 0; i < common->n; i++)
		label_add(&labels, common->label[i].name, common->label[i].value);
	message.n_labels = labels.n;
	message.labels = labels.sorted;
	size = remote__time_series__get_packed_size(&message);
	room = tl_code_put_room(to, size);
	if (room)
		remote__time_series__pack(&message, room);
}

static int all_get(struct tl_push_series *series, struct tl_code_from *from)
{
	struct labels common = { .n = 0 };
	struct tl_code_to to = { 0 };
	size_t i;

	series->begin = (enum tl_push_begin)tl_code_get(from);
	labels_get(from, &common);
	series->n = tl_code_get_n(from, 3);
	series->at = calloc(series->n + 1, sizeof(*series->at));
	series->form = calloc(series->n + 1, sizeof(*series->form));
	if (!series->at || !series->form)
		return -ENOMEM;
	for (i = 0; i < series->n && !from->bad && !to.failed; i++) {
		one_get(from, &common, &series->form[i], &to);
		if (to.n > UINT32_MAX)
			to.failed = true;
		series->at[i + 1] = (u32)to.n;
	}
	series->byte = to.byte;
	return to.failed ? -ENOMEM : from->bad ? -EINVAL : 0;
}

/**
 * tl_push_series_read() - Read a record of series
 * @series: filled in, to be given to tl_push_series_free() in any case
 * @record: record
 *
 * Return: 0, -ENOMEM, or -EINVAL if it makes no sense.
 */
int tl_push_series_read(struct tl_push_series *series, const struct tl_record *record)
{
	struct tl_code_from from = { record->byte, record->n, TL_RECORD_HEAD, false };

	memset(series, 0, sizeof(*series));
	return all_get(series, &from);
}

/**
 * tl_push_series_free() - Forget them
 * @series: series
 */
void tl_push_series_free(struct tl_push_series *series)
{
	free(series->at);
	free(series->form);
	free(series->byte);
	memset(series, 0, sizeof(*series));
}

static int compare(const struct tl_push_series *a, size_t i, const struct tl_push_series *b, size_t k)
{
	size_t a_n = a->at[i + 1] - a->at[i], b_n = b->at[k + 1] - b->at[k];
	int order = memcmp(a->byte + a->at[i], b->byte + b->at[k], min(a_n, b_n));

	return order ? order : (a_n > b_n) - (a_n < b_n);
}

static int compare_of(const void *a, const void *b, void *series)
{
	return compare(series, *(const u32 *)a, series, *(const u32 *)b);
}

static u32 *sorted(const struct tl_push_series *series)
{
	u32 *order = calloc(series->n + 1, sizeof(*order));
	size_t i;

	for (i = 0; order && i < series->n; i++)
		order[i] = (u32)i;
	if (order)
		qsort_r(order, series->n, sizeof(*order), compare_of, (void *)series);
	return order;
}

/**
 * tl_push_series_differ() - Which series are no more, and which are new
 * @old: before
 * @new: now
 * @gone: [@old->n] set to 1 for those that @new has not
 * @fresh: [@new->n] for those that @old has not
 *
 * Return: 0 or -ENOMEM.
 */
int tl_push_series_differ(const struct tl_push_series *old, const struct tl_push_series *new, u8 *gone, u8 *fresh)
{
	u32 *a = sorted(old), *b = sorted(new);
	size_t i = 0, k = 0;
	int order;

	while (a && b && (i < old->n || k < new->n)) {
		order = i == old->n ? 1 : k == new->n ? -1 : compare(old, a[i], new, b[k]);
		if (order < 0)
			gone[a[i++]] = 1;
		else if (order > 0)
			fresh[b[k++]] = 1;
		else
			i++, k++;
	}
	i = a && b;
	free(a);
	free(b);
	return i ? 0 : -ENOMEM;
}
