// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The adaptor against made-up services, of which it is known what is wrong with them and when
 *
 * What it goes by was chosen on other seeds than those here.
 */
#include "tap.h"

#include "adapt-world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 90000

struct run {
	struct world w;
	struct tl_adapt *adapt;
	struct tl_adapt_out out;
	unsigned int changes, over, over_twice, raised_wrong, why[TL_ADAPT_WHYS], hot;
	unsigned int findings;
	bool failed, found, raised, unsound;
	double extra_s, in_s, first_in_s, last_share;
};

static void begin(struct run *r, enum shape shape, double requests, uint64_t seed, const struct tl_adapt_options *options)
{
	struct tl_adapt_options own;

	memset(r, 0, sizeof(*r));
	world_init(&r->w, shape, requests, SEED + seed);
	tl_adapt_defaults(&own);
	r->adapt = tl_adapt_new(options ? options : &own);
}

static void end(struct run *r)
{
	tl_adapt_free(r->adapt);
}

static bool sound(const struct tl_adapt_out *out)
{
	size_t i;

	for (i = 0; i < out->decisions; i++)
		if (!isfinite(out->decision[i].evidence.z + out->decision[i].evidence.ratio + out->decision[i].share +
			      out->decision[i].evidence.base_s))
			return false;
	for (i = 0; i < out->findings; i++)
		if (!isfinite(out->finding[i].extra_s + out->finding[i].in_s + out->finding[i].more_s +
			      out->finding[i].cpu_s))
			return false;
	return isfinite(out->share);
}

static void look(struct run *r)
{
	size_t i;

	for (i = 0; i < r->out.decisions; i++) {
		const struct tl_adapt_decision *d = &r->out.decision[i];

		r->changes += d->from != d->to;
		r->why[d->why]++;
		r->hot += d->function != TL_ADAPT_NONE;
		if (d->to == TL_AT_METHOD && d->from < d->to) {
			r->raised |= d->tier == r->w.tier;
			r->raised_wrong += d->tier != r->w.tier;
		}
	}
	for (i = 0; i < r->out.findings; i++) {
		const struct tl_adapt_finding *f = &r->out.finding[i];

		if (f->function != r->w.tier * FUNCTIONS + FAULTY)
			continue;
		r->found = true;
		if (!r->findings++)
			r->first_in_s = f->in_s;
		r->extra_s = f->extra_s;
		r->in_s = f->in_s;
	}
	r->unsound |= !sound(&r->out);
}

/* One window; levels are obeyed from the next one on. */
static void window(struct run *r)
{
	const struct tl_adapt_in *in = world_window(&r->w);

	r->over_twice += r->w.share > 0.01 && r->last_share > 0.01;
	r->over += r->w.share > 0.01;
	r->last_share = r->w.share;
	if (tl_adapt_step(r->adapt, in, &r->out))
		r->failed = true;
	look(r);
	world_obey(&r->w, &r->out);
}

static void windows(struct run *r, unsigned int n)
{
	while (n--)
		window(r);
}

static bool rests(const struct run *r, enum tl_at level)
{
	size_t i;

	for (i = 0; i < TIERS; i++)
		if (r->w.level[i] != level)
			return false;
	return true;
}

/* Windows until a level is reached, at most @most; 0 if it is not. */
static unsigned int until(struct run *r, size_t tier, enum tl_at level, unsigned int most)
{
	unsigned int n;

	for (n = 1; n <= most; n++) {
		window(r);
		if (tier < TIERS ? r->w.level[tier] == level : rests(r, level))
			return n;
	}
	return 0;
}

/* ---- all is well ------------------------------------------------------------------------- */

static void test_healthy(void)
{
	static const double counts[] = { 1, 20, 100 };
	unsigned int worst, all, seed, c;
	enum shape shape;
	struct run r;

	for (shape = 0; shape < SHAPES; shape++)
		for (c = 0; c < 3; c++) {
			for (worst = all = 0, seed = 0; seed < 2; seed++) {
				begin(&r, shape, counts[c], 1000 + 100 * shape + 10 * c + seed, NULL);
				r.w.swing = 1;
				r.w.period = 3600;
				r.w.noise = 0.05;
				windows(&r, 3600);
				worst = r.changes > worst ? r.changes : worst;
				all += r.changes + 1000 * (r.failed || r.unsound);
				end(&r);
			}
			ok(worst <= 36 && all <= 24, "%s, %g requests a window, load that doubles: %u changes in 2 x 3600 windows",
			   shape_names[shape], counts[c], all);
		}
}

/* ---- faults -------------------------------------------------------------------------------- */

struct score {
	unsigned int fast, right, back, found, wrong;
};

static void fault(struct score *s, enum shape shape, double requests, double times, double timeouts, unsigned int seed)
{
	unsigned int after, back;
	struct run r;

	begin(&r, shape, requests, 5000 + seed, NULL);
	r.w.noise = 0.03;
	r.w.tier = seed % TIERS;
	windows(&r, 200);
	r.w.times = times;
	r.w.timeouts = timeouts;
	after = until(&r, r.w.tier, TL_AT_METHOD, 20);
	s->fast += after && after <= 2;
	s->right += r.raised;
	s->wrong += r.raised_wrong;
	windows(&r, 20);
	s->found += r.found;
	r.w.times = 1;
	r.w.timeouts = 0;
	back = until(&r, TIERS, TL_AT_SERVER, 20);
	s->back += back && back <= 5;
	s->wrong += 100 * (r.failed || r.unsound);
	end(&r);
}

#define TRIALS 20

static void test_fault(enum shape shape, double requests, double times, double timeouts, const char *name)
{
	struct score s = { 0 };
	unsigned int i;

	for (i = 0; i < TRIALS; i++)
		fault(&s, shape, requests, times, timeouts, i);
	ok(s.fast >= TRIALS - 1 && s.right >= TRIALS - 1, "%s, %g requests a window, %s: at method in two windows, %u of %d",
	   shape_names[shape], requests, name, s.fast, TRIALS);
	ok(s.wrong <= 1, "  and no other tier (%u)", s.wrong);
	ok(s.found >= TRIALS - 1, "  and the function is named (%u)", s.found);
	ok(s.back >= TRIALS - 2, "  and back five windows after it is over (%u)", s.back);
}

static void test_faults(void)
{
	test_fault(LOGNORMAL_HALF, 20, 2, 0, "twice as slow");
	test_fault(LOGNORMAL_HALF, 200, 1.3, 0, "30 % slower");
	test_fault(EXPONENTIAL, 100, 2, 0, "twice as slow");
	test_fault(EXPONENTIAL, 20, 10, 0, "ten times as slow");
	test_fault(LOGNORMAL_2, 300, 2, 0, "twice as slow");
	test_fault(LOGNORMAL_2, 50, 10, 0, "ten times as slow");
	test_fault(PARETO, 20, 10, 0, "ten times as slow");
	test_fault(LOGNORMAL_1, 20, 1, 0.3, "timeouts");
	test_fault(PARETO, 100, 1, 0.2, "timeouts");
}

static void test_finding(void)
{
	struct run r;

	begin(&r, LOGNORMAL_HALF, 50, 1, NULL);
	r.w.tier = 1;
	windows(&r, 100);
	r.w.times = 11;
	windows(&r, 10);
	ok(r.found && fabs(r.extra_s - 0.02) < 0.003, "ten times 2 ms extra are found: %.1f ms", 1e3 * r.extra_s);
	ok(r.in_s > 0.8 * r.extra_s && r.in_s < 1.1 * r.extra_s, "and most of it in one function: %.1f ms", 1e3 * r.in_s);
	end(&r);
}

/* Calls that began before they were looked at are missing at first: what is told last has them. */
static void test_late(void)
{
	unsigned int again = 0, right = 0, same = 0, dropped = 0, seed;
	struct run r;

	for (seed = 0; seed < TRIALS; seed++) {
		begin(&r, LOGNORMAL_HALF, 50, 40 + seed, NULL);
		r.w.tier = 1;
		r.w.late = 0.4;
		windows(&r, 100);
		r.w.times = 11;
		windows(&r, 40);
		again += r.findings == 2 && r.first_in_s < 0.88 * r.extra_s;
		right += r.in_s > 0.9 * r.extra_s && r.in_s < 1.1 * r.extra_s && fabs(r.extra_s - 0.02) < 0.004;
		end(&r);
		begin(&r, LOGNORMAL_HALF, 50, 40 + seed, NULL);
		r.w.tier = 1;
		windows(&r, 100);
		r.w.times = 11;
		windows(&r, 40);
		same += r.findings == 1 && r.in_s > 0.9 * r.extra_s;
		r.w.dropped[1][FAULTY] = true;
		windows(&r, 100);
		dropped += r.findings == 1;
		end(&r);
	}
	ok(again >= TRIALS - 1, "four of ten calls are missing at first: it is told once more (%u of %d)", again, TRIALS);
	ok(right >= TRIALS - 1, "  and right then (%u)", right);
	ok(same >= TRIALS - 2, "none is missing: it is told once (%u)", same);
	ok(dropped >= same, "  and not again when it is looked at no longer (%u)", dropped);
}

/* Of one class only: the path is that of the class. */
static void test_class(void)
{
	struct run r;
	size_t i;
	bool other = false;

	begin(&r, LOGNORMAL_HALF, 50, 2, NULL);
	r.w.tier = 2;
	r.w.class = 1;
	windows(&r, 100);
	r.w.times = 5;
	for (i = 0; i < 3; i++) {
		size_t k;

		window(&r);
		for (k = 0; k < r.out.decisions; k++)
			other |= r.out.decision[k].cell % CLASSES != 1;
	}
	ok(r.raised && !other, "a fault of one class is seen on its path only");
	end(&r);
}

static void test_few(void)
{
	struct run r;
	unsigned int after;

	begin(&r, LOGNORMAL_HALF, 1, 3, NULL);
	windows(&r, 600);
	ok(!r.changes, "one request a window: nothing is said for 600 windows");
	r.w.times = 10;
	after = until(&r, 0, TL_AT_METHOD, 30);
	ok(after, "ten times as slow it is seen after %u windows", after);
	end(&r);
	begin(&r, LOGNORMAL_HALF, 2, 4, NULL);
	windows(&r, 600);
	r.w.times = 2;
	after = until(&r, 0, TL_AT_METHOD, 60);
	ok(after, "of two requests a window, twice as slow, after %u", after);
	end(&r);
}

/* ---- not up and down ------------------------------------------------------------------------- */

static void test_flapping(void)
{
	struct run r;
	unsigned int i;

	begin(&r, LOGNORMAL_HALF, 50, 5, NULL);
	windows(&r, 100);
	for (i = 0; i < 60; i++) {
		r.w.times = 3;
		windows(&r, 6);
		r.w.times = 1;
		windows(&r, 6);
	}
	ok(r.raised && r.changes <= 14, "a fault that comes and goes 60 times: %u changes", r.changes);
	windows(&r, 100);
	ok(rests(&r, TL_AT_SERVER), "and at last all is as it was");
	end(&r);
}

static void test_new_normal(void)
{
	struct tl_adapt_options options;
	struct run r;

	tl_adapt_defaults(&options);
	options.evidence.accept = 100;
	begin(&r, LOGNORMAL_HALF, 50, 6, &options);
	windows(&r, 100);
	r.w.times = 3;
	windows(&r, 90);
	ok(r.w.level[0] == TL_AT_METHOD, "what stays is trouble for long");
	windows(&r, 30);
	ok(r.why[TL_ADAPT_ACCEPTED] && rests(&r, TL_AT_SERVER), "and is normal in the end");
	windows(&r, 100);
	ok(rests(&r, TL_AT_SERVER), "and stays so");
	r.w.times = 9;
	ok(until(&r, 0, TL_AT_METHOD, 2), "what is slower still is trouble again");
	end(&r);
}

static void test_gone(void)
{
	struct run r;

	begin(&r, LOGNORMAL_HALF, 50, 7, NULL);
	windows(&r, 100);
	r.w.times = 5;
	windows(&r, 5);
	r.w.requests = 0;
	windows(&r, 80);
	ok(r.why[TL_ADAPT_GONE] && rests(&r, TL_AT_SERVER), "without requests there is no trouble, after a while");
	end(&r);
}

/* ---- what is no fault of a tier ----------------------------------------------------------------- */

static void test_network(void)
{
	struct run r;

	begin(&r, LOGNORMAL_HALF, 100, 8, NULL);
	windows(&r, 100);
	r.w.network = 0.02;
	windows(&r, 20);
	ok(r.why[TL_ADAPT_BETWEEN] && rests(&r, TL_AT_SERVER), "what is between tiers is not looked for in one");
	end(&r);
}

static void test_sizes(void)
{
	struct run r;
	unsigned int i;

	begin(&r, LOGNORMAL_HALF, 50, 9, NULL);
	r.w.per_byte = 2e-6;
	for (i = 0; i < 300; i++) {
		r.w.bytes = 3000 + 500 * (i % 7);
		window(&r);
	}
	r.changes = 0;
	r.w.bytes = 14000;
	windows(&r, 30);
	ok(!r.changes, "larger answers that take longer by as much: %u changes", r.changes);
	end(&r);
}

static void test_little(void)
{
	struct run r;

	begin(&r, LOGNORMAL_HALF, 3000, 13, NULL);
	r.w.no_cost = true;
	windows(&r, 200);
	r.w.times = 1.13;
	windows(&r, 60);
	ok(!r.changes, "13 %% slower is sure, and no trouble: %u changes", r.changes);
	end(&r);
	begin(&r, LOGNORMAL_2, 100, 14, NULL);
	windows(&r, 200);
	r.w.timeouts = 0.04;
	ok(until(&r, 0, TL_AT_METHOD, 2) && r.why[TL_ADAPT_TIMEOUT], "4 %% timeouts are, though most are as before");
	end(&r);
}

/* ---- who else has a say --------------------------------------------------------------------- */

static void test_pinned(void)
{
	struct run r;

	begin(&r, LOGNORMAL_HALF, 50, 10, NULL);
	r.w.tier = 1;
	r.w.pinned[1] = TL_AT_SERVER;
	windows(&r, 100);
	r.w.times = 5;
	windows(&r, 20);
	ok(r.w.level[1] == TL_AT_SERVER && !r.changes && r.why[TL_ADAPT_PINNED] == 1,
	   "what is pinned stays, and it is said once (%u)", r.why[TL_ADAPT_PINNED]);
	end(&r);
	begin(&r, LOGNORMAL_HALF, 50, 10, NULL);
	r.w.tier = 1;
	windows(&r, 100);
	r.w.pinned[1] = r.w.level[1] = TL_AT_TRACE;
	r.w.times = 5;
	windows(&r, 20);
	ok(!r.changes && !r.why[TL_ADAPT_BETWEEN], "pinned at trace: it is not between tiers, since nobody looks (%u)",
	   r.why[TL_ADAPT_BETWEEN]);
	end(&r);
}

static void test_resting(void)
{
	struct tl_adapt_options options;
	unsigned int after;
	struct run r;

	tl_adapt_defaults(&options);
	options.resting = TL_AT_TRACE;
	begin(&r, LOGNORMAL_HALF, 50, 11, &options);
	r.w.tier = 2;
	windows(&r, 100);
	ok(r.w.level[0] == TL_AT_TRACE && r.w.level[1] == TL_AT_OFF && r.w.level[2] == TL_AT_OFF,
	   "resting at trace, the tiers below are off");
	r.w.times = 10;
	after = until(&r, 2, TL_AT_METHOD, 10);
	ok(after == 2, "from there, the last tier is at method after %u windows", after);
	ok(!r.raised_wrong && r.w.level[0] == TL_AT_SERVER, "and the others at server");
	r.w.times = 1;
	after = until(&r, 0, TL_AT_TRACE, 10);
	ok(after && after <= 6, "back at trace after %u", after);
	windows(&r, 3);
	ok(r.w.level[2] == TL_AT_OFF, "and off");
	end(&r);
	begin(&r, LOGNORMAL_HALF, 50, 12, &options);
	windows(&r, 100);
	r.w.timeouts = 0.5;
	after = until(&r, 0, TL_AT_SERVER, 3);
	ok(after == 1, "timeouts in front are seen at once, too");
	ok(until(&r, 0, TL_AT_METHOD, 2), "and where they are");
	end(&r);
}

/* ---- the budget --------------------------------------------------------------------------------- */

static void budget(double requests, double calls, double hook_s, const char *name, unsigned int seed)
{
	struct run r;

	begin(&r, LOGNORMAL_HALF, requests, seed, NULL);
	r.w.calls = calls;
	r.w.hook_s = hook_s;
	r.w.tier = 1;
	windows(&r, 100);
	r.w.times = 5;
	windows(&r, 100);
	r.w.times = 1;
	windows(&r, 300);
	ok(!r.over_twice && !r.failed && !r.unsound, "%s: above the budget in %u of 500 windows, never in two in turn (%u)",
	   name, r.over, r.over_twice);
	ok(r.over <= 20, "  and not again and again");
	end(&r);
}

/* However long hooks are too dear, they are tried again. */
static void tried_again(void)
{
	unsigned int i, off = 0, longest = 0, looks = 0;
	struct run r;

	begin(&r, LOGNORMAL_HALF, 1000, 27, NULL);
	r.w.hook_s = 2e-5;
	for (i = 0; i < 3000; i++) {
		windows(&r, 1);
		looks += r.w.level[0] > TL_AT_OFF && off;
		off = r.w.level[0] > TL_AT_OFF ? 0 : off + 1;
		longest = off > longest ? off : longest;
	}
	ok(longest > 60 && longest <= 480, "hooks that are too dear: off for %u windows at most", longest);
	ok(looks == 8 && !r.over_twice, "  and looked by again and again (%u times in 3000)", looks);
	end(&r);
}

static void test_budget(void)
{
	struct run r;

	budget(200, 1, 1e-6, "functions that are called once a request", 20);
	budget(200, 100, 1e-6, "functions that are called much too often", 21);
	budget(1000, 1, 2e-5, "hooks that are dear by themselves", 22);
	tried_again();
	begin(&r, LOGNORMAL_HALF, 200, 23, NULL);
	r.w.calls = 100;
	r.w.tier = 1;
	windows(&r, 100);
	r.w.times = 5;
	windows(&r, 20);
	ok(r.hot && r.why[TL_ADAPT_DEAR], "hot functions are named (%u)", r.hot);
	ok(r.found, "and the one that is to blame is found all the same");
	end(&r);
	/* 2 x 900 requests, three tiers, 3.3 us: 0.9 % of two processors. */
	begin(&r, LOGNORMAL_HALF, 900, 24, NULL);
	r.w.hook_s = 3.3e-6;
	r.w.tier = 1;
	windows(&r, 60);
	r.w.times = 5;
	windows(&r, 10);
	ok(r.why[TL_ADAPT_HELD] == 1 && r.w.level[1] == TL_AT_SERVER, "what cannot be paid is not raised, and that is said once");
	end(&r);
	begin(&r, LOGNORMAL_HALF, 50, 25, NULL);
	r.w.no_cost = true;
	windows(&r, 100);
	r.w.times = 5;
	windows(&r, 5);
	ok(r.raised && r.out.share < 0, "where cost is not known the rest works");
	end(&r);
}

static void test_hurry(void)
{
	struct tl_adapt_in in;
	struct tl_adapt_out out;
	struct run r;

	begin(&r, LOGNORMAL_HALF, 200, 26, NULL);
	r.w.tier = 1;
	windows(&r, 100);
	r.w.times = 5;
	windows(&r, 5);
	ok(r.w.level[1] == TL_AT_METHOD, "a tier is at method");
	in = r.w.in;
	in.cost.function_s = 0.05 * in.seconds * in.processors;
	ok(tl_adapt_hurry(r.adapt, &in, &out) && out.tier[1].level == TL_AT_SERVER && !out.others && out.decisions == 1,
	   "in a hurry, functions go");
	ok(out.decision[0].why == TL_ADAPT_DEAR && out.decision[0].share > 0.05, "because of what they cost");
	ok(!tl_adapt_hurry(r.adapt, &in, &out) && !out.decisions, "but once");
	in.cost.hook_s = 0.05 * in.seconds * in.processors;
	ok(tl_adapt_hurry(r.adapt, &in, &out) && out.others == TL_AT_OFF && out.tier[0].level == TL_AT_OFF && out.decisions == 3,
	   "then hooks, and of all tiers");
	in.cost.known = false;
	ok(!tl_adapt_hurry(r.adapt, &in, &out), "not if it is not known");
	end(&r);
}

/* ---- bad input ----------------------------------------------------------------------------------- */

static void test_bad(void)
{
	struct tl_adapt_in empty = { .t_s = 1, .seconds = 1, .processors = 2 }, bad;
	struct tl_adapt_cell cell = { 0 };
	struct tl_adapt_out out;
	struct run r;

	begin(&r, EXPONENTIAL, 20, 30, NULL);
	ok(!tl_adapt_step(r.adapt, &empty, &out) && !out.tiers && !out.decisions && out.share < 0, "nothing at all");
	bad = empty;
	bad.seconds = 0;
	ok(tl_adapt_step(r.adapt, &bad, &out) == -22, "no time");
	bad = empty;
	bad.seconds = NAN;
	ok(tl_adapt_step(r.adapt, &bad, &out) == -22, "time that is no number");
	bad = empty;
	bad.cell = &cell;
	bad.cells = 1;
	ok(tl_adapt_step(r.adapt, &bad, &out) == -22, "a tier that is not there");
	bad.tiers = bad.cells_seen = 1;
	cell.response = cell.own = r.w.own[0];
	cell.count = INFINITY;
	ok(tl_adapt_step(r.adapt, &bad, &out) == -22, "requests without end");
	windows(&r, 5);
	ok(!r.failed, "and all is well afterwards");
	end(&r);
	begin(&r, LOGNORMAL_HALF, 50, 31, NULL);
	r.w.no_paths = true;
	windows(&r, 100);
	r.w.times = 5;
	ok(until(&r, 0, TL_AT_METHOD, 2), "without paths a tier's own times tell");
	end(&r);
	begin(&r, LOGNORMAL_HALF, 50, 32, NULL);
	windows(&r, 100);
	r.w.t_s += 1000;
	windows(&r, 50);
	ok(!r.changes, "a gap of 1000 windows changes nothing");
	end(&r);
}

int main(void)
{
	test_healthy();
	test_faults();
	test_finding();
	test_late();
	test_class();
	test_few();
	test_flapping();
	test_new_normal();
	test_gone();
	test_network();
	test_sizes();
	test_little();
	test_pinned();
	test_resting();
	test_budget();
	test_hurry();
	test_bad();
	return done();
}
