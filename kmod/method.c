// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which functions are probed
 *
 * A program that goes on with other stacks (coroutines) must not be probed at returns, see
 * stack.c: at the first sign of it all functions of the program are let go at once, and the tier
 * has no others probed any more.
 *
 * What is probed is bound to its tier's level: who lowers that ends it, see level.c.
 *
 * To have a function probed, or probed no more, the kernel waits for programs, and one of them
 * may have it wait for ever: since 6.12 one that is in any probe, before that in the same one.
 * So each function has a work item that changes its traps, and one work item waits for handlers
 * of those that have theirs off. Who has asked waits until all is done, but not longer than
 * PATIENCE. A function that nobody asks for any more is "leaving" until then: it keeps its place
 * and its files, and counts nothing.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "frames.h"
#include "function.h"
#include "method.h"
#include "tier.h"

#define PATIENCE (10 * HZ) /* a processor under an emulator takes a second */
#define SHORT_PATIENCE HZ

static struct tl_function *functions[TIERLENS_FUNCTIONS_MAX];
static u32 last_id;
static u32 last_call; /* of those that have functions leave */
static atomic_t probed = ATOMIC_INIT(0); /* so many are */

/* Protects functions, last_id, last_call, and who leaves. Nobody waits for programs inside it. */
static DEFINE_MUTEX(lock);
/* Who changes a place in functions holds it, too: others look at all of them without waiting. */
static DEFINE_RAW_SPINLOCK(places);
static struct workqueue_struct *workers;
static DECLARE_WAIT_QUEUE_HEAD(settled); /* one has come, or is gone */
static LLIST_HEAD(unhooked); /* whose handlers may be running */
static void end_unhooked(struct work_struct *work);
static DECLARE_WORK(end_work, end_unhooked);

/* ---- asked for by handlers ------------------------------------------------------------- */

/**
 * tl_method_drop_soon() - Take a function's traps off, wherever they are
 * @function: that is dropped, and whose handler is running
 *
 * Context: task. It stays in the table, so that it can be asked which, and why.
 */
void tl_method_drop_soon(struct tl_function *function)
{
	queue_work(workers, &function->work);
}

static void let_go(struct tl_function *function)
{
	lockdep_assert_held(&places);
	WRITE_ONCE(function->state, TIERLENS_FUNCTION_STATE_STACKS);
	if (tl_function_leaves(function))
		return;
	/* If the tier just goes, that may be the next one at its place: it stays unprobed. */
	WRITE_ONCE(tl_tier_at(function->tier)->switches_stacks, true);
	tl_method_drop_soon(function);
}

/**
 * tl_method_let_program_go() - A program was met on another stack
 * @met: one of its functions, whose handler is running; all are let go
 *
 * Context: task.
 */
void tl_method_let_program_go(struct tl_function *met)
{
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&places, flags);
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		if (functions[i] && file_inode(functions[i]->program) == file_inode(met->program))
			let_go(functions[i]);
	raw_spin_unlock_irqrestore(&places, flags);
}

/* ---- come and go ------------------------------------------------------------------------ */

static void come(struct tl_function *function)
{
	bool dropped = tl_function_is_dropped(function);

	function->error = dropped ? -EOPNOTSUPP : tl_function_probe(function);
	if (!function->error) {
		function->hooked = true;
		function->probed = true;
		atomic_inc(&probed);
	}
	/* Who sees it sees the error: pairs with the acquire in await_probed(). */
	smp_store_release(&function->came, true);
	wake_up_all(&settled);
}

/* Handlers may still be running. */
static void unhook(struct tl_function *function)
{
	tl_function_unhook(function);
	WRITE_ONCE(function->hooked, false);
	llist_add(&function->ended, &unhooked);
	queue_work(workers, &end_work);
}

/* One waits for the handlers of all. */
static void end_unhooked(struct work_struct *work)
{
	struct llist_node *ended = llist_del_all(&unhooked);
	struct tl_function *function, *next;
	unsigned long flags;

	tl_compat_uprobes_wait();
	llist_for_each_entry_safe(function, next, ended, ended) {
		atomic_dec(&probed);
		raw_spin_lock_irqsave(&places, flags);
		function->probed = false;
		queue_work(workers, &function->work);
		raw_spin_unlock_irqrestore(&places, flags);
	}
}

/* Return: whether it has left, and nobody has it. */
static bool has_left(struct tl_function *function)
{
	unsigned long flags;
	bool left;

	mutex_lock(&lock);
	raw_spin_lock_irqsave(&places, flags);
	/*
	 * Its own handlers are done, and who else asks for its work item does so with one of these
	 * locks: nobody will again.
	 */
	left = tl_function_leaves(function) && !function->probed &&
	       !work_pending(&function->work);
	if (left) {
		/* Who unloads waits for this work item all the same. */
		if (function->holds)
			module_put(THIS_MODULE);
		functions[function->key.place] = NULL;
	}
	raw_spin_unlock_irqrestore(&places, flags);
	mutex_unlock(&lock);
	return left;
}

static void settle(struct work_struct *work)
{
	struct tl_function *function = container_of(work, struct tl_function, work);

	if (!function->came)
		come(function);
	if (function->hooked && tl_function_is_dropped(function))
		unhook(function);
	if (!has_left(function))
		return;
	tl_function_free(function);
	wake_up_all(&settled);
}

/* Those that leave for a call, 0: for any. */
static unsigned int leaving(u32 call)
{
	unsigned int i, n = 0;
	unsigned long flags;
	u32 its;

	raw_spin_lock_irqsave(&places, flags);
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		its = functions[i] ? READ_ONCE(functions[i]->leaving) : 0;
		n += its && (!call || its == call);
	}
	raw_spin_unlock_irqrestore(&places, flags);
	return n;
}

/* Until they are gone; but nobody's time is spent twice on a program that holds some up. */
static void await_leaving(u32 call)
{
	bool held_up = leaving(0) > leaving(call);

	if (wait_event_timeout(settled, !leaving(call), held_up ? SHORT_PATIENCE : PATIENCE))
		return;
	/* Handlers of those that stay, which have not seen it, are done with what they count. */
	synchronize_rcu();
}

static void leave(struct tl_function *function, u32 call)
{
	lockdep_assert_held(&lock);
	/* Who unloads the module then is told that it is in use; who does so already waits. */
	function->holds = try_module_get(THIS_MODULE);
	WRITE_ONCE(function->leaving, call);
	queue_work(workers, &function->work);
}

static u32 next_call(void)
{
	lockdep_assert_held(&lock);
	return ++last_call ? last_call : ++last_call;
}

static bool is_same(const struct tl_function *function, u32 tier, const struct tl_method_ask *ask)
{
	return function->tier == tier && function->uprobe.offset == ask->offset &&
	       file_inode(function->file) == file_inode(ask->file) &&
	       file_inode(function->program) == file_inode(ask->program);
}

/* What leaves and has no trap any more only waits for handlers: another one may come. */
static bool is_there(const struct tl_function *function)
{
	return !tl_function_leaves(function) || !READ_ONCE(function->came) ||
	       READ_ONCE(function->hooked);
}

static int refuse_same(const struct tl_function *function, struct netlink_ext_ack *extack)
{
	if (!tl_function_leaves(function)) {
		NL_SET_ERR_MSG(extack, "that function is probed already");
		return -EEXIST;
	}
	NL_SET_ERR_MSG(extack,
		       "that function has not left yet, for a program holds its probe up: end that one, or wait");
	return -EAGAIN;
}

static int refuse_more(struct netlink_ext_ack *extack)
{
	if (!leaving(0))
		NL_SET_ERR_MSG(extack,
			       "256 functions are probed, which is the most: delete one first");
	else
		NL_SET_ERR_MSG(extack,
			       "256 functions are probed, or have not left yet, which is the most: a program holds some up, end that one");
	return -ENOSPC;
}

/* Return: a free place, or an ERR_PTR(). */
static struct tl_function **place_for(const struct tl_method_ask *ask, u32 tier,
				      struct netlink_ext_ack *extack)
{
	struct tl_function **place = NULL;
	unsigned int i;

	lockdep_assert_held(&lock);
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (!functions[i] && !place)
			place = &functions[i];
		if (functions[i] && is_there(functions[i]) && is_same(functions[i], tier, ask))
			return ERR_PTR(refuse_same(functions[i], extack));
	}
	return place ? place : ERR_PTR(refuse_more(extack));
}

static int check_stacks(const struct tl_tier *tier, struct netlink_ext_ack *extack)
{
	if (!READ_ONCE(tier->switches_stacks))
		return 0;
	NL_SET_ERR_MSG(extack,
		       "the tier's program goes on with stacks of its own (coroutines), which probes at returns would break: level server shows its calls");
	return -EOPNOTSUPP;
}

/* Return: it, at its place, on its way to be probed; or an ERR_PTR(). */
static struct tl_function *begin(const struct tl_method_ask *ask, const struct tl_tier *tier,
				 struct netlink_ext_ack *extack)
{
	struct tl_function **place = place_for(ask, tier->id, extack), *function;
	unsigned long flags;

	lockdep_assert_held(&lock);
	if (IS_ERR(place))
		return ERR_CAST(place);
	function = tl_function_new(ask, tier->id);
	if (!function) {
		NL_SET_ERR_MSG(extack, "memory is at its cap: raise that, or delete a function");
		return ERR_PTR(-ENOMEM);
	}
	function->key = (struct tl_function_key){ ++last_id, place - functions };
	INIT_WORK(&function->work, settle);
	tl_frames_lost_begin(function->key);
	raw_spin_lock_irqsave(&places, flags);
	*place = function;
	raw_spin_unlock_irqrestore(&places, flags);
	/* Who lets the program go has said so, or finds it at its place. */
	if (READ_ONCE(tier->switches_stacks))
		WRITE_ONCE(function->state, TIERLENS_FUNCTION_STATE_STACKS);
	queue_work(workers, &function->work);
	return function;
}

static int await_probed(struct tl_function *function, const struct tl_tier *tier,
			struct netlink_ext_ack *extack)
{
	/* Pairs with the release in come(). */
	if (!wait_event_timeout(settled, smp_load_acquire(&function->came), PATIENCE)) {
		NL_SET_ERR_MSG(extack,
			       "the kernel cannot probe that function now, for a program holds it up: end that one, or choose another function");
		return -ETIMEDOUT;
	}
	if (!function->error)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "the kernel refuses to probe that function (the error says why): choose another one, or check that the file has one there");
	/* Or it was not asked to. */
	check_stacks(tier, extack);
	return function->error;
}

static int add(const struct tl_method_ask *ask, const struct tl_tier *tier, u32 *id,
	       struct netlink_ext_ack *extack)
{
	struct tl_function *function;
	u32 call;
	int ret;

	mutex_lock(&lock);
	function = begin(ask, tier, extack);
	mutex_unlock(&lock);
	if (IS_ERR(function))
		return PTR_ERR(function);
	/* Nobody has it leave meanwhile: that takes control.c's lock, too. */
	ret = await_probed(function, tier, extack);
	*id = function->key.id;
	if (!ret)
		return 0;
	mutex_lock(&lock);
	call = next_call();
	leave(function, call);
	mutex_unlock(&lock);
	await_leaving(call);
	return ret;
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
 * Return: 0; -ENOENT, -EINVAL, -EEXIST, -ENOSPC, -ENOMEM, -EOPNOTSUPP; -EAGAIN if it still leaves,
 * -ETIMEDOUT if a program holds it up; or the kernel's error.
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
	return ret ? ret : add(ask, tier, id, extack);
}

/* Those of a tier (0: of all), of them that with an id (0: all). Return: how many there were. */
static unsigned int forget(u32 tier, u32 id)
{
	unsigned int i, n = 0;
	u32 call;

	mutex_lock(&lock);
	call = next_call();
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		struct tl_function *function = functions[i];

		if (!function || (tier && function->tier != tier) ||
		    (id && function->key.id != id))
			continue;
		n++;
		if (!tl_function_leaves(function))
			leave(function, call);
	}
	mutex_unlock(&lock);
	await_leaving(call);
	return n;
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
 * Context: process, may sleep; control.c's lock is held. When it returns, none of their handlers
 * counts anything any more. All have returned as well, unless a program holds one up.
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

/* All are forgotten: wait for their handlers, for as long as programs hold them up. */
void tl_method_wait(void)
{
	wait_event_idle(settled, !leaving(0));
}

/* How many are probed. Does not wait for one that comes or goes. Context: any. */
unsigned int tl_method_count(void)
{
	return atomic_read(&probed);
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
	const struct tl_function *function;

	if (i >= ARRAY_SIZE(functions))
		return false;
	memset(view, 0, sizeof(*view));
	mutex_lock(&lock);
	function = functions[i];
	if (function) {
		view->id = function->key.id;
		/* Its tier may be gone, and another one in its place. */
		if (tl_function_leaves(function))
			strscpy(view->tier, function->tier_name, sizeof(view->tier));
		else
			tl_tier_name(function->tier, view->tier);
		strscpy(view->name, function->name, sizeof(view->name));
		view->offset = function->uprobe.offset;
		view->state = tl_function_leaves(function) ? TIERLENS_FUNCTION_STATE_LEAVING :
							     READ_ONCE(function->state);
		view->rate_max = function->rate_max;
		view->hits = atomic64_read(&function->hits);
		view->lost = tl_frames_lost(i);
	}
	mutex_unlock(&lock);
	return true;
}

int tl_method_init(void)
{
	/* Before 6.12 each may be held up by a program, and is to hold up no other. */
	workers = alloc_workqueue("tierlens", WQ_UNBOUND, WQ_MAX_ACTIVE);
	return workers ? 0 : -ENOMEM;
}

void tl_method_exit(void)
{
	destroy_workqueue(workers);
}
