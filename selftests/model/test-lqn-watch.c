// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How times of simulated requests are spread, where that is known: exponential responses,
 * a fixed service that nobody waits for, sums along calls and forwarded replies; and
 * whether intervals of quantiles contain the truth as often as they say.
 */
#include "tap.h"

#include "lqn-read.h"
#include "sim.h"
#include "model/lqn-simulate.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES 20000

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Counted in buckets, against the samples themselves: over nine decades. */
static void test_buckets(struct sim *random)
{
	static double sample[SAMPLES], sums[SIM_WATCH_SUMS];
	static const double parts[] = { 0.01, 0.25, 0.5, 0.9, 0.95, 0.999 };
	double off = 0, off_above = 0, is;
	size_t i, above;

	for (i = 0; i < SAMPLES; i++) {
		sample[i] = 1e-6 * pow(10, 9 * sim_uniform(random));
		sim_watch_add(sums, sample[i]);
	}
	qsort(sample, SAMPLES, sizeof(*sample), by_size);
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		double want = sample[(size_t)(parts[i] * SAMPLES)];

		is = tl_lqn_watch_quantile(sums + SIM_WATCH_BUCKET, parts[i]);
		off = fmax(off, fabs(is / want - 1));
		is = tl_lqn_watch_above(sums + SIM_WATCH_BUCKET, want);
		for (above = 0; above < SAMPLES && sample[SAMPLES - 1 - above] > want; above++)
			;
		off_above = fmax(off_above, fabs(is - (double)above / SAMPLES));
	}
	ok(off < 1.0 / 32 && off_above < 1.0 / 32, "buckets: quantiles off by %.2g, parts above by "
	   "%.2g", off, off_above);
	is = tl_lqn_watch_quantile(sums + SIM_WATCH_BUCKET, 1);
	ok(fabs(is / sample[SAMPLES - 1] - 1) < 1.0 / 32 && sums[SIM_WATCH_N] == SAMPLES,
	   "the largest of all");
}

static void test_extremes(void)
{
	static double sums[SIM_WATCH_SUMS];

	ok(tl_lqn_watch_quantile(sums + SIM_WATCH_BUCKET, 0.5) == 0 &&
	   tl_lqn_watch_above(sums + SIM_WATCH_BUCKET, 1) == 0, "of nothing nothing");
	sim_watch_add(sums, 0);
	sim_watch_add(sums, 1e-300);
	sim_watch_add(sums, 1e300);
	ok(tl_lqn_watch_quantile(sums + SIM_WATCH_BUCKET, 0.5) < 1e-9 &&
	   isfinite(tl_lqn_watch_quantile(sums + SIM_WATCH_BUCKET, 1)) &&
	   fabs(tl_lqn_watch_above(sums + SIM_WATCH_BUCKET, 1) - 1.0 / 3) < 1e-12,
	   "no time, and all the time there is");
}

struct case_of {
	const char *what, *text;
	const char *entry; /* whose requests; NULL: those from outside */
	double part, quantile_s;
	double mean_s;
};

#define OPEN(rate, processor, service) \
	"P 0\np c " processor "\n-1\nT 0\nt t n e -1 c i\n-1\nE 0\na e " rate "\ns e " service \
	" -1\n-1\n"

/* Responses of M/M/1 are exponential with rate μ - λ. */
static const struct case_of cases[] = {
	{ "M/M/1, median", OPEN("5", "f", "0.1"), NULL, 0.5, 0.13862943611, 0.2 },
	{ "M/M/1, 95 %", OPEN("5", "f", "0.1"), NULL, 0.95, 0.59914645471, 0.2 },
	{ "M/M/1, 95 % of an entry", OPEN("5", "f", "0.1"), "e", 0.95, 0.59914645471, 0.2 },
	{ "a service of always the same time, alone",
	  "P 0\np u i\np c f\n-1\nT 0\nt U r u -1 u z 1 m 1\nt t n e -1 c\n-1\nE 0\ny u e 1 -1\nf u 1 -1\n"
	  "s e 0.1 -1\nc e 0 -1\n-1\n", NULL, 0.95, 0.1, 0.1 },
	{ "what customers ask for, not what is asked for below",
	  "P 0\np u i\np c i\n-1\nT 0\nt U r u -1 u z 1 m 3\nt t n e -1 c i\nt d n d -1 c i\n-1\n"
	  "E 0\ny u e 1 -1\nf u 1 -1\nf e 1 -1\ny e d 1 -1\ns e 0 -1\ns d 0.1 -1\n-1\n",
	  NULL, 0.9, 0.23025850930, 0.1 },
	/* Erlang of two: 1 - (1 + x) e^-x is 0.9 with x = 3.8897 */
	{ "a reply that is forwarded",
	  "P 0\np u i\np c i\n-1\nT 0\nt U r u -1 u z 1 m 3\nt t n e -1 c i\nt d n d -1 c i\n-1\n"
	  "E 0\ny u e 1 -1\nf u 1 -1\ns e 0.1 -1\nF e d 1 -1\ns d 0.1 -1\n-1\n",
	  "e", 0.9, 0.38897201698, 0.2 },
	/* Phase 1 only; the second one is of nobody's time. */
	{ "until the reply, not longer",
	  "P 0\np u i\np c i\n-1\nT 0\nt U r u -1 u z 1 m 3\nt t n e -1 c i\n-1\nE 0\ny u e 1 -1\n"
	  "f u 1 -1\ns e 0.1 0.5 -1\n-1\n", NULL, 0.9, 0.23025850930, 0.1 },
};

static bool model_read(const char *text, struct tl_lqn *lqn)
{
	struct tl_faults faults = { .file = "m" };
	bool good = !tl_lqn_parse(lqn, text, strlen(text), false, &faults);

	if (faults.faults)
		printf("# %s\n", faults.fault[0]);
	tl_faults_free(&faults);
	return good;
}

/* Return: what the watch saw; its counts are freed. */
static struct tl_lqn_watched watched(const struct case_of *c, uint64_t seed, uint64_t steps)
{
	struct tl_lqn lqn = { 0 };
	struct tl_lqn_watch watch = { .part = c->part };
	struct tl_lqn_simulate_in in = { .lqn = &lqn, .seed = seed, .confidence = 0.95,
					 .precision = 1e-6, .steps_max = steps, .watch = &watch,
					 .watches = 1 };
	struct tl_lqn_simulate_out out = { 0 };
	struct tl_lqn_watched seen = { 0 };
	bool entry[8] = { false };
	size_t e;

	if (!model_read(c->text, &lqn))
		return seen;
	for (e = 0; c->entry && e < lqn.entries; e++)
		entry[e] = !strcmp(lqn.entry[e].name, c->entry);
	watch.entry = c->entry ? entry : NULL;
	if (!tl_lqn_simulate(&in, &out))
		seen = out.watched[0];
	tl_lqn_simulated_free(&out);
	tl_lqn_free(&lqn);
	return seen;
}

static void test_case(const struct case_of *c)
{
	struct tl_lqn_watched seen = watched(c, 1, 1000000);

	ok(seen.requests > 1000 && fabs(seen.quantile_s / c->quantile_s - 1) < 0.03 &&
	   fabs(seen.mean_s / c->mean_s - 1) < 0.03,
	   "%s: %.4f s (%.4f), mean %.4f s (%.4f)", c->what, seen.quantile_s, c->quantile_s,
	   seen.mean_s, c->mean_s);
}

/* The shape of M/M/1 is -ln (1 - p), whatever the load. */
static void test_coverage(unsigned int runs)
{
	unsigned int inside = 0, i;
	double width = 0;

	for (i = 0; i < runs; i++) {
		struct tl_lqn_watched seen = watched(&cases[1], 100 + i, 200000);
		double off = seen.shape + log(0.05);

		inside += fabs(off) <= seen.shape_half95;
		width += seen.shape_half95 / seen.shape / runs;
	}
	/* 95 % less three deviations of chance */
	ok(inside >= (0.95 - 3 * sqrt(0.95 * 0.05 / runs)) * runs && width < 0.1,
	   "intervals of the shape contain the truth in %u of %u cases, ± %.1f %%", inside, runs,
	   100 * width);
}

int main(void)
{
	const char *repeats = getenv("MODEL_REPEATS");
	static struct sim random;
	size_t i;

	gsl_set_error_handler_off();
	sim_seed(&random, 7);
	test_buckets(&random);
	test_extremes();
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		test_case(&cases[i]);
	test_coverage(repeats && atoi(repeats) >= 180 ? 300 : 40);
	return done();
}
