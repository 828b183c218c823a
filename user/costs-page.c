// SPDX-License-Identifier: GPL-2.0-or-later
/* What requests cost, as a part of a page. Bars are drawn here: they stand beside names. */
#include "report.h"

#include "demand-out.h"
#include "html.h"

#include <math.h>
#include <stdlib.h>

#define BAR_WIDTH 220
#define CLASSES_MAX 30 /* in the table of correlations */

/* A bar with its 95 % interval, @most wide. */
static void bar_print(FILE *to, const struct tl_estimate *e, double most, const char *colour)
{
	double unit = most > 0 ? BAR_WIDTH / most : 0;

	fprintf(to, "<svg width=\"%d\" height=\"14\" role=\"img\">", BAR_WIDTH + 4);
	if (tl_estimate_known(e))
		fprintf(to, "<rect x=\"0\" y=\"3\" height=\"8\" width=\"%.1f\" style=\"fill:%s;"
			"opacity:.55\"/>", unit * e->value, colour);
	if (tl_estimate_bounded(e))
		fprintf(to, "<path d=\"M%.1f 7H%.1fM%.1f 3V11M%.1f 3V11\" style=\"stroke:"
			"var(--ink);fill:none\"/>", unit * e->low95, unit * e->high95,
			unit * e->low95, unit * e->high95);
	fputs("</svg>", to);
}

static double most_of(const struct tl_demand *demand, const struct tl_target *target)
{
	double most = 0;
	size_t i;

	for (i = 0; i < demand->windows->classes.n; i++)
		if (tl_estimate_bounded(&target->coefficient[i]))
			most = fmax(most, target->coefficient[i].high95);
	return most;
}

static void demand_print(FILE *to, const struct tl_demand *demand, size_t k, size_t class)
{
	const struct tl_target *target = &demand->target[k];
	const struct tl_estimate *e = &target->coefficient[class];
	char *verdict = tl_estimate_verdict(demand, target, class);

	fputs("<tr><td>", to);
	tl_html_text(to, demand->windows->classes.name[class]);
	if (tl_estimate_known(e))
		fprintf(to, "</td><td>%.4g</td>", 1e3 * e->value);
	else
		fputs("</td><td class=\"soft\">–</td>", to);
	if (tl_estimate_bounded(e))
		fprintf(to, "<td>%.4g – %.4g</td>", 1e3 * e->low95, 1e3 * e->high95);
	else
		fputs("<td class=\"soft\">–</td>", to);
	fputs("<td class=\"left\">", to);
	bar_print(to, e, most_of(demand, target), tl_plot_colours[k % TL_REPORT_TIERS]);
	fputs("</td><td class=\"text soft\">", to);
	tl_html_text(to, verdict ? verdict : "");
	fputs("</td></tr>\n", to);
	free(verdict);
}

static void target_head(FILE *to, const struct tl_demand *demand, size_t k)
{
	const struct tl_target *target = &demand->target[k];
	char key[300], *check = target->unfit ? NULL : tl_target_check(demand, target);

	tl_target_key(demand->windows, target, key, sizeof(key));
	fprintf(to, "<p><span class=\"dot\" style=\"background:%s\"></span><b>",
		k < TL_REPORT_TIERS ? tl_plot_colours[k] : "none");
	tl_html_text(to, key);
	fputs("</b> <span class=\"soft\">", to);
	if (target->unfit)
		fprintf(to, "nothing is known of it: %s", target->unfit);
	else
		fprintf(to, "by %s, R² %.3f, %.1f %% explained", tl_method_names[target->method],
			target->r2, 100 * target->explained);
	if (!target->unfit && target->background)
		fprintf(to, ", %.4f ± %.4f without requests",
			target->coefficient[demand->windows->classes.n].value,
			target->coefficient[demand->windows->classes.n].error);
	if (check) {
		fputs("; ", to);
		tl_html_text(to, check);
	}
	fputs("</span></p>\n", to);
	free(check);
}

static void targets_print(FILE *to, const struct tl_demand *demand)
{
	size_t k, i;

	for (k = 0; k < demand->n_targets; k++) {
		target_head(to, demand, k);
		if (demand->target[k].unfit)
			continue;
		fputs("<div class=\"wide\"><table><tr><th>class</th><th>ms</th><th>95 %</th>"
		      "<th></th><th class=\"left\">verdict</th></tr>\n", to);
		for (i = 0; i < demand->windows->classes.n; i++)
			demand_print(to, demand, k, i);
		fputs("</table></div>\n", to);
	}
}

static double correlation(const struct tl_demand *demand, size_t a, size_t b)
{
	size_t p = demand->windows->classes.n, n = demand->n_used, w;
	double x, y, mx = 0, my = 0, xx = 0, yy = 0, xy = 0;

	for (w = 0; w < n; w++) {
		mx += demand->count[w * p + a] / demand->seconds[w] / (double)n;
		my += demand->count[w * p + b] / demand->seconds[w] / (double)n;
	}
	for (w = 0; w < n; w++) {
		x = demand->count[w * p + a] / demand->seconds[w] - mx;
		y = demand->count[w * p + b] / demand->seconds[w] - my;
		xx += x * x;
		yy += y * y;
		xy += x * y;
	}
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

static void correlations_print(FILE *to, const struct tl_demand *demand)
{
	size_t p = demand->windows->classes.n, i, k;
	double r;

	if (p < 2 || p > CLASSES_MAX)
		return;
	fputs("<figure><figcaption>Correlation of the classes' counts: what is dark always comes "
	      "together</figcaption><div class=\"wide\"><table class=\"corr\"><tr><th></th>", to);
	for (i = 0; i < p; i++)
		fprintf(to, "<th>%zu</th>", i + 1);
	fputs("</tr>\n", to);
	for (i = 0; i < p; i++) {
		fprintf(to, "<tr><td>%zu ", i + 1);
		tl_html_text(to, demand->windows->classes.name[i]);
		fputs("</td>", to);
		for (k = 0; k <= i; k++) {
			r = correlation(demand, i, k);
			fprintf(to, "<td style=\"background:rgba(%s,%.2f)\">%.2f</td>",
				r < 0 ? "201,80,76" : "47,120,196", 0.8 * fabs(r), r);
		}
		fputs("</tr>\n", to);
	}
	fputs("</table></div></figure>\n", to);
}

static void picture_print(FILE *to, const struct tl_costs *costs,
			  enum tl_demand_picture picture, const char *caption)
{
	if (!costs->picture[picture].len)
		return;
	fprintf(to, "<figure><figcaption>%s</figcaption><div class=\"wide plot\">\n", caption);
	tl_html_svg(to, &costs->picture[picture]);
	fputs("</div></figure>\n", to);
}

static void sets_print(FILE *to, const struct tl_demand *demand)
{
	char *set, *remedy;
	size_t i;

	for (i = 1; i <= demand->counts.sets; i++) {
		set = tl_demand_set_text(demand, i);
		remedy = tl_demand_remedy(demand, i);
		fputs("<p class=\"warn\">Counts do not tell apart: ", to);
		tl_html_text(to, set ? set : "");
		fputs(". To tell them apart, ", to);
		tl_html_text(to, remedy ? remedy : "");
		fputs(".</p>\n", to);
		free(remedy);
		free(set);
	}
}

/**
 * tl_costs_print() - Print what requests cost
 * @to: where
 * @costs: made and drawn
 */
void tl_costs_print(FILE *to, const struct tl_costs *costs)
{
	const struct tl_demand *demand = &costs->demand;

	fputs("<h2>What requests cost</h2>\n", to);
	if (*costs->failed) {
		fputs("<p class=\"soft\">", to);
		tl_html_text(to, costs->failed);
		fputs("</p>\n", to);
		return;
	}
	fprintf(to, "<p>Demands per request of each class, with 95 %% intervals, from %zu of %zu "
		"windows (at least %zu are wanted). Condition of the counts %.3g.</p>\n",
		demand->n_used, demand->windows->n, 2 * demand->windows->classes.n,
		demand->counts.condition);
	sets_print(to, demand);
	targets_print(to, demand);
	picture_print(to, costs, TL_DEMAND_PREDICTED,
		      "Measured against fitted, a point a window; colours as above");
	picture_print(to, costs, TL_DEMAND_RESIDUALS,
		      "Residuals over time: what is left should show no pattern");
	correlations_print(to, demand);
}
