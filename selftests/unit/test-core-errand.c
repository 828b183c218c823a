// SPDX-License-Identifier: GPL-2.0-or-later
/* Work whose request turns up later, or never. By sequences made by hand. */
#include "core-tap.h"

#define P 11 /* the peer of most client connections */

static struct world w;

static void finish(const char *name)
{
	finish_world(&w, name);
}

static void begin(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		older(&w, i, P);
}

static u64 lost(void)
{
	return w.result.loss[TL_LOSS_CALLS_FULL];
}

static u32 calls_by(enum tl_by by)
{
	return sum_of(last_ended(&w), P)->by[by];
}

/* One thread receives, a worker calls, and answers itself. */
static void test_worker_answers(void)
{
	begin();
	received(&w, 0, 0, 100);
	is_u64(call(&w, 1, 0, 110), TL_DEFERRED, "worker: a call for nobody known");
	is_u64(reply(&w, 1, 0, 150), TL_DEFERRED, "worker: its reply");
	call(&w, 1, 1, 160);
	reply(&w, 1, 1, 165);
	is_u64(w.result.events[TL_ATTRIBUTED], 1, "worker: nothing decided yet");
	is_u64(sent(&w, 1, 0, 200), TL_ATTRIBUTED, "worker: answers");
	is_u64(w.result.events[TL_ATTRIBUTED], 6, "worker: that decides");
	close_server(&w, 0);
	is_u64(last_response(&w), 100, "worker: response");
	is_u64(last_own(&w), 55, "worker: own time is without its calls");
	is_u64(calls_by(TL_BY_LOOKBACK), 2, "worker: calls found by looking back");
	is_u64(calls_by(TL_BY_THREAD) + calls_by(TL_BY_OWNER), 0,
	       "worker: not otherwise");
	is_u64(sum_of(last_ended(&w), P)->time_ns, 45, "worker: their time");
	is_u64(sum_of(last_ended(&w), P)->bytes_out, 60, "worker: bytes out");
	is_u64(sum_of(last_ended(&w), P)->bytes_in, 1000, "worker: bytes in");
	is_u64(lost(), 0, "worker: nothing lost");
	/* Its next call is for somebody else. */
	is_u64(call(&w, 1, 0, 210), TL_DEFERRED, "worker: goes on, with a new errand");
	reply(&w, 1, 0, 220);
	received(&w, 0, 1, 230);
	is_u64(w.result.strays_used, 0, "worker: which is open");
	sent(&w, 1, 1, 240);
	close_server(&w, 1);
	is_u64(last_ended(&w)->sums_used, 0, "worker: older than the next request");
	exited(&w, 1);
	is_u64(w.result.strays_used, 0, "worker: gone, its call is still there");
	close_client(&w, 0);
	is_u64(w.result.strays_used, 1, "worker: a stray in the end");
	is_u64(w.result.strays[0].sum.time_ns, 10, "worker: its time");
	is_u64(w.result.strays[0].sum.bytes_in, 500, "worker: its bytes");
	finish("worker");
}

/* A kept connection on which nothing happens keeps no errand for ever. */
static void test_idle(void)
{
	received(&w, 0, 0, 50);
	dispatched(&w, 0);
	connected(&w, 0, 0, P, 100);
	connected(&w, 0, 1, P, 105);
	dispatched(&w, 0);
	call(&w, 0, 0, 110);
	idle(&w, 0, 40, 200);
	is_u64(w.result.strays_used, 0, "idle: not while it waits for its answer");
	reply(&w, 0, 0, 250);
	dispatched(&w, 0);
	idle(&w, 0, 40, 289);
	is_u64(w.result.strays_used, 0, "idle: not before its time");
	idle(&w, 0, 40, 290);
	is_u64(world_taken(&w), WORLD_SERVERS + 1, "idle: the other still uses it");
	is_u64(reply(&w, 0, 0, 295), TL_UNATTRIBUTED,
	       "idle: what comes later is nobody's");
	idle(&w, 1, 40, 299);
	is_u64(world_taken(&w), WORLD_SERVERS, "idle: one that was only connected, too");
	is_u64(w.result.strays_used, 1, "idle: the call is a stray");
	is_u64(w.result.strays[0].sum.time_ns, 150, "idle: with its time");
	is_u64(call(&w, 0, 1, 310), TL_DEFERRED,
	       "idle: and its first call another errand's");
	close_client(&w, 0);
	is_u64(w.result.strays_used, 1, "idle: it is counted once");
	finish("idle");
	/* Whose work it was, is known: the connection does not keep the errand, either.
	 */
	begin();
	received(&w, 0, 0, 100);
	call(&w, 1, 0, 110);
	reply(&w, 1, 0, 120);
	sent(&w, 1, 0, 130);
	dispatched(&w, 1);
	idle(&w, 0, 1000, 131);
	is_u64(world_taken(&w), WORLD_SERVERS, "idle: an adopted one needs no time");
	is_u64(reply(&w, 1, 0, 2000), TL_ATTRIBUTED, "idle: the request's call goes on");
	idle(&w, 0, 1000, 4000);
	is_u64(reply(&w, 1, 0, 4001), TL_ATTRIBUTED, "idle: as long as the request does");
	finish("idle");
}

/* Who connected has gone, and its storage is an errand's: that is not this one's. */
static void test_idle_place(void)
{
	unsigned int i;

	older(&w, 1, P);
	received(&w, 0, 0, 100);
	connected(&w, 0, 0, P, 110);
	close_server(&w, 0);
	for (i = 0; i < WORLD_ENTRIES; i++) {
		dispatched(&w, 0);
		call(&w, 0, 1, 120 + i);
		reply(&w, 0, 1, 120 + i);
		idle(&w, 0, 0, 120 + i);
	}
	received(&w, 0, 1, 200);
	is_u64(call(&w, 0, 0, 210), TL_UNATTRIBUTED,
	       "idle: a call of one that has ended");
	finish("idle, another's place");
}

/* All upstream connections are busy, and one gets free in another's turn. */
static void test_loop_queues(void)
{
	begin();
	received(&w, 0, 0, 100);
	call(&w, 0, 0, 110);
	dispatched(&w, 0);
	received(&w, 0, 1, 120);
	dispatched(&w, 0);
	reply(&w, 0, 0, 150);
	sent(&w, 0, 0, 155);
	/* Now it sends what the second had queued. */
	is_u64(call(&w, 0, 0, 160), TL_DEFERRED,
	       "loop: not for whom it has just answered");
	dispatched(&w, 0);
	received(&w, 0, 2, 170);
	dispatched(&w, 0);
	is_u64(reply(&w, 0, 0, 190), TL_DEFERRED, "loop: nor is the reply");
	sent(&w, 0, 1, 195);
	sent(&w, 0, 2, 196);
	close_server(&w, 0);
	is_u64(last_own(&w), 15, "loop: the first has its own call");
	close_server(&w, 1);
	is_u64(last_response(&w), 75, "loop: the queued one waited");
	is_u64(last_own(&w), 45, "loop: its call is its");
	is_u64(calls_by(TL_BY_LOOKBACK), 1, "loop: by looking back");
	close_server(&w, 2);
	is_u64(last_ended(&w)->sums_used, 0, "loop: the third has none");
	finish("loop");
}

/* Who has shown to serve several at once is done when it asks for more. */
static void test_multiplexes(void)
{
	begin();
	received(&w, 0, 0, 100);
	asked(&w, 0);
	is_u64(call(&w, 0, 0, 110), TL_ATTRIBUTED, "polls: waits for one answer perhaps");
	received(&w, 0, 0, 112);
	asked(&w, 0);
	is_u64(call(&w, 0, 1, 114), TL_ATTRIBUTED, "polls: more of the same request");
	received(&w, 0, 1, 120);
	asked(&w, 0);
	is_u64(call(&w, 0, 2, 130), TL_DEFERRED, "polls: two at once, so it is a loop");
	dispatched(&w, 1);
	received(&w, 1, 2, 140);
	dispatched(&w, 1);
	is_u64(call(&w, 1, 3, 150), TL_DEFERRED, "waits for events: always");
	received(&w, 1, 3, 160);
	asked(&w, 1);
	is_u64(call(&w, 1, 3, 170), TL_DEFERRED, "an errand goes on");
	is_u64(w.threads[1].thread.multiplexes, 0, "an errand is no request");
	finish("multiplexes");
}

static void test_parallel(void)
{
	begin();
	received(&w, 0, 0, 100);
	call(&w, 1, 0, 110);
	call(&w, 1, 1, 120);
	reply(&w, 1, 0, 150);
	reply(&w, 1, 1, 180);
	call(&w, 1, 0, 185);
	reply(&w, 1, 0, 190);
	sent(&w, 1, 0, 200);
	close_server(&w, 0);
	is_u64(last_own(&w), 25, "parallel: union of the errand's calls");
	is_u64(calls_by(TL_BY_LOOKBACK), 3, "parallel: each is counted");
	is_u64(sum_of(last_ended(&w), P)->time_ns, 105, "parallel: in full");
	is_u64(lost(), 0, "parallel: exact");
	finish("parallel");
}

/* The answer begins while a call of the errand goes on. */
static void test_going_on(void)
{
	begin();
	received(&w, 0, 0, 100);
	call(&w, 1, 0, 110);
	call(&w, 1, 1, 120);
	reply(&w, 1, 1, 130);
	connected(&w, 1, 2, P, 135);
	sent(&w, 1, 0, 140);
	is_u64(call(&w, 1, 0, 142), TL_ATTRIBUTED, "going on: more of the call");
	is_u64(reply(&w, 1, 0, 150), TL_ATTRIBUTED, "going on: its reply");
	is_u64(call(&w, 1, 2, 155), TL_UNATTRIBUTED,
	       "going on: an answered one is no parent");
	reply(&w, 1, 1, 160);
	sent(&w, 1, 0, 200);
	close_server(&w, 0);
	is_u64(last_own(&w), 50, "going on: from its own beginning");
	is_u64(calls_by(TL_BY_LOOKBACK), 2, "going on: both by looking back");
	is_u64(sum_of(last_ended(&w), P)->bytes_out, 90, "going on: all bytes");
	is_u64(reply(&w, 1, 0, 210), TL_UNATTRIBUTED, "going on: until the end");
	is_u64(lost(), 0, "going on: exact");
	finish("going on");
}

static void test_older(void)
{
	begin();
	received(&w, 1, 3, 50);
	sent(&w, 1, 3, 60);
	call(&w, 1, 0, 90);
	reply(&w, 1, 0, 95);
	received(&w, 0, 0, 100);
	sent(&w, 1, 0, 120);
	close_server(&w, 0);
	is_u64(last_ended(&w)->sums_used, 0, "older than the request: not its");
	is_u64(last_own(&w), 20, "older than the request: nor its time");
	/* But it may be that of one before. */
	received(&w, 0, 1, 130);
	sent(&w, 0, 1, 131);
	received(&w, 0, 1, 200);
	exited(&w, 1);
	call(&w, 1, 0, 200);
	reply(&w, 1, 0, 210);
	is_u64(sent(&w, 1, 1, 220), TL_ATTRIBUTED, "as old as the request");
	close_server(&w, 1);
	is_u64(calls_by(TL_BY_LOOKBACK), 1, "as old as the request: its");
	is_u64(last_own(&w), 10, "as old as the request: own");
	finish("older");
}

static void test_answered_already(void)
{
	begin();
	received(&w, 0, 0, 100);
	sent(&w, 0, 0, 105);
	call(&w, 1, 0, 110);
	reply(&w, 1, 0, 150);
	sent(&w, 1, 0, 160);
	close_server(&w, 0);
	is_u64(last_ended(&w)->sums_used, 0, "answered already: not adopted");
	is_u64(last_own(&w), 60, "answered already: all own");
	finish("answered already");
}

/* Work that was handed back is known to be the request's only after its answer. */
static void test_handed_back(void)
{
	static struct tl_request request, errand;
	u64 loss[TL_LOSS_KINDS] = {0};
	struct tl_call made = {.state = TL_CALL_REPLYING};

	tl_request_begin(&request, 100);
	tl_errand_begin(&errand, 110);
	tl_request_call(&errand, &made, 110);
	tl_request_cover(&errand, &made, 150, loss);
	tl_request_answer(&request, 160, 5);
	ok(tl_request_adopt(&request, &errand, TL_BY_HANDOFF, loss),
	   "handed back: adopted after the answer");
	is_u64(errand.state, TL_REQUEST_ADOPTED, "handed back: over");
	ok(tl_request_end(&request, loss), "handed back: ends");
	is_u64(request.own_at_send_ns, 20, "handed back: its calls are not own time");
	tl_errand_begin(&errand, 170);
	ok(!tl_request_adopt(&request, &errand, TL_BY_HANDOFF, loss), "ended: refused");
	is_u64(errand.state, TL_REQUEST_OPEN, "ended: the errand goes on");
	tl_request_begin(&request, 171);
	ok(!tl_request_adopt(&request, &errand, TL_BY_HANDOFF, loss),
	   "too young: refused");
	tl_request_begin(&request, 100);
	tl_request_answer(&request, 160, 5);
	tl_errand_begin(&errand, 110);
	tl_request_call(&errand, &made, 110);
	tl_request_cover(&errand, &made, 161, loss);
	ok(!tl_request_adopt(&request, &errand, TL_BY_HANDOFF, loss),
	   "heard after the answer: refused");
}

struct step {
	enum event_kind kind;
	u8 thread, conn;
	u64 now_ns;
};

#define CALL(...) {EVENT_CALL, __VA_ARGS__}
#define REPLY(...) {EVENT_REPLY, __VA_ARGS__}
#define SENT(...) {EVENT_SENT, __VA_ARGS__}

/*
 * What the request's own thread, 0, and the errand's, 1, do between 100, when the request is
 * received, and 200, when the errand's thread has sent all of the answer. How much of the
 * request's own time is left, and how many calls' times are not exact.
 */
static const struct {
	const char *name;
	u64 own, lost, call_time; /* 0: not looked at */
	struct step steps[8];
} both[] = {
	/* A call of the request itself covers some of the time; how much is not known. */
	{"overlap: not too small, and counted",
	 75, 1, 65,
	 {CALL(0, 0, 105), CALL(1, 1, 110), REPLY(0, 0, 130), REPLY(1, 1, 150)}},
	/* The connection of an earlier call of the request has another one now. */
	{"overlap, the same connection: what follows is counted, an earlier call stays",
	 75, 2, 0,
	 {CALL(0, 0, 105), CALL(1, 1, 110), REPLY(0, 0, 130), REPLY(1, 1, 150), CALL(1, 0, 160),
	  SENT(1, 0, 165), REPLY(1, 0, 170)}},
	/* The request's other calls ended before, or have not been answered yet. */
	{"beside: one after the other is exact",
	 65, 0, 0,
	 {CALL(0, 0, 105), REPLY(0, 0, 110), CALL(1, 1, 120), REPLY(1, 1, 150)}},
	{"beside: a call that began after the errand's is exact",
	 50, 0, 0,
	 {CALL(0, 0, 105), CALL(1, 1, 120), REPLY(1, 1, 150), CALL(0, 2, 160), SENT(1, 0, 170),
	  REPLY(0, 2, 180)}},
	{"beside: one that began within is counted",
	 40, 1, 0,
	 {CALL(1, 1, 120), CALL(0, 2, 130), REPLY(1, 1, 150), SENT(1, 0, 170),
	  REPLY(0, 2, 180)}},
	{"beside: the errand's first began before the end of another, the second is exact",
	 20 + 20 + 40, 1, 0,
	 {CALL(1, 1, 110), CALL(0, 2, 120), REPLY(0, 2, 130), CALL(1, 3, 150), SENT(1, 0, 155),
	  REPLY(1, 3, 160)}},
	/* Both have a call over the same connection: the errand's is over. */
	{"same connection: the request's call stays, and is counted",
	 50, 1, 0,
	 {CALL(1, 1, 120), REPLY(1, 1, 150), CALL(0, 1, 160), SENT(1, 0, 170),
	  REPLY(0, 1, 180)}},
	{"same connection: the errand's call is the later one, and exact",
	 30, 0, 0,
	 {CALL(0, 1, 105), REPLY(0, 1, 115), CALL(1, 1, 120), SENT(1, 0, 170),
	  REPLY(1, 1, 180)}},
};

static void step(const struct step *step)
{
	if (step->kind == EVENT_CALL)
		call(&w, step->thread, step->conn, step->now_ns);
	else if (step->kind == EVENT_REPLY)
		reply(&w, step->thread, step->conn, step->now_ns);
	else
		sent(&w, step->thread, step->conn, step->now_ns);
}

static void test_both(void)
{
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(both); i++) {
		begin();
		received(&w, 0, 0, 100);
		for (k = 0; k < ARRAY_SIZE(both[i].steps) && both[i].steps[k].now_ns; k++)
			step(&both[i].steps[k]);
		sent(&w, 1, 0, 200);
		close_server(&w, 0);
		is_u64(lost(), both[i].lost, "%s: lost", both[i].name);
		is_u64(last_own(&w), both[i].own, "%s: own", both[i].name);
		if (both[i].call_time)
			is_u64(sum_of(last_ended(&w), P)->time_ns, both[i].call_time,
			       "%s: call times are in full", both[i].name);
		finish(both[i].name);
	}
}

/* What a connecting errand's thread does not live to see. */
static void test_uses(void)
{
	received(&w, 0, 0, 100);
	connected(&w, 1, 0, P, 110);
	exited(&w, 1);
	is_u64(world_taken(&w), WORLD_SERVERS + 1, "uses: the connection keeps it");
	is_u64(call(&w, 2, 0, 120), TL_DEFERRED, "uses: whoever sends");
	is_u64(reply(&w, 2, 0, 130), TL_DEFERRED, "uses: whoever receives");
	sent(&w, 2, 0, 140);
	close_server(&w, 0);
	is_u64(last_own(&w), 20, "uses: from the connect");
	is_u64(calls_by(TL_BY_LOOKBACK), 1, "uses: by looking back");
	is_u64(world_taken(&w), WORLD_SERVERS + 1, "uses: until the call knows");
	call(&w, 3, 0, 150);
	is_u64(world_taken(&w), WORLD_SERVERS + 1, "uses: another one now");
	exited(&w, 3);
	close_client(&w, 0);
	is_u64(world_taken(&w), WORLD_SERVERS, "uses: none");
	is_u64(w.result.strays_used, 0, "uses: unanswered, so no stray");
	finish("uses");
}

static void test_no_memory(void)
{
	begin();
	received(&w, 0, 0, 100);
	w.no_memory = true;
	is_u64(call(&w, 1, 0, 110), TL_UNATTRIBUTED, "no memory: unattributed at once");
	is_u64(reply(&w, 1, 0, 120), TL_UNATTRIBUTED, "no memory: so is its reply");
	is_u64(w.result.loss[TL_LOSS_HANDOFFS_DROPPED], 1, "no memory: counted");
	sent(&w, 1, 0, 130);
	close_server(&w, 0);
	is_u64(last_ended(&w)->sums_used, 0, "no memory: nobody's call");
	close_client(&w, 0);
	is_u64(w.result.strays_used, 1, "no memory: a stray");
	is_u64(w.result.strays[0].sum.by[TL_BY_THREAD], 1, "no memory: of one call");
	is_u64(w.result.strays[0].sum.bytes_out, 30, "no memory: bytes out");
	is_u64(w.result.strays[0].sum.bytes_in, 500, "no memory: bytes in");
	world_close_all(&w);
	is_u64(world_taken(&w), WORLD_SERVERS, "no memory: all storage is free");
	world_init(&w);
}

/* What its thread used is the request's, before and after it is known. */
static void test_used(void)
{
	struct event event = {.kind = EVENT_CALL, .thread = 1, .value = 1};
	static const u64 at[] = {110, 120, 130, 140};
	static const u8 kinds[] = {EVENT_CALL, EVENT_REPLY, EVENT_SENT, EVENT_SENT};
	unsigned int i;

	begin();
	received(&w, 0, 0, 100);
	for (i = 0; i < 4; i++) {
		event.kind = kinds[i];
		event.now_ns = at[i];
		event.used = 1U << i;
		world_apply(&w, &event);
	}
	close_server(&w, 0);
	is_u64(last_ended(&w)->used.cpu_ns, 2 + 4 + 8,
	       "used: from the errand's beginning");
	is_u64(last_ended(&w)->used.run_wait_ns, 2 * 14, "used: waiting to run");
	is_u64(last_ended(&w)->used.storage_read, 3 * 14, "used: read");
	is_u64(last_ended(&w)->used.storage_write, 5 * 14, "used: written");
	finish("used");
}

/* Its calls that are over do not drive out those of the request that go on. */
static void test_many(void)
{
	unsigned int i;

	for (i = 0; i < 12; i++)
		older(&w, i, P);
	received(&w, 0, 0, 100);
	for (i = 8; i < 12; i++)
		call(&w, 0, i, 105);
	for (i = 0; i < 8; i++)
		call(&w, 1, i, 110 + i);
	for (i = 0; i < 8; i++)
		reply(&w, 1, i, 120 + i);
	sent(&w, 1, 0, 130);
	for (i = 8; i < 12; i++)
		reply(&w, 0, i, 140);
	sent(&w, 1, 0, 150);
	close_server(&w, 0);
	is_u64(lost(), 0, "many: those that go on stay");
	is_u64(last_own(&w), 15, "many: exact");
	is_u64(calls_by(TL_BY_LOOKBACK), 8, "many: all of the errand's");
	is_u64(calls_by(TL_BY_THREAD), 4, "many: and the request's");
	finish("many");
}

/* By the core's own words, with nothing around it. */
static void test_alone(void)
{
	static struct tl_request request, errand;
	u64 loss[TL_LOSS_KINDS] = {0};

	tl_errand_begin(&errand, 105);
	errand.match.open = 1;
	ok(errand.errand, "alone: an errand");
	tl_request_begin(&errand, 110);
	ok(!errand.errand, "alone: the next in its place is none");
	is_u64(errand.match.open, 0, "alone: nor compared with anything");
	tl_request_begin(&request, 100);
	tl_errand_begin(&errand, 120);
	tl_request_sum(&errand, P, loss)->by[TL_BY_LOOKBACK] = 2;
	ok(tl_request_adopt(&request, &errand, TL_BY_HANDOFF, loss), "alone: adopted");
	is_u64(request.sums[0].by[TL_BY_HANDOFF], 2, "alone: as it was found out");
	is_u64(request.sums[0].by[TL_BY_LOOKBACK], 0, "alone: and not otherwise");
}

int main(void)
{
	world_init(&w);
	test_worker_answers();
	test_idle();
	test_idle_place();
	test_loop_queues();
	test_multiplexes();
	test_parallel();
	test_going_on();
	test_older();
	test_answered_already();
	test_handed_back();
	test_both();
	test_uses();
	test_no_memory();
	test_used();
	test_many();
	test_alone();
	return done();
}
