// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is known of events: extremes, mean and deviation over all runs, or of the record
 *
 * Everything is a rate, counts for each second that was counted: equation 1 of paper 003,
 * count enabled / running, is the rate times the time that the event was enabled.
 */
#include "pmu.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct sums {
	size_t n;
	double sum, squares, max, min;
};

static void sums_add(struct sums *s, double rate)
{
	s->max = s->n ? fmax(s->max, rate) : rate;
	s->min = s->n ? fmin(s->min, rate) : rate;
	s->n++;
	s->sum += rate;
	s->squares += rate * rate;
}

static void sums_of(const struct tl_pmu_event *e, const struct tl_pmu_in *in, size_t event,
		    struct sums *s)
{
	const struct tl_pmu_record *r = in->record;
	size_t run, t;

	for (run = 0; run < in->runs; run++)
		for (t = 0; in->run[run].has[event] && t < in->run[run].intervals; t++)
			sums_add(s, in->run[run].rate[t * r->events + event]);
	for (t = 0; !e->known && t < r->intervals; t++)
		if (r->running_s[t * r->events + event] > 0)
			sums_add(s, tl_pmu_rate(r, t * r->events + event));
}

static void event_fill(struct tl_pmu_event *e, const struct tl_pmu_in *in, size_t event)
{
	const struct tl_pmu_record *r = in->record;
	double enabled = 0, running = 0, variance;
	struct sums s = { 0 };
	size_t t;

	for (t = 0; t < in->runs; t++)
		e->known += in->run[t].has[event] && in->run[t].intervals;
	for (t = 0; t < r->intervals; t++) {
		enabled += r->enabled_s[t * r->events + event];
		running += r->running_s[t * r->events + event];
	}
	e->running = enabled > 0 ? running / enabled : 0;
	sums_of(e, in, event, &s);
	if (!s.n)
		return;
	e->max = s.max;
	e->min = s.min;
	e->mean = s.sum / (double)s.n;
	variance = s.squares / (double)s.n - e->mean * e->mean;
	e->sd = sqrt(fmax(variance, 0));
	e->threshold = e->known ? TL_PMU_MAX * e->max : e->mean + in->sd * e->sd;
}

/**
 * tl_pmu_event_own() - Judge an event by its own record, as if no run of it were known
 * @in: record
 * @event: which
 * @e: its threshold is set
 */
void tl_pmu_event_own(const struct tl_pmu_in *in, size_t event, struct tl_pmu_event *e)
{
	struct tl_pmu_in alone = { in->record, NULL, 0, in->sd };
	struct tl_pmu_event own = { 0 };

	event_fill(&own, &alone, event);
	e->threshold = own.threshold;
}

/**
 * tl_pmu_rate() - Counts a second while it was counted
 * @record: record
 * @cell: interval times events plus event
 *
 * Return: it; 0 where nothing was counted.
 */
double tl_pmu_rate(const struct tl_pmu_record *record, size_t cell)
{
	return record->running_s[cell] > 0 ? record->count[cell] / record->running_s[cell] : 0;
}

/**
 * tl_pmu_coverage() - What part of a record is not above mean plus so many deviations
 * @record: record
 * @sd: how many
 *
 * Each event against its own, as in the paper's table 2.
 *
 * Return: it, 0 to 1; 1 if nothing was counted.
 */
double tl_pmu_coverage(const struct tl_pmu_record *record, double sd)
{
	struct tl_pmu_in in = { record, NULL, 0, sd };
	size_t within = 0, all = 0, event, t;

	for (event = 0; event < record->events; event++) {
		struct tl_pmu_event e = { 0 };

		event_fill(&e, &in, event);
		for (t = 0; t < record->intervals; t++) {
			size_t cell = t * record->events + event;

			if (record->running_s[cell] <= 0)
				continue;
			all++;
			within += tl_pmu_rate(record, cell) <= e.threshold;
		}
	}
	return all ? (double)within / (double)all : 1;
}

static bool is_count(double value)
{
	return value >= 0 && value < 1e300;
}

/**
 * tl_pmu_check() - Whether there is something to clean
 * @in: what to clean
 *
 * Return: 0; -EINVAL if a number is negative or none, -ENODATA if there are no intervals.
 */
int tl_pmu_check(const struct tl_pmu_in *in)
{
	const struct tl_pmu_record *r = in->record;
	size_t i, run;

	if (!r->intervals || !r->events)
		return -ENODATA;
	for (i = 0; i < r->intervals * r->events; i++)
		if (!is_count(r->count[i]) || !is_count(r->enabled_s[i]) ||
		    !is_count(r->running_s[i]) || !is_count(tl_pmu_rate(r, i)))
			return -EINVAL;
	for (run = 0; run < in->runs; run++)
		for (i = 0; i < in->run[run].intervals * r->events; i++)
			if (in->run[run].has[i % r->events] && !is_count(in->run[run].rate[i]))
				return -EINVAL;
	return 0;
}

/**
 * tl_pmu_out_init() - The record as equation 1 has it, and what is known of its events
 * @in: record
 * @out: filled in; to be freed, however it ends
 *
 * Return: 0, -EINVAL or -ENODATA as tl_pmu_check(), -ENOMEM.
 */
int tl_pmu_out_init(const struct tl_pmu_in *in, struct tl_pmu_out *out)
{
	const struct tl_pmu_record *r = in->record;
	size_t cells = r->intervals * r->events, i;
	int code = tl_pmu_check(in);

	*out = (struct tl_pmu_out){ 0 };
	if (code)
		return code;
	out->count = calloc(3 * cells, sizeof(*out->count));
	out->action = calloc(cells, sizeof(*out->action));
	out->event = calloc(r->events, sizeof(*out->event));
	if (!out->count || !out->action || !out->event)
		return -ENOMEM;
	out->low95 = out->count + cells;
	out->high95 = out->low95 + cells;
	for (i = 0; i < r->events; i++) {
		event_fill(&out->event[i], in, i);
		out->fell_back += !out->event[i].known;
	}
	for (i = 0; i < cells; i++) {
		out->count[i] = tl_pmu_rate(r, i) * r->enabled_s[i];
		out->low95[i] = out->high95[i] = out->count[i];
		out->action[i] = r->enabled_s[i] <= 0 ? TL_PMU_ABSENT :
				 r->running_s[i] < 0.999 * r->enabled_s[i] ? TL_PMU_SCALED :
				 TL_PMU_KEPT;
	}
	return 0;
}

/**
 * tl_pmu_out_free() - Give back what cleaning has allocated
 * @out: filled in
 */
void tl_pmu_out_free(struct tl_pmu_out *out)
{
	free(out->count);
	free(out->action);
	free(out->event);
	*out = (struct tl_pmu_out){ 0 };
}
