// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Service times from residence times
 *
 *	R_iw = S_i / (1 - U_w) = S_i (1 + q_w),	q = U / (1 - U)
 *
 * exact for a queue in front of one server with exponential service times, and for
 * any service times where the server is shared evenly (L. Kleinrock, Queueing
 * Systems II, 1976, 4.4), if requests arrive by chance. Clients that wait for their
 * answers queue less, queues that are served one by one may be longer: so a factor
 *
 *	R_iw = S_i (1 + κ q_w)
 *
 * is estimated too, by quasi-likelihood with a variance proportional to the mean,
 *
 *	S_i = Σ_w T_iw / Σ_w n_iw (1 + κ q_w),
 *	Σ_iw (T_iw - n_iw S_i (1 + κ q_w)) z_w / (1 + κ q_w) = 0
 *
 * (T: sums of times; P. McCullagh, J. A. Nelder, Generalized Linear Models, 1989), with
 * the work that came, z_w = Σ_i n_iw S_i per second, as an instrument where q_w would
 * stand: noise in the measured U would pull κ towards zero, and z knows nothing of it.
 * Where that does not tell it, κ is 1, and so is it with clients that always are the same
 * many: then requests do not arrive by chance, which nothing but a load that varies by
 * more than chance shows. The interval then reaches from κ = 1 to κ = 0, from requests
 * that know nothing of each other to clients that never meet, and if that is more than a
 * tenth nothing but the interval is said. U is that of the tier's busiest
 * resource. Errors: jackknife over blocks of windows.
 */
#include "residence.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 30
#define FACTOR_MAX 50.0
#define FACTOR_ERROR_MAX 0.25 /* above that 1 is the better guess */
#define BOUNDS_MAX 0.1 /* that bounds may be apart to be an answer */
#define LEVEL_CHANCE_MAX 0.5 /* of the variance of the requests, what chance makes */
#define VARIATION_MIN 0.02 /* of the waiting, relative to its mean */

struct work {
	const struct tl_residence_in *in;
	size_t from, until; /* windows that are left out */
	double *q, *work, *time, *scaled, *service, *all, *squares, factor;
	bool free;
};

/**
 * tl_residence_waiting() - Waiting per second of service at a tier
 * @resources: how many it has
 * @busy: [resources] their utilisations
 *
 * Return: u / (1 - u) of the busiest.
 */
double tl_residence_waiting(size_t resources, const double *busy)
{
	double most = 0;
	size_t r;

	for (r = 0; r < resources; r++)
		most = fmax(most, busy[r]);
	return most < 1 ? most / (1 - most) : 0;
}

static bool left_out(const struct work *s, size_t w)
{
	return w >= s->from && w < s->until;
}

static void services(struct work *s, double factor)
{
	size_t p = s->in->classes, w, i;

	memset(s->scaled, 0, p * sizeof(*s->scaled));
	for (w = 0; w < s->in->windows; w++)
		for (i = 0; !left_out(s, w) && i < p; i++)
			s->scaled[i] += s->in->count[w * p + i] * (1 + factor * s->q[w]);
	for (i = 0; i < p; i++)
		s->service[i] = s->scaled[i] > 0 ? s->time[i] / s->scaled[i] : 0;
}

/* Falls as the factor rises. */
static double score(double factor, void *arg)
{
	struct work *s = arg;
	size_t p = s->in->classes, w, i;
	double sum = 0, slow, off, work, mean = 0, n = 0;

	services(s, factor);
	for (w = 0; w < s->in->windows; w++) {
		for (i = 0, work = 0; i < p; i++)
			work += s->in->count[w * p + i] * s->service[i] / s->in->seconds[w];
		s->work[w] = work;
		mean += left_out(s, w) ? 0 : work;
		n += !left_out(s, w);
	}
	for (w = 0; w < s->in->windows; w++) {
		slow = 1 + factor * s->q[w];
		for (i = 0, off = 0; !left_out(s, w) && i < p; i++)
			off += s->in->time_s[w * p + i] -
			       s->in->count[w * p + i] * s->service[i] * slow;
		sum += off * (s->work[w] - mean / n) / slow;
	}
	return sum;
}

/* Between 0 and the most; at an end if there is no zero between them. */
static double factor_find(struct work *s)
{
	gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	gsl_function f = { score, s };
	double factor = score(0, s) <= 0 ? 0 : FACTOR_MAX;
	int i;

	if (solver && factor > 0 && !gsl_root_fsolver_set(solver, &f, 0, FACTOR_MAX)) {
		for (i = 0; i < 60 && !gsl_root_fsolver_iterate(solver); i++)
			if (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
						   gsl_root_fsolver_x_upper(solver), 1e-6,
						   1e-6) == GSL_SUCCESS)
				break;
		factor = gsl_root_fsolver_root(solver);
	}
	gsl_root_fsolver_free(solver);
	return factor;
}

static void fit(struct work *s, size_t from, size_t until)
{
	size_t p = s->in->classes, w, i;

	s->from = from;
	s->until = until;
	memset(s->time, 0, p * sizeof(*s->time));
	for (w = 0; w < s->in->windows; w++)
		for (i = 0; !left_out(s, w) && i < p; i++)
			s->time[i] += s->in->time_s[w * p + i];
	if (s->free)
		s->factor = factor_find(s);
	services(s, s->factor);
}

/* Return: the error of the factor. */
static double jackknife(struct work *s, size_t blocks)
{
	size_t p = s->in->classes, n = s->in->windows, b, i;
	double whole = s->factor, square = 0, part = (double)(blocks - 1) / (double)blocks;

	memcpy(s->all, s->service, p * sizeof(*s->all));
	memset(s->squares, 0, p * sizeof(*s->squares));
	for (b = 0; b < blocks; b++) {
		fit(s, b * n / blocks, (b + 1) * n / blocks);
		square += part * pow(s->factor - whole, 2);
		for (i = 0; i < p; i++)
			s->squares[i] += part * pow(s->service[i] - s->all[i], 2);
	}
	memcpy(s->service, s->all, p * sizeof(*s->all));
	s->factor = whole;
	return sqrt(square);
}

static void service_estimates(struct work *s, struct tl_residence_out *out, double error,
			      size_t blocks)
{
	double t = tl_student95((double)blocks - 1), requests;
	size_t p = s->in->classes, w, i;

	out->degrees = (double)blocks - 1;
	tl_estimate_interval(&out->factor, s->factor, error, t);
	for (i = 0; i < p; i++) {
		for (w = 0, requests = 0; w < s->in->windows; w++)
			requests += s->in->count[w * p + i];
		tl_estimate_interval(&out->service[i], s->service[i], sqrt(s->squares[i]), t);
		tl_estimate_judge(&out->service[i]);
		if (s->service[i] <= 0)
			out->service[i].verdict = TL_VERDICT_ZERO;
		if (requests <= 0)
			out->service[i].verdict = TL_VERDICT_ABSENT;
	}
}

/* A factor cannot be told from the service times if the waiting is always the same. */
static bool varies(const struct work *s)
{
	double n = (double)s->in->windows, mean = 0, squares = 0;
	size_t w;

	for (w = 0; w < s->in->windows; w++) {
		mean += s->q[w] / n;
		squares += s->q[w] * s->q[w] / n;
	}
	return squares - mean * mean > pow(VARIATION_MIN * mean, 2);
}

/* Do more or less requests come at all, or do counts vary as they do by chance? */
static bool level_varies(const struct work *s)
{
	size_t p = s->in->classes, w, i;
	double n = (double)s->in->windows, mean = 0, squares = 0, chance = 0, rate;

	for (w = 0; w < s->in->windows; w++) {
		for (i = 0, rate = 0; i < p; i++)
			rate += s->in->count[w * p + i] / s->in->seconds[w];
		mean += rate / n;
		squares += rate * rate / n;
		chance += rate / s->in->seconds[w] / n;
	}
	return chance < LEVEL_CHANCE_MAX * (squares - mean * mean);
}

static void bound(struct tl_estimate *e, double at)
{
	double low = e->low95 / e->value, high = e->high95 / e->value;

	e->low95 = fmin(e->low95, low * at);
	e->high95 = fmax(e->high95, high * at);
}

/* From κ = 1 to κ = 0, if the windows do not tell where between them it is. */
static void bounds(struct work *s, struct tl_residence_out *out)
{
	double *never = s->all; /* waiting */
	size_t i;

	services(s, 0);
	memcpy(never, s->service, s->in->classes * sizeof(*never));
	services(s, 1);
	for (i = 0; i < s->in->classes; i++) {
		struct tl_estimate *e = &out->service[i];

		if (e->verdict > TL_VERDICT_UNCERTAIN)
			continue;
		bound(e, s->service[i]);
		bound(e, never[i]);
		if (never[i] - s->service[i] > BOUNDS_MAX * e->value)
			e->verdict = TL_VERDICT_CHANCE;
	}
}

static void service(struct work *s, struct tl_residence_out *out)
{
	size_t blocks = s->in->windows < BLOCKS ? s->in->windows : BLOCKS, w;
	double error;
	bool told;

	for (w = 0; w < s->in->windows; w++)
		s->q[w] = tl_residence_waiting(s->in->resources,
					       s->in->busy + w * s->in->resources);
	s->free = s->in->resources > 0 && varies(s);
	s->factor = 1;
	fit(s, 0, 0);
	error = jackknife(s, blocks);
	if (s->free && error > FACTOR_ERROR_MAX) {
		s->free = false;
		s->factor = 1;
		fit(s, 0, 0);
		error = jackknife(s, blocks);
	}
	service_estimates(s, out, error, blocks);
	told = s->free && level_varies(s);
	if (s->in->resources > 0 && !told) {
		fit(s, 0, 0);
		bounds(s, out);
	}
}

/**
 * tl_residence() - Service times from residence times
 * @in: times and utilisations
 * @out: filled in; its arrays are the caller's
 *
 * Return: 0; -ERANGE with too few windows, -ENOMEM.
 */
int tl_residence(const struct tl_residence_in *in, struct tl_residence_out *out)
{
	size_t p = in->classes;
	struct work s = { .in = in };

	if (in->windows < 2)
		return -ERANGE;
	s.q = calloc(2 * in->windows + 5 * p, sizeof(*s.q));
	if (!s.q)
		return -ENOMEM;
	s.work = s.q + in->windows;
	s.time = s.work + in->windows;
	s.scaled = s.time + p;
	s.service = s.scaled + p;
	s.all = s.service + p;
	s.squares = s.all + p;
	service(&s, out);
	free(s.q);
	return 0;
}
