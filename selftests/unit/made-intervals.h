/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Intervals as a kernel would close them, of as many tiers and classes and as long as wanted. */
#ifndef TL_MADE_INTERVALS_H
#define TL_MADE_INTERVALS_H

#include "history-code.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static u64 made_state = 0x9e3779b97f4a7c15ULL;

static inline double made_part(void)
{
	made_state ^= made_state << 13;
	made_state ^= made_state >> 7;
	made_state ^= made_state << 17;
	return (double)(made_state >> 11) / 0x1p53;
}

/* Of a Poisson distribution; of a normal one of that variance where nobody sees the difference. */
static inline u64 made_count(double mean)
{
	double left = exp(-mean), sum;
	u64 n = 0;
	int i;

	if (mean < 30) {
		for (sum = made_part(); sum > left; n++)
			sum *= made_part();
		return n;
	}
	for (sum = -6, i = 0; i < 12; i++)
		sum += made_part();
	return (u64)fmax(0, round(mean + sqrt(mean) * sum));
}

/* Requests of times around @mid_ns, lognormal with that sigma: into @hist, and their sum. */
static inline u64 made_times(double count, double mid_ns, double sigma, u64 *hist, u64 *total_ns, double *sq_s2)
{
	double low, high, p, below = 0;
	u32 i = tl_hist_bucket((u64)(mid_ns * exp(-5 * sigma)));
	u32 end = tl_hist_bucket((u64)(mid_ns * exp(5 * sigma)));
	u64 n = 0, in, at;

	for (; i <= end && i < TL_HIST_BUCKETS - 1; i++) {
		low = (double)tl_hist_low_ns(i);
		high = (double)tl_hist_low_ns(i + 1);
		p = 0.5 * erfc(-log(high / mid_ns) / sigma / M_SQRT2);
		in = (p - below) * count > 1e-6 ? made_count((p - below) * count) : 0;
		below = p;
		if (!in)
			continue;
		at = (u64)(low + (high - low) * made_part());
		hist[i] += in;
		n += in;
		*total_ns += in * at;
		if (sq_s2)
			*sq_s2 += (double)in * (double)at / 1e9 * (double)at / 1e9;
	}
	return n;
}

static inline void made_cell(struct tl_cell *cell, double rate, double s, unsigned int tier, unsigned int class)
{
	double mid_ns = 2e6 * (1 + class) * exp(-0.15 * tier) + 3e4;

	cell->level = TL_AT_SERVER;
	cell->count = made_times(rate * s, mid_ns * 3, 0.8, cell->response_hist, &cell->response_ns, NULL);
	made_times((double)cell->count, mid_ns, 0.8, cell->own_hist, &cell->own_ns, &cell->own_sq_s2);
	cell->carried = made_count((double)cell->count * 0.01);
	cell->carried = min(cell->carried, cell->count);
	cell->bytes_in = cell->count * 300 + made_count(30 * (double)cell->count);
	cell->bytes_out = cell->count * 9000 + made_count(900 * (double)cell->count);
	tl_sum_set(&cell->sum[TL_CELL_CPU], cell->own_ns / 2 + made_count(1000));
	tl_sum_set(&cell->sum[TL_CELL_RUN_WAIT], cell->own_ns / 20 + made_count(1000));
	tl_sum_set(&cell->sum[TL_CELL_QUEUE], cell->own_ns / 50 + made_count(1000));
	tl_sum_set(&cell->sum[TL_CELL_QUEUE_COUNT], cell->count);
	tl_sum_set(&cell->sum[TL_CELL_STORAGE_READ], class % 3 ? 0 : 4096 * made_count(1 + (double)cell->count / 10));
	tl_sum_set(&cell->sum[TL_CELL_STORAGE_WRITE], class % 4 ? 0 : 4096 * made_count(1 + (double)cell->count / 10));
}

static inline void made_edge(struct tl_interval *to, const char *tier, const char *class, const char *peer_tier,
			     unsigned int port, const struct tl_cell *callee)
{
	struct tl_edge *edge;
	char peer[40];

	snprintf(peer, sizeof(peer), "127.0.0.1:%u", port);
	edge = tl_interval_edge(to, &(struct tl_edge){ (char *)tier, (char *)class, peer, (char *)peer_tier, 0, 0, { 0 },
						       { { 0 } } });
	edge->calls = callee->count;
	edge->time_ns = callee->response_ns + callee->count * 20000 + made_count(5000);
	edge->by[TL_BY_THREAD] = callee->count - callee->carried;
	edge->by[TL_BY_ORDER] = callee->carried;
	tl_sum_set(&edge->sum[TL_EDGE_JOINED], callee->count);
	tl_sum_set(&edge->sum[TL_EDGE_TRANSIT], callee->count * 20000 + made_count(5000));
	tl_sum_set(&edge->sum[TL_EDGE_BYTES_OUT], callee->bytes_in);
	tl_sum_set(&edge->sum[TL_EDGE_BYTES_IN], callee->bytes_out);
}

static inline void made_path(struct tl_interval *to, const char *tier, const char *class, u32 id, u32 parent,
			     const struct tl_cell *cell)
{
	struct tl_path *path = tl_interval_path(to, tier, class);

	path->id = id;
	path->parent = parent;
	path->count = cell->count;
	path->response_ns = cell->response_ns;
	path->own_ns = cell->own_ns;
	path->sum[TL_PATH_CPU] = cell->sum[TL_CELL_CPU];
}

/*
 * @tiers in a tree of two below each, each with @classes, of which each has @rate requests a second in
 * the mean (much at noon, little at night): every cell, edge and path is there in every interval.
 */
static inline struct tl_interval *made_interval(u64 generation, u64 start_ns, u64 length_ns, unsigned int tiers,
						unsigned int classes, double rate)
{
	struct tl_interval *to = tl_interval_new();
	double s = tl_ns_to_s(length_ns), day = fmod(tl_ns_to_s(start_ns), 86400) / 86400;
	char name[40], class[40], above[40], resource[60];
	unsigned int i, k;

	to->generation = generation;
	to->start_ns = start_ns;
	to->length_ns = length_ns;
	rate *= 1 - 0.8 * cos(2 * M_PI * day);
	for (i = 0; i < tiers; i++) {
		struct tl_tier *tier;

		snprintf(name, sizeof(name), "service-%u:%u", i, 8000 + i);
		snprintf(above, sizeof(above), "service-%u:%u", (i - 1) / 2, 8000 + (i - 1) / 2);
		for (k = 0; k < classes; k++) {
			struct tl_cell *cell;

			snprintf(class, sizeof(class), "class %u", k);
			cell = tl_interval_cell(to, name, class);
			made_cell(cell, rate * 2 / (1 + 0.3 * k), s, i, k);
			if (i)
				made_edge(to, above, class, name, 8000 + i, cell);
			made_path(to, name, class, 2 + i * classes + k, i ? 2 + (i - 1) / 2 * classes + k : 0, cell);
		}
		tier = tl_interval_tier(to, name);
		tl_sum_set(&tier->usage[TL_USAGE_PROCESSES], 4);
		tl_sum_set(&tier->usage[TL_USAGE_CPU], (u64)(s * 1e8) + made_count(1e6));
		tl_sum_set(&tier->usage[TL_USAGE_REQUEST_CPU], (u64)(s * 8e7) + made_count(1e6));
		snprintf(resource, sizeof(resource), "%s.cpu", name);
		tl_interval_host(to, resource, 0.02 + 0.01 * made_part(), length_ns);
	}
	tl_interval_host(to, "cpu", 0.3 + 0.1 * made_part(), length_ns);
	tl_interval_host(to, "disk.vda", 0.1 + 0.1 * made_part(), length_ns);
	tl_paths_link(to);
	to->events[TL_EVENT_SEEN] = made_count(1000 * s);
	to->events[TL_EVENT_ATTRIBUTED] = to->events[TL_EVENT_SEEN];
	to->losses[TL_LOSS_QUIET] = made_count(s);
	tl_sum_set(&to->cost[TL_COST_HOOK_HITS], made_count(4000 * s));
	tl_sum_set(&to->cost[TL_COST_HOOK], made_count(1e6 * s));
	return to;
}

/* Bytes that differ if anything does. */
static inline struct tl_code_to made_bytes(const struct tl_interval *interval)
{
	struct tl_code_to sums = { 0 }, hists = { 0 };

	if (tl_history_encode(interval, &sums, &hists))
		abort();
	tl_code_put_bytes(&sums, hists.byte, hists.n);
	free(hists.byte);
	return sums;
}

static inline bool made_same(const struct tl_interval *a, const struct tl_interval *b)
{
	struct tl_code_to x = made_bytes(a), y = made_bytes(b);
	bool is = x.n == y.n && !memcmp(x.byte, y.byte, x.n);

	free(x.byte);
	free(y.byte);
	return is;
}

#endif
