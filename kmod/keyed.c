// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables by address
 *
 * Look-ups walk a hash chain without a lock; memory is type-stable, so a chain may
 * change under a reader, who notices by its end marker and starts again.
 */
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
