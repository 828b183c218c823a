// SPDX-License-Identifier: GPL-2.0-or-later
/* Own time and call sums: parallel calls, limits, clocks. */
#include "core-model.h"
#include "tap.h"

#define MANY (TL_REQUEST_CALLS + 4)
#define MS 1000000ULL

static struct world w;

static void begin(void)
{
	unsigned int i;

	world_init(&w);
	for (i = 0; i < WORLD_CLIENTS; i++)
		older(&w, i, 10 + i % TL_REQUEST_PEERS);
}

/*
 * Three calls, their six moments and the answer's in every order. Nanoseconds
 * are so few that the union can be counted one by one.
 */
#define CALLS 3
#define MOMENTS (2 * CALLS + 1)

static unsigned int cases, wrong_own, wrong_time, wrong_response;

static void check_order(const unsigned int *at)
{
	unsigned int answer = at[2 * CALLS], ns, own = 0, time = 0, i, got_time = 0;
	const struct tl_request *ended;

	begin();
	received(&w, 0, 0, 0);
	for (ns = 1; ns <= MOMENTS; ns++) {
		for (i = 0; i < CALLS; i++) {
			if (at[2 * i] == ns)
				call(&w, 0, i, ns);
			if (at[2 * i + 1] == ns)
				reply(&w, 0, i, ns);
		}
		if (answer == ns)
			sent(&w, 0, 0, ns);
	}
	close_server(&w, 0);
	for (ns = 0; ns < answer; ns++) {
		bool covered = false;

		for (i = 0; i < CALLS; i++)
			covered |= at[2 * i] < answer && at[2 * i] <= ns &&
				   ns < at[2 * i + 1];
		own += !covered;
	}
	for (i = 0; i < CALLS; i++)
		if (at[2 * i] < answer)
			time += at[2 * i + 1] - at[2 * i];
	ended = last_ended(&w);
	for (i = 0; i < ended->sums_used; i++)
		got_time += ended->sums[i].time_ns;
	cases++;
	wrong_own += ended->own_at_send_ns != own;
	wrong_time += got_time != time;
	wrong_response += last_response(&w) != answer;
}

/* Every permutation in which each call begins before it ends. */
static void permute(unsigned int *at, unsigned int done_to)
{
	unsigned int i, value;

	if (done_to == MOMENTS) {
		check_order(at);
		return;
	}
	for (value = 1; value <= MOMENTS; value++) {
		for (i = 0; i < done_to && at[i] != value; i++)
			;
		if (i < done_to ||
		    (done_to < 2 * CALLS && done_to % 2 && value < at[done_to - 1]))
			continue;
		at[done_to] = value;
		permute(at, done_to + 1);
	}
}

static void test_overlaps(void)
{
	unsigned int at[MOMENTS];

	permute(at, 0);
	is_u64(cases, 630, "parallel: all orders of three calls and the answer");
	is_u64(wrong_response, 0, "parallel: response");
	is_u64(wrong_own, 0, "parallel: own time is what no call covers");
	is_u64(wrong_time, 0, "parallel: call time is every call's");
}

/* Bytes of the first call's reply keep coming while others begin and end. */
static void test_growing(void)
{
	begin();
	received(&w, 0, 0, 0);
	call(&w, 0, 0, 10);
	call(&w, 0, 1, 20);
	reply(&w, 0, 1, 30);
	reply(&w, 0, 0, 40);
	call(&w, 0, 2, 60);
	reply(&w, 0, 2, 70);
	sent(&w, 0, 0, 80);
	reply(&w, 0, 0, 65);
	reply(&w, 0, 0, 75);
	reply(&w, 0, 0, 100);
	close_server(&w, 0);
	is_u64(last_response(&w), 80, "growing: response");
	is_u64(last_own(&w), 10, "growing: all but the time before the first call");
	is_u64(sum_of(last_ended(&w), 10)->time_ns, 90, "growing: its call's time");
}

static void test_after_send(void)
{
	begin();
	received(&w, 0, 0, 0);
	call(&w, 0, 0, 10);
	sent(&w, 0, 0, 50);
	reply(&w, 0, 0, 70);
	sent(&w, 0, 0, 100);
	reply(&w, 0, 0, 120);
	close_server(&w, 0);
	is_u64(last_response(&w), 100, "after a send: response");
	is_u64(last_own(&w), 10, "after a send: the call goes on");
	begin();
	received(&w, 0, 0, 0);
	call(&w, 0, 0, 10);
	reply(&w, 0, 0, 20);
	call(&w, 0, 1, 30);
	sent(&w, 0, 0, 50);
	reply(&w, 0, 1, 60);
	gone_quiet(&w, 0);
	is_u64(last_own(&w), 20, "after the last send: only to the last send");
	is_u64(sum_of(last_ended(&w), 11)->time_ns, 30,
	       "after the last send: call in full");
}

static void test_many_parallel(void)
{
	unsigned int i;

	begin();
	received(&w, 0, 0, 0);
	for (i = 0; i < TL_REQUEST_CALLS; i++)
		call(&w, 0, i, 10 + i);
	for (i = 0; i < TL_REQUEST_CALLS; i++)
		reply(&w, 0, i, 100 + i);
	sent(&w, 0, 0, 200);
	close_server(&w, 0);
	is_u64(last_own(&w), 10 + 200 - 107, "as many as fit: union");
	is_u64(w.result.loss[TL_LOSS_CALLS_FULL], 0, "as many as fit: no loss");
	begin();
	received(&w, 0, 0, 0);
	for (i = 0; i < MANY; i++)
		call(&w, 0, i, 10 + i);
	for (i = 0; i < MANY; i++)
		reply(&w, 0, i, 100 + i);
	sent(&w, 0, 0, 200);
	close_server(&w, 0);
	is_u64(w.result.loss[TL_LOSS_CALLS_FULL], 4, "more: counted");
	ok(last_own(&w) >= 10 + 200 - 111, "more: own is not too small");
	is_u64(last_own(&w), 14 + 200 - 111, "more: those that fit are exact");
	for (i = 0; i < TL_REQUEST_PEERS; i++)
		is_u64(sum_of(last_ended(&w), 10 + i)->time_ns,
		       90 * MANY / TL_REQUEST_PEERS, "more: time of calls to peer %u", i);
}

/* Calls one after the other need no more than one slot, over however many connections. */
static void test_many_in_turn(void)
{
	u64 t = 10;
	unsigned int i;

	begin();
	received(&w, 0, 0, 0);
	for (i = 0; i < WORLD_CLIENTS; i++, t += 10) {
		call(&w, 0, i, t);
		reply(&w, 0, i, t + 6);
	}
	sent(&w, 0, 0, t);
	close_server(&w, 0);
	is_u64(last_own(&w), 10 + 4 * WORLD_CLIENTS, "in turn: own");
	is_u64(w.result.loss[TL_LOSS_CALLS_FULL], 0, "in turn: no loss");
	begin();
	received(&w, 0, 0, 0);
	call(&w, 0, 0, 5);
	for (i = 1, t = 10; i < WORLD_CLIENTS; i++, t += 10) {
		call(&w, 0, i, t);
		reply(&w, 0, i, t + 6);
	}
	reply(&w, 0, 0, t);
	sent(&w, 0, 0, t + 3);
	close_server(&w, 0);
	is_u64(last_own(&w), 8, "never more than two at once: own");
	is_u64(w.result.loss[TL_LOSS_CALLS_FULL], 0,
	       "never more than two at once: no loss");
}

/* A connection's next call takes its slot again, and nobody else's. */
static void test_slot_again(void)
{
	unsigned int i, round;
	u64 t = 10;

	begin();
	received(&w, 0, 0, 0);
	call(&w, 0, TL_REQUEST_CALLS - 1, 5);
	for (round = 0; round < 15; round++)
		for (i = 0; i < TL_REQUEST_CALLS - 1; i++, t += 10) {
			call(&w, 0, i, t);
			reply(&w, 0, i, t + 1);
		}
	reply(&w, 0, TL_REQUEST_CALLS - 1, t);
	sent(&w, 0, 0, t + 1);
	close_server(&w, 0);
	is_u64(last_own(&w), 6, "again: own");
	is_u64(w.result.loss[TL_LOSS_CALLS_FULL], 0, "again: no loss");
}

/* Of more than fit, the one goes that is the likeliest to be over. */
static void test_evicted(void)
{
	unsigned int i;

	begin();
	received(&w, 0, 0, 0);
	for (i = 0; i < TL_REQUEST_CALLS; i++)
		call(&w, 0, i, 10 + i);
	for (i = 0; i < TL_REQUEST_CALLS; i++)
		reply(&w, 0, i, 100 + i);
	call(&w, 0, 0, 200);
	call(&w, 0, TL_REQUEST_CALLS, 210);
	reply(&w, 0, TL_REQUEST_CALLS, 220);
	reply(&w, 0, 0, 230);
	reply(&w, 0, TL_REQUEST_CALLS - 1, 235);
	is_u64(w.result.loss[TL_LOSS_CALLS_FULL], 0, "evicted: nobody who goes on");
	reply(&w, 0, 1, 240);
	is_u64(w.result.loss[TL_LOSS_CALLS_FULL], 1, "evicted: who replied first");
	sent(&w, 0, 0, 250);
	close_server(&w, 0);
	is_u64(last_own(&w), 10 + 15, "evicted: the rest is exact");
}

static void test_many_peers(void)
{
	const struct tl_request *ended;
	u64 time = 0, calls = 0;
	unsigned int i;

	world_init(&w);
	for (i = 0; i < 6; i++)
		older(&w, i, 20 + i);
	received(&w, 0, 0, 0);
	for (i = 0; i < 6; i++) {
		call(&w, 0, i, 100 * i);
		reply(&w, 0, i, 100 * i + 1 + i);
	}
	call(&w, 0, 3, 600);
	reply(&w, 0, 3, 650);
	call(&w, 0, 0, 700);
	reply(&w, 0, 0, 750);
	sent(&w, 0, 0, 800);
	close_server(&w, 0);
	ended = last_ended(&w);
	is_u64(ended->sums_used, TL_REQUEST_PEERS, "peers: as many as fit");
	is_u64(sum_of(ended, 20)->time_ns, 51, "peers: the first stays apart");
	is_u64(sum_of(ended, 20)->by[TL_BY_THREAD], 2, "peers: with its calls");
	is_u64(sum_of(ended, 22)->time_ns, 3, "peers: so does the third");
	is_u64(sum_of(ended, 0)->time_ns, 4 + 5 + 6 + 50, "peers: the rest is together");
	is_u64(sum_of(ended, 0)->by[TL_BY_THREAD], 4, "peers: with its calls");
	ok(w.result.loss[TL_LOSS_PEERS_FULL] > 0, "peers: counted");
	for (i = 0; i < ended->sums_used; i++) {
		time += ended->sums[i].time_ns;
		calls += ended->sums[i].by[TL_BY_THREAD];
	}
	is_u64(time, 21 + 100, "peers: no time lost");
	is_u64(calls, 8, "peers: no call lost");
	is_u64(last_own(&w), 800 - 121, "peers: own needs no peers");
}

/* Peers are told apart from the beginning of each request. */
static void test_peers_again(void)
{
	unsigned int i;

	begin();
	received(&w, 0, 0, 0);
	for (i = 0; i < 3; i++) {
		call(&w, 0, i, 10 * i);
		reply(&w, 0, i, 10 * i + 5);
	}
	sent(&w, 0, 0, 100);
	received(&w, 0, 0, 200);
	call(&w, 0, 2, 210);
	reply(&w, 0, 2, 217);
	sent(&w, 0, 0, 300);
	close_server(&w, 0);
	is_u64(last_ended(&w)->sums_used, 1, "next request: its own peers");
	is_u64(sum_of(last_ended(&w), 12)->time_ns, 7, "next request: its own times");
	is_u64(sum_of(last_ended(&w), 12)->by[TL_BY_THREAD], 1,
	       "next request: its own calls");
	is_u64(last_own(&w), 93, "next request: its own time");
}

/* Two CPUs see the clock a little apart: never negative, never huge. */
static void test_clocks(void)
{
	begin();
	received(&w, 0, 0, 10 * MS);
	sent(&w, 0, 0, 10 * MS - 7);
	close_server(&w, 0);
	is_u64(last_response(&w), 0, "clocks: answered before it came");
	is_u64(last_own(&w), 0, "clocks: no own time");
	begin();
	received(&w, 0, 0, 10 * MS);
	sent(&w, 0, 0, 11 * MS);
	sent(&w, 0, 0, 11 * MS - 7);
	received(&w, 0, 0, 11 * MS - 9);
	is_u64(last_response(&w), MS, "clocks: the last send before the one before");
	is_u64(last_own(&w), MS, "clocks: all of it own");
	begin();
	received(&w, 0, 0, 0);
	call(&w, 0, 0, 5 * MS);
	reply(&w, 0, 0, 7 * MS);
	reply(&w, 0, 0, 7 * MS - 9);
	reply(&w, 0, 0, 7 * MS + 1);
	sent(&w, 0, 0, 8 * MS);
	close_server(&w, 0);
	is_u64(sum_of(last_ended(&w), 10)->time_ns, 2 * MS + 1, "clocks: call time");
	is_u64(last_own(&w), 6 * MS - 1, "clocks: own");
}

/* The clock of one event is a little behind; the rest are right. */
static void test_clock_behind(void)
{
	begin();
	received(&w, 0, 0, 0);
	call(&w, 0, 0, 500);
	call(&w, 0, 1, 600);
	reply(&w, 0, 0, 1000);
	reply(&w, 0, 1, 990);
	sent(&w, 0, 0, 2000);
	close_server(&w, 0);
	is_u64(last_own(&w), 1500, "clock behind: covered stays covered");
	begin();
	received(&w, 0, 0, 1000);
	call(&w, 0, 0, 1100);
	reply(&w, 0, 0, 1200);
	reply(&w, 0, 0, 1191);
	sent(&w, 0, 0, 1300);
	close_server(&w, 0);
	is_u64(sum_of(last_ended(&w), 10)->time_ns, 100, "clock behind: call time stays");
	is_u64(last_own(&w), 200, "clock behind: so does own time");
	begin();
	received(&w, 0, 0, 1000);
	call(&w, 0, 0, 1000);
	reply(&w, 0, 0, 1010);
	call(&w, 0, 1, 1005);
	reply(&w, 0, 1, 1020);
	sent(&w, 0, 0, 1030);
	close_server(&w, 0);
	is_u64(last_own(&w), 10, "clock behind: a call begins in one before it");
	begin();
	received(&w, 0, 0, 1000);
	call(&w, 0, 0, 1000);
	reply(&w, 0, 0, 1010);
	sent(&w, 0, 0, 1003);
	close_server(&w, 0);
	is_u64(last_own(&w), 0, "clock behind: an answer within a call");
}

static void test_clocks_own(void)
{
	begin();
	received(&w, 0, 0, 0);
	call(&w, 0, 0, 1000);
	reply(&w, 0, 0, 990);
	sent(&w, 0, 0, 1000);
	close_server(&w, 0);
	is_u64(last_own(&w), 1000, "clocks: replied to before it was sent");
	begin();
	received(&w, 0, 0, 0);
	call(&w, 0, 0, 995);
	reply(&w, 0, 0, 1000);
	sent(&w, 0, 0, 990);
	close_server(&w, 0);
	is_u64(last_own(&w), 990, "clocks: answered before it had called");
}

int main(void)
{
	test_overlaps();
	test_growing();
	test_after_send();
	test_many_parallel();
	test_many_in_turn();
	test_slot_again();
	test_evicted();
	test_many_peers();
	test_peers_again();
	test_clocks();
	test_clock_behind();
	test_clocks_own();
	return done();
}
