// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whose tier a caller's peer is
 *
 * Nothing is guessed: an endpoint belongs to a tier of another host if exactly one host has that address and exactly
 * one of its tiers listens there. Behind an address that is translated, and behind one of a load balancer that is not
 * measured, nobody here is known to listen.
 */
#include "fleet/fleet.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

const char *const tl_peer_names[TL_PEER_KINDS] = {
	[TL_PEER_HERE] = "here",       [TL_PEER_THERE] = "there",   [TL_PEER_NO_TIER] = "no_tier", [TL_PEER_OUTSIDE] = "outside",
	[TL_PEER_CLAIMED] = "claimed", [TL_PEER_SHARED] = "shared", [TL_PEER_MORE] = "more",
};

struct address {
	struct in6_addr bytes;
};

/* IPv4 as it stands in IPv6. */
static bool address_read(const char *text, struct address *address)
{
	u8 *bytes = address->bytes.s6_addr;

	if (inet_pton(AF_INET6, text, bytes) == 1)
		return true;
	memset(bytes, 0, 10);
	bytes[10] = bytes[11] = 0xff;
	return inet_pton(AF_INET, text, bytes + 12) == 1;
}

static bool is_loopback(const struct address *address)
{
	const u8 *bytes = address->bytes.s6_addr;

	return IN6_IS_ADDR_LOOPBACK(&address->bytes) || (IN6_IS_ADDR_V4MAPPED(&address->bytes) && bytes[12] == 127);
}

/* "10.0.0.2:80", "[::1]:80" */
static bool peer_read(const char *peer, struct address *address, char *port, size_t room)
{
	const char *colon = strrchr(peer, ':');
	char text[INET6_ADDRSTRLEN];
	size_t len = colon ? (size_t)(colon - peer) : 0;

	if (len >= 2 && peer[0] == '[' && peer[len - 1] == ']') {
		peer++;
		len -= 2;
	}
	if (!len || len >= sizeof(text) || strlen(colon + 1) >= room)
		return false;
	memcpy(text, peer, len);
	text[len] = '\0';
	strcpy(port, colon + 1);
	return address_read(text, address);
}

static bool has(const struct tl_fleet_host *host, const struct address *address)
{
	struct address own;
	size_t i;

	for (i = 0; i < host->n_addresses; i++)
		if (address_read(host->address[i], &own) && !memcmp(&own, address, sizeof(own)))
			return true;
	return false;
}

/* The only one. Return: index, SIZE_MAX for none; several are counted in @claims. */
static size_t whose(const struct tl_fleet *fleet, const struct address *address, unsigned int *claims)
{
	size_t i, found = SIZE_MAX;

	for (i = 0, *claims = 0; i < fleet->n_hosts; i++)
		if (has(&fleet->host[i], address)) {
			++*claims;
			found = i;
		}
	return found;
}

static enum tl_peer_kind at_port(const struct tl_fleet_host *host, const char *port, bool here, const char **as)
{
	const char *tier = NULL;
	size_t i;

	for (i = 0; i < host->n_endpoints; i++) {
		if (strcmp(host->endpoint[i].at, port))
			continue;
		if (tier && strcmp(tier, host->endpoint[i].tier))
			return TL_PEER_SHARED;
		tier = host->endpoint[i].tier;
	}
	*as = tier ? tl_fleet_tier_as(host, tier) : NULL;
	return !tier ? TL_PEER_NO_TIER : here ? TL_PEER_HERE : TL_PEER_THERE;
}

/**
 * tl_fleet_peer() - Whose tier a peer is
 * @fleet: fleet
 * @host: index of the caller's host
 * @peer: endpoint as the caller's host tells it
 * @peer_tier: the tier there, if that host knows it, else ""
 * @as: set to the tier's name in the fleet, NULL if it is not known
 *
 * Return: what the peer is.
 */
enum tl_peer_kind tl_fleet_peer(const struct tl_fleet *fleet, size_t host, const char *peer, const char *peer_tier,
				const char **as)
{
	struct address address;
	unsigned int claims;
	char port[8];
	size_t at;

	*as = NULL;
	if (*peer_tier) {
		*as = tl_fleet_tier_as(&fleet->host[host], peer_tier);
		*as = *as ? *as : peer_tier;
		return TL_PEER_HERE;
	}
	if (!strcmp(peer, "more") || !strcmp(peer, "other"))
		return TL_PEER_MORE;
	if (!peer_read(peer, &address, port, sizeof(port)))
		return TL_PEER_OUTSIDE;
	if (is_loopback(&address))
		return at_port(&fleet->host[host], port, true, as);
	at = whose(fleet, &address, &claims);
	if (claims > 1)
		return TL_PEER_CLAIMED;
	return at == SIZE_MAX ? TL_PEER_OUTSIDE : at_port(&fleet->host[at], port, at == host, as);
}
