// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bounds of a closed network of single servers, from its demands alone
 *
 * D = Σ D_s, D_max the largest. Asymptotic: N / (N D + Z) <= X <= min(N / (D + Z),
 * 1 / D_max). Balanced jobs (J. Zahorjan, K. C. Sevcik, D. L. Eager, B. Galler,
 * Communications of the ACM 25, 1982): a network with all demands alike queues least,
 * one with as much as possible at the largest queues most:
 * N / (D + Z + (N - 1) D_max / (1 + Z / (N D))) <= X <=
 * min(1 / D_max, N / (D + Z + (N - 1) D_mean / (1 + Z / D))).
 * R = N / X - Z turns one into the other.
 */
#include "bounds.h"

#include <errno.h>
#include <math.h>

struct demands {
	double sum_s, most_s, mean_s;
};

static int demands_take(double customers, double think_s, size_t stations,
			const double *demand_s, struct demands *d)
{
	size_t s;

	*d = (struct demands){ 0 };
	for (s = 0; s < stations; s++) {
		if (!(demand_s[s] >= 0) || !isfinite(demand_s[s]))
			return -EINVAL;
		d->sum_s += demand_s[s];
		d->most_s = fmax(d->most_s, demand_s[s]);
	}
	if (!(customers >= 1) || !(think_s >= 0) || !(d->most_s > 0))
		return -EINVAL;
	d->mean_s = d->sum_s / (double)stations;
	return 0;
}

static void out_fill(double customers, double think_s, double low_per_s, double high_per_s,
		     struct tl_bounds_out *out)
{
	*out = (struct tl_bounds_out){ .throughput_low_per_s = low_per_s,
				       .throughput_high_per_s = high_per_s,
				       .response_low_s = customers / high_per_s - think_s,
				       .response_high_s = customers / low_per_s - think_s };
}

/**
 * tl_bounds_asymptotic() - Asymptotic bounds
 * @customers: how many, at least 1
 * @think_s: mean think time
 * @stations: how many, of one server each
 * @demand_s: [stations] in a cycle, one at least above 0
 * @out: filled in
 *
 * Return: 0 or -EINVAL.
 */
int tl_bounds_asymptotic(double customers, double think_s, size_t stations,
			 const double *demand_s, struct tl_bounds_out *out)
{
	struct demands d;
	int code = demands_take(customers, think_s, stations, demand_s, &d);

	if (!code)
		out_fill(customers, think_s, customers / (customers * d.sum_s + think_s),
			 fmin(customers / (d.sum_s + think_s), 1 / d.most_s), out);
	return code;
}

/**
 * tl_bounds_balanced() - Balanced job bounds
 * @customers: how many, at least 1
 * @think_s: mean think time
 * @stations: how many, of one server each
 * @demand_s: [stations] in a cycle, one at least above 0
 * @out: filled in
 *
 * Return: 0 or -EINVAL.
 */
int tl_bounds_balanced(double customers, double think_s, size_t stations,
		       const double *demand_s, struct tl_bounds_out *out)
{
	struct demands d;
	int code = demands_take(customers, think_s, stations, demand_s, &d);
	double low_s, high_s;

	if (code)
		return code;
	low_s = d.sum_s + think_s + (customers - 1) * d.mean_s / (1 + think_s / d.sum_s);
	high_s = d.sum_s + think_s +
		 (customers - 1) * d.most_s / (1 + think_s / (customers * d.sum_s));
	out_fill(customers, think_s, customers / high_s,
		 fmin(1 / d.most_s, customers / low_s), out);
	return 0;
}
