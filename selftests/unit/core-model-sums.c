// SPDX-License-Identifier: GPL-2.0-or-later
/* What comes out when all of the log is known. */
#include <stdlib.h>

#include "core-model-state.h"

struct interval {
	u64 from_ns, to_ns;
};

struct sums {
	unsigned int used;
	struct tl_call_sum sum[TL_REQUEST_PEERS];
};

static bool is_reply_of(unsigned int event, int call)
{
	return model.log[event].kind == EVENT_REPLY && model.call_at[event] == call;
}

/* From its beginning to the last byte received before @until; false if none was. */
static bool interval_of(int call, unsigned int until, struct interval *interval)
{
	unsigned int i;
	bool any = false;

	interval->from_ns = model.calls[call].from_ns;
	interval->to_ns = interval->from_ns;
	until = min(until, model.calls[call].given_up);
	for (i = model.calls[call].begun; i < until && i < model.calls[call].over; i++) {
		if (!is_reply_of(i, call))
			continue;
		any = true;
		interval->to_ns = max(interval->to_ns, model.log[i].now_ns);
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
	const struct work *r = &model.works[request];
	struct interval set[WORLD_EVENTS];
	unsigned int used = 0;
	int i;

	for (i = 0; i < model.calls_used; i++)
		if (model_work_became(model.calls[i].owner, NEVER) == request &&
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
	model.result->loss[TL_LOSS_PEERS_FULL]++;
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

	if (model.calls[call].served_by == NOBODY)
		return false;
	r = &model.works[model.calls[call].served_by];
	if (r->answered >= event)
		return false;
	last_ns = r->open_ns;
	for (i = r->answered; i < event; i++)
		if (model.log[i].kind == EVENT_SENT &&
		    model.request_at[i] == r - model.works)
			last_ns = max(last_ns, model.log[i].now_ns);
	interval_of(call, event + 1, &interval);
	*ns = max(r->open_ns, interval.from_ns) - interval.from_ns;
	*ns += max(interval.to_ns, last_ns) - last_ns;
	return true;
}

/* The reply's call before it: what has been counted of it. */
static unsigned int counted_before(unsigned int event)
{
	unsigned int i;

	for (i = event; i-- > model.calls[model.call_at[event]].begun;)
		if (is_reply_of(i, model.call_at[event]) && model.work_at[i] != NOBODY)
			return i;
	return NEVER;
}

static u64 bytes_of(int call, enum event_kind kind, unsigned int from, unsigned int until)
{
	u64 bytes = 0;
	unsigned int i;

	for (i = from; i < min(until, model.log_used); i++)
		if (model.log[i].kind == kind && model.call_at[i] == call)
			bytes += model.log[i].value;
	return bytes;
}

static void add_reply(struct sums *sums, unsigned int event)
{
	int call = model.call_at[event];
	struct tl_call_sum *sum = sum_for(sums, model.calls[call].peer);
	unsigned int before = counted_before(event);
	u64 now_ns, before_ns = 0;
	bool known, known_before;

	sum->by[model.calls[call].by] += before == NEVER;
	sum->bytes_out += bytes_of(call, EVENT_CALL,
				   before == NEVER ? model.calls[call].begun : before, event);
	sum->time_ns += model.grown_ns[event];
	sum->bytes_in += model.log[event].value;
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
	for (i = model.works[work].begun; i < model.log_used; i++) {
		if (model.log[i].kind == EVENT_REPLY && model.call_at[i] != NOBODY &&
		    model.work_at[i] == work)
			add_reply(sums, i);
		for (j = 0; j < model.works_used; j++) {
			if (model.works[j].adopted != i || model.works[j].adopter != work)
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

void model_sums_end_request(int request)
{
	const struct work *r = &model.works[request];
	struct tl_request ended;
	struct ended_record *record;
	struct sums sums;

	memset(&ended, 0, sizeof(ended));
	sums_of(request, &sums);
	if (r->answered == NEVER) {
		model.result->loss[TL_LOSS_UNANSWERED]++;
		return;
	}
	model.result->loss[TL_LOSS_AMBIGUOUS] += r->ambiguous;
	if (model.log[r->over].kind == EVENT_QUIET)
		model.result->loss[TL_LOSS_QUIET]++;
	ended.sums_used = sums.used;
	memcpy(ended.sums, sums.sum, sizeof(ended.sums));
	ended.tier = world_tier(r->server);
	ended.class = model_work_class(request, r->over - 1);
	ended.node = model_work_node(request, r->over - 1);
	ended.parent = r->parent;
	ended.queued = r->queued;
	ended.queue_ns = r->queue_ns;
	ended.used = world_used(r->used);
	ended.open_ns = r->open_ns;
	ended.last_send_ns = r->closed_ns;
	ended.own_at_send_ns = own_of(request);
	ended.bytes_in = r->bytes_in;
	ended.bytes_out = r->bytes_out;
	record = &model.result->ended[model.result->ended_used++];
	record->event = r->over;
	record->server = r->server;
	record->calls_full = r->maybe_full;
	record->ended = ended;
}

static void add_stray(unsigned int event, const struct tl_call_sum *sum)
{
	struct stray_record *record = &model.result->strays[model.result->strays_used++];

	record->event = event;
	record->sum = *sum;
}

/* An answered call that no work has counted. */
void model_sums_end_call(int call)
{
	const struct model_call *c = &model.calls[call];
	struct tl_call_sum sum = {.peer = c->peer, .by = {[TL_BY_THREAD] = 1}};
	struct interval interval;
	unsigned int i, j, last = NEVER;
	bool serves = false;

	for (i = c->over; i-- > c->begun;) {
		if (!is_reply_of(i, call))
			continue;
		if (model.work_at[i] != NOBODY)
			return;
		if (last == NEVER)
			last = i;
	}
	if (last == NEVER || !c->answered)
		return;
	for (j = 0; j < last; j++)
		serves |= model.log[j].kind == EVENT_RECEIVED &&
			  model.request_at[j] != NOBODY &&
			  world_process(model.log[j].thread) ==
				  world_process(model.log[last].thread);
	if (!serves)
		return;
	interval_of(call, c->over, &interval);
	sum.time_ns = interval.to_ns - interval.from_ns;
	sum.bytes_out = bytes_of(call, EVENT_CALL, c->begun, c->over);
	sum.bytes_in = bytes_of(call, EVENT_REPLY, c->begun, c->over);
	add_stray(c->over, &sum);
}

/* One whose last use has ended; if it was nobody's, its calls are strays. */
void model_sums_end_errand(int errand)
{
	struct sums sums;
	unsigned int i, last = 0;
	int j;

	for (j = 0; j < model.uses_used; j++)
		if (model.uses[j].errand == errand)
			last = max(last, model.uses[j].until);
	if (model.works[errand].adopted != NEVER || last == STILL)
		return;
	model.works[errand].ended = last / 3;
	sums_of(errand, &sums);
	for (i = 0; i < sums.used; i++)
		add_stray(last / 3, &sums.sum[i]);
}
