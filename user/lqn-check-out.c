// SPDX-License-Identifier: GPL-2.0-or-later
/* What a layered queueing network is, and what is wrong with it, for people and programs. */
#include "lqn-out.h"

#include "cmd.h"
#include "lqn-faults.h"
#include "model/lqn.h"
#include "out.h"

static const char *const disciplines[] = {
	[TL_LQN_FCFS] = "fcfs", [TL_LQN_PS] = "ps", [TL_LQN_DELAY] = "delay",
};

static const char *const kinds[] = {
	[TL_LQN_SYNC] = "sync", [TL_LQN_ASYNC] = "async", [TL_LQN_FORWARD] = "forward",
};

static void number_add(struct tl_grid *grid, uint32_t n)
{
	if (n == TL_LQN_UNLIMITED)
		tl_grid_add(grid, "no limit");
	else
		tl_grid_add(grid, "%u", n);
}

/* Prints the table, which has the first of @n rows, and says so if it has not all. */
void tl_lqn_grid_end(struct tl_grid *grid, size_t n, FILE *to)
{
	tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
	if (n > TL_LQN_ROWS_MAX)
		fprintf(to, "... %zu more: --json has all\n", n - TL_LQN_ROWS_MAX);
}

static void processors_print(const struct tl_lqn *lqn, FILE *to)
{
	struct tl_grid *grid = tl_grid_new("processor|discipline|>servers|>speed");
	size_t i;

	for (i = 0; i < lqn->processors && i < TL_LQN_ROWS_MAX; i++) {
		tl_grid_add(grid, "%s", lqn->processor[i].name);
		tl_grid_add(grid, "%s", disciplines[lqn->processor[i].discipline]);
		number_add(grid, lqn->processor[i].servers);
		tl_grid_add(grid, "%g", lqn->processor[i].speed);
	}
	tl_lqn_grid_end(grid, lqn->processors, to);
}

static void tasks_print(const struct tl_lqn *lqn, FILE *to)
{
	struct tl_grid *grid = tl_grid_new("task|kind|>threads|processor|>think s|>entries");
	size_t i;

	for (i = 0; i < lqn->tasks && i < TL_LQN_ROWS_MAX; i++) {
		const struct tl_lqn_task *task = &lqn->task[i];

		tl_grid_add(grid, "%s", task->name);
		tl_grid_add(grid, "%s", task->reference ? "customers" : "server");
		number_add(grid, task->threads);
		tl_grid_add(grid, "%s", lqn->processor[task->processor].name);
		if (task->reference)
			tl_grid_add(grid, "%g", task->think_s);
		else
			tl_grid_add(grid, "-");
		tl_grid_add(grid, "%zu", task->entries);
	}
	tl_lqn_grid_end(grid, lqn->tasks, to);
}

static void entries_print(const struct tl_lqn *lqn, FILE *to)
{
	struct tl_grid *grid = tl_grid_new("entry|task|>demand s|>second s|>calls|>forwards|"
					   ">arrivals/s");
	size_t i;

	for (i = 0; i < lqn->entries && i < TL_LQN_ROWS_MAX; i++) {
		const struct tl_lqn_entry *entry = &lqn->entry[i];

		tl_grid_add(grid, "%s", entry->name);
		tl_grid_add(grid, "%s", lqn->task[entry->task].name);
		tl_grid_add(grid, "%g", entry->phase[0].demand_s);
		tl_grid_add(grid, "%g", entry->phase[1].demand_s);
		tl_grid_add(grid, "%zu", entry->phase[0].calls + entry->phase[1].calls);
		tl_grid_add(grid, "%zu", entry->forwards);
		tl_grid_add(grid, "%g", entry->arrivals_per_s);
	}
	tl_lqn_grid_end(grid, lqn->entries, to);
}

static void sentences_print(const char *before, char *const *sentences, size_t n)
{
	size_t i;

	for (i = 0; i < tl_faults_kept(n); i++)
		tl_out_error("%s%s", before, sentences[i]);
	if (n > TL_FAULTS_KEPT)
		tl_out_error("%s%zu more of that kind: mend these first", before,
			     n - TL_FAULTS_KEPT);
}

/**
 * tl_lqn_notes_print() - Say on stderr what may not be meant so
 * @faults: with the notes
 */
void tl_lqn_notes_print(const struct tl_faults *faults)
{
	sentences_print("note: ", faults->note, faults->notes);
}

/**
 * tl_lqn_check_print() - Tell people what a network is, and what is wrong with it
 * @lqn: network
 * @faults: what was found
 * @to: where what it is goes; faults and notes go to stderr
 *
 * Return: exit status.
 */
int tl_lqn_check_print(const struct tl_lqn *lqn, const struct tl_faults *faults, FILE *to)
{
	sentences_print("", faults->fault, faults->faults);
	tl_lqn_notes_print(faults);
	if (faults->faults)
		return TL_EXIT_FAILED;
	fprintf(to, "%zu processors, %zu tasks, %zu entries, %zu calls\n\n", lqn->processors,
		lqn->tasks, lqn->entries, lqn->calls);
	processors_print(lqn, to);
	fputc('\n', to);
	tasks_print(lqn, to);
	fputc('\n', to);
	entries_print(lqn, to);
	return TL_EXIT_OK;
}

/* JSON has no number for what has no limit. */
static json_t *limit(uint32_t n)
{
	return n == TL_LQN_UNLIMITED ? json_null() : json_integer(n);
}

static json_t *processors_json(const struct tl_lqn *lqn)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < lqn->processors; i++)
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:o, s:f}", "name", lqn->processor[i].name,
					"discipline", disciplines[lqn->processor[i].discipline],
					"servers", limit(lqn->processor[i].servers),
					"speed", lqn->processor[i].speed));
	return list;
}

static json_t *tasks_json(const struct tl_lqn *lqn)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < lqn->tasks; i++) {
		const struct tl_lqn_task *task = &lqn->task[i];

		json_array_append_new(
			list, json_pack("{s:s, s:b, s:o, s:s, s:f, s:I}", "name", task->name,
					"reference", (int)task->reference,
					"threads", limit(task->threads),
					"processor", lqn->processor[task->processor].name,
					"think_s", task->think_s,
					"entries", (json_int_t)task->entries));
	}
	return list;
}

static json_t *calls_json(const struct tl_lqn *lqn, size_t first, size_t n)
{
	json_t *list = json_array();
	size_t k;

	for (k = first; k < first + n; k++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:f}", "to",
						      lqn->entry[lqn->call[k].to].name, "kind",
						      kinds[lqn->call[k].kind], "mean",
						      lqn->call[k].mean));
	return list;
}

static json_t *phases_json(const struct tl_lqn *lqn, const struct tl_lqn_entry *entry)
{
	json_t *list = json_array();
	size_t p;

	for (p = 0; p < TL_LQN_PHASES; p++) {
		const struct tl_lqn_phase *phase = &entry->phase[p];

		json_array_append_new(
			list, json_pack("{s:f, s:f, s:f, s:b, s:o}", "demand_s", phase->demand_s,
					"cv2", phase->cv2, "think_s", phase->think_s,
					"exact_calls", (int)phase->exact, "calls",
					calls_json(lqn, phase->first_call, phase->calls)));
	}
	return list;
}

static json_t *entries_json(const struct tl_lqn *lqn)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < lqn->entries; i++) {
		const struct tl_lqn_entry *entry = &lqn->entry[i];

		json_array_append_new(
			list, json_pack("{s:s, s:s, s:f, s:o, s:o}", "name", entry->name, "task",
					lqn->task[entry->task].name, "arrivals_per_s",
					entry->arrivals_per_s, "phases", phases_json(lqn, entry),
					"forwards", calls_json(lqn, entry->first_forward,
							       entry->forwards)));
	}
	return list;
}

/**
 * tl_faults_json() - Sentences for programs
 * @sentences: faults or notes
 * @n: how many there are
 *
 * Return: the list of those that are kept, a new reference.
 */
json_t *tl_faults_json(char *const *sentences, size_t n)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < tl_faults_kept(n); i++)
		json_array_append_new(list, tl_out_name(sentences[i]));
	return list;
}

/**
 * tl_lqn_check_json() - Tell programs what a network is, and what is wrong with it
 * @lqn: network
 * @faults: what was found; if there are any, what it is is left out
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_lqn_check_json(const struct tl_lqn *lqn, const struct tl_faults *faults)
{
	json_t *object = json_pack("{s:o, s:I, s:o, s:o, s:I, s:o}", "file",
				   tl_out_name(faults->file), "fault_count",
				   (json_int_t)faults->faults, "faults",
				   tl_faults_json(faults->fault, faults->faults), "notes",
				   tl_faults_json(faults->note, faults->notes), "note_count",
				   (json_int_t)faults->notes, "verdict",
				   json_string(faults->faults ? "faulty" : "ok"));

	if (!object || faults->faults)
		return object;
	json_object_set_new(object, "processors", processors_json(lqn));
	json_object_set_new(object, "tasks", tasks_json(lqn));
	json_object_set_new(object, "entries", entries_json(lqn));
	return object;
}
