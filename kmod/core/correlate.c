// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which request do these bytes belong to?
 *
 * Input are the four things that can happen to a connection in the context of
 * the thread that does them: bytes received or sent on a connection that was
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
 *      becomes the thread's current request. This makes event loops right. So it
 *      does if a thread that has no current request goes on to send for a call.
 *   4. Bytes sent on the server's side answer the connection's own request,
 *      whoever is current.
 *   5. A thread that serves and makes a call without a current request runs an
 *      errand. It is that of the request that the same thread answers while the
 *      errand is current, if the request is older (tl_request_adopt()).
 *   6. A request ends at the last byte sent before the next one begins, the
 *      connection closes, or nothing was sent for the quiet time.
 *
 * Where a rule has no answer the thread's current request becomes none: what it
 * does next is then unattributed, which is better than wrong.
 *
 * Cost: a constant number of steps an event, no loop longer than
 * TL_REQUEST_CALLS. Times are u64 nanoseconds and wrap after 584 years. Two CPUs
 * may see the clock a few nanoseconds apart, so differences are clamped at 0.
 *
 * Nothing here locks. The caller holds the lock of the connection that the event
 * is about and of the connection whose request is passed in, and owns @thread.
 */
#include "link.h"

static void request_goes_on(struct tl_request *request, u64 now_ns, u64 bytes)
{
	if (request->state == TL_REQUEST_NONE)
		tl_request_begin(request, now_ns);
	request->bytes_in += bytes;
}

/**
 * tl_correlate_request_ends() - Bytes have arrived on a server-side connection (rule 6)
 * @request: the connection's request
 * @loss: counters by enum tl_loss
 *
 * Before tl_correlate_request_received() and tl_correlate_request_traced().
 *
 * Context: the lock of the connection is held.
 * Return: true if what was answered there has ended, and is to be summed up before.
 */
tl_inline bool tl_correlate_request_ends(struct tl_request *request, u64 *loss)
{
	return request->state == TL_REQUEST_ANSWERED && tl_request_end(request, loss);
}

/**
 * tl_correlate_request_received() - They are a request's (rule 1)
 * @request: the connection's request
 * @thread: who received them
 * @now_ns: when they reached it
 * @bytes: how many
 *
 * The event is always attributed.
 *
 * Context: the lock of the connection is held.
 */
tl_inline void
tl_correlate_request_received(struct tl_request *request, struct tl_thread *thread, u64 now_ns,
			      u64 bytes)
{
	const struct tl_request_ref *before = &thread->current_request;

	/* A hint, so that no lock of the other connection is needed. */
	if (before->request != request && tl_request_alive(before) &&
	    before->request->state == TL_REQUEST_OPEN && !before->request->errand)
		thread->multiplexes = 1;
	request_goes_on(request, now_ns, bytes);
	thread->current_request.request = request;
	thread->current_request.seq = request->seq;
	thread->by = TL_BY_THREAD;
	thread->serves = 1;
	thread->process->serves = 1;
}

/**
 * tl_correlate_request_traced() - The same, where only ends of requests are looked at
 * @request: the connection's request
 * @thread: who received them: what it does next is for nobody that is known
 * @now_ns: when they reached it
 * @bytes: how many
 *
 * Context: the lock of the connection is held.
 */
void tl_correlate_request_traced(struct tl_request *request, struct tl_thread *thread, u64 now_ns,
				 u64 bytes)
{
	request_goes_on(request, now_ns, bytes);
	request->coarse = 1;
	thread->current_request.request = NULL;
	/* Until it takes a request that is followed, its calls are nobody's errands. */
	thread->serves = 0;
}

/**
 * tl_correlate_response_sent() - Bytes were sent on a server-side connection (rule 4)
 * @request: the connection's request
 * @now_ns: when
 * @bytes: how many; 0 to say that a send that began earlier still goes on
 * @interim: the request is open, and they say that its answer will come later, see
 *	     interim.c
 * @loss: counters by enum tl_loss
 *
 * Context: the lock of the connection is held.
 * Return: what became of the event.
 */
enum tl_outcome tl_correlate_response_sent(struct tl_request *request, u64 now_ns,
					   u64 bytes, bool interim, u64 *loss)
{
	if (request->state == TL_REQUEST_NONE) {
		if (bytes)
			loss[TL_LOSS_PUSH]++;
		return TL_IGNORED;
	}
	/* What still goes on began before this request did. */
	if (request->state == TL_REQUEST_OPEN && !bytes)
		return TL_IGNORED;
	if (interim)
		request->bytes_out += bytes;
	else
		tl_request_answer(request, now_ns, bytes);
	return TL_ATTRIBUTED;
}

static void call_begin(struct tl_call *call, struct tl_request *owner, u64 now_ns)
{
	call->counted = 0;
	call->joined = 0;
	call->transit_ns = 0;
	call->bytes_out = 0;
	call->bytes_in = 0;
	call->start_ns = now_ns;
	call->last_ns = now_ns;
	call->owner.request = owner;
	if (!owner)
		return;
	call->owner.seq = owner->seq;
	tl_request_call(owner, call, now_ns);
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
 * tl_correlate_outside() - Whether what comes of a call is nobody's
 * @call: the connection's call
 * @thread: who acts
 *
 * Who serves nobody, and called for nobody, has no account that an answer could change.
 *
 * Context: the lock of the call's connection is held, and @thread owned.
 */
bool tl_correlate_outside(const struct tl_call *call, const struct tl_thread *thread)
{
	return call->outside && !call->owner.request && !tl_correlate_serves(thread);
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
	call->outside = !tl_correlate_serves(thread);
	return call->outside ? TL_IGNORED : TL_UNATTRIBUTED;
}

static enum tl_outcome with_owner(struct tl_request *owner)
{
	if (!owner->errand)
		return TL_ATTRIBUTED;
	owner->deferred++;
	return TL_DEFERRED;
}

static bool is_current(const struct tl_thread *thread, const struct tl_request *request)
{
	return thread->current_request.request == request &&
	       thread->current_request.seq == request->seq;
}

/* A loop that has turned to a call goes on with whom that is for. */
static void go_on_with(struct tl_thread *thread, struct tl_request *owner)
{
	/* A hint, so that no lock of the other connection is needed. */
	if (thread->mixed || tl_request_alive(&thread->current_request))
		return;
	thread->current_request.request = owner;
	thread->current_request.seq = owner->seq;
	thread->by = TL_BY_OWNER;
}

/**
 * tl_correlate_call_sent() - Bytes were sent on a client-side connection (rule 2)
 * @call: the connection's call; one that is over was taken by tl_correlate_call_done()
 * @thread: who sent them
 * @owner: the request that tl_correlate_call_owner() named if it goes on, else NULL
 * @now_ns: when
 * @bytes: how many
 *
 * Context: the locks of both connections are held.
 * Return: what became of the event.
 */
tl_inline enum tl_outcome
tl_correlate_call_sent(struct tl_call *call, struct tl_thread *thread,
		       struct tl_request *owner, u64 now_ns, u64 bytes)
{
	bool connected = call->state == TL_CALL_CONNECTED;
	enum tl_outcome outcome;

	if (call->state == TL_CALL_SENDING) {
		call->bytes_out += bytes;
		if (!owner)
			return without_owner(call, thread);
		go_on_with(thread, owner);
		return with_owner(owner);
	}
	call->state = TL_CALL_SENDING;
	/* An answered request is never a parent. */
	if (owner && owner->state != TL_REQUEST_OPEN)
		owner = NULL;
	if (owner && connected)
		go_on_with(thread, owner);
	if (!owner || !connected)
		call_begin(call, owner, now_ns);
	call->bytes_out = bytes;
	if (!owner)
		return without_owner(call, thread);
	call->outside = 0;
	outcome = with_owner(owner);
	/* However an errand was found: whose it is, only its adoption tells. */
	if (outcome == TL_DEFERRED)
		call->by = TL_BY_LOOKBACK;
	else
		call->by = is_current(thread, owner) ? thread->by : TL_BY_OWNER;
	return outcome;
}

/* What the other end knows; it may be more with every part of the answer. */
static void count_transit(struct tl_call *call, struct tl_call_sum *sum,
			  const struct tl_link *link)
{
	u64 transit_ns;

	if (!tl_link_transit(link, call, &transit_ns))
		return;
	sum->joined += !call->joined;
	sum->transit_ns += transit_ns;
	/* It may have been counted in another one: an errand's, for lack of places. */
	sum->transit_ns -= min(sum->transit_ns, call->transit_ns);
	call->joined = 1;
	call->transit_ns = transit_ns;
}

/**
 * tl_correlate_call_received() - Bytes arrived on a client-side connection (rule 3)
 * @call: the connection's call
 * @thread: who received them
 * @owner: the request of @call->owner if it goes on, else NULL
 * @link: the link to the other end
 * @interim: they are an interim answer, as far as bytes tell; the other end knows
 *	     better
 * @now_ns: when they reached it
 * @bytes: how many
 * @loss: counters by enum tl_loss
 *
 * Bytes that arrive before any were sent (a greeting) belong to the owner but
 * are no call. After an interim answer the call goes on: what is sent next is a
 * part of it.
 *
 * Context: the locks of both connections and of the link are held.
 * Return: what became of the event.
 */
tl_inline enum tl_outcome
tl_correlate_call_received(struct tl_call *call, struct tl_thread *thread,
			   struct tl_request *owner, const struct tl_link *link,
			   bool interim, u64 now_ns, u64 bytes, u64 *loss)
{
	bool greeting = call->state < TL_CALL_SENDING;
	u64 grown_ns = tl_since(now_ns, call->last_ns);
	struct tl_call_sum *sum;

	if (!greeting) {
		if (call->state == TL_CALL_REPLYING || !(interim || tl_link_interim(link)))
			call->state = TL_CALL_REPLYING;
		call->last_ns += grown_ns;
	}
	/*
	 * The thread goes on with what it asked for, and if that has ended or is not
	 * known, with nothing that is known. How it was known already may say more.
	 */
	if (!owner || !is_current(thread, owner)) {
		thread->current_request = call->owner;
		thread->by = TL_BY_OWNER;
	}
	if (!owner) {
		call->bytes_in += bytes;
		return without_owner(call, thread);
	}
	if (greeting)
		return with_owner(owner);
	sum = tl_request_sum(owner, call->peer, loss);
	sum->by[call->by] += !call->counted;
	call->counted = 1;
	sum->time_ns += grown_ns;
	sum->bytes_in += bytes;
	sum->bytes_out += call->bytes_out;
	call->bytes_out = 0;
	count_transit(call, sum, link);
	tl_request_cover(owner, call, call->last_ns, loss);
	return with_owner(owner);
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
	stray->bytes_out = call->bytes_out;
	stray->bytes_in = call->bytes_in;
	return true;
}

/**
 * tl_correlate_call_idle() - Give up an errand's call on which nothing happens any more
 * @call: the connection's call, or that it was connected
 * @now_ns: when
 * @idle_ns: for how long nothing must have happened
 *
 * A kept connection would keep its last call's errand for ever. Bytes that come later
 * nevertheless belong to nobody. A call that waits for its answer is not given up.
 *
 * Context: the lock of the call's connection is held; the errand is used by the call.
 * Return: true if the owner was given up, which the caller stops to use.
 */
bool tl_correlate_call_idle(struct tl_call *call, u64 now_ns, u64 idle_ns)
{
	const struct tl_request_ref *owner = &call->owner;

	/* A hint without a lock, but what is used stays what it is. */
	if (!owner->request || !owner->request->errand || owner->request->seq != owner->seq)
		return false;
	if (call->state == TL_CALL_SENDING || tl_since(now_ns, call->last_ns) < idle_ns)
		return false;
	if (call->state == TL_CALL_CONNECTED)
		call->state = TL_CALL_NONE;
	call->owner.request = NULL;
	return true;
}

/**
 * tl_correlate_dispatched() - A thread looks for what to do next
 * @thread: an event loop at its turn
 *
 * What it does next is not for what it did last.
 *
 * Context: the caller owns @thread.
 */
void tl_correlate_dispatched(struct tl_thread *thread)
{
	thread->current_request.request = NULL;
	thread->dispatches = 1;
}
