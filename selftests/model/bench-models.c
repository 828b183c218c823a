// SPDX-License-Identifier: GPL-2.0-or-later
/* How long the models take for 60 windows of 22 classes and 12 resources. */
#include "sim.h"

#include "model/baseline.h"
#include "model/design.h"
#include "model/nnls.h"
#include "model/ols.h"
#include "model/residence.h"
#include "model/ridge.h"
#include "model/sdl.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <time.h>

#define N 60
#define P 22
#define R 12
#define TIMES 50

static double count[N * P], times[N * P], seconds[N], busy[R][N], residual[N];
static struct tl_estimate estimate[P + 1], other[P + 1];

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void draw(struct sim *r)
{
	size_t w, i, k;

	for (w = 0; w < N; w++) {
		seconds[w] = 10;
		for (i = 0; i < P; i++) {
			count[w * P + i] = (double)(int)(60 * sim_uniform(r));
			times[w * P + i] = 0.004 * count[w * P + i] * (1 + sim_uniform(r));
		}
		for (k = 0; k < R; k++)
			for (i = 0, busy[k][w] = 0.02; i < P; i++)
				busy[k][w] += 1e-3 * (double)((i * k) % 5) *
					      count[w * P + i] / seconds[w];
	}
}

static void design(struct tl_design_out *out)
{
	tl_design(&(struct tl_design_in){ N, P, count, seconds, true }, out);
}

static void linear(int (*model)(const struct tl_ols_in *, struct tl_ols_out *))
{
	struct tl_ols_out out = { .coefficient = estimate, .residual = residual };
	struct tl_design_out d;
	size_t k;

	design(&d);
	for (k = 0; k < R; k++)
		model(&(struct tl_ols_in){ &d, busy[k] }, &out);
	tl_design_free(&d);
}

static void by_ols(void)
{
	linear(tl_ols);
}

static void by_nnls(void)
{
	linear(tl_nnls_regression);
}

static void by_ridge(void)
{
	linear(tl_ridge);
}

static void by_baseline(void)
{
	linear(tl_baseline);
}

static void by_sdl(void)
{
	struct tl_sdl_out out = { .demand = estimate, .residual = residual };
	size_t k;

	for (k = 0; k < R; k++)
		tl_sdl(&(struct tl_sdl_in){ N, P, count, times, seconds, busy[k], NULL }, &out);
}

static void by_residence(void)
{
	struct tl_residence_out out = { .service = estimate, .demand = other };
	size_t k;

	for (k = 0; k < R; k++)
		tl_residence(&(struct tl_residence_in){ N, P, 1, count, times, seconds,
							 busy[k] }, &out);
}

int main(void)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} models[] = {
		{ "baseline", by_baseline }, { "ols", by_ols }, { "nnls", by_nnls },
		{ "ridge", by_ridge }, { "residence", by_residence }, { "sdl", by_sdl },
	};
	struct sim *r = calloc(1, sizeof(*r));
	double begin;
	size_t i, k;

	gsl_set_error_handler_off();
	sim_seed(r, 1);
	draw(r);
	printf("%d windows, %d classes, %d resources, ms of processor time:\n", N, P, R);
	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		begin = now_s();
		for (k = 0; k < TIMES; k++)
			models[i].run();
		printf("%-10s %8.2f\n", models[i].name, 1e3 * (now_s() - begin) / TIMES);
	}
	free(r);
	return 0;
}
