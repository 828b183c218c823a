// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a thread has used so far
 *
 * The scheduler brings a thread's run time up to date when it is switched out and
 * at ticks, which is too coarse for requests. So each switch notes when the next
 * thread's turn began and what its run time was then; what it has run in this turn
 * is the difference of two clock readings.
 */
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>

#include "tier.h"
#include "usage.h"

/* The turn of the thread that is on this CPU. */
static DEFINE_PER_CPU(struct turn {
	const struct task_struct *task;
	u64 began_ns;
	u64 run_ns; /* before it */
}, turn);

static DEFINE_PER_CPU(u64, charged_ns[TL_TIERS]); /* to requests */
static u64 taken_ns[TL_TIERS];

/**
 * tl_usage_switched() - The scheduler's tracepoint sched_switch
 *
 * Newer kernels pass one argument more.
 *
 * Context: interrupts are off, the run queue's lock is held.
 */
void tl_usage_switched(void *data, bool preempt, struct task_struct *prev,
		       struct task_struct *next)
{
	struct turn *now = this_cpu_ptr(&turn);

	now->task = next;
	now->began_ns = local_clock();
	now->run_ns = next->se.sum_exec_runtime;
}

/* Measuring begins: turns that were noted before are over. Context: process. */
void tl_usage_start(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(turn.task, cpu) = NULL;
}

/**
 * tl_usage_now() - What the current thread has used since it began
 * @used: filled
 *
 * Context: task, interrupts off.
 */
void tl_usage_now(struct tl_used *used)
{
	const struct turn *now = this_cpu_ptr(&turn);

	/* The turn began before the tracepoint was armed: the last tick must do. */
	used->cpu_ns = current->se.sum_exec_runtime;
	if (likely(now->task == current))
		used->cpu_ns = now->run_ns + (local_clock() - now->began_ns);
#if TL_HAS_RUN_WAIT
	used->run_wait_ns = current->sched_info.run_delay;
#else
	used->run_wait_ns = 0;
#endif
#if TL_HAS_STORAGE
	used->storage_read = current->ioac.read_bytes;
	used->storage_write = current->ioac.write_bytes;
#else
	used->storage_read = 0;
	used->storage_write = 0;
#endif
}

static u64 grow(u64 *last, u64 now)
{
	u64 before = *last;

	*last = max(now, before);
	return *last - before;
}

/**
 * tl_usage_since() - What the current thread has used since the last time
 * @last: as it was then; brought up to date
 * @diff: filled
 *
 * Context: task, interrupts off.
 */
void tl_usage_since(struct tl_used *last, struct tl_used *diff)
{
	struct tl_used now;

	tl_usage_now(&now);
	/* The two clocks of run time may differ by a little; none goes backwards. */
	diff->cpu_ns = grow(&last->cpu_ns, now.cpu_ns);
	diff->run_wait_ns = grow(&last->run_wait_ns, now.run_wait_ns);
	diff->storage_read = grow(&last->storage_read, now.storage_read);
	diff->storage_write = grow(&last->storage_write, now.storage_write);
}

/**
 * tl_usage_charge() - Time on a processor was charged to a request
 * @tier: the request's
 * @cpu_ns: how much
 *
 * Context: interrupts off.
 */
void tl_usage_charge(u32 tier, u64 cpu_ns)
{
	this_cpu_add(charged_ns[tier % TL_TIERS], cpu_ns);
}

/**
 * tl_usage_take() - What the CPUs have added to a sum since the last time
 * @sum: each CPU's part, which only grows
 * @before: what it was; brought up to date
 *
 * Context: process, one caller at a time.
 * Return: the difference.
 */
u64 tl_usage_take(const u64 __percpu *sum, u64 *before)
{
	u64 now = 0, then = *before;
	int cpu;

	for_each_possible_cpu(cpu)
		now += READ_ONCE(*per_cpu_ptr(sum, cpu));
	*before = now;
	return now - then;
}

/**
 * tl_usage_take_charged() - What was charged to a tier's requests since the last time
 * @tier: the tier
 *
 * Context: process, one caller at a time.
 * Return: nanoseconds.
 */
u64 tl_usage_take_charged(u32 tier)
{
	return tl_usage_take(&charged_ns[tier], &taken_ns[tier]);
}
