/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_PROCESS_H
#define TL_PROCESS_H

#include "hist.h"

#include <stdbool.h>

/**
 * struct tl_process - What the kernel tells of a process
 * @state: a letter, 'Z' or 'X' if it has ended
 * @flags: PF_ of the kernel
 * @started: when it began, in ticks since the machine did: no other one of its number has the same
 */
struct tl_process {
	char state;
	unsigned long flags;
	u64 started;
};

bool tl_process_read(u32 pid, struct tl_process *process);
bool tl_process_ended(const struct tl_process *process);

#endif
