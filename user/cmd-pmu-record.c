// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens pmu record: what counters counted, interval by interval, as CSV. */
#include "clock.h"
#include "cmd.h"
#include "error.h"
#include "out.h"
#include "pmu-classes.h"
#include "pmu-events.h"
#include "pmu-at-once.h"
#include "record.h"
#include "request.h"
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL_S 1.0
#define SELDOM_MS 500 /* a file is written so seldom, with all intervals that are closed by then */
#define NS_PER_MS ((u64)1000000)
#define NS_PER_S ((u64)1000000000)
#define WHEN_BYTES 32
/* The name, quoted; a number of a processor, a count, two times, and what is between them. */
#define ROW_BYTES (WHEN_BYTES + sizeof(((struct tl_pmu_info *)NULL)->name) + 2 + 10 + 3 * 20 + 2 * 10 + 6)

struct args {
	const struct tl_cmd *cmd;
	char *events;
	struct tl_record record;
	double interval_s;
	bool classes, json;
};

/*
 * @group: of each event, by what the kernel says of counters
 * @groups: how many; 0: it says nothing
 * @total: what there was of requests, if that is wanted
 * @by_us: measuring was off, and is on for this
 */
struct session {
	struct args *args;
	struct tl_ctl *ctl;
	struct tl_pmu_info event[TIERLENS_PMU_EVENTS_MAX];
	struct tl_count sum[TIERLENS_PMU_EVENTS_MAX];
	struct tl_interval *total;
	size_t group[TIERLENS_PMU_EVENTS_MAX];
	size_t n, added, groups;
	bool by_us;
};

/* ---- what is counted ------------------------------------------------------------- */

static int events_find(struct session *s, struct tl_error *err)
{
	char *rest = s->args->events, *text;
	int code = 0;

	while (!code && (text = strsep(&rest, ","))) {
		/* A device's terms have commas themselves. */
		while (rest && strchr(text, '/') && strchr(text, '/') == strrchr(text, '/')) {
			rest[-1] = ',';
			strsep(&rest, ",");
		}
		if (s->n == TIERLENS_PMU_EVENTS_MAX)
			return tl_error_set(err, -E2BIG, "more than %d events: record some of them", TIERLENS_PMU_EVENTS_MAX);
		code = tl_pmu_events_find(TL_PMU_DEVICES, text, &s->event[s->n], err);
		s->event[s->n++].charged = s->args->classes;
	}
	return code;
}

/* Requests that began before the events were there would count for less than they are. */
static void whole_only(struct session *s)
{
	s->args->record.since_ns = tl_clock_ns(CLOCK_REALTIME);
}

static int measuring_begin(struct session *s, struct tl_error *err)
{
	u32 interval_ms = (u32)((s->args->interval_s > 0 ? s->args->interval_s : INTERVAL_S) * 1000 + 0.5);
	struct tl_module module;
	int code = tl_ctl_module(s->ctl, &module, err);

	if (code)
		return code;
	if (!module.enabled) {
		s->by_us = true;
		return tl_ctl_enable(s->ctl, interval_ms, 0, err);
	}
	if (s->args->classes)
		whole_only(s);
	if (s->args->interval_s > 0 && module.interval_ms != interval_ms)
		return tl_error_set(err, -EBUSY, "measuring is on with intervals of %g s: leave --interval out, or "
				    "tierlens disable first", module.interval_ms / 1e3);
	return 0;
}

/* Before anything is counted, if the kernel can be asked. What is charged takes no turns. */
static void groups_find(struct session *s)
{
	struct tl_error ignored;
	int n = s->args->classes ? 0 : tl_pmu_groups(TL_PMU_DEVICES, s->event, s->n, s->group, &ignored);

	s->groups = n > 0 ? (size_t)n : 0;
	if (s->groups > 1)
		fprintf(stderr, "%zu events take turns on the counters: %zu groups would not\n", s->n, s->groups);
}

static int begin(struct session *s, struct tl_error *err)
{
	int code = tl_ctl_open(&s->ctl, err);

	for (; !code && s->added < s->n; s->added += !code)
		code = tl_ctl_pmu_add(s->ctl, &s->event[s->added], err);
	if (code)
		return code;
	groups_find(s);
	return measuring_begin(s, err);
}

/*
 * As it was before, whatever happened. While measuring is on an event that is charged to
 * requests keeps its place, so it goes when that is over.
 */
static int end(struct session *s)
{
	int status = TL_EXIT_OK;
	struct tl_error err;

	if (s->by_us && tl_ctl_disable(s->ctl, &err))
		status = tl_out_failed(&err);
	while (s->added > 0)
		if (tl_ctl_pmu_del(s->ctl, s->event[--s->added].name, &err))
			status = tl_out_failed(&err);
	if (s->ctl)
		tl_ctl_close(s->ctl);
	return status;
}

/* ---- what comes of it -------------------------------------------------------------- */

/* @hint: where it may be: rows are in the order of events; set to where the next may be */
static struct tl_count *sum_of(struct session *s, const char *event, size_t *hint)
{
	size_t i, at;

	for (i = 0; i < s->n; i++) {
		at = (*hint + i) % s->n;
		if (strcmp(s->event[at].name, event))
			continue;
		*hint = at + 1;
		return &s->sum[at];
	}
	return NULL;
}

static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
			    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
			    "8081828384858687888990919293949596979899";

/*
 * Whole numbers, of which there are four for each event and processor: without printf, with which
 * a row took three times as long, and two digits at a time.
 * Return: behind the @n digits.
 */
static char *put_digits(char *to, u64 value, size_t n)
{
	size_t left;

	for (left = n; left >= 2; left -= 2, value /= 100)
		memcpy(to + left - 2, pairs + value % 100 * 2, 2);
	if (left)
		*to = (char)('0' + value % 10);
	return to + n;
}

static char *put_whole(char *to, u64 value)
{
	u64 rest = value;
	size_t n = 1;

	for (; rest >= 100; rest /= 100)
		n += 2;
	return put_digits(to, value, n + (rest >= 10));
}

static char *put_seconds(char *to, u64 ns)
{
	to = put_whole(to, ns / NS_PER_S);
	*to++ = '.';
	return put_digits(to, ns % NS_PER_S, 9);
}

/* As a line begins: seconds, rounded to thousandths. */
static void put_when(char *to, u64 ns)
{
	u64 ms = (ns + NS_PER_MS / 2) / NS_PER_MS;

	to = put_whole(to, ms / 1000);
	*to++ = '.';
	*put_digits(to, ms % 1000, 3) = '\0';
}

static char *put_event(char *to, const char *event)
{
	bool quoted = strchr(event, ',');

	if (quoted)
		*to++ = '"';
	to = stpcpy(to, event);
	if (quoted)
		*to++ = '"';
	return to;
}

/* The event is one of ours, and its name not longer. Whether that went well is for @to to tell. */
static void row_write(FILE *to, const char *when, const struct tl_count *c)
{
	char row[ROW_BYTES], *end;

	end = stpcpy(row, when);
	*end++ = ',';
	end = put_whole(end, c->cpu);
	*end++ = ',';
	end = put_event(end, c->event);
	*end++ = ',';
	end = put_whole(end, c->value);
	*end++ = ',';
	end = put_seconds(end, c->enabled_ns);
	*end++ = ',';
	end = put_seconds(end, c->running_ns);
	*end++ = '\n';
	fwrite_unlocked(row, (size_t)(end - row), 1, to);
}

static int write_rows(FILE *to, const char *name, const struct tl_interval *interval, void *arg,
		      struct tl_error *err)
{
	struct session *s = arg;
	size_t i, hint = 0;
	char when[WHEN_BYTES];

	errno = 0;
	put_when(when, interval->start_ns);
	if (!s->args->record.written)
		fputs("t,cpu,event,value,enabled,running\n", to);
	for (i = 0; i < interval->n_counts; i++) {
		const struct tl_count *c = &interval->counts[i];
		struct tl_count *sum = sum_of(s, c->event, &hint);

		if (!sum)
			continue;
		sum->value += c->value;
		sum->enabled_ns += c->enabled_ns;
		sum->running_ns += c->running_ns;
		row_write(to, when, c);
	}
	if (fflush(to) || ferror(to))
		return tl_error_write(err, -errno, name);
	return s->total && tl_interval_add(s->total, interval) ? tl_error_no_memory(err) : 0;
}

static double running_of(const struct tl_count *sum)
{
	return sum->enabled_ns ? (double)sum->running_ns / (double)sum->enabled_ns : 0;
}

/* Of the n-th group, as record takes it. */
static void group_print(const struct session *s, const size_t *group, size_t n)
{
	const char *before = "  -e ";
	size_t i;

	for (i = 0; i < s->n; i++)
		if (group[i] == n) {
			fprintf(stderr, "%s%s", before, s->event[i].name);
			before = ",";
		}
	putc('\n', stderr);
}

/* If the kernel says nothing: as many as were counted at once, in the order in which they
 * were given. Return: how many groups, or 0. */
static size_t groups_guess(const struct session *s, double at_once, size_t *group)
{
	size_t fit = (size_t)(at_once + 0.05), i;

	if (!fit)
		return 0;
	fprintf(stderr, "%zu of them are counted at once. Without taking turns:\n", fit);
	for (i = 0; i < s->n; i++)
		group[i] = i / fit;
	return group[s->n - 1] + 1;
}

static void groups_print(const struct session *s)
{
	size_t guess[TIERLENS_PMU_EVENTS_MAX], groups = s->groups, i;
	const size_t *group = s->group;
	double at_once = 0;

	for (i = 0; i < s->n; i++)
		at_once += running_of(&s->sum[i]);
	if (at_once + 0.05 >= (double)s->n)
		return;
	if (groups > 1) {
		fprintf(stderr, "%zu groups take no turns, if nobody else counts:\n", groups);
	} else {
		if (groups)
			fprintf(stderr, "They fit on the counters, but somebody else counts as well: the NMI "
				"watchdog, or perf.\n");
		groups = groups_guess(s, at_once, guess);
		group = guess;
	}
	for (i = 0; i < groups; i++)
		group_print(s, group, i);
}

static int print(const struct session *s)
{
	struct tl_grid *grid = tl_grid_new("event|>counted|>of the time %");
	struct tl_error err;
	size_t i;

	for (i = 0; i < s->n; i++) {
		tl_grid_add(grid, "%s", s->event[i].name);
		tl_grid_add(grid, "%" PRIu64, s->sum[i].value);
		tl_grid_add(grid, "%.1f", 100 * running_of(&s->sum[i]));
	}
	tl_grid_print(grid, stderr, 0, 0);
	tl_grid_free(grid);
	groups_print(s);
	if (s->total && tl_pmu_classes_print(s->total, s->event, s->n, stderr)) {
		tl_error_no_memory(&err);
		return tl_out_failed(&err);
	}
	return TL_EXIT_OK;
}

static json_t *groups_json(const struct session *s)
{
	json_t *groups = s->groups ? json_array() : json_null();
	size_t i, n;

	for (n = 0; n < s->groups; n++) {
		json_t *group = json_array();

		for (i = 0; i < s->n; i++)
			if (s->group[i] == n)
				json_array_append_new(group, tl_out_name(s->event[i].name));
		json_array_append_new(groups, group);
	}
	return groups;
}

static json_t *summary_json(const struct session *s)
{
	json_t *events = json_array(), *summary;
	size_t i;

	for (i = 0; i < s->n; i++)
		json_array_append_new(events, json_pack("{s:o, s:I, s:f, s:f}", "event",
							tl_out_name(s->event[i].name), "value",
							(json_int_t)s->sum[i].value, "enabled_s",
							tl_ns_to_s(s->sum[i].enabled_ns), "running_s",
							tl_ns_to_s(s->sum[i].running_ns)));
	summary = json_pack("{s:o, s:I, s:I, s:o, s:o}", "file", tl_out_name(s->args->record.file), "intervals",
			    (json_int_t)s->args->record.written, "missed",
			    (json_int_t)s->args->record.missed, "events", events, "groups",
			    groups_json(s));
	if (s->total) {
		json_object_set_new(summary, "classes", tl_pmu_classes_json(s->total, s->event, s->n));
		json_object_set_new(summary, "outside", tl_pmu_outside_json(s->total, s->event, s->n));
	}
	return summary;
}

static int summary(const struct session *s)
{
	if (!s->args->record.begun)
		return TL_EXIT_OK;
	return s->args->json && s->args->record.file ? tl_out_json(summary_json(s)) : print(s);
}

static int session(struct session *s)
{
	struct args *args = s->args;
	int status, ended, said;
	struct tl_error err;

	args->record.write = write_rows;
	args->record.no_hosts = true;
	args->record.seldom_ms = args->record.file ? SELDOM_MS : 0;
	args->record.arg = s;
	status = begin(s, &err) ? tl_out_failed(&err) : tl_record(&args->record);
	ended = end(s);
	said = summary(s);
	status = status ? status : ended;
	return status ? status : said;
}

static int record(struct args *args)
{
	static struct session s;
	struct tl_error err;
	int status;

	s.args = args;
	if (events_find(&s, &err))
		return tl_out_failed(&err);
	if (args->classes && s.n > TL_USED_COUNTS)
		return tl_args_usage(args->cmd, "pmu record --classes takes at most %d events, which "
				     "take no turns: leave some out", TL_USED_COUNTS);
	s.total = args->classes ? tl_interval_new() : NULL;
	if (args->classes && !s.total) {
		tl_error_no_memory(&err);
		return tl_out_failed(&err);
	}
	status = session(&s);
	tl_interval_free(s.total);
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "event", required_argument, NULL, 'e' },
		{ "output", required_argument, NULL, 'o' },
		{ "intervals", required_argument, NULL, 'n' },
		{ "seconds", required_argument, NULL, 's' },
		{ "interval", required_argument, NULL, 'i' },
		{ "classes", no_argument, NULL, 'c' },
		TL_COMMON_OPTIONS
	};
	struct args args = { .cmd = cmd };
	int option, status = TL_EXIT_OK;

	while (!status && (option = tl_args_next(cmd, argc, argv, "e:o:n:s:i:c", options)) >= 0) {
		if (option == 'e')
			args.events = optarg;
		else if (option == 'o')
			args.record.file = optarg;
		else if (option == 'n')
			status = tl_args_u64("-n", optarg, 1, UINT64_MAX, &args.record.n);
		else if (option == 's')
			status = tl_args_number("--seconds", optarg, 1e-3, &args.record.seconds);
		else if (option == 'i')
			status = tl_args_number("--interval", optarg, 0.1, &args.interval_s);
		else if (option == 'c')
			args.classes = true;
		else
			args.json = true;
	}
	if (status)
		return status;
	status = tl_args_end(cmd, option, argc, argv);
	if (status != TL_GO_ON)
		return status;
	if (!args.events)
		return tl_args_usage(cmd, "pmu record needs events: -e cycles,instructions");
	return record(&args);
}

const struct tl_cmd tl_cmd_pmu_record = {
	.name = "pmu record",
	.args = "-e EVENT[,EVENT]... [-o FILE.csv] [-n N] [--seconds S] [--interval S]\n"
		"       [--classes] [--json]",
	.summary = "Count events on all processors, interval by interval",
	.help = "  -e, --event E,... names as of tierlens pmu list, rHEX, or DEVICE/TERMS/\n"
		"  -o, --output FILE where to write CSV; standard output without it\n"
		"  -n, --intervals N stop after N intervals\n"
		"  -s, --seconds S   stop after S seconds\n"
		"  -i, --interval S  length of intervals, if measuring is off (1)\n"
		"  -c, --classes     also by tier and class of requests: counts per request of at most\n"
		"                    four events, which then take no turns\n"
		TL_COMMON_HELP
		"If there are more events than counters the kernel takes turns: each row tells how long\n"
		"an event was to be counted (enabled) and how long it was (running). In the end these\n"
		"parts are shown, and groups that need no turns: to root those that the kernel takes,\n"
		"to others a guess by the parts. Measuring stays on after that only if it was before.\n"
		"As tierlens record it runs at nice -20 if it may and was not started with nice.\n"
		"\nExamples:\n"
		"  tierlens pmu record -e cycles,instructions,cache-misses -s 60 -o counts.csv\n"
		"  tierlens pmu record --classes -e cycles,instructions -s 60 -o counts.csv\n",
	.run = run,
};
