/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CORE_REQUEST_H
#define TL_CORE_REQUEST_H

#include "classify.h"
#include "kinds.h"
#include "port.h"

#define TL_REQUEST_PEERS 4 /* endpoints that one request's calls are told apart by */
#define TL_REQUEST_CALLS 8 /* simultaneous calls whose union is exact */
#define TL_USED_COUNTS 4 /* events that are counted for requests */

/*
 * A request that was adopted goes on as another one: it was an errand, see
 * tl_request_adopt().
 */
enum tl_request_state {
	TL_REQUEST_NONE,
	TL_REQUEST_OPEN,
	TL_REQUEST_ANSWERED,
	TL_REQUEST_ADOPTED
};

/* What threads have used. */
struct tl_used {
	u64 cpu_ns;
	u64 run_wait_ns; /* ready to run, and not running */
	bool more; /* than that; else what follows means nothing, see tl_used_more() */
	u64 storage_read; /* bytes */
	u64 storage_write;
	u64 counts[TL_USED_COUNTS]; /* of events, see scoped.c */
};

/* Calls of one request to one peer. */
struct tl_call_sum {
	u32 peer; /* 0: more peers than TL_REQUEST_PEERS */
	u32 by[TL_BY_KINDS];
	u32 joined; /* of the calls, those whose other end was seen */
	u64 time_ns;
	u64 transit_ns; /* of the joined, what lies between the two ends */
	u64 bytes_out;
	u64 bytes_in;
};

struct tl_call;
struct tl_request;

/* A request that may have ended since. */
struct tl_request_ref {
	struct tl_request *request;
	u64 seq;
};

/*
 * The request of a server-side connection: it has one at a time, and its storage
 * lives as long as the connection's. seq tells a request from the ones before.
 */
struct tl_request {
	u64 seq;
	u32 tier;
	u32 class;
	u32 node; /* in the tree of paths; 0: not looked up yet */
	u32 parent; /* the caller's node; 0: none is known */
	u8 state; /* enum tl_request_state */
	u8 sums_used;
	u8 slots_used; /* those after them mean nothing */
	u8 slot_next;
	u8 errand; /* work whose request is not known yet, no connection's */
	u8 queued; /* queue_ns is known */
	u8 coarse; /* seen from end to end only: its own time is not known */
	u8 ambiguous; /* it may be a part of the one before, or that of this */
	u32 deferred; /* events of an errand that are not counted yet */
	u64 open_ns;
	u64 last_send_ns;
	u64 own_ns; /* own time in [open_ns, mark_ns] */
	u64 mark_ns;
	u64 own_at_send_ns; /* own time in [open_ns, last_send_ns] */
	u64 queue_ns; /* from the caller's first byte to open_ns */
	u64 bytes_in;
	u64 bytes_out;
	struct tl_used used;
	struct tl_class_match match;
	struct tl_request_ref adopter;
	struct tl_call_sum sums[TL_REQUEST_PEERS];
	struct tl_request_slot {
		const struct tl_call *call;
		u64 own_ns; /* the request's own time before the call began */
		u64 replied_ns; /* 0: not yet */
	} slots[TL_REQUEST_CALLS];
};

/**
 * tl_request_alive() - Whether the request that was meant still goes on
 * @ref: reference, may be empty
 *
 * Context: the lock of the request's connection is held.
 * Return: true if it is open or answered and not yet ended.
 */
static inline bool tl_request_alive(const struct tl_request_ref *ref)
{
	return ref->request && ref->request->seq == ref->seq &&
	       (ref->request->state == TL_REQUEST_OPEN ||
		ref->request->state == TL_REQUEST_ANSWERED);
}

/* At most events nothing but time was used. */
static inline void tl_used_clear(struct tl_used *used)
{
	used->cpu_ns = 0;
	used->run_wait_ns = 0;
	used->more = false;
}

void tl_used_more(struct tl_used *used);
void tl_used_add_more(struct tl_used *into, const struct tl_used *from);

static inline void tl_used_add(struct tl_used *into, const struct tl_used *from)
{
	into->cpu_ns += from->cpu_ns;
	into->run_wait_ns += from->run_wait_ns;
	if (unlikely(from->more))
		tl_used_add_more(into, from);
}

/* Two CPUs may see the clock a few nanoseconds apart. */
static inline u64 tl_since(u64 now_ns, u64 then_ns)
{
	return now_ns > then_ns ? now_ns - then_ns : 0;
}

/* Its first bytes have told more: its place in the tree of paths is another one then. */
static inline void tl_request_classify(struct tl_request *request, u32 class)
{
	if (request->class != class)
		request->node = 0;
	request->class = class;
}

void tl_request_begin(struct tl_request *request, u64 now_ns);
void tl_request_answer(struct tl_request *request, u64 now_ns, u64 bytes);
bool tl_request_end(struct tl_request *request, u64 *loss);

struct tl_call_sum *tl_request_sum(struct tl_request *request, u32 peer, u64 *loss);
void tl_request_call(struct tl_request *request, const struct tl_call *call, u64 now_ns);
void tl_request_cover(struct tl_request *request, const struct tl_call *call, u64 last_ns,
		      u64 *loss);

void tl_errand_begin(struct tl_request *errand, u64 now_ns);
bool tl_request_adopt(struct tl_request *request, struct tl_request *errand, u8 by,
		      u64 *loss);

#endif
