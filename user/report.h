/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_REPORT_H
#define TL_REPORT_H

#include "child.h"
#include "figures.h"
#include "flow.h"
#include "series.h"

#include <stdio.h>

struct tl_error;

/* More lines than this in one plot cannot be told apart. */
#define TL_REPORT_TIERS 8

enum tl_picture { TL_PICTURE_GRAPH, TL_PICTURE_STACK, TL_PICTURE_RATE, TL_PICTURE_SPREAD,
		  TL_PICTURES };

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
};

/* report.c */
int tl_report_make(struct tl_report *report, const char *file, struct tl_error *err);
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
const char *tl_plot_colour(const struct tl_report *report, size_t place);

/* page.c */
void tl_page_print(FILE *to, const struct tl_report *report);

#endif
