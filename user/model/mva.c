// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Exact mean value analysis of closed networks of several classes
 *
 * Who arrives sees the network without himself (M. Reiser, S. S. Lavenberg, Mean-Value
 * Analysis of Closed Multichain Queueing Networks, Journal of the ACM 27, 1980): at a
 * queue of one server R_cs(n) = D_cs (1 + Q_s(n - e_c)), X_c(n) = n_c / (Z_c + Σ_s R_cs),
 * Q_cs = X_c R_cs, for all n up to the numbers of customers. With m servers
 * R_cs(n) = D_cs / m (1 + Q_s(n - e_c) + Σ_{j < m - 1} (m - 1 - j) p_s(j | n - e_c)), and
 * p_s(j | n) = 1 / j Σ_c D_cs X_c p_s(j - 1 | n - e_c); p_s(0 | n) = 1 - (Σ_c D_cs X_c +
 * Σ_{0 < j < m} (m - j) p_s(j | n)) / m, which loses digits when all servers are busy: it
 * is no chance then, and is cut off at 0.
 *
 * Populations are counted like digits: the first class fastest; n - e_c is as many
 * places back as all states of the classes before.
 */
#include "mva.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct exact {
	const struct tl_mva_in *in;
	struct tl_mva_out *out;
	size_t width; /* of a state: of each station its number, and chances if it has more servers */
	size_t *column; /* [stations + 1] where those of a station begin */
	size_t *place, *at; /* [classes] how many states a customer is; how many there are */
	double *state;
};

static size_t columns_of(uint32_t servers)
{
	return servers == TL_MVA_DELAY ? 0 : servers;
}

/**
 * tl_mva_states() - What an exact solution keeps
 * @in: network
 *
 * Return: numbers; more than TL_MVA_STATES_MAX of them are too many.
 */
double tl_mva_states(const struct tl_mva_in *in)
{
	double n = 1, width = 0;
	size_t i;

	for (i = 0; i < in->classes; i++)
		n *= 1.0 + in->customers[i];
	for (i = 0; i < in->stations; i++)
		width += (double)columns_of(in->servers[i]);
	return n * width;
}

static void exact_free(struct exact *x)
{
	free(x->column);
	free(x->place);
	free(x->state);
}

static int exact_new(struct exact *x, const struct tl_mva_in *in, struct tl_mva_out *out)
{
	size_t states = 1, i;

	*x = (struct exact){ .in = in, .out = out };
	x->column = calloc(in->stations + 1, sizeof(*x->column));
	x->place = calloc(2 * in->classes + 1, sizeof(*x->place));
	if (!x->column || !x->place)
		return -ENOMEM;
	x->at = x->place + in->classes;
	for (i = 0; i < in->stations; i++) {
		x->column[i] = x->width;
		x->width += columns_of(in->servers[i]);
	}
	for (i = 0; i < in->classes; i++) {
		x->place[i] = states;
		states *= in->customers[i] + (size_t)1;
	}
	x->state = calloc(states * x->width + 1, sizeof(*x->state));
	return x->state ? 0 : -ENOMEM;
}

/* @seen: the station's part of the state that who arrives sees */
static double residence(double demand_s, uint32_t servers, const double *seen)
{
	double sum;
	uint32_t j;

	if (servers == TL_MVA_DELAY)
		return demand_s;
	sum = 1 + seen[0];
	for (j = 0; j + 1 < servers; j++)
		sum += (double)(servers - 1 - j) * seen[1 + j];
	return demand_s / servers * sum;
}

static void class_solve(struct exact *x, size_t state, size_t c)
{
	const struct tl_mva_in *in = x->in;
	const double *seen = x->state + (state - x->place[c]) * x->width;
	double cycle_s = in->think_s[c], *r = x->out->residence_s + c * in->stations;
	size_t s;

	for (s = 0; s < in->stations; s++) {
		r[s] = residence(in->demand_s[c * in->stations + s], in->servers[s],
				 seen + x->column[s]);
		cycle_s += r[s];
	}
	x->out->throughput_per_s[c] = cycle_s > 0 ? (double)x->at[c] / cycle_s : 0;
}

/* @here: [servers] number, and chances of 0 to servers - 2 works */
static void chances_fill(const struct exact *x, size_t state, size_t s, double *here)
{
	const struct tl_mva_in *in = x->in;
	uint32_t servers = in->servers[s], j;
	double busy = 0, idle = 0, load;
	size_t c;

	for (c = 0; c < in->classes; c++) {
		if (!x->at[c])
			continue;
		load = in->demand_s[c * in->stations + s] * x->out->throughput_per_s[c];
		busy += load;
		for (j = 1; j + 1 < servers; j++)
			here[1 + j] += load / j *
				       x->state[(state - x->place[c]) * x->width + x->column[s] + j];
	}
	for (j = 1; j + 1 < servers; j++)
		idle += (double)(servers - j) * here[1 + j];
	/* The chance of one idle server is wanted for that of all, and found by what flows. */
	for (c = 0, load = 0; c < in->classes; c++)
		if (x->at[c] && servers > 1)
			load += in->demand_s[c * in->stations + s] * x->out->throughput_per_s[c] /
				(servers - 1) *
				x->state[(state - x->place[c]) * x->width + x->column[s] +
					 servers - 1];
	here[1] = fmax(1 - (busy + idle + load) / servers, 0);
}

static void state_solve(struct exact *x, size_t state)
{
	const struct tl_mva_in *in = x->in;
	double *here = x->state + state * x->width;
	size_t c, s;

	for (c = 0; c < in->classes; c++)
		if (x->at[c])
			class_solve(x, state, c);
	for (s = 0; s < in->stations; s++) {
		if (in->servers[s] == TL_MVA_DELAY)
			continue;
		for (c = 0; c < in->classes; c++)
			if (x->at[c])
				here[x->column[s]] += x->out->throughput_per_s[c] *
						      x->out->residence_s[c * in->stations + s];
		if (in->servers[s] > 1)
			chances_fill(x, state, s, here + x->column[s]);
	}
}

static void empty_fill(struct exact *x)
{
	size_t s;

	for (s = 0; s < x->in->stations; s++)
		if (columns_of(x->in->servers[s]) > 1)
			x->state[x->column[s] + 1] = 1;
}

static bool next_state(struct exact *x)
{
	size_t c;

	for (c = 0; c < x->in->classes; c++) {
		if (x->at[c] < x->in->customers[c]) {
			x->at[c]++;
			return true;
		}
		x->at[c] = 0;
	}
	return false;
}

/**
 * tl_mva_exact() - Solve a closed network
 * @in: network
 * @out: filled in
 *
 * Return: 0, -ENOMEM, or -E2BIG if it takes more than TL_MVA_STATES_MAX.
 */
int tl_mva_exact(const struct tl_mva_in *in, struct tl_mva_out *out)
{
	struct exact x;
	size_t state = 0, c, s;
	int code;

	if (!(tl_mva_states(in) <= TL_MVA_STATES_MAX))
		return -E2BIG;
	memset(out->throughput_per_s, 0, in->classes * sizeof(double));
	memset(out->residence_s, 0, in->classes * in->stations * sizeof(double));
	out->residual = 0;
	out->iterations = 0;
	code = exact_new(&x, in, out);
	if (!code) {
		empty_fill(&x);
		while (next_state(&x))
			state_solve(&x, ++state);
	}
	for (c = 0; c < in->classes; c++)
		for (s = 0; s < in->stations; s++)
			out->number[c * in->stations + s] = out->throughput_per_s[c] *
				out->residence_s[c * in->stations + s];
	exact_free(&x);
	return code;
}
