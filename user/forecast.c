// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Demands held against windows that they were not computed from
 *
 * The error is the paper's: how far the predicted own times and utilisations are off
 * the measured ones, relative to these (paper 000, 6.2): in the mean of the windows,
 * and for all of them taken as one long window, as the paper's experiments are.
 */
#include "forecast.h"

#include "out.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The column of the windows' counts that each class of the demands is. */
static const struct tl_column *count_of(const struct tl_forecast *f, size_t class)
{
	const char *name = f->demand->windows->classes.name[class];
	size_t at = tl_names_find(&f->windows->classes, name);

	return at == TL_NOWHERE ? NULL : tl_windows_find(f->windows, TL_COLUMN_COUNT, at,
							 TL_NOWHERE, TL_NOWHERE);
}

static const struct tl_column *measured_of(const struct tl_forecast *f,
					   const struct tl_target *target)
{
	const struct tl_windows *names = f->demand->windows;
	size_t at;

	if (target->resource != TL_NOWHERE) {
		at = tl_names_find(&f->windows->resources,
				   names->resources.name[target->resource]);
		return at == TL_NOWHERE ? NULL :
		       tl_windows_find(f->windows, TL_COLUMN_BUSY, TL_NOWHERE, TL_NOWHERE, at);
	}
	at = tl_names_find(&f->windows->tiers, names->tiers.name[target->tier]);
	return at == TL_NOWHERE ? NULL :
	       tl_windows_find(f->windows, TL_COLUMN_TIER_OWN, TL_NOWHERE, at, TL_NOWHERE);
}

/* Requests of classes that the demands do not know make a window unpredictable. */
static bool *unknown_find(struct tl_forecast *f)
{
	const struct tl_windows *w = f->windows;
	bool *unknown = calloc(w->n + 1, sizeof(*unknown)), came;
	size_t i, k;

	for (i = 0; unknown && i < w->classes.n; i++) {
		const struct tl_column *count = tl_windows_find(w, TL_COLUMN_COUNT, i,
								TL_NOWHERE, TL_NOWHERE);

		if (!count || tl_names_find(&f->demand->windows->classes,
					    w->classes.name[i]) != TL_NOWHERE)
			continue;
		for (k = 0, came = false; k < w->n; k++) {
			unknown[k] |= count->value[k] > 0;
			came |= count->value[k] > 0;
		}
		f->unknown += came;
	}
	return unknown;
}

static int predict(struct tl_forecast *f, const bool *unknown)
{
	size_t p = f->demand->windows->classes.n, n = f->demand->n_targets, w, i;
	const struct tl_column **count = calloc(p + 1, sizeof(*count));
	double *rate = calloc(p + 1, sizeof(*rate));
	int code = count && rate ? 0 : -ENOMEM;

	for (i = 0; !code && i < p; i++)
		count[i] = count_of(f, i);
	for (w = 0; !code && w < f->windows->n; w++) {
		for (i = 0; i < p; i++)
			rate[i] = count[i] ? count[i]->value[w] / f->windows->seconds[w] : 0;
		tl_predict(f->demand, rate, f->predicted + w * n);
		for (i = 0; unknown[w] && i < n; i++)
			f->predicted[w * n + i] = (struct tl_predicted){ NAN, NAN, NAN };
	}
	free(count);
	free(rate);
	return code;
}

static void measure(struct tl_forecast *f)
{
	size_t n = f->demand->n_targets, w, i, windows = 0;

	for (i = 0; i < n; i++) {
		const struct tl_target *target = &f->demand->target[i];
		const struct tl_column *column = measured_of(f, target);

		for (w = 0; w < f->windows->n; w++)
			f->measured[w * n + i] = !column ? NAN : column->value[w] /
				(target->resource == TL_NOWHERE ? f->windows->seconds[w] : 1);
	}
	for (w = 0; w < f->windows->n; w++) {
		double most = 0;

		for (i = 0; i < n; i++)
			if (f->demand->target[i].resource != TL_NOWHERE)
				most = fmax(most, f->measured[w * n + i]);
		windows += !f->windows->left_out[w];
		f->busiest += f->windows->left_out[w] ? 0 : most;
	}
	f->busiest = windows ? f->busiest / (double)windows : 0;
}

static void errors(struct tl_forecast *f)
{
	size_t n = f->demand->n_targets, w, i, used;
	double sum, off, measured, all_off, all;

	for (i = 0; i < n; i++) {
		for (w = 0, used = 0, sum = all_off = all = 0; w < f->windows->n; w++) {
			measured = f->measured[w * n + i];
			off = f->predicted[w * n + i].value - measured;
			if (f->windows->left_out[w] || !isfinite(off))
				continue;
			all_off += off * f->windows->seconds[w];
			all += measured * f->windows->seconds[w];
			sum += measured > 0 ? fabs(off) / measured : 0;
			used += measured > 0;
		}
		f->error[i] = used ? sum / (double)used : NAN;
		f->total[i] = all > 0 ? fabs(all_off) / all : NAN;
	}
}

/**
 * tl_forecast_make() - Predict windows, and see how far off that is
 * @forecast: filled in, to be given to tl_forecast_free(), after an error too
 * @demand: demands
 * @windows: table of figures; classes, tiers and resources are found by name
 *
 * Return: 0 or -ENOMEM.
 */
int tl_forecast_make(struct tl_forecast *forecast, const struct tl_demand *demand,
		     const struct tl_windows *windows)
{
	size_t n = demand->n_targets * windows->n + 1;
	bool *unknown;
	int code = -ENOMEM;

	*forecast = (struct tl_forecast){ .demand = demand, .windows = windows };
	forecast->predicted = calloc(n, sizeof(*forecast->predicted));
	forecast->measured = calloc(n, sizeof(*forecast->measured));
	forecast->error = calloc(demand->n_targets + 1, sizeof(*forecast->error));
	forecast->total = calloc(demand->n_targets + 1, sizeof(*forecast->total));
	unknown = unknown_find(forecast);
	if (forecast->predicted && forecast->measured && forecast->error &&
	    forecast->total && unknown)
		code = predict(forecast, unknown);
	if (!code) {
		measure(forecast);
		errors(forecast);
	}
	free(unknown);
	return code;
}

/**
 * tl_forecast_free() - Free what tl_forecast_make() allocated
 * @forecast: its result
 */
void tl_forecast_free(struct tl_forecast *forecast)
{
	free(forecast->predicted);
	free(forecast->measured);
	free(forecast->error);
	free(forecast->total);
}

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *predicted_json(const struct tl_predicted *p, double measured, double unit)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "value", number(unit * p->value),
			 "low95", number(unit * p->low95), "high95", number(unit * p->high95),
			 "measured", number(unit * measured));
}

static const char *name_of(const struct tl_forecast *f, const struct tl_target *target)
{
	const struct tl_windows *names = f->demand->windows;

	return target->resource == TL_NOWHERE ? names->tiers.name[target->tier] :
						names->resources.name[target->resource];
}

static json_t *window_json(const struct tl_forecast *f, size_t w)
{
	json_t *y = json_object(), *u = json_object();
	size_t n = f->demand->n_targets, i;

	for (i = 0; i < n; i++) {
		const struct tl_target *target = &f->demand->target[i];
		bool own = target->resource == TL_NOWHERE;

		json_object_set_new(own ? y : u, name_of(f, target),
				    predicted_json(&f->predicted[w * n + i],
						   f->measured[w * n + i],
						   own ? f->windows->seconds[w] : 1));
	}
	return json_pack("{s:f, s:o, s:o, s:s?}", "t", f->windows->t_s[w], "y", y, "u", u,
			 "left_out", f->windows->left_out[w]);
}

/**
 * tl_forecast_json() - A forecast for programs
 * @forecast: forecast
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_forecast_json(const struct tl_forecast *forecast)
{
	json_t *windows = json_array(), *y = json_object(), *u = json_object();
	json_t *total_y = json_object(), *total_u = json_object();
	size_t i;

	for (i = 0; i < forecast->windows->n; i++)
		json_array_append_new(windows, window_json(forecast, i));
	for (i = 0; i < forecast->demand->n_targets; i++) {
		const struct tl_target *target = &forecast->demand->target[i];

		json_object_set_new(target->resource == TL_NOWHERE ? y : u,
				    name_of(forecast, target), number(forecast->error[i]));
		json_object_set_new(target->resource == TL_NOWHERE ? total_y : total_u,
				    name_of(forecast, target), number(forecast->total[i]));
	}
	return json_pack("{s:s, s:o, s:{s:o, s:o}, s:{s:o, s:o}, s:f, s:I}",
			 "file", forecast->windows->file, "windows", windows, "error", "y", y, "u", u,
			 "total_error", "y", total_y, "u", total_u,
			 "busiest", forecast->busiest,
			 "unknown_classes", (json_int_t)forecast->unknown);
}

static void mean_print(const struct tl_forecast *f, struct tl_grid *grid, size_t target)
{
	const struct tl_target *t = &f->demand->target[target];
	size_t n = f->demand->n_targets, w, known = 0, inside = 0;
	double predicted = 0, measured = 0;

	for (w = 0; w < f->windows->n; w++) {
		const struct tl_predicted *p = &f->predicted[w * n + target];
		double value = f->measured[w * n + target];

		if (f->windows->left_out[w] || !isfinite(p->value) || !isfinite(value))
			continue;
		known++;
		predicted += p->value;
		measured += value;
		inside += value >= p->low95 && value <= p->high95;
	}
	tl_grid_add(grid, "%s", name_of(f, t));
	tl_grid_add(grid, "%s", t->resource == TL_NOWHERE ? "own time, s/s" : "utilisation");
	tl_grid_add(grid, "%zu", known);
	tl_grid_add(grid, known ? "%.4f" : "-", measured / (double)known);
	tl_grid_add(grid, known ? "%.4f" : "-", predicted / (double)known);
	tl_grid_add(grid, isfinite(f->error[target]) ? "%.1f" : "-", 100 * f->error[target]);
	tl_grid_add(grid, isfinite(f->total[target]) ? "%.1f" : "-", 100 * f->total[target]);
	tl_grid_add(grid, known ? "%.0f" : "-", 100 * (double)inside / (double)known);
}

/**
 * tl_forecast_print() - A forecast for people: means over the windows
 * @forecast: forecast
 * @to: where
 */
void tl_forecast_print(const struct tl_forecast *forecast, FILE *to)
{
	struct tl_grid *grid = tl_grid_new(
		"of||>windows|>measured|>predicted|>mean error %|>of the sum %|>in the interval %");
	size_t i;

	for (i = 0; i < forecast->demand->n_targets; i++)
		mean_print(forecast, grid, i);
	tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
	if (forecast->unknown)
		fprintf(to, "%zu classes are not in the model: windows with them are not "
			"predicted\n", forecast->unknown);
}
