// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tiers: who listens where, and what it is called
 *
 * A tier is met when a connection is accepted on an endpoint that no tier has
 * yet, or named beforehand by a rule. Handlers only look (without a lock) and
 * add; a tier stays at its place until it is removed with the hooks disarmed, or
 * if no connection was ever accepted for it.
 */
#include <linux/netlink.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/stringhash.h>
#include <net/af_unix.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "level.h"
#include "lock.h"
#include "tier.h"

static struct tl_tier tiers[TL_TIERS]; /* [0] stays free */
static unsigned int tiers_end = 1; /* one after the last place ever used */
static DEFINE_RAW_SPINLOCK(lock); /* protects changes to tiers, and the names */

/*
 * The next namespace may get the number of one that is gone, and is another one: who
 * listened in the old one keeps its name and its sums, and nobody connects to it.
 */
static void __net_exit netns_gone(struct net *net)
{
	u32 netns = net->ns.inum;
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&lock, flags);
	for (i = 1; i < tiers_end; i++) {
		if (tiers[i].at.netns == netns)
			WRITE_ONCE(tiers[i].at.netns, TIERLENS_NETNS_GONE);
		if (tiers[i].found_netns == netns)
			tiers[i].found_netns = TIERLENS_NETNS_GONE;
	}
	raw_spin_unlock_irqrestore(&lock, flags);
}

static struct pernet_operations netns_ops = {
	.exit = netns_gone,
};

int tl_tier_init(void)
{
	return register_pernet_subsys(&netns_ops);
}

void tl_tier_exit(void)
{
	unregister_pernet_subsys(&netns_ops);
}

/* A UNIX socket's name as a string; false if it has none. */
static bool unix_name(char *path, const struct sock *sk)
{
	const struct unix_address *addr = READ_ONCE(unix_sk(sk)->addr);
	unsigned int i, len;

	if (!addr || addr->len <= sizeof(addr->name->sun_family))
		return false;
	len = min_t(unsigned int, addr->len - sizeof(addr->name->sun_family),
		    TIERLENS_SUN_PATH_MAX);
	memcpy(path, addr->name->sun_path, len);
	path[len] = '\0';
	if (path[0])
		return true;
	/* An abstract one has its length only. */
	path[0] = '@';
	for (i = 1; i < len; i++)
		if (path[i] <= ' ' || path[i] >= 0x7f)
			path[i] = '?';
	return true;
}

/**
 * tl_endpoint_local() - Where a socket is bound
 * @at: filled
 * @sk: a TCP or UNIX socket, held by the caller
 *
 * Context: any.
 * Return: false if it is not bound.
 */
bool tl_endpoint_local(struct tl_endpoint *at, const struct sock *sk)
{
	at->netns = sock_net(sk)->ns.inum;
	at->port = 0;
	at->path[0] = '\0';
	if (sk->sk_family == AF_UNIX)
		return unix_name(at->path, sk);
	at->port = sk->sk_num;
	return at->port;
}

static bool is_at(const struct tl_tier *tier, u32 netns, const struct tl_endpoint *at)
{
	return tier->at.port == at->port && tier->at.netns == netns &&
	       (at->port || !strcmp(tier->at.path, at->path));
}

static struct tl_tier *find(u32 netns, const struct tl_endpoint *at)
{
	/* Pairs with the release in add(): what is within the end is filled. */
	unsigned int i, end = smp_load_acquire(&tiers_end);

	for (i = 1; i < end; i++)
		/* Pairs with the release in add(). */
		if (smp_load_acquire(&tiers[i].id) && is_at(&tiers[i], netns, at))
			return &tiers[i];
	return NULL;
}

static struct tl_tier *find_name(const char *name, u8 source)
{
	unsigned int i;

	lockdep_assert_held(&lock);
	for (i = 1; i < tiers_end; i++)
		if (tiers[i].id && tiers[i].source == source &&
		    !strcmp(tiers[i].name, name))
			return &tiers[i];
	return NULL;
}

/**
 * tl_tier_find() - The tier of an endpoint
 * @at: where it is
 *
 * Context: any.
 * Return: the tier, or NULL if there is none.
 */
struct tl_tier *tl_tier_find(const struct tl_endpoint *at)
{
	struct tl_tier *tier = find(at->netns, at);

	return tier ? tier : find(0, at);
}

/* Context: any; without the lock it is what was a moment ago. */
static unsigned int free_place(void)
{
	unsigned int i;

	for (i = 1; i < TL_TIERS && READ_ONCE(tiers[i].id); i++)
		;
	return i;
}

/* So that most names need not be compared. */
u32 tl_tier_hash(const char *name)
{
	return full_name_hash(NULL, name, strlen(name));
}

static void rename_to(struct tl_tier *tier, const char *name)
{
	lockdep_assert_held(&lock);
	strscpy(tier->name, name, sizeof(tier->name));
	WRITE_ONCE(tier->name_hash, tl_tier_hash(tier->name));
}

static struct tl_tier *add(const struct tl_endpoint *at, u8 source, const char *name)
{
	unsigned int i = free_place();

	if (i == TL_TIERS)
		return NULL;
	tiers[i].at = *at;
	tiers[i].source = source;
	rename_to(&tiers[i], name);
	tiers[i].found[0] = '\0';
	atomic_set(&tiers[i].connections, 0);
	tiers[i].level = tl_level_default();
	tiers[i].own_level = false;
	tiers[i].switches_stacks = false;
	tiers[i].leased_to = 0;
	tiers[i].lease_ns = 0;
	/* Readers without the lock see the rest of the tier before its id. */
	smp_store_release(&tiers[i].id, i);
	if (i >= tiers_end)
		/* Pairs with the acquire in find(). */
		smp_store_release(&tiers_end, i + 1);
	return &tiers[i];
}

/* Whether a tier has the name, or will have it again without its rule. */
static bool name_in_use(const char *name)
{
	unsigned int i;

	lockdep_assert_held(&lock);
	for (i = 1; i < tiers_end; i++)
		if (tiers[i].id &&
		    (!strcmp(tiers[i].name, name) || !strcmp(tiers[i].found, name)))
			return true;
	return false;
}

static void make_printable(char *name)
{
	for (; *name; name++)
		if (*name <= ' ' || (u8)*name >= 0x7f)
			*name = '?';
}

/*
 * Names are unique, and fit for terminals and pages whatever a program calls
 * itself: a name that is taken gets the namespace's number, and if it was that of
 * one that is gone, the tier's own.
 */
static void found_name(char *name, size_t size, const char *comm,
		       const struct tl_endpoint *at, unsigned int id)
{
	unsigned int i, n = strlen(at->path), room = size - 2 - strlen(comm);
	char where[TIERLENS_NAME_MAX + 1];

	lockdep_assert_held(&lock);
	/* The end of a path says more than its beginning. */
	if (at->port)
		snprintf(where, sizeof(where), "%u", at->port);
	else
		strscpy(where, at->path + (n > room ? n - room : 0), sizeof(where));
	snprintf(name, size, "%s:%s", comm, where);
	make_printable(name);
	if (name_in_use(name)) {
		i = strlen(where);
		snprintf(name, size, "%.6s:%s@%u", comm[0] ? comm : "?",
			 where + (i > 12 ? i - 12 : 0), at->netns);
		make_printable(name);
	}
	if (name_in_use(name)) {
		*strchrnul(name, '@') = '\0';
		snprintf(name + strlen(name), size - strlen(name), "#%u", id);
	}
}

/**
 * tl_tier_discover() - The tier of an endpoint, made if it is new
 * @at: where it is
 * @comm: command name of who serves it
 *
 * Context: any but NMI; interrupts are off.
 * Return: the tier, or NULL if the table is full.
 */
struct tl_tier *tl_tier_discover(const struct tl_endpoint *at, const char *comm)
{
	struct tl_tier *tier = tl_tier_find(at);
	char name[TIERLENS_NAME_MAX + 1];

	if (likely(tier && READ_ONCE(tier->found[0])))
		return tier;
	/* Full, and that for long: who accepts elsewhere is not to wait for all others who do. */
	if (!tier && free_place() == TL_TIERS)
		return NULL;
	tl_spin_lock(&lock);
	tier = tl_tier_find(at);
	found_name(name, sizeof(name), comm, at, tier ? tier->id : free_place());
	if (!tier)
		tier = add(at, TIERLENS_TIER_SOURCE_DISCOVERED, name);
	if (tier && !tier->found[0]) {
		tier->found_netns = at->netns;
		strscpy(tier->found, name, sizeof(tier->found));
	}
	tl_spin_unlock(&lock);
	return tier;
}

/**
 * tl_tier_is_gone() - Whether the network namespace of a tier has been deleted
 * @id: its number
 *
 * Context: any.
 */
bool tl_tier_is_gone(u32 id)
{
	return id < TL_TIERS && READ_ONCE(tiers[id].at.netns) == TIERLENS_NETNS_GONE;
}

/**
 * tl_tier_name() - What a tier is called now
 * @id: its number; 0 gives the empty name
 * @name: filled, TIERLENS_NAME_MAX + 1 bytes
 *
 * Context: any but NMI.
 */
void tl_tier_name(u32 id, char *name)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	strscpy(name, id < TL_TIERS && tiers[id].id ? tiers[id].name : "",
		TIERLENS_NAME_MAX + 1);
	raw_spin_unlock_irqrestore(&lock, flags);
}

/* The first that was discovered there; one whose namespace has gone only if no other was. */
static struct tl_tier *discovered_at(const struct tl_endpoint *at)
{
	struct tl_tier *gone = NULL;
	unsigned int i;

	for (i = 1; i < tiers_end; i++) {
		if (!tiers[i].id || tiers[i].source != TIERLENS_TIER_SOURCE_DISCOVERED ||
		    !is_at(&tiers[i], at->netns ? at->netns : tiers[i].at.netns, at))
			continue;
		if (tiers[i].at.netns != TIERLENS_NETNS_GONE)
			return &tiers[i];
		gone = gone ? gone : &tiers[i];
	}
	return gone;
}

/* A discovered tier on the rule's endpoint takes its name. */
static struct tl_tier *claim(const struct tl_endpoint *at, const char *name)
{
	struct tl_tier *tier = discovered_at(at);

	if (!tier)
		return NULL;
	rename_to(tier, name);
	tier->source = TIERLENS_TIER_SOURCE_RULE;
	WRITE_ONCE(tier->at.netns, at->netns);
	return tier;
}

/* It is what it was found as, unless there is a rule for where that was: then that counts. */
static void unclaim(struct tl_tier *tier)
{
	const struct tl_tier *there = find(tier->found_netns, &tier->at);
	const struct tl_tier *anywhere = find(0, &tier->at);
	bool other = (there && there != tier) || (anywhere && anywhere != tier);

	rename_to(tier, tier->found);
	tier->source = TIERLENS_TIER_SOURCE_DISCOVERED;
	WRITE_ONCE(tier->at.netns, other ? TIERLENS_NETNS_GONE : tier->found_netns);
}

/* Whether a tier elsewhere has the name, or will have it again without its rule. */
static bool taken(const char *name, const struct tl_endpoint *at)
{
	unsigned int i;

	for (i = 1; i < tiers_end; i++)
		if (tiers[i].id && !is_at(&tiers[i], tiers[i].at.netns, at) &&
		    (!strcmp(tiers[i].name, name) || !strcmp(tiers[i].found, name)))
			return true;
	return find_name(name, TIERLENS_TIER_SOURCE_RULE);
}

static int check_rule(const char *name, const struct tl_endpoint *at,
		      struct netlink_ext_ack *extack)
{
	struct tl_tier *tier = find(at->netns, at);

	if (tier && tier->source == TIERLENS_TIER_SOURCE_RULE) {
		NL_SET_ERR_MSG(extack, "that port or path has a tier already: delete it first");
		return -EEXIST;
	}
	if (taken(name, at)) {
		NL_SET_ERR_MSG(extack,
			       "another tier has that name already: choose another name");
		return -EEXIST;
	}
	return 0;
}

/**
 * tl_tier_add_rule() - Name the tier of an endpoint
 * @name: its name
 * @at: where it is
 * @extack: told why not
 *
 * Return: 0, -EEXIST, or -ENOSPC if the table is full.
 */
int tl_tier_add_rule(const char *name, const struct tl_endpoint *at,
		     struct netlink_ext_ack *extack)
{
	unsigned long flags;
	int ret;

	raw_spin_lock_irqsave(&lock, flags);
	ret = check_rule(name, at, extack);
	if (!ret && !claim(at, name) && !add(at, TIERLENS_TIER_SOURCE_RULE, name)) {
		NL_SET_ERR_MSG(extack, "the table of tiers is full: delete a tier first");
		ret = -ENOSPC;
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	return ret;
}

/**
 * tl_tier_del_rule() - Delete a rule
 * @name: the tier's name
 * @gone: set to whether nothing is left of the tier
 * @extack: told why not
 *
 * The tier goes on under the name that it was discovered by, if it ever was.
 *
 * Return: 0, or -ENOENT.
 */
int tl_tier_del_rule(const char *name, bool *gone, struct netlink_ext_ack *extack)
{
	struct tl_tier *tier;
	unsigned long flags;
	int ret = 0;

	raw_spin_lock_irqsave(&lock, flags);
	*gone = false;
	tier = find_name(name, TIERLENS_TIER_SOURCE_RULE);
	if (!tier && find_name(name, TIERLENS_TIER_SOURCE_DISCOVERED)) {
		NL_SET_ERR_MSG(extack,
			       "that tier was discovered, there is no rule to delete");
		ret = -ENOENT;
	} else if (!tier) {
		NL_SET_ERR_MSG(extack, "no tier has that name: see the list of tiers");
		ret = -ENOENT;
	} else if (tier->found[0]) {
		unclaim(tier);
	} else {
		WRITE_ONCE(tier->id, 0);
		*gone = true;
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	return ret;
}

/**
 * tl_tier_forget_found() - Forget what was discovered, keep the rules
 *
 * Context: process; no hook is armed and the table of connections is empty.
 */
void tl_tier_forget_found(void)
{
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&lock, flags);
	for (i = 1; i < tiers_end; i++) {
		tiers[i].found[0] = '\0';
		if (tiers[i].source != TIERLENS_TIER_SOURCE_RULE)
			tiers[i].id = 0;
	}
	raw_spin_unlock_irqrestore(&lock, flags);
}

/* What is seen of a tier now. Context: any. */
u8 tl_tier_level(u32 id)
{
	return id < TL_TIERS ? READ_ONCE(tiers[id].level) : TIERLENS_LEVEL_OFF;
}

/* The highest level of them all. Context: process. */
u8 tl_tier_level_max(void)
{
	unsigned int i;
	u8 level = TIERLENS_LEVEL_OFF;

	for (i = 1; i < READ_ONCE(tiers_end); i++)
		if (READ_ONCE(tiers[i].id))
			level = max(level, READ_ONCE(tiers[i].level));
	return level;
}

/**
 * tl_tier_end() - One after the last place that ever had a tier
 *
 * Context: any; it only grows.
 */
unsigned int tl_tier_end(void)
{
	return READ_ONCE(tiers_end);
}

/**
 * tl_tier_at() - The tier at a place
 * @i: the place, from 1
 *
 * Context: process; control.c's lock is held, or something else keeps the tier. It may be free:
 * then its level says nothing.
 * Return: NULL if there is no such place.
 */
struct tl_tier *tl_tier_at(unsigned int i)
{
	/* Pairs with the release in add(). */
	return i < smp_load_acquire(&tiers_end) ? &tiers[i] : NULL;
}

/**
 * tl_tier_named() - The tier that has a name
 * @name: the name
 *
 * Context: process; control.c's lock is held.
 * Return: NULL if there is none.
 */
struct tl_tier *tl_tier_named(const char *name)
{
	struct tl_tier *tier;
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	tier = find_name(name, TIERLENS_TIER_SOURCE_RULE);
	if (!tier)
		tier = find_name(name, TIERLENS_TIER_SOURCE_DISCOVERED);
	raw_spin_unlock_irqrestore(&lock, flags);
	return tier;
}

unsigned int tl_tier_count(void)
{
	unsigned int i, n = 0;

	for (i = 1; i < READ_ONCE(tiers_end); i++)
		n += !!READ_ONCE(tiers[i].id);
	return n;
}

/**
 * tl_tier_get() - Copy the tier at a place
 * @i: the place, from 1
 * @copy: filled; its id is 0 if the place is free
 *
 * Return: false if there is no such place.
 */
bool tl_tier_get(unsigned int i, struct tl_tier *copy)
{
	unsigned long flags;
	bool there;

	raw_spin_lock_irqsave(&lock, flags);
	there = i < tiers_end;
	if (there)
		*copy = tiers[i];
	raw_spin_unlock_irqrestore(&lock, flags);
	return there;
}
