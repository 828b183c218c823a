// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose call is it? By sequences made by hand. */
#include "core-tap.h"

#define P 11 /* the peer of most client connections */

static struct world w;

/* When all is closed: whose the rest was is known by then. */
static void finish(const char *name)
{
	finish_world(&w, name);
}

static u32 calls_by(enum tl_by by)
{
	return sum_of(last_ended(&w), P)->by[by];
}

static u64 calls_time(void)
{
	return sum_of(last_ended(&w), P)->time_ns;
}

/* One thread, two requests, two kept connections: each turn says whose it is. */
static void test_event_loop(void)
{
	older(&w, 0, P);
	older(&w, 1, P);
	received(&w, 0, 0, 100);
	call(&w, 0, 0, 110);
	received(&w, 0, 1, 120);
	call(&w, 0, 1, 130);
	is_u64(reply(&w, 0, 0, 200), TL_ATTRIBUTED,
	       "loop: a reply for the other request");
	call(&w, 0, 0, 210);
	reply(&w, 0, 1, 220);
	is_u64(sent(&w, 0, 1, 230), TL_ATTRIBUTED, "loop: second request answered");
	reply(&w, 0, 0, 300);
	sent(&w, 0, 0, 310);
	close_server(&w, 1);
	is_u64(last_response(&w), 110, "loop: second request");
	is_u64(last_own(&w), 20, "loop: second request's own time");
	is_u64(calls_by(TL_BY_THREAD), 1, "loop: its call was the thread's");
	close_server(&w, 0);
	is_u64(last_response(&w), 210, "loop: first request");
	is_u64(last_own(&w), 30, "loop: first request's own time");
	is_u64(calls_by(TL_BY_THREAD), 1, "loop: its first call was the thread's");
	is_u64(calls_by(TL_BY_OWNER), 1,
	       "loop: its second one by the connection's owner");
	is_u64(calls_time(), 180, "loop: both calls' time");
	finish("event loop");
}

/* Connects in one turn, sends in another, with another request in between. */
static void test_connector(void)
{
	received(&w, 0, 0, 100);
	connected(&w, 0, 0, P, 105);
	received(&w, 0, 1, 120);
	is_u64(call(&w, 0, 0, 130), TL_ATTRIBUTED, "connector: first send");
	connected(&w, 0, 1, P, 135);
	call(&w, 0, 1, 140);
	reply(&w, 0, 0, 150);
	reply(&w, 0, 1, 160);
	sent(&w, 0, 1, 170);
	close_server(&w, 1);
	is_u64(calls_time(), 25, "connector: the other request has its own call only");
	is_u64(calls_by(TL_BY_THREAD), 1, "connector: which is the thread's");
	sent(&w, 0, 0, 180);
	close_server(&w, 0);
	is_u64(calls_time(), 45,
	       "connector: the call is the connector's, from the connect");
	is_u64(calls_by(TL_BY_OWNER), 1, "connector: by the connection's owner");
	is_u64(last_own(&w), 35, "connector: own time");
	finish("connector");
	/* Only the first call: the next one is whoever's turn it is. */
	received(&w, 0, 0, 100);
	connected(&w, 0, 0, P, 105);
	call(&w, 0, 0, 110);
	reply(&w, 0, 0, 120);
	received(&w, 0, 1, 130);
	call(&w, 0, 0, 140);
	reply(&w, 0, 0, 150);
	sent(&w, 0, 1, 160);
	close_server(&w, 1);
	is_u64(calls_time(), 10, "connector: has the first call, not the second");
	finish("connector's first");
}

/* A loop that has turned to a call goes on with whom that is for. */
static void test_connector_turn(void)
{
	older(&w, 2, P);
	received(&w, 0, 0, 100);
	connected(&w, 0, 0, P, 105);
	dispatched(&w, 0);
	is_u64(call(&w, 0, 0, 110), TL_ATTRIBUTED, "connector's turn: first send");
	is_u64(call(&w, 0, 2, 115), TL_ATTRIBUTED,
	       "connector's turn: a call over another connection");
	dispatched(&w, 0);
	is_u64(call(&w, 0, 0, 120), TL_ATTRIBUTED, "connector's turn: sends more");
	older(&w, 1, P);
	is_u64(call(&w, 0, 1, 125), TL_ATTRIBUTED, "connector's turn: and calls again");
	reply(&w, 0, 0, 130);
	reply(&w, 0, 1, 130);
	reply(&w, 0, 2, 130);
	sent(&w, 0, 0, 140);
	close_server(&w, 0);
	is_u64(calls_by(TL_BY_OWNER), 3, "connector's turn: by the connection's owner");
	finish("connector's turn");
	/* Whom it works for already, it goes on working for. */
	older(&w, 1, P);
	received(&w, 0, 0, 100);
	connected(&w, 0, 0, P, 105);
	received(&w, 0, 1, 110);
	call(&w, 0, 0, 115);
	call(&w, 0, 1, 120);
	reply(&w, 0, 1, 125);
	sent(&w, 0, 1, 130);
	close_server(&w, 1);
	is_u64(calls_by(TL_BY_THREAD), 1, "connector's turn: not while it has a request");
	finish("connector's turn, of two");
}

static void test_connector_gone(void)
{
	received(&w, 0, 0, 100);
	connected(&w, 0, 0, P, 105);
	connected(&w, 0, 1, P, 106);
	sent(&w, 0, 0, 110);
	is_u64(call(&w, 0, 0, 120), TL_UNATTRIBUTED, "connector answered: nobody's call");
	received(&w, 0, 0, 130);
	is_u64(call(&w, 0, 1, 140), TL_UNATTRIBUTED, "connector ended: nobody's call");
	reply(&w, 0, 1, 150);
	is_u64(call(&w, 0, 1, 160), TL_DEFERRED,
	       "connector ended: after its reply nobody is current");
	close_client(&w, 0);
	is_u64(w.result.strays_used, 1, "connector ended: one stray was answered");
	connected(&w, 0, 0, P, 165);
	received(&w, 0, 1, 170);
	is_u64(call(&w, 0, 0, 180), TL_DEFERRED, "connector: an errand");
	sent(&w, 0, 0, 185);
	connected(&w, 1, 2, P, 186);
	exited(&w, 1);
	received(&w, 1, 1, 190);
	is_u64(call(&w, 1, 2, 200), TL_DEFERRED,
	       "connector: an errand outlives its thread");
	finish("connector gone");
}

/* Connecting is waiting only if something comes of it. */
static void test_connect_alone(void)
{
	received(&w, 0, 0, 100);
	connected(&w, 0, 0, P, 105);
	connected(&w, 0, 1, P, 110);
	reply(&w, 0, 1, 115);
	call(&w, 0, 0, 120);
	sent(&w, 0, 0, 150);
	close_server(&w, 0);
	is_u64(last_own(&w), 50, "connect alone: all of it own");
	is_u64(last_ended(&w)->sums_used, 0, "connect alone: no call");
	reply(&w, 0, 0, 160);
	close_client(&w, 0);
	is_u64(w.result.strays[0].sum.time_ns, 55, "connect alone: the stray has it");
	call(&w, 0, 1, 170);
	reply(&w, 0, 1, 180);
	close_client(&w, 1);
	is_u64(w.result.strays[1].sum.time_ns, 10,
	       "connector ended: not from the connect");
	finish("connect alone");
}

/* MySQL speaks first. */
static void test_greeting(void)
{
	received(&w, 0, 0, 100);
	connected(&w, 0, 0, P, 105);
	received(&w, 0, 1, 110);
	is_u64(reply(&w, 0, 0, 150), TL_ATTRIBUTED, "greeting: the connector's");
	call(&w, 0, 0, 160);
	reply(&w, 0, 0, 170);
	call(&w, 0, 0, 180);
	reply(&w, 0, 0, 185);
	sent(&w, 0, 0, 200);
	close_server(&w, 0);
	is_u64(calls_time(), 70, "greeting: within the first call, from the connect");
	is_u64(calls_by(TL_BY_OWNER), 2, "greeting: makes its connector current");
	is_u64(last_own(&w), 30, "greeting: waiting for it is no own time");
	finish("greeting");
	received(&w, 0, 0, 100);
	connected(&w, 0, 0, P, 105);
	reply(&w, 0, 0, 150);
	call(&w, 0, 0, 160);
	reply(&w, 0, 0, 170);
	sent(&w, 0, 0, 200);
	close_server(&w, 0);
	is_u64(calls_by(TL_BY_THREAD), 1, "greeting: no news in a thread of its own");
	older(&w, 1, P);
	is_u64(reply(&w, 0, 1, 210), TL_UNATTRIBUTED, "greeting: nobody's");
	close_client(&w, 1);
	is_u64(w.result.strays_used, 0, "greeting: is no stray call");
	finish("thread's greeting");
}

static void test_answered_is_no_parent(void)
{
	connected(&w, 0, 0, P, 50);
	connected(&w, 0, 1, P, 50);
	received(&w, 0, 0, 100);
	call(&w, 0, 0, 105);
	sent(&w, 0, 0, 110);
	is_u64(call(&w, 0, 0, 112), TL_ATTRIBUTED, "answered: a call that goes on");
	is_u64(call(&w, 0, 1, 115), TL_DEFERRED, "answered: no new call");
	is_u64(reply(&w, 0, 1, 120), TL_DEFERRED, "answered: nor its reply");
	is_u64(reply(&w, 0, 0, 130), TL_ATTRIBUTED,
	       "answered: the reply of the earlier one");
	is_u64(call(&w, 0, 0, 140), TL_DEFERRED, "answered: still no new call");
	sent(&w, 0, 0, 150);
	close_server(&w, 0);
	is_u64(last_response(&w), 50, "answered: response");
	is_u64(last_own(&w), 25, "answered: own");
	is_u64(calls_time(), 25, "answered: call");
	close_client(&w, 1);
	exited(&w, 0);
	is_u64(w.result.strays_used, 1, "answered: a stray");
	is_u64(w.result.strays[0].sum.time_ns, 5, "answered: its time");
	is_u64(w.result.strays[0].sum.peer, P, "answered: its peer");
	is_u64(w.result.strays[0].sum.by[TL_BY_LOOKBACK], 1, "answered: counted once");
	close_client(&w, 0);
	is_u64(w.result.strays_used, 1, "answered: not replied to, no stray");
	finish("answered");
}

/* The reply comes when its owner has gone and another request is there. */
static void test_stale(void)
{
	connected(&w, 0, 0, P, 50);
	received(&w, 0, 0, 100);
	call(&w, 0, 0, 110);
	sent(&w, 0, 0, 120);
	received(&w, 0, 0, 200);
	is_u64(call(&w, 0, 0, 205), TL_UNATTRIBUTED,
	       "stale: the call goes on for nobody");
	is_u64(reply(&w, 0, 0, 210), TL_UNATTRIBUTED, "stale: the reply is nobody's");
	is_u64(last_response(&w), 20, "stale: first request");
	is_u64(last_ended(&w)->sums_used, 0, "stale: its call was not answered in time");
	call(&w, 0, 0, 220);
	is_u64(w.result.strays_used, 1, "stale: a stray");
	is_u64(w.result.strays[0].sum.time_ns, 100, "stale: from its own beginning");
	reply(&w, 0, 0, 230);
	sent(&w, 0, 0, 300);
	close_server(&w, 0);
	is_u64(last_own(&w), 90, "stale: second request's own time");
	is_u64(calls_by(TL_BY_LOOKBACK), 1, "stale: it has one call, by its answer");
	is_u64(calls_time(), 10, "stale: of its own time");
	close_client(&w, 0);
	is_u64(w.result.strays_used, 1, "stale: no other stray");
	finish("stale");
}

/* What was counted while its owner was there does not become a stray. */
static void test_counted_once(void)
{
	connected(&w, 0, 0, P, 50);
	received(&w, 0, 0, 100);
	call(&w, 0, 0, 110);
	reply(&w, 0, 0, 120);
	reply(&w, 0, 0, 125);
	sent(&w, 0, 0, 130);
	reply(&w, 0, 0, 140);
	received(&w, 0, 0, 200);
	is_u64(last_own(&w), 10, "counted: clipped to the response");
	is_u64(calls_by(TL_BY_THREAD), 1, "counted: one call");
	is_u64(calls_time(), 30, "counted: to the last byte before the end");
	is_u64(reply(&w, 0, 0, 210), TL_UNATTRIBUTED, "counted: the rest is nobody's");
	close_client(&w, 0);
	is_u64(w.result.strays_used, 0, "counted: not once more as a stray");
	finish("counted");
}

/* A reply for who has ended leaves nobody current; who answers tells. */
static void test_stale_and_current(void)
{
	older(&w, 0, P);
	received(&w, 0, 0, 100);
	call(&w, 0, 0, 110);
	sent(&w, 0, 0, 120);
	close_server(&w, 0);
	received(&w, 0, 1, 200);
	reply(&w, 0, 0, 210);
	call(&w, 0, 0, 220);
	reply(&w, 0, 0, 230);
	sent(&w, 0, 1, 240);
	close_server(&w, 1);
	is_u64(calls_by(TL_BY_LOOKBACK), 1, "stale: who was current is so no longer");
	finish("stale and current");
}

static void test_who_serves(void)
{
	connected(&w, 4, 0, P, 50);
	is_u64(call(&w, 4, 0, 100), TL_IGNORED, "outside: call of who serves nobody");
	is_u64(reply(&w, 4, 0, 110), TL_IGNORED, "outside: its reply");
	close_client(&w, 0);
	is_u64(w.result.strays_used, 0, "outside: no stray");
	received(&w, 1, 0, 200);
	connected(&w, 4, 0, P, 50);
	is_u64(call(&w, 4, 0, 210), TL_IGNORED, "outside: another process serves");
	is_u64(reply(&w, 4, 0, 215), TL_IGNORED, "outside: that is not its business");
	is_u64(call(&w, 4, 0, 216), TL_IGNORED, "outside: whatever it calls");
	connected(&w, 2, 1, P, 50);
	is_u64(call(&w, 2, 1, 220), TL_DEFERRED, "serves: another thread of the process");
	is_u64(reply(&w, 2, 1, 231), TL_DEFERRED, "serves: its reply");
	connected(&w, 3, 1, P, 60);
	is_u64(w.result.strays_used, 0, "serves: the thread is still at it");
	exited(&w, 2);
	is_u64(w.result.strays_used, 1, "serves: a stray when the thread goes");
	is_u64(w.result.strays[0].sum.time_ns, 181, "serves: its time");
	exited(&w, 1);
	is_u64(call(&w, 1, 1, 240), TL_DEFERRED, "serves: whoever comes after it");
	call(&w, 3, 1, 250);
	close_client(&w, 1);
	exited(&w, 3);
	is_u64(w.result.strays_used, 1, "serves: unanswered, no stray");
	finish("who serves");
}

/* A call keeps its owner whoever acts; storage used again is somebody else's. */
static void test_other_threads(void)
{
	connected(&w, 0, 0, P, 50);
	received(&w, 0, 0, 100);
	call(&w, 0, 0, 110);
	received(&w, 1, 1, 115);
	ok(tl_correlate_call_owner(&w.clients[0].call, &w.threads[1].thread).request ==
		   world_request(&w, 0),
	   "threads: a call under way has its owner");
	is_u64(call(&w, 1, 0, 120), TL_ATTRIBUTED, "threads: another one sends the rest");
	reply(&w, 2, 0, 130);
	connected(&w, 2, 1, P, 135);
	call(&w, 2, 1, 140);
	reply(&w, 2, 1, 150);
	sent(&w, 2, 0, 160);
	close_server(&w, 0);
	is_u64(last_own(&w), 25, "threads: own");
	is_u64(calls_by(TL_BY_THREAD), 1, "threads: the first is the thread's");
	is_u64(calls_by(TL_BY_OWNER), 1, "threads: the other by the owner");
	is_u64(calls_time(), 35, "threads: both");
	exited(&w, 1);
	is_u64(call(&w, 1, 1, 170), TL_DEFERRED, "threads: one that exited forgets");
	received(&w, 2, 0, 180);
	received(&w, 2, 0, 190);
	exited(&w, 3);
	connected(&w, 3, 0, P, 50);
	is_u64(call(&w, 3, 0, 200), TL_DEFERRED, "threads: a new one has no request");
	finish("threads");
}

/* The request that a thread remembers is not the next one of its connection. */
static void test_reference(void)
{
	connected(&w, 1, 0, P, 50);
	received(&w, 0, 0, 100);
	received(&w, 1, 0, 101);
	sent(&w, 0, 0, 110);
	received(&w, 0, 0, 120);
	ok(!tl_request_alive(&w.threads[1].thread.current_request),
	   "reference: means the one before, which has ended");
	is_u64(call(&w, 1, 0, 130), TL_DEFERRED, "reference: not the next one");
	ok(tl_request_alive(&w.threads[0].thread.current_request),
	   "reference: this one has not");
	close_server(&w, 0);
	ok(!tl_request_alive(&w.threads[0].thread.current_request),
	   "reference: now it has");
	ok(!tl_request_alive(&w.threads[2].thread.current_request),
	   "reference: an empty one");
	finish("reference");
}

int main(void)
{
	world_init(&w);
	test_event_loop();
	test_connector();
	test_connector_turn();
	test_connector_gone();
	test_connect_alone();
	test_greeting();
	test_answered_is_no_parent();
	test_stale();
	test_counted_once();
	test_stale_and_current();
	test_who_serves();
	test_other_threads();
	test_reference();
	return done();
}
