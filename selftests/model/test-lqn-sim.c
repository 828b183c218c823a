// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Simulated layered queueing networks in which nothing is left to chance: what calls,
 * phases, threads and processors mean, to the last digit; verdicts; seeds.
 *
 * Times are fixed (c² 0) and calls exact, so that each cycle is like the other.
 */
#include "tap.h"

#include "lqn-read.h"
#include "model/lqn-batch.h"
#include "model/lqn-simulate.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct result {
	struct tl_lqn lqn;
	struct tl_lqn_simulate_out out;
	int code;
};

static void simulate(struct result *r, const char *text, uint64_t seed, uint64_t steps)
{
	struct tl_faults faults = { .file = "m" };
	struct tl_lqn_simulate_in in = { .lqn = &r->lqn, .seed = seed, .confidence = 0.95,
					 .steps_max = steps };

	*r = (struct result){ .code = -1 };
	if (tl_lqn_parse(&r->lqn, text, strlen(text), false, &faults))
		printf("# %s\n", faults.fault[0]);
	else
		r->code = tl_lqn_simulate(&in, &r->out);
	tl_faults_free(&faults);
}

static void result_free(struct result *r)
{
	tl_lqn_simulated_free(&r->out);
	tl_lqn_free(&r->lqn);
}

static bool near(double got, double want)
{
	return fabs(got - want) <= 1e-9 * fmax(1, fabs(want));
}

/* But for what the ends of batches cut off. */
static bool close_to(double got, double want)
{
	return fabs(got - want) <= 1e-5 * fmax(1, fabs(want));
}

struct wanted {
	const char *name, *text;
	double cycle_s; /* of the first task, which has one customer or more */
	double service_s[4][TL_LQN_PHASES], waiting_s[4]; /* of entries from the second on */
};

#define CUSTOMER(n, more) \
	"P 0\np out i\np p1 f\np p2 s\n-1\nT 0\nt U r u -1 out m " n "\n" more "-1\nE 0\nf u 1 1 -1\n"

static const struct wanted exact[] = {
	{ "a call on a processor of its own", CUSTOMER("1", "t A n a -1 p1\n")
	  "s u 1 -1\nc u 0 -1\ny u a 1 -1\ns a 2 -1\nc a 0 -1\n-1\n",
	  3, { { 2, 0 } }, { 0 } },
	{ "a faster processor", "P 0\np out i R 4\n-1\nT 0\nt U r u -1 out\n-1\n"
	  "E 0\ns u 1 -1\nc u 0 -1\n-1\n", 0.25, { { 0, 0 } }, { 0 } },
	{ "two customers of one thread", CUSTOMER("2", "t A n a -1 p1\n")
	  "y u a 1 -1\ns a 2 -1\nc a 0 -1\n-1\n", 4, { { 2, 0 } }, { 2 } },
	{ "two threads, one processor first come first served", CUSTOMER("2", "t A n a -1 p1 m 2\n")
	  "y u a 1 -1\ns a 2 -1\nc a 0 -1\n-1\n", 4, { { 4, 0 } }, { 0 } },
	{ "two threads, one shared processor", CUSTOMER("2", "t A n a -1 p2 m 2\n")
	  "y u a 1 -1\ns a 2 -1\nc a 0 -1\n-1\n", 4, { { 4, 0 } }, { 0 } },
	{ "a second phase is not waited for", CUSTOMER("1", "t A n a -1 p1\n")
	  "s u 3 -1\nc u 0 -1\ny u a 1 -1\ns a 1 1 -1\nc a 0 0 -1\n-1\n",
	  4, { { 1, 1 } }, { 0 } },
	{ "but by the next request", CUSTOMER("1", "t A n a -1 p1\n")
	  "y u a 1 -1\ns a 1 2 -1\nc a 0 0 -1\n-1\n", 3, { { 1, 2 } }, { 2 } },
	{ "a second phase of a customer", CUSTOMER("1", "t A n a -1 p1\n")
	  "s u 1 2 -1\nc u 0 0 -1\ny u a 0 2 -1\ns a 0.5 -1\nc a 0 -1\n-1\n",
	  4, { { 0.5, 0 } }, { 0 } },
	{ "nobody waits for an asynchronous call", CUSTOMER("1", "t A n a -1 p1\n")
	  "s u 4 -1\nc u 0 -1\nz u a 1 -1\ns a 3 -1\nc a 0 -1\n-1\n",
	  4, { { 3, 0 } }, { 0 } },
	/* Slices of 1/3; the second call waits from 2.67 to 3.33, the first of the next cycle
	 * from 6 to 6.33. */
	{ "a call that waits for the second phase of the last", CUSTOMER("1", "t A n a -1 p1\n")
	  "s u 1 -1\nc u 0 -1\ny u a 2 -1\ns a 2 1 -1\nc a 0 0 -1\n-1\n",
	  6, { { 2, 1 } }, { 0.5 } },
	{ "threads are held through calls", CUSTOMER("2", "t A n a -1 out\nt B n b -1 out m 2\n")
	  "y u a 1 -1\nf a 1 -1\ny a b 1 -1\ns b 1 -1\nc b 0 -1\n-1\n",
	  2, { { 1, 0 }, { 1, 0 } }, { 1, 0 } },
	{ "who forwards is free, who waits is not", CUSTOMER("1", "t A n a -1 out\nt B n b -1 out\n")
	  "y u a 1 -1\ns a 1 -1\nc a 0 -1\nF a b 1 -1\ns b 2 -1\nc b 0 -1\n-1\n",
	  3, { { 1, 0 }, { 2, 0 } }, { 0, 0 } },
};

static void test_exact(const struct wanted *w)
{
	const struct tl_lqn_solution *s;
	struct result r;
	size_t e, p;
	bool good;

	simulate(&r, w->text, 1, 2000000);
	s = &r.out.solution;
	if (r.code) {
		ok(false, "%s: %d", w->name, r.code);
		result_free(&r);
		return;
	}
	good = s->verdict == TL_LQN_OK && close_to(s->value.task[0].response_s, w->cycle_s) &&
	       close_to(s->value.task[0].throughput_per_s, r.lqn.task[0].threads / w->cycle_s);
	for (e = 1; good && e < r.lqn.entries; e++) {
		good = close_to(s->value.entry[e].waiting_s, w->waiting_s[e - 1]);
		for (p = 0; p < TL_LQN_PHASES; p++)
			good = good && close_to(s->value.entry[e].service_s[p], w->service_s[e - 1][p]);
	}
	if (!ok(good, "%s", w->name)) {
		printf("# verdict %d, cycle %.12g\n", s->verdict, s->value.task[0].response_s);
		for (e = 1; e < r.lqn.entries; e++)
			printf("# %s: %.12g %.12g %.12g\n", r.lqn.entry[e].name,
			       s->value.entry[e].waiting_s, s->value.entry[e].service_s[0],
			       s->value.entry[e].service_s[1]);
	}
	ok(s->checks.little < 1e-3 && s->checks.utilisation < 1e-3 && s->checks.flow < 1e-3,
	   "%s: checks %.2g %.2g %.2g", w->name, s->checks.little, s->checks.utilisation,
	   s->checks.flow);
	result_free(&r);
}

/* ---- verdicts ------------------------------------------------------------------- */

static const struct {
	const char *name, *text;
	enum tl_lqn_verdict verdict;
	const char *culprit; /* name of a processor or task */
	double offered;
} verdicts[] = {
	{ "arrivals for more than a processor has",
	  "P 0\np x f m 2\n-1\nT 0\nt S n s -1 x i\n-1\nE 0\na s 3\ns s 1 -1\n-1\n",
	  TL_LQN_SATURATED, "x", 1.5 },
	{ "just as much as it has",
	  "P 0\np x s R 2\n-1\nT 0\nt S n s -1 x i\n-1\nE 0\na s 2\ns s 0.5 0.5 -1\n-1\n",
	  TL_LQN_SATURATED, "x", 1 },
	{ "arrivals for more threads than there are, held by calls that are forwarded",
	  "P 0\np x i\n-1\nT 0\nt S n s -1 x m 3\nt A n a -1 x i\nt B n b -1 x i\n-1\n"
	  "E 0\na s 1\ns s 0.5 -1\ny s a 2 -1\ns a 1 -1\nF a b 0.5 -1\ns b 1 -1\n-1\n",
	  TL_LQN_TASK_SATURATED, "S", 3.5 / 3 },
	{ "calls without reply of customers for more than there is",
	  "P 0\np x f\n-1\nT 0\nt U r u -1 x z 1 m 2\nt L n l -1 x i\n-1\n"
	  "E 0\nz u l 1 -1\ns l 2 -1\n-1\n", TL_LQN_UNSTABLE, "L", 0 },
	{ "one thread whose requests wait for others' below, for too long",
	  "P 0\np c i\np d f\n-1\nT 0\nt A n a -1 c\nt D n d1 -1 d\nt X n x -1 c m 5\n-1\n"
	  "E 0\na a 0.49\na x 0.49\ns a 0.2 -1\ny a d1 1 -1\ns x 0.1 -1\ny x d1 1 -1\ns d1 1 -1\n-1\n",
	  TL_LQN_UNSTABLE, "A", 0 },
	{ "threads that wait for each other",
	  "P 0\np c i\n-1\nT 0\nt U r u -1 c z 1 m 4\nt A n a b -1 c\n-1\n"
	  "E 0\ny u a 1 -1\ns a 1 -1\ny a b 1 -1\ns b 1 -1\n-1\n", TL_LQN_STUCK, "A", 0 },
	{ "the same beside customers who go on",
	  "P 0\np c i\n-1\nT 0\nt U r u -1 c z 1 m 4\nt A n a b -1 c\nt V r v -1 c z 1\n-1\n"
	  "E 0\ny u a 1 -1\ns a 1 -1\ny a b 1 -1\ns b 1 -1\ns v 1 -1\n-1\n", TL_LQN_STUCK, "U", 0 },
	{ "a customer who thinks for longer than anybody waits",
	  "P 0\np c i\n-1\nT 0\nt U r u -1 c z 1e12\nt V r v -1 c z 1\n-1\nE 0\ns u 1 -1\ns v 1 -1\n-1\n",
	  TL_LQN_TOO_SHORT, NULL, 0 },
};

static void test_verdict(size_t i)
{
	const struct tl_lqn_solution *s;
	const char *culprit = "";
	struct result r;

	simulate(&r, verdicts[i].text, 1, 3000000);
	s = &r.out.solution;
	if (s->verdict == TL_LQN_SATURATED)
		culprit = r.lqn.processor[s->culprit].name;
	else if (!r.code)
		culprit = r.lqn.task[s->culprit].name;
	ok(!r.code && s->verdict == verdicts[i].verdict && near(s->offered, verdicts[i].offered) &&
	   (!verdicts[i].culprit || !strcmp(culprit, verdicts[i].culprit)) &&
	   !(s->value.entry[0].throughput_per_s > 0),
	   "%s: verdict %d, %s, %g, and no figures", verdicts[i].name, s->verdict, culprit,
	   s->offered);
	result_free(&r);
}

static const char chance[] =
	"P 0\np out i\np cpu s m 2\np db f\n-1\nT 0\nt U r u -1 out z 1 m 20\nt W n w -1 cpu m 8\n"
	"t D n d -1 db m 2\n-1\nE 0\ny u w 1 -1\ns w 0.05 0.01 -1\nc w 3 0.5 -1\ny w d 2 -1\n"
	"s d 0.01 -1\n-1\n";

static void test_seeds(void)
{
	struct result a, b, c;
	double x[3];

	simulate(&a, chance, 1, 500000);
	simulate(&b, chance, 1, 500000);
	simulate(&c, chance, 2, 500000);
	x[0] = a.out.solution.value.task[0].response_s;
	x[1] = b.out.solution.value.task[0].response_s;
	x[2] = c.out.solution.value.task[0].response_s;
	ok(a.out.steps >= 500000 && a.out.steps < 520000, "steps are no more than wanted");
	ok(x[0] == x[1], "the same seed gives the same");
	ok(x[0] != x[2] && fabs(x[0] - x[2]) < 0.1 * x[0], "another one something near");
	result_free(&a);
	result_free(&b);
	result_free(&c);
}

/* A time is kept to; a precision is reached, and not by far more than it takes. */
static void test_length(void)
{
	struct tl_faults faults = { .file = "m" };
	struct tl_lqn lqn = { 0 };
	struct tl_lqn_simulate_in in = { .lqn = &lqn, .confidence = 0.95, .steps_max = 20000000,
					 .time_s = 500 };
	struct tl_lqn_simulate_out out;
	double wide;
	int code;

	ok(!tl_lqn_parse(&lqn, chance, strlen(chance), false, &faults), "a network");
	code = tl_lqn_simulate(&in, &out);
	ok(!code && near(out.time_s, 500), "for 500 s: %.9g", out.time_s);
	wide = out.solution.residual;
	tl_lqn_simulated_free(&out);
	in.time_s = 0;
	in.precision = 0.02;
	code = tl_lqn_simulate(&in, &out);
	ok(!code && out.solution.verdict == TL_LQN_OK && out.solution.residual <= 0.02 &&
	   out.solution.residual > 0.002, "until it is precise: %.3g", out.solution.residual);
	tl_lqn_simulated_free(&out);
	in.confidence = 0.999;
	in.precision = 0;
	in.time_s = 500;
	code = tl_lqn_simulate(&in, &out);
	ok(!code && near(out.solution.residual, wide * out.factor) && out.factor > 1.6 &&
	   out.factor < 1.9, "99.9 %%: %.3g times as wide", out.factor);
	tl_lqn_simulated_free(&out);
	tl_lqn_free(&lqn);
	tl_faults_free(&faults);
}

/* ---- batches ----------------------------------------------------------------------- */

static void test_batches(void)
{
	/* Student's t of 9 degrees of freedom is 2.262157; the deviation of 1 … 10 is 3.02765. */
	double x[10], one[10], want = 2.262157163 * 3.027650354 / sqrt(10);
	struct tl_batch_estimate estimate;
	struct tl_batches b;
	size_t i;

	tl_batches_new(&b, 1, 1);
	for (i = 0; i < 10; i++) {
		x[i] = (double)(i + 1);
		one[i] = 1;
		tl_batches_row(&b)[0] = x[i];
		tl_batches_next(&b);
	}
	tl_batches_ratio(&b, x, one, &estimate);
	ok(near(estimate.value, 5.5) && fabs(estimate.half95 - want) < 1e-6,
	   "ten batches: %g ± %.7g", estimate.value, estimate.half95);
	tl_batches_ratio(&b, x, x, &estimate);
	ok(near(estimate.value, 1) && estimate.half95 < 1e-12, "a ratio that is the same in each");
	for (; i < TL_BATCHES_MAX; i++) {
		tl_batches_row(&b)[0] = (double)(i + 1);
		tl_batches_next(&b);
	}
	tl_batches_join(&b);
	ok(b.n == TL_BATCHES_MAX / 2 && b.length_s == 2 && b.sum[0] == 3 &&
	   b.sum[b.n - 1] == 2 * TL_BATCHES_MAX - 1 && tl_batches_row(&b)[0] == 0,
	   "two become one");
	for (i = 0; i < b.n; i++)
		b.sum[i] = i < 11 ? 0 : 10 + (double)(i % 2);
	ok(tl_batches_warm(&b, 0) == 12, "a beginning that is different is left out");
	for (i = 0; i < 11; i++)
		b.sum[i] = 10 + (double)(i % 2);
	ok(tl_batches_warm(&b, 0) == 4, "an eighth if none is");
	tl_batches_free(&b);
}

int main(void)
{
	size_t i;

	gsl_set_error_handler_off();
	for (i = 0; i < sizeof(exact) / sizeof(*exact); i++)
		test_exact(&exact[i]);
	for (i = 0; i < sizeof(verdicts) / sizeof(*verdicts); i++)
		test_verdict(i);
	test_seeds();
	test_length();
	test_batches();
	return done();
}
