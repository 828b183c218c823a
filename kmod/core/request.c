// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A request: its life, its own time, and work that becomes part of it later
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
 * An *errand* is work of a thread whose request is not known yet. It keeps the
 * same account as a request, and is added to one as soon as that is known.
 *
 * The caller serialises.
 */
#include "request.h"

static u64 own_at(const struct tl_request *request, u64 ns)
{
	return request->own_ns + tl_since(ns, request->mark_ns);
}

/**
 * tl_used_more() - More than time was used
 * @used: before that, all the rest of it is set to zero
 *
 * Context: the caller serialises.
 */
void tl_used_more(struct tl_used *used)
{
	if (used->more)
		return;
	used->more = true;
	used->storage_read = 0;
	used->storage_write = 0;
	memset(used->counts, 0, sizeof(used->counts));
}

/* The slow part of tl_used_add(). */
tl_noinline void tl_used_add_more(struct tl_used *into, const struct tl_used *from)
{
	unsigned int i;

	tl_used_more(into);
	into->storage_read += from->storage_read;
	into->storage_write += from->storage_write;
	for (i = 0; i < TL_USED_COUNTS; i++)
		into->counts[i] += from->counts[i];
}

/**
 * tl_request_begin() - A request begins
 * @request: its storage; tier stays what it is
 * @now_ns: when
 *
 * Context: the lock of the request's connection is held.
 */
void tl_request_begin(struct tl_request *request, u64 now_ns)
{
	request->seq++;
	request->state = TL_REQUEST_OPEN;
	request->class = 0;
	request->node = 0;
	request->parent = 0;
	request->sums_used = 0;
	request->slots_used = 0;
	request->slot_next = 0;
	request->errand = 0;
	request->queued = 0;
	request->coarse = 0;
	request->ambiguous = 0;
	request->deferred = 0;
	request->open_ns = now_ns;
	request->last_send_ns = now_ns;
	request->own_ns = 0;
	request->mark_ns = now_ns;
	request->own_at_send_ns = 0;
	request->queue_ns = 0;
	request->bytes_in = 0;
	request->bytes_out = 0;
	tl_used_clear(&request->used);
	memset(&request->match, 0, sizeof(request->match));
}

/**
 * tl_request_answer() - Bytes of the answer were sent
 * @request: the request, open or answered
 * @now_ns: when
 * @bytes: how many
 *
 * Context: the lock of the request's connection is held.
 */
void tl_request_answer(struct tl_request *request, u64 now_ns, u64 bytes)
{
	request->state = TL_REQUEST_ANSWERED;
	request->last_send_ns = max(now_ns, request->last_send_ns);
	/* Events may come in another order than their times; own never exceeds response. */
	request->own_at_send_ns = min(own_at(request, request->last_send_ns),
				      request->last_send_ns - request->open_ns);
	request->bytes_out += bytes;
}

/**
 * tl_request_end() - End a request, if there is one
 * @request: the connection's request
 * @loss: counters by enum tl_loss
 *
 * Context: the lock of the request's connection is held.
 * Return: true if it had an answer, and is to be summed up: all that is known of it stays in
 * @request until the next one begins there.
 */
bool tl_request_end(struct tl_request *request, u64 *loss)
{
	u8 state = request->state;

	request->state = TL_REQUEST_NONE;
	if (state == TL_REQUEST_OPEN)
		loss[TL_LOSS_UNANSWERED]++;
	if (state != TL_REQUEST_ANSWERED)
		return false;
	/* What is not answered may have been the rest of the one before. */
	loss[TL_LOSS_AMBIGUOUS] += request->ambiguous;
	return true;
}

/**
 * tl_request_sum() - Where a request's calls to a peer are summed up
 * @request: the request
 * @peer: number of the endpoint
 * @loss: counters by enum tl_loss
 *
 * Context: the lock of the request's connection is held.
 * Return: the sum; the last one takes what finds no place.
 */
struct tl_call_sum *tl_request_sum(struct tl_request *request, u32 peer, u64 *loss)
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

static struct tl_request_slot *slot_of(struct tl_request *request,
				       const struct tl_call *call)
{
	unsigned int i;

	for (i = 0; i < request->slots_used; i++)
		if (request->slots[i].call == call)
			return &request->slots[i];
	return NULL;
}

/* A slot for one call more: the call that replied longest ago is likely to be over. */
static struct tl_request_slot *slot_evict(struct tl_request *request)
{
	struct tl_request_slot *found = NULL;
	u64 oldest_ns = U64_MAX;
	unsigned int i;

	for (i = 0; i < TL_REQUEST_CALLS; i++) {
		u64 replied_ns = request->slots[i].replied_ns;

		if (replied_ns && replied_ns < oldest_ns) {
			oldest_ns = replied_ns;
			found = &request->slots[i];
		}
	}
	return found ? found : &request->slots[request->slot_next++ % TL_REQUEST_CALLS];
}

/* A call's own slot, one more, or that of a call that has gone before. */
static struct tl_request_slot *slot_take(struct tl_request *request,
					 const struct tl_call *call)
{
	struct tl_request_slot *slot = slot_of(request, call);

	if (!slot && request->slots_used < TL_REQUEST_CALLS)
		slot = &request->slots[request->slots_used++];
	if (!slot)
		slot = slot_evict(request);
	slot->call = call;
	slot->replied_ns = 0;
	return slot;
}

/**
 * tl_request_call() - A call of a request begins
 * @request: the request
 * @call: the call
 * @now_ns: when
 *
 * Context: the locks of both connections are held.
 */
void tl_request_call(struct tl_request *request, const struct tl_call *call, u64 now_ns)
{
	slot_take(request, call)->own_ns = own_at(request, now_ns);
}

/**
 * tl_request_cover() - A call covers everything since it began
 * @request: its request
 * @call: the call
 * @last_ns: up to when
 * @loss: counters by enum tl_loss
 *
 * Context: the locks of both connections are held.
 */
void tl_request_cover(struct tl_request *request, const struct tl_call *call, u64 last_ns,
		      u64 *loss)
{
	struct tl_request_slot *slot = slot_of(request, call);
	unsigned int i;
	u64 own_ns;

	if (!slot) {
		loss[TL_LOSS_CALLS_FULL]++;
		return;
	}
	slot->replied_ns = last_ns;
	own_ns = slot->own_ns;
	request->own_ns = own_ns;
	request->mark_ns = max(last_ns, request->mark_ns);
	request->own_at_send_ns = min(request->own_at_send_ns, own_ns);
	for (i = 0; i < request->slots_used; i++)
		request->slots[i].own_ns = min(request->slots[i].own_ns, own_ns);
}

/**
 * tl_errand_begin() - Work begins whose request is not known yet
 * @errand: storage of a request that no connection has
 * @now_ns: when
 *
 * Context: the errand's lock is held.
 */
void tl_errand_begin(struct tl_request *errand, u64 now_ns)
{
	tl_request_begin(errand, now_ns);
	errand->errand = 1;
}

static void adopt_sum(struct tl_call_sum *into, const struct tl_call_sum *from, u8 by)
{
	unsigned int i;

	for (i = 0; i < TL_BY_KINDS; i++)
		into->by[by] += from->by[i];
	into->joined += from->joined;
	into->time_ns += from->time_ns;
	into->transit_ns += from->transit_ns;
	into->bytes_out += from->bytes_out;
	into->bytes_in += from->bytes_in;
}

/*
 * Calls of the request that began after the errand did know nothing of what the
 * errand's calls have covered. How much of that was before a call, cannot be told
 * if it began in the midst of them: it is then taken to be all.
 */
static bool rebase_slots(struct tl_request *request, struct tl_request *errand,
			 u64 base_ns)
{
	bool lost = false;
	unsigned int i;

	for (i = 0; i < request->slots_used; i++) {
		struct tl_request_slot *slot = &request->slots[i];
		u64 start_ns = errand->open_ns + tl_since(slot->own_ns, base_ns);

		if (slot->own_ns <= base_ns)
			continue;
		lost |= start_ns < errand->mark_ns || slot_of(errand, slot->call);
		slot->own_ns = min(slot->own_ns, base_ns + own_at(errand, start_ns));
	}
	return lost;
}

/* If both have a call over the same connection, one is over: the later one stays. */
static bool adopt_slots(struct tl_request *request, const struct tl_request *errand,
			u64 base_ns, bool apart)
{
	bool lost = false;
	unsigned int i;

	for (i = 0; i < errand->slots_used; i++) {
		const struct tl_request_slot *from = &errand->slots[i];
		u64 start_ns = errand->open_ns + from->own_ns;
		u64 own_ns = base_ns + from->own_ns;
		struct tl_request_slot *slot;

		slot = slot_of(request, from->call);
		if (!apart) {
			lost |= start_ns < request->mark_ns || slot;
			own_ns = own_at(request, start_ns);
		}
		if (slot)
			own_ns = max(own_ns, slot->own_ns);
		slot = slot_take(request, from->call);
		slot->own_ns = own_ns;
		slot->replied_ns = from->replied_ns;
	}
	return lost;
}

/* The errand's calls are not covered any more, and not by what they were before. */
static void forget_slots(struct tl_request *request, const struct tl_request *errand)
{
	struct tl_request_slot *slot;
	unsigned int i;

	for (i = 0; i < errand->slots_used; i++) {
		slot = slot_of(request, errand->slots[i].call);
		if (slot)
			*slot = request->slots[--request->slots_used];
	}
}

/*
 * The errand's account begins at @base_ns of the request's own time. If neither
 * has covered anything since then, or only one of them, the two fit together.
 */
static bool adopt_account(struct tl_request *request, struct tl_request *errand)
{
	u64 base_ns = own_at(request, errand->open_ns);
	bool apart = request->mark_ns <= errand->open_ns;
	bool lost;

	if (!apart && errand->mark_ns > errand->open_ns) {
		forget_slots(request, errand);
		return true;
	}
	lost = apart && rebase_slots(request, errand, base_ns);
	lost |= adopt_slots(request, errand, base_ns, apart);
	if (apart) {
		request->own_ns = base_ns + errand->own_ns;
		request->mark_ns = errand->mark_ns;
	}
	return lost;
}

/**
 * tl_request_adopt() - An errand turns out to have been a request's
 * @request: the request
 * @errand: the errand; references to it mean @request from now on
 * @by: enum tl_by, how it was found out
 * @loss: counters by enum tl_loss
 *
 * If another call of the request ended after the errand began, and one of the
 * errand has, how much the two have in common is not known any more: the errand's
 * calls are then not taken off the request's own time. That, and whatever else
 * cannot be told of such calls, is counted (TL_LOSS_CALLS_FULL); own time can then
 * be too large, never too small.
 *
 * Context: both locks are held.
 * Return: false, and nothing was done, if it cannot have been: the request began
 * later, or has ended.
 */
bool tl_request_adopt(struct tl_request *request, struct tl_request *errand, u8 by,
		      u64 *loss)
{
	unsigned int i;

	if ((request->state != TL_REQUEST_OPEN && request->state != TL_REQUEST_ANSWERED) ||
	    errand->open_ns < request->open_ns)
		return false;
	/* What was heard after the answer was not needed for it. */
	if (request->state == TL_REQUEST_ANSWERED && errand->mark_ns > request->last_send_ns)
		return false;
	for (i = 0; i < errand->sums_used; i++)
		adopt_sum(tl_request_sum(request, errand->sums[i].peer, loss),
			  &errand->sums[i], by);
	loss[TL_LOSS_CALLS_FULL] += adopt_account(request, errand);
	if (request->state == TL_REQUEST_ANSWERED)
		request->own_at_send_ns = min(request->own_at_send_ns,
					      own_at(request, request->last_send_ns));
	tl_used_add(&request->used, &errand->used);
	errand->state = TL_REQUEST_ADOPTED;
	errand->adopter.request = request;
	errand->adopter.seq = request->seq;
	return true;
}
