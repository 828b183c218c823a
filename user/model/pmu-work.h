/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of cleaning share while a record is cleaned. */
#ifndef TL_MODEL_PMU_WORK_H
#define TL_MODEL_PMU_WORK_H

#include "pmu-foretell.h"
#include "pmu.h"

#define TL_PMU_FULL 0.999 /* counted all the time */
#define TL_PMU_NORMAL95 1.959964
#define TL_PMU_FEW 8 /* values, too few to say anything of them */

/* Density of logarithms of what tells nothing: one of fifty, anywhere within a factor of fifty. */
#define TL_PMU_ALONE (0.02 / 4)

/* Counts that are more than none, if so many were to come. */
#define TL_PMU_COUNTS 12.0

/**
 * struct tl_pmu_work - A record that is being cleaned
 * @cells: intervals times events
 * @y: [@cells] logarithms of what was counted, as rates
 * @spread: [@cells] of the nearest of what is known
 * @told: [@cells] what is foretold,
 * @said: [@cells] if anything is
 * @scatter: [@cells] v, of what was counted for half of the time
 * @jitter: [@events] of what was counted all the time
 * @wide: [@events] deviations of 95 %
 * @room: [3][@cells] to sort in
 * @peak: [@cells] a fault: so far above all that is like it
 * @bad: [@cells] not to be looked at, for local medians
 */
struct tl_pmu_work {
	const struct tl_pmu_in *in;
	const struct tl_pmu_record *record;
	struct tl_pmu_out *out;
	struct tl_foretell f;
	struct tl_foretell_state now, next;
	size_t events, cells;
	double *y, *spread, *scatter, *wide, *room, *jitter;
	struct tl_foretold *told;
	bool *said, *bad, *peak;
};

double tl_pmu_running(const struct tl_pmu_work *work, size_t cell);
bool tl_pmu_above(const struct tl_pmu_work *work, size_t cell);

/* pmu-fit.c */
void tl_pmu_fit(struct tl_pmu_work *work);
void tl_pmu_ways_choose(struct tl_pmu_work *work);
double tl_pmu_residual(const struct tl_pmu_work *work, size_t cell);

/* pmu-peaks.c */
int tl_pmu_peaks(struct tl_pmu_work *work);

/* pmu-noise.c */
void tl_pmu_noise_fit(struct tl_pmu_work *work);
double tl_pmu_normal(double off, double variance);
double tl_pmu_alike(double off, double variance);
double tl_pmu_steps(const struct tl_pmu_work *work, size_t event);

/* pmu-alone.c */
void tl_pmu_alone(struct tl_pmu_work *work, size_t cell);

#endif
