// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Closed forms and normalising constants
 *
 * Closed networks by Buzen's convolution over population vectors, which has nothing in
 * common with mean value analysis nor with a simulation: g(n) of a station is a product
 * of (demand^n / n!) with n_total! / Π min(i, m) for m servers.
 */
#include "lqn-exact.h"

#include <math.h>
#include <string.h>

/* Erlang's C formula. */
double exact_mm_c_wait(double arrivals, double service_s, unsigned int servers)
{
	double a = arrivals * service_s, term = 1, sum = 0, last;
	unsigned int i;

	for (i = 0; i < servers; i++) {
		sum += term;
		term *= a / (i + 1);
	}
	last = term / (1 - a / servers);
	return last / (sum + last) * service_s / (servers - a);
}

/* Pollaczek and Khinchine; square_s2: second moment of the service time. */
double exact_mg1_wait(double arrivals, double service_s, double square_s2)
{
	return arrivals * square_s2 / (2 * (1 - arrivals * service_s));
}

#define SIDE (EXACT_CUSTOMERS + 1)
#define CELLS (SIDE * SIDE * SIDE)

static size_t cell(const unsigned int n[EXACT_CLASSES])
{
	return (n[2] * SIDE + n[1]) * SIDE + n[0];
}

/* Weight of the numbers n at one station. */
static double weight(const struct exact_closed *net, size_t station, double delay,
		     const unsigned int n[EXACT_CLASSES])
{
	unsigned int total = 0, c, i;
	double log_w = 0;

	for (c = 0; c < net->classes; c++) {
		double d = station < net->stations ? net->demand_s[station][c] : net->think_s[c];

		total += n[c];
		if (n[c] && !(d > 0))
			return 0;
		log_w += n[c] ? n[c] * log(d) - lgamma(n[c] + 1.0) : 0;
	}
	for (i = 1; !(delay > 0) && i <= total; i++)
		log_w += log(i) - log(fmin(i, net->servers[station]));
	return exp(log_w);
}

#define EACH(n, most) \
	for ((n)[2] = 0; (n)[2] <= (most)[2]; (n)[2]++) \
		for ((n)[1] = 0; (n)[1] <= (most)[1]; (n)[1]++) \
			for ((n)[0] = 0; (n)[0] <= (most)[0]; (n)[0]++)

static double constants[2][CELLS];

/* Convolve the stations up to the thinking, which is one, too. Return: the constants. */
static const double *convolve(const struct exact_closed *net)
{
	unsigned int n[EXACT_CLASSES], k[EXACT_CLASSES], rest[EXACT_CLASSES], c;
	double *g = constants[0], *new = constants[1], *swap;
	size_t s;

	memset(constants, 0, sizeof(constants));
	g[0] = 1;
	for (s = 0; s <= net->stations; s++) {
		double delay = s == net->stations || !net->servers[s];

		EACH(n, net->customers) {
			double sum = 0;

			EACH(k, n) {
				for (c = 0; c < EXACT_CLASSES; c++)
					rest[c] = n[c] - k[c];
				sum += weight(net, s, delay, k) * g[cell(rest)];
			}
			new[cell(n)] = sum;
		}
		swap = g;
		g = new;
		new = swap;
	}
	return g;
}

/* Throughput of a class is G(N - 1_c) / G(N). */
void exact_closed(struct exact_closed *net)
{
	const double *g = convolve(net);
	unsigned int less[EXACT_CLASSES];
	size_t c;

	for (c = 0; c < net->classes; c++) {
		memcpy(less, net->customers, sizeof(less));
		less[c]--;
		net->throughput[c] = g[cell(less)] / g[cell(net->customers)];
		net->response_s[c] = net->customers[c] / net->throughput[c] - net->think_s[c];
	}
}
