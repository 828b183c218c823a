// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How good cleaning is on real programs whose counts are known: the table
 *
 * usage: eval-pmu FOLDER PROGRAM..., a folder that pmu-series.py has filled. Each run of a program
 * is cleaned by what is known of its other runs, or of none.
 */
#include "pmu-cases.h"
#include "sim.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 3
#define PROGRAMS 16

static const char *const events[] = {
	"loads", "stores", "icache_misses", "l1d_read_misses", "l1d_write_misses",
	"llc_read_misses", "llc_write_misses", "branches", "branch_misses", "indirect_branches",
	"instructions",
};
#define EVENTS (sizeof(events) / sizeof(*events))

static const struct pmu_case cases[] = {
	{ "faults", 0, 1, 0.01, 0.01, 0.03, 0 },
	{ "10 on 4, 5 ticks", 4, 5, 0, 0, 0, 0 },
	{ "10 on 4, 5 ticks, bursts", 4, 5, 0, 0, 0, 0.01 },
	{ "10 on 4, 3 ticks, bursts", 4, 3, 0, 0, 0, 0.01 },
	{ "10 on 4, 1 tick, bursts", 4, 1, 0, 0, 0, 0.01 },
	{ "10 on 4, 10 ticks, bursts", 4, 10, 0, 0, 0, 0.01 },
};

static const struct {
	const char *name;
	int (*clean)(const struct tl_pmu_in *in, struct tl_pmu_out *out);
} ways[] = {
	{ "nothing", tl_pmu_nothing }, { "gdp", tl_pmu_gdp }, { "printed", tl_pmu_printed },
	{ "clean", tl_pmu_clean },
};
#define WAYS (sizeof(ways) / sizeof(*ways))

struct program {
	const char *name;
	struct pmu_series run[RUNS];
};

static int programs_read(struct program *program, const char *folder, char **name, int n)
{
	char file[4096];
	int i, run, code;

	for (i = 0; i < n; i++)
		for (run = 0; run < RUNS; run++) {
			program[i].name = name[i];
			snprintf(file, sizeof(file), "%s/%s-%d.csv", folder, name[i], run + 1);
			code = pmu_series_read(&program[i].run[run], file, events, EVENTS);
			if (code) {
				fprintf(stderr, "%s: %s\n", file, strerror(-code));
				return code;
			}
		}
	return 0;
}

/* One run of a program by its others. */
static int clean_one(const struct program *program, int test, const struct pmu_case *how,
		     bool known, struct pmu_score *score)
{
	struct tl_pmu_run run[RUNS];
	struct tl_pmu_out out;
	struct pmu_made made;
	struct tl_pmu_in in = { &made.record, run, 0, TL_PMU_SD };
	struct sim random = { 0 };
	int i, code;
	size_t way;

	sim_seed(&random, (uint64_t)test + 1);
	code = pmu_made_init(&made, &program->run[test], how, &random);
	for (i = 0; !code && known && i < RUNS; i++)
		if (i != test)
			code = pmu_known(&program->run[i], how, &random, &run[in.runs++]);
	for (way = 0; !code && way < WAYS; way++) {
		code = ways[way].clean(&in, &out);
		code = code ? code : pmu_score_add(&score[way], &made, &out);
		tl_pmu_out_free(&out);
	}
	while (in.runs)
		pmu_known_free(&run[--in.runs]);
	pmu_made_free(&made);
	return code;
}

static void show(const char *name, const char *program, struct pmu_score *score)
{
	size_t way;

	for (way = 0; way < WAYS; way++) {
		struct pmu_score *s = &score[way];

		printf("%-28s %-9s %-8s %9.4f %8.1f %9.2f %8.1f %8.1f %7.2f %8.2f %7.1f\n", name, program,
		       ways[way].name, s->warped / (double)s->series,
		       100 * (s->warped / score[0].warped - 1), 100 * pmu_score_median(s),
		       100 * pmu_score_mean(s), 100 * s->off / (double)s->cells,
		       100 * s->total / (double)s->series,
		       s->zeros ? 100 * (double)s->zeros_filled / (double)s->zeros : 0,
		       s->changed ? 100 * (double)s->within / (double)s->changed : 100);
	}
	for (way = 0; way < WAYS; way++)
		pmu_score_free(&score[way]);
}

static int evaluate(const struct program *program, int n, const struct pmu_case *how, bool known,
		    bool each)
{
	struct pmu_score score[WAYS] = { 0 };
	char name[64];
	int i, test, code = 0;

	snprintf(name, sizeof(name), "%s%s", how->name, known ? "" : ", never seen");
	for (i = 0; !code && i < n; i++) {
		for (test = 0; !code && test < RUNS; test++)
			code = clean_one(&program[i], test, how, known, score);
		if (!code && each)
			show(name, program[i].name, score);
	}
	if (!code && !each)
		show(name, "all", score);
	return code;
}

int main(int argc, char **argv)
{
	static struct program program[PROGRAMS];
	bool each = getenv("EACH") != NULL;
	const char *only = getenv("ONLY");
	int code = 0;
	size_t i;

	gsl_set_error_handler_off();
	if (argc < 3 || argc > PROGRAMS + 2) {
		fputs("usage: eval-pmu FOLDER PROGRAM...\n", stderr);
		return 2;
	}
	if (programs_read(program, argv[1], argv + 2, argc - 2))
		return 1;
	printf("%-28s %-9s %-8s %9s %8s %9s %8s %8s %7s %8s %7s\n", "case", "program", "way", "DTW",
	       "change%", "median%", "mean%", "of-mean%", "total%", "zeros%", "within%");
	for (i = 0; !code && i < sizeof(cases) / sizeof(*cases); i++) {
		if (only && !strstr(cases[i].name, only))
			continue;
		code = evaluate(program, argc - 2, &cases[i], true, each);
		code = code ? code : evaluate(program, argc - 2, &cases[i], false, each);
	}
	if (code)
		fprintf(stderr, "%s\n", strerror(-code));
	return code != 0;
}
