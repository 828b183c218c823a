// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every command of the family, by those who may not, and all that it tells
 *
 * The commands are those of the header, which is made from the spec: a new one is tried, too, without being
 * named here. Messages are bare: whether somebody may is asked before what he wants. Which of a command's
 * two modes there is, is not asked: the other one is refused with EOPNOTSUPP, by older kernels only to those
 * who may.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bad-message.h"

static const char help[] =
	"usage: abi-security MODE\n"
	"  denied               every command, by somebody without the capability: EPERM\n"
	"  elsewhere FAMILY     the same from another network namespace, by the family's number: ENOENT\n"
	"  opened               root, by sockets that somebody without capabilities has opened: EPERM\n"
	"  few                  root with CAP_NET_ADMIN alone: EPERM where more is needed, and a sentence\n"
	"  allowed              root: no EPERM; leaves measuring off, and no events\n"
	"  family               prints the family's number\n"
	"  dump                 what all commands tell, as it comes, to stdout; numbers that look like\n"
	"                       addresses of the kernel to stderr\n"
	"Prints TAP, but for the last two.\n";

static struct tl tl;

/* ---- who may ---------------------------------------------------------------------- */

/* Return: the errno; the answer has no message of the family if there is one. */
static int bare(uint8_t cmd, uint16_t flags)
{
	struct tl_answer answer;
	struct message message;

	message_begin(&message, &tl, cmd, flags);
	if (message_exchange(&tl, &message, &answer) || !answer.ended)
		return -1;
	if (answer.error && answer.messages)
		return -1;
	return answer.error;
}

static bool is_event(unsigned int cmd)
{
	return cmd == TIERLENS_CMD_INTERVAL_NTF;
}

/* No mode of any command is answered but by @error, or by EOPNOTSUPP because there is no such mode. */
static void refused_all(int error)
{
	unsigned int cmd;
	int once, dump;

	for (cmd = 1; cmd <= TIERLENS_CMD_MAX; cmd++) {
		once = bare(cmd, NLM_F_ACK);
		dump = bare(cmd, NLM_F_DUMP);
		if (is_event(cmd) && error == EPERM)
			tap(once == EOPNOTSUPP && dump == EOPNOTSUPP, "command %u is none: EOPNOTSUPP", cmd);
		else
			tap((once == error && (dump == error || dump == EOPNOTSUPP)) ||
				    (dump == error && once == EOPNOTSUPP),
			    "command %u: %s (%d, %d)", cmd, strerror(error), once, dump);
	}
}

static bool needs_more(unsigned int cmd)
{
	return cmd == TIERLENS_CMD_SYNC_START || cmd == TIERLENS_CMD_FUNCTION_NEW ||
	       cmd == TIERLENS_CMD_PMU_NEW;
}

static void few(void)
{
	unsigned int cmd;
	int once;

	for (cmd = 1; cmd <= TIERLENS_CMD_MAX; cmd++) {
		once = bare(cmd, NLM_F_ACK);
		if (needs_more(cmd))
			tap(once == EPERM && strstr(tl.sentence, "needs CAP_"), "command %u: EPERM, '%s'", cmd,
			    tl.sentence);
		else
			tap(once != EPERM && bare(cmd, NLM_F_DUMP) != EPERM, "command %u: not EPERM (%d)", cmd,
			    once);
	}
	bare(TIERLENS_CMD_DISABLE, NLM_F_ACK);
}

static void allowed(void)
{
	unsigned int cmd;
	int once, dump;

	for (cmd = 1; cmd <= TIERLENS_CMD_MAX; cmd++) {
		once = bare(cmd, NLM_F_ACK);
		dump = bare(cmd, NLM_F_DUMP);
		tap(once != EPERM && dump != EPERM &&
			    (is_event(cmd) || once != EOPNOTSUPP || dump != EOPNOTSUPP),
		    "command %u: there is one, and no EPERM (%d, %d)", cmd, once, dump);
	}
	tap(bare(TIERLENS_CMD_MAX + 1, NLM_F_ACK) == EOPNOTSUPP, "and no other");
	bare(TIERLENS_CMD_DISABLE, NLM_F_ACK);
}

/* ---- a socket that somebody else has opened ------------------------------------------- */

static int capabilities_set(uint64_t mask)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {
		{.effective = (uint32_t)mask, .permitted = (uint32_t)mask},
		{.effective = mask >> 32, .permitted = mask >> 32},
	};

	return syscall(SYS_capset, &head, data);
}

static void fd_send(int to, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} room = {0};
	char byte = 0;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &room,
				 .msg_controllen = sizeof(room)};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	if (sendmsg(to, &message, 0) != 1)
		_exit(1);
}

static int fd_take(int from)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} room = {0};
	char byte;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &room,
				 .msg_controllen = sizeof(room)};
	struct cmsghdr *head;
	int fd = -1;

	if (recvmsg(from, &message, 0) != 1)
		return -1;
	head = CMSG_FIRSTHDR(&message);
	if (head)
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

/* tl's socket becomes one that a process with no capabilities but these has opened. */
static bool open_with(uint64_t mask)
{
	int ends[2], fd, on = 1;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return false;
	child = fork();
	if (!child) {
		if (capabilities_set(mask))
			_exit(1);
		fd_send(ends[1], socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC));
		_exit(0);
	}
	close(ends[1]);
	fd = fd_take(ends[0]);
	close(ends[0]);
	waitpid(child, NULL, 0);
	if (fd < 0)
		return false;
	mnl_socket_close(tl.socket);
	tl.socket = mnl_socket_fdopen(fd);
	return tl.socket && !mnl_socket_bind(tl.socket, 0, MNL_SOCKET_AUTOPID) &&
	       !mnl_socket_setsockopt(tl.socket, NETLINK_EXT_ACK, &on, sizeof(on));
}

static void opened(void)
{
	bool there = open_with(0);

	tap(there, "a socket of who has no capability");
	if (there)
		refused_all(EPERM);
	there = open_with(1ULL << CAP_NET_ADMIN);
	tap(there, "a socket of who has CAP_NET_ADMIN alone");
	if (there)
		few();
}

/* ---- what is told --------------------------------------------------------------------- */

/* Both architectures have the kernel up there, and errors as numbers at the very end. */
static bool is_address(uint64_t value)
{
	return value >= 0xffff000000000000 && value < 0xffffffffffff0000;
}

static void look_at(const struct nlattr *attr, unsigned int cmd)
{
	const struct nlattr *inner;
	uint64_t value;

	if (attr->nla_type & NLA_F_NESTED) {
		mnl_attr_for_each_nested (inner, attr)
			look_at(inner, cmd);
		return;
	}
	if (mnl_attr_get_payload_len(attr) != sizeof(value))
		return;
	memcpy(&value, mnl_attr_get_payload(attr), sizeof(value));
	if (is_address(value))
		fprintf(stderr, "an address? command %u, attribute %u: %#llx\n", cmd, mnl_attr_get_type(attr),
			(unsigned long long)value);
}

static int write_out(const struct nlmsghdr *nlh, void *arg)
{
	const struct genlmsghdr *head = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;

	mnl_attr_for_each (attr, nlh, sizeof(*head))
		look_at(attr, head->cmd);
	++*(unsigned int *)arg;
	return fwrite(nlh, nlh->nlmsg_len, 1, stdout) == 1 ? 0 : -EIO;
}

/* What changes anything is not among those that have a dump, but for the status. */
static int dump(void)
{
	unsigned int cmd, messages = 0, kinds = 0, before;
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh;
	int ret;

	nlh = tl_request(&tl, buffer, TIERLENS_CMD_MODULE_GET, NLM_F_ACK);
	ret = tl_ask(&tl, nlh, write_out, &messages);
	for (cmd = 1; cmd <= TIERLENS_CMD_MAX && !ret; cmd++) {
		before = messages;
		nlh = tl_request(&tl, buffer, cmd, NLM_F_DUMP);
		if (cmd == TIERLENS_CMD_INTERVAL_GET)
			mnl_attr_put_u64(nlh, TIERLENS_A_INTERVAL_SINCE, 0);
		ret = tl_ask(&tl, nlh, write_out, &messages);
		if (ret == -EOPNOTSUPP)
			ret = 0;
		kinds += messages != before;
	}
	fprintf(stderr, "%u messages of %u dumps\n", messages, kinds);
	return ret || fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int ret = tl_open(&tl, TL_BUFFER_BYTES, 1 << 20);

	setvbuf(stdout, NULL, strcmp(mode, "dump") ? _IOLBF : _IOFBF, 1 << 16);
	/* Elsewhere there is none; the socket is open nevertheless. */
	if (!strcmp(mode, "elsewhere") && argc > 2 && ret == -ENOENT) {
		tl.family = atoi(argv[2]);
		refused_all(ENOENT);
		return tap_end();
	}
	if (ret) {
		printf("Bail out! the family: %s\n", strerror(-ret));
		return 1;
	}
	if (!strcmp(mode, "family"))
		return printf("%u\n", tl.family) < 0;
	if (!strcmp(mode, "dump"))
		return dump();
	if (!strcmp(mode, "denied"))
		refused_all(EPERM);
	else if (!strcmp(mode, "opened"))
		opened();
	else if (!strcmp(mode, "few"))
		few();
	else if (!strcmp(mode, "allowed"))
		allowed();
	else
		return fputs(help, stderr), 2;
	return tap_end();
}
