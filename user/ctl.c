// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The seam to the kernel
 *
 * This file and its other half, ctl-read.c, are the only ones that know netlink.
 * Requests go out over one socket, the hints that an interval was closed come in
 * over another, so that a burst of hints can never be taken for an answer. A hint
 * carries no figures and may get lost: whoever waits asks again after a while, by
 * generation, and misses nothing.
 */
#include "ctl.h"

#include "ctl-read.h"
#include "error.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/tierlens.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#define RECEIVE_BUFFER_BYTES (4 << 20)
#define MESSAGE_BUFFER_BYTES (64 << 10)
#define DUMP_TRIES 5

struct tl_ctl {
	struct nl_sock *requests, *hints;
	int family;
};

/* One request and what came of it. */
struct exchange {
	tl_ctl_reader *reader;
	void *arg;
	int code;
	bool done, interrupted;
	char sentence[256];
};

static void read_sentence(struct exchange *ex, const void *attrs, int len)
{
	const struct nlattr *attr = attrs;

	for (; nla_ok(attr, len); attr = nla_next(attr, &len))
		if (nla_type(attr) == NLMSGERR_ATTR_MSG)
			tl_ctl_read_text(ex->sentence, sizeof(ex->sentence), attr);
}

static int on_message(struct nl_msg *msg, void *arg)
{
	struct exchange *ex = arg;
	struct genlmsghdr *head = genlmsg_hdr(nlmsg_hdr(msg));

	/* What follows a message that could not be read is let pass unread. */
	if (ex->reader && !ex->code)
		ex->code = ex->reader(genlmsg_attrdata(head, 0), genlmsg_attrlen(head, 0),
				      ex->arg);
	return NL_OK;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct exchange *ex = arg;

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
	struct exchange *ex = arg;

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
	struct exchange *ex = arg;
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
	struct exchange *ex = arg;

	(void)msg;
	ex->interrupted = true;
	return NL_OK;
}

static int receive(struct tl_ctl *ctl, struct exchange *ex, struct tl_error *err)
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
static int refuse(struct tl_ctl *ctl, const struct exchange *ex, const char *what,
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

static struct nl_msg *request_new(struct tl_ctl *ctl, int flags, u8 cmd)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, ctl->family, 0, flags,
				cmd, TIERLENS_GENL_VERSION)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

/* Consumes @msg. @what says, in an error, what could not be done. */
static int request(struct tl_ctl *ctl, struct nl_msg *msg, struct exchange *ex,
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

static int socket_open(struct nl_sock **sock, struct tl_error *err)
{
	int bytes = RECEIVE_BUFFER_BYTES, one = 1, code;

	*sock = nl_socket_alloc();
	if (!*sock)
		return tl_error_no_memory(err);
	code = genl_connect(*sock);
	if (code < 0)
		return tl_error_set(err, -EIO, "cannot open a netlink socket (%s): "
				    "is this a Linux kernel with generic netlink?",
				    nl_geterror(code));
	/* Beyond the system's limit if we may; if not, as far as it lets us. */
	if (setsockopt(nl_socket_get_fd(*sock), SOL_SOCKET, SO_RCVBUFFORCE, &bytes,
		       sizeof(bytes)))
		nl_socket_set_buffer_size(*sock, bytes, 0);
	nl_socket_set_msg_buf_size(*sock, MESSAGE_BUFFER_BYTES);
	setsockopt(nl_socket_get_fd(*sock), SOL_NETLINK, NETLINK_EXT_ACK, &one,
		   sizeof(one));
	return 0;
}

/* Without hints everything still works by asking once an interval. */
static void hints_join(struct tl_ctl *ctl)
{
	int group = genl_ctrl_resolve_grp(ctl->requests, TIERLENS_GENL_NAME,
					  TIERLENS_MCGRP_INTERVAL);

	if (group >= 0)
		nl_socket_add_membership(ctl->hints, group);
	nl_socket_set_nonblocking(ctl->hints);
}

static int abi_check(struct tl_ctl *ctl, struct tl_error *err)
{
	struct tl_module module;
	int code = tl_ctl_module(ctl, &module, err);

	if (code || module.abi == TIERLENS_ABI)
		return code;
	return tl_error_set(err, -EPROTO,
			    "the kernel module (%s) speaks ABI %u, this tierlens ABI %u: "
			    "update the %s", module.version, module.abi, TIERLENS_ABI,
			    module.abi > TIERLENS_ABI ? "tierlens command" :
							"kernel module");
}

/**
 * tl_ctl_open() - Connect to the module and check that both speak the same ABI
 * @ctl: set to the connection, to be given to tl_ctl_close()
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno, with *@ctl then NULL.
 */
int tl_ctl_open(struct tl_ctl **ctl, struct tl_error *err)
{
	struct tl_ctl *c = calloc(1, sizeof(*c));
	int code;

	*ctl = NULL;
	if (!c)
		return tl_error_no_memory(err);
	code = socket_open(&c->requests, err);
	if (!code)
		code = socket_open(&c->hints, err);
	if (code)
		goto fail;
	c->family = genl_ctrl_resolve(c->requests, TIERLENS_GENL_NAME);
	if (c->family < 0) {
		code = tl_error_set(err, -ENODEV, "the kernel module is not loaded: "
				    "insmod tierlens.ko or modprobe tierlens");
		goto fail;
	}
	code = abi_check(c, err);
	if (code)
		goto fail;
	hints_join(c);
	*ctl = c;
	return 0;
fail:
	tl_ctl_close(c);
	return code;
}

/**
 * tl_ctl_close() - Disconnect
 * @ctl: connection or NULL
 */
void tl_ctl_close(struct tl_ctl *ctl)
{
	if (!ctl)
		return;
	nl_socket_free(ctl->requests);
	nl_socket_free(ctl->hints);
	free(ctl);
}

/**
 * tl_ctl_module() - The module's state, settings and totals
 * @ctl: connection
 * @module: filled in
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_module(struct tl_ctl *ctl, struct tl_module *module, struct tl_error *err)
{
	struct exchange ex = { .reader = tl_ctl_read_module, .arg = module };

	memset(module, 0, sizeof(*module));
	return request(ctl, request_new(ctl, 0, TIERLENS_CMD_MODULE_GET), &ex,
		       "cannot read the module's state", err);
}

/**
 * tl_ctl_enable() - Arm the hooks
 * @ctl: connection
 * @interval_ms: new length of an interval, 0 to leave it
 * @quiet_ms: new quiet time, 0 to leave it
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_enable(struct tl_ctl *ctl, u32 interval_ms, u32 quiet_ms, struct tl_error *err)
{
	struct nl_msg *msg = request_new(ctl, 0, TIERLENS_CMD_ENABLE);
	struct exchange ex = { 0 };

	if (msg && interval_ms)
		nla_put_u32(msg, TIERLENS_A_MODULE_INTERVAL_MS, interval_ms);
	if (msg && quiet_ms)
		nla_put_u32(msg, TIERLENS_A_MODULE_QUIET_MS, quiet_ms);
	return request(ctl, msg, &ex, "cannot enable", err);
}

/**
 * tl_ctl_disable() - Disarm the hooks
 * @ctl: connection
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_disable(struct tl_ctl *ctl, struct tl_error *err)
{
	struct exchange ex = { 0 };

	return request(ctl, request_new(ctl, 0, TIERLENS_CMD_DISABLE), &ex,
		       "cannot disable", err);
}

/**
 * tl_ctl_tier_add() - Name the tier that listens on a port
 * @ctl: connection
 * @name: 1 … TIERLENS_NAME_MAX bytes
 * @port: 1 … 65535
 * @netns: inode of its network namespace, 0 for any
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_tier_add(struct tl_ctl *ctl, const char *name, u32 port, u32 netns,
		    struct tl_error *err)
{
	struct nl_msg *msg = request_new(ctl, 0, TIERLENS_CMD_TIER_NEW);
	struct exchange ex = { 0 };
	char what[96];

	if (msg) {
		nla_put_string(msg, TIERLENS_A_TIER_NAME, name);
		nla_put_u32(msg, TIERLENS_A_TIER_PORT, port);
		if (netns)
			nla_put_u32(msg, TIERLENS_A_TIER_NETNS, netns);
	}
	snprintf(what, sizeof(what), "cannot add tier %s", name);
	return request(ctl, msg, &ex, what, err);
}

/**
 * tl_ctl_tier_del() - Delete the rule that names a tier
 * @ctl: connection
 * @name: name of the rule
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_tier_del(struct tl_ctl *ctl, const char *name, struct tl_error *err)
{
	struct nl_msg *msg = request_new(ctl, 0, TIERLENS_CMD_TIER_DEL);
	struct exchange ex = { 0 };
	char what[96];

	if (msg)
		nla_put_string(msg, TIERLENS_A_TIER_NAME, name);
	snprintf(what, sizeof(what), "cannot delete tier %s", name);
	return request(ctl, msg, &ex, what, err);
}

/* @rows is emptied first; the caller frees what it holds, after an error too. */
static int dump(struct tl_ctl *ctl, u8 cmd, tl_ctl_reader *reader,
		struct tl_ctl_rows *rows, const char *what, struct tl_error *err)
{
	struct exchange ex;
	int tries, code = 0;

	for (tries = 0; tries < DUMP_TRIES; tries++) {
		ex = (struct exchange){ .reader = reader, .arg = rows };
		rows->n = 0;
		code = request(ctl, request_new(ctl, NLM_F_DUMP, cmd), &ex, what, err);
		if (code || !ex.interrupted)
			return code;
	}
	return tl_error_set(err, -EAGAIN, "%s: it changes faster than it can be read: "
			    "try again", what);
}

/**
 * tl_ctl_tiers() - All tiers and rules
 * @ctl: connection
 * @tiers: set to an array to be freed by the caller
 * @n: set to its length
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_tiers(struct tl_ctl *ctl, struct tl_tier_info **tiers, size_t *n,
		 struct tl_error *err)
{
	struct tl_ctl_rows rows = { .size = sizeof(**tiers) };
	int code = dump(ctl, TIERLENS_CMD_TIER_GET, tl_ctl_read_tier, &rows,
			"cannot list the tiers", err);

	*tiers = rows.row;
	*n = rows.n;
	return code;
}

/**
 * tl_ctl_hooks() - All hooks
 * @ctl: connection
 * @hooks: set to an array to be freed by the caller
 * @n: set to its length
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_hooks(struct tl_ctl *ctl, struct tl_hook **hooks, size_t *n,
		 struct tl_error *err)
{
	struct tl_ctl_rows rows = { .size = sizeof(**hooks) };
	int code = dump(ctl, TIERLENS_CMD_HOOK_GET, tl_ctl_read_hook, &rows,
			"cannot list the hooks", err);

	*hooks = rows.row;
	*n = rows.n;
	return code;
}

static int intervals_once(struct tl_ctl *ctl, enum tl_which which, u64 generation,
			  struct exchange *ex, struct tl_error *err)
{
	struct nl_msg *msg = request_new(ctl, NLM_F_DUMP, TIERLENS_CMD_INTERVAL_GET);

	if (msg && which == TL_WHICH_GENERATION)
		nla_put_u64(msg, TIERLENS_A_INTERVAL_GENERATION, generation);
	if (msg && which == TL_WHICH_SINCE)
		nla_put_u64(msg, TIERLENS_A_INTERVAL_SINCE, generation);
	return request(ctl, msg, ex, "cannot read the intervals", err);
}

/**
 * tl_ctl_intervals() - Closed intervals that the kernel still keeps
 * @ctl: connection
 * @which: the newest; the one of @generation; all after @generation
 * @generation: see @which
 * @list: filled in, oldest first, possibly with none; to be given to
 *        tl_intervals_free()
 * @err: the sentence if it fails
 *
 * Return: 0, or a negative errno with @list then empty.
 */
int tl_ctl_intervals(struct tl_ctl *ctl, enum tl_which which, u64 generation,
		     struct tl_intervals *list, struct tl_error *err)
{
	struct tl_ctl_interval_reader reader;
	struct exchange ex;
	int tries, code;

	memset(list, 0, sizeof(*list));
	for (tries = 0; tries < DUMP_TRIES; tries++) {
		ex = (struct exchange){ .reader = tl_ctl_read_interval, .arg = &reader };
		reader = (struct tl_ctl_interval_reader){ .list = list };
		code = intervals_once(ctl, which, generation, &ex, err);
		if (!code && !ex.interrupted && !reader.open)
			return 0;
		tl_intervals_free(list);
		if (code)
			return code;
	}
	return tl_error_set(err, -EAGAIN, ex.interrupted ?
			    "cannot read the intervals: they are replaced faster than they "
			    "can be read: enable a longer --interval" :
			    "cannot read the intervals: the kernel's answer has no end: see "
			    "dmesg");
}

/**
 * tl_intervals_free() - Free a list of intervals and empty it
 * @list: list, possibly empty
 */
void tl_intervals_free(struct tl_intervals *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		tl_interval_free(list->interval[i]);
	free(list->interval);
	memset(list, 0, sizeof(*list));
}

/* A burst of hints, or an overrun of their socket, says no more than one hint. */
static void hints_drain(struct tl_ctl *ctl)
{
	char bytes[4096];
	ssize_t got;

	do {
		got = recv(nl_socket_get_fd(ctl->hints), bytes, sizeof(bytes),
			   MSG_DONTWAIT);
	} while (got > 0 || (got < 0 && errno == ENOBUFS));
}

/**
 * tl_ctl_wait() - Wait for the hint that an interval was closed
 * @ctl: connection
 * @timeout_ms: how long at most
 * @err: the sentence if it fails
 *
 * Return: 1 after a hint, 0 after the time or a signal, or a negative errno.
 */
int tl_ctl_wait(struct tl_ctl *ctl, int timeout_ms, struct tl_error *err)
{
	struct pollfd fd = { .fd = nl_socket_get_fd(ctl->hints), .events = POLLIN };
	int code = poll(&fd, 1, timeout_ms);

	if (code < 0 && errno != EINTR)
		return tl_error_set(err, -errno, "cannot wait for the kernel (%s): "
				    "try again", strerror(errno));
	if (code > 0)
		hints_drain(ctl);
	return code > 0;
}
