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
	[TL_LOSS_PROBES_MISSED] = "probes_missed",
};

/**
 * tl_loss_is_note() - Whether a counter tells of traffic that is like that
 * @loss: which
 *
 * A database's greeting answers nothing and its Quit is never answered; that is worth
 * knowing, but no figure is wrong for it.
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
 * @size: of @text, 512 is plenty
 * @losses: counters
 */
void tl_losses_text(char *text, size_t size, const uint64_t *losses)
{
	char lost[512], noted[256];

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
};

/* One more zeroed element; doubles the room whenever the number is a power of two. */
static void *append(void **array, size_t *n, size_t size)
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
	free(interval->tiers);
	free(interval->edges);
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
	tier = append((void **)&interval->tiers, &interval->n_tiers, sizeof(*tier));
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
	cell = append((void **)&t->cells, &t->n_cells, sizeof(*cell));
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
	edge = append((void **)&interval->edges, &interval->n_edges, sizeof(*edge));
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
	to->bytes_in += from->bytes_in;
	to->bytes_out += from->bytes_out;
	for (i = 0; i < TL_HIST_BUCKETS; i++) {
		to->response_hist[i] += from->response_hist[i];
		to->own_hist[i] += from->own_hist[i];
	}
}

static int add_cells(struct tl_interval *to, const struct tl_tier *tier)
{
	struct tl_cell *cell;
	size_t i;

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
		if (add_cells(to, &from->tiers[i]))
			return -ENOMEM;
	for (i = 0; i < from->n_edges; i++) {
		edge = tl_interval_edge(to, &from->edges[i]);
		if (!edge)
			return -ENOMEM;
		edge->calls += from->edges[i].calls;
		edge->time_ns += from->edges[i].time_ns;
		for (k = 0; k < TL_BY_KINDS; k++)
			edge->by[k] += from->edges[i].by[k];
	}
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
