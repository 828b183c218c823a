// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which stack a thread is on
 *
 * Who wants to be told of a function's return has the kernel put an address of its own in the
 * place of the return address, and keeps the right one with the thread, for returns in the order
 * of entries. A program that goes on with another stack, as coroutines and fibers do, returns in
 * another order, or in another thread: it would go on anywhere, or be ended. So a thread's
 * functions are looked at only as long as it stays in the mapping in which it was met first.
 *
 * Stacks that lie in one mapping, and such that are copied to and fro, cannot be told apart here.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>
#ifdef CONFIG_X86_USER_SHADOW_STACK
#include <asm/prctl.h>
#endif

#include "stack.h"

/**
 * tl_stack_look() - The mapping that a stack pointer is in
 * @stack: filled
 * @sp: of the current thread in user space
 *
 * Context: task, may sleep.
 * Return: false if there is none.
 */
bool tl_stack_look(struct tl_stack *stack, unsigned long sp)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	bool found;

	mmap_read_lock(mm);
	vma = find_vma(mm, sp);
	found = vma && vma->vm_start <= sp;
	if (found) {
		stack->mm = mm;
		stack->exec_id = current->self_exec_id;
		stack->low = vma->vm_start;
		stack->high = vma->vm_end;
	}
	mmap_read_unlock(mm);
	return found;
}

/**
 * tl_stack_goes_on() - Whether a thread is still on the stack that it was on
 * @before: where that was; or it is not known
 * @now: where it is
 *
 * Mappings grow, and neighbours become one; and who runs another program begins anew.
 */
bool tl_stack_goes_on(const struct tl_stack *before, const struct tl_stack *now)
{
	return !tl_stack_same_program(before, now) ||
	       (before->low < now->high && now->low < before->high);
}

/**
 * tl_stack_has_shadow() - Whether the processor keeps the thread's return addresses a second time
 *
 * The kernel has functions that are probed return to it there, too, and nobody else can write
 * there: such an address cannot be given back, for a program that returns to another is ended.
 *
 * Context: task.
 */
bool tl_stack_has_shadow(void)
{
#ifdef CONFIG_X86_USER_SHADOW_STACK
	return current->thread.features & ARCH_SHSTK_SHSTK;
#else
	return false;
#endif
}

/**
 * tl_stack_bring() - Bring what is at a stack pointer to memory, so that it can be written
 * @sp: stack pointer
 *
 * Context: task, may sleep.
 */
void tl_stack_bring(unsigned long sp)
{
	struct page *page;

	if (get_user_pages_fast(sp, 1, FOLL_WRITE, &page) == 1)
		put_page(page);
}

#ifdef CONFIG_X86
/* It may be there without being writable yet: whoever writes would wait for it as well. */
static bool is_writable(unsigned long sp)
{
	struct page *page;

	if (!get_user_page_fast_only(sp, FOLL_WRITE, &page))
		return false;
	put_page(page);
	return true;
}

/* Whether nobody but the kernel has a say in whether it comes. */
static bool surely_comes(unsigned long sp)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	bool comes;

	mmap_read_lock(mm);
	vma = find_vma(mm, sp);
	comes = vma && vma->vm_start <= sp && vma_is_anonymous(vma) && !userfaultfd_armed(vma);
	mmap_read_unlock(mm);
	return comes;
}

/* Another thread that forks takes pages from all, which come again as they are written. */
static bool becomes_writable(unsigned long sp)
{
	unsigned int i;

	for (i = 0; !is_writable(sp); i++) {
		if (i == TL_STACK_BRING_MAX || !surely_comes(sp))
			return false;
		tl_stack_bring(sp);
	}
	return true;
}
#endif

/**
 * tl_stack_caller() - Where a function will return to
 * @sp: stack pointer at its entry, before anybody has changed that
 * @caller: set to the address; 0: it is not on the stack, or cannot be read
 *
 * A call has just put it there. Who comes by a jump may have a stack in memory that is a long time
 * coming, or for ever, and the kernel waits for it while it puts its own address there.
 *
 * Context: task, may sleep.
 * Return: false if the kernel would wait, for who knows how long.
 */
bool tl_stack_caller(unsigned long sp, unsigned long *caller)
{
	*caller = 0;
#ifdef CONFIG_X86
	return becomes_writable(sp) &&
	       (offset_in_page(sp) <= PAGE_SIZE - sizeof(*caller) ||
		becomes_writable(sp + sizeof(*caller) - 1)) &&
	       !copy_from_user_nofault(caller, (unsigned long __user *)sp, sizeof(*caller));
#else
	return true;
#endif
}

/* The page that the kernel has programs return to; nothing else is like it. */
static bool is_trampoline(unsigned long address)
{
	const unsigned long has = VM_EXEC | VM_IO | VM_DONTCOPY;
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	bool is;

	mmap_read_lock(mm);
	vma = find_vma(mm, address);
	is = vma && vma->vm_start == address && vma->vm_end == address + PAGE_SIZE &&
	     (vma->vm_flags & has) == has && !vma->vm_file;
	mmap_read_unlock(mm);
	return is;
}

/**
 * tl_stack_trampoline() - Where the kernel has a function return to
 * @sp: stack pointer at its entry
 *
 * Context: task, may sleep.
 * Return: the address; 0: it returns to its caller.
 */
unsigned long tl_stack_trampoline(unsigned long sp)
{
	unsigned long now;

	return !get_user(now, (unsigned long __user *)sp) && is_trampoline(now) ? now : 0;
}

/**
 * tl_stack_give_back() - Let a function return to its caller, and to nobody before
 * @sp: stack pointer at its entry
 * @caller: of tl_stack_caller() then
 * @trampoline: of tl_stack_trampoline(); if it does not return there, it is left as it is
 *
 * It may return in another thread.
 *
 * Context: any.
 * Return: false if it is not in memory.
 */
bool tl_stack_give_back(unsigned long sp, unsigned long caller, unsigned long trampoline)
{
	unsigned long __user *at = (unsigned long __user *)sp;
	unsigned long now;
	bool there;

	if (!caller)
		return true;
	pagefault_disable();
	there = !get_user(now, at) && (now != trampoline || !put_user(caller, at));
	pagefault_enable();
	return there;
}
