// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * By what others know this host and its tiers
 *
 * A caller on another host knows only the address and the port that it called. With what stands here somebody who
 * reads the metrics of both hosts can tell whose tier that was.
 */
#include "daemon/where.h"

#include "daemon/metrics.h"
#include "error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>

/* Return: the address as bytes if others can reach it; every host has the loopback's and its links' own. */
static const void *reachable(const struct sockaddr *from)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)from;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)from;

	if (!from)
		return NULL;
	if (from->sa_family == AF_INET && ntohl(four->sin_addr.s_addr) >> 24 != IN_LOOPBACKNET)
		return &four->sin_addr;
	if (from->sa_family == AF_INET6 && !IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) && !IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr))
		return &six->sin6_addr;
	return NULL;
}

static void address_add(struct tl_where *where, const struct ifaddrs *interface)
{
	const void *bytes = reachable(interface->ifa_addr);
	char *to = where->address[where->addresses];
	size_t i;

	if (!bytes || !inet_ntop(interface->ifa_addr->sa_family, bytes, to, INET6_ADDRSTRLEN))
		return;
	for (i = 0; i < where->addresses; i++)
		if (!strcmp(where->address[i], to))
			return;
	where->addresses++;
}

/**
 * tl_where_read() - Ask for the host's addresses, and where its tiers listen
 * @where: filled in, to be given to tl_where_free()
 * @ctl: the kernel
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_where_read(struct tl_where *where, struct tl_ctl *ctl, struct tl_error *err)
{
	struct ifaddrs *list, *one;
	int code;

	*where = (struct tl_where){ 0 };
	code = tl_ctl_tiers(ctl, &where->tier, &where->tiers, err);
	if (code)
		return code;
	/* Without any, peers stay unknown to those who ask: that is said there. */
	if (getifaddrs(&list))
		return 0;
	for (one = list; one && where->addresses < TL_ADDRESSES_MOST; one = one->ifa_next)
		address_add(where, one);
	freeifaddrs(list);
	return 0;
}

/**
 * tl_where_free() - Free what tl_where_read() allocated
 * @where: where
 */
void tl_where_free(struct tl_where *where)
{
	free(where->tier);
	*where = (struct tl_where){ 0 };
}

static int shown(struct tl_metrics *metrics, enum tl_rows_kind kind, const char *const *labels)
{
	struct tl_metric_row *row = tl_metrics_row(metrics, kind, labels);

	if (!row)
		return -ENOMEM;
	tl_metric_gauge(row, 0, 1);
	return 0;
}

/**
 * tl_where_show() - Put it among the metrics, in the place of what was there
 * @where: where
 * @metrics: metrics
 * @now_ns: on the monotonic clock
 *
 * Return: 0 or -ENOMEM.
 */
int tl_where_show(const struct tl_where *where, struct tl_metrics *metrics, u64 now_ns)
{
	char port[16];
	int code = 0;
	size_t i;

	metrics->now_ns = now_ns;
	for (i = 0; i < where->tiers && !code; i++) {
		const struct tl_tier_info *tier = &where->tier[i];

		snprintf(port, sizeof(port), "%u", tier->port);
		code = shown(metrics, TL_ROWS_ENDPOINT,
			     (const char *const[]){ tier->name, tier->path[0] ? tier->path : port });
	}
	for (i = 0; i < where->addresses && !code; i++)
		code = shown(metrics, TL_ROWS_ADDRESS, (const char *const[]){ where->address[i] });
	tl_metrics_drop_old(metrics, TL_ROWS_ENDPOINT);
	tl_metrics_drop_old(metrics, TL_ROWS_ADDRESS);
	return code;
}
