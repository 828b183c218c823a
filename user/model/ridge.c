// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ridge regression
 *
 *	β = A X' y,	A = (X' X + λ P)⁻¹
 *
 * on columns scaled to length one, where P leaves the background alone. It trades
 * bias for variance where classes nearly always come together. λ minimises the
 * generalised cross-validation n RSS / (n - tr A X' X)².
 *
 * What is reported is β + λ A P β, from which the first order of the bias is gone; of
 * it is left -(λ A P)² β. Nothing can cost less than nothing, so no class can cost
 * more than a window's total divided by its requests in that window: that bounds β,
 * and with it the bias, by which the interval is wider than the errors alone would
 * have it.
 *
 * Sources: A. E. Hoerl, R. W. Kennard, Technometrics 12 (1970); G. H. Golub, M. Heath,
 * G. Wahba, Technometrics 21 (1979); K. Kadiyala, Econ. Letters 16 (1984).
 */
#include "ridge.h"

#include "model/design.h"
#include "model/ols.h"

#include <errno.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct work {
	const struct tl_ols_in *in;
	size_t p;
	double *gram, *moment, *a, *b, *shrink, *beta, *meat, *row, *most, total;
};

static double penalty(const struct work *s, size_t i)
{
	return i < s->in->design->classes ? 1 : 0;
}

static void moments(struct work *s)
{
	const struct tl_design_out *d = s->in->design;
	size_t p = s->p, w, i;

	tl_design_gram(d, s->gram);
	for (w = 0; w < d->windows; w++) {
		s->total += s->in->target[w] * s->in->target[w];
		for (i = 0; i < p; i++)
			if (d->scale[i] > 0)
				s->moment[i] += d->x[w * p + i] / d->scale[i] *
						s->in->target[w];
	}
}

/*
 * The gram matrix and the moments with the background taken out, which is not shrunk:
 * S = G - g g' / h, m - g m_0 / h. On the eigenvectors of S every λ is a sum over p terms.
 * Return: what of the target's squares the background explains.
 */
static double project(struct work *s, double *gram, double *moment)
{
	size_t p = s->p, n = s->in->design->classes, i, k;
	double h = p > n ? s->gram[n * p + n] : 0;

	for (i = 0; i < n; i++) {
		double g = h > 0 ? s->gram[i * p + n] / h : 0;

		moment[i] = s->moment[i] - (h > 0 ? g * s->moment[n] : 0);
		for (k = 0; k < n; k++)
			gram[i * n + k] = s->gram[i * p + k] -
					  (h > 0 ? g * s->gram[k * p + n] : 0);
	}
	return h > 0 ? s->moment[n] * s->moment[n] / h : 0;
}

/* Generalised cross-validation, on the eigenvectors. */
static double validation(const struct work *s, const double *eigen, const double *moment,
			 double rss, double lambda)
{
	size_t n = s->in->design->classes, k;
	double windows = (double)s->in->design->windows, trace = s->p > n ? 1 : 0;

	for (k = 0; k < n; k++) {
		double e = fmax(eigen[k], 0);

		rss -= moment[k] * moment[k] * (e + 2 * lambda) / pow(e + lambda, 2);
		trace += e / (e + lambda);
	}
	return windows * fmax(rss, 0) / pow(windows - trace, 2);
}

/* A for that λ, and β. */
static int solve(struct work *s, double lambda)
{
	gsl_matrix_view a = gsl_matrix_view_array(s->a, s->p, s->p);
	size_t p = s->p, i, k;

	memcpy(s->a, s->gram, p * p * sizeof(*s->a));
	for (i = 0; i < p; i++) {
		s->a[i * p + i] += lambda * penalty(s, i);
		if (s->in->design->scale[i] == 0)
			s->a[i * p + i] = 1;
	}
	if (gsl_linalg_cholesky_decomp1(&a.matrix) || gsl_linalg_cholesky_invert(&a.matrix))
		return -EDOM;
	for (i = 0; i < p; i++)
		for (k = 0, s->beta[i] = 0; k < p; k++)
			s->beta[i] += s->a[i * p + k] * s->moment[k];
	return 0;
}

static void lambda_find(struct work *s, const double *eigen, const double *moment,
			double rss, double *lambda)
{
	double best = INFINITY, now, try;

	for (try = 1e-8; try < 2; try *= 6) {
		now = validation(s, eigen, moment, rss, try);
		if (now < best) {
			best = now;
			*lambda = try;
		}
	}
}

static int choose(struct work *s, double *lambda)
{
	size_t n = s->in->design->classes, i, k;
	gsl_eigen_symmv_workspace *room = gsl_eigen_symmv_alloc(n);
	double *memory = calloc(2 * n * n + 3 * n, sizeof(*memory)), rss;
	double *vector = memory + n * n, *eigen = vector + n * n, *moment = eigen + n;
	double *turned = moment + n;
	int code = room && memory ? 0 : -ENOMEM;

	if (!code) {
		gsl_matrix_view a = gsl_matrix_view_array(memory, n, n);
		gsl_matrix_view v = gsl_matrix_view_array(vector, n, n);
		gsl_vector_view e = gsl_vector_view_array(eigen, n);

		rss = s->total - project(s, memory, moment);
		if (gsl_eigen_symmv(&a.matrix, &e.vector, &v.matrix, room))
			code = -EDOM;
		for (k = 0; k < n; k++)
			for (i = 0; i < n; i++)
				turned[k] += vector[i * n + k] * moment[i];
		if (!code)
			lambda_find(s, eigen, turned, rss, lambda);
	}
	if (room)
		gsl_eigen_symmv_free(room);
	free(memory);
	return code ? code : solve(s, *lambda);
}

/* λ A P to @shrink, (1 + λ A P) A to @b. */
static void correct(struct work *s, double lambda)
{
	size_t p = s->p, i, k, j;

	for (i = 0; i < p; i++)
		for (k = 0; k < p; k++)
			s->shrink[i * p + k] = lambda * s->a[i * p + k] * penalty(s, k);
	for (i = 0; i < p; i++)
		for (k = 0; k < p; k++) {
			s->b[i * p + k] = s->a[i * p + k];
			for (j = 0; j < p; j++)
				s->b[i * p + k] += s->shrink[i * p + j] * s->a[j * p + k];
		}
}

/* The most that a class can cost, scaled: all of what some window took. */
static double most(const struct work *s, size_t column, double slack)
{
	const struct tl_design_out *d = s->in->design;
	double least = INFINITY, x;
	size_t w;

	for (w = 0; w < d->windows; w++) {
		x = d->x[w * s->p + column];
		if (x > 0)
			least = fmin(least, fmax(s->in->target[w] + slack, 0) / x);
	}
	return isfinite(least) ? least * d->scale[column] : 0;
}

/* What of the bias may be left, scaled. */
static double bias(const struct work *s, size_t column)
{
	size_t p = s->p, i, k;
	double sum = 0, twice;

	for (i = 0; i < p; i++) {
		for (k = 0, twice = 0; k < p; k++)
			twice += s->shrink[column * p + k] * s->shrink[k * p + i];
		sum += fabs(twice) * s->most[i];
	}
	return sum;
}

static void estimates(struct work *s, struct tl_ols_out *out)
{
	const struct tl_design_out *d = s->in->design;
	double t = tl_student95(out->degrees), error, left, slack = 3 * out->residual_sd;
	size_t p = s->p, i, k;

	tl_ols_meat(s->in, out, s->meat);
	for (i = 0; i < p; i++)
		s->most[i] = most(s, i, slack);
	for (i = 0; i < p; i++) {
		struct tl_estimate *e = &out->coefficient[i];

		e->verdict = TL_VERDICT_ABSENT;
		if (d->scale[i] == 0)
			continue;
		for (k = 0; k < p; k++)
			s->row[k] = d->scale[k] > 0 ?
				    s->b[i * p + k] / d->scale[i] / d->scale[k] : 0;
		error = sqrt(tl_ols_variance(p, s->meat, s->row));
		left = bias(s, i) / d->scale[i];
		tl_estimate_interval(e, e->value, error, t);
		e->low95 -= left;
		e->high95 += left;
		if (i < d->classes) {
			e->high95 = fmin(e->high95, fmax(e->value, s->most[i] /
							 d->scale[i]));
			tl_estimate_judge(e);
		}
		if (d->set[i])
			e->verdict = TL_VERDICT_INSEPARABLE;
	}
}

static int regress(struct work *s, struct tl_ols_out *out)
{
	size_t p = s->p, i, k;
	double lambda = 1e-8;
	int code;

	moments(s);
	code = choose(s, &lambda);
	if (code)
		return code;
	correct(s, lambda);
	for (i = 0; i < p; i++) {
		out->coefficient[i] = (struct tl_estimate){ 0 };
		if (s->in->design->scale[i] == 0)
			out->coefficient[i].verdict = TL_VERDICT_ABSENT;
		for (k = 0; s->in->design->scale[i] > 0 && k < p; k++)
			out->coefficient[i].value += s->b[i * p + k] * s->moment[k] /
						     s->in->design->scale[i];
	}
	tl_ols_residuals(s->in, out);
	if (!s->in->values_only)
		estimates(s, out);
	return 0;
}

/**
 * tl_ridge() - Ridge regression
 * @in: regression
 * @out: filled in; its arrays are the caller's
 *
 * Return: 0; -ERANGE with too few windows, -ENOMEM, -EDOM without a solution.
 */
int tl_ridge(const struct tl_ols_in *in, struct tl_ols_out *out)
{
	size_t p = in->design->columns;
	double *memory = calloc(5 * p * p + 4 * p, sizeof(*memory));
	struct work s = { .in = in, .p = p, .gram = memory };
	int code;

	if (!memory)
		return -ENOMEM;
	s.a = s.gram + p * p;
	s.b = s.a + p * p;
	s.shrink = s.b + p * p;
	s.meat = s.shrink + p * p;
	s.moment = s.meat + p * p;
	s.beta = s.moment + p;
	s.row = s.beta + p;
	s.most = s.row + p;
	code = in->design->windows <= p - in->design->absent ? -ERANGE : regress(&s, out);
	free(memory);
	return code;
}
