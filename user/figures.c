// SPDX-License-Identifier: GPL-2.0-or-later
/* From sums to what people read: rates, means, quantiles, shares. */
#include "figures.h"

#include "table.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>

/**
 * tl_tier_sum() - A tier's cells of all classes as one
 * @tier: the tier
 * @sum: filled in; has no class
 */
void tl_tier_sum(const struct tl_tier *tier, struct tl_cell *sum)
{
	size_t i;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < tier->n_cells; i++)
		tl_cell_add(sum, &tier->cells[i]);
}

/**
 * tl_tier_index() - Find a tier without adding it
 * @interval: where
 * @name: name or NULL
 *
 * Return: its index, or -1.
 */
int tl_tier_index(const struct tl_interval *interval, const char *name)
{
	size_t i;

	for (i = 0; name && i < interval->n_tiers; i++)
		if (!strcmp(interval->tiers[i].name, name))
			return (int)i;
	return -1;
}

/**
 * tl_tier_depths() - How far each tier is from the front door
 * @interval: tiers and edges
 * @depth: filled in, one a tier: the longest chain of callers above it
 *
 * Tiers that call each other in a circle all get deeper until the number of tiers
 * stops them.
 */
void tl_tier_depths(const struct tl_interval *interval, unsigned int *depth)
{
	size_t i, round;
	bool deeper = true;

	memset(depth, 0, interval->n_tiers * sizeof(*depth));
	for (round = 0; round + 1 < interval->n_tiers && deeper; round++) {
		deeper = false;
		for (i = 0; i < interval->n_edges; i++) {
			int from = tl_tier_index(interval, interval->edges[i].tier);
			int to = tl_tier_index(interval, interval->edges[i].peer_tier);

			if (from < 0 || to < 0 || from == to || depth[to] > depth[from])
				continue;
			depth[to] = depth[from] + 1;
			deeper = true;
		}
	}
}

/**
 * tl_attributed() - How much of the traffic was attributed to a request
 * @interval: the interval
 *
 * Return: part of the attributed and unattributed events, 0 … 1; -1 if there were none.
 */
double tl_attributed(const struct tl_interval *interval)
{
	u64 found = interval->events[TL_EVENT_ATTRIBUTED];
	u64 all = found + interval->events[TL_EVENT_UNATTRIBUTED];

	return all ? (double)found / (double)all : -1;
}

static double calls_of(const struct tl_interval *interval, const char *tier,
		       const struct tl_cell *cell)
{
	u64 calls = 0;
	size_t i;

	for (i = 0; i < interval->n_edges; i++)
		if (tl_text_equal(interval->edges[i].tier, tier) &&
		    !strcmp(interval->edges[i].class, cell->class))
			calls += interval->edges[i].calls;
	return tl_cell_known(cell) > 0 ? (double)calls / tl_cell_known(cell) : -1;
}

/* Negative if it is not known. */
static double mean_of(const struct tl_sum *sum, double n)
{
	return tl_sum_known(sum) && n > 0 ? (double)sum->value / n : -1;
}

static double mean_s(const struct tl_sum *sum, double n)
{
	return mean_of(sum, n) / 1e9;
}

/* Clocks that are read one after the other may differ by a little. Beyond that the parts
 * overlap, because several threads worked for a request: then nobody knows the rest. */
#define PARTS_SLACK 0.01

static void waits_make(struct tl_figure *figure, const struct tl_cell *cell)
{
	const struct tl_sum *sum = cell->sum;
	const struct tl_sum *queued = &sum[TL_CELL_QUEUE_COUNT];
	double known = tl_cell_known(cell);

	figure->call_s = known > 0 ? max(figure->response_s - figure->own_s, 0.0) : -1;
	figure->queue_s = tl_sum_known(queued) ?
				  mean_s(&sum[TL_CELL_QUEUE], (double)queued->value) : -1;
	figure->run_wait_s = mean_s(&sum[TL_CELL_RUN_WAIT], known);
	figure->cpu_s = mean_s(&sum[TL_CELL_CPU], known);
	figure->storage_bytes = mean_of(&sum[TL_CELL_STORAGE_READ], known);
	if (tl_sum_known(&sum[TL_CELL_STORAGE_WRITE]) && figure->storage_bytes >= 0)
		figure->storage_bytes += mean_of(&sum[TL_CELL_STORAGE_WRITE], known);
	else
		figure->storage_bytes = -1;
	figure->rest_s = -1;
	if (figure->run_wait_s < 0 || figure->cpu_s < 0)
		return;
	figure->rest_s = figure->own_s - figure->run_wait_s - figure->cpu_s;
	if (figure->rest_s < 0 && figure->rest_s >= -PARTS_SLACK * figure->own_s)
		figure->rest_s = 0;
}

static void figure_make(struct tl_figure *figure, const struct tl_interval *interval,
			const struct tl_tier *tier, const struct tl_cell *cell)
{
	double seconds = tl_ns_to_s(interval->length_ns), count = (double)cell->count;

	figure->tier = tier->name;
	figure->class = cell->class;
	figure->rate = seconds > 0 ? count / seconds : 0;
	figure->response_s = cell->count ? tl_ns_to_s(cell->response_ns) / count : 0;
	figure->own_s = tl_cell_own_s(cell);
	figure->level = cell->level;
	figure->p50_s = tl_hist_quantile_s(cell->response_hist, 0.50);
	figure->p95_s = tl_hist_quantile_s(cell->response_hist, 0.95);
	figure->p99_s = tl_hist_quantile_s(cell->response_hist, 0.99);
	figure->calls = calls_of(interval, tier->name, cell);
	waits_make(figure, cell);
}

/* By name within a depth: rows must not jump about while somebody reads them. */
static int compare(const void *a, const void *b)
{
	const struct tl_figure *x = a, *y = b;
	int by_name;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	by_name = strcmp(x->tier, y->tier);
	return by_name ? by_name : strcmp(x->class, y->class);
}

static u64 own_total(const struct tl_interval *interval)
{
	u64 total = 0;
	size_t i, k;

	for (i = 0; i < interval->n_tiers; i++)
		for (k = 0; k < interval->tiers[i].n_cells; k++)
			total += interval->tiers[i].cells[k].own_ns;
	return total;
}

/**
 * tl_figures_make() - Compute the figures of an interval
 * @figures: filled in, to be given to tl_figures_free(); refers to @interval's names
 * @interval: one interval, or the sum of several
 *
 * Return: 0 or -ENOMEM.
 */
int tl_figures_make(struct tl_figures *figures, const struct tl_interval *interval)
{
	double seconds = tl_ns_to_s(interval->length_ns);
	unsigned int *depth = calloc(interval->n_tiers + 1, sizeof(*depth));
	u64 total = own_total(interval);
	size_t i, k, n = 0;

	memset(figures, 0, sizeof(*figures));
	for (i = 0; i < interval->n_tiers; i++)
		n += interval->tiers[i].n_cells;
	figures->row = calloc(n + 1, sizeof(*figures->row));
	if (!depth || !figures->row) {
		free(depth);
		return -ENOMEM;
	}
	tl_tier_depths(interval, depth);
	for (i = 0; i < interval->n_tiers; i++)
		for (k = 0; k < interval->tiers[i].n_cells; k++) {
			const struct tl_cell *cell = &interval->tiers[i].cells[k];
			struct tl_figure *figure = &figures->row[figures->n];

			/* It has what requests of other intervals had left to do. */
			if (!cell->count)
				continue;
			figures->n++;
			figure_make(figure, interval, &interval->tiers[i], cell);
			figure->depth = depth[i];
			figure->own_share = figure->own_s < 0 ? -1 :
				total ? (double)cell->own_ns / (double)total : 0;
			figures->classes |= strcmp(cell->class, "other") != 0;
			figures->cpu |= figure->cpu_s >= 0;
			figures->levels |= cell->level != TL_AT_UNKNOWN && cell->level != TL_AT_SERVER;
		}
	free(depth);
	qsort(figures->row, figures->n, sizeof(*figures->row), compare);
	figures->events_rate =
		seconds > 0 ? (double)interval->events[TL_EVENT_SEEN] / seconds : 0;
	figures->attributed = tl_attributed(interval);
	return 0;
}

/**
 * tl_figures_free() - Free what tl_figures_make() allocated
 * @figures: the figures
 */
void tl_figures_free(struct tl_figures *figures)
{
	free(figures->row);
	memset(figures, 0, sizeof(*figures));
}

/**
 * tl_known_json() - A figure that may be unknown, for programs
 * @value: negative if it is unknown
 *
 * Return: a number or null, a new reference; NULL without memory.
 */
json_t *tl_known_json(double value)
{
	return value < 0 ? json_null() : json_real(value);
}

/**
 * tl_figures_json() - The figures for programs
 * @figures: the figures
 *
 * Return: a list of one object a row, a new reference; NULL without memory.
 */
json_t *tl_figures_json(const struct tl_figures *figures)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < figures->n; i++) {
		const struct tl_figure *f = &figures->row[i];

		if (json_array_append_new(array, json_pack(
			"{s:s, s:s, s:f, s:f, s:o, s:f, s:f, s:f, s:o, s:o, "
			"s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			"tier", f->tier,
			"class", f->class,
			"rate", f->rate,
			"mean_response_s", f->response_s,
			"mean_own_s", tl_known_json(f->own_s),
			"p50_response_s", f->p50_s,
			"p95_response_s", f->p95_s,
			"p99_response_s", f->p99_s,
			"own_share", tl_known_json(f->own_share),
			"calls_per_request", tl_known_json(f->calls),
			"mean_queue_s", tl_known_json(f->queue_s),
			"mean_call_wait_s", tl_known_json(f->call_s),
			"mean_run_wait_s", tl_known_json(f->run_wait_s),
			"mean_cpu_s", tl_known_json(f->cpu_s),
			"mean_rest_s", tl_known_json(f->rest_s),
			"mean_storage_bytes", tl_known_json(f->storage_bytes),
			"level", f->level ? json_string(tl_at_name(f->level)) : json_null()))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}
