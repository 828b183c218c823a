// SPDX-License-Identifier: GPL-2.0-or-later
/* Regressions against GSL's own, closed forms and sums written out. */
#include "tap.h"

#include "sim.h"

#include "model/baseline.h"
#include "model/design.h"
#include "model/nnls.h"
#include "model/ols.h"
#include "model/queue.h"
#include "model/residence.h"
#include "model/ridge.h"
#include "model/sdl.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N 700 /* more than a block of rows */
#define P 6

struct data {
	size_t n, p;
	double count[N * P], seconds[N], target[N], residual[N];
	struct tl_design_out design;
	struct tl_estimate coefficient[P + 1];
	struct tl_ols_out out;
};

static void data_draw(struct sim *r, struct data *d, size_t n, size_t p, double noise)
{
	size_t w, i;

	memset(d, 0, sizeof(*d));
	d->n = n;
	d->p = p;
	for (w = 0; w < n; w++) {
		d->seconds[w] = 5 + 5 * sim_uniform(r);
		d->target[w] = 0.05 + noise * sim_normal(r);
		for (i = 0; i < p; i++) {
			d->count[w * p + i] = floor(100 * sim_uniform(r));
			d->target[w] += 1e-3 * (double)(i + 1) * d->count[w * p + i] /
					d->seconds[w];
		}
	}
	d->out = (struct tl_ols_out){ .coefficient = d->coefficient,
				      .residual = d->residual };
}

static int design(struct data *d, bool background)
{
	struct tl_design_in in = { d->n, d->p, d->count, d->seconds, background };

	tl_design_free(&d->design);
	return tl_design(&in, &d->design);
}

static struct tl_ols_in in_of(const struct data *d)
{
	return (struct tl_ols_in){ &d->design, d->target, false };
}

static void test_gsl(struct sim *r, size_t n)
{
	gsl_multifit_linear_workspace *space = gsl_multifit_linear_alloc(n, P + 1);
	gsl_matrix *x = gsl_matrix_alloc(n, P + 1), *cov = gsl_matrix_alloc(P + 1, P + 1);
	gsl_vector *y = gsl_vector_alloc(n), *c = gsl_vector_alloc(P + 1);
	struct data *d = malloc(sizeof(*d));
	struct tl_ols_in in;
	double rss, worst = 0;
	size_t w, i;

	data_draw(r, d, n, P, 0.02);
	design(d, true);
	for (w = 0; w < n; w++) {
		gsl_vector_set(y, w, d->target[w]);
		for (i = 0; i < P; i++)
			gsl_matrix_set(x, w, i, d->count[w * P + i] / d->seconds[w]);
		gsl_matrix_set(x, w, P, 1);
	}
	gsl_multifit_linear(x, y, c, cov, &rss, space);
	in = in_of(d);
	tl_ols(&in, &d->out);
	for (i = 0; i <= P; i++)
		worst = fmax(worst, fabs(d->coefficient[i].value / gsl_vector_get(c, i) - 1));
	ok(worst < 1e-9, "coefficients of %zu windows are GSL's: %.2g", n, worst);
	ok(fabs(d->out.residual_sd * d->out.residual_sd * (double)(n - P - 1) / rss - 1) < 1e-9,
	   "so is the sum of squares");
	tl_design_free(&d->design);
	gsl_multifit_linear_free(space);
	gsl_matrix_free(x);
	gsl_matrix_free(cov);
	gsl_vector_free(y);
	gsl_vector_free(c);
	free(d);
}

/* One column: everything by hand. */
static void test_by_hand(struct sim *r, bool drifting)
{
	double xx = 0, xy = 0, meat = 0, slope, e[60], x[60], lag1 = 0, lag2 = 0, lag3 = 0;
	struct data *d = malloc(sizeof(*d));
	struct tl_ols_in in;
	double want;
	size_t w;

	data_draw(r, d, 60, 1, 0.02);
	for (w = 1; drifting && w < d->n; w++)
		d->target[w] += 0.8 * (d->target[w - 1] - 0.05 -
				       1e-3 * d->count[w - 1] / d->seconds[w - 1]);
	design(d, false);
	for (w = 0; w < d->n; w++) {
		x[w] = d->count[w] / d->seconds[w];
		xx += x[w] * x[w];
		xy += x[w] * d->target[w];
	}
	slope = xy / xx;
	for (w = 0; w < d->n; w++) {
		e[w] = x[w] * (d->target[w] - slope * x[w]) / (1 - x[w] * x[w] / xx);
		meat += e[w] * e[w];
		lag1 += w > 0 ? e[w] * e[w - 1] : 0;
		lag2 += w > 1 ? e[w] * e[w - 2] : 0;
		lag3 += w > 2 ? e[w] * e[w - 3] : 0;
	}
	in = in_of(d);
	tl_ols(&in, &d->out);
	/* 60 windows: floor(4 · 0.6^(2/9)) = 3 lags. */
	want = drifting ? meat + 2 * (0.75 * lag1 + 0.5 * lag2 + 0.25 * lag3) : meat;
	ok(d->out.newey_west == drifting && fabs(d->coefficient[0].value / slope - 1) < 1e-12 &&
		   fabs(d->coefficient[0].error / (sqrt(want) / xx) - 1) < 1e-9,
	   "%s errors, written out", drifting ? "Newey and West's" : "HC3");
	tl_design_free(&d->design);
	free(d);
}

static void test_exact(struct sim *r)
{
	static int (*const models[])(const struct tl_ols_in *, struct tl_ols_out *) = {
		tl_ols, tl_nnls_regression, tl_ridge,
	};
	static const char *const names[] = { "ols", "nnls", "ridge" };
	struct data *d = malloc(sizeof(*d));
	struct tl_ols_in in;
	double worst;
	size_t m, i;

	data_draw(r, d, 40, P, 0);
	design(d, true);
	in = in_of(d);
	for (m = 0; m < 3; m++) {
		models[m](&in, &d->out);
		for (i = 0, worst = fabs(d->coefficient[P].value - 0.05); i < P; i++)
			worst = fmax(worst, fabs(d->coefficient[i].value /
						 (1e-3 * (double)(i + 1)) - 1));
		ok(worst < 1e-5, "%s gives back what there was without noise: %.2g", names[m],
		   worst);
	}
	ok(d->design.rank == P + 1 && !d->design.sets, "nothing is inseparable in it");
	tl_design_free(&d->design);
	free(d);
}

/* Two independent dependencies: 1 = 3 · 0, and 4 = 2 + 3. */
static void test_sets(struct sim *r)
{
	struct data *d = malloc(sizeof(*d));
	const size_t *set;
	struct tl_ols_in in;
	size_t w;

	data_draw(r, d, 50, P, 0.01);
	for (w = 0; w < d->n; w++) {
		d->count[w * P + 1] = 3 * d->count[w * P];
		d->count[w * P + 4] = d->count[w * P + 2] + d->count[w * P + 3];
	}
	design(d, true);
	set = d->design.set;
	ok(d->design.sets == 2 && set[0] && set[0] == set[1] && set[2] && set[2] == set[3] &&
		   set[3] == set[4] && set[0] != set[2] && !set[5] && !set[P],
	   "two sets, each with its members and nobody else");
	ok(d->design.rank == P - 1 && d->design.condition > 1e8, "rank %zu, condition %.2g",
	   d->design.rank, d->design.condition);
	in = in_of(d);
	tl_nnls_regression(&in, &d->out);
	ok(d->coefficient[0].verdict == TL_VERDICT_INSEPARABLE &&
		   d->coefficient[4].verdict == TL_VERDICT_INSEPARABLE &&
		   d->coefficient[5].verdict == TL_VERDICT_OK &&
		   d->coefficient[5].low95 < 6e-3 && d->coefficient[5].high95 > 6e-3,
	   "the class that is in none keeps its demand");
	for (w = 0; w < d->n; w++)
		d->count[w * P + 5] = 7 * d->seconds[w];
	design(d, true);
	ok(d->design.set[5] && d->design.set[5] == d->design.set[P],
	   "a class that never changes cannot be told from the background");
	for (w = 0; w < d->n; w++)
		d->count[w * P + 5] = 0;
	design(d, true);
	in = in_of(d);
	tl_ols(&in, &d->out);
	ok(d->design.absent == 1 && !d->design.set[5] &&
		   d->coefficient[5].verdict == TL_VERDICT_ABSENT, "one that never came is absent");
	tl_design_free(&d->design);
	free(d);
}

static void test_few(struct sim *r)
{
	struct data *d = malloc(sizeof(*d));
	struct tl_ols_in in;

	data_draw(r, d, P + 1, P, 0.01);
	design(d, true);
	in = in_of(d);
	ok(tl_ols(&in, &d->out) == -ERANGE && tl_nnls_regression(&in, &d->out) == -ERANGE &&
		   tl_ridge(&in, &d->out) == -ERANGE, "as many windows as columns are too few");
	ok(!tl_baseline(&in, &d->out) && d->coefficient[0].value == d->coefficient[P - 1].value,
	   "enough for the baseline");
	tl_design_free(&d->design);
	free(d);
}

/* R = S / (1 - U) for all windows: service times come back, the factor is 1. */
static void test_residence(struct sim *r)
{
	double count[60 * 2], time[60 * 2], busy[60], seconds[60], slow;
	struct tl_residence_in in = { 60, 2, 1, count, time, seconds, busy };
	struct tl_estimate service[2];
	struct tl_residence_out out = { .service = service };
	size_t w, i;

	for (w = 0; w < 60; w++) {
		seconds[w] = 10;
		busy[w] = 0.1 + 0.7 * sim_uniform(r);
		slow = 1 + 0.5 * busy[w] / (1 - busy[w]);
		for (i = 0; i < 2; i++) {
			count[2 * w + i] = floor(200 * busy[w] * (1 + sim_uniform(r)));
			time[2 * w + i] = count[2 * w + i] * slow * (i ? 0.02 : 0.003);
		}
	}
	ok(!tl_residence(&in, &out) && fabs(out.factor.value - 0.5) < 1e-4 &&
		   fabs(service[0].value - 0.003) < 1e-6 && fabs(service[1].value - 0.02) < 1e-5,
	   "residence finds service times and half the waiting");
	for (w = 0; w < 60; w++) {
		busy[w] = 0.5;
		for (i = 0; i < 2; i++)
			time[2 * w + i] = count[2 * w + i] * 2 * (i ? 0.02 : 0.003);
	}
	ok(!tl_residence(&in, &out) && out.factor.value == 1 &&
		   fabs(service[1].value - 0.02) < 1e-9,
	   "under a constant load it takes the law at its word");
}

/* A class with a window or two of its own draws the line through them: no residual is
 * left to tell how much they scatter. */
static void test_rare(struct sim *r, size_t windows)
{
	struct data *d = malloc(sizeof(*d));
	int inside = 0, all = 300, k;
	struct tl_ols_in in;
	size_t w;

	for (k = 0; k < all; k++) {
		data_draw(r, d, 40, 2, 0);
		for (w = 0; w < d->n; w++) {
			d->count[2 * w + 1] = w < windows ? 3 : 0;
			d->target[w] = (1e-3 * d->count[2 * w] + 0.2 * d->count[2 * w + 1]) /
				       d->seconds[w] + 0.05 + 0.01 * sim_normal(r);
		}
		design(d, true);
		in = in_of(d);
		inside += !tl_ols(&in, &d->out) && d->coefficient[1].verdict <=
			  TL_VERDICT_ZERO && d->coefficient[1].high95 >= 0.2 &&
			  d->coefficient[1].low95 <= 0.2;
		tl_design_free(&d->design);
	}
	ok(inside >= 0.9 * all, "%zu windows with a class: %d of %d intervals contain the truth",
	   windows, inside, all);
	free(d);
}

/* It came, but the last block that is left out has all of it. */
static void test_late(void)
{
	double count[40 * 2], time[40 * 2], busy[40], seconds[40];
	struct tl_residence_in in = { 40, 2, 1, count, time, seconds, busy };
	struct tl_estimate service[2];
	struct tl_residence_out out = { .service = service };
	size_t w, i;

	for (w = 0; w < 40; w++) {
		seconds[w] = 10;
		busy[w] = 0.3 + 0.01 * (double)w;
		for (i = 0; i < 2; i++) {
			count[2 * w + i] = i && w < 39 ? 0 : 100 + 30 * (double)(w % 10);
			time[2 * w + i] = count[2 * w + i] * 0.003 / (1 - busy[w]);
		}
	}
	ok(!tl_residence(&in, &out) && service[1].verdict == TL_VERDICT_ZERO,
	   "a class that came in the last window only is not said never to have come");
}

/* y = Σ a n + 1.5 Q */
static void test_queue(struct sim *r)
{
	struct data *d = malloc(sizeof(*d));
	struct tl_estimate factor[1];
	struct tl_queue_in in;
	struct tl_queue_out out;
	double busy[60];
	size_t w;
	int code;

	data_draw(r, d, 60, 2, 0);
	for (w = 0; w < d->n; w++) {
		busy[w] = 0.9 * sim_uniform(r);
		d->target[w] += 1.5 * busy[w] * busy[w] / (1 - busy[w]) - 0.05;
	}
	design(d, false);
	in = (struct tl_queue_in){ in_of(d), NULL, 1, busy };
	out = (struct tl_queue_out){ d->out, factor };
	ok(!tl_queue(&in, &out) && fabs(factor[0].value - 1.5) < 1e-6 &&
		   fabs(d->coefficient[0].value - 1e-3) < 1e-8 &&
		   fabs(d->coefficient[1].value - 2e-3) < 1e-8,
	   "queue takes off the waiting that there is");
	/* Noise as near saturation: quiet windows must count for more. */
	for (w = 0; w < d->n; w++)
		d->target[w] += 5e-4 / pow(1 - busy[w], 2) * sim_normal(r);
	code = tl_queue(&in, &out);
	ok(!code && d->coefficient[0].error < 6e-5,
	   "the busiest windows do not drown all others: %.2g", d->coefficient[0].error);
	for (w = 0; w < d->n; w++) {
		d->target[w] = 1e-3 * (d->count[2 * w] + 2 * d->count[2 * w + 1]) / d->seconds[w];
		d->target[w] += 0.5;
		busy[w] = 0.5;
	}
	ok(!tl_queue(&in, &out) && fabs(d->coefficient[1].value - 2e-3) < 1e-8,
	   "and a constant one");
	tl_design_free(&d->design);
	free(d);
}

/* Heavy requests come when it is slow: sums alone would give them too much. */
static void test_sdl(struct sim *r)
{
	double count[80 * 2], time[80 * 2], busy[80], seconds[80], residual[80], slow, load;
	double outside[80];
	struct tl_sdl_in in = { 80, 2, count, time, seconds, busy, NULL };
	struct tl_estimate demand[2];
	struct tl_sdl_out out = { .demand = demand, .residual = residual };
	size_t w;

	for (w = 0; w < 80; w++) {
		seconds[w] = 10;
		count[2 * w] = floor(300 * sim_uniform(r)) + 50;
		count[2 * w + 1] = w % 2 ? 100 : 5;
		load = (0.003 * count[2 * w] + 0.02 * count[2 * w + 1]) / 10;
		busy[w] = 0.1 + load;
		slow = w % 2 ? 8 : 1;
		time[2 * w] = slow * 0.003 * count[2 * w];
		time[2 * w + 1] = slow * 0.02 * count[2 * w + 1];
	}
	ok(!tl_sdl(&in, &out) && out.background_known && fabs(out.background.value - 0.1) < 1e-9 &&
		   fabs(demand[0].value - 0.003) < 1e-9 && fabs(demand[1].value - 0.02) < 1e-9,
	   "the service demand law gives back what there was, and the background");
	/* Of what is charged to nobody, most grows with the load. */
	for (w = 0; w < 80; w++)
		outside[w] = busy[w] / 2;
	in.background = outside;
	ok(!tl_sdl(&in, &out) && fabs(demand[1].value - 0.02) < 1e-9 &&
		   fabs(out.background.value - 0.1) < 1e-9,
	   "what is charged to nobody does not pass for the background if a line tells better");
	for (w = 0; w < 160; w++)
		count[w] = w % 2 ? 20 : 100;
	for (w = 0; w < 160; w++)
		time[w] = count[w] * (w % 2 ? 0.02 : 0.003);
	for (w = 0; w < 80; w++)
		busy[w] = 0.07;
	for (w = 0; w < 80; w++)
		outside[w] = 0.035;
	ok(!tl_sdl(&in, &out) && out.background_known &&
		   fabs(out.background.value - 0.035) < 1e-9 &&
		   fabs(demand[0].value - 0.0015) < 1e-9, "else it does");
	in.background = NULL;
	ok(!tl_sdl(&in, &out) && !out.background_known && fabs(demand[0].value - 0.003) < 1e-9,
	   "without any variation it is the law itself");
}

int main(void)
{
	struct sim *r = calloc(1, sizeof(*r));

	gsl_set_error_handler_off();
	sim_seed(r, 5);
	test_gsl(r, 60);
	test_gsl(r, N);
	test_by_hand(r, false);
	test_by_hand(r, true);
	test_exact(r);
	test_sets(r);
	test_few(r);
	test_rare(r, 1);
	test_rare(r, 2);
	test_residence(r);
	test_late();
	test_queue(r);
	test_sdl(r);
	free(r);
	return done();
}
