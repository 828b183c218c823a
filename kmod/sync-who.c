// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whose sync points are recorded: chosen processes, those that they fork, and an entry
 * for each of their threads
 *
 * The list of processes only grows while hooks are armed, and what is on it stays: a
 * number is stored before the count is released. A thread takes a free entry of its bucket by
 * swapping its number in, and gives it back when it ends; nobody else looks into it. Where a
 * thread finds no room, each time takes a number that nobody writes: so it is known that
 * something was lost.
 */
#include <linux/hash.h>
#include <linux/netlink.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <uapi/linux/tierlens.h>

#include "sync-who.h"

#define BUCKET_BITS 9
#define WAYS 8

static struct {
	pid_t tgid[TIERLENS_SYNC_PROCESSES_MAX];
	/* Only compared; NULL: of a fork. */
	const struct mm_struct *mm[TIERLENS_SYNC_PROCESSES_MAX];
	unsigned int n;
} chosen;
static DEFINE_RAW_SPINLOCK(lock); /* protects adding to chosen */

static struct tl_sync_thread (*buckets)[WAYS];

static void add(pid_t tgid, const struct mm_struct *mm)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	if (chosen.n < ARRAY_SIZE(chosen.tgid)) {
		chosen.tgid[chosen.n] = tgid;
		chosen.mm[chosen.n] = mm;
		/* Pairs with those who look: what stands there is whole. */
		smp_store_release(&chosen.n, chosen.n + 1);
	}
	raw_spin_unlock_irqrestore(&lock, flags);
}

static int add_process(u32 number, struct netlink_ext_ack *extack)
{
	struct pid *pid = find_get_pid(number);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	struct mm_struct *mm;

	put_pid(pid);
	if (!task) {
		NL_SET_ERR_MSG(extack, "there is no such process: look at its number again");
		return -ESRCH;
	}
	mm = get_task_mm(task);
	if (mm) {
		add(task->tgid, mm);
		mmput(mm);
	} else {
		NL_SET_ERR_MSG(extack,
			       "a process is a thread of the kernel, or ends: leave it out");
	}
	put_task_struct(task);
	return mm ? 0 : -ESRCH;
}

/**
 * tl_sync_who_init() - Choose processes
 * @processes: numbers in the current namespace
 * @n: how many, up to TIERLENS_SYNC_PROCESSES_MAX
 * @extack: told what is wrong
 *
 * Context: process; no hook is armed.
 * Return: 0, -ESRCH or -ENOMEM.
 */
int tl_sync_who_init(const u32 *processes, unsigned int n, struct netlink_ext_ack *extack)
{
	unsigned int i;
	int ret = 0;

	chosen.n = 0;
	for (i = 0; i < n && !ret; i++)
		ret = add_process(processes[i], extack);
	if (ret)
		return ret;
	buckets = vzalloc(sizeof(*buckets) << BUCKET_BITS);
	return buckets ? 0 : -ENOMEM;
}

void tl_sync_who_exit(void)
{
	vfree(buckets);
	buckets = NULL;
}

/* Context: any. */
bool tl_sync_is_chosen(const struct task_struct *task)
{
	/* Pairs with add(). */
	unsigned int i, n = smp_load_acquire(&chosen.n);

	for (i = 0; i < n; i++)
		if (chosen.tgid[i] == task->tgid)
			return true;
	return false;
}

/* Whether the library's functions are watched in this memory. Context: any. */
bool tl_sync_is_chosen_mm(const struct mm_struct *mm)
{
	/* Pairs with add(). */
	unsigned int i, n = smp_load_acquire(&chosen.n);

	for (i = 0; i < n; i++)
		if (chosen.mm[i] == mm)
			return true;
	return false;
}

/**
 * tl_sync_choose() - Record a process's, too
 * @task: a thread of it, which has not run yet
 *
 * Context: any. One that has no room any more is not recorded.
 */
void tl_sync_choose(const struct task_struct *task)
{
	if (!tl_sync_is_chosen(task))
		add(task->tgid, NULL);
}

static struct tl_sync_thread *find(u32 tid)
{
	struct tl_sync_thread *way = buckets[hash_32(tid, BUCKET_BITS)];
	unsigned int i;

	for (i = 0; i < WAYS; i++)
		if (atomic_read(&way[i].tid) == tid)
			return &way[i];
	return NULL;
}

static struct tl_sync_thread *take(u32 tid)
{
	struct tl_sync_thread *way = buckets[hash_32(tid, BUCKET_BITS)];
	unsigned int i;

	for (i = 0; i < WAYS; i++)
		if (!atomic_read(&way[i].tid) && !atomic_cmpxchg(&way[i].tid, 0, tid))
			return &way[i];
	return NULL;
}

/**
 * tl_sync_thread() - The entry of the current thread, whose process is chosen
 *
 * Context: task.
 * Return: NULL if there is no room, which is counted.
 */
struct tl_sync_thread *tl_sync_thread(void)
{
	struct tl_sync_thread *thread = find(current->pid);

	if (!thread)
		thread = take(current->pid);
	if (unlikely(!thread))
		tl_sync_point_number();
	return thread;
}

/* The current thread ends. Context: task. */
void tl_sync_thread_gone(void)
{
	struct tl_sync_thread *thread = find(current->pid);

	if (!thread)
		return;
	thread->in_call = false;
	thread->in_library = false;
	thread->cpu_ns = 0;
	thread->objects[0] = 0;
	thread->objects[1] = 0;
	atomic_set_release(&thread->tid, 0);
}

/**
 * tl_sync_threads_walk() - Look at all entries
 * @each: called for each
 *
 * Context: process.
 */
void tl_sync_threads_walk(void (*each)(struct tl_sync_thread *thread))
{
	struct tl_sync_thread *thread = buckets[0], *end = buckets[1 << BUCKET_BITS];

	for (; thread < end; thread++)
		if (atomic_read(&thread->tid))
			each(thread);
}
