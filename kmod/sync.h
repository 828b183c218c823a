/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SYNC_H
#define TL_SYNC_H

#include <linux/types.h>

struct file;
struct netlink_ext_ack;

/* A function of a library, whose file is held by who asks. */
struct tl_sync_ask_probe {
	struct file *file;
	u64 offset;
	u32 function; /* enum tierlens_sync_function */
};

/**
 * struct tl_sync_ask - What is to be recorded
 * @processes: numbers in the namespace of who asks
 * @ms: for how long
 * @buffer: bytes per processor, a power of two
 * @stack: bytes of a stack at most
 */
struct tl_sync_ask {
	const u32 *processes;
	unsigned int nprocesses;
	const struct tl_sync_ask_probe *probes;
	unsigned int nprobes;
	u32 ms;
	u32 buffer;
	u32 stack;
};

struct file *tl_sync_start(const struct tl_sync_ask *ask, struct netlink_ext_ack *extack);

#endif
