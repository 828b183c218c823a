// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A slow reference of the correlation
 *
 * Written from the definitions (Documentation/design.md and the essays at the
 * tops of kmod/core/{correlate,request,link}.c), not from the code, and the other
 * way round: the core sees one event after the other and keeps sums; this lists
 * who did what for whom, with the intervals that it took, and when all of the log
 * is known it decides whose errands were and measures sets of intervals.
 *
 *   request  a run of events of one server's side, see find_requests()
 *   errand   what a thread that serves did for nobody known, see new_errand()
 *   work     either of them
 *   call     a run of events of one client's side
 *   use      for how long an errand can still be found to be somebody's: while
 *            its thread is at it, and while a call of it is the connection's last
 *   own      response less the measure of the union of the calls' intervals,
 *            each from its first byte sent, or the connect if it is the first of
 *            its connection, to the last byte received while the request had not
 *            ended, clipped to the request; calls of errands that turned out to
 *            be the request's are its calls
 *   transit  from the call's beginning to the callee's, and from the callee's last
 *            byte to the call's, as far as known at the caller's last event
 *
 * Where the words leave room, it is as follows. A connection whose connector has
 * answered or ended before the first send makes its first call for nobody. A call
 * without owner is a stray if the program served by the time that it got the last
 * reply. An errand's call that was answered, and an errand's connection without a
 * call, are given up if nothing happens for long: what follows is nobody's. After a
 * shutdown nothing is a request until the connection is closed. If
 * several connections could be a request's other end, it is the first of them.
 *
 * An event has three moments: before it (a connection that is replaced goes),
 * itself, and after it (what it has ended is not used any more).
 */
#include <stdlib.h>

#include "core-model.h"

#define NOBODY -1
#define NEVER WORLD_EVENTS
#define WORKS (2 * WORLD_EVENTS)
#define BEFORE(event) (3 * (event))
#define AT(event) (3 * (event) + 1)
#define AFTER(event) (3 * (event) + 2)
#define STILL UINT32_MAX

struct work {
	bool errand;
	u8 server;
	unsigned int begun, answered, over; /* events; over == NEVER cannot be */
	u64 open_ns, closed_ns;
	u64 bytes_in, bytes_out;
	u64 used;
	u32 class_above, parent;
	bool queued;
	u64 queue_ns;
	unsigned int adopted, ended; /* events; of an errand, the one or the other */
	int adopter;
	bool maybe_full; /* how an errand overlaps other calls cannot be known */
};

struct use {
	int errand;
	unsigned int until; /* moment */
};

struct model_call {
	u8 client;
	unsigned int begun, over;
	int owner;
	u8 by;
	u32 peer;
	u64 from_ns;
	int served_by; /* the request that it is at the other end */
	unsigned int given_up; /* event; NEVER as a rule */
};

/* A connection of a client as it is now. */
struct connection {
	bool present, joined;
	unsigned int since; /* event */
	u32 peer;
	u8 to;
	int connector; /* of which no call has been made yet */
	int call, use;
	bool replied, given_up;
};

/* A beginning that can be covered later: of a call, or a connect. */
struct beginning {
	u8 client;
	unsigned int event;
	int owner;
	u64 from_ns;
};

struct interval {
	u64 from_ns, to_ns;
};

struct sums {
	unsigned int used;
	struct tl_call_sum sum[TL_REQUEST_PEERS];
};

static struct model {
	const struct event *log;
	unsigned int log_used;
	struct work works[WORKS]; /* requests, then errands */
	int works_used;
	int request_at[WORLD_EVENTS]; /* of events on a server's side */
	struct model_call calls[WORLD_EVENTS];
	int calls_used;
	int call_at[WORLD_EVENTS];  /* of events on a client's side; NOBODY: a greeting */
	int work_at[WORLD_EVENTS];  /* that goes on; of events on a client's side */
	u64 grown_ns[WORLD_EVENTS]; /* by how much a reply makes its call longer */
	struct beginning beginnings[WORLD_EVENTS];
	unsigned int beginnings_used;
	struct use uses[2 * WORLD_EVENTS];
	int uses_used;
	struct connection connections[WORLD_CLIENTS];
	int caller[WORLD_SERVERS]; /* client at the other end */
	unsigned int caller_since[WORLD_SERVERS];
	struct {
		int work;
		u8 by;
		bool multiplexes;
		int use;
	} threads[WORLD_THREADS];
	bool serves[WORLD_THREADS]; /* by process */
	struct result *result;
} m;

static bool is_server_event(const struct event *event)
{
	return event->kind == EVENT_RECEIVED || event->kind == EVENT_SENT ||
	       event->kind == EVENT_CLOSE_SERVER || event->kind == EVENT_SHUTDOWN ||
	       event->kind == EVENT_QUIET;
}

/* Does the event end a request that has, or has not, been answered? */
static bool ends(const struct event *event, bool answered)
{
	switch (event->kind) {
	case EVENT_CLOSE_SERVER:
	case EVENT_SHUTDOWN:
		return true;
	case EVENT_RECEIVED:
	case EVENT_QUIET:
		return answered;
	default:
		return false;
	}
}

static struct work *new_work(unsigned int begun)
{
	struct work *work = &m.works[m.works_used++];

	memset(work, 0, sizeof(*work));
	work->begun = begun;
	work->answered = NEVER;
	work->over = NEVER;
	work->adopted = NEVER;
	work->ended = NEVER;
	work->adopter = NOBODY;
	work->open_ns = m.log[begun].now_ns;
	work->closed_ns = work->open_ns;
	return work;
}

/* The request that begins with event @begun, as far as it goes. */
static void follow_request(unsigned int begun)
{
	struct work *request = new_work(begun);
	unsigned int i;

	request->server = m.log[begun].conn;
	for (i = begun; i < m.log_used; i++) {
		const struct event *event = &m.log[i];

		if (!is_server_event(event) || event->conn != request->server)
			continue;
		if (i > begun && ends(event, request->answered != NEVER))
			break;
		/* A send that goes on began before a request that has no answer yet. */
		if (event->kind == EVENT_SENT && !event->value &&
		    request->answered == NEVER)
			continue;
		m.request_at[i] = request - m.works;
		if (event->kind == EVENT_RECEIVED)
			request->bytes_in += event->value;
		if (event->kind != EVENT_SENT)
			continue;
		request->answered = min(request->answered, i);
		request->closed_ns = max(request->closed_ns, event->now_ns);
		request->bytes_out += event->value;
	}
	request->over = i < m.log_used ? i : NEVER;
}

/* What comes after a shutdown is no request. */
static bool is_drained(unsigned int event)
{
	unsigned int i;

	for (i = event; i-- > 0;)
		if (m.log[i].conn == m.log[event].conn &&
		    (m.log[i].kind == EVENT_SHUTDOWN ||
		     m.log[i].kind == EVENT_CLOSE_SERVER))
			return m.log[i].kind == EVENT_SHUTDOWN;
	return false;
}

static void find_requests(void)
{
	unsigned int i;

	for (i = 0; i < m.log_used; i++)
		m.request_at[i] = NOBODY;
	for (i = 0; i < m.log_used; i++)
		if (m.log[i].kind == EVENT_RECEIVED && m.request_at[i] == NOBODY &&
		    !is_drained(i))
			follow_request(i);
}

/* Whether work that was begun before the event can still get something at it. */
static bool goes_on(int work, unsigned int event)
{
	const struct work *w;
	int i;

	if (work == NOBODY || m.works[work].begun >= event)
		return false;
	w = &m.works[work];
	if (!w->errand)
		return w->over >= event;
	if (w->adopted < event)
		return false;
	for (i = 0; i < m.uses_used; i++)
		if (m.uses[i].errand == work && m.uses[i].until > AT(event))
			return true;
	return false;
}

static bool is_open(int work, unsigned int event)
{
	return goes_on(work, event) &&
	       (m.works[work].errand || m.works[work].answered > event);
}

/* What an errand has turned out to be. */
static int became(int work, unsigned int event)
{
	return work != NOBODY && m.works[work].adopted < event ? m.works[work].adopter
							       : work;
}

static int new_use(int work)
{
	if (work == NOBODY || !m.works[work].errand)
		return NOBODY;
	m.uses[m.uses_used] = (struct use){work, STILL};
	return m.uses_used++;
}

static void end_use(int *use, unsigned int moment)
{
	if (*use != NOBODY)
		m.uses[*use].until = moment;
	*use = NOBODY;
}

static int new_errand(unsigned int event)
{
	struct work *errand = new_work(event);
	int work = errand - m.works;
	u8 thread = m.log[event].thread;

	errand->errand = true;
	end_use(&m.threads[thread].use, AFTER(event));
	m.threads[thread].use = new_use(work);
	m.threads[thread].work = work;
	m.threads[thread].by = TL_BY_LOOKBACK;
	return work;
}

/* Whom a thread begins to work for: its request, or an errand if it must have one. */
static int begin_for(unsigned int event)
{
	u8 thread = m.log[event].thread;
	int work = m.threads[thread].work;

	if (is_open(work, event))
		return work;
	return m.serves[world_process(thread)] ? new_errand(event) : NOBODY;
}

static void charge(unsigned int event)
{
	int work = m.threads[m.log[event].thread].work;

	if (goes_on(work, event))
		m.works[work].used += m.log[event].used;
}

/* The longest prefix of all bytes that could be read up to @event. */
static u32 class_at(int request, unsigned int event)
{
	const struct work *r = &m.works[request];
	char bytes[WORLD_EVENTS * 4] = "";
	u32 class = r->class_above;
	unsigned int i, longest = 0;

	for (i = r->begun; i <= event && i < m.log_used; i++) {
		if (m.log[i].kind != EVENT_RECEIVED || m.request_at[i] != request)
			continue;
		if (!world_text(m.log[i].text))
			break;
		strcat(bytes, world_text(m.log[i].text));
	}
	for (i = 0; i < TL_CLASS_RULES; i++) {
		const struct tl_class_rule *rule = &world_rules()->rule[i];

		if (!rule->len || !(world_eligible(r->server) & 1ULL << i) ||
		    strncmp(bytes, (const char *)rule->prefix, rule->len) != 0 ||
		    rule->len < longest || (rule->len == longest && !rule->for_tier))
			continue;
		longest = rule->len;
		class = rule->class;
	}
	return class;
}

static u32 node_at(int request, unsigned int event)
{
	const struct work *r = &m.works[request];

	return world_node(r->parent, world_tier(r->server), class_at(request, event));
}

static enum tl_outcome outcome_for(int work, unsigned int event)
{
	m.work_at[event] = work;
	if (work == NOBODY)
		return m.serves[world_process(m.log[event].thread)] ? TL_UNATTRIBUTED
								    : TL_IGNORED;
	return m.works[work].errand ? TL_DEFERRED : TL_ATTRIBUTED;
}

static void note_beginning(unsigned int event, int owner, u64 from_ns)
{
	m.beginnings[m.beginnings_used++] =
		(struct beginning){m.log[event].conn, event, owner, from_ns};
}

static void close_connection(struct connection *c, unsigned int event,
			     unsigned int moment)
{
	if (!c->present)
		return;
	if (c->call != NOBODY)
		m.calls[c->call].over = event;
	end_use(&c->use, moment);
	c->present = false;
}

static void open_connection(struct connection *c, unsigned int event)
{
	c->present = true;
	c->joined = false;
	c->since = event;
	c->peer = m.log[event].value;
	c->to = m.log[event].text;
	c->connector = NOBODY;
	c->call = NOBODY;
	c->use = NOBODY;
	c->replied = false;
	c->given_up = false;
}

static void on_connect(unsigned int event)
{
	struct connection *c = &m.connections[m.log[event].conn];

	close_connection(c, event, BEFORE(event));
	charge(event);
	open_connection(c, event);
	c->connector = begin_for(event);
	c->use = new_use(c->connector);
	if (c->connector != NOBODY)
		note_beginning(event, c->connector, m.log[event].now_ns);
}

static enum tl_outcome begin_call(struct connection *c, unsigned int event)
{
	u8 thread = m.log[event].thread;
	struct model_call *call = &m.calls[m.calls_used];
	u64 from_ns = m.log[event].now_ns;
	int owner, use;

	if (c->call != NOBODY)
		m.calls[c->call].over = event;
	if (c->connector != NOBODY) {
		owner = became(c->connector, event);
		if (!is_open(owner, event))
			owner = NOBODY;
		/* Who connects waits for the other side from then on. */
		else
			from_ns = m.log[c->since].now_ns;
	} else {
		owner = begin_for(event);
	}
	use = new_use(owner);
	end_use(&c->use, AFTER(event));
	*call = (struct model_call){
		.client = m.log[event].conn,
		.begun = event,
		.over = NEVER,
		.owner = owner,
		.by = owner == m.threads[thread].work ? m.threads[thread].by
						      : TL_BY_OWNER,
		.peer = c->peer,
		.from_ns = from_ns,
		.served_by = NOBODY,
		.given_up = NEVER,
	};
	if (owner != NOBODY) {
		note_beginning(event, owner, from_ns);
		if (m.works[owner].errand)
			call->by = TL_BY_LOOKBACK;
	}
	c->call = m.calls_used++;
	c->use = use;
	c->connector = NOBODY;
	c->replied = false;
	c->given_up = false;
	m.call_at[event] = c->call;
	return outcome_for(owner, event);
}

static enum tl_outcome on_call(unsigned int event)
{
	struct connection *c = &m.connections[m.log[event].conn];
	int owner;

	charge(event);
	if (!c->present)
		return TL_IGNORED;
	if (c->call == NOBODY || c->replied)
		return begin_call(c, event);
	m.call_at[event] = c->call;
	owner = became(m.calls[c->call].owner, event);
	return outcome_for(goes_on(owner, event) ? owner : NOBODY, event);
}

/* The end of a call as it is known before the event. */
static u64 reached(const struct model_call *call, unsigned int event)
{
	u64 last_ns = call->from_ns;
	unsigned int i;

	for (i = call->begun; i < event; i++)
		if (m.log[i].kind == EVENT_REPLY && m.call_at[i] == call - m.calls)
			last_ns = max(last_ns, m.log[i].now_ns);
	return last_ns;
}

static u64 grow(const struct model_call *call, unsigned int event)
{
	u64 last_ns = reached(call, event);

	return max(last_ns, m.log[event].now_ns) - last_ns;
}

static enum tl_outcome on_reply(unsigned int event)
{
	struct connection *c = &m.connections[m.log[event].conn];
	u8 thread = m.log[event].thread;
	int owner;

	charge(event);
	if (!c->present)
		return TL_IGNORED;
	owner = c->connector;
	if (c->call != NOBODY) {
		c->replied = true;
		m.call_at[event] = c->call;
		m.grown_ns[event] = grow(&m.calls[c->call], event);
		owner = m.calls[c->call].owner;
	}
	owner = became(owner, event);
	if (!goes_on(owner, event) || c->given_up)
		owner = NOBODY;
	if (owner == NOBODY || owner != m.threads[thread].work)
		m.threads[thread].by = TL_BY_OWNER;
	m.threads[thread].work = owner;
	return outcome_for(owner, event);
}

/* The sweep looks at a connection on which nothing may have happened for long. */
static void on_idle(unsigned int event)
{
	struct connection *c = &m.connections[m.log[event].conn];
	u64 now_ns = m.log[event].now_ns, last_ns;
	int owner;

	if (!c->present || c->given_up || (c->call != NOBODY && !c->replied))
		return;
	owner = c->call != NOBODY ? m.calls[c->call].owner : c->connector;
	owner = became(owner, event);
	if (owner == NOBODY || !m.works[owner].errand)
		return;
	last_ns = m.log[c->since].now_ns;
	if (c->call != NOBODY)
		last_ns = reached(&m.calls[c->call], event);
	if (max(now_ns, last_ns) - last_ns < m.log[event].value)
		return;
	end_use(&c->use, AFTER(event));
	c->connector = NOBODY;
	c->given_up = c->call != NOBODY;
	if (c->call != NOBODY)
		m.calls[c->call].given_up = event;
}

/* The connection at a server's other end, if it is still there; else forgotten. */
static struct connection *caller_of(u8 server)
{
	int caller = m.caller[server];

	if (caller == NOBODY)
		return NULL;
	if (m.connections[caller].present &&
	    m.connections[caller].since == m.caller_since[server])
		return &m.connections[caller];
	m.caller[server] = NOBODY;
	return NULL;
}

/* Which client's connection the request came over, and what that says. */
static void join(int request)
{
	struct work *r = &m.works[request];
	struct model_call *call;
	struct connection *c;
	int i;

	for (i = 0; m.caller[r->server] == NOBODY && i < WORLD_CLIENTS; i++) {
		c = &m.connections[i];
		if (!c->present || c->to != r->server + 1 || c->joined ||
		    c->call == NOBODY)
			continue;
		m.caller[r->server] = i;
		m.caller_since[r->server] = c->since;
		c->joined = true;
	}
	c = caller_of(r->server);
	if (!c)
		return;
	call = &m.calls[c->call];
	if (call->served_by != NOBODY) {
		m.result->loss[TL_LOSS_AMBIGUOUS]++;
		return;
	}
	call->served_by = request;
	r->queued = true;
	r->queue_ns =
		max(r->open_ns, m.log[call->begun].now_ns) - m.log[call->begun].now_ns;
	if (call->owner == NOBODY || m.works[call->owner].errand)
		return;
	r->class_above = class_at(call->owner, call->begun);
	r->parent = node_at(call->owner, call->begun);
}

static enum tl_outcome on_received(unsigned int event)
{
	u8 thread = m.log[event].thread;
	int request = m.request_at[event], before = m.threads[thread].work;

	charge(event);
	if (request == NOBODY)
		return TL_IGNORED;
	if (is_open(before, event) && !m.works[before].errand && before != request)
		m.threads[thread].multiplexes = true;
	m.threads[thread].work = request;
	m.threads[thread].by = TL_BY_THREAD;
	m.serves[world_process(thread)] = true;
	if (m.works[request].begun == event)
		join(request);
	return TL_ATTRIBUTED;
}

static u64 last_reply(unsigned int until, int owner, int but, u64 open_ns)
{
	u64 last_ns = open_ns;
	unsigned int i;

	for (i = 0; i < until; i++) {
		int work = m.log[i].kind == EVENT_REPLY && m.call_at[i] != NOBODY
				   ? m.work_at[i]
				   : NOBODY;

		if (work != NOBODY && work != but &&
		    (work == owner || became(work, until + 1) == owner))
			last_ns = max(last_ns, m.log[i].now_ns);
	}
	return last_ns;
}

/*
 * Whether sums kept event by event cannot tell how the errand's calls and others
 * of the request overlap.
 */
static bool cannot_tell(int request, int errand, unsigned int event)
{
	u64 open_ns = m.works[errand].open_ns;
	u64 request_ns = last_reply(event, request, errand, 0);
	u64 errand_ns = last_reply(event, errand, NOBODY, open_ns);
	unsigned int i, j;

	if (request_ns > open_ns && errand_ns > open_ns)
		return true;
	for (i = 0; i < m.beginnings_used; i++) {
		const struct beginning *b = &m.beginnings[i];

		if (b->event >= event)
			continue;
		if (b->owner == errand && b->from_ns < request_ns)
			return true;
		if (b->owner == errand || became(b->owner, event + 1) != request ||
		    (b->from_ns <= open_ns && request_ns <= open_ns))
			continue;
		if (b->from_ns > open_ns && b->from_ns < errand_ns)
			return true;
		for (j = 0; j < m.beginnings_used; j++)
			if (m.beginnings[j].owner == errand &&
			    m.beginnings[j].client == b->client)
				return true;
	}
	return false;
}

static void adopt(int request, int errand, unsigned int event)
{
	m.works[errand].adopted = event;
	m.works[errand].adopter = request;
	m.works[request].used += m.works[errand].used;
	if (cannot_tell(request, errand, event))
		m.works[request].maybe_full = true;
	m.result->adopted++;
}

static enum tl_outcome on_sent(unsigned int event)
{
	int request = m.request_at[event], *work = &m.threads[m.log[event].thread].work;

	if (m.log[event].value)
		charge(event);
	if (request == NOBODY) {
		m.result->loss[TL_LOSS_PUSH] += m.log[event].value != 0;
		return TL_IGNORED;
	}
	caller_of(m.log[event].conn);
	if (m.works[request].answered != event)
		return TL_ATTRIBUTED;
	if (goes_on(*work, event) && m.works[*work].errand &&
	    m.works[request].open_ns <= m.works[*work].open_ns) {
		adopt(request, *work, event);
		*work = request;
	}
	return TL_ATTRIBUTED;
}

static void on_leave(unsigned int event)
{
	u8 thread = m.log[event].thread;

	if (m.log[event].kind == EVENT_DISPATCH && !m.log[event].value &&
	    !m.threads[thread].multiplexes)
		return;
	charge(event);
	m.threads[thread].work = NOBODY;
	end_use(&m.threads[thread].use, AFTER(event));
	if (m.log[event].kind == EVENT_EXIT)
		m.threads[thread].multiplexes = false;
}

static enum tl_outcome look_at(unsigned int event)
{
	u8 conn = m.log[event].conn;

	switch (m.log[event].kind) {
	case EVENT_RECEIVED:
		return on_received(event);
	case EVENT_SENT:
		return on_sent(event);
	case EVENT_CALL:
		return on_call(event);
	case EVENT_REPLY:
		return on_reply(event);
	case EVENT_CONNECT:
		on_connect(event);
		break;
	case EVENT_OLDER:
		if (!m.connections[conn].present)
			open_connection(&m.connections[conn], event);
		break;
	case EVENT_DISPATCH:
	case EVENT_EXIT:
		on_leave(event);
		break;
	case EVENT_CLOSE_CLIENT:
		charge(event);
		close_connection(&m.connections[conn], event, AFTER(event));
		break;
	case EVENT_CLOSE_SERVER:
		charge(event);
		m.caller[conn] = NOBODY;
		break;
	case EVENT_IDLE:
		on_idle(event);
		break;
	}
	return TL_IGNORED;
}

static bool is_reply_of(unsigned int event, int call)
{
	return m.log[event].kind == EVENT_REPLY && m.call_at[event] == call;
}

/* From its beginning to the last byte received before @until; false if none was. */
static bool interval_of(int call, unsigned int until, struct interval *interval)
{
	unsigned int i;
	bool any = false;

	interval->from_ns = m.calls[call].from_ns;
	interval->to_ns = interval->from_ns;
	until = min(until, m.calls[call].given_up);
	for (i = m.calls[call].begun; i < until && i < m.calls[call].over; i++) {
		if (!is_reply_of(i, call))
			continue;
		any = true;
		interval->to_ns = max(interval->to_ns, m.log[i].now_ns);
	}
	return any;
}

static int by_begin(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* Measure of the union of the intervals' parts in [from_ns, to_ns]. */
static u64 measure(struct interval *set, unsigned int used, u64 from_ns, u64 to_ns)
{
	u64 reached_ns = from_ns, sum = 0;
	unsigned int i;

	qsort(set, used, sizeof(*set), by_begin);
	for (i = 0; i < used; i++) {
		u64 begin_ns = max(set[i].from_ns, reached_ns);
		u64 end_ns = min(set[i].to_ns, to_ns);

		if (end_ns <= begin_ns)
			continue;
		sum += end_ns - begin_ns;
		reached_ns = end_ns;
	}
	return sum;
}

static u64 own_of(int request)
{
	const struct work *r = &m.works[request];
	struct interval set[WORLD_EVENTS];
	unsigned int used = 0;
	int i;

	for (i = 0; i < m.calls_used; i++)
		if (became(m.calls[i].owner, NEVER) == request &&
		    interval_of(i, r->over, &set[used]))
			used++;
	return r->closed_ns - r->open_ns - measure(set, used, r->open_ns, r->closed_ns);
}

/* The sum for a peer; the last one is for everybody once a fifth has answered. */
static struct tl_call_sum *sum_for(struct sums *sums, u32 peer)
{
	unsigned int i;

	for (i = 0; i < sums->used; i++)
		if (sums->sum[i].peer == peer)
			return &sums->sum[i];
	if (sums->used < TL_REQUEST_PEERS) {
		memset(&sums->sum[i], 0, sizeof(sums->sum[i]));
		sums->sum[i].peer = peer;
		return &sums->sum[sums->used++];
	}
	m.result->loss[TL_LOSS_PEERS_FULL]++;
	sums->sum[i - 1].peer = 0;
	return &sums->sum[i - 1];
}

/* What lies between the two ends, as far as is known when the caller is at @event. */
static bool transit_of(int call, unsigned int event, u64 *ns)
{
	const struct work *r;
	struct interval interval;
	u64 last_ns;
	unsigned int i;

	if (m.calls[call].served_by == NOBODY)
		return false;
	r = &m.works[m.calls[call].served_by];
	if (r->answered >= event)
		return false;
	last_ns = r->open_ns;
	for (i = r->begun; i < event; i++)
		if (m.log[i].kind == EVENT_SENT && m.request_at[i] == r - m.works)
			last_ns = max(last_ns, m.log[i].now_ns);
	interval_of(call, event + 1, &interval);
	*ns = max(r->open_ns, interval.from_ns) - interval.from_ns;
	*ns += max(interval.to_ns, last_ns) - last_ns;
	return true;
}

/* The reply's call before it: what has been counted of it. */
static unsigned int counted_before(unsigned int event)
{
	unsigned int i;

	for (i = event; i-- > m.calls[m.call_at[event]].begun;)
		if (is_reply_of(i, m.call_at[event]) && m.work_at[i] != NOBODY)
			return i;
	return NEVER;
}

static u64 bytes_of(int call, enum event_kind kind)
{
	u64 bytes = 0;
	unsigned int i;

	for (i = m.calls[call].begun; i < min(m.calls[call].over, m.log_used); i++)
		if (m.log[i].kind == kind && m.call_at[i] == call)
			bytes += m.log[i].value;
	return bytes;
}

static void add_reply(struct sums *sums, unsigned int event)
{
	int call = m.call_at[event];
	struct tl_call_sum *sum = sum_for(sums, m.calls[call].peer);
	unsigned int before = counted_before(event);
	u64 now_ns, before_ns = 0;
	bool known, known_before;

	if (before == NEVER) {
		sum->by[m.calls[call].by]++;
		sum->bytes_out += bytes_of(call, EVENT_CALL);
	}
	sum->time_ns += m.grown_ns[event];
	sum->bytes_in += m.log[event].value;
	known = transit_of(call, event, &now_ns);
	known_before = before != NEVER && transit_of(call, before, &before_ns);
	if (!known)
		return;
	sum->joined += !known_before;
	sum->transit_ns += now_ns;
	sum->transit_ns -= min(sum->transit_ns, before_ns);
}

/* Peers in the order in which they first answered, or came with an errand. */
static void sums_of(int work, struct sums *sums)
{
	unsigned int i, k, by;
	struct sums errand;
	int j;

	sums->used = 0;
	for (i = m.works[work].begun; i < m.log_used; i++) {
		if (m.log[i].kind == EVENT_REPLY && m.call_at[i] != NOBODY &&
		    m.work_at[i] == work)
			add_reply(sums, i);
		for (j = 0; j < m.works_used; j++) {
			if (m.works[j].adopted != i || m.works[j].adopter != work)
				continue;
			sums_of(j, &errand);
			for (k = 0; k < errand.used; k++) {
				struct tl_call_sum *from = &errand.sum[k];
				struct tl_call_sum *sum = sum_for(sums, from->peer);

				for (by = 0; by < TL_BY_KINDS; by++)
					sum->by[TL_BY_LOOKBACK] += from->by[by];
				sum->joined += from->joined;
				sum->time_ns += from->time_ns;
				sum->transit_ns += from->transit_ns;
				sum->bytes_in += from->bytes_in;
				sum->bytes_out += from->bytes_out;
			}
		}
	}
}

static void end_request(int request)
{
	const struct work *r = &m.works[request];
	struct tl_ended ended;
	struct ended_record *record;
	struct sums sums;

	memset(&ended, 0, sizeof(ended));
	sums_of(request, &sums);
	if (r->answered == NEVER) {
		m.result->loss[TL_LOSS_UNANSWERED]++;
		return;
	}
	if (m.log[r->over].kind == EVENT_QUIET)
		m.result->loss[TL_LOSS_QUIET]++;
	ended.sums_used = sums.used;
	memcpy(ended.sums, sums.sum, sizeof(ended.sums));
	ended.tier = world_tier(r->server);
	ended.class = class_at(request, r->over - 1);
	ended.node = node_at(request, r->over - 1);
	ended.parent = r->parent;
	ended.queued = r->queued;
	ended.queue_ns = r->queue_ns;
	ended.used = world_used(r->used);
	ended.open_ns = r->open_ns;
	ended.closed_ns = r->closed_ns;
	ended.own_ns = own_of(request);
	ended.bytes_in = r->bytes_in;
	ended.bytes_out = r->bytes_out;
	record = &m.result->ended[m.result->ended_used++];
	record->event = r->over;
	record->server = r->server;
	record->calls_full = r->maybe_full;
	record->ended = ended;
}

static void add_stray(unsigned int event, const struct tl_call_sum *sum)
{
	struct stray_record *record = &m.result->strays[m.result->strays_used++];

	record->event = event;
	record->sum = *sum;
}

/* An answered call that no work has counted. */
static void end_call(int call)
{
	const struct model_call *c = &m.calls[call];
	struct tl_call_sum sum = {.peer = c->peer, .by = {[TL_BY_THREAD] = 1}};
	struct interval interval;
	unsigned int i, j, last = NEVER;
	bool serves = false;

	for (i = c->over; i-- > c->begun;) {
		if (!is_reply_of(i, call))
			continue;
		if (m.work_at[i] != NOBODY)
			return;
		if (last == NEVER)
			last = i;
	}
	if (last == NEVER)
		return;
	for (j = 0; j < last; j++)
		serves |= m.log[j].kind == EVENT_RECEIVED && m.request_at[j] != NOBODY &&
			  world_process(m.log[j].thread) ==
				  world_process(m.log[last].thread);
	if (!serves)
		return;
	interval_of(call, c->over, &interval);
	sum.time_ns = interval.to_ns - interval.from_ns;
	sum.bytes_out = bytes_of(call, EVENT_CALL);
	sum.bytes_in = bytes_of(call, EVENT_REPLY);
	add_stray(c->over, &sum);
}

/* One whose last use has ended; if it was nobody's, its calls are strays. */
static void end_errand(int errand)
{
	struct sums sums;
	unsigned int i, last = 0;
	int j;

	for (j = 0; j < m.uses_used; j++)
		if (m.uses[j].errand == errand)
			last = max(last, m.uses[j].until);
	if (m.works[errand].adopted != NEVER || last == STILL)
		return;
	m.works[errand].ended = last / 3;
	sums_of(errand, &sums);
	for (i = 0; i < sums.used; i++)
		add_stray(last / 3, &sums.sum[i]);
}

/* What became of the events, now that all is known. */
static void count_events(void)
{
	struct result *result = m.result;
	unsigned int i;
	int work;

	for (i = 0; i < m.log_used; i++) {
		enum tl_outcome outcome = result->outcomes[i];

		result->events[outcome]++;
		if (outcome != TL_DEFERRED) {
			result->seen++;
			continue;
		}
		work = m.work_at[i];
		result->seen +=
			m.works[work].adopted != NEVER || m.works[work].ended != NEVER;
		result->events[TL_ATTRIBUTED] += m.works[work].adopted != NEVER;
		result->events[TL_UNATTRIBUTED] += m.works[work].ended != NEVER;
	}
}

static void start(const struct event *log, unsigned int log_used, struct result *result)
{
	unsigned int i;

	result->ended_used = 0;
	result->strays_used = 0;
	result->seen = 0;
	result->adopted = 0;
	memset(result->events, 0, sizeof(result->events));
	memset(result->loss, 0, sizeof(result->loss));
	m.log = log;
	m.log_used = log_used;
	m.works_used = 0;
	m.calls_used = 0;
	m.uses_used = 0;
	m.beginnings_used = 0;
	m.result = result;
	memset(m.connections, 0, sizeof(m.connections));
	memset(m.serves, 0, sizeof(m.serves));
	for (i = 0; i < WORLD_THREADS; i++) {
		m.threads[i].work = NOBODY;
		m.threads[i].multiplexes = false;
		m.threads[i].use = NOBODY;
	}
	for (i = 0; i < WORLD_SERVERS; i++)
		m.caller[i] = NOBODY;
	for (i = 0; i < log_used; i++) {
		m.call_at[i] = NOBODY;
		m.work_at[i] = NOBODY;
		m.grown_ns[i] = 0;
	}
}

void model_run(const struct event *log, unsigned int log_used, struct result *result)
{
	unsigned int i;
	int j;

	start(log, log_used, result);
	find_requests();
	for (i = 0; i < log_used; i++)
		result->outcomes[i] = look_at(i);
	for (i = 0; i < log_used; i++)
		for (j = 0; j < m.works_used; j++)
			if (!m.works[j].errand && m.works[j].over == i)
				end_request(j);
	for (j = 0; j < m.calls_used; j++)
		if (m.calls[j].over != NEVER)
			end_call(j);
	for (j = 0; j < m.works_used; j++)
		if (m.works[j].errand)
			end_errand(j);
	count_events();
}
