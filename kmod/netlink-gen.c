// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/tierlens.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink-gen.h"

#include <uapi/linux/tierlens.h>

/* Common nested types */
const struct nla_policy tierlens_sync_probe_nl_policy[TIERLENS_A_SYNC_PROBE_FUNCTION + 1] = {
	[TIERLENS_A_SYNC_PROBE_FILE] = { .type = NLA_U32, },
	[TIERLENS_A_SYNC_PROBE_OFFSET] = { .type = NLA_U64, },
	[TIERLENS_A_SYNC_PROBE_FUNCTION] = { .type = NLA_U32, },
};

/* TIERLENS_CMD_ENABLE - do */
static const struct nla_policy tierlens_enable_nl_policy[TIERLENS_A_MODULE_QUIET_MS + 1] = {
	[TIERLENS_A_MODULE_INTERVAL_MS] = NLA_POLICY_MIN(NLA_U32, 100),
	[TIERLENS_A_MODULE_QUIET_MS] = NLA_POLICY_MIN(NLA_U32, 10),
};

/* TIERLENS_CMD_TIER_NEW - do */
static const struct nla_policy tierlens_tier_new_nl_policy[TIERLENS_A_TIER_PATH + 1] = {
	[TIERLENS_A_TIER_NAME] = { .type = NLA_NUL_STRING, .len = TIERLENS_NAME_MAX, },
	[TIERLENS_A_TIER_PORT] = NLA_POLICY_MIN(NLA_U32, 1),
	[TIERLENS_A_TIER_NETNS] = { .type = NLA_U32, },
	[TIERLENS_A_TIER_PATH] = { .type = NLA_NUL_STRING, .len = TIERLENS_SUN_PATH_MAX, },
};

/* TIERLENS_CMD_TIER_DEL - do */
static const struct nla_policy tierlens_tier_del_nl_policy[TIERLENS_A_TIER_NAME + 1] = {
	[TIERLENS_A_TIER_NAME] = { .type = NLA_NUL_STRING, .len = TIERLENS_NAME_MAX, },
};

/* TIERLENS_CMD_CLASS_NEW - do */
static const struct nla_policy tierlens_class_new_nl_policy[TIERLENS_A_CLASS_TIER + 1] = {
	[TIERLENS_A_CLASS_NAME] = { .type = NLA_NUL_STRING, .len = TIERLENS_NAME_MAX, },
	[TIERLENS_A_CLASS_PREFIX] = { .type = NLA_BINARY, },
	[TIERLENS_A_CLASS_TIER] = { .type = NLA_NUL_STRING, .len = TIERLENS_NAME_MAX, },
};

/* TIERLENS_CMD_CLASS_DEL - do */
static const struct nla_policy tierlens_class_del_nl_policy[TIERLENS_A_CLASS_TIER + 1] = {
	[TIERLENS_A_CLASS_NAME] = { .type = NLA_NUL_STRING, .len = TIERLENS_NAME_MAX, },
	[TIERLENS_A_CLASS_PREFIX] = { .type = NLA_BINARY, },
	[TIERLENS_A_CLASS_TIER] = { .type = NLA_NUL_STRING, .len = TIERLENS_NAME_MAX, },
};

/* TIERLENS_CMD_INTERVAL_GET - dump */
static const struct nla_policy tierlens_interval_get_nl_policy[TIERLENS_A_INTERVAL_SINCE + 1] = {
	[TIERLENS_A_INTERVAL_GENERATION] = { .type = NLA_U64, },
	[TIERLENS_A_INTERVAL_SINCE] = { .type = NLA_U64, },
};

/* TIERLENS_CMD_PMU_NEW - do */
static const struct nla_policy tierlens_pmu_new_nl_policy[TIERLENS_A_PMU_CHARGED + 1] = {
	[TIERLENS_A_PMU_NAME] = { .type = NLA_NUL_STRING, .len = TIERLENS_NAME_MAX, },
	[TIERLENS_A_PMU_TYPE] = { .type = NLA_U32, },
	[TIERLENS_A_PMU_CONFIG] = { .type = NLA_U64, },
	[TIERLENS_A_PMU_CONFIG1] = { .type = NLA_U64, },
	[TIERLENS_A_PMU_CHARGED] = { .type = NLA_FLAG, },
};

/* TIERLENS_CMD_PMU_DEL - do */
static const struct nla_policy tierlens_pmu_del_nl_policy[TIERLENS_A_PMU_NAME + 1] = {
	[TIERLENS_A_PMU_NAME] = { .type = NLA_NUL_STRING, .len = TIERLENS_NAME_MAX, },
};

/* TIERLENS_CMD_SYNC_START - do */
static const struct nla_policy tierlens_sync_start_nl_policy[TIERLENS_A_SYNC_PROBE + 1] = {
	[TIERLENS_A_SYNC_PROCESS] = { .type = NLA_U32, },
	[TIERLENS_A_SYNC_MS] = { .type = NLA_U32, },
	[TIERLENS_A_SYNC_BUFFER] = { .type = NLA_U32, },
	[TIERLENS_A_SYNC_STACK] = { .type = NLA_U32, },
	[TIERLENS_A_SYNC_PROBE] = NLA_POLICY_NESTED(tierlens_sync_probe_nl_policy),
};

/* TIERLENS_CMD_LEVEL_SET - do */
static const struct nla_policy tierlens_level_set_nl_policy[TIERLENS_A_TIER_LEASE_MS + 1] = {
	[TIERLENS_A_TIER_NAME] = { .type = NLA_NUL_STRING, .len = TIERLENS_NAME_MAX, },
	[TIERLENS_A_TIER_LEVEL] = NLA_POLICY_MAX(NLA_U32, 3),
	[TIERLENS_A_TIER_LEASE_MS] = { .type = NLA_U32, },
};

/* TIERLENS_CMD_FUNCTION_NEW - do */
static const struct nla_policy tierlens_function_new_nl_policy[TIERLENS_A_FUNCTION_RATE_MAX + 1] = {
	[TIERLENS_A_FUNCTION_TIER] = { .type = NLA_NUL_STRING, .len = TIERLENS_NAME_MAX, },
	[TIERLENS_A_FUNCTION_NAME] = { .type = NLA_NUL_STRING, .len = TIERLENS_FUNCTION_NAME_MAX, },
	[TIERLENS_A_FUNCTION_FILE] = { .type = NLA_U32, },
	[TIERLENS_A_FUNCTION_PROGRAM] = { .type = NLA_U32, },
	[TIERLENS_A_FUNCTION_OFFSET] = { .type = NLA_U64, },
	[TIERLENS_A_FUNCTION_RATE_MAX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* TIERLENS_CMD_FUNCTION_DEL - do */
static const struct nla_policy tierlens_function_del_nl_policy[TIERLENS_A_FUNCTION_TIER + 1] = {
	[TIERLENS_A_FUNCTION_TIER] = { .type = NLA_NUL_STRING, .len = TIERLENS_NAME_MAX, },
	[TIERLENS_A_FUNCTION_ID] = { .type = NLA_U32, },
};

/* Ops table for tierlens */
const struct genl_split_ops tierlens_nl_ops[19] = {
	{
		.cmd	= TIERLENS_CMD_MODULE_GET,
		.doit	= tierlens_nl_module_get_doit,
		.flags	= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= TIERLENS_CMD_ENABLE,
		.doit		= tierlens_nl_enable_doit,
		.policy		= tierlens_enable_nl_policy,
		.maxattr	= TIERLENS_A_MODULE_QUIET_MS,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= TIERLENS_CMD_DISABLE,
		.doit	= tierlens_nl_disable_doit,
		.flags	= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= TIERLENS_CMD_TIER_NEW,
		.doit		= tierlens_nl_tier_new_doit,
		.policy		= tierlens_tier_new_nl_policy,
		.maxattr	= TIERLENS_A_TIER_PATH,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= TIERLENS_CMD_TIER_DEL,
		.doit		= tierlens_nl_tier_del_doit,
		.policy		= tierlens_tier_del_nl_policy,
		.maxattr	= TIERLENS_A_TIER_NAME,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= TIERLENS_CMD_TIER_GET,
		.dumpit	= tierlens_nl_tier_get_dumpit,
		.flags	= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= TIERLENS_CMD_CLASS_NEW,
		.doit		= tierlens_nl_class_new_doit,
		.policy		= tierlens_class_new_nl_policy,
		.maxattr	= TIERLENS_A_CLASS_TIER,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= TIERLENS_CMD_CLASS_DEL,
		.doit		= tierlens_nl_class_del_doit,
		.policy		= tierlens_class_del_nl_policy,
		.maxattr	= TIERLENS_A_CLASS_TIER,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= TIERLENS_CMD_CLASS_GET,
		.dumpit	= tierlens_nl_class_get_dumpit,
		.flags	= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd	= TIERLENS_CMD_HOOK_GET,
		.dumpit	= tierlens_nl_hook_get_dumpit,
		.flags	= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= TIERLENS_CMD_INTERVAL_GET,
		.start		= tierlens_nl_interval_get_start,
		.dumpit		= tierlens_nl_interval_get_dumpit,
		.done		= tierlens_nl_interval_get_done,
		.policy		= tierlens_interval_get_nl_policy,
		.maxattr	= TIERLENS_A_INTERVAL_SINCE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= TIERLENS_CMD_PMU_NEW,
		.doit		= tierlens_nl_pmu_new_doit,
		.policy		= tierlens_pmu_new_nl_policy,
		.maxattr	= TIERLENS_A_PMU_CHARGED,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= TIERLENS_CMD_PMU_DEL,
		.doit		= tierlens_nl_pmu_del_doit,
		.policy		= tierlens_pmu_del_nl_policy,
		.maxattr	= TIERLENS_A_PMU_NAME,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= TIERLENS_CMD_PMU_GET,
		.dumpit	= tierlens_nl_pmu_get_dumpit,
		.flags	= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= TIERLENS_CMD_SYNC_START,
		.doit		= tierlens_nl_sync_start_doit,
		.policy		= tierlens_sync_start_nl_policy,
		.maxattr	= TIERLENS_A_SYNC_PROBE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= TIERLENS_CMD_LEVEL_SET,
		.doit		= tierlens_nl_level_set_doit,
		.policy		= tierlens_level_set_nl_policy,
		.maxattr	= TIERLENS_A_TIER_LEASE_MS,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= TIERLENS_CMD_FUNCTION_NEW,
		.doit		= tierlens_nl_function_new_doit,
		.policy		= tierlens_function_new_nl_policy,
		.maxattr	= TIERLENS_A_FUNCTION_RATE_MAX,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= TIERLENS_CMD_FUNCTION_DEL,
		.doit		= tierlens_nl_function_del_doit,
		.policy		= tierlens_function_del_nl_policy,
		.maxattr	= TIERLENS_A_FUNCTION_TIER,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= TIERLENS_CMD_FUNCTION_GET,
		.dumpit	= tierlens_nl_function_get_dumpit,
		.flags	= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
};

static const struct genl_multicast_group tierlens_nl_mcgrps[] = {
	[TIERLENS_NLGRP_INTERVAL] = { "interval", },
};
