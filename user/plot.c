// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The plots of a report, drawn by gnuplot
 *
 * Only numbers go to gnuplot. Names stand in the page's own legends, so nothing
 * that a process calls itself is ever read as a gnuplot command. Axes and text are
 * plain black, which the page turns into its own ink, light or dark.
 */
#include "report.h"

#include "error.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#define AREA_ALPHA "30" /* of 255 transparent: the grid shines through */
#define BETWEEN "#a7b1bc"
#define OUTSIDE "#68737f"
#define OTHERS "#c9bfa8"
#define METHOD "#d0d08a30" /* four fifths transparent, behind what is drawn */
#define SHADES_MAX 200

/* Distinguishable for most eyes, on white and on nearly black. */
const char *const tl_plot_colours[TL_REPORT_TIERS] = {
	"#2f78c4", "#e08a2c", "#2f9e6b", "#a05fc0",
	"#c9504c", "#1f9fb0", "#b08a1e", "#c868a0",
};

/**
 * tl_plot_colour() - The colour of a line, area or legend
 * @report: the report
 * @place: a tier's place in the report's order; from @n_tiers on enum tl_layer
 *
 * Return: as "#rrggbb".
 */
const char *tl_plot_colour(const struct tl_report *report, size_t place)
{
	if (place < report->n_plotted)
		return tl_plot_colours[place];
	if (place < report->n_tiers)
		return OTHERS;
	return place - report->n_tiers == TL_LAYER_BETWEEN ? BETWEEN : OUTSIDE;
}

/**
 * tl_plot_open() - Begin a script for gnuplot
 * @script: where it goes
 * @y_label: of the vertical axis
 *
 * Return: where to write the rest, to be given to tl_plot_run(); NULL without memory.
 */
FILE *tl_plot_open(struct tl_bytes *script, const char *y_label)
{
	FILE *to;

	*script = (struct tl_bytes){ 0 };
	to = open_memstream(&script->data, &script->len);
	if (to)
		fprintf(to,
			"set terminal svg noenhanced dynamic size 960,320 font 'sans-serif,13'\n"
			"set encoding utf8\n"
			"unset key\n"
			"set border 3 lw 0.8 lc rgb '#000000'\n"
			"set grid ytics lw 0.6 lc rgb '#808080' dt 3\n"
			"set tics nomirror out scale 0.6\n"
			"set lmargin 10\nset rmargin 5\nset tmargin 1\nset bmargin 3\n"
			"set ylabel '%s' offset 0.5\n"
			"set yrange [0:*]\n", y_label);
	return to;
}

/**
 * tl_plot_run() - Have a script drawn
 * @to: what tl_plot_open() returned; closed
 * @script: as given to it; freed
 * @svg: set to the picture, data to be freed by the caller
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_plot_run(FILE *to, struct tl_bytes *script, struct tl_bytes *svg,
		struct tl_error *err)
{
	static const char *const argv[] = { "gnuplot", NULL };
	int code;

	if (fclose(to))
		code = tl_error_no_memory(err);
	else
		code = tl_child_filter(argv, script, svg,
				       "install gnuplot (gnuplot-nox is "
				       "enough)",
				       err);
	free(script->data);
	return code;
}

/**
 * tl_plot_local_s() - A time as gnuplot must have it to show the reader's clock
 * @t_s: seconds since the epoch
 *
 * Return: seconds; gnuplot shows UTC.
 */
double tl_plot_local_s(double t_s)
{
	time_t s = (time_t)t_s;
	struct tm tm;

	localtime_r(&s, &tm);
	return t_s + (double)tm.tm_gmtoff;
}

/**
 * tl_plot_step() - How far apart the lines of a small plot are
 * @range: what the axis shows
 *
 * Three or more lines of one, two or five, which is what there is room for.
 *
 * Return: it.
 */
double tl_plot_step(double range)
{
	double unit = pow(10, floor(log10(range / 3))), n = range / 3 / unit;

	return unit * (n < 2 ? 1 : n < 5 ? 2 : 5);
}

static double local_s(u64 ns)
{
	return tl_plot_local_s((double)ns / 1e9);
}

static bool is_method(const struct tl_closer_span *span)
{
	return span->level == TL_AT_METHOD;
}

/**
 * tl_plot_shaded() - Is there a time that plots over time show shaded?
 * @report: the report
 *
 * Return: whether a tier was at method.
 */
bool tl_plot_shaded(const struct tl_report *report)
{
	size_t i;

	for (i = 0; i < report->closer.spans; i++)
		if (is_method(&report->closer.span[i]))
			return true;
	return false;
}

/* Where a tier was looked at down to its functions. */
static void shades_print(FILE *to, const struct tl_closer *closer)
{
	size_t i, n = 0;

	for (i = 0; i < closer->spans && n < SHADES_MAX; i++)
		if (is_method(&closer->span[i]))
			fprintf(to, "set object %zu rectangle from first %.3f, graph 0 to first %.3f, graph 1 behind "
				"fillcolor rgb '" METHOD "' fillstyle solid noborder\n", ++n,
				local_s(closer->span[i].from_ns), local_s(closer->span[i].until_ns));
}

static void time_axis(FILE *to, const struct tl_report *report)
{
	const struct tl_series *series = &report->series;

	tl_plot_time_axis(to, local_s(series->slot[0]->start_ns),
			  local_s(series->end_ns[series->n - 1]));
	shades_print(to, &report->closer);
}

/**
 * tl_plot_time_axis() - Let the horizontal axis show times
 * @to: script
 * @from: first, from tl_plot_local_s()
 * @until: last
 */
void tl_plot_time_axis(FILE *to, double from, double until)
{
	double span = until - from;

	fprintf(to, "set xtics time format '%s'\n",
		span > 2 * 86400 ? "%d %b %H:%M" : span > 1200 ? "%H:%M" : "%H:%M:%S");
	if (span < 10)
		fputs("set xtics 1\n", to);
	if (span > 0)
		fprintf(to, "set xrange [%.3f:%.3f]\n", from, until);
}

/* Sums belong to a whole slot, so they are drawn as steps; a gap stays empty. */
static void step_print(FILE *to, const struct tl_series *series, size_t i, double low,
		       double high)
{
	const struct tl_interval *slot = series->slot[i];
	u64 slack = slot->length_ns / series->per_slot / 2;

	if (i && slot->start_ns > series->end_ns[i - 1] + slack)
		fputc('\n', to);
	fprintf(to, "%.3f %.9g %.9g\n%.3f %.9g %.9g\n", local_s(slot->start_ns), low,
		high, local_s(series->end_ns[i]), low, high);
}

static double rate_in(const struct tl_interval *slot, const char *name)
{
	int at = tl_tier_index(slot, name);
	struct tl_cell sum;

	if (at < 0)
		return 0;
	tl_tier_sum(&slot->tiers[at], &sum);
	return (double)sum.count / tl_ns_to_s(slot->length_ns);
}

static void lines_plot(FILE *to, const struct tl_report *report)
{
	size_t k;

	for (k = 0; k < report->n_plotted; k++)
		fprintf(to, "%s$d%zu using 1:2 with lines lw 2 lc rgb '%s'",
			k ? ", " : "plot ", k, tl_plot_colour(report, k));
	fputc('\n', to);
}

/**
 * tl_plot_rate() - Requests per second of each tier over time
 * @report: the report
 * @svg: set to the picture, nothing if there is none; data to be freed by the caller
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_plot_rate(const struct tl_report *report, struct tl_bytes *svg,
		 struct tl_error *err)
{
	const struct tl_series *series = &report->series;
	struct tl_bytes script;
	size_t i, k;
	FILE *to;

	*svg = (struct tl_bytes){ 0 };
	if (!report->n_plotted)
		return 0;
	to = tl_plot_open(&script, "requests per second");
	if (!to)
		return tl_error_no_memory(err);
	time_axis(to, report);
	for (k = 0; k < report->n_plotted; k++) {
		const char *name = series->total->tiers[report->order[k]].name;

		fprintf(to, "$d%zu << EOD\n", k);
		for (i = 0; i < series->n; i++)
			step_print(to, series, i, rate_in(series->slot[i], name), 0);
		fprintf(to, "EOD\n");
	}
	lines_plot(to, report);
	return tl_plot_run(to, &script, svg, err);
}

/* Layers in the order in which they are stacked: tiers from the front down, the
 * rest of the tiers, between, outside. */
static double stacked(const struct tl_report *report, const double *layer, size_t places)
{
	double sum = 0;
	size_t k;

	for (k = 0; k < places; k++)
		sum += layer[k < report->n_tiers ? report->order[k] :
						   report->flow.n + k - report->n_tiers];
	return sum;
}

static int stack_data(FILE *to, const struct tl_report *report)
{
	const struct tl_series *series = &report->series;
	size_t places = report->n_tiers + TL_LAYERS, i, k;
	double *layer = calloc(report->flow.n + TL_LAYERS, sizeof(*layer)), response;

	if (!layer)
		return -1;
	for (k = 0; k <= places; k++) {
		fprintf(to, "$d%zu << EOD\n", k);
		for (i = 0; i < series->n; i++) {
			response = tl_flow_layers(&report->flow, series->slot[i], layer);
			if (response < 0)
				fputc('\n', to);
			else if (k == places)
				step_print(to, series, i, 1e3 * response, 0);
			else
				step_print(to, series, i, 1e3 * stacked(report, layer, k),
					   1e3 * stacked(report, layer, k + 1));
		}
		fprintf(to, "EOD\n");
	}
	free(layer);
	return 0;
}

/**
 * tl_plot_stack() - The front tier's mean response over time, and what it is made of
 * @report: the report
 * @svg: set to the picture, nothing if there is none; data to be freed by the caller
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_plot_stack(const struct tl_report *report, struct tl_bytes *svg,
		  struct tl_error *err)
{
	size_t places = report->n_tiers + TL_LAYERS, k;
	struct tl_bytes script;
	FILE *to;

	*svg = (struct tl_bytes){ 0 };
	if (report->response_s < 0)
		return 0;
	to = tl_plot_open(&script, "ms per request");
	if (!to)
		return tl_error_no_memory(err);
	time_axis(to, report);
	if (stack_data(to, report)) {
		fclose(to);
		free(script.data);
		return tl_error_no_memory(err);
	}
	for (k = 0; k < places; k++)
		fprintf(to, "%s$d%zu using 1:2:3 with filledcurves fs noborder "
			"fc rgb '#" AREA_ALPHA "%s'", k ? ", " : "plot ", k,
			tl_plot_colour(report, k) + 1);
	fprintf(to, ", $d%zu using 1:2 with lines lw 1.4 lc rgb '#000000'\n", places);
	return tl_plot_run(to, &script, svg, err);
}

/* The decade in which the fastest tier begins to answer, but for a stray request. */
static double spread_from_ms(const struct tl_report *report)
{
	double from_ms = 1e6, at_ms;
	struct tl_cell sum;
	size_t k;

	for (k = 0; k < report->n_plotted; k++) {
		tl_tier_sum(&report->series.total->tiers[report->order[k]], &sum);
		at_ms = 1e3 * tl_hist_quantile_s(sum.response_hist, 0.01);
		if (sum.count && at_ms < from_ms)
			from_ms = at_ms;
	}
	return from_ms >= 1e6 ? 1 : pow(10, floor(log10(max(from_ms, 1e-3))));
}

/* Part of the requests answered within the upper bound of each bucket. */
static void spread_data(FILE *to, const struct tl_tier *tier)
{
	double before = 0, total;
	struct tl_cell sum;
	bool begun = false;
	u32 i;

	tl_tier_sum(tier, &sum);
	total = (double)sum.count;
	for (i = 0; i < TL_HIST_BUCKETS && sum.count; i++) {
		u64 low = tl_hist_low_ns(i), high = tl_hist_low_ns(i + 1);

		if (!sum.response_hist[i])
			continue;
		/* A logarithmic axis has no zero: below 1 us it begins at half of that. */
		if (!begun)
			fprintf(to, "%.9g 0\n",
				low ? (double)low / 1e6 : (double)high / 2e6);
		begun = true;
		before += (double)sum.response_hist[i];
		fprintf(to, "%.9g %.9g\n", (double)high / 1e6, 100 * before / total);
	}
	if (!begun)
		fprintf(to, "NaN NaN\n");
}

/**
 * tl_plot_spread() - How many requests were answered within which time
 * @report: the report
 * @svg: set to the picture, nothing if there is none; data to be freed by the caller
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_plot_spread(const struct tl_report *report, struct tl_bytes *svg,
		   struct tl_error *err)
{
	struct tl_bytes script;
	size_t k;
	FILE *to;

	*svg = (struct tl_bytes){ 0 };
	if (report->response_s < 0)
		return 0;
	to = tl_plot_open(&script, "% of requests");
	if (!to)
		return tl_error_no_memory(err);
	fprintf(to, "set logscale x 10\nset format x '%%g ms'\nset yrange [0:100]\n"
		    "set xrange [%g:*]\nset grid xtics lw 0.6 lc rgb '#808080' dt 3\n",
		spread_from_ms(report));
	for (k = 0; k < report->n_plotted; k++) {
		fprintf(to, "$d%zu << EOD\n", k);
		spread_data(to, &report->series.total->tiers[report->order[k]]);
		fprintf(to, "EOD\n");
	}
	lines_plot(to, report);
	return tl_plot_run(to, &script, svg, err);
}
