// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes that have threads that are known
 *
 * An entry is used by its threads and goes with the last of them. It knows whether
 * any of them serves, and what the process has used: its threads are gone through for
 * that, by a work item, and by handlers only where they are few.
 */
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include "lock.h"
#include "process.h"
#include "shard.h"
#include "tier.h"
#include "usage.h"

#define TABLE_BITS 10
#define POOL_LOW 32
#define FEW_THREADS 64 /* of a process, that a handler goes through */

static struct tl_keyed_table table;
static struct tl_pool processes;
static struct tl_usage_of_tiers __percpu *of_gone; /* what gone processes had not told */
static u64 gone_before_ns[TL_TIERS];
static u64 usage_from_ns; /* when hooks were armed last: nobody has seen what was before */
static u64 usage_told_ns; /* when what they used was told last, or measuring began */
static u64 usage_elapsed_ns; /* until then, of the interval being taken; 0: none was told */
/* From a handler to those processes that have too many threads for it. */
static struct irq_work ask_irq;
static struct work_struct ask_work;

static struct tl_process *find(const void *key)
{
	struct tl_keyed *keyed = tl_keyed_find(&table, key);

	return keyed ? container_of(keyed, struct tl_process, keyed) : NULL;
}

/* Context: any number of threads takes its time; interrupts had better be on. */
static u64 process_cpu_ns(struct task_struct *process)
{
	u64 cpu_ns = READ_ONCE(process->signal->sum_sched_runtime);
	struct task_struct *thread;

	for_each_thread(process, thread)
		cpu_ns += READ_ONCE(thread->se.sum_exec_runtime);
	return cpu_ns;
}

/* For handlers. Return: false if the threads are too many. */
static bool few_cpu_ns(struct task_struct *process, u64 *cpu_ns)
{
	if (get_nr_threads(process) > FEW_THREADS)
		return false;
	rcu_read_lock();
	*cpu_ns = process_cpu_ns(process);
	rcu_read_unlock();
	return true;
}

static void begin(struct tl_process *process, struct task_struct *task)
{
	memset(&process->thread, 0, sizeof(process->thread));
	process->uses = 0;
	process->tier = 0;
	process->cpu_ns = 0;
	process->asked = true;
	/*
	 * What an older one has used before is not of this measurement; and if a thread
	 * has gone already, or is about to, an entry before this one may have counted. The
	 * first thread stays, and is in no sum, as long as there are others.
	 */
	if (task->group_leader->start_time > usage_from_ns &&
	    !(READ_ONCE(task->group_leader->flags) & PF_EXITING) &&
	    atomic_read(&task->signal->live) == get_nr_threads(task) &&
	    !READ_ONCE(task->signal->sum_sched_runtime))
		return;
	process->asked = few_cpu_ns(task, &process->cpu_ns);
	if (!process->asked)
		irq_work_queue(&ask_irq);
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
	tl_spin_lock(&bucket->lock);
	process = find(task->signal);
	if (!process && fresh) {
		process = fresh;
		fresh = NULL;
		begin(process, task);
		tl_keyed_link(bucket, &process->keyed, task->signal);
	}
	if (process)
		process->uses++;
	tl_spin_unlock(&bucket->lock);
	if (fresh)
		tl_pool_put(&processes, fresh);
	return process;
}

/* The last thread of a process that is known goes, and nobody could ask later. */
static void gone(struct tl_process *process)
{
	u64 cpu_ns;

	if (!process->tier || !process->asked || process->keyed.key != current->signal)
		return;
	/* Too many to ask now, and none that serves: what they used last is not counted. */
	if (few_cpu_ns(current, &cpu_ns) && cpu_ns > process->cpu_ns)
		this_cpu_add(of_gone->ns[process->tier], cpu_ns - process->cpu_ns);
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

	tl_spin_lock(&bucket->lock);
	last = !--process->uses;
	if (last) {
		gone(process);
		tl_keyed_unlink(bucket, &process->keyed);
	}
	tl_spin_unlock(&bucket->lock);
	if (last)
		tl_pool_put(&processes, process);
}

/* Whether the current task's process has received a request. Context: interrupts off. */
bool tl_process_serves(struct task_struct *task)
{
	const struct tl_process *process = find(task->signal);

	return process && READ_ONCE(process->thread.serves);
}

static void serve_no_more(void *object, void *arg)
{
	struct tl_process *process = object;
	const u32 *tier = arg;

	if (!*tier || READ_ONCE(process->tier) == *tier)
		WRITE_ONCE(process->thread.serves, 0);
}

/**
 * tl_process_serve_no_more() - What processes of a tier do is not for its requests any more
 * @tier: its number, 0: of all
 *
 * One that serves another tier, too, does again with the next request that it takes for it.
 *
 * Context: process.
 */
void tl_process_serve_no_more(u32 tier)
{
	tl_pool_for_each(&processes, serve_no_more, &tier);
}

static u64 take_gone(unsigned int tier)
{
	return tl_usage_take(&of_gone->ns[tier], &gone_before_ns[tier]);
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
	usage_told_ns = ktime_get_ns();
	usage_elapsed_ns = 0;
	for (tier = 0; tier < TL_TIERS; tier++) {
		take_gone(tier);
		tl_usage_take_charged(tier);
	}
}

/**
 * tl_process_seen_from_now() - What processes have used until now is not of what begins
 *
 * Also those that were known, and have been forgotten.
 *
 * Context: process; no hook is armed, and the table is empty.
 */
void tl_process_seen_from_now(void)
{
	usage_from_ns = ktime_get_ns();
}

/*
 * Look at a process that may be known, and at what it has used.
 *
 * Return: its tier, 0 if there is nothing to add.
 */
static u32 ask(struct task_struct *process, u64 *used_ns)
{
	struct tl_keyed_bucket *bucket = tl_keyed_bucket(&table, process->signal);
	struct tl_process *entry;
	unsigned long flags;
	u64 cpu_ns;
	u32 tier = 0;

	if (!find(process->signal))
		return 0;
	cpu_ns = process_cpu_ns(process);
	raw_spin_lock_irqsave(&bucket->lock, flags);
	entry = find(process->signal);
	if (entry && !entry->asked) {
		entry->cpu_ns = cpu_ns;
		entry->asked = true;
	} else if (entry && used_ns && entry->tier) {
		tier = entry->tier;
		*used_ns = tl_since(cpu_ns, entry->cpu_ns);
		entry->cpu_ns += *used_ns;
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return tier;
}

/**
 * tl_process_usage_keep() - All that are known will be forgotten: keep what they have used
 *
 * It is told with the interval being taken, as that of processes that have gone.
 *
 * Context: process; no hook is armed. The interval may be closed meanwhile.
 */
void tl_process_usage_keep(void)
{
	struct task_struct *process;
	u64 used_ns;
	u32 tier;

	rcu_read_lock();
	for_each_process(process) {
		tier = ask(process, &used_ns);
		if (tier)
			this_cpu_add(of_gone->ns[tier], used_ns);
	}
	rcu_read_unlock();
}

/* Those that nobody could ask when they became known. */
static void ask_all(struct work_struct *work)
{
	struct task_struct *process;

	rcu_read_lock();
	for_each_process(process)
		ask(process, NULL);
	rcu_read_unlock();
}

static void ask_soon(struct irq_work *work)
{
	queue_work(system_unbound_wq, &ask_work);
}

int tl_process_init(void)
{
	init_irq_work(&ask_irq, ask_soon);
	INIT_WORK(&ask_work, ask_all);
	of_gone = alloc_percpu(struct tl_usage_of_tiers);
	if (!of_gone)
		return -ENOMEM;
	if (tl_keyed_init(&table, TABLE_BITS)) {
		free_percpu(of_gone);
		return -ENOMEM;
	}
	if (tl_pool_init(&processes, "processes", sizeof(struct tl_process), POOL_LOW,
			 NULL)) {
		tl_process_exit();
		return -ENOMEM;
	}
	return 0;
}

void tl_process_exit(void)
{
	irq_work_sync(&ask_irq);
	cancel_work_sync(&ask_work);
	tl_pool_exit(&processes);
	tl_keyed_exit(&table);
	free_percpu(of_gone);
}

static void merge(u32 tier, const struct tl_usage_sums *sums)
{
	unsigned long flags;

	local_irq_save(flags);
	tl_shard_merge_usage(tier, sums);
	local_irq_restore(flags);
}

/**
 * tl_process_usage() - Tell tl_shard_merge_usage() what all known processes used
 *
 * That is since they were asked for an interval before: longer or shorter than the
 * interval being taken, which is closed late, the first by all of the quiet time, or
 * together with others. If they are asked again for the same one, as when those that are
 * known go, what they used in between is next to nothing and counts for the same time.
 *
 * Context: process, one caller at a time.
 */
void tl_process_usage(void)
{
	struct tl_usage_sums sums = { .processes = 1 };
	struct task_struct *process;
	u64 now_ns = ktime_get_ns();
	unsigned int tier;

	if (!usage_elapsed_ns) {
		usage_elapsed_ns = max_t(u64, now_ns - usage_told_ns, 1);
		usage_told_ns = now_ns;
	}
	sums.elapsed_ns = usage_elapsed_ns;
	rcu_read_lock();
	for_each_process(process) {
		tier = ask(process, &sums.cpu_ns);
		if (tier)
			merge(tier, &sums);
	}
	rcu_read_unlock();
	sums.processes = 0;
	for (tier = 1; tier < tl_tier_end(); tier++) {
		sums.cpu_ns = take_gone(tier);
		sums.request_cpu_ns = tl_usage_take_charged(tier);
		if (sums.cpu_ns | sums.request_cpu_ns)
			merge(tier, &sums);
	}
}

/**
 * tl_process_usage_close() - The same, for the last time for the interval being taken
 *
 * Context: process, one caller at a time.
 */
void tl_process_usage_close(void)
{
	tl_process_usage();
	usage_elapsed_ns = 0;
}

unsigned int tl_process_count(void)
{
	return tl_pool_used(&processes);
}
