// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks for people. */
#include "tasks-out.h"

#include "lqn-out.h"
#include "model/canon.h"
#include "out.h"
#include "tasks-trace.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The innermost two functions of a stack: what came to the sync point, and for whom. */
static const char *innermost(const char *stack)
{
	const char *at = strrchr(stack, ';');

	if (!at)
		return stack;
	while (at > stack && at[-1] != ';')
		at--;
	return at;
}

/* "get;lock", or "get deq" where the function's name does not tell what was done. */
static void point_print(const struct tl_tasks_trace *trace, uint32_t stack, enum tl_task_op op,
			FILE *to)
{
	const char *text = innermost(tl_ids_key(&trace->stacks, stack, NULL));
	const char *last = strrchr(text, ';');

	fputs(text, to);
	if (!strcasestr(last ? last : text, tl_tasks_ops[op]))
		fprintf(to, "%s%s", *text ? " " : "", tl_tasks_ops[op]);
}

/**
 * tl_tasks_label() - What people may call a task
 * @found: tasks
 * @entry: class of the leaf that it begins with
 * @exit: class of the one that it ends with; the same for a leaf
 *
 * Return: where they begin and end, as "worker;get deq -> get;unlock"; to be freed. NULL
 * without memory.
 */
char *tl_tasks_label(const struct tl_tasks_found *found, uint32_t entry, uint32_t exit)
{
	const struct tl_task_class *first = &found->tasks->class[entry];
	const struct tl_task_class *last = &found->tasks->class[exit];
	char *label = NULL, *utf8;
	size_t len;
	FILE *to = open_memstream(&label, &len);

	if (!to)
		return NULL;
	point_print(found->trace, first->first_stack, first->first_op, to);
	fputs(" -> ", to);
	point_print(found->trace, last->last_stack, last->last_op, to);
	fclose(to);
	/* Names of functions are what a file says. */
	utf8 = label ? tl_text_utf8(label, len) : NULL;
	free(label);
	return utf8;
}

struct row {
	const struct tl_task_figures *figures;
	uint32_t number, entry, exit, level;
};

static int row_compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->level != y->level)
		return x->level > y->level ? -1 : 1;
	if (x->figures->time_ns != y->figures->time_ns)
		return x->figures->time_ns > y->figures->time_ns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* A mean, in ms, of what is known. */
static void mean_add(struct tl_grid *grid, int64_t ns, uint64_t n)
{
	if (n)
		tl_grid_add(grid, "%.4g", (double)ns / (double)n / 1e6);
	else
		tl_grid_add(grid, "-");
}

static void bytes_add(struct tl_grid *grid, int64_t bytes, uint64_t n)
{
	if (n)
		tl_grid_add(grid, "%.4g", (double)bytes / (double)n);
	else
		tl_grid_add(grid, "-");
}

/* What is known of no task has no column. */
struct columns {
	bool network, storage;
};

static struct columns columns_of(const struct tl_tasks_found *found)
{
	struct columns columns = { false };
	size_t i;

	for (i = 0; i < found->tasks->classes; i++) {
		columns.network |= found->figures[i].sent_count || found->figures[i].received_count;
		columns.storage |= found->figures[i].storage_count;
	}
	return columns;
}

/* Of a higher task all are Σ of its leaves', by how often it occurs. */
static void row_add(struct tl_grid *grid, const struct tl_tasks_found *found,
		    const struct row *row, struct columns columns)
{
	const struct tl_task_figures *f = row->figures;
	char *label = tl_tasks_label(found, row->entry, row->exit);

	tl_grid_add(grid, "%" PRIu32, row->number);
	tl_grid_add(grid, "%" PRIu32, row->level);
	tl_grid_add(grid, "%s", label ? label : "");
	tl_grid_add(grid, "%" PRIu64, f->count);
	mean_add(grid, f->time_ns, f->count);
	mean_add(grid, f->cpu_ns, f->cpu_count ? f->count : 0);
	mean_add(grid, f->wait_ns, f->wait_count ? f->count : 0);
	mean_add(grid, f->handoff_ns, f->handoff_count ? f->count : 0);
	if (columns.network) {
		bytes_add(grid, f->sent_bytes, f->sent_count ? f->count : 0);
		bytes_add(grid, f->received_bytes, f->received_count ? f->count : 0);
	}
	if (columns.storage) {
		bytes_add(grid, f->read_bytes, f->storage_count ? f->count : 0);
		bytes_add(grid, f->written_bytes, f->storage_count ? f->count : 0);
	}
	tl_grid_add(grid, "%.3g", tl_task_concurrency(found->tasks, f));
	free(label);
}

static size_t rows_make(const struct tl_tasks_found *found, struct row *row)
{
	const struct tl_tasks *t = found->tasks;
	size_t n = 0, i;

	for (i = 0; i < t->classes; i++, n++)
		row[n] = (struct row){ &found->figures[i], (uint32_t)i, (uint32_t)i, (uint32_t)i, 0 };
	for (i = 0; i < found->mined->n; i++, n++) {
		const struct tl_task_higher *h = &found->mined->higher[i];

		row[n] = (struct row){ &h->figures, (uint32_t)n, h->entry, h->exit, h->level };
	}
	if (n)
		qsort(row, n, sizeof(*row), row_compare);
	return n;
}

static void tasks_print(const struct tl_tasks_found *found, FILE *to)
{
	struct columns columns = columns_of(found);
	struct tl_grid *grid;
	char heads[160];
	struct row *row = calloc(found->tasks->classes + found->mined->n + 1, sizeof(*row));
	size_t n = row ? rows_make(found, row) : 0, i;

	snprintf(heads, sizeof(heads), ">task|>level|begins -> ends|>count|>ms|>cpu ms|>wait ms|>handed on ms"
		 "%s%s|>at once", columns.network ? "|>sent B|>received B" : "",
		 columns.storage ? "|>read B|>written B" : "");
	grid = tl_grid_new(heads);
	for (i = 0; i < n && i < TL_LQN_ROWS_MAX; i++)
		row_add(grid, found, &row[i], columns);
	tl_lqn_grid_end(grid, n, to);
	free(row);
}

static void members_print(const struct tl_tasks_found *found, FILE *to)
{
	const struct tl_task_mined *mined = found->mined;
	size_t i, k;

	for (i = 0; i < mined->n && i < TL_LQN_ROWS_MAX; i++) {
		fprintf(to, "task %zu is made of", found->tasks->classes + i);
		for (k = 0; k < mined->higher[i].members; k++)
			fprintf(to, " %" PRIu32, mined->member[mined->higher[i].member + k]);
		fputc('\n', to);
	}
}

static void mining_print(const struct tl_tasks_found *found, FILE *to)
{
	fprintf(to, "a higher task occurs %" PRIu64 " times at least (--support) and has %zu members at most "
		"(--size): %zu in jobs of %zu different shapes\n", found->mining->support,
		found->mining->size, found->mined->n, found->mined->shapes);
	if (found->mined->left_out)
		fprintf(to, "%" PRIu64 " jobs were not looked at: there are too many different ones\n",
			found->mined->left_out);
	if (found->mined->by_time)
		fprintf(to, "%" PRIu64 " jobs have more than %d leaf tasks, or took too long: their shapes are told "
			"apart by the order of time, too\n", found->mined->by_time, TL_CANON_MAX);
	if (found->mined->cut)
		fprintf(to, "only the first %" PRIu64 " pieces of their graphs were looked at: a larger --effort "
			"or a smaller --size sees all\n", found->mined->looked_at);
}

static void unmatched_print(const struct tl_tasks_found *found, FILE *to)
{
	uint64_t unmatched = 0, taken = 0;
	size_t i;

	for (i = 0; i < found->trace->trace.objects; i++) {
		taken += found->tasks->object[i].taken;
		unmatched += found->tasks->object[i].taken - found->tasks->object[i].matched;
	}
	if (unmatched)
		fprintf(to, "%" PRIu64 " of %" PRIu64 " waits, takings and receivings have nobody who was "
			"seen to give\n", unmatched, taken);
}

/**
 * tl_tasks_print() - Print tasks for people
 * @found: tasks
 * @to: where
 */
void tl_tasks_print(const struct tl_tasks_found *found, FILE *to)
{
	const struct tl_tasks *t = found->tasks;

	tl_lqn_notes_print(&found->trace->notes);
	if (t->classes)
		tasks_print(found, to);
	fputc('\n', to);
	members_print(found, to);
	fprintf(to, "%zu events of %zu threads, %" PRIu64 " lost; %zu leaf tasks of %zu kinds, %zu hand-offs\n",
		t->trace->n, t->trace->threads, t->lost, t->leaves, t->classes, t->handoffs);
	if (t->mended)
		fprintf(to, "of what was lost %" PRIu64 " were put in again: threads always do them there\n", t->mended);
	if (t->mend_cut)
		fputs("so much was lost that not all of it was looked at\n", to);
	fprintf(to, "%zu jobs of %zu types; %" PRIu64 " leaf tasks are part of none\n", t->jobs, t->types,
		t->alone);
	unmatched_print(found, to);
	mining_print(found, to);
	tl_tasks_waits_print(found, to);
}
