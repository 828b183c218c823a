// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The same task in two recordings: how often a difference is told where there is none, also
 * where what is near in time is alike, how wide intervals are against the closed form, and what
 * is said where little is known. MODEL_REPEATS: pairs of recordings (600).
 */
#include "tap.h"

#include "sim.h"

#include "model/tasks-compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add(struct tl_task_sample *s, uint64_t job, double count, double time)
{
	size_t batch = tl_task_batch(job, s->jobs);

	s->of[batch]++;
	s->sum[TL_TASK_COUNT][batch] += count;
	s->sum[TL_TASK_TIME][batch] += time;
	s->count += (uint64_t)count;
}

static struct tl_task_sample sample_of(uint64_t jobs)
{
	return (struct tl_task_sample){ .jobs = jobs, .known = { true, true } };
}

/* Exponential times of 1 to 3 occurrences a job; @alike: of how much is the one before. */
static struct tl_task_sample drawn(struct sim *rng, uint64_t jobs, double mean, double alike)
{
	struct tl_task_sample s = sample_of(jobs);
	double before = -mean * log1p(-sim_uniform(rng));
	uint64_t i;

	for (i = 0; i < jobs; i++) {
		double count = 1 + floor(3 * sim_uniform(rng)), time = 0, k;

		for (k = 0; k < count; k++) {
			if (sim_uniform(rng) >= alike)
				before = -mean * log1p(-sim_uniform(rng));
			time += before;
		}
		add(&s, i, count, time);
	}
	return s;
}

static size_t repeats(void)
{
	const char *n = getenv("MODEL_REPEATS");

	return n ? (size_t)atol(n) * 10 : 600;
}

/* How often a difference is told, of recordings whose means are as 1 to @ratio. */
static double told(uint64_t seed, uint64_t jobs, double alike, double ratio, double chance)
{
	struct tl_task_change change;
	size_t n = repeats(), some = 0, i;
	struct sim rng;

	sim_seed(&rng, seed);
	for (i = 0; i < n; i++) {
		struct tl_task_sample a = drawn(&rng, jobs, 1, alike), b = drawn(&rng, jobs, ratio, alike);

		tl_task_compare(&a, &b, TL_TASK_TIME, chance, &change);
		some += change.verdict == TL_TASK_MORE || change.verdict == TL_TASK_LESS;
	}
	return (double)some / (double)n;
}

static void chances(void)
{
	double part = told(1, 400, 0, 1, 0.05);

	ok(part > 0.02 && part < 0.085, "times by themselves: %.3f are told to differ, 0.05 wanted", part);
	part = told(2, 3000, 0.8, 1, 0.05);
	ok(part > 0.02 && part < 0.085, "times that are like the one before: %.3f", part);
	part = told(3, 20, 0, 1, 0.05);
	ok(part < 0.085, "20 jobs: %.3f", part);
	part = told(4, 400, 0, 1.5, 0.001);
	ok(part > 0.95, "half as long again, one chance in 1000: %.3f are told", part);
}

/* Times that are known: the interval is Welch's of the batches, here of one job each. */
static void closed_form(void)
{
	struct tl_task_sample a = sample_of(6), b = sample_of(8);
	struct tl_task_change change;
	double half;
	uint64_t i;

	for (i = 0; i < 6; i++)
		add(&a, i, 1, (double)i); /* mean 2.5, variance 3.5 */
	for (i = 0; i < 8; i++)
		add(&b, i, 1, 10 + 2 * (double)i); /* mean 17, variance 24 */
	tl_task_compare(&a, &b, TL_TASK_TIME, 0.05, &change);
	/* v = 3.5 / 6 + 24 / 8, ν = v² / ((3.5 / 6)² / 5 + 3² / 7) = 9.48483, t(0.975, ν) = 2.2446526 by integrating its density */
	half = 2.2446526 * sqrt(3.5 / 6 + 3);
	ok(fabs(change.mean[0] - 2.5) < 1e-12 && fabs(change.mean[1] - 17) < 1e-12, "means");
	ok(fabs(change.low - (14.5 - half)) < 1e-6 && fabs(change.high - (14.5 + half)) < 1e-6,
	   "Welch's interval: %.5f to %.5f", change.low, change.high);
	ok(change.verdict == TL_TASK_MORE, "more");
	tl_task_compare(&b, &a, TL_TASK_TIME, 0.05, &change);
	ok(change.verdict == TL_TASK_LESS, "the other way: less");
	tl_task_compare(&a, &b, TL_TASK_COUNT, 0.05, &change);
	ok(change.verdict == TL_TASK_ALIKE && change.low <= 0, "as often as before, always once");
}

/* Five times a tenth by five is a tenth, ten times a tenth by ten is less. */
static void rounding(void)
{
	struct tl_task_sample a = sample_of(5), b = sample_of(10);
	struct tl_task_change change;
	uint64_t i;

	for (i = 0; i < 10; i++) {
		if (i < 5)
			add(&a, i, 1, 0.1);
		add(&b, i, 1, 0.1);
	}
	tl_task_compare(&a, &b, TL_TASK_TIME, 0.5, &change);
	ok(change.mean[0] > change.mean[1] && change.verdict == TL_TASK_ALIKE, "rounding is no difference");
}

/* What one in 50 did before, five do not do: so would they have, nine times in ten. */
static void rare(void)
{
	struct tl_task_sample before = sample_of(400), after = sample_of(5), many = sample_of(400);
	struct tl_task_change change;
	uint64_t i;

	for (i = 0; i < 400; i++) {
		add(&before, i, 1, i % 50 ? 0 : 9);
		add(&many, i, 1, 0);
	}
	for (i = 0; i < 5; i++)
		add(&after, i, 1, 0);
	tl_task_compare(&before, &after, TL_TASK_TIME, 0.05, &change);
	ok(change.verdict == TL_TASK_ALIKE, "rare before, not among five: %.3f to %.3f", change.low, change.high);
	tl_task_compare(&after, &before, TL_TASK_TIME, 0.05, &change);
	ok(change.verdict == TL_TASK_ALIKE, "not among five before, rare: %.3f to %.3f", change.low, change.high);
	tl_task_compare(&before, &many, TL_TASK_TIME, 0.05, &change);
	ok(change.verdict == TL_TASK_LESS, "not among 400: %.3f to %.3f", change.low, change.high);
}

static void little(void)
{
	struct tl_task_sample few = sample_of(4), enough = sample_of(400), none = sample_of(400);
	struct tl_task_change change;
	uint64_t i;

	for (i = 0; i < 4; i++)
		add(&few, i, 1, 1);
	for (i = 0; i < 400; i++)
		add(&enough, i, 1, 9);
	tl_task_compare(&few, &enough, TL_TASK_TIME, 0.05, &change);
	ok(change.verdict == TL_TASK_TOO_FEW && change.low == -INFINITY, "four are too few");
	tl_task_compare(&none, &enough, TL_TASK_TIME, 0.05, &change);
	ok(change.verdict == TL_TASK_INCOMPARABLE, "none");
	tl_task_compare(&enough, &enough, TL_TASK_CPU, 0.05, &change);
	ok(change.verdict == TL_TASK_INCOMPARABLE && isnan(change.mean[0]), "not known");
	ok(tl_task_only_one(100, 400, 400, 1e-4) == TL_TASK_NEW, "a hundred that were none");
	ok(tl_task_only_one(6, 400, 400, 1e-4) == TL_TASK_TOO_FEW, "six may be chance");
	ok(tl_task_only_one(100, 400, 10, 1e-4) == TL_TASK_TOO_FEW, "so may a hundred, of ten jobs before");
	ok(tl_task_only_one(3, 3, 400, 0.05) == TL_TASK_TOO_FEW, "three are too few");
}

static void batches(void)
{
	uint64_t i, jobs;
	size_t most, last;
	bool good = true;

	for (jobs = 1; jobs < 200; jobs++)
		for (i = 0, last = 0; i < jobs; i++) {
			most = tl_task_batch(i, jobs);
			good &= most < TL_TASK_BATCHES && most >= last && most <= last + 1;
			last = most;
		}
	ok(good, "batches one after the other");
}

int main(void)
{
	chances();
	closed_form();
	rounding();
	rare();
	little();
	batches();
	return done();
}
