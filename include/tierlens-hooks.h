/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the module hooks into the kernel: the only list of that
 *
 * Who includes this defines what a row becomes, and may do so several times. The module makes
 * its table of it (kmod/probe.c, kmod/sync.c), "tierlens check-kernel" looks for the same in
 * kernels that do not run.
 *
 * TL_HOOK(NAME, LEVEL, REQUIRED, HANDLER, NEEDS, SYMBOL...): a function's entry; of several
 *	symbols the first that the kernel has is taken. LEVEL is TRACE or SERVER, from which on it
 *	is armed. NEEDS is the hook without which what this one sees means nothing, or NULL.
 * TL_TRACED(NAME, LEVEL, REQUIRED, HANDLER, TRACEPOINT): a tracepoint.
 * TL_SYNC_HOOK(TRACEPOINT, HANDLER): a tracepoint that recording sync points needs.
 */
#ifndef TL_HOOK
#define TL_HOOK(name, level, required, handler, needs, ...)
#endif
#ifndef TL_TRACED
#define TL_TRACED(name, level, required, handler, tracepoint)
#endif
#ifndef TL_SYNC_HOOK
#define TL_SYNC_HOOK(tracepoint, handler)
#endif

TL_HOOK("send", TRACE, true, on_sendmsg, NULL, "tcp_sendmsg")
/* Since 6.5 pages go through sendmsg, too. */
TL_HOOK("sendpage", TRACE, false, on_sendpage, NULL, "tcp_sendpage")
TL_HOOK("send-wait", TRACE, false, on_send_wait, NULL, "sk_stream_wait_memory")
/* Armed from the end: how somebody receives is seen before what he received. */
TL_HOOK("received", TRACE, true, on_received, NULL, "tcp_cleanup_rbuf")
TL_HOOK("receive", TRACE, true, on_recvmsg, NULL, "tcp_recvmsg")
TL_HOOK("splice-read", TRACE, false, on_splice_read, NULL, "tcp_splice_read")
TL_HOOK("accept", TRACE, false, on_accepted, NULL, "security_sock_graft")
TL_HOOK("connect", SERVER, true, on_connect, NULL, "tcp_v4_connect")
TL_HOOK("connect-v6", SERVER, false, on_connect, NULL, "tcp_v6_connect")
TL_HOOK("shutdown", TRACE, false, on_shutdown, NULL, "tcp_shutdown")
TL_HOOK("close", TRACE, true, on_close, NULL, "tcp_close")
TL_HOOK("disconnect", TRACE, false, on_close, NULL, "tcp_disconnect")
TL_HOOK("unix-send", TRACE, false, on_unix_sendmsg, NULL, "unix_stream_sendmsg")
TL_HOOK("unix-sendpage", TRACE, false, on_unix_sendpage, NULL, "unix_stream_sendpage")
TL_HOOK("unix-send-part", TRACE, false, on_unix_send_part, NULL, "sock_alloc_send_pskb")
TL_HOOK("unix-received", TRACE, false, on_unix_received, "unix-receive", "unix_stream_read_actor")
TL_HOOK("unix-spliced", TRACE, false, on_unix_received, "unix-splice-read", "unix_stream_splice_actor")
TL_HOOK("unix-receive", TRACE, false, on_unix_recvmsg, NULL, "unix_stream_recvmsg")
TL_HOOK("unix-splice-read", TRACE, false, on_unix_splice_read, NULL, "unix_stream_splice_read")
TL_HOOK("unix-connect", SERVER, false, on_unix_connect, NULL, "unix_stream_connect")
TL_HOOK("unix-shutdown", TRACE, false, on_unix_shutdown, NULL, "unix_shutdown")
TL_HOOK("unix-close", TRACE, false, on_unix_release, NULL, "unix_release")
TL_HOOK("epoll", SERVER, false, on_epoll_wait, NULL, "do_epoll_wait")
TL_HOOK("poll", SERVER, false, on_poll, NULL, "do_sys_poll")
TL_HOOK("select", SERVER, false, on_poll, NULL, "core_sys_select", "do_select")
TL_HOOK("eventfd-write", SERVER, false, on_eventfd_write, "eventfd-close", "eventfd_write")
TL_HOOK("eventfd-read", SERVER, false, on_eventfd_read, NULL, "eventfd_read")
TL_HOOK("eventfd-close", SERVER, false, on_release, NULL, "eventfd_release")
TL_HOOK("pipe-write", SERVER, false, on_pipe_write, "pipe-close", "pipe_write", "anon_pipe_write")
TL_HOOK("pipe-read", SERVER, false, on_pipe_read, NULL, "pipe_read", "anon_pipe_read")
TL_HOOK("pipe-close", SERVER, false, on_pipe_gone, NULL, "free_pipe_info")
TL_HOOK("ring-recv", SERVER, false, on_ring_receive, NULL, "io_recv")
TL_HOOK("ring-recvmsg", SERVER, false, on_ring_receive, NULL, "io_recvmsg")
TL_HOOK("futex-wake", SERVER, false, on_futex_wake, NULL, "futex_wake")
TL_HOOK("futex-wait", SERVER, false, on_futex_wait, NULL, "futex_wait")
TL_TRACED("waking", SERVER, false, on_waking, "sched_waking")
TL_TRACED("exit", TRACE, true, on_exit, "sched_process_exit")
TL_TRACED("switch", SERVER, false, on_switch, "sched_switch")

TL_SYNC_HOOK("sched_switch", tl_sync_point_switched)
/* In this order: a call whose begin is seen has its end seen. */
TL_SYNC_HOOK("sys_exit", on_return)
TL_SYNC_HOOK("sys_enter", on_call)
TL_SYNC_HOOK("sched_process_fork", on_fork)
TL_SYNC_HOOK("sched_process_exec", on_exec)
TL_SYNC_HOOK("sched_process_exit", on_exit)

#undef TL_HOOK
#undef TL_TRACED
#undef TL_SYNC_HOOK
