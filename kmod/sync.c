// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording of sync points
 *
 * It is a file: it begins when the file is made and ends when it is closed, also by the
 * end of who has it. There is one at a time. While there is none, nothing is registered.
 * Its time is bounded; when it is over, hooks see nothing any more.
 */
#include <linux/anon_inodes.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "sync.h"
#include "sync-call.h"
#include "sync-file.h"
#include "sync-library.h"
#include "sync-point.h"
#include "sync-ring.h"
#include "sync-session.h"
#include "sync-who.h"
#include "tracepoint.h"

static DEFINE_MUTEX(lock); /* protects running, and serialises beginning and ending */
static bool running;
static u64 until_ns;
static DEFINE_MUTEX(reader); /* one at a time; protects cut and ended */
static bool cut; /* calls that were not over are told */
static bool ended; /* that it has is told */

static bool is_over(void)
{
	return ktime_get_mono_fast_ns() >= READ_ONCE(until_ns);
}

/**
 * tl_sync_session_thread() - The current thread's entry
 *
 * Context: task.
 * Return: NULL if what it does is not to be recorded.
 */
struct tl_sync_thread *tl_sync_session_thread(void)
{
	/* An entry is looked for last: it counts as lost what a thread without one does. */
	if (!in_task() || !tl_sync_is_chosen(current) || is_over())
		return NULL;
	return tl_sync_thread();
}

/* ---- hooks -------------------------------------------------------------------------- */

static void on_call(void *data, struct pt_regs *regs, long nr)
{
	struct tl_sync_thread *thread = tl_sync_session_thread();

	if (thread)
		tl_sync_call_begins(thread, regs, nr);
}

static void on_return(void *data, struct pt_regs *regs, long ret)
{
	struct tl_sync_thread *thread = tl_sync_session_thread();

	if (thread)
		tl_sync_call_ends(thread, regs, ret);
}

static struct tl_sync_point about_thread(u8 op, u64 number)
{
	return (struct tl_sync_point) {
		.op = op, .kind = TIERLENS_SYNC_THREAD, .object = number,
		.position = TIERLENS_SYNC_UNKNOWN, .bytes = TIERLENS_SYNC_UNKNOWN,
	};
}

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct tl_sync_point point = about_thread(TIERLENS_SYNC_SIGNAL, child->pid);

	if (parent != current || !tl_sync_session_thread())
		return;
	if (child->tgid != parent->tgid)
		tl_sync_choose(child);
	tl_sync_point_write(&point, current_pt_regs());
	point = about_thread(TIERLENS_SYNC_START, child->pid);
	tl_sync_point_write_of(child, &point);
}

/* Newer kernels pass one argument more. */
static void on_exit(void *data, struct task_struct *task)
{
	struct tl_sync_point point = about_thread(TIERLENS_SYNC_EXIT, task->pid);

	if (task != current || !tl_sync_session_thread())
		return;
	tl_sync_point_write(&point, current_pt_regs());
	tl_sync_thread_gone();
}

/* Here the stack is the new program's already. */
static void on_exec(void *data, struct task_struct *task, pid_t before, void *bprm)
{
	struct tl_sync_point point = about_thread(TIERLENS_SYNC_EXEC, task->pid);

	if (tl_sync_session_thread())
		tl_sync_point_write(&point, NULL);
}

#define TL_SYNC_HOOK(tracepoint, handler) { tracepoint, handler },

static struct hook {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint; /* NULL: not armed */
} hooks[] = {
#include <tierlens-hooks.h>
};

static void hooks_disarm(void)
{
	struct hook *hook;

	for (hook = hooks; hook < hooks + ARRAY_SIZE(hooks); hook++) {
		if (hook->tracepoint)
			tracepoint_probe_unregister(hook->tracepoint, hook->probe, NULL);
		hook->tracepoint = NULL;
	}
	tracepoint_synchronize_unregister();
}

static int hook_arm(struct hook *hook)
{
	struct tracepoint *tracepoint = tl_tracepoint_find(hook->name);
	int ret;

	if (!tracepoint)
		return -ENOENT;
	ret = tracepoint_probe_register(tracepoint, hook->probe, NULL);
	if (!ret)
		hook->tracepoint = tracepoint;
	return ret;
}

static int hooks_arm(struct netlink_ext_ack *extack)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(hooks) && !ret; i++)
		ret = hook_arm(&hooks[i]);
	if (!ret)
		return 0;
	hooks_disarm();
	NL_SET_ERR_MSG(extack, "this kernel lets nobody see system calls or threads begin and end");
	return ret;
}

/* ---- begin and end -------------------------------------------------------------------- */

static int no_memory(struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "there is no memory for the buffers: ask for smaller ones");
	return -ENOMEM;
}

static int begin(const struct tl_sync_ask *ask, struct netlink_ext_ack *extack)
{
	int ret;

	if (tl_sync_ring_init(ask->buffer))
		return no_memory(extack);
	ret = tl_sync_who_init(ask->processes, ask->nprocesses, extack);
	if (ret)
		goto err_who;
	cut = false;
	ended = false;
	tl_sync_file_init();
	tl_sync_point_init(ask->stack);
	WRITE_ONCE(until_ns, ktime_get_mono_fast_ns() + ask->ms * (u64)NSEC_PER_MSEC);
	ret = hooks_arm(extack);
	if (ret)
		goto err_hooks;
	ret = tl_sync_library_init(ask->probes, ask->nprobes, extack);
	if (!ret)
		return 0;
	hooks_disarm();
err_hooks:
	tl_sync_who_exit();
err_who:
	tl_sync_ring_exit();
	return ret;
}

static void end(void)
{
	WRITE_ONCE(until_ns, 0);
	tl_sync_library_exit();
	hooks_disarm();
	tl_sync_who_exit();
	tl_sync_ring_exit();
}

static int on_release(struct inode *inode, struct file *file)
{
	mutex_lock(&lock);
	end();
	running = false;
	mutex_unlock(&lock);
	return 0;
}

/* When everything was read: what was lost at the end is not told by gaps. */
static ssize_t read_end(char __user *to, size_t room)
{
	const struct tierlens_sync_record record = {
		.size = sizeof(record), .op = TIERLENS_SYNC_END, .seq = tl_sync_point_last() + 1,
	};

	lockdep_assert_held(&reader);
	if (ended)
		return 0;
	if (room < sizeof(record))
		return -EINVAL;
	if (copy_to_user(to, &record, sizeof(record)))
		return -EFAULT;
	ended = true;
	return sizeof(record);
}

/* What is in the middle of a call when its time is over is not lost. */
static void cut_calls(void)
{
	lockdep_assert_held(&reader);
	if (cut)
		return;
	/* Hooks that did not see yet that it is are done. */
	tracepoint_synchronize_unregister();
	tl_sync_threads_walk(tl_sync_call_cut);
	cut = true;
}

static ssize_t on_read(struct file *file, char __user *to, size_t room, loff_t *offset)
{
	/* Asked before: what is in the rings then, is all. */
	bool over = is_over();
	ssize_t got;

	mutex_lock(&reader);
	got = tl_sync_ring_read(to, room);
	if (!got && over) {
		cut_calls();
		got = tl_sync_ring_read(to, room);
	}
	if (!got)
		got = over ? read_end(to, room) : -EAGAIN;
	mutex_unlock(&reader);
	return got;
}

static long on_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (cmd != TIERLENS_SYNC_STOP)
		return -ENOTTY;
	WRITE_ONCE(until_ns, 0);
	return 0;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.read = on_read,
	.unlocked_ioctl = on_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.release = on_release,
	.llseek = noop_llseek,
};

/* Context: process. Return: the file whose last close ends it, or an ERR_PTR(). */
static struct file *start(const struct tl_sync_ask *ask, struct netlink_ext_ack *extack)
{
	struct file *file;
	int ret;

	lockdep_assert_held(&lock);
	if (running) {
		NL_SET_ERR_MSG(extack, "another recording runs: end it first");
		return ERR_PTR(-EBUSY);
	}
	ret = begin(ask, extack);
	if (ret)
		return ERR_PTR(ret);
	file = anon_inode_getfile("[tierlens-sync]", &operations, NULL, O_RDONLY);
	if (IS_ERR(file))
		end();
	else
		running = true;
	return file;
}

/**
 * tl_sync_start() - Begin to record
 * @ask: whose sync points, checked for its bounds
 * @extack: told why not
 *
 * Context: process.
 * Return: the file that records are read from; the recording ends when it is released. Or
 * -EBUSY, -ESRCH, -ENOMEM, or the kernel's error in arming hooks.
 */
struct file *tl_sync_start(const struct tl_sync_ask *ask, struct netlink_ext_ack *extack)
{
	struct file *file;

	mutex_lock(&lock);
	file = start(ask, extack);
	mutex_unlock(&lock);
	return file;
}
