/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_OWN_H
#define TL_DAEMON_OWN_H

#include "port.h"

#define TL_OWN_NAME "tierlensd"

struct tl_ctl;

/**
 * struct tl_own - The tier that this daemon is itself
 * @port: that the kernel knows as TL_OWN_NAME, 0 for none
 */
struct tl_own {
	unsigned int port;
};

void tl_own_hold(struct tl_own *own, struct tl_ctl *ctl, unsigned int port, u32 lease_ms);
bool tl_own_is(const struct tl_own *own, const char *tier);
void tl_own_end(struct tl_own *own, struct tl_ctl *ctl);

#endif
