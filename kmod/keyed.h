/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_KEYED_H
#define TL_KEYED_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/rculist_nulls.h>

#include "memory.h"

/* First member of what is found by the address of something of the kernel's. */
struct tl_keyed {
	struct tl_pool_item item;
	struct hlist_nulls_node node;
	const void *key; /* NULL: in the pool */
};

struct tl_keyed_bucket {
	struct hlist_nulls_head head;
	raw_spinlock_t lock; /* protects the chain */
};

/* Entries come from pools: their memory stays what it is. */
struct tl_keyed_table {
	struct tl_keyed_bucket *bucket;
	unsigned int bits;
};

static inline struct tl_keyed_bucket *tl_keyed_bucket(const struct tl_keyed_table *table,
						      const void *key)
{
	return &table->bucket[hash_ptr(key, table->bits)];
}

/**
 * tl_keyed_find() - Find an entry
 * @table: the table
 * @key: its key
 *
 * Entries and buckets stay what they are as long as the module, so no grace period
 * is waited for. It is done at every event, and is here to be inlined.
 *
 * Context: any. Without the bucket's lock, or a right to the entry, the answer is
 * a hint.
 * Return: the entry, or NULL.
 */
static inline struct tl_keyed *tl_keyed_find(const struct tl_keyed_table *table,
					     const void *key)
{
	struct tl_keyed_bucket *bucket = tl_keyed_bucket(table, key);
	struct hlist_nulls_node *node;
	struct tl_keyed *entry;

restart:
	hlist_nulls_for_each_entry_rcu(entry, node, &bucket->head, node)
		if (READ_ONCE(entry->key) == key)
			return entry;
	if (get_nulls_value(node) != (unsigned long)(bucket - table->bucket))
		goto restart;
	return NULL;
}

int tl_keyed_init(struct tl_keyed_table *table, unsigned int bits);
void tl_keyed_exit(struct tl_keyed_table *table);
void tl_keyed_link(struct tl_keyed_bucket *bucket, struct tl_keyed *entry, const void *key);
void tl_keyed_unlink(struct tl_keyed_bucket *bucket, struct tl_keyed *entry);

#endif
