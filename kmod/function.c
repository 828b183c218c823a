// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function of a tier's program
 *
 * It is probed where it is in its file, in the memory of processes that run the tier's
 * program. Entries and returns are put together in the thread's frames, see frames.c; a call that
 * has returned is added to the sums of the function and of the class of the request that the
 * thread works on. Nothing else leaves the kernel.
 *
 * A trap costs as much as thousands of instructions, so each function has a rate: one that
 * is called more often is told to be too hot, takes its traps off at once, wherever it is
 * called, and is probed no longer.
 *
 * A handler may wait for its process (for a mapping, or a page of a stack), as the kernel does on
 * its way here. What it has found before that may be another one's after it, unless it looks again
 * whether the function is still to be probed, with interrupts off: see method.c.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "cost.h"
#include "function.h"
#include "memory.h"
#include "method.h"
#include "shard.h"
#include "stack.h"
#include "track-who.h"

#define RATE_MAX 20000 /* entries a second: at a few microseconds each, some percent */

/* ---- in the tier's processes -------------------------------------------------------- */

static bool is_let_go(const struct tl_function *function)
{
	return READ_ONCE(function->state) == TIERLENS_FUNCTION_STATE_STACKS;
}

/* Return: whether it is called more often than it may. */
static bool is_hot(struct tl_function *function)
{
	unsigned long second = jiffies / HZ;

	if (READ_ONCE(function->second) != second) {
		WRITE_ONCE(function->second, second);
		atomic_set(&function->in_second, 0);
	}
	if (atomic_inc_return(&function->in_second) <= function->rate_max)
		return false;
	/* Unless it is let go just now, which counts for more. */
	cmpxchg(&function->state, TIERLENS_FUNCTION_STATE_PROBED, TIERLENS_FUNCTION_STATE_HOT);
	tl_method_drop_soon(function);
	return true;
}

/* Whose request the thread works for: a tier, 0 if it is none's, or not known yet. */
static u32 works_for(const struct tl_task *task, u32 *class)
{
	const struct tl_request_ref *now = &task->thread.current_request;
	const struct tl_request *request = now->request;

	/* A hint without a lock: its storage stays a request's. It may just have ended. */
	if (!request || READ_ONCE(request->seq) != now->seq)
		return 0;
	*class = READ_ONCE(request->class);
	return READ_ONCE(request->tier);
}

static void deposit(const struct tl_function *function, const struct tl_task *task,
		    const struct tl_call_sums *sums)
{
	struct tl_call_key key = { .function = function->key.id, .tier = function->tier };
	u32 tier = works_for(task, &key.class);

	key.outside = !tier;
	if (key.outside)
		key.class = 0;
	/* Another tier's, whose processes run the same program, or which the process serves. */
	if (tier ? tier != function->tier :
		   !task->process || READ_ONCE(task->process->tier) != function->tier)
		return;
	tl_shard_deposit_function(&key, function->name, sums);
}

/*
 * Whether a process runs the program that is meant. Of others that run what is in the file we
 * are told, too, where any consumer wants them.
 */
static bool runs_it(const struct tl_function *function, const struct mm_struct *mm)
{
	const struct file *program;
	bool same;

	rcu_read_lock();
	program = rcu_dereference(mm->exe_file);
	/* A file that is just given up is at worst another one's: a trap too many, or too few. */
	same = program && file_inode(program) == file_inode(function->program);
	rcu_read_unlock();
	return same;
}

/*
 * A trap is taken off where it was met. If the program was let go, who did so may have missed what
 * a thread has entered just then: all who meet a trap after that look again.
 */
static int give_up(const struct tl_function *function)
{
	if (is_let_go(function))
		tl_frames_let_go();
	return UPROBE_HANDLER_REMOVE;
}

/*
 * Return: what the thread is in; NULL if there is no memory for it, an ERR_PTR() if the function
 * leaves: threads may be forgotten by then.
 */
static struct tl_frames *own_frames(const struct tl_function *function)
{
	struct tl_frames *frames;
	unsigned long flags;

	local_irq_save(flags);
	frames = tl_function_leaves(function) ? ERR_PTR(-ENOENT) : tl_frames_own();
	local_irq_restore(flags);
	return frames;
}

/* Context: task, may sleep. */
static int on_enter(TL_UPROBE_ENTER)
{
	struct tl_function *function = container_of(consumer, struct tl_function, uprobe.consumer);
	unsigned long stack = user_stack_pointer(regs), caller, flags;
	struct tl_frames *frames;
	u64 began;

	/* Else the return would be taken for this one, too. Who wants the trap itself keeps it. */
	if (!runs_it(function, current->mm))
		return UPROBE_HANDLER_REMOVE;
	atomic64_inc(&function->hits);
	if (unlikely(tl_function_is_dropped(function) || is_hot(function)))
		return give_up(function);
	if (!has_requests())
		return 0;
	/* Nothing was entered yet that could not be given back. */
	if (unlikely(tl_stack_has_shadow())) {
		tl_method_let_program_go(function);
		return give_up(function);
	}
	frames = own_frames(function);
	if (IS_ERR(frames))
		return give_up(function);
	if (!frames) {
		tl_frames_lose(function->key);
		return TL_UPROBE_NO_RETURN;
	}
	if (unlikely(!tl_frames_at_home(frames, stack))) {
		tl_method_let_program_go(function);
		return give_up(function);
	}
	if (unlikely(!tl_stack_caller(stack, &caller))) {
		tl_frames_lose(function->key);
		return TL_UPROBE_NO_STACK;
	}
	local_irq_save(flags);
	/* The frames may be another thread's by now. */
	if (unlikely(tl_function_leaves(function))) {
		local_irq_restore(flags);
		return give_up(function);
	}
	began = tl_cost_begin(TL_COST_FUNCTION);
	tl_frames_enter(frames, function->key, stack, caller);
	tl_cost_end(TL_COST_FUNCTION, NULL, began);
	local_irq_restore(flags);
	/* Who lets the program go has looked before that was there, or finds it. */
	if (unlikely(is_let_go(function)))
		return give_up(function);
	return 0;
}

/* Context: as above. */
static int on_leave(TL_UPROBE_LEAVE)
{
	struct tl_function *function = container_of(consumer, struct tl_function, uprobe.consumer);
	unsigned long stack = user_stack_pointer(regs), flags;
	struct tl_call_sums sums;
	struct tl_task *task;
	u64 began;

	if (!has_requests() || !runs_it(function, current->mm))
		return 0;
	local_irq_save(flags);
	/* What is under way is nobody's any more. */
	if (unlikely(tl_function_leaves(function)))
		goto out;
	began = tl_cost_begin(TL_COST_FUNCTION);
	task = known_task();
	if (!task || !task->frames)
		tl_frames_lose(function->key);
	else if (tl_frames_leave(task->frames, function->key, stack, &sums))
		deposit(function, task, &sums);
	tl_cost_end(TL_COST_FUNCTION, NULL, began);
out:
	local_irq_restore(flags);
	return 0;
}

/* Of a process, also one that begins later, what counts is which program it runs. */
static bool wants(TL_UPROBE_FILTER)
{
	const struct tl_function *function = container_of(consumer, struct tl_function,
						       uprobe.consumer);

	return !tl_function_is_dropped(function) && runs_it(function, mm);
}

/* ---- comes and goes ------------------------------------------------------------------- */

/**
 * tl_function_new() - A function that is not probed yet
 * @ask: which; its files are held from now on
 * @tier: number
 *
 * Context: process.
 * Return: it, without a key; NULL if memory is at its cap.
 */
struct tl_function *tl_function_new(const struct tl_method_ask *ask, u32 tier)
{
	struct tl_function *function = tl_memory_zalloc(sizeof(*function));

	if (!function)
		return NULL;
	function->tier = tier;
	strscpy(function->tier_name, ask->tier, sizeof(function->tier_name));
	strscpy(function->name, ask->name, sizeof(function->name));
	function->file = get_file(ask->file);
	function->program = get_file(ask->program);
	function->uprobe.offset = ask->offset;
	function->rate_max = ask->rate_max ? ask->rate_max : RATE_MAX;
	return function;
}

/* Context: process; it is not probed. */
void tl_function_free(struct tl_function *function)
{
	fput(function->file);
	fput(function->program);
	tl_memory_free(function, sizeof(*function));
}

/**
 * tl_function_probe() - Have a function probed
 * @function: that is not
 *
 * Waits for whoever changes where processes have their files, and before kernel 6.12 for handlers
 * of the same place, which may wait for a program.
 *
 * Context: process, without a lock.
 * Return: 0 or the kernel's error.
 */
int tl_function_probe(struct tl_function *function)
{
	/* Of an overlay, what is mapped is the file below. */
	function->uprobe.inode = d_real_inode(function->file->f_path.dentry);
	function->uprobe.consumer = (struct uprobe_consumer) {
		.handler = on_enter,
		.ret_handler = on_leave,
		.filter = wants,
	};
	return tl_compat_uprobe_add(&function->uprobe);
}

/**
 * tl_function_unhook() - The opposite
 * @function: that is probed
 *
 * Before kernel 6.12 this waits for all handlers, of which one may wait for a program, for as long
 * as that likes.
 *
 * Context: process, without a lock. Handlers may run on until tl_compat_uprobes_wait() returns.
 */
void tl_function_unhook(struct tl_function *function)
{
	tl_compat_uprobe_del(&function->uprobe);
}
