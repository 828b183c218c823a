// SPDX-License-Identifier: GPL-2.0-or-later
#include "pmu-judge.h"

#include "sim.h"

#include "model/dtw.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define COUNTERS 4
#define TICKS 5
#define ENDS (4 * (size_t)TICKS)
#define TRIES 9

const struct pmu_method pmu_ways[PMU_WAYS] = {
	{ "nothing", tl_pmu_nothing }, { "gdp", tl_pmu_gdp }, { "printed", tl_pmu_printed },
	{ "clean", tl_pmu_clean },
};

static const struct {
	const char *what;
	double bar;
} asked[PMU_BARS] = {
	[PMU_FAULTS_DTW] = { "faults: DTW, change %", -88 },
	[PMU_FAULTS_ONLY] = { "faults: DTW beyond noise, change %", -88 },
	[PMU_FAULTS_MEDIAN] = { "faults: median error %", 2.5 },
	[PMU_SHARED_DTW] = { "10 on 4 with bursts: DTW, change %", -55 },
	[PMU_SHARED_MEAN] = { "10 on 4 with bursts: mean error %", 18 },
	[PMU_UNSEEN] = { "never seen, worst program: change %", 0 },
	[PMU_OTHER] = { "another program is known, worst: change %", 2 },
	[PMU_MACHINE] = { "other caches are known, worst: change %", 2 },
	[PMU_ZEROS] = { "true zeros filled %", 1 },
	[PMU_DIFF_10] = { "10 events on 4: Diff %", 8.7 },
	[PMU_DIFF_16] = { "16 events on 4: Diff %", 8.7 },
	[PMU_DIFF_24] = { "24 events on 4: Diff %", 20 },
	[PMU_DIFF_36] = { "36 events on 4: Diff %", 42 },
	[PMU_DTW_FULL] = { "DTW 1000 x 1000 ms", 2 },
	[PMU_DTW_BAND] = { "DTW 1000 x 1000, band of a tenth, ms", 0.4 },
	[PMU_DTW_MEMORY] = { "DTW 100000 x 100000, band, MB", 8 },
};

void pmu_bar_set(struct pmu_bars *bars, enum pmu_bar bar, enum pmu_way way, double got)
{
	if (bar == PMU_BARS)
		return;
	bars->got[bar][way] = got;
	bars->have[bar][way] = true;
}

/* Of several the worst. */
void pmu_bar_most(struct pmu_bars *bars, enum pmu_bar bar, enum pmu_way way, double got)
{
	if (bar < PMU_BARS && (!bars->have[bar][way] || got > bars->got[bar][way]))
		pmu_bar_set(bars, bar, way, got);
}

void pmu_bar_zeros(struct pmu_bars *bars, enum pmu_way way, size_t zeros, size_t filled)
{
	bars->zeros[way] += zeros;
	bars->filled[way] += filled;
	if (bars->zeros[way])
		pmu_bar_set(bars, PMU_ZEROS, way,
			    100 * (double)bars->filled[way] / (double)bars->zeros[way]);
}

/* Whether all that was asked for was measured, and is kept. */
bool pmu_bars_print(const struct pmu_bars *bars)
{
	bool all = true, good;
	size_t bar, way;

	printf("\n%-42s %8s %8s       ", "asked", "bar", "clean");
	for (way = 0; way < PMU_CLEAN; way++)
		printf(" %8s", pmu_ways[way].name);
	putchar('\n');
	for (bar = 0; bar < PMU_BARS; bar++) {
		good = bars->have[bar][PMU_CLEAN] && bars->got[bar][PMU_CLEAN] <= asked[bar].bar;
		all &= good;
		printf("%-42s %8.3g %8.3g %s", asked[bar].what, asked[bar].bar,
		       bars->got[bar][PMU_CLEAN], good ? "      " : "MISSED");
		for (way = 0; way < PMU_CLEAN; way++)
			if (bars->have[bar][way])
				printf(" %8.3g", bars->got[bar][way]);
			else
				printf(" %8s", "");
		putchar('\n');
	}
	return all;
}

/*
 * So many of the events, spread over all of them, and instructions; without how the program begins
 * and ends, which services are not recorded in: callgrind counts the same there for all runs, and
 * a unit of what is the same in all is none.
 */
static int part_of(const struct pmu_series *all, size_t at_once, struct pmu_series *part)
{
	size_t t, e, from;

	*part = (struct pmu_series){ all->slices - 2 * ENDS, at_once + 1,
				     calloc(all->slices * (at_once + 1), sizeof(double)) };
	for (t = 0; part->value && t < part->slices; t++)
		for (e = 0; e <= at_once; e++) {
			from = e * (all->events - 1) / at_once;
			part->value[t * part->events + e] = all->value[(t + ENDS) * all->events + from];
		}
	return part->value ? 0 : -ENOMEM;
}

static int warped(const double *a, size_t n, const double *b, size_t m, size_t events,
		  double *distance)
{
	double *series = malloc((n + m) * sizeof(*series));
	struct tl_dtw_in in = { series, series + n, n, m, (n > m ? n : m) / 10, 0 };
	struct tl_dtw_out out;
	size_t t;
	int code;

	if (!series)
		return -ENOMEM;
	for (t = 0; t < n; t++)
		series[t] = a[t * events];
	for (t = 0; t < m; t++)
		series[n + t] = b[t * events];
	code = tl_dtw(&in, &out);
	*distance += out.distance;
	free(series);
	return code;
}

/* Distances of one run, cleaned in all ways, from another; [event][ways], and of the truth. */
static int distances(const struct pmu_made *made, const struct pmu_made *other,
		     const struct tl_pmu_in *in, double *sum)
{
	size_t events = made->record.events, n = made->record.intervals, m = other->record.intervals;
	struct tl_pmu_out out;
	int code = 0;
	size_t way, e;

	for (way = 0; !code && way < PMU_WAYS; way++) {
		code = pmu_ways[way].clean(in, &out);
		for (e = 0; !code && e + 1 < events; e++)
			code = warped(out.count + e, n, other->truth + e, m, events,
				      &sum[e * (PMU_WAYS + 1) + way]);
		tl_pmu_out_free(&out);
	}
	for (e = 0; !code && e + 1 < events; e++)
		code = warped(made->truth + e, n, other->truth + e, m, events,
			      &sum[e * (PMU_WAYS + 1) + PMU_WAYS]);
	return code;
}

/* One run against the next one, by what is known of the rest. */
static int role(const struct pmu_series *part, size_t runs, size_t test, double *sum)
{
	static const struct pmu_case how = { "at once", COUNTERS, TICKS, 0, 0, 0, 0, 0 };
	struct pmu_made made = { 0 }, other = { 0 };
	struct tl_pmu_run known[PMU_RUNS];
	struct tl_pmu_in in = { &made.record, known, 0, TL_PMU_SD };
	struct sim random = { 0 };
	size_t next = (test + 1) % runs, i;
	int code;

	sim_seed(&random, test + 1);
	code = pmu_made_init(&made, &part[test], &how, &random);
	code = code ? code : pmu_made_init(&other, &part[next], &how, &random);
	for (i = 0; !code && i < runs; i++)
		if (i != test && i != next)
			code = pmu_known(&part[i], &how, &random, &known[in.runs++]);
	code = code ? code : distances(&made, &other, &in, sum);
	while (in.runs)
		pmu_known_free(&known[--in.runs]);
	pmu_made_free(&made);
	pmu_made_free(&other);
	return code;
}

/* Whether an event happens more than now and then: a ratio to next to nothing says nothing. */
static bool happens(const struct pmu_series *part, size_t runs, size_t event)
{
	double sum = 0;
	size_t slices = 0, i, t;

	for (i = 0; i < runs; i++, slices += part->slices, part++)
		for (t = 0; t < part->slices; t++)
			sum += part->value[t * part->events + event];
	return sum * TICKS >= PMU_SOME * (double)slices;
}

/*
 * Equation 3 of paper 003, |DTW(test, ref) - DTW(ref, ref2)| / DTW(ref, ref2), where the test is a
 * run of which some events were counted now and then, ref another run, and ref2 the test's own
 * truth: what luck has made of the work is in neither. Sums over all runs in turn, the mean over
 * events that happen PMU_SOME times in an interval.
 */
int pmu_diff(const struct pmu_series *run, size_t runs, size_t at_once, double diff[PMU_WAYS])
{
	double *sum = calloc((at_once + 1) * (PMU_WAYS + 1), sizeof(*sum));
	struct pmu_series part[PMU_RUNS] = { 0 };
	size_t i, e, way, n = 0;
	int code = sum ? 0 : -ENOMEM;

	for (way = 0; way < PMU_WAYS; way++)
		diff[way] = 0;
	for (i = 0; !code && i < runs; i++)
		code = part_of(&run[i], at_once, &part[i]);
	for (i = 0; !code && i < runs; i++)
		code = role(part, runs, i, sum);
	for (e = 0; !code && e < at_once; e++) {
		const double *d = sum + e * (PMU_WAYS + 1);

		if (d[PMU_WAYS] <= 0 || !happens(part, runs, e))
			continue;
		for (way = 0; way < PMU_WAYS; way++)
			diff[way] += fabs(d[way] / d[PMU_WAYS] - 1);
		n++;
	}
	for (way = 0; way < PMU_WAYS; way++)
		diff[way] /= n ? (double)n : 1;
	for (i = 0; i < runs; i++)
		pmu_series_free(&part[i]);
	free(sum);
	return code;
}

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return 1e3 * (double)now.tv_sec + (double)now.tv_nsec / 1e6;
}

static double grown_mb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

/* The least of several: what others do on this machine only makes it more. */
static double dtw_ms(const double *a, const double *b, size_t n, size_t band, int tries)
{
	struct tl_dtw_in in = { a, b, n, n, band, 0 };
	struct tl_dtw_out out;
	double least = INFINITY, from;

	while (tries--) {
		from = cpu_ms();
		tl_dtw(&in, &out);
		least = fmin(least, cpu_ms() - from);
	}
	return least;
}

/* How long DTW takes, and what memory it grows by where a table would be of gigabytes. */
int pmu_dtw_time(struct pmu_bars *bars)
{
	size_t n = 100000, i;
	double *series = malloc(2 * n * sizeof(*series)), before, ms;
	struct sim random = { 0 };

	if (!series)
		return -ENOMEM;
	sim_seed(&random, 1);
	for (i = 0; i < 2 * n; i++)
		series[i] = sim_normal(&random);
	pmu_bar_set(bars, PMU_DTW_FULL, PMU_CLEAN,
		    dtw_ms(series, series + n, 1000, TL_DTW_FULL, TRIES));
	pmu_bar_set(bars, PMU_DTW_BAND, PMU_CLEAN, dtw_ms(series, series + n, 1000, 100, TRIES));
	before = grown_mb();
	ms = dtw_ms(series, series + n, n, 1000, 1);
	pmu_bar_set(bars, PMU_DTW_MEMORY, PMU_CLEAN, grown_mb() - before);
	printf("\nDTW of 100000 values with a band of 1000: %.0f ms\n", ms);
	free(series);
	return 0;
}
