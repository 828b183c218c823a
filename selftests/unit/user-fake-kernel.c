// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel that speaks the ABI, for a command line that is linked with it
 *
 * Stands where libnl meets the C library: a generic netlink socket becomes one end
 * of a socket pair, a request is answered into the other end at once. What it
 * plays is said by the environment variable TIERLENS_FAKE, words separated by
 * commas:
 *   absent       the family does not exist
 *   eperm        no capability
 *   abi          another ABI number
 *   off          measuring is off
 *   off-on       measuring is off until it is switched on
 *   leftover     there is a class that has a name of the self test's
 *   full         the tables of tiers and of rules are full
 *   intr         every first dump is interrupted
 *   always-intr  every dump is
 *   cut          a dump ends in mid-interval
 *   gap          every fourth generation is lost
 *   hints        intervals are announced
 *   hostile      names that no one should print
 *   expansion    names that a shell must not read
 *   empty        no interval is ever closed
 *   large        twenty tiers of ten classes
 *   forty        no interval is closed after the fortieth
 *   turn-off     measuring is turned off after five requests for intervals
 *   clock        intervals end by the real clock, 20 ms before they can be read
 *   set-back     from the 50th on they end five minutes earlier
 *   unloaded     the module is gone after five requests for intervals
 *   bare         nothing that may be absent is there
 *   orphan       a path's parent is not
 *   charged      events are counted, of which one is charged to requests
 *   turns        events take turns on the counters
 *   no-perf      perf_event_open is not permitted
 *   idle         there are no requests
 *   long-ago     the first six intervals began an hour ago, the others by the real clock
 *   levels       tiers are at several levels
 *   pinned       the second tier's level is somebody else's
 *   lapse        a lease of it ends before it is asked for again
 *   hot          the first three functions that are probed are called too often
 *   leaving      no function that is let go ever leaves
 *   fault        from the 30th interval to the 59th the second tier is eight times as slow
 *   sync-old     a kernel module without recordings of sync points
 *   sync-full    no memory for one
 *   sync-endless it never says that it is over
 * TIERLENS_FAKE_PORT, TIERLENS_FAKE_APP_PORT and TIERLENS_FAKE_PATH are where its tiers listen,
 * TIERLENS_FAKE_SYNC names a file with what it records of sync points.
 * An interval takes 100 ms; 16 are kept. Requests that change something are written
 * to the file that TIERLENS_FAKE_LOG names, attributes as "number=bytes in hex".
 */
#include "user-fake.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/tierlens.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GROUP 7
#define FIRST 1001
#define QUIET_NS 20000000ULL
#define EPOCH_NS 1763700000000000000ULL

static int hint_fd;
static unsigned int dumps, interval_gets;
static bool on; /* switched on by us */

bool plays(const char *word)
{
	const char *all = getenv("TIERLENS_FAKE"), *at = all;
	size_t len = strlen(word);

	for (; at && (at = strstr(at, word)); at += len)
		if ((at == all || at[-1] == ',') && (!at[len] || at[len] == ','))
			return true;
	return false;
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* When we began: on the monotonic clock, and on the real one. */
static uint64_t began(bool real)
{
	static uint64_t mono_ns, real_ns;

	if (!mono_ns) {
		mono_ns = now_ns(CLOCK_MONOTONIC);
		real_ns = now_ns(CLOCK_REALTIME);
	}
	return real ? real_ns : mono_ns;
}

/* Intervals close as time goes by; a few are closed already when we begin. */
static uint64_t newest(void)
{
	uint64_t since = began(false), ago = now_ns(CLOCK_MONOTONIC) - since;

	if (plays("empty"))
		return 0;
	ago /= INTERVAL_NS;
	return FIRST + 19 + (plays("forty") && ago > 20 ? 20 : ago);
}

/* Beginning of an interval. */
uint64_t start_ns(uint64_t generation)
{
	if (plays("long-ago") && generation < FIRST + 26)
		return began(true) + generation * INTERVAL_NS - 3600000000000;
	if (plays("clock") || plays("long-ago"))
		return began(true) + (generation - FIRST - 20) * INTERVAL_NS - QUIET_NS -
		       (plays("set-back") && generation >= FIRST + 50 ? 300000000000 : 0);
	return EPOCH_NS + generation * INTERVAL_NS;
}

static uint64_t oldest(void)
{
	return newest() ? newest() - TIERLENS_INTERVALS_KEPT + 1 : 0;
}

static bool lost(uint64_t generation)
{
	return plays("gap") && generation % 4 == 0;
}

static bool is_gone(void)
{
	return plays("unloaded") && interval_gets >= 5;
}

/* Answers */

static void answer_family(int fd, const struct nlmsghdr *request)
{
	struct genlmsghdr genl = { .cmd = CTRL_CMD_NEWFAMILY, .version = 2 };
	struct message m;
	size_t groups, group;

	if (plays("absent") || is_gone()) {
		answer(fd, request, -ENOENT, NULL);
		return;
	}
	begin(&m, GENL_ID_CTRL, 0, request);
	put_raw(&m, &genl, sizeof(genl));
	put_text(&m, CTRL_ATTR_FAMILY_NAME, TIERLENS_GENL_NAME);
	put_u16(&m, CTRL_ATTR_FAMILY_ID, FAMILY);
	groups = nest_begin(&m, CTRL_ATTR_MCAST_GROUPS);
	group = nest_begin(&m, 1);
	put_text(&m, CTRL_ATTR_MCAST_GRP_NAME, TIERLENS_MCGRP_INTERVAL);
	put_u32(&m, CTRL_ATTR_MCAST_GRP_ID, GROUP);
	nest_end(&m, group);
	nest_end(&m, groups);
	deliver(fd, &m);
	answer(fd, request, 0, NULL);
}

static void answer_module(int fd, const struct nlmsghdr *request)
{
	bool off = plays("off") || (plays("turn-off") && interval_gets > 5) ||
		   (plays("off-on") && !on);
	struct message m;
	size_t nest;
	uint16_t i;

	begin_genl(&m, TIERLENS_CMD_MODULE_GET, 0, request);
	put_text(&m, TIERLENS_A_MODULE_VERSION, "9.8.7");
	put_u32(&m, TIERLENS_A_MODULE_ABI, TIERLENS_ABI + plays("abi"));
	put_u32(&m, TIERLENS_A_MODULE_ENABLED, !off);
	put_u32(&m, TIERLENS_A_MODULE_INTERVAL_MS, INTERVAL_NS / 1000000);
	put_u32(&m, TIERLENS_A_MODULE_QUIET_MS, 50);
	put_u64(&m, TIERLENS_A_MODULE_OLDEST, plays("off") ? 0 : oldest());
	put_u64(&m, TIERLENS_A_MODULE_NEWEST, plays("off") ? 0 : newest());
	put_u64(&m, TIERLENS_A_MODULE_MEMORY_USED, 1 << 20);
	put_u64(&m, TIERLENS_A_MODULE_MEMORY_CAP, 32 << 20);
	put_u32(&m, TIERLENS_A_MODULE_CONNECTIONS, 11);
	put_u32(&m, TIERLENS_A_MODULE_THREADS, 12);
	put_u32(&m, TIERLENS_A_MODULE_TIERS, 2);
	put_u32(&m, TIERLENS_A_MODULE_CLASS_RULES, 3);
	put_u32(&m, TIERLENS_A_MODULE_PATHS, 5);
	put_u32(&m, TIERLENS_A_MODULE_PROCESSORS, 4);
	put_module_level(&m);
	put_totals(&m, TIERLENS_A_MODULE_EVENTS, TIERLENS_A_MODULE_LOSSES);
	nest = nest_begin(&m, TIERLENS_A_MODULE_OCCUPANCY);
	for (i = TIERLENS_A_OCCUPANCY_SERVERS; i <= TIERLENS_A_OCCUPANCY_MAX; i++)
		put_u64(&m, i, 100 + i);
	nest_end(&m, nest);
	deliver(fd, &m);
	answer(fd, request, 0, NULL);
}

uint16_t dump_flags(void)
{
	bool interrupted = plays("always-intr") || (plays("intr") && dumps % 2 == 0);

	return NLM_F_MULTI | (interrupted ? NLM_F_DUMP_INTR : 0);
}

/* Where somebody really listens, if the test says so. */
static const char *named(const char *variable, const char *otherwise)
{
	const char *value = getenv(variable);

	return value ? value : otherwise;
}

static void dump_tiers(int fd, const struct nlmsghdr *request)
{
	struct message m;
	unsigned int i;

	for (i = 1; i <= 2; i++) {
		begin_genl(&m, TIERLENS_CMD_TIER_GET, dump_flags(), request);
		put_u32(&m, TIERLENS_A_TIER_ID, i);
		put_text(&m, TIERLENS_A_TIER_NAME, name_of(i));
		put_u32(&m, TIERLENS_A_TIER_PORT, i == 1 ? (uint32_t)atoi(named("TIERLENS_FAKE_PORT", "80")) :
				      (uint32_t)atoi(named("TIERLENS_FAKE_APP_PORT", "9000")));
		put_u32(&m, TIERLENS_A_TIER_NETNS,
			i == 1 || getenv("TIERLENS_FAKE_APP_PORT") ? 0 : 4026531840U);
		put_u32(&m, TIERLENS_A_TIER_SOURCE, i);
		put_u32(&m, TIERLENS_A_TIER_CONNECTIONS, 3 * i);
		put_level(&m, i);
		deliver(fd, &m);
	}
	begin_genl(&m, TIERLENS_CMD_TIER_GET, dump_flags(), request);
	put_u32(&m, TIERLENS_A_TIER_ID, 3);
	put_text(&m, TIERLENS_A_TIER_NAME, "sock");
	put_text(&m, TIERLENS_A_TIER_PATH, named("TIERLENS_FAKE_PATH", "/run/php/fpm.sock"));
	put_u32(&m, TIERLENS_A_TIER_SOURCE, TIERLENS_TIER_SOURCE_RULE);
	put_level(&m, 3);
	deliver(fd, &m);
	dumps++;
	finish(fd, request, 0, NULL);
}

static void dump_classes(int fd, const struct nlmsghdr *request)
{
	static const struct {
		const char *name, *tier, *prefix;
		size_t len;
	} rules[] = {
		{ "cart", "web:80", "GET /cart ", 10 },
		{ "query", NULL, "\0001\003\\\"\xff\n\0", 8 },
		{ "\033[2J", NULL, " x", 2 },
	};
	struct message m;
	uint32_t i;

	for (i = 0; i < 3 && !plays("empty"); i++) {
		begin_genl(&m, TIERLENS_CMD_CLASS_GET, dump_flags(), request);
		put_u32(&m, TIERLENS_A_CLASS_ID, i + 1);
		put_text(&m, TIERLENS_A_CLASS_NAME,
			 i || !plays("leftover") ? rules[i].name : "selftest-03");
		put(&m, TIERLENS_A_CLASS_PREFIX, rules[i].prefix, rules[i].len);
		if (rules[i].tier)
			put_text(&m, TIERLENS_A_CLASS_TIER, rules[i].tier);
		put_u64(&m, TIERLENS_A_CLASS_HITS, 1000 * i);
		deliver(fd, &m);
	}
	dumps++;
	finish(fd, request, 0, NULL);
}

static void dump_hooks(int fd, const struct nlmsghdr *request)
{
	struct message m;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		begin_genl(&m, TIERLENS_CMD_HOOK_GET, dump_flags(), request);
		put_text(&m, TIERLENS_A_HOOK_NAME,
			 (const char *[]){ "send", "accept", "page" }[i]);
		put_text(&m, TIERLENS_A_HOOK_SYMBOL,
			 (const char *[]){ "tcp_sendmsg", "inet_csk_accept", "" }[i]);
		put_u32(&m, TIERLENS_A_HOOK_STATE, 2 - i);
		put_u32(&m, TIERLENS_A_HOOK_REQUIRED, i < 2);
		put_u64(&m, TIERLENS_A_HOOK_HITS, 100 * i);
		put_u64(&m, TIERLENS_A_HOOK_MISSED, i);
		deliver(fd, &m);
	}
	dumps++;
	finish(fd, request, 0, NULL);
}

const struct nlattr *attr_of(const struct nlmsghdr *request, uint16_t type)
{
	const char *at = (const char *)request + NLMSG_HDRLEN + GENL_HDRLEN;
	const char *end = (const char *)request + request->nlmsg_len;

	while (at + NLA_HDRLEN <= end) {
		const struct nlattr *attr = (const struct nlattr *)at;

		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr;
		at += NLA_ALIGN(attr->nla_len);
	}
	return NULL;
}

/* Of four bytes or eight. */
uint64_t number_of(const struct nlattr *attr)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)attr + NLA_HDRLEN, attr->nla_len - NLA_HDRLEN);
	return value;
}

static void dump_intervals(int fd, const struct nlmsghdr *request)
{
	const struct nlattr *since = attr_of(request, TIERLENS_A_INTERVAL_SINCE);
	const struct nlattr *one = attr_of(request, TIERLENS_A_INTERVAL_GENERATION);
	uint64_t last = newest(), g = oldest();

	interval_gets++;
	if (one && (number_of(one) > last || number_of(one) < g)) {
		answer(fd, request, -ENOENT, "no such interval is kept: status tells the "
		       "oldest and newest generation");
		return;
	}
	if (one)
		g = last = number_of(one);
	else if (!since)
		g = last;
	else if (number_of(since) >= g)
		g = number_of(since) + 1;
	for (; g && g <= last; g++)
		if (!lost(g))
			send_interval(fd, request, g);
	dumps++;
	finish(fd, request, 0, NULL);
}

/* What the kernel was told, for a test to read. */
void request_log(const struct nlmsghdr *request)
{
	const char *at = (const char *)request + NLMSG_HDRLEN + GENL_HDRLEN;
	const char *end = (const char *)request + request->nlmsg_len;
	const char *name = getenv("TIERLENS_FAKE_LOG");
	FILE *to = name ? fopen(name, "ae") : NULL;
	int i;

	if (!to)
		return;
	for (; at + NLA_HDRLEN <= end; at += NLA_ALIGN(((const struct nlattr *)at)->nla_len)) {
		const struct nlattr *attr = (const struct nlattr *)at;

		fprintf(to, "%u=", attr->nla_type & NLA_TYPE_MASK);
		for (i = NLA_HDRLEN; i < attr->nla_len; i++)
			fprintf(to, "%02x", (unsigned char)at[i]);
		fputc(' ', to);
	}
	fputc('\n', to);
	fclose(to);
}

static void answer_class(int fd, const struct nlmsghdr *request, uint8_t cmd)
{
	const struct nlattr *name = attr_of(request, TIERLENS_A_CLASS_NAME);
	const char *text = name ? (const char *)name + NLA_HDRLEN : "";

	request_log(request);
	if (cmd == TIERLENS_CMD_CLASS_NEW && plays("full"))
		answer(fd, request, -ENOSPC,
		       "the table of rules is full: delete one first");
	else if (cmd == TIERLENS_CMD_CLASS_NEW && !strcmp(text, "twice"))
		answer(fd, request, -EEXIST,
		       "a rule has that prefix already: delete it first");
	else if (cmd == TIERLENS_CMD_CLASS_DEL && !strcmp(text, "nobody"))
		answer(fd, request, -ENOENT, "no rule has that class: see the list of "
		       "classes");
	else
		answer(fd, request, 0, NULL);
}

static void answer_tier(int fd, const struct nlmsghdr *request, uint8_t cmd)
{
	const struct nlattr *name = attr_of(request, TIERLENS_A_TIER_NAME);
	const char *text = name ? (const char *)name + NLA_HDRLEN : "";

	request_log(request);
	if (cmd == TIERLENS_CMD_TIER_NEW && plays("full"))
		answer(fd, request, -ENOSPC,
		       "the table of tiers is full: delete a tier first");
	else if (cmd == TIERLENS_CMD_TIER_NEW && !strcmp(text, "twice"))
		answer(fd, request, -EEXIST,
		       "that port has a tier already: delete it first");
	else if (cmd == TIERLENS_CMD_TIER_DEL && !strcmp(text, "nobody"))
		answer(fd, request, -ENOENT,
		       "no tier has that name: see the list of tiers");
	else
		answer(fd, request, 0, NULL);
}

static void switch_on(const struct nlmsghdr *request, bool to)
{
	request_log(request);
	on = to;
}

void respond(int fd, const struct nlmsghdr *request)
{
	const struct genlmsghdr *genl = NLMSG_DATA(request);

	if (request->nlmsg_type == FAMILY &&
	    (genl->cmd == TIERLENS_CMD_ENABLE || genl->cmd == TIERLENS_CMD_DISABLE))
		switch_on(request, genl->cmd == TIERLENS_CMD_ENABLE);
	if (request->nlmsg_type == GENL_ID_CTRL)
		answer_family(fd, request);
	else if (is_gone())
		answer(fd, request, -ENOENT, NULL);
	else if (plays("eperm"))
		answer(fd, request, -EPERM, NULL);
	else if (genl->cmd == TIERLENS_CMD_MODULE_GET)
		answer_module(fd, request);
	else if (genl->cmd == TIERLENS_CMD_TIER_GET)
		dump_tiers(fd, request);
	else if (genl->cmd == TIERLENS_CMD_CLASS_GET)
		dump_classes(fd, request);
	else if (genl->cmd == TIERLENS_CMD_CLASS_NEW || genl->cmd == TIERLENS_CMD_CLASS_DEL)
		answer_class(fd, request, genl->cmd);
	else if (genl->cmd == TIERLENS_CMD_HOOK_GET)
		dump_hooks(fd, request);
	else if (genl->cmd == TIERLENS_CMD_INTERVAL_GET)
		dump_intervals(fd, request);
	else if (genl->cmd == TIERLENS_CMD_PMU_GET)
		dump_events(fd, request);
	else if (genl->cmd == TIERLENS_CMD_PMU_NEW || genl->cmd == TIERLENS_CMD_PMU_DEL)
		answer_event(fd, request, genl->cmd);
	else if (genl->cmd == TIERLENS_CMD_FUNCTION_GET)
		dump_functions(fd, request);
	else if (genl->cmd == TIERLENS_CMD_FUNCTION_NEW || genl->cmd == TIERLENS_CMD_FUNCTION_DEL)
		answer_function(fd, request, genl->cmd);
	else if (genl->cmd == TIERLENS_CMD_LEVEL_SET)
		answer_level(fd, request);
	else if (genl->cmd == TIERLENS_CMD_SYNC_START)
		answer_sync(fd, request);
	else if (genl->cmd == TIERLENS_CMD_TIER_NEW || genl->cmd == TIERLENS_CMD_TIER_DEL)
		answer_tier(fd, request, genl->cmd);
	else
		answer(fd, request, 0, NULL);
}

/* Announces intervals when they close; without it a reader has to ask by itself. */
static void *announce(void *unused)
{
	uint64_t told = newest();
	struct message m;

	/* It is no thread of those who are looked at. */
	pthread_setname_np(pthread_self(), "kernel");
	for (;;) {
		struct timespec moment = { .tv_nsec = 1000000 };

		nanosleep(&moment, NULL);
		if (newest() == told)
			continue;
		told = newest();
		begin_genl(&m, TIERLENS_CMD_INTERVAL_NTF, 0, NULL);
		put_head(&m, told);
		deliver(hint_fd, &m);
	}
	return unused;
}

/* Tell that socket when an interval closes. */
void announce_begin(int fd)
{
	pthread_t thread;

	hint_fd = fd;
	pthread_create(&thread, NULL, announce, NULL);
	pthread_detach(thread);
}
