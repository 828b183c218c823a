// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Closed queueing networks of one class with servers whose speed depends on their load
 *
 * Chance of n_1, n_2, ... customers at the stations is the product of their weights
 * f_s(n) = Π_{j = 1..n} D_s / speed_s(j) over the constant G(N) = Σ of all such products
 * with Σ n = N (J. P. Buzen, Computational Algorithms for Closed Queueing Networks with
 * Exponential Servers, Communications of the ACM 16, 1973). Delays are the first factor,
 * Z^n / n!. Throughput of N customers is G(N - 1) / G(N), and so many at a station have
 * the chance f_s(n) G_s(N - n) / G(N), G_s without that station.
 *
 * Everything is a sum of positive terms: unlike mean value analysis of such servers
 * (which takes the chance of an empty station as 1 - Σ of the others) nothing cancels.
 * The networks without a station are made by halves, not by dividing it out, which would
 * cancel as well. A constant speed from m customers on makes the weights geometric: a
 * convolution is N m steps, not N².
 *
 * A unit of time and a factor for each weight drop out of all that is asked for; they
 * are taken such that the numbers stay in range: per cycle at the asymptotic bound.
 */
#include "convolution.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* No more cycles than that are possible. */
static double bound_per_s(const struct tl_convolution_in *in)
{
	double cycle_s = in->delay_s, least_s = 0;
	size_t s, n;

	for (s = 0; s < in->stations; s++) {
		const struct tl_convolution_station *station = &in->station[s];
		double fastest = 0;

		for (n = 0; n < station->speeds; n++)
			fastest = fmax(fastest, station->speed[n]);
		cycle_s += station->demand_s / station->speed[0];
		least_s = fmax(least_s, station->demand_s / fastest);
	}
	cycle_s = fmax(cycle_s / (double)in->customers, least_s);
	return cycle_s > 0 ? 1 / cycle_s : 1;
}

static double speed_of(const struct tl_convolution_station *station, size_t there)
{
	return station->speed[there < station->speeds ? there - 1 : station->speeds - 1];
}

/* From their logarithms, so that the largest is 1. */
static void weights_fill(double *weight, size_t n)
{
	double most = weight[0];
	size_t i;

	for (i = 0; i <= n; i++)
		most = fmax(most, weight[i]);
	for (i = 0; i <= n; i++)
		weight[i] = exp(weight[i] - most);
}

static void station_weights(const struct tl_convolution_station *station, double scale,
			    double *weight, size_t n)
{
	size_t i;

	weight[0] = 0;
	for (i = 1; i <= n; i++)
		weight[i] = weight[i - 1] + log(station->demand_s * scale / speed_of(station, i));
	weights_fill(weight, n);
}

static void delay_weights(double delay_s, double scale, double *weight, size_t n)
{
	size_t i;

	weight[0] = 0;
	for (i = 1; i <= n; i++)
		weight[i] = weight[i - 1] + log(delay_s * scale / (double)i);
	weights_fill(weight, n);
}

/* @to: [n + 1] @from convolved with a station's weights, geometric from @tail on */
static void convolve(const double *from, const double *weight, size_t tail, double *to,
		     size_t n)
{
	double ratio, rest = 0;
	size_t i, j;

	tail = tail < n ? tail : n;
	ratio = tail < n && weight[tail] > 0 ? weight[tail + 1] / weight[tail] : 0;
	for (i = 0; i <= n; i++) {
		double sum = 0;

		for (j = 0; j < tail && j <= i; j++)
			sum += weight[j] * from[i - j];
		if (i >= tail)
			rest = rest * ratio + weight[tail] * from[i - tail];
		to[i] = sum + rest;
	}
}

struct halves {
	const struct tl_convolution_in *in;
	struct tl_convolution *out;
	double *spare; /* rows, two for each depth */
	size_t row;
};

static void others_join(const struct halves *h, const double *from, size_t low, size_t high,
			double *to, double *other)
{
	size_t n = h->in->customers, s;

	memcpy(to, from, h->row * sizeof(*to));
	for (s = low; s < high; s++) {
		convolve(to, h->out->weight + s * h->row, h->in->station[s].speeds, other, n);
		memcpy(to, other, h->row * sizeof(*to));
	}
}

/* @all: without the stations from @low to @high, which are put in but for one each. */
static void rests_fill(const struct halves *h, const double *all, size_t low, size_t high,
		       size_t depth)
{
	double *joined = h->spare + 2 * depth * h->row, *other = joined + h->row;
	size_t middle = low + (high - low) / 2;

	if (high - low == 1) {
		memcpy(h->out->rest + low * h->row, all, h->row * sizeof(*all));
		return;
	}
	others_join(h, all, middle, high, joined, other);
	rests_fill(h, joined, low, middle, depth + 1);
	others_join(h, all, low, middle, joined, other);
	rests_fill(h, joined, middle, high, depth + 1);
}

static size_t depth_of(size_t stations)
{
	size_t depth = 2;

	for (; stations; stations /= 2)
		depth++;
	return depth;
}

static int solution_new(const struct tl_convolution_in *in, struct tl_convolution *out)
{
	size_t row = in->customers + 1;

	*out = (struct tl_convolution){ .customers = in->customers, .stations = in->stations };
	out->throughput_per_s = calloc(row, sizeof(double));
	out->sum = calloc(row, sizeof(double));
	out->weight = calloc((in->stations + 1) * row, sizeof(double));
	out->rest = calloc((in->stations + 1) * row, sizeof(double));
	return out->throughput_per_s && out->sum && out->weight && out->rest ? 0 : -ENOMEM;
}

static void throughputs_fill(struct tl_convolution *out)
{
	size_t n;

	for (n = 1; n <= out->customers; n++)
		out->throughput_per_s[n] =
			out->sum[n] > 0 ? out->scale * out->sum[n - 1] / out->sum[n] : 0;
}

/**
 * tl_convolution() - Solve a closed network of one class
 * @in: network; some time in its cycle
 * @out: filled in; tl_convolution_free() frees it in any case
 *
 * Very small numbers of customers, when there are thousands, may have no throughput:
 * 0 where the constant is out of range.
 *
 * Return: 0, -ENOMEM, or -ERANGE if there is nothing in the cycle, or it is out of range.
 */
int tl_convolution(const struct tl_convolution_in *in, struct tl_convolution *out)
{
	struct halves h = { .in = in, .out = out, .row = in->customers + 1 };
	int code = solution_new(in, out);
	size_t s;

	h.spare = code ? NULL : calloc(2 * depth_of(in->stations) * h.row, sizeof(double));
	if (!h.spare)
		return -ENOMEM;
	out->scale = bound_per_s(in);
	for (s = 0; s < in->stations; s++)
		station_weights(&in->station[s], out->scale, out->weight + s * h.row,
				in->customers);
	delay_weights(in->delay_s, out->scale, h.spare, in->customers);
	others_join(&h, h.spare, 0, in->stations, out->sum, h.spare + h.row);
	if (in->stations)
		rests_fill(&h, h.spare, 0, in->stations, 1);
	throughputs_fill(out);
	free(h.spare);
	return !in->customers || (out->throughput_per_s[in->customers] > 0 &&
				  isfinite(out->throughput_per_s[in->customers])) ? 0 : -ERANGE;
}

/**
 * tl_convolution_free() - Free a solution
 * @out: solution
 */
void tl_convolution_free(struct tl_convolution *out)
{
	free(out->throughput_per_s);
	free(out->sum);
	free(out->weight);
	free(out->rest);
	*out = (struct tl_convolution){ 0 };
}

/**
 * tl_convolution_chance() - How likely so many are at a station
 * @net: solution
 * @station: index
 * @there: how many
 * @customers: of how many
 *
 * Return: 0 to 1.
 */
double tl_convolution_chance(const struct tl_convolution *net, size_t station, size_t there,
			     size_t customers)
{
	size_t row = net->customers + 1;

	if (there > customers || !(net->sum[customers] > 0))
		return 0;
	return net->weight[station * row + there] * net->rest[station * row + customers - there] /
	       net->sum[customers];
}

/**
 * tl_convolution_arrivals() - How often customers come to a station
 * @net: solution
 * @station: index
 * @elsewhere: how many are not there
 *
 * Return: cycles per second of so many in the network without the station.
 */
double tl_convolution_arrivals(const struct tl_convolution *net, size_t station,
			       size_t elsewhere)
{
	const double *rest = net->rest + station * (net->customers + 1);

	if (!elsewhere || !(rest[elsewhere] > 0))
		return 0;
	return net->scale * rest[elsewhere - 1] / rest[elsewhere];
}
