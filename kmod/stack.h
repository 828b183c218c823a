/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_STACK_H
#define TL_STACK_H

#include <linux/sched.h>
#include <linux/types.h>

struct mm_struct;

/* The mapping that a thread's stack is in; a program that is another one has another @mm. */
struct tl_stack {
	const struct mm_struct *mm; /* NULL: it is not known yet; only compared */
	unsigned long low, high;
};

/* Whether a stack pointer of the current thread is for certain in it. */
static inline bool tl_stack_has(const struct tl_stack *stack, unsigned long sp)
{
	return stack->mm == current->mm && sp - stack->low < stack->high - stack->low;
}

bool tl_stack_look(struct tl_stack *stack, unsigned long sp);
bool tl_stack_goes_on(const struct tl_stack *before, const struct tl_stack *now);
bool tl_stack_has_shadow(void);
unsigned long tl_stack_caller(unsigned long sp);
unsigned long tl_stack_trampoline(unsigned long sp);
void tl_stack_bring(unsigned long sp);
bool tl_stack_give_back(unsigned long sp, unsigned long caller, unsigned long trampoline);

#endif
