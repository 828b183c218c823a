/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What pmu clean and pmu compare say. */
#ifndef TL_PMU_OUT_H
#define TL_PMU_OUT_H

#include "pmu-csv.h"

#include <jansson.h>
#include <stdio.h>

struct tl_bytes;
struct tl_error;

/**
 * struct tl_pmu_series - Rates of an event, one behind the other
 * @value: [@n]
 */
struct tl_pmu_series {
	double *value;
	size_t n;
};

/**
 * struct tl_pmu_differ - How far an event of a record is off others of the same work
 * @event: its name
 * @test: DTW distance of the record from the first reference
 * @reference: of the first reference from the second
 * @diff: (test - reference) / reference as the paper has it; below 0 unknown: the references are
 *        the same
 * @error: mean |record / reference - 1| at the same part of the time; below 0 unknown
 * @series: of the record, the reference, the other reference
 */
struct tl_pmu_differ {
	const char *event;
	struct tl_pmu_series series[3];
	double test, reference, diff, error;
};

void tl_pmu_cleaned_print(const struct tl_pmu_file *file, const struct tl_pmu_out *out,
			  const char *app, size_t runs, FILE *to);
json_t *tl_pmu_cleaned_json(const struct tl_pmu_file *file, const struct tl_pmu_out *out,
			    const char *app, size_t runs);
int tl_pmu_compare(const struct tl_pmu_file file[3], struct tl_pmu_differ *differ, size_t *n,
		   struct tl_error *err);
void tl_pmu_differ_free(struct tl_pmu_differ *differ, size_t n);
int tl_pmu_plot(const struct tl_pmu_differ *differ, size_t n, struct tl_bytes *svg,
		struct tl_error *err);
void tl_pmu_differ_print(const struct tl_pmu_differ *differ, size_t n, FILE *to);
json_t *tl_pmu_differ_json(const struct tl_pmu_differ *differ, size_t n);

#endif
