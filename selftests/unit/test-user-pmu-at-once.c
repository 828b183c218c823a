// SPDX-License-Identifier: GPL-2.0-or-later
/* How many of an event are counted at once, and groups that fit, on counters of our own. */
#include "ctl.h"
#include "error.h"
#include "pmu-at-once.h"
#include "tap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake-counters.h"

static char root[] = "/tmp/test-user-pmu-at-once.XXXXXX";

static void put(const char *device, const char *name, const char *text)
{
	char path[512];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", root, device);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", root, device, name);
	to = fopen(path, "w");
	fprintf(to, "%s\n", text);
	fclose(to);
}

static int open_files(void)
{
	int n = 0, fd;

	for (fd = 0; fd < FAKE_FDS; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void at_once(u32 type, u64 config, unsigned int wanted, int cpu, const char *why)
{
	struct tl_pmu_info event = { .type = type, .config = config };
	struct tl_error err = { "" };
	struct tl_pmu_at_once fit;
	int before = open_files(), code = tl_pmu_at_once(&event, &fit, &err);

	ok(!code && fit.at_once == wanted && (!wanted || fit.cpu == cpu) && !fit.unavailable == !why &&
	   (!why || !strcmp(fit.unavailable, why)) && open_files() == before,
	   "type %u, %#llx: %u at once on %d, not %u: %s%s", type, (unsigned long long)config, wanted, cpu,
	   fit.at_once, fit.unavailable ? fit.unavailable : "", err.text);
}

static void not_told(int error, const char *sentence)
{
	struct tl_pmu_info event[2] = { { .type = 0 }, { .type = 1 } };
	struct tl_error err = { "" };
	struct tl_pmu_at_once fit;
	size_t group[2];
	int code;

	fake_errno = error;
	code = tl_pmu_at_once(&event[0], &fit, &err);
	ok(code == -error && strstr(err.text, sentence), "not known: %s", err.text);
	err.text[0] = '\0';
	code = tl_pmu_groups(root, event, 2, group, &err);
	ok(code == -error && strstr(err.text, sentence), "nor groups: %s", err.text);
	fake_errno = 0;
}

static void test_fit(void)
{
	at_once(0, 0, 4, 0, NULL);
	at_once(0, 9, 1, 0, NULL);
	at_once(4, 0x102, 2, 0, NULL);
	at_once(17, 5, 2, 0, NULL);
	at_once(1, 3, TL_PMU_AT_ONCE_ANY, 0, NULL);
	at_once(0, 6, 0, 0, "nothing here counts that event");
	at_once(4, 0x200, 0, 0, "the processor does not take that event so");
	fake_errno = EOPNOTSUPP;
	at_once(0, 0, 0, 0, "the processor does not take that event so");
	fake_errno = EBUSY;
	at_once(0, 0, 0, 0, "all counters for that event are taken: who else counts?");
	fake_errno = EIO;
	at_once(0, 0, 0, 0, "the kernel refused to count that event");
	fake_errno = 0;
	fake_calls = 0;
	at_once(1, 0, TL_PMU_AT_ONCE_ANY, 0, NULL);
	ok(fake_calls == 1, "software is asked for once: %d", fake_calls);
	if (sysconf(_SC_NPROCESSORS_CONF) > 1) {
		at_once(9, 0, 4, 1, NULL);
		fake_away = 0;
		at_once(0, 0, 4, 1, NULL);
		fake_away = -1;
	}
	not_told(EACCES, "perf_event_open is not permitted: run this as root");
	not_told(EPERM, "perf_event_open is not permitted: run this as root");
	not_told(ENOSYS, "this kernel has no perf_event_open");
	not_told(EMFILE, "too many files are open");
}

/* One letter an event: [c]ycles, [1], [2] first counters only, [d]evice, as raw, [u]ncore,
 * [s]oftware, [9] on other processors, [-] nowhere. */
static struct tl_pmu_info event_of(char letter)
{
	struct tl_pmu_info event = { .type = letter == 'c' ? 0 : letter == 'd' ? 8 : letter == 'u' ? 17 :
					     letter == 's' ? 1 : letter == '-' ? 99 : letter == '9' ? 9 : 4 };

	if (event.type == 4)
		event.config = 0x100 + (u64)(letter - '0');
	event.name[0] = letter;
	return event;
}

/* @wanted: the group of each */
static void groups(const char *events, const char *wanted)
{
	struct tl_pmu_info event[80];
	size_t group[80], n = strlen(events), i;
	int before = open_files(), code;
	struct tl_error err = { "" };
	char got[81] = "", last = '/';

	for (i = 0; i < n; i++)
		event[i] = event_of(events[i]);
	code = tl_pmu_groups(root, event, n, group, &err);
	for (i = 0; i < n && code > 0; i++)
		got[i] = (char)('0' + group[i]);
	for (i = 0; wanted[i]; i++)
		last = max(last, wanted[i]);
	ok(code == last - '0' + 1 && !strcmp(got, wanted) && open_files() == before,
	   "groups of %s: %s, not %s, %d %s", events, wanted, got, code, err.text);
}

static void test_groups(void)
{
	struct tl_pmu_info event[3] = { event_of('c'), event_of('-'), event_of('c') };
	struct tl_error err = { "" };
	size_t group[3];
	int before = open_files(), code;

	groups("c", "0");
	groups("cccc", "0000");
	groups("ccccc", "00001");
	groups("ccccccccc", "000011112");
	groups("11", "01");
	/* In the order in which they are given it would be four. */
	groups("ccccc111", "00011012");
	groups("c2c2c2", "000011");
	/* The device of raw events is the processor's, whatever its number. */
	groups("cdcdc", "00001");
	/* Others count beside them, and other processors. */
	groups("ccccuu", "000000");
	groups("uuuccccc", "00100001");
	groups("sssssccccs", "0000000000");
	groups("ccccccs", "0000110");
	if (sysconf(_SC_NPROCESSORS_CONF) > 1)
		groups("cccc9", "00000");
	code = tl_pmu_groups(root, event, 3, group, &err);
	ok(code == -ENOENT && strstr(err.text, "cannot count -: nothing here counts that event") &&
	   open_files() == before, "one that nothing counts: %s", err.text);
}

/* Each alone has room enough, all together have not. */
static void test_files(void)
{
	int before = open_files(), first = open("/dev/null", O_RDONLY), code;
	struct tl_pmu_info event[6] = { 0 };
	struct tl_error err = { "" };
	size_t group[6];

	close(first);
	fake_fds = first + 6;
	groups("cccccc", "000011");
	fake_fds = first + 5;
	code = tl_pmu_groups(root, event, 6, group, &err);
	ok(code == -EMFILE && strstr(err.text, "raise ulimit") && open_files() == before,
	   "too many files: %s", err.text);
	fake_fds = FAKE_FDS;
}

int main(void)
{
	char command[64];

	if (!mkdtemp(root))
		return 1;
	put("core", "type", "8");
	put("core", "cpus", "0-1");
	put("little", "type", "9");
	put("little", "cpus", "1");
	put("uncore", "type", "17");
	put("uncore", "cpumask", "0");
	tl_pmu_perf_open = fake_perf_open;
	test_fit();
	test_groups();
	test_files();
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command) ? 1 : done();
}
