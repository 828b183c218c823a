// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How much load a network bears, as a page: throughput, response and utilisation over the
 * load. Only numbers go to gnuplot; names are the page's own.
 */
#include "capacity-out.h"

#include "error.h"
#include "html.h"
#include "lqn-faults.h"
#include "model/capacity.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>

enum curve { CURVE_THROUGHPUT, CURVE_RESPONSE, CURVE_UTILISATION, CURVES };

struct page {
	const struct tl_capacity_answer *answer;
	const struct tl_capacity_out *out;
	size_t drawn[TL_REPORT_TIERS], n_drawn; /* processors */
	double end; /* largest load that is drawn */
	struct tl_bytes picture[CURVES];
};

static const struct tl_lqn *lqn_of(const struct page *page)
{
	return page->answer->in->lqn;
}

static double highest(const struct page *page, size_t processor)
{
	double most = 0;
	size_t i;

	for (i = 0; i < page->out->points; i++)
		most = fmax(most, page->out->point[i].processor[processor]);
	return most;
}

/* The busiest processors, in their own order. */
static void drawn_fill(struct page *page)
{
	const struct tl_lqn *lqn = lqn_of(page);
	size_t p, q, busier;

	for (p = 0; p < lqn->processors && page->n_drawn < TL_REPORT_TIERS; p++) {
		if (lqn->processor[p].servers == TL_LQN_UNLIMITED)
			continue;
		for (q = 0, busier = 0; q < lqn->processors; q++)
			busier += lqn->processor[q].servers != TL_LQN_UNLIMITED &&
				  highest(page, q) > highest(page, p);
		if (busier < TL_REPORT_TIERS)
			page->drawn[page->n_drawn++] = p;
	}
}

/* Curves may go on far beyond what matters, if loads were looked at there. */
static void end_set(struct page *page)
{
	const struct tl_capacity_out *out = page->out;
	double last = out->points ? out->point[out->points - 1].n : 1;
	double wanted = fmax(1.6 * out->max, isfinite(out->saturation.n) ? 2 * out->saturation.n :
									  0);

	page->end = wanted > 0 ? fmin(last, wanted) : last;
}

static bool in_picture(const struct page *page, const struct tl_capacity_point *p)
{
	return p->verdict == TL_LQN_OK && p->n <= page->end;
}

/* What holds of every picture: the loads, where the model is not to be believed, where the
 * answer is. */
static FILE *begin(const struct page *page, struct tl_bytes *script, const char *label)
{
	const struct tl_capacity_out *out = page->out;
	FILE *to = tl_plot_open(script, label);

	if (!to)
		return NULL;
	fprintf(to, "set xrange [0:%.9g]\nset xlabel '%s' offset 0,0.4\nset bmargin 4\n",
		page->end, tl_capacity_unit(page->answer->in));
	if (out->believed[0] > out->point[0].n)
		fprintf(to, "set object rectangle from 0, graph 0 to %.9g, graph 1 behind fc rgb "
			"'#e08a2c' fs transparent solid 0.13 noborder\n", out->believed[0]);
	if (out->believed[1] < page->end)
		fprintf(to, "set object rectangle from %.9g, graph 0 to %.9g, graph 1 behind fc rgb "
			"'#e08a2c' fs transparent solid 0.13 noborder\n", out->believed[1],
			page->end);
	if (out->max > 0 && out->broken != TL_LQN_NONE)
		fprintf(to, "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead lw 1.5 lc rgb "
			"'#c9504c'\n", out->max, out->max);
	if (isfinite(out->saturation.n) && out->saturation.n <= page->end)
		fprintf(to, "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead lw 1 dt 2 lc rgb "
			"'#000000'\n", out->saturation.n, out->saturation.n);
	return to;
}

static int draw_throughput(struct page *page, struct tl_error *err)
{
	const struct tl_capacity_asymptote *s = &page->out->saturation;
	struct tl_bytes script;
	FILE *to = begin(page, &script, "per second");
	size_t i;

	if (!to)
		return tl_error_no_memory(err);
	fputs("$d << EOD\n0 0\n", to);
	for (i = 0; i < page->out->points; i++)
		if (in_picture(page, &page->out->point[i]))
			fprintf(to, "%.9g %.9g\n", page->out->point[i].n,
				page->out->point[i].throughput_per_s);
	fputs("EOD\n", to);
	if (isfinite(s->n))
		fprintf(to, "$a << EOD\n0 0\n%.9g %.9g\n%.9g %.9g\nEOD\n", fmin(s->n, page->end),
			s->throughput_per_s * fmin(s->n, page->end) / s->n, page->end,
			s->throughput_per_s * fmin(s->n, page->end) / s->n);
	fprintf(to, "plot %s$d using 1:2 with lines lw 2 lc rgb '%s'\n", isfinite(s->n) ?
		"$a using 1:2 with lines lw 1 dt 2 lc rgb '#000000', " : "", tl_plot_colours[0]);
	return tl_plot_run(to, &script, &page->picture[CURVE_THROUGHPUT], err);
}

/* Times that are limited have lines of their own, and so do their limits. */
static bool is_time(const struct tl_limit *limit)
{
	return limit->what == TL_LIMIT_RESPONSE || limit->what == TL_LIMIT_PERCENTILE;
}

static double tallest(const struct page *page)
{
	const struct tl_capacity_in *in = page->answer->in;
	double most = 0;
	size_t i;

	for (i = 0; i < in->limits; i++)
		if (is_time(&in->limit[i]))
			most = fmax(most, in->limit[i].most);
	return most;
}

static const char *colour(size_t k)
{
	return tl_plot_colours[(k + 1) % TL_REPORT_TIERS];
}

static int draw_response(struct page *page, struct tl_error *err)
{
	const struct tl_capacity_in *in = page->answer->in;
	struct tl_bytes script;
	FILE *to = begin(page, &script, "s");
	size_t i, k;

	if (!to)
		return tl_error_no_memory(err);
	if (tallest(page) > 0)
		fprintf(to, "set yrange [0:%.9g]\n", 2 * tallest(page));
	fputs("$d << EOD\n", to);
	for (i = 0; i < page->out->points; i++) {
		const struct tl_capacity_point *p = &page->out->point[i];

		if (!in_picture(page, p))
			continue;
		fprintf(to, "%.9g %.9g", p->n, p->response_s);
		for (k = 0; k < in->limits; k++)
			fprintf(to, tl_limit_is_known(in, page->out, p, k) ? " %.9g" : " NaN",
				p->value[k]);
		fputc('\n', to);
	}
	fprintf(to, "EOD\nplot $d using 1:2 with lines lw 2 lc rgb '%s'", tl_plot_colours[0]);
	for (k = 0; k < in->limits; k++)
		if (is_time(&in->limit[k]))
			fprintf(to, ", $d using 1:%zu with lines lw 2 lc rgb '%s', %.9g with lines lw 1 "
				"lc rgb '%s'", k + 3, colour(k), in->limit[k].most, colour(k));
	fputc('\n', to);
	return tl_plot_run(to, &script, &page->picture[CURVE_RESPONSE], err);
}

static int draw_utilisation(struct page *page, struct tl_error *err)
{
	struct tl_bytes script;
	FILE *to = begin(page, &script, "% busy");
	size_t i, k;

	if (!to)
		return tl_error_no_memory(err);
	fputs("set yrange [0:100]\n$d << EOD\n0", to);
	for (k = 0; k < page->n_drawn; k++)
		fputs(" 0", to);
	fputc('\n', to);
	for (i = 0; i < page->out->points; i++) {
		if (!in_picture(page, &page->out->point[i]))
			continue;
		fprintf(to, "%.9g", page->out->point[i].n);
		for (k = 0; k < page->n_drawn; k++)
			fprintf(to, " %.9g", 100 * page->out->point[i].processor[page->drawn[k]]);
		fputc('\n', to);
	}
	fprintf(to, "EOD\nplot %.9g with lines lw 1 dt 2 lc rgb '#808080'",
		100 * page->answer->in->trusted);
	for (k = 0; k < page->n_drawn; k++)
		fprintf(to, ", $d using 1:%zu with lines lw 2 lc rgb '%s'", k + 2,
			tl_plot_colours[k]);
	fputc('\n', to);
	return tl_plot_run(to, &script, &page->picture[CURVE_UTILISATION], err);
}

/* ---- page -------------------------------------------------------------------------- */

static void key_print(FILE *to, const char *name, const char *of_colour)
{
	fprintf(to, "<li><span class=\"dot\" style=\"background:%s\"></span>", of_colour);
	tl_html_text(to, name);
	fputs("</li>", to);
}

static void response_keys(const struct page *page, FILE *to)
{
	const struct tl_capacity_in *in = page->answer->in;
	char name[300];
	size_t k;

	fputs("<ul class=\"key\">", to);
	key_print(to, "mean response", tl_plot_colours[0]);
	for (k = 0; k < in->limits; k++) {
		if (!is_time(&in->limit[k]))
			continue;
		tl_limit_name(in, &in->limit[k], name, sizeof(name));
		key_print(to, name, colour(k));
	}
	fputs("</ul>\n", to);
}

static void utilisation_keys(const struct page *page, FILE *to)
{
	size_t k;

	fputs("<ul class=\"key\">", to);
	for (k = 0; k < page->n_drawn; k++)
		key_print(to, lqn_of(page)->processor[page->drawn[k]].name, tl_plot_colours[k]);
	fputs("</ul>\n", to);
}

static void figure_print(const struct page *page, FILE *to, enum curve curve,
			 const char *caption)
{
	fprintf(to, "<figure><figcaption>%s</figcaption><div class=\"wide plot\">\n", caption);
	tl_html_svg(to, &page->picture[curve]);
	fputs("</div></figure>\n", to);
}

static void page_print(const struct page *page, FILE *to)
{
	char *text = NULL;
	size_t len;
	FILE *lines = open_memstream(&text, &len);

	tl_page_begin(to, page->answer->faults->file);
	figure_print(page, to, CURVE_THROUGHPUT, "Throughput; dashed, its asymptotes, and the load "
		     "where they cross");
	figure_print(page, to, CURVE_RESPONSE, "Response times; thin, their limits");
	response_keys(page, to);
	figure_print(page, to, CURVE_UTILISATION, "Utilisation of processors; dashed, up to where "
		     "the model is to be believed");
	utilisation_keys(page, to);
	fputs("<p class=\"soft\">Red: the most that limits allow. Shaded: where the model is not to "
	      "be believed.</p>\n", to);
	if (lines)
		tl_capacity_print(page->answer, lines);
	if (lines && !fclose(lines)) {
		fputs("<div class=\"wide\"><pre>", to);
		tl_html_lines(to, text);
		fputs("</pre></div>\n", to);
	}
	free(text);
	tl_page_end(to, false);
}

/**
 * tl_capacity_page() - The answer as an HTML page
 * @answer: answer
 * @page: set to the page, data to be freed by the caller
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_capacity_page(const struct tl_capacity_answer *answer, struct tl_bytes *page,
		     struct tl_error *err)
{
	struct page p = { .answer = answer, .out = answer->out };
	int code, i;
	FILE *to;

	*page = (struct tl_bytes){ 0 };
	drawn_fill(&p);
	end_set(&p);
	code = draw_throughput(&p, err);
	code = code ? code : draw_response(&p, err);
	code = code ? code : draw_utilisation(&p, err);
	to = code ? NULL : open_memstream(&page->data, &page->len);
	if (to)
		page_print(&p, to);
	if (!code && (!to || fclose(to)))
		code = tl_error_no_memory(err);
	for (i = 0; i < CURVES; i++)
		free(p.picture[i].data);
	return code;
}
