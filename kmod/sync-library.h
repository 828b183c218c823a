/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SYNC_LIBRARY_H
#define TL_SYNC_LIBRARY_H

struct netlink_ext_ack;
struct tl_sync_ask_probe;

int tl_sync_library_init(const struct tl_sync_ask_probe *asked, unsigned int n,
			 struct netlink_ext_ack *extack);
void tl_sync_library_exit(void);

#endif
