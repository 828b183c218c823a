// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Work that comes back from thread to thread
 *
 * A thread that has received a request lets another one work for it, and answers
 * itself when that has come back. Which job a thread takes out of the program's
 * memory cannot be seen, and the order in which several begin says little: they
 * are woken at once. But each comes back by itself: the thread puts its result
 * somewhere and writes to an eventfd or pipe that the first one reads. That one
 * then takes all results that are there and answers, in order. So in one turn its
 * k-th answer belongs to the k-th write, and there are as many of one as of the
 * other; or some more answers, whose writes come right after and are seen in its
 * next turn. Those are believed only if their last calls ended after those of all
 * before, for a thread may also have been held up between its result and its word.
 *
 * Whatever does not fit stays unattributed.
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
#include "stats.h"
#include "turn.h"

#define BUCKET_BITS 6
#define OBJECTS 2 /* of one bucket */
#define DEPTH 64 /* unread writes of one object */
#define LEDGER 64 /* errands and answers of one thread that are not settled */

/* What one write stands for. */
struct item {
	struct tl_request_ref errand; /* used by this; empty: work without calls */
	u64 last_ns; /* end of its last call */
	u32 bytes;
};

static struct bucket {
	raw_spinlock_t lock; /* protects the rest */
	struct object {
		const void *key; /* NULL: free */
		unsigned int n;
		struct item items[DEPTH];
	} objects[OBJECTS];
} *buckets;

/* What a thread was told of and what it has answered, in order. */
struct tl_ledger {
	struct tl_pool_item item;
	unsigned int taken_used;
	unsigned int answered_used;
	unsigned int before_taken; /* of the turn before, when answers were more */
	unsigned int before_answered;
	unsigned int owed; /* writes to come that nobody waits for any more */
	bool full; /* something is missing */
	bool own; /* of the answers, some may be to work of the thread's own */
	struct item taken[LEDGER];
	struct tl_request_ref answered[LEDGER];
};

static struct tl_pool ledgers;

int tl_handoff_init(void)
{
	unsigned int i;

	buckets = tl_memory_zalloc(sizeof(*buckets) << BUCKET_BITS);
	if (!buckets)
		return -ENOMEM;
	for (i = 0; i < 1U << BUCKET_BITS; i++)
		raw_spin_lock_init(&buckets[i].lock);
	if (tl_pool_init(&ledgers, "ledgers", sizeof(struct tl_ledger), 8, NULL)) {
		tl_handoff_exit();
		return -ENOMEM;
	}
	return 0;
}

void tl_handoff_exit(void)
{
	tl_pool_exit(&ledgers);
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
	if (object)
		object->key = key;
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
static bool leave(struct tl_task *task, struct item *item)
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
	item->last_ns = ktime_get_mono_fast_ns();
	/* One that is not current is another job's; this one has made no calls, then. */
	if (task->errand.request == task->thread.current_request.request &&
	    task->errand.seq == task->thread.current_request.seq) {
		item->errand = task->errand;
		task->errand.request = NULL;
	}
	if (item->errand.request)
		item->last_ns = tl_errand_last_ns(item->errand);
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

	if (!leave(task, &item))
		return;
	raw_spin_lock(&bucket->lock);
	object = find_or_take(bucket, key);
	/* Nobody reads it, or it is not for this: the oldest goes. */
	if (object && object->n == DEPTH)
		gone = pop(object);
	if (object)
		object->items[object->n++] = item;
	raw_spin_unlock(&bucket->lock);
	if (!object)
		gone = item;
	if (gone.errand.request)
		this_cpu_inc(tl_stats.loss[TL_LOSS_HANDOFFS_DROPPED]);
	tl_errand_put(gone.errand);
}

/* An item has come to the thread. */
static void receive(struct tl_task *task, const struct item *item)
{
	struct tl_ledger *ledger = task->ledger;

	if (!ledger) {
		ledger = tl_pool_get(&ledgers);
		if (ledger)
			memset((char *)ledger + sizeof(ledger->item), 0,
			       sizeof(*ledger) - sizeof(ledger->item));
		task->ledger = ledger;
	}
	if (ledger && ledger->owed) {
		ledger->owed--;
		tl_errand_put(item->errand);
		return;
	}
	if (ledger && ledger->taken_used < LEDGER) {
		ledger->taken[ledger->taken_used++] = *item;
		return;
	}
	if (ledger)
		ledger->full = true;
	this_cpu_inc(tl_stats.loss[TL_LOSS_HANDOFFS_DROPPED]);
	tl_errand_put(item->errand);
}

/* Takes what was written, at most @bytes of it. */
static void take(struct tl_task *task, const void *key, u64 bytes)
{
	struct bucket *bucket = bucket_of(key);
	struct object *object;
	struct item item;

	for (;;) {
		raw_spin_lock(&bucket->lock);
		object = find(bucket, key);
		if (!object || !object->n || object->items[0].bytes > bytes) {
			raw_spin_unlock(&bucket->lock);
			return;
		}
		item = pop(object);
		raw_spin_unlock(&bucket->lock);
		bytes -= item.bytes;
		receive(task, &item);
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
		take(task, key, bytes);
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
	take(task, key, task->reading_bytes);
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

	/* It sleeps, so its entry does not change; a wrong hint would do no harm. */
	if (other && task->process && other->process == task->process &&
	    READ_ONCE(other->futex) == TL_FUTEX_WAITS &&
	    /* Who began to wait later waits for something else, a lock perhaps. */
	    READ_ONCE(other->futex_ns) <= tl_errand_last_ns(task->errand))
		finish(task, other->thread.current_request);
}

/**
 * tl_handoff_answers() - The current thread answers what it has not worked for
 * @task: the current thread
 * @request: the request, its lock held
 * @own: it may have done the work itself
 */
void tl_handoff_answers(struct tl_task *task, struct tl_request *request, bool own)
{
	struct tl_ledger *ledger = task->ledger;

	if (!ledger)
		return;
	if (ledger->answered_used == LEDGER) {
		ledger->full = true;
		return;
	}
	ledger->own |= own;
	ledger->answered[ledger->answered_used].request = request;
	ledger->answered[ledger->answered_used++].seq = request->seq;
}

static void pair(struct tl_request_ref answered, struct tl_request_ref errand)
{
	struct tl_request *request = tl_conn_lock_request(answered);

	if (request && !request->errand)
		tl_errand_adopt(container_of(request, struct tl_server, request), errand,
				TL_BY_HANDOFF);
	tl_conn_unlock_request(request);
}

/* The first ones are done with. */
static void remove(struct tl_ledger *ledger, unsigned int taken, unsigned int answered)
{
	unsigned int i;

	for (i = 0; i < taken; i++)
		tl_errand_put(ledger->taken[i].errand);
	ledger->taken_used -= taken;
	ledger->answered_used -= answered;
	memmove(ledger->taken, ledger->taken + taken,
		ledger->taken_used * sizeof(ledger->taken[0]));
	memmove(ledger->answered, ledger->answered + answered,
		ledger->answered_used * sizeof(ledger->answered[0]));
}

static void pair_first(struct tl_ledger *ledger, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (ledger->taken[i].errand.request)
			pair(ledger->answered[i], ledger->taken[i].errand);
	remove(ledger, n, n);
}

/* Whether those that came in the turn after were not held up. */
static bool came_last(const struct tl_ledger *ledger, unsigned int from, unsigned int to)
{
	u64 last_ns = 0;
	unsigned int i;

	for (i = 0; i < from; i++)
		last_ns = max(last_ns, ledger->taken[i].last_ns);
	for (; i < to; i++)
		if (ledger->taken[i].last_ns < last_ns)
			return false;
	return true;
}

/* The turn before had more answers than writes: now all of them are here. */
static void settle_before(struct tl_ledger *ledger)
{
	unsigned int n = ledger->before_answered;

	if (ledger->taken_used < n) {
		/* Not even now. They will come when they mean nothing any more. */
		ledger->owed += n - ledger->taken_used;
		remove(ledger, ledger->taken_used, n);
	} else if (came_last(ledger, ledger->before_taken, n)) {
		pair_first(ledger, n);
	} else {
		remove(ledger, n, n);
	}
	ledger->before_answered = 0;
	ledger->before_taken = 0;
}

/**
 * tl_handoff_settle() - The current thread's turn is over
 * @task: the current thread
 *
 * Context: task, interrupts off; no connection's lock is held. At most LEDGER steps.
 */
void tl_handoff_settle(struct tl_task *task)
{
	struct tl_ledger *ledger = task->ledger;

	if (!ledger || !(ledger->taken_used | ledger->answered_used))
		return;
	if (ledger->full ||
	    (ledger->own && ledger->taken_used != ledger->answered_used)) {
		remove(ledger, ledger->taken_used, ledger->answered_used);
		ledger->before_answered = 0;
		ledger->before_taken = 0;
		ledger->owed = 0;
		ledger->full = false;
		ledger->own = false;
		return;
	}
	ledger->own = false;
	if (ledger->before_answered)
		settle_before(ledger);
	if (ledger->taken_used == ledger->answered_used) {
		pair_first(ledger, ledger->taken_used);
		return;
	}
	if (ledger->taken_used > ledger->answered_used) {
		/* Some are of no answer, and it cannot be told which. */
		remove(ledger, ledger->taken_used, ledger->answered_used);
		return;
	}
	ledger->before_taken = ledger->taken_used;
	ledger->before_answered = ledger->answered_used;
}

/**
 * tl_handoff_forget() - A thread goes
 * @task: the thread
 *
 * Context: interrupts off; no connection's lock is held.
 */
void tl_handoff_forget(struct tl_task *task)
{
	struct tl_ledger *ledger = task->ledger;

	if (!ledger)
		return;
	tl_handoff_settle(task);
	remove(ledger, ledger->taken_used, ledger->answered_used);
	task->ledger = NULL;
	tl_pool_put(&ledgers, ledger);
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
		tl_errand_put(item.errand);
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

unsigned int tl_handoff_ledgers(void)
{
	return tl_pool_used(&ledgers);
}
