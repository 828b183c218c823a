/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_NETLINK_H
#define TL_NETLINK_H

struct tl_interval;

int tl_netlink_init(void);
void tl_netlink_exit(void);
void tl_netlink_notify(const struct tl_interval *interval);

#endif
