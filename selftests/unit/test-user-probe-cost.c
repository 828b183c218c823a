// SPDX-License-Identifier: GPL-2.0-or-later
/* What a probe costs: where it can be measured, where it cannot, and how blocks are compared. */
#include "tap.h"

#include "probe-cost.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char devices[] = "/tmp/test-user-probe-cost.XXXXXX";
static int opened, refuse_at;
static struct perf_event_attr last[2];

static int fake_open(struct perf_event_attr *attr)
{
	if (refuse_at && opened + 1 >= refuse_at) {
		errno = EACCES;
		return -1;
	}
	last[opened++ % 2] = *attr;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void write_file(const char *name, const char *text)
{
	char path[200];
	FILE *to;

	snprintf(path, sizeof(path), "%s/uprobe/%s", devices, name);
	to = fopen(path, "we");
	if (!to || fputs(text, to) < 0 || fclose(to))
		abort();
}

static void test_format(void)
{
	unsigned int bit = 99;

	ok(tl_probe_cost_format("config:0\n", &bit) && !bit, "a bit");
	ok(tl_probe_cost_format("config:17", &bit) && bit == 17, "without the end of the line");
	ok(!tl_probe_cost_format("config1:0-63\n", &bit) && !tl_probe_cost_format("config:0-3\n", &bit) &&
	   !tl_probe_cost_format("", &bit) && !tl_probe_cost_format("config:64\n", &bit), "what is none");
}

static void test_median(void)
{
	double without[] = { 1, 2, 3, 4 }, with[] = { 11.5, 2.5, 103.5 }, low, high;
	double same[] = { 1, 1 }, less[] = { 0.5 };

	ok(fabs(tl_probe_cost_median(with, without, 3, &low, &high) - 10) < 1e-12,
	   "what drifts cancels out, and what jumps does not count");
	ok(low == 0 && fabs(high - 100) < 1e-12, "the smallest and the largest");
	ok(tl_probe_cost_median(less, same, 1, &low, &high) == 0, "never below 0");
}

static void test_absent(void)
{
	struct tl_probe_cost cost;

	tl_probe_cost_measure(&cost, "/nowhere");
	ok(!cost.measured && cost.both_s == 2 * TL_FUNCTION_TRAP_S && cost.entry_s == TL_FUNCTION_TRAP_S &&
	   !strcmp(cost.why, "this kernel has no PMU for functions of programs"), "where there is no such PMU: %s", cost.why);
	refuse_at = 1;
	tl_probe_cost_measure(&cost, devices);
	ok(!cost.measured && cost.both_s == 2 * TL_FUNCTION_TRAP_S && strstr(cost.why, "Permission denied"),
	   "where it is not allowed: %s", cost.why);
	opened = 0;
	refuse_at = 12;
	tl_probe_cost_measure(&cost, devices);
	ok(!cost.measured && strstr(cost.why, "Permission denied"), "where returns cannot be probed");
	refuse_at = 0;
}

static void test_measured(void)
{
	struct tl_probe_cost cost;

	opened = 0;
	tl_probe_cost_measure(&cost, devices);
	ok(opened == 9 + 18, "entries alone, then entries and returns (%d)", opened);
	ok(last[0].type == 12 && last[1].type == 12 && (last[0].config | last[1].config) == 4 &&
	   !(last[0].config & last[1].config), "of the PMU's type; returns by its bit");
	ok(!strcmp((char *)(unsigned long)last[0].config1, "/proc/self/exe") && last[0].config2 &&
	   last[0].config2 == last[1].config2, "of our own program, where our function is");
	ok(isfinite(cost.both_s) && cost.both_s > 0 && cost.low_s <= cost.high_s, "a figure in any case");
}

int main(void)
{
	char path[200];

	if (!mkdtemp(devices))
		return 1;
	snprintf(path, sizeof(path), "%s/uprobe", devices);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/uprobe/format", devices);
	mkdir(path, 0700);
	write_file("type", "12\n");
	write_file("format/retprobe", "config:2\n");
	tl_probe_perf_open = fake_open;
	test_format();
	test_median();
	test_absent();
	test_measured();
	snprintf(path, sizeof(path), "rm -r %s", devices);
	if (system(path))
		return 1;
	return done();
}
