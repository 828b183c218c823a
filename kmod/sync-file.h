/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SYNC_FILE_H
#define TL_SYNC_FILE_H

#include "sync-point.h"

void tl_sync_file_init(void);
bool tl_sync_file_of(unsigned int fd, bool gives, struct tl_sync_point *point);
void tl_sync_file_taken(unsigned int fd, struct tl_sync_point *point);
u64 tl_sync_file_number(u64 a, u64 b);

#endif
