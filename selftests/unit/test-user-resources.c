// SPDX-License-Identifier: GPL-2.0-or-later
/* Escapes, sums that may be unknown, paths, and how busy a host was. */
#include "tap.h"

#include "error.h"
#include "escape.h"
#include "host.h"
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void reads(const char *text, const char *want, size_t want_len)
{
	unsigned char bytes[64];
	struct tl_error err = { "" };
	size_t len = 0;
	int code = tl_escape_read(text, bytes, sizeof(bytes), &len, &err);

	ok(!code && len == want_len && !memcmp(bytes, want, len), "\"%s\" is read: %d %s",
	   text, code, err.text);
}

static void wrong(const char *text, int want, const char *says)
{
	unsigned char bytes[64];
	struct tl_error err = { "" };
	size_t len;
	int code = tl_escape_read(text, bytes, sizeof(bytes), &len, &err);

	ok(code == want && strstr(err.text, says), "\"%s\" is not: %s", text, err.text);
}

static void test_escapes(void)
{
	unsigned char all[256], back[256];
	struct tl_error err = { "" };
	char *text, most[66 * 4];
	size_t len, i, n, bad = 0;

	reads("GET /", "GET /", 5);
	reads("\\x00\\xfF\\x7a", "\0\xffz", 3);
	reads("\\n\\r\\t\\\\\\0", "\n\r\t\\\0", 5);
	reads("\\\\n", "\\n", 2);
	reads("", "", 0);
	wrong("GET \\q", -EINVAL, "unknown escape \"\\q\" at character 5:");
	wrong("\\", -EINVAL, "unknown escape \"\\\" at character 1:");
	wrong("ab\\x4", -EINVAL, "\"\\x\" at character 3 needs two hexadecimal digits");
	wrong("\\xg0", -EINVAL, "at character 1 needs two");
	wrong("\\012", -EINVAL, "\"\\0\" at character 1 stands before a digit: write \\x00");
	for (i = 0, *most = '\0'; i < 64; i++)
		strcat(most, "\\x41");
	ok(!tl_escape_read(most, back, 64, &len, &err) && len == 64, "64 bytes fit");
	strcat(most, "b");
	wrong(most, -E2BIG, "65 bytes are too many: give at most 64");
	/* Every byte before every other one. */
	for (n = 0; n < 256; n++) {
		for (i = 0; i < 256; i++)
			all[i] = (unsigned char)(i * (n | 1) + n);
		text = tl_escape_text(all, 256);
		bad += tl_escape_read(text, back, sizeof(back), &len, &err) || len != 256 ||
		       memcmp(all, back, 256);
		for (i = 0; text[i]; i++)
			bad += text[i] < ' ' || text[i] > '~';
		bad += text[0] == ' ' || text[i - 1] == ' ';
		free(text);
	}
	ok(!bad, "what is shown is ASCII, and read as the same bytes (%zu wrong)", bad);
}

static void test_sums(void)
{
	struct tl_sum a = { 0 }, b = { 0 }, none = { 0 }, unknown = { 0, TL_SUM_UNKNOWN };

	tl_sum_set(&b, 5);
	tl_sums_add(&a, &none, 1);
	ok(!tl_sum_known(&a), "nothing added is not known");
	tl_sums_add(&a, &b, 1);
	tl_sums_add(&a, &b, 1);
	ok(tl_sum_known(&a) && a.value == 10, "known and known is known");
	tl_sums_add(&a, &unknown, 1);
	tl_sums_add(&a, &b, 1);
	ok(!tl_sum_known(&a), "and unknown with a part that is unknown");
}

static void test_usage(void)
{
	struct tl_interval *one = tl_interval_new(), *total = tl_interval_new();
	struct tl_sum *usage;

	one->length_ns = 2000000000;
	usage = tl_interval_tier(one, "web")->usage;
	tl_sum_set(&usage[TL_USAGE_PROCESSES], 3);
	tl_sum_set(&usage[TL_USAGE_CPU], 1000000000);
	tl_interval_tier(one, "db");
	tl_usage_settle(one);
	tl_interval_add(total, one);
	tl_interval_add(total, one);
	usage = total->tiers[0].usage;
	ok(usage[TL_USAGE_CPU].value == 2000000000 &&
		   usage[TL_USAGE_PROCESSES].value == 3 &&
		   !tl_sum_known(&usage[TL_USAGE_REQUEST_CPU]) &&
		   !tl_sum_known(&total->tiers[1].usage[TL_USAGE_CPU]),
	   "CPU times are summed, processes are not, what is missing is unknown");
	ok(!tl_host_tiers(one, 4) && one->n_hosts == 1 &&
		   !strcmp(one->hosts[0].name, "web.cpu") && one->hosts[0].value == 0.125,
	   "a tier's part of the processors");
	ok(!tl_host_tiers(total, 0) && !total->n_hosts,
	   "none without the number of processors");
	tl_interval_free(one);
	tl_interval_free(total);
}

/* An interval of 2 s in which a tier used 1 s of four processors' time. */
static struct tl_interval *used_in(u64 elapsed_ns)
{
	struct tl_interval *interval = tl_interval_new();
	struct tl_sum *usage = tl_interval_tier(interval, "web")->usage;

	interval->length_ns = 2000000000;
	tl_sum_set(&usage[TL_USAGE_CPU], 1000000000);
	tl_sum_set(&usage[TL_USAGE_ELAPSED], elapsed_ns);
	tl_host_tiers(interval, 4);
	return interval;
}

static void test_elapsed(void)
{
	struct tl_interval *first = used_in(2500000000), *second = used_in(999999999);
	double cpu_s = 0, room_s = 0;

	ok(first->n_hosts == 1 && first->hosts[0].value == 0.1,
	   "its part in the time in which it used that, which is not the interval's length");
	tl_host_processors(first, first->hosts, &cpu_s, &room_s);
	ok(cpu_s == 1 && room_s == 0.25, "and that tells how many processors there are");
	ok(!second->n_hosts, "none of an interval that was closed together with another");
	tl_interval_add(first, second);
	ok(first->tiers[0].usage[TL_USAGE_ELAPSED].value == 3499999999, "the times are summed");
	tl_interval_free(first);
	tl_interval_free(second);
}

static void path_add(struct tl_interval *interval, u32 id, u32 parent, const char *tier,
		     u64 count)
{
	struct tl_path *path = tl_interval_path(interval, tier, "other");

	path->id = id;
	path->parent = parent;
	path->count = count;
	tl_sum_set(&path->sum[TL_PATH_CPU], count);
}

static u64 count_at(const struct tl_interval *interval, const char *text)
{
	u64 count = 0;
	char *found;
	size_t i;

	for (i = 0; i < interval->n_paths; i++) {
		found = tl_path_text(interval, &interval->paths[i]);
		count += strcmp(found, text) ? 0 : interval->paths[i].count;
		free(found);
	}
	return count;
}

static void test_paths(void)
{
	struct tl_interval *one = tl_interval_new(), *two = tl_interval_new();
	struct tl_interval *total = tl_interval_new();
	size_t i, low = 0;

	path_add(one, 5, 9, "db", 40);
	path_add(one, 9, 3, "app", 20);
	path_add(one, 3, 0, "web", 10);
	path_add(one, 1, 0, NULL, 2);
	/* The same ids, other chains. */
	path_add(two, 3, 5, "db", 7);
	path_add(two, 5, 0, "web", 5);
	path_add(two, 9, 5, "app", 1);
	ok(!tl_paths_link(one) && !tl_paths_link(two), "nodes in any order are linked");
	tl_interval_add(total, one);
	tl_interval_add(total, two);
	tl_interval_add(total, one);
	ok(total->n_paths == 5 && count_at(total, "web/other") == 25 &&
		   count_at(total, "web/other>app/other") == 41 &&
		   count_at(total, "web/other>app/other>db/other") == 80 &&
		   count_at(total, "web/other>db/other") == 7 &&
		   count_at(total, "more paths") == 4,
	   "chains are summed, whatever their ids");
	for (i = 0; i < total->n_paths; i++) {
		const struct tl_path *path = &total->paths[i];

		low += path->up > i ||
		       (path->up && total->paths[path->up - 1].id != path->parent) ||
		       (path->id == 1) != !path->tier;
	}
	ok(!low, "parents first, and ids that fit");
	tl_interval_free(one);
	tl_interval_free(two);
	tl_interval_free(total);
}

static void test_deep_paths(void)
{
	struct tl_interval *deep = tl_interval_new(), *endless = tl_interval_new();
	u32 i;

	for (i = 1; i <= 5000; i++) {
		path_add(deep, i + 1, i > 900 ? 900 : i > 1 ? i : 0, "a", i);
		path_add(endless, i + 1, i > 1 ? i : 0, "a", i);
	}
	ok(!tl_paths_link(deep) && deep->paths[4999].up, "5000 nodes are linked");
	ok(tl_paths_link(endless) == -EINVAL, "a chain of 5000 is none of a kernel's");
	tl_interval_free(deep);
	tl_interval_free(endless);
}

static char root[] = "/tmp/test-user-resources.XXXXXX";

static void root_write(const char *name, const char *text)
{
	char path[200];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	to = fopen(path, "w");
	fputs(text, to);
	fclose(to);
}

static void root_make(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	mkdir(path, 0700);
}

static double value_of(const struct tl_interval *interval, const char *name)
{
	size_t i;

	for (i = 0; i < interval->n_hosts; i++)
		if (!strcmp(interval->hosts[i].name, name))
			return interval->hosts[i].value;
	return -1;
}

#define S 1000000000ULL
#define DISK(name, busy) "   8 0 " name " 1 2 3 4 5 6 7 8 0 " busy " 11 12 13 14 15 16 17\n"
#define NET(name, in, out) "  " name ": " in " 1 2 3 4 5 6 7 " out " 1 2 3 4 5 6 7\n"
#define NET_HEAD "Inter-|   Receive  |  Transmit\n face |bytes packets|bytes packets\n"

static void host_first(struct tl_host_samples *samples)
{
	root_write("proc/stat", "cpu  1000 0 500 8000 200 0 100 200 0 0\ncpu0 1 2 3\n");
	root_write("proc/diskstats", DISK("sda", "1000") DISK("sda1", "900") DISK("loop0", "9")
		   DISK("cciss/c0d0", "50") DISK("gone", "1"));
	root_write("proc/net/dev", NET_HEAD NET("lo", "5", "5") NET("eth0", "1000", "2000")
		   NET("reset", "500", "0"));
	tl_host_look(samples, 100 * S, 7 * S);
}

static void host_second(struct tl_host_samples *samples)
{
	root_write("proc/stat", "cpu  1040 0 510 8040 200 0 100 210 0 0\n");
	root_write("proc/diskstats", DISK("sda", "1500") DISK("sda1", "1400") DISK("loop0", "99")
		   DISK("cciss/c0d0", "2050") DISK("new", "1"));
	root_write("proc/net/dev", NET_HEAD NET("lo", "9", "9") NET("eth0", "1600", "2000")
		   NET("reset", "2", "0"));
	tl_host_look(samples, 101 * S + 1000, 8 * S);
}

static struct tl_interval *during(const struct tl_host_samples *samples, u64 start_ns,
				  u64 length_ns)
{
	struct tl_interval *interval = tl_interval_new();

	interval->start_ns = start_ns;
	interval->length_ns = length_ns;
	tl_host_add(samples, interval);
	return interval;
}

static void test_host(void)
{
	static const char *const dirs[] = { "proc", "proc/net", "sys", "sys/block",
		"sys/block/sda", "sys/block/loop0", "sys/block/cciss!c0d0", "sys/block/gone",
		"sys/block/new" };
	struct tl_host_samples samples = { .root = root };
	struct tl_interval *interval, *total;
	size_t i;

	if (!mkdtemp(root))
		abort();
	for (i = 0; i < ARRAY_SIZE(dirs); i++)
		root_make(dirs[i]);
	host_first(&samples);
	interval = during(&samples, 99 * S, S);
	ok(!interval->n_hosts, "the first interval has no utilisation");
	tl_interval_free(interval);
	host_second(&samples);
	interval = during(&samples, 100 * S, S);
	ok(fabs(value_of(interval, "cpu") - 0.5) < 1e-12, "cpu: busy without idle and steal");
	ok(value_of(interval, "disk.sda") == 0.5 && value_of(interval, "disk.sda1") < 0 &&
		   value_of(interval, "disk.loop0") < 0,
	   "whole disks only");
	ok(value_of(interval, "disk.cciss/c0d0") == 1, "a disk is not busier than always");
	ok(value_of(interval, "disk.gone") < 0 && value_of(interval, "disk.new") < 0 &&
		   value_of(interval, "net.reset.in_bytes_s") < 0,
	   "what came, went or was reset has none");
	ok(value_of(interval, "net.eth0.in_bytes_s") == 600 &&
		   value_of(interval, "net.eth0.out_bytes_s") == 0 &&
		   value_of(interval, "net.lo.in_bytes_s") < 0,
	   "bytes a second of networks, not of lo");
	total = during(&samples, 98 * S, S);
	ok(!total->n_hosts, "an interval that was read late has none");
	tl_interval_add(total, interval);
	tl_interval_add(total, interval);
	ok(fabs(value_of(total, "cpu") - 0.5) < 1e-12 && total->length_ns == 3 * S &&
		   total->hosts[0].length_ns == 2 * S,
	   "a sum knows for how long it is known");
	tl_interval_free(total);
	tl_interval_free(interval);
	interval = during(&samples, 100 * S + S / 10, S);
	ok(!interval->n_hosts, "samples that are too far from its ends are not used");
	tl_interval_free(interval);
	for (i = 0; i < 3 * TL_HOST_SAMPLES; i++)
		tl_host_look(&samples, (200 + i) * S, (10 + i) * S);
	interval = during(&samples, (200 + i - 2) * S, S);
	ok(value_of(interval, "net.eth0.in_bytes_s") == 0 && value_of(interval, "cpu") < 0,
	   "old samples make room; no ticks, no part of them");
	tl_interval_free(interval);
	tl_host_free(&samples);
}

static void test_host_absent(void)
{
	struct tl_host_samples samples = { .root = "/nonexistent" };
	struct tl_interval *interval;

	tl_host_look(&samples, 100 * S, S);
	tl_host_look(&samples, 101 * S, 2 * S);
	interval = during(&samples, 100 * S, S);
	ok(!interval->n_hosts, "without /proc nothing is known");
	tl_interval_free(interval);
	tl_host_free(&samples);
}

static void root_remove(void)
{
	char command[200];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	if (system(command))
		abort();
}

int main(void)
{
	test_escapes();
	test_sums();
	test_usage();
	test_elapsed();
	test_paths();
	test_deep_paths();
	test_host();
	test_host_absent();
	root_remove();
	return done();
}
