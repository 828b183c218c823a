// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A small world that drives the core
 *
 * It stands where kmod/{track,turn,errand,server,client,join}.c stand in the
 * kernel and calls the core in the same order, function by function. Threads 0–3
 * are one process, 4 and 5 another; the first thread of each is its leader.
 * Storage begins as garbage and goes from errands to requests and back, as far
 * apart in time as can be, for the kernel's is what was there before. Everything
 * is logged, for core-model.c.
 */
#include "core-world-parts.h"

#define SECOND_PROCESS 4
#define STRICT_TIER 1 /* a rule is for this server's tier alone */

unsigned int world_process(unsigned int thread)
{
	return thread < SECOND_PROCESS ? 0 : SECOND_PROCESS;
}

u32 world_tier(unsigned int server)
{
	return 100 + server;
}

/* Equal chains share a node: its number tells all of it. */
u32 world_node(u32 parent, u32 tier, u32 class)
{
	u64 x = ((u64)parent << 32 | tier << 8 | class) * 0x9e3779b97f4a7c15;

	return (x >> 32) | 1;
}

const struct tl_class_rules *world_rules(void)
{
	static const struct tl_class_rules rules = {
		.serial = 7,
		.rule = {{.class = 1, .len = 1, .prefix = "A"},
			 {.class = 2, .len = 2, .prefix = "AB"},
			 {.class = 3, .len = 2, .prefix = "AB", .for_tier = 1},
			 {.class = 4, .len = 4, .prefix = "ABCD"},
			 {.class = 5, .len = 1, .prefix = "B"},
			 {.class = 6, .len = 5, .prefix = "ABABA"}},
	};

	return &rules;
}

u64 world_eligible(unsigned int server)
{
	u64 eligible = 0;
	unsigned int i;

	for (i = 0; i < TL_CLASS_RULES; i++)
		if (world_rules()->rule[i].len &&
		    (!world_rules()->rule[i].for_tier || server == STRICT_TIER))
			eligible |= 1ULL << i;
	return eligible;
}

/* NULL: not to be read. */
const char *world_text(unsigned int text)
{
	static const char *const texts[WORLD_TEXTS] = {NULL, "A",    "AB", "B",
						       "CD", "ABCD", "CX", "Z"};

	return texts[text % WORLD_TEXTS];
}

struct tl_used world_used(u32 used)
{
	return (struct tl_used){
		.cpu_ns = used,
		.run_wait_ns = 2ULL * used,
		.more = used,
		.storage_read = 3ULL * used,
		.storage_write = 5ULL * used,
		.counts = {7ULL * used, 11ULL * used, 13ULL * used, 17ULL * used},
	};
}

struct entry *world_entry(struct tl_request *request)
{
	return (struct entry *)request;
}

/* The one that was given back longest ago. */
struct entry *world_entry_take(struct world *world)
{
	struct entry *entry;

	do {
		entry = &world->entries[world->next_entry++ % WORLD_ENTRIES];
	} while (entry->taken);
	entry->taken = true;
	entry->calls_full = false;
	return entry;
}

void world_accept(struct world *world, unsigned int server)
{
	struct server *s = &world->servers[server];

	s->entry = world_entry_take(world);
	s->caller = -1;
	s->shut = false;
	s->entry->request.tier = world_tier(server);
	s->entry->request.state = TL_REQUEST_NONE;
	/* Nobody clears it in the kernel, either: what was an errand is none any more. */
	s->entry->request.errand = 0;
}

void world_init(struct world *world)
{
	unsigned int i;

	memset(world->entries, GARBAGE, sizeof(world->entries));
	for (i = 0; i < WORLD_ENTRIES; i++) {
		world->entries[i].taken = false;
		world->entries[i].request.state = TL_REQUEST_NONE;
		world->entries[i].request.errand = 0;
	}
	world->next_entry = 0;
	world->no_memory = false;
	memset(world->clients, 0, sizeof(world->clients));
	memset(world->threads, 0, sizeof(world->threads));
	world->log_used = 0;
	world->result.ended_used = 0;
	world->result.strays_used = 0;
	world->result.seen = 0;
	world->result.adopted = 0;
	memset(world->result.events, 0, sizeof(world->result.events));
	memset(world->result.loss, 0, sizeof(world->result.loss));
	for (i = 0; i < WORLD_SERVERS; i++)
		world_accept(world, i);
	for (i = 0; i < WORLD_THREADS; i++)
		world->threads[i].thread.process =
			&world->threads[world_process(i)].thread;
}

unsigned int world_taken(const struct world *world)
{
	unsigned int i, taken = 0;

	for (i = 0; i < WORLD_ENTRIES; i++)
		taken += world->entries[i].taken;
	return taken;
}

struct tl_request *world_request(struct world *world, u8 server)
{
	return &world->servers[server].entry->request;
}

struct tl_request *world_lock(struct tl_request_ref ref)
{
	return tl_request_alive(&ref) ? ref.request : NULL;
}

void world_record_stray(struct world *world, const struct tl_call_sum *sum)
{
	struct result *result = &world->result;
	struct stray_record *record = &result->strays[result->strays_used++];

	record->event = world->log_used - 1;
	record->sum = *sum;
}

void world_record_ended(struct world *world, u8 server, const struct tl_request *ended)
{
	struct result *result = &world->result;
	struct ended_record *record = &result->ended[result->ended_used++];

	record->event = world->log_used - 1;
	record->server = server;
	record->calls_full = world->servers[server].entry->calls_full;
	record->ended = *ended;
	if (!record->ended.node)
		record->ended.node = world_node(ended->parent, ended->tier, ended->class);
	world->servers[server].entry->calls_full = false;
}

void world_decided(struct world *world, enum tl_outcome outcome, u64 n)
{
	world->result.events[outcome] += n;
	world->result.seen += n;
}

static enum tl_outcome apply(struct world *world, const struct event *event)
{
	switch (event->kind) {
	case EVENT_RECEIVED:
		return world_received(world, event);
	case EVENT_SENT:
		return world_sent(world, event);
	case EVENT_CALL:
		return world_call(world, event);
	case EVENT_REPLY:
		return world_reply(world, event);
	case EVENT_CONNECT:
		world_connect(world, event);
		break;
	case EVENT_OLDER:
		if (!world->clients[event->conn].present)
			world_client_add(&world->clients[event->conn], event);
		break;
	case EVENT_DISPATCH:
		world_dispatch(world, event);
		break;
	case EVENT_CLOSE_CLIENT:
		world_charge(world, event);
		world_client_remove(world, &world->clients[event->conn]);
		break;
	case EVENT_EXIT:
		world_exit(world, event);
		break;
	case EVENT_IDLE:
		world_idle(world, event);
		break;
	default:
		world_end(world, event);
	}
	return TL_IGNORED;
}

enum tl_outcome world_apply(struct world *world, const struct event *event)
{
	struct result *result = &world->result;
	unsigned int i = world->log_used++;
	enum tl_outcome outcome;

	assert(i < WORLD_EVENTS);
	world->log[i] = *event;
	outcome = apply(world, event);
	result->outcomes[i] = outcome;
	if (outcome != TL_DEFERRED)
		world_decided(world, outcome, 1);
	else
		result->events[TL_DEFERRED]++;
	return outcome;
}
