// SPDX-License-Identifier: GPL-2.0-or-later
/* What was done to a record of counters, for people and for programs. */
#include "pmu-out.h"

#include "cmd.h"
#include "out.h"

#include <math.h>

#define COVERAGES 6 /* mean + 1 to 6 deviations: the paper's table 2 */

/* An event over all processors. */
static struct tl_pmu_event sum_of(const struct tl_pmu_file *file, const struct tl_pmu_out *out,
				  size_t event)
{
	struct tl_pmu_event sum = out[0].event[event];
	size_t p, a;

	for (p = 1; p < file->parts; p++) {
		const struct tl_pmu_event *e = &out[p].event[event];

		for (a = 0; a < TL_PMU_ACTIONS; a++)
			sum.done[a] += e->done[a];
		sum.unlike |= e->unlike;
		sum.running += e->running;
		sum.foretold = fmax(sum.foretold, e->foretold);
	}
	sum.running /= (double)file->parts;
	return sum;
}

/* Events that known runs are not like, on any processor. */
static size_t unlike_of(const struct tl_pmu_file *file, const struct tl_pmu_out *out)
{
	size_t n = 0, e;

	for (e = 0; e < file->events; e++)
		n += sum_of(file, out, e).unlike;
	return n;
}

static double coverage_of(const struct tl_pmu_file *file, double sd)
{
	double within = 0, all = 0;
	size_t p;

	for (p = 0; p < file->parts; p++) {
		double n = (double)file->part[p].record.intervals;

		within += n * tl_pmu_coverage(&file->part[p].record, sd);
		all += n;
	}
	return within / all;
}

static void coverages_print(const struct tl_pmu_file *file, FILE *to)
{
	int n;

	fputs("\nValues not above mean + n deviations:", to);
	for (n = 1; n <= COVERAGES; n++)
		fprintf(to, "  %d: %.2f %%", n, 100 * coverage_of(file, n));
	putc('\n', to);
}

static void unlike_print(const struct tl_pmu_file *file, const struct tl_pmu_out *out,
			 const char *app, FILE *to)
{
	size_t unlike = unlike_of(file, out);

	if (unlike)
		fprintf(to, "Of %zu of the %zu events this is unlike the known runs of %s: another program, "
			"input or machine.\nThey stay as they were counted, but for local medians. If it is "
			"%s, teach it such a run:\ntierlens pmu learn FILE --app %s --beside --kb DB; or "
			"as another --environment.\n\n", unlike, file->events, app, app, app);
}

static void unknown_print(const struct tl_pmu_file *file, const struct tl_pmu_out *out,
			  const char *app, size_t runs, FILE *to)
{
	if (!runs)
		fprintf(to, "Of %s nothing is known: only what stands out of this record itself was "
			"replaced, by local medians.\nTeach it what %s does with few events at a "
			"time: tierlens pmu learn FILE --app %s --kb DB\n\n", app, app, app);
	else if (out[0].fell_back)
		fprintf(to, "Of %zu of the %zu events no run of %s is known: local medians stand for "
			"them.\n\n", out[0].fell_back, file->events, app);
}

/**
 * tl_pmu_cleaned_print() - What was done to a record, as a table
 * @file: record
 * @out: [parts] what became of it
 * @app: the program
 * @runs: that are known of it
 * @to: where
 */
void tl_pmu_cleaned_print(const struct tl_pmu_file *file, const struct tl_pmu_out *out,
			  const char *app, size_t runs, FILE *to)
{
	struct tl_grid *grid = tl_grid_new("event|>running|>known|>kept|>scaled|>corrected|>filled|"
					   ">false zeros|>outliers|>foretold to");
	size_t e, a;

	unknown_print(file, out, app, runs, to);
	unlike_print(file, out, app, to);
	for (e = 0; grid && e < file->events; e++) {
		struct tl_pmu_event sum = sum_of(file, out, e);

		tl_grid_add(grid, "%s", file->event[e]);
		tl_grid_add(grid, "%.1f %%", 100 * sum.running);
		tl_grid_add(grid, "%zu%s", sum.known, sum.unlike ? ", unlike" : "");
		for (a = 0; a < TL_PMU_ABSENT; a++)
			tl_grid_add(grid, "%zu", sum.done[a]);
		if (sum.foretold > 0)
			tl_grid_add(grid, "± %.3g %%", 100 * expm1(sum.foretold));
		else
			tl_grid_add(grid, "-");
	}
	tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
	coverages_print(file, to);
}

static json_t *event_json(const char *name, const struct tl_pmu_event *e)
{
	json_t *done = json_object();
	size_t a;

	for (a = 0; a < TL_PMU_ACTIONS; a++)
		json_object_set_new(done, tl_pmu_action_name(a), json_integer((json_int_t)e->done[a]));
	return json_pack("{s:o, s:f, s:I, s:b, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "event",
			 tl_out_name(name), "running", e->running, "known_runs",
			 (json_int_t)e->known, "unlike", e->unlike, "neighbours", (json_int_t)e->neighbours, "max", e->max,
			 "min", e->min, "mean", e->mean, "sd", e->sd, "threshold", e->threshold,
			 "foretold_error", e->foretold, "done", done);
}

static const char *verdict_of(const struct tl_pmu_out *out, size_t events, size_t runs,
			      size_t unlike)
{
	if (!runs)
		return "never seen: local medians only";
	if (unlike && unlike + out[0].fell_back >= events)
		return "unlike the known runs: local medians only";
	if (unlike)
		return "some events are unlike the known runs";
	return out[0].fell_back ? "some events were never seen" : "ok";
}

/**
 * tl_pmu_cleaned_json() - What was done to a record
 * @file: record
 * @out: [parts] what became of it
 * @app: the program
 * @runs: that are known of it
 *
 * Return: an object; NULL without memory.
 */
json_t *tl_pmu_cleaned_json(const struct tl_pmu_file *file, const struct tl_pmu_out *out,
			    const char *app, size_t runs)
{
	json_t *events = json_array(), *coverage = json_object();
	char name[8];
	size_t e;
	int n;

	for (e = 0; e < file->events; e++) {
		struct tl_pmu_event sum = sum_of(file, out, e);

		json_array_append_new(events, event_json(file->event[e], &sum));
	}
	for (n = 1; n <= COVERAGES; n++) {
		snprintf(name, sizeof(name), "%d", n);
		json_object_set_new(coverage, name, json_real(coverage_of(file, n)));
	}
	e = unlike_of(file, out);
	return json_pack("{s:o, s:I, s:I, s:I, s:o, s:o, s:s}", "app", tl_out_name(app), "runs",
			 (json_int_t)runs, "fell_back", (json_int_t)out[0].fell_back, "unlike",
			 (json_int_t)e, "events", events, "coverage", coverage, "verdict",
			 verdict_of(out, file->events, runs, e));
}

static void percent_add(struct tl_grid *grid, double part)
{
	if (part < 0)
		tl_grid_add(grid, "-");
	else
		tl_grid_add(grid, "%.1f %%", 100 * part);
}

/**
 * tl_pmu_differ_print() - Differences as a table
 * @differ: [@n] events
 * @n: how many
 * @to: where
 */
void tl_pmu_differ_print(const struct tl_pmu_differ *differ, size_t n, FILE *to)
{
	struct tl_grid *grid = tl_grid_new("event|>DTW to reference|>of the references|>diff|>mean error");
	size_t i;

	for (i = 0; grid && i < n; i++) {
		tl_grid_add(grid, "%s", differ[i].event);
		tl_grid_add(grid, "%.4g", differ[i].test);
		tl_grid_add(grid, "%.4g", differ[i].reference);
		percent_add(grid, differ[i].diff);
		percent_add(grid, differ[i].error);
	}
	tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
}

/**
 * tl_pmu_differ_json() - Differences
 * @differ: [@n] events
 * @n: how many
 *
 * Return: an object; NULL without memory.
 */
json_t *tl_pmu_differ_json(const struct tl_pmu_differ *differ, size_t n)
{
	json_t *events = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(events, json_pack("{s:o, s:f, s:f, s:o, s:o}", "event",
			tl_out_name(differ[i].event), "dtw_test", differ[i].test, "dtw_reference",
			differ[i].reference, "diff", tl_out_real(differ[i].diff < 0 ? NAN : differ[i].diff),
			"error", tl_out_real(differ[i].error < 0 ? NAN : differ[i].error)));
	return json_pack("{s:o}", "events", events);
}
