// SPDX-License-Identifier: GPL-2.0-or-later
/* Solutions of layered queueing networks, for people and programs. */
#include "lqn-out.h"

#include "lqn-faults.h"
#include "model/lqn-figures.h"
#include "out.h"
#include "text.h"

#include <stdlib.h>

/**
 * tl_lqn_verdict() - Whether a solution is one, in words
 * @lqn: network
 * @solution: solution
 *
 * Return: "ok", or what keeps it from being one; to be freed, NULL without memory.
 */
char *tl_lqn_verdict(const struct tl_lqn *lqn, const struct tl_lqn_solution *solution)
{
	const struct tl_lqn_solution *s = solution;
	char *text = NULL;
	int len = -1;

	switch (s->verdict) {
	case TL_LQN_OK:
		len = asprintf(&text, "ok");
		break;
	case TL_LQN_NOT_CONVERGED:
		len = asprintf(&text, "not converged: residual %.2g", s->residual);
		break;
	case TL_LQN_TOO_SHORT:
		len = asprintf(&text, "not converged: too little happened, go on for longer");
		break;
	case TL_LQN_SATURATED:
		len = asprintf(&text, "unstable: arrivals ask processor \"%s\" for %.4g times what it "
			       "has", lqn->processor[s->culprit].name, s->offered);
		break;
	case TL_LQN_TASK_SATURATED:
		len = asprintf(&text, "unstable: arrivals hold %.4g times the threads of task \"%s\", "
			       "without any waiting", s->offered, lqn->task[s->culprit].name);
		break;
	case TL_LQN_UNSTABLE:
		len = asprintf(&text, "unstable: requests pile up, most of them at task \"%s\"",
			       lqn->task[s->culprit].name);
		break;
	case TL_LQN_STUCK:
		len = asprintf(&text, "unstable: nobody goes on, requests wait for each other's "
			       "threads, seen at task \"%s\"", lqn->task[s->culprit].name);
		break;
	}
	return len < 0 ? NULL : text;
}

static json_t *entries_json(const struct tl_lqn *lqn, const struct tl_lqn_figures *figures)
{
	json_t *object = json_object();
	size_t i;

	for (i = 0; i < lqn->entries; i++) {
		const struct tl_lqn_entry_figures *f = &figures->entry[i];

		json_object_set_new(object, lqn->entry[i].name,
				    json_pack("{s:f, s:[f, f], s:f, s:f}",
					      "throughput", f->throughput_per_s,
					      "service_s", f->service_s[0], f->service_s[1],
					      "waiting_s", f->waiting_s,
					      "utilisation", f->utilisation));
	}
	return object;
}

static json_t *tasks_json(const struct tl_lqn *lqn, const struct tl_lqn_figures *figures)
{
	json_t *object = json_object();
	size_t i;

	for (i = 0; i < lqn->tasks; i++)
		json_object_set_new(object, lqn->task[i].name,
				    json_pack("{s:f, s:f}", "throughput",
					      figures->task[i].throughput_per_s, "utilisation",
					      figures->task[i].utilisation));
	return object;
}

static json_t *processors_json(const struct tl_lqn *lqn, const struct tl_lqn_figures *figures)
{
	json_t *object = json_object();
	size_t i;

	for (i = 0; i < lqn->processors; i++)
		json_object_set_new(object, lqn->processor[i].name,
				    json_pack("{s:f}", "utilisation", figures->processor[i]));
	return object;
}

static json_t *reference_json(const struct tl_lqn *lqn, const struct tl_lqn_figures *figures)
{
	json_t *object = json_object();
	size_t i;

	for (i = 0; i < lqn->tasks; i++)
		if (lqn->task[i].reference)
			json_object_set_new(object, lqn->task[i].name,
					    json_pack("{s:f, s:f}", "throughput",
						      figures->task[i].throughput_per_s,
						      "response_s",
						      figures->task[i].response_s));
	return object;
}

static json_t *figures_json(const struct tl_lqn *lqn, const struct tl_lqn_figures *figures)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "entries", entries_json(lqn, figures),
			 "tasks", tasks_json(lqn, figures),
			 "processors", processors_json(lqn, figures),
			 "reference", reference_json(lqn, figures));
}

/**
 * tl_lqn_solution_json() - A solution for programs
 * @lqn: network
 * @solution: solution; figures are null if there is no more than a verdict
 * @faults: with the notes
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_lqn_solution_json(const struct tl_lqn *lqn, const struct tl_lqn_solution *solution,
			     const struct tl_faults *faults)
{
	const struct tl_lqn_checks *checks = &solution->checks;
	json_t *object = json_pack("{s:o, s:o, s:o, s:n, s:n, s:n, s:n, s:n, s:n}",
				   "file", tl_out_name(faults->file),
				   "verdict", tl_out_text(tl_lqn_verdict(lqn, solution)),
				   "notes", tl_faults_json(faults->note, faults->notes),
				   "residual", "entries", "tasks", "processors", "reference",
				   "checks");
	json_t *figures;

	if (!object || !tl_lqn_has_figures(solution))
		return object;
	figures = figures_json(lqn, &solution->value);
	json_object_update(object, figures);
	json_decref(figures);
	json_object_set_new(object, "residual", json_real(solution->residual));
	json_object_set_new(object, "checks",
			    json_pack("{s:f, s:f, s:f}", "little", checks->little, "utilisation",
				      checks->utilisation, "flow", checks->flow));
	return object;
}

/**
 * tl_lqn_half95_json() - Half the widths of the intervals for programs
 * @lqn: network
 * @solution: of a simulation
 *
 * Return: the object, laid out as the figures are, a new reference; null without any.
 */
json_t *tl_lqn_half95_json(const struct tl_lqn *lqn, const struct tl_lqn_solution *solution)
{
	return tl_lqn_has_figures(solution) ? figures_json(lqn, &solution->half95) : json_null();
}

/* ---- for people ------------------------------------------------------------------- */

/* A figure, with its interval if there is one. @factor 0: there is none. */
static void figure_add(struct tl_grid *grid, double value, double half95, double factor)
{
	if (factor > 0)
		tl_grid_add(grid, "%.4g ± %.1g", value, half95 * factor);
	else
		tl_grid_add(grid, "%.4g", value);
}

static void grid_end(struct tl_grid *grid, size_t n, FILE *to)
{
	tl_lqn_grid_end(grid, n, to);
	fputc('\n', to);
}

static void customers_print(const struct tl_lqn *lqn, const struct tl_lqn_solution *s,
			    double factor, FILE *to)
{
	struct tl_grid *grid = tl_grid_new("customers|>number|>throughput/s|>response s");
	size_t i, n = 0;

	for (i = 0; i < lqn->tasks; i++) {
		if (!lqn->task[i].reference || n++ >= TL_LQN_ROWS_MAX)
			continue;
		tl_grid_add(grid, "%s", lqn->task[i].name);
		tl_grid_add(grid, "%u", lqn->task[i].threads);
		figure_add(grid, s->value.task[i].throughput_per_s,
			   s->half95.task[i].throughput_per_s, factor);
		figure_add(grid, s->value.task[i].response_s, s->half95.task[i].response_s, factor);
	}
	if (n)
		grid_end(grid, n, to);
	else
		tl_grid_free(grid);
}

static void entries_print(const struct tl_lqn *lqn, const struct tl_lqn_solution *s,
			  double factor, FILE *to)
{
	struct tl_grid *grid = tl_grid_new("entry|task|>throughput/s|>waiting s|>service s|"
					   ">second s|>threads");
	size_t i;

	for (i = 0; i < lqn->entries && i < TL_LQN_ROWS_MAX; i++) {
		const struct tl_lqn_entry_figures *value = &s->value.entry[i];
		const struct tl_lqn_entry_figures *half = &s->half95.entry[i];

		tl_grid_add(grid, "%s", lqn->entry[i].name);
		tl_grid_add(grid, "%s", lqn->task[lqn->entry[i].task].name);
		figure_add(grid, value->throughput_per_s, half->throughput_per_s, factor);
		figure_add(grid, value->waiting_s, half->waiting_s, factor);
		figure_add(grid, value->service_s[0], half->service_s[0], factor);
		figure_add(grid, value->service_s[1], half->service_s[1], factor);
		figure_add(grid, value->utilisation, half->utilisation, factor);
	}
	grid_end(grid, lqn->entries, to);
}

static void use_add(struct tl_grid *grid, uint32_t n, double value, double half95,
		    double factor)
{
	if (n == TL_LQN_UNLIMITED)
		tl_grid_add(grid, "no limit");
	else
		tl_grid_add(grid, "%u", n);
	figure_add(grid, value, half95, factor);
}

static void uses_print(const struct tl_lqn *lqn, const struct tl_lqn_solution *s,
		       double factor, FILE *to)
{
	struct tl_grid *grid = tl_grid_new("task|>threads|>held");
	size_t i;

	for (i = 0; i < lqn->tasks && i < TL_LQN_ROWS_MAX; i++) {
		tl_grid_add(grid, "%s", lqn->task[i].name);
		use_add(grid, lqn->task[i].threads, s->value.task[i].utilisation,
			s->half95.task[i].utilisation, factor);
	}
	grid_end(grid, lqn->tasks, to);
	grid = tl_grid_new("processor|>servers|>utilisation");
	for (i = 0; i < lqn->processors && i < TL_LQN_ROWS_MAX; i++) {
		tl_grid_add(grid, "%s", lqn->processor[i].name);
		use_add(grid, lqn->processor[i].servers, s->value.processor[i],
			s->half95.processor[i], factor);
	}
	grid_end(grid, lqn->processors, to);
}

/**
 * tl_lqn_solution_print() - A solution for people
 * @lqn: network
 * @solution: solution
 * @factor: of the intervals to be shown to those of 95 %; 0 if there are none
 * @to: where it goes
 */
void tl_lqn_solution_print(const struct tl_lqn *lqn, const struct tl_lqn_solution *solution,
			   double factor, FILE *to)
{
	const struct tl_lqn_checks *checks = &solution->checks;
	char *verdict = tl_lqn_verdict(lqn, solution);
	char *printable = verdict ? tl_text_printable(verdict) : NULL;

	if (tl_lqn_has_figures(solution)) {
		customers_print(lqn, solution, factor, to);
		entries_print(lqn, solution, factor, to);
		uses_print(lqn, solution, factor, to);
		fprintf(to, "off by at most: Little's law %.2g, utilisation law %.2g, flow %.2g\n",
			checks->little, checks->utilisation, checks->flow);
	}
	tl_text_print(to, printable ? printable : "out of memory", 0);
	free(printable);
	free(verdict);
}
