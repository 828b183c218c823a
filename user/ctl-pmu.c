// SPDX-License-Identifier: GPL-2.0-or-later
/* Which events the kernel counts. */
#include "ctl.h"
#include "ctl-talk.h"

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>

/**
 * tl_ctl_pmu_add() - Count one more event on all processors
 * @ctl: connection
 * @event: name, type and configuration, and whether it is to be charged
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_pmu_add(struct tl_ctl *ctl, const struct tl_pmu_info *event, struct tl_error *err)
{
	struct nl_msg *msg = tl_ctl_request(ctl, 0, TIERLENS_CMD_PMU_NEW);
	struct tl_ctl_exchange ex = { 0 };
	char what[96];

	if (msg) {
		nla_put_string(msg, TIERLENS_A_PMU_NAME, event->name);
		nla_put_u32(msg, TIERLENS_A_PMU_TYPE, event->type);
		nla_put_u64(msg, TIERLENS_A_PMU_CONFIG, event->config);
		if (event->config1)
			nla_put_u64(msg, TIERLENS_A_PMU_CONFIG1, event->config1);
		if (event->charged)
			nla_put_flag(msg, TIERLENS_A_PMU_CHARGED);
	}
	snprintf(what, sizeof(what), "cannot count %s", event->name);
	return tl_ctl_talk(ctl, msg, &ex, what, err);
}

/**
 * tl_ctl_pmu_del() - Count an event no longer
 * @ctl: connection
 * @name: its name; NULL for all
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_pmu_del(struct tl_ctl *ctl, const char *name, struct tl_error *err)
{
	struct nl_msg *msg = tl_ctl_request(ctl, 0, TIERLENS_CMD_PMU_DEL);
	struct tl_ctl_exchange ex = { 0 };
	char what[96];

	if (msg && name)
		nla_put_string(msg, TIERLENS_A_PMU_NAME, name);
	snprintf(what, sizeof(what), "cannot stop counting %s", name ? name : "");
	return tl_ctl_talk(ctl, msg, &ex, what, err);
}

/**
 * tl_ctl_pmus() - All events that are counted
 * @ctl: connection
 * @events: set to an array to be freed by the caller
 * @n: set to its length
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_pmus(struct tl_ctl *ctl, struct tl_pmu_info **events, size_t *n,
		struct tl_error *err)
{
	struct tl_ctl_rows rows = { .size = sizeof(**events) };
	int code = tl_ctl_dump(ctl, TIERLENS_CMD_PMU_GET, tl_ctl_read_pmu, &rows,
			       "cannot list the events", err);

	*events = rows.row;
	*n = rows.n;
	return code;
}
