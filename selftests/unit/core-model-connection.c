// SPDX-License-Identifier: GPL-2.0-or-later
/* A client's connections, their calls and other ends. */
#include "core-model-state.h"

static enum tl_outcome outcome_for(int work, unsigned int event)
{
	model.work_at[event] = work;
	if (work == NOBODY)
		return model.serves[world_process(model.log[event].thread)]
			       ? TL_UNATTRIBUTED
			       : TL_IGNORED;
	return model.works[work].errand ? TL_DEFERRED : TL_ATTRIBUTED;
}

static void note_beginning(unsigned int event, int owner, u64 from_ns)
{
	model.beginnings[model.beginnings_used++] =
		(struct beginning){model.log[event].conn, event, owner, from_ns};
}

void model_connection_close(struct connection *c, unsigned int event, unsigned int moment)
{
	if (!c->present)
		return;
	if (c->call != NOBODY)
		model.calls[c->call].over = event;
	model_use_end(&c->use, moment);
	c->present = false;
}

void model_connection_open(struct connection *c, unsigned int event)
{
	c->present = true;
	c->joined = false;
	c->since = event;
	c->peer = model.log[event].value;
	c->to = model.log[event].text;
	c->connector = NOBODY;
	c->call = NOBODY;
	c->use = NOBODY;
	c->replied = false;
	c->given_up = false;
}

void model_connection_connect(unsigned int event)
{
	struct connection *c = &model.connections[model.log[event].conn];

	model_connection_close(c, event, BEFORE(event));
	model_work_charge(event);
	model_connection_open(c, event);
	c->connector = model_work_begin(event);
	c->use = model_use_new(c->connector);
	if (c->connector != NOBODY)
		note_beginning(event, c->connector, model.log[event].now_ns);
}

/* Who has nothing to work on goes on with whom he sends for. */
static void go_on_with(int owner, unsigned int event)
{
	u8 thread = model.log[event].thread;

	if (owner == NOBODY || model_work_goes_on(model.threads[thread].work, event))
		return;
	model.threads[thread].work = owner;
	model.threads[thread].by = TL_BY_OWNER;
}

static enum tl_outcome begin_call(struct connection *c, unsigned int event)
{
	u8 thread = model.log[event].thread;
	struct model_call *call = &model.calls[model.calls_used];
	u64 from_ns = model.log[event].now_ns;
	int owner, use;

	if (c->call != NOBODY)
		model.calls[c->call].over = event;
	if (c->connector != NOBODY) {
		owner = model_work_became(c->connector, event);
		if (!model_work_is_open(owner, event))
			owner = NOBODY;
		/* Who connects waits for the other side from then on. */
		else
			from_ns = model.log[c->since].now_ns;
		go_on_with(owner, event);
	} else {
		owner = model_work_begin(event);
	}
	use = model_use_new(owner);
	model_use_end(&c->use, AFTER(event));
	*call = (struct model_call){
		.client = model.log[event].conn,
		.begun = event,
		.over = NEVER,
		.owner = owner,
		.by = owner == model.threads[thread].work ? model.threads[thread].by
							  : TL_BY_OWNER,
		.peer = c->peer,
		.from_ns = from_ns,
		.served_by = NOBODY,
		.given_up = NEVER,
	};
	if (owner != NOBODY) {
		note_beginning(event, owner, from_ns);
		if (model.works[owner].errand)
			call->by = TL_BY_LOOKBACK;
	}
	c->call = model.calls_used++;
	c->use = use;
	c->connector = NOBODY;
	c->replied = false;
	c->given_up = false;
	model.call_at[event] = c->call;
	return outcome_for(owner, event);
}

enum tl_outcome model_connection_call(unsigned int event)
{
	struct connection *c = &model.connections[model.log[event].conn];
	int owner;

	model_work_charge(event);
	if (!c->present)
		return TL_IGNORED;
	if (c->call == NOBODY || c->replied)
		return begin_call(c, event);
	model.call_at[event] = c->call;
	owner = model_work_became(model.calls[c->call].owner, event);
	if (!model_work_goes_on(owner, event))
		owner = NOBODY;
	go_on_with(owner, event);
	return outcome_for(owner, event);
}

/* The end of a call as it is known before the event. */
static u64 reached(const struct model_call *call, unsigned int event)
{
	u64 last_ns = call->from_ns;
	unsigned int i;

	for (i = call->begun; i < event; i++)
		if (model.log[i].kind == EVENT_REPLY &&
		    model.call_at[i] == call - model.calls)
			last_ns = max(last_ns, model.log[i].now_ns);
	return last_ns;
}

static u64 grow(const struct model_call *call, unsigned int event)
{
	u64 last_ns = reached(call, event);

	return max(last_ns, model.log[event].now_ns) - last_ns;
}

/*
 * Whether a reply is an interim answer: the other end knows what it has sent for the
 * call so far; where there is none, the bytes say.
 */
static bool is_interim(const struct connection *c, unsigned int event)
{
	int request = model.calls[c->call].served_by;
	unsigned int i;

	if (!c->joined)
		return model.log[event].text == WORLD_INTERIM;
	if (request == NOBODY || model.works[request].answered < event)
		return false;
	for (i = model.works[request].begun; i < event; i++)
		if (model.log[i].kind == EVENT_SENT && model.request_at[i] == request)
			return true;
	return false;
}

enum tl_outcome model_connection_reply(unsigned int event)
{
	struct connection *c = &model.connections[model.log[event].conn];
	u8 thread = model.log[event].thread;
	int owner;

	model_work_charge(event);
	if (!c->present)
		return TL_IGNORED;
	owner = c->connector;
	if (c->call != NOBODY) {
		c->replied |= !is_interim(c, event);
		model.calls[c->call].answered = c->replied;
		model.call_at[event] = c->call;
		model.grown_ns[event] = grow(&model.calls[c->call], event);
		owner = model.calls[c->call].owner;
	}
	owner = model_work_became(owner, event);
	if (!model_work_goes_on(owner, event) || c->given_up)
		owner = NOBODY;
	if (owner == NOBODY || owner != model.threads[thread].work)
		model.threads[thread].by = TL_BY_OWNER;
	model.threads[thread].work = owner;
	return outcome_for(owner, event);
}

/* The sweep looks at a connection on which nothing may have happened for long. */
void model_connection_idle(unsigned int event)
{
	struct connection *c = &model.connections[model.log[event].conn];
	u64 now_ns = model.log[event].now_ns, last_ns;
	int owner;

	if (!c->present || c->given_up || (c->call != NOBODY && !c->replied))
		return;
	owner = c->call != NOBODY ? model.calls[c->call].owner : c->connector;
	owner = model_work_became(owner, event);
	if (owner == NOBODY || !model.works[owner].errand)
		return;
	last_ns = model.log[c->since].now_ns;
	if (c->call != NOBODY)
		last_ns = reached(&model.calls[c->call], event);
	if (max(now_ns, last_ns) - last_ns < model.log[event].value)
		return;
	model_use_end(&c->use, AFTER(event));
	c->connector = NOBODY;
	c->given_up = c->call != NOBODY;
	if (c->call != NOBODY)
		model.calls[c->call].given_up = event;
}

/* The connection at a server's other end, if it is still there; else forgotten. */
struct connection *model_connection_caller(u8 server)
{
	int caller = model.caller[server];

	if (caller == NOBODY)
		return NULL;
	if (model.connections[caller].present &&
	    model.connections[caller].since == model.caller_since[server])
		return &model.connections[caller];
	model.caller[server] = NOBODY;
	return NULL;
}

/* Which client's connection the request came over, and what that says. */
void model_connection_join(int request)
{
	struct work *r = &model.works[request];
	struct model_call *call;
	struct connection *c;
	int i;

	for (i = 0; model.caller[r->server] == NOBODY && i < WORLD_CLIENTS; i++) {
		c = &model.connections[i];
		if (!c->present || c->to != r->server + 1 || c->joined ||
		    c->call == NOBODY)
			continue;
		model.caller[r->server] = i;
		model.caller_since[r->server] = c->since;
		c->joined = true;
	}
	c = model_connection_caller(r->server);
	if (!c)
		return;
	call = &model.calls[c->call];
	if (call->served_by != NOBODY) {
		r->ambiguous = true;
		return;
	}
	call->served_by = request;
	r->queued = true;
	r->queue_ns = max(r->open_ns, model.log[call->begun].now_ns) -
		      model.log[call->begun].now_ns;
	if (call->owner == NOBODY || model.works[call->owner].errand)
		return;
	r->class_above = model_work_class(call->owner, call->begun);
	r->parent = model_work_node(call->owner, call->begun);
}
