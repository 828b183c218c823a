/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_GAP_H
#define TL_GAP_H

#include "hist.h"

struct tl_interval;

/**
 * struct tl_gap - What is missing between successive intervals
 * @generation: of the interval looked at last, 0 for none
 * @end_ns: its end, since the epoch
 * @length_ns: its length
 * @missed: intervals missing before it
 * @off_ns: time before it in which nothing was measured
 */
struct tl_gap {
	u64 generation, end_ns, length_ns, missed, off_ns;
};

void tl_gap_look(struct tl_gap *gap, const struct tl_interval *interval);
void tl_gap_print(char *to, size_t room, const struct tl_gap *gap);

#endif
