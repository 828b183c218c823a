// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Demands followed over time by a filter that sees utilisation and times
 *
 * Paper 001 (2.3) follows the demands of a resource's classes by a Kalman filter that sees
 * the utilisation alone, which cannot tell classes apart: kalman.c. Here the state is
 *
 *	θ_i = log D_i,	b,	σ_w		D: demands, b: utilisation without requests
 *
 * and a window w tells of it what the service demand law of sdl.c is made of,
 *
 *	U_w = b + Σ_i n_iw exp(θ_i) / T_w + noise,
 *	R_iw = exp(σ_w + θ_i) · noise of n_iw requests
 *
 * (R: mean time of a class that is proportional to its use: all requests of a window are
 * slowed down by the same factor on a resource that is shared evenly; nothing is supposed
 * of that factor, σ_w begins anew with each window). So times tell how the classes share
 * the resource, utilisation tells of how much. Logarithms, because a demand is not
 * negative, and changes by a part of itself. θ and b go at random; what is off of a window
 * moves them by a Kalman filter linearised around the result, iterated (A. H. Jazwinski,
 * Stochastic Processes and Filtering Theory, 1970, 8.3).
 *
 * A mean time of n requests is much like a gamma variable, which is skewed if they are
 * few. Its cube root is nearly normal (E. B. Wilson, M. M. Hilferty, PNAS 17, 1931):
 *
 *	3 ((R / E R)^⅓ - E (…)^⅓) ~ N(0, v)	v = φ_i / n_iw, E (…)^⅓ ≈ 1 - v / 9
 *
 * φ_i, the variation of a request's time, and the noise of the utilisation are learnt from
 * how far off each observation is if all the others are believed; how much θ drifts, and
 * when it jumps: track-change.c. NIS, ν' S⁻¹ ν (Y. Bar-Shalom, X. R. Li, T. Kirubarajan,
 * Estimation with Applications to Tracking and Navigation, 2001, 5.4), is χ² with as many
 * degrees as observations, less one for σ_w, if all this is so.
 *
 * b below zero is no background. The filter goes on with it, because what is cut off at
 * zero again and again drifts away from it; but its result is the nearest state without.
 */
#include "track-filter.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ITERATIONS_MAX 20
#define STEP_MAX 1.0 /* of an iteration */
#define SCATTER_MIN 1e-4
#define SCATTER_MAX 100.0
#define NOISE_MIN 1e-4
#define NOISE_MAX 0.2
#define RATIO_MAX 9.0 /* that one window may say */
#define DRIFT 0.003 /* a window, as a part */
#define ALL_DRIFT 0.001
#define DEMAND_MIN 1e-9 /* less is nothing */

static void *take(double **memory, size_t n)
{
	double *at = *memory;

	*memory += n;
	return at;
}

static int track_make(struct track *t)
{
	size_t p = t->in->classes, n = p + 2, m = p + 1;
	double *at;

	t->states = n;
	t->memory = at = calloc(n + n * n + 4 * p + 2 * m + m * n + 3 * m + 2 * m * m + n,
				sizeof(*at));
	t->known = calloc(2 * m, sizeof(*t->known));
	t->sum = calloc(m, sizeof(*t->sum));
	t->window.class = calloc(m, sizeof(*t->window.class));
	t->out->change = calloc(t->in->windows * m + 1, sizeof(*t->out->change));
	if (!at || !t->known || !t->sum || !t->window.class || !t->out->change)
		return -ENOMEM;
	t->window.fresh = t->known + m;
	t->x = take(&at, n);
	t->p = take(&at, n * n);
	t->most = take(&at, p);
	t->scatter = take(&at, p);
	t->own = take(&at, p);
	t->looks = take(&at, p);
	t->drift = take(&at, m);
	t->before = take(&at, m);
	t->window.row = take(&at, m * n);
	t->window.off = take(&at, m);
	t->window.error = take(&at, m);
	t->window.score = take(&at, m);
	t->window.spread = take(&at, m * m);
	t->window.doubt = take(&at, m * m);
	t->window.work = take(&at, n);
	return 0;
}

static void track_end(struct track *t)
{
	free(t->memory);
	free(t->known);
	free(t->sum);
	free(t->window.class);
}

static void track_begin(struct track *t)
{
	size_t p = t->in->classes, i;

	memset(t->p, 0, t->states * t->states * sizeof(*t->p));
	memset(t->known, 0, p * sizeof(*t->known));
	t->x[track_background(t)] = 0;
	t->noise = NOISE_MAX;
	t->common = 1;
	t->common_looks = TRACK_LOOKS_FIRST;
	for (i = 0; i < p; i++) {
		t->most[i] = -1;
		t->scatter[i] = 1;
		t->own[i] = 0;
		t->looks[i] = 0;
		t->drift[i] = DRIFT;
	}
	t->drift[p] = ALL_DRIFT;
	track_directions_begin(t);
}

/* The utilisation's noise, by how far off it was beside what was thought. */
static void noise_learn(struct track *t, double ratio, double error)
{
	double looks = fmin((double)t->window.at, TRACK_LOOKS_MAX);
	double more = error * (ratio - 1) / (TRACK_LOOKS_FIRST + looks);

	t->noise = sqrt(fmax(t->noise * t->noise + more, 0));
	t->noise = fmin(fmax(t->noise, NOISE_MIN), NOISE_MAX);
}

/* A class's scatter is its own, as far as enough windows tell it; else that of all. */
static void scatter_mix(struct track *t)
{
	size_t i;

	for (i = 0; i < t->in->classes; i++) {
		double looks = fmin(t->looks[i], TRACK_LOOKS_MAX);

		t->scatter[i] = (TRACK_LOOKS_FIRST * t->common + looks * t->own[i]) /
				(TRACK_LOOKS_FIRST + looks);
		t->scatter[i] = fmin(fmax(t->scatter[i], SCATTER_MIN), SCATTER_MAX);
	}
}

/* How much observations scatter, by how far off each is if all others are believed. */
static void scatter_learn(struct track *t)
{
	struct track_window *w = &t->window;
	double unit[w->n], column[w->n], ratio, looks, n = 0, sum = 0;
	size_t i;

	memset(unit, 0, sizeof(unit));
	for (i = 0; i < w->n; i++) {
		size_t class = w->class[i] == TRACK_NONE ? t->in->classes : w->class[i];

		if (w->doubt[i * w->n + i] > 0 || w->fresh[class])
			continue;
		unit[i] = 1;
		ratio = pow(w->score[i], 2) / track_solve(t, unit, column);
		unit[i] = 0;
		looks = class == t->in->classes ? (double)w->at : t->looks[class];
		ratio = fmin(track_unsure(looks) * ratio, RATIO_MAX);
		if (class == t->in->classes) {
			noise_learn(t, ratio, w->error[i]);
			continue;
		}
		n++;
		sum += fmin(ratio * t->scatter[class], RATIO_MAX * t->common);
		looks = fmin(++t->looks[class], TRACK_LOOKS_MAX);
		t->own[class] += (ratio * t->scatter[class] - t->own[class]) / looks;
	}
	if (n > 0) {
		t->common_looks = fmin(t->common_looks + n, TRACK_LOOKS_MAX);
		t->common += (sum / n - t->common) * fmin(n / t->common_looks, 1);
	}
	scatter_mix(t);
}

/* P H' of an observation. */
static void gain_of(const struct track *t, size_t observation, double *gain)
{
	size_t n = t->states, i, k;

	for (i = 0; i < n; i++)
		for (k = 0, gain[i] = 0; k < n; k++)
			gain[i] += t->p[i * n + k] * t->window.row[observation * n + k];
}

/* x = x⁻ + P H' S⁻¹ (off + H (x - x⁻)), around x, until it stays. */
static int move(struct track *t, const double *from)
{
	struct track_window *w = &t->window;
	double off[w->n], score[w->n], gain[t->states], to[t->states], most = 1;
	size_t n = t->states, i, k, turn;

	for (turn = 0; turn < ITERATIONS_MAX && most > 1e-7; turn++) {
		if (turn)
			track_look(t, t->x);
		if (turn && track_weigh(t))
			return -EDOM;
		memcpy(to, from, sizeof(to));
		for (i = 0; i < w->n; i++)
			for (k = 0, off[i] = w->off[i]; k < n; k++)
				off[i] += w->row[i * n + k] * (t->x[k] - from[k]);
		track_solve(t, off, score);
		for (i = 0; i < w->n; i++) {
			gain_of(t, i, gain);
			for (k = 0; k < n; k++)
				to[k] += gain[k] * score[i];
		}
		for (k = 0, most = 0; k < n; k++) {
			double step = fmin(fmax(to[k] - t->x[k], -STEP_MAX), STEP_MAX);

			t->x[k] += step;
			most = fmax(most, fabs(step));
		}
	}
	return 0;
}

/* P - P H' S⁻¹ H P */
static void narrow(struct track *t)
{
	struct track_window *w = &t->window;
	size_t n = t->states, i, k, a;
	double gain[w->n * n], column[w->n], solution[w->n];

	for (i = 0; i < w->n; i++)
		gain_of(t, i, gain + i * n);
	for (a = 0; a < n; a++) {
		for (i = 0; i < w->n; i++)
			column[i] = gain[i * n + a];
		track_solve(t, column, solution);
		for (k = 0; k < n; k++)
			for (i = 0; i < w->n; i++)
				t->p[a * n + k] -= solution[i] * gain[i * n + k];
	}
	for (a = 0; a < n; a++)
		for (k = 0; k < a; k++)
			t->p[a * n + k] = t->p[k * n + a] =
				(t->p[a * n + k] + t->p[k * n + a]) / 2;
}

/* The state that is nearest to it in which the background is not negative. */
static double kept(const struct track *t, size_t state)
{
	size_t n = t->states, back = track_background(t);
	double less = fmin(t->x[back], 0);

	return state == back ? fmax(t->x[back], 0) :
	       t->x[state] - t->p[state * n + back] / t->p[back * (n + 1)] * less;
}

/* What needs nothing any more begins anew if it ever does again. */
static void classes_forget(struct track *t)
{
	size_t i;

	for (i = 0; i < t->in->classes; i++)
		if (t->known[i] && t->x[i] < log(DEMAND_MIN))
			t->known[i] = false;
}

static bool sound(const struct track *t)
{
	size_t n = t->states, i;

	for (i = 0; i < n; i++)
		if (!isfinite(t->x[i]) || !isfinite(t->p[i * (n + 1)]) || t->p[i * (n + 1)] < 0)
			return false;
	return true;
}

static void step_note(struct track *t)
{
	struct track_window *w = &t->window;
	struct tl_track_step *step = &t->out->step[w->at];
	size_t i, times = 0;
	double nis = 0;

	for (i = 0; i < w->n; i++)
		nis += w->off[i] * w->score[i];
	for (i = 0; i + 1 < w->n; i++)
		times += !w->fresh[w->class[i]];
	step->degrees = times + !w->fresh[t->in->classes] - (times > 0);
	step->nis = step->degrees ? nis : 0;
}

static int window_take(struct track *t, size_t window)
{
	double from[t->states];
	size_t changes = t->out->changes;
	int code;

	track_predict(t, window);
	track_observe(t, window);
	memcpy(from, t->x, sizeof(from));
	code = track_weigh(t);
	if (code)
		return code;
	step_note(t);
	code = track_judge(t);
	if (code)
		return code;
	t->out->step[window].doubted = t->window.doubted;
	t->out->step[window].changed = t->out->changes - changes;
	scatter_learn(t);
	code = move(t, from);
	if (code)
		return code;
	narrow(t);
	for (; changes < t->out->changes; changes++) {
		struct tl_track_change *c = &t->out->change[changes];

		if (c->class != TL_TRACK_ALL)
			c->factor = exp(t->x[c->class] - from[c->class]);
	}
	classes_forget(t);
	return sound(t) ? 0 : -EDOM;
}

static void estimates(struct track *t, size_t window)
{
	size_t p = t->in->classes, n = t->states, back = track_background(t), i;
	struct tl_estimate *e = t->out->demand + window * p;
	double z = tl_student95(1e6), sd, x;

	for (i = 0; i < p; i++, e++) {
		*e = (struct tl_estimate){ .high95 = fmax(t->most[i], 0),
					   .verdict = t->most[i] < 0 ? TL_VERDICT_ABSENT :
								       TL_VERDICT_ZERO };
		if (!t->known[i])
			continue;
		x = kept(t, i);
		sd = sqrt(t->p[i * (n + 1)]);
		tl_estimate_interval(e, exp(x), exp(x) * sd, z);
		e->low95 = exp(x - z * sd);
		e->high95 = exp(x + z * sd);
		tl_estimate_judge(e);
	}
	tl_estimate_interval(&t->out->step[window].background, kept(t, back),
			     sqrt(t->p[back * (n + 1)]), z);
}

/**
 * tl_track() - Follow demands, window by window
 * @in: resource
 * @out: filled in; its arrays but @change are the caller's; to be given to tl_track_free()
 *
 * What is said of a window is known with it: no later one is looked at.
 *
 * Context: windows · (directions that are off + iterations) · classes³ steps.
 * Return: 0; -E2BIG with more than TL_TRACK_CLASSES_MAX classes, -ENOMEM.
 */
int tl_track(const struct tl_track_in *in, struct tl_track_out *out)
{
	struct track t = { .in = in, .out = out };
	size_t w;
	int code;

	out->change = NULL;
	out->changes = out->restarts = 0;
	if (in->classes > TL_TRACK_CLASSES_MAX)
		return -E2BIG;
	code = track_make(&t);
	if (!code)
		track_begin(&t);
	for (w = 0; !code && w < in->windows; w++) {
		out->step[w] = (struct tl_track_step){ 0 };
		if (window_take(&t, w)) {
			track_begin(&t);
			out->restarts++;
		}
		estimates(&t, w);
	}
	track_end(&t);
	return code;
}

/**
 * tl_track_free() - Free what tl_track() allocated
 * @out: its result
 */
void tl_track_free(struct tl_track_out *out)
{
	free(out->change);
}
