// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The design matrix of a regression on counts: what can be told apart
 *
 *	X = Q R,  R D⁻¹ = Q' S V'	D: lengths of the columns
 *
 * Columns are scaled to length one, so that the condition tells of dependencies and
 * not of units. A singular value below the largest by a factor of TL_CONDITION_MAX
 * belongs to a mix of classes that the windows hardly vary. The projector onto all of
 * those directions does not depend on the basis in which they come: two classes with
 * an element of it in common are in the same set.
 *
 * Sources: D. A. Belsley, E. Kuh, R. E. Welsch, Regression Diagnostics, 1980, ch. 3;
 * R is collected from blocks of rows (G. H. Golub, C. F. Van Loan, Matrix
 * Computations, 5.2), so that a million windows need no more memory than they have.
 */
#include "design.h"

#include <errno.h>
#include <float.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_ROWS 256
#define IN_SET 0.02 /* part of a class's column that lies in the null space */

static void rates_fill(const struct tl_design_in *in, struct tl_design_out *out)
{
	size_t w, i;

	for (w = 0; w < in->windows; w++) {
		double *row = out->x + w * out->columns;

		for (i = 0; i < in->classes; i++)
			row[i] = in->count[w * in->classes + i] / in->seconds[w];
		if (in->background)
			row[in->classes] = 1;
	}
}

static void scale_fill(struct tl_design_out *out)
{
	size_t w, i;

	for (w = 0; w < out->windows; w++)
		for (i = 0; i < out->columns; i++)
			out->scale[i] += pow(out->x[w * out->columns + i], 2);
	for (i = 0; i < out->columns; i++) {
		out->scale[i] = sqrt(out->scale[i]);
		out->absent += out->scale[i] == 0;
	}
}

/* The triangle of what was seen above, and up to BLOCK_ROWS rows below it. */
static int block_reduce(struct tl_design_out *out, gsl_matrix *stack, gsl_vector *tau,
			size_t from, size_t rows)
{
	size_t p = out->columns, w, i;
	gsl_matrix_view part = gsl_matrix_submatrix(stack, 0, 0, p + rows, p);

	for (w = 0; w < p; w++)
		memcpy(gsl_matrix_ptr(stack, w, 0), out->r + w * p, p * sizeof(double));
	for (w = 0; w < rows; w++)
		for (i = 0; i < p; i++)
			gsl_matrix_set(stack, p + w, i,
				       out->scale[i] > 0 ?
				       out->x[(from + w) * p + i] / out->scale[i] : 0);
	if (gsl_linalg_QR_decomp(&part.matrix, tau))
		return -EDOM;
	for (w = 0; w < p; w++)
		for (i = 0; i < p; i++)
			out->r[w * p + i] = i < w ? 0 : gsl_matrix_get(stack, w, i);
	return 0;
}

static int reduce(struct tl_design_out *out)
{
	gsl_matrix *stack = gsl_matrix_alloc(out->columns + BLOCK_ROWS, out->columns);
	gsl_vector *tau = gsl_vector_alloc(out->columns);
	size_t from, rows;
	int code = stack && tau ? 0 : -ENOMEM;

	for (from = 0; from < out->windows && !code; from += rows) {
		rows = out->windows - from < BLOCK_ROWS ? out->windows - from : BLOCK_ROWS;
		code = block_reduce(out, stack, tau, from, rows);
	}
	gsl_matrix_free(stack);
	gsl_vector_free(tau);
	return code;
}

static int decompose(struct tl_design_out *out)
{
	size_t p = out->columns;
	gsl_matrix *u = gsl_matrix_alloc(p, p);
	gsl_matrix_view r = gsl_matrix_view_array(out->r, p, p);
	gsl_matrix_view v = gsl_matrix_view_array(out->v, p, p);
	gsl_vector_view s = gsl_vector_view_array(out->singular, p);
	gsl_vector *work = gsl_vector_alloc(p);
	int code = u && work ? 0 : -ENOMEM;

	if (!code) {
		gsl_matrix_memcpy(u, &r.matrix);
		if (gsl_linalg_SV_decomp(u, &v.matrix, &s.vector, work))
			code = -EDOM;
	}
	gsl_matrix_free(u);
	gsl_vector_free(work);
	return code;
}

/* Directions that the windows vary, and the condition of those columns that exist. */
static void rank_find(struct tl_design_out *out)
{
	size_t p = out->columns, k;
	double smallest = p > out->absent ? out->singular[p - out->absent - 1] : 0;

	for (k = 0; k < p && out->singular[k] * TL_CONDITION_MAX > out->singular[0]; k++)
		;
	out->rank = out->singular[0] > 0 ? k : 0;
	out->condition = smallest > DBL_EPSILON * out->singular[0] ?
			 out->singular[0] / smallest : 1 / DBL_EPSILON;
}

static double projector(const struct tl_design_out *out, size_t i, size_t k)
{
	size_t p = out->columns, d;
	double sum = 0;

	for (d = out->rank; d < p; d++)
		sum += out->v[i * p + d] * out->v[k * p + d];
	return sum;
}

static bool linked(const struct tl_design_out *out, size_t i, size_t k)
{
	double in_i = projector(out, i, i), in_k = projector(out, k, k);

	return out->scale[i] > 0 && out->scale[k] > 0 && in_i > IN_SET && in_k > IN_SET &&
	       fabs(projector(out, i, k)) > 0.1 * sqrt(in_i * in_k);
}

/* Everything that is linked to @i, directly or not, gets its number. */
static void set_spread(struct tl_design_out *out, size_t i)
{
	size_t k;

	for (k = 0; k < out->columns; k++) {
		if (out->set[k] || !linked(out, i, k))
			continue;
		out->set[k] = out->set[i];
		set_spread(out, k);
	}
}

static void sets_find(struct tl_design_out *out)
{
	size_t i;

	for (i = 0; i < out->columns; i++) {
		if (out->set[i] || out->scale[i] == 0 || projector(out, i, i) <= IN_SET)
			continue;
		out->set[i] = ++out->sets;
		set_spread(out, i);
	}
}

static void inverse_fill(const struct tl_design_out *out, double *inverse, size_t directions)
{
	size_t p = out->columns, i, k, d;
	double sum, least = 1e-9 * out->singular[0];

	for (i = 0; i < p; i++)
		for (k = 0; k <= i; k++) {
			if (out->scale[i] == 0 || out->scale[k] == 0)
				continue;
			for (d = 0, sum = 0; d < directions; d++)
				sum += out->v[i * p + d] * out->v[k * p + d] /
				       pow(fmax(out->singular[d], least), 2);
			inverse[i * p + k] = inverse[k * p + i] =
				sum / out->scale[i] / out->scale[k];
		}
}

static void leverage_fill(struct tl_design_out *out)
{
	size_t p = out->columns, w, i, k;

	for (w = 0; w < out->windows; w++) {
		const double *x = out->x + w * p;
		double sum = 0;

		for (i = 0; i < p; i++)
			for (k = 0; x[i] != 0 && k < p; k++)
				sum += x[i] * out->pseudo[i * p + k] * x[k];
		out->leverage[w] = fmin(sum, 1);
	}
}

static double *doubles(size_t n)
{
	return calloc(n ? n : 1, sizeof(double));
}

/**
 * tl_design() - Take the counts apart
 * @in: counts
 * @out: filled in, to be given to tl_design_free(), after an error too
 *
 * Context: windows · classes² steps.
 * Return: 0; -EINVAL without rows or columns, -ENOMEM, -EDOM if it does not converge.
 */
int tl_design(const struct tl_design_in *in, struct tl_design_out *out)
{
	size_t p = in->classes + in->background;
	int code;

	*out = (struct tl_design_out){ .windows = in->windows, .classes = in->classes,
				       .columns = p };
	if (!in->windows || !in->classes)
		return -EINVAL;
	out->x = doubles(in->windows * p);
	out->scale = doubles(p);
	out->r = doubles(p * p);
	out->singular = doubles(p);
	out->v = doubles(p * p);
	out->pseudo = doubles(p * p);
	out->spread = doubles(p * p);
	out->leverage = doubles(in->windows);
	out->set = calloc(p, sizeof(*out->set));
	if (!out->x || !out->scale || !out->r || !out->singular || !out->v ||
	    !out->pseudo || !out->spread || !out->leverage || !out->set)
		return -ENOMEM;
	rates_fill(in, out);
	scale_fill(out);
	code = reduce(out);
	code = code ? code : decompose(out);
	if (code)
		return code;
	rank_find(out);
	sets_find(out);
	inverse_fill(out, out->pseudo, out->rank);
	if (out->rank == p)
		memcpy(out->spread, out->pseudo, p * p * sizeof(*out->spread));
	else
		inverse_fill(out, out->spread, p);
	leverage_fill(out);
	return 0;
}

/**
 * tl_design_gram() - X' X of the scaled columns, from R
 * @design: counts, taken apart
 * @gram: [columns][columns] set
 */
void tl_design_gram(const struct tl_design_out *design, double *gram)
{
	size_t p = design->columns, i, k, w;
	double sum;

	for (i = 0; i < p; i++)
		for (k = 0; k <= i; k++) {
			for (w = 0, sum = 0; w <= k; w++)
				sum += design->r[w * p + i] * design->r[w * p + k];
			gram[i * p + k] = gram[k * p + i] = sum;
		}
}

/**
 * tl_design_free() - Free what tl_design() allocated
 * @out: its result
 */
void tl_design_free(struct tl_design_out *out)
{
	free(out->x);
	free(out->scale);
	free(out->r);
	free(out->singular);
	free(out->v);
	free(out->pseudo);
	free(out->spread);
	free(out->leverage);
	free(out->set);
	*out = (struct tl_design_out){ 0 };
}
