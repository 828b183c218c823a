// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages that took longer than others of their size: delayed, or timed out
 *
 * What a message took above the line of its size (anomaly-line.c) is r, in units of how far normal ones are below
 * it: who is early is no anomaly, so that this is known whatever others do. Of
 *
 *	v = asinh(r / scale)
 *
 * which is r where it is small and log r where it is large, it is found how many groups there are (humps.c). A
 * heavy tail is none: its density falls all the way. A group that is not near the line is late, and so are those
 * above it. A single message is, in no group or below one that is far, if by the tail of the normal ones,
 * taken on from where a tenth and a hundredth of them are, there should not be another in twenty such samples.
 *
 * Of the groups above those are timeouts that stand off five times from the one below, and twenty times what
 * a packet takes ("Out_time >> MTU_e", paper 004, 3.3.5).
 *
 * Paper 004's own way is in anomaly-printed.c. It always finds three groups, also where all is well, and takes
 * from the healthy ones those that are in the way of the line.
 */
#include "anomaly.h"

#include "humps.h"
#include "median.h"

#include <errno.h>
#include <float.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 0.12 /* of bins of v */
#define LEAST 10 /* log likelihood that a group must bring: chance brings 5, see humps.c */
#define SLACK 3 /* of it given away, so that what is between is rather delayed than normal */
#define SIGMA 1.4826 /* of a normal distribution, in median deviations */
#define GROUP_SCALES 4 /* how far off a group is in the median, at least */
#define GROUP_UNITS 0.05 /* and in what a packet takes: less nobody cares for */
#define LEAST_SCALES 2.5 /* where the first may begin */
#define ALONE 0.05 /* of so many there should be one */
#define TIMES_LOWER 5
#define TIMES_UNIT 20
#define UNIT_MS 1e-6 /* of messages that take no time at all */

struct work {
	const struct tl_anomaly_in *in;
	struct tl_anomaly_model *model;
	double *excess, *v, *room; /* [n] each */
	struct tl_humps_out humps;
	double edge[TL_HUMPS_MAX + 1]; /* of groups, in v; the last is infinite */
	double least; /* of what is not normal, in v */
	size_t first; /* group that is not normal */
};

/* ---- what is normal ---------------------------------------------------------------------- */

/* Times are told in steps, often; 0 where they are not. What is as large as half of the times is none. */
static double step_of(struct work *w)
{
	size_t n = w->in->n, distinct = 1, i;
	double step = DBL_MAX;

	memcpy(w->room, w->in->time_ms, n * sizeof(*w->room));
	gsl_sort(w->room, 1, n);
	for (i = 1; i < n; i++)
		if (w->room[i] > w->room[i - 1]) {
			distinct++;
			step = fmin(step, w->room[i] - w->room[i - 1]);
		}
	return distinct < n / 2 && step <= w->room[n / 2] / 2 ? step : 0;
}

static double median_of(struct work *w, double (*value)(const struct work *, size_t), bool (*is)(const struct work *, size_t))
{
	size_t n = 0, i;

	for (i = 0; i < w->in->n; i++)
		if (is(w, i))
			w->room[n++] = value(w, i);
	return tl_median(w->room, n);
}

static bool is_early(const struct work *w, size_t i)
{
	return w->excess[i] < 0;
}

static double early_by(const struct work *w, size_t i)
{
	return -w->excess[i];
}

static bool is_any(const struct work *w, size_t i)
{
	(void)w;
	(void)i;
	return true;
}

static double a_packet(const struct work *w, size_t i)
{
	double full, part;

	tl_anomaly_packets(w->in->size[i], w->in->mtu, &full, &part);
	return (w->in->time_ms[i] - w->excess[i]) / (full + 1);
}

/* Steps are filled evenly, else each would be a group of its own. */
static void scale(struct work *w)
{
	struct tl_anomaly_model *m = w->model;
	double step = step_of(w), even = 0;
	size_t i;

	for (i = 0; i < w->in->n; i++)
		w->excess[i] = tl_anomaly_excess(m, w->in->size[i], w->in->time_ms[i]);
	m->unit_ms = fmax(median_of(w, a_packet, is_any), UNIT_MS);
	m->scale_ms = SIGMA * median_of(w, early_by, is_early);
	m->scale_ms = fmax(m->scale_ms, fmax(1e-3 * m->unit_ms, step / 2));
	for (i = 0; i < w->in->n; i++) {
		even = fmod(even + 0.6180339887498949, 1);
		w->v[i] = asinh((w->excess[i] + step * (even - 0.5)) / m->scale_ms);
	}
}

/* ---- what is not ------------------------------------------------------------------------- */

static bool in_group(const struct work *w, size_t i, size_t group)
{
	return w->v[i] >= w->edge[group] && w->v[i] < w->edge[group + 1];
}

static double group_median(struct work *w, size_t group, size_t *n)
{
	size_t i;

	for (*n = 0, i = 0; i < w->in->n; i++)
		if (in_group(w, i, group))
			w->room[(*n)++] = w->excess[i];
	return tl_median(w->room, *n);
}

static void normal_groups(struct work *w)
{
	double least = fmax(GROUP_SCALES * w->model->scale_ms, GROUP_UNITS * w->model->unit_ms);
	size_t n;

	for (w->first = 0; w->first < w->humps.humps; w->first++)
		if (group_median(w, w->first, &n) >= least && n)
			break;
	w->least = w->edge[w->first];
	if (w->first < w->humps.humps)
		w->least = fmax(w->least, asinh(LEAST_SCALES));
}

/* Beyond what the tail of those below goes to. */
static void alone(struct work *w)
{
	size_t n = 0, i;
	double tenth, hundredth, fall;

	for (i = 0; i < w->in->n; i++)
		if (w->v[i] < w->least)
			w->room[n++] = w->v[i];
	tenth = tl_quantile(w->room, n, 0.9);
	hundredth = tl_quantile(w->room, n, 0.99);
	fall = log(10) / fmax(hundredth - tenth, WIDTH / 2);
	w->least = fmin(w->least, hundredth + log(fmax(0.01 * (double)n / ALONE, 1)) / fall);
	w->least = fmax(w->least, asinh(fmax(LEAST_SCALES, GROUP_UNITS * w->model->unit_ms / w->model->scale_ms)));
}

/* The first group of timeouts, w->humps.humps if there is none. */
static size_t first_timeout(struct work *w)
{
	double far = TIMES_UNIT * w->model->unit_ms, widest = TIMES_LOWER, last = 0, median;
	size_t at = w->humps.humps, group, n;

	for (group = w->first; group < w->humps.humps; group++) {
		median = group_median(w, group, &n);
		if (!n)
			continue;
		if (last > 0 && median >= widest * last && median >= far) {
			widest = median / last;
			at = group;
		} else if (group == w->first && median >= far) {
			at = group; /* unless another one is far from it */
		}
		last = median;
	}
	return at;
}

static double in_ms(const struct work *w, double v)
{
	return sinh(v) * w->model->scale_ms;
}

/* Where there are no timeouts, what would be one: far from all that was seen. */
static double would_be_timeout(struct work *w)
{
	double far = TIMES_UNIT * w->model->unit_ms;
	size_t i;

	if (w->first == w->humps.humps)
		return far;
	for (i = 0; i < w->in->n; i++)
		far = fmax(far, TIMES_LOWER * w->excess[i]);
	return far;
}

static void bounds_set(struct work *w)
{
	size_t timeouts = first_timeout(w);

	w->model->delayed_ms = in_ms(w, w->least);
	w->model->timeout_ms = timeouts < w->humps.humps ? in_ms(w, w->edge[timeouts]) : would_be_timeout(w);
	w->model->timeout_ms = fmax(w->model->timeout_ms, w->model->delayed_ms);
}

static int judge(struct work *w)
{
	struct tl_humps_in in = { w->v, w->in->n, WIDTH, LEAST, SLACK };
	size_t k;
	int code;

	scale(w);
	code = tl_humps(&in, &w->humps);
	if (code)
		return code;
	w->edge[0] = -DBL_MAX;
	for (k = 1; k < w->humps.humps; k++)
		w->edge[k] = w->humps.cut[k - 1];
	w->edge[w->humps.humps] = DBL_MAX;
	w->model->humps = w->humps.humps;
	w->model->gain = w->humps.next;
	for (k = 1; k < w->humps.humps; k++)
		w->model->gain = k == 1 ? w->humps.gain[0] : fmin(w->model->gain, w->humps.gain[k - 1]);
	normal_groups(w);
	alone(w);
	bounds_set(w);
	return 0;
}

/**
 * tl_anomaly_judge() - What a message is
 * @model: what is normal
 * @size: bytes, from 0
 * @time_ms: what it took
 *
 * Return: it; normal where nothing is known.
 */
enum tl_anomaly tl_anomaly_judge(const struct tl_anomaly_model *model, double size, double time_ms)
{
	double excess = model->enough ? tl_anomaly_excess(model, size, time_ms) : 0;

	if (model->timeout_ms > 0 && excess >= model->timeout_ms)
		return TL_ANOMALY_TIMEOUT;
	return model->delayed_ms > 0 && excess >= model->delayed_ms ? TL_ANOMALY_DELAYED : TL_ANOMALY_NORMAL;
}

/**
 * tl_anomaly() - What is normal for messages of a path
 * @in: messages
 * @model: filled in; without @enough all are normal
 *
 * Return: 0, -EINVAL for numbers that are none, -EDOM for some that are too far apart, or -ENOMEM.
 */
int tl_anomaly(const struct tl_anomaly_in *in, struct tl_anomaly_model *model)
{
	struct work w = { .in = in, .model = model };
	size_t i;
	int code;

	memset(model, 0, sizeof(*model));
	model->mtu = in->mtu;
	for (i = 0; i < in->n; i++)
		if (!(in->size[i] >= 0 && in->time_ms[i] >= 0 && isfinite(in->size[i] + in->time_ms[i])))
			return -EINVAL;
	if (!(in->mtu > 0))
		return -EINVAL;
	if (in->n < TL_ANOMALY_LEAST)
		return 0;
	model->enough = true;
	w.excess = calloc(3 * in->n, sizeof(*w.excess));
	if (!w.excess)
		return -ENOMEM;
	w.v = w.excess + in->n;
	w.room = w.v + in->n;
	code = tl_anomaly_line(in, &model->line);
	code = code ? code : judge(&w);
	free(w.excess);
	return code;
}
