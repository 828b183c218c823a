// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The core against the reference, over random sequences
 *
 *   test-core-random [SEED [SEQUENCES]]
 *
 * A sequence that differs is cut down to the events that it takes and printed.
 */
#include <stdlib.h>

#include "core-model.h"
#include "tap.h"

#define SEQUENCES 20000
#define LENGTH 180

struct bounds {
	const char *name;
	enum model_precision precision;
	unsigned int servers, clients, threads, peers;
	u64 backwards_ns;
	const unsigned int *weights; /* chosen for each sequence */
};

static const struct bounds all_bounds[] = {
	/* No more connections than slots: exact whatever happens. */
	{"exact", MODEL_EXACT, WORLD_SERVERS, TL_REQUEST_CALLS, WORLD_THREADS, 6, 0,
	 NULL},
	/* Few who meet often. */
	{"narrow", MODEL_EXACT, 2, 3, 2, 2, 0, NULL},
	{"crowded", MODEL_MANY_CALLS, 2, WORLD_CLIENTS, 3, 6, 0, NULL},
	{"clocks", MODEL_CLOCKS, WORLD_SERVERS, TL_REQUEST_CALLS, WORLD_THREADS, 6, 50,
	 NULL},
};

static const char *const kind_names[] = {
	"received",	"sent",	    "connect",	    "older",	"call",
	"reply",	"dispatch", "close server", "shutdown", "quiet",
	"close client", "exit",	    "idle"};

/* How much happens between a request and its answer differs by sequence. */
static const unsigned int loops[EVENT_KINDS] = {30, 24, 4, 4, 50, 50, 40,
						1,  1,	1, 1, 1,  6};
static const unsigned int busy[EVENT_KINDS] = {40, 34, 10, 2, 52, 52, 9,
					       3,  2,  4,  3, 2,  6};
static const unsigned int long_ones[EVENT_KINDS] = {8, 6, 15, 1, 90, 80, 3,
						    2, 1, 1,  3, 1,  3};

static u64 state;

/* splitmix64 */
static u64 random_u64(void)
{
	u64 x = state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static unsigned int below(unsigned int n)
{
	return random_u64() % n;
}

static enum event_kind random_kind(const unsigned int *weights)
{
	unsigned int total = 0, kind, pick;

	for (kind = 0; kind < EVENT_KINDS; kind++)
		total += weights[kind];
	pick = below(total);
	for (kind = 0; pick >= weights[kind]; kind++)
		pick -= weights[kind];
	return kind;
}

/* Nothing, a little, or anything from a nanosecond to a minute. */
static u64 random_step_ns(void)
{
	switch (below(4)) {
	case 0:
		return 0;
	case 1:
		return below(4);
	default:
		return random_u64() & ((1ULL << below(36)) - 1);
	}
}

static void random_event(const struct world *world, const struct bounds *bounds,
			 struct event *event)
{
	event->kind = random_kind(bounds->weights);
	event->thread = below(bounds->threads);
	event->value = 0;
	event->text = 0;
	event->used = below(3) ? below(1000) : 0;
	switch (event->kind) {
	case EVENT_RECEIVED:
	case EVENT_SENT:
		event->conn = below(bounds->servers);
		event->value = below(5000) + 1;
		event->text = below(WORLD_TEXTS);
		if (event->kind == EVENT_SENT && !below(8))
			event->value = 0;
		break;
	case EVENT_DISPATCH:
		event->conn = 0;
		event->value = below(2);
		break;
	case EVENT_CLOSE_SERVER:
	case EVENT_SHUTDOWN:
	case EVENT_QUIET:
		event->conn = below(bounds->servers);
		break;
	case EVENT_EXIT:
		event->conn = 0;
		break;
	default:
		event->conn = below(bounds->clients);
		/* Most uses of a connection come after it was made. */
		if (!world->clients[event->conn].present && below(8))
			event->kind = below(4) ? EVENT_CONNECT : EVENT_OLDER;
		event->value = below(5000) + 1;
		if (event->kind == EVENT_IDLE)
			event->value = 1U << below(32);
		if (event->kind == EVENT_REPLY && !below(6))
			event->text = WORLD_INTERIM;
		if (event->kind != EVENT_CONNECT && event->kind != EVENT_OLDER)
			break;
		event->value = below(bounds->peers) + 1;
		event->text = below(bounds->servers + 1);
	}
}

static void play_random(struct world *world, const struct bounds *most)
{
	struct bounds bounds = *most;
	unsigned int i, length = 1 + below(LENGTH);
	u64 now_ns = random_u64() >> (1 + below(40));
	struct event event;

	bounds.servers = 1 + below(most->servers);
	bounds.clients = 1 + below(most->clients);
	bounds.threads = 1 + below(most->threads);
	bounds.weights = below(3) ? below(2) ? busy : loops : long_ones;
	world_init(world);
	for (i = 0; i < length; i++) {
		random_event(world, &bounds, &event);
		/* No connection has two requests that begin at once. */
		now_ns += random_step_ns();
		if (event.kind == EVENT_RECEIVED)
			now_ns += bounds.backwards_ns + 1;
		event.now_ns = now_ns;
		if (bounds.backwards_ns)
			event.now_ns += below(bounds.backwards_ns + 1);
		world_apply(world, &event);
	}
	world_close_all(world);
}

/* Once everything is closed all is decided, and given back. */
static bool settled(const struct world *world, char *why, size_t size)
{
	const struct result *result = &world->result;
	u64 decided = result->events[TL_ATTRIBUTED] + result->events[TL_UNATTRIBUTED] +
		      result->events[TL_IGNORED];

	if (decided != world->log_used || result->seen != world->log_used)
		snprintf(why, size, "events: %" PRIu64 " of %u decided", decided,
			 world->log_used);
	else if (world_taken(world) != WORLD_SERVERS)
		snprintf(why, size, "storage: %u entries left",
			 world_taken(world) - WORLD_SERVERS);
	else
		return true;
	return false;
}

/* Every call that was answered while it mattered to anybody is in one sum. */
static bool counted_once(const struct world *world, char *why, size_t size)
{
	static bool answered[WORLD_CLIENTS];
	const struct result *result = &world->result;
	u64 calls = 0, counted = 0;
	unsigned int i, j, k;

	/* Each is over when the next begins; a reply is the first of its call or not. */
	memset(answered, true, sizeof(answered));
	for (i = 0; i < world->log_used; i++) {
		const struct event *event = &world->log[i];

		if (event->kind == EVENT_CONNECT || event->kind == EVENT_CLOSE_CLIENT)
			answered[event->conn] = true;
		if (event->kind == EVENT_CALL)
			answered[event->conn] = false;
		if (event->kind != EVENT_REPLY || answered[event->conn])
			continue;
		answered[event->conn] = true;
		calls++;
	}
	for (i = 0; i < result->ended_used; i++)
		for (j = 0; j < result->ended[i].ended.sums_used; j++)
			for (k = 0; k < TL_BY_KINDS; k++)
				counted += result->ended[i].ended.sums[j].by[k];
	for (i = 0; i < result->strays_used; i++)
		for (k = 0; k < TL_BY_KINDS; k++)
			counted += result->strays[i].sum.by[k];
	if (counted <= calls)
		return true;
	snprintf(why, size, "calls: %" PRIu64 " counted of %" PRIu64, counted, calls);
	return false;
}

static bool agrees(struct world *world, const struct bounds *bounds, char *why,
		   size_t size)
{
	static struct result want;

	model_run(world->log, world->log_used, &want);
	return model_agrees(&world->result, &want, world->log, world->log_used,
			    bounds->precision, bounds->backwards_ns, why, size) &&
	       settled(world, why, size) && counted_once(world, why, size);
}

/* Leave out what the difference, told by its first letters, does not need. */
static void cut_down(struct world *world, const struct bounds *bounds, char *why,
		     size_t size)
{
	static struct world shorter;
	unsigned int i, leave_out;
	char first[4];

	memcpy(first, why, sizeof(first));
	for (leave_out = 0; leave_out < world->log_used;) {
		world_init(&shorter);
		for (i = 0; i < world->log_used; i++)
			if (i != leave_out)
				world_apply(&shorter, &world->log[i]);
		if (agrees(&shorter, bounds, why, size) ||
		    memcmp(first, why, sizeof(first)) != 0) {
			leave_out++;
		} else {
			*world = shorter;
			leave_out = 0;
		}
	}
	agrees(world, bounds, why, size);
}

static void print_log(const struct world *world, const char *why)
{
	u64 zero_ns = U64_MAX;
	unsigned int i;

	for (i = 0; i < world->log_used; i++)
		if (world->log[i].now_ns)
			zero_ns = min(zero_ns, world->log[i].now_ns);
	printf("# %s\n", why);
	for (i = 0; i < world->log_used; i++) {
		const struct event *event = &world->log[i];

		printf("#  %3u  +%" PRIu64 "  thread %u  %s %u (%u, %u)\n", i,
		       event->now_ns ? event->now_ns - zero_ns : 0, event->thread,
		       kind_names[event->kind], event->conn, event->value, event->text);
	}
}

struct coverage {
	u64 events, ended, strays, full, own_less, adopted, deferred, joined;
};

static void cover(struct coverage *coverage, const struct world *world)
{
	unsigned int i;

	coverage->events += world->log_used;
	coverage->ended += world->result.ended_used;
	coverage->strays += world->result.strays_used;
	coverage->adopted += world->result.adopted;
	coverage->deferred += world->result.events[TL_DEFERRED];
	for (i = 0; i < world->result.ended_used; i++) {
		const struct ended_record *record = &world->result.ended[i];

		coverage->full += record->calls_full;
		coverage->joined += record->ended.queued;
		coverage->own_less += record->ended.own_at_send_ns <
				      record->ended.last_send_ns - record->ended.open_ns;
	}
}

static void run(const struct bounds *bounds, u64 seed, unsigned int sequences)
{
	static struct world world;
	struct coverage coverage = {0};
	char why[256];
	unsigned int i;

	for (i = 0; i < sequences; i++) {
		state = seed + i;
		play_random(&world, bounds);
		cover(&coverage, &world);
		if (!agrees(&world, bounds, why, sizeof(why)))
			break;
	}
	if (!ok(i == sequences, "%s: %u sequences from seed %" PRIu64, bounds->name,
		sequences, seed)) {
		cut_down(&world, bounds, why, sizeof(why));
		printf("# differs with seed %" PRIu64 ":\n", seed + i);
		print_log(&world, why);
	}
	printf("# %" PRIu64 " events, %" PRIu64 " requests, %" PRIu64
	       " with waiting, %" PRIu64 " with lost calls, %" PRIu64 " joined, %" PRIu64
	       " deferred events, %" PRIu64 " errands adopted, %" PRIu64 " strays\n",
	       coverage.events, coverage.ended, coverage.own_less, coverage.full,
	       coverage.joined, coverage.deferred, coverage.adopted, coverage.strays);
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 20240601;
	unsigned int sequences = argc > 2 ? atoi(argv[2]) : SEQUENCES;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all_bounds); i++) {
		run(&all_bounds[i], seed, sequences);
	}
	return done();
}
