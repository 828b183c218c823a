// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads, what they are at, and their errands. */
#include "core-world-parts.h"

/* kmod/errand.c */

static struct tl_request_ref errand_new(struct world *world, u64 now_ns)
{
	struct tl_request_ref ref = {0};
	struct entry *entry;

	if (world->no_memory)
		return ref;
	entry = world_entry_take(world);
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
		world_record_stray(world, &errand->sums[i]);
	world_decided(world, TL_UNATTRIBUTED, errand->deferred);
}

void world_errand_put(struct world *world, struct tl_request_ref ref)
{
	struct tl_request *errand = ref.request;

	if (!errand || !errand->errand || errand->seq != ref.seq)
		return;
	assert(world_entry(errand)->taken && world_entry(errand)->uses);
	if (--world_entry(errand)->uses)
		return;
	if (errand->state == TL_REQUEST_OPEN)
		end_unknown(world, errand);
	errand->state = TL_REQUEST_NONE;
	errand->errand = 0;
	world_entry(errand)->taken = false;
}

bool world_errand_adopt(struct world *world, struct tl_request *request,
			struct tl_request_ref errand)
{
	u64 full = world->result.loss[TL_LOSS_CALLS_FULL];

	if (!tl_request_alive(&errand) || !errand.request->errand)
		return false;
	if (!tl_request_adopt(request, errand.request, TL_BY_LOOKBACK,
			      world->result.loss))
		return false;
	if (world->result.loss[TL_LOSS_CALLS_FULL] != full ||
	    world_entry(errand.request)->calls_full)
		world_entry(request)->calls_full = true;
	world_decided(world, TL_ATTRIBUTED, errand.request->deferred);
	world->result.adopted++;
	return true;
}

struct tl_request_ref world_errand_became(struct tl_request_ref ref)
{
	if (ref.request && ref.request->errand && ref.request->seq == ref.seq &&
	    ref.request->state == TL_REQUEST_ADOPTED)
		return ref.request->adopter;
	return ref;
}

/* kmod/turn.c */

void world_charge(struct world *world, const struct event *event)
{
	struct worker *worker = &world->threads[event->thread];
	struct tl_request *request = world_lock(worker->thread.current_request);
	struct tl_used used = world_used(event->used);

	if (request)
		tl_used_add(&request->used, &used);
}

static void drop_errand(struct world *world, struct worker *worker)
{
	struct tl_request_ref errand = worker->errand;

	worker->errand.request = NULL;
	world_errand_put(world, errand);
}

void world_errand_begin(struct world *world, struct worker *worker, u64 now_ns)
{
	drop_errand(world, worker);
	worker->errand = errand_new(world, now_ns);
	worker->thread.current_request = worker->errand;
	worker->thread.by = TL_BY_LOOKBACK;
}

void world_dispatch(struct world *world, const struct event *event)
{
	struct worker *worker = &world->threads[event->thread];

	if (!event->value && !worker->thread.multiplexes)
		return;
	world_charge(world, event);
	tl_correlate_dispatched(&worker->thread);
	drop_errand(world, worker);
}

/* kmod/thread.c */
void world_exit(struct world *world, const struct event *event)
{
	struct worker *worker = &world->threads[event->thread];
	struct tl_thread *process = worker->thread.process;

	world_charge(world, event);
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
