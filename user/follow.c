// SPDX-License-Identifier: GPL-2.0-or-later
/* Demands followed over time, from a table of figures, resource by resource. */
#include "follow.h"

#include "demand-times.h"
#include "error.h"
#include "model/kalman.h"
#include "model/share.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const tl_follow_names[TL_FOLLOW_METHODS] = {
	[TL_FOLLOW_FILTER] = "filter",
	[TL_FOLLOW_PAPER] = "paper",
	[TL_FOLLOW_SDL] = "sdl",
	[TL_FOLLOW_NNLS] = "nnls",
};

/**
 * tl_follow_resource() - What a resource is called
 * @follow: demands over time
 * @resource: index
 *
 * Return: its name.
 */
const char *tl_follow_resource(const struct tl_follow *follow, size_t resource)
{
	return tl_target_name(follow->windows,
			      &follow->demand.target[follow->resource[resource].target]);
}

/**
 * tl_follow_known() - Whether a value may be printed as a fact
 * @follow: demands over time
 * @e: one of them
 *
 * The paper's filter is there to be seen as it is.
 *
 * Return: true if it may.
 */
bool tl_follow_known(const struct tl_follow *follow, const struct tl_estimate *e)
{
	if (follow->method == TL_FOLLOW_PAPER)
		return e->verdict != TL_VERDICT_ABSENT;
	return e->verdict <= TL_VERDICT_AT_MOST;
}

static int resources_make(struct tl_follow *f)
{
	size_t i;

	f->resource = calloc(f->demand.n_targets + 1, sizeof(*f->resource));
	for (i = 0; f->resource && i < f->demand.n_targets; i++)
		if (f->demand.target[i].resource != TL_NOWHERE)
			f->resource[f->resources++].target = i;
	return f->resource ? 0 : -ENOMEM;
}

/* One line a window that is used, or one a period. */
static int lines_make(struct tl_follow *f)
{
	const struct tl_windows *w = f->windows;
	size_t i;

	f->t_s = calloc(f->demand.n_used + 1, sizeof(*f->t_s));
	f->seconds = calloc(f->demand.n_used + 1, sizeof(*f->seconds));
	if (!f->t_s || !f->seconds)
		return -ENOMEM;
	for (i = 0; i < f->demand.n_used; i++) {
		size_t window = f->demand.used[i];

		f->t_s[f->lines] = w->t_s[window];
		f->seconds[f->lines++] = w->seconds[window];
	}
	return 0;
}

/* The paper begins with response times. */
static double *times_of_paper(const struct tl_demand *d, struct tl_target *target)
{
	double *times = NULL;

	if (target->tier != TL_NOWHERE)
		times = tl_times_gather(d, TL_COLUMN_OWN, target->tier);
	target->by = times ? "own_s" : "response_s";
	if (!times)
		times = tl_times_gather(d, TL_COLUMN_RESPONSE, TL_NOWHERE);
	target->unfit = times ? NULL : "response times of all classes are not known";
	return times;
}

static int by_filter(struct tl_follow *f, struct tl_followed *r, const double *times,
		     const double *outside)
{
	const struct tl_target *target = &f->demand.target[r->target];
	struct tl_track_in in = { f->lines, f->windows->classes.n, f->demand.count, times,
				  f->t_s, f->seconds, target->value, outside };
	struct tl_track_out out = { .demand = r->demand };
	int code;

	out.step = r->step = calloc(f->lines + 1, sizeof(*r->step));
	if (!r->step)
		return -ENOMEM;
	code = tl_track(&in, &out);
	r->change = out.change;
	r->changes = out.changes;
	r->restarts = out.restarts;
	return code;
}

/* As it is printed: an estimate and its variance, below zero or not. */
static void paper_take(struct tl_follow *f, struct tl_followed *r,
		       const struct tl_kalman_out *out)
{
	size_t p = f->windows->classes.n, i;

	for (i = 0; i < f->lines * p; i++) {
		if (isnan(out->value[i]))
			r->demand[i].verdict = TL_VERDICT_ABSENT;
		else
			tl_estimate_interval(&r->demand[i], out->value[i], out->error[i], 1.96);
		if (!isnan(out->value[i]) && out->value[i] < 0)
			r->demand[i].verdict = TL_VERDICT_NEGATIVE;
	}
	for (i = 0; i < f->lines; i++)
		if (out->nis[i] >= 0)
			r->step[i] = (struct tl_track_step){ .nis = out->nis[i], .degrees = 1 };
}

static int by_paper(struct tl_follow *f, struct tl_followed *r, const double *times)
{
	size_t p = f->windows->classes.n;
	double *memory = calloc(f->lines * (2 * p + 1) + 1, sizeof(*memory));
	struct tl_kalman_in in = { f->lines, p, f->demand.count, times, f->seconds,
				   f->demand.target[r->target].value, 0 };
	struct tl_kalman_out out = { memory, memory + f->lines * p,
				     memory + 2 * f->lines * p };
	int code = -ENOMEM;

	r->step = calloc(f->lines + 1, sizeof(*r->step));
	if (memory && r->step)
		code = tl_kalman(&in, &out);
	if (!code)
		paper_take(f, r, &out);
	free(memory);
	return code;
}

static int by_share(struct tl_follow *f, struct tl_followed *r, const double *times)
{
	struct tl_share_in in = { f->lines, f->windows->classes.n, f->demand.count, times,
				  f->seconds, f->demand.target[r->target].value };

	return tl_share(&in, r->demand);
}

static int follow_one(struct tl_follow *f, struct tl_followed *r)
{
	struct tl_target *target = &f->demand.target[r->target];
	double *times, *outside = NULL;
	int code = 0;

	r->demand = calloc(f->lines * f->windows->classes.n + 1, sizeof(*r->demand));
	if (!r->demand)
		return -ENOMEM;
	if (f->method == TL_FOLLOW_PAPER)
		times = times_of_paper(&f->demand, target);
	else
		tl_times_apportion(&f->demand, target, &times, &outside);
	r->by = target->by;
	r->unfit = times ? NULL : target->unfit;
	if (times && f->method == TL_FOLLOW_FILTER)
		code = by_filter(f, r, times, outside);
	if (code == -E2BIG) {
		r->unfit = "there are more than 128 classes, which is too much";
		code = 0;
	}
	if (times && f->method == TL_FOLLOW_PAPER)
		code = by_paper(f, r, times);
	if (times && f->method == TL_FOLLOW_SDL)
		code = by_share(f, r, times);
	free(times);
	free(outside);
	return code;
}

/* Demands of a period, by what fits all windows otherwise. */
static int period_fit(struct tl_follow *f, size_t line, size_t from, size_t n)
{
	size_t p = f->windows->classes.n, k, i;
	struct tl_demand part;
	int code = tl_demand_prepare(&part, f->windows, f->demand.used + from, n);

	if (!code && part.own.absent < p)
		code = tl_demand_refit(&part, TL_METHOD_NNLS);
	for (k = 0; !code && k < f->resources; k++) {
		const struct tl_target *target = &part.target[f->resource[k].target];
		struct tl_estimate *to = f->resource[k].demand + line * p;

		for (i = 0; i < p; i++) {
			to[i] = target->coefficient[i];
			if (part.own.absent == p)
				to[i].verdict = TL_VERDICT_ABSENT;
		}
		f->resource[k].why[line] = target->unfit;
	}
	tl_demand_free(&part);
	return code;
}

static int follow_periods(struct tl_follow *f)
{
	size_t p = f->windows->classes.n, n = f->lines, from, until, k;
	double begin = f->t_s[0];
	int code = 0;

	for (k = 0; k < f->resources; k++) {
		f->resource[k].demand = calloc(n * p + 1, sizeof(struct tl_estimate));
		f->resource[k].why = calloc(n + 1, sizeof(*f->resource[k].why));
		if (!f->resource[k].demand || !f->resource[k].why)
			return -ENOMEM;
	}
	f->lines = 0;
	for (from = 0; from < n && !code; from = until) {
		double period = floor((f->t_s[from] - begin) / TL_FOLLOW_PERIOD_S);
		double end = begin + (period + 1) * TL_FOLLOW_PERIOD_S, ended;

		until = from;
		do
			ended = f->t_s[until] + f->seconds[until];
		while (++until < n && f->t_s[until] < end);
		code = period_fit(f, f->lines, from, until - from);
		f->t_s[f->lines] = f->t_s[from];
		f->seconds[f->lines] = ended - f->t_s[from];
		f->lines++;
	}
	return code;
}

/* At least one resource that is followed, or the sentence why there is none. */
static int check(const struct tl_follow *f, struct tl_error *err)
{
	size_t i;

	if (f->demand.own.absent == f->windows->classes.n)
		return tl_error_set(err, -ENODATA, "%s: there is no request in any window: "
				    "measure while there is load", f->windows->file);
	if (!f->resources)
		return tl_error_set(err, -ENODATA, "%s: no utilisation is known: add columns "
				    "u_RESOURCE, or record on the host of a tier",
				    f->windows->file);
	for (i = 0; i < f->resources; i++)
		if (!f->resource[i].unfit)
			return 0;
	return tl_error_set(err, -ENODATA, "%s: %s cannot be followed by %s: %s: add columns "
			    "with what is missing, or take another --method", f->windows->file,
			    tl_follow_resource(f, 0), tl_follow_names[f->method],
			    f->resource[0].unfit);
}

static int prepare(struct tl_follow *f, struct tl_error *err)
{
	const struct tl_windows *w = f->windows;
	size_t *used = calloc(w->n + 1, sizeof(*used)), n = 0, i;
	int code = used ? 0 : -ENOMEM;

	for (i = 0; used && i < w->n; i++)
		if (!w->left_out[i])
			used[n++] = i;
	if (!code && !n) {
		free(used);
		return tl_error_set(err, -ENODATA, "%s: no window can be used, the first is "
				    "left out because %s: measure more", w->file,
				    w->n ? w->left_out[0] : "there is none");
	}
	code = code ? code : tl_demand_prepare(&f->demand, w, used, n);
	free(used);
	code = code ? code : resources_make(f);
	code = code ? code : lines_make(f);
	return code ? tl_error_no_memory(err) : 0;
}

/**
 * tl_follow_make() - Follow demands
 * @follow: filled in, to be given to tl_follow_free(), after an error too
 * @windows: table of figures; must outlive @follow
 * @method: how
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_follow_make(struct tl_follow *follow, const struct tl_windows *windows,
		   enum tl_follow_method method, struct tl_error *err)
{
	size_t i;
	int code;

	memset(follow, 0, sizeof(*follow));
	follow->windows = windows;
	follow->method = method;
	follow->demand.windows = windows;
	code = prepare(follow, err);
	if (code)
		return code;
	if (follow->demand.own.absent < windows->classes.n) {
		for (i = 0; method != TL_FOLLOW_NNLS && i < follow->resources && !code; i++)
			code = follow_one(follow, &follow->resource[i]);
		if (method == TL_FOLLOW_NNLS)
			code = follow_periods(follow);
	}
	return code ? tl_error_no_memory(err) : check(follow, err);
}

/**
 * tl_follow_free() - Free what tl_follow_make() allocated
 * @follow: its result
 */
void tl_follow_free(struct tl_follow *follow)
{
	size_t i;

	for (i = 0; i < follow->resources; i++) {
		free(follow->resource[i].demand);
		free(follow->resource[i].step);
		free(follow->resource[i].why);
		free(follow->resource[i].change);
	}
	free(follow->resource);
	free(follow->t_s);
	free(follow->seconds);
	tl_demand_free(&follow->demand);
}
