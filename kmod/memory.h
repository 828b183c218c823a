/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MEMORY_H
#define TL_MEMORY_H

#include <linux/irq_work.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

bool tl_memory_charge(size_t bytes);
void tl_memory_uncharge(size_t bytes);
u64 tl_memory_used(void);
u64 tl_memory_cap(void);
void *tl_memory_zalloc(size_t bytes);
void tl_memory_free(void *p, size_t bytes);

/* First member of everything that comes from a pool. */
struct tl_pool_item {
	struct tl_pool_item *next;
};

/* Objects of one size whose memory stays theirs until the module goes. */
struct tl_pool {
	const char *name;
	size_t size;
	unsigned int low; /* refill when fewer are free */
	void (*construct)(void *object);
	raw_spinlock_t lock; /* protects what follows, up to retry */
	struct tl_pool_item *free; /* that came back */
	unsigned int nfree; /* with those that nobody has had */
	unsigned int total;
	struct tl_pool_chunk *chunks;
	struct tl_pool_chunk **end; /* where the next one goes */
	struct tl_pool_chunk *fresh; /* the first with an object that nobody has had */
	unsigned long retry; /* jiffies before which growing is not tried again */
	struct irq_work refill_irq;
	struct work_struct refill;
};

int tl_pool_init(struct tl_pool *pool, const char *name, size_t size, unsigned int low,
		 void (*construct)(void *object));
void tl_pool_exit(struct tl_pool *pool);
void tl_pool_reserve(struct tl_pool *pool, unsigned int n);
void *tl_pool_get(struct tl_pool *pool);
void tl_pool_put(struct tl_pool *pool, void *object);
unsigned int tl_pool_used(struct tl_pool *pool);
void tl_pool_for_each(struct tl_pool *pool, void (*visit)(void *object, void *arg), void *arg);

#endif
