// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes that have threads that are known
 *
 * An entry is used by its threads and goes with the last of them. It knows whether
 * any of them serves, and what the process has used.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include "process.h"
#include "shard.h"
#include "tier.h"
#include "usage.h"

#define TABLE_BITS 10
#define POOL_LOW 32

static struct tl_keyed_table table;
static struct tl_pool processes;
static DEFINE_PER_CPU(u64, gone_ns[TL_TIERS]); /* what gone processes had not told */
static u64 gone_before_ns[TL_TIERS];
static u64 usage_from_ns; /* when measuring began */

int tl_process_init(void)
{
	if (tl_keyed_init(&table, TABLE_BITS))
		return -ENOMEM;
	if (tl_pool_init(&processes, "processes", sizeof(struct tl_process), POOL_LOW,
			 NULL)) {
		tl_process_exit();
		return -ENOMEM;
	}
	return 0;
}

void tl_process_exit(void)
{
	tl_pool_exit(&processes);
	tl_keyed_exit(&table);
}

static struct tl_process *find(const void *key)
{
	struct tl_keyed *keyed = tl_keyed_find(&table, key);

	return keyed ? container_of(keyed, struct tl_process, keyed) : NULL;
}

static u64 process_cpu_ns(struct task_struct *process)
{
	u64 cpu_ns = READ_ONCE(process->signal->sum_sched_runtime);
	struct task_struct *thread;

	for_each_thread(process, thread)
		cpu_ns += READ_ONCE(thread->se.sum_exec_runtime);
	return cpu_ns;
}

static void begin(struct tl_process *process, struct task_struct *task)
{
	memset(&process->thread, 0, sizeof(process->thread));
	process->uses = 0;
	process->tier = 0;
	process->cpu_ns = 0;
	/*
	 * What an older one has used before is not of this measurement; and if a thread
	 * has gone already, an entry before this one may have counted.
	 */
	if (task->group_leader->start_time <= usage_from_ns ||
	    READ_ONCE(task->signal->sum_sched_runtime)) {
		rcu_read_lock();
		process->cpu_ns = process_cpu_ns(task);
		rcu_read_unlock();
	}
}

/**
 * tl_process_get() - The entry of a thread's process, made if need be
 * @task: the current task
 *
 * Context: task, interrupts off.
 * Return: the entry, for tl_process_put(); NULL if there is no memory left for it.
 */
struct tl_process *tl_process_get(struct task_struct *task)
{
	struct tl_keyed_bucket *bucket = tl_keyed_bucket(&table, task->signal);
	struct tl_process *process, *fresh = NULL;

	if (!find(task->signal))
		fresh = tl_pool_get(&processes);
	raw_spin_lock(&bucket->lock);
	process = find(task->signal);
	if (!process && fresh) {
		process = fresh;
		fresh = NULL;
		begin(process, task);
		tl_keyed_link(bucket, &process->keyed, task->signal);
	}
	if (process)
		process->uses++;
	raw_spin_unlock(&bucket->lock);
	if (fresh)
		tl_pool_put(&processes, fresh);
	return process;
}

/* The last thread of a process that is known goes, and nobody could ask later. */
static void gone(struct tl_process *process)
{
	u64 cpu_ns;

	if (!process->tier || process->keyed.key != current->signal)
		return;
	rcu_read_lock();
	cpu_ns = process_cpu_ns(current);
	rcu_read_unlock();
	if (cpu_ns > process->cpu_ns)
		this_cpu_add(gone_ns[process->tier], cpu_ns - process->cpu_ns);
}

/**
 * tl_process_put() - A thread goes
 * @process: its process
 *
 * Context: interrupts off.
 */
void tl_process_put(struct tl_process *process)
{
	struct tl_keyed_bucket *bucket = tl_keyed_bucket(&table, process->keyed.key);
	bool last;

	raw_spin_lock(&bucket->lock);
	last = !--process->uses;
	if (last) {
		gone(process);
		tl_keyed_unlink(bucket, &process->keyed);
	}
	raw_spin_unlock(&bucket->lock);
	if (last)
		tl_pool_put(&processes, process);
}

/* Whether the current task's process has received a request. Context: interrupts off. */
bool tl_process_serves(struct task_struct *task)
{
	const struct tl_process *process = find(task->signal);

	return process && READ_ONCE(process->thread.serves);
}

static u64 take_gone(unsigned int tier)
{
	u64 now_ns = 0, before_ns = gone_before_ns[tier];
	int cpu;

	for_each_possible_cpu(cpu)
		now_ns += READ_ONCE(per_cpu(gone_ns[tier], cpu));
	gone_before_ns[tier] = now_ns;
	return now_ns - before_ns;
}

/**
 * tl_process_usage_start() - Measuring begins
 *
 * Context: process; no hook is armed.
 */
void tl_process_usage_start(void)
{
	unsigned int tier;

	tl_usage_start();
	usage_from_ns = ktime_get_ns();
	for (tier = 0; tier < TL_TIERS; tier++) {
		take_gone(tier);
		tl_usage_take_charged(tier);
	}
}

/* Interrupts are off. */
static void add_process(struct task_struct *process)
{
	struct tl_keyed_bucket *bucket = tl_keyed_bucket(&table, process->signal);
	struct tl_usage_sums sums = { .processes = 1 };
	struct tl_process *entry;
	u64 cpu_ns;
	u32 tier = 0;

	if (!find(process->signal))
		return;
	cpu_ns = process_cpu_ns(process);
	raw_spin_lock(&bucket->lock);
	entry = find(process->signal);
	if (entry && entry->tier) {
		tier = entry->tier;
		if (cpu_ns > entry->cpu_ns)
			sums.cpu_ns = cpu_ns - entry->cpu_ns;
		entry->cpu_ns = max(cpu_ns, entry->cpu_ns);
	}
	raw_spin_unlock(&bucket->lock);
	if (tier)
		tl_shard_merge_usage(tier, &sums);
}

/**
 * tl_process_usage() - Tell tl_shard_merge_usage() what all known processes used
 *
 * Context: process, one caller at a time.
 */
void tl_process_usage(void)
{
	struct tl_usage_sums sums = {};
	struct task_struct *process;
	unsigned long flags;
	unsigned int tier;

	rcu_read_lock();
	for_each_process(process) {
		local_irq_save(flags);
		add_process(process);
		local_irq_restore(flags);
	}
	rcu_read_unlock();
	for (tier = 0; tier < TL_TIERS; tier++) {
		sums.cpu_ns = take_gone(tier);
		sums.request_cpu_ns = tl_usage_take_charged(tier);
		if (!tier || !(sums.cpu_ns | sums.request_cpu_ns))
			continue;
		local_irq_save(flags);
		tl_shard_merge_usage(tier, &sums);
		local_irq_restore(flags);
	}
}
