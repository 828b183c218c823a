// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables by address
 *
 * Look-ups walk a hash chain without a lock; memory is type-stable, so a chain may
 * change under a reader, who notices by its end marker and starts again.
 */
#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/rculist_nulls.h>

#include "keyed.h"

/**
 * tl_keyed_init() - Make a table
 * @table: the table
 * @bits: logarithm of its number of buckets
 *
 * Return: 0 or -ENOMEM.
 */
int tl_keyed_init(struct tl_keyed_table *table, unsigned int bits)
{
	unsigned int i;

	table->bits = bits;
	table->bucket = tl_memory_zalloc(sizeof(*table->bucket) << bits);
	if (!table->bucket)
		return -ENOMEM;
	for (i = 0; i < 1U << bits; i++) {
		INIT_HLIST_NULLS_HEAD(&table->bucket[i].head, i);
		raw_spin_lock_init(&table->bucket[i].lock);
	}
	return 0;
}

void tl_keyed_exit(struct tl_keyed_table *table)
{
	tl_memory_free(table->bucket, sizeof(*table->bucket) << table->bits);
	table->bucket = NULL;
}

struct tl_keyed_bucket *tl_keyed_bucket(const struct tl_keyed_table *table, const void *key)
{
	return &table->bucket[hash_ptr(key, table->bits)];
}

/**
 * tl_keyed_find() - Find an entry
 * @table: the table
 * @key: its key
 *
 * Context: any. Without the bucket's lock, or a right to the entry, the answer is
 * a hint.
 * Return: the entry, or NULL.
 */
struct tl_keyed *tl_keyed_find(const struct tl_keyed_table *table, const void *key)
{
	struct tl_keyed_bucket *bucket = tl_keyed_bucket(table, key);
	struct hlist_nulls_node *node;
	struct tl_keyed *entry;

	rcu_read_lock();
restart:
	hlist_nulls_for_each_entry_rcu(entry, node, &bucket->head, node)
		if (READ_ONCE(entry->key) == key)
			goto out;
	if (get_nulls_value(node) != (unsigned long)(bucket - table->bucket))
		goto restart;
	entry = NULL;
out:
	rcu_read_unlock();
	return entry;
}

void tl_keyed_link(struct tl_keyed_bucket *bucket, struct tl_keyed *entry, const void *key)
{
	lockdep_assert_held(&bucket->lock);
	WRITE_ONCE(entry->key, key);
	hlist_nulls_add_head_rcu(&entry->node, &bucket->head);
}

void tl_keyed_unlink(struct tl_keyed_bucket *bucket, struct tl_keyed *entry)
{
	lockdep_assert_held(&bucket->lock);
	hlist_nulls_del_rcu(&entry->node);
	WRITE_ONCE(entry->key, NULL);
}
