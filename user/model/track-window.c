// SPDX-License-Identifier: GPL-2.0-or-later
/* The filter that follows demands: what a window is foretold to hold, and what it holds. */
#include "track-filter.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_VARIANCE 1.0 /* of the logarithm of a demand that was never seen before */
#define VARIANCE_MAX 4.0
#define SLOW_VARIANCE 100.0 /* nothing is known of it beforehand */
#define NOISE 0.01 /* of a utilisation */
#define NOISE_PART 0.2 /* of what is used, at most */
#define BACKGROUND_SD 0.05 /* what is thought of it beforehand */
#define BACKGROUND_PART 0.5
#define BACKGROUND_DRIFT 2e-4
#define TIME_VARIANCE_MIN 1e-8 /* no mean time is measured better */

/**
 * track_demand() - What a class is thought to need
 * @t: filter
 * @class: index
 *
 * Return: seconds per request, 0 for one that has no demand yet.
 */
double track_demand(const struct track *t, size_t class)
{
	return t->known[class] ? exp(t->x[class]) : 0;
}

static double count_of(const struct track *t, size_t window, size_t class)
{
	return t->in->count[window * t->in->classes + class];
}

/* Mean time of a class's requests; negative if there is none. */
static double time_of(const struct track *t, size_t window, size_t class)
{
	double n = count_of(t, window, class);

	return n > 0 ? t->in->time_s[window * t->in->classes + class] / n : -1;
}

static double load_of(const struct track *t, size_t window)
{
	double work = 0;
	size_t i;

	for (i = 0; i < t->in->classes; i++)
		work += count_of(t, window, i) * track_demand(t, i);
	return work / t->in->seconds[window];
}

/* Everything may have changed a little since the last window, and the more the longer ago. */
static void drift(struct track *t, double windows)
{
	size_t p = t->in->classes, n = t->states, i, k;
	double all = pow(t->drift[p], 2) * windows;

	for (i = 0; i < p; i++) {
		for (k = 0; t->known[i] && k < p; k++)
			t->p[i * n + k] += t->known[k] ? all : 0;
		t->p[i * n + i] += t->known[i] ? pow(t->drift[i], 2) * windows : 0;
	}
	t->p[track_background(t) * (n + 1)] += pow(BACKGROUND_DRIFT, 2) * windows;
	for (i = 0; i < p; i++) {
		double scale = sqrt(VARIANCE_MAX / t->p[i * (n + 1)]);

		for (k = 0; t->known[i] && scale < 1 && k < n; k++) {
			t->p[i * n + k] *= scale;
			t->p[k * n + i] *= scale;
		}
	}
}

struct ratio {
	double log, weight;
};

static int compare(const void *a, const void *b)
{
	const struct ratio *x = a, *y = b;

	return (x->log > y->log) - (x->log < y->log);
}

/* How much slower requests are than their demands, for half of them: a class that has
 * changed should not move it. NAN if no class tells. */
static double slowness(const struct track *t, size_t window)
{
	struct ratio ratio[t->in->classes + 1];
	double all = 0, half = 0;
	size_t i, n = 0;

	for (i = 0; i < t->in->classes; i++) {
		double mean = time_of(t, window, i);

		if (mean <= 0 || !t->known[i])
			continue;
		ratio[n++] = (struct ratio){ log(mean) - t->x[i], count_of(t, window, i) };
		all += count_of(t, window, i);
	}
	qsort(ratio, n, sizeof(*ratio), compare);
	for (i = 0; i < n; i++) {
		half += ratio[i].weight;
		if (half >= all / 2)
			return ratio[i].log;
	}
	return NAN;
}

static bool is_new(const struct track *t, size_t window, size_t class)
{
	return !t->known[class] && time_of(t, window, class) > 0;
}

/* What makes demands of times that make up the utilisation. NAN if there is none. */
static double slowness_by_law(const struct track *t, size_t window)
{
	double left = t->in->busy[window] - load_of(t, window) - t->x[track_background(t)];
	double time = 0;
	size_t i;

	for (i = 0; i < t->in->classes; i++)
		if (is_new(t, window, i))
			time += t->in->time_s[window * t->in->classes + i];
	left = fmax(left, t->in->busy[window] / 10);
	return left > 0 ? log(time / left / t->in->seconds[window]) : NAN;
}

static void class_begin(struct track *t, size_t class, double x)
{
	size_t i;

	for (i = 0; i < t->states; i++)
		t->p[class * t->states + i] = t->p[i * t->states + class] = 0;
	t->p[class * (t->states + 1)] = FIRST_VARIANCE;
	t->x[class] = x;
	t->known[class] = true;
}

/* Nothing is known yet: neither noise nor background are more than a part of what there is. */
static void level_begin(struct track *t, size_t window)
{
	size_t back = track_background(t), i;
	double busy = t->in->busy[window], outside;

	for (i = 0; i < t->in->classes; i++)
		if (t->known[i])
			return;
	outside = t->in->outside ? fmin(t->in->outside[window], busy) / 2 : 0;
	t->noise = fmin(NOISE, busy * NOISE_PART);
	t->x[back] = outside;
	t->p[back * (t->states + 1)] = pow(fmin(outside > 0 ? outside : BACKGROUND_SD,
						busy * BACKGROUND_PART), 2);
}

/* Classes that come for the first time. Return: whether the utilisation was used for it. */
static bool classes_begin(struct track *t, size_t window)
{
	double slow = slowness(t, window);
	bool by_law = isnan(slow), any = false, is[t->in->classes + 1];
	size_t i;

	for (i = 0; i < t->in->classes; i++)
		any |= is[i] = is_new(t, window, i);
	if (any && by_law) {
		level_begin(t, window);
		slow = slowness_by_law(t, window);
	}
	for (i = 0; i < t->in->classes; i++) {
		if (!is[i] || isnan(slow))
			continue;
		class_begin(t, i, log(time_of(t, window, i)) - slow);
		t->window.fresh[i] = true;
	}
	return any && by_law;
}

/**
 * track_predict() - What is foretold of a window
 * @t: filter; classes that come for the first time begin
 * @window: index
 */
void track_predict(struct track *t, size_t window)
{
	size_t n = t->states, slow = track_slowness(t), i;
	double since = window ? t->in->t_s[window] - t->in->t_s[window - 1] -
				t->in->seconds[window - 1] : 0;
	double x;

	drift(t, 1 + fmax(since, 0) / t->in->seconds[window]);
	memset(t->window.fresh, 0, (t->in->classes + 1) * sizeof(*t->window.fresh));
	t->window.fresh[t->in->classes] = classes_begin(t, window);
	for (i = 0; i < n; i++)
		t->p[slow * n + i] = t->p[i * n + slow] = 0;
	t->p[slow * n + slow] = SLOW_VARIANCE;
	x = slowness(t, window);
	t->x[slow] = isnan(x) ? 0 : x;
}

/**
 * track_unsure() - How much wider than its variance something is whose variance is estimated
 * @looks: at how many it was
 *
 * Return: the factor of Student's t, with as many degrees of freedom.
 */
double track_unsure(double looks)
{
	return 1 + 2 / (TRACK_LOOKS_FIRST + fmin(looks, TRACK_LOOKS_MAX));
}

/**
 * track_observe() - What there is to see in a window
 * @t: filter; its window is set up
 * @window: index
 */
void track_observe(struct track *t, size_t window)
{
	struct track_window *w = &t->window;
	double n, chance = 0;
	size_t i;

	w->at = window;
	w->n = w->doubted = 0;
	for (i = 0; i < t->in->classes; i++) {
		n = count_of(t, window, i);
		chance += n * t->scatter[i] *
			  pow(track_demand(t, i) / t->in->seconds[window], 2);
		if (n > 0)
			t->most[i] = t->in->busy[window] * t->in->seconds[window] / n;
		if (!t->known[i] || n <= 0)
			continue;
		w->error[w->n] = fmax(track_unsure(t->looks[i]) * t->scatter[i] / n,
				      TIME_VARIANCE_MIN);
		w->class[w->n++] = i;
	}
	w->error[w->n] = track_unsure((double)window) * (t->noise * t->noise + chance);
	w->class[w->n++] = TRACK_NONE;
	memset(w->doubt, 0, w->n * w->n * sizeof(*w->doubt));
	track_look(t, t->x);
}

/* How much less than 3 three times the cube root of a gamma variable of mean 1 is in the
 * mean: about a third of its variance, if that is small. */
static double cube_root_bias(double variance)
{
	if (variance < 0.01)
		return variance / 3;
	return 3 - 3 * gsl_sf_poch(1 / variance, 1.0 / 3) * cbrt(variance);
}

/**
 * track_look() - How far off the window is
 * @t: filter, observing a window
 * @x: [states] from this
 *
 * Times are products and the utilisation is a sum of exponentials: both are taken as
 * linear around @x.
 */
void track_look(struct track *t, const double *x)
{
	struct track_window *w = &t->window;
	size_t n = t->states, slow = track_slowness(t), i;
	double *row = w->row, busy = x[track_background(t)];

	memset(w->row, 0, w->n * n * sizeof(*w->row));
	for (i = 0; i + 1 < w->n; i++, row += n) {
		size_t class = w->class[i];

		row[class] = row[slow] = 1;
		w->off[i] = 3 * (cbrt(time_of(t, w->at, class) / exp(x[class] + x[slow])) - 1) +
			    cube_root_bias(w->error[i]);
	}
	for (i = 0; i < t->in->classes; i++) {
		if (t->known[i])
			row[i] = count_of(t, w->at, i) * exp(x[i]) / t->in->seconds[w->at];
		busy += row[i];
	}
	row[track_background(t)] = 1;
	w->off[w->n - 1] = t->in->busy[w->at] - busy;
}

/**
 * track_solve() - Solve the equations of the variance of what is off
 * @t: filter, weighed
 * @b: [n] right-hand side
 * @solution: [n] set
 *
 * Return: the product of both.
 */
double track_solve(const struct track *t, const double *b, double *solution)
{
	size_t n = t->window.n, i;
	gsl_matrix_const_view spread = gsl_matrix_const_view_array(t->window.spread, n, n);
	gsl_vector_const_view from = gsl_vector_const_view_array(b, n);
	gsl_vector_view to = gsl_vector_view_array(solution, n);
	double product = 0;

	gsl_linalg_cholesky_solve(&spread.matrix, &from.vector, &to.vector);
	for (i = 0; i < n; i++)
		product += b[i] * solution[i];
	return product;
}

/**
 * track_weigh() - The variance of what is off, and what is off by it
 * @t: filter, observing a window
 *
 * Return: 0, or -EDOM if the numbers give out.
 */
int track_weigh(struct track *t)
{
	struct track_window *w = &t->window;
	gsl_matrix_view spread = gsl_matrix_view_array(w->spread, w->n, w->n);
	size_t n = t->states, i, k, a;
	double *part = w->work; /* P H' of one observation */

	for (i = 0; i < w->n; i++) {
		for (a = 0; a < n; a++)
			for (k = 0, part[a] = 0; k < n; k++)
				part[a] += t->p[a * n + k] * w->row[i * n + k];
		for (k = 0; k < w->n; k++) {
			double sum = w->doubt[i * w->n + k];

			for (a = 0; a < n; a++)
				sum += w->row[k * n + a] * part[a];
			w->spread[k * w->n + i] = sum + (i == k ? w->error[i] : 0);
		}
	}
	if (gsl_linalg_cholesky_decomp1(&spread.matrix) != GSL_SUCCESS)
		return -EDOM;
	track_solve(t, w->off, w->score);
	return 0;
}
