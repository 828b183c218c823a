// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do 95 % intervals of simulated layered queueing networks contain the truth?
 *
 * Networks whose truth is known exactly, of every kind of processor and call, with
 * parameters drawn by chance: in 93 of 100 figures at least the interval must contain
 * it, of all of them and, with what chance allows for, of each kind. Half of the runs go
 * on until they are precise, half for a time. MODEL_REPEATS / 3 runs of each kind (20).
 */
#include "tap.h"

#include "lqn-exact.h"
#include "sim.h"

#include "lqn-read.h"
#include "model/lqn-simulate.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The draw of one network: its text, and what is known of it. */
#define TRUTHS 6

struct truth {
	const char *entry, *customers; /* one of them */
	char what; /* of an entry: w waiting, r waiting and phase 1, x throughput */
	double value;
};

struct draw {
	char text[4000];
	struct truth truth[TRUTHS];
	size_t truths;
};

static double between(struct sim *r, double low, double high)
{
	return low + (high - low) * sim_uniform(r);
}

static unsigned int whole(struct sim *r, unsigned int low, unsigned int high)
{
	return low + (unsigned int)((high - low + 1) * sim_uniform(r));
}

__attribute__((format(printf, 2, 3))) static void text(struct draw *d, const char *fmt, ...)
{
	size_t len = strlen(d->text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(d->text + len, sizeof(d->text) - len, fmt, args);
	va_end(args);
}

static void knows(struct draw *d, char what, const char *name, double value)
{
	struct truth truth = { what == 'R' || what == 'X' ? NULL : name,
			       what == 'R' || what == 'X' ? name : NULL, what, value };

	d->truth[d->truths++] = truth;
}

/* An open queue: arrivals at an entry of a task without limit on one processor. */
static void open_queue(struct draw *d, const char *processor, double arrivals, double demand,
		       double cv2)
{
	text(d, "P 0\np cpu %s\n-1\nT 0\nt serve n ask -1 cpu i\n-1\n", processor);
	text(d, "E 0\na ask %.17g\ns ask %.17g -1\nc ask %.17g -1\n-1\n", arrivals, demand, cv2);
}

static void mm1(struct sim *r, struct draw *d)
{
	double demand = between(r, 0.001, 10), busy = between(r, 0.2, 0.85);

	open_queue(d, "f", busy / demand, demand, 1);
	knows(d, 'r', "ask", demand / (1 - busy));
	knows(d, 'x', "ask", busy / demand);
}

static void mm_c(struct sim *r, struct draw *d)
{
	unsigned int servers = whole(r, 2, 8);
	double demand = between(r, 0.01, 1), busy = between(r, 0.3, 0.85);
	double arrivals = busy * servers / demand;
	char processor[20];

	snprintf(processor, sizeof(processor), "f m %u", servers);
	open_queue(d, processor, arrivals, demand, 1);
	knows(d, 'r', "ask", demand + exact_mm_c_wait(arrivals, demand, servers));
}

/* The same as a pool of threads that pause: the processor is not what is waited for. */
static void pool(struct sim *r, struct draw *d)
{
	unsigned int threads = whole(r, 1, 5);
	double demand = between(r, 0.01, 1), busy = between(r, 0.3, 0.8);
	double arrivals = busy * threads / demand;

	text(d, "P 0\np cpu i\n-1\nT 0\nt serve n ask -1 cpu m %u\n-1\n", threads);
	text(d, "E 0\na ask %.17g\ns ask %.17g -1\n-1\n", arrivals, demand);
	knows(d, 'w', "ask", exact_mm_c_wait(arrivals, demand, threads));
}

static void mg1(struct sim *r, struct draw *d)
{
	static const double cv2s[] = { 0, 0.25, 0.5, 2, 4 };
	double demand = between(r, 0.01, 1), busy = between(r, 0.2, 0.75);
	double cv2 = cv2s[whole(r, 0, 4)];

	open_queue(d, "f", busy / demand, demand, cv2);
	knows(d, 'r', "ask", demand + exact_mg1_wait(busy / demand, demand,
						     (1 + cv2) * demand * demand));
}

/* Sharing does not care how much service times vary. */
static void shared(struct sim *r, struct draw *d)
{
	static const double cv2s[] = { 0, 0.5, 1, 3 };
	double demand = between(r, 0.01, 1), busy = between(r, 0.2, 0.8);

	open_queue(d, "s R 0.5", 0.5 * busy / demand, demand, cv2s[whole(r, 0, 3)]);
	knows(d, 'r', "ask", 2 * demand / (1 - busy));
}

/* A thread that goes on after its reply: it is held for both phases. */
static void second_phase(struct sim *r, struct draw *d)
{
	double s1 = between(r, 0.01, 1), s2 = between(r, 0.01, 1);
	double arrivals = between(r, 0.2, 0.75) / (s1 + s2);

	text(d, "P 0\np cpu f\n-1\nT 0\nt serve n ask -1 cpu\n-1\n");
	text(d, "E 0\na ask %.17g\ns ask %.17g %.17g -1\n-1\n", arrivals, s1, s2);
	knows(d, 'w', "ask", exact_mg1_wait(arrivals, s1 + s2,
					    2 * (s1 * s1 + s2 * s2 + s1 * s2)));
}

/* Jackson: each queue as if it were alone. Calls without a reply, and forwarded ones. */
static void tandem(struct sim *r, struct draw *d)
{
	double s1 = between(r, 0.1, 0.7), s2 = between(r, 0.1, 0.7), p = between(r, 0.2, 1);

	text(d, "P 0\np a f\np b f\n-1\nT 0\nt A n ea -1 a i\nt B n eb -1 b i\n-1\n");
	text(d, "E 0\na ea 1\ns ea %.17g -1\ns eb %.17g -1\n", s1, s2);
	if (whole(r, 0, 1))
		text(d, "F ea eb %.17g -1\n", p);
	else /* at the end of the phase: its slices are more and shorter, in all the same */
		text(d, "f ea 1 -1\nz ea eb %.17g -1\n", p = 1);
	text(d, "-1\n");
	if (p < 1)
		knows(d, 'r', "ea", s1 / (1 - s1));
	knows(d, 'x', "eb", p);
}

/* Customers of one kind at a server and a delay: the machine repairman. */
static void repairman(struct sim *r, struct draw *d)
{
	struct exact_closed net = { .classes = 1, .stations = 1 };

	net.customers[0] = whole(r, 2, EXACT_CUSTOMERS);
	net.think_s[0] = between(r, 0.5, 10);
	net.servers[0] = whole(r, 1, 4);
	net.demand_s[0][0] = between(r, 0.3, 1.5) * net.servers[0] *
			     net.think_s[0] / net.customers[0];
	exact_closed(&net);
	text(d, "P 0\np cpu f m %u\np out i\n-1\n", net.servers[0]);
	text(d, "T 0\nt users r u -1 out z %.17g m %u\nt serve n ask -1 cpu i\n-1\n",
	     net.think_s[0], net.customers[0]);
	text(d, "E 0\ns u 0 -1\nf u 1 -1\ny u ask 1 -1\ns ask %.17g -1\n-1\n",
	     net.demand_s[0][0]);
	knows(d, 'X', "users", net.throughput[0]);
	knows(d, 'R', "users", net.response_s[0]);
}

/* Three tiers without a limit to threads, two kinds of customers, calls by chance. */
static void tiers(struct sim *r, struct draw *d)
{
	struct exact_closed net = { .classes = 2, .stations = 3, .servers = { 1, 1, 0 } };
	double web[2], calls[2], disk = between(r, 0.01, 0.3), db = between(r, 0.02, 0.1);
	size_t c;

	text(d, "P 0\np out i\np web s\np db f\np disk i\n-1\nT 0\n");
	for (c = 0; c < 2; c++) {
		net.customers[c] = whole(r, 1, 15);
		net.think_s[c] = between(r, 0.5, 5);
		web[c] = between(r, 0.01, 0.3);
		calls[c] = between(r, 0.2, 4);
		net.demand_s[0][c] = web[c];
		net.demand_s[1][c] = calls[c] * db;
		net.demand_s[2][c] = calls[c] * 0.5 * disk;
		text(d, "t users%zu r u%zu -1 out z %.17g m %u\n", c, c, net.think_s[c],
		     net.customers[c]);
	}
	text(d, "t Web n w0 w1 -1 web i\nt Db n q -1 db i\nt Disk n k -1 disk i\n-1\nE 0\n");
	for (c = 0; c < 2; c++)
		text(d, "f u%zu 1 -1\ny u%zu w%zu 1 -1\ns w%zu %.17g -1\ny w%zu q %.17g -1\n", c, c,
		     c, c, web[c], c, calls[c]);
	text(d, "s q %.17g -1\ny q k 0.5 -1\ns k %.17g -1\n-1\n", db, disk);
	exact_closed(&net);
	for (c = 0; c < 2; c++) {
		knows(d, 'X', c ? "users1" : "users0", net.throughput[c]);
		knows(d, 'R', c ? "users1" : "users0", net.response_s[c]);
	}
}

static const struct {
	const char *name;
	void (*draw)(struct sim *r, struct draw *d);
} kinds[] = {
	{ "M/M/1", mm1 }, { "M/M/c", mm_c }, { "M/M/c as threads", pool }, { "M/G/1", mg1 },
	{ "shared, M/G/1", shared }, { "second phases", second_phase }, { "tandem", tandem },
	{ "machine repairman", repairman }, { "three tiers, two kinds of customers", tiers },
};

static bool same(const char *a, const char *b)
{
	return a && !strcmp(a, b);
}

static bool contains(const struct tl_lqn *lqn, const struct tl_lqn_solution *s,
		     const struct truth *t)
{
	double value = 0, half = INFINITY;
	size_t i;

	for (i = 0; i < lqn->entries; i++) {
		const struct tl_lqn_entry_figures *v = &s->value.entry[i];
		const struct tl_lqn_entry_figures *h = &s->half95.entry[i];

		if (!same(t->entry, lqn->entry[i].name))
			continue;
		value = t->what == 'x' ? v->throughput_per_s :
			v->waiting_s + (t->what == 'r' ? v->service_s[0] : 0);
		half = t->what == 'x' ? h->throughput_per_s :
		       t->what == 'r' ? fmax(h->waiting_s, h->service_s[0]) : h->waiting_s;
	}
	for (i = 0; i < lqn->tasks; i++)
		if (same(t->customers, lqn->task[i].name)) {
			value = t->what == 'X' ? s->value.task[i].throughput_per_s :
						 s->value.task[i].response_s;
			half = t->what == 'X' ? s->half95.task[i].throughput_per_s :
						s->half95.task[i].response_s;
		}
	return fabs(value - t->value) <= half;
}

struct tally {
	unsigned int figures, right, converged, runs;
};

static void one(struct sim *r, size_t kind, unsigned int run, struct tally *tally)
{
	struct tl_faults faults = { .file = "drawn" };
	struct tl_lqn_simulate_out out;
	struct draw d = { .truths = 0 };
	struct tl_lqn lqn = { 0 };
	struct tl_lqn_simulate_in in = { .lqn = &lqn, .seed = 1000 * kind + run,
					 .confidence = 0.95, .steps_max = 1000000 };
	size_t i;

	kinds[kind].draw(r, &d);
	if (run % 2) {
		in.precision = 0.05;
		in.steps_max *= 20;
	}
	if (tl_lqn_parse(&lqn, d.text, strlen(d.text), false, &faults)) {
		ok(false, "%s can be read: %s", kinds[kind].name, faults.fault[0]);
	} else if (tl_lqn_simulate(&in, &out) == 0) {
		tally->runs++;
		tally->converged += out.solution.verdict == TL_LQN_OK;
		for (i = 0; i < d.truths && out.solution.verdict == TL_LQN_OK; i++) {
			bool good = contains(&lqn, &out.solution, &d.truth[i]);

			tally->figures++;
			tally->right += good;
		}
		tl_lqn_simulated_free(&out);
	}
	tl_faults_free(&faults);
	tl_lqn_free(&lqn);
}

int main(void)
{
	const char *repeats = getenv("MODEL_REPEATS");
	unsigned int runs = (repeats ? (unsigned int)atoi(repeats) : 60) / 3, i;
	struct tally all = { 0 };
	static struct sim random;
	size_t k;

	gsl_set_error_handler_off();
	for (k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		struct tally tally = { 0 };

		sim_seed(&random, 7 + k);
		for (i = 0; i < runs; i++)
			one(&random, k, i, &tally);
		all.figures += tally.figures;
		all.right += tally.right;
		ok(tally.right >= 0.95 * tally.figures - 3 * sqrt(0.0475 * tally.figures) &&
		   tally.converged >= 0.95 * tally.runs,
		   "%s: %u of %u intervals contain the truth, %u of %u runs converged",
		   kinds[k].name, tally.right, tally.figures, tally.converged, tally.runs);
	}
	ok(all.figures >= 200 && all.right >= 0.93 * all.figures,
	   "all: %u of %u intervals contain the truth (%.1f %%)", all.right, all.figures,
	   100.0 * all.right / all.figures);
	return done();
}
