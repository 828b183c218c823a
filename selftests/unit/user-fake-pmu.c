// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of the fake kernel: those that it was told to count, and what they count
 *
 * The n-th of them counts n thousand for each request, twice as much for those of a class that
 * has a name, and 25 n thousand in an interval on each of two processors, which takes half of
 * the time of what is no software where events take turns. Its counters are fake-counters.h.
 */
#include "user-fake.h"

#include <linux/genetlink.h>
#include <linux/tierlens.h>
#include <stdio.h>
#include <string.h>

#include "fake-counters.h"
#include "pmu-at-once.h"

#define EVENTS 16
#define PROCESSORS 2

static struct event {
	char name[TIERLENS_NAME_MAX + 1];
	uint32_t type;
	uint64_t config;
	bool charged;
} events[EVENTS]; /* without a name: free */

/* The C library's own would ask the kernel below. */
__attribute__((constructor)) static void counters_begin(void)
{
	tl_pmu_perf_open = fake_perf_open;
	fake_errno = plays("no-perf") ? EACCES : 0;
}

static struct event *find(const char *name)
{
	unsigned int i;

	for (i = 0; i < EVENTS; i++)
		if (!strcmp(events[i].name, name))
			return &events[i];
	return NULL;
}

static void add(const struct nlmsghdr *request, const char *name)
{
	struct event *event = find("");

	if (!event)
		return;
	snprintf(event->name, sizeof(event->name), "%s", name);
	event->type = (uint32_t)number_of(attr_of(request, TIERLENS_A_PMU_TYPE));
	event->config = number_of(attr_of(request, TIERLENS_A_PMU_CONFIG));
	event->charged = attr_of(request, TIERLENS_A_PMU_CHARGED);
}

/* What was there before. */
static void begun(void)
{
	if (!plays("charged") || find("cycles"))
		return;
	events[0] = (struct event){ "cycles", 0, 0, true };
	events[1] = (struct event){ "page-faults", 1, 2, false };
}

/* An event comes or goes. */
void answer_event(int fd, const struct nlmsghdr *request, uint8_t cmd)
{
	const struct nlattr *name = attr_of(request, TIERLENS_A_PMU_NAME);
	const char *text = name ? (const char *)name + NLA_HDRLEN : "";
	struct event *event = find(text);

	request_log(request);
	if (cmd == TIERLENS_CMD_PMU_NEW)
		add(request, text);
	else if (event)
		memset(event, 0, sizeof(*event));
	answer(fd, request, 0, NULL);
}

void dump_events(int fd, const struct nlmsghdr *request)
{
	struct message m;
	uint32_t i;

	begun();
	for (i = 0; i < EVENTS; i++) {
		if (!*events[i].name)
			continue;
		begin_genl(&m, TIERLENS_CMD_PMU_GET, dump_flags(), request);
		put_u32(&m, TIERLENS_A_PMU_ID, i + 1);
		put_text(&m, TIERLENS_A_PMU_NAME, events[i].name);
		put_u32(&m, TIERLENS_A_PMU_TYPE, events[i].type);
		put_u64(&m, TIERLENS_A_PMU_CONFIG, events[i].config);
		put_u64(&m, TIERLENS_A_PMU_CONFIG1, 0);
		put_u32(&m, TIERLENS_A_PMU_CPUS, PROCESSORS);
		if (events[i].charged)
			put(&m, TIERLENS_A_PMU_CHARGED, "", 0);
		deliver(fd, &m);
	}
	finish(fd, request, 0, NULL);
}

/* What was counted for the requests of a cell. */
void put_counted(struct message *m, uint32_t class, uint64_t count)
{
	size_t nest;
	uint32_t i;

	begun();
	for (i = 0; i < EVENTS; i++) {
		if (!events[i].charged)
			continue;
		nest = nest_begin(m, TIERLENS_A_CELL_COUNTED);
		put_text(m, TIERLENS_A_COUNTED_NAME, events[i].name);
		put_u64(m, TIERLENS_A_COUNTED_VALUE, count * (class ? 2000 : 1000) * (i + 1));
		nest_end(m, nest);
	}
}

/* What was counted on each processor. */
void put_counts(struct message *m)
{
	uint32_t i, cpu;
	size_t nest;

	begun();
	for (i = 0; i < EVENTS; i++)
		for (cpu = 0; *events[i].name && cpu < PROCESSORS; cpu++) {
			nest = nest_begin(m, TIERLENS_A_INTERVAL_COUNT);
			put_text(m, TIERLENS_A_COUNT_NAME, events[i].name);
			put_u32(m, TIERLENS_A_COUNT_CPU, cpu);
			put_u64(m, TIERLENS_A_COUNT_VALUE, 25000 * (i + 1));
			put_u64(m, TIERLENS_A_COUNT_ENABLED_NS, INTERVAL_NS);
			put_u64(m, TIERLENS_A_COUNT_RUNNING_NS,
				plays("turns") && events[i].type != 1 ? INTERVAL_NS / 2 : INTERVAL_NS);
			nest_end(m, nest);
		}
}
