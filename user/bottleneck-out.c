// SPDX-License-Identifier: GPL-2.0-or-later
/* What holds a network back, for people and programs. */
#include "bottleneck-out.h"

#include "lqn-faults.h"
#include "lqn-out.h"
#include "model/bottleneck.h"
#include "out.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

#define ROWS_MAX 15
#define SHOWN 0.03 /* part of all that wait */
#define FULL 0.95 /* part in use, from which a place is full */

static const char *name_of(const struct tl_lqn *lqn, const struct tl_bottleneck_place *place)
{
	return place->pool ? lqn->task[place->of].name : lqn->processor[place->of].name;
}

static const char *kind_of(const struct tl_bottleneck_place *place)
{
	return place->pool ? "threads" : "processor";
}

static bool steady(const struct tl_bottleneck_out *out)
{
	return out->solved.solution.verdict == TL_LQN_OK;
}

static bool unsteady(const struct tl_bottleneck_out *out)
{
	return !steady(out) && out->solved.solution.verdict != TL_LQN_NOT_CONVERGED;
}

/* Whether anything can be said to be it. */
static bool named(const struct tl_bottleneck_out *out)
{
	if (!out->places || out->solved.solution.verdict == TL_LQN_NOT_CONVERGED)
		return false;
	return unsteady(out) || out->place[0].gain > 0;
}

static size_t unknowns(const struct tl_bottleneck_out *out)
{
	size_t i, n = 0;

	for (i = 0; steady(out) && i < out->places; i++)
		n += !out->place[i].known;
	return n;
}

static bool weak(const struct tl_bottleneck_out *out)
{
	return steady(out) && !(out->place[0].gain >= TL_BOTTLENECK_WEAK);
}

static size_t full(const struct tl_bottleneck_out *out)
{
	size_t i, n = 0;

	for (i = 0; i < out->places; i++)
		n += out->place[i].utilisation >= FULL;
	return n;
}

static void steady_write(const struct tl_bottleneck_out *out, FILE *to)
{
	if (!out->places)
		fputs("none: nothing has a limit", to);
	else if (weak(out) && full(out) > 1)
		fprintf(to, "several at once: %zu are full, and twice as many of one alone gain less than "
			"%g %%", full(out), 100 * TL_BOTTLENECK_WEAK);
	else if (weak(out))
		fprintf(to, "weak: with this load twice as many of anything gain less than %g %%",
			100 * TL_BOTTLENECK_WEAK);
	else
		fputs("ok", to);
	if (unknowns(out))
		fprintf(to, "; %zu places are not known: the solver has no answer with more of them",
			unknowns(out));
}

/* Return: to be freed; NULL without memory. */
static char *verdict_text(const struct tl_lqn *lqn, const struct tl_bottleneck_out *out)
{
	char *text = NULL;
	size_t len;
	FILE *to;

	if (!steady(out))
		return tl_lqn_verdict(lqn, &out->solved.solution);
	to = open_memstream(&text, &len);
	if (!to)
		return NULL;
	steady_write(out, to);
	return fclose(to) ? NULL : text;
}

/* ---- for programs ------------------------------------------------------------------- */

static json_t *place_json(const struct tl_lqn *lqn, const struct tl_bottleneck_place *place)
{
	return json_pack("{s:s, s:s, s:I, s:f, s:o}", "kind", kind_of(place), "name",
			 name_of(lqn, place), "count", (json_int_t)place->count, "utilisation",
			 place->utilisation, "gain",
			 place->known ? tl_out_real(place->gain) : json_null());
}

static json_t *places_json(const struct tl_lqn *lqn, const struct tl_bottleneck_out *out)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < out->places; i++)
		json_array_append_new(array, place_json(lqn, &out->place[i]));
	return array;
}

static size_t fullest_layer(const struct tl_bottleneck_wait *wait)
{
	size_t i, most = 0;

	for (i = 0; i < wait->n_layers; i++)
		if (wait->layers[i] > wait->layers[most])
			most = i;
	return most;
}

/* The task of a layer where most wait, and whether for its threads. */
static size_t fullest_task(const struct tl_lqn *lqn, const struct tl_bottleneck_wait *wait,
			   size_t layer, bool *threads)
{
	size_t t, most = 0;
	double waiting = -1;

	for (t = 0; t < lqn->tasks; t++) {
		if (wait->layer[t] != layer ||
		    fmax(wait->threads[t], wait->processor[t]) <= waiting)
			continue;
		waiting = fmax(wait->threads[t], wait->processor[t]);
		*threads = wait->threads[t] >= wait->processor[t];
		most = t;
	}
	return most;
}

static json_t *waiting_json(const struct tl_lqn *lqn, const struct tl_bottleneck_wait *wait)
{
	size_t layer = fullest_layer(wait), i, task;
	json_t *layers = json_array();
	bool threads = false;

	task = fullest_task(lqn, wait, layer, &threads);
	for (i = 0; i < wait->n_layers; i++)
		json_array_append_new(layers, json_real(wait->layers[i]));
	return json_pack("{s:I, s:s, s:s, s:f, s:o}", "layer", (json_int_t)layer, "task",
			 lqn->task[task].name, "for", threads ? "threads" : "processor", "number",
			 wait->layers[layer], "layers", layers);
}

static json_t *relief_json(const struct tl_bottleneck_out *out)
{
	return json_pack("{s:I, s:o, s:f, s:o}", "from", (json_int_t)out->place[0].count, "to",
			 out->relieved ? json_integer(out->relieved) : json_null(), "gain",
			 out->total_gain, "stable_from",
			 out->stable_from ? json_integer(out->stable_from) : json_null());
}

/**
 * tl_bottleneck_json() - The answer for programs
 * @lqn: network
 * @out: what was found
 * @faults: of the file, with its notes
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_bottleneck_json(const struct tl_lqn *lqn, const struct tl_bottleneck_out *out,
			   const struct tl_faults *faults)
{
	const struct tl_lqn_checks *checks = &out->solved.solution.checks;
	json_t *object = json_pack("{s:o, s:o, s:o, s:n, s:n, s:n, s:n, s:s, s:o, s:n}",
				   "file", tl_out_name(faults->file),
				   "verdict", tl_out_text(verdict_text(lqn, out)),
				   "notes", tl_faults_json(faults->note, faults->notes),
				   "bottleneck", "relief", "next", "waiting",
				   "gain_of", out->customers ? "throughput" : "requests inside",
				   "places", places_json(lqn, out), "checks");

	if (!object)
		return NULL;
	if (named(out))
		json_object_set_new(object, "bottleneck", place_json(lqn, &out->place[0]));
	if (named(out) && (out->relieved || out->stable_from))
		json_object_set_new(object, "relief", relief_json(out));
	if (named(out) && out->relieved && out->next.known)
		json_object_set_new(object, "next", place_json(lqn, &out->next));
	if (steady(out) && out->wait.n_layers)
		json_object_set_new(object, "waiting", waiting_json(lqn, &out->wait));
	if (steady(out))
		json_object_set_new(object, "checks",
				    json_pack("{s:f, s:f, s:f}", "little", checks->little,
					      "utilisation", checks->utilisation, "flow",
					      checks->flow));
	return object;
}

/* ---- for people ---------------------------------------------------------------------- */

static void places_print(const struct tl_lqn *lqn, const struct tl_bottleneck_out *out, FILE *to)
{
	struct tl_grid *grid = tl_grid_new("|name|>number|>in use|>twice as many gain");
	size_t i;

	for (i = 0; i < out->places && i < ROWS_MAX; i++) {
		const struct tl_bottleneck_place *p = &out->place[i];

		tl_grid_add(grid, "%s", kind_of(p));
		tl_grid_add(grid, "%s", name_of(lqn, p));
		tl_grid_add(grid, "%u", p->count);
		tl_grid_add(grid, "%.1f %%", 100 * p->utilisation);
		if (p->known)
			tl_grid_add(grid, "%+.2f %%", 100 * p->gain);
		else
			tl_grid_add(grid, "not known");
	}
	tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
	if (out->places > ROWS_MAX)
		fprintf(to, "... %zu more: --json has all\n", out->places - ROWS_MAX);
	fputc('\n', to);
}

static double waiting_at(const struct tl_bottleneck_wait *wait, size_t t)
{
	return wait->threads[t] + wait->processor[t];
}

/* Of many tasks, those where anybody waits. @sum: all that wait */
static bool task_shown(const struct tl_lqn *lqn, const struct tl_bottleneck_wait *wait, size_t t,
		       double sum)
{
	if (lqn->tasks > ROWS_MAX)
		return waiting_at(wait, t) >= SHOWN * sum && sum > 0;
	return !lqn->task[t].reference || wait->processor[t] >= 1e-9;
}

static void waits_print(const struct tl_lqn *lqn, const struct tl_bottleneck_wait *wait, FILE *to)
{
	struct tl_grid *grid = tl_grid_new(">layer|task|>wait for threads|>for the processor");
	size_t layer, t, rows = 0;
	double sum = 0;

	for (t = 0; t < lqn->tasks; t++)
		sum += waiting_at(wait, t);
	for (layer = 0; layer < wait->n_layers && rows < ROWS_MAX; layer++)
		for (t = 0; t < lqn->tasks && rows < ROWS_MAX; t++) {
			if (wait->layer[t] != layer || !task_shown(lqn, wait, t, sum))
				continue;
			tl_grid_add(grid, "%zu", layer);
			tl_grid_add(grid, "%s", lqn->task[t].name);
			tl_grid_add(grid, "%.3g", wait->threads[t]);
			tl_grid_add(grid, "%.3g", wait->processor[t]);
			rows++;
		}
	tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
	if (rows == ROWS_MAX)
		fputs("...: --json has sums of all layers\n", to);
	fputc('\n', to);
}

static void relief_write(const struct tl_lqn *lqn, const struct tl_bottleneck_out *out, FILE *to)
{
	const struct tl_bottleneck_place *first = &out->place[0];
	const char *what = first->pool ? "threads" : "servers";

	fprintf(to, "bottleneck: %s%s\"%s\"\n", kind_of(first), first->pool ? " of " : " ",
		name_of(lqn, first));
	if (out->stable_from)
		fprintf(to, "there is a steady state with %u %s instead of %u\n", out->stable_from,
			what, first->count);
	if (!out->relieved)
		return;
	fprintf(to, "next, with %u %s instead of %u", out->relieved, what, first->count);
	if (out->total_gain > 0)
		fprintf(to, out->customers ? " and %.1f %% more throughput" :
					     " and %.1f %% less requests inside",
			100 * (out->customers ? out->total_gain :
						out->total_gain / (1 + out->total_gain)));
	if (out->next.known)
		fprintf(to, ": %s%s\"%s\"\n", kind_of(&out->next), out->next.pool ? " of " : " ",
			name_of(lqn, &out->next));
	else
		fputs(": nothing that more of would help\n", to);
}

static void lines_write(const struct tl_lqn *lqn, const struct tl_bottleneck_out *out, FILE *to)
{
	const struct tl_lqn_checks *checks = &out->solved.solution.checks;
	char *verdict = verdict_text(lqn, out);
	bool threads = false;
	size_t layer, task;

	if (named(out))
		relief_write(lqn, out, to);
	if (steady(out) && out->wait.n_layers) {
		layer = fullest_layer(&out->wait);
		task = fullest_task(lqn, &out->wait, layer, &threads);
		fprintf(to, "waiting piles up in layer %zu: %.3g requests, most of them for %s of "
			"\"%s\"\n", layer, out->wait.layers[layer],
			threads ? "threads" : "the processor", lqn->task[task].name);
	}
	if (steady(out))
		fprintf(to, "off by at most: Little's law %.2g, utilisation law %.2g, flow %.2g\n",
			checks->little, checks->utilisation, checks->flow);
	fputs(verdict ? verdict : "out of memory", to);
	free(verdict);
}

/**
 * tl_bottleneck_print() - The answer for people
 * @lqn: network
 * @out: what was found
 * @to: where it goes
 */
void tl_bottleneck_print(const struct tl_lqn *lqn, const struct tl_bottleneck_out *out, FILE *to)
{
	char *text = NULL;
	size_t len;
	FILE *lines;

	if (steady(out)) {
		places_print(lqn, out, to);
		if (out->wait.n_layers)
			waits_print(lqn, &out->wait, to);
	}
	lines = open_memstream(&text, &len);
	if (lines)
		lines_write(lqn, out, lines);
	if (lines && !fclose(lines))
		tl_text_lines(to, text);
	free(text);
}
