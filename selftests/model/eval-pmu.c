// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How good cleaning is on real programs whose counts are known: the table, and what is asked of it
 *
 * usage: eval-pmu FOLDER WIDE PROGRAM..., folders that pmu-series.py has filled, WIDE with --wide.
 * Each run of a program is cleaned by what is known of its other runs; of none; of another program's;
 * and of the same program's on a machine with other caches. A run is never among what is known
 * when it is judged, nor is, for Diff, the one that it is held against.
 *
 * EACH=1: programs one by one. ONLY=TEXT: cases with that in their name, no bars, and WIDE may be
 * "-". KNOWS=DIGITS: 0 other runs, 1 none, 2 another program's, 3 those with other caches.
 */
#include "pmu-cases.h"
#include "pmu-judge.h"
#include "sim.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAMS 16

static const char *const events[] = {
	"loads", "stores", "icache_misses", "l1d_read_misses", "l1d_write_misses",
	"llc_read_misses", "llc_write_misses", "branches", "branch_misses", "indirect_branches",
	"instructions",
};
#define EVENTS (sizeof(events) / sizeof(*events))

/* The same on a machine whose caches are a quarter: names of the wide folder. */
static const char *const smaller[] = {
	"loads", "stores", "icache_misses_8k", "l1d_read_misses_8k", "l1d_write_misses_8k",
	"llc_read_misses_256k", "llc_write_misses_256k", "branches", "branch_misses",
	"indirect_branches", "instructions",
};

enum knows { RUNS, NONE, OTHER, MACHINE, KNOWS };

static const struct {
	struct pmu_case how;
	enum pmu_bar distance, error; /* which it is asked for */
} cases[] = {
	{ { "faults", 0, 1, 0.01, 0.01, 0.03, 0, 0 }, PMU_FAULTS_DTW, PMU_FAULTS_MEDIAN },
	{ { "10 on 4, 5 ticks", 4, 5, 0, 0, 0, 0, 0 }, PMU_BARS, PMU_BARS },
	{ { "10 on 4, bursts of 1 tick", 4, 5, 0, 0, 0, 0.01, 1 }, PMU_BARS, PMU_BARS },
	{ { "10 on 4, bursts of 5", 4, 5, 0, 0, 0, 0.01, 5 }, PMU_SHARED_DTW, PMU_SHARED_MEAN },
	{ { "10 on 4, 10 ticks, bursts of 10", 4, 10, 0, 0, 0, 0.01, 10 }, PMU_BARS, PMU_BARS },
};
#define CASES (sizeof(cases) / sizeof(*cases))

static const char *const known_as[] = { "", ", never seen", ", another's", ", other caches" };
static const enum pmu_bar worst[] = { PMU_BARS, PMU_UNSEEN, PMU_OTHER, PMU_MACHINE };

struct program {
	const char *name;
	struct pmu_series run[PMU_RUNS], machine[PMU_RUNS], wide[PMU_RUNS];
	size_t runs, wides;
};

static int runs_read(struct pmu_series *run, size_t *n, const char *folder, const char *name,
		     const char *const *event)
{
	char file[4096];
	int code = 0;

	for (*n = 0; !code && *n < PMU_RUNS; *n += !code) {
		snprintf(file, sizeof(file), "%s/%s-%zu.csv", folder, name, *n + 1);
		code = pmu_series_read(&run[*n], file, event, event ? EVENTS : 0);
	}
	if (code == -ENOENT && *n)
		return 0;
	if (code)
		fprintf(stderr, "%s: %s\n", file, strerror(-code));
	return code;
}

static int program_read(struct program *p, const char *folder, const char *wide, const char *name)
{
	size_t same;

	p->name = name;
	if (!strcmp(wide, "-"))
		return runs_read(p->run, &p->runs, folder, name, events) ? 1 : 0;
	return runs_read(p->run, &p->runs, folder, name, events) ||
	       runs_read(p->wide, &p->wides, wide, name, NULL) ||
	       runs_read(p->machine, &same, wide, name, smaller) ? 1 : 0;
}

/* What is known when a run is cleaned. */
static int known_fill(const struct program *p, const struct program *other, size_t test,
		      const struct pmu_case *how, enum knows knows, struct sim *random,
		      struct tl_pmu_run *known, size_t *n)
{
	const struct pmu_series *from = knows == OTHER ? other->run :
					knows == MACHINE ? p->machine : p->run;
	size_t runs = knows == NONE ? 0 : knows == OTHER ? other->runs :
		      knows == MACHINE ? p->wides : p->runs, i;
	int code = 0;

	for (*n = 0, i = 0; !code && i < runs; i++)
		if (knows == OTHER || i != test)
			code = pmu_known(&from[i], how, random, &known[(*n)++]);
	return code;
}

static int clean_one(const struct program *p, const struct program *other, size_t test,
		     const struct pmu_case *how, enum knows knows, struct pmu_score *score)
{
	struct tl_pmu_run run[PMU_RUNS];
	struct tl_pmu_out out;
	struct pmu_made made;
	struct tl_pmu_in in = { &made.record, run, 0, TL_PMU_SD };
	struct sim random = { 0 };
	size_t way;
	int code;

	sim_seed(&random, test + 1);
	code = pmu_made_init(&made, &p->run[test], how, &random);
	code = code ? code : known_fill(p, other, test, how, knows, &random, run, &in.runs);
	for (way = 0; !code && way < PMU_WAYS; way++) {
		code = pmu_ways[way].clean(&in, &out);
		code = code ? code : pmu_score_add(&score[way], &made, &out);
		tl_pmu_out_free(&out);
	}
	while (in.runs)
		pmu_known_free(&run[--in.runs]);
	pmu_made_free(&made);
	return code;
}

static void show(const char *name, const char *program, const struct pmu_score *score)
{
	size_t way;

	for (way = 0; way < PMU_WAYS; way++) {
		const struct pmu_score *s = &score[way];

		printf("%-38s %-8s %-8s %9.4f %8.1f %8.2f %8.1f %8.1f %7.2f %7.2f %7.1f %6zu\n",
		       name, program, pmu_ways[way].name, s->warped / (double)s->series,
		       100 * (s->warped / score[0].warped - 1), 100 * pmu_score_median(s),
		       100 * pmu_score_mean(s), 100 * s->off / (double)s->cells,
		       100 * s->total / (double)s->series,
		       s->zeros ? 100 * (double)s->zeros_filled / (double)s->zeros : 0,
		       s->changed ? 100 * (double)s->within / (double)s->changed : 100, s->unlike);
	}
	fflush(stdout);
}

static void scores_free(struct pmu_score *score)
{
	size_t way;

	for (way = 0; way < PMU_WAYS; way++)
		pmu_score_free(&score[way]);
}

/* What is asked of a case all in all. */
static void bars_add(struct pmu_bars *bars, size_t c, const struct pmu_score *score)
{
	size_t way;

	for (way = 0; way < PMU_WAYS; way++) {
		const struct pmu_score *s = &score[way];

		pmu_bar_set(bars, cases[c].distance, way, 100 * (s->warped / score[0].warped - 1));
		if (cases[c].distance == PMU_FAULTS_DTW)
			pmu_bar_set(bars, PMU_FAULTS_ONLY, way,
				    100 * ((s->warped - s->noise) / (score[0].warped - s->noise) - 1));
		pmu_bar_set(bars, cases[c].error, way, 100 *
			    (cases[c].error == PMU_FAULTS_MEDIAN ? pmu_score_median(s) : pmu_score_mean(s)));
	}
}

/* And of each program: worse than nothing it must not be. */
static void worst_add(struct pmu_bars *bars, enum knows knows, const struct pmu_score *score)
{
	size_t way;

	for (way = 0; way < PMU_WAYS; way++) {
		const struct pmu_score *s = &score[way];

		pmu_bar_most(bars, worst[knows], way, 100 * (s->warped / score[0].warped - 1));
		pmu_bar_most(bars, worst[knows], way, 100 * (s->off / score[0].off - 1));
		pmu_bar_zeros(bars, way, s->zeros, s->zeros_filled);
	}
}

static int evaluate(const struct program *program, size_t n, size_t c, enum knows knows,
		    struct pmu_bars *bars)
{
	struct pmu_score sum[PMU_WAYS] = { 0 }, one[PMU_WAYS];
	char name[64];
	size_t i, test;
	int code = 0;

	snprintf(name, sizeof(name), "%s%s", cases[c].how.name, known_as[knows]);
	for (i = 0; !code && i < n; i++) {
		memset(one, 0, sizeof(one));
		for (test = 0; !code && test < program[i].runs; test++)
			code = clean_one(&program[i], &program[(i + 1) % n], test, &cases[c].how,
					 knows, one);
		if (!code && getenv("EACH"))
			show(name, program[i].name, one);
		if (!code)
			worst_add(bars, knows, one);
		code = code ? code : pmu_scores_sum(sum, one, PMU_WAYS);
		scores_free(one);
	}
	if (!code)
		show(name, "all", sum);
	if (!code && knows == RUNS)
		bars_add(bars, c, sum);
	scores_free(sum);
	return code;
}

static int programs_evaluate(const struct program *program, size_t n, struct pmu_bars *bars)
{
	const char *only = getenv("ONLY");
	enum knows knows;
	int code = 0;
	size_t c;

	printf("%-38s %-8s %-8s %9s %8s %8s %8s %8s %7s %7s %7s %6s\n", "case", "program", "way",
	       "DTW", "change%", "median%", "mean%", "of-mean%", "total%", "zeros%", "within%",
	       "unlike");
	for (c = 0; !code && c < CASES; c++)
		for (knows = 0; !code && knows < KNOWS; knows++)
			if ((!only || strstr(cases[c].how.name, only)) &&
			    (!getenv("KNOWS") || strchr(getenv("KNOWS"), '0' + (int)knows)))
				code = evaluate(program, n, c, knows, bars);
	return code;
}

/* Events at once: the mean over programs of what paper 003 calls Diff. */
static int together(const struct program *program, size_t n, size_t at_once, enum pmu_bar bar,
		    struct pmu_bars *bars)
{
	double sum[PMU_WAYS] = { 0 }, one[PMU_WAYS];
	size_t i, way;
	int code = 0;

	for (i = 0; !code && i < n; i++) {
		code = pmu_diff(program[i].wide, program[i].wides, at_once, one);
		for (way = 0; !code && way < PMU_WAYS; way++)
			sum[way] += one[way] / (double)n;
		if (!code && getenv("EACH"))
			printf("%zu at once, %s: Diff %.1f %.1f %.1f %.1f %%\n", at_once, program[i].name,
			       100 * one[0], 100 * one[1], 100 * one[2], 100 * one[3]);
	}
	for (way = 0; !code && way < PMU_WAYS; way++)
		pmu_bar_set(bars, bar, way, 100 * sum[way]);
	return code;
}

static int bars_fill(const struct program *program, size_t n, struct pmu_bars *bars)
{
	int code = programs_evaluate(program, n, bars);

	if (getenv("ONLY"))
		return code;
	code = code ? code : together(program, n, 10, PMU_DIFF_10, bars);
	code = code ? code : together(program, n, 16, PMU_DIFF_16, bars);
	code = code ? code : together(program, n, 24, PMU_DIFF_24, bars);
	code = code ? code : together(program, n, 36, PMU_DIFF_36, bars);
	return code ? code : pmu_dtw_time(bars);
}

int main(int argc, char **argv)
{
	static struct program program[PROGRAMS];
	struct pmu_bars bars = { 0 };
	size_t n = argc > 3 ? (size_t)argc - 3 : 0, i;
	int code;

	gsl_set_error_handler_off();
	if (!n || n > PROGRAMS) {
		fputs("usage: eval-pmu FOLDER WIDE PROGRAM...\n", stderr);
		return 2;
	}
	for (i = 0; i < n; i++)
		if (program_read(&program[i], argv[1], argv[2], argv[i + 3]))
			return 1;
	code = bars_fill(program, n, &bars);
	if (code) {
		fprintf(stderr, "%s\n", strerror(-code));
		return 1;
	}
	return getenv("ONLY") || pmu_bars_print(&bars) ? 0 : 1;
}
