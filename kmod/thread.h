/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_THREAD_H
#define TL_THREAD_H

#include "class.h"
#include "process.h"

struct sock;
struct task_struct;
struct tl_conn;
struct tl_frames;

enum tl_futex { TL_FUTEX_NOT, TL_FUTEX_WAKES, TL_FUTEX_WAITS };

/* A thread that has used TCP. Only the thread itself touches its entry. */
struct tl_task {
	struct tl_keyed keyed; /* by task */
	struct tl_thread thread;
	struct tl_process *process; /* used by it; NULL: on its own */
	struct tl_request_ref errand; /* that it began last, and uses */
	struct tl_conn *conn; /* that it has used last, which is a hint */
	u32 peer; /* that it has called last, which is one, too */
	struct tl_used last; /* when it was charged last */
	u64 counted[TL_USED_COUNTS]; /* of events, and not charged yet */
	unsigned long charged_jiffies; /* when that was */
	u32 epoch; /* what it knows is of this one, see level.c */
	struct tl_frames *frames; /* see frames.c; NULL: no function was entered */
	/* see turn.c */
	struct tl_request_ref answered; /* for another thread, and has not gone on since */
	struct tl_used unclaimed; /* used since it is idle, it is not known for whom */
	bool has_unclaimed; /* else it is all zero */
	bool idle; /* what it does is for what comes next */
	bool outside; /* it serves nobody, and what it uses is not asked for */
	/* see handoff.c */
	struct tl_ledger *ledger; /* see ledger.c; NULL: nothing was handed back to it */
	u64 told_ns; /* when it has handed something back last */
	const void *reading; /* the eventfd or pipe that its last act was to read from */
	u64 reading_bytes;
	u8 futex; /* enum tl_futex, its last act */
	u64 futex_ns; /* when, if it waits */
	bool waited; /* for a futex, since its errand began */
	bool hands_back; /* has run an errand, so what it writes may be its end */
	/* of an io_uring, see tl_track_ring() */
	struct tl_request_ref ring; /* for whom it has received last */
	bool ring_receives; /* what it begins to receive next is by the ring */
	bool recv_ring; /* what it receives is */
	/* of what it receives */
	struct sock *recv_sk; /* the socket that it is in recvmsg() on, or was last */
	u64 recv_bytes; /* what that call has reported so far */
	bool recv_peek; /* it only looks, the bytes stay */
	const void __user *recv_base; /* where it goes; NULL: not looked at */
	u64 recv_room;
	const struct sk_buff *recv_skb; /* where it comes from; NULL: not known */
	unsigned int recv_offset;
};

extern struct tl_keyed_table tl_threads;

struct tl_task *tl_thread_add(struct task_struct *task);

/* The entry of a task, NULL if it has none. Context: interrupts off. */
static inline struct tl_task *tl_thread_find(struct task_struct *task)
{
	struct tl_keyed *keyed = tl_keyed_find(&tl_threads, task);

	return keyed ? container_of(keyed, struct tl_task, keyed) : NULL;
}

/* Of each processor, the entry that was looked for last: it mostly is the next one, too. */
DECLARE_PER_CPU(struct tl_task *, tl_thread_recent);

/**
 * tl_thread_known() - The entry of the current task
 *
 * Entries' memory stays entries', so that a recent one may be looked at whatever has
 * become of it.
 *
 * Context: task, interrupts off.
 * Return: the entry, or NULL if it has none.
 */
static inline struct tl_task *tl_thread_known(void)
{
	struct tl_task *entry = this_cpu_read(tl_thread_recent);

	if (likely(entry && READ_ONCE(entry->keyed.key) == current))
		return entry;
	entry = tl_thread_find(current);
	if (entry)
		this_cpu_write(tl_thread_recent, entry);
	return entry;
}

/**
 * tl_thread_get() - The entry of the current task, made if need be
 *
 * Context: task, interrupts off.
 * Return: the entry, or NULL if there is no memory left for it.
 */
static inline struct tl_task *tl_thread_get(void)
{
	struct tl_task *entry = tl_thread_known();

	return likely(entry) ? entry : tl_thread_add(current);
}

int tl_thread_init(void);
void tl_thread_exit(void);
void tl_thread_forget(struct task_struct *task);
void tl_thread_forget_all(void);
void tl_thread_landed(const struct tl_task *task, u64 bytes, struct tl_class_bytes *where);
unsigned int tl_thread_count(void);

#endif
