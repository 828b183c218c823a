// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Levels of the fake kernel's tiers, and functions that it was told to probe
 *
 * A tier "nobody" does not exist, "pinned" is somebody else's, and no function is probed that is
 * called "refused". With the scene "levels" the first tier is at trace, the second at method with two
 * functions, one of them dropped, and probes cost something.
 */
#include "user-fake.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/tierlens.h>
#include <stdio.h>
#include <string.h>

#define TIERS 3
#define FUNCTIONS 256

static uint32_t default_level = TIERLENS_LEVEL_SERVER, default_from, default_lease_ms;

static struct {
	char name[64];
	uint32_t level, lease_ms;
	bool own;
} tiers[TIERS + 1];

static struct {
	char tier[64], name[TIERLENS_FUNCTION_NAME_MAX + 1];
	uint64_t offset;
	uint32_t rate_max;
	uint32_t state;
} functions[FUNCTIONS]; /* without a name: free */

static const char *text_of(const struct nlattr *attr)
{
	return attr ? (const char *)attr + NLA_HDRLEN : "";
}

/* What was there before. */
static void begun(void)
{
	static bool done;

	if (done || !plays("levels"))
		return;
	done = true;
	default_level = TIERLENS_LEVEL_TRACE;
	tiers[2].level = TIERLENS_LEVEL_METHOD;
	tiers[2].lease_ms = 2500;
	tiers[2].own = true;
	snprintf(functions[0].tier, sizeof(functions[0].tier), "%s", name_of(2));
	snprintf(functions[0].name, sizeof(functions[0].name), "pay");
	functions[1] = functions[0];
	snprintf(functions[1].name, sizeof(functions[1].name), "hash");
	functions[1].state = TIERLENS_FUNCTION_STATE_HOT;
}

uint32_t level_of(unsigned int tier)
{
	begun();
	return tier <= TIERS && tiers[tier].own ? tiers[tier].level : default_level;
}

void put_level(struct message *m, unsigned int tier)
{
	put_u32(m, TIERLENS_A_TIER_LEVEL, level_of(tier));
	if (!tiers[tier].own)
		return;
	put(m, TIERLENS_A_TIER_OWN_LEVEL, "", 0);
	if (tiers[tier].lease_ms)
		put_u32(m, TIERLENS_A_TIER_LEASE_MS, tiers[tier].lease_ms);
}

void put_module_level(struct message *m)
{
	uint32_t n = 0, i;

	begun();
	for (i = 0; i < FUNCTIONS; i++)
		n += *functions[i].name && functions[i].state == TIERLENS_FUNCTION_STATE_PROBED;
	put_u32(m, TIERLENS_A_MODULE_LEVEL, default_level);
	put_u32(m, TIERLENS_A_MODULE_FUNCTIONS, n);
	if (!default_lease_ms)
		return;
	put_u32(m, TIERLENS_A_MODULE_LEASE_MS, default_lease_ms);
	put_u32(m, TIERLENS_A_MODULE_LEASED_FROM, default_from);
}

static void functions_go(const char *tier, uint64_t id)
{
	uint32_t i;

	for (i = 0; i < FUNCTIONS; i++)
		if (strcmp(functions[i].tier, tier) || (id && id != i + 1))
			continue;
		else if (plays("leaving"))
			functions[i].state = TIERLENS_FUNCTION_STATE_LEAVING;
		else
			memset(&functions[i], 0, sizeof(functions[i]));
}

/* The lease that is asked for the eighth time is over before it is asked for again. */
static bool lapsed;

static bool lapses(void)
{
	static int asked;

	lapsed = plays("lapse") && ++asked == 8;
	return lapsed;
}

/* No lease ends by itself. */
static void default_set(uint32_t level, uint32_t lease_ms)
{
	if (lease_ms && !default_lease_ms)
		default_from = default_level;
	default_level = level;
	default_lease_ms = lease_ms;
}

void answer_level(int fd, const struct nlmsghdr *request)
{
	const struct nlattr *level = attr_of(request, TIERLENS_A_TIER_LEVEL);
	const struct nlattr *lease = attr_of(request, TIERLENS_A_TIER_LEASE_MS);
	const char *name = text_of(attr_of(request, TIERLENS_A_TIER_NAME));
	unsigned int tier;

	begun();
	request_log(request);
	for (tier = 1; tier < TIERS && strcmp(name, tier == 3 ? "sock" : name_of(tier)); tier++)
		;
	if (!strcmp(name, "nobody")) {
		answer(fd, request, -ENOENT, "no tier has that name: see the list of tiers");
	} else if (!strcmp(name, "pinned") || (*name && plays("pinned") && tier == 2)) {
		answer(fd, request, -EBUSY, "the level of that tier was set by hand: give it back first");
	} else {
		if (!*name && level) {
			default_set((uint32_t)number_of(level), lease ? (uint32_t)number_of(lease) : 0);
		} else if (*name) {
			tiers[tier].own = level;
			tiers[tier].level = level ? (uint32_t)number_of(level) : 0;
			tiers[tier].lease_ms = lease ? (uint32_t)number_of(lease) : 0;
			if (!level || tiers[tier].level != TIERLENS_LEVEL_METHOD || lapses())
				functions_go(name, 0);
			if (lapsed)
				tiers[tier].own = lapsed = false;
		}
		answer(fd, request, 0, NULL);
	}
}

static void function_new(int fd, const struct nlmsghdr *request, const char *tier)
{
	const struct nlattr *rate = attr_of(request, TIERLENS_A_FUNCTION_RATE_MAX);
	const char *name = text_of(attr_of(request, TIERLENS_A_FUNCTION_NAME));
	static unsigned int hots;
	struct message m;
	uint32_t i;

	for (i = 0; i < FUNCTIONS && *functions[i].name; i++)
		;
	if (!strcmp(name, "refused")) {
		answer(fd, request, -EINVAL, "the processor cannot step over the first instruction");
		return;
	}
	if (i == FUNCTIONS) {
		answer(fd, request, -ENOSPC, "256 functions are probed already: take some away first");
		return;
	}
	snprintf(functions[i].tier, sizeof(functions[i].tier), "%s", tier);
	snprintf(functions[i].name, sizeof(functions[i].name), "%s", name);
	functions[i].offset = number_of(attr_of(request, TIERLENS_A_FUNCTION_OFFSET));
	functions[i].state = plays("hot") && hots++ < 3;
	functions[i].rate_max = rate ? (uint32_t)number_of(rate) : 0;
	begin_genl(&m, TIERLENS_CMD_FUNCTION_NEW, 0, request);
	put_u32(&m, TIERLENS_A_FUNCTION_ID, i + 1);
	deliver(fd, &m);
	answer(fd, request, 0, NULL);
}

void answer_function(int fd, const struct nlmsghdr *request, uint8_t cmd)
{
	const char *tier = text_of(attr_of(request, TIERLENS_A_FUNCTION_TIER));
	const struct nlattr *id = attr_of(request, TIERLENS_A_FUNCTION_ID);

	begun();
	request_log(request);
	if (cmd == TIERLENS_CMD_FUNCTION_NEW) {
		function_new(fd, request, tier);
		return;
	}
	functions_go(tier, id ? number_of(id) : 0);
	answer(fd, request, 0, NULL);
}

void dump_functions(int fd, const struct nlmsghdr *request)
{
	struct message m;
	uint32_t i;

	begun();
	for (i = 0; i < FUNCTIONS; i++) {
		if (!*functions[i].name)
			continue;
		begin_genl(&m, TIERLENS_CMD_FUNCTION_GET, dump_flags(), request);
		put_u32(&m, TIERLENS_A_FUNCTION_ID, i + 1);
		put_text(&m, TIERLENS_A_FUNCTION_TIER, functions[i].tier);
		put_text(&m, TIERLENS_A_FUNCTION_NAME, functions[i].name);
		put_u64(&m, TIERLENS_A_FUNCTION_OFFSET, functions[i].offset);
		put_u32(&m, TIERLENS_A_FUNCTION_STATE, functions[i].state);
		put_u64(&m, TIERLENS_A_FUNCTION_HITS, 1000 * (i + 1));
		put_u64(&m, TIERLENS_A_FUNCTION_LOST, i);
		put_u32(&m, TIERLENS_A_FUNCTION_RATE_MAX, functions[i].rate_max);
		deliver(fd, &m);
	}
	finish(fd, request, 0, NULL);
}

/* The first that is probed takes most of the time, whatever it is called. */
void put_calls(struct message *m, uint64_t each_ns)
{
	uint32_t i, told = 0;
	size_t nest;

	begun();
	for (i = 0; i < FUNCTIONS && told < 2; i++) {
		if (!*functions[i].name || functions[i].state)
			continue;
		nest = nest_begin(m, TIERLENS_A_INTERVAL_CALL);
		put_u32(m, TIERLENS_A_FUNCTION_CALL_FUNCTION, i + 1);
		put_text(m, TIERLENS_A_FUNCTION_CALL_NAME, functions[i].name);
		put_u32(m, TIERLENS_A_FUNCTION_CALL_TIER, 2);
		put_text(m, TIERLENS_A_FUNCTION_CALL_TIER_NAME, functions[i].tier);
		if (!told)
			put_u32(m, TIERLENS_A_FUNCTION_CALL_CLASS, 0);
		put_u64(m, TIERLENS_A_FUNCTION_CALL_COUNT, 10);
		put_u64(m, TIERLENS_A_FUNCTION_CALL_TOTAL_NS, told ? 1000 : 10 * each_ns);
		put_u64(m, TIERLENS_A_FUNCTION_CALL_OWN_NS, told ? 900 : 9 * each_ns);
		put_u64(m, TIERLENS_A_FUNCTION_CALL_CPU_NS, told ? 800 : each_ns);
		nest_end(m, nest);
		told++;
	}
}

void put_cost(struct message *m)
{
	size_t nest = nest_begin(m, TIERLENS_A_INTERVAL_COST);

	put_u64(m, TIERLENS_A_COST_HOOK_HITS, 2000);
	put_u64(m, TIERLENS_A_COST_HOOK_NS, 200000);
	put_u64(m, TIERLENS_A_COST_HOOK_WAY_NS, 60000);
	put_u64(m, TIERLENS_A_COST_FUNCTION_HITS, plays("levels") ? 40 : 0);
	put_u64(m, TIERLENS_A_COST_FUNCTION_NS, plays("levels") ? 12000 : 0);
	nest_end(m, nest);
}
