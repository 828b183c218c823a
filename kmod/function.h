/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_FUNCTION_H
#define TL_FUNCTION_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/llist.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <uapi/linux/tierlens.h>

#include "compat/uprobe.h"
#include "frames.h"

struct file;
struct tl_method_ask;

/**
 * struct tl_function - A function of a tier's program
 * @key: its number and its place
 * @tier: number
 * @tier_name: as it was when the function was asked for
 * @name: for people
 * @file: that it is in; held, so that its file system stays
 * @program: whose processes are probed; the same
 * @uprobe: the kernel's
 * @rate_max: entries a second
 * @state: enum tierlens_function_state, but for what @leaving says
 * @leaving: for which call, see method.c; 0: it is not
 * @holds: the module, while it leaves
 * @hits: entries
 * @second: that @in_second counts for
 * @in_second: entries
 * @work: has it probed, or probed no more
 * @came: the kernel has said what comes of it, which is @error; read without a lock
 * @hooked: its traps are on; its own work item's
 * @probed: handlers may be running; once it is, changed with the places' lock (method.c)
 * @ended: in the list of those whose handlers are waited for
 */
struct tl_function {
	struct tl_function_key key;
	u32 tier;
	char tier_name[TIERLENS_NAME_MAX + 1];
	char name[TIERLENS_FUNCTION_NAME_MAX + 1];
	struct file *file;
	struct file *program;
	struct tl_compat_uprobe uprobe;
	u32 rate_max;
	u8 state;
	u32 leaving;
	bool holds;
	atomic64_t hits;
	unsigned long second;
	atomic_t in_second;
	struct work_struct work;
	bool came;
	int error;
	bool hooked;
	bool probed;
	struct llist_node ended;
};

static inline bool tl_function_leaves(const struct tl_function *function)
{
	return READ_ONCE(function->leaving);
}

static inline bool tl_function_is_dropped(const struct tl_function *function)
{
	return READ_ONCE(function->state) != TIERLENS_FUNCTION_STATE_PROBED ||
	       tl_function_leaves(function);
}

struct tl_function *tl_function_new(const struct tl_method_ask *ask, u32 tier);
void tl_function_free(struct tl_function *function);
int tl_function_probe(struct tl_function *function);
void tl_function_unhook(struct tl_function *function);

#endif
