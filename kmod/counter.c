// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters of processors: perf events, read when an interval ends
 *
 * Each processor reads its own, by a work item there: asking another one for each value
 * would take an interrupt for each. One that is so busy that its work item has to wait
 * is late with its counts, and nobody waits for it.
 *
 * An interval is closed a quiet time after its end; what was read waits until then. What
 * is read too late for that is of the next one that is not closed, with the time that
 * it is of, and so is what several intervals have had one reading for.
 */
#include <linux/cpu.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "counter.h"
#include "memory.h"
#include "scoped.h"
#include "shard.h"

#define PENDING 8 /* intervals that have ended and are not closed: a quiet time is two at most */

struct counter {
	u32 id; /* of what it counts */
	char name[TIERLENS_NAME_MAX + 1];
	int slot; /* below 0: it is not charged to requests */
	struct perf_event *event; /* NULL: it cannot be counted there, or now */
	struct tl_count last; /* as read last */
	struct tl_count pending[PENDING]; /* by generation */
};

/* A processor. */
struct reader {
	struct work_struct read;
	u64 next; /* the oldest generation that has not been read */
	u64 open; /* the oldest that is not closed */
	struct counter *counter[TIERLENS_PMU_EVENTS_MAX]; /* NULL: there is none */
	unsigned int counters; /* of these there are so many */
	struct mutex lock; /* protects all of this */
};

static struct reader *readers; /* [nr_cpu_ids] */
static struct tl_grid grid; /* from tl_counter_start() on */
static bool counting; /* its callers take turns */
static struct delayed_work ended; /* an interval has */

#define READERS_BYTES (nr_cpu_ids * sizeof(struct reader))

/* ---- one counter ------------------------------------------------------------- */

/* What was counted since it was read last is of @generation. */
static void read_counter(struct reader *reader, struct counter *counter, u64 generation)
{
	struct tl_count now, *to;

	lockdep_assert_held(&reader->lock);
	if (!counter->event)
		return;
	now.value = perf_event_read_value(counter->event, &now.enabled_ns, &now.running_ns);
	generation = clamp(generation, reader->open, reader->open + PENDING - 1);
	to = &counter->pending[generation % PENDING];
	to->value += now.value - counter->last.value;
	to->enabled_ns += now.enabled_ns - counter->last.enabled_ns;
	to->running_ns += now.running_ns - counter->last.running_ns;
	counter->last = now;
}

static void release(struct perf_event *event)
{
	perf_event_release_kernel(event);
	tl_memory_uncharge(sizeof(*event));
}

/* Of the interval that is under way. */
static void close_counter(struct reader *reader, struct counter *counter, unsigned int cpu)
{
	if (!counter->event)
		return;
	if (counting)
		read_counter(reader, counter, tl_grid_generation(&grid, ktime_get_mono_fast_ns()));
	if (counter->slot >= 0 && tl_scoped_publish(cpu, counter->slot, NULL))
		synchronize_rcu();
	release(counter->event);
	counter->event = NULL;
}

/* Those that take no turns. */
static void switch_pinned(struct reader *reader, bool on)
{
	struct counter *counter;
	unsigned int i;

	for (i = 0; i < TIERLENS_PMU_EVENTS_MAX; i++) {
		counter = reader->counter[i];
		if (!counter || !counter->event || counter->slot < 0)
			continue;
		if (on)
			perf_event_enable(counter->event);
		else
			perf_event_disable(counter->event);
	}
}

/* Whether it can be counted all the time beside the others: perf says so only when it tries. */
static bool fits(struct reader *reader, struct perf_event *event)
{
	bool active;

	if (!counting)
		switch_pinned(reader, true);
	perf_event_enable(event);
	active = READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE;
	perf_event_disable(event);
	if (!counting)
		switch_pinned(reader, false);
	return active;
}

/*
 * One for several processors is perf's on one of them: on the others it is not counted
 * again. What perf itself reads at no switch of threads is not read there by us.
 */
static int check(struct reader *reader, struct perf_event *event, unsigned int cpu)
{
	if (event->cpu != cpu)
		return -ENODEV;
	if (!event->attr.pinned)
		return 0;
	if (event->pmu->task_ctx_nr == perf_invalid_context)
		return -EOPNOTSUPP;
	return fits(reader, event) ? 0 : -EBUSY;
}

static struct perf_event *create(struct reader *reader, unsigned int cpu,
				 struct perf_event_attr *attr)
{
	struct perf_event *event;
	int ret;

	if (!tl_memory_charge(sizeof(*event)))
		return ERR_PTR(-ENOMEM);
	event = perf_event_create_kernel_counter(attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(event)) {
		tl_memory_uncharge(sizeof(*event));
		return event;
	}
	ret = check(reader, event, cpu);
	if (!ret)
		return event;
	release(event);
	return ERR_PTR(ret);
}

/* What is there already was counted before. */
static void begin(struct counter *counter)
{
	counter->last.value = perf_event_read_value(counter->event, &counter->last.enabled_ns,
						    &counter->last.running_ns);
	perf_event_enable(counter->event);
}

static int open_counter(struct reader *reader, struct counter *counter, unsigned int cpu,
			struct perf_event_attr *attr)
{
	struct perf_event *event = create(reader, cpu, attr);

	if (IS_ERR(event))
		return PTR_ERR(event);
	counter->event = event;
	if (counter->slot >= 0)
		tl_scoped_publish(cpu, counter->slot, event);
	if (counting)
		begin(counter);
	return 0;
}

/**
 * tl_counter_open() - Count an event on a processor
 * @cpu: which
 * @place: of the event
 * @id: of the event
 * @name: of the event
 * @attr: what to count, disabled
 * @slot: where its counts go that are charged to requests; below 0: they are not
 *
 * If it was open, it is anew: the events of a processor that went are dead.
 *
 * Context: process, not in a callback for processors that come or go: perf waits for these.
 * Return: 0, -ENOMEM, or what perf says; -ENODEV if the processor is not there.
 */
int tl_counter_open(unsigned int cpu, unsigned int place, u32 id, const char *name,
		    struct perf_event_attr *attr, int slot)
{
	struct reader *reader = &readers[cpu];
	struct counter *counter;
	int ret = -ENOMEM;

	mutex_lock(&reader->lock);
	counter = reader->counter[place];
	if (!counter) {
		counter = tl_memory_zalloc(sizeof(*counter));
		reader->counter[place] = counter;
		WRITE_ONCE(reader->counters, reader->counters + !!counter);
	}
	if (counter) {
		counter->id = id;
		close_counter(reader, counter, cpu);
		counter->slot = slot;
		strscpy(counter->name, name, sizeof(counter->name));
		ret = open_counter(reader, counter, cpu, attr);
	}
	mutex_unlock(&reader->lock);
	return ret;
}

/**
 * tl_counter_delete() - Count an event on a processor no longer
 * @cpu: which
 * @place: of the event
 *
 * What was counted since the last interval was closed goes with it.
 *
 * Context: process.
 */
void tl_counter_delete(unsigned int cpu, unsigned int place)
{
	struct reader *reader = &readers[cpu];
	struct counter *counter;

	mutex_lock(&reader->lock);
	counter = reader->counter[place];
	reader->counter[place] = NULL;
	if (counter) {
		WRITE_ONCE(reader->counters, reader->counters - 1);
		close_counter(reader, counter, cpu);
		tl_memory_free(counter, sizeof(*counter));
	}
	mutex_unlock(&reader->lock);
}

/* That is under way; 0 if measuring is off. Context: process; not together with start or stop. */
u64 tl_counter_generation(void)
{
	return counting ? tl_grid_generation(&grid, ktime_get_mono_fast_ns()) : 0;
}

/**
 * tl_counter_is_open() - Whether an event is counted on a processor
 * @cpu: which
 * @place: of the event
 *
 * Context: process.
 */
bool tl_counter_is_open(unsigned int cpu, unsigned int place)
{
	struct reader *reader = &readers[cpu];
	bool is;

	mutex_lock(&reader->lock);
	is = cpu_online(cpu) && reader->counter[place] && reader->counter[place]->event;
	mutex_unlock(&reader->lock);
	return is;
}

/* ---- intervals ---------------------------------------------------------------- */

static void read_all(struct reader *reader, u64 generation)
{
	unsigned int i;

	lockdep_assert_held(&reader->lock);
	for (i = 0; i < TIERLENS_PMU_EVENTS_MAX; i++)
		if (reader->counter[i])
			read_counter(reader, reader->counter[i], generation);
}

/* Who was to take no turns and has lost his counter to somebody else counts no longer. */
static void drop_lost(struct reader *reader, unsigned int cpu)
{
	struct counter *counter;
	unsigned int i;

	lockdep_assert_held(&reader->lock);
	for (i = 0; i < TIERLENS_PMU_EVENTS_MAX; i++) {
		counter = reader->counter[i];
		if (counter && counter->event && counter->slot >= 0 &&
		    READ_ONCE(counter->event->state) == PERF_EVENT_STATE_ERROR)
			close_counter(reader, counter, cpu);
	}
}

static void read_due(struct work_struct *work)
{
	struct reader *reader = container_of(work, struct reader, read);
	u64 now_ns;

	mutex_lock(&reader->lock);
	now_ns = ktime_get_mono_fast_ns();
	if (tl_grid_start_ns(&grid, reader->next + 1) <= now_ns) {
		reader->next = tl_grid_generation(&grid, now_ns);
		read_all(reader, reader->next - 1);
		drop_lost(reader, reader - readers);
	}
	mutex_unlock(&reader->lock);
}

static void interval_ended(struct work_struct *work)
{
	u64 now_ns = ktime_get_mono_fast_ns(), next_ns;
	unsigned int cpu;

	/* One that goes meanwhile, or has gone, has its work done elsewhere. */
	for_each_possible_cpu(cpu)
		if (READ_ONCE(readers[cpu].counters))
			queue_work_on(cpu, system_highpri_wq, &readers[cpu].read);
	next_ns = tl_grid_start_ns(&grid, tl_grid_generation(&grid, now_ns) + 1);
	queue_delayed_work(system_highpri_wq, &ended, nsecs_to_jiffies(next_ns - now_ns) + 1);
}

/**
 * tl_counter_start() - Count
 * @of: how time is cut from now on
 *
 * Context: process; not together with others that open, start or stop.
 */
void tl_counter_start(const struct tl_grid *of)
{
	struct counter *counter;
	unsigned int cpu, i;

	grid = *of;
	for_each_possible_cpu(cpu) {
		mutex_lock(&readers[cpu].lock);
		readers[cpu].next = grid.first;
		readers[cpu].open = grid.first;
		for (i = 0; i < TIERLENS_PMU_EVENTS_MAX; i++) {
			counter = readers[cpu].counter[i];
			if (counter)
				memset(counter->pending, 0, sizeof(counter->pending));
			if (counter && counter->event)
				begin(counter);
		}
		drop_lost(&readers[cpu], cpu);
		mutex_unlock(&readers[cpu].lock);
	}
	counting = true;
	queue_delayed_work(system_highpri_wq, &ended, nsecs_to_jiffies(grid.length_ns) + 1);
}

/**
 * tl_counter_stop() - Count no longer; the last interval has what was counted of it
 *
 * Context: process; not together with others that open, start or stop.
 */
void tl_counter_stop(void)
{
	struct counter *counter;
	unsigned int cpu, i;

	if (!counting)
		return;
	cancel_delayed_work_sync(&ended);
	for_each_possible_cpu(cpu) {
		cancel_work_sync(&readers[cpu].read);
		mutex_lock(&readers[cpu].lock);
		for (i = 0; i < TIERLENS_PMU_EVENTS_MAX; i++) {
			counter = readers[cpu].counter[i];
			if (counter && counter->event)
				perf_event_disable(counter->event);
		}
		read_all(&readers[cpu], tl_grid_generation(&grid, ktime_get_mono_fast_ns()));
		mutex_unlock(&readers[cpu].lock);
	}
	counting = false;
}

static void deposit(struct reader *reader, unsigned int cpu, u64 generation)
{
	struct counter *counter;
	struct tl_count *count;
	unsigned long flags;
	unsigned int i;

	lockdep_assert_held(&reader->lock);
	reader->open = generation + 1;
	for (i = 0; i < TIERLENS_PMU_EVENTS_MAX; i++) {
		counter = reader->counter[i];
		if (!counter)
			continue;
		count = &counter->pending[generation % PENDING];
		/* A processor that was not there has counted nothing, which is not zero. */
		if (count->enabled_ns) {
			local_irq_save(flags);
			tl_shard_merge_count(counter->id, cpu, counter->name, count);
			local_irq_restore(flags);
		}
		memset(count, 0, sizeof(*count));
	}
}

/**
 * tl_counter_deposit() - Add what was counted to the interval being taken
 * @generation: its number
 *
 * Context: process; before tl_shard_take(), by its caller.
 */
void tl_counter_deposit(u64 generation)
{
	unsigned int cpu, n = 0;

	for_each_possible_cpu(cpu)
		n += READ_ONCE(readers[cpu].counters);
	tl_shard_reserve_counts(n);
	for_each_possible_cpu(cpu) {
		mutex_lock(&readers[cpu].lock);
		deposit(&readers[cpu], cpu, generation);
		mutex_unlock(&readers[cpu].lock);
	}
}

int tl_counter_init(void)
{
	unsigned int cpu;

	readers = tl_memory_zalloc(READERS_BYTES);
	if (!readers)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		INIT_WORK(&readers[cpu].read, read_due);
		mutex_init(&readers[cpu].lock);
	}
	INIT_DELAYED_WORK(&ended, interval_ended);
	return 0;
}

void tl_counter_exit(void)
{
	tl_memory_free(readers, READERS_BYTES);
}
