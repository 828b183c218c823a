/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_PUSH_SERIES_H
#define TL_DAEMON_PUSH_SERIES_H

#include "daemon/push-queue.h"

#define TL_PUSH_LABELS 32 /* of a series at most, and of those the ones that all have */
#define TL_PUSH_COMMON 20

/* Of a series: how its values are kept, and whether they only grow. */
#define TL_PUSH_FORM 3
#define TL_PUSH_GROWS 4

/* Of a record of series: a daemon has just begun; there were others before it, which may be the same; names are others. */
enum tl_push_begin { TL_PUSH_FIRST, TL_PUSH_CHANGED, TL_PUSH_RENAMED };

/**
 * struct tl_push_series - The series of a record, packed as they are sent
 * @begin: whether there were others before
 * @at: [@n + 1] where each begins in @byte: its labels, as in a TimeSeries
 * @form: [@n] forms
 */
struct tl_push_series {
	enum tl_push_begin begin;
	size_t n;
	u32 *at;
	u8 *form, *byte;
};

int tl_push_series_read(struct tl_push_series *series, const struct tl_record *record);
void tl_push_series_free(struct tl_push_series *series);
int tl_push_series_differ(const struct tl_push_series *old, const struct tl_push_series *new, u8 *gone, u8 *fresh);

#endif
