// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Estimates: 95 % intervals and what may be said of them
 *
 * A demand cannot be negative. An interval from an estimator without that bound,
 * cut at zero, still contains the truth in 95 % of the cases, because the truth is
 * never in what was cut off.
 */
#include "estimate.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/**
 * tl_student95() - Half width of a 95 % interval, in standard errors
 * @degrees: degrees of freedom that the error was estimated with
 *
 * Return: the 97.5 % point of Student's t; that for one degree if there are less.
 */
double tl_student95(double degrees)
{
	return gsl_cdf_tdist_Pinv(0.975, degrees < 1 ? 1 : degrees);
}

/**
 * tl_estimate_interval() - Set value, error and symmetric interval
 * @e: set
 * @value: the value
 * @error: standard error, in its unit
 * @t: half width in standard errors, from tl_student95()
 */
void tl_estimate_interval(struct tl_estimate *e, double value, double error, double t)
{
	*e = (struct tl_estimate){ value, error, value - t * error, value + t * error,
				   TL_VERDICT_OK };
}

/**
 * tl_estimate_judge() - Say what may be said of an estimate of what cannot be negative
 * @e: value, error and interval known; the interval is cut at zero
 */
void tl_estimate_judge(struct tl_estimate *e)
{
	if (e->high95 < 0) {
		e->verdict = TL_VERDICT_NEGATIVE;
		return;
	}
	e->verdict = TL_VERDICT_OK;
	if (e->low95 <= 0) {
		e->low95 = 0;
		e->verdict = TL_VERDICT_ZERO;
	} else if (e->high95 - e->low95 > 2 * fabs(e->value)) {
		e->verdict = TL_VERDICT_UNCERTAIN;
	}
}

/**
 * tl_estimate_at_most() - Say that an estimate has something in it that is not wanted
 * @e: judged; nothing is changed if that left no value
 */
void tl_estimate_at_most(struct tl_estimate *e)
{
	if (e->verdict > TL_VERDICT_UNCERTAIN)
		return;
	e->low95 = 0;
	e->verdict = TL_VERDICT_AT_MOST;
}
