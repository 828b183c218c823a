// SPDX-License-Identifier: GPL-2.0-or-later
/* Connections' servers, and their other ends. */
#include "core-world-parts.h"

/* kmod/join.c */

void world_join_new_client(struct client *client)
{
	client->joined = false;
	client->id++;
	memset(&client->link, 0, sizeof(client->link));
}

static struct tl_link *join_lock(struct world *world, struct server *server)
{
	struct client *client;

	if (server->caller < 0)
		return NULL;
	client = &world->clients[server->caller];
	if (client->id == server->caller_id)
		return &client->link;
	server->caller = -1;
	return NULL;
}

static void join_find(struct world *world, u8 conn)
{
	struct server *server = &world->servers[conn];
	unsigned int i;

	for (i = 0; server->caller < 0 && i < WORLD_CLIENTS; i++) {
		struct client *client = &world->clients[i];

		if (!client->present || client->to != conn + 1 || client->joined ||
		    !client->link.call)
			continue;
		server->caller = i;
		server->caller_id = client->id;
		client->joined = true;
	}
}

/* kmod/server.c */

static void end_request(struct world *world, u8 server)
{
	struct tl_request *request = world_request(world, server);

	if (tl_request_end(request, world->result.loss))
		world_record_ended(world, server, request);
	world->servers[server].entry->calls_full = false;
}

static void classify(struct world *world, const struct event *event, bool first)
{
	struct tl_request *request = world_request(world, event->conn);
	const char *text = world_text(event->text);
	struct tl_class_match *match = &request->match;
	struct tl_link *link;
	u8 before;

	if (first) {
		/* What it was joined to may have gone, which is noticed one later. */
		join_find(world, event->conn);
		link = join_lock(world, &world->servers[event->conn]);
		if (link)
			tl_link_opened(link, request);
		tl_class_begin(match, world_rules(), world_eligible(event->conn));
	}
	if (match->serial != world_rules()->serial || !match->open)
		return;
	if (!text) {
		match->open = 0;
		return;
	}
	before = match->found;
	tl_class_feed(match, world_rules(), (const u8 *)text, strlen(text));
	if (match->found != before)
		tl_request_classify(request, world_rules()->rule[match->found - 1].class);
}

enum tl_outcome world_received(struct world *world, const struct event *event)
{
	struct tl_request *request = world_request(world, event->conn);
	u64 seq = request->seq;

	world_charge(world, event);
	if (world->servers[event->conn].shut)
		return TL_IGNORED;
	if (tl_correlate_request_ends(request, world->result.loss))
		world_record_ended(world, event->conn, request);
	tl_correlate_request_received(request, &world->threads[event->thread].thread,
				      event->now_ns, event->value);
	classify(world, event, request->seq != seq);
	return TL_ATTRIBUTED;
}

static void answered(struct world *world, u8 conn, bool interim)
{
	struct tl_link *link = join_lock(world, &world->servers[conn]);

	if (link && interim)
		tl_link_promised(link);
	else if (link)
		tl_link_answered(link, world_request(world, conn));
}

u32 world_place(struct tl_request *request)
{
	if (!request->node)
		request->node =
			world_node(request->parent, request->tier, request->class);
	return request->node;
}

enum tl_outcome world_sent(struct world *world, const struct event *event)
{
	struct tl_thread *thread = &world->threads[event->thread].thread;
	struct tl_request *request = world_request(world, event->conn);
	bool interim = event->value && event->text == WORLD_INTERIM &&
		       request->state == TL_REQUEST_OPEN;
	enum tl_outcome outcome;

	if (event->value)
		world_charge(world, event);
	if (event->value && !interim && request->state == TL_REQUEST_OPEN &&
	    thread->current_request.request && thread->current_request.request->errand &&
	    world_errand_adopt(world, request, thread->current_request)) {
		thread->current_request.request = request;
		thread->current_request.seq = request->seq;
	}
	outcome = tl_correlate_response_sent(request, event->now_ns, event->value,
					     interim, world->result.loss);
	if (outcome != TL_ATTRIBUTED)
		return outcome;
	if (event->value && !interim)
		world_place(request);
	answered(world, event->conn, interim);
	return outcome;
}

void world_end(struct world *world, const struct event *event)
{
	struct server *server = &world->servers[event->conn];
	bool is_answered = server->entry->request.state == TL_REQUEST_ANSWERED;

	if (event->kind == EVENT_CLOSE_SERVER)
		world_charge(world, event);
	if (event->kind == EVENT_QUIET && is_answered)
		world->result.loss[TL_LOSS_QUIET]++;
	if (event->kind != EVENT_QUIET || is_answered)
		end_request(world, event->conn);
	if (event->kind == EVENT_SHUTDOWN)
		server->shut = true;
	if (event->kind != EVENT_CLOSE_SERVER)
		return;
	server->entry->taken = false;
	world_accept(world, event->conn);
}
