/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the thread that is on a processor has run
 *
 * The scheduler brings a thread's run time up to date when it is switched out and
 * at ticks, which is too coarse for requests. So each switch notes when the next
 * thread's turn began and what its run time was then; what it has run in this turn
 * is the difference of two clock readings.
 */
#ifndef TL_RUN_TURN_H
#define TL_RUN_TURN_H

#include <linux/sched.h>
#include <linux/timekeeping.h>

struct tl_run_turn {
	const struct task_struct *task;
	u64 began_ns;
	u64 run_ns; /* before it */
};

/* Context: the scheduler's tracepoint. */
static inline void tl_run_turn_begin(struct tl_run_turn *turn, const struct task_struct *next)
{
	turn->task = next;
	turn->began_ns = ktime_get_mono_fast_ns();
	turn->run_ns = next->se.sum_exec_runtime;
}

/* Or it began before the tracepoint was armed. Context: preemption off. */
static inline bool tl_run_turn_is_known(const struct tl_run_turn *turn)
{
	return likely(turn->task == current);
}

/**
 * tl_run_turn_cpu_ns() - The current thread's processor time
 * @turn: this processor's
 * @now_ns: ktime_get_mono_fast_ns(), which each event asks for anyway
 *
 * Context: preemption off.
 */
static inline u64 tl_run_turn_cpu_ns(const struct tl_run_turn *turn, u64 now_ns)
{
	/* That clock may step back a little when the kernel corrects its pace. */
	if (tl_run_turn_is_known(turn))
		return turn->run_ns +
		       (now_ns > turn->began_ns ? now_ns - turn->began_ns : 0);
	/* The last tick must do. */
	return current->se.sum_exec_runtime;
}

#endif
