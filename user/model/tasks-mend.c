// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What was lost, from what threads always do
 *
 * A thread that is seen to lock, and to unlock what it locked, and between the two always takes
 * something out where nothing was lost, has done so here, too. Of all ways to put in what is
 * missing between a thread's successive sync points, none, one or two where so many numbers are
 * missing, the likeliest for the whole thread is taken (Viterbi): each step is as likely as it
 * is where nothing was lost (tasks-habits.c), and that something is missing, as what is
 * missing of all events of that time.
 *
 * What is put in gets a number that is missing, near the time at which it usually comes. It is
 * no part of what is found: leaves and hand-offs are of what was seen. But queues keep
 * count, and threads are told what job they work on.
 */
#include "tasks-mend.h"

#include "tasks-habits.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define WAYS 6 /* that are kept for each event */
#define PUT_MAX 2 /* events between two */
#define FITS_MAX 4 /* e to it is what the time that something takes may tell */
#define GAPS_MAX 4096 /* that are looked at for a place */
#define TRIED_MAX 20000000 /* ways in all: some ten seconds */
#define LOST_MAX 0.2 /* part of all events, beyond which habits are not known */

/* A way to have come to an event. */
struct way {
	double score; /* logarithm */
	uint32_t from; /* the way to the event before */
	uint32_t before; /* point before the event's own, seen or put in */
	uint32_t put[PUT_MAX]; /* points; TL_TASK_NONE behind the last */
};

struct ways {
	struct way way[WAYS];
	size_t n;
};

struct put {
	uint32_t gap, point, thread, order; /* before which event */
	int64_t time_ns;
};

struct mender {
	const struct tl_task_trace *trace;
	struct tl_task_habits habits;
	struct way *way;
	size_t ways, way_room;
	uint32_t *first; /* [events + 1] of each one's ways */
	uint32_t *put; /* [events][PUT_MAX] what is put in before it, in its thread */
	uint32_t *used; /* [events] missing numbers before it that are taken */
	struct put *all;
	size_t n, room;
	uint64_t tried; /* ways */
};

/* ---- the likeliest way --------------------------------------------------------------- */

/* Of those with the same point before, the likelier; of all, the likeliest. */
static void ways_add(struct ways *ways, const struct way *way)
{
	size_t i, worst = 0;

	for (i = 0; i < ways->n; i++) {
		if (ways->way[i].before == way->before) {
			if (way->score > ways->way[i].score)
				ways->way[i] = *way;
			return;
		}
		worst = ways->way[i].score < ways->way[worst].score ? i : worst;
	}
	if (ways->n < WAYS)
		ways->way[ways->n++] = *way;
	else if (way->score > ways->way[worst].score)
		ways->way[worst] = *way;
}

static double step(const struct mender *m, uint32_t before, uint32_t point, uint32_t after)
{
	return log(tl_task_likely(&m->habits, before, point, after));
}

static const struct tl_task_habit *usual(const struct mender *m, uint32_t point)
{
	return m->habits.usual + TL_TASK_USUAL * point;
}

static const struct tl_task_habit *habit_of(const struct mender *m, uint32_t point, uint32_t after)
{
	const struct tl_task_habit *one = usual(m, point);
	size_t i;

	for (i = 0; i < TL_TASK_USUAL && one[i].weight > 0; i++)
		if (one[i].point == after)
			return &one[i];
	return NULL;
}

static double usual_ns(const struct mender *m, uint32_t point, uint32_t after)
{
	const struct tl_task_habit *habit = habit_of(m, point, after);

	return habit && habit->ns > 0 ? habit->ns / habit->weight : 0;
}

/* What takes so long that something is mostly lost meanwhile is known from the quickest alone. */
static double quick_ns(const struct mender *m, uint32_t point, uint32_t after)
{
	const struct tl_task_habit *habit = habit_of(m, point, after);

	return habit && habit->weight <= 2 * (double)habit->seen ? usual_ns(m, point, after) : 0;
}

/*
 * How much better the time that it took fits to a mean than to another, as a logarithm, if both
 * are those of exponential ones; that is little to be relied on, so it never outweighs what is
 * never done, and only tells whether a thread slept. 0 if a mean is not known.
 */
static double fits(double ns, double mean, double other)
{
	double better = mean > 0 && other > 0 ? log(other / mean) + ns / other - ns / mean : 0;

	return better > FITS_MAX ? FITS_MAX : better < -FITS_MAX ? -FITS_MAX : better;
}

/* Between two events of a thread, one after the other. */
struct between {
	struct way at; /* to the first */
	uint32_t a, c; /* points */
	double rho; /* what is missing of all that is between */
	double ns, direct_ns; /* the time; and what it takes on the mean with nothing between */
};

static void put_two(const struct mender *m, struct ways *ways, struct way way, const struct between *b)
{
	const struct tl_task_habit *two = usual(m, way.put[0]);
	double so_far = b->at.score + step(m, b->at.before, b->a, way.put[0]) + 2 * log(b->rho);
	size_t i;

	for (i = 0; i < TL_TASK_USUAL && two[i].weight > 0; i++) {
		way.put[1] = way.before = two[i].point;
		way.score = so_far + step(m, b->a, way.put[0], way.put[1]) +
			    step(m, way.put[0], way.put[1], b->c);
		ways_add(ways, &way);
	}
}

static void put_one(const struct mender *m, struct ways *ways, struct way way, const struct between *b)
{
	const struct tl_task_event *put = &m->trace->event[m->habits.example[way.put[0]]];

	way.score = b->at.score + log(b->rho) + step(m, b->at.before, b->a, way.put[0]) +
		    step(m, b->a, way.put[0], b->c);
	if (put->op == TL_TASK_WAIT)
		way.score += fits(b->ns, usual_ns(m, b->a, way.put[0]) + usual_ns(m, way.put[0], b->c),
				  b->direct_ns);
	ways_add(ways, &way);
}

static void way_on(const struct mender *m, struct ways *ways, uint32_t from, uint32_t event,
		   uint64_t missing)
{
	const struct tl_task_event *e = m->trace->event;
	uint32_t before = m->habits.before[event];
	struct between b = { .at = m->way[from], .a = m->habits.point[before], .c = m->habits.point[event] };
	struct way way = { .from = from, .before = b.a, .put = { TL_TASK_NONE, TL_TASK_NONE } };
	const struct tl_task_habit *one = usual(m, b.a);
	size_t i;

	way.score = b.at.score + step(m, b.at.before, b.a, b.c);
	ways_add(ways, &way);
	if (!missing)
		return;
	b.rho = (double)missing / ((double)missing + (event - before - 1));
	b.ns = (double)(e[event].time_ns - e[before].time_ns);
	b.direct_ns = quick_ns(m, b.a, b.c);
	for (i = 0; i < TL_TASK_USUAL && one[i].weight > 0; i++) {
		way.put[0] = way.before = one[i].point;
		way.put[1] = TL_TASK_NONE;
		put_one(m, ways, way, &b);
		if (missing > 1)
			put_two(m, ways, way, &b);
	}
}

static int ways_keep(struct mender *m, const struct ways *ways)
{
	size_t room = m->way_room ? 2 * m->way_room : 4096, i;
	struct way *grown;

	if (m->ways + WAYS > m->way_room) {
		grown = reallocarray(m->way, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		m->way = grown;
		m->way_room = room;
	}
	for (i = 0; i < ways->n; i++)
		m->way[m->ways++] = ways->way[i];
	return 0;
}

/* Numbers that are missing before an event, of which something may be put in. */
static uint64_t missing_at(struct mender *m, uint32_t before, uint32_t event)
{
	uint64_t missing = tl_task_missing(m->trace, before, event);

	m->tried += missing > 1 ? TL_TASK_USUAL * TL_TASK_USUAL : missing ? TL_TASK_USUAL : 0;
	return m->tried < TRIED_MAX ? missing : 0;
}

static int ways_find(struct mender *m)
{
	int code = 0;
	uint32_t i, k;

	for (i = 0; i < m->trace->n && !code; i++) {
		uint32_t before = m->habits.before[i];
		struct ways ways = { .n = 0 };

		m->first[i] = (uint32_t)m->ways;
		if (before == TL_TASK_NONE)
			ways_add(&ways, &(struct way){ .before = TL_TASK_NONE, .from = TL_TASK_NONE,
						       .put = { TL_TASK_NONE, TL_TASK_NONE } });
		else
			for (k = m->first[before]; k < m->first[before + 1]; k++)
				way_on(m, &ways, k, i, missing_at(m, before, i));
		code = ways_keep(m, &ways);
		m->first[i + 1] = (uint32_t)m->ways;
	}
	return code;
}

/* From a thread's last event back. */
static void way_back(struct mender *m, uint32_t event)
{
	uint32_t best = m->first[event], i;
	size_t k;

	for (i = best; i < m->first[event + 1]; i++)
		best = m->way[i].score > m->way[best].score ? i : best;
	while (m->habits.before[event] != TL_TASK_NONE) {
		for (k = 0; k < PUT_MAX; k++)
			m->put[PUT_MAX * event + k] = m->way[best].put[k];
		best = m->way[best].from;
		event = m->habits.before[event];
	}
}

static int ways_back(struct mender *m)
{
	bool *followed = calloc(m->trace->n + 1, sizeof(*followed));
	uint32_t i;

	if (!followed)
		return -ENOMEM;
	for (i = 0; i < m->trace->n; i++)
		if (m->habits.before[i] != TL_TASK_NONE)
			followed[m->habits.before[i]] = true;
	for (i = 0; i < m->trace->n; i++)
		if (!followed[i])
			way_back(m, i);
	free(followed);
	return 0;
}

/* ---- its place ----------------------------------------------------------------------- */

static bool free_at(const struct mender *m, uint32_t event)
{
	return tl_task_missing(m->trace, event - 1, event) > m->used[event];
}

/* The gap with a number left that is nearest to a time, after @low and up to before @high. */
static uint32_t gap_find(const struct mender *m, uint32_t low, uint32_t high, int64_t time_ns)
{
	uint32_t a = low + 1, b = high, middle, n;

	while (a < b) {
		middle = a + (b - a) / 2;
		if (m->trace->event[middle].time_ns < time_ns)
			a = middle + 1;
		else
			b = middle;
	}
	for (n = 0, b = a; n < GAPS_MAX && (a > low || b < high); n++) {
		if (a > low && free_at(m, a))
			return a;
		a -= a > low;
		b += b < high;
		if (b > low && b <= high && free_at(m, b))
			return b;
	}
	return TL_TASK_NONE;
}

static int put_add(struct mender *m, uint32_t gap, uint32_t point, uint32_t thread, int64_t time_ns)
{
	size_t room = m->room ? 2 * m->room : 256;
	const struct tl_task_event *event = m->trace->event;
	struct put *grown;

	if (m->n == m->room) {
		grown = reallocarray(m->all, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		m->all = grown;
		m->room = room;
	}
	time_ns = time_ns < event[gap].time_ns ? time_ns : event[gap].time_ns;
	time_ns = time_ns > event[gap - 1].time_ns ? time_ns : event[gap - 1].time_ns;
	m->all[m->n] = (struct put){ gap, point, thread, (uint32_t)m->n, time_ns };
	m->used[gap]++;
	m->n++;
	return 0;
}

/* At the same part of the time between that it usually comes at. */
static int event_put(struct mender *m, uint32_t event)
{
	const struct tl_task_event *e = m->trace->event;
	uint32_t before = m->habits.before[event], point = m->habits.point[before], low = before, gap;
	const uint32_t *put = m->put + PUT_MAX * event;
	double ns[PUT_MAX + 1] = { 0 }, all = 0, part = 0;
	size_t i, n;
	int code = 0;

	for (n = 0; n < PUT_MAX && put[n] != TL_TASK_NONE; n++, point = put[n - 1])
		ns[n] = usual_ns(m, point, put[n]);
	ns[n] = usual_ns(m, point, m->habits.point[event]);
	for (i = 0; i <= n; i++)
		all += ns[i];
	for (i = 0; i < n && !code; i++) {
		int64_t time_ns = e[before].time_ns;

		part += ns[i];
		if (all > 0)
			time_ns += (int64_t)((double)(e[event].time_ns - e[before].time_ns) * (part / all));
		gap = gap_find(m, low, event, time_ns);
		if (gap == TL_TASK_NONE)
			continue;
		low = gap - 1;
		code = put_add(m, gap, put[i], e[event].thread, time_ns);
	}
	return code;
}

static int put_compare(const void *a, const void *b)
{
	const struct put *x = a, *y = b;

	if (x->gap != y->gap)
		return x->gap < y->gap ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* ---- all of it ----------------------------------------------------------------------- */

static struct tl_task_event event_of(const struct mender *m, const struct put *put, uint64_t seq)
{
	struct tl_task_event event = m->trace->event[m->habits.example[put->point]];

	event.seq = seq;
	event.time_ns = put->time_ns;
	event.thread = put->thread;
	event.given_ns = event.cpu_ns = event.wait_ns = event.bytes = event.position = TL_TASK_UNKNOWN;
	event.read_bytes = event.written_bytes = TL_TASK_UNKNOWN;
	return event;
}

static int merge(struct mender *m, struct tl_task_mended *mended)
{
	const struct tl_task_trace *t = m->trace;
	size_t i, k = 0, n = 0;

	mended->trace = *t;
	mended->trace.event = calloc(t->n + m->n + 1, sizeof(*mended->trace.event));
	mended->seen = calloc(t->n + m->n + 1, sizeof(*mended->seen));
	if (!mended->trace.event || !mended->seen)
		return -ENOMEM;
	if (m->n)
		qsort(m->all, m->n, sizeof(*m->all), put_compare);
	for (i = 0; i < t->n; i++) {
		for (; k < m->n && m->all[k].gap == i; k++, n++) {
			mended->trace.event[n] = event_of(m, &m->all[k], mended->trace.event[n - 1].seq + 1);
			mended->seen[n] = TL_TASK_NONE;
		}
		mended->trace.event[n] = t->event[i];
		mended->seen[n++] = (uint32_t)i;
	}
	mended->trace.n = n;
	mended->added = m->n;
	mended->cut = m->tried >= TRIED_MAX || m->habits.lost > LOST_MAX;
	return 0;
}

static int mend(struct mender *m, struct tl_task_mended *mended)
{
	uint32_t i;
	int code = tl_task_habits_find(m->trace, &m->habits);

	for (i = 0; i < PUT_MAX * m->trace->n; i++)
		m->put[i] = TL_TASK_NONE;
	if (!code && m->habits.lost > 0 && m->habits.lost <= LOST_MAX) {
		code = ways_find(m);
		code = code ? code : ways_back(m);
	}
	for (i = 0; i < m->trace->n && !code; i++)
		if (m->put[PUT_MAX * i] != TL_TASK_NONE)
			code = event_put(m, i);
	return code ? code : merge(m, mended);
}

/**
 * tl_tasks_mend() - Put in what was lost, where it is known what it was
 * @trace: what was seen
 * @mended: written; to be freed by tl_tasks_mended_free(), also after a failure
 *
 * Return: 0 or -ENOMEM.
 */
int tl_tasks_mend(const struct tl_task_trace *trace, struct tl_task_mended *mended)
{
	struct mender m = { .trace = trace };
	int code = -ENOMEM;

	*mended = (struct tl_task_mended){ .added = 0 };
	m.first = calloc(trace->n + 2, sizeof(*m.first));
	m.put = calloc(trace->n + 1, PUT_MAX * sizeof(*m.put));
	m.used = calloc(trace->n + 1, sizeof(*m.used));
	if (m.first && m.put && m.used)
		code = mend(&m, mended);
	tl_task_habits_free(&m.habits);
	free(m.way);
	free(m.first);
	free(m.put);
	free(m.used);
	free(m.all);
	return code;
}

/**
 * tl_tasks_mended_free() - Free a mended trace
 * @mended: it
 */
void tl_tasks_mended_free(struct tl_task_mended *mended)
{
	free(mended->trace.event);
	free(mended->seen);
	*mended = (struct tl_task_mended){ .added = 0 };
}
