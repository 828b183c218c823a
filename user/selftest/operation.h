/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SELFTEST_OPERATION_H
#define TL_SELFTEST_OPERATION_H

#include "hist.h"

#include <sys/types.h>

struct tl_error;
struct tl_rig;

#define TL_OPERATION_MAX 4096 /* repetitions at once: what a pipe takes, several times */

/**
 * struct tl_operation - Something that hooks sit on, to be done many times over
 * @name: what it is
 * @prepare: makes ready for so many, untimed; NULL if there is nothing to make
 * @repeat: does it so many times. Returns how often it was done, 0 if it cannot be
 * @clear: what is left of so many is removed, untimed; NULL
 */
struct tl_operation {
	const char *name;
	void (*prepare)(struct tl_rig *rig, u64 n);
	u64 (*repeat)(struct tl_rig *rig, u64 n);
	void (*clear)(struct tl_rig *rig, u64 n);
};

extern const struct tl_operation tl_operations[];
extern const size_t tl_operations_n;

int tl_rig_open(struct tl_rig **rig, struct tl_error *err);
void tl_rig_close(struct tl_rig *rig);

#endif
