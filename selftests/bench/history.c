// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How large a year of history is, how long queries of it take, and what an interval costs
 *
 * A year of 20 tiers and 10 classes, with every cell, edge and path in every interval, and a day's ups and downs. The
 * clock is simulated: what is older than the last three days is fed as intervals of an hour, then as those of a minute,
 * and the last hours as those of a second, all by tl_history_add(); each is as a kernel would have closed one of that
 * length. What is left of them in the file is what would be left of seconds: sums of an hour are sums of an hour.
 *
 * Usage: bench-history FILE [DAYS [HOURS]]; DAYS in all (365), of which the last HOURS in seconds (2); for 0 days
 * only what is in the file is asked for
 */
#include "made-intervals.h"

#include "daemon/history-json.h"
#include "daemon/history.h"
#include "error.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#define S 1000000000ULL
#define HOUR (3600 * S)
#define DAY (24 * HOUR)
#define BEGIN_NS (1735689600ULL * S)

static u64 generation, now_ns = BEGIN_NS, largest;
static const char *file;
static double spent_s;

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static u64 size_of(const char *beside)
{
	struct stat stats;
	char name[4096];

	snprintf(name, sizeof(name), "%s%s", file, beside);
	return stat(name, &stats) ? 0 : (u64)stats.st_size;
}

static void feed(struct tl_history *history, u64 until_ns, u64 length_ns)
{
	struct tl_error err = { "" };
	double before_s;
	u64 n = 0;

	for (spent_s = 0; now_ns < until_ns; now_ns += length_ns, n++) {
		struct tl_interval *interval = made_interval(++generation, now_ns, length_ns, 20, 10, 2.5);

		before_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
		tl_history_add(history, interval);
		if (n % 10 == 9 && tl_history_flush(history, &err))
			fprintf(stderr, "%s\n", err.text);
		spent_s += seconds(CLOCK_PROCESS_CPUTIME_ID) - before_s;
		tl_interval_free(interval);
		largest = max(largest, size_of("") + size_of("-wal") + size_of("-shm"));
	}
	printf("%llu intervals of %llu s: %.3f ms of a processor each; file %.1f MB, with what is beside it at most %.1f MB\n",
	       (unsigned long long)n, (unsigned long long)(length_ns / S), n ? spent_s / (double)n * 1e3 : 0,
	       (double)size_of("") / 1e6, (double)largest / 1e6);
	fflush(stdout);
}

static int count(const struct tl_history_point *point, void *arg)
{
	u64 *n = arg;

	n[0]++;
	n[1] += point->n;
	return 0;
}

static void ask(struct tl_history *history, const char *what, u64 from_ns, u64 to_ns, const char *tier, bool no_hists)
{
	const struct tl_history_query query = { .from_ns = from_ns, .to_ns = to_ns, .points = 480, .tier = tier,
						.no_hists = no_hists };
	double worst_s = 0, cpu_s = 0, before_s, cpu_before_s;
	struct tl_error err;
	u64 n[2] = { 0 };
	int i;

	for (i = 0; i < 5; i++) {
		n[0] = n[1] = 0;
		before_s = seconds(CLOCK_MONOTONIC);
		cpu_before_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
		if (tl_history_each(history, &query, count, n, &err))
			fprintf(stderr, "%s\n", err.text);
		worst_s = max(worst_s, seconds(CLOCK_MONOTONIC) - before_s);
		cpu_s = max(cpu_s, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_before_s);
	}
	printf("%-12s %-34s %4llu points of %9llu intervals, %6.1f ms at worst of 5 (%.1f ms of a processor)\n", what,
	       tier ? "one tier, with histograms" : no_hists ? "all, without histograms" : "all, with histograms",
	       (unsigned long long)n[0], (unsigned long long)n[1], worst_s * 1e3, cpu_s * 1e3);
}

/* As the page of tierlensd asks, from the opening of the file to the text. */
static void draw(const char *what, u64 from_ns, u64 to_ns, const char *tier, bool hist)
{
	const struct tl_history_ask of = { file, from_ns, to_ns, 240, 40, tier, NULL };
	double worst_s = 0, cpu_s = 0, before_s, cpu_before_s;
	struct tl_error err;
	size_t len = 0;
	char *json;
	int i;

	for (i = 0; i < 5; i++) {
		before_s = seconds(CLOCK_MONOTONIC);
		cpu_before_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
		if (hist ? tl_history_histogram(&of, &json, &err) : tl_history_series(&of, &json, &err))
			fprintf(stderr, "%s\n", err.text);
		worst_s = max(worst_s, seconds(CLOCK_MONOTONIC) - before_s);
		cpu_s = max(cpu_s, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_before_s);
		len = json ? strlen(json) : 0;
		free(json);
	}
	printf("%-12s %-34s %4zu kB of JSON, %6.1f ms at worst of 5 (%.1f ms of a processor)\n", what,
	       hist ? "page: a tier's histogram" : tier ? "page: a tier over time" : "page: all over time", len / 1000,
	       worst_s * 1e3, cpu_s * 1e3);
}

static void rows_tell(void)
{
	struct tl_base base;
	struct tl_error err;
	sqlite3_int64 n = 0, bytes = 0, from = 0;
	char sql[200];
	int i;

	if (tl_base_open(&base, &tl_history_kind, file, SQLITE_OPEN_READWRITE, 1000, &err))
		return;
	if (!tl_base_number(&base, "SELECT max(end_ns) FROM raw", &n, &err))
		now_ns = (u64)n;
	for (i = 0; i < TL_HISTORY_LEVELS; i++) {
		const char *table = tl_history_level[i].table;

		snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", table);
		tl_base_number(&base, sql, &n, &err);
		snprintf(sql, sizeof(sql), "SELECT coalesce(sum(bytes), 0) FROM %s", table);
		tl_base_number(&base, sql, &bytes, &err);
		snprintf(sql, sizeof(sql), "SELECT coalesce(min(start_ns), 0) FROM %s", table);
		tl_base_number(&base, sql, &from, &err);
		printf("%-12s %5lld rows, %6.1f MB, %5.1f KB a row, back %.2f days\n", tl_history_level[i].name, (long long)n,
		       (double)bytes / 1e6, n ? (double)bytes / (double)n / 1e3 : 0, (double)(now_ns - (u64)from) / (double)DAY);
	}
	tl_base_close(&base);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *what;
		u64 back_ns;
	} times[] = { { "5 minutes", 300 * S }, { "hour", HOUR }, { "6 hours", 6 * HOUR }, { "day", DAY }, { "3 days", 3 * DAY },
		      { "week", 7 * DAY }, { "month", 30 * DAY }, { "quarter", 91 * DAY }, { "half a year", 182 * DAY },
		      { "year", 365 * DAY } };
	u64 days = argc > 2 ? strtoull(argv[2], NULL, 10) : 365, hours = argc > 3 ? strtoull(argv[3], NULL, 10) : 2;
	u64 end_ns = BEGIN_NS + days * DAY;
	struct tl_history *history;
	struct rusage usage;
	struct tl_error err;
	double before_s;
	size_t i;

	if (argc < 2 || (days && hours > days * 24))
		return 2;
	file = argv[1];
	if (tl_history_open(&history, file, &tl_history_limits, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (days) {
		feed(history, days > 3 ? end_ns - 3 * DAY : BEGIN_NS, HOUR);
		feed(history, end_ns - hours * HOUR, 60 * S);
		feed(history, end_ns, S);
	}
	rows_tell();
	for (i = 0; i < ARRAY_SIZE(times); i++)
		ask(history, times[i].what, now_ns - min(times[i].back_ns, now_ns - BEGIN_NS), now_ns, NULL, true);
	for (i = 0; i < ARRAY_SIZE(times); i++)
		ask(history, times[i].what, now_ns - min(times[i].back_ns, now_ns - BEGIN_NS), now_ns, "service-7:8007", false);
	for (i = 0; i < ARRAY_SIZE(times); i++)
		draw(times[i].what, now_ns - min(times[i].back_ns, now_ns - BEGIN_NS), now_ns, NULL, false);
	for (i = 0; i < ARRAY_SIZE(times); i++)
		draw(times[i].what, now_ns - min(times[i].back_ns, now_ns - BEGIN_NS), now_ns, "service-7:8007", true);
	ask(history, "an old day", now_ns - min(200 * DAY, now_ns - BEGIN_NS), now_ns - min(199 * DAY, now_ns - BEGIN_NS), NULL, false);
	ask(history, "hour", now_ns - HOUR, now_ns, NULL, false);
	ask(history, "year", BEGIN_NS, now_ns, NULL, false);
	tl_history_close(history);
	before_s = seconds(CLOCK_MONOTONIC);
	if (tl_history_open(&history, file, &tl_history_limits, &err))
		return 1;
	printf("opened in %.0f ms\n", (seconds(CLOCK_MONOTONIC) - before_s) * 1e3);
	tl_history_close(history);
	getrusage(RUSAGE_SELF, &usage);
	printf("memory: %.1f MB at most\n", (double)usage.ru_maxrss / 1e3);
	return 0;
}
