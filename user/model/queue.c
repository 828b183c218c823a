// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Service times where requests wait for each other
 *
 *	y_t = Σ_i a_it N_i + Σ_{r of t} W_r N_r,	W_r = u_r² / (λ_r (1 - u_r))
 *
 * λ_r is the rate of the requests that use r, N_r = λ_r T their number, so that the
 * waiting of a window is T u² / (1 - u) whichever requests they are (Little's law).
 * It is taken from y, and least squares gives a.
 *
 * Near saturation a window's mean says little of the mean: its variance grows like
 * (1 - u)⁻⁴ (W. Whitt, Management Science 35, 1989, eq. 20). Windows are weighted
 * with the inverse of that, else the busiest would drown all others.
 *
 * The law is that of requests that arrive by chance and of service times that are
 * exponential, or shared evenly. Where clients wait for answers before they ask again
 * there is less waiting; where requests are served one by one and differ much there is
 * more (Pollaczek and Khinchine: by (1 + c²) / 2). So the windows are asked for a
 * factor of each resource as well, which is 1 only where they cannot tell.
 *
 * u is not the measured utilisation but what the counts make of it, by non-negative
 * least squares. The measured one has noise, which the law blows up, and it is high
 * where requests happened to be costly, which the own time then is too; and it is what
 * there will be when waiting is to be predicted.
 *
 * Source: paper 000, 3.3 and 4.1, equations 4 to 6.
 */
#include "queue.h"

#include "model/design.h"
#include "model/nnls.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMOOTH_MAX 0.97 /* measured windows beyond 0.95 are left out */

/**
 * tl_queue_waiting() - What waits at a resource
 * @busy: its utilisation, below 1
 *
 * Return: seconds of waiting per second.
 */
double tl_queue_waiting(double busy)
{
	return busy > 0 && busy < 1 ? busy * busy / (1 - busy) : 0;
}

struct work {
	const struct tl_queue_in *in;
	double *busy, *x, *ones, *target;
	struct tl_ols_out result;
	size_t *set, free; /* how many factors are free */
	bool *fixed;
};

static double weight(const struct work *s, size_t w)
{
	double idle = 1;
	size_t r;

	for (r = 0; r < s->in->resources; r++)
		idle = fmin(idle, 1 - s->busy[w * s->in->resources + r]);
	return pow(fmax(idle, 0), 2);
}

/* Utilisations as the counts have them. */
static int smooth(struct work *s)
{
	const struct tl_queue_in *in = s->in;
	size_t n = in->regression.design->windows, k = in->resources, w, r;
	struct tl_ols_in busy = { in->counts, s->target, true };
	int code = 0;

	memcpy(s->busy, in->busy, n * k * sizeof(*s->busy));
	for (r = 0; in->counts && r < k && !code; r++) {
		for (w = 0; w < n; w++)
			s->target[w] = in->busy[w * k + r];
		code = tl_nnls_regression(&busy, &s->result);
		for (w = 0; !code && w < n; w++)
			s->busy[w * k + r] = fmin(fmax(s->target[w] - s->result.residual[w],
						       0), SMOOTH_MAX);
	}
	return code == -ERANGE ? 0 : code;
}

static double waits(const struct work *s, size_t w, size_t resource)
{
	return tl_queue_waiting(s->busy[w * s->in->resources + resource]);
}

static void row_fill(struct work *s, size_t w)
{
	const struct tl_design_out *d = s->in->regression.design;
	double scale = weight(s, w);
	double *x = s->x + w * (d->classes + s->free);
	size_t i, r;

	s->ones[w] = 1;
	s->target[w] = s->in->regression.target[w];
	for (i = 0; i < d->classes; i++)
		*x++ = scale * d->x[w * d->columns + i];
	for (r = 0; r < s->in->resources; r++)
		if (s->fixed[r])
			s->target[w] -= waits(s, w, r);
		else
			*x++ = scale * waits(s, w, r);
	s->target[w] *= scale;
}

/* With a column for the waiting at each resource whose factor is free. */
static int solve(struct work *s)
{
	const struct tl_design_out *d = s->in->regression.design;
	struct tl_design_in rows = { d->windows, d->classes, s->x, s->ones, false };
	struct tl_design_out design;
	size_t w, r;
	int code;

	for (r = 0, s->free = 0; r < s->in->resources; r++)
		s->free += !s->fixed[r];
	rows.classes += s->free;
	for (w = 0; w < d->windows; w++)
		row_fill(s, w);
	code = tl_design(&rows, &design);
	if (!code)
		code = tl_ols(&(struct tl_ols_in){ &design, s->target,
						   s->in->regression.values_only },
			      &s->result);
	if (!code)
		memcpy(s->set, design.set, rows.classes * sizeof(*s->set));
	tl_design_free(&design);
	return code;
}

/* Factors that the windows cannot tell are fixed. Return: whether there are any more. */
static bool fix(struct work *s, bool all)
{
	size_t at = s->in->regression.design->classes, r;
	bool some = false;

	for (r = 0; r < s->in->resources; r++) {
		if (s->fixed[r])
			continue;
		if (all || s->set[at] ||
		    s->result.coefficient[at].verdict == TL_VERDICT_ABSENT)
			some = s->fixed[r] = true;
		at++;
	}
	return some;
}

static void factors_take(const struct work *s, struct tl_queue_out *out)
{
	const struct tl_estimate *e =
		s->result.coefficient + s->in->regression.design->classes;
	size_t r;

	for (r = 0; r < s->in->resources; r++)
		out->factor[r] = s->fixed[r] ? (struct tl_estimate){ 1, 0, 1, 1, 0 } : *e++;
}

/* The residuals that count are those of y itself, not weighted. */
static void take_over(struct work *s, struct tl_queue_out *out)
{
	const struct tl_ols_in *in = &s->in->regression;
	struct tl_ols_out *to = &out->regression;
	struct tl_ols_in rest = { in->design, s->target, true };
	size_t n = in->design->windows, w, r;
	double mean = 0, ss = 0, all = 0;

	factors_take(s, out);
	memcpy(to->coefficient, s->result.coefficient,
	       in->design->classes * sizeof(*to->coefficient));
	for (w = 0; w < n; w++) {
		mean += in->target[w] / (double)n;
		s->target[w] = in->target[w];
		for (r = 0; r < s->in->resources; r++)
			s->target[w] -= out->factor[r].value * waits(s, w, r);
	}
	tl_ols_residuals(&rest, to);
	to->degrees = s->result.degrees;
	to->newey_west = s->result.newey_west;
	for (w = 0; w < n; w++) {
		ss += pow(to->residual[w], 2);
		all += pow(in->target[w] - mean, 2);
	}
	to->r2 = all > 0 ? 1 - ss / all : 0;
}

static int regress(struct work *s, struct tl_queue_out *out)
{
	int code = smooth(s);

	if (code)
		return code;
	code = solve(s);
	if (code == -ERANGE && fix(s, true)) /* too few windows for that */
		code = solve(s);
	while (!code && fix(s, false))
		code = solve(s);
	if (!code)
		take_over(s, out);
	return code;
}

/**
 * tl_queue() - Service times of a tier whose requests wait for each other
 * @in: own time and resources
 * @out: filled in; its arrays are the caller's
 *
 * Return: 0; -ERANGE with too few windows, -ENOMEM.
 */
int tl_queue(const struct tl_queue_in *in, struct tl_queue_out *out)
{
	const struct tl_design_out *d = in->regression.design;
	size_t p = d->classes + in->resources + 1, n = d->windows;
	double *memory = calloc(n * (p + 3 + in->resources), sizeof(*memory));
	struct work s = { .in = in, .x = memory };
	int code = -ENOMEM;

	s.result.coefficient = calloc(p, sizeof(*s.result.coefficient));
	s.set = calloc(p, sizeof(*s.set));
	s.fixed = calloc(in->resources + 1, sizeof(*s.fixed));
	if (memory && s.result.coefficient && s.set && s.fixed) {
		s.ones = memory + n * p;
		s.target = s.ones + n;
		s.result.residual = s.target + n;
		s.busy = s.result.residual + n;
		code = regress(&s, out);
	}
	free(s.result.coefficient);
	free(s.set);
	free(s.fixed);
	free(memory);
	return code;
}
