// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chains of tiers, by sequences made by hand
 *
 * Tier n serves on connection n with thread n and calls tier n + 1 over client
 * connection n; a peer's number is 10 + its tier's.
 */
#include "core-tap.h"

static struct world w;

/* What the reference says of the same events. */
static void finish(const char *name)
{
	is_as_reference(&w, name);
	world_init(&w);
}

static void connect_chain(void)
{
	connected(&w, 0, 0, 11, 0);
	connected(&w, 1, 1, 12, 0);
}

/* One request through three tiers, beginning at @t; ends nothing. */
static void pass_chain(u64 t)
{
	received(&w, 0, 0, t);
	call(&w, 0, 0, t + 10);
	received(&w, 1, 1, t + 13);
	call(&w, 1, 1, t + 30);
	received(&w, 2, 2, t + 34);
	sent(&w, 2, 2, t + 134);
	reply(&w, 1, 1, t + 140);
	sent(&w, 1, 1, t + 157);
	reply(&w, 0, 0, t + 161);
	sent(&w, 0, 0, t + 200);
}

static void test_thread_per_connection(void)
{
	u64 own_ns = 0, network_ns;

	connect_chain();
	pass_chain(1000);
	close_server(&w, 2);
	is_u64(last_response(&w), 100, "chain: response of the last tier");
	is_u64(last_own(&w), 100, "chain: all of it its own");
	own_ns += last_own(&w);
	network_ns = sum_of(last_ended(&w), 13)->time_ns;
	is_u64(network_ns, 0, "chain: it has called nobody");
	close_server(&w, 1);
	is_u64(last_response(&w), 144, "chain: response of the middle tier");
	is_u64(last_own(&w), 34, "chain: own time of the middle tier");
	is_u64(sum_of(last_ended(&w), 12)->time_ns, 110,
	       "chain: waiting of the middle tier");
	own_ns += last_own(&w);
	network_ns = 110 - 100;
	close_server(&w, 0);
	is_u64(last_response(&w), 200, "chain: response of the front tier");
	is_u64(last_own(&w), 49, "chain: own time of the front tier");
	is_u64(sum_of(last_ended(&w), 11)->time_ns, 151,
	       "chain: waiting of the front tier");
	is_u64(sum_of(last_ended(&w), 11)->by[TL_BY_THREAD], 1,
	       "chain: one call, by thread");
	is_u64(last_ended(&w)->bytes_in, 10, "chain: bytes in");
	is_u64(last_ended(&w)->bytes_out, 1000, "chain: bytes out");
	own_ns += last_own(&w);
	network_ns += 151 - 144;
	is_u64(own_ns + network_ns, 200, "chain: own times and network are the response");
	finish("chain");
}

static void test_kept_connections(void)
{
	unsigned int i;

	connect_chain();
	for (i = 0; i < 5; i++)
		pass_chain(1000 * (i + 1));
	for (i = 0; i < 3; i++)
		close_server(&w, i);
	is_u64(w.result.ended_used, 15, "kept: five requests at each of three tiers");
	for (i = 0; i < 15; i++) {
		const struct tl_request *ended = &w.result.ended[i].ended;
		unsigned int server = w.result.ended[i].server;
		static const u64 own_ns[] = {49, 34, 100};

		if (ended->own_at_send_ns != own_ns[server] ||
		    ended->tier != world_tier(server) ||
		    ended->sums_used != (server < 2) ||
		    (server < 2 && ended->sums[0].by[TL_BY_THREAD] != 1))
			break;
	}
	is_u64(i, 15, "kept: each as if it were alone");
	finish("kept");
}

static void test_several_sends(void)
{
	received(&w, 0, 0, 100);
	is_u64(received(&w, 0, 0, 120), TL_ATTRIBUTED, "several receives: attributed");
	received(&w, 1, 0, 130);
	sent(&w, 0, 0, 200);
	sent(&w, 0, 0, 300);
	still_sending(&w, 0, 0, 350);
	is_u64(w.result.ended_used, 0, "several sends: it goes on");
	received(&w, 0, 0, 400);
	is_u64(w.result.ended_used, 1, "several sends: ended by the next request");
	is_u64(last_response(&w), 250, "several sends: first byte received to last sent");
	is_u64(last_own(&w), 250, "several sends: all of it own");
	is_u64(last_ended(&w)->bytes_in, 30, "several receives: bytes in");
	is_u64(last_ended(&w)->bytes_out, 2000, "several sends: bytes out");
	sent(&w, 0, 0, 420);
	close_server(&w, 0);
	is_u64(last_response(&w), 20, "several sends: the next one begins anew");
	is_u64(last_ended(&w)->bytes_in, 10, "several sends: with its own bytes");
	finish("several sends");
}

/* A thread calls the same tier twice, and another, one after the other. */
static void test_several_calls(void)
{
	connected(&w, 0, 0, 11, 0);
	connected(&w, 0, 1, 12, 0);
	received(&w, 0, 0, 0);
	call(&w, 0, 0, 10);
	call(&w, 0, 0, 12);
	reply(&w, 0, 0, 20);
	reply(&w, 0, 0, 25);
	call(&w, 0, 0, 30);
	reply(&w, 0, 0, 47);
	call(&w, 0, 1, 50);
	reply(&w, 0, 1, 70);
	sent(&w, 0, 0, 80);
	close_server(&w, 0);
	is_u64(last_own(&w), 28, "several calls: own");
	is_u64(last_ended(&w)->sums_used, 2, "several calls: two peers");
	is_u64(sum_of(last_ended(&w), 11)->by[TL_BY_THREAD], 2,
	       "several calls: two to one");
	is_u64(sum_of(last_ended(&w), 11)->time_ns, 32, "several calls: their time");
	is_u64(sum_of(last_ended(&w), 12)->by[TL_BY_THREAD], 1,
	       "several calls: one to other");
	is_u64(sum_of(last_ended(&w), 12)->time_ns, 20, "several calls: its time");
	finish("several calls");
}

static void test_ends(void)
{
	received(&w, 0, 0, 100);
	sent(&w, 0, 0, 150);
	gone_quiet(&w, 0);
	is_u64(last_response(&w), 50, "quiet: ends at its last byte");
	is_u64(w.result.ended_used, 1, "quiet: once");
	gone_quiet(&w, 0);
	close_server(&w, 0);
	is_u64(w.result.ended_used, 1, "quiet: and that was all");
	is_u64(sent(&w, 0, 0, 300), TL_IGNORED, "push: ignored");
	is_u64(w.result.loss[TL_LOSS_PUSH], 1, "push: counted");
	is_u64(still_sending(&w, 0, 0, 310), TL_IGNORED, "push: that goes on");
	is_u64(w.result.loss[TL_LOSS_PUSH], 1, "push: is not another one");
	received(&w, 0, 0, 400);
	sent(&w, 0, 0, 500);
	shut_down(&w, 0);
	is_u64(last_response(&w), 100, "shutdown: an answered one ends");
	is_u64(received(&w, 0, 0, 550), TL_IGNORED, "shutdown: the rest is drained");
	close_server(&w, 0);
	is_u64(w.result.loss[TL_LOSS_UNANSWERED], 0, "shutdown: and was no request");
	received(&w, 0, 0, 600);
	close_server(&w, 0);
	received(&w, 0, 0, 700);
	shut_down(&w, 0);
	is_u64(w.result.ended_used, 2, "unanswered: not among the ended");
	is_u64(w.result.loss[TL_LOSS_UNANSWERED], 2, "unanswered: counted");
	finish("ends");
}

/* A pause in a response is part of it as long as nobody calls it the end. */
static void test_pause(void)
{
	connected(&w, 0, 0, 11, 0);
	received(&w, 0, 0, 0);
	sent(&w, 0, 0, 10);
	sent(&w, 0, 0, 5000000);
	gone_quiet(&w, 0);
	is_u64(last_response(&w), 5000000, "pause: within the response");
	is_u64(sent(&w, 0, 0, 6000000), TL_IGNORED,
	       "pause: after the quiet time it is a push");
	received(&w, 0, 0, 7000000);
	sent(&w, 0, 0, 7000001);
	close_server(&w, 0);
	is_u64(last_response(&w), 1, "pause: the push belongs to no request");
	is_u64(last_ended(&w)->bytes_out, 1000, "pause: nor do its bytes");
	finish("pause");
}

/* A send that waits for room while the next request is already there. */
static void test_next_while_sending(void)
{
	connected(&w, 0, 0, 11, 0);
	received(&w, 0, 0, 0);
	sent(&w, 0, 0, 10);
	received(&w, 0, 0, 20);
	still_sending(&w, 0, 0, 30);
	is_u64(world_request(&w, 0)->state, TL_REQUEST_OPEN,
	       "next while sending: not answered yet");
	is_u64(call(&w, 0, 0, 40), TL_ATTRIBUTED, "next while sending: it may call");
	world_init(&w);
}

int main(void)
{
	world_init(&w);
	test_thread_per_connection();
	test_kept_connections();
	test_several_sends();
	test_several_calls();
	test_ends();
	test_pause();
	test_next_while_sending();
	return done();
}
