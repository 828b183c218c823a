// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Dynamic time warping
 *
 *	D(i,j) = |a_i - b_j| + min { D(i-1,j), D(i,j-1), D(i-1,j-1) }
 *
 * and the distance is D(n-1,m-1): time is bent until two series are as alike as they can
 * be. The band of Sakoe and Chiba, |j - s i| <= w with s = (m-1)/(n-1), keeps it from
 * being bent at will, and the work at n w.
 *
 * Cells are computed by the diagonals i + j = d: those of one do not wait for each other,
 * as those of a row do, and a processor adds several at once. Three diagonals are all that
 * is kept. Every path meets one of any two diagonals that follow each other, and costs are
 * not negative: once the least of both is above the limit, so is the distance.
 *
 * With n >= m the ends of a diagonal's cells never go back, and never on by more than one;
 * what lies beside them is infinite.
 *
 * Sources: H. Sakoe, S. Chiba, IEEE Trans. ASSP 26 (1978); E. Keogh, C. A. Ratanamahatana,
 * Knowl. Inf. Syst. 7 (2005). Paper 003, 2.2.
 */
#include "dtw.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* @b is turned round, so that both series are walked through in one direction. */
struct work {
	const double *a;
	size_t n, m;
	double slope, band;
	double *b, *row[3];
};

static double lesser(double x, double y)
{
	return x < y ? x : y;
}

#define EDGE 1e-6 /* of a place: cells on the edge of the band are in it, however numbers are rounded */

/* The first and the last cell of a diagonal; there is at least one. */
static void span(const struct work *s, size_t d, size_t *low, size_t *high)
{
	double from = ceil(((double)d - s->band) / (1 + s->slope) - EDGE);
	double to = floor(((double)d + s->band) / (1 + s->slope) + EDGE);

	*low = d >= s->m ? d - s->m + 1 : 0;
	*high = d < s->n ? d : s->n - 1;
	if (from > (double)*low)
		*low = (size_t)from;
	if (to < (double)*high)
		*high = (size_t)to;
}

/* @now, @last, @before: cells by i + 1, so that there is one beside the first. */
__attribute__((optimize("O3"))) static void
diagonal(const double *restrict a, const double *restrict b, double *restrict now,
		     const double *restrict last, const double *restrict before, size_t cells)
{
	size_t i;

	for (i = 0; i < cells; i++)
		now[i + 1] = fabs(a[i] - b[i]) +
			     lesser(lesser(last[i + 1], last[i]), before[i]);
}

static double least(const double *row, size_t low, size_t high)
{
	double min = INFINITY;
	size_t i;

	for (i = low; i <= high; i++)
		min = lesser(min, row[i + 1]);
	return min;
}

static void warp(struct work *s, double limit, struct tl_dtw_out *out)
{
	double min = 0, min_last;
	size_t d, low, high;

	/* D(-1,-1) is nothing: the first cell comes from it. */
	s->row[1][0] = 0;
	for (d = 0; d < s->n + s->m - 1; d++) {
		double *now = s->row[d % 3], *last = s->row[(d + 2) % 3];

		span(s, d, &low, &high);
		diagonal(s->a + low, s->b + (s->m - 1 - d + low), now + low, last + low,
			 s->row[(d + 1) % 3] + low, high - low + 1);
		now[low] = INFINITY;
		now[high + 2] = INFINITY;
		if (limit <= 0)
			continue;
		min_last = min;
		min = least(now, low, high);
		if (lesser(min, min_last) > limit) {
			*out = (struct tl_dtw_out){ lesser(min, min_last), true };
			return;
		}
	}
	*out = (struct tl_dtw_out){ s->row[(d - 1) % 3][s->n], false };
}

static bool is_sound(const double *value, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!isfinite(value[i]))
			return false;
	return n > 0;
}

/**
 * tl_dtw() - Distance of two series under bent time
 * @in: they
 * @out: filled in
 *
 * Time n w, memory n + m for n values of the longer one and a band w.
 *
 * Return: 0; -EINVAL if one is empty or has what is no number; -ERANGE if it is more than
 * numbers hold; -ENOMEM.
 */
int tl_dtw(const struct tl_dtw_in *in, struct tl_dtw_out *out)
{
	bool turn = in->n < in->m;
	size_t n = turn ? in->m : in->n, m = turn ? in->n : in->m, i;
	const double *b = turn ? in->a : in->b;
	struct work s = { .a = turn ? in->b : in->a, .n = n, .m = m };
	double *memory;

	*out = (struct tl_dtw_out){ 0 };
	if (!is_sound(in->a, in->n) || !is_sound(in->b, in->m))
		return -EINVAL;
	memory = n < SIZE_MAX / 64 ? malloc((m + 3 * (n + 2)) * sizeof(*memory)) : NULL;
	if (!memory)
		return -ENOMEM;
	s.slope = n > 1 ? (double)(m - 1) / (double)(n - 1) : 1;
	s.band = in->band == TL_DTW_FULL ? (double)(n + m) : fmax((double)in->band, 1);
	s.b = memory;
	for (i = 0; i < m; i++)
		s.b[i] = b[m - 1 - i];
	for (i = 0; i < 3; i++)
		s.row[i] = memory + m + i * (n + 2);
	for (i = m; i < m + 3 * (n + 2); i++)
		memory[i] = INFINITY;
	warp(&s, in->limit, out);
	free(memory);
	return isfinite(out->distance) ? 0 : -ERANGE;
}
