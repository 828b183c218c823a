// SPDX-License-Identifier: GPL-2.0-or-later
/* Series as a store answers with them: looked at as if anybody could have written them. */
#include "fleet/fleet.h"

#include "error.h"
#include "fleet/prom.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LABEL_BYTES 4096

/**
 * tl_fleet_label() - A label of a series
 * @labels: of the series
 * @name: of the label
 *
 * Return: its value; NULL if it is not there, empty, or longer than any of ours.
 */
const char *tl_fleet_label(json_t *labels, const char *name)
{
	json_t *label = json_object_get(labels, name);
	const char *value = json_string_value(label);

	return value && *value && strlen(value) == json_string_length(label) && strlen(value) < LABEL_BYTES ? value : NULL;
}

/**
 * tl_fleet_sample() - A time and a value
 * @pair: as in an answer
 * @t_s: set to the time, since the epoch
 * @value: set to the value
 *
 * Return: whether both are numbers that a counter or a gauge can have.
 */
bool tl_fleet_sample(json_t *pair, double *t_s, double *value)
{
	const char *text = json_string_value(json_array_get(pair, 1));
	char *end = NULL;

	*t_s = json_is_number(json_array_get(pair, 0)) ? json_number_value(json_array_get(pair, 0)) : NAN;
	*value = text ? strtod(text, &end) : NAN;
	return text && end != text && !*end && isfinite(*t_s) && isfinite(*value) && *value >= 0 && *value < 0x1p63;
}

static int no_series(struct tl_fleet *fleet, struct tl_error *err)
{
	return tl_error_set(err, -EBADMSG, "%s: its answer is not made of series: is this a Prometheus?",
			    tl_prom_name(fleet->prom));
}

/**
 * tl_fleet_range() - Ask for values over time
 * @fleet: fleet
 * @query: what
 * @begin_s: time of the first value, @end_s: of the last one, by the fleet's step
 * @fn: takes the labels of a series and its pairs of time and value
 * @arg: for it
 * @err: the sentence if it fails
 *
 * Return: 0, or a negative errno, also one of @fn.
 */
int tl_fleet_range(struct tl_fleet *fleet, const char *query, double begin_s, double end_s, tl_fleet_series_fn *fn,
		   void *arg, struct tl_error *err)
{
	char begin[40], end[40], step[40];
	/* "nocache": VictoriaMetrics moves times to where they suit its cache, unless it is told not to. */
	const struct tl_prom_field field[] = { { "query", query }, { "start", begin }, { "end", end }, { "step", step },
					       { "nocache", "1" } };
	json_t *data, *result, *series;
	const char *type;
	size_t i;
	int code;

	snprintf(begin, sizeof(begin), "%.3f", begin_s);
	snprintf(end, sizeof(end), "%.3f", end_s);
	snprintf(step, sizeof(step), "%.0f", fleet->step_s);
	code = tl_prom_ask(fleet->prom, "query_range", field, ARRAY_SIZE(field), &data, err);
	if (code)
		return code;
	type = json_string_value(json_object_get(data, "resultType"));
	result = json_object_get(data, "result");
	if (!type || strcmp(type, "matrix") || !json_is_array(result))
		code = no_series(fleet, err);
	for (i = 0; !code && i < json_array_size(result); i++) {
		series = json_array_get(result, i);
		if (json_is_object(json_object_get(series, "metric")) && json_is_array(json_object_get(series, "values")))
			code = fn(json_object_get(series, "metric"), json_object_get(series, "values"), arg, err);
		else
			code = no_series(fleet, err);
	}
	json_decref(data);
	return code;
}

/**
 * tl_fleet_labels() - Ask which series there are
 * @fleet: fleet
 * @names: of them, a regular expression
 * @fn: takes the labels of a series, and NULL
 * @arg: for it
 * @err: the sentence if it fails
 *
 * Return: 0, or a negative errno, also one of @fn.
 */
int tl_fleet_labels(struct tl_fleet *fleet, const char *names, tl_fleet_series_fn *fn, void *arg, struct tl_error *err)
{
	char begin[40], end[40], *match = NULL;
	struct tl_prom_field field[] = { { "match[]", NULL }, { "start", begin }, { "end", end } };
	json_t *data = NULL;
	size_t i;
	int code;

	snprintf(begin, sizeof(begin), "%.3f", fleet->from_s);
	snprintf(end, sizeof(end), "%.3f", fleet->to_s);
	if (asprintf(&match, "{__name__=~\"%s\"%s}", names, fleet->selector) < 0)
		return tl_error_no_memory(err);
	field[0].value = match;
	code = tl_prom_ask(fleet->prom, "series", field, ARRAY_SIZE(field), &data, err);
	free(match);
	if (!code && !json_is_array(data))
		code = no_series(fleet, err);
	for (i = 0; !code && i < json_array_size(data); i++)
		code = json_is_object(json_array_get(data, i)) ? fn(json_array_get(data, i), NULL, arg, err) :
								 no_series(fleet, err);
	json_decref(data);
	return code;
}
