// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The same task in two recordings: is the difference more than chance?
 *
 * Means are ratios: of occurrences to jobs, of time to occurrences. What is near in
 * time is alike, as queues and caches are, so that single occurrences would make it seem more certain than
 * it is; jobs are put into batches one after the other, and the variance of a ratio
 * r = Σ y / Σ x is that of the batches' y − r x (Cochran, Sampling techniques, 6.3):
 *
 *	Var(r) ≈ B / (B − 1) · Σ (y_b − r x_b)² / (Σ x)²
 *
 * The interval for the difference of two such means is Welch's. It is for as many
 * comparisons as the caller says by the chance of a false one that is given. What was the same
 * whenever it was seen, five times perhaps, may vary nevertheless: where the other recording's does,
 * it is taken to vary as much.
 */
#include "tasks-compare.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

struct ratio {
	double mean, variance, degrees;
	double of; /* Σ x */
};

/**
 * tl_task_batch() - The batch that a job is in
 * @job: from 0
 * @jobs: how many there are
 *
 * Return: below TL_TASK_BATCHES.
 */
size_t tl_task_batch(uint64_t job, uint64_t jobs)
{
	return (size_t)(jobs > TL_TASK_BATCHES ? job * TL_TASK_BATCHES / jobs : job);
}

static const double *over(const struct tl_task_sample *s, enum tl_task_quantity quantity)
{
	return quantity == TL_TASK_COUNT ? s->of : s->sum[TL_TASK_COUNT];
}

static struct ratio ratio_of(const struct tl_task_sample *s, enum tl_task_quantity quantity)
{
	const double *y = s->sum[quantity], *x = over(s, quantity);
	double sum_y = 0, sum_x = 0, squares = 0, used = 0;
	struct ratio r = { NAN, INFINITY, 0, 0 };
	size_t i;

	for (i = 0; i < TL_TASK_BATCHES; i++) {
		sum_y += y[i];
		sum_x += x[i];
		used += x[i] > 0;
	}
	if (!s->known[quantity] || sum_x <= 0)
		return r;
	r.mean = sum_y / sum_x;
	r.of = sum_x;
	for (i = 0; i < TL_TASK_BATCHES; i++)
		squares += (y[i] - r.mean * x[i]) * (y[i] - r.mean * x[i]);
	r.degrees = used - 1;
	if (used > 1)
		r.variance = used / (used - 1) * squares / (sum_x * sum_x);
	return r;
}

static bool varies(const struct ratio *r)
{
	return r->variance > 1e-18 * r->mean * r->mean;
}

/* Sleep, say, that is rare: that a few did not sleep does not make it certain that none does. */
static void vary_as(struct ratio *still, const struct ratio *other)
{
	if (varies(still) || !varies(other))
		return;
	still->variance = other->variance * other->of / still->of;
	still->degrees = other->degrees;
}

/* After Welch and Satterthwaite; of two that do not vary, many. */
static double degrees_of(const struct ratio *a, const struct ratio *b)
{
	double v = a->variance + b->variance;
	double d = a->variance * a->variance / a->degrees + b->variance * b->variance / b->degrees;

	return d > 0 ? v * v / d : a->degrees + b->degrees;
}

/**
 * tl_task_compare() - Compare a quantity of a task in two recordings
 * @before: the task in the first one
 * @after: and in the second
 * @quantity: which
 * @chance: that a difference is told where there is none; below 1
 * @change: written
 */
void tl_task_compare(const struct tl_task_sample *before, const struct tl_task_sample *after,
		     enum tl_task_quantity quantity, double chance, struct tl_task_change *change)
{
	struct ratio a = ratio_of(before, quantity), b = ratio_of(after, quantity);
	double difference = b.mean - a.mean, half;

	*change = (struct tl_task_change){ { a.mean, b.mean }, -INFINITY, INFINITY, TL_TASK_INCOMPARABLE };
	if (!isfinite(difference))
		return;
	change->verdict = TL_TASK_TOO_FEW;
	/* There are no more batches that have the task than it has occurrences. */
	if (a.degrees < TL_TASK_FEW - 1 || b.degrees < TL_TASK_FEW - 1)
		return;
	vary_as(&a, &b);
	vary_as(&b, &a);
	half = gsl_cdf_tdist_Qinv(chance / 2, degrees_of(&a, &b)) * sqrt(a.variance + b.variance);
	change->low = difference - half;
	change->high = difference + half;
	/* What does not vary differs by rounding. */
	if (fabs(difference) <= 1e-9 * fmax(fabs(a.mean), fabs(b.mean)))
		change->verdict = TL_TASK_ALIKE;
	else
		change->verdict = change->low > 0 ? TL_TASK_MORE : change->high < 0 ? TL_TASK_LESS :
										      TL_TASK_ALIKE;
}

/**
 * tl_task_only_one() - Is a task that only one of two recordings has there by chance?
 * @seen: how often it has it
 * @jobs: that it was seen in
 * @other_jobs: of the other recording
 * @chance: that this is said where it is not so
 *
 * If jobs of both have it equally often, the other one's have it not at all with
 * probability exp(−seen · other_jobs / jobs) at least.
 *
 * Return: TL_TASK_NEW if it is not, else TL_TASK_TOO_FEW.
 */
enum tl_task_verdict tl_task_only_one(double seen, double jobs, double other_jobs, double chance)
{
	return jobs > 0 && seen >= TL_TASK_FEW && exp(-seen * other_jobs / jobs) < chance ? TL_TASK_NEW :
											    TL_TASK_TOO_FEW;
}
