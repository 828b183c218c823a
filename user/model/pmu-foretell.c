// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Foretelling an event by the others, and by the intervals beside
 *
 * Samples and what each of their features says: pmu-samples.c. A feature counts less where it is
 * not certain itself: with variance v, by s² / (s² + c v). What is foretold is the median of the
 * nearest, as some of them are beside what is usual themselves, or what a plane through them says
 * at that place (local.c), or what is between the two. Rates are taken as logarithms: it is
 * factors that programs have in common, and that errors are judged by.
 *
 * Which samples are near is seen in two ways, by features that count by what each tells of the event,
 * and by the root of that, which asks more of them. What is foretold is what the first says, or the
 * mean of both, if the record's own counts say that it is nearer (pmu-fit.c).
 *
 * Of the nearest each counts by its distance d, and that of the nearest of all, d_1,
 *
 *	w = exp(-(d² - d_1²) / (c d_1²)),	c = 1/2,
 *
 * in the median and in how far apart they are. Among many that are as far off as each other that is
 * next to no matter; but what a program does once, as when it begins, each known run has once, and
 * the rest of the nearest is nothing like it.
 *
 * How far it is off is tried where the truth is known: samples are made as uncertain as the
 * record is at some interval, which may be neither more nor less than what is met, and
 * foretold by the other runs (by the rest of the run, if there is only one). So are k and the part
 * of the plane chosen.
 * What was off there gives the intervals; how far it is off goes by how far the nearest are apart,
 * see pmu-trust.c.
 *
 * It is paper 003's step 2 to 4 of 2.3, with medians, planes, and uncertainty. Of weights by
 * distance: E. A. Nadaraya, Theory Probab. Appl. 9 (1964). Of what is between two opinions by
 * trials: D. H. Wolpert, Stacked generalization, Neural Networks 5 (1992). Of means of several:
 * L. Breiman, Bagging predictors, Machine Learning 24 (1996).
 */
#include "pmu-foretell.h"

#include "local.h"
#include "median.h"
#include "pmu.h"

#include <errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#define UNCERTAIN 4.0 /* c */
#define CLIP 2.0 /* of the distance that one feature can make */
#define SPREAD 8 /* of the nearest, how far apart they are */
#define SPREAD_MIN 0.01 /* nothing is known better than to a hundredth */
#define CERTAIN 1e-5 /* variance of what is most certain */
#define REACH 0.5 /* c: of what is so much farther off than the nearest a third counts */
#define NEAREST 16 /* between which the truth is thought to be */
#define PARTS 4 /* steps in which the part of the plane is tried */
#define BESIDE 5 /* samples around one that are nearly the same */

/* Of an event's arrays that have one for each way. */
static size_t of_way(size_t event, size_t way)
{
	return event * TL_FORETELL_WAYS + way;
}

/* What a feature counts that has that variance. */
static double weight_of(const struct tl_foretell *f, size_t of, size_t c, double variance)
{
	double sd = f->sd[c];

	if (!isfinite(variance))
		return 0;
	return f->weight[of * f->features + c] * sd * sd / (sd * sd + UNCERTAIN * variance + 1e-12);
}

/* The nearest samples, in each way. */
struct nearest {
	struct tl_knn_near way[TL_FORETELL_WAYS];
};

/* Return: whether there are any. */
static bool find(const struct tl_foretell *f, size_t event, const double *variance,
		 struct tl_knn_query *query, struct nearest *nearest)
{
	struct tl_knn knn = { f->samples, f->features, f->x, CLIP };
	double weight[f->features];
	size_t way, c;

	query->weight = weight;
	for (way = 0; way < TL_FORETELL_WAYS; way++) {
		for (c = 0; c < f->features; c++)
			weight[c] = weight_of(f, of_way(event, way), c, variance[c]);
		tl_knn_near(&knn, query, TL_KNN_MAX, &nearest->way[way]);
	}
	query->weight = NULL;
	return nearest->way[0].n > 0;
}

/* What a sample counts of the nearest, the less the farther it is off than the first. */
static double nearness(const struct tl_knn_near *near, size_t i)
{
	double far = near->square[i] - near->square[0];

	return exp(-far / (REACH * near->square[0] + 1e-9));
}

/* The deviation of the nearest: where these are far apart, so may the truth be. */
static double spread_of(const struct tl_foretell *f, const struct tl_knn_near *near, size_t event)
{
	const double *y = f->x + f->events + event;
	size_t n = near->n < SPREAD ? near->n : SPREAD, i;
	double sum = 0, squares = 0, all = 0, w;

	for (i = 0; i < n; i++) {
		w = nearness(near, i);
		all += w;
		sum += w * y[near->sample[i] * f->features];
	}
	for (i = 0; i < n; i++)
		squares += nearness(near, i) * pow(y[near->sample[i] * f->features] - sum / all, 2);
	return n ? sqrt(squares / all + SPREAD_MIN * SPREAD_MIN) : 0;
}

/* What the nearest have, @n of them, and what each counts; from the least value on they are those of @order. */
struct voters {
	size_t n, order[TL_KNN_MAX];
	double value[TL_KNN_MAX], weight[TL_KNN_MAX];
};

static void voters_find(const struct tl_foretell *f, const struct tl_knn_near *near, size_t event,
			struct voters *v)
{
	size_t i;

	v->n = near->n;
	for (i = 0; i < v->n; i++) {
		v->value[i] = f->x[near->sample[i] * f->features + f->events + event];
		v->weight[i] = nearness(near, i);
	}
	gsl_sort_index(v->order, v->value, 1, v->n);
}

/* Of the k nearest: their median, as some of them are themselves beside what is usual. */
static double middle(const struct voters *v, size_t k)
{
	size_t n = k < v->n ? k : v->n, seen = 0, i, at;
	bool between = false;
	double left = 0, value = 0;

	for (i = 0; i < n; i++)
		left += v->weight[i] / 2;
	for (i = 0; i < v->n; i++) {
		at = v->order[i];
		if (at >= n)
			continue;
		if (between)
			return (value + v->value[at]) / 2;
		value = v->value[at];
		if (++seen == n || left <= v->weight[at] * (1 - 1e-9))
			return value;
		between = left <= v->weight[at] * (1 + 1e-9);
		left -= v->weight[at];
	}
	return value;
}

/* How much the nearest change from interval to interval: half the squares, as of chance. */
static double step_of(const struct tl_foretell *f, const struct tl_knn_near *near, size_t event)
{
	size_t n = near->n < NEAREST ? near->n : NEAREST, i;
	double sum = 0;

	for (i = 0; i < n; i++) {
		const double *x = f->x + near->sample[i] * f->features + event;

		sum += pow(x[f->events] - x[0], 2) + pow(x[2 * f->events] - x[f->events], 2);
	}
	return n ? sum / (4 * (double)n) : 0;
}

/* By the plane through the nearest; how far the truth may be off it. */
static bool lay(const struct tl_knn_near *near, const struct tl_local *in, double *value,
		double *spread)
{
	struct tl_local_out out;

	if (!near->n || tl_local(in, near, &out))
		return false;
	*value = out.value;
	*spread = sqrt(out.variance + SPREAD_MIN * SPREAD_MIN);
	return isfinite(*value) && isfinite(*spread);
}

/* How far down and up the nearest go, or what is there already does. */
static void reach_add(const struct tl_foretell *f, const struct tl_knn_near *near, size_t event,
		      double *least, double *most)
{
	size_t n = near->n < NEAREST ? near->n : NEAREST, i;
	double y;

	for (i = 0; i < n; i++) {
		y = f->x[near->sample[i] * f->features + f->events + event];
		*least = fmin(*least, y);
		*most = fmax(*most, y);
	}
}

/* What one way says, of as many as the event is foretold by. */
static void told_add(const struct tl_foretell *f, const struct tl_knn_near *near, size_t event,
		     size_t way, const struct tl_local *local, struct tl_foretold *told)
{
	double plane, plane_spread, part = f->plane[of_way(event, way)], value;
	double spread = spread_of(f, near, event), ways = (double)f->ways[event];
	struct voters voters;
	size_t n;

	voters_find(f, near, event, &voters);
	value = middle(&voters, f->k[of_way(event, way)]);
	if (part > 0 && lay(near, local, &plane, &plane_spread)) {
		value += part * (plane - value);
		spread += part * (plane_spread - spread);
	}
	for (n = way; n < TL_FORETELL_WAYS; n++)
		told->by[n] += value / (double)(n + 1);
	if (way >= f->ways[event])
		return;
	told->spread += spread / ways;
	told->step += step_of(f, near, event) / ways;
	reach_add(f, near, event, &told->least, &told->most);
}

static bool any(const double *weight, size_t n)
{
	size_t c;

	for (c = 0; c < n; c++)
		if (weight[c] > 0)
			return true;
	return false;
}

/**
 * tl_foretell() - What the others say of an event
 * @f: what is known, tried
 * @interval: which
 * @event: which; what is believed of it in that interval is not looked at
 * @told: filled in, if something is said
 *
 * Return: whether something is.
 */
bool tl_foretell(const struct tl_foretell *f, size_t interval, size_t event,
		 struct tl_foretold *told)
{
	struct tl_knn_query query = { .x = f->seen + interval * f->features,
				      .use = f->use + event * f->samples };
	struct tl_local local = { f->x, f->features, f->events + event, query.x,
				  f->unsure + interval * f->features };
	struct nearest nearest;
	size_t way;

	if (!f->trials[event] || !find(f, event, local.variance, &query, &nearest))
		return false;
	*told = (struct tl_foretold){ .most = -INFINITY, .least = INFINITY };
	for (way = 0; way < TL_FORETELL_WAYS; way++)
		told_add(f, &nearest.way[way], event, way, &local, told);
	told->value = told->by[f->ways[event] - 1];
	told->even = fmax(f->variance[event] * told->spread * told->spread, CERTAIN);
	told->variance = fmax(told->even * tl_trust_factor(&f->trust[event], told->spread), CERTAIN);
	return true;
}

/* How far off the truth the medians of k nearest are, and the plane; and how far apart they are. */
struct trial_way {
	double middle[TL_KNN_MAX], plane, spread, plane_spread;
};

struct trial {
	struct trial_way way[TL_FORETELL_WAYS];
};

static void trial_fill(const struct tl_foretell *f, const struct tl_knn_near *near, size_t event,
		       const struct tl_local *local, double truth, struct trial_way *trial)
{
	struct voters voters;
	size_t k;

	voters_find(f, near, event, &voters);
	for (k = 0; k < TL_KNN_MAX; k++)
		trial->middle[k] = truth - middle(&voters, k + 1);
	trial->spread = spread_of(f, near, event);
	if (lay(near, local, &trial->plane, &trial->plane_spread)) {
		trial->plane = truth - trial->plane;
	} else {
		trial->plane = trial->middle[0];
		trial->plane_spread = trial->spread;
	}
}

/* Samples of other runs; if none of them has the event, those of its own that are not beside it. */
static bool others(const struct tl_foretell *f, size_t event, const double *variance, size_t s,
		   struct tl_knn_query *query, struct nearest *nearest)
{
	if (f->runs > 1) {
		query->skip = f->first[f->run[s]];
		query->skip_end = f->first[f->run[s] + 1];
		if (find(f, event, variance, query, nearest))
			return true;
	}
	query->skip = s < BESIDE ? 0 : s - BESIDE;
	query->skip_end = s + BESIDE + 1;
	return find(f, event, variance, query, nearest);
}

/* What is like a sample, if that is as uncertain as an interval of the record is. */
static bool blur(struct tl_foretell *f, struct tl_local *local, size_t s, gsl_rng *random,
		 double *x, struct nearest *nearest)
{
	size_t event = local->event - f->events, c;
	struct tl_knn_query query = { .x = x, .use = f->use + event * f->samples };

	*local = (struct tl_local){ f->x, f->features, f->events + event, x, f->unsure +
				    gsl_rng_uniform_int(random, f->intervals) * f->features };
	if (!query.use[s])
		return false;
	for (c = 0; c < f->features; c++) {
		x[c] = f->x[s * f->features + c];
		if (weight_of(f, of_way(event, 0), c, local->variance[c]) > 0)
			x[c] += gsl_ran_gaussian(random, sqrt(local->variance[c]));
	}
	return others(f, event, local->variance, s, &query, nearest);
}

static bool try_one(struct tl_foretell *f, size_t event, gsl_rng *random, struct trial *trial)
{
	size_t s = gsl_rng_uniform_int(random, f->samples), way;
	struct tl_local local = { .event = f->events + event };
	struct nearest nearest;
	double x[f->features];

	if (!blur(f, &local, s, random, x, &nearest))
		return false;
	for (way = 0; way < TL_FORETELL_WAYS; way++)
		trial_fill(f, &nearest.way[way], event, &local,
			   f->x[s * f->features + local.event], &trial->way[way]);
	return true;
}

/**
 * tl_foretell_off() - What a part of the trials was not further above what was foretold
 * @f: what is known, tried
 * @event: which
 * @part: 0 to 1
 *
 * Return: it, in units of the spread; 0 if it was not tried.
 */
double tl_foretell_off(const struct tl_foretell *f, size_t event, double part)
{
	if (!f->trials[event])
		return 0;
	return gsl_stats_quantile_from_sorted_data(f->off + event * TL_FORETELL_TRIALS, 1,
						   f->trials[event], part);
}

/**
 * tl_foretell_widen() - It is farther off than it was when it was tried
 * @f: what is known, tried
 * @event: which
 * @factor: what its variance is multiplied by, until it is tried again
 */
void tl_foretell_widen(struct tl_foretell *f, size_t event, double factor)
{
	size_t i;

	f->variance[event] *= factor;
	for (i = 0; i < f->trials[event]; i++)
		f->off[event * TL_FORETELL_TRIALS + i] *= sqrt(factor);
}

/* The farthest twentieth counts no more than what it is beyond: tails are long. */
static double variance_of(const struct tl_foretell *f, size_t event)
{
	double low = tl_foretell_off(f, event, 0.025), high = tl_foretell_off(f, event, 0.975);
	const double *off = f->off + event * TL_FORETELL_TRIALS;
	double sum = 0;
	size_t i;

	for (i = 0; i < f->trials[event]; i++)
		sum += pow(fmin(fmax(off[i], low), high), 2);
	return f->trials[event] ? fmax(sum / (double)f->trials[event], 1e-4) : INFINITY;
}

/* What the median of so many is off, if the plane has that part. */
static double off_of(const struct trial_way *trial, size_t k, double part)
{
	return trial->middle[k] + part * (trial->plane - trial->middle[k]);
}

/* On an average. */
static double off_mean(const struct trial *trial, size_t n, size_t way, size_t k, double part)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += fabs(off_of(&trial[i].way[way], k, part));
	return n ? sum / (double)n : INFINITY;
}

/* The k that is best, and then the part of the plane that is best with it. */
static size_t choose(const struct trial *trial, size_t n, size_t way, double *part)
{
	size_t best = 0, k, i;

	for (k = 1; k < TL_KNN_MAX; k++)
		if (off_mean(trial, n, way, k, 0) < off_mean(trial, n, way, best, 0))
			best = k;
	for (*part = 0, i = 1; i <= PARTS; i++)
		if (off_mean(trial, n, way, best, (double)i / PARTS) < off_mean(trial, n, way, best, *part))
			*part = (double)i / PARTS;
	return best;
}

/* A plane that was tried on its own run alone is known to be right for that one. */
static bool has_another_run(const struct tl_foretell *f, size_t event)
{
	const bool *use = f->use + event * f->samples;
	size_t first = f->samples, s;

	for (s = 0; s < f->samples; s++) {
		if (!use[s])
			continue;
		if (first == f->samples)
			first = s;
		else if (f->run[s] != f->run[first])
			return true;
	}
	return false;
}

/* What the event's ways together are off, and how far apart the nearest are. */
static void together(const struct tl_foretell *f, size_t event, const struct trial *trial,
		     struct tl_trust_trial *pair)
{
	double ways = (double)f->ways[event];
	size_t way;

	*pair = (struct tl_trust_trial){ 0 };
	for (way = 0; way < f->ways[event]; way++) {
		const struct trial_way *t = &trial->way[way];
		double part = f->plane[of_way(event, way)];

		pair->spread += (t->spread + part * (t->plane_spread - t->spread)) / ways;
		pair->off += off_of(t, f->k[of_way(event, way)] - 1, part) / ways;
	}
}

static void try_event(struct tl_foretell *f, size_t event, gsl_rng *random, struct trial *trial)
{
	bool told = any(f->weight + of_way(event, 0) * f->features, f->features);
	bool laid = has_another_run(f, event);
	double *off = f->off + event * TL_FORETELL_TRIALS, part;
	struct tl_trust_trial pair[TL_FORETELL_TRIALS];
	size_t n = 0, way, i;

	for (i = 0; told && i < TL_FORETELL_TRIALS; i++)
		n += try_one(f, event, random, &trial[n]);
	for (way = 0; way < TL_FORETELL_WAYS; way++) {
		f->k[of_way(event, way)] = choose(trial, n, way, &part) + 1;
		f->plane[of_way(event, way)] = laid ? part : 0;
	}
	f->trials[event] = n >= TL_FORETELL_TRIALS / 8 ? n : 0;
	for (i = 0; i < n; i++) {
		together(f, event, &trial[i], &pair[i]);
		off[i] = pair[i].off / pair[i].spread;
	}
	gsl_sort(off, 1, n);
	f->variance[event] = variance_of(f, event);
	tl_trust_fit(&f->trust[event], pair, n, f->variance[event]);
}

/**
 * tl_foretell_try() - Find out how far it is off, and how many neighbours are best
 * @f: what is known
 * @state: how uncertain the record is
 *
 * The same gives the same: chance has a fixed seed.
 *
 * Return: 0; -ENOMEM.
 */
int tl_foretell_try(struct tl_foretell *f, const struct tl_foretell_state *state)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	struct trial *trial = calloc(TL_FORETELL_TRIALS, sizeof(*trial));
	size_t e;

	tl_foretell_look(f, state);
	for (e = 0; random && trial && f->samples && e < f->events; e++)
		try_event(f, e, random, trial);
	if (random)
		gsl_rng_free(random);
	free(trial);
	return random && trial ? 0 : -ENOMEM;
}

/**
 * tl_foretell_above() - How far one rate is above another
 * @f: what is known
 * @event: of which
 * @few: a rate that is next to nothing
 * @value: logarithm of the one, as features have it
 * @most: of the other
 *
 * Return: log((value + few) / (most + few)), of the rates.
 */
double tl_foretell_above(const struct tl_foretell *f, size_t event, double few, double value,
			 double most)
{
	double more = few - f->offset[event];

	return log(fmax(exp(value) + more, few) / fmax(exp(most) + more, few));
}

/**
 * tl_foretell_peaks() - How far above all that is like them known samples are
 * @f: what is known, tried
 * @event: which
 * @few: a rate that is next to nothing
 * @above: [TL_FORETELL_PEAKS] filled in by tl_foretell_above(), rising
 * @n: how many
 *
 * All samples, or as many of them as there is room for, as uncertain as the record is.
 *
 * Return: 0; -ENOMEM.
 */
int tl_foretell_peaks(struct tl_foretell *f, size_t event, double few, double *above, size_t *n)
{
	size_t step = f->samples / TL_FORETELL_PEAKS + 1, s;
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	struct nearest nearest;
	struct tl_local local;
	double x[f->features];
	size_t way;

	*n = 0;
	for (s = 0; random && s < f->samples; s += step) {
		double least = INFINITY, most = -INFINITY;

		local.event = f->events + event;
		if (!blur(f, &local, s, random, x, &nearest))
			continue;
		for (way = 0; way < f->ways[event]; way++)
			reach_add(f, &nearest.way[way], event, &least, &most);
		above[(*n)++] = tl_foretell_above(f, event, few, f->x[s * f->features + local.event], most);
	}
	if (!random)
		return -ENOMEM;
	gsl_sort(above, 1, *n);
	gsl_rng_free(random);
	return 0;
}
