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
#include <linux/sched/clock.h>

struct tl_run_turn {
	const struct task_struct *task;
	u64 began_ns;
	u64 run_ns; /* before it */
};

/* Context: the scheduler's tracepoint. */
static inline void tl_run_turn_begin(struct tl_run_turn *turn, const struct task_struct *next)
{
	turn->task = next;
	turn->began_ns = local_clock();
	turn->run_ns = next->se.sum_exec_runtime;
}

/* Or it began before the tracepoint was armed. Context: preemption off. */
static inline bool tl_run_turn_is_known(const struct tl_run_turn *turn)
{
	return likely(turn->task == current);
}

/* The current thread's processor time. Context: preemption off. */
static inline u64 tl_run_turn_now_ns(const struct tl_run_turn *turn)
{
	if (tl_run_turn_is_known(turn))
		return turn->run_ns + (local_clock() - turn->began_ns);
	/* The last tick must do. */
	return current->se.sum_exec_runtime;
}

#endif
