// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Layered queueing networks
 *
 * Tasks are servers with a queue whose threads are executed by processors and wait for
 * the tasks that they call: a thread is held for as long as its request takes, with all
 * that the request waits for below. G. Franks, T. Al-Omari, M. Woodside, O. Das,
 * S. Derisavi, Enhanced Modeling and Solution of Layered Queueing Networks, IEEE
 * Transactions on Software Engineering 35, 2009, has the meaning of each number.
 *
 * How many requests an entry gets for those that come from outside is the same for
 * whoever solves the model, and is here.
 */
#include "lqn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void *array_copy(const void *from, size_t n, size_t size)
{
	void *to = calloc(n + 1, size);

	return to && n ? memcpy(to, from, n * size) : to;
}

static bool name_copy(char **name)
{
	*name = strdup(*name);
	return *name;
}

/* What is not named yet when memory ends must not be freed with the original's name. */
static int names_copy(struct tl_lqn *lqn)
{
	bool good = true;
	size_t i;

	for (i = 0; i < lqn->processors; i++)
		good = name_copy(&lqn->processor[i].name) && good;
	for (i = 0; i < lqn->tasks; i++)
		good = name_copy(&lqn->task[i].name) && good;
	for (i = 0; i < lqn->entries; i++)
		good = name_copy(&lqn->entry[i].name) && good;
	return good ? 0 : -ENOMEM;
}

/**
 * tl_lqn_copy() - Make another network that is the same
 * @copy: filled in; tl_lqn_free() frees it in any case
 * @lqn: network
 *
 * Return: 0 or -ENOMEM.
 */
int tl_lqn_copy(struct tl_lqn *copy, const struct tl_lqn *lqn)
{
	struct tl_lqn c = *lqn;

	c.title = lqn->title ? strdup(lqn->title) : NULL;
	c.processor = array_copy(lqn->processor, lqn->processors, sizeof(*lqn->processor));
	c.task = array_copy(lqn->task, lqn->tasks, sizeof(*lqn->task));
	c.entry = array_copy(lqn->entry, lqn->entries, sizeof(*lqn->entry));
	c.call = array_copy(lqn->call, lqn->calls, sizeof(*lqn->call));
	c.order = array_copy(lqn->order, lqn->entries, sizeof(*lqn->order));
	*copy = c;
	if (c.processor && c.task && c.entry && c.call && c.order)
		return names_copy(copy);
	copy->processors = copy->tasks = copy->entries = 0;
	return -ENOMEM;
}

/**
 * tl_lqn_free() - Free what a network holds
 * @lqn: network, which is empty afterwards
 */
void tl_lqn_free(struct tl_lqn *lqn)
{
	size_t i;

	for (i = 0; i < lqn->processors; i++)
		free(lqn->processor[i].name);
	for (i = 0; i < lqn->tasks; i++)
		free(lqn->task[i].name);
	for (i = 0; i < lqn->entries; i++)
		free(lqn->entry[i].name);
	free(lqn->title);
	free(lqn->processor);
	free(lqn->task);
	free(lqn->entry);
	free(lqn->call);
	free(lqn->order);
	*lqn = (struct tl_lqn){ 0 };
}

/* The calls of an entry stand together: phase 1, phase 2, forwarded. */
static size_t calls_end(const struct tl_lqn_entry *entry)
{
	return entry->first_forward + entry->forwards;
}

static size_t calls_begin(const struct tl_lqn_entry *entry)
{
	return entry->phase[0].first_call;
}

/* One of the entries that has callers still: walk from callee to caller, for long enough. */
static size_t circle_find(const struct tl_lqn *lqn, const size_t *callers, size_t *caller)
{
	size_t e, k, at = 0;

	for (e = 0; e < lqn->entries; e++)
		for (k = calls_begin(&lqn->entry[e]); callers[e] && k < calls_end(&lqn->entry[e]); k++)
			caller[lqn->call[k].to] = e;
	while (!callers[at])
		at++;
	for (e = 0; e < lqn->entries; e++)
		at = caller[at];
	return at;
}

/**
 * tl_lqn_sort() - Put callers before those that they call
 * @lqn: network, of which @order is filled in
 * @in_circle: set to an entry whose calls come back to it, if there is one
 *
 * Return: 0, -ELOOP, or -ENOMEM.
 */
int tl_lqn_sort(struct tl_lqn *lqn, size_t *in_circle)
{
	size_t *callers = calloc(lqn->entries + 1, sizeof(*callers)), done = 0, n = 0, i;

	free(lqn->order);
	lqn->order = calloc(lqn->entries + 1, sizeof(*lqn->order));
	if (!callers || !lqn->order) {
		free(callers);
		return -ENOMEM;
	}
	for (i = 0; i < lqn->calls; i++)
		callers[lqn->call[i].to]++;
	for (i = 0; i < lqn->entries; i++)
		if (!callers[i])
			lqn->order[n++] = i;
	while (done < n) {
		const struct tl_lqn_entry *entry = &lqn->entry[lqn->order[done++]];

		for (i = calls_begin(entry); i < calls_end(entry); i++)
			if (!--callers[lqn->call[i].to])
				lqn->order[n++] = lqn->call[i].to;
	}
	if (n < lqn->entries)
		*in_circle = circle_find(lqn, callers, lqn->order);
	free(callers);
	return n < lqn->entries ? -ELOOP : 0;
}

/**
 * tl_lqn_phase_used() - Whether anything is done in a phase
 * @phase: phase of an entry
 *
 * Return: whether it has a demand, a pause or calls.
 */
bool tl_lqn_phase_used(const struct tl_lqn_phase *phase)
{
	return phase->demand_s > 0 || phase->think_s > 0 || phase->calls;
}

/**
 * tl_lqn_demand_s() - How long a processor works for a phase
 * @lqn: network
 * @entry: index
 * @phase: 0 or 1
 *
 * Return: seconds of one of the processor's servers, in the mean.
 */
double tl_lqn_demand_s(const struct tl_lqn *lqn, size_t entry, size_t phase)
{
	const struct tl_lqn_entry *e = &lqn->entry[entry];

	return e->phase[phase].demand_s / lqn->processor[lqn->task[e->task].processor].speed;
}

/**
 * tl_lqn_flow() - How often entries are executed
 * @lqn: network
 * @per_s: [entries] in: what comes from outside, arrivals and cycles of customers;
 *         out: with all the calls that come of it
 *
 * Requests make their calls whether they are synchronous or not, in steady state:
 * flow into an entry is Σ over its callers of their flow times the mean of the call.
 */
void tl_lqn_flow(const struct tl_lqn *lqn, double *per_s)
{
	size_t i, k;

	for (i = 0; i < lqn->entries; i++) {
		const struct tl_lqn_entry *entry = &lqn->entry[lqn->order[i]];
		double flow = per_s[lqn->order[i]];

		for (k = calls_begin(entry); k < calls_end(entry); k++)
			per_s[lqn->call[k].to] += flow * lqn->call[k].mean;
	}
}
