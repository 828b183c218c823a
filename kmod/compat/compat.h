/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs between kernels, under names of our own. */
#ifndef TL_COMPAT_H
#define TL_COMPAT_H

#include <linux/net.h>
#include <linux/uio.h>
#include <net/af_unix.h>
#include <net/genetlink.h>

/* Whether ftrace can hand over a function's arguments and nothing else. */
#if defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS) && defined(CONFIG_X86_64)
#define TL_HAS_FENTRY 1
#include <linux/ftrace.h>

/* In newer kernels what is handed over is for others to know. */
static inline struct pt_regs *tl_compat_args(struct ftrace_regs *fregs)
{
#ifdef TL_HAVE_ARCH_FTRACE_REGS
	return &arch_ftrace_regs(fregs)->regs;
#else
	return &fregs->regs;
#endif
}
#else
#define TL_HAS_FENTRY 0
#endif

/* What ftrace hands over, whatever that is. */
#ifdef TL_HAVE_FTRACE_REGS
#define tl_ftrace_regs ftrace_regs
#else
#define tl_ftrace_regs pt_regs
#endif

/* Which argument of tcp_recvmsg() the flags are. */
#ifdef TL_HAVE_RECVMSG_NONBLOCK
#define TL_RECVMSG_FLAGS 4
#else
#define TL_RECVMSG_FLAGS 3
#endif

static inline struct socket *tl_compat_sock_from_file(struct file *file)
{
#ifdef TL_HAVE_SOCK_FROM_FILE_ERR
	int err;

	return sock_from_file(file, &err);
#else
	return sock_from_file(file);
#endif
}

/* Where a message's bytes are, or will be, and how many there; NULL: not in user memory. */
static inline const void __user *tl_compat_bytes(const struct msghdr *msg, size_t *room)
{
	const struct iov_iter *iter = &msg->msg_iter;
	const struct iovec *iov;

#ifdef TL_HAVE_ITER_UBUF
	if (iter_is_ubuf(iter)) {
		*room = iov_iter_count(iter);
		return iter->ubuf + iter->iov_offset;
	}
#endif
	if (!iter_is_iovec(iter) || !iter->nr_segs)
		return NULL;
#ifdef TL_HAVE_ITER_IOV
	iov = iter_iov(iter);
#else
	iov = iter->iov;
#endif
	*room = min(iov->iov_len - iter->iov_offset, iov_iter_count(iter));
	return iov->iov_base + iter->iov_offset;
}

/*
 * Where in a UNIX socket's buffer the next byte is that nobody has received. Newer
 * kernels keep that to themselves: then the bytes cannot be looked at.
 */
static inline bool tl_compat_unix_consumed(const struct sk_buff *skb, unsigned int *n)
{
#ifdef TL_HAVE_UNIXCB
	*n = UNIXCB(skb).consumed;
	return true;
#else
	return false;
#endif
}

/* The attributes of a dump request. */
static inline struct nlattr **tl_compat_dump_attrs(struct netlink_callback *cb)
{
#ifdef TL_HAVE_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

int tl_compat_family_ops(struct genl_family *family, const struct genl_split_ops *ops,
			 unsigned int n);

#endif
