// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the time of the front tier's requests goes
 *
 * In a tree of calls that wait for each other, a response time is the sum of
 *   - the own times of all tiers below,
 *   - for each call within the host, what the caller waited longer than the callee
 *     worked: the wire, accept queues, scheduling ("between tiers"),
 *   - the whole of the calls that leave the host ("outside").
 * Means per request of the front tier, so each tier's own time is multiplied by
 * how often a front request comes there. A tier that also serves others counts
 * with the part of its requests that the front caused: what its callers' parts
 * and calls say, divided by its count. Calls made at the same time overlap, and
 * the layers then add up to more than the response time.
 */
#include "flow.h"

#include "figures.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>

/* The tier that nobody here calls and that most waiting passes through. */
static int front_find(const struct tl_interval *total)
{
	unsigned int *depth = calloc(total->n_tiers + 1, sizeof(*depth));
	struct tl_cell sum;
	u64 most = 0;
	int front = -1;
	size_t i;

	if (!depth)
		return -ENOMEM;
	tl_tier_depths(total, depth);
	for (i = 0; i < total->n_tiers; i++) {
		tl_tier_sum(&total->tiers[i], &sum);
		if (depth[i] || sum.response_ns <= most)
			continue;
		most = sum.response_ns;
		front = (int)i;
	}
	free(depth);
	return front;
}

static u64 count_of(const struct tl_tier *tier)
{
	u64 count = 0;
	size_t i;

	for (i = 0; i < tier->n_cells; i++)
		count += tier->cells[i].count;
	return count;
}

/* One more step down from the front; a circle of tiers ends with the steps. */
static void parts_step(const struct tl_flow *flow, double *next)
{
	const struct tl_interval *total = flow->total;
	double count;
	size_t i;

	memset(next, 0, flow->n * sizeof(*next));
	next[flow->front] = 1;
	for (i = 0; i < total->n_edges; i++) {
		int from = tl_tier_index(total, total->edges[i].tier);
		int to = tl_tier_index(total, total->edges[i].peer_tier);

		if (from < 0 || to < 0 || to == flow->front)
			continue;
		count = (double)count_of(&total->tiers[to]);
		if (count > 0)
			next[to] +=
				flow->part[from] * (double)total->edges[i].calls / count;
	}
	for (i = 0; i < flow->n; i++)
		flow->part[i] = min(next[i], 1.0);
}

/**
 * tl_flow_make() - Find the front tier and what it causes
 * @flow: filled in, to be given to tl_flow_free()
 * @total: sum of many intervals; must outlive @flow
 *
 * Return: 0, also without any front tier, or -ENOMEM.
 */
int tl_flow_make(struct tl_flow *flow, const struct tl_interval *total)
{
	double *next = calloc(total->n_tiers + 1, sizeof(*next));
	size_t i;

	*flow = (struct tl_flow){ .total = total, .n = total->n_tiers };
	flow->part = calloc(flow->n + 1, sizeof(*flow->part));
	flow->front = front_find(total);
	if (!next || !flow->part || flow->front == -ENOMEM) {
		free(next);
		tl_flow_free(flow);
		return -ENOMEM;
	}
	if (flow->front >= 0)
		flow->part[flow->front] = 1;
	for (i = 0; i < flow->n && flow->front >= 0; i++)
		parts_step(flow, next);
	free(next);
	return 0;
}

/**
 * tl_flow_free() - Free what tl_flow_make() allocated
 * @flow: the flow
 */
void tl_flow_free(struct tl_flow *flow)
{
	free(flow->part);
	flow->part = NULL;
}

/* What the calls of an edge add: seconds, for all of them. */
static void edge_add(const struct tl_flow *flow, const struct tl_interval *interval,
		     const struct tl_edge *edge, double *layer)
{
	int from = tl_tier_index(flow->total, edge->tier);
	int to = tl_tier_index(interval, edge->peer_tier);
	double part = from < 0 ? 0 : flow->part[from], time_s = tl_ns_to_s(edge->time_ns);
	struct tl_cell callee;

	if (to < 0) {
		layer[flow->n + TL_LAYER_OUTSIDE] += part * time_s;
		return;
	}
	tl_tier_sum(&interval->tiers[to], &callee);
	if (callee.count)
		time_s -= tl_ns_to_s(callee.response_ns) / (double)callee.count *
			  (double)edge->calls;
	layer[flow->n + TL_LAYER_BETWEEN] += part * time_s;
}

/**
 * tl_flow_layers() - What a mean response of the front tier is made up of
 * @flow: the flow
 * @interval: one interval of @flow's total, or several
 * @layer: filled in, seconds: own time of each of the @n tiers, then enum tl_layer
 *
 * Return: the front tier's mean response time in seconds; negative if it answered
 * no request, with @layer then undefined.
 */
double tl_flow_layers(const struct tl_flow *flow, const struct tl_interval *interval,
		      double *layer)
{
	struct tl_cell front = { 0 }, sum;
	int at;
	size_t i;

	memset(layer, 0, (flow->n + TL_LAYERS) * sizeof(*layer));
	at = flow->front < 0 ?
		     -1 :
		     tl_tier_index(interval, flow->total->tiers[flow->front].name);
	if (at >= 0)
		tl_tier_sum(&interval->tiers[at], &front);
	if (!front.count)
		return -1;
	for (i = 0; i < interval->n_tiers; i++) {
		at = tl_tier_index(flow->total, interval->tiers[i].name);
		tl_tier_sum(&interval->tiers[i], &sum);
		if (at >= 0)
			layer[at] = flow->part[at] * max(tl_cell_own_s(&sum), 0.0) * (double)sum.count;
	}
	for (i = 0; i < interval->n_edges; i++)
		edge_add(flow, interval, &interval->edges[i], layer);
	for (i = 0; i < flow->n + TL_LAYERS; i++)
		layer[i] = max(layer[i], 0.0) / (double)front.count;
	return tl_ns_to_s(front.response_ns) / (double)front.count;
}
