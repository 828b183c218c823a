/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording of sync points, as JSON lines. */
#ifndef ABI_SYNC_H
#define ABI_SYNC_H

#include <stdint.h>

struct tl;

int sync_record(struct tl *tl, int argc, char **argv, uint64_t pause_ms);

#endif
