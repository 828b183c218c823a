// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts per request, and outside of requests, where a part of it is not known. */
#include "tap.h"

#include "ctl.h"
#include "pmu-classes.h"
#include "table.h"

#include <stdlib.h>

static const struct tl_pmu_info events[] = { { .name = "cycles" }, { .name = "misses" } };

static void charge(struct tl_interval *total, const char *tier, const char *class,
		   const char *event, u64 value)
{
	tl_interval_charge(total, &(struct tl_charge){ (char *)tier, (char *)class,
						       (char *)event, value });
}

static void count(struct tl_interval *total, const char *event, u32 cpu, u64 value)
{
	struct tl_count count = { "", cpu, value, 10, 10 };

	snprintf(count.event, sizeof(count.event), "%s", event);
	tl_interval_count(total, &count);
}

/* b calls a; c has only what requests of other intervals had left to do, and d nothing. */
static struct tl_interval *made(void)
{
	struct tl_interval *total = tl_interval_new();
	struct tl_edge key = { .tier = (char *)"b", .class = (char *)"other",
			       .peer = (char *)"10.0.0.1:80", .peer_tier = (char *)"a" };

	tl_interval_cell(total, "a", "other")->count = 4;
	tl_interval_cell(total, "b", "other")->count = 8;
	tl_interval_cell(total, "b", "cart")->count = 1;
	tl_interval_cell(total, "c", "other");
	tl_interval_cell(total, "d", "other");
	tl_interval_edge(total, &key)->calls = 1;
	charge(total, "a", "other", "cycles", 10);
	charge(total, "b", "other", "cycles", 0);
	charge(total, "b", "other", "misses", 90);
	charge(total, "c", "other", "cycles", 5);
	charge(total, "d", "other", "cycles", 0);
	charge(total, "a", "other", "somebody-elses", 1000);
	count(total, "cycles", 0, 30);
	count(total, "cycles", 1, 10);
	count(total, "somebody-elses", 1, 1000);
	return total;
}

static void is(json_t *object, const char *wanted, const char *name)
{
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

	if (!ok(text && !strcmp(text, wanted), "%s", name))
		printf("# it is     %s\n# and not   %s\n", text ? text : "nothing", wanted);
	free(text);
	json_decref(object);
}

#define ROW(tier, class, requests) \
	"{\"tier\":\"" tier "\",\"class\":\"" class "\",\"requests\":" requests ",\"events\":["
#define EVENT(event, value, per) \
	"{\"event\":\"" event "\",\"value\":" value ",\"per_request\":" per "}"
#define OUTSIDE(event, value, part) \
	"{\"event\":\"" event "\",\"value\":" value ",\"part\":" part "}"

static void test_json(void)
{
	struct tl_interval *total = made(), *empty = tl_interval_new();

	is(tl_pmu_classes_json(total, events, 2),
	   "[" ROW("b", "cart", "1") EVENT("cycles", "null", "null") ","
	   EVENT("misses", "null", "null") "]},"
	   ROW("b", "other", "8") EVENT("cycles", "0", "0.0") ","
	   EVENT("misses", "90", "11.25") "]},"
	   ROW("c", "other", "0") EVENT("cycles", "5", "null") ","
	   EVENT("misses", "null", "null") "]},"
	   ROW("a", "other", "4") EVENT("cycles", "10", "2.5") ","
	   EVENT("misses", "null", "null") "]}]",
	   "what is not known is null, callers first, and who had nothing is not there");
	is(tl_pmu_outside_json(total, events, 2),
	   "[" OUTSIDE("cycles", "25", "0.625") "," OUTSIDE("misses", "0", "null") "]",
	   "outside: of all requests of the event, and never below 0");
	count(total, "misses", 0, 80);
	is(tl_pmu_outside_json(total, &events[1], 1), "[" OUTSIDE("misses", "0", "0.0") "]",
	   "charged with more than was counted in that time");
	is(tl_pmu_classes_json(empty, events, 2), "[]", "no intervals: no classes");
	is(tl_pmu_outside_json(empty, events, 1), "[" OUTSIDE("cycles", "0", "null") "]",
	   "and nothing outside");
	tl_interval_free(total);
	tl_interval_free(empty);
}

static void test_print(void)
{
	struct tl_interval *total = made();
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	tl_pmu_classes_print(total, events, 2, to);
	fclose(to);
	if (!ok(strstr(text, "\nb     cart          1                   -                   -\n") &&
			strstr(text, "\nb     other         8                   0               11.25\n") &&
			strstr(text, "\nc     other         0                   -                   -\n") &&
			strstr(text, "\nOutside of requests: cycles 25 (62.5 %), misses 0\n"),
		"the table has a - for that"))
		printf("# %s\n", text);
	free(text);
	tl_interval_free(total);
}

int main(void)
{
	test_json();
	test_print();
	return done();
}
