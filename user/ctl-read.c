// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's messages as plain structs
 *
 * Each reader takes the attributes of one message. What is absent stays zero:
 * the ABI number, compared when connecting, is what says that both sides mean
 * the same.
 */
#include "ctl-read.h"

#include "ctl.h"
#include "text.h"

#include <errno.h>
#include <linux/tierlens.h>
#include <netlink/attr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * tl_ctl_read_fields() - Copy attributes into a plain struct
 * @attrs: parsed attributes
 * @fields: which, and where to
 * @n: how many
 * @to: the struct; members whose attributes are absent stay as they are
 */
void tl_ctl_read_fields(struct nlattr **attrs, const struct tl_ctl_field *fields,
			size_t n, void *to)
{
	size_t i, len;

	for (i = 0; i < n; i++) {
		const struct nlattr *attr = attrs[fields[i].attr];

		if (!attr)
			continue;
		len = (size_t)nla_len(attr);
		memcpy((char *)to + fields[i].offset, nla_data(attr),
		       len < fields[i].size ? len : fields[i].size);
	}
}

/**
 * tl_ctl_read_text() - Copy a text of the kernel's
 * @to: filled with valid UTF-8, cut where it does not fit
 * @room: size of @to in bytes
 * @attr: attribute or NULL, which gives ""
 */
void tl_ctl_read_text(char *to, size_t room, const struct nlattr *attr)
{
	size_t len = attr ? strnlen(nla_data(attr), (size_t)nla_len(attr)) : 0, fit = min(len, room - 1), i;
	const char *from = attr ? nla_data(attr) : "";
	char *text, all = 0;

	/* Nearly all names are ASCII, and there are many of them in each interval. */
	for (i = 0; i < fit; i++)
		all |= from[i];
	if (!(all & 0x80)) {
		*(char *)mempcpy(to, from, fit) = '\0';
		return;
	}
	text = tl_text_utf8(from, len);
	tl_text_cut(to, room, text ? text : "");
	free(text);
}

/**
 * tl_ctl_read_level() - Read a level
 * @attr: attribute or NULL
 *
 * Return: it; TL_AT_UNKNOWN if it is absent, or one that a later kernel module has.
 */
enum tl_at tl_ctl_read_level(const struct nlattr *attr)
{
	static const enum tl_at levels[] = {
		[TIERLENS_LEVEL_OFF] = TL_AT_OFF,
		[TIERLENS_LEVEL_TRACE] = TL_AT_TRACE,
		[TIERLENS_LEVEL_SERVER] = TL_AT_SERVER,
		[TIERLENS_LEVEL_METHOD] = TL_AT_METHOD,
	};
	u32 value = attr && nla_len(attr) == sizeof(u32) ? nla_get_u32(attr) : UINT32_MAX;

	return value < ARRAY_SIZE(levels) ? levels[value] : TL_AT_UNKNOWN;
}

/**
 * tl_ctl_read_counters() - Read a nest of counters
 * @nest: its attributes 2 … @n + 1 are u64 counters in the order of our enums
 * @counters: those that are there are set
 * @n: how many there may be
 */
void tl_ctl_read_counters(const struct nlattr *nest, u64 *counters, int n)
{
	struct nlattr *attr;
	int left;

	if (!nest)
		return;
	nla_for_each_nested(attr, nest, left)
		if (nla_type(attr) >= 2 && nla_type(attr) < n + 2 &&
		    nla_len(attr) == sizeof(u64))
			counters[nla_type(attr) - 2] = nla_get_u64(attr);
}

static_assert(TIERLENS_A_EVENTS_MAX == TL_EVENTS + 1, "an event counter is missing");
static_assert(TIERLENS_A_LOSSES_MAX == TL_LOSSES + 1, "a loss counter is missing");
static_assert(TIERLENS_A_OCCUPANCY_MAX == TL_TABLES + 1, "a table is missing");

/* In the order of the attributes. */
const char *const tl_table_names[TL_TABLES] = {
	"servers", "clients",  "errands", "threads", "processes", "ledgers",
	"handoffs", "offers", "tiers", "peers",	"paths",     "sums",
};

/**
 * tl_ctl_read_module() - Reader of a module-get reply
 * @first: first attribute
 * @len: bytes of attributes
 * @arg: struct tl_module, zeroed
 *
 * Return: 0 or -EBADMSG.
 */
int tl_ctl_read_module(struct nlattr *first, int len, void *arg)
{
	static const struct tl_ctl_field fields[] = {
		FIELD(TIERLENS_A_MODULE_ABI, struct tl_module, abi),
		FIELD(TIERLENS_A_MODULE_ENABLED, struct tl_module, enabled),
		FIELD(TIERLENS_A_MODULE_INTERVAL_MS, struct tl_module, interval_ms),
		FIELD(TIERLENS_A_MODULE_QUIET_MS, struct tl_module, quiet_ms),
		FIELD(TIERLENS_A_MODULE_OLDEST, struct tl_module, oldest),
		FIELD(TIERLENS_A_MODULE_NEWEST, struct tl_module, newest),
		FIELD(TIERLENS_A_MODULE_MEMORY_USED, struct tl_module, memory_used),
		FIELD(TIERLENS_A_MODULE_MEMORY_CAP, struct tl_module, memory_cap),
		FIELD(TIERLENS_A_MODULE_CONNECTIONS, struct tl_module, connections),
		FIELD(TIERLENS_A_MODULE_THREADS, struct tl_module, threads),
		FIELD(TIERLENS_A_MODULE_TIERS, struct tl_module, tiers),
		FIELD(TIERLENS_A_MODULE_CLASS_RULES, struct tl_module, class_rules),
		FIELD(TIERLENS_A_MODULE_PATHS, struct tl_module, paths),
		FIELD(TIERLENS_A_MODULE_PROCESSORS, struct tl_module, processors),
		FIELD(TIERLENS_A_MODULE_FUNCTIONS, struct tl_module, functions),
		FIELD(TIERLENS_A_MODULE_LEASE_MS, struct tl_module, lease_ms),
	};
	struct nlattr *attrs[TIERLENS_A_MODULE_MAX + 1];
	struct tl_module *module = arg;

	if (nla_parse(attrs, TIERLENS_A_MODULE_MAX, first, len, NULL) < 0)
		return -EBADMSG;
	tl_ctl_read_fields(attrs, fields, ARRAY_SIZE(fields), module);
	tl_ctl_read_text(module->version, sizeof(module->version),
		  attrs[TIERLENS_A_MODULE_VERSION]);
	module->level = tl_ctl_read_level(attrs[TIERLENS_A_MODULE_LEVEL]);
	module->leased_from = tl_ctl_read_level(attrs[TIERLENS_A_MODULE_LEASED_FROM]);
	tl_ctl_read_counters(attrs[TIERLENS_A_MODULE_EVENTS], module->events, TL_EVENTS);
	tl_ctl_read_counters(attrs[TIERLENS_A_MODULE_LOSSES], module->losses, TL_LOSSES);
	tl_ctl_read_counters(attrs[TIERLENS_A_MODULE_OCCUPANCY], module->occupancy,
			     TL_TABLES);
	/* Older modules do not tell. */
	return attrs[TIERLENS_A_MODULE_COST] ? tl_ctl_read_cost(attrs[TIERLENS_A_MODULE_COST], module->cost) : 0;
}

/**
 * tl_ctl_rows_add() - One more zeroed row
 * @rows: where
 *
 * Return: the row, NULL without memory.
 */
void *tl_ctl_rows_add(struct tl_ctl_rows *rows)
{
	char *grown = reallocarray(rows->row, rows->n + 1, rows->size);

	if (!grown)
		return NULL;
	rows->row = grown;
	return memset(grown + rows->n++ * rows->size, 0, rows->size);
}

/**
 * tl_ctl_read_tier() - Reader of one message of a tier-get dump
 * @first: first attribute
 * @len: bytes of attributes
 * @arg: struct tl_ctl_rows of struct tl_tier_info
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int tl_ctl_read_tier(struct nlattr *first, int len, void *arg)
{
	static const struct tl_ctl_field fields[] = {
		FIELD(TIERLENS_A_TIER_ID, struct tl_tier_info, id),
		FIELD(TIERLENS_A_TIER_PORT, struct tl_tier_info, port),
		FIELD(TIERLENS_A_TIER_NETNS, struct tl_tier_info, netns),
		FIELD(TIERLENS_A_TIER_SOURCE, struct tl_tier_info, source),
		FIELD(TIERLENS_A_TIER_CONNECTIONS, struct tl_tier_info, connections),
		FIELD(TIERLENS_A_TIER_LEASE_MS, struct tl_tier_info, lease_ms),
	};
	struct nlattr *attrs[TIERLENS_A_TIER_MAX + 1];
	struct tl_tier_info *tier;

	if (nla_parse(attrs, TIERLENS_A_TIER_MAX, first, len, NULL) < 0)
		return -EBADMSG;
	tier = tl_ctl_rows_add(arg);
	if (!tier)
		return -ENOMEM;
	tl_ctl_read_fields(attrs, fields, ARRAY_SIZE(fields), tier);
	tl_ctl_read_text(tier->name, sizeof(tier->name), attrs[TIERLENS_A_TIER_NAME]);
	tl_ctl_read_text(tier->path, sizeof(tier->path), attrs[TIERLENS_A_TIER_PATH]);
	tier->level = tl_ctl_read_level(attrs[TIERLENS_A_TIER_LEVEL]);
	tier->leased = attrs[TIERLENS_A_TIER_LEASE_MS];
	tier->own_level = attrs[TIERLENS_A_TIER_OWN_LEVEL];
	return 0;
}

/**
 * tl_ctl_read_class() - Reader of one message of a class-get dump
 * @first: first attribute
 * @len: bytes of attributes
 * @arg: struct tl_ctl_rows of struct tl_class_info
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int tl_ctl_read_class(struct nlattr *first, int len, void *arg)
{
	static const struct tl_ctl_field fields[] = {
		FIELD(TIERLENS_A_CLASS_ID, struct tl_class_info, id),
		FIELD(TIERLENS_A_CLASS_PREFIX, struct tl_class_info, prefix),
		FIELD(TIERLENS_A_CLASS_HITS, struct tl_class_info, hits),
	};
	struct nlattr *attrs[TIERLENS_A_CLASS_MAX + 1], *prefix;
	struct tl_class_info *class;

	if (nla_parse(attrs, TIERLENS_A_CLASS_MAX, first, len, NULL) < 0)
		return -EBADMSG;
	prefix = attrs[TIERLENS_A_CLASS_PREFIX];
	if (prefix && nla_len(prefix) > TIERLENS_PREFIX_MAX)
		return -EBADMSG;
	class = tl_ctl_rows_add(arg);
	if (!class)
		return -ENOMEM;
	tl_ctl_read_fields(attrs, fields, ARRAY_SIZE(fields), class);
	class->prefix_len = prefix ? (size_t)nla_len(prefix) : 0;
	tl_ctl_read_text(class->name, sizeof(class->name), attrs[TIERLENS_A_CLASS_NAME]);
	tl_ctl_read_text(class->tier, sizeof(class->tier), attrs[TIERLENS_A_CLASS_TIER]);
	return 0;
}

/**
 * tl_ctl_read_pmu() - Reader of one message of a pmu-get dump
 * @first: first attribute
 * @len: bytes of attributes
 * @arg: struct tl_ctl_rows of struct tl_pmu_info
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int tl_ctl_read_pmu(struct nlattr *first, int len, void *arg)
{
	static const struct tl_ctl_field fields[] = {
		FIELD(TIERLENS_A_PMU_ID, struct tl_pmu_info, id),
		FIELD(TIERLENS_A_PMU_TYPE, struct tl_pmu_info, type),
		FIELD(TIERLENS_A_PMU_CONFIG, struct tl_pmu_info, config),
		FIELD(TIERLENS_A_PMU_CONFIG1, struct tl_pmu_info, config1),
		FIELD(TIERLENS_A_PMU_CPUS, struct tl_pmu_info, cpus),
	};
	struct nlattr *attrs[TIERLENS_A_PMU_MAX + 1];
	struct tl_pmu_info *event;

	if (nla_parse(attrs, TIERLENS_A_PMU_MAX, first, len, NULL) < 0)
		return -EBADMSG;
	event = tl_ctl_rows_add(arg);
	if (!event)
		return -ENOMEM;
	tl_ctl_read_fields(attrs, fields, ARRAY_SIZE(fields), event);
	tl_ctl_read_text(event->name, sizeof(event->name), attrs[TIERLENS_A_PMU_NAME]);
	event->charged = attrs[TIERLENS_A_PMU_CHARGED];
	return 0;
}

/**
 * tl_ctl_read_hook() - Reader of one message of a hook-get dump
 * @first: first attribute
 * @len: bytes of attributes
 * @arg: struct tl_ctl_rows of struct tl_hook
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int tl_ctl_read_hook(struct nlattr *first, int len, void *arg)
{
	static const struct tl_ctl_field fields[] = {
		FIELD(TIERLENS_A_HOOK_STATE, struct tl_hook, state),
		FIELD(TIERLENS_A_HOOK_REQUIRED, struct tl_hook, required),
		FIELD(TIERLENS_A_HOOK_HITS, struct tl_hook, hits),
		FIELD(TIERLENS_A_HOOK_MISSED, struct tl_hook, missed),
		FIELD(TIERLENS_A_HOOK_TIMED, struct tl_hook, timed),
		FIELD(TIERLENS_A_HOOK_TIMED_NS, struct tl_hook, timed_ns),
		FIELD(TIERLENS_A_HOOK_FLOOR_NS, struct tl_hook, floor_ns),
	};
	struct nlattr *attrs[TIERLENS_A_HOOK_MAX + 1];
	struct tl_hook *hook;

	if (nla_parse(attrs, TIERLENS_A_HOOK_MAX, first, len, NULL) < 0)
		return -EBADMSG;
	hook = tl_ctl_rows_add(arg);
	if (!hook)
		return -ENOMEM;
	tl_ctl_read_fields(attrs, fields, ARRAY_SIZE(fields), hook);
	tl_ctl_read_text(hook->name, sizeof(hook->name), attrs[TIERLENS_A_HOOK_NAME]);
	tl_ctl_read_text(hook->symbol, sizeof(hook->symbol),
			 attrs[TIERLENS_A_HOOK_SYMBOL]);
	return 0;
}

static const char *name_of(const char *const *names, u32 n, u32 value)
{
	return value < n && names[value] ? names[value] : "unknown";
}

/**
 * tl_tier_source_name() - How a tier came to be
 * @source: of struct tl_tier_info
 *
 * Return: a word.
 */
const char *tl_tier_source_name(u32 source)
{
	static const char *const names[] = {
		[TIERLENS_TIER_SOURCE_NONE] = "none",
		[TIERLENS_TIER_SOURCE_RULE] = "rule",
		[TIERLENS_TIER_SOURCE_DISCOVERED] = "discovered",
	};

	return name_of(names, ARRAY_SIZE(names), source);
}

/**
 * tl_function_state_name() - State of a function
 * @state: of struct tl_function_info
 *
 * Return: a word.
 */
const char *tl_function_state_name(u32 state)
{
	static const char *const names[] = {
		[TIERLENS_FUNCTION_STATE_PROBED] = "probed",
		[TIERLENS_FUNCTION_STATE_HOT] = "hot",
		[TIERLENS_FUNCTION_STATE_STACKS] = "stacks",
		[TIERLENS_FUNCTION_STATE_LEAVING] = "leaving",
	};

	return name_of(names, ARRAY_SIZE(names), state);
}

/**
 * tl_hook_state_name() - State of a hook
 * @state: of struct tl_hook
 *
 * Return: a word.
 */
const char *tl_hook_state_name(u32 state)
{
	static const char *const names[] = {
		[TIERLENS_HOOK_STATE_ABSENT] = "absent",
		[TIERLENS_HOOK_STATE_IDLE] = "idle",
		[TIERLENS_HOOK_STATE_ACTIVE] = "active",
	};

	return name_of(names, ARRAY_SIZE(names), state);
}
