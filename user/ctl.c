// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The seam to the kernel
 *
 * This file and its other parts, ctl-*.c, are the only ones that know netlink.
 * Requests go out over one socket, the hints that an interval was closed come in
 * over another, so that a burst of hints can never be taken for an answer. A hint
 * carries no figures and may get lost: whoever waits asks again after a while, by
 * generation, and misses nothing.
 */
#include "ctl.h"

#include "ctl-talk.h"
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
#include <unistd.h>

#define RECEIVE_BUFFER_BYTES (4 << 20)
#define MESSAGE_BUFFER_BYTES (64 << 10)
#define DUMP_TRIES 5

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

/* Netlink's families are those of the namespace that one is in. */
static int no_family(struct tl_error *err)
{
	if (!access("/sys/module/" TIERLENS_GENL_NAME, F_OK))
		return tl_error_set(err, -ENODEV, "the kernel module does not speak to other "
				    "network namespaces than the first one: "
				    "nsenter --target 1 --net tierlens ...");
	return tl_error_set(err, -ENODEV, "the kernel module is not loaded: "
			    "insmod tierlens.ko or modprobe tierlens");
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
		code = no_family(err);
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
	struct tl_ctl_exchange ex = { .reader = tl_ctl_read_module, .arg = module };

	memset(module, 0, sizeof(*module));
	return tl_ctl_talk(ctl, tl_ctl_request(ctl, 0, TIERLENS_CMD_MODULE_GET), &ex,
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
	struct nl_msg *msg = tl_ctl_request(ctl, 0, TIERLENS_CMD_ENABLE);
	struct tl_ctl_exchange ex = { 0 };

	if (msg && interval_ms)
		nla_put_u32(msg, TIERLENS_A_MODULE_INTERVAL_MS, interval_ms);
	if (msg && quiet_ms)
		nla_put_u32(msg, TIERLENS_A_MODULE_QUIET_MS, quiet_ms);
	return tl_ctl_talk(ctl, msg, &ex, "cannot enable", err);
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
	struct tl_ctl_exchange ex = { 0 };

	return tl_ctl_talk(ctl, tl_ctl_request(ctl, 0, TIERLENS_CMD_DISABLE), &ex,
		       "cannot disable", err);
}

/**
 * tl_ctl_tier_add() - Name the tier that listens on a port or a UNIX socket
 * @ctl: connection
 * @name: 1 … TIERLENS_NAME_MAX bytes
 * @port: 1 … 65535; 0 for a UNIX socket
 * @path: of the UNIX socket, "@" begins an abstract name; NULL for a port
 * @netns: inode of its network namespace, 0 for any
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_tier_add(struct tl_ctl *ctl, const char *name, u32 port, const char *path,
		    u32 netns, struct tl_error *err)
{
	struct nl_msg *msg = tl_ctl_request(ctl, 0, TIERLENS_CMD_TIER_NEW);
	struct tl_ctl_exchange ex = { 0 };
	char what[96];

	if (msg) {
		nla_put_string(msg, TIERLENS_A_TIER_NAME, name);
		if (port)
			nla_put_u32(msg, TIERLENS_A_TIER_PORT, port);
		if (path)
			nla_put_string(msg, TIERLENS_A_TIER_PATH, path);
		if (netns)
			nla_put_u32(msg, TIERLENS_A_TIER_NETNS, netns);
	}
	snprintf(what, sizeof(what), "cannot add tier %s", name);
	return tl_ctl_talk(ctl, msg, &ex, what, err);
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
	struct nl_msg *msg = tl_ctl_request(ctl, 0, TIERLENS_CMD_TIER_DEL);
	struct tl_ctl_exchange ex = { 0 };
	char what[96];

	if (msg)
		nla_put_string(msg, TIERLENS_A_TIER_NAME, name);
	snprintf(what, sizeof(what), "cannot delete tier %s", name);
	return tl_ctl_talk(ctl, msg, &ex, what, err);
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
	int code = tl_ctl_dump(ctl, TIERLENS_CMD_TIER_GET, tl_ctl_read_tier, &rows,
			"cannot list the tiers", err);

	*tiers = rows.row;
	*n = rows.n;
	return code;
}

static int class_talk(struct tl_ctl *ctl, u8 cmd, const struct tl_class_info *class,
		      const char *verb, struct tl_error *err)
{
	struct nl_msg *msg = tl_ctl_request(ctl, 0, cmd);
	struct tl_ctl_exchange ex = { 0 };
	char what[96];

	if (msg) {
		nla_put_string(msg, TIERLENS_A_CLASS_NAME, class->name);
		if (class->prefix_len)
			nla_put(msg, TIERLENS_A_CLASS_PREFIX, (int)class->prefix_len,
				class->prefix);
		if (class->tier[0])
			nla_put_string(msg, TIERLENS_A_CLASS_TIER, class->tier);
	}
	snprintf(what, sizeof(what), "cannot %s class %s", verb, class->name);
	return tl_ctl_talk(ctl, msg, &ex, what, err);
}

/**
 * tl_ctl_class_add() - Add a rule for a class
 * @ctl: connection
 * @class: name, prefix, and the only tier that it is for
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_class_add(struct tl_ctl *ctl, const struct tl_class_info *class,
		     struct tl_error *err)
{
	return class_talk(ctl, TIERLENS_CMD_CLASS_NEW, class, "add", err);
}

/**
 * tl_ctl_class_del() - Delete a rule of a class, or all
 * @ctl: connection
 * @class: name; without a prefix all of its rules go
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_class_del(struct tl_ctl *ctl, const struct tl_class_info *class,
		     struct tl_error *err)
{
	return class_talk(ctl, TIERLENS_CMD_CLASS_DEL, class, "delete", err);
}

/**
 * tl_ctl_classes() - All rules for classes
 * @ctl: connection
 * @classes: set to an array to be freed by the caller
 * @n: set to its length
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_ctl_classes(struct tl_ctl *ctl, struct tl_class_info **classes, size_t *n,
		   struct tl_error *err)
{
	struct tl_ctl_rows rows = { .size = sizeof(**classes) };
	int code = tl_ctl_dump(ctl, TIERLENS_CMD_CLASS_GET, tl_ctl_read_class, &rows,
			       "cannot list the classes", err);

	*classes = rows.row;
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
	int code = tl_ctl_dump(ctl, TIERLENS_CMD_HOOK_GET, tl_ctl_read_hook, &rows,
			"cannot list the hooks", err);

	*hooks = rows.row;
	*n = rows.n;
	return code;
}

static int intervals_once(struct tl_ctl *ctl, enum tl_which which, u64 generation,
			  struct tl_ctl_exchange *ex, struct tl_error *err)
{
	struct nl_msg *msg = tl_ctl_request(ctl, NLM_F_DUMP, TIERLENS_CMD_INTERVAL_GET);

	if (msg && which == TL_WHICH_GENERATION)
		nla_put_u64(msg, TIERLENS_A_INTERVAL_GENERATION, generation);
	if (msg && (which == TL_WHICH_SINCE || which == TL_WHICH_NEXT))
		nla_put_u64(msg, TIERLENS_A_INTERVAL_SINCE, generation);
	return tl_ctl_talk(ctl, msg, ex, "cannot read the intervals", err);
}

/**
 * tl_ctl_intervals() - Closed intervals that the kernel still keeps
 * @ctl: connection
 * @which: the newest; the one of @generation; all after @generation; as many of
 *         them as fill TL_NEXT_BYTES, one at least
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
	struct tl_ctl_exchange ex;
	int tries, code;

	memset(list, 0, sizeof(*list));
	for (tries = 0; tries < DUMP_TRIES; tries++) {
		ex = (struct tl_ctl_exchange){ .reader = tl_ctl_read_interval, .arg = &reader };
		reader = (struct tl_ctl_interval_reader){ .list = list, .most = which == TL_WHICH_NEXT ? TL_NEXT_BYTES : 0 };
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
