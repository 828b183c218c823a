// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intervals in memory
 *
 * One type for the kernel's answer, a line of a recording and the sum of many of
 * either. Times stay integers of nanoseconds until they are printed, so that
 * sums can be compared for equality.
 */
#include "table.h"

#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *const tl_event_names[TL_EVENTS] = {
	[TL_EVENT_SEEN] = "seen",
	[TL_EVENT_ATTRIBUTED] = "attributed",
	[TL_EVENT_UNATTRIBUTED] = "unattributed",
	[TL_EVENT_IGNORED] = "ignored",
};

const char *const tl_loss_names[TL_LOSSES] = {
	[TL_LOSS_CONNECTIONS_FULL] = "connections_full",
	[TL_LOSS_THREADS_FULL] = "threads_full",
	[TL_LOSS_CELLS_FULL] = "cells_full",
	[TL_LOSS_TIERS_FULL] = "tiers_full",
	[TL_LOSS_PEERS_FULL] = "peers_full",
	[TL_LOSS_CALLS_FULL] = "calls_full",
	[TL_LOSS_LATE] = "late",
	[TL_LOSS_QUIET] = "quiet",
	[TL_LOSS_UNANSWERED] = "unanswered",
	[TL_LOSS_PUSH] = "push",
	[TL_LOSS_AMBIGUOUS] = "ambiguous",
	[TL_LOSS_PATHS_FULL] = "paths_full",
	[TL_LOSS_HANDOFFS_DROPPED] = "handoffs_dropped",
	[TL_LOSS_PROBES_MISSED] = "probes_missed",
};

/**
 * tl_loss_is_note() - Whether a counter tells of traffic that is like that
 * @loss: which
 *
 * A database's greeting answers nothing and its Quit is never answered; that is worth
 * knowing, but no figure is wrong for it. Ambiguous requests are no such note: several
 * were counted as one that took as long as all of them.
 */
bool tl_loss_is_note(int loss)
{
	return loss == TL_LOSS_QUIET || loss == TL_LOSS_UNANSWERED || loss == TL_LOSS_PUSH;
}

static size_t add_losses(char *text, size_t size, const uint64_t *losses, bool notes)
{
	size_t used = 0;
	int i;

	for (i = 0; i < TL_LOSSES && used < size; i++)
		if (losses[i] && tl_loss_is_note(i) == notes)
			used += (size_t)snprintf(text + used, size - used, "%s%s %" PRIu64,
						 used ? ", " : "", tl_loss_names[i],
						 losses[i]);
	return used;
}

/**
 * tl_losses_text() - Losses, then what is only noted, for people
 * @text: filled
 * @size: of @text, 1024 is plenty
 * @losses: counters
 */
void tl_losses_text(char *text, size_t size, const uint64_t *losses)
{
	char lost[768], noted[256];

	if (!add_losses(lost, sizeof(lost), losses, false))
		strcpy(lost, "none");
	if (add_losses(noted, sizeof(noted), losses, true))
		snprintf(text, size, "%s; noted: %s", lost, noted);
	else
		snprintf(text, size, "%s", lost);
}

const char *const tl_by_names[TL_BY_KINDS] = {
	[TL_BY_THREAD] = "thread",
	[TL_BY_OWNER] = "owner",
	[TL_BY_HANDOFF] = "handoff",
	[TL_BY_LOOKBACK] = "lookback",
	[TL_BY_ORDER] = "order",
};

const struct tl_sum_key tl_cell_keys[TL_CELL_SUMS] = {
	[TL_CELL_CPU] = { "cpu_ns", "cpu_s" },
	[TL_CELL_RUN_WAIT] = { "run_wait_ns", "run_wait_s" },
	[TL_CELL_QUEUE] = { "queue_ns", "queue_s" },
	[TL_CELL_QUEUE_COUNT] = { .key = "queue_count" },
	[TL_CELL_STORAGE_READ] = { .key = "storage_read_bytes" },
	[TL_CELL_STORAGE_WRITE] = { .key = "storage_write_bytes" },
};

const struct tl_sum_key tl_edge_keys[TL_EDGE_SUMS] = {
	[TL_EDGE_JOINED] = { .key = "joined" },
	[TL_EDGE_TRANSIT] = { "transit_ns", "transit_s" },
	[TL_EDGE_BYTES_OUT] = { .key = "bytes_out" },
	[TL_EDGE_BYTES_IN] = { .key = "bytes_in" },
};

const struct tl_sum_key tl_usage_keys[TL_USAGE_SUMS] = {
	[TL_USAGE_PROCESSES] = { .key = "processes" },
	[TL_USAGE_CPU] = { "cpu_ns", "cpu_s" },
	[TL_USAGE_REQUEST_CPU] = { "request_cpu_ns", "request_cpu_s" },
	[TL_USAGE_ELAPSED] = { "elapsed_ns", "elapsed_s" },
};

const struct tl_sum_key tl_path_keys[TL_PATH_SUMS] = {
	[TL_PATH_CPU] = { "cpu_ns", "cpu_s" },
};

const struct tl_sum_key tl_cost_keys[TL_COST_SUMS] = {
	[TL_COST_HOOK_HITS] = { .key = "hook_hits" },
	[TL_COST_HOOK] = { "hook_ns", "hook_s" },
	[TL_COST_FUNCTION_HITS] = { .key = "function_hits" },
	[TL_COST_FUNCTION] = { "function_ns", "function_s" },
	[TL_COST_HOOK_WAY] = { "hook_way_ns", "hook_way_s" },
};

/**
 * tl_array_append() - One more zeroed element
 * @array: grows; doubles its room whenever the number is a power of two
 * @n: number of elements
 * @size: of one, in bytes
 *
 * Return: the element, or NULL without memory.
 */
void *tl_array_append(void **array, size_t *n, size_t size)
{
	void *grown;

	if ((*n & (*n - 1)) == 0) {
		grown = reallocarray(*array, *n ? 2 * *n : 1, size);
		if (!grown)
			return NULL;
		*array = grown;
	}
	return memset((char *)*array + (*n)++ * size, 0, size);
}

/**
 * tl_interval_new() - An empty interval
 *
 * Return: the interval, to be given to tl_interval_free(); NULL without memory.
 */
struct tl_interval *tl_interval_new(void)
{
	return calloc(1, sizeof(struct tl_interval));
}

/**
 * tl_interval_free() - Free an interval and all that it owns
 * @interval: interval or NULL
 */
void tl_interval_free(struct tl_interval *interval)
{
	size_t i, k;

	if (!interval)
		return;
	for (i = 0; i < interval->n_tiers; i++) {
		for (k = 0; k < interval->tiers[i].n_cells; k++)
			free(interval->tiers[i].cells[k].class);
		free(interval->tiers[i].cells);
		free(interval->tiers[i].name);
	}
	for (i = 0; i < interval->n_edges; i++) {
		free(interval->edges[i].tier);
		free(interval->edges[i].class);
		free(interval->edges[i].peer);
		free(interval->edges[i].peer_tier);
	}
	for (i = 0; i < interval->n_paths; i++) {
		free(interval->paths[i].tier);
		free(interval->paths[i].class);
	}
	for (i = 0; i < interval->n_hosts; i++)
		free(interval->hosts[i].name);
	tl_counts_free(interval);
	tl_called_free(interval);
	free(interval->tiers);
	free(interval->edges);
	free(interval->paths);
	free(interval->hosts);
	free(interval);
}

/**
 * tl_interval_tier() - Find a tier, or add it
 * @interval: where
 * @name: valid UTF-8
 *
 * Return: the tier, valid until the next one is added; NULL without memory.
 */
struct tl_tier *tl_interval_tier(struct tl_interval *interval, const char *name)
{
	struct tl_tier *tier;
	char *copy;
	size_t i;

	for (i = 0; i < interval->n_tiers; i++)
		if (!strcmp(interval->tiers[i].name, name))
			return &interval->tiers[i];
	copy = strdup(name);
	if (!copy)
		return NULL;
	tier = tl_array_append((void **)&interval->tiers, &interval->n_tiers, sizeof(*tier));
	if (!tier) {
		free(copy);
		return NULL;
	}
	tier->name = copy;
	return tier;
}

/**
 * tl_interval_cell() - Find the cell of a tier and class, or add it
 * @interval: where
 * @tier: name, valid UTF-8
 * @class: name, valid UTF-8
 *
 * Return: the cell, valid until the next one is added; NULL without memory.
 */
struct tl_cell *tl_interval_cell(struct tl_interval *interval, const char *tier,
				 const char *class)
{
	struct tl_tier *t = tl_interval_tier(interval, tier);
	struct tl_cell *cell;
	char *copy;
	size_t i;

	if (!t)
		return NULL;
	for (i = 0; i < t->n_cells; i++)
		if (!strcmp(t->cells[i].class, class))
			return &t->cells[i];
	copy = strdup(class);
	if (!copy)
		return NULL;
	cell = tl_array_append((void **)&t->cells, &t->n_cells, sizeof(*cell));
	if (!cell) {
		free(copy);
		return NULL;
	}
	cell->class = copy;
	return cell;
}

static bool same_edge(const struct tl_edge *a, const struct tl_edge *b)
{
	return !strcmp(a->peer, b->peer) && !strcmp(a->class, b->class) &&
	       tl_text_equal(a->tier, b->tier) &&
	       tl_text_equal(a->peer_tier, b->peer_tier);
}

static int copy_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

/**
 * tl_interval_edge() - Find the edge of a caller, class and peer, or add it
 * @interval: where
 * @key: its texts are compared and copied, its sums are ignored
 *
 * Successive intervals list their edges in much the same order: the search
 * begins behind the last hit, which makes merging them linear.
 *
 * Return: the edge, valid until the next one is added; NULL without memory.
 */
struct tl_edge *tl_interval_edge(struct tl_interval *interval, const struct tl_edge *key)
{
	struct tl_edge *edge;
	size_t i, at;

	for (i = 0; i < interval->n_edges; i++) {
		at = (interval->edge_hint + i) % interval->n_edges;
		if (same_edge(&interval->edges[at], key)) {
			interval->edge_hint = at + 1;
			return &interval->edges[at];
		}
	}
	edge = tl_array_append((void **)&interval->edges, &interval->n_edges, sizeof(*edge));
	if (!edge)
		return NULL;
	/* A half-copied edge stays in the array and is freed with the interval. */
	if (copy_text(&edge->tier, key->tier) || copy_text(&edge->class, key->class) ||
	    copy_text(&edge->peer, key->peer) ||
	    copy_text(&edge->peer_tier, key->peer_tier))
		return NULL;
	interval->edge_hint = interval->n_edges;
	return edge;
}

/**
 * tl_interval_host() - Add the mean of a resource of the host
 * @interval: where
 * @name: valid UTF-8
 * @value: mean
 * @length_ns: time that it is the mean of, above 0
 *
 * Return: 0 or -ENOMEM.
 */
int tl_interval_host(struct tl_interval *interval, const char *name, double value,
		     u64 length_ns)
{
	struct tl_host *host;
	double total;
	char *copy;
	size_t i;

	for (i = 0; i < interval->n_hosts; i++) {
		host = &interval->hosts[i];
		if (strcmp(host->name, name))
			continue;
		total = host->value * (double)host->length_ns + value * (double)length_ns;
		host->length_ns += length_ns;
		host->value = total / (double)host->length_ns;
		return 0;
	}
	copy = strdup(name);
	host = copy ? tl_array_append((void **)&interval->hosts, &interval->n_hosts,
				      sizeof(*host)) : NULL;
	if (!host) {
		free(copy);
		return -ENOMEM;
	}
	*host = (struct tl_host){ copy, value, length_ns };
	return 0;
}

/**
 * tl_host_is_rate() - Whether a resource has bytes per second, not a utilisation
 * @name: of the resource
 *
 * Return: true or false.
 */
bool tl_host_is_rate(const char *name)
{
	size_t len = strlen(name);

	return len > 8 && !strncmp(name, "net.", 4) && !strcmp(name + len - 8, "_bytes_s");
}

/**
 * tl_host_is_cpu_of() - Whether a resource is the processor time of a tier
 * @name: of the resource
 * @tier: name of the tier
 *
 * Return: true or false.
 */
bool tl_host_is_cpu_of(const char *name, const char *tier)
{
	size_t len = strlen(tier);

	return !strncmp(name, tier, len) && !strcmp(name + len, ".cpu");
}

/**
 * tl_transit_s() - What lies between the two ends of a call
 * @edge: by enum tl_edge_sum
 *
 * Return: mean of the calls of which it is known, seconds; negative if there are none.
 */
double tl_transit_s(const struct tl_sum *edge)
{
	const struct tl_sum *joined = &edge[TL_EDGE_JOINED];

	if (!tl_sum_known(joined) || !joined->value || !tl_sum_known(&edge[TL_EDGE_TRANSIT]))
		return -1;
	return tl_ns_to_s(edge[TL_EDGE_TRANSIT].value) / (double)joined->value;
}

/**
 * tl_usage_outside() - What a tier's processes used outside of requests
 * @usage: by enum tl_usage_sum
 * @ns: set to their time on a processor
 *
 * Return: whether it is known.
 */
bool tl_usage_outside(const struct tl_sum *usage, u64 *ns)
{
	const struct tl_sum *all = &usage[TL_USAGE_CPU];
	const struct tl_sum *requests = &usage[TL_USAGE_REQUEST_CPU];

	if (!tl_sum_known(all) || !tl_sum_known(requests))
		return false;
	/* Read one after the other, the part may be ahead of the whole. */
	*ns = all->value - min(all->value, requests->value);
	return true;
}

/**
 * tl_usage_elapsed_ns() - In which time a tier's processes used what they did
 * @usage: by enum tl_usage_sum
 * @length_ns: of the interval
 *
 * Return: nanoseconds; the interval's length if nobody told, as in older recordings.
 */
u64 tl_usage_elapsed_ns(const struct tl_sum *usage, u64 length_ns)
{
	return tl_sum_known(&usage[TL_USAGE_ELAPSED]) ? usage[TL_USAGE_ELAPSED].value : length_ns;
}

/**
 * tl_sum_set() - Give a sum its value
 * @sum: sum
 * @value: value
 */
void tl_sum_set(struct tl_sum *sum, u64 value)
{
	*sum = (struct tl_sum){ value, TL_SUM_KNOWN };
}

/**
 * tl_sums_add() - Add sums to others, one by one
 * @to: sums that grow
 * @from: sums that are added
 * @n: how many
 */
void tl_sums_add(struct tl_sum *to, const struct tl_sum *from, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		to[i].value += from[i].value;
		to[i].state = max(to[i].state, from[i].state);
	}
}

/**
 * tl_usage_add() - Add what a tier used in one interval to what it used in others
 * @to: by enum tl_usage_sum
 * @from: by enum tl_usage_sum
 */
void tl_usage_add(struct tl_sum *to, const struct tl_sum *from)
{
	u64 most = max(to[TL_USAGE_PROCESSES].value, from[TL_USAGE_PROCESSES].value);

	tl_sums_add(to, from, TL_USAGE_SUMS);
	to[TL_USAGE_PROCESSES].value = most;
}

/**
 * tl_usage_settle() - What no message told by now is unknown
 * @interval: an interval that was read to its end
 */
void tl_usage_settle(struct tl_interval *interval)
{
	size_t i;
	int k;

	for (i = 0; i < interval->n_tiers; i++)
		for (k = 0; k < TL_USAGE_SUMS; k++)
			if (interval->tiers[i].usage[k].state == TL_SUM_NONE)
				interval->tiers[i].usage[k].state = TL_SUM_UNKNOWN;
	for (k = 0; k < TL_COST_SUMS; k++)
		if (interval->cost[k].state == TL_SUM_NONE)
			interval->cost[k].state = TL_SUM_UNKNOWN;
}

/**
 * tl_cell_add() - Add the sums of one cell to another
 * @to: cell that grows; its class stays
 * @from: cell that is added
 */
void tl_cell_add(struct tl_cell *to, const struct tl_cell *from)
{
	size_t i;

	to->count += from->count;
	to->response_ns += from->response_ns;
	to->own_ns += from->own_ns;
	to->own_sq_s2 += from->own_sq_s2;
	to->carried += from->carried;
	to->traced += from->traced;
	to->level = from->level ? from->level : to->level;
	to->bytes_in += from->bytes_in;
	to->bytes_out += from->bytes_out;
	for (i = 0; i < TL_HIST_BUCKETS; i++) {
		to->response_hist[i] += from->response_hist[i];
		to->own_hist[i] += from->own_hist[i];
	}
	tl_sums_add(to->sum, from->sum, TL_CELL_SUMS);
}

static int add_tier(struct tl_interval *to, const struct tl_tier *tier)
{
	struct tl_tier *grown = tl_interval_tier(to, tier->name);
	struct tl_cell *cell;
	size_t i;

	if (!grown)
		return -ENOMEM;
	tl_usage_add(grown->usage, tier->usage);
	for (i = 0; i < tier->n_cells; i++) {
		cell = tl_interval_cell(to, tier->name, tier->cells[i].class);
		if (!cell)
			return -ENOMEM;
		tl_cell_add(cell, &tier->cells[i]);
	}
	return 0;
}

/**
 * tl_interval_add() - Add the sums of one interval to another
 * @to: interval that grows; takes over generation and start if it has none
 * @from: interval that is added
 *
 * Return: 0 or -ENOMEM, with @to then holding a part.
 */
int tl_interval_add(struct tl_interval *to, const struct tl_interval *from)
{
	struct tl_edge *edge;
	size_t i, k;

	if (!to->length_ns || from->start_ns < to->start_ns) {
		to->start_ns = from->start_ns;
		to->generation = from->generation;
	}
	to->length_ns += from->length_ns;
	for (i = 0; i < from->n_tiers; i++)
		if (add_tier(to, &from->tiers[i]))
			return -ENOMEM;
	for (i = 0; i < from->n_edges; i++) {
		edge = tl_interval_edge(to, &from->edges[i]);
		if (!edge)
			return -ENOMEM;
		edge->calls += from->edges[i].calls;
		edge->time_ns += from->edges[i].time_ns;
		for (k = 0; k < TL_BY_KINDS; k++)
			edge->by[k] += from->edges[i].by[k];
		tl_sums_add(edge->sum, from->edges[i].sum, TL_EDGE_SUMS);
	}
	if (tl_paths_add(to, from))
		return -ENOMEM;
	for (i = 0; i < from->n_hosts; i++)
		if (tl_interval_host(to, from->hosts[i].name, from->hosts[i].value,
				     from->hosts[i].length_ns))
			return -ENOMEM;
	if (tl_counts_add(to, from) || tl_called_add(to, from))
		return -ENOMEM;
	tl_sums_add(to->cost, from->cost, TL_COST_SUMS);
	for (i = 0; i < TL_EVENTS; i++)
		to->events[i] += from->events[i];
	for (i = 0; i < TL_LOSSES; i++)
		to->losses[i] += from->losses[i];
	return 0;
}

/**
 * tl_hist_quantile_s() - Quantile of the times in a histogram
 * @hist: TL_HIST_BUCKETS counts
 * @q: 0 … 1
 *
 * Linear inside a bucket, so it is off by less than the bucket's width, 1/8 of
 * its lower bound. The last bucket has no upper bound: its lower one is given.
 *
 * Return: seconds; 0 for an empty histogram.
 */
double tl_hist_quantile_s(const u64 *hist, double q)
{
	double rank, before = 0, low, high;
	u64 total = 0;
	u32 i;

	for (i = 0; i < TL_HIST_BUCKETS; i++)
		total += hist[i];
	if (!total)
		return 0;
	rank = q * (double)total;
	for (i = 0; i < TL_HIST_BUCKETS - 1; i++) {
		if (hist[i] && before + (double)hist[i] >= rank)
			break;
		before += (double)hist[i];
	}
	low = tl_ns_to_s(tl_hist_low_ns(i));
	if (i == TL_HIST_BUCKETS - 1)
		return low;
	high = tl_ns_to_s(tl_hist_low_ns(i + 1));
	return low + (high - low) * (rank - before) / (double)hist[i];
}
