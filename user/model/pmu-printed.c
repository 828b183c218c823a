// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cleaning as paper 003 prints it, and what it holds itself against
 *
 * 2.3: what is above twice the known maximum, or mean + n sd of an event that is not known, is
 * an outlier and becomes the local median. A zero is a missing value if the known record of
 * the event has none, and becomes the mean of the k nearest samples by the events that both
 * records have; samples are the known ones and the rest of the record. Each interval stands
 * for itself, and how long an event was counted is not looked at.
 *
 * GDP, its contrast: outliers and zeros become the mean of the record.
 */
#include "knn.h"
#include "median.h"
#include "pmu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct work {
	const struct tl_pmu_in *in;
	struct tl_pmu_out *out;
	size_t events, samples, room;
	double *rate, *x, *weight; /* the record; samples; of one query */
	bool *bad;
};

static bool is_outlier(const struct work *s, size_t cell)
{
	return s->rate[cell] > s->out->event[cell % s->events].threshold;
}

static bool is_missing(const struct work *s, size_t cell)
{
	const struct tl_pmu_event *e = &s->out->event[cell % s->events];

	return s->rate[cell] == 0 && (e->known ? e->min > 0 : e->mean > 0);
}

static void set(struct work *s, size_t cell, enum tl_pmu_action action, double rate)
{
	s->out->count[cell] = rate * s->in->record->enabled_s[cell];
	s->out->action[cell] = action;
	s->out->low95[cell] = s->out->high95[cell] = s->out->count[cell];
}

static void outliers(struct work *s)
{
	size_t cells = s->in->record->intervals * s->events, cell;
	double median;

	for (cell = 0; cell < cells; cell++)
		s->bad[cell] = is_outlier(s, cell) || is_missing(s, cell);
	for (cell = 0; cell < cells; cell++) {
		struct tl_median_in in = { s->rate + cell % s->events, s->bad + cell % s->events,
					   s->in->record->intervals, s->events, cell / s->events,
					   TL_MEDIAN_REACH };

		if (!is_outlier(s, cell) || tl_median_local(&in, &median))
			continue;
		set(s, cell, TL_PMU_OUTLIER, median);
	}
	for (cell = 0; cell < cells; cell++)
		if (s->out->action[cell] == TL_PMU_OUTLIER) {
			s->rate[cell] = s->out->count[cell] / s->in->record->enabled_s[cell];
			s->bad[cell] = false;
		}
}

static void sample_add(struct work *s, const double *rate)
{
	memcpy(s->x + s->samples++ * s->events, rate, s->events * sizeof(*rate));
}

/* Of an event: the samples in which it is known. Return: the events that they have in common. */
static size_t samples_of(struct work *s, size_t event)
{
	size_t common = 0, run, t, e;

	s->samples = 0;
	for (e = 0; e < s->events; e++)
		s->weight[e] = e != event && s->out->event[e].sd > 0 ?
			       1 / (s->out->event[e].sd * s->out->event[e].sd) : 0;
	for (run = 0; run < s->in->runs; run++) {
		const struct tl_pmu_run *r = &s->in->run[run];

		for (t = 0; r->has[event] && t < r->intervals; t++)
			sample_add(s, r->rate + t * s->events);
		for (e = 0; r->has[event] && e < s->events; e++)
			s->weight[e] = r->has[e] ? s->weight[e] : 0;
	}
	for (t = 0; t < s->in->record->intervals; t++) {
		bool whole = true;

		for (e = 0; e < s->events; e++)
			whole &= !s->bad[t * s->events + e];
		if (whole)
			sample_add(s, s->rate + t * s->events);
	}
	for (e = 0; e < s->events; e++)
		common += s->weight[e] > 0;
	return common;
}

static void fill(struct work *s, size_t event, double *weight)
{
	struct tl_knn knn = { .features = s->events, .x = s->x };
	struct tl_knn_near near;
	size_t k = 0, t, e, cell;

	for (t = 0; t < s->in->record->intervals; t++) {
		cell = t * s->events + event;
		if (!s->bad[cell] || s->out->action[cell] == TL_PMU_ABSENT)
			continue;
		if (!k) {
			if (!samples_of(s, event) || !s->samples)
				return;
			knn.samples = s->samples;
			k = tl_knn_choose(&knn, s->weight, s->x + event, s->events, 0);
			s->out->event[event].neighbours = k;
		}
		for (e = 0; e < s->events; e++)
			weight[e] = s->bad[t * s->events + e] ? 0 : s->weight[e];
		tl_knn_near(&knn, &(struct tl_knn_query){ s->rate + t * s->events, weight, 0, 0, NULL },
			    k, &near);
		set(s, cell, s->in->record->running_s[cell] > 0 ? TL_PMU_ZERO : TL_PMU_MISSING,
		    tl_knn_mean(&near, k, s->x + event, s->events));
	}
}

static int work_init(struct work *s)
{
	const struct tl_pmu_record *r = s->in->record;
	size_t cells = r->intervals * r->events, run, i;

	s->events = r->events;
	s->room = r->intervals;
	for (run = 0; run < s->in->runs; run++)
		s->room += s->in->run[run].intervals;
	s->rate = calloc(cells, sizeof(*s->rate));
	s->bad = calloc(cells, sizeof(*s->bad));
	s->x = calloc(s->room * s->events, sizeof(*s->x));
	s->weight = calloc(2 * s->events, sizeof(*s->weight));
	if (!s->rate || !s->bad || !s->x || !s->weight)
		return -ENOMEM;
	for (i = 0; i < cells; i++)
		s->rate[i] = tl_pmu_rate(r, i);
	return 0;
}

static void work_free(struct work *s)
{
	free(s->rate);
	free(s->bad);
	free(s->x);
	free(s->weight);
}

static void count_actions(const struct tl_pmu_in *in, struct tl_pmu_out *out)
{
	size_t events = in->record->events, i;

	for (i = 0; i < in->record->intervals * events; i++)
		out->event[i % events].done[out->action[i]]++;
}

/**
 * tl_pmu_printed() - Clean a record by the method as it is printed
 * @in: record, and what is known
 * @out: filled in; to be freed, however it ends
 *
 * It has no intervals: each is its value.
 *
 * Return: 0; -EINVAL, -ENODATA as tl_pmu_check(); -ENOMEM.
 */
int tl_pmu_printed(const struct tl_pmu_in *in, struct tl_pmu_out *out)
{
	struct work s = { .in = in, .out = out };
	int code = tl_pmu_out_init(in, out);
	size_t e;

	code = code ? code : work_init(&s);
	if (!code) {
		outliers(&s);
		for (e = 0; e < s.events; e++)
			fill(&s, e, s.weight + s.events);
		count_actions(in, out);
	}
	work_free(&s);
	return code;
}

static double mean_of(const struct work *s, size_t event)
{
	const struct tl_pmu_record *r = s->in->record;
	double sum = 0;
	size_t n = 0, t;

	for (t = 0; t < r->intervals; t++)
		if (r->enabled_s[t * s->events + event] > 0) {
			sum += s->rate[t * s->events + event];
			n++;
		}
	return n ? sum / (double)n : 0;
}

/**
 * tl_pmu_gdp() - Put the record's mean for outliers and zeros
 * @in: record, and what is known
 * @out: filled in; to be freed, however it ends
 *
 * Return: as tl_pmu_printed().
 */
int tl_pmu_gdp(const struct tl_pmu_in *in, struct tl_pmu_out *out)
{
	struct work s = { .in = in, .out = out };
	int code = tl_pmu_out_init(in, out);
	size_t e, t, cell;
	double mean;

	code = code ? code : work_init(&s);
	for (e = 0; !code && e < s.events; e++)
		for (t = 0, mean = mean_of(&s, e); t < in->record->intervals; t++) {
			cell = t * s.events + e;
			if (out->action[cell] == TL_PMU_ABSENT)
				continue;
			if (is_outlier(&s, cell))
				set(&s, cell, TL_PMU_OUTLIER, mean);
			else if (is_missing(&s, cell))
				set(&s, cell, TL_PMU_ZERO, mean);
		}
	if (!code)
		count_actions(in, out);
	work_free(&s);
	return code;
}

/**
 * tl_pmu_nothing() - Scale, and do nothing else
 * @in: record
 * @out: filled in; to be freed, however it ends
 *
 * Return: as tl_pmu_printed().
 */
int tl_pmu_nothing(const struct tl_pmu_in *in, struct tl_pmu_out *out)
{
	int code = tl_pmu_out_init(in, out);

	if (!code)
		count_actions(in, out);
	return code;
}
