// SPDX-License-Identifier: GPL-2.0-or-later
/* Cross-validation over blocks of time. */
#include "demand-cross.h"

#include "predict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/**
 * tl_cross_free() - Free what tl_cross_make() allocated
 * @cross: its result
 */
void tl_cross_free(struct tl_cross *cross)
{
	free(cross->square);
	free(cross->relative);
	*cross = (struct tl_cross){ 0 };
}

static void errors_add(struct tl_cross *cross, const struct tl_demand *all,
		       const struct tl_demand *part, size_t from, size_t until, size_t fold)
{
	size_t p = all->windows->classes.n, w, i;
	double predicted[all->n_targets + 1], rate[p + 1], measured, off;

	for (w = from; w < until; w++) {
		for (i = 0; i < p; i++)
			rate[i] = all->count[w * p + i] / all->seconds[w];
		tl_predict_values(part, rate, predicted);
		for (i = 0; i < all->n_targets; i++) {
			double *square = &cross->square[i * TL_FOLDS + fold];

			measured = all->target[i].value[w];
			if (all->target[i].resource != TL_NOWHERE)
				predicted[i] = fmin(predicted[i], 1);
			predicted[i] = isnan(predicted[i]) ? NAN : fmax(predicted[i], 0);
			off = predicted[i] - measured;
			*square += isfinite(off) ? off * off / (double)(until - from) :
						   INFINITY;
			if (isfinite(off))
				cross->relative[i] += fabs(off);
		}
	}
}

/* Relative errors of single windows say nothing where next to nothing is in them. */
static void relate(struct tl_cross *cross, const struct tl_demand *demand)
{
	double sum;
	size_t i, w;

	for (i = 0; i < demand->n_targets; i++) {
		for (w = 0, sum = 0; w < demand->n_used; w++)
			sum += demand->target[i].value[w];
		cross->relative[i] = sum > 0 ? cross->relative[i] / sum : 0;
	}
}

/**
 * tl_folds_free() - Free what tl_folds_make() allocated
 * @folds: its result, or all zero
 */
void tl_folds_free(struct tl_folds *folds)
{
	size_t fold;

	for (fold = 0; fold < TL_FOLDS; fold++)
		tl_demand_free(&folds->part[fold]);
}

static size_t fold_from(const struct tl_folds *folds, size_t fold)
{
	return fold * folds->whole->n_used / TL_FOLDS;
}

/**
 * tl_folds_make() - Take the counts apart without each fifth of the windows
 * @folds: all zero; filled in, to be given to tl_folds_free(), after an error too
 * @demand: its windows are used; must outlive @folds. Nothing if they are made already
 *
 * Return: 0 or a negative errno.
 */
int tl_folds_make(struct tl_folds *folds, const struct tl_demand *demand)
{
	size_t n = demand->n_used, fold, k, from, until, *used;
	int code = 0;

	if (folds->whole)
		return 0;
	used = calloc(n + 1, sizeof(*used));
	if (!used)
		return -ENOMEM;
	folds->whole = demand;
	for (fold = 0; fold < TL_FOLDS && !code; fold++) {
		from = fold_from(folds, fold);
		until = fold_from(folds, fold + 1);
		for (k = 0; k < from; k++)
			used[k] = demand->used[k];
		for (k = until; k < n; k++)
			used[k - until + from] = demand->used[k];
		code = tl_demand_prepare(&folds->part[fold], demand->windows, used,
					 n - until + from);
		folds->part[fold].values_only = true;
	}
	free(used);
	return code;
}

/**
 * tl_cross_make() - Let a method predict each fifth of the windows from the others
 * @cross: filled in, to be given to tl_cross_free(), after an error too
 * @folds: made; fitted
 * @method: the method
 *
 * Return: 0 or -ENOMEM.
 */
int tl_cross_make(struct tl_cross *cross, struct tl_folds *folds, enum tl_method method)
{
	const struct tl_demand *whole = folds->whole;
	size_t fold;
	int code = 0;

	cross->targets = whole->n_targets;
	cross->square = calloc(whole->n_targets * TL_FOLDS + 1, sizeof(double));
	cross->relative = calloc(whole->n_targets + 1, sizeof(double));
	if (!cross->square || !cross->relative)
		code = -ENOMEM;
	for (fold = 0; fold < TL_FOLDS && !code; fold++) {
		code = tl_demand_refit(&folds->part[fold], method);
		if (!code)
			errors_add(cross, whole, &folds->part[fold],
				   fold_from(folds, fold), fold_from(folds, fold + 1), fold);
	}
	if (!code)
		relate(cross, whole);
	return code;
}
