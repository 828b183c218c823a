#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Print -DTL_HAVE_* for what the target's headers have. Version numbers lie where
# distributions back-port; headers do not.
#
# usage: features.sh LINUX-SOURCE
include=$1/include

have() { # NAME FILE EXTENDED-REGEX, matched with line breaks folded
	[ -e "$include/$2" ] && tr '\n\t' '  ' <"$include/$2" | tr -s ' ' | grep -Eq "$3" && echo "-DTL_HAVE_$1"
}
have GENL_SPLIT_OPS net/genetlink.h 'struct genl_split_ops \{'
have GENL_INFO_DUMP net/genetlink.h 'genl_info_dump\('
have RECVMSG_NONBLOCK net/tcp.h 'int tcp_recvmsg\([^)]*int nonblock'
have SOCK_FROM_FILE_ERR linux/net.h 'sock_from_file\(struct file \*file, int \*err\)'
have ITER_UBUF linux/uio.h 'bool iter_is_ubuf\('
have ITER_IOV linux/uio.h 'iter_iov\('
have FTRACE_REGS linux/ftrace.h 'struct ftrace_regs'
have ARCH_FTRACE_REGS linux/ftrace_regs.h 'arch_ftrace_regs\('
have UPROBE_HANDLE linux/uprobes.h 'struct uprobe \*uprobe_register\('
have UPROBE_DATA linux/uprobes.h 'int \(\*handler\)\([^)]*__u64 \*data\)'
have UPROBE_FILTER_CTX linux/uprobes.h 'enum uprobe_filter_ctx ctx'
have FAULTABLE_TRACEPOINTS linux/tracepoint.h 'tracepoint_is_faultable\('
have TRACEPOINT_SRCU linux/tracepoint.h 'struct srcu_struct tracepoint_srcu'
have UNIXCB net/af_unix.h '# ?define UNIXCB'
exit 0
