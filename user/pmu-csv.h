/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of counters, as tierlens pmu writes them. */
#ifndef TL_PMU_CSV_H
#define TL_PMU_CSV_H

#include "model/pmu.h"

#include <stdio.h>

struct tl_error;

/**
 * struct tl_pmu_part - What one processor counted
 * @cpu: which; -1: not of one
 * @record: all events of the file
 * @t: [intervals] seconds
 */
struct tl_pmu_part {
	long cpu;
	struct tl_pmu_record record;
	double *t, *count;
};

/**
 * struct tl_pmu_file - A record
 * @event: [@events] names, in the order in which they came
 * @part: [@parts] by processors
 * @cleaned: it is the output of pmu clean: values are of all the time that they were enabled
 */
struct tl_pmu_file {
	char **event;
	size_t events, parts;
	struct tl_pmu_part *part;
	bool cleaned;
};

int tl_pmu_file_read(struct tl_pmu_file *file, const char *name, struct tl_error *err);
void tl_pmu_file_free(struct tl_pmu_file *file);
void tl_pmu_file_write(const struct tl_pmu_file *file, const struct tl_pmu_out *out, FILE *to);
const char *tl_pmu_action_name(enum tl_pmu_action action);

#endif
