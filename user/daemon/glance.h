/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_GLANCE_H
#define TL_DAEMON_GLANCE_H

#include "model/adapt.h"
#include "port.h"

/**
 * struct tl_window - Where in its window the kernel is
 * @into_ns: since it began, on the wall clock, by which windows go
 * @quiet_ns: so much after its end it can be read
 */
struct tl_window {
	u64 into_ns, length_ns, quiet_ns;
};

/**
 * struct tl_glance - What probes have cost since a window began; all zero at first
 * @began, @looked: totals when it began, and at the last glance, @looked_ns on a clock that only goes on
 */
struct tl_glance {
	struct tl_adapt_cost began, looked;
	u64 looked_ns;
};

bool tl_glance(struct tl_glance *glance, u64 now_ns, const struct tl_window *window, const struct tl_adapt_cost *total,
	       double room_s, struct tl_adapt_cost *ahead);

#endif
