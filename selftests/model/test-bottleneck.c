// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bottlenecks: networks whose bottleneck is known because they were made so, and shops in
 * which simulations tell it: more of what is named must gain more than more of anything else.
 *
 * MODEL_REPEATS from 180 on takes all 45 shops, for a minute or two.
 */
#include "tap.h"

#include "lqn-read.h"
#include "lqn-shapes.h"
#include "model/bottleneck.h"
#include "model/lqn-simulate.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct found {
	struct tl_lqn lqn;
	struct tl_bottleneck_out out;
	int code;
};

static void find(struct found *f, const char *text)
{
	struct tl_faults faults = { .file = "m" };

	*f = (struct found){ .code = -1 };
	if (!text || tl_lqn_parse(&f->lqn, text, strlen(text), false, &faults))
		printf("# %s\n", faults.faults ? faults.fault[0] : "no memory");
	else
		f->code = tl_bottleneck(&f->lqn, &f->out);
	tl_faults_free(&faults);
}

static void found_free(struct found *f)
{
	tl_bottleneck_free(&f->out);
	tl_lqn_free(&f->lqn);
}

static const char *name_of(const struct found *f, const struct tl_bottleneck_place *p)
{
	return p->pool ? f->lqn.task[p->of].name : f->lqn.processor[p->of].name;
}

/* ---- made so -------------------------------------------------------------------------- */

struct made {
	const char *what, *text;
	bool pool;
	const char *name;
	bool next_pool;
	const char *next; /* NULL: nothing */
	uint32_t least, most; /* of it, that it takes */
	double gain_least, gain_most; /* then */
};

/* Users, App with so many threads on a processor, Db likewise. */
#define TIERS(users, think, app, threads, app_s, db, db_threads, db_s, calls) \
	"P 0\np out i\np Pa " app "\np Pd " db "\n-1\nT 0\nt U r u -1 out z " think " m " users "\n" \
	"t App n a -1 Pa " threads "\nt Db n d -1 Pd " db_threads "\n-1\nE 0\nf u 1 -1\ny u a 1 -1\n" \
	"s a " app_s " -1\ny a d " calls " -1\ns d " db_s " -1\n-1\n"

static const struct made made[] = {
	/* 50 ms there, 10 ms at the next one: 5 are as fast as that */
	{ "a processor that is full", TIERS("100", "1", "s", "i", "0.01", "s", "i", "0.05", "1"),
	  false, "Pd", false, "Pa", 4, 6, 2, 5 },
	/* 4 threads, each held for 0.11 s: 36 of 100 users' requests per second */
	{ "few threads that wait for what is not busy",
	  TIERS("100", "1", "s m 4", "m 4", "0.01", "i", "i", "0.1", "1"), true, "App", false, NULL, 9,
	  16, 1, 2 },
	{ "threads that are all in use because a processor below is slow",
	  TIERS("300", "1", "s m 4", "m 10", "0.01", "s", "i", "0.05", "1"), false, "Pd", true, "App",
	  8, 10, 4, 9 },
	{ "one thread on one processor, which computes",
	  TIERS("50", "1", "s", "m 1", "0.05", "i", "i", "0.001", "1"), false, "Pa", false, NULL, 2, 8,
	  0.8, 2 },
	{ "one thread on one processor, which waits",
	  TIERS("50", "1", "s", "m 1", "0.001", "i", "i", "0.05", "1"), true, "App", false, NULL, 2, 8,
	  0.8, 2 },
	/* 2 threads of 50 ms each: 40/s; 30 above of 60 ms, 500/s, for which it takes 25 */
	{ "few threads in the lower layer, above them all in use",
	  TIERS("1000", "1", "s m 8", "m 30", "0.01", "i", "m 2", "0.05", "1"), true, "Db", true, "App",
	  22, 28, 5, 13 },
	{ "a slow processor above", TIERS("100", "1", "s", "i", "0.05", "s", "i", "0.01", "1"), false,
	  "Pa", false, "Pd", 4, 6, 2, 5 },
	{ "arrivals at a processor",
	  "P 0\np c s\np d s\n-1\nT 0\nt t n e -1 c i\nt v n f -1 d i\n-1\nE 0\na e 9\ns e 0.1 -1\n"
	  "y e f 1 -1\ns f 0.05 -1\n-1\n", false, "c", false, "d", 2, 8, 1, 20 },
};

static void test_made(const struct made *m)
{
	struct found f;
	const struct tl_bottleneck_place *first;
	bool is;

	find(&f, m->text);
	first = f.out.place;
	is = !f.code && f.out.places && f.out.solved.solution.verdict == TL_LQN_OK &&
	     first->pool == m->pool && !strcmp(name_of(&f, first), m->name) && f.out.relieved;
	ok(is, "%s: %s \"%s\", twice as many gain %.1f %%", m->what,
	   f.out.places && first->pool ? "threads of" : "processor",
	   f.out.places ? name_of(&f, first) : "", f.out.places ? 100 * first->gain : 0);
	is = is && f.out.next.known == !!m->next &&
	     (!m->next || (f.out.next.pool == m->next_pool && !strcmp(name_of(&f, &f.out.next), m->next)));
	ok(is, "%s: next %s", m->what, f.out.next.known ? name_of(&f, &f.out.next) : "nothing");
	ok(f.out.relieved >= m->least && f.out.relieved <= m->most &&
	   f.out.total_gain >= m->gain_least && f.out.total_gain <= m->gain_most,
	   "%s: with %u (%u to %u), %.1f %% more", m->what, f.out.relieved, m->least, m->most,
	   100 * f.out.total_gain);
	found_free(&f);
}

/* Busy alone names nothing. */
static void test_busy(void)
{
	struct found f;
	double use = 0;
	size_t i;

	find(&f, made[2].text);
	for (i = 0; i < f.out.places; i++)
		if (f.out.place[i].pool)
			use = f.out.place[i].utilisation;
	ok(use > 0.98 && !f.out.place[0].pool, "threads in use to %.1f %% are not it", 100 * use);
	found_free(&f);
}

/* What the waiting is must be all that there is, by Little's law: users less those that
 * think, less those that are served. */
static void test_waiting(void)
{
	struct found f;
	double sum = 0, thinking, served, x;
	size_t i;

	find(&f, made[2].text);
	for (i = 0; i < f.out.wait.n_layers; i++)
		sum += f.out.wait.layers[i];
	x = f.out.solved.solution.value.task[0].throughput_per_s;
	thinking = x * 1;
	served = x * (0.01 + 0.05);
	ok(f.out.wait.n_layers == 3 && f.out.wait.layer[0] == 0 && f.out.wait.layer[1] == 1 &&
	   f.out.wait.layer[2] == 2 && fabs(sum + thinking + served - 300) < 0.01,
	   "waiting %.3f + thinking %.3f + served %.3f are all users", sum, thinking, served);
	ok(f.out.wait.layers[1] > 60 && f.out.wait.threads[1] > 60 && f.out.wait.processor[2] > 5,
	   "it piles up above: %.1f for threads, %.1f for the processor below",
	   f.out.wait.threads[1], f.out.wait.processor[2]);
	found_free(&f);
}

/* ---- what has no steady state, and what needs no more --------------------------------- */

static void test_unstable(void)
{
	struct found f;

	find(&f, "P 0\np c s\np d s\n-1\nT 0\nt t n e -1 c i\nt v n f -1 d i\n-1\nE 0\na e 25\ns e 0.1 -1\n"
		 "y e f 1 -1\ns f 0.038 -1\n-1\n");
	ok(!f.code && f.out.solved.solution.verdict == TL_LQN_SATURATED && !f.out.place[0].pool &&
	   f.out.place[0].of == 0 && f.out.stable_from == 3 && f.out.next.known && f.out.next.of == 1,
	   "arrivals for 2.5 processors: %u are enough, next %s", f.out.stable_from,
	   f.out.next.known ? name_of(&f, &f.out.next) : "nothing");
	found_free(&f);
	find(&f, "P 0\np c i\n-1\nT 0\nt t n e -1 c m 2\n-1\nE 0\na e 35\ns e 0.1 -1\n-1\n");
	ok(!f.code && f.out.solved.solution.verdict == TL_LQN_TASK_SATURATED && f.out.place[0].pool &&
	   f.out.stable_from == 4, "arrivals for 3.5 threads: %u are enough", f.out.stable_from);
	found_free(&f);
	find(&f, "P 0\np u i\np c s\np l f\n-1\nT 0\nt r r r -1 u z 0.1 m 20\nt t n e -1 c i\n"
		 "t l n log -1 l\n-1\nE 0\ny r e 1 -1\ns e 0.01 -1\nz e log 1 -1\ns log 0.02 -1\n-1\n");
	ok(!f.code && f.out.solved.solution.verdict == TL_LQN_UNSTABLE && f.out.places &&
	   !strcmp(name_of(&f, &f.out.place[0]), "l") && f.out.stable_from > 1,
	   "what nobody waits for piles up: %s, %u are enough",
	   f.out.places ? name_of(&f, &f.out.place[0]) : "", f.out.stable_from);
	found_free(&f);
}

static void test_none(void)
{
	struct found f;

	find(&f, TIERS("1", "100", "s", "i", "0.01", "s", "i", "0.05", "1"));
	ok(!f.code && f.out.places == 2 && f.out.place[0].gain < TL_BOTTLENECK_WEAK &&
	   !f.out.relieved && f.out.wait.n_layers == 3, "one user: nothing gains, %.2g",
	   f.out.place[0].gain);
	found_free(&f);
	find(&f, TIERS("9", "1", "i", "i", "0.01", "i", "i", "0.05", "1"));
	ok(!f.code && !f.out.places, "nothing has a limit");
	found_free(&f);
}

/* ---- shops ----------------------------------------------------------------------------- */

/* A customer's response, by simulation; throughput is N / (Z + it), and less certain. */
static double response_s(const struct tl_lqn *lqn, uint64_t steps, double *half)
{
	struct tl_lqn_simulate_in in = { .lqn = lqn, .seed = 5, .confidence = 0.95,
					 .precision = 0.003, .steps_max = steps };
	struct tl_lqn_simulate_out out;
	double is = 0;

	if (!tl_lqn_simulate(&in, &out) && tl_lqn_has_figures(&out.solution)) {
		is = out.solution.value.task[0].response_s;
		*half = out.solution.half95.task[0].response_s;
	}
	tl_lqn_simulated_free(&out);
	return is;
}

struct score {
	unsigned int models, right, undecided;
};

/* More of each, simulated. @half: of the least response */
static void shop(const struct found *f, uint64_t steps, struct score *score)
{
	double least = INFINITY, least_half = 0, named = 0, named_half = 0, this, half = 0;
	size_t i, best = 0;

	for (i = 0; i < f->out.places; i++) {
		struct tl_lqn copy;

		if (!tl_lqn_copy(&copy, &f->lqn)) {
			tl_bottleneck_relieve(&copy, &f->out.place[i], 2 * f->out.place[i].count);
			this = response_s(&copy, steps, &half);
			if (this > 0 && this < least) {
				least = this;
				least_half = half;
				best = i;
			}
			if (!i) {
				named = this;
				named_half = half;
			}
		}
		tl_lqn_free(&copy);
	}
	score->models++;
	score->right += !best;
	score->undecided += best && named - least <= hypot(named_half, least_half);
	if (best)
		printf("# named %s%s, %.5f ± %.5f s; simulations: %s%s, %.5f ± %.5f s\n",
		       f->out.place[0].pool ? "threads of " : "", name_of(f, &f->out.place[0]), named,
		       named_half, f->out.place[best].pool ? "threads of " : "",
		       name_of(f, &f->out.place[best]), least, least_half);
}

static void test_shops(enum shop_kind kind, bool all)
{
	struct score score = { 0 };
	unsigned int mix, load;
	struct found f;
	char *text;

	for (mix = 0; mix < SHOP_MIXES; mix++)
		for (load = 0; load < SHOP_LOADS; load++) {
			if (!all && (mix != kind % SHOP_MIXES || load != (kind + 1) % SHOP_LOADS))
				continue;
			text = lqn_shop(mix, load, kind, 100 + mix);
			find(&f, text);
			shop(&f, all ? 4000000 : 1000000, &score);
			found_free(&f);
			free(text);
		}
	ok(score.models && score.right + score.undecided == score.models,
	   "%-5s %u shops: named as simulations do in %u, too near to tell in %u", shop_kinds[kind],
	   score.models, score.right, score.undecided);
}

int main(void)
{
	const char *repeats = getenv("MODEL_REPEATS");
	bool all = repeats && atoi(repeats) >= 180;
	enum shop_kind kind;
	size_t i;

	gsl_set_error_handler_off();
	for (i = 0; i < sizeof(made) / sizeof(*made); i++)
		test_made(&made[i]);
	test_busy();
	test_waiting();
	test_unstable();
	test_none();
	for (kind = 0; kind < SHOP_KINDS; kind++)
		test_shops(kind, all);
	return done();
}
