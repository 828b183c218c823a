// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Table of threads, by task
 *
 * An entry appears with a thread's first event and goes with the thread. It is
 * found without a lock, like a connection (see conn.c), and belongs to its
 * thread alone, so it needs none. The one exception is thread.serves of a
 * process' first thread, a flag that its threads only ever set.
 */
#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/rculist_nulls.h>
#include <linux/sched.h>

#include "thread.h"

#define TABLE_BITS 12
#define POOL_LOW 256

static struct bucket {
	struct hlist_nulls_head head;
	raw_spinlock_t lock; /* protects the chain */
} *table;
static struct tl_pool tasks;

int tl_thread_init(void)
{
	unsigned int i;

	table = tl_memory_zalloc(sizeof(*table) << TABLE_BITS);
	if (!table)
		return -ENOMEM;
	for (i = 0; i < 1U << TABLE_BITS; i++) {
		INIT_HLIST_NULLS_HEAD(&table[i].head, i);
		raw_spin_lock_init(&table[i].lock);
	}
	if (tl_pool_init(&tasks, "threads", sizeof(struct tl_task), POOL_LOW, NULL)) {
		tl_thread_exit();
		return -ENOMEM;
	}
	return 0;
}

void tl_thread_exit(void)
{
	tl_pool_exit(&tasks);
	tl_memory_free(table, sizeof(*table) << TABLE_BITS);
	table = NULL;
}

static struct tl_task *find(struct bucket *bucket, const struct task_struct *task)
{
	struct hlist_nulls_node *node;
	struct tl_task *entry;

	rcu_read_lock();
restart:
	hlist_nulls_for_each_entry_rcu(entry, node, &bucket->head, node)
		if (READ_ONCE(entry->task) == task)
			goto out;
	if (get_nulls_value(node) != (unsigned long)(bucket - table))
		goto restart;
	entry = NULL;
out:
	rcu_read_unlock();
	return entry;
}

static struct tl_task *add(struct bucket *bucket, struct task_struct *task)
{
	struct tl_task *entry = tl_pool_get(&tasks), *other;

	if (!entry)
		return NULL;
	memset(&entry->thread, 0, sizeof(entry->thread));
	entry->recv_sk = NULL;
	raw_spin_lock(&bucket->lock);
	/* Threads may meet over their process' entry. */
	other = find(bucket, task);
	if (!other) {
		WRITE_ONCE(entry->task, task);
		hlist_nulls_add_head_rcu(&entry->node, &bucket->head);
	}
	raw_spin_unlock(&bucket->lock);
	if (!other)
		return entry;
	tl_pool_put(&tasks, entry);
	return other;
}

/**
 * tl_thread_get() - The entry of a task, made if need be
 * @task: current, or its group leader
 *
 * Context: task, interrupts off.
 * Return: the entry, or NULL if there is no memory left for it.
 */
struct tl_task *tl_thread_get(struct task_struct *task)
{
	struct bucket *bucket = &table[hash_ptr(task, TABLE_BITS)];
	struct tl_task *entry = find(bucket, task), *process;

	if (likely(entry))
		return entry;
	entry = add(bucket, task);
	if (!entry)
		return NULL;
	/* A leader that cannot be tracked leaves a thread on its own. */
	process = task == task->group_leader ? entry : tl_thread_get(task->group_leader);
	entry->thread.process = process ? &process->thread : &entry->thread;
	return entry;
}

/**
 * tl_thread_forget() - A task exits
 * @task: the task
 *
 * Context: task, interrupts off.
 */
void tl_thread_forget(struct task_struct *task)
{
	struct bucket *bucket = &table[hash_ptr(task, TABLE_BITS)];
	struct tl_task *entry = find(bucket, task);

	if (!entry)
		return;
	raw_spin_lock(&bucket->lock);
	hlist_nulls_del_rcu(&entry->node);
	raw_spin_unlock(&bucket->lock);
	WRITE_ONCE(entry->task, NULL);
	tl_pool_put(&tasks, entry);
}

static void forget(void *object, void *arg)
{
	struct tl_task *entry = object;
	unsigned long flags;

	local_irq_save(flags);
	if (entry->task)
		tl_thread_forget(entry->task);
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
