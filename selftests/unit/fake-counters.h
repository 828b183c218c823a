/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of our own, and the kernel before them, as far as groups go
 *
 * Of a processor there are four. Events of type 0, 3, 4 and 8 go onto them: raw ones below 0x100
 * onto any, 0x1N onto the first N, generic ones onto any but ref-cycles, which only the first takes;
 * there are no bus-cycles, and raw ones from 0x200 on are not taken. Type 17 has two counters of
 * another device. Type 9 is that of other processors, from the second on. Software has no limit.
 */
#ifndef TL_FAKE_COUNTERS_H
#define TL_FAKE_COUNTERS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define FAKE_FDS 1024

/* What is in a group, leader first, by its leader's file descriptor. Descriptors that were
 * closed come again as leaders or siblings: the group begins anew then. */
static struct fake_group {
	struct perf_event_attr event[80];
	int n, cpu;
} fake_groups[FAKE_FDS];
/* Every call fails with that; so many calls there were; this processor is away; only so many
 * descriptors may be open. */
static int fake_errno, fake_calls, fake_away = -1, fake_fds = FAKE_FDS;

static bool fake_core(const struct perf_event_attr *e)
{
	return e->type == PERF_TYPE_HARDWARE || e->type == PERF_TYPE_HW_CACHE ||
	       e->type == PERF_TYPE_RAW || e->type == 8;
}

/* The counters of its device that take it, as bits. */
static unsigned int fake_counters(const struct perf_event_attr *e)
{
	if (e->type == 17)
		return 3;
	if (e->type == PERF_TYPE_HARDWARE)
		return e->config == PERF_COUNT_HW_REF_CPU_CYCLES ? 1 : 15;
	if (fake_core(e) && e->config >> 8 == 1)
		return (1U << (e->config & 15)) - 1;
	return 15;
}

static int fake_alone(const struct perf_event_attr *e, int cpu)
{
	if (cpu >= sysconf(_SC_NPROCESSORS_CONF))
		return EINVAL;
	if (cpu == fake_away)
		return ENODEV;
	if (e->type == PERF_TYPE_SOFTWARE)
		return 0;
	if (e->type == 9)
		return cpu ? 0 : ENOENT;
	if ((!fake_core(e) && e->type != 17) ||
	    (e->type == PERF_TYPE_HARDWARE && e->config == PERF_COUNT_HW_BUS_CYCLES))
		return ENOENT;
	return e->type == PERF_TYPE_RAW && e->config >= 0x200 ? EINVAL : 0;
}

/* As drivers do it: what is off is left out, but for what is to begin with a program. */
static bool fake_fits(const struct fake_group *group)
{
	unsigned int taken = 0, width, free;
	int i;

	/* Who has least choice goes first; what takes few takes the first ones. */
	for (width = 1; width <= 4; width++)
		for (i = 0; i < group->n; i++) {
			const struct perf_event_attr *e = &group->event[i];
			unsigned int may = fake_counters(e);

			if (e->type == PERF_TYPE_SOFTWARE || (e->disabled && !e->enable_on_exec) ||
			    (unsigned int)__builtin_popcount(may) != width)
				continue;
			free = may & ~taken;
			if (!free)
				return false;
			taken |= free & -free;
		}
	return true;
}

static bool fake_same_device(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->type == b->type || (fake_core(a) && fake_core(b)) ||
	       a->type == PERF_TYPE_SOFTWARE || b->type == PERF_TYPE_SOFTWARE;
}

static int fake_perf_open(struct perf_event_attr *attr, int cpu, int leader)
{
	struct fake_group *group;
	int fd;

	fake_calls++;
	errno = fake_errno ? fake_errno : fake_alone(attr, cpu);
	if (errno)
		return -1;
	if (leader >= 0) {
		group = &fake_groups[leader];
		group->event[group->n++] = *attr;
		if (cpu != group->cpu || !fake_same_device(&group->event[0], attr) || !fake_fits(group)) {
			group->n--;
			errno = EINVAL;
			return -1;
		}
	}
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd >= fake_fds) {
		close(fd);
		errno = EMFILE;
		return -1;
	}
	if (leader < 0) {
		fake_groups[fd].event[0] = *attr;
		fake_groups[fd].n = 1;
		fake_groups[fd].cpu = cpu;
	}
	return fd;
}

#endif
