/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SYNC_POINT_H
#define TL_SYNC_POINT_H

#include <linux/types.h>
#include <uapi/linux/tierlens-sync.h>

struct pt_regs;
struct task_struct;

/**
 * struct tl_sync_point - What a thread does
 * @seq: its number, of what gives; 0: it has none yet
 * @began_ns: when it began, as @began_cpu_ns and @switches of the thread then
 */
struct tl_sync_point {
	u8 op; /* enum tierlens_sync_op */
	u8 kind; /* enum tierlens_sync_kind */
	u16 flags;
	u32 end;
	u64 seq;
	u64 object;
	u64 position;
	u64 bytes;
	u64 began_ns;
	u64 began_cpu_ns;
	unsigned long switches;
};

void tl_sync_point_init(u32 stack);
u64 tl_sync_point_number(void);
u64 tl_sync_point_last(void);
void tl_sync_point_begin(struct tl_sync_point *point);
void tl_sync_point_write(struct tl_sync_point *point, struct pt_regs *regs);
void tl_sync_point_write_of(const struct task_struct *task, struct tl_sync_point *point);
void tl_sync_point_void(u64 seq);
void tl_sync_point_switched(void *data, bool preempt, struct task_struct *prev,
			    struct task_struct *next);

#endif
