// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Batch means
 *
 * What a simulation counts is summed up over batches, spans of time of the same length.
 * If they are long, what happens in one has little to do with what happened in another,
 * and Student's t makes an interval of their means. Each time there are 64 of them two
 * become one: they get longer with the run, and 32 remain, which is as many as make a
 * narrower interval (B. Schmeiser, Operations Research 30, 1982).
 *
 * A mean time is the ratio of two sums, A / B; its error is that of the batches'
 * residuals A_i - (A / B) B_i, divided by the mean of B.
 *
 * The beginning, when queues are still empty, is left out: an eighth, and the next one as
 * long as its mean is further from that of all after it than chance makes it. Looking
 * for the cut that makes the error least (MSER) makes it too small: intervals of
 * simulated queues contained the truth in 1.3 of 100 cases less.
 */
#include "lqn-batch.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WARM_DEVIATIONS 4

/**
 * tl_batches_new() - Begin
 * @batches: filled in
 * @columns: how many sums there are
 * @length_s: length of the first batches
 *
 * Return: 0 or -ENOMEM.
 */
int tl_batches_new(struct tl_batches *batches, size_t columns, double length_s)
{
	*batches = (struct tl_batches){ .columns = columns, .length_s = length_s };
	batches->sum = calloc(columns, (TL_BATCHES_MAX + 1) * sizeof(*batches->sum));
	return batches->sum ? 0 : -ENOMEM;
}

/**
 * tl_batches_free() - Free the sums
 * @batches: batches
 */
void tl_batches_free(struct tl_batches *batches)
{
	free(batches->sum);
}

/**
 * tl_batches_row() - The sums of the batch that is not complete
 * @batches: batches
 *
 * Return: [columns] sums to be added to; elsewhere after each tl_batches_next().
 */
double *tl_batches_row(const struct tl_batches *batches)
{
	return batches->sum + batches->n * batches->columns;
}

/**
 * tl_batches_join() - Make one of each two batches
 * @b: TL_BATCHES_MAX batches
 */
void tl_batches_join(struct tl_batches *b)
{
	size_t i, c;

	for (i = 0; i < TL_BATCHES_MAX / 2; i++)
		for (c = 0; c < b->columns; c++)
			b->sum[i * b->columns + c] = b->sum[2 * i * b->columns + c] +
						     b->sum[(2 * i + 1) * b->columns + c];
	b->n = TL_BATCHES_MAX / 2;
	b->length_s *= 2;
	memset(tl_batches_row(b), 0, b->columns * sizeof(*b->sum));
}

/**
 * tl_batches_next() - A batch is complete, the next one begins
 * @batches: less than TL_BATCHES_MAX batches
 */
void tl_batches_next(struct tl_batches *batches)
{
	batches->n++;
	memset(tl_batches_row(batches), 0, batches->columns * sizeof(*batches->sum));
}

/* Mean of the batches from @first on, and the variance of one. */
static double mean_of(const struct tl_batches *b, size_t column, size_t first, size_t end,
		      double *variance)
{
	double sum = 0, square = 0, x;
	size_t n = end - first, i;

	for (i = first; i < end; i++)
		sum += b->sum[i * b->columns + column];
	for (i = first; i < end; i++) {
		x = b->sum[i * b->columns + column] - sum / (double)n;
		square += x * x;
	}
	*variance = n > 1 ? square / (double)(n - 1) : 0;
	return sum / (double)n;
}

/**
 * tl_batches_warm() - How many batches belong to the warm-up
 * @batches: batches
 * @column: a sum whose mean tells
 *
 * Return: how many to leave out, an eighth of them at least and half at most.
 */
size_t tl_batches_warm(const struct tl_batches *batches, size_t column)
{
	size_t step = batches->n / 8, first = step;
	double before, after, variance, unused;

	for (; step && first < 4 * step; first += step) {
		before = mean_of(batches, column, first, first + step, &unused);
		after = mean_of(batches, column, first + step, batches->n, &variance);
		if (fabs(before - after) <=
		    WARM_DEVIATIONS * sqrt(variance / (double)step))
			break;
	}
	return first;
}

static double t_quantile(const struct tl_batches *batches, double confidence)
{
	return gsl_cdf_tdist_Pinv(0.5 + confidence / 2,
				  (double)(batches->n - batches->first - 1));
}

/**
 * tl_batches_ratio() - A figure from the batches after the warm-up
 * @batches: batches, TL_BATCHES_MIN of them at least
 * @numerator: [n] of each batch
 * @denominator: [n] of each batch, not negative
 * @estimate: Σ numerator / Σ denominator, zero without an interval if there is nothing
 */
void tl_batches_ratio(const struct tl_batches *batches, const double *numerator,
		      const double *denominator, struct tl_batch_estimate *estimate)
{
	double a = 0, b = 0, square = 0, product = 0, before = 0, residual;
	size_t n = batches->n - batches->first, i;

	*estimate = (struct tl_batch_estimate){ 0 };
	for (i = batches->first; i < batches->n; i++) {
		a += numerator[i];
		b += denominator[i];
	}
	if (!(b > 0))
		return;
	estimate->value = a / b;
	for (i = batches->first; i < batches->n; i++) {
		residual = numerator[i] - estimate->value * denominator[i];
		square += residual * residual;
		if (i > batches->first)
			product += residual * before;
		before = residual;
	}
	estimate->half95 = t_quantile(batches, 0.95) *
			   sqrt(square / (double)(n - 1) * (double)n) / b;
	if (square > 0)
		estimate->correlation = product / square * sqrt((double)n);
}

/**
 * tl_batches_factor() - How much wider intervals of another confidence are
 * @batches: batches
 * @confidence: 0 to 1
 *
 * Return: factor to half95.
 */
double tl_batches_factor(const struct tl_batches *batches, double confidence)
{
	return t_quantile(batches, confidence) / t_quantile(batches, 0.95);
}
