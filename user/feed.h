/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_FEED_H
#define TL_FEED_H

#include "ctl.h"
#include "gap.h"
#include "host.h"

/**
 * struct tl_feed - The kernel's closed intervals, one after the other
 * @last: generation of the last interval that was handed out or skipped
 * @gap: what is missing before the one just handed out
 * @hosts: samples of the host at the ends of intervals
 * @end_ns: end of some interval, @length_ns: its length; 0 before any is known
 * @looked_ns: when the last sample was taken
 * @processors: of the host
 * @enabled: is the module measuring? As it was when it was last asked
 * @impatient: take what there is, do not wait for more; to be set by the caller
 * @no_hosts: how busy the host is need not be found out, which costs more than all else; to be
 *            set by the caller, after tl_feed_open()
 * @seldom_ms: several intervals at once will do: looks so seldom, and does not wake up for each; 0: for
 *             each; to be set by the caller
 * @glances: wakes up so often in an interval, and when it ends; 0: no matter; to be set by the caller
 * @fetched: all that there was, and nobody has waited since
 */
struct tl_feed {
	struct tl_ctl *ctl;
	struct tl_intervals list;
	size_t next;
	struct tl_gap gap;
	struct tl_host_samples hosts;
	u64 last, end_ns, length_ns, looked_ns;
	u32 interval_ms, processors, seldom_ms;
	unsigned int glances;
	bool enabled, impatient, no_hosts, fetched;
};

int tl_feed_open(struct tl_feed *feed, bool kept, struct tl_error *err);
u64 tl_feed_into_ns(const struct tl_feed *feed);
void tl_feed_close(struct tl_feed *feed);
int tl_feed_next(struct tl_feed *feed, struct tl_interval **interval,
		 struct tl_error *err);

#endif
