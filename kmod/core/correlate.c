// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which request do these bytes belong to?
 *
 * Input are the four things that can happen to a TCP connection in the context
 * of the thread that does them: bytes received or sent on a connection that was
 * accepted here (its *request*), bytes sent or received on one that was opened
 * from here (its *call*). The rules are those of Documentation/design.md:
 *
 *   1. Bytes received on the server's side open the connection's request, or
 *      continue it; it becomes the thread's current request.
 *   2. Bytes sent on the client's side begin a call of the thread's current
 *      request, if that is open and unanswered; the connection remembers it. A
 *      connection's first call belongs to the request that connected it, for an
 *      event loop connects in one turn and sends in another, and it begins with
 *      the connect: that wait is for the other side, too.
 *   3. Bytes received on the client's side extend the call, and its owner
 *      becomes the thread's current request. This makes event loops right.
 *   4. Bytes sent on the server's side answer the connection's own request,
 *      whoever is current.
 *   6. A request ends at the last byte sent before the next one begins, the
 *      connection closes, or nothing was sent for the quiet time.
 *
 * Own time is the response time less the union of the calls' intervals, kept
 * exactly and without storing intervals. A call [s, now] that grows covers
 * everything since s, so all that can be left uncovered lies before s: the own
 * time becomes what it was at s. Each call therefore remembers the request's own
 * time at its own start, in a slot of the request. When another call grows that
 * began earlier, whatever later ones remember shrinks to the same value: one
 * pass of min() over the slots. The invariant is
 *
 *   own_ns = measure of [open_ns, mark_ns] not covered by any call
 *
 * and, since it is only ever set to earlier values of itself, 0 <= own_ns <=
 * mark_ns - open_ns: own time cannot become negative, and over a chain of
 * sequential calls own time and call times sum to the response time exactly.
 *
 * Cost: a constant number of steps an event, no loop longer than
 * TL_REQUEST_CALLS. Times are u64 nanoseconds and wrap after 584 years. Two CPUs
 * may see the clock a few nanoseconds apart, so differences are clamped at 0.
 *
 * Nothing here locks. The caller holds the lock of the connection that the event
 * is about and of the connection whose request is passed in, and owns @thread.
 */
#include "correlate.h"

static u64 since(u64 now_ns, u64 then_ns)
{
	return now_ns > then_ns ? now_ns - then_ns : 0;
}

/**
 * tl_request_alive() - Whether the request that was meant still goes on
 * @ref: reference, may be empty
 *
 * Context: the lock of the request's connection is held.
 * Return: true if it is open or answered and not yet ended.
 */
bool tl_request_alive(const struct tl_request_ref *ref)
{
	return ref->request && ref->request->seq == ref->seq &&
	       ref->request->state != TL_REQUEST_NONE;
}

static u64 own_now(const struct tl_request *request, u64 now_ns)
{
	return request->own_ns + since(now_ns, request->mark_ns);
}

static void request_begin(struct tl_request *request, u64 now_ns)
{
	request->seq++;
	request->state = TL_REQUEST_OPEN;
	request->sums_used = 0;
	request->slot_next = 0;
	request->class = 0;
	request->open_ns = now_ns;
	request->last_send_ns = now_ns;
	request->own_ns = 0;
	request->mark_ns = now_ns;
	request->own_at_send_ns = 0;
	request->bytes_in = 0;
	request->bytes_out = 0;
	memset(request->slots, 0, sizeof(request->slots));
}

/**
 * tl_request_end() - End a request, if there is one
 * @request: the connection's request
 * @ended: filled if the request had an answer
 * @loss: counters by enum tl_loss
 *
 * Context: the lock of the request's connection is held.
 * Return: true if @ended was filled.
 */
bool tl_request_end(struct tl_request *request, struct tl_ended *ended, u64 *loss)
{
	u8 state = request->state;

	request->state = TL_REQUEST_NONE;
	if (state == TL_REQUEST_OPEN)
		loss[TL_LOSS_UNANSWERED]++;
	if (state != TL_REQUEST_ANSWERED)
		return false;
	ended->tier = request->tier;
	ended->class = request->class;
	ended->open_ns = request->open_ns;
	ended->closed_ns = request->last_send_ns;
	ended->own_ns = request->own_at_send_ns;
	ended->bytes_in = request->bytes_in;
	ended->bytes_out = request->bytes_out;
	ended->sums_used = request->sums_used;
	memcpy(ended->sums, request->sums, request->sums_used * sizeof(request->sums[0]));
	return true;
}

/**
 * tl_correlate_request_received() - Bytes arrived on a server-side connection (rule 1)
 * @request: the connection's request
 * @thread: who received them
 * @now_ns: when they reached it
 * @bytes: how many
 * @ended: filled with the request that this one ended
 * @loss: counters by enum tl_loss
 *
 * The event is always attributed.
 *
 * Context: the lock of the connection is held.
 * Return: true if @ended was filled.
 */
bool tl_correlate_request_received(struct tl_request *request, struct tl_thread *thread,
				   u64 now_ns, u64 bytes, struct tl_ended *ended,
				   u64 *loss)
{
	bool filled = false;

	if (request->state == TL_REQUEST_ANSWERED)
		filled = tl_request_end(request, ended, loss);
	if (request->state == TL_REQUEST_NONE)
		request_begin(request, now_ns);
	request->bytes_in += bytes;
	thread->current_request.request = request;
	thread->current_request.seq = request->seq;
	thread->by = TL_BY_THREAD;
	thread->serves = 1;
	thread->process->serves = 1;
	return filled;
}

/**
 * tl_correlate_response_sent() - Bytes were sent on a server-side connection (rule 4)
 * @request: the connection's request
 * @now_ns: when
 * @bytes: how many; 0 to say that a send that began earlier still goes on
 * @loss: counters by enum tl_loss
 *
 * Context: the lock of the connection is held.
 * Return: what became of the event.
 */
enum tl_outcome tl_correlate_response_sent(struct tl_request *request, u64 now_ns,
					   u64 bytes, u64 *loss)
{
	if (request->state == TL_REQUEST_NONE) {
		if (bytes)
			loss[TL_LOSS_PUSH]++;
		return TL_IGNORED;
	}
	/* What still goes on began before this request did. */
	if (request->state == TL_REQUEST_OPEN && !bytes)
		return TL_IGNORED;
	request->state = TL_REQUEST_ANSWERED;
	request->last_send_ns = max(now_ns, request->last_send_ns);
	/* Events may come in another order than their times; own never exceeds response. */
	request->own_at_send_ns = min(own_now(request, request->last_send_ns),
				      request->last_send_ns - request->open_ns);
	request->bytes_out += bytes;
	return TL_ATTRIBUTED;
}

static struct tl_call_sum *request_sum(struct tl_request *request, u32 peer, u64 *loss)
{
	struct tl_call_sum *sum;
	unsigned int i;

	for (i = 0; i < request->sums_used; i++)
		if (request->sums[i].peer == peer)
			return &request->sums[i];
	if (i == TL_REQUEST_PEERS) {
		/* The last one takes the rest; it keeps what it had counted. */
		loss[TL_LOSS_PEERS_FULL]++;
		request->sums[i - 1].peer = 0;
		return &request->sums[i - 1];
	}
	sum = &request->sums[request->sums_used++];
	memset(sum, 0, sizeof(*sum));
	sum->peer = peer;
	return sum;
}

/* A slot for one call more: the call that replied longest ago is likely to be over. */
static unsigned int slot_evict(struct tl_request *request)
{
	unsigned int i, found = TL_REQUEST_CALLS;
	u64 oldest_ns = U64_MAX;

	for (i = 0; i < TL_REQUEST_CALLS; i++) {
		u64 replied_ns = request->slots[i].replied_ns;

		if (replied_ns && replied_ns < oldest_ns) {
			oldest_ns = replied_ns;
			found = i;
		}
	}
	return found < TL_REQUEST_CALLS ? found : request->slot_next++ % TL_REQUEST_CALLS;
}

/* The call takes a slot, of one that has gone before if all are taken. */
static void slot_take(struct tl_request *request, struct tl_call *call, u64 now_ns)
{
	unsigned int i;

	for (i = 0; i < TL_REQUEST_CALLS; i++)
		if (!request->slots[i].call || request->slots[i].call == call)
			break;
	if (i == TL_REQUEST_CALLS)
		i = slot_evict(request);
	request->slots[i].call = call;
	request->slots[i].replied_ns = 0;
	request->slots[i].own_ns = own_now(request, now_ns);
	call->slot = i;
}

/* The call covers everything since it began. */
static void request_cover(struct tl_request *request, const struct tl_call *call,
			  u64 *loss)
{
	struct tl_request_slot *slot = &request->slots[call->slot];
	unsigned int i;
	u64 own_ns;

	if (slot->call != call) {
		loss[TL_LOSS_CALLS_FULL]++;
		return;
	}
	slot->replied_ns = call->last_ns;
	own_ns = slot->own_ns;
	request->own_ns = own_ns;
	request->mark_ns = max(call->last_ns, request->mark_ns);
	request->own_at_send_ns = min(request->own_at_send_ns, own_ns);
	for (i = 0; i < TL_REQUEST_CALLS; i++)
		request->slots[i].own_ns = min(request->slots[i].own_ns, own_ns);
}

static void call_begin(struct tl_call *call, struct tl_request *owner, u64 now_ns)
{
	call->counted = 0;
	call->start_ns = now_ns;
	call->last_ns = now_ns;
	call->owner.request = owner;
	if (!owner)
		return;
	call->owner.seq = owner->seq;
	slot_take(owner, call, now_ns);
}

/**
 * tl_correlate_call_owner() - Which request an event on a client-side connection is for
 * @call: the connection's call
 * @thread: who acts
 *
 * The caller locks the request's connection, checks with tl_request_alive() and
 * passes the request on, or NULL. For bytes sent the answer is the owner while a
 * call is under way or the connection is new, else the thread's current request;
 * for bytes received see @call->owner.
 *
 * Context: the lock of the call's connection is held, and @thread owned.
 * Return: a reference, perhaps empty.
 */
struct tl_request_ref tl_correlate_call_owner(const struct tl_call *call,
					      const struct tl_thread *thread)
{
	if (call->state == TL_CALL_SENDING || call->state == TL_CALL_CONNECTED)
		return call->owner;
	return thread->current_request;
}

/**
 * tl_correlate_connected() - A thread opens a connection
 * @call: the new connection's call
 * @owner: the thread's current request if it goes on, else NULL
 * @now_ns: when it begins to connect
 *
 * Context: the locks of both connections are held.
 */
void tl_correlate_connected(struct tl_call *call, struct tl_request *owner, u64 now_ns)
{
	if (owner && owner->state != TL_REQUEST_OPEN)
		owner = NULL;
	call_begin(call, owner, now_ns);
	call->state = owner ? TL_CALL_CONNECTED : TL_CALL_NONE;
}

static enum tl_outcome without_owner(struct tl_call *call, const struct tl_thread *thread)
{
	call->outside = !thread->serves && !thread->process->serves;
	return call->outside ? TL_IGNORED : TL_UNATTRIBUTED;
}

static bool is_current(const struct tl_thread *thread, const struct tl_request *request)
{
	return thread->current_request.request == request &&
	       thread->current_request.seq == request->seq;
}

/**
 * tl_correlate_call_sent() - Bytes were sent on a client-side connection (rule 2)
 * @call: the connection's call; one that is over was taken by tl_correlate_call_done()
 * @thread: who sent them
 * @owner: the request that tl_correlate_call_owner() named if it goes on, else NULL
 * @now_ns: when
 *
 * Context: the locks of both connections are held.
 * Return: what became of the event.
 */
enum tl_outcome tl_correlate_call_sent(struct tl_call *call, struct tl_thread *thread,
				       struct tl_request *owner, u64 now_ns)
{
	bool connected = call->state == TL_CALL_CONNECTED;

	if (call->state == TL_CALL_SENDING)
		return owner ? TL_ATTRIBUTED : without_owner(call, thread);
	call->state = TL_CALL_SENDING;
	/* An answered request is never a parent. */
	if (owner && owner->state != TL_REQUEST_OPEN)
		owner = NULL;
	if (!owner || !connected)
		call_begin(call, owner, now_ns);
	if (!owner)
		return without_owner(call, thread);
	call->outside = 0;
	call->by = is_current(thread, owner) ? thread->by : TL_BY_OWNER;
	return TL_ATTRIBUTED;
}

/**
 * tl_correlate_call_received() - Bytes arrived on a client-side connection (rule 3)
 * @call: the connection's call
 * @thread: who received them
 * @owner: the request of @call->owner if it goes on, else NULL
 * @now_ns: when they reached it
 * @loss: counters by enum tl_loss
 *
 * Bytes that arrive before any were sent (a greeting) belong to the owner but
 * are no call.
 *
 * Context: the locks of both connections are held.
 * Return: what became of the event.
 */
enum tl_outcome tl_correlate_call_received(struct tl_call *call, struct tl_thread *thread,
					   struct tl_request *owner, u64 now_ns,
					   u64 *loss)
{
	bool greeting = call->state < TL_CALL_SENDING;
	bool first = call->state == TL_CALL_SENDING;
	u64 grown_ns = since(now_ns, call->last_ns);
	struct tl_call_sum *sum;

	if (!greeting) {
		call->state = TL_CALL_REPLYING;
		call->last_ns += grown_ns;
	}
	if (!owner)
		return without_owner(call, thread);
	/* The thread goes on with what it asked for; it was known already if so. */
	if (!is_current(thread, owner)) {
		thread->current_request = call->owner;
		thread->by = TL_BY_OWNER;
	}
	if (greeting)
		return TL_ATTRIBUTED;
	sum = request_sum(owner, call->peer, loss);
	if (first) {
		sum->by[call->by]++;
		call->counted = 1;
	}
	sum->time_ns += grown_ns;
	request_cover(owner, call, loss);
	return TL_ATTRIBUTED;
}

/**
 * tl_correlate_call_done() - Take a finished call that no request counts
 * @call: the connection's call, about to begin another one or to close
 * @stray: filled with the call if a serving program made it, it was answered, and
 *         no owner was found or the owner had ended before
 *
 * The other calls were counted with their owner as they grew.
 *
 * Context: the lock of the call's connection is held.
 * Return: true if @stray was filled.
 */
bool tl_correlate_call_done(struct tl_call *call, struct tl_call_sum *stray)
{
	if (call->state != TL_CALL_REPLYING || call->counted || call->outside)
		return false;
	memset(stray, 0, sizeof(*stray));
	stray->peer = call->peer;
	stray->by[TL_BY_THREAD] = 1;
	stray->time_ns = call->last_ns - call->start_ns;
	return true;
}
