// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics of tierlensd: what is added up, how much of it there may be, and how it is written. */
#include "daemon/metrics.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOUR_NS 3600000000000ULL

/* An interval with one tier of so many classes, each with one request of that time. */
static struct tl_interval *interval_of(const char *tier, size_t classes, u64 ns)
{
	struct tl_interval *interval = tl_interval_new();
	struct tl_cell *cell;
	char name[32];
	size_t i;

	interval->start_ns = 5000000000;
	interval->length_ns = 1000000000;
	for (i = 0; i < classes; i++) {
		snprintf(name, sizeof(name), "c%zu", i);
		cell = tl_interval_cell(interval, tier, name);
		cell->count = 1;
		cell->response_ns = cell->own_ns = ns;
		cell->response_hist[tl_hist_bucket(ns)] = cell->own_hist[tl_hist_bucket(ns)] = 1;
	}
	return interval;
}

static void add(struct tl_metrics *metrics, struct tl_interval *interval, u64 now_ns)
{
	tl_metrics_add(metrics, interval, 0, now_ns);
	tl_interval_free(interval);
}

struct sums {
	u64 requests, samples, in_other, last_bucket;
	bool shrank, cumulative;
};

static int sum_up(const struct tl_sample *sample, void *arg)
{
	struct sums *sums = arg;

	sums->samples++;
	if (!strcmp(sample->family->name, "tierlens_requests")) {
		sums->requests += sample->exact.n;
		if (!strcmp(sample->value[1], "other"))
			sums->in_other += sample->exact.n;
	}
	if (!strcmp(sample->suffix, "_bucket")) {
		if (sums->last_bucket > sample->exact.n)
			sums->cumulative = false;
		sums->last_bucket = strcmp(sample->value[sample->labels - 1], "+Inf") ? sample->exact.n : 0;
	}
	return 0;
}

static struct sums all(const struct tl_metrics *metrics)
{
	struct sums sums = { .cumulative = true };

	tl_metrics_each(metrics, sum_up, &sums);
	return sums;
}

/* The figure with this beginning in the text; NAN if there is none. */
static double figure(const struct tl_metrics *metrics, const char *name)
{
	size_t len, n = strlen(name);
	char *text = tl_metrics_text(metrics, true, &len), *at = text;
	double value = NAN;

	for (; at && *at; at = strchr(at, '\n') + 1)
		if (!strncmp(at, name, n) && at[n] == ' ')
			value = strtod(at + n, NULL);
	free(text);
	return value;
}

static void buckets(void)
{
	/* Around the first bound and the last, far beyond both, and every edge of the core's buckets. */
	struct tl_metrics metrics;
	unsigned int i, exact = 0, bound;
	u64 below[TL_METRIC_BOUNDS] = { 0 };
	char name[120];

	tl_metrics_begin(&metrics, TL_SERIES_DEFAULT);
	for (i = 0; i < TL_HIST_BUCKETS; i++) {
		add(&metrics, interval_of("t", 1, tl_hist_low_ns(i)), 1);
		for (bound = 0; bound < TL_METRIC_BOUNDS; bound++)
			below[bound] += tl_hist_low_ns(i) < 1ULL << (TL_METRIC_FIRST_EXP + bound);
	}
	for (bound = 0; bound < TL_METRIC_BOUNDS; bound++) {
		snprintf(name, sizeof(name), "tierlens_response_seconds_bucket{tier=\"t\",class=\"c0\",le=\"%s\"}",
			 metrics.bound[bound]);
		exact += figure(&metrics, name) == (double)below[bound];
	}
	ok(exact == TL_METRIC_BOUNDS, "every bound has exactly what is below it");
	ok(figure(&metrics, "tierlens_response_seconds_count{tier=\"t\",class=\"c0\"}") == TL_HIST_BUCKETS &&
	   figure(&metrics, "tierlens_response_seconds_bucket{tier=\"t\",class=\"c0\",le=\"+Inf\"}") == TL_HIST_BUCKETS,
	   "and nothing is beyond all");
	ok(all(&metrics).cumulative, "buckets are cumulative");
	tl_metrics_end(&metrics);
}

static void cap(void)
{
	struct tl_metrics metrics;
	struct sums before, after;
	char tier[20];
	size_t i;

	tl_metrics_begin(&metrics, TL_SERIES_LEAST);
	add(&metrics, interval_of("t", 2000, 1000000), 1);
	before = all(&metrics);
	ok(before.samples <= TL_SERIES_LEAST && metrics.series <= TL_SERIES_LEAST, "2000 classes: no more series than allowed");
	ok(before.requests == 2000 && before.in_other > 1900, "and no request is lost: the others are \"other\"");
	ok(figure(&metrics, "tierlens_series_capped_total") == (double)before.in_other, "which is counted");
	for (i = 0; i < 500; i++) {
		snprintf(tier, sizeof(tier), "t%zu", i);
		add(&metrics, interval_of(tier, 1, 1000000), 2);
	}
	after = all(&metrics);
	ok(after.samples <= TL_SERIES_LEAST + tl_rows_series(TL_ROWS_CELL) && after.requests == 2500,
	   "500 tiers more, the same");
	add(&metrics, interval_of("new", 1, 1000000), 3 + HOUR_NS);
	add(&metrics, interval_of("new", 1, 1000000), 4 + HOUR_NS);
	ok(figure(&metrics, "tierlens_requests_total{tier=\"new\",class=\"c0\"}") == 1,
	   "an hour later tiers that are gone have made room");
	tl_metrics_end(&metrics);
}

static void gone(void)
{
	struct tl_metrics metrics;
	const char *name = "tierlens_requests_total{tier=\"a\",class=\"c1\"}";
	size_t series;

	tl_metrics_begin(&metrics, TL_SERIES_DEFAULT);
	add(&metrics, interval_of("b", 1, 1000000), 1);
	series = metrics.series;
	add(&metrics, interval_of("a", 2, 1000000), 1);
	add(&metrics, interval_of("a", 1, 1000000), HOUR_NS);
	add(&metrics, interval_of("a", 1, 1000000), 2 * HOUR_NS);
	ok(figure(&metrics, name) == 1, "a class that is rare stays, as long as its tier is there");
	ok(isnan(figure(&metrics, "tierlens_requests_total{tier=\"b\",class=\"c0\"}")), "a tier that is gone for an hour goes");
	add(&metrics, interval_of("b", 1, 1000000), 4 * HOUR_NS);
	ok(figure(&metrics, "tierlens_requests_total{tier=\"b\",class=\"c0\"}") == 1 && isnan(figure(&metrics, name)) &&
	   metrics.series == series, "and what it took is free again");
	tl_metrics_end(&metrics);
}

static void text(void)
{
	struct tl_metrics metrics;
	size_t open_len, plain_len;
	char *open, *plain;

	tl_metrics_begin(&metrics, TL_SERIES_DEFAULT);
	add(&metrics, interval_of("a\"b\\c\nd<script>", 1, 1234567891), 1);
	open = tl_metrics_text(&metrics, true, &open_len);
	plain = tl_metrics_text(&metrics, false, &plain_len);
	ok(strlen(open) == open_len && strlen(plain) == plain_len, "lengths");
	ok(strstr(open, "\ntierlens_requests_total{tier=\"a\\\"b\\\\c\\nd<script>\",class=\"c0\"} 1\n") != NULL,
	   "quotes, backslashes and newlines in names");
	ok(strstr(open, "le=\"3.2768e-05\"} 0\n") && strstr(open, "le=\"34.359738368\"} 1\n"), "bounds as they are compared");
	ok(strstr(open, "_sum{tier=\"a\\\"b\\\\c\\nd<script>\",class=\"c0\"} 1.234567891\n") != NULL, "no digit is rounded away");
	ok(strstr(open, "# TYPE tierlens_requests counter\n") && strstr(open, "# UNIT tierlens_response_seconds seconds\n") &&
	   !strcmp(open + open_len - 7, "\n# EOF\n"), "OpenMetrics");
	ok(strstr(plain, "# TYPE tierlens_requests_total counter\n") && strstr(plain, "# TYPE tierlens_build_info gauge\n") &&
	   !strstr(plain, "# UNIT") && !strstr(plain, "# EOF"), "Prometheus 0.0.4");
	free(open);
	free(plain);
	tl_metrics_end(&metrics);
}

static int stop_at_three(const struct tl_sample *sample, void *arg)
{
	(void)sample;
	return ++*(int *)arg == 3 ? 42 : 0;
}

static void unknown(void)
{
	struct tl_interval *interval = interval_of("t", 1, 1000);
	struct tl_metrics metrics;
	int n = 0;

	tl_metrics_begin(&metrics, TL_SERIES_DEFAULT);
	add(&metrics, interval, 1);
	ok(isnan(figure(&metrics, "tierlens_cpu_seconds_total{tier=\"t\",class=\"c0\"}")), "what is not known is not zero");
	interval = interval_of("t", 1, 1000);
	tl_sum_set(&interval->tiers[0].cells[0].sum[TL_CELL_CPU], 2500000000);
	interval->tiers[0].cells[0].level = TL_AT_METHOD;
	add(&metrics, interval, 2);
	ok(figure(&metrics, "tierlens_cpu_seconds_total{tier=\"t\",class=\"c0\"}") == 2.5, "once it is, it is there");
	ok(figure(&metrics, "tierlens_level{tier=\"t\",tierlens_level=\"method\"}") == 1 &&
	   figure(&metrics, "tierlens_level{tier=\"t\",tierlens_level=\"server\"}") == 0, "levels are a set of states");
	ok(tl_metrics_each(&metrics, stop_at_three, &n) == 42 && n == 3, "who has enough is not told more");
	ok(metrics.time_ns == 6000000000, "figures are of the last interval's end");
	tl_metrics_end(&metrics);
}

static void hosts(void)
{
	struct tl_interval *interval = interval_of("t", 1, 1000);
	struct tl_metrics metrics;

	tl_metrics_begin(&metrics, TL_SERIES_DEFAULT);
	tl_interval_host(interval, "cpu", 0.25, 1000000000);
	tl_interval_host(interval, "net.eth0.in_bytes_s", 1500, 1000000000);
	add(&metrics, interval, 1);
	ok(figure(&metrics, "tierlens_host_utilization_ratio{resource=\"cpu\"}") == 0.25 &&
	   figure(&metrics, "tierlens_host_bytes_per_second{resource=\"net.eth0.in_bytes_s\"}") == 1500, "the host's resources");
	add(&metrics, interval_of("t", 1, 1000), 2);
	ok(isnan(figure(&metrics, "tierlens_host_utilization_ratio{resource=\"cpu\"}")), "are those of the last interval");
	tl_metrics_end(&metrics);
}

int main(void)
{
	buckets();
	cap();
	gone();
	text();
	unknown();
	hosts();
	return done();
}
