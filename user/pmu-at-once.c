// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which events are on a processor's counters at once
 *
 * Which counters take an event is known to the kernel's driver only, and not told. But of a
 * group it is promised that all of it is counted at once, so an event that cannot be beside
 * those that are in a group is refused as soon as it is to join, with EINVAL, and nothing
 * has to count for that: the group is off. Drivers leave out what is off itself, so only
 * the leader is: it is to be enabled when a program begins, which for a whole processor
 * never happens, and siblings are on and wait for it. (x86: collect_events(), arm64:
 * validate_event().)
 *
 * What others hold, as the NMI watchdog does, is not asked for there.
 */
#include "pmu-at-once.h"

#include "ctl.h"
#include "error.h"
#include "pmu-events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NO_LEADER (-1)

static int perf_open(struct perf_event_attr *attr, int cpu, int leader)
{
	return (int)syscall(SYS_perf_event_open, attr, -1, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

int (*tl_pmu_perf_open)(struct perf_event_attr *attr, int cpu, int leader) = perf_open;

/* Return: a file descriptor or a negative errno. */
static int event_open(const struct tl_pmu_info *event, int cpu, int leader)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = event->type,
					.config = event->config, .config1 = event->config1 };
	int fd;

	attr.disabled = leader == NO_LEADER;
	attr.enable_on_exec = leader == NO_LEADER;
	fd = tl_pmu_perf_open(&attr, cpu, leader);
	return fd < 0 ? -errno : fd;
}

/* Processors are not all alike, and some are away. */
static int first_open(const struct tl_pmu_info *event, int *cpu)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_CONF), fd;

	*cpu = 0;
	do
		fd = event_open(event, *cpu, NO_LEADER);
	while ((fd == -ENOENT || fd == -ENODEV) && ++*cpu < cpus);
	return fd;
}

static bool without_limit(const struct tl_pmu_info *event)
{
	return event->type == PERF_TYPE_SOFTWARE || event->type == PERF_TYPE_TRACEPOINT;
}

static int not_known(int code, struct tl_error *err)
{
	switch (code) {
	case -EACCES:
	case -EPERM:
		return tl_error_set(err, code, "perf_event_open is not permitted: run this as root, or set "
				    "kernel.perf_event_paranoid to 0");
	case -ENOSYS:
		return tl_error_set(err, code, "this kernel has no perf_event_open: it takes CONFIG_PERF_EVENTS");
	case -EMFILE:
	case -ENFILE:
		return tl_error_set(err, code, "too many files are open: raise ulimit -n");
	case -ENOMEM:
		return tl_error_no_memory(err);
	default:
		return 0;
	}
}

/* In the words in which the module refuses such an event. */
static const char *refusal(int code)
{
	switch (code) {
	case -ENOENT:
	case -ENODEV:
		return "nothing here counts that event";
	case -EINVAL:
	case -EOPNOTSUPP:
		return "the processor does not take that event so";
	case -EBUSY:
	case -ENOSPC:
		return "all counters for that event are taken: who else counts?";
	default:
		return "the kernel refused to count that event";
	}
}

/**
 * tl_pmu_at_once() - How many of an event are counted at once
 * @event: its type and configuration
 * @fit: filled in, if that is known
 * @err: the sentence if it is not
 *
 * Return: 0, also for what cannot be counted here at all; or a negative errno if the kernel
 * does not answer: -EACCES, -EPERM, -ENOSYS, -EMFILE, -ENFILE, -ENOMEM.
 */
int tl_pmu_at_once(const struct tl_pmu_info *event, struct tl_pmu_at_once *fit, struct tl_error *err)
{
	int fd[TL_PMU_AT_ONCE_ANY], last;
	unsigned int n = 0, i;

	*fit = (struct tl_pmu_at_once){ 0 };
	last = first_open(event, &fit->cpu);
	while (last >= 0) {
		fd[n++] = last;
		if (n == TL_PMU_AT_ONCE_ANY || without_limit(event))
			break;
		last = event_open(event, fit->cpu, fd[0]);
	}
	for (i = 0; i < n; i++)
		close(fd[i]);
	if (last < 0 && not_known(last, err))
		return last;
	fit->at_once = n && without_limit(event) ? TL_PMU_AT_ONCE_ANY : n;
	if (!n)
		fit->unavailable = refusal(last);
	return 0;
}

/*
 * An event on its way into a group. @pmu: events of one are on the same counters; a group
 * is of one, so those of several are counted beside each other whatever they are.
 */
struct place {
	const struct tl_pmu_info *event;
	struct tl_pmu_at_once fit;
	size_t *group;
	u32 pmu;
	int fd;
	bool leads;
};

static int places_fill(struct place *place, const char *devices, const struct tl_pmu_info *event,
		       size_t n, size_t *group, struct tl_error *err)
{
	size_t i;

	for (i = 0; i < n; i++) {
		int code = tl_pmu_at_once(&event[i], &place[i].fit, err);

		if (code)
			return code;
		if (place[i].fit.unavailable)
			return tl_error_set(err, -ENOENT, "cannot count %s: %s", event[i].name,
					    place[i].fit.unavailable);
		place[i].event = &event[i];
		place[i].group = &group[i];
		place[i].pmu = tl_pmu_events_core(devices, event[i].type) ? PERF_TYPE_RAW : event[i].type;
		place[i].fd = NO_LEADER;
	}
	return 0;
}

/* Events that few counters take first: others go to those that are left. */
static int by_need(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->fit.at_once != y->fit.at_once)
		return x->fit.at_once < y->fit.at_once ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* Into the first group of those that are before it that takes it, or one of its own. */
static int place_open(const struct place *before, size_t n, struct place *p)
{
	size_t i;

	*p->group = 0;
	for (i = 0; i < n; i++) {
		if (!before[i].leads || before[i].pmu != p->pmu || before[i].fit.cpu != p->fit.cpu)
			continue;
		p->fd = event_open(p->event, p->fit.cpu, before[i].fd);
		if (p->fd >= 0) {
			*p->group = *before[i].group;
			return 0;
		}
		*p->group = *before[i].group + 1;
	}
	p->leads = true;
	p->fd = event_open(p->event, p->fit.cpu, NO_LEADER);
	return min(p->fd, 0);
}

/**
 * tl_pmu_groups() - Groups of events that are counted without taking turns
 * @devices: where sysfs has the devices, TL_PMU_DEVICES
 * @event: [n] their types and configurations
 * @n: how many
 * @group: [n] filled in: from 0 on, in which each is
 * @err: the sentence if it fails
 *
 * First fit, of those first that can be counted least often at once. Each group that is
 * made is one that the kernel has accepted.
 *
 * Return: the number of groups, or a negative errno: of tl_pmu_at_once(), or -ENOENT if one of
 * the events cannot be counted here.
 */
int tl_pmu_groups(const char *devices, const struct tl_pmu_info *event, size_t n,
		  size_t *group, struct tl_error *err)
{
	struct place *place = calloc(n, sizeof(*place));
	int code = place ? places_fill(place, devices, event, n, group, err) : tl_error_no_memory(err);
	size_t groups = 0, i, opened = 0;

	if (code)
		goto out;
	qsort(place, n, sizeof(*place), by_need);
	for (i = 0; !code && i < n; i++, opened++) {
		code = place_open(place, i, &place[i]);
		groups = max(groups, *place[i].group + 1);
	}
	if (code && !not_known(code, err))
		tl_error_set(err, code, "cannot count %s: %s", place[opened - 1].event->name, refusal(code));
	for (i = 0; i < opened; i++)
		if (place[i].fd >= 0)
			close(place[i].fd);
out:
	free(place);
	return code ? code : (int)groups;
}
