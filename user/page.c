// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A report as one HTML page
 *
 * Everything is inside: no network, no scripts, no fonts. Pictures take their ink
 * from the page, so that they suit a dark one too.
 */
#include "report.h"

#include "html.h"
#include "table.h"
#include "tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLS_MAX 40
#define PATHS_MAX 200

static const char style[] =
	":root{--ink:#1d2733;--soft:#5a6675;--line:#d5dbe2;--page:#fff;--box:#f5f7f9;"
	"--warn:#8a4b00;--warnbox:#fff4e2}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#dfe5ec;--soft:#98a4b3;"
	"--line:#36404c;--page:#12171d;--box:#1a2129;--warn:#f0b968;--warnbox:#2e2413}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:64rem;color:var(--ink);"
	"background:var(--page);font:16px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:1.5rem;margin:0;overflow-wrap:anywhere}\n"
	"h2{font-size:1.15rem;margin:2.5rem 0 .4rem;padding-top:.8rem;"
	"border-top:1px solid var(--line)}\n"
	"p{margin:.4rem 0;max-width:46rem}\n"
	".soft,th,figcaption{color:var(--soft)}\n"
	".warn{color:var(--warn);background:var(--warnbox);padding:.5rem .8rem;"
	"border-radius:.4rem;overflow-wrap:anywhere}\n"
	".wide{overflow-x:auto;margin:.6rem 0}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.22rem 1rem .22rem 0;text-align:right;white-space:nowrap;"
	"border-bottom:1px solid var(--line)}\n"
	"th{font-weight:500;font-size:.85rem;vertical-align:bottom}\n"
	"th:first-child,td:first-child,.left{text-align:left}\n"
	"td.text{white-space:normal;overflow-wrap:anywhere;min-width:14rem;text-align:left}\n"
	"tr.sum td{font-weight:600;border-bottom:0}\n"
	"figure{margin:.8rem 0}\n"
	"figcaption{font-size:.9rem;margin-bottom:.2rem}\n"
	".plot svg{display:block;width:100%;min-width:38rem;height:auto}\n"
	".graph svg{display:block;height:auto}\n"
	"@media(min-width:48rem){.graph svg{max-width:100%}}\n"
	"@media(min-width:48rem){.graph.large svg{max-width:max(100%,120rem)}}\n"
	"svg [fill=black],svg text{fill:var(--ink)}\n"
	/* gnuplot writes black in either way. */
	"svg [color=black]{color:var(--soft)}\n"
	"svg [stroke=black],svg [stroke^=\"rgb(  0,   0,   0\"]{stroke:var(--ink)}\n"
	"svg .graph>polygon{fill:none;stroke:none}\n"
	".key{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;margin:.2rem 0;padding:0;"
	"list-style:none;font-size:.9rem}\n"
	".dot{display:inline-block;width:.75em;height:.75em;border-radius:.15em;"
	"margin-right:.45em}\n"
	"details details,details .task-leaf{margin-left:.5rem;border-left:1px solid var(--line);padding-left:.5rem}\n"
	"summary,.task-leaf{padding:.12rem 0;overflow-wrap:anywhere}summary{cursor:pointer}\n"
	"summary:focus-visible{outline:2px solid #2f6db5}\n"
	".path>summary>b,.task-leaf.path>b{color:#c9504c}\n"
	".part{display:inline-block;width:4rem;height:.6em;margin-right:.5em;border-radius:.15em;"
	"background:linear-gradient(90deg,#2f6db5 var(--part),var(--line) 0)}\n"
	".more{color:#c46a10}.less{color:#3d85d6}.only{color:#9a62cc}\n"
	"dt{font-weight:600;margin-top:.5rem}dd{margin:0 0 .3rem;max-width:46rem}\n";

static const char *const loss_meaning[TL_LOSSES] = {
	[TL_LOSS_CONNECTIONS_FULL] =
		"Connections not followed: memory was at its cap. Raise memory_cap.",
	[TL_LOSS_THREADS_FULL] =
		"Events dropped: a thread could not be followed. Raise memory_cap.",
	[TL_LOSS_CELLS_FULL] = "Requests or calls whose sums found no room.",
	[TL_LOSS_TIERS_FULL] =
		"Connections of a tier that found no room among the tiers.",
	[TL_LOSS_PEERS_FULL] = "Calls whose endpoint was counted as \"more\".",
	[TL_LOSS_CALLS_FULL] =
		"Simultaneous calls beyond a request's bookkeeping: own time may be too large.",
	[TL_LOSS_LATE] = "Requests that ended in an interval that was already closed.",
	[TL_LOSS_QUIET] = "Requests closed by the quiet time. No loss as such.",
	[TL_LOSS_UNANSWERED] = "Requests that ended without an answer, like a database's Quit; in no figure. No loss as such.",
	[TL_LOSS_PUSH] = "Sends of a server that answered no request, like a greeting. No loss as such.",
	[TL_LOSS_AMBIGUOUS] = "Requests that began before the one before them was answered (pipelining), counted as one with it: too few requests, and too long ones.",
	[TL_LOSS_PATHS_FULL] = "Requests whose path found no room; they are among \"more paths\".",
	[TL_LOSS_HANDOFFS_DROPPED] = "Calls kept for a thread's next answer that found no room: they were not attributed.",
	[TL_LOSS_PROBES_MISSED] = "Probe hits that the kernel dropped.",
};

static void dot_print(FILE *to, const char *colour)
{
	fprintf(to, "<span class=\"dot\" style=\"background:%s\"></span>", colour);
}

/* What stands at a place of the order: a tier, or a layer behind the tiers. */
static void place_print(FILE *to, const struct tl_report *report, size_t place)
{
	dot_print(to, tl_plot_colour(report, place));
	if (place < report->n_tiers)
		tl_html_text(to, report->series.total->tiers[report->order[place]].name);
	else if (place - report->n_tiers == TL_LAYER_BETWEEN)
		fputs("between tiers", to);
	else
		fputs("calls to other hosts", to);
}

static double layer_at(const struct tl_report *report, size_t place)
{
	return report->layer[place < report->n_tiers ?
				     report->order[place] :
				     report->flow.n + place - report->n_tiers];
}

static void key_print(FILE *to, const struct tl_report *report)
{
	size_t k;

	fputs("<ul class=\"key\">", to);
	for (k = 0; k < report->n_plotted; k++) {
		fputs("<li>", to);
		place_print(to, report, k);
		fputs("</li>", to);
	}
	if (report->n_plotted < report->n_tiers)
		fprintf(to, "<li class=\"soft\">%zu more tiers are not drawn</li>",
			report->n_tiers - report->n_plotted);
	fputs("</ul>\n", to);
}

static void figure_print(FILE *to, const struct tl_report *report,
			 enum tl_picture picture, const char *class, const char *caption)
{
	bool over_time = picture == TL_PICTURE_STACK || picture == TL_PICTURE_RATE;

	if (!report->picture[picture].len)
		return;
	fprintf(to, "<figure><figcaption>%s%s</figcaption><div class=\"wide %s\">\n", caption,
		over_time && tl_plot_shaded(report) ? ". Shaded: a tier was at method" : "", class);
	tl_html_svg(to, &report->picture[picture]);
	fputs("</div></figure>\n", to);
}

static void when_print(FILE *to, u64 ns, const char *format)
{
	time_t s = (time_t)(ns / 1000000000U);
	char text[64];
	struct tm tm;

	localtime_r(&s, &tm);
	strftime(text, sizeof(text), format, &tm);
	fputs(text, to);
}

/**
 * tl_page_begin() - Print a page up to its title
 * @to: where
 * @file: what the page is of
 */
void tl_page_begin(FILE *to, const char *file)
{
	const char *name = strrchr(file, '/');

	name = name ? name + 1 : file;
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>", to);
	tl_html_text(to, name);
	fprintf(to, " – tierlens</title>\n<style>\n%s</style></head><body>\n<h1>", style);
	tl_html_text(to, name);
	fputs("</h1>\n", to);
}

static void head_print(FILE *to, const struct tl_report *report)
{
	const struct tl_series *series = &report->series;
	const struct tl_interval *total = series->total;

	tl_page_begin(to, report->file);
	fputs("<p class=\"soft\">", to);
	when_print(to, total->start_ns, "%A %d %B %Y, %T");
	fputs(" to ", to);
	when_print(to, series->end_ns[series->n - 1], "%T %Z");
	fprintf(to, ": %" PRIu64 " interval%s of %.3g s", series->intervals,
		series->intervals == 1 ? "" : "s",
		tl_ns_to_s(total->length_ns) / (double)series->intervals);
	if (report->figures.attributed >= 0)
		fprintf(to, ", %.2f %% of the traffic attributed to a request",
			100 * report->figures.attributed);
	fputs(".</p>\n", to);
	if (series->missed)
		fprintf(to,
			"<p class=\"warn\">Intervals missing from the recording: %" PRIu64
			". Their time is left empty in the plots and counts nowhere.</p>\n",
			series->missed);
	if (*report->warning) {
		fputs("<p class=\"warn\">", to);
		tl_html_text(to, report->warning);
		fputs("</p>\n", to);
	}
}

static void layers_print(FILE *to, const struct tl_report *report)
{
	double sum = 0, response = report->response_s, layer;
	size_t k;

	for (k = 0; k < report->n_tiers + TL_LAYERS; k++)
		sum += layer_at(report, k);
	fputs("<div class=\"wide\"><table><tr><th>spent in</th><th>ms per request</th>"
	      "<th>% of response</th></tr>\n", to);
	for (k = 0; k < report->n_tiers + TL_LAYERS; k++) {
		layer = layer_at(report, k);
		if (layer <= 0)
			continue;
		fputs("<tr><td>", to);
		place_print(to, report, k);
		fprintf(to, "</td><td>%.3f</td><td>%.1f</td></tr>\n", 1e3 * layer,
			100 * layer / response);
	}
	fprintf(to,
		"<tr class=\"sum\"><td>response, as measured</td><td>%.3f</td><td></td>"
		"</tr></table></div>\n",
		1e3 * response);
	if (sum > 1.02 * response)
		fputs("<p>The rows add up to more than the response: calls were made at the "
		      "same time.</p>\n",
		      to);
	else if (sum < 0.98 * response)
		fputs("<p>The rows add up to less than the response: some requests of the "
		      "tiers below ended outside the recording or were not attributed.</p>\n",
		      to);
}

static void front_print(FILE *to, const struct tl_report *report)
{
	if (report->response_s < 0) {
		fputs("<h2>Where the time goes</h2>\n<p>No request ended in this recording."
		      "</p>\n",
		      to);
		return;
	}
	fputs("<h2>Where the time of a request to ", to);
	tl_html_text(to, report->series.total->tiers[report->flow.front].name);
	fputs(" goes</h2>\n", to);
	layers_print(to, report);
	figure_print(to, report, TL_PICTURE_STACK, "plot",
		     "Mean response over time (line), and what it is made up of (areas, colours "
		     "as in the table)");
}

/* One that may be unknown: negative. */
static void number_print(FILE *to, double unit, double value)
{
	if (value < 0)
		fputs("<td class=\"soft\">–</td>", to);
	else
		fprintf(to, "<td>%.3f</td>", unit * value);
}

static void tiers_print(FILE *to, const struct tl_report *report)
{
	size_t i;

	fputs("<h2>Tiers</h2>\n<div class=\"wide\"><table><tr><th>tier</th>", to);
	if (report->figures.classes)
		fputs("<th class=\"left\">class</th>", to);
	fputs("<th>requests</th><th>per second</th><th>mean<br>ms</th><th>median<br>ms</th>"
	      "<th>95 %<br>ms</th><th>99 %<br>ms</th><th>own mean<br>ms</th>"
	      "<th>processor<br>ms</th><th>share of all<br>own time, %</th>"
	      "<th>calls per<br>request</th></tr>\n",
	      to);
	for (i = 0; i < report->figures.n; i++) {
		const struct tl_figure *f = &report->figures.row[i];

		fputs("<tr><td>", to);
		tl_html_text(to, f->tier);
		if (report->figures.classes) {
			fputs("</td><td class=\"left\">", to);
			tl_html_text(to, f->class);
		}
		fprintf(to,
			"</td><td>%.0f</td><td>%.1f</td><td>%.3f</td><td>%.3f</td>"
			"<td>%.3f</td><td>%.3f</td>",
			f->rate * tl_ns_to_s(report->series.total->length_ns), f->rate,
			1e3 * f->response_s, 1e3 * f->p50_s, 1e3 * f->p95_s,
			1e3 * f->p99_s);
		number_print(to, 1e3, f->own_s);
		number_print(to, 1e3, f->cpu_s);
		number_print(to, 100, f->own_share);
		number_print(to, 1, f->calls);
		fputs("</tr>\n", to);
	}
	fputs("</table></div>\n", to);
	figure_print(to, report, TL_PICTURE_GRAPH, "graph",
		     "Calls between the tiers; the more colour a tier has, the larger is its "
		     "share of all own time");
}

static void plots_print(FILE *to, const struct tl_report *report)
{
	fputs("<h2>Rates and response times</h2>\n", to);
	key_print(to, report);
	figure_print(to, report, TL_PICTURE_RATE, "plot",
		     "Requests per second over time");
	figure_print(to, report, TL_PICTURE_SPREAD, "plot",
		     "Part of a tier's requests that was answered within a time: where a line "
		     "crosses 50 is the median");
}

static int by_calls(const void *a, const void *b)
{
	const struct tl_edge *const *x = a, *const *y = b;

	return (*x)->calls < (*y)->calls ? 1 : (*x)->calls > (*y)->calls ? -1 : 0;
}

static void call_print(FILE *to, const struct tl_edge *e, double seconds)
{
	int i;

	fputs("<tr><td>", to);
	tl_html_text(to, e->tier ? e->tier : "(no request found)");
	fputs("</td><td class=\"left\">", to);
	if (e->peer_tier) {
		tl_html_text(to, e->peer_tier);
		fputs("</td><td class=\"left soft\">", to);
	} else {
		fputs("other host</td><td class=\"left soft\">", to);
	}
	tl_html_text(to, e->peer);
	fprintf(to, "</td><td>%" PRIu64 "</td><td>%.1f</td><td>%.3f</td>", e->calls,
		(double)e->calls / seconds,
		e->calls ? 1e3 * tl_ns_to_s(e->time_ns) / (double)e->calls : 0);
	number_print(to, 1e3, tl_transit_s(e->sum));
	for (i = 0; i < TL_BY_KINDS; i++) {
		if (e->by[i])
			fprintf(to, "<td>%" PRIu64 "</td>", e->by[i]);
		else
			fputs("<td class=\"soft\">–</td>", to);
	}
	fputs("</tr>\n", to);
}

static void calls_print(FILE *to, const struct tl_interval *total)
{
	const struct tl_edge **sorted = calloc(total->n_edges + 1, sizeof(*sorted));
	size_t i;

	if (!sorted || !total->n_edges) {
		free(sorted);
		return;
	}
	for (i = 0; i < total->n_edges; i++)
		sorted[i] = &total->edges[i];
	qsort(sorted, total->n_edges, sizeof(*sorted), by_calls);
	fputs("<div class=\"wide\"><table><tr><th>caller</th><th class=\"left\">called</th>"
	      "<th class=\"left\">at</th><th>calls</th><th>per second</th><th>mean ms</th>"
	      "<th>in transit, ms</th><th>by thread</th><th>owner</th><th>handoff</th><th>look back</th><th>order</th></tr>\n",
	      to);
	for (i = 0; i < total->n_edges && i < CALLS_MAX; i++)
		call_print(to, sorted[i], tl_ns_to_s(total->length_ns));
	fputs("</table></div>\n", to);
	if (total->n_edges > CALLS_MAX)
		fprintf(to,
			"<p class=\"soft\">%zu more rows have fewer calls than these.</p>\n",
			total->n_edges - CALLS_MAX);
	free(sorted);
}

static void losses_print(FILE *to, const struct tl_interval *total)
{
	bool some = false, lost = false;
	int i;

	for (i = 0; i < TL_LOSSES; i++)
		lost |= total->losses[i] && !tl_loss_is_note(i);
	fprintf(to,
		"<p>%" PRIu64 " events were seen: %" PRIu64
		" attributed to a request, %" PRIu64 " not attributed, %" PRIu64
		" of no request by nature. %s</p>\n",
		total->events[TL_EVENT_SEEN], total->events[TL_EVENT_ATTRIBUTED],
		total->events[TL_EVENT_UNATTRIBUTED], total->events[TL_EVENT_IGNORED],
		lost ? "Something was lost; the table says what that means." :
		       "Nothing was lost.");
	for (i = 0; i < TL_LOSSES; i++) {
		if (!total->losses[i])
			continue;
		if (!some)
			fputs("<div class=\"wide\"><table><tr><th>loss or note</th><th>count</th>"
			      "<th class=\"left\">meaning</th></tr>\n", to);
		some = true;
		fprintf(to,
			"<tr><td>%s</td><td>%" PRIu64
			"</td><td class=\"text\">%s</td></tr>\n",
			tl_loss_names[i], total->losses[i], loss_meaning[i]);
	}
	if (some)
		fputs("</table></div>\n", to);
}

static void path_print(FILE *to, const struct tl_tree_row *row)
{
	fprintf(to, "<tr><td style=\"padding-left:%zuem\">", min(row->path->depth, (size_t)20));
	tl_html_text(to, row->path->tier ? row->path->tier : "more paths");
	fputs("</td><td class=\"left\">", to);
	tl_html_text(to, row->path->tier ? row->path->class : "");
	fprintf(to, "</td><td>%.1f</td><td>%.3f</td>", row->rate, 1e3 * row->response_s);
	number_print(to, 1e3, row->own_s);
	number_print(to, 1e3, row->cpu_s);
	number_print(to, 100, row->response_share);
	number_print(to, 100, row->own_share);
	fputs("</tr>\n", to);
}

static void paths_print(FILE *to, const struct tl_interval *total)
{
	struct tl_tree tree;
	size_t i;

	if (!total->n_paths || tl_tree_make(&tree, total))
		return;
	fputs("<h2>Paths</h2>\n<p>The chains of tiers and classes that requests came down. "
	      "Shares are of the response time of the front tier's requests.</p>\n"
	      "<div class=\"wide\"><table><tr><th>path</th><th class=\"left\">class</th>"
	      "<th>per second</th><th>mean<br>ms</th><th>own mean<br>ms</th>"
	      "<th>processor<br>ms</th><th>share, %</th><th>own<br>share, %</th></tr>\n", to);
	for (i = 0; i < tree.n && i < PATHS_MAX; i++)
		path_print(to, &tree.row[i]);
	fputs("</table></div>\n", to);
	if (tree.n > PATHS_MAX)
		fprintf(to, "<p class=\"soft\">%zu more paths are not shown.</p>\n",
			tree.n - PATHS_MAX);
	tl_tree_free(&tree);
}

static void usage_print(FILE *to, const struct tl_interval *total)
{
	bool any = false;
	u64 outside_ns;
	size_t i;

	for (i = 0; i < total->n_tiers; i++) {
		const struct tl_tier *tier = &total->tiers[i];
		double cpu_ns = (double)tier->usage[TL_USAGE_CPU].value;

		if (!tl_usage_outside(tier->usage, &outside_ns) || cpu_ns <= 0)
			continue;
		if (!any)
			fputs("<h2>Processor</h2>\n<p>What the processes of each tier used, in "
			      "requests and outside of any.</p>\n<div class=\"wide\"><table>"
			      "<tr><th>tier</th><th>s</th><th>outside,<br>s</th>"
			      "<th>outside, %</th></tr>\n", to);
		any = true;
		fputs("<tr><td>", to);
		tl_html_text(to, tier->name);
		fprintf(to, "</td><td>%.3f</td><td>%.3f</td><td>%.1f</td></tr>\n",
			cpu_ns / 1e9, tl_ns_to_s(outside_ns),
			100 * (double)outside_ns / cpu_ns);
	}
	if (any)
		fputs("</table></div>\n", to);
}

static void hosts_print(FILE *to, const struct tl_interval *total)
{
	size_t i;

	if (!total->n_hosts)
		return;
	fputs("<h2>Host</h2>\n<div class=\"wide\"><table><tr><th>resource</th><th>mean</th>"
	      "<th>known for,<br>% of the time</th></tr>\n", to);
	for (i = 0; i < total->n_hosts; i++) {
		const struct tl_host *host = &total->hosts[i];
		bool rate = tl_host_is_rate(host->name);

		fputs("<tr><td>", to);
		tl_html_text(to, host->name);
		fprintf(to, rate ? "</td><td>%.0f</td>" : "</td><td>%.1f %%</td>",
			rate ? host->value : 100 * host->value);
		fprintf(to, "<td>%.0f</td></tr>\n",
			100 * (double)host->length_ns / (double)total->length_ns);
	}
	fputs("</table></div>\n", to);
}

static const char reading[] =
	"<h2>How to read this</h2>\n<dl>\n"
	"<dt>Response time</dt><dd>From the first byte of a request to the last byte of its "
	"answer, as seen by the tier that answers.</dd>\n"
	"<dt>Own time</dt><dd>Response time without the time in which the tier waited for "
	"calls that it made. A tier with much own time is where work or queueing for a CPU, a "
	"disk or a lock happens; one with little is only waiting for the others.</dd>\n"
	"<dt>Between tiers</dt><dd>What callers waited longer than the called tier took: the "
	"wire, queues in front of the tier, scheduling.</dd>\n"
	"<dt>Processor</dt><dd>Time on a processor per request, of the threads that served "
	"it.</dd>\n"
	"<dt>In transit</dt><dd>Per call, what lies between its two ends, where both are on this "
	"host and were seen: the wire and the queue in front of the called tier.</dd>\n"
	"<dt>Calls</dt><dd>How each call's request was found: by thread, the thread was working "
	"on it; owner, the connection belonged to it; handoff, one thread woke another with it; "
	"look back, the thread answered it afterwards; order, results came back to the thread that "
	"answered, and the order in which they do was seen to be kept. A call without a request is shown as "
	"such, never guessed.</dd>\n"
	"<dt>Medians and percentages</dt><dd>Read from a histogram whose buckets are at most an "
	"eighth of their lower bound wide: within 12.5 %, usually much closer. Means and sums "
	"are exact.</dd>\n</dl>\n";

/**
 * tl_page_print() - Print a report as an HTML page
 * @to: where
 * @report: the report, pictures drawn
 */
void tl_page_print(FILE *to, const struct tl_report *report)
{
	head_print(to, report);
	front_print(to, report);
	if (report->n_tiers) {
		tiers_print(to, report);
		plots_print(to, report);
		tl_page_adapt(to, &report->closer);
	}
	paths_print(to, report->series.total);
	usage_print(to, report->series.total);
	tl_costs_print(to, &report->costs);
	hosts_print(to, report->series.total);
	fputs("<h2>Attribution and losses</h2>\n", to);
	losses_print(to, report->series.total);
	calls_print(to, report->series.total);
	tl_page_end(to, true);
}

/**
 * tl_page_end() - Print the end of a page
 * @to: where
 * @recording: how to read what is shown of recordings
 */
void tl_page_end(FILE *to, bool recording)
{
	fprintf(to, "%s</body></html>\n", recording ? reading : "");
}
