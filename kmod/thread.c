// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Table of threads, by task
 *
 * An entry appears with a thread's first event and goes with the thread. It
 * belongs to its thread alone, so it needs no lock.
 */
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "errand.h"
#include "frames.h"
#include "ledger.h"
#include "level.h"
#include "lock.h"
#include "scoped.h"
#include "stats.h"
#include "thread.h"
#include "usage.h"

#define THREADS_LOW 256

struct tl_keyed_table tl_threads;
DEFINE_PER_CPU(struct tl_task *, tl_thread_recent);
static struct tl_pool tasks;

int tl_thread_init(void)
{
	/* A hundredth of the memory; chains of less than five, were all the rest threads. */
	if (tl_keyed_init(&tl_threads, ilog2(tl_memory_cap() / 2048)))
		return -ENOMEM;
	if (tl_pool_init(&tasks, "threads", sizeof(struct tl_task), THREADS_LOW, NULL)) {
		tl_thread_exit();
		return -ENOMEM;
	}
	return 0;
}

void tl_thread_exit(void)
{
	tl_pool_exit(&tasks);
	tl_keyed_exit(&tl_threads);
}

/**
 * tl_thread_landed() - Where the bytes are that a thread receives
 * @task: the current thread
 * @bytes: how many of them are new
 * @where: filled
 */
void tl_thread_landed(const struct tl_task *task, u64 bytes, struct tl_class_bytes *where)
{
	u64 offset = task->recv_bytes - bytes;

	memset(where, 0, sizeof(*where));
	if (task->recv_skb) {
		where->skb = task->recv_skb;
		where->offset = task->recv_offset;
		where->n = min_t(u64, bytes, UINT_MAX);
	} else if (task->recv_base && task->recv_bytes >= bytes && offset < task->recv_room) {
		where->user = task->recv_base + offset;
		where->n = min3(bytes, task->recv_room - offset, (u64)UINT_MAX);
		where->part = where->n < bytes;
	}
}

/* The slow part of tl_thread_get(). */
struct tl_task *tl_thread_add(struct task_struct *task)
{
	struct tl_keyed_bucket *bucket = tl_keyed_bucket(&tl_threads, task);
	struct tl_task *entry = tl_pool_get(&tasks);

	if (!entry)
		return NULL;
	memset((char *)entry + sizeof(entry->keyed), 0, sizeof(*entry) - sizeof(entry->keyed));
	entry->epoch = READ_ONCE(tl_level_epoch);
	tl_usage_now(&entry->last, ktime_get_mono_fast_ns());
	if (static_branch_unlikely(&tl_scoped_on))
		tl_scoped_skip();
	/* A process that cannot be tracked leaves a thread on its own. */
	entry->process = tl_process_get(task);
	entry->thread.process = entry->process ? &entry->process->thread : &entry->thread;
	if (!entry->process)
		this_cpu_inc(tl_stats.loss[TL_LOSS_THREADS_FULL]);
	tl_spin_lock(&bucket->lock);
	tl_keyed_link(bucket, &entry->keyed, task);
	tl_spin_unlock(&bucket->lock);
	return entry;
}

static void forget_entry(struct tl_task *entry)
{
	struct tl_keyed_bucket *bucket = tl_keyed_bucket(&tl_threads, entry->keyed.key);

	tl_spin_lock(&bucket->lock);
	tl_keyed_unlink(bucket, &entry->keyed);
	tl_spin_unlock(&bucket->lock);
	tl_errand_put(entry->errand);
	tl_ledger_forget(entry);
	tl_frames_forget(entry);
	if (entry->process)
		tl_process_put(entry->process);
	tl_pool_put(&tasks, entry);
}

/**
 * tl_thread_forget() - A task exits
 * @task: the task
 *
 * Context: task, interrupts off.
 */
void tl_thread_forget(struct task_struct *task)
{
	struct tl_task *entry = tl_thread_find(task);

	if (entry)
		forget_entry(entry);
}

static void forget(void *object, void *arg)
{
	struct tl_task *entry = object;
	unsigned long flags;

	local_irq_save(flags);
	if (entry->keyed.key)
		forget_entry(entry);
	local_irq_restore(flags);
}

/**
 * tl_thread_forget_all() - Empty the table
 *
 * Context: process; no hook is armed.
 */
void tl_thread_forget_all(void)
{
	tl_pool_for_each(&tasks, forget, NULL);
}

unsigned int tl_thread_count(void)
{
	return tl_pool_used(&tasks);
}
