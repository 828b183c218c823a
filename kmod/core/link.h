/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CORE_LINK_H
#define TL_CORE_LINK_H

#include "correlate.h"

/*
 * What the two ends of a connection tell each other when both are on this host.
 * The caller's end writes the first part, the callee's end the second.
 */
struct tl_link {
	u64 call; /* number of the caller's call */
	u64 called_ns; /* its first byte */
	u32 class; /* of the request that made it; 0: none known */
	u32 node; /* of that request, in the tree of paths; 0: none known */

	u64 served; /* number of the call that the following are of */
	u64 open_ns;
	u64 last_ns; /* 0: not answered yet */
	bool interim; /* but that it will be has been said */
};

void tl_link_called(struct tl_link *link, const struct tl_request *owner, u64 now_ns);
void tl_link_opened(struct tl_link *link, struct tl_request *request);
void tl_link_unopened(struct tl_link *link, const struct tl_request *request);
void tl_link_answered(struct tl_link *link, const struct tl_request *request);
void tl_link_promised(struct tl_link *link);
bool tl_link_interim(const struct tl_link *link);
bool tl_link_transit(const struct tl_link *link, const struct tl_call *call, u64 *ns);

#endif
