/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* What a recording of sync points consists of, as read from its file descriptor. */
#ifndef _UAPI_LINUX_TIERLENS_SYNC_H
#define _UAPI_LINUX_TIERLENS_SYNC_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* What was done. */
enum tierlens_sync_op {
	TIERLENS_SYNC_LOCK,
	TIERLENS_SYNC_UNLOCK,
	TIERLENS_SYNC_SIGNAL,
	TIERLENS_SYNC_WAIT,
	TIERLENS_SYNC_ENQ,
	TIERLENS_SYNC_DEQ,
	TIERLENS_SYNC_SEND,
	TIERLENS_SYNC_RECV,
	TIERLENS_SYNC_START,
	TIERLENS_SYNC_EXIT,
	TIERLENS_SYNC_EXEC, /* the process runs another program from here on */
	TIERLENS_SYNC_VOID, /* nothing: what was begun failed; its number is not lost */
	TIERLENS_SYNC_END, /* the last record: there are no numbers from this on */
	TIERLENS_SYNC_OPS
};

/* What it was done to. */
enum tierlens_sync_kind {
	TIERLENS_SYNC_NOTHING,
	TIERLENS_SYNC_MEMORY, /* object: address in the process (a futex, a mutex, a condition) */
	TIERLENS_SYNC_EVENTFD, /* object of this and all that follow: a number, the same for all processes */
	TIERLENS_SYNC_PIPE,
	TIERLENS_SYNC_EPOLL,
	TIERLENS_SYNC_TCP, /* a connection: the same number at both ends; end tells which */
	TIERLENS_SYNC_UNIX, /* as TCP */
	TIERLENS_SYNC_LISTENER, /* RECV: accept() */
	TIERLENS_SYNC_THREAD, /* object: the thread's number; SIGNAL by who makes it, START by itself */
	TIERLENS_SYNC_OTHER, /* another file that can be waited for */
	TIERLENS_SYNC_KINDS
};

#define TIERLENS_SYNC_SLEPT 1 /* flag: the thread slept in it */
#define TIERLENS_SYNC_LIBRARY 2 /* flag: seen in the library's function, not at a system call */
#define TIERLENS_SYNC_ALL 4 /* flag of SIGNAL: wakes all that wait */
#define TIERLENS_SYNC_ROLES 8 /* flag: end 0 of the connection is who asked for it, 1 who was asked */

/* ioctl(): the time is over; what is there can still be read. */
#define TIERLENS_SYNC_STOP _IO('L', 0x71)

#define TIERLENS_SYNC_UNKNOWN (~0ULL) /* of bytes and position */

/**
 * struct tierlens_sync_record - One sync point
 * @size: bytes of all of it with registers, stack and padding: a multiple of 8
 * @op: enum tierlens_sync_op
 * @kind: enum tierlens_sync_kind
 * @flags: TIERLENS_SYNC_*
 * @registers: how many __u64 of registers follow, in the order of the architecture's DWARF
 *             numbers: x86-64 rax rdx rcx rbx rsi rdi rbp rsp r8 … r15 rip (17), arm64 x0 … x30
 *             sp pc (33); 0: none, and no stack
 * @stack: how many bytes follow them, from the stack pointer upwards
 * @seq: the number of the event in the recording, from 1; records come in no order. What gives
 *       (UNLOCK, SIGNAL, ENQ, SEND) has the number of when it began, what takes that of its end:
 *       what was given before it was taken has the lower one. A number that is missing was lost.
 * @time_ns: when it was done, CLOCK_MONOTONIC
 * @began_ns: when it was begun; of what gives, when it had its number
 * @cpu_ns: processor time of the thread until then
 * @wait_ns: what it slept in it
 * @object: what it was done to, see @kind
 * @position: of TCP the sequence number of the first byte (it wraps at 2^32)
 * @bytes: sent or received, put in or taken out; of SIGNAL by a futex, how many it woke
 * @read_bytes: what the thread has read from storage until then
 * @written_bytes: and written
 * @process: its number, as @thread
 * @end: of a connection, 0 or 1
 */
struct tierlens_sync_record {
	__u32 size;
	__u8 op;
	__u8 kind;
	__u16 flags;
	__u16 registers;
	__u16 reserved;
	__u32 stack;
	__u64 seq;
	__u64 time_ns;
	__u64 began_ns;
	__u64 cpu_ns;
	__u64 wait_ns;
	__u64 object;
	__u64 position;
	__u64 bytes;
	__u64 read_bytes;
	__u64 written_bytes;
	__u32 process;
	__u32 thread;
	__u32 end;
	__u32 reserved2;
};

/* What is asked when a function of a library is entered or left. */
enum tierlens_sync_function {
	TIERLENS_SYNC_MUTEX_LOCK, /* (mutex): LOCK when it returns 0; trylock and timedlock too */
	TIERLENS_SYNC_MUTEX_UNLOCK, /* (mutex): UNLOCK when it is entered */
	TIERLENS_SYNC_COND_WAIT, /* (condition, mutex): UNLOCK of the mutex; WAIT if it returns 0, and LOCK */
	TIERLENS_SYNC_COND_SIGNAL, /* (condition): SIGNAL when it is entered */
	TIERLENS_SYNC_COND_BROADCAST,
	TIERLENS_SYNC_SEM_WAIT, /* (semaphore): LOCK when it returns 0 */
	TIERLENS_SYNC_SEM_POST, /* (semaphore): UNLOCK when it is entered */
	TIERLENS_SYNC_FUNCTIONS
};

#endif
