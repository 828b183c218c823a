// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Executions from the paths of a recording, which are merged already: a path is a chain of
 * tiers and classes, and counts its requests. Their calls are those that the caller waits
 * for, or at least had under way: a recording does not tell them apart.
 */
#include "traces.h"

#include "error.h"
#include "out.h"
#include "recording.h"
#include "table.h"

#include <errno.h>
#include <stdio.h>

static int sum(const struct tl_interval *interval, void *total)
{
	return tl_interval_add(total, interval);
}

static int path_add(struct tl_traces *traces, const char *file,
		    const struct tl_interval *interval, size_t i)
{
	const struct tl_path *path = &interval->paths[i];
	struct tl_span span = { .peer = -1, .node = true, .root = !path->up, .count = path->count };
	char name[32];
	int service;

	/* The node of all that found no place is no way. */
	if (!path->tier)
		return 0;
	snprintf(name, sizeof(name), "%zu", i + 1);
	span.id = tl_span_id(file, name);
	snprintf(name, sizeof(name), "%zu", path->up);
	span.parent = tl_span_id(file, name);
	service = tl_traces_name(traces, path->tier, traces->by_operation ? path->class : NULL);
	span.service = span.process = service;
	return service < 0 ? service : tl_traces_add(traces, &span);
}

static int paths_add(struct tl_traces *traces, const char *file,
		     const struct tl_interval *interval)
{
	size_t i;
	int code = 0;

	for (i = 0; i < interval->n_paths && !code; i++)
		code = path_add(traces, file, interval, i);
	return code;
}

/**
 * tl_traces_paths() - Take in the paths of a recording
 * @traces: traces
 * @file: its name
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_traces_paths(struct tl_traces *traces, const char *file, struct tl_error *err)
{
	struct tl_interval *total = tl_interval_new();
	char warning[400];
	int code;

	if (!total)
		return tl_error_no_memory(err);
	code = tl_recording_each(file, sum, total, warning, sizeof(warning), err);
	if (!code && *warning)
		tl_out_error("%s", warning);
	if (!code && !total->n_paths)
		code = tl_error_set(err, -ENODATA, "%s: the recording has no paths: record with a tierlens "
				    "that keeps them", file);
	if (!code && paths_add(traces, file, total))
		code = tl_error_no_memory(err);
	tl_interval_free(total);
	return code;
}
