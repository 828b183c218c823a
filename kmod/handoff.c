// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Work that comes back from thread to thread
 *
 * A thread that has received a request lets another one work for it, and answers
 * itself when that has come back. Which job a thread takes out of the program's
 * memory cannot be seen. But each comes back by itself: the thread puts its result
 * somewhere and writes to an eventfd or pipe that the first one reads. That one
 * then takes all results that are there and answers. Which result is whose, the
 * ledger of the thread that reads tells, see ledger.c and core/order.c.
 *
 * Results come to it with what it reads, and those that were written since then
 * when its turn ends, for it may have taken them as well: if it is the only one
 * that reads there.
 *
 * A thread that waits for a futex with a request of its own, and is woken by one
 * that has run an errand, waited for that.
 *
 * Eventfds and pipes are known by address; what was written to them is kept in
 * order until it is read, up to a bound, under the lock of a bucket. No other lock
 * is taken inside it.
 */
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "conn.h"
#include "errand.h"
#include "handoff.h"
#include "ledger.h"
#include "lock.h"
#include "stats.h"
#include "turn.h"

#define BUCKET_BITS 6
#define OBJECTS 2 /* of one bucket */
#define SEVERAL ((const struct tl_task *)-1L) /* threads read there */
#define DEPTH 64 /* unread writes of one object */

/* What one write stands for. */
struct item {
	struct tl_told told;
	u32 bytes;
};

static struct bucket {
	raw_spinlock_t lock; /* protects the rest */
	struct object {
		const void *key; /* NULL: free */
		const struct tl_task *reader; /* of all; NULL: not known; SEVERAL */
		unsigned int n;
		struct item items[DEPTH];
	} objects[OBJECTS];
} *buckets;

int tl_handoff_init(void)
{
	unsigned int i;

	buckets = tl_memory_zalloc(sizeof(*buckets) << BUCKET_BITS);
	if (!buckets)
		return -ENOMEM;
	for (i = 0; i < 1U << BUCKET_BITS; i++)
		raw_spin_lock_init(&buckets[i].lock);
	if (tl_ledger_init()) {
		tl_handoff_exit();
		return -ENOMEM;
	}
	return 0;
}

void tl_handoff_exit(void)
{
	tl_ledger_exit();
	tl_memory_free(buckets, sizeof(*buckets) << BUCKET_BITS);
	buckets = NULL;
}

static struct bucket *bucket_of(const void *key)
{
	return &buckets[hash_ptr(key, BUCKET_BITS)];
}

static struct object *find(struct bucket *bucket, const void *key)
{
	unsigned int i;

	lockdep_assert_held(&bucket->lock);
	for (i = 0; i < OBJECTS; i++)
		if (bucket->objects[i].key == key)
			return &bucket->objects[i];
	return NULL;
}

/* Without unread writes an object is as good as none. */
static struct object *find_or_take(struct bucket *bucket, const void *key)
{
	struct object *object = find(bucket, key);
	unsigned int i;

	for (i = 0; !object && i < OBJECTS; i++)
		if (!bucket->objects[i].n)
			object = &bucket->objects[i];
	if (object && object->key != key) {
		object->key = key;
		object->reader = NULL;
	}
	return object;
}

static struct item pop(struct object *object)
{
	struct item item = object->items[0];

	object->n--;
	memmove(object->items, object->items + 1, object->n * sizeof(object->items[0]));
	return item;
}

/* Takes the thread's errand, if it hands one back. */
static bool leave(struct tl_task *task, struct tl_told *told)
{
	struct tl_request *request;
	bool own;

	/* Who answers by himself hands nothing back. */
	if (!task->hands_back || task->thread.answers)
		return false;
	request = tl_conn_lock_request(task->thread.current_request);
	own = request && !request->errand;
	tl_conn_unlock_request(request);
	if (own)
		return false;
	told->when.told_ns = ktime_get_mono_fast_ns();
	/* Of work without calls nobody knows when it was done: after what was before. */
	told->when.done_ns = task->told_ns;
	task->told_ns = told->when.told_ns;
	/* One that is not current is another job's; this one has made no calls, then. */
	if (task->errand.request == task->thread.current_request.request &&
	    task->errand.seq == task->thread.current_request.seq) {
		told->errand = task->errand;
		task->errand.request = NULL;
	}
	if (told->errand.request)
		tl_errand_times(told->errand, &told->when.begin_ns, &told->when.done_ns);
	task->thread.current_request.request = NULL;
	return true;
}

/**
 * tl_handoff_wrote() - The current thread writes to an eventfd or pipe
 * @task: the current thread
 * @key: which
 * @bytes: how many
 *
 * Context: task, interrupts off; no connection's lock is held.
 */
void tl_handoff_wrote(struct tl_task *task, const void *key, u64 bytes)
{
	struct item item = { .bytes = bytes }, gone = {};
	struct bucket *bucket = bucket_of(key);
	struct object *object;

	if (!leave(task, &item.told))
		return;
	tl_spin_lock(&bucket->lock);
	object = find_or_take(bucket, key);
	/* Nobody reads it, or it is not for this: the oldest goes. */
	if (object && object->n == DEPTH) {
		gone = pop(object);
		object->items[0].told.missed = true;
	}
	if (object)
		object->items[object->n++] = item;
	tl_spin_unlock(&bucket->lock);
	if (!object)
		gone = item;
	if (gone.told.errand.request)
		this_cpu_inc(tl_stats.loss[TL_LOSS_HANDOFFS_DROPPED]);
	tl_errand_put(gone.told.errand);
}

static void note_reader(struct object *object, const struct tl_task *task)
{
	object->reader = !object->reader || object->reader == task ? task : SEVERAL;
}

/* Takes what was written, at most @bytes of it; if @more, what is to be read later. */
static void take(struct tl_task *task, const void *key, u64 bytes, bool more)
{
	struct bucket *bucket = bucket_of(key);
	unsigned int left = DEPTH; /* what is written meanwhile is for the next read */
	struct object *object;
	struct item item;

	while (left--) {
		tl_spin_lock(&bucket->lock);
		object = find(bucket, key);
		if (object && !more)
			note_reader(object, task);
		if (!object || !object->n || object->items[0].bytes > bytes ||
		    (more && object->reader != task)) {
			tl_spin_unlock(&bucket->lock);
			return;
		}
		item = pop(object);
		tl_spin_unlock(&bucket->lock);
		bytes -= item.bytes;
		tl_ledger_told(task, key, &item.told);
	}
}

/**
 * tl_handoff_reads() - The current thread begins to read an eventfd or pipe
 * @task: the current thread
 * @key: which
 * @bytes: how many it would take; 0 of an eventfd, which is read as a whole
 *
 * An event loop does so when something is there; others will wait for it.
 *
 * Context: task, interrupts off; no connection's lock is held.
 */
void tl_handoff_reads(struct tl_task *task, const void *key, u64 bytes)
{
	if (!bytes)
		bytes = U64_MAX;
	if (task->thread.dispatches) {
		take(task, key, bytes, false);
		return;
	}
	tl_handoff_settle(task);
	tl_turn_waits(task);
	task->reading = key;
	task->reading_bytes = bytes;
}

/* After tl_handoff_reads() of one that waited. */
void tl_handoff_took(struct tl_task *task)
{
	const void *key = task->reading;

	task->reading = NULL;
	take(task, key, task->reading_bytes, false);
}

/* It waited, with a request of its own, for what the current thread has done. */
static void finish(struct tl_task *task, struct tl_request_ref waiting)
{
	struct tl_request_ref errand = task->errand;
	struct tl_request *request;
	bool waits;

	request = tl_conn_lock_request(waiting);
	waits = request && !request->errand && request->state == TL_REQUEST_OPEN;
	if (waits)
		tl_errand_adopt(container_of(request, struct tl_server, request), errand,
				TL_BY_HANDOFF);
	tl_conn_unlock_request(request);
	/* If it could not be, it is mixed, or another's: in any case it is over. */
	if (!waits)
		return;
	task->errand.request = NULL;
	task->thread.current_request.request = NULL;
	tl_errand_put(errand);
}

/**
 * tl_handoff_wakes() - The current thread wakes another one
 * @task: the current thread, in futex_wake() and with an errand
 * @woken: whom
 *
 * Context: task, interrupts off; the scheduler holds locks, so none of ours is
 * ever held while something is woken.
 */
void tl_handoff_wakes(struct tl_task *task, struct task_struct *woken)
{
	const struct tl_task *other = tl_thread_find(woken);
	u64 begin_ns, last_ns;

	/* It sleeps, so its entry does not change; a wrong hint would do no harm. */
	if (!other || !task->process || other->process != task->process ||
	    READ_ONCE(other->futex) != TL_FUTEX_WAITS)
		return;
	tl_errand_times(task->errand, &begin_ns, &last_ns);
	/* Who began to wait later waits for something else, a lock perhaps. */
	if (READ_ONCE(other->futex_ns) <= last_ns)
		finish(task, other->thread.current_request);
}

/**
 * tl_handoff_settle() - The current thread's turn is over
 * @task: the current thread
 *
 * Context: task, interrupts off; no connection's lock is held.
 */
void tl_handoff_settle(struct tl_task *task)
{
	const void *key;

	if (!task->ledger)
		return;
	key = tl_ledger_key(task);
	/* Who waits in read() for one after the other has taken what he has read. */
	if (key && task->thread.dispatches)
		take(task, key, U64_MAX, true);
	tl_ledger_settle(task);
}

/* Drops what was written to @key. Between two items another may take its place. */
static void empty(struct bucket *bucket, const void *key)
{
	struct object *object;
	struct item item;
	unsigned long flags;

	for (;;) {
		raw_spin_lock_irqsave(&bucket->lock, flags);
		object = find(bucket, key);
		if (!object || !object->n) {
			if (object)
				object->key = NULL;
			raw_spin_unlock_irqrestore(&bucket->lock, flags);
			return;
		}
		item = pop(object);
		raw_spin_unlock_irqrestore(&bucket->lock, flags);
		local_irq_save(flags);
		tl_errand_put(item.told.errand);
		local_irq_restore(flags);
	}
}

/**
 * tl_handoff_closed() - An eventfd or pipe is gone
 * @key: which
 *
 * Context: task, interrupts off; no connection's lock is held.
 */
void tl_handoff_closed(const void *key)
{
	empty(bucket_of(key), key);
}

/**
 * tl_handoff_forget_all() - Empty the table
 *
 * Context: process; no hook is armed.
 */
void tl_handoff_forget_all(void)
{
	unsigned int i, j;

	for (i = 0; i < 1U << BUCKET_BITS; i++)
		for (j = 0; j < OBJECTS; j++)
			if (buckets[i].objects[j].key)
				empty(&buckets[i], buckets[i].objects[j].key);
}

/**
 * tl_handoff_count() - How many writes are kept that nobody has read
 *
 * Context: process.
 */
unsigned int tl_handoff_count(void)
{
	unsigned int i, j, n = 0;
	unsigned long flags;

	for (i = 0; i < 1U << BUCKET_BITS; i++) {
		raw_spin_lock_irqsave(&buckets[i].lock, flags);
		for (j = 0; j < OBJECTS; j++)
			n += buckets[i].objects[j].n;
		raw_spin_unlock_irqrestore(&buckets[i].lock, flags);
	}
	return n;
}
