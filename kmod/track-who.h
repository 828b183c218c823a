/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TRACK_WHO_H
#define TL_TRACK_WHO_H

/* Who acts at an event that tl_track_*() is told of. */
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "thread.h"
#include "turn.h"

static inline bool has_requests(void)
{
	/* One that exits is about to be forgotten, or has been. */
	return in_task() && !(current->flags & (PF_KTHREAD | PF_EXITING));
}

static inline struct tl_task *any_task(void)
{
	return tl_turn_up_to_date(tl_thread_get());
}

static inline struct tl_task *known_task(void)
{
	return tl_turn_up_to_date(tl_thread_known());
}

/* The current thread at an event, if it is known. */
static inline struct tl_task *known_turn(void)
{
	struct tl_task *task = known_task();

	if (task)
		tl_turn_begin(task, ktime_get_mono_fast_ns());
	return task;
}

/* The same, or if its process serves. */
static inline struct tl_task *server_turn(void)
{
	struct tl_task *task = known_turn();

	return !task && tl_process_serves(current) ? tl_turn_task(ktime_get_mono_fast_ns()) : task;
}

/* Turns interrupts off and looks up who acts; if there is nobody, they are on again. */
static __always_inline struct tl_task *enter(struct tl_task *(*who)(void),
					     unsigned long *flags)
{
	struct tl_task *task;

	if (!has_requests())
		return NULL;
	local_irq_save(*flags);
	task = who();
	if (!task)
		local_irq_restore(*flags);
	return task;
}

#endif
