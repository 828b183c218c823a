// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings of sync points. */
#include "ctl.h"
#include "ctl-talk.h"
#include "error.h"

#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

static int read_fd(struct nlattr *first, int len, void *arg)
{
	static const struct tl_ctl_field fields[] = { { TIERLENS_A_SYNC_FD, 0, sizeof(u32) } };
	struct nlattr *attrs[TIERLENS_A_SYNC_MAX + 1];

	if (nla_parse(attrs, TIERLENS_A_SYNC_MAX, first, len, NULL) < 0)
		return -EBADMSG;
	tl_ctl_read_fields(attrs, fields, ARRAY_SIZE(fields), arg);
	return 0;
}

static int put_probe(struct nl_msg *msg, const struct tl_sync_probe *probe)
{
	struct nlattr *nest = nla_nest_start(msg, TIERLENS_A_SYNC_PROBE);

	if (!nest || nla_put_u32(msg, TIERLENS_A_SYNC_PROBE_FILE, (u32)probe->fd) ||
	    nla_put_u64(msg, TIERLENS_A_SYNC_PROBE_OFFSET, probe->offset) ||
	    nla_put_u32(msg, TIERLENS_A_SYNC_PROBE_FUNCTION, probe->function))
		return -ENOMEM;
	nla_nest_end(msg, nest);
	return 0;
}

static int put_all(struct nl_msg *msg, const struct tl_sync_request *request)
{
	size_t i;
	int failed = 0;

	for (i = 0; i < request->processes; i++)
		failed |= nla_put_u32(msg, TIERLENS_A_SYNC_PROCESS, request->process[i]);
	failed |= nla_put_u32(msg, TIERLENS_A_SYNC_MS, request->ms);
	failed |= nla_put_u32(msg, TIERLENS_A_SYNC_BUFFER, request->buffer);
	failed |= nla_put_u32(msg, TIERLENS_A_SYNC_STACK, request->stack);
	for (i = 0; i < request->probes; i++)
		failed |= put_probe(msg, &request->probe[i]);
	return failed;
}

/**
 * tl_ctl_sync_start() - Begin to record sync points
 * @ctl: connection
 * @request: of what
 * @fd: set to what is read from, to be closed by the caller, which ends the recording
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_sync_start(struct tl_ctl *ctl, const struct tl_sync_request *request, int *fd, struct tl_error *err)
{
	struct nl_msg *msg = tl_ctl_request(ctl, 0, TIERLENS_CMD_SYNC_START);
	u32 given = UINT32_MAX;
	struct tl_ctl_exchange ex = { .reader = read_fd, .arg = &given };
	int code;

	if (msg && put_all(msg, request)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	code = tl_ctl_talk(ctl, msg, &ex, "cannot record sync points", err);
	*fd = (int)given;
	if (code == -EOPNOTSUPP && !*ex.sentence)
		return tl_error_set(err, code, "the kernel module records no sync points: load that of this "
				    "tierlens");
	if ((code == -EPERM || code == -EACCES) && !*ex.sentence)
		return tl_error_set(err, code, "cannot record sync points: needs CAP_NET_ADMIN, CAP_SYS_PTRACE and "
				    "CAP_PERFMON: run as root");
	if (!code && *fd < 0)
		return tl_error_set(err, -EPROTO, "cannot record sync points: the kernel module gave nothing to read "
				    "from: load that of this tierlens");
	return code;
}
