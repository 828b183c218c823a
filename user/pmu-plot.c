// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A record and its references as a picture: a small plot an event
 *
 * Only numbers go to gnuplot. Names are put over what it drew here, so that nothing that an event is
 * called is ever read as a command.
 */
#include "pmu-out.h"

#include "child.h"
#include "cmd.h"
#include "error.h"
#include "html.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>

#define COLUMNS 2
#define WIDTH 480
#define HEIGHT 160
#define HEAD 30 /* for what is what */
#define POINTS_MAX 1000 /* more than twice the pixels are of no use */
#define PLOTS_MAX 120

static const struct {
	const char *name, *colour;
	double width;
} line[] = {
	{ "REF2", "#c9bfa8", 1.4 }, { "REF", "#2f78c4", 1.4 }, { "FILE", "#c9504c", 1.2 },
};

/* Drawn from the last to the first: what is judged stands above what it is held against. */
static const struct tl_pmu_series *drawn_last(const struct tl_pmu_series series[3], size_t i)
{
	return &series[ARRAY_SIZE(line) - 1 - i];
}

/* As parts of the run, as the mean error has it. */
static void data_print(FILE *to, const struct tl_pmu_series *s, size_t plot, size_t which)
{
	size_t step = 1 + s->n / POINTS_MAX, t;

	fprintf(to, "$d%zu_%zu << EOD\n", plot, which);
	for (t = 0; t < s->n; t += step)
		fprintf(to, "%.4f %.6g\n", 100 * ((double)t + 0.5) / (double)s->n, s->value[t]);
	fprintf(to, "EOD\n");
}

static double most_of(const struct tl_pmu_series series[3])
{
	double most = 0;
	size_t i, t;

	for (i = 0; i < ARRAY_SIZE(line); i++)
		for (t = 0; t < series[i].n; t++)
			most = fmax(most, series[i].value[t]);
	return most > 0 ? most : 1;
}

static void plot_print(FILE *to, const struct tl_pmu_differ *d, size_t plot, size_t rows)
{
	double height = (double)HEIGHT / (double)(rows * HEIGHT + HEAD);
	double top = 1 - (double)HEAD / (double)(rows * HEIGHT + HEAD), most = most_of(d->series);
	size_t i;

	fprintf(to, "set origin %.6f,%.6f\nset size %.6f,%.6f\n", (double)(plot % COLUMNS) / COLUMNS,
		top - (double)(plot / COLUMNS + 1) * height, 1.0 / COLUMNS, height);
	fprintf(to, "set yrange [0:%.6g]\nset ytics %.6g\n", 1.05 * most, tl_plot_step(1.05 * most));
	for (i = 0; i < ARRAY_SIZE(line); i++)
		fprintf(to, "%s$d%zu_%zu using 1:2 with lines lw %g lc rgb '%s'", i ? ", " : "plot ", plot,
			i, line[i].width, line[i].colour);
	fputc('\n', to);
}

static int draw(const struct tl_pmu_differ *differ, size_t plots, size_t rows,
		struct tl_bytes *svg, struct tl_error *err)
{
	struct tl_bytes script;
	FILE *to = tl_plot_open(&script, "");
	size_t i, k;

	if (!to)
		return tl_error_no_memory(err);
	fprintf(to, "set terminal svg noenhanced size %d,%zu font 'sans-serif,11'\n"
		"set lmargin 9\nset rmargin 3\nset tmargin 2\nset bmargin 2\nset format y '%%.1s %%c'\n"
		"set format x '%%g %%%%'\nset xrange [0:100]\nset xtics 25\nunset ylabel\n",
		COLUMNS * WIDTH, rows * HEIGHT + HEAD);
	for (i = 0; i < plots; i++)
		for (k = 0; k < ARRAY_SIZE(line); k++)
			data_print(to, drawn_last(differ[i].series, k), i, k);
	fputs("set multiplot\n", to);
	for (i = 0; i < plots; i++)
		plot_print(to, &differ[i], i, rows);
	fputs("unset multiplot\n", to);
	return tl_plot_run(to, &script, svg, err);
}

static void legend_print(FILE *to)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(line); i++) {
		size_t x = 70 + 90 * (ARRAY_SIZE(line) - 1 - i);

		fprintf(to, "<line x1=\"%zu\" y1=\"15\" x2=\"%zu\" y2=\"15\" stroke=\"%s\" stroke-width=\"3\"/>\n"
			"<text x=\"%zu\" y=\"19\" font-family=\"sans-serif\" font-size=\"12\">%s</text>\n",
			x, x + 22, line[i].colour, x + 28, line[i].name);
	}
	fprintf(to, "<text x=\"%d\" y=\"19\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#68737f\">"
		"events a second, over the run</text>\n", 70 + 90 * (int)ARRAY_SIZE(line));
}

static void title_print(FILE *to, const struct tl_pmu_differ *d, size_t plot)
{
	fprintf(to, "<text x=\"%zu\" y=\"%zu\" font-family=\"sans-serif\" font-size=\"13\">",
		plot % COLUMNS * WIDTH + 70, plot / COLUMNS * HEIGHT + 17 + HEAD);
	tl_html_text(to, d->event);
	if (d->diff >= 0)
		fprintf(to, " <tspan fill=\"#68737f\">diff %.1f %%</tspan>", 100 * d->diff);
	fputs("</text>\n", to);
}

/* Names above what gnuplot drew. */
static int frame(const struct tl_pmu_differ *differ, size_t plots, size_t rows,
		 const struct tl_bytes *drawn, struct tl_bytes *svg)
{
	FILE *to = open_memstream(&svg->data, &svg->len);
	size_t i;

	if (!to)
		return -1;
	tl_html_svg_on_white(to, COLUMNS * WIDTH, rows * HEIGHT + HEAD, drawn);
	legend_print(to);
	for (i = 0; i < plots; i++)
		title_print(to, &differ[i], i);
	fputs("</svg>\n", to);
	return fclose(to);
}

/**
 * tl_pmu_plot() - Draw a record and its references
 * @differ: [@n] events, with their series
 * @n: how many; of very many the first
 * @svg: set to the picture, data to be freed by the caller
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_pmu_plot(const struct tl_pmu_differ *differ, size_t n, struct tl_bytes *svg,
		struct tl_error *err)
{
	size_t plots = n < PLOTS_MAX ? n : PLOTS_MAX, rows = (plots + COLUMNS - 1) / COLUMNS;
	struct tl_bytes drawn = { 0 };
	int code;

	*svg = (struct tl_bytes){ 0 };
	code = draw(differ, plots, rows, &drawn, err);
	if (!code && frame(differ, plots, rows, &drawn, svg))
		code = tl_error_no_memory(err);
	free(drawn.data);
	return code;
}
