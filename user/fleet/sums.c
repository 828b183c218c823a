// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What was added between two looks at a host, as the interval that its kernel would have closed
 *
 * The reverse of what tierlensd does when it adds intervals up (daemon/metrics-add.c). A counter that became less
 * began anew: what it says is what was added since. What it had before that and nobody had looked at is lost, which
 * is counted with the host if all of tierlensd began anew.
 */
#include "fleet/fleet.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define OCTAVE (1U << TL_HIST_SUB_BITS)
#define MOST 0x1p62

/**
 * struct look - A row between two looks
 * @more: [columns] what was added; 0 if it is not known
 * @now: [columns] what it is; NAN if it is not known
 */
struct look {
	const struct tl_fleet *fleet;
	struct tl_fleet_host *host;
	size_t at;
	const struct tl_fleet_row *row;
	struct tl_interval *to;
	double more[64];
	const double *now;
};

/* Whatever a store says, it is a number of ours. */
static u64 rounded(double value)
{
	return (u64)llround(min(value, MOST));
}

static u64 whole(const struct look *l, unsigned int column)
{
	return rounded(l->more[column]);
}

static u64 ns(const struct look *l, unsigned int column)
{
	return rounded(l->more[column] * 1e9);
}

static void sum(const struct look *l, unsigned int column, bool time, struct tl_sum *to)
{
	const struct tl_sum more = { time ? ns(l, column) : whole(l, column), TL_SUM_KNOWN };

	if (!isnan(l->now[column]))
		tl_sums_add(to, &more, 1);
}

static const char *as(const struct look *l, const char *tier)
{
	const char *name = tl_fleet_tier_as(l->host, tier);

	return name ? name : tier;
}

/* What lies between two bounds goes evenly to the core's buckets there: which of them had it nobody knows any more. */
static double hist(const struct look *l, unsigned int first, u64 *to)
{
	double before = 0, below, n, middle_s, square = 0;
	u32 bucket;
	u64 more, part;
	unsigned int i, k;

	for (i = 0; i <= TL_METRIC_BOUNDS; i++) {
		below = l->more[first + i];
		n = max(below - before, 0.0);
		before = max(below, before);
		bucket = tl_hist_bucket(1ULL << (TL_METRIC_FIRST_EXP - 1 + i));
		more = rounded(n);
		for (k = 0, part = 0; k < OCTAVE; k++) {
			u64 upto = more / OCTAVE * (k + 1) + more % OCTAVE * (k + 1) / OCTAVE;

			to[bucket + k] += upto - part;
			part = upto;
		}
		middle_s = 0.75e-9 * exp2((double)TL_METRIC_FIRST_EXP + i);
		square += n * middle_s * middle_s;
	}
	return square;
}

static int cell(struct look *l)
{
	static const struct {
		enum tl_cell_sum sum;
		unsigned int column;
		bool time;
	} sums[] = {
		{ TL_CELL_CPU, TL_OF_CPU, true },	  { TL_CELL_RUN_WAIT, TL_OF_RUN_WAIT, true },
		{ TL_CELL_QUEUE, TL_OF_QUEUE, true },	  { TL_CELL_QUEUE_COUNT, TL_OF_QUEUED, false },
		{ TL_CELL_STORAGE_READ, TL_OF_STORAGE, false }, { TL_CELL_STORAGE_WRITE, TL_OF_STORAGE + 1, false },
	};
	struct tl_cell *to = tl_interval_cell(l->to, as(l, l->row->label[0]), l->row->label[1]);
	size_t i;

	if (!to)
		return -ENOMEM;
	to->count += whole(l, TL_OF_REQUESTS);
	to->carried += whole(l, TL_OF_CARRIED);
	to->traced += whole(l, TL_OF_TRACED);
	to->bytes_in += whole(l, TL_OF_BYTES);
	to->bytes_out += whole(l, TL_OF_BYTES + 1);
	to->response_ns += ns(l, TL_OF_RESPONSE + TL_METRIC_BOUNDS + 1);
	to->own_ns += ns(l, TL_OF_OWN + TL_METRIC_BOUNDS + 1);
	hist(l, TL_OF_RESPONSE, to->response_hist);
	to->own_sq_s2 += hist(l, TL_OF_OWN, to->own_hist);
	for (i = 0; i < ARRAY_SIZE(sums); i++)
		sum(l, sums[i].column, sums[i].time, &to->sum[sums[i].sum]);
	return 0;
}

/* An address that every host has says which one it is of. */
static char *peer_text(const struct look *l, const char *peer)
{
	bool every = !strncmp(peer, "127.", 4) || !strncmp(peer, "[::1]", 5);
	char *text;

	if (l->fleet->n_hosts == 1 || !every)
		return strdup(peer);
	return asprintf(&text, "%s@%s", peer, l->host->name) < 0 ? NULL : text;
}

static int edge(struct look *l)
{
	const char *const *label = l->row->label;
	struct tl_edge key = { .class = (char *)label[1] }, *to;
	const char *peer_tier;
	unsigned int i;

	key.tier = *label[0] ? (char *)as(l, label[0]) : NULL;
	tl_fleet_peer(l->fleet, l->at, label[2], label[3], &peer_tier);
	key.peer_tier = (char *)peer_tier;
	key.peer = peer_text(l, label[2]);
	to = key.peer ? tl_interval_edge(l->to, &key) : NULL;
	free(key.peer);
	if (!to)
		return -ENOMEM;
	to->calls += whole(l, TL_OF_CALLS);
	to->time_ns += ns(l, TL_OF_CALL_NS);
	for (i = 0; i < TL_BY_KINDS; i++)
		to->by[i] += whole(l, TL_OF_BY + i);
	sum(l, TL_OF_JOINED, false, &to->sum[TL_EDGE_JOINED]);
	sum(l, TL_OF_TRANSIT, true, &to->sum[TL_EDGE_TRANSIT]);
	sum(l, TL_OF_CALL_BYTES, false, &to->sum[TL_EDGE_BYTES_IN]);
	sum(l, TL_OF_CALL_BYTES + 1, false, &to->sum[TL_EDGE_BYTES_OUT]);
	return 0;
}

static int tier(struct look *l)
{
	struct tl_tier *to = tl_interval_tier(l->to, as(l, l->row->label[0]));
	enum tl_at level = isnan(l->now[TL_OF_LEVEL]) ? TL_AT_UNKNOWN : (enum tl_at)l->now[TL_OF_LEVEL];
	size_t i;

	if (!to)
		return -ENOMEM;
	if (!isnan(l->now[TL_OF_PROCESSES]))
		tl_sum_set(&to->usage[TL_USAGE_PROCESSES], (u64)llround(l->now[TL_OF_PROCESSES]));
	sum(l, TL_OF_TIER_CPU, true, &to->usage[TL_USAGE_CPU]);
	sum(l, TL_OF_REQUEST_CPU, true, &to->usage[TL_USAGE_REQUEST_CPU]);
	/* Rows of cells come before those of tiers. */
	for (i = 0; i < to->n_cells; i++)
		to->cells[i].level = level ? level : to->cells[i].level;
	return 0;
}

/* The kernel's own number is not told: one that is made of the names does as well. */
static u32 number_of(const struct look *l)
{
	u32 hash = TL_TEXT_HASH ^ (u32)l->at;
	int i;

	for (i = 0; i < 3; i++)
		hash = tl_text_hash(hash, l->row->label[i]);
	return hash;
}

static int function(struct look *l)
{
	const char *const *label = l->row->label;
	const struct tl_called called = {
		.tier = (char *)as(l, label[0]), .class = *label[1] ? (char *)label[1] : NULL, .name = (char *)label[2],
		.count = whole(l, TL_OF_CALLED), .total_ns = ns(l, TL_OF_CALLED_NS), .own_ns = ns(l, TL_OF_CALLED_OWN),
		.cpu_ns = ns(l, TL_OF_CALLED_CPU),
		.id = number_of(l),
	};

	return called.count ? tl_interval_called(l->to, &called) : 0;
}

static int charge(struct look *l)
{
	const char *const *label = l->row->label;
	const struct tl_charge charged = { (char *)as(l, label[0]), (char *)label[1], (char *)label[2], whole(l, 0) };

	return tl_interval_charge(l->to, &charged);
}

/* With the host, if there are several; a tier's processor by the tier's name in the fleet. */
static char *resource_name(const struct look *l, const char *resource)
{
	const char *suffix = tl_host_is_rate(resource) ? strrchr(resource, '.') : NULL;
	int len = suffix ? (int)(suffix - resource) : (int)strlen(resource);
	const char *dot = strrchr(resource, '.');
	char *name = dot && !strcmp(dot, ".cpu") ? strndup(resource, (size_t)(dot - resource)) : NULL, *text = NULL;
	const char *of = name ? tl_fleet_tier_as(l->host, name) : NULL;
	int code;

	if (of)
		code = asprintf(&text, "%s.cpu", of);
	else if (l->fleet->n_hosts == 1)
		code = asprintf(&text, "%s", resource);
	else
		code = asprintf(&text, "%.*s@%s%s", len, resource, l->host->name, suffix ? suffix : "");
	free(name);
	return code < 0 ? NULL : text;
}

static int resource(struct look *l)
{
	char *name;
	int code;

	if (isnan(l->now[0]))
		return 0;
	name = resource_name(l, l->row->label[0]);
	code = name ? tl_interval_host(l->to, name, l->now[0], (u64)llround(l->fleet->step_s * 1e9)) : -ENOMEM;
	free(name);
	return code;
}

static int host(struct look *l)
{
	unsigned int i;

	for (i = 0; i < TL_LOSSES; i++) {
		l->to->losses[i] += whole(l, TL_OF_LOSSES + i);
		l->host->lost[i] += whole(l, TL_OF_LOSSES + i);
	}
	for (i = 0; i < TL_EVENTS; i++)
		l->to->events[i] += whole(l, TL_OF_EVENTS + i);
	sum(l, TL_OF_PROBE_HITS, false, &l->to->cost[TL_COST_HOOK_HITS]);
	sum(l, TL_OF_PROBE_HITS + 1, false, &l->to->cost[TL_COST_FUNCTION_HITS]);
	sum(l, TL_OF_PROBE_NS, true, &l->to->cost[TL_COST_HOOK]);
	sum(l, TL_OF_PROBE_NS + 1, true, &l->to->cost[TL_COST_FUNCTION]);
	l->host->intervals += whole(l, TL_OF_INTERVALS);
	l->host->missed += whole(l, TL_OF_MISSED);
	return 0;
}

static void look(struct look *l, struct tl_fleet_row *row, size_t step, bool anew)
{
	unsigned int i;

	l->row = row;
	l->now = row->value ? &row->value[step * row->columns] : row->was;
	for (i = 0; i < row->columns; i++) {
		double now = row->value ? l->now[i] : NAN;

		l->more[i] = isnan(now) ? 0 : now;
		if (!anew && row->was[i] <= now)
			l->more[i] = now - row->was[i];
	}
}

/* Of the figures of the daemon itself, those that only grow. */
static bool is_anew(const struct tl_fleet *fleet, const struct tl_fleet_host *of, size_t step)
{
	const struct tl_fleet_row *row = of->first_row < of->end_row ? fleet->row[of->first_row] : NULL;
	const double *now;
	unsigned int i;

	if (!row || row->kind != TL_ROWS_DAEMON || !row->value)
		return false;
	now = &row->value[step * row->columns];
	for (i = TL_OF_LOSSES; i < TL_OF_BUILD; i++)
		if (now[i] < row->was[i])
			return true;
	return now[TL_OF_INTERVALS] < row->was[TL_OF_INTERVALS];
}

static void remember(struct tl_fleet_row *row, size_t step)
{
	unsigned int i;

	for (i = 0; i < row->columns; i++)
		row->was[i] = row->value ? row->value[step * row->columns + i] : NAN;
}

/**
 * tl_fleet_sums() - Add what a host did since it was looked at last
 * @fleet: fleet
 * @at: index of the host
 * @step: of the part in hand, at which there is a sample
 * @to: interval that grows; NULL to look at it for the first time
 *
 * Return: 0 or -ENOMEM.
 */
int tl_fleet_sums(struct tl_fleet *fleet, size_t at, size_t step, struct tl_interval *to)
{
	static int (*const add[TL_ROWS_KINDS])(struct look *) = {
		[TL_ROWS_DAEMON] = host,       [TL_ROWS_CELL] = cell,	  [TL_ROWS_EDGE] = edge,     [TL_ROWS_TIER] = tier,
		[TL_ROWS_FUNCTION] = function, [TL_ROWS_CHARGE] = charge, [TL_ROWS_HOST] = resource,
	};
	struct look l = { .fleet = fleet, .host = &fleet->host[at], .at = at, .to = to };
	bool anew = to && is_anew(fleet, l.host, step);
	int code = 0;
	size_t i;

	l.host->resets += anew;
	for (i = l.host->first_row; i < l.host->end_row && !code; i++) {
		if (to && add[fleet->row[i]->kind]) {
			look(&l, fleet->row[i], step, anew);
			code = fleet->row[i]->value ? add[fleet->row[i]->kind](&l) : 0;
		}
		remember(fleet->row[i], step);
	}
	return code;
}
