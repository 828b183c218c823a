// SPDX-License-Identifier: GPL-2.0-or-later
/* Events in words, for sequences made by hand, and what came of them. */
#include "core-world.h"

static enum tl_outcome happens(struct world *world, enum event_kind kind, u8 thread,
			       u8 conn, u32 value, u64 now_ns)
{
	struct event event = {
		.kind = kind,
		.thread = thread,
		.conn = conn,
		.value = value,
		.now_ns = now_ns,
	};

	return world_apply(world, &event);
}

void world_close_all(struct world *world)
{
	unsigned int i;

	for (i = 0; i < WORLD_SERVERS; i++)
		close_server(world, i);
	for (i = 0; i < WORLD_CLIENTS; i++)
		if (world->clients[i].present)
			close_client(world, i);
	for (i = 0; i < WORLD_THREADS; i++)
		exited(world, i);
}

enum tl_outcome received(struct world *world, u8 thread, u8 server, u64 now_ns)
{
	return happens(world, EVENT_RECEIVED, thread, server, 10, now_ns);
}

enum tl_outcome received_text(struct world *world, u8 thread, u8 server, u8 text,
			      u64 now_ns)
{
	struct event event = {
		.kind = EVENT_RECEIVED,
		.thread = thread,
		.conn = server,
		.text = text,
		.value = 10,
		.now_ns = now_ns,
	};

	return world_apply(world, &event);
}

enum tl_outcome sent(struct world *world, u8 thread, u8 server, u64 now_ns)
{
	return happens(world, EVENT_SENT, thread, server, 1000, now_ns);
}

static enum tl_outcome happens_interim(struct world *world, enum event_kind kind,
				       u8 thread, u8 conn, u64 now_ns)
{
	struct event event = {
		.kind = kind,
		.thread = thread,
		.conn = conn,
		.text = WORLD_INTERIM,
		.value = INTERIM,
		.now_ns = now_ns,
	};

	return world_apply(world, &event);
}

enum tl_outcome interim_sent(struct world *world, u8 thread, u8 server, u64 now_ns)
{
	return happens_interim(world, EVENT_SENT, thread, server, now_ns);
}

enum tl_outcome interim_reply(struct world *world, u8 thread, u8 client, u64 now_ns)
{
	return happens_interim(world, EVENT_REPLY, thread, client, now_ns);
}

enum tl_outcome still_sending(struct world *world, u8 thread, u8 server, u64 now_ns)
{
	return happens(world, EVENT_SENT, thread, server, 0, now_ns);
}

enum tl_outcome call(struct world *world, u8 thread, u8 client, u64 now_ns)
{
	return happens(world, EVENT_CALL, thread, client, 30, now_ns);
}

enum tl_outcome reply(struct world *world, u8 thread, u8 client, u64 now_ns)
{
	return happens(world, EVENT_REPLY, thread, client, 500, now_ns);
}

void connected(struct world *world, u8 thread, u8 client, u32 peer, u64 now_ns)
{
	happens(world, EVENT_CONNECT, thread, client, peer, now_ns);
}

/* A connection that is there already, to a server of this world: its peer is 10 more. */
void linked(struct world *world, u8 client, u8 server)
{
	struct event event = {
		.kind = EVENT_OLDER,
		.conn = client,
		.text = server + 1,
		.value = 10 + server,
	};

	world_apply(world, &event);
}

void older(struct world *world, u8 client, u32 peer)
{
	happens(world, EVENT_OLDER, 0, client, peer, 0);
}

/* An event loop at its turn. */
void dispatched(struct world *world, u8 thread)
{
	happens(world, EVENT_DISPATCH, thread, 0, 1, 0);
}

/* A thread asks for what to do next in a way that others do, too. */
void asked(struct world *world, u8 thread)
{
	happens(world, EVENT_DISPATCH, thread, 0, 0, 0);
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

void idle(struct world *world, u8 client, u32 idle_ns, u64 now_ns)
{
	happens(world, EVENT_IDLE, 0, client, idle_ns, now_ns);
}

/* An impossible one stands for none, so that a failing test need not crash. */
const struct tl_request *last_ended(const struct world *world)
{
	static const struct tl_request none = {.last_send_ns = U64_MAX / 2, .own_at_send_ns = U64_MAX};
	const struct result *result = &world->result;

	return result->ended_used ? &result->ended[result->ended_used - 1].ended : &none;
}

u64 last_response(const struct world *world)
{
	return last_ended(world)->last_send_ns - last_ended(world)->open_ns;
}

u64 last_own(const struct world *world)
{
	return last_ended(world)->own_at_send_ns;
}

const struct tl_call_sum *sum_of(const struct tl_request *ended, u32 peer)
{
	static const struct tl_call_sum none;
	unsigned int i;

	for (i = 0; i < ended->sums_used; i++)
		if (ended->sums[i].peer == peer)
			return &ended->sums[i];
	return &none;
}
