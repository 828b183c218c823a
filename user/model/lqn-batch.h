/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_LQN_BATCH_H
#define TL_MODEL_LQN_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#define TL_BATCHES_MAX 64 /* tl_batches_join() makes half of it */
#define TL_BATCHES_MIN 10 /* of which an interval is made */

/**
 * struct tl_batches - Sums over successive spans of time of the same length
 * @columns: how many sums
 * @length_s: length of a span
 * @n: how many are complete
 * @first: those before belong to the warm-up
 * @sum: [TL_BATCHES_MAX + 1][columns]; row @n is the one that is being summed up
 */
struct tl_batches {
	size_t columns, n, first;
	double length_s, *sum;
};

/**
 * struct tl_batch_estimate - A figure and what the batches say about it
 * @value: the figure
 * @half95: half the width of its 95 % interval
 * @correlation: of successive batches, in standard deviations of what chance makes
 */
struct tl_batch_estimate {
	double value, half95, correlation;
};

int tl_batches_new(struct tl_batches *batches, size_t columns, double length_s);
void tl_batches_free(struct tl_batches *batches);
double *tl_batches_row(const struct tl_batches *batches);
void tl_batches_next(struct tl_batches *batches);
void tl_batches_join(struct tl_batches *b);
size_t tl_batches_warm(const struct tl_batches *batches, size_t column);
void tl_batches_ratio(const struct tl_batches *batches, const double *numerator,
		      const double *denominator, struct tl_batch_estimate *estimate);
double tl_batches_factor(const struct tl_batches *batches, double confidence);

#endif
