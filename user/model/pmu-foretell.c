// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Foretelling an event by the others, and by the intervals beside
 *
 * Samples are all intervals of all known runs, with the one before, the one behind, and what is
 * around them: means, which are more certain than what they are of, tell in which part of its
 * work a program is. A feature counts by what it says of the event, r² / (1 - r²) with its
 * correlation r, in units of its deviation, and less where it is not certain itself: with
 * variance v, by s² / (s² + c v). What is foretold is the median of the nearest, as some of them
 * are beside what is usual themselves, or what a plane through them says at that place (local.c),
 * or what is between the two. Rates are taken as logarithms: it is factors that programs
 * have in common, and that errors are judged by.
 *
 * How far it is off is tried where the truth is known: samples are made as uncertain as the
 * record is at some interval, which may be neither more nor less than what is met, and
 * foretold by the other runs (by the rest of the run, if there is only one). So are k and the part
 * of the plane chosen.
 * What was off there gives the intervals.
 *
 * It is paper 003's step 1 to 4 of 2.3, with weights, neighbours in time, medians, planes, and
 * uncertainty. Of what is between two opinions by trials: D. H. Wolpert, Stacked generalization,
 * Neural Networks 5 (1992).
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
#include <string.h>

#define SAMPLES_MAX 4000
#define OFFSET 1e-3 /* of the mean */
#define UNCERTAIN 4.0 /* c */
#define CLIP 2.0 /* of the distance that one feature can make */
#define SPREAD 8 /* of the nearest, how far apart they are */
#define SPREAD_MIN 0.01 /* nothing is known better than to a hundredth */
#define CERTAIN 1e-5 /* variance of what is most certain */
#define NEAREST 16 /* between which the truth is thought to be */
#define PARTS 4 /* steps in which the part of the plane is tried */
#define BESIDE 5 /* samples around one that are nearly the same */

static double offset_of(const struct tl_pmu_in *in, size_t event)
{
	double sum = 0;
	size_t n = 0, run, t;

	for (run = 0; run < in->runs; run++)
		for (t = 0; in->run[run].has[event] && t < in->run[run].intervals; t++, n++)
			sum += in->run[run].rate[t * in->record->events + event];
	for (t = 0; !n && t < in->record->intervals; t++)
		sum += tl_pmu_rate(in->record, t * in->record->events + event);
	n = n ? n : in->record->intervals;
	return sum > 0 ? OFFSET * sum / (double)n : 1;
}

/* From where to where around an interval; the second is the interval itself. */
static const struct {
	long from, to;
} reach[TL_FORETELL_REACHES] = { { -1, -1 }, { 0, 0 }, { 1, 1 }, { -5, -2 }, { 2, 5 } };

/* Where a run ends its last interval goes on. */
static double sample_mean(const struct tl_foretell *f, const struct tl_pmu_run *run, size_t t,
			  size_t place, size_t e)
{
	double sum = 0;
	long step, at, last = (long)run->intervals - 1;

	for (step = reach[place].from; step <= reach[place].to; step++) {
		at = (long)t + step;
		at = at < 0 ? 0 : at < last ? at : last;
		sum += log(run->rate[(size_t)at * f->events + e] + f->offset[e]);
	}
	return sum / (double)(reach[place].to - reach[place].from + 1);
}

static void sample_fill(struct tl_foretell *f, const struct tl_pmu_run *run, size_t t)
{
	double *x = f->x + f->samples * f->features;
	size_t place, e;

	for (place = 0; place < TL_FORETELL_REACHES; place++)
		for (e = 0; e < f->events; e++)
			x[place * f->events + e] = run->has[e] ?
				sample_mean(f, run, t, place, e) : NAN;
}

static void samples_fill(struct tl_foretell *f, const struct tl_pmu_in *in, size_t step)
{
	size_t room = f->samples, run, t, e;

	f->samples = 0;
	for (run = 0; run < in->runs; run++) {
		f->first[run] = f->samples;
		for (t = 0; t < in->run[run].intervals; t += step) {
			sample_fill(f, &in->run[run], t);
			f->run[f->samples] = run;
			for (e = 0; e < f->events; e++)
				f->use[e * room + f->samples] = in->run[run].has[e];
			f->samples++;
		}
	}
	f->first[run] = f->samples;
	/* @use has rows as long as there are samples. */
	for (e = 1; e < f->events; e++)
		memmove(f->use + e * f->samples, f->use + e * room, f->samples);
}

/* An event that a run has not stands at its mean, where it says nothing. */
static void gaps_fill(struct tl_foretell *f)
{
	size_t c, s, n;
	double sum;

	for (c = 0; c < f->features; c++) {
		for (s = 0, n = 0, sum = 0; s < f->samples; s++)
			if (!isnan(f->x[s * f->features + c])) {
				sum += f->x[s * f->features + c];
				n++;
			}
		for (s = 0; s < f->samples; s++)
			if (isnan(f->x[s * f->features + c]))
				f->x[s * f->features + c] = n ? sum / (double)n : 0;
	}
}

static void weights_fill(struct tl_foretell *f)
{
	size_t e, c, p = f->features;
	double r, sd;

	for (c = 0; c < p; c++)
		f->sd[c] = gsl_stats_sd(f->x + c, p, f->samples);
	for (e = 0; e < f->events; e++)
		for (c = 0; c < p; c++) {
			sd = f->sd[c];
			if (c == f->events + e || sd < 1e-9 || f->sd[f->events + e] < 1e-9)
				continue;
			r = gsl_stats_correlation(f->x + c, p, f->x + f->events + e, p,
						  f->samples);
			r = isfinite(r) ? r * r : 0;
			f->weight[e * p + c] = r / (1.02 - r) / (sd * sd);
		}
}

static int allocate(struct tl_foretell *f, size_t samples, size_t runs)
{
	f->x = calloc(samples * f->features, sizeof(*f->x));
	f->offset = calloc(f->events, sizeof(*f->offset));
	f->sd = calloc(f->features, sizeof(*f->sd));
	f->weight = calloc(f->events * f->features, sizeof(*f->weight));
	f->off = calloc(f->events * TL_FORETELL_TRIALS, sizeof(*f->off));
	f->variance = calloc(f->events, sizeof(*f->variance));
	f->plane = calloc(f->events, sizeof(*f->plane));
	f->use = calloc(f->events * samples, sizeof(*f->use));
	f->run = calloc(samples, sizeof(*f->run));
	f->first = calloc(runs + 1, sizeof(*f->first));
	f->k = calloc(f->events, sizeof(*f->k));
	f->trials = calloc(f->events, sizeof(*f->trials));
	f->seen = calloc(2 * f->intervals * f->features, sizeof(*f->seen));
	if (f->seen)
		f->unsure = f->seen + f->intervals * f->features;
	return f->seen && f->x && f->offset && f->sd && f->weight && f->off && f->variance &&
	       f->plane && f->use && f->run && f->first && f->k && f->trials ? 0 : -ENOMEM;
}

/**
 * tl_foretell_init() - Learn what is known of a program
 * @f: filled in; to be freed, however it ends
 * @in: what is known, and the record that is meant
 *
 * Return: 0; -ENOMEM.
 */
int tl_foretell_init(struct tl_foretell *f, const struct tl_pmu_in *in)
{
	size_t samples = 0, step, run, e;

	*f = (struct tl_foretell){ .events = in->record->events, .runs = in->runs,
				   .intervals = in->record->intervals,
				   .features = TL_FORETELL_REACHES * in->record->events };
	for (run = 0; run < in->runs; run++)
		samples += in->run[run].intervals;
	step = samples / SAMPLES_MAX + 1;
	if (allocate(f, samples + 1, in->runs))
		return -ENOMEM;
	for (e = 0; e < f->events; e++)
		f->offset[e] = offset_of(in, e);
	f->samples = samples + 1;
	samples_fill(f, in, step);
	gaps_fill(f);
	if (f->samples > 2)
		weights_fill(f);
	return 0;
}

/**
 * tl_foretell_free() - Give back what tl_foretell_init() has allocated
 * @f: filled in
 */
void tl_foretell_free(struct tl_foretell *f)
{
	free(f->x);
	free(f->offset);
	free(f->sd);
	free(f->weight);
	free(f->off);
	free(f->variance);
	free(f->plane);
	free(f->use);
	free(f->run);
	free(f->first);
	free(f->k);
	free(f->trials);
	free(f->seen);
}

/* What a feature counts that has that variance. */
static double weight_of(const struct tl_foretell *f, size_t event, size_t c, double variance)
{
	double sd = f->sd[c];

	if (!isfinite(variance))
		return 0;
	return f->weight[event * f->features + c] * sd * sd / (sd * sd + UNCERTAIN * variance + 1e-12);
}

/* Of a record: the mean of what is believed around an interval, and its variance. */
static void look_at(struct tl_foretell *f, const struct tl_foretell_state *state, size_t t,
		    size_t place, size_t e)
{
	size_t to = t * f->features + place * f->events + e;
	double sum = 0, variance = 0, n = 0;
	long step, at;

	for (step = reach[place].from; step <= reach[place].to; step++) {
		at = (long)t + step;
		if (at < 0 || at >= (long)state->intervals ||
		    !isfinite(state->variance[(size_t)at * f->events + e]))
			continue;
		sum += state->value[(size_t)at * f->events + e];
		variance += state->variance[(size_t)at * f->events + e];
		n++;
	}
	f->seen[to] = n > 0 ? sum / n : 0;
	f->unsure[to] = n > 0 ? variance / (n * n) : INFINITY;
}

static void look(struct tl_foretell *f, const struct tl_foretell_state *state)
{
	size_t t, place, e;

	for (t = 0; t < state->intervals; t++)
		for (place = 0; place < TL_FORETELL_REACHES; place++)
			for (e = 0; e < f->events; e++)
				look_at(f, state, t, place, e);
}

/* The deviation of the nearest: where these are far apart, so may the truth be. */
static double spread_of(const struct tl_foretell *f, const struct tl_knn_near *near, size_t event)
{
	const double *y = f->x + f->events + event;
	size_t n = near->n < SPREAD ? near->n : SPREAD, i;
	double mean = tl_knn_mean(near, n, y, f->features), sum = 0;

	for (i = 0; i < n; i++)
		sum += pow(y[near->sample[i] * f->features] - mean, 2);
	return n ? sqrt(sum / (double)n + SPREAD_MIN * SPREAD_MIN) : 0;
}

/* Of the k nearest: their median, as some of them are themselves beside what is usual. */
static double middle(const struct tl_foretell *f, const struct tl_knn_near *near, size_t k,
		     size_t event)
{
	double value[TL_KNN_MAX];
	size_t n = k < near->n ? k : near->n, i;

	for (i = 0; i < n; i++)
		value[i] = f->x[near->sample[i] * f->features + f->events + event];
	return tl_median(value, n);
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

static void told_fill(const struct tl_foretell *f, const struct tl_knn_near *near, size_t event,
		      const struct tl_local *local, struct tl_foretold *told)
{
	const double *y = f->x + f->events + event;
	double value[TL_KNN_MAX], plane, spread, part = f->plane[event];
	size_t n = near->n < NEAREST ? near->n : NEAREST, i;

	told->value = middle(f, near, f->k[event], event);
	told->spread = spread_of(f, near, event);
	if (part > 0 && lay(near, local, &plane, &spread)) {
		told->value += part * (plane - told->value);
		told->spread += part * (spread - told->spread);
	}
	told->variance = fmax(f->variance[event] * told->spread * told->spread, CERTAIN);
	told->step = step_of(f, near, event);
	for (i = 0; i < n; i++)
		value[i] = y[near->sample[i] * f->features];
	told->most = gsl_stats_max(value, 1, n);
	told->least = gsl_stats_min(value, 1, n);
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
	struct tl_knn knn = { f->samples, f->features, f->x, CLIP };
	double weight[f->features];
	struct tl_knn_query query = { .x = f->seen + interval * f->features, .weight = weight,
				      .use = f->use + event * f->samples };
	struct tl_local local = { f->x, f->features, f->events + event, query.x,
				  f->unsure + interval * f->features };
	struct tl_knn_near near;
	size_t c;

	if (!f->trials[event])
		return false;
	for (c = 0; c < f->features; c++)
		weight[c] = weight_of(f, event, c, f->unsure[interval * f->features + c]);
	tl_knn_near(&knn, &query, TL_KNN_MAX, &near);
	if (near.n)
		told_fill(f, &near, event, &local, told);
	return near.n > 0;
}

/* How far off the truth the medians of k nearest are, and the plane; and how far apart they are. */
struct trial {
	double middle[TL_KNN_MAX], plane, spread, plane_spread;
};

static void trial_fill(const struct tl_foretell *f, const struct tl_knn_near *near, size_t event,
		       const struct tl_local *local, double truth, struct trial *trial)
{
	size_t k;

	for (k = 0; k < TL_KNN_MAX; k++)
		trial->middle[k] = truth - middle(f, near, k + 1, event);
	trial->spread = spread_of(f, near, event);
	if (lay(near, local, &trial->plane, &trial->plane_spread)) {
		trial->plane = truth - trial->plane;
	} else {
		trial->plane = trial->middle[0];
		trial->plane_spread = trial->spread;
	}
}

/* Samples of other runs; if none of them has the event, those of its own that are not beside it. */
static void others(const struct tl_foretell *f, const struct tl_knn *knn, size_t s,
		   struct tl_knn_query *query, struct tl_knn_near *near)
{
	near->n = 0;
	if (f->runs > 1) {
		query->skip = f->first[f->run[s]];
		query->skip_end = f->first[f->run[s] + 1];
		tl_knn_near(knn, query, TL_KNN_MAX, near);
	}
	if (near->n)
		return;
	query->skip = s < BESIDE ? 0 : s - BESIDE;
	query->skip_end = s + BESIDE + 1;
	tl_knn_near(knn, query, TL_KNN_MAX, near);
}

/* One sample, as uncertain as an interval of the record is. */
static bool try_one(struct tl_foretell *f, size_t event, gsl_rng *random, struct trial *trial)
{
	struct tl_knn knn = { f->samples, f->features, f->x, CLIP };
	size_t s = gsl_rng_uniform_int(random, f->samples), c;
	const double *unsure = f->unsure + gsl_rng_uniform_int(random, f->intervals) * f->features;
	double x[f->features], weight[f->features];
	struct tl_knn_query query = { x, weight, 0, 0, f->use + event * f->samples };
	struct tl_local local = { f->x, f->features, f->events + event, x, unsure };
	struct tl_knn_near near;

	if (!query.use[s])
		return false;
	for (c = 0; c < f->features; c++) {
		weight[c] = weight_of(f, event, c, unsure[c]);
		x[c] = f->x[s * f->features + c];
		if (weight[c] > 0)
			x[c] += gsl_ran_gaussian(random, sqrt(unsure[c]));
	}
	others(f, &knn, s, &query, &near);
	trial_fill(f, &near, event, &local, f->x[s * f->features + f->events + event], trial);
	return near.n > 0;
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

/* What the median of so many is off, on an average, if the plane has that part. */
static double off_mean(const struct trial *trial, size_t n, size_t k, double part)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += fabs(trial[i].middle[k] + part * (trial[i].plane - trial[i].middle[k]));
	return n ? sum / (double)n : INFINITY;
}

/* The k that is best, and then the part of the plane that is best with it. */
static size_t choose(const struct trial *trial, size_t n, double *part)
{
	size_t best = 0, k, i;

	for (k = 1; k < TL_KNN_MAX; k++)
		if (off_mean(trial, n, k, 0) < off_mean(trial, n, best, 0))
			best = k;
	for (*part = 0, i = 1; i <= PARTS; i++)
		if (off_mean(trial, n, best, (double)i / PARTS) < off_mean(trial, n, best, *part))
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

static void try_event(struct tl_foretell *f, size_t event, gsl_rng *random, struct trial *trial)
{
	double *off = f->off + event * TL_FORETELL_TRIALS, part, spread;
	size_t n = 0, k, i;

	if (any(f->weight + event * f->features, f->features))
		for (i = 0; i < TL_FORETELL_TRIALS; i++)
			n += try_one(f, event, random, &trial[n]);
	k = choose(trial, n, &part);
	if (!has_another_run(f, event))
		part = 0;
	f->k[event] = k + 1;
	f->plane[event] = part;
	f->trials[event] = n >= TL_FORETELL_TRIALS / 8 ? n : 0;
	for (i = 0; i < n; i++) {
		spread = trial[i].spread + part * (trial[i].plane_spread - trial[i].spread);
		off[i] = (trial[i].middle[k] + part * (trial[i].plane - trial[i].middle[k])) / spread;
	}
	gsl_sort(off, 1, n);
	f->variance[event] = variance_of(f, event);
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

	look(f, state);
	for (e = 0; random && trial && f->samples && e < f->events; e++)
		try_event(f, e, random, trial);
	if (random)
		gsl_rng_free(random);
	free(trial);
	return random && trial ? 0 : -ENOMEM;
}
