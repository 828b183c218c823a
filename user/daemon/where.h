/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_WHERE_H
#define TL_DAEMON_WHERE_H

#include "ctl.h"

#include <netinet/in.h>

#define TL_ADDRESSES_MOST 64

struct tl_metrics;

/**
 * struct tl_where - By what others know this host and its tiers
 * @tier: [@tiers] where they listen
 * @address: [@addresses] of the host, as text
 */
struct tl_where {
	struct tl_tier_info *tier;
	size_t tiers, addresses;
	char address[TL_ADDRESSES_MOST][INET6_ADDRSTRLEN];
};

int tl_where_read(struct tl_where *where, struct tl_ctl *ctl, struct tl_error *err);
void tl_where_free(struct tl_where *where);
int tl_where_show(const struct tl_where *where, struct tl_metrics *metrics, u64 now_ns);

#endif
