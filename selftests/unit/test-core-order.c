// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which result is whose, by order: by hand, and against the definition. Pools are simulated in
 * test-core-pools.c.
 */
#include "any.h"
#include "order.h"
#include "tap.h"

#include <stdlib.h>

/* --- by hand: result k begins, is done and told, answer k is opened and sent at … --- */

struct hand {
	struct tl_order order;
	struct tl_order_result results[TL_ORDER_MAX];
	struct tl_order_answer answers[TL_ORDER_MAX];
	struct tl_order_pairs pairs;
};

static void result(struct hand *h, unsigned int k, u64 begin, u64 done, u64 told)
{
	h->results[k] = (struct tl_order_result){ begin, done, told };
}

static void answer(struct hand *h, unsigned int k, u64 open, u64 sent)
{
	h->answers[k] = (struct tl_order_answer){ open, sent };
}

static bool ask(struct hand *h, unsigned int n_results, unsigned int n, bool even)
{
	return tl_order_pair(&h->order, h->results, n_results, h->answers, n, even,
			     &h->pairs);
}

static void believe(struct hand *h)
{
	h->order = (struct tl_order){ .right = TL_ORDER_FIRST,
				      .near.same = TL_ORDER_JOBS };
}

/* Two that both were queued before one had begun, so that times say nothing. */
static void two_alike(struct hand *h)
{
	result(h, 0, 100, 200, 201);
	result(h, 1, 110, 300, 301);
	answer(h, 0, 10, 400);
	answer(h, 1, 20, 410);
}

static void test_alone(void)
{
	struct hand h = { 0 };

	result(&h, 0, 100, 200, 201);
	answer(&h, 0, 10, 300);
	ok(ask(&h, 1, 1, true), "alone: nothing is wrong");
	is_u64(h.pairs.sure, 1, "alone: sure");
	is_u64(h.pairs.ordered, 0, "alone: not by order");
	ok(ask(&h, 1, 1, false) && !h.pairs.sure && !h.pairs.ordered,
	   "alone: something was left over before");
	answer(&h, 0, 10, 200);
	ok(ask(&h, 1, 1, true) && !h.pairs.sure && !h.pairs.ordered,
	   "alone: answered before it was told, so it may be another one");
	result(&h, 1, 100, 290, 301);
	answer(&h, 0, 10, 300);
	ask(&h, 2, 1, true);
	is_u64(h.pairs.sure, 1, "alone: the next was told after the last look");
	result(&h, 0, 105, 200, 201);
	result(&h, 1, 90, 220, 221);
	answer(&h, 0, 95, 300);
	ask(&h, 2, 1, true);
	is_u64(h.pairs.sure, 0, "alone: the next was there, and has no answer");
}

static void test_times(void)
{
	struct hand h = { 0 };

	two_alike(&h);
	ok(ask(&h, 2, 2, true), "times: nothing is wrong");
	is_u64(h.pairs.sure | h.pairs.ordered, 0, "times: two that are alike");
	/* The second's request came after the first had begun. */
	answer(&h, 1, 105, 410);
	ask(&h, 2, 2, true);
	is_u64(h.pairs.sure, 3, "times: one is impossible, so both are sure");
	is_u64(h.order.right, 1, "times: that is a check of the order");
	answer(&h, 0, 10, 250);
	answer(&h, 1, 105, 310);
	ask(&h, 2, 2, true);
	is_u64(h.order.right, 1, "times: but not if the second was not there yet");
	result(&h, 0, 0, 200, 201);
	answer(&h, 0, 10, 400);
	answer(&h, 1, 105, 410);
	ask(&h, 2, 2, true);
	is_u64(h.pairs.sure, 0, "times: work without calls may be anybody's");
	is_u64(h.order.right, 1, "times: and checks nothing");
}

static void test_wrong(void)
{
	struct hand h = { 0 };
	unsigned int i;

	believe(&h);
	two_alike(&h);
	ok(ask(&h, 2, 2, true), "wrong: not yet");
	is_u64(h.pairs.ordered, 3, "wrong: order is believed");
	answer(&h, 0, 105, 400);
	ok(!ask(&h, 2, 2, true), "wrong: a request that was opened after the errand began");
	is_u64(h.pairs.sure | h.pairs.ordered, 0, "wrong: no pairs");
	is_u64(h.order.right, 0, "wrong: forgets what was right");
	is_u64(h.order.demand, TL_ORDER_FIRST, "wrong: wants as many once more");
	is_u64(h.order.near.same, 0, "wrong: and forgets the jobs");
	h.order.right = TL_ORDER_FIRST - 1;
	ok(!ask(&h, 2, 2, true), "wrong: before there were so many");
	is_u64(h.order.right, 0, "wrong: forgets these, too");
	is_u64(h.order.demand, TL_ORDER_FIRST * TL_ORDER_AGAIN, "wrong: then it wants more");
	for (i = 0; i < 10; i++)
		ask(&h, 2, 2, true);
	is_u64(h.order.demand, TL_ORDER_DEMAND_MAX, "wrong: but not without end");
	h.order.right = TL_ORDER_DEMAND_MAX - 1;
	two_alike(&h);
	ask(&h, 2, 2, true);
	is_u64(h.pairs.ordered, 0, "wrong: one less is not enough");
	answer(&h, 1, 105, 410);
	ask(&h, 2, 2, true);
	ask(&h, 2, 2, true);
	is_u64(h.order.right, TL_ORDER_DEMAND_MAX, "wrong: nor is more counted");
	two_alike(&h);
	ask(&h, 2, 2, true);
	is_u64(h.pairs.ordered, 3, "wrong: in the end it is believed again");
	answer(&h, 0, 10, 199);
	answer(&h, 1, 20, 410);
	ok(!ask(&h, 2, 2, true), "wrong: answered before it was done");
}

/* The first was held up between its result and its word: another one's came before. */
static void test_held_up(void)
{
	struct hand h = { 0 };

	believe(&h);
	result(&h, 0, 110, 250, 260);
	result(&h, 1, 100, 200, 300);
	result(&h, 2, 120, 310, 320);
	answer(&h, 0, 10, 400);
	answer(&h, 1, 20, 410);
	answer(&h, 2, 30, 420);
	ask(&h, 3, 3, true);
	is_u64(h.pairs.ordered, 4, "held up: the two that overlap are not what order says");
	answer(&h, 0, 20, 400);
	answer(&h, 1, 10, 410);
	ask(&h, 3, 3, true);
	is_u64(h.pairs.ordered, 7, "held up: they are if they began like that");
	h.order.near.other = TL_ORDER_JOBS;
	ask(&h, 3, 3, true);
	is_u64(h.pairs.ordered, 4, "held up: unless jobs do not keep their order");
	believe(&h);
	h.results[0].begin_ns = 0;
	ask(&h, 3, 3, true);
	is_u64(h.pairs.ordered, 4, "held up: nor if one has made no calls");
	believe(&h);
	result(&h, 0, 110, 250, 260);
	ask(&h, 3, 1, false);
	is_u64(h.pairs.ordered, 0, "held up: by one that is not answered yet");
	result(&h, 0, 90, 250, 260);
	answer(&h, 0, 10, 400);
	ask(&h, 3, 3, true);
	is_u64(h.pairs.ordered, 4, "held up: nor if their requests were opened at once");
}

/* The jobs' order explains what was held up, but not what times say: a result is sure to be another's. */
static void test_refuted(void)
{
	struct hand h = { 0 };

	believe(&h);
	result(&h, 0, 4, 7, 10);
	result(&h, 1, 5, 9, 11);
	result(&h, 2, 6, 9, 12);
	answer(&h, 0, 3, 8);
	answer(&h, 1, 1, 13);
	answer(&h, 2, 2, 14);
	ok(ask(&h, 3, 3, true), "refuted: nothing is out of order");
	is_u64(h.pairs.sure, 1, "refuted: the first is sure, the others were done after it was answered");
	is_u64(h.pairs.ordered, 0, "refuted: by the jobs one of the others would have its result");
}

static void test_jobs(void)
{
	struct hand h = { 0 };
	unsigned int i;

	two_alike(&h);
	ask(&h, 2, 2, true);
	is_u64(h.order.near.same, 1, "jobs: began as they came");
	answer(&h, 0, 30, 400);
	ask(&h, 2, 2, true);
	is_u64(h.order.near.other, 1, "jobs: began the other way round");
	answer(&h, 1, 105, 410);
	ask(&h, 2, 2, true);
	is_u64(h.order.near.same + h.order.near.other, 2, "jobs: there was no choice");
	two_alike(&h);
	for (i = 0; i < 10 * TL_ORDER_JOBS_MAX; i++)
		ask(&h, 2, 2, true);
	ok(h.order.near.same < TL_ORDER_JOBS_MAX && h.order.near.same > 64 &&
	   !h.order.near.other, "jobs: what was long ago fades");
}

/* Times say nothing, but jobs of which it is sure keep their order, and so do the others. */
static void test_jobs_only(void)
{
	static const struct tl_order kept = { .sure.same = TL_ORDER_JOBS,
					      .near.same = TL_ORDER_NEAR };
	struct hand h = { .order = kept };

	two_alike(&h);
	ask(&h, 2, 2, true);
	is_u64(h.pairs.ordered, 3, "jobs only: believed");
	h.order = kept;
	h.order.sure.same--;
	ask(&h, 2, 2, true);
	is_u64(h.pairs.ordered, 0, "jobs only: too few that are sure");
	h.order = kept;
	h.order.near.same -= 2;
	ask(&h, 2, 2, true);
	is_u64(h.pairs.ordered, 0, "jobs only: too few neighbours");
	h.order = kept;
	h.order.demand = TL_ORDER_FIRST;
	ask(&h, 2, 2, true);
	is_u64(h.pairs.ordered, 0, "jobs only: not after a wrong one");
	h.order = kept;
	h.order.sure.other = TL_ORDER_JOBS / 3;
	ask(&h, 2, 2, true);
	is_u64(h.pairs.ordered, 0, "jobs only: some that are sure did not");
	h.order = (struct tl_order){ 0 };
	result(&h, 0, 100, 200, 201);
	answer(&h, 0, 10, 300);
	ask(&h, 1, 1, true);
	is_u64(h.order.sure.same + h.order.sure.other, 0, "jobs only: one by itself is none");
	result(&h, 0, 110, 400, 401);
	answer(&h, 0, 20, 500);
	ask(&h, 1, 1, true);
	is_u64(h.order.sure.same, 1, "jobs only: after another one, it is");
	result(&h, 0, 105, 600, 601);
	answer(&h, 0, 30, 700);
	ask(&h, 1, 1, true);
	is_u64(h.order.sure.other, 1, "jobs only: it began before the last, but came later");
}

/* --- against the definition --- */

static bool overlap(const struct tl_order_result *a, const struct tl_order_result *b)
{
	return a->done_ns <= b->told_ns && b->done_ns <= a->told_ns;
}

static bool fits(const struct tl_order_result *r, const struct tl_order_answer *a)
{
	return !r->begin_ns || (r->begin_ns >= a->open_ns && r->done_ns <= a->sent_ns);
}

/* The group of k: from the first to the last that overlap with it, or with one between. */
static void group_of(const struct hand *h, unsigned int n, unsigned int k, unsigned int *from,
		     unsigned int *to)
{
	bool grown = true;
	unsigned int i, j;

	*from = *to = k;
	while (grown) {
		grown = false;
		for (i = 0; i < n; i++)
			for (j = i + 1; j < n; j++)
				if (overlap(&h->results[i], &h->results[j]) &&
				    j >= *from && i <= *to && (i < *from || j > *to)) {
					*from = min(*from, i);
					*to = max(*to, j);
					grown = true;
				}
	}
}

static unsigned int place(const struct hand *h, unsigned int from, unsigned int to,
			  unsigned int k, bool of_results)
{
	unsigned int i, before = 0;

	for (i = from; i <= to; i++)
		before += of_results ? h->results[i].begin_ns < h->results[k].begin_ns :
				       h->answers[i].open_ns < h->answers[k].open_ns;
	return before;
}

/* By the order of the jobs, the @k-th answer is to this result; -1: that cannot be told. */
static int by_jobs(const struct hand *h, unsigned int from, unsigned int to, unsigned int k)
{
	int found = -1;
	unsigned int i;

	for (i = from; i <= to; i++) {
		if (!h->results[i].begin_ns)
			return -1;
		if (place(h, from, to, i, true) == place(h, from, to, k, false))
			found = (int)i;
	}
	return found;
}

/* A stretch of n things that had one order and have another one. */
struct orders {
	unsigned int n;
	int was[TL_ORDER_MAX], is[TL_ORDER_MAX];
};

static bool late(const struct orders *o, unsigned int k)
{
	unsigned int i, n = 0;

	for (i = 0; i < o->n; i++) {
		if (o->was[i] < o->was[k] && o->is[i] > o->is[k])
			return false;
		n += o->was[i] > o->was[k] && o->is[i] < o->is[k];
	}
	return n >= TL_ORDER_OVERTOOK;
}

/* Of any two that have changed places, the one is late and the other one is not. */
static bool explained(const struct orders *o)
{
	unsigned int i, k;

	for (i = 0; i < o->n; i++)
		for (k = 0; k < o->n; k++)
			if (o->was[i] < o->was[k] && o->is[i] > o->is[k] &&
			    (!late(o, i) || late(o, k)))
				return false;
	return true;
}

static bool told_possibly(const struct hand *h, const struct orders *told, unsigned int base)
{
	unsigned int i, k;

	for (i = 0; i < told->n; i++)
		for (k = i + 1; k < told->n; k++)
			if (told->is[k] < told->is[i] &&
			    h->results[base + (unsigned int)told->is[i]].done_ns >
				    h->results[base + (unsigned int)told->is[k]].told_ns)
				return false;
	return true;
}

/* The least stretch around the k-th whose answers are to its own results by the jobs. */
static void stretch_of(const struct hand *h, unsigned int k, unsigned int *from,
		       unsigned int *to)
{
	unsigned int i, last = *from, first = *from, end = *to, all = *to;

	for (i = *from; i <= all; i++) {
		last = max(last, (unsigned int)by_jobs(h, *from, all, i));
		if (last > i)
			continue;
		if (i < k) {
			first = i + 1;
		} else {
			end = i;
			break;
		}
	}
	*from = first;
	*to = end;
}

/* Return: which result, or -1. */
static int ordered_by_definition(const struct hand *h, unsigned int n_results, unsigned int n,
				 unsigned int k)
{
	unsigned int from, to, i, first, last;
	struct orders told, begun;
	bool jobs, as_told;
	int own;

	group_of(h, n_results, k, &from, &to);
	if (from == to)
		return (int)k;
	if (to >= n)
		return -1;
	for (i = from; i <= to; i++)
		if (by_jobs(h, from, to, i) < 0)
			return -1;
	first = from;
	last = to;
	stretch_of(h, k, &first, &last);
	told.n = begun.n = last - first + 1;
	for (i = first; i <= last; i++) {
		told.was[i - first] = (int)i;
		told.is[i - first] = by_jobs(h, from, to, i) - (int)first;
		begun.was[i - first] = (int)place(h, from, to, i, false);
		begun.is[i - first] = (int)place(h, from, to, i, true);
	}
	for (i = first; i <= last; i++)
		told.was[i - first] -= (int)first;
	jobs = explained(&told) && told_possibly(h, &told, first);
	as_told = explained(&begun);
	if (first < last && jobs == as_told)
		return -1;
	for (i = first; i <= last; i++) {
		own = as_told ? (int)i : by_jobs(h, from, to, i);
		if (!fits(&h->results[own], &h->answers[i]))
			return -1;
	}
	return as_told ? (int)k : by_jobs(h, from, to, k);
}

/* Whether no result is two answers'. */
static bool each_once(const struct tl_order_pairs *pairs, unsigned int n)
{
	u64 taken = 0;
	unsigned int k;

	for (k = 0; k < n; k++) {
		if (!((pairs->sure | pairs->ordered) >> k & 1))
			continue;
		if (taken >> pairs->result[k] & 1)
			return false;
		taken |= 1ULL << pairs->result[k];
	}
	return true;
}

static bool sure_by_definition(const struct hand *h, unsigned int n_results, unsigned int n,
			       unsigned int k)
{
	unsigned int i, results = 0, answers = 0;

	for (i = 0; i < n_results; i++)
		results += fits(&h->results[i], &h->answers[k]);
	for (i = 0; i < n; i++)
		answers += fits(&h->results[k], &h->answers[i]);
	return fits(&h->results[k], &h->answers[k]) &&
	       (results == 1 || (answers == 1 && n_results == n));
}

static int by_number(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* All times differ, results are in the order of their words, answers in that of sending. */
static void make(struct hand *h, unsigned int n_results, unsigned int n)
{
	u64 told[TL_ORDER_MAX], sent[TL_ORDER_MAX];
	unsigned int k;

	for (k = 0; k < n_results; k++)
		told[k] = any(1000, 1000 + 40 * n_results) * 128 + k;
	qsort(told, n_results, sizeof(told[0]), by_number);
	for (k = 0; k < n; k++)
		sent[k] = any(1000, 1000 + 60 * n_results) * 128 + k;
	qsort(sent, n, sizeof(sent[0]), by_number);
	for (k = 0; k < n_results; k++) {
		u64 done = told[k] - any(0, 60) * 128 - 1;

		result(h, k, any(0, 9) ? (done / 128 - any(1, 900)) * 128 + k : 0, done, told[k]);
	}
	for (k = 0; k < n; k++)
		answer(h, k, any(0, 600) * 128 + 64 + k, sent[k] + 30 * 128);
}

static void test_definition(void)
{
	unsigned int differ = 0, twice = 0, pairs = 0, wrong = 0, moved = 0, i, k, n, n_results, all;
	int of[TL_ORDER_MAX];
	struct hand h = { 0 };

	for (i = 0; i < 20000; i++) {
		u64 sure = 0, ordered = 0;
		bool right = true;

		n = (unsigned int)any(1, i % 50 ? 6 : TL_ORDER_MAX);
		n_results = (unsigned int)any(n, min(n + 2, (unsigned int)TL_ORDER_MAX));
		make(&h, n_results, n);
		believe(&h);
		all = n_results;
		if (all > n && h.results[n - 1].told_ns <= h.answers[n - 1].sent_ns &&
		    h.results[n].told_ns > h.answers[n - 1].sent_ns)
			all = n;
		for (k = 0; k < n; k++) {
			unsigned int from, to;

			sure |= (u64)sure_by_definition(&h, all, n, k) << k;
			of[k] = ordered_by_definition(&h, all, n, k);
			ordered |= (u64)(of[k] >= 0) << k;
			moved += of[k] >= 0 && of[k] != (int)k;
			group_of(&h, all, k, &from, &to);
			if (from == to && !fits(&h.results[k], &h.answers[k]))
				right = false;
		}
		if (ask(&h, n_results, n, false) != right)
			differ++;
		wrong += !right;
		/* What is checked on the way may end the belief in the jobs' order. */
		if (right && h.order.near.other * 5 > h.order.near.same + h.order.near.other)
			continue;
		if (!right)
			sure = ordered = 0;
		twice += !each_once(&h.pairs, n);
		differ += h.pairs.sure != sure || h.pairs.ordered != (ordered & ~sure);
		for (k = 0; k < n; k++)
			differ += (h.pairs.ordered >> k & 1 && h.pairs.result[k] != of[k]) ||
				  (h.pairs.sure >> k & 1 && h.pairs.result[k] != k);
		pairs += !!h.pairs.ordered + !!h.pairs.sure;
	}
	is_u64(differ, 0, "definition: the same for 20000 sets");
	is_u64(twice, 0, "definition: no result is two answers'");
	ok(pairs > 2000 && wrong > 2000 && moved > 200,
	   "definition: %u with pairs, %u in no order, %u results held up", pairs, wrong, moved);
}

int main(void)
{
	test_alone();
	test_times();
	test_wrong();
	test_held_up();
	test_refuted();
	test_jobs();
	test_jobs_only();
	test_definition();
	return done();
}
