// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a layered queueing network can be solved
 *
 * A fault is what has no meaning or no steady state whatever the numbers are. A note is
 * what often is a slip of the pen and sometimes meant so.
 */
#include "lqn-read.h"

#include "lqn-draft.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-6 /* of probabilities that were printed with six digits */

static double forwarded(const struct tl_lqn *lqn, const struct tl_lqn_entry *entry)
{
	double sum = 0;
	size_t k;

	for (k = 0; k < entry->forwards; k++)
		sum += lqn->call[entry->first_forward + k].mean;
	return sum;
}

static void customers_check(const struct tl_lqn *lqn, const struct tl_lqn_task *task,
			    struct tl_faults *faults)
{
	const struct tl_lqn_entry *entry = &lqn->entry[task->first_entry];

	if (task->threads == TL_LQN_UNLIMITED)
		tl_faults_add(faults, task->line, "reference task \"%s\" has customers without limit: "
			      "give their number", task->name);
	if (task->entries > 1)
		tl_faults_add(faults, task->line, "reference task \"%s\" has %zu entries: give it one, "
			      "and a task for each kind of customer", task->name, task->entries);
	if (entry->arrivals_per_s > 0)
		tl_faults_add(faults, entry->line, "entry \"%s\" of a reference task has arrivals: move "
			      "them to the entry that it calls", entry->name);
	if (entry->forwards)
		tl_faults_add(faults, entry->line, "entry \"%s\" of a reference task forwards, but "
			      "nobody waits for its reply: call instead", entry->name);
	if (!(task->think_s > 0))
		tl_faults_note(faults, task->line, "reference task \"%s\" has no think time, its "
			       "customers come back at once: give one if they do not", task->name);
}

static void task_check(const struct tl_lqn *lqn, size_t index, struct tl_faults *faults)
{
	const struct tl_lqn_task *task = &lqn->task[index];

	if (!task->entries) {
		tl_faults_add(faults, task->line, "task \"%s\" has no entry: give it one", task->name);
		return;
	}
	if (!(task->think_s >= 0 && task->think_s <= 1e12))
		tl_faults_add(faults, task->line, "the think time of task \"%s\" is %g: give a number "
			      "from 0 to 1e12", task->name, task->think_s);
	if (task->reference)
		customers_check(lqn, task, faults);
	else if (task->think_s > 0)
		tl_faults_add(faults, task->line, "task \"%s\" has a think time and is no reference "
			      "task: leave it out", task->name);
}

static void exact_check(const struct tl_lqn *lqn, size_t e, size_t p,
			struct tl_faults *faults)
{
	const struct tl_lqn_phase *phase = &lqn->entry[e].phase[p];
	size_t k;

	for (k = phase->first_call; phase->exact && k < phase->first_call + phase->calls; k++)
		if (lqn->call[k].mean != floor(lqn->call[k].mean))
			tl_faults_add(faults, lqn->call[k].line, "entry \"%s\" calls \"%s\" exactly %g "
				      "times: give a whole number, or calls by chance",
				      lqn->entry[e].name, lqn->entry[lqn->call[k].to].name,
				      lqn->call[k].mean);
}

static void entry_check(const struct tl_lqn *lqn, size_t e, struct tl_faults *faults)
{
	const struct tl_lqn_entry *entry = &lqn->entry[e];
	double sum = forwarded(lqn, entry);
	size_t p;

	if (sum > 1 + ROUNDING)
		tl_faults_add(faults, entry->line, "entry \"%s\" forwards with probability %g: let it be "
			      "1 at most", entry->name, sum);
	for (p = 0; p < TL_LQN_PHASES; p++)
		exact_check(lqn, e, p, faults);
	if (!tl_lqn_phase_used(&entry->phase[0]) && !tl_lqn_phase_used(&entry->phase[1]) &&
	    !entry->forwards)
		tl_faults_note(faults, entry->line, "entry \"%s\" has no demand and no calls, it takes "
			       "no time: give its service time if it does", entry->name);
}

/* Calls of the same kind from a phase to one entry are one call with the sum of them. */
static void twice_check(const struct tl_lqn *lqn, size_t e, size_t first, size_t n,
			size_t *seen, struct tl_faults *faults)
{
	size_t k;

	for (k = first; k < first + n; k++) {
		size_t *mark = &seen[3 * lqn->call[k].to + lqn->call[k].kind];

		if (*mark > first)
			tl_faults_add(faults, lqn->call[k].line, "the calls from \"%s\" to \"%s\" are "
				      "given twice: give their sum once", lqn->entry[e].name,
				      lqn->entry[lqn->call[k].to].name);
		*mark = k + 1;
	}
}

static void calls_check(const struct tl_lqn *lqn, struct tl_faults *faults)
{
	size_t *seen = calloc(3 * lqn->entries + 1, sizeof(*seen)), e, p, k;

	faults->no_memory = faults->no_memory || !seen;
	for (e = 0; seen && e < lqn->entries; e++) {
		const struct tl_lqn_entry *entry = &lqn->entry[e];

		for (p = 0; p < TL_LQN_PHASES; p++)
			twice_check(lqn, e, entry->phase[p].first_call, entry->phase[p].calls, seen,
				    faults);
		twice_check(lqn, e, entry->first_forward, entry->forwards, seen, faults);
	}
	free(seen);
	for (k = 0; k < lqn->calls; k++)
		if (lqn->task[lqn->entry[lqn->call[k].to].task].reference)
			tl_faults_add(faults, lqn->call[k].line, "entry \"%s\" of a reference task is "
				      "called: customers are not, make it another task",
				      lqn->entry[lqn->call[k].to].name);
}

/* Whether who calls the entry and waits needs some time for that; of its own threads too,
 * if there is a limit to them. */
static bool entry_takes_time(const struct tl_lqn *lqn, size_t e, const double *time)
{
	const struct tl_lqn_entry *entry = &lqn->entry[e];
	size_t p, k;

	for (p = 0; p < TL_LQN_PHASES; p++) {
		const struct tl_lqn_phase *phase = &entry->phase[p];

		if (p && lqn->task[entry->task].threads == TL_LQN_UNLIMITED)
			break;
		if (phase->demand_s > 0 || phase->think_s > 0)
			return true;
		for (k = phase->first_call; k < phase->first_call + phase->calls; k++)
			if (lqn->call[k].kind == TL_LQN_SYNC && time[lqn->call[k].to] > 0)
				return true;
	}
	for (k = entry->first_forward; k < entry->first_forward + entry->forwards; k++)
		if (lqn->call[k].mean > 0 && time[lqn->call[k].to] > 0)
			return true;
	return false;
}

/* Customers that need no time for a cycle make infinitely many. */
static void cycles_check(const struct tl_lqn *lqn, double *time, struct tl_faults *faults)
{
	size_t i, e, t;

	for (i = lqn->entries; i-- > 0;) {
		e = lqn->order[i];
		time[e] = entry_takes_time(lqn, e, time);
	}
	for (t = 0; t < lqn->tasks; t++) {
		const struct tl_lqn_task *task = &lqn->task[t];

		if (task->reference && !(task->think_s > 0) && !(time[task->first_entry] > 0))
			tl_faults_add(faults, task->line, "customers of \"%s\" neither think nor need "
				      "any time: give a think time or a service time", task->name);
	}
}

static void sources(const struct tl_lqn *lqn, double *flow)
{
	size_t e;

	for (e = 0; e < lqn->entries; e++)
		flow[e] = lqn->entry[e].arrivals_per_s > 0 ||
			  lqn->task[lqn->entry[e].task].reference ? 1 : 0;
}

static void reach_check(const struct tl_lqn *lqn, struct tl_faults *faults)
{
	double *flow = calloc(lqn->entries + 1, sizeof(*flow)), any = 0;
	size_t e;

	faults->no_memory = faults->no_memory || !flow;
	if (!flow)
		return;
	sources(lqn, flow);
	for (e = 0; e < lqn->entries; e++)
		any += flow[e];
	if (!(any > 0))
		tl_faults_add(faults, 0, "nothing asks for anything: add a reference task (r), or "
			      "arrivals (a) at an entry");
	tl_lqn_flow(lqn, flow);
	for (e = 0; any > 0 && e < lqn->entries; e++)
		if (!(flow[e] > 0))
			tl_faults_note(faults, lqn->entry[e].line, "entry \"%s\" cannot be reached: call "
				       "it, or leave it out", lqn->entry[e].name);
	cycles_check(lqn, flow, faults);
	free(flow);
}

/*
 * Who waits for whom, with threads held: nodes are tasks, and behind them entries. A task
 * waits for the entries that its own call synchronously; an entry for a thread of its
 * task, and for those that it forwards to, which keep the caller waiting, not itself.
 */
struct waits {
	const struct tl_lqn *lqn;
	size_t *count, *queue, n; /* @count: who waits for the node; @queue: those nobody waits for */
};

static void waits_add(struct waits *w, size_t node)
{
	w->count[node]++;
}

static void waits_drop(struct waits *w, size_t node)
{
	if (!--w->count[node])
		w->queue[w->n++] = node;
}

static void task_waits(struct waits *w, size_t task, void (*see)(struct waits *, size_t))
{
	const struct tl_lqn_entry *first = &w->lqn->entry[w->lqn->task[task].first_entry];
	const struct tl_lqn_entry *last = first + w->lqn->task[task].entries - 1;
	size_t k;

	for (k = first->phase[0].first_call; k < last->first_forward; k++)
		if (w->lqn->call[k].kind == TL_LQN_SYNC)
			see(w, w->lqn->tasks + w->lqn->call[k].to);
}

static void entry_waits(struct waits *w, size_t e, void (*see)(struct waits *, size_t))
{
	const struct tl_lqn_entry *entry = &w->lqn->entry[e];
	size_t k;

	if (w->lqn->task[entry->task].threads != TL_LQN_UNLIMITED)
		see(w, entry->task);
	for (k = entry->first_forward; k < entry->first_forward + entry->forwards; k++)
		see(w, w->lqn->tasks + w->lqn->call[k].to);
}

static void node_waits(struct waits *w, size_t node, void (*see)(struct waits *, size_t))
{
	if (node < w->lqn->tasks)
		task_waits(w, node, see);
	else
		entry_waits(w, node - w->lqn->tasks, see);
}

/* Who holds a thread of a task and asks it again, directly or not, may wait for itself. */
static void threads_check(const struct tl_lqn *lqn, struct tl_faults *faults)
{
	size_t nodes = lqn->tasks + lqn->entries, i;
	struct waits w = { lqn, calloc(2 * nodes + 1, sizeof(*w.count)), NULL, 0 };

	faults->no_memory = faults->no_memory || !w.count;
	if (!w.count)
		return;
	w.queue = w.count + nodes;
	for (i = 0; i < nodes; i++)
		node_waits(&w, i, waits_add);
	for (i = 0; i < nodes; i++)
		if (!w.count[i])
			w.queue[w.n++] = i;
	for (i = 0; i < w.n; i++)
		node_waits(&w, w.queue[i], waits_drop);
	for (i = 0; w.n < nodes && i < lqn->tasks && !w.count[i]; i++)
		;
	if (w.n < nodes)
		tl_faults_note(faults, lqn->task[i].line, "requests come back to a task whose "
			       "threads they hold, as far as to task \"%s\": they may wait for each "
			       "other for ever, if its threads are few", lqn->task[i].name);
	free(w.count);
}

static void circle_check(struct tl_lqn *lqn, struct tl_faults *faults)
{
	size_t entry = 0;
	int code = tl_lqn_sort(lqn, &entry);

	if (code == -ENOMEM)
		faults->no_memory = true;
	else if (code)
		tl_faults_add(faults, lqn->entry[entry].line, "the calls of entry \"%s\" come back to "
			      "it: leave out a call of that circle", lqn->entry[entry].name);
}

/**
 * tl_lqn_check() - Look for what makes a network impossible to solve
 * @lqn: network whose indexes are right; @order is filled in
 * @faults: where it is kept
 */
void tl_lqn_check(struct tl_lqn *lqn, struct tl_faults *faults)
{
	size_t i;

	for (i = 0; i < lqn->tasks; i++)
		task_check(lqn, i, faults);
	for (i = 0; i < lqn->entries; i++)
		entry_check(lqn, i, faults);
	calls_check(lqn, faults);
	circle_check(lqn, faults);
	if (faults->faults || faults->no_memory)
		return;
	threads_check(lqn, faults);
	reach_check(lqn, faults);
}
