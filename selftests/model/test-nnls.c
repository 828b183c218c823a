// SPDX-License-Identifier: GPL-2.0-or-later
/* NNLS against Kuhn and Tucker's conditions and against all active sets. */
#include "tap.h"

#include "sim.h"

#include "model/nnls.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 40
#define COLUMNS 12

struct problem {
	size_t n, p;
	double a[ROWS][COLUMNS], b[ROWS], gram[COLUMNS * COLUMNS], moment[COLUMNS], bb;
};

static void sums_fill(struct problem *q)
{
	size_t w, i, k;

	q->bb = 0;
	memset(q->gram, 0, sizeof(q->gram));
	memset(q->moment, 0, sizeof(q->moment));
	for (w = 0; w < q->n; w++) {
		q->bb += q->b[w] * q->b[w];
		for (i = 0; i < q->p; i++) {
			q->moment[i] += q->a[w][i] * q->b[w];
			for (k = 0; k < q->p; k++)
				q->gram[i * q->p + k] += q->a[w][i] * q->a[w][k];
		}
	}
}

/* Half of the true coefficients are zero or below, units differ by a factor of 10^6. */
static void problem_draw(struct sim *r, struct problem *q, bool dependent)
{
	double truth[COLUMNS], unit;
	size_t w, i;

	q->p = 2 + (size_t)(sim_uniform(r) * (COLUMNS - 2));
	q->n = q->p + 1 + (size_t)(sim_uniform(r) * (double)(ROWS - q->p - 1));
	for (i = 0; i < q->p; i++)
		truth[i] = sim_normal(r);
	for (w = 0; w < q->n; w++)
		for (i = 0, q->b[w] = 0.3 * sim_normal(r); i < q->p; i++) {
			q->a[w][i] = sim_uniform(r);
			q->b[w] += q->a[w][i] * truth[i];
		}
	for (i = 0; i < q->p; i++) {
		unit = pow(10, 6 * sim_uniform(r) - 3);
		for (w = 0; w < q->n; w++)
			q->a[w][i] = dependent && i == 1 ? 2 * q->a[w][0] : q->a[w][i] * unit;
	}
	sums_fill(q);
}

/* The largest violation, in units in which columns and b have length one. */
static double violation(const struct problem *q, const double *x)
{
	double worst = 0, w, scale;
	size_t i, k;

	for (i = 0; i < q->p; i++) {
		scale = sqrt(q->gram[i * q->p + i] * q->bb);
		for (k = 0, w = q->moment[i]; k < q->p; k++)
			w -= q->gram[i * q->p + k] * x[k];
		if (x[i] < 0)
			worst = INFINITY;
		worst = fmax(worst, x[i] > 0 ? fabs(w) / scale : w / scale);
	}
	return worst;
}

static double rss_of(const struct problem *q, const double *x)
{
	double sum = 0, off;
	size_t w, i;

	for (w = 0; w < q->n; w++) {
		for (i = 0, off = q->b[w]; i < q->p; i++)
			off -= q->a[w][i] * x[i];
		sum += off * off;
	}
	return sum;
}

/* Least squares over the columns of a set, by QR; INFINITY if it is not all positive. */
static double rss_of_set(const struct problem *q, unsigned int set)
{
	size_t members[COLUMNS], n = 0, w, i;
	double x[COLUMNS] = { 0 }, rss;
	gsl_vector *tau, *b, *s, *rest;
	gsl_matrix *a;
	bool positive = true;

	for (i = 0; i < q->p; i++)
		if (set & 1U << i)
			members[n++] = i;
	if (!n)
		return rss_of(q, x);
	a = gsl_matrix_alloc(q->n, n);
	b = gsl_vector_alloc(q->n);
	rest = gsl_vector_alloc(q->n);
	tau = gsl_vector_alloc(n);
	s = gsl_vector_alloc(n);
	for (w = 0; w < q->n; w++) {
		gsl_vector_set(b, w, q->b[w]);
		for (i = 0; i < n; i++)
			gsl_matrix_set(a, w, i, q->a[w][members[i]]);
	}
	gsl_linalg_QR_decomp(a, tau);
	gsl_linalg_QR_lssolve(a, tau, b, s, rest);
	for (i = 0; i < n; i++) {
		x[members[i]] = gsl_vector_get(s, i);
		positive &= x[members[i]] >= 0;
	}
	rss = positive ? rss_of(q, x) : INFINITY;
	gsl_matrix_free(a);
	gsl_vector_free(b);
	gsl_vector_free(rest);
	gsl_vector_free(tau);
	gsl_vector_free(s);
	return rss;
}

static void test_conditions(struct sim *r, bool dependent)
{
	struct tl_nnls_out out;
	struct problem q;
	double x[COLUMNS], worst = 0;
	int i, failed = 0;

	for (i = 0; i < 3000; i++) {
		problem_draw(r, &q, dependent);
		out.x = x;
		if (tl_nnls(&(struct tl_nnls_in){ q.p, q.gram, q.moment }, &out))
			failed++;
		else
			worst = fmax(worst, violation(&q, x));
	}
	ok(!failed && worst < 1e-9, "Kuhn and Tucker hold for 3000 problems%s: %d failed, "
	   "worst %.2g", dependent ? " with columns that depend on each other" : "", failed,
	   worst);
}

static void test_all_sets(struct sim *r)
{
	double x[COLUMNS], best, worst = 0;
	struct tl_nnls_out out = { .x = x };
	struct problem q;
	unsigned int set;
	int i;

	for (i = 0; i < 60; i++) {
		problem_draw(r, &q, false);
		if (q.p > 8)
			continue;
		for (set = 0, best = INFINITY; set < 1U << q.p; set++)
			best = fmin(best, rss_of_set(&q, set));
		tl_nnls(&(struct tl_nnls_in){ q.p, q.gram, q.moment }, &out);
		worst = fmax(worst, fabs(rss_of(&q, x) - best) / q.bb);
	}
	ok(worst < 1e-10, "no other set of free variables is better: %.2g", worst);
}

static void test_small(void)
{
	/* min (x - 1)² + (x + y - 0.5)²: without the bound y = -0.5. */
	double gram[] = { 2, 1, 1, 1 }, moment[] = { 1.5, 0.5 }, x[2], zero[4] = { 0 };
	struct tl_nnls_out out = { .x = x };

	ok(!tl_nnls(&(struct tl_nnls_in){ 2, gram, moment }, &out) &&
		   fabs(x[0] - 0.75) < 1e-12 && x[1] == 0, "a bound that holds");
	moment[0] = moment[1] = -1;
	ok(!tl_nnls(&(struct tl_nnls_in){ 2, gram, moment }, &out) && x[0] == 0 && x[1] == 0,
	   "all at the bound");
	ok(!tl_nnls(&(struct tl_nnls_in){ 2, zero, zero }, &out) && x[0] == 0 && x[1] == 0,
	   "nothing at all");
}

int main(void)
{
	struct sim *r = calloc(1, sizeof(*r));

	gsl_set_error_handler_off();
	sim_seed(r, 11);
	test_small();
	test_conditions(r, false);
	test_conditions(r, true);
	test_all_sets(r);
	free(r);
	return done();
}
