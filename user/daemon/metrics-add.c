// SPDX-License-Identifier: GPL-2.0-or-later
/* An interval more: its sums are added to those since the daemon began. */
#include "daemon/metrics.h"

#include <errno.h>
#include <math.h>

static void sum_add(struct tl_metric_row *row, unsigned int column, const struct tl_sum *sum)
{
	if (tl_sum_known(sum))
		tl_metric_count(row, column, sum->value);
}

static void sums_add(struct tl_metric_row *row, const unsigned int *columns, const struct tl_sum *sums, int n)
{
	int i;

	for (i = 0; i < n; i++)
		sum_add(row, columns[i], &sums[i]);
}

/* The bound below which all of a core's bucket lies; TL_METRIC_BOUNDS for none. */
static unsigned int bound_of(u32 bucket)
{
	int bound = fls64(tl_hist_low_ns(bucket)) - TL_METRIC_FIRST_EXP;

	if (bound < 0)
		return 0;
	return (unsigned int)min(bound, TL_METRIC_BOUNDS);
}

/* Each bound is an edge of the core's buckets, so no request has to be divided. */
static void hist_add(struct tl_metric_row *row, unsigned int first, const u64 *hist, u64 sum_ns)
{
	unsigned int bound;
	u32 bucket;

	for (bound = 0; bound < TL_METRIC_HIST; bound++)
		tl_metric_count(row, first + bound, 0);
	for (bucket = 0; bucket < TL_HIST_BUCKETS; bucket++)
		if (hist[bucket])
			tl_metric_count(row, first + bound_of(bucket), hist[bucket]);
	tl_metric_count(row, first + TL_METRIC_BOUNDS + 1, sum_ns);
}

static int cell_add(struct tl_metrics *metrics, const struct tl_tier *tier, const struct tl_cell *cell)
{
	static const unsigned int columns[TL_CELL_SUMS] = {
		[TL_CELL_CPU] = TL_OF_CPU,
		[TL_CELL_RUN_WAIT] = TL_OF_RUN_WAIT,
		[TL_CELL_QUEUE] = TL_OF_QUEUE,
		[TL_CELL_QUEUE_COUNT] = TL_OF_QUEUED,
		[TL_CELL_STORAGE_READ] = TL_OF_STORAGE,
		[TL_CELL_STORAGE_WRITE] = TL_OF_STORAGE + 1,
	};
	struct tl_metric_row *row = tl_metrics_row(metrics, TL_ROWS_CELL, (const char *const[]){ tier->name, cell->class });

	if (!row)
		return -ENOMEM;
	tl_metric_count(row, TL_OF_REQUESTS, cell->count);
	tl_metric_count(row, TL_OF_CARRIED, cell->carried);
	tl_metric_count(row, TL_OF_TRACED, cell->traced);
	tl_metric_count(row, TL_OF_BYTES, cell->bytes_in);
	tl_metric_count(row, TL_OF_BYTES + 1, cell->bytes_out);
	hist_add(row, TL_OF_RESPONSE, cell->response_hist, cell->response_ns);
	hist_add(row, TL_OF_OWN, cell->own_hist, cell->own_ns);
	sums_add(row, columns, cell->sum, TL_CELL_SUMS);
	return 0;
}

/* Of a tier's cells, the closest level. */
static enum tl_at level_of(const struct tl_tier *tier)
{
	enum tl_at level = TL_AT_UNKNOWN;
	size_t i;

	for (i = 0; i < tier->n_cells; i++)
		level = max(level, tier->cells[i].level);
	return level;
}

static int tier_add(struct tl_metrics *metrics, const struct tl_tier *tier)
{
	const struct tl_sum *processes = &tier->usage[TL_USAGE_PROCESSES];
	struct tl_metric_row *row = tl_metrics_row(metrics, TL_ROWS_TIER, (const char *const[]){ tier->name });
	enum tl_at level = level_of(tier);
	int code = 0;
	size_t i;

	if (!row)
		return -ENOMEM;
	sum_add(row, TL_OF_TIER_CPU, &tier->usage[TL_USAGE_CPU]);
	sum_add(row, TL_OF_REQUEST_CPU, &tier->usage[TL_USAGE_REQUEST_CPU]);
	/* What is of several tiers has sums, and nothing else. */
	if (!strcmp(row->label[0], tier->name)) {
		tl_metric_gauge(row, TL_OF_PROCESSES, tl_sum_known(processes) ? (double)processes->value : NAN);
		if (level)
			tl_metric_gauge(row, TL_OF_LEVEL, level);
	}
	for (i = 0; i < tier->n_cells && !code; i++)
		code = cell_add(metrics, tier, &tier->cells[i]);
	return code;
}

static int edge_add(struct tl_metrics *metrics, const struct tl_edge *edge)
{
	static const unsigned int columns[TL_EDGE_SUMS] = {
		[TL_EDGE_JOINED] = TL_OF_JOINED,
		[TL_EDGE_TRANSIT] = TL_OF_TRANSIT,
		[TL_EDGE_BYTES_IN] = TL_OF_CALL_BYTES,
		[TL_EDGE_BYTES_OUT] = TL_OF_CALL_BYTES + 1,
	};
	const char *tier = edge->tier ? edge->tier : "", *peer_tier = edge->peer_tier ? edge->peer_tier : "";
	struct tl_metric_row *row = tl_metrics_row(metrics, TL_ROWS_EDGE,
						   (const char *const[]){ tier, edge->class, edge->peer, peer_tier });
	unsigned int i;

	if (!row)
		return -ENOMEM;
	tl_metric_count(row, TL_OF_CALLS, edge->calls);
	tl_metric_count(row, TL_OF_CALL_NS, edge->time_ns);
	for (i = 0; i < TL_BY_KINDS && edge->tier; i++)
		tl_metric_count(row, TL_OF_BY + i, edge->by[i]);
	sums_add(row, columns, edge->sum, TL_EDGE_SUMS);
	return 0;
}

static int called_add(struct tl_metrics *metrics, const struct tl_called *called)
{
	const char *const labels[] = { called->tier, called->class ? called->class : "", called->name };
	struct tl_metric_row *row = tl_metrics_row(metrics, TL_ROWS_FUNCTION, labels);

	if (!row)
		return -ENOMEM;
	tl_metric_count(row, TL_OF_CALLED, called->count);
	tl_metric_count(row, TL_OF_CALLED_NS, called->total_ns);
	tl_metric_count(row, TL_OF_CALLED_OWN, called->own_ns);
	tl_metric_count(row, TL_OF_CALLED_CPU, called->cpu_ns);
	return 0;
}

static int charge_add(struct tl_metrics *metrics, const struct tl_charge *charge)
{
	struct tl_metric_row *row = tl_metrics_row(metrics, TL_ROWS_CHARGE,
						   (const char *const[]){ charge->tier, charge->class, charge->event });

	if (!row)
		return -ENOMEM;
	tl_metric_count(row, 0, charge->value);
	return 0;
}

static int count_add(struct tl_metrics *metrics, const struct tl_count *count)
{
	struct tl_metric_row *row = tl_metrics_row(metrics, TL_ROWS_COUNT, (const char *const[]){ count->event });

	if (!row)
		return -ENOMEM;
	tl_metric_count(row, TL_OF_COUNTED, count->value);
	tl_metric_count(row, TL_OF_ENABLED, count->enabled_ns);
	tl_metric_count(row, TL_OF_RUNNING, count->running_ns);
	return 0;
}

static int host_add(struct tl_metrics *metrics, const struct tl_host *host)
{
	enum tl_rows_kind kind = tl_host_is_rate(host->name) ? TL_ROWS_RATE : TL_ROWS_HOST;
	struct tl_metric_row *row = tl_metrics_row(metrics, kind, (const char *const[]){ host->name });

	if (!row)
		return -ENOMEM;
	if (!strcmp(row->label[0], host->name))
		tl_metric_gauge(row, 0, host->value);
	return 0;
}

static void totals_add(struct tl_metrics *metrics, const struct tl_interval *interval, u64 missed)
{
	struct tl_metric_row *row = metrics->rows[TL_ROWS_DAEMON].row[0];
	unsigned int i;

	tl_metric_count(row, TL_OF_INTERVALS, 1);
	tl_metric_count(row, TL_OF_MISSED, missed);
	tl_metric_gauge(row, TL_OF_LENGTH, tl_ns_to_s(interval->length_ns));
	tl_metric_gauge(row, TL_OF_LAST, tl_ns_to_s(metrics->time_ns));
	for (i = 0; i < TL_LOSSES; i++)
		tl_metric_count(row, TL_OF_LOSSES + i, interval->losses[i]);
	for (i = 0; i < TL_EVENTS; i++)
		tl_metric_count(row, TL_OF_EVENTS + i, interval->events[i]);
	sum_add(row, TL_OF_PROBE_HITS, &interval->cost[TL_COST_HOOK_HITS]);
	sum_add(row, TL_OF_PROBE_HITS + 1, &interval->cost[TL_COST_FUNCTION_HITS]);
	sum_add(row, TL_OF_PROBE_NS, &interval->cost[TL_COST_HOOK]);
	sum_add(row, TL_OF_PROBE_NS, &interval->cost[TL_COST_HOOK_WAY]);
	sum_add(row, TL_OF_PROBE_NS + 1, &interval->cost[TL_COST_FUNCTION]);
}

/* What another daemon has counted before us. There are no more of it behind the first that it had not. */
static bool is_known(struct tl_metrics *metrics, const struct tl_interval *interval)
{
	if (metrics->known && interval->start_ns + interval->length_ns <= metrics->known_ns) {
		metrics->known--;
		return true;
	}
	metrics->known = 0;
	return false;
}

/**
 * tl_metrics_add() - Add an interval
 * @metrics: metrics
 * @interval: what was summed in it, all texts valid UTF-8
 * @missed: intervals before it that nobody has read
 * @now_ns: on the monotonic clock
 *
 * Return: 0 or -ENOMEM: then a part of it is missing.
 */
int tl_metrics_add(struct tl_metrics *metrics, const struct tl_interval *interval, u64 missed, u64 now_ns)
{
	size_t i;
	int code = 0;

	if (is_known(metrics, interval))
		return 0;
	metrics->now_ns = now_ns;
	metrics->time_ns = interval->start_ns + interval->length_ns;
	totals_add(metrics, interval, missed);
	for (i = 0; i < interval->n_tiers && !code; i++)
		code = tier_add(metrics, &interval->tiers[i]);
	for (i = 0; i < interval->n_edges && !code; i++)
		code = edge_add(metrics, &interval->edges[i]);
	for (i = 0; i < interval->n_called && !code; i++)
		code = called_add(metrics, &interval->called[i]);
	for (i = 0; i < interval->n_charged && !code; i++)
		code = charge_add(metrics, &interval->charged[i]);
	for (i = 0; i < interval->n_counts && !code; i++)
		code = count_add(metrics, &interval->counts[i]);
	for (i = 0; i < interval->n_hosts && !code; i++)
		code = host_add(metrics, &interval->hosts[i]);
	tl_metrics_forget(metrics);
	tl_metric_gauge(metrics->rows[TL_ROWS_DAEMON].row[0], TL_OF_SERIES, (double)metrics->series);
	return code;
}
