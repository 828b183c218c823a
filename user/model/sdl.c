// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The service demand law, shared out by measured times
 *
 *	D_i = U_i T / C_i,	U = b_0 + Σ_i U_i
 *
 * (D. A. Menascé, V. A. F. Almeida, L. W. Dowdy, Performance by Design, 2004, 3.2).
 * How much of the utilisation is a class's own is told by the time that its requests
 * spent there. On a resource that is shared evenly all requests of a window are
 * slowed down by the same factor s_w, which makes
 *
 *	E S_iw = s_w n_iw d_i		S: Σ time, n: requests, d: proportional to D
 *
 * Quasi-likelihood with a variance proportional to the mean gives
 *
 *	s_w = Σ_i S_iw / Σ_i n_iw d_i,	d_i = Σ_w S_iw / Σ_w s_w n_iw
 *
 * (P. McCullagh, J. A. Nelder, Generalized Linear Models, 1989, ch. 9), of which each
 * is put into the other until nothing changes. Sharing out window by window instead,
 * S_iw / Σ_j S_jw, is biased towards equal shares where windows have few requests: the
 * mean of a quotient is not the quotient of the means. Sharing out the sums over all
 * windows gives classes that are frequent when it is slow too much.
 *
 * Then U_w = b_0 + k Σ_i d_i n_iw / T_w gives D = k d. How much is b_0 can be told
 * only if the load varied by more than counts do by chance: within that, a window in
 * which requests happened to be costly has fewer of them, because clients wait for
 * their answers, and the line through such points is too flat; or if costs hardly vary,
 * so that the points lie on the line. Else b_0 = 0 and k is
 * the quotient of the sums, which is the most that it can be: the interval reaches down
 * to what the line would have it as long as chance is not most of the variance, and to
 * zero if it is. A measured part that is charged
 * to no request is the background only if there is no such line: some of it is work for
 * requests that is done before or after them, and grows with them.
 *
 * Errors: jackknife over blocks of windows (B. Efron, C. Stein, Ann. Stat. 9, 1981),
 * which includes everything that differs from window to window.
 */
#include "sdl.h"

#include "model/chance.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 30
#define CHANCE_MOST 0.5 /* of the variance of the load */
#define ITERATIONS_MAX 1000

struct work {
	const struct tl_sdl_in *in;
	size_t from, until; /* windows that are left out */
	double *d, *demand, *sum, *scaled, *all; /* @all: what came of all windows */
	double background, lowest; /* @lowest: of the demands, as a part of them */
	bool line, measured; /* how the background is told */
};

static bool left_out(const struct work *s, size_t w)
{
	return w >= s->from && w < s->until;
}

/* Utilisation that requests made, as far as that is known. */
static double busy_of(const struct work *s, size_t w)
{
	return s->in->busy[w] - (s->measured ? s->in->background[w] : 0);
}

/* Work per second in units of @d, and what of its variance counting alone makes. */
static double load_of(const struct work *s, const double *d, size_t w, double *chance)
{
	const struct tl_sdl_in *in = s->in;
	double load = 0, t2 = in->seconds[w] * in->seconds[w];
	size_t i;

	for (i = 0; i < in->classes; i++) {
		double n = in->count[w * in->classes + i];

		load += n * d[i] / in->seconds[w];
		*chance += n * d[i] * d[i] / t2;
	}
	return load;
}

/* One turn of both equations. Return: the largest relative change of a d. */
static double turn(struct work *s)
{
	const struct tl_sdl_in *in = s->in;
	size_t p = in->classes, w, i;
	double time, work, next, change = 0;

	memset(s->scaled, 0, p * sizeof(*s->scaled));
	for (w = 0; w < in->windows; w++) {
		if (left_out(s, w))
			continue;
		for (i = 0, time = 0, work = 0; i < p; i++) {
			time += in->time_s[w * p + i];
			work += in->count[w * p + i] * s->d[i];
		}
		for (i = 0; work > 0 && i < p; i++)
			s->scaled[i] += time / work * in->count[w * p + i];
	}
	for (i = 0; i < p; i++) {
		next = s->scaled[i] > 0 ? s->sum[i] / s->scaled[i] : 0;
		if (next > 0)
			change = fmax(change, fabs(next - s->d[i]) / next);
		s->d[i] = next;
	}
	return change;
}

static int shares(struct work *s)
{
	const struct tl_sdl_in *in = s->in;
	size_t p = in->classes, w, i;
	unsigned int n;

	memset(s->sum, 0, p * sizeof(*s->sum));
	for (w = 0; w < in->windows; w++)
		for (i = 0; !left_out(s, w) && i < p; i++)
			s->sum[i] += in->time_s[w * p + i];
	for (n = 0; n < ITERATIONS_MAX; n++)
		if (turn(s) < 1e-9)
			return 0;
	return -ELOOP;
}

/* The lower end of what a line through the windows has for its slope. */
static double lowest_slope(const struct work *s, double load, double busy, double products,
			   double variance)
{
	double slope = products / variance, ss = 0, n = (double)s->in->windows, chance = 0;
	size_t w;

	for (w = 0; w < s->in->windows; w++)
		ss += pow(busy_of(s, w) - busy - slope * (load_of(s, s->d, w, &chance) - load), 2);
	return slope - tl_student95(n - 2) * sqrt(ss / (n - 2) / variance);
}

/* Sums over the windows that a line through them is made of. */
struct sums {
	double n, x, y, xx, xy, yy, work, busy, outside, chance, variance, products, off;
};

static void sums_make(const struct work *s, struct sums *q)
{
	size_t w;

	*q = (struct sums){ 0 };
	for (w = 0; w < s->in->windows; w++) {
		double load, t = s->in->seconds[w];

		if (left_out(s, w))
			continue;
		load = load_of(s, s->d, w, &q->chance);
		q->n++;
		q->x += load;
		q->y += busy_of(s, w);
		q->xx += load * load;
		q->xy += load * busy_of(s, w);
		q->yy += busy_of(s, w) * busy_of(s, w);
		q->outside += s->measured ? s->in->background[w] : 0;
		q->work += load * t;
		q->busy += busy_of(s, w) * t;
	}
	q->variance = q->xx - q->x * q->x / q->n;
	q->products = q->xy - q->x * q->y / q->n;
	q->off = q->variance > 0 ? q->yy - q->y * q->y / q->n -
				   q->products * q->products / q->variance : 0;
}

/* How the background is told; once, from all windows. */
static void way_find(struct work *s)
{
	struct sums q;

	s->line = s->measured = false;
	sums_make(s, &q);
	s->line = q.n > 2 && q.variance > 0 &&
		  (q.chance < TL_CHANCE_MAX * q.variance ||
		   q.off * q.variance < pow(TL_CHANCE_MAX * q.products, 2));
	s->measured = !s->line && s->in->background;
	s->lowest = s->line || s->measured ? 1 : 0;
	if (!s->line && !s->measured && q.n > 2 && q.busy > 0 &&
	    q.chance < CHANCE_MOST * q.variance)
		s->lowest = lowest_slope(s, q.x / q.n, q.y / q.n, q.products, q.variance) *
			    q.work / q.busy;
}

/* U = b_0 + k load, which makes demands of what d is proportional to. */
static void utilisation_law(struct work *s)
{
	struct sums q;
	double k;
	size_t i;

	if (s->until == 0)
		way_find(s);
	sums_make(s, &q);
	k = q.work > 0 ? fmax(q.busy, 0) / q.work : 0;
	s->background = q.outside / q.n;
	if (s->line && q.variance > 0) {
		s->background = (q.y - q.products / q.variance * q.x) / q.n;
		/* There is no less than none. */
		if (s->background > 0)
			k = q.products / q.variance;
		else
			s->background = 0;
	}
	for (i = 0; i < s->in->classes; i++)
		s->demand[i] = k * s->d[i];
}

static int fit(struct work *s, size_t from, size_t until)
{
	int code;

	s->from = from;
	s->until = until;
	code = shares(s);
	if (!code)
		utilisation_law(s);
	return code;
}

/* Σ squared distances from all windows' result, over the blocks; the background last. */
static int jackknife(struct work *s, double *squares, size_t blocks)
{
	size_t p = s->in->classes, n = s->in->windows, b, i;
	double whole = s->background;
	int code = 0;

	memcpy(s->all, s->demand, p * sizeof(*s->all));
	for (b = 0; b < blocks && !code; b++) {
		code = fit(s, b * n / blocks, (b + 1) * n / blocks);
		for (i = 0; i < p; i++)
			squares[i] += pow(s->demand[i] - s->all[i], 2);
		squares[p] += pow(s->background - whole, 2);
	}
	memcpy(s->demand, s->all, p * sizeof(*s->all));
	s->background = whole;
	return code;
}

static void estimates(const struct work *s, struct tl_sdl_out *out, const double *squares,
		      size_t blocks)
{
	double factor = (double)(blocks - 1) / (double)blocks;
	double t = tl_student95((double)blocks - 1);
	size_t p = s->in->classes, w, i;
	double requests, alone;

	for (i = 0; i < p; i++) {
		for (w = 0, requests = 0; w < s->in->windows; w++)
			requests += s->in->count[w * p + i];
		tl_estimate_interval(&out->demand[i], s->demand[i], sqrt(factor * squares[i]), t);
		alone = out->demand[i].low95; /* if there were no background */
		out->demand[i].low95 = fmin(out->demand[i].low95, s->demand[i] * s->lowest);
		tl_estimate_judge(&out->demand[i]);
		if (out->demand[i].verdict == TL_VERDICT_ZERO && s->lowest < 1 &&
		    alone > 0)
			out->demand[i].verdict = TL_VERDICT_UNCERTAIN;
		if (s->lowest < 1)
			tl_estimate_at_most(&out->demand[i]);
		if (s->demand[i] <= 0 && out->demand[i].verdict != TL_VERDICT_NEGATIVE)
			out->demand[i].verdict = TL_VERDICT_ZERO;
		if (requests == 0)
			out->demand[i].verdict = TL_VERDICT_ABSENT;
	}
	tl_estimate_interval(&out->background, s->background, sqrt(factor * squares[p]), t);
	out->background_known = s->line || s->measured;
	out->degrees = (double)blocks - 1;
}

static void residuals(const struct work *s, struct tl_sdl_out *out)
{
	const struct tl_sdl_in *in = s->in;
	double mean = 0, total = 0, ss = 0, chance = 0;
	size_t w;

	for (w = 0; w < in->windows; w++)
		mean += in->busy[w] / (double)in->windows;
	for (w = 0; w < in->windows; w++) {
		out->residual[w] = busy_of(s, w) - load_of(s, s->demand, w, &chance) -
				   (s->measured ? 0 : s->background);
		ss += out->residual[w] * out->residual[w];
		total += pow(in->busy[w] - mean, 2);
	}
	out->residual_sd = sqrt(ss / (double)in->windows);
	out->r2 = total > 0 ? 1 - ss / total : 0;
}

/**
 * tl_sdl() - Demands by the service demand law
 * @in: resource
 * @out: filled in; its arrays are the caller's
 *
 * Context: blocks · turns · windows · classes steps.
 * Return: 0; -ERANGE with less than two windows, -ENODATA if no time was spent,
 * -ENOMEM, -ELOOP if the shares do not settle.
 */
int tl_sdl(const struct tl_sdl_in *in, struct tl_sdl_out *out)
{
	size_t p = in->classes, blocks = in->windows < BLOCKS ? in->windows : BLOCKS, i;
	double *memory = calloc(6 * p + 1, sizeof(*memory)), time = 0;
	struct work s = { .in = in, .d = memory };
	int code = memory ? 0 : -ENOMEM;

	if (!code && in->windows < 2)
		code = -ERANGE;
	for (i = 0; !code && i < in->windows * p; i++)
		time += in->time_s[i];
	if (!code && !(time > 0))
		code = -ENODATA;
	if (!code) {
		s.demand = s.d + p;
		s.sum = s.demand + p;
		s.scaled = s.sum + p;
		s.all = s.scaled + p;
		for (i = 0; i < p; i++)
			s.d[i] = 1;
		code = fit(&s, 0, 0);
		residuals(&s, out);
	}
	if (!code)
		code = jackknife(&s, s.all + p, blocks);
	if (!code)
		estimates(&s, out, s.all + p, blocks);
	free(memory);
	return code;
}
