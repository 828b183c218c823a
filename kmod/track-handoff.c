// SPDX-License-Identifier: GPL-2.0-or-later
/* What a hook saw of threads that tell each other, see track.c and handoff.c. */
#include <linux/ktime.h>

#include "handoff.h"
#include "track.h"
#include "track-who.h"

/**
 * tl_track_wrote() - The current task writes to an eventfd or pipe
 * @object: which
 * @bytes: how many
 */
void tl_track_wrote(const void *object, u64 bytes)
{
	unsigned long flags;
	struct tl_task *task = enter(server_turn, &flags);

	if (!task)
		return;
	tl_handoff_wrote(task, object, bytes);
	local_irq_restore(flags);
}

/**
 * tl_track_reads() - The current task begins to read an eventfd or pipe
 * @object: which
 * @bytes: how many it would take; 0 of an eventfd
 */
void tl_track_reads(const void *object, u64 bytes)
{
	unsigned long flags;
	struct tl_task *task = enter(server_turn, &flags);

	if (!task)
		return;
	tl_handoff_reads(task, object, bytes);
	local_irq_restore(flags);
}

/**
 * tl_track_futex() - The current task wakes others by a futex, or waits for one
 * @futex: which
 */
void tl_track_futex(enum tl_futex futex)
{
	unsigned long flags;
	struct tl_task *task = enter(known_task, &flags);
	u64 now_ns;

	if (!task)
		return;
	if (futex == TL_FUTEX_WAITS) {
		now_ns = ktime_get_mono_fast_ns();
		tl_turn_begin(task, now_ns);
		task->waited = true;
		tl_turn_waits(task);
		WRITE_ONCE(task->futex_ns, now_ns);
	} else if (task->thread.current_request.request && tl_level_nests()) {
		/* Whom it wakes may answer before its next event. */
		tl_turn_charge(task, ktime_get_mono_fast_ns());
	}
	task->futex = futex;
	local_irq_restore(flags);
}

/**
 * tl_track_woken() - Somebody is woken
 * @task: whom
 *
 * Context: the scheduler's locks are held, interrupts are off.
 */
void tl_track_woken(struct task_struct *woken)
{
	struct tl_task *task;

	if (!has_requests())
		return;
	task = tl_thread_known();
	if (task && task->futex == TL_FUTEX_WAKES && task->errand.request)
		tl_handoff_wakes(task, woken);
}

/* An eventfd or pipe is gone. */
void tl_track_released(const void *object)
{
	unsigned long flags;

	if (!in_task())
		return;
	local_irq_save(flags);
	tl_handoff_closed(object);
	local_irq_restore(flags);
}
