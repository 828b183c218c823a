/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_FEED_H
#define TL_FEED_H

#include "ctl.h"
#include "gap.h"

/**
 * struct tl_feed - The kernel's closed intervals, one after the other
 * @last: generation of the last interval that was handed out or skipped
 * @gap: what is missing before the one just handed out
 * @enabled: is the module measuring? As it was when it was last asked
 */
struct tl_feed {
	struct tl_ctl *ctl;
	struct tl_intervals list;
	size_t next;
	struct tl_gap gap;
	u64 last;
	u32 interval_ms;
	bool enabled;
};

int tl_feed_open(struct tl_feed *feed, bool kept, struct tl_error *err);
void tl_feed_close(struct tl_feed *feed);
int tl_feed_next(struct tl_feed *feed, struct tl_interval **interval,
		 struct tl_error *err);

#endif
