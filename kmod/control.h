/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CONTROL_H
#define TL_CONTROL_H

#include <linux/types.h>

struct netlink_ext_ack;
struct tl_level_ask;
struct tl_method_ask;

struct tl_settings {
	bool enabled;
	u32 interval_ms;
	u32 quiet_ms;
};

int tl_control_enable(u32 interval_ms, u32 quiet_ms, struct netlink_ext_ack *extack);
void tl_control_disable(void);
int tl_control_set_level(const struct tl_level_ask *ask, struct netlink_ext_ack *extack);
int tl_control_probe(const struct tl_method_ask *ask, u32 *id, struct netlink_ext_ack *extack);
int tl_control_del_tier(const char *name, struct netlink_ext_ack *extack);
int tl_control_probe_no_more(const char *tier, u32 id, struct netlink_ext_ack *extack);
void tl_control_exit(void);
void tl_control_get(struct tl_settings *settings);

#endif
