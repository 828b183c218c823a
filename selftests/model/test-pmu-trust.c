// SPDX-License-Identifier: GPL-2.0-or-later
/* How far off trials were, by how far apart their nearest were: is it what they were drawn with? */
#include "tap.h"

#include "sim.h"

#include "model/pmu-trust.h"

#include <math.h>

#define TRIALS 4000
#define CALM 0.01 /* how far apart they are where all are alike */
#define WILD 2.0

static struct tl_trust_trial trial[TRIALS];

/* Half of them where all are alike: off by a tenth of that, and @surprise of them by far. */
static double draw(struct sim *r, double surprise)
{
	double sum = 0, s;
	size_t i;

	for (i = 0; i < TRIALS; i++) {
		s = i % 2 ? WILD : CALM;
		trial[i].spread = s * (1 + 0.1 * sim_uniform(r));
		trial[i].off = (i % 2 ? 0.5 : 0.1) * trial[i].spread * sim_normal(r);
		if (i % 2 == 0 && sim_uniform(r) < surprise)
			trial[i].off = 1 + 2 * sim_uniform(r);
		sum += pow(trial[i].off / trial[i].spread, 2) / TRIALS;
	}
	return sum;
}

/* 500 trials a step: the variance of one is known to sqrt(2 / 500) = 6 %. */
static void drawn(double surprise)
{
	struct tl_trust trust;
	struct sim r = { 0 };
	double all, calm, wild;

	sim_seed(&r, 7);
	all = draw(&r, surprise);
	tl_trust_fit(&trust, trial, TRIALS, all);
	calm = all * tl_trust_factor(&trust, CALM * 1.05);
	wild = all * tl_trust_factor(&trust, WILD * 1.05);
	ok(fabs(calm / 0.01 - 1) < 0.25,
	   "%.0f %% by far: where all are alike %.4f, drawn with 0.0100, all in one %.3g",
	   100 * surprise, calm, all);
	ok(fabs(wild / 0.25 - 1) < 0.25, "%.0f %% by far: where they are apart %.3f, drawn with 0.250",
	   100 * surprise, wild);
	ok(all * tl_trust_factor(&trust, CALM / 100) == all * tl_trust_factor(&trust, CALM / 10) &&
	   all * tl_trust_factor(&trust, WILD * 10) == all * tl_trust_factor(&trust, WILD * 100),
	   "%.0f %% by far: beyond the trials it is as at their end", 100 * surprise);
	calm = tl_trust_factor(&trust, exp(0.5 * (trust.at[3] + trust.at[4])));
	ok(fabs(log(calm) - 0.5 * (trust.factor[3] + trust.factor[4])) < 1e-9,
	   "%.0f %% by far: between two steps logarithms go straight", 100 * surprise);
}

static void odd(void)
{
	struct tl_trust trust;
	size_t i, n;

	for (i = 0; i < TRIALS; i++)
		trial[i] = (struct tl_trust_trial){ 0.5, 0 };
	for (n = 0; n < 64; n += 21) {
		tl_trust_fit(&trust, trial, n, 1);
		ok(tl_trust_factor(&trust, 0.5) == 1, "%zu trials tell nothing", n);
	}
	tl_trust_fit(&trust, trial, TRIALS, 1e-4);
	ok(tl_trust_factor(&trust, 0.5) > 0 && isfinite(tl_trust_factor(&trust, 1e-12)) &&
	   isfinite(tl_trust_factor(&trust, 1e12)),
	   "all alike and never off: finite, and above zero");
	for (i = 0; i < TRIALS; i++)
		trial[i] = (struct tl_trust_trial){ 1e-3, 1e3 };
	tl_trust_fit(&trust, trial, TRIALS, 1e12);
	ok(isfinite(tl_trust_factor(&trust, 1e-3)) && tl_trust_factor(&trust, 1e-3) > 0,
	   "all off by far: finite, and above zero");
}

int main(void)
{
	drawn(0);
	drawn(0.03);
	odd();
	return done();
}
