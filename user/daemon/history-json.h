/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_HISTORY_JSON_H
#define TL_DAEMON_HISTORY_JSON_H

#include "base.h"

struct tl_error;

#define TL_HISTORY_POINTS_MOST 500
#define TL_HISTORY_SERIES_MOST 100

/**
 * struct tl_history_ask - What a page wants to draw
 * @file: the history
 * @from_ns: since when, @to_ns: until when; 0 for no bound
 * @points: so many at most
 * @series: so many at most, those that took the most; the others are one
 * @tier: of this one only, @class: of this one only; NULL for all
 */
struct tl_history_ask {
	const char *file;
	u64 from_ns, to_ns;
	size_t points, series;
	const char *tier, *class;
};

int tl_history_series(const struct tl_history_ask *ask, char **json, struct tl_error *err);
int tl_history_histogram(const struct tl_history_ask *ask, char **json, struct tl_error *err);

#endif
