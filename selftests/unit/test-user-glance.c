// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes that suddenly cost too much, and who lowers levels when: at a glance, or a quiet time after the window's end.
 * Each window of a second may cost a hundredth of one.
 */
#include "tap.h"

#include "daemon/glance.h"

#include <math.h>

#define STEP_NS 1000000ULL
#define LENGTH_NS 1000000000ULL
#define BUDGET 0.01
#define WINDOWS 6

static const struct tl_window quarter = { .length_ns = LENGTH_NS, .quiet_ns = LENGTH_NS / 4 };

struct scene {
	double times; /* the budget */
	u64 from_ns; /* that they begin to cost so much */
	unsigned int glances;
	bool functions;
	unsigned int late_ms; /* wakes up so much too late */
};

struct outcome {
	unsigned int over, over_twice, hurried;
	double most, ahead;
};

static struct tl_adapt_cost cost_of(double spent_s, bool functions)
{
	struct tl_adapt_cost cost = { .known = true, .function_trap_s = 1e-6 };

	if (functions) {
		cost.function_s = spent_s / 2;
		cost.function_hits = spent_s / 2 / cost.function_trap_s;
	} else {
		cost.hook_s = spent_s;
	}
	return cost;
}

/* Nobody wakes up exactly when he wants to. */
static bool wakes(const struct scene *scene, u64 into_ns)
{
	u64 every = scene->glances ? LENGTH_NS / scene->glances : 0, late = scene->late_ms * STEP_NS;

	return every && into_ns % every == late % every;
}

static struct outcome play(const struct scene *scene)
{
	struct tl_glance glance = { 0 };
	struct outcome outcome = { 0 };
	double spent = 5, window = 0, rate;
	bool off = false, decided = false, was_over = false, over;
	u64 now;

	for (now = 0; now < WINDOWS * LENGTH_NS; now += STEP_NS) {
		u64 into = now % LENGTH_NS;
		struct tl_window here = quarter;
		struct tl_adapt_cost total = cost_of(spent, scene->functions), ahead;

		here.into_ns = into;
		if (!into && now) {
			over = window > BUDGET;
			outcome.over += over;
			outcome.over_twice += over && was_over;
			outcome.most = fmax(outcome.most, window / BUDGET);
			was_over = decided = over;
			window = 0;
		}
		if (wakes(scene, into) && tl_glance(&glance, now + LENGTH_NS / 3, &here, &total, BUDGET, &ahead)) {
			outcome.ahead = (ahead.hook_s + ahead.function_s + ahead.function_hits * ahead.function_trap_s) / BUDGET;
			outcome.hurried += !off;
			off = true;
		}
		/* When a window can be read, what is too dear goes. */
		if (into == here.quiet_ns + 10 * STEP_NS && decided)
			off = true;
		rate = off || now < scene->from_ns ? 0.001 : scene->times * BUDGET;
		spent += rate * (double)STEP_NS / 1e9;
		window += rate * (double)STEP_NS / 1e9;
	}
	return outcome;
}

static void test_all(void)
{
	unsigned int twice = 0, blind = 0, hasty = 0, needless = 0, runs = 0, functions, late;
	double times;
	struct outcome o;
	u64 from_ms;

	for (times = 0.5; times < 30; times *= 1.11)
		for (from_ms = 1000; from_ms < 2000; from_ms += 37)
			for (functions = 0; functions < 2; functions++)
				for (late = 0; late < 30; late += 29) { /* ms: 30 times as much cost a budget meanwhile */
					struct scene scene = { times, from_ms * STEP_NS, 4, functions, late };

					o = play(&scene);
					runs++;
					twice += o.over_twice;
					hasty += o.hurried;
					needless += o.hurried && times < 1.9;
					scene.glances = 0;
					blind += play(&scene).over_twice;
				}
	ok(!twice, "never two windows above the budget, at 0.5 to 30 times as much: %u of %u", twice, runs);
	ok(blind > runs / 10, "without glances there are: %u", blind);
	ok(hasty > runs / 10 && !needless, "nobody hurries needlessly: %u did, %u of them so", hasty, needless);
}

static void test_patient(void)
{
	struct outcome o = play(&(struct scene){ 1.5, LENGTH_NS, 4, false, 0 });

	ok(!o.hurried && o.over == 1, "a little too much can wait for the window's end");
	o = play(&(struct scene){ 8, LENGTH_NS, 4, false, 0 });
	ok(o.hurried == 1 && o.most < 2.1 && fabs(o.ahead / 8 - 1) < 0.01, "eight times is cut at the first glance: %.2f, ahead %.2f",
	   o.most, o.ahead);
}

static void test_odd(void)
{
	struct tl_adapt_cost much = cost_of(100, false), little = cost_of(1, false), ahead;
	struct tl_window here = quarter;
	struct tl_glance glance = { 0 };

	here.into_ns = 500 * STEP_NS;
	ok(!tl_glance(&glance, 1, &here, &much, BUDGET, &ahead), "what was before is not judged");
	ok(!tl_glance(&glance, LENGTH_NS / 4, &here, &little, BUDGET, &ahead) && glance.began.hook_s == 1,
	   "a module that was loaded again begins anew");
	much = cost_of(2, false);
	ok(!tl_glance(&glance, LENGTH_NS / 4 + STEP_NS, &here, &much, BUDGET, &ahead) && glance.looked.hook_s == 1,
	   "too short a time is none");
	ok(tl_glance(&glance, LENGTH_NS / 2, &here, &much, BUDGET, &ahead) && fabs(ahead.hook_s - 4) < 1e-9,
	   "but it counts the next time");
	ok(!tl_glance(&glance, LENGTH_NS, &here, &much, BUDGET, &ahead), "and no more when it is over");
}

int main(void)
{
	test_all();
	test_patient();
	test_odd();
	return done();
}
