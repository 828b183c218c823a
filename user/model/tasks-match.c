// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which thread told which: notify → wait, put in → take out, send → receive
 *
 * Each is on one object, and what an object is used for is told from its use, as its name
 * says nothing for certain:
 *
 * - mutex: locked and unlocked; or waited for and signalled by the same thread in turn, as
 *   a semaphore is that guards something. Gives no edge (paper 002, 2.3);
 * - condition: waited for with a mutex held; or between its unlocking and locking, as a recorder
 *   sees it, if there was always a signal meanwhile. Wakes nobody who does not wait
 *   (tasks-condition.c);
 * - guarded queue: a condition that there is something, which is put and taken with its mutex
 *   held, first in, first out, also by who need not wait (tasks-guarded.c);
 * - broadcast: more waits than signals. Each wait is for the last signal before it;
 * - events: more signals than waits. Each wait is for all signals since the one before;
 * - counter: as many of both. The first wait is for the first signal;
 * - queue: first in, first out;
 * - stream: what two threads, or two ends, send each other, by position in the stream if
 *   it is known (tasks-positions.c), else in order as a counter or events. So are queues that
 *   are pipes.
 *
 * A wait for what nobody was seen to give has no edge and is counted.
 */
#include "tasks-match.h"

#include "ids.h"

#include <errno.h>
#include <stdlib.h>

struct matcher {
	struct tl_tasks *tasks;
	const struct tl_task_event *event;
	uint32_t *order, *from, *step; /* [events]: by object; of steps; those of one way */
	size_t *begin; /* [objects + 1] in order */
	uint32_t *before; /* [events] the thread's event before, or TL_TASK_NONE */
	uint32_t *mark; /* [threads] */
};

bool tl_task_gives(enum tl_task_op op)
{
	return op == TL_TASK_SIGNAL || op == TL_TASK_ENQ || op == TL_TASK_SEND;
}

bool tl_task_takes(enum tl_task_op op)
{
	return op == TL_TASK_WAIT || op == TL_TASK_DEQ || op == TL_TASK_RECV;
}

static bool condition(const struct tl_tasks *tasks, uint32_t wait)
{
	const struct tl_task_event *event = &tasks->trace->event[wait];
	enum tl_task_use use = tasks->object[event->object].use;

	return event->op == TL_TASK_WAIT && !tasks->guarded[wait] &&
	       (use == TL_TASK_USE_CONDITION || use == TL_TASK_USE_GUARDED ||
		use == TL_TASK_USE_BROADCAST);
}

/**
 * tl_task_pause() - Whether a thread does something only as it has to wait
 * @tasks: has what objects are used for
 * @event: what it does
 *
 * Return: whether it waits, or gives a mutex back as long as it waits for a condition, or
 * takes it again.
 */
bool tl_task_pause(const struct tl_tasks *tasks, uint32_t event)
{
	uint32_t before = tasks->ends[event], after = tasks->begins[event];

	switch (tasks->trace->event[event].op) {
	case TL_TASK_WAIT:
		return true;
	case TL_TASK_UNLOCK:
		return after != TL_TASK_NONE && condition(tasks, tasks->leaf[after].last);
	case TL_TASK_LOCK:
		return before != TL_TASK_NONE && condition(tasks, tasks->leaf[before].first);
	default:
		return false;
	}
}

/**
 * tl_task_handoff_add() - Add a hand-off
 * @tasks: tasks
 * @from: event
 * @to: event
 *
 * Return: 0 or -ENOMEM.
 */
int tl_task_handoff_add(struct tl_tasks *tasks, uint32_t from, uint32_t to)
{
	size_t room = tasks->handoff_room ? 2 * tasks->handoff_room : 256;
	struct tl_task_handoff *grown;

	if (tasks->handoffs == tasks->handoff_room) {
		grown = reallocarray(tasks->handoff, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		tasks->handoff = grown;
		tasks->handoff_room = room;
	}
	tasks->handoff[tasks->handoffs++] = (struct tl_task_handoff){ from, to };
	return 0;
}

/* ---- what is known of each event ----------------------------------------------------- */

static void by_thread(struct matcher *m)
{
	const struct tl_tasks *tasks = m->tasks;
	size_t i;

	for (i = 0; i < tasks->trace->n; i++)
		m->before[i] = tasks->ends[i] == TL_TASK_NONE ? TL_TASK_NONE :
								tasks->leaf[tasks->ends[i]].first;
}

/* A mutex that is locked again was unlocked, which was not seen. */
static void hold(uint32_t *held, bool *holds, enum tl_task_op op)
{
	if (op == TL_TASK_LOCK && !*holds)
		++*held;
	if (op == TL_TASK_UNLOCK && *holds)
		--*held;
	if (op == TL_TASK_LOCK || op == TL_TASK_UNLOCK)
		*holds = op == TL_TASK_LOCK;
}

/* Who holds a mutex when: @pair is room for a number an event, of thread and object. */
static int guards(struct matcher *m, uint32_t *pair)
{
	const struct tl_task_trace *t = m->tasks->trace;
	struct tl_ids ids = { 0 };
	bool *holds = NULL;
	int code = 0;
	size_t i;

	for (i = 0; i < t->n && !code; i++) {
		const uint32_t key[2] = { t->event[i].thread, t->event[i].object };

		code = tl_ids_of(&ids, key, sizeof(key), &pair[i]);
	}
	holds = code ? NULL : calloc(ids.n + 1, sizeof(*holds));
	for (i = 0; i < t->n && holds; i++) {
		m->tasks->guarded[i] = m->mark[t->event[i].thread];
		hold(&m->mark[t->event[i].thread], &holds[pair[i]], t->event[i].op);
	}
	tl_ids_free(&ids);
	free(holds);
	return holds ? 0 : -ENOMEM;
}

/* ---- what an object is used for ------------------------------------------------------ */

struct counts {
	uint64_t op[TL_TASK_OPS], guarded_waits, released_waits, inside_waits, by_owner;
};

/* Whether the thread unlocked a mutex before a wait, and locks it after. */
static bool released(const struct matcher *m, uint32_t wait)
{
	uint32_t before = m->before[wait], leaf = m->tasks->begins[wait], after;

	if (before == TL_TASK_NONE || leaf == TL_TASK_NONE)
		return false;
	after = m->tasks->leaf[leaf].last;
	return m->event[before].op == TL_TASK_UNLOCK && m->event[after].op == TL_TASK_LOCK &&
	       m->event[before].object == m->event[after].object;
}

static struct counts count(struct matcher *m, const uint32_t *at, size_t n)
{
	struct counts counts = { 0 };
	uint32_t signal = TL_TASK_NONE;
	size_t i;

	for (i = 0; i < n; i++)
		m->mark[m->event[at[i]].thread] = false;
	for (i = 0; i < n; i++) {
		const struct tl_task_event *event = &m->event[at[i]];
		uint32_t *owns = &m->mark[event->thread];

		counts.op[event->op]++;
		if (event->op == TL_TASK_SIGNAL)
			signal = at[i];
		if (event->op == TL_TASK_WAIT) {
			counts.guarded_waits += m->tasks->guarded[at[i]];
			counts.released_waits += !m->tasks->guarded[at[i]] && released(m, at[i]);
			counts.inside_waits += signal != TL_TASK_NONE && m->before[at[i]] != TL_TASK_NONE &&
					       signal > m->before[at[i]];
		}
		counts.by_owner += event->op == TL_TASK_SIGNAL && *owns;
		*owns = event->op == TL_TASK_WAIT;
	}
	return counts;
}

static bool most(uint64_t part, uint64_t of)
{
	return part * 20 >= of * 19;
}

/*
 * Waiting for a condition gives the mutex back, so it is seen between two uses of it. So may be
 * a wait for something else; but nobody comes back from a condition without a signal meanwhile.
 * Of signals as many may be missing as of other events.
 */
static bool waits_guarded(const struct tl_tasks *tasks, const struct counts *counts)
{
	double waits = (double)counts->op[TL_TASK_WAIT];
	double lost = (double)tasks->lost / (double)(tasks->lost + tasks->trace->n);

	if (!counts->op[TL_TASK_WAIT])
		return false;
	if (most(counts->guarded_waits, counts->op[TL_TASK_WAIT]))
		return true;
	return (double)(counts->guarded_waits + counts->released_waits) >= (0.95 - 4 * lost) * waits &&
	       (double)counts->inside_waits >= (0.99 - 2 * lost) * waits;
}

static enum tl_task_use signal_use(const struct tl_tasks *tasks, const struct counts *counts)
{
	uint64_t signals = counts->op[TL_TASK_SIGNAL], waits = counts->op[TL_TASK_WAIT];
	bool guarded = waits_guarded(tasks, counts);

	/* A thread that was in its library when the recording began shows how that waits for a mutex. */
	if ((counts->op[TL_TASK_LOCK] + counts->op[TL_TASK_UNLOCK]) > 10 * (signals + waits))
		return TL_TASK_USE_MUTEX;
	if (signals && !guarded && most(counts->by_owner, signals))
		return TL_TASK_USE_MUTEX;
	if (waits * 10 > signals * 11 + 20)
		return TL_TASK_USE_BROADCAST;
	if (guarded)
		return TL_TASK_USE_CONDITION;
	return signals * 100 > waits * 101 + 200 ? TL_TASK_USE_EVENTS : TL_TASK_USE_COUNTER;
}

static enum tl_task_use use_of(const struct tl_tasks *tasks, const struct counts *counts)
{
	if (counts->op[TL_TASK_ENQ] || counts->op[TL_TASK_DEQ])
		return TL_TASK_USE_QUEUE;
	if (counts->op[TL_TASK_SEND] || counts->op[TL_TASK_RECV])
		return TL_TASK_USE_STREAM;
	if (counts->op[TL_TASK_SIGNAL] || counts->op[TL_TASK_WAIT])
		return signal_use(tasks, counts);
	return counts->op[TL_TASK_LOCK] || counts->op[TL_TASK_UNLOCK] ? TL_TASK_USE_MUTEX :
									TL_TASK_USE_NONE;
}

/* ---- how each is matched ------------------------------------------------------------- */

static void match_broadcast(struct matcher *m, struct tl_task_channel *channel)
{
	uint32_t last = TL_TASK_NONE;
	size_t i;

	for (i = 0; i < channel->n; i++) {
		if (tl_task_gives(m->event[channel->step[i]].op))
			last = channel->step[i];
		else
			channel->from[i] = last;
	}
}

/* Each takes all that was given since the one before: the oldest as the others do, the rest
 * here. */
static int match_events(struct matcher *m, struct tl_task_channel *channel)
{
	size_t i, k, begin = 0;
	int code = 0;

	for (i = 0; i < channel->n && !code; i++) {
		if (tl_task_gives(m->event[channel->step[i]].op))
			continue;
		if (begin < i)
			channel->from[i] = channel->step[begin];
		for (k = begin + 1; k < i && !code; k++)
			code = tl_task_handoff_add(m->tasks, channel->step[k], channel->step[i]);
		begin = i + 1;
	}
	return code;
}

static int match_by(struct matcher *m, struct tl_task_channel *channel, enum tl_task_use use)
{
	switch (use) {
	case TL_TASK_USE_CONDITION:
		return tl_task_condition(m->before, channel);
	case TL_TASK_USE_BROADCAST:
		match_broadcast(m, channel);
		return 0;
	case TL_TASK_USE_EVENTS:
		return match_events(m, channel);
	default:
		return tl_task_in_order(channel);
	}
}

/* Those without a position, in order. */
static int match_rest(struct tl_task_channel *channel, size_t left)
{
	struct tl_task_channel rest = { .trace = channel->trace };
	uint32_t *step = calloc(left, sizeof(*step)), *from = calloc(left, sizeof(*from));
	int code = -ENOMEM;
	size_t i;

	for (i = 0; i < channel->n && step && from; i++) {
		if (tl_task_position_known(&channel->trace->event[channel->step[i]]))
			continue;
		from[rest.n] = TL_TASK_NONE;
		step[rest.n++] = channel->step[i];
	}
	rest.step = step;
	rest.from = from;
	if (step && from)
		code = tl_task_in_order(&rest);
	for (i = 0, rest.n = 0; i < channel->n && !code; i++)
		if (!tl_task_position_known(&channel->trace->event[channel->step[i]]))
			channel->from[i] = from[rest.n++];
	channel->corrections += rest.corrections;
	free(step);
	free(from);
	return code;
}

/* What positions tell by them; the rest in order, or each all before it. */
static int match_flow(struct matcher *m, struct tl_task_channel *channel, size_t given,
		      enum tl_task_use use)
{
	bool all = use == TL_TASK_USE_STREAM && given != channel->n - given && !m->tasks->lost;
	size_t left = channel->n;
	int code = tl_task_positions(m->tasks, channel, &left);

	if (code || !left)
		return code;
	if (left == channel->n)
		return match_by(m, channel, all ? TL_TASK_USE_EVENTS : TL_TASK_USE_QUEUE);
	return match_rest(channel, left);
}

static int match_channel(struct matcher *m, struct tl_task_object *object, size_t n,
			 enum tl_task_use use)
{
	struct tl_task_channel channel = { .trace = m->tasks->trace, .step = m->step,
					   .from = m->from, .n = n };
	size_t i, given = 0;
	int code;

	for (i = 0; i < n; i++) {
		m->from[i] = TL_TASK_NONE;
		given += tl_task_gives(m->event[m->step[i]].op);
	}
	object->given += given;
	object->taken += n - given;
	code = use == TL_TASK_USE_STREAM || use == TL_TASK_USE_QUEUE ? match_flow(m, &channel, given, use) :
								       match_by(m, &channel, use);
	for (i = 0; i < n && !code; i++) {
		if (m->from[i] == TL_TASK_NONE)
			continue;
		object->matched++;
		code = tl_task_handoff_add(m->tasks, m->from[i], m->step[i]);
	}
	object->corrections += channel.corrections;
	return code;
}

/* ---- streams ------------------------------------------------------------------------- */

static uint32_t end_at(const struct matcher *m, uint32_t event)
{
	const struct tl_task_event *e = &m->event[event];

	return e->end == TL_TASK_NONE ? e->thread : e->end;
}

/* Several threads and no ends: nobody knows who is where, and better no edge than a wrong one. */
static int unknown_ends(const struct matcher *m, struct tl_task_object *object,
			const uint32_t *at, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		object->given += tl_task_gives(m->event[at[i]].op);
		object->taken += tl_task_takes(m->event[at[i]].op);
	}
	return 0;
}

/* Of both ways, what one end sends and the other receives. */
static int match_stream(struct matcher *m, struct tl_task_object *object, const uint32_t *at,
			size_t n)
{
	uint32_t end[2] = { TL_TASK_NONE, TL_TASK_NONE };
	size_t i, way, steps;
	int code = 0;

	for (i = 0; i < n; i++) {
		uint32_t this = end_at(m, at[i]);

		if (!tl_task_gives(m->event[at[i]].op) && !tl_task_takes(m->event[at[i]].op))
			continue;
		if (end[0] == TL_TASK_NONE)
			end[0] = this;
		else if (this != end[0] && end[1] == TL_TASK_NONE)
			end[1] = this;
		else if (this != end[0] && this != end[1])
			return unknown_ends(m, object, at, n);
	}
	for (way = 0; way < 2 && !code; way++) {
		for (i = 0, steps = 0; i < n; i++)
			if ((tl_task_gives(m->event[at[i]].op) && end_at(m, at[i]) == end[way]) ||
			    (tl_task_takes(m->event[at[i]].op) && end_at(m, at[i]) != end[way]))
				m->step[steps++] = at[i];
		code = match_channel(m, object, steps, TL_TASK_USE_STREAM);
	}
	return code;
}

static struct tl_task_of events_of(const struct matcher *m, uint32_t object)
{
	return (struct tl_task_of){ object, m->order + m->begin[object], m->begin[object + 1] - m->begin[object] };
}

/* The mutex that who waits for a condition gives back meanwhile: the first one's, or TL_TASK_NONE. */
static uint32_t mutex_of(const struct matcher *m, const struct tl_task_of *condition)
{
	size_t i;

	for (i = 0; i < condition->n; i++)
		if (m->event[condition->at[i]].op == TL_TASK_WAIT && released(m, condition->at[i]))
			return m->event[m->before[condition->at[i]]].object;
	return TL_TASK_NONE;
}

static int match_guarded(struct matcher *m, uint32_t object, bool *is)
{
	struct tl_task_of condition = events_of(m, object), mutex;
	uint32_t index = mutex_of(m, &condition);

	*is = false;
	if (index == TL_TASK_NONE)
		return 0;
	mutex = events_of(m, index);
	return tl_task_guarded(m->tasks, &mutex, &condition, is);
}

static int match_object(struct matcher *m, size_t index)
{
	struct tl_task_object *object = &m->tasks->object[index];
	const uint32_t *at = m->order + m->begin[index];
	size_t n = m->begin[index + 1] - m->begin[index], i, steps;
	struct counts counts = count(m, at, n);

	object->use = use_of(m->tasks, &counts);
	if (object->use == TL_TASK_USE_MUTEX || object->use == TL_TASK_USE_NONE)
		return 0;
	if (object->use == TL_TASK_USE_STREAM)
		return match_stream(m, object, at, n);
	if (object->use == TL_TASK_USE_CONDITION) {
		bool is;
		int code = match_guarded(m, (uint32_t)index, &is);

		if (code || is)
			return code;
	}
	for (i = 0, steps = 0; i < n; i++) {
		enum tl_task_op op = m->event[at[i]].op;

		if (object->use == TL_TASK_USE_QUEUE ? op == TL_TASK_ENQ || op == TL_TASK_DEQ :
						       op == TL_TASK_SIGNAL || op == TL_TASK_WAIT)
			m->step[steps++] = at[i];
	}
	return match_channel(m, object, steps, object->use);
}

static int handoff_compare(const void *a, const void *b)
{
	const struct tl_task_handoff *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static int match_all(struct matcher *m)
{
	struct tl_tasks *tasks = m->tasks;
	int code = guards(m, m->step);
	size_t i;

	tl_tasks_by_object(m->tasks->trace, m->order, m->begin);
	by_thread(m);
	for (i = 0; i < tasks->trace->objects && !code; i++)
		code = match_object(m, i);
	if (code)
		return code;
	if (tasks->handoffs)
		qsort(tasks->handoff, tasks->handoffs, sizeof(*tasks->handoff), handoff_compare);
	for (i = tasks->handoffs; i-- > 0;)
		tasks->giver[tasks->handoff[i].to] = (uint32_t)i;
	return 0;
}

/**
 * tl_tasks_match() - Find what threads hand to each other
 * @tasks: has its leaves; gets hand-offs and what objects are used for
 *
 * Return: 0 or -ENOMEM.
 */
int tl_tasks_match(struct tl_tasks *tasks)
{
	const struct tl_task_trace *t = tasks->trace;
	struct matcher m = { .tasks = tasks, .event = t->event };
	int code = -ENOMEM;

	m.order = calloc(t->n + 1, sizeof(*m.order));
	m.from = calloc(t->n + 1, sizeof(*m.from));
	m.step = calloc(t->n + 1, sizeof(*m.step));
	m.before = calloc(t->n + 1, sizeof(*m.before));
	m.begin = calloc(t->objects + 2, sizeof(*m.begin));
	m.mark = calloc(t->threads + 1, sizeof(*m.mark));
	if (m.order && m.from && m.step && m.before && m.begin && m.mark)
		code = match_all(&m);
	free(m.order);
	free(m.from);
	free(m.step);
	free(m.before);
	free(m.begin);
	free(m.mark);
	return code;
}
