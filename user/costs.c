// SPDX-License-Identifier: GPL-2.0-or-later
/* What requests cost, worked up for a page: fitted and drawn. */
#include "report.h"

#include "error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * tl_costs_make() - Compute what requests cost
 * @costs: filled in, to be given to tl_costs_free()
 * @file: a recording or a table of figures; from standard input there is nothing left
 */
void tl_costs_make(struct tl_costs *costs, const char *file)
{
	struct tl_error err;
	int code;

	memset(costs, 0, sizeof(*costs));
	if (!strcmp(file, "-")) {
		snprintf(costs->failed, sizeof(costs->failed),
			 "standard input can be read only once: give a file");
		return;
	}
	code = tl_windows_read(&costs->windows, file, &err);
	code = code ? code : tl_demand_fit(&costs->demand, &costs->windows, TL_METHOD_AUTO,
					   &err);
	if (code)
		snprintf(costs->failed, sizeof(costs->failed), "%s", err.text);
}

/**
 * tl_costs_free() - Free what tl_costs_make() and tl_costs_draw() allocated
 * @costs: its result
 */
void tl_costs_free(struct tl_costs *costs)
{
	int i;

	for (i = 0; i < TL_DEMAND_PICTURES; i++)
		free(costs->picture[i].data);
	tl_demand_free(&costs->demand);
	tl_windows_free(&costs->windows);
}

static size_t drawn(const struct tl_demand *demand)
{
	return demand->n_targets < TL_REPORT_TIERS ? demand->n_targets : TL_REPORT_TIERS;
}

/* More windows than that are not told apart in a picture. */
static size_t stride(const struct tl_demand *demand)
{
	return 1 + demand->n_used / TL_SLOTS;
}

/* The largest of what was measured: axes of different units share one picture so. */
static double largest(const struct tl_demand *demand, const struct tl_target *target)
{
	double most = 0;
	size_t w;

	for (w = 0; w < demand->n_used; w++)
		most = fmax(most, target->value[w]);
	return most > 0 ? most : 1;
}

/* Not as points: those would be references to definitions that the page leaves out. Short
 * thick lines look the same. */
static void points_plot(FILE *to, const struct tl_demand *demand, const char *also,
			double width)
{
	size_t k;

	fprintf(to, "plot %s", also);
	for (k = 0; k < drawn(demand); k++)
		fprintf(to, ", $d%zu using 1:2:(%g):(0) with vectors nohead lw 4 lc rgb '%s'",
			k, width / 250, tl_plot_colours[k]);
	fputc('\n', to);
}

static int draw_predicted(const struct tl_demand *demand, struct tl_bytes *svg,
			  struct tl_error *err)
{
	struct tl_bytes script;
	FILE *to = tl_plot_open(&script, "fitted, % of the largest");
	size_t k, w;

	if (!to)
		return tl_error_no_memory(err);
	fputs("set xlabel 'measured, % of the largest'\nset bmargin 4\nset xrange [0:100]\n", to);
	for (k = 0; k < drawn(demand); k++) {
		const struct tl_target *target = &demand->target[k];
		double unit = 100 / largest(demand, target);

		fprintf(to, "$d%zu << EOD\n-1 -1\n", k);
		for (w = 0; !target->unfit && w < demand->n_used; w += stride(demand))
			fprintf(to, "%.5g %.5g\n", unit * target->value[w],
				unit * (target->value[w] - target->residual[w]));
		fprintf(to, "EOD\n");
	}
	points_plot(to, demand, "x with lines lw 1 lc rgb '#808080'", 100);
	return tl_plot_run(to, &script, svg, err);
}

static int draw_residuals(const struct tl_demand *demand, struct tl_bytes *svg,
			  struct tl_error *err)
{
	const struct tl_windows *windows = demand->windows;
	struct tl_bytes script;
	FILE *to = tl_plot_open(&script, "residual, standard deviations");
	size_t k, w;

	if (!to)
		return tl_error_no_memory(err);
	fputs("set yrange [*:*]\n", to);
	tl_plot_time_axis(to, tl_plot_local_s(windows->t_s[0]),
			  tl_plot_local_s(windows->t_s[windows->n - 1]));
	for (k = 0; k < drawn(demand); k++) {
		const struct tl_target *target = &demand->target[k];

		fprintf(to, "$d%zu << EOD\n0 NaN\n", k);
		for (w = 0; !target->unfit && target->residual_sd > 0 && w < demand->n_used;
		     w += stride(demand))
			fprintf(to, "%.3f %.5g\n",
				tl_plot_local_s(windows->t_s[demand->used[w]]),
				target->residual[w] / target->residual_sd);
		fprintf(to, "EOD\n");
	}
	points_plot(to, demand, "0 with lines lw 1 lc rgb '#808080'",
		    windows->t_s[windows->n - 1] - windows->t_s[0]);
	return tl_plot_run(to, &script, svg, err);
}

/**
 * tl_costs_draw() - Draw what requests cost
 * @costs: made; nothing is drawn if that failed
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_costs_draw(struct tl_costs *costs, struct tl_error *err)
{
	int code;

	if (*costs->failed)
		return 0;
	code = draw_predicted(&costs->demand, &costs->picture[TL_DEMAND_PREDICTED], err);
	return code ? code : draw_residuals(&costs->demand,
					    &costs->picture[TL_DEMAND_RESIDUALS], err);
}
