/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_TASKS_COMPARE_H
#define TL_MODEL_TASKS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TL_TASK_BATCHES 32
#define TL_TASK_FEW 5 /* occurrences that are too few to tell anything from */

/* Of a task: how often a job has it, and what an occurrence took. */
enum tl_task_quantity {
	TL_TASK_COUNT, TL_TASK_TIME, TL_TASK_CPU, TL_TASK_SLEEP, TL_TASK_QUANTITIES
};

/**
 * struct tl_task_sample - What a task took in jobs, in batches of jobs one after the other
 * @jobs: how many there were; 0 if it is part of none
 * @count: how often the task occurred
 * @known: whether there are figures, all true of @sum's quantities that are to be compared
 * @of: [batches] jobs
 * @sum: [quantities][batches] of occurrences, ns of the others
 */
struct tl_task_sample {
	uint64_t jobs, count;
	bool known[TL_TASK_QUANTITIES];
	double of[TL_TASK_BATCHES], sum[TL_TASK_QUANTITIES][TL_TASK_BATCHES];
};

enum tl_task_verdict {
	TL_TASK_INCOMPARABLE, TL_TASK_TOO_FEW, TL_TASK_ALIKE, TL_TASK_LESS, TL_TASK_MORE,
	TL_TASK_GONE, TL_TASK_NEW, TL_TASK_VERDICTS
};

/**
 * struct tl_task_change - How a quantity differs between two recordings
 * @mean: before and after; NaN if there are no figures
 * @low: the difference of the means is between this
 * @high: and this; infinite if nothing can be told
 * @verdict: what can be told
 */
struct tl_task_change {
	double mean[2], low, high;
	enum tl_task_verdict verdict;
};

size_t tl_task_batch(uint64_t job, uint64_t jobs);
void tl_task_compare(const struct tl_task_sample *before, const struct tl_task_sample *after,
		     enum tl_task_quantity quantity, double chance, struct tl_task_change *change);
enum tl_task_verdict tl_task_only_one(double seen, double jobs, double other_jobs, double chance);

#endif
