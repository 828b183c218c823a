// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts that are charged to requests
 *
 * A few of the events are counted all the time on each processor, without taking turns.
 * At each switch the thread that goes gets what its processor has counted since the one
 * before; at each event of a thread what it has got, and what was counted since, goes
 * where its processor time goes (usage.c).
 *
 * While measuring is on an event's place among the four is kept for one of the same name:
 * what was charged under it is still in intervals that are open.
 */
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "scoped.h"
#include "thread.h"

DEFINE_STATIC_KEY_FALSE(tl_scoped_on);

enum slot_state { FREE, TAKEN, GONE };

static struct slot {
	enum slot_state state;
	char name[TIERLENS_NAME_MAX + 1];
	u64 from; /* generation; those before have nothing of it */
} slots[TL_USED_COUNTS];
static DEFINE_SPINLOCK(lock); /* protects slots; process context only */

/* What a processor counts. */
static DEFINE_PER_CPU(struct scoped {
	struct scoped_count {
		struct perf_event __rcu *event; /* NULL: it is not counted here */
		u64 last; /* as read last */
	} count[TL_USED_COUNTS];
}, scoped);

/* ---- which ----------------------------------------------------------------------- */

/* One of the same name goes on. */
static int find_free(const char *name)
{
	int slot;

	lockdep_assert_held(&lock);
	for (slot = 0; slot < TL_USED_COUNTS; slot++)
		if (slots[slot].state == GONE && !strcmp(slots[slot].name, name))
			return slot;
	for (slot = 0; slot < TL_USED_COUNTS; slot++)
		if (slots[slot].state == FREE)
			return slot;
	return slot;
}

/**
 * tl_scoped_take() - A place for an event's counts
 * @name: of the event
 * @from: generation from which on it may count
 * @charged: set if something may have been charged under that name before
 *
 * Context: process; may sleep.
 * Return: the place, or -ENOSPC.
 */
int tl_scoped_take(const char *name, u64 from, bool *charged)
{
	int slot;

	spin_lock(&lock);
	slot = find_free(name);
	if (slot < TL_USED_COUNTS) {
		*charged = slots[slot].state == GONE;
		if (!*charged)
			slots[slot].from = from;
		slots[slot].state = TAKEN;
		strscpy(slots[slot].name, name, sizeof(slots[slot].name));
	}
	spin_unlock(&lock);
	if (slot == TL_USED_COUNTS)
		return -ENOSPC;
	static_branch_inc(&tl_scoped_on);
	return slot;
}

/**
 * tl_scoped_release() - An event is counted no longer
 * @slot: its place
 * @charged: something may have been charged under its name
 *
 * Context: process; may sleep.
 */
void tl_scoped_release(unsigned int slot, bool charged)
{
	static_branch_dec(&tl_scoped_on);
	spin_lock(&lock);
	slots[slot].state = charged ? GONE : FREE;
	spin_unlock(&lock);
}

/* No interval is open. Context: process. */
void tl_scoped_free_gone(void)
{
	unsigned int slot;

	spin_lock(&lock);
	for (slot = 0; slot < TL_USED_COUNTS; slot++)
		if (slots[slot].state == GONE)
			slots[slot].state = FREE;
	spin_unlock(&lock);
}

static bool is_counted(unsigned int slot)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (rcu_access_pointer(per_cpu_ptr(&scoped, cpu)->count[slot].event))
			return true;
	return false;
}

/**
 * tl_scoped_name() - Of what event the counts at a place are
 * @slot: the place
 * @generation: of the interval that they are of
 * @value: they
 * @name: TIERLENS_NAME_MAX + 1 bytes; empty if they are of none: what was not counted is not 0
 *
 * Context: process.
 */
void tl_scoped_name(unsigned int slot, u64 generation, u64 value, char *name)
{
	bool is;

	spin_lock(&lock);
	is = slots[slot].state != FREE &&
	     (value || (generation >= slots[slot].from && is_counted(slot)));
	strscpy(name, is ? slots[slot].name : "", TIERLENS_NAME_MAX + 1);
	spin_unlock(&lock);
}

/**
 * tl_scoped_publish() - Read this event from now on
 * @cpu: on this processor
 * @slot: its place
 * @event: it is disabled as yet; NULL: none
 *
 * Context: process.
 * Return: whether there was one, which may be read until a grace period is over.
 */
bool tl_scoped_publish(unsigned int cpu, unsigned int slot, struct perf_event *event)
{
	struct scoped_count *of = &per_cpu_ptr(&scoped, cpu)->count[slot];

	if (event)
		of->last = local64_read(&event->count);
	return unrcu_pointer(xchg(&of->event, RCU_INITIALIZER(event)));
}

/**
 * tl_scoped_withdraw() - Nobody reads an event any more when this returns
 * @slot: its place, on all processors
 *
 * Context: process; sleeps.
 */
void tl_scoped_withdraw(unsigned int slot)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		tl_scoped_publish(cpu, slot, NULL);
	synchronize_rcu();
}

/* ---- counting ------------------------------------------------------------------------ */

/* What the processor has counted since the last time. */
static u64 growth(struct scoped_count *of)
{
	struct perf_event *event = rcu_dereference_sched(of->event);
	u64 now, more;

	if (!event)
		return 0;
	smp_rmb(); /* pairs with xchg() in tl_scoped_publish(): what is last is this event's */
	if (READ_ONCE(event->oncpu) == smp_processor_id())
		event->pmu->read(event);
	now = local64_read(&event->count);
	more = now - of->last;
	of->last = now;
	return more;
}

static void add_growth(struct tl_task *task)
{
	struct scoped *here = this_cpu_ptr(&scoped);
	unsigned int i;
	u64 more;

	for (i = 0; i < TL_USED_COUNTS; i++) {
		more = growth(&here->count[i]);
		if (task)
			task->counted[i] += more;
	}
}

/**
 * tl_scoped_switched() - Another thread's turn begins
 * @prev: the one that was on this processor
 *
 * Context: interrupts are off, the run queue's lock is held.
 */
void tl_scoped_switched(struct task_struct *prev)
{
	lockdep_assert_irqs_disabled();
	add_growth(tl_thread_find(prev));
}

/* What was counted up to now is nobody's. Context: interrupts off. */
void tl_scoped_skip(void)
{
	add_growth(NULL);
}

/**
 * tl_scoped_take_counted() - What was counted for the current thread since the last time
 * @task: its entry
 * @sum: [TL_USED_COUNTS] to this
 *
 * Context: task, interrupts off.
 */
void tl_scoped_take_counted(struct tl_task *task, u64 *sum)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	add_growth(task);
	for (i = 0; i < TL_USED_COUNTS; i++) {
		sum[i] += task->counted[i];
		task->counted[i] = 0;
	}
}
