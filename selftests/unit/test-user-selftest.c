// SPDX-License-Identifier: GPL-2.0-or-later
/* How the self test judges: sums that are made up, with every way to be wrong in them. */
#include "tap.h"

#include "selftest/judge.h"
#include "selftest/trial.h"
#include "table.h"

#include <math.h>

/* A trial that ran: its front tier called 16 endpoints, or its chain has tiers of 4. */
static struct tl_trial trial_of(const char *shape, unsigned int connections)
{
	struct tl_trial trial = { .shape = tl_shape_find(shape, strlen(shape)),
				  .connections = connections,
				  .state = TL_TRIAL_RUN,
				  .requests = 1 };
	unsigned int depth, i;

	for (depth = 0; depth < trial.shape->depth; depth++) {
		struct tl_tier_place *place = &trial.place[depth];

		place->endpoints = depth ? trial.shape->flags & TL_SHAPE_CHAIN ? 4 : 16 : 1;
		place->port = 10000 + 100 * depth;
		for (i = 0; i < place->endpoints; i++)
			sprintf(place->tier[i], "t:%u", place->port + i);
	}
	return trial;
}

static struct tl_edge *call(struct tl_interval *all, const char *tier, const char *class,
			    unsigned int port, u64 calls)
{
	char peer[40];
	struct tl_edge key = { .tier = (char *)tier, .class = (char *)class, .peer = peer }, *edge;

	sprintf(peer, "127.0.0.1:%u", port);
	edge = tl_interval_edge(all, &key);
	edge->calls += calls;
	edge->by[TL_BY_OWNER] += calls;
	return edge;
}

/* The shape's verdict on so many right, wrong and unattributed calls. */
static void verdict(const char *shape, unsigned int connections, u64 right, u64 wrong,
		    u64 absent, enum tl_verdict want)
{
	struct tl_trial trial = trial_of(shape, connections);
	struct tl_interval *all = tl_interval_new();

	call(all, "t:10000", tl_keep_class(3), 10103, right);
	call(all, "t:10000", tl_keep_class(3), 10104, wrong);
	trial.place[0].calls = right + wrong + absent;
	tl_judge(&trial, all);
	ok(trial.right == right && trial.wrong == wrong && trial.absent == absent &&
	   trial.by[TL_BY_OWNER] == right + wrong && tl_judge_verdict(&trial) == want,
	   "%s, %u at once: %d right, %d wrong, %d unattributed: %s", shape, connections,
	   (int)right, (int)wrong, (int)absent, tl_verdict_names[tl_judge_verdict(&trial)]);
	tl_interval_free(all);
}

static void test_verdicts(void)
{
	verdict("thread", 8, 1000, 0, 0, TL_VERDICT_MET);
	verdict("thread", 8, 999, 0, 1, TL_VERDICT_MET);
	verdict("thread", 8, 998, 0, 2, TL_VERDICT_MISSED);
	verdict("thread", 8, 999, 1, 0, TL_VERDICT_MET); /* one in ten such runs would be so */
	verdict("thread", 8, 3997, 3, 0, TL_VERDICT_MISSED);
	verdict("thread", 8, 29993, 7, 0, TL_VERDICT_MET); /* 3 and 3 sigma */
	verdict("thread", 8, 29991, 9, 0, TL_VERDICT_MISSED);
	verdict("epoll", 8, 995, 0, 5, TL_VERDICT_MET);
	verdict("epoll", 8, 994, 0, 6, TL_VERDICT_MISSED);
	verdict("epoll", 8, 996, 4, 0, TL_VERDICT_MET);
	verdict("epoll", 8, 995, 5, 0, TL_VERDICT_MISSED);
	verdict("pool", 64, 950, 0, 50, TL_VERDICT_MET);
	verdict("pool", 64, 949, 0, 51, TL_VERDICT_MISSED);
	verdict("pool", 64, 988, 12, 0, TL_VERDICT_MISSED);
	verdict("pool-io", 1, 900, 0, 100, TL_VERDICT_MISSED);
	verdict("pool-io", 8, 949, 0, 51, TL_VERDICT_MISSED);
	verdict("pool-io", 64, 950, 0, 50, TL_VERDICT_MET);
	verdict("pool-io", 64, 949, 0, 51, TL_VERDICT_NOT_YET);
	verdict("pool-io", 64, 850, 0, 150, TL_VERDICT_NOT_YET);
	verdict("pool-io", 64, 849, 0, 151, TL_VERDICT_MISSED);
	verdict("pool-io", 64, 900, 12, 88, TL_VERDICT_MISSED);
	verdict("pool-io", 8, 960, 0, 40, TL_VERDICT_MET);
	verdict("pool-io", 8, 900, 12, 88, TL_VERDICT_MISSED);
	verdict("coroutine", 8, 0, 0, 1000, TL_VERDICT_MET);
	verdict("coroutine", 8, 0, 12, 988, TL_VERDICT_MISSED);
	verdict("thread", 8, 0, 0, 0, TL_VERDICT_FAILED);
}

/* Calls of the warm-up do not count, but for those that are mixed up with others. */
static void test_warm_up(void)
{
	unsigned int last = TL_TRIAL_WARM_UP_CLASS;
	struct tl_trial trial = trial_of("pool-io", 8);
	struct tl_interval *all = tl_interval_new();

	is_u64(tl_shape_warm_up(trial.shape, 8), TL_SHAPE_WARM_UP, "warm-up: of what learns");
	is_u64(tl_shape_warm_up(trial.shape, 1), 0, "warm-up: not with one connection");
	is_u64(tl_shape_warm_up(tl_shape_find("pool", 4), 8), 0, "warm-up: nor of others");
	call(all, "t:10000", tl_keep_class(last), 10100 + last, 150);
	call(all, "t:10000", tl_keep_class(0), 10100, 90);
	trial.warm_up = 200;
	trial.place[0].calls = 300;
	tl_judge(&trial, all);
	ok(trial.calls == 100 && trial.right == 90 && !trial.wrong && trial.absent == 10 &&
	   trial.by[TL_BY_OWNER] == 90, "warm-up: neither right nor unattributed");
	trial.right = trial.calls = trial.by[TL_BY_OWNER] = 0;
	call(all, "t:10000", tl_keep_class(last), 10100, 2);
	call(all, "t:10000", tl_keep_class(0), 10100 + last, 3);
	tl_judge(&trial, all);
	ok(trial.right == 90 && trial.wrong == 5 && trial.absent == 5,
	   "warm-up: mixed up, either way, is wrong");
	trial.warm_up = trial.right = trial.wrong = trial.calls = 0;
	tl_judge(&trial, all);
	is_u64(trial.right, 240, "warm-up: there was none");
	tl_interval_free(all);
}

/* Sums of others, and what cannot be. */
static void test_strangers(void)
{
	struct tl_trial trial = trial_of("epoll", 8);
	struct tl_interval *all = tl_interval_new();

	call(all, "t:10001", tl_keep_class(0), 10101, 5);
	call(all, NULL, "other", 10100, 5);
	call(all, "t:10000", tl_keep_class(0), 9999, 5);
	call(all, "t:10000", tl_keep_class(15), 10116, 5);
	call(all, "t:10000", tl_keep_class(15), 10115, 7);
	call(all, "t:10000", "other", 10115, 1);
	call(all, "t:10000", "selftest-16", 10100, 1);
	trial.place[0].calls = 8;
	tl_judge(&trial, all);
	ok(trial.right == 7 && trial.wrong == 2 && !trial.absent && trial.more == 1,
	   "other tiers and endpoints are not looked at, other classes are wrong");
	trial.wrong = 0;
	ok(tl_judge_verdict(&trial) == TL_VERDICT_LOST, "a call that nobody made does not add up");
	trial.state = TL_TRIAL_ABSENT;
	ok(tl_judge_verdict(&trial) == TL_VERDICT_ABSENT, "what cannot run has not failed");
	trial.state = TL_TRIAL_FAILED;
	ok(tl_judge_verdict(&trial) == TL_VERDICT_FAILED, "what failed has");
	tl_interval_free(all);
}

static void chain_tier(struct tl_interval *all, const char *name, u64 count, u64 response_ns,
		       u64 own_ns)
{
	struct tl_cell *cell = tl_interval_cell(all, name, "x");

	cell->count = count;
	cell->response_ns = response_ns;
	cell->own_ns = own_ns;
}

/* Two tiers, ten requests; the arguments are what is added to the right figures. */
static enum tl_verdict chain(u64 response_ns, u64 own_ns, u64 transit_ns, u64 joined, u64 count)
{
	struct tl_trial trial = trial_of("depth-2", 8);
	struct tl_interval *all = tl_interval_new();
	enum tl_verdict verdict;
	struct tl_edge *edge;

	chain_tier(all, "t:10000", 10 + count, 1000 + response_ns, 400);
	chain_tier(all, "t:10101", 10, 500, 500 + own_ns);
	edge = call(all, "t:10000", tl_keep_class(1), 10101, 10);
	edge->time_ns = 600;
	tl_sum_set(&edge->sum[TL_EDGE_TRANSIT], 100 + transit_ns);
	tl_sum_set(&edge->sum[TL_EDGE_JOINED], 10 + joined);
	trial.place[0].calls = trial.requests = 10;
	tl_judge(&trial, all);
	verdict = tl_judge_verdict(&trial);
	tl_interval_free(all);
	return verdict;
}

static void test_chain(void)
{
	ok(chain(0, 0, 0, 0, 0) == TL_VERDICT_MET, "a chain that adds up");
	ok(chain(1, 0, 0, 0, 0) == TL_VERDICT_LOST, "a nanosecond of the response is lost");
	ok(chain(0, 1, 0, 0, 0) == TL_VERDICT_LOST, "of the own time");
	ok(chain(0, 0, 1, 0, 0) == TL_VERDICT_LOST, "of transit");
	ok(chain(0, (u64)-1, 1, 0, 0) == TL_VERDICT_LOST,
	   "of the own time and the call, which is the tier's alone");
	ok(chain(0, 0, 0, (u64)-1, 0) == TL_VERDICT_LOST, "the other end of a call was not seen");
	ok(chain(0, 0, 0, 0, (u64)-1) == TL_VERDICT_LOST, "a request was not counted");
}

/* Nobody has answered: all sums are 0, and add up. */
static void test_nothing(void)
{
	struct tl_trial trial = trial_of("depth-1", 8);
	struct tl_interval *all = tl_interval_new();

	chain_tier(all, "t:10000", 1, 7, 7);
	tl_judge(&trial, all);
	ok(tl_judge_verdict(&trial) == TL_VERDICT_MET, "one tier, one request");
	tl_interval_free(all);
	trial = trial_of("depth-1", 8);
	trial.requests = 0;
	ok(tl_judge_verdict(&trial) == TL_VERDICT_FAILED, "without any request it has failed");
}

static void test_ports(void)
{
	static struct tl_trial_run run;
	struct tl_tier_place place = { .port = 40001, .endpoints = 16 };

	ok(tl_trial_ports_take(&run, &place), "ports: fresh ones");
	ok(!tl_trial_ports_take(&run, &place), "ports: the same again");
	place.port = 40016;
	ok(!tl_trial_ports_take(&run, &place), "ports: one of them again");
	place.port = 39985;
	ok(tl_trial_ports_take(&run, &place), "ports: up to the first");
	place.port = 65535;
	place.endpoints = 1;
	ok(tl_trial_ports_take(&run, &place) && !tl_trial_ports_take(&run, &place),
	   "ports: the last");
	place.port = 0;
	ok(tl_trial_ports_take(&run, &place) && tl_trial_ports_take(&run, &place),
	   "ports: a UNIX socket has none");
}

static void test_kinds(void)
{
	struct tl_kind kinds[TL_KINDS];
	struct tl_trial trials[] = { trial_of("thread", 1), trial_of("epoll", 8),
				     trial_of("unix", 8), trial_of("epoll", 64),
				     trial_of("depth-1", 1), trial_of("fork", 64) };
	unsigned int i;
	double low, high;

	for (i = 0; i < ARRAY_SIZE(trials); i++) {
		trials[i].calls = 100 << i;
		trials[i].right = 90 << i;
		trials[i].wrong = 2 << i;
	}
	trials[4].calls = 0;
	trials[5].state = TL_TRIAL_FAILED;
	is_u64(tl_judge_kinds(kinds, trials, ARRAY_SIZE(trials)), 2, "kinds: two");
	ok(kinds[0].bar == trials[0].shape->bar && kinds[1].bar == trials[1].shape->bar,
	   "kinds: as they turn up");
	is_u64(kinds[0].trials, 2, "kinds: those that ran and called");
	is_u64(kinds[0].calls, 500, "kinds: calls");
	is_u64(kinds[1].calls, 1000, "kinds: calls of the other");
	is_u64(kinds[1].right, 900, "kinds: right");
	is_u64(kinds[1].wrong, 20, "kinds: wrong");
	kinds[1].wrong = 4;
	ok(tl_judge_kind(&kinds[1]) == TL_VERDICT_MET, "kinds: 4 of 1000 may be chance");
	kinds[1].wrong = 5;
	ok(tl_judge_kind(&kinds[1]) == TL_VERDICT_MISSED, "kinds: 5 are not");
	is_u64(tl_judge_kinds(kinds, trials, 0), 0, "kinds: none");
	for (i = 0; i < 3; i++) {
		u64 needed = tl_judge_needed(0.0001 * (1 + 9 * i));

		tl_judge_bounds(0, needed, &low, &high);
		ok(high <= 0.0001 * (1 + 9 * i), "%d calls rule it out", (int)needed);
		tl_judge_bounds(0, needed - 1, &low, &high);
		ok(high > 0.0001 * (1 + 9 * i), "one less does not");
	}
}

static void bounds(u64 part, u64 all, double low, double high)
{
	double got_low, got_high;

	tl_judge_bounds(part, all, &got_low, &got_high);
	ok(fabs(got_low - low) < 5e-5 && fabs(got_high - high) < 5e-5,
	   "%d of %d: %.4f to %.4f", (int)part, (int)all, got_low, got_high);
}

/* Against the formula's values as published: Newcombe 1998, table I, method 3. */
static void test_bounds(void)
{
	bounds(81, 263, 0.2553, 0.3662);
	bounds(15, 148, 0.0624, 0.1605);
	bounds(0, 20, 0, 0.1611);
	bounds(1, 29, 0.0061, 0.1718);
	bounds(20, 20, 0.8389, 1);
	bounds(0, 0, 0, 1);
}

int main(void)
{
	test_verdicts();
	test_warm_up();
	test_strangers();
	test_chain();
	test_nothing();
	test_kinds();
	test_ports();
	test_bounds();
	return done();
}
