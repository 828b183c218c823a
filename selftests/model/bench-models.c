// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long the models take for 60 windows of 22 classes and 12 resources
 *
 * usage: bench-models [COMMAND], which is then run as a whole on a table with the same
 */
#include "sim.h"

#include "model/baseline.h"
#include "model/design.h"
#include "model/nnls.h"
#include "model/ols.h"
#include "model/residence.h"
#include "model/ridge.h"
#include "model/sdl.h"

#include <gsl/gsl_errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N 60
#define P 22
#define R 12
#define TIERS 4 /* of as many resources each */
#define TIMES 50

static double count[N * P], times[N * P], seconds[N], busy[R][N], residual[N];
static struct tl_estimate estimate[P + 1];

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void draw(struct sim *r)
{
	size_t w, i, k;

	for (w = 0; w < N; w++) {
		seconds[w] = 10;
		for (i = 0; i < P; i++) {
			count[w * P + i] = (double)(int)(60 * sim_uniform(r));
			times[w * P + i] = 0.004 * count[w * P + i] * (1 + sim_uniform(r));
		}
		for (k = 0; k < R; k++)
			for (i = 0, busy[k][w] = 0.02; i < P; i++)
				busy[k][w] += 1e-3 * (double)((i * k) % 5) *
					      count[w * P + i] / seconds[w];
	}
}

static void design(struct tl_design_out *out)
{
	tl_design(&(struct tl_design_in){ N, P, count, seconds, true }, out);
}

static void linear(int (*model)(const struct tl_ols_in *, struct tl_ols_out *))
{
	struct tl_ols_out out = { .coefficient = estimate, .residual = residual };
	struct tl_design_out d;
	size_t k;

	design(&d);
	for (k = 0; k < R; k++)
		model(&(struct tl_ols_in){ &d, busy[k], false }, &out);
	tl_design_free(&d);
}

static void by_ols(void)
{
	linear(tl_ols);
}

static void by_nnls(void)
{
	linear(tl_nnls_regression);
}

static void by_ridge(void)
{
	linear(tl_ridge);
}

static void by_baseline(void)
{
	linear(tl_baseline);
}

static void by_sdl(void)
{
	struct tl_sdl_out out = { .demand = estimate, .residual = residual };
	size_t k;

	for (k = 0; k < R; k++)
		tl_sdl(&(struct tl_sdl_in){ N, P, count, times, seconds, busy[k], NULL }, &out);
}

static void by_residence(void)
{
	struct tl_residence_out out = { .service = estimate };
	size_t k;

	for (k = 0; k < R; k++)
		tl_residence(&(struct tl_residence_in){ N, P, 1, count, times, seconds,
							 busy[k] }, &out);
}

/* Own times in front of three resources that slow them down, each as it is busy. */
static void table_print(struct sim *r, FILE *to)
{
	size_t w, i, t, k;
	double own;

	fputs("t,seconds", to);
	for (i = 0; i < P; i++)
		fprintf(to, ",n_c%zu", i);
	for (t = 0; t < TIERS; t++)
		for (i = 0; i < P; i++)
			fprintf(to, ",own_t%zu_c%zu", t, i);
	for (k = 0; k < R; k++)
		fprintf(to, ",u_t%zu.r%zu", k % TIERS, k / TIERS);
	for (w = 0; w < N; w++) {
		fprintf(to, "\n%zu,10", 10 * w);
		for (i = 0; i < P; i++)
			fprintf(to, ",%.0f", count[w * P + i]);
		for (t = 0; t < TIERS; t++)
			for (i = 0; i < P; i++) {
				for (k = t, own = 0; k < R; k += TIERS)
					own += 1e-3 * (double)((i * k) % 5) /
					       (1 - busy[k][w]);
				fprintf(to, ",%.9g", own * (0.9 + 0.2 * sim_uniform(r)));
			}
		for (k = 0; k < R; k++)
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

static int command(struct sim *r, const char *name)
{
	char file[] = "/tmp/bench-models-XXXXXX.csv";
	int fd = mkstemps(file, 4), code = 0, k;
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
	struct rusage used;

	if (!to)
		return 1;
	table_print(r, to);
	code = fclose(to);
	for (k = 0; k < TIMES && !code; k++)
		code = command_run(name, file);
	unlink(file);
	getrusage(RUSAGE_CHILDREN, &used);
	if (!code)
		printf("%-10s %8.2f, demand fit as a whole, by auto\n", "command",
		       1e3 / TIMES * ((double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
				      1e-6 * (double)(used.ru_utime.tv_usec +
						      used.ru_stime.tv_usec)));
	return code != 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} models[] = {
		{ "baseline", by_baseline }, { "ols", by_ols }, { "nnls", by_nnls },
		{ "ridge", by_ridge }, { "residence", by_residence }, { "sdl", by_sdl },
	};
	struct sim *r = calloc(1, sizeof(*r));
	double begin;
	size_t i, k;

	gsl_set_error_handler_off();
	sim_seed(r, 1);
	draw(r);
	printf("%d windows, %d classes, %d resources, ms of processor time:\n", N, P, R);
	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		begin = now_s();
		for (k = 0; k < TIMES; k++)
			models[i].run();
		printf("%-10s %8.2f\n", models[i].name, 1e3 * (now_s() - begin) / TIMES);
	}
	i = argc > 1 ? (size_t)command(r, argv[1]) : 0;
	free(r);
	return (int)i;
}
