/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_USAGE_H
#define TL_USAGE_H

#include "core/request.h"
#include "tier.h"

struct task_struct;
struct tl_task;

/* What the kernels that this is built for can tell about a thread. */
#if defined(CONFIG_SCHED_INFO) && defined(CONFIG_SCHEDSTATS)
#define TL_HAS_RUN_WAIT 1
#else
#define TL_HAS_RUN_WAIT 0
#endif
#ifdef CONFIG_TASK_IO_ACCOUNTING
#define TL_HAS_STORAGE 1
#else
#define TL_HAS_STORAGE 0
#endif

/*
 * A processor's part of sums over tiers. Allocated: what modules may have without asking is 8 KiB
 * a processor, for all of them together.
 */
struct tl_usage_of_tiers {
	u64 ns[TL_TIERS];
};

int tl_usage_init(void);
void tl_usage_exit(void);
void tl_usage_start(void);
void tl_usage_now(struct tl_used *used, u64 now_ns);
void tl_usage_charge(u32 tier, u64 cpu_ns);
u64 tl_usage_take(const u64 __percpu *sum, u64 *before);
u64 tl_usage_take_charged(u32 tier);
u64 tl_usage_add(struct tl_used *sum, struct tl_task *task, u64 now_ns);
u64 tl_usage_cpu_ns(u64 now_ns);
void tl_usage_switched(struct task_struct *prev, struct task_struct *next);

#endif
