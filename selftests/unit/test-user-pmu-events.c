// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of events, against a sysfs of our own. */
#include "error.h"
#include "pmu-events.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[] = "/tmp/test-user-pmu.XXXXXX";

static void put(const char *device, const char *part, const char *name, const char *text)
{
	char path[512];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", root, device);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", root, device, part);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s/%s", root, device, part, name);
	to = fopen(path, "w");
	fprintf(to, "%s\n", text);
	fclose(to);
}

static void sysfs_make(void)
{
	if (!mkdtemp(root))
		exit(1);
	put("core", ".", "type", "4");
	put("core", "format", "event", "config:0-7,32-35");
	put("core", "format", "umask", "config:8-15");
	put("core", "format", "edge", "config:18");
	put("core", "format", "offcore", "config1:0-63");
	put("core", "format", "odd", "config9:0-7");
	put("core", "events", "loads", "event=0x1d0,umask=0x81");
	put("core", "events", "loads.scale", "0.5");
	put("core", "events", "broken", "nothing=1");
	put("uncore", ".", "type", "17");
	put("uncore", "format", "event", "config:0-7");
	put("uncore", "events", "reads", "event=5");
	put("cpu,odd", ".", "type", "none");
	put("little", ".", "type", "8");
	put("little", ".", "cpus", "2-3");
	put("little", "caps", "slots", "0x00000006");
	put("core", "caps", "max_precise", "3");
	put("core", "caps", "branches", "32");
}

static void found(const char *text, u32 type, u64 config, u64 config1)
{
	struct tl_pmu_info event;
	struct tl_error err = { "" };
	int code = tl_pmu_events_find(root, text, &event, &err);

	ok(!code && event.type == type && event.config == config && event.config1 == config1 &&
	   !strcmp(event.name, text), "%s: type %u, %#llx, %#llx (%s)", text, event.type,
	   (unsigned long long)event.config, (unsigned long long)event.config1, err.text);
}

static void refused(const char *text, const char *sentence)
{
	struct tl_pmu_info event;
	struct tl_error err = { "" };
	int code = tl_pmu_events_find(root, text, &event, &err);

	ok(code < 0 && strstr(err.text, sentence), "%s: %s", text, err.text);
}

static void test_list(void)
{
	struct tl_pmu_names names;
	struct tl_error err;
	size_t i, cycles = 0, loads = 0, reads = 0, others = 0;
	int code = tl_pmu_events_list(root, &names, &err);

	for (i = 0; i < names.n; i++) {
		cycles += !strcmp(names.event[i].name, "cycles") && !strcmp(names.device[i], "generic");
		loads += !strcmp(names.event[i].name, "loads") && !strcmp(names.device[i], "core");
		reads += !strcmp(names.event[i].name, "reads") && names.event[i].type == 17;
		others += strcmp(names.device[i], "generic") != 0;
	}
	ok(!code && cycles == 1 && loads == 1 && reads == 1 && others == 2,
	   "list: %zu names, %zu of devices", names.n, others);
	tl_pmu_events_free(&names);
	code = tl_pmu_events_list("/nowhere", &names, &err);
	ok(!code && names.n > 20, "without sysfs there are the generic ones");
	tl_pmu_events_free(&names);
}

static void test_devices(void)
{
	struct tl_pmu_cap *cap;
	struct tl_error err;
	size_t n, none;
	int code = tl_pmu_events_caps(root, &cap, &n, &err);

	ok(!code && n == 3 && !strcmp(cap[0].device, "core") && !strcmp(cap[0].name, "branches") &&
	   !strcmp(cap[0].value, "32") && !strcmp(cap[1].name, "max_precise") &&
	   !strcmp(cap[2].device, "little") && !strcmp(cap[2].value, "0x00000006"),
	   "what devices tell: %zu", n);
	free(cap);
	code = tl_pmu_events_caps("/nowhere", &cap, &none, &err);
	ok(!code && !none, "and without sysfs nothing");
	free(cap);
	ok(tl_pmu_events_core(root, 0) && tl_pmu_events_core(root, 3) && tl_pmu_events_core(root, 4) &&
	   tl_pmu_events_core(root, 8), "counters of processors");
	ok(!tl_pmu_events_core(root, 17) && !tl_pmu_events_core(root, 1) && !tl_pmu_events_core(root, 99),
	   "counters of others");
}

int main(void)
{
	char command[64];

	sysfs_make();
	found("cycles", 0, 0, 0);
	found("context-switches", 1, 3, 0);
	found("L1-dcache-load-misses", 3, 0x10000, 0);
	found("r1a8", 4, 0x1a8, 0);
	/* 0x1d0: the low byte to bits 0-7, the rest to 32-35. */
	found("loads", 4, 0x1000081d0, 0);
	found("reads", 17, 5, 0);
	found("core/loads/", 4, 0x1000081d0, 0);
	found("core/event=0x3c,edge/", 4, 0x4003c, 0);
	found("core/config=0xff,offcore=7/", 4, 0xff, 7);
	refused("uncore/event=0x105/", "does not fit into bits 0-7");
	refused("nonsense", "no such name here");
	refused("", "give a name");
	refused("a-name-that-is-longer-than-any-name-can-be", "give a name");
	refused("rxyz", "no such name here");
	refused("nobody/event=1/", "no device \"nobody\"");
	refused("../event=1/", "no device");
	refused("cpu,odd/event=1/", "no device");
	refused("core/event=1", "give DEVICE/TERMS/");
	refused("core/", "give DEVICE/TERMS/");
	refused("core/event=x/", "is no term");
	refused("core/event=/", "is no term");
	refused("core/nothing=1/", "no term \"nothing\"");
	refused("core/odd=1/", "goes to config9");
	refused("broken", "no term \"nothing\"");
	test_list();
	test_devices();
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command) ? 1 : done();
}
