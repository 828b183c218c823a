// SPDX-License-Identifier: GPL-2.0-or-later
/* When results and answers of a thread are in step, by hand. Pools are simulated in test-core-pools.c. */
#include "tally.h"
#include "tap.h"

static struct tl_tally tally;
static struct tl_tally_done done_with;

static void begin(void)
{
	memset(&tally, 0, sizeof(tally));
	tally.order.right = TL_ORDER_FIRST;
	tally.order.near.same = TL_ORDER_JOBS;
}

static void told(u64 began, u64 done, u64 told)
{
	tl_tally_told(&tally, &(struct tl_order_result){ began, done, told });
}

static void answered(u64 open, u64 sent)
{
	tl_tally_answered(&tally, &(struct tl_order_answer){ open, sent }, false);
}

static void answered_own(u64 open, u64 sent)
{
	tl_tally_answered(&tally, &(struct tl_order_answer){ open, sent }, true);
}

/* The turn ends: so many results and answers are done with, and these are pairs. */
static void ends(unsigned int results, unsigned int answers, u64 pairs, const char *name)
{
	tl_tally_settle(&tally, &done_with);
	is_u64(done_with.n_results, results, "%s: results", name);
	is_u64(done_with.n_answers, answers, "%s: answers", name);
	is_u64(done_with.pairs.sure | done_with.pairs.ordered, pairs, "%s: pairs", name);
}

static void test_turn(void)
{
	begin();
	ends(0, 0, 0, "turn: nothing");
	told(100, 200, 201);
	told(110, 210, 211);
	answered(10, 300);
	answered(20, 310);
	told(120, 320, 321);
	ends(2, 2, 3, "turn: one came after the thread had looked");
	answered(30, 400);
	ends(1, 1, 1, "turn: it is answered in the next");
	told(200, 500, 501);
	ends(0, 0, 0, "turn: no answer");
	ends(1, 0, 0, "turn: nor one in the whole next turn");
	ok(!tally.astray, "turn: in step all the while");
}

/* The first is held up: it is answered before it is told. */
static void test_held_up(void)
{
	begin();
	told(110, 210, 211);
	answered(10, 300);
	answered(20, 310);
	ends(0, 0, 0, "held up: one is missing");
	told(100, 200, 350);
	ends(2, 2, 0, "held up: that is it");
	told(100, 200, 201);
	answered(10, 300);
	answered(20, 310);
	/* Another one that may be it, or not. */
	told(120, 220, 320);
	told(130, 230, 330);
	ends(0, 0, 0, "held up: one of two");
	ok(!tally.astray && tally.turns == 1, "held up: they wait");
	answered(30, 400);
	ends(3, 3, 7, "held up: both");
	told(100, 200, 201);
	answered(10, 300);
	answered(20, 310);
	/* Done after the last answer, so it is none of these. */
	told(130, 311, 320);
	ends(0, 0, 0, "held up: the next one is not taken for it");
	told(120, 220, 330);
	ends(0, 0, 0, "held up: nor is what came after the next one");
	answered(30, 400);
	ends(3, 3, 1, "held up: all three");
}

static void test_own(void)
{
	unsigned int i;

	begin();
	told(100, 200, 201);
	answered_own(10, 300);
	ends(1, 1, 1, "own: told of, so it was not");
	told(100, 400, 401);
	answered(10, 500);
	answered_own(20, 510);
	ends(0, 0, 0, "own: or held up");
	told(120, 410, 520);
	ends(2, 2, 1 | 2, "own: it was");
	answered_own(600, 610);
	for (i = 0; i < TL_TALLY_OWN_TURNS; i++)
		ends(0, 0, 0, "own: waits");
	ends(0, 1, 0, "own: but not for long");
	ok(tally.astray, "own: not in step any more");
	begin();
	told(100, 200, 201);
	answered_own(10, 300);
	ends(1, 1, 1, "own: again");
	answered(310, 350);
	for (i = 0; i < TL_TALLY_TURNS; i++)
		ends(0, 0, 0, "others wait");
	ends(0, 1, 0, "others, too, not for ever");
	ok(tally.astray, "others: not in step any more");
}

static void go_astray(void)
{
	begin();
	answered(10, 1000);
	tally.full = true;
	ends(0, 1, 0, "astray: something is missing");
	ok(tally.astray && !tally.full, "astray: known");
	is_u64(tally.order.right, TL_ORDER_FIRST, "astray: says nothing about the order");
}

static void test_astray(void)
{
	go_astray();
	ends(0, 0, 0, "astray: an empty turn");
	ok(tally.astray, "astray: says nothing");
	told(1500, 1600, 1601);
	told(1500, 1600, 1701);
	answered(1400, 1650);
	ends(2, 1, 0, "astray: more results than answers");
	told(1800, 1900, 1901);
	answered(1700, 1900);
	ends(1, 1, 0, "astray: told after the answer");
	ok(tally.astray, "astray: still");
	told(1800, 2000, 2001);
	answered(1700, 2100);
	ends(1, 1, 1, "astray: in step");
	ok(!tally.astray, "astray: no more");

	go_astray();
	told(900, 1000, 1100);
	answered(800, 1200);
	ends(1, 1, 0, "forgotten: it may be that answer's");
	ok(tally.astray, "forgotten: so it is not known");
	told(1250, 1300, 1301);
	answered(1200, 1400);
	ends(1, 1, 1, "forgotten: now it is");
	told(900, 1150, 1450);
	told(1420, 1500, 1501);
	answered(850, 1510);
	ends(2, 1, 0, "forgotten: that was it");
	ok(tally.astray, "forgotten: not known after all");
	told(0, 900, 1520);
	answered(1410, 1530);
	ends(1, 1, 1, "forgotten: of work without calls nobody knows");
	ok(!tally.astray, "forgotten: that is no reason");
}

static void test_full(void)
{
	unsigned int i, kept = 0;

	begin();
	for (i = 0; i <= TL_TALLY_MAX; i++)
		kept += tl_tally_told(&tally, &(struct tl_order_result){ 1, 2, 3 });
	is_u64(kept, TL_TALLY_MAX, "full: so many results");
	ends(TL_TALLY_MAX, 0, 0, "full: results");
	ok(tally.astray, "full: of results");
	begin();
	for (i = kept = 0; i <= TL_TALLY_MAX; i++)
		kept += tl_tally_answered(&tally, &(struct tl_order_answer){ 1, 2 }, false);
	is_u64(kept, TL_TALLY_MAX, "full: so many answers");
	ends(0, TL_TALLY_MAX, 0, "full: answers");
	ok(tally.astray, "full: of answers");
}

/* What contradicts the order, and what only says that the two are not in step. */
static void test_wrong(void)
{
	begin();
	told(100, 200, 201);
	answered(110, 300);
	ends(1, 1, 0, "wrong: the request is younger");
	ok(tally.astray, "wrong: perhaps they are out of step");
	is_u64(tally.order.right, 0, "wrong: perhaps it is the order");
	begin();
	told(100, 301, 302);
	told(100, 303, 304);
	answered(10, 300);
	answered(10, 310);
	ends(2, 2, 0, "too late: the first was not there yet");
	ok(tally.astray, "too late: out of step");
	is_u64(tally.order.right, TL_ORDER_FIRST, "too late: whatever the order");
}

int main(void)
{
	test_turn();
	test_held_up();
	test_own();
	test_astray();
	test_full();
	test_wrong();
	return done();
}
