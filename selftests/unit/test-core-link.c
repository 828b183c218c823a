// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both ends of a connection, by sequences made by hand
 *
 * Client connection n reaches server n + 1, whose number as a peer is 11 + n.
 */
#include "core-tap.h"

static struct world w;

static void finish(const char *name)
{
	finish_world(&w, name);
}

static void begin(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		linked(&w, i, i + 1);
}

static u64 own_of_all(void)
{
	u64 ns = 0;
	unsigned int i;

	for (i = 0; i < w.result.ended_used; i++)
		ns += w.result.ended[i].ended.own_at_send_ns;
	return ns;
}

/* Transit and the joined of all calls of the requests that have ended. */
static struct tl_call_sum calls_of_all(void)
{
	struct tl_call_sum all = {0};
	unsigned int i, j;

	for (i = 0; i < w.result.ended_used; i++)
		for (j = 0; j < w.result.ended[i].ended.sums_used; j++) {
			all.transit_ns += w.result.ended[i].ended.sums[j].transit_ns;
			all.joined += w.result.ended[i].ended.sums[j].joined;
		}
	return all;
}

static u64 state = 88172645463325252ULL;

static u64 step(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> (20 + state % 40);
}

/* One tier serves and calls the next one a few times; returns when it has answered. */
static u64 serve(u8 tier, u64 t)
{
	unsigned int calls = tier < 3 ? state % 4 : 0, parts = 1 + state % 3;

	received(&w, tier, tier, t);
	while (calls--) {
		call(&w, tier, tier, t += step());
		t = serve(tier + 1, t + step());
		reply(&w, tier, tier, t += step());
	}
	while (parts--)
		sent(&w, tier, tier, t += step());
	return t;
}

/* Σ own + Σ transit over a chain of synchronous tiers is the front's response. */
static void test_exact(void)
{
	unsigned int round, wrong = 0, joined = 0, unjoined = 0;

	for (round = 0; round < 2000; round++) {
		unsigned int i, calls = 0;
		u64 t = 1000 + step();

		begin();
		serve(0, t);
		for (i = 1; i <= 4; i++)
			close_server(&w, i % 4);
		wrong += own_of_all() + calls_of_all().transit_ns != last_response(&w);
		for (i = 0; i < w.log_used; i++)
			calls += w.log[i].kind == EVENT_CALL;
		joined += calls_of_all().joined;
		unjoined += calls - calls_of_all().joined;
		world_init(&w);
	}
	is_u64(wrong, 0, "exact: own times and transit are the response");
	is_u64(unjoined, 0, "exact: all calls are joined");
	ok(joined > 3000, "exact: and many are (%u)", joined);
}

static void test_one(void)
{
	begin();
	received_text(&w, 0, 0, 2, 100);
	call(&w, 0, 0, 110);
	received(&w, 1, 1, 115);
	call(&w, 1, 1, 120);
	received(&w, 2, 2, 123);
	sent(&w, 2, 2, 130);
	reply(&w, 1, 1, 134);
	sent(&w, 1, 1, 140);
	reply(&w, 0, 0, 142);
	sent(&w, 0, 0, 150);
	close_server(&w, 2);
	is_u64(last_ended(&w)->queued, 1, "one: the last was called from here");
	is_u64(last_ended(&w)->queue_ns, 3, "one: its bytes waited");
	is_u64(last_ended(&w)->class, 2, "one: the class comes all the way down");
	close_server(&w, 1);
	is_u64(last_ended(&w)->class, 2, "one: through the middle");
	is_u64(last_ended(&w)->queue_ns, 5, "one: whose bytes waited, too");
	is_u64(sum_of(last_ended(&w), 12)->transit_ns, 3 + 4, "one: its transit");
	is_u64(sum_of(last_ended(&w), 12)->joined, 1, "one: of one call");
	is_u64(last_ended(&w)->node,
	       world_node(world_node(0, world_tier(0), 2), world_tier(1), 2),
	       "one: its node is below the front's");
	close_server(&w, 0);
	is_u64(last_ended(&w)->queued, 0, "one: nobody here called the front");
	is_u64(last_ended(&w)->queue_ns, 0, "one: nothing is known of its waiting");
	is_u64(last_ended(&w)->parent, 0, "one: nor of its caller");
	is_u64(sum_of(last_ended(&w), 11)->transit_ns, 5 + 2, "one: its transit");
	is_u64(own_of_all() + calls_of_all().transit_ns, 50, "one: the sum");
	finish("one");
}

/* A rule of the callee's own goes before what the caller says. */
static void test_class(void)
{
	begin();
	received_text(&w, 0, 0, 1, 100);
	call(&w, 0, 0, 110);
	received_text(&w, 0, 0, 3, 112); /* only now it is AB */
	received_text(&w, 1, 1, 3, 115);
	sent(&w, 1, 1, 120);
	close_server(&w, 1);
	is_u64(last_ended(&w)->class, 5, "class: its own rule");
	is_u64(last_ended(&w)->parent, world_node(0, world_tier(0), 1),
	       "class: called by what was known of the caller then");
	reply(&w, 0, 0, 125);
	call(&w, 0, 0, 130);
	received_text(&w, 1, 1, 7, 135);
	sent(&w, 1, 1, 140);
	close_server(&w, 1);
	is_u64(last_ended(&w)->class, 0, "class: a new socket knows no caller");
	sent(&w, 0, 0, 150);
	close_server(&w, 0);
	is_u64(last_ended(&w)->class, 2, "class: of all first bytes");
	is_u64(last_ended(&w)->node, world_node(0, world_tier(0), 2),
	       "class: and its place is that of its class");
	finish("class");
	begin();
	received_text(&w, 0, 0, 1, 100);
	call(&w, 1, 0, 110);
	received_text(&w, 2, 1, 0, 115);
	sent(&w, 2, 1, 120);
	close_server(&w, 1);
	is_u64(last_ended(&w)->class, 0, "class: nobody knows whose errand it is");
	is_u64(last_ended(&w)->parent, 0, "class: nor where it comes from");
	is_u64(last_ended(&w)->queued, 1, "class: but since when it waited");
	finish("errand's class");
	begin();
	received_text(&w, 0, 0, 1, 100);
	call(&w, 0, 0, 110);
	received_text(&w, 2, 1, 7, 115);
	sent(&w, 2, 1, 120);
	reply(&w, 0, 0, 130);
	received(&w, 0, 3, 135);
	call(&w, 0, 0, 140);
	received_text(&w, 2, 1, 7, 145);
	sent(&w, 2, 1, 150);
	close_server(&w, 1);
	is_u64(last_ended(&w)->class, 0, "class: of this call, not of the one before");
	finish("class of each call");
}

/* The answer comes in parts, of which the caller reads each as it comes. */
static void test_streaming(void)
{
	begin();
	received(&w, 0, 0, 100);
	call(&w, 0, 0, 110);
	received(&w, 1, 1, 115);
	is_u64(reply(&w, 0, 0, 117), TL_ATTRIBUTED, "streaming: before it is answered");
	sent(&w, 1, 1, 120);
	reply(&w, 0, 0, 130);
	sent(&w, 1, 1, 140);
	reply(&w, 0, 0, 144);
	still_sending(&w, 1, 1, 150);
	reply(&w, 0, 0, 152);
	sent(&w, 0, 0, 160);
	close_server(&w, 1);
	close_server(&w, 0);
	is_u64(sum_of(last_ended(&w), 11)->transit_ns, 5 + 2, "streaming: at the end");
	is_u64(sum_of(last_ended(&w), 11)->joined, 1, "streaming: one call");
	is_u64(own_of_all() + calls_of_all().transit_ns, 60, "streaming: the sum");
	finish("streaming");
	/* The last byte is sent when the caller has left off. */
	begin();
	received(&w, 0, 0, 100);
	call(&w, 0, 0, 110);
	received(&w, 1, 1, 115);
	sent(&w, 1, 1, 120);
	reply(&w, 0, 0, 130);
	sent(&w, 1, 1, 140);
	reply(&w, 0, 0, 135);
	sent(&w, 0, 0, 160);
	close_server(&w, 0);
	is_u64(sum_of(last_ended(&w), 11)->transit_ns, 5, "streaming: never negative");
	finish("streaming on");
}

static void test_again(void)
{
	begin();
	received(&w, 0, 0, 100);
	call(&w, 0, 0, 110);
	received(&w, 1, 1, 115);
	sent(&w, 1, 1, 120);
	reply(&w, 0, 0, 130);
	call(&w, 0, 0, 140);
	reply(&w, 0, 0, 145);
	is_u64(world_request(&w, 1)->state, TL_REQUEST_ANSWERED,
	       "again: not yet received");
	received(&w, 1, 1, 150);
	reply(&w, 0, 0, 155);
	sent(&w, 1, 1, 160);
	reply(&w, 0, 0, 163);
	sent(&w, 0, 0, 170);
	close_server(&w, 0);
	is_u64(sum_of(last_ended(&w), 11)->joined, 2, "again: both calls are joined");
	is_u64(sum_of(last_ended(&w), 11)->transit_ns, 15 + 13, "again: each by itself");
	finish("again");
}

/* A request without a call of its own: it is not known what it is. */
static void test_ambiguous(void)
{
	begin();
	received_text(&w, 0, 0, 1, 100);
	call(&w, 0, 0, 110);
	received_text(&w, 1, 1, 7, 115);
	sent(&w, 1, 1, 120);
	received_text(&w, 1, 1, 7, 125);
	is_u64(w.result.loss[TL_LOSS_AMBIGUOUS], 0, "ambiguous: not yet");
	sent(&w, 1, 1, 140);
	close_server(&w, 1);
	is_u64(w.result.loss[TL_LOSS_AMBIGUOUS], 1, "ambiguous: counted");
	is_u64(last_ended(&w)->queued, 0, "ambiguous: its waiting is not known");
	is_u64(last_ended(&w)->class, 0, "ambiguous: nor its class");
	reply(&w, 0, 0, 150);
	sent(&w, 0, 0, 160);
	close_server(&w, 0);
	is_u64(sum_of(last_ended(&w), 11)->transit_ns, 5 + 30,
	       "ambiguous: the call is that of the first");
	finish("ambiguous");
	/* What comes late is read, and nothing is said to it: it was the same one. */
	begin();
	received(&w, 0, 0, 100);
	call(&w, 0, 0, 110);
	received(&w, 1, 1, 115);
	sent(&w, 1, 1, 120);
	received(&w, 1, 1, 125);
	close_server(&w, 1);
	is_u64(w.result.loss[TL_LOSS_AMBIGUOUS], 0, "ambiguous: not if unanswered");
	is_u64(w.result.loss[TL_LOSS_UNANSWERED], 1, "ambiguous: that is another loss");
	finish("rest of a request");
}

/* A caller so quick that its next call is there when the end of the last one's bytes is read. */
static void test_unopened(void)
{
	struct tl_request owner = {.class = 3, .node = 7}, request = {0};
	struct tl_link link = {0};

	tl_link_called(&link, &owner, 100);
	tl_request_begin(&request, 105);
	tl_link_opened(&link, &request);
	tl_link_called(&link, &owner, 120);
	tl_request_begin(&request, 130);
	tl_link_opened(&link, &request);
	tl_link_unopened(&link, &request);
	tl_request_begin(&request, 150);
	tl_link_opened(&link, &request);
	ok(!request.ambiguous && request.class == 3 && request.parent == 7, "unopened: the call is that of what began then");
	is_u64(request.queue_ns, 30, "unopened: whose bytes waited until then");
	/* No call was there: the one that was served before is not served again. */
	tl_request_begin(&request, 160);
	tl_link_opened(&link, &request);
	tl_link_unopened(&link, &request);
	tl_request_begin(&request, 170);
	tl_link_opened(&link, &request);
	is_u64(request.ambiguous, 1, "unopened: nothing is served twice");
}

/* The connection goes, and another one takes its entry. */
static void test_reused(void)
{
	begin();
	received(&w, 0, 0, 100);
	call(&w, 0, 0, 110);
	received(&w, 1, 1, 115);
	close_client(&w, 0);
	linked(&w, 0, 2);
	call(&w, 0, 0, 120);
	sent(&w, 1, 1, 125);
	reply(&w, 0, 0, 130);
	sent(&w, 0, 0, 140);
	close_server(&w, 0);
	is_u64(sum_of(last_ended(&w), 12)->joined, 0, "reused: not joined to the other");
	is_u64(sum_of(last_ended(&w), 12)->transit_ns, 0, "reused: so no transit");
	received(&w, 1, 1, 150);
	is_u64(w.result.loss[TL_LOSS_AMBIGUOUS], 0, "reused: nor the other way");
	finish("reused");
	/* Before the first call over a connection there is nothing to join. */
	begin();
	received(&w, 1, 1, 90);
	is_u64(w.result.loss[TL_LOSS_AMBIGUOUS], 0, "no call: no caller");
	sent(&w, 1, 1, 95);
	close_server(&w, 1);
	is_u64(last_ended(&w)->queued, 0, "no call: nothing waited");
	finish("no call");
}

/* Waits for the connection are transit, those for the thread are the bytes'. */
static void test_connect(void)
{
	struct event event = {
		.kind = EVENT_CONNECT, .text = 2, .value = 11, .now_ns = 105};

	received(&w, 0, 0, 100);
	world_apply(&w, &event);
	call(&w, 0, 0, 110);
	received(&w, 1, 1, 118);
	sent(&w, 1, 1, 120);
	reply(&w, 0, 0, 130);
	sent(&w, 0, 0, 140);
	close_server(&w, 1);
	is_u64(last_ended(&w)->queue_ns, 8, "connect: bytes waited from the send");
	close_server(&w, 0);
	is_u64(sum_of(last_ended(&w), 11)->transit_ns, 13 + 10,
	       "connect: transit from the connect");
	is_u64(own_of_all() + calls_of_all().transit_ns, 40, "connect: the sum");
	finish("connect");
}

/* An errand's call of a peer that had no place of its own shrinks elsewhere. */
static void test_no_place(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		older(&w, i, 20 + i);
	linked(&w, 4, 1);
	older(&w, 5, 11);
	received(&w, 0, 0, 100);
	call(&w, 0, 5, 101);
	reply(&w, 0, 5, 102);
	for (i = 0; i < 4; i++) {
		call(&w, 1, i, 110 + 10 * i);
		reply(&w, 1, i, 115 + 10 * i);
	}
	call(&w, 1, 4, 150);
	received(&w, 2, 1, 160);
	sent(&w, 2, 1, 170);
	reply(&w, 1, 4, 180);
	sent(&w, 1, 0, 185);
	sent(&w, 2, 1, 188);
	reply(&w, 1, 4, 190);
	sent(&w, 1, 0, 200);
	close_server(&w, 0);
	is_u64(sum_of(last_ended(&w), 11)->transit_ns, 0, "no place: not below zero");
	is_u64(sum_of(last_ended(&w), 0)->transit_ns, 20,
	       "no place: where it was counted");
	finish("no place");
}

/* What the CPUs' clocks disagree about is nothing. */
static void test_clocks(void)
{
	begin();
	received(&w, 0, 0, 100);
	call(&w, 0, 0, 110);
	received(&w, 1, 1, 108);
	sent(&w, 1, 1, 120);
	reply(&w, 0, 0, 118);
	sent(&w, 0, 0, 140);
	close_server(&w, 1);
	is_u64(last_ended(&w)->queue_ns, 0, "clocks: no waiting");
	close_server(&w, 0);
	is_u64(sum_of(last_ended(&w), 11)->transit_ns, 0, "clocks: no transit");
	is_u64(sum_of(last_ended(&w), 11)->joined, 1, "clocks: but joined");
	world_init(&w);
}

int main(void)
{
	world_init(&w);
	test_exact();
	test_one();
	test_class();
	test_streaming();
	test_again();
	test_ambiguous();
	test_unopened();
	test_reused();
	test_connect();
	test_no_place();
	test_clocks();
	return done();
}
