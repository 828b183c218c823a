// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One cap over all memory, and pools that handlers can take from
 *
 * A handler may not allocate, so pools keep free objects ready and grow in a
 * work item when few are left. Memory of a pool is type-stable: an object that
 * was given back may be handed out again, but it never becomes anything else
 * before the pool goes. That is what lets other objects keep a pointer and a
 * sequence number instead of a reference count, and readers walk hash chains
 * without locks.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "lock.h"
#include "memory.h"

#define CHUNK_BYTES (64 * 1024)

static unsigned long memory_mib = 32;
module_param(memory_mib, ulong, 0444);
MODULE_PARM_DESC(memory_mib, "cap on all memory of the module, MiB (default 32)");

static atomic64_t used;

struct tl_pool_chunk {
	struct tl_pool_chunk *next;
	unsigned int count;
	unsigned int begun; /* objects that somebody has had, from the first on */
	u8 objects[] __aligned(64);
};

u64 tl_memory_cap(void)
{
	return (u64)clamp(memory_mib, 4UL, 1UL << 20) << 20;
}

u64 tl_memory_used(void)
{
	return atomic64_read(&used);
}

/**
 * tl_memory_charge() - Count memory against the cap
 * @bytes: how much is about to be allocated
 *
 * Context: any.
 * Return: false, and nothing counted, if the cap would be passed.
 */
bool tl_memory_charge(size_t bytes)
{
	if (atomic64_add_return(bytes, &used) <= tl_memory_cap())
		return true;
	atomic64_sub(bytes, &used);
	return false;
}

void tl_memory_uncharge(size_t bytes)
{
	atomic64_sub(bytes, &used);
}

/**
 * tl_memory_zalloc() - Allocate under the cap
 * @bytes: how much
 *
 * Context: process, may sleep.
 * Return: zeroed memory, or NULL if the cap or the machine's memory is reached.
 */
void *tl_memory_zalloc(size_t bytes)
{
	void *p;

	if (!tl_memory_charge(bytes))
		return NULL;
	/* Who asks counts what he has not got, or says so himself: no traces in the log. */
	p = kvzalloc(bytes, GFP_KERNEL | __GFP_NOWARN);
	if (!p)
		tl_memory_uncharge(bytes);
	return p;
}

void tl_memory_free(void *p, size_t bytes)
{
	if (!p)
		return;
	kvfree(p);
	tl_memory_uncharge(bytes);
}

static bool pool_grow(struct tl_pool *pool)
{
	struct tl_pool_chunk *chunk = tl_memory_zalloc(CHUNK_BYTES);
	unsigned long flags;
	unsigned int i;

	if (!chunk)
		return false;
	chunk->count = (CHUNK_BYTES - sizeof(*chunk)) / pool->size;
	if (pool->construct)
		for (i = 0; i < chunk->count; i++)
			pool->construct(chunk->objects + i * pool->size);

	raw_spin_lock_irqsave(&pool->lock, flags);
	pool->nfree += chunk->count;
	pool->total += chunk->count;
	/* Pairs with tl_pool_for_each(), which walks without the lock. */
	smp_store_release(pool->end, chunk);
	pool->end = &chunk->next;
	if (!pool->fresh)
		pool->fresh = chunk;
	raw_spin_unlock_irqrestore(&pool->lock, flags);
	return true;
}

static void pool_refill(struct work_struct *work)
{
	struct tl_pool *pool = container_of(work, struct tl_pool, refill);

	while (READ_ONCE(pool->nfree) < max(pool->low, READ_ONCE(pool->total) / 4))
		if (!pool_grow(pool)) {
			/* At the cap every take would ask again. */
			WRITE_ONCE(pool->retry, jiffies + HZ);
			return;
		}
}

/* The way from a handler, in whatever context, to the workqueue. */
static void pool_refill_irq(struct irq_work *work)
{
	struct tl_pool *pool = container_of(work, struct tl_pool, refill_irq);

	queue_work(system_unbound_wq, &pool->refill);
}

/**
 * tl_pool_init() - Make a pool with some objects in it
 * @pool: the pool
 * @name: for people
 * @size: of an object; its first member is a struct tl_pool_item
 * @low: it grows when fewer are free
 * @construct: called once for each new object, zeroed before; may be NULL
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int tl_pool_init(struct tl_pool *pool, const char *name, size_t size, unsigned int low,
		 void (*construct)(void *object))
{
	memset(pool, 0, sizeof(*pool));
	pool->name = name;
	pool->size = ALIGN(size, 64);
	pool->low = low;
	pool->construct = construct;
	pool->retry = jiffies;
	pool->end = &pool->chunks;
	raw_spin_lock_init(&pool->lock);
	init_irq_work(&pool->refill_irq, pool_refill_irq);
	INIT_WORK(&pool->refill, pool_refill);
	while (pool->nfree < low)
		if (!pool_grow(pool)) {
			tl_pool_exit(pool);
			return -ENOMEM;
		}
	return 0;
}

/**
 * tl_pool_exit() - Give a pool's memory back
 * @pool: the pool; nobody uses it or what came from it any more
 *
 * Context: process, may sleep.
 */
void tl_pool_exit(struct tl_pool *pool)
{
	struct tl_pool_chunk *chunk = pool->chunks, *next;

	if (!pool->size)
		return;
	irq_work_sync(&pool->refill_irq);
	cancel_work_sync(&pool->refill);
	for (; chunk; chunk = next) {
		next = chunk->next;
		tl_memory_free(chunk, CHUNK_BYTES);
	}
	memset(pool, 0, sizeof(*pool));
}

/**
 * tl_pool_reserve() - Have so many objects free, within half of the cap
 * @pool: the pool
 * @n: how many
 *
 * Context: process, may sleep.
 */
void tl_pool_reserve(struct tl_pool *pool, unsigned int n)
{
	while (READ_ONCE(pool->nfree) < n && tl_memory_used() < tl_memory_cap() / 2 &&
	       pool_grow(pool))
		cond_resched();
}

/* One that nobody has had. Those that came back go first, so that few have ever been had. */
static noinline struct tl_pool_item *take_fresh(struct tl_pool *pool)
{
	struct tl_pool_chunk *chunk = pool->fresh;
	unsigned int i;

	lockdep_assert_held(&pool->lock);
	if (!chunk)
		return NULL;
	i = chunk->begun;
	WRITE_ONCE(chunk->begun, i + 1);
	if (i + 1 == chunk->count)
		pool->fresh = chunk->next;
	return (void *)(chunk->objects + i * pool->size);
}

/**
 * tl_pool_get() - Take an object; what it held before is still in it
 * @pool: the pool
 *
 * Context: any but NMI; interrupts are off.
 * Return: the object, or NULL if none is left.
 */
void *tl_pool_get(struct tl_pool *pool)
{
	struct tl_pool_item *item = NULL;
	bool low = true;

	lockdep_assert_irqs_disabled();
	/* At the cap, no event waits for a lock that all want, to be told that there is nothing. */
	if (likely(READ_ONCE(pool->nfree))) {
		tl_spin_lock(&pool->lock);
		item = pool->free;
		if (likely(item))
			pool->free = item->next;
		else
			item = take_fresh(pool);
		pool->nfree -= !!item;
		low = pool->nfree < pool->low;
		tl_spin_unlock(&pool->lock);
	}
	if (unlikely(low) && time_after_eq(jiffies, READ_ONCE(pool->retry)))
		irq_work_queue(&pool->refill_irq);
	return item;
}

/**
 * tl_pool_put() - Give an object back
 * @pool: the pool
 * @object: the object
 *
 * Context: any but NMI; interrupts are off.
 */
void tl_pool_put(struct tl_pool *pool, void *object)
{
	struct tl_pool_item *item = object;

	lockdep_assert_irqs_disabled();
	tl_spin_lock(&pool->lock);
	item->next = pool->free;
	pool->free = item;
	pool->nfree++;
	tl_spin_unlock(&pool->lock);
}

unsigned int tl_pool_used(struct tl_pool *pool)
{
	return READ_ONCE(pool->total) - READ_ONCE(pool->nfree);
}

/**
 * tl_pool_for_each() - Visit all objects that were ever taken, free or not
 * @pool: the pool
 * @visit: called for each; tells by itself which are in use, and locks
 * @arg: handed on
 *
 * What is kept ready and was never needed is not touched: intervals are closed by this.
 *
 * Context: process, may sleep between chunks.
 */
void tl_pool_for_each(struct tl_pool *pool, void (*visit)(void *object, void *arg), void *arg)
{
	struct tl_pool_chunk *const *at = &pool->chunks, *chunk;
	unsigned int i, begun;

	/*
	 * Chunks are only ever added, at the end, and begun one after the other.
	 * Pairs with the release in pool_grow().
	 */
	while ((chunk = smp_load_acquire(at))) {
		at = &chunk->next;
		begun = READ_ONCE(chunk->begun);
		if (!begun)
			return;
		for (i = 0; i < begun; i++)
			visit(chunk->objects + i * pool->size, arg);
		cond_resched();
	}
}
