// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where records of sync points wait to be read: a ring for each processor
 *
 * A record is written where it stands, by the processor whose ring it is and with
 * preemption off, so that nobody else writes there meanwhile; there are no writers in
 * interrupts. The reader is one at a time. Head and tail only grow: who reads the other's
 * with acquire sees what was stored before the release. If there is no room the record is
 * not made; its number is missing, which tells.
 *
 * A record does not wrap: what is left at the end is filled by one that is skipped.
 */
#include <linux/gfp.h>
#include <linux/percpu.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <uapi/linux/tierlens-sync.h>

#include "sync-ring.h"

#define SKIP TIERLENS_SYNC_OPS

static DEFINE_PER_CPU(struct ring {
	u8 *data;
	u64 head; /* written so far; only by its processor */
	u64 tail; /* read so far; only by the reader */
}, rings);

static u32 size;
static unsigned int next_cpu; /* which is read first, for the reader alone */

/**
 * tl_sync_ring_init() - Make the rings
 * @bytes: of each, a power of two
 *
 * Context: process. No hook is armed.
 * Return: 0, or -ENOMEM.
 */
int tl_sync_ring_init(u32 bytes)
{
	struct ring *ring;
	int cpu;

	size = bytes;
	for_each_possible_cpu(cpu) {
		ring = per_cpu_ptr(&rings, cpu);
		ring->head = 0;
		ring->tail = 0;
		/* The reader pays. */
		ring->data = __vmalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN);
		if (!ring->data) {
			tl_sync_ring_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void tl_sync_ring_exit(void)
{
	struct ring *ring;
	int cpu;

	for_each_possible_cpu(cpu) {
		ring = per_cpu_ptr(&rings, cpu);
		vfree(ring->data);
		ring->data = NULL;
	}
}

/* Makes the reader go on at the ring's begin. */
static void skip(struct ring *ring, u32 bytes)
{
	struct tierlens_sync_record *record;

	record = (struct tierlens_sync_record *)(ring->data + (ring->head & (size - 1)));
	record->size = bytes;
	record->op = SKIP;
	/* Pairs with read_one(): it is whole. */
	smp_store_release(&ring->head, ring->head + bytes);
}

/**
 * tl_sync_ring_reserve() - Room for a record
 * @bytes: at most, a multiple of 8
 *
 * Context: task, preemption off until tl_sync_ring_commit().
 * Return: where, or NULL if there is none.
 */
void *tl_sync_ring_reserve(u32 bytes)
{
	struct ring *ring = this_cpu_ptr(&rings);
	/* Pairs with read_one(): what was read is not read any more. */
	u64 room = size - (ring->head - smp_load_acquire(&ring->tail));
	u32 end = size - (ring->head & (size - 1));

	lockdep_assert_preemption_disabled();
	if (bytes > room || (end < bytes && end + bytes > room))
		return NULL;
	if (end < bytes)
		skip(ring, end);
	return ring->data + (ring->head & (size - 1));
}

/**
 * tl_sync_ring_commit() - The record is whole
 * @bytes: what it has used of its room, a multiple of 8
 *
 * Context: as tl_sync_ring_reserve().
 */
void tl_sync_ring_commit(u32 bytes)
{
	struct ring *ring = this_cpu_ptr(&rings);

	/* Pairs with read_one(): it is whole. */
	smp_store_release(&ring->head, ring->head + bytes);
}

/* Whole records of one ring. */
static ssize_t read_one(struct ring *ring, char __user *to, size_t room)
{
	/* Pairs with skip() and tl_sync_ring_commit(). */
	u64 head = smp_load_acquire(&ring->head), tail = ring->tail;
	const struct tierlens_sync_record *record;
	size_t got = 0;

	while (tail != head) {
		record = (struct tierlens_sync_record *)(ring->data + (tail & (size - 1)));
		if (record->op != SKIP) {
			if (record->size > room - got)
				break;
			if (copy_to_user(to + got, record, record->size))
				return -EFAULT;
			got += record->size;
		}
		tail += record->size;
		/* Pairs with tl_sync_ring_reserve(): this may be written over already. */
		smp_store_release(&ring->tail, tail);
	}
	return got || tail == head ? got : -EINVAL;
}

/**
 * tl_sync_ring_read() - Whole records, of each processor in order
 * @to: user memory
 * @room: bytes of it
 *
 * Context: process, one at a time.
 * Return: bytes, 0 if there are none, -EINVAL if not even one has room, -EFAULT.
 */
ssize_t tl_sync_ring_read(char __user *to, size_t room)
{
	unsigned int i;
	size_t got = 0;
	ssize_t ret;

	for (i = 0; i < nr_cpu_ids; i++) {
		unsigned int cpu = (next_cpu + i) % nr_cpu_ids;

		if (!cpu_possible(cpu))
			continue;
		ret = read_one(per_cpu_ptr(&rings, cpu), to + got, room - got);
		/* What fits nowhere else is first the next time. */
		if (ret < 0) {
			next_cpu = cpu;
			return got ? got : ret;
		}
		got += ret;
	}
	next_cpu = (next_cpu + 1) % nr_cpu_ids;
	return got;
}
