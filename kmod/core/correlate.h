/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CORE_CORRELATE_H
#define TL_CORE_CORRELATE_H

#include "request.h"

/* What became of an event; that of an errand's is known when its request is. */
enum tl_outcome { TL_ATTRIBUTED, TL_UNATTRIBUTED, TL_IGNORED, TL_DEFERRED };

enum tl_call_state { TL_CALL_NONE, TL_CALL_CONNECTED, TL_CALL_SENDING, TL_CALL_REPLYING };

/* The call of a client-side connection. */
struct tl_call {
	struct tl_request_ref owner;
	u32 peer;
	u8 state; /* enum tl_call_state */
	u8 by; /* enum tl_by */
	u8 outside; /* made by a program that serves nobody */
	u8 counted; /* in its owner's sums */
	u8 joined; /* the same, as one whose other end was seen */
	u64 start_ns;
	u64 last_ns;
	u64 transit_ns; /* counted so far */
	u64 bytes_out; /* not counted yet */
	u64 bytes_in; /* the same: received while it had no owner */
};

struct tl_thread {
	struct tl_request_ref current_request;
	u8 by; /* how it became current */
	u8 serves; /* has received a request */
	u8 answers; /* has answered a request that another thread had received */
	u8 mixed; /* has received for several at once: nobody is current */
	u8 dispatches; /* is an event loop */
	u8 multiplexes; /* has taken a request before it had answered another one */
	struct tl_thread *process; /* whose serves counts for all its threads */
};

/* Whether a thread, or its process, has ever received a request. */
static inline bool tl_correlate_serves(const struct tl_thread *thread)
{
	return thread->serves || thread->process->serves;
}

struct tl_link;

bool tl_correlate_request_ends(struct tl_request *request, u64 *loss);
void tl_correlate_request_received(struct tl_request *request, struct tl_thread *thread, u64 now_ns,
				   u64 bytes);
void tl_correlate_request_traced(struct tl_request *request, struct tl_thread *thread, u64 now_ns,
				 u64 bytes);
enum tl_outcome tl_correlate_response_sent(struct tl_request *request, u64 now_ns,
					   u64 bytes, bool interim, u64 *loss);

struct tl_request_ref tl_correlate_call_owner(const struct tl_call *call,
					      const struct tl_thread *thread);
bool tl_correlate_outside(const struct tl_call *call, const struct tl_thread *thread);
void tl_correlate_connected(struct tl_call *call, struct tl_request *owner, u64 now_ns);
enum tl_outcome tl_correlate_call_sent(struct tl_call *call, struct tl_thread *thread,
				       struct tl_request *owner, u64 now_ns, u64 bytes);
enum tl_outcome tl_correlate_call_received(struct tl_call *call, struct tl_thread *thread,
					   struct tl_request *owner,
					   const struct tl_link *link, bool interim,
					   u64 now_ns, u64 bytes, u64 *loss);
bool tl_correlate_call_done(struct tl_call *call, struct tl_call_sum *stray);
bool tl_correlate_call_idle(struct tl_call *call, u64 now_ns, u64 idle_ns);
void tl_correlate_dispatched(struct tl_thread *thread);

#endif
