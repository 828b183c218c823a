// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A small world that drives the core
 *
 * It stands where kmod/track.c stands in the kernel and calls the core in the
 * same order. Threads 0–3 are one process, 4 and 5 another; the first thread of
 * each is its leader. Storage of requests begins as garbage, for the kernel's is
 * what an earlier connection left. Everything is logged, for core-model.c.
 */
#include "core-world.h"

#define SECOND_PROCESS 4
#define GARBAGE 0xa5

unsigned int world_process(unsigned int thread)
{
	return thread < SECOND_PROCESS ? 0 : SECOND_PROCESS;
}

u32 world_tier(unsigned int server)
{
	return 100 + server;
}

void world_init(struct world *world)
{
	unsigned int i;

	memset(world, 0, sizeof(*world));
	memset(world->requests, GARBAGE, sizeof(world->requests));
	for (i = 0; i < WORLD_SERVERS; i++) {
		world->requests[i].tier = world_tier(i);
		world->requests[i].state = TL_REQUEST_NONE;
	}
	for (i = 0; i < WORLD_THREADS; i++)
		world->threads[i].process = &world->threads[world_process(i)];
}

static struct tl_request *lock_request(struct tl_request_ref ref)
{
	return tl_request_alive(&ref) ? ref.request : NULL;
}

static void record_ended(struct world *world, u8 server, const struct tl_ended *ended)
{
	struct result *result = &world->result;
	struct ended_record *record = &result->ended[result->ended_used++];

	record->event = world->log_used - 1;
	record->server = server;
	record->calls_full = world->calls_full[server];
	record->ended = *ended;
}

static void end_request(struct world *world, u8 server)
{
	struct tl_ended ended;

	memset(&ended, GARBAGE, sizeof(ended));
	if (tl_request_end(&world->requests[server], &ended, world->result.loss))
		record_ended(world, server, &ended);
	world->calls_full[server] = false;
}

static void take_done(struct world *world, struct tl_call *call)
{
	struct result *result = &world->result;
	struct stray_record *record = &result->strays[result->strays_used];

	memset(&record->sum, GARBAGE, sizeof(record->sum));
	if (!tl_correlate_call_done(call, &record->sum))
		return;
	record->event = world->log_used - 1;
	result->strays_used++;
}

static void end_call(struct world *world, u8 client)
{
	if (!world->present[client])
		return;
	take_done(world, &world->calls[client]);
	world->calls[client].state = TL_CALL_NONE;
	world->present[client] = false;
}

static enum tl_outcome apply_received(struct world *world, const struct event *event)
{
	struct tl_ended ended;
	bool filled;

	if (world->shut[event->conn])
		return TL_IGNORED;
	memset(&ended, GARBAGE, sizeof(ended));
	filled = tl_correlate_request_received(
		&world->requests[event->conn], &world->threads[event->thread],
		event->now_ns, event->value, &ended, world->result.loss);
	if (filled) {
		record_ended(world, event->conn, &ended);
		world->calls_full[event->conn] = false;
	}
	return TL_ATTRIBUTED;
}

static void add_client(struct world *world, u8 client, u32 peer)
{
	memset(&world->calls[client], 0, sizeof(world->calls[client]));
	world->peers[client] = peer;
	world->present[client] = true;
}

static void apply_connect(struct world *world, const struct event *event)
{
	struct tl_thread *thread = &world->threads[event->thread];

	end_call(world, event->conn);
	add_client(world, event->conn, event->value);
	tl_correlate_connected(&world->calls[event->conn],
			       lock_request(thread->current_request), event->now_ns);
}

static enum tl_outcome apply_call(struct world *world, const struct event *event)
{
	struct tl_thread *thread = &world->threads[event->thread];
	struct tl_call *call = &world->calls[event->conn];
	struct tl_request *owner;

	if (!world->present[event->conn])
		return TL_IGNORED;
	if (!call->peer)
		call->peer = world->peers[event->conn];
	take_done(world, call);
	owner = lock_request(tl_correlate_call_owner(call, thread));
	return tl_correlate_call_sent(call, thread, owner, event->now_ns);
}

static enum tl_outcome apply_reply(struct world *world, const struct event *event)
{
	struct tl_call *call = &world->calls[event->conn];
	u64 full = world->result.loss[TL_LOSS_CALLS_FULL];
	struct tl_request *owner;
	enum tl_outcome outcome;

	if (!world->present[event->conn])
		return TL_IGNORED;
	owner = lock_request(call->owner);
	outcome = tl_correlate_call_received(call, &world->threads[event->thread], owner,
					     event->now_ns, world->result.loss);
	if (world->result.loss[TL_LOSS_CALLS_FULL] != full)
		world->calls_full[owner - world->requests] = true;
	return outcome;
}

static void apply_exit(struct world *world, const struct event *event)
{
	struct tl_thread *thread = &world->threads[event->thread];
	struct tl_thread *process = thread->process;

	memset(thread, 0, sizeof(*thread));
	thread->process = process;
}

static void apply_end(struct world *world, const struct event *event)
{
	bool answered = world->requests[event->conn].state == TL_REQUEST_ANSWERED;

	if (event->kind == EVENT_QUIET && answered)
		world->result.loss[TL_LOSS_QUIET]++;
	if (event->kind != EVENT_QUIET || answered)
		end_request(world, event->conn);
	if (event->kind != EVENT_QUIET)
		world->shut[event->conn] = event->kind == EVENT_SHUTDOWN;
}

static enum tl_outcome apply(struct world *world, const struct event *event)
{
	switch (event->kind) {
	case EVENT_RECEIVED:
		return apply_received(world, event);
	case EVENT_SENT:
		return tl_correlate_response_sent(&world->requests[event->conn],
						  event->now_ns, event->value,
						  world->result.loss);
	case EVENT_CALL:
		return apply_call(world, event);
	case EVENT_REPLY:
		return apply_reply(world, event);
	case EVENT_CONNECT:
		apply_connect(world, event);
		break;
	case EVENT_OLDER:
		if (!world->present[event->conn])
			add_client(world, event->conn, event->value);
		break;
	case EVENT_CLOSE_CLIENT:
		end_call(world, event->conn);
		break;
	case EVENT_EXIT:
		apply_exit(world, event);
		break;
	default:
		apply_end(world, event);
	}
	return TL_IGNORED;
}

enum tl_outcome world_apply(struct world *world, const struct event *event)
{
	unsigned int i = world->log_used++;

	assert(i < WORLD_EVENTS);
	world->log[i] = *event;
	world->result.outcomes[i] = apply(world, event);
	return world->result.outcomes[i];
}

static enum tl_outcome happens(struct world *world, enum event_kind kind, u8 thread,
			       u8 conn, u32 value, u64 now_ns)
{
	struct event event = {kind, thread, conn, value, now_ns};

	return world_apply(world, &event);
}

enum tl_outcome received(struct world *world, u8 thread, u8 server, u64 now_ns)
{
	return happens(world, EVENT_RECEIVED, thread, server, 10, now_ns);
}

enum tl_outcome sent(struct world *world, u8 thread, u8 server, u64 now_ns)
{
	return happens(world, EVENT_SENT, thread, server, 1000, now_ns);
}

enum tl_outcome still_sending(struct world *world, u8 thread, u8 server, u64 now_ns)
{
	return happens(world, EVENT_SENT, thread, server, 0, now_ns);
}

enum tl_outcome call(struct world *world, u8 thread, u8 client, u64 now_ns)
{
	return happens(world, EVENT_CALL, thread, client, 0, now_ns);
}

enum tl_outcome reply(struct world *world, u8 thread, u8 client, u64 now_ns)
{
	return happens(world, EVENT_REPLY, thread, client, 0, now_ns);
}

void connected(struct world *world, u8 thread, u8 client, u32 peer, u64 now_ns)
{
	happens(world, EVENT_CONNECT, thread, client, peer, now_ns);
}

void older(struct world *world, u8 client, u32 peer)
{
	happens(world, EVENT_OLDER, 0, client, peer, 0);
}

void close_server(struct world *world, u8 server)
{
	happens(world, EVENT_CLOSE_SERVER, 0, server, 0, 0);
}

void close_client(struct world *world, u8 client)
{
	happens(world, EVENT_CLOSE_CLIENT, 0, client, 0, 0);
}

void shut_down(struct world *world, u8 server)
{
	happens(world, EVENT_SHUTDOWN, 0, server, 0, 0);
}

void gone_quiet(struct world *world, u8 server)
{
	happens(world, EVENT_QUIET, 0, server, 0, 0);
}

void exited(struct world *world, u8 thread)
{
	happens(world, EVENT_EXIT, thread, 0, 0, 0);
}

/* An impossible one stands for none, so that a failing test need not crash. */
const struct tl_ended *last_ended(const struct world *world)
{
	static const struct tl_ended none = {.closed_ns = U64_MAX / 2, .own_ns = U64_MAX};
	const struct result *result = &world->result;

	return result->ended_used ? &result->ended[result->ended_used - 1].ended : &none;
}

u64 last_response(const struct world *world)
{
	return last_ended(world)->closed_ns - last_ended(world)->open_ns;
}

u64 last_own(const struct world *world)
{
	return last_ended(world)->own_ns;
}

const struct tl_call_sum *sum_of(const struct tl_ended *ended, u32 peer)
{
	static const struct tl_call_sum none;
	unsigned int i;

	for (i = 0; i < ended->sums_used; i++)
		if (ended->sums[i].peer == peer)
			return &ended->sums[i];
	return &none;
}
