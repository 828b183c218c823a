// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A part of the time, from the store
 *
 * Counters are read as they stood at each step, not as rates: what is between two of them is exact then, whatever
 * came in between, and it can be seen when a daemon began anew. Which part is asked for at once depends on how many
 * series there are, so that memory and answers stay bounded.
 */
#include "fleet/fleet.h"

#include "error.h"
#include "fleet/prom.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS_MOST 1000
#define SAMPLES 200000
#define VALUES_MOST (1U << 24) /* 128 MiB */

struct part {
	struct tl_fleet *fleet;
	size_t series;
};

static int compare(const void *a, const void *b)
{
	const struct tl_fleet_row *one = a, *two = b;
	unsigned int i, labels = tl_rows_shapes[one->kind].labels;
	int order = one->host < two->host ? -1 : one->host > two->host;

	if (!order)
		order = (int)one->kind - (int)two->kind;
	for (i = 0; i < labels && !order; i++)
		order = strcmp(one->label[i], two->label[i]);
	return order;
}

static int by_place(const void *a, const void *b)
{
	return compare(*(struct tl_fleet_row *const *)a, *(struct tl_fleet_row *const *)b);
}

static void row_free(struct tl_fleet_row *row)
{
	free(row->value);
	free(row);
}

static double *values_new(size_t n)
{
	double *value = malloc(n * sizeof(*value));
	size_t i;

	for (i = 0; value && i < n; i++)
		value[i] = NAN;
	return value;
}

static struct tl_fleet_row *row_new(const struct tl_fleet_row *key)
{
	unsigned int columns = tl_rows_shapes[key->kind].columns, labels = tl_rows_shapes[key->kind].labels, i;
	struct tl_fleet_row *row;
	size_t texts = 0;
	char *text;

	for (i = 0; i < labels; i++)
		texts += strlen(key->label[i]) + 1;
	row = malloc(sizeof(*row) + columns * sizeof(*row->was) + texts);
	if (!row)
		return NULL;
	*row = *key;
	row->columns = columns;
	row->value = NULL;
	row->was = (double *)(row + 1);
	for (i = 0; i < columns; i++)
		row->was[i] = NAN;
	text = (char *)(row->was + columns);
	for (i = 0; i < labels; i++) {
		row->label[i] = text;
		text = stpcpy(text, key->label[i]) + 1;
	}
	return row;
}

static int row_find(struct tl_fleet *fleet, const struct tl_fleet_row *key, struct tl_fleet_row **row, struct tl_error *err)
{
	void *node = tfind(key, &fleet->tree, compare);
	struct tl_fleet_row **to;

	*row = node ? *(struct tl_fleet_row **)node : NULL;
	if (!*row && fleet->n_rows == TL_FLEET_ROWS_MOST)
		return tl_error_set(err, -E2BIG, "%s: too many series: choose some hosts with --selector",
				    tl_prom_name(fleet->prom));
	if (!*row) {
		*row = row_new(key);
		to = *row ? tl_array_append((void **)&fleet->row, &fleet->n_rows, sizeof(*to)) : NULL;
		if (!to) {
			free(*row);
			return tl_error_no_memory(err);
		}
		*to = *row;
		if (!tsearch(*row, &fleet->tree, compare))
			return tl_error_no_memory(err);
	}
	if (!(*row)->value) {
		/* A part is as long as suits the series of the one before. */
		fleet->values += fleet->steps * (*row)->columns;
		if (fleet->values > VALUES_MOST && fleet->steps > 1)
			return tl_error_set(err, -E2BIG, "%s: more series than fit into memory: choose some hosts with --selector",
					    tl_prom_name(fleet->prom));
		(*row)->value = values_new(fleet->steps * (*row)->columns);
	}
	return (*row)->value ? 0 : tl_error_no_memory(err);
}

/* Which bound a bucket has; -1 for none of ours. */
static int bound_of(const char *le)
{
	double bound = le ? strtod(le, NULL) : NAN;
	int exp;

	if (le && !strcmp(le, "+Inf"))
		return TL_METRIC_BOUNDS;
	exp = bound > 0 && bound < 1e6 ? (int)lround(log2(bound * 1e9)) : -1;
	if (exp < TL_METRIC_FIRST_EXP || exp > TL_METRIC_LAST_EXP || fabs(bound * 1e9 / exp2(exp) - 1) > 1e-6)
		return -1;
	return exp - TL_METRIC_FIRST_EXP;
}

/* Which column a series of a family is; -1 for none that we need. */
static int column_of(const struct tl_family *family, const char *suffix, json_t *labels)
{
	const char *label = family->label ? tl_fleet_label(labels, family->label) : NULL;
	int bound;
	unsigned int i;

	if (family->type == TL_METRIC_HISTOGRAM && !strcmp(suffix, "_sum"))
		return (int)family->first + TL_METRIC_BOUNDS + 1;
	if (family->type == TL_METRIC_HISTOGRAM) {
		bound = strcmp(suffix, "_bucket") ? -1 : bound_of(tl_fleet_label(labels, "le"));
		return bound < 0 ? -1 : (int)family->first + bound;
	}
	if (strcmp(suffix, family->type == TL_METRIC_COUNTER ? "_total" : ""))
		return -1;
	if (!family->label || family->type == TL_METRIC_STATESET)
		return (int)family->first;
	for (i = 0; label && i < family->n; i++)
		if (!strcmp(family->names[i], label))
			return (int)(family->first + i);
	return -1;
}

/* The daemon's own list says what a name means. */
static const struct tl_family *family_of(json_t *labels, int *column)
{
	const char *name = tl_fleet_label(labels, "__name__");
	size_t i, len;

	for (i = 0; name && i < tl_families_n; i++) {
		len = strlen(tl_families[i].name);
		if (strncmp(name, tl_families[i].name, len) || (name[len] && name[len] != '_'))
			continue;
		*column = column_of(&tl_families[i], name + len, labels);
		if (*column >= 0)
			return &tl_families[i];
	}
	return NULL;
}

/* Of a set of states the place of the one that it is in, counted from one. */
static double state_of(const struct tl_family *family, json_t *labels, double value)
{
	const char *label = tl_fleet_label(labels, family->label);
	unsigned int i;

	for (i = 0; label && value > 0 && i < family->n; i++)
		if (!strcmp(family->names[i], label))
			return i + 1.0;
	return NAN;
}

/* Return: the step of a time, -1 for one that nobody has asked for. */
static long step_of(const struct tl_fleet *fleet, double t_s)
{
	double at = (t_s - fleet->begin_s) / fleet->step_s;

	return at > -0.5 && at < (double)fleet->steps - 0.5 && fabs(at - round(at)) * fleet->step_s < 0.01 ? lround(at) : -1;
}

static int twice(const struct tl_fleet *fleet, size_t host, const char *name, struct tl_error *err)
{
	return tl_error_set(err, -EINVAL, "%s: %s of %s is there twice at a time, from two jobs or stores: choose one with "
			    "--selector", tl_prom_name(fleet->prom), name, fleet->host[host].label);
}

static int values_take(struct tl_fleet *fleet, const struct tl_family *family, struct tl_fleet_row *row, int column,
		       json_t *labels, json_t *values, struct tl_error *err)
{
	bool set = family && family->type == TL_METRIC_STATESET;
	double t_s, value, *to;
	size_t i;
	long step;

	for (i = 0; i < json_array_size(values); i++) {
		step = tl_fleet_sample(json_array_get(values, i), &t_s, &value) ? step_of(fleet, t_s) : -1;
		fleet->bad += step < 0;
		if (step < 0)
			continue;
		if (set)
			value = state_of(family, labels, value);
		to = &row->value[(size_t)step * row->columns + (size_t)column];
		if (!isnan(*to) && !isnan(value))
			return twice(fleet, row->host, family ? family->name : "a resource", err);
		*to = isnan(value) ? *to : value;
	}
	return 0;
}

/* Return: 1 with @key set, 0 for a series that is not needed. */
static int key_make(const struct tl_fleet *fleet, enum tl_rows_kind kind, json_t *labels, struct tl_fleet_row *key)
{
	const char *label = tl_fleet_label(labels, fleet->host_label);
	const struct tl_fleet_host *host = label ? tl_fleet_host(fleet, label) : NULL;
	unsigned int i;

	if (!host)
		return 0;
	*key = (struct tl_fleet_row){ .kind = kind, .host = (size_t)(host - fleet->host) };
	for (i = 0; i < tl_rows_shapes[kind].labels; i++) {
		key->label[i] = tl_fleet_label(labels, tl_rows_shapes[kind].label[i]);
		/* To Prometheus an empty label is none. */
		if (!key->label[i])
			key->label[i] = "";
	}
	return 1;
}

static bool is_needed(enum tl_rows_kind kind)
{
	return kind == TL_ROWS_DAEMON || kind == TL_ROWS_CELL || kind == TL_ROWS_EDGE || kind == TL_ROWS_TIER ||
	       kind == TL_ROWS_FUNCTION || kind == TL_ROWS_CHARGE;
}

static int counter_take(json_t *labels, json_t *values, void *arg, struct tl_error *err)
{
	struct part *part = arg;
	const struct tl_family *family;
	struct tl_fleet_row key, *row;
	int column, code;

	part->series++;
	family = family_of(labels, &column);
	if (!family || !is_needed(family->kind) || !key_make(part->fleet, family->kind, labels, &key))
		return 0;
	code = row_find(part->fleet, &key, &row, err);
	return code ? code : values_take(part->fleet, family, row, column, labels, values, err);
}

static int resource_take(json_t *labels, json_t *values, void *arg, struct tl_error *err)
{
	const char *resource = tl_fleet_label(labels, "resource");
	struct part *part = arg;
	struct tl_fleet_row key, *row;
	int code;

	if (!resource || !key_make(part->fleet, TL_ROWS_HOST, labels, &key))
		return 0;
	code = row_find(part->fleet, &key, &row, err);
	return code ? code : values_take(part->fleet, NULL, row, 0, labels, values, err);
}

static int time_take(json_t *labels, json_t *values, void *arg, struct tl_error *err)
{
	const char *label = tl_fleet_label(labels, ((struct part *)arg)->fleet->host_label);
	struct tl_fleet *fleet = ((struct part *)arg)->fleet;
	const struct tl_fleet_host *host = label ? tl_fleet_host(fleet, label) : NULL;
	size_t at = host ? (size_t)(host - fleet->host) : 0, i;
	double t_s, value, *to;
	long step;

	for (i = 0; host && i < json_array_size(values); i++) {
		step = tl_fleet_sample(json_array_get(values, i), &t_s, &value) ? step_of(fleet, t_s) : -1;
		fleet->bad += step < 0;
		if (step < 0)
			continue;
		to = &fleet->sampled[at * fleet->steps + (size_t)step];
		if (!isnan(*to))
			return twice(fleet, at, "tierlens_intervals_total", err);
		*to = value;
	}
	return 0;
}

static int ask(struct part *part, const char *before, const char *after, tl_fleet_series_fn *fn, struct tl_error *err)
{
	struct tl_fleet *fleet = part->fleet;
	char *query = NULL;
	int code;

	if (asprintf(&query, "%s%s}%s", before, fleet->selector, after) < 0)
		return tl_error_no_memory(err);
	code = tl_fleet_range(fleet, query, fleet->begin_s, fleet->begin_s + (double)(fleet->steps - 1) * fleet->step_s, fn,
			      part, err);
	free(query);
	return code;
}

static void rows_order(struct tl_fleet *fleet)
{
	size_t i, host = 0;

	if (fleet->n_rows)
		qsort(fleet->row, fleet->n_rows, sizeof(*fleet->row), by_place);
	for (i = 0; host < fleet->n_hosts; host++) {
		fleet->host[host].first_row = i;
		while (i < fleet->n_rows && fleet->row[i]->host == host)
			i++;
		fleet->host[host].end_row = i;
	}
}

static int chunk_read(struct tl_fleet *fleet, struct tl_error *err)
{
	double left = floor((fleet->to_s - fleet->at_s) / fleet->step_s + 1e-6) + 1;
	struct part part = { .fleet = fleet };
	char over[40];
	size_t i;
	int code;

	for (i = 0; i < fleet->n_rows; i++) {
		free(fleet->row[i]->value);
		fleet->row[i]->value = NULL;
	}
	fleet->begin_s = fleet->at_s;
	fleet->values = 0;
	fleet->steps = (size_t)min(left, (double)fleet->steps_most);
	free(fleet->sampled);
	fleet->sampled = values_new(fleet->steps * fleet->n_hosts);
	if (!fleet->sampled)
		return tl_error_no_memory(err);
	snprintf(over, sizeof(over), "[%.0fs])", fleet->step_s);
	/* Times first: a value must not be older than it is said to be. */
	code = ask(&part, "timestamp({__name__=\"tierlens_intervals_total\"", ")", time_take, err);
	code = code ? code : ask(&part, "{__name__=~\"tierlens_.+\"", "", counter_take, err);
	code = code ? code : ask(&part, "avg_over_time({__name__=~\"tierlens_host_(utilization_ratio|bytes_per_second)\"",
				      over, resource_take, err);
	rows_order(fleet);
	i = SAMPLES / (part.series + 1);
	fleet->steps_most = i < 1 ? 1 : min(i, (size_t)STEPS_MOST);
	return code;
}

/**
 * tl_fleet_chunk() - Read the next part
 * @fleet: fleet, in which it stands in the place of the part before
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_fleet_chunk(struct tl_fleet *fleet, struct tl_error *err)
{
	int code = chunk_read(fleet, err);

	/* With more series than before less fits into an answer. */
	while (code == -E2BIG && fleet->steps > 1) {
		fleet->steps_most = fleet->steps / 2;
		code = chunk_read(fleet, err);
	}
	return code;
}

/**
 * tl_fleet_rows_free() - Free what is known of the hosts
 * @fleet: fleet
 */
void tl_fleet_rows_free(struct tl_fleet *fleet)
{
	size_t i;

	for (i = 0; i < fleet->n_rows; i++) {
		tdelete(fleet->row[i], &fleet->tree, compare);
		row_free(fleet->row[i]);
	}
	free(fleet->row);
	free(fleet->sampled);
	fleet->row = NULL;
	fleet->n_rows = 0;
}
