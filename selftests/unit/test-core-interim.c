// SPDX-License-Identifier: GPL-2.0-or-later
/* Interim answers: told from others by their bytes, and what they do not end. */
#include <stdlib.h>

#include "core-tap.h"
#include "interim.h"

#define CONTINUE "HTTP/1.1 100 Continue\r\n\r\n"

static struct world w;

static void finish(const char *name)
{
	finish_world(&w, name);
}

/* Looks at no more than it may, in a place that ends there. */
static bool interim(const char *text, unsigned int n)
{
	u64 total = strlen(text);
	u8 *bytes;
	bool is;

	n = min(n, TL_INTERIM_BYTES);
	n = min(n, (unsigned int)total);
	bytes = malloc(n ? n : 1);
	memcpy(bytes, text, n);
	is = tl_interim(bytes, n, total);
	free(bytes);
	return is;
}

static void test_bytes(void)
{
	static const struct {
		const char *text;
		bool is;
	} texts[] = {
		{CONTINUE, true},
		{"HTTP/1.0 100 Continue\r\n\r\n", true},
		{"HTTP/1.1 100 \r\n\r\n", true},
		{"HTTP/1.1 102 Processing\r\n\r\n", true},
		{"HTTP/1.1 110 X\r\n\r\n", true},
		{"HTTP/1.1 111 X\r\n\r\n", true},
		{"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n",
		 true},
		{"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload; as=style\r\n"
		 "\r\n",
		 true},
		{"HTTP/1.1 101 Switching Protocols\r\n\r\n", false},
		{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false},
		{"HTTP/1.1 010 No\r\n\r\n", false},
		{"HTTP/2.0 100 Continue\r\n\r\n", false},
		{"HTTP/1.x 100 Continue\r\n\r\n", false},
		{"HTTP/1.1  100 Continue\r\n\r\n", false},
		{"HTTP/1.1 1x0 Continue\r\n\r\n", false},
		{"HTTP/1.1 10x Continue\r\n\r\n", false},
		{"http/1.1 100 Continue\r\n\r\n", false},
		{"XTTP/1.1 100 Continue\r\n\r\n", false},
		{"HTTP/1.1 10", false},
		{"", false},
		{CONTINUE "HTTP/1.1 200 OK\r\n\r\n", false},
		{CONTINUE CONTINUE, false},
		/* Of 64 bytes, and something more. */
		{"HTTP/1.1 103 Early Hints\r\nLink: </ss>; rel=preload; as=style\r\n\r\n",
		 true},
		{"HTTP/1.1 103 Early Hints\r\nLink: </ss>; rel=preload; as=style\r\n\r\n"
		 "HTTP/1.1 200 OK\r\n\r\n",
		 false},
	};
	unsigned int i, n, wrong = 0;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		if (interim(texts[i].text, TL_INTERIM_BYTES) != texts[i].is) {
			wrong++;
			printf("# wrong: %s\n", texts[i].text);
		}
	is_u64(wrong, 0, "bytes: which answers are interim");
	for (wrong = 0, n = 0; n < sizeof(CONTINUE); n++)
		wrong += interim(CONTINUE, n) != (n >= 12);
	is_u64(wrong, 0, "bytes: the status is enough, if no more can be read");
	ok(!tl_interim((const u8 *)CONTINUE, 11, sizeof(CONTINUE) - 1),
	   "bytes: but all of it");
}

/* Asked for the body, which comes long after: one request. */
static void test_server(void)
{
	received(&w, 0, 0, 100);
	is_u64(interim_sent(&w, 0, 0, 110), TL_ATTRIBUTED, "server: an interim answer");
	gone_quiet(&w, 0);
	received(&w, 0, 0, 150);
	is_u64(interim_sent(&w, 0, 0, 155), TL_ATTRIBUTED, "server: another one");
	sent(&w, 0, 0, 160);
	is_u64(w.result.ended_used, 0, "server: nothing has ended");
	received(&w, 0, 0, 200);
	is_u64(last_response(&w), 60, "server: up to the final answer");
	is_u64(last_ended(&w)->bytes_in, 20, "server: all that was received");
	is_u64(last_ended(&w)->bytes_out, 1000 + 2 * INTERIM, "server: all that was sent");
	is_u64(w.result.loss[TL_LOSS_QUIET], 0, "server: not over when it is quiet");
	interim_sent(&w, 0, 0, 210);
	close_server(&w, 0);
	is_u64(w.result.loss[TL_LOSS_UNANSWERED], 1, "server: no answer but that");
	finish("server");
	received(&w, 0, 0, 100);
	sent(&w, 0, 0, 110);
	interim_sent(&w, 0, 0, 120);
	close_server(&w, 0);
	is_u64(last_response(&w), 20, "server: after the answer it is a part of it");
	interim_sent(&w, 0, 0, 130);
	is_u64(w.result.loss[TL_LOSS_PUSH], 1, "server: without a request it is a push");
	finish("not the first");
}

/* Who answers late has not answered when it said so: its errands go on. */
static void test_errand(void)
{
	older(&w, 0, 11);
	received(&w, 0, 0, 100);
	call(&w, 1, 0, 110);
	interim_sent(&w, 1, 0, 115);
	reply(&w, 1, 0, 120);
	sent(&w, 1, 0, 130);
	close_server(&w, 0);
	is_u64(sum_of(last_ended(&w), 11)->by[TL_BY_LOOKBACK], 1,
	       "errand: found by the answer");
	is_u64(last_own(&w), 20, "errand: own time");
	finish("errand");
}

/* A call whose other end is here, and which is asked for its body. */
static void begin_joined(void)
{
	linked(&w, 0, 1);
	received(&w, 0, 0, 100);
	call(&w, 0, 0, 110);
	received(&w, 1, 1, 115);
	interim_sent(&w, 1, 1, 120);
}

/* The caller knows by its callee, in as many pieces as it likes. */
static void test_joined(void)
{
	begin_joined();
	reply(&w, 0, 0, 125);
	reply(&w, 0, 0, 126);
	call(&w, 0, 0, 130);
	received(&w, 1, 1, 140);
	sent(&w, 1, 1, 150);
	reply(&w, 0, 0, 153);
	sent(&w, 0, 0, 160);
	close_server(&w, 1);
	is_u64(last_response(&w), 35, "joined: the callee's response");
	is_u64(w.result.ended_used, 1, "joined: one request");
	close_server(&w, 0);
	is_u64(sum_of(last_ended(&w), 11)->joined, 1, "joined: one call");
	is_u64(sum_of(last_ended(&w), 11)->by[TL_BY_THREAD], 1, "joined: counted once");
	is_u64(sum_of(last_ended(&w), 11)->time_ns, 43, "joined: all of its time");
	is_u64(sum_of(last_ended(&w), 11)->transit_ns, 5 + 3, "joined: its transit");
	is_u64(sum_of(last_ended(&w), 11)->bytes_out, 60, "joined: the body's bytes, too");
	is_u64(last_own(&w), 17, "joined: own time");
	is_u64(w.result.loss[TL_LOSS_AMBIGUOUS], 0, "joined: nothing is ambiguous");
	finish("joined");
	/* The final answer follows so closely that the caller has read neither. */
	begin_joined();
	sent(&w, 1, 1, 121);
	reply(&w, 0, 0, 130);
	call(&w, 0, 0, 140);
	received(&w, 1, 1, 145);
	interim_reply(&w, 0, 0, 147);
	call(&w, 0, 0, 148);
	sent(&w, 1, 1, 150);
	reply(&w, 0, 0, 160);
	sent(&w, 0, 0, 170);
	close_server(&w, 1);
	close_server(&w, 0);
	is_u64(sum_of(last_ended(&w), 11)->by[TL_BY_THREAD], 3,
	       "joined: the callee's word, not the bytes");
	finish("answered at once");
}

/* Elsewhere is who answers: the bytes say it. */
static void test_remote(void)
{
	older(&w, 0, 11);
	received(&w, 0, 0, 100);
	call(&w, 0, 0, 110);
	is_u64(interim_reply(&w, 0, 0, 120), TL_ATTRIBUTED, "remote: an interim answer");
	call(&w, 0, 0, 130);
	reply(&w, 0, 0, 140);
	interim_reply(&w, 0, 0, 145);
	call(&w, 0, 0, 150);
	reply(&w, 0, 0, 155);
	sent(&w, 0, 0, 160);
	close_server(&w, 0);
	is_u64(sum_of(last_ended(&w), 11)->by[TL_BY_THREAD], 2,
	       "remote: one call, and another after the final answer");
	is_u64(sum_of(last_ended(&w), 11)->time_ns, 35 + 5, "remote: their time");
	finish("remote");
	older(&w, 0, 11);
	received(&w, 0, 0, 100);
	interim_reply(&w, 0, 0, 110);
	call(&w, 0, 0, 120);
	reply(&w, 0, 0, 130);
	sent(&w, 0, 0, 140);
	close_server(&w, 0);
	is_u64(sum_of(last_ended(&w), 11)->time_ns, 10, "remote: a greeting is no answer");
	finish("greeting");
}

int main(void)
{
	world_init(&w);
	test_bytes();
	test_server();
	test_errand();
	test_joined();
	test_remote();
	return done();
}
