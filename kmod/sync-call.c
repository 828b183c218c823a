// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System calls that are sync points
 *
 * At its begin it is seen what a call is about; what gives takes its number then. At its
 * end it is known what came of it. A call that came to nothing is none; if it has a number
 * already, that is said.
 *
 * A library's own calls on an object of its function are part of that function's act.
 */
#include <linux/compat.h>
#include <linux/futex.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/socket.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "sync-call.h"
#include "sync-file.h"
#include "sync-point.h"
#include "sync-who.h"

#define LIBRARY_OBJECT 64 /* bytes: no lock, condition or semaphore is larger */

static bool gives(const struct tl_sync_point *point)
{
	switch (point->op) {
	case TIERLENS_SYNC_SIGNAL:
	case TIERLENS_SYNC_SEND:
	case TIERLENS_SYNC_UNLOCK:
		return true;
	default:
		return false;
	}
}

/* ---- futexes ------------------------------------------------------------------------ */

static bool is_of_library(const struct tl_sync_thread *thread, u64 address)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(thread->objects); i++)
		if (thread->objects[i] && address - thread->objects[i] < LIBRARY_OBJECT)
			return true;
	return false;
}

static bool futex(const struct tl_sync_thread *thread, struct tl_sync_point *point, u64 address,
		  u8 op, u64 n)
{
	if (is_of_library(thread, address))
		return false;
	point->op = op;
	point->kind = TIERLENS_SYNC_MEMORY;
	point->object = address;
	if (op == TIERLENS_SYNC_SIGNAL && n > 1)
		point->flags |= TIERLENS_SYNC_ALL;
	return true;
}

static bool futex_of(const struct tl_sync_thread *thread, struct tl_sync_point *point,
		     const unsigned long *args)
{
	switch (args[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
		return futex(thread, point, args[0], TIERLENS_SYNC_WAIT, 0);
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_WAKE_OP:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_CMP_REQUEUE_PI:
		return futex(thread, point, args[0], TIERLENS_SYNC_SIGNAL, (u32)args[2]);
	case FUTEX_UNLOCK_PI:
		return futex(thread, point, args[0], TIERLENS_SYNC_UNLOCK, 0);
	case FUTEX_TRYLOCK_PI:
	case FUTEX_LOCK_PI:
		return futex(thread, point, args[0], TIERLENS_SYNC_LOCK, 0);
	default:
		return false;
	}
}

/* ---- what a call is about ------------------------------------------------------------- */

/* Who polls waits for any of many files. */
static bool poll_of(struct tl_sync_point *point)
{
	point->op = TIERLENS_SYNC_WAIT;
	point->kind = TIERLENS_SYNC_OTHER;
	point->object = tl_sync_file_number(current->pid, 1);
	return true;
}

static bool splice_of(struct tl_sync_point *point, const unsigned long *args)
{
	/* One of both is a pipe, mostly a thread's own on the way; the other is what counts. */
	return (tl_sync_file_of(args[2], true, point) && point->kind != TIERLENS_SYNC_PIPE) ||
	       (tl_sync_file_of(args[0], false, point) && point->kind != TIERLENS_SYNC_PIPE);
}

/* Who only looks takes nothing. */
static bool peeks(long nr, const unsigned long *args)
{
	return (nr == __NR_recvfrom && (args[3] & MSG_PEEK)) ||
	       (nr == __NR_recvmsg && (args[2] & MSG_PEEK));
}

static bool call_of(const struct tl_sync_thread *thread, struct tl_sync_point *point, long nr,
		    const unsigned long *args)
{
	switch (nr) {
	case __NR_read:
	case __NR_readv:
	case __NR_recvfrom:
	case __NR_recvmsg:
	case __NR_recvmmsg:
	case __NR_accept:
	case __NR_accept4:
#ifdef __NR_epoll_wait
	case __NR_epoll_wait:
#endif
	case __NR_epoll_pwait:
#ifdef __NR_epoll_pwait2
	case __NR_epoll_pwait2:
#endif
		return !peeks(nr, args) && tl_sync_file_of(args[0], false, point);
	case __NR_write:
	case __NR_writev:
	case __NR_sendto:
	case __NR_sendmsg:
	case __NR_sendmmsg:
	case __NR_sendfile:
		return tl_sync_file_of(args[0], true, point);
	case __NR_splice:
		return splice_of(point, args);
	case __NR_futex:
		return futex_of(thread, point, args);
#ifdef __NR_futex_wake
	case __NR_futex_wake:
		return futex(thread, point, args[0], TIERLENS_SYNC_SIGNAL, (u32)args[2]);
	case __NR_futex_wait:
		return futex(thread, point, args[0], TIERLENS_SYNC_WAIT, 0);
#endif
#ifdef __NR_poll
	case __NR_poll:
	case __NR_select:
#endif
	case __NR_ppoll:
	case __NR_pselect6:
		return poll_of(point);
	default:
		return false;
	}
}

/**
 * tl_sync_call_begins() - The current thread has begun a system call
 * @thread: its entry
 * @regs: its registers in user space
 * @nr: the call's number
 *
 * Context: task.
 */
void tl_sync_call_begins(struct tl_sync_thread *thread, struct pt_regs *regs, long nr)
{
	struct tl_sync_point *point = &thread->call;
	unsigned long args[6];

	thread->in_call = false;
	if (in_compat_syscall())
		return;
	syscall_get_arguments(current, regs, args);
	memset(point, 0, sizeof(*point));
	point->position = TIERLENS_SYNC_UNKNOWN;
	point->bytes = TIERLENS_SYNC_UNKNOWN;
	if (!call_of(thread, point, nr, args))
		return;
	if (gives(point))
		point->seq = tl_sync_point_number();
	tl_sync_point_begin(point);
	thread->fd = args[0];
	thread->many = nr == __NR_recvmmsg || nr == __NR_sendmmsg;
	/* Pairs with tl_sync_call_cut(): it is whole. */
	smp_store_release(&thread->in_call, true);
}

/* ---- what came of it -------------------------------------------------------------------- */

static bool is_stream(const struct tl_sync_point *point)
{
	return point->op == TIERLENS_SYNC_SEND || point->op == TIERLENS_SYNC_RECV;
}

static bool came_to_something(const struct tl_sync_point *point, long ret)
{
	if (ret < 0)
		return false;
	if (ret)
		return true;
	/* Zero is no byte, no event and nobody, but success of a futex and a descriptor. */
	return point->kind == TIERLENS_SYNC_MEMORY || point->kind == TIERLENS_SYNC_LISTENER;
}

/**
 * tl_sync_call_ends() - The current thread's system call is over
 * @thread: its entry
 * @regs: its registers in user space
 * @ret: what the call returns
 *
 * Context: task.
 */
void tl_sync_call_ends(struct tl_sync_thread *thread, struct pt_regs *regs, long ret)
{
	struct tl_sync_point *point = &thread->call;

	if (!thread->in_call || !xchg(&thread->in_call, false))
		return;
	if (!came_to_something(point, ret)) {
		if (point->seq)
			tl_sync_point_void(point->seq);
		return;
	}
	if (is_stream(point) && point->kind != TIERLENS_SYNC_LISTENER && !thread->many)
		point->bytes = ret;
	if (point->op == TIERLENS_SYNC_SIGNAL && point->kind == TIERLENS_SYNC_MEMORY)
		point->bytes = ret;
	if (point->op == TIERLENS_SYNC_RECV && !thread->many)
		tl_sync_file_taken(thread->fd, point);
	tl_sync_point_write(point, regs);
}

/**
 * tl_sync_call_cut() - The end of a thread's system call will not be seen
 * @thread: its entry
 *
 * If it has a number already, that is not lost.
 *
 * Context: task, when no call begins any more.
 */
void tl_sync_call_cut(struct tl_sync_thread *thread)
{
	if (xchg(&thread->in_call, false) && thread->call.seq)
		tl_sync_point_void(thread->call.seq);
}
