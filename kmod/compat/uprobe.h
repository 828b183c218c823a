/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs between kernels with probes in user space. */
#ifndef TL_COMPAT_UPROBE_H
#define TL_COMPAT_UPROBE_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/rcupdate_trace.h>
#include <linux/rcupdate_wait.h>
#include <linux/uprobes.h>

/* The arguments of a consumer's functions. */
#ifdef TL_HAVE_UPROBE_DATA
#define TL_UPROBE_ENTER struct uprobe_consumer *consumer, struct pt_regs *regs, __u64 *data
#define TL_UPROBE_LEAVE \
	struct uprobe_consumer *consumer, unsigned long caller, struct pt_regs *regs, __u64 *data
#else
#define TL_UPROBE_ENTER struct uprobe_consumer *consumer, struct pt_regs *regs
#define TL_UPROBE_LEAVE \
	struct uprobe_consumer *consumer, unsigned long caller, struct pt_regs *regs
#endif
#ifdef TL_HAVE_UPROBE_FILTER_CTX
#define TL_UPROBE_FILTER \
	struct uprobe_consumer *consumer, enum uprobe_filter_ctx ctx, struct mm_struct *mm
#else
#define TL_UPROBE_FILTER struct uprobe_consumer *consumer, struct mm_struct *mm
#endif

/*
 * From a function's entry: nobody is to be told of this return. Older kernels can only be told that
 * it is so of all that follow.
 */
#ifdef UPROBE_HANDLER_IGNORE
#define TL_UPROBE_NO_RETURN UPROBE_HANDLER_IGNORE
#define TL_UPROBE_NO_STACK UPROBE_HANDLER_IGNORE
#else
#define TL_UPROBE_NO_RETURN 0
/*
 * They would wait for the stack with a lock that whoever takes the probe away needs, and after him
 * all who come to the function. If nobody else wants it, it is taken off in this process instead.
 */
#define TL_UPROBE_NO_STACK UPROBE_HANDLER_REMOVE
#endif

/* A function in a file, and who is told when it is entered and left. */
struct tl_compat_uprobe {
	struct inode *inode;
	loff_t offset;
	struct uprobe_consumer consumer;
#ifdef TL_HAVE_UPROBE_HANDLE
	struct uprobe *uprobe;
#endif
};

/* Where the stack was when a function was entered that now has returned. */
static inline unsigned long tl_compat_uprobe_entry_stack(unsigned long stack)
{
#ifdef CONFIG_X86
	/* The return address was on it. */
	stack -= sizeof(unsigned long);
#endif
	return stack;
}

#ifdef TL_HAVE_UPROBE_HANDLE
static inline int tl_compat_uprobe_add(struct tl_compat_uprobe *u)
{
	u->uprobe = uprobe_register(u->inode, u->offset, 0, &u->consumer);
	return PTR_ERR_OR_ZERO(u->uprobe);
}

/* Handlers may run on until tl_compat_uprobes_wait(). */
static inline void tl_compat_uprobe_del(struct tl_compat_uprobe *u)
{
	uprobe_unregister_nosync(u->uprobe, &u->consumer);
}

static inline void tl_compat_uprobes_wait(void)
{
#ifdef UPROBE_HANDLER_IGNORE
	/* What takes long, if a program has it last for ever: nobody shall be told to hang. */
	wait_rcu_gp_state(TASK_IDLE, call_rcu_tasks_trace);
#endif
	uprobe_unregister_sync();
}
#else
static inline int tl_compat_uprobe_add(struct tl_compat_uprobe *u)
{
	return uprobe_register(u->inode, u->offset, &u->consumer);
}

static inline void tl_compat_uprobe_del(struct tl_compat_uprobe *u)
{
	uprobe_unregister(u->inode, u->offset, &u->consumer);
}

static inline void tl_compat_uprobes_wait(void)
{
}
#endif

#endif
