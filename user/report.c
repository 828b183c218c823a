// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording, worked up for the page and for programs. */
#include "report.h"

#include "demand-out.h"
#include "dot.h"
#include "error.h"
#include "graph.h"
#include "out.h"
#include "recording.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>

static int add(const struct tl_interval *interval, void *arg)
{
	struct tl_report *report = arg;
	int code;

	tl_out_progress("%llu intervals read",
			(unsigned long long)report->series.intervals + 1);
	code = tl_series_add(&report->series, interval);
	return code ? code : tl_closer_add(&report->closer, interval);
}

/* The figures are in order already: a tier's place is that of its first class. */
static int order_make(struct tl_report *report)
{
	const struct tl_interval *total = report->series.total;
	size_t i, k, at;

	report->order = calloc(total->n_tiers + 1, sizeof(*report->order));
	if (!report->order)
		return -ENOMEM;
	for (i = 0; i < report->figures.n; i++) {
		at = (size_t)tl_tier_index(total, report->figures.row[i].tier);
		for (k = 0; k < report->n_tiers && report->order[k] != at; k++)
			;
		if (k == report->n_tiers)
			report->order[report->n_tiers++] = at;
	}
	report->n_plotted = min(report->n_tiers, (size_t)TL_REPORT_TIERS);
	return 0;
}

static int work_up(struct tl_report *report)
{
	const struct tl_interval *total = report->series.total;
	int code = tl_figures_make(&report->figures, total);

	code = code ? code : order_make(report);
	code = code ? code : tl_flow_make(&report->flow, total);
	if (code)
		return code;
	report->layer = calloc(report->flow.n + TL_LAYERS, sizeof(*report->layer));
	if (!report->layer)
		return -ENOMEM;
	report->response_s = tl_flow_layers(&report->flow, total, report->layer);
	return 0;
}

static int draw_graph(const struct tl_report *report, struct tl_bytes *svg,
		      struct tl_error *err)
{
	struct tl_graph graph;
	int code = tl_graph_make(&graph, report->series.total);

	code = code ? tl_error_no_memory(err) : tl_dot_svg(&graph, svg, err);
	tl_graph_free(&graph);
	return code;
}

/**
 * tl_report_make() - Read a recording and work it up, but for the pictures
 * @report: filled in, to be given to tl_report_free(), after an error too
 * @file: name of the recording; must outlive @report
 * @decisions: tierlensd's log of that time, or NULL; must outlive @report
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_report_make(struct tl_report *report, const char *file, const char *decisions, struct tl_error *err)
{
	int code;

	memset(report, 0, sizeof(*report));
	report->file = file;
	report->response_s = -1;
	if (tl_closer_begin(&report->closer, decisions))
		return tl_error_no_memory(err);
	code = tl_recording_each(file, add, report, report->warning,
				 sizeof(report->warning), err);
	tl_out_progress_end();
	code = code ? code : tl_closer_end(&report->closer, err);
	if (code)
		return code;
	if (work_up(report))
		return tl_error_no_memory(err);
	tl_costs_make(&report->costs, file);
	return 0;
}

/**
 * tl_report_draw() - Draw the pictures of a report
 * @report: a report that was made
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_report_draw(struct tl_report *report, struct tl_error *err)
{
	static int (*const pictures[TL_PICTURES])(
		const struct tl_report *, struct tl_bytes *, struct tl_error *) = {
		[TL_PICTURE_GRAPH] = draw_graph,
		[TL_PICTURE_STACK] = tl_plot_stack,
		[TL_PICTURE_RATE] = tl_plot_rate,
		[TL_PICTURE_SPREAD] = tl_plot_spread,
	};
	int i, code = 0;

	for (i = 0; i < TL_PICTURES && !code; i++) {
		tl_out_progress("drawing, %d of %d", i + 1, TL_PICTURES);
		code = pictures[i](report, &report->picture[i], err);
	}
	code = code ? code : tl_costs_draw(&report->costs, err);
	tl_out_progress_end();
	return code;
}

/**
 * tl_report_free() - Free what tl_report_make() allocated
 * @report: the report
 */
void tl_report_free(struct tl_report *report)
{
	int i;

	for (i = 0; i < TL_PICTURES; i++)
		free(report->picture[i].data);
	tl_costs_free(&report->costs);
	tl_closer_free(&report->closer);
	free(report->layer);
	free(report->order);
	tl_figures_free(&report->figures);
	tl_flow_free(&report->flow);
	tl_series_free(&report->series);
}

static json_t *layers_json(const struct tl_report *report)
{
	const struct tl_interval *total = report->series.total;
	json_t *object = json_object();
	size_t i;

	for (i = 0; i < report->flow.n; i++)
		json_object_set_new(object, total->tiers[i].name,
				    json_real(report->layer[i]));
	return object;
}

/**
 * tl_report_json() - A report for programs
 * @report: the report
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_report_json(const struct tl_report *report)
{
	const struct tl_series *series = &report->series;
	double attributed = report->figures.attributed;
	json_t *front = json_null();

	if (report->response_s >= 0)
		front = json_pack("{s:s, s:f, s:o, s:f, s:f}",
				  "tier", series->total->tiers[report->flow.front].name,
				  "mean_response_s", report->response_s,
				  "own_s", layers_json(report),
				  "between_s",
				  report->layer[report->flow.n + TL_LAYER_BETWEEN],
				  "outside_s",
				  report->layer[report->flow.n + TL_LAYER_OUTSIDE]);
	return json_pack("{s:o, s:o, s:I, s:I, s:f, s:f, s:o, s:o, s:o, s:o, s:o}",
			 "file", tl_out_name(report->file),
			 "warning", *report->warning ? tl_out_name(report->warning) : json_null(),
			 "intervals", (json_int_t)series->intervals,
			 "missed", (json_int_t)series->missed,
			 "t", tl_ns_to_s(series->total->start_ns),
			 "seconds", tl_ns_to_s(series->total->length_ns),
			 "attributed", attributed < 0 ? json_null() : json_real(attributed),
			 "figures", tl_figures_json(&report->figures),
			 "front", front, "demand", *report->costs.failed ? json_null() :
			 tl_demand_json(&report->costs.demand), "adaptor", tl_closer_json(&report->closer));
}
