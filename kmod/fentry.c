// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entries of functions, caught by ftrace itself
 *
 * On most kernels a kprobe at a function's entry is called by ftrace, too. But it is
 * handed all registers, and finds its handler by a way that is made for all kinds of
 * probes: that costs as much as many a handler does. Where ftrace can be asked for the
 * arguments alone, it is; else kprobes do it.
 *
 * All entries of a group are caught by one registration, because to end one has to wait for
 * all tasks. So which one it is, is looked up by address, in a table that is filled before
 * and changes only while nothing is caught. No lookup fails: ftrace calls only for what
 * is in the table.
 *
 * Nobody may switch ftrace off meanwhile (FTRACE_OPS_FL_PERMANENT): we would be blind and
 * not know it. Kprobes do not ask for that; and some kernels, where one is armed and disarmed
 * while ftrace is off, find their books wrong later and give ftrace up for good. So they are
 * armed only while an entry is held that nobody passes (tl_fentry_hold()).
 */
#include "cost.h"
#include "fentry.h"

#if TL_HAS_FENTRY || defined(CONFIG_KPROBES_ON_FTRACE)

#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/module.h>
#include <linux/rcupdate.h>

static int leave(struct ftrace_ops *ops)
{
	int ret = unregister_ftrace_function(ops);

	if (ret)
		__module_get(THIS_MODULE);
	return ret;
}

static noinline void nobody_calls(void)
{
	barrier();
}

static void on_nobody(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		      struct tl_ftrace_regs *regs)
{
}

static struct ftrace_ops hold = { .func = on_nobody, .flags = FTRACE_OPS_FL_PERMANENT };
static bool held;

/**
 * tl_fentry_hold() - Have ftrace not be switched off from now on
 *
 * Context: process, may sleep; once until tl_fentry_let_go(), by who serialises arming.
 * Return: 0; -EBUSY: it is off; or another error of ftrace's.
 */
int tl_fentry_hold(void)
{
	int ret = ftrace_set_filter_ip(&hold, (unsigned long)nobody_calls, 0, 0);

	ret = ret ? : register_ftrace_function(&hold);
	held = !ret;
	return ret;
}

/**
 * tl_fentry_let_go() - The opposite
 *
 * Context: process, may sleep. Return: as tl_fentry_disarm().
 */
int tl_fentry_let_go(void)
{
	int ret = held ? leave(&hold) : 0;

	held = false;
	if (!ret)
		ftrace_set_filter_ip(&hold, (unsigned long)nobody_calls, 1, 0);
	return ret;
}

#endif

#if TL_HAS_FENTRY

#define TABLE_BITS 8
#define PLACES BIT(TABLE_BITS)
#define MOST (PLACES / 2) /* so that look-ups end soon */

static struct tl_fentry *table[PLACES]; /* open addressing */
static unsigned int used; /* of the table */

static void on_entry(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		     struct ftrace_regs *fregs);

#define GROUP { .ops = { .func = on_entry, .flags = FTRACE_OPS_FL_PERMANENT } }

static struct group {
	struct ftrace_ops ops;
	unsigned int used;
	bool registered;
	bool caught; /* so that all begin and end at once */
} groups[TL_FENTRY_GROUPS] = { GROUP, GROUP, GROUP };

static unsigned int place_of(unsigned long ip)
{
	unsigned int i = hash_long(ip, TABLE_BITS);

	while (table[i] && table[i]->ip != ip)
		i = (i + 1) % PLACES;
	return i;
}

static void on_entry(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		     struct ftrace_regs *fregs)
{
	struct tl_fentry *fentry;

	if (unlikely(!READ_ONCE(container_of(ops, struct group, ops)->caught)))
		return;
	fentry = table[place_of(ip)];
	tl_cost_handle(TL_COST_FENTRY, fentry->hits, fentry->handler, tl_compat_args(fregs));
}

/**
 * tl_fentry_add() - Have an entry caught from the next tl_fentry_arm() on
 * @fentry: the entry; stays where it is until tl_fentry_forget_all()
 *
 * Context: process, may sleep; nothing is caught.
 * Return: 0, or a negative errno if it must be caught in another way.
 */
int tl_fentry_add(struct tl_fentry *fentry)
{
	struct group *group = &groups[fentry->group];
	int ret;

	if (used == MOST)
		return -ENOSPC;
	ret = ftrace_set_filter_ip(&group->ops, fentry->ip, 0, 0);
	if (ret)
		return ret;
	table[place_of(fentry->ip)] = fentry;
	used++;
	group->used++;
	return 0;
}

/* Context: process, may sleep; nothing is caught. */
void tl_fentry_forget_all(void)
{
	unsigned int i;

	/* Not all kernels let modules free the filter as a whole. */
	for (i = 0; i < PLACES; i++)
		if (table[i])
			ftrace_set_filter_ip(&groups[table[i]->group].ops, table[i]->ip, 1, 0);
	memset(table, 0, sizeof(table));
	used = 0;
	for (i = 0; i < TL_FENTRY_GROUPS; i++)
		groups[i].used = 0;
}

/**
 * tl_fentry_arm() - Begin to catch entries
 * @group: those of this one
 *
 * Context: process, may sleep.
 * Return: 0, or the kernel's error, and nothing is caught.
 */
int tl_fentry_arm(unsigned int group)
{
	struct group *g = &groups[group];
	int ret;

	/* Without a filter it would be all of the kernel's functions. */
	if (!g->used)
		return 0;
	ret = register_ftrace_function(&g->ops);
	g->registered = !ret;
	WRITE_ONCE(g->caught, g->registered);
	return ret;
}

/**
 * tl_fentry_disarm() - Catch no more entries
 * @group: of this one
 *
 * Context: process, may sleep.
 * Return: 0, and none is being handled; or ftrace's error, and it calls us until the host
 * is restarted, though nothing is done then: the module stays so long.
 */
int tl_fentry_disarm(unsigned int group)
{
	struct group *g = &groups[group];
	int ret = 0;

	WRITE_ONCE(g->caught, false);
	if (g->registered)
		ret = leave(&g->ops);
	g->registered = false;
	return ret;
}

#endif
