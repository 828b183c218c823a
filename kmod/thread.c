// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Table of threads, by task
 *
 * An entry appears with a thread's first event and goes with the thread. It is
 * found without a lock, like a connection (see conn.c), and belongs to its
 * thread alone, so it needs none. What a process' threads share, thread.serves,
 * is in an entry of its own, found by signal_struct and counted: the first thread
 * may go before the others, or lose its place to one that calls exec().
 */
#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/rculist_nulls.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "thread.h"

#define TABLE_BITS 12
#define POOL_LOW 256

static struct bucket {
	struct hlist_nulls_head head;
	raw_spinlock_t lock; /* protects the chain */
} *table;
static struct tl_pool tasks;
static struct tl_pool processes; /* same type, by signal_struct; only thread.serves is used */

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
	if (tl_pool_init(&tasks, "threads", sizeof(struct tl_task), POOL_LOW, NULL) ||
	    tl_pool_init(&processes, "processes", sizeof(struct tl_task), POOL_LOW, NULL)) {
		tl_thread_exit();
		return -ENOMEM;
	}
	return 0;
}

void tl_thread_exit(void)
{
	tl_pool_exit(&processes);
	tl_pool_exit(&tasks);
	tl_memory_free(table, sizeof(*table) << TABLE_BITS);
	table = NULL;
}

static struct bucket *bucket_of(const void *key)
{
	return &table[hash_ptr(key, TABLE_BITS)];
}

static struct tl_task *find(struct bucket *bucket, const void *key)
{
	struct hlist_nulls_node *node;
	struct tl_task *entry;

	rcu_read_lock();
restart:
	hlist_nulls_for_each_entry_rcu(entry, node, &bucket->head, node)
		if (READ_ONCE(entry->key) == key)
			goto out;
	if (get_nulls_value(node) != (unsigned long)(bucket - table))
		goto restart;
	entry = NULL;
out:
	rcu_read_unlock();
	return entry;
}

static void link(struct bucket *bucket, struct tl_task *entry, const void *key)
{
	lockdep_assert_held(&bucket->lock);
	WRITE_ONCE(entry->key, key);
	hlist_nulls_add_head_rcu(&entry->node, &bucket->head);
}

static void unlink(struct bucket *bucket, struct tl_task *entry)
{
	lockdep_assert_held(&bucket->lock);
	hlist_nulls_del_rcu(&entry->node);
	WRITE_ONCE(entry->key, NULL);
}

/* What the threads of a process share; it outlives its first thread, and exec(). */
static struct tl_task *process_get(const void *key)
{
	struct bucket *bucket = bucket_of(key);
	struct tl_task *entry, *fresh = tl_pool_get(&processes);

	raw_spin_lock(&bucket->lock);
	entry = find(bucket, key);
	if (!entry && fresh) {
		entry = fresh;
		fresh = NULL;
		memset(&entry->thread, 0, sizeof(entry->thread));
		entry->uses = 0;
		link(bucket, entry, key);
	}
	if (entry)
		entry->uses++;
	raw_spin_unlock(&bucket->lock);
	if (fresh)
		tl_pool_put(&processes, fresh);
	return entry;
}

static void process_put(struct tl_task *entry)
{
	struct bucket *bucket = bucket_of(entry->key);
	bool last;

	raw_spin_lock(&bucket->lock);
	last = !--entry->uses;
	if (last)
		unlink(bucket, entry);
	raw_spin_unlock(&bucket->lock);
	if (last)
		tl_pool_put(&processes, entry);
}

/**
 * tl_thread_get() - The entry of the current task, made if need be
 * @task: current
 *
 * Context: task, interrupts off.
 * Return: the entry, or NULL if there is no memory left for it.
 */
struct tl_task *tl_thread_get(struct task_struct *task)
{
	struct bucket *bucket = bucket_of(task);
	struct tl_task *entry = find(bucket, task);

	if (likely(entry))
		return entry;
	entry = tl_pool_get(&tasks);
	if (!entry)
		return NULL;
	memset(&entry->thread, 0, sizeof(entry->thread));
	entry->recv_sk = NULL;
	/* A process that cannot be tracked leaves a thread on its own. */
	entry->process = process_get(task->signal);
	entry->thread.process = entry->process ? &entry->process->thread : &entry->thread;
	raw_spin_lock(&bucket->lock);
	link(bucket, entry, task);
	raw_spin_unlock(&bucket->lock);
	return entry;
}

static void forget_entry(struct tl_task *entry)
{
	struct bucket *bucket = bucket_of(entry->key);

	raw_spin_lock(&bucket->lock);
	unlink(bucket, entry);
	raw_spin_unlock(&bucket->lock);
	if (entry->process)
		process_put(entry->process);
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
	struct tl_task *entry = find(bucket_of(task), task);

	if (entry)
		forget_entry(entry);
}

static void forget(void *object, void *arg)
{
	struct tl_task *entry = object;
	unsigned long flags;

	local_irq_save(flags);
	if (entry->key)
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
