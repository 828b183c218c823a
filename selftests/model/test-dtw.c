// SPDX-License-Identifier: GPL-2.0-or-later
/* DTW against the recursion as it is written, with bands, limits, and series that are none. */
#include "tap.h"

#include "sim.h"

#include "model/dtw.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define MOST 40

static double series_a[MOST], series_b[MOST];

static void draw(struct sim *r, double *series, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		series[i] = (i ? series[i - 1] : 0) + sim_normal(r);
}

/* As it is written, all cells in memory, for any two lengths and a band as the header has it. */
static double by_hand(const struct tl_dtw_in *in)
{
	static double d[MOST + 1][MOST + 1];
	const double *a = in->n < in->m ? in->b : in->a, *b = in->n < in->m ? in->a : in->b;
	size_t n = in->n < in->m ? in->m : in->n, m = in->n < in->m ? in->n : in->m, i, j;
	double slope = n > 1 ? (double)(m - 1) / (double)(n - 1) : 1;

	for (i = 0; i <= n; i++)
		for (j = 0; j <= m; j++)
			d[i][j] = i || j ? INFINITY : 0;
	for (i = 0; i < n; i++)
		for (j = 0; j < m; j++) {
			if (in->band != TL_DTW_FULL &&
			    fabs((double)j - slope * (double)i) > fmax((double)in->band, 1) + 1e-9)
				continue;
			d[i + 1][j + 1] = fabs(a[i] - b[j]) +
					  fmin(fmin(d[i][j + 1], d[i + 1][j]), d[i][j]);
		}
	return d[n][m];
}

static void against_hand(struct sim *r)
{
	size_t trial, wrong = 0, turned = 0, early = 0, late = 0;

	for (trial = 0; trial < 4000; trial++) {
		size_t n = 1 + (size_t)(sim_uniform(r) * MOST), m = 1 + (size_t)(sim_uniform(r) * MOST);
		size_t band = sim_uniform(r) < 0.3 ? TL_DTW_FULL : (size_t)(sim_uniform(r) * 12);
		struct tl_dtw_in in = { series_a, series_b, n, m, band, 0 };
		struct tl_dtw_in back = { series_b, series_a, m, n, band, 0 };
		struct tl_dtw_out out, other;
		double want;

		draw(r, series_a, n);
		draw(r, series_b, m);
		want = by_hand(&in);
		wrong += tl_dtw(&in, &out) || !(fabs(out.distance - want) <= 1e-9 * (1 + want));
		turned += tl_dtw(&back, &other) || fabs(other.distance - want) > 1e-9 * (1 + want);
		/* Just above it is not given up, half of it is: or nothing is saved. */
		in.limit = want * 1.0001 + 1e-12;
		late += tl_dtw(&in, &out) || out.abandoned || out.distance > in.limit;
		in.limit = want / 2;
		early += want > 0 && (tl_dtw(&in, &out) || out.distance <= in.limit ||
				      out.distance > want * (1 + 1e-9));
	}
	is_u64(wrong, 0, "4000 pairs: the distance is that of the recursion, within any band");
	is_u64(turned, 0, "and the same the other way round");
	is_u64(late, 0, "a limit above the distance changes nothing");
	is_u64(early, 0, "one below it is told, with a bound that holds");
}

static void abandons(void)
{
	static double zero[20000], one[20000];
	struct tl_dtw_in in = { zero, one, 20000, 20000, TL_DTW_FULL, 5 };
	struct tl_dtw_out out = { 0 };
	size_t i;

	for (i = 0; i < 20000; i++)
		one[i] = 1;
	/* Of 4·10^8 cells about 50 are looked at: else the test would take seconds. */
	i = (size_t)tl_dtw(&in, &out);
	ok(!i && out.abandoned && out.distance > 5 && out.distance < 10,
	   "hopeless pairs are given up early (at %g)", out.distance);
}

static void closed_forms(void)
{
	double up[] = { 0, 1, 2, 3 }, slow[] = { 0, 0, 0, 1, 1, 2, 3, 3 }, high[] = { 1, 2, 3, 4 };
	struct tl_dtw_out out = { 0 };

	tl_dtw(&(struct tl_dtw_in){ up, slow, 4, 8, TL_DTW_FULL, 0 }, &out);
	ok(out.distance == 0, "the same at another speed is no distance");
	tl_dtw(&(struct tl_dtw_in){ up, high, 4, 4, TL_DTW_FULL, 0 }, &out);
	ok(out.distance == 2, "a step earlier: the ends only (%g)", out.distance);
	tl_dtw(&(struct tl_dtw_in){ up, up + 3, 4, 1, 1, 0 }, &out);
	ok(out.distance == 6, "against a single value: all (%g)", out.distance);
}

static void bad(void)
{
	double good[] = { 1, 2, 3 }, none[] = { 1, NAN, 3 }, far[] = { 1, INFINITY, 3 };
	double large[] = { 1e308, 1e308, 1e308 }, less[] = { -1e308, -1e308, -1e308 };
	struct tl_dtw_out out = { 0 };

	ok(tl_dtw(&(struct tl_dtw_in){ good, none, 3, 3, 1, 0 }, &out) == -EINVAL &&
	   tl_dtw(&(struct tl_dtw_in){ far, good, 3, 3, 1, 0 }, &out) == -EINVAL &&
	   tl_dtw(&(struct tl_dtw_in){ good, good, 0, 3, 1, 0 }, &out) == -EINVAL,
	   "what is no number, and no series, is refused");
	ok(tl_dtw(&(struct tl_dtw_in){ large, less, 3, 3, 1, 0 }, &out) == -ERANGE,
	   "a distance that numbers do not hold is refused");
}

int main(void)
{
	struct sim random = { 0 };

	sim_seed(&random, 7);
	against_hand(&random);
	abandons();
	closed_forms();
	bad();
	return done();
}
