/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CORE_HIST_H
#define TL_CORE_HIST_H

#include "port.h"

#define TL_HIST_SUB_BITS 3 /* eight buckets an octave */
#define TL_HIST_FIRST_EXP 10 /* bucket 0 holds everything below 1.024 us */
#define TL_HIST_LAST_EXP 38 /* the last one everything from 274.9 s */
#define TL_HIST_BUCKETS \
	(((TL_HIST_LAST_EXP - TL_HIST_FIRST_EXP) << TL_HIST_SUB_BITS) + 2)

u32 tl_hist_bucket(u64 ns);
u64 tl_hist_low_ns(u32 bucket);

#endif
