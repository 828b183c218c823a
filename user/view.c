// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An interval for people
 *
 * Every time in the tables is in milliseconds with three decimals: figures of
 * different tiers can be compared without reading units.
 */
#include "view.h"

#include "error.h"
#include "figures.h"
#include "out.h"
#include "recording.h"
#include "table.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

#define LINES_AROUND 5 /* head, blank, blank, losses, where the cursor rests */

static void head_print(FILE *to, const struct tl_interval *interval,
		       const struct tl_figures *figures, size_t width)
{
	time_t start = (time_t)(interval->start_ns / 1000000000U);
	char text[256], when[32], found[32] = "none";
	struct tm tm;

	localtime_r(&start, &tm);
	strftime(when, sizeof(when), "%F %T", &tm);
	if (figures->attributed >= 0)
		snprintf(found, sizeof(found), "%.2f %%", 100 * figures->attributed);
	/* The least useful last: it is what a narrow terminal cuts. */
	snprintf(text, sizeof(text), "%s  %.3g s  attributed %s  %.0f events/s  generation %"
		 PRIu64, when, tl_ns_to_s(interval->length_ns), found,
		 figures->events_rate, interval->generation);
	tl_text_print(to, text, width);
}

static struct tl_grid *figures_grid(const struct tl_figures *figures)
{
	struct tl_grid *grid = tl_grid_new(
		figures->classes ?
			"tier|class|>req/s|>mean ms|>own ms|>p50 ms|>p95 ms|>p99 ms|>own %|>calls/req" :
			"tier|>req/s|>mean ms|>own ms|>p50 ms|>p95 ms|>p99 ms|>own %|>calls/req");
	size_t i;

	for (i = 0; i < figures->n; i++) {
		const struct tl_figure *f = &figures->row[i];

		tl_grid_add(grid, "%s", f->tier);
		if (figures->classes)
			tl_grid_add(grid, "%s", f->class);
		tl_grid_add(grid, "%.1f", f->rate);
		tl_grid_add(grid, "%.3f", 1e3 * f->response_s);
		tl_grid_add(grid, "%.3f", 1e3 * f->own_s);
		tl_grid_add(grid, "%.3f", 1e3 * f->p50_s);
		tl_grid_add(grid, "%.3f", 1e3 * f->p95_s);
		tl_grid_add(grid, "%.3f", 1e3 * f->p99_s);
		tl_grid_add(grid, "%.1f", 100 * f->own_share);
		tl_grid_add(grid, "%.2f", f->calls);
	}
	return grid;
}

static void losses_print(FILE *to, const struct tl_interval *interval, size_t width)
{
	char text[800] = "losses: ";
	size_t used = strlen(text);

	tl_losses_text(text + used, sizeof(text) - used, interval->losses);
	tl_text_print(to, text, width);
}

/**
 * tl_view_print() - Print the figures of an interval as a block of lines
 * @to: where
 * @interval: the interval
 * @note: a sentence to print with it, or NULL
 * @room: what the block may take up
 *
 * Return: 0 or -ENOMEM.
 */
int tl_view_print(FILE *to, const struct tl_interval *interval, const char *note,
		  struct tl_room room)
{
	size_t around = LINES_AROUND + (note != NULL), rows = 0;
	struct tl_figures figures;
	struct tl_grid *grid;

	if (tl_figures_make(&figures, interval))
		return -ENOMEM;
	if (room.height)
		rows = room.height > around + 2 ? room.height - around : 2;
	head_print(to, interval, &figures, room.width);
	if (note)
		tl_text_print(to, note, room.width);
	fputc('\n', to);
	if (figures.n) {
		grid = figures_grid(&figures);
		tl_grid_print(grid, to, room.width, rows);
		tl_grid_free(grid);
	} else {
		fputs("no request ended in this interval\n", to);
	}
	fputc('\n', to);
	losses_print(to, interval, room.width);
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
	grid = tl_grid_new("caller|class|peer|tier|>calls/s|>mean ms|>by thread|>owner|"
			   ">handoff|>lookback");
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
		for (k = 0; k < TL_BY_KINDS; k++)
			tl_grid_add(grid, "%" PRIu64, e->by[k]);
	}
	fputc('\n', to);
	tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
}

/**
 * tl_view_json() - Print an interval and its figures as a line of JSON
 * @interval: the interval
 * @missed: intervals that were lost before it
 *
 * The keys of a recording, and "missed", "attributed" (null if there was nothing to
 * attribute) and "figures".
 *
 * Return: exit status.
 */
int tl_view_json(const struct tl_interval *interval, unsigned long long missed)
{
	json_t *object = tl_interval_json(interval);
	struct tl_figures figures;

	if (!object || tl_figures_make(&figures, interval)) {
		json_decref(object);
		return tl_out_json(NULL);
	}
	json_object_set_new(object, "missed", json_integer((json_int_t)missed));
	json_object_set_new(object, "attributed",
			    figures.attributed < 0 ? json_null() :
						     json_real(figures.attributed));
	json_object_set_new(object, "figures", tl_figures_json(&figures));
	tl_figures_free(&figures);
	return tl_out_json(object);
}
