// SPDX-License-Identifier: GPL-2.0-or-later
/* Connections' clients. */
#include "core-world-parts.h"

/* kmod/client.c */

static void call_done(struct world *world, struct tl_call *call)
{
	struct tl_call_sum stray;

	memset(&stray, GARBAGE, sizeof(stray));
	if (tl_correlate_call_done(call, &stray))
		world_record_stray(world, &stray);
}

void world_client_remove(struct world *world, struct client *client)
{
	struct tl_request_ref owner = client->call.owner;

	if (!client->present)
		return;
	call_done(world, &client->call);
	client->call.owner.request = NULL;
	world_errand_put(world, owner);
	client->call.state = TL_CALL_NONE;
	world_join_new_client(client);
	client->present = false;
}

void world_client_add(struct client *client, const struct event *event)
{
	memset(&client->call, 0, sizeof(client->call));
	world_join_new_client(client);
	client->peer = event->value;
	client->to = event->text;
	client->present = true;
}

static void follow_errand(struct world *world, struct tl_call *call)
{
	struct tl_request_ref became = world_errand_became(call->owner);

	if (became.request == call->owner.request)
		return;
	world_errand_put(world, call->owner);
	call->owner = became;
}

static struct tl_request *lock_to_begin(struct tl_request_ref ref)
{
	struct tl_request *owner = world_lock(ref);

	if (owner && owner->errand)
		world_entry(owner)->uses++;
	return owner;
}

static void need_current(struct world *world, struct worker *worker, u64 now_ns)
{
	struct tl_request *now = world_lock(worker->thread.current_request);

	if ((now && now->state == TL_REQUEST_OPEN) ||
	    !tl_correlate_serves(&worker->thread))
		return;
	world_errand_begin(world, worker, now_ns);
	if (!worker->errand.request)
		world->result.loss[TL_LOSS_HANDOFFS_DROPPED]++;
}

void world_connect(struct world *world, const struct event *event)
{
	struct worker *worker = &world->threads[event->thread];
	struct client *client = &world->clients[event->conn];
	struct tl_request *owner;

	world_client_remove(world, client);
	world_charge(world, event);
	world_client_add(client, event);
	need_current(world, worker, event->now_ns);
	owner = lock_to_begin(worker->thread.current_request);
	tl_correlate_connected(&client->call, owner, event->now_ns);
	if (owner && owner->errand && !client->call.owner.request)
		world_entry(owner)->uses--;
}

static void tell_callee(struct client *client, struct tl_request *owner, u64 now_ns)
{
	if (owner && !owner->errand)
		world_place(owner);
	tl_link_called(&client->link, owner && !owner->errand ? owner : NULL, now_ns);
}

static enum tl_outcome begin(struct world *world, struct client *client,
			     const struct event *event)
{
	struct worker *worker = &world->threads[event->thread];
	struct tl_call *call = &client->call;
	struct tl_request_ref before = call->owner;
	struct tl_request *owner;
	enum tl_outcome outcome;

	call_done(world, call);
	if (call->state != TL_CALL_CONNECTED)
		need_current(world, worker, event->now_ns);
	owner = lock_to_begin(tl_correlate_call_owner(call, &worker->thread));
	outcome = tl_correlate_call_sent(call, &worker->thread, owner, event->now_ns,
					 event->value);
	if (owner && owner->errand && !call->owner.request)
		world_entry(owner)->uses--;
	tell_callee(client, call->owner.request ? owner : NULL, event->now_ns);
	world_errand_put(world, before);
	return outcome;
}

enum tl_outcome world_call(struct world *world, const struct event *event)
{
	struct worker *worker = &world->threads[event->thread];
	struct client *client = &world->clients[event->conn];
	struct tl_call *call = &client->call;

	world_charge(world, event);
	if (!client->present)
		return TL_IGNORED;
	if (!call->peer)
		call->peer = client->peer;
	follow_errand(world, call);
	if (call->state != TL_CALL_SENDING)
		return begin(world, client, event);
	return tl_correlate_call_sent(call, &worker->thread, world_lock(call->owner),
				      event->now_ns, event->value);
}

enum tl_outcome world_reply(struct world *world, const struct event *event)
{
	struct client *client = &world->clients[event->conn];
	struct tl_call *call = &client->call;
	u64 full = world->result.loss[TL_LOSS_CALLS_FULL];
	struct tl_request *owner;
	enum tl_outcome outcome;

	world_charge(world, event);
	if (!client->present)
		return TL_IGNORED;
	follow_errand(world, call);
	owner = world_lock(call->owner);
	outcome = tl_correlate_call_received(call, &world->threads[event->thread].thread,
					     owner, &client->link,
					     !client->joined &&
						     event->text == WORLD_INTERIM,
					     event->now_ns, event->value,
					     world->result.loss);
	if (world->result.loss[TL_LOSS_CALLS_FULL] != full)
		world_entry(owner)->calls_full = true;
	return outcome;
}

void world_idle(struct world *world, const struct event *event)
{
	struct client *client = &world->clients[event->conn];
	struct tl_request_ref owner;

	if (!client->present)
		return;
	follow_errand(world, &client->call);
	owner = client->call.owner;
	if (tl_correlate_call_idle(&client->call, event->now_ns, event->value))
		world_errand_put(world, owner);
}
