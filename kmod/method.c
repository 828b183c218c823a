// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of a tier's program
 *
 * Each is probed where it is in its file, in the memory of processes that run the tier's
 * program. Entries and returns are put together in the thread's frames, see frames.c; a call that
 * has returned is added to the sums of the function and of the class of the request that the
 * thread works on. Nothing else leaves the kernel.
 *
 * A program that goes on with other stacks (coroutines) must not be probed at returns, see
 * stack.c: at the first sign of it all functions of the program are let go at once, and the tier
 * has no others probed any more.
 *
 * A trap costs as much as thousands of instructions, so each function has a rate: one that
 * is called more often is told to be too hot, takes its traps off at once, wherever it is
 * called, and is probed no longer.
 *
 * What is probed is bound to its tier's level: who lowers that ends it, see level.c.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "compat/uprobe.h"
#include "cost.h"
#include "frames.h"
#include "memory.h"
#include "method.h"
#include "shard.h"
#include "stack.h"
#include "tier.h"
#include "track-who.h"

#define RATE_MAX 20000 /* entries a second: at a few microseconds each, some percent */

struct function {
	struct tl_function_key key;
	u32 tier;
	char name[TIERLENS_FUNCTION_NAME_MAX + 1];
	struct file *file; /* held, so that its file system stays */
	struct file *program; /* the same */
	struct tl_compat_uprobe uprobe;
	bool probed; /* under lock */
	u32 rate_max;
	u8 state; /* enum tierlens_function_state */
	atomic64_t hits;
	unsigned long second; /* that the next counts for */
	atomic_t in_second;
};

static struct function *functions[TIERLENS_FUNCTIONS_MAX];
static u32 last_id;
static unsigned int probed; /* so many are; may be read without the lock */

static DEFINE_MUTEX(lock); /* protects functions, last_id, and what of them is not atomic */
/* Who changes a place in functions holds it, too, so that handlers may look at all of them. */
static DEFINE_RAW_SPINLOCK(places);
static struct work_struct drop_work;

/* ---- in the tier's processes -------------------------------------------------------- */

static bool is_dropped(const struct function *function)
{
	return READ_ONCE(function->state) != TIERLENS_FUNCTION_STATE_PROBED;
}

static bool is_let_go(const struct function *function)
{
	return READ_ONCE(function->state) == TIERLENS_FUNCTION_STATE_STACKS;
}

static void drop_soon(void)
{
	queue_work(system_unbound_wq, &drop_work);
}

static void let_go(struct function *function)
{
	lockdep_assert_held(&places);
	WRITE_ONCE(function->state, TIERLENS_FUNCTION_STATE_STACKS);
	/* If the tier just goes, that may be the next one at its place: it stays unprobed. */
	WRITE_ONCE(tl_tier_at(function->tier)->switches_stacks, true);
}

/* If one function of a program was met on another stack, all are let go. */
static void let_program_go(struct function *met)
{
	unsigned long flags;
	unsigned int i;

	/* It may have been forgotten just now. */
	WRITE_ONCE(met->state, TIERLENS_FUNCTION_STATE_STACKS);
	raw_spin_lock_irqsave(&places, flags);
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		if (functions[i] && file_inode(functions[i]->program) == file_inode(met->program))
			let_go(functions[i]);
	raw_spin_unlock_irqrestore(&places, flags);
	drop_soon();
}

/* Return: whether it is called more often than it may. */
static bool is_hot(struct function *function)
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
	drop_soon();
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

static void deposit(const struct function *function, const struct tl_task *task,
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
static bool runs_it(const struct function *function, const struct mm_struct *mm)
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
static int give_up(const struct function *function)
{
	if (is_let_go(function))
		tl_frames_let_go();
	return UPROBE_HANDLER_REMOVE;
}

/* Context: task, may sleep. */
static int on_enter(TL_UPROBE_ENTER)
{
	struct function *function = container_of(consumer, struct function, uprobe.consumer);
	unsigned long stack = user_stack_pointer(regs), caller, flags;
	struct tl_frames *frames;
	u64 began;

	/* Else the return would be taken for this one, too. Who wants the trap itself keeps it. */
	if (!runs_it(function, current->mm))
		return UPROBE_HANDLER_REMOVE;
	atomic64_inc(&function->hits);
	if (unlikely(is_dropped(function) || is_hot(function)))
		return give_up(function);
	if (!has_requests())
		return 0;
	/* Nothing was entered yet that could not be given back. */
	if (unlikely(tl_stack_has_shadow())) {
		let_program_go(function);
		return give_up(function);
	}
	frames = tl_frames_own();
	if (!frames) {
		tl_frames_lose(function->key);
		return TL_UPROBE_NO_RETURN;
	}
	if (unlikely(!tl_frames_at_home(frames, stack))) {
		let_program_go(function);
		return give_up(function);
	}
	/* An older kernel waits for it anyway, to put its own address there. */
	if (unlikely(!tl_stack_caller(stack, !TL_UPROBE_NO_RETURN, &caller))) {
		tl_frames_lose(function->key);
		return TL_UPROBE_NO_RETURN;
	}
	local_irq_save(flags);
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
	struct function *function = container_of(consumer, struct function, uprobe.consumer);
	unsigned long stack = user_stack_pointer(regs), flags;
	struct tl_call_sums sums;
	struct tl_task *task;
	u64 began;

	if (!has_requests() || !runs_it(function, current->mm))
		return 0;
	local_irq_save(flags);
	began = tl_cost_begin(TL_COST_FUNCTION);
	task = known_task();
	if (!task || !task->frames)
		tl_frames_lose(function->key);
	else if (tl_frames_leave(task->frames, function->key, stack, &sums))
		deposit(function, task, &sums);
	tl_cost_end(TL_COST_FUNCTION, NULL, began);
	local_irq_restore(flags);
	return 0;
}

/* Of a process, also one that begins later, what counts is which program it runs. */
static bool wants(TL_UPROBE_FILTER)
{
	const struct function *function = container_of(consumer, struct function,
						       uprobe.consumer);

	return !is_dropped(function) && runs_it(function, mm);
}

/* ---- what is probed ------------------------------------------------------------------ */

static void probe_end(struct function *function)
{
	lockdep_assert_held(&lock);
	if (!function->probed)
		return;
	tl_compat_uprobe_del(&function->uprobe);
	function->probed = false;
	WRITE_ONCE(probed, probed - 1);
}

/* Those that are dropped stay in the table, so that it can be asked which, and why. */
static void drop_probes(struct work_struct *work)
{
	unsigned int i;

	mutex_lock(&lock);
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		if (functions[i] && is_dropped(functions[i]))
			probe_end(functions[i]);
	tl_compat_uprobes_wait();
	mutex_unlock(&lock);
}

static void put(struct function **place, struct function *function)
{
	unsigned long flags;

	lockdep_assert_held(&lock);
	raw_spin_lock_irqsave(&places, flags);
	*place = function;
	raw_spin_unlock_irqrestore(&places, flags);
}

static int probe_begin(struct function *function, struct netlink_ext_ack *extack)
{
	int ret;

	lockdep_assert_held(&lock);
	/* Of an overlay, what is mapped is the file below. */
	function->uprobe.inode = d_real_inode(function->file->f_path.dentry);
	function->uprobe.consumer = (struct uprobe_consumer) {
		.handler = on_enter,
		.ret_handler = on_leave,
		.filter = wants,
	};
	ret = tl_compat_uprobe_add(&function->uprobe);
	if (ret)
		NL_SET_ERR_MSG(extack,
			       "the kernel refuses to probe that function (the error says why): choose another one, or check that the file has one there");
	function->probed = !ret;
	WRITE_ONCE(probed, probed + !ret);
	return ret;
}

static void function_free(struct function *function)
{
	if (function->file)
		fput(function->file);
	if (function->program)
		fput(function->program);
	tl_memory_free(function, sizeof(*function));
}

static struct function *function_new(const struct tl_method_ask *ask, u32 tier)
{
	struct function *function = tl_memory_zalloc(sizeof(*function));

	if (!function)
		return NULL;
	function->key.id = ++last_id;
	function->tier = tier;
	strscpy(function->name, ask->name, sizeof(function->name));
	function->file = get_file(ask->file);
	function->program = get_file(ask->program);
	function->uprobe.offset = ask->offset;
	function->rate_max = ask->rate_max ? ask->rate_max : RATE_MAX;
	return function;
}

static bool is_same(const struct function *function, u32 tier, const struct tl_method_ask *ask)
{
	return function->tier == tier && function->uprobe.offset == ask->offset &&
	       file_inode(function->file) == file_inode(ask->file) &&
	       file_inode(function->program) == file_inode(ask->program);
}

/* Return: a free place, or an ERR_PTR(). */
static struct function **place_for(const struct tl_method_ask *ask, u32 tier,
				   struct netlink_ext_ack *extack)
{
	struct function **place = NULL;
	unsigned int i;

	lockdep_assert_held(&lock);
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (!functions[i] && !place)
			place = &functions[i];
		if (functions[i] && is_same(functions[i], tier, ask)) {
			NL_SET_ERR_MSG(extack, "that function is probed already");
			return ERR_PTR(-EEXIST);
		}
	}
	if (place)
		return place;
	NL_SET_ERR_MSG(extack, "256 functions are probed, which is the most: delete one first");
	return ERR_PTR(-ENOSPC);
}

static int check_stacks(const struct tl_tier *tier, struct netlink_ext_ack *extack)
{
	if (!READ_ONCE(tier->switches_stacks))
		return 0;
	NL_SET_ERR_MSG(extack,
		       "the tier's program goes on with stacks of its own (coroutines), which probes at returns would break: level server shows its calls");
	return -EOPNOTSUPP;
}

static int add(const struct tl_method_ask *ask, const struct tl_tier *tier, u32 *id,
	       struct netlink_ext_ack *extack)
{
	struct function **place = place_for(ask, tier->id, extack), *function;
	int ret;

	if (IS_ERR(place))
		return PTR_ERR(place);
	function = function_new(ask, tier->id);
	if (!function) {
		NL_SET_ERR_MSG(extack, "memory is at its cap: raise that, or delete a function");
		return -ENOMEM;
	}
	function->key.place = place - functions;
	tl_frames_lost_begin(function->key);
	/* Who lets the program go has said so, or finds it at its place. */
	put(place, function);
	ret = check_stacks(tier, extack);
	if (!ret)
		ret = probe_begin(function, extack);
	if (ret) {
		put(place, NULL);
		function_free(function);
		return ret;
	}
	*id = function->key.id;
	return 0;
}

static int check_files(const struct tl_method_ask *ask, struct netlink_ext_ack *extack)
{
	const struct inode *inode = d_real_inode(ask->file->f_path.dentry);

	if (!S_ISREG(file_inode(ask->file)->i_mode) ||
	    !S_ISREG(file_inode(ask->program)->i_mode)) {
		NL_SET_ERR_MSG(extack,
			       "what the function is in, or its program, is no file of a disk");
		return -EINVAL;
	}
	if (ask->offset >= (u64)i_size_read(inode)) {
		NL_SET_ERR_MSG(extack,
			       "the function lies behind the end of its file: give the offset in the file, not an address");
		return -EINVAL;
	}
	return 0;
}

/**
 * tl_method_add() - Probe one more function
 * @ask: which
 * @id: set to its number
 * @extack: told why not
 *
 * Context: process; control.c's lock is held.
 * Return: 0; -ENOENT, -EINVAL, -EEXIST, -ENOSPC, -ENOMEM, -EOPNOTSUPP; or the kernel's error.
 */
int tl_method_add(const struct tl_method_ask *ask, u32 *id, struct netlink_ext_ack *extack)
{
	const struct tl_tier *tier = tl_tier_named(ask->tier);
	int ret;

	if (!tier) {
		NL_SET_ERR_MSG(extack, "no tier has that name: see the list of tiers");
		return -ENOENT;
	}
	if (tier->level != TIERLENS_LEVEL_METHOD) {
		NL_SET_ERR_MSG(extack,
			       "the tier is not at level method: set that first (tierlens level TIER method)");
		return -EINVAL;
	}
	ret = check_stacks(tier, extack);
	if (!ret)
		ret = check_files(ask, extack);
	if (ret)
		return ret;
	mutex_lock(&lock);
	ret = add(ask, tier, id, extack);
	mutex_unlock(&lock);
	return ret;
}

/* Those of a tier (0: of all), and of them that with an id (0: all). */
static unsigned int forget(u32 tier, u32 id)
{
	struct function *gone[16];
	unsigned int i, n = 0, all = 0;

	mutex_lock(&lock);
	do {
		n = 0;
		for (i = 0; i < ARRAY_SIZE(functions) && n < ARRAY_SIZE(gone); i++) {
			struct function *function = functions[i];

			if (!function || (tier && function->tier != tier) ||
			    (id && function->key.id != id))
				continue;
			probe_end(function);
			gone[n++] = function;
			put(&functions[i], NULL);
		}
		if (n)
			tl_compat_uprobes_wait();
		for (i = 0; i < n; i++)
			function_free(gone[i]);
		all += n;
	} while (n);
	mutex_unlock(&lock);
	return all;
}

/**
 * tl_method_del() - Probe a function no longer
 * @tier: name of its tier
 * @id: its number; 0: all of the tier
 * @extack: told why not
 *
 * Context: process; control.c's lock is held.
 * Return: 0 or -ENOENT.
 */
int tl_method_del(const char *tier, u32 id, struct netlink_ext_ack *extack)
{
	const struct tl_tier *found = tl_tier_named(tier);

	if (!found) {
		NL_SET_ERR_MSG(extack, "no tier has that name: see the list of tiers");
		return -ENOENT;
	}
	if (!forget(found->id, id) && id) {
		NL_SET_ERR_MSG(extack, "no function of that tier has that number: see their list");
		return -ENOENT;
	}
	return 0;
}

/**
 * tl_method_forget() - Probe no function of a tier any more
 * @tier: its number
 *
 * Context: process, may sleep. When it returns, none of their handlers is running.
 */
void tl_method_forget(u32 tier)
{
	forget(tier, 0);
}

/* The same of all tiers. */
void tl_method_forget_all(void)
{
	forget(0, 0);
}

/* How many are probed. Does not wait for one that comes or goes. Context: any. */
unsigned int tl_method_count(void)
{
	return READ_ONCE(probed);
}

/**
 * tl_method_get() - Look at the function at a place
 * @i: the place
 * @view: filled
 *
 * Context: process.
 * Return: false if there is no such place.
 */
bool tl_method_get(unsigned int i, struct tl_method_view *view)
{
	const struct function *function;

	if (i >= ARRAY_SIZE(functions))
		return false;
	memset(view, 0, sizeof(*view));
	mutex_lock(&lock);
	function = functions[i];
	if (function) {
		view->id = function->key.id;
		view->tier = function->tier;
		strscpy(view->name, function->name, sizeof(view->name));
		view->offset = function->uprobe.offset;
		view->state = READ_ONCE(function->state);
		view->rate_max = function->rate_max;
		view->hits = atomic64_read(&function->hits);
		view->lost = tl_frames_lost(i);
	}
	mutex_unlock(&lock);
	return true;
}

int tl_method_init(void)
{
	INIT_WORK(&drop_work, drop_probes);
	return 0;
}

void tl_method_exit(void)
{
	tl_method_forget_all();
	cancel_work_sync(&drop_work);
}
