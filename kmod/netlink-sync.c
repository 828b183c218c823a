// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording of sync points is asked for over netlink; its answer is a file. */
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <uapi/linux/tierlens-sync.h>

#include "netlink-gen.h"
#include "netlink-put.h"
#include "sync.h"

/* What is asked, with room for as much as there may be. */
struct asked {
	struct tl_sync_ask ask;
	u32 processes[TIERLENS_SYNC_PROCESSES_MAX];
	struct tl_sync_ask_probe probes[TIERLENS_SYNC_PROBES_MAX];
};

static int refuse(struct genl_info *info, const char *why, int ret)
{
	if (info->extack)
		info->extack->_msg = why;
	return ret;
}

static int parse_probe(struct genl_info *info, const struct nlattr *attr, struct asked *asked)
{
	struct nlattr *tb[TIERLENS_A_SYNC_PROBE_FUNCTION + 1];
	struct tl_sync_ask_probe *probe = &asked->probes[asked->ask.nprobes];
	int ret;

	if (asked->ask.nprobes == TIERLENS_SYNC_PROBES_MAX)
		return refuse(info, "too many functions of libraries: give 64 at most", -E2BIG);
	ret = nla_parse_nested(tb, TIERLENS_A_SYNC_PROBE_FUNCTION, attr,
			       tierlens_sync_probe_nl_policy, info->extack);
	if (ret)
		return ret;
	if (!tb[TIERLENS_A_SYNC_PROBE_FILE] || !tb[TIERLENS_A_SYNC_PROBE_OFFSET] ||
	    !tb[TIERLENS_A_SYNC_PROBE_FUNCTION])
		return refuse(info, "a function's file, offset or kind is missing: give all",
			      -EINVAL);
	probe->offset = nla_get_u64(tb[TIERLENS_A_SYNC_PROBE_OFFSET]);
	probe->function = nla_get_u32(tb[TIERLENS_A_SYNC_PROBE_FUNCTION]);
	if (probe->function >= TIERLENS_SYNC_FUNCTIONS)
		return refuse(info, "there is no such kind of function: see linux/tierlens-sync.h",
			      -EINVAL);
	probe->file = fget(nla_get_u32(tb[TIERLENS_A_SYNC_PROBE_FILE]));
	if (!probe->file)
		return refuse(info, "a library's file is not open: open it for reading", -EBADF);
	asked->ask.nprobes++;
	return 0;
}

static int parse_one(struct genl_info *info, const struct nlattr *attr, struct asked *asked)
{
	/* Of what there is one of, the kernel keeps the last. */
	switch (nla_type(attr)) {
	case TIERLENS_A_SYNC_PROCESS:
		if (asked->ask.nprocesses == TIERLENS_SYNC_PROCESSES_MAX)
			return refuse(info, "too many processes: give 64 at most", -E2BIG);
		asked->processes[asked->ask.nprocesses++] = nla_get_u32(attr);
		return 0;
	case TIERLENS_A_SYNC_PROBE:
		return parse_probe(info, attr, asked);
	default:
		if (info->attrs[nla_type(attr)] == attr)
			return 0;
		return refuse(info, "an attribute is there twice: send each once", -EINVAL);
	}
}

static u32 get_u32(const struct genl_info *info, int type)
{
	return info->attrs[type] ? nla_get_u32(info->attrs[type]) : 0;
}

static int check(struct genl_info *info, const struct tl_sync_ask *ask)
{
	if (!ask->nprocesses)
		return refuse(info, "no process is given: give one at least", -EINVAL);
	if (!info->attrs[TIERLENS_A_SYNC_MS] || !info->attrs[TIERLENS_A_SYNC_BUFFER])
		return refuse(info, "the time or the buffer is missing: give both", -EINVAL);
	if (!ask->ms || ask->ms > TIERLENS_SYNC_MS_MAX)
		return refuse(info, "the time is out of range: give 1 ms to 10 minutes", -ERANGE);
	if (ask->buffer < TIERLENS_SYNC_BUFFER_MIN || ask->buffer > TIERLENS_SYNC_BUFFER_MAX ||
	    !is_power_of_2(ask->buffer))
		return refuse(info,
			      "the buffer is out of range: give a power of two from 128 KiB to 256 MiB",
			      -ERANGE);
	if (ask->stack > TIERLENS_SYNC_STACK_MAX || ask->stack % 8)
		return refuse(info, "the stack is out of range: give a multiple of 8 up to 32768",
			      -ERANGE);
	return 0;
}

static int parse(struct genl_info *info, struct asked *asked)
{
	struct tl_sync_ask *ask = &asked->ask;
	const struct nlattr *attr;
	int rest, ret = 0;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rest) {
		ret = parse_one(info, attr, asked);
		if (ret)
			return ret;
	}
	ask->processes = asked->processes;
	ask->probes = asked->probes;
	ask->ms = get_u32(info, TIERLENS_A_SYNC_MS);
	ask->buffer = get_u32(info, TIERLENS_A_SYNC_BUFFER);
	ask->stack = get_u32(info, TIERLENS_A_SYNC_STACK);
	return check(info, ask);
}

/* The descriptor is the asking process's, which is the one that runs here. */
static int reply(struct genl_info *info, int fd)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *head;

	if (!skb)
		return -ENOMEM;
	head = tl_nl_reply_put(skb, info, TIERLENS_CMD_SYNC_START);
	if (!head || nla_put_u32(skb, TIERLENS_A_SYNC_FD, fd)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return genlmsg_reply(skb, info);
}

static int start(struct genl_info *info, const struct tl_sync_ask *ask)
{
	int fd = get_unused_fd_flags(O_CLOEXEC), ret;
	struct file *file;

	if (fd < 0)
		return fd;
	file = tl_sync_start(ask, info->extack);
	ret = PTR_ERR_OR_ZERO(file);
	if (ret)
		goto err_fd;
	ret = reply(info, fd);
	if (ret)
		goto err_file;
	fd_install(fd, file);
	return 0;

err_file:
	fput(file);
err_fd:
	put_unused_fd(fd);
	return ret;
}

int tierlens_nl_sync_start_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct asked *asked;
	unsigned int i;
	int ret;

	/* Of who has opened the socket, too, if it is written to like a file. */
	if (!netlink_capable(skb, CAP_SYS_PTRACE))
		return refuse(info, "recording stacks needs CAP_SYS_PTRACE, too", -EPERM);
	asked = kzalloc(sizeof(*asked), GFP_KERNEL);
	if (!asked)
		return -ENOMEM;
	ret = parse(info, asked);
	/* As for functions: in the midst of an instruction it would break a program. */
	if (!ret && asked->ask.nprobes && !tl_nl_may_perfmon(skb))
		ret = refuse(info, "probing functions needs CAP_PERFMON or CAP_SYS_ADMIN, too",
			     -EPERM);
	if (!ret)
		ret = start(info, &asked->ask);
	for (i = 0; i < asked->ask.nprobes; i++)
		fput(asked->probes[i].file);
	kfree(asked);
	return ret;
}
