/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_COST_H
#define TL_COST_H

/*
 * What the probes cost
 *
 * Every event is counted, and of one in 61 it is measured how long its handler takes, so
 * that to measure costs next to nothing. A prime, for what repeats itself every so many events
 * shall not be measured at the same place each time. What the processor takes to come to a
 * handler and back is not seen here: for hooks it is measured once, by way.c.
 */
#include <linux/percpu.h>
#include <linux/sched/clock.h>

struct pt_regs;

/* By how they are come to: the first three are hooks. */
enum tl_cost_kind {
	TL_COST_FENTRY,
	TL_COST_KPROBE,
	TL_COST_TRACEPOINT,
	TL_COST_FUNCTION,
	TL_COST_KINDS
};

#define TL_COST_SAMPLE 61

/* Of one hook. */
struct tl_hook_hits {
	u64 hits;
	u64 timed; /* of them, those in the sample */
	u64 ns; /* of the sample */
};

struct tl_cost {
	u64 hits;
	u64 next; /* hit that is in the sample */
	u64 ns; /* of the sample */
};

DECLARE_PER_CPU(struct tl_cost, tl_cost[TL_COST_KINDS]);

/* What a reading of the clock takes, and so what a handler seems to take that does nothing. */
extern u32 tl_cost_clock_ns;

/* Whether this hit is in the sample. Context: any. */
static __always_inline bool tl_cost_hit(enum tl_cost_kind kind)
{
	if (likely(this_cpu_inc_return(tl_cost[kind].hits) < this_cpu_read(tl_cost[kind].next)))
		return false;
	this_cpu_add(tl_cost[kind].next, TL_COST_SAMPLE);
	return true;
}

/* Context: any. Return: what tl_cost_end() is told. */
static __always_inline u64 tl_cost_begin(enum tl_cost_kind kind)
{
	return tl_cost_hit(kind) ? local_clock() : 0;
}

/* @of: a hook's, or NULL. */
static __always_inline void tl_cost_end(enum tl_cost_kind kind,
					struct tl_hook_hits __percpu *of, u64 began)
{
	u64 now, ns;

	if (likely(!began))
		return;
	now = local_clock();
	began += tl_cost_clock_ns;
	/* It may have been moved to a processor whose clock is a little behind. */
	ns = now > began ? now - began : 0;
	this_cpu_add(tl_cost[kind].ns, ns);
	if (of) {
		this_cpu_inc(of->timed);
		this_cpu_add(of->ns, ns);
	}
}

void tl_cost_time(enum tl_cost_kind kind, struct tl_hook_hits __percpu *of,
		  void (*handler)(struct pt_regs *regs), struct pt_regs *regs);

/* A hit of a hook that is handed registers. Context: any. */
static __always_inline void tl_cost_handle(enum tl_cost_kind kind,
					   struct tl_hook_hits __percpu *of,
					   void (*handler)(struct pt_regs *regs),
					   struct pt_regs *regs)
{
	this_cpu_inc(of->hits);
	if (unlikely(tl_cost_hit(kind)))
		tl_cost_time(kind, of, handler, regs);
	else
		handler(regs);
}

#endif
