// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Solutions of layered queueing networks against simulations of the same: 45 shops of
 * three tiers, and how long solving takes.
 *
 * MODEL_REPEATS below 180 takes a third of them, each for not as long.
 */
#include "tap.h"

#include "hist.h"
#include "lqn-read.h"
#include "lqn-shapes.h"
#include "model/lqn-simulate.h"
#include "model/lqn-solve.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What solutions may be off by: parts of what is simulated, of the mean and of any. */
struct bar {
	double throughput_mean, throughput_most, response_mean, response_most;
};

static const struct bar shared = { 0.005, 0.03, 0.08, 0.25 };
static const struct bar one_by_one = { 0.04, 0.10, 0.25, 0.25 };

struct errors {
	unsigned int n;
	double throughput, throughput_most, response, response_most, entries, entries_most;
};

static bool model_read(const char *text, struct tl_lqn *lqn)
{
	struct tl_faults faults = { .file = "shape" };
	bool good = text && !tl_lqn_parse(lqn, text, strlen(text), false, &faults);

	if (faults.faults)
		printf("# %s\n", faults.fault[0]);
	tl_faults_free(&faults);
	return good;
}

static double off(double solved, double simulated)
{
	return fabs(solved / simulated - 1);
}

static void errors_add(struct errors *errors, const struct tl_lqn *lqn,
		       const struct tl_lqn_figures *a, const struct tl_lqn_figures *b)
{
	double throughput = off(a->task[0].throughput_per_s, b->task[0].throughput_per_s);
	double response = off(a->task[0].response_s, b->task[0].response_s), entries = 0, this;
	size_t e, n = 0;

	for (e = 0; e < lqn->entries; e++) {
		const struct tl_lqn_entry_figures *x = &a->entry[e], *y = &b->entry[e];

		if (lqn->entry[e].task != 1) /* front tier: what users see of each kind */
			continue;
		this = off(x->waiting_s + x->service_s[0], y->waiting_s + y->service_s[0]);
		errors->entries_most = fmax(errors->entries_most, this);
		entries += this;
		n++;
	}
	errors->n++;
	errors->throughput += throughput;
	errors->throughput_most = fmax(errors->throughput_most, throughput);
	errors->response += response;
	errors->response_most = fmax(errors->response_most, response);
	errors->entries += n ? entries / (double)n : 0;
}

/* Return: whether there is a solution, and laws hold of it, Little's by @little. */
static bool compare(const char *text, bool all, double little, struct errors *errors)
{
	struct tl_lqn lqn = { 0 };
	struct tl_lqn_simulate_in in = { .lqn = &lqn, .seed = 11, .confidence = 0.95,
					 .precision = all ? 0.005 : 0.01,
					 .steps_max = all ? 1000000000 : 10000000 };
	struct tl_lqn_simulate_out simulated = { 0 };
	struct tl_lqn_solve_out solved = { 0 };
	const struct tl_lqn_checks *checks = &solved.solution.checks;
	bool good = model_read(text, &lqn) && !tl_lqn_solve(&lqn, &solved) &&
		    !tl_lqn_simulate(&in, &simulated) &&
		    solved.solution.verdict == TL_LQN_OK &&
		    tl_lqn_has_figures(&simulated.solution) && checks->little < little &&
		    checks->utilisation < 1e-5 && checks->flow < 1e-9;

	if (good)
		errors_add(errors, &lqn, &solved.solution.value, &simulated.solution.value);
	tl_lqn_solution_free(&solved.solution);
	tl_lqn_simulated_free(&simulated);
	tl_lqn_free(&lqn);
	return good;
}

static void test_shops(enum shop_kind kind, bool all)
{
	const struct bar *bar = kind == SHOP_FCFS ? &one_by_one : &shared;
	struct errors errors = { 0 };
	unsigned int mix, load;
	bool good = true;
	char *text;

	for (mix = 0; mix < SHOP_MIXES; mix++)
		for (load = 0; load < SHOP_LOADS; load++) {
			if (!all && load != (mix + kind) % SHOP_LOADS)
				continue;
			text = lqn_shop(mix, load, kind, 100 + mix);
			good = compare(text, all, 1e-5, &errors) && good;
			free(text);
		}
	ok(good && errors.n && errors.throughput / errors.n <= bar->throughput_mean &&
	   errors.throughput_most <= bar->throughput_most &&
	   errors.response / errors.n <= bar->response_mean &&
	   errors.response_most <= bar->response_most,
	   "%-5s %u models: throughput off by %.2f %%, %.2f %% at most; response by %.2f %%, "
	   "%.2f %%; of kinds of requests by %.2f %%, %.2f %%", shop_kinds[kind], errors.n,
	   100 * errors.throughput / errors.n, 100 * errors.throughput_most,
	   100 * errors.response / errors.n, 100 * errors.response_most,
	   100 * errors.entries / errors.n, 100 * errors.entries_most);
}

/* All that is within the pool's processes uses the processor that others use, too. */
static void test_host(bool all)
{
	static const unsigned int customers[] = { 20, 35, 70 };
	struct errors errors = { 0 };
	bool good = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(customers); i++) {
		char *text = lqn_host(customers[i]);

		good = compare(text, all, 1e-4, &errors) && good;
		free(text);
	}
	/* Simulations are certain to 1 %. */
	ok(good && errors.throughput_most <= 0.015 && errors.response_most <= 0.03, "one host: throughput off by %.2f %% at most, response by %.2f %%",
	   100 * errors.throughput_most, 100 * errors.response_most);
}

/* Of sixty-five services, all of them simulated: nobody's threads are a layer of their own. */
static void test_services(bool all)
{
	struct errors errors = { 0 };
	char *text = lqn_services(5);
	bool good = compare(text, all, 1e-5, &errors);

	ok(good && errors.throughput <= shared.throughput_mean &&
	   errors.response <= shared.response_mean,
	   "65 services: throughput off by %.2f %%, response by %.2f %%", 100 * errors.throughput,
	   100 * errors.response);
	free(text);
}

static double processor_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The least of a few: what it takes, and not what else goes on. */
static double solve_s(char *text)
{
	struct tl_lqn_solve_out out = { 0 };
	struct tl_lqn lqn = { 0 };
	double least = INFINITY, before;
	unsigned int i;

	for (i = 0; model_read(text, &lqn) && i < 7; i++) {
		before = processor_s();
		tl_lqn_solve(&lqn, &out);
		least = fmin(least, processor_s() - before);
		tl_lqn_solution_free(&out.solution);
		tl_lqn_free(&lqn);
	}
	tl_lqn_free(&lqn);
	free(text);
	return least;
}

/* Those 65, with so many customers that there is no solution: that is told, and soon. */
static void test_no_solution(void)
{
	char *text = lqn_services(5), *users = text ? strstr(text, " m 500\n") : NULL;
	struct tl_lqn_solve_out out = { 0 };
	struct tl_lqn lqn = { 0 };
	double before;
	int code = 0;

	if (users)
		memcpy(users, " m 900", 6);
	before = processor_s();
	if (users && model_read(text, &lqn))
		code = tl_lqn_solve(&lqn, &out);
	ok(code < 0 && processor_s() - before < 2, "65 services, no solution: told after %.2f s",
	   processor_s() - before);
	tl_lqn_solution_free(&out.solution);
	tl_lqn_free(&lqn);
	free(text);
}

static void test_times(void)
{
	double shop_s[SHOP_KINDS], most = 0, services_s = solve_s(lqn_services(5));
	enum shop_kind kind;

	for (kind = 0; kind < SHOP_KINDS; kind++) {
		shop_s[kind] = solve_s(lqn_shop(1, 1, kind, 101));
		most = fmax(most, shop_s[kind]);
	}
	ok(most <= 0.005, "shop: %.2f ms free, %.2f pools, %.2f cores, %.2f log, %.2f fcfs",
	   1e3 * shop_s[0], 1e3 * shop_s[1], 1e3 * shop_s[2], 1e3 * shop_s[3], 1e3 * shop_s[4]);
	ok(services_s <= 0.05, "65 services: %.2f ms", 1e3 * services_s);
}

int main(void)
{
	const char *repeats = getenv("MODEL_REPEATS");
	bool all = repeats && atoi(repeats) >= 180;
	enum shop_kind kind;

	gsl_set_error_handler_off();
	for (kind = 0; kind < SHOP_KINDS; kind++)
		test_shops(kind, all);
	test_host(all);
	test_services(all);
	test_times();
	test_no_solution();
	return done();
}
