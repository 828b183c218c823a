// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Kalman filter of paper 001 (2.3), as it is printed there
 *
 *	X_k = X_{k-1} + w,			(5.a)
 *	z_k = Σ_i t_i,k x_i,k + v,		(5.b) z: utilisation, t: throughputs
 *	H_k = [t_1 … t_n]			(5.c)
 *
 *	X⁻ = X_{k-1}				(6.a)
 *	P⁻ = P_{k-1} + Q_k			(6.b)
 *	K = P⁻ H' (H P⁻ H' + R)⁻¹		(6.c)
 *	X = X⁻ + K (z - H X⁻)			(6.d)
 *	P = (I - K H) P⁻			(6.e)
 *
 * with x_i,0 = rt_i,0 (1 - z_0), P_0 = diag(x_i,0²), Q_k = diag(ξ_i), ξ_i the largest
 * (x_i,j - x_i,j-1)² so far, and R = 0.
 *
 * What is not printed: Q_k has the changes up to the step before, because that of this step
 * is not known when it is needed. A class that does not come in the first window begins
 * with the first in which it comes. The first window gives X_0 and is then filtered too.
 * Where H P⁻ H' is lost in rounding (R = 0 and the same mix again) the window is of no use.
 *
 * It is here to be held against: one utilisation cannot tell classes apart, and nothing
 * keeps a service time from being negative. What follows demands is track.c.
 */
#include "kalman.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 1e-12 /* of H P⁻ H', beside the squares that it is made of */

struct work {
	const struct tl_kalman_in *in;
	double *x, *before, *p, *xi, *h, *ph;
	bool *known;
};

static void class_begin(struct work *s, size_t window, size_t class)
{
	size_t n = s->in->classes;
	double count = s->in->count[window * n + class];

	if (s->known[class] || count <= 0)
		return;
	s->known[class] = true;
	s->x[class] = s->in->time_s[window * n + class] / count * (1 - s->in->busy[window]);
	s->p[class * (n + 1)] = pow(s->x[class], 2);
}

/* (6.b), and P⁻ H'. Return: H P⁻ H'; negative if nothing is left of it. */
static double foretell(struct work *s, size_t window)
{
	size_t n = s->in->classes, i, k;
	double spread = 0, size = 0;

	for (i = 0; i < n; i++) {
		s->p[i * (n + 1)] += s->xi[i];
		s->h[i] = s->in->count[window * n + i] / s->in->seconds[window];
		size += pow(s->h[i], 2) * s->p[i * (n + 1)];
	}
	for (i = 0; i < n; i++) {
		for (k = 0, s->ph[i] = 0; k < n; k++)
			s->ph[i] += s->p[i * n + k] * s->h[k];
		spread += s->h[i] * s->ph[i];
	}
	return spread > ROUNDING * size && size > 0 ? spread : -1;
}

/* (6.c) to (6.e). Return: squared innovation by its variance. */
static double filter(struct work *s, size_t window, double spread)
{
	size_t n = s->in->classes, i, k;
	double innovation = s->in->busy[window];

	for (i = 0; i < n; i++)
		innovation -= s->h[i] * s->x[i];
	spread += s->in->noise;
	for (i = 0; i < n; i++) {
		s->x[i] += s->ph[i] / spread * innovation;
		for (k = 0; k < n; k++)
			s->p[i * n + k] -= s->ph[i] / spread * s->ph[k];
	}
	return innovation * innovation / spread;
}

static void note(const struct work *s, size_t window, struct tl_kalman_out *out)
{
	size_t n = s->in->classes, i;

	for (i = 0; i < n; i++) {
		out->value[window * n + i] = s->known[i] ? s->x[i] : NAN;
		out->error[window * n + i] = sqrt(fmax(s->p[i * (n + 1)], 0));
	}
}

/**
 * tl_kalman() - Service times by the paper's filter
 * @in: resource
 * @out: filled in; its arrays are the caller's
 *
 * Return: 0 or -ENOMEM.
 */
int tl_kalman(const struct tl_kalman_in *in, struct tl_kalman_out *out)
{
	size_t n = in->classes, w, i;
	double *memory = calloc(n * n + 5 * n + 1, sizeof(*memory)), spread;
	struct work s = { .in = in, .x = memory };

	s.known = calloc(n + 1, sizeof(*s.known));
	for (w = 0; memory && s.known && w < in->windows; w++) {
		s.before = s.x + n;
		s.xi = s.before + n;
		s.h = s.xi + n;
		s.ph = s.h + n;
		s.p = s.ph + n;
		for (i = 0; i < n; i++)
			class_begin(&s, w, i);
		memcpy(s.before, s.x, n * sizeof(*s.x));
		spread = foretell(&s, w);
		out->nis[w] = spread > 0 ? filter(&s, w, spread) : -1;
		for (i = 0; i < n; i++)
			s.xi[i] = fmax(s.xi[i], pow(s.x[i] - s.before[i], 2));
		note(&s, w, out);
	}
	i = !memory || !s.known;
	free(memory);
	free(s.known);
	return i ? -ENOMEM : 0;
}
