// SPDX-License-Identifier: GPL-2.0-or-later
/* What leaf tasks took: time, processor time, waits, bytes, and how many were under way at once. */
#include "tasks-figures.h"

static int64_t at_least_0(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

/**
 * tl_task_ns_sum() - Add times, or bytes
 * @a: one
 * @b: another
 *
 * Return: their sum, or the largest number there is: files may say anything.
 */
int64_t tl_task_ns_sum(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static void sum_add(int64_t *to, int64_t value)
{
	*to = tl_task_ns_sum(*to, value);
}

static void bytes_add(struct tl_task_figures *f, const struct tl_task_event *last)
{
	if (last->bytes < 0)
		return;
	if (last->op == TL_TASK_SEND) {
		f->sent_count++;
		sum_add(&f->sent_bytes, last->bytes);
	} else if (last->op == TL_TASK_RECV) {
		f->received_count++;
		sum_add(&f->received_bytes, last->bytes);
	}
}

static void storage_add(struct tl_task_figures *f, const struct tl_task_event *first,
			const struct tl_task_event *last)
{
	if (first->read_bytes < 0 || last->read_bytes < 0 || first->written_bytes < 0 ||
	    last->written_bytes < 0)
		return;
	f->storage_count++;
	sum_add(&f->read_bytes, at_least_0(last->read_bytes - first->read_bytes));
	sum_add(&f->written_bytes, at_least_0(last->written_bytes - first->written_bytes));
}

static void leaf_add(struct tl_task_figures *f, const struct tl_task_event *first,
		     const struct tl_task_event *last)
{
	f->count++;
	sum_add(&f->time_ns, at_least_0(last->time_ns - first->time_ns));
	if (first->cpu_ns >= 0 && last->cpu_ns >= 0) {
		f->cpu_count++;
		sum_add(&f->cpu_ns, at_least_0(last->cpu_ns - first->cpu_ns));
	}
	if (last->wait_ns >= 0) {
		f->wait_count++;
		sum_add(&f->wait_ns, last->wait_ns);
	}
	bytes_add(f, last);
	storage_add(f, first, last);
}

/**
 * tl_task_figures_add() - Add what a leaf took
 * @tasks: all of them
 * @leaf: one of them
 * @figures: where it is added
 */
void tl_task_figures_add(const struct tl_tasks *tasks, const struct tl_task_leaf *leaf,
			 struct tl_task_figures *figures)
{
	const struct tl_task_event *event = tasks->trace->event;
	uint32_t giver = tasks->giver[leaf->first];

	leaf_add(figures, &event[leaf->first], &event[leaf->last]);
	if (giver == TL_TASK_NONE)
		return;
	figures->handoff_count++;
	sum_add(&figures->handoff_ns, at_least_0(event[leaf->first].time_ns -
						 tl_task_given_ns(&event[tasks->handoff[giver].from])));
}

/**
 * tl_task_figures_sum() - Add figures
 * @to: where they are added
 * @from: what is
 */
void tl_task_figures_sum(struct tl_task_figures *to, const struct tl_task_figures *from)
{
	to->count += from->count;
	to->cpu_count += from->cpu_count;
	to->wait_count += from->wait_count;
	to->handoff_count += from->handoff_count;
	to->sent_count += from->sent_count;
	to->received_count += from->received_count;
	to->storage_count += from->storage_count;
	sum_add(&to->time_ns, from->time_ns);
	sum_add(&to->cpu_ns, from->cpu_ns);
	sum_add(&to->wait_ns, from->wait_ns);
	sum_add(&to->handoff_ns, from->handoff_ns);
	sum_add(&to->sent_bytes, from->sent_bytes);
	sum_add(&to->received_bytes, from->received_bytes);
	sum_add(&to->read_bytes, from->read_bytes);
	sum_add(&to->written_bytes, from->written_bytes);
}

/**
 * tl_tasks_figures() - What the leaves of each class took
 * @tasks: has leaves and hand-offs
 * @figures: [classes] written
 */
void tl_tasks_figures(const struct tl_tasks *tasks, struct tl_task_figures *figures)
{
	size_t i;

	for (i = 0; i < tasks->classes; i++)
		figures[i] = (struct tl_task_figures){ 0 };
	for (i = 0; i < tasks->leaves; i++)
		tl_task_figures_add(tasks, &tasks->leaf[i], &figures[tasks->leaf[i].class]);
}

/**
 * tl_task_concurrency() - How many leaves of a class were under way at once
 * @tasks: all of them
 * @figures: of the class
 *
 * Return: the mean over the trace, after Little; 0 for a trace of no length.
 */
double tl_task_concurrency(const struct tl_tasks *tasks, const struct tl_task_figures *figures)
{
	const struct tl_task_trace *t = tasks->trace;
	int64_t ns = t->n ? t->event[t->n - 1].time_ns - t->event[0].time_ns : 0;

	return ns > 0 ? (double)figures->time_ns / (double)ns : 0;
}
