/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SERIES_H
#define TL_SERIES_H

#include "gap.h"

struct tl_interval;

#define TL_SLOTS 480 /* more than a plot has pixels for would be of no use */

/**
 * struct tl_series - A recording, as much of it as a plot can show
 * @total: sum of all intervals
 * @slot: sums of @per_slot successive intervals each, the last of @filled
 * @end_ns: end of the last interval in each slot
 * @intervals: how many were added
 * @missed: how many are missing between them
 */
struct tl_series {
	struct tl_interval *total, *slot[TL_SLOTS];
	u64 end_ns[TL_SLOTS], intervals, missed;
	struct tl_gap gap;
	size_t n;
	unsigned int per_slot, filled;
};

int tl_series_add(struct tl_series *series, const struct tl_interval *interval);
void tl_series_free(struct tl_series *series);

#endif
