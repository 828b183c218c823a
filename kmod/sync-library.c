// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library's locks, conditions and semaphores
 *
 * Those that nobody waits for never come to the kernel. So their functions are probed
 * where they are in the library's file, in the memory of the chosen processes only. A
 * process that is forked has the probes with its parent's memory; in one that is not
 * chosen, they take themselves off.
 *
 * Of what waits it is known only at its return whether it has what it waited for.
 */
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <uapi/linux/tierlens.h>

#include "compat/uprobe.h"
#include "sync.h"
#include "sync-library.h"
#include "sync-point.h"
#include "sync-session.h"
#include "sync-who.h"

#define NO_OP TIERLENS_SYNC_OPS

/* What a function does to its first and second argument, when it begins and when it has done it. */
static const struct function {
	u8 begin_op;
	u8 begin_arg;
	u8 end_op; /* to the first, if it has come to something */
	u8 flags;
	bool locks; /* the second again, whatever came of it */
} functions[TIERLENS_SYNC_FUNCTIONS] = {
	[TIERLENS_SYNC_MUTEX_LOCK] = { NO_OP, 0, TIERLENS_SYNC_LOCK },
	[TIERLENS_SYNC_MUTEX_UNLOCK] = { TIERLENS_SYNC_UNLOCK, 0, NO_OP },
	[TIERLENS_SYNC_COND_WAIT] = { TIERLENS_SYNC_UNLOCK, 1, TIERLENS_SYNC_WAIT, .locks = true },
	[TIERLENS_SYNC_COND_SIGNAL] = { TIERLENS_SYNC_SIGNAL, 0, NO_OP },
	[TIERLENS_SYNC_COND_BROADCAST] = { TIERLENS_SYNC_SIGNAL, 0, NO_OP, TIERLENS_SYNC_ALL },
	[TIERLENS_SYNC_SEM_WAIT] = { NO_OP, 0, TIERLENS_SYNC_LOCK },
	[TIERLENS_SYNC_SEM_POST] = { TIERLENS_SYNC_UNLOCK, 0, NO_OP },
};

static struct probe {
	struct file *file; /* held, so that its file system stays; NULL: not registered */
	const struct function *function;
	struct tl_compat_uprobe uprobe;
} probes[TIERLENS_SYNC_PROBES_MAX];

static void point_init(struct tl_sync_point *point, u8 op, u64 object, u16 flags)
{
	memset(point, 0, sizeof(*point));
	point->op = op;
	point->kind = TIERLENS_SYNC_MEMORY;
	point->flags = TIERLENS_SYNC_LIBRARY | flags;
	point->object = object;
	point->position = TIERLENS_SYNC_UNKNOWN;
	point->bytes = TIERLENS_SYNC_UNKNOWN;
}

static void begins(const struct function *function, struct tl_sync_thread *thread,
		   struct pt_regs *regs)
{
	struct tl_sync_point point;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(thread->objects); i++)
		thread->objects[i] = i && !function->locks ? 0 : regs_get_kernel_argument(regs, i);
	if (function->begin_op != NO_OP) {
		point_init(&point, function->begin_op, thread->objects[function->begin_arg],
			   function->flags);
		tl_sync_point_write(&point, regs);
	}
	thread->in_library = function->end_op != NO_OP;
	if (!thread->in_library)
		return;
	point_init(&thread->library, function->end_op, thread->objects[0], function->flags);
	tl_sync_point_begin(&thread->library);
}

static void ends(const struct function *function, struct tl_sync_thread *thread,
		 struct pt_regs *regs)
{
	struct tl_sync_point point;

	/* It began before the recording, or another function was left by a jump. */
	if (!thread->in_library || thread->library.op != function->end_op)
		return;
	thread->in_library = false;
	if (!regs_return_value(regs))
		tl_sync_point_write(&thread->library, regs);
	if (!function->locks)
		return;
	point_init(&point, TIERLENS_SYNC_LOCK, thread->objects[1], 0);
	tl_sync_point_write(&point, regs);
}

/* Context: task, may sleep. */
static int on_enter(TL_UPROBE_ENTER)
{
	const struct probe *probe = container_of(consumer, struct probe, uprobe.consumer);
	struct tl_sync_thread *thread;

	/* Who shares memory with one that is must leave it its traps. */
	if (!tl_sync_is_chosen(current))
		return tl_sync_is_chosen_mm(current->mm) ? 0 : UPROBE_HANDLER_REMOVE;
	thread = tl_sync_session_thread();
	if (thread)
		begins(probe->function, thread, regs);
	return 0;
}

/* Context: as above. */
static int on_leave(TL_UPROBE_LEAVE)
{
	const struct probe *probe = container_of(consumer, struct probe, uprobe.consumer);
	struct tl_sync_thread *thread = tl_sync_session_thread();

	if (thread)
		ends(probe->function, thread, regs);
	return 0;
}

static bool wants(TL_UPROBE_FILTER)
{
	return tl_sync_is_chosen_mm(mm);
}

static int probe_add(struct probe *probe, const struct tl_sync_ask_probe *asked,
		     struct netlink_ext_ack *extack)
{
	int ret;

	probe->function = &functions[asked->function];
	/* Of an overlay, what is mapped is the file below. */
	probe->uprobe.inode = d_real_inode(asked->file->f_path.dentry);
	probe->uprobe.offset = asked->offset;
	probe->uprobe.consumer = (struct uprobe_consumer) {
		.handler = on_enter,
		.ret_handler = probe->function->end_op != NO_OP ? on_leave : NULL,
		.filter = wants,
	};
	ret = tl_compat_uprobe_add(&probe->uprobe);
	if (ret) {
		NL_SET_ERR_MSG(extack,
			       "a function of a library cannot be probed: record without the library");
		return ret;
	}
	probe->file = get_file(asked->file);
	return 0;
}

/**
 * tl_sync_library_init() - Probe functions of libraries
 * @asked: which; the files are held until this returns
 * @n: how many, up to TIERLENS_SYNC_PROBES_MAX
 * @extack: told what is wrong
 *
 * Context: process.
 * Return: 0, or the kernel's error, and none is probed.
 */
int tl_sync_library_init(const struct tl_sync_ask_probe *asked, unsigned int n,
			 struct netlink_ext_ack *extack)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < n && !ret; i++)
		ret = probe_add(&probes[i], &asked[i], extack);
	if (ret)
		tl_sync_library_exit();
	return ret;
}

/* Context: process. When it returns, no handler is running. */
void tl_sync_library_exit(void)
{
	struct probe *probe;

	for (probe = probes; probe < probes + ARRAY_SIZE(probes); probe++)
		if (probe->file)
			tl_compat_uprobe_del(&probe->uprobe);
	tl_compat_uprobes_wait();
	for (probe = probes; probe < probes + ARRAY_SIZE(probes); probe++) {
		if (probe->file)
			fput(probe->file);
		probe->file = NULL;
	}
}
