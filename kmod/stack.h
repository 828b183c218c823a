/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_STACK_H
#define TL_STACK_H

#include <linux/sched.h>
#include <linux/types.h>

#define TL_STACK_BRING_MAX 3 /* times that we have a page brought to memory */

struct mm_struct;

/* The mapping that a thread's stack is in; a program that is another one has another @mm. */
struct tl_stack {
	const struct mm_struct *mm; /* NULL: it is not known yet; only compared */
	u64 exec_id; /* of the thread: the next program's memory may be at the same place */
	unsigned long low, high;
};

/* Whether a stack pointer of the current thread is for certain in it. */
static inline bool tl_stack_has(const struct tl_stack *stack, unsigned long sp)
{
	return stack->mm == current->mm && stack->exec_id == current->self_exec_id &&
	       sp - stack->low < stack->high - stack->low;
}

/* Whether both are of one program. */
static inline bool tl_stack_same_program(const struct tl_stack *a, const struct tl_stack *b)
{
	return a->mm == b->mm && a->exec_id == b->exec_id;
}

bool tl_stack_look(struct tl_stack *stack, unsigned long sp);
bool tl_stack_goes_on(const struct tl_stack *before, const struct tl_stack *now);
bool tl_stack_has_shadow(void);
bool tl_stack_caller(unsigned long sp, unsigned long *caller);
unsigned long tl_stack_trampoline(unsigned long sp);
void tl_stack_bring(unsigned long sp);
bool tl_stack_give_back(unsigned long sp, unsigned long caller, unsigned long trampoline);

#endif
