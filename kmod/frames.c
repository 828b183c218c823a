// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a thread is in functions that are probed
 *
 * A function's entry puts a frame on the thread's own stack of frames, its return takes that off
 * again, and tells what the call took.
 *
 * A frame remembers where the thread's stack was. Who enters a function above that has left
 * what was below without a return (a jump, an exception): such calls are counted as lost.
 * So are those that are too deep, and returns of what was entered before it was probed.
 * Where the stack is the same, one has jumped to the other as its last act, and they return
 * at once, one after the other; or the first was left, and the second came in its place. Which
 * it is, is known when the second has returned: the first does so next, or never. Where two
 * tiers have the same place probed, each has a frame of its own there, and the one that was put
 * on first is taken off first.
 *
 * A thread that goes on with another stack must not be probed at returns, see stack.c.
 */
#include <linux/atomic.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "compat/uprobe.h"
#include "frames.h"
#include "lock.h"
#include "memory.h"
#include "shard.h"
#include "stack.h"
#include "track-who.h"
#include "usage.h"

#define DEPTH 24 /* functions that a thread is in at once */
#define POOL_LOW 16

/* Of a thread, which others look at only to let that go, see let_go(). */
struct tl_frames {
	struct tl_pool_item item;
	raw_spinlock_t lock; /* protects the rest; the thread reads home without it */
	struct tl_stack home; /* that the thread was met on first */
	unsigned int depth;
	bool in_doubt; /* the last one returns next, or was left */
	struct frame {
		struct tl_function_key function;
		bool inner; /* the same function is below */
		unsigned long stack;
		unsigned long caller; /* where it returns to; 0: not known */
		u64 began_ns;
		u64 below_ns; /* in functions that this one has called */
		u64 began_cpu_ns;
	} frames[DEPTH];
};

static struct tl_pool pool;

/* ---- calls whose return was not seen -------------------------------------------------- */

/* By place: a thread may be in a function that is no more. */
static struct {
	u32 id; /* of the function there */
	atomic64_t calls;
} lost[TIERLENS_FUNCTIONS_MAX];

/**
 * tl_frames_lose() - A call more of which nothing is known
 * @function: that was called; if another one is in its place by now, nobody's
 *
 * Context: any.
 */
void tl_frames_lose(struct tl_function_key function)
{
	if (READ_ONCE(lost[function.place].id) == function.id)
		atomic64_inc(&lost[function.place].calls);
}

/* A function comes to its place. Context: process; one at a time. */
void tl_frames_lost_begin(struct tl_function_key function)
{
	atomic64_set(&lost[function.place].calls, 0);
	WRITE_ONCE(lost[function.place].id, function.id);
}

/* Context: any. Return: how many calls the function at a place has lost. */
u64 tl_frames_lost(unsigned int place)
{
	return atomic64_read(&lost[place].calls);
}

/* ---- frames come and go ---------------------------------------------------------------- */

static struct frame *top_of(struct tl_frames *f)
{
	return f->depth ? &f->frames[f->depth - 1] : NULL;
}

/* The last one was left without a return. What it has called has been for who called it. */
static void drop_top(struct tl_frames *f)
{
	const struct frame *left = top_of(f);

	f->depth--;
	if (f->depth)
		top_of(f)->below_ns += left->below_ns;
	tl_frames_lose(left->function);
}

/* All that lie where the last one does. */
static void drop_doubtful(struct tl_frames *f)
{
	unsigned long stack = top_of(f)->stack;

	while (f->depth && top_of(f)->stack == stack)
		drop_top(f);
	f->in_doubt = false;
}

/* What the thread has left before it came to a function. */
static void drop_left(struct tl_frames *f, unsigned long stack)
{
	if (f->in_doubt)
		drop_doubtful(f);
	while (f->depth && top_of(f)->stack < stack)
		drop_top(f);
}

static bool is_in(const struct tl_frames *f, u32 id)
{
	unsigned int i;

	for (i = 0; i < f->depth; i++)
		if (f->frames[i].function.id == id)
			return true;
	return false;
}

/* The function's frame among those that lie where the last one does; NULL if it is none of them. */
static struct frame *there(struct tl_frames *f, u32 id)
{
	unsigned int i = f->depth;

	while (i-- && f->frames[i].stack == top_of(f)->stack)
		if (f->frames[i].function.id == id)
			return &f->frames[i];
	return NULL;
}

static void put_on(struct tl_frames *f, struct tl_function_key function,
		   unsigned long stack, unsigned long caller)
{
	struct frame *frame;

	drop_left(f, stack);
	if (f->depth == DEPTH) {
		tl_frames_lose(function);
		return;
	}
	frame = &f->frames[f->depth];
	frame->function = function;
	frame->inner = is_in(f, function.id);
	frame->stack = stack;
	frame->caller = caller;
	frame->below_ns = 0;
	frame->began_ns = ktime_get_mono_fast_ns();
	frame->began_cpu_ns = tl_usage_cpu_ns(frame->began_ns);
	f->depth++;
}

/**
 * tl_frames_enter() - The current thread enters a function
 * @f: the thread's
 * @function: which
 * @stack: where the thread's stack is
 * @caller: where the function returns to, 0 if that is not known
 *
 * Context: task, interrupts off.
 */
void tl_frames_enter(struct tl_frames *f, struct tl_function_key function,
		     unsigned long stack, unsigned long caller)
{
	lockdep_assert_irqs_disabled();
	tl_spin_lock(&f->lock);
	put_on(f, function, stack, caller);
	tl_spin_unlock(&f->lock);
}

/* Its time is part of the one below, once: when the last frame of the same call goes. */
static void take_off(struct tl_frames *f, struct frame *frame, u64 time_ns)
{
	struct frame *top = top_of(f), *other;

	if (frame == top) {
		f->depth--;
		f->in_doubt = f->depth && top_of(f)->stack == frame->stack;
		if (f->depth)
			top_of(f)->below_ns += time_ns;
		return;
	}
	for (other = frame; other < top; other++)
		*other = other[1];
	f->depth--;
}

/* What it has called, though frames of the same call have counted it. */
static u64 below_of(struct tl_frames *f, const struct frame *frame)
{
	const struct frame *other;
	u64 below_ns = 0;

	for (other = frame; other <= top_of(f); other++)
		below_ns += other->below_ns;
	return below_ns;
}

/* What the call took. One reading of the clock for both: the processor may stand still between. */
static void leave(struct tl_frames *f, struct frame *frame, struct tl_call_sums *sums)
{
	u64 now_ns = ktime_get_mono_fast_ns(), time_ns = tl_since(now_ns, frame->began_ns);

	*sums = (struct tl_call_sums) {
		.count = 1,
		.own_ns = tl_since(time_ns, below_of(f, frame)),
	};
	/* Of one within another, the outer one has all. */
	if (!frame->inner) {
		sums->total_ns = time_ns;
		sums->cpu_ns = tl_since(tl_usage_cpu_ns(now_ns), frame->began_cpu_ns);
	}
	take_off(f, frame, time_ns);
}

static bool find_and_leave(struct tl_frames *f, struct tl_function_key function,
			   unsigned long stack, struct tl_call_sums *sums)
{
	struct frame *frame;

	/* Of a call that was too deep, and lost when it began. */
	if (f->depth == DEPTH && tl_compat_uprobe_entry_stack(stack) < top_of(f)->stack)
		return false;
	if (f->in_doubt && top_of(f)->function.id != function.id)
		drop_doubtful(f);
	if (!is_in(f, function.id)) {
		tl_frames_lose(function);
		return false;
	}
	while (!(frame = there(f, function.id)))
		drop_top(f);
	leave(f, frame, sums);
	return true;
}

/**
 * tl_frames_leave() - The current thread leaves a function
 * @f: the thread's
 * @function: which
 * @stack: where the thread's stack is
 * @sums: filled in: this call alone
 *
 * Context: task, interrupts off.
 * Return: whether its entry was seen; it is lost if not.
 */
bool tl_frames_leave(struct tl_frames *f, struct tl_function_key function,
		     unsigned long stack, struct tl_call_sums *sums)
{
	bool seen;

	lockdep_assert_irqs_disabled();
	tl_spin_lock(&f->lock);
	seen = find_and_leave(f, function, stack, sums);
	tl_spin_unlock(&f->lock);
	return seen;
}

/* ---- threads --------------------------------------------------------------------------- */

static void construct(void *object)
{
	struct tl_frames *f = object;

	raw_spin_lock_init(&f->lock);
}

static struct tl_frames *frames_of(struct tl_task *task)
{
	if (!task->frames)
		task->frames = tl_pool_get(&pool);
	return task->frames;
}

/**
 * tl_frames_own() - What the current thread is in
 *
 * Context: task.
 * Return: it, there until no handler is running any more; NULL if there is no memory left for it.
 */
struct tl_frames *tl_frames_own(void)
{
	struct tl_task *task;
	struct tl_frames *f;
	unsigned long flags;

	local_irq_save(flags);
	task = any_task();
	f = task ? frames_of(task) : NULL;
	local_irq_restore(flags);
	return f;
}

/* A thread goes. Context: interrupts off. */
void tl_frames_forget(struct tl_task *task)
{
	struct tl_frames *f = task->frames;

	if (!f)
		return;
	tl_spin_lock(&f->lock);
	WRITE_ONCE(f->home.mm, NULL);
	f->depth = 0;
	f->in_doubt = false;
	tl_spin_unlock(&f->lock);
	tl_pool_put(&pool, f);
	task->frames = NULL;
}

/* Context: interrupts off. */
static bool is_own(const struct tl_frames *f)
{
	const struct tl_task *task = known_task();

	return task && task->frames == f;
}

/* Return: whether it goes on with the stack that it had, which is known to be there from now on. */
static bool goes_on(struct tl_frames *f, const struct tl_stack *now)
{
	lockdep_assert_irqs_disabled();
	if (!tl_stack_goes_on(&f->home, now))
		return false;
	tl_spin_lock(&f->lock);
	/* What it was in when it began to run another program. */
	while (f->depth && !tl_stack_same_program(&f->home, now))
		drop_top(f);
	if (!f->depth)
		f->in_doubt = false;
	f->home.exec_id = now->exec_id;
	f->home.low = now->low;
	f->home.high = now->high;
	WRITE_ONCE(f->home.mm, now->mm);
	tl_spin_unlock(&f->lock);
	return true;
}

/**
 * tl_frames_at_home() - Whether the current thread goes on with the stack that it had
 * @f: the thread's
 * @stack: where its stack is
 *
 * Context: task, may sleep.
 * Return: it, see stack.c.
 */
bool tl_frames_at_home(struct tl_frames *f, unsigned long stack)
{
	struct tl_stack now;
	unsigned long flags;
	bool home;

	if (likely(tl_stack_has(&f->home, stack)))
		return true;
	if (!tl_stack_look(&now, stack))
		return false;
	local_irq_save(flags);
	/* Who has waited for the mapping may have been forgotten, and its frames be another's. */
	home = !is_own(f) || goes_on(f, &now);
	local_irq_restore(flags);
	return home;
}

/*
 * Return: where the kernel has the thread's functions return to, 0 if they return to who has
 * called them. What is not in memory is brought there.
 */
static unsigned long trampoline_of(struct tl_frames *f)
{
	unsigned long stacks[DEPTH], trampoline = 0, flags;
	unsigned int n, i;

	raw_spin_lock_irqsave(&f->lock, flags);
	n = f->depth;
	for (i = 0; i < n; i++)
		stacks[i] = f->frames[i].stack;
	raw_spin_unlock_irqrestore(&f->lock, flags);
	while (n-- && !trampoline)
		trampoline = tl_stack_trampoline(stacks[n]);
	return trampoline;
}

/*
 * The thread may be running: were it to leave a function and enter another one meanwhile, that
 * would return to who has called the first. It needs the lock for either.
 *
 * What is not in memory does not keep the others from it.
 *
 * Return: 0, or where the stack must be brought to memory first.
 */
static unsigned long give_back(struct tl_frames *f, unsigned long trampoline)
{
	unsigned long missing = 0, flags;
	const struct frame *frame;
	unsigned int i;

	raw_spin_lock_irqsave(&f->lock, flags);
	i = f->home.mm == current->mm ? f->depth : 0;
	/* Who has jumped to another lies where that does, and had the right address. */
	while (i--) {
		frame = &f->frames[i];
		if (!tl_stack_give_back(frame->stack, frame->caller, trampoline))
			missing = frame->stack;
	}
	raw_spin_unlock_irqrestore(&f->lock, flags);
	return missing;
}

static void let_go(void *object, void *arg)
{
	struct tl_frames *f = object;
	unsigned long trampoline, missing;
	unsigned int i;

	if (READ_ONCE(f->home.mm) != current->mm)
		return;
	trampoline = trampoline_of(f);
	missing = trampoline ? give_back(f, trampoline) : 0;
	for (i = 0; missing && i < TL_STACK_BRING_MAX; i++) {
		tl_stack_bring(missing);
		missing = give_back(f, trampoline);
	}
}

/**
 * tl_frames_let_go() - Let what threads of this process are in return as if nobody had looked
 *
 * A thread may do so in another one, whom the kernel would end for that.
 *
 * Context: task, may sleep.
 */
void tl_frames_let_go(void)
{
	tl_pool_for_each(&pool, let_go, NULL);
}

int tl_frames_init(void)
{
	return tl_pool_init(&pool, "frames", sizeof(struct tl_frames), POOL_LOW, construct);
}

void tl_frames_exit(void)
{
	tl_pool_exit(&pool);
}
