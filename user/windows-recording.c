// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table of figures from a recording: one interval, one window
 *
 * A request's class is that with which it came to its front tier. What tiers below
 * did for it is found through the paths, because the class may be another one there.
 */
#include "windows.h"

#include "error.h"
#include "gap.h"
#include "host.h"
#include "past.h"
#include "recording.h"
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct reader {
	struct tl_windows *windows;
	struct tl_gap gap;
	struct tl_error *err;
	double cpu_s, room_s; /* what tiers used, and their part of all processors */
	char *front; /* the tier in front, as long as it is one: */
	bool fronts; /* there are several */
	bool history; /* of a daemon, whose clock may have been set back meanwhile */
};

/* "class", or "tier/class" as long as it is not known whether one tier is in front. */
static size_t class_index(struct tl_windows *w, const struct tl_path *path)
{
	size_t at = TL_NOWHERE;
	char *name;

	if (asprintf(&name, "%s/%s", path->tier, path->class) < 0)
		return TL_NOWHERE;
	at = tl_names_index(&w->classes, name);
	free(name);
	return at;
}

static double *cell(struct tl_windows *w, enum tl_column_kind kind, size_t class,
		    size_t tier, size_t resource)
{
	struct tl_column *column = tl_windows_column(w, kind, class, tier, resource);

	return column ? &column->value[w->n - 1] : NULL;
}

static int add_to(struct tl_windows *w, enum tl_column_kind kind, size_t class,
		  size_t tier, double value)
{
	double *at = cell(w, kind, class, tier, TL_NOWHERE);

	if (!at)
		return -ENOMEM;
	*at = isnan(*at) ? value : *at + value;
	return 0;
}

static int look_at_front(struct reader *r, const char *tier)
{
	if (!r->front)
		r->front = strdup(tier);
	r->fronts = r->fronts || (r->front && strcmp(r->front, tier));
	return r->front ? 0 : -ENOMEM;
}

static int add_path(struct reader *r, const struct tl_interval *interval, const struct tl_path *path)
{
	struct tl_windows *w = r->windows;
	const struct tl_path *front = path;
	size_t class, tier;
	double response_s = tl_ns_to_s(path->response_ns);

	while (front->up)
		front = &interval->paths[front->up - 1];
	if (!path->tier || !front->tier)
		return 0;
	class = class_index(w, front);
	tier = tl_names_index(&w->tiers, path->tier);
	if (class == TL_NOWHERE || tier == TL_NOWHERE || look_at_front(r, front->tier))
		return -ENOMEM;
	if (front == path &&
	    (add_to(w, TL_COLUMN_COUNT, class, TL_NOWHERE, (double)path->count) ||
	     add_to(w, TL_COLUMN_RESPONSE, class, TL_NOWHERE, response_s)))
		return -ENOMEM;
	if (tl_sum_known(&path->sum[TL_PATH_CPU]) &&
	    add_to(w, TL_COLUMN_CPU, class, tier,
		   tl_ns_to_s(path->sum[TL_PATH_CPU].value)))
		return -ENOMEM;
	return add_to(w, TL_COLUMN_OWN, class, tier, tl_ns_to_s(path->own_ns));
}

static int add_outside(struct tl_windows *w, const struct tl_tier *t, size_t tier)
{
	const struct tl_sum *cpu = &t->usage[TL_USAGE_CPU];
	const struct tl_sum *request = &t->usage[TL_USAGE_REQUEST_CPU];

	if (!tl_sum_known(cpu) || !tl_sum_known(request))
		return 0;
	return add_to(w, TL_COLUMN_OUTSIDE, TL_NOWHERE, tier,
		      tl_ns_to_s(cpu->value - min(cpu->value, request->value)));
}

static int add_tiers(struct tl_windows *w, const struct tl_interval *interval)
{
	size_t i, k, tier;
	double own_s;

	for (i = 0; i < interval->n_tiers; i++) {
		const struct tl_tier *t = &interval->tiers[i];

		if (!t->n_cells)
			continue;
		for (k = 0, own_s = 0; k < t->n_cells; k++)
			own_s += tl_ns_to_s(t->cells[k].own_ns);
		tier = tl_names_index(&w->tiers, t->name);
		if (tier == TL_NOWHERE ||
		    add_to(w, TL_COLUMN_TIER_OWN, TL_NOWHERE, tier, own_s) ||
		    add_outside(w, t, tier))
			return -ENOMEM;
	}
	return 0;
}

/* Own times are of a part of the requests then, and of another one from tier to tier. */
static int look_at_levels(struct tl_windows *w, const struct tl_interval *interval)
{
	if (!tl_interval_traced(interval))
		return 0;
	return tl_windows_leave_out(w, w->n - 1, "level: tiers were at trace, own times are not known");
}

static int add_hosts(struct reader *r, const struct tl_interval *interval)
{
	struct tl_windows *w = r->windows;
	size_t i, resource;
	double *at;

	for (i = 0; i < interval->n_hosts; i++) {
		const struct tl_host *host = &interval->hosts[i];

		if (tl_host_is_rate(host->name))
			continue;
		resource = tl_names_index(&w->resources, host->name);
		at = resource == TL_NOWHERE ? NULL :
		     cell(w, TL_COLUMN_BUSY, TL_NOWHERE, TL_NOWHERE, resource);
		if (!at)
			return -ENOMEM;
		*at = host->value;
		tl_host_processors(interval, host, &r->cpu_s, &r->room_s);
	}
	return 0;
}

/* What tiers use is known as soon as the kernel can tell: an interval without it did not
 * name the tier, which used nothing then, unless it served requests. */
static void idle_tier(struct tl_windows *w, const struct tl_column *busy)
{
	const struct tl_column *own;
	size_t tier = tl_windows_tier_of(w, busy->resource), i;

	if (tier == TL_NOWHERE)
		return;
	own = tl_windows_find(w, TL_COLUMN_TIER_OWN, TL_NOWHERE, tier, TL_NOWHERE);
	for (i = 0; i < w->n; i++)
		if (isnan(busy->value[i]) && (!own || own->value[i] == 0))
			busy->value[i] = 0;
}

static int look_at_losses(struct tl_windows *w, const struct tl_interval *interval)
{
	u64 lost[TL_LOSSES] = { 0 };
	bool any = false;
	char text[200];
	int i;

	for (i = 0; i < TL_LOSSES; i++) {
		lost[i] = tl_loss_is_note(i) ? 0 : interval->losses[i];
		any |= lost[i];
	}
	tl_losses_text(text, sizeof(text), lost);
	return any ? tl_windows_leave_out(w, w->n - 1, "losses: %s", text) : 0;
}

static int look_at_gap(struct reader *r, const struct tl_interval *interval)
{
	u64 before_ns = r->gap.end_ns;

	tl_gap_look(&r->gap, interval);
	if (before_ns && interval->start_ns + interval->length_ns / 2 < before_ns && r->history)
		return tl_windows_leave_out(r->windows, r->windows->n - 1, "clock: it was set back, and this time came twice") ?
			       tl_error_no_memory(r->err) : 0;
	if (before_ns && interval->start_ns + interval->length_ns / 2 < before_ns)
		return tl_error_set(r->err, -EINVAL,
				    "%s: the interval of generation %llu begins before the "
				    "one above it ends: give the recording of one host, in "
				    "order", r->windows->file,
				    (unsigned long long)interval->generation);
	if (r->gap.off_ns &&
	    tl_windows_leave_out(r->windows, r->windows->n - 1,
				 "restart: measuring was off before it"))
		return tl_error_no_memory(r->err);
	return 0;
}

static int add(struct reader *r, const struct tl_interval *interval)
{
	struct tl_windows *w = r->windows;
	size_t i;

	if (tl_windows_grow(w))
		return tl_error_no_memory(r->err);
	w->t_s[w->n - 1] = tl_ns_to_s(interval->start_ns);
	w->seconds[w->n - 1] = tl_ns_to_s(interval->length_ns);
	for (i = 0; i < interval->n_paths; i++)
		if (add_path(r, interval, &interval->paths[i]))
			return tl_error_no_memory(r->err);
	if (add_tiers(w, interval) || add_hosts(r, interval) || look_at_losses(w, interval) ||
	    look_at_levels(w, interval))
		return tl_error_no_memory(r->err);
	return look_at_gap(r, interval);
}

/* One front tier: its name says nothing. */
static int classes_rename(struct reader *r)
{
	struct tl_names *classes = &r->windows->classes;
	size_t i, len = r->front ? strlen(r->front) + 1 : 0;
	char *class;

	for (i = 0; i < classes->n && len && !r->fronts; i++) {
		class = strdup(classes->name[i] + len);
		if (!class)
			return -ENOMEM;
		free(classes->name[i]);
		classes->name[i] = class;
	}
	return 0;
}

static int finish(struct reader *r)
{
	struct tl_windows *w = r->windows;
	size_t i;

	if (!w->classes.n)
		return tl_error_set(r->err, -ENODATA,
				    "%s: no request ended, or the recording has no paths: "
				    "record again while the service works", w->file);
	if (w->n < 2)
		return tl_error_set(r->err, -ENODATA, "%s: one interval is not enough: record "
				    "for longer", w->file);
	if (r->room_s > 0)
		w->processors = round(r->cpu_s / r->room_s);
	for (i = 0; i < w->n_columns; i++)
		if (w->column[i].kind == TL_COLUMN_BUSY)
			idle_tier(w, &w->column[i]);
	return classes_rename(r) ? tl_error_no_memory(r->err) : 0;
}

/**
 * tl_windows_read_recording() - Read a recording as a table of figures
 * @windows: empty but for its file; filled in
 * @file: name of the recording
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_windows_read_recording(struct tl_windows *windows, const char *file,
			      struct tl_error *err)
{
	struct reader r = { .windows = windows, .err = err, .history = tl_history_is(file) };
	struct tl_recording *recording;
	struct tl_interval *interval;
	const char *said;
	int code = tl_recording_open(&recording, file, err);

	if (code)
		return code;
	while ((code = tl_recording_next(recording, &interval, err)) > 0) {
		code = add(&r, interval);
		tl_interval_free(interval);
		if (code)
			break;
	}
	said = tl_recording_warning(recording);
	if (said)
		tl_windows_note(windows, "%s", said);
	tl_recording_close(recording);
	code = code ? code : finish(&r);
	free(r.front);
	return code;
}
