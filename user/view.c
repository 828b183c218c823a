// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An interval for people
 *
 * Every time in the tables is in milliseconds with three decimals: figures of
 * different tiers can be compared without reading units.
 */
#include "view.h"

#include "adaptor.h"
#include "error.h"
#include "figures.h"
#include "out.h"
#include "recording.h"
#include "table.h"
#include "text.h"
#include "tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#define LINES_AROUND 5 /* head, blank, blank, losses, where the cursor rests */
#define LINES_TABLE 2 /* at least */
#define LINES_ADAPTOR 5 /* for what tierlensd does, at least, if the table has those: blank, head, three rows */

static void head_print(FILE *to, const struct tl_interval *interval,
		       const struct tl_figures *figures, size_t width)
{
	time_t start = (time_t)(interval->start_ns / 1000000000U);
	char text[256], when[32], found[32] = "none", busy[32] = "";
	struct tm tm;
	size_t i;

	localtime_r(&start, &tm);
	strftime(when, sizeof(when), "%F %T", &tm);
	if (figures->attributed >= 0)
		snprintf(found, sizeof(found), "%.2f %%", 100 * figures->attributed);
	for (i = 0; i < interval->n_hosts; i++)
		if (!strcmp(interval->hosts[i].name, "cpu"))
			snprintf(busy, sizeof(busy), "  cpu %.0f %%",
				 100 * interval->hosts[i].value);
	/* The least useful last: it is what a narrow terminal cuts. */
	snprintf(text, sizeof(text), "%s  %.3g s  attributed %s%s  %.0f events/s  generation %"
		 PRIu64, when, tl_ns_to_s(interval->length_ns), found, busy,
		 figures->events_rate, interval->generation);
	tl_text_print(to, text, width);
}

/* Milliseconds, or "-" for what is not known. */
static void time_add(struct tl_grid *grid, double s)
{
	if (s < 0)
		tl_grid_add(grid, "-");
	else
		tl_grid_add(grid, "%.3f", 1e3 * s);
}

static void share_add(struct tl_grid *grid, double share)
{
	if (share < 0)
		tl_grid_add(grid, "-");
	else
		tl_grid_add(grid, "%.1f", 100 * share);
}

static struct tl_grid *grid_begin(const struct tl_figures *figures, const char *heads)
{
	char all[160];

	snprintf(all, sizeof(all), "tier|%s%s%s", figures->levels ? "level|" : "",
		 figures->classes ? "class|" : "", heads);
	return tl_grid_new(all);
}

static void row_begin(struct tl_grid *grid, const struct tl_figures *figures,
		      const struct tl_figure *f)
{
	tl_grid_add(grid, "%s", f->tier);
	if (figures->levels)
		tl_grid_add(grid, "%s", f->level ? tl_at_name(f->level) : "-");
	if (figures->classes)
		tl_grid_add(grid, "%s", f->class);
	tl_grid_add(grid, "%.1f", f->rate);
	tl_grid_add(grid, "%.3f", 1e3 * f->response_s);
}

static struct tl_grid *figures_grid(const struct tl_figures *figures)
{
	struct tl_grid *grid = grid_begin(
		figures, figures->cpu ?
			">req/s|>mean ms|>own ms|>cpu ms|>p50 ms|>p95 ms|>p99 ms|>own %|>calls/req" :
			">req/s|>mean ms|>own ms|>p50 ms|>p95 ms|>p99 ms|>own %|>calls/req");
	size_t i;

	for (i = 0; i < figures->n; i++) {
		const struct tl_figure *f = &figures->row[i];

		row_begin(grid, figures, f);
		time_add(grid, f->own_s);
		if (figures->cpu)
			time_add(grid, f->cpu_s);
		tl_grid_add(grid, "%.3f", 1e3 * f->p50_s);
		tl_grid_add(grid, "%.3f", 1e3 * f->p95_s);
		tl_grid_add(grid, "%.3f", 1e3 * f->p99_s);
		share_add(grid, f->own_share);
		if (f->calls < 0)
			tl_grid_add(grid, "-");
		else
			tl_grid_add(grid, "%.2f", f->calls);
	}
	return grid;
}

static struct tl_grid *waits_grid(const struct tl_figures *figures)
{
	struct tl_grid *grid = grid_begin(
		figures, ">req/s|>mean ms|>queue ms|>calls ms|>run wait ms|>cpu ms|>rest ms");
	size_t i;

	for (i = 0; i < figures->n; i++) {
		const struct tl_figure *f = &figures->row[i];

		row_begin(grid, figures, f);
		time_add(grid, f->queue_s);
		time_add(grid, f->call_s);
		time_add(grid, f->run_wait_s);
		time_add(grid, f->cpu_s);
		time_add(grid, f->rest_s);
	}
	return grid;
}

static void losses_print(FILE *to, const struct tl_interval *interval, size_t width)
{
	char text[1100] = "losses: ";
	size_t used = strlen(text);

	tl_losses_text(text + used, sizeof(text) - used, interval->losses);
	tl_text_print(to, text, width);
}

/* What there is for tierlensd's rows, if the table of @rows rows is to be seen as well. */
static struct tl_room room_below(struct tl_room room, size_t around, size_t rows)
{
	size_t most = room.height > around + LINES_TABLE ? room.height - around - LINES_TABLE : 1;
	size_t left = room.height > around + rows ? room.height - around - rows : 0;
	size_t wanted = max(left, (size_t)LINES_ADAPTOR);

	if (room.height)
		room.height = min(most, wanted);
	return room;
}

/* Written before the table, which has what is left. */
static size_t adaptor_print(char **text, const struct tl_interval *interval, const struct tl_adaptor *adaptor,
			    struct tl_room room)
{
	size_t len, lines;
	FILE *to = open_memstream(text, &len);

	if (!to)
		return 0;
	lines = tl_view_adaptor(to, adaptor, tl_ns_to_s(interval->start_ns), room);
	if (fclose(to)) {
		free(*text);
		*text = NULL;
	}
	return lines;
}

static void table_print(FILE *to, const struct tl_figures *figures, enum tl_view view, struct tl_room room)
{
	struct tl_grid *grid;

	if (!figures->n) {
		fputs("no request ended in this interval\n", to);
		return;
	}
	grid = view == TL_VIEW_WAITS ? waits_grid(figures) : figures_grid(figures);
	tl_grid_print(grid, to, room.width, room.height);
	tl_grid_free(grid);
}

/**
 * tl_view_print() - Print the figures of an interval as a block of lines
 * @to: where
 * @interval: the interval
 * @view: which figures
 * @note: a sentence to print with it, or NULL
 * @adaptor: what tierlensd is doing, or NULL
 * @room: what the block may take up
 *
 * Return: 0 or -ENOMEM.
 */
int tl_view_print(FILE *to, const struct tl_interval *interval, enum tl_view view,
		  const char *note, const struct tl_adaptor *adaptor, struct tl_room room)
{
	size_t around = LINES_AROUND + (note != NULL);
	struct tl_room table = room;
	struct tl_figures figures;
	char *below = NULL;

	if (tl_figures_make(&figures, interval))
		return -ENOMEM;
	figures.levels |= adaptor && adaptor->alive;
	around += adaptor_print(&below, interval, adaptor, room_below(room, around, figures.n + 1));
	if (room.height)
		table.height = room.height > around + LINES_TABLE ? room.height - around : LINES_TABLE;
	head_print(to, interval, &figures, room.width);
	if (note)
		tl_text_print(to, note, room.width);
	fputc('\n', to);
	table_print(to, &figures, view, table);
	fputs(below ? below : "", to);
	fputc('\n', to);
	losses_print(to, interval, room.width);
	free(below);
	tl_figures_free(&figures);
	return 0;
}

/**
 * tl_view_edges() - Print the calls between tiers
 * @to: where
 * @interval: the interval
 */
void tl_view_edges(FILE *to, const struct tl_interval *interval)
{
	struct tl_grid *grid;
	size_t i;
	int k;

	if (!interval->n_edges)
		return;
	grid = tl_grid_new("caller|class|peer|tier|>calls/s|>mean ms|>transit ms|>by thread|"
			   ">owner|>handoff|>lookback|>order");
	for (i = 0; i < interval->n_edges; i++) {
		const struct tl_edge *e = &interval->edges[i];
		double calls = (double)e->calls;

		tl_grid_add(grid, "%s", e->tier ? e->tier : "(unattributed)");
		tl_grid_add(grid, "%s", e->class);
		tl_grid_add(grid, "%s", e->peer);
		tl_grid_add(grid, "%s", e->peer_tier ? e->peer_tier : "-");
		tl_grid_add(grid, "%.1f", calls / tl_ns_to_s(interval->length_ns));
		tl_grid_add(grid, "%.3f",
			    e->calls ? 1e3 * tl_ns_to_s(e->time_ns) / calls : 0);
		time_add(grid, tl_transit_s(e->sum));
		for (k = 0; k < TL_BY_KINDS; k++)
			tl_grid_add(grid, "%" PRIu64, e->by[k]);
	}
	fputc('\n', to);
	tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
}

/**
 * tl_view_usage() - Print what the tiers' processes used, in requests and outside
 * @to: where
 * @interval: the interval
 */
void tl_view_usage(FILE *to, const struct tl_interval *interval)
{
	struct tl_grid *grid = tl_grid_new(
		"tier|>processes|>cpu ms|>in requests ms|>outside ms|>outside %");
	size_t i, rows = 0;
	u64 outside_ns;

	for (i = 0; i < interval->n_tiers; i++) {
		const struct tl_sum *usage = interval->tiers[i].usage;
		double cpu_s = tl_ns_to_s(usage[TL_USAGE_CPU].value);

		if (!tl_usage_outside(usage, &outside_ns))
			continue;
		tl_grid_add(grid, "%s", interval->tiers[i].name);
		tl_grid_add(grid, "%" PRIu64, usage[TL_USAGE_PROCESSES].value);
		time_add(grid, cpu_s);
		time_add(grid, tl_ns_to_s(usage[TL_USAGE_REQUEST_CPU].value));
		time_add(grid, tl_ns_to_s(outside_ns));
		share_add(grid, cpu_s > 0 ? tl_ns_to_s(outside_ns) / cpu_s : -1);
		rows++;
	}
	if (rows) {
		fputc('\n', to);
		tl_grid_print(grid, to, 0, 0);
	}
	tl_grid_free(grid);
}

/**
 * tl_view_hosts() - Print how busy the host was
 * @to: where
 * @interval: the interval
 */
void tl_view_hosts(FILE *to, const struct tl_interval *interval)
{
	struct tl_grid *grid;
	size_t i;

	if (!interval->n_hosts)
		return;
	grid = tl_grid_new("resource|>utilisation");
	for (i = 0; i < interval->n_hosts; i++) {
		const struct tl_host *host = &interval->hosts[i];

		tl_grid_add(grid, "%s", host->name);
		if (tl_host_is_rate(host->name))
			tl_grid_add(grid, "%.0f/s", host->value);
		else
			tl_grid_add(grid, "%.1f %%", 100 * host->value);
	}
	fputc('\n', to);
	tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
}

/**
 * tl_view_paths() - Print the chains that requests came down, as a tree
 * @to: where
 * @interval: the interval
 *
 * Return: 0 or -ENOMEM.
 */
int tl_view_paths(FILE *to, const struct tl_interval *interval)
{
	struct tl_tree tree;
	struct tl_grid *grid;
	size_t i;

	if (tl_tree_make(&tree, interval))
		return -ENOMEM;
	grid = tl_grid_new("path|class|>req/s|>mean ms|>own ms|>response %|>own %|>cpu ms");
	for (i = 0; i < tree.n; i++) {
		const struct tl_tree_row *row = &tree.row[i];

		tl_grid_add(grid, "%*s%s", 2 * (int)row->path->depth, "",
			    row->path->tier ? row->path->tier : "more paths");
		tl_grid_add(grid, "%s", row->path->tier ? row->path->class : "-");
		tl_grid_add(grid, "%.1f", row->rate);
		tl_grid_add(grid, "%.3f", 1e3 * row->response_s);
		time_add(grid, row->own_s);
		share_add(grid, row->response_share);
		share_add(grid, row->own_share);
		time_add(grid, row->cpu_s);
	}
	if (tree.n)
		tl_grid_print(grid, to, 0, 0);
	else
		fputs("no path is known of this interval\n", to);
	tl_grid_free(grid);
	tl_tree_free(&tree);
	return 0;
}

/**
 * tl_view_json() - Print an interval and its figures as a line of JSON
 * @interval: the interval
 * @missed: intervals that were lost before it
 * @adaptor: what tierlensd is doing; NULL if that is not told
 *
 * The keys of a recording, and "missed", "attributed" (null if there was nothing to
 * attribute), "figures" and "adaptor" (null without a daemon).
 *
 * Return: exit status.
 */
int tl_view_json(const struct tl_interval *interval, unsigned long long missed,
		 const struct tl_adaptor *adaptor)
{
	json_t *object = tl_interval_json(interval);
	struct tl_figures figures;

	if (!object || tl_figures_make(&figures, interval)) {
		json_decref(object);
		return tl_out_json(NULL);
	}
	json_object_set_new(object, "missed", json_integer((json_int_t)missed));
	json_object_set_new(object, "attributed",
			    tl_known_json(figures.attributed));
	json_object_set_new(object, "figures", tl_figures_json(&figures));
	if (adaptor)
		json_object_set_new(object, "adaptor", tl_adaptor_json(adaptor));
	tl_figures_free(&figures);
	return tl_out_json(object);
}
