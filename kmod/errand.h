/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ERRAND_H
#define TL_ERRAND_H

#include "conn.h"

struct tl_request_ref tl_errand_new(u64 now_ns);
void tl_errand_use(struct tl_request *errand);
void tl_errand_unuse(struct tl_request *errand);
void tl_errand_put_used(struct tl_request_ref ref);
void tl_errand_times(struct tl_request_ref errand, u64 *begin_ns, u64 *last_ns);
bool tl_errand_adopt(struct tl_server *server, struct tl_request_ref errand, u8 by);
struct tl_request_ref tl_errand_adopter(struct tl_request_ref errand);

/**
 * tl_errand_put() - End a use
 * @ref: what was used; empty, a request's or an errand's
 *
 * Context: task, interrupts off; no server's lock is held.
 */
static inline void tl_errand_put(struct tl_request_ref ref)
{
	/* Only an errand's flag and sequence stay what they are while it is used. */
	if (ref.request && READ_ONCE(ref.request->errand))
		tl_errand_put_used(ref);
}

/**
 * tl_errand_became() - The request that an errand was added to
 * @ref: what was an errand, perhaps, and is still used
 *
 * Context: task, interrupts off; no server's lock is held.
 * Return: that request, or @ref itself.
 */
static inline struct tl_request_ref tl_errand_became(struct tl_request_ref ref)
{
	return ref.request && READ_ONCE(ref.request->errand) ? tl_errand_adopter(ref) : ref;
}

#endif
