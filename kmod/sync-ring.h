/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SYNC_RING_H
#define TL_SYNC_RING_H

#include <linux/types.h>

int tl_sync_ring_init(u32 size);
void tl_sync_ring_exit(void);
void *tl_sync_ring_reserve(u32 bytes);
void tl_sync_ring_commit(u32 bytes);
ssize_t tl_sync_ring_read(char __user *to, size_t room);

#endif
