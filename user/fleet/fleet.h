/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_FLEET_FLEET_H
#define TL_FLEET_FLEET_H

#include "daemon/metrics.h"

#include <jansson.h>

#define TL_FLEET_HOSTS_MOST 1000
#define TL_FLEET_ROWS_MOST 200000
#define TL_FLEET_AGREE 0.02 /* calls and requests that differ by less are the same */

struct tl_error;
struct tl_prom;

/**
 * struct tl_fleet_settings - What a store is asked, and how; given by options that every reader has
 * @url: of the store, until it stands among the files
 * @selector: which series, as between braces; NULL for all of tierlensd
 * @host_label: that tells hosts apart; NULL for "instance"
 * @step_s: length of windows; 0 for one that suits the time
 */
struct tl_fleet_settings {
	const char *url, *token_file, *ca, *selector, *host_label;
	u64 step_s;
};

extern struct tl_fleet_settings tl_fleet_settings;

/* What a caller's peer is, as far as the hosts' own words tell. */
enum tl_peer_kind {
	TL_PEER_HERE, /* a tier of the same host */
	TL_PEER_THERE, /* a tier of another one */
	TL_PEER_NO_TIER, /* a host that is known, and none of its tiers listens there */
	TL_PEER_OUTSIDE, /* no host has that address */
	TL_PEER_CLAIMED, /* several hosts have it */
	TL_PEER_SHARED, /* several tiers of the host listen there */
	TL_PEER_MORE, /* endpoints for which there was no room */
	TL_PEER_KINDS
};

/**
 * struct tl_fleet_tier - A tier of a host
 * @name: on its host; @as: in the fleet, with the host if several have one of that name
 */
struct tl_fleet_tier {
	char *name, *as;
};

struct tl_fleet_endpoint {
	char *tier, *at;
};

/**
 * struct tl_fleet_host - Who tells about itself
 * @label: as the store names it, @name: without the port if that is enough
 * @version: of tierlensd
 * @first_row: of its rows, @end_row: behind the last one
 * @alive: there is something that what comes next can be held against
 * @last_s: time of the last sample, by the store's clock; @first_s: of the first
 * @late: steps since then
 * @gap_s: time of which nothing is known, @resets: tierlensd began anew, @intervals: it told of
 * @missed: intervals that it missed, @lost: events that the module lost, by kind
 */
struct tl_fleet_host {
	char *label, *name, *version;
	struct tl_fleet_tier *tier;
	struct tl_fleet_endpoint *endpoint;
	char **address;
	size_t n_tiers, n_endpoints, n_addresses, first_row, end_row;
	bool alive;
	double first_s, last_s, gap_s;
	u64 late, resets, gone, intervals, missed, lost[TL_LOSSES];
};

/**
 * struct tl_fleet_row - Figures of a host with the same labels
 * @label: as the kind of row has them; behind @value in the same piece of memory
 * @was: [@columns] when its host was looked at last; NAN for not at all
 * @value: [@columns] for each step of the part of time that is in hand
 */
struct tl_fleet_row {
	enum tl_rows_kind kind;
	size_t host;
	const char *label[TL_METRIC_LABELS];
	unsigned int columns;
	double *was, *value;
};

/* Of a tier, up to now. */
struct tl_fleet_sum {
	char *tier;
	double requests, calls;
};

/**
 * struct tl_fleet - Hosts whose figures are read from a store, and joined
 * @from_s: first step, @to_s: last one; @step_s
 * @at_s: next step, @begin_s: the first one of the part in hand, of @steps
 * @steps_most: that the next part may have, @values: that there is room for in this one
 * @sampled: [@n_hosts * @steps] when the sample was taken that a step shows; NAN for none
 * @pending: of steps since the last interval was handed out, @pending_s their beginning
 * @sum: [@n_sums] of the windows that were handed out
 * @bad: values that are none
 */
struct tl_fleet {
	struct tl_prom *prom;
	char *selector;
	const char *host_label;
	struct tl_fleet_host *host;
	struct tl_fleet_row **row;
	size_t n_hosts, n_rows, steps, steps_most, values;
	void *tree; /* of tsearch(), by host, kind and labels */
	double from_s, to_s, step_s, at_s, begin_s, pending_s, *sampled;
	struct tl_interval *pending;
	struct tl_fleet_sum *sum;
	size_t n_sums;
	u64 generation, bad;
	char warning[600];
};

int tl_fleet_open(struct tl_fleet **fleet, const char *url, u64 from_ns, u64 to_ns, struct tl_error *err);
void tl_fleet_close(struct tl_fleet *fleet);
int tl_fleet_next(struct tl_fleet *fleet, struct tl_interval **interval, struct tl_error *err);
const char *tl_fleet_warning(struct tl_fleet *fleet);

/* hosts.c: who is there, and by what names. */
int tl_fleet_hosts_read(struct tl_fleet *fleet, struct tl_error *err);
void tl_fleet_hosts_free(struct tl_fleet *fleet);
struct tl_fleet_host *tl_fleet_host(const struct tl_fleet *fleet, const char *label);
const char *tl_fleet_tier_as(const struct tl_fleet_host *host, const char *tier);
size_t tl_fleet_host_of(const struct tl_fleet *fleet, const char *as);

/* chunk.c: a part of the time, from the store. */
int tl_fleet_chunk(struct tl_fleet *fleet, struct tl_error *err);
void tl_fleet_rows_free(struct tl_fleet *fleet);

/* sums.c: what was added between two looks. */
int tl_fleet_sums(struct tl_fleet *fleet, size_t host, size_t step, struct tl_interval *to);

/* peer.c */
enum tl_peer_kind tl_fleet_peer(const struct tl_fleet *fleet, size_t host, const char *peer, const char *peer_tier,
				const char **as);
extern const char *const tl_peer_names[TL_PEER_KINDS];

/* paths.c */
int tl_fleet_paths(struct tl_interval *interval, const bool *direct);

/* reply.c: what is in an answer, and nothing else. */
typedef int tl_fleet_series_fn(json_t *labels, json_t *values, void *arg, struct tl_error *err);
int tl_fleet_range(struct tl_fleet *fleet, const char *query, double begin_s, double end_s, tl_fleet_series_fn *fn,
		   void *arg, struct tl_error *err);
int tl_fleet_labels(struct tl_fleet *fleet, const char *names, tl_fleet_series_fn *fn, void *arg, struct tl_error *err);
bool tl_fleet_sample(json_t *pair, double *t_s, double *value);
const char *tl_fleet_label(json_t *labels, const char *name);

#endif
