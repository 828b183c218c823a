// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ordinary least squares
 *
 *	y_t = Σ_i a_it N_i		own time of a tier
 *	u_r = b_0r + Σ_i b_ir N_i	utilisation of a resource,  c_ir = b_ir T
 *
 * both divided by the length T of the window, so that the coefficients are seconds
 * per request: a_it and c_ir. The solution is (X' X)⁺ X' y, the inverse taken over the
 * directions that the windows vary, and its covariance the sandwich
 * (X' X)⁺ (X' Ω X) (X' X)⁺. Ω has the squares of the residuals, each divided by
 * (1 - leverage)² (HC3), which holds up when busy windows scatter more than quiet
 * ones; where a residual resembles the next one, Bartlett's weights take its
 * neighbours in (Newey and West). A window that draws the line to itself has next to no
 * residual, whatever it scatters: one that a class has for itself has none at all, two
 * have one between them. So those count for no less than the windows do in the mean.
 *
 * Sources: paper 000, 3.2 and 4.1, equations 2, 3 and 6; J. G. MacKinnon, H. White,
 * J. Econometrics 29 (1985); W. K. Newey, K. D. West, Econometrica 55 (1987).
 */
#include "ols.h"

#include "model/design.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVERAGE_HIGH 0.5 /* of what is fitted to a window, it makes more than half itself */

static void solve(const struct tl_ols_in *in, struct tl_ols_out *out, double *moment)
{
	const struct tl_design_out *d = in->design;
	size_t p = d->columns, w, i, k;

	for (w = 0; w < d->windows; w++)
		for (i = 0; i < p; i++)
			moment[i] += d->x[w * p + i] * in->target[w];
	for (i = 0; i < p; i++) {
		out->coefficient[i] = (struct tl_estimate){ 0 };
		if (d->scale[i] == 0)
			out->coefficient[i].verdict = TL_VERDICT_ABSENT;
		for (k = 0; k < p; k++)
			out->coefficient[i].value += d->pseudo[i * p + k] * moment[k];
	}
}

/* Without a column of ones the sums of squares are about zero, not about the mean. */
static double r2_of(const struct tl_ols_in *in, double residual_ss)
{
	const struct tl_design_out *d = in->design;
	double mean = 0, total_ss = 0;
	size_t w;

	for (w = 0; w < d->windows; w++)
		mean += in->target[w] / (double)d->windows;
	for (w = 0; w < d->windows; w++)
		total_ss += pow(in->target[w] - mean, 2);
	return total_ss > 0 ? 1 - residual_ss / total_ss : 0;
}

/**
 * tl_ols_residuals() - Residuals and what they tell, for given coefficients
 * @in: regression
 * @out: coefficients known; the rest is filled in
 */
void tl_ols_residuals(const struct tl_ols_in *in, struct tl_ols_out *out)
{
	const struct tl_design_out *d = in->design;
	double ss = 0, products = 0;
	size_t w, i;

	for (w = 0; w < d->windows; w++) {
		out->residual[w] = in->target[w];
		for (i = 0; i < d->columns; i++)
			out->residual[w] -= d->x[w * d->columns + i] *
					    out->coefficient[i].value;
		ss += out->residual[w] * out->residual[w];
		if (w)
			products += out->residual[w] * out->residual[w - 1];
	}
	out->degrees = (double)d->windows - (double)d->rank;
	out->residual_sd = out->degrees > 0 ? sqrt(ss / out->degrees) : 0;
	out->r2 = r2_of(in, ss);
	out->autocorrelation = ss > 0 ? products / ss : 0;
	/* Beyond what independent residuals show in one case of forty. */
	out->newey_west = out->autocorrelation > 1.96 / sqrt((double)d->windows);
}

static size_t lags(const struct tl_ols_out *out, size_t windows)
{
	if (!out->newey_west)
		return 0;
	return (size_t)fmax(1, floor(4 * pow((double)windows / 100, 2.0 / 9)));
}

/* Residual as it would be had its window not been fitted. */
static double left_out_residual(const struct tl_ols_in *in, const struct tl_ols_out *out,
				size_t w)
{
	double leverage = in->design->leverage[w];
	double left = out->residual[w] / fmax(1 - leverage, 1e-6);

	if (leverage < LEVERAGE_HIGH)
		return left;
	return copysign(fmax(fabs(left), out->residual_sd), left);
}

static void meat_add(const struct tl_ols_in *in, const struct tl_ols_out *out,
		     double *meat, size_t n_lags, size_t w)
{
	size_t p = in->design->columns, lag, i, k;
	const double *now = in->design->x + w * p, *then;
	double e = left_out_residual(in, out, w), weight;

	for (lag = 0; lag <= n_lags && lag <= w; lag++) {
		then = now - lag * p;
		weight = e * left_out_residual(in, out, w - lag) *
			 (1 - (double)lag / (double)(n_lags + 1));
		for (i = 0; i < p; i++)
			for (k = 0; k <= i; k++)
				meat[i * p + k] += weight * (lag ? now[i] * then[k] +
								   then[i] * now[k] :
								   now[i] * now[k]);
	}
}

/**
 * tl_ols_meat() - X' Ω X, the middle of the sandwich
 * @in: regression
 * @out: residuals known
 * @meat: [columns][columns] set
 */
void tl_ols_meat(const struct tl_ols_in *in, const struct tl_ols_out *out, double *meat)
{
	size_t p = in->design->columns, n_lags = lags(out, in->design->windows), w, i, k;

	memset(meat, 0, p * p * sizeof(*meat));
	for (w = 0; w < in->design->windows; w++)
		meat_add(in, out, meat, n_lags, w);
	for (i = 0; i < p; i++)
		for (k = i + 1; k < p; k++)
			meat[i * p + k] = meat[k * p + i];
}

/**
 * tl_ols_variance() - Variance of a linear combination of X' y
 * @p: columns
 * @meat: [columns][columns] from tl_ols_meat()
 * @row: [columns] the combination
 *
 * Return: the variance, not negative.
 */
double tl_ols_variance(size_t p, const double *meat, const double *row)
{
	double sum = 0;
	size_t i, k;

	for (i = 0; i < p; i++)
		for (k = 0; k < p; k++)
			sum += row[i] * meat[i * p + k] * row[k];
	return sum > 0 ? sum : 0;
}

static void errors(const struct tl_ols_in *in, struct tl_ols_out *out, const double *meat)
{
	const struct tl_design_out *d = in->design;
	double t = tl_student95(out->degrees);
	size_t i;

	for (i = 0; i < d->columns; i++) {
		struct tl_estimate *e = &out->coefficient[i];

		tl_estimate_interval(e, e->value, 
				     sqrt(tl_ols_variance(d->columns, meat,
							  d->pseudo + i * d->columns)), t);
		if (i < d->classes)
			tl_estimate_judge(e);
		if (d->set[i])
			e->verdict = TL_VERDICT_INSEPARABLE;
		if (d->scale[i] == 0)
			e->verdict = TL_VERDICT_ABSENT;
	}
}

/**
 * tl_ols() - Ordinary least squares
 * @in: regression
 * @out: filled in; its arrays are the caller's
 *
 * Return: 0; -ERANGE with fewer windows than columns and one more, -ENOMEM.
 */
int tl_ols(const struct tl_ols_in *in, struct tl_ols_out *out)
{
	size_t p = in->design->columns;
	double *work = calloc(p + p * p, sizeof(*work));

	if (!work)
		return -ENOMEM;
	if (in->design->windows <= p - in->design->absent) {
		free(work);
		return -ERANGE;
	}
	solve(in, out, work);
	tl_ols_residuals(in, out);
	if (!in->values_only) {
		tl_ols_meat(in, out, work + p);
		errors(in, out, work + p);
	}
	free(work);
	return 0;
}
