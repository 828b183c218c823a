// SPDX-License-Identifier: GPL-2.0-or-later
/* Demands over time for programs and for people. */
#include "follow.h"

#include "demand-out.h"
#include "out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINES 10 /* a filter has hardly begun */
#define RECENT_LINES 60
#define OFF_MAX 1.5 /* of what was foretold: more is no matter of a few outliers */
#define RESTLESS_LINES 25 /* a change in fewer, all in all, is too often */
#define RESTLESS_MIN 6
#define SHOWN_MAX 30

static double percent_doubted(const struct tl_track_nis *nis)
{
	size_t all = nis->windows + nis->doubted;

	return all ? 100.0 * (double)nis->doubted / (double)all : 0;
}

static size_t changes_until(const struct tl_followed *r, size_t line)
{
	size_t i, n = 0;

	for (i = 0; i < r->changes; i++)
		n += r->change[i].window <= line;
	return n;
}

/* What is wrong with the filter of a resource in the last of some lines; NULL for nothing. */
static char *fault_of(const struct tl_follow *f, size_t resource, size_t line)
{
	const struct tl_followed *r = &f->resource[resource];
	size_t from = line >= RECENT_LINES ? line + 1 - RECENT_LINES : 0;
	const char *name = tl_follow_resource(f, resource);
	struct tl_track_nis nis;
	char *text = NULL;
	int len = 0;

	tl_track_consistency(r->step + from, line + 1 - from, &nis);
	if (r->restarts)
		len = asprintf(&text, "uncertain: the filter of %s began anew %zu times because "
			       "its numbers gave out", name, r->restarts);
	else if (nis.windows && nis.ratio > OFF_MAX && nis.ratio > nis.high95)
		len = asprintf(&text, "not consistent: windows are %.2g times as far off at %s as "
			       "was foretold", nis.ratio, name);
	else if (nis.doubted > 3 && percent_doubted(&nis) > 33)
		len = asprintf(&text, "not consistent: %zu of %zu windows are not believed at %s",
			       nis.doubted, nis.doubted + nis.windows, name);
	else if (changes_until(r, line) > RESTLESS_MIN + line / RESTLESS_LINES)
		len = asprintf(&text, "uncertain: demands at %s change again and again (%zu "
			       "times): is it shared evenly by all requests?", name,
			       changes_until(r, line));
	return len < 0 ? NULL : text;
}

/**
 * tl_follow_verdict() - What may be said of the demands of a line
 * @f: demands over time
 * @line: index; what came later is not looked at
 *
 * Return: the verdict, the worst of all resources.
 */
char *tl_follow_verdict(const struct tl_follow *f, size_t line)
{
	char *text = NULL;
	size_t i;

	for (i = 0; !text && f->method == TL_FOLLOW_FILTER && i < f->resources; i++)
		if (!f->resource[i].unfit)
			text = fault_of(f, i, line);
	for (i = 0; !text && i < f->resources; i++) {
		const struct tl_followed *r = &f->resource[i];
		const char *why = r->unfit ? r->unfit : r->why ? r->why[line] : NULL;

		if (why && asprintf(&text, "incomplete: nothing is known of %s: %s",
				    tl_follow_resource(f, i), why) < 0)
			return NULL;
	}
	if (text)
		return text;
	if (f->method == TL_FOLLOW_PAPER)
		return strdup("uncertain: one utilisation does not tell classes apart");
	if (f->method == TL_FOLLOW_FILTER && line < FIRST_LINES)
		return strdup("uncertain: the filter has just begun");
	return strdup("ok");
}

static json_t *number(bool known, double value)
{
	return known ? json_real(value) : json_null();
}

static char *estimate_verdict(const struct tl_follow *f, const struct tl_followed *r,
			      const struct tl_estimate *e)
{
	struct tl_estimate one[f->windows->classes.n + 1];
	struct tl_target target = f->demand.target[r->target];

	one[0] = *e;
	target.coefficient = one;
	if (e->verdict == TL_VERDICT_INSEPARABLE)
		return strdup("not identifiable: the period's counts do not tell it apart");
	return tl_estimate_verdict(&f->demand, &target, 0);
}

static json_t *demand_json(const struct tl_follow *f, size_t resource, size_t line,
			   size_t class)
{
	const struct tl_followed *r = &f->resource[resource];
	size_t p = f->windows->classes.n;
	const struct tl_estimate *e = &r->demand[line * p + class];
	const struct tl_target *target = &f->demand.target[r->target];
	bool fitted = !r->why || !r->why[line], known = fitted && tl_follow_known(f, e);
	bool bounded = known || (fitted && tl_estimate_bounded(e));
	char *verdict = fitted ? estimate_verdict(f, r, e) : NULL;
	json_t *object = json_pack(
		"{s:s, s:s?, s:s, s:o, s:o, s:o, s:s}",
		"class", f->windows->classes.name[class], "tier",
		target->tier == TL_NOWHERE ? NULL : f->windows->tiers.name[target->tier],
		"resource", tl_follow_resource(f, resource),
		"value_s", number(known, e->value), "low95_s", number(bounded, e->low95),
		"high95_s", number(bounded, e->high95),
		"verdict", fitted ? verdict ? verdict : "" : r->why[line]);

	free(verdict);
	return object;
}

static json_t *changes_json(const struct tl_follow *f, size_t line)
{
	json_t *list = json_array();
	size_t i, k;

	for (k = 0; k < f->resources; k++)
		for (i = 0; i < f->resource[k].changes; i++) {
			const struct tl_track_change *c = &f->resource[k].change[i];

			if (c->window != line)
				continue;
			json_array_append_new(list, json_pack(
				"{s:s?, s:s, s:f, s:f}", "class",
				c->class == TL_TRACK_ALL ? NULL :
				f->windows->classes.name[c->class],
				"resource", tl_follow_resource(f, k),
				"since_t", f->t_s[c->since], "factor", c->factor));
		}
	if (json_array_size(list))
		return list;
	json_decref(list);
	return json_null();
}

static json_t *backgrounds_json(const struct tl_follow *f, size_t line)
{
	json_t *object = json_object();
	size_t k;

	for (k = 0; k < f->resources; k++) {
		const struct tl_followed *r = &f->resource[k];

		if (f->method == TL_FOLLOW_FILTER && !r->unfit)
			json_object_set_new(object, tl_follow_resource(f, k), json_pack(
				"{s:f, s:f}", "value", r->step[line].background.value, "stderr",
				r->step[line].background.error));
	}
	return object;
}

static json_t *not_followed_json(const struct tl_follow *f)
{
	json_t *object = json_object();
	size_t k;

	for (k = 0; k < f->resources; k++)
		if (f->resource[k].unfit)
			json_object_set_new(object, tl_follow_resource(f, k),
					    json_string(f->resource[k].unfit));
	return object;
}

/* Innovations of several resources are added up. */
static double nis_of(const struct tl_follow *f, size_t line, size_t *degrees,
		     size_t *doubted)
{
	double nis = 0;
	size_t k;

	for (k = 0, *degrees = *doubted = 0; k < f->resources; k++) {
		const struct tl_track_step *step = f->resource[k].step;

		if (!step)
			continue;
		nis += step[line].nis;
		*degrees += step[line].degrees;
		*doubted += step[line].doubted;
	}
	return nis;
}

static json_t *line_json(const struct tl_follow *f, size_t line)
{
	json_t *demands = json_array(), *object;
	size_t k, i, degrees, doubted;
	double nis = nis_of(f, line, &degrees, &doubted);
	char *verdict = tl_follow_verdict(f, line);

	for (k = 0; k < f->resources; k++)
		for (i = 0; !f->resource[k].unfit && i < f->windows->classes.n; i++)
			json_array_append_new(demands, demand_json(f, k, line, i));
	object = json_pack("{s:f, s:f, s:s, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:s}",
			   "t", f->t_s[line], "seconds", f->seconds[line],
			   "method", tl_follow_names[f->method], "demands", demands,
			   "nis", number(degrees, nis), "nis_degrees", (json_int_t)degrees,
			   "doubted", (json_int_t)doubted, "change", changes_json(f, line),
			   "background", backgrounds_json(f, line),
			   "not_followed", not_followed_json(f),
			   "verdict", verdict ? verdict : "");
	free(verdict);
	return object;
}

/**
 * tl_follow_json() - Demands over time for programs, a line a window
 * @follow: demands over time
 * @points: windows at most, evenly, the last among them; 0 for all
 *
 * Return: exit status.
 */
int tl_follow_json(const struct tl_follow *follow, size_t points)
{
	size_t i, each = points ? (follow->lines + points - 1) / points : 1;
	int status = 0;

	for (i = each ? (follow->lines - 1) % each : 0; i < follow->lines && !status; i += each)
		status = tl_out_json(line_json(follow, i));
	return status;
}

static void head_print(const struct tl_follow *f, FILE *to)
{
	const struct tl_windows *w = f->windows;
	size_t i, n = w->n - f->demand.n_used, said = 0;

	fprintf(to, "%zu of %zu windows, %zu classes, by %s", f->demand.n_used, w->n,
		w->classes.n, tl_follow_names[f->method]);
	if (f->method == TL_FOLLOW_NNLS)
		fprintf(to, " in %zu periods of %d s", f->lines, TL_FOLLOW_PERIOD_S);
	fputc('\n', to);
	for (i = 0; i < w->n && said < SHOWN_MAX; i++)
		if (w->left_out[i]) {
			fprintf(to, "left out: window at %.3f s: %s\n", w->t_s[i],
				w->left_out[i]);
			said++;
		}
	if (n > said)
		fprintf(to, "left out: %zu more windows\n", n - said);
	fputc('\n', to);
}

static void row_print(const struct tl_follow *f, size_t resource, size_t class,
		      struct tl_grid *grid)
{
	const struct tl_followed *r = &f->resource[resource];
	size_t p = f->windows->classes.n, last = f->lines - 1, i;
	double least = INFINITY, most = -INFINITY;
	const struct tl_estimate *e;
	char *verdict;

	for (i = 0; i < f->lines; i++) {
		e = &r->demand[i * p + class];
		if ((r->why && r->why[i]) || !tl_follow_known(f, e))
			continue;
		least = fmin(least, e->value);
		most = fmax(most, e->value);
		last = i;
	}
	e = &r->demand[last * p + class];
	tl_grid_add(grid, "%s", tl_follow_resource(f, resource));
	tl_grid_add(grid, "%s", f->windows->classes.name[class]);
	if (most < least) {
		for (i = 0; i < 4; i++)
			tl_grid_add(grid, "-");
	} else {
		tl_grid_add(grid, "%.4g", 1e3 * e->value);
		tl_grid_add(grid, "%.4g ... %.4g", 1e3 * e->low95, 1e3 * e->high95);
		tl_grid_add(grid, "%.4g", 1e3 * least);
		tl_grid_add(grid, "%.4g", 1e3 * most);
	}
	verdict = estimate_verdict(f, r, e);
	tl_grid_add(grid, "%s", r->why && r->why[last] ? r->why[last] : verdict ? verdict : "");
	free(verdict);
}

static void changes_print(const struct tl_follow *f, FILE *to)
{
	struct tl_grid *grid = tl_grid_new(">since s|>certain s|resource|class|>times");
	size_t i, k, n = 0;

	for (k = 0; k < f->resources; k++)
		for (i = 0; i < f->resource[k].changes; i++, n++) {
			const struct tl_track_change *c = &f->resource[k].change[i];

			tl_grid_add(grid, "%.3f", f->t_s[c->since]);
			tl_grid_add(grid, "%.3f", f->t_s[c->window] + f->seconds[c->window]);
			tl_grid_add(grid, "%s", tl_follow_resource(f, k));
			tl_grid_add(grid, "%s", c->class == TL_TRACK_ALL ?
				    "(all, or without requests)" :
				    f->windows->classes.name[c->class]);
			tl_grid_add(grid, "%.3f", c->factor);
		}
	if (n) {
		fputs("\nchanges:\n", to);
		tl_grid_print(grid, to, 0, 0);
	} else if (f->method == TL_FOLLOW_FILTER) {
		fputs("\nno demand changed at once\n", to);
	}
	tl_grid_free(grid);
}

static void consistency_print(const struct tl_follow *f, FILE *to)
{
	struct tl_grid *grid = tl_grid_new(
		"resource|by|>NIS a degree|>95 %|>windows|>doubted|>without requests");
	struct tl_track_nis nis;
	size_t k;

	for (k = 0; k < f->resources; k++) {
		const struct tl_followed *r = &f->resource[k];
		const struct tl_estimate *b;

		if (!r->step)
			continue;
		tl_track_consistency(r->step, f->lines, &nis);
		b = &r->step[f->lines - 1].background;
		tl_grid_add(grid, "%s", tl_follow_resource(f, k));
		tl_grid_add(grid, "%s", r->by);
		tl_grid_add(grid, "%.3f", nis.ratio);
		tl_grid_add(grid, "%.3f ... %.3f", nis.low95, nis.high95);
		tl_grid_add(grid, "%zu", nis.windows);
		tl_grid_add(grid, "%zu", nis.doubted);
		if (f->method == TL_FOLLOW_FILTER)
			tl_grid_add(grid, "%.4f +- %.4f", b->value, b->error);
		else
			tl_grid_add(grid, "-");
	}
	fputc('\n', to);
	tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
}

/**
 * tl_follow_print() - Demands over time for people: the last ones, and what changed
 * @follow: demands over time
 * @to: where
 */
void tl_follow_print(const struct tl_follow *follow, FILE *to)
{
	struct tl_grid *grid = tl_grid_new(
		"resource|class|>demand ms|>95 %|>least|>most|verdict");
	char *verdict = tl_follow_verdict(follow, follow->lines - 1);
	size_t k, i;

	head_print(follow, to);
	for (k = 0; k < follow->resources; k++)
		for (i = 0; !follow->resource[k].unfit && i < follow->windows->classes.n; i++)
			row_print(follow, k, i, grid);
	tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
	if (follow->method == TL_FOLLOW_FILTER || follow->method == TL_FOLLOW_PAPER) {
		changes_print(follow, to);
		consistency_print(follow, to);
	}
	fprintf(to, "\nverdict: %s\n", verdict ? verdict : "");
	free(verdict);
}
