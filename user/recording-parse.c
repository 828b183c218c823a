// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A line of a recording as an interval
 *
 * Keys that are not known are let pass: a later tierlens may write more. Keys
 * that are missing are zero, but for those without which it is no recording and
 * for sums that may be unknown, which they then are.
 */
#include "recording.h"

#include "error.h"
#include "table.h"

#include <errno.h>
#include <math.h>

struct parser {
	const char *place;
	struct tl_error *err;
	struct tl_interval *interval;
};

static int fault(const struct parser *p, const char *key, const char *must)
{
	return tl_error_set(p->err, -EINVAL,
			    "%s: key \"%s\" must be %s: is this a recording of tierlens?",
			    p->place, key, must);
}

static int get_whole(const struct parser *p, const json_t *object, const char *key,
		     u64 *value)
{
	const json_t *found = json_object_get(object, key);

	if (!found)
		return 0;
	if (!json_is_integer(found) || json_integer_value(found) < 0)
		return fault(p, key, "a whole number, not negative");
	*value = (u64)json_integer_value(found);
	return 0;
}

static int get_number(const struct parser *p, const json_t *object, const char *key,
		      double *value)
{
	const json_t *found = json_object_get(object, key);

	if (!found)
		return 0;
	if (!json_is_number(found) || json_number_value(found) < 0)
		return fault(p, key, "a number, not negative");
	*value = json_number_value(found);
	return 0;
}

/* The nanoseconds if they are there, else the seconds. */
static int get_time(const struct parser *p, const json_t *object, const char *ns_key,
		    const char *s_key, u64 *ns)
{
	double s = 0;
	int code;

	if (json_object_get(object, ns_key))
		return get_whole(p, object, ns_key, ns);
	code = get_number(p, object, s_key, &s);
	if (code)
		return code;
	if (s > 9e9)
		return fault(p, s_key, "a number of seconds below 9e9");
	*ns = (u64)llround(s * 1e9);
	return 0;
}

/* NULL for a key that is absent or null. */
static int get_text(const struct parser *p, const json_t *object, const char *key,
		    const char **value)
{
	const json_t *found = json_object_get(object, key);

	*value = NULL;
	if (!found || json_is_null(found))
		return 0;
	if (!json_is_string(found))
		return fault(p, key, "a text");
	*value = json_string_value(found);
	return 0;
}

static int get_array(const struct parser *p, const json_t *object, const char *key,
		     json_t **value)
{
	*value = json_object_get(object, key);
	return *value && !json_is_array(*value) ? fault(p, key, "a list") : 0;
}

static int get_names(const struct parser *p, const json_t *object, const char *key,
		     const char *const *names, u64 *values, int n)
{
	const json_t *found = json_object_get(object, key);
	int i, code = 0;

	if (found && !json_is_object(found))
		return fault(p, key, "an object");
	for (i = 0; found && i < n && !code; i++)
		code = get_whole(p, found, names[i], &values[i]);
	return code;
}

static int get_hist(const struct parser *p, const json_t *object, const char *key,
		    u64 *hist)
{
	const json_t *pair, *bucket, *count;
	json_t *array;
	size_t i;

	if (get_array(p, object, key, &array))
		return -EINVAL;
	json_array_foreach(array, i, pair) {
		bucket = json_array_get(pair, 0);
		count = json_array_get(pair, 1);
		if (!json_is_integer(bucket) || !json_is_integer(count) ||
		    json_integer_value(bucket) < 0 || json_integer_value(count) < 0 ||
		    json_integer_value(bucket) >= TL_HIST_BUCKETS)
			return fault(p, key, "a list of [bucket, count]");
		hist[json_integer_value(bucket)] += (u64)json_integer_value(count);
	}
	return 0;
}

static int get_sums(const struct parser *p, const json_t *object,
		    const struct tl_sum_key *keys, struct tl_sum *sums, int n)
{
	u64 value;
	int i, code;

	for (i = 0; i < n; i++) {
		sums[i] = (struct tl_sum){ .state = TL_SUM_UNKNOWN };
		if (!json_object_get(object, keys[i].key) &&
		    !(keys[i].s_key && json_object_get(object, keys[i].s_key)))
			continue;
		value = 0;
		code = keys[i].s_key ? get_time(p, object, keys[i].key, keys[i].s_key,
						&value) :
				       get_whole(p, object, keys[i].key, &value);
		if (code)
			return code;
		tl_sum_set(&sums[i], value);
	}
	return 0;
}

/* One that a later tierlens has is not known. */
static int get_level(const struct parser *p, const json_t *object, enum tl_at *level)
{
	const char *name;
	int code = get_text(p, object, "level", &name);

	*level = name ? tl_at_read(name) : TL_AT_UNKNOWN;
	return code;
}

static int parse_cell(const struct parser *p, const char *tier, const json_t *object)
{
	struct tl_cell sums = { 0 }, *cell;
	const json_t *hist;
	const char *class;
	int code;

	if (!json_is_object(object))
		return fault(p, "cells", "a list of objects");
	code = get_text(p, object, "class", &class);
	code = code ? code : get_whole(p, object, "count", &sums.count);
	code = code ? code : get_time(p, object, "response_ns", "response_s",
				      &sums.response_ns);
	code = code ? code : get_time(p, object, "own_ns", "own_s", &sums.own_ns);
	code = code ? code : get_number(p, object, "own_sq_s2", &sums.own_sq_s2);
	code = code ? code : get_whole(p, object, "carried", &sums.carried);
	code = code ? code : get_whole(p, object, "traced", &sums.traced);
	code = code ? code : get_level(p, object, &sums.level);
	code = code ? code : get_whole(p, object, "bytes_in", &sums.bytes_in);
	code = code ? code : get_whole(p, object, "bytes_out", &sums.bytes_out);
	code = code ? code : get_sums(p, object, tl_cell_keys, sums.sum, TL_CELL_SUMS);
	if (code)
		return code;
	if (sums.traced > sums.count)
		return fault(p, "traced", "at most the count");
	hist = json_object_get(object, "hist");
	if (hist && !json_is_object(hist))
		return fault(p, "hist", "an object");
	code = get_hist(p, hist, "response", sums.response_hist);
	code = code ? code : get_hist(p, hist, "own", sums.own_hist);
	if (code)
		return code;
	cell = tl_interval_cell(p->interval, tier, class ? class : "other");
	if (!cell)
		return tl_error_no_memory(p->err);
	tl_cell_add(cell, &sums);
	return 0;
}

static int parse_tier(const struct parser *p, const json_t *object)
{
	struct tl_sum usage[TL_USAGE_SUMS];
	const json_t *cell, *used;
	struct tl_tier *tier;
	const char *name;
	json_t *cells;
	size_t i;
	int code;

	if (!json_is_object(object))
		return fault(p, "tiers", "a list of objects");
	code = get_text(p, object, "name", &name);
	code = code ? code : get_array(p, object, "cells", &cells);
	if (code)
		return code;
	if (!name)
		return fault(p, "name", "there in every tier");
	used = json_object_get(object, "usage");
	if (used && !json_is_object(used))
		return fault(p, "usage", "an object");
	code = get_sums(p, used, tl_usage_keys, usage, TL_USAGE_SUMS);
	if (code)
		return code;
	tier = tl_interval_tier(p->interval, name);
	if (!tier)
		return tl_error_no_memory(p->err);
	tl_usage_add(tier->usage, usage);
	json_array_foreach(cells, i, cell) {
		code = parse_cell(p, name, cell);
		if (code)
			return code;
	}
	return 0;
}

static int parse_edge(const struct parser *p, const json_t *object)
{
	const char *tier, *class, *peer, *peer_tier;
	struct tl_edge sums = { 0 }, *edge;
	int i, code;

	if (!json_is_object(object))
		return fault(p, "edges", "a list of objects");
	code = get_text(p, object, "tier", &tier);
	code = code ? code : get_text(p, object, "class", &class);
	code = code ? code : get_text(p, object, "peer", &peer);
	code = code ? code : get_text(p, object, "peer_tier", &peer_tier);
	code = code ? code : get_whole(p, object, "calls", &sums.calls);
	code = code ? code : get_time(p, object, "time_ns", "time_s", &sums.time_ns);
	code = code ? code : get_names(p, object, "by", tl_by_names, sums.by, TL_BY_KINDS);
	code = code ? code : get_sums(p, object, tl_edge_keys, sums.sum, TL_EDGE_SUMS);
	if (code)
		return code;
	/* Only compared and copied: the texts stay the JSON object's. */
	sums.tier = (char *)tier;
	sums.class = (char *)(class ? class : "other");
	sums.peer = (char *)(peer ? peer : "more");
	sums.peer_tier = (char *)peer_tier;
	edge = tl_interval_edge(p->interval, &sums);
	if (!edge)
		return tl_error_no_memory(p->err);
	edge->calls += sums.calls;
	edge->time_ns += sums.time_ns;
	for (i = 0; i < TL_BY_KINDS; i++)
		edge->by[i] += sums.by[i];
	tl_sums_add(edge->sum, sums.sum, TL_EDGE_SUMS);
	return 0;
}

static int get_id(const struct parser *p, const json_t *object, const char *key, u32 *id)
{
	u64 value = 0;
	int code = 0;

	if (!json_is_null(json_object_get(object, key)))
		code = get_whole(p, object, key, &value);
	*id = (u32)value;
	return !code && value > UINT32_MAX ? fault(p, key, "below 2^32") : code;
}

static int parse_path(const struct parser *p, const json_t *object)
{
	struct tl_path sums = { 0 }, *path;
	const char *tier, *class;
	int code;

	if (!json_is_object(object))
		return fault(p, "paths", "a list of objects");
	code = get_id(p, object, "id", &sums.id);
	code = code ? code : get_id(p, object, "parent", &sums.parent);
	code = code ? code : get_text(p, object, "tier", &tier);
	code = code ? code : get_text(p, object, "class", &class);
	code = code ? code : get_whole(p, object, "count", &sums.count);
	code = code ? code : get_time(p, object, "response_ns", "response_s",
				      &sums.response_ns);
	code = code ? code : get_time(p, object, "own_ns", "own_s", &sums.own_ns);
	code = code ? code : get_whole(p, object, "traced", &sums.traced);
	code = code ? code : get_sums(p, object, tl_path_keys, sums.sum, TL_PATH_SUMS);
	if (code)
		return code;
	if (sums.traced > sums.count)
		return fault(p, "traced", "at most the count");
	path = tl_interval_path(p->interval, tier, class ? class : "other");
	if (!path)
		return tl_error_no_memory(p->err);
	sums.tier = path->tier;
	sums.class = path->class;
	*path = sums;
	return 0;
}

static int parse_count(const struct parser *p, const json_t *object)
{
	struct tl_count count = { 0 };
	const char *event;
	int code;

	if (!json_is_object(object))
		return fault(p, "counts", "a list of objects");
	code = get_text(p, object, "event", &event);
	code = code ? code : get_id(p, object, "cpu", &count.cpu);
	code = code ? code : get_whole(p, object, "value", &count.value);
	code = code ? code : get_time(p, object, "enabled_ns", "enabled_s", &count.enabled_ns);
	code = code ? code : get_time(p, object, "running_ns", "running_s", &count.running_ns);
	if (code)
		return code;
	if (!event)
		return fault(p, "event", "there in every count");
	if (snprintf(count.event, sizeof(count.event), "%s", event) >= TL_EVENT_BYTES)
		return fault(p, "event", "at most 63 bytes");
	return tl_interval_count(p->interval, &count) ? tl_error_no_memory(p->err) : 0;
}

/* Whose it is nobody can guess, and what was not counted has no place in the list. */
static int parse_charge(const struct parser *p, const json_t *object)
{
	const char *tier, *class, *event;
	struct tl_charge charge = { 0 };
	int code;

	if (!json_is_object(object))
		return fault(p, "charged", "a list of objects");
	code = get_text(p, object, "tier", &tier);
	code = code ? code : get_text(p, object, "class", &class);
	code = code ? code : get_text(p, object, "event", &event);
	code = code ? code : get_whole(p, object, "value", &charge.value);
	if (code)
		return code;
	if (!tier || !class || !event || !json_object_get(object, "value"))
		return fault(p, "charged", "a list of objects with tier, class, event and value");
	/* Only compared and copied: the texts stay the JSON object's. */
	charge.tier = (char *)tier;
	charge.class = (char *)class;
	charge.event = (char *)event;
	return tl_interval_charge(p->interval, &charge) ? tl_error_no_memory(p->err) : 0;
}

static int parse_called(const struct parser *p, const json_t *object)
{
	const char *name, *tier, *class;
	struct tl_called called = { 0 };
	int code;

	if (!json_is_object(object))
		return fault(p, "functions", "a list of objects");
	code = get_id(p, object, "id", &called.id);
	code = code ? code : get_text(p, object, "name", &name);
	code = code ? code : get_text(p, object, "tier", &tier);
	code = code ? code : get_text(p, object, "class", &class);
	code = code ? code : get_whole(p, object, "count", &called.count);
	code = code ? code : get_time(p, object, "total_ns", "total_s", &called.total_ns);
	code = code ? code : get_time(p, object, "own_ns", "own_s", &called.own_ns);
	code = code ? code : get_time(p, object, "cpu_ns", "cpu_s", &called.cpu_ns);
	if (code)
		return code;
	if (!name || !tier)
		return fault(p, "functions", "a list of objects with name and tier");
	/* Only compared and copied: the texts stay the JSON object's. */
	called.name = (char *)name;
	called.tier = (char *)tier;
	called.class = (char *)class;
	return tl_interval_called(p->interval, &called) ? tl_error_no_memory(p->err) : 0;
}

static int parse_cost(const struct parser *p, const json_t *object)
{
	const json_t *cost = json_object_get(object, "cost");

	if (cost && !json_is_object(cost))
		return fault(p, "cost", "an object");
	return get_sums(p, cost, tl_cost_keys, p->interval->cost, TL_COST_SUMS);
}

static int link_paths(const struct parser *p)
{
	int code = tl_paths_link(p->interval);

	if (code == -ENOMEM)
		return tl_error_no_memory(p->err);
	return code ? fault(p, "paths", "a list of nodes with ids of their own, each parent "
			    "among them") : 0;
}

static int parse_hosts(const struct parser *p, const json_t *object)
{
	json_t *hosts = json_object_get(object, "hosts"), *value;
	const char *name;

	if (hosts && !json_is_object(hosts))
		return fault(p, "hosts", "an object");
	json_object_foreach(hosts, name, value) {
		if (!json_is_number(value) || json_number_value(value) < 0)
			return fault(p, name, "a number, not negative");
		if (tl_interval_host(p->interval, name, json_number_value(value),
				     p->interval->length_ns))
			return tl_error_no_memory(p->err);
	}
	return 0;
}

/* All objects of a list. */
static int parse_list(const struct parser *p, const json_t *object, const char *key,
		      int (*parse)(const struct parser *p, const json_t *object))
{
	const json_t *item;
	json_t *list;
	size_t i;
	int code = get_array(p, object, key, &list);

	json_array_foreach(list, i, item) {
		if (code)
			break;
		code = parse(p, item);
	}
	return code;
}

/* What makes a line a line of a recording, and of one that we can read. */
static int parse_head(const struct parser *p, const json_t *object)
{
	struct tl_interval *interval = p->interval;
	u64 format = 0;
	int code;

	if (!json_is_object(object) || !json_object_get(object, "format"))
		return tl_error_set(p->err, -EINVAL,
				    "%s: not a recording of tierlens: give "
				    "a file that tierlens record wrote",
				    p->place);
	code = get_whole(p, object, "format", &format);
	if (code)
		return code;
	if (format > TL_RECORDING_FORMAT)
		return tl_error_set(p->err, -EPROTO, "%s: format %llu is newer than this "
				    "tierlens (%d): update tierlens", p->place,
				    (unsigned long long)format, TL_RECORDING_FORMAT);
	code = get_whole(p, object, "generation", &interval->generation);
	code = code ? code : get_time(p, object, "start_ns", "t", &interval->start_ns);
	code = code ? code : get_time(p, object, "length_ns", "seconds",
				      &interval->length_ns);
	if (code)
		return code;
	if (!interval->start_ns)
		return fault(p, "t", "there");
	return interval->length_ns ? 0 : fault(p, "seconds", "there and above 0");
}

static int parse_object(const struct parser *p, const json_t *object)
{
	int code = parse_head(p, object);

	code = code ? code : parse_list(p, object, "tiers", parse_tier);
	code = code ? code : parse_list(p, object, "edges", parse_edge);
	code = code ? code : parse_list(p, object, "paths", parse_path);
	code = code ? code : link_paths(p);
	code = code ? code : parse_hosts(p, object);
	code = code ? code : parse_list(p, object, "counts", parse_count);
	code = code ? code : parse_list(p, object, "charged", parse_charge);
	code = code ? code : parse_list(p, object, "functions", parse_called);
	code = code ? code : parse_cost(p, object);
	code = code ? code : get_names(p, object, "events", tl_event_names,
				       p->interval->events, TL_EVENTS);
	return code ? code : get_names(p, object, "losses", tl_loss_names,
				       p->interval->losses, TL_LOSSES);
}

/**
 * tl_recording_parse() - Read one line of a recording
 * @line: JSON
 * @len: its length in bytes
 * @place: "file:line", for sentences
 * @interval: set to the interval, to be given to tl_interval_free()
 * @err: the sentence if it fails
 *
 * Return: 0; -EBADMSG if it is no JSON, which a cut line is not; another
 * negative errno if it is JSON but not ours.
 */
int tl_recording_parse(const char *line, size_t len, const char *place,
		       struct tl_interval **interval, struct tl_error *err)
{
	json_error_t where;
	json_t *object = json_loadb(line, len, JSON_REJECT_DUPLICATES, &where);
	struct parser p = { .place = place, .err = err };
	int code;

	*interval = NULL;
	if (!object)
		return tl_error_set(err, -EBADMSG,
				    "%s:%d: broken line (%s): mend or delete it", place,
				    where.column, where.text);
	p.interval = tl_interval_new();
	code = p.interval ? parse_object(&p, object) : tl_error_no_memory(err);
	json_decref(object);
	if (code)
		tl_interval_free(p.interval);
	else
		*interval = p.interval;
	return code;
}
