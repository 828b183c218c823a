// SPDX-License-Identifier: GPL-2.0-or-later
/* The plane against the closed form with all features; what is uncertain, far off, or odd. */
#include "tap.h"

#include "sim.h"

#include "model/knn.h"
#include "model/local.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>

#define SAMPLES 24
#define FEATURES 6
#define EVENT 2
#define RIDGE 0.2 /* as in local.c */

static double x[SAMPLES * FEATURES], query[FEATURES], variance[FEATURES];
static struct tl_knn_near near;
static struct tl_local in = { x, FEATURES, EVENT, query, variance };

/* An event that is a plane and noise, of features with noise of the query's size. */
static void draw(struct sim *r, double noise)
{
	size_t i, c;

	near.n = SAMPLES;
	for (i = 0; i < SAMPLES; i++) {
		near.sample[i] = i;
		for (c = 0; c < FEATURES; c++)
			x[i * FEATURES + c] = 2 * sim_uniform(r) - 1;
		x[i * FEATURES + EVENT] = 5 + 2 * x[i * FEATURES] - 0.3 * x[i * FEATURES + 4] +
					  noise * (2 * sim_uniform(r) - 1);
	}
	for (c = 0; c < FEATURES; c++) {
		query[c] = 2 * sim_uniform(r) - 1;
		variance[c] = 0.3 * sim_uniform(r);
	}
}

static double moment(size_t a, size_t b)
{
	double sum = 0, mean_a = 0, mean_b = 0;
	size_t i;

	for (i = 0; i < SAMPLES; i++) {
		mean_a += x[i * FEATURES + a] / SAMPLES;
		mean_b += x[i * FEATURES + b] / SAMPLES;
	}
	for (i = 0; i < SAMPLES; i++)
		sum += (x[i * FEATURES + a] - mean_a) * (x[i * FEATURES + b] - mean_b);
	return sum / SAMPLES;
}

static double mean(size_t c)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < SAMPLES; i++)
		sum += x[i * FEATURES + c];
	return sum / SAMPLES;
}

/* b = (S + D)⁻¹ X'y / k, by all features. */
static struct tl_local_out closed_form(void)
{
	double s[FEATURES * FEATURES], to[FEATURES], b[FEATURES];
	gsl_matrix_view matrix = gsl_matrix_view_array(s, FEATURES, FEATURES);
	gsl_vector_view right = gsl_vector_view_array(to, FEATURES);
	gsl_vector_view solved = gsl_vector_view_array(b, FEATURES);
	struct tl_local_out out = { mean(EVENT), moment(EVENT, EVENT) };
	size_t a, c;

	for (a = 0; a < FEATURES; a++) {
		for (c = 0; c < FEATURES; c++)
			s[a * FEATURES + c] = a == EVENT || c == EVENT ? a == c : moment(a, c);
		if (a != EVENT)
			s[a * FEATURES + a] += variance[a] + RIDGE * moment(a, a);
		to[a] = a == EVENT ? 0 : moment(a, EVENT);
	}
	gsl_linalg_HH_solve(&matrix.matrix, &right.vector, &solved.vector);
	for (c = 0; c < FEATURES; c++) {
		out.value += b[c] * (query[c] - mean(c));
		out.variance -= c == EVENT ? 0 : b[c] * moment(c, EVENT);
	}
	return out;
}

static void against_closed_form(struct sim *r)
{
	struct tl_local_out got, want;
	double value = 0, spread = 0;
	int trial, code = 0;

	for (trial = 0; trial < 300; trial++) {
		draw(r, 0.1);
		code |= tl_local(&in, &near, &got);
		want = closed_form();
		value = fmax(value, fabs(got.value - want.value));
		spread = fmax(spread, fabs(got.variance - want.variance));
	}
	ok(!code && value < 1e-9, "300 planes: as the closed form has it, within %g", value);
	ok(spread < 1e-9, "and so is what is left of the event, within %g", spread);
}

static double said(void)
{
	struct tl_local_out out;

	return tl_local(&in, &near, &out) ? NAN : out.value;
}

static void uncertain(struct sim *r)
{
	struct tl_local_out sure, unsure;
	double before;
	size_t c;

	draw(r, 0);
	variance[0] = INFINITY;
	before = said();
	query[0] += 3;
	ok(said() == before, "a feature that is not known is not looked at");
	query[EVENT] += 3;
	ok(said() == before, "nor is the event itself");
	for (c = 0; c < FEATURES; c++)
		variance[c] = 0;
	tl_local(&in, &near, &sure);
	for (c = 0; c < FEATURES; c++)
		variance[c] = 1e9;
	tl_local(&in, &near, &unsure);
	ok(fabs(unsure.value - mean(EVENT)) < 1e-6, "nothing is certain: the mean");
	ok(sure.variance < 0.3 * unsure.variance, "and far less certain: variance %g, not %g",
	   unsure.variance, sure.variance);
}

static void far_off(struct sim *r)
{
	double before, least, most;

	draw(r, 0);
	query[0] = 50;
	before = said();
	query[0] = 5000;
	ok(said() == before, "a feature far off is taken no farther than all samples");
	draw(r, 0);
	near.n = 1;
	ok(fabs(said() - x[EVENT]) < 1e-12, "of a single sample it is what that has");
	draw(r, 0);
	least = said();
	x[7 * FEATURES + EVENT] += 1000;
	most = said();
	ok(fabs(most - least) < 3, "a sample whose event is odd by 1000 moves it by %g",
	   fabs(most - least));
}

int main(void)
{
	struct sim random = { 0 };

	gsl_set_error_handler_off();
	sim_seed(&random, 21);
	against_closed_form(&random);
	uncertain(&random);
	far_off(&random);
	return done();
}
