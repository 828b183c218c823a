// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a probe of a program's function costs on this machine
 *
 * The kernel measures its handlers, but not what the processor takes to come there and back, which is
 * most of it. An event of the PMU "uprobe" that counts and does not sample does next to nothing but that:
 * one is put on the entry of a function of our own, then one more on its return. Calls without, with, without,
 * with ...; each block with is held against the mean of the two beside it, so that what drifts cancels out, and
 * the median is taken, so that what jumps does not count.
 */
#include "probe-cost.h"

#include "clock.h"
#include "hist.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAIRS 9
#define CALLS 500
#define PATH "/proc/self/exe"

static int perf_open(struct perf_event_attr *attr)
{
	return (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int (*tl_probe_perf_open)(struct perf_event_attr *attr) = perf_open;

/* What is probed. Nothing of it may be inlined, or be known to do nothing. */
static __attribute__((noinline, noclone, noipa)) unsigned int probed(unsigned int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static double block_s(void)
{
	double began_s = tl_clock_s(CLOCK_MONOTONIC);
	unsigned int n = 0;

	while (n < CALLS)
		n = probed(n);
	return (tl_clock_s(CLOCK_MONOTONIC) - began_s) / CALLS;
}

/* ---- where it is ----------------------------------------------------------------------- */

static bool line_read(const char *devices, const char *file, char *line, int room)
{
	char path[300];
	bool got;
	FILE *from;

	snprintf(path, sizeof(path), "%s/uprobe/%s", devices, file);
	from = fopen(path, "re");
	if (!from)
		return false;
	got = fgets(line, room, from);
	fclose(from);
	return got;
}

/**
 * tl_probe_cost_format() - Which bit an event is told by
 * @text: as sysfs has it, "config:0"
 * @bit: set to it
 *
 * Return: false if it is told in another way.
 */
bool tl_probe_cost_format(const char *text, unsigned int *bit)
{
	char end = 0;

	return sscanf(text, "config:%u%c", bit, &end) >= 1 && (!end || end == '\n') && *bit < 64;
}

/* Where our function is in the file that we run. */
static bool offset_of(u64 *offset)
{
	unsigned long at = (unsigned long)(uintptr_t)probed, start, end, begin;
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	while (maps && !found && getline(&line, &room, maps) > 0)
		found = sscanf(line, "%lx-%lx %*s %lx", &start, &end, &begin) == 3 && at >= start && at < end;
	free(line);
	if (maps)
		fclose(maps);
	*offset = found ? at - start + begin : 0;
	return found;
}

/* ---- measuring ------------------------------------------------------------------------- */

struct probe {
	u32 type;
	u64 ret, offset; /* configuration of a return; of an entry it is 0 */
};

static int probe_open(const struct probe *p, bool ret)
{
	struct perf_event_attr attr = { .type = p->type, .size = sizeof(attr), .config = ret ? p->ret : 0,
					.config1 = (u64)(uintptr_t)PATH, .config2 = p->offset };

	return tl_probe_perf_open(&attr);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/**
 * tl_probe_cost_median() - What blocks took more than those beside them
 * @with: [@n] blocks; overwritten
 * @without: [@n + 1] those beside them
 * @n: how many, odd
 * @low: set to the smallest
 * @high: set to the largest
 *
 * Return: the median, at least 0.
 */
double tl_probe_cost_median(double *with, const double *without, size_t n, double *low, double *high)
{
	size_t i;

	for (i = 0; i < n; i++)
		with[i] -= (without[i] + without[i + 1]) / 2;
	qsort(with, n, sizeof(*with), compare);
	*low = with[0] > 0 ? with[0] : 0;
	*high = with[n - 1] > 0 ? with[n - 1] : 0;
	return with[n / 2] > 0 ? with[n / 2] : 0;
}

/* Return: 0 or a negative errno. */
static int pairs_run(const struct probe *p, bool both, struct tl_probe_cost *cost, double *median_s)
{
	double with[PAIRS], without[PAIRS + 1];
	int i, entry, ret = -1;

	block_s(); /* caches and clocks come up */
	for (i = 0; i < PAIRS; i++) {
		without[i] = block_s();
		entry = probe_open(p, false);
		if (entry < 0)
			return -errno;
		if (both)
			ret = probe_open(p, true);
		if (both && ret < 0) {
			close(entry);
			return -errno;
		}
		with[i] = block_s();
		close(entry);
		if (both)
			close(ret);
	}
	without[PAIRS] = block_s();
	*median_s = tl_probe_cost_median(with, without, PAIRS, &cost->low_s, &cost->high_s);
	return 0;
}

static void give_up(struct tl_probe_cost *cost, const char *why)
{
	*cost = (struct tl_probe_cost){ .entry_s = TL_FUNCTION_TRAP_S, .both_s = 2 * TL_FUNCTION_TRAP_S };
	cost->low_s = cost->high_s = cost->both_s;
	snprintf(cost->why, sizeof(cost->why), "%s", why);
}

/**
 * tl_probe_cost_measure() - What a probe of a function costs here
 * @cost: filled in; where it cannot be measured with what is taken then
 * @devices: where the kernel lists its PMUs, /sys/bus/event_source/devices
 */
void tl_probe_cost_measure(struct tl_probe_cost *cost, const char *devices)
{
	char line[64], why[200];
	unsigned int bit = 0;
	struct probe p = { 0 };
	int code;

	memset(cost, 0, sizeof(*cost));
	if (!line_read(devices, "type", line, sizeof(line)) || sscanf(line, "%u", &p.type) != 1) {
		give_up(cost, "this kernel has no PMU for functions of programs");
		return;
	}
	if (line_read(devices, "format/retprobe", line, sizeof(line)) && tl_probe_cost_format(line, &bit))
		p.ret = 1ULL << bit;
	else
		p.ret = 1;
	if (!offset_of(&p.offset)) {
		give_up(cost, "our own program is not in /proc/self/maps");
		return;
	}
	code = pairs_run(&p, false, cost, &cost->entry_s);
	code = code ? code : pairs_run(&p, true, cost, &cost->both_s);
	cost->measured = !code && cost->both_s > 0;
	if (cost->measured)
		return;
	if (code)
		snprintf(why, sizeof(why), "our own function cannot be probed (%s)%s", strerror(-code),
			 code == -EACCES ? ": CAP_PERFMON is not enough for it, CAP_SYS_ADMIN is" : "");
	else
		snprintf(why, sizeof(why), "it is less than the clock can tell");
	give_up(cost, why);
}
