// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The baseline: requests without classes and without queueing
 *
 *	y_t = a_t N,	u_r = b_0r + b_r N,	c_r = b_r T
 *
 * Every class gets the same demand, that of the mean request. It is what the other
 * models are held against. Source: paper 000, 3.1, equation 1.
 */
#include "baseline.h"

#include "model/design.h"
#include "model/ols.h"

#include <errno.h>
#include <stdlib.h>

static int regress(const struct tl_ols_in *in, struct tl_ols_out *out,
		   const struct tl_design_in *all)
{
	struct tl_estimate both[2] = { 0 };
	struct tl_ols_out result = { .coefficient = both, .residual = out->residual };
	struct tl_design_out design;
	size_t i;
	int code = tl_design(all, &design);

	if (!code)
		code = tl_ols(&(struct tl_ols_in){ &design, in->target, in->values_only },
			      &result);
	tl_design_free(&design);
	if (code)
		return code;
	for (i = 0; i < in->design->classes; i++) {
		out->coefficient[i] = both[0];
		if (in->design->scale[i] == 0)
			out->coefficient[i].verdict = TL_VERDICT_ABSENT;
	}
	if (all->background)
		out->coefficient[i] = both[1];
	result.coefficient = out->coefficient;
	*out = result;
	return 0;
}

/**
 * tl_baseline() - One demand for all classes
 * @in: regression
 * @out: filled in; its arrays are the caller's
 *
 * Return: 0; -ERANGE with too few windows, -ENOMEM.
 */
int tl_baseline(const struct tl_ols_in *in, struct tl_ols_out *out)
{
	const struct tl_design_out *d = in->design;
	double *work = calloc(2 * d->windows, sizeof(*work));
	struct tl_design_in all = { d->windows, 1, work, work + d->windows,
				    d->columns > d->classes };
	size_t w, i;
	int code;

	if (!work)
		return -ENOMEM;
	for (w = 0; w < d->windows; w++) {
		work[d->windows + w] = 1;
		for (i = 0; i < d->classes; i++)
			work[w] += d->x[w * d->columns + i];
	}
	code = regress(in, out, &all);
	free(work);
	return code;
}
