// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is known of a program, and a record, seen in the same way
 *
 * Samples are all intervals of all known runs, with the one before, the one behind, and what is
 * around them: means, which are more certain than what they are of, tell in which part of its
 * work a program is. A feature counts by what it says of the event, with its correlation r and in
 * units of its deviation s,
 *
 *	w = r² / (1.02 - r²) / s²
 *
 * in one way of seeing what is near, and with the root of the first of these in the other.
 *
 * It is paper 003's step 1 of 2.3, with weights and neighbours in time.
 */
#include "pmu-foretell.h"

#include "pmu.h"

#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_MAX 4000
#define OFFSET 1e-3 /* of the mean */

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
			r = isfinite(r) ? r * r / (1.02 - r * r) : 0;
			f->weight[TL_FORETELL_WAYS * e * p + c] = r / (sd * sd);
			f->weight[(TL_FORETELL_WAYS * e + 1) * p + c] = sqrt(r) / (sd * sd);
		}
}

static int allocate(struct tl_foretell *f, size_t samples, size_t runs)
{
	f->x = calloc(samples * f->features, sizeof(*f->x));
	f->offset = calloc(f->events, sizeof(*f->offset));
	f->sd = calloc(f->features, sizeof(*f->sd));
	f->weight = calloc(TL_FORETELL_WAYS * f->events * f->features, sizeof(*f->weight));
	f->off = calloc(f->events * TL_FORETELL_TRIALS, sizeof(*f->off));
	f->variance = calloc(f->events, sizeof(*f->variance));
	f->trust = calloc(f->events, sizeof(*f->trust));
	f->plane = calloc(TL_FORETELL_WAYS * f->events, sizeof(*f->plane));
	f->use = calloc(f->events * samples, sizeof(*f->use));
	f->run = calloc(samples, sizeof(*f->run));
	f->first = calloc(runs + 1, sizeof(*f->first));
	f->k = calloc(TL_FORETELL_WAYS * f->events, sizeof(*f->k));
	f->trials = calloc(f->events, sizeof(*f->trials));
	f->ways = calloc(f->events, sizeof(*f->ways));
	f->seen = calloc(2 * f->intervals * f->features, sizeof(*f->seen));
	if (f->seen)
		f->unsure = f->seen + f->intervals * f->features;
	return f->seen && f->x && f->offset && f->sd && f->weight && f->off && f->variance && f->trust &&
	       f->plane && f->use && f->run && f->first && f->k && f->trials && f->ways ? 0 : -ENOMEM;
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
	for (e = 0; e < f->events; e++) {
		f->offset[e] = offset_of(in, e);
		f->ways[e] = 1;
	}
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
	free(f->trust);
	free(f->plane);
	free(f->use);
	free(f->run);
	free(f->first);
	free(f->k);
	free(f->trials);
	free(f->ways);
	free(f->seen);
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

/**
 * tl_foretell_look() - See a record as what is known is seen
 * @f: what is known
 * @state: what is believed of the record
 */
void tl_foretell_look(struct tl_foretell *f, const struct tl_foretell_state *state)
{
	size_t t, place, e;

	for (t = 0; t < state->intervals; t++)
		for (place = 0; place < TL_FORETELL_REACHES; place++)
			for (e = 0; e < f->events; e++)
				look_at(f, state, t, place, e);
}
