// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Methods held against each other, by what they predict
 *
 * As the paper does (000, 6.4, figures 4 to 6): fitted to one set of mixes, held
 * against others, per tier and per resource. Below a tenth busy, waiting does not count
 * and own times stand for service times.
 */
#include "compare.h"

#include "demand-cross.h"
#include "error.h"
#include "forecast.h"
#include "out.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/**
 * tl_comparison_make() - Begin
 * @c: filled in, to be given to tl_comparison_free(), after an error too
 * @windows: what the methods are fitted to; must outlive @c
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_comparison_make(struct tl_comparison *c, const struct tl_windows *windows,
		       struct tl_error *err)
{
	memset(c, 0, sizeof(*c));
	c->windows = windows;
	return tl_demand_fit(&c->demand, windows, TL_METHOD_AUTO, err);
}

static struct tl_compared *compared_add(struct tl_comparison *c, const char *file)
{
	struct tl_compared *grown = reallocarray(c->compared, c->n + 1, sizeof(*grown)), *new;
	size_t i, n = TL_METHODS * c->demand.n_targets;

	if (!grown)
		return NULL;
	c->compared = grown;
	new = &grown[c->n];
	new->busiest = 0;
	new->file = strdup(file);
	new->error = calloc(n + 1, sizeof(*new->error));
	c->n++;
	for (i = 0; new->error && i < n; i++)
		new->error[i] = NAN;
	return new->file && new->error ? new : NULL;
}

static int add_method(struct tl_comparison *c, struct tl_compared *to,
		      const struct tl_windows *windows, enum tl_method method)
{
	size_t n = c->demand.n_targets;
	struct tl_forecast forecast;
	struct tl_demand demand;
	int code = tl_demand_prepare(&demand, c->windows, c->demand.used, c->demand.n_used);

	code = code ? code : tl_demand_refit(&demand, method);
	if (!code) {
		code = tl_forecast_make(&forecast, &demand, windows);
		if (!code) {
			memcpy(to->error + method * n, forecast.total, n * sizeof(double));
			to->busiest = forecast.busiest;
		}
		tl_forecast_free(&forecast);
	}
	tl_demand_free(&demand);
	return code;
}

/**
 * tl_comparison_add() - Hold all methods against other windows
 * @c: comparison
 * @windows: other windows
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_comparison_add(struct tl_comparison *c, const struct tl_windows *windows,
		      struct tl_error *err)
{
	struct tl_compared *to = compared_add(c, windows->file);
	int method, code = to ? 0 : -ENOMEM;

	for (method = 0; method < TL_METHODS && !code; method++)
		code = add_method(c, to, windows, (enum tl_method)method);
	return code ? tl_error_no_memory(err) : 0;
}

/**
 * tl_comparison_cross() - Hold all methods against windows that were left out of the fit
 * @c: comparison
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_comparison_cross(struct tl_comparison *c, struct tl_error *err)
{
	struct tl_compared *to = compared_add(c, c->windows->file);
	size_t n = c->demand.n_targets, i;
	struct tl_cross cross = { 0 };
	struct tl_folds folds = { 0 };
	int method, code = to ? tl_folds_make(&folds, &c->demand) : -ENOMEM;

	c->crossed = true;
	for (method = 0; method < TL_METHODS && !code; method++) {
		code = tl_cross_make(&cross, &folds, (enum tl_method)method);
		for (i = 0; !code && i < n; i++)
			to->error[(size_t)method * n + i] =
				isfinite(cross.square[i * TL_FOLDS]) ? cross.relative[i] : NAN;
		tl_cross_free(&cross);
	}
	tl_folds_free(&folds);
	for (i = 0; !code && i < n; i++) {
		double mean = 0;
		size_t w;

		for (w = 0; w < c->demand.n_used; w++)
			mean += c->demand.target[i].value[w] / (double)c->demand.n_used;
		if (c->demand.target[i].resource != TL_NOWHERE)
			to->busiest = fmax(to->busiest, mean);
	}
	return code ? tl_error_no_memory(err) : 0;
}

/**
 * tl_comparison_free() - Free what a comparison holds
 * @c: comparison
 */
void tl_comparison_free(struct tl_comparison *c)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		free(c->compared[i].file);
		free(c->compared[i].error);
	}
	free(c->compared);
	tl_demand_free(&c->demand);
}

static const char *level(double busiest)
{
	return busiest < 0.1 ? "very light" : busiest < 0.4 ? "light" : "heavy";
}

/* Mean over those own times or utilisations of which auto has an error; NAN if one of
 * them is not there. */
static double mean_error(const struct tl_comparison *c, const struct tl_compared *one,
			 size_t method, bool own)
{
	double sum = 0;
	size_t i, n = 0;

	for (i = 0; i < c->demand.n_targets; i++) {
		if ((c->demand.target[i].resource == TL_NOWHERE) != own ||
		    !isfinite(one->error[TL_METHOD_AUTO * c->demand.n_targets + i]))
			continue;
		sum += one->error[method * c->demand.n_targets + i];
		n++;
	}
	return n ? sum / (double)n : NAN;
}

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *row_json(const struct tl_comparison *c, const struct tl_compared *one,
			size_t method)
{
	json_t *y = json_object(), *u = json_object();
	size_t i;

	for (i = 0; i < c->demand.n_targets; i++) {
		const struct tl_target *t = &c->demand.target[i];
		bool own = t->resource == TL_NOWHERE;

		json_object_set_new(own ? y : u,
				    own ? c->windows->tiers.name[t->tier] :
					  tl_target_name(c->windows, t),
				    number(one->error[method * c->demand.n_targets + i]));
	}
	return json_pack("{s:s, s:s, s:f, s:s, s:o, s:o, s:o, s:o}", "file", one->file,
			 "level", level(one->busiest), "busiest", one->busiest,
			 "method", tl_method_names[method], "y", y, "u", u,
			 "mean_y", number(mean_error(c, one, method, true)),
			 "mean_u", number(mean_error(c, one, method, false)));
}

/**
 * tl_comparison_json() - A comparison for programs
 * @c: comparison
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_comparison_json(const struct tl_comparison *c)
{
	json_t *errors = json_array();
	size_t i, method;

	for (i = 0; i < c->n; i++)
		for (method = 0; method < TL_METHODS; method++)
			json_array_append_new(errors, row_json(c, &c->compared[i], method));
	return json_pack("{s:s, s:b, s:o}", "file", c->windows->file, "crossed", c->crossed,
			 "errors", errors);
}

static void cell_add(struct tl_grid *grid, double error)
{
	tl_grid_add(grid, isfinite(error) ? "%.1f" : "-", 100 * error);
}

static void file_print(const struct tl_comparison *c, const struct tl_compared *one,
		       FILE *to)
{
	char key[300], heads[400] = "error %";
	size_t n = c->demand.n_targets, i, method;
	struct tl_grid *grid;

	for (method = 0; method < TL_METHODS; method++) {
		size_t len = strlen(heads);

		snprintf(heads + len, sizeof(heads) - len, "|>%s", tl_method_names[method]);
	}
	grid = tl_grid_new(heads);
	for (i = 0; i < n; i++) {
		tl_target_key(c->windows, &c->demand.target[i], key, sizeof(key));
		tl_grid_add(grid, "%s", key);
		for (method = 0; method < TL_METHODS; method++)
			cell_add(grid, one->error[method * n + i]);
	}
	for (i = 0; i < 2; i++) {
		tl_grid_add(grid, i ? "all utilisations" : "all own times");
		for (method = 0; method < TL_METHODS; method++)
			cell_add(grid, mean_error(c, one, method, !i));
	}
	fprintf(to, "%s, %s load (%.0f %% busy)%s:\n", one->file, level(one->busiest),
		100 * one->busiest,
		c->crossed ? ", each fifth of its windows predicted from the rest" : "");
	tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
}

/**
 * tl_comparison_print() - A comparison for people
 * @c: comparison
 * @to: where
 */
void tl_comparison_print(const struct tl_comparison *c, FILE *to)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (i)
			fputc('\n', to);
		file_print(c, &c->compared[i], to);
	}
}
