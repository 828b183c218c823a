// SPDX-License-Identifier: GPL-2.0-or-later
/* Where threads wait for each other, and what jobs spend their time with: for people and programs. */
#include "tasks-out.h"

#include "lqn-out.h"
#include "out.h"
#include "tasks-trace.h"

#include <inttypes.h>
#include <stdlib.h>

#define CONTENTION_SHARE 0.01 /* of the trace, below which people are not told */
#define TYPES_MAX 20 /* of jobs that people are told of */
#define NAMES_MAX 8 /* threads that people are told by name */

static double trace_ns(const struct tl_tasks_found *found)
{
	const struct tl_task_trace *t = found->tasks->trace;

	return t->n ? (double)(t->event[t->n - 1].time_ns - t->event[0].time_ns) : 0;
}

static double share_of(const struct tl_tasks_found *found, int64_t ns)
{
	double all = trace_ns(found), share = all > 0 ? (double)ns / all : 0;

	return share < 1 ? share : 1;
}

static const char *object_name(const struct tl_tasks_found *found, uint32_t object)
{
	return tl_ids_key(&found->trace->objects, object, NULL);
}

static const char *thread_name(const struct tl_tasks_found *found, uint32_t thread)
{
	return tl_ids_key(&found->trace->threads, thread, NULL);
}

/* ---- for programs -------------------------------------------------------------------- */

static json_t *class_json(uint32_t class)
{
	return class == TL_TASK_NONE ? json_null() : json_integer(class);
}

/**
 * tl_tasks_contention_json() - Add what threads waited for at an object
 * @found: tasks
 * @index: the object's
 * @object: where it is added; null where sleeps are not known
 */
void tl_tasks_contention_json(const struct tl_tasks_found *found, uint32_t index, json_t *object)
{
	const struct tl_task_contention *c = &found->waits->object[index];
	bool known = found->waits->known;

	json_object_set_new(object, "waits", known ? json_integer((json_int_t)c->waits) : json_null());
	json_object_set_new(object, "wait_s", known ? json_real((double)c->wait_ns / 1e9) : json_null());
	json_object_set_new(object, "waiting_threads",
			    known ? json_integer((json_int_t)c->threads) : json_null());
	json_object_set_new(object, "waited_share",
			    known ? json_real(share_of(found, c->waited_ns)) : json_null());
	json_object_set_new(object, "held_s", known ? json_real(c->held_ns / 1e9) : json_null());
	json_object_set_new(object, "holder", class_json(c->holder));
	json_object_set_new(object, "holder_s", known ? json_real(c->holder_ns / 1e9) : json_null());
}

/**
 * tl_tasks_steps_json() - Threads that are in step
 * @found: tasks
 *
 * Return: an array; null where sleeps are not known.
 */
json_t *tl_tasks_steps_json(const struct tl_tasks_found *found)
{
	const struct tl_task_waits *waits = found->waits;
	json_t *array = waits->known ? json_array() : json_null();
	size_t i, k;

	for (i = 0; i < waits->steps; i++) {
		const struct tl_task_step *s = &waits->step[i];
		json_t *threads = json_array();

		for (k = 0; k < s->threads; k++)
			json_array_append_new(threads, tl_out_name(
				thread_name(found, waits->thread[s->thread + k])));
		json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:f, s:f, s:b}",
			"object", tl_out_name(object_name(found, s->object)),
			"class", class_json(s->class), "threads", threads, "together", s->together,
			"share", share_of(found, s->waited_ns), "between_jobs", s->between_jobs));
	}
	return array;
}

/**
 * tl_tasks_paths_json() - What the jobs of each type spend their time with
 * @found: tasks
 *
 * Return: an array.
 */
json_t *tl_tasks_paths_json(const struct tl_tasks_found *found)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < found->tasks->types; i++) {
		const struct tl_task_path *p = &found->path[i];

		json_array_append_new(array, json_pack("{s:I, s:I, s:f, s:f, s:o, s:f, s:f}",
			"type", (json_int_t)i, "jobs", (json_int_t)p->jobs,
			"time_s", (double)p->time_ns / 1e9, "handoff_s", (double)p->handoff_ns / 1e9,
			"slowest", class_json(p->slowest), "slowest_s", (double)p->slowest_ns / 1e9,
			"held_s", (double)p->held_ns / 1e9));
	}
	return array;
}

/* ---- for people ---------------------------------------------------------------------- */

static void label_print(const struct tl_tasks_found *found, uint32_t class, FILE *to)
{
	char *label = tl_tasks_label(found, class, class);

	fprintf(to, "task %" PRIu32 " (%s)", class, label ? label : "");
	free(label);
}

struct worst {
	int64_t ns;
	uint32_t object;
};

static int worst_compare(const void *a, const void *b)
{
	const struct worst *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->object < y->object ? -1 : x->object > y->object;
}

static void contention_row(struct tl_grid *grid, const struct tl_tasks_found *found, uint32_t object)
{
	const struct tl_task_contention *c = &found->waits->object[object];
	char *label = c->holder == TL_TASK_NONE ? NULL : tl_tasks_label(found, c->holder, c->holder);

	tl_grid_add(grid, "%s", object_name(found, object));
	tl_grid_add(grid, "%s", tl_tasks_uses[found->tasks->object[object].use]);
	tl_grid_add(grid, "%" PRIu64, c->waits);
	tl_grid_add(grid, "%" PRIu64, c->threads);
	tl_grid_add(grid, "%.4g", (double)c->wait_ns / 1e6);
	tl_grid_add(grid, "%.3g", 100 * share_of(found, c->waited_ns));
	if (label) {
		tl_grid_add(grid, "%" PRIu32, c->holder);
		tl_grid_add(grid, "%.3g", 100 * c->holder_ns / (double)c->wait_ns);
	} else {
		tl_grid_add(grid, "-");
		tl_grid_add(grid, "-");
	}
	tl_grid_add(grid, "%s", label ? label : "-");
	free(label);
}

static void contention_print(const struct tl_tasks_found *found, FILE *to)
{
	size_t objects = found->trace->trace.objects, n = 0, i;
	struct worst *worst = calloc(objects + 1, sizeof(*worst));
	struct tl_grid *grid;

	for (i = 0; i < objects && worst; i++)
		if (share_of(found, found->waits->object[i].waited_ns) >= CONTENTION_SHARE)
			worst[n++] = (struct worst){ found->waits->object[i].wait_ns, (uint32_t)i };
	if (n) {
		qsort(worst, n, sizeof(*worst), worst_compare);
		fputs("\nwhat threads sleep for:\n", to);
		grid = tl_grid_new(">object|>use|>sleeps|>threads|>ms in all|>% of the time|>held by|"
				   ">% of ms|>begins -> ends");
		for (i = 0; i < n && i < TL_LQN_ROWS_MAX; i++)
			contention_row(grid, found, worst[i].object);
		tl_lqn_grid_end(grid, n, to);
	}
	free(worst);
}

static void step_print(const struct tl_tasks_found *found, const struct tl_task_step *step, FILE *to)
{
	size_t i, names = step->threads < NAMES_MAX ? step->threads : NAMES_MAX;

	fputs("threads", to);
	for (i = 0; i < names; i++)
		fprintf(to, "%s %s", i ? "," : "",
			thread_name(found, found->waits->thread[step->thread + i]));
	if (names < step->threads)
		fprintf(to, " and %zu more", step->threads - names);
	fprintf(to, " are in step: they stand still for %s at the same times (%.2f of 1; %.3g %% of the time), in ",
		object_name(found, step->object), step->together,
		100 * share_of(found, step->waited_ns));
	label_print(found, step->class, to);
	fputs(step->between_jobs ? "; between two jobs, perhaps as there is none\n" : "\n", to);
}

static void path_print(const struct tl_tasks_found *found, size_t type, FILE *to)
{
	const struct tl_task_path *p = &found->path[type];
	double ns = (double)p->time_ns;

	if (p->slowest == TL_TASK_NONE || p->time_ns <= 0)
		return;
	fprintf(to, "jobs of type %zu take %.4g ms each (%" PRIu64 "), of which the slowest is ", type,
		ns / (double)p->jobs / 1e6, p->jobs);
	label_print(found, p->slowest, to);
	fprintf(to, ": %.3g %%", 100 * (double)p->slowest_ns / ns);
	if (p->held_ns)
		fprintf(to, ", %.3g %% as others sleep for what it holds", 100 * (double)p->held_ns / ns);
	fprintf(to, "; %.3g %% until who was handed on to begins\n", 100 * (double)p->handoff_ns / ns);
}

/**
 * tl_tasks_waits_print() - Print where threads wait, and what jobs spend their time with
 * @found: tasks
 * @to: where
 */
void tl_tasks_waits_print(const struct tl_tasks_found *found, FILE *to)
{
	size_t i;

	if (found->waits->known)
		contention_print(found, to);
	else if (found->tasks->trace->n)
		fputs("\nwho waits for whom is not known: the file tells no wait_us\n", to);
	for (i = 0; i < found->waits->steps && i < TL_LQN_ROWS_MAX; i++)
		step_print(found, &found->waits->step[i], to);
	for (i = 0; i < found->tasks->types && i < TYPES_MAX; i++)
		path_print(found, i, to);
	if (found->tasks->types > TYPES_MAX)
		fprintf(to, "%zu more types of jobs: --json tells of all\n", found->tasks->types - TYPES_MAX);
}
