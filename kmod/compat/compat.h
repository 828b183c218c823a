/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs between kernels, under names of our own. */
#ifndef TL_COMPAT_H
#define TL_COMPAT_H

#include <linux/net.h>
#include <net/genetlink.h>

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
