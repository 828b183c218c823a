// SPDX-License-Identifier: GPL-2.0-or-later
/* A solution beside a simulation of the same network, for people and programs. */
#include "lqn-out.h"

#include "model/lqn-figures.h"
#include "out.h"

#include <math.h>
#include <stdlib.h>

/* Relative, of the simulated figure; 0 where nothing happens. */
static double off(double solved, double simulated)
{
	return simulated > 0 ? solved / simulated - 1 : 0;
}

/* Time from the request to the reply. */
static double response_s(const struct tl_lqn_solution *s, size_t entry)
{
	return s->value.entry[entry].waiting_s + s->value.entry[entry].service_s[0];
}

static json_t *customers_json(const struct tl_lqn *lqn, const struct tl_lqn_solution *solved,
			      const struct tl_lqn_solution *simulated)
{
	json_t *object = json_object();
	size_t t;

	for (t = 0; t < lqn->tasks; t++) {
		const struct tl_lqn_task_figures *a = &solved->value.task[t];
		const struct tl_lqn_task_figures *b = &simulated->value.task[t];

		if (lqn->task[t].reference)
			json_object_set_new(object, lqn->task[t].name,
					    json_pack("{s:f, s:f}", "throughput",
						      off(a->throughput_per_s, b->throughput_per_s),
						      "response_s",
						      off(a->response_s, b->response_s)));
	}
	return object;
}

static json_t *entries_json(const struct tl_lqn *lqn, const struct tl_lqn_solution *solved,
			    const struct tl_lqn_solution *simulated)
{
	json_t *object = json_object();
	size_t e;

	for (e = 0; e < lqn->entries; e++)
		json_object_set_new(object, lqn->entry[e].name,
				    json_pack("{s:f, s:f}", "throughput",
					      off(solved->value.entry[e].throughput_per_s,
						  simulated->value.entry[e].throughput_per_s),
					      "response_s",
					      off(response_s(solved, e),
						  response_s(simulated, e))));
	return object;
}

/**
 * tl_lqn_verify_json() - How far a solution is from a simulation
 * @lqn: network
 * @solved: solution
 * @simulated: what it is held against
 *
 * Return: relative differences of customers' and entries' throughput and response, and
 * the simulation's own verdict, a new reference; the verdict alone if one of them has
 * no figures. NULL without memory.
 */
json_t *tl_lqn_verify_json(const struct tl_lqn *lqn, const struct tl_lqn_solution *solved,
			   const struct tl_lqn_solution *simulated)
{
	char *verdict = tl_lqn_verdict(lqn, simulated);
	json_t *object = verdict ? json_pack("{s:s, s:n, s:n, s:n}", "verdict", verdict, "residual",
					     "reference", "entries") : NULL;

	free(verdict);
	if (!object || !tl_lqn_has_figures(solved) || !tl_lqn_has_figures(simulated))
		return object;
	json_object_set_new(object, "residual", json_real(simulated->residual));
	json_object_set_new(object, "reference", customers_json(lqn, solved, simulated));
	json_object_set_new(object, "entries", entries_json(lqn, solved, simulated));
	return object;
}

static void customers_print(const struct tl_lqn *lqn, const struct tl_lqn_solution *solved,
			    const struct tl_lqn_solution *simulated, double factor, FILE *to)
{
	struct tl_grid *grid = tl_grid_new("customers|>throughput/s|>simulated|>off|>response s|"
					   ">simulated|>off");
	size_t t;

	for (t = 0; t < lqn->tasks; t++) {
		const struct tl_lqn_task_figures *a = &solved->value.task[t];
		const struct tl_lqn_task_figures *b = &simulated->value.task[t];
		const struct tl_lqn_task_figures *half = &simulated->half95.task[t];

		if (!lqn->task[t].reference)
			continue;
		tl_grid_add(grid, "%s", lqn->task[t].name);
		tl_grid_add(grid, "%.4g", a->throughput_per_s);
		tl_grid_add(grid, "%.4g ± %.1g", b->throughput_per_s,
			    factor * half->throughput_per_s);
		tl_grid_add(grid, "%+.2f %%", 100 * off(a->throughput_per_s, b->throughput_per_s));
		tl_grid_add(grid, "%.4g", a->response_s);
		tl_grid_add(grid, "%.4g ± %.1g", b->response_s, factor * half->response_s);
		tl_grid_add(grid, "%+.2f %%", 100 * off(a->response_s, b->response_s));
	}
	tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
}

static void most_print(const struct tl_lqn *lqn, const struct tl_lqn_solution *solved,
		       const struct tl_lqn_solution *simulated, FILE *to)
{
	double most = -1, this;
	size_t e, of = 0;

	for (e = 0; e < lqn->entries; e++) {
		this = fabs(off(response_s(solved, e), response_s(simulated, e)));
		if (this > most) {
			most = this;
			of = e;
		}
	}
	if (lqn->entries)
		fprintf(to, "farthest off of all entries: response of \"%s\", %+.2f %%\n",
			lqn->entry[of].name,
			100 * off(response_s(solved, of), response_s(simulated, of)));
}

/**
 * tl_lqn_verify_print() - How far a solution is from a simulation, for people
 * @lqn: network
 * @solved: solution
 * @simulated: what it is held against
 * @factor: of the simulation's intervals to be shown to those of 95 %
 * @to: where it goes
 */
void tl_lqn_verify_print(const struct tl_lqn *lqn, const struct tl_lqn_solution *solved,
			 const struct tl_lqn_solution *simulated, double factor, FILE *to)
{
	char *verdict = tl_lqn_verdict(lqn, simulated);

	fprintf(to, "\nsimulated: %s\n", verdict ? verdict : "out of memory");
	free(verdict);
	if (!tl_lqn_has_figures(solved) || !tl_lqn_has_figures(simulated))
		return;
	customers_print(lqn, solved, simulated, factor, to);
	most_print(lqn, solved, simulated, to);
}
