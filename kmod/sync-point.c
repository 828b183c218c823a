// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sync point becomes a record: its number, times, registers and stack
 *
 * Numbers are of one counter. What gives has one before others can see what it gave, and what
 * takes gets one after it has that: so the order of numbers is that of cause and effect.
 *
 * The stack is copied from where the thread's stack pointer is, as far as pages are there:
 * nothing waits for one. It is for user space to make names of it.
 */
#include <linux/atomic.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#if defined(CONFIG_X86_64)
#include <asm/fsgsbase.h>
#endif

#include "run-turn.h"
#include "sync-point.h"
#include "sync-ring.h"
#include "sync-who.h"
#include "usage.h"

#if defined(CONFIG_X86_64)
#define REGISTERS 17
#elif defined(CONFIG_ARM64)
#define REGISTERS 33
#else
#define REGISTERS 0
#endif

#define CPU_UNKNOWN ((u64)-1)

static DEFINE_PER_CPU(struct tl_run_turn, turn);
static atomic64_t numbers;
static u32 stack_max;

/**
 * tl_sync_point_init() - Begin anew
 * @stack: bytes of it in a record at most, 0 for no registers either
 *
 * Context: process; no hook is armed.
 */
void tl_sync_point_init(u32 stack)
{
	int cpu;

	atomic64_set(&numbers, 0);
	stack_max = stack;
	for_each_possible_cpu(cpu)
		per_cpu(turn.task, cpu) = NULL;
}

/* Context: any. */
u64 tl_sync_point_number(void)
{
	return atomic64_inc_return(&numbers);
}

/* The scheduler's tracepoint. Context: the run queue's lock is held. */
void tl_sync_point_switched(void *data, bool preempt, struct task_struct *prev,
			    struct task_struct *next)
{
	tl_run_turn_begin(this_cpu_ptr(&turn), next);
}

/* The last number that was given. Context: any. */
u64 tl_sync_point_last(void)
{
	return atomic64_read(&numbers);
}

/* CPU_UNKNOWN: what the last tick says may be off by more than a sleep is long. */
static u64 cpu_now_ns(void)
{
	const struct tl_run_turn *mine;
	u64 ns;

	preempt_disable();
	mine = this_cpu_ptr(&turn);
	ns = tl_run_turn_is_known(mine) ?
		     tl_run_turn_cpu_ns(mine, ktime_get_mono_fast_ns()) : CPU_UNKNOWN;
	preempt_enable();
	return ns;
}

/*
 * What the current thread has used since a point began, in which it slept. Where it is not
 * known how much it had used at the begin: since it woke up. The scheduler's clock, which what it
 * used before that is of, may be behind ours, which told it at the begin.
 */
static u64 cpu_since(const struct tl_sync_point *point, u64 now_ns)
{
	u64 then_ns = point->began_cpu_ns;

	if (unlikely(then_ns == CPU_UNKNOWN))
		then_ns = this_cpu_ptr(&turn)->run_ns;
	return now_ns > then_ns ? now_ns - then_ns : 0;
}

/**
 * tl_sync_point_begin() - The current thread begins to do something
 * @point: what
 *
 * Context: task.
 */
void tl_sync_point_begin(struct tl_sync_point *point)
{
	point->began_ns = ktime_get_mono_fast_ns();
	point->began_cpu_ns = cpu_now_ns();
	point->switches = current->nvcsw;
}

/* ---- a record ----------------------------------------------------------------------- */

/* In the order of the architecture's DWARF numbers. */
static void registers_copy(u64 *to, const struct pt_regs *regs)
{
#if defined(CONFIG_X86_64)
	to[0] = regs->ax;
	to[1] = regs->dx;
	to[2] = regs->cx;
	to[3] = regs->bx;
	to[4] = regs->si;
	to[5] = regs->di;
	to[6] = regs->bp;
	to[7] = regs->sp;
	to[8] = regs->r8;
	to[9] = regs->r9;
	to[10] = regs->r10;
	to[11] = regs->r11;
	to[12] = regs->r12;
	to[13] = regs->r13;
	to[14] = regs->r14;
	to[15] = regs->r15;
	to[16] = regs->ip;
#elif defined(CONFIG_ARM64)
	memcpy(to, regs->regs, 31 * sizeof(*to));
	to[31] = regs->sp;
	to[32] = regs->pc;
#endif
}

static unsigned long thread_pointer(void)
{
#if defined(CONFIG_X86_64)
	return x86_fsbase_read_cpu();
#elif defined(CONFIG_ARM64)
	return read_sysreg(tpidr_el0);
#else
	return 0;
#endif
}

/*
 * How much of the stack there may be from here on. The first thread's is the last thing in
 * memory; the library has what it knows of another one right above that one's stack, and the
 * thread pointer leads there. Where that is not so it lies elsewhere, and bounds nothing.
 */
static unsigned long stack_bound(unsigned long from)
{
	unsigned long end = thread_pointer();

	if (end <= from || end > TASK_SIZE)
		end = TASK_SIZE;
	return from < end ? end - from : 0;
}

/* What can be had without waiting for a page. */
static u32 stack_copy(void *to, struct pt_regs *regs)
{
	unsigned long from = user_stack_pointer(regs), left;
	unsigned long want = min_t(unsigned long, stack_max, stack_bound(from));

	if (!access_ok((const void __user *)from, want))
		return 0;
	pagefault_disable();
	left = __copy_from_user_inatomic(to, (const void __user *)from, want);
	pagefault_enable();
	return (want - left) & ~7U;
}

static void add_stack(struct tierlens_sync_record *record, struct pt_regs *regs)
{
	u64 *registers = (u64 *)(record + 1);

	registers_copy(registers, regs);
	record->registers = REGISTERS;
	record->stack = stack_copy(registers + REGISTERS, regs);
	record->size += REGISTERS * sizeof(u64) + record->stack;
}

static u64 slept_ns(const struct tierlens_sync_record *record, const struct tl_sync_point *point)
{
	u64 took_ns = record->time_ns - point->began_ns;

	return took_ns - min(cpu_since(point, record->cpu_ns), took_ns);
}

/*
 * How long it slept goes by what the clocks say now, as they did at the begin. What is told grows
 * only: it may be ahead of them by what interrupts took of a turn, which the scheduler leaves out.
 */
static void add_used(struct tierlens_sync_record *record, const struct tl_sync_point *point)
{
	struct tl_sync_thread *thread = tl_sync_thread();

	if (point->began_ns && current->nvcsw != point->switches) {
		record->flags |= TIERLENS_SYNC_SLEPT;
		record->wait_ns = slept_ns(record, point);
	}
	if (thread) {
		record->cpu_ns = max(record->cpu_ns, thread->cpu_ns);
		thread->cpu_ns = record->cpu_ns;
	}
#if TL_HAS_STORAGE
	record->read_bytes = current->ioac.read_bytes;
	record->written_bytes = current->ioac.write_bytes;
#endif
}

static void write(const struct task_struct *task, struct tl_sync_point *point, struct pt_regs *regs)
{
	u32 room = sizeof(struct tierlens_sync_record);
	struct tierlens_sync_record *record;
	u64 cpu_ns, now_ns;

	if (!point->seq)
		point->seq = tl_sync_point_number();
	if (regs && stack_max)
		room += REGISTERS * sizeof(u64) + stack_max;
	preempt_disable();
	record = tl_sync_ring_reserve(room);
	if (record) {
		/* One reading of the clock for both: the processor may stand still in between. */
		now_ns = ktime_get_mono_fast_ns();
		cpu_ns = tl_run_turn_cpu_ns(this_cpu_ptr(&turn), now_ns);
		*record = (struct tierlens_sync_record) {
			.size = sizeof(*record), .op = point->op, .kind = point->kind,
			.flags = point->flags, .seq = point->seq, .object = point->object,
			.position = point->position, .bytes = point->bytes, .end = point->end,
			.time_ns = now_ns,
			.process = task->tgid, .thread = task->pid,
		};
		record->began_ns = point->began_ns ?: record->time_ns;
		if (task == current) {
			record->cpu_ns = cpu_ns;
			add_used(record, point);
		}
		if (regs && stack_max)
			add_stack(record, regs);
		tl_sync_ring_commit(record->size);
	}
	preempt_enable();
}

/**
 * tl_sync_point_write() - The current thread has done something
 * @point: what; has a number after this
 * @regs: the thread's in user space, or NULL
 *
 * Context: task.
 */
void tl_sync_point_write(struct tl_sync_point *point, struct pt_regs *regs)
{
	write(current, point, regs);
}

/* Of another thread, which has not run yet. Context: any but an interrupt. */
void tl_sync_point_write_of(const struct task_struct *task, struct tl_sync_point *point)
{
	write(task, point, NULL);
}

/**
 * tl_sync_point_void() - Nothing comes of what was begun
 * @seq: its number, which is not lost
 *
 * Context: task.
 */
void tl_sync_point_void(u64 seq)
{
	struct tierlens_sync_record *record;

	preempt_disable();
	record = tl_sync_ring_reserve(sizeof(*record));
	if (record) {
		*record = (struct tierlens_sync_record) {
			.size = sizeof(*record), .op = TIERLENS_SYNC_VOID, .seq = seq,
		};
		tl_sync_ring_commit(record->size);
	}
	preempt_enable();
}
