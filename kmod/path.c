// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tree of paths
 *
 * A path is the chain of (tier, class) from the front tier down; equal chains
 * share a node. Nodes are only ever added, each filled before it is linked, so
 * that look-ups take no lock. When all places are taken the rest shares one.
 */
#include <linux/hash.h>

#include "lock.h"
#include "memory.h"
#include "path.h"

#define NODES 1024
#define FIRST 2 /* 0 is none, 1 is TL_PATH_MORE */
#define NODE_BUCKET_BITS 10
#define NODE_BUCKETS BIT(NODE_BUCKET_BITS)

static struct tree {
	u32 head[NODE_BUCKETS];
	struct tl_path_node node[NODES];
} *tree;
static u32 end = FIRST; /* one after the last node */
static DEFINE_RAW_SPINLOCK(lock); /* protects adding */

int tl_path_init(void)
{
	tree = tl_memory_zalloc(sizeof(*tree));
	return tree ? 0 : -ENOMEM;
}

void tl_path_exit(void)
{
	tl_memory_free(tree, sizeof(*tree));
	tree = NULL;
}

static u32 find_node(u32 head, u32 parent, u32 tier, u32 class)
{
	u32 id;

	for (id = head; id; id = tree->node[id].next)
		if (tree->node[id].parent == parent && tree->node[id].tier == tier &&
		    tree->node[id].class == class)
			break;
	return id;
}

static u32 add(u32 *head, u32 parent, u32 tier, u32 class)
{
	u32 id;

	tl_spin_lock(&lock);
	id = find_node(*head, parent, tier, class);
	if (!id && end < NODES) {
		id = end;
		tree->node[id].parent = parent;
		tree->node[id].tier = tier;
		tree->node[id].class = class;
		tree->node[id].next = *head;
		WRITE_ONCE(end, end + 1);
		/* Pairs with the acquire in tl_path_find(). */
		smp_store_release(head, id);
	}
	tl_spin_unlock(&lock);
	return id;
}

/**
 * tl_path_find() - The node of a path
 * @parent: node of the request that called; 0 for a front tier
 * @tier: who serves
 * @class: what
 *
 * Context: any but NMI; interrupts are off.
 * Return: the node, TL_PATH_MORE if there is no place for it.
 */
u32 tl_path_find(u32 parent, u32 tier, u32 class)
{
	/* All three are small numbers. */
	u64 key = (u64)parent << 40 ^ (u64)class << 20 ^ tier;
	u32 *head = &tree->head[hash_64(key, NODE_BUCKET_BITS)];
	u32 id;

	if (parent == TL_PATH_MORE)
		return TL_PATH_MORE;
	/* Pairs with the release in add(). */
	id = find_node(smp_load_acquire(head), parent, tier, class);
	if (likely(id))
		return id;
	/* Full for good: do not take the lock for every request. */
	if (READ_ONCE(end) < NODES)
		id = add(head, parent, tier, class);
	return id ? id : TL_PATH_MORE;
}

/**
 * tl_path_get() - Look at a node
 * @id: the node
 * @copy: filled
 *
 * Return: false if there is no such node, or it is TL_PATH_MORE.
 */
bool tl_path_get(u32 id, struct tl_path_node *copy)
{
	if (id < FIRST || id >= READ_ONCE(end))
		return false;
	*copy = tree->node[id];
	return true;
}

unsigned int tl_path_count(void)
{
	return READ_ONCE(end) - FIRST;
}

/**
 * tl_path_forget_all() - Empty the tree
 *
 * Context: process; no hook is armed, no open interval names a node.
 */
void tl_path_forget_all(void)
{
	memset(tree, 0, sizeof(*tree));
	end = FIRST;
}
