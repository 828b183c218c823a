// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The largest load under limits: against closed forms, against all loads tried one by one,
 * where figures fall again with the load, where solvers have no answer; and quantiles that
 * answers go by against simulations by other chances.
 *
 * MODEL_REPEATS from 180 on takes all 45 shops, for minutes.
 */
#include "tap.h"

#include "lqn-read.h"
#include "lqn-shapes.h"
#include "model/capacity.h"
#include "model/lqn-solve.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 1000000
#define LIMITS 4

struct asked {
	struct tl_lqn lqn;
	struct tl_capacity_in in;
	struct tl_capacity_out out;
	struct tl_limit limit[LIMITS];
	bool *vary;
	int code;
};

static const struct tl_limit response = { .what = TL_LIMIT_RESPONSE, .entry = TL_LQN_NONE,
					  .processor = TL_LQN_NONE, .task = TL_LQN_NONE };

static struct tl_limit limit_of(enum tl_limit_what what, double most, double arg)
{
	struct tl_limit limit = response;

	limit.what = what;
	limit.most = most;
	limit.part = limit.timeout_s = arg;
	return limit;
}

static bool begin(struct asked *a, const char *text)
{
	struct tl_faults faults = { .file = "m" };
	bool good = text && !tl_lqn_parse(&a->lqn, text, strlen(text), false, &faults);
	size_t i;

	if (faults.faults)
		printf("# %s\n", faults.fault[0]);
	tl_faults_free(&faults);
	a->vary = calloc(a->lqn.tasks + a->lqn.entries + 1, sizeof(*a->vary));
	a->in = (struct tl_capacity_in){ .lqn = &a->lqn, .vary = a->vary, .limit = a->limit,
					 .trusted = 0.9, .seed = 3, .steps_max = STEPS,
					 .arrivals = true };
	for (i = 0; i < a->lqn.tasks; i++)
		a->in.arrivals = a->in.arrivals && !a->lqn.task[i].reference;
	for (i = 0; !a->in.arrivals && i < a->lqn.tasks; i++)
		a->vary[i] = a->lqn.task[i].reference;
	for (i = 0; a->in.arrivals && i < a->lqn.entries; i++)
		a->vary[i] = a->lqn.entry[i].arrivals_per_s > 0;
	return good;
}

static void ask(struct asked *a, size_t limits)
{
	a->in.limits = limits;
	a->code = tl_capacity(&a->in, &a->out);
}

static void end(struct asked *a)
{
	tl_capacity_free(&a->out);
	tl_lqn_free(&a->lqn);
	free(a->vary);
}

static bool near(double is, double want, double part)
{
	return fabs(is / want - 1) <= part;
}

/* ---- closed forms --------------------------------------------------------------------- */

/* M/M/1 with rate 10: responses are exponential with rate 10 - λ. */
#define OPEN "P 0\np c f\n-1\nT 0\nt t n e -1 c i\n-1\nE 0\na e 1\ns e 0.1 -1\n-1\n"

static void test_open(const char *what, struct tl_limit limit, double want, double exact)
{
	struct asked a = { .limit = { limit } };

	if (begin(&a, OPEN))
		ask(&a, 1);
	ok(!a.code && a.out.verdict == TL_CAPACITY_OK && near(a.out.max, want, exact) &&
	   a.out.limit == 0 && near(a.out.saturation.n, 10, 1e-9) &&
	   a.out.max95[0] <= a.out.max && a.out.max <= a.out.max95[1],
	   "M/M/1, %s: %.5g/s (%.5g)", what, a.out.max, want);
	end(&a);
}

static void test_all_open(void)
{
	struct asked a = { 0 };

	test_open("mean", limit_of(TL_LIMIT_RESPONSE, 0.5, 0), 8, 2e-4);
	test_open("utilisation", limit_of(TL_LIMIT_UTILISATION, 0.6, 0), 6, 2e-4);
	test_open("95 %", limit_of(TL_LIMIT_PERCENTILE, 1, 0.95), 10 + log(0.05), 0.01);
	test_open("half", limit_of(TL_LIMIT_PERCENTILE, 0.2, 0.5), 10 + log(0.5) / 0.2, 0.01);
	test_open("errors", limit_of(TL_LIMIT_ERRORS, 0.01, 2), 10 + log(0.01) / 2, 0.01);
	if (begin(&a, OPEN))
		ask(&a, 0);
	ok(!a.code && a.out.verdict == TL_CAPACITY_OK && near(a.out.max, 10, 2e-4) &&
	   a.out.limit == 0 && a.out.point[a.out.broken].state == TL_POINT_UNSTABLE,
	   "M/M/1, no limit but a steady state: %.5g/s", a.out.max);
	ok(near(a.out.believed[1], 9, 0.01), "believed up to %.4g/s", a.out.believed[1]);
	end(&a);
}

/* With u busy errors are 1 % of the requests: what an answer says of itself. */
static void test_errors_told(void)
{
	struct asked a = { .limit = { limit_of(TL_LIMIT_ERRORS, 0.05, 1) } };
	double at = 0, want = 0;
	size_t i;

	if (begin(&a, OPEN))
		ask(&a, 1);
	for (i = 0; i < a.out.points; i++)
		if (a.out.point[i].n <= 5)
			at = a.out.point[i].n;
	for (i = 0; i < a.out.points; i++)
		if (a.out.point[i].n == at)
			want = a.out.point[i].value[0];
	ok(near(want, exp(-(10 - at)), 0.2), "errors far from the limit: %.4g with %.3g/s (%.4g)", want,
	   at, exp(-(10 - at)));
	end(&a);
}

/* ---- one by one ----------------------------------------------------------------------- */

/* Limits hold of all loads up to here; the solver asked for each. */
static double by_one(struct asked *a, unsigned int most)
{
	struct tl_capacity_point point;
	struct tl_lqn work = { 0 };
	unsigned int n = (unsigned int)tl_capacity_load_least(&a->in);
	double last = 0;
	bool holds = true;

	if (tl_lqn_copy(&work, &a->lqn))
		return -1;
	for (; holds && n <= most; n++) {
		holds = !tl_capacity_solve(&a->in, &work, n, &point);
		tl_capacity_judge(&a->in, &a->out, 0, &point);
		holds = holds && point.state == TL_POINT_HOLDS;
		last = holds ? n : last;
		free(point.processor);
		free(point.task);
	}
	tl_lqn_free(&work);
	return last;
}

static void test_shop(unsigned int kind)
{
	struct asked a = { .limit = { response, limit_of(TL_LIMIT_UTILISATION, 0.85, 0) } };
	char *text = lqn_shop(1, 0, kind, 101);
	unsigned int i, right = 0;
	double want = 0;

	if (begin(&a, text))
		for (i = 0; i < 2; i++) {
			a.limit[0].most = 0.03 + 0.1 * i;
			ask(&a, 1 + i);
			want = by_one(&a, 2000);
			right += !a.code && a.out.verdict == TL_CAPACITY_OK && a.out.max == want;
			if (!i)
				tl_capacity_free(&a.out);
		}
	ok(right == 2, "%s: %u of 2 answers are those of all loads tried, the last %g (%g)",
	   shop_kinds[kind], right, a.out.max, want);
	free(text);
	end(&a);
}

/*
 * B's processor is busy with what A does there, too, until A fills another one that B
 * needs: then it gets less.
 */
#define FALLS \
	"P 0\np u i\np one s\np two s\n-1\nT 0\nt A r a -1 u z 1 m 1\nt B r b -1 u z 0.2 m 6\n" \
	"t first n x1 x2 -1 one i\nt second n y1 y2 -1 two i\n-1\nE 0\ny a x1 1 -1\ny a y1 1 -1\n" \
	"y b x2 1 -1\ny b y2 1 -1\ns x1 0.05 -1\ns y1 0.01 -1\ns x2 0.01 -1\ns y2 0.04 -1\n-1\n"

static void test_falls(void)
{
	struct asked a = { .limit = { limit_of(TL_LIMIT_UTILISATION, 0, 0) } };
	struct tl_capacity_point point;
	struct tl_lqn work = { 0 };
	double use[60], most = 0;
	unsigned int n, at = 1;

	if (!begin(&a, FALLS) || tl_lqn_copy(&work, &a.lqn))
		return;
	a.vary[1] = false;
	a.limit[0].processor = 2;
	for (n = 1; n < 60; n++) {
		tl_capacity_solve(&a.in, &work, n, &point);
		use[n] = point.processor[2];
		if (use[n] > most) {
			most = use[n];
			at = n;
		}
		free(point.processor);
		free(point.task);
	}
	tl_lqn_free(&work);
	ok(use[59] < use[1] && at > 4, "a processor that is less busy with more users: %.3f, %.3f with "
	   "%u, %.3f in the end", use[1], most, at, use[59]);
	/* Exceeded just before the top, and no more when it is over. */
	a.limit[0].most = use[at / 2];
	a.in.until = 40;
	ask(&a, 1);
	ok(a.out.verdict == TL_CAPACITY_OK && a.out.max == at / 2 && a.out.again > at &&
	   use[(unsigned int)a.out.again] <= a.limit[0].most,
	   "the first load is found that is too much, after %g (%u), and that they hold again from %g",
	   a.out.max, at / 2, a.out.again);
	end(&a);
}

/* ---- proportions, ends ---------------------------------------------------------------- */

static void test_proportions(void)
{
	struct asked a = { 0 };
	struct tl_lqn work = { 0 };
	unsigned int n, bad = 0, first, second;

	if (!begin(&a, FALLS) || tl_lqn_copy(&work, &a.lqn))
		return;
	a.lqn.task[0].threads = 3;
	for (n = 2; n < 1000; n++) {
		tl_capacity_load(&a.in, n, &work);
		first = work.task[0].threads;
		second = work.task[1].threads;
		bad += first + second != n || !first || fabs(first - n / 3.0) > 1;
	}
	tl_capacity_load(&a.in, 1, &work);
	ok(!bad && work.task[0].threads == 1 && work.task[1].threads == 1,
	   "two kinds of customers keep their proportions: %u are wrong", bad);
	tl_lqn_free(&work);
	end(&a);
}

#define DELAY "P 0\np u i\n-1\nT 0\nt U r u -1 u z 1 m 5\nt t n e -1 u i\n-1\nE 0\ny u e 1 -1\n" \
	"s e 0.1 -1\n-1\n"

/* Z = 1 s, 0.06 s without waiting, of which 0.05 s at one processor of two servers; a pool
 * of 2 threads holds for all of the 0.06 s. */
#define ASYMPTOTE(threads) \
	"P 0\np u i\np c s\np d s m 2\n-1\nT 0\nt U r u -1 u z 1 m 5\nt t n e -1 c " threads "\n" \
	"t v n f -1 d i\n-1\nE 0\ny u e 1 -1\ns e 0.01 -1\ny e f 1 -1\ns f 0.05 -1\n-1\n"

static void asymptote_is(const char *what, const char *text, bool pool, size_t of, double n,
			 double throughput)
{
	struct tl_capacity_asymptote at = { 0 };
	struct asked a = { 0 };

	if (begin(&a, text))
		a.code = tl_capacity_asymptote(&a.in, &at);
	ok(!a.code && at.pool == pool && at.of == of && near(at.n, n, 1e-9) &&
	   near(at.throughput_per_s, throughput, 1e-9), "asymptotes, %s: %.6g users, %.6g/s", what,
	   at.n, at.throughput_per_s);
	end(&a);
}

static void test_asymptotes(void)
{
	asymptote_is("a processor", ASYMPTOTE("i"), false, 2, 2 * 1.06 / 0.05, 40);
	asymptote_is("threads", ASYMPTOTE("m 2"), true, 1, 2 * 1.06 / 0.06, 2 / 0.06);
}

static void verdict_is(const char *what, const char *text, struct tl_limit limit, double until,
		       enum tl_capacity_verdict want, double low, double high)
{
	struct asked a = { .limit = { limit } };

	if (begin(&a, text)) {
		a.in.until = until;
		ask(&a, 1);
	}
	ok(!a.code && a.out.verdict == want && a.out.max >= low && a.out.max <= high,
	   "%s: verdict %d, %g", what, a.out.verdict, a.out.max);
	end(&a);
}

static void test_verdicts(void)
{
	char *shop = lqn_shop(1, 0, SHOP_POOLS, 101);
	struct asked a = { 0 };

	verdict_is("nothing is ever in the way", DELAY, limit_of(TL_LIMIT_RESPONSE, 1, 0), 0,
		   TL_CAPACITY_UNLIMITED, 1000, 2e6);
	verdict_is("one user is too much", DELAY, limit_of(TL_LIMIT_RESPONSE, 0.05, 0), 0,
		   TL_CAPACITY_NONE, 0, 0);
	verdict_is("the least rate is too much", OPEN, limit_of(TL_LIMIT_RESPONSE, 0.05, 0), 0,
		   TL_CAPACITY_NONE, 0, 0);
	verdict_is("no further than it is said", shop, limit_of(TL_LIMIT_RESPONSE, 1, 0), 100,
		   TL_CAPACITY_UNLIMITED, 100, 100);
	verdict_is("one processor is never so busy", shop, limit_of(TL_LIMIT_UTILISATION, 0.9999, 0),
		   0, TL_CAPACITY_UNLIMITED, 1000, 1e5);
	verdict_is("the solver has no answer any more", shop, limit_of(TL_LIMIT_RESPONSE, 1e4, 0), 0,
		   TL_CAPACITY_LEAST, 5000, 1e5);
	if (begin(&a, shop))
		ask(&a, 0);
	ok(!a.code && a.out.verdict == TL_CAPACITY_NO_LIMITS && a.out.points > 40 &&
	   a.out.point[a.out.points - 1].n >= 1.9 * a.out.saturation.n,
	   "no limit: a curve to twice the load that saturates");
	end(&a);
	a = (struct asked){ 0 };
	if (begin(&a, shop)) {
		memset(a.vary, 0, a.lqn.tasks * sizeof(*a.vary));
		ask(&a, 0);
	}
	ok(a.code < 0, "nothing varies");
	end(&a);
	free(shop);
}

/* Arrivals beside users, whose queues never end: there is a steady state. */
#define BESIDE \
	"P 0\np u i\np web s\np db f m 2\n-1\nT 0\nt B r b -1 u z 3 m 30\nt S r s -1 u z 5 m 10\n" \
	"t Web n wb ws -1 web m 30\nt Db n q -1 db m 6\nt Mail n m -1 web\n-1\nE 0\ny b wb 1 -1\n" \
	"y s ws 2 -1\ns wb 0.01 -1\ny wb q 2 -1\ns ws 0.03 -1\ny ws q 4 -1\ns q 0.01 -1\na m 2\n" \
	"s m 0.01 -1\n-1\n"
/* What customers leave behind takes longer than they do: there is none. */
#define BEHIND \
	"P 0\np u i\np c s\np l f\n-1\nT 0\nt r r r -1 u z 1 m 20\nt t n e -1 c i\nt l n log -1 l\n" \
	"-1\nE 0\ny r e 1 -1\ns e 0.01 -1\nz e log 1 -1\ns log 0.02 -1\n-1\n"

/*
 * Arrivals ask for 0.952 of a processor, and whoever has a thread uses it or waits for one who
 * does: there is a steady state. To the solver, which takes layers apart, that is too much.
 */
#define NARROW \
	"P 0\np u i\np c s\n-1\nT 0\nt U r u -1 u z 1 m 1\nt t n e -1 c m 3\nt d n q -1 c m 1\n-1\n" \
	"E 0\ny u e 1 -1\na e 13.6\ns e 0.03 -1\ny e q 2 -1\ns q 0.02 -1\n-1\n"

static void test_steady(void)
{
	struct asked a = { .limit = { limit_of(TL_LIMIT_RESPONSE, 10, 0) } };

	if (begin(&a, BESIDE))
		ask(&a, 1);
	ok(!a.code && a.out.verdict == TL_CAPACITY_OK && a.out.max > 300,
	   "arrivals beside users in long queues are served: verdict %d, %g",
	   a.out.verdict, a.out.max);
	end(&a);
	a = (struct asked){ .limit = { limit_of(TL_LIMIT_RESPONSE, 100, 0) } };
	if (begin(&a, BEHIND))
		ask(&a, 1);
	/* 50 cycles per second of 1.01 s, or a few more users that wait */
	ok(!a.code && a.out.verdict == TL_CAPACITY_OK && !a.out.steady && a.out.limit == 1 &&
	   near(a.out.max, 51, 0.1), "a solver that is right about no steady state is believed: verdict %d, %g",
	   a.out.verdict, a.out.max);
	end(&a);
	a = (struct asked){ .limit = { limit_of(TL_LIMIT_RESPONSE, 100, 0) } };
	if (begin(&a, NARROW))
		ask(&a, 1);
	ok(!a.code && a.out.points && a.out.point[0].verdict == TL_LQN_UNSTABLE && a.out.steady &&
	   a.out.verdict == TL_CAPACITY_UNKNOWN, "one that is wrong is not: verdict %d", a.out.verdict);
	end(&a);
}

/* Where a model says with which loads it was measured, nothing else is believed. */
static void test_measured(void)
{
	struct asked a = { .limit = { limit_of(TL_LIMIT_RESPONSE, 0.5, 0) } };

	if (begin(&a, OPEN)) {
		a.lqn.measured_per_s[0] = 2;
		a.lqn.measured_per_s[1] = 5;
		ask(&a, 1);
	}
	ok(a.out.verdict == TL_CAPACITY_OK && near(a.out.max, 8, 1e-3) &&
	   !a.out.point[a.out.best].believed && near(a.out.believed[0], 2, 0.08) &&
	   near(a.out.believed[1], 5, 0.01), "measured from 2 to 5/s: believed from %.3g to %.3g",
	   a.out.believed[0], a.out.believed[1]);
	end(&a);
}

/* ---- quantiles ----------------------------------------------------------------------- */

/* A quantile by other chances, and more of them. */
static double simulated(const struct asked *a, double n, uint64_t steps, double *half)
{
	struct tl_lqn work = { 0 };
	struct tl_lqn_watch watch = { .part = 0.95 };
	struct tl_lqn_simulate_in in = { .lqn = &work, .seed = 77, .confidence = 0.95,
					 .precision = 0.005, .steps_max = steps,
					 .watch = &watch, .watches = 1 };
	struct tl_lqn_simulate_out out = { 0 };
	double is = 0;

	if (!tl_lqn_copy(&work, &a->lqn)) {
		tl_capacity_load(&a->in, n, &work);
		if (!tl_lqn_simulate(&in, &out))
			is = out.watched[0].quantile_s;
	}
	*half = out.solution.value.task ? out.solution.half95.task[0].response_s /
					  out.solution.value.task[0].response_s : 0;
	tl_lqn_simulated_free(&out);
	tl_lqn_free(&work);
	return is;
}

struct errors {
	unsigned int n;
	double sum, most, noise;
};

/* At the answer for a limit that its own load just about keeps. */
static bool quantile_off(const char *text, uint64_t steps, struct errors *errors)
{
	struct asked a = { .limit = { limit_of(TL_LIMIT_PERCENTILE, 0, 0.95) } };
	double half, is = 0, off = INFINITY;
	bool good = begin(&a, text);

	a.in.steps_max = steps;
	if (good) {
		a.limit[0].most = simulated(&a, a.lqn.task[0].threads, steps, &half);
		ask(&a, 1);
		good = !a.code && a.out.verdict == TL_CAPACITY_OK;
	}
	if (good) {
		is = simulated(&a, a.out.max, 4 * steps, &half);
		off = fabs(a.out.point[a.out.best].value[0] / is - 1);
		errors->sum += off;
		errors->most = fmax(errors->most, off);
		errors->noise += half;
		errors->n++;
	}
	end(&a);
	return good;
}

static void test_quantiles(enum shop_kind kind, bool all)
{
	struct errors errors = { 0 };
	unsigned int mix, load;
	bool good = true;
	char *text;

	for (mix = 0; mix < SHOP_MIXES; mix++)
		for (load = 0; load < SHOP_LOADS; load++) {
			if (!all && (mix || load != kind % SHOP_LOADS))
				continue;
			text = lqn_shop(mix, load, kind, 100 + mix);
			good = quantile_off(text, all ? 5000000 : STEPS, &errors) && good;
			free(text);
		}
	/* As far as solutions are off, and what the simulation that is the judge may be. */
	ok(good && errors.sum <= 0.04 * errors.n + errors.noise && errors.most <= 0.2,
	   "%-5s %u models: 95 %% of the requests at the answer, off by %.2f %%, %.2f %% at most "
	   "(mean responses are simulated to %.2f %%)", shop_kinds[kind], errors.n,
	   100 * errors.sum / errors.n, 100 * errors.most, 100 * errors.noise / errors.n);
}

int main(void)
{
	const char *repeats = getenv("MODEL_REPEATS");
	bool all = repeats && atoi(repeats) >= 180;
	enum shop_kind kind;

	gsl_set_error_handler_off();
	test_all_open();
	test_errors_told();
	for (kind = 0; kind < SHOP_KINDS; kind++)
		test_shop(kind);
	test_falls();
	test_proportions();
	test_asymptotes();
	test_verdicts();
	test_steady();
	test_measured();
	for (kind = 0; kind < SHOP_KINDS; kind += all ? 1 : 2)
		test_quantiles(kind, all);
	return done();
}
