// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An interval as JSON, the same for recordings and for --json
 *
 * Sums, not means. Times stand there twice: in seconds for whoever reads or
 * computes, in whole nanoseconds for whoever compares. Documentation/formats.md
 * says what each key means.
 */
#include "recording.h"

#include "error.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>

#define JSON_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(16))

/* JSON has no unsigned type here; no sum gets that far. */
static json_t *whole(u64 value)
{
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static json_t *seconds(u64 ns)
{
	return json_real(tl_ns_to_s(ns));
}

static json_t *names_json(const char *const *names, const u64 *values, int n)
{
	json_t *object = json_object();
	int i;

	for (i = 0; i < n; i++)
		if (json_object_set_new(object, names[i], whole(values[i]))) {
			json_decref(object);
			return NULL;
		}
	return object;
}

static json_t *hist_json(const u64 *hist)
{
	json_t *array = json_array();
	u32 i;

	for (i = 0; i < TL_HIST_BUCKETS; i++)
		if (hist[i] && json_array_append_new(array, json_pack("[i, o]", (int)i,
								      whole(hist[i])))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

/* Sums that are known; the others are left out. */
static int sums_set(json_t *object, const struct tl_sum_key *keys,
		    const struct tl_sum *sums, int n)
{
	int i, failed = object ? 0 : -1;

	for (i = 0; i < n && !failed; i++) {
		if (!tl_sum_known(&sums[i]))
			continue;
		if (keys[i].s_key)
			failed = json_object_set_new(object, keys[i].s_key,
						     seconds(sums[i].value));
		failed |= json_object_set_new(object, keys[i].key, whole(sums[i].value));
	}
	return failed;
}

/* @object, or NULL if what was added to it did not find memory. */
static json_t *unless(int failed, json_t *object)
{
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *cell_json(const struct tl_cell *cell)
{
	const struct tl_sum *in = &cell->sum[TL_CELL_STORAGE_READ];
	const struct tl_sum *out = &cell->sum[TL_CELL_STORAGE_WRITE];
	json_t *object = json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:{s:o, s:o}}",
		"class", cell->class,
		"count", whole(cell->count),
		"response_s", seconds(cell->response_ns),
		"response_ns", whole(cell->response_ns),
		"own_s", seconds(cell->own_ns),
		"own_ns", whole(cell->own_ns),
		"own_sq_s2", cell->own_sq_s2,
		"carried", whole(cell->carried),
		"bytes_in", whole(cell->bytes_in),
		"bytes_out", whole(cell->bytes_out),
		"hist",
		"response", hist_json(cell->response_hist),
		"own", hist_json(cell->own_hist));
	int failed = sums_set(object, tl_cell_keys, cell->sum, TL_CELL_SUMS);

	if (!failed && cell->traced)
		failed = json_object_set_new(object, "traced", whole(cell->traced));
	if (!failed && cell->level)
		failed = json_object_set_new(object, "level", json_string(tl_at_name(cell->level)));
	if (!failed && tl_sum_known(in) && tl_sum_known(out))
		failed = json_object_set_new(object, "storage_bytes",
					     whole(in->value + out->value));
	return unless(failed, object);
}

static json_t *usage_json(const struct tl_sum *usage)
{
	json_t *object = json_object();
	int failed = sums_set(object, tl_usage_keys, usage, TL_USAGE_SUMS);
	u64 outside_ns;

	if (!failed && tl_usage_outside(usage, &outside_ns))
		failed = json_object_set_new(object, "outside_cpu_s", seconds(outside_ns));
	return unless(failed, object);
}

static bool usage_known(const struct tl_sum *usage)
{
	bool known = false;
	int i;

	for (i = 0; i < TL_USAGE_SUMS; i++)
		known |= tl_sum_known(&usage[i]);
	return known;
}

static json_t *tier_json(const struct tl_tier *tier)
{
	json_t *cells = json_array(), *object;
	int failed = 0;
	size_t i;

	for (i = 0; i < tier->n_cells; i++)
		failed |= json_array_append_new(cells, cell_json(&tier->cells[i]));
	object = json_pack("{s:s, s:o}", "name", tier->name, "cells", cells);
	if (usage_known(tier->usage))
		failed |= json_object_set_new(object, "usage", usage_json(tier->usage));
	return unless(failed, object);
}

static json_t *edge_json(const struct tl_edge *edge)
{
	json_t *object = json_pack("{s:s?, s:s, s:s, s:s?, s:o, s:o, s:o, s:o}",
				   "tier", edge->tier,
				   "class", edge->class,
				   "peer", edge->peer,
				   "peer_tier", edge->peer_tier,
				   "calls", whole(edge->calls),
				   "time_s", seconds(edge->time_ns),
				   "time_ns", whole(edge->time_ns),
				   "by", names_json(tl_by_names, edge->by, TL_BY_KINDS));

	return unless(sums_set(object, tl_edge_keys, edge->sum, TL_EDGE_SUMS), object);
}

static json_t *path_json(const struct tl_interval *interval, const struct tl_path *path)
{
	char *text = tl_path_text(interval, path);
	json_t *object = text ? json_pack("{s:I, s:o, s:s?, s:s, s:s, s:o, s:o, s:o, s:o, s:o}",
					  "id", (json_int_t)path->id,
					  "parent", path->up ? whole(path->parent) :
							       json_null(),
					  "tier", path->tier,
					  "class", path->class,
					  "path", text,
					  "count", whole(path->count),
					  "response_s", seconds(path->response_ns),
					  "response_ns", whole(path->response_ns),
					  "own_s", seconds(path->own_ns),
					  "own_ns", whole(path->own_ns)) : NULL;
	int failed = object && path->traced ? json_object_set_new(object, "traced", whole(path->traced)) : 0;

	free(text);
	return unless(failed || sums_set(object, tl_path_keys, path->sum, TL_PATH_SUMS), object);
}

static json_t *tiers_json(const struct tl_interval *interval)
{
	json_t *array = json_array();
	int failed = 0;
	size_t i;

	for (i = 0; i < interval->n_tiers; i++)
		failed |= json_array_append_new(array, tier_json(&interval->tiers[i]));
	return unless(failed, array);
}

static json_t *edges_json(const struct tl_interval *interval)
{
	json_t *array = json_array();
	int failed = 0;
	size_t i;

	for (i = 0; i < interval->n_edges; i++)
		failed |= json_array_append_new(array, edge_json(&interval->edges[i]));
	return unless(failed, array);
}

static json_t *paths_json(const struct tl_interval *interval)
{
	json_t *array = json_array();
	int failed = 0;
	size_t i;

	for (i = 0; i < interval->n_paths; i++)
		failed |= json_array_append_new(array,
						path_json(interval, &interval->paths[i]));
	return unless(failed, array);
}

static json_t *counts_json(const struct tl_interval *interval)
{
	json_t *array = json_array();
	int failed = 0;
	size_t i;

	for (i = 0; i < interval->n_counts; i++) {
		const struct tl_count *count = &interval->counts[i];

		failed |= json_array_append_new(
			array, json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o}", "event",
					 count->event, "cpu", (json_int_t)count->cpu, "value",
					 whole(count->value), "enabled_s",
					 seconds(count->enabled_ns), "enabled_ns",
					 whole(count->enabled_ns), "running_s",
					 seconds(count->running_ns), "running_ns",
					 whole(count->running_ns)));
	}
	return unless(failed, array);
}

static json_t *charged_json(const struct tl_interval *interval)
{
	json_t *array = json_array();
	int failed = 0;
	size_t i;

	for (i = 0; i < interval->n_charged; i++) {
		const struct tl_charge *charge = &interval->charged[i];

		failed |= json_array_append_new(
			array, json_pack("{s:s, s:s, s:s, s:o}", "tier", charge->tier,
					 "class", charge->class, "event", charge->event,
					 "value", whole(charge->value)));
	}
	return unless(failed, array);
}

static json_t *called_json(const struct tl_called *called)
{
	json_t *object = json_pack("{s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
				   "id", (json_int_t)called->id,
				   "name", called->name,
				   "tier", called->tier,
				   "count", whole(called->count),
				   "total_s", seconds(called->total_ns),
				   "total_ns", whole(called->total_ns),
				   "own_s", seconds(called->own_ns),
				   "own_ns", whole(called->own_ns),
				   "cpu_s", seconds(called->cpu_ns),
				   "cpu_ns", whole(called->cpu_ns));
	int failed = object ? 0 : -1;

	if (!failed && called->class)
		failed = json_object_set_new(object, "class", json_string(called->class));
	return unless(failed, object);
}

static json_t *functions_json(const struct tl_interval *interval)
{
	json_t *array = json_array();
	int failed = 0;
	size_t i;

	for (i = 0; i < interval->n_called; i++)
		failed |= json_array_append_new(array, called_json(&interval->called[i]));
	return unless(failed, array);
}

static bool cost_known(const struct tl_interval *interval)
{
	bool known = false;
	int i;

	for (i = 0; i < TL_COST_SUMS; i++)
		known |= tl_sum_known(&interval->cost[i]);
	return known;
}

static int cost_set(json_t *object, const struct tl_interval *interval)
{
	json_t *cost = json_object();

	return json_object_set_new(object, "cost",
				   unless(sums_set(cost, tl_cost_keys, interval->cost, TL_COST_SUMS), cost));
}

static json_t *hosts_json(const struct tl_interval *interval)
{
	json_t *object = json_object();
	int failed = 0;
	size_t i;

	for (i = 0; i < interval->n_hosts; i++)
		failed |= json_object_set_new(object, interval->hosts[i].name,
					      json_real(interval->hosts[i].value));
	return unless(failed, object);
}

/**
 * tl_interval_json() - An interval as a JSON object
 * @interval: the interval, all its texts valid UTF-8
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_interval_json(const struct tl_interval *interval)
{
	json_t *object;

	object = json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			   "format", TL_RECORDING_FORMAT,
			   "generation", whole(interval->generation),
			   "t", seconds(interval->start_ns),
			   "start_ns", whole(interval->start_ns),
			   "seconds", seconds(interval->length_ns),
			   "length_ns", whole(interval->length_ns),
			   "tiers", tiers_json(interval),
			   "edges", edges_json(interval),
			   "paths", paths_json(interval),
			   "hosts", hosts_json(interval),
			   "events", names_json(tl_event_names, interval->events, TL_EVENTS),
			   "losses", names_json(tl_loss_names, interval->losses, TL_LOSSES));
	if (object && interval->n_counts &&
	    json_object_set_new(object, "counts", counts_json(interval)))
		return unless(-1, object);
	if (object && interval->n_charged &&
	    json_object_set_new(object, "charged", charged_json(interval)))
		return unless(-1, object);
	if (object && interval->n_called &&
	    json_object_set_new(object, "functions", functions_json(interval)))
		return unless(-1, object);
	if (object && cost_known(interval) && cost_set(object, interval))
		return unless(-1, object);
	return object;
}

/**
 * tl_recording_write() - Append an interval to a recording
 * @to: stream; flushed, so that a recording is complete up to the last interval
 * @name: what to call it in a sentence
 * @interval: what to write
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_recording_write(FILE *to, const char *name, const struct tl_interval *interval,
		       struct tl_error *err)
{
	json_t *object = tl_interval_json(interval);
	char *line = object ? json_dumps(object, JSON_FLAGS) : NULL;
	int code = 0;

	json_decref(object);
	if (!line)
		return tl_error_no_memory(err);
	errno = 0;
	if (fprintf(to, "%s\n", line) < 0 || fflush(to))
		code = tl_error_write(err, -errno, name);
	free(line);
	return code;
}
