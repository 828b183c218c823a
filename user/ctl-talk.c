// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests to the kernel, and sentences for those that it refuses. */
#include "ctl-talk.h"

#include "error.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/tierlens.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdio.h>

#define DUMP_TRIES 5

static void read_sentence(struct tl_ctl_exchange *ex, const void *attrs, int len)
{
	const struct nlattr *attr = attrs;

	for (; nla_ok(attr, len); attr = nla_next(attr, &len))
		if (nla_type(attr) == NLMSGERR_ATTR_MSG)
			tl_ctl_read_text(ex->sentence, sizeof(ex->sentence), attr);
}

static int on_message(struct nl_msg *msg, void *arg)
{
	struct tl_ctl_exchange *ex = arg;
	struct genlmsghdr *head = genlmsg_hdr(nlmsg_hdr(msg));

	/* What follows a message that could not be read is let pass unread. */
	if (ex->reader && !ex->code)
		ex->code = ex->reader(genlmsg_attrdata(head, 0), genlmsg_attrlen(head, 0),
				      ex->arg);
	return NL_OK;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct tl_ctl_exchange *ex = arg;

	(void)msg;
	ex->done = true;
	return NL_STOP;
}

/* The error and the kernel's sentence, which stands behind the (copied) request. */
static int on_refusal(struct sockaddr_nl *from, struct nlmsgerr *refusal, void *arg)
{
	const struct nlmsghdr *head =
		(const void *)((const char *)refusal - NLMSG_HDRLEN);
	size_t skip = sizeof(*refusal), len = head->nlmsg_len - NLMSG_HDRLEN;
	struct tl_ctl_exchange *ex = arg;

	(void)from;
	ex->done = true;
	ex->code = refusal->error;
	if (!(head->nlmsg_flags & NLM_F_CAPPED))
		skip += refusal->msg.nlmsg_len - NLMSG_HDRLEN;
	skip = NLMSG_ALIGN(skip);
	if (head->nlmsg_flags & NLM_F_ACK_TLVS && skip < len)
		read_sentence(ex, (const char *)refusal + skip, (int)(len - skip));
	return NL_STOP;
}

/* A dump that fails says so in its last message. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *head = nlmsg_hdr(msg);
	size_t len = (size_t)nlmsg_datalen(head), skip = NLMSG_ALIGN(sizeof(int));
	struct tl_ctl_exchange *ex = arg;
	int code = 0;

	if (len >= sizeof(code))
		memcpy(&code, nlmsg_data(head), sizeof(code));
	if (code < 0)
		ex->code = code;
	if (head->nlmsg_flags & NLM_F_ACK_TLVS && skip < len)
		read_sentence(ex, (char *)nlmsg_data(head) + skip, (int)(len - skip));
	ex->done = true;
	return NL_STOP;
}

static int on_interrupted(struct nl_msg *msg, void *arg)
{
	struct tl_ctl_exchange *ex = arg;

	(void)msg;
	ex->interrupted = true;
	return NL_OK;
}

static int receive(struct tl_ctl *ctl, struct tl_ctl_exchange *ex, struct tl_error *err)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int code = 0;

	if (!cb)
		return tl_error_no_memory(err);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_message, ex);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, ex);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, ex);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted, ex);
	nl_cb_err(cb, NL_CB_CUSTOM, on_refusal, ex);
	while (!ex->done && code >= 0)
		code = nl_recvmsgs(ctl->requests, cb);
	nl_cb_put(cb);
	if (!ex->done)
		return tl_error_set(err, -EIO,
				    "no answer from the kernel (%s): try again",
				    nl_geterror(code));
	return 0;
}

/* The sentence for a refusal: the kernel's own if it gave one. */
static int refuse(struct tl_ctl *ctl, const struct tl_ctl_exchange *ex, const char *what,
		  struct tl_error *err)
{
	if (ex->sentence[0])
		return tl_error_set(err, ex->code, "%s: %s", what, ex->sentence);
	if (ex->code == -EPERM || ex->code == -EACCES)
		return tl_error_set(err, ex->code,
				    "%s: needs CAP_NET_ADMIN: run as root", what);
	if (ex->code == -ENOMEM)
		return tl_error_no_memory(err);
	if (genl_ctrl_resolve(ctl->requests, TIERLENS_GENL_NAME) != ctl->family)
		return tl_error_set(err, -ENODEV,
				    "%s: the kernel module was unloaded: load it again", what);
	return tl_error_set(err, ex->code, "%s: the kernel answers \"%s\": see dmesg",
			    what, strerror(-ex->code));
}

/**
 * tl_ctl_request() - Begin a request
 * @ctl: connection
 * @flags: NLM_F_DUMP or 0
 * @cmd: TIERLENS_CMD_*
 *
 * Return: the message, to be given to tl_ctl_talk(); NULL without memory.
 */
struct nl_msg *tl_ctl_request(struct tl_ctl *ctl, int flags, u8 cmd)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, ctl->family, 0, flags,
				cmd, TIERLENS_GENL_VERSION)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

/**
 * tl_ctl_talk() - Send a request and receive what comes of it
 * @ctl: connection
 * @msg: the request, consumed; NULL without memory
 * @ex: its reader; filled in
 * @what: what could not be done, if that is so
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_talk(struct tl_ctl *ctl, struct nl_msg *msg, struct tl_ctl_exchange *ex,
		const char *what, struct tl_error *err)
{
	int code;

	if (!msg)
		return tl_error_no_memory(err);
	code = nl_send_auto(ctl->requests, msg);
	nlmsg_free(msg);
	if (code < 0)
		return tl_error_set(err, -EIO,
				    "%s: cannot ask the kernel (%s): try again", what,
				    nl_geterror(code));
	code = receive(ctl, ex, err);
	if (code)
		return code;
	return ex->code ? refuse(ctl, ex, what, err) : 0;
}

/**
 * tl_ctl_dump() - Read a whole table
 * @ctl: connection
 * @cmd: TIERLENS_CMD_*
 * @reader: of one row
 * @rows: emptied first; the caller frees what it holds, after an error too
 * @what: what could not be done, if that is so
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_dump(struct tl_ctl *ctl, u8 cmd, tl_ctl_reader *reader,
		struct tl_ctl_rows *rows, const char *what, struct tl_error *err)
{
	struct tl_ctl_exchange ex;
	int tries, code = 0;

	for (tries = 0; tries < DUMP_TRIES; tries++) {
		ex = (struct tl_ctl_exchange){ .reader = reader, .arg = rows };
		rows->n = 0;
		code = tl_ctl_talk(ctl, tl_ctl_request(ctl, NLM_F_DUMP, cmd), &ex, what, err);
		if (code || !ex.interrupted)
			return code;
	}
	return tl_error_set(err, -EAGAIN, "%s: it changes faster than it can be read: "
			    "try again", what);
}
