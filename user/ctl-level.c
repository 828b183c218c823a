// SPDX-License-Identifier: GPL-2.0-or-later
/* How much the kernel looks at of each tier, and at which functions. */
#include "ctl.h"
#include "ctl-talk.h"
#include "error.h"

#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>

static u32 kernels(enum tl_at level)
{
	switch (level) {
	case TL_AT_OFF:
		return TIERLENS_LEVEL_OFF;
	case TL_AT_TRACE:
		return TIERLENS_LEVEL_TRACE;
	case TL_AT_METHOD:
		return TIERLENS_LEVEL_METHOD;
	default:
		return TIERLENS_LEVEL_SERVER;
	}
}

/* An older module knows no such command; the kernel then says so without a sentence. */
static int too_old(const struct tl_ctl_exchange *ex, int code, struct tl_error *err)
{
	if (code != -EOPNOTSUPP || *ex->sentence)
		return code;
	return tl_error_set(err, code, "the kernel module has no levels: load that of this tierlens");
}

/**
 * tl_ctl_level_set() - Set how much is seen of a tier
 * @ctl: connection
 * @tier: its name; NULL for all that have no level of their own
 * @level: TL_AT_UNKNOWN takes a tier's own level away
 * @lease_ms: for how long, if nobody asks for it again; 0: until it is changed
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno, -EBUSY if somebody else has set it and does not let go.
 */
int tl_ctl_level_set(struct tl_ctl *ctl, const char *tier, enum tl_at level, u32 lease_ms, struct tl_error *err)
{
	struct nl_msg *msg = tl_ctl_request(ctl, 0, TIERLENS_CMD_LEVEL_SET);
	struct tl_ctl_exchange ex = { 0 };
	char what[96];

	if (msg && tier)
		nla_put_string(msg, TIERLENS_A_TIER_NAME, tier);
	if (msg && level != TL_AT_UNKNOWN)
		nla_put_u32(msg, TIERLENS_A_TIER_LEVEL, kernels(level));
	if (msg && lease_ms)
		nla_put_u32(msg, TIERLENS_A_TIER_LEASE_MS, lease_ms);
	snprintf(what, sizeof(what), "cannot set the level%s%s", tier ? " of tier " : "", tier ? tier : "");
	return too_old(&ex, tl_ctl_talk(ctl, msg, &ex, what, err), err);
}

static int read_id(struct nlattr *first, int len, void *arg)
{
	static const struct tl_ctl_field fields[] = { { TIERLENS_A_FUNCTION_ID, 0, sizeof(u32) } };
	struct nlattr *attrs[TIERLENS_A_FUNCTION_MAX + 1];

	if (nla_parse(attrs, TIERLENS_A_FUNCTION_MAX, first, len, NULL) < 0)
		return -EBADMSG;
	tl_ctl_read_fields(attrs, fields, ARRAY_SIZE(fields), arg);
	return 0;
}

/**
 * tl_ctl_function_add() - Probe one more function
 * @ctl: connection
 * @function: which, of what tier
 * @id: set to its number
 * @err: the sentence if it fails, the kernel's own if it gave one
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_function_add(struct tl_ctl *ctl, const struct tl_function_request *function, u32 *id,
			struct tl_error *err)
{
	struct nl_msg *msg = tl_ctl_request(ctl, 0, TIERLENS_CMD_FUNCTION_NEW);
	struct tl_ctl_exchange ex = { .reader = read_id, .arg = id };
	char what[96 + TIERLENS_FUNCTION_NAME_MAX];

	*id = 0;
	if (msg) {
		nla_put_string(msg, TIERLENS_A_FUNCTION_TIER, function->tier);
		nla_put_string(msg, TIERLENS_A_FUNCTION_NAME, function->name);
		nla_put_u32(msg, TIERLENS_A_FUNCTION_FILE, (u32)function->file);
		nla_put_u32(msg, TIERLENS_A_FUNCTION_PROGRAM, (u32)function->program);
		nla_put_u64(msg, TIERLENS_A_FUNCTION_OFFSET, function->offset);
		if (function->rate_max)
			nla_put_u32(msg, TIERLENS_A_FUNCTION_RATE_MAX, function->rate_max);
	}
	snprintf(what, sizeof(what), "cannot probe %s", function->name);
	return too_old(&ex, tl_ctl_talk(ctl, msg, &ex, what, err), err);
}

/**
 * tl_ctl_function_del() - Probe a function no longer
 * @ctl: connection
 * @tier: name of its tier
 * @id: its number; 0 for all of the tier
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_function_del(struct tl_ctl *ctl, const char *tier, u32 id, struct tl_error *err)
{
	struct nl_msg *msg = tl_ctl_request(ctl, 0, TIERLENS_CMD_FUNCTION_DEL);
	struct tl_ctl_exchange ex = { 0 };
	char what[96];

	if (msg)
		nla_put_string(msg, TIERLENS_A_FUNCTION_TIER, tier);
	if (msg && id)
		nla_put_u32(msg, TIERLENS_A_FUNCTION_ID, id);
	snprintf(what, sizeof(what), "cannot end probing functions of tier %s", tier);
	return tl_ctl_talk(ctl, msg, &ex, what, err);
}

/**
 * tl_ctl_functions() - All functions that are probed, or were and are no longer
 * @ctl: connection
 * @functions: set to an array to be freed by the caller
 * @n: set to its length
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_functions(struct tl_ctl *ctl, struct tl_function_info **functions, size_t *n, struct tl_error *err)
{
	struct tl_ctl_rows rows = { .size = sizeof(**functions) };
	int code = tl_ctl_dump(ctl, TIERLENS_CMD_FUNCTION_GET, tl_ctl_read_function, &rows,
			       "cannot list the functions", err);

	*functions = rows.row;
	*n = rows.n;
	return code;
}

/**
 * tl_ctl_read_function() - Reader of one message of a function-get dump
 * @first: first attribute
 * @len: bytes of attributes
 * @arg: struct tl_ctl_rows of struct tl_function_info
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int tl_ctl_read_function(struct nlattr *first, int len, void *arg)
{
	static const struct tl_ctl_field fields[] = {
		FIELD(TIERLENS_A_FUNCTION_ID, struct tl_function_info, id),
		FIELD(TIERLENS_A_FUNCTION_RATE_MAX, struct tl_function_info, rate_max),
		FIELD(TIERLENS_A_FUNCTION_OFFSET, struct tl_function_info, offset),
		FIELD(TIERLENS_A_FUNCTION_HITS, struct tl_function_info, hits),
		FIELD(TIERLENS_A_FUNCTION_LOST, struct tl_function_info, lost),
	};
	struct nlattr *attrs[TIERLENS_A_FUNCTION_MAX + 1], *state;
	struct tl_function_info *function;

	if (nla_parse(attrs, TIERLENS_A_FUNCTION_MAX, first, len, NULL) < 0)
		return -EBADMSG;
	function = tl_ctl_rows_add(arg);
	if (!function)
		return -ENOMEM;
	tl_ctl_read_fields(attrs, fields, ARRAY_SIZE(fields), function);
	tl_ctl_read_text(function->tier, sizeof(function->tier), attrs[TIERLENS_A_FUNCTION_TIER]);
	tl_ctl_read_text(function->name, sizeof(function->name), attrs[TIERLENS_A_FUNCTION_NAME]);
	state = attrs[TIERLENS_A_FUNCTION_STATE];
	function->state = state ? nla_get_u32(state) : TIERLENS_FUNCTION_STATE_PROBED;
	return 0;
}
