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
	struct tl_predicted predicted[all->n_targets + 1];
	double rate[p + 1], measured, off;

	for (w = from; w < until; w++) {
		for (i = 0; i < p; i++)
			rate[i] = all->count[w * p + i] / all->seconds[w];
		tl_predict(part, rate, predicted);
		for (i = 0; i < all->n_targets; i++) {
			double *square = &cross->square[i * TL_FOLDS + fold];

			measured = all->target[i].value[w];
			off = predicted[i].value - measured;
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
 * tl_cross_make() - Let a method predict each fifth of the windows from the others
 * @cross: filled in, to be given to tl_cross_free(), after an error too
 * @demand: its windows and targets are used
 * @method: the method
 *
 * Return: 0 or -ENOMEM.
 */
int tl_cross_make(struct tl_cross *cross, const struct tl_demand *demand,
		  enum tl_method method)
{
	size_t n = demand->n_used, fold, k;
	size_t *used = calloc(n + 1, sizeof(*used));
	int code = 0;

	cross->targets = demand->n_targets;
	cross->square = calloc(demand->n_targets * TL_FOLDS + 1, sizeof(double));
	cross->relative = calloc(demand->n_targets + 1, sizeof(double));
	if (!cross->square || !cross->relative || !used)
		code = -ENOMEM;
	for (fold = 0; fold < TL_FOLDS && !code; fold++) {
		size_t from = fold * n / TL_FOLDS, until = (fold + 1) * n / TL_FOLDS;
		struct tl_demand part;

		for (k = 0; k < from; k++)
			used[k] = demand->used[k];
		for (k = until; k < n; k++)
			used[k - until + from] = demand->used[k];
		code = tl_demand_fit_some(&part, demand->windows, used, n - until + from,
					  method);
		if (!code)
			errors_add(cross, demand, &part, from, until, fold);
		tl_demand_free(&part);
	}
	if (!code)
		relate(cross, demand);
	free(used);
	return code;
}
