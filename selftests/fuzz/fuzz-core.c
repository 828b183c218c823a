// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The correlation core against the slow reference, over events of which each takes eight bytes
 *
 * What comes out must be the same to the nanosecond and the byte, as in test-core-random.c, which draws its
 * events; here they are led to where the core has not been yet.
 */
#include "fuzz.h"

#include "core-model.h"

#define BYTES 8

/* No more clients than slots, so that the reference is exact whatever happens. */
static void event_of(const uint8_t *byte, u64 *now_ns, struct event *event)
{
	memset(event, 0, sizeof(*event));
	event->kind = byte[0] % EVENT_KINDS;
	event->thread = byte[1] % WORLD_THREADS;
	event->text = byte[3];
	event->value = byte[4] << 8 | byte[5];
	event->used = byte[6];
	/* Nothing, or up to about two minutes. */
	*now_ns += byte[7] ? 1ULL << (byte[7] % 38) : 0;
	switch (event->kind) {
	case EVENT_RECEIVED:
		/* No connection has two requests that begin at once. */
		(*now_ns)++;
		event->value += !event->value;
		event->text %= WORLD_TEXTS;
		event->conn = byte[2] % WORLD_SERVERS;
		break;
	case EVENT_SENT:
		event->text %= WORLD_TEXTS;
		event->conn = byte[2] % WORLD_SERVERS;
		break;
	case EVENT_CLOSE_SERVER:
	case EVENT_SHUTDOWN:
	case EVENT_QUIET:
		event->conn = byte[2] % WORLD_SERVERS;
		break;
	case EVENT_CONNECT:
	case EVENT_OLDER:
		event->conn = byte[2] % TL_REQUEST_CALLS;
		event->value = 1 + event->value % 6;
		event->text %= WORLD_SERVERS + 1;
		break;
	case EVENT_IDLE:
		event->conn = byte[2] % TL_REQUEST_CALLS;
		event->value = 1U << (byte[4] % 32);
		event->text = 0;
		break;
	case EVENT_DISPATCH:
		event->value %= 2;
		break;
	case EVENT_EXIT:
		break;
	default:
		event->conn = byte[2] % TL_REQUEST_CALLS;
		event->value += !event->value;
		event->text = event->kind == EVENT_REPLY && event->text % 6 == 1 ? WORLD_INTERIM : 0;
	}
	event->now_ns = *now_ns;
}

static bool settled(const struct world *world)
{
	const struct result *result = &world->result;

	return result->events[TL_ATTRIBUTED] + result->events[TL_UNATTRIBUTED] + result->events[TL_IGNORED] ==
		       world->log_used &&
	       result->seen == world->log_used && world_taken(world) == WORLD_SERVERS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* What closes everything takes some of the log, too. */
	const unsigned int room = WORLD_EVENTS - WORLD_SERVERS - WORLD_CLIENTS - WORLD_THREADS;
	static struct result want;
	static struct world world;
	struct event event;
	u64 now_ns = 1;
	char why[256];
	unsigned int i;

	world_init(&world);
	for (i = 0; i < size / BYTES && i < room; i++) {
		event_of(data + i * BYTES, &now_ns, &event);
		world_apply(&world, &event);
	}
	world_close_all(&world);
	model_run(world.log, world.log_used, &want);
	if (!model_agrees(&world.result, &want, world.log, world.log_used, MODEL_EXACT, 0, why, sizeof(why)))
		fuzz_must(false, why);
	fuzz_must(settled(&world), "events that were not decided, or storage that was not given back");
	return 0;
}
