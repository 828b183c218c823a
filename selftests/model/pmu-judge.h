/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asked of cleaning, and what came of it. */
#ifndef TL_PMU_JUDGE_H
#define TL_PMU_JUDGE_H

#include "pmu-cases.h"

#define PMU_RUNS 4

enum pmu_way { PMU_NOTHING, PMU_GDP, PMU_PRINTED, PMU_CLEAN, PMU_WAYS };

/**
 * struct pmu_method - A way to clean
 * @clean: it
 */
struct pmu_method {
	const char *name;
	int (*clean)(const struct tl_pmu_in *in, struct tl_pmu_out *out);
};

extern const struct pmu_method pmu_ways[PMU_WAYS];

enum pmu_bar {
	PMU_FAULTS_DTW, PMU_FAULTS_ONLY, PMU_FAULTS_MEDIAN, PMU_SHARED_DTW, PMU_SHARED_MEAN, PMU_UNSEEN, PMU_OTHER,
	PMU_MACHINE, PMU_ZEROS, PMU_DIFF_10, PMU_DIFF_16, PMU_DIFF_24, PMU_DIFF_36, PMU_DTW_FULL,
	PMU_DTW_BAND, PMU_DTW_MEMORY, PMU_BARS
};

/**
 * struct pmu_bars - What was measured
 * @got: [bar][way], none above the bar is good
 */
struct pmu_bars {
	double got[PMU_BARS][PMU_WAYS];
	bool have[PMU_BARS][PMU_WAYS];
	size_t zeros[PMU_WAYS], filled[PMU_WAYS];
};

void pmu_bar_set(struct pmu_bars *bars, enum pmu_bar bar, enum pmu_way way, double got);
void pmu_bar_most(struct pmu_bars *bars, enum pmu_bar bar, enum pmu_way way, double got);
void pmu_bar_zeros(struct pmu_bars *bars, enum pmu_way way, size_t zeros, size_t filled);
bool pmu_bars_print(const struct pmu_bars *bars);
int pmu_diff(const struct pmu_series *run, size_t runs, size_t at_once, double diff[PMU_WAYS]);
int pmu_dtw_time(struct pmu_bars *bars);

#endif
