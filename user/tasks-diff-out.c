// SPDX-License-Identifier: GPL-2.0-or-later
/* What differs between two recordings, for people and for programs. */
#include "tasks-diff.h"

#include "lqn-out.h"
#include "out.h"
#include "tasks-out.h"
#include "tasks-trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const tl_task_quantities[TL_TASK_QUANTITIES] = {
	[TL_TASK_COUNT] = "per job", [TL_TASK_TIME] = "ms", [TL_TASK_CPU] = "processor ms", [TL_TASK_SLEEP] = "asleep ms",
};

/* ---- programs ------------------------------------------------------------------------ */

static json_t *change_json(const struct tl_task_change *c, double unit)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:s}", "before", tl_out_real(c->mean[0] / unit),
			 "after", tl_out_real(c->mean[1] / unit), "low", tl_out_real(c->low / unit),
			 "high", tl_out_real(c->high / unit), "verdict", tl_task_verdicts[c->verdict]);
}

static json_t *type_json(const struct tl_tasks_diff *diff, uint32_t pair, int side)
{
	uint32_t type = diff->pair[pair].type[side];

	return type == TL_TASK_NONE || type == diff->view[side]->found->tasks->types ? json_null() :
										       json_integer(type);
}

static json_t *task_number(const struct tl_tasks_diff *diff, const struct tl_tasks_row *row, int side)
{
	if (row->node[side] == TL_TASK_NONE || row->level == TL_TASK_NONE)
		return json_null();
	return json_integer(diff->view[side]->tree.node[row->node[side]].task);
}

static json_t *row_json(const struct tl_tasks_diff *diff, const struct tl_tasks_row *row)
{
	bool root = row->level == TL_TASK_NONE;

	return json_pack("{s:[o,o], s:[o,o], s:o, s:o, s:[I,I], s:o, s:o, s:o, s:o, s:o}",
			 "type", type_json(diff, row->pair, 0), type_json(diff, row->pair, 1),
			 "task", task_number(diff, row, 0), task_number(diff, row, 1),
			 "level", root ? json_null() : json_integer(row->level),
			 "label", tl_out_text(tl_tasks_row_name(diff, row)),
			 "count", (json_int_t)row->sample[0].count, (json_int_t)row->sample[1].count,
			 "only", row->only == TL_TASK_INCOMPARABLE ? json_null() :
								     json_string(tl_task_verdicts[row->only]),
			 "per_job", change_json(&row->change[TL_TASK_COUNT], 1),
			 "time_s", change_json(&row->change[TL_TASK_TIME], 1e9),
			 "cpu_s", change_json(&row->change[TL_TASK_CPU], 1e9),
			 "sleep_s", change_json(&row->change[TL_TASK_SLEEP], 1e9));
}

static json_t *side_json(const struct tl_tasks_diff *diff, int side)
{
	const struct tl_tasks_found *found = diff->view[side]->found;
	const struct tl_faults *notes = &found->trace->notes;

	return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I}", "file", tl_out_name(notes->file),
			 "notes", tl_faults_json(notes->note, notes->notes),
			 "lost", (json_int_t)found->tasks->lost, "jobs", (json_int_t)found->tasks->jobs,
			 "types", (json_int_t)found->tasks->types,
			 "types_not_compared", (json_int_t)diff->rare[side]);
}

static json_t *pairs_json(const struct tl_tasks_diff *diff)
{
	json_t *array = json_array();
	size_t i;

	/* The last is what is part of no job. */
	for (i = 0; i + 1 < diff->pairs; i++)
		json_array_append_new(array, json_pack("{s:o, s:o, s:o}",
			"before", type_json(diff, (uint32_t)i, 0), "after", type_json(diff, (uint32_t)i, 1),
			"likeness", diff->pair[i].likeness > 0 ? json_real(diff->pair[i].likeness) : json_null()));
	return array;
}

/**
 * tl_tasks_diff_json() - What differs, for programs
 * @diff: comparison
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_tasks_diff_json(const struct tl_tasks_diff *diff)
{
	json_t *tasks = json_array();
	size_t i;

	for (i = 0; i < diff->rows; i++)
		json_array_append_new(tasks, row_json(diff, &diff->row[i]));
	return json_pack("{s:o, s:o, s:I, s:o, s:o}", "before", side_json(diff, 0), "after", side_json(diff, 1),
			 "comparisons", (json_int_t)diff->comparisons, "types", pairs_json(diff), "tasks", tasks);
}

/* ---- people -------------------------------------------------------------------------- */

/* How much more, or less, of all jobs' time it takes, per job. */
static double weight(const struct tl_tasks_diff *diff, const struct tl_tasks_row *row)
{
	double sum[2], jobs[2];
	int side;
	size_t i;

	for (side = 0; side < 2; side++) {
		jobs[side] = (double)diff->view[side]->found->tasks->jobs;
		for (i = 0, sum[side] = 0; i < TL_TASK_BATCHES; i++)
			sum[side] += row->sample[side].sum[TL_TASK_TIME][i];
	}
	return fabs(sum[1] / fmax(jobs[1], 1) - sum[0] / fmax(jobs[0], 1));
}

static int by_weight(const void *a, const void *b, void *arg)
{
	const struct tl_tasks_diff *diff = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	double p = weight(diff, &diff->row[x]), q = weight(diff, &diff->row[y]);

	if (p > q || p < q)
		return p > q ? -1 : 1;
	return x < y ? -1 : x > y;
}

/**
 * tl_tasks_diff_order() - Tasks by what they cost more or less, the most first
 * @diff: comparison
 *
 * Return: [rows] indices, to be freed by the caller; NULL without memory.
 */
uint32_t *tl_tasks_diff_order(const struct tl_tasks_diff *diff)
{
	uint32_t *order = calloc(diff->rows + 1, sizeof(*order));
	size_t i;

	for (i = 0; i < diff->rows && order; i++)
		order[i] = (uint32_t)i;
	if (diff->rows && order)
		qsort_r(order, diff->rows, sizeof(*order), by_weight, (void *)diff);
	return order;
}

/**
 * tl_tasks_change_told() - Whether a quantity of a task is told to be another one
 * @change: of that quantity
 *
 * Return: true or false.
 */
bool tl_tasks_change_told(const struct tl_task_change *change)
{
	return change->verdict == TL_TASK_MORE || change->verdict == TL_TASK_LESS;
}

static void percent_add(struct tl_grid *grid, double part, double of)
{
	if (isfinite(part) && of > 0)
		tl_grid_add(grid, "%+.3g %%", 100 * part / of);
	else
		tl_grid_add(grid, "-");
}

static void number_add(struct tl_grid *grid, double value)
{
	if (isfinite(value))
		tl_grid_add(grid, "%.4g", value);
	else
		tl_grid_add(grid, "-");
}

static void where_add(struct tl_grid *grid, const struct tl_tasks_diff *diff, const struct tl_tasks_row *row)
{
	int side = row->node[1] != TL_TASK_NONE;
	const struct tl_task_node *n = &diff->view[side]->tree.node[row->node[side]];
	char *name = tl_tasks_row_name(diff, row);

	if (n->type == diff->view[side]->found->tasks->types)
		tl_grid_add(grid, "-");
	else
		tl_grid_add(grid, "%" PRIu32, n->type);
	if (row->level == TL_TASK_NONE)
		tl_grid_add(grid, "-");
	else
		tl_grid_add(grid, "%" PRIu32, n->task);
	tl_grid_add(grid, "%s", name ? name : "");
	free(name);
}

static void change_add(struct tl_grid *grid, const struct tl_tasks_diff *diff, const struct tl_tasks_row *row,
		       int quantity)
{
	const struct tl_task_change *c = &row->change[quantity];
	double unit = quantity == TL_TASK_COUNT ? 1 : 1e6;

	where_add(grid, diff, row);
	tl_grid_add(grid, "%s", tl_task_quantities[quantity]);
	number_add(grid, c->mean[0] / unit);
	number_add(grid, c->mean[1] / unit);
	percent_add(grid, c->mean[1] - c->mean[0], c->mean[0]);
	percent_add(grid, c->low, c->mean[0]);
	percent_add(grid, c->high, c->mean[0]);
	tl_grid_add(grid, "%s", tl_task_verdicts[c->verdict]);
}

static void only_add(struct tl_grid *grid, const struct tl_tasks_diff *diff, const struct tl_tasks_row *row)
{
	where_add(grid, diff, row);
	tl_grid_add(grid, "count");
	tl_grid_add(grid, "%" PRIu64, row->sample[0].count);
	tl_grid_add(grid, "%" PRIu64, row->sample[1].count);
	tl_grid_add(grid, "-");
	tl_grid_add(grid, "-");
	tl_grid_add(grid, "-");
	tl_grid_add(grid, "%s", tl_task_verdicts[row->only]);
}

static size_t row_add(struct tl_grid *grid, const struct tl_tasks_diff *diff, const struct tl_tasks_row *row,
		      size_t n)
{
	size_t before = n;
	int q;

	if (row->only == TL_TASK_NEW || row->only == TL_TASK_GONE) {
		if (n++ < TL_LQN_ROWS_MAX)
			only_add(grid, diff, row);
	}
	for (q = 0; q < TL_TASK_QUANTITIES; q++)
		if (tl_tasks_change_told(&row->change[q]) && n++ < TL_LQN_ROWS_MAX)
			change_add(grid, diff, row, q);
	return n - before;
}

/* How many tasks there is nothing more to say of. */
static void rest_print(const struct tl_tasks_diff *diff, FILE *to)
{
	size_t alike = 0, few = 0, only = 0, i;

	for (i = 0; i < diff->rows; i++) {
		const struct tl_tasks_row *row = &diff->row[i];

		alike += row->only == TL_TASK_INCOMPARABLE && row->change[TL_TASK_TIME].verdict == TL_TASK_ALIKE;
		few += row->only == TL_TASK_INCOMPARABLE && row->change[TL_TASK_TIME].verdict == TL_TASK_TOO_FEW;
		only += row->only == TL_TASK_TOO_FEW;
	}
	fprintf(to, "%zu tasks and types of jobs take no other time than chance makes, %zu occur too seldom to tell, "
		"%zu are in one of both by chance perhaps\n", alike, few, only);
	fprintf(to, "%zu comparisons; all intervals hold together in 95 of 100 cases\n", diff->comparisons);
}

/**
 * tl_tasks_diff_print() - What differs, for people
 * @diff: comparison
 * @to: where
 */
void tl_tasks_diff_print(const struct tl_tasks_diff *diff, FILE *to)
{
	struct tl_grid *grid = tl_grid_new("jobs|>task|begins \u2192 ends|what|>before|>after|>change|>from|>to|verdict");
	uint32_t *order = tl_tasks_diff_order(diff);
	size_t n = 0, i;

	for (i = 0; i < diff->rows && order; i++)
		n += row_add(grid, diff, &diff->row[order[i]], n);
	if (n)
		tl_lqn_grid_end(grid, n, to);
	else
		tl_grid_free(grid);
	fprintf(to, "%s%" PRIu64 " jobs before, %" PRIu64 " after\n", n ? "\n" : "",
		(uint64_t)diff->view[0]->found->tasks->jobs, (uint64_t)diff->view[1]->found->tasks->jobs);
	rest_print(diff, to);
	free(order);
}
