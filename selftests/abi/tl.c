// SPDX-License-Identifier: GPL-2.0-or-later
#include "tl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/**
 * tl_request() - Begin a request to the family
 * @tl: the socket
 * @buffer: TL_REQUEST_BYTES for it
 * @cmd: command
 * @flags: beside NLM_F_REQUEST
 *
 * Return: the message, for mnl_attr_put_*().
 */
struct nlmsghdr *tl_request(struct tl *tl, char *buffer, uint8_t cmd, uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	struct genlmsghdr *head;

	nlh->nlmsg_type = tl->family;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = ++tl->seq;
	head = mnl_nlmsg_put_extra_header(nlh, sizeof(*head));
	head->cmd = cmd;
	head->version = TIERLENS_GENL_VERSION;
	return nlh;
}

/**
 * tl_fail() - Let an allocation fail that the kernel makes for the next request
 * @tl: the socket
 * @n: which, from 1 on
 *
 * Return: 0 or a negative errno, -ENOENT if the kernel cannot do that.
 */
int tl_fail(struct tl *tl, unsigned int n)
{
	tl->fail_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	tl->fail = n;
	return tl->fail_fd < 0 ? -errno : 0;
}

/* Whether it has failed, and not that there were fewer. No other will. */
bool tl_has_failed(struct tl *tl)
{
	char left[16] = "";
	bool failed = pread(tl->fail_fd, left, sizeof(left) - 1, 0) > 0 && atoi(left) == 0 && !tl->fail;

	if (pwrite(tl->fail_fd, "0", 1, 0) != 1)
		failed = false;
	close(tl->fail_fd);
	return failed;
}

static int fail_from_now_on(struct tl *tl)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", tl->fail);

	tl->fail = 0;
	return pwrite(tl->fail_fd, text, length, 0) == length ? 0 : -EIO;
}

/* As to any file: without an address the kernel asks what who opened the socket may. Returns 0 or a negative errno. */
int tl_send(struct tl *tl, const void *bytes, size_t length)
{
	if (tl->fail && fail_from_now_on(tl))
		return -EIO;
	return send(mnl_socket_get_fd(tl->socket), bytes, length, 0) < 0 ? -errno : 0;
}

/* An error, an acknowledgement, or the end of a dump. */
static void take_end(struct tl *tl, const struct nlmsghdr *nlh, struct tl_answer *answer)
{
	bool done = nlh->nlmsg_type == NLMSG_DONE;
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	size_t offset = done ? sizeof(int) : sizeof(*err);
	const struct nlattr *attr;

	answer->ended = true;
	if (mnl_nlmsg_get_payload_len(nlh) < offset)
		return;
	if (err->error)
		answer->error = -err->error;
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!done && !(nlh->nlmsg_flags & NLM_F_CAPPED))
		offset += MNL_ALIGN(err->msg.nlmsg_len) - NLMSG_HDRLEN;
	mnl_attr_for_each (attr, nlh, offset)
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG)
			snprintf(tl->sentence, sizeof(tl->sentence), "%.*s",
				 (int)mnl_attr_get_payload_len(attr),
				 (const char *)mnl_attr_get_payload(attr));
}

/**
 * tl_receive() - Take one datagram
 * @tl: the socket
 * @flags: of recv()
 * @message: called for each message of the family; may be NULL
 * @arg: handed on
 * @answer: added to
 *
 * Return: 0 or a negative errno: of recv(), of @message, or -EMSGSIZE if the
 * buffer was too small for the datagram.
 */
int tl_receive(struct tl *tl, int flags, tl_message_fn *message, void *arg,
	       struct tl_answer *answer)
{
	ssize_t got = recv(mnl_socket_get_fd(tl->socket), tl->buffer, tl->buffer_bytes,
			   flags | MSG_TRUNC);
	const struct nlmsghdr *nlh = (const void *)tl->buffer;
	int rest = got, ret;

	if (got < 0)
		return -errno;
	if ((size_t)got > tl->buffer_bytes)
		return -EMSGSIZE;
	for (; mnl_nlmsg_ok(nlh, rest); nlh = mnl_nlmsg_next(nlh, &rest)) {
		if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE) {
			take_end(tl, nlh, answer);
			continue;
		}
		answer->messages++;
		ret = message ? message(nlh, arg) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * tl_ask() - Send a request and take all of the answer
 * @tl: the socket
 * @nlh: the request, with NLM_F_ACK or NLM_F_DUMP
 * @message: called for each message of the answer; may be NULL
 * @arg: handed on
 *
 * Return: 0 or a negative errno; tl->sentence says more if the kernel did.
 */
int tl_ask(struct tl *tl, const struct nlmsghdr *nlh, tl_message_fn *message, void *arg)
{
	struct tl_answer answer = {0};
	int ret = tl_send(tl, nlh, nlh->nlmsg_len);

	tl->sentence[0] = '\0';
	while (!ret && !answer.ended)
		ret = tl_receive(tl, 0, message, arg, &answer);
	return ret ? ret : -answer.error;
}

static void take_group(struct tl *tl, const struct nlattr *group)
{
	const char *name = NULL;
	const struct nlattr *attr;
	uint32_t id = 0;

	mnl_attr_for_each_nested (attr, group) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_NAME)
			name = mnl_attr_get_str(attr);
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_ID)
			id = mnl_attr_get_u32(attr);
	}
	if (name && !strcmp(name, TIERLENS_MCGRP_INTERVAL))
		tl->group = id;
}

static int take_family(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr, *group;
	struct tl *tl = arg;

	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			tl->family = mnl_attr_get_u16(attr);
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GROUPS)
			mnl_attr_for_each_nested (group, attr)
				take_group(tl, group);
	}
	return 0;
}

static int resolve(struct tl *tl)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh;
	int ret;

	tl->family = GENL_ID_CTRL;
	nlh = tl_request(tl, buffer, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, TIERLENS_GENL_NAME);
	ret = tl_ask(tl, nlh, take_family, tl);
	if (!ret && (tl->family == GENL_ID_CTRL || !tl->group))
		ret = -EPROTO;
	return ret;
}

/**
 * tl_open() - Open a socket and find the family
 * @tl: filled
 * @buffer_bytes: for one datagram; it also bounds what the kernel puts into one
 * @rcvbuf_bytes: the socket's receive buffer, 0 for the default
 *
 * Return: 0 or a negative errno, -ENOENT if there is no such family.
 */
int tl_open(struct tl *tl, size_t buffer_bytes, int rcvbuf_bytes)
{
	int on = 1;

	memset(tl, 0, sizeof(*tl));
	tl->buffer_bytes = buffer_bytes;
	tl->buffer = malloc(buffer_bytes);
	tl->socket = mnl_socket_open(NETLINK_GENERIC);
	if (!tl->buffer || !tl->socket ||
	    mnl_socket_bind(tl->socket, 0, MNL_SOCKET_AUTOPID))
		return -errno;
	if (mnl_socket_setsockopt(tl->socket, NETLINK_EXT_ACK, &on, sizeof(on)))
		return -errno;
	if (rcvbuf_bytes && setsockopt(mnl_socket_get_fd(tl->socket), SOL_SOCKET,
				       SO_RCVBUF, &rcvbuf_bytes, sizeof(rcvbuf_bytes)))
		return -errno;
	return resolve(tl);
}

void tl_close(struct tl *tl)
{
	if (tl->socket)
		mnl_socket_close(tl->socket);
	free(tl->buffer);
	memset(tl, 0, sizeof(*tl));
}
