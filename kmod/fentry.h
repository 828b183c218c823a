/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_FENTRY_H
#define TL_FENTRY_H

#include <linux/errno.h>
#include <linux/percpu.h>

#include "compat/compat.h"

struct pt_regs;
struct tl_hook_hits;

#define TL_FENTRY_GROUPS 3
#define TL_FENTRY_YARDSTICK 2 /* the group of what the way is measured by */

/* What is caught at a function's entry; embedded in what it is for. */
struct tl_fentry {
	unsigned long ip; /* where ftrace's call is */
	void (*handler)(struct pt_regs *args); /* nothing but arguments is set */
	struct tl_hook_hits __percpu *hits;
	u8 group; /* those of one begin and end to be caught together */
};

/* Whether it is ftrace that calls at entries, for kprobes at least: it can be switched off. */
#if TL_HAS_FENTRY || defined(CONFIG_KPROBES_ON_FTRACE)
int tl_fentry_hold(void);
int tl_fentry_let_go(void);
#else
static inline int tl_fentry_hold(void)
{
	return 0;
}

static inline int tl_fentry_let_go(void)
{
	return 0;
}
#endif

#if TL_HAS_FENTRY
int tl_fentry_add(struct tl_fentry *fentry);
void tl_fentry_forget_all(void);
int tl_fentry_arm(unsigned int group);
int tl_fentry_disarm(unsigned int group);
#else
static inline int tl_fentry_add(struct tl_fentry *fentry)
{
	return -EOPNOTSUPP;
}

static inline void tl_fentry_forget_all(void)
{
}

static inline int tl_fentry_arm(unsigned int group)
{
	return 0;
}

static inline int tl_fentry_disarm(unsigned int group)
{
	return 0;
}
#endif

#endif
