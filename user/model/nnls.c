// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Non-negative least squares
 *
 *	min ‖A x - b‖  with x ≥ 0
 *
 * by the active set method of C. L. Lawson and R. J. Hanson, Solving Least Squares
 * Problems, 1974, ch. 23, on A' A and A' b (R. Bro, S. de Jong, J. Chemometrics 11,
 * 1997), which makes a step independent of the number of windows. Columns are scaled
 * to length one first.
 *
 * A set P of variables is free, the others are zero. The one with the largest
 * gradient w = A' (b - A x) joins P; if the least squares solution over P then has
 * a negative element, x moves towards it as far as it may, and what reaches zero
 * leaves P. It begins with all free that are positive then. At the end w ≤ 0 outside of P and w = 0 in it: Kuhn and Tucker's
 * conditions, which have one solution if A has full rank.
 *
 * In the demands of paper 000, 3.2, a request cannot cost less than nothing.
 */
#include "nnls.h"

#include "model/design.h"
#include "model/ols.h"

#include <errno.h>
#include <float.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct work {
	size_t p;
	double *gram, *moment, *scale, *x, *trial, *w, *factor, *part;
	size_t *member; /* the free variables */
	size_t n;
	unsigned char *free, *barred;
};

static void work_free(struct work *s)
{
	free(s->gram);
	free(s->member);
	free(s->free);
}

static int work_make(struct work *s, const struct tl_nnls_in *in)
{
	size_t p = in->columns, i, k;

	*s = (struct work){ .p = p };
	s->gram = calloc(2 * p * p + 6 * p, sizeof(double));
	s->member = calloc(p, sizeof(*s->member));
	s->free = calloc(2 * p, 1);
	if (!s->gram || !s->member || !s->free)
		return -ENOMEM;
	s->factor = s->gram + p * p;
	s->moment = s->factor + p * p;
	s->scale = s->moment + p;
	s->x = s->scale + p;
	s->trial = s->x + p;
	s->w = s->trial + p;
	s->part = s->w + p;
	s->barred = s->free + p;
	for (i = 0; i < p; i++) {
		s->scale[i] = sqrt(in->gram[i * p + i]);
		s->barred[i] = !(s->scale[i] > 0);
	}
	for (i = 0; i < p; i++) {
		s->moment[i] = s->barred[i] ? 0 : in->moment[i] / s->scale[i];
		for (k = 0; k < p; k++)
			s->gram[i * p + k] = s->barred[i] || s->barred[k] ? 0 :
				in->gram[i * p + k] / s->scale[i] / s->scale[k];
	}
	return 0;
}

/* Least squares over the free variables; -EDOM if they depend on each other. */
static int solve_free(struct work *s)
{
	gsl_matrix_view a;
	gsl_vector_view b, x;
	size_t i, k;

	for (i = 0, s->n = 0; i < s->p; i++)
		if (s->free[i])
			s->member[s->n++] = i;
	if (!s->n)
		return 0;
	for (i = 0; i < s->n; i++) {
		s->part[i] = s->moment[s->member[i]];
		for (k = 0; k < s->n; k++)
			s->factor[i * s->n + k] =
				s->gram[s->member[i] * s->p + s->member[k]];
	}
	a = gsl_matrix_view_array(s->factor, s->n, s->n);
	b = gsl_vector_view_array(s->part, s->n);
	x = gsl_vector_view_array(s->trial, s->n);
	if (gsl_linalg_cholesky_decomp1(&a.matrix))
		return -EDOM;
	for (i = 0; i < s->n; i++)
		if (s->factor[i * s->n + i] < 1e-7)
			return -EDOM;
	return gsl_linalg_cholesky_solve(&a.matrix, &b.vector, &x.vector) ? -EDOM : 0;
}

/* Steps from x to the trial until that has nothing negative. */
static int step_back(struct work *s)
{
	double step, part;
	size_t i, at;
	int code;

	for (;;) {
		step = 1;
		for (i = 0, at = s->n; i < s->n; i++) {
			size_t m = s->member[i];

			if (s->trial[i] > 0)
				continue;
			part = s->x[m] > 0 ? s->x[m] / (s->x[m] - s->trial[i]) : 0;
			if (part < step || at == s->n) {
				step = part;
				at = i;
			}
		}
		for (i = 0; i < s->n; i++)
			s->x[s->member[i]] += step * (s->trial[i] - s->x[s->member[i]]);
		if (at == s->n)
			return 0;
		s->x[s->member[at]] = 0;
		s->free[s->member[at]] = 0;
		code = solve_free(s);
		if (code)
			return code;
	}
}

static double gradient(const struct work *s, size_t i)
{
	double w = s->moment[i];
	size_t k;

	for (k = 0; k < s->p; k++)
		w -= s->gram[i * s->p + k] * s->x[k];
	return w;
}

/* The variable that would reduce the sum of squares fastest. */
static size_t steepest(struct work *s, double tolerance)
{
	size_t i, best = s->p;
	double w, most = tolerance;

	for (i = 0; i < s->p; i++) {
		if (s->free[i] || s->barred[i])
			continue;
		w = gradient(s, i);
		if (w > most) {
			most = w;
			best = i;
		}
	}
	return best;
}

/*
 * Most of what is there is above zero: all variables are free first, and what comes out
 * negative leaves until nothing does. That is a state that iterate() could be in, reached
 * in few steps. Where variables depend on each other it begins with none.
 */
static void begin(struct work *s)
{
	size_t i, negative = 1;

	for (i = 0; i < s->p; i++)
		s->free[i] = !s->barred[i];
	while (negative && !solve_free(s))
		for (i = 0, negative = 0; i < s->n; i++)
			if (s->trial[i] <= 0) {
				s->free[s->member[i]] = 0;
				negative++;
			}
	for (i = 0; !negative && i < s->n; i++)
		s->x[s->member[i]] = s->trial[i];
	if (negative)
		memset(s->free, 0, s->p);
}

static int iterate(struct work *s, unsigned int *iterations)
{
	double tolerance = 0;
	size_t i, at;

	for (i = 0; i < s->p; i++)
		tolerance = fmax(tolerance, fabs(s->moment[i]) * 1e-12);
	begin(s);
	for (*iterations = 0; *iterations < 30 * s->p + 30; (*iterations)++) {
		at = steepest(s, tolerance);
		if (at == s->p)
			return 0;
		s->free[at] = 1;
		if (solve_free(s)) { /* it is a sum of others: it adds nothing */
			s->free[at] = 0;
			s->barred[at] = 1;
			continue;
		}
		if (step_back(s))
			return -EDOM;
		/* Rounding alone brought it in. */
		s->barred[at] = !s->free[at];
		for (i = 0; s->free[at] && i < s->p; i++)
			s->barred[i] = !(s->scale[i] > 0);
	}
	return -ELOOP;
}

/**
 * tl_nnls() - Solve a non-negative least squares problem
 * @in: problem
 * @out: filled in; its array is the caller's
 *
 * Return: 0; -ENOMEM, -EDOM or -ELOOP if it does not converge.
 */
int tl_nnls(const struct tl_nnls_in *in, struct tl_nnls_out *out)
{
	struct work s;
	size_t i;
	int code = work_make(&s, in);

	code = code ? code : iterate(&s, &out->iterations);
	for (i = 0; !code && i < in->columns; i++)
		out->x[i] = s.scale[i] > 0 ? s.x[i] / s.scale[i] : 0;
	work_free(&s);
	return code;
}

/* Of columns scaled to length one. */
static void moments(const struct tl_ols_in *in, double *gram, double *moment)
{
	const struct tl_design_out *d = in->design;
	size_t p = d->columns, w, i;

	tl_design_gram(d, gram);
	for (w = 0; w < d->windows; w++)
		for (i = 0; i < p; i++)
			moment[i] += d->x[w * p + i] * in->target[w];
	for (i = 0; i < p; i++)
		moment[i] = d->scale[i] > 0 ? moment[i] / d->scale[i] : 0;
}

/*
 * The interval is that of ordinary least squares, cut at zero, and widened to its own
 * value: it keeps what the former contains of what is possible, so it contains the
 * truth as often.
 */
static void take_over(const struct tl_ols_in *in, struct tl_ols_out *out, const double *x)
{
	size_t i;

	for (i = 0; i < in->design->columns; i++) {
		struct tl_estimate *e = &out->coefficient[i];
		double value = in->design->scale[i] > 0 ? x[i] / in->design->scale[i] : 0;
		enum tl_verdict was = e->verdict;
		double half = (e->high95 - e->low95) / 2;

		e->value = value;
		if (in->values_only)
			continue;
		e->low95 = fmax(fmin(e->low95, value), 0);
		e->high95 = fmax(e->high95, value);
		if (was == TL_VERDICT_NEGATIVE) { /* nothing is left of the interval */
			e->high95 = fmax(half, value);
			continue;
		}
		if (i >= in->design->classes || was == TL_VERDICT_INSEPARABLE ||
		    was == TL_VERDICT_ABSENT)
			continue;
		tl_estimate_judge(e);
		if (value <= 0)
			e->verdict = TL_VERDICT_ZERO;
	}
}

/**
 * tl_nnls_regression() - Regression with coefficients that are not negative
 * @in: regression
 * @out: filled in; its arrays are the caller's
 *
 * Return: 0; -ERANGE with too few windows, -ENOMEM, -EDOM, -ELOOP.
 */
int tl_nnls_regression(const struct tl_ols_in *in, struct tl_ols_out *out)
{
	size_t p = in->design->columns;
	double *work = calloc(p * p + 2 * p, sizeof(*work));
	struct tl_nnls_in problem = { p, work, work + p * p };
	struct tl_nnls_out solution = { .x = work + p * p + p };
	int code = work ? tl_ols(in, out) : -ENOMEM;

	if (!code) {
		moments(in, work, work + p * p);
		code = tl_nnls(&problem, &solution);
	}
	if (!code) {
		take_over(in, out, solution.x);
		tl_ols_residuals(in, out);
	}
	free(work);
	return code;
}
