// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which hardware and software events are counted, on each processor (counter.c)
 *
 * There may be more events than a processor has counters: the kernel takes turns with
 * them, and tells for each how long it was enabled and how long it counted. Both are
 * passed on with the value; what to make of them is somebody else's business.
 *
 * Processors come and go. When one goes, perf takes its events off it; they keep what
 * they have counted. When it is back they are made anew, by a work item: perf itself may
 * have to wait for processors to come and go, so that in a callback nothing can be made.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "counter.h"
#include "pmu.h"
#include "scoped.h"
#include "shard.h"

struct pmu_event {
	u32 id; /* 0: free */
	char name[TIERLENS_NAME_MAX + 1];
	struct perf_event_attr attr;
	int slot; /* its counts' among those that are charged to requests; below 0: they are not */
};

static struct pmu_event events[TIERLENS_PMU_EVENTS_MAX];
static u32 last_id;
static bool open; /* intervals are, so what was charged may still be in one */
static DEFINE_MUTEX(lock); /* protects all of these; nobody opens, starts or stops without it */
static struct cpumask came; /* back, and have no counters yet */
static struct work_struct join_work;
static int hotplug;

/* ---- which ---------------------------------------------------------- */

static struct pmu_event *find(const char *name)
{
	unsigned int i;

	lockdep_assert_held(&lock);
	for (i = 0; i < TIERLENS_PMU_EVENTS_MAX; i++)
		if (events[i].id && !strcmp(events[i].name, name))
			return &events[i];
	return NULL;
}

static struct pmu_event *find_free(void)
{
	unsigned int i;

	for (i = 0; i < TIERLENS_PMU_EVENTS_MAX; i++)
		if (!events[i].id)
			return &events[i];
	return NULL;
}

/* @charged: something may have been charged under its name */
static void event_free(struct pmu_event *e, bool charged)
{
	unsigned int cpu;

	if (e->slot >= 0)
		tl_scoped_withdraw(e->slot);
	for_each_possible_cpu(cpu)
		tl_counter_delete(cpu, e - events);
	if (e->slot >= 0)
		tl_scoped_release(e->slot, charged);
	memset(e, 0, sizeof(*e));
}

static int open_on(unsigned int cpu, struct pmu_event *e)
{
	lockdep_assert_held(&lock);
	return tl_counter_open(cpu, e - events, e->id, e->name, &e->attr, e->slot);
}

/* Some processors may lack what others have, and that is all that they may. */
static bool lacks(int error, const struct pmu_event *e)
{
	return error == -ENODEV || error == -ENOENT || (error != -ENOMEM && e->slot < 0);
}

/* @some: set to whether any processor counts it, or did for a moment */
static int event_open(struct pmu_event *e, bool *some)
{
	unsigned int cpu, n = 0;
	int ret, failed = -ENODEV;

	*some = false;
	for_each_online_cpu(cpu) {
		ret = open_on(cpu, e);
		if (ret && !lacks(ret, e))
			return ret;
		n += !ret;
		*some |= !ret;
		if (ret && ret != -ENODEV)
			failed = ret;
	}
	return n ? 0 : failed;
}

static void event_fill(struct pmu_event *e, const struct tl_pmu_view *event)
{
	strscpy(e->name, event->name, sizeof(e->name));
	e->attr.size = sizeof(e->attr);
	e->attr.type = event->type;
	e->attr.config = event->config;
	e->attr.config1 = event->config1;
	/* Enabled with the others, when measuring begins. */
	e->attr.disabled = 1;
	e->attr.pinned = event->charged;
	e->slot = -1;
}

static void say_why(int error, struct netlink_ext_ack *extack)
{
	switch (error) {
	case -ENOENT:
		NL_SET_ERR_MSG(extack,
			       "nothing here counts that event, virtual machines often count none: tierlens pmu list tells what there is");
		break;
	case -EINVAL:
	case -EOPNOTSUPP:
		NL_SET_ERR_MSG(extack,
			       "the processor does not take that event so: tierlens pmu list tells how");
		break;
	case -EBUSY:
	case -ENOSPC:
		NL_SET_ERR_MSG(extack, "all counters for that event are taken: who else counts?");
		break;
	case -ENOMEM:
		NL_SET_ERR_MSG(extack,
			       "no memory for its counters: is the module's at its cap? Load it with more memory_mib");
		break;
	default:
		NL_SET_ERR_MSG(extack, "the kernel refused to count that event");
	}
}

static int add_locked(const struct tl_pmu_view *event, struct netlink_ext_ack *extack)
{
	struct pmu_event *e = find_free();
	bool charged = false, some;
	int ret;

	if (find(event->name)) {
		NL_SET_ERR_MSG(extack,
			       "that name is counted already: choose another, or delete it");
		return -EEXIST;
	}
	if (!e) {
		NL_SET_ERR_MSG(extack, "there are 64 events already: delete one");
		return -ENOSPC;
	}
	event_fill(e, event);
	if (!open)
		tl_scoped_free_gone();
	if (event->charged)
		e->slot = tl_scoped_take(event->name, tl_counter_generation(), &charged);
	if (event->charged && e->slot < 0) {
		NL_SET_ERR_MSG(extack,
			       "four events are charged to requests already: delete one, and disable measuring");
		memset(e, 0, sizeof(*e));
		return -ENOSPC;
	}
	e->id = ++last_id;
	ret = event_open(e, &some);
	if (ret) {
		say_why(ret, extack);
		event_free(e, charged || (open && some));
	}
	return ret;
}

/**
 * tl_pmu_add() - Count one more event on all processors
 * @event: its name, type and configuration
 * @extack: told why not
 *
 * Context: process.
 * Return: 0, -EEXIST, -ENOSPC, -ENOMEM, or what perf says.
 */
int tl_pmu_add(const struct tl_pmu_view *event, struct netlink_ext_ack *extack)
{
	int ret;

	mutex_lock(&lock);
	ret = add_locked(event, extack);
	mutex_unlock(&lock);
	return ret;
}

/**
 * tl_pmu_del() - Count an event no longer
 * @name: its name; "" for all
 * @extack: told why not
 *
 * What was counted since the last interval ended goes with it.
 *
 * Context: process.
 * Return: 0 or -ENOENT.
 */
int tl_pmu_del(const char *name, struct netlink_ext_ack *extack)
{
	struct pmu_event *e;
	unsigned int i;
	int ret = 0;

	mutex_lock(&lock);
	for (i = 0; !*name && i < TIERLENS_PMU_EVENTS_MAX; i++)
		if (events[i].id)
			event_free(&events[i], open);
	e = *name ? find(name) : NULL;
	if (e)
		event_free(e, open);
	if (*name && !e) {
		NL_SET_ERR_MSG(extack,
			       "no such event is counted: tierlens pmu list tells which are");
		ret = -ENOENT;
	}
	mutex_unlock(&lock);
	return ret;
}

/**
 * tl_pmu_get() - The event at a place
 * @place: from 0
 * @event: filled in
 *
 * Context: process.
 * Return: false beyond the last place.
 */
bool tl_pmu_get(unsigned int place, struct tl_pmu_view *event)
{
	const struct pmu_event *e;
	unsigned int cpu;

	memset(event, 0, sizeof(*event));
	if (place >= TIERLENS_PMU_EVENTS_MAX)
		return false;
	mutex_lock(&lock);
	e = &events[place];
	event->id = e->id;
	strscpy(event->name, e->name, sizeof(event->name));
	event->type = e->attr.type;
	event->config = e->attr.config;
	event->config1 = e->attr.config1;
	event->charged = e->id && e->slot >= 0;
	for_each_possible_cpu(cpu)
		event->cpus += e->id && tl_counter_is_open(cpu, place);
	mutex_unlock(&lock);
	return true;
}

/* ---- intervals ------------------------------------------------------------------------ */

/**
 * tl_pmu_start() - Count
 * @grid: how time is cut from now on
 *
 * Context: process.
 */
void tl_pmu_start(const struct tl_grid *grid)
{
	mutex_lock(&lock);
	tl_scoped_free_gone();
	open = true;
	tl_counter_start(grid);
	mutex_unlock(&lock);
}

/**
 * tl_pmu_stop() - Count no longer; the last interval has what was counted of it
 *
 * Context: process.
 */
void tl_pmu_stop(void)
{
	mutex_lock(&lock);
	tl_counter_stop();
	mutex_unlock(&lock);
}

/* No interval is open. Context: process. */
void tl_pmu_over(void)
{
	mutex_lock(&lock);
	open = false;
	mutex_unlock(&lock);
}

/* ---- processors come and go -------------------------------------------------------- */

static void join(struct work_struct *work)
{
	unsigned int cpu, i;

	mutex_lock(&lock);
	for_each_possible_cpu(cpu) {
		if (!cpumask_test_and_clear_cpu(cpu, &came))
			continue;
		/* What cannot be counted there is missing there, as at first. */
		for (i = 0; i < TIERLENS_PMU_EVENTS_MAX; i++)
			if (events[i].id)
				open_on(cpu, &events[i]);
	}
	mutex_unlock(&lock);
}

static int came_online(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &came);
	queue_work(system_highpri_wq, &join_work);
	return 0;
}

int tl_pmu_init(void)
{
	int ret = tl_counter_init();

	if (ret)
		return ret;
	INIT_WORK(&join_work, join);
	hotplug = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "tierlens:online", came_online,
					    NULL);
	if (hotplug < 0) {
		tl_counter_exit();
		return hotplug;
	}
	return 0;
}

void tl_pmu_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug);
	cancel_work_sync(&join_work);
	tl_pmu_del("", NULL);
	tl_counter_exit();
}
