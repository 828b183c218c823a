// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What it takes to come to a hook's handler and back
 *
 * Handlers are timed from within (cost.h), so the way to them is not seen there: some ten
 * nanoseconds where ftrace calls, many more where a processor has to trap. It is the same for
 * all hooks that are called in the same way. So when the module is loaded, a function of its
 * own is called that does nothing, and has a hook whose handler does nothing. Of that is taken
 * off what the call takes without a hook; what it takes more if the function reads the clock is
 * what handlers seem to take that do nothing (tl_cost_clock_ns). The least of several blocks
 * is taken, because whatever else happens in one only adds to it.
 *
 * Of functions of programs this knows nothing; user space measures those.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/preempt.h>

#include "compat/compat.h"
#include "fentry.h"
#include "way.h"

#define CALLS 128 /* with preemption off: 0.3 ms where each traps */
#define BLOCKS 16
#define UNMEASURED_NS 400 /* more than most take */

static u32 way_ns[TL_COST_KINDS]; /* 0: not measured */
static DEFINE_PER_CPU(struct tl_hook_hits, hits);

static noinline void yardstick(void)
{
	barrier();
}

static void on_yardstick(struct pt_regs *regs)
{
	barrier();
}

static int on_kprobe(struct kprobe *kp, struct pt_regs *regs)
{
	tl_cost_handle(TL_COST_KPROBE, &hits, on_yardstick, regs);
	return 0;
}

static noinline void on_tracepoint(void *data, void *arg)
{
	u64 began = tl_cost_begin(TL_COST_TRACEPOINT);

	on_yardstick(arg);
	tl_cost_end(TL_COST_TRACEPOINT, NULL, began);
}

static void clock_read(void)
{
	local_clock();
}

static void traced(void)
{
	void (*probe)(void *data, void *arg) = on_tracepoint;

	OPTIMIZER_HIDE_VAR(probe); /* tracepoints call by address */
	probe(NULL, NULL);
}

/* Return: ns that @CALLS calls take at least. */
static u64 calls_ns(void (*call)(void))
{
	u64 least = U64_MAX, began, took;
	unsigned int block, i;

	for (block = 0; block < BLOCKS; block++) {
		preempt_disable();
		began = local_clock();
		for (i = 0; i < CALLS; i++)
			call();
		took = local_clock() - began;
		preempt_enable();
		least = min(least, took);
		cond_resched();
	}
	return least;
}

/* What a call takes more than one of a function that does nothing, which takes @plain. */
static u32 more_than(u64 plain, void (*call)(void))
{
	u64 with = calls_ns(call);

	return with > plain ? div_u64(with - plain, CALLS) : 0;
}

static u64 all_hits(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(&hits, cpu)->hits;
	return sum;
}

/* What the hook takes that the yardstick has now. 0: it is not called. */
static u32 hook_ns(u64 plain)
{
	u64 before = all_hits();
	u32 ns = more_than(plain, yardstick);

	return all_hits() - before == CALLS * BLOCKS ? max(ns, 1U) : 0;
}

/* Ways by which entries of functions are seen; a call without a hook takes @plain / CALLS. */
static void measure_entries(u64 plain)
{
	static struct tl_fentry fentry = {
		.handler = on_yardstick, .hits = &hits, .group = TL_FENTRY_YARDSTICK,
	};
	static struct kprobe kp = { .pre_handler = on_kprobe };

	kp.addr = (kprobe_opcode_t *)yardstick;
	if (register_kprobe(&kp))
		return;
	way_ns[TL_COST_KPROBE] = hook_ns(plain);
	fentry.ip = (unsigned long)kp.addr;
	unregister_kprobe(&kp);
	if (tl_fentry_add(&fentry))
		return;
	if (!tl_fentry_arm(fentry.group))
		way_ns[TL_COST_FENTRY] = hook_ns(plain);
	/* If that fails, it will when hooks are disarmed, which says so. */
	tl_fentry_disarm(fentry.group);
	tl_fentry_forget_all();
}

/**
 * tl_way_init() - Measure all ways
 *
 * Context: process, may sleep; there are no hooks yet.
 * Return: 0; what cannot be measured is taken to be dear.
 */
int tl_way_init(void)
{
	u64 plain = calls_ns(yardstick);

	tl_cost_clock_ns = more_than(plain, clock_read);
	way_ns[TL_COST_TRACEPOINT] = max(more_than(plain, traced), 1U);
	if (!tl_fentry_hold())
		measure_entries(plain);
	tl_fentry_let_go();
	return 0;
}

/**
 * tl_way_ns() - What it takes to come to a handler and back
 * @kind: how it is called
 *
 * Context: any. Return: ns, dear if it is not known.
 */
u32 tl_way_ns(enum tl_cost_kind kind)
{
	return way_ns[kind] ? : UNMEASURED_NS;
}

/**
 * tl_way_floor_ns() - The same as it was measured: what a hook takes whose handler does nothing
 * @kind: how it is called
 *
 * Context: any. Return: ns; 0 if it could not be measured.
 */
u32 tl_way_floor_ns(enum tl_cost_kind kind)
{
	return way_ns[kind];
}
