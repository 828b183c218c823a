// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Regression by a plane through the nearest samples
 *
 * Of the k nearest samples with means m, the event is y - m_y = b (x - m). What is asked for has
 * features that are uncertain themselves, with variances V, so that the best b is that of
 * errors in variables: with S = X'X / k, the samples' own moments,
 *
 *	b = (S + D)⁻¹ X'y / k,	D = diag(V) + r diag(S),
 *
 * r being a ridge: there are more features than samples. What is then left of the event is
 * S_yy - b X'y / k. Both come from a system of k unknowns however many features there are, as
 * (X'X + k D)⁻¹ X' = D⁻¹ X' (X D⁻¹ X' + k)⁻¹:
 *
 *	ŷ = m_y + y' a,	(X D⁻¹ X' + k) a = X D⁻¹ (x - m),
 *	var = y' (X D⁻¹ X' + k)⁻¹ y.
 *
 * A feature that is farther off than all samples is taken no farther: it may be wrong, and a plane
 * is none far away. Nor is a sample's own event.
 *
 * Sources: W. S. Cleveland, J. Amer. Statist. Assoc. 74 (1979), of planes through the nearest;
 * A. E. Hoerl, R. W. Kennard, Technometrics 12 (1970), of ridges; W. A. Fuller, Measurement Error
 * Models (1987); G. Saunders and others, ICML (1998), of k unknowns.
 */
#include "local.h"

#include "knn.h"
#include "median.h"

#include <errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>

#define RIDGE 0.2
#define FAR 4.0 /* deviations: of a feature, and of a sample's own event */

/* @n features of @k samples, @x, and of the query, @z, by √D; the event, @y, about @mean. */
struct work {
	size_t k, n;
	double *x, *z, *y;
	double mean;
};

/* A feature of the samples, about its mean; its mean square. */
static double column(const struct tl_local *in, const struct tl_knn_near *near, size_t c,
		     double *to, double *mean)
{
	double sum = 0, squares = 0;
	size_t i;

	for (i = 0; i < near->n; i++)
		sum += to[i] = in->x[near->sample[i] * in->features + c];
	*mean = sum / (double)near->n;
	for (i = 0; i < near->n; i++) {
		to[i] -= *mean;
		squares += to[i] * to[i];
	}
	return squares / (double)near->n;
}

static void feature_add(struct work *s, const struct tl_local *in,
			const struct tl_knn_near *near, size_t c)
{
	double *to = s->x + s->n * s->k, mean, square = column(in, near, c, to, &mean), off, d;
	size_t i;

	if (square <= 1e-12)
		return;
	off = in->query[c] - mean;
	d = FAR * sqrt(square + in->variance[c]);
	off = fmax(fmin(off, d), -d);
	d = sqrt(in->variance[c] + RIDGE * square);
	for (i = 0; i < s->k; i++)
		to[i] /= d;
	s->z[s->n++] = off / d;
}

/* The event, of which some samples are themselves beside what is usual. */
static void event_fill(struct work *s, const struct tl_local *in, const struct tl_knn_near *near)
{
	double middle, far, sum = 0, room[TL_KNN_MAX];
	size_t i;

	for (i = 0; i < s->k; i++)
		room[i] = s->y[i] = in->x[near->sample[i] * in->features + in->event];
	middle = tl_median(room, s->k);
	for (i = 0; i < s->k; i++)
		room[i] = fabs(s->y[i] - middle);
	far = FAR * tl_quantile(room, s->k, 0.6827);
	for (i = 0; i < s->k; i++)
		sum += s->y[i] = fmax(fmin(s->y[i], middle + far), middle - far);
	s->mean = sum / (double)s->k;
	for (i = 0; i < s->k; i++)
		s->y[i] -= s->mean;
}

/* X D⁻¹ X' + k, its lower half. */
static void gram(const struct work *s, gsl_matrix *g)
{
	size_t i, j, c;

	gsl_matrix_set_zero(g);
	for (c = 0; c < s->n; c++) {
		const double *x = s->x + c * s->k;

		for (i = 0; i < s->k; i++) {
			double *row = g->data + i * g->tda;

			for (j = 0; j <= i; j++)
				row[j] += x[i] * x[j];
		}
	}
	for (i = 0; i < s->k; i++)
		g->data[i * g->tda + i] += (double)s->k;
}

static int solve(struct work *s, struct tl_local_out *out)
{
	gsl_matrix *g = gsl_matrix_alloc(s->k, s->k);
	gsl_vector *a = gsl_vector_alloc(s->k);
	gsl_vector_view y = gsl_vector_view_array(s->y, s->k);
	size_t i, c;
	int code = g && a ? 0 : -ENOMEM;

	if (!code) {
		gram(s, g);
		code = gsl_linalg_cholesky_decomp1(g) ? -EDOM : 0;
	}
	out->value = s->mean;
	out->variance = 0;
	if (!code && !gsl_linalg_cholesky_solve(g, &y.vector, a))
		for (i = 0; i < s->k; i++) {
			double z = 0;

			for (c = 0; c < s->n; c++)
				z += s->x[c * s->k + i] * s->z[c];
			out->value += a->data[i] * z;
			out->variance += a->data[i] * s->y[i];
		}
	gsl_matrix_free(g);
	gsl_vector_free(a);
	return code;
}

/**
 * tl_local() - Foretell by a plane through the nearest samples
 * @in: what is known, and what is asked
 * @near: the nearest samples, one at least
 * @out: filled in
 *
 * Return: 0; -ENOMEM.
 */
int tl_local(const struct tl_local *in, const struct tl_knn_near *near, struct tl_local_out *out)
{
	struct work s = { .k = near->n };
	double *memory = malloc((s.k + 1) * (in->features + 1) * sizeof(*memory));
	size_t c;
	int code;

	if (!memory)
		return -ENOMEM;
	s.x = memory;
	s.z = s.x + s.k * in->features;
	s.y = s.z + in->features;
	for (c = 0; c < in->features; c++)
		if (c != in->event && isfinite(in->variance[c]))
			feature_add(&s, in, near, c);
	event_fill(&s, in, near);
	code = solve(&s, out);
	free(memory);
	return code;
}
