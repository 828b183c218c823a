// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Demands over time as a picture: a small plot a class and resource
 *
 * Only numbers go to gnuplot, which draws all plots in one go. Names are put over them
 * here, so nothing that a request is called is ever read as a command.
 */
#include "follow.h"

#include "child.h"
#include "error.h"
#include "html.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 2
#define WIDTH 480
#define HEIGHT 150
#define PLOTS_MAX 120
#define LINES_MAX 1000 /* more than twice the pixels are of no use */
#define BAND_ALPHA "a0" /* of 255 transparent */
#define ROOM 1.3 /* above the highest value; intervals beyond are cut */

static size_t plots_of(const struct tl_follow *f)
{
	size_t k, n = 0;

	for (k = 0; k < f->resources; k++)
		n += f->resource[k].unfit ? 0 : f->windows->classes.n;
	return n < PLOTS_MAX ? n : PLOTS_MAX;
}

/* The class and the resource of a plot. */
static size_t place_of(const struct tl_follow *f, size_t plot, size_t *class)
{
	size_t k;

	for (k = 0; k < f->resources; k++) {
		if (f->resource[k].unfit)
			continue;
		if (plot < f->windows->classes.n)
			break;
		plot -= f->windows->classes.n;
	}
	*class = plot;
	return k;
}

static const struct tl_estimate *value_at(const struct tl_follow *f, size_t resource,
					  size_t line, size_t class)
{
	const struct tl_followed *r = &f->resource[resource];
	const struct tl_estimate *e = &r->demand[line * f->windows->classes.n + class];

	return (!r->why || !r->why[line]) && tl_follow_known(f, e) ? e : NULL;
}

static void range_of(const struct tl_follow *f, size_t resource, size_t class, double *low,
		     double *high)
{
	const struct tl_estimate *e;
	size_t i;

	*low = *high = 0;
	for (i = 0; i < f->lines; i++) {
		e = value_at(f, resource, i, class);
		if (e) {
			*high = fmax(*high, e->value);
			*low = fmin(*low, e->value);
		}
	}
	*high = *high > 0 ? ROOM * *high : 1e-3;
	*low *= ROOM;
}

static bool gap_before(const struct tl_follow *f, size_t line)
{
	return line && f->t_s[line] > f->t_s[line - 1] + 1.5 * f->seconds[line - 1];
}

/* Time, value and interval in ms; a step a line, because each is of a window. */
static void data_print(FILE *to, const struct tl_follow *f, size_t resource, size_t class,
		       size_t plot)
{
	double low, high;
	size_t i;

	range_of(f, resource, class, &low, &high);
	fprintf(to, "$d%zu << EOD\nNaN NaN NaN NaN\n", plot);
	for (i = 0; i < f->lines; i += 1 + f->lines / LINES_MAX) {
		const struct tl_estimate *e = value_at(f, resource, i, class);
		double t = tl_plot_local_s(f->t_s[i]);

		if (!e || gap_before(f, i))
			fputc('\n', to);
		if (!e)
			continue;
		fprintf(to, "%.3f %.6g %.6g %.6g\n%.3f %.6g %.6g %.6g\n", t, 1e3 * e->value,
			1e3 * fmax(e->low95, low), 1e3 * fmin(e->high95, high),
			t + f->seconds[i], 1e3 * e->value, 1e3 * fmax(e->low95, low),
			1e3 * fmin(e->high95, high));
	}
	fprintf(to, "EOD\n");
}

static void changes_print(FILE *to, const struct tl_follow *f, size_t resource, size_t class)
{
	const struct tl_followed *r = &f->resource[resource];
	size_t i;

	fputs("unset arrow\n", to);
	for (i = 0; i < r->changes; i++) {
		double t = tl_plot_local_s(f->t_s[r->change[i].since]);

		if (r->change[i].class == class || r->change[i].class == TL_TRACK_ALL)
			fprintf(to, "set arrow from %.3f, graph 0 to %.3f, graph 1 nohead lw 1.4 "
				"dt 2 lc rgb '#c9504c' front\n", t, t);
	}
}

static void plot_print(FILE *to, const struct tl_follow *f, size_t plot, size_t rows)
{
	size_t class, resource = place_of(f, plot, &class);
	const char *colour = tl_plot_colours[resource % TL_REPORT_TIERS];
	double x = (double)(plot % COLUMNS) / COLUMNS, low, high;
	double y = 1 - (double)(plot / COLUMNS + 1) / (double)rows;

	range_of(f, resource, class, &low, &high);
	fprintf(to, "set origin %.6f,%.6f\nset size %.6f,%.6f\nset yrange [%.6g:%.6g]\n", x, y,
		1.0 / COLUMNS, 1.0 / (double)rows, 1e3 * low, 1e3 * high);
	fprintf(to, "set ytics %.6g\n", tl_plot_step(1e3 * (high - low)));
	changes_print(to, f, resource, class);
	fprintf(to, "plot $d%zu using 1:3:4 with filledcurves fs noborder fc rgb '#" BAND_ALPHA
		"%s', $d%zu using 1:2 with lines lw 1.6 lc rgb '%s'\n", plot, colour + 1, plot,
		colour);
}

static int draw(const struct tl_follow *f, size_t plots, size_t rows, struct tl_bytes *svg,
		struct tl_error *err)
{
	struct tl_bytes script;
	FILE *to = tl_plot_open(&script, "ms");
	size_t i, class, resource;

	if (!to)
		return tl_error_no_memory(err);
	fprintf(to, "set terminal svg noenhanced size %d,%zu font 'sans-serif,11'\n"
		"set lmargin 8\nset rmargin 4\nset tmargin 2\nset bmargin 2\n", COLUMNS * WIDTH, rows * HEIGHT);
	tl_plot_time_axis(to, tl_plot_local_s(f->t_s[0]),
			  tl_plot_local_s(f->t_s[f->lines - 1] + f->seconds[f->lines - 1]));
	for (i = 0; i < plots; i++) {
		resource = place_of(f, i, &class);
		data_print(to, f, resource, class, i);
	}
	fputs("set multiplot\n", to);
	for (i = 0; i < plots; i++)
		plot_print(to, f, i, rows);
	fputs("unset multiplot\n", to);
	return tl_plot_run(to, &script, svg, err);
}

static void title_print(FILE *to, const struct tl_follow *f, size_t plot)
{
	size_t class, resource = place_of(f, plot, &class);

	fprintf(to, "<text x=\"%zu\" y=\"%zu\" font-family=\"sans-serif\" font-size=\"13\">",
		plot % COLUMNS * WIDTH + 60, plot / COLUMNS * HEIGHT + 17);
	tl_html_text(to, f->windows->classes.name[class]);
	fputs(" <tspan fill=\"#68737f\">", to);
	tl_html_text(to, tl_follow_resource(f, resource));
	fputs("</tspan></text>\n", to);
}

/* Names above what gnuplot drew. */
static int frame(const struct tl_follow *f, size_t plots, size_t rows,
		 const struct tl_bytes *drawn, struct tl_bytes *svg)
{
	FILE *to = open_memstream(&svg->data, &svg->len);
	size_t i;

	if (!to)
		return -1;
	tl_html_svg_on_white(to, COLUMNS * WIDTH, rows * HEIGHT, drawn);
	for (i = 0; i < plots; i++)
		title_print(to, f, i);
	fputs("</svg>\n", to);
	return fclose(to);
}

/**
 * tl_follow_plot() - Draw demands over time
 * @follow: demands over time
 * @svg: set to the picture, data to be freed by the caller
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_follow_plot(const struct tl_follow *follow, struct tl_bytes *svg, struct tl_error *err)
{
	size_t plots = plots_of(follow), rows = (plots + COLUMNS - 1) / COLUMNS;
	struct tl_bytes drawn = { 0 };
	int code;

	*svg = (struct tl_bytes){ 0 };
	code = draw(follow, plots, rows, &drawn, err);
	if (!code && frame(follow, plots, rows, &drawn, svg))
		code = tl_error_no_memory(err);
	free(drawn.data);
	return code;
}
