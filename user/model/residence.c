// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Service times from residence times
 *
 *	R = D / (1 - U)		so	D_i = Σ_w S_iw (1 - U_w) / Σ_w n_iw
 *
 * Exact for a queue in front of one server with exponential service times, and for
 * any service times where the server is shared evenly (L. Kleinrock, Queueing
 * Systems II, 1976, 4.4); both for requests that arrive by chance. Clients that wait
 * for their answers before they ask again queue less: then D comes out too small.
 *
 * The error is that of a quotient of sums (W. G. Cochran, Sampling Techniques, 1977,
 * 6.4), with Bartlett's weights for windows that resemble their neighbours.
 */
#include "residence.h"

#include <errno.h>
#include <math.h>

static double time_of(const struct tl_residence_in *in, size_t w, size_t class)
{
	double time = in->time_s[w * in->classes + class];

	return in->busy ? time * (1 - in->busy[w]) : time;
}

/* What a window's times are off a given mean. */
static double off(const struct tl_residence_in *in, size_t w, size_t class, double mean)
{
	return time_of(in, w, class) - mean * in->count[w * in->classes + class];
}

static double squares(const struct tl_residence_in *in, size_t class, double mean)
{
	size_t lags = (size_t)floor(4 * pow((double)in->windows / 100, 2.0 / 9)), lag, w;
	double sum = 0, products, positive = 0;

	for (w = 0; w < in->windows; w++)
		sum += pow(off(in, w, class, mean), 2);
	for (lag = 1; lag <= lags && lag < in->windows; lag++) {
		for (w = lag, products = 0; w < in->windows; w++)
			products += off(in, w, class, mean) * off(in, w - lag, class, mean);
		positive += 2 * products * (1 - (double)lag / (double)(lags + 1));
	}
	/* Neighbours that differ more than chance would have it prove nothing better. */
	return positive > 0 ? sum + positive : sum;
}

static void estimate(const struct tl_residence_in *in, struct tl_estimate *e, size_t class)
{
	double time = 0, count = 0, n = (double)in->windows, mean;
	size_t w;

	for (w = 0; w < in->windows; w++) {
		time += time_of(in, w, class);
		count += in->count[w * in->classes + class];
	}
	*e = (struct tl_estimate){ .verdict = TL_VERDICT_ABSENT };
	if (count <= 0)
		return;
	mean = time / count;
	tl_estimate_interval(e, mean,
			     sqrt(squares(in, class, mean) * n / (n - 1)) / count,
			     tl_student95(n - 1));
	tl_estimate_judge(e);
}

/**
 * tl_residence() - Service times from residence times
 * @in: times
 * @out: filled in; its array is the caller's
 *
 * Return: 0; -ERANGE with less than two windows.
 */
int tl_residence(const struct tl_residence_in *in, struct tl_residence_out *out)
{
	size_t i;

	if (in->windows < 2)
		return -ERANGE;
	for (i = 0; i < in->classes; i++)
		estimate(in, &out->demand[i], i);
	out->degrees = (double)in->windows - 1;
	return 0;
}
