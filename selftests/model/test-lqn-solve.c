// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Solutions of layered queueing networks where the truth is known: product form, closed
 * forms, what has no solution; and shapes that the accuracy's test has not.
 */
#include "tap.h"

#include "lqn-exact.h"
#include "lqn-read.h"
#include "lqn-shapes.h"
#include "sim.h"
#include "model/lqn-solve.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct solved {
	struct tl_lqn lqn;
	struct tl_lqn_solve_out out;
	bool good;
};

static void solve(struct solved *s, const char *text)
{
	struct tl_faults faults = { .file = "m" };

	*s = (struct solved){ 0 };
	if (tl_lqn_parse(&s->lqn, text, strlen(text), false, &faults))
		printf("# %s\n", faults.fault[0] ? faults.fault[0] : "?");
	else
		s->good = !tl_lqn_solve(&s->lqn, &s->out);
	tl_faults_free(&faults);
}

static void solved_free(struct solved *s)
{
	tl_lqn_solution_free(&s->out.solution);
	tl_lqn_free(&s->lqn);
}

static double off(double got, double want)
{
	return fabs(got / want - 1);
}

/* ---- product form --------------------------------------------------------------- */

/* A cycle visits each station by a task without limit, the first in line. */
static char *closed_text(const struct exact_closed *net, bool fcfs)
{
	char *text = NULL;
	size_t size, c, s;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fprintf(to, "P 0\np u i\n");
	for (s = 0; s < net->stations; s++)
		fprintf(to, net->servers[s] ? "p s%zu %s m %u\n" : "p s%zu i\n", s,
			fcfs ? "f" : "s", net->servers[s]);
	fprintf(to, "-1\nT 0\n");
	for (c = 0; c < net->classes; c++)
		fprintf(to, "t c%zu r c%zu -1 u z %.17g m %u\n", c, c, net->think_s[c],
			net->customers[c]);
	for (s = 0; s < net->stations; s++) {
		fprintf(to, "t t%zu n", s);
		for (c = 0; c < net->classes; c++)
			fprintf(to, " e%zu_%zu", s, c);
		fprintf(to, " -1 s%zu i\n", s);
	}
	fprintf(to, "-1\nE 0\n");
	for (c = 0; c < net->classes; c++)
		for (s = 0; s < net->stations; s++)
			fprintf(to, "y c%zu e%zu_%zu 1 -1\ns e%zu_%zu %.17g -1\n", c, s, c, s, c,
				net->demand_s[s][c]);
	fprintf(to, "-1\n");
	fclose(to);
	return text;
}

static void closed_draw(struct sim *r, struct exact_closed *net, bool fcfs)
{
	size_t c, s;

	*net = (struct exact_closed){ .classes = 1 + (size_t)(3 * sim_uniform(r)),
				      .stations = 1 + (size_t)(4 * sim_uniform(r)) };
	for (c = 0; c < net->classes; c++) {
		net->customers[c] = 1 + (unsigned int)(7 * sim_uniform(r));
		net->think_s[c] = 2 * sim_uniform(r);
	}
	for (s = 0; s < net->stations; s++) {
		net->servers[s] = (unsigned int)(3 * sim_uniform(r));
		for (c = 0; c < net->classes; c++)
			net->demand_s[s][c] = fcfs && c ? net->demand_s[s][0] :
							  0.02 + 0.3 * sim_uniform(r);
	}
}

static double closed_off(struct sim *r, bool fcfs, double *response)
{
	struct exact_closed net;
	struct solved s;
	double most = 0;
	char *text;
	size_t c;

	closed_draw(r, &net, fcfs);
	exact_closed(&net);
	text = closed_text(&net, fcfs);
	solve(&s, text ? text : "");
	free(text);
	for (c = 0; s.good && c < net.classes; c++) {
		const struct tl_lqn_task_figures *f = &s.out.solution.value.task[c];

		most = fmax(most, off(f->throughput_per_s, net.throughput[c]));
		*response = fmax(*response, off(f->response_s, net.response_s[c]));
	}
	if (!s.good || s.out.solution.verdict != TL_LQN_OK)
		most = INFINITY;
	solved_free(&s);
	return most;
}

static void test_product_form(struct sim *r)
{
	double throughput[2] = { 0 }, response[2] = { 0 };
	unsigned int i, fcfs;

	for (fcfs = 0; fcfs < 2; fcfs++)
		for (i = 0; i < 60; i++)
			throughput[fcfs] = fmax(throughput[fcfs],
						closed_off(r, fcfs, &response[fcfs]));
	ok(throughput[0] <= 1e-6 && response[0] <= 1e-6,
	   "60 shared networks in product form: throughput off by %.2g, response by %.2g",
	   throughput[0], response[0]);
	ok(throughput[1] <= 1e-6 && response[1] <= 1e-6,
	   "60 with equal services one by one: throughput off by %.2g, response by %.2g",
	   throughput[1], response[1]);
}

/* ---- closed forms ---------------------------------------------------------------- */

#define OPEN(rate, processor, threads, service) \
	"P 0\np c " processor "\n-1\nT 0\nt t n e -1 c " threads "\n-1\nE 0\na e " rate \
	"\ns e " service " -1\n-1\n"

static void open_is(const char *text, double response_s, double bar, const char *what)
{
	struct solved s;
	double got = 0;

	solve(&s, text);
	if (s.good && s.out.solution.verdict == TL_LQN_OK)
		got = s.out.solution.value.entry[0].waiting_s +
		      s.out.solution.value.entry[0].service_s[0];
	ok(off(got, response_s) <= bar, "%s: %.6g s, off by %.2g", what, got, off(got, response_s));
	solved_free(&s);
}

static void test_open(void)
{
	double service_s = 0.1;

	open_is(OPEN("8", "s", "i", "0.1"), 0.5, 1e-6, "M/M/1, shared");
	open_is(OPEN("8", "f", "m 1", "0.1"), 0.5, 1e-6, "M/M/1 by a single thread");
	open_is(OPEN("24", "f m 3", "m 3", "0.1"),
		service_s + exact_mm_c_wait(24, service_s, 3), 1e-6, "M/M/3");
	open_is(OPEN("8", "f", "i", "0.1 -1\nc e 3"), 0.1 + exact_mg1_wait(8, 0.1, 0.04), 1e-3,
		"M/G/1, very variable");
	open_is(OPEN("8", "f", "i", "0.1 -1\nc e 0.5"), 0.1 + exact_mg1_wait(8, 0.1, 0.015), 1e-3,
		"M/G/1, hardly variable");
	open_is(OPEN("20", "i", "m 3", "0.1"),
		service_s + exact_mm_c_wait(20, service_s, 3), 1e-6,
		"threads that are a limit, where nothing else is");
}

/*
 * Customers at a shared processor of which arrivals ask for the part @part are as slow as
 * at one that is slower by 1 - @part, and nobody else at it.
 */
static void test_beside_arrivals(double part)
{
	struct exact_closed net = { .classes = 1, .stations = 1, .customers = { 5 },
				    .servers = { 1 }, .think_s = { 1 } };
	char text[300];
	struct solved s;
	double got;

	net.demand_s[0][0] = 0.1 / (1 - part);
	exact_closed(&net);
	snprintf(text, sizeof(text), "P 0\np u i\np c s\n-1\nT 0\nt r r r -1 u z 1 m 5\n"
		 "t t n e a -1 c i\n-1\nE 0\ny r e 1 -1\ns e 0.1 -1\na a %.17g\ns a 0.1 -1\n-1\n",
		 10 * part);
	solve(&s, text);
	got = s.good && s.out.solution.verdict == TL_LQN_OK ?
	      s.out.solution.value.task[0].throughput_per_s : 0;
	ok(off(got, net.throughput[0]) <= 1e-6, "beside arrivals of %g: throughput %.6g, off by %.2g",
	   part, got, off(got, net.throughput[0]));
	solved_free(&s);
}

/* ---- what has no solution ---------------------------------------------------------- */

static void verdict_is(const char *text, enum tl_lqn_verdict a, enum tl_lqn_verdict b,
		       const char *what)
{
	struct solved s;

	solve(&s, text);
	ok(s.good && (s.out.solution.verdict == a || s.out.solution.verdict == b),
	   "%s (verdict %d)", what, s.out.solution.verdict);
	solved_free(&s);
}

static void test_verdicts(void)
{
	verdict_is(OPEN("10.1", "s", "i", "0.1"), TL_LQN_SATURATED, TL_LQN_SATURATED,
		   "a processor that is asked for more than it has");
	verdict_is(OPEN("31", "i", "m 3", "0.1"), TL_LQN_TASK_SATURATED, TL_LQN_TASK_SATURATED,
		   "threads that are");
	verdict_is("P 0\np u i\np c s\np l f\n-1\nT 0\nt r r r -1 u z 0.1 m 20\n"
		   "t t n e -1 c i\nt l n log -1 l\n-1\nE 0\ny r e 1 -1\ns e 0.01 -1\nz e log 1 -1\n"
		   "s log 0.02 -1\n-1\n", TL_LQN_UNSTABLE, TL_LQN_UNSTABLE,
		   "asynchronous calls that pile up, made by customers");
	/* Without waiting, customers would ask for nine times what there is. */
	verdict_is("P 0\np u i\np c f\np d s\n-1\nT 0\nt A r a -1 u z 0.9 m 28\n"
		   "t B r b -1 u z 1.6 m 6\nt t n x y -1 c m 4\nt v n v -1 c i\n-1\nE 0\n"
		   "y a x 2 -1\ny b y 2 -1\ns x 0.01 -1\ny x v 2 -1\ns y 0.01 -1\nz y v 0.5 -1\n"
		   "s v 0.025 -1\n-1\n", TL_LQN_OK, TL_LQN_OK,
		   "customers who wait, however many, are no reason to say so");
}

/* ---- shapes ----------------------------------------------------------------------- */

static bool sound(double figure)
{
	return isfinite(figure) && figure >= 0;
}

static bool all_sound(const struct solved *s)
{
	const struct tl_lqn_figures *v = &s->out.solution.value;
	bool good = true;
	size_t i;

	for (i = 0; i < s->lqn.entries; i++)
		good = good && sound(v->entry[i].throughput_per_s) &&
		       sound(v->entry[i].waiting_s) && sound(v->entry[i].service_s[0]) &&
		       sound(v->entry[i].service_s[1]) && sound(v->entry[i].utilisation);
	for (i = 0; i < s->lqn.processors; i++)
		good = good && sound(v->processor[i]) &&
		       (s->lqn.processor[i].servers == TL_LQN_UNLIMITED ||
			v->processor[i] <= 1 + 1e-4);
	return good;
}

struct shape {
	const char *what, *text;
	double throughput_per_s, response_s; /* of the first task: simulated, within 0.3 % */
	double bar;
};

static const struct shape shapes[] = {
	{ "second phases, two kinds of customers, small pools",
	  "P 0\np U i\np c1 s\np c2 s\n-1\nT 0\nt A r a -1 U z 1 m 10\nt B r b -1 U z 1 m 4\n"
	  "t web n wa wb -1 c1 m 5\nt db n d1 d2 -1 c2 m 3\n-1\nE 0\ny a wa 1 -1\ny b wb 2 -1\n"
	  "s wa 0.02 0.01 -1\ny wa d1 2 -1\ns wb 0.01 -1\ny wb d2 1 -1\ns d1 0.01 0.01 -1\n"
	  "s d2 0.03 -1\n-1\n", 9.160, 0.0917, 0.05 },
	{ "arrivals, forwarding, several servers",
	  "P 0\np U i\np c1 s\np c2 s m 2\np c3 f\n-1\nT 0\nt A r a -1 U z 1 m 10\n"
	  "t web n wa wb -1 c1 m 5\nt db n d1 d2 -1 c2 m 3\nt f n ff -1 c3 m 2\n-1\nE 0\n"
	  "y a wa 1 -1\na wb 6\ns wa 0.03 -1\ny wa d1 2 -1\ns wb 0.01 -1\ny wb d2 1 -1\n"
	  "s d1 0.02 -1\ns d2 0.03 -1\nF d2 ff 0.5 -1\ns ff 0.1 -1\n-1\n", 9.206, 0.0867, 0.03 },
	{ "two kinds of customers, small pools",
	  "P 0\np U i\np c1 s\np c2 s\n-1\nT 0\nt A r a -1 U z 1 m 10\nt B r b -1 U z 0.3 m 4\n"
	  "t web n wa wb -1 c1 m 5\nt db n d1 d2 -1 c2 m 3\n-1\nE 0\ny a wa 1 -1\ny b wb 2 -1\n"
	  "s wa 0.03 -1\ny wa d1 2 -1\ns wb 0.01 -1\ny wb d2 1 -1\ns d1 0.02 -1\ns d2 0.03 -1\n"
	  "-1\n", 8.456, 0.1831, 0.03 },
};

static void test_shape(const struct shape *shape)
{
	const struct tl_lqn_task_figures *f;
	struct solved s;

	solve(&s, shape->text);
	f = s.good ? &s.out.solution.value.task[0] : NULL;
	ok(f && s.out.solution.verdict == TL_LQN_OK && all_sound(&s) &&
	   off(f->throughput_per_s, shape->throughput_per_s) <= shape->bar &&
	   off(f->response_s, shape->response_s) <= shape->bar,
	   "%s: %.4g/s, %.4g s; simulated %.4g/s, %.4g s", shape->what,
	   f ? f->throughput_per_s : 0, f ? f->response_s : 0, shape->throughput_per_s,
	   shape->response_s);
	solved_free(&s);
}

/* Entries are reached or not, with time or without: nothing is divided by nothing. */
static void test_nothing(void)
{
	struct solved s;

	solve(&s, "P 0\np U i\np c f\n-1\nT 0\nt A r a -1 U z 1 m 10\nt b n b b2 -1 c m 2\n"
		  "t d n d -1 c m 3\n-1\nE 0\ny a b 1 -1\ns b 0 -1\ny b d 0.5 -1\ns d 0 -1\n"
		  "s b2 1 -1\n-1\n");
	ok(s.good && s.out.solution.verdict == TL_LQN_OK && all_sound(&s) &&
	   off(s.out.solution.value.task[0].throughput_per_s, 10) < 1e-9,
	   "tasks that need no time, entries that nobody calls");
	solved_free(&s);
}

static void test_shops(void)
{
	unsigned int i, bad = 0;
	struct solved s;
	char *text;

	for (i = 0; i < SHOP_MIXES * SHOP_LOADS * SHOP_KINDS; i++) {
		text = lqn_shop(i % 3, i / 3 % 3, i / 9, 200 + i);
		solve(&s, text ? text : "");
		free(text);
		bad += !s.good || s.out.solution.verdict != TL_LQN_OK || !all_sound(&s) ||
		       s.out.solution.checks.little > 1e-4 ||
		       s.out.solution.checks.utilisation > 1e-4 ||
		       s.out.solution.checks.flow > 1e-9;
		solved_free(&s);
	}
	is_u64(bad, 0, "laws hold of %u shops' solutions", i);
}

int main(void)
{
	static struct sim random;
	size_t i;

	gsl_set_error_handler_off();
	sim_seed(&random, 3);
	test_product_form(&random);
	test_open();
	test_beside_arrivals(0.5);
	test_beside_arrivals(0.95);
	test_beside_arrivals(0.999);
	test_verdicts();
	for (i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		test_shape(&shapes[i]);
	test_nothing();
	test_shops();
	return done();
}
