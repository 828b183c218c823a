// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long the models take, as what they are asked grows
 *
 * What is fitted are three windows for each class, of RESOURCES resources; TIERLENS names the command, which
 * is run as a whole on a table with the same.
 */
#include "bench.h"
#include "made-intervals.h"
#include "sim.h"

#include "daemon/history.h"
#include "error.h"
#include "lqn-read.h"
#include "lqn-shapes.h"
#include "model/baseline.h"
#include "model/design.h"
#include "model/dtw.h"
#include "model/lqn-simulate.h"
#include "model/lqn-solve.h"
#include "model/mva.h"
#include "model/nnls.h"
#include "model/ols.h"
#include "model/residence.h"
#include "model/ridge.h"
#include "model/sdl.h"

#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLASSES 44
#define WINDOWS (3 * CLASSES)
#define RESOURCES 12
#define TIERS 4 /* of as many resources each */

static double count[WINDOWS * CLASSES], times[WINDOWS * CLASSES], seconds[WINDOWS], busy[RESOURCES][WINDOWS];
static double residual[WINDOWS];
static struct tl_estimate estimate[CLASSES + 1];
static size_t n, p; /* windows, classes */
static struct sim random_numbers;

void bench_processor(unsigned int cpu)
{
	(void)cpu;
}

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "bench: %s has failed\n", what);
	exit(1);
}

static void draw(u64 classes, unsigned int cpus)
{
	struct sim *r = &random_numbers;
	size_t w, i, k;

	(void)cpus;
	gsl_set_error_handler_off();
	sim_seed(r, 1);
	p = classes;
	n = 3 * p;
	for (w = 0; w < n; w++) {
		seconds[w] = 10;
		for (i = 0; i < p; i++) {
			count[w * p + i] = (double)(int)(60 * sim_uniform(r));
			times[w * p + i] = 0.004 * count[w * p + i] * (1 + sim_uniform(r));
		}
		for (k = 0; k < RESOURCES; k++)
			for (i = 0, busy[k][w] = 0.02; i < p; i++)
				busy[k][w] += 1e-3 * (double)((i * k) % 5) *
					      count[w * p + i] / seconds[w];
	}
}

static void design(struct tl_design_out *out)
{
	tl_design(&(struct tl_design_in){ n, p, count, seconds, true }, out);
}

static u64 linear(int (*model)(const struct tl_ols_in *, struct tl_ols_out *), unsigned int cpu, u64 ops)
{
	struct tl_ols_out out = { .coefficient = estimate, .residual = residual };
	struct tl_design_out d;
	u64 done;
	size_t k;

	(void)cpu;
	for (done = 0; done < ops; done++) {
		design(&d);
		for (k = 0; k < RESOURCES; k++)
			must(!model(&(struct tl_ols_in){ &d, busy[k], false }, &out), "a fit");
		tl_design_free(&d);
	}
	return done;
}

static u64 by_ols(unsigned int cpu, u64 ops)
{
	return linear(tl_ols, cpu, ops);
}

static u64 by_nnls(unsigned int cpu, u64 ops)
{
	return linear(tl_nnls_regression, cpu, ops);
}

static u64 by_ridge(unsigned int cpu, u64 ops)
{
	return linear(tl_ridge, cpu, ops);
}

static u64 by_baseline(unsigned int cpu, u64 ops)
{
	return linear(tl_baseline, cpu, ops);
}

static u64 by_sdl(unsigned int cpu, u64 ops)
{
	struct tl_sdl_out out = { .demand = estimate, .residual = residual };
	u64 done;
	size_t k;

	(void)cpu;
	for (done = 0; done < ops; done++)
		for (k = 0; k < RESOURCES; k++)
			tl_sdl(&(struct tl_sdl_in){ n, p, count, times, seconds, busy[k], NULL }, &out);
	return done;
}

static u64 by_residence(unsigned int cpu, u64 ops)
{
	struct tl_residence_out out = { .service = estimate };
	u64 done;
	size_t k;

	(void)cpu;
	for (done = 0; done < ops; done++)
		for (k = 0; k < RESOURCES; k++)
			tl_residence(&(struct tl_residence_in){ n, p, 1, count, times, seconds,
								 busy[k] }, &out);
	return done;
}

/* Own times in front of three resources that slow them down, each as it is busy. */
static void table_print(struct sim *r, FILE *to)
{
	size_t w, i, t, k;
	double own;

	fputs("t,seconds", to);
	for (i = 0; i < p; i++)
		fprintf(to, ",n_c%zu", i);
	for (t = 0; t < TIERS; t++)
		for (i = 0; i < p; i++)
			fprintf(to, ",own_t%zu_c%zu", t, i);
	for (k = 0; k < RESOURCES; k++)
		fprintf(to, ",u_t%zu.r%zu", k % TIERS, k / TIERS);
	for (w = 0; w < n; w++) {
		fprintf(to, "\n%zu,10", 10 * w);
		for (i = 0; i < p; i++)
			fprintf(to, ",%.0f", count[w * p + i]);
		for (t = 0; t < TIERS; t++)
			for (i = 0; i < p; i++) {
				for (k = t, own = 0; k < RESOURCES; k += TIERS)
					own += 1e-3 * (double)((i * k) % 5) /
					       (1 - busy[k][w]);
				fprintf(to, ",%.9g", own * (0.9 + 0.2 * sim_uniform(r)));
			}
		for (k = 0; k < RESOURCES; k++)
			fprintf(to, ",%.9g", busy[k][w] + 0.002 * sim_uniform(r));
	}
	fputc('\n', to);
}

static int command_run(const char *command, const char *file)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		execl(command, command, "demand", "fit", "--json", file, (char *)NULL);
		_exit(127);
	}
	return pid < 0 || waitpid(pid, &status, 0) < 0 ? -1 : status;
}

static u64 command(unsigned int cpu, u64 ops)
{
	const char *name = getenv("TIERLENS");
	char file[] = "/tmp/bench-models-XXXXXX.csv";
	int fd = mkstemps(file, 4);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
	u64 done;

	(void)cpu;
	must(to && name, "the command: TIERLENS names it, and its table");
	table_print(&random_numbers, to);
	must(!fclose(to), "the command's table");
	for (done = 0; done < ops; done++)
		must(!command_run(name, file), "the command");
	unlink(file);
	return done;
}

/* ---- queueing networks -------------------------------------------------------------- */

#define STATIONS 6

static uint32_t customers[CLASSES], servers[STATIONS] = { 1, 1, 1, 1, 1, 1 };
static double think_s[CLASSES], demand_s[CLASSES * STATIONS];
static struct tl_lqn network;

/* Some of the stations are asked for by each class, and eight customers are of each. */
static void mva_prepare(u64 classes, unsigned int cpus)
{
	size_t c, s;

	draw(2, cpus);
	p = classes;
	for (c = 0; c < p; c++) {
		customers[c] = 8;
		think_s[c] = 1;
		for (s = 0; s < STATIONS; s++)
			demand_s[c * STATIONS + s] = 0.001 * (double)(1 + (c * 7 + s * 3) % 5);
	}
}

static u64 solve(int (*model)(const struct tl_mva_in *, struct tl_mva_out *), u64 ops)
{
	double throughput[CLASSES], residence[CLASSES * STATIONS], number[CLASSES * STATIONS];
	struct tl_mva_in in = { p, STATIONS, customers, think_s, servers, demand_s };
	struct tl_mva_out out = { throughput, residence, number, 0, 0 };
	u64 done;

	for (done = 0; done < ops; done++)
		must(!model(&in, &out) && throughput[0] > 0, "a queueing network");
	return done;
}

static u64 by_mva_exact(unsigned int cpu, u64 ops)
{
	(void)cpu;
	return solve(tl_mva_exact, ops);
}

static u64 by_mva_linearizer(unsigned int cpu, u64 ops)
{
	(void)cpu;
	return solve(tl_mva_linearizer, ops);
}

static void lqn_prepare(u64 load, unsigned int cpus)
{
	struct tl_faults faults = { .file = "shape" };
	char *text;

	draw(2, cpus);
	text = lqn_host((unsigned int)load);
	must(text && !tl_lqn_parse(&network, text, strlen(text), false, &faults), "a layered network");
	tl_faults_free(&faults);
	free(text);
}

static u64 by_lqn_solve(unsigned int cpu, u64 ops)
{
	struct tl_lqn_solve_out out;
	u64 done;

	(void)cpu;
	for (done = 0; done < ops; done++) {
		must(!tl_lqn_solve(&network, &out), "a layered network");
		tl_lqn_solution_free(&out.solution);
	}
	return done;
}

/* ---- series -------------------------------------------------------------------------- */

static double *series[2];

static void dtw_prepare(u64 points, unsigned int cpus)
{
	size_t i;

	draw(2, cpus);
	p = points;
	for (i = 0; i < 2 * p; i++) {
		if (i % p == 0)
			series[i / p] = bench_alloc(p * sizeof(double));
		series[i / p][i % p] = sim_uniform(&random_numbers);
	}
}

static u64 by_dtw(unsigned int cpu, u64 ops)
{
	struct tl_dtw_in in = { series[0], series[1], p, p, TL_DTW_FULL, INFINITY };
	struct tl_dtw_out out;
	u64 done;

	(void)cpu;
	for (done = 0; done < ops; done++)
		must(!tl_dtw(&in, &out) && out.distance > 0, "a distance");
	return done;
}

/* ---- the history --------------------------------------------------------------------- */

static struct tl_history *history;
static struct tl_interval *made;
static char folder[] = "/tmp/bench-history-XXXXXX";

static void history_close(void)
{
	char file[sizeof(folder) + 16];

	tl_history_close(history);
	snprintf(file, sizeof(file), "%s/h.db", folder);
	unlink(file);
	rmdir(folder);
}

static void history_prepare(u64 tiers, unsigned int cpus)
{
	char file[sizeof(folder) + 16];
	struct tl_error err;

	(void)cpus;
	must(mkdtemp(folder), "a folder");
	snprintf(file, sizeof(file), "%s/h.db", folder);
	must(!tl_history_open(&history, file, &tl_history_limits, &err), "a history");
	atexit(history_close);
	made = made_interval(1, 1735689600000000000ULL, 1000000000ULL, (unsigned int)tiers, 10, 2.5);
}

/* As the daemon does: ten to a transaction. */
static u64 history_add(unsigned int cpu, u64 ops)
{
	struct tl_error err;
	u64 done;

	(void)cpu;
	for (done = 0; done < ops; done++) {
		made->generation++;
		made->start_ns += made->length_ns;
		tl_history_add(history, made);
		if (done % 10 == 9)
			must(!tl_history_flush(history, &err), "the history");
	}
	return done;
}

const struct bench bench_models[] = {
	{ "model.baseline", "fit", "classes", { 11, 22, 44 }, 20, false, draw, by_baseline },
	{ "model.ols", "fit", "classes", { 11, 22, 44 }, 20, false, draw, by_ols },
	{ "model.nnls", "fit", "classes", { 11, 22, 44 }, 10, false, draw, by_nnls },
	{ "model.ridge", "fit", "classes", { 11, 22, 44 }, 10, false, draw, by_ridge },
	{ "model.residence", "fit", "classes", { 11, 22, 44 }, 20, false, draw, by_residence },
	{ "model.sdl", "fit", "classes", { 11, 22, 44 }, 5, false, draw, by_sdl },
	{ "model.demand-fit", "command", "classes", { 11, 22, 44 }, 4, false, draw, command, true },
	{ "model.mva-exact", "network", "classes", { 1, 2, 4 }, 20, false, mva_prepare, by_mva_exact },
	{ "model.mva-linearizer", "network", "classes", { 1, 4, 16 }, 5, false, mva_prepare, by_mva_linearizer },
	{ "model.lqn-solve", "network", "customers", { 10, 100, 1000 }, 4, false, lqn_prepare, by_lqn_solve },
	{ "model.dtw", "pair", "points", { 100, 1000, 4000 }, 4, false, dtw_prepare, by_dtw },
	{ "history.add", "interval", "tiers", { 1, 5, 20 }, 100, false, history_prepare, history_add },
	{ NULL },
};

const struct bench *const bench_lists[] = { bench_models, NULL };
