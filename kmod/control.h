/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CONTROL_H
#define TL_CONTROL_H

#include <linux/types.h>

struct netlink_ext_ack;

struct tl_settings {
	bool enabled;
	u32 interval_ms;
	u32 quiet_ms;
};

int tl_control_enable(u32 interval_ms, u32 quiet_ms, struct netlink_ext_ack *extack);
void tl_control_disable(void);
void tl_control_get(struct tl_settings *settings);

#endif
