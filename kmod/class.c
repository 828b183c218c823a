// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Classes of requests, by rules on their first bytes
 *
 * The rules are a set that never changes; a new set replaces it. Bytes are only
 * looked at while there is a rule, at most TL_CLASS_PREFIX of a request and as many
 * of its answer, in the program's own buffer, and are not kept.
 *
 * Classes have numbers. A number stays its name's until measuring ends, because
 * sums that are still open know only the number.
 */
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "class.h"
#include "core/interim.h"
#include "tier.h"

#define NAMES 256 /* [0] stays empty: "other" */

struct set {
	struct rcu_head rcu;
	u64 for_all; /* rules that are for every tier */
	u64 for_one; /* of those that are for one tier, the first of each */
	u64 for_same[TL_CLASS_RULES]; /* of such a first one: all that are for that tier */
	u32 tier_hash[TL_CLASS_RULES];
	struct tl_class_rules rules;
	char tier[TL_CLASS_RULES][TIERLENS_NAME_MAX + 1];
};

static struct set __rcu *set; /* NULL: no rule */
static DEFINE_MUTEX(lock); /* protects changes to it, and the names */
static char names[NAMES][TIERLENS_NAME_MAX + 1];
static unsigned int names_end = 1;
static atomic64_t hits[TL_CLASS_RULES]; /* by a rule's place, which is its own */
static u64 serial;

bool tl_class_rules_there;

static u64 eligible(const struct set *now, const struct tl_tier *tier)
{
	u64 mask = now->for_all, left = now->for_one;
	unsigned int i;

	for (; left; left &= left - 1) {
		i = __ffs64(left);
		if (now->tier_hash[i] == tier->name_hash &&
		    !strncmp(now->tier[i], tier->name, sizeof(now->tier[i])))
			mask |= now->for_same[i];
	}
	return mask;
}

static bool copy_bytes(u8 *copy, const struct tl_class_bytes *bytes, unsigned int n)
{
	if (bytes->skb)
		return !skb_copy_bits(bytes->skb, bytes->offset, copy, n);
	return bytes->user && !copy_from_user_nofault(copy, bytes->user, n);
}

static void match_bytes(struct tl_class_match *match, const struct set *now,
			const struct tl_class_bytes *bytes, u32 *class)
{
	unsigned int n = min(bytes->n, (unsigned int)(TL_CLASS_PREFIX - match->pos));
	u8 copy[TL_CLASS_PREFIX];
	u8 before = match->found;

	if (!n || !copy_bytes(copy, bytes, n)) {
		/* What follows could not be told from what is missed here. */
		match->open = 0;
		return;
	}
	tl_class_feed(match, &now->rules, copy, n);
	if (bytes->part)
		match->open = 0;
	if (match->found == before)
		return;
	if (before)
		atomic64_dec(&hits[before - 1]);
	atomic64_inc(&hits[match->found - 1]);
	*class = now->rules.rule[match->found - 1].class;
}

/**
 * tl_class_first_bytes() - Look at bytes of a request
 * @match: how far its first bytes are compared
 * @tier: who received it
 * @bytes: where they are
 * @first: whether they are its very first
 * @class: the request's class, changed if a rule says so
 *
 * Context: task, interrupts off; the request's lock is held.
 */
void tl_class_first_bytes(struct tl_class_match *match, const struct tl_tier *tier,
			  const struct tl_class_bytes *bytes, bool first, u32 *class)
{
	const struct set *now;

	/* Interrupts are off, which a grace period waits for. */
	now = rcu_dereference_sched(set);
	if (!now)
		return;
	if (first)
		tl_class_begin(match, &now->rules, eligible(now, tier));
	/* Rules that changed in the middle of a request begin with the next one. */
	if (match->serial == now->rules.serial && match->open)
		match_bytes(match, now, bytes, class);
}

static bool may_read(const struct tl_tier *tier)
{
	const struct set *now;

	/* Interrupts are off, which a grace period waits for. */
	now = rcu_dereference_sched(set);
	return now && (!tier || now->for_all || eligible(now, tier));
}

/* For itself, so that its stack is not cleared for nothing. */
static noinline bool says_interim(const struct tl_class_bytes *bytes, u64 total)
{
	unsigned int n = min(bytes->n, TL_INTERIM_BYTES);
	u8 copy[TL_INTERIM_BYTES];

	return copy_bytes(copy, bytes, n) && tl_interim(copy, n, total);
}

/**
 * tl_class_interim() - Whether an answer begins with one that says that it will come
 * @tier: who answers, and must have a rule; NULL: somebody elsewhere
 * @bytes: where its first bytes are; NULL: nowhere
 * @total: bytes of the piece that they are in
 *
 * Context: task, interrupts off.
 * Return: false also if the bytes may not or cannot be read.
 */
bool tl_class_interim(const struct tl_tier *tier, const struct tl_class_bytes *bytes,
		      u64 total)
{
	return bytes && bytes->n && may_read(tier) && says_interim(bytes, total);
}

/**
 * tl_class_name() - What a class is called
 * @id: its number
 * @name: filled, TIERLENS_NAME_MAX + 1 bytes; "other" if it is none
 *
 * Context: process.
 */
void tl_class_name(u32 id, char *name)
{
	mutex_lock(&lock);
	strscpy(name, id && id < names_end ? names[id] : "other", TIERLENS_NAME_MAX + 1);
	mutex_unlock(&lock);
}

static u32 name_find(const char *name)
{
	unsigned int i;

	for (i = 1; i < names_end; i++)
		if (!strcmp(names[i], name))
			return i;
	return 0;
}

static u32 name_number(const char *name, struct netlink_ext_ack *extack)
{
	u32 id = name_find(name);

	if (id)
		return id;
	if (names_end == NAMES) {
		NL_SET_ERR_MSG(extack,
			       "there have been too many names of classes: delete the newest rules, then disable and enable");
		return 0;
	}
	strscpy(names[names_end], name, sizeof(names[0]));
	return names_end++;
}

static struct set *current_set(void)
{
	return rcu_dereference_protected(set, lockdep_is_held(&lock));
}

static bool same(const struct set *now, unsigned int i, const void *prefix,
		 unsigned int len, const char *tier)
{
	const struct tl_class_rule *rule = &now->rules.rule[i];

	return rule->len && rule->len == len && !memcmp(rule->prefix, prefix, len) &&
	       !strcmp(now->tier[i], tier);
}

/* A copy to change, or an empty set. */
static struct set *copy_set(struct netlink_ext_ack *extack)
{
	struct set *old = current_set(), *copy;

	copy = old ? kmemdup(old, sizeof(*old), GFP_KERNEL) :
		     kzalloc(sizeof(*copy), GFP_KERNEL);
	if (!copy)
		NL_SET_ERR_MSG(extack, "the machine has no memory for a rule: try again");
	return copy;
}

/* Which rule is the first of those that are for the same tier; rules are many, tiers few. */
static unsigned int first_of_tier(const struct set *fresh, unsigned int rule)
{
	u64 left = fresh->for_one;
	unsigned int i;

	for (; left; left &= left - 1) {
		i = __ffs64(left);
		if (fresh->tier_hash[i] == fresh->tier_hash[rule] &&
		    !strcmp(fresh->tier[i], fresh->tier[rule]))
			return i;
	}
	return rule;
}

static void for_one_too(struct set *fresh, unsigned int rule)
{
	unsigned int first = first_of_tier(fresh, rule);

	fresh->for_one |= BIT_ULL(first);
	fresh->for_same[first] |= BIT_ULL(rule);
}

/* @fresh takes the place of what is there, or nothing does if it is empty. */
static void replace(struct set *fresh)
{
	struct set *old = current_set();
	unsigned int i, n = 0;

	fresh->for_all = 0;
	fresh->for_one = 0;
	memset(fresh->for_same, 0, sizeof(fresh->for_same));
	fresh->rules.serial = ++serial;
	for (i = 0; i < TL_CLASS_RULES; i++) {
		if (!fresh->rules.rule[i].len)
			continue;
		n++;
		if (fresh->rules.rule[i].for_tier)
			for_one_too(fresh, i);
		else
			fresh->for_all |= BIT_ULL(i);
	}
	if (!n) {
		kfree(fresh);
		fresh = NULL;
	}
	rcu_assign_pointer(set, fresh);
	WRITE_ONCE(tl_class_rules_there, fresh);
	if (old)
		kfree_rcu(old, rcu);
}

static int add_to(struct set *fresh, const char *name, const void *prefix,
		  unsigned int len, const char *tier, struct netlink_ext_ack *extack)
{
	struct tl_class_rule *rule;
	unsigned int i;
	u32 id;

	for (i = 0; i < TL_CLASS_RULES; i++)
		if (same(fresh, i, prefix, len, tier)) {
			NL_SET_ERR_MSG(extack,
				       "a rule has that prefix already: delete it first");
			return -EEXIST;
		}
	for (i = 0; i < TL_CLASS_RULES && fresh->rules.rule[i].len; i++)
		;
	if (i == TL_CLASS_RULES) {
		NL_SET_ERR_MSG(extack,
			       "there are 64 rules already, which is all there can be: delete one first");
		return -ENOSPC;
	}
	id = name_number(name, extack);
	if (!id)
		return -ENOSPC;
	rule = &fresh->rules.rule[i];
	rule->class = id;
	rule->len = len;
	rule->for_tier = !!tier[0];
	memcpy(rule->prefix, prefix, len);
	strscpy(fresh->tier[i], tier, sizeof(fresh->tier[i]));
	fresh->tier_hash[i] = tl_tier_hash(fresh->tier[i]);
	atomic64_set(&hits[i], 0);
	return 0;
}

/**
 * tl_class_add() - Add a rule
 * @name: of the class
 * @prefix: the first bytes
 * @len: how many, 1 … TL_CLASS_PREFIX
 * @tier: name of the only tier that it is for, or ""
 * @extack: told why not
 *
 * Context: process.
 * Return: 0, -EEXIST, -ENOSPC or -ENOMEM.
 */
int tl_class_add(const char *name, const void *prefix, unsigned int len, const char *tier,
		 struct netlink_ext_ack *extack)
{
	struct set *fresh;
	int ret = -ENOMEM;

	mutex_lock(&lock);
	fresh = copy_set(extack);
	if (fresh)
		ret = add_to(fresh, name, prefix, len, tier, extack);
	if (!ret)
		replace(fresh);
	else
		kfree(fresh);
	mutex_unlock(&lock);
	return ret;
}

/**
 * tl_class_del() - Delete the rule of a prefix, or all of a class
 * @name: of the class
 * @prefix: the first bytes; NULL for all
 * @len: how many
 * @tier: name of the only tier that it is for, or ""; ignored without a prefix
 * @extack: told why not
 *
 * Context: process.
 * Return: 0, -ENOENT or -ENOMEM.
 */
int tl_class_del(const char *name, const void *prefix, unsigned int len, const char *tier,
		 struct netlink_ext_ack *extack)
{
	unsigned int i, found = 0;
	struct set *fresh;
	int ret = 0;
	u32 id;

	mutex_lock(&lock);
	id = name_find(name);
	fresh = copy_set(extack);
	if (!fresh) {
		ret = -ENOMEM;
		goto out;
	}
	for (i = 0; id && i < TL_CLASS_RULES; i++)
		if (fresh->rules.rule[i].len && fresh->rules.rule[i].class == id &&
		    (!prefix || same(fresh, i, prefix, len, tier))) {
			memset(&fresh->rules.rule[i], 0, sizeof(fresh->rules.rule[i]));
			found++;
		}
	if (found) {
		replace(fresh);
	} else {
		kfree(fresh);
		NL_SET_ERR_MSG(extack, "no rule is like that: see the list of rules");
		ret = -ENOENT;
	}
out:
	mutex_unlock(&lock);
	return ret;
}

/**
 * tl_class_get() - Copy the rule at a place
 * @i: the place
 * @view: filled; its len is 0 if the place is free
 *
 * Context: process.
 * Return: false if there is no such place.
 */
bool tl_class_get(unsigned int i, struct tl_class_view *view)
{
	const struct tl_class_rule *rule;
	const struct set *now;

	if (i >= TL_CLASS_RULES)
		return false;
	memset(view, 0, sizeof(*view));
	mutex_lock(&lock);
	now = current_set();
	if (now && now->rules.rule[i].len) {
		rule = &now->rules.rule[i];
		view->id = rule->class;
		view->len = rule->len;
		memcpy(view->prefix, rule->prefix, rule->len);
		strscpy(view->name, names[rule->class], sizeof(view->name));
		strscpy(view->tier, now->tier[i], sizeof(view->tier));
		view->hits = atomic64_read(&hits[i]);
	}
	mutex_unlock(&lock);
	return true;
}

unsigned int tl_class_count(void)
{
	const struct set *now;
	unsigned int i, n = 0;

	mutex_lock(&lock);
	now = current_set();
	for (i = 0; now && i < TL_CLASS_RULES; i++)
		n += !!now->rules.rule[i].len;
	mutex_unlock(&lock);
	return n;
}

/**
 * tl_class_forget_names() - Forget names that no rule has
 *
 * Context: process; no hook is armed, all intervals are closed.
 */
void tl_class_forget_names(void)
{
	unsigned int i;
	u32 used = 0;

	mutex_lock(&lock);
	/* Numbers must not move: those above the last one in use go. */
	for (i = 0; current_set() && i < TL_CLASS_RULES; i++)
		used = max(used, current_set()->rules.rule[i].class);
	names_end = used + 1;
	mutex_unlock(&lock);
}

void tl_class_exit(void)
{
	kfree(rcu_replace_pointer(set, NULL, true));
}
