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
#include "core-world.h"

#define SECOND_PROCESS 4
#define GARBAGE 0xa5
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
	return (struct tl_used){used, 2ULL * used, 3ULL * used, 5ULL * used};
}

static struct entry *entry_of(struct tl_request *request)
{
	return (struct entry *)request;
}

/* The one that was given back longest ago. */
static struct entry *entry_take(struct world *world)
{
	struct entry *entry;

	do {
		entry = &world->entries[world->next_entry++ % WORLD_ENTRIES];
	} while (entry->taken);
	entry->taken = true;
	entry->calls_full = false;
	return entry;
}

static void accept_server(struct world *world, unsigned int server)
{
	struct server *s = &world->servers[server];

	s->entry = entry_take(world);
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
		accept_server(world, i);
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

static struct tl_request *lock_request(struct tl_request_ref ref)
{
	return tl_request_alive(&ref) ? ref.request : NULL;
}

static void record_stray(struct world *world, const struct tl_call_sum *sum)
{
	struct result *result = &world->result;
	struct stray_record *record = &result->strays[result->strays_used++];

	record->event = world->log_used - 1;
	record->sum = *sum;
}

static void record_ended(struct world *world, u8 server, const struct tl_ended *ended)
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

static void decided(struct world *world, enum tl_outcome outcome, u64 n)
{
	world->result.events[outcome] += n;
	world->result.seen += n;
}

/* kmod/errand.c */

static struct tl_request_ref errand_new(struct world *world, u64 now_ns)
{
	struct tl_request_ref ref = {0};
	struct entry *entry;

	if (world->no_memory)
		return ref;
	entry = entry_take(world);
	entry->uses = 1;
	entry->request.tier = 0;
	tl_errand_begin(&entry->request, now_ns);
	ref.request = &entry->request;
	ref.seq = entry->request.seq;
	return ref;
}

static void end_unknown(struct world *world, struct tl_request *errand)
{
	unsigned int i;

	for (i = 0; i < errand->sums_used; i++)
		record_stray(world, &errand->sums[i]);
	decided(world, TL_UNATTRIBUTED, errand->deferred);
}

static void errand_put(struct world *world, struct tl_request_ref ref)
{
	struct tl_request *errand = ref.request;

	if (!errand || !errand->errand || errand->seq != ref.seq)
		return;
	assert(entry_of(errand)->taken && entry_of(errand)->uses);
	if (--entry_of(errand)->uses)
		return;
	if (errand->state == TL_REQUEST_OPEN)
		end_unknown(world, errand);
	errand->state = TL_REQUEST_NONE;
	errand->errand = 0;
	entry_of(errand)->taken = false;
}

static bool errand_adopt(struct world *world, struct tl_request *request,
			 struct tl_request_ref errand)
{
	u64 full = world->result.loss[TL_LOSS_CALLS_FULL];

	if (!tl_request_alive(&errand) || !errand.request->errand)
		return false;
	if (!tl_request_adopt(request, errand.request, TL_BY_LOOKBACK,
			      world->result.loss))
		return false;
	if (world->result.loss[TL_LOSS_CALLS_FULL] != full ||
	    entry_of(errand.request)->calls_full)
		entry_of(request)->calls_full = true;
	decided(world, TL_ATTRIBUTED, errand.request->deferred);
	world->result.adopted++;
	return true;
}

static struct tl_request_ref errand_became(struct tl_request_ref ref)
{
	if (ref.request && ref.request->errand && ref.request->seq == ref.seq &&
	    ref.request->state == TL_REQUEST_ADOPTED)
		return ref.request->adopter;
	return ref;
}

/* kmod/turn.c */

static void charge(struct world *world, const struct event *event)
{
	struct worker *worker = &world->threads[event->thread];
	struct tl_request *request = lock_request(worker->thread.current_request);
	struct tl_used used = world_used(event->used);

	if (request)
		tl_used_add(&request->used, &used);
}

static void drop_errand(struct world *world, struct worker *worker)
{
	struct tl_request_ref errand = worker->errand;

	worker->errand.request = NULL;
	errand_put(world, errand);
}

static void turn_errand(struct world *world, struct worker *worker, u64 now_ns)
{
	drop_errand(world, worker);
	worker->errand = errand_new(world, now_ns);
	worker->thread.current_request = worker->errand;
	worker->thread.by = TL_BY_LOOKBACK;
}

static void apply_dispatch(struct world *world, const struct event *event)
{
	struct worker *worker = &world->threads[event->thread];

	if (!event->value && !worker->thread.multiplexes)
		return;
	charge(world, event);
	tl_correlate_dispatched(&worker->thread);
	drop_errand(world, worker);
}

/* kmod/join.c */

static void join_new_client(struct client *client)
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
	struct tl_ended ended;

	memset(&ended, GARBAGE, sizeof(ended));
	if (tl_request_end(world_request(world, server), &ended, world->result.loss))
		record_ended(world, server, &ended);
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
		if (link && !tl_link_opened(link, request))
			world->result.loss[TL_LOSS_AMBIGUOUS]++;
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
		tl_request_classify(request,
				    world_rules()->rule[match->found - 1].class);
}

static enum tl_outcome apply_received(struct world *world, const struct event *event)
{
	struct tl_request *request = world_request(world, event->conn);
	u64 seq = request->seq;
	struct tl_ended ended;

	charge(world, event);
	if (world->servers[event->conn].shut)
		return TL_IGNORED;
	memset(&ended, GARBAGE, sizeof(ended));
	if (tl_correlate_request_received(request, &world->threads[event->thread].thread,
					  event->now_ns, event->value, &ended,
					  world->result.loss))
		record_ended(world, event->conn, &ended);
	classify(world, event, request->seq != seq);
	return TL_ATTRIBUTED;
}

static void answered(struct world *world, u8 conn)
{
	struct tl_link *link = join_lock(world, &world->servers[conn]);

	if (link)
		tl_link_answered(link, world_request(world, conn));
}

static u32 node(struct tl_request *request)
{
	if (!request->node)
		request->node =
			world_node(request->parent, request->tier, request->class);
	return request->node;
}

static enum tl_outcome apply_sent(struct world *world, const struct event *event)
{
	struct tl_thread *thread = &world->threads[event->thread].thread;
	struct tl_request *request = world_request(world, event->conn);
	enum tl_outcome outcome;

	if (event->value)
		charge(world, event);
	if (event->value && request->state == TL_REQUEST_OPEN &&
	    thread->current_request.request && thread->current_request.request->errand &&
	    errand_adopt(world, request, thread->current_request)) {
		thread->current_request.request = request;
		thread->current_request.seq = request->seq;
	}
	outcome = tl_correlate_response_sent(request, event->now_ns, event->value,
					     world->result.loss);
	if (outcome != TL_ATTRIBUTED)
		return outcome;
	if (event->value)
		node(request);
	answered(world, event->conn);
	return outcome;
}

static void apply_end(struct world *world, const struct event *event)
{
	struct server *server = &world->servers[event->conn];
	bool is_answered = server->entry->request.state == TL_REQUEST_ANSWERED;

	if (event->kind == EVENT_CLOSE_SERVER)
		charge(world, event);
	if (event->kind == EVENT_QUIET && is_answered)
		world->result.loss[TL_LOSS_QUIET]++;
	if (event->kind != EVENT_QUIET || is_answered)
		end_request(world, event->conn);
	if (event->kind == EVENT_SHUTDOWN)
		server->shut = true;
	if (event->kind != EVENT_CLOSE_SERVER)
		return;
	server->entry->taken = false;
	accept_server(world, event->conn);
}

/* kmod/client.c */

static void call_done(struct world *world, struct tl_call *call)
{
	struct tl_call_sum stray;

	memset(&stray, GARBAGE, sizeof(stray));
	if (tl_correlate_call_done(call, &stray))
		record_stray(world, &stray);
}

static void remove_client(struct world *world, struct client *client)
{
	struct tl_request_ref owner = client->call.owner;

	if (!client->present)
		return;
	call_done(world, &client->call);
	client->call.owner.request = NULL;
	errand_put(world, owner);
	client->call.state = TL_CALL_NONE;
	join_new_client(client);
	client->present = false;
}

static void add_client(struct client *client, const struct event *event)
{
	memset(&client->call, 0, sizeof(client->call));
	join_new_client(client);
	client->peer = event->value;
	client->to = event->text;
	client->present = true;
}

static void follow_errand(struct world *world, struct tl_call *call)
{
	struct tl_request_ref became = errand_became(call->owner);

	if (became.request == call->owner.request)
		return;
	errand_put(world, call->owner);
	call->owner = became;
}

static struct tl_request *lock_to_begin(struct tl_request_ref ref)
{
	struct tl_request *owner = lock_request(ref);

	if (owner && owner->errand)
		entry_of(owner)->uses++;
	return owner;
}

static void need_current(struct world *world, struct worker *worker, u64 now_ns)
{
	struct tl_request *now = lock_request(worker->thread.current_request);

	if ((now && now->state == TL_REQUEST_OPEN) ||
	    !tl_correlate_serves(&worker->thread))
		return;
	turn_errand(world, worker, now_ns);
	if (!worker->errand.request)
		world->result.loss[TL_LOSS_HANDOFFS_DROPPED]++;
}

static void apply_connect(struct world *world, const struct event *event)
{
	struct worker *worker = &world->threads[event->thread];
	struct client *client = &world->clients[event->conn];
	struct tl_request *owner;

	remove_client(world, client);
	charge(world, event);
	add_client(client, event);
	need_current(world, worker, event->now_ns);
	owner = lock_to_begin(worker->thread.current_request);
	tl_correlate_connected(&client->call, owner, event->now_ns);
	if (owner && owner->errand && !client->call.owner.request)
		entry_of(owner)->uses--;
}

static void tell_callee(struct client *client, struct tl_request *owner, u64 now_ns)
{
	if (owner && !owner->errand)
		node(owner);
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
		entry_of(owner)->uses--;
	tell_callee(client, call->owner.request ? owner : NULL, event->now_ns);
	errand_put(world, before);
	return outcome;
}

static enum tl_outcome apply_call(struct world *world, const struct event *event)
{
	struct worker *worker = &world->threads[event->thread];
	struct client *client = &world->clients[event->conn];
	struct tl_call *call = &client->call;

	charge(world, event);
	if (!client->present)
		return TL_IGNORED;
	if (!call->peer)
		call->peer = client->peer;
	follow_errand(world, call);
	if (call->state != TL_CALL_SENDING)
		return begin(world, client, event);
	return tl_correlate_call_sent(call, &worker->thread, lock_request(call->owner),
				      event->now_ns, event->value);
}

static enum tl_outcome apply_reply(struct world *world, const struct event *event)
{
	struct client *client = &world->clients[event->conn];
	struct tl_call *call = &client->call;
	u64 full = world->result.loss[TL_LOSS_CALLS_FULL];
	struct tl_request *owner;
	enum tl_outcome outcome;

	charge(world, event);
	if (!client->present)
		return TL_IGNORED;
	follow_errand(world, call);
	owner = lock_request(call->owner);
	outcome = tl_correlate_call_received(call, &world->threads[event->thread].thread,
					     owner, &client->link, event->now_ns,
					     event->value, world->result.loss);
	if (world->result.loss[TL_LOSS_CALLS_FULL] != full)
		entry_of(owner)->calls_full = true;
	return outcome;
}

static void apply_idle(struct world *world, const struct event *event)
{
	struct client *client = &world->clients[event->conn];
	struct tl_request_ref owner;

	if (!client->present)
		return;
	follow_errand(world, &client->call);
	owner = client->call.owner;
	if (tl_correlate_call_idle(&client->call, event->now_ns, event->value))
		errand_put(world, owner);
}

/* kmod/thread.c */
static void apply_exit(struct world *world, const struct event *event)
{
	struct worker *worker = &world->threads[event->thread];
	struct tl_thread *process = worker->thread.process;

	charge(world, event);
	drop_errand(world, worker);
	/* A leader's entry is its process' as well, which stays. */
	if (process == &worker->thread) {
		tl_correlate_dispatched(&worker->thread);
		worker->thread.multiplexes = 0;
		return;
	}
	memset(worker, 0, sizeof(*worker));
	worker->thread.process = process;
}

static enum tl_outcome apply(struct world *world, const struct event *event)
{
	switch (event->kind) {
	case EVENT_RECEIVED:
		return apply_received(world, event);
	case EVENT_SENT:
		return apply_sent(world, event);
	case EVENT_CALL:
		return apply_call(world, event);
	case EVENT_REPLY:
		return apply_reply(world, event);
	case EVENT_CONNECT:
		apply_connect(world, event);
		break;
	case EVENT_OLDER:
		if (!world->clients[event->conn].present)
			add_client(&world->clients[event->conn], event);
		break;
	case EVENT_DISPATCH:
		apply_dispatch(world, event);
		break;
	case EVENT_CLOSE_CLIENT:
		charge(world, event);
		remove_client(world, &world->clients[event->conn]);
		break;
	case EVENT_EXIT:
		apply_exit(world, event);
		break;
	case EVENT_IDLE:
		apply_idle(world, event);
		break;
	default:
		apply_end(world, event);
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
		decided(world, outcome, 1);
	else
		result->events[TL_DEFERRED]++;
	return outcome;
}

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
