// SPDX-License-Identifier: GPL-2.0-or-later
/* What a thread has used so far. */
#include <linux/percpu.h>
#include <linux/sched.h>

#include "run-turn.h"
#include "scoped.h"
#include "thread.h"
#include "tier.h"
#include "usage.h"

/* The turn of the thread that is on this CPU. */
static DEFINE_PER_CPU(struct tl_run_turn, turn);

static struct tl_usage_of_tiers __percpu *charged; /* to requests */
static u64 taken_ns[TL_TIERS];

int tl_usage_init(void)
{
	charged = alloc_percpu(struct tl_usage_of_tiers);
	return charged ? 0 : -ENOMEM;
}

void tl_usage_exit(void)
{
	free_percpu(charged);
}

/**
 * tl_usage_switched() - The CPU turns to another thread
 * @prev: from this one
 * @next: the other
 *
 * Context: interrupts are off, the run queue's lock is held.
 */
void tl_usage_switched(struct task_struct *prev, struct task_struct *next)
{
	tl_run_turn_begin(this_cpu_ptr(&turn), next);
	if (static_branch_unlikely(&tl_scoped_on))
		tl_scoped_switched(prev);
}

/* Measuring begins: turns that were noted before are over. Context: process. */
void tl_usage_start(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(turn.task, cpu) = NULL;
}

/* The current thread's time on a processor, now. Context: task, interrupts off. */
u64 tl_usage_cpu_ns(u64 now_ns)
{
	return tl_run_turn_cpu_ns(this_cpu_ptr(&turn), now_ns);
}

static u64 run_wait_now_ns(void)
{
#if TL_HAS_RUN_WAIT
	return current->sched_info.run_delay;
#else
	return 0;
#endif
}

static u64 storage_read_now(void)
{
#if TL_HAS_STORAGE
	return current->ioac.read_bytes;
#else
	return 0;
#endif
}

static u64 storage_write_now(void)
{
#if TL_HAS_STORAGE
	return current->ioac.write_bytes;
#else
	return 0;
#endif
}

/**
 * tl_usage_now() - What the current thread has used since it began
 * @used: filled
 * @now_ns: time
 *
 * Context: task, interrupts off.
 */
void tl_usage_now(struct tl_used *used, u64 now_ns)
{
	used->cpu_ns = tl_usage_cpu_ns(now_ns);
	used->run_wait_ns = run_wait_now_ns();
	used->storage_read = storage_read_now();
	used->storage_write = storage_write_now();
}

/* By how much it has grown, if at all. */
static void add_growth(u64 *sum, u64 *last, u64 now)
{
	if (now <= *last)
		return;
	*sum += now - *last;
	*last = now;
}

static noinline void add_storage(struct tl_used *sum, struct tl_used *last)
{
	tl_used_more(sum);
	add_growth(&sum->storage_read, &last->storage_read, storage_read_now());
	add_growth(&sum->storage_write, &last->storage_write, storage_write_now());
}

/**
 * tl_usage_add() - Add what the current thread has used since the last time
 * @sum: to this
 * @task: its entry; brought up to date
 * @now_ns: time
 *
 * Context: task, interrupts off.
 * Return: how much time on a processor that was.
 */
tl_inline u64 tl_usage_add(struct tl_used *sum, struct tl_task *task, u64 now_ns)
{
	u64 before_ns = sum->cpu_ns;
	struct tl_used *last = &task->last;

	/* The two clocks of run time may differ by a little; none goes backwards. */
	add_growth(&sum->cpu_ns, &last->cpu_ns, tl_usage_cpu_ns(now_ns));
	add_growth(&sum->run_wait_ns, &last->run_wait_ns, run_wait_now_ns());
	if (unlikely(storage_read_now() > last->storage_read ||
		     storage_write_now() > last->storage_write))
		add_storage(sum, last);
	if (static_branch_unlikely(&tl_scoped_on)) {
		tl_used_more(sum);
		tl_scoped_take_counted(task, sum->counts);
	}
	return sum->cpu_ns - before_ns;
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
	this_cpu_add(charged->ns[tier % TL_TIERS], cpu_ns);
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
	return tl_usage_take(&charged->ns[tier], &taken_ns[tier]);
}
