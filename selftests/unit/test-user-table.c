// SPDX-License-Identifier: GPL-2.0-or-later
/* Intervals, figures, quantiles, flows: the arithmetic between kernel and screen. */
#include "tap.h"

#include "error.h"
#include "figures.h"
#include "flow.h"
#include "gap.h"
#include "graph.h"
#include "series.h"
#include "table.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

#define SAMPLES 20000

static int compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Log-uniform over whole octaves, 2 us to 17 s: every one gets its part. */
static u64 draw(void)
{
	return (u64)exp2(11 + 23.0 * rand() / RAND_MAX);
}

static void test_quantiles(void)
{
	static const double qs[] = { 0.01, 0.5, 0.9, 0.95, 0.99, 0.999 };
	static u64 sample[SAMPLES];
	u64 hist[TL_HIST_BUCKETS] = { 0 };
	double truth, found, worst = 0;
	size_t i;

	srand(7);
	for (i = 0; i < SAMPLES; i++) {
		sample[i] = draw();
		hist[tl_hist_bucket(sample[i])]++;
	}
	qsort(sample, SAMPLES, sizeof(*sample), compare);
	for (i = 0; i < ARRAY_SIZE(qs); i++) {
		truth = (double)sample[(size_t)(qs[i] * SAMPLES)] / 1e9;
		found = tl_hist_quantile_s(hist, qs[i]);
		worst = fmax(worst, fabs(found / truth - 1));
	}
	/* A bucket is at most 1/8 wide; with many samples in it, linear is far closer. */
	ok(worst < 0.02, "quantiles within 2 %% of a sorted sample: %.2f %%",
	   100 * worst);
}

static void test_quantile_edges(void)
{
	u64 hist[TL_HIST_BUCKETS] = { 0 };
	u32 at = tl_hist_bucket(1000000);
	double low, high, half;

	ok(tl_hist_quantile_s(hist, 0.5) == 0, "quantile of nothing is 0");
	hist[at] = 4;
	low = tl_hist_quantile_s(hist, 0);
	high = tl_hist_quantile_s(hist, 1);
	half = tl_hist_quantile_s(hist, 0.5);
	ok(low == tl_ns_to_s(tl_hist_low_ns(at)) &&
	       high == tl_ns_to_s(tl_hist_low_ns(at + 1)) && half == (low + high) / 2,
	       "one bucket: from its lower to its upper bound");
	hist[at] = 0;
	hist[TL_HIST_BUCKETS - 1] = 3;
	ok(tl_hist_quantile_s(hist, 0.99) ==
	       tl_ns_to_s(tl_hist_low_ns(TL_HIST_BUCKETS - 1)),
	       "the last bucket answers with its lower bound");
}

static void cell_fill(struct tl_interval *interval, const char *tier, u64 count,
		      u64 response_ns, u64 own_ns)
{
	struct tl_cell *cell = tl_interval_cell(interval, tier, "other");

	cell->count += count;
	cell->response_ns += response_ns;
	cell->own_ns += own_ns;
	cell->response_hist[tl_hist_bucket(response_ns / count)] += count;
}

static void edge_fill(struct tl_interval *interval, const char *tier, const char *peer,
		      const char *peer_tier, u64 calls, u64 time_ns)
{
	struct tl_edge *edge = tl_interval_edge(interval, &(struct tl_edge){
		.tier = (char *)tier, .class = (char *)"other", .peer = (char *)peer,
		.peer_tier = (char *)peer_tier });

	edge->calls += calls;
	edge->time_ns += time_ns;
	edge->by[TL_BY_THREAD] += calls;
}

/* web (100 requests, 10 ms) -> app (50, 15 ms) -> db (100, 4 ms) and a cache outside */
static struct tl_interval *chain(u64 generation)
{
	struct tl_interval *interval = tl_interval_new();

	interval->generation = generation;
	interval->start_ns = generation * 1000000000;
	interval->length_ns = 1000000000;
	cell_fill(interval, "db", 100, 400000000, 400000000);
	cell_fill(interval, "web", 100, 1000000000, 200000000);
	cell_fill(interval, "app", 50, 750000000, 225000000);
	edge_fill(interval, "web", "127.0.0.1:9000", "app", 50, 800000000);
	edge_fill(interval, "app", "127.0.0.1:3306", "db", 100, 475000000);
	edge_fill(interval, "app", "10.0.0.9:11211", NULL, 50, 50000000);
	interval->events[TL_EVENT_SEEN] = 1000;
	interval->events[TL_EVENT_ATTRIBUTED] = 900;
	interval->events[TL_EVENT_UNATTRIBUTED] = 100;
	interval->losses[TL_LOSS_LATE] = 2;
	return interval;
}

static void test_figures(void)
{
	struct tl_interval *interval = chain(1);
	struct tl_figures f;

	ok(!tl_figures_make(&f, interval) && f.n == 3, "a row a tier and class");
	ok(!strcmp(f.row[0].tier, "web") && !strcmp(f.row[1].tier, "app") &&
	       !strcmp(f.row[2].tier, "db"), "rows go from the front tier down");
	ok(f.row[0].rate == 100 && fabs(f.row[0].response_s - 0.010) < 1e-12 &&
	       fabs(f.row[0].own_s - 0.002) < 1e-12, "rate and means of the front tier");
	ok(f.row[1].calls == 3 && f.row[0].calls == 0.5, "calls per request");
	ok(fabs(f.row[2].own_share - 400.0 / 825) < 1e-12, "share of all own time");
	ok(f.attributed == 0.9 && f.events_rate == 1000 && !f.classes,
	       "attribution, events, no classes");
	tl_figures_free(&f);
	tl_sum_set(&tl_interval_cell(interval, "web", "left")->sum[TL_CELL_CPU], 1000);
	ok(!tl_figures_make(&f, interval) && f.n == 3 && !f.classes,
	       "what requests of other intervals had left to do makes no row");
	tl_figures_free(&f);
	tl_interval_free(interval);
}

static void test_waits(void)
{
	struct tl_interval *interval = chain(1);
	struct tl_cell *cell = tl_interval_cell(interval, "web", "other");
	struct tl_figures f;

	tl_sum_set(&cell->sum[TL_CELL_CPU], 120000000);
	tl_sum_set(&cell->sum[TL_CELL_RUN_WAIT], 30000000);
	tl_sum_set(&cell->sum[TL_CELL_QUEUE], 50000000);
	tl_sum_set(&cell->sum[TL_CELL_QUEUE_COUNT], 25);
	tl_figures_make(&f, interval);
	ok(fabs(f.row[0].call_s - 0.008) < 1e-12 && fabs(f.row[0].cpu_s - 0.0012) < 1e-12 &&
		   fabs(f.row[0].run_wait_s - 0.0003) < 1e-12 &&
		   fabs(f.row[0].rest_s - 0.0005) < 1e-12,
	   "calls, run wait, cpu and rest make up the response");
	ok(fabs(f.row[0].queue_s - 0.002) < 1e-12,
	   "the queue is a mean of the requests of which it is known");
	ok(f.cpu && f.row[1].cpu_s < 0 && f.row[1].rest_s < 0 && f.row[1].call_s > 0 &&
		   f.row[0].storage_bytes < 0, "what is not known is not zero");
	tl_figures_free(&f);
	tl_sum_set(&cell->sum[TL_CELL_CPU], 171000000);
	tl_figures_make(&f, interval);
	ok(f.row[0].rest_s == 0, "clocks that differ by a little leave no rest");
	tl_figures_free(&f);
	tl_sum_set(&cell->sum[TL_CELL_CPU], 300000000);
	tl_figures_make(&f, interval);
	ok(f.row[0].rest_s < 0, "the rest of parts that overlap is not known");
	tl_figures_free(&f);
	tl_interval_free(interval);
}

static void test_empty(void)
{
	struct tl_interval *interval = tl_interval_new();
	struct tl_graph graph;
	struct tl_figures f;
	struct tl_flow flow;
	double layer[TL_LAYERS];

	interval->length_ns = 1000000000;
	ok(!tl_figures_make(&f, interval) && f.n == 0 && f.attributed < 0,
	       "an interval without requests has no figures");
	ok(!tl_flow_make(&flow, interval) && flow.front < 0 &&
	       tl_flow_layers(&flow, interval, layer) < 0, "and no front tier");
	ok(!tl_graph_make(&graph, interval) && !graph.n_nodes, "and an empty graph");
	tl_graph_free(&graph);
	tl_flow_free(&flow);
	tl_figures_free(&f);
	tl_interval_free(interval);
}

static void test_circle(void)
{
	struct tl_interval *interval = chain(1);
	struct tl_figures f;
	struct tl_flow flow;

	edge_fill(interval, "db", "127.0.0.1:80", "web", 10, 1000);
	edge_fill(interval, "db", "127.0.0.1:3306", "db", 10, 1000);
	ok(!tl_figures_make(&f, interval) && f.n == 3 && !tl_flow_make(&flow, interval),
	       "tiers that call each other in a circle come to an end");
	tl_flow_free(&flow);
	tl_figures_free(&f);
	tl_interval_free(interval);
}

static void test_flow(void)
{
	struct tl_interval *interval = chain(1);
	double layer[3 + TL_LAYERS], response, sum = 0;
	struct tl_flow flow;
	size_t i;

	tl_flow_make(&flow, interval);
	ok(!strcmp(interval->tiers[flow.front].name, "web"), "the front tier is found");
	response = tl_flow_layers(&flow, interval, layer);
	for (i = 0; i < 3 + TL_LAYERS; i++)
		sum += layer[i];
	ok(fabs(sum - response) < 1e-12 && fabs(response - 0.010) < 1e-12,
	       "own times, between and outside add up to the response");
	ok(fabs(layer[3 + TL_LAYER_BETWEEN] - 0.00125) < 1e-12 &&
	       fabs(layer[3 + TL_LAYER_OUTSIDE] - 0.0005) < 1e-12,
	       "between is the callers' wait less the callees' response");
	tl_flow_free(&flow);
	/* Half of db's requests now come from elsewhere: only half of its work counts. */
	cell_fill(interval, "db", 100, 400000000, 400000000);
	tl_flow_make(&flow, interval);
	tl_flow_layers(&flow, interval, layer);
	ok(fabs(layer[tl_tier_index(interval, "db")] - 0.004) < 1e-12,
	       "a tier that serves others too counts with its part");
	tl_flow_free(&flow);
	tl_interval_free(interval);
}

static void test_graph(void)
{
	struct tl_interval *interval = chain(1);
	struct tl_graph graph;
	size_t i, clients = 0, outside = 0;
	char peer[32];

	tl_graph_make(&graph, interval);
	for (i = 0; i < graph.n_nodes; i++) {
		clients += graph.node[i].kind == TL_NODE_CLIENTS;
		outside += graph.node[i].kind == TL_NODE_OUTSIDE;
	}
	ok(graph.n_nodes == 5 && clients == 1 && outside == 1 && graph.n_links == 4,
	       "nodes: three tiers, the clients, an endpoint outside");
	tl_graph_free(&graph);
	for (i = 0; i < 100; i++) {
		snprintf(peer, sizeof(peer), "10.0.1.%zu:80", i);
		edge_fill(interval, "app", peer, NULL, 1 + i, 1000);
	}
	edge_fill(interval, NULL, "127.0.0.1:3306", "db", 5, 1000);
	tl_graph_make(&graph, interval);
	for (i = 0, outside = 0; i < graph.n_nodes; i++)
		outside += graph.node[i].kind == TL_NODE_OUTSIDE;
	ok(outside == 13, "many endpoints outside: the busiest and the rest (%zu)",
	   outside);
	tl_graph_free(&graph);
	tl_interval_free(interval);
}

static void test_merge(void)
{
	struct tl_interval *total = tl_interval_new(), *one = chain(5), *two = chain(4);
	struct tl_cell sum;

	tl_interval_add(total, one);
	tl_interval_add(total, two);
	tl_tier_sum(&total->tiers[tl_tier_index(total, "web")], &sum);
	ok(sum.count == 200 && sum.response_ns == 2000000000 && total->n_tiers == 3,
	       "cells are summed by tier and class");
	ok(total->n_edges == 3 && total->edges[0].calls + total->edges[1].calls +
						  total->edges[2].calls ==
					  400,
	   "edges are summed by caller, class and peer");
	ok(total->length_ns == 2000000000 && total->start_ns == 4000000000 &&
		   total->generation == 4 && total->losses[TL_LOSS_LATE] == 4 &&
		   total->events[TL_EVENT_SEEN] == 2000,
	   "lengths, losses, events; earliest start");
	tl_interval_free(total);
	tl_interval_free(one);
	tl_interval_free(two);
}

static void charge(struct tl_interval *interval, const char *tier, const char *class,
		   const char *event, u64 value)
{
	tl_interval_charge(interval, &(struct tl_charge){ (char *)tier, (char *)class,
							  (char *)event, value });
}

static u64 charged(const struct tl_interval *interval, const char *tier, const char *class,
		   const char *event)
{
	const struct tl_charge *found = tl_charge_find(interval, tier, class, event);

	return found ? found->value : U64_MAX;
}

static void test_merge_charges(void)
{
	struct tl_interval *total = tl_interval_new(), *one = chain(5), *two = chain(4);
	struct tl_count count = { "cycles", 1, 70, 100, 90 };

	charge(one, "web", "other", "cycles", 10);
	charge(one, "web", "cart", "cycles", 200);
	charge(one, "web", "other", "misses", 3000);
	charge(one, "db", "other", "cycles", 40000);
	charge(two, "db", "other", "cycles", 1);
	charge(two, "web", "cart", "cycles", 2);
	charge(two, "app", "other", "cycles", 0);
	charge(two, "web", "cart", "cycles", 3);
	tl_interval_count(one, &count);
	tl_interval_count(two, &count);
	tl_interval_add(total, one);
	tl_interval_add(total, two);
	ok(total->n_charged == 5 && charged(total, "web", "other", "cycles") == 10 &&
		   charged(total, "web", "cart", "cycles") == 205 &&
		   charged(total, "web", "other", "misses") == 3000 &&
		   charged(total, "db", "other", "cycles") == 40001,
	   "charges are summed by tier, class and event");
	ok(!charged(total, "app", "other", "cycles") &&
		   charged(total, "app", "other", "misses") == U64_MAX,
	   "nothing is another thing than not counted");
	ok(total->n_counts == 1 && total->counts[0].value == 140 &&
		   total->counts[0].enabled_ns == 200 && total->counts[0].running_ns == 180,
	   "counts by event and processor");
	tl_interval_free(one);
	tl_interval_free(two);
	ok(charged(total, "web", "cart", "cycles") == 205, "which are the total's own");
	tl_interval_free(total);
}

/* As many as a large machine has, twice, and one that is copied in between. */
static void test_many_counts(void)
{
	struct tl_interval *interval = tl_interval_new(), *copy = tl_interval_new();
	u32 cpu, n, round, wrong = 0;

	for (round = 0; round < 2; round++) {
		for (cpu = 0; cpu < 100; cpu++)
			for (n = 0; n < 30; n++) {
				struct tl_count count = { "", cpu, cpu * 30 + n, 10, 5 };

				snprintf(count.event, sizeof(count.event), "r%0*d", (int)n + 1, 8);
				tl_interval_count(interval, &count);
			}
		tl_interval_add(copy, interval);
	}
	ok(interval->n_counts == 3000 && copy->n_counts == 3000, "each event of each processor is there once");
	for (n = 0; n < interval->n_counts; n++)
		wrong += interval->counts[n].value != 2 * n || interval->counts[n].enabled_ns != 20 ||
			 copy->counts[n].value != 3 * n || copy->counts[n].running_ns != 15;
	is_u64(wrong, 0, "with all that was counted, in the order in which they came");
	tl_interval_free(interval);
	tl_interval_free(copy);
}

static void count_new(struct tl_interval *interval, const char *event, u32 cpu, u64 value)
{
	struct tl_count *count = tl_interval_count_new(interval);

	snprintf(count->event, sizeof(count->event), "%s", event);
	count->cpu = cpu;
	count->value = value;
}

/* What came in without a look whether it is there, as the kernel's does, is found after that. */
static void test_counts_unlooked(void)
{
	struct tl_interval *interval = tl_interval_new();

	count_new(interval, "cycles", 0, 1);
	tl_interval_count(interval, &(struct tl_count){ "misses", 0, 10, 0, 0 });
	count_new(interval, "cycles", 1, 100);
	tl_interval_count(interval, &(struct tl_count){ "cycles", 1, 1000, 0, 0 });
	tl_interval_count(interval, &(struct tl_count){ "cycles", 0, 10000, 0, 0 });
	tl_interval_count(interval, &(struct tl_count){ "misses", 0, 100000, 0, 0 });
	ok(interval->n_counts == 3 && interval->counts[0].value == 10001 && interval->counts[1].value == 100010 &&
		   interval->counts[2].value == 1100, "what was added unlooked is found");
	tl_interval_free(interval);
}

static void test_series(void)
{
	static struct tl_series series;
	struct tl_interval *interval;
	u64 i, requests = 0, length_ns = 0, uneven = 0, apart = 0;
	struct tl_cell sum;

	for (i = 1; i <= 5000; i++) {
		if (i == 2000 || i == 2001)
			continue;
		interval = chain(i);
		tl_series_add(&series, interval);
		tl_interval_free(interval);
	}
	for (i = 0; i < series.n; i++) {
		tl_tier_sum(&series.slot[i]->tiers[tl_tier_index(series.slot[i], "web")],
			    &sum);
		requests += sum.count;
		length_ns += series.slot[i]->length_ns;
	}
	ok(series.intervals == 4998 && series.missed == 2,
	   "intervals and gaps are counted");
	ok(requests == 499800 && length_ns == 4998000000000 &&
	       series.total->length_ns == length_ns && series.n <= TL_SLOTS,
	       "5000 intervals in %zu slots, nothing lost", series.n);
	for (i = 0; i + 1 < series.n; i++) {
		const struct tl_interval *slot = series.slot[i], *next = series.slot[i + 1];

		uneven += slot->length_ns != series.per_slot * 1000000000ULL;
		/* The two intervals that are missing may fall between two slots. */
		apart += next->start_ns < series.end_ns[i] ||
			 next->start_ns - series.end_ns[i] > 2000000000;
	}
	ok(!uneven && !apart, "all slots are as long, and meet");
	tl_series_free(&series);
}

static void look(struct tl_gap *gap, u64 generation, u64 start_ms, u64 length_ms)
{
	struct tl_interval interval = { .generation = generation,
					.start_ns = start_ms * 1000000,
					.length_ns = length_ms * 1000000 };

	tl_gap_look(gap, &interval);
}

static void test_gap(void)
{
	struct tl_gap gap = { 0 };
	char text[120];

	look(&gap, 500, 1000, 100);
	ok(!gap.missed && !gap.off_ns, "before the first interval nothing is missing");
	look(&gap, 501, 1100, 100);
	ok(!gap.missed && !gap.off_ns, "nor before the next");
	look(&gap, 505, 1510, 100);
	tl_gap_print(text, sizeof(text), &gap);
	ok(gap.missed == 3 && !strcmp(text, "3 intervals missed (generations 502 to 504)"),
	   "a jump that took its time: %s", text);
	look(&gap, 506, 1600, 30);
	look(&gap, 700, 2630, 100);
	tl_gap_print(text, sizeof(text), &gap);
	ok(!gap.missed && !strcmp(text, "measuring was off for 1 s"),
	   "a jump that took less: %s", text);
	look(&gap, 3, 2000, 100);
	tl_gap_print(text, sizeof(text), &gap);
	ok(!gap.missed && !*text, "another host, or an earlier recording: no gap");
	look(&gap, 5, 2200, 100);
	tl_gap_print(text, sizeof(text), &gap);
	ok(gap.missed == 1 && !strcmp(text, "1 interval missed (generation 4)"), "%s", text);
}

static void test_text(void)
{
	static const char hostile[] = "a\xff\xc3\xa9\x1b[31m\xe2\x82\xed\xa0\x80\xc2\x9b";
	char *utf8 = tl_text_utf8(hostile, sizeof(hostile));
	char *printable = tl_text_printable(utf8), part[5];

	ok(!strcmp(utf8,
		   "a\xef\xbf\xbd\xc3\xa9\x1b[31m\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
		   "\xef\xbf\xbd\xef\xbf\xbd\xc2\x9b"),
	   "bytes that are no UTF-8 are replaced");
	ok(!strcmp(printable,
		   "a\xef\xbf\xbd\xc3\xa9?[31m\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
		   "\xef\xbf\xbd\xef\xbf\xbd?"),
	   "control characters do not reach a terminal");
	ok(tl_text_width("a\xc3\xa9\xef\xbf\xbd") == 3, "width in characters");
	tl_text_cut(part, sizeof(part), "ab\xef\xbf\xbd");
	ok(!strcmp(part, "ab"), "what does not fit is cut in front of a character, not inside: '%s'", part);
	tl_text_cut(part, sizeof(part), "a\xef\xbf\xbd" "b");
	ok(!strcmp(part, "a\xef\xbf\xbd"), "what just fits is there: '%s'", part);
	free(utf8);
	free(printable);
}

int main(void)
{
	test_quantiles();
	test_quantile_edges();
	test_figures();
	test_waits();
	test_empty();
	test_circle();
	test_flow();
	test_graph();
	test_merge();
	test_merge_charges();
	test_many_counts();
	test_counts_unlooked();
	test_series();
	test_gap();
	test_text();
	return done();
}
