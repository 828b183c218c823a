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

static json_t *cell_json(const struct tl_cell *cell)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:{s:o, s:o}}",
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
}

static json_t *tier_json(const struct tl_tier *tier)
{
	json_t *cells = json_array();
	size_t i;

	for (i = 0; i < tier->n_cells; i++)
		if (json_array_append_new(cells, cell_json(&tier->cells[i]))) {
			json_decref(cells);
			return NULL;
		}
	return json_pack("{s:s, s:o}", "name", tier->name, "cells", cells);
}

static json_t *edge_json(const struct tl_edge *edge)
{
	return json_pack("{s:s?, s:s, s:s, s:s?, s:o, s:o, s:o, s:o}",
			 "tier", edge->tier,
			 "class", edge->class,
			 "peer", edge->peer,
			 "peer_tier", edge->peer_tier,
			 "calls", whole(edge->calls),
			 "time_s", seconds(edge->time_ns),
			 "time_ns", whole(edge->time_ns),
			 "by", names_json(tl_by_names, edge->by, TL_BY_KINDS));
}

static json_t *tiers_json(const struct tl_interval *interval)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < interval->n_tiers; i++)
		if (json_array_append_new(array, tier_json(&interval->tiers[i]))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *edges_json(const struct tl_interval *interval)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < interval->n_edges; i++)
		if (json_array_append_new(array, edge_json(&interval->edges[i]))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

/**
 * tl_interval_json() - An interval as a JSON object
 * @interval: the interval, all its texts valid UTF-8
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_interval_json(const struct tl_interval *interval)
{
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "format", TL_RECORDING_FORMAT,
			 "generation", whole(interval->generation),
			 "t", seconds(interval->start_ns),
			 "start_ns", whole(interval->start_ns),
			 "seconds", seconds(interval->length_ns),
			 "length_ns", whole(interval->length_ns),
			 "tiers", tiers_json(interval),
			 "edges", edges_json(interval),
			 "events", names_json(tl_event_names, interval->events, TL_EVENTS),
			 "losses", names_json(tl_loss_names, interval->losses, TL_LOSSES));
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
