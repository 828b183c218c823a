// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Local medians: what a series was around a place, whatever a few values say
 *
 * Half of the values may be arbitrarily wrong before their median is. Source: J. W. Tukey,
 * Exploratory Data Analysis (1977), 7A; as a filter of counts: paper 003, 2.3.
 */
#include "median.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#define ROOM 64

/**
 * tl_quantile() - What a part of some values is not above
 * @value: [@n] they; sorted afterwards
 * @n: how many, 0 gives 0
 * @part: 0 to 1
 *
 * Return: it, by linear interpolation.
 */
double tl_quantile(double *value, size_t n, double part)
{
	if (!n)
		return 0;
	gsl_sort(value, 1, n);
	return gsl_stats_quantile_from_sorted_data(value, 1, n, part);
}

/**
 * tl_median() - Median of some values
 * @value: [@n] they; sorted afterwards
 * @n: how many, 0 gives 0
 *
 * Return: it.
 */
double tl_median(double *value, size_t n)
{
	return tl_quantile(value, n, 0.5);
}

/* The next @want good ones from @at in one direction. */
static size_t side(const struct tl_median_in *in, long step, double *found)
{
	long at = (long)in->at + step;
	size_t n = 0;

	for (; at >= 0 && at < (long)in->n && n < in->want && n < ROOM / 2; at += step)
		if (!in->bad || !in->bad[(size_t)at * in->stride])
			found[n++] = in->value[(size_t)at * in->stride];
	return n;
}

/**
 * tl_median_local() - Median of the good values nearest to a place, without that place
 * @in: series and place
 * @median: filled in; 0 if there is none
 *
 * Return: 0; -ENODATA if none of the others is good.
 */
int tl_median_local(const struct tl_median_in *in, double *median)
{
	double found[ROOM];
	size_t n = side(in, -1, found);

	n += side(in, 1, found + n);
	*median = tl_median(found, n);
	return n ? 0 : -ENODATA;
}
