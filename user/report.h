/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_REPORT_H
#define TL_REPORT_H

#include "child.h"
#include "closer.h"
#include "demand.h"
#include "figures.h"
#include "flow.h"
#include "series.h"

#include <stdio.h>

struct tl_error;

/* More lines than this in one plot cannot be told apart. */
#define TL_REPORT_TIERS 8

enum tl_picture { TL_PICTURE_GRAPH, TL_PICTURE_STACK, TL_PICTURE_RATE, TL_PICTURE_SPREAD,
		  TL_PICTURES };

enum tl_demand_picture { TL_DEMAND_PREDICTED, TL_DEMAND_RESIDUALS, TL_DEMAND_PICTURES };

/**
 * struct tl_costs - What requests cost, for the page
 * @failed: the sentence if it could not be told, "" if it could
 * @windows: what it was computed from
 * @picture: SVG, after tl_costs_draw()
 */
struct tl_costs {
	char failed[600];
	struct tl_windows windows;
	struct tl_demand demand;
	struct tl_bytes picture[TL_DEMAND_PICTURES];
};

/**
 * struct tl_report - A recording, worked up
 * @file: name of the recording
 * @warning: what is wrong with it, "" for nothing
 * @order: indices of the tiers in the total, from the front down
 * @n_tiers: number of tiers
 * @n_plotted: of them, how many have a line and a colour of their own; the rest are
 *             summed as "other tiers"
 * @layer: of the whole, as tl_flow_layers() gives them
 * @response_s: mean response of the front tier, negative without one
 * @picture: SVG, after tl_report_draw()
 * @costs: of its requests
 * @closer: where it was looked at more closely, and why
 */
struct tl_report {
	const char *file;
	char warning[400];
	struct tl_series series;
	struct tl_flow flow;
	struct tl_figures figures;
	size_t *order, n_tiers, n_plotted;
	double *layer, response_s;
	struct tl_bytes picture[TL_PICTURES];
	struct tl_costs costs;
	struct tl_closer closer;
};

/* report.c */
int tl_report_make(struct tl_report *report, const char *file, const char *decisions, struct tl_error *err);
int tl_report_draw(struct tl_report *report, struct tl_error *err);
void tl_report_free(struct tl_report *report);
json_t *tl_report_json(const struct tl_report *report);

/* plot.c */
int tl_plot_stack(const struct tl_report *report, struct tl_bytes *svg,
		  struct tl_error *err);
int tl_plot_rate(const struct tl_report *report, struct tl_bytes *svg,
		 struct tl_error *err);
int tl_plot_spread(const struct tl_report *report, struct tl_bytes *svg,
		   struct tl_error *err);
bool tl_plot_shaded(const struct tl_report *report);
const char *tl_plot_colour(const struct tl_report *report, size_t place);
extern const char *const tl_plot_colours[TL_REPORT_TIERS];
FILE *tl_plot_open(struct tl_bytes *script, const char *y_label);
int tl_plot_run(FILE *to, struct tl_bytes *script, struct tl_bytes *svg,
		struct tl_error *err);
double tl_plot_step(double range);
double tl_plot_local_s(double t_s);
void tl_plot_time_axis(FILE *to, double from, double until);

/* costs.c, costs-page.c */
void tl_costs_make(struct tl_costs *costs, const char *file);
int tl_costs_draw(struct tl_costs *costs, struct tl_error *err);
void tl_costs_free(struct tl_costs *costs);
void tl_costs_print(FILE *to, const struct tl_costs *costs);

/* page.c */
void tl_page_begin(FILE *to, const char *file);
void tl_page_end(FILE *to, bool recording);
void tl_page_print(FILE *to, const struct tl_report *report);

/* page-adapt.c */
void tl_page_adapt(FILE *to, const struct tl_closer *closer);

#endif
