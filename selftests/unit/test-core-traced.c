// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests of which only the ends are looked at. */
#include "correlate.h"
#include "tap.h"

static struct tl_request request, other;
static struct tl_thread thread = {.process = &thread};
static struct tl_request ended;
static u64 loss[TL_LOSS_KINDS];

/* Whether the request before has ended, which then is in @ended. */
static bool ends(struct tl_request *of)
{
	if (!tl_correlate_request_ends(of, loss))
		return false;
	ended = *of;
	return true;
}

static bool traced(struct tl_request *of, u64 now_ns)
{
	bool one_ends = ends(of);

	tl_correlate_request_traced(of, &thread, now_ns, 10);
	return one_ends;
}

static void answer(struct tl_request *of, u64 now_ns)
{
	tl_correlate_response_sent(of, now_ns, 100, false, loss);
}

static void one(void)
{
	ok(!traced(&request, 1000), "nothing ends where one begins");
	is_u64(request.state, TL_REQUEST_OPEN, "it is open");
	ok(!traced(&request, 1500), "more of it");
	is_u64(request.bytes_in, 20, "all of its bytes");
	answer(&request, 3000);
	answer(&request, 4000);
	ok(traced(&request, 9000), "the next one ends it");
	is_u64(ended.last_send_ns - ended.open_ns, 3000, "from its first byte to its last");
	is_u64(ended.coarse, 1, "its own time is not known");
	is_u64(ended.bytes_out, 200, "all of its answer");
}

/* Who takes one, works for nobody that is known: least of all for the one before. */
static void nobody(void)
{
	struct tl_call call = {0};

	is_u64(thread.serves | (u64)(thread.current_request.request != NULL), 0,
	       "who takes only those serves nobody, and has none");
	is_u64(tl_correlate_call_sent(&call, &thread, NULL, 9100, 5), TL_IGNORED,
	       "what it calls is not looked at");
	tl_correlate_request_received(&other, &thread, 9200, 10);
	ok(thread.current_request.request == &other, "one that is seen as a whole is its own");
	is_u64(other.coarse, 0, "and is as any");
	traced(&request, 9300);
	ok(!thread.current_request.request, "then the thread turns to another one: not for the first");
	is_u64(thread.serves, 0, "and serves no more, until it takes one that is followed");
}

/* The level was raised between two requests of a connection, and lowered again. */
static void changed(void)
{
	answer(&request, 9400);
	ok(ends(&request), "it ends");
	tl_correlate_request_received(&request, &thread, 10000, 10);
	is_u64(ended.coarse, 1, "as what it was");
	is_u64(request.coarse, 0, "the next one is seen as a whole");
	answer(&request, 10700);
	ok(traced(&request, 11000), "it ends, too");
	is_u64(ended.coarse, 0, "as what it was");
	is_u64(ended.own_at_send_ns, 700, "with its own time");
}

int main(void)
{
	one();
	nobody();
	changed();
	return done();
}
