// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Time on the network between tiers
 *
 * The caller's host says how long calls took, the peer's host how long requests did. What lies between is the way
 * there and back: mean of the calls less mean of the requests. Each is a length of time on one clock, so clocks of
 * different hosts are never compared. Its bounds come from how much it differs from window to window (a ratio
 * estimator's linearised variance, windows weighted by their calls).
 */
#include "fleet/network.h"

#include "error.h"
#include "model/estimate.h"
#include "recording.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define WINDOWS_LEAST 5

const char *const tl_fleet_verdict_names[TL_FLEET_VERDICTS] = {
	[TL_FLEET_KNOWN] = "known",	[TL_FLEET_MEAN] = "mean_of_callers", [TL_FLEET_OTHERS] = "other_callers",
	[TL_FLEET_MISSING] = "missing", [TL_FLEET_UNSEEN] = "unseen",
};

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static struct tl_fleet_link *link_find(struct tl_fleet_figures *figures, const char *from, const char *to)
{
	struct tl_fleet_link *link;
	size_t i;

	for (i = 0; i < figures->n_links; i++)
		if (same(figures->link[i].from, from) && same(figures->link[i].to, to))
			return &figures->link[i];
	link = tl_array_append((void **)&figures->link, &figures->n_links, sizeof(*link));
	if (!link)
		return NULL;
	link->from = from ? strdup(from) : NULL;
	link->to = strdup(to);
	return link->to && (link->from || !from) ? link : NULL;
}

/* As the one who reads a peer's text again: the host stands behind it if every host has that address. */
static enum tl_peer_kind kind_of(const struct tl_fleet *fleet, const struct tl_edge *edge)
{
	size_t host = edge->tier ? tl_fleet_host_of(fleet, edge->tier) : SIZE_MAX, peer;
	const char *as, *at = strchr(edge->peer, '@');

	peer = edge->peer_tier ? tl_fleet_host_of(fleet, edge->peer_tier) : SIZE_MAX;
	if (edge->peer_tier)
		return peer == host || host == SIZE_MAX ? TL_PEER_HERE : TL_PEER_THERE;
	if (at || host == SIZE_MAX)
		host = 0;
	return at ? TL_PEER_NO_TIER : tl_fleet_peer(fleet, host, edge->peer, "", &as);
}

static int edge_add(struct tl_fleet_figures *figures, const struct tl_edge *edge)
{
	struct tl_fleet_link *link = link_find(figures, edge->tier, edge->peer_tier ? edge->peer_tier : edge->peer);

	if (!link)
		return -ENOMEM;
	link->kind = kind_of(figures->fleet, edge);
	link->calls += edge->calls;
	link->time_s += tl_ns_to_s(edge->time_ns);
	return 0;
}

static void tier_sums(const struct tl_interval *interval, const char *name, u64 *requests, double *response_s)
{
	size_t i, k;

	*requests = 0;
	*response_s = 0;
	for (i = 0; i < interval->n_tiers; i++)
		for (k = 0; k < interval->tiers[i].n_cells && !strcmp(interval->tiers[i].name, name); k++) {
			*requests += interval->tiers[i].cells[k].count;
			*response_s += tl_ns_to_s(interval->tiers[i].cells[k].response_ns);
		}
}

static bool is_tier(const struct tl_fleet_link *link)
{
	return link->kind == TL_PEER_HERE || link->kind == TL_PEER_THERE;
}

/* Calls of a link and their time in an interval. */
static void link_sums(const struct tl_interval *interval, const struct tl_fleet_link *link, double *calls, double *time_s)
{
	size_t i;

	*calls = *time_s = 0;
	for (i = 0; i < interval->n_edges; i++) {
		const struct tl_edge *e = &interval->edges[i];

		if (!same(e->tier, link->from) || !same(e->peer_tier, link->to))
			continue;
		*calls += (double)e->calls;
		*time_s += tl_ns_to_s(e->time_ns);
	}
}

/* What a window says of a link. */
static void window_add(struct tl_fleet_link *link, const struct tl_interval *interval)
{
	double calls, time_s, response_s, network_s;
	u64 requests;

	link_sums(interval, link, &calls, &time_s);
	tier_sums(interval, link->to, &requests, &response_s);
	if (calls <= 0 || !requests)
		return;
	network_s = time_s / calls - response_s / (double)requests;
	link->windows++;
	link->weight += calls * calls;
	link->cross += calls * calls * network_s;
	link->square += calls * calls * network_s * network_s;
}

static int interval_add(struct tl_fleet_figures *figures, const struct tl_interval *interval)
{
	size_t i;

	figures->windows++;
	for (i = 0; i < interval->n_edges; i++)
		if (interval->edges[i].calls && edge_add(figures, &interval->edges[i]))
			return -ENOMEM;
	for (i = 0; i < figures->n_links; i++)
		if (is_tier(&figures->link[i]))
			window_add(&figures->link[i], interval);
	return tl_interval_add(figures->total, interval);
}

static enum tl_fleet_verdict judge(const struct tl_fleet_figures *figures, struct tl_fleet_link *link)
{
	double calls = 0, requests = (double)link->requests;
	size_t i;

	if (!is_tier(link))
		return TL_FLEET_UNSEEN;
	for (i = 0; i < figures->n_links; i++)
		if (same(figures->link[i].to, link->to)) {
			calls += (double)figures->link[i].calls;
			link->callers++;
		}
	if (calls > requests + TL_FLEET_AGREE * requests)
		return TL_FLEET_MISSING;
	if (calls < requests - TL_FLEET_AGREE * requests)
		return TL_FLEET_OTHERS;
	return link->callers > 1 ? TL_FLEET_MEAN : TL_FLEET_KNOWN;
}

static void link_end(const struct tl_fleet_figures *figures, struct tl_fleet_link *link)
{
	double n = (double)link->windows, m, error;

	link->network_s = link->low95_s = link->high95_s = NAN;
	if (is_tier(link))
		tier_sums(figures->total, link->to, &link->requests, &link->response_s);
	link->verdict = judge(figures, link);
	if (!is_tier(link) || !link->requests || !link->calls)
		return;
	m = link->network_s = link->time_s / (double)link->calls - link->response_s / (double)link->requests;
	if (link->windows < WINDOWS_LEAST)
		return;
	error = sqrt(max(link->square - 2 * m * link->cross + m * m * link->weight, 0.0) * n / (n - 1)) / (double)link->calls;
	link->low95_s = m - tl_student95(n - 1) * error;
	link->high95_s = m + tl_student95(n - 1) * error;
}

/**
 * tl_fleet_figures_read() - Read all windows of a fleet
 * @figures: filled in, to be given to tl_fleet_figures_free(), after an error too
 * @url: of the store
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_fleet_figures_read(struct tl_fleet_figures *figures, const char *url, struct tl_error *err)
{
	const struct tl_while *span = &tl_recording_while;
	struct tl_interval *interval;
	size_t i;
	int code;

	*figures = (struct tl_fleet_figures){ .total = tl_interval_new() };
	if (!figures->total)
		return tl_error_no_memory(err);
	code = tl_fleet_open(&figures->fleet, url, span->from_ns, span->to_ns, err);
	if (code)
		return code;
	while ((code = tl_fleet_next(figures->fleet, &interval, err)) > 0) {
		code = interval_add(figures, interval);
		tl_interval_free(interval);
		if (code)
			return tl_error_no_memory(err);
	}
	for (i = 0; !code && i < figures->n_links; i++)
		link_end(figures, &figures->link[i]);
	return code;
}

/**
 * tl_fleet_figures_free() - Free them
 * @figures: figures
 */
void tl_fleet_figures_free(struct tl_fleet_figures *figures)
{
	size_t i;

	for (i = 0; i < figures->n_links; i++) {
		free(figures->link[i].from);
		free(figures->link[i].to);
	}
	free(figures->link);
	tl_interval_free(figures->total);
	tl_fleet_close(figures->fleet);
}
