// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A slow reference of the correlation
 *
 * Written from the definitions (Documentation/design.md and the essay at the top
 * of kmod/core/correlate.c), not from the code, and the other way round: the
 * core sees one event after the other and keeps sums; this sees the whole log at
 * once, looks back and ahead in it, lists requests and calls with the intervals
 * that they took, and measures sets of intervals.
 *
 *   request  a run of events of one server's side, see find_requests()
 *   call     a run of events of one client's side, see find_calls()
 *   current  what a thread's latest event made it, see find_current()
 *   own      response less the measure of the union of the calls' intervals,
 *            each from its first byte sent, or the connect if it is the first of
 *            its connection, to the last byte received while the request had not
 *            ended, clipped to the request
 *
 * Where the words leave room, it is as follows. A reply to a request that has
 * ended, or to nobody's call, leaves the thread's current request as it is. A
 * connection whose connector has answered or ended before the first send makes
 * its first call for nobody. A call without owner is a stray if the program
 * served by the time that it got the last reply. After a shutdown nothing is a
 * request until the connection is closed.
 */
#include <stdlib.h>

#include "core-model.h"

#define NOBODY -1
#define NEVER WORLD_EVENTS

struct model_request {
	u8 server;
	unsigned int begun, answered, over; /* events; over == NEVER cannot be */
	u64 open_ns, closed_ns;
	u64 bytes_in, bytes_out;
};

struct model_call {
	u8 client;
	unsigned int begun, over;
	int owner;
	u8 by;
	u32 peer;
	u64 from_ns;
};

struct current {
	int request;
	u8 by;
};

struct interval {
	u64 from_ns, to_ns;
};

static struct model {
	const struct event *log;
	unsigned int log_used;
	struct model_request requests[WORLD_EVENTS];
	int requests_used;
	int request_at[WORLD_EVENTS]; /* of events on a server's side */
	struct model_call calls[WORLD_EVENTS];
	int calls_used;
	int call_at[WORLD_EVENTS]; /* of events on a client's side; NOBODY: a greeting */
	int connector_at[WORLD_EVENTS];		 /* of events that connect */
	struct current current_at[WORLD_EVENTS]; /* after an event of a thread */
	struct result *result;
} m;

static bool is_server_event(const struct event *event)
{
	return event->kind == EVENT_RECEIVED || event->kind == EVENT_SENT ||
	       event->kind == EVENT_CLOSE_SERVER || event->kind == EVENT_SHUTDOWN ||
	       event->kind == EVENT_QUIET;
}

static bool is_client_event(const struct event *event)
{
	return event->kind == EVENT_CONNECT || event->kind == EVENT_OLDER ||
	       event->kind == EVENT_CALL || event->kind == EVENT_REPLY ||
	       event->kind == EVENT_CLOSE_CLIENT;
}

static bool is_thread_event(const struct event *event)
{
	return event->kind == EVENT_RECEIVED || event->kind == EVENT_CONNECT ||
	       event->kind == EVENT_CALL || event->kind == EVENT_REPLY ||
	       event->kind == EVENT_EXIT;
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

/* The request that begins with event @begun, as far as it goes. */
static void follow_request(unsigned int begun)
{
	struct model_request *request = &m.requests[m.requests_used];
	unsigned int i;

	request->server = m.log[begun].conn;
	request->begun = begun;
	request->answered = NEVER;
	request->over = NEVER;
	request->open_ns = m.log[begun].now_ns;
	request->closed_ns = request->open_ns;
	request->bytes_in = 0;
	request->bytes_out = 0;
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
		m.request_at[i] = m.requests_used;
		if (event->kind == EVENT_RECEIVED)
			request->bytes_in += event->value;
		if (event->kind != EVENT_SENT)
			continue;
		request->answered = min(request->answered, i);
		request->closed_ns = max(request->closed_ns, event->now_ns);
		request->bytes_out += event->value;
	}
	request->over = i;
	m.requests_used++;
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

static bool goes_on(int request, unsigned int event)
{
	return request != NOBODY && m.requests[request].begun < event &&
	       m.requests[request].over > event;
}

static bool is_open(int request, unsigned int event)
{
	return goes_on(request, event) && m.requests[request].answered > event;
}

/* The thread's current request when the event happens. */
static struct current current_before(unsigned int event)
{
	unsigned int i;

	for (i = event; i-- > 0;)
		if (is_thread_event(&m.log[i]) && m.log[i].thread == m.log[event].thread)
			return m.current_at[i];
	return (struct current){NOBODY, TL_BY_THREAD};
}

/* The event that brought the connection of a client's event there, or NEVER. */
static unsigned int connection_of(unsigned int event)
{
	unsigned int i, found = NEVER;

	for (i = 0; i < event; i++) {
		if (!is_client_event(&m.log[i]) || m.log[i].conn != m.log[event].conn)
			continue;
		if (m.log[i].kind == EVENT_CONNECT)
			found = i;
		else if (m.log[i].kind == EVENT_OLDER && found == NEVER)
			found = i;
		else if (m.log[i].kind == EVENT_CLOSE_CLIENT)
			found = NEVER;
	}
	return found;
}

/* The latest send or reply on the same connection since @connection, or NEVER. */
static unsigned int latest(unsigned int event, unsigned int connection,
			   enum event_kind kind)
{
	unsigned int i;

	for (i = event; i-- > connection;)
		if (m.log[i].kind == kind && m.log[i].conn == m.log[event].conn)
			return i;
	return NEVER;
}

static void find_owner(struct model_call *call, unsigned int connection, bool first)
{
	struct current current = current_before(call->begun);
	int connector = m.connector_at[connection];

	call->owner = current.request;
	call->by = current.by;
	if (first && connector != NOBODY) {
		call->owner = connector;
		if (connector != current.request)
			call->by = TL_BY_OWNER;
	}
	if (!is_open(call->owner, call->begun))
		call->owner = NOBODY;
	call->from_ns = m.log[call->begun].now_ns;
	/* Who connects waits for the other side from then on. */
	if (first && connector != NOBODY && call->owner == connector)
		call->from_ns = m.log[connection].now_ns;
}

/* A send begins a call unless the last one's reply is still to come. */
static void find_call(unsigned int event)
{
	unsigned int connection = connection_of(event);
	unsigned int send, answer;
	struct model_call *call;

	m.call_at[event] = NOBODY;
	if (connection == NEVER)
		return;
	send = latest(event, connection, EVENT_CALL);
	answer = latest(event, connection, EVENT_REPLY);
	if (send != NEVER)
		m.call_at[event] = m.call_at[send];
	if (m.log[event].kind == EVENT_REPLY ||
	    (send != NEVER && (answer == NEVER || answer < send)))
		return;
	if (send != NEVER)
		m.calls[m.call_at[send]].over = event;
	m.call_at[event] = m.calls_used;
	call = &m.calls[m.calls_used++];
	call->client = m.log[event].conn;
	call->begun = event;
	call->over = NEVER;
	call->peer = m.log[connection].value;
	find_owner(call, connection, send == NEVER);
}

/* Whom a client's send or reply is for, should that still go on. */
static int meant(unsigned int event)
{
	unsigned int connection = connection_of(event);

	if (connection == NEVER)
		return NOBODY;
	if (m.call_at[event] == NOBODY)
		return m.connector_at[connection];
	return m.calls[m.call_at[event]].owner;
}

static void find_current(unsigned int event)
{
	struct current current = current_before(event);
	int request;

	switch (m.log[event].kind) {
	case EVENT_RECEIVED:
		if (m.request_at[event] != NOBODY)
			current = (struct current){m.request_at[event], TL_BY_THREAD};
		break;
	case EVENT_REPLY:
		request = meant(event);
		if (goes_on(request, event) && request != current.request)
			current = (struct current){request, TL_BY_OWNER};
		break;
	case EVENT_EXIT:
		current = (struct current){NOBODY, TL_BY_THREAD};
		break;
	}
	m.current_at[event] = current;
}

static void find_calls(void)
{
	struct current current;
	unsigned int i;

	for (i = 0; i < m.log_used; i++) {
		m.connector_at[i] = NOBODY;
		if (m.log[i].kind == EVENT_CONNECT) {
			current = current_before(i);
			if (is_open(current.request, i))
				m.connector_at[i] = current.request;
		}
		if (m.log[i].kind == EVENT_CALL || m.log[i].kind == EVENT_REPLY)
			find_call(i);
		if (is_thread_event(&m.log[i]))
			find_current(i);
	}
	for (i = 0; i < m.log_used; i++)
		if (m.log[i].kind == EVENT_CONNECT ||
		    m.log[i].kind == EVENT_CLOSE_CLIENT) {
			unsigned int send, connection = connection_of(i);

			send = connection == NEVER ? NEVER
						   : latest(i, connection, EVENT_CALL);
			if (send != NEVER)
				m.calls[m.call_at[send]].over = i;
		}
}

/* Has any thread of the process received a request before? */
static bool serves(unsigned int event)
{
	unsigned int i;

	for (i = 0; i < event; i++)
		if (m.log[i].kind == EVENT_RECEIVED && m.request_at[i] != NOBODY &&
		    world_process(m.log[i].thread) == world_process(m.log[event].thread))
			return true;
	return false;
}

static enum tl_outcome outcome_of(unsigned int i)
{
	switch (m.log[i].kind) {
	case EVENT_RECEIVED:
	case EVENT_SENT:
		return m.request_at[i] != NOBODY ? TL_ATTRIBUTED : TL_IGNORED;
	case EVENT_CALL:
	case EVENT_REPLY:
		if (connection_of(i) == NEVER)
			return TL_IGNORED;
		if (goes_on(meant(i), i))
			return TL_ATTRIBUTED;
		return serves(i) ? TL_UNATTRIBUTED : TL_IGNORED;
	default:
		return TL_IGNORED;
	}
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
	const struct model_request *r = &m.requests[request];
	struct interval set[WORLD_EVENTS];
	unsigned int used = 0;
	int i;

	for (i = 0; i < m.calls_used; i++)
		if (m.calls[i].owner == request && interval_of(i, r->over, &set[used]))
			used++;
	return r->closed_ns - r->open_ns - measure(set, used, r->open_ns, r->closed_ns);
}

/* The sum for a peer; the last one is for everybody once a fifth has answered. */
static struct tl_call_sum *sum_for(struct tl_ended *ended, u32 peer)
{
	unsigned int i;

	for (i = 0; i < ended->sums_used; i++)
		if (ended->sums[i].peer == peer)
			return &ended->sums[i];
	if (ended->sums_used < TL_REQUEST_PEERS) {
		memset(&ended->sums[i], 0, sizeof(ended->sums[i]));
		ended->sums[i].peer = peer;
		return &ended->sums[ended->sums_used++];
	}
	m.result->loss[TL_LOSS_PEERS_FULL]++;
	ended->sums[i - 1].peer = 0;
	return &ended->sums[i - 1];
}

/* Peers in the order in which they first answered; a call counts once. */
static void sums_of(int request, struct tl_ended *ended)
{
	const struct model_request *r = &m.requests[request];
	struct interval interval;
	unsigned int i;
	int call;

	for (i = r->begun; i < r->over; i++) {
		struct tl_call_sum *sum;
		u64 before_ns;

		if (m.log[i].kind != EVENT_REPLY || m.call_at[i] == NOBODY)
			continue;
		call = m.call_at[i];
		if (m.calls[call].owner != request)
			continue;
		sum = sum_for(ended, m.calls[call].peer);
		if (!interval_of(call, i, &interval))
			sum->by[m.calls[call].by]++;
		before_ns = interval.to_ns;
		interval_of(call, i + 1, &interval);
		sum->time_ns += interval.to_ns - before_ns;
	}
}

static void end_request(int request)
{
	const struct model_request *r = &m.requests[request];
	struct tl_ended ended;
	struct ended_record *record;

	memset(&ended, 0, sizeof(ended));
	sums_of(request, &ended);
	if (r->answered == NEVER) {
		m.result->loss[TL_LOSS_UNANSWERED]++;
		return;
	}
	if (m.log[r->over].kind == EVENT_QUIET)
		m.result->loss[TL_LOSS_QUIET]++;
	ended.tier = world_tier(r->server);
	ended.open_ns = r->open_ns;
	ended.closed_ns = r->closed_ns;
	ended.own_ns = own_of(request);
	ended.bytes_in = r->bytes_in;
	ended.bytes_out = r->bytes_out;
	record = &m.result->ended[m.result->ended_used++];
	record->event = r->over;
	record->server = r->server;
	record->calls_full = false;
	record->ended = ended;
}

/* An answered call that no request has counted. */
static void end_call(int call)
{
	const struct model_call *c = &m.calls[call];
	struct stray_record *record;
	struct interval interval;
	unsigned int i, last = NEVER;

	for (i = c->over; i-- > c->begun;) {
		if (!is_reply_of(i, call))
			continue;
		if (goes_on(c->owner, i))
			return;
		if (last == NEVER)
			last = i;
	}
	if (last == NEVER || !serves(last))
		return;
	interval_of(call, c->over, &interval);
	record = &m.result->strays[m.result->strays_used++];
	memset(record, 0, sizeof(*record));
	record->event = c->over;
	record->sum.peer = c->peer;
	record->sum.by[TL_BY_THREAD] = 1;
	record->sum.time_ns = interval.to_ns - interval.from_ns;
}

void model_run(const struct event *log, unsigned int log_used, struct result *result)
{
	unsigned int i;
	int j;

	memset(result, 0, sizeof(*result));
	m.log = log;
	m.log_used = log_used;
	m.requests_used = 0;
	m.calls_used = 0;
	m.result = result;
	find_requests();
	find_calls();
	for (i = 0; i < log_used; i++) {
		result->outcomes[i] = outcome_of(i);
		if (log[i].kind == EVENT_SENT && log[i].value &&
		    m.request_at[i] == NOBODY)
			result->loss[TL_LOSS_PUSH]++;
		for (j = 0; j < m.requests_used; j++)
			if (m.requests[j].over == i)
				end_request(j);
		for (j = 0; j < m.calls_used; j++)
			if (m.calls[j].over == i)
				end_call(j);
	}
}
