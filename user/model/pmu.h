/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of hardware events, as the multiplexed PMU gives them, and what is known of them. */
#ifndef TL_MODEL_PMU_H
#define TL_MODEL_PMU_H

#include <stdbool.h>
#include <stddef.h>

/* Of an event that is not known, and as the paper has it of one that is. */
#define TL_PMU_SD 5
#define TL_PMU_MAX 2

enum tl_pmu_action {
	TL_PMU_KEPT, /* counted all the time, or nothing better is known */
	TL_PMU_SCALED, /* by equation 1: counted for a part of the time */
	TL_PMU_CORRECTED, /* scaled or noisy, and moved towards what others say */
	TL_PMU_MISSING, /* not counted at all; filled */
	TL_PMU_ZERO, /* zero, though it cannot have been; filled */
	TL_PMU_OUTLIER, /* far above what can have been; replaced */
	TL_PMU_ABSENT, /* not enabled in that interval: nothing to be said */
	TL_PMU_ACTIONS
};

/**
 * struct tl_pmu_record - A record
 * @intervals: how many
 * @events: how many
 * @count: [@intervals][@events] as counted, not scaled
 * @enabled_s: [@intervals][@events] for how long it should have counted; 0: not at all
 * @running_s: [@intervals][@events] for how long of that it did
 */
struct tl_pmu_record {
	size_t intervals, events;
	const double *count, *enabled_s, *running_s;
};

/**
 * struct tl_pmu_run - A series that is known, by the events of the record in hand
 * @intervals: how many
 * @rate: [@intervals][events] a second
 * @has: [events] whether it is in it
 */
struct tl_pmu_run {
	size_t intervals;
	const double *rate;
	const bool *has;
};

/**
 * struct tl_pmu_in - What to clean, and by what
 * @record: it
 * @run: [@runs] what is known of the program; none: it was never seen
 * @sd: threshold of events that are not known, TL_PMU_SD
 */
struct tl_pmu_in {
	const struct tl_pmu_record *record;
	const struct tl_pmu_run *run;
	size_t runs;
	double sd;
};

/**
 * struct tl_pmu_event - What is known of an event, and what was done to it
 * @known: in how many runs
 * @unlike: of these it is not one: what they foretell is worse than what the intervals beside do
 * @max: a second, over all runs; of the record, if there is none. So are
 * @min: the least,
 * @mean: and
 * @sd: the deviation
 * @threshold: a second, above which a value was taken for an outlier in any case
 * @running: part of the time that it was enabled
 * @foretold: error of what others foretell of it, in natural logarithms; 0 if not known
 * @neighbours: k
 * @done: [action] how often
 */
struct tl_pmu_event {
	size_t known, neighbours, done[TL_PMU_ACTIONS];
	double max, min, mean, sd, threshold, running, foretold;
	bool unlike;
};

/**
 * struct tl_pmu_out - The record, cleaned
 * @count: [intervals][events] of all the time that each was enabled
 * @low95: [intervals][events] interval of each
 * @high95: its other end
 * @action: [intervals][events] what was done
 * @event: [events]
 * @fell_back: events of which nothing is known
 * @unlike: events that known runs are not like
 */
struct tl_pmu_out {
	double *count, *low95, *high95;
	enum tl_pmu_action *action;
	struct tl_pmu_event *event;
	size_t fell_back, unlike;
};

/* pmu-known.c */
int tl_pmu_out_init(const struct tl_pmu_in *in, struct tl_pmu_out *out);
void tl_pmu_event_own(const struct tl_pmu_in *in, size_t event, struct tl_pmu_event *e);
void tl_pmu_out_free(struct tl_pmu_out *out);
double tl_pmu_rate(const struct tl_pmu_record *record, size_t cell);
int tl_pmu_check(const struct tl_pmu_in *in);
double tl_pmu_coverage(const struct tl_pmu_record *record, double sd);

int tl_pmu_clean(const struct tl_pmu_in *in, struct tl_pmu_out *out);

/* pmu-printed.c */
int tl_pmu_printed(const struct tl_pmu_in *in, struct tl_pmu_out *out);
int tl_pmu_gdp(const struct tl_pmu_in *in, struct tl_pmu_out *out);
int tl_pmu_nothing(const struct tl_pmu_in *in, struct tl_pmu_out *out);

#endif
