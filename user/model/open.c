// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Queues and networks with Poisson arrivals from outside
 *
 * M/M/m by Erlang's formulae, as the recursion B(0) = 1, B(i) = a B(i-1) / (i + a B(i-1)),
 * a = λ S, and C = B / (1 - ρ (1 - B)); W = C S / (m (1 - ρ)). M/G/1 after Pollaczek and
 * Khinchine: W = ρ S (1 + c²) / (2 (1 - ρ)). M/M/m/K from the weights of its states,
 * a^n / Π min(j, m), taken as multiples of the largest so far. Networks have product
 * form: each station by itself, with the classes' demands as one (L. Kleinrock, Queueing
 * Systems 1, 1975). A station that is asked for all it has, or more, has no steady state.
 */
#include "open.h"

#include "mva.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

static bool sane(double arrivals_per_s, double service_s)
{
	return arrivals_per_s >= 0 && isfinite(arrivals_per_s) && service_s > 0 &&
	       isfinite(service_s);
}

static void out_fill(struct tl_open_out *out, double throughput_per_s, double waiting_s,
		     double service_s, double servers)
{
	*out = (struct tl_open_out){ .utilisation = throughput_per_s * service_s / servers,
				     .throughput_per_s = throughput_per_s,
				     .response_s = waiting_s + service_s,
				     .number = throughput_per_s * (waiting_s + service_s) };
}

/**
 * tl_open_mg1() - M/G/1
 * @arrivals_per_s: λ
 * @service_s: mean S, above 0
 * @cv2: its squared coefficient of variation
 * @out: filled in
 *
 * Return: 0, -EDOM if there is no steady state, or -EINVAL.
 */
int tl_open_mg1(double arrivals_per_s, double service_s, double cv2, struct tl_open_out *out)
{
	double busy = arrivals_per_s * service_s;

	if (!sane(arrivals_per_s, service_s) || !(cv2 >= 0) || !isfinite(cv2))
		return -EINVAL;
	if (busy >= 1)
		return -EDOM;
	out_fill(out, arrivals_per_s, busy * service_s * (1 + cv2) / (2 * (1 - busy)), service_s,
		 1);
	return 0;
}

/**
 * tl_open_mm1() - M/M/1
 * @arrivals_per_s: λ
 * @service_s: mean, above 0
 * @out: filled in
 *
 * Return: 0, -EDOM if there is no steady state, or -EINVAL.
 */
int tl_open_mm1(double arrivals_per_s, double service_s, struct tl_open_out *out)
{
	return tl_open_mg1(arrivals_per_s, service_s, 1, out);
}

/* Waiting at m servers, as a multiple of the service time. @load: a, below @servers */
static double waiting(double load, uint32_t servers)
{
	double blocked = 1, busy = load / servers;
	uint32_t i;

	for (i = 1; i <= servers; i++)
		blocked = load * blocked / (i + load * blocked);
	return blocked / (1 - busy * (1 - blocked)) / (servers * (1 - busy));
}

/**
 * tl_open_mmm() - M/M/m
 * @arrivals_per_s: λ
 * @service_s: mean, above 0
 * @servers: m, at least 1
 * @out: filled in
 *
 * Return: 0, -EDOM if there is no steady state, or -EINVAL.
 */
int tl_open_mmm(double arrivals_per_s, double service_s, uint32_t servers,
		struct tl_open_out *out)
{
	double load = arrivals_per_s * service_s;

	if (!sane(arrivals_per_s, service_s) || !servers)
		return -EINVAL;
	if (load >= servers)
		return -EDOM;
	out_fill(out, arrivals_per_s, service_s * waiting(load, servers), service_s, servers);
	return 0;
}

/**
 * tl_open_mmmk() - M/M/m/K: who finds all places taken is turned away
 * @arrivals_per_s: λ
 * @service_s: mean, above 0
 * @servers: m, at least 1
 * @places: K, with those in service, at least @servers
 * @out: filled in
 *
 * Return: 0 or -EINVAL.
 */
int tl_open_mmmk(double arrivals_per_s, double service_s, uint32_t servers, uint32_t places,
		 struct tl_open_out *out)
{
	double load = arrivals_per_s * service_s, weight = 1, sum = 1, number = 0, through;
	uint32_t n;

	if (!sane(arrivals_per_s, service_s) || !servers || places < servers)
		return -EINVAL;
	for (n = 1; n <= places; n++) {
		double ratio = load / (n < servers ? n : servers);

		weight *= ratio;
		sum += weight;
		number += n * weight;
		if (weight > 1e100) {
			sum /= weight;
			number /= weight;
			weight = 1;
		}
	}
	through = arrivals_per_s * (1 - weight / sum);
	*out = (struct tl_open_out){ .utilisation = through * service_s / servers,
				     .throughput_per_s = through, .number = number / sum,
				     .response_s = through > 0 ? number / sum / through : service_s,
				     .turned_away = weight / sum };
	return 0;
}

/**
 * tl_open_network() - An open network of several classes
 * @in: network
 * @residence_s: [classes][stations] filled in
 * @culprit: set to a station that has no steady state
 *
 * Return: 0, -EDOM if there is no steady state, or -EINVAL.
 */
int tl_open_network(const struct tl_open_in *in, double *residence_s, size_t *culprit)
{
	size_t c, s;

	for (s = 0; s < in->stations; s++) {
		double load = 0, longer = 1;

		for (c = 0; c < in->classes; c++) {
			if (!(in->demand_s[c * in->stations + s] >= 0) || !in->servers[s])
				return -EINVAL;
			load += in->arrivals_per_s[c] * in->demand_s[c * in->stations + s];
		}
		*culprit = s;
		if (in->servers[s] != TL_MVA_DELAY && load >= in->servers[s])
			return -EDOM;
		if (in->servers[s] != TL_MVA_DELAY)
			longer = 1 + waiting(load, in->servers[s]);
		for (c = 0; c < in->classes; c++)
			residence_s[c * in->stations + s] =
				in->demand_s[c * in->stations + s] * longer;
	}
	return 0;
}
