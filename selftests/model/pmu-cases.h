/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Series of events of which everything is known, what a PMU makes of them, and what cleaning does. */
#ifndef TL_PMU_CASES_H
#define TL_PMU_CASES_H

#include "model/pmu.h"

#include <stdint.h>

struct sim;

#define PMU_SOME 20 /* counts, below which errors relative to them say nothing */

/**
 * struct pmu_series - Counts, slice by slice
 * @value: [@slices][@events]
 */
struct pmu_series {
	size_t slices, events;
	double *value;
};

/**
 * struct pmu_case - What is done to a series
 * @counters: so many events are counted at a time, the others wait; 0 for all. The last event,
 *            instructions, has a counter of its own
 * @ticks: slices in an interval; counters change hands after each, as the kernel has it
 * @zeros: part of the values that are lost
 * @peaks: part of them that are 4 to 30 times too large
 * @noise: standard deviation of all others, of themselves
 * @bursts: part of the slices in which an event really happens 4 to 30 times as often
 * @lasts: slices that a burst lasts, 0 for one
 */
struct pmu_case {
	const char *name;
	size_t counters, ticks;
	double zeros, peaks, noise, bursts;
	size_t lasts;
};

/**
 * struct pmu_made - A record, and the truth
 * @truth: [intervals][events]
 * @hit: [intervals][events] whether a fault was put there
 */
struct pmu_made {
	struct tl_pmu_record record;
	double *truth, *count, *enabled_s, *running_s;
	bool *hit;
};

/**
 * struct pmu_score - How far a record is off the truth, in sums that add up
 * @warped: DTW distance of each event, by its mean
 * @noise: of it, if there were no faults
 * @off: Σ |value - truth| by the event's mean
 * @cells: over so many
 * @relative: [@n] relative errors where the truth is not next to nothing
 * @zeros: true zeros
 * @zeros_filled: of them
 * @changed: cells that were changed
 * @within: of them with the truth in their interval
 * @partly: Σ |value - truth| by the event's mean, where it was counted for a part of the time
 * @total: Σ |Σ value / Σ truth - 1| over events
 * @series: of so many
 * @unlike: series that known runs were not taken for
 */
struct pmu_score {
	double warped, noise, off, partly, total, *relative;
	size_t cells, n, room, zeros, zeros_filled, changed, within, series, unlike;
};

int pmu_made_init(struct pmu_made *made, const struct pmu_series *series,
		  const struct pmu_case *how, struct sim *random);
void pmu_made_free(struct pmu_made *made);
int pmu_known(const struct pmu_series *series, const struct pmu_case *how, struct sim *random,
	      struct tl_pmu_run *run);
void pmu_known_free(struct tl_pmu_run *run);
int pmu_score_add(struct pmu_score *score, const struct pmu_made *made,
		  const struct tl_pmu_out *out);
int pmu_scores_sum(struct pmu_score *sum, const struct pmu_score *score, size_t n);
double pmu_score_median(const struct pmu_score *score);
double pmu_score_mean(const struct pmu_score *score);
void pmu_score_free(struct pmu_score *score);
int pmu_program(struct pmu_series *series, size_t slices, size_t events, uint64_t program,
		uint64_t run);
int pmu_series_read(struct pmu_series *series, const char *file, const char *const *event,
		    size_t events);
void pmu_series_free(struct pmu_series *series);

#endif
