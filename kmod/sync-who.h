/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SYNC_WHO_H
#define TL_SYNC_WHO_H

#include <linux/sched.h>

#include "sync-point.h"

struct mm_struct;
struct netlink_ext_ack;

/**
 * struct tl_sync_thread - A thread of a chosen process; only it touches its entry, but for
 *                         the end of a recording, see tl_sync_call_cut()
 * @tid: its number; 0: the entry is free
 * @call: the system call that it is in, if that can become a sync point
 * @in_call: whether it is
 * @fd: its first argument
 * @many: whether what it returns is a number of messages
 * @library: the library's function that it is in
 * @in_library: whether it is
 * @cpu_ns: its processor time when it was asked last: two clocks make it, so it might fall
 * @objects: what the library's function of its last act was about: system calls on these
 *           addresses are that act's, not a program's own
 */
struct tl_sync_thread {
	atomic_t tid;
	bool in_call;
	bool many;
	bool in_library;
	unsigned int fd;
	struct tl_sync_point call;
	struct tl_sync_point library;
	u64 cpu_ns;
	u64 objects[2];
};

int tl_sync_who_init(const u32 *processes, unsigned int n, struct netlink_ext_ack *extack);
void tl_sync_who_exit(void);
bool tl_sync_is_chosen(const struct task_struct *task);
bool tl_sync_is_chosen_mm(const struct mm_struct *mm);
void tl_sync_choose(const struct task_struct *task);
struct tl_sync_thread *tl_sync_thread(void);
void tl_sync_thread_gone(void);
void tl_sync_threads_walk(void (*each)(struct tl_sync_thread *thread));

#endif
