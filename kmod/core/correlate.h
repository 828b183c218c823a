/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CORE_CORRELATE_H
#define TL_CORE_CORRELATE_H

#include "kinds.h"
#include "port.h"

#define TL_REQUEST_PEERS 4 /* endpoints that one request's calls are told apart by */
#define TL_REQUEST_CALLS 8 /* simultaneous calls whose union is exact */

/* What became of an event. */
enum tl_outcome { TL_ATTRIBUTED, TL_UNATTRIBUTED, TL_IGNORED };

enum tl_request_state { TL_REQUEST_NONE, TL_REQUEST_OPEN, TL_REQUEST_ANSWERED };

/* Calls of one request to one peer. */
struct tl_call_sum {
	u32 peer; /* 0: more peers than TL_REQUEST_PEERS */
	u32 by[TL_BY_KINDS];
	u64 time_ns;
};

struct tl_call;

/*
 * The request of a server-side connection: it has one at a time, and its storage
 * lives as long as the connection's. seq tells a request from the ones before.
 */
struct tl_request {
	u64 seq;
	u32 tier;
	u32 class;
	u8 state; /* enum tl_request_state */
	u8 sums_used;
	u8 slot_next;
	u64 open_ns;
	u64 last_send_ns;
	u64 own_ns; /* own time in [open_ns, mark_ns] */
	u64 mark_ns;
	u64 own_at_send_ns; /* own time in [open_ns, last_send_ns] */
	u64 bytes_in;
	u64 bytes_out;
	struct tl_call_sum sums[TL_REQUEST_PEERS];
	struct tl_request_slot {
		const struct tl_call *call;
		u64 own_ns; /* the request's own time before the call began */
		u64 replied_ns; /* 0: not yet */
	} slots[TL_REQUEST_CALLS];
};

/* A request that may have ended since. */
struct tl_request_ref {
	struct tl_request *request;
	u64 seq;
};

enum tl_call_state { TL_CALL_NONE, TL_CALL_CONNECTED, TL_CALL_SENDING, TL_CALL_REPLYING };

/* The call of a client-side connection. */
struct tl_call {
	struct tl_request_ref owner;
	u32 peer;
	u8 state; /* enum tl_call_state */
	u8 slot;
	u8 by; /* enum tl_by */
	u8 outside; /* made by a program that serves nobody */
	u8 counted; /* in its owner's sums */
	u64 start_ns;
	u64 last_ns;
};

struct tl_thread {
	struct tl_request_ref current_request;
	u8 by; /* how it became current */
	u8 serves; /* has received a request */
	struct tl_thread *process; /* whose serves counts for all its threads */
};

/* A request that ended with an answer. */
struct tl_ended {
	u32 tier;
	u32 class;
	u64 open_ns;
	u64 closed_ns;
	u64 own_ns;
	u64 bytes_in;
	u64 bytes_out;
	u8 sums_used;
	struct tl_call_sum sums[TL_REQUEST_PEERS];
};

bool tl_request_alive(const struct tl_request_ref *ref);
bool tl_request_end(struct tl_request *request, struct tl_ended *ended, u64 *loss);

bool tl_correlate_request_received(struct tl_request *request, struct tl_thread *thread,
				   u64 now_ns, u64 bytes, struct tl_ended *ended,
				   u64 *loss);
enum tl_outcome tl_correlate_response_sent(struct tl_request *request, u64 now_ns,
					   u64 bytes, u64 *loss);

struct tl_request_ref tl_correlate_call_owner(const struct tl_call *call,
					      const struct tl_thread *thread);
void tl_correlate_connected(struct tl_call *call, struct tl_request *owner, u64 now_ns);
enum tl_outcome tl_correlate_call_sent(struct tl_call *call, struct tl_thread *thread,
				       struct tl_request *owner, u64 now_ns);
enum tl_outcome tl_correlate_call_received(struct tl_call *call, struct tl_thread *thread,
					   struct tl_request *owner, u64 now_ns,
					   u64 *loss);
bool tl_correlate_call_done(struct tl_call *call, struct tl_call_sum *stray);

#endif
