// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Approximate mean value analysis of closed networks of several classes
 *
 * Who arrives sees the network without himself; that is guessed from the network with
 * him. Schweitzer (P. Schweitzer, Approximate Analysis of Multiclass Closed Networks of
 * Queues, 1979; Y. Bard): Q_ks(N - e_c) = Q_ks(N) but (N_c - 1) / N_c of it for k = c.
 * Linearizer (K. M. Chandy, D. Neuse, Communications of the ACM 25, 1982): parts of the
 * classes at stations, Q_ks / N_k, differ by D_kcs between N and N - e_c, which is found
 * from solutions of both, three times. A queue of m servers is one of 1 that is m times
 * as fast, and a delay of the rest (A. Seidmann, P. J. Schweitzer, S. Shalev-Oren, 1987).
 */
#include "mva.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ITERATIONS_MAX 100000
#define CHANGE_MAX 1e-11
#define ROUNDS 3 /* of the Linearizer; more gain nothing */

/* A network with one customer less of a class, or with all: core solutions. */
struct core {
	const struct tl_mva_in *in;
	size_t less; /* class, or classes for none */
	const double *differ; /* [classes][classes][stations] D_kcs, or NULL for none */
	double *number; /* [classes][stations] */
	double *throughput_per_s, *residence_s;
	double change;
	unsigned int iterations;
};

static double customers_of(const struct core *core, size_t c)
{
	return core->in->customers[c] - (c == core->less ? 1.0 : 0.0);
}

/* What a customer of class @c sees at a station. */
static double seen(const struct core *core, size_t c, size_t s)
{
	size_t stations = core->in->stations, k;
	double sum = 0;

	for (k = 0; k < core->in->classes; k++) {
		double n = customers_of(core, k), part;

		if (!(n > 0))
			continue;
		part = core->number[k * stations + s] / n;
		if (core->differ)
			part += core->differ[(k * core->in->classes + c) * stations + s];
		sum += (n - (k == c ? 1 : 0)) * part;
	}
	return fmax(sum, 0);
}

static double residence(const struct core *core, size_t c, size_t s)
{
	double demand_s = core->in->demand_s[c * core->in->stations + s];
	uint32_t servers = core->in->servers[s];

	if (servers == TL_MVA_DELAY)
		return demand_s;
	return demand_s / servers * (servers + seen(core, c, s));
}

/* Works that queue, for whom an arrival waits: not those of a delay that is part of it. */
static double queueing(const struct core *core, size_t c, size_t s)
{
	double demand_s = core->in->demand_s[c * core->in->stations + s];
	uint32_t servers = core->in->servers[s];

	if (servers == TL_MVA_DELAY)
		return 0;
	return core->throughput_per_s[c] *
	       (core->residence_s[c * core->in->stations + s] -
		demand_s / servers * (servers - 1));
}

static void core_step(struct core *core)
{
	size_t stations = core->in->stations, c, s;

	for (c = 0; c < core->in->classes; c++) {
		double cycle_s = core->in->think_s[c];

		for (s = 0; s < stations; s++)
			cycle_s += core->residence_s[c * stations + s] = residence(core, c, s);
		core->throughput_per_s[c] = cycle_s > 0 ? customers_of(core, c) / cycle_s : 0;
	}
	core->change = 0;
	for (c = 0; c < core->in->classes; c++)
		for (s = 0; s < stations; s++) {
			double new = queueing(core, c, s), *old = &core->number[c * stations + s];

			core->change = fmax(core->change, fabs(new - *old) /
					    fmax(core->in->customers[c], 1));
			*old = new;
		}
}

static void core_solve(struct core *core)
{
	unsigned int n = 0;

	do
		core_step(core);
	while (core->change > CHANGE_MAX && ++n < ITERATIONS_MAX);
	core->iterations += n;
}

static void even_fill(const struct tl_mva_in *in, double *number)
{
	size_t c, s;

	for (c = 0; c < in->classes; c++)
		for (s = 0; s < in->stations; s++)
			number[c * in->stations + s] = (double)in->customers[c] /
						       (double)in->stations;
}

static void finish(const struct core *core, struct tl_mva_out *out)
{
	size_t i, n = core->in->classes * core->in->stations;

	for (i = 0; i < n; i++)
		out->number[i] = out->throughput_per_s[i / core->in->stations] *
				 out->residence_s[i];
	out->residual = core->change;
	out->iterations = core->iterations;
}

/**
 * tl_mva_schweitzer() - Solve a closed network approximately
 * @in: network
 * @out: filled in; @residual tells whether it converged
 *
 * Return: 0.
 */
int tl_mva_schweitzer(const struct tl_mva_in *in, struct tl_mva_out *out)
{
	struct core core = { .in = in, .less = in->classes, .number = out->number,
			     .throughput_per_s = out->throughput_per_s,
			     .residence_s = out->residence_s };

	even_fill(in, out->number);
	core_solve(&core);
	finish(&core, out);
	return 0;
}

/* @number: [classes + 1][classes][stations] with one less of each class, and with all */
static void differ_fill(const struct tl_mva_in *in, const double *number, double *differ)
{
	size_t size = in->classes * in->stations, c, k, s;
	const double *all = number + in->classes * size;

	for (k = 0; k < in->classes; k++)
		for (c = 0; c < in->classes; c++)
			for (s = 0; s < in->stations; s++) {
				double n = in->customers[k], one_less = n - (k == c ? 1 : 0);
				double before = n > 0 ? all[k * in->stations + s] / n : 0;
				double after = one_less > 0 ?
					number[c * size + k * in->stations + s] / one_less : before;

				differ[(k * in->classes + c) * in->stations + s] = after - before;
			}
}

/**
 * tl_mva_linearizer() - Solve a closed network approximately, and more exactly
 * @in: network
 * @out: filled in; @residual tells whether it converged
 *
 * Return: 0 or -ENOMEM.
 */
int tl_mva_linearizer(const struct tl_mva_in *in, struct tl_mva_out *out)
{
	size_t size = in->classes * in->stations, c, round;
	double *number = calloc((in->classes + 1) * size + 1, sizeof(*number));
	double *differ = calloc(in->classes * size + 1, sizeof(*differ));
	struct core core = { .in = in, .differ = differ,
			     .throughput_per_s = out->throughput_per_s,
			     .residence_s = out->residence_s };

	if (!number || !differ) {
		free(number);
		free(differ);
		return -ENOMEM;
	}
	for (c = 0; c <= in->classes; c++)
		even_fill(in, number + c * size);
	for (round = 0; round < ROUNDS; round++) {
		for (c = 0; round && c < in->classes; c++) {
			core.less = c;
			core.number = number + c * size;
			if (in->customers[c])
				core_solve(&core);
		}
		core.less = in->classes;
		core.number = number + in->classes * size;
		if (round)
			differ_fill(in, number, differ);
		core_solve(&core);
	}
	finish(&core, out);
	free(number);
	free(differ);
	return 0;
}
