/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_FLEET_NETWORK_H
#define TL_FLEET_NETWORK_H

#include "fleet/fleet.h"

/* What may be said of the time on the way. */
enum tl_fleet_verdict {
	TL_FLEET_KNOWN,
	TL_FLEET_MEAN, /* of all callers of the tier alike: whose requests took how long is not known */
	TL_FLEET_OTHERS, /* it had more requests than calls that are known: some of its callers are not */
	TL_FLEET_MISSING, /* it had fewer: some were not seen there */
	TL_FLEET_UNSEEN, /* the peer is no tier that is known */
	TL_FLEET_VERDICTS
};

/**
 * struct tl_fleet_link - Calls of a tier to another one, or to an endpoint
 * @from: the caller's name in the fleet; NULL for calls of no request that was found
 * @to: the tier's name, or the endpoint
 * @kind: what the peer is
 * @calls: with @time_s in all, as the caller says
 * @requests: of the peer, from whomever, with @response_s in all
 * @callers: of that tier
 * @network_s: mean of a call less mean of a request; NAN if it is not known, as are its bounds
 * @square, @cross, @weight: of windows, for the bounds
 */
struct tl_fleet_link {
	char *from, *to;
	enum tl_peer_kind kind;
	enum tl_fleet_verdict verdict;
	u64 calls, requests;
	size_t callers, windows;
	double time_s, response_s, network_s, low95_s, high95_s;
	double square, cross, weight;
};

/**
 * struct tl_fleet_figures - A time of a fleet
 * @total: sum of the windows
 */
struct tl_fleet_figures {
	struct tl_fleet *fleet;
	struct tl_interval *total;
	struct tl_fleet_link *link;
	size_t n_links, windows;
};

int tl_fleet_figures_read(struct tl_fleet_figures *figures, const char *url, struct tl_error *err);
void tl_fleet_figures_free(struct tl_fleet_figures *figures);
extern const char *const tl_fleet_verdict_names[TL_FLEET_VERDICTS];

/* out.c */
void tl_fleet_hosts_print(const struct tl_fleet *fleet);
json_t *tl_fleet_hosts_json(const struct tl_fleet *fleet);
int tl_fleet_print(const struct tl_fleet_figures *figures);
json_t *tl_fleet_json(const struct tl_fleet_figures *figures);

#endif
