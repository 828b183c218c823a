/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LOCK_H
#define TL_LOCK_H

#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/spinlock.h>

/*
 * The locks of what runs at an event, whose interrupts are off: nothing can preempt it, so that
 * to count that it must not, and to call a function for it, is spared: a tenth of what an event
 * costs. A kernel that watches over locks gets to see them.
 *
 * A lock that was taken by one of these must be let go by one of these, on any path. Who has
 * interrupts on takes the same locks by raw_spin_lock_irqsave(), and nobody by raw_spin_lock().
 */
#if defined(CONFIG_SMP) && !defined(CONFIG_DEBUG_SPINLOCK) && !defined(CONFIG_LOCKDEP) && \
	!defined(CONFIG_KCSAN)
#define TL_LOCK_INLINE 1
#else
#define TL_LOCK_INLINE 0
#endif

/**
 * tl_spin_lock() - Take a lock at an event
 * @lock: the lock
 *
 * Context: interrupts are off until tl_spin_unlock().
 */
static __always_inline void tl_spin_lock(raw_spinlock_t *lock) __acquires(lock)
{
	lockdep_assert_irqs_disabled();
#if TL_LOCK_INLINE
	arch_spin_lock(&lock->raw_lock);
	__acquire(lock);
#else
	raw_spin_lock(lock);
#endif
}

/* The same while another lock of its class is held. */
static __always_inline void tl_spin_lock_nested(raw_spinlock_t *lock) __acquires(lock)
{
#if TL_LOCK_INLINE
	tl_spin_lock(lock);
#else
	lockdep_assert_irqs_disabled();
	raw_spin_lock_nested(lock, SINGLE_DEPTH_NESTING);
#endif
}

static __always_inline void tl_spin_unlock(raw_spinlock_t *lock) __releases(lock)
{
#if TL_LOCK_INLINE
	arch_spin_unlock(&lock->raw_lock);
	__release(lock);
#else
	raw_spin_unlock(lock);
#endif
}

#endif
