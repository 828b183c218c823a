// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What events counted for requests, by tier and class
 *
 * Counts per request are sums over sums, as all means are. What a tier's threads did for
 * requests that ended in another interval is charged to their class all the same: a class may
 * have counts and no request.
 */
#include "pmu-classes.h"

#include "ctl.h"
#include "figures.h"
#include "out.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* A class at a tier. */
struct row {
	const char *tier;
	const struct tl_cell *cell;
	unsigned int depth;
};

struct rows {
	struct row *row;
	size_t n;
};

static const struct tl_charge *charge_of(const struct tl_interval *total, const struct row *row,
					 const struct tl_pmu_info *event)
{
	return tl_charge_find(total, row->tier, row->cell->class, event->name);
}

/* Whether there is anything to be said of it. */
static bool is_row(const struct tl_interval *total, const struct row *row,
		   const struct tl_pmu_info *event, size_t n)
{
	const struct tl_charge *charge;
	bool is = row->cell->count > 0;
	size_t i;

	for (i = 0; !is && i < n; i++) {
		charge = charge_of(total, row, &event[i]);
		is = charge && charge->value;
	}
	return is;
}

/* From the front tier down, as figures are. */
static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int tiers = strcmp(x->tier, y->tier);

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return tiers ? tiers : strcmp(x->cell->class, y->cell->class);
}

static size_t cells_of(const struct tl_interval *total)
{
	size_t i, n = 0;

	for (i = 0; i < total->n_tiers; i++)
		n += total->tiers[i].n_cells;
	return n;
}

static bool rows_make(struct rows *rows, const struct tl_interval *total,
		      const struct tl_pmu_info *event, size_t n)
{
	unsigned int *depth = calloc(total->n_tiers + 1, sizeof(*depth));
	size_t i, k;

	rows->row = calloc(cells_of(total) + 1, sizeof(*rows->row));
	rows->n = 0;
	if (!depth || !rows->row) {
		free(depth);
		free(rows->row);
		return false;
	}
	tl_tier_depths(total, depth);
	for (i = 0; i < total->n_tiers; i++)
		for (k = 0; k < total->tiers[i].n_cells; k++) {
			rows->row[rows->n] = (struct row){ total->tiers[i].name,
							   &total->tiers[i].cells[k], depth[i] };
			rows->n += is_row(total, &rows->row[rows->n], event, n);
		}
	free(depth);
	qsort(rows->row, rows->n, sizeof(*rows->row), compare);
	return true;
}

/* NAN if it was not counted, or there were no requests. */
static double per_request(const struct tl_charge *charge, const struct row *row)
{
	return charge && row->cell->count ? (double)charge->value / (double)row->cell->count : NAN;
}

/* Of an event on all processors, and what of that no request was charged with. */
static void outside_of(const struct tl_interval *total, const char *event, u64 *all, u64 *outside)
{
	u64 charged = 0;
	size_t i;

	*all = 0;
	for (i = 0; i < total->n_counts; i++)
		if (!strcmp(total->counts[i].event, event))
			*all += total->counts[i].value;
	for (i = 0; i < total->n_charged; i++)
		if (!strcmp(total->charged[i].event, event))
			charged += total->charged[i].value;
	/* What was counted before the first interval may have been charged in it. */
	*outside = *all - min(*all, charged);
}

static struct tl_grid *grid_new(const struct tl_pmu_info *event, size_t n)
{
	struct tl_grid *grid;
	char *heads = NULL;
	size_t i, len;
	FILE *to = open_memstream(&heads, &len);

	if (!to)
		return NULL;
	fputs("tier|class|>requests", to);
	for (i = 0; i < n; i++)
		fprintf(to, "|>%s per request", event[i].name);
	fclose(to);
	grid = tl_grid_new(heads);
	free(heads);
	return grid;
}

static void row_print(struct tl_grid *grid, const struct tl_interval *total, const struct row *row,
		      const struct tl_pmu_info *event, size_t n)
{
	double value;
	size_t i;

	tl_grid_add(grid, "%s", row->tier);
	tl_grid_add(grid, "%s", row->cell->class);
	tl_grid_add(grid, "%" PRIu64, row->cell->count);
	for (i = 0; i < n; i++) {
		value = per_request(charge_of(total, row, &event[i]), row);
		if (isnan(value))
			tl_grid_add(grid, "-");
		else
			tl_grid_add(grid, value < 1000 ? "%.4g" : "%.0f", value);
	}
}

static void outside_print(const struct tl_interval *total, const struct tl_pmu_info *event, size_t n,
			  FILE *to)
{
	u64 all, outside;
	size_t i;

	fputs("Outside of requests:", to);
	for (i = 0; i < n; i++) {
		outside_of(total, event[i].name, &all, &outside);
		fprintf(to, "%s %s %" PRIu64, i ? "," : "", event[i].name, outside);
		if (all)
			fprintf(to, " (%.1f %%)", 100 * (double)outside / (double)all);
	}
	putc('\n', to);
}

/**
 * tl_pmu_classes_print() - What events counted per request, and outside of requests
 * @total: all intervals in one
 * @event: [@n] events that are charged to requests
 * @n: how many
 * @to: where
 *
 * Return: 0; -1 without memory.
 */
int tl_pmu_classes_print(const struct tl_interval *total, const struct tl_pmu_info *event, size_t n,
			 FILE *to)
{
	struct tl_grid *grid = grid_new(event, n);
	struct rows rows;
	size_t i;

	if (!grid || !rows_make(&rows, total, event, n)) {
		tl_grid_free(grid);
		return -1;
	}
	putc('\n', to);
	for (i = 0; i < rows.n; i++)
		row_print(grid, total, &rows.row[i], event, n);
	if (rows.n)
		tl_grid_print(grid, to, 0, 0);
	else
		fputs("There were no requests: nothing was charged to any.\n", to);
	outside_print(total, event, n, to);
	free(rows.row);
	tl_grid_free(grid);
	return 0;
}

static json_t *row_json(const struct tl_interval *total, const struct row *row,
			const struct tl_pmu_info *event, size_t n)
{
	json_t *events = json_array();
	size_t i;

	for (i = 0; i < n; i++) {
		const struct tl_charge *charge = charge_of(total, row, &event[i]);

		json_array_append_new(events, json_pack("{s:o, s:o, s:o}", "event",
			tl_out_name(event[i].name), "value",
			charge ? json_integer((json_int_t)charge->value) : json_null(),
			"per_request", tl_out_real(per_request(charge, row))));
	}
	return json_pack("{s:o, s:o, s:I, s:o}", "tier", tl_out_name(row->tier), "class",
			 tl_out_name(row->cell->class), "requests", (json_int_t)row->cell->count,
			 "events", events);
}

/**
 * tl_pmu_classes_json() - What events counted per request
 * @total: all intervals in one
 * @event: [@n] events that are charged to requests
 * @n: how many
 *
 * Return: a list by tier and class, from the front tier down; NULL without memory.
 */
json_t *tl_pmu_classes_json(const struct tl_interval *total, const struct tl_pmu_info *event, size_t n)
{
	json_t *classes = json_array();
	struct rows rows;
	size_t i;

	if (!rows_make(&rows, total, event, n)) {
		json_decref(classes);
		return NULL;
	}
	for (i = 0; i < rows.n; i++)
		json_array_append_new(classes, row_json(total, &rows.row[i], event, n));
	free(rows.row);
	return classes;
}

/**
 * tl_pmu_outside_json() - What events counted outside of requests
 * @total: all intervals in one
 * @event: [@n] events that are charged to requests
 * @n: how many
 *
 * Return: a list by event, with the part of all that was counted; NULL without memory.
 */
json_t *tl_pmu_outside_json(const struct tl_interval *total, const struct tl_pmu_info *event, size_t n)
{
	json_t *list = json_array();
	u64 all, outside;
	size_t i;

	for (i = 0; i < n; i++) {
		outside_of(total, event[i].name, &all, &outside);
		json_array_append_new(list, json_pack("{s:o, s:I, s:o}", "event",
			tl_out_name(event[i].name), "value", (json_int_t)outside, "part",
			tl_out_real(all ? (double)outside / (double)all : NAN)));
	}
	return list;
}
